"""The contract: what several approved references of a workflow agree on.

The first reference is the golden. A contract lists what the golden leaves free: by its own marks, and because another
approved reference differs there. Everything else is demanded. Contracts are combined by union; therefore a further
reference never adds a demand.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wfgate.base import READ
from wfgate.compare.similarity import text_similarity
from wfgate.compare.supports import (
    DOUBTED,
    LEAST,
    AskedTexts,
    DoneAt,
    asked_of,
    demand_scores,
    foreign_steps,
    nearest_place,
    ranks,
    vocabulary,
    wording_text,
)
from wfgate.language import (
    Contradiction,
    Embedder,
    MeaningModel,
    Quantity,
    Stated,
    contradictions,
    parsed,
    plain_words,
)
from wfgate.model import Task, Workflow

Wording = tuple[Task, ...]
"""The steps of a reference that do a golden step, in the order of the reference."""


@dataclass(frozen=True)
class Surroundings:
    """The texts of a reference that belong to no step.

    Attributes:
        name: The name of the workflow.
        description: Its description.
        text: The text around the steps of the workflow, with its marks; empty for data.
        whole: All texts of the file.
    """

    name: str
    description: str
    text: str
    whole: str


@dataclass(frozen=True)
class Contract:
    """What is free, by position of the golden step. The default leaves nothing free.

    Attributes:
        optional: Steps that may be missing.
        joined: Steps that may be missing if another step runs all of their commands (`drain && reload`).
        part_of_others: Steps that need no candidate step of their own, because other steps may do their work.
        wordings: Other wordings of a step; a candidate may meet any of them.
        any_order: Steps that may run in any order with each other step; their pairs are not in `free_orders`.
        free_orders: Pairs (lower, higher position) of steps that may run in any order.
        free_links: Pairs (lower, higher position) of steps that may be linked or not, in the order that is demanded.
        free_values: Numbers of a step, as written, of which another reference has another value. A candidate may have
            that value: the numbers are not demanded by themselves, but a third value still differs from all wordings.
        additional: Steps of references that are not in the golden; a candidate may have them.
        approved: The findings that a reference has in comparison with the golden; a candidate may have them too. By
            fingerprint: the message, or an empty text if the finding is information, or another field contains it.
        weaker: Steps of which a wording may demand less than the golden (its support is doubted). Only for reports.
        lacking: Critical steps that are lost in a reference. They stay demanded. Only for reports.
        verbatim: Steps whose other wordings count only word for word.
        surroundings: The texts around the steps of the other references; a candidate may meet any of them.
        permitted: Positions of candidate steps that own rules permit in addition to those of the references.
    """

    optional: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()
    part_of_others: frozenset[int] = frozenset()
    wordings: Mapping[int, tuple[Wording, ...]] = field(default_factory=dict)
    any_order: frozenset[int] = frozenset()
    free_orders: frozenset[tuple[int, int]] = frozenset()
    free_links: frozenset[tuple[int, int]] = frozenset()
    free_values: Mapping[int, frozenset[str]] = field(default_factory=dict)
    additional: tuple[Task, ...] = ()
    approved: Mapping[str, str] = field(default_factory=dict)
    weaker: frozenset[int] = frozenset()
    lacking: frozenset[int] = frozenset()
    verbatim: frozenset[int] = frozenset()
    surroundings: tuple[Surroundings, ...] = ()
    permitted: frozenset[int] = frozenset()

    @classmethod
    def marked(cls, golden: Workflow) -> "Contract":
        """Return what the marks of a golden (composites expanded) leave free: `optional` and `any_order`."""
        return cls(
            optional=frozenset(step for step, task in enumerate(golden.tasks) if task.optional),
            any_order=frozenset(step for step, task in enumerate(golden.tasks) if task.any_order),
        )

    def __or__(self, other: "Contract") -> "Contract":
        """Return the contract that leaves free what either of two contracts of the same golden leaves free."""
        wordings, values = dict(self.wordings), dict(self.free_values)
        for step, more in other.wordings.items():
            known = wordings.get(step, ())
            wordings[step] = (*known, *(each for each in more if each not in known))
        for step, numbers in other.free_values.items():
            values[step] = values.get(step, frozenset()) | numbers
        return Contract(
            self.optional | other.optional,
            self.joined | other.joined,
            self.part_of_others | other.part_of_others,
            wordings,
            self.any_order | other.any_order,
            self.free_orders | other.free_orders,
            self.free_links | other.free_links,
            values,
            (*self.additional, *(task for task in other.additional if task not in self.additional)),
            {**self.approved, **other.approved},
            self.weaker | other.weaker,
            self.lacking | other.lacking,
            self.verbatim | other.verbatim,
            (*self.surroundings, *(text for text in other.surroundings if text not in self.surroundings)),
            self.permitted | other.permitted,
        )

    def __sub__(self, other: "Contract") -> "Contract":
        """Return what this contract leaves free and another contract of the same golden does not."""
        wordings = {
            step: tuple(one for one in each if one not in other.wordings.get(step, ()))
            for step, each in self.wordings.items()
        }
        values = {step: each - other.free_values.get(step, frozenset()) for step, each in self.free_values.items()}
        return Contract(
            self.optional - other.optional,
            self.joined - other.joined,
            self.part_of_others - other.part_of_others,
            {step: each for step, each in wordings.items() if each},
            self.any_order - other.any_order,
            frozenset(pair for pair in self.free_orders if not other.leaves_order(*pair)),
            self.free_links - other.free_links,
            {step: each for step, each in values.items() if each},
            tuple(task for task in self.additional if task not in other.additional),
            {mark: text for mark, text in self.approved.items() if mark not in other.approved},
            self.weaker - other.weaker,
            self.lacking - other.lacking,
            self.verbatim - other.verbatim,
            tuple(text for text in self.surroundings if text not in other.surroundings),
            self.permitted - other.permitted,
        )

    def leaves_order(self, first: int, second: int) -> bool:
        """Return whether two steps may run in any order."""
        if first in self.any_order or second in self.any_order:
            return first != second
        return (min(first, second), max(first, second)) in self.free_orders

    def unordered(self, n: int) -> list[int]:
        """Return for each of n golden steps the bit set of the steps with which it may run in any order.

        Cost: O(n) bit sets and one operation per pair in `free_orders`; the pairs of `any_order` are not listed.
        """
        every, always = (1 << n) - 1, sum(1 << step for step in self.any_order)
        free = [(every if step in self.any_order else always) & ~(1 << step) for step in range(n)]
        for first, second in self.free_orders:
            free[first] |= 1 << second
            free[second] |= 1 << first
        return free

    def leaves_link(self, first: int, second: int) -> bool:
        """Return whether two steps may be linked or not."""
        return self.leaves_order(first, second) or (min(first, second), max(first, second)) in self.free_links

    def texts(self, step: int, text: str) -> tuple[str, ...]:
        """Return the text of a golden step and its other wordings."""
        return (text, *(wording_text(wording) for wording in self.wordings.get(step, ())))

    def contradictions(self, step: int, golden_text: str, candidate_text: str) -> tuple[Contradiction, ...]:
        """Return the contradictions of a golden step; none if the candidate contradicts not all of its wordings."""
        by_wording = [self.contradictions_of(step, text, candidate_text) for text in self.texts(step, golden_text)]
        return by_wording[0] if all(by_wording) else ()

    def contradictions_of(self, step: int, text: str, candidate_text: str) -> tuple[Contradiction, ...]:
        """Return the contradictions of one wording of a step, except for numbers that are free."""
        free = self.free_values.get(step, ())
        changes = contradictions(text, candidate_text)
        return tuple(one for one in changes if one.kind not in {"number", "bound"} or one.golden_words not in free)

    def loses_values(self, step: int, golden_text: str, stated: Stated) -> bool:
        """Return whether every wording of a step has a number that is neither free nor among those stated."""
        free = self.free_values.get(step, ())
        return all(
            any(one.text not in free for one in lost_values(text, stated)) for text in self.texts(step, golden_text)
        )


def lost_values(text: str, stated: Stated) -> tuple[Quantity, ...]:
    """Return the numbers of a text that are not among those stated."""
    return tuple(one for one in stated.lacks(parsed(text).quantities) if not one.weak)


def stated_values(workflow: Workflow) -> Stated:
    """Return the numbers in the texts of all steps."""
    return Stated(quantity for task in workflow.tasks for quantity in parsed(task.statement[:READ]).quantities)


@dataclass(frozen=True)
class Alternative:
    """Another wording of a golden step, compared with the candidate.

    Attributes:
        wording: The wording.
        place: Its place in the candidate.
        similarity: Similarity of its most similar candidate step, in [0, 1].
        said: Whether the candidate has steps with the same words.
    """

    wording: Wording
    place: DoneAt
    similarity: float
    said: bool

    @property
    def text(self) -> str:
        """The text of the wording, as the meaning model reads it."""
        return wording_text(self.wording)


def alternatives(
    contract: Contract,
    candidate: Workflow,
    embedder: Embedder,
    order: Sequence[int],
    taken: NDArray[np.bool_],
    candidate_of: Mapping[int, int],
) -> dict[int, tuple[Alternative, ...]]:
    """Return the other wordings of the golden steps with their places in the candidate.

    Args:
        contract: The contract.
        candidate: The candidate, composites expanded.
        embedder: Embeds the step texts.
        order: The candidate steps in an order that does not depend on the listing.
        taken: Which candidate steps are word for word a golden step; they do nothing else.
        candidate_of: The candidate step of each matched golden step; they do no unmatched step without its words.
    """
    asked = [(step, wording) for step, wordings in contract.wordings.items() for wording in wordings]
    if not asked or not candidate.tasks:
        return {}
    texts = list(dict.fromkeys(task.text for _, wording in asked for task in wording))
    number = {text: place for place, text in enumerate(texts)}
    similarity = text_similarity(texts, [task.text for task in candidate.tasks], embedder)
    rank = ranks(order)
    saying: defaultdict[str, list[int]] = defaultdict(list)
    for place, task in enumerate(candidate.tasks):
        saying[plain_words(task.statement)].append(place)
    vocabularies = [vocabulary(task.statement) for task in candidate.tasks]
    offered: defaultdict[int, list[Alternative]] = defaultdict(list)
    for step, wording in asked:
        row = similarity[[number[task.text] for task in wording]].max(axis=0)
        parts = {plain_words(task.statement) for task in wording}
        said = parts <= saying.keys()
        if step in contract.verbatim and not said:
            continue
        free = ~taken
        if step not in candidate_of:
            free = free & ~foreign_steps(wording_text(wording), vocabularies, candidate_of.values())
        free[[place for part in parts for place in saying.get(part, ())]] = True
        offered[step].append(Alternative(wording, nearest_place(row, rank, free), float(row.max()), said=said))
    return {step: tuple(each) for step, each in offered.items()}


def allowed_steps(
    contract: Contract,
    candidate: Workflow,
    steps: Sequence[int],
    embedder: Embedder,
    meaning_model: MeaningModel | None,
) -> frozenset[int]:
    """Return the candidate steps that another approved reference has in addition to the golden, too.

    A step is allowed if the additional steps of the references support it (see `supports.py`; the sides are exchanged)
    and do not contradict it.

    Args:
        contract: The contract.
        candidate: The candidate, composites expanded.
        steps: The steps to check.
        embedder: Embeds the step texts.
        meaning_model: Scores changed texts; None to go by similarity.
    """
    additional = contract.additional
    if not steps or not additional:
        return frozenset()
    known = {plain_words(task.statement) for task in additional}
    allowed = {step for step in steps if plain_words(candidate.tasks[step].statement) in known}
    others = [step for step in steps if step not in allowed]
    similarity = text_similarity(
        [candidate.tasks[step].text for step in others], [task.text for task in additional], embedder
    )
    asked: dict[int, AskedTexts] = {}
    for step, row in zip(others, similarity, strict=True):
        place = nearest_place(row, ranks(range(len(additional))), np.ones(len(additional), dtype=np.bool_))
        texts = asked_of(wording_text([candidate.tasks[step]]), place, additional)
        if row.max() >= LEAST and not contradictions(texts.window, texts.demand):
            asked[step] = texts
    if meaning_model is None:
        return frozenset(allowed | asked.keys())
    scores = demand_scores(list(asked.values()), meaning_model)
    supported = {
        step
        for (step, texts), score in zip(asked.items(), scores, strict=True)
        if meaning_model.p_value(score.logit, texts.words) > DOUBTED
    }
    return frozenset(allowed | supported)
