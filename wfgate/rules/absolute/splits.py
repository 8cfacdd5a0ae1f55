"""Checks of splits: overlapping, shadowed, missing and unguarded branches."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import ClassVar

from wfgate.logic import Answer, Behaviour, Formula, some
from wfgate.model import SourceSpan, listed
from wfgate.rules.absolute.guards import guard_of, is_possible, link_label, link_observation, node_label
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject

MAX_BRANCHES = 60
"""Largest number of branches of a split that are compared pairwise."""


class Overlap(AbsoluteCheck):
    """Two branches of an exclusive split can be taken at once.

    What it does:
        Examines exclusive splits (XOR gateways, states) whose guards (conditions of links) have no order. Reports two
        guards that can hold at the same time, with a situation in which both hold. Single words such as "yes" and "no"
        are names of branches and exclude each other.

    Why it matters:
        The engine, or the order of the links in the file, decides which branch is taken.

    Golden:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p >= 10``

    Candidate:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p > 0``

    How to fix:
        Change the conditions so that they exclude each other, or give the conditions an order (`guard.order`).
    """

    id: ClassVar[str] = "WF304"
    defect: ClassVar[str] = "overlap"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per split."""
        for node, links in groups(subject.behaviour):
            overlapping = overlap(subject.behaviour, node, links)
            if overlapping is None:
                continue
            first, second, answer = overlapping
            ends = [node_label(subject, subject.behaviour.flow.links[link][1]) for link in (first, second)]
            message = (
                f"two branches of {node_label(subject, node)} can be taken at once when {answer.situation}: to "
                f"{ends[0]} if {guard_of(subject, first)}, and to {ends[1]} if {guard_of(subject, second)}"
            )
            yield split_observation(subject, links, message, str(answer.situation))


class Shadowed(AbsoluteCheck):
    """An earlier branch covers every case of a later one.

    What it does:
        Examines splits whose guards (conditions of links) have an order. Reports a guard that holds only if an earlier
        guard holds too.

    Why it matters:
        The later branch is never taken.

    Golden:
        first ``p < 5``, then ``p < 10``

    Candidate:
        first ``p < 10``, then ``p < 5``

    How to fix:
        Put the stricter condition first.
    """

    id: ClassVar[str] = "WF305"
    defect: ClassVar[str] = "shadowed-branch"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per branch that is never taken."""
        selections = subject.behaviour.selections
        for node, links in groups(subject.behaviour):
            if not is_ordered(subject.behaviour, links) or not selections.is_exclusive(node, links):
                continue
            for link in links:
                guard = selections.guards[link]
                if guard is None or link in selections.broken or not is_possible(subject, guard):
                    continue
                if not is_possible(subject, selections.taken[link]):
                    message = (
                        f"{link_label(subject, link)} is never taken: "
                        f"whenever its guard {guard_of(subject, link)} holds, an earlier branch is taken"
                    )
                    yield link_observation(subject, link, message, key=(guard_of(subject, link),))


class NotExhaustive(AbsoluteCheck):
    """In some situation no branch of a split is taken.

    What it does:
        Examines splits on which every link has a guard (a condition) and no link is the default. Reports a situation
        in which no guard holds. Applies to XOR and OR gateways with any semantics, and to steps with token or
        state-machine semantics. With dag semantics a skipped step is not a defect.

    Why it matters:
        The flow stops at the split, and the workflow hangs or fails.

    Golden:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p >= 10``

    Candidate:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p > 10``

    How to fix:
        Make one branch the default, or extend a condition to the reported situation.
    """

    id: ClassVar[str] = "WF306"
    defect: ClassVar[str] = "not-exhaustive"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per split."""
        for node, links in groups(subject.behaviour):
            answer = gap(subject.behaviour, node, links)
            if answer is not None:
                name = node_label(subject, node)
                message = f"no branch of {name} is taken when {answer.situation}, and there is no default branch"
                yield split_observation(subject, links, message, str(answer.situation))


