"""What a check is given, what it observes, and the finding that is made of it."""

import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from typing import ClassVar, Literal

from wfgate.alignment import Comparison
from wfgate.behaviour import Behaviour, DataFlow
from wfgate.behaviour.soundness import Soundness
from wfgate.checks.file import File
from wfgate.conditions.space import Solver
from wfgate.model import SourceSpan, Task, TaskGraph, Workflow, content_order
from wfgate.model.graph import task_numbers
from wfgate.model.workflow import END, START, Frozen

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""

SECTIONS = ("What it does", "Why it matters", "Golden", "Candidate", "How to fix")
"""The sections of every check's docstring, in this order. Of an absolute check, *Golden* shows a workflow that is
right and *Candidate* one that is wrong."""


class Wording(Frozen):
    """A changed step in the golden's words and in the candidate's.

    Attributes:
        golden: The golden's text in pieces, each with whether it is changed; joined, they are the text.
        candidate: The candidate's, likewise.
        p_value: How often a harmless rewording among the changed steps looks as different, in (0, 1]; None where
            nobody judged it.
    """

    golden: tuple[tuple[str, bool], ...]
    candidate: tuple[tuple[str, bool], ...]
    p_value: float | None = None


class Waived(Frozen):
    """That the team accepts a finding: why, who answers for it, and the last day on which it holds."""

    reason: str
    owner: str
    expires: date


class Finding(Frozen):
    """One defect of a workflow, or one difference between two.

    Attributes:
        id: The check that found it ("WF105").
        defect: The check's name in words-with-dashes ("unreachable-task").
        severity: How much it matters.
        message: One sentence that names the tasks.
        tasks: Names of the tasks concerned, the most important first.
        golden_steps: Ids of the golden's steps concerned.
        candidate_steps: Ids of the candidate's steps concerned (or of the only workflow's).
        golden_value: The value in the golden, where one value changed.
        candidate_value: The value in the candidate.
        location: Where it stands in the candidate (or in the only workflow).
        golden_location: Where its twin stands in the golden.
        witness: What proves it: a path, a cycle, a pair.
        fingerprint: Stable under id renames and reordering; waivers name it.
        pre_existing: Whether the golden has the same finding already.
        wording: Of a step whose meaning changed both texts, the words that differ marked.
        waived: That the team accepts it; it is reported all the same.
    """

    id: str
    defect: str
    severity: Severity
    message: str
    tasks: tuple[str, ...] = ()
    golden_steps: tuple[str, ...] = ()
    candidate_steps: tuple[str, ...] = ()
    golden_value: str | None = None
    candidate_value: str | None = None
    location: SourceSpan | None = None
    golden_location: SourceSpan | None = None
    witness: tuple[str, ...] = ()
    fingerprint: str
    pre_existing: bool = False
    wording: Wording | None = None
    waived: Waived | None = None


def fingerprint_of(*said: str) -> str:
    """Return the fingerprint of what is no finding about steps: those are made in `judge`, by what stays the same."""
    return hashlib.sha256("\0".join(said).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True)
class Observation:
    """What a check saw, in positions; `wfgate.checks.run` turns it into a finding.

    Attributes:
        message: One sentence that names the tasks.
        tasks: Positions of the tasks concerned in the workflow under test (the candidate), most important first.
        golden: Positions in the golden, likewise; relative checks only. A matched step is named here alone.
        witness: What proves it.
        key: What tells it from another observation of the same check on the same tasks. Never ids of tasks.
        severity: Where it is milder or graver than the check's own.
        location: Where in the workflow under test; the position of the first task that has one by default.
        wording: Of a step whose meaning changed both texts.
        golden_value: The value in the golden, where one value changed.
        candidate_value: The value in the candidate.
    """

    message: str
    tasks: tuple[int, ...] = ()
    golden: tuple[int, ...] = ()
    witness: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    severity: Severity | None = None
    location: SourceSpan | None = None
    wording: Wording | None = None
    golden_value: str | None = None
    candidate_value: str | None = None


