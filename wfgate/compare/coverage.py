"""Detection of merges and splits: one step covers several steps of the other workflow."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.supports import vocabulary
from wfgate.language import Embedder
from wfgate.model import TaskGraph

Group = tuple[int, ...]
Kind = Literal["merge", "split"]

LEAST_GAIN: dict[Kind, float] = {"merge": 0.12, "split": 1.3}
"""Smallest gain for which an unmatched step counts as a part of its neighbour's partner.

Fitted on the recorded variants: 2 % of truly added steps pass as part of a split, and 69 % of real split parts
(operations regenerations) are recognised. The threshold for merges is lower because a missed merge is reported as a
missing step.
"""
CONTAINMENT_WEIGHT: dict[Kind, float] = {"merge": 0.0, "split": 1.5}
"""Weight of the share of the unmatched step's tokens that occur in the covering step."""

ROUNDS = 8
"""Rounds in which merges and splits grow by one step each; the largest has nine steps."""
NEAREST_OWNERS = 8
"""Number of neighbours' partners tried per unmatched step, most similar first; few steps have more."""


class Coverage:
    """Finds unmatched steps that a step of the other workflow covers.

    Let x be an unmatched step and z a matched step that is adjacent or parallel to x; let y be the partner of z. The
    gain of x is the fit of x and z together to y, minus the fit of z alone to y. The fit is the cosine of the texts
    plus the share of y's tokens that the group covers (greedy token cosine, as in BERTScore's recall). For splits the
    share of x's tokens found in y is added, because the parts of a split repeat words of the whole. For merges, y must
    have a word of x: y does z already, and without a word of x it does not do x, too.
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
        """Return each covering step of the other workflow, with all the steps of this workflow that it covers.

        Args:
            left: The unmatched steps of this workflow.
            partner: The partner of each matched step of this workflow whose words changed. A step whose words did not
                change cannot cover other steps.
            graph: The task graph of this workflow.
            texts: The texts of this workflow and of the other workflow.
            similarity: Text similarity, shape (steps of this workflow, steps of the other workflow).
            kind: Merge or split; selects threshold and weight.
        """
        own = {owner: (step,) for step, owner in partner.items()}
        groups: dict[int, Group] = {}
        left = sorted(left)
        words = [[vocabulary(text) for text in side] for side in texts] if left and kind == "merge" else []
        known: dict[tuple[int, int, Group], float] = {}
        near = _neighbours(graph) if left else []
        owner_of = dict(partner)
        for _ in range(ROUNDS):  # each round assigns at least one step or ends; a merge of three takes two rounds
            options = [
                (step, owner, groups.get(owner, own[owner]))
                for step in left
                for owner in _nearest(_owners(owner_of, near[step]), similarity[step])
                if not words or not words[0][step].isdisjoint(words[1][owner])
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
                    owner_of[step] = owner
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


def _neighbours(graph: TaskGraph) -> list[tuple[Collection[int], ...]]:
    """Return the predecessors and the successors of each step, and the steps that are parallel to it.

    Parallel steps have the same predecessors and successors; if they have none, they are starts.
    """
    around = list(zip(graph.predecessors, graph.successors, strict=True))
    starts = frozenset(graph.starts)
    parallel: defaultdict[tuple[Collection[int], ...], list[int]] = defaultdict(list)
    for step, links in enumerate(around):
        if any(links) or step in starts:
            parallel[links].append(step)
    return [(*links, parallel[links]) for links in around]


def _owners(owner_of: Mapping[int, int], near: Iterable[Iterable[int]]) -> set[int]:
    return {owner_of[step] for steps in near for step in steps if step in owner_of}


def _nearest(owners: Collection[int], similarity: NDArray[np.float64]) -> list[int]:
    """Return the `NEAREST_OWNERS` owners most similar to the step, ascending."""
    return sorted(sorted(owners, key=lambda owner: (-similarity[owner], owner))[:NEAREST_OWNERS])


def _joined(texts: Sequence[str], steps: Iterable[int]) -> str:
    return ". ".join(texts[step].rstrip(". ") for step in steps)


def _covered(tokens: np.ndarray, by: Sequence[np.ndarray]) -> float:
    """Return the mean over tokens of the best cosine with a token in `by`, in [0, 1]; 0 if there are no tokens."""
    others = np.concatenate(by)
    if not len(tokens) or not len(others):
        return 0.0
    return float(np.clip((tokens @ others.T).max(axis=1), 0, 1).mean())
