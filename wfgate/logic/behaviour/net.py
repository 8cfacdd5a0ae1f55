"""Translation of a workflow into a Petri net of places and transitions.

Each node becomes several transitions: one for each set of outgoing links that the node can take. Each link becomes a
place; links that a node merges without waiting share one place. Conditions are replaced by free choices:

- an implicit split takes every link without a guard (a condition). It also takes one of its guarded links, or none if
  there is a link without a guard and no default link;
- an OR split takes any non-empty set of its links; an XOR split, and every split of a state machine, takes exactly one
  link;
- links of the outcomes `failure`, `timeout` and success exclude each other. An `event` may occur in addition, but at
  most once in a run if its step repeats;
- a link marked `back` excludes the other links of an implicit split: the loop is either repeated or left.

END has no transition: each link to END is a separate sink. The workflow is complete when only sinks have tokens.
Parallel branches need no join before END or before an end event.

An OR join waits for all tokens that can still arrive, but a net cannot express this rule. An OR join is translated if
it has a matching split: the split is the immediate dominator of the join, the join is the immediate postdominator of
the split, and the branches between them are disjoint. A branch that is not taken then passes its token directly to the
join. In a net without parallelism an OR join never waits. In all other cases there is no net, but a reason (`Opaque`).

Sources: van der Aalst, The application of Petri nets to workflow management (1998); Kiepuszewski, ter Hofstede & van
der Aalst, Fundamentals of control flow in workflows (2003).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from wfgate.logic.behaviour.token_flow import Arc, TokenFlow

MAX_OPTIONAL = 4
"""Largest number of independently optional links of a node; their combinations are transitions."""

Option = frozenset[int]
"""A set of links taken together, by number."""


@dataclass(frozen=True)
class NetPlace:
    """A place of the net; a token waits on it.

    Attributes:
        node: The node that consumes the token.
        arcs: The numbers of the links by which a token can arrive; empty for the first place and for events.
    """

    node: int
    arcs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Transition:
    """A transition.

    Attributes:
        node: The node that runs; None if the transition only moves a token.
        pre: The input places, one token each.
        post: The output places, one token each.
    """

    node: int | None
    pre: frozenset[int]
    post: frozenset[int]


@dataclass(frozen=True)
class Opaque:
    """The reason why there is no net, with the OR joins without a matching split."""

    why: str
    joins: tuple[int, ...] = ()


@dataclass(frozen=True)
class Net:
    """A Petri net with its initial marking.

    Attributes:
        places: The places, by number.
        transitions: The transitions, by number.
        marked: The initially marked places, one token each.
        sinks: The places that lead only to END.
    """

    places: tuple[NetPlace, ...]
    transitions: tuple[Transition, ...]
    marked: frozenset[int]
    sinks: frozenset[int]

    @classmethod
    def of(cls, flow: TokenFlow) -> "Net | Opaque":
        """Return the net of a flow, or the reason why there is none. Every node must be on a path from START to END.

        Cost: linear in the number of links, times the combinations of optional links of a node.
        """
        return _Translation(flow).net()


@dataclass(frozen=True)
class _OrBlock:
    """A split and its matching OR join; `last[arc]` is the branch whose token arrives at the join on link `arc`."""

    join: int
    exclusive: bool
    last: dict[int, int]


class _Translation:
    """Builds the net; `why` is set to the reason if there is no net."""

    def __init__(self, flow: TokenFlow) -> None:
        self.flow = flow
        self.why = ""
        self.unmatched: list[int] = []
        self.numbers: dict[tuple[str, int], int] = {}
        self.places: list[NetPlace] = []
        self.transitions: list[Transition] = []
        self.repeated = flow.repeated
        self.options = [self._options(node) for node in range(len(flow.nodes))]
        self.blocks = self._blocks()
        self.joins = {block.join: block for block in self.blocks.values()}
        self.alone = self._alone()

    def net(self) -> Net | Opaque:
        if self.why:
            return Opaque(self.why, tuple(self.unmatched))
        flow = self.flow
        first = self._place(("first", flow.start), NetPlace(flow.start))
        for node in range(len(flow.nodes)):
            if flow.is_end_event(node):
                self._add_ends(node)
            elif node != flow.end:
                self._add(node, frozenset({first}) if node == flow.start else None)
        sinks = frozenset(self.numbers[key] for key in self.numbers if key[0] in {"sink", "end"})
        events = frozenset(self.numbers[key] for key in self.numbers if key[0] == "event")
        return Net(tuple(self.places), tuple(self.transitions), events | {first}, sinks)

    def _place(self, key: tuple[str, int], place: NetPlace) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.places)
            self.places.append(place)
        return self.numbers[key]

    def _add(self, node: int, before: frozenset[int] | None) -> None:
        """Add the transitions of one node."""
        if before is None:
            before = self._before(node)
        block = self.blocks.get(node)
        loose = self.flow.is_split(node, "OR") and block is not None
        for option in [frozenset(self.flow.after[node])] if loose else self.options[node]:
            after = [self._entry(arc) for arc in option]
            if block and not block.exclusive and not loose:
                after += [self._branch(block, arc) for arc in self.flow.after[node] if arc not in option]
            if not option:
                after.append(self._place(("sink", -1 - node), NetPlace(self.flow.end)))
            takes = set(before)
            for arc in option:
                if self.flow.arcs[arc].link.outcome == "event" and node in self.repeated:
                    takes.add(self._event(arc))
            self.transitions.append(Transition(node, frozenset(takes), frozenset(after)))
        for arc in self.flow.after[node]:
            if loose and block:
                self._add_step(self._entry(arc), self._branch(block, arc))
            if arc in self.alone:
                self._add_step(self._entry(arc), self._arrival(arc))

    def _add_ends(self, node: int) -> None:
        for arc in self.flow.before[node]:
            sink = self._place(("end", arc), NetPlace(self.flow.end, self.flow.after[node]))
            self.transitions.append(Transition(node, frozenset({self._arrival(arc)}), frozenset({sink})))

    def _add_step(self, source: int, target: int) -> None:
        self.transitions.append(Transition(None, frozenset({source}), frozenset({target})))

    def _event(self, arc: int) -> int:
        """Return the place whose token allows the event to occur. A transition can remove this token at any time."""
        fresh = ("event", arc) not in self.numbers
        place = self._place(("event", arc), NetPlace(self.flow.arcs[arc].source))
        if fresh:
            self._add_step(place, self._place(("sink", len(self.flow.arcs) + arc), NetPlace(self.flow.end)))
        return place

    def _before(self, node: int) -> frozenset[int]:
        return frozenset(self._arrival(arc) for arc in self.flow.before[node])

    def _entry(self, arc: int) -> int:
        """Return the place of a token that takes this link."""
        if arc in self.alone:
            return self._place(("entry", arc), NetPlace(self.flow.arcs[arc].target, (arc,)))
        return self._arrival(arc)

    def _arrival(self, arc: int) -> int:
        """Return the place from which the target of this link consumes the token."""
        target = self.flow.arcs[arc].target
        if target == self.flow.end:
            return self._place(("sink", arc), NetPlace(target, (arc,)))
        block = self.joins.get(target)
        if block and not block.exclusive:
            return self._branch(block, block.last[arc])
        if self.flow.waits(target) or self.flow.is_end_event(target):
            return self._place(("link", arc), NetPlace(target, (arc,)))
        return self._place(("in", target), NetPlace(target, tuple(self.flow.before[target])))

    def _branch(self, block: _OrBlock, branch: int) -> int:
        arcs = tuple(arc for arc in self.flow.before[block.join] if block.last[arc] == branch)
        return self._place(("branch", branch), NetPlace(block.join, arcs))

    def _alone(self) -> frozenset[int]:
        """Return the links that need a separate place: OR branches, or links of one option with the same target."""
        alone: set[int] = set()
        if self.why:
            return frozenset()
        for node, options in enumerate(self.options):
            if self.flow.is_split(node, "OR") and node in self.blocks:
                alone.update(self.flow.after[node])
            for option in options:
                by_target: dict[int, list[int]] = {}
                for arc in option:
                    by_target.setdefault(self.flow.arcs[arc].target, []).append(arc)
                for target, arcs in by_target.items():
                    apart = target == self.flow.end or self.flow.waits(target) or self.flow.is_end_event(target)
                    if len(arcs) > 1 and not apart:
                        alone.update(arcs)
        return frozenset(alone)

    def _options(self, node: int) -> list[Option]:
        """Return the sets of links that a node can take."""
        flow = self.flow
        arcs = flow.after[node]
        if node == flow.end or self.why:
            options: list[Option] = []
        elif flow.is_exclusive(node):
            options = [frozenset({arc}) for arc in arcs]
        elif flow.is_split(node, "AND"):
            options = [frozenset(arcs)]
        elif flow.is_split(node, "OR"):
            options = self._inclusive(node)
        else:
            options = self._implicit(node, [flow.arcs[arc] for arc in arcs])
        return options

    def _inclusive(self, node: int) -> list[Option]:
        arcs = self.flow.after[node]
        if self._closes(node):
            return [frozenset(arcs)]
        default = [arc for arc in arcs if (guard := self.flow.arcs[arc].link.guard) and guard.default]
        others = [arc for arc in arcs if arc not in default]
        if len(others) > MAX_OPTIONAL:
            self._fail(node, f"has more than {MAX_OPTIONAL} branches and no matching OR join")
        options = [frozenset(some) for size in range(1, len(others) + 1) for some in combinations(others, size)]
        return [*options, *(frozenset({arc}) for arc in default)]

    def _implicit(self, node: int, arcs: Sequence[Arc]) -> list[Option]:
        events = [arc.number for arc in arcs if arc.link.outcome == "event"]
        if any(arc.link.outcome == "skipped" for arc in arcs):
            self._fail(node, "has a link that is taken when it is skipped")
        if len(events) > MAX_OPTIONAL:
            self._fail(node, f"has more than {MAX_OPTIONAL} events")
        options: dict[Option, None] = {}
        happens = ["success", *(name for name in ("failure", "timeout") if any(a.link.outcome == name for a in arcs))]
        for outcome in happens if not self.why else ():
            taken = [arc for arc in arcs if arc.link.outcome in {outcome, "always"}]
            for option in _taken(taken):
                for size in range(len(events) + 1):
                    for some in combinations(events, size):
                        options[option | frozenset(some)] = None
        return list(options)

    def _closes(self, node: int) -> bool:
        """Return whether a split has a matching OR join."""
        join = self.flow.postdominators.get(node)
        return join is not None and self.flow.synchronises(join) and self.flow.dominators.get(join) == node

    def _blocks(self) -> dict[int, _OrBlock]:
        blocks: dict[int, _OrBlock] = {}
        if all(len(option) <= 1 for options in self.options for option in options) and not self.why:
            return blocks  # with a single token an OR join has nothing to wait for
        for join in range(len(self.flow.nodes)):
            if self.flow.synchronises(join):
                split = self.flow.split_of(join)
                block = None if split is None or self.why else self._block(split, join)
                if split is None:
                    self.unmatched.append(join)
                    self._fail(join, "has no matching split: it is not clear what it waits for")
                elif block is None:
                    self._fail(join, "has a matching split, but the branches between them are not disjoint")
                else:
                    blocks[split] = block
        return {} if self.why else blocks

    def _block(self, split: int, join: int) -> _OrBlock | None:
        """Return the block of a split and an OR join; None if branches share nodes or deliver more than one token."""
        last: dict[int, int] = {}
        owner: dict[int, int] = {split: -1, join: -1}
        for branch in self.flow.after[split]:
            inside = self.flow.between(branch, join)
            if any(owner.setdefault(node, branch) != branch for node in inside):
                return None
            ends = [branch] if self.flow.arcs[branch].target == join else []
            ends += [a for node in sorted(inside) for a in self.flow.after[node] if self.flow.arcs[a].target == join]
            if len(ends) != 1 and any(
                self.flow.waits(node) or any(len(option) > 1 for option in self.options[node]) for node in inside
            ):
                return None
            last.update(dict.fromkeys(ends, branch))
        if set(last) != set(self.flow.before[join]):
            return None
        exclusive = all(len(option) <= 1 for option in self.options[split]) and not self.flow.is_split(split, "OR")
        return _OrBlock(join, exclusive, last)

    def _fail(self, node: int, reason: str) -> None:
        self.why = self.why or f"{self.flow.called(node)} {reason}"


def _taken(arcs: Iterable[Arc]) -> list[Option]:
    """Return the alternatives of an implicit split: guarded links exclude each other, back edges all other links."""
    arcs = list(arcs)
    back = [frozenset({arc.number}) for arc in arcs if arc.link.back]
    plain = frozenset(arc.number for arc in arcs if not arc.link.back and arc.link.guard is None)
    guarded = [arc for arc in arcs if not arc.link.back and arc.link.guard is not None]
    options = [plain | {arc.number} for arc in guarded]
    default = any(arc.link.guard and arc.link.guard.default for arc in guarded)
    if plain and not default:
        options.append(plain)
    return [*options, *back] or [plain]
