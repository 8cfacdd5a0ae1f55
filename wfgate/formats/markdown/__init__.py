"""Plans in Markdown, written by people and language models."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import ClassVar

from wfgate.documents import Diagnostic, Document
from wfgate.documents.fences import FENCES
from wfgate.errors import FormatError
from wfgate.formats.base import Part, ProseFormat, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.front_matter import has_front_matter
from wfgate.formats.markdown.flow import Flow
from wfgate.formats.markdown.plans import (
    has_plan,
    is_bullet_list,
    is_plan,
    kind_like,
    kind_of_plan,
    line_of_plan,
    scan_plan,
)
from wfgate.formats.markdown.refs import Ref, between
from wfgate.formats.markdown.scan import Section, walk, walk_items
from wfgate.formats.markdown.steps import Reader, Say, Step, counted
from wfgate.formats.markdown.tables import Table
from wfgate.formats.markdown.words import plain
from wfgate.formats.worfbench import WorfbenchFormat
from wfgate.model import Names, SourceSpan, Task, Workflow

__all__ = ["MarkdownFormat"]

_NOT_A_PLAN = re.compile(r"^[-*#> \t]*\**(?:nodes?|edges?)\**[ \t]*:[ \t\r]*(?:$|\()", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(
    r"^[ \t>]*(?:\||\**[\d(]|[-*+•] +(?=\S)|#{1,6} |\**(?:step|phase|stage) )", re.IGNORECASE | re.MULTILINE
)
_NAMES = {".md", ".markdown"}
_ABOUT_THE_PROJECT = {"readme", "changelog", "contributing", "security", "license", "code_of_conduct", "support"}
"""Names of files that describe a project: a list in them is rarely a workflow."""
_KINDS = {"box": "checklist", "heading": "sections of steps", "number": "numbered list", "bullet": "list of bullets"}
"""The kinds of steps, in words."""
_WORDS = re.compile(r"\w+")
_ENUMERATED = re.compile(r"^\s*\d{1,4}[.)]\s")
_COMPARED = 200
"""Characters by which a remark is found in the file."""
_ALIKE = 50
"""Most lines with the same first word among which it is looked for."""
_SENTENCE = re.compile(r"(?<=[.;])[ \t]+")


class MarkdownFormat(ProseFormat):
    r"""Numbered lists, checklists and headings of steps, for example the `tasks.md` of spec-kit.

    The reader uses the first kind of step that the text contains: (1) items of checklists; (2) sections with numbered
    headings ("Step 1: ...", "Phase 2: ...", "## 3. ..."); (3) items of numbered lists; (4) bullets, only if the text
    has nothing else but a heading and one line of introduction, or if this format was requested. Without the kinds 1
    to 3, the numbered rows of tables are steps: one column has the numbers ("#", "No", "Step"), another one says what
    to do ("Action", "Step", "Task", "Activity", "Description"), and the other cells are the description of the step.
    Beside other steps such a table is a remark with a warning; a row that is lost is reviewed. A table of actions
    without numbers beside bullets is an error, because nobody knows which of them are the steps. Whether a box is
    ticked does not count; `[-]` is a cancelled item, in plans of Kiro one in progress. Items inside an item are a
    sub-workflow of that item. If several headings contain items, the items under each heading are a sub-workflow. A
    bullet that only describes its item ("Files: ...", or a single bullet) belongs to the description of the item.

    A candidate is read from lists of the kind that was read in its golden, if it has one of at least two items. Lists
    of the kind that it would be read from by itself are then remarks, with a warning.

    A text is recognised if it is mostly steps; a file whose name ends with `.md` (but not a README or the like), if it
    has two steps of the kinds 1 to 3 at all, however long the text around them is.

    All other text is read as remarks: it is compared as text (WR502), but has no steps. Remarks are the text above,
    between and below the lists, lists of another kind than the steps, and sections whose title speaks about the plan:
    notes, references, resources, requirements, assumptions, risks, goals, objectives, summary, overview, background,
    context, contents, table of contents, conclusion, FAQ, tips, best practices, benefits, considerations, key points,
    pros and cons, examples, format, open questions, next steps, success or acceptance criteria, expected results,
    what to expect or avoid, definition of done, checklists of validation, review, quality or completeness,
    implementation strategy, execution order, dependencies, and what spec-kit writes around its tasks. Sections on
    mitigation, troubleshooting or prerequisites contain steps if they have a list of the same kind as the steps, with
    at least two items; otherwise they are remarks, too. So are sections on the progress, if there are steps elsewhere.
    A diagnostic names the sections that are remarks.

    The steps run in the order of the list. Neighbouring steps with `[P]` or "(parallel)" run in parallel. A list after
    an announcement ("in parallel:") runs in parallel too.

    Stated dependencies are read: "(depends on 2, 3)", "after step 2", "needs: T004", and sentences in a section on
    dependencies. In a list with `[P]` marks or ids, the dependencies are added to the order of the list. In any other
    list, a step with stated dependencies waits for these only. A dependency between steps of different lists links the
    outer steps that contain them.

    "If ..., ..." (also with unless, should, in case), "... if ..." at the end of a single clause, and "(only if ...)"
    become a guard (the condition of a link) and a second link that skips the step; the name keeps the words. If the
    next step begins with "Otherwise, ...", it becomes the other branch. Vague conditions and jumps ("go back to
    step 2") stay text and are reported in a diagnostic.

    Example:
        >>> text = "- [ ] T1 Build\n- [ ] T2 [P] Test\n- [ ] T3 [P] Scan\n- [ ] T4 Ship\n"
        >>> workflow = MarkdownFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target) for link in workflow.links if link.source != "START"]
        [('T1', 'T2'), ('T1', 'T3'), ('T2', 'T4'), ('T3', 'T4'), ('T4', 'END')]
    """

    id: ClassVar[str] = "markdown"
    languages: ClassVar[frozenset[str]] = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
    suffixes: ClassVar[tuple[str, ...]] = (*ProseFormat.suffixes, ".markdown")
    signature: ClassVar[str] = (
        "mostly a numbered list or a checklist with two items or more, headings like `Step 1`, or only bullets"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether the text (without code) has at least two steps in one list, and is not a data format."""
        text = document.text
        if document.kind != "text" or not text.strip() or _LISTED.search(text) is None or text.lstrip()[0] in "{<":
            return False
        if _NOT_A_PLAN.search(text) or WorfbenchFormat().recognises(document):
            return False
        try:
            root = scan_plan(document)[0]
            return is_plan(root) or (
                not document.lines_above and not any(fence in text for fence in FENCES) and is_bullet_list(root)
            )
        except FormatError:
            return False

    def has_steps(self, document: Document) -> bool:
        """Return whether the text (without code) contains a numbered list, a checklist or the heading of a step."""
        return kind_of_plan(scan_plan(document)[0]) in {"box", "heading", "number"}

    def is_named(self, document: Document) -> bool:
        """Return whether the name ends with `.md`, is not the one of a README or the like, and the text has steps."""
        name = PurePath(document.name)
        return (
            name.suffix.lower() in _NAMES
            and name.stem.lower() not in _ABOUT_THE_PROJECT
            and document.kind == "text"
            and has_plan(scan_plan(document)[0])
        )

    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first block inside a list item; in a plan of checklists or headings, the first block."""
        root, inner = scan_plan(document)
        every = kind_of_plan(root) in {"box", "heading"}
        return min((line for line in lines if every or line in inner), default=None)

    def lack(self, document: Document) -> FormatError | None:
        """Return that bullets among other text are no steps, for a text without other lists."""
        root = scan_plan(document)[0] if document.kind == "text" else None
        if root is None or kind_of_plan(root) != "bullet":
            return None
        if root.tables:
            return _unread_table(document, root)
        fix = "number the steps (`1. Build`)"
        if not has_front_matter(document.text):  # which often has the steps
            fix += f", or give --from {self.id} to read the bullets as steps"
        return document.error_at(document.top, "its only lists are bullets among other text", fix=fix)

    def read(self, document: Document) -> Reading:
        """Read the plan.

        Raises:
            FormatError: If the text has no list of steps, or lists are nested too deep; or if it has bullets and a
                table that looks like steps and is not read, because then the bullets are hardly the steps.
        """
        return self._read(document, None)

    def read_like(self, document: Document, golden: Part) -> Reading:
        """Read the plan from lists of the golden's kind, if the text has such a list of at least two items."""
        return self._read(document, golden)

    def _read(self, document: Document, golden: Part | None) -> Reading:
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
        reader = Reader(document, root, kind, say)
        name, description, steps, all_parallel = reader.top(root)
        if reader.ticked == reader.boxes > 1:
            message = f"all {reader.ticked} steps are ticked off, so nothing is left to do; the ticks are not read"
            notes.append(document.diagnostic_at(document.top, "warning", message))
        elif reader.ticked:
            say(document.top, f"{counted(reader.ticked, 'step')} ticked off; the ticks are not read")
        if left := [section for section in reader.left if section.name]:
            say(left[0].span, f"sections are read as remarks, not as steps: {reader.remarks()}")
        plan = _Plan(document, say, Names([name]))
        plan.index(steps, reader.order)
        workflow = plan.list_of(name, description, steps, all_parallel=all_parallel)
        sections = [task.marked for part in (workflow, *plan.parts) for task in part.tasks if task.workflow]
        remarks = "\n".join([*reader.around, *sections]).split("\n")
        update = {"subworkflows": tuple(plan.parts), "marked": "\n".join(reader.around)}
        workflow = workflow.model_copy(update=update | {"spans": _places(document, remarks)})
        notes.sort(key=lambda note: (note.line or 0, note.column or 0))
        return Reading(workflow, self.id, tuple(notes), part=Part(_KINDS[kind], line_of_plan(root, kind)))


