"""The comparison of a golden and a candidate, computed once per pair for checks, metrics and evidence."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment.alignment import Alignment
from wfgate.alignment.changed_steps import ChangedTexts, StepMeaning, changed_texts, step_meanings
from wfgate.alignment.embedders import Embedder
from wfgate.alignment.meaning import MeaningModel
from wfgate.behaviour import Behaviour
from wfgate.conditions.space import Solver
from wfgate.model import TaskGraph, Workflow, content_key, content_order

_Derived = TypeVar("_Derived")


@dataclass(frozen=True)
class Comparison:
    """A golden and a candidate with expanded composites, task graphs and alignment. Steps are given by positions.

    Attributes:
        golden: The approved workflow, composites expanded.
        candidate: The workflow under test, composites expanded.
        golden_graph: Task graph of `golden`.
        candidate_graph: Task graph of `candidate`.
        similarity: Text similarity in [0, 1], shape (n_golden, n_candidate).
        alignment: The matched, merged and split steps.
        embedder: The embedder of the step texts.
        meaning_model: Scores whether changed texts still mean the same; None to skip this test.
        golden_file: The golden as written, composites not expanded; None if unknown.
        candidate_file: The candidate as written, composites not expanded; None if unknown.
        relations: Solver for relations between terms of conditions; None for no solver.
    """

    golden: Workflow
    candidate: Workflow
    golden_graph: TaskGraph
    candidate_graph: TaskGraph
    similarity: NDArray[np.float64]
    alignment: Alignment
    embedder: Embedder
    meaning_model: MeaningModel | None = None
    golden_file: Workflow | None = None
    candidate_file: Workflow | None = None
    relations: Solver | None = None

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
        found: _Derived = self._derived[make]
        return found

    @cached_property
    def golden_behaviour(self) -> Behaviour:
        """The conditions under which each step of the golden runs."""
        return Behaviour.of(self.golden, relations=self.relations)

    @cached_property
    def candidate_behaviour(self) -> Behaviour:
        """The conditions under which each step of the candidate runs."""
        return Behaviour.of(self.candidate, relations=self.relations)

    @cached_property
    def meanings(self) -> tuple[StepMeaning, ...]:
        """The meaning scores and p-values of the changed steps; empty without a meaning model."""
        return () if self.meaning_model is None else step_meanings(self.changed_texts, self.meaning_model)

    @cached_property
    def changed_texts(self) -> ChangedTexts:
        """The matched steps whose words differ, with both texts."""
        orders = self.golden_order, self.candidate_order
        return changed_texts(self.golden, self.candidate, self.alignment, orders)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The matched (golden, candidate) positions, in the golden's topological order."""
        place = {task: rank for rank, task in enumerate(self.golden_order)}
        found = [(match.golden, match.candidate) for match in self.alignment.matches]
        return tuple(sorted(found, key=lambda pair: place[pair[0]]))

    @cached_property
    def candidate_of(self) -> dict[int, int]:
        """The candidate position of each matched golden position."""
        return dict(self.pairs)

    @cached_property
    def golden_of(self) -> dict[int, int]:
        """The golden position of each matched candidate position."""
        return {candidate: golden for golden, candidate in self.pairs}

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Golden steps that are neither matched nor merged, in topological order."""
        covered = set(self.candidate_of) | {g for merge in self.alignment.merges for g in merge.golden}
        return tuple(task for task in self.golden_order if task not in covered)

    @cached_property
    def extra(self) -> tuple[int, ...]:
        """Candidate steps that are neither matched nor part of a split, in topological order."""
        covered = set(self.golden_of) | {c for split in self.alignment.splits for c in split.candidate}
        return tuple(task for task in self.candidate_order if task not in covered)

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
