"""The tables [[rules]] of a configuration, which keep their places from the reading of the file to the run."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from wfgate.rules import PlacedRule, rules_in

_FILE, _LINE = "(file)", "(line)"
"""Keys of a rule of a loaded configuration that say where it is written; in a file they are unknown keys."""


def placed(path: Path, rules: Sequence[dict[str, JsonValue]], content: bytes) -> tuple[dict[str, JsonValue], ...]:
    """Return the rules of a configuration file with their places.

    Raises:
        OwnRuleError: If a rule is invalid.
    """
    known = rules_in({"rules": [*rules]}, content.decode("utf-8-sig"), str(path))
    return tuple({**rule, _FILE: one.file, _LINE: one.line} for rule, one in zip(rules, known, strict=True))


def configured(rules: Iterable[Mapping[str, JsonValue]]) -> tuple[PlacedRule, ...]:
    """Return the rules of a loaded configuration.

    Raises:
        OwnRuleError: If a rule that was not read from a file is invalid.
    """
    made = []
    for rule in rules:
        content: dict[str, Any] = {key: value for key, value in rule.items() if key not in {_FILE, _LINE}}
        (one,) = rules_in({"rules": [content]}, "", str(rule.get(_FILE) or "the configuration"))
        line = rule.get(_LINE)
        made.append(PlacedRule(one.rule, one.file, line if isinstance(line, int) else None))
    return tuple(made)
