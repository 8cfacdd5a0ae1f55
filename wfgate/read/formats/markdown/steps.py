"""Sections and items to steps: finds the lists that are the plan, and their nesting."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.markdown.plans import is_step, numbered, plan_sections
from wfgate.read.formats.markdown.refs import Dependencies, dependencies_in
from wfgate.read.formats.markdown.scan import Item, Section, walk, walk_items
from wfgate.read.formats.markdown.words import ABOUT_ITEM, LABEL, Words, announces, files_in, plain, words_of

BESIDE = "Section: "
"""Before the headings of a section without steps, in the texts around the steps."""
ABOVE = "Heading of the steps: "
"""Before a heading, in the texts around the steps."""
SETTING = "Front matter: "
"""Before a line of the front matter."""
ABOUT_ORDER = re.compile(r"dependenc|execution order|within each", re.IGNORECASE)
_NEEDS = frozenset({"depends on", "dependencies", "dependency", "deps", "needs", "requires", "prerequisites"})
_STEPS_AT_LEAST = 2
_SHOWN = 10
"""Most sections that one diagnostic names."""
Say = Callable[[SourceSpan, str], None]
"""Adds a diagnostic about a position in the text."""


@dataclass(eq=False, kw_only=True)
class MarkdownStep(Words):
    """One step of the plan.

    Attributes:
        label: The id or number with which other steps refer to this step.
        all_parallel: Whether the text says that the steps inside this step run in parallel.
        marked: The text with all marks.
        heading: Whether the step is a section.
        phase: Whether the heading says that the step is a phase or step.
        steps: The steps inside this step.
        upper: The step that contains this step.
        key: Id of the step in its list.
        needs: The steps that this step waits for, by identity.
    """

    span: SourceSpan
    label: str = ""
    marked: str = ""
    all_parallel: bool = False
    dependencies: Dependencies = field(default_factory=Dependencies)
    heading: bool = False
    phase: bool = False
    steps: list["MarkdownStep"] = field(default_factory=list)
    upper: "MarkdownStep | None" = None
    key: str = ""
    needs: dict[int, "MarkdownStep"] = field(default_factory=dict)

    @property
    def path(self) -> list["MarkdownStep"]:
        """The steps that contain this step, outermost first, and this step."""
        return [*(self.upper.path if self.upper else ()), self]


class SectionReader:
    """Converts the sections of a text to steps.

    Args:
        document: The text.
        root: The whole text as one section.
        kind: The kind of the steps, as returned by `kind_of_plan`.
        say: Adds a diagnostic.

    Attributes:
        around: The texts that no step contains, with their marks.
    """

    def __init__(self, document: Document, root: Section, kind: str, say: Say) -> None:
        self.document = document
        self.kind = kind
        self.say = say
        self.ticked = self.boxes = self.steps = self.needs = 0
        self.left: list[Section] = []
        self.order: list[Section] = []
        self.around: list[str] = []
        self.plan = {id(section) for section in plan_sections(root, kind)}

    def top(self, root: Section) -> tuple[str, str, list[MarkdownStep], bool]:
        """Return name, description and steps of the whole text, and whether the steps run in parallel."""
        description = list(root.prose)
        self.around += [f"{SETTING}{line}" for line in root.settings if line]
        self.around.append(root.marked)
        name, all_parallel = "", _announced(root)
        section = root
        while (inner := self._only_inner(section)) and not self._is_lone(inner):
            self._leave(section)
            section = inner
            if name:
                self.around.append(f"{ABOVE}{section.title}")
            name = name or section.name
            description += section.prose
            self.around.append(section.marked)
            all_parallel = all_parallel or _announced(section)
        if not name and root.sections and root.sections[0].level == 1 and section is not root:
            name = root.sections[0].name
        return name, _joined(description), self._steps(section, None), all_parallel

    def _is_lone(self, section: Section) -> bool:
        """Whether the only section is a step that contains no steps."""
        return self.kind == "heading" and is_step(section) and not self._own(section) and not self._inner(section)

    def _own(self, section: Section) -> list[Item]:
        """Return the items of a section that are steps."""
        if id(section) not in self.plan:
            return []
        if self.kind == "heading":
            steps = [item for item in section.items if item.kind != "bullet"]
            return steps or _not_notes(section.items)
        return [item for item in section.items if item.kind == self.kind]

    def _inner(self, section: Section) -> list[Section]:
        """Return the direct subsections that are steps or contain steps."""
        return [inner for inner in section.sections if self._holds(inner)]

    def _holds(self, section: Section) -> bool:
        own = is_step(section) if self.kind == "heading" else bool(self._own(section))
        return id(section) in self.plan and (own or any(map(self._holds, section.sections)))

    def _only_inner(self, section: Section) -> Section | None:
        """Return the only subsection with steps, if the section has no steps itself."""
        inner = [] if self._own(section) else self._inner(section)
        return inner[0] if len(inner) == 1 else None

    def _steps(self, section: Section, upper: MarkdownStep | None) -> list[MarkdownStep]:
        self._leave(section)
        steps = [step for item in self._own(section) if (step := self._step(item, upper)) is not None]
        return steps + [self._section(part, upper) for part in self._inner(section)]

    def _leave(self, section: Section) -> None:
        """Report what is read as remarks: lists and text beside the steps, and sections without steps."""
        taken = {id(item) for item in self._own(section)}
        skipped = [item for item in section.items if id(item) not in taken]
        self.around += [item.marked for item in walk_items(skipped)] + section.marked_rest
        if skipped:
            self.say(skipped[0].span, f"a list of {counted(len(skipped), 'item')} is read as remarks, not as steps")
        if section.rest:
            line, text = section.rest[0]
            about = ": it says that steps run in parallel" if announces(text) else ""
            message = f"the text between or below the items of the list is read as a remark, not as a step{about}"
            self.say(SourceSpan(line=line, column=1), message)
        for part in section.sections:
            if not self._holds(part):
                for title, inner in _titled(part):
                    texts = [item.marked for item in walk_items(inner.items)]
                    self.around += [f"{BESIDE}{title}", inner.marked, *texts, *inner.marked_rest]
                (self.order if ABOUT_ORDER.search(part.name) else self.left).append(part)

    def remarks(self) -> str:
        """Return the titles of the sections that are read as remarks, with the number of items in their lists."""
        named = [section for section in self.left if section.name]
        shown = []
        for section in named[:_SHOWN]:
            items = sum(1 for inner in walk(section) for _ in walk_items(inner.items))
            listed = f" (a list of {counted(items, 'item')})" if items else ""
            shown.append(f"{section.name[:40]}{listed}")
        more = len(named) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")

    def _section(self, section: Section, upper: MarkdownStep | None) -> MarkdownStep:
        number, phase, title = numbered(section.name)
        words = words_of(title)
        self._count(1)
        step = MarkdownStep(
            name=words.name or title,
            span=section.span,
            label=number,
            own_id=words.own_id,
            marks=words.marks,
            marked=f"{section.title}\n{section.marked}",
            dependencies=self._dependencies(title),
            heading=True,
            phase=phase,
            upper=upper,
        )
        description = [words.description, *section.prose]
        step.all_parallel = _announced(section) or announces(title)
        while (inner := self._only_inner(section)) and not is_step(inner):
            self._leave(section)
            section = inner
            description += section.prose
            step.marked += f"\n{section.title}\n{section.marked}"
            step.all_parallel = step.all_parallel or _announced(section)
        step.description = _joined(description)
        if self.kind == "heading" and not _not_notes(self._own(section)) and not self._inner(section):
            self._details(step, section.items)
            section.items = []
        step.steps = self._steps(section, step)
        return step

    def _step(self, item: Item, upper: MarkdownStep | None) -> MarkdownStep | None:
        words = words_of(item.text, inside=bool(item.items))
        self.ticked += item.ticked
        self.boxes += item.kind == "box"
        if words.alone and len(item.items) == 1:
            return self._only(item, words, upper)
        if item.hidden:
            self.say(item.span, "a step that is struck out, or that a renderer does not show, is not read")
            return None
        self._count(1)
        step = MarkdownStep(
            **vars(words), span=item.span, marked=item.marked, label=words.own_id or item.number, upper=upper
        )
        step.dependencies = self._dependencies(plain(item.text))
        step.description = _joined([words.description, *item.more])
        step.files = list(dict.fromkeys([*step.files, *files_in(" ".join(item.more[:50])[:10_000])]))
        steps = _not_notes(item.items)
        kept = set(map(id, steps))
        self._details(step, [inner for inner in item.items if id(inner) not in kept])
        step.steps = [inner_step for inner in steps if (inner_step := self._step(inner, step)) is not None]
        if step.steps and announces(item.text):
            step.all_parallel, step.hint = True, ""
        return step

    def _only(self, item: Item, words: Words, upper: MarkdownStep | None) -> MarkdownStep | None:
        """Return the only step below an item such as `Else:` that is only a condition; the step gets the condition."""
        step = self._step(item.items[0], upper)
        if step is not None and not (step.condition or step.otherwise):
            step.label, step.condition, step.otherwise = item.number, words.condition, words.otherwise
            step.name = f"{words.name}: {step.name}"
        return step

    def _details(self, step: MarkdownStep, items: list[Item]) -> None:
        """Add the bullets that describe a step to the step."""
        if not items:
            return
        lines, files, after = [step.description], dict.fromkeys(step.files), list(step.dependencies.after)
        none = step.dependencies.none
        step.marked = "\n".join([step.marked, *(item.marked for item in walk_items(items))])
        for item in walk_items(items):
            lines += [plain(item.text), *item.more]
            files |= dict.fromkeys(files_in(item.text))
            label = LABEL.match(item.text)
            if label and label[1].lower() in _NEEDS:
                more = self._dependencies(f"depends on: {plain(item.text[label.end() :])}")
                after += more.after
                none = none or more.none
        step.dependencies = Dependencies(tuple(after), step.dependencies.beside, none)
        step.files, step.description = list(files), _joined(lines)

    def _dependencies(self, text: str) -> Dependencies:
        dependencies = dependencies_in(text)
        self._count(0, len(dependencies.after))
        return dependencies

    def _count(self, steps: int, needs: int = 0) -> None:
        """Count steps and dependencies. A short text can contain many dependencies, as in `T001-T999`."""
        self.steps += steps
        self.needs += needs
        check_size(self.document, self.steps, self.needs)


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in singular or plural.

    Example:
        >>> counted(1, "step"), counted(2, "step")
        ('1 step', '2 steps')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def _not_notes(items: list[Item]) -> list[Item]:
    """Return the items that are steps: numbers and boxes; bullets only if at least two do more than describe."""
    bullets = [item for item in items if item.kind == "bullet" and not _describes(item)]
    if len(bullets) < _STEPS_AT_LEAST:
        bullets = [item for item in bullets if item.items and _not_notes(item.items)]
    kept = {id(item) for item in bullets}
    return [item for item in items if item.kind != "bullet" or id(item) in kept]


def _titled(section: Section, above: str = "") -> Iterator[tuple[str, Section]]:
    """Yield a section and all sections inside it, in order, each with its heading behind those above it."""
    title = f"{above} / {section.title}" if above else section.title
    yield title, section
    for inner in section.sections:
        yield from _titled(inner, title)


def _announced(section: Section) -> bool:
    """Whether the text above the list of a section says that its steps run in parallel."""
    return bool(section.prose) and section.prose[-1].rstrip("* ").endswith(":") and announces(section.prose[-1])


def _describes(item: Item) -> bool:
    match = LABEL.match(item.text)
    return match is not None and ABOUT_ITEM.fullmatch(match[1].strip()) is not None


def _joined(lines: list[str]) -> str:
    return "\n".join(plain(line) if not line.startswith(" ") else line for line in lines).strip()
