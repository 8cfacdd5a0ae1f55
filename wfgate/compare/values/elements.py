"""The data of the elements of both files, in the form in which they are compared."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import Any

from wfgate.compare.comparison import Comparison
from wfgate.compare.flows import renamed_ids
from wfgate.compare.values.canonical import by_user, canonical, named_items, renamed_items
from wfgate.compare.values.changes import MISSING, Difference, shown_path
from wfgate.model import Element, Gateway, Task, Workflow
from wfgate.read import NEUTRAL, Consequences, Path, Remainder, canonical_text, consequences_of

_NEUTRAL_FIELDS = (
    *("action", "timeout", "external", "params", "inputs", "outputs", "join", "semantics", "tags"),
    *("critical", "optional", "any_order"),
)
"""Fields of the model that are compared if the files have different formats, or no data."""

Compared = Workflow | Task | Gateway | None


class ElementData:
    """The elements of two files: their data, the ids that belong together, and how two values are compared.

    Attributes:
        files: Golden and candidate as written.
        written: Whether the data of the files are compared; if not, the elements are, in the terms of the model.
        table: What the format says about its values.
        renamed: The id that replaces an id of the candidate in its references.
        ids: The ids of the steps of both files.
        resolved: The paths of values that a reader translated, by file.
        expanded: The names of the sub-workflows whose steps are steps of the workflow.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        golden, candidate = self.files = comparison.files
        raw = golden.raw is not None and candidate.raw is not None
        self.written = raw and golden.format == candidate.format
        self.unread: tuple[dict[str, _Item], dict[str, _Item]] = {}, {}
        self._names: tuple[dict[Path, str], ...] = {}, {}
        self.twins: tuple[set[str], set[str]] = set(), set()
        self.table = consequences_of(golden.format) if self.written else NEUTRAL
        self.resolved = frozenset(golden.resolved), frozenset(candidate.resolved)
        self.renamed = renamed_ids(comparison)
        closed = {task.workflow for side in (comparison.golden, comparison.candidate) for task in side.tasks}
        self.expanded = {part.name for file in self.files for part in file.subworkflows} - closed
        if self.written:
            self.renamed |= renamed_items(golden.raw, candidate.raw, self.table, self.renamed)
            self.unread = _unread(golden, self.table), _unread(candidate, self.table)
            reused = {was for now, was in self.renamed.items() if was != now} - self.renamed.keys()
            here = _ids(candidate) | self.unread[1].keys()
            self.renamed |= {was: f"{was} ({'another step' if was in here else 'no step'})" for was in reused}
            self._names = tuple({path: name for name, (path, _) in each.items()} for each in self.unread)
            self.twins = (
                {step.task.id for step in comparison.additions if step.is_surplus} & self.unread[0].keys(),
                {fate.task.id for fate in comparison.fates if fate.is_unaligned} & self.unread[1].keys(),
            )
            own, other = map(_ids, self.files)
            self.renamed |= {gone: f"{gone} (no step)" for gone in own - other - self.renamed.keys() - self.twins[1]}
        self.ids = _ids(golden) | _ids(candidate)

    def translated(self, text: str) -> str:
        """Return a text of the candidate with the golden's ids in its references to steps."""
        return self.table.with_ids(text, self.renamed) if self.written else text

    def twin(self, task: Task, side: int) -> Task | None:
        """Return the part of a file (0: golden, 1: candidate) with the id of a step that is no step there, if any.

        An example is a disabled node of n8n: its data are compared with those of the step.
        """
        if task.id not in self.twins[side]:
            return None
        path, raw = self.unread[side][task.id]
        return task.model_copy(update={"path": path, "raw": raw, "definitions": (), "marked": ""})

    def place(self, difference: Difference) -> str:
        """Return the path of a changed value in its element as text; parts that are no steps have their id in it."""
        path, shown = difference.change.path, list(difference.change.path)
        whole = difference.change.candidate is MISSING and path in self._names[0]
        side = 0 if whole else 1
        if difference.paths[side] == ():
            for end in range(1, len(path) + 1):
                shown[end - 1] = self._names[side].get(path[:end], path[end - 1])
        return shown_path(tuple(shown))

    def part(self, difference: Difference) -> tuple[str, str]:
        """Return the id of the part (no step) that contains a changed value, and the path in it; empty if none."""
        path = difference.change.path
        names = self._names[1] if difference.paths[1] == () else {}
        for end in range(1, len(path)):
            if path[:end] in names:
                return names[path[:end]], shown_path(path[end:])
        return "", ""

    def gateways(self) -> Iterator[tuple[Gateway | None, Gateway | None]]:
        """Yield the gateways whose data only one side has, in pairs; gateways are not aligned."""
        golden, candidate = map(self._gateways_by_data, self.files)
        gone = [gate for text in sorted(golden) for gate in golden[text][len(candidate[text]) :]]
        new = [gate for text in sorted(candidate) for gate in candidate[text][len(golden[text]) :]]
        return zip_longest(gone, new)

    def _gateways_by_data(self, file: Workflow) -> defaultdict[str, list[Gateway]]:
        """Return the gateways with data, by the data that are reported if they change."""
        gateways: defaultdict[str, list[Gateway]] = defaultdict(list)
        for gateway in (gateway for part in (file, *file.subworkflows) for gateway in part.gateways):
            if gateway.raw and (own := self._reported(gateway.raw, gateway.path or ())) is not MISSING:
                gateways[canonical_text(own)].append(gateway)
        return gateways

    def _reported(self, value: Any, path: Path) -> Any:
        """Return a value without the structure in it; MISSING if it is all structure.

        A condition that is not evaluated becomes a fixed text, so it differs from one that is.
        """
        if isinstance(value, dict) and value:
            items = {key: self._reported(inner, (*path, key)) for key, inner in value.items()}
            return {key: inner for key, inner in items.items() if inner is not MISSING} or MISSING
        if isinstance(value, list) and value:
            parts = [part for part in (self._reported(inner, path) for inner in value) if part is not MISSING]
            return (sorted(parts, key=canonical_text) if self.table.is_unordered(path) else parts) or MISSING
        if self.table.is_literal(path, value):
            return "a text"
        return MISSING if self.table.class_of(path) == "structure" else value

    def parts(self, element: Compared) -> tuple[Element, ...]:
        """Return an element and its definitions."""
        if element is None:
            return ()
        return (element, *element.definitions) if self.written else (element,)

    def path_of(self, element: Element | None) -> Path | None:
        """Return the path of an element in its file; the empty one if the data of the files are not compared."""
        return None if element is None else (element.path or ()) if self.written else ()

    def data_of(self, element: Element | None, renamed: dict[str, str]) -> Any:
        """Return the data of an element in comparable form, with other ids of steps."""
        if element is None:
            return {}
        if self.written:
            raw = {} if element.raw is None else element.raw
            for side, file in enumerate(self.files):
                if element is file and self.twins[side]:
                    raw = _without(raw, {self.unread[side][name][0] for name in self.twins[side]})
            data = canonical(raw, element.path or (), self.table, renamed)
            return by_user(data, self.table) if isinstance(element, Workflow) else data
        given = {name: getattr(element, name, None) for name in _NEUTRAL_FIELDS}
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value}
        if isinstance(element, Workflow):
            described = {item.id: item.description for item in element.data_items if item.description}
            data |= {"data": described} if described else {}
        if isinstance(element, Workflow) or (isinstance(element, Task) and element.workflow in self.expanded):
            data |= {"name": element.name, "description": element.description}  # the alignment compares those of steps
        return data


def _ids(file: Workflow) -> set[str]:
    """Return the ids of the steps of a file and of its sub-workflows."""
    return {task.id for part in (file, *file.subworkflows) for task in part.tasks}


_Item = tuple[Path, dict[str, Any]]


def _unread(file: Workflow, table: Consequences) -> dict[str, _Item]:
    """Return the parts of a file that are no steps but that references name: path and data, by id."""
    return {item[key]: (path, item) for key, path, item in named_items(file.raw, table)}


def _without(data: Any, paths: Collection[Path], path: Path = ()) -> Any:
    """Return data without the items of lists at some paths."""
    if isinstance(data, dict):
        inner = {key for known in paths if known[: len(path)] == path for key in known[len(path) : len(path) + 1]}
        return {key: _without(value, paths, (*path, key)) if key in inner else value for key, value in data.items()}
    if isinstance(data, list):
        return Remainder((at, item) for at, item in Remainder.placed(data) if (*path, at) not in paths)
    return data
