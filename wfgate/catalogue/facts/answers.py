"""Typed answers of facts, with certainty and evidence. Their JSON form is part of `wfgate.facts/1`."""

from typing import Annotated, Literal

from pydantic import Field

from wfgate.model import Frozen

AnswerType = Literal["yes-no", "task", "set", "list", "sets", "text"]

Sets = tuple[tuple[str, ...], ...]


class _Answer(Frozen):
    """The fields of all types of answers.

    Attributes:
        exact: Whether `value` is proven. Otherwise `value` is the best known value, or holds only under a condition.
        because: The reason for the value, or the reason why the value is missing or not exact.
        witness: Evidence: a path, a cycle, a situation.
    """

    exact: bool = True
    because: str | None = None
    witness: tuple[str, ...] = ()


class YesNo(_Answer):
    """Yes, no, or unknown with a reason."""

    type: Literal["yes-no"] = "yes-no"
    value: bool | None


class OneTask(_Answer):
    """The name of one task; None if there is no such task or more than one."""

    type: Literal["task"] = "task"
    value: str | None


class NameSet(_Answer):
    """A set of names, listed in flow order; None if unknown."""

    type: Literal["set"] = "set"
    value: tuple[str, ...] | None


class NameList(_Answer):
    """A list of names in one of the correct orders.

    Attributes:
        before: Pairs (a, b) of names: a must come before b. Every order that respects all pairs is correct.
        unique: Whether there is exactly one correct order.
    """

    type: Literal["list"] = "list"
    value: tuple[str, ...] | None
    before: tuple[tuple[str, str], ...] = ()
    unique: bool = True


class NameSets(_Answer):
    """Several sets of names. Two such answers are compared by the pairs of names that are in one set."""

    type: Literal["sets"] = "sets"
    value: Sets | None


class Text(_Answer):
    """Advisory text as lines, for a reader or a judge (a language model that grades)."""

    type: Literal["text"] = "text"
    value: tuple[str, ...] | None


Answer = Annotated[YesNo | OneTask | NameSet | NameList | NameSets | Text, Field(discriminator="type")]


UNKNOWN: dict[AnswerType, type[YesNo | OneTask | NameSet | NameList | NameSets | Text]] = {
    "yes-no": YesNo,
    "task": OneTask,
    "set": NameSet,
    "list": NameList,
    "sets": NameSets,
    "text": Text,
}
"""The class of each type of answer."""


def unknown(because: str) -> YesNo:
    """Return an unknown answer to a yes-no question, with the reason."""
    return YesNo(value=None, because=because, exact=False)
