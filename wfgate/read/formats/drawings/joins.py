"""Joins in a drawing: which boxes wait for all incoming arrows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from wfgate.model import END, START, Gateway, Link, depth_first

_MOST = 64
"""Most branches of one merge that are distinguished."""

_State = int
"""What has been decided on the way to a place, numbered; 0 is nothing."""


def waiting(
    nodes: Sequence[str], gateways: Iterable[Gateway], links: Sequence[Link], events: Iterable[str]
) -> frozenset[str]:
    """Return the nodes that wait for all their incoming links.

    A drawing does not show whether a join waits for all branches or for one branch. A node waits for all incoming
    links only if no decision lies between the point where these branches split and the node. A node at which a loop
    returns does not wait.

    Args:
        nodes: All nodes.
        gateways: The operators among the nodes. A link that leaves an OR or XOR operator is a decision.
        links: All links, including the links from START and to END.
        events: Steps that an external event starts. They start independently, not together with other first steps.

    Cost: linear in nodes and links.

    Example:
        >>> fan = [Link(source=a, target=b) for a, b in ("ab", "ac", "bd", "cd")]
        >>> sorted(waiting("abcd", [], [Link(source=START, target="a"), *fan], []))
        ['d']
    """
    return _Walk(nodes, gateways, links, frozenset(events)).waiting()


class _Walk:
    def __init__(
        self, nodes: Sequence[str], gateways: Iterable[Gateway], links: Sequence[Link], events: frozenset[str]
    ) -> None:
        self.ops = {gateway.id: gateway.op for gateway in gateways}
        self.events = events
        known = dict.fromkeys((START, *nodes))
        self.links = [link for link in links if link.source in known and link.target in known]
        self.nodes = known
        self.leaving: defaultdict[str, list[int]] = defaultdict(list)
        self.entering: defaultdict[str, list[int]] = defaultdict(list)
        for place, link in enumerate(self.links):
            self.leaving[link.source].append(place)
            self.entering[link.target].append(place)
        self.decided = {node: self._decisions(node) for node in known}
        self.steps: list[tuple[_State, str, int]] = [(0, "", -1)]
        """Each state: the one before, where it was decided, and by which link."""
        self.after: dict[str, _State] = {START: 0}

    def _decisions(self, node: str) -> frozenset[int]:
        """Return the links out of a node that are taken only in some cases."""
        out = self.leaving[node]
        ended = any(self.links[link].outcome != "success" for link in out)
        op = self.ops.get(node)
        if op == "AND" or (op is not None and len(out) < 2):
            return frozenset()
        if op is not None or ended:
            return frozenset(out)
        return frozenset(link for link in out if self.links[link].guard is not None)

    def waiting(self) -> frozenset[str]:
        order, returning = self._order()
        waits = set()
        for node in order:
            if node in {START, END}:
                continue
            states = [
                self._state(link) for link in self.entering[node] if (self.links[link].source, node) not in returning
            ]
            loops = len(states) < len(self.entering[node])
            if states and len(set(states)) == 1:
                self.after[node] = states[0]
                if len(states) > 1 and not loops:
                    waits.add(node)
            else:
                self.after[node] = self._merged(states) if len(states) <= _MOST else self._new(0, node, -1)
        return frozenset(waits)

    def _new(self, before: _State, node: str, link: int) -> _State:
        self.steps.append((before, node, link))
        return len(self.steps) - 1

    def _state(self, link: int) -> _State:
        """Return the decisions that have been made when a link is taken."""
        source, target = self.links[link].source, self.links[link].target
        before = self.after.get(source, 0)
        if link in self.decided[source] or (source == START and target in self.events):
            return self._new(before, source, link)
        return before

    def _merged(self, states: list[_State]) -> _State:
        """Return the decisions that hold after a join of alternative branches."""
        left = set(states)
        while len(left) > 1:
            parts: defaultdict[tuple[_State, str], dict[int, _State]] = defaultdict(dict)
            for state in left:
                before, node, link = self.steps[state]
                if link >= 0:
                    parts[before, node][link] = state
            whole = [
                (before, taken)
                for (before, node), taken in parts.items()
                if len(taken) > 1 and taken.keys() == self.decided[node]
            ]
            if not whole:
                break
            for before, taken in whole:
                left -= set(taken.values())
                left.add(before)
        return left.pop() if len(left) == 1 else self._new(0, "", -1)

    def _order(self) -> tuple[list[str], set[tuple[str, str]]]:
        """Return the nodes, sources first, and the ends of links that return to a node on the way to their source."""
        trees, returning = depth_first(
            self.nodes, lambda node: (self.links[link].target for link in self.leaving[node])
        )
        return [node for tree in trees for node in tree][::-1], returning
