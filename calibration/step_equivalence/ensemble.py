"""Fits the weights of the network's logit and of each kind of exact difference."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

PENALTY = 1e-3


class Scored(NamedTuple):
    """A labelled window with the logit of the network and the kinds of exact differences."""

    golden: str
    kind: str
    logit: float
    differences: frozenset[str]

    @property
    def met(self) -> bool:
        """Whether the window meets the demand of the golden step."""
        return self.kind == "equivalent"


def fit_ensemble(pairs: list[Scored]) -> dict[str, Any]:
    """Fit a logistic regression on held-out windows, which also calibrates the probability.

    Classes have equal weight. Exact differences can only lower the log-odds.
    """
    kinds = sorted({kind for pair in pairs for kind in pair.differences})
    x = np.array([[pair.logit, *(-float(kind in pair.differences) for kind in kinds)] for pair in pairs])
    y = np.array([1.0 if pair.met else -1.0 for pair in pairs])
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


def log_odds(pair: Scored, fitted: dict[str, Any]) -> float:
    """Return the log-odds of one window, as the package computes them."""
    against = sum(fitted["differences"].get(kind, 0.0) for kind in pair.differences)
    return float(fitted["intercept"] + fitted["network"] * pair.logit + against)
