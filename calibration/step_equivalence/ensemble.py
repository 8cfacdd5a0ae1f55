"""Fits the weights of the networks' logits and of each kind of exact difference, and the null distribution.

usage: ensemble.py TARGET

If TARGET has a second network, it reads the windows of which the first one is unsure (`UNSURE`), and both have weights
of their own there.

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
from wfgate.language.meaning.step_model import FIRST, SECOND, StepModel, differences, is_unsure, log_odds

PENALTY = 1e-3
UNSURE = (-4.0, 2.0)
"""Log-odds of the first network, with the exact differences, between which the second one reads, too."""
NEUTRAL: dict[str, Any] = {
    "ensemble": {"intercept": 0.0, "network": [1.0], "logits": [[0.0] * (1 + len(CHANGES))], "differences": {}},
    "null": {length: {"goldens": 0, "logits": [], "below": []} for length in ("short", "long")},
}
"""What makes the logit of the model that of the first network."""
NEUTRAL_SECOND = {"from": 1.0, "to": 0.0}
"""No window is unsure."""


class Scored(NamedTuple):
    """A labelled window: logits of each network, shape (n_networks, 1 + n_changes), and the exact differences."""

    golden: str
    kind: str
    logits: NDArray[np.float64]
    differences: frozenset[str]

    def log_odds(self, fitted: dict[str, Any]) -> float:
        """The log-odds that the window meets the demand."""
        first = log_odds(fitted["ensemble"], self.logits[:1], self.differences)
        if is_unsure(fitted, first):
            return log_odds(fitted["second"]["ensemble"], self.logits, self.differences)
        return first

    @property
    def is_read(self) -> bool:
        """Whether the networks read the texts: they differ."""
        return bool(np.isfinite(self.logits).all())

    @property
    def met(self) -> bool:
        """Whether the window meets the demand of the golden step."""
        return self.kind == "equivalent"


def fit(pairs: list[Scored]) -> dict[str, Any]:
    """Return the ensemble of the first network, and that of both where the first one is unsure."""
    networks, met = len(pairs[0].logits), sum(pair.met for pair in pairs)
    weights = (0.5 / (len(pairs) - met), 0.5 / met)
    fitted: dict[str, Any] = {"ensemble": fit_ensemble(pairs, 1, weights)}
    if networks > 1:
        unsure = {"second": {"from": UNSURE[0], "to": UNSURE[1]}}
        read = [
            pair
            for pair in pairs
            if is_unsure(unsure, log_odds(fitted["ensemble"], pair.logits[:1], pair.differences))
        ]
        fitted["second"] = {**unsure["second"], "ensemble": fit_ensemble(read, networks, weights)}
    return fitted


def fit_ensemble(pairs: list[Scored], networks: int, weights: tuple[float, float]) -> dict[str, Any]:
    """Fit a logistic regression on held-out windows, which also calibrates the probability.

    Exact differences can only lower the log-odds.

    Args:
        pairs: The windows.
        networks: Number of networks whose logits count.
        weights: Weight of a window that does not meet its demand, and of one that does. All windows of a class have
            one weight, also where only some are read, so that the log-odds of one and of two networks are alike.
    """
    kinds = sorted({kind for pair in pairs for kind in pair.differences})
    logits = np.array([pair.logits[:networks] for pair in pairs])
    met = logits[:, :, 0] - np.logaddexp.reduce(logits[:, :, 1:], axis=2)
    single = logits.reshape(len(pairs), -1)
    against = -np.array([[kind in pair.differences for kind in kinds] for pair in pairs], dtype=np.float64)
    x = np.column_stack([np.ones(len(pairs)), met, single, against])
    y = np.array([1.0 if pair.met else -1.0 for pair in pairs])
    weight = np.where(y > 0, weights[1], weights[0])
    penalty = np.array([0.0] * (1 + networks) + [PENALTY] * (x.shape[1] - 1 - networks))

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = y * (x @ parameters)
        slope = -weight * y * np.exp(-np.logaddexp(0, margin))
        value = float((weight * np.logaddexp(0, -margin)).sum() + (penalty * parameters**2).sum())
        return value, x.T @ slope + 2 * penalty * parameters

    free, positive = (None, None), (0, None)
    bounds = [free, *[positive] * networks, *[free] * single.shape[1], *[positive] * len(kinds)]
    solved = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    found = [round(float(value), 4) for value in solved]
    behind = 1 + networks + single.shape[1]
    return {
        "intercept": found[0],
        "network": found[1 : 1 + networks],
        "logits": np.reshape(found[1 + networks : behind], (networks, -1)).tolist(),
        "differences": {kind: -value for kind, value in zip(kinds, found[behind:], strict=True) if value},
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
    names = [name for name in (*FIRST, *SECOND) if (target / name).exists()]
    provenance["sha256"] = {name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in names}
    (target / "provenance.json").write_text(json.dumps(provenance) + "\n")


def refit(target: Path) -> str:
    """Fit ensemble and null distribution, write them, and return a summary."""
    provenance = json.loads((target / "provenance.json").read_text("utf-8"))
    provenance.pop("second", None)
    second = {"second": NEUTRAL_SECOND} if all((target / name).exists() for name in SECOND) else {}
    written(target, {**provenance, **NEUTRAL, **second})
    labelled = list(held_out())
    windows, partners = scored(labelled, "window", target), scored(labelled, "partner", target)
    fitted = fit([pair for pair in windows if pair.is_read])
    met = [
        (owner, len(step.golden.split()), joint(partner.log_odds(fitted), pair.log_odds(fitted)))
        for (owner, step), pair, partner in zip(labelled, windows, partners, strict=True)
        if pair.met and partner.is_read
    ]
    nulls = {
        "short": null([(golden, score) for golden, words, score in met if words <= SHORT]),
        "long": null([(golden, score) for golden, words, score in met if words >= LONG]),
    }
    written(target, {**provenance, **fitted, "null": nulls})
    return f"{len(windows):,} windows of {len({pair.golden for pair in windows})} goldens; {fitted}"


def scored(found: Sequence[tuple[str, Pair]], side: str, target: Path) -> list[Scored]:
    """Return the pairs with the logits of their windows, or of their partners; `target` has the network."""
    texts = [differing_sentences(pair.golden, getattr(pair, side)) for _, pair in found]
    return [
        Scored(golden, pair.kind, logits, differences(*text))
        for (golden, pair), text, logits in zip(found, texts, StepModel(target).logits(texts), strict=True)
    ]


if __name__ == "__main__":
    print(refit(Path(sys.argv[1])))
