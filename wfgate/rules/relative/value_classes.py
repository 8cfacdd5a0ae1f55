"""The changed values of a pair of files, each with its class."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any

from wfgate.compare import (
    MISSING,
    SIGNIFICANT,
    Comparison,
    Surroundings,
    ValueChange,
    ValueRules,
    holm,
    leaves_of,
    shown_path,
    value_changes,
)
from wfgate.language import Quantity, contradictions, plain_text, quantities, tokens
from wfgate.model import Element, Gateway, Task, Workflow
from wfgate.read import (
    CLASSES,
    NEUTRAL,
    Class,
    Consequences,
    Path,
    Remainder,
    Unquoted,
    canonical_text,
    consequences_of,
)
from wfgate.rules.conditions import renamed_ids
from wfgate.rules.relative.attachments import by_user
from wfgate.rules.relative.canonical import canonical, keys_of, named_items, renamed_items
from wfgate.rules.relative.commands import are_joined, changed_commands, commands_of, only_prints, without_prompt
from wfgate.rules.relative.elements import composite_pairs, one_to_one, same_flow
from wfgate.rules.relative.pieces import changed_pieces
from wfgate.rules.relative.remarks import (
    SETTING,
    changed_boxes,
    changed_settings,
    contradicting,
    has_progress,
    has_remark,
    headings,
    is_inverted,
    is_prerequisite,
    left_out,
    other_sentences,
    removed_demands,
    reworded_demands,
    switched_off,
    turned_off,
)
from wfgate.rules.relative.value_words import REMARK, REMARKS, text_of

_NEUTRAL_FIELDS = (
    *("action", "timeout", "external", "params", "inputs", "outputs", "join", "semantics", "tags"),
    *("critical", "optional", "any_order"),
)
"""Fields of the model that are compared if the files have different formats, or no data."""
_EXECUTED = re.compile(
    r"run|commands?|cmd|args|scripts?|source|((js|python|function)?code)|shell|entrypoint|image|container|sql|query|url|"
    r"uri|endpoint|env|environment"
)
"""Names of arguments whose values are executed, in lower case without dashes; nested values count too."""
_WORD = re.compile(r"[+-]?\d+([.,]\d+)?|[\w-]{1,40}")
"""A number, a switch or a name: an argument of one word. Not a text, path, file or expression."""
_DURATION = re.compile(r"\d+(\.\d+)? ?[a-z]+")
_AROUND = re.compile(r"\w+|[^\w\s+.,;:()]+")
_ARTICLES = frozenset({"a", "an", "the", "for", "of"})
"""Words around a quantity that change nothing."""
_LARGEST = 2**53
"""A larger number in a file is rounded by programs whose numbers have 64 bits; a text is not."""
_SCRIPTS = frozenset({"run", "script", "source", "code"})
"""Keys of scripts: line feeds at their end have no effect."""
_IDENTIFIER = re.compile(r"(?<![\w`])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*-\d+(?![\w`])")
"""An identifier that ends with a number ("eu-west-1")."""
_MINUTES = re.compile(r"(?<=\d)m\b")
"""In an argument "30m" means 30 minutes."""

Compared = Workflow | Task | Gateway | None
Paths = tuple[Path | None, Path | None]
"""Path of an element in the golden and in the candidate; None if there is none."""


@dataclass(frozen=True)
class Changed:
    """A changed value of two elements.

    Attributes:
        paths: The paths of the elements that contain the value.
        change: The change, with its path in the element.
        kind: Class of the value.
        p_value: Of a sentence in other words, the Holm-adjusted p-value as a harmless rewording; None for all others.
    """

    paths: Paths
    change: ValueChange
    kind: Class
    p_value: float | None = None


class Values:
    """Compares the data of the elements of two files, by the table of their format."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        golden, candidate = self.files = comparison.files
        raw = golden.raw is not None and candidate.raw is not None
        self.written = raw and golden.format == candidate.format
        self.others = comparison.contract.surroundings
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

    def place(self, changed: Changed) -> str:
        """Return the path of a changed value in its element as text; parts that are no steps have their id in it."""
        path, shown = changed.change.path, list(changed.change.path)
        whole = changed.change.candidate is MISSING and path in self._names[0]
        side = 0 if whole else 1
        if changed.paths[side] == ():
            for end in range(1, len(path) + 1):
                shown[end - 1] = self._names[side].get(path[:end], path[end - 1])
        return shown_path(tuple(shown))

    def part(self, changed: Changed) -> tuple[str, str]:
        """Return the id of the part (no step) that contains a changed value, and the path in it; empty if none."""
        path = changed.change.path
        names = self._names[1] if changed.paths[1] == () else {}
        for end in range(1, len(path)):
            if path[:end] in names:
                return names[path[:end]], shown_path(path[end:])
        return "", ""

    def changes(self, golden: Compared, candidate: Compared) -> Iterator[Changed]:
        """Yield the changed values of two elements and their definitions."""
        for was, now in zip_longest(self._parts(golden), self._parts(candidate)):
            paths = self._path(was), self._path(now)
            rules = self._rules(_first(paths))
            data = self._data(was, {}), self._data(now, self.renamed)
            for change in value_changes(*data, rules):
                resolved = self._is_resolved(paths, change) or self._is_same_decision(paths, change)
                kind = "structure" if resolved else self._class(paths, change)
                if kind == "effect" and self._is_same_code(paths, change, data):
                    kind = "presentation"
                if kind == "effect" and self._is_harmless_script(golden, candidate, change):
                    kind = "argument"
                if kind == "structure" and self._is_now_literal(paths, change):
                    kind = "effect"
                lost = change.path == ("name",) and self._is_lost_heading(golden)
                if kind == "text" and (lost or self._excludes((golden, candidate), change)):
                    kind = "argument"
                if kind is not None:
                    yield Changed(paths, change, kind)
            yield from (Changed(paths, *found) for found in self._text_changes(was, now))
            if was is self.files[0] and now is self.files[1] and self.files[0].marked:
                yield from self._remarks(paths)
        paths = self._path(golden), self._path(candidate)
        for change, kind in self._turned_off(golden, candidate):
            yield Changed(paths, change, kind)

    def _text_changes(self, golden: Element | None, candidate: Element | None) -> Iterator[tuple[ValueChange, Class]]:
        """Yield the changed code and links of two elements, and the changed sentences around the steps."""
        texts = self._text(golden), self._text(candidate)
        for what, was, now in changed_pieces(*texts):
            yield ValueChange((what,), was, now), "argument"
        commands = list(changed_commands(*texts, self._commands))
        for command in commands:
            called = any(" " in one for one in command[:2])
            change = ValueChange(
                ("command" if called else "code",), command.golden or MISSING, command.candidate or MISSING
            )
            yield change, "effect" if command.certain else "argument"
        if isinstance(golden, Workflow) and isinstance(candidate, Workflow):
            elsewhere = "\n".join(text for each in (golden, candidate) for text in (each.name, each.description))
            others = self._other_texts(golden)
            reported = {one for command in commands for one in command[:2] if one}
            for was, now in chain(switched_off(*texts, others), contradicting(*texts, elsewhere, others)):
                if reported.intersection(without_prompt(one.strip("`")) for one in (was, now)):
                    continue
                yield ValueChange((REMARK,), was or MISSING, now or MISSING), "argument"
            for key, was, now in changed_settings(*texts):
                yield ValueChange(("front matter", key), was or MISSING, now or MISSING), "argument"

    def _remarks(self, paths: Paths) -> Iterator[Changed]:
        """Yield the demands around the steps that the candidate lost; as one change, the other sentences that differ.

        Only of running text: the description in a file of data is often the request of a user, which states what the
        steps do.
        """
        golden, candidate = (self._around(file) for file in self.files)
        whole = self._whole(self.files[0]), self._whole(self.files[1])
        texts = self._text(self.files[0]), self._text(self.files[1])
        others = self._other_texts(self.files[0])
        paired = {one for pair in chain(switched_off(*texts), contradicting(*texts, "")) for one in pair}
        changes = chain(switched_off(*texts, others), contradicting(*texts, "", others))
        reported = {one for pair in changes for one in pair}
        reported |= {f"{SETTING}{key}: {value}" for key, *pair in changed_settings(*texts) for value in pair}
        commands = [change.golden for change in changed_commands(*texts, self._commands) if change.golden]
        paired |= {name for name, same in self._renamed_headings.items() if same or name in self._gone_demands}
        gone = [
            one for one in self._gone_demands if one not in paired and not any(command in one for command in commands)
        ]
        for sentence in gone:
            yield Changed(paths, ValueChange((REMARK,), sentence, MISSING), "argument")
        steps = [task.text for task in self.comparison.golden.tasks]
        permitted = left_out(whole[0], candidate, steps, [other.whole for other in self.others])
        for sentence in (one for one in permitted if one not in reported):
            yield Changed(paths, ValueChange((REMARK,), MISSING, sentence), "argument")
            gone.append(sentence)
        doubted = list(self._doubted_demands(golden, whole, paired))
        headed = {task.name for task in _composites(self.files[1])}
        for was, now, p_value in doubted:
            also = now not in headed and has_remark(candidate, now)  # a step, a heading or a title is no other remark
            yield Changed(paths, ValueChange((REMARK,), was, now if also else MISSING), "argument", p_value)
            gone += [was, now]
        elements: list[Workflow | Task] = [*self.files, *(task for file in self.files for task in _composites(file))]
        compared = [text for each in elements for text in (each.name, each.description)]
        lost, new = other_sentences(golden, candidate, "\n".join([*compared, *reported, *gone]))
        if lost or new:
            yield Changed(paths, ValueChange((REMARKS,), lost or MISSING, new or MISSING), "text")

    @cached_property
    def _gone_demands(self) -> list[str]:
        """The demands around the steps of the golden that the candidate does not say."""
        whole = self._whole(self.files[0]), self._whole(self.files[1])
        return list(removed_demands(self._around(self.files[0]), whole, [other.whole for other in self.others]))

    @cached_property
    def _renamed_headings(self) -> dict[str, bool]:
        """The headings with other words in the candidate, each with whether it says the same.

        It does above the same steps, with another form of its first word ("Verify", "Verification").
        """
        found: dict[str, bool] = {}
        for pair in composite_pairs(self.comparison):
            golden, candidate = pair.golden, pair.candidate
            if golden is not None and candidate is not None and golden.name != candidate.name:
                steps = [[task.statement for task in part.tasks] if part else [] for part in pair.parts]
                found[golden.name] = (
                    found.get(golden.name, True) and steps[0] == steps[1] != [] and _begin_alike(golden, candidate)
                )
        return found

    def _is_lost_heading(self, golden: Compared) -> bool:
        """Return whether the new name of a section leads to a review: its old name demands what nothing says now."""
        if self.written or not isinstance(golden, Task) or self._renamed_headings.get(golden.name, True):
            return False
        return golden.name in self._gone_demands

    def describes(self, sentence: str) -> str:
        """Return what a sentence around the steps of the golden is: "prerequisite" or "remark"."""
        return "prerequisite" if is_prerequisite(self._around(self.files[0]), sentence) else "remark"

    def _doubted_demands(
        self, golden: str, whole: tuple[str, str], paired: Collection[str]
    ) -> Iterator[tuple[str, str, float]]:
        """Yield the demands around the steps whose other words are no harmless rewording, with these and the p-value.

        A demand has the p-value of its best wording in the best of the sentences that may say it: one of them is
        enough. The p-values are Holm-adjusted for the number of demands in other words.

        Args:
            golden: The text around the steps of the golden.
            whole: The whole texts of both files.
            paired: Sentences that are reported already.
        """
        model = self.comparison.meaning_model
        if model is None or not model.calibrated:
            return
        demands = reworded_demands(golden, whole, [other.whole for other in self.others])
        asked = [(wordings, said) for wordings, said in demands if wordings[0] not in paired]
        pairs = [[(wording, one) for wording in wordings for one in said] for wordings, said in asked]
        scores = iter(model.compare([pair for each in pairs for pair in each]))
        best = [
            max((model.p_value(next(scores).logit, len(wording.split())), now) for wording, now in each)
            for each in pairs
        ]
        adjusted = holm([p_value for p_value, _ in best])
        for (wordings, _), (_, now), p_value in zip(asked, best, adjusted, strict=True):
            if p_value <= SIGNIFICANT or is_inverted(wordings[0], now):
                yield wordings[0], now, p_value

    def _around(self, file: Workflow) -> str:
        """Return the text around the steps of a file, also of those in its composites."""
        around: list[Workflow | Task] = [file, *(task for task in _composites(file) if task.workflow in self.expanded)]
        return "\n".join(each.marked or each.description for each in around)

    def _other_texts(self, golden: Workflow) -> list[str]:
        """Return the texts around the steps of the further references; none for a sub-workflow."""
        return [other.text for other in self.others] if golden is self.files[0] else []

    def surroundings(self, file: Workflow) -> Surroundings:
        """Return the texts of a file that belong to no step."""
        return Surroundings(file.name, file.description, self._text(file), self._whole(file))

    def _whole(self, file: Workflow) -> str:
        """Return all texts of a file."""
        parts = (file, *file.subworkflows)
        every: list[Workflow | Task] = [*parts, *(task for part in parts for task in part.tasks)]
        return "\n".join(text for one in every for text in (one.marked, one.name, one.description) if text)

    @cached_property
    def _commands(self) -> tuple[Counter[str], Counter[str]]:
        """The commands in all texts of both files."""
        golden, candidate = (commands_of(self._whole(file)) for file in self.files)
        return golden, candidate

    @cached_property
    def _has_progress(self) -> bool:
        """Whether `[-]` is the box of a step in progress. The golden decides; the candidate has no say."""
        return has_progress(self._whole(self.files[0]))

    def _turned_off(self, golden: Compared, candidate: Compared) -> Iterator[tuple[ValueChange, Class]]:
        """Yield the new headings and boxes that say that the steps below them are not done, or may be left out."""
        texts = self._text(golden), self._text(candidate)
        if isinstance(candidate, Task):
            for now, cancelled in changed_boxes(*texts, progress=self._has_progress):
                yield ValueChange(("box",), MISSING, now), "effect" if cancelled else "argument"
        if candidate is self.files[1] or (isinstance(candidate, Task) and candidate.workflow in self.expanded):
            names = (getattr(each, "name", "") for each in (golden, candidate))
            above = ("\n".join((name, headings(text))).strip() for name, text in zip(names, texts, strict=True))
            for was, now in turned_off(*above):
                yield ValueChange(("heading",), was or MISSING, now), "effect"

    def is_in_statements(self, elements: tuple[Compared, Compared], change: ValueChange) -> bool:
        """Return whether both values are part of the statements of steps, which the alignment and WR106 compare."""
        for element, value in zip(elements, (change.golden, change.candidate), strict=True):
            if value is MISSING:
                continue
            if not isinstance(element, Task) or element.workflow in self.expanded:
                return False
            if text_of(value).strip() not in element.statement:
                return False
        return True

    def _excludes(self, elements: tuple[Compared, Compared], change: ValueChange) -> bool:
        """Return whether two texts cannot both be right; WR106 compares the statements of steps, except for code."""
        golden, candidate = change.golden, change.candidate
        if not isinstance(golden, str) or not isinstance(candidate, str):
            return False
        if elements[0] is self.files[0] and change.path in {("name",), ("description",)}:
            others = (getattr(other, change.path[0]) for other in self.others)
            if any(other and not self._exclude(elements, replace(change, golden=other)) for other in others):
                return False
        return self._exclude(elements, change)

    def _exclude(self, elements: tuple[Compared, Compared], change: ValueChange) -> bool:
        golden, candidate = change.golden, change.candidate
        if any(changed_pieces(golden, candidate)) or any(changed_commands(golden, candidate)):
            return True
        if self.is_in_statements(elements, change):
            return False
        named = change.path[-1:] == ("name",)
        texts = (_as_sentence(text) if named else text for text in (golden, candidate))
        return bool(contradictions(*texts))

    def gateways(self) -> Iterator[tuple[Gateway | None, Gateway | None]]:
        """Yield the gateways whose data only one side has, in pairs; gateways are not aligned."""
        golden, candidate = map(self._gateways_by_data, self.files)
        gone = [gate for text in sorted(golden) for gate in golden[text][len(candidate[text]) :]]
        new = [gate for text in sorted(candidate) for gate in candidate[text][len(golden[text]) :]]
        return zip_longest(gone, new)

    def _gateways_by_data(self, file: Workflow) -> defaultdict[str, list[Gateway]]:
        """Return the gateways with data, by the data that are reported if they change."""
        found: defaultdict[str, list[Gateway]] = defaultdict(list)
        for gateway in (gateway for part in (file, *file.subworkflows) for gateway in part.gateways):
            if gateway.raw and (own := self._reported(gateway.raw, gateway.path or ())) is not MISSING:
                found[canonical_text(own)].append(gateway)
        return found

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

    def _rules(self, path: Path) -> ValueRules:
        """Return how the values of an element at a path are compared."""
        return ValueRules(
            same=self._same,
            unordered=lambda inner: self.table.is_unordered((*path, *inner)),
            respelled=lambda inner, golden, candidate: self.table.is_respelled((*path, *inner), golden, candidate),
            alike=lambda inner, golden, candidate: self.table.alike((*path, *inner), golden, candidate),
            keys=lambda inner, item: keys_of(item, (*path, *inner), self.table),
            distinct=lambda inner: bool(self.table.keys_of_items((*path, *inner))),
        )

    def _parts(self, element: Compared) -> tuple[Element, ...]:
        """Return an element and its definitions."""
        if element is None:
            return ()
        return (element, *element.definitions) if self.written else (element,)

    def _path(self, element: Element | None) -> Path | None:
        return None if element is None else (element.path or ()) if self.written else ()

    def _text(self, element: Element | None) -> str:
        """Return the text of an element with its marks; empty for data, whose texts are compared as values."""
        if not isinstance(element, Workflow | Task) or self.written:
            return ""
        return element.marked or f"{element.name}\n{element.description}"

    def _data(self, element: Element | None, renamed: dict[str, str]) -> Any:
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

    def _is_resolved(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether both values of a change are references or expressions that the reader translated."""
        for resolved, path, value in zip(self.resolved, paths, (change.golden, change.candidate), strict=True):
            whole = (*(path or ()), *change.path)
            known = value is MISSING or path is None
            if not known and not any(whole[:end] in resolved for end in range(len(whole) + 1)):
                return False
        return True

    def _is_harmless_script(self, golden: Compared, candidate: Compared, change: ValueChange) -> bool:
        """Return whether a new step only prints something, or a script has the lines of steps merged into its step."""
        if len(change.path) != 1 or not isinstance(change.path[0], str) or change.path[0] not in _SCRIPTS:
            return False
        if golden is None:
            return only_prints(change.candidate)
        scripts = self._merged_scripts(golden, candidate, change.path[0])
        return bool(scripts) and isinstance(change.candidate, str) and are_joined(scripts, change.candidate)

    def _merged_scripts(self, golden: Compared, candidate: Compared, key: str) -> list[str]:
        """Return the scripts of the steps merged into a step, in their order; empty if they do more or are apart."""
        tasks, into = self.comparison.golden.tasks, self.comparison.candidate.tasks
        merges = (each for each in self.comparison.alignment.merges if into[each.candidate] is candidate)
        steps = next(([tasks[at] for at in sorted(merge.golden)] for merge in merges), [])
        first = steps[0].path if steps else None
        if not first or not isinstance(first[-1], int) or not any(step is golden for step in steps):
            return []
        if [step.path for step in steps] != [(*first[:-1], first[-1] + place) for place in range(len(steps))]:
            return []
        raws = [step.raw for step in steps if isinstance(step.raw, dict) and step.raw.keys() <= {"name", key}]
        scripts = [raw[key] for raw in raws if isinstance(raw.get(key), str)]
        return scripts if len(scripts) == len(steps) else []

    def _is_same_decision(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether a change is in the conditions or targets of choices, and both files provably flow alike."""
        values = zip(paths, (change.golden, change.candidate), strict=True)
        leaves = [leaf for path, value in values for leaf, _ in leaves_of(value, (*(path or ()), *change.path))]
        return bool(leaves) and all(map(self.table.is_decision, leaves)) and self._flows_alike

    @cached_property
    def _flows_alike(self) -> bool:
        return one_to_one(self.comparison) and same_flow(self.comparison, self.translated)

    def _is_same_code(self, paths: Paths, change: ValueChange, data: tuple[Any, Any]) -> bool:
        """Return whether two values are the same code with other comments or another layout."""
        values = change.golden, change.candidate
        return self.table.is_same_code(
            (*_first(paths), *change.path), values, (_around(data[0], change.path), _around(data[1], change.path))
        )

    def _is_now_literal(self, paths: Paths, change: ValueChange) -> bool:
        """Return whether one of two conditions is evaluated and the other is a text."""
        path = (*_first(paths), *change.path)
        literal = [self.table.is_literal(path, value) for value in (change.golden, change.candidate)]
        return MISSING not in (change.golden, change.candidate) and literal[0] is not literal[1]

    def _same(self, golden: Any, candidate: Any) -> bool:
        """Return whether two scalars are the same value.

        The unquoted text of a boolean, number or date is another value than the quoted text, except for words in a
        format that is read as YAML 1.2. Nothing is not the text "null", and a number above `_LARGEST` is no text.
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
        large = any(isinstance(value, int | float) and abs(value) > _LARGEST for value in (golden, candidate))
        return not self.table.typed and not large and text_of(golden) == text_of(candidate)

    def _class(self, paths: Paths, change: ValueChange) -> Class | None:
        """Return the class of a change: of a subtree, the most serious class of a value in it. None if it is none.

        A value that is the default has no effect: none would mean the same.
        """
        values = change.golden, change.candidate
        if _end_alike(change):
            return None
        if MISSING in values and self.table.is_assigned((*_first(paths), *change.path)):
            return "presentation"
        leaves = [
            leaf
            for path, value in zip(paths, values, strict=True)
            if path is not None
            for leaf in leaves_of(value, (*path, *change.path))
        ]
        found = {"presentation" if self.table.is_default(*leaf) else self.table.class_of(leaf[0]) for leaf in leaves}
        if change.moved:
            found.add(self.table.class_of((*_first(paths), *change.path)))  # the order of the list
        kind: Class = min(found, key=CLASSES.index, default="unknown")
        if kind == "reference":
            return "effect" if change.moved else self._class_of_reference(*values)
        if kind == "effect" and all(isinstance(value, str) and _DURATION.fullmatch(value) for value in values):
            return "presentation" if _equal_quantities(*values) else kind
        return self._class_of_argument([leaf for leaf, _ in leaves], *values) if kind == "argument" else kind

    def _class_of_argument(self, paths: Iterable[Path], golden: Any, candidate: Any) -> Class:
        """Return the class of a changed argument.

        Executed values, and values that exclude each other (another number, switch or word), have an effect. Other
        line breaks in a text, and an equal quantity in other words, have none. A value that may be the id of the
        matched step, other white space, and everything else, needs a review.
        """
        if any(isinstance(key, str) and _EXECUTED.fullmatch(_plain(key)) for path in paths for key in path):
            return "effect"
        if MISSING in (golden, candidate) or any(isinstance(value, dict | list) for value in (golden, candidate)):
            return "argument"
        one, other = text_of(golden), text_of(candidate)
        if type(golden) is not type(candidate) and one.casefold() == other.casefold():
            return "argument"
        if _reflowed(one, other) or _equal_quantities(one, other):
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


def _around(data: Any, path: Path) -> Any:
    """Return the mapping that contains a path in data; None if it is in a list, whose positions may differ."""
    for key in path[:-1]:
        if not isinstance(key, str) or not isinstance(data, dict):
            return None
        data = data.get(key)
    return data


def _begin_alike(golden: Task, candidate: Task) -> bool:
    return golden.name.casefold()[:4] == candidate.name.casefold()[:4]


def _composites(file: Workflow) -> list[Task]:
    """Return the steps of a file that call a sub-workflow."""
    return [task for part in (file, *file.subworkflows) for task in part.tasks if task.workflow]


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


def _first(paths: Paths) -> Path:
    return next(path for path in paths if path is not None)


def _reflowed(one: str, other: str) -> bool:
    """Return whether two texts of several words have the same words on other lines."""
    words = one.split()
    return len(words) > 1 and words == other.split() and "\n" in one + other


def _equal_quantities(one: str, other: str) -> bool:
    """Return whether two texts are the same quantity with a unit ("30m", "half an hour").

    The signs and words around it are the same, too: "-80 %" is not "80 %", and "at least 5 min" is not "5 min".
    """
    found = [_quantity(_MINUTES.sub(" min", text)) for text in (one, other)]
    if None in found:
        return False
    (quantity, around), (twin, beside) = (each for each in found if each is not None)
    return quantity.equals(twin) and around == beside


def _quantity(text: str) -> tuple[Quantity, list[str]] | None:
    """Return the only number of a text, which has a unit, and the signs and words around it; None if there is none."""
    plain = plain_text(text)
    every = tokens(plain)
    found = quantities(every)
    if len(found) != 1 or not found[0].dimension:
        return None
    start, end = every[found[0].place].start, every[found[0].behind - 1].end
    rate = "/" if "/" in plain[start:end] else ""
    around = _AROUND.findall(f"{plain[:start]} {rate} {plain[end:]}".casefold())
    return found[0], [word for word in around if word not in _ARTICLES]


def _end_alike(change: ValueChange) -> bool:
    """Return whether two scripts differ only in line feeds at their end."""
    texts = change.golden, change.candidate
    if not all(isinstance(text, str) for text in texts) or type(texts[0]) is not type(texts[1]):
        return False
    script = bool(change.path) and change.path[-1] in _SCRIPTS
    inner = all("\n" in text.rstrip("\n") for text in texts)
    return (script or inner) and texts[0].rstrip("\n") == texts[1].rstrip("\n")


def _as_sentence(name: str) -> str:
    """Return a heading or name in a sentence, as words; only what ends with a number is an identifier.

    A contradiction needs an object that both texts share. "staging" and "production" alone share none, but as names
    around the same steps they exclude each other.
    """
    return "The heading of the section: " + _IDENTIFIER.sub(r"`\g<0>`", plain_text(name).replace("_", " "))


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
