"""An outline as text: a tree of lines that fit the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from wfgate.language import CUT
from wfgate.model import END, START, Gateway, Task, Workflow
from wfgate.show.escape import guarded, visible
from wfgate.show.outlines.course import OutlineWay
from wfgate.show.outlines.layout import Branch, LayoutPart, LayoutStep, outlined
from wfgate.show.outlines.words import THE_START, details, heading, join_words, name_of, title, way_words

NARROWEST = 24
"""Characters that a text has at least, however deep it stands."""
SHORT = 30
"""Characters of a condition behind which a single step stands on the same line."""
_GLUE = "\0"
"""A blank at which no line is broken."""


def outline(workflow: Workflow, width: int = 80, *, color: bool = False) -> str:
    """Return a workflow as an outline: its steps in execution order, numbered.

    The branches of a step are a tree below the step, with their conditions. Steps that come after all branches follow
    below the tree. An arrow with a number is a link to the step with this number. Below a step is its description,
    each line cut at the width.

    Args:
        workflow: The workflow; its graph may be broken.
        width: Maximum width of a line.
        color: Whether to print descriptions dimmed, with escape sequences.

    Example:
        >>> from wfgate.model import Link
        >>> links = [Link(source=a, target=b) for a, b in (("START", "a"), ("a", "b"), ("b", "END"))]
        >>> tasks = (Task(id="a", name="Build"), Task(id="b", name="Test"))
        >>> print(outline(Workflow(name="w", tasks=tasks, links=links)), end="")
        w: 2 steps
        1. Build
        2. Test
    """
    lines: list[_Line] = []
    for place, part in enumerate(outlined(workflow)):
        own = part.course.workflow
        lines += [_Line("", "", "")] * bool(place)
        lines.append(_Line("", "", heading(own if place else workflow)))
        if own.description.strip():
            lines.append(_Line("", "", visible(" ".join(own.description.split()))))
        lines += _Writer(workflow).part(part, "")
    shown = ((line, text) for line in lines for text in ([_cut(line, width)] if line.cut else _wrapped(line, width)))
    return "\n".join(_dimmed(guarded([text]), dim=color and line.cut) for line, text in shown) + "\n"


@dataclass(frozen=True)
class _Line:
    """One line: its text, the prefix before the text, and the prefix of continuation lines.

    Attributes:
        cut: Whether the line is cut at the width and not wrapped: a line of a description.
    """

    first: str
    rest: str
    text: str
    cut: bool = False


class _Writer:
    def __init__(self, workflow: Workflow) -> None:
        self.whole = workflow
        self.named = {other.name for other in workflow.subworkflows}

    def part(self, part: LayoutPart, blank: str) -> Iterator[_Line]:
        """Yield the lines of one workflow."""
        yield from self._steps(part, part.steps, blank)
        if part.lost:
            yield _Line(blank, blank, "Never reached:")
            yield from self._steps(part, part.lost, blank + "  ")
        for twin in part.course.twins:
            line = (
                f"Not drawn: '{visible(twin.name or twin.id, 80)}', because the id '{visible(twin.id, 80)}' is taken"
            )
            yield _Line(blank, blank + "  ", line)

    def _steps(
        self, part: LayoutPart, steps: list[LayoutStep], blank: str, above: LayoutStep | None = None
    ) -> Iterator[_Line]:
        for step, before in zip(steps, [above, *steps], strict=False):
            below = "   " if before is not None and before.node != START and not self._line_of(part, step) else ""
            yield from self._step(part, step, blank + below, blank + below)

    def _step(self, part: LayoutPart, step: LayoutStep, first: str, rest: str) -> Iterator[_Line]:
        """Yield the lines of a step and of its branches.

        Args:
            part: The workflow.
            step: The step.
            first: Prefix of the step's line.
            rest: Prefix of the lines below the step.
        """
        line = self._line_of(part, step)
        inner = rest
        if line:
            yield _Line(first, rest + " " * (len(step.number) + 2), line)
            inner = rest + "   "
            yield from self._body(part, step, inner)
        elif first != rest:
            yield _Line(first, rest, title(part.course, step.node, step.branches) or "then:")
        if step.inside is not None:
            yield from self.part(step.inside, inner)
        if step.branches:
            titled = title(part.course, step.node, step.branches)
            if titled and (line or first == rest):
                yield _Line(inner, inner, f"At the start {titled}" if step.node == START else titled)
            for place, branch in enumerate(step.branches):
                last = place == len(step.branches) - 1
                yield from self._branch(
                    part, branch, inner + ("└─ " if last else "├─ "), inner + ("   " if last else "│  ")
                )

    def _body(self, part: LayoutPart, step: LayoutStep, blank: str) -> Iterator[_Line]:
        """Yield the lines of the description of a step, and of the workflow that is drawn inside it."""
        task = part.course.nodes.get(step.node)
        described = [task.description] if isinstance(task, Task) else []
        inner = step.inside.course.workflow.description if step.inside is not None else ""
        described += [inner] if inner not in described else []
        for line in "\n".join(described).splitlines():
            if line.strip():
                yield _Line(blank, blank, visible(" ".join(line.split())), cut=True)

    def _branch(self, part: LayoutPart, branch: Branch, first: str, rest: str) -> Iterator[_Line]:
        words = way_words(branch.way)
        if not branch.steps:
            yield _Line(first, rest, f"{words} {self._target(part, branch.way)}".strip())
            return
        opening, *others = branch.steps
        line = self._line_of(part, opening)
        single = line and not others and not opening.branches and opening.inside is None
        if words and single and cell_len(words) <= SHORT:
            yield _Line(first, rest, f"{words}: {line}")
            yield from self._body(part, opening, rest + "   ")
            return
        if words:
            yield _Line(first, rest, f"{words}:")
            yield from self._steps(part, branch.steps, rest)
            return
        yield from self._step(part, opening, first, rest)
        yield from self._steps(part, others, rest, opening)

    def _line_of(self, part: LayoutPart, step: LayoutStep) -> str:
        """Return the text of a step's line; empty if the step has no line."""
        course = part.course
        element = course.nodes.get(step.node)
        waits = join_words(course, step.node, self._sources(part, step.node))
        notes = [waits] if waits else []
        if isinstance(element, Gateway):
            if not step.number:
                return ""
            line, notes = f"{step.number}. {waits if len(course.before[step.node]) > 1 else 'then'}", []
        elif step.node == START:
            return ""
        else:
            line = f"{step.number}. {name_of(course, step.node)}"
        if isinstance(element, Task):
            action = visible(" ".join((element.action or "").split()), 80)
            if action and action != name_of(course, step.node):
                line += f" [{action}]"
            notes += details(element, self.named)
            notes += [step.same] * bool(step.same)
        words = way_words(step.way) if step.way is not None else ""
        if words:
            notes.insert(0, words if words.startswith("always") else f"only {words}")
        if notes:
            line += f" ({'; '.join(notes)})"
        if step.next is not None and (not step.goes_on or way_words(step.next)):
            line += f" {self._target(part, step.next)} {way_words(step.next)}".rstrip()
        return line

    def _target(self, part: LayoutPart, way: OutlineWay) -> str:
        if way.target == END:
            end = "the end" if part.course.workflow is self.whole else "end of section"
            return f"→ {end}".replace(" ", _GLUE)
        step = part.numbered.get(way.target)
        number = step.number if step is not None else visible(way.target, 80)
        return f"→{_GLUE}back{_GLUE}to{_GLUE}{number}" if way.back else f"→{_GLUE}{number}"

    def _sources(self, part: LayoutPart, node: str) -> list[str]:
        """Return the numbers of the steps before a node; operators without a number are skipped."""
        numbers: list[str] = []
        pending = [*reversed(part.course.before[node])]
        seen = set()
        while pending:
            source = pending.pop()
            step = part.numbered.get(source)
            if source in seen or step is None:
                continue
            seen.add(source)
            if source == START:
                numbers.append(THE_START)
            elif step.number:
                numbers.append(step.number)
            else:
                pending += reversed(part.course.before[source])
        return numbers


