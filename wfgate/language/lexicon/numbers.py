"""Units, number words and bounds."""

from collections.abc import Iterable

from wfgate.language.lexicon import PhraseList, word_set

# --- Units ---
DAY = 86400.0
YEAR = 365.25 * DAY
MONTH = YEAR / 12
SCALES = {
    "time": {
        0.001: "ms millisecond milliseconds",
        1.0: "s sec secs second seconds",
        60.0: "min mins minute minutes m",
        3600.0: "h hr hrs hour hours",
        DAY: "d day days",
        7 * DAY: "w week weeks",
        14 * DAY: "fortnight fortnights",
        MONTH: "month months m",
        YEAR: "y yr year years",
        10 * YEAR: "decade decades",
    },
    "length": {
        0.001: "mm millimeter millimeters millimetre millimetres",
        0.01: "cm centimeter centimeters centimetre centimetres",
        1.0: "m meter meters metre metres",
        1000.0: "km kilometer kilometers kilometre kilometres",
        0.3048: "ft foot feet",
        0.0254: "inch inches",
        1609.344: "mile miles",
    },
    "mass": {
        0.001: "mg milligram milligrams",
        1.0: "g gram grams",
        1000.0: "kg kilogram kilograms kilo kilos",
        453.59237: "lb lbs pound pounds",
        28.349523125: "oz ounce ounces",
    },
    "volume": {
        1e-9: "nl nanoliter nanoliters nanolitre nanolitres",
        1e-6: "µl ul microliter microliters microlitre microlitres",
        0.001: "ml milliliter milliliters millilitre millilitres",
        1.0: "l liter liters litre litres",
    },
    "data": {
        1e3: "kb kib kilobyte kilobytes",
        1e6: "mb mib megabyte megabytes",
        1e9: "gb gib gigabyte gigabytes",
        1e12: "tb tib terabyte terabytes",
    },
    "share": {0.01: "% percent pct"},
    "concentration": {1e-9: "nm", 1e-6: "µm um"},
    "": {1e6: "m"},
    "money EUR": {1.0: "€ eur euro euros", 0.01: "cent cents"},
    "money USD": {1.0: "$ usd dollar dollars", 0.01: "cent cents"},
    "money GBP": {1.0: "£ gbp pound pounds", 0.01: "penny pence"},
    "money CHF": {1.0: "chf franc francs"},
    "money JPY": {1.0: "jpy yen"},
}
"""The words for each unit, by dimension and size: "m" can be minutes, months, metres or a million."""
PERIODS = {
    "hourly": 3600.0,
    "daily": DAY,
    "nightly": DAY,
    "weekly": 7 * DAY,
    "fortnightly": 14 * DAY,
    "monthly": MONTH,
    "quarterly": 3 * MONTH,
    "yearly": YEAR,
    "annual": YEAR,
    "annually": YEAR,
    "fortnight": 14 * DAY,
    "decade": 10 * YEAR,
}
"""Words that mean a time without a number; after a fraction they are units ("half-hourly")."""
ONE_UNIT = word_set("a an one each every per past last next full whole another")
"""Words before a unit without a number: "a week", "every full hour", "the past year"."""
BEFORE_UNIT = word_set("full whole complete more further additional extra consecutive calendar")
"""Words between a number and its unit: "two full days"."""
CENTS = word_set("cent cents")

# --- Numbers ---
TWO_TO_TEN = "two three four five six seven eight nine ten"
FIRST_TO_TENTH = "first second third fourth fifth sixth seventh eighth ninth tenth"


def _counted(words: str, values: Iterable[float]) -> dict[str, float]:
    return dict(zip(words.split(), map(float, values), strict=True))


ONES = _counted(
    f"zero one {TWO_TO_TEN} eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", range(20)
)
TENS = _counted("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10))
_THOUSANDS = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "billion": 1e9}
LARGE = {"dozen": 12.0, **_THOUSANDS}
COLLECTIVE = {**LARGE, "score": 20.0}
"""Numbers after an article: "a dozen". Otherwise "score" is no number."""
GLUED_LARGE = {"k": 1e3, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9}
"""Large numbers as letters directly after the digits: 2.4k. An "m" has several meanings (see `SCALES`)."""
ORDINALS = {
    **_counted(f"{FIRST_TO_TENTH} eleventh twelfth", range(1, 13)),
    **_counted("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", range(13, 20)),
    **_counted("twentieth thirtieth", (20, 30)),
}
ORDINAL_ENDINGS = word_set("st nd rd th")
FRACTIONS = {
    "half": 0.5,
    "quarter": 0.25,
    "quarters": 0.25,
    **{f"{word}s": 1 / value for word, value in ORDINALS.items() if 2 < value <= 10},
}
GROUPS = {
    **_counted("pair couple both twice double duplicate dozen", [2] * 6 + [12]),
    **_counted("thrice triple triplicate", [3] * 3),
    **_counted("no none nothing without", [0] * 4),
}
WEAK = {**FRACTIONS, **GROUPS, **_THOUSANDS}
"""Words that may not be numbers ("half of them", "both"); they can agree with a number but not contradict one."""
_MONTHS = "january february march april may june july august september october november december"
MONTHS = {
    **_counted(_MONTHS, range(1, 13)),
    **{name[:3]: float(number) for number, name in enumerate(_MONTHS.split(), start=1) if name != "may"},
}
NAMED_TIMES = {"noon": 12, "midday": 12, "midnight": 0}

# --- Bounds ---
BOUNDS = PhraseList("""
at least, no less than, no fewer than, not less than, not fewer than, minimum of, no lower than, not below, not under,
or more, or above, or higher, no earlier than, >=, ≥, =minimum, more than, greater than, larger than, higher than,
over, above, exceeds, exceed, exceeding, older than, longer than, bigger than, beyond, later than, >
|
at most, no more than, not more than, maximum of, up to, or less, or fewer, or below, or lower, no later than, not
later than, no longer than, not exceeding, no higher than, no further than, no farther than, within, =maximum, <=, ≤,
less than, fewer than, smaller than, lower than, under, below, younger than, shorter than, earlier than, <, does not
exceed, not exceed, not over, not above, inside of, at the latest
""")
"""Bounds; they refer only to the number directly after or before them."""
AGES = word_set("older younger newer")
"""Words of bounds that say nothing of a number without a unit: a client "older than 9.8" is one below 9.8."""
ROUGHLY = PhraseList("""
about, around, roughly, approximately, some, circa, or so, nearly, almost, close to, in the region of, more or less,
near
""")
"""Words that make a number rough."""
BEYOND = word_set("than above over exceeds exceed exceeding under below > <")
"""Words before a number that does not belong to the bound: "more than five"."""
UP_TO = word_set("least most from ≥ ≤")
"""Words before a number that does: "at least six"."""
LIMITS = {
    "least": (
        r"at least|(?:no|not) (?:less|fewer|lower|smaller|shorter) than|not (?:under|below)|minimum|>=|\u2265|"
        r"or (?:more|above|over|higher|greater)"
    ),
    "most": (
        r"at (?:the )?most|(?:no|not) (?:more|higher|greater|larger|longer) than|not (?:over|above|exceed\w*)|"
        r"up to|maximum|<=|\u2264|or (?:less|fewer|below|under|lower)"
    ),
    "above": r"more than|greater than|higher than|larger than|exceed\w*|over|above|>",
    "below": r"less than|fewer than|lower than|smaller than|under|below|<",
}
"""Patterns of the bounds of conditions: they tell "at least" from "more than". Longer ones come first."""
