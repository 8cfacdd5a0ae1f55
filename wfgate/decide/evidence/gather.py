"""The evidence of a comparison: numbers that are 0 for equal workflows and grow with the damage, never undefined.

Only `short-names` describes the golden: it says with which goldens a pair is compared.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from wfgate.compare import DOUBTED, Comparison, MetricScore, aligned_orders, as_rows, order_changes
from wfgate.decide.evidence.demands import Demands
from wfgate.model import Workflow

REWORDED = 0.75
"""Typical similarity of a step to its rewording (the median of the recorded ones is 0.77)."""
HARDLY = 0.25
"""Similarity below which two texts are unlike: 1 in 250 recorded rewordings, about half of the replaced steps."""
SHORT_NAMES = (6, 4)
"""Median number of words from which step names are sentences, and up to which they are short."""
EVIDENCE_VERSION = 8
"""Increases whenever any number below can change."""


@dataclass(frozen=True)
class Evidence:
    """One kind of evidence.

    Attributes:
        id: Kebab-case name.
        says: Description for reports.
        count: Whether the value counts steps or pairs. Otherwise it is a share or distance in [0, 1], or the -log10 of
            a p-value.
        absolute: Whether it decides *whether* there is a regression. Most shares only measure *how severe* it is,
            because one missing step is a regression in a workflow of any size. The share of unmatched steps decides,
            too: harmless rewriting merges some steps of a large workflow, but never half of them.
    """

    id: str
    says: str
    count: bool = False
    absolute: bool = True


EVIDENCE: tuple[Evidence, ...] = (
    Evidence("missing-steps", "golden steps without any similar candidate step", count=True),
    Evidence("added-steps", "candidate steps that no golden step is similar to", count=True),
    Evidence("flipped-orders", "pairs of golden steps in the opposite order", count=True),
    Evidence("lost-orders", "direct links of the golden without an order in the candidate", count=True),
    Evidence("gained-orders", "pairs of golden steps without an order that the candidate orders", count=True),
    Evidence("unmatched-steps", "golden steps without a candidate step of their own", count=True),
    Evidence("extra-steps", "candidate steps without a golden step of their own", count=True),
    Evidence("order-changes", "pairs of matched steps that are ordered differently", count=True),
    Evidence("link-changes", "direct links between matched steps that were added or removed", count=True),
    Evidence("unmatched-share", "share of golden steps without a candidate step of their own"),
    Evidence("missing-share", "share of the golden's steps without any similar candidate step", absolute=False),
    Evidence("added-share", "share of the candidate's steps that were added", absolute=False),
    Evidence("moved-share", "share of golden steps that are ordered differently", absolute=False),
    Evidence("unlike-share", f"share of golden steps with a text similarity below {HARDLY}", absolute=False),
    Evidence("weakest-match", "1 - smallest similarity of a golden step to its most similar candidate step"),
    Evidence(
        "weakest-gap", f"mean of that similarity (capped at {REWORDED}) over the other golden steps minus the smallest"
    ),
    Evidence("missing-doubt", "largest -log10 of the p-value of a golden step that has no candidate step of its own"),
    Evidence("added-doubt", "largest -log10 of the p-value of a candidate step that has no golden step of its own"),
    Evidence(
        "meaning-doubt",
        "-log10 of the smallest p-value of another changed step, Bonferroni-adjusted for the number of undoubted ones",
    ),
    Evidence("doubted-steps", f"golden steps with an unadjusted p-value <= {DOUBTED}", count=True),
    Evidence("doubted-share", f"share of golden steps with an unadjusted p-value <= {DOUBTED}", absolute=False),
    Evidence("lost-values", "golden steps with a number that no candidate step has", count=True),
    Evidence(
        "contradicted-steps",
        "golden steps that are contradicted explicitly, lost a part or gained an action",
        count=True,
    ),
    Evidence("chain-loss", "1 - chain F1", absolute=False),
    Evidence("graph-loss", "1 - graph F1", absolute=False),
    Evidence("order-loss", "1 - Kendall tau times coverage, halved", absolute=False),
    Evidence("gone-share", "share of golden steps that are gone", absolute=False),
    Evidence("doubtful-share", "share of golden steps that are doubtful", absolute=False),
    Evidence("altered-share", "share of other golden steps with a contradiction or a lost number", absolute=False),
    Evidence("order-share", "share of golden steps with another place in the order", absolute=False),
    Evidence("new-share", "candidate steps whose work the golden does not demand, per golden step", absolute=False),
    Evidence(
        "reworded-share", "share of undoubted golden steps with a step of their own in new words", absolute=False
    ),
    Evidence("short-names", "1 for a golden with step names of a few words, 0 for one with sentences", absolute=False),
    Evidence("affected-share", "share of golden steps that are affected, as a count", absolute=False),
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
    fates, additions, contract = comparison.fates, comparison.additions, comparison.contract
    n, m = len(fates), len(additions)
    order, demands = comparison.derived(order_changes), Demands.of(comparison)
    absent, added = sum(fate.is_absent for fate in fates), sum(step.is_added for step in additions)
    unmatched = sum(fate.lacks_own_step for fate in fates)
    by_id = {score.metric: score.value for score in scores}

    def loss(metric: str, scale: float = 1.0) -> float:
        value = by_id.get(metric)
        return 1.0 if value is None else (1 - value) * scale

    values = {
        "missing-steps": float(absent),
        "added-steps": float(added),
        "flipped-orders": float(order.flipped),
        "lost-orders": float(order.lost),
        "gained-orders": float(order.gained),
        "unmatched-steps": float(unmatched),
        "extra-steps": float(sum(step.is_extra for step in additions)),
        "order-changes": float(np.count_nonzero(order_differences(comparison) & ~_unordered(comparison))),
        "link-changes": float(sum(not contract.leaves_link(*pair) for pair in link_differences(comparison))),
        "unmatched-share": unmatched / n if n else 0.0,
        "missing-share": absent / n if n else 0.0,
        "added-share": added / m if m else 0.0,
        "moved-share": sum(fate.is_flipped for fate in fates) / n if n else 0.0,
        **_text_evidence(comparison),
        "lost-values": float(sum(fate.has_lost_values for fate in fates)),
        "contradicted-steps": float(sum(fate.is_contradicted for fate in fates)),
        **meaning_evidence(comparison),
        "chain-loss": loss("chain-f1"),
        "graph-loss": loss("graph-f1"),
        "order-loss": loss("kendall-tau", 0.5),
        "gone-share": demands.gone / n if n else 0.0,
        "doubtful-share": demands.doubtful / n if n else 0.0,
        "altered-share": demands.altered / n if n else 0.0,
        "order-share": demands.moved / n if n else 0.0,
        "new-share": demands.added / n if n else 0.0,
        "reworded-share": _reworded_share(comparison),
        "short-names": _short_names(comparison),
        "affected-share": demands.share,
    }
    return {piece.id: values[piece.id] for piece in EVIDENCE}


def _reworded_share(comparison: Comparison) -> float:
    """Return the share of reworded steps; if no step has a candidate step of its own, that of steps in new words.

    Merged and doubted steps do not count: their words say nothing about how the others are written, and replacing more
    and more steps of an edited workflow must not make it a rewritten one. If all are doubted, all count.
    """
    own = [fate for fate in comparison.fates if not fate.lacks_sole_step]
    if own:
        counted = [fate for fate in own if not fate.is_doubted] or own
        return sum(fate.is_reworded for fate in counted) / len(counted)
    additions = comparison.additions
    return sum(step.is_in_new_words for step in additions) / len(additions) if additions else 0.0


def _short_names(comparison: Comparison) -> float:
    """Return how short the step names of the golden are: 1 for a median of at most 4 words, 0 for 6 and more."""
    longest, shortest = SHORT_NAMES
    typical = median_words(comparison.golden) if comparison.golden.tasks else longest
    return min(1.0, max(0.0, (longest - typical) / (longest - shortest)))


def median_words(workflow: Workflow) -> float:
    """Return the number of words in the median step name; 0 without steps."""
    return float(median([len(task.name.split()) for task in workflow.tasks] or [0]))


def meaning_evidence(comparison: Comparison) -> dict[str, float]:
    """Return the evidence of the meaning model; it never decreases when a logit decreases.

    The smallest p-value is adjusted for the steps among which it may be the smallest by chance: itself and the
    undoubted ones. A further doubted step is evidence itself, and must not dilute that of the others.
    """
    n = len(comparison.fates)
    demanded = [fate for fate in comparison.fates if fate.support and not fate.is_optional]
    missing = [fate.support.doubt for fate in demanded if fate.support and fate.lacks_sole_step]
    changed = [fate.support.doubt for fate in demanded if fate.support and not fate.lacks_sole_step]
    read = [fate for fate in comparison.fates if fate.support and not fate.lacks_sole_step]
    undoubted = sum(not fate.is_doubted for fate in read)
    tested = undoubted + (undoubted < len(read))
    added = [step.support.doubt for step in comparison.additions if step.support and not step.is_allowed]
    doubted = sum(fate.is_doubted for fate in demanded)
    return {
        "missing-doubt": max(missing, default=0.0),
        "added-doubt": max(added, default=0.0),
        "meaning-doubt": max(0.0, max(changed) - math.log10(tested)) if changed else 0.0,
        "doubted-steps": float(doubted),
        "doubted-share": doubted / n if n else 0.0,
    }


def order_differences(comparison: Comparison) -> NDArray[np.bool_]:
    """Return whether the order of two matched golden steps differs in any way, without steps that are left out.

    The carriers of both steps must show another order, too: a step that was merged with another one is matched with
    some step all the same, and that step may run anywhere.

    Returns:
        Shape (n_pairs, n_pairs), in the order of the matched pairs; each pair of steps once, above the diagonal.
    """
    before, after = comparison.derived(aligned_orders)
    steps = [golden for golden, _ in comparison.pairs]
    if len(steps) < 2:
        return np.zeros_like(before)
    kept = np.array([not comparison.fates[step].is_left_out for step in steps])
    differing: NDArray[np.bool_] = np.triu((before != after) | (before != after).T) & kept & kept[:, np.newaxis]
    if differing.any():
        differing &= comparison.changed_orders.any_change()[np.ix_(steps, steps)]
    return differing


def _unordered(comparison: Comparison) -> NDArray[np.bool_]:
    """Return whether the contract leaves the order of two matched golden steps free, shape (n_pairs, n_pairs)."""
    steps, n = [golden for golden, _ in comparison.pairs], comparison.golden_graph.n
    return as_rows(comparison.contract.unordered(n), n)[np.ix_(steps, steps)]


def link_differences(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the links between matched golden steps that only one workflow has.

    Unmatched steps are contracted, and steps that are left out or may run in any order.
    """
    fates, n = comparison.fates, comparison.golden_graph.n
    pairs = [(g, c) for g, c in comparison.pairs if not fates[g].is_left_out and not fates[g].task.any_order]
    golden = comparison.golden_graph.restricted({task: task for task, _ in pairs}, n)
    candidate = comparison.candidate_graph.restricted({other: task for task, other in pairs}, n)
    return sorted(golden.edges ^ candidate.edges)


def _text_evidence(comparison: Comparison) -> dict[str, float]:
    """Return how unlike the candidate the golden steps are."""
    if not (comparison.golden.tasks and comparison.candidate.tasks):
        return dict.fromkeys(("unlike-share", "weakest-match", "weakest-gap"), 1.0)
    similarity = np.array([fate.best_similarity for fate in comparison.fates if not fate.is_optional] or [1.0])
    return {
        "unlike-share": float((similarity < HARDLY).mean()),
        "weakest-match": float(1 - similarity.min()),
        "weakest-gap": _gap(similarity),
    }


def _gap(values: NDArray[np.float64]) -> float:
    """Return the mean of the other values minus the smallest one, at least 0.

    The other values are capped at `REWORDED`, so that one reworded step among unchanged steps is not an outlier.
    """
    if len(values) < 2:
        return 0.0
    worst = float(values.min())
    capped = np.minimum(values, REWORDED)
    return max(0.0, (float(capped.sum()) - min(worst, REWORDED)) / (len(values) - 1) - worst)
