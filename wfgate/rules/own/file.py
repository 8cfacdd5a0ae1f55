"""Reads own rules, with the line of each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from wfgate.errors import OwnRuleError
from wfgate.rules.own.schema import OwnRule, RulesFile

_HEADER = re.compile(r"^\s*\[\[\s*(?:tool\s*\.\s*wfgate\s*\.\s*)?rules\s*\]\]")


@dataclass(frozen=True)
class PlacedRule:
    """A rule and where it is written.

    Attributes:
        rule: The rule.
        file: Its file.
        line: Line of its header; None if it has none (an inline table).
    """

    rule: OwnRule
    file: str
    line: int | None = None

    @property
    def place(self) -> str:
        """File and line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def rules_in(table: Mapping[str, Any], text: str, file: str) -> tuple[PlacedRule, ...]:
    """Return the rules in the table `rules` of a TOML file.

    Args:
        table: The values of the file; other keys than `rules` are errors.
        text: The text of the file, for positions.
        file: Its name, for messages.

    Raises:
        OwnRuleError: If a key is unknown, a value is wrong, or two rules have one id.
    """
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    try:
        rules = RulesFile.model_validate(table).rules
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        what = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        raise OwnRuleError(_said(first["loc"], what, lines, headers, file), fix=_fix(first)) from None
    placed = []
    seen: dict[str, PlacedRule] = {}
    for number, rule in enumerate(rules):
        one = PlacedRule(rule, file, headers[number] if number < len(headers) else None)
        if (other := seen.setdefault(rule.id, one)) is not one:
            raise OwnRuleError(
                f"{one.place}: the rule {rule.id!r} is already in {other.place}", fix="rename one of them"
            )
        placed.append(one)
    return tuple(placed)


def _said(loc: Sequence[str | int], what: str, lines: Sequence[str], headers: Sequence[int], file: str) -> str:
    """Return the message of a mistake: file, line of the key, key, and what is wrong."""
    number = loc[1] if len(loc) > 1 and isinstance(loc[1], int) else None
    key = str(loc[0] if number is None else loc[2] if len(loc) > 2 else "")
    start, end = 1, len(lines)
    if number is not None and number < len(headers):
        start = headers[number]
        end = headers[number + 1] - 1 if number + 1 < len(headers) else len(lines)
    is_key = re.compile(rf"^\s*(?:\[+\s*)?[\"']?{re.escape(key)}\b") if key else None
    known = headers[number] if number is not None and number < len(headers) else None
    line = next((at for at in range(start, end + 1) if is_key and is_key.match(lines[at - 1])), known)
    return f"{file}{f':{line}' if line else ''}: {f'{key}: ' if key else ''}{what}"


def _fix(first: Any) -> str:
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        return "write each rule as a table [[rules]]"
    if first["type"] == "missing" and first["loc"][-1] == "id":
        return 'give each rule an id, such as id = "backup-first"'
    return "see docs/own-rules.md, or `wfgate schema rules`"
