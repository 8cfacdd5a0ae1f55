"""The content of a picture of golden and candidate as values, for text and for screen readers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wfgate.rules import Finding
from wfgate.show.picture.scene import Line, Picture, Pieces, SceneBox, Side, Status, in_reading_order

LinkChange = Literal["inverted", "gone", "new", "in another case"]
VALUE_CHECKS = {"WR107", "WR502"}
"""Checks about values, which a picture does not show."""


@dataclass(frozen=True)
class DrawnStep:
    """A golden step and what became of it, or an added step.

    Attributes:
        status: The status.
        golden: Text of the golden step; empty for an added step.
        candidate: Texts of the candidate steps that do it; the text of an added step; none for a missing step.
        notes: Further words: "merged", "split", "moved".
        id: Id of the golden step; empty for an added step.
    """

    status: Status
    golden: Pieces
    candidate: tuple[Pieces, ...]
    notes: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True)
class ChangedLink:
    """A link that differs between golden and candidate.

    Attributes:
        change: The kind of difference.
        source: Text of the source of the link.
        target: Text of the target of the link.
        golden: Condition of the link in the golden; None if the golden does not have the link.
        candidate: Condition of the link in the candidate; None if the candidate does not have the link.
    """

    change: LinkChange
    source: str
    target: str
    golden: str | None
    candidate: str | None


def value_findings(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings about values that differ."""
    return [finding for finding in findings if finding.id in VALUE_CHECKS]


def touched_steps(findings: Sequence[Finding]) -> set[str]:
    """Return the ids of the golden steps that have another value with an effect."""
    return {step for finding in value_findings(findings) if finding.is_open for step in finding.golden_steps}


def step_changes(picture: Picture) -> list[DrawnStep]:
    """Return all golden steps with what became of them, and the added steps, in reading order."""
    golden, candidate = picture.sides
    added = [box for box in candidate.boxes if box.node.steps and box.status == "extra"]
    boxes = [box for box in golden.boxes if box.node.steps]
    steps = []
    for box in in_reading_order([*boxes, *added], picture.layers):
        if box.status == "extra":
            steps.append(DrawnStep("extra", (), (box.pieces or ((box.node.text, False),),)))
            continue
        outcome = picture.outcomes[box.key]
        steps.append(DrawnStep(box.status, outcome.golden, outcome.candidate, outcome.notes, box.node.key))
    return steps


def link_changes(picture: Picture) -> list[ChangedLink]:
    """Return the links that differ: inverted, then missing, then new links, then links with another condition.

    A link is left out if its source or target is a missing or added step.
    """
    golden, candidate = picture.sides
    links = [*_inverted(golden, candidate)]
    gone = (line for line in golden.lines if _is_listed(line, "missing", golden, candidate))
    new = (line for line in candidate.lines if _is_listed(line, "extra", candidate, golden))
    links += [_link("gone", golden, line) for line in gone]
    links += [_link("new", candidate, line) for line in new]
    united = picture.united

    def ends(line: Line) -> tuple[int, int, bool]:
        return united.get(line.source, line.source), united.get(line.target, line.target), line.arrow.back

    words = {ends(line): line.arrow.words for line in candidate.lines}
    for line in golden.lines:
        if line.other_words:
            source, target = _ends(golden, line)
            now = words[ends(line)]
            links.append(ChangedLink("in another case", source, target, line.arrow.words, now))
    return links


def _inverted(golden: Side, candidate: Side) -> Iterator[ChangedLink]:
    """Yield the inverted links, one link per pair of steps."""
    turned: set[tuple[int, int]] = set()
    for side, line in [*((golden, line) for line in golden.lines), *((candidate, line) for line in candidate.lines)]:
        if line.status == "inverted" and (line.target, line.source) not in turned:
            turned.add((line.source, line.target))
            yield _link("inverted", side, line)


def _is_listed(line: Line, status: str, side: Side, other: Side) -> bool:
    """Return whether a link has this status, and its source and its target belong to a box of the other side."""
    ends = [side.box(line.source), side.box(line.target)]
    return line.status == status and all(
        box is not None and (box.kin or other.box(box.key) is not None) for box in ends
    )


def _link(change: LinkChange, side: Side, line: Line) -> ChangedLink:
    source, target = _ends(side, line)
    words = line.arrow.words
    return ChangedLink(
        change, source, target, words if side.name == "golden" else None, words if side.name != "golden" else None
    )


def _ends(side: Side, line: Line) -> tuple[str, str]:
    source, target = side.box(line.source), side.box(line.target)
    return _named(source), _named(target)


def _named(box: SceneBox | None) -> str:
    if box is None:
        return ""
    if box.node.kind == "gateway":
        return f"the operator that {box.node.notes[0]}" if box.node.notes else "an operator"
    return box.node.text
