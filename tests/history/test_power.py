import itertools
from math import comb

import numpy as np
import pytest

from wfgate.history import detectable, samples_needed
from wfgate.history.power import MAX_SAMPLES, power_of
from wfgate.history.release import drop_p_value


@pytest.mark.parametrize(("n", "before", "after"), [(3, 1.0, 0.2), (6, 0.9, 0.3), (7, 0.8, 0.8)])
def test_power_against_adding_up_every_outcome(n, before, after):
    def chance(k, p):
        return comb(n, k) * p**k * (1 - p) ** (n - k)

    for alpha in (0.05, 0.2):
        expected = sum(
            chance(then, before) * chance(now, after)
            for then, now in itertools.product(range(n + 1), repeat=2)
            if drop_p_value((then, n), (now, n)) <= alpha
        )
        assert power_of(n, before, after, alpha) == pytest.approx(expected, abs=1e-9)


def test_what_is_planned_holds_in_simulation():
    plan = samples_needed(0.95, 0.4, alpha=0.05, cases=4, power=0.8)
    rng = np.random.default_rng(5)
    then, now = rng.binomial(plan.samples, 0.95, 2000), rng.binomial(plan.samples, 0.55, 2000)
    known = {
        pair: drop_p_value((pair[0], plan.samples), (pair[1], plan.samples)) for pair in {*zip(then, now, strict=True)}
    }
    noticed = np.mean([known[pair] <= 0.05 / 5 for pair in zip(then, now, strict=True)])
    assert noticed == pytest.approx(plan.power, abs=0.04)
    assert plan.power >= 0.8
    assert power_of(plan.samples - 1, 0.95, 0.55, 0.05 / 5) < 0.8  # one test per case and one of all cases


def test_more_is_needed_for_less():
    drops = [samples_needed(0.9, drop, alpha=0.05, cases=1, power=0.8).samples for drop in (0.6, 0.4, 0.2)]
    assert drops == sorted(drops)
    assert samples_needed(0.9, 0.4, alpha=0.05, cases=50, power=0.8).samples > drops[1]


def test_what_cannot_be_planned_says_so(monkeypatch):
    monkeypatch.setattr("wfgate.history.power.MAX_SAMPLES", 20)
    plan = samples_needed(0.5, 0.01, alpha=0.05, cases=1, power=0.9)
    assert plan.samples is None
    assert plan.power < 0.9
    assert MAX_SAMPLES > 20


def test_what_samples_can_show_is_what_the_comparison_finds():
    alone = detectable(10, 0.95, (0.4,), alpha=0.05, cases=1, power=0.8)
    assert alone.chances[0].one_case == pytest.approx(power_of(10, 0.95, 0.55, 0.05), abs=0.06)
    assert alone.chances[0].one_case == alone.chances[0].all_cases
    assert (
        drop_p_value((10, 10), (alone.blocks_from, 10)) <= 0.05 < drop_p_value((10, 10), (alone.blocks_from + 1, 10))
    )
    planned = samples_needed(0.95, 0.5, alpha=0.05, cases=4, power=0.8).samples
    together = detectable(planned, 0.95, (0.5,), alpha=0.05, cases=4, power=0.8)
    assert together.chances[0].one_case >= 0.75  # the plan is for the strictest level
    assert together.found_all_cases < together.found_one_case <= 0.55
    few = detectable(2, 0.95, (0.5,), alpha=0.05, cases=1, power=0.8)
    assert (few.decides, few.blocks_from, few.found_one_case) == (False, None, None)
