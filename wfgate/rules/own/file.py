"""Reads own rules, with the position of each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from wfgate.errors import OwnRuleError
from wfgate.model import SourceSpan, place_in
from wfgate.rules.own.schema import KINDS, NamedStep, OwnRule, RulesFile

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_HEADER = re.compile(r"^\s*\[\[\s*(?:tool\s*\.\s*wfgate\s*\.\s*)?rules\s*\]\]")


_UNKNOWN = "extra_forbidden"
_OTHER_FORMS = {"string_type", "model_type", "tuple_type"}
"""A step has one of several forms: these say that it does not have one of them, and others say what is wrong."""
_STEP_KEYS = {*KINDS, "step"} - {"only_if", "at_least"}


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
        errors = error.errors(include_url=False, include_context=False)
        mistake = max(errors, key=lambda one: (one["type"] not in _OTHER_FORMS, len(one["loc"])))
        keys = _keys(mistake)
        place = place_in(file, _located(mistake["loc"], keys, lines, headers)) or file
        raise OwnRuleError(f"{place}: {_said(mistake, keys)}", fix=_fix(mistake, keys)) from None
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


def _keys(mistake: "ErrorDetails") -> list[str]:
    """Return the key of a rule that has the mistake, and the key of a step in it."""
    loc = mistake["loc"]
    known = loc[2:] if len(loc) > 1 and isinstance(loc[1], int) else loc
    return [str(one) for one in known if str(one).isidentifier() or (mistake["type"], one) == (_UNKNOWN, loc[-1])]


def _located(
    loc: Sequence[str | int], keys: Sequence[str], lines: Sequence[str], headers: Sequence[int]
) -> SourceSpan | None:
    """Return the position of a key; without one, of the header of its rule, or of inline rules."""
    number = loc[1] if len(loc) > 1 and isinstance(loc[1], int) else None
    start, end = 0, len(lines)
    if number is not None and number < len(headers):
        start, end = headers[number] - 1, [*headers, len(lines) + 1][number + 1] - 1
    at = (start, lines[start].index("[")) if number is not None and headers else None
    for depth, key in enumerate(keys if headers else ["rules", *keys]):
        begin = r"(?:^|[{,])\s*" if depth else r"^\s*(?:\[+\s*)?"
        is_key = re.compile(rf"{begin}(?P<key>[\"']?{re.escape(key)}\b)")
        matches = ((line, is_key.search(lines[line])) for line in range(at[0] if at else start, end))
        at = next(((line, match.start("key")) for line, match in matches if match), at)
    return at and _span(at[0] + 1, at[1])


def _said(mistake: "ErrorDetails", keys: Sequence[str]) -> str:
    what = mistake["msg"].removeprefix("Value error, ")
    if mistake["type"] == _UNKNOWN:
        what = "unknown key"
    elif mistake["type"] in _OTHER_FORMS and len(keys) == 1 and keys[0] in _STEP_KEYS:
        what = "not a step: give a text, a table of the keys of a step, or a list of them"
    return f"{'.'.join(keys)}: {what}" if keys else what


def _span(line: int, column: int) -> SourceSpan:
    return SourceSpan(line=line, column=column + 1)


def _fix(mistake: "ErrorDetails", keys: Sequence[str]) -> str:
    if mistake["type"] == _UNKNOWN:
        if len(mistake["loc"]) == 1:
            return "write each rule as a table [[rules]]"
        known = NamedStep.model_fields if len(keys) > 1 else OwnRule.model_fields
        if near := get_close_matches(keys[-1], known, n=1):
            return f"did you mean `{near[0]}`?"
    if mistake["type"] == "missing" and mistake["loc"][-1] == "id":
        return 'give each rule an id, such as id = "backup-first"'
    return "see docs/own-rules.md, or `wfgate schema rules`"
