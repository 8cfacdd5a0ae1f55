"""What is so in a small workflow, found by enumeration: all paths, all situations, all choices, all orders."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

from wfgate.model import END, START, Link, Workflow

from .generator import VALUES


@dataclass(frozen=True)
class Run:
    """One way in which a workflow can go: a situation, the tasks that run, and which of them waits for which."""

    situation: tuple[tuple[str, object], ...]
    tasks: frozenset[str]
    waits: frozenset[tuple[str, str]]
    taken: frozenset[int]

    def orders(self) -> Iterator[tuple[str, ...]]:
        for order in permutations(sorted(self.tasks)):
            if all(order.index(a) < order.index(b) for a, b in self.waits):
                yield order


@dataclass(frozen=True)
class Oracle:
    """Enumerates; ids of tasks throughout."""

    workflow: Workflow

    @cached_property
    def ids(self) -> list[str]:
        return [task.id for task in self.workflow.tasks]

    @cached_property
    def gates(self) -> dict[str, object]:
        return {gate.id: gate for gate in self.workflow.gateways}

    def near(self, node: str, links: list[tuple[str, str]]) -> set[str]:
        """Tasks and virtual nodes behind a node, through gateways: by listing simple paths."""
        found: set[str] = set()

        def walk(at: str, seen: tuple[str, ...]) -> None:
            for source, target in links:
                if source != at or target in seen:
                    continue
                if target in self.gates:
                    walk(target, (*seen, target))
                else:
                    found.add(target)

        walk(node, ())
        return found

    def pairs(self, *, back: bool) -> list[tuple[str, str]]:
        return [(link.source, link.target) for link in self.workflow.links if back or not link.back]

    def edges(self, *, back: bool) -> set[tuple[str, str]]:
        """Task view; without returning links an edge is one whose whole way returns nowhere."""
        links = self.pairs(back=back)
        return {(a, b) for a in self.ids for b in self.near(a, links) if b in self.ids}

    @staticmethod
    def closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
        found = set(edges)
        while True:
            more = {(a, d) for a, b in found for c, d in found if b == c} - found
            if not more:
                return found
            found |= more

    @cached_property
    def order(self) -> set[tuple[str, str]]:
        """Which task comes strictly before which."""
        closed = self.closure(self.edges(back=False))
        return {(a, b) for a, b in closed if (b, a) not in closed}

    def reached(self, start: str, *, forward: bool) -> set[str]:
        links = [(a, b) if forward else (b, a) for a, b in self.pairs(back=True)]
        found = {start}
        while more := {b for a, b in links if a in found} - found:
            found |= more
        return found

    # -- situations ------------------------------------------------------------------------------------------------

    @cached_property
    def runs(self) -> list[Run]:
        """Every run of a workflow without cycles."""
        names = list(VALUES)
        return [
            run for values in product(*VALUES.values()) for run in self._runs(dict(zip(names, values, strict=True)))
        ]

    @staticmethod
    def holds(link: Link, situation: dict[str, object]) -> bool:
        expr = link.guard.expr if link.guard else None
        return expr is None or bool(eval(expr, {"__builtins__": {}}, dict(situation)))  # noqa: S307 - our own guards

    def options(self, node: str, situation: dict[str, object]) -> list[frozenset[int]]:
        """Sets of links that can be taken once a node has run."""
        places = [place for place, link in enumerate(self.workflow.links) if link.source == node]
        links = self.workflow.links
        gate = self.gates.get(node)
        kind = gate.op if gate is not None and gate.role == "split" else None
        if kind is None:
            kind = "XOR" if self.workflow.semantics == "state-machine" else "OR"
        if kind == "AND":
            return [frozenset(places)]
        default = [p for p in places if links[p].guard and links[p].guard.default]
        guarded = [p for p in places if p not in default and links[p].guard and links[p].guard.expr]
        free = [p for p in places if p not in default and p not in guarded]
        true = [p for p in guarded if self.holds(links[p], situation)]
        ordered = any(links[p].guard.order is not None for p in [*guarded, *default])
        if ordered and true:
            rank = {p: (links[p].guard.order is None, links[p].guard.order or 0) for p in guarded}
            first = min(rank[p] for p in true)
            true = [p for p in true if rank[p] == first]
        if kind == "OR" and not ordered:
            return [frozenset([*free, *(true or default)])]
        if kind == "OR":
            return (
                [frozenset([*free, *true])] if true else [frozenset([*free, p]) for p in default] or [frozenset(free)]
            )
        if true:
            # Links that share a place in the order are taken together: their guards are asked at the same time.
            return [frozenset(true)] if ordered else [frozenset([p]) for p in true]
        return [frozenset([p]) for p in [*free, *default]] or [frozenset()]

    def starts_when(self, node: str, taken: frozenset[int]) -> bool:
        into = [(place, link) for place, link in enumerate(self.workflow.links) if link.target == node]
        if self.workflow.semantics == "dag":
            into = [(place, link) for place, link in into if not link.back]
        if not into:
            return False
        gate = self.gates.get(node)
        if gate is not None:
            waits = gate.role == "join" and gate.op == "AND"
        else:
            task = next(task for task in self.workflow.tasks if task.id == node)
            waits = task.join == "all" or (task.join is None and self.workflow.semantics == "dag")
        if not waits:
            return any(place in taken for place, _ in into)
        sources = {link.source for _, link in into}
        return all(any(place in taken for place, link in into if link.source == source) for source in sources)

    def _runs(self, situation: dict[str, object]) -> Iterator[Run]:
        nodes = self._sorted()

        def go(
            place: int, running: frozenset[str], taken: frozenset[int]
        ) -> Iterator[tuple[frozenset[str], frozenset[int]]]:
            if place == len(nodes):
                yield running, taken
                return
            node = nodes[place]
            if node != START and not self.starts_when(node, taken):
                yield from go(place + 1, running, taken)
                return
            for chosen in self.options(node, situation):
                yield from go(place + 1, running | {node}, taken | chosen)

        for running, taken in set(go(0, frozenset(), frozenset())):
            tasks = frozenset(running & {*self.ids})
            if self.workflow.semantics == "dag":
                waits = {(a, b) for a, b in self.order if {a, b} <= tasks}
            else:
                links = [(self.workflow.links[p].source, self.workflow.links[p].target) for p in taken]
                waits = self.closure({(a, b) for a in tasks for b in self.near(a, links) if b in tasks})
            yield Run(tuple(sorted(situation.items())), tasks, frozenset(waits), taken)

    def endless(self) -> list[bool]:
        """For each cycle of links that can be taken whether nowhere on it the flow can go out and not on."""
        names = list(VALUES)
        situations = [dict(zip(names, values, strict=True)) for values in product(*VALUES.values())]
        nodes = [START, *self.ids, *self.gates]
        options = {node: {chosen for s in situations for chosen in self.options(node, s)} for node in nodes}
        alive = {place for each in options.values() for chosen in each for place in chosen}
        ends = [(link.source, link.target) for link in self.workflow.links]
        closed = self.closure({ends[place] for place in alive})
        rings = {frozenset(b for b in nodes if {(a, b), (b, a)} <= closed) for a in nodes if (a, a) in closed}
        return [
            not any(
                any(ends[place][1] not in ring for place in chosen)
                and all(ends[place][1] not in ring for place in chosen)
                for node in ring
                for chosen in options[node]
            )
            for ring in rings
        ]

    def _sorted(self) -> list[str]:
        left = {START, *self.ids, *self.gates}
        links = self.pairs(back=True)
        found: list[str] = []
        while left:
            ready = sorted(node for node in left if not any(a in left for a, b in links if b == node))
            found.append(ready[0])
            left.discard(ready[0])
        return found

    # -- walks of a single token -----------------------------------------------------------------------------------

    def walks(self, longest: int) -> set[tuple[str, ...]]:
        """Every way of a token from START to END in up to so many tasks, what conditions read being fixed."""
        found: set[tuple[str, ...]] = set()
        names = list(VALUES)
        for values in product(*VALUES.values()):
            situation = dict(zip(names, values, strict=True))

            def go(node: str, trace: tuple[str, ...], gates: int, situation: dict[str, object] = situation) -> None:
                if node == END:
                    found.add(trace)
                    return
                for chosen in self.options(node, situation):
                    if not chosen:
                        found.add(trace)
                    for place in chosen:
                        target = self.workflow.links[place].target
                        if target in self.gates:
                            if gates < 3:
                                go(target, trace, gates + 1)
                        elif target == END or len(trace) < longest:
                            go(target, trace if target == END else (*trace, target), 0)

            go(START, (), 0)
        return found
