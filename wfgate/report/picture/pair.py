"""A golden and a candidate in one picture. Aligned steps have the same height, and changes are marked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from wfgate.alignment import Alignment
from wfgate.checks.base import Wording
from wfgate.model import Task
from wfgate.report.picture.flow import Arrow, Flow, Node, outermost
from wfgate.report.picture.layers import Edge, Layers, arranged, in_a_row
from wfgate.report.picture.scene import (
    Box,
    Bracket,
    LineStatus,
    Picture,
    Pieces,
    Side,
    Status,
    drawn_line,
)


class PairLayout:
    """The boxes of golden and candidate, and which boxes belong together.

    Attributes:
        holders: For each side, the key of the box of each step, by position of the step.
        numbers: For each side, the number of each box, by key of the box. Two boxes that belong together have the same
            number.
        united: Common number for the boxes of merged or split steps, for the comparison of links.
        drawn: For each side, the numbers of its boxes.
        ahead: For each side, the targets of the links that are not back edges, by source.
        words: For each side, the conditions of its links, by source, target, and whether the link is a back edge.
        partner: For each side, the position of the aligned step on the other side.
    """

    def __init__(
        self,
        flows: Sequence[Flow],
        tasks: tuple[Sequence[Task], Sequence[Task]],
        alignment: Alignment,
        drifted: dict[str, Wording],
    ) -> None:
        self.flows = flows
        self.tasks = tasks
        self.alignment = alignment
        self.drifted = drifted
        self.holders = [{step: key for key, node in flow.nodes.items() for step in node.steps} for flow in flows]
        self.numbers = self._numbered(self._twins())
        self.brackets = self._bracketed()
        self.united = {
            key: min(bracket.golden) for bracket in self.brackets for key in (*bracket.golden, *bracket.candidate)
        }
        self.drawn = [{self._one(key) for key in number.values()} for number in self.numbers]
        self.ahead = [self._ahead(side) for side in (0, 1)]
        self.words = [self._words(side) for side in (0, 1)]
        pairs = [(match.golden, match.candidate) for match in alignment.matches]
        self.partner = dict(pairs), {theirs: ours for ours, theirs in pairs}

    def picture(self, *titles: str, views: Sequence[Mapping[str, int]] = ({}, {})) -> Picture:
        """Return the picture.

        Args:
            titles: Titles of the sides.
            views: For each side, the number of the picture in which a composite is open, by path of the composite.
        """
        layers = self._layers()
        kin: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for bracket in self.brackets:
            for side, own in ((0, bracket.golden), (1, bracket.candidate)):
                for key in own:
                    kin[side, key] |= {*bracket.golden, *bracket.candidate} - {key}
        status = self._statuses()
        sides = []
        for side, name in enumerate(("golden", "candidate")):
            number = self.numbers[side]
            boxes = tuple(
                Box(
                    number[key],
                    node,
                    status[side][key],
                    self._pieces(side, node, status[side][key]),
                    tuple(sorted(kin[side, number[key]])),
                    views[side].get(key if key in views[side] else outermost(node) or ""),
                )
                for key, node in self.flows[side].nodes.items()
            )
            lines = tuple(
                drawn_line(number, arrow, layers, *self._line(side, arrow)) for arrow in self.flows[side].arrows
            )
            sides.append(Side(name, titles[side], boxes, lines))
        return Picture(tuple(sides), layers, tuple(self.brackets))

    # --- which is which ---------------------------------------------------------------------------------------------

    def _twins(self) -> dict[str, str]:
        """Return pairs of boxes that belong together: key of the golden's box to key of the candidate's box."""
        votes: Counter[tuple[str, str]] = Counter()
        for match in self.alignment.matches:
            votes[self.holders[0][match.golden], self.holders[1][match.candidate]] += 1
        twins = _paired(votes)
        for end in ("START", "END"):
            twins[end] = end
        twins |= _paired(self._alike_gateways(twins))
        return twins

    def _alike_gateways(self, twins: Mapping[str, str]) -> Counter[tuple[str, str]]:
        """Return the number of neighbours that two operators of the same kind share."""
        beside = [self._neighbours(side) for side in (0, 1)]
        by_operator: defaultdict[tuple[str, str] | None, list[str]] = defaultdict(list)
        for node in self.flows[1].nodes.values():
            if node.kind == "gateway":
                by_operator[node.operator].append(node.key)
        votes: Counter[tuple[str, str]] = Counter()
        for node in self.flows[0].nodes.values():
            if node.kind != "gateway":
                continue
            ours = {(way, twins[key]) for way, key in beside[0][node.key] if key in twins}
            for other in by_operator[node.operator]:
                shared = len(ours & beside[1][other])
                if shared:
                    votes[node.key, other] = shared
        return votes

    def _neighbours(self, side: int) -> dict[str, set[tuple[bool, str]]]:
        """Return the nearest steps before and after each operator. Operators in between are skipped."""
        flow = self.flows[side]
        out: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
        for arrow in flow.arrows:
            out[True, arrow.source].append(arrow.target)
            out[False, arrow.target].append(arrow.source)
        found: dict[str, set[tuple[bool, str]]] = {}
        for node in flow.nodes.values():
            if node.kind == "gateway":
                found[node.key] = {
                    (forward, key)
                    for forward in (True, False)
                    for key in _past(node.key, forward, out, lambda key: flow.nodes[key].kind == "gateway")
                }
        return found

    def _numbered(self, twins: Mapping[str, str]) -> tuple[dict[str, int], dict[str, int]]:
        golden = {key: place for place, key in enumerate(self.flows[0].nodes)}
        partner = {theirs: golden[ours] for ours, theirs in twins.items()}
        candidate: dict[str, int] = {}
        free = len(golden)
        for key in self.flows[1].nodes:
            candidate[key] = partner.get(key, free)
            free += key not in partner
        return golden, candidate

    # --- links ------------------------------------------------------------------------------------------------------

    def _forward(self, side: int) -> list[Edge]:
        number = self.numbers[side]
        return [
            (number[arrow.source], number[arrow.target])
            for arrow in self.flows[side].arrows
            if not arrow.back and arrow.source != arrow.target
        ]

    def _layers(self) -> Layers:
        """Return the layout: one column if both sides are linear, so that each step stands beside its partner."""
        golden, candidate = map(self._row, (0, 1))
        if golden and candidate:
            order = list(golden)
            for before, box in zip([None, *candidate], candidate, strict=False):
                if box not in golden:
                    order.insert(order.index(before) + 1 if before is not None else 0, box)
            return in_a_row(order)
        boxes = dict.fromkeys([*self.numbers[0].values(), *self.numbers[1].values()])
        return arranged(list(boxes), self._edges())

    def _row(self, side: int) -> list[int]:
        """Return the boxes of a linear side in their order; empty if the side is not linear."""
        boxes, after = self.numbers[side].values(), dict(links := self._forward(side))
        targets = {target for _, target in links}
        if not len(targets) == len(after) == len(links) == len(boxes) - 1:
            return []
        row = [next(box for box in boxes if box not in targets)]
        while row[-1] in after:
            row.append(after[row[-1]])
        return row

    def _edges(self) -> list[Edge]:
        """Return the links of the golden, and those links of the candidate that do not close a cycle."""
        edges = self._forward(0)
        after: defaultdict[int, list[int]] = defaultdict(list)
        for source, target in edges:
            after[source].append(target)
        known = set(edges)
        for source, target in self._forward(1):
            if (source, target) in known:
                continue
            if not _leads(target, source, after):
                known.add((source, target))
                edges.append((source, target))
                after[source].append(target)
        return edges

    def _one(self, key: int) -> int:
        return self.united.get(key, key)

    def _ends(self, side: int, arrow: Arrow) -> tuple[int, int, bool]:
        """Return the key by which links are compared."""
        number = self.numbers[side]
        return self._one(number[arrow.source]), self._one(number[arrow.target]), arrow.back

    def _ahead(self, side: int) -> dict[int, list[int]]:
        after: defaultdict[int, list[int]] = defaultdict(list)
        for source, target in self._forward(side):
            after[self._one(source)].append(self._one(target))
        return after

    def _words(self, side: int) -> dict[tuple[int, int, bool], str]:
        return {self._ends(side, arrow): arrow.words for arrow in self.flows[side].arrows}

    def _line(self, side: int, arrow: Arrow) -> tuple[LineStatus, bool]:
        """Return the status of a link, and whether its condition differs on the other side."""
        source, target, back = ends = self._ends(side, arrow)
        ours, theirs = self.drawn[side], self.drawn[1 - side]
        twin = self.words[1 - side].get(ends)
        if twin is not None:
            return "same", twin != arrow.words
        if source == target and arrow.source != arrow.target:  # inside what was merged or split
            return "same", False
        gone: LineStatus = "extra" if side else "missing"
        if source not in theirs or target not in theirs or back:
            return gone, False
        after = self.ahead[1 - side]
        if _leads(target, source, after):
            return "inverted", False
        past = _leads(source, target, after, lambda key: key not in ours)
        return "same" if past else gone, False

    # --- boxes ------------------------------------------------------------------------------------------------------

    def _bracketed(self) -> list[Bracket]:
        found: list[tuple[tuple[int, ...], tuple[int, ...]]]
        found = [((*merge.golden,), (merge.candidate,)) for merge in self.alignment.merges]
        found += [((split.golden,), (*split.candidate,)) for split in self.alignment.splits]
        brackets = []
        for golden, candidate in found:
            ours = sorted({self.numbers[0][self.holders[0][step]] for step in golden})
            theirs = sorted({self.numbers[1][self.holders[1][step]] for step in candidate})
            if len(ours) > 1 or len(theirs) > 1:
                brackets.append(Bracket(tuple(ours), tuple(theirs)))
        return brackets

    def _statuses(self) -> tuple[dict[str, Status], dict[str, Status]]:
        spread: dict[tuple[int, int], Status] = {}
        for bracket in self.brackets:
            word: Status = "merged" if len(bracket.golden) > 1 else "split"
            spread |= dict.fromkeys([(0, key) for key in bracket.golden], word)
            spread |= dict.fromkeys([(1, key) for key in bracket.candidate], word)
        partner = self.partner
        common = self.drawn[0] & self.drawn[1]
        changed = self._changed_composites(partner, common)
        found: tuple[dict[str, Status], dict[str, Status]] = {}, {}
        for side, flow in enumerate(self.flows):
            for key, node in flow.nodes.items():
                number = self.numbers[side][key]
                if (side, number) in spread:
                    found[side][key] = spread[side, number]
                elif number not in common:
                    found[side][key] = "extra" if side else "missing"
                elif len(node.steps) == 1 and node.steps[0] in partner[side]:
                    found[side][key] = self._became(*_ordered(side, node.steps[0], partner[side][node.steps[0]]))
                else:
                    found[side][key] = "changed" if number in changed else "same"
        return found

    def _became(self, golden: int, candidate: int) -> Status:
        ours, theirs = self.tasks[0][golden], self.tasks[1][candidate]
        if ours.text == theirs.text:
            return "same"
        if ours.id in self.drifted:
            return "drifted"
        return "reworded" if ours.name != theirs.name else "same"

    def _changed_composites(self, partner: Sequence[Mapping[int, int]], common: set[int]) -> set[int]:
        """Return the numbers of the folded composites that contain a changed step."""
        found = set()
        for side, flow in enumerate(self.flows):
            for key, node in flow.nodes.items():
                number = self.numbers[side][key]
                if number not in common or not node.steps:
                    continue
                for step in node.steps:
                    other = partner[side].get(step)
                    away = other is None or self.numbers[1 - side][self.holders[1 - side][other]] != number
                    if other is None or away or self._became(*_ordered(side, step, other)) != "same":
                        found.add(number)
        return found

    def _pieces(self, side: int, node: Node, status: Status) -> Pieces:
        """Return the text of a box. If the meaning of the step changed, the changed words are marked."""
        if status != "drifted":
            return ((node.text, False),)
        golden, _ = _ordered(side, node.steps[0], self.partner[side][node.steps[0]])
        wording = self.drifted[self.tasks[0][golden].id]
        return wording.candidate if side else wording.golden


def _ordered(side: int, own: int, other: int) -> tuple[int, int]:
    return (other, own) if side else (own, other)


def _paired(votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """Return disjoint pairs. A pair with more votes is chosen before a pair with fewer votes."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for (ours, theirs), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if ours not in found and theirs not in taken:
            found[ours] = theirs
            taken.add(theirs)
    return found


def _leads(
    source: int, target: int, after: Mapping[int, Sequence[int]], through: Callable[[int], bool] = lambda _: True
) -> bool:
    """Return whether there is a path between two boxes on which `through` is true for all boxes in between."""
    seen = {source}
    pending = [source]
    while pending:
        for near in after.get(pending.pop(), ()):
            if near == target:
                return True
            if near not in seen and through(near):
                seen.add(near)
                pending.append(near)
    return False


def _past(
    start: str,
    forward: bool,  # noqa: FBT001
    out: Mapping[tuple[bool, str], Sequence[str]],
    through: Callable[[str], bool],
) -> set[str]:
    """Return the nearest boxes in one direction. Boxes for which `through` is true are skipped."""
    found: set[str] = set()
    seen = {start}
    pending = [start]
    while pending:
        for near in out.get((forward, pending.pop()), ()):
            if near in seen:
                continue
            seen.add(near)
            if through(near):
                pending.append(near)
            else:
                found.add(near)
    return found
