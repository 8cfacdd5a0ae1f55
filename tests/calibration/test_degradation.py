import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.degradation import fit_degradation
from wfgate.decide import DEGRADATIONS, EVIDENCE, DegradationModel, kind_of

WIDTH, KINDS = len(EVIDENCE), len(DEGRADATIONS)


@pytest.fixture(scope="module")
def model():
    return fit_degradation(*toy(0))


def toy(seed, each=30):
    """Make kinds of damage that each show in one piece of evidence."""
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(KINDS), each)
    features = rng.exponential(0.2, size=(len(kinds), WIDTH))
    features[np.arange(len(kinds)), kinds] += 3
    return features, kinds, [f"g{place % each}" for place in range(len(kinds))]


def test_recovers_toy_kinds_out_of_sample(model):
    features, kinds, _ = toy(1)
    names = list(DEGRADATIONS)
    right = [model.probabilities(x)[0].type == names[kind] for x, kind in zip(features, kinds, strict=True)]
    assert np.mean(right) > 0.95


@given(arrays(np.float64, WIDTH, elements=st.floats(0, 1e6)))
def test_probabilities_are_probabilities(model, features):
    found = model.probabilities(features)
    assert sum(kind.probability for kind in found) == pytest.approx(1, abs=KINDS * 1e-4)
    assert {kind.type for kind in found} == set(DEGRADATIONS)
    shares = [kind.probability for kind in found]
    assert shares == sorted(shares, reverse=True)


def test_nothing_known_is_uniform():
    blank = DegradationModel(weights=((0.0,) * WIDTH,) * KINDS, intercepts=(0.0,) * KINDS)
    assert {kind.probability for kind in blank.probabilities(np.ones(WIDTH))} == {round(1 / KINDS, 4)}


def test_a_model_of_other_kinds_is_refused():
    with pytest.raises(ValueError, match=f"{KINDS - 1} kinds of damage instead of {KINDS}"):
        DegradationModel(weights=((0.0,) * WIDTH,) * (KINDS - 1), intercepts=(0.0,) * (KINDS - 1))


def test_a_kind_without_examples_is_no_reason_to_fail():
    features, kinds, clusters = toy(0)
    some = [place for place, kind in enumerate(kinds) if kind != 2]
    fitted = fit_degradation(features[some], kinds[some], [clusters[p] for p in some])
    assert np.isfinite(fitted.weights).all()


def test_is_deterministic():
    assert fit_degradation(*toy(0)) == fit_degradation(*toy(0))


def test_every_operator_of_a_kind_exists():
    operators = [operator for kind in DEGRADATIONS.values() for operator in kind]
    assert set(operators) <= set(PERTURBATIONS)
    assert len(operators) == len(set(operators))
    assert {kind_of(operator) for operator in operators} == set(range(KINDS))
    assert kind_of("description") is None
