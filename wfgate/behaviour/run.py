"""Under which conditions each step runs: one condition per step, and the questions that it answers.

A link is taken iff its source has run and it is selected; a step runs iff the links that it waits for are taken.
Conditions are nodes of a decision diagram (`wfgate.conditions.Space`), so that a step behind a split and its join runs
under exactly the condition of the split. What a condition reads is taken to keep its value while the workflow
runs; in a loop, that holds for its first pass, and of later passes nothing is assumed but that the loop ends.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import networkx as nx

from wfgate.behaviour.flow import Flow
from wfgate.behaviour.split import Selections
from wfgate.conditions import (
    ALWAYS,
    FALSE,
    TRUE,
    All,
    Answer,
    Atom,
    BudgetSpentError,
    Formula,
    Linear,
    Node,
    Not,
    Scalar,
    Some,
    Space,
    Term,
)
from wfgate.conditions.languages import GuardSyntaxError, parse
from wfgate.conditions.space import DEFAULT_BUDGET, Solver
from wfgate.model import Task, Workflow

JOINS = ("all", "any")
EXCEPTIONAL = frozenset({"failure", "timeout", "skipped", "event"})
"""Outcomes by which a step runs instead of what would have come next."""
MAX_NESTING = 50
"""Loops inside loops that are followed."""


def joins_all(workflow: Workflow, task: Task) -> bool:
    """Return whether a step waits for all of its incoming links, where it says nothing more precise."""
    return task.join == "all" or (task.join is None and workflow.semantics == "dag")


@dataclass(frozen=True)
class Behaviour:
    """When each step of one workflow runs.

    Attributes:
        flow: The workflow's nodes and links.
        selections: What its guards and splits say.
        space: Where the conditions live.
        runs: For each node of the flow the condition under which it runs; None where the work limit was spent.
        taken: For each link of the flow the condition under which it is taken, in a loop in its first pass.
        broken_joins: Join expressions that cannot be read, by step; such a step waits for all links.
        spent: Why the work limit was spent, if it was.
    """

    flow: Flow
    selections: Selections
    space: Space
    runs: tuple[Node | None, ...]
    taken: tuple[Node | None, ...]
    broken_joins: Mapping[int, GuardSyntaxError] = field(default_factory=dict)
    spent: str = ""

    @classmethod
    def of(cls, workflow: Workflow, *, budget: int = DEFAULT_BUDGET, relations: Solver | None = None) -> "Behaviour":
        """Work out the conditions.

        Cost: linear in nodes and links times the size of the conditions; `budget` steps of diagram building at most,
        then the conditions left are unknown.
        """
        flow = Flow.of(workflow)
        selections = Selections.of(flow)
        space = Space((*selections.taken, *selections.written), budget=budget, relations=relations)
        work = _Work(flow, selections, space)
        spent = ""
        try:
            work.solve(range(flow.n), work.forward, {flow.start: {-1: TRUE}})
        except BudgetSpentError as problem:
            spent = str(problem)
        space.budget = budget  # what is asked afterwards has an allowance of its own
        return cls(
            flow,
            selections,
            work.space,
            tuple(work.runs.get(node) for node in range(flow.n)),
            tuple(work.taken.get(link) for link in range(len(flow.links))),
            work.broken,
            spent,
        )

    def must_run(self, task: int) -> Answer:
        """Return whether a step runs in every situation in which no step fails; a no carries a situation."""
        return self._always(self.runs[task])

    def can_run(self, task: int) -> Answer:
        """Return whether a step runs in some situation."""
        return self._answered(self.runs[task], self.space.sometimes)

    def exclusive(self, first: int, second: int) -> Answer:
        """Return whether two steps never run together; a no carries a situation in which they do."""
        one, other = self.runs[first], self.runs[second]
        if FALSE in {one, other}:
            return Answer(value=True)
        if one is None or other is None:
            return self._unknown
        return self.ask(lambda space: space.exclude(one, other))

    def always_with(self, first: int, second: int) -> Answer:
        """Return whether the second step runs whenever the first does, as long as no step fails."""
        one, other = self.runs[first], self.runs[second]
        if one is None or other is None:
            return self._unknown
        return self.ask(lambda space: self._always(space.either(space.contrary(one), other)))

    def runs_in(self, task: int, situation: Mapping[str, Scalar]) -> Answer:
        """Return whether a step runs where terms have these values; steps succeed unless the values say otherwise."""
        node = self.runs[task]
        if node is None:
            return self._unknown
        left = self.space.given(node, {**self.selections.normal, **situation})
        if left <= TRUE:
            return Answer(value=left == TRUE)
        return Answer(value=None, because=f"it depends on whether {self.space.words(left)}")

    def words(self, task: int) -> str:
        """Return in words when a step runs as long as no step fails: "always", "never", or a condition."""
        node = self.runs[task]
        return "unknown" if node is None else self.space.words(self._normal(node))

    def ask(self, question: Callable[[Space], Answer]) -> Answer:
        """Return the answer to a question about conditions; unknown where the work limit is spent on it."""
        try:
            return question(self.space)
        except BudgetSpentError as problem:
            return Answer(value=None, because=str(problem))

    def sometimes(self, condition: Formula | Node | None) -> Answer:
        """Return whether a condition holds in some situation; unknown for None, a condition that was never built."""
        if condition is None:
            return self._unknown
        return self.ask(lambda space: space.sometimes(_node(space, condition)))

    def always(self, condition: Formula | Node | None) -> Answer:
        """Return whether a condition holds in every situation, failures of steps included."""
        if condition is None:
            return self._unknown
        return self.ask(lambda space: space.always(_node(space, condition)))

    def exclude(self, first: Formula, second: Formula) -> Answer:
        """Return whether two conditions never hold together."""
        return self.ask(lambda space: space.exclude(space.node(first), space.node(second)))

    @cached_property
    def looping(self) -> frozenset[int]:
        """Nodes that can run more than once: those on a cycle, returning links included."""
        flow = self.flow
        parts = flow.components(range(flow.n), range(len(flow.links)))
        own = {source for source, target, _ in flow.links if source == target}
        return frozenset(node for part in parts for node in part if len(part) > 1) | own

    @cached_property
    def conditional(self) -> bool:
        """Whether any step depends on anything: if not, every step that is reached runs."""
        return any(node not in {FALSE, TRUE} for node in self.runs)

    @property
    def _unknown(self) -> Answer:
        return Answer(value=None, because=self.spent or "the conditions are too entangled for the work limit")

    def _always(self, node: Node | None) -> Answer:
        return self._answered(node, lambda found: self.space.always(self._normal(found)))

    def _answered(self, node: Node | None, ask: Callable[[Node], Answer]) -> Answer:
        return self._unknown if node is None else self.ask(lambda _: ask(node))

    def _normal(self, node: Node) -> Node:
        """Return what is left of a condition as long as no step fails."""
        return self.space.given(node, self.selections.normal) if self.selections.normal else node


class _Work:
    """Works out the conditions, loop by loop.

    Attributes:
        forward: Links that order: those not marked as returning.
        runs: The condition of each node that is done.
        taken: The condition of each link whose source is done.
    """

    def __init__(self, flow: Flow, selections: Selections, space: Space) -> None:
        self.flow = flow
        self.selections = selections
        self.space = space
        self.dag = flow.workflow.semantics == "dag"
        everything = range(len(flow.links))
        # In a dag a returning link says "repeat", no more; elsewhere it decides together with its siblings how the
        # loop goes on.
        self.forward = [link for link in everything if not (self.dag and flow.links[link][2].back)]
        self.runs: dict[int, Node] = {}
        self.taken: dict[int, Node] = {}
        self.broken: dict[int, GuardSyntaxError] = {}
        self.later = 0
        self.depth = 0

    def solve(self, nodes: Iterable[int], links: Sequence[int], entry: Mapping[int, Mapping[int, Node]]) -> None:
        """Work out some nodes by the links among them.

        Args:
            nodes: The nodes.
            links: Links among them that count.
            entry: For nodes that are entered from outside the links by which they are, with their conditions.
        """
        nodes = list(nodes)
        inside: dict[int, list[int]] = {node: [] for node in nodes}
        for link in links:
            inside[self.flow.links[link][1]].append(link)
        for part in self.flow.components(nodes, links):
            into = {
                node: {
                    **entry.get(node, {}),
                    **{link: self.taken[link] for link in inside[node] if self.flow.links[link][0] not in part},
                }
                for node in part
            }
            members = set(part)
            inner = [link for node in part for link in inside[node] if self.flow.links[link][0] in members]
            if inner:
                self._loop(part, inner, {node: found for node, found in into.items() if found})
            else:
                self._set(part[0], self._joined(part[0], into[part[0]]))

    def _loop(self, part: Sequence[int], inner: Sequence[int], into: Mapping[int, Mapping[int, Node]]) -> None:
        """Work out a loop: its first pass exactly, of later passes what holds however they go."""
        if self.dag or not into:
            # Steps that wait for each other never run; a loop that nothing enters neither.
            for node in part:
                self._set(node, FALSE)
            return
        first_pass = [link for link in inner if self.flow.links[link][1] not in into and not self._back(link)]
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise BudgetSpentError(f"loops are nested more than {MAX_NESTING} deep")
        self.solve(part, first_pass, into)
        self.depth -= 1
        entered = self.space.some(self.runs[node] for node in into)
        returned = self.space.some(self.taken[link] for link in set(inner) - set(first_pass))
        members = set(part)
        exits = [link for node in part for link in self.flow.outgoing[node] if self.flow.links[link][1] not in members]
        left = self.space.some(self.taken[link] for link in exits)
        again = self.space.both(returned, self.space.contrary(left))
        last = self._choice([self.flow.labels[self.flow.links[link][1]] for link in exits])
        on_every_way = self._on_every_way(part, inner, into, exits)
        for node in part:
            later = entered if node in on_every_way else self.space.both(returned, self._maybe(node))
            self.runs[node] = self.space.either(self.runs[node], later)
        for link, chosen in zip(exits, last, strict=True):
            self.taken[link] = self.space.either(self.taken[link], self.space.both(again, chosen))

    def _on_every_way(
        self, part: Sequence[int], inner: Sequence[int], into: Iterable[int], exits: Sequence[int]
    ) -> set[int]:
        """Return the nodes of a loop without which it cannot be left: the dominators of its exits."""
        if not exits:
            return set()
        graph: nx.DiGraph[int] = nx.DiGraph()
        enter, leave = -1, -2
        graph.add_nodes_from(part)
        graph.add_edges_from(self.flow.links[link][:2] for link in inner)
        graph.add_edges_from((enter, node) for node in into)
        graph.add_edges_from((self.flow.links[link][0], leave) for link in exits)
        above = nx.immediate_dominators(graph, enter)
        found: set[int] = set()
        node = above.get(leave, enter)
        while node not in {enter, None}:
            found.add(node)
            node = above[node]
        return found

    def _set(self, node: int, condition: Node) -> None:
        self.runs[node] = condition
        for link in self.flow.outgoing[node]:
            outcome = self.flow.links[link][2].outcome
            started = condition
            if outcome == "skipped":
                started = self.space.contrary(condition)
            elif outcome == "always" and self.dag:
                started = TRUE
            self.taken[link] = self.space.both(started, self.space.node(self.selections.taken[link]))

    def _joined(self, node: int, into: Mapping[int, Node]) -> Node:
        """Return the condition under which a node runs, by the links into it."""
        if not into:
            return FALSE
        task, gateway = self.flow.task(node), self.flow.gateway(node)
        expression = task.join if task is not None else gateway.join if gateway is not None else None
        if expression not in {None, *JOINS}:
            try:
                return self._asked(_read_join(expression or ""), into)
            except GuardSyntaxError as problem:
                if task is not None:
                    self.broken[node] = problem
        waits = joins_all(self.flow.workflow, task) if task else bool(gateway and _waits(gateway.op, gateway.role))
        if not waits:
            return self.space.some(into.values())
        # Links from the same step are alternatives: one per outcome, or one per guard. So is what went wrong to
        # what went well, unless the step itself says that it waits for all.
        by_source: dict[int, Node] = {}
        exceptional = FALSE
        for link, condition in into.items():
            source, outcome = (self.flow.links[link][0], self.flow.links[link][2].outcome) if link >= 0 else (-1, "")
            if outcome in EXCEPTIONAL and task is not None and task.join is None:
                exceptional = self.space.either(exceptional, condition)
            else:
                by_source[source] = self.space.either(by_source.get(source, FALSE), condition)
        return self.space.either(exceptional, self.space.every(by_source.values()) if by_source else FALSE)

    def _asked(self, formula: Formula, into: Mapping[int, Node]) -> Node:
        """Return the condition of a join expression, whose terms are ids of steps."""
        match formula:
            case Not(of):
                return self.space.contrary(self._asked(of, into))
            case All(parts):
                return self.space.every(self._asked(part, into) for part in parts)
            case Some(parts):
                return self.space.some(self._asked(part, into) for part in parts)
            case Atom(Term(text), "truthy"):
                asked = [condition for link, condition in into.items() if self._is(link, text)]
                if not asked:
                    raise GuardSyntaxError(f"no link comes from {text!r}", column=1)
                return self.space.some(asked)
            case Atom() | Linear():
                raise GuardSyntaxError("a join asks for steps, not for values", column=1)

    def _is(self, link: int, asked: str) -> bool:
        if link < 0:
            return False
        said = self.flow.links[link][2]
        return asked.casefold() in {said.source.casefold(), f"{said.source}.{said.outcome}".casefold()}

    def _back(self, link: int) -> bool:
        return self.flow.links[link][2].back

    def _maybe(self, node: int) -> Node:
        """Return the condition that a later pass of a loop reaches a node: nobody knows."""
        text = f"a later pass of the loop reaches {self.flow.labels[node]}"
        return self.space.node(Atom(Term(text, (True, False), opaque=True), "truthy"))

    def _choice(self, names: Sequence[str]) -> list[Node]:
        """Return the conditions by which a loop is left in the end, one of several."""
        if len(names) < 2:
            return [self.space.node(ALWAYS)] * len(names)
        self.later += 1
        values = tuple(f"{name} ({place})" if name in names[:place] else name for place, name in enumerate(names))
        number = f" ({self.later})" if self.later > 1 else ""
        term = Term(f"the way out of the loop{number}", values)
        return [self.space.node(Atom(term, "==", value)) for value in values]


def _node(space: Space, condition: Formula | Node) -> Node:
    return condition if isinstance(condition, int) else space.node(condition)


def _read_join(text: str) -> Formula:
    """Read a join expression; ids are quoted first, for "build-image" is no subtraction."""
    for sign in "()!":
        text = text.replace(sign, f" {sign} ")
    words = text.split()
    return parse(" ".join(word if word.casefold() in _CONNECTIVES else f"«{word}»" for word in words))


_CONNECTIVES = {"and", "or", "not", "&&", "||", "!", "(", ")"}


def _waits(op: str, role: str) -> bool:
    return op == "AND" and role == "join"
