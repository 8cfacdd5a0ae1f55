"""What is written on the ways from step to step, and how it differs between golden and candidate."""

from collections.abc import Iterator, Mapping

from wfgate.behaviour import Behaviour
from wfgate.guards import ALWAYS, Answer, Atom, BudgetSpentError, Formula, Space, every, negated, some
from wfgate.matching import Comparison
from wfgate.texts.contradiction import contradictions

MAX_WAYS = 200
"""Ways through gateways that are followed from one step."""

Ends = tuple[int | None, int | None]
"""Golden positions of two linked steps; None for START and END."""
Conditions = dict[Ends, Formula]


def conditions_of(comparison: Comparison) -> tuple[Conditions, Conditions]:
    """Return what is written between shared steps, in the golden and in the candidate."""
    golden, candidate = comparison.golden_behaviour, comparison.candidate_behaviour
    same = {task: task for task in comparison.candidate_of}
    return _conditions(golden, same), _conditions(candidate, comparison.golden_of)


def exchanges(comparison: Comparison, was: Conditions, is_now: Conditions) -> list[list[Ends]]:
    """Return groups of branches behind one step whose conditions changed places.

    The same conditions lead to other steps: certain even for words that nothing else is known of, such as "yes" and
    "no". None is found where the deciding step contradicts its golden (then "yes" may mean what "no" meant), nor
    between steps of the same name, which may be matched either way.
    """
    found: list[list[Ends]] = []
    branches: dict[int | None, list[Ends]] = {}
    for ends in was.keys() & is_now.keys():
        branches.setdefault(ends[0], []).append(ends)
    for source, group in branches.items():
        place = {was[ends]: ends for ends in group}
        alike = len(place) < len(group) or len({is_now[ends] for ends in group}) < len(group)
        if len(group) == 1 or alike or _says_the_contrary(comparison, source):
            continue
        # From each branch on to the one that had its condition: what closes in a ring has changed places.
        onward = {ends: place[is_now[ends]] for ends in group if is_now[ends] in place}
        left = set(onward)
        while left:
            ring = [left.pop()]
            while onward[ring[-1]] in left:
                ring.append(onward[ring[-1]])
                left.remove(ring[-1])
            if len(ring) > 1 and onward[ring[-1]] == ring[0] and _tell_apart(comparison, ring):
                found.append(ring)
    return found


def _says_the_contrary(comparison: Comparison, task: int | None) -> bool:
    if task is None:
        return False
    golden, candidate = comparison.golden.tasks[task], comparison.candidate.tasks[comparison.candidate_of[task]]
    return bool(contradictions(golden.name, candidate.name))


def _tell_apart(comparison: Comparison, ring: list[Ends]) -> bool:
    names = {"" if task is None else comparison.golden.tasks[task].name.casefold() for _, task in ring}
    return len(names) == len(ring)


def _conditions(behaviour: Behaviour, golden_of: Mapping[int, int]) -> Conditions:
    """Return what is written on the ways from step to step through gateways, by golden positions."""
    flow = behaviour.flow
    found: Conditions = {}
    for source in (*range(len(flow.workflow.tasks)), flow.start):
        if source != flow.start and source not in golden_of:
            continue
        for target, condition in _ways(behaviour, source):
            if target == flow.end or target in golden_of:
                ends = (golden_of.get(source), golden_of.get(target))
                found[ends] = some([found[ends], condition]) if ends in found else condition
    return found


def _ways(behaviour: Behaviour, source: int) -> Iterator[tuple[int, Formula]]:
    """Yield where a step leads through gateways, with what is written on the way."""
    flow = behaviour.flow
    pending: list[tuple[int, Formula, frozenset[int]]] = [(source, ALWAYS, frozenset())]
    left = MAX_WAYS
    while pending and left:
        node, so_far, passed = pending.pop()
        left -= 1
        for link in flow.outgoing[node]:
            target = flow.links[link][1]
            written = _written(behaviour, node, link)
            if flow.links[link][2].outcome != "success" or target in passed:
                continue
            condition = so_far if written is None else every([so_far, written])
            if flow.gateway(target) is None:
                yield target, condition
            else:
                pending.append((target, condition, passed | {target}))


def _written(behaviour: Behaviour, node: int, link: int) -> Formula | None:
    """Return what is written on a link; on a default branch that none of the others holds."""
    selections = behaviour.selections
    guard = behaviour.flow.links[link][2].guard
    if guard is None or selections.kind(node) == "all":
        return None
    if not guard.default:
        return selections.guards[link]
    others = [selections.guards[other] for links in selections.siblings(node) if link in links for other in links]
    return negated(some(other for other in others if other is not None))


def compared(old: Formula, new: Formula) -> tuple[str, str]:
    """Return how two conditions differ, and a situation in which they do."""
    if _is_word(old) and _is_word(new):
        return "other words", ""
    space = Space([old, new])
    try:
        one, other = space.node(old), space.node(new)
        if one == other:
            return "same", ""
        weaker, stronger = space.implies(one, other), space.implies(other, one)
    except BudgetSpentError:
        return "other words", ""
    if weaker.value is None or stronger.value is None:
        # With one of them certain the direction is known all the same: p < 0 and «x» is never weaker than p < 0.
        if weaker.value is True or stronger.value is True:
            return ("weaker" if weaker.value else "stronger"), ""
        return "other words", ""
    kind = "weaker" if weaker.value else "stronger" if stronger.value else "different"
    shown: Answer = stronger if weaker.value else weaker
    return kind, str(shown.situation) if shown.situation else ""


def _is_word(formula: Formula) -> bool:
    return isinstance(formula, Atom) and formula.relation == "truthy"
