"""The tables [[rules]] of a configuration, which keep their places from the reading of the file to the run."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from wfgate.model import SourceSpan
from wfgate.rules import PlacedRule, rules_in

_PLACE = "(place)"
"""Key of a rule of a loaded configuration that says where it is written; in a file it is an unknown key."""


def placed(path: Path, rules: Sequence[dict[str, JsonValue]], content: bytes) -> tuple[dict[str, JsonValue], ...]:
    """Return the rules of a configuration file with their places.

    Raises:
        OwnRuleError: If a rule is invalid.
    """
    known = rules_in({"rules": [*rules]}, content.decode("utf-8-sig"), str(path))
    places = ([one.file, one.span.line, one.span.column] if one.span else [one.file] for one in known)
    return tuple({**rule, _PLACE: [*place]} for rule, place in zip(rules, places, strict=True))


def configured(rules: Iterable[Mapping[str, JsonValue]]) -> tuple[PlacedRule, ...]:
    """Return the rules of a loaded configuration.

    Raises:
        OwnRuleError: If a rule that was not read from a file is invalid.
    """
    made = []
    for rule in rules:
        file, *at = cast("list[Any]", rule.get(_PLACE) or ["the configuration"])
        (one,) = rules_in({"rules": [without_place(rule)]}, "", file)
        made.append(PlacedRule(one.rule, file, SourceSpan(line=at[0], column=at[1]) if at else None))
    return tuple(made)


def without_place(rule: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a rule of a loaded configuration as it is written."""
    return {key: value for key, value in rule.items() if key != _PLACE}
