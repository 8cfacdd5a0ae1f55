"""Checks that every value of the file is as in the golden: of steps, of composites, of the workflow."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, ClassVar

from wfgate.alignment import Comparison
from wfgate.alignment.values import MISSING, ValueChange, ValueRules, shown_path, value_changes
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed, quoted
from wfgate.checks.relative.elements import composite_pairs, renamed_ids, same_flow
from wfgate.checks.relative.handler_change import loop_change
from wfgate.documents import Path, Unquoted, canonical
from wfgate.formats.consequences import CLASSES, NEUTRAL, Class, consequences_of
from wfgate.model import Gateway, SourceSpan, Task, Workflow
from wfgate.texts.contradiction import contradictions
from wfgate.texts.quantities import quantities
from wfgate.texts.words import plain_text, tokens

NEUTRAL_FIELDS = ("action", "timeout", "external", "params", "tags", "critical")
"""Fields of the model that are compared if the files have different formats, or no data."""
_LEVELS: dict[Class, Severity] = {
    "effect": "error",
    "secret": "error",
    "argument": "warning",
    "unknown": "warning",
    "structure": "info",
    "text": "info",
    "presentation": "info",
}
_NOTES: dict[Class, str] = {
    "unknown": " (wfgate does not know what this value is for)",
    "presentation": " (no effect on a run)",
}
_SHOWN = 60
_PROSE_WORDS = 4
"""An argument with at least as many words is prose, unless its name says that it is executed."""
_EXECUTED = frozenset(
    {
        "run",
        "command",
        "commands",
        "cmd",
        "args",
        "script",
        "scripts",
        "source",
        "code",
        "jscode",
        "pythoncode",
        "functioncode",
        "shell",
        "entrypoint",
        "image",
        "container",
        "sql",
        "query",
        "url",
        "uri",
        "endpoint",
        "env",
        "environment",
    }
)
"""Names of arguments whose values are executed, in lower case without dashes; nested values count too."""
_WORD = re.compile(r"[+-]?\d+([.,]\d+)?|[\w-]{1,40}")
"""A number, a switch or a name: an argument of one word. Not a text, path, file or expression."""
_MINUTES = re.compile(r"(?<=\d)m\b")
"""In an argument "30m" means 30 minutes."""


class ValueChanged(RelativeCheck):
    """A value of a step differs from the golden.

    What it does:
        Compares all data of matched steps as written in the two files: every key, every list in its order, every
        script in every character except line feeds at the end. References to steps are compared by the step, not by
        its id. A table of the format says what a value is for. A value that decides what runs, where, with which
        rights, or what happens on a failure is an error; a value of unknown purpose is a warning. Values that have no
        effect on a run are information. Texts are compared by WR106; links and conditions by other checks. If the two
        files have different formats, the actions, arguments and time limits are compared.

    Why it matters:
        A step can keep its name but run ``true``, use other rights, or ignore its failure.

    Golden:
        ``{name: Scan the image, params: {run: trivy image --exit-code 1 app}}``

    Candidate:
        ``{name: Scan the image, params: {run: trivy image app || true}}``

    How to fix:
        Restore the value, or review the new value and approve the candidate.
    """

    id: ClassVar[str] = "WR107"
    defect: ClassVar[str] = "value-changed"
    severity: ClassVar[Severity] = "error"
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per changed value."""
        values = _Values(comparison)
        for position, other in comparison.pairs:
            golden, candidate = comparison.golden.tasks[position], comparison.candidate.tasks[other]
            yield from values.observations(golden, candidate, (position,))