@dataclass(frozen=True)
class Subject:
    """One workflow under an absolute check.

    Attributes:
        workflow: The workflow.
        graph: Its task view.
        scope: Name of the sub-workflow that this is; empty for the main workflow.
        defined: Names of all workflows of the file; empty if the file has no sub-workflows.
        known_behaviour: When each step runs, where that is worked out already.
        known_file: The file that it is from, where that is more than the workflow.
        relations: What understands relations between terms; None for nothing.
    """

    workflow: Workflow
    graph: TaskGraph
    scope: str = ""
    defined: frozenset[str] = frozenset()
    known_behaviour: Behaviour | None = None
    known_file: File | None = None
    relations: Solver | None = None

    @classmethod
    def of(
        cls,
        workflow: Workflow,
        graph: TaskGraph | None = None,
        behaviour: Behaviour | None = None,
        written: Workflow | None = None,
    ) -> "Subject":
        """Prepare a main workflow for checking; `written` is how it stands in its file, composites closed."""
        graph, file = graph or TaskGraph.of(workflow), File(written or workflow)
        relations = behaviour.space.relations if behaviour else None
        return cls(
            workflow,
            graph,
            defined=_defined(workflow),
            known_behaviour=behaviour,
            known_file=file,
            relations=relations,
        )

    def part(self, workflow: Workflow) -> "Subject":
        """Prepare one of its sub-workflows for checking."""
        scope = workflow.name or "without a name"
        return Subject(
            workflow, TaskGraph.of(workflow), scope, self.defined, known_file=self.file, relations=self.relations
        )

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, by position."""
        return self.workflow.tasks

    @cached_property
    def behaviour(self) -> Behaviour:
        """When each step runs."""
        return self.known_behaviour or Behaviour.of(self.workflow, relations=self.relations)

    @cached_property
    def soundness(self) -> Soundness:
        """Whether the workflow always completes, where tokens flow."""
        return Soundness.of(self.workflow)

    @cached_property
    def file(self) -> File:
        """The file that the workflow is from, as it is written: composites opened in `workflow` are closed there."""
        return self.known_file or File(self.workflow)

    @cached_property
    def data(self) -> DataFlow:
        """Which task writes which data, and which reads it."""
        return DataFlow.of(self.workflow, self.file.workflow.subworkflows)

    @cached_property
    def flow(self) -> TaskGraph:
        """The task view in which the returning edges of loops are edges like all others."""
        return replace(self.graph, edges=self.graph.edges | self.graph.back_edges, back_edges=frozenset())

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The tasks in a topological order that depends on content, neither on ids nor on listing."""
        return content_order(self.workflow, self.graph)

    @cached_property
    def place(self) -> tuple[int, ...]:
        """For each task its place in `order`."""
        places = [0] * self.graph.n
        for place, task in enumerate(self.order):
            places[task] = place
        return tuple(places)

    def sorted(self, tasks: Iterable[int]) -> list[int]:
        """Return the tasks in topological order."""
        return sorted(tasks, key=self.place.__getitem__)

    def named(self, tasks: Iterable[int]) -> list[str]:
        """Return the tasks' names in quotes."""
        return [quoted(self.tasks[task]) for task in tasks]

    @cached_property
    def number(self) -> dict[str, int]:
        """Position of each task by its id; of two with one id the first."""
        return task_numbers(self.workflow)

    @cached_property
    def shadowed(self) -> frozenset[int]:
        """Tasks that no link can name, because an earlier task has their id."""
        return frozenset(range(self.graph.n)) - frozenset(self.number.values())

    @cached_property
    def known(self) -> frozenset[str]:
        """Everything that a link can name."""
        return frozenset({START, END, *self.number, *(gateway.id for gateway in self.workflow.gateways)})

    @cached_property
    def dangling(self) -> tuple[frozenset[str], frozenset[str]]:
        """Ids with a link from nothing, and ids with a link to nothing: what these lack is reported already."""
        links = self.workflow.links
        return (
            frozenset(link.target for link in links if link.source not in self.known),
            frozenset(link.source for link in links if link.target not in self.known),
        )

    @cached_property
    def reachable(self) -> frozenset[int]:
        """Tasks to which a path leads from START."""
        return _reached(self.graph.starts, self.flow.successors)

    @cached_property
    def finishing(self) -> frozenset[int]:
        """Tasks from which a path leads to END."""
        return _reached(self.graph.ends, self.flow.predecessors)

    @cached_property
    def sources(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected components into which no link leads from another task."""
        return self._outermost(self.flow.predecessors)

    @cached_property
    def sinks(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected components out of which no link leads to another task."""
        return self._outermost(self.flow.successors)

    def _outermost(self, neighbours: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        loops = [part for part in self.flow.cycles if set(part).issuperset(chain(*(neighbours[t] for t in part)))]
        single = [(task,) for task in range(self.graph.n) if not neighbours[task] and task not in self.shadowed]
        return (*single, *loops)

    @cached_property
    def cyclic(self) -> frozenset[int]:
        """Tasks on a cycle that is not closed by a returning edge."""
        return frozenset(task for cycle in self.graph.cycles for task in cycle)

    @cached_property
    def unlinked(self) -> frozenset[int]:
        """Tasks that no link connects with another task, START or END."""
        linked = {task for edge in self.flow.edges if edge[0] != edge[1] for task in edge}
        return frozenset(range(self.graph.n)) - linked - set(self.graph.starts) - set(self.graph.ends)


class Check(ABC):
    """One rule. Its docstring is its documentation (`wfgate explain ID`).

    The docstring has the sections of `SECTIONS` behind its first sentence. A check is a pure function: it neither
    depends on ids of tasks or their listing order, nor says twice what another check says.

    Attributes:
        id: "WF###" about one workflow, "WR###" about two, "WP###" about a run (`wfgate.gating.RUN_CHECKS`).
        defect: What is wrong, in words-with-dashes.
        severity: Of its observations, unless they say otherwise.
        version: Rises whenever its findings on an unchanged workflow can change.
        grouped: Whether the tasks of an observation are a set that one defect covers, so that some of them alone
            are the same defect.
        waivable: Whether a waiver can accept its findings.
    """

    id: ClassVar[str]
    defect: ClassVar[str]
    severity: ClassVar[Severity]
    version: ClassVar[int] = 1
    grouped: ClassVar[bool] = False
    waivable: ClassVar[bool] = True

    @property
    def documentation(self) -> str:
        """The rule's docstring, dedented."""
        return inspect.getdoc(type(self)) or ""


class AbsoluteCheck(Check):
    """A rule about one workflow alone."""

    @abstractmethod
    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield what is wrong with this workflow."""


class RelativeCheck(Check):
    """A rule about a candidate against its golden.

    Attributes:
        proven: Whether its errors and warnings are proofs about what the candidate does, not differences that a
            harmless rewording shows as well: they need no statistics to be believed.
        changes_step: Whether its findings say that one golden step became another one.
    """

    proven: ClassVar[bool] = False
    changes_step: ClassVar[bool] = False

    @property
    def documentation(self) -> str:
        """The rule's docstring, dedented, and whether it is proven."""
        said = (
            "\n\nProven: an error of this check blocks by itself and a warning asks for review, whatever the "
            "statistics say."
        )
        return super().documentation + said * self.proven

    @abstractmethod
    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield what the candidate lost, gained or turned round."""


def quoted(task: Task, limit: int = 80) -> str:
    """Return the task's name in quotes, shortened for a sentence."""
    name = " ".join((task.name or task.description or task.id).split())
    return f"'{name if len(name) <= limit else name[: limit - 1] + '…'}'"


def shortened(text: str, limit: int = 60) -> str:
    """Return a text on one line, cut to at most `limit` characters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def listed(names: Sequence[str], limit: int = 3) -> str:
    """Return the names as part of a sentence; beyond the limit they are counted.

    Example:
        >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e"])
        ('a, b and c', 'a, b, c and 2 more')
    """
    if len(names) > limit + 1:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def regions(members: Iterable[int], graph: TaskGraph) -> list[list[int]]:
    """Return the parts of `members` that hang together by edges of `graph`, whatever their direction."""
    left = set(members)
    found: list[list[int]] = []
    for first in sorted(left):
        if first not in left:
            continue
        left.discard(first)
        region = [first]
        for task in region:
            near = left.intersection((*graph.successors[task], *graph.predecessors[task]))
            left -= near
            region += sorted(near)
        found.append(region)
    return found


def _defined(workflow: Workflow) -> frozenset[str]:
    parts = frozenset(part.name for part in workflow.subworkflows)
    return parts | {workflow.name} if parts else frozenset()


def _reached(first: Iterable[int], neighbours: Sequence[Sequence[int]]) -> frozenset[int]:
    seen = set(first)
    pending = list(seen)
    while pending:
        fresh = set(neighbours[pending.pop()]) - seen
        seen |= fresh
        pending += fresh
    return frozenset(seen)
