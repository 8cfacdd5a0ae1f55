"""Typed access to a mapping from a file: errors have a position and a fix."""

from collections.abc import Sequence
from typing import Any, TypeVar

from rapidfuzz import fuzz, process

from wfgate.documents import Document, Key, Path
from wfgate.errors import FormatError

Choice = TypeVar("Choice", bound=str)

_NAMES = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "empty",
}
_LIKELY = 60
"""rapidfuzz score (0 to 100) above which a known word is offered for an unknown one."""


def kind_of(value: object) -> str:
    """Return the type of a value in words.

    Example:
        >>> kind_of([1])
        'a list'
    """
    return _NAMES.get(type(value), type(value).__name__)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return the fix for an unknown word: the most similar known word, or all known words.

    Example:
        >>> did_you_mean("need", ("name", "needs"))
        "did you mean 'needs'?"
    """
    best = process.extractOne(word[:80], known, scorer=fuzz.ratio, score_cutoff=_LIKELY) if known else None
    return f"did you mean {best[0]!r}?" if best else f"use one of: {', '.join(known)}"


def quoted(text: str) -> str:
    r"""Return a text as a literal of a condition.

    Example:
        >>> quoted("it's")
        "'it\\'s'"
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


class Fields:
    """One mapping of a document.

    Args:
        document: The document that contains the mapping.
        path: Path of the mapping in the document.
        value: The value at that path.
        what: Name of the mapping in messages ("a step").

    Raises:
        FormatError: If the value is not a mapping.
    """

    def __init__(self, document: Document, path: Path, value: object, *, what: str) -> None:
        self.document = document
        self.path = path
        self.what = what
        if not isinstance(value, dict):
            raise document.error(
                f"{what} must be a mapping, not {kind_of(value)}",
                *path,
                fix="write a mapping with `key: value` entries",
            )
        self.value: dict[str, Any] = value

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def error(self, message: str, *keys: Key, fix: str) -> FormatError:
        """Return the error about the value under `keys`."""
        return self.document.error(message, *self.path, *keys, fix=fix)

    def wrong(self, key: str, expected: str, fix: str) -> FormatError:
        """Return the error that the value under `key` has the wrong type."""
        return self.error(f"{key!r} must be {expected}, not {kind_of(self.value.get(key))}", key, fix=fix)

    def text(self, key: str, default: str = "") -> str:
        """Return a text; the default if the key is missing."""
        value = self.value.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a text", f"write a text; put a number in quotes, or leave {key!r} out")
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text; None if the key is missing."""
        return self.text(key) if key in self.value else None

    def word(self, key: str) -> str:
        """Return an id or a reference as text: a text or whole number under a required key."""
        if key not in self.value:
            raise self.error(f"{self.what} has no {key!r}", fix=f"add {key!r}")
        return self.as_word(self.value[key], key)

    def as_word(self, value: object, *keys: Key) -> str:
        """Return an id or a reference as text."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.error(
                f"{keys[0]!r} must be a text or a whole number, not {kind_of(value)}",
                *keys,
                fix="write the id as a text or a whole number",
            )
        if value == "":
            raise self.error(f"{keys[0]!r} must not be empty", *keys, fix="write the id as a text or a whole number")
        return str(value)

    def words(self, key: str) -> list[str]:
        """Return the ids under a key: a list of ids, a single id, or nothing."""
        value = self.value.get(key, [])
        if not isinstance(value, list):
            return [self.as_word(value, key)]
        return [self.as_word(item, key, place) for place, item in enumerate(value)]

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; an empty list if the key is missing."""
        value = self.entries(key)
        for place, item in enumerate(value):
            if not isinstance(item, str):
                raise self.error(
                    f"{key!r} must be a list of texts, but one item is {kind_of(item)}",
                    key,
                    place,
                    fix="write a text; put a number in quotes",
                )
        return tuple(value)

    def flag(self, key: str) -> bool:
        """Return true or false; false if the key is missing."""
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", "write true or false, without quotes")
        return value

    def whole_number(self, key: str) -> int | None:
        """Return a whole number; None if the key is missing."""
        value = self.value.get(key)
        if key in self.value and (isinstance(value, bool) or not isinstance(value, int)):
            raise self.wrong(key, "a whole number", "write a whole number, without quotes")
        return value

    def choice(self, key: str, options: Sequence[Choice], default: Choice | None = None) -> Choice:
        """Return one of the options; the default if the key is missing. Without a default, the key is required."""
        if default is None and key not in self.value:
            raise self.error(f"{self.what} has no {key!r}", fix=f"add {key!r}: one of {', '.join(options)}")
        value = self.value.get(key, default)
        for option in options:
            if value == option:
                return option
        shown = repr(value[:80]) if isinstance(value, str) else kind_of(value)
        fix = did_you_mean(value if isinstance(value, str) else "", options)
        raise self.error(f"{key!r} must be one of {', '.join(options)}, not {shown}", key, fix=fix)

    def entries(self, key: str) -> list[Any]:
        """Return a list; an empty list if the key is missing."""
        value = self.value.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, "a list", "write a list: one `- ` per item, or [a, b]")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        """Return a mapping; an empty mapping if the key is missing."""
        value = self.value.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a mapping", "write a mapping with `key: value` entries")
        return value
