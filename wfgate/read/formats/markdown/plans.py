"""Decides whether a text is a plan, and which parts of it are steps."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from wfgate.read.documents.document import Document
from wfgate.read.formats.markdown.scan import Item, Section, scan, walk, walk_items
from wfgate.read.formats.markdown.words import id_of

_STEP_TITLE = re.compile(
    r"(?:(step|phase|stage|milestone|sprint|iteration)[ \t]+)?(\d{1,4}(?>(?:\.\d{1,4})*)|(?<=[ \t])[A-Z]\b)\+?"
    r"[ \t]*([.:)\u2013\u2014-]|$|(?<=[ \t])(?=\S))[ \t]*",
    re.IGNORECASE,
)
_BESIDE_THE_PLAN = re.compile(
    r"(?:(?:phase |user story |task )?dependenc|implementation strategy|execution order|"
    r"parallel (?:example|opportunit|"
    r"execution|team)|success criteria|acceptance criteria|open questions|format:|path conventions|table of contents|"
    r"key (?:points|takeaways|considerations)|best practices|pros (?:and|&) cons|within each|incremental delivery|"
    r"mvp first|definition of done|(?:validation|review|quality|completeness) checklist|"
    r"expected (?:results?|outcomes?)|next steps|what to (?:expect|avoid))"
    r"|(?:(?:important |additional |general )?notes?|requirements|assumptions?|risks?|references?|"
    r"resources|summary|overview|background|context|goals?|objectives?|contents|faq|tips|benefits|considerations|"
    r"examples?|format|conclusion)(?: (?:and|&) \w+)*:?$",
    re.IGNORECASE,
)
"""Titles of sections about the plan: their lists are no steps."""
_WORK = re.compile(r"(?:troubleshooting|mitigations?)(?: (?:and|&) \w+)*:?$", re.IGNORECASE)
"""Titles of work in the runbook of an incident, and of hints in an answer: their lists are steps if the plan's are."""
_PREPARATION = re.compile(r"prerequisites?(?: (?:and|&) \w+)*:?$", re.IGNORECASE)
"""The same, but a text in which only this section has a list is no plan."""
_PROGRESS = re.compile(
    r"(?:progress(?: (?:log|tracking|tracker|notes|report))?|(?:decision|change) log):?$", re.IGNORECASE
)
"""Titles of what is written down while the plan is carried out: their lists are steps only if there are no others."""
_STEPS_AT_LEAST = 2
_HEADED = 2
"""Sections of a text with one heading: the text above the heading is one too."""
_MARGIN = 3
"""Columns by which a list may be indented: more is code."""
_SHARE = {"number": 1, "heading": 1, "box": 2}
"""How many times as long as the steps the rest of a plan may be."""
_REMARKS = 400
"""Length of an introduction and a closing remark: not counted."""
_LONG = 300
"""Longest text that counts as one step: clauses of a licence are longer."""


def scan_plan(document: Document) -> tuple[Section, set[int]]:
    r"""Return what `scan` does; the rows of tables of steps are items if there is nothing else but bullets.

    Raises:
        FormatError: As for `scan`.

    Example:
        >>> from wfgate.read import Document
        >>> text = "- You need access\n\n| Step | Action |\n|--|--|\n| 1 | Build |\n| 2 | Test |\n"
        >>> root, _ = scan_plan(Document("example", text))
        >>> [item.text for item in root.items if item.kind == "number"]
        ['Build', 'Test']
    """
    scanned = scan(document)
    if any(table.rows for table in scanned[0].tables) and kind_of_plan(scanned[0]) in {"", "bullet"}:
        return scan(document, tables=True)
    return scanned


def kind_of_plan(root: Section) -> str:
    r"""Return the kind of the steps in the text: box, heading, number or bullet; empty if there is no list.

    Example:
        >>> from wfgate.read import Document
        >>> from wfgate.read.formats.markdown.scan import scan
        >>> kind_of_plan(scan(Document("example", "1. Build\n2. Test\n"))[0])
        'number'
    """
    kind = _kind([*plan_sections(root, None)])
    return _kind([*plan_sections(root, "")]) if kind in {"", "bullet"} else kind


