"""The links between jobs: `needs`, and what `if` asks of the jobs before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx

from wfgate.formats.builder import MAX_LINKS
from wfgate.formats.github_actions.conditions import ALWAYS, NEVER, Condition, Value
from wfgate.formats.github_actions.step_flow import guard_of
from wfgate.model import END, START, Link, SourceSpan
from wfgate.model.workflow import Outcome


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