def _cut(line: _Line, width: int) -> str:
    """Return a line, cut at the width."""
    room = max(NARROWEST, width - cell_len(line.first))
    text = line.text if cell_len(line.text) <= room else f"{_fitting(line.text, room - 1).rstrip()}{CUT}"
    return line.first + text


def _dimmed(text: str, *, dim: bool) -> str:
    return f"\x1b[2m{text}\x1b[0m" if dim else text


def _wrapped(line: _Line, width: int) -> Iterator[str]:
    """Yield a line, wrapped between words."""
    before, room = line.first, max(NARROWEST, width - cell_len(line.first))
    current = ""
    for word in line.text.split(" "):
        left = word.replace(_GLUE, " ")
        while True:
            longer = f"{current} {left}" if current else left
            if cell_len(longer) <= room:
                current = longer
                break
            if not current:
                head = _fitting(left, room)
                current, left = head, left[len(head) :]
            yield before + current
            before, room, current = line.rest, max(NARROWEST, width - cell_len(line.rest)), ""
    yield (before + current).rstrip()


def _fitting(word: str, room: int) -> str:
    """Return the beginning of a word that fits into `room` columns."""
    end = len(word)
    while end > 1 and cell_len(word[:end]) > room:
        end -= max(1, (cell_len(word[:end]) - room) // 2)
    return word[:end]
