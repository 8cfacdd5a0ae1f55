"""Reads a plan in Markdown: steps to tasks, ids, names and links."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from wfgate.errors import FormatError
from wfgate.model import Names, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.base import Part, Reading
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.front_matter import has_front_matter
from wfgate.read.formats.markdown.flow import MarkdownFlow
from wfgate.read.formats.markdown.plans import kind_like, kind_of_plan, line_of_plan, scan_plan
from wfgate.read.formats.markdown.refs import Ref, between
from wfgate.read.formats.markdown.scan import Section, walk, walk_items
from wfgate.read.formats.markdown.steps import MarkdownStep, Say, SectionReader, counted
from wfgate.read.formats.markdown.tables import Table
from wfgate.read.formats.markdown.words import plain

_KINDS = {"box": "checklist", "heading": "sections of steps", "number": "numbered list", "bullet": "list of bullets"}
"""The kinds of steps, in words."""
_WORDS = re.compile(r"\w+")
_ENUMERATED = re.compile(r"^\s*\d{1,4}[.)]\s")
_COMPARED = 200
"""Characters by which a remark is found in the file."""
_ALIKE = 50
"""Most lines with the same first word among which it is looked for."""
_SENTENCE = re.compile(r"(?<=[.;])[ \t]+")


def read_plan(document: Document, golden: Part | None) -> Reading:
    """Return the workflow of a plan, read from lists of the golden's kind where the text has them.

    Raises:
        FormatError: If the text has no list of steps, lists are nested too deep, or a table may be the steps.
    """
    root, _ = scan_plan(document)
    own = kind_of_plan(root)
    if root.tables and own in {"", "bullet"}:
        raise _unread_table(document, root)
    like = next((kind for kind, words in _KINDS.items() if golden and golden.kind == words), own)
    kind = kind_like(root, own, like)
    if not kind:
        fix = "write a numbered list (`1. Build`) or headings (`## Step 1: Build`)"
        raise document.error_at(document.top, "the text has no list of steps", fix=fix)
    notes: list[Diagnostic] = []

    def say(span: SourceSpan, message: str) -> None:
        notes.append(document.diagnostic_at(span, "info", message))

    if kind != own:
        message = f"its {_KINDS[own]} is not read, because the steps of the golden are its {_KINDS[kind]}"
        line = line_of_plan(root, own)
        notes.append(document.diagnostic_at(SourceSpan(line=line, column=1), "warning", message))
    for table in root.tables:
        message = "a table that looks like steps is read as a remark, not as steps"
        notes.append(document.diagnostic_at(_place(document, table), "warning", message))
    reader = SectionReader(document, root, kind, say)
    name, description, steps, all_parallel = reader.top(root)
    if reader.ticked == reader.boxes > 1:
        message = f"all {reader.ticked} steps are ticked off, so nothing is left to do; the ticks are not read"
        notes.append(document.diagnostic_at(document.top, "warning", message))
    elif reader.ticked:
        say(document.top, f"{counted(reader.ticked, 'step')} ticked off; the ticks are not read")
    if left := [section for section in reader.left if section.name]:
        say(left[0].span, f"sections are read as remarks, not as steps: {reader.remarks()}")
    plan = _MarkdownPlan(document, say, Names([name]))
    plan.index(steps, reader.order)
    workflow = plan.list_of(name, description, steps, all_parallel=all_parallel)
    sections = [task.marked for part in (workflow, *plan.parts) for task in part.tasks if task.workflow]
    remarks = "\n".join([*reader.around, *sections]).split("\n")
    update = {"subworkflows": tuple(plan.parts), "marked": "\n".join(reader.around)}
    workflow = workflow.model_copy(update=update | {"spans": places(document, remarks)})
    notes.sort(key=lambda note: (note.line or 0, note.column or 0))
    return Reading(workflow, "markdown", tuple(notes), part=Part(_KINDS[kind], line_of_plan(root, kind)))


def lack(document: Document) -> FormatError | None:
    """Return that bullets among other text are no steps, for a text without other lists."""
    root = scan_plan(document)[0]
    if kind_of_plan(root) != "bullet":
        return None
    if root.tables:
        return _unread_table(document, root)
    fix = "number the steps (`1. Build`)"
    if not has_front_matter(document.text):  # which often has the steps
        fix += ", or give --from markdown to read the bullets as steps"
    return document.error_at(document.top, "its only lists are bullets among other text", fix=fix)


def places(document: Document, remarks: Collection[str]) -> dict[tuple[str | int, ...], SourceSpan]:
    """Return the positions of remarks by their text: the first lines that begin like them, without marks."""
    lines: dict[str, list[tuple[str, int]]] = {}
    for number, line in enumerate(document.text.splitlines(), document.lines_above + 1):
        if words := _WORDS.findall(_ENUMERATED.sub("", line[:_COMPARED])):
            known = lines.setdefault(words[0], [])
            if len(known) < _ALIKE:
                known.append((" ".join(words), number))
    places: dict[tuple[str | int, ...], SourceSpan] = {}
    for remark in remarks:
        words = _WORDS.findall(remark[:_COMPARED])
        text = " ".join(words)
        alike = lines.get(words[0], ()) if words else ()
        own = [(len(line), -at) for line, at in alike if line == text or text.startswith(f"{line} ")]  # or wrapped
        if own:
            places.setdefault((remark,), SourceSpan(line=-max(own)[1], column=1))
    return places


def _place(document: Document, table: Table) -> SourceSpan:
    return SourceSpan(line=table.line + document.lines_above, column=1)


def _unread_table(document: Document, root: Section) -> FormatError:
    return document.error_at(
        _place(document, root.tables[0]),
        "a table that looks like steps is not read",
        fix="number its rows in a column `#`, outside of a list, or write the steps as a numbered list (`1. Build`)",
    )


@dataclass
class _MarkdownPlan:
    """Converts steps to workflows: ids, names, links.

    Attributes:
        by_label: The steps with a label; the flag asks for a phase.
        near: The first step with a label in each list, by the identity of the step that contains the list.
        prefixes: The labels without digits.
        sentences: Number of pairs of steps that the sentences about the order name.
    """

    document: Document
    say: Say
    names: Names
    by_label: dict[tuple[str, bool], list[MarkdownStep]] = field(default_factory=dict)
    near: dict[tuple[str, bool, int], MarkdownStep] = field(default_factory=dict)
    prefixes: set[str] = field(default_factory=set)
    parts: list[Workflow] = field(default_factory=list)
    sentences: int = 0

    def index(self, steps: list[MarkdownStep], order: list[Section]) -> None:
        """Give all steps ids, and find the steps that each step waits for."""
        everything: list[MarkdownStep] = []
        for listed in _lists(steps):
            self._number(listed)
            everything += listed
        for step in everything:
            for label in {step.label.upper(), step.own_id.upper()} - {""}:
                self.prefixes.add(label.rstrip("0123456789"))
                for phase in (False, True) if step.heading else (False,):
                    self.by_label.setdefault((label, phase), []).append(step)
                    self.near.setdefault((label, phase, id(step.upper)), step)
        for step in everything:
            for ref in step.dependencies.after:
                self._need(ref, step)
        for section in order:
            self._read_order(section)

    def _number(self, steps: list[MarkdownStep]) -> None:
        """Give every step of a list an id; an id in the text is kept, even if it is used twice."""
        taken = {step.own_id for step in steps}
        unnamed = [step for step in steps if not step.own_id]
        numbers = Counter(step.label for step in unnamed)
        again = [step for step in unnamed if step.label and numbers[step.label] > 1]
        for place, step in enumerate(steps, start=1):
            base = step.label if step.label and numbers[step.label] == 1 else str(place)
            step.key = step.own_id or (f"phase-{base}" if step.heading else base)
            while not step.own_id and step.key in taken:
                step.key = f"{step.key}-{place}"
            taken.add(step.key)
        repeated = {step.label for step in again}
        if len(repeated) > 1:
            self.say(again[-1].span, "some numbers occur twice; the items are read as one list")
        if len(repeated) == 1:  # all items are written `1.`
            for place, step in enumerate(steps, start=1):
                if not step.own_id and not step.heading and step.label in repeated:
                    step.label = str(place)

    def find(self, ref: Ref, step: MarkdownStep | None) -> MarkdownStep | None:
        """Return the step of a reference, from the nearest list that has it; None if the reference is not clear."""
        steps = self.by_label.get((ref.label, ref.phase), [])
        if len(steps) <= 1:
            return steps[0] if steps else None
        uppers = [*(step.path[-2::-1] if step else ()), None]
        return next(filter(None, (self.near.get((ref.label, ref.phase, id(upper))) for upper in uppers)), None)

    def _need(self, ref: Ref, step: MarkdownStep) -> None:
        source = self.find(ref, step)
        if source is None:
            self._dangling(ref, step)
            return
        pairs = zip(step.path, source.path, strict=False)
        later, earlier = next((pair for pair in pairs if pair[0] is not pair[1]), (step, step))
        if later is not earlier:  # the same for a step and what it is part of
            later.needs[id(earlier)] = earlier

    def _dangling(self, ref: Ref, step: MarkdownStep) -> None:
        """Keep a reference to a step that does not exist, if the text certainly means a step."""
        if (ref.label, False) in self.by_label:
            self.say(step.span, f"several steps have the label {ref.label}, so the dependency on it is not read")
            return
        prefix = ref.label.rstrip("0123456789")
        if not ref.phase and (ref.sure or (prefix and prefix in self.prefixes)):
            missing = MarkdownStep(name=ref.label, span=step.span, key=ref.label)
            step.needs[id(missing)] = missing

    def _read_order(self, top: Section) -> None:
        """Read the clear sentences in a section on dependencies."""
        unclear = 0
        for section in walk(top):
            listed = [line for item in walk_items(section.items) for line in (item.text, *item.more)]
            for line in (*section.prose, *listed, *(text for _, text in section.rest)):
                unclear += sum(not self._read_sentence(sentence) for sentence in _SENTENCE.split(plain(line)))
        if unclear:
            about = f"{counted(unclear, 'sentence')} under {top.name[:40]!r} about the order"
            self.say(top.span, f"{about} could not be understood")

    def _read_sentence(self, sentence: str) -> bool:
        """Read a sentence about the order; return whether it is clear."""
        if not sentence.strip():
            return True
        pair = between(sentence.strip(" \t-*"))
        if pair is None:
            return False
        self.sentences += len(pair[0]) * len(pair[1])
        check_size(self.document, 0, self.sentences)
        for later in pair[1]:
            target = self.find(later, None)
            if target is None:
                return False
            for earlier in pair[0]:
                self._need(earlier, target)
        return True

    def list_of(self, name: str, description: str, steps: list[MarkdownStep], *, all_parallel: bool) -> Workflow:
        """Return the workflow of a list of steps; the lists inside it are added to `parts`."""
        flow = MarkdownFlow(self.document, steps, all_parallel, self.find, self.say)
        flow.build()
        if all_parallel and len(steps) > 1:
            self.say(steps[0].span, f"{len(steps)} steps are read as parallel, because the text says so")
        return Workflow(
            name=name,
            description=description,
            tasks=tuple([self._task(step, flow.joins.get(step.key)) for step in steps]),
            gateways=tuple(flow.gateways),
            links=tuple(flow.links),
        )

    def _task(self, step: MarkdownStep, join: str | None) -> Task:
        called = None
        if step.steps:
            called = self.names.free(step.name or "steps")
            self.parts.append(self.list_of(called, "", step.steps, all_parallel=step.all_parallel))
        return Task(
            id=step.key,
            name=step.name,
            description=step.description,
            kind="composite" if called else "task",
            workflow=called,
            params={"files": list(step.files)} if step.files else {},
            tags=tuple(step.marks),
            join=join,
            span=step.span,
            marked=step.marked,
        )


def _lists(steps: list[MarkdownStep]) -> Iterator[list[MarkdownStep]]:
    """Yield a list of steps and all lists inside it."""
    yield steps
    for step in steps:
        if step.steps:
            yield from _lists(step.steps)
