"""Checks of single guards (conditions of links): syntax, guards that never or always hold, unknown names."""

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from rapidfuzz import process

from wfgate.logic import Formula, GuardSyntaxError, Term, atoms, parse, terms, unread
from wfgate.model import Guard, listed
from wfgate.rules.base import NAME, AbsoluteCheck, Observation, Severity, Subject, quoted

_LONGEST = 80
_NEAR = 50
"""Most characters of the name of a step that is next to a gateway."""
_ALIKE = 80


class GuardSyntax(AbsoluteCheck):
    """A condition has a syntax error.

    What it does:
        Reports guards (conditions of links), join expressions and loop conditions with a syntax error. Also reports
        join expressions that contain the id of a step without a link to the join. In the plain language of wfgate, a
        sentence without operators is a valid condition.

    Why it matters:
        The engine rejects the file, or interprets the condition differently from its author.

    Golden:
        ``guard: environment == 'production'``

    Candidate:
        ``guard: environment == 'production``

    How to fix:
        Correct the expression at the reported column, or declare the language of the expression (`guard.language`).
    """

    id: ClassVar[str] = "WF301"
    defect: ClassVar[str] = "guard-syntax"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per condition with a syntax error."""
        behaviour = subject.behaviour
        for link, problem in behaviour.selections.broken.items():
            guard = behaviour.flow.links[link][2].guard
            text = guard.expr or "" if guard else ""
            message = f"the guard {backquoted(text)} of {link_label(subject, link)} cannot be read: {_where(problem)}"
            yield link_observation(subject, link, message, key=(_squeezed(text),))
        for task, problem in behaviour.broken_joins.items():
            text = subject.tasks[task].join or ""
            message = f"the join {backquoted(text)} of {subject.named([task])[0]} cannot be read: {_where(problem)}"
            yield Observation(message, (task,), key=("join", _squeezed(text)))
        for task, step in enumerate(subject.tasks):
            if step.loop is None or step.loop.condition is None:
                continue
            try:
                parse(step.loop.condition, step.loop.language)
            except GuardSyntaxError as problem:
                text = backquoted(step.loop.condition)
                message = f"the loop condition {text} of {quoted(step)} cannot be read: {_where(problem)}"
                yield Observation(message, (task,), key=("loop", _squeezed(step.loop.condition)))


class GuardNeverTrue(AbsoluteCheck):
    """A condition never holds.

    What it does:
        Reports guards (conditions of links) that no values can satisfy, such as ``p < 0 and p > 10``, as errors. A
        guard that is the constant ``false`` is only a warning, because somebody probably switched the branch off on
        purpose.

    Why it matters:
        The branch is in the file but is never taken.

    Golden:
        ``guard: 0 < p and p < 10``

    Candidate:
        ``guard: p < 0 and p > 10``

    How to fix:
        Correct the condition, or delete the branch.
    """

    id: ClassVar[str] = "WF302"
    defect: ClassVar[str] = "guard-never-true"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per guard that never holds."""
        for link, guard in written(subject):
            if not is_possible(subject, guard):
                constant = not terms(guard)
                message = (
                    f"{link_label(subject, link)} is never taken: its guard {guard_of(subject, link)} never holds"
                )
                yield link_observation(
                    subject, link, message, key=(guard_of(subject, link),), severity="warning" if constant else None
                )


