"""JSON to plain data with positions. Values are exact; duplicate keys and invalid numbers are errors."""

import json
import math
import re
from typing import Any

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Path
from wfgate.read.documents.limits import MAX_DEPTH, MAX_VALUES
from wfgate.read.documents.positions import Positions

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_CUT = "the text ends before the JSON value is complete"
_FIX_CUT = "close every bracket; if the answer of a model was cut off, generate it anew"
_FIX_OPEN = "close the text with a quote; if the answer of a model was cut off, generate it anew"
_FIX_INNER = 'write a quote inside a text as `\\"`'
_AFTER_CUT = " \t\r\n`"
"""What may stand behind the end of an answer that is cut off: blanks and the fence around it."""
_INNER = re.compile(r"(?<=\")[ \t]*+[^\W\d]")
"""A word behind a closing quote, on the same line: the quote is probably part of the text."""
_COMMENT = re.compile(r"//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)\*/")
_STRINGS = json.JSONDecoder()
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, name: str, *, comments: bool = False) -> tuple[Any, dict[Path, SourceSpan]]:
    """Parse JSON (RFC 8259). The position of an entry of an object is the position of its key.

    Args:
        text: The JSON text.
        name: Name of the text in errors.
        comments: Whether the text is JSON with comments (`.jsonc`): `//`, `/* */`, and a comma after the last value.

    Returns:
        The value, and the position of every value by its path.

    Raises:
        FormatError: On a syntax error, a duplicate key, an invalid number (NaN) or a number that is too large, a lone
            surrogate, nesting deeper than `MAX_DEPTH`, or more than `MAX_VALUES` values.

    Cost: linear in the text.

    Example:
        >>> value, spans = parse_json('{"a": [1, 2]}', "example")
        >>> value, spans["a", 1]
        ({'a': [1, 2]}, SourceSpan(line=1, column=11))
    """
    return _JsonParser(text, name, comments=comments).parse()


def parse_value(text: str, name: str) -> Any:
    """Return the value of `parse_json`, without positions and so in a tenth of the time; errors are the same.

    Example:
        >>> parse_value('{"a": [1, 2]}', "example")
        {'a': [1, 2]}
    """
    try:
        value = _VALUES.decode(text)
        text.encode("utf-8")
    except (ValueError, RecursionError):
        return parse_json(text, name)[0]
    return parse_json(text, name)[0] if _SURROGATE.search(text) or _is_large(value) else value


def _is_large(value: Any) -> bool:
    """Return whether data may be nested too deeply, or have too many values."""
    level, depth, count = [value], 0, 1
    while level := [inner for inner in level if isinstance(inner, dict | list)]:
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        depth, count = depth + 1, count + len(level)
        if depth > MAX_DEPTH or count >= MAX_VALUES:
            return True
    return False


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a key appears twice")
    return values


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("not finite")
    return value


_VALUES = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_finite)


