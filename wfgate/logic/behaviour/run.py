"""The condition under which each step runs, and queries on these conditions.

A link is taken if and only if its source has run and the link is selected. A step runs if and only if the links that
it waits for are taken. Conditions are nodes of a decision diagram (`wfgate.logic.Space`). Therefore a step after
a split and its join has exactly the run condition of the split. The values in conditions are assumed to be constant
while the workflow runs. In a loop this assumption is for the first iteration; for later iterations, the only
assumption is that the loop ends.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wfgate.logic.behaviour.flow import Flow
from wfgate.logic.behaviour.split import Selections
from wfgate.logic.conditions.answer import Answer
from wfgate.logic.conditions.formula import ALWAYS, All, Atom, Formula, Linear, Not, Scalar, Some, Term
from wfgate.logic.conditions.languages import parse
from wfgate.logic.conditions.languages.node import GuardSyntaxError
from wfgate.logic.conditions.space import DEFAULT_BUDGET, FALSE, TRUE, BudgetSpentError, Node, Space
from wfgate.model import Task, Workflow, cyclic, dominators, path_to

JOINS = ("all", "any")
EXCEPTIONAL = frozenset({"failure", "timeout", "skipped", "event"})
"""Outcomes whose links replace the normal flow."""
MAX_NESTING = 50
"""Largest nesting depth of analysed loops."""


def joins_all(workflow: Workflow, task: Task) -> bool:
    """Return whether a step waits for all its incoming links: by declaration, or by default with dag semantics."""
    return task.join == "all" or (task.join is None and workflow.semantics == "dag")


@dataclass(frozen=True)
class Behaviour:
    """The run conditions of the steps of one workflow.

    Attributes:
        flow: The nodes and links of the workflow.
        selections: The conditions of guards and splits.
        space: The decision diagrams of the conditions.
        runs: The run condition of each node of the flow; None if the work limit was reached before this node.
        taken: The condition under which each link is taken (for a link in a loop: in the first iteration).
        broken_joins: The syntax errors of join expressions, by step. Such a step counts as `join: any`.
        spent: The reason why the work limit was reached; empty if it was not reached.
    """

    flow: Flow
    selections: Selections
    space: Space
    runs: tuple[Node | None, ...]
    taken: tuple[Node | None, ...]
    broken_joins: Mapping[int, GuardSyntaxError] = field(default_factory=dict)
    spent: str = ""

    @classmethod
    def of(cls, workflow: Workflow, *, budget: int = DEFAULT_BUDGET, also: Iterable[Formula] = ()) -> "Behaviour":
        """Return the behaviour of a workflow; later queries may be about the formulas in `also`, too.

        Cost: linear in nodes and links, times the size of the conditions. After `budget` steps of diagram building,
        the other conditions are unknown.
        """
        flow = Flow.of(workflow)
        selections = Selections.of(flow)
        space = Space((*selections.taken, *selections.written, *also), budget=budget)
        work = _RunConditions(flow, selections, space)
        spent = ""
        try:
            work.solve(range(flow.n), work.forward, {flow.start: {-1: TRUE}})
        except BudgetSpentError as problem:
            spent = str(problem)
        space.budget = budget  # later queries have a separate budget
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
        """Return whether a step runs in every situation in which no step fails. The answer no has a situation."""
        return self._always(self.runs[task])

    def can_run(self, task: int) -> Answer:
        """Return whether a step runs in some situation."""
        return self._answered(self.runs[task], self.space.sometimes)

    def exclusive(self, first: int, second: int) -> Answer:
        """Return whether two steps never run together. The answer no has a situation in which both run."""
        one, other = self.runs[first], self.runs[second]
        if FALSE in {one, other}:
            return Answer(value=True)
        if one is None or other is None:
            return self._unknown
        return self.ask(lambda space: space.exclude(one, other))

    def always_with(self, first: int, second: int) -> Answer:
        """Return whether the second step runs in every situation in which the first step runs and no step fails."""
        one, other = self.runs[first], self.runs[second]
        if one is None or other is None:
            return self._unknown
        return self.ask(lambda space: self._always(space.either(space.contrary(one), other)))

    def runs_in(self, task: int, situation: Mapping[str, Scalar]) -> Answer:
        """Return whether a step runs for given values of terms. Steps succeed unless the values say otherwise."""
        node = self.runs[task]
        if node is None:
            return self._unknown
        left = self.space.given(node, {**self.selections.normal, **situation})
        if left <= TRUE:
            return Answer(value=left == TRUE)
        return Answer(value=None, because=f"it depends on whether {self.space.words(left)}")

    def words(self, task: int) -> str:
        """Return the run condition of a step in words ("always", "never", ...), if no step fails."""
        node = self.runs[task]
        return "unknown" if node is None else self.space.words(self._normal(node))

    def ask(self, question: Callable[[Space], Answer]) -> Answer:
        """Return the answer to a query on conditions; unknown if the query reaches the work limit."""
        try:
            return question(self.space)
        except BudgetSpentError as problem:
            return Answer(value=None, because=str(problem))

    def sometimes(self, condition: Formula | Node | None) -> Answer:
        """Return whether a condition holds in some situation; the answer is unknown for None."""
        if condition is None:
            return self._unknown
        return self.ask(lambda space: space.sometimes(_node(space, condition)))

    def always(self, condition: Formula | Node | None) -> Answer:
        """Return whether a condition holds in every situation, including situations in which steps fail."""
        if condition is None:
            return self._unknown
        return self.ask(lambda space: space.always(_node(space, condition)))

    def exclude(self, first: Formula, second: Formula) -> Answer:
        """Return whether two conditions never hold together."""
        return self.ask(lambda space: space.exclude(space.node(first), space.node(second)))

    @cached_property
    def looping(self) -> frozenset[int]:
        """The nodes that can run more than once: the nodes on a cycle. Back edges count as links of a cycle."""
        return cyclic((source, target) for source, target, _ in self.flow.links)

    @cached_property
    def conditional(self) -> bool:
        """Whether any step is conditional. If no step is conditional, every reachable step runs."""
        return any(node not in {FALSE, TRUE} for node in self.runs)

    @property
    def _unknown(self) -> Answer:
        return Answer(value=None, because=self.spent or "the conditions are too complex for the work limit")

    def _always(self, node: Node | None) -> Answer:
        return self._answered(node, lambda condition: self.space.always(self._normal(condition)))

    def _answered(self, node: Node | None, ask: Callable[[Node], Answer]) -> Answer:
        return self._unknown if node is None else self.ask(lambda _: ask(node))

    def _normal(self, node: Node) -> Node:
        """Return a condition restricted to the case that no step fails."""
        return self.space.given(node, self.selections.normal) if self.selections.normal else node


class _RunConditions:
    """Computes the run conditions, loop by loop.

    Attributes:
        forward: The links that order steps; with dag semantics without back edges.
        runs: The run conditions computed so far.
        taken: The conditions of links computed so far.
    """

    def __init__(self, flow: Flow, selections: Selections, space: Space) -> None:
        self.flow = flow
        self.selections = selections
        self.space = space
        self.dag = flow.workflow.semantics == "dag"
        everything = range(len(flow.links))
        # In a dag a back edge only marks repetition; elsewhere it is an alternative of its siblings.
        self.forward = [link for link in everything if not (self.dag and flow.links[link][2].back)]
        self.runs: dict[int, Node] = {}
        self.taken: dict[int, Node] = {}
        self.broken: dict[int, GuardSyntaxError] = {}
        self.later = 0
        self.depth = 0

    def solve(self, nodes: Iterable[int], links: Sequence[int], entry: Mapping[int, Mapping[int, Node]]) -> None:
        """Compute the conditions of some nodes from the links among them.

        Args:
            nodes: The nodes.
            links: The links between these nodes that are used.
            entry: The conditions of links from other nodes, by target node and link.
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
                self._loop(part, inner, {node: conditions for node, conditions in into.items() if conditions})
            else:
                self._set(part[0], self._joined(part[0], into[part[0]]))

    def _loop(self, part: Sequence[int], inner: Sequence[int], into: Mapping[int, Mapping[int, Node]]) -> None:
        """Compute the conditions of a loop: exact for the first iteration, independent of later iterations."""
        if self.dag or not into:
            # Steps that wait for each other never run, nor does a loop without entry.
            for node in part:
                self._set(node, FALSE)
            return
        first_pass = [link for link in inner if self.flow.links[link][1] not in into and not self._back(link)]
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise BudgetSpentError(f"the workflow has more than {MAX_NESTING} nested loops")
        self.solve(part, first_pass, into)
        self.depth -= 1
        entered = self.space.some(self.runs[node] for node in into)
        returned = self.space.some(self.taken[link] for link in set(inner) - set(first_pass))
        members = set(part)
        exits = [link for node in part for link in self.flow.outgoing[node] if self.flow.links[link][1] not in members]
        left = self.space.some(self.taken[link] for link in exits)
        again = self.space.both(returned, self.space.contrary(left))
        last = self._choice([self.flow.labels[self.flow.links[link][1]] for link in exits])
        on_every_way = self._on_every_way(inner, into, exits)
        for node in part:
            later = entered if node in on_every_way else self.space.both(returned, self._maybe(node))
            self.runs[node] = self.space.either(self.runs[node], later)
        for link, chosen in zip(exits, last, strict=True):
            self.taken[link] = self.space.either(self.taken[link], self.space.both(again, chosen))

    def _on_every_way(self, inner: Iterable[int], into: Iterable[int], exits: Iterable[int]) -> set[int]:
        """Return the nodes of a loop that are on every path to its exits: the dominators of the exits."""
        enter, leave = -1, -2
        after: defaultdict[int, list[int]] = defaultdict(list, {enter: [*into]})
        for link in inner:
            after[self.flow.links[link][0]].append(self.flow.links[link][1])
        for link in exits:
            after[self.flow.links[link][0]].append(leave)
        return {*path_to(leave, dominators(enter, after.__getitem__))[1:-1]}

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
        """Return the run condition of a node, given the conditions of its incoming links."""
        if not into:
            return FALSE
        task, gateway = self.flow.task(node), self.flow.gateway(node)
        expression = task.join if task is not None else gateway.join if gateway is not None else None
        if expression not in {None, *JOINS}:
            try:
                return self._join_condition(read_join(expression or ""), into)
            except GuardSyntaxError as problem:
                if task is not None:
                    self.broken[node] = problem
        waits = joins_all(self.flow.workflow, task) if task else bool(gateway and _waits(gateway.op, gateway.role))
        if not waits:
            return self.space.some(into.values())
        # Links from the same step are alternatives (by outcome or guard). Exceptional outcomes are alternatives to
        # success unless the step declares that it waits for all.
        by_source: dict[int, Node] = {}
        exceptional = FALSE
        for link, condition in into.items():
            source, outcome = (self.flow.links[link][0], self.flow.links[link][2].outcome) if link >= 0 else (-1, "")
            if outcome in EXCEPTIONAL and task is not None and task.join is None:
                exceptional = self.space.either(exceptional, condition)
            else:
                by_source[source] = self.space.either(by_source.get(source, FALSE), condition)
        return self.space.either(exceptional, self.space.every(by_source.values()) if by_source else FALSE)

    def _join_condition(self, formula: Formula, into: Mapping[int, Node]) -> Node:
        """Return the condition of a join expression. The terms of a join expression are ids of steps."""
        match formula:
            case Not(of):
                return self.space.contrary(self._join_condition(of, into))
            case All(parts):
                return self.space.every(self._join_condition(part, into) for part in parts)
            case Some(parts):
                return self.space.some(self._join_condition(part, into) for part in parts)
            case Atom(Term(text), "truthy"):
                conditions = [condition for link, condition in into.items() if self._is_from(link, text)]
                if not conditions:
                    raise GuardSyntaxError(f"no link comes from {text!r}", column=1)
                return self.space.some(conditions)
            case Atom() | Linear():
                raise GuardSyntaxError("a join expression may contain only steps, not values", column=1)

    def _is_from(self, link: int, name: str) -> bool:
        if link < 0:
            return False
        written = self.flow.links[link][2]
        return name.casefold() in {written.source.casefold(), f"{written.source}.{written.outcome}".casefold()}

    def _back(self, link: int) -> bool:
        return self.flow.links[link][2].back

    def _maybe(self, node: int) -> Node:
        """Return an opaque condition (one that is not analysed): a later iteration of a loop reaches a node."""
        text = f"a later pass of the loop reaches {self.flow.labels[node]}"
        return self.space.node(Atom(Term(text, (True, False), opaque=True), "truthy"))

    def _choice(self, names: Sequence[str]) -> list[Node]:
        """Return one condition per exit of a loop: the loop is finally left by this exit."""
        if len(names) < 2:
            return [self.space.node(ALWAYS)] * len(names)
        self.later += 1
        values = tuple(f"{name} ({place})" if name in names[:place] else name for place, name in enumerate(names))
        number = f" ({self.later})" if self.later > 1 else ""
        term = Term(f"the way out of the loop{number}", values)
        return [self.space.node(Atom(term, "==", value)) for value in values]


def _node(space: Space, condition: Formula | Node) -> Node:
    return condition if isinstance(condition, int) else space.node(condition)


def read_join(text: str) -> Formula:
    """Return the formula of a join expression. Ids are quoted first, because "build-image" is not a subtraction."""
    for sign in "()!":
        text = text.replace(sign, f" {sign} ")
    words = text.split()
    return parse(" ".join(word if word.casefold() in _CONNECTIVES else f"«{word}»" for word in words))


_CONNECTIVES = {"and", "or", "not", "&&", "||", "!", "(", ")"}


def _waits(op: str, role: str) -> bool:
    return op == "AND" and role == "join"
