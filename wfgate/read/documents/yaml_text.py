"""YAML to plain data with positions. Scalars follow YAML 1.2; tags and excessive aliases are errors."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import yaml

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Path
from wfgate.read.documents.limits import MAX_ALIASED, MAX_DEPTH, MAX_VALUES
from wfgate.read.documents.positions import Positions
from wfgate.read.documents.values import Unquoted

_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STANDARD = "tag:yaml.org,2002:"
MERGE = f"{_STANDARD}merge"
"""The tag of merge keys (`<<`), which only some formats have."""
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?")
_FIRST = frozenset("-+.0123456789yYnNoOtTfF=<")
"""The first characters of unquoted scalars that may not be texts."""
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_UNSURE = re.compile(
    r"y|n|yes|no|on|off|true|false|null"
    r"|[-+]?0(?:b[01_]+|o[0-7_]+|x[0-9a-f_]+)"
    r"|[-+]?[0-9_]+(?::[0-5]?[0-9])*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?"
    r"|[-+]?\.[0-9_]+(?:e[-+]?[0-9]+)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t].*)?"
    r"|=|<<",
    re.ASCII | re.IGNORECASE,
)
"""What YAML 1.1, YAML 1.2 or a widespread parser reads as a boolean, number or date, or refuses."""
_BREAKS = re.compile("[\x85\u2028\u2029]")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML does not allow, and characters that YAML 1.1 and 1.2 read differently: line breaks in YAML 1.1,
and the byte order mark."""

Scalar = Unquoted | str | int | float | bool | None


class TaggedList(list[Any]):
    """A list with a tag that the caller of the parser allows, such as `!reference [.setup, script]`."""


def parse_yaml(text: str, name: str, tags: Collection[str] = ()) -> tuple[Any, dict[Path, SourceSpan]]:
    """Parse one YAML document.

    An unquoted scalar is true, false, null or a number if YAML 1.1 and 1.2 agree on its value. If they do not (`yes`,
    `0755`, `1e3`, a date), it is the text as it is written, of the type `Unquoted`. Keys are texts, as they are
    written. Aliases are replaced by their values.

    Args:
        text: The YAML text.
        name: Name of the text in errors.
        tags: Tags that lists may have, such as "!reference"; these lists become `TaggedList`. With `MERGE`, merge keys
            (`<<`) are replaced by the entries that they merge.

    Returns:
        The value, and the position of every value by its path. An entry of a mapping has the position of its key.

    Raises:
        FormatError: On a syntax error, a duplicate key, a second document, a tag other than !!str, !!map and !!seq, a
            merge key that is not allowed or that parsers read differently, a key that is not a scalar, a control
            character, a byte order mark, a line break of YAML 1.1 (U+0085, U+2028, U+2029), a number that is not
            finite, too many expanded aliases, an alias that contains itself, nesting deeper than `MAX_DEPTH`, or more
            than `MAX_VALUES` values.

    Cost: linear in the text.

    Example:
        >>> parse_yaml("on: [push, 2024-01-01, 1.5, true]", "example")[0]
        {'on': ['push', Unquoted('2024-01-01'), 1.5, True]}
    """
    builder = _YamlBuilder(text, name, tags)
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
    builder = _YamlBuilder(text, name, tags, finished=[])
    _feed(builder)
    return builder.finished or []


