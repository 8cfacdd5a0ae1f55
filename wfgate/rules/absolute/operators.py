"""Check of gateways that are implied, mixed, superfluous or mislabelled."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.model import END, START, Gateway, Link, listed, reach
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject


class UnclearOperator(AbsoluteCheck):
    """A gateway is implied, mixed or superfluous.

    What it does:
        Reports a step with several outgoing links without a condition and without a gateway. Token semantics then
        takes all these links, state-machine semantics any one of them. (START is reported by WF102.) Also reports
        gateways that split and join at once, gateways declared as a split that only join, gateways declared as a join
        that only split, gateways with one incoming and one outgoing link, and conditions after an AND split (an AND
        split takes all links, whatever their conditions).

    Why it matters:
        Engines and readers may interpret such a workflow differently.

    Golden:
        ``build -> AND split``, ``AND split -> test``, ``AND split -> scan``

    Candidate:
        ``build -> test``, ``build -> scan`` with token semantics

    How to fix:
        Add a gateway with the intended operator at the split, and another gateway at the join. Remove gateways with
        one incoming and one outgoing link. Replace an AND split with conditions by an OR split.
    """

    id: ClassVar[str] = "WF107"
    defect: ClassVar[str] = "unclear-operator"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step with an implied split and per defect of a gateway."""
        after: defaultdict[str, list[Link]] = defaultdict(list)
        before: defaultdict[str, list[Link]] = defaultdict(list)
        for link in subject.workflow.links:
            if link.source in subject.known and link.target in subject.known:
                after[link.source].append(link)
                before[link.target].append(link)
        if subject.workflow.semantics != "dag":
            yield from _implied(subject, after)
        for gateway in subject.workflow.gateways:
            if gateway.id not in subject.number and not gateway.implied:
                yield from _gateway(subject, gateway, before, after)


def _implied(subject: Subject, after: dict[str, list[Link]]) -> Iterator[Observation]:
    """Yield an observation per step that splits the flow without a gateway, counted per outcome; no events."""
    meant = "all of these links are taken" if subject.workflow.semantics == "token" else "one of these links is taken"
    for task in subject.order:
        if task in subject.shadowed:
            continue
        plain: defaultdict[str, set[str]] = defaultdict(set)
        for link in after.get(subject.tasks[task].id, ()):
            if link.guard is None and not link.back and link.outcome != "event":
                plain[link.outcome].add(link.target)
        most = max(map(len, plain.values()), default=0)
        if most > 1:
            name = subject.named([task])[0]
            yield Observation(
                f"{most} links without a condition leave {name}, with no gateway between: {meant}",
                (task,),
                key=("implied",),
            )


def _gateway(
    subject: Subject, gateway: Gateway, before: dict[str, list[Link]], after: dict[str, list[Link]]
) -> Iterator[Observation]:
    incoming, outgoing = before.get(gateway.id, []), after.get(gateway.id, [])
    sources, targets = {link.source for link in incoming}, {link.target for link in outgoing}
    if not sources or not targets:
        return  # a missing link on one side is reported by the checks of the flow
    ahead, behind = _tasks(subject, before, gateway.id, into=True), _tasks(subject, after, gateway.id, into=False)
    gate = f"the {gateway.op} gateway between {_ends(subject, ahead, START)} and {_ends(subject, behind, END)}"
    tasks = tuple(dict.fromkeys((*ahead, *behind)))
    if len(sources) > 1 and len(targets) > 1:
        said = f"{gate} ends one choice and begins another: it both joins and splits"
        said = said if gateway.op == "XOR" else f"{gate} both joins and splits"
        yield Observation(said, tasks, key=("mixed", gateway.op), location=gateway.span)
    elif len(sources) == len(targets) == 1:
        if not any(link.guard or link.outcome != "success" or link.back for link in (*incoming, *outgoing)):
            message = f"{gate} has only one incoming and one outgoing link, so it neither splits nor joins"
            yield Observation(message, tasks, key=("superfluous", gateway.op), location=gateway.span)
    elif gateway.role == ("split" if len(sources) > 1 else "join"):
        does = "joins" if gateway.role == "split" else "splits"
        message = f"{gate} is declared as a {gateway.role}, but only {does}"
        yield Observation(message, tasks, key=("role", gateway.op), location=gateway.span)
    guarded = [link for link in outgoing if link.guard is not None and (link.guard.expr or link.guard.default)]
    if gateway.op == "AND" and gateway.role == "split" and guarded and len(targets) > 1:
        message = f"{gate} takes all links and ignores the guards on {len(guarded)} of them"
        yield Observation(message, tasks, key=("guarded", gateway.op), location=guarded[0].span or gateway.span)


def _tasks(subject: Subject, links: dict[str, list[Link]], gateway: str, *, into: bool) -> list[int]:
    """Return the nearest tasks before (`into`) or after a gateway, across other gateways, in topological order."""

    def near(node: str) -> list[str]:
        ends = [link.source if into else link.target for link in links.get(node, ())]
        return ends if node not in subject.number else []

    return subject.sorted(subject.number[node] for node in reach([gateway], near) if node in subject.number)


def _ends(subject: Subject, tasks: Sequence[int], otherwise: str) -> str:
    return listed(subject.named(tasks)) or otherwise
