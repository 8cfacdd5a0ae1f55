"""Argo dependencies: `depends` and plain lists of tasks, as links with outcomes and a join.

A task is *skipped* if its own `when` is false; the tasks that depend on it still run. A task is *omitted* if its
dependencies are not satisfied; the tasks with a plain dependency on it (its name without a result) are omitted too. A
link with the outcome `skipped` is taken if its source does not run, for either reason. If both reasons are possible,
additional links check the dependencies of the source again.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wfgate.formats.fields import did_you_mean
from wfgate.model.workflow import Outcome

SUCCEEDED, FAILED, SKIPPED, OMITTED = "succeeded", "failed", "skipped", "omitted"
ALL = frozenset({SUCCEEDED, FAILED, SKIPPED, OMITTED})
"""How a task can end: succeeded, failed, skipped by its own condition, or omitted because of its dependencies."""
PLAIN = frozenset({SUCCEEDED, SKIPPED})
"""What satisfies a dependency that names a task and nothing more; a daemon that is up counts as success."""

MAX_DEPTH = 100
"""Deepest nesting of brackets and negations."""

RESULTS = {
    "Succeeded": SUCCEEDED,
    "Failed": FAILED,
    "Errored": FAILED,
    "Skipped": SKIPPED,
    "Omitted": OMITTED,
    "Daemoned": SUCCEEDED,
    "AnySucceeded": SUCCEEDED,
    "AllFailed": FAILED,
}
"""Results that an expression may ask for."""
_COARSE = re.compile(r"\.\s*(?:Errored|Daemoned|AnySucceeded|AllFailed)\b")
"""Results that the model does not distinguish from others."""

_TOKEN = re.compile(r"\s*(?:(&&|\|\||[!()])|([A-Za-z0-9_][-A-Za-z0-9_]*)(?:\.([A-Za-z]+))?)")
MAX_TERMS = 200
"""Most links that are made for one task because of what its sources wait for."""


@dataclass(frozen=True)
class Ended:
    """A condition: a task has ended with one of the given results.

    Attributes:
        task: Name of the task.
        ways: The allowed results.
        plain: Whether the dependency names only the task, without a result.
    """

    task: str
    ways: frozenset[str]
    plain: bool = False


@dataclass(frozen=True)
class Both:
    """A condition: all parts are true. Without parts, the condition is always true."""

    parts: tuple["Wait", ...]


@dataclass(frozen=True)
class Either:
    """A condition: at least one part is true. Without parts, the condition is never true."""

    parts: tuple["Wait", ...]


Wait = Ended | Both | Either


class DependsSyntaxError(ValueError):
    """A `depends` expression with a syntax error.

    Attributes:
        message: The problem.
        fix: The proposed correction.
    """

    def __init__(self, message: str, fix: str = "write task names joined by &&, || and !") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


def parse_depends(text: str) -> Wait:
    """Parse a `depends` expression; the negation of a result becomes all other results.

    Cost: linear.

    Raises:
        DependsSyntaxError: If the expression has a syntax error, or is nested deeper than `MAX_DEPTH`.

    Example:
        >>> parse_depends("A && !B.Failed").parts[0] == Ended("A", PLAIN, plain=True)
        True
        >>> sorted(parse_depends("!(A.Failed || A.Omitted)").ways)
        ['skipped', 'succeeded']
    """
    return _Parser(_tokens(text)).parse()


def is_coarse(text: object) -> bool:
    """Return whether an expression asks for a result that the model does not distinguish from another result.

    Example:
        >>> is_coarse("A.Errored"), is_coarse("A.Failed")
        (True, False)
    """
    return isinstance(text, str) and _COARSE.search(text) is not None


def both(parts: Iterable[Wait]) -> Wait:
    """Return the conjunction, flattened, without repetitions."""
    return _joined(parts, Both)


def either(parts: Iterable[Wait]) -> Wait:
    """Return the disjunction, flattened, without repetitions."""
    return _joined(parts, Either)


def contrary(wait: Wait) -> Wait:
    """Return the negation of `wait`; valid only after all its tasks have ended."""
    if isinstance(wait, Ended):
        return Ended(wait.task, ALL - wait.ways)
    parts = [contrary(part) for part in wait.parts]
    return either(parts) if isinstance(wait, Both) else both(parts)


def tasks_of(wait: Wait) -> list[str]:
    """Return the tasks in a dependency, each once, in order."""
    return list(dict.fromkeys(leaf.task for leaf in leaves(wait)))


def leaves(wait: Wait) -> list[Ended]:
    """Return the conditions on single tasks in a dependency, in order."""
    if isinstance(wait, Ended):
        return [wait]
    return [leaf for part in wait.parts for leaf in leaves(part)]


def _joined(parts: Iterable[Wait], kind: type[Both] | type[Either]) -> Wait:
    flat: list[Wait] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    of_task: dict[str, int] = {}
    found: list[Wait] = []
    for part in flat:
        if not isinstance(part, Ended):
            found.append(part)
            continue
        before = of_task.setdefault(part.task, len(found))
        if before == len(found):
            found.append(part)
            continue
        known = found[before]
        if isinstance(known, Ended):
            ways = known.ways & part.ways if kind is Both else known.ways | part.ways
            found[before] = Ended(part.task, ways, plain=known.plain and part.plain)
    return found[0] if len(found) == 1 else kind(tuple(found))


def _tokens(text: str) -> list[tuple[str, Ended | None]]:
    found: list[tuple[str, Ended | None]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at:].strip()[:20]
            raise DependsSyntaxError(f"{shown!r} is not allowed in a dependency")
        sign, task, result = match.groups()
        if sign:
            found.append((sign, None))
        elif result is None:
            found.append(("task", Ended(task, PLAIN, plain=True)))
        elif result in RESULTS:
            found.append(("task", Ended(task, frozenset({RESULTS[result]}))))
        else:
            raise DependsSyntaxError(f"a task has no result {result[:40]!r}", did_you_mean(result, list(RESULTS)))
        at = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[tuple[str, Ended | None]]) -> None:
        self.tokens = tokens
        self.at = 0

    def parse(self) -> Wait:
        found = self._any(0, negated=False)
        if self.at < len(self.tokens):
            raise DependsSyntaxError(f"{self._shown()} is not expected here")
        return found

    def _any(self, depth: int, *, negated: bool) -> Wait:
        parts = [self._all(depth, negated=negated)]
        while self._next("||"):
            parts.append(self._all(depth, negated=negated))
        return both(parts) if negated else either(parts)

    def _all(self, depth: int, *, negated: bool) -> Wait:
        parts = [self._one(depth, negated=negated)]
        while self._next("&&"):
            parts.append(self._one(depth, negated=negated))
        return either(parts) if negated else both(parts)

    def _one(self, depth: int, *, negated: bool) -> Wait:
        if depth > MAX_DEPTH:
            raise DependsSyntaxError(
                f"the dependency is nested deeper than {MAX_DEPTH} levels", "write the dependency with fewer brackets"
            )
        if self._next("!"):
            return self._one(depth + 1, negated=not negated)
        if self._next("("):
            found = self._any(depth + 1, negated=negated)
            if not self._next(")"):
                raise DependsSyntaxError("a bracket is not closed", "close the bracket with )")
            return found
        named = self.tokens[self.at][1] if self.at < len(self.tokens) else None
        if named is not None:
            self.at += 1
            return contrary(named) if negated else named
        raise DependsSyntaxError(f"expected the name of a task, not {self._shown()}")

    def _next(self, sign: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == sign:
            self.at += 1
            return True
        return False

    def _shown(self) -> str:
        if self.at >= len(self.tokens):
            return "the end"
        sign, task = self.tokens[self.at]
        return repr(sign if task is None else task.task[:40])


@dataclass(frozen=True)
class Step:
    """A task and its dependencies.

    Attributes:
        wait: The dependencies of the task.
        conditional: Whether the task has a `when`.
    """

    wait: Wait
    conditional: bool = False


@dataclass(frozen=True)
class _Taken:
    source: str
    outcome: Outcome


@dataclass(frozen=True)
class _Group:
    sign: str
    parts: tuple["_Term", ...]


_Term = _Taken | _Group


@dataclass(frozen=True)
class Incoming:
    """The links into one task.

    Attributes:
        links: The source and outcome of each link, each pair once.
        join: The join of the task, as in `Task.join`.
        vague: Sources that may be skipped or omitted, if the links cannot express the difference.
    """

    links: tuple[tuple[str, Outcome], ...]
    join: str | None
    vague: tuple[str, ...] = ()


@dataclass
class Joins:
    """Derives the links of one template.

    Attributes:
        steps: The tasks by name.
        failing: Tasks whose failure another task depends on.
        omittable: Tasks that may be omitted because their dependencies are not satisfied.
    """

    steps: Mapping[str, Step]
    failing: set[str] = field(default_factory=set)
    omittable: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._find_failing()
        self._find_omittable()

    def incoming(self, wait: Wait) -> Incoming:
        """Return the incoming links of a task with the dependencies `wait`, and its join.

        Example:
            >>> plain = Ended("b", frozenset({SUCCEEDED, SKIPPED}), plain=True)
            >>> joins = Joins({"b": Step(Both(()), conditional=True)})
            >>> joins.incoming(plain).links
            (('b', 'success'), ('b', 'skipped'))
        """
        expansion = _Expansion(self)
        term = expansion.term(wait, 0)
        taken = dict.fromkeys(_taken(term))
        links = tuple((one.source, one.outcome) for one in taken)
        return Incoming(links, _join(term, list(taken)), tuple(sorted(expansion.vague)))

    def _find_failing(self) -> None:
        pending = [step.wait for step in self.steps.values()]
        asked: set[str] = set()
        while pending:
            for leaf in leaves(pending.pop()):
                if leaf.ways == ALL:
                    continue
                if FAILED in leaf.ways:
                    self.failing.add(leaf.task)
                only_omitted = OMITTED in leaf.ways and SKIPPED not in leaf.ways
                if only_omitted and leaf.task in self.steps and leaf.task not in asked:
                    asked.add(leaf.task)
                    pending.append(contrary(self.steps[leaf.task].wait))

    def _find_omittable(self) -> None:
        sources = {
            name: [task for task in tasks_of(step.wait) if task in self.steps] for name, step in self.steps.items()
        }
        behind: dict[str, list[str]] = {name: [] for name in self.steps}
        for name, before in sources.items():
            for task in before:
                behind[task].append(name)
        waiting = {name: len(before) for name, before in sources.items()}
        ready = [name for name, count in waiting.items() if not count]
        while ready:
            name = ready.pop()
            if self._may_be_unmet(self.steps[name].wait):
                self.omittable.add(name)
            for task in behind[name]:
                waiting[task] -= 1
                if not waiting[task]:
                    ready.append(task)

    def _may_be_unmet(self, wait: Wait) -> bool:
        if isinstance(wait, Ended):
            return not self._possible(wait.task) <= wait.ways
        unmet = [self._may_be_unmet(part) for part in wait.parts]
        return any(unmet) if isinstance(wait, Both) else all(unmet)

    def _possible(self, task: str) -> set[str]:
        step = self.steps.get(task)
        found = {SUCCEEDED}
        found |= {FAILED} if task in self.failing else set()
        found |= {SKIPPED} if step is not None and step.conditional else set()
        return found | ({OMITTED} if task in self.omittable else set())


@dataclass
class _Expansion:
    """The terms in the join of one task."""

    joins: Joins
    vague: set[str] = field(default_factory=set)
    extra: int = 0

    def term(self, wait: Wait, depth: int) -> _Term:
        if isinstance(wait, Ended):
            return self._ended(wait, depth)
        return _Group("and" if isinstance(wait, Both) else "or", tuple(self.term(part, depth) for part in wait.parts))

    def _ended(self, leaf: Ended, depth: int) -> _Term:
        task, ways = leaf.task, leaf.ways
        if ways == ALL:
            return _Taken(task, "always")
        parts: list[_Term] = []
        if SUCCEEDED in ways:
            parts.append(_Taken(task, "success"))
        if FAILED in ways:
            parts.append(_Taken(task, "failure"))
        step = self.joins.steps.get(task)
        skippable = step is not None and step.conditional
        omittable = task in self.joins.omittable
        # What cannot happen needs no link, unless the file asks for nothing else or names it.
        if {SKIPPED, OMITTED} <= ways:
            if skippable or omittable or not parts:
                parts.append(_Taken(task, "skipped"))
        elif SKIPPED in ways and (skippable or not leaf.plain):
            parts.append(self._not_run(task, step, depth, unclear=omittable, met=True))
        elif OMITTED in ways and (omittable or not parts):
            # The links name the failures before it; without them these failures would be lost.
            parts.append(self._not_run(task, step, depth, unclear=True, met=False))
        return parts[0] if len(parts) == 1 else _Group("or", tuple(parts))

    def _not_run(self, task: str, step: Step | None, depth: int, *, unclear: bool, met: bool) -> _Term:
        """Return the term for a task that did not run: `met` says whether its dependencies were satisfied."""
        skipped = _Taken(task, "skipped")
        if step is None or not unclear or not leaves(step.wait):
            return skipped
        self.extra += len(leaves(step.wait))
        if self.extra > MAX_TERMS or depth >= MAX_TERMS // 10:
            self.vague.add(task)
            return skipped
        return _Group("and", (skipped, self.term(step.wait if met else contrary(step.wait), depth + 1)))


def _taken(term: _Term) -> list[_Taken]:
    if isinstance(term, _Taken):
        return [term]
    return [one for part in term.parts for one in _taken(part)]


def _join(term: _Term, links: Sequence[_Taken]) -> str | None:
    """Return the shortest form of the join: None, "all", "any", or an expression."""
    outcomes: dict[str, set[str]] = {}
    for link in links:
        outcomes.setdefault(link.source, set()).add(link.outcome)
    if len(outcomes) < 2:
        return None if not _is_mixed(term) else _words(term, outcomes)
    if isinstance(term, _Group) and term.sign == "or" and not _has(term, "and"):
        return "any"
    per_source = (
        [_source_of(part) for part in term.parts] if isinstance(term, _Group) and term.sign == "and" else [None]
    )
    if None not in per_source and len(set(per_source)) == len(per_source):
        return None if all(known <= {"success", "always"} for known in outcomes.values()) else "all"
    return _words(term, outcomes)


def _is_mixed(term: _Term) -> bool:
    """Whether several links of one source must be taken together, not as alternatives."""
    return isinstance(term, _Group) and _has(term, "and") and len(_taken(term)) > 1


def _has(term: _Term, sign: str) -> bool:
    return isinstance(term, _Group) and (
        (term.sign == sign and len(term.parts) > 1) or any(_has(part, sign) for part in term.parts)
    )


def _source_of(term: _Term) -> str | None:
    """Return the only source of the links in this term if they are alternatives; None otherwise."""
    if isinstance(term, _Taken):
        return term.source
    sources = {_source_of(part) for part in term.parts}
    return sources.pop() if term.sign == "or" and len(sources) == 1 else None


def _words(term: _Term, outcomes: Mapping[str, set[str]], *, inside: bool = False) -> str:
    if isinstance(term, _Taken):
        return term.source if outcomes[term.source] == {term.outcome} else f"{term.source}.{term.outcome}"
    source = _source_of(term)
    if source is not None and {one.outcome for one in _taken(term)} == outcomes[source]:
        return source
    if len(term.parts) == 1:
        return _words(term.parts[0], outcomes, inside=inside)
    said = f" {term.sign} ".join(_words(part, outcomes, inside=True) for part in term.parts)
    return f"({said})" if inside else said
