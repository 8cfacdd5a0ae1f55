"""Values that formats let people write in several ways: durations, and names with or without options."""

import re
from fractions import Fraction
from typing import Any

from wfgate.read.documents.values import canonical_text

_NUMBER = r"([0-9]{1,15}(?:[.,][0-9]{1,15})?)"
_ISO = re.compile(rf"P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?=[0-9])(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?")
_SECONDS = {
    "hours": Fraction(3600),
    "minutes": Fraction(60),
    "seconds": Fraction(1),
    "milliseconds": Fraction(1, 1000),
}
_UNITS = ("weeks", "days", "hours", "minutes", "seconds")


def duration(value: Any) -> tuple[Fraction, Fraction] | None:
    """Return a duration in days and seconds: ISO 8601, or a mapping of units to numbers. None if it is neither.

    A day is not 24 hours when the clock changes, so days stay days. Months and years are not read.

    Example:
        >>> duration("PT60M") == duration("PT1H") == duration({"hours": 1}) == duration({"minutes": 60})
        True
        >>> duration("P1D") == duration("PT24H"), duration("${ .limit }"), duration("P")
        (False, None, None)
    """
    parts = value
    if isinstance(value, str):
        match = _ISO.fullmatch(value)
        groups = match.groups() if match else ()
        parts = {unit: Fraction(group.replace(",", ".")) for unit, group in zip(_UNITS, groups, strict=False) if group}
    if not isinstance(parts, dict) or not parts or not parts.keys() <= {"weeks", "days", *_SECONDS}:
        return None
    if any(isinstance(number, bool) or not isinstance(number, int | float | Fraction) for number in parts.values()):
        return None
    exact = {unit: Fraction(str(number)) for unit, number in parts.items()}
    days = exact.get("days", Fraction(0)) + 7 * exact.get("weeks", Fraction(0))
    return days, sum((exact[unit] * seconds for unit, seconds in _SECONDS.items() if unit in exact), Fraction(0))


def options(value: Any) -> str | None:
    """Return the options of each name in one name, a list of names or a mapping, as JSON. None if it is none of them.

    Example:
        >>> options("push") == options(["push"]) == options({"push": None}) == options({"push": {}})
        True
    """
    names = [value] if isinstance(value, str) else value
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        names = dict.fromkeys(names)
    if not isinstance(names, dict):
        return None
    return canonical_text({name: None if inner == {} else inner for name, inner in names.items()})
