"""The base of all checks: their input (`Subject`), their output (`Observation`), and findings (`Finding`)."""

import hashlib
import inspect
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from wfgate.compare import Comparison
from wfgate.language import READ, beginning, exchange
from wfgate.logic import Behaviour, DataFlow
from wfgate.model import (
    END,
    START,
    Frozen,
    Mention,
    Place,
    Said,
    SourceSpan,
    Task,
    TaskGraph,
    Workflow,
    content_order,
    named,
    plain,
    reach,
    rewording,
    task_numbers,
)
from wfgate.rules.file import File

if TYPE_CHECKING:
    from wfgate.logic import Soundness

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""

Weight = Literal["proof", "contradiction", "estimate", "note"]
"""How much a finding weighs: a proof blocks, a contradiction leads at least to a review, the p-value decides about an
estimate, a note is information. `wfgate.rules.weight.weigh` determines it."""

Kind = Literal[
    "step", "merge", "split", "text", "order", "link", "course", "guard", "outcome", "loop", "value", "data", "flow",
    "defect",
]  # fmt: skip
"""What a finding is about. "course" is how steps run, apart from order and links. "outcome" is what happens after a
failure. "flow" is the whole flow: such a finding is only reported if no other check explains a difference."""

NAME = READ
"""Most characters of a step's name in a message."""

SECTIONS = ("What it does", "Why it matters", "Golden", "Candidate", "How to fix")
"""The sections of every check's docstring, in this order. For an absolute check, *Golden* shows a correct workflow
and *Candidate* a defective one."""


class Wording(Frozen):
    """The golden and candidate text of a changed step, with the changes marked.

    Attributes:
        golden: The golden text as (segment, changed) pairs. The joined segments are the text.
        candidate: The candidate text, in the same form.
        p_value: Holm-adjusted p-value in (0, 1] under the null hypothesis "harmless rewording"; None without a
            calibrated meaning model.
    """

    golden: tuple[tuple[str, bool], ...]
    candidate: tuple[tuple[str, bool], ...]
    p_value: float | None = None


class Waived(Frozen):
    """A waiver of a finding.

    Attributes:
        reason: Why the finding is accepted.
        owner: Who is responsible.
        expires: The last day on which the waiver is valid.
        weight: What the finding would weigh without the waiver.
    """

    reason: str
    owner: str
    expires: date
    weight: Weight = "note"


class Claim(NamedTuple):
    """The key of a difference that a finding explains.

    Attributes:
        kind: What the difference is about.
        side: Whether the steps are those of the golden or of the candidate.
        steps: Ids of the steps.
        key: Tells differences of the same steps apart.
    """

    kind: Kind
    side: Literal["golden", "candidate"]
    steps: tuple[str, ...]
    key: str = ""


