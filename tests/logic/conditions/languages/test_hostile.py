"""Whatever the text: a formula or a GuardSyntaxError, in time that grows with the text."""

import json
from collections.abc import Iterable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.logic import Formula, GuardSyntaxError, parse, words
from wfgate.logic.conditions.languages.node import MAX_DEPTH, MAX_LENGTH
from wfgate.model import Language

from ....hypothesis_examples import examples

LANGUAGES = get_args(Language)
WORDS = r"""
a b.c x-y ( ) [ ] { } {{ }} ${{ ${ #{ {% %} = == != === !== < <= > >= && || ! and or not in between like is null
starts with contains exists empty some every satisfies for if then else return function new => ? : ?? ?. . .. , ;
+ - * / % ** & | ~> 'a' "b" ' " `c` ` « » 1 2.5 1e5 0x1f 1e999 true false None $ $json $json.x $states.input.y
startsWith( contains( fromJSON( '["a"]' success() always() $('N').item.json.z .includes( .length now()
$exists( asInt( date and time( =~ heads unless when \ @ # é İ ß /x/.test( /[
"""
PIECES = [*WORDS.split(), "\n", "\t", " "]
NAMES = """
Variable And Or Not Next Condition StringEquals NumericLessThan NumericLessThanPath BooleanEquals IsPresent IsNull
StringMatches TimestampEquals conditions combinator combineOperation string number boolean dateTime value1 value2
operation leftValue rightValue operator type options caseSensitive dataType
"""
KEYS = NAMES.split()
VALUES = st.one_of(
    st.sampled_from(
        ["$.a", "$.b[0]", "=x", "={{ $json.x }}", "={{ $json.x > 1 }}", "={{ a b", "{% $x > 5 %}", "{% $x", "equal"]
    ),
    st.sampled_from(
        ["and", "any", "larger", "notContains", "notEmpty", "before", "true", "string", "number", "array"]
    ),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
)
RULES = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
CHOICES = st.recursive(
    st.builds(
        lambda path, operator, value: {"Variable": path, operator: value},
        st.sampled_from(["$.a", "$.b[0]", "$$.c", "$d", "States.UUID()", "$..x[?(@.y)]"]),
        st.sampled_from([key for key in KEYS if key[0] in "SNBTI"]),
        st.sampled_from([True, 3, 2.5, "x", "*x*", "$.y", "2020-01-01T00:00:00Z"]) | VALUES,
    ),
    lambda inner: st.one_of(
        inner.map(lambda rule: {"Not": rule, "Next": "x"}),
        st.lists(inner, min_size=1, max_size=3).map(lambda rules: {"And": rules}),
        st.lists(inner, min_size=1, max_size=3).map(lambda rules: {"Or": rules}),
    ),
    max_leaves=5,
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    RULES.map(json.dumps),
    CHOICES.map(json.dumps),
)

MARKS = {"github": ("${{", "}}"), "argo": ("{{=", "}}"), "asl": ("{%", "%}"), "n8n": ("={{", "}}")}
"""What stands around an expression in a language."""


def attempt(text: str, language: Language) -> Formula | None:
    try:
        return parse(text, language)
    except GuardSyntaxError as refused:
        problem = refused
    assert problem.message
    assert 1 <= problem.column <= len(text) + 1
    return None


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=examples(400))
@given(text=TEXTS)
def test_nothing_but_a_syntax_error_is_raised(text: str, language: Language) -> None:
    found = attempt(text, language)
    if found is not None:
        assert found == parse(text, language)
        words(found)
        hash(found)


BOMBS = {
    "parentheses": "(" * 9000 + "a" + ")" * 9000,
    "open parentheses": "(" * MAX_LENGTH,
    "brackets": "[" * MAX_LENGTH,
    "braces": "{" * MAX_LENGTH,
    "nested json": '{"Not":' * 2500,
    "nested list": '{"And":[' * 2000,
    "not": "!" * (MAX_LENGTH - 1) + "a",
    "not in words": "not " * 4900 + "a",
    "minus": "-" * (MAX_LENGTH - 1) + "1",
    "and": " and ".join(["a"] * 2800),
    "&&": "&&".join(["a"] * 6000),
    "plus": "+".join(["a"] * 9000) + "<3",
    "times": "*".join(["9" * 100] * 190) + "<3",
    "quotients": "+".join(f"1/{n}" for n in range(1001, 3500)) + " < x",
    "path": ".".join(["a"] * 9000),
    "calls": "a" + "()" * 9000,
    "nested calls": "f(" * 6000 + "a" + ")" * 6000,
    "choices": "a?b:" * 4900 + "c",
    "nested choices": "(" * 90 + "a" + "?b:c)" * 90,
    "equalities": "(a>1)" + "==(b>1)" * 2000,
    "between": "x" + " between 1 and 2" * 45,
    "chain": "(" * 90 + "a < b" + " < c) < d" * 90,
    "list": "x in [" + ",".join(["1"] * 9000) + "]",
    "long left": "f(" + "a" * 9000 + ") in [" + ",".join(["1"] * 5000) + "]",
    "quotes": "'" * (MAX_LENGTH - 1),
    "backslashes": "'" + "\\" * (MAX_LENGTH - 2),
    "templates": "{{a}}" * 4000,
    "open templates": "{{=" * 6000,
    "arrows": "a=>" * 6000,
    "slashes": "/" * MAX_LENGTH,
    "blanks": " " * (MAX_LENGTH - 1) + "x",
    "words": "a " * 9999,
    "classes": "(/[" * 6000,
    "comments": "a /* " * 3900,
    "some": "some " * 3900,
    "digits": "9" * MAX_LENGTH,
    "exponent": "x < 1e99999999",
    "tiny": "x < 1e-99999999",
    "too long": "a" * (MAX_LENGTH + 1),
    "too long prose": "a b " * MAX_LENGTH,
    "empty": "",
    "blank": " \n",
}
LARGE = {"plus", "quotients", "list", "long left", "&&", "times"}
"""Bombs of which a language may read every term."""


NO_FORMULA = {"too long", "too long prose", "empty", "blank", "open parentheses", "nested list", "quotes"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_bombs_do_not_go_off(language: Language) -> None:
    assert not understood(BOMBS.keys() - LARGE, language) & NO_FORMULA


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_bomb_goes_off_with_and_without_marks(language: Language) -> None:
    assert not understood(BOMBS, language) & NO_FORMULA
    if language in MARKS:
        assert not understood(BOMBS, language, ("", "")) & NO_FORMULA


def understood(bombs: Iterable[str], language: Language, marks: tuple[str, str] | None = None) -> set[str]:
    """Return the names of the bombs that are formulas; the others are refused as `attempt` checks."""
    opening, closing = marks or MARKS.get(language, ("", ""))
    formulas = {name: attempt(opening + BOMBS[name] + closing, language) for name in bombs}
    for found in filter(None, formulas.values()):
        words(found)
    return {name for name, found in formulas.items() if found is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_and_too_much_are_refused(language: Language) -> None:
    for text in ("", "  \n", "a" * (MAX_LENGTH + 1), "a b " * MAX_LENGTH):
        with pytest.raises(GuardSyntaxError):
            parse(text, language)


def test_depth_is_bounded_where_it_says() -> None:
    fine = MAX_DEPTH - 1
    parse("(" * fine + "a" + ")" * fine)
    with pytest.raises(GuardSyntaxError, match=f"deeper than {MAX_DEPTH}") as refused:
        parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)
    assert refused.value.column == MAX_DEPTH + 1
