"""Plans in Markdown, written by people and language models."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from wfgate.documents import Diagnostic, Document
from wfgate.documents.fences import FENCES
from wfgate.errors import FormatError
from wfgate.formats.base import ProseFormat, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.markdown.flow import Flow
from wfgate.formats.markdown.plans import is_bullet_list, is_plan, kind_of_plan, walk
from wfgate.formats.markdown.refs import Ref, between
from wfgate.formats.markdown.scan import Section, scan
from wfgate.formats.markdown.steps import Reader, Step, counted
from wfgate.formats.markdown.words import plain
from wfgate.formats.worfbench import WorfbenchFormat
from wfgate.model import Names, SourceSpan, Task, Workflow

__all__ = ["MarkdownFormat"]

_NOT_A_PLAN = re.compile(r"^[-*#> \t]*\**(?:nodes?|edges?)\**[ \t]*:[ \t\r]*(?:$|\()", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(
    r"^[ \t>]*(?:\**[\d(]|[-*+•] +(?=\S)|#{1,6} |\**(?:step|phase|stage) )", re.IGNORECASE | re.MULTILINE
)
_SENTENCE = re.compile(r"(?<=[.;])[ \t]+")


class MarkdownFormat(ProseFormat):
    r"""Numbered lists, checklists and headings of steps, for example the `tasks.md` of spec-kit.

    The reader uses the first kind of step that the text contains: (1) items of checklists; (2) sections with numbered
    headings ("Step 1: ...", "Phase 2: ...", "## 3. ..."); (3) items of numbered lists; (4) bullets, only if the text
    has nothing else but a heading and one line of introduction, or if this format was requested. Items inside an item
    are a sub-workflow of that item. If several headings contain items, the items under each heading are a
    sub-workflow. A bullet that only describes its item ("Files: ...", or a single bullet) belongs to the description
    of the item.

    The steps run in the order of the list. Neighbouring steps with `[P]` or "(parallel)" run in parallel. A list after
    an announcement ("in parallel:") runs in parallel too.

    Stated dependencies are read: "(depends on 2, 3)", "after step 2", "needs: T004", and sentences in a section on
    dependencies. In a list with `[P]` marks or ids, the dependencies are added to the order of the list. In any other
    list, a step with stated dependencies waits for these only. A dependency between steps of different lists links the
    outer steps that contain them.

    "If ..., ..." and "(only if ...)" become a guard (the condition of a link) and a second link that skips the step.
    If the next step begins with "Otherwise, ...", it becomes the other branch. Vague conditions and jumps ("go back to
    step 2") stay text and are reported in a diagnostic.

    Example:
        >>> text = "- [ ] T1 Build\n- [ ] T2 [P] Test\n- [ ] T3 [P] Scan\n- [ ] T4 Ship\n"
        >>> workflow = MarkdownFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target) for link in workflow.links if link.source != "START"]
        [('T1', 'T2'), ('T1', 'T3'), ('T2', 'T4'), ('T3', 'T4'), ('T4', 'END')]
    """

    id: ClassVar[str] = "markdown"
    languages: ClassVar[frozenset[str]] = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
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
            root = scan(document)[0]
            return is_plan(root) or (
                not document.lines_above and not any(fence in text for fence in FENCES) and is_bullet_list(root)
            )
        except FormatError:
            return False

    def has_steps(self, document: Document) -> bool:
        """Return whether the text (without code) contains a numbered list, a checklist or the heading of a step."""
        return kind_of_plan(scan(document)[0]) in {"box", "heading", "number"}

    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first block inside a list item; in a plan of checklists or headings, the first block."""
        root, inner = scan(document)
        every = kind_of_plan(root) in {"box", "heading"}
        return min((line for line in lines if every or line in inner), default=None)

    def read(self, document: Document) -> Reading:
        """Read the plan.

        Raises:
            FormatError: If the text has no list of steps, or lists are nested too deep.
        """
        root, _ = scan(document)
        kind = kind_of_plan(root)
        if not kind:
            raise document.error_at(
                SourceSpan(line=document.lines_above + 1, column=1),
                "the text has no list of steps",
                fix="write a numbered list: `1. Build`",
            )
        reader = Reader(document, root, kind)
        name, description, steps, all_parallel = reader.top(root)
        plan = _Plan(document, reader, name)
        workflow = plan.workflow(description, steps, all_parallel=all_parallel)
        if reader.ticked:
            message = f"{counted(reader.ticked, 'step')} ticked off; the ticks are not read"
            reader.diagnostics.append(
                document.diagnostic_at(SourceSpan(line=document.lines_above + 1, column=1), "info", message)
            )
        left = [section.name[:40] for section in reader.left if section.title]
        if left:
            message = f"sections without steps are not read: {', '.join(left[:10])}"
            reader.diagnostics.append(document.diagnostic_at(reader.left[0].span, "info", message))
        notes = sorted([*reader.diagnostics, *plan.diagnostics], key=lambda note: (note.line or 0, note.column or 0))
        return Reading(workflow, self.id, tuple(notes))


