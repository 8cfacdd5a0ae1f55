"""z3 against the cells: where both answer they agree, and where cells answer, z3 does."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.conditions import Atom, Linear, Not, Space, Term, atoms, every, linear, some
from wfgate.conditions.cells import holds
from wfgate.conditions.relations import Relations

from ..hypothesis_examples import examples

pytestmark = pytest.mark.solver

P, Q, R = Term("p"), Term("q"), Term("r")
ENV, SENTENCE = Term("environment"), Term("the tests pass", opaque=True)
PLAIN = st.one_of(
    st.builds(Atom, st.sampled_from([P, Q, R]), st.sampled_from(["==", "<", "<="]), st.integers(0, 2)),
    st.builds(Atom, st.just(ENV), st.sampled_from(["==", "starts"]), st.sampled_from(["a", "ab"])),
)
OPAQUE = st.just(Atom(SENTENCE, "truthy"))
RELATED = st.builds(
    lambda one, other, weight, relation, bound: linear(
        [(one, Fraction(1)), (other, Fraction(weight))], relation, Fraction(bound)
    ),
    st.sampled_from([P, Q]),
    st.just(R),
    st.sampled_from([-1, 1]),
    st.sampled_from(["==", "<", "<="]),
    st.integers(-1, 1),
)


def formulas(leaves):
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(Not), st.lists(inner, max_size=3).map(every), st.lists(inner, max_size=3).map(some)
        ),
        max_leaves=6,
    )


@settings(max_examples=examples(700))
@given(formulas(PLAIN | OPAQUE))
def test_without_relations_both_say_the_same(formula):
    space = Space([formula])
    node = space.node(formula)
    assert Relations().sometimes(space, node).value is space.sometimes(node).value


@settings(max_examples=examples(700))
@given(formulas(PLAIN | OPAQUE | RELATED))
def test_with_relations_no_answer_of_the_cells_is_overturned(formula):
    space = Space([formula])
    node = space.node(formula)
    cells, solved = space.sometimes(node).value, Relations().sometimes(space, node).value
    assert cells is None or cells is solved


@settings(max_examples=examples(300))
@given(formulas(PLAIN.filter(lambda atom: atom.term != ENV) | RELATED))
def test_relations_of_numbers_are_decided_as_enumeration_does(formula):
    space = Space([formula], relations=Relations())
    answer = space.sometimes(space.node(formula))
    grid = [Fraction(value, 2) for value in range(-6, 11)]

    def truth(atom, values):
        if isinstance(atom, Atom):
            return holds(atom, values[atom.term])
        total = sum(weight * values[term] for term, weight in atom.weights)
        return {"==": total == atom.bound, "<": total < atom.bound, "<=": total <= atom.bound}[atom.relation]

    parts = list(dict.fromkeys(atoms(formula)))
    found = False
    for values in product(grid, repeat=3):
        case = dict(zip((P, Q, R), values, strict=True))
        node = space.node(formula)
        while node > 1:
            variable, children = space.branches(node)
            if isinstance(variable.term, Linear):
                node = children[not truth(variable.term, case)]
            else:
                own = [part for part in parts if isinstance(part, Atom) and part.term == variable.term]
                told = [holds(part, case[variable.term]) for part in own]
                node = children[[[holds(part, cell) for part in own] for cell in variable.cells].index(told)]
        if node:
            found = True
            break
    assert answer.value is found
    if found:
        given_values = {"p": 0, "q": 0, "r": 0} | dict(answer.situation.values)
        assert space.given(space.node(formula), given_values) == 1


def test_a_chain_of_relations_leaves_no_room():
    less = [
        linear([(one, Fraction(1)), (other, Fraction(-1))], "<", Fraction(0))
        for one, other in ((P, Q), (Q, R), (R, P))
    ]
    chain = every(less)
    blind = Space([chain])
    assert blind.sometimes(blind.node(chain)).value is None
    space = Space([chain], relations=Relations())
    assert space.sometimes(space.node(chain)).value is False
    pair = every(less[:2])
    answer = space.sometimes(space.node(pair))
    values = dict(answer.situation.values)
    assert answer.value is True
    assert values["p"] < values["q"] < values["r"]
    assert answer.situation.conditions == ("p < q", "q < r")


def test_relations_of_texts_stay_open():
    same = linear([(P, Fraction(1)), (ENV, Fraction(-1))], "==", Fraction(0))
    both = every([same, Atom(ENV, "==", "a")])
    space = Space([both], relations=Relations())
    assert space.sometimes(space.node(both)).value is None