class SettingsChanged(RelativeCheck):
    """A setting of the workflow, or of a composite around a step, differs from the golden.

    What it does:
        Compares all data of the workflow, and of the composites (steps that call a sub-workflow) around each matched
        step, as WR107 compares the data of steps: triggers, permissions, environment, defaults, arguments, time limits
        and loops.

    Why it matters:
        The same steps may run on another event, in another environment, with more permissions or without a time limit.

    Golden:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: staging}}``

    Candidate:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: production}}``

    How to fix:
        Restore the setting, or approve the candidate.
    """

    id: ClassVar[str] = "WR502"
    defect: ClassVar[str] = "settings-changed"
    severity: ClassVar[Severity] = "error"
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per changed setting."""
        values = _Values(comparison)
        files = comparison.golden_file or comparison.golden, comparison.candidate_file or comparison.candidate
        yield from values.observations(*files, ())
        yield from values.observations_of_gateways(files)
        for pair in composite_pairs(comparison):
            yield from values.observations(pair.golden, pair.candidate, (pair.step,))
            yield from values.observations(*pair.parts, (pair.step,))
            if pair.golden and pair.candidate and (change := loop_change(pair.golden.loop, pair.candidate.loop)):
                yield Observation(
                    f"{quoted(pair.golden)} {change}",
                    golden=(pair.step,),
                    key=("composite", pair.golden.name, "loop", change),
                    location=pair.candidate.span,
                )


class FlowRewritten(RelativeCheck):
    """The flow is written in another way, and no other check reports a difference.

    What it does:
        Reports that values which define links, conditions or ids differ, although no other check finds that the flow
        changed. Not reported if the flows are provably the same.

    Why it matters:
        The difference is probably harmless, but nobody has seen it.

    Golden:
        ``if: github.ref == 'refs/heads/main'``

    Candidate:
        ``if: "'refs/heads/main' == github.ref"``

    How to fix:
        Compare the two flows.
    """

    id: ClassVar[str] = "WR504"
    defect: ClassVar[str] = "flow-rewritten"
    severity: ClassVar[Severity] = "info"
    fallback: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield at most one observation."""
        values = _Values(comparison)
        files = comparison.golden_file or comparison.golden, comparison.candidate_file or comparison.candidate
        pairs: list[tuple[_Element | None, _Element | None]] = [files]
        for pair in composite_pairs(comparison):
            pairs += [(pair.golden, pair.candidate), pair.parts]
        pairs += [(comparison.golden.tasks[one], comparison.candidate.tasks[two]) for one, two in comparison.pairs]
        paths = dict.fromkeys(path for pair in pairs for path in values.changed_structure(*pair))
        if paths and not same_flow(comparison):
            message = f"the flow is written in another way ({listed(list(paths))}), but no check finds a change"
            yield Observation(message, key=("structure", *paths))


_Element = Workflow | Task | Gateway