class UnguardedBranch(AbsoluteCheck):
    """A split has branches with and without a condition.

    What it does:
        Reports splits on which some links have a guard (a condition) and other links have neither a guard nor the
        default mark. Applies to XOR gateways, states, and steps with token semantics. With dag semantics the links are
        independent of each other and are not checked.

    Why it matters:
        The author probably meant "otherwise". But after a step with token semantics, a link without a guard is always
        taken, also together with another branch.

    Golden:
        ``to ask`` if ``p >= 10``, ``to ship`` by default

    Candidate:
        ``to ask`` if ``p >= 10``, ``to ship``

    How to fix:
        Mark the link as the default (`guard: {default: true}`), or give the link a condition.
    """

    id: ClassVar[str] = "WF307"
    defect: ClassVar[str] = "unguarded-branch"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per split."""
        behaviour = subject.behaviour
        for node, links in groups(behaviour):
            guards = [behaviour.flow.links[link][2].guard for link in links]
            plain = [link for link, guard in zip(links, guards, strict=True) if guard is None]
            kind = behaviour.selections.kind(node)
            tokens = behaviour.flow.gateway(node) is None and subject.workflow.semantics == "token"
            if not plain or len(plain) == len(links) or not (kind == "one" or (kind == "each" and tokens)):
                continue
            ends = listed([node_label(subject, behaviour.flow.links[link][1]) for link in plain])
            verb = "has" if len(plain) == 1 else "have"
            taken = "in addition to the other branches" if kind == "each" else "as the default"
            branch = "branch" if len(plain) == 1 else "branches"
            message = (
                f"the {branch} of {node_label(subject, node)} to {ends} {verb} no condition, but other "
                f"branches have one: taken {taken}"
            )
            yield split_observation(subject, links, message)


def groups(behaviour: Behaviour) -> Iterator[tuple[int, list[int]]]:
    """Yield every split as (node, alternative links), if at least one of the links has a guard."""
    for node in sorted(behaviour.flow.guarded):
        for links in behaviour.selections.siblings(node):
            if any(behaviour.flow.links[link][2].guard for link in links):
                yield node, links


def is_ordered(behaviour: Behaviour, links: Sequence[int]) -> bool:
    """Return whether the guards of these links are evaluated in a declared order."""
    guards = [behaviour.flow.links[link][2].guard for link in links]
    return any(guard is not None and guard.order is not None for guard in guards)


def overlap(behaviour: Behaviour, node: int, links: Sequence[int]) -> tuple[int, int, Answer] | None:
    """Return two branches of an exclusive split that can be taken at once, with the situation; None for no overlap."""
    return next(overlaps(behaviour, node, links), None)


def overlaps(behaviour: Behaviour, node: int, links: Sequence[int]) -> Iterator[tuple[int, int, Answer]]:
    """Yield each two branches of an exclusive split that can be taken at once, with a situation."""
    selections = behaviour.selections
    if selections.kind(node) != "one" or is_ordered(behaviour, links) or selections.named(node, links):
        return
    guarded = _readable(behaviour, links)[:MAX_BRANCHES]
    for (first, one), (second, other) in combinations(guarded, 2):
        answer = behaviour.exclude(one, other)
        if answer.value is False:
            yield first, second, answer


def gap(behaviour: Behaviour, node: int, links: Sequence[int]) -> Answer | None:
    """Return a situation in which a split must take a branch but takes none, as an answer; None if there is none."""
    selections, flow = behaviour.selections, behaviour.flow
    gateway = flow.gateway(node)
    guards = [flow.links[link][2].guard for link in links]
    optional = gateway is None or gateway.role == "join" or selections.kind(node) == "all"
    if (optional and flow.workflow.semantics == "dag") or selections.kind(node) == "all":
        return None
    if any(guard is None or guard.default for guard in guards) or selections.named(node, links):
        return None
    if flow.links[links[0]][2].outcome != "success" or any(link in selections.broken for link in links):
        return None
    holds = some(guard for _, guard in _readable(behaviour, links))
    answer = behaviour.always(holds)
    return answer if answer.value is False else None


def split_observation(subject: Subject, links: Sequence[int], message: str, witness: str = "") -> Observation:
    """Return an observation about a split. Its tasks are the steps before and after the split."""
    flow = subject.behaviour.flow
    tasks = [task for link in links for task in flow.tasks_before(flow.links[link][0])]
    tasks += [task for link in links for task in flow.tasks_behind(flow.links[link][1])]
    known = tuple(dict.fromkeys(task for task in tasks if task < len(subject.tasks)))
    location: SourceSpan | None = next((flow.links[link][2].span for link in links if flow.links[link][2].span), None)
    return Observation(message, known, witness=(witness,) if witness else (), location=location)


def _readable(behaviour: Behaviour, links: Sequence[int]) -> list[tuple[int, Formula]]:
    selections = behaviour.selections
    guards = [(link, selections.guards[link]) for link in links if link not in selections.broken]
    return [(link, guard) for link, guard in guards if guard is not None]
