"""The changes of a picture with their neighbours: what is unchanged between them is folded into one box."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wfgate.show.picture.flow import PictureNode, both
from wfgate.show.picture.layers import MAX_EDGES, Edge, arranged_together, common_edges
from wfgate.show.picture.scene import Line, Picture, SceneBox, Side, routed

LEAST = 3
"""Unchanged steps that are folded into one box at least."""
MAX_BOXES = 10_000
"""Boxes of a picture whose changes are drawn alone."""


def focused(picture: Picture) -> Picture | None:
    """Return a picture of golden and candidate with its changes and their neighbours only.

    All statuses are those of the given picture, and the boxes keep their keys. Unchanged steps that are connected, or
    parallel between the same boxes, are one box; its key is that of one of them, and it opens the given picture.

    Returns:
        The picture; None if nothing is changed, if so little is unchanged that nothing can be folded, or if it is too
        large as well. Cost: less than that of the given picture.
    """
    edges = [_forward(side) for side in picture.sides]
    changed, keys = picture.changed, {box.key for side in picture.sides for box in side.boxes}
    if not changed or len(keys) > MAX_BOXES or max(map(len, edges)) > MAX_EDGES:
        return None
    free = keys - changed - picture.beside(changed) - _fixed(picture)
    groups = _groups(picture, free, common_edges(*edges))
    holder = {key: min(group) for group in groups for key in group}
    if not holder:
        return None
    sides = [
        replace(side, boxes=tuple(_boxes(side, groups, holder)), lines=_lines(side, holder)) for side in picture.sides
    ]
    layers = arranged_together([[box.key for box in side.boxes] for side in sides], list(map(_forward, sides)))
    if layers.refused:
        return None
    return replace(
        picture,
        sides=tuple(replace(side, lines=tuple(routed(line, layers) for line in side.lines)) for side in sides),
        layers=layers,
        outcomes={key: outcome for key, outcome in picture.outcomes.items() if key not in holder},
    )


def _forward(side: Side) -> list[Edge]:
    return [(line.source, line.target) for line in side.lines if not line.arrow.back and line.source != line.target]


def _fixed(picture: Picture) -> set[int]:
    """Return the keys of START and END, of the ends of changed links, and of the boxes that only one side has."""
    golden, candidate = ({box.key for box in side.boxes} for side in picture.sides)
    fixed = golden ^ candidate
    for side in picture.sides:
        fixed |= {box.key for box in side.boxes if box.node.kind in {"start", "end"}}
        fixed |= {end for line in side.lines if line.is_changed for end in (line.source, line.target)}
    return fixed


def _groups(picture: Picture, free: set[int], edges: Sequence[Edge]) -> list[list[int]]:
    """Return the boxes that are folded together, as keys.

    Two connected boxes are joined if the first has no other successor or the second no other predecessor, and two
    parallel ones if they have the same neighbours: then no other path can lead from one to the other, so that the
    joined boxes are in no cycle.
    """
    after: defaultdict[int, set[int]] = defaultdict(set)
    before: defaultdict[int, set[int]] = defaultdict(set)
    for source, target in edges:
        after[source].add(target)
        before[target].add(source)
    members = {key: [key] for key in sorted(free)}
    left = 0
    while left != len(members):
        left = len(members)
        for key in list(members):
            while key in members and (near := _next(key, members, after, before)) is not None:
                _join(key, near, members, after, before)
        known: dict[tuple[frozenset[int], frozenset[int]], int] = {}
        for key in list(members):
            twin = known.setdefault((frozenset(before[key]), frozenset(after[key])), key)
            if twin != key:
                _join(twin, key, members, after, before)
    steps = {box.key for box in picture.sides[0].boxes if box.node.steps}
    return [group for group in members.values() if len(steps.intersection(group)) >= LEAST]


def _join(
    one: int,
    other: int,
    members: dict[int, list[int]],
    after: defaultdict[int, set[int]],
    before: defaultdict[int, set[int]],
) -> None:
    """Make one box of two: the first has the members and the neighbours of both."""
    members[one] += members.pop(other)
    for ways, returning in ((after, before), (before, after)):
        for near in ways.pop(other, set()):
            returning[near].discard(other)
            if near != one:
                returning[near].add(one)
                ways[one].add(near)


def _next(
    key: int,
    members: Mapping[int, Sequence[int]],
    after: Mapping[int, set[int]],
    before: Mapping[int, set[int]],
) -> int | None:
    """Return a successor that can be joined with a box."""
    near = after.get(key, set())
    return next((one for one in sorted(near) if one in members and (len(near) == 1 or len(before[one]) == 1)), None)


def _boxes(side: Side, groups: Sequence[Sequence[int]], holder: Mapping[int, int]) -> Iterator[SceneBox]:
    yield from (replace(box, view=None) for box in side.boxes if box.key not in holder)
    for group in groups:
        inside = [box for key in group if (box := side.box(key)) is not None and box.node.steps]
        steps = tuple(step for box in inside for step in box.node.steps)
        reworded = sum(box.status == "reworded" for box in inside)
        kind = "unchanged" if not reworded else "reworded" if reworded == len(inside) else "kept"
        text = f"{len(steps):,} {kind} steps"
        notes = (f"{reworded:,} of them reworded",) if kind == "kept" else ()
        key = holder[group[0]]
        yield SceneBox(key, PictureNode(f"group {key}", "group", text, notes, steps), pieces=((text, False),), view=0)


def _lines(side: Side, holder: Mapping[int, int]) -> tuple[Line, ...]:
    """Return the lines between what is drawn; those that meet at a folded box are one."""
    lines: dict[tuple[int, int, bool], Line] = {}
    for line in side.lines:
        source, target = (holder.get(end, end) for end in (line.source, line.target))
        if source == target and source in holder:
            continue
        known = lines.get((source, target, line.arrow.back))
        arrow = line.arrow if known is None else both(known.arrow, line.arrow)
        lines[source, target, line.arrow.back] = replace(line, source=source, target=target, arrow=arrow)
    return tuple(lines.values())
