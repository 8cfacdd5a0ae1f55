import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.calibration.block_model import fit_block_model
from wfgate.decide import EVIDENCE

from ..hypothesis_examples import examples

WIDTH = len(EVIDENCE)


def toy(seed=0, n=200, shift=4.0):
    """Make two classes that the first two features separate; the third falls with damage, the rest is noise."""
    rng = np.random.default_rng(seed)
    degraded = np.repeat([0.0, 1.0], n // 2)
    features = rng.exponential(0.5, size=(n, WIDTH))
    features[:, :2] += shift * degraded[:, None]
    features[:, 2] -= degraded
    return features, degraded, [f"g{place % (n // 4)}" for place in range(n)]


def test_separates_what_can_be_separated():
    features, degraded, clusters = toy()
    scores = fit_block_model(features, degraded, clusters).score(features)
    assert scores[degraded == 1].min() > scores[degraded == 0].max()


def test_weights_are_not_negative_and_rest_on_what_tells():
    weights = np.array(fit_block_model(*toy()).weights)
    assert (weights >= 0).all()
    assert weights[2] == 0
    assert set(np.argsort(-weights)[:2]) == {0, 1}


@settings(max_examples=examples(15))
@given(st.integers(0, 10_000), st.integers(0, WIDTH - 1), st.floats(0, 5))
def test_more_damage_never_scores_lower(seed, piece, more):
    model = fit_block_model(*toy(seed, n=40, shift=1.0))
    base = np.random.default_rng(seed).exponential(size=(1, WIDTH))
    worse = base.copy()
    worse[0, piece] += more
    assert model.score(worse)[0] >= model.score(base)[0]


def test_is_deterministic_and_blind_to_row_order():
    features, degraded, clusters = toy()
    once = fit_block_model(features, degraded, clusters)
    assert fit_block_model(features, degraded, clusters) == once
    order = np.random.default_rng(1).permutation(len(degraded))
    again = fit_block_model(features[order], degraded[order], [clusters[place] for place in order])
    assert np.allclose(again.weights, once.weights, atol=1e-3)


def test_many_variants_of_one_golden_do_not_outvote_the_others():
    features, degraded, clusters = toy()
    first = np.array(clusters) == clusters[0]
    again = [np.concatenate([array, *[array[first]] * 50]) for array in (features, degraded)]
    repeated = fit_block_model(*again, clusters + [clusters[0]] * (50 * int(first.sum())))
    # not exactly: features are standardised over rows
    assert np.allclose(repeated.weights, fit_block_model(features, degraded, clusters).weights, atol=0.15)


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_one_class_alone_is_no_reason_to_fail(label):
    features, degraded, clusters = toy()
    one = degraded == label
    model = fit_block_model(
        features[one], degraded[one], [c for c, member in zip(clusters, one, strict=True) if member]
    )
    assert np.isfinite([*model.weights, model.intercept]).all()
