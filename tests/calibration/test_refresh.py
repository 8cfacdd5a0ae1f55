"""A refitted profile against the one in use: looser is said, whatever made it so."""

from dataclasses import replace

import pytest

from wfgate.calibration import PERTURBATIONS, compare_profiles
from wfgate.calibration.fit import fit_profile
from wfgate.calibration.refresh import predictions_of
from wfgate.calibration.sample import ScoredVariants

ALPHAS = (0.05, 0.1)


@pytest.fixture(scope="module")
def rows(rows_of):
    return rows_of(30)


@pytest.fixture(scope="module")
def fitted(rows, origin):
    return fit_profile(ScoredVariants.of(rows), origin, ALPHAS)


def shares(row):
    return {"affected-share": 1.0} | {name: row.evidence[name] for name in ("reworded-share", "short-names")}


def louder(rows):
    """Return the same rows, every third golden's rewordings looking like heavy damage."""
    return [
        replace(row, evidence={name: value + 9 for name, value in row.evidence.items()} | shares(row))
        if PERTURBATIONS[row.operator].label == "benign" and int(row.golden.split()[1]) % 3 == 0
        else row
        for row in rows
    ]


def test_the_same_goldens_are_not_looser(fitted):
    found = compare_profiles(fitted.profile, fitted.profile, fitted.held_out)
    assert found.looser == ()
    assert found.before is not None
    assert [t.threshold for t in found.before.thresholds] == [t.threshold for t in found.after.thresholds]
    assert found.after.false_block == fitted.profile.promise.false_block
    caught = {each.operator: each.rate.value for each in found.after.caught}
    assert set(caught) == {name for name, kind in PERTURBATIONS.items() if kind.label == "degraded"}
    assert found.after.missed == pytest.approx(1 - sum(caught.values()) / len(caught), abs=1e-6)


def test_goldens_whose_rewordings_look_worse_make_it_looser_and_it_says_so(fitted, rows, origin):
    today = fit_profile(ScoredVariants.of(louder(rows)), origin, ALPHAS)
    found = compare_profiles(fitted.profile, today.profile, today.held_out)
    assert found.after.missed > found.before.missed
    assert any("of the smallest damage is missed instead of" in said for said in found.looser)
    assert found.before.false_block.value > ALPHAS[0] >= found.after.false_block.value  # why it was refitted


def test_goldens_whose_rewordings_look_better_make_it_stricter(fitted, rows, origin):
    worse = fit_profile(ScoredVariants.of(louder(rows)), origin, ALPHAS)
    found = compare_profiles(worse.profile, fitted.profile, fitted.held_out)
    assert found.after.missed < found.before.missed
    assert not any("smallest damage" in said or "caught instead" in said for said in found.looser)


def test_a_weaker_promise_is_looser(fitted, rows, origin):
    weaker = fit_profile(ScoredVariants.of(rows), origin, (0.1, 0.2))
    said = compare_profiles(fitted.profile, weaker.profile, weaker.held_out).looser
    assert said[0] == "the promised false-block rate is 10.00% instead of 5.00%"


def test_other_numbers_cannot_be_compared(fitted, rows, origin):
    other = origin.model_copy(update={"signature": origin.signature.model_copy(update={"embedder": "new"})})
    renewed = fit_profile(ScoredVariants.of(rows), other, ALPHAS)
    found = compare_profiles(fitted.profile, renewed.profile, renewed.held_out)
    assert found.before is None
    assert "another signature" in found.looser[0]


def test_a_profile_judges_as_the_gate_does(fitted, rows):
    sample = ScoredVariants.of(rows[:40])
    judged = predictions_of(fitted.profile, sample)
    for features, p_value in zip(sample.features, judged.p_values, strict=True):
        assert fitted.profile.scorer.p_value(features) == p_value
