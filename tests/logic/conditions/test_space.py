"""Decision diagrams against the plain enumeration of all values."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfgate.logic import ALWAYS, FALSE, TRUE, All, Atom, BudgetSpentError, Not, Some, Space, Term, every, negated, some
from wfgate.logic.conditions.cells import cells_of, holds
from wfgate.logic.conditions.formula import NEVER, Linear, linear

from ...hypothesis_examples import examples

P, Q, ENV, FLAG = Term("p"), Term("q"), Term("environment"), Term("flag")
SENTENCE = Term("the tests pass", opaque=True)
COLOUR = Term("colour", ("red", "green", "blue"))
TEXTS = [
    "prod",
    *("".join(text) for size in range(4) for text in product("abcx", repeat=size)),
    "abxc",
    "axab",
    "abxb",
]
NUMBERS = [-3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7]
VALUES = {P: [*NUMBERS, None], Q: NUMBERS, ENV: [*TEXTS, None], FLAG: [True, False], COLOUR: [*COLOUR.values]}

OF_TEXTS = st.one_of(
    st.builds(Atom, st.just(ENV), st.just("=="), st.sampled_from(["a", "prod", "ab", None])),
    st.builds(
        Atom, st.just(ENV), st.sampled_from(["starts", "ends", "contains"]), st.sampled_from(["a", "ab", "b", "c"])
    ),
)
ATOMS = st.one_of(
    OF_TEXTS,
    st.builds(Atom, st.sampled_from([P, Q]), st.sampled_from(["==", "<", "<="]), st.sampled_from([0, 1, 2, 5])),
    st.builds(Atom, st.just(P), st.just("=="), st.none()),
    st.builds(Atom, st.just(FLAG), st.just("truthy")),
    st.builds(Atom, st.just(FLAG), st.just("=="), st.booleans()),
    st.builds(Atom, st.just(COLOUR), st.just("=="), st.sampled_from(COLOUR.values)),
)
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(Not), st.lists(inner, max_size=3).map(every), st.lists(inner, max_size=3).map(some)
    ),
    max_leaves=7,
)


def truth(formula, values):
    match formula:
        case Atom(term):
            return holds(formula, values[term])
        case Not(of):
            return not truth(of, values)
        case All(of):
            return all(truth(part, values) for part in of)
        case Some(of):
            return any(truth(part, values) for part in of)


def situations(space, nodes):
    used = list(dict.fromkeys(variable.term for node in nodes for variable in space.support(node)))
    for values in product(*(VALUES[term] for term in used)):
        yield dict(zip(used, values, strict=True))


@settings(max_examples=examples(300))
@given(FORMULAS, FORMULAS)
def test_every_question_agrees_with_enumeration(first, second):
    space = Space([first, second])
    one, other = space.node(first), space.node(second)
    assume(sum(len(VALUES[v.term]) > 5 for v in {*space.support(one), *space.support(other)}) < 3)
    every_value = {term: values[0] for term, values in VALUES.items()}
    found = [
        (truth(first, every_value | values), truth(second, every_value | values))
        for values in situations(space, [one, other])
    ]
    assert space.sometimes(one).value is any(a for a, _ in found)
    assert space.always(one).value is all(a for a, _ in found)
    assert space.implies(one, other).value is all(b for a, b in found if a)
    assert space.exclude(one, other).value is not any(a and b for a, b in found)
    assert (one == other) is all(a == b for a, b in found)


@settings(max_examples=examples(300))
@given(FORMULAS)
def test_a_witness_is_a_witness(formula):
    space = Space([formula])
    node = space.node(formula)
    answer = space.sometimes(node)
    assume(answer.value)
    case = {term.text: values[0] for term, values in VALUES.items()} | dict(answer.situation.values)
    assert truth(formula, {term: case[term.text] for term in VALUES})
    assert space.given(node, dict(answer.situation.values)) == TRUE
    assert len(answer.situation.conditions) == len(answer.situation.values)


@settings(max_examples=examples(200))
@given(FORMULAS, st.fixed_dictionaries({term: st.sampled_from(values) for term, values in VALUES.items()}))
def test_a_full_situation_decides(formula, values):
    space = Space([formula])
    left = space.given(space.node(formula), {term.text: value for term, value in values.items()})
    assert left == (TRUE if truth(formula, values) else FALSE)


@settings(max_examples=examples(200))
@given(st.lists(OF_TEXTS, max_size=6))
def test_cells_tell_apart_exactly_what_the_comparisons_do(atoms):
    assume(len({atom for atom in atoms if atom.relation in {"starts", "ends", "contains"}}) <= 6)
    cells = cells_of(ENV, atoms)
    of_cells = [tuple(holds(atom, cell) for atom in atoms) for cell in cells]
    letters = ["".join(text) for size in range(5) for text in product("abcx", repeat=size)] + ["prod"]
    letters += ["x".join(parts) for parts in product(["", "a", "ab", "b", "c"], repeat=5)]
    null = [None] if any(atom.value is None for atom in atoms) else []
    possible = {tuple(holds(atom, text) for atom in atoms) for text in [*letters, *null]}
    assert len(set(of_cells)) == len(of_cells) or not atoms
    assert not atoms or set(of_cells) == possible


def test_what_is_not_analysed_is_unknown_unless_it_does_not_matter():
    passes = Atom(SENTENCE, "truthy")
    low = Atom(P, "<", 0)
    space = Space([passes, low])
    unknown = space.always(space.node(passes))
    assert unknown.value is None
    assert str(unknown.situation) == "not «the tests pass»"
    assert unknown.because == "it depends on whether not «the tests pass»"
    assert space.always(space.node(some([passes, negated(passes)]))).value is True
    no = space.always(space.node(every([passes, low])))
    assert (no.value, str(no.situation)) == (False, "p >= 0")
    assert space.sometimes(space.node(every([passes, low]))).value is None


def test_a_relation_between_terms_is_not_analysed_but_keeps_its_contrary():
    less = linear([(P, Fraction(1)), (Q, Fraction(-1))], "<", Fraction(0))
    not_less = linear([(Q, Fraction(1)), (P, Fraction(-1))], "<=", Fraction(0))
    assert isinstance(less, Linear)
    space = Space([less])
    assert space.exclude(space.node(less), space.node(not_less)).value is True
    assert space.sometimes(space.node(less)).value is None
    assert space.given(space.node(less), {"p": 1, "q": 2}) == TRUE
    assert space.given(space.node(less), {"p": 1}) == space.node(less)
    same = linear([(P, Fraction(1)), (Q, Fraction(-1))], "==", Fraction(0))
    assert space.given(space.node(same), {"p": "a", "q": "a"}) == TRUE
    assert space.given(space.node(same), {"p": "a", "q": 1}) == FALSE


def test_what_nobody_can_foresee_is_not_analysed():
    now = Atom(Term("now()", stable=False), "<", 5)
    space = Space([now])
    assert space.sometimes(space.node(now)).value is None


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (ALWAYS, "always"),
        (NEVER, "never"),
        (Atom(P, "<", 0), "p < 0"),
        (negated(Atom(P, "<", 0)), "p >= 0"),
        (every([negated(Atom(P, "<", 0)), Atom(P, "<=", 10)]), "0 <= p <= 10"),
        (negated(Atom(P, "==", 3)), "p != 3"),
        (some([Atom(P, "<", 0), Atom(P, "==", 5)]), "(p < 0 or p == 5)"),
        (Atom(ENV, "==", "prod"), "environment == 'prod'"),
        (
            negated(some([Atom(ENV, "==", "prod"), Atom(ENV, "==", "a")])),
            "environment != 'a' and environment != 'prod'",
        ),
        (some([Atom(ENV, "==", "prod"), Atom(ENV, "==", "a")]), "(environment == 'a' or environment == 'prod')"),
        (Atom(ENV, "starts", "a"), "environment starts with 'a'"),
        (negated(Atom(ENV, "starts", "a")), "not environment starts with 'a'"),
        (
            every([Atom(ENV, "ends", "a"), negated(Atom(ENV, "==", "a"))]),
            "environment ends with 'a' and environment != 'a'",
        ),
        (
            every([Atom(ENV, "starts", "a"), negated(Atom(ENV, "starts", "ab"))]),
            "environment starts with 'a' and not environment starts with 'ab'",
        ),
        (
            some([Atom(ENV, "starts", "a"), Atom(ENV, "starts", "b")]),
            "(environment starts with 'a' or environment starts with 'b')",
        ),
        (Atom(FLAG, "truthy"), "flag"),
        (Atom(FLAG, "==", False), "not flag"),
        (Atom(SENTENCE, "truthy"), "«the tests pass»"),
        (every([Atom(P, "<", 0), Atom(FLAG, "truthy")]), "flag and p < 0"),
        (some([Atom(P, "<", 0), Atom(FLAG, "truthy")]), "flag or not flag and p < 0"),
        (negated(Atom(COLOUR, "==", "red")), "colour != 'red'"),
    ],
)
def test_conditions_in_words(formula, text):
    space = Space([formula])
    assert space.words(space.node(formula)) == text


def test_many_patterns_of_one_term_are_each_a_condition_of_its_own():
    patterns = [Atom(ENV, "starts", letter) for letter in "abcdefgh"]
    space = Space(patterns)
    assert space.always(space.node(some(patterns))).value is None
    assert space.exclude(space.node(patterns[0]), space.node(patterns[1])).value is None


@pytest.mark.parametrize("joined", [every, some])
def test_many_different_terms_take_one_step_each(joined):
    """A step may wait for hundreds of steps, whatever the order of its links."""
    terms = [Atom(Term(f"x{k:03}", (True, False)), "truthy") for k in range(400)]
    for listed in (terms, terms[::-1], terms[1::2] + terms[::2]):
        space = Space(terms, budget=400)
        assert len(space.support(space.node(joined(listed)))) == 400


def test_a_spent_budget_is_an_error_of_its_own():
    # Pairs far apart in the order make a diagram exponential: x1 = y1 and x2 = y2 and ...
    xs, ys = ([Atom(Term(f"{name}{place}"), "truthy") for place in range(16)] for name in "xy")
    equal = [some([every([x, y]), every([negated(x), negated(y)])]) for x, y in zip(xs, ys, strict=True)]
    space = Space([*xs, *ys], budget=10_000)
    space.node(every([*xs, *ys]))
    with pytest.raises(BudgetSpentError):
        space.node(every(equal))
    wide = Space([])
    with pytest.raises(BudgetSpentError):
        wide.every(wide.node(Atom(Term(f"t{place}"), "truthy")) for place in range(1_000))
