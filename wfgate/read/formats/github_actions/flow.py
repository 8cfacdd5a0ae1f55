"""The links between jobs and between steps: `needs`, the order of the steps, and the outcomes in each `if`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wfgate.model import END, START, Guard, Link, Outcome, strongly_connected
from wfgate.read.formats.builder import MAX_LINKS
from wfgate.read.formats.github_actions.conditions import ALWAYS, NEVER, GithubCondition, Value
from wfgate.read.formats.github_actions.parts import GithubJob, GithubStep


def guard_of(value: Value) -> Guard | None:
    """Return the guard (the condition on a link) for a value of an `if`; None if the value is always true.

    Example:
        >>> guard_of(True), guard_of("a").expr, guard_of(False).expr
        (None, 'a', 'false')
    """
    if value is True:
        return None
    return Guard(expr="false" if value is False else value, language="github")


class StepFlow:
    """Links the steps of one job.

    A step that its own `if` may skip has two links to the next step, with the outcomes `success` and `skipped`. So the
    next step runs in both cases.

    The failures of single steps are modelled only if a later step runs after a failure. Such a step has a `failure`
    link from every earlier step. The steps after it have `join` "all": they wait for all earlier steps that may have
    failed although the last step succeeded.

    Args:
        steps: The steps in their order.
        limit: The largest number of links; at most one link more is made.
    """

    def __init__(self, steps: Sequence[GithubStep], limit: int = MAX_LINKS) -> None:
        self.steps = steps
        self.failing = any(place.condition.handles for place in steps)
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
        elif condition.regardless:
            self._link(self.steps[number - 1].id, number, condition.success, "always")
        else:
            self._depend(number, condition, self.able if condition.handles else [])
        if not place.continues:
            self.able.append(place.id)
        if number and self.steps[number - 1].condition.plain:
            self.informing = list(self._after(number - 1))
        elif number and not self.steps[number - 1].continues:
            self.informing += self._after(number - 1)

    def _depend(self, number: int, condition: GithubCondition, able: Sequence[str]) -> None:
        """Link a step that runs if no earlier step failed, or if one of the steps in `able` failed."""
        previous = self.steps[number - 1]
        if not able and condition.success is False:
            self.unreachable.append(number)
            self._link(previous.id, number, NEVER, "always")
            return
        informing, simple = (
            self._nothing_failed(number, condition.success) if condition.success is not False else ([], True)
        )
        for source in able[: self.limit - len(self.links) + 1]:
            self._link(source, number, condition.failure, "failure")
        failed = " or ".join(f"{source}.failure" for source in able)
        if informing and (failed or not simple):
            passed = " and ".join(informing)
            self.joins[number] = f"({passed}) or {failed}" if failed else passed
        elif len(informing) > 1:
            self.joins[number] = "all"
        elif not informing and previous.continues:
            self._link(previous.id, number, ALWAYS, "always")
            self.joins[number] = failed

    def _nothing_failed(self, number: int, condition: Value) -> tuple[list[str], bool]:
        """Link a step to the earlier steps that show that nothing failed.

        These are the step directly before. If this step is not enough, they are also the steps back to the last step
        that ran only if nothing had failed.

        Only one link has the guard (the condition). A link that is taken only if the step before was skipped never has
        the guard, because the guard may contradict the condition of that step.

        Returns:
            The terms of the join, and whether the join "all" is equivalent to these terms.
        """
        previous = self.steps[number - 1]
        ways = list(self._after(number - 1))
        informing = [] if previous.condition.plain or not self.failing else self.informing
        terms = {source: f"{source}.success" for source, _ in (*ways, *informing)}
        terms |= {
            source: f"({terms[source]} or {source}.skipped)" for source, way in (*ways, *informing) if way == "skipped"
        }
        ended: list[str] = []
        if len(ways) == 1:
            self._link(previous.id, number, condition)
            ways = []
        elif condition is not True:
            self._link(previous.id, number, condition, "always")
            ended = [f"{previous.id}.always"]
            if not informing and not (self.failing and previous.id in self.able):
                return ended, True
        for source, outcome in [*ways, *informing][: self.limit - len(self.links) + 1]:
            self._link(source, number, ALWAYS, outcome)
        return [*ended, *terms.values()], not ended

    def _after(self, number: int) -> Iterator[tuple[str, Outcome]]:
        """Yield the outcomes of a step after which the next step runs, as (step, outcome)."""
        place = self.steps[number]
        yield place.id, "success"
        if not place.condition.plain and not (place.condition.regardless and place.condition.success is True):
            yield place.id, "skipped"

    def _link(self, source: str, number: int, condition: Value, outcome: Outcome = "success") -> None:
        place = self.steps[number]
        link = Link(source=source, target=place.id, guard=guard_of(condition), outcome=outcome, span=place.span)
        self.links.append(link)


@dataclass
class JobFlow:
    """Links the jobs of one workflow.

    `success()`, written or implied, requires that *every* earlier job succeeded. If a needed job runs even after a
    failure (`always()`), its success does not imply this. Then there are also links from the jobs before the needed
    job. `failure()` is true if *any* earlier job failed, so there is a `failure` link from each earlier job.

    Attributes:
        jobs: The jobs in the order of the file.
        links: The links, including the links from START and to END.
        joins: The join of each job that needs an explicit join expression.
        indirect: The indirect needs that a job also waits for, by job.
        unreachable: Jobs that run only after the failure of an earlier job, although no earlier job can fail.
        mixed: Jobs with a condition that outcomes cannot express.
        number: The bit number of each job in the bit sets of jobs.
    """

    jobs: Sequence[GithubJob]
    links: list[Link] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)
    indirect: dict[str, list[str]] = field(default_factory=dict)
    unreachable: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the links, but no more than the limit."""
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
        """Find for each job all earlier jobs, and the earlier jobs that may have failed although the job ran."""
        self.names = list(dict.fromkeys([*self.by_id, *(need for job in self.jobs for need in job.needs)]))
        self.number = {name: place for place, name in enumerate(self.names)}
        forgiven = {name for name, job in self.by_id.items() if job.continues}
        self.able = sum(1 << place for place, name in enumerate(self.names) if name not in forgiven)
        needs: dict[int, dict[int, None]] = {member: {} for member in range(len(self.names))}
        for each in self.jobs:
            needs[self.number[each.id]] |= {self.number[need]: None for need in each.needs}
        links = [(member, need) for member, known in needs.items() for need in known]
        self.before = [0] * len(self.names)
        self.unknown = [0] * len(self.names)
        for part in strongly_connected(needs, links):  # those that are needed come first
            around = sum(1 << member for member in part) if len(part) > 1 else 0
            for member in part:
                for need in needs[member]:
                    around |= 1 << need | self.before[need]
            for member in part:
                self.before[member] = around
                job = self.by_id.get(self.names[member])
                if job is not None and not job.condition.strict:
                    for need in needs[member]:
                        self.unknown[member] |= 1 << need | self.unknown[need]

    def _enter(self, job: GithubJob) -> None:
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

    def _succeeded(self, job: GithubJob, condition: Value = ALWAYS) -> str:
        """Link a job to all jobs that must have succeeded before it; return these as a join expression."""
        indirect = 0
        if self.number:
            for need in job.needs:
                indirect |= self.unknown[self.number[need]]
        names = [name for name in self._named(indirect) if name not in job.needs and name != job.id]
        if names:
            self.indirect[job.id] = names
        self._from([*job.needs, *names], job, "success", condition)
        return " and ".join(f"{name}.success" for name in (*job.needs, *names))

    def _ended(self, job: GithubJob, able: Sequence[str], condition: GithubCondition) -> None:
        """Link a job that runs if one of the earlier jobs failed; it may also run if all earlier jobs succeeded."""
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

    def _mixed(self, job: GithubJob, able: Sequence[str], condition: GithubCondition) -> None:
        """Link a job that may run if an earlier job was skipped and no earlier job failed."""
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

    def _from(self, names: Iterable[str], job: GithubJob, outcome: Outcome, condition: Value = ALWAYS) -> None:
        for name in names:
            if len(self.links) > MAX_LINKS:
                return
            self._link(name, job, outcome, condition)

    def _link(self, source: str, job: GithubJob, outcome: Outcome, condition: Value) -> None:
        span = job.needs.get(source) or job.span
        link = Link(source=source, target=job.id, guard=guard_of(condition), outcome=outcome, span=span)
        self.links.append(link)

    def _named(self, bits: int) -> list[str]:
        names = []
        while bits:
            lowest = bits & -bits
            names.append(self.names[lowest.bit_length() - 1])
            bits ^= lowest
        return names


def _any_failed(names: Iterable[str]) -> str:
    return " or ".join(f"{name}.failure" for name in names)
