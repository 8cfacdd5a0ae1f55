"""What the comparison of two workflows shows, as numbers that calibration weighs.

Each piece of evidence is 0 where nothing is different and grows with the damage; none is ever undefined.
"""

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
"""Similarity of a step to its own rewording, as a rule (the median of the recorded ones is 0.77)."""
HARDLY = 0.25
"""Similarity below which two texts hardly agree: a recorded rewording in 250, about half of the replaced steps."""
DOUBTED = 0.1
"""P-value of a step from which on its meaning is in doubt."""
EVIDENCE_VERSION = 2
"""Rises whenever any number below can change."""


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence.

    Attributes:
        id: Kebab-case name.
        says: What it means, for reports.
        count: Whether it counts steps or pairs; else it is a share or a distance in [0, 1], or a surprise in orders of
            magnitude.
        absolute: Whether it weighs the same in a small and in a large workflow. Only such evidence decides *whether*
            there is a regression: a step missing from a hundred is as missing as one from five. Shares tell *how bad*
            it is.
    """

    id: str
    says: str
    count: bool = False
    absolute: bool = True


EVIDENCE: tuple[Evidence, ...] = (
    Evidence("missing-steps", "golden steps without a partner", count=True),
    Evidence("added-steps", "candidate steps without a partner that are no part of a split", count=True),
    Evidence("merged-steps", "golden steps squeezed into another step", count=True),
    Evidence("order-changes", "pairs of matched steps that are ordered differently", count=True),
    Evidence("link-changes", "direct links between matched steps that appeared or vanished", count=True),
    Evidence("missing-share", "share of the golden's steps without a partner", absolute=False),
    Evidence("added-share", "share of the candidate's steps that were added", absolute=False),
    Evidence("moved-share", "share of matched steps that are ordered differently", absolute=False),
    Evidence("unlike-share", "share of matched steps whose texts hardly agree", absolute=False),
    Evidence("weakest-match", "how unlike the two texts of the worst matched pair are"),
    Evidence("weakest-gap", "how far the worst matched pair falls behind the others"),
    Evidence("off-topic", "how unlike the worst matched pair is once what all steps share is taken out"),
    Evidence("off-topic-gap", "how far that pair falls behind the others"),
    Evidence(
        "meaning-doubt", "how surely the meaning of a step changed: -log10 of its p-value among all changed steps"
    ),
    Evidence("doubted-share", "share of matched steps whose meaning probably changed", absolute=False),
    Evidence("chain-loss", "1 - chain F1", absolute=False),
    Evidence("graph-loss", "1 - graph F1", absolute=False),
    Evidence("order-loss", "1 - Kendall tau times coverage, halved", absolute=False),
)

EVIDENCE_SIGNATURE = (
    f"{EVIDENCE_VERSION}:{hashlib.sha256(' '.join(piece.id for piece in EVIDENCE).encode()).hexdigest()[:8]}"
)
"""Version and names of the evidence: models fitted on other evidence do not fit this one."""


def gather(comparison: Comparison, scores: Sequence[MetricScore]) -> dict[str, float]:
    """Return every piece of evidence by id.

    Args:
        comparison: The aligned pair.
        scores: Metric scores of the same pair; a metric that is undefined or absent counts as fully lost.

    Returns:
        Values by evidence id, in the order of `EVIDENCE`. Cost: O(k^2) bit operations for k matched steps, and
        what the meaning_model takes for each step that was changed.
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
    """Return the evidence that the judge of meaning gives; it never falls when a logit does."""
    matched = len(comparison.pairs)
    return {
        "meaning-doubt": _meaning_doubt(comparison),
        "doubted-share": _doubted(comparison) / matched if matched else 0.0,
    }


def _meaning_doubt(comparison: Comparison) -> float:
    """Return the doubt about the worst step, less what so many changed steps show anyway (Bonferroni)."""
    doubts = [step.doubt for step in comparison.meanings]
    return max(0.0, max(doubts) - math.log10(len(doubts))) if doubts else 0.0


def _doubted(comparison: Comparison) -> int:
    """Return how many steps, each for itself, look less like a rewording than a tenth of all rewordings."""
    return sum(step.p_value <= DOUBTED for step in comparison.meanings)


def _order_changes(comparison: Comparison) -> tuple[int, int]:
    """Return how many matched pairs of steps are ordered differently, and a smallest guess of who moved."""
    if len(comparison.pairs) < 2:
        return 0, 0
    before, after = aligned_orders(comparison)
    differs = (before != after) | (before != after).T
    open_pairs = differs.sum(axis=1)
    count = int(open_pairs.sum()) // 2
    moved = 0
    while open_pairs.any():  # greedy cover: the step in most changed pairs is the one that moved
        worst = int(open_pairs.argmax())
        open_pairs -= differs[worst]
        open_pairs[worst] = 0
        differs[:, worst] = False
        moved += 1
    return count, moved


def _link_changes(comparison: Comparison) -> int:
    """Count links between matched steps on one side only, left-over steps contracted."""
    n = comparison.golden_graph.n
    golden = comparison.golden_graph.restricted({task: task for task in comparison.candidate_of}, n)
    candidate = comparison.candidate_graph.restricted(comparison.golden_of, n)
    return len(golden.edges ^ candidate.edges)


def _text_evidence(comparison: Comparison) -> dict[str, float]:
    """Return how badly the worst matched pair fits, absolutely and against the others."""
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
    """Return the steps' vectors without the workflow's mean: what tells a step from its neighbours."""
    vectors = embedder.embed([task.text for task in workflow.tasks]).astype(np.float64)
    vectors -= vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(vectors / lengths)


def _gap(values: NDArray[np.float64]) -> float:
    """Return how far the smallest value lies below the mean of the others.

    The others count at most as `REWORDED`: one step reworded among verbatim ones is no outlier.
    """
    if len(values) < 2:
        return 0.0
    worst = float(values.min())
    capped = np.minimum(values, REWORDED)
    return max(0.0, (float(capped.sum()) - min(worst, REWORDED)) / (len(values) - 1) - worst)