class Finding(Frozen):
    """One defect of a workflow, or one difference between two workflows.

    Attributes:
        id: Id of the check ("WF105").
        defect: Name of the check ("unreachable-step").
        about: What it is about.
        severity: "error", "warning" or "info".
        weight: How much it weighs.
        message: One sentence with the names of the tasks.
        mentions: Where the message names tasks; empty in a result that was recorded without them.
        tasks: Names of the tasks concerned, the most important first.
        golden_steps: Ids of the steps concerned, in the golden.
        candidate_steps: Ids of the steps concerned, in the candidate (or in the only workflow).
        golden_value: The value or condition in the golden, if the finding is about one that changed.
        candidate_value: The value or condition in the candidate, if the finding is about one that changed.
        values_at: Start and end of the part of the message that shows both values, in characters; None if none does.
        location: Source position in the candidate (or in the only workflow).
        golden_location: Source position of the matched step in the golden.
        witness: Evidence: a path, a cycle, a pair, a situation.
        fingerprint: Identifies the finding; it does not depend on ids or listing order. Waivers refer to the
            fingerprint.
        pre_existing: Whether the golden has the same finding.
        wording: Both texts of a step whose meaning changed, with the differing words marked.
        established: The message if the verdict is a block and the estimate is significant at its rate, with its
            mentions; None if there is one message only.
        exact: Whether two texts contradict each other explicitly (another number, name, negation).
        proven: Whether the finding proves a change of behaviour, because no harmless rewording can cause it.
        lost_critical: Whether it says that a critical step is missing.
        waived: The waiver of this finding; None without a waiver. A waived finding is still reported.
    """

    id: str
    defect: str
    about: Kind = "defect"
    severity: Severity
    weight: Weight = "note"
    message: str
    mentions: tuple[Mention, ...] = ()
    tasks: tuple[str, ...] = ()
    golden_steps: tuple[str, ...] = ()
    candidate_steps: tuple[str, ...] = ()
    golden_value: str | None = None
    candidate_value: str | None = None
    values_at: tuple[int, int] | None = None
    location: Place | SourceSpan | None = None
    golden_location: Place | SourceSpan | None = None
    witness: tuple[str, ...] = ()
    fingerprint: str
    pre_existing: bool = False
    wording: Wording | None = None
    established: Said | None = Field(default=None, exclude=True, repr=False)
    exact: bool = False
    proven: bool = False
    lost_critical: bool = False
    waived: Waived | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The differences that it explains. A value of a missing or new step claims this step."""
        side: Literal["golden", "candidate"] = "golden" if self.golden_steps else "candidate"
        steps = self.golden_steps or self.candidate_steps
        if self.about == "step" and steps:
            return tuple(Claim(self.about, side, (step,)) for step in steps)
        return (Claim(self.about, side, steps, self.fingerprint),)

    @property
    def is_open(self) -> bool:
        """Whether a reader has to look at it: it is new, and more than information."""
        return not self.pre_existing and self.severity != "info"

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: Any) -> Any:
        """Read a finding of version 0.1, which said in `consequence` that a value is that of a missing or new step."""
        if isinstance(given, dict) and "consequence" in given:
            given = dict(given)
            if given.pop("consequence"):
                given["about"] = "step"
        return given


def fingerprint_of(*parts: str) -> str:
    """Return the fingerprint of a finding without steps; `wfgate.rules.run` makes the fingerprints with steps."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True)
class Observation:
    """The result of a check, with tasks as positions; `wfgate.rules.run` converts it to a finding.

    Attributes:
        message: One sentence with the names of the tasks, marked (`wfgate.model.mentions`).
        tasks: Positions of the tasks concerned in the workflow under test (the candidate), most important first.
        golden: Positions of the tasks concerned in the golden (relative checks only). A matched step is listed only
            here.
        witness: Evidence, as in `Finding`; names may be marked.
        key: Distinguishes observations of one check on the same tasks. It is part of the fingerprint and never
            contains task ids.
        severity: Severity of this observation; None for the severity of the check.
        location: Source position in the workflow under test; None for the position of the first task that has a
            position.
        golden_location: Source position in the golden; None for the position of the first golden task.
        wording: As in `Finding`; reports say "changed meaning" of it, so other checks give the two values.
        established: As in `Finding`, the names marked.
        golden_value: As in `Finding`.
        candidate_value: As in `Finding`.
        values_at: As in `Finding`.
        about: What it is about; None for what the check is about.
        exact: As in `Finding`.
        confirmed: Whether the meaning model doubts the step that words contradict, too.
        proven: As in `Finding`; every observation of a check with `RelativeCheck.proven` is.
        free: Whether the contract leaves this difference free. The finding is information then, whatever its level.
        replaced: Whether it is about a missing step that an added one may replace.
    """

    message: str
    tasks: tuple[int, ...] = ()
    golden: tuple[int, ...] = ()
    witness: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    severity: Severity | None = None
    location: Place | SourceSpan | None = None
    golden_location: Place | SourceSpan | None = None
    wording: Wording | None = None
    established: str | None = None
    golden_value: str | None = None
    candidate_value: str | None = None
    values_at: tuple[int, int] | None = None
    about: Kind | None = None
    exact: bool = False
    confirmed: bool = False
    proven: bool = False
    free: bool = False
    replaced: bool = False


