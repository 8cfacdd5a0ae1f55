"""Argo dependencies: `depends` and plain lists of tasks, as links with outcomes and a join.

A task is *skipped* if its own `when` is false; the tasks that depend on it still run. A task is *omitted* if its
dependencies are not satisfied; the tasks with a plain dependency on it (its name without a result) are omitted too. A
link with the outcome `skipped` is taken if its source does not run, for either reason. If both reasons are possible,
additional links check the dependencies of the source again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Generic, Literal, TypeVar

from wfgate.logic import SYMBOLS, Expression, Grammar, GuardSyntaxError, tree
from wfgate.model import Outcome
from wfgate.read.formats.words import did_you_mean

SUCCEEDED, FAILED, SKIPPED, OMITTED = "succeeded", "failed", "skipped", "omitted"
ALL = frozenset({SUCCEEDED, FAILED, SKIPPED, OMITTED})
"""How a task can end: succeeded, failed, skipped by its own condition, or omitted because of its dependencies."""
PLAIN = frozenset({SUCCEEDED, SKIPPED})
"""What satisfies a dependency that names a task and nothing more; a daemon that is up counts as success."""
COARSE = {"Errored": FAILED, "Daemoned": SUCCEEDED, "AnySucceeded": SUCCEEDED, "AllFailed": FAILED}
"""Results that the model does not distinguish from others."""
RESULTS = {"Succeeded": SUCCEEDED, "Failed": FAILED, "Skipped": SKIPPED, "Omitted": OMITTED, **COARSE}
"""Results that an expression may ask for."""
_OUTCOMES: dict[str, Outcome] = {SUCCEEDED: "success", FAILED: "failure"}
MAX_TERMS = 200
"""Most links that are made for one task because of what its sources wait for."""
FIX = "write task names joined by &&, || and !"
"""How to correct a syntax error in an expression."""
_GRAMMAR = Grammar(
    infix=SYMBOLS, prefix={"!": "!"}, literals={}, name="[A-Za-z0-9_][-A-Za-z0-9_]*+", string="(?!)", longest=1_000_000
)


@dataclass(frozen=True)
class Ended:
    """A condition: a task has ended with one of the given results.

    Attributes:
        task: Name of the task.
        ways: The allowed results.
        plain: Whether the dependency names only the task, without a result.
        coarse: Whether the dependency asks for a result that the model does not distinguish from another one.
    """

    task: str
    ways: frozenset[str]
    plain: bool = False
    coarse: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Taken:
    """A condition: the link with this outcome of its source is taken."""

    source: str
    outcome: Outcome


Sign = Literal["and", "or"]
_Leaf = TypeVar("_Leaf", Ended, Taken)


@dataclass(frozen=True)
class Group(Generic[_Leaf]):
    """A condition: all parts ("and") or at least one part ("or") are true."""

    sign: Sign
    parts: "tuple[_Leaf | Group[_Leaf], ...]"


Wait = Ended | Group[Ended]
_Term = Taken | Group[Taken]
NOTHING: Wait = Group("and", ())
"""The dependency of a task that waits for nothing."""


@dataclass(frozen=True)
class DependentTask:
    """A task: its dependencies, and whether it has a `when`."""

    wait: Wait
    conditional: bool = False


def parse_depends(text: str) -> Wait:
    """Parse a `depends` expression; the negation of a result becomes all other results.

    Cost: linear.

    Raises:
        GuardSyntaxError: If the expression has a syntax error, or is nested too deep.

    Example:
        >>> parse_depends("A && !B.Failed").parts[0] == Ended("A", PLAIN, plain=True)
        True
        >>> sorted(parse_depends("!(A.Failed || A.Omitted)").ways)
        ['skipped', 'succeeded']
    """
    return _wait(tree(text, _GRAMMAR))


def _wait(node: Expression) -> Wait:
    if node.kind == "not":
        return contrary(_wait(node.parts[0]))
    if node.kind in {"and", "or"}:
        return joined("and" if node.kind == "and" else "or", map(_wait, node.parts))
    if node.kind != "path" or len(node.path) > 2:
        raise GuardSyntaxError("only names of tasks and their results are allowed", column=node.at + 1)
    task, *results = map(str, node.path)
    if not results:
        return Ended(task, PLAIN, plain=True)
    if results[0] not in RESULTS:
        message = f"a task has no result {results[0][:40]!r}; {did_you_mean(results[0], list(RESULTS))}"
        raise GuardSyntaxError(message, column=node.at + 1)
    return Ended(task, frozenset({RESULTS[results[0]]}), coarse=results[0] in COARSE)


def joined(sign: Sign, parts: Iterable[Wait]) -> Wait:
    """Return a group without groups of the same sign in it, and with one condition for each task."""
    waits: dict[str | int, Wait] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, Group) and part.sign == sign else (part,):
            known = waits.setdefault(inner.task if isinstance(inner, Ended) else len(waits), inner)
            if known is not inner and isinstance(known, Ended) and isinstance(inner, Ended):
                ways = known.ways & inner.ways if sign == "and" else known.ways | inner.ways
                coarse = known.coarse or inner.coarse
                waits[inner.task] = Ended(inner.task, ways, known.plain and inner.plain, coarse)
    return next(iter(waits.values())) if len(waits) == 1 else Group(sign, tuple(waits.values()))


def contrary(wait: Wait) -> Wait:
    """Return the negation of `wait`; valid only after all its tasks have ended."""
    if isinstance(wait, Ended):
        return Ended(wait.task, ALL - wait.ways, coarse=wait.coarse)
    return joined("or" if wait.sign == "and" else "and", map(contrary, wait.parts))


def leaves(wait: _Leaf | Group[_Leaf]) -> list[_Leaf]:
    """Return the conditions on single tasks or links, in order."""
    if isinstance(wait, Group):
        return [leaf for part in wait.parts for leaf in leaves(part)]
    return [wait]


class Joins:
    """Derives the links of one template.

    Args:
        steps: The tasks by name.
        others: Dependencies of hooks.

    Attributes:
        failing: Tasks whose failure another task depends on.
        omittable: Tasks that may be omitted because their dependencies are not satisfied. A task in a cycle, or after
            one, never runs and does not count.
    """

    def __init__(self, steps: Mapping[str, DependentTask], others: Iterable[Wait] = ()) -> None:
        self.steps = steps
        self.failing: set[str] = set()
        self.omittable: set[str] = set()
        pending = [*(step.wait for step in steps.values()), *others]
        asked: set[str] = set()
        while pending:
            for leaf in leaves(pending.pop()):
                if FAILED in leaf.ways != ALL:
                    self.failing.add(leaf.task)
                only_omitted = OMITTED in leaf.ways and SKIPPED not in leaf.ways
                if only_omitted and leaf.task in steps and leaf.task not in asked:
                    asked.add(leaf.task)
                    pending.append(contrary(steps[leaf.task].wait))
        order = TopologicalSorter(
            {name: {leaf.task for leaf in leaves(step.wait)} & steps.keys() for name, step in steps.items()}
        )
        with suppress(CycleError):
            order.prepare()
        while order.is_active():
            ready = order.get_ready()
            self.omittable.update(name for name in ready if self._may_be_unmet(steps[name].wait))
            order.done(*ready)

    def conditional(self, task: str) -> bool:
        """Return whether a task has a `when`."""
        return task in self.steps and self.steps[task].conditional

    def _may_be_unmet(self, wait: Wait) -> bool:
        if isinstance(wait, Group):
            return (any if wait.sign == "and" else all)([self._may_be_unmet(part) for part in wait.parts])
        possible = {SUCCEEDED: True, FAILED: wait.task in self.failing, SKIPPED: self.conditional(wait.task)}
        possible[OMITTED] = wait.task in self.omittable
        return any(possible[way] for way in ALL - wait.ways)


class Incoming:
    """The links into one task.

    Args:
        joins: The tasks of the template.
        wait: The dependencies of the task.

    Attributes:
        links: The source and outcome of each link, each pair once.
        join: The join of the task, as in `Task.join`.
        vague: Sources that may be skipped or omitted, if the links cannot express the difference.

    Example:
        >>> Incoming(Joins({"b": DependentTask(NOTHING, conditional=True)}), Ended("b", PLAIN, plain=True)).links
        [Taken(source='b', outcome='success'), Taken(source='b', outcome='skipped')]
    """

    def __init__(self, joins: Joins, wait: Wait) -> None:
        self.joins = joins
        self.vague: set[str] = set()
        self.extra = 0
        term = self._term(wait, 0)
        self.links = list(dict.fromkeys(leaves(term)))
        self.join = _join(term, self.links)

    def _term(self, wait: Wait, depth: int) -> _Term:
        if isinstance(wait, Group):
            return Group(wait.sign, tuple(self._term(part, depth) for part in wait.parts))
        task, ways = wait.task, wait.ways
        if ways == ALL:
            return Taken(task, "always")
        parts: list[_Term] = [Taken(task, outcome) for way, outcome in _OUTCOMES.items() if way in ways]
        skippable, omittable = self.joins.conditional(task), task in self.joins.omittable
        # What cannot happen needs no link, unless the file asks for nothing else or names it.
        if {SKIPPED, OMITTED} <= ways:
            if skippable or omittable or not parts:
                parts.append(Taken(task, "skipped"))
        elif SKIPPED in ways and (skippable or not wait.plain):
            parts.append(self._not_run(task, depth, unclear=omittable, met=True))
        elif OMITTED in ways and (omittable or not parts):
            # The links name the failures before it; without them these failures would be lost.
            parts.append(self._not_run(task, depth, unclear=True, met=False))
        return parts[0] if len(parts) == 1 else Group("or", tuple(parts))

    def _not_run(self, task: str, depth: int, *, unclear: bool, met: bool) -> _Term:
        """Return the term for a task that did not run: `met` says whether its dependencies were satisfied."""
        skipped = Taken(task, "skipped")
        wait = self.joins.steps[task].wait if task in self.joins.steps else NOTHING
        if not unclear or not leaves(wait):
            return skipped
        self.extra += len(leaves(wait))
        if self.extra > MAX_TERMS or depth >= MAX_TERMS // 10:
            self.vague.add(task)
            return skipped
        return Group("and", (skipped, self._term(wait if met else contrary(wait), depth + 1)))


def _join(term: _Term, links: Iterable[Taken]) -> str | None:
    """Return the shortest form of the join: None, "all", "any", or an expression."""
    outcomes: dict[str, set[str]] = defaultdict(set)
    for link in links:
        outcomes[link.source].add(link.outcome)
    if len(outcomes) < 2:  # several links of one source that must be taken together, or alternatives
        return _words(term, outcomes) if _has_and(term) and len(leaves(term)) > 1 else None
    if not _has_and(term):
        return "any"
    sources = [_source_of(part) for part in term.parts] if isinstance(term, Group) and term.sign == "and" else [None]
    if None in sources or len(set(sources)) < len(sources):
        return _words(term, outcomes)
    return None if all(known <= {"success", "always"} for known in outcomes.values()) else "all"


def _has_and(term: _Term) -> bool:
    if isinstance(term, Taken):
        return False
    return (term.sign == "and" and len(term.parts) > 1) or any(map(_has_and, term.parts))


def _source_of(term: _Term) -> str | None:
    """Return the only source of the links in this term if they are alternatives; None otherwise."""
    if isinstance(term, Taken):
        return term.source
    sources = {_source_of(part) for part in term.parts}
    return sources.pop() if term.sign == "or" and len(sources) == 1 else None


def _words(term: _Term, outcomes: Mapping[str, set[str]], *, inside: bool = False) -> str:
    if isinstance(term, Taken):
        return term.source if outcomes[term.source] == {term.outcome} else f"{term.source}.{term.outcome}"
    source = _source_of(term)
    if source is not None and {one.outcome for one in leaves(term)} == outcomes[source]:
        return source
    if len(term.parts) == 1:
        return _words(term.parts[0], outcomes, inside=inside)
    said = f" {term.sign} ".join(_words(part, outcomes, inside=True) for part in term.parts)
    return f"({said})" if inside else said
