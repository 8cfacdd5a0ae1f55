"""The numbers of a text with their units, in normal form: digits or words, seconds or hours, 20:00 or 8 p.m."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from wfgate.language.lexicon.grammar import COMPARING, ENTIRE
from wfgate.language.lexicon.numbers import (
    BEFORE_UNIT,
    CENTS,
    COLLECTIVE,
    DAY,
    FRACTIONS,
    GLUED_LARGE,
    GROUPS,
    LARGE,
    MONTH,
    MONTHS,
    NAMED_TIMES,
    ONE_UNIT,
    ONES,
    ORDINAL_ENDINGS,
    ORDINALS,
    PERIODS,
    SCALES,
    TENS,
    WEAK,
)
from wfgate.language.words import Token, is_content


class Unit(NamedTuple):
    """A unit of a dimension, as a multiple of the base unit; its value as money is "money EUR"."""

    dimension: str
    scale: float


def _units() -> dict[str, tuple[Unit, ...]]:
    meanings: dict[str, list[Unit]] = {}
    for dimension, scales in SCALES.items():
        for scale, words in scales.items():
            for word in words.split():
                meanings.setdefault(word, []).append(Unit(dimension, scale))
    return {word: tuple(units) for word, units in meanings.items()}


UNITS = _units()
"""The meanings of each unit: "5m" can be five minutes, five metres or five million."""
_GLUED = frozenset({*UNITS, *GLUED_LARGE, *ORDINAL_ENDINGS, "am", "pm", "a", "p", "x", "bit"})
_PRECISION = 1e-9
_CALENDAR = 0.02
"""Relative tolerance between days and calendar units: 30 and 31 days are a month."""
_DIGITS = 300
"""Digits of a number that are read; the rest is ignored."""


class Meaning(NamedTuple):
    """A value that a quantity can have.

    Attributes:
        dimension: "time", "share", "money EUR", ...; "" without a unit, "clock" for a time of day.
        value: The value in the base unit of the dimension; for a time of day, seconds since midnight.
        number: The number as written, without its unit; for a time of day, the hour on a clock of twelve hours.
        calendar: Whether the unit has no fixed length (months, years).
    """

    dimension: str
    value: float
    number: float
    calendar: bool = False

    def agrees(self, other: "Meaning") -> bool:
        """Return whether both can be the same value. A number without a unit can have any unit."""
        if self.dimension == other.dimension:
            return _same(self.value, other.value, _PRECISION if self.calendar == other.calendar else _CALENDAR)
        if self.dimension and other.dimension:
            return False
        return any(_same(one, two) for one in self.plain for two in other.plain)

    @property
    def plain(self) -> tuple[float, ...]:
        """The values without a unit: 0.5 or 50 for 50 %, 8 or 20 for 20:00."""
        if self.dimension == "clock":
            return (self.value / 3600, self.number)
        return (self.number, self.value) if self.dimension == "share" else (self.number,)


@dataclass(frozen=True)
class Quantity:
    """A number in a text.

    Attributes:
        meanings: The values that it can have, the likeliest first.
        text: The number and its unit as written.
        near: Stems of the content words next to the number.
        place: Index of the first token.
        behind: Index of the token after the last token.
        weak: Whether the word may not be a number, or is part of a name: "one", "both", "half", "a week", "gp-2". A
            weak quantity can agree with a number, but not contradict a number.
        ordinal: Whether the number is an ordinal: "third", "5th".
    """

    meanings: tuple[Meaning, ...]
    text: str
    near: frozenset[str]
    place: int
    behind: int
    weak: bool = False
    ordinal: bool = False

    @property
    def value(self) -> float:
        """The likeliest value in the base unit of the dimension."""
        return self.meanings[0].value

    @property
    def dimension(self) -> str:
        """The likeliest dimension; "" for a number without a unit."""
        return self.meanings[0].dimension

    def agrees(self, other: "Quantity") -> bool:
        """Return whether the two quantities can mean the same number. Symmetric."""
        return any(one.agrees(two) for one in self.meanings for two in other.meanings)

    def equals(self, other: "Quantity") -> bool:
        """Return whether both can only mean the same: 8 p.m. and 20:00, but not 8:00 and 20:00."""
        if len(self.meanings) > 1 or len(other.meanings) > 1:
            return False
        one, two = self.meanings[0], other.meanings[0]
        return (one.dimension, one.calendar) == (two.dimension, two.calendar) and _same(one.value, two.value)

    def is_of_kind(self, other: "Quantity") -> bool:
        """Return whether both can be of one kind: times, lengths, ordinals, amounts of money in any currency."""
        kinds = [{meaning.dimension.partition(" ")[0] for meaning in each.meanings} for each in (self, other)]
        return self.ordinal == other.ordinal and not kinds[0].isdisjoint(kinds[1])


class Stated:
    """Quantities that were stated, sorted once for any number of questions.

    Args:
        stated: The quantities.
    """

    def __init__(self, stated: Iterable[Quantity]) -> None:
        self._typed: dict[tuple[str, bool], list[float]] = {}
        self._plain: list[float] = []
        for meaning in (meaning for quantity in stated for meaning in quantity.meanings):
            self._typed.setdefault((meaning.dimension, meaning.calendar), []).append(meaning.value)
            self._plain += meaning.plain if meaning.dimension else ()
        for values in (self._plain, *self._typed.values()):
            values.sort()

    def lacks(self, ours: Iterable[Quantity]) -> tuple[Quantity, ...]:
        """Return those of our quantities that agree with none of these. Cost: log n for each."""
        return tuple(one for one in ours if not any(map(self._has, one.meanings)))

    def _has(self, one: Meaning) -> bool:
        alike = _contains(self._typed.get((one.dimension, one.calendar), []), one.value)
        similar = _contains(self._typed.get((one.dimension, not one.calendar), []), one.value, _CALENDAR)
        others = self._typed.get(("", False), []) if one.dimension else self._plain
        return alike or similar or any(_contains(others, value) for value in one.plain)


def unmatched(ours: Collection[Quantity], theirs: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """Return those of our quantities that agree with none of theirs. Cost: n log n."""
    return Stated(theirs).lacks(ours) if ours else ()


def _contains(values: Sequence[float], value: float, precision: float = _PRECISION) -> bool:
    """Return whether sorted values contain one that is the same."""
    place = bisect_left(values, value * (1 - 2 * precision))
    while place < len(values) and values[place] <= value * (1 + 2 * precision):
        if _same(values[place], value, precision):
            return True
        place += 1
    return False


def quantities(tokens: Sequence[Token]) -> tuple[Quantity, ...]:
    """Return the numbers in a text, in order. Cost: linear in the number of tokens.

    Example:
        >>> from wfgate.language.words import tokens
        >>> [(q.value, q.dimension) for q in quantities(tokens("keep 3 copies for half an hour, 30 minutes at most"))]
        [(3.0, ''), (1800.0, 'time'), (1800.0, 'time')]
    """
    return _with_shared_units(list(_read(tokens)), tokens)


def _read(tokens: Sequence[Token]) -> Iterator[Quantity]:
    place = 0
    while place < len(tokens):
        read = _clock(tokens, place) or _share(tokens, place) or _measured(tokens, place) or _single(tokens, place)
        yield from read
        place = read[-1].behind if read else place + 1


def _with_shared_units(read: list[Quantity], tokens: Sequence[Token]) -> tuple[Quantity, ...]:
    """Give the first number of a range the unit of the second: 3-5 days, between 30 and 40 %."""
    for index in range(len(read) - 1):
        first, second = read[index : index + 2]
        between = [token.lower for token in tokens[first.behind : second.place]]
        is_range = between in (["to"], ["and"], ["or"]) or (not between and second.place == first.behind)
        if is_range and not first.ordinal and {meaning.dimension for meaning in first.meanings} == {""}:
            units = [
                meaning for meaning in second.meanings if meaning.dimension not in {"", "clock"} and meaning.number
            ]
            scaled = [
                unit._replace(value=first.value * unit.value / unit.number, number=first.value) for unit in units
            ]
            read[index] = replace(first, meanings=(*scaled, *first.meanings)) if scaled else first
    return tuple(read)


def _lower(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].lower if 0 <= place < len(tokens) else ""


def _quantity(
    tokens: Sequence[Token],
    meanings: Iterable[Meaning],
    span: tuple[int, int],
    *,
    weak: bool = False,
    ordinal: bool = False,
) -> Quantity:
    text = " ".join(token.text for token in tokens[slice(*span)])
    return Quantity(tuple(meanings), text, _near(tokens, *span), *span, weak, ordinal)


# Times of day


def _clock(tokens: Sequence[Token], place: int) -> tuple[Quantity, ...]:
    """Parse a time of day: 18:00; 7 a.m.; half past five; eleven at night; noon."""
    word = tokens[place].lower
    if word in NAMED_TIMES:
        return (_time_of_day(tokens, place, place + 1, NAMED_TIMES[word] * 3600.0, definite=True),)
    written = re.fullmatch(r"(\d{1,2}):(\d\d)(?::\d\d)?", word)
    if written:
        hour, minute = int(written[1]), int(written[2])
        definite = len(written[1]) == 2 or not hour  # 08:00 has 24 hours, 8:00 can be in the evening
        return (_time_of_day(tokens, place, place + 1, hour * 3600.0 + minute * 60, definite=definite),)
    if _lower(tokens, place + 1) == "past" or (word == "quarter" and _lower(tokens, place + 1) == "to"):
        minutes = {"half": 30.0, "quarter": 15.0}.get(word, ONES.get(word, TENS.get(word, 0.0)))
        hour = _hour(tokens, place + 2)
        if hour and minutes:
            seconds = hour * 3600 + (minutes if _lower(tokens, place + 1) == "past" else -minutes) * 60
            return (_time_of_day(tokens, place, place + 3, seconds),)
    hour = _hour(tokens, place)
    if hour and [_lower(tokens, place + 1), _lower(tokens, place + 2)] == ["o", "clock"]:
        return (_time_of_day(tokens, place, place + 3, hour * 3600.0),)
    if hour and _half_day(tokens, place + 1, hour):
        return (_time_of_day(tokens, place, place + 1, hour * 3600.0),)
    return ()


def _hour(tokens: Sequence[Token], place: int) -> int:
    """Return the hour on a clock of twelve hours at a place; 0 if there is none."""
    word = _lower(tokens, place)
    hour = int(word) if re.fullmatch(r"[0-9]{1,2}", word) else int(ONES.get(word, 0))
    return hour if hour <= 12 else 0


def _time_of_day(
    tokens: Sequence[Token], place: int, behind: int, seconds: float, *, definite: bool = False
) -> Quantity:
    half = _half_day(tokens, behind, int(seconds // 3600))
    if half:
        seconds, behind = seconds % (DAY / 2) + half[0], half[1]
    times = [seconds % DAY] if half or definite else [seconds % DAY, (seconds + DAY / 2) % DAY]
    return _quantity(tokens, (Meaning("clock", time, time % (DAY / 2) / 3600) for time in times), (place, behind))


def _half_day(tokens: Sequence[Token], place: int, hour: int) -> tuple[float, int] | None:
    """Return the start of the half of the day in seconds, and the place after its words; None if not told."""
    words = [_lower(tokens, place + ahead) for ahead in range(4)]
    if words[0] in {"am", "pm"}:
        return (0.0 if words[0] == "am" else DAY / 2, place + 1)
    if words[0] in {"a", "p"} and (words[1] == "m" or words[1:3] == [".", "m"]):
        return (0.0 if words[0] == "a" else DAY / 2, place + (2 if words[1] == "m" else 3))
    if words[:2] == ["in", "the"] and words[2] in {"morning", "afternoon", "evening"}:
        return (0.0 if words[2] == "morning" else DAY / 2, place + 3)
    if words[:2] == ["at", "night"]:
        return (0.0 if hour < 6 or hour == 12 else DAY / 2, place + 2)
    return None


# Numbers, with or without a unit


@dataclass(frozen=True)
class _Number:
    """The values of a sequence of tokens ("30/09/2021" has three values), and the index of the token after it."""

    values: tuple[float, ...]
    behind: int
    weak: bool = False
    ordinal: bool = False


def _share(tokens: Sequence[Token], place: int) -> tuple[Quantity, ...]:
    """Parse a part of a whole without a percent sign: one in five, one patient in twenty, a fifth, full."""
    word, after = tokens[place].lower, _lower(tokens, place + 1)
    if word in ENTIRE:
        return (_one_in(tokens, 1.0, (place, place + 1), weak=True),)
    if word in {"a", "one"} and ORDINALS.get(after, 0) > 2:
        return (_one_in(tokens, ORDINALS[after], (place, place + 2), weak=True),)
    start = place + 2 if after == "in" else place + 3
    if word not in {"1", "one"} or _lower(tokens, start - 1) != "in":
        return ()
    whole = _number(tokens, start)
    if whole is None or whole.values[1:] or whole.values[0] < 2 or _unit(tokens, whole.behind)[0]:
        return ()
    if whole.weak and _lower(tokens, start) != "a":  # "one in a thousand"
        return ()
    return (_one_in(tokens, whole.values[0], (place, whole.behind)),)


def _one_in(tokens: Sequence[Token], whole: float, span: tuple[int, int], *, weak: bool = False) -> Quantity:
    return _quantity(tokens, (Meaning("share", 1 / whole, 100 / whole), _bare(whole)), span, weak=weak)


def _bare(value: float) -> Meaning:
    return Meaning("", value, value)


def _measured(tokens: Sequence[Token], place: int) -> tuple[Quantity, ...]:
    number = _number(tokens, place)
    return tuple(_with_unit(tokens, number, value, place) for value in number.values) if number else ()


def _number(tokens: Sequence[Token], place: int) -> _Number | None:
    if place >= len(tokens):
        return None
    token = tokens[place]
    if token.kind == "number":
        return _written(tokens, place)
    if token.lower in ONES or token.lower in TENS:
        return _spelled(tokens, place)
    if token.lower in ORDINALS:
        compound = place + 1 < len(tokens) and tokens[place + 1].joined  # "third-party"
        weak = compound or token.lower in {"first", "second"}
        return _Number((ORDINALS[token.lower],), place + 1, weak, ordinal=True)
    return _vague(tokens, place)


def _vague(tokens: Sequence[Token], place: int) -> _Number | None:
    """Parse words that may be a number: half, both, a dozen, May, not one."""
    word, after = tokens[place].lower, _lower(tokens, place + 1)
    if word in {"a", "an"} and after in COLLECTIVE:
        return _Number((COLLECTIVE[after],), place + 2, weak=True)
    if word == "not" and after in {"one", "a"}:
        return _Number((0.0,), place + 2, weak=True)
    if word == "no" and after in COMPARING:
        return None  # "no later than"
    value = MONTHS.get(word) if tokens[place].text[0].isupper() else None
    value = WEAK.get(word, value)
    return None if value is None else _Number((value,), place + 1, weak=True)


def _written(tokens: Sequence[Token], place: int) -> _Number | None:
    """Parse a number in digits: 12,400; 3/4; 5th; 2 million; 2.4k. A number that is part of a name is weak: gp-2."""
    token, after = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else None
    word = after.lower if after else ""
    glued = after is not None and after.start == token.end and after.kind == "word"
    before = tokens[place - 1] if place else token
    if glued and (word not in _GLUED or (before.kind == "word" and before.end == token.start)):
        return None  # the middle of an identifier: "r6g", "4xlarge"
    values = _digits(token.text)
    if glued and word in ORDINAL_ENDINGS:
        return _Number(values, place + 2, ordinal=True)
    weak = _ends_name(tokens, place) or token.text.count(".") > 1
    if glued and after and after.text == "M":
        return _Number((values[-1] * 1e6,), place + 2, weak)
    if glued and word in GLUED_LARGE:
        return _Number((values[-1] * GLUED_LARGE[word],), place + 2, weak)
    if word in LARGE:
        return _Number((values[-1] * LARGE[word],), place + 2, weak)
    return _Number(values, place + 1, weak)


def _ends_name(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a number is the end of a name: BD5, gp-2, plants_v11. "EUR5" is no name."""
    if not place or tokens[place - 1].kind != "word" or tokens[place - 1].lower in UNITS:
        return False
    return tokens[place - 1].end == tokens[place].start or tokens[place].joined


