"""The evidence of a comparison: numbers that are 0 for equal workflows and grow with the damage, never undefined."""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment import Comparison
from wfgate.alignment.contract import stated_values
from wfgate.alignment.meaning import plain_words
from wfgate.alignment.supports import DOUBTED
from wfgate.checks.relative.meaning import SIGNIFICANT
from wfgate.evidence.demands import Demands, demand_shares
from wfgate.evidence.order import order_changes
from wfgate.metrics import MetricScore
from wfgate.metrics.partial_order import aligned_orders
from wfgate.texts.words import one_text

REWORDED = 0.75
"""Typical similarity of a step to its rewording (the median of the recorded ones is 0.77)."""
HARDLY = 0.25
"""Similarity below which two texts are unlike: 1 in 250 recorded rewordings, about half of the replaced steps."""
EVIDENCE_VERSION = 5
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
    Evidence("missing-steps", "golden steps without any similar candidate step", count=True),
    Evidence("added-steps", "candidate steps that no golden step is similar to", count=True),
    Evidence("flipped-orders", "pairs of golden steps in the opposite order", count=True),
    Evidence("lost-orders", "direct links of the golden without an order in the candidate", count=True),
    Evidence("gained-orders", "pairs of golden steps without an order that the candidate orders", count=True),
    Evidence("unmatched-steps", "golden steps without a candidate step of their own", count=True),
    Evidence("extra-steps", "candidate steps without a golden step of their own", count=True),
    Evidence("order-changes", "pairs of matched steps that are ordered differently", count=True),
    Evidence("link-changes", "direct links between matched steps that were added or removed", count=True),
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
        "meaning-doubt", "-log10 of the smallest p-value of another changed step, Bonferroni-adjusted for their number"
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
    Evidence("new-words-share", "share of candidate steps in words that no reference has", absolute=False),
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
    n, m = comparison.golden_graph.n, comparison.candidate_graph.n
    contract, order = comparison.contract, order_changes(comparison)
    gone, added = set(missing_steps(comparison)), _added(comparison)
    missing = len(gone)
    new = added.union(one.golden for one in comparison.additions if one.adjusted <= SIGNIFICANT) - comparison.allowed
    lost, contradicted = comparison.derived(changed_demands)
    by_id = {score.metric: score.value for score in scores}

    def loss(metric: str, scale: float = 1.0) -> float:
        value = by_id.get(metric)
        return 1.0 if value is None else (1 - value) * scale

    values = {
        "missing-steps": float(missing),
        "added-steps": float(len(added)),
        "flipped-orders": float(order.flipped),
        "lost-orders": float(order.lost),
        "gained-orders": float(order.gained),
        "unmatched-steps": float(len(unmatched_steps(comparison))),
        "extra-steps": float(len(_extra(comparison))),
        "order-changes": float(sum(not contract.leaves_order(*pair) for pair in order_differences(comparison))),
        "link-changes": float(sum(not contract.leaves_link(*pair) for pair in link_differences(comparison))),
        "missing-share": missing / n if n else 0.0,
        "added-share": len(added) / m if m else 0.0,
        "moved-share": order.moved / n if n else 0.0,
        **_text_evidence(comparison),
        "lost-values": float(len(lost)),
        "contradicted-steps": float(len(contradicted)),
        **meaning_evidence(comparison),
        "chain-loss": loss("chain-f1"),
        "graph-loss": loss("graph-f1"),
        "order-loss": loss("kendall-tau", 0.5),
        **demand_shares(comparison, gone, lost | contradicted),
        "order-share": order.replaced / n if n else 0.0,
        "new-share": len(new) / n if n else 0.0,
    }
    values["new-words-share"] = len(comparison.in_new_words) / m if m else 0.0
    values["affected-share"] = Demands.of(values, n).share
    return {piece.id: values[piece.id] for piece in EVIDENCE}


def meaning_evidence(comparison: Comparison) -> dict[str, float]:
    """Return the evidence of the meaning model; it never decreases when a logit decreases."""
    n = comparison.golden_graph.n
    optional = comparison.contract.optional
    merged = {step for merge in comparison.alignment.merges for step in merge.golden}
    unmatched = merged.union(comparison.missing)
    demanded = [support for support in comparison.supports if support.golden not in optional]
    missing = [support.doubt for support in demanded if support.golden in unmatched]
    changed = [support.doubt for support in demanded if support.golden not in unmatched]
    tested = sum(support.golden not in unmatched for support in comparison.supports)
    added = [each.doubt for each in comparison.additions if each.golden not in comparison.allowed]
    doubted = sum(support.doubted for support in demanded)
    return {
        "missing-doubt": max(missing, default=0.0),
        "added-doubt": max(added, default=0.0),
        "meaning-doubt": max(0.0, max(changed) - math.log10(tested)) if changed else 0.0,
        "doubted-steps": float(doubted),
        "doubted-share": doubted / n if n else 0.0,
    }


