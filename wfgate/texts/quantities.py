"""The numbers of a text with their units, in normal form: digits or words, seconds or hours."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wfgate.texts.words import Token, is_content

_SCALES = {
    "time": {
        0.001: "ms millisecond milliseconds",
        1.0: "s sec secs second seconds",
        60.0: "min mins minute minutes",
        3600.0: "h hr hrs hour hours",
        86400.0: "d day days",
        604800.0: "w week weeks",
        2592000.0: "month months",
        31536000.0: "y yr year years",
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
}
UNITS = {
    word: (dimension, scale)
    for dimension, scales in _SCALES.items()
    for scale, words in scales.items()
    for word in words.split()
}


def _counted(words: str, values: Iterable[float]) -> dict[str, float]:
    return dict(zip(words.split(), map(float, values), strict=True))


_ONES = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    range(20),
)
_TENS = _counted("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10))
_LARGE = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "billion": 1e9}
_PARTS = {"half": 0.5, "quarter": 0.25, "quarters": 0.25, "thirds": 1 / 3}
_ORDINALS = _counted(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    range(1, 13),
)
_GROUPS = {
    **_counted("pair couple both twice double duplicate", [2] * 6),
    **_counted("thrice triple triplicate", [3] * 3),
    **_counted("dozen fortnight noon midday midnight", [12, 14, 12, 12, 0]),
}
_MONTHS = {
    **_counted("january february march april may june july august september october november december", range(1, 13)),
    **_counted("jan feb mar apr jun jul aug sep oct nov dec", [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]),
}
_WEAK = {**_PARTS, **_GROUPS, **_LARGE}
"""Words that may not be numbers ("half of them", "both"); they can agree with a number but not contradict one."""
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_GLUED = frozenset({*UNITS, *_ORDINAL_ENDINGS, "am", "pm", "a", "p", "k", "x", "bit"})
_PRECISION = 1e-9
_CALENDAR = 0.02
"""Relative tolerance for calendar units: twelve months are a year."""
_DIGITS = 300
"""Digits of a number that are read; the rest is ignored."""


@dataclass(frozen=True)
class Quantity:
    """A number in a text.

    Attributes:
        value: The value in the base unit of the dimension; without a dimension, the number itself.
        dimension: "time", "length", "share", ...; "" for a number without unit, "clock" for a time of day.
        text: The number and its unit as written.
        near: Stems of the content words next to the number.
        place: Index of the first token.
        behind: Index of the token after the last token.
        weak: Whether the word may not be a number: "one", "both", "half". A weak quantity can agree with a number, but
            not contradict a number.
        ordinal: Whether the number is an ordinal: "third", "5th".
    """

    value: float
    dimension: str
    text: str
    near: frozenset[str]
    place: int
    behind: int
    weak: bool = False
    ordinal: bool = False

    def agrees(self, other: "Quantity") -> bool:
        """Return whether the two quantities can mean the same number."""
        if self.dimension == other.dimension != "clock" and self.dimension:
            return _same(self.value, other.value, _CALENDAR if self.is_calendar or other.is_calendar else _PRECISION)
        return any(_same(a, b) for a in self.readings for b in other.readings)

    @property
    def is_calendar(self) -> bool:
        """Whether the unit has no fixed length (months, years): 36 months are 3 years."""
        return self.text.split()[-1].lower().startswith(("month", "y"))

    @property
    def readings(self) -> tuple[float, ...]:
        """The values that the words can mean: 20:00 can be 8 (in the evening), 3 days can be the number 3."""
        if self.dimension == "clock":
            hours = self.value / 3600
            return (self.value, hours, hours - 12, hours + 12, (hours + 12) * 3600, (hours - 12) * 3600)
        if self.dimension:
            return (self.value, self.value / UNITS[self.text.split()[-1].lower()][1])
        return (self.value,)


def quantities(found: Sequence[Token]) -> tuple[Quantity, ...]:
    """Return the numbers in a text, in order.

    Example:
        >>> from wfgate.texts.words import tokens
        >>> [(q.value, q.dimension) for q in quantities(tokens("keep 3 copies for half an hour, 30 minutes at most"))]
        [(3.0, ''), (1800.0, 'time'), (1800.0, 'time')]
    """
    return tuple(_read(found))


def _read(found: Sequence[Token]) -> Iterator[Quantity]:
    place = 0
    while place < len(found):
        number = _number(found, place)
        if number is None:
            place += 1
            continue
        for value in number.values:
            quantity = _with_unit(found, number, value, place)
            yield quantity
        place = max(quantity.behind, place + 1)


@dataclass(frozen=True)
class _Number:
    """The values of a sequence of tokens ("2021-09-30" has three values), and the index of the token after it."""

    values: tuple[float, ...]
    behind: int
    weak: bool = False
    ordinal: bool = False


def _number(found: Sequence[Token], place: int) -> _Number | None:
    token = found[place]
    word = token.lower
    if token.kind == "number":
        return None if _is_glued(found, place) else _written(found, place)
    if word in _ONES or word in _TENS:
        return _spelled(found, place)
    if word in _ORDINALS:
        return _Number((_ORDINALS[word],), place + 1, weak=word in {"first", "second"}, ordinal=True)
    if word in _MONTHS and token.text[0].isupper():
        return _Number((_MONTHS[word],), place + 1, weak=True)
    return _Number((_WEAK[word],), place + 1, weak=True) if word in _WEAK else None


def _written(found: Sequence[Token], place: int) -> _Number:
    """Parse a number in digits: 12,400; 3/4; 18:00; 1.30.2; 5th; 2 million."""
    values, after = _digits(found[place].text), found[place + 1 : place + 2]
    word = after[0].lower if after else ""
    if word in _ORDINAL_ENDINGS and after[0].start == found[place].end:
        return _Number(values, place + 2, ordinal=True)
    if word in _LARGE:
        return _Number((values[-1] * _LARGE[word],), place + 2)
    if word == "k" and after[0].start == found[place].end:  # 10k users
        return _Number((values[-1] * 1000,), place + 2)
    return _Number(values, place + 1)


def _digits(text: str) -> tuple[float, ...]:
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", text):
        hours, minutes = text.split(":")[:2]
        return (int(hours) * 3600.0 + int(minutes) * 60.0,)
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    if re.fullmatch(r"\d/[1-9]\d?", text):
        above, below = text.split("/")
        return (int(above) / int(below),)
    parts = [text] if re.fullmatch(r"\d+(\.\d+)?", text) else re.findall(r"\d+", text)
    return tuple(float(part[:_DIGITS]) for part in parts)


def _spelled(found: Sequence[Token], place: int) -> _Number:
    """Parse a number in words: two hundred and five; three quarters; ten and a half."""
    total, part, first = 0.0, 0.0, place
    while place < len(found):
        word, after = found[place].lower, "".join(token.lower for token in found[place + 1 : place + 2])
        if word in _ONES or word in _TENS:
            part += _ONES.get(word, 0.0) + _TENS.get(word, 0.0)
        elif word == "hundred":
            part = max(part, 1.0) * _LARGE[word]
        elif word in _LARGE:
            total, part = total + max(part, 1.0) * _LARGE[word], 0.0
        elif word != "and" or part < _LARGE["hundred"] or after not in {*_ONES, *_TENS}:
            break
        place += 1
        if word in _ONES and after in _ONES:
            break
    value = total + part
    words = [token.lower for token in found[place : place + 3]]
    if words == ["and", "a", "half"]:
        return _Number((value + 0.5,), place + 3)
    if place == first + 1 and value and words[:1] and words[0] in _PARTS:
        return _Number((value * _PARTS[words[0]],), place + 1, weak=True)
    return _Number((value,), place, weak=value == 1 and place == first + 1)


def _with_unit(found: Sequence[Token], number: _Number, value: float, place: int) -> Quantity:
    end, dimension, weak = number.behind, "", number.weak
    if ":" in found[place].text:
        dimension = "clock"
        if "".join(token.lower for token in found[end : end + 1]) in {"pm", "p"}:
            value = value % 43200 + 43200
    elif not number.ordinal:
        unit = end + _article(found, end) if found[place].lower in _PARTS else end
        if unit < len(found) and found[unit].lower in UNITS:
            dimension, scale = UNITS[found[unit].lower]
            value, end = value * scale, unit + 1
            weak = weak and found[place].lower not in _PARTS
    text = " ".join(token.text for token in found[place:end])
    return Quantity(value, dimension, text, _near(found, place, end), place, end, weak, number.ordinal)


def _article(found: Sequence[Token], place: int) -> int:
    """Return the number of words between a fraction and its unit: half an hour, a quarter of an hour."""
    words = [token.lower for token in found[place : place + 2]]
    if words[:1] in (["a"], ["an"]):
        return 1
    return 2 if words in (["of", "a"], ["of", "an"]) else 0


def _near(found: Sequence[Token], first: int, end: int) -> frozenset[str]:
    before = [token.stem for token in found[max(0, first - 3) : first] if is_content(token)][-1:]
    after = [token.stem for token in found[end : end + 3] if is_content(token)][:2]
    return frozenset((*before, *after))


def _is_glued(found: Sequence[Token], place: int) -> bool:
    """Return whether a number is part of an identifier ("T96q")."""
    before, after = found[max(0, place - 1)], found[min(place + 1, len(found) - 1)]
    if before.kind == "word" and before.end == found[place].start:
        return True
    return after.kind == "word" and after.start == found[place].end and after.lower not in _GLUED


def _same(first: float, second: float, precision: float = _PRECISION) -> bool:
    return abs(first - second) <= precision * max(abs(first), abs(second))