def _kind(sections: Sequence[Section]) -> str:
    items = [item for section in sections for item in section.items]
    count = Counter(item.kind for item in items)
    if count["box"] and (any(map(_is_named, items)) or count["box"] >= max(count["number"], _STEPS_AT_LEAST)):
        return "box"
    if sum(map(is_step, sections)) >= _STEPS_AT_LEAST:
        return "heading"
    return next((kind for kind in ("number", "box", "bullet") if count[kind]), "")


def kind_like(root: Section, own: str, golden: str) -> str:
    r"""Return the kind of the steps of a candidate: the golden's, if the text has a list of this kind.

    Sections of steps stay the steps, because lists are inside of them.

    Args:
        root: The whole text as one section.
        own: The kind without a golden (see `kind_of_plan`).
        golden: The kind of the golden.

    Example:
        >>> from wfgate.read import Document
        >>> from wfgate.read.formats.markdown.scan import scan
        >>> text = "# Steps\n- Build\n- Test\n\n# Contacts\n1. Ada\n2. Bob\n"
        >>> root = scan(Document("example", text))[0]
        >>> kind_of_plan(root), kind_like(root, "number", "bullet"), kind_like(root, "number", "box")
        ('number', 'bullet', 'number')
    """
    if golden == own or own in {"", "heading"}:
        return own
    sections = list(plan_sections(root, golden))
    if golden == "heading":
        return golden if sum(map(is_step, sections)) >= _STEPS_AT_LEAST else own
    return golden if any(_lists(section, golden) for section in sections) else own


def line_of_plan(root: Section, kind: str) -> int:
    """Return the line of the first step of a kind."""
    sections = list(plan_sections(root, kind))
    if kind == "heading":
        return min(section.span.line for section in sections if is_step(section))
    return min(item.line for section in sections for item in section.items if item.kind == kind)


def has_plan(root: Section) -> bool:
    """Return whether the text has at least two steps in one numbered list or checklist, or two headings of steps."""
    kind = kind_of_plan(root)
    sections = plan_sections(root, kind)
    if kind == "heading":
        steps = [section for section in sections if is_step(section)]
        return sum(section.level > 1 or numbered(section.name)[1] for section in steps) >= _STEPS_AT_LEAST
    return kind in {"box", "number"} and any(_lists(section, kind) for section in sections)


def is_plan(root: Section) -> bool:
    """Return whether the text is a plan; a text that only contains a list is not a plan.

    If the steps have no ids, the steps must be most of the text. An introduction and a closing remark do not count. A
    long item is not a step, unless it is below `Step 1` or `Phase 1`.
    """
    if not has_plan(root):
        return False
    kind = kind_of_plan(root)
    sections = list(plan_sections(root, kind))
    if sum(_is_named(item) for section in sections for item in section.items) >= _STEPS_AT_LEAST:
        return True
    steps, rest = _lengths(root, kind, {id(section) for section in sections})
    return steps * _SHARE[kind] >= rest - _REMARKS


def is_bullet_list(root: Section) -> bool:
    r"""Return whether the text is only one list of bullets, below at most one heading and one line of introduction.

    Example:
        >>> from wfgate.read import Document
        >>> from wfgate.read.formats.markdown.scan import scan
        >>> texts = ("# Plan\n- Build\n- Test\n", "- Build\n- Test\n\nThese are the steps.\n")
        >>> [is_bullet_list(scan(Document("example", text))[0]) for text in texts]
        [True, False]
    """
    sections = list(walk(root))
    items = [item for section in sections for item in section.items]
    return (
        len(items) >= _STEPS_AT_LEAST
        and all(item.kind == "bullet" and item.indent <= _MARGIN and _size(item) <= _LONG for item in items)
        and sum(bool(section.items) for section in sections) == 1
        and len(sections) <= _HEADED
        and len(list(plan_sections(root, None))) == len(sections)
        and sum(len(section.prose) for section in sections) <= 1
        and not any(section.rest for section in sections)
    )


