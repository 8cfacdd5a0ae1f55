"""Checks that every value of the file is as in the golden: of steps, of composites, of the workflow."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any, ClassVar

from wfgate.alignment import Comparison
from wfgate.alignment.values import MISSING, ValueChange, ValueRules, leaves_of, shown_path, value_changes
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed, quoted
from wfgate.checks.relative.canonical import canonical, renamed_items, with_ids
from wfgate.checks.relative.elements import composite_pairs, one_to_one, renamed_ids, same_flow
from wfgate.checks.relative.handler_change import loop_change
from wfgate.documents import Path, Unquoted, canonical_text
from wfgate.formats.consequences import CLASSES, NEUTRAL, Class, consequences_of
from wfgate.model import Element, Gateway, SourceSpan, Task, Workflow
from wfgate.texts.contradiction import contradictions
from wfgate.texts.quantities import quantities
from wfgate.texts.words import plain_text, tokens

_NEUTRAL_FIELDS = (
    "action",
    "timeout",
    "external",
    "params",
    "inputs",
    "outputs",
    "join",
    "semantics",
    "tags",
    "critical",
)
"""Fields of the model that are compared if the files have different formats, or no data."""
_LEVELS: dict[Class, Severity] = {
    "effect": "error",
    "secret": "error",
    "argument": "warning",
    "unknown": "warning",
    "reference": "info",
    "structure": "info",
    "text": "info",
    "presentation": "info",
}
_NOTES: dict[Class, str] = {
    "unknown": " (wfgate does not know what this value is for)",
    "presentation": " (no effect on a run)",
}
_SHOWN = 60
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
_DURATION = re.compile(r"\d+(\.\d+)? ?[a-z]+")
_SCRIPTS = frozenset({"run", "script", "source", "code"})
"""Keys of scripts: line feeds at their end have no effect."""
_MINUTES = re.compile(r"(?<=\d)m\b")
"""In an argument "30m" means 30 minutes."""


class ValueChanged(RelativeCheck):
    """A value of a step differs from the golden.

    What it does:
        Compares all data of matched steps as written in the two files: every key, every list in its order, every
        script in every character except line feeds at the end. References to steps are compared by the step, not by
        its id. A table of the format says what a value is for. A value that decides what runs, where, with which
        rights, or what happens on a failure is an error; a value of unknown purpose is a warning. Values that have no
        effect on a run are information. Of a step that is missing or new, the values with an effect are reported.
        Texts are compared by WR106; links and conditions by other checks. If the two files have different formats, the
        actions, arguments and time limits are compared.

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
        for position in comparison.missing:
            yield from values.observations(comparison.golden.tasks[position], None, (position,))
        split = {part for found in comparison.alignment.splits for part in found.candidate}
        for position in sorted({*comparison.extra, *split} - comparison.golden_of.keys()):
            task = comparison.candidate.tasks[position]
            for observation in values.observations(None, task, ()):
                yield replace(observation, tasks=(position,))


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
        Reports that values which define links, conditions or ids differ, although all steps are matched and no other
        check explains it. Not reported if the flows are provably the same: equal links, logically equivalent
        conditions.

    Why it matters:
        The difference may be harmless, but it is not proven that it is.

    Golden:
        ``depends: scan.Succeeded && test.Succeeded``

    Candidate:
        ``depends: scan.Succeeded || test.Succeeded``

    How to fix:
        Compare the two flows, and approve the candidate if they are the same.
    """

    id: ClassVar[str] = "WR504"
    defect: ClassVar[str] = "flow-rewritten"
    severity: ClassVar[Severity] = "warning"
    proven: ClassVar[bool] = True
    fallback: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield at most one observation."""
        if not one_to_one(comparison):
            return
        values = _Values(comparison)
        files = comparison.golden_file or comparison.golden, comparison.candidate_file or comparison.candidate
        pairs: list[tuple[_Element | None, _Element | None]] = [files]
        for pair in composite_pairs(comparison):
            pairs += [(pair.golden, pair.candidate), pair.parts]
        pairs += [(comparison.golden.tasks[one], comparison.candidate.tasks[two]) for one, two in comparison.pairs]
        paths = dict.fromkeys(path for pair in pairs for path in values.changed_structure(*pair))
        if paths and not same_flow(comparison, values.translated):
            message = f"the flow is written in another way ({listed(list(paths))}), but no check finds a change"
            yield Observation(message, key=("structure", *paths))


