"""Check of the arguments, time limits and loops of composites, and of the time limits of steps."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import JsonValue

from wfgate.alignment import Comparison
from wfgate.checks.base import Observation, RelativeCheck, Severity, quoted
from wfgate.checks.relative.handler_change import loop_change
from wfgate.model import Task, Workflow

MAX_LEVELS = 50
"""Largest nesting depth of composites that is compared."""
_DEPTH = 8
"""Levels of nested arguments that are compared."""
_LONGEST = 80
"""Longest argument, in characters, that counts as a setting; a longer one is a text and may be reworded."""


class SettingsChanged(RelativeCheck):
    """A composite has other settings, or a step has another time limit.

    What it does:
        Compares the settings of a composite (a step that calls a sub-workflow): arguments, time limit and loop.
        Arguments must be equal exactly. Two composites are compared if more than half of the steps inside them are
        matched with each other. For other steps only the time limit is compared; their arguments are reported by WR106
        and WR107, their loops by WR305.

    Why it matters:
        The same steps may run in another environment, with more permissions or without a time limit.

    Golden:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: staging}}``

    Candidate:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: production}}``

    How to fix:
        Restore the setting, or approve the candidate.
    """

    id: ClassVar[str] = "WR502"
    defect: ClassVar[str] = "settings-changed"
    severity: ClassVar[Severity] = "warning"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per changed setting of a composite or step."""
        for golden, candidate in _same_composites(comparison):
            for setting, change in _changes(golden.task, candidate.task):
                yield Observation(
                    f"{quoted(golden.task)} {change}",
                    golden=golden.steps[:1],
                    key=("composite", golden.task.name, setting, change),
                    location=candidate.task.span,
                )
        for position, other in comparison.pairs:
            was, now = comparison.golden.tasks[position], comparison.candidate.tasks[other]
            if was.timeout != now.timeout:
                yield Observation(f"{quoted(was)} {_limit(was, now)}", golden=(position,), key=("timeout",))


class _Composite:
    """An expanded composite, and the positions of the steps inside it."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.steps: tuple[int, ...] = ()


def _same_composites(comparison: Comparison) -> Iterator[tuple[_Composite, _Composite]]:
    """Yield pairs of composites if more than half of their steps are matched with each other."""
    golden = _composites(comparison.golden_file, comparison.golden)
    candidate = _composites(comparison.candidate_file, comparison.candidate)
    inside: defaultdict[int, list[str]] = defaultdict(list)
    for path, composite in candidate.items():
        for step in composite.steps:
            inside[step].append(path)
    for composite in golden.values():
        twins = [comparison.candidate_of[step] for step in composite.steps if step in comparison.candidate_of]
        shared = Counter(path for twin in twins for path in inside[twin])
        # Nested composites can contain the same steps: prefer the one with the same name, then the outer one.
        ranked = sorted(
            shared,
            key=lambda path: (
                -_overlap(shared[path], composite, candidate[path]),
                candidate[path].task.name != composite.task.name,
                path.count("/"),
                path,
            ),
        )
        if ranked and 2 * shared[ranked[0]] > max(len(composite.steps), len(candidate[ranked[0]].steps)):
            yield composite, candidate[ranked[0]]


def _overlap(shared: int, one: _Composite, other: _Composite) -> float:
    return shared / (len(one.steps) + len(other.steps) - shared)


def _composites(file: Workflow | None, opened: Workflow) -> dict[str, _Composite]:
    """Return the expanded composites by the prefix of their steps' ids."""
    if file is None:
        return {}
    parts = {part.name: part for part in file.subworkflows}
    found: dict[str, _Composite] = {}
    pending: list[tuple[str, Workflow, int]] = [("", file, 0)]
    while pending:
        path, workflow, level = pending.pop()
        for task in workflow.tasks:
            part = parts.get(task.workflow or "")
            own = f"{path}{task.id}/"
            if part is not None and own not in found and level < MAX_LEVELS:
                found[own] = _Composite(task)
                pending.append((own, part, level + 1))
    steps: defaultdict[str, list[int]] = defaultdict(list)
    for position, task in enumerate(opened.tasks):
        at = task.id.find("/")
        while at >= 0:
            steps[task.id[: at + 1]].append(position)
            at = task.id.find("/", at + 1)
    for path, composite in found.items():
        composite.steps = tuple(steps.get(path, ()))
    return {path: composite for path, composite in found.items() if composite.steps}


def _changes(was: Task, now: Task) -> Iterator[tuple[str, str]]:
    """Yield each changed setting of a composite, with the change in words (part of the fingerprint)."""
    for path, old, new in _differences(was.params, now.params):
        name = ".".join(path)
        if new is _NOTHING:
            yield name, f"no longer says {name}: {_shown(old)}"
        elif old is _NOTHING:
            yield name, f"now says {name}: {_shown(new)}"
        else:
            yield name, f"now says {name}: {_shown(new)} instead of {_shown(old)}"
    if was.timeout != now.timeout:
        yield "timeout", _limit(was, now)
    change = loop_change(was.loop, now.loop)
    if change:
        yield "loop", change


def _limit(was: Task, now: Task) -> str:
    if now.timeout is None:
        return f"may take as long as it likes, and no longer {was.timeout} at most"
    return f"may take {now.timeout} at most" + (f" instead of {was.timeout}" if was.timeout else "")


_NOTHING: Any = object()


def _differences(
    was: Mapping[str, JsonValue], now: Mapping[str, JsonValue]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    pending: list[tuple[tuple[str, ...], Any, Any]] = [((), was, now)]
    while pending:
        path, old, new = pending.pop()
        if isinstance(old, dict) and isinstance(new, dict) and len(path) < _DEPTH:
            keys = sorted({*old, *new}, reverse=True)
            pending += [((*path, key), old.get(key, _NOTHING), new.get(key, _NOTHING)) for key in keys]
        elif old != new and not (_is_text(old) and _is_text(new)):
            yield path, old, new


def _is_text(value: object) -> bool:
    return isinstance(value, str) and (len(value) > _LONGEST or "\n" in value)


def _shown(value: object) -> str:
    text = f"'{value}'" if isinstance(value, str) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
