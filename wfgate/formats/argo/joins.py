"""From what Argo tasks wait for to links with outcomes, and to what each task does with its links.

In Argo a task whose own `when` says no is *skipped*, and those behind it go on; a task that does not get what it
waits for is *omitted*, and so are those that name it plainly. A link on `skipped` is taken whenever its source does
not run, whatever the reason. Where both reasons are possible, what the source waits for is asked again, by links of
its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wfgate.formats.argo.depends import (
    ALL,
    FAILED,
    OMITTED,
    SKIPPED,
    SUCCEEDED,
    Both,
    Ended,
    Wait,
    contrary,
    leaves,
    tasks_of,
)
from wfgate.model.workflow import Outcome

MAX_TERMS = 200
"""Most links that are made for one task because of what its sources wait for."""


@dataclass(frozen=True)
class Step:
    """A task, as far as the flow goes.

    Attributes:
        wait: What it waits for.
        conditional: Whether it has a condition of its own.
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
        links: For each link its source and its outcome, each pair once.
        join: What the task does with them, as in `Task.join`.
        vague: Sources that may be skipped or omitted, for which the difference could not be kept.
    """

    links: tuple[tuple[str, Outcome], ...]
    join: str | None
    vague: tuple[str, ...] = ()


@dataclass
class Joins:
    """Works out the links of one template.

    Attributes:
        steps: The tasks by name.
        failing: Tasks whose failure something asks for.
        omittable: Tasks that may not get what they wait for.
    """

    steps: Mapping[str, Step]
    failing: set[str] = field(default_factory=set)
    omittable: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._find_failing()
        self._find_omittable()

    def incoming(self, wait: Wait) -> Incoming:
        """Return the links for what a task waits for, and how they join.

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
    """The terms of one task's join."""

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
            # The links say what went wrong before it: without them nobody would know that something can.
            parts.append(self._not_run(task, step, depth, unclear=True, met=False))
        return parts[0] if len(parts) == 1 else _Group("or", tuple(parts))

    def _not_run(self, task: str, step: Step | None, depth: int, *, unclear: bool, met: bool) -> _Term:
        """A task did not run though it got what it waits for, or because it did not."""
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
    """Say it in the shortest way: not at all, "all", "any", or an expression."""
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
    """Whether links of one source are asked for together, not as alternatives."""
    return isinstance(term, _Group) and _has(term, "and") and len(_taken(term)) > 1


def _has(term: _Term, sign: str) -> bool:
    return isinstance(term, _Group) and (
        (term.sign == sign and len(term.parts) > 1) or any(_has(part, sign) for part in term.parts)
    )


def _source_of(term: _Term) -> str | None:
    """Return the source whose links are alternatives in this term; None if there is more to it."""
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