_Element = Workflow | Task | Gateway
_Paths = tuple[Path | None, ...]
"""Path of an element in the golden and in the candidate; None if there is none."""


class _Values:
    """Compares the data of elements, by the table of their format."""

    def __init__(self, comparison: Comparison) -> None:
        self.golden_file = comparison.golden_file or comparison.golden
        self.candidate_file = comparison.candidate_file or comparison.candidate
        formats = {self.golden_file.format, self.candidate_file.format}
        raw = self.golden_file.raw is not None and self.candidate_file.raw is not None
        self.written = raw and len(formats) == 1
        self.table = consequences_of(self.golden_file.format) if self.written else NEUTRAL
        self.resolved = frozenset(self.golden_file.resolved), frozenset(self.candidate_file.resolved)
        self.renamed = renamed_ids(comparison)
        closed = {task.workflow for side in (comparison.golden, comparison.candidate) for task in side.tasks}
        parts = {part.name for file in (self.golden_file, self.candidate_file) for part in file.subworkflows}
        self.expanded = parts - closed
        if self.written:
            self.renamed |= renamed_items(self.golden_file.raw, self.candidate_file.raw, self.table, self.renamed)
            reused = {was for now, was in self.renamed.items() if was != now} - self.renamed.keys()
            self.renamed |= {was: f"{was} (another step)" for was in reused}
        files = self.golden_file, self.candidate_file
        self.ids = {task.id for file in files for part in (file, *file.subworkflows) for task in part.tasks}

    def observations(
        self, golden: _Element | None, candidate: _Element | None, steps: tuple[int, ...]
    ) -> Iterator[Observation]:
        """Yield the changed values of two elements; of an element without a counterpart, the values with an effect."""
        element = golden or candidate
        if element is None:
            return
        whole = golden is None or candidate is None
        for paths, change, kind in self._changes(golden, candidate):
            shown = kind == "text" and self._is_in_statements((golden, candidate), change)  # by the alignment
            left_out = whole and (
                _LEVELS[kind] == "info"
                or all(value is MISSING or not value for value in (change.golden, change.candidate))
            )
            if kind != "structure" and not shown and not left_out:
                yield self._observation(element, paths, change, kind, steps)

    def translated(self, text: str) -> str:
        """Return a text of the candidate with the golden's ids in its references to steps."""
        return with_ids(text, self.table, self.renamed) if self.written else text

    def changed_structure(self, golden: _Element | None, candidate: _Element | None) -> Iterator[str]:
        """Yield the paths of the changed links, conditions and ids of two elements."""
        for (path, _), change, kind in self._changes(golden, candidate):
            if kind == "structure":
                yield shown_path((*(path or ()), *change.path))

    def _changes(
        self, golden: _Element | None, candidate: _Element | None
    ) -> Iterator[tuple[_Paths, ValueChange, Class]]:
        """Yield each change with the paths of the two elements and the class of the value."""
        for was, now in zip_longest(self._parts(golden), self._parts(candidate)):
            paths = tuple(None if part is None else self._path(part) for part in (was, now))
            path = next(path for path in paths if path is not None)
            rules = ValueRules(self._same, partial(self._is_unordered, path))
            for change in value_changes(self._data(was, {}), self._data(now, self.renamed), rules):
                kind = "structure" if self._is_resolved(paths, change) else self._class(paths, change)
                if kind == "text" and not self._is_in_statements((golden, candidate), change) and _contradict(change):
                    kind = "argument"  # WR106 compares only the statements of steps
                if kind is not None:
                    yield paths, change, kind

    def _is_unordered(self, path: Path, inner: Path) -> bool:
        return self.table.is_unordered((*path, *inner))

    def _parts(self, element: _Element | None) -> tuple[Element, ...]:
        """Return an element and its definitions."""
        if element is None:
            return ()
        return (element, *element.definitions) if self.written else (element,)

    def _is_resolved(self, paths: _Paths, change: ValueChange) -> bool:
        """Return whether both values of a change are references or expressions that the reader translated."""

        def translated(resolved: frozenset[Path], path: Path) -> bool:
            return any(path[:end] in resolved for end in range(len(path) + 1))

        sides = zip(self.resolved, paths, (change.golden, change.candidate), strict=True)
        return all(
            value is MISSING or path is None or translated(resolved, (*path, *change.path))
            for resolved, path, value in sides
        )

    def observations_of_gateways(self, files: tuple[Workflow, Workflow]) -> Iterator[Observation]:
        """Yield the changed data of gateways, which are not aligned: data that only one side has."""
        golden, candidate = self._gateways_by_data(files[0]), self._gateways_by_data(files[1])
        gone = [gate for text in sorted(golden) for gate in golden[text][len(candidate[text]) :]]
        new = [gate for text in sorted(candidate) for gate in candidate[text][len(golden[text]) :]]
        for was, now in zip_longest(gone, new):
            yield from self.observations(was, now, ())

    def _gateways_by_data(self, file: Workflow) -> defaultdict[str, list[Gateway]]:
        """Return the gateways with data, by the data that are reported if they change."""
        found: defaultdict[str, list[Gateway]] = defaultdict(list)
        for part in (file, *file.subworkflows):
            for gateway in part.gateways:
                if gateway.raw and (own := self._reported(gateway.raw, gateway.path or ())) is not MISSING:
                    found[canonical_text(own)].append(gateway)
        return found

    def _reported(self, value: Any, path: Path) -> Any:
        """Return a value without the structure in it; MISSING if it is all structure."""
        if isinstance(value, dict) and value:
            items = {key: self._reported(inner, (*path, key)) for key, inner in value.items()}
            return {key: inner for key, inner in items.items() if inner is not MISSING} or MISSING
        if isinstance(value, list) and value:
            parts = [self._reported(inner, path) for inner in value]
            return [inner for inner in parts if inner is not MISSING] or MISSING
        return MISSING if self.table.class_of(path) == "structure" else value

    def _data(self, element: Element | None, renamed: dict[str, str]) -> Any:
        if element is None:
            return {}
        if self.written:
            return canonical({} if element.raw is None else element.raw, self._path(element), self.table, renamed)
        names = [name for name in _NEUTRAL_FIELDS if hasattr(element, name)]
        data = {
            name: list(value) if isinstance(value, tuple) else value
            for name in names
            if (value := getattr(element, name))
        }
        if isinstance(element, Workflow):
            described = {item.id: item.description for item in element.data_items if item.description}
            data |= {"data": described} if described else {}
        if isinstance(element, Workflow) or (isinstance(element, Task) and element.workflow in self.expanded):
            data |= {"name": element.name, "description": element.description}  # the alignment compares those of steps
        return data

    def _span(self, file: Workflow, path: Path | None, change: ValueChange) -> SourceSpan | None:
        """Return the position of a changed value, or of the nearest value around it."""
        return None if path is None or not self.written else file.span_of((*path, *change.path))

    def _is_in_statements(self, elements: tuple[_Element | None, ...], change: ValueChange) -> bool:
        """Return whether both values are part of the statements of steps, which the alignment and WR106 compare."""
        for element, value in zip(elements, (change.golden, change.candidate), strict=True):
            if value is MISSING:
                continue
            if not isinstance(element, Task) or element.workflow in self.expanded:
                return False
            if _text(value).strip() not in element.statement:
                return False
        return True

    def _path(self, element: Element) -> Path:
        return (element.path or ()) if self.written else ()

    def _same(self, golden: Any, candidate: Any) -> bool:
        """Return whether two scalars are the same value.

        The unquoted text of a boolean, number or date is another value than the quoted text, except for words in a
        format that is read as YAML 1.2. Nothing is not the text "null".
        """
        words = self.table.yaml12 and not any(char.isdecimal() for char in f"{golden}{candidate}")
        if not words and isinstance(golden, Unquoted) is not isinstance(candidate, Unquoted):
            return False
        if (golden is None) is not (candidate is None):
            return False
        if isinstance(golden, str) and isinstance(candidate, str):
            return golden == candidate
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (golden, candidate))
        if (numbers or type(golden) is type(candidate)) and golden == candidate:
            return True
        return not self.table.typed and _text(golden) == _text(candidate)

    def _class(self, paths: _Paths, change: ValueChange) -> Class | None:
        """Return the class of a change: of a subtree, the most serious class of a value in it. None if it is none.

        A value that is the default has no effect: none would mean the same.
        """
        values = change.golden, change.candidate
        if _end_alike(change):
            return None
        leaves = [
            leaf
            for path, value in zip(paths, values, strict=True)
            if path is not None
            for leaf in leaves_of(value, (*path, *change.path))
        ]
        path = next(path for path in paths if path is not None)
        found = {"presentation" if self.table.is_default(*leaf) else self.table.class_of(leaf[0]) for leaf in leaves}
        found |= {self.table.class_of((*path, *change.path))} if change.moved else set()  # the order of the list
        kind: Class = min(found, key=CLASSES.index, default="unknown")
        if kind == "reference":
            return "effect" if change.moved else self._class_of_reference(*values)
        if kind == "effect" and all(isinstance(value, str) and _DURATION.fullmatch(value) for value in values):
            return "presentation" if _equal_quantities(*values) else kind
        return self._class_of_argument([leaf for leaf, _ in leaves], *values) if kind == "argument" else kind

    def _class_of_argument(self, paths: Iterable[Path], golden: Any, candidate: Any) -> Class:
        """Return the class of a changed argument.

        Executed values, and values that exclude each other (another number, switch or word), have an effect. Other
        white space, and an equal quantity in other words, have none. A value that may be the id of the matched step,
        and everything else, needs a review.
        """
        if any(isinstance(key, str) and _plain(key) in _EXECUTED for path in paths for key in path):
            return "effect"
        if MISSING in (golden, candidate) or any(isinstance(value, dict | list) for value in (golden, candidate)):
            return "argument"
        one, other = _text(golden), _text(candidate)
        if type(golden) is not type(candidate) and one.casefold() == other.casefold():
            return "argument"
        if one.split() == other.split() or _equal_quantities(one, other):
            return "presentation"
        if one.casefold().split() == other.casefold().split() or self.renamed.get(other) == one:
            return "argument"
        words = _WORD.fullmatch(one) and _WORD.fullmatch(other)
        return "effect" if words or contradictions(one, other) else "argument"

    def _class_of_reference(self, golden: Any, candidate: Any) -> Class | None:
        """Return the class of a changed reference; None if both refer to the same step."""
        if any(isinstance(value, dict | list) for value in (golden, candidate)):
            return "structure"
        if candidate in self.renamed and self.renamed[candidate] == golden:
            return None
        gone = golden in self.ids and golden not in self.renamed.values()
        new = candidate in self.ids and candidate not in self.renamed
        return "structure" if gone or new else "effect"

    def _observation(
        self,
        element: _Element,
        paths: _Paths,
        change: ValueChange,
        kind: Class,
        steps: tuple[int, ...],
    ) -> Observation:
        path = next(path for path in paths if path is not None)
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
            golden_location=self._span(self.golden_file, paths[0], change),
            location=self._span(self.candidate_file, paths[1], change),
            golden_value=was,
            candidate_value=now,
        )


def _equal_quantities(one: str, other: str) -> bool:
    """Return whether two texts are the same quantity with a unit ("30m", "half an hour")."""
    found = [quantities(tokens(plain_text(_MINUTES.sub(" min", text)))) for text in (one, other)]
    return all(len(each) == 1 and each[0].dimension for each in found) and found[0][0].agrees(found[1][0])


def _end_alike(change: ValueChange) -> bool:
    """Return whether two scripts differ only in line feeds at their end."""
    texts = change.golden, change.candidate
    if not all(isinstance(text, str) for text in texts):
        return False
    script = bool(change.path) and change.path[-1] in _SCRIPTS
    inner = all("\n" in text.rstrip("\n") for text in texts)
    return (script or inner) and texts[0].rstrip("\n") == texts[1].rstrip("\n")


def _contradict(change: ValueChange) -> bool:
    texts = change.golden, change.candidate
    return all(isinstance(text, str) for text in texts) and bool(contradictions(*texts))


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
    return "" if value is MISSING else canonical_text(value)


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
