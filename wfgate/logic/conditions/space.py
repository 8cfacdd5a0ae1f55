"""Decision diagrams over all situations that a set of conditions distinguishes.

A condition becomes a node of a multi-valued reduced ordered decision diagram over the cells of its terms (Bryant 1986,
Srinivasan et al. 1990). Two conditions hold in the same situations if and only if they are the same node. Therefore
"always" and "never" are single nodes, and a path to TRUE is a witness. A relation between two terms has no cells: it
is a separate variable with the values true and false, marked as not analysed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from wfgate.logic.conditions.answer import NO, YES, Answer, Situation
from wfgate.logic.conditions.cells import MAX_PATTERNS, cells_of, holds
from wfgate.logic.conditions.formula import All, Atom, Formula, Linear, Not, Scalar, Some, Term, atoms, words
from wfgate.logic.conditions.variable import Variable, sort_key
from wfgate.model import reach

DEFAULT_BUDGET = 30_000
"""Steps of diagram building before a space gives up."""
MAX_VARIABLES = 400
"""Terms that one diagram can speak of."""

Node = int
"""A condition inside a space; equal conditions are equal numbers."""
_LAST = 1 << 60
"""Place of the ends: behind every variable."""
FALSE: Node = 0
TRUE: Node = 1


class BudgetSpentError(Exception):
    """A diagram exceeds its work limit. Answers that depend on this diagram are unknown."""


class Space:
    """Decision diagrams over the terms of some formulas.

    Args:
        formulas: The formulas of all later queries. Terms with a finite domain may be left out.
        budget: Number of steps before `BudgetSpentError`.

    Example:
        >>> env = Term("environment")
        >>> space = Space([Atom(env, "==", "production")])
        >>> answer = space.always(space.node(Atom(env, "==", "production")))
        >>> answer.value, str(answer.situation)
        (False, "environment != 'production'")
    """

    def __init__(self, formulas: Iterable[Formula], *, budget: int = DEFAULT_BUDGET) -> None:
        self.budget = budget
        self.variables: dict[int, Variable] = {}
        self._place: dict[Term | Linear | Atom, int] = {}
        self._compared: defaultdict[Term, dict[Atom, None]] = defaultdict(dict)
        self._nodes: list[tuple[int, tuple[Node, ...]]] = [(_LAST, ()), (_LAST, ())]
        self._known: dict[tuple[int, tuple[Node, ...]], Node] = {}
        self._done: dict[tuple[str, Node, Node], Node] = {}
        self._formulas: dict[Formula, Node] = {}
        asked: set[Term | Linear] = set()
        for formula in formulas:
            for atom in atoms(formula):
                asked.add(atom if isinstance(atom, Linear) else atom.term)
                if isinstance(atom, Atom):
                    self._compared[atom.term][atom] = None
        # By what they are called, not by when they turn up: a witness must not depend on how links are listed.
        self._rank = {term: 2 * place for place, term in enumerate(sorted(asked, key=sort_key))}

    def node(self, formula: Formula) -> Node:
        """Return the node of a formula.

        Raises:
            BudgetSpentError: If the diagram grows too large.
        """
        if formula not in self._formulas:
            self._formulas[formula] = self._node(formula)
        return self._formulas[formula]

    def both(self, first: Node, second: Node) -> Node:
        """Return the conjunction of two nodes."""
        return self._combined("and", first, second)

    def either(self, first: Node, second: Node) -> Node:
        """Return the disjunction of two nodes."""
        return self._combined("or", first, second)

    def contrary(self, node: Node) -> Node:
        """Return the negation of a node."""
        return self._mapped("not", node, lambda _, children: children, (TRUE, FALSE))

    def every(self, nodes: Iterable[Node]) -> Node:
        """Return the conjunction of some nodes. Of n conditions about different terms it takes n steps."""
        conjunction = TRUE
        for node in self._last_first(nodes):
            conjunction = self.both(conjunction, node)
        return conjunction

    def some(self, nodes: Iterable[Node]) -> Node:
        """Return the disjunction of some nodes. Of n conditions about different terms it takes n steps."""
        disjunction = FALSE
        for node in self._last_first(nodes):
            disjunction = self.either(disjunction, node)
        return disjunction

    def sometimes(self, node: Node) -> Answer:
        """Return whether the node holds in some situation.

        The answer yes holds for all values of the opaque terms (terms that are not analysed). If the node holds only
        for some of these values, the answer is unknown, and its situation names the values.
        """
        if node == FALSE:
            return NO
        sure = self.sure(node)
        if sure != FALSE:
            return Answer(value=True, situation=self.witness(sure))
        situation = self.witness(node)
        return Answer(value=None, situation=situation, because=f"it depends on whether {situation}")

    def sure(self, node: Node) -> Node:
        """Return the part of a condition that holds for all values of its opaque terms."""
        blind = {place for place, variable in self.variables.items() if variable.opaque}
        key = f"sure {sorted(blind)}"

        def whatever(place: int, children: tuple[Node, ...]) -> tuple[Node, ...]:
            return (self.every(children),) * len(children) if place in blind else children

        return self._mapped(key, node, whatever, (FALSE, TRUE))

    def always(self, node: Node) -> Answer:
        """Return whether the node holds in every situation. The answer no has a situation as counterexample."""
        if node == TRUE:
            return YES
        contrary = self.sometimes(self.contrary(node))
        value = None if contrary.value is None else not contrary.value
        return Answer(value, contrary.situation, contrary.because)

    def implies(self, first: Node, second: Node) -> Answer:
        """Return whether the second node holds in every situation in which the first one holds."""
        return self.always(self.either(self.contrary(first), second))

    def exclude(self, first: Node, second: Node) -> Answer:
        """Return whether the two nodes never hold together. The answer no has a situation as counterexample."""
        together = self.sometimes(self.both(first, second))
        value = None if together.value is None else not together.value
        return Answer(value, together.situation, together.because)

    def given(self, node: Node, situation: Mapping[str, Scalar]) -> Node:
        """Return the node restricted to given values of some terms (by the texts of the terms)."""
        chosen = {place: variable.branch(situation) for place, variable in self.variables.items()}

        def known(place: int, children: tuple[Node, ...]) -> tuple[Node, ...]:
            branch = chosen[place]
            return children if branch is None else (children[branch],) * len(children)

        key = "given " + repr(sorted((place, branch) for place, branch in chosen.items() if branch is not None))
        return self._mapped(key, node, known, (FALSE, TRUE))

    def witness(self, node: Node) -> Situation:
        """Return a situation in which the node holds, with as few conditions as possible (opaque ones count first)."""
        costs: dict[Node, tuple[int, int]] = {TRUE: (0, 0)}

        def cost(of: Node) -> tuple[int, int] | None:
            """Return (opaque conditions, all conditions) of the cheapest path to TRUE; None if there is no path."""
            if of == FALSE:
                return None
            if of not in costs:
                place, children = self._nodes[of]
                cheapest: tuple[int, int] | None = None
                for child in set(children):
                    child_cost = cost(child)
                    if child_cost is not None and (cheapest is None or child_cost < cheapest):
                        cheapest = child_cost
                assert cheapest is not None  # noqa: S101 - only FALSE has no way to TRUE
                costs[of] = (cheapest[0] + self.variables[place].opaque, cheapest[1] + 1)
            return costs[of]

        conditions, values, opaque = [], [], 0
        while node > TRUE:
            cost(node)
            place, children = self._nodes[node]
            node = min((child for child in dict.fromkeys(children) if child != FALSE), key=costs.__getitem__)
            chosen = frozenset(branch for branch, child in enumerate(children) if child == node)
            variable = self.variables[place]
            conditions.append(variable.says(chosen))
            opaque += variable.opaque
            if isinstance(variable.term, Term):
                values.append((variable.term.text, variable.cells[min(chosen)]))
        return Situation(tuple(conditions), tuple(values), opaque)

    def words(self, node: Node, limit: int = 4) -> str:
        """Return the condition in words: "always", "never", or its cases joined by "or".

        Args:
            node: The condition.
            limit: Largest number of cases in the text.
        """
        if node in {FALSE, TRUE}:
            return "always" if node == TRUE else "never"
        cases = self._cases(node, limit + 1)
        if len(cases) <= limit:
            return " or ".join(" and ".join(case) for case in cases)
        others = self._cases(self.contrary(node), limit + 1)
        if len(others) <= limit:
            return "unless " + " or ".join(" and ".join(case) for case in others)
        return " or ".join(" and ".join(case) for case in cases[:limit]) + " or in further cases"

    def support(self, node: Node) -> tuple[Variable, ...]:
        """Return the variables that a node depends on."""
        reached = reach([node], lambda near: self._nodes[near][1] if near > TRUE else ())
        places = {self._nodes[near][0] for near in reached if near > TRUE}
        return tuple(self.variables[place] for place in sorted(places))

    def _last_first(self, nodes: Iterable[Node]) -> list[Node]:
        """Return the nodes from the last variable to the first: each one is then put above the finished diagram."""
        return sorted(nodes, key=lambda node: self._nodes[node][0], reverse=True)

    def _cases(self, node: Node, limit: int) -> list[list[str]]:
        if node == TRUE:
            return [[]]
        cases: list[list[str]] = []
        place, children = self._nodes[node]
        for child in dict.fromkeys(children):
            if child == FALSE or len(cases) >= limit:
                continue
            own = self.variables[place].says(frozenset(at for at, near in enumerate(children) if near == child))
            cases += [[own, *rest] for rest in self._cases(child, limit - len(cases))]
        return cases

    def _node(self, formula: Formula) -> Node:
        match formula:
            case Not(of):
                return self.contrary(self.node(of))
            case All(parts):
                return self.every(map(self.node, parts))
            case Some(parts):
                return self.some(map(self.node, parts))
            case Linear():
                place = self._variable(formula, lambda: Variable(formula, (True, False), opaque=True))
                return self._made(place, (TRUE, FALSE))
            case Atom():
                return self._atom(formula)

    def _atom(self, atom: Atom) -> Node:
        term = atom.term
        compared = self._compared[term]
        compared.setdefault(atom)
        patterns = [other for other in compared if other.relation in {"starts", "ends", "contains"}]
        if len(set(patterns)) > MAX_PATTERNS and atom in patterns:
            said_so = Term(words(atom), (True, False), opaque=True)
            place = self._variable(atom, lambda: Variable(said_so, (True, False), opaque=True))
            return self._made(place, (TRUE, FALSE))
        left = [other for other in compared if len(set(patterns)) <= MAX_PATTERNS or other not in patterns]
        place = self._variable(
            term, lambda: Variable(term, cells_of(term, left), tuple(left), term.opaque or not term.stable)
        )
        return self._made(place, tuple(int(holds(atom, value)) for value in self.variables[place].cells))

    def _variable(self, key: Term | Linear | Atom, make: Callable[[], Variable]) -> int:
        if key not in self._place:
            if len(self.variables) >= MAX_VARIABLES:
                raise BudgetSpentError(f"the conditions contain more than {MAX_VARIABLES} terms")
            place = self._rank[key] if isinstance(key, Term | Linear) and key in self._rank else None
            if place is None:  # variables that were not announced come last, in order of appearance
                place = 2 * len(self._rank) + 1 + 2 * len(self.variables)
            self._place[key] = place
            self.variables[place] = make()
        return self._place[key]

    def _made(self, place: int, children: tuple[Node, ...]) -> Node:
        """Return the node with these branches. If all branches lead to the same child, return this child."""
        if len(set(children)) == 1:
            return children[0]
        key = (place, children)
        if key not in self._known:
            self._known[key] = len(self._nodes)
            self._nodes.append(key)
        return self._known[key]

    def _spend(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise BudgetSpentError("the conditions are too complex for the work limit")

    def _combined(self, operator: str, first: Node, second: Node) -> Node:
        absorbing, neutral = (FALSE, TRUE) if operator == "and" else (TRUE, FALSE)
        if absorbing in {first, second}:
            return absorbing
        if first in {neutral, second}:
            return second
        if second == neutral:
            return first
        key = (operator, min(first, second), max(first, second))
        if key not in self._done:
            self._spend()
            (one, ours), (other, theirs) = self._nodes[first], self._nodes[second]
            place = min(one, other)
            width = len(self.variables[place].cells)
            left = ours if one == place else (first,) * width
            right = theirs if other == place else (second,) * width
            joined = map(partial(self._combined, operator), left, right)
            self._done[key] = self._made(place, tuple(joined))
        return self._done[key]

    def _mapped(
        self,
        name: str,
        node: Node,
        change: Callable[[int, tuple[Node, ...]], tuple[Node, ...]],
        ends: tuple[Node, Node],
    ) -> Node:
        """Rebuild a diagram bottom-up: `ends` replace the terminal nodes, `change` the children of each node."""
        if node <= TRUE:
            return ends[node]
        key = (name, node, node)
        if key not in self._done:
            self._spend()
            place, children = self._nodes[node]
            rebuilt = []  # no comprehension: it would cost a second frame for each level of the diagram
            for child in children:
                rebuilt.append(self._mapped(name, child, change, ends))  # noqa: PERF401
            self._done[key] = self._made(place, change(place, tuple(rebuilt)))
        return self._done[key]
