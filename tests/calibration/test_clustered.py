"""The guarantee itself: p-values of exchangeable clusters are not too small, in finite samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from wfgate.calibration.clustered import cluster_weights, clustered_rate
from wfgate.calibration.null import benign_null

TRIALS = 1000
values = st.floats(-3, 3).map(lambda x: round(x, 1))  # rounded: ties are the hard part
observations = st.lists(st.tuples(values, st.sampled_from("abcdefgh")), min_size=1, max_size=40)


def allowed(alpha, trials, doubt=1e-4):
    """Return the most hits that a rate of alpha explains, but for one time in 1 / doubt."""
    return next(k for k in range(trials + 1) if binomtest(k, trials, alpha, alternative="greater").pvalue < doubt)


def false_hits(alpha, goldens, draw, seed):
    """Count fresh clusters of which one random variant gets p <= alpha."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(TRIALS):
        clusters = [draw(rng) for _ in range(goldens + 1)]
        fresh = float(rng.choice(clusters.pop()))
        names = [str(place) for place, cluster in enumerate(clusters) for _ in cluster]
        hits += benign_null(np.concatenate(clusters), names).p_value(fresh) <= alpha
    return hits


def heavy(rng):
    """Draw clusters of any size with a strong effect of their own: variants of a golden resemble each other."""
    return rng.standard_t(2) + 0.3 * rng.normal(size=int(rng.integers(1, 9)))


def tied(rng):
    """Draw clusters with few different scores: most rewordings score exactly alike."""
    return rng.integers(0, 3, size=4) * float(rng.random() < 0.3)


def sizes_tell(rng):
    """Draw clusters that score higher the fewer variants they have."""
    size = int(rng.integers(1, 6))
    return 1 / size + 0.1 * rng.normal(size=size)


@pytest.mark.parametrize("draw", [heavy, tied, sizes_tell])
@pytest.mark.parametrize(
    ("alpha", "goldens"), [pytest.param(0.005, 199, marks=pytest.mark.slow), (0.01, 99), (0.05, 19), (0.05, 30)]
)
def test_false_rate_stays_within_alpha(alpha, goldens, draw):
    assert false_hits(alpha, goldens, draw, seed=1) < allowed(alpha, TRIALS)


def test_the_promise_is_used_up_where_scores_are_continuous():
    hits = false_hits(0.1, 39, heavy, seed=2)
    assert binomtest(hits, TRIALS, 0.1).pvalue > 1e-4 or hits < 0.1 * TRIALS
    assert hits > 0.5 * 0.1 * TRIALS  # valid, and not by never saying anything


def test_counting_variants_instead_of_goldens_would_break_the_promise():
    """The near miss: one p-value per variant, dependence ignored, is anti-conservative; the test above can fail."""
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(TRIALS):
        clusters = [rng.normal() + 0.01 * rng.normal(size=20) for _ in range(5)]
        fresh = float(rng.normal() + 0.01 * rng.normal())
        pooled = np.concatenate(clusters)
        hits += (1 + (pooled >= fresh).sum()) / (len(pooled) + 1) <= 0.05
    assert hits > allowed(0.05, TRIALS)


@given(observations)
def test_p_value_is_the_formula(pairs):
    scores, clusters = np.array([score for score, _ in pairs]), [cluster for _, cluster in pairs]
    null = benign_null(scores, clusters)
    for score in {*scores, -9.0, 9.0, 0.05}:
        shares = [
            np.mean([s >= score for s, c in pairs if c == cluster])  # of each golden's own variants
            for cluster in set(clusters)
        ]
        assert null.p_value(float(score)) == pytest.approx((1 + sum(shares)) / (len(shares) + 1))


@given(observations)
def test_p_value_falls_as_the_score_rises(pairs):
    null = benign_null(np.array([score for score, _ in pairs]), [cluster for _, cluster in pairs])
    found = [null.p_value(score) for score in np.linspace(-4, 4, 50)]
    assert found == sorted(found, reverse=True)
    assert all(1 / (null.goldens + 1) <= p <= 1 + 1e-12 for p in found)


@given(observations, st.randoms(use_true_random=False))
def test_order_of_observations_is_irrelevant(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    nulls = [benign_null(np.array([s for s, _ in some]), [c for _, c in some]) for some in (pairs, shuffled)]
    for score in (-1.0, 0.0, 0.1, 2.0):
        assert nulls[0].p_value(score) == pytest.approx(nulls[1].p_value(score))


@given(st.lists(st.sampled_from("abcd"), min_size=1))
def test_every_cluster_weighs_one(clusters):
    weights = cluster_weights(clusters)
    for cluster in set(clusters):
        assert sum(w for w, c in zip(weights, clusters, strict=True) if c == cluster) == pytest.approx(1)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_clopper_pearson_of_independent_hits_is_scipys(hits):
    rate = clustered_rate(hits, [str(place) for place in range(len(hits))])
    interval = binomtest(sum(hits), len(hits)).proportion_ci(method="exact")
    assert (rate.low, rate.high) == pytest.approx((interval.low, interval.high))
    assert rate.value == pytest.approx(np.mean(hits))
    assert rate.goldens == rate.variants == len(hits)


def test_dependent_hits_do_not_narrow_the_interval():
    alone = clustered_rate([True, False, False], list("abc"))
    repeated = clustered_rate([True, False, False] * 10, list("abc") * 10)
    assert (alone.low, alone.high) == pytest.approx((repeated.low, repeated.high))
    assert (repeated.goldens, repeated.variants) == (3, 30)


def test_no_observation_no_rate():
    assert clustered_rate([], []) is None
