"""A golden and a candidate in one picture. Aligned steps have the same height, and changes are marked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from wfgate.compare import IN_DOUBT, Alignment, State
from wfgate.decide import StepState
from wfgate.language import marked
from wfgate.model import Task, TaskGraph
from wfgate.show.picture.flow import FlowArrow, PictureFlow, PictureNode, outermost
from wfgate.show.picture.layers import Edge, Layers, arranged_together
from wfgate.show.picture.scene import Bracket, LineStatus, Outcome, Picture, Pieces, SceneBox, Side, Status, drawn_line
from wfgate.show.steps import STATES


class PairLayout:
    """The boxes of golden and candidate, and which boxes belong together.

    Attributes:
        holders: For each side, the key of the box of each step, by position of the step.
        numbers: For each side, the number of each box, by key of the box. Two boxes that belong together have the same
            number.
        united: Common number for the boxes of merged or split steps, for the comparison of links.
        drawn: For each side, the numbers of its boxes.
        ahead: For each side, the targets of the links that are not back edges, by source.
        order: For each side, the graph of these links, with the numbers of the boxes.
        words: For each side, the conditions of its links, by source, target, and whether the link is a back edge.
        partner: For each side, the position of the aligned step on the other side.
        steps: What became of each golden step.
        touched: Ids of the golden steps that have another value.
        done_by: Positions of the candidate steps that do each golden step.
        sources: Positions of the golden steps that a candidate step does.
    """

    def __init__(
        self,
        flows: Sequence[PictureFlow],
        tasks: tuple[Sequence[Task], Sequence[Task]],
        alignment: Alignment,
        steps: Sequence[StepState] = (),
        touched: Collection[str] = (),
    ) -> None:
        self.flows = flows
        self.touched = touched
        self.tasks = tasks
        self.alignment = alignment
        self.steps = steps if len(steps) == len(tasks[0]) else aligned_states(alignment, tasks)
        self.done_by, self.sources = self._done_by()
        self.holders = [{step: key for key, node in flow.nodes.items() for step in node.steps} for flow in flows]
        self.numbers = self._numbered(self._twins())
        self.brackets = self._bracketed()
        self.united = {
            key: min(bracket.golden) for bracket in self.brackets for key in (*bracket.golden, *bracket.candidate)
        }
        self.drawn = [{self._one(key) for key in number.values()} for number in self.numbers]
        self.ahead = [self._ahead(side) for side in (0, 1)]
        self.order = [self._graph(after) for after in self.ahead]
        self._known_past: dict[tuple[int, int], set[int]] = {}
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
        outcomes = self._outcomes(status[0])
        moved = {key for key, outcome in outcomes.items() if "moved" in outcome.notes}
        sides = []
        for side, name in enumerate(("golden", "candidate")):
            number = self.numbers[side]
            boxes = tuple(
                SceneBox(
                    number[key],
                    replace(node, notes=("moved", *node.notes)) if number[key] in moved else node,
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
        return Picture(tuple(sides), layers, tuple(self.brackets), outcomes)

    def _outcomes(self, status: Mapping[str, Status]) -> dict[int, Outcome]:
        """Return what became of the boxes of the golden, by key."""
        brackets = {key: bracket for bracket in self.brackets for key in bracket.golden}
        outcomes = {}
        for key, node in self.flows[0].nodes.items():
            if not node.steps:
                continue
            number, states = self.numbers[0][key], [self.steps[step] for step in node.steps]
            boxes = dict.fromkeys(self.holders[1][part] for step in node.steps for part in self.done_by[step])
            theirs: tuple[Pieces, ...] = tuple(((self.flows[1].nodes[box].text, False),) for box in boxes)
            texts = _texts(states[0]) if len(states) == 1 else None
            if texts is not None:
                theirs = (texts[1],)
            bracket = brackets.get(number)
            shape = "" if bracket is None or not theirs else "merged" if len(bracket.golden) > 1 else "split"
            moved = len(states) == 1 and states[0].moved
            notes = tuple(filter(None, (shape, "moved" * moved)))
            ours = self._pieces(0, node, status[key]) if texts is None else texts[0]
            outcomes[number] = Outcome(ours, theirs, notes)
        return outcomes

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
        neighbours: dict[str, set[tuple[bool, str]]] = {}
        for node in flow.nodes.values():
            if node.kind == "gateway":
                neighbours[node.key] = {
                    (forward, key)
                    for forward in (True, False)
                    for key in _past(node.key, forward, out, lambda key: flow.nodes[key].kind == "gateway")
                }
        return neighbours

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
        numbers = [list(number.values()) for number in self.numbers]
        return arranged_together(numbers, [self._forward(0), self._forward(1)])

    def _one(self, key: int) -> int:
        return self.united.get(key, key)

    def _ends(self, side: int, arrow: FlowArrow) -> tuple[int, int, bool]:
        """Return the key by which links are compared."""
        number = self.numbers[side]
        return self._one(number[arrow.source]), self._one(number[arrow.target]), arrow.back

    def _ahead(self, side: int) -> dict[int, list[int]]:
        after: defaultdict[int, list[int]] = defaultdict(list)
        for source, target in self._forward(side):
            after[self._one(source)].append(self._one(target))
        return after

    def _graph(self, after: Mapping[int, Sequence[int]]) -> TaskGraph:
        boxes = 1 + max(max(number.values()) for number in self.numbers)
        edges = frozenset((source, target) for source, targets in after.items() for target in targets)
        return TaskGraph(boxes, edges, frozenset(), (), ())

    def _words(self, side: int) -> dict[tuple[int, int, bool], str]:
        return {self._ends(side, arrow): arrow.words for arrow in self.flows[side].arrows}

    def _line(self, side: int, arrow: FlowArrow) -> tuple[LineStatus, bool]:
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
        if self.order[1 - side].precedes(target, source):
            return "inverted", False
        return "same" if target in self._past_others(side, source, ours) else gone, False

    def _past_others(self, side: int, source: int, ours: Collection[int]) -> set[int]:
        """Return the boxes after a box on the other side; boxes that this side does not have are skipped."""
        past = self._known_past.get((side, source))
        if past is None:
            past = self._known_past[side, source] = set()
            pending = [source]
            while pending:
                for near in self.ahead[1 - side].get(pending.pop(), ()):
                    if near not in past:
                        past.add(near)
                        pending += [near] * (near not in ours)
        return past

    # --- boxes ------------------------------------------------------------------------------------------------------

    def _bracketed(self) -> list[Bracket]:
        groups: list[tuple[tuple[int, ...], tuple[int, ...]]]
        groups = [((*merge.golden,), (merge.candidate,)) for merge in self.alignment.merges]
        groups += [((split.golden,), (*split.candidate,)) for split in self.alignment.splits]
        brackets = []
        for golden, candidate in groups:
            ours = sorted({self.numbers[0][self.holders[0][step]] for step in golden})
            theirs = sorted({self.numbers[1][self.holders[1][step]] for step in candidate})
            if len(ours) > 1 or len(theirs) > 1:
                brackets.append(Bracket(tuple(ours), tuple(theirs)))
        return brackets

    def _done_by(self) -> tuple[list[list[int]], dict[int, list[int]]]:
        place = {task.id: position for position, task in reversed([*enumerate(self.tasks[1])])}
        done_by = [[place[part] for part in step.candidate if part in place] for step in self.steps]
        sources: defaultdict[int, list[int]] = defaultdict(list)
        for step, parts in enumerate(done_by):
            for part in parts:
                sources[part].append(step)
        return done_by, dict(sources)

    def _statuses(self) -> tuple[dict[str, Status], dict[str, Status]]:
        common = self.drawn[0] & self.drawn[1]
        changed = self._changed_composites(self.partner, common)
        statuses: tuple[dict[str, Status], dict[str, Status]] = {}, {}
        for side, flow in enumerate(self.flows):
            for key, node in flow.nodes.items():
                number = self.numbers[side][key]
                if len(node.steps) == 1:
                    statuses[side][key] = self._became(side, node.steps[0])
                elif self._one(number) not in common:
                    statuses[side][key] = "extra" if side else "missing"
                else:
                    statuses[side][key] = "inside" if number in changed else "same"
        return statuses

    def _became(self, side: int, step: int) -> Status:
        """Return the status of a step; that of a candidate step is the worst one of the golden steps that it does."""
        sources = [step] if side == 0 else self.sources.get(step, ())
        states = [self.steps[source].state for source in sources]
        state: Status = next((state for state in STATES if state in states), "extra")
        return "inside" if state == "same" and any(self.steps[one].id in self.touched for one in sources) else state

    def _changed_composites(self, partner: Sequence[Mapping[int, int]], common: set[int]) -> set[int]:
        """Return the numbers of the folded composites that contain a changed step."""
        changed = set()
        for side, flow in enumerate(self.flows):
            for key, node in flow.nodes.items():
                number = self.numbers[side][key]
                if number not in common or not node.steps:
                    continue
                for step in node.steps:
                    other = partner[side].get(step)
                    away = other is None or self.numbers[1 - side][self.holders[1 - side][other]] != number
                    if other is None or away or self._became(side, step) != "same":
                        changed.add(number)
        return changed

    def _pieces(self, side: int, node: PictureNode, status: Status) -> Pieces:
        """Return the text of a box. If the meaning of the step is in doubt, the changed words are marked."""
        if status in IN_DOUBT and len(node.steps) == 1:
            (step,) = node.steps
            golden = step if side == 0 else next(s for s in self.sources[step] if self.steps[s].state == status)
            texts = _texts(self.steps[golden])
            if texts is not None and (side == 0 or self.done_by[golden] == [step]):
                return texts[side]
        return ((node.text, False),)


def aligned_states(alignment: Alignment, tasks: tuple[Sequence[Task], Sequence[Task]]) -> list[StepState]:
    """Return what became of the golden steps as far as the alignment says: for pictures without a comparison."""
    golden, candidate = tasks
    parts: defaultdict[int, list[int]] = defaultdict(list)
    for match in alignment.matches:
        parts[match.golden].append(match.candidate)
    for merge in alignment.merges:
        for step in merge.golden:
            parts[step].append(merge.candidate)
    for split in alignment.splits:
        parts[split.golden] += split.candidate
    states = []
    for step, task in enumerate(golden):
        done_by = dict.fromkeys(parts[step])
        named = [candidate[part].name for part in done_by]
        state: State = "same" if named == [task.name] else "reworded" if named else "missing"
        states.append(StepState(id=task.id, state=state, candidate=tuple(candidate[part].id for part in done_by)))
    return states


def _texts(step: StepState) -> tuple[Pieces, Pieces] | None:
    """Return both texts of a step in doubt or with another description, with the differences marked."""
    if step.golden_text is None or step.candidate_text is None:
        return None
    return marked(step.golden_text, step.candidate_text)


def _paired(votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """Return disjoint pairs. A pair with more votes is chosen before a pair with fewer votes."""
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for (ours, theirs), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if ours not in pairs and theirs not in taken:
            pairs[ours] = theirs
            taken.add(theirs)
    return pairs


def _past(
    start: str,
    forward: bool,  # noqa: FBT001
    out: Mapping[tuple[bool, str], Sequence[str]],
    through: Callable[[str], bool],
) -> set[str]:
    """Return the nearest boxes in one direction. Boxes for which `through` is true are skipped."""
    nearest: set[str] = set()
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
                nearest.add(near)
    return nearest
