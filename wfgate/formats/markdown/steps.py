"""Sections and items to steps: finds the lists that are the plan, and their nesting."""

import re
from dataclasses import dataclass, field

from wfgate.documents import Diagnostic, Document
from wfgate.formats.builder import check_size
from wfgate.formats.markdown.plans import is_step, numbered, plan_sections, walk
from wfgate.formats.markdown.refs import Dependencies, dependencies_in
from wfgate.formats.markdown.scan import Item, Section
from wfgate.formats.markdown.words import LABEL, LABELS, Words, announces, files_in, plain, words_of
from wfgate.model import SourceSpan

ABOUT_ORDER = re.compile(r"dependenc|execution order|within each", re.IGNORECASE)
_ID_TAG = re.compile(r"US\d{1,3}$")
_NEEDS = frozenset({"depends on", "dependencies", "dependency", "deps", "needs", "requires", "prerequisites"})
_STEPS_AT_LEAST = 2


@dataclass(eq=False)
class Step:
    """One step of the plan.

    Attributes:
        label: The id or number with which other steps refer to this step.
        parallel: Whether the step is marked as parallel to its neighbours.
        all_parallel: Whether the text says that the steps inside this step run in parallel.
        heading: Whether the step is a section.
        steps: The steps inside this step.
        upper: The step that contains this step.
    """

    name: str
    span: SourceSpan
    label: str = ""
    own_id: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    files: list[str] = field(default_factory=list)
    parallel: bool = False
    all_parallel: bool = False
    condition: str = ""
    otherwise: bool = False
    dependencies: Dependencies = field(default_factory=Dependencies)
    beside: bool = False
    hint: str = ""
    whole: str = ""
    heading: bool = False
    phase: bool = False
    steps: list["Step"] = field(default_factory=list)
    upper: "Step | None" = None
    key: str = ""


