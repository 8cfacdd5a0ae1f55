"""YAML to plain data with positions. Scalars follow YAML 1.2; tags and excessive aliases are errors."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import yaml

from wfgate.documents.document import Path
from wfgate.documents.limits import MAX_ALIASED, MAX_DEPTH, MAX_VALUES
from wfgate.documents.positions import Positions
from wfgate.errors import FormatError
from wfgate.model import SourceSpan

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STANDARD = "tag:yaml.org,2002:"
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "null": type(None),
}
_BREAK_OR_TAB = {"\t", "\n", "\r", "\x85"}
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")

Scalar = str | int | float | bool | None


class TaggedList(list[Any]):
    """A list with a tag that the caller of the parser allows, such as `!reference [.setup, script]`."""


def parse_yaml(text: str, name: str, tags: Collection[str] = ()) -> tuple[Any, dict[Path, SourceSpan]]:
    """Parse one YAML document with YAML 1.2 scalars.

    Only true, false, null, integers and decimals have a type; `on`, `yes` and dates stay text. Keys are texts, as they
    are written. Aliases are replaced by their values.

    Args:
        text: The YAML text.
        name: Name of the text in errors.
        tags: Tags that lists may have, such as "!reference"; these lists become `TaggedList`.

    Returns:
        The value, and the position of every value by its path. An entry of a mapping has the position of its key.

    Raises:
        FormatError: On a syntax error, a duplicate key, a second document, a tag, a merge key, a key that is not a
            scalar, too many expanded aliases, an alias that contains itself, nesting deeper than `MAX_DEPTH`, or more
            than `MAX_VALUES` values.

    Cost: linear in the text.

    Example:
        >>> parse_yaml("on: [yes, 2024-01-01, 1.5, true]", "example")[0]
        {'on': ['yes', '2024-01-01', 1.5, True]}
    """
    builder = _Builder(text, name, tags)
    _feed(builder)
    if builder.documents == 0 or not builder.filled:
        raise FormatError("the file has no content", path=name, line=1, column=1, fix="write a workflow into the file")
    return builder.root, builder.spans


def parse_yaml_stream(text: str, name: str, tags: Collection[str] = ()) -> list[tuple[Any, dict[Path, SourceSpan]]]:
    r"""Parse all YAML documents of a text, for formats with several documents in one file.

    Each document is parsed as by `parse_yaml`. Empty documents are left out.

    Args:
        text: The YAML text.
        name: Name of the text in errors.
        tags: Tags that lists may have.

    Returns:
        For each document, its value, and the position of every value by its path in this document.

    Raises:
        FormatError: In the same cases as `parse_yaml`, except for a second document.

    Cost: linear in the text.

    Example:
        >>> [value for value, _ in parse_yaml_stream("a: 1\n---\n---\nb: 2\n", "example")]
        [{'a': 1}, {'b': 2}]
    """
    builder = _Builder(text, name, tags, finished=[])
    _feed(builder)
    return builder.finished or []


def _feed(builder: "_Builder") -> None:
    try:
        for event in yaml.parse(builder.text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        said = " ".join(part for part in (problem.problem, problem.context) if part)
        raise builder.error(f"not valid YAML: {said}", mark.index if mark else 0, _FIX_SYNTAX) from None
    except yaml.YAMLError:
        raise builder.unprintable() from None


@dataclass(frozen=True)
class Syntax:
    """The result of a syntax check of a text that is rejected as YAML.

    Attributes:
        nested: Whether a list or mapping is inside another one.
        error_line: Line of the first syntax error; None if there is no syntax error.
    """

    nested: bool
    error_line: int | None


def syntax(text: str) -> Syntax:
    r"""Check only the YAML syntax of a text. Tags, merge keys, duplicate keys and several documents are allowed.

    Control characters are ignored, because some other parsers accept them.

    Cost: linear in the text.

    Cost: linear in the text.

    Example:
        >>> syntax("a: {b: 1}\na: {b: 2}"), syntax("a: b: c")
        (Syntax(nested=True, error_line=None), Syntax(nested=False, error_line=1))
    """
    nested, depth = False, 0
    try:
        for event in yaml.parse(_UNPRINTABLE.sub("_", text), Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            nested = nested or depth > 1
            if depth > MAX_DEPTH:
                break
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        return Syntax(nested, Positions(text).span(mark.index).line if mark else 1)
    return Syntax(nested, None)


class SecondDocumentError(FormatError):
    """A text has a second YAML document, although only one is allowed."""


_FIX_SYNTAX = "check the indentation, quotes and brackets at this position"


@dataclass
class _Open:
    """A container that is being filled."""

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    key: str | None = None
    size: int = 1
    height: int = 1


@dataclass(frozen=True)
class _Anchored:
    value: Any
    size: int = 1
    height: int = 0


@dataclass
class _Builder:
    """Builds the data from the events of a parser.

    Attributes:
        tags: Tags that lists may have.
        finished: The finished documents, if the text may have several; None if the text may have only one.
    """

    text: str
    name: str
    tags: Collection[str] = ()
    finished: list[tuple[Any, dict[Path, SourceSpan]]] | None = None
    root: Any = None
    filled: bool = False
    documents: int = 0
    aliased: int = 0
    values: int = 0
    spans: dict[Path, SourceSpan] = field(default_factory=dict)
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchored | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.positions = Positions(self.text)

    def take(self, event: yaml.Event) -> None:
        at = event.start_mark.index if event.start_mark else 0
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1 and self.finished is None:
                error = self.error("a second YAML document begins here", at, "keep one document per file")
                raise SecondDocumentError(
                    error.message, path=error.path, line=error.line, column=error.column, fix=error.fix
                )
        elif isinstance(event, yaml.DocumentEndEvent) and self.finished is not None:
            if self.filled:
                self.finished.append((self.root, self.spans))
            self.root, self.filled, self.spans, self.anchors = None, False, {}, {}
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close()
        elif isinstance(event, yaml.NodeEvent):
            frame = self.open[-1] if self.open else None
            if frame is not None and isinstance(frame.value, dict) and frame.key is None:
                self._key(event, frame, frame.value, at)
            else:
                self._node(event, at)

    def _node(self, event: yaml.NodeEvent, at: int) -> None:
        path = self._next_path(at)
        if isinstance(event, yaml.AliasEvent):
            self._attach(self._follow(event.anchor, at))
        elif isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, at)
            self._remember(event.anchor, _Anchored(value))
            self._attach(_Anchored(value))
        elif isinstance(event, yaml.CollectionStartEvent):
            is_map = isinstance(event, yaml.MappingStartEvent)
            tagged = not is_map and event.tag in self.tags
            if not tagged and event.tag not in {None, _STANDARD + ("map" if is_map else "seq")}:
                raise self._tag(event.tag, at)
            if len(self.open) >= MAX_DEPTH:
                raise self._too_deep(at)
            self._remember(event.anchor, None)
            self.open.append(_Open({} if is_map else TaggedList() if tagged else [], path, event.anchor))

    def _key(self, event: yaml.NodeEvent, frame: _Open, mapping: dict[str, Any], at: int) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.error("a key must be a text", at, "write `key: value`")
        if event.tag not in {None, "!", _STANDARD + "str"}:
            raise self._tag(event.tag, at)
        key = event.value
        if key == "<<" and event.implicit[0]:
            raise self.error(
                "merge keys (<<) are not supported", at, "replace the merge key by the entries that it merges"
            )
        if key in mapping:
            raise self.error(f"the key {key[:80]!r} appears twice", at, "delete one of the two entries")
        self._remember(event.anchor, _Anchored(key))
        frame.key = key
        self._mark((*frame.path, key), at)

    def _next_path(self, at: int) -> Path:
        if not self.open:
            path: Path = ()
        else:
            frame = self.open[-1]
            if isinstance(frame.value, dict):
                return (*frame.path, frame.key or "")
            path = (*frame.path, len(frame.value))
        self._mark(path, at)
        return path

    def _mark(self, path: Path, at: int) -> None:
        """Store the position of the value at a path."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.error(
                f"the file has more than {MAX_VALUES:,} values",
                at,
                "split the file, for example into one file per workflow",
            )
        self.spans[path] = self.positions.span(at)

    def _attach(self, node: _Anchored) -> None:
        if not self.open:
            self.root, self.filled = node.value, node.value is not None
            return
        frame = self.open[-1]
        frame.size += node.size
        frame.height = max(frame.height, node.height + 1)
        if isinstance(frame.value, dict):
            frame.value[frame.key or ""] = node.value
            frame.key = None
        else:
            frame.value.append(node.value)

    def _close(self) -> None:
        frame = self.open.pop()
        node = _Anchored(frame.value, frame.size, frame.height)
        self._remember(frame.anchor, node)
        self._attach(node)

    def _remember(self, anchor: str | None, node: _Anchored | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node

    def _follow(self, anchor: str | None, at: int) -> _Anchored:
        if anchor not in self.anchors:
            raise self.error(f"the alias *{anchor} has no anchor", at, f"define &{anchor} before this alias")
        node = self.anchors[anchor]
        if node is None:
            raise self.error(f"the alias *{anchor} contains itself", at, "replace the alias by the value")
        self.aliased += node.size
        if self.aliased > MAX_ALIASED:
            raise self.error(
                f"the aliases of the file expand to more than {MAX_ALIASED} values", at, "use fewer aliases"
            )
        if len(self.open) + node.height > MAX_DEPTH:
            raise self._too_deep(at)
        return node

    def _scalar(self, event: yaml.ScalarEvent, at: int) -> Scalar:
        tag = event.tag
        if tag == "!":
            return str(event.value)
        if tag is None:
            return self._plain(event.value, at) if event.implicit[0] else str(event.value)
        kind = tag.removeprefix(_STANDARD)
        if not tag.startswith(_STANDARD) or kind not in _KINDS:
            raise self._tag(tag, at)
        value = str(event.value) if kind == "str" else self._plain(event.value, at)
        if not isinstance(value, _KINDS[kind]) or (kind in {"int", "float"} and isinstance(value, bool)):
            raise self.error(f"{event.value[:40]!r} is not of the type {kind}", at, "remove the tag")
        return float(value) if kind == "float" and isinstance(value, int) and abs(value) < 2**53 else value

    def _plain(self, value: str, at: int) -> Scalar:
        scalar = resolve(value)
        if isinstance(scalar, float) and not math.isfinite(scalar):
            raise self.error(f"{value[:40]} is not a finite number", at, "write the value as a text in quotes")
        return scalar

    def unprintable(self) -> FormatError:
        """Return the name of the first character that YAML does not allow."""
        for at, char in enumerate(self.text):
            if not char.isprintable() and char not in _BREAK_OR_TAB and (char < " " or "\x7f" <= char < "\xa0"):
                return self.error(
                    f"the control character U+{ord(char):04X} is not allowed", at, "remove the character"
                )
        for at, char in enumerate(self.text):
            if char in "\ufffe\uffff\ufeff":
                return self.error(f"the character U+{ord(char):04X} is not allowed", at, "remove the character")
        return self.error("not valid YAML", 0, _FIX_SYNTAX)

    def error(self, message: str, at: int, fix: str) -> FormatError:
        span = self.positions.span(at)
        return FormatError(message, path=self.name, line=span.line, column=span.column, fix=fix)

    def _tag(self, tag: str | None, at: int) -> FormatError:
        return self.error(f"the YAML tag {str(tag)[:80]} is not supported", at, "remove the tag")

    def _too_deep(self, at: int) -> FormatError:
        return self.error(f"the data is nested deeper than {MAX_DEPTH} levels", at, "use fewer levels of nesting")


def resolve(text: str) -> Scalar:
    """Return the value of an unquoted YAML 1.2 scalar; infinity for infinities, NaN and numbers that are too long.

    Example:
        >>> [resolve(word) for word in ("yes", "True", "0x1F", "1e3", "1.10.0")]
        ['yes', True, 31, 1000.0, '1.10.0']
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-+.0123456789":
        return text
    try:
        if _INT.fullmatch(text) or _BASED.fullmatch(text):
            return int(text, 0 if text[1:2] in {"o", "x"} else 10)
        if _FLOAT.fullmatch(text):
            return float(text)
    except ValueError:  # more digits than Python converts
        return math.inf
    return math.inf if _NOT_FINITE.fullmatch(text) else text
