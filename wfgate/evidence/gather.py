"""The evidence of a comparison: numbers that are 0 for equal workflows and grow with the damage, never undefined."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment import Comparison, Embedder
from wfgate.metrics import MetricScore
from wfgate.metrics.partial_order import aligned_orders
from wfgate.model import Workflow

REWORDED = 0.75
"""Typical similarity of a step to its rewording (the median of the recorded ones is 0.77)."""
HARDLY = 0.25
"""Similarity below which two texts are unlike: 1 in 250 recorded rewordings, about half of the replaced steps."""
DOUBTED = 0.1
"""Largest unadjusted p-value of a step whose meaning is in doubt."""
EVIDENCE_VERSION = 2
"""Increases whenever any number below can change."""


@dataclass(frozen=True)
class Evidence:
    """One kind of evidence.

    Attributes:
        id: Kebab-case name.
        says: Description for reports.
        count: Whether the value counts steps or pairs. Otherwise it is a share or distance in [0, 1], or the -log10 of
            a p-value.
        absolute: Whether the value is independent of the size of the workflow. Only absolute evidence decides
            *whether* there is a regression, because one missing step is a regression in a workflow of any size. Shares
            measure *how severe* the regression is.
    """

    id: str
    says: str
    count: bool = False
    absolute: bool = True


EVIDENCE: tuple[Evidence, ...] = (
    Evidence("missing-steps", "unmatched golden steps", count=True),
    Evidence("added-steps", "unmatched candidate steps that are not part of a split", count=True),
    Evidence("merged-steps", "golden steps merged into another step", count=True),
    Evidence("order-changes", "pairs of matched steps that are ordered differently", count=True),
    Evidence("link-changes", "direct links between matched steps that were added or removed", count=True),
    Evidence("missing-share", "share of the golden's steps that are unmatched", absolute=False),
    Evidence("added-share", "share of the candidate's steps that were added", absolute=False),
    Evidence("moved-share", "share of matched steps that are ordered differently", absolute=False),
    Evidence("unlike-share", f"share of matched steps with a text similarity below {HARDLY}", absolute=False),
    Evidence("weakest-match", "1 - smallest text similarity of a matched pair"),
    Evidence(
        "weakest-gap", f"mean text similarity (capped at {REWORDED}) of the other matched pairs minus the smallest one"
    ),
    Evidence("off-topic", "1 - smallest similarity of a matched pair after subtracting the workflow's mean vector"),
    Evidence(
        "off-topic-gap",
        f"mean of that similarity (capped at {REWORDED}) over the other matched pairs minus the smallest one",
    ),
    Evidence(
        "meaning-doubt", "-log10 of the smallest p-value of a changed step, Bonferroni-adjusted for their number"
    ),
    Evidence("doubted-share", f"share of matched steps with an unadjusted p-value <= {DOUBTED}", absolute=False),
    Evidence("chain-loss", "1 - chain F1", absolute=False),
    Evidence("graph-loss", "1 - graph F1", absolute=False),
    Evidence("order-loss", "1 - Kendall tau times coverage, halved", absolute=False),
)

EVIDENCE_SIGNATURE = (
    f"{EVIDENCE_VERSION}:{hashlib.sha256(' '.join(piece.id for piece in EVIDENCE).encode()).hexdigest()[:8]}"
)
"""Version and ids of the evidence; a model fitted on other evidence must not be used with it."""


def gather(comparison: Comparison, scores: Sequence[MetricScore]) -> dict[str, float]:
    """Return the value of every kind of evidence, by id.

    Args:
        comparison: The aligned pair.
        scores: Metric scores of the same pair; an undefined or absent metric counts as a loss of 1.

    Returns:
        Values by evidence id, in the order of `EVIDENCE`. Cost: O(k^2) bit operations for k matched steps, and one
        score of the meaning model per changed step.
    """
    n, m = comparison.golden_graph.n, comparison.candidate_graph.n
    matched = len(comparison.pairs)
    order, moved = _order_changes(comparison)
    texts = _text_evidence(comparison)
    by_id = {score.metric: score.value for score in scores}

    def loss(metric: str, scale: float = 1.0) -> float:
        value = by_id.get(metric)
        return 1.0 if value is None else (1 - value) * scale

    values = {
        "missing-steps": float(n - matched),
        "added-steps": float(len(comparison.extra)),
        "merged-steps": float(sum(len(merge.golden) - 1 for merge in comparison.alignment.merges)),
        "order-changes": float(order),
        "link-changes": float(_link_changes(comparison)),
        "missing-share": (n - matched) / n if n else 0.0,
        "added-share": len(comparison.extra) / m if m else 0.0,
        "moved-share": moved / matched if matched else 0.0,
        **texts,
        **meaning_evidence(comparison),
        "chain-loss": loss("chain-f1"),
        "graph-loss": loss("graph-f1"),
        "order-loss": loss("kendall-tau", 0.5),
    }
    return {piece.id: values[piece.id] for piece in EVIDENCE}


def meaning_evidence(comparison: Comparison) -> dict[str, float]:
    """Return the evidence of the meaning model; it never decreases when a logit decreases."""
    matched = len(comparison.pairs)
    return {
        "meaning-doubt": _meaning_doubt(comparison),
        "doubted-share": _doubted(comparison) / matched if matched else 0.0,
    }


def _meaning_doubt(comparison: Comparison) -> float:
    """Return the largest doubt of a step, Bonferroni-adjusted for the number of changed steps."""
    doubts = [step.doubt for step in comparison.meanings]
    return max(0.0, max(doubts) - math.log10(len(doubts))) if doubts else 0.0


def _doubted(comparison: Comparison) -> int:
    """Return the number of steps with an unadjusted p-value of at most `DOUBTED`."""
    return sum(step.p_value <= DOUBTED for step in comparison.meanings)


def _order_changes(comparison: Comparison) -> tuple[int, int]:
    """Return two numbers: matched pairs whose order changed, and steps whose move explains them (greedy cover)."""
    if len(comparison.pairs) < 2:
        return 0, 0
    before, after = aligned_orders(comparison)
    differs = (before != after) | (before != after).T
    open_pairs = differs.sum(axis=1)
    count = int(open_pairs.sum()) // 2
    moved = 0
    while open_pairs.any():  # greedy cover: the step in most changed pairs has moved
        worst = int(open_pairs.argmax())
        open_pairs -= differs[worst]
        open_pairs[worst] = 0
        differs[:, worst] = False
        moved += 1
    return count, moved


def _link_changes(comparison: Comparison) -> int:
    """Return the number of links between matched steps that only one workflow has; unmatched steps are contracted."""
    n = comparison.golden_graph.n
    golden = comparison.golden_graph.restricted({task: task for task in comparison.candidate_of}, n)
    candidate = comparison.candidate_graph.restricted(comparison.golden_of, n)
    return len(golden.edges ^ candidate.edges)


def _text_evidence(comparison: Comparison) -> dict[str, float]:
    """Return the dissimilarity of the most dissimilar matched pair, as such and relative to the other pairs."""
    if not comparison.pairs:
        return dict.fromkeys(("unlike-share", "weakest-match", "weakest-gap", "off-topic", "off-topic-gap"), 1.0)
    golden, candidate = (np.array(side) for side in zip(*comparison.pairs, strict=True))
    similarity = comparison.similarity[golden, candidate]
    ours = _centred(comparison.embedder, comparison.golden)[golden]
    theirs = _centred(comparison.embedder, comparison.candidate)[candidate]
    centred = np.where(similarity >= 1.0, 1.0, np.clip((ours * theirs).sum(axis=1), 0, 1))
    return {
        "unlike-share": float((similarity < HARDLY).mean()),
        "weakest-match": float(1 - similarity.min()),
        "weakest-gap": _gap(similarity),
        "off-topic": float(1 - centred.min()),
        "off-topic-gap": _gap(centred),
    }


def _centred(embedder: Embedder, workflow: Workflow) -> NDArray[np.float64]:
    """Return the step vectors minus their mean, normalised: the part of a vector that distinguishes the step."""
    vectors = embedder.embed([task.text for task in workflow.tasks]).astype(np.float64)
    vectors -= vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(vectors / lengths)


def _gap(values: NDArray[np.float64]) -> float:
    """Return the mean of the other values minus the smallest one, at least 0.

    The other values are capped at `REWORDED`, so that one reworded step among unchanged steps is not an outlier.
    """
    if len(values) < 2:
        return 0.0
    worst = float(values.min())
    capped = np.minimum(values, REWORDED)
    return max(0.0, (float(capped.sum()) - min(worst, REWORDED)) / (len(values) - 1) - worst)