@dataclass
class _Plan:
    """Converts steps to workflows: ids, names, links."""

    document: Document
    reader: Reader
    name: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    by_label: dict[tuple[str, bool], list[Step]] = field(default_factory=dict)
    near: dict[tuple[str, bool, int], Step] = field(default_factory=dict)
    prefixes: set[str] = field(default_factory=set)
    parts: list[Workflow] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    needs: dict[int, dict[str, list[Step]]] = field(default_factory=dict)
    needed: set[tuple[int, str, int]] = field(default_factory=set)
    asked: int = 0
    free: set[int] = field(default_factory=set)

    def workflow(self, description: str, steps: list[Step], *, all_parallel: bool) -> Workflow:
        self.names.take(self.name)
        everything: list[Step] = []
        pending = [steps]
        while pending:
            listed = pending.pop()
            self._number(listed)
            everything += listed
            pending += [step.steps for step in reversed(listed) if step.steps]
        for step in everything:
            self._index(step)
        for step in everything:
            if step.dependencies.none:
                self.free.add(id(step))
            for ref in step.dependencies.after:
                self._need(ref, step)
        self._sections_on_order()
        main = self._list(self.name, description, steps, all_parallel=all_parallel)
        return main.model_copy(update={"subworkflows": tuple(self.parts)})

    def _number(self, steps: list[Step]) -> None:
        """Give every step of a list an id; an id in the text is kept, even if it is used twice."""
        written = Counter(step.own_id for step in steps)
        taken = {step.own_id for step in steps}
        numbers = Counter(step.label for step in steps if not step.own_id)
        again = [step for step in steps if not step.own_id and step.label and numbers[step.label] > 1]
        for place, step in enumerate(steps, start=1):
            if step.own_id:
                step.key = step.own_id
                continue
            base = step.label if step.label and numbers[step.label] == 1 else str(place)
            key = f"phase-{base}" if step.heading else base
            while key in taken:
                key = f"{key}-{place}"
            taken.add(key)
            step.key = key
        repeated = {step.label for step in again}
        if written.total() == len(steps) and len(repeated) > 1:
            message = "some numbers occur twice; the items are read as one list"
            self.diagnostics.append(self.document.diagnostic_at(again[-1].span, "info", message))
        if len(repeated) == 1:  # all items are written `1.`
            for place, step in enumerate(steps, start=1):
                if not step.own_id and not step.heading and step.label in repeated:
                    step.label = str(place)

    def _index(self, step: Step) -> None:
        for label in {step.label.upper(), step.own_id.upper()} - {""}:
            self.prefixes.add(label.rstrip("0123456789"))
            for phase in (False, True) if step.heading else (False,):
                self.by_label.setdefault((label, phase), []).append(step)
                self.near.setdefault((label, phase, id(step.upper)), step)

    def find(self, ref: Ref, step: Step) -> Step | None:
        """Return the step of a reference, from the nearest list that has it; None if the reference is not clear."""
        found = self.by_label.get((ref.label, ref.phase), [])
        if len(found) <= 1:
            return found[0] if found else None
        upper: Step | None = step.upper
        while (near := self.near.get((ref.label, ref.phase, id(upper)))) is None and upper is not None:
            upper = upper.upper
        return near

    def _need(self, ref: Ref, step: Step) -> None:
        source = self.find(ref, step)
        if source is None:
            self._dangling(ref, step)
            return
        below, above = _path(step), _path(source)
        depth = 0
        while depth < min(len(below), len(above)) and below[depth] is above[depth]:
            depth += 1
        if depth == len(below) or depth == len(above):
            return  # a step and what it is part of
        later, earlier = below[depth], above[depth]
        known = (id(later.upper), later.key, id(earlier))
        if known not in self.needed:
            self.needed.add(known)
            self.needs.setdefault(id(later.upper), {}).setdefault(later.key, []).append(earlier)

    def _dangling(self, ref: Ref, step: Step) -> None:
        """Keep a reference to a step that does not exist, if the text certainly means a step."""
        if (ref.label, False) in self.by_label:
            message = f"several steps have the label {ref.label}, so the dependency on it is not read"
            self.diagnostics.append(self.document.diagnostic_at(step.span, "info", message))
            return
        prefix = ref.label.rstrip("0123456789")
        alike = bool(prefix) and prefix in self.prefixes
        if ref.phase or not (ref.sure or alike):
            return
        missing = Step(ref.label, step.span, key=ref.label)
        self.needs.setdefault(id(step.upper), {}).setdefault(step.key, []).append(missing)

    def _sections_on_order(self) -> None:
        """Read the clear sentences in the sections on dependencies."""
        for top in self.reader.order:
            unclear = 0
            for section in walk(top):
                for line in [*section.prose, *_lines(section)]:
                    for sentence in _SENTENCE.split(plain(line)):
                        unclear += not self._sentence(sentence)
            if unclear:
                message = (
                    f"{counted(unclear, 'sentence')} under {top.name[:40]!r} about the order could not be understood"
                )
                self.diagnostics.append(self.document.diagnostic_at(top.span, "info", message))

    def _sentence(self, sentence: str) -> bool:
        pair = between(sentence.strip(" \t-*")) if sentence.strip() else ((), ())
        if pair is None:
            return False
        self.asked += len(pair[0]) * len(pair[1])
        check_size(self.document, 0, self.asked)
        for later in pair[1]:
            target = self.find(later, Step("", SourceSpan(line=1, column=1)))
            if target is None:
                return False
            for earlier in pair[0]:
                self._need(earlier, target)
        return True

    def _list(self, name: str, description: str, steps: list[Step], *, all_parallel: bool) -> Workflow:
        owner = id(steps[0].upper) if steps else id(None)
        free = {step.key for step in steps if id(step) in self.free}
        flow = Flow(self.document, steps, self.needs.get(owner, {}), free, all_parallel, self.find)
        flow.build()
        self.diagnostics += flow.diagnostics
        if all_parallel and len(steps) > 1:
            message = f"{len(steps)} steps are read as parallel, because the text says so"
            self.diagnostics.append(self.document.diagnostic_at(steps[0].span, "info", message))
        tasks = [self._task(step, flow.joins.get(step.key)) for step in steps]
        return Workflow(
            name=name,
            description=description,
            tasks=tuple(tasks),
            gateways=tuple(flow.gateways),
            links=tuple(flow.links),
        )

    def _task(self, step: Step, join: str | None) -> Task:
        called = None
        if step.steps:
            called = self.names.free(step.name or "steps")
            self.parts.append(self._list(called, "", step.steps, all_parallel=step.all_parallel))
        return Task(
            id=step.key,
            name=step.name,
            description=step.description,
            kind="composite" if called else "task",
            workflow=called,
            params={"files": list(step.files)} if step.files else {},
            tags=step.tags,
            join=join,
            span=step.span,
        )


def _path(step: Step) -> list[Step]:
    found: list[Step] = []
    upper: Step | None = step
    while upper is not None:
        found.append(upper)
        upper = upper.upper
    return found[::-1]


def _lines(section: Section) -> list[str]:
    found: list[str] = []
    pending = list(reversed(section.items))
    while pending:
        item = pending.pop()
        found += [item.text, *item.more]
        pending += reversed(item.items)
    return found + [text for _, text in section.rest]
