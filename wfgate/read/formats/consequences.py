"""What a changed value means: one table per format, from path patterns to classes.

The tables are data (`wfgate/data/consequences/FORMAT.toml`). A pattern is a path in the file with dots between keys;
`*` matches one key, `**` any number of keys, `|` separates alternatives of one key, and a key with dots is in quotes.
Positions in lists are left out of paths. The most specific pattern decides; a path that no pattern matches has the
class "unknown". Classes under `dialects` are those of one way to write the format.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Literal, get_args

from pydantic import Field, PrivateAttr

from wfgate.model import Frozen, Language
from wfgate.read.documents.document import Key, Path
from wfgate.read.formats.spellings import duration, options

_QUOTES = ("'", '"', "`")
_ESCAPED = re.compile(r"\\(.)")

Class = Literal[
    "secret", "effect", "argument", "identity", "unknown", "reference", "structure", "text", "presentation"
]
"""What a value is for.

- effect: it decides what runs, where, with which rights, or what happens on a failure.
- secret: as effect; the value is not shown.
- argument: an argument in the terms of the model. Executed values, and another number, switch or word, have an effect;
  equal values in other words ("30m", "half an hour") are equal; prose is text; other changes need a review.
- identity: which workflow the file is, for those who replace or call it; another one needs a review.
- unknown: no table says what it is for.
- reference: the id of the step that runs next, or a keyword. Ids are compared by the step. Another step that both
  files have, and another keyword, have an effect; a step that only one file has is structure.