class _Values:
    """Compares the data of elements, by the table of their format."""

    def __init__(self, comparison: Comparison) -> None:
        self.golden_file = comparison.golden_file or comparison.golden
        self.candidate_file = comparison.candidate_file or comparison.candidate
        formats = {self.golden_file.format, self.candidate_file.format}
        raw = self.golden_file.raw is not None and self.candidate_file.raw is not None
        self.written = raw and len(formats) == 1
        self.table = consequences_of(self.golden_file.format) if self.written else NEUTRAL
        self.renamed = renamed_ids(comparison)

    def observations(
        self, golden: _Element | None, candidate: _Element | None, steps: tuple[int, ...]
    ) -> Iterator[Observation]:
        """Yield the changed values of two elements; of an element without a counterpart, the values with an effect."""
        element = golden or candidate
        if element is None:
            return
        whole = golden is None or candidate is None
        span = candidate.span if isinstance(candidate, Task) else None
        for path, change, kind in self._changes(golden, candidate):
            hidden = kind == "text" and _reworded(golden, candidate)  # the alignment shows both texts
            if kind != "structure" and not hidden and not (whole and _LEVELS[kind] == "info"):
                yield self._observation(element, path, change, kind, steps, span)

    def changed_structure(self, golden: _Element | None, candidate: _Element | None) -> Iterator[str]:
        """Yield the paths of the changed links, conditions and ids of two elements."""
        for path, change, kind in self._changes(golden, candidate):
            if kind == "structure":
                yield shown_path((*path, *change.path))

    def _changes(
        self, golden: _Element | None, candidate: _Element | None
    ) -> Iterator[tuple[Path, ValueChange, Class]]:
        """Yield each change with the path of the element and the class of the value."""
        path = next((self._path(element) for element in (golden, candidate) if element is not None), ())
        rules = ValueRules(self._same, lambda inner: self.table.is_unordered((*path, *inner)))
        for change in value_changes(self._data(golden), self._data(candidate), rules):
            kind = self._class(path, change)
            if kind is not None:
                yield path, change, kind

    def observations_of_gateways(self, files: tuple[Workflow, Workflow]) -> Iterator[Observation]:
        """Yield the changed data of gateways, which are not aligned: data that only one side has."""
        golden, candidate = (_gateways_by_data(file) for file in files)
        gone = [gate for text in sorted(golden) for gate in golden[text][len(candidate[text]) :]]
        new = [gate for text in sorted(candidate) for gate in candidate[text][len(golden[text]) :]]
        for was, now in zip_longest(gone, new):
            yield from self.observations(was, now, ())

    def _data(self, element: _Element | None) -> Any:
        if element is None:
            return {}
        if self.written:
            return {} if element.raw is None else element.raw
        names = [name for name in NEUTRAL_FIELDS if hasattr(element, name)]
        return {name: value for name in names if (value := getattr(element, name))}

    def _path(self, element: _Element) -> Path:
        return (element.path or ()) if self.written else ()

    def _same(self, golden: Any, candidate: Any) -> bool:
        """Return whether two scalars are the same value. Line feeds at the end do not count.

        The unquoted text of a boolean, number or date is another value than the quoted text, unless the format has no
        types.
        """
        if self.table.typed and isinstance(golden, Unquoted) is not isinstance(candidate, Unquoted):
            return False
        if isinstance(candidate, str):
            candidate = self._referring(candidate) if self.written else self.renamed.get(candidate, candidate)
        if isinstance(golden, str) and isinstance(candidate, str):
            return golden.rstrip("\n") == candidate.rstrip("\n")
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (golden, candidate))
        if (numbers or type(golden) is type(candidate)) and golden == candidate:
            return True
        return not self.table.typed and _text(golden) == _text(candidate)

    def _referring(self, text: str) -> str:
        """Return a text of the candidate with the golden's ids in its references to steps."""
        for pattern in self.table.references:
            text = pattern.sub(lambda found: _with_id(found, self.renamed), text)
        return text

    def _class(self, path: Path, change: ValueChange) -> Class | None:
        """Return the class of a change: of a subtree, the most serious class of a value in it. None if it is none."""
        values = change.golden, change.candidate
        leaves = {leaf for value in values for leaf in _leaves(value, (*path, *change.path))}
        found = {self.table.class_of(leaf) for leaf in leaves}
        kind: Class = min(found, key=CLASSES.index, default="unknown")
        return _class_of_argument(leaves, *values) if kind == "argument" else kind

    def _observation(
        self,
        element: _Element,
        path: Path,
        change: ValueChange,
        kind: Class,
        steps: tuple[int, ...],
        span: SourceSpan | None,
    ) -> Observation:
        name = shown_path(change.path) or "its data"
        hidden = kind == "secret"
        was, now = (None, None) if hidden else _texts(change.golden, change.candidate)
        return Observation(
            f"{_name(element)} {_words(name, change, hidden=hidden)}{_NOTES.get(kind, '')}",
            golden=steps,
            key=(
                "value",
                _kind(element),
                shown_path((*path, *change.path)) if not steps else name,
                _dump(change.golden),
                _dump(change.candidate),
            ),
            severity=_LEVELS[kind],
            location=span,
            golden_value=was,
            candidate_value=now,
        )


def _gateways_by_data(file: Workflow) -> defaultdict[str, list[Gateway]]:
    found: defaultdict[str, list[Gateway]] = defaultdict(list)
    for part in (file, *file.subworkflows):
        for gateway in part.gateways:
            if gateway.raw:
                found[canonical(gateway.raw)].append(gateway)
    return found


