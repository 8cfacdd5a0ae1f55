"""Fits the weights of the network's logit and of each kind of exact difference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

PENALTY = 1e-3


def fit_ensemble(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """Fit a logistic regression on held-out pairs, which also calibrates the probability.

    Classes have equal weight. Exact differences can only lower the log-odds of equivalence.
    """
    pairs = [pair for pair in pairs if pair["basis"] != "rule"]
    kinds = sorted({kind for pair in pairs for kind in pair["differences"]})
    x = np.array([[pair["logit"], *(-float(kind in pair["differences"]) for kind in kinds)] for pair in pairs])
    y = np.array([1.0 if pair["kind"] == "equivalent" else -1.0 for pair in pairs])
    weight = np.where(y > 0, 0.5 / (y > 0).sum(), 0.5 / (y < 0).sum())

    def loss(parameters: NDArray[np.float64]) -> float:
        margin = y * (x @ parameters[1:] + parameters[0])
        return float((weight * np.logaddexp(0, -margin)).sum() + PENALTY * (parameters[2:] ** 2).sum())

    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    found = minimize(loss, np.zeros(x.shape[1] + 1), method="L-BFGS-B", bounds=bounds).x
    return {
        "intercept": round(float(found[0]), 4),
        "network": round(float(found[1]), 4),
        "differences": {kind: -round(float(value), 4) for kind, value in zip(kinds, found[2:], strict=True) if value},
    }


def believed(pair: dict[str, Any], fitted: dict[str, Any]) -> float:
    """Return the log-odds of one scored pair, as the package computes them."""
    against = sum(fitted["differences"].get(kind, 0.0) for kind in pair["differences"])
    return float(fitted["intercept"] + fitted["network"] * pair["logit"] + against)