class GuardAlwaysTrue(AbsoluteCheck):
    """A condition always holds.

    What it does:
        Reports guards (conditions of links) that test a value but hold for all values, such as ``p < 10 or p > 0``.
        Constants and tests for any outcome (``always()``) are intended and not reported.

    Why it matters:
        The condition should restrict the branch, but it does not.

    Golden:
        ``guard: p > 0 and p < 10``

    Candidate:
        ``guard: p > 0 or p < 10``

    How to fix:
        Correct the condition, or delete the condition.
    """

    id: ClassVar[str] = "WF303"
    defect: ClassVar[str] = "guard-always-true"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per guard that always holds."""
        for link, guard in written(subject):
            tested = [term for term in terms(guard) if not term.values]
            if tested and subject.behaviour.always(guard).value is True:
                message = (
                    f"the guard {guard_of(subject, link)} of {link_label(subject, link)} holds in every situation"
                )
                yield link_observation(subject, link, message, key=(guard_of(subject, link),))


class NestedContradiction(AbsoluteCheck):
    """A condition contradicts the conditions before it.

    What it does:
        Reports guards (conditions of links) that can hold, but contradict the conditions on all paths to their link.

    Why it matters:
        The branch looks reachable, but it is never taken.

    Golden:
        ``check -> urgent`` if ``p > 10``, ``urgent -> page`` if ``p > 20``

    Candidate:
        ``check -> urgent`` if ``p > 10``, ``urgent -> page`` if ``p < 5``

    How to fix:
        Correct one of the two conditions, or move the branch to a step at which its condition can hold.
    """

    id: ClassVar[str] = "WF308"
    defect: ClassVar[str] = "nested-contradiction"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per guard that contradicts the conditions before it."""
        behaviour = subject.behaviour
        for link, guard in written(subject):
            source = behaviour.flow.links[link][0]
            run, taken = behaviour.runs[source], behaviour.taken[link]
            if source in behaviour.looping or run is None or taken is None:
                continue
            own = behaviour.selections.taken[link]
            alive = all(behaviour.sometimes(part).value is not False for part in (run, guard, own))
            if alive and behaviour.sometimes(taken).value is False:
                message = (
                    f"{link_label(subject, link)} is never taken: its guard {guard_of(subject, link)} contradicts the "
                    f"condition that already holds there, {behaviour.space.words(run)}"
                )
                yield link_observation(subject, link, message, key=(guard_of(subject, link),))


