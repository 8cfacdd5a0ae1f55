"""What a workflow is, whatever file it came from.

The model holds *broken* graphs on purpose (duplicate ids, links to nowhere, cycles): readers report what they
saw, checks judge it.
"""

import hashlib
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, JsonValue
from pydantic_core import CoreSchema
from pydantic_core import from_json as values_of

START = "START"
"""The virtual node before every first task."""
END = "END"
"""The virtual node behind every last task."""

Semantics = Literal["dag", "token", "state-machine"]
TaskKind = Literal["task", "event", "composite"]
Outcome = Literal["success", "failure", "always", "skipped", "timeout", "event"]
Operator = Literal["AND", "OR", "XOR"]
Language = Literal["plain", "github", "asl", "bpmn", "n8n", "argo"]
"""Languages of conditions; "plain" is wfgate's own, and takes sentences too."""
_LISTS = ("list", "tuple", "set", "frozenset")


def _fail_fast(schema: Any) -> None:
    """Have every list in a schema end at its first error."""
    if isinstance(schema, dict):
        if schema.get("type") in _LISTS:
            schema["fail_fast"] = True
        for part in schema.values():
            _fail_fast(part)
    elif isinstance(schema, list):
        for part in schema:
            _fail_fast(part)


class Frozen(BaseModel):
    """Immutable, strict about its fields: an unknown key is an error, never ignored, and so is a number like NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Stop at the first wrong part of a list: to name each of a million would take gigabytes."""
        schema = handler(source)
        _fail_fast(schema)
        return schema

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read JSON; takes its memory once, where pydantic's own reader copies it for each key that is missing.

        Raises:
            ValidationError: If it is no JSON, or not of this model.
        """
        try:
            data = values_of(text)
        except ValueError:
            return cls.model_validate_json(text)  # says in the same words as for all else what is wrong
        return cls.model_validate(data)


class SourceSpan(Frozen):
    """Where something stands in its file; lines and columns count from 1, columns in characters."""

    line: int
    column: int


class Guard(Frozen):
    """The condition under which a link is taken.

    `order` keeps first-match semantics among siblings (lower is tried first); `default` is the branch that is
    taken when no sibling is. `language` is what `expr` is written in.
    """

    expr: str | None = None
    language: Language = "plain"
    order: int | None = None
    default: bool = False


class Loop(Frozen):
    """Repetition of one task: until or while a condition holds, or for each element.

    `language` is what `condition` is written in.
    """

    mode: Literal["until", "while", "foreach"]
    condition: str | None = None
    language: Language = "plain"
    over: str | None = None
    max: int | None = None


class DataItem(Frozen):
    """A named piece of data that tasks read and write."""

    id: str
    description: str = ""


class Task(Frozen):
    """One step.

    `id` is only an address inside its file: ids are not stable between regenerations and are never compared.
    `workflow` names the sub-workflow of a composite; `external` says that it stands in another file. `critical` marks
    a step whose loss always blocks.

    `join` says which incoming links the step waits for: "all" (and is skipped if one of them is not taken), "any",
    or an expression over the ids of the steps they come from, "build and (lint or scan)", in which `ID.OUTCOME` is
    the link with that outcome. None is what the workflow's semantics say: in a dag all links on success, or any one on
    failure, timeout, skip or event; elsewhere any link.
    """

    id: str
    name: str
    description: str = ""
    kind: TaskKind = "task"
    action: str | None = None
    workflow: str | None = None
    external: bool = False
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    params: dict[str, JsonValue] = Field(default_factory=dict)
    critical: bool = False
    tags: tuple[str, ...] = ()
    timeout: str | None = None
    loop: Loop | None = None
    join: str | None = None
    span: SourceSpan | None = None

    @property
    def statement(self) -> str:
        """What the step says in words: its name and its description.

        Example:
            >>> Task(id="a", name="Roll out", description="One zone at a time", params={"zones": 3}).statement
            'Roll out. One zone at a time'
        """
        return self.name if self.description in {"", self.name} else f"{self.name.rstrip('.')}. {self.description}"

    @property
    def text(self) -> str:
        """What the step says: its name, its description and its argument values, as one line.

        Example:
            >>> Task(id="a", name="Roll out", description="One zone at a time", params={"zones": 3}).text
            'Roll out. One zone at a time. 3'
        """
        if not self.description and not self.params:
            return self.name.strip()
        parts = [self.name]
        if self.description and self.description != self.name:
            parts.append(self.description)
        parts += [_words(value) for value in self.params.values()]
        parts = [part.strip() for part in parts if part.strip()]
        return ". ".join([part.rstrip(".") for part in parts[:-1]] + parts[-1:])


class Gateway(Frozen):
    """An operator between tasks: it splits or joins the flow and does no work.

    `implied` marks one that nobody wrote: it stands for the START or END of a composite that was opened in place, and
    `join` is that composite's, if it is an expression: see `Task`.
    """

    id: str
    op: Operator
    role: Literal["split", "join"] = "split"
    implied: bool = False
    join: str | None = None
    span: SourceSpan | None = None


class Link(Frozen):
    """Control flow from one task or gateway to another; `START` and `END` are virtual nodes.

    `back` marks the returning edge of a loop: it repeats, it does not order.
    """

    source: str
    target: str
    guard: Guard | None = None
    outcome: Outcome = "success"
    back: bool = False
    span: SourceSpan | None = None


class DataLink(Frozen):
    """`data` flows from the task that produces it to the one that reads it."""

    source: str
    target: str
    data: str
    span: SourceSpan | None = None


class Workflow(Frozen):
    """A workflow, and the named sub-workflows that its composites refer to.

    `subworkflows` is flat and only filled on the main workflow: references go by name, so recursion is
    harmless and moving a block in or out of a composite can be compared.
    """

    name: str = ""
    description: str = ""
    semantics: Semantics = "dag"
    params: dict[str, JsonValue] = Field(default_factory=dict)
    tasks: tuple[Task, ...] = ()
    gateways: tuple[Gateway, ...] = ()
    links: tuple[Link, ...] = ()
    data_items: tuple[DataItem, ...] = ()
    data_links: tuple[DataLink, ...] = ()
    subworkflows: tuple["Workflow", ...] = ()

    def to_json(self) -> str:
        """Return the stable JSON form: declared field order, two-space indent, final newline."""
        return self.model_dump_json(indent=2, exclude_defaults=True) + "\n"

    def content_hash(self) -> str:
        """Return a hash of exactly this value, ids, order and all: a cache key, not an identity of meaning.

        For an identity that ignores ids and listing order see `wfgate.model.canonical.fingerprint`.
        """
        return hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()


def _words(value: JsonValue) -> str:
    """Render an argument value the way a reader would say it."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_words(inner) for inner in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
