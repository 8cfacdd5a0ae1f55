"""Numbers of texts: the same number in other words and units, other numbers, and what is no number."""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfgate.base import READ
from wfgate.language import contradictions, parsed
from wfgate.language.amounts import UNITS, unmatched

from ..hypothesis_examples import examples

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split()  # noqa: SIM905
SAME_UNITS = [
    ("minutes", 60, "seconds"),
    ("hours", 60, "min"),
    ("days", 24, "hours"),
    ("weeks", 7, "days"),
    ("years", 12, "months"),
    ("decades", 10, "years"),
    ("s", 1000, "ms"),
    ("km", 1000, "metres"),
    ("kg", 1000, "g"),
    ("litres", 1000, "ml"),
    ("TB", 1000, "GB"),
    ("euros", 100, "euro cents"),
]
WORDS = """
5 12 2,400 2.4k 6.4m 3/4 1.24 1.30.2 07:50 8:30 0 five twenty hundred two dozen a an half quarter third one in week
weeks days hours m min minutes % percent per cent euros EUR $ am pm p.m. past to and or - \u2013 at night the no not
gp-2 BD5 r6g million daily noon next 20 | . ; , full score 31st first
""".split()  # noqa: SIM905 - a list of quoted words is hard to read
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def read(text):
    return parsed(text).quantities


def lost(text, other):
    return [quantity.text for quantity in unmatched(read(text), read(other)) if not quantity.weak]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("five million", "5M"),
        ("five million euros", "EUR 5m"),
        ("2 million", "2m"),
        ("2,400 users", "2.4k users"),
        ("GBP 6.4m", "6.4 million pounds"),
        ("0.05 EUR", "five euro cents"),
        ("1 cent", "a cent"),
        ("22:00-02:00", "10 pm–2 am"),  # noqa: RUF001
        ("between 07:50 and 16:40", "07:50-16:40"),
        ("from 7 a.m. to 9 p.m.", "07:00-21:00"),
        ("05:30", "half past five"),
        ("16:15", "quarter past four in the afternoon"),
        ("15:45", "quarter to four"),
        ("23:00", "eleven at night"),
        ("12:00", "noon"),
        ("20 percent", "a fifth"),
        ("20 %", "one in five"),
        ("5 % of the patients", "one patient in twenty"),
        ("0.1 %", "one in a thousand"),
        ("100 % of the fare", "the entire fare"),
        ("anyone under 16", "under-16s"),
        ("5 per cent", "0.05"),
        ("24 pods", "two dozen pods"),
        ("12", "a dozen"),
        ("20 servers", "a score of servers"),
        ("7 days", "for a week"),
        ("24 hours", "a full day"),
        ("48 hours", "two full days"),
        ("60 minutes", "an hour"),
        ("90 minutes", "an hour and a half"),
        ("12 months", "the past year"),
        ("18 months", "a year and a half"),
        ("31 days", "a month"),
        ("2 weeks", "a fortnight"),
        ("every 30 min", "half-hourly"),
        ("every 7 days", "weekly"),
        ("one every 60 seconds", "one a minute"),
        ("six aliquots of 0.5 ml", "six half-millilitre aliquots"),
        ("zero rows", "not one row"),
        ("1,200 ms", "1.2 s"),
        ("3-5 days", "three to five days"),
        ("48 to 72 hours", "2-3 days"),
        ("20 February", "the twentieth of February"),
        ("28 days", "twenty-eight days"),
        ("business day 5", "BD5"),
        ("ring 1", "Ring-1"),
    ],
)
def test_the_same_number_in_other_words(one, other):
    assert lost(one, other) == lost(other, one) == []
    assert any(not quantity.weak for quantity in (*read(one), *read(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("08:00", "20:00"),
        ("10 pm", "10 am"),
        ("half past five", "06:30"),
        ("noon", "midnight"),
        ("5 minutes", "5 GB"),
        ("59 months", "60 months"),
        ("7 days", "a month"),
        ("10 days", "a week"),
        ("one year", "6 months"),
        ("5m", "6m"),
        ("2M", "2k"),
        ("100 euros", "100 dollars"),
        ("one in five", "one in ten"),
        ("0 rows", "no later than Monday"),
        ("3-5 days", "3-5 hours"),
    ],
)
def test_another_number(one, other):
    assert lost(one, other)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("20:00", "8 p.m.", True),
        ("90 s", "a minute and a half", True),
        ("12 months", "a year", True),
        ("8:00", "20:00", False),
        ("30 days", "a month", False),
        ("5 cents", "0.05 EUR", False),
        ("5 days", "5", False),
    ],
)
def test_what_can_only_mean_the_same(one, other, equal):
    (first,), (second,) = read(one), read(other)
    assert first.agrees(second)
    assert first.equals(second) == second.equals(first) == equal


@pytest.mark.parametrize(
    "text",
    ["gp-2", "ferry-db-02", "db.r6g.4xlarge", "Ring-1", "SHA-256", "BD1", "5.8.1", "v12", "plants_v11", "DAS28 score"],
)
def test_a_part_of_a_name_is_not_lost(text):
    assert lost(text, "something else") == []


@given(st.integers(1, 14), st.sampled_from(SAME_UNITS))
def test_a_quantity_agrees_with_itself_in_other_units_and_words(count, units):
    large, factor, small = units
    texts = (f"{count} {large}", f"{ONES[count]} {large}", f"{count * factor} {small}", f"{count * factor:,} {small}")
    for one in texts:
        for other in texts:
            assert lost(f"keep {one}", f"keep {other}") == []
    assert lost(texts[0], f"{count * factor + factor} {small}") == [f"{count} {large}"]


@given(st.sampled_from(sorted(UNITS)), st.integers(2, 10**6))
def test_every_unit_agrees_with_itself_and_with_no_unit(unit, count):
    assume(unit not in "$€£")
    assert lost(f"keep {count} {unit}", f"{count:,} {unit}") == lost(f"keep {count} {unit}", f"{count}") == []
    assert lost(f"keep {count} {unit}", f"{count + 1} {unit}")


@settings(max_examples=examples(400))
@given(TEXTS, TEXTS)
def test_agreement_is_symmetric_and_unmatched_is_all_pairs(one, other):
    ours, theirs = read(one), read(other)
    assert all(first.agrees(second) == second.agrees(first) for first in ours for second in theirs)
    assert all(quantity.agrees(quantity) for quantity in ours)
    assert all(first.agrees(second) for first in ours for second in theirs if first.equals(second))
    assert unmatched(ours, theirs) == tuple(
        first for first in ours if not any(first.agrees(second) for second in theirs)
    )
    spans = [(quantity.place, quantity.behind) for quantity in ours]
    assert all(one == two or one[1] <= two[0] for one, two in pairwise(spans))


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("{} ", "{}7 "),
        ("{} days ", "{}7 days "),
        ("5 a.m. ", "6 p.m. to "),
        ("at least {} ", "at most {} "),
        ("half a ", "one in "),
        ("one hundred ", "a dozen "),
        ("Qa-{} ", "Zb-{} "),
        ("Keep it on {}. ", "Drop it off | "),
        ("not keep it ", "unkeep it not "),
        ("1.", "1:"),
    ],
)
def test_hostile_texts_take_linear_time(golden, candidate):
    """With quadratic cost, this takes minutes."""
    texts = ["".join(part.format(number) for number in range(READ)) for part in (golden, candidate)]
    contradictions(*texts)