class Reader:
    """Converts the sections of a text to steps.

    Args:
        document: The text.
        root: The whole text as one section.
        kind: The kind of the steps, as returned by `kind_of_plan`.
    """

    def __init__(self, document: Document, root: Section, kind: str) -> None:
        self.document = document
        self.kind = kind
        self.diagnostics: list[Diagnostic] = []
        self.ticked = self.steps = self.needs = 0
        self.left: list[Section] = []
        self.order: list[Section] = []
        self.plan: set[int] = set()
        for section in plan_sections(root):
            self.plan.add(id(section))

    def top(self, root: Section) -> tuple[str, str, list[Step], bool]:
        """Return name, description and steps of the whole text, and whether the steps run in parallel."""
        description = list(root.prose)
        name, all_parallel = "", self._announced(root)
        section = root
        while not self._own(section) and len(inner := self._inner(section)) == 1 and not self._lone(inner[0]):
            self._leave(section, inner)
            section = inner[0]
            name = name or section.name
            description += section.prose
            all_parallel = all_parallel or self._announced(section)
        if not name and root.sections and root.sections[0].level == 1 and section is not root:
            name = root.sections[0].name
        steps = self._steps(section, None)
        return name, _joined(description), steps, all_parallel

    def _lone(self, section: Section) -> bool:
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
        found: dict[int, bool] = {}
        for part in reversed(list(walk(section))):
            inside = any(found[id(inner)] for inner in part.sections)
            if self.kind == "heading":
                found[id(part)] = id(part) in self.plan and (is_step(part) or inside)
            else:
                found[id(part)] = bool(self._own(part)) or inside
        return found[id(section)]

    def _steps(self, section: Section, upper: Step | None) -> list[Step]:
        own, inner = self._own(section), self._inner(section)
        if self.kind == "heading" and inner and not own:
            own = []
        self._leave(section, inner)
        steps = [step for item in own if (step := self._step(item, upper)) is not None]
        return steps + [self._section(part, upper) for part in inner]

    def _leave(self, section: Section, inner: list[Section]) -> None:
        """Report what is not read: lists and text beside the steps, and sections without steps."""
        taken = {id(item) for item in self._own(section)}
        skipped = [item for item in section.items if id(item) not in taken]
        if skipped:
            message = f"a list of {counted(len(skipped), 'item')} is not read as steps"
            self._say(skipped[0].span, message)
        if section.rest:
            line, text = section.rest[0]
            span = SourceSpan(line=line, column=1)
            about = "it says that steps run in parallel" if announces(text) else ""
            self._say(
                span, f"the text between or below the items of the list is not read{': ' if about else ''}{about}"
            )
        kept = {id(part) for part in inner}
        for part in section.sections:
            if id(part) not in kept:
                (self.order if ABOUT_ORDER.search(part.title) else self.left).append(part)

    def _section(self, section: Section, upper: Step | None) -> Step:
        number, phase, title = numbered(section.name)
        words = words_of(title)
        self._count(1)
        step = Step(words.name or title, section.span, label=number, heading=True, phase=phase, upper=upper)
        step.own_id, step.tags = words.own_id, tuple(words.marks)
        step.description = _joined([words.description, *section.prose])
        step.dependencies = self._dependencies(title)
        step.all_parallel = self._announced(section) or announces(title)
        while not self._own(section) and len(inner := self._inner(section)) == 1 and not is_step(inner[0]):
            self._leave(section, inner)
            section = inner[0]
            step.description = _joined([step.description, *section.prose])
            step.all_parallel = step.all_parallel or self._announced(section)
        if self.kind == "heading" and _attributes_only(self._own(section)) and not self._inner(section):
            self._details(step, section.items)
            section.items = []
        step.steps = self._steps(section, step)
        return step

    def _announced(self, section: Section) -> bool:
        return bool(section.prose) and section.prose[-1].rstrip("* ").endswith(":") and announces(section.prose[-1])

    def _step(self, item: Item, upper: Step | None) -> Step | None:
        words = words_of(item.text, inside=bool(item.items))
        self.ticked += item.ticked
        if (words.condition or words.otherwise) and words.name == words.whole.rstrip(" :") and len(item.items) == 1:
            return self._only(item, words, upper)
        if words.struck:
            self._say(item.span, "a step with a strikethrough is not read")
            return None
        self._count(1)
        step = Step(words.name, item.span, label=words.own_id or item.number, own_id=words.own_id, upper=upper)
        step.tags, step.files, step.parallel = tuple(words.marks), words.files, words.parallel
        step.condition, step.otherwise, step.hint, step.beside = (
            words.condition,
            words.otherwise,
            words.hint,
            words.beside,
        )
        step.dependencies, step.whole = self._dependencies(plain(item.text)), words.whole
        step.description = _joined([words.description, *item.more])
        step.files = list(dict.fromkeys([*step.files, *files_in(" ".join(item.more[:50])[:10_000])]))
        steps = _not_notes(item.items)
        kept = set(map(id, steps))
        self._details(step, [inner for inner in item.items if id(inner) not in kept])
        step.steps = [inner_step for inner in steps if (inner_step := self._step(inner, step)) is not None]
        if step.steps and announces(item.text):
            step.all_parallel, step.hint = True, ""
        return step

    def _only(self, item: Item, words: Words, upper: Step | None) -> Step | None:
        """Return the only step below an item such as `Else:` that is only a condition; the step gets the condition."""
        step = self._step(item.items[0], upper)
        if step is not None and not (step.condition or step.otherwise):
            step.label, step.condition, step.otherwise = item.number, words.condition, words.otherwise
            step.whole = f"{words.whole} {step.whole}"
        return step

    def _details(self, step: Step, items: list[Item]) -> None:
        """Add the bullets that describe a step to the step."""
        if not items:
            return
        lines, files, after = [step.description], dict.fromkeys(step.files), list(step.dependencies.after)
        none = step.dependencies.none
        pending = list(reversed(items))
        while pending:
            item = pending.pop()
            pending += reversed(item.items)
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
        found = dependencies_in(text)
        self._count(0, len(found.after))
        return found

    def _count(self, steps: int, needs: int = 0) -> None:
        """Count steps and dependencies. A short text can contain many dependencies, as in `T001-T999`."""
        self.steps += steps
        self.needs += needs
        check_size(self.document, self.steps, self.needs)

    def _say(self, span: SourceSpan, message: str) -> None:
        self.diagnostics.append(self.document.diagnostic_at(span, "info", message))


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


def _attributes_only(items: list[Item]) -> bool:
    return not _not_notes(items)


def _describes(item: Item) -> bool:
    match = LABEL.match(item.text)
    return match is not None and match[1].lower().strip() in LABELS


def _joined(lines: list[str]) -> str:
    return "\n".join(plain(line) if not line.startswith(" ") else line for line in lines).strip()
