"""How the grades of a judge depend on position and wording, measured against a service on this machine."""

from dataclasses import replace

import pytest

from wfgate.calibration.judge_bias import judge_bias
from wfgate.llm import Client, Limits

from ..compare.metrics.judged import STEPS, blocks, opinion, pair, task, template_of


def test_an_unbiased_judge(chat):
    def reply(request):
        shown = dict(blocks(request))
        return opinion(round(5 * len(shown["candidate"]["steps"]) / len(shown["golden"]["steps"])))

    chat.reply = reply
    bias = judge_bias(Client("mini"), [pair(*STEPS[1:]), pair(*STEPS[2:])])
    assert (bias.pairs, bias.identity, bias.position, bias.swap, bias.spread, bias.unanswered) == (2, 1, 0, 0, 0, 0)
    assert len(chat.asked) == 18


def test_a_biased_judge(chat):
    def reply(request):
        (first, ours), (_, theirs) = blocks(request)
        if ours == theirs:
            return opinion(4)  # never content
        if template_of(request) == 2 and first == "golden":
            return "no"
        return opinion(4 if first == "golden" else 3)

    chat.reply = reply
    bias = judge_bias(Client("mini", limits=Limits(reasks=0)), [pair(*STEPS[1:])])
    assert bias.identity == 0.8
    assert bias.position == bias.swap == pytest.approx(0.2)
    assert bias.unanswered == 1
    assert bias.spread == 0


def test_the_judge_sees_the_task_of_the_golden(chat):
    chat.reply = lambda _: opinion(3)
    known = pair(*STEPS[1:])
    named = known.golden.model_copy(update={"name": "release", "description": "For the shop"})
    judge_bias(Client("mini"), [replace(known, golden=named)])
    assert [task(request) for request in chat.asked] == [{"name": "release", "description": "For the shop"}] * 9
