"""Curves against their definitions, pair by pair."""

import numpy as np
import pytest

from wfgate.calibration.cross_fit import cross_fit
from wfgate.calibration.curves import operating_curves, reliability
from wfgate.calibration.models import KINDS, LEVELS
from wfgate.calibration.rates import by_corpus, hardest, validity
from wfgate.calibration.sample import ScoredVariants


@pytest.fixture(scope="module")
def held_out(rows_of):
    return cross_fit(ScoredVariants.of(rows_of(30)))


def test_auc_is_the_chance_that_damage_looks_worse(held_out):
    sample, p_values = held_out.sample, held_out.p_values
    for curve in operating_curves(held_out):
        bad = hardest(sample, curve.level)
        weight_of = {
            name: np.array([1 / (sample.golden[members] == g).sum() for g in sample.golden[members]])
            for name, members in (("null", sample.null), ("bad", bad))
        }
        below = p_values[bad][:, None] < p_values[sample.null][None, :]
        ties = p_values[bad][:, None] == p_values[sample.null][None, :]
        pairs = weight_of["bad"][:, None] * weight_of["null"][None, :]
        expected = ((below + ties / 2) * pairs).sum() / pairs.sum()
        assert curve.auc == pytest.approx(expected, abs=1e-6)


def test_curves_rise(held_out):
    curves = operating_curves(held_out)
    assert [curve.level for curve in curves] == list(LEVELS)
    for curve in curves:
        assert [p.alpha for p in curve.points] == sorted(p.alpha for p in curve.points)
        for name in ("false_block", "caught"):
            values = [getattr(point, name) for point in curve.points]
            assert values == sorted(values)


def test_reliability_bins_hold_every_named_damage_once(held_out):
    found = reliability(held_out)
    known = KINDS[held_out.sample.operator] >= 0
    assert sum(each.observed.variants for each in found.bins) == known.sum()
    assert [each.predicted for each in found.bins] == sorted(each.predicted for each in found.bins)
    sizes = [each.observed.variants for each in found.bins]
    distances = [abs(each.predicted - each.observed.value) for each in found.bins]
    assert found.error == pytest.approx(np.average(distances, weights=sizes), abs=1e-5)


def test_only_promises_that_so_many_goldens_can_make_are_checked(held_out):
    assert [found.alpha for found in validity(held_out)] == [0.05]
    (found,) = validity(held_out)
    assert found.kept == (found.rate.low <= 0.05)


def test_rates_by_corpus(held_out):
    names = held_out.sample.names
    corpora = {name: "a" if place < 4 else "b" for place, name in enumerate(names)}
    small, large = by_corpus(held_out, corpora, 0.05)
    assert (small.corpus, small.goldens, large.corpus, large.goldens) == ("a", 4, "b", 26)
    assert small.unseen_false_block.goldens == 4
    assert small.unseen_caught.value >= 0.5
    assert large.unseen_false_block is large.unseen_caught is None  # four goldens promise nothing
    assert by_corpus(held_out, dict.fromkeys(names, "one"), 0.05) == ()


def test_the_hardest_damage_is_on_top_of_a_rewording_where_there_is_one(rows_of):
    from dataclasses import replace  # noqa: PLC0415 - only here

    rows = rows_of(2)
    again = [replace(row, reworded=True) for row in rows if row.golden == "golden 0"]
    sample = ScoredVariants.of([*rows, *again])
    hard = hardest(sample, 0.3)
    assert set(sample.nominal[hard]) == {0.3}
    assert not (hard & sample.benign).any()
    assert {(sample.names[g], bool(r)) for g, r in zip(sample.golden[hard], sample.reworded[hard], strict=True)} == {
        ("golden 0", True),
        ("golden 1", False),
    }
