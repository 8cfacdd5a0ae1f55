"""A golden and a candidate, compared: computed once per pair, shared by checks, metrics and evidence."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment.alignment import Alignment
from wfgate.alignment.changed_steps import ChangedTexts, StepMeaning, changed_texts, step_meanings
from wfgate.alignment.embedders import Embedder
from wfgate.alignment.meaning import MeaningModel
from wfgate.behaviour import Behaviour
from wfgate.conditions.space import Solver
from wfgate.model import TaskGraph, Workflow, content_key, content_order


@dataclass(frozen=True)
class Comparison:
    """A golden and a candidate, prepared: composites opened, graphs built, steps aligned.

    Attributes:
        golden: The approved workflow, composites opened in place.
        candidate: The workflow under test, composites opened in place.
        golden_graph: Task view of `golden`.
        candidate_graph: Task view of `candidate`.
        similarity: Text similarity in [0, 1], shape (n_golden, n_candidate).
        alignment: Which step is which.
        embedder: What embedded the texts.
        meaning_model: What judges whether a changed text still means the same; None where nobody asks.
        golden_file: The golden as it is written, composites closed; None where nobody kept it.
        candidate_file: The candidate as it is written, likewise.
        relations: What understands relations between the terms of conditions; None for nothing.
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
    def golden_behaviour(self) -> Behaviour:
        """When each step of the golden runs."""
        return Behaviour.of(self.golden, relations=self.relations)

    @cached_property
    def candidate_behaviour(self) -> Behaviour:
        """When each step of the candidate runs."""
        return Behaviour.of(self.candidate, relations=self.relations)

    @cached_property
    def meanings(self) -> tuple[StepMeaning, ...]:
        """What became of the meaning of each step that was changed; empty without a meaning model."""
        return () if self.meaning_model is None else step_meanings(self.changed_texts, self.meaning_model)

    @cached_property
    def changed_texts(self) -> ChangedTexts:
        """The matched steps whose words were changed, each with both texts."""
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
        """Golden position to candidate position, matched steps only."""
        return dict(self.pairs)

    @cached_property
    def golden_of(self) -> dict[int, int]:
        """Candidate position to golden position, matched steps only."""
        return {candidate: golden for golden, candidate in self.pairs}

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Golden steps that no candidate step is or covers, in topological order."""
        covered = set(self.candidate_of) | {g for merge in self.alignment.merges for g in merge.golden}
        return tuple(task for task in self.golden_order if task not in covered)

    @cached_property
    def extra(self) -> tuple[int, ...]:
        """Candidate steps that are no golden step nor part of one, in topological order."""
        covered = set(self.golden_of) | {c for split in self.alignment.splits for c in split.candidate}
        return tuple(task for task in self.candidate_order if task not in covered)

    @cached_property
    def golden_order(self) -> tuple[int, ...]:
        """The golden's steps as one topological order that depends on content, not on listing or ids."""
        return content_order(self.golden, self.golden_graph)

    @cached_property
    def candidate_order(self) -> tuple[int, ...]:
        """The candidate's topological order that follows the golden's wherever its own links allow.

        Parallel steps have no order of their own, so the candidate is never scored by the accident of its
        listing.
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
