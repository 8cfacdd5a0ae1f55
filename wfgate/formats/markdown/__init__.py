"""Plans in Markdown, as people and models write them."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from wfgate.documents import Diagnostic, Document
from wfgate.errors import FormatError
from wfgate.formats.base import ProseFormat, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.markdown.flow import Flow
from wfgate.formats.markdown.plans import is_plan, kind_of_plan, walk
from wfgate.formats.markdown.refs import Ref, between
from wfgate.formats.markdown.scan import Section, scan
from wfgate.formats.markdown.steps import Reader, Step, counted
from wfgate.formats.markdown.words import plain
from wfgate.formats.worfbench import WorfbenchFormat
from wfgate.model import Names, SourceSpan, Task, Workflow

__all__ = ["MarkdownFormat"]

_NOT_A_PLAN = re.compile(r"^[-*#> \t]*\**(?:nodes?|edges?)\**[ \t]*:[ \t\r]*(?:$|\()", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(
    r"^[ \t>]*(?:\**[\d(]|[-*+•] +\\?\[|#{1,6} |\**(?:step|phase|stage) )", re.IGNORECASE | re.MULTILINE
)
_SENTENCE = re.compile(r"(?<=[.;])[ \t]+")


class MarkdownFormat(ProseFormat):
    r"""Numbered lists, checklists and headings of steps, among them the `tasks.md` of spec-kit.

    Steps are the items of checklists; where there are none, sections with numbered headings ("Step 1: ...",
    "Phase 2: ...", "## 3. ..."); else the items of numbered lists; bullets only where nothing else is there and the
    format was asked for. Items inside an item, and items under a heading where several headings have some, are a
    sub-workflow. Bullets that describe ("Files: ...", a single one) belong to the description of their item.

    Steps follow each other as listed. A run of neighbours with `[P]` or "(parallel)" is parallel, and so is a list
    announced as such ("in parallel:"). "(depends on 2, 3)", "after step 2", "needs: T004" and sentences of a section
    on dependencies are followed: in a list with `[P]` marks or ids they come on top of its order, in any other a step
    that states dependencies waits for these alone. One between steps of different lists links the steps around them.
    "If ..., ..." and "(only if ...)" make a guard and a way past the step, "Otherwise, ..." right behind is the
    other branch; vague conditions and jumps ("go back to step 2") stay text, with a diagnostic.

    Example:
        >>> text = "- [ ] T1 Build\n- [ ] T2 [P] Test\n- [ ] T3 [P] Scan\n- [ ] T4 Ship\n"
        >>> workflow = MarkdownFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target) for link in workflow.links if link.source != "START"]
        [('T1', 'T2'), ('T1', 'T3'), ('T2', 'T4'), ('T3', 'T4'), ('T4', 'END')]
    """

    id: ClassVar[str] = "markdown"
    languages: ClassVar[frozenset[str]] = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
    signature: ClassVar[str] = (
        "mostly a numbered list or a checklist with two items or more, or headings like `Step 1`"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether the text, outside of code, lists two steps in one list, and is no data."""
        text = document.text
        if document.kind != "text" or not text.strip() or _LISTED.search(text) is None or text.lstrip()[0] in "{<":
            return False
        if _NOT_A_PLAN.search(text) or WorfbenchFormat().recognises(document):
            return False
        try:
            return is_plan(scan(document)[0])
        except FormatError:
            return False

    def has_steps(self, document: Document) -> bool:
        """Return whether there is a numbered list, a checklist or a heading of a step outside of code."""
        return kind_of_plan(scan(document)[0]) in {"box", "heading", "number"}

    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first block inside an item of a list; in a checklist or among headings the first block."""
        root, inner = scan(document)
        every = kind_of_plan(root) in {"box", "heading"}
        return min((line for line in lines if every or line in inner), default=None)

    def read(self, document: Document) -> Reading:
        """Read the plan.

        Raises:
            FormatError: If the text has no list, or one that is nested too deep.
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
    """Steps to workflows: ids, names, links."""

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
        """Give every step of a list an id of its own; ids that are written are kept, even twice."""
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
        """Return the step that a reference means: nearest list first, None if it is not clear."""
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
        """Keep a reference to a step that is not there, if one must have been meant."""
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
        """Follow the sentences of sections on dependencies that are clear."""
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