class UnknownValue(AbsoluteCheck):
    """A condition reads a value that nothing provides.

    What it does:
        Examines guards (conditions of links) in the plain language of wfgate. Reports each compared name that is not a
        parameter, not a datum and not the output of a step. The finding is an error if the name is similar to a known
        name. Otherwise it is a warning, and only if the workflow declares parameters. Also reports a name that only a
        later step provides. Single words without a comparison, and environment variables (``$NAME``), are not checked.

    Why it matters:
        The condition is evaluated with an empty value, so the branch is always taken or never taken.

    Golden:
        parameters ``environment``; ``guard: environment == 'production'``

    Candidate:
        parameters ``environment``; ``guard: enviroment == 'production'``

    How to fix:
        Correct the name, or declare the parameter.
    """

    id: ClassVar[str] = "WF309"
    defect: ClassVar[str] = "unknown-value"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per guard and name."""
        workflow = subject.workflow
        produced: dict[str, list[int]] = {}
        for task, step in enumerate(workflow.tasks):
            for name in step.outputs:
                produced.setdefault(name, []).append(task)
        given = {*workflow.params, *(item.id for item in workflow.data_items)}
        given |= {name for step in workflow.tasks for name in step.inputs if name not in produced}
        known = {*given, *produced, *(task.id for task in workflow.tasks)}
        if not (workflow.params or workflow.data_items or produced):
            return
        meant: dict[str, str | None] = {}
        for link, guard in written(subject):
            own = subject.behaviour.flow.links[link][2].guard
            for name in _compared(guard) if own is not None and own.language == "plain" else ():
                if not {name, name.partition(".")[0]} & known:
                    if name not in meant:
                        near = process.extractOne(name, sorted(known), score_cutoff=_ALIKE)
                        meant[name] = near[0] if near else None
                    if meant[name] or workflow.params:
                        yield self._unknown(subject, link, name, meant[name])
                elif name in produced and name not in given:
                    yield from self._too_late(subject, link, name, produced[name])

    @staticmethod
    def _too_late(subject: Subject, link: int, name: str, producers: list[int]) -> Iterator[Observation]:
        """Yield an observation if only later steps produce the name that a guard reads."""
        flow = subject.behaviour.flow
        sources = [task for task in flow.tasks_before(flow.links[link][0]) if task < subject.graph.n]
        before = [
            task for task in producers for source in sources if task == source or subject.flow.precedes(task, source)
        ]
        later = [task for task in producers if any(subject.flow.precedes(source, task) for source in sources)]
        if later and not before:
            who = listed(subject.named(later))
            verb = "produces" if len(later) == 1 else "produce"
            message = f"{_guard_label(subject, link)} reads '{name}' before {who} {verb} it"
            yield link_observation(subject, link, message, key=("later", name))

    @staticmethod
    def _unknown(subject: Subject, link: int, name: str, meant: str | None) -> Observation:
        message = f"{_guard_label(subject, link)} reads '{name}', which nothing provides"
        message += f": did you mean '{meant}'?" if meant else ""
        return link_observation(subject, link, message, key=("unknown", name), severity=None if meant else "warning")


def written(subject: Subject) -> Iterator[tuple[int, Formula]]:
    """Yield every link with a valid guard, and its condition."""
    selections = subject.behaviour.selections
    for link, guard in enumerate(selections.guards):
        if guard is not None and link not in selections.broken:
            yield link, guard


def is_possible(subject: Subject, formula: Formula) -> bool:
    """Return whether a condition may hold in some situation."""
    return subject.behaviour.sometimes(formula).value is not False


def _guard_label(subject: Subject, link: int) -> str:
    return f"the guard {guard_of(subject, link)} of {link_label(subject, link)}"


def guard_of(subject: Subject, link: int) -> str:
    """Return the guard of a link as written, in backquotes."""
    guard = subject.behaviour.flow.links[link][2].guard
    return backquoted(guard.expr or "" if isinstance(guard, Guard) else "")


def backquoted(text: str) -> str:
    """Return a condition in backquotes (it may contain other quotes), on one line and cut to 80 characters."""
    text = _squeezed(text)
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def link_label(subject: Subject, link: int) -> str:
    """Return the name of a link for a message: "the link from 'a' to 'b'"."""
    source, target, _ = subject.behaviour.flow.links[link]
    return f"the link from {node_label(subject, source)} to {node_label(subject, target)}"


def node_label(subject: Subject, node: int) -> str:
    """Return the name of a node of the flow for a message; names of steps are marked."""
    flow = subject.behaviour.flow

    def name(near: int, limit: int) -> str:
        task = flow.task(near)
        return flow.labels[near] if task is None else quoted(task, limit)

    return name(node, NAME) if flow.gateway(node) is None else flow.gateway_label(node, partial(name, limit=_NEAR))


def link_observation(
    subject: Subject, link: int, message: str, *, key: tuple[str, ...] = (), severity: Severity | None = None
) -> Observation:
    """Return an observation about a link. Its tasks are the nearest tasks before and after the link."""
    flow = subject.behaviour.flow
    source, target, written_link = flow.links[link]
    tasks = (*flow.tasks_before(source), *flow.tasks_behind(target))
    known = dict.fromkeys(task for task in tasks if task < len(subject.tasks))
    return Observation(message, tuple(known), key=key, severity=severity, location=written_link.span)


def opaque_terms(subject: Subject) -> list[Term]:
    """Return the terms in use that are opaque (not analysed) or unstable (clocks, random numbers)."""
    behaviour = subject.behaviour
    broken = {unread(behaviour.flow.links[link][2].guard) for link in behaviour.selections.broken}
    opaque: dict[Term, None] = {}
    for formula in behaviour.selections.taken:
        opaque.update(dict.fromkeys(term for term in terms(formula) if term.opaque or not term.stable))
    return [term for term in opaque if all(term not in terms(formula) for formula in broken)]


def _compared(guard: Formula) -> list[str]:
    """Return the names that a guard compares, without single words that are not compared and `$NAME`."""
    bare = {atom.term for atom in atoms(guard) if not hasattr(atom, "weights") and atom.relation == "truthy"}
    names = [term.text for term in terms(guard) if not term.opaque and not term.values and term not in bare]
    return [name for name in names if not name.startswith("$")]


def _where(problem: GuardSyntaxError) -> str:
    return f"{problem.message} (column {problem.column})"


def _squeezed(text: str) -> str:
    return " ".join(text.split())