def _places(document: Document, remarks: Collection[str]) -> dict[tuple[str | int, ...], SourceSpan]:
    """Return the positions of remarks by their text: the first lines that begin like them, without marks."""
    lines: dict[str, list[tuple[str, int]]] = {}
    for number, line in enumerate(document.text.splitlines(), document.lines_above + 1):
        if words := _WORDS.findall(_ENUMERATED.sub("", line[:_COMPARED])):
            known = lines.setdefault(words[0], [])
            if len(known) < _ALIKE:
                known.append((" ".join(words), number))
    found: dict[tuple[str | int, ...], SourceSpan] = {}
    for remark in remarks:
        words = _WORDS.findall(remark[:_COMPARED])
        text = " ".join(words)
        alike = lines.get(words[0], ()) if words else ()
        own = [(len(line), -at) for line, at in alike if line == text or text.startswith(f"{line} ")]  # or wrapped
        if own:
            found.setdefault((remark,), SourceSpan(line=-max(own)[1], column=1))
    return found


def _place(document: Document, table: Table) -> SourceSpan:
    return SourceSpan(line=table.line + document.lines_above, column=1)


def _unread_table(document: Document, root: Section) -> FormatError:
    return document.error_at(
        _place(document, root.tables[0]),
        "a table that looks like steps is not read",
        fix="number its rows in a column `#`, outside of a list, or write the steps as a numbered list (`1. Build`)",
    )


