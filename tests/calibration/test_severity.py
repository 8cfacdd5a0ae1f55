import numpy as np
import pytest
from scipy.stats import binomtest

from wfgate.calibration.severity import COVERAGE, conformal_margins
from wfgate.decide import BINS, EVIDENCE, SeverityModel, estimates

WIDTH = len(EVIDENCE)
LEVELS = (0.0, 0.1, 0.3, 0.5)
AFFECTED = [piece.id for piece in EVIDENCE].index("affected-share")


def row(share):
    return np.eye(WIDTH)[AFFECTED] * share


def simulated(rng, goldens, variants=8):
    """Draw variants whose count of affected steps grows with severity, every golden with a bias of its own."""
    clusters, severity, features = [], [], []
    for golden in range(goldens):
        bias = rng.normal(0, 0.1)
        for _ in range(variants):
            level = float(rng.choice(LEVELS))
            features.append(row(min(1.0, max(0.0, level + bias + rng.normal(0, 0.05)))))
            severity.append(level)
            clusters.append(f"g{golden}")
    return np.array(features), np.array(severity), clusters


def with_margins(rng, goldens=150):
    features, severity, clusters = simulated(rng, goldens)
    return SeverityModel(margins=conformal_margins(estimates(features), severity, clusters))


def test_interval_covers_fresh_goldens_at_the_stated_rate():
    """One random variant of each fresh golden: what the clustered quantile promises, marginally."""
    hits = trials = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = with_margins(rng)
        features, severity, _ = simulated(rng, 150, variants=1)
        for one, truth in zip(features, severity, strict=True):
            estimate = model.estimate(one)
            hits += estimate.low - 1e-4 <= truth <= estimate.high + 1e-4
            trials += 1
    assert binomtest(hits, trials, COVERAGE, alternative="less").pvalue > 1e-3


def test_interval_holds_the_estimate_within_0_and_1():
    rng = np.random.default_rng(5)
    model = with_margins(rng)
    for features in np.vstack([simulated(rng, 20)[0], np.zeros((1, WIDTH)), np.ones((1, WIDTH))]):
        found = model.estimate(features)
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


def test_without_margins_the_interval_says_nothing():
    found = SeverityModel().estimate(row(0.4))
    assert (found.estimate, found.low, found.high) == (0.4, 0.0, 1.0)


def test_every_estimate_has_a_bin():
    margins = (0.05, 0.1, 0.2, 0.3, 0.4)
    model = SeverityModel(margins=margins)
    highs = [model.estimate(row(point)) for point in (0.0, 0.1, 0.2, 0.4, 0.55)]
    assert [round(found.high - found.estimate, 4) for found in highs] == list(margins)
    assert model.estimate(row(1.0)).high == 1.0