def _digits(text: str) -> tuple[float, ...]:
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    if re.fullmatch(r"\d/[1-9]\d?", text):
        above, below = text.split("/")
        return (int(above) / int(below),)
    parts = [text] if re.fullmatch(r"\d+(\.\d+)?", text) else re.findall(r"\d+", text)
    return tuple(float(part[:_DIGITS]) for part in parts)


def _spelled(tokens: Sequence[Token], place: int) -> _Number:
    """Parse a number in words: two hundred and five; three quarters; two dozen; ten and a half; the twenty-first."""
    total, part, first = 0.0, 0.0, place
    while place < len(tokens):
        word, after = tokens[place].lower, _lower(tokens, place + 1)
        if word in ONES or word in TENS:
            part += ONES.get(word, 0.0) + TENS.get(word, 0.0)
        elif word in {"dozen", "hundred"}:
            part = max(part, 1.0) * LARGE[word]
        elif word in LARGE:
            total, part = total + max(part, 1.0) * LARGE[word], 0.0
        elif word != "and" or part < LARGE["hundred"] or after not in {*ONES, *TENS}:
            break
        place += 1
        if word in ONES and after in ONES:
            break
    value, word = total + part, _lower(tokens, place)
    if [_lower(tokens, place + ahead) for ahead in range(3)] == ["and", "a", "half"]:
        return _Number((value + 0.5,), place + 3)
    if tokens[place - 1].lower in TENS and ORDINALS.get(word, 10) < 10:
        return _Number((value + ORDINALS[word],), place + 1, ordinal=True)
    if place == first + 1 and word in FRACTIONS and (word.endswith("s") or value == 1):
        return _Number((value * FRACTIONS[word],), place + 1, weak=True)
    return _Number((value,), place, weak=value == 1 and place == first + 1)