def _is_named(item: Item) -> bool:
    return item.kind == "box" and bool(id_of(item.text))


def _lists(section: Section, kind: str) -> bool:
    """Whether at least two steps are in one list; `1.0.2` is a version, not a number of a step."""
    items = [item for item in section.items if item.kind == kind and item.indent <= _MARGIN]
    return sum(item.number.count(".") < _STEPS_AT_LEAST for item in items) >= _STEPS_AT_LEAST


def _lengths(section: Section, kind: str, plan: set[int], *, inside: bool = False) -> tuple[int, int]:
    """Return the number of characters in steps, and the number of characters in other text."""
    own = id(section) in plan
    headed = own and kind == "heading"
    inside = own and (inside or (headed and numbered(section.name)[1]))
    text = sum(map(len, section.prose)) + sum(len(line) for _, line in section.rest)
    steps = min(text, _LONG) if headed and is_step(section) else 0
    for item in section.items:
        size = _size(item)
        text += size
        if own and (item.kind == kind or (headed and (item.kind != "bullet" or steps))):
            steps += min(size, _LONG)
    steps, rest = (text, 0) if inside else (steps, text - steps)
    within = [_lengths(inner, kind, plan, inside=inside) for inner in section.sections]
    return steps + sum(each[0] for each in within), rest + sum(each[1] for each in within)


def _size(item: Item) -> int:
    return sum(len(inner.text) + sum(map(len, inner.more)) for inner in walk_items([item]))


def plan_sections(root: Section, kind: str | None) -> Iterator[Section]:
    """Yield the sections that may contain steps; sections on notes, risks, dependencies and similar topics may not.

    A section on the progress may only if no other one has a step of the plan's kind. Sections with a title such as
    "Mitigation" or "Prerequisites" may, if they have a list of the plan's kind with at least two items.

    Args:
        root: The whole text as one section.
        kind: The kind of the plan. "" for no kind: then "Mitigation" may have steps of any kind but bullets, and
            "Prerequisites" none. None: neither may have steps.
    """
    planned = list(_planned(root, kind, progress=kind == ""))
    if kind and not any(_has_own_list(section, kind) for section in planned):
        return _planned(root, kind, progress=True)
    return iter(planned)


def _planned(root: Section, kind: str | None, *, progress: bool) -> Iterator[Section]:
    yield root
    for inner in root.sections:
        beside = _BESIDE_THE_PLAN.match(inner.name) or (not progress and _PROGRESS.match(inner.name))
        if not beside and _may_have_steps(inner, kind):
            yield from _planned(inner, kind, progress=progress)


def _has_own_list(section: Section, kind: str) -> bool:
    return is_step(section) if kind == "heading" else any(item.kind == kind for item in section.items)


def _may_have_steps(section: Section, kind: str | None) -> bool:
    """Whether a section has another title than those that depend on the list, or a list of the plan's kind."""
    prepares = _PREPARATION.match(section.name) is not None
    if not prepares and not _WORK.match(section.name):
        return True
    if kind is None or (prepares and not kind):
        return False
    kinds = [kind] if kind else ["number", "box", "heading"]
    return any(_has_list(section, one) for one in kinds)


def _has_list(section: Section, kind: str) -> bool:
    inner = list(walk(section))
    if kind == "heading":
        return sum(map(is_step, inner)) >= _STEPS_AT_LEAST
    return any(_lists(one, kind) for one in inner)


def numbered(bare: str) -> tuple[str, bool, str]:
    """Return the number in a heading, whether the heading says "step" or "phase", and the rest of the heading."""
    match = _STEP_TITLE.match(bare)
    if match is None or (match[1] is None and not (match[2][0].isdigit() and match[3])):
        return "", False, bare
    return match[2], match[1] is not None, bare[match.end() :].strip() or bare


def is_step(section: Section) -> bool:
    """Return whether the heading of a section has the number of a step."""
    return section.level > 0 and bool(numbered(section.name)[0])
