import random
from dataclasses import replace

import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.models import LEVELS
from wfgate.calibration.sample import ScoredVariants
from wfgate.errors import CalibrationError


@pytest.fixture(scope="module")
def rows(rows_of):
    return rows_of(24)


@pytest.fixture(scope="module")
def profile(fit, rows):
    return fit(rows)


def test_same_rows_same_bytes(fit, rows, profile):
    assert fit(rows).to_json() == profile.to_json()


@pytest.mark.parametrize(("goldens", "alpha", "need"), [(23, 0.05, 24), (4, 0.2, 5), (0, 0.01, 124)])
def test_too_few_goldens_is_an_error_that_says_how_many(fit, rows_of, goldens, alpha, need):
    with pytest.raises(CalibrationError, match=rf"{goldens} goldens .* needs at least {need}") as error:
        fit(rows_of(goldens), (alpha, 0.5))
    assert error.value.fix


def test_just_enough_goldens_are_enough(fit, rows_of):
    profile = fit(rows_of(24), (0.05, 0.1))
    assert profile.scorer.nulls.smaller.least <= 0.05


def test_the_stricter_alpha_decides_how_many_are_needed(fit, rows_of):
    with pytest.raises(CalibrationError, match="needs at least 24"):
        fit(rows_of(18), (0.1, 0.05))


def test_refused_variants_are_left_out(fit, rows, profile):
    refused = [replace(rows[0], key="x", rejected="no", metrics={}, evidence={})]
    again = fit(rows + refused)
    assert again.block == profile.block
    assert again.null == profile.null


def test_rates_are_about_what_they_say(profile, rows):
    promise = profile.promise
    assert (promise.alpha_block, promise.alpha_review) == (0.05, 0.1)
    assert promise.false_block.goldens == promise.false_review.goldens == 24
    assert promise.false_block.value <= promise.false_review.value
    assert 0 <= promise.false_block.low <= promise.false_block.value <= promise.false_block.high <= 1
    caught = {(catch.operator, catch.severity): catch.rate.value for catch in profile.catches}
    assert set(caught) == {(row.operator, row.severity) for row in rows}
    assert caught["missing", 0.5] > caught["identity", PERTURBATIONS["identity"].severities[0]]


def test_thresholds_rise_with_the_level(profile):
    assert [threshold.level for threshold in profile.thresholds] == list(LEVELS)
    values = [threshold.threshold for threshold in profile.thresholds]
    assert values == sorted(values)
    for threshold in profile.thresholds:
        assert threshold.miss.value < 0.5
        assert threshold.over_call.value < 0.5


def test_null_of_each_piece_errs_on_the_quiet_side(profile, rows):
    null_rows = [row for row, member in zip(rows, ScoredVariants.of(rows).null, strict=True) if member]
    for name, tail in profile.evidence_nulls.items():
        null = tail.build()
        assert null.p_value(min(row.evidence[name] for row in null_rows)) == pytest.approx(1, abs=1e-4)
        top = max(row.evidence[name] for row in null_rows)
        assert null.p_value(top) > null.p_value(top + 0.02) == pytest.approx(1 / 25)


def test_order_of_rows_hardly_matters(fit, rows, profile):
    """Bytes are equal for the table's order (test_calibrate); for any other the numbers are, nearly."""
    shuffled = random.Random(0).sample(rows, len(rows))
    again = fit(shuffled)
    for name, known in profile.block.cells.items():
        assert again.block.cells[name].weights == pytest.approx(known.weights, abs=0.02)
    assert again.promise.false_block.goldens == profile.promise.false_block.goldens


def test_each_class_of_harmless_changes_and_the_whole_verdict_have_rates(fit, rows):
    """A rule that blocks alone adds to the blocks of the score; critical steps add more; short names are a class."""
    ruled = [
        replace(row, rules=(0.0, 0.0)) if row.operator == "description" and row.golden == "golden 0"
        else replace(row, rules=(1.0, 0.01)) if row.golden == "golden 1" else row
        for row in rows
    ]  # fmt: skip
    profile = fit(ruled, short={"golden 0", "golden 2"})
    promise = profile.promise
    assert promise.false_block.value + 0.02 < promise.whole_block.value < promise.critical_block.value
    by_class = {one.change: one for one in profile.harmless}
    assert by_class["reworded, one step to all"].blocked.value > by_class["relisted, or with other ids"].blocked.value
    assert by_class["all of the promise, short step names"].blocked.value == pytest.approx(0.5, abs=0.2)
    assert by_class["all of the promise, short step names"].blocked.goldens == 2
    assert by_class["written anew and accepted"].blocked.goldens in {0, 24}
    assert all(one.blocked.value <= one.reviewed.value for one in profile.harmless)
