"""Exit codes: every mix of verdicts, and nothing compared is never green."""

from itertools import combinations, product

import pytest

from wfgate.evidence import Signature
from wfgate.gating import CaseResult, GateResult, Policy
from wfgate.gating.policy import worst
from wfgate.gating.result import ProfileInfo, PromiseInfo, ToolInfo, decisions

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


@pytest.mark.parametrize(("review_blocks", "inconclusive_blocks"), list(product((False, True), repeat=2)))
def test_exit_code_of_every_mix(review_blocks, inconclusive_blocks):
    def expected(mix):
        if "block" in mix or (review_blocks and "review" in mix):
            return 1
        if "error" in mix or not mix:
            return 3
        return 4 if inconclusive_blocks and "inconclusive" in mix else 0

    policy = {"review_blocks": review_blocks, "inconclusive_blocks": inconclusive_blocks}
    assert {mix: result(*mix, **policy).exit_code for mix in MIXES} == {mix: expected(mix) for mix in MIXES}


@pytest.mark.parametrize(
    ("kinds", "policy", "code"),
    [
        ((), {}, 3),
        ((), {"inconclusive_blocks": False}, 3),
        (("pass",), {}, 0),
        (("review",), {}, 0),
        (("review",), {"review_blocks": True}, 1),
        (("error", "block"), {}, 1),
        (("error",), {"inconclusive_blocks": False}, 3),
        (("pass", "error"), {}, 3),
        (("pass", "inconclusive"), {}, 4),
        (("inconclusive", "review"), {"review_blocks": True}, 1),
    ],
)
def test_exit_codes_written_down(kinds, policy, code):
    assert result(*kinds, **policy).exit_code == code


def test_nothing_compared_is_inconclusive():
    assert result().verdict == "inconclusive"


def test_json_form_reads_back():
    found = result("pass", "block", "error")
    assert GateResult.model_validate(found.to_dict()) == found
    assert found.to_dict()["schema"] == "wfgate.result/2"
    assert found.count("block") == 1
    assert [case.id for case in found.errors] == ["e"]
