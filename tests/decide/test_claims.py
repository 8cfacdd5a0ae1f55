"""Which findings are reasons, and in which order."""

from itertools import permutations

import pytest

from wfgate.decide import claimants
from wfgate.decide.claims import unclaimed
from wfgate.rules import Finding
from wfgate.rules.base import Wording


def finding(check, steps=(), **more):
    given = {"severity": "error", "about": "value", "weight": "estimate"} | more
    name = f"{check} {' '.join(steps)} {more}"
    return Finding(id=check, defect="x", message=name, golden_steps=steps, fingerprint=name, **given)


def estimate(p_value):
    return Wording(golden=(), candidate=(), p_value=p_value)


GONE = finding("WR101", ("a",), about="step", severity="warning")
ITS_VALUE = finding("WR107", ("a",), about="step", weight="proof")
OTHER_VALUE = finding("WR107", ("b",), about="step", weight="proof")
CHANGED_VALUE = finding("WR107", ("a",))
MERGED = finding("WR104", ("a", "b"), about="merge", severity="warning")
SURE = finding("WR106", ("c",), about="text", wording=estimate(0.001))
UNSURE = finding("WR106", ("d",), about="text", wording=estimate(0.04))
CONTRADICTION = finding("WR106", ("e",), about="text", wording=estimate(0.9), exact=True)


def test_a_missing_step_claims_its_values_and_no_others():
    findings = [OTHER_VALUE, ITS_VALUE, CHANGED_VALUE, MERGED, GONE]
    assert claimants(findings) == {ITS_VALUE.fingerprint: GONE}
    assert ITS_VALUE not in unclaimed(findings)


def test_a_value_without_its_step_among_the_findings_is_a_reason():
    assert unclaimed([ITS_VALUE]) == [ITS_VALUE]
    assert unclaimed([ITS_VALUE], listed_before=[GONE]) == []


def test_reasons_are_grave_ones_first_then_facts_then_causes():
    grave = [GONE, CONTRADICTION, OTHER_VALUE, SURE, UNSURE]  # the missing step is as grave as its value
    lesser = [MERGED]
    for order in permutations([*lesser, ITS_VALUE, *grave]):
        assert unclaimed(order) == [*grave, *lesser]


def guard(weight="proof", steps=("choice", "pay"), was="total > 5000", now="total < 5000"):
    return finding("WR301", steps, about="guard", weight=weight, golden_value=was, candidate_value=now)


def value(was, now, check="WR107", **more):
    return finding(check, **({"steps": ("choice",), "weight": "proof"} | more), golden_value=was, candidate_value=now)


def rewording(was, now, **more):
    both = Wording(golden=(("Run ", False), (was, True)), candidate=(("Run ", False), (now, True)), p_value=0.02)
    return finding("WR106", ("choice",), about="text", wording=both, **more)


RAW = value("NumericGreaterThan", None, about="guard")
USES = value("actions/checkout@v4", "actions/checkout@main")


def remark(was, now):
    return value(was, now, "WR502", about="text", steps=(), weight="contradiction")


@pytest.mark.parametrize(
    ("claimant", "claimed"),
    [
        (guard(), RAW),
        (guard(), value("true", "false", "WR502", about="guard", steps=())),
        (
            value("a == 'b'", "a != 'b'", about="guard"),
            guard("contradiction", ("x", "choice"), 'a == "b"', 'a != "b"'),
        ),
        (USES, rewording("actions/checkout@v4", "actions/checkout@main")),
        (USES, value("actions/checkout@v4", "actions/checkout@main", "WR501", weight="estimate")),
        (remark("Step 2 is due.", "Step 2 is optional."), remark(None, "Step 2 is optional.")),
        (value("drop a", "drop b", "WR502"), remark("`drop a`", "`drop b`")),
    ],
)
def test_the_graver_of_two_findings_that_say_one_change_claims_the_other(claimant, claimed):
    for order in permutations([claimant, claimed, OTHER_VALUE]):
        assert claimants(order) == {claimed.fingerprint: claimant}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (guard(steps=("other", "pay")), RAW),  # another step
        (guard(weight="contradiction"), RAW),  # a graver value is the reason, unless the values are the same
        (guard(weight="note"), RAW),  # a waived finding does not speak for another one
        (guard(), value("5000", "6000")),  # a value that is no condition
        (value("a:1", "a:2"), value("a:1", "a:2", witness=("another key",))),
        (value("run 3", "run 5", "WR502"), value("3", "5")),  # a number that a command has, too
        (USES, rewording("the code", "no code")),
    ],
)
def test_findings_that_say_other_changes_are_both_reasons(one, other):
    assert claimants([one, other]) == claimants([other, one]) == {}
