"""What running text says besides the steps: code, links, boxes, headings, and the sentences around the steps."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain

from wfgate.compare.comparison import Comparison
from wfgate.compare.contract import Surroundings
from wfgate.compare.enclosing import composite_pairs
from wfgate.compare.fate import SIGNIFICANT
from wfgate.compare.supports import holm
from wfgate.compare.values.changes import MISSING, Difference, Paths, ValueChange, text_of
from wfgate.compare.values.commands import changed_commands, changed_pieces, commands_of, without_prompt
from wfgate.compare.values.elements import Compared, ElementData
from wfgate.compare.values.remarks import (
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
from wfgate.language import contradictions, plain_text
from wfgate.model import Task, Workflow
from wfgate.read import Class

REMARK = "remark"
"""A sentence around the steps that demands something, or switches a step off."""
REMARKS = "remarks"
"""The sentences around the steps that differ, as one value."""
_IDENTIFIER = re.compile(r"(?<![\w`])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*-\d+(?![\w`])")
"""An identifier that ends with a number ("eu-west-1")."""


class Prose:
    """Compares the texts of the elements of two files."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.data = comparison.derived(ElementData)
        self.files = self.data.files
        self.others = comparison.contract.surroundings

    def of(self, golden: Compared, candidate: Compared) -> Iterator[Difference]:
        """Yield the differences of the texts of two elements."""
        paths = self.data.path_of(golden), self.data.path_of(candidate)
        yield from (Difference(paths, *change) for change in self._text_changes(golden, candidate))
        if golden is self.files[0] and candidate is self.files[1] and self.files[0].marked:
            yield from self._remarks(paths)
        yield from (Difference(paths, *change) for change in self._turned_off(golden, candidate))

    def _text_changes(self, golden: Compared, candidate: Compared) -> Iterator[tuple[ValueChange, Class]]:
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

    def _remarks(self, paths: Paths) -> Iterator[Difference]:
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
            yield Difference(paths, ValueChange((REMARK,), sentence, MISSING), "argument")
        steps = [task.text for task in self.comparison.golden.tasks]
        permitted = left_out(whole[0], candidate, steps, [other.whole for other in self.others])
        for sentence in (one for one in permitted if one not in reported):
            yield Difference(paths, ValueChange((REMARK,), MISSING, sentence), "argument")
            gone.append(sentence)
        doubted = list(self._doubted_demands(golden, whole, paired))
        headed = {task.name for task in _composites(self.files[1])}
        for was, now, p_value in doubted:
            also = now not in headed and has_remark(candidate, now)  # a step, a heading or a title is no other remark
            yield Difference(paths, ValueChange((REMARK,), was, now if also else MISSING), "argument", p_value)
            gone += [was, now]
        elements: list[Workflow | Task] = [*self.files, *(task for file in self.files for task in _composites(file))]
        compared = [text for each in elements for text in (each.name, each.description)]
        lost, new = other_sentences(golden, candidate, "\n".join([*compared, *reported, *gone]))
        if lost or new:
            yield Difference(paths, ValueChange((REMARKS,), lost or MISSING, new or MISSING), "text")

    def _turned_off(self, golden: Compared, candidate: Compared) -> Iterator[tuple[ValueChange, Class]]:
        """Yield the new headings and boxes that say that the steps below them are not done, or may be left out."""
        texts = self._text(golden), self._text(candidate)
        if isinstance(candidate, Task):
            for now, cancelled in changed_boxes(*texts, progress=self._has_progress):
                yield ValueChange(("box",), MISSING, now), "effect" if cancelled else "argument"
        if candidate is self.files[1] or (isinstance(candidate, Task) and candidate.workflow in self.data.expanded):
            names = (getattr(each, "name", "") for each in (golden, candidate))
            above = ("\n".join((name, headings(text))).strip() for name, text in zip(names, texts, strict=True))
            for was, now in turned_off(*above):
                yield ValueChange(("heading",), was or MISSING, now), "effect"

    def is_lost_heading(self, golden: Compared) -> bool:
        """Return whether the new name of a section leads to a review: its old name demands what nothing says now."""
        if self.data.written or not isinstance(golden, Task) or self._renamed_headings.get(golden.name, True):
            return False
        return golden.name in self._gone_demands

    def excludes(self, elements: tuple[Compared, Compared], change: ValueChange) -> bool:
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

    def is_in_statements(self, elements: tuple[Compared, Compared], change: ValueChange) -> bool:
        """Return whether both values are part of the statements of steps, which the alignment and WR106 compare."""
        for element, value in zip(elements, (change.golden, change.candidate), strict=True):
            if value is MISSING:
                continue
            if not isinstance(element, Task) or element.workflow in self.data.expanded:
                return False
            if text_of(value).strip() not in element.statement:
                return False
        return True

    def describes(self, sentence: str) -> str:
        """Return what a sentence around the steps of the golden is: "prerequisite" or "remark"."""
        return "prerequisite" if is_prerequisite(self._around(self.files[0]), sentence) else "remark"

    def surroundings(self, file: Workflow) -> Surroundings:
        """Return the texts of a file that belong to no step."""
        return Surroundings(file.name, file.description, self._text(file), self._whole(file))

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
        renamed: dict[str, bool] = {}
        for pair in composite_pairs(self.comparison):
            golden, candidate = pair.golden, pair.candidate
            if golden is not None and candidate is not None and golden.name != candidate.name:
                steps = [[task.statement for task in part.tasks] if part else [] for part in pair.parts]
                same = steps[0] == steps[1] != [] and golden.name.casefold()[:4] == candidate.name.casefold()[:4]
                renamed[golden.name] = renamed.get(golden.name, True) and same
        return renamed

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
        parts = (task for task in _composites(file) if task.workflow in self.data.expanded)
        around: list[Workflow | Task] = [file, *parts]
        return "\n".join(each.marked or each.description for each in around)

    def _other_texts(self, golden: Workflow) -> list[str]:
        """Return the texts around the steps of the further references; none for a sub-workflow."""
        return [other.text for other in self.others] if golden is self.files[0] else []

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

    def _text(self, element: Compared) -> str:
        """Return the text of an element with its marks; empty for data, whose texts are compared as values."""
        if not isinstance(element, Workflow | Task) or self.data.written:
            return ""
        return element.marked or f"{element.name}\n{element.description}"


def _composites(file: Workflow) -> list[Task]:
    """Return the steps of a file that call a sub-workflow."""
    return [task for part in (file, *file.subworkflows) for task in part.tasks if task.workflow]


def _as_sentence(name: str) -> str:
    """Return a heading or name in a sentence, as words; only what ends with a number is an identifier.

    A contradiction needs an object that both texts share. "staging" and "production" alone share none, but as names
    around the same steps they exclude each other.
    """
    return "The heading of the section: " + _IDENTIFIER.sub(r"`\g<0>`", plain_text(name).replace("_", " "))