def _with_unit(tokens: Sequence[Token], number: _Number, value: float, place: int) -> Quantity:
    word, end = tokens[place].lower, number.behind
    currencies = _currencies(tokens, place - 1)
    units: tuple[Unit, ...] = ()
    if not number.ordinal:
        fraction = word in FRACTIONS
        start = end + (_article(tokens, end) if fraction else _lower(tokens, end) in BEFORE_UNIT)
        units, behind = _unit(tokens, start)
        if fraction and not units:
            units = _period(_lower(tokens, start))
        end = behind if units else end
    if currencies:
        value *= next((unit.scale for unit in units if not unit.dimension), 1.0)  # "EUR 5m"
        units = currencies
    meanings = [_meaning(unit, value) for unit in units] or [_bare(value)]
    weak = number.weak and (not units or word in GROUPS)
    return _quantity(tokens, meanings, (place, end), weak=weak, ordinal=number.ordinal)


def _currencies(tokens: Sequence[Token], place: int) -> tuple[Unit, ...]:
    """Return the currency before a number: $, EUR."""
    if place < 0 or (tokens[place].kind == "word" and not tokens[place].text.isupper()):
        return ()
    return tuple(unit for unit in UNITS.get(tokens[place].lower, ()) if unit.dimension.startswith("money"))


