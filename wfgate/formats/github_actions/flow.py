"""The links between jobs and between steps: needs, order, and the outcomes that an if asks for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx

from wfgate.formats.builder import MAX_LINKS
from wfgate.formats.github_actions.conditions import ALWAYS, NEVER, Condition, Value
from wfgate.model import END, START, Guard, Link, SourceSpan
from wfgate.model.workflow import Outcome


@dataclass(frozen=True)
class Place:
    """A step, as far as the flow asks.

    Attributes:
        id: Its address.
        condition: Its `if`.
        forgiven: Whether its failure counts as success.
        span: Where its `if` stands, or the step itself.
    """

    id: str
    condition: Condition
    forgiven: bool = False
    span: SourceSpan | None = None

    @property
    def indifferent(self) -> bool:
        """Whether it does not depend on whether one before failed; between steps there is no third way to end."""
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
        """Whether it asks for a failure."""
        return self.condition.failure is not False and not self.indifferent


def guard_of(value: Value) -> Guard | None:
    """Return the guard that says what is left of a condition.

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
    that the sequence stays one. Only where a later step asks for a failure, failures of single steps matter: such a
    step has a `failure` link from each step before, and steps behind wait with `join` "all" for all those before
    of which the last one does not tell whether they failed.

    Args:
        places: The steps in their order.
        most: How many links there may be; no more are made than one above it.
    """

    def __init__(self, places: Sequence[Place], most: int = MAX_LINKS) -> None:
        self.places = places
        self.failing = any(place.handles for place in places)
        self.most = most
        self.links: list[Link] = []
        self.joins: dict[int, str] = {}
        self.hopeless: list[int] = []
        self.able: list[str] = []
        self.told: list[tuple[str, Outcome]] = []
        for number in range(len(places)):
            if len(self.links) > most:
                return
            self._enter(number)
        if places:
            self.links += [Link(source=source, target=END, outcome=outcome) for source, outcome in self._after(-1)]

    def _enter(self, number: int) -> None:
        place = self.places[number]
        condition = place.condition
        if number == 0:
            if condition.success is False:
                self.hopeless.append(number)
            self._link(START, number, condition.success)
        elif place.indifferent:
            self._link(self.places[number - 1].id, number, condition.success, "always")
        elif not place.handles:
            told, simple = self._nothing_failed(number, condition.success)
            if not simple:
                self.joins[number] = " and ".join(told)
            elif len(told) > 1:
                self.joins[number] = "all"
        else:
            self._handle(number, condition)
        if not place.forgiven:
            self.able.append(place.id)
        if number and self.places[number - 1].plain:
            self.told = list(self._after(number - 1))
        elif number and not self.places[number - 1].forgiven:
            self.told += self._after(number - 1)

    def _handle(self, number: int, condition: Condition) -> None:
        """Link a step that runs if one before failed, and perhaps if none did."""
        previous = self.places[number - 1]
        if not self.able and condition.success is False:
            self.hopeless.append(number)
            self._link(previous.id, number, NEVER, "always")
            return
        told, simple = (
            self._nothing_failed(number, condition.success) if condition.success is not False else ([], True)
        )
        for source in self.able[: self.most - len(self.links) + 1]:
            self._link(source, number, condition.failure, "failure")
        failed = " or ".join(f"{source}.failure" for source in self.able)
        if told and (failed or not simple):
            passed = " and ".join(told)
            self.joins[number] = f"({passed}) or {failed}" if failed else passed
        elif len(told) > 1:
            self.joins[number] = "all"
        elif not told and previous.forgiven:
            self._link(previous.id, number, ALWAYS, "always")
            self.joins[number] = failed

    def _nothing_failed(self, number: int, asked: Value) -> tuple[list[str], bool]:
        """Link a step to those before that tell that nothing failed: the one before, and where that is not enough
        those back to the last one that ran only if nothing had failed.

        The guard stands on one link only, and never on one that holds only if the step before was skipped: what both
        ask for may contradict each other.

        Returns:
            The terms of the join, and whether "all" says the same.
        """  # noqa: D205 - one sentence, two lines
        previous = self.places[number - 1]
        ways = list(self._after(number - 1))
        told = [] if previous.plain or not self.failing else self.told
        terms = {source: f"{source}.success" for source, _ in (*ways, *told)}
        terms |= {
            source: f"({terms[source]} or {source}.skipped)" for source, way in (*ways, *told) if way == "skipped"
        }
        if len(ways) == 1:
            self._link(previous.id, number, asked)
        elif asked is not True:
            self._link(previous.id, number, asked, "always")
            if not told and not (self.failing and previous.id in self.able):
                return [f"{previous.id}.always"], True
            told = [*ways, *told]
        else:
            told = [*ways, *told]
        for source, outcome in told[: self.most - len(self.links) + 1]:
            self._link(source, number, ALWAYS, outcome)
        if len(ways) > 1 and asked is not True:
            return [f"{previous.id}.always", *terms.values()], False
        return list(terms.values()), True

    def _after(self, number: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the ways in which a step lets the next one go on."""
        place = self.places[number]
        yield place.id, "success"
        if not place.plain and not place.always_runs:
            yield place.id, "skipped"

    def _link(self, source: str, number: int, asked: Value, outcome: Outcome = "success") -> None:
        place = self.places[number]
        link = Link(source=source, target=place.id, guard=guard_of(asked), outcome=outcome, span=place.span)
        self.links.append(link)


