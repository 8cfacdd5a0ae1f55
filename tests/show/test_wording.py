"""The sentences that all reports use."""

import pytest

from wfgate.decide import AlignedStep, AlignmentView, StepState
from wfgate.decide.alignment_view import AlignedPair, MergedSteps
from wfgate.read import Diagnostic
from wfgate.rules import Finding
from wfgate.show import CaseView, wording

from .conftest import STEPS, pairs


def value(severity="info", **more):
    message = "'Build' has note: `b` instead of `a`"
    return Finding(id="WR107", defect="value-changed", severity=severity, message=message, fingerprint="f7", **more)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"copied": True}, "the same bytes: 6 steps"),
        ({}, "the same content: 6 steps"),
        ({"findings": (value(pre_existing=True),)}, "the same content: 6 steps"),
        ({"findings": (value(),)}, "6 steps the same, 1 other difference"),
        ({"findings": (value("warning"),)}, "all 6 steps the same; 1 finding to check"),
    ],
)
def test_there_is_one_phrase_for_each_kind_of_equality(make_pass, changes, words):
    same = {"evidence": (), "p_value": 1.0, "alignment": AlignmentView(matched=pairs(*STEPS))}
    assert CaseView(make_pass().model_copy(update={**same, **changes})).headline == words


def test_a_copy_of_a_further_reference_is_no_copy_of_the_golden(make_pass):
    copy = make_pass().model_copy(update={"copied": True})
    assert CaseView(copy).headline == "the same bytes as a further reference"


def test_statistics_are_no_proof_of_harmlessness(make_pass):
    case = make_pass().model_copy(update={"alignment": AlignmentView(matched=pairs(*STEPS))})
    assert CaseView(case).headline == "all 6 steps the same"
    always = case.model_copy(update={"p_value": 1.0})
    assert CaseView(always).headline == "6 steps the same, only harmless differences"
    outside = always.model_copy(update={"outside": ("20 steps, calibrated on 3 to 18",)})
    assert CaseView(outside).headline.startswith("all 6 steps the same; outside of the calibrated range")


def test_the_promise_says_what_it_covers(make_pass, make_result):
    words = wording.promise_words(make_result(make_pass("a"), make_pass("b")))
    assert (
        "at most 1 % of harmless changes of the calibrated kinds (the same work in other words) are blocked" in words
    )
    assert "with 2 cases that are such changes at most 0.02 blocks are expected. " in words
    assert words.endswith("Proven changes of values, settings and conditions are outside of this rate")


def test_only_messages_of_the_readers_that_differ_are_of_a_case(make_pass):
    def info(path, message):
        return Diagnostic(severity="info", message=message, path=path, line=5)

    case = make_pass()
    own = info(case.candidate, "a step is disabled")
    alike = (info(case.golden, "a key is not read"), info(case.candidate, "a key is not read"))
    case = case.model_copy(update={"diagnostics": (own, *alike)})
    assert wording.differing_diagnostics(case) == (own,)
    in_place = case.model_copy(update={"golden": case.candidate, "diagnostics": (own, alike[1], alike[1])})
    assert wording.differing_diagnostics(in_place) == (own,)


def test_a_message_about_both_files_is_told_once():
    both = [Diagnostic(severity="info", message="'Wait' is disabled", path=path, line=5) for path in ("a", "b")]
    other = Diagnostic(severity="info", message="'Wait' is disabled", path="a", line=5, fix="enable it")
    merged = wording.merged_diagnostics([*both, other])
    assert [places for places, _ in merged] == ["a:5 and b:5", "a:5"]


def test_each_step_is_counted_once_and_what_else_it_is_is_said(make_pass):
    case = make_pass()
    ids = [f"s{number}" for number in range(4)]
    both = [AlignedStep(id=one, name=f"Step {one}") for one in ids]
    states = tuple(
        StepState(id=one, state=state, candidate=("s0",) if one in {"s0", "s1"} else (one,), moved=moved)
        for one, state, moved in zip(
            ids, ("doubtful", "reworded", "doubtful", "same"), (False, False, True, False), strict=True
        )
    )
    alignment = AlignmentView(
        matched=tuple(AlignedPair(golden=one, candidate=one, similarity=1.0) for one in (both[0], *both[2:])),
        merged=(MergedSteps(golden=(both[0], both[1]), candidate=both[0]),),
    )
    case = case.model_copy(update={"steps": states, "alignment": alignment})
    said = "3 of 4 steps (75 %): 2 doubtful, 1 merged (of these 1 merged and 1 moved, too)"
    assert CaseView(case).severity == said
    assert "2 doubtful (not unusual for a rewrite), 1 merged (of these" in CaseView(case).headline