def _meaning(unit: Unit, value: float) -> Meaning:
    if not unit.dimension:
        return _bare(value * unit.scale)
    return Meaning(unit.dimension, value * unit.scale, value, unit.dimension == "time" and unit.scale >= MONTH)


def _unit(tokens: Sequence[Token], place: int) -> tuple[tuple[Unit, ...], int]:
    """Return the meanings of the unit at a place, and the place after it."""
    word, after = _lower(tokens, place), _lower(tokens, place + 1)
    if word == "per" and after == "cent":
        return UNITS["percent"], place + 2
    units = UNITS.get(word, ())
    if after in CENTS and any(unit.dimension.startswith("money") for unit in units):
        return UNITS[after], place + 2  # "five euro cents"
    glued = bool(units) and tokens[place].start == tokens[place - 1].end
    return (units if glued else tuple(unit for unit in units if unit.dimension)), place + 1


def _article(tokens: Sequence[Token], place: int) -> int:
    """Return the number of words between a fraction and its unit: half an hour, a quarter of an hour."""
    words = [token.lower for token in tokens[place : place + 2]]
    if words[:1] in (["a"], ["an"]):
        return 1
    return 2 if words in (["of", "a"], ["of", "an"]) else 0


# Units without a number


def _single(tokens: Sequence[Token], place: int) -> tuple[Quantity, ...]:
    """Parse a unit without a number: a week; an hour and a half; every full hour; weekly."""
    word = tokens[place].lower
    units = _period(word)
    value, end = 1.0, place + 1
    if len(word) > 2 and word in UNITS and {_lower(tokens, place - 1), _lower(tokens, place - 2)} & ONE_UNIT:
        units = UNITS[word]
        if [_lower(tokens, end + ahead) for ahead in range(3)] == ["and", "a", "half"]:
            value, end = 1.5, end + 3
    meanings = [_meaning(unit, value) for unit in units if unit.dimension]
    return (_quantity(tokens, meanings, (place, end), weak=True),) if meanings else ()


def _near(tokens: Sequence[Token], first: int, end: int) -> frozenset[str]:
    before = [token.stem for token in tokens[max(0, first - 3) : first] if is_content(token)][-1:]
    after = [token.stem for token in tokens[end : end + 3] if is_content(token)][:2]
    return frozenset((*before, *after))


def _period(word: str) -> tuple[Unit, ...]:
    """Return the unit that a word such as "daily" means without a number."""
    return (Unit("time", PERIODS[word]),) if word in PERIODS else ()


def _same(first: float, second: float, precision: float = _PRECISION) -> bool:
    return first == second or abs(first - second) <= precision * max(abs(first), abs(second))