- structure: a reader translates it to links, conditions or ids, and other checks compare these.
- text: a name or description; the meaning model compares it.
- presentation: it has no effect on a run.
"""

_PART = re.compile(r'"([^"]+)"|([^."]+)')

CLASSES: tuple[Class, ...] = get_args(Class)
"""Most serious first."""
COMMENTS = "comments"
"""The key under which the comments of a list are compared, next to the list."""


class Comments(Frozen):
    """Which items of a list are comments: mappings with a certain value under a key."""

    key: str
    value: str

    def include(self, item: object) -> bool:
        """Return whether an item of the list is a comment."""
        return isinstance(item, dict) and item.get(self.key) == self.value


class Code(Frozen):
    """The language of a piece of code: the first word under another key of its mapping, or a fixed one."""

    language: str = ""
    key: str = ""

    def language_in(self, around: object) -> str:
        """Return the language of the code in a mapping; empty if it is not known."""
        stated = around.get(self.key) if self.key and isinstance(around, dict) else None
        words = stated.split() if isinstance(stated, str) else []
        return words[0] if words else self.language


class ConditionSyntax(Frozen):
    """How the conditions at a path are written.

    Attributes:
        language: Their language.
        implied: The condition that holds besides one that `states` does not match.
        states: Regular expression of what replaces the implied condition.
    """

    language: Language
    implied: str = ""
    states: re.Pattern[str] | None = None

    def parts(self, text: str) -> Iterator[str]:
        """Yield the conditions that a written condition, or an empty text for none, means together."""
        if text.strip():
            yield text
        if self.implied and not (self.states and self.states.search(text)):
            yield self.implied


class Consequences(Frozen):
    """The table of one format.

    Attributes:
        classes: The class of each pattern.
        list_at_top: Whether a file may be a list of items of its own kind. Paths in it start with the key `[]`, so
            that no pattern for the keys of a record matches the items.
        typed: Whether a number and a text with the same characters are different values.
        unordered: Patterns of lists whose order has no meaning by the documentation of the format.
        orders: Patterns of lists of texts of which only the order counts, of those texts that both files have.
        yaml12: Whether the files are read as YAML 1.2, in which `yes` and `"yes"` are the same text.
        references: Regular expressions of references to a step in a text; the group `id` is the id of the step.
        expressions: Regular expression of the parts of a text that may contain references; None for the whole text.
        ids: Patterns of values that are the id of a step.
        labels: Patterns of elements whose name is a label: their type and arguments say what they do, and references
            follow a new name.
        unnamed: Patterns of elements whose name, if none is written, repeats what they do: a name that only one of two
            files has is a label.
        selectors: Patterns of lists whose first item is the id of a step.
        id_keys: Patterns of mappings whose keys are ids of steps.
        named: Lists with parts that are no steps but that references name, each with the keys that tell which item is
            which: first the key of its id, last one that says what it is.
        defaults: Patterns of values with their default: such a value is the same as none.
        nullable: Patterns of values for which null is the same as none.
        mappings: Patterns of mappings for which null, an empty list, an empty mapping and none are the same.
        assigned: Patterns of ids that a server assigns: a value that only one of two files has is the same as none.
        purposes: What the value of a pattern is for, in words that messages add.
        attached: Mappings from the id of a part to the steps that use it, by kind of use; each with the word for the
            part, by kind.
        durations: Patterns of durations, in ISO 8601 or as a mapping of units to numbers.
        names: Patterns of a name, a list of names or a mapping of names to options; empty options are none.
        short: Patterns of mappings that may be written as the value of one key: this key, with a regular expression of
            the values that stand for it.
        listed: Patterns of lists of which a single item may be written without the list.
        decisions: Patterns of the conditions and targets of choices, which links have too, each with the keys below it
            that do more.
        guards: Patterns of further values that the conditions of links state.
        outcomes: Patterns of values that the outcomes of links state: what happens after a failure.
        loops: Patterns of values that the loops of steps state.
        marked: Patterns of conditions, each with a regular expression of how a condition that is evaluated starts.
        conditions: Patterns of conditions of steps, each with how they are written. Links may state a part of them.
        comments: Lists with items that are only comments, each with how to tell them.
        code: Patterns of values that are code, of which comments and layout have no effect, each with its language.
    """

    classes: dict[str, Class] = Field(default_factory=dict)
    list_at_top: bool = False
    typed: bool = True
    unordered: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    yaml12: bool = False
    references: tuple[re.Pattern[str], ...] = ()
    expressions: re.Pattern[str] | None = None
    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    id_keys: tuple[str, ...] = ()
    named: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    defaults: dict[str, Any] = Field(default_factory=dict)
    nullable: tuple[str, ...] = ()
    mappings: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    purposes: dict[str, str] = Field(default_factory=dict)
    attached: dict[str, dict[str, str]] = Field(default_factory=dict)
    durations: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    short: dict[str, dict[str, re.Pattern[str]]] = Field(default_factory=dict)
    listed: tuple[str, ...] = ()
    decisions: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    guards: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    marked: dict[str, re.Pattern[str]] = Field(default_factory=dict)
    conditions: dict[str, ConditionSyntax] = Field(default_factory=dict)
    comments: dict[str, Comments] = Field(default_factory=dict)
    code: dict[str, Code] = Field(default_factory=dict)
    _known: dict[tuple[str, ...], Class] = PrivateAttr(default_factory=dict)

    @classmethod
    def parse(cls, text: str, dialect: str = "") -> "Consequences":
        """Return the table in a TOML text, with the classes of a dialect.

        Raises:
            ValueError: If the text is not TOML, a key or class does not exist, or a pattern has two classes.
        """
        table = tomllib.loads(text)
        classes: dict[str, str] = {}
        tables = table.pop("classes", {}), table.pop("dialects", {}).get(dialect, {})
        for name, patterns in chain.from_iterable(part.items() for part in tables):
            for pattern in patterns:
                if pattern in classes:
                    raise ValueError(f"the pattern {pattern!r} has the classes {classes[pattern]} and {name}")
                classes[pattern] = name
        return cls.model_validate({"classes": classes, **table})

    def matching(self, path: Iterable[Key]) -> tuple[str, ...]:
        """Return the most specific patterns that match a path; several only if the table is ambiguous."""
        keys = self._keys(path)
        patterns = [pattern for pattern in self.classes if _matches(pattern, keys)]
        best = max(map(_specificity, patterns), default=())
        return tuple(pattern for pattern in patterns if _specificity(pattern) == best)

    def class_of(self, path: Iterable[Key]) -> Class:
        """Return the class of the value at a path. Cost: one scan of the table per new path."""
        keys = self._keys(path)
        if keys not in self._known:
            classes = {self.classes[pattern] for pattern in self.matching(keys)}
            self._known[keys] = min(classes, key=CLASSES.index) if classes else "unknown"
        return self._known[keys]

    def is_unordered(self, path: Iterable[Key]) -> bool:
        """Return whether the list at a path is a set by the documentation of the format."""
        return self._any_matches(self.unordered, path)

    def keys_of_items(self, path: Path) -> tuple[str, ...]:
        """Return the keys that tell which item of the list at a path is which; empty for other lists."""
        return self.named.get(".".join(self._keys(path)), ()) if self.named else ()

    def is_id(self, path: Path) -> bool:
        """Return whether the text at a path is the id of a step."""
        if isinstance(path[-1], int):
            return path[-1] == 0 and self._any_matches(self.selectors, path)
        return self._any_matches(self.ids, path)

    def has_label(self, path: Path) -> bool:
        """Return whether the name of the element at a path is a label."""
        return self._any_matches(self.labels, path)

    def may_be_unnamed(self, path: Path) -> bool:
        """Return whether the name of the element at a path repeats what it does, if none is written."""
        return self._any_matches(self.unnamed, path)

    def with_ids(self, text: str, renamed: Mapping[str, str]) -> str:
        """Return a text with other ids in its references to steps; between quotes, ids are escaped."""

        def with_id(match: re.Match[str]) -> str:
            start, end = (place - match.start() for place in match.span("id"))
            quote = match[0][end : end + 1]
            escaped = quote in _QUOTES
            own = _ESCAPED.sub(r"\1", match["id"]) if escaped else match["id"]
            if own not in renamed:
                return match[0]
            new = renamed[own]
            if escaped:
                new = new.replace("\\", "\\\\").replace(quote, f"\\{quote}")
            return match[0][:start] + new + match[0][end:]

        for pattern in self.references:
            text = pattern.sub(with_id, text)
        return text

    def has_id_keys(self, path: Path) -> bool:
        """Return whether the keys of the mapping at a path are ids of steps."""
        return self._any_matches(self.id_keys, path)

    def is_default(self, path: Path, value: object) -> bool:
        """Return whether a value has the same effect as no value."""
        if value is None and self._any_matches(self.nullable, path):
            return True
        defaults = (self.defaults[pattern] for pattern in self.defaults if _matches(pattern, self._keys(path)))
        return any(_is_same_kind(value, default) and value == default for default in defaults)

    def is_assigned(self, path: Path) -> bool:
        """Return whether the value at a path is an id that a server assigns."""
        return self._any_matches(self.assigned, path)

    def purpose_of(self, path: Path) -> str:
        """Return what the value at a path is for; empty if the table does not say it."""
        return next((words for pattern, words in self.purposes.items() if _matches(pattern, self._keys(path))), "")

    def mappings_in(self, path: Path) -> Iterator[str]:
        """Yield the keys of the mapping at a path whose values may be an empty mapping instead of none."""
        keys = self._keys(path)
        for pattern in self.mappings:
            *outer, key = _split(pattern)
            if _matches(".".join(outer), keys):
                yield key

    def is_respelled(self, path: Path, golden: object, candidate: object) -> bool:
        """Return whether two values at a path are two ways to write the same."""
        if isinstance(golden, list) and isinstance(candidate, list) and self._any_matches(self.orders, path):
            return [item for item in golden if item in candidate] == [item for item in candidate if item in golden]
        for patterns, meaning in ((self.durations, duration), (self.names, options)):
            if patterns and self._any_matches(patterns, path):
                meant = meaning(golden)
                return meant is not None and meant == meaning(candidate)
        return False

    def alike(self, path: Path, golden: Any, candidate: Any) -> tuple[Any, Any]:
        """Return two values at a path in one spelling: a single item and its list, a short form and its mapping.

        Example:
            >>> table = Consequences(short={"image": {"name": re.compile(".*")}}, listed=("tags",))
            >>> table.alike(("image",), "alpine", {"name": "alpine"}), table.alike(("tags",), ["a"], "a")
            (({'name': 'alpine'}, {'name': 'alpine'}), ('a', 'a'))
        """
        lists, mappings = (tuple(isinstance(each, kind) for each in (golden, candidate)) for kind in (list, dict))
        short = candidate if mappings[0] else golden
        key = self._key_of_short(path, short) if mappings[0] is not mappings[1] else None
        if key is not None:
            return (golden, {key: candidate}) if mappings[0] else ({key: golden}, candidate)
        if lists[0] is lists[1] or not self._any_matches(self.listed, path):
            return golden, candidate
        items, single = (golden, candidate) if lists[0] else (candidate, golden)
        both = (items[0], single) if len(items) == 1 else (items, [single])
        return both if lists[0] else (both[1], both[0])

    def _key_of_short(self, path: Path, value: Any) -> str | None:
        """Return the key for which a value at a path stands; None if it is no short form."""
        of_pattern = (values for pattern, values in self.short.items() if _matches(pattern, self._keys(path)))
        for key, text in chain.from_iterable(values.items() for values in of_pattern):
            if isinstance(value, list):
                fits = self._any_matches(self.listed, (*path, key))
            else:
                fits = isinstance(value, str | int | float) and text.fullmatch(str(value)) is not None
            if fits:
                return key
        return None

    def is_same_code(self, path: Path, values: tuple[object, object], around: tuple[object, object]) -> bool:
        """Return whether two values at a path are the same code with other comments or another layout.

        Args:
            path: The path.
            values: The values of the golden and of the candidate.
            around: The mappings that contain them.
        """
        for how in (how for pattern, how in self.code.items() if _matches(pattern, self._keys(path))):
            languages = {how.language_in(each) for each in around}
            codes = [value for value in values if isinstance(value, str)]
            if len(languages) == 1 and len(codes) == len(values):
                from wfgate.read.formats.code import tokens_of  # noqa: PLC0415 - only needed where code differs

                was, now = (tokens_of(code, *languages) for code in codes)
                return was is not None and was == now
        return False

    def is_literal(self, path: Path, value: object) -> bool:
        """Return whether a value is a condition without the mark of those that are evaluated."""
        marks = (self.marked[pattern] for pattern in self.marked if _matches(pattern, self._keys(path)))
        return isinstance(value, str) and any(mark.match(value) is None for mark in marks)

    def is_decision(self, path: Path) -> bool:
        """Return whether the value at a path is a condition or target of a choice and does nothing else."""
        keys = self._keys(path)
        patterns = [pattern for pattern in self.decisions if _matches(pattern, keys)]
        return bool(patterns) and all(set(keys).isdisjoint(self.decisions[pattern]) for pattern in patterns)

    def stated(self, path: Path) -> Literal["guard", "outcome", "loop"] | None:
        """Return what states the value at a path, too: the conditions or outcomes of links, or a loop."""
        keys = self._keys(path)
        if self.is_decision(path) or any(_matches(pattern, keys) for pattern in self.guards):
            return "guard"
        if any(_matches(pattern, keys) for pattern in self.outcomes):
            return "outcome"
        return "loop" if any(_matches(pattern, keys) for pattern in self.loops) else None

    def conditions_in(self, path: Path) -> Iterator[tuple[str, ConditionSyntax]]:
        """Yield the keys of the element at a path under which a condition may be, each with how it is written."""
        keys = self._keys(path)
        for pattern, syntax in self.conditions.items():
            *outer, last = _split(pattern)
            if _matches(".".join(outer), keys):
                yield from ((key, syntax) for key in last.split("|"))

    def comments_in(self, path: Path) -> Comments | None:
        """Return which items of the list at a path are comments."""
        return next((how for pattern, how in self.comments.items() if _matches(pattern, self._keys(path))), None)

    def place(self, data: Any, path: Path) -> Path:
        """Return the path at which a value of a file is compared: that of a comment is under `COMMENTS`."""
        for at, key in enumerate(path):
            how = self.comments_in(path[:at]) if isinstance(data, list) else None
            data = data[key]
            if how is not None and how.include(data):
                return (*path[: at - 1], COMMENTS, *path[at:])
        return path

    def _keys(self, path: Iterable[Key]) -> tuple[str, ...]:
        keys = tuple(path)
        items = ("[]",) if self.list_at_top and keys and isinstance(keys[0], int) else ()
        return *items, *(key for key in keys if isinstance(key, str))

    def _any_matches(self, patterns: Iterable[str], path: Iterable[Key]) -> bool:
        keys = self._keys(path)
        return any(_matches(pattern, keys) for pattern in patterns)


NEUTRAL = Consequences(
    classes={
        "action": "argument",
        "timeout": "argument",
        "external": "effect",
        "params.**": "argument",
        "inputs": "text",  # names of data; other checks compare what flows
        "outputs": "text",
        "join": "structure",
        "semantics": "structure",
        "name": "text",
        "description": "text",
        "data.*": "text",
        "tags": "presentation",
        "critical": "presentation",  # the marks in the golden decide; a generated candidate has none
        "optional": "presentation",
        "any_order": "presentation",
    }
)
"""For elements without data of their own, and of different formats: they are compared in the terms of the model."""


@cache
def consequences_of(format_id: str) -> Consequences:
    """Return the table of a format, with or without a dialect ("graph-json/plans").

    If the format has no table, the table is empty: every path is unknown.
    """
    name, _, dialect = format_id.partition("/")
    table = files("wfgate") / "data" / "consequences" / f"{name}.toml"
    return Consequences.parse(table.read_text(encoding="utf-8"), dialect) if table.is_file() else Consequences()


def _is_same_kind(value: object, other: object) -> bool:
    """Return whether two values have the same type; whole and other numbers are of one type."""
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (value, other))
    return numbers or type(value) is type(other)


@cache
def _split(pattern: str) -> tuple[str, ...]:
    return tuple(quoted or plain for quoted, plain in _PART.findall(pattern))


@cache
def _specificity(pattern: str) -> tuple[int, ...]:
    """Return the rank of a pattern: literal keys before `*`, `*` before `**`, compared key by key."""
    return tuple(0 if part == "**" else 1 if part == "*" else 2 for part in _split(pattern))


def _matches(pattern: str, keys: Sequence[str]) -> bool:
    """Return whether a pattern matches a path. A key of the path may itself contain dots."""
    reachable = {0}
    for part in _split(pattern):
        if part == "**":
            reachable = set(range(min(reachable), len(keys) + 1))
        else:
            fits = None if part == "*" else set(part.split("|"))
            reachable = {at + 1 for at in reachable if at < len(keys) and (fits is None or keys[at] in fits)}
        if not reachable:
            return False
    return len(keys) in reachable