@dataclass
class _Plan:
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
    by_label: dict[tuple[str, bool], list[Step]] = field(default_factory=dict)
    near: dict[tuple[str, bool, int], Step] = field(default_factory=dict)
    prefixes: set[str] = field(default_factory=set)
    parts: list[Workflow] = field(default_factory=list)
    sentences: int = 0

    def index(self, steps: list[Step], order: list[Section]) -> None:
        """Give all steps ids, and find the steps that each step waits for."""
        everything: list[Step] = []
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

    def _number(self, steps: list[Step]) -> None:
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

    def find(self, ref: Ref, step: Step | None) -> Step | None:
        """Return the step of a reference, from the nearest list that has it; None if the reference is not clear."""
        found = self.by_label.get((ref.label, ref.phase), [])
        if len(found) <= 1:
            return found[0] if found else None
        uppers = [*(step.path[-2::-1] if step else ()), None]
        return next(filter(None, (self.near.get((ref.label, ref.phase, id(upper))) for upper in uppers)), None)

    def _need(self, ref: Ref, step: Step) -> None:
        source = self.find(ref, step)
        if source is None:
            self._dangling(ref, step)
            return
        pairs = zip(step.path, source.path, strict=False)
        later, earlier = next((pair for pair in pairs if pair[0] is not pair[1]), (step, step))
        if later is not earlier:  # the same for a step and what it is part of
            later.needs[id(earlier)] = earlier

    def _dangling(self, ref: Ref, step: Step) -> None:
        """Keep a reference to a step that does not exist, if the text certainly means a step."""
        if (ref.label, False) in self.by_label:
            self.say(step.span, f"several steps have the label {ref.label}, so the dependency on it is not read")
            return
        prefix = ref.label.rstrip("0123456789")
        if not ref.phase and (ref.sure or (prefix and prefix in self.prefixes)):
            missing = Step(name=ref.label, span=step.span, key=ref.label)
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

    def list_of(self, name: str, description: str, steps: list[Step], *, all_parallel: bool) -> Workflow:
        """Return the workflow of a list of steps; the lists inside it are added to `parts`."""
        flow = Flow(self.document, steps, all_parallel, self.find, self.say)
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

    def _task(self, step: Step, join: str | None) -> Task:
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


def _lists(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield a list of steps and all lists inside it."""
    yield steps
    for step in steps:
        if step.steps:
            yield from _lists(step.steps)
