"""The links between jobs and between steps: needs, order, and the outcomes that an if asks for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx

from wfgate.formats.builder import MAX_LINKS
from wfgate.formats.github_actions.conditions import ALWAYS, NEVER, Condition, Value
from wfgate.model import END, START, Guard, Link, SourceSpan
from wfgate.model.workflow import Outcome


@dataclass(frozen=True)
class LinkedStep:
    """A step and its condition.

    Attributes:
        id: Its address.
        condition: Its `if`.
        continues: Whether its failure counts as success.
        span: Where its `if` stands, or the step itself.
    """

    id: str
    condition: Condition
    continues: bool = False
    span: SourceSpan | None = None

    @property
    def indifferent(self) -> bool:
        """Whether it does not depend on failures before it; a step before has no other outcome."""
        return self.condition.success == self.condition.failure

    @property
    def always_runs(self) -> bool:
        """Whether it runs whatever happens."""
        return self.indifferent and self.condition.success is True

    @property
    def plain(self) -> bool:
        """Whether it runs exactly if nothing failed before."""
        return self.condition.failure is False and self.condition.success is True

    @property
    def handles(self) -> bool:
        """Whether it runs after a failure."""
        return self.condition.failure is not False and not self.indifferent


def guard_of(value: Value) -> Guard | None:
    """Return the guard of a condition for a known outcome.

    Example:
        >>> guard_of(True), guard_of("a").expr, guard_of(False).expr
        (None, 'a', 'false')
    """
    if value is True:
        return None
    return Guard(expr="false" if value is False else value, language="github")


class StepFlow:
    """Links the steps of one job.

    A step that may be skipped by its own `if` is followed by two links to the next step, `success` and `skipped`, so
    that the sequence stays one. Failures of single steps matter only if a later step runs after a failure: such a
    step has a `failure` link from each step before, and the steps behind it wait with `join` "all" for all steps
    before whose failure the last one does not imply.

    Args:
        steps: The steps in their order.
        limit: Most links; at most one more is made.
    """

    def __init__(self, steps: Sequence[LinkedStep], limit: int = MAX_LINKS) -> None:
        self.steps = steps
        self.failing = any(place.handles for place in steps)
        self.limit = limit
        self.links: list[Link] = []
        self.joins: dict[int, str] = {}
        self.unreachable: list[int] = []
        self.able: list[str] = []
        self.informing: list[tuple[str, Outcome]] = []
        for number in range(len(steps)):
            if len(self.links) > limit:
                return
            self._enter(number)
        if steps:
            self.links += [Link(source=source, target=END, outcome=outcome) for source, outcome in self._after(-1)]

    def _enter(self, number: int) -> None:
        place = self.steps[number]
        condition = place.condition
        if number == 0:
            if condition.success is False:
                self.unreachable.append(number)
            self._link(START, number, condition.success)
        elif place.indifferent:
            self._link(self.steps[number - 1].id, number, condition.success, "always")
        elif not place.handles:
            informing, simple = self._nothing_failed(number, condition.success)
            if not simple:
                self.joins[number] = " and ".join(informing)
            elif len(informing) > 1:
                self.joins[number] = "all"
        else:
            self._handle(number, condition)
        if not place.continues:
            self.able.append(place.id)
        if number and self.steps[number - 1].plain:
            self.informing = list(self._after(number - 1))
        elif number and not self.steps[number - 1].continues:
            self.informing += self._after(number - 1)

    def _handle(self, number: int, condition: Condition) -> None:
        """Link a step that runs if one before failed, and perhaps if none did."""
        previous = self.steps[number - 1]
        if not self.able and condition.success is False:
            self.unreachable.append(number)
            self._link(previous.id, number, NEVER, "always")
            return
        informing, simple = (
            self._nothing_failed(number, condition.success) if condition.success is not False else ([], True)
        )
        for source in self.able[: self.limit - len(self.links) + 1]:
            self._link(source, number, condition.failure, "failure")
        failed = " or ".join(f"{source}.failure" for source in self.able)
        if informing and (failed or not simple):
            passed = " and ".join(informing)
            self.joins[number] = f"({passed}) or {failed}" if failed else passed
        elif len(informing) > 1:
            self.joins[number] = "all"
        elif not informing and previous.continues:
            self._link(previous.id, number, ALWAYS, "always")
            self.joins[number] = failed

    def _nothing_failed(self, number: int, condition: Value) -> tuple[list[str], bool]:
        """Link a step to those before that tell that nothing failed: the one before, and where that is not enough
        those back to the last one that ran only if nothing had failed.

        The guard stands on one link only, and never on one that holds only if the step before was skipped: what both
        ask for may contradict each other.

        Returns:
            The terms of the join, and whether "all" says the same.
        """  # noqa: D205 - one sentence, two lines
        previous = self.steps[number - 1]
        ways = list(self._after(number - 1))
        informing = [] if previous.plain or not self.failing else self.informing
        terms = {source: f"{source}.success" for source, _ in (*ways, *informing)}
        terms |= {
            source: f"({terms[source]} or {source}.skipped)" for source, way in (*ways, *informing) if way == "skipped"
        }
        if len(ways) == 1:
            self._link(previous.id, number, condition)
        elif condition is not True:
            self._link(previous.id, number, condition, "always")
            if not informing and not (self.failing and previous.id in self.able):
                return [f"{previous.id}.always"], True
            informing = [*ways, *informing]
        else:
            informing = [*ways, *informing]
        for source, outcome in informing[: self.limit - len(self.links) + 1]:
            self._link(source, number, ALWAYS, outcome)
        if len(ways) > 1 and condition is not True:
            return [f"{previous.id}.always", *terms.values()], False
        return list(terms.values()), True

    def _after(self, number: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the ways in which a step lets the next one go on."""
        place = self.steps[number]
        yield place.id, "success"
        if not place.plain and not place.always_runs:
            yield place.id, "skipped"

    def _link(self, source: str, number: int, condition: Value, outcome: Outcome = "success") -> None:
        place = self.steps[number]
        link = Link(source=source, target=place.id, guard=guard_of(condition), outcome=outcome, span=place.span)
        self.links.append(link)


