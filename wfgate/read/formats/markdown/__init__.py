"""Plans in Markdown, written by people and language models."""

import re
from collections.abc import Collection
from pathlib import PurePath
from typing import ClassVar

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.documents.fences import FENCES
from wfgate.read.formats.base import Part, ProseFormat, Reading
from wfgate.read.formats.hints import is_instructions
from wfgate.read.formats.worfbench import WorfbenchFormat

__all__ = ["MarkdownFormat"]

_NOT_A_PLAN = re.compile(r"^[-*#> \t]*\**(?:nodes?|edges?)\**[ \t]*:[ \t\r]*(?:$|\()", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(
    r"^[ \t>]*(?:\||\**[\d(]|[-*+•] +(?=\S)|#{1,6} |\**(?:step|phase|stage) )", re.IGNORECASE | re.MULTILINE
)
_NAMES = {".md", ".markdown"}
_ABOUT_THE_PROJECT = {"readme", "changelog", "contributing", "security", "license", "code_of_conduct", "support"}
"""Names of files that describe a project: a list in them is rarely a workflow."""


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
        """Return whether the text (without code) has at least two steps in one list, and is not a data format.

        Instruction files of coding agents have a format of their own.
        """
        text = document.text
        if is_instructions(document):
            return False
        if document.kind != "text" or not text.strip() or _LISTED.search(text) is None or text.lstrip()[0] in "{<":
            return False
        if _NOT_A_PLAN.search(text) or WorfbenchFormat().recognises(document):
            return False
        from wfgate.read.formats.markdown.plans import is_bullet_list, is_plan, scan_plan

        try:
            root = scan_plan(document)[0]
            return is_plan(root) or (
                not document.lines_above and not any(fence in text for fence in FENCES) and is_bullet_list(root)
            )
        except FormatError:
            return False

    def has_steps(self, document: Document) -> bool:
        """Return whether the text (without code) contains a numbered list, a checklist or the heading of a step."""
        from wfgate.read.formats.markdown.plans import kind_of_plan, scan_plan

        return kind_of_plan(scan_plan(document)[0]) in {"box", "heading", "number"}

    def is_named(self, document: Document) -> bool:
        """Return whether the name ends with `.md`, is not the one of a README or the like, and the text has steps."""
        from wfgate.read.formats.markdown.plans import has_plan, scan_plan

        name = PurePath(document.name)
        return (
            name.suffix.lower() in _NAMES
            and name.stem.lower() not in _ABOUT_THE_PROJECT
            and document.kind == "text"
            and has_plan(scan_plan(document)[0])
        )

    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first block inside a list item; in a plan of checklists or headings, the first block."""
        from wfgate.read.formats.markdown.plans import kind_of_plan, scan_plan

        root, inner = scan_plan(document)
        every = kind_of_plan(root) in {"box", "heading"}
        return min((line for line in lines if every or line in inner), default=None)

    def lack(self, document: Document) -> FormatError | None:
        """Return that bullets among other text are no steps, for a text without other lists."""
        if document.kind != "text":
            return None
        from wfgate.read.formats.markdown.reader import lack

        return lack(document)

    def read(self, document: Document) -> Reading:
        """Read the plan.

        Raises:
            FormatError: If the text has no list of steps, or lists are nested too deep; or if it has bullets and a
                table that looks like steps and is not read, because then the bullets are hardly the steps.
        """
        from wfgate.read.formats.markdown.reader import read_plan

        return read_plan(document, None)

    def read_like(self, document: Document, golden: Part) -> Reading:
        """Read the plan from lists of the golden's kind, if the text has such a list of at least two items."""
        from wfgate.read.formats.markdown.reader import read_plan

        return read_plan(document, golden)
