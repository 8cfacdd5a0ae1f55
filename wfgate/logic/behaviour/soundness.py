"""Soundness of workflows with token semantics.

A workflow is sound if no reachable state has two tokens in one place, if END can be reached from every reachable state
with no token left behind, and if every step can run (van der Aalst 1998; here each token reaches END separately). The
decision has three stages. First, every node must be on a path from START to END (two searches). Second, the net is
reduced (`wfgate.logic.behaviour.reduction`, near linear); if the result is trivial, the workflow is sound. Third, the
reduced net is explored within a budget of states. If no stage decides, the result is unknown, with the reason.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from wfgate.logic.behaviour.net import Net, Opaque
from wfgate.logic.behaviour.play import Defect, Play, explained
from wfgate.logic.behaviour.reduction import Kernel, transitions_of
from wfgate.logic.behaviour.token_flow import TokenFlow
from wfgate.model import Workflow, plain, reach, topological

Verdict = Literal["sound", "unknown"]

STATES = 20_000
"""Largest number of explored states."""


@dataclass(frozen=True)
class Soundness:
    """The soundness of one workflow.

    Attributes:
        sound: Whether the workflow is sound; None if unknown or not applicable.
        defect: The first defect found; None if the workflow is not known to be unsound.
        tasks: Positions of the steps concerned: first the steps that wait, run twice or never end, then the steps
            before these.
        witness: Names of the steps that run before the defect, in order.
        told: The reason of the result; for a defect, a sentence with the names of the steps, which are marked.
        states: Number of explored states.
        connected: Whether every node is on a path from START to END. If not, soundness was not examined further.
        unmatched: For each OR join without a matching split, the steps after the join.
    """

    sound: bool | None
    defect: Defect | None = None
    tasks: tuple[int, ...] = ()
    witness: tuple[str, ...] = ()
    told: str = ""
    states: int = 0
    connected: bool = True
    unmatched: tuple[tuple[int, ...], ...] = ()

    @property
    def because(self) -> str:
        """The reason of the result, without marks."""
        return plain(self.told)

    @classmethod
    def of(cls, workflow: Workflow, *, states: int = STATES) -> "Soundness":
        """Return the soundness of a workflow. Cost: near linear, plus the exploration of at most `states` states.

        Example:
            >>> from wfgate.model import Gateway, Link, Task
            >>> ways = ["START fork", "fork a", "fork b", "a join", "b join", "join END"]
            >>> workflow = Workflow(
            ...     semantics="token",
            ...     tasks=(Task(id="a", name="Pick"), Task(id="b", name="Invoice")),
            ...     gateways=(Gateway(id="fork", op="XOR"), Gateway(id="join", op="AND", role="join")),
            ...     links=tuple(Link(source=way.split()[0], target=way.split()[1]) for way in ways),
            ... )
            >>> answer = Soundness.of(workflow)
            >>> answer.defect, answer.because
            ('deadlock', "END waits for 'Invoice' and 'Pick', of which only one is chosen")
        """
        if workflow.semantics == "dag":
            return cls(None, told="soundness is not defined for dag semantics")
        flow = TokenFlow.of(workflow)
        unreached, stuck = flow.lost
        if unreached or stuck:
            return _disconnected(flow, unreached, stuck)
        if flow.unclear is not None:
            return cls(None, told=f"{flow.called(flow.unclear)} has a join expression")
        net = Net.of(flow)
        if isinstance(net, Opaque):
            written = [node for node in net.joins if not flow.implied(node)]
            unmatched = tuple(tuple(flow.tasks_near(node)) for node in written)
            return cls(None, told=net.why, unmatched=unmatched)
        kernel = Kernel.of(net)
        if kernel.is_trivial:
            return cls(sound=True, told="it can be reduced to a single step")
        return _explored(flow, net, kernel, states)


def _disconnected(flow: TokenFlow, unreached: Sequence[int], stuck: Sequence[int]) -> Soundness:
    tasks = [task for node in stuck or unreached if (task := flow.nodes[node].task) is not None]
    return Soundness(
        sound=False,
        defect="no-option-to-complete" if stuck else "dead-step",
        tasks=tuple(tasks),
        told="no path leads to END" if stuck else "no path leads there from START",
        connected=False,
    )


def _explored(flow: TokenFlow, net: Net, kernel: Kernel, states: int) -> Soundness:
    search = _StateSearch(kernel, states)
    outcome = search.run()
    if outcome == "sound":
        return Soundness(sound=True, told="every state was explored", states=search.looked)
    if outcome == "unknown":
        return Soundness(None, told=f"more than {states:,} states would have to be explored", states=search.looked)
    story = explained(Play.of(flow, net, search.story()), outcome, search.idle())
    return Soundness(
        sound=False,
        defect=story.defect,
        tasks=story.tasks,
        witness=story.witness,
        told=story.message,
        states=search.looked,
    )


class _StateSearch:
    """Explores the states of a reduced net. A state is a set of marked places, as a bit set.

    If the net is acyclic and competing transitions have equal input places, it is enough to explore one group of
    competitors at a time (persistent sets: Godefroid 1996), because all other transitions commute with this group.
    This exploration can miss a state with two tokens on one place. But in an acyclic net, two tokens that reach one
    place in the same run never wait for each other, so they can also be on the place at the same time. Therefore the
    search looks for places that are marked twice in a run.
    """

    def __init__(self, kernel: Kernel, budget: int) -> None:
        places = sorted(kernel.marked.union(kernel.sinks, *(pre | post for pre, post, _ in kernel.transitions)))
        bit = {place: 1 << number for number, place in enumerate(places)}
        self.kernel = kernel
        self.moves = [(_bits(bit, pre), _bits(bit, post)) for pre, post, _ in kernel.transitions]
        self.first = _bits(bit, kernel.marked)
        self.sinks = _bits(bit, kernel.sinks)
        self.budget = budget
        self.trap = self._trap()
        self.came: dict[int, tuple[int, int] | None] = {self.first: None}
        self.fired: set[int] = set()
        self.looked = 0
        self.path: list[int] = []

    def run(self) -> Defect | Verdict:
        groups = self._groups()
        if groups is not None:
            return self._persistent(groups)
        outcome = self._all()
        if outcome == "unknown" and (clusters := self._clusters()) is not None:
            looked = self.looked
            self.came = {self.first: None}
            outcome = self._persistent(clusters, proof=False)
            self.looked += looked
        return outcome

    def story(self) -> list[int]:
        """Return the transitions of the original net that fire before the defect."""
        stories = [*self.kernel.before, *(self.kernel.transitions[move][2] for move in self.path)]
        return [transition for story in stories for transition in transitions_of(story)]

    def idle(self) -> list[int]:
        """Return the transitions of the original net that fired in no explored state."""
        return [
            t for m, move in enumerate(self.kernel.transitions) if m not in self.fired for t in transitions_of(move[2])
        ]

    def _all(self) -> Defect | Verdict:
        """Explore all states breadth-first."""
        if self.first & self.trap:
            return "no-option-to-complete"
        pending = deque([self.first])
        leads: dict[int, list[int]] = {}
        while pending:
            state = pending.popleft()
            self.looked += 1
            if self.looked > self.budget:
                return "unknown"
            moves = [move for move, (pre, _) in enumerate(self.moves) if not pre & ~state]
            if not moves and state & ~self.sinks:
                return self._found(state, "deadlock")
            for move in moves:
                near = self._fire(state, move)
                if isinstance(near, str):
                    return near
                leads.setdefault(near, []).append(state)
                if near not in self.came:
                    self.came[near] = (state, move)
                    pending.append(near)
        return self._completes(leads)

    def _completes(self, leads: dict[int, list[int]]) -> Defect | Verdict:
        """Return the result for all states, given the predecessors of each state."""
        good = reach((state for state in self.came if not state & ~self.sinks), lambda state: leads.get(state, ()))
        for state in self.came:
            if state not in good:
                return self._found(state, "no-option-to-complete")
        return self._dead()

    def _dead(self) -> Defect | Verdict:
        return "sound" if len(self.fired) == len(self.moves) else "dead-step"

    def _persistent(self, groups: Sequence[Sequence[int]], *, proof: bool = True) -> Defect | Verdict:
        """Explore depth-first, one group of competitors at a time: always the first group that can fire."""
        if self.first & self.trap:
            return "no-option-to-complete"
        pending = [self.first]
        edges: list[tuple[int, int, int]] = []
        while pending:
            state = pending.pop()
            self.looked += 1
            if self.looked > self.budget:
                return "unknown"
            group = next((group for group in groups if self.moves[group[0]][0] & ~state == 0), ())
            if not group and state & ~self.sinks:
                return self._found(state, "deadlock")
            for move in group:
                near = self._fire(state, move)
                if isinstance(near, str):
                    return near
                edges.append((state, move, near))
                if near not in self.came:
                    self.came[near] = (state, move)
                    pending.append(near)
        return self._twice(edges) or self._dead() if proof else "unknown"

    def _fire(self, state: int, move: int) -> Defect | int:
        """Return the state after a transition, or the defect that the transition causes."""
        pre, post = self.moves[move]
        self.fired.add(move)
        rest = state ^ pre
        if rest & post:
            return self._found(state, "lack-of-synchronisation", move)
        if post & self.trap:
            return self._found(state, "no-option-to-complete", move)
        return rest | post

    def _twice(self, edges: Iterable[tuple[int, int, int]]) -> Defect | None:
        """Return the defect of a run that marks a place twice; the state graph must be acyclic."""
        after: dict[int, list[tuple[int, int]]] = {}
        for state, move, near in edges:
            after.setdefault(state, []).append((move, near))
        past = {self.first: self.first}
        origin: dict[tuple[int, int], tuple[int, int]] = {}
        for state in topological(self.came, lambda state: (near for _, near in after.get(state, ()))):
            for move, near in after.get(state, ()):
                post = self.moves[move][1]
                if past[state] & post:
                    return self._marked_twice(state, move, past[state] & post, origin)
                before = past.get(near, 0)
                new = (past[state] | post) & ~before
                past[near] = before | new
                while new:
                    low = new & -new
                    new ^= low
                    origin[near, low] = (state, move)
        return None

    def _marked_twice(
        self, state: int, move: int, places: int, origin: dict[tuple[int, int], tuple[int, int]]
    ) -> Defect:
        """Record the path to a place that is marked twice."""
        low = places & -places
        path = [move]
        while (state, low) in origin and not state & low:
            state, move = origin[state, low]
            path.append(move)
            if self.moves[move][1] & low:
                break
        self.path = [*self._way(state), *reversed(path)]
        return "lack-of-synchronisation"

    def _found(self, state: int, defect: Defect, move: int | None = None) -> Defect:
        self.path = [*self._way(state), *([] if move is None else [move])]
        return defect

    def _way(self, state: int) -> list[int]:
        moves = []
        while (step := self.came[state]) is not None:
            state, move = step
            moves.append(move)
        return moves[::-1]

    def _trap(self) -> int:
        """Return the largest trap without sinks: a set of places that always has a token once it has had one."""
        trap = 0
        for pre, _ in self.moves:
            trap |= pre
        trap &= ~self.sinks
        left = True
        while left:
            left = False
            for pre, post in self.moves:
                if pre & trap and not post & trap:
                    trap &= ~pre
                    left = True
        return trap

    def _clusters(self) -> list[list[int]] | None:
        """Return the groups of competing transitions; None if input places differ within a group."""
        by_pre: dict[int, list[int]] = {}
        for move, (pre, _) in enumerate(self.moves):
            by_pre.setdefault(pre, []).append(move)
        taken = 0
        for pre in by_pre:
            if taken & pre:
                return None
            taken |= pre
        return list(by_pre.values())

    def _groups(self) -> list[list[int]] | None:
        """Return the groups of competing transitions in topological order; None for cycles or overlapping groups."""
        clusters = self._clusters()
        if clusters is None:
            return None
        source = {low: number for number, group in enumerate(clusters) for low in _split(self.moves[group[0]][0])}
        after = [
            {source[low] for move in group for low in _split(self.moves[move][1]) if low in source}
            for group in clusters
        ]
        order = topological(range(len(clusters)), lambda number: sorted(after[number]))
        return [clusters[number] for number in order] if len(order) == len(clusters) else None


def _bits(bit: dict[int, int], places: Iterable[int]) -> int:
    return sum(bit[place] for place in places)


def _split(bits: int) -> list[int]:
    singles = []
    while bits:
        singles.append(bits & -bits)
        bits &= bits - 1
    return singles