def _with_id(found: re.Match[str], renamed: dict[str, str]) -> str:
    start, end = found.span("id")
    whole, own = found[0], found["id"]
    return whole[: start - found.start()] + renamed.get(own, own) + whole[end - found.start() :]


def _class_of_argument(paths: Iterable[Path], golden: Any, candidate: Any) -> Class | None:
    """Return the class of a changed argument; None if both values mean the same.

    Executed values, and values that exclude each other (another number, switch or word), have an effect.
    """
    if any(isinstance(key, str) and _plain(key) in _EXECUTED for path in paths for key in path):
        return "effect"
    if MISSING in (golden, candidate) or any(isinstance(value, dict | list) for value in (golden, candidate)):
        return "argument"
    one, other = _text(golden), _text(candidate)
    if one.casefold().split() == other.casefold().split():
        return None
    numbers = [quantities(tokens(plain_text(_MINUTES.sub(" min", text)))) for text in (one, other)]
    if all(len(found) == 1 for found in numbers) and numbers[0][0].agrees(numbers[1][0]):
        return None
    if (_WORD.fullmatch(one) and _WORD.fullmatch(other)) or contradictions(one, other):
        return "effect"
    return "text" if all(len(text.split()) >= _PROSE_WORDS for text in (one, other)) else "argument"


def _reworded(golden: _Element | None, candidate: _Element | None) -> bool:
    return isinstance(golden, Task) and isinstance(candidate, Task) and golden.text != candidate.text


def _leaves(value: Any, path: Path) -> Iterator[Path]:
    if value is MISSING:
        return
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from _leaves(inner, (*path, at))
    else:
        yield path


def _name(element: _Element) -> str:
    if isinstance(element, Task):
        return quoted(element)
    if isinstance(element, Gateway):
        return f"the gateway '{element.id}'"
    return f"the workflow '{element.name}'" if element.name else "the workflow"


def _kind(element: _Element) -> str:
    return f"{type(element).__name__.lower()} {element.name}" if not isinstance(element, Gateway) else "gateway"


def _words(name: str, change: ValueChange, *, hidden: bool) -> str:
    if hidden:
        verb = (
            "no longer has"
            if change.candidate is MISSING
            else "now has"
            if change.golden is MISSING
            else "has another"
        )
        return f"{verb} {name} (the value is not shown)"
    if change.moved:
        return f"has {name} in another order: {_shown(change.candidate)} instead of {_shown(change.golden)}"
    if change.candidate is MISSING:
        return f"no longer has {name}: {_shown(change.golden)}"
    if change.golden is MISSING:
        return f"now has {name}: {_shown(change.candidate)}"
    texts = _texts(change.golden, change.candidate)
    golden, candidate = _window(*(text or "" for text in texts))
    return f"has {name}: {candidate} instead of {golden}"


def _window(golden: str, candidate: str) -> tuple[str, str]:
    """Return two texts, each cut to the part around the first difference and quoted, with white space made visible."""
    start = next(
        (at for at, (one, two) in enumerate(zip(golden, candidate, strict=False)) if one != two),
        min(len(golden), len(candidate)),
    )
    start = max(0, start - _SHOWN // 3) if max(len(golden), len(candidate)) > _SHOWN else 0
    return _cut(golden, start), _cut(candidate, start)


def _cut(text: str, start: int) -> str:
    part = text[start : start + _SHOWN]
    shown = part.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return f"`{'…' * (start > 0)}{shown}{'…' * (start + _SHOWN < len(text))}`"


def _shown(value: Any) -> str:
    return _cut(_text(value), 0)


def _texts(golden: Any, candidate: Any) -> tuple[str | None, str | None]:
    """Return two values as texts, None if missing. A text is in quotes if both would look the same without."""
    was, now = (None if value is MISSING else _text(value) for value in (golden, candidate))
    return (was, now) if was != now else (_written(golden), _written(candidate))


def _written(value: Any) -> str:
    return value if isinstance(value, Unquoted) else json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _dump(value: Any) -> str:
    return "" if value is MISSING else canonical(value)


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
