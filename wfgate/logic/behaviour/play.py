"""The token game on the net of a workflow; it explains a soundness defect in terms of steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wfgate.logic.behaviour.net import Net
from wfgate.logic.behaviour.token_flow import TokenFlow
from wfgate.model import END, plain, reach

Defect = Literal["deadlock", "lack-of-synchronisation", "no-option-to-complete", "dead-step"]

MAX_FIRINGS = 2_000
"""Largest number of transitions fired to see whether the game stops."""


@dataclass(frozen=True)
class PlayToken:
    """A token: its place, and the event that produced it (None for an initial token)."""

    place: int
    event: "Event | None"


@dataclass(frozen=True)
class Event:
    """The firing of a transition, with the consumed tokens."""

    transition: int
    taken: tuple[PlayToken, ...]


@dataclass(frozen=True)
class Explanation:
    """A defect, the positions of the steps concerned, the steps that run before the defect, and a message."""

    defect: Defect
    tasks: tuple[int, ...]
    witness: tuple[str, ...]
    message: str


@dataclass
class Play:
    """A token game in progress.

    Attributes:
        flow: The nodes and links of the workflow.
        net: The Petri net of the flow.
        tokens: The tokens on each place, oldest first.
        events: The firings so far.
        met: Two tokens that reached the same place; None if no two tokens did.
    """

    flow: TokenFlow
    net: Net
    tokens: dict[int, list[PlayToken]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    met: tuple[PlayToken, PlayToken] | None = None

    @classmethod
    def of(cls, flow: TokenFlow, net: Net, story: Iterable[int]) -> "Play":
        """Return the game after a firing sequence from the initial marking. Each transition must be enabled."""
        play = cls(flow, net)
        came: dict[int, PlayToken] = {}
        for place in sorted(net.marked):
            came[place] = PlayToken(place, None)
            play.tokens[place] = [came[place]]
        for transition in story:
            for token in play.fire(transition):
                before = came.setdefault(token.place, token)
                both = play.tokens[token.place]
                if len(both) > 1:
                    play.met = (both[0], both[1])
                    return play
                if before is not token and play.met is None:
                    play.met = (before, token)
        return play

    def fire(self, transition: int) -> list[PlayToken]:
        """Fire a transition and return the tokens that it produces."""
        pre, post = self.net.transitions[transition].pre, self.net.transitions[transition].post
        event = Event(transition, tuple(self.tokens[place].pop(0) for place in sorted(pre)))
        self.events.append(event)
        fresh = [PlayToken(place, event) for place in sorted(post)]
        for token in fresh:
            self.tokens.setdefault(token.place, []).append(token)
        return fresh

    def settles(self) -> bool:
        """Fire enabled transitions until no more are enabled; return whether tokens then remain outside the sinks."""
        moved = True
        left = MAX_FIRINGS
        while moved:
            moved = False
            for number, transition in enumerate(self.net.transitions):
                if all(self.tokens.get(place) for place in transition.pre):
                    self.fire(number)
                    moved = True
                    left -= 1
                    if left <= 0:
                        return False
        return bool(self.waiting)

    @property
    def waiting(self) -> list[int]:
        """The marked places that are not sinks."""
        return sorted(place for place, tokens in self.tokens.items() if tokens and place not in self.net.sinks)

    @property
    def witness(self) -> tuple[str, ...]:
        """The names of the steps that have run."""
        nodes = [self.net.transitions[event.transition].node for event in self.events]
        tasks = [self.flow.task(node) for node in nodes if node is not None]
        return tuple(task.name for task in tasks if task)


def explained(play: Play, defect: Defect, idle: Sequence[int]) -> Explanation:
    """Return the explanation of a defect.

    Args:
        play: The game in the state that has the defect.
        defect: The defect in this state.
        idle: Transitions that never fire.
    """
    if defect == "lack-of-synchronisation" and play.met:
        return _meeting(play, *play.met)
    witness = play.witness
    if defect == "dead-step":
        nodes = sorted({node for t in idle if (node := play.net.transitions[t].node) is not None})
        tasks = tuple(dict.fromkeys(task for node in nodes for task in play.flow.tasks_near(node)))
        return Explanation("dead-step", tasks, (), f"{play.flow.named(tasks)} can never run")
    if play.settles():
        return _stuck(play)
    return _endless(play, witness)


def _endless(play: Play, witness: tuple[str, ...]) -> Explanation:
    """Return the explanation of a flow that never ends: a node takes the link back and the exit at the same time."""
    flow, net = play.flow, play.net
    kept = _kept(net)
    fired = [net.transitions[number] for number in sorted({event.transition for event in play.events})]
    both = [move for move in fired if move.pre & kept and move.post & kept and move.post - kept]
    splits = sorted({move.node for move in both if move.node is not None})
    nodes = splits or sorted({net.places[place].node for place in play.waiting})
    near = [flow.tasks_near(node, forward=False) or flow.tasks_near(node) for node in nodes]
    tasks = tuple(dict.fromkeys(task for group in near for task in group))
    if not splits:
        first = f"after {flow.named(tasks)}" if tasks else "from some state on"
        return Explanation(
            "no-option-to-complete", tasks, witness, f"{first}, END can never be reached without tokens left behind"
        )
    who = " and ".join(sorted((flow.called(node) for node in splits), key=plain)[:3])
    verb = "leads" if len(splits) == 1 else "lead"
    message = f"{who} {verb} back and on at the same time: the workflow never completes"
    return Explanation("no-option-to-complete", tasks, witness, message)


def _kept(net: Net) -> set[int]:
    """Return the largest trap without sinks: a set of places that always has a token once it has had one."""
    trap = {place for move in net.transitions for place in move.pre} - net.sinks
    left = True
    while left:
        lost = {place for move in net.transitions if not move.post & trap for place in move.pre & trap}
        trap -= lost
        left = bool(lost)
    return trap


def _stuck(play: Play) -> Explanation:
    """Return the explanation of a deadlock: the join, and the branches for which the join waits."""
    flow = play.flow
    came: dict[int, list[int]] = {}
    for place in play.waiting:
        came.setdefault(play.net.places[place].node, []).extend(play.net.places[place].arcs)
    behind = {join: reach(flow.successors(join), flow.successors) for join in came}
    missing = {join: [arc for arc in flow.before[join] if arc not in set(arcs)] for join, arcs in came.items()}

    def depends(join: int) -> bool:
        return any(
            other != join and any(flow.arcs[arc].source in behind[other] for arc in missing[join]) for other in came
        )

    join = min(came, key=lambda node: (depends(node), node))
    waits = flow.tasks_near(join)
    there = _tasks_before(flow, came[join])
    lacks = [task for task in _tasks_before(flow, missing[join]) if task not in there]
    who = flow.named(waits) or END
    chosen = _decision(play, join, missing[join])
    if chosen is not None and there and lacks:
        message = f"{who} waits for {flow.named([*there, *lacks])}, of which only {_some(there, lacks)} chosen"
    elif chosen is not None:
        message = f"{who} waits for several branches, of which only some are chosen"
    elif lacks and any(flow.arcs[arc].source in behind[join] for arc in missing[join]):
        message = f"{who} waits for {flow.named(lacks)}, which comes after it"
    elif lacks:
        message = f"{who} waits for {flow.named(lacks)}, which can no longer run"
    else:
        message = f"{who} waits for several branches, not all of which can be taken"
    near = sorted({*there, *lacks}, key=lambda task: (flow.workflow.tasks[task].name, task))
    tasks = tuple(dict.fromkeys([*waits, *near]))
    return Explanation("deadlock", tasks, play.witness, message)


def _some(there: Sequence[int], lacks: Sequence[int]) -> str:
    return "one is" if len(there) == len(lacks) == 1 else "some are"


def _tasks_before(flow: TokenFlow, arcs: Iterable[int]) -> list[int]:
    tasks: dict[int, None] = {}
    for arc in arcs:
        tasks.update(dict.fromkeys(flow.tasks_near(flow.arcs[arc].source, forward=False)))
    return list(tasks)


def _decision(play: Play, join: int, missing: Sequence[int]) -> int | None:
    """Return the last split whose choice excludes the missing links."""
    flow = play.flow
    sources = [flow.arcs[arc].source for arc in missing]
    reached = reach(sources, lambda node: () if node == join else flow.predecessors(node))
    leads = {*missing, *(arc for node in reached if node != join for arc in flow.before[node])}
    chosen: dict[int, set[int]] = {}
    for event in play.events:
        acts = play.net.transitions[event.transition].node
        if acts is not None:
            places = play.net.transitions[event.transition].post
            chosen[acts] = {arc for place in places for arc in play.net.places[place].arcs}
    for split in reversed(chosen):
        own = set(flow.after[split])
        if own & leads and not own & leads & chosen[split]:
            return split
    return None


def _meeting(play: Play, one: PlayToken, other: PlayToken) -> Explanation:
    """Return the explanation of two tokens on one place: the place where parallel branches merge."""
    flow, net = play.flow, play.net
    end = one
    while (pair := _earlier(one, other, net)) is not None:
        one, other = pair
    place = net.places[one.place]
    twice = flow.tasks_near(place.node) or []
    sources = [_sources(play, token, other_one) for token, other_one in ((one, other), (other, one))]
    who = flow.named(twice) or END
    verb = "can be reached twice" if not twice else ("can run twice" if len(twice) == 1 else "can each run twice")
    both = sorted((flow.named(tasks) for tasks in sources), key=plain)
    if _is_cause(one, other) or _is_cause(other, one):
        ends = flow.tasks_near(net.places[end.place].node)
        twice = ends or twice
        who = flow.named(ends) or END
        message = f"{who} can start again before its last run has ended: a cycle does not wait for it"
    elif all(both) and both[0] != both[1]:
        message = f"{who} {verb}: {' and '.join(both)} run in parallel and are merged without waiting"
    else:
        message = f"{who} {verb}: parallel branches are merged without waiting"
    tasks = tuple(dict.fromkeys([*twice, *(task for tasks in sources for task in tasks)]))
    return Explanation("lack-of-synchronisation", tasks, play.witness, message)


def _earlier(one: PlayToken, other: PlayToken, net: Net) -> tuple[PlayToken, PlayToken] | None:
    """Return the two tokens on one earlier place that caused these two tokens, if both events are of one node."""
    if one.event is None or other.event is None or one.event is other.event:
        return None
    if net.transitions[one.event.transition].node != net.transitions[other.event.transition].node:
        return None
    for first in one.event.taken:
        for second in other.event.taken:
            if first.place == second.place and first is not second:
                return first, second
    return None


def _sources(play: Play, token: PlayToken, other: PlayToken) -> list[int]:
    """Return the last steps before a token that are not also last steps before the other token."""
    tasks = _last_steps(play, token)
    shared = _last_steps(play, other)
    return [task for task in tasks if task not in shared] or tasks


def _last_steps(play: Play, token: PlayToken) -> list[int]:
    steps: dict[int, None] = {}
    pending = [token]
    for near in pending:
        if near.event is None:
            continue
        node = play.net.transitions[near.event.transition].node
        task = None if node is None else play.flow.nodes[node].task
        if task is None:
            pending += near.event.taken
        else:
            steps[task] = None
    return list(steps)


def _is_cause(one: PlayToken, other: PlayToken) -> bool:
    """Return whether the first token is a cause of the second."""
    pending = [other]
    seen: set[int] = set()
    while pending:
        token = pending.pop()
        if token is one:
            return True
        if token.event is not None and id(token.event) not in seen:
            seen.add(id(token.event))
            pending += token.event.taken
    return False