@dataclass(frozen=True)
class Needs:
    """A job, as far as the flow asks.

    Attributes:
        id: Its address.
        needs: The addresses of the jobs that it needs, with where that is said; some may name nothing.
        condition: Its `if`.
        forgiven: Whether its failure counts as success.
        span: Where its `if` stands, or the job itself.
    """

    id: str
    needs: Mapping[str, SourceSpan | None]
    condition: Condition
    forgiven: bool = False
    span: SourceSpan | None = None


@dataclass
class JobFlow:
    """Links the jobs of one workflow.

    `success()`, said or not, asks that *every* job before succeeded, also those behind a job with `always()`: where
    the needed jobs do not tell, there are links from those before them too. `failure()` asks whether *any* job before
    failed, so there is a `failure` link from each.

    Attributes:
        jobs: The jobs in their order.
        links: The links, START and END included.
        joins: What a job waits for, where its links do not say it by themselves.
        farther: Jobs that wait for jobs before those that they need, with these.
        hopeless: Jobs that run only if a job before fails, and no job before can.
        mixed: Jobs whose condition cannot be said by outcomes.
        number: The place of each job in the bit sets of jobs.
    """

    jobs: Sequence[Needs]
    links: list[Link] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)
    farther: dict[str, list[str]] = field(default_factory=dict)
    hopeless: list[str] = field(default_factory=list)
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
        self.untold = [0] * len(self.names)
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
                        self.untold[member] |= 1 << need | self.untold[need]

    def _enter(self, job: Needs) -> None:
        condition = job.condition
        if not job.needs:
            if condition.success is False:
                self.hopeless.append(job.id)
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

    def _succeeded(self, job: Needs, asked: Value = ALWAYS) -> str:
        """Link a job to all that must have succeeded where all before have; return that as a join."""
        farther = 0
        if self.number:
            for need in job.needs:
                farther |= self.untold[self.number[need]]
        names = [name for name in self._named(farther) if name not in job.needs and name != job.id]
        if names:
            self.farther[job.id] = names
        self._from([*job.needs, *names], job, "success", asked)
        return " and ".join(f"{name}.success" for name in (*job.needs, *names))

    def _ended(self, job: Needs, able: Sequence[str], condition: Condition) -> None:
        """Link a job that runs if one of those before failed, and perhaps if all succeeded."""
        if condition.success is not False:
            self._succeeded(job, condition.success)
            self._from(able, job, "failure", condition.failure)
        elif not able:
            self.hopeless.append(job.id)
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

    def _from(self, names: Iterable[str], job: Needs, outcome: Outcome, asked: Value = ALWAYS) -> None:
        for name in names:
            if len(self.links) > MAX_LINKS:
                return
            self._link(name, job, outcome, asked)

    def _link(self, source: str, job: Needs, outcome: Outcome, asked: Value) -> None:
        span = job.needs.get(source) or job.span
        link = Link(source=source, target=job.id, guard=guard_of(asked), outcome=outcome, span=span)
        self.links.append(link)

    def _forgiven(self, name: str) -> bool:
        return name in self.by_id and self.by_id[name].forgiven

    def _named(self, bits: int) -> list[str]:
        found = []
        while bits:
            lowest = bits & -bits
            found.append(self.names[lowest.bit_length() - 1])
            bits ^= lowest
        return found


def _any_failed(names: Iterable[str]) -> str:
    return " or ".join(f"{name}.failure" for name in names)
