"""Typed input models: the shape of a part of a file as a pydantic model, and errors with positions in the file."""

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from wfgate.model import Frozen
from wfgate.read.documents.document import Document, Key, Path
from wfgate.read.formats.words import did_you_mean, kind_of

_MOST_ERRORS = 1000
"""Errors of one value that are examined for the deepest one."""
_EXPECTED = {
    **dict.fromkeys(("model_type", "dict_type"), "a mapping"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
}
"""What must be there, by the type of an error of pydantic."""
_FIXES = {
    "a mapping": "write a mapping with `key: value` entries",
    "a list": "write a list: one `- ` per item, or [a, b]",
    "a text": "write a text; put a number in quotes",
    "true or false": "write true or false, without quotes",
    "a whole number": "write a whole number, without quotes",
}

Shape = TypeVar("Shape", bound=BaseModel)


class Written(Frozen):
    """The base of input models: other keys are allowed, and numbers are accepted as texts.

    `aside` are the keys that the format knows and that no field reads. They are compared as they are.
    """

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)
    aside: ClassVar[frozenset[str]] = frozenset()

    def unknown_keys(self) -> dict[str, str]:
        """Return the keys that the format does not know, each with its fix."""
        unknown = [key for key in self.model_extra or () if key not in self.aside]
        fields = type(self).model_fields.items()
        known = sorted({*self.aside, *(field.alias or name for name, field in fields)}) if unknown else []
        return {key: did_you_mean(key, known) for key in unknown}


class Sparse(Written):
    """The base of input models in which an empty value (null) counts as a missing key."""

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, value: Any) -> Any:
        return {key: inner for key, inner in value.items() if inner is not None} if isinstance(value, dict) else value


class Loose(Sparse):
    """The base of input models in which a value of another type, such as an expression, counts as a missing key.

    Example:
        >>> class Options(Loose):
        ...     count: int = 1
        ...     name: str = ""
        >>> Options.model_validate({"count": "={{ $json.n }}", "name": "a"})
        Options(count=1, name='a')
    """

    @model_validator(mode="wrap")
    @classmethod
    def _without_others(cls, value: Any, handler: Callable[[Any], Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as problem:
            others = {error["loc"][0] for error in problem.errors() if error["loc"]}
            if not isinstance(value, dict) or others.isdisjoint(value):
                return handler({})
            return cls.model_validate({key: inner for key, inner in value.items() if key not in others})


def listed(value: Any) -> Any:
    """Return a value as a list: an empty list for none, and a list of one value for a single value.

    Example:
        >>> listed("a"), listed(["a"]), listed(None)
        (['a'], ['a'], [])
    """
    return value if isinstance(value, list | tuple) else [] if value is None else [value]


def walk(value: Any, key: Key | None = None) -> Iterator[tuple[Key | None, Any]]:
    """Yield a value and all values in it, in their order, each with its key; None for the items of a list.

    Example:
        >>> list(walk({"a": ["b"]}))
        [(None, {'a': ['b']}), ('a', ['b']), (None, 'b')]
    """
    yield key, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from walk(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def size(value: Any) -> int:
    """Return the number of values in a value; a long text counts as one more for each 100 characters."""
    return sum(1 + (len(inner) // 100 if isinstance(inner, str) else 0) for _, inner in walk(value))


def under(key: str) -> BeforeValidator:
    """Return a validator for a mapping that may be written as a single value, the value of one of its keys.

    Example:
        >>> under("name").func("staging")
        {'name': 'staging'}
    """
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str | int | float) else value)


def _as_word(value: Any) -> str:
    fix = "write the id as a text or a whole number"
    if isinstance(value, bool) or not isinstance(value, str | int):
        about = {"kind": kind_of(value), "fix": fix}
        raise PydanticCustomError("word", "must be a text or a whole number, not {kind}", about)
    if value == "":
        raise PydanticCustomError("word", "must not be empty", {"fix": fix})
    return str(value)


WORD = {"type": ["string", "integer"], "minLength": 1}
"""JSON Schema of a word."""
Word = Annotated[str, BeforeValidator(_as_word), WithJsonSchema(WORD)]
"""An id or a reference, as a text or a whole number."""
Texts = Annotated[tuple[str, ...], BeforeValidator(listed)]
"""A list of texts, or a single text."""


def read_shape(shape: type[Shape], value: object, document: Document, path: Path, what: str) -> Shape:
    """Return the model of a value of a document.

    Args:
        shape: The model.
        value: The value.
        document: The document that contains the value.
        path: Path of the value in the document.
        what: Name of the value in messages ("the job 'build'").

    Raises:
        FormatError: If the value does not have the form of the model; at the deepest value that does not fit.
    """
    try:
        return shape.model_validate(value)
    except ValidationError as problem:
        if problem.error_count() > _MOST_ERRORS:  # listing them takes far more memory than the data
            raise document.error(
                f"{what} has {problem.error_count():,} errors", *path, fix=f"correct {what}"
            ) from None
        errors = [
            (_place(value, error["loc"][:-1] if error["type"] == "missing" else error["loc"]), error)
            for error in problem.errors(include_url=False)
        ]
        place, error = max(errors, key=lambda each: len(each[0]))
        named = place or (error["loc"][:1] if error["type"] != "missing" else ())
        name = f"`{'.'.join(map(str, named))}` of {what}" if named else what
        said = error["msg"].replace("Input should be", "must be").removeprefix("Value error, ")
        message, fix = f"{name} {said}, not {_shown(value, place)}", f"correct {name}"
        if error["type"] == "missing":
            message, fix = f"{name} has no {error['loc'][-1]!r}", f"add {error['loc'][-1]!r}"
        elif error["type"] in {"too_short", "string_too_short"}:
            message = f"{name} must not be empty"
        elif error["type"] in _EXPECTED:
            expected = _EXPECTED[error["type"]]
            message, fix = f"{name} must be {expected}, not {_shown(value, place)}", _FIXES.get(expected, fix)
        elif error["type"] == "literal_error":
            fix = did_you_mean(str(error["input"]), re.findall(r"'([^']*)'", said))
        elif "fix" in error.get("ctx", {}):  # an error of a validator of wfgate
            message, fix = f"{name} {said}", error["ctx"]["fix"]
            place = (*place, *filter(None, [error["ctx"].get("key")]))
        raise document.error(message, *path, *place, fix=fix) from None


def _place(value: Any, loc: tuple[Key, ...]) -> Path:
    """Return the part of the location of an error that exists in the value as written."""
    place: list[Key] = []
    for key in loc:
        inner = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        if key in inner:
            value = inner[key]
            place.append(key)
    return tuple(place)


def _shown(value: Any, place: Path) -> str:
    for key in place:
        value = value[key]
    return repr(value[:40]) if isinstance(value, str) else kind_of(value)
