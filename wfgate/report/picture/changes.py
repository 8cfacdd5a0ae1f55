"""The content of a picture of golden and candidate as values, for text and for screen readers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wfgate.report.picture.scene import Box, Line, Picture, Pieces, Side, Status, in_reading_order

LinkChange = Literal["inverted", "gone", "new", "in another case"]


@dataclass(frozen=True)
class StepChange:
    """A step with its status, or several steps that were merged or split.

    Attributes:
        status: The status.
        golden: Texts of the golden's steps; empty for an added step.
        candidate: Texts of the candidate's steps; empty for a missing step.
        ids: Ids of the golden's steps.
    """

    status: Status
    golden: tuple[Pieces, ...]
    candidate: tuple[Pieces, ...]
    ids: frozenset[str] = frozenset()


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


def step_changes(picture: Picture) -> list[StepChange]:
    """Return all steps of golden and candidate in reading order.

    Steps that were merged are one entry; so are the steps that one step was split into.
    """
    golden, candidate = picture.sides
    kin = {key: bracket for bracket in picture.brackets for key in (*bracket.golden, *bracket.candidate)}
    found: list[StepChange] = []
    seen: set[int] = set()
    boxes = {box.key: box for side in picture.sides for box in side.boxes if box.node.steps}
    for box in in_reading_order(list(boxes.values()), picture.layers):
        if box.key in seen:
            continue
        bracket = kin.get(box.key)
        ours, theirs = (bracket.golden, bracket.candidate) if bracket else ((box.key,), (box.key,))
        seen |= {*ours, *theirs}
        status = box.status
        if bracket:
            status = "merged" if len(ours) > 1 else "split"
        ids = frozenset(one.node.key for one in map(golden.box, ours) if one is not None)
        found.append(StepChange(status, _texts(golden, ours), _texts(candidate, theirs), ids))
    return found


def _texts(side: Side, keys: tuple[int, ...]) -> tuple[Pieces, ...]:
    return tuple(box.pieces or ((box.node.text, False),) for box in map(side.box, keys) if box is not None)


def link_changes(picture: Picture) -> list[ChangedLink]:
    """Return the links that differ: inverted, then missing, then new links, then links with another condition.

    A link is left out if its source or target is a missing or added step.
    """
    golden, candidate = picture.sides
    found = [*_inverted(golden, candidate)]
    found += [_link("gone", golden, line) for line in golden.lines if _is_listed(line, "missing", golden)]
    found += [_link("new", candidate, line) for line in candidate.lines if _is_listed(line, "extra", candidate)]
    united = {
        key: min(bracket.golden) for bracket in picture.brackets for key in (*bracket.golden, *bracket.candidate)
    }

    def ends(line: Line) -> tuple[int, int, bool]:
        return united.get(line.source, line.source), united.get(line.target, line.target), line.arrow.back

    words = {ends(line): line.arrow.words for line in candidate.lines}
    for line in golden.lines:
        if line.other_words:
            source, target = _ends(golden, line)
            now = words[ends(line)]
            found.append(ChangedLink("in another case", source, target, line.arrow.words, now))
    return found


def _inverted(golden: Side, candidate: Side) -> Iterator[ChangedLink]:
    """Yield the inverted links, one link per pair of steps."""
    turned: set[tuple[int, int]] = set()
    for side, line in [*((golden, line) for line in golden.lines), *((candidate, line) for line in candidate.lines)]:
        if line.status == "inverted" and (line.target, line.source) not in turned:
            turned.add((line.source, line.target))
            yield _link("inverted", side, line)


def _is_listed(line: Line, status: str, side: Side) -> bool:
    """Return whether a link has this status, and neither its source nor its target is a missing or added step."""
    ends = [side.box(line.source), side.box(line.target)]
    return line.status == status and all(box is not None and box.status not in {"missing", "extra"} for box in ends)


def _link(change: LinkChange, side: Side, line: Line) -> ChangedLink:
    source, target = _ends(side, line)
    words = line.arrow.words
    return ChangedLink(
        change, source, target, words if side.name == "golden" else None, words if side.name != "golden" else None
    )


def _ends(side: Side, line: Line) -> tuple[str, str]:
    source, target = side.box(line.source), side.box(line.target)
    return _named(source), _named(target)


def _named(box: Box | None) -> str:
    if box is None:
        return ""
    if box.node.kind == "gateway":
        return f"the operator that {box.node.notes[0]}" if box.node.notes else "an operator"
    return box.node.text