def order_differences(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the pairs of matched golden steps whose order differs in any way, without steps that are left out.

    The carriers of both steps must show another order, too: a step that was merged with another one is matched with
    some step all the same, and that step may run anywhere.
    """
    if len(comparison.pairs) < 2:
        return []
    before, after = aligned_orders(comparison)
    differing = np.argwhere(np.triu((before != after) | (before != after).T))
    pairs = ((comparison.pairs[first][0], comparison.pairs[second][0]) for first, second in differing)
    return [
        pair for pair in pairs if comparison.left_out.isdisjoint(pair) and comparison.changed_orders.has_any(*pair)
    ]


def link_differences(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the links between matched golden steps that only one workflow has.

    Unmatched steps are contracted, and steps that are left out or may run in any order.
    """
    n = comparison.golden_graph.n
    steps = comparison.golden.tasks
    pairs = [(g, c) for g, c in comparison.pairs if g not in comparison.left_out and not steps[g].any_order]
    golden = comparison.golden_graph.restricted({task: task for task, _ in pairs}, n)
    candidate = comparison.candidate_graph.restricted({other: task for task, other in pairs}, n)
    return sorted(golden.edges ^ candidate.edges)


def missing_steps(comparison: Comparison) -> list[int]:
    """Return the demanded golden steps without carriers, and the unmatched repetitions of a demanded golden step."""
    repeated = Counter(plain_words(task.statement) for task in comparison.golden.tasks)
    return [
        step
        for step, place in enumerate(comparison.places)
        if step not in comparison.contract.optional
        and (
            not place.carriers
            or (step in comparison.missing and repeated[plain_words(comparison.golden.tasks[step].statement)] > 1)
        )
    ]


def unmatched_steps(comparison: Comparison) -> list[int]:
    """Return the golden steps without a candidate step of their own that the contract demands."""
    free = comparison.contract.optional | comparison.contract.part_of_others
    return [step for step in range(comparison.golden_graph.n) if step not in comparison.candidate_of.keys() | free]


def _extra(comparison: Comparison) -> list[int]:
    """Return the candidate steps without a golden step of their own that the contract does not allow."""
    return [step for step in comparison.surplus if step not in comparison.allowed]


def _added(comparison: Comparison) -> set[int]:
    """Return the added steps whose work no golden step demands, and unmatched repetitions of a step."""
    repeated = Counter(plain_words(task.statement) for task in comparison.candidate.tasks)
    left_out = comparison.left_out
    return {
        step
        for step in _extra(comparison)
        if comparison.sources[step].carriers <= left_out
        or repeated[plain_words(comparison.candidate.tasks[step].statement)] > 1
    }


def _text_evidence(comparison: Comparison) -> dict[str, float]:
    """Return how unlike the candidate the golden steps are."""
    if not comparison.similarity.size:
        return dict.fromkeys(("unlike-share", "weakest-match", "weakest-gap"), 1.0)
    similarity = np.delete(comparison.best_similarity, sorted(comparison.contract.optional))
    similarity = similarity if similarity.size else np.ones(1)
    return {
        "unlike-share": float((similarity < HARDLY).mean()),
        "weakest-match": float(1 - similarity.min()),
        "weakest-gap": _gap(similarity),
    }


def changed_demands(comparison: Comparison) -> tuple[set[int], set[int]]:
    """Return the golden steps with a number that no candidate step has, and those that their carriers contradict."""
    lost, contradicted = set(), set()
    stated = stated_values(comparison.candidate)
    for step, (golden, *_) in comparison.changed_texts.items():
        if step in comparison.met or step in comparison.left_out:
            continue
        if comparison.contract.loses_values(step, golden, stated):
            lost.add(step)
        if step in comparison.edits or _is_contradicted(comparison, step, golden):
            contradicted.add(step)
    return lost, contradicted


def _is_contradicted(comparison: Comparison, step: int, golden: str) -> bool:
    """Return whether the carriers of every wording of a golden step contradict it."""
    others = [(one.text, one.place) for one in comparison.alternatives.get(step, ())]
    for text, place in ((golden, comparison.golden_places[step]), *others):
        parts = [comparison.candidate.tasks[part] for part in place.parts]
        carriers = one_text([task.statement for task in parts])
        if not carriers or not comparison.contract.contradictions_of(step, text, carriers):
            return False
    return True


def _gap(values: NDArray[np.float64]) -> float:
    """Return the mean of the other values minus the smallest one, at least 0.

    The other values are capped at `REWORDED`, so that one reworded step among unchanged steps is not an outlier.
    """
    if len(values) < 2:
        return 0.0
    worst = float(values.min())
    capped = np.minimum(values, REWORDED)
    return max(0.0, (float(capped.sum()) - min(worst, REWORDED)) / (len(values) - 1) - worst)