def _feed(builder: "_YamlBuilder") -> None:
    if character := _FORBIDDEN.search(builder.text):
        raise builder.forbidden(character)
    try:
        for event in yaml.parse(builder.text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = mark.index if mark else 0
        said = " ".join(part for part in (problem.problem, problem.context) if part)
        if "maximum nesting depth" in said:  # PyYAML 6.0.4 has a limit of its own, and reads ahead within a line
            raise builder.too_deep(at) from None
        if builder.text[at : at + 1] == "\t":
            raise builder.error("not valid YAML: a tab in the indentation", at, "indent with spaces") from None
        raise builder.template(at) or builder.error(f"not valid YAML: {said}", at, _FIX_SYNTAX) from None


@dataclass(frozen=True)
class YamlSyntax:
    """The result of a syntax check of a text that is rejected as YAML.

    Attributes:
        nested: Whether a list or mapping is inside another one.
        error_line: Line of the first syntax error; None if there is no syntax error.
    """

    nested: bool
    error_line: int | None


def syntax(text: str) -> YamlSyntax:
    r"""Check only the YAML syntax of a text. Tags, merge keys, duplicate keys and several documents are allowed.

    Control characters are ignored, because some other parsers accept them. If the text has line breaks of YAML 1.1,
    the result is that of YAML 1.1 if it has no syntax error, and that of YAML 1.2 otherwise.

    Cost: linear in the text.

    Example:
        >>> syntax("a: {b: 1}\na: {b: 2}"), syntax("a: b: c")
        (YamlSyntax(nested=True, error_line=None), YamlSyntax(nested=False, error_line=1))
    """
    text = _FORBIDDEN.sub(lambda match: match[0] if _BREAKS.match(match[0]) else "_", text)
    checked = _syntax(text)
    return checked if checked.error_line is None or not _BREAKS.search(text) else _syntax(_BREAKS.sub("_", text))


def _syntax(text: str) -> YamlSyntax:
    nested, depth = False, 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            nested = nested or depth > 1
            if depth > MAX_DEPTH:
                break
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        return YamlSyntax(nested, Positions(text).span(mark.index).line if mark else 1)
    return YamlSyntax(nested, None)


class SecondDocumentError(FormatError):
    """A text has a second YAML document, although only one is allowed."""


_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%")
"""A mark of Helm, Go templates or Jinja; `${{` is an expression of GitHub Actions."""
_FIX_SYNTAX = "check the indentation, quotes and brackets at this position"


@dataclass
class _Open:
    """A container that is being filled.

    Attributes:
        untexted: The values of the keys that YAML 1.1 does not read as texts.
        merging: Position of the merge key whose value comes next; None after any other key.
        merged: The keys whose values come from the merge key.
    """

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    key: str | None = None
    untexted: set[Any] = field(default_factory=set)
    merging: int | None = None
    merged: set[str] | None = None
    size: int = 1
    height: int = 1


@dataclass(frozen=True)
class _Anchored:
    value: Any
    size: int = 1
    height: int = 0


@dataclass
class _YamlBuilder:
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
            self._check_anchor(event, at)
            frame = self.open[-1] if self.open else None
            if frame is not None and isinstance(frame.value, dict) and frame.key is None:
                self._key(event, frame, frame.value, at)
            else:
                self._node(event, at)

    def _check_anchor(self, event: yaml.NodeEvent, at: int) -> None:
        """Check that the name of an anchor ends where all parsers end it: `&a?b` is one name in YAML 1.2 only."""
        if event.anchor is None or isinstance(event, yaml.AliasEvent):
            return
        start = self.text.index("&" + event.anchor, at)
        end = start + 1 + len(event.anchor)
        if self.text[end : end + 1] not in {*" \t\r\n,]}", ""}:
            raise self.error(
                f"the name of the anchor &{event.anchor} is not clear", start, "write a space after the name"
            )

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
                raise self.too_deep(at)
            self._remember(event.anchor, None)
            self.open.append(_Open({} if is_map else TaggedList() if tagged else [], path, event.anchor))

    def template(self, at: int) -> FormatError | None:
        """Return the error about a template (Helm, Jinja) with a mark in the line of a syntax error; else None."""
        start, end = self.text.rfind("\n", 0, at) + 1, self.text.find("\n", at)
        mark = _TEMPLATE.search(self.text, start, len(self.text) if end < 0 else end)
        if mark is None:
            return None
        fix = "render it first (for example `helm template`), or write `${{ ... }}` if it is an expression of GitHub"
        return self.error(f"this is a template, not YAML: it has `{mark[0]}`", mark.start(), fix)

    def _key(self, event: yaml.NodeEvent, frame: _Open, mapping: dict[str, Any], at: int) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.template(at) or self.error("a key must be a text", at, "write `key: value`")
        if event.tag not in {None, _STANDARD + "str"}:
            raise self._tag(event.tag, at)
        key = event.value
        if not key and event.implicit[0]:
            raise self.error("the key is empty", at, "write a key, or put the empty text in quotes")
        if key == "<<" and event.implicit[0]:
            if MERGE not in self.tags:
                fix = "replace the merge key by the entries that it merges"
                raise self.error("merge keys (<<) are not supported", at, fix)
            if frame.merged is not None:
                raise self.error("the key '<<' appears twice", at, "write one merge key with a list: <<: [*a, *b]")
            frame.merging = at
        elif frame.merged and key in frame.merged:  # the entry next to the merge key counts
            frame.merged.remove(key)
            del mapping[key]
        elif key in mapping or (event.implicit[0] and _is_known(key, frame.untexted)):
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
            if frame.merging is None:
                frame.value[frame.key or ""] = node.value
            else:
                self._merge(frame, frame.value, node.value, frame.merging)
            frame.key = frame.merging = None
        else:
            frame.value.append(node.value)

    def _merge(self, frame: _Open, mapping: dict[str, Any], value: Any, at: int) -> None:
        """Add the entries of a merge key: of a mapping, or of a list of mappings of which the first counts."""
        frame.merged = set()
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(part, dict):
                raise self.error("a merge key needs a mapping", at, "write an alias of a mapping: <<: *name")
            for key, inner in part.items():
                if key in frame.merged:
                    continue
                if key in mapping or _is_known(key, frame.untexted):
                    message = f"parsers disagree on the entry {key[:80]!r}, which stands before the merge key, too"
                    raise self.error(message, at, "write the merge key as the first entry")
                mapping[key] = inner
                frame.merged.add(key)
                self.spans[(*frame.path, key)] = self.positions.span(at)

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
            raise self.too_deep(at)
        return node

    def _scalar(self, event: yaml.ScalarEvent, at: int) -> Scalar:
        if event.tag not in {None, _STANDARD + "str"}:
            raise self._tag(event.tag, at)
        return self._plain(event.value, at) if event.implicit[0] else str(event.value)

    def _plain(self, value: str, at: int) -> Scalar:
        scalar = resolve(value)
        if isinstance(scalar, float) and not math.isfinite(scalar):
            raise self.error(f"{value[:40]} is not a finite number", at, "write the value as a text in quotes")
        return scalar

    def forbidden(self, character: re.Match[str]) -> FormatError:
        code = f"{ord(character[0]):04X}"
        kind = "line break" if _BREAKS.match(character[0]) else "character" if code > "00A0" else "control character"
        fix = f'remove the character, or write it as "\\u{code}" in double quotes'
        return self.error(f"the {kind} U+{code} is not allowed", character.start(), fix)

    def error(self, message: str, at: int, fix: str) -> FormatError:
        span = self.positions.span(at)
        return FormatError(message, path=self.name, line=span.line, column=span.column, fix=fix)

    def _tag(self, tag: str | None, at: int) -> FormatError:
        return self.error(f"the YAML tag {str(tag)[:80]} is not supported", at, "remove the tag")

    def too_deep(self, at: int) -> FormatError:
        return self.error(f"the data is nested deeper than {MAX_DEPTH} levels", at, "use fewer levels of nesting")


def _is_known(key: str, values: set[Any]) -> bool:
    """Add the value of an unquoted key that YAML 1.1 does not read as a text; return whether it was known.

    `yes` and `on` are one key in YAML 1.1, and so are `1`, `1.0` and `true` in Python.
    """
    value: Any = resolve(key)
    if isinstance(value, Unquoted):
        try:
            value = yaml.load(key, Loader=_LOADER)  # noqa: S506 - a safe loader
        except (yaml.YAMLError, ValueError):
            return False
    if isinstance(value, str):
        return False
    known = value in values
    values.add(value)
    return known


def resolve(text: str) -> Scalar:
    """Return the value of an unquoted scalar; infinity for infinities, NaN and numbers that are too long.

    Example:
        >>> [resolve(word) for word in ("push", "yes", "True", "0x1F", "1.50", "1e3", "1.10.0")]
        ['push', Unquoted('yes'), True, 31, 1.5, Unquoted('1e3'), '1.10.0']
    """
    if text in _WORDS or text[0] not in _FIRST:
        return _WORDS.get(text, text)
    try:
        if _INT.fullmatch(text):
            return int(text, 16 if text[1:2] == "x" else 10)
        if _FLOAT.fullmatch(text):
            return float(text)
    except ValueError:  # more digits than Python converts
        return math.inf
    if _NOT_FINITE.fullmatch(text):
        return math.inf
    return Unquoted(text) if _UNSURE.fullmatch(text) else text
