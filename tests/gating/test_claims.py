"""Which findings are reasons, and in which order."""

from itertools import permutations

from wfgate.checks import Finding
from wfgate.checks.base import Wording
from wfgate.gating.claims import claimants, unclaimed


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
