"""Fits the weights of the network's logit and of each kind of exact difference, and the null distribution.

usage: ensemble.py TARGET

Run it after a change of the exact differences; `export.py` runs it for a new network. `make profile` must follow. Both
are fitted with the network in the folder TARGET on the part "dev" of `pairs.py`, on which it was not trained. It
takes some minutes.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pairs import Pair, held_out
from scipy.optimize import minimize

from wfgate.compare.supports import joint
from wfgate.language import differing_sentences
from wfgate.language.meaning.base import CHANGES
from wfgate.language.meaning.null import LONG, SHORT
from wfgate.language.meaning.step_model import StepModel, differences, log_odds

PENALTY = 1e-3
NEUTRAL: dict[str, Any] = {
    "ensemble": {"intercept": 0.0, "network": 1.0, "logits": [0.0] * (1 + len(CHANGES)), "differences": {}},
    "null": {length: {"goldens": 0, "logits": [], "below": []} for length in ("short", "long")},
}
"""What makes the logit of the model that of the network."""


class Scored(NamedTuple):
    """A labelled window with the logits of the network and the kinds of exact differences."""

    golden: str
    kind: str
    logits: NDArray[np.float64]
    differences: frozenset[str]

    def log_odds(self, fitted: dict[str, Any]) -> float:
        """The log-odds that the window meets the demand."""
        return log_odds(fitted, self.logits, self.differences)

    @property
    def is_read(self) -> bool:
        """Whether the network read the texts: they differ."""
        return bool(np.isfinite(self.logits).all())

    @property
    def met(self) -> bool:
        """Whether the window meets the demand of the golden step."""
        return self.kind == "equivalent"


def fit_ensemble(pairs: list[Scored]) -> dict[str, Any]:
    """Fit a logistic regression on held-out windows, which also calibrates the probability.

    Classes have equal weight. Exact differences can only lower the log-odds.
    """
    kinds = sorted({kind for pair in pairs for kind in pair.differences})
    logits = np.array([pair.logits for pair in pairs])
    network = logits[:, 0] - np.logaddexp.reduce(logits[:, 1:], axis=1)
    against = -np.array([[kind in pair.differences for kind in kinds] for pair in pairs], dtype=np.float64)
    x = np.column_stack([network, logits, against])
    y = np.array([1.0 if pair.met else -1.0 for pair in pairs])
    weight = np.where(y > 0, 0.5 / (y > 0).sum(), 0.5 / (y < 0).sum())

    def loss(parameters: NDArray[np.float64]) -> float:
        margin = y * (x @ parameters[1:] + parameters[0])
        return float((weight * np.logaddexp(0, -margin)).sum() + PENALTY * (parameters[2:] ** 2).sum())

    single = logits.shape[1]
    bounds = [(None, None), (0, None), *[(None, None)] * single, *[(0, None)] * len(kinds)]
    found = minimize(loss, np.zeros(x.shape[1] + 1), method="L-BFGS-B", bounds=bounds, options={"maxfun": 10**6}).x
    weights = [round(float(value), 4) for value in found]
    return {
        "intercept": weights[0],
        "network": weights[1],
        "logits": weights[2 : 2 + single],
        "differences": {kind: -value for kind, value in zip(kinds, weights[2 + single :], strict=True) if value},
    }


def null(met: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """Return the null distribution: scores of demands that are met, with equal weight per golden.

    Args:
        met: Golden and score of each demand that is met.
    """
    counts = Counter(golden for golden, _ in met)
    weights = np.array([1 / counts[golden] for golden, _ in met])
    scores = np.floor(np.array([score for _, score in met]) * 100) / 100  # makes p-values larger
    distinct, place = np.unique(scores, return_inverse=True)
    below = np.cumsum(np.bincount(place, weights))
    return {"goldens": len(counts), "logits": distinct.round(2).tolist(), "below": below.round(4).tolist()}


def written(target: Path, provenance: dict[str, Any]) -> None:
    """Write the provenance with the hashes of the files."""
    names = ("model.onnx", "tokenizer.json")
    provenance["sha256"] = {name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in names}
    (target / "provenance.json").write_text(json.dumps(provenance) + "\n")


def refit(target: Path) -> str:
    """Fit ensemble and null distribution, write them, and return a summary."""
    provenance = json.loads((target / "provenance.json").read_text("utf-8"))
    written(target, {**provenance, **NEUTRAL})
    found = list(held_out())
    windows, partners = scored(found, "window", target), scored(found, "partner", target)
    fitted = fit_ensemble([pair for pair in windows if pair.is_read])
    met = [
        (
            owner,
            len(step.golden.split()),
            joint(*(log_odds(fitted, side.logits, side.differences) for side in (partner, pair))),
        )
        for (owner, step), pair, partner in zip(found, windows, partners, strict=True)
        if pair.met and partner.is_read
    ]
    nulls = {
        "short": null([(golden, score) for golden, words, score in met if words <= SHORT]),
        "long": null([(golden, score) for golden, words, score in met if words >= LONG]),
    }
    written(target, {**provenance, "ensemble": fitted, "null": nulls})
    return f"{len(windows):,} windows of {len({pair.golden for pair in windows})} goldens; ensemble {fitted}"


def scored(found: Sequence[tuple[str, Pair]], side: str, target: Path) -> list[Scored]:
    """Return the pairs with the logits of their windows, or of their partners; `target` has the network."""
    texts = [differing_sentences(pair.golden, getattr(pair, side)) for _, pair in found]
    return [
        Scored(golden, pair.kind, logits, differences(*text))
        for (golden, pair), text, logits in zip(found, texts, StepModel(target).logits(texts), strict=True)
    ]


if __name__ == "__main__":
    print(refit(Path(sys.argv[1])))
