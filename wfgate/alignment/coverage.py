"""Merges and splits: one step on one side that says what several say on the other."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment.embedders import Embedder
from wfgate.model import TaskGraph

Group = tuple[int, ...]
Kind = Literal["merge", "split"]

LEAST_GAIN: dict[Kind, float] = {"merge": 0.12, "split": 1.3}
"""Evidence from which a left-over step is called a part of its neighbour's partner.

Fitted on the recorded variants: 2 % of truly added steps pass as the part of a split and 69 % of real split parts
(operations regenerations) are recognised. A missed merge is reported as a missing step, so that bar is lower.
"""
CONTAINMENT_WEIGHT: dict[Kind, float] = {"merge": 0.0, "split": 1.5}
"""How much it counts that the left-over step's own words occur in the step it is part of."""

ROUNDS = 8
"""Rounds of growing merges and splits by one step each: none gets longer than nine steps."""
NEAREST_OWNERS = 8
"""Partners of neighbours that are tried for a left-over step, the most similar ones; few steps have more around."""


class Coverage:
    """Finds which left-over steps are covered by a step of the other side.

    For a left-over step x, beside or next to a step whose partner is y: how much better do x and its neighbour
    together fit y than the neighbour alone? Fit is cosine of the texts plus the share of y's tokens that the
    group covers (greedy token cosine, as in BERTScore's recall); for splits the share of x's tokens found in y
    is added, because a harmless detail repeats words of the step that it details.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def groups(
        self,
        left: Iterable[int],
        partner: dict[int, int],
        graph: TaskGraph,
        texts: tuple[Sequence[str], Sequence[str]],
        similarity: NDArray[np.float64],
        *,
        kind: Kind,
    ) -> list[tuple[int, Group]]:
        """Return each covering step of the other side with all the steps of this side that it covers.

        Args:
            left: This side's steps without a partner.
            partner: This side's matched steps whose words were changed, and their partners on the other side. What
                still says the same, word for word, took nothing over.
            graph: This side's graph.
            texts: This side's texts and the other side's.
            similarity: Text similarity, shape (this side's steps, the other side's).
            kind: Which bar applies.
        """
        own = {owner: (step,) for step, owner in partner.items()}
        groups: dict[int, Group] = {}
        left = sorted(left)
        known: dict[tuple[int, int, Group], float] = {}
        for _ in range(ROUNDS):  # each round settles at least one step or ends; a merge of three takes two rounds
            options = [
                (step, owner, groups.get(owner, own[owner]))
                for step in left
                for owner in _nearest(_owners_near(step, graph, partner, groups), similarity[step])
            ]
            for option in options:
                if option not in known:
                    step, owner, group = option
                    known[option] = self._gain(step, group, owner, *texts, kind)
            gains = [known[option] for option in options]
            settled = False
            for index in np.argsort(np.negative(gains), kind="stable"):
                step, owner, group = options[int(index)]
                if gains[int(index)] < LEAST_GAIN[kind]:
                    break
                if step in left and groups.get(owner, own[owner]) == group:
                    groups[owner] = tuple(sorted((*group, step)))
                    left.remove(step)
                    settled = True
            if not settled:
                break
        return sorted(groups.items())

    def _gain(
        self, step: int, group: Group, owner: int, texts: Sequence[str], other_texts: Sequence[str], kind: Kind
    ) -> float:
        alone = _joined(texts, group)
        together = _joined(texts, sorted((*group, step)))
        target = other_texts[owner]
        vectors = self._embedder.embed([target, alone, together])
        target_tokens, alone_tokens, step_tokens = self._embedder.embed_tokens([target, alone, texts[step]])
        gain = float(vectors[0] @ vectors[2] - vectors[0] @ vectors[1])
        gain += _covered(target_tokens, [alone_tokens, step_tokens]) - _covered(target_tokens, [alone_tokens])
        return gain + CONTAINMENT_WEIGHT[kind] * _covered(step_tokens, [target_tokens])


def _owners_near(step: int, graph: TaskGraph, partner: dict[int, int], groups: dict[int, Group]) -> list[int]:
    """Return the partners of the steps next to `step` or beside it, ascending."""
    near = {*graph.predecessors[step], *graph.successors[step]}
    beside = {other for before in graph.predecessors[step] for other in graph.successors[before]}
    beside |= {other for after in graph.successors[step] for other in graph.predecessors[after]}
    if not graph.predecessors[step]:
        beside |= {other for other in graph.starts if not graph.predecessors[other]}
    around = graph.predecessors[step], graph.successors[step]
    near |= {other for other in beside if (graph.predecessors[other], graph.successors[other]) == around}
    owners = {partner[other] for other in near if other in partner}
    return sorted(owners | {owner for owner, group in groups.items() if near & set(group)})


def _nearest(owners: list[int], similarity: NDArray[np.float64]) -> list[int]:
    """Return the owners that the step resembles most, ascending."""
    return sorted(sorted(owners, key=lambda owner: (-similarity[owner], owner))[:NEAREST_OWNERS])


def _joined(texts: Sequence[str], steps: Iterable[int]) -> str:
    return ". ".join(texts[step].rstrip(". ") for step in steps)


def _covered(tokens: np.ndarray, by: Sequence[np.ndarray]) -> float:
    """Mean over tokens of the best cosine with any token of `by`, in [0, 1]; 0 where either is empty."""
    others = np.concatenate(by)
    if not len(tokens) or not len(others):
        return 0.0
    return float(np.clip((tokens @ others.T).max(axis=1), 0, 1).mean())
