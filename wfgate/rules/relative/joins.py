"""What a step waits for, as a formula of the links that lead to it."""

from collections import defaultdict
from collections.abc import Mapping

from wfgate.logic import (
    EXCEPTIONAL,
    All,
    Atom,
    Formula,
    GuardSyntaxError,
    Not,
    Some,
    Term,
    every,
    joins_all,
    negated,
    read_join,
    some,
)
from wfgate.model import Task, Workflow


def waits_of(workflow: Workflow, names: Mapping[str, str]) -> dict[str, tuple[frozenset[str], Formula]]:
    """Return what each step waits for: the steps before it, and a formula of their outcomes.

    Steps with a condition on an incoming link, and steps behind another element than a named step, are left out.

    Args:
        workflow: The workflow.
        names: The name under which a step occurs in the result, by id.
    """
    into: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    unclear: set[str] = set()
    for link in workflow.links:
        into[link.target].append((link.source, link.outcome))
        if link.guard is not None or link.back or link.source not in names:
            unclear.add(link.target)
    waits = {}
    for task in workflow.tasks:
        sources = frozenset(names.get(source, "") for source, _ in into[task.id])
        if task.id in names and task.id not in unclear and len(sources) > 1:
            formula = _wait(workflow, task, into[task.id], names)
            if formula is not None:
                waits[names[task.id]] = sources, formula
    return waits


def _wait(workflow: Workflow, task: Task, into: list[tuple[str, str]], names: Mapping[str, str]) -> Formula | None:
    taken: dict[tuple[str, str], Formula] = {}
    for source, outcome in into:
        text = names[source] if outcome == "success" else f"{names[source]}.{outcome}"
        taken[source, outcome] = Atom(Term(text, (True, False)), "truthy")
    if task.join == "any" or (task.join is None and not joins_all(workflow, task)):
        return some(taken.values())
    if task.join in {None, "all"}:
        if task.join is None and any(outcome in EXCEPTIONAL for _, outcome in into):
            return None
        sources = dict.fromkeys(source for source, _ in into)
        return every(some(atom for way, atom in taken.items() if way[0] == source) for source in sources)
    try:
        return _replaced(read_join(task.join or ""), taken)
    except (GuardSyntaxError, KeyError):
        return None


def _replaced(formula: Formula, taken: Mapping[tuple[str, str], Formula]) -> Formula:
    """Return a join expression with the links of the steps that it names; KeyError if a name is unknown."""
    match formula:
        case Not(of):
            return negated(_replaced(of, taken))
        case All(parts):
            return every(_replaced(part, taken) for part in parts)
        case Some(parts):
            return some(_replaced(part, taken) for part in parts)
        case Atom(Term(text), "truthy"):
            named = [
                atom
                for (source, outcome), atom in taken.items()
                if text.casefold() in {source.casefold(), f"{source}.{outcome}".casefold()}
            ]
            if named:
                return some(named)
    raise KeyError(str(formula))
