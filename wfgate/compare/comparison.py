"""The comparison of a golden and a candidate, computed once per pair for checks, metrics and evidence."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.alignment import Alignment
from wfgate.compare.contract import Alternative, Contract, alternatives
from wfgate.compare.edits import Edits, edits_of, lost_prohibitions
from wfgate.compare.fate import Addition, Fate
from wfgate.compare.labels import relabelled
from wfgate.compare.orders import ChangedOrders
from wfgate.compare.supports import (
    ChangedTexts,
    DoneAt,
    Support,
    asked_of,
    changed_texts,
    foreign_steps,
    places,
    supports,
    vocabulary,
)
from wfgate.language import Embedder, MeaningModel, plain_words
from wfgate.logic import Behaviour
from wfgate.model import Task, TaskGraph, Workflow, content_key, content_order

_Derived = TypeVar("_Derived")


@dataclass(frozen=True)
class Comparison:
    """A golden and a candidate with expanded composites, task graphs and alignment. Steps are given by positions.

    Attributes:
        golden: The approved workflow, composites expanded.
        candidate: The workflow under test, composites expanded.
        golden_graph: Task graph of `golden`.
        candidate_graph: Task graph of `candidate`.
        measure: Returns the text similarity in [0, 1], shape (n_golden, n_candidate).
        alignment: The matched, merged and split steps.
        embedder: The embedder of the step texts.
        meaning_model: Scores whether changed texts still mean the same; None to skip this test.
        golden_file: The golden as written, composites not expanded; None if unknown.
        candidate_file: The candidate as written, composites not expanded; None if unknown.
        contract: What the golden and further approved references leave free.
        brief: The text from which workflows of this case are generated; only the judge reads it. Empty if unknown.
        permitted: The steps that `candidate` is compared without, because own rules permit them.
    """

    golden: Workflow
    candidate: Workflow
    golden_graph: TaskGraph
    candidate_graph: TaskGraph
    measure: Callable[[], NDArray[np.float64]]
    alignment: Alignment
    embedder: Embedder
    meaning_model: MeaningModel | None = None
    golden_file: Workflow | None = None
    candidate_file: Workflow | None = None
    contract: Contract = field(default_factory=Contract)
    brief: str = ""
    permitted: tuple[Task, ...] = ()

    @property
    def similarity(self) -> NDArray[np.float64]:
        """Text similarity in [0, 1], shape (n_golden, n_candidate); computed when it is first read."""
        return self.measure()

    @cached_property
    def files(self) -> tuple[Workflow, Workflow]:
        """Golden and candidate as written, or with expanded composites if that is not known."""
        return self.golden_file or self.golden, self.candidate_file or self.candidate

    @cached_property
    def _derived(self) -> dict[Any, Any]:
        return {}

    def derived(self, make: "Callable[[Comparison], _Derived]") -> _Derived:
        """Return what a function makes of this comparison; it is called once per comparison."""
        if make not in self._derived:
            self._derived[make] = make(self)
        made: _Derived = self._derived[make]
        return made

    @cached_property
    def golden_behaviour(self) -> Behaviour:
        """The conditions under which each step of the golden runs."""
        return Behaviour.of(self.golden)

    @cached_property
    def candidate_behaviour(self) -> Behaviour:
        """The conditions under which each step of the candidate runs."""
        return Behaviour.of(self.candidate)

    @cached_property
    def supports(self) -> tuple[Support, ...]:
        """The meaning scores and p-values of the changed steps; empty without a meaning model."""
        if self.meaning_model is None:
            return ()
        tasks = self.candidate.tasks
        others = {
            step: [asked_of(one.text, one.place, tasks) for one in each] for step, each in self.alternatives.items()
        }
        return supports(self.changed_texts, self.places, self.meaning_model, others, self.met)

    @cached_property
    def support_of(self) -> dict[int, Support]:
        """The `supports` by position of the golden step."""
        return {support.golden: support for support in self.supports}

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """What became of each golden step, by its position."""
        return tuple(Fate(self, step) for step in range(self.golden_graph.n))

    @property
    def fates_in_order(self) -> list[Fate]:
        """What became of each golden step, in topological order."""
        return [self.fates[step] for step in self.golden_order]

    @cached_property
    def additions(self) -> tuple[Addition, ...]:
        """What each candidate step is to the golden, by its position; most of them are no additions."""
        return tuple(Addition(self, step) for step in range(self.candidate_graph.n))

    @property
    def additions_in_order(self) -> list[Addition]:
        """What each candidate step is to the golden, in topological order."""
        return [self.additions[step] for step in self.candidate_order]

    @cached_property
    def places(self) -> tuple[DoneAt, ...]:
        """Where in the candidate each golden step is done, in any of its wordings."""
        rank = {task: place for place, task in enumerate(self.candidate_order)}
        every_place = list(self.golden_places)
        for step, each in self.alternatives.items():
            every = [every_place[step], *(one.place for one in each)]
            window = {task for place in every for task in place.window}
            every_place[step] = replace(
                every_place[step],
                carriers=frozenset().union(*(place.carriers for place in every)),
                window=tuple(sorted(window, key=rank.__getitem__)),
            )
        return tuple(every_place)

    @cached_property
    def golden_places(self) -> tuple[DoneAt, ...]:
        """Where in the candidate each golden step is done, in the words of the golden."""
        partners, tasks = self.golden_of.keys(), self.golden.tasks
        unmatched = (step for step in range(len(tasks)) if step not in self.candidate_of)
        words = [vocabulary(task.statement) for task in self.candidate.tasks]
        foreign = {step: foreign_steps(tasks[step].statement, words, partners) for step in unmatched}
        wordless = _wordless(self.candidate)
        return places(
            lambda step: self.similarity[step],
            self.alignment,
            self.candidate_order,
            self._same_words,
            wordless,
            foreign,
        )

    @cached_property
    def sources(self) -> tuple[DoneAt, ...]:
        """Where in the golden the work of each candidate step is demanded: `places` with both sides exchanged."""
        return places(
            lambda step: self.similarity[:, step],
            self.alignment.exchanged,
            self.golden_order,
            self._same_words.T,
            _wordless(self.golden),
        )

    @cached_property
    def changed_orders(self) -> ChangedOrders:
        """The pairs of golden steps whose order differs in the candidate, by where it does them."""
        return ChangedOrders.of(self.golden_graph, self.candidate_graph, self.golden_places)

    @cached_property
    def _same_words(self) -> NDArray[np.bool_]:
        number: defaultdict[str, int] = defaultdict(lambda: len(number))
        golden, candidate = (
            np.array([number[plain_words(task.statement)] for task in side.tasks], dtype=np.intp)
            for side in (self.golden, self.candidate)
        )
        same = np.asarray(np.equal.outer(golden, candidate), dtype=bool)
        for step, other in self.relabelled.items():
            same[step, other] = True
        return same

    @cached_property
    def relabelled(self) -> dict[int, int]:
        """The matched steps that differ only in a name that is a label, as candidate positions by golden positions."""
        return relabelled(self.golden, self.candidate, self.pairs, (self.files[0].format, self.files[1].format))

    @cached_property
    def verbatim(self) -> frozenset[int]:
        """The golden steps whose words one step of the candidate has, and no other step of either workflow.

        Another name that is only a label counts as the same words.
        """
        same = self._same_words
        unique = same & (same.sum(axis=0, keepdims=True) == 1) & (same.sum(axis=1, keepdims=True) == 1)
        return frozenset(golden for golden, candidate in self.pairs if unique[golden, candidate])

    @cached_property
    def in_new_words(self) -> frozenset[int]:
        """The candidate steps whose words no step of a reference has."""
        contract = self.contract
        wordings = (task for each in contract.wordings.values() for wording in each for task in wording)
        known = {plain_words(task.statement) for task in (*self.golden.tasks, *wordings, *contract.additional)}
        tasks = enumerate(self.candidate.tasks)
        same = {*self.relabelled.values()}
        return frozenset(step for step, task in tasks if step not in same and plain_words(task.statement) not in known)

    @cached_property
    def alternatives(self) -> dict[int, tuple[Alternative, ...]]:
        """The other wordings of the golden steps (of the contract), with their places in the candidate."""
        taken = np.asarray(self._same_words.any(axis=0))
        return alternatives(
            self.contract, self.candidate, self.embedder, self.candidate_order, taken, self.candidate_of
        )

    @cached_property
    def changed_texts(self) -> ChangedTexts:
        """The golden steps whose words no candidate step has, with their texts and those of their windows."""
        texts_of = changed_texts(self.golden, self.candidate, self.golden_places)
        return {step: texts for step, texts in texts_of.items() if step not in self.relabelled}

    @cached_property
    def edits(self) -> Edits:
        """The parts that changed steps lost and the actions that they gained, where all other words are kept.

        Of steps in other words, the prohibitions that they lost.
        """
        golden, candidate = self.golden.tasks, self.candidate.tasks
        kept = edits_of(
            {
                step: (golden[step].statement, candidate[other].statement)
                for step, other in self.pairs
                if step in self.changed_texts and step not in self.met
            },
            len(golden),
            {step: golden[step].statement for step in self.changed_texts},
            [candidate[step].statement for step in self.in_new_words],
            self.contract,
        )
        carried = {
            step: (golden[step].statement, [candidate[part].statement for part in self.places[step].parts])
            for step in self.changed_texts
            if step not in self.met and step not in kept
        }
        around = self.files[1].marked or self.files[1].description
        texts = [*(task.statement for task in candidate), around]
        return kept | lost_prohibitions(carried, texts, self.contract)

    @cached_property
    def met(self) -> frozenset[int]:
        """The changed golden steps that the candidate has in the words of another reference."""
        said = {step for step, each in self.alternatives.items() if any(one.said for one in each)}
        return frozenset(said.intersection(self.changed_texts))

    @cached_property
    def best_similarity(self) -> NDArray[np.float64]:
        """The similarity of each golden step, in any of its wordings, to its most similar candidate step."""
        equal = {match.golden for match in self.alignment.matches if match.similarity == 1}
        n = self.golden_graph.n
        best = np.ones(n) if len(equal) == n else self.similarity.max(axis=1)
        for step, each in self.alternatives.items():
            best[step] = max(best[step], *(one.similarity for one in each))
        best[list(self.relabelled)] = 1.0
        return np.asarray(best, dtype=np.float64)

    @cached_property
    def added_texts(self) -> ChangedTexts:
        """The surplus candidate steps with their texts and those of their windows in the golden, by position."""
        texts = changed_texts(self.candidate, self.golden, self.sources)
        surplus = (step.position for step in self.additions_in_order if step.is_surplus)
        return {step: texts[step] for step in surplus if step in texts and self.sources[step].carriers}

    @cached_property
    def added_supports(self) -> tuple[Support, ...]:
        """The scores of the surplus steps: does the golden demand what they do? Supports with both sides exchanged."""
        return () if self.meaning_model is None else supports(self.added_texts, self.sources, self.meaning_model)

    @cached_property
    def added_support_of(self) -> dict[int, Support]:
        """The `added_supports` by position of the candidate step."""
        return {support.golden: support for support in self.added_supports}

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The matched (golden, candidate) positions, in the golden's topological order."""
        place = {task: rank for rank, task in enumerate(self.golden_order)}
        matched = [(match.golden, match.candidate) for match in self.alignment.matches]
        return tuple(sorted(matched, key=lambda pair: place[pair[0]]))

    @cached_property
    def candidate_of(self) -> dict[int, int]:
        """The candidate position of each matched golden position."""
        return dict(self.pairs)

    @cached_property
    def golden_of(self) -> dict[int, int]:
        """The golden position of each matched candidate position."""
        return {candidate: golden for golden, candidate in self.pairs}

    @cached_property
    def golden_order(self) -> tuple[int, ...]:
        """The golden's steps in topological order; ties are broken by content, not by listing or id."""
        return content_order(self.golden, self.golden_graph)

    @cached_property
    def candidate_order(self) -> tuple[int, ...]:
        """The candidate's steps in topological order, following the golden's order where the links allow this.

        Parallel steps have no order. Therefore their listing order never affects a score.
        """
        place = {task: rank for rank, task in enumerate(self.golden_order)}
        content = content_key(self.candidate, self.candidate_graph)

        def key(task: int) -> tuple[float, Any]:
            partner = self.golden_of.get(task)
            if partner is not None:
                return (float(place[partner]), content(task))
            before = [place[self.golden_of[p]] for p in self.candidate_graph.predecessors[task] if p in self.golden_of]
            return (max(before, default=-1) + 0.5, content(task))

        return tuple(self.candidate_graph.topological_order(key))


def _wordless(workflow: Workflow) -> NDArray[np.bool_]:
    return np.array([not plain_words(task.statement) for task in workflow.tasks], dtype=bool)