class _JsonParser:
    def __init__(self, text: str, name: str, *, comments: bool) -> None:
        self.text = text
        self.comments = comments
        self.name = name
        self.positions = Positions(text)
        self.at = 0
        self.spans: dict[Path, SourceSpan] = {}
        self.open: list[dict[str, Any] | list[Any]] = []
        self.path: list[str | int] = []

    def parse(self) -> tuple[Any, dict[Path, SourceSpan]]:
        self._skip()
        self.spans[()] = self.positions.span(self.at)
        while True:
            value, complete = self._value()
            if not complete:
                continue
            while self.open:
                self._attach(value)
                if not self._closes():
                    break
                value = self.open.pop()
                self.path.pop()
            else:
                break
        self._skip()
        if self.at < len(self.text):
            raise self._error("there is text after the end of the JSON value", "keep only one JSON value in the file")
        return value, self.spans

    def _value(self) -> tuple[Any, bool]:
        """Read a scalar or an empty container; or open a container and stop before its first value."""
        self._skip()
        if self.text[self.at : self.at + 1] not in {"{", "["}:
            return self._scalar(), True
        if len(self.open) >= MAX_DEPTH:
            raise self._error(f"the data is nested deeper than {MAX_DEPTH} levels", "use fewer levels of nesting")
        container: dict[str, Any] | list[Any] = {} if self.text[self.at] == "{" else []
        closer = "}" if isinstance(container, dict) else "]"
        self.at += 1
        self._skip()
        if self.text[self.at : self.at + 1] == closer:
            self.at += 1
            return container, True
        self.open.append(container)
        self.path.append(0)
        if isinstance(container, dict):
            self._key(container)
        else:
            self._mark(self.at)
        return container, False

    def _check_here(self) -> None:
        """Raise the error about a comment, or about the end of the text, where JSON should go on."""
        if self.at >= len(self.text):
            raise self._error(_CUT, _FIX_CUT)
        if self.comments and self.text.startswith("/*", self.at):
            raise self._error("the comment that begins here has no end", "close the comment with `*/`")
        if self.text.startswith(("//", "/*"), self.at):
            fix = "remove the comments (`//` and `/* */`), or name the file `.jsonc`"
            raise self._error("JSON has no comments", fix)

    def _attach(self, value: object) -> None:
        container = self.open[-1]
        if isinstance(container, dict):
            container[str(self.path[-1])] = value
        else:
            container.append(value)

    def _closes(self) -> bool:
        """Skip the text after a value: the end of its container (True), or a comma and the next key (False)."""
        self._skip()
        container = self.open[-1]
        closer = "}" if isinstance(container, dict) else "]"
        char = self.text[self.at : self.at + 1]
        if char == closer:
            self.at += 1
            return True
        if char != ",":
            fix = f"write a comma between two values and {closer} after the last one"
            if self._is_inner_quote():
                fix = f"{_FIX_INNER}; {fix}"
            self._check_here()
            raise self._error(f"expected ',' or '{closer}'", fix)
        self.at += 1
        self._skip()
        if self.comments and self.text[self.at : self.at + 1] == closer:
            self.at += 1
            return True
        if isinstance(container, dict):
            self._key(container)
        else:
            self.path[-1] = len(container)
            self._mark(self.at)
        return False

    def _key(self, container: dict[str, Any]) -> None:
        start = self.at
        if self.text[start : start + 1] != '"':
            self._check_here()
            raise self._error(
                "expected a key in double quotes", "put each key in double quotes, and remove a comma before }"
            )
        key = self._string()
        if key in container:
            self.at = start
            raise self._error(f"the key {key!r} appears twice", "delete one of the two entries")
        self.path[-1] = key
        self._mark(start)
        self._skip()
        if self.text[self.at : self.at + 1] != ":":
            fix = "write a colon between key and value"
            raise self._error(
                "expected ':' after the key", f"{_FIX_INNER}, and {fix}" if self._is_inner_quote() else fix
            )
        self.at += 1

    def _mark(self, at: int) -> None:
        """Store the position of the value at the current path."""
        if len(self.spans) >= MAX_VALUES:
            raise self._error(
                f"the file has more than {MAX_VALUES:,} values",
                "split the file, for example into one file per workflow",
            )
        self.spans[tuple(self.path)] = self.positions.span(at)

    def _scalar(self) -> str | int | float | bool | None:
        if self.text[self.at : self.at + 1] == '"':
            return self._string()
        number = _NUMBER.match(self.text, self.at)
        if number:
            return self._number(number)
        word = _WORD.match(self.text, self.at)
        if word and word[0] in _LITERALS:
            self.at = word.end()
            return _LITERALS[word[0]]
        if word and not self.open and self.text[word.end() : word.end() + 1].isspace():
            fix = "keep only the JSON; save the answer of a model as `.md`, in which a block of JSON is found"
            raise self._error("the file begins with prose, not with a JSON value", fix)
        if word:
            raise self._error(
                f"{word[0][:40]} is not a JSON value", "use a number, a quoted text, true, false or null"
            )
        self._check_here()
        if self.text.startswith("<", self.at) and not self.open:
            fix = "write the workflow into the file; a server may have answered with an error page"
            raise self._error("this is HTML or XML, not JSON", fix)
        raise self._error("a value is expected here", "remove the extra comma, or put the text in quotes")

    def _number(self, match: re.Match[str]) -> int | float:
        try:
            value = float(match[0]) if match[1] or match[2] else int(match[0])
        except ValueError:
            value = math.inf
        if not math.isfinite(value) if isinstance(value, float) else False:
            raise self._error("the number is too large", "write the number as a text in quotes")
        self.at = match.end()
        return value

    def _string(self) -> str:
        try:
            value, end = _STRINGS.raw_decode(self.text, self.at)
        except json.JSONDecodeError as problem:
            self.at = problem.pos
            if problem.msg.startswith("Invalid control") and not self.text[self.at :].strip(_AFTER_CUT):
                raise self._error(_CUT, _FIX_CUT) from None
            if problem.msg.startswith("Unterminated string"):
                raise self._error("the text that begins here has no end", _FIX_OPEN) from None
            raise self._error(
                f"{problem.msg[:1].lower()}{problem.msg[1:]}",
                "escape the special character, or close the text with a quote",
            ) from None
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise self._error(
                    "the text has an unpaired surrogate, which is not valid Unicode",
                    "replace it by the complete character",
                ) from None
        self.at = end
        return str(value)

    def _is_inner_quote(self) -> bool:
        """Return whether the text before this position ends with a quote that is probably part of it."""
        before = self.text[: self.at].rstrip(" \t") if self.at else ""
        return _INNER.match(self.text, len(before)) is not None

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        while self.comments and (comment := _COMMENT.match(self.text, self.at)):
            space = _SPACE.match(self.text, comment.end())
            self.at = space.end() if space else comment.end()

    def _error(self, message: str, fix: str) -> FormatError:
        span = self.positions.span(self.at)
        return FormatError(message, path=self.name, line=span.line, column=span.column, fix=fix)
