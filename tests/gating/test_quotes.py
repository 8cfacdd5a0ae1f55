"""The second stage: only what stands in the candidate can clear a block, and a block becomes no more than a review."""

import json
import re

import pytest

from wfgate.gating import Gate, Pair, Policy
from wfgate.gating.quotes import SecondStage
from wfgate.llm import Client, Limits


def shown(request):
    """Return the steps of golden and candidate, as a request shows them."""
    asked = request["messages"][1]["content"]
    data = [re.search(rf"<{tag}>\n(.+)\n</{tag}>", asked)[1] for tag in ("golden", "candidate")]
    return [[step["text"] for step in json.loads(side)["steps"]] for side in data]


def answer(golden, candidate, quotes, *, status="kept", foreign=False):
    """Return an answer that quotes these pairs (candidate step from 0, words) for each golden step."""
    used = {step for places in quotes for step, _ in places}
    return {
        "golden": [
            {"n": n, "status": status, "quotes": [{"n": step + 1, "quote": words} for step, words in places]}
            for n, places in enumerate(quotes, start=1)
        ],
        "added": [
            {"n": n, "adds": "detail", "foreign": foreign} for n in range(1, len(candidate) + 1) if n - 1 not in used
        ],
    }


def honest(partner, **how):
    """Make a model that quotes, for each golden step, the step that replaced it, if it is there."""

    def reply(request):
        golden, candidate = shown(request)
        found = [partner.get(text, text) for text in golden]
        quotes = [[(candidate.index(text), text)] if text in candidate else [] for text in found]
        return json.dumps(answer(golden, candidate, quotes, **how))

    return reply


@pytest.fixture
def staged(assessor, profile, chat):
    """Decide a pair with a language model that quotes; by default the policy blocks nearly every rewording."""

    def decide(golden, candidate, reply, **policy):
        chat.reply = reply if callable(reply) else lambda _: reply
        stage = SecondStage(Client("mini", limits=Limits(reasks=0)))
        rules = Policy(**{"judge_may_clear": True, "alpha_block": 0.9} | policy)
        return Gate(assessor, profile, rules, second_stage=stage).decide(Pair("case", (golden,), candidate))

    return decide


def test_verified_quotes_make_a_block_a_review(staged, make, steps, reworded, chat):
    partner = dict(zip(steps, reworded, strict=True))
    result = staged(make(), make(reworded), honest(partner))
    assert result.verdict == "review"
    assert result.reasons[0].rule == "quotes"
    assert result.reasons[0].message == "the language model found all 8 steps, with 8 verified quotes"
    blocked = staged(make(), make(reworded), honest(partner), judge_may_clear=False)
    assert (blocked.verdict, blocked.reasons) == ("block", result.reasons[1:])
    assert len(chat.asked) == 1
