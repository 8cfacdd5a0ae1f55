"""The links between jobs: the order of the stages, and `needs`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wfgate.model import END, START, Gateway, Link, Names, Operator, Outcome, SourceSpan
from wfgate.read.formats.gitlab_ci.conditions import After, Value, any_of, guard_of

MAX_DIRECT = 100
"""Most links between two groups of jobs without a gateway between them."""


@dataclass(frozen=True)
class Before:
    """A node that a job waits for.

    Attributes:
        source: Id of the node.
        optional: Whether the job also runs if the node was skipped.
    """

    source: str
    optional: bool = False


@dataclass(frozen=True)
class Placed:
    """A job as the links see it.

    Attributes:
        id: Id of the job in the workflow.
        stage: Number of the stage.
        needs: The jobs in `needs`; None if the job waits for all earlier stages.
        ways: The condition for each outcome of earlier jobs after which the job can run.
        forgiven: Whether its failure is allowed and counts as success.
        span: Position of the job.
    """

    id: str
    stage: int
    needs: tuple[Before, ...] | None
    ways: Mapping[After, Value]
    forgiven: bool = False
    span: SourceSpan | None = None

    @property
    def certain(self) -> bool:
        """Whether the job runs in every pipeline in which no earlier job fails."""
        return self.ways.get("success") is True or self.ways.get("always") is True


@dataclass
class StageFlow:
    """Links the jobs of a pipeline.

    A job without `needs` waits for all jobs of the earlier stages. Links to jobs whose own condition holds in every
    case are enough: the links of these jobs say the rest. A job that may be skipped has two links, with the outcomes
    `success` and `skipped`. If many jobs wait for the same many jobs, a gateway stands between them, so that the
    number of links stays linear.

    Attributes:
        jobs: The jobs in the order of the file.
        names: The ids in use.
        links: The links, including those from START and to END.
        gateways: The gateways between stages.
        joins: Ids of the jobs with the join "all".
        unreachable: Ids of jobs that never run.
        made: Ids of the gateways.
    """

    jobs: Sequence[Placed]
    names: Names
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    joins: set[str] = field(default_factory=set)
    unreachable: list[str] = field(default_factory=list)
    made: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Make the links, stage by stage."""
        self.forgiven = {job.id for job in self.jobs if job.forgiven}
        stages: dict[int, list[Placed]] = {}
        for job in self.jobs:
            stages.setdefault(job.stage, []).append(job)
        before, failing = [Before(START)], list[str]()
        for _, members in sorted(stages.items()):
            waiting = [job for job in members if job.needs is None]
            last = any(job.ways.get("success") is True for job in waiting)
            if len(before) * len(waiting) > MAX_DIRECT or any(_mixed(job, before) for job in waiting):
                before = [Before(self._gateway(before))]
            if len(failing) * sum("failure" in job.ways for job in waiting) > MAX_DIRECT:
                failing = [self._failed(failing)]
            for job in waiting:
                self._enter(job, before, failing)
            for job in (job for job in members if job.needs is not None):
                self._enter_needs(job, job.needs or ())
            after = [Before(job.id, optional=not job.certain) for job in members]
            before = after if last else [*before, *after]
            failing += [job.id for job in members if not job.forgiven]
        self._leave()

    def _enter_needs(self, job: Placed, needs: Sequence[Before]) -> None:
        before = list(needs)
        if all(need.optional for need in before):
            before.insert(0, Before(START))
        if _mixed(job, before):
            before = [Before(self._gateway(before))]
        self._enter(job, before, [need.source for need in needs if need.source not in self.forgiven])

    def _enter(self, job: Placed, before: Sequence[Before], failing: Sequence[str]) -> None:
        """Link a job to what it waits for; without earlier jobs, nothing can have failed."""
        ways = dict(job.ways)
        failure = ways.pop("failure", None)
        if [each.source for each in before] == [START] and len(ways) > 1:
            ways = {"success": any_of(list(ways.values()))}
        for after, condition in ways.items():
            self._wait(job, before, after, condition=condition)
        if failure is not None:
            for source in failing:
                outcome: Outcome = "success" if source in self.made else "failure"
                self._link(source, job, outcome, condition=failure)
        if not ways and (failure is None or not failing):
            self.unreachable.append(job.id)
            self._wait(job, before, "success", condition=False)

    def _wait(self, job: Placed, before: Sequence[Before], after: After, *, condition: Value) -> None:
        if after == "success" and any(each.optional for each in before):
            self.joins.add(job.id)
        for each in before:
            optional = each.optional and after == "success"
            outcome: Outcome = "always" if after == "always" and each.source != START else "success"
            self._link(each.source, job, outcome, condition=True if optional else condition)
            if optional:
                self._link(each.source, job, "skipped")

    def _gateway(self, before: Sequence[Before]) -> str:
        own = self._made("earlier jobs done", "AND")
        for each in before:
            self.links.append(Link(source=each.source, target=own))
            if each.optional:
                self.links.append(Link(source=each.source, target=own, outcome="skipped"))
        return own

    def _failed(self, sources: Sequence[str]) -> str:
        own = self._made("an earlier job failed", "XOR")
        for source in sources:
            self.links.append(Link(source=source, target=own, outcome="success" if source in self.made else "failure"))
        return own

    def _made(self, name: str, op: Operator) -> str:
        own = self.names.free(name)
        self.made.add(own)
        self.gateways.append(Gateway(id=own, op=op, role="join"))
        return own

    def _link(self, source: str, job: Placed, outcome: Outcome, *, condition: Value = True) -> None:
        link = Link(source=source, target=job.id, guard=guard_of(condition), outcome=outcome, span=job.span)
        self.links.append(link)

    def _leave(self) -> None:
        """Link to END what no job follows after its success."""
        followed = {link.source for link in self.links if link.outcome in {"success", "always"}}
        nodes = [*(job.id for job in self.jobs), *(gateway.id for gateway in self.gateways)]
        self.links += [Link(source=node, target=END) for node in nodes if node not in followed]


def _mixed(job: Placed, before: Sequence[Before]) -> bool:
    """Return whether a job runs after a failure and also otherwise, and some of the jobs before may be skipped.

    No join expresses that a job waits for all of these, or for any failure.
    """
    return "failure" in job.ways and len(job.ways) > 1 and any(each.optional for each in before)