@dataclass(frozen=True)
class Subject:
    """The input of an absolute check: one workflow and its derived properties, computed on first use.

    Attributes:
        workflow: The workflow.
        graph: The task graph of the workflow.
        scope: The name of the workflow if it is a sub-workflow; empty for the main workflow.
        defined: Names of all workflows of the file; empty if the file has no sub-workflows.
        known_behaviour: The conditions under which each step runs, if already computed; otherwise None.
        known_file: All workflows of the file as written; None if the file contains only `workflow`.
    """

    workflow: Workflow
    graph: TaskGraph
    scope: str = ""
    defined: frozenset[str] = frozenset()
    known_behaviour: Behaviour | None = None
    known_file: File | None = None

    @classmethod
    def of(
        cls,
        workflow: Workflow,
        graph: TaskGraph | None = None,
        behaviour: Behaviour | None = None,
        written: Workflow | None = None,
    ) -> "Subject":
        """Return the subject of a main workflow; `written` is this workflow before its composites were expanded."""
        graph, file = graph or TaskGraph.of(workflow), File(written or workflow)
        return cls(
            workflow,
            graph,
            defined=_defined(workflow),
            known_behaviour=behaviour,
            known_file=file,
        )

    def part(self, workflow: Workflow) -> "Subject":
        """Return the subject of one of the sub-workflows."""
        scope = workflow.name or "without a name"
        return Subject(workflow, TaskGraph.of(workflow), scope, self.defined, known_file=self.file)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, by position."""
        return self.workflow.tasks

    @cached_property
    def behaviour(self) -> Behaviour:
        """The conditions under which each step runs."""
        return self.known_behaviour or Behaviour.of(self.workflow)

    @cached_property
    def soundness(self) -> "Soundness":
        """Whether the workflow is sound (token semantics)."""
        from wfgate.logic import Soundness  # noqa: PLC0415 - only needed for token semantics

        return Soundness.of(self.workflow)

    @cached_property
    def file(self) -> File:
        """All workflows of the file as written. Composites are expanded in `workflow`, but not in the file."""
        return self.known_file or File(self.workflow)

    @cached_property
    def data(self) -> DataFlow:
        """The data that each task reads and writes."""
        return DataFlow.of(self.workflow, self.file.workflow.subworkflows)

    @cached_property
    def flow(self) -> TaskGraph:
        """The task graph with the back edges of loops treated as ordinary edges."""
        return replace(self.graph, edges=self.graph.edges | self.graph.back_edges, back_edges=frozenset())

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The tasks in topological order; ties are broken by content, not by id or listing order."""
        return content_order(self.workflow, self.graph)

    @cached_property
    def place(self) -> tuple[int, ...]:
        """The rank of each task in `order`."""
        places = [0] * self.graph.n
        for place, task in enumerate(self.order):
            places[task] = place
        return tuple(places)

    def label(self, task: int, side: str = "") -> str:
        """Return the text of a task without case and spacing; it differs for each two tasks of the workflow.

        If several tasks have the same text, their numbers in `order` are added. So a label does not depend on ids or
        listing order.

        Args:
            task: Position of the task.
            side: Distinguishes the numbers of this workflow from those of another one.
        """
        text, number, total = self._labels[task]
        return text if total == 1 else f"{text}\n{side}{number} of {total}"  # no such text contains a line feed

    @cached_property
    def _labels(self) -> tuple[tuple[str, int, int], ...]:
        """The text of each task, its number among the tasks with this text, and how many these are."""
        texts = [" ".join(task.text.casefold().split()) for task in self.tasks]
        total, numbers, seen = Counter(texts), [0] * len(texts), Counter[str]()
        for task in self.order:
            seen[texts[task]] += 1
            numbers[task] = seen[texts[task]]
        return tuple((text, number, total[text]) for text, number in zip(texts, numbers, strict=True))

    def sorted(self, tasks: Iterable[int]) -> list[int]:
        """Return the tasks in topological order."""
        return sorted(tasks, key=self.place.__getitem__)

    def named(self, tasks: Iterable[int]) -> list[str]:
        """Return the tasks' names in quotes, marked."""
        return [quoted(self.tasks[task]) for task in tasks]

    @cached_property
    def number(self) -> dict[str, int]:
        """Position of each task by id. If two tasks have the same id, the position of the first one."""
        return task_numbers(self.workflow)

    @cached_property
    def shadowed(self) -> frozenset[int]:
        """Tasks that no link can refer to, because an earlier task has the same id."""
        return frozenset(range(self.graph.n)) - frozenset(self.number.values())

    @cached_property
    def known(self) -> frozenset[str]:
        """All ids that a link can refer to."""
        return frozenset({START, END, *self.number, *(gateway.id for gateway in self.workflow.gateways)})

    @cached_property
    def dangling(self) -> tuple[frozenset[str], frozenset[str]]:
        """Ids with a link from an undefined id, and ids with a link to an undefined id (reported by WF003)."""
        links = self.workflow.links
        return (
            frozenset(link.target for link in links if link.source not in self.known),
            frozenset(link.source for link in links if link.target not in self.known),
        )

    @cached_property
    def reachable(self) -> frozenset[int]:
        """Tasks reachable from START."""
        return frozenset(reach(self.graph.starts, self.flow.successors.__getitem__))

    @cached_property
    def finishing(self) -> frozenset[int]:
        """Tasks from which END is reachable."""
        return frozenset(reach(self.graph.ends, self.flow.predecessors.__getitem__))

    @cached_property
    def sources(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected components without incoming links from other tasks."""
        return self._outermost(self.flow.predecessors)

    @cached_property
    def sinks(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected components without outgoing links to other tasks."""
        return self._outermost(self.flow.successors)

    def _outermost(self, neighbours: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        loops = [part for part in self.flow.cycles if set(part).issuperset(chain(*(neighbours[t] for t in part)))]
        single = [(task,) for task in range(self.graph.n) if not neighbours[task] and task not in self.shadowed]
        return (*single, *loops)

    @cached_property
    def cyclic(self) -> frozenset[int]:
        """Tasks on a cycle that is not closed by a back edge."""
        return frozenset(task for cycle in self.graph.cycles for task in cycle)

    @cached_property
    def unlinked(self) -> frozenset[int]:
        """Tasks without a link to or from another task, START or END."""
        linked = {task for edge in self.flow.edges if edge[0] != edge[1] for task in edge}
        return frozenset(range(self.graph.n)) - linked - set(self.graph.starts) - set(self.graph.ends)


class Check(ABC):
    """One rule. The docstring of a rule is its documentation (`wfgate explain ID`).

    The docstring has a first sentence and then the sections of `SECTIONS`. A check is a pure function. Its findings do
    not depend on task ids or listing order, and do not repeat the findings of another check.

    Attributes:
        id: "WF###" for one workflow, "WR###" for golden and candidate, "WP###" for a run
            (`wfgate.decide.waivers.RUN_CHECKS`).
        defect: Name of the defect, in words-with-dashes.
        severity: Default severity of its observations.
        about: What its findings are about.
        rank: Place of its findings among the reasons of a case, smaller first. Causes come before consequences: 10 to
            19 steps, 20 to 29 order and links, 30 to 39 conditions, 40 to 49 when steps run, 50 new defects, 60 to 69
            values, 70 to 79 data, 80 soundness, 90 what no other check explains. Of two findings that claim the same
            difference, only the one with the smaller rank is a reason.
        version: Increased whenever the findings on an unchanged workflow can change.
        grouped: Whether the tasks of an observation are an unordered set. Then an observation with a subset of these
            tasks is the same defect.
        waivable: Whether a waiver can accept the findings of this check.
    """

    id: ClassVar[str]
    defect: ClassVar[str]
    severity: ClassVar[Severity]
    about: ClassVar[Kind] = "defect"
    rank: ClassVar[int] = 50
    version: ClassVar[int] = 1
    grouped: ClassVar[bool] = False
    waivable: ClassVar[bool] = True

    @property
    def documentation(self) -> str:
        """The docstring of the rule, without indentation."""
        return inspect.getdoc(type(self)) or ""


class AbsoluteCheck(Check):
    """A rule about a single workflow."""

    @abstractmethod
    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield the defects of this workflow."""


class RelativeCheck(Check):
    """A rule that compares a candidate with its golden.

    Attributes:
        proven: Whether the errors and warnings of this check prove a change of behaviour. Such findings count without
            the statistical test, because a harmless rewording cannot cause them.
        changes_step: Whether the findings of this check report that a golden step became another step.
        exact_in_links: Whether its findings are certain if both files state their links.
    """

    proven: ClassVar[bool] = False
    exact_in_links: ClassVar[bool] = False
    changes_step: ClassVar[bool] = False

    @property
    def documentation(self) -> str:
        """The docstring of the rule, without indentation. A note is added if the findings of the rule are proven."""
        note = "\n\nProven: an error of this check blocks and a warning leads to a review, whatever the p-value."
        return super().documentation + note * self.proven

    @abstractmethod
    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield the differences between the candidate and its golden."""


def instead(was: str, now: str) -> str:
    """Return a value or condition in code quotes instead of another one."""
    return f"`{now}` instead of `{was}`"


def with_values(before: str, values: str, after: str = "") -> tuple[str, tuple[int, int] | None]:
    """Return a message and where it shows both values, in characters without marks; None if `values` is empty.

    Example:
        >>> with_values("'Build' has image: ", "`2` instead of `1`")
        ("'Build' has image: `2` instead of `1`", (19, 37))
    """
    start = len(plain(before))
    return before + values + after, (start, start + len(plain(values))) if values else None


def called(task: Task) -> str:
    """Return the task's name on one line; without a name its description, else its id."""
    return " ".join((task.name or task.description or task.id).split())


def quoted(task: Task, limit: int = NAME) -> str:
    """Return the task's name in quotes, marked, cut to at most `limit` characters."""
    return named(shortened(called(task), limit), called(task))


def reworded(golden: Task, candidate: Task) -> str:
    """Return a golden step's name in quotes, and the candidate's name if it differs, both marked.

    Long names that begin alike are shown where they differ.
    """
    was, now = called(golden), called(candidate)
    if was.casefold() == now.casefold():
        return quoted(golden)
    short = shortened(was, NAME), shortened(now, NAME)
    if short[0].casefold() == short[1].casefold():
        short = exchange(was, now, NAME)
    return named(short[0], was) + rewording(named(short[1], now))


def shortened(text: str, limit: int = 60) -> str:
    """Return the first words of a text on one line, with at most `limit` characters."""
    return beginning(" ".join(text.split()), limit)


def regions(members: Iterable[int], graph: TaskGraph) -> list[list[int]]:
    """Return the weakly connected components of the subgraph of `graph` with the nodes `members`."""
    members = set(members)
    done: set[int] = set()
    parts = []

    def near(task: int) -> list[int]:
        return sorted(members.intersection((*graph.successors[task], *graph.predecessors[task])))

    for first in sorted(members):
        if first not in done:
            parts.append([*reach([first], near)])
            done.update(parts[-1])
    return parts


def _defined(workflow: Workflow) -> frozenset[str]:
    parts = frozenset(part.name for part in workflow.subworkflows)
    return parts | {workflow.name} if parts else frozenset()
