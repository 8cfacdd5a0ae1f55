import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from wfgate.calibration.severity import COVERAGE, conformal_margins, fit_severity
from wfgate.evidence.gather import EVIDENCE
from wfgate.profile.severity import BINS, SeverityModel

from ..hypothesis_examples import examples

WIDTH = len(EVIDENCE)
LEVELS = (0.0, 0.1, 0.3, 0.5)
SHARES = [place for place, piece in enumerate(EVIDENCE) if not piece.absolute]


def simulated(rng, goldens, variants=8):
    """Draw variants whose evidence grows with severity, every golden with a bias of its own."""
    clusters, severity, features = [], [], []
    for golden in range(goldens):
        bias = rng.normal(0, 0.1)
        for _ in range(variants):
            level = float(rng.choice(LEVELS))
            noise = rng.exponential(0.05, size=WIDTH)
            features.append(np.maximum(0, noise + (level + bias) * np.isin(np.arange(WIDTH), SHARES[:3])))
            severity.append(level)
            clusters.append(f"g{golden}")
    return np.array(features), np.array(severity), clusters


def with_margins(rng, goldens=150):
    model = fit_severity(*simulated(rng, goldens))
    features, severity, clusters = simulated(rng, goldens)
    return model.model_copy(update={"margins": conformal_margins(model.point(features), severity, clusters)})


def test_recovers_severity():
    rng = np.random.default_rng(0)
    model = fit_severity(*simulated(rng, 200))
    features, severity, _ = simulated(rng, 200)
    means = [model.point(features[severity == level]).mean() for level in LEVELS]
    assert means == pytest.approx(LEVELS, abs=0.1)
    assert means == sorted(means)


def test_only_shares_count():
    weights = np.array(fit_severity(*simulated(np.random.default_rng(0), 50)).weights)
    assert weights[SHARES].any()
    assert not np.delete(weights, SHARES).any()


@settings(max_examples=examples(25))
@given(st.integers(0, 10_000), st.integers(0, WIDTH - 1), st.floats(0, 3))
def test_more_evidence_never_lowers_the_estimate(seed, piece, more):
    rng = np.random.default_rng(seed)
    model = fit_severity(*simulated(rng, 10))
    base = rng.exponential(0.3, size=(1, WIDTH))
    worse = base.copy()
    worse[0, piece] += more
    assert model.point(worse)[0] >= model.point(base)[0] - 1e-12


@settings(max_examples=examples(25))
@given(st.integers(0, 10_000))
def test_knots_ascend_and_levels_do_not_descend(seed):
    model = fit_severity(*simulated(np.random.default_rng(seed), 12))
    assert np.all(np.diff(model.knots) > 0)
    assert np.all(np.diff(model.levels) >= 0)
    assert len(model.knots) == len(model.levels)
    assert min(model.weights) >= 0
    assert 0 <= model.levels[0] <= model.levels[-1] <= 1


def test_interval_covers_fresh_goldens_at_the_stated_rate():
    """One random variant of each fresh golden: what the clustered quantile promises, marginally."""
    hits = trials = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = with_margins(rng)
        features, severity, _ = simulated(rng, 150, variants=1)
        for row, truth in zip(features, severity, strict=True):
            estimate = model.estimate(row)
            hits += estimate.low - 1e-4 <= truth <= estimate.high + 1e-4
            trials += 1
    assert binomtest(hits, trials, COVERAGE, alternative="less").pvalue > 1e-3


def test_interval_holds_the_estimate_within_0_and_1():
    rng = np.random.default_rng(5)
    model = with_margins(rng)
    for row in np.vstack([simulated(rng, 20)[0], np.zeros((1, WIDTH)), np.full((1, WIDTH), 99.0)]):
        found = model.estimate(row)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_margin_is_the_clustered_quantile():
    estimated, clusters = np.zeros(19), [f"g{place}" for place in range(19)]
    severity = np.arange(19) / 100
    margins = conformal_margins(estimated, severity, clusters)
    assert margins[0] == pytest.approx(0.17)  # the 18th of 19: ceil(0.9 * 20)
    assert margins[1:] == (1.0,) * (len(BINS) - 2)


def test_too_few_goldens_for_the_quantile_give_a_useless_interval_not_a_wrong_one():
    assert conformal_margins(np.zeros(8), np.zeros(8), [f"g{place}" for place in range(8)])[0] == 1.0
    assert conformal_margins(np.zeros(9), np.zeros(9), [f"g{place}" for place in range(9)])[0] == 0.0
    assert conformal_margins(np.zeros(90), np.zeros(90), ["one"] * 90)[0] == 1.0


def test_nothing_to_learn_from():
    assert conformal_margins(np.zeros(0), np.zeros(0), []) == (1.0,) * (len(BINS) - 1)
    benign = fit_severity(np.zeros((4, WIDTH)), np.zeros(4), list("abcd"))
    assert benign.point(np.ones((2, WIDTH))).tolist() == [0.0, 0.0]


def test_without_margins_the_interval_says_nothing():
    model = SeverityModel(weights=(1.0, *[0.0] * (WIDTH - 1)), knots=(0.0, 1.0), levels=(0.0, 0.8))
    found = model.estimate(np.eye(WIDTH)[0] * 0.5)
    assert (found.estimate, found.low, found.high) == (0.4, 0.0, 1.0)


def test_every_estimate_has_a_bin():
    margins = (0.05, 0.1, 0.2, 0.3, 0.4)
    model = SeverityModel(weights=(1.0, *[0.0] * (WIDTH - 1)), knots=(0.0, 1.0), levels=(0.0, 1.0), margins=margins)
    highs = [model.estimate(np.eye(WIDTH)[0] * point) for point in (0.0, 0.1, 0.2, 0.4, 0.55)]
    assert [round(found.high - found.estimate, 4) for found in highs] == list(margins)
    assert model.estimate(np.eye(WIDTH)[0] * 7).high == 1.0
