"""Plans that a model really produced (ProcessTBench): equal ones pass, and what changed is named, nothing else."""

import json
from pathlib import Path

import pytest

from wfgate.decide import Assessor, Pair, Policy, default_profile
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run import Gate

LINES = (Path(__file__).parent / "real_plans.jsonl").read_text(encoding="utf-8").splitlines()
PLANS = {record["difference"]: record for record in map(json.loads, LINES)}
BESIDES = ("WF1", "WR107", "WR502")
"""Rules about the shape of one plan, about arguments and the request: the independent comparison has none."""


@pytest.fixture(scope="module")
def judged():
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy())
    return {
        difference: gate.decide(Pair(difference, (record["golden"],), record["plan"]))
        for difference, record in PLANS.items()
    }


@pytest.mark.parametrize("difference", PLANS)
def test_what_changed_is_named_and_nothing_else(judged, difference):
    findings = [finding for finding in judged[difference].findings if not finding.pre_existing]
    named = {(each.id, *each.tasks) for each in findings if not each.id.startswith(BESIDES)}
    assert named == {tuple(each) for each in PLANS[difference]["named"]}
    arguments = [each for each in findings if each.id == "WR107"]
    assert not (difference.startswith("equal") and arguments)
    if not named:
        assert judged[difference].verdict == ("review" if arguments else "pass")
    elif difference != "link changed, same order":  # one link more that orders nothing may pass; it is named
        assert judged[difference].verdict != "pass"


@pytest.mark.parametrize("difference", ["equal", "equal, two steps"])
def test_an_equal_plan_is_identical_though_it_does_not_repeat_the_request(judged, difference):
    assert (judged[difference].p_value, judged[difference].reasons) == (1.0, ())


def test_a_difference_that_only_informs_is_a_reason_where_nothing_graver_is():
    record = PLANS["link changed, same order"]
    wary = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy(alpha_review=0.9))
    first, *_ = wary.decide(Pair("case", (record["golden"],), record["plan"])).reasons
    assert first.message == "the link from 'Text-to-Image' to 'Image Stitcher' is new; the two steps keep their order"
