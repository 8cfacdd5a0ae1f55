"""Reads own rules, with the position of each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pydantic import ValidationError

from wfgate.errors import OwnRuleError
from wfgate.model import SourceSpan, place_in
from wfgate.rules.own.schema import OwnRule, RulesFile

_HEADER = re.compile(r"^\s*\[\[\s*(?:tool\s*\.\s*wfgate\s*\.\s*)?rules\s*\]\]")


@dataclass(frozen=True)
class PlacedRule:
    """A rule and where it is written.

    Attributes:
        rule: The rule.
        file: Its file.
        span: Position of its header; None if it has none (an inline table).
    """

    rule: OwnRule
    file: str
    span: SourceSpan | None = None

    @property
    def place(self) -> str:
        """File, line and column."""
        return str(place_in(self.file, self.span) or self.file)


def rules_in(table: Mapping[str, Any], text: str, file: str) -> tuple[PlacedRule, ...]:
    """Return the rules in the table `rules` of a TOML file.

    Args:
        table: The values of the file; other keys than `rules` are errors.
        text: The text of the file, for positions.
        file: Its name, for messages.

    Raises:
        OwnRuleError: If a key is unknown, a value is wrong, or two rules have one id.
    """
    lines = text.split("\n")  # as TOML counts them
    headers = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    try:
        rules = RulesFile.model_validate(table).rules
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        what = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        key, span = _located(first["loc"], lines, headers)
        place = place_in(file, span) or file
        raise OwnRuleError(f"{place}: {f'{key}: ' if key else ''}{what}", fix=_fix(first)) from None
    spans = [_span(line, lines[line - 1].index("[")) for line in headers]
    placed = tuple(PlacedRule(rule, file, span) for rule, span in zip_longest(rules, spans[: len(rules)]))
    require_one_each(placed)
    return placed


def require_one_each(rules: Iterable[PlacedRule]) -> None:
    """Raise an error if two rules have one id.

    Raises:
        OwnRuleError: With the places of both.
    """
    seen: dict[str, PlacedRule] = {}
    for one in rules:
        if (other := seen.setdefault(one.rule.id, one)) is not one:
            raise OwnRuleError(
                f"{one.place}: the rule {one.rule.id!r} is already in {other.place}", fix="rename one of them"
            )


def _located(loc: Sequence[str | int], lines: Sequence[str], headers: Sequence[int]) -> tuple[str, SourceSpan | None]:
    """Return the key that has a mistake, and its position: of the key, or else of the header of its rule."""
    number = loc[1] if len(loc) > 1 and isinstance(loc[1], int) else None
    key = str(loc[0] if number is None else loc[2] if len(loc) > 2 else "")
    start, end = 1, len(lines)
    if number is not None:
        if number >= len(headers):
            return key, None
        start, end = headers[number], [*headers, len(lines) + 1][number + 1] - 1
    is_key = re.compile(rf"\s*(?:\[+\s*)?(?P<key>[\"']?{re.escape(key)}\b)")
    for line in range(start, end + 1 if key else start):
        if match := is_key.match(lines[line - 1]):
            return key, _span(line, match.start("key"))
    return key, None if number is None else _span(start, lines[start - 1].index("["))


def _span(line: int, column: int) -> SourceSpan:
    return SourceSpan(line=line, column=column + 1)


def _fix(first: Any) -> str:
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        return "write each rule as a table [[rules]]"
    if first["type"] == "missing" and first["loc"][-1] == "id":
        return 'give each rule an id, such as id = "backup-first"'
    return "see docs/own-rules.md, or `wfgate schema rules`"
