"""What `words` writes, the plain language reads back to the same formula."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.logic import Atom, Formula, Scalar, Term, every, negated, parse, some, words
from wfgate.logic.conditions.formula import linear
from wfgate.logic.conditions.languages.meaning import opaque

from ....hypothesis_examples import examples

NAMES = st.one_of(
    st.sampled_from(["a", "b.c", "steps.flip-coin.outputs.result", "x[0].y", "in", "is", "not", "If", "true", "else"]),
    st.sampled_from(
        ["Service Level", "num-1", "a`b", "it's", 'say "hi"', "a-", "é", "3rd", "starts", "contains", "and"]
    ),
)
TERMS = NAMES.map(Term) | st.sampled_from(["f(x)", "the order is paid", "now() - 3", "a » b", "otherwise"]).map(opaque)
NUMBERS = st.integers(-(10**6), 10**6) | st.decimals(-1000, 1000, places=3).map(float).filter(lambda x: x != int(x))
TEXTS = st.text(max_size=8) | st.sampled_from(["it's", "\\", "a\\'", "true", "3", "\n", "«x»"])
SCALARS: st.SearchStrategy[Scalar] = st.none() | st.booleans() | NUMBERS | TEXTS
ATOMS = st.one_of(
    st.builds(Atom, TERMS, st.just("truthy")),
    st.builds(Atom, TERMS, st.just("=="), SCALARS),
    st.builds(Atom, TERMS, st.sampled_from(["<", "<="]), NUMBERS),
    st.builds(Atom, TERMS, st.sampled_from(["starts", "ends", "contains"]), TEXTS),
)
LINEARS = st.builds(
    linear,
    st.lists(st.tuples(TERMS, st.integers(-5, 5).filter(bool).map(lambda n: 1 if n > 0 else -1)), max_size=3),
    st.sampled_from(["==", "<", "<="]),
    st.integers(-5, 5),
)
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(negated), st.lists(inner, max_size=3).map(every), st.lists(inner, max_size=3).map(some)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(500))
@given(FORMULAS)
def test_words_are_read_back(formula: Formula) -> None:
    assert parse(words(formula)) == formula


@settings(max_examples=examples(300))
@given(FORMULAS)
def test_words_are_read_back_with_the_same_words(formula: Formula) -> None:
    assert words(parse(words(formula))) == words(formula)