@dataclass(frozen=True)
class Needs:
    """A job, its condition and its needs.

    Attributes:
        id: Its address.
        needs: The addresses of the jobs that it needs, with the position of each; some may not exist.
        condition: Its `if`.
        continues: Whether its failure counts as success.
        span: Where its `if` stands, or the job itself.
    """

    id: str
    needs: Mapping[str, SourceSpan | None]
    condition: Condition
    continues: bool = False
    span: SourceSpan | None = None


@dataclass
class JobFlow:
    """Links the jobs of one workflow.

    `success()`, written or implied, requires that *every* job before succeeded, also those before a job with
    `always()`: where the needed jobs do not imply it, there are links from those before them too. `failure()` holds if
    *any* job before failed, so there is a `failure` link from each.

    Attributes:
        jobs: The jobs in their order.
        links: The links, START and END included.
        joins: What a job waits for, where its links do not say it by themselves.
        indirect: Jobs that also wait for indirect needs, with these.
        unreachable: Jobs that run only if a job before fails, and no job before can.
        mixed: Jobs whose condition outcomes cannot express.
        number: The place of each job in the bit sets of jobs.
    """

    jobs: Sequence[Needs]
    links: list[Link] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)
    indirect: dict[str, list[str]] = field(default_factory=dict)
    unreachable: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the links; no more than are read."""
        self.by_id = {job.id: job for job in self.jobs}
        if not all(job.condition.strict for job in self.jobs):
            self._order()
        for job in self.jobs:
            if len(self.links) > MAX_LINKS:
                return
            self._enter(job)
        needed = {need for job in self.jobs for need in job.needs}
        self.links += [Link(source=job.id, target=END) for job in self.jobs if job.id not in needed]

    def _order(self) -> None:
        """Find for each job all jobs before it, and those of them that may not have succeeded though it ran."""
        self.names = list(dict.fromkeys([*self.by_id, *(need for job in self.jobs for need in job.needs)]))
        self.number = {name: place for place, name in enumerate(self.names)}
        self.able = sum(1 << place for place, name in enumerate(self.names) if not self._forgiven(name))
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(len(self.names)))
        graph.add_edges_from((self.number[job.id], self.number[need]) for job in self.jobs for need in job.needs)
        self.before = [0] * len(self.names)
        self.unknown = [0] * len(self.names)
        for part in nx.strongly_connected_components(graph):  # those that are needed come first
            around = sum(1 << member for member in part) if len(part) > 1 else 0
            for member in part:
                for need in graph.successors(member):
                    around |= 1 << need | self.before[need]
            for member in part:
                self.before[member] = around
                job = self.by_id.get(self.names[member])
                if job is not None and not job.condition.strict:
                    for need in graph.successors(member):
                        self.unknown[member] |= 1 << need | self.unknown[need]

    def _enter(self, job: Needs) -> None:
        condition = job.condition
        if not job.needs:
            if condition.success is False:
                self.unreachable.append(job.id)
            self._link(START, job, "success", condition.success)
        elif condition.indifferent:
            self._from(job.needs, job, "always", condition.success)
        elif condition.strict:
            self._succeeded(job, condition.success)
        else:
            able = [name for name in self._named(self.before[self.number[job.id]] & self.able) if name != job.id]
            if condition.neither is False:
                self._ended(job, able, condition)
            else:
                self._mixed(job, able, condition)

    def _succeeded(self, job: Needs, condition: Value = ALWAYS) -> str:
        """Link a job to all that must have succeeded where all before have; return that as a join."""
        indirect = 0
        if self.number:
            for need in job.needs:
                indirect |= self.unknown[self.number[need]]
        names = [name for name in self._named(indirect) if name not in job.needs and name != job.id]
        if names:
            self.indirect[job.id] = names
        self._from([*job.needs, *names], job, "success", condition)
        return " and ".join(f"{name}.success" for name in (*job.needs, *names))

    def _ended(self, job: Needs, able: Sequence[str], condition: Condition) -> None:
        """Link a job that runs if one of those before failed, and perhaps if all succeeded."""
        if condition.success is not False:
            self._succeeded(job, condition.success)
            self._from(able, job, "failure", condition.failure)
        elif not able:
            self.unreachable.append(job.id)
            self._from(job.needs, job, "always", NEVER)
        else:
            self._from(able, job, "failure", condition.failure)
            others = [need for need in job.needs if need not in able]
            if others:
                self._from(others, job, "always")
                self.joins[job.id] = _any_failed(able)

    def _mixed(self, job: Needs, able: Sequence[str], condition: Condition) -> None:
        """Link a job that may run though a job before was skipped and none failed."""
        no_failure = condition.failure is False and condition.success == condition.neither  # !failure()
        no_success = condition.success is False and condition.failure == condition.neither  # !success()
        if condition.negates and not no_failure and not no_success:
            self.mixed.append(job.id)
            self._from(job.needs, job, "always", condition.text or ALWAYS)
            return
        self._from(job.needs, job, "always", condition.neither)
        ended = f"{next(iter(job.needs))}.always"
        if no_failure:
            self._from(able, job, "failure")
            if able:
                self.joins[job.id] = f"{ended} and not ({_any_failed(able)})"
        elif no_success:
            self._from(able, job, "failure")
            self.joins[job.id] = f"{ended} and not ({self._succeeded(job)})"
        else:  # failure() || ..., success() || ...
            ways = [f"({self._succeeded(job, condition.success)})"] if condition.success is not False else []
            if condition.failure is not False:
                self._from(able, job, "failure", condition.failure)
                ways += [_any_failed(able)] if able else []
            self.joins[job.id] = " or ".join([*ways, ended])

    def _from(self, names: Iterable[str], job: Needs, outcome: Outcome, condition: Value = ALWAYS) -> None:
        for name in names:
            if len(self.links) > MAX_LINKS:
                return
            self._link(name, job, outcome, condition)

    def _link(self, source: str, job: Needs, outcome: Outcome, condition: Value) -> None:
        span = job.needs.get(source) or job.span
        link = Link(source=source, target=job.id, guard=guard_of(condition), outcome=outcome, span=span)
        self.links.append(link)

    def _forgiven(self, name: str) -> bool:
        return name in self.by_id and self.by_id[name].continues

    def _named(self, bits: int) -> list[str]:
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self.names[lowest.bit_length() - 1])
            bits ^= lowest
        return found


def _any_failed(names: Iterable[str]) -> str:
    return " or ".join(f"{name}.failure" for name in names)
