"""Relations between terms, decided by z3 (the extra `solver`): p < q and q < r exclude r < p.

The cells of `wfgate.conditions.space` describe one term at a time. For them a relation between two terms is an
independent variable, true or false. This module decides the same diagrams in linear arithmetic over the reals. The
work is limited by z3's resource count, so the answer does not depend on the speed of the machine.
"""

from fractions import Fraction
from typing import Any, Literal

from wfgate.conditions.answer import NO, Answer, Situation
from wfgate.conditions.formula import Linear, Scalar, Term
from wfgate.conditions.space import TRUE, Node, Space
from wfgate.conditions.variable import Variable
from wfgate.errors import ConfigError, install_extra

SolverName = Literal["cells", "z3"]
"""Who decides about conditions: the cells alone, or z3 where they relate terms to each other."""
RESOURCE_LIMIT = 2_000_000
"""Steps that z3 counts for one question, before the answer stays unknown."""


def load_solver(name: SolverName) -> "Relations | None":
    """Return the solver for relations between terms; None for "cells", which analyses one term at a time.

    Raises:
        ConfigError: If z3 is not installed.
    """
    return Relations() if name == "z3" else None


class Relations:
    """A z3 solver for relations between terms that cells cannot decide; the `relations` of a `Space`.

    Raises:
        ConfigError: If z3 is not installed.
    """

    def __init__(self) -> None:
        try:
            import z3  # noqa: PLC0415 - heavy, and an extra
        except ImportError:
            raise ConfigError("the solver z3 is not installed", fix=install_extra("solver")) from None
        self._z3: Any = z3

    def sometimes(self, space: Space, node: Node) -> Answer:
        """Return whether the node holds in some situation, including relations between numbers.

        Args:
            space: The space of the node.
            node: The condition. Terms that are not analysed are treated as in `Space.sometimes`.
        """
        numeric = {variable.term: variable.numeric for variable in space.support(node)}

        def understood(variable: Variable) -> bool:
            term = variable.term
            return isinstance(term, Linear) and all(numeric.get(part, True) for part, _ in term.weights)

        sure = space.sure(node, understood)
        model = self._model(space, sure)
        if model is not None:
            return Answer(value=True, situation=self._situation(space, sure, model))
        if self._model(space, node, needed=False) is None:
            return NO
        return space.unknown(node)

    def _model(self, space: Space, node: Node, *, needed: bool = True) -> Any:
        """Return a z3 model of the node; None if no model exists, and, if `needed`, also if no model was found."""
        solver = self._z3.Solver()
        solver.set("random_seed", 0)
        solver.set("rlimit", RESOURCE_LIMIT)
        solver.add(self._encoded(space, node, {}))
        for variable in space.support(node):
            solver.add(self._domain(variable))
        found = solver.check()
        if found == self._z3.sat:
            return solver.model()
        return None if needed or found == self._z3.unsat else ()

    def _encoded(self, space: Space, node: Node, done: dict[Node, Any]) -> Any:
        if node <= TRUE:
            return self._z3.BoolVal(node == TRUE)
        if node not in done:
            variable, children = space.branches(node)
            cases = [
                self._z3.And(self._takes(variable, branch), self._encoded(space, child, done))
                for branch, child in enumerate(children)
            ]
            done[node] = self._z3.Or(cases)
        return done[node]

    def _takes(self, variable: Variable, branch: int) -> Any:
        """Return the z3 constraint "this variable takes this branch"."""
        if isinstance(variable.term, Linear):
            holds = self._relation(variable.term)
            return self._z3.Not(holds) if branch else holds
        return self._z3.Int(f"cell of {variable.term.text}") == branch

    def _relation(self, relation: Linear) -> Any:
        total = self._z3.Sum([self._exact(weight) * self._value(term) for term, weight in relation.weights])
        bound = self._exact(relation.bound)
        return {"==": total == bound, "<": total < bound, "<=": total <= bound}[relation.relation]

    def _domain(self, variable: Variable) -> Any:
        """Return the z3 constraint between cell and value of a term; cells of numbers alternate: interval, literal."""
        if isinstance(variable.term, Linear):
            return self._z3.BoolVal(val=True)
        cell, value = self._z3.Int(f"cell of {variable.term.text}"), self._value(variable.term)
        last = len(variable.cells) - 1
        parts = [cell >= 0, cell <= last]
        for place, at in enumerate(variable.cells if variable.numeric else ()):
            if place % 2:
                parts.append((cell == place) == (value == self._exact(at)))
                parts.append((cell < place) == (value < self._exact(at)))
        return self._z3.And(parts)

    def _value(self, term: Term) -> Any:
        return self._z3.Real(f"value of {term.text}")

    def _exact(self, value: Scalar | Fraction) -> Any:
        exact = Fraction(str(value))
        return self._z3.Q(exact.numerator, exact.denominator)

    def _situation(self, space: Space, node: Node, model: Any) -> Situation:
        """Return the situation of a z3 model: the branch of each variable on the path to TRUE."""
        conditions: list[str] = []
        values: dict[str, Scalar] = {}
        while node > TRUE:
            variable, children = space.branches(node)
            chosen = next(
                branch
                for branch in range(len(variable.cells))
                if self._z3.is_true(model.eval(self._takes(variable, branch), model_completion=True))
            )
            conditions.append(
                variable.says(frozenset(at for at, near in enumerate(children) if near == children[chosen]))
            )
            terms = [variable.term] if isinstance(variable.term, Term) else [term for term, _ in variable.term.weights]
            related = isinstance(variable.term, Linear)
            for term in terms:
                if related or (variable.numeric and term.text not in values):
                    exact = model.eval(self._value(term), model_completion=True).as_fraction()
                    values[term.text] = int(exact) if exact.denominator == 1 else float(exact)
                else:
                    values.setdefault(term.text, variable.cells[chosen])
            node = children[chosen]
        return Situation(tuple(conditions), tuple(values.items()))
