"""Reduction of nets by rules that preserve soundness and unsoundness.

A net is sound if no reachable marking has two tokens on one place, if a marking with tokens only in sinks is reachable
from every reachable marking, and if each transition can fire in some reachable marking. The rules:

- *fusion of series*. Post-agglomeration: a place whose consumers have no other input is removed, and each producer is
  combined with each consumer. Pre-agglomeration: a transition that has a single output place, and is the only consumer
  of its input places, is combined with the consumers of the output place;
- *fusion of parallel* places or transitions: of several with the same neighbours, one is kept;
- *self-loops*: a transition that puts its token back is removed;
- *sinks*: a sink is removed if its tokens come only from one transition that fires once, or only from transitions that
  fire once and share an input place. A place becomes a sink if its only consumer has no other input and no output.

Sources: Murata, Petri nets: properties, analysis and applications (1989), section V-C; Berthelot, Transformations and
decompositions of nets (1987); van der Aalst, Hirnschall & Verbeek, An alternative way to analyze workflow graphs
(2002); Verbeek et al., Reduction rules for reset/inhibitor nets (2010). The rule for sinks is our own: in an otherwise
safe net, a token that cannot arrive twice arrives at most once.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from wfgate.logic.behaviour.net import Net
from wfgate.model import cyclic

MAX_STEPS = 2_000_000
"""Largest number of arcs touched; the net left then is explored without further reduction."""


@dataclass(frozen=True)
class Story:
    """The firing sequence in the original net for a transition of the reduced net, as a tree of concatenations."""

    first: "Story | int"
    second: "Story | int"


@dataclass(frozen=True)
class Kernel:
    """A reduced net.

    Attributes:
        marked: The initially marked places.
        sinks: The places in which tokens may stay.
        transitions: Input places, output places, and firing sequence in the original net, of each transition.
        before: The firing sequences that lead to `marked`.
    """

    marked: frozenset[int]
    sinks: frozenset[int]
    transitions: tuple[tuple[frozenset[int], frozenset[int], Story | int], ...]
    before: tuple[Story | int, ...]

    @classmethod
    def of(cls, net: Net) -> "Kernel":
        """Return a net after all possible reductions. Cost: near linear in the arcs, at most `MAX_STEPS`."""
        return _Reduction(net).run()

    @property
    def is_trivial(self) -> bool:
        """Whether the net is trivially sound: each token is in a sink, or a single transition can only remove it."""
        own = all(
            len(pre) == 1 and not post and sum(pre == other[0] for other in self.transitions) == 1
            for pre, post, _ in self.transitions
        )
        taken = frozenset().union(*(pre for pre, _, _ in self.transitions))
        return own and taken <= self.marked and self.marked - self.sinks <= taken


def transitions_of(story: Story | int) -> list[int]:
    """Return the transitions of a firing sequence in order."""
    transitions: list[int] = []
    pending = [story]
    while pending:
        part = pending.pop()
        if isinstance(part, Story):
            pending += [part.second, part.first]
        else:
            transitions.append(part)
    return transitions


class _Reduction:
    """A net during the reduction: the neighbours of places and transitions, and the nodes to examine again."""

    def __init__(self, net: Net) -> None:
        self.pre = {t: set(transition.pre) for t, transition in enumerate(net.transitions)}
        self.post = {t: set(transition.post) for t, transition in enumerate(net.transitions)}
        self.story: dict[int, Story | int] = {t: t for t in self.pre}
        self.into: dict[int, set[int]] = {place: set() for place in range(len(net.places))}
        self.out: dict[int, set[int]] = {place: set() for place in range(len(net.places))}
        for t in self.pre:
            for place in self.pre[t]:
                self.out[place].add(t)
            for place in self.post[t]:
                self.into[place].add(t)
        self.marked = set(net.marked)
        self.sinks = set(net.sinks)
        self.before: list[Story | int] = []
        self.next = len(self.pre)
        self.left = MAX_STEPS
        self.cyclic: set[int] = set()
        self.places: dict[int, None] = {}
        self.changed: dict[int, None] = {}

    def run(self) -> Kernel:
        while True:
            self._look_for_cycles()
            size = (len(self.into), len(self.pre), sum(map(len, self.post.values())))
            self.places = dict.fromkeys(self.into)
            self.changed = dict.fromkeys(self.pre)
            while (self.places or self.changed) and self.left > 0:
                while self.changed and self.left > 0:
                    self._look_at_transition(_popped(self.changed))
                if self.places:
                    self._look_at_place(_popped(self.places))
            if self.left <= 0 or size == (len(self.into), len(self.pre), sum(map(len, self.post.values()))):
                break
        rest = tuple((frozenset(self.pre[t]), frozenset(self.post[t]), self.story[t]) for t in sorted(self.pre))
        return Kernel(frozenset(self.marked), frozenset(self.sinks), rest, tuple(self.before))

    def _look_at_transition(self, t: int) -> None:
        if t not in self.pre:
            return
        pre, post = self.pre[t], self.post[t]
        self.left -= len(pre) + len(post)
        if len(pre) == 1 and pre == post:
            (place,) = pre
            if len(self.out[place]) > 1:
                self._drop(t)
            return
        rarest = min(pre, key=lambda place: (len(self.out[place]), place))
        self.left -= len(self.out[rarest])
        if any(other != t and self.pre[other] == pre and self.post[other] == post for other in self.out[rarest]):
            self._drop(t)

    def _look_at_place(self, place: int) -> None:
        if place not in self.into:
            return
        self.left -= len(self.into[place]) + len(self.out[place])
        if place in self.sinks:
            self._look_at_sink(place)
        elif not self._is_doubled(place) and not self._ends(place) and not self._delays(place):
            self._follows(place)

    def _look_at_sink(self, sink: int) -> None:
        producers = self.into[sink]
        if sink in self.marked or not producers:
            return
        if self._is_doubled(sink):
            return
        once = all(t not in self.cyclic or self.post[t] <= self.sinks for t in producers)
        if once and set.intersection(*(self.pre[t] for t in producers)):
            self._remove_place(sink)
            return
        first = min(producers, key=lambda t: (len(self.post[t]), t))
        for other in sorted(self.post[first] & self.sinks - {sink}):
            self.left -= len(producers)
            if producers <= self.into[other]:
                self._remove_place(sink)
                return

    def _is_doubled(self, place: int) -> bool:
        """Remove a place if another place always has the same marking; return whether the place was removed."""
        into, out = self.into[place], self.out[place]
        near = min((self.post[t] for t in into), key=len, default=set())
        if not into and place in self.marked:
            near = min((self.pre[t] for t in out), key=len, default=near)
        for other in near:
            self.left -= 1
            if (
                other != place
                and len(self.into[other]) == len(into)
                and self.into[other] == into
                and self.out[other] == out
                and (other in self.marked) == (place in self.marked)
                and (other in self.sinks) == (place in self.sinks)
            ):
                self._remove_place(place)
                return True
        return False

    def _ends(self, place: int) -> bool:
        """Make a place a sink if its only consumer just removes the token; return whether the place became a sink."""
        if len(self.out[place]) == 1 and self.into[place]:
            (t,) = self.out[place]
            if len(self.pre[t]) == 1 and not self.post[t]:
                self._drop(t)
                self.sinks.add(place)
                self.places[place] = None
                return True
        return False

    def _follows(self, place: int) -> bool:
        """Fuse a place with its consumers if the consumers have no other input and the net does not grow."""
        into, out = self.into[place], self.out[place]
        if place in self.marked:
            return self._starts(place)
        if not out or into & out or not any(self.post[u] for u in out):
            return False
        if any(len(self.pre[u]) > 1 for u in out) or any(self.post[t] & self.post[u] for t in into for u in out):
            return False
        alone = len(into) == 1 and all(len(self.pre[t]) + len(self.post[t]) == 2 for t in into)
        if alone or (len(out) == 1 and (len(into) == 1 or all(len(self.post[u]) == 1 for u in out))):
            self._fuse(into, out, place)
            return True
        return False

    def _starts(self, place: int) -> bool:
        """Fire the only consumer of a marked place if each place then has at most one token."""
        into = set(self.into[place])
        if len(self.out[place]) != 1:
            return False
        (t,) = self.out[place]
        post = self.post[t]
        if t in into or len(self.pre[t]) > 1 or not post or post & self.marked:
            return False
        if into and (len(post) > 1 or any(self.post[u] & post for u in into)):
            return False
        self.marked.discard(place)
        self.marked |= post
        self.before.append(self.story[t])
        if into:
            self._fuse(into, {t}, place)
        else:
            self._drop(t)
            self._remove_place(place)
        return True

    def _delays(self, place: int) -> bool:
        """Fuse a place with its only producer if this producer has no other output and no competitors."""
        into, out = self.into[place], self.out[place]
        if len(into) != 1 or not out or place in self.marked:
            return False
        (t,) = into
        if len(self.post[t]) > 1 or t in out or any(len(self.out[before]) > 1 for before in self.pre[t]):
            return False
        if len(out) > 1 and len(self.pre[t]) > 1:
            return False
        self._fuse({t}, out, place)
        return True

    def _fuse(self, into: Iterable[int], out: Iterable[int], place: int) -> None:
        """Replace producers and consumers of a place by their combinations."""
        into, out = sorted(into), sorted(out)
        fresh = []
        for t in into:
            for u in out:
                pre = self.pre[t] | (self.pre[u] - {place})
                post = (self.post[t] - {place}) | self.post[u]
                cyclic = t in self.cyclic and (u in self.cyclic or len(self.post[t]) > 1)
                cyclic |= u in self.cyclic and len(self.pre[u]) > 1
                fresh.append((pre, post, Story(self.story[t], self.story[u]), cyclic))
        for t in (*into, *out):
            self._drop(t)
        self._remove_place(place)
        for pre, post, story, cyclic in fresh:
            t = self.next
            self.next += 1
            self.pre[t], self.post[t], self.story[t] = pre, post, story
            if cyclic:
                self.cyclic.add(t)
            for near in pre:
                self.out[near].add(t)
            for near in post:
                self.into[near].add(t)
            self.changed[t] = None
            self.left -= len(pre) + len(post)
            self.places.update(dict.fromkeys((*sorted(pre), *sorted(post))))

    def _drop(self, t: int) -> None:
        for near in self.pre[t]:
            self.out[near].discard(t)
        for near in self.post[t]:
            self.into[near].discard(t)
        self.places.update(dict.fromkeys((*sorted(self.pre[t]), *sorted(self.post[t]))))
        del self.pre[t], self.post[t], self.story[t]

    def _remove_place(self, place: int) -> None:
        for t in sorted(self.into[place]):
            self.post[t].discard(place)
            self.changed[t] = None
            self.places.update(dict.fromkeys(sorted(self.pre[t] | self.post[t])))
        for t in sorted(self.out[place]):
            self.pre[t].discard(place)
            self.changed[t] = None
            self.places.update(dict.fromkeys(sorted(self.pre[t] | self.post[t])))
        del self.into[place], self.out[place]
        self.marked.discard(place)
        self.sinks.discard(place)

    def _look_for_cycles(self) -> None:
        """Compute the set of transitions that are on cycles."""
        arcs = [(("place", near), ("transition", t)) for t, places in self.pre.items() for near in places]
        arcs += [(("transition", t), ("place", near)) for t, places in self.post.items() for near in places]
        self.cyclic = {number for kind, number in cyclic(arcs) if kind == "transition"}


def _popped(pending: dict[int, None]) -> int:
    first = next(iter(pending))
    del pending[first]
    return first
