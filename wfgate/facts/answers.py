"""Typed answers: what a fact says, how sure it is, and what proves it. Their JSON form is part of `wfgate.facts/1`."""

from typing import Annotated, Literal

from pydantic import Field

from wfgate.model.workflow import Frozen

AnswerType = Literal["yes-no", "task", "set", "list", "sets", "text"]

Sets = tuple[tuple[str, ...], ...]


class _Answer(Frozen):
    """What all answers have.

    Attributes:
        exact: Whether `value` is proven; where not, it is the best that was found or holds only under a condition.
        because: Why there is no value, why it is not exact, or what the value rests on.
        witness: What proves it: a path, a cycle, a situation.
    """

    exact: bool = True
    because: str | None = None
    witness: tuple[str, ...] = ()


class YesNo(_Answer):
    """Yes, no, or unknown for a reason."""

    type: Literal["yes-no"] = "yes-no"
    value: bool | None


class OneTask(_Answer):
    """The name of one task; None where there is none, or not exactly one."""

    type: Literal["task"] = "task"
    value: str | None


class NameSet(_Answer):
    """Names without an order (they are listed in flow order); None where they are unknown."""

    type: Literal["set"] = "set"
    value: tuple[str, ...] | None


class NameList(_Answer):
    """Names in an order that is as good as any other that keeps `before`.

    Attributes:
        before: Pairs (a, b) where a has to come before b; all orders that keep them are right.
        unique: Whether no other order is.
    """

    type: Literal["list"] = "list"
    value: tuple[str, ...] | None
    before: tuple[tuple[str, str], ...] = ()
    unique: bool = True


class NameSets(_Answer):
    """Several sets of names; what counts is which two names share a set."""

    type: Literal["sets"] = "sets"
    value: Sets | None


class Text(_Answer):
    """Words: advisory, for people or for a judge. Each line is one thing said."""

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
    """Return the answer to a yes-no question that nobody can give."""
    return YesNo(value=None, because=because, exact=False)
