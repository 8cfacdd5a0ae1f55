"""Exit codes: every mix of verdicts, and nothing compared is never green."""

from itertools import combinations, product

import pytest
from pydantic import ValidationError

from wfgate.decide import (
    CaseResult,
    GateResult,
    Policy,
    ProfileInfo,
    PromiseInfo,
    Signature,
    ToolInfo,
    decisions,
    worst,
)
from wfgate.decide.samples import sampled_case
from wfgate.history.release import compare_releases

KINDS = ("pass", "review", "block", "inconclusive", "error")
MIXES = [mix for size in range(len(KINDS) + 1) for mix in combinations(KINDS, size)]


def case(kind):
    if kind == "error":
        return CaseResult(id="e", golden="g", candidate="c", verdict="inconclusive", error="unreadable")
    return CaseResult(id=kind, golden="g", candidate="c", verdict=kind)


def result(*kinds, **policy):
    cases = tuple(case(kind) for kind in kinds)
    return GateResult(
        schema="wfgate.result/2",
        tool=ToolInfo(version="1", signature=Signature(embedder="e", meaning_model="j", metrics=())),
        profile=ProfileInfo(source="s", goldens=1, variants=1, least_p_value=0.5, corpus="c", tool="1"),
        policy=Policy(**policy),
        verdict=worst(decisions(cases)),
        promise=PromiseInfo(alpha_block=0.01, alpha_review=0.05, measured_false_block=0, interval=(0, 1)),
        cases=cases,
    )


@pytest.mark.parametrize(("fail_on", "inconclusive_blocks"), list(product(("block", "review", "none"), (False, True))))
def test_exit_code_of_every_mix(fail_on, inconclusive_blocks):
    def expected(mix):
        if fail_on == "none" and mix:
            return 0
        if "block" in mix:
            return 1
        if "error" in mix or not mix:
            return 3
        if inconclusive_blocks and "inconclusive" in mix:
            return 4
        return 5 if fail_on == "review" and "review" in mix else 0

    policy = {"fail_on": fail_on, "inconclusive_blocks": inconclusive_blocks}
    assert {mix: result(*mix, **policy).exit_code for mix in MIXES} == {mix: expected(mix) for mix in MIXES}


@pytest.mark.parametrize(
    ("kinds", "policy", "code"),
    [
        ((), {}, 3),
        ((), {"inconclusive_blocks": False}, 3),
        (("pass",), {}, 0),
        (("review",), {}, 0),
        (("review",), {"fail_on": "review"}, 5),
        (("review", "block"), {"fail_on": "review"}, 1),
        (("error", "block"), {"fail_on": "none"}, 0),
        ((), {"fail_on": "none"}, 3),
        (("error", "block"), {}, 1),
        (("error",), {"inconclusive_blocks": False}, 3),
        (("pass", "error"), {}, 3),
        (("pass", "inconclusive"), {}, 4),
        (("inconclusive", "review"), {"fail_on": "review"}, 4),
    ],
)
def test_exit_codes_written_down(kinds, policy, code):
    assert result(*kinds, **policy).exit_code == code


def test_the_earlier_spelling_of_a_policy_is_read():
    assert Policy.model_validate({"review_blocks": True}) == Policy(fail_on="review")
    assert Policy.model_validate({"review_blocks": False}) == Policy()
    assert "review_blocks" not in Policy(fail_on="review").model_dump()
    for wrong in ({"review_blocks": True, "fail_on": "none"}, {"review_blocks": "ja"}, {"fail_on": "inconclusive"}):
        with pytest.raises(ValidationError):
            Policy.model_validate(wrong)


def test_nothing_compared_is_inconclusive():
    assert result().verdict == "inconclusive"


def test_json_form_reads_back():
    found = result("pass", "block", "error")
    assert GateResult.model_validate(found.to_dict()) == found
    assert found.to_dict()["schema"] == "wfgate.result/2"
    assert found.count("block") == 1
    assert [case.id for case in found.errors] == ["e"]


def hidden(data):
    """Say that the blocked case is a sample of a case that passes."""
    group = sampled_case("deploy", ["block"], ["pass"], 1, Policy())
    data["samples"] = [group.model_dump(mode="json")]


def twice(data):
    """Give the blocked case the id of a sample that passes."""
    group = sampled_case("deploy", ["pass"], ["pass"], 1, Policy())
    data["samples"] = [group.model_dump(mode="json")]
    data["cases"][1]["id"] = "pass"


def proven(data):
    data["cases"][1] |= {"verdict": "pass", "proven": "block"}


def not_compared(data):
    data["cases"][1] |= {"verdict": "pass", "error": "unreadable"}


def worse_release(data):
    data["cases"].pop()
    data["release"] = compare_releases({"pass": (9, 9)}, {"pass": (0, 9)}, alpha=0.05, source="s").model_dump()


@pytest.mark.parametrize("forge", [lambda _: None, hidden, twice, proven, not_compared, worse_release])
def test_a_pass_that_contradicts_its_cases_is_refused(forge):
    data = result("pass", "block").to_dict()
    data["verdict"] = "pass"
    forge(data)
    with pytest.raises(ValidationError, match=r"verdict|exactly one case"):
        GateResult.model_validate(data)
