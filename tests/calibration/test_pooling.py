"""Few goldens, pooled with many: what the base counts for, who decides, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.calibration import Plan
from wfgate.calibration.null import benign_null
from wfgate.calibration.pooling import HALVED, LEAST_GOLDENS, ROOM, base_weight, is_few, pooled, pooled_profile
from wfgate.calibration.rates import goldens_needed
from wfgate.calibration.run import _base_profile, _reachable
from wfgate.calibration.sample import ScoredVariants
from wfgate.decide import CELLS, EVIDENCE, default_profile
from wfgate.errors import CalibrationError, ProfileMismatchError
from wfgate.language import load_embedder

ALPHAS = (0.05, 0.1)
SCORES = st.lists(st.floats(-3, 3).map(lambda score: round(score, 1)), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def base(fit, rows_of):
    return fit(rows_of(60, seed=1), ALPHAS)


@pytest.fixture(scope="module")
def own(rows_of):
    return rows_of(LEAST_GOLDENS, seed=2)


def null(scores):
    return benign_null(np.array(scores), [f"g{place}" for place in range(len(scores))])


@given(SCORES, SCORES, st.floats(1, 40), st.floats(-4, 4))
def test_pooled_p_values_by_hand(mine, theirs, needed, score):
    found = pooled(null(mine), null(theirs), needed)
    weight = base_weight(null(mine), null(theirs), needed)
    above = sum(x >= score for x in mine) + weight * sum(x >= score for x in theirs)
    assert found.p_value(score) == pytest.approx((1 + above) / (1 + len(mine) + weight * len(theirs)))
    assert 0 <= weight <= 1


def test_the_base_counts_for_no_more_than_the_promise_needs():
    many = null(np.linspace(0, 1, 480))
    for count in (5, 50, 98):
        found = pooled(null([0.0] * count), many, 99)
        assert found.least == pytest.approx(0.01)
    assert pooled(null([0.0] * 99), many, 99).p_value(0.5) == pytest.approx(0.01)  # the base says 240 of 480


def test_nothing_is_blocked_that_looks_no_worse_than_one_goldens_rewordings():
    quiet = null(np.linspace(0, 1, 480))
    ours = null([0.2, 0.3, 5.0, 0.1, 0.2])
    assert quiet.p_value(4.9) < 0.01
    found = pooled(ours, quiet, ROOM / 0.01)
    assert found.p_value(4.9) > 0.01
    assert found.p_value(5.1) == pytest.approx(1 / 151)


def test_one_odd_rewording_of_the_base_does_not_make_the_gate_blind():
    """It would, if the null weighed just what the promise needs."""
    odd = null([*np.linspace(0, 1, 479), 9.0])
    ours = null([0.2, 0.3, 0.1, 0.1, 0.2])
    assert pooled(ours, odd, 99).p_value(8.0) > 0.01
    assert pooled(ours, odd, ROOM / 0.01).p_value(8.0) <= 0.01


def test_models_are_the_bases_and_rates_are_ones_own(base, own, origin):
    profile, _ = pooled_profile(ScoredVariants.of(own), base, origin, ALPHAS)
    assert (profile.block, profile.degradation) == (base.block, base.degradation)
    assert [t.threshold for t in profile.thresholds] == [t.threshold for t in base.thresholds]
    assert profile.pooling.goldens == profile.promise.false_block.goldens == LEAST_GOLDENS
    assert profile.pooling.base_goldens == 60
    assert profile.pooling.base_weight == pytest.approx((60 - LEAST_GOLDENS) / 60, abs=1e-6)  # of the last cell
    assert profile.promise.false_block.high - profile.promise.false_block.low > 0.4  # five goldens know little
    assert all(mine >= theirs for mine, theirs in zip(profile.severity.margins, base.severity.margins, strict=True))
    used = profile.scorer.nulls.used
    assert used[CELLS[-1]].least == pytest.approx(1 / 61)  # these candidates may use half of the rate
    assert {round(null.least, 6) for name, null in used.items() if name != CELLS[-1]} == {round(1 / 31, 6)}


def test_same_rows_same_bytes(base, own, origin):
    one, two = (pooled_profile(ScoredVariants.of(own), base, origin, ALPHAS).profile.to_json() for _ in range(2))
    assert one == two


def test_each_golden_is_left_out_of_its_own_null(base, own, origin):
    """One golden whose rewordings look terrible is an exception to the others, and none once it is known."""
    loud = [
        replace(row, evidence=row.evidence | {piece.id: 9.0 for piece in EVIDENCE if piece.absolute})
        if row.golden == "golden 0" and row.operator in {"description", "rewritten"}
        else row
        for row in own
    ]
    profile, _ = pooled_profile(ScoredVariants.of(loud), base, origin, ALPHAS)
    known = 1 / LEAST_GOLDENS  # of the others, as many may be blocked as is promised
    for rate in (profile.promise.false_block, profile.pooling.base_false_block):
        assert known - 1e-6 <= rate.value <= known + ALPHAS[0]
    for name, null in profile.scorer.nulls.used.items():
        rate = ALPHAS[0] / (HALVED if name == CELLS[-1] else 1)
        assert null.p_value(float(null.scores.max())) > rate


def test_without_rewordings_the_base_alone_decides(base, own, origin):
    plain = [row for row in own if row.operator not in {"description", "rewritten"}]
    profile, _ = pooled_profile(ScoredVariants.of(plain), base, origin, ALPHAS)
    assert (profile.pooling.goldens, profile.promise.false_block.goldens) == (0, 0)
    assert profile.promise.false_block.high == 1.0
    for name, null in profile.scorer.nulls.used.items():
        its = base.scorer.nulls.used[name]
        for score in (-1.0, 0.0, 3.0):
            assert null.p_value(score) >= min(its.p_value(score), 0.05) - 1e-9


def test_too_few_goldens_are_refused(base, rows_of, origin):
    with pytest.raises(CalibrationError, match="4 usable goldens; at least 5 are needed") as error:
        pooled_profile(ScoredVariants.of(rows_of(4)), base, origin, ALPHAS)
    assert "add approved workflows" in error.value.fix


def test_a_base_that_is_too_small_is_refused(base, own, origin):
    with pytest.raises(CalibrationError, match=r"60 goldens, too few for a false-block rate of 1.00%"):
        pooled_profile(ScoredVariants.of(own), base, origin, (0.01, 0.05))


def test_a_base_of_other_numbers_is_refused(base, own, origin):
    other = origin.model_copy(update={"signature": origin.signature.model_copy(update={"embedder": "another"})})
    with pytest.raises(ProfileMismatchError, match="another"):
        pooled_profile(ScoredVariants.of(own), base, other, ALPHAS)


def test_enough_goldens_are_not_pooled_with_a_profile_of_another_embedder(assessor):
    profile = default_profile()
    other = replace(assessor, embedder=load_embedder(beta=0.5))
    least = goldens_needed(0.05)
    plan = Plan(alphas=(0.05, 0.05))
    assert is_few(least, 0.05)
    assert _base_profile(plan, least, least, other) is None
    for each, said in ((plan, "shipped base profile"), (replace(plan, base=profile), "given base profile")):
        with pytest.raises(CalibrationError, match=said):
            _base_profile(each, least, least - 1, other)
    with pytest.raises(CalibrationError, match="given base profile"):  # it is asked for
        _base_profile(replace(plan, base=profile), least, least, other)


def test_the_advised_rate_is_the_smallest_that_works():
    for goldens in range(5, 150):
        rate = float(_reachable(goldens).rpartition(" ")[2])
        assert goldens_needed(rate) <= goldens
        assert rate == 0.01 or goldens < goldens_needed(rate - 0.01)
    assert _reachable(4) == ""
