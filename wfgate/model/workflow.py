"""The workflow model, independent of the file format.

The model can represent *broken* graphs (duplicate ids, links with undefined ends, cycles). Such graphs are not
rejected when a file is read; checks report the defects.
"""

import hashlib
from typing import Any, Literal, Self, overload

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, JsonValue
from pydantic_core import CoreSchema
from pydantic_core import from_json as values_of

START = "START"
"""The virtual node before every first task."""
END = "END"
"""The virtual node after every last task."""

Semantics = Literal["dag", "token", "state-machine"]
TaskKind = Literal["task", "event", "composite"]
Outcome = Literal["success", "failure", "always", "skipped", "timeout", "event"]
Operator = Literal["AND", "OR", "XOR"]
Language = Literal["plain", "github", "asl", "bpmn", "n8n", "argo"]
"""Languages of conditions; "plain" is wfgate's own language, which also allows sentences."""
_LISTS = ("list", "tuple", "set", "frozenset")


def _fail_fast(schema: Any, model: type[Any]) -> None:
    """Change the schema of a model so that the validation of every list stops at its first error.

    The schemas of other `Frozen` models in it are left out: each was changed when it was made.
    """
    if isinstance(schema, dict):
        kind = schema.get("type")
        if kind in _LISTS:
            schema["fail_fast"] = True
        elif kind == "model" and schema["cls"] is not model and issubclass(schema["cls"], Frozen):
            return
        for part in schema.values():
            if isinstance(part, (dict, list)):
                _fail_fast(part, model)
    elif isinstance(schema, list):
        for part in schema:
            if isinstance(part, (dict, list)):
                _fail_fast(part, model)


class Frozen(BaseModel):
    """The base of immutable, strict models: unknown keys, and numbers such as NaN, are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that stops at the first invalid item of a list; a million errors would take gigabytes."""
        schema = handler(source)
        _fail_fast(schema, cls)
        return schema

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the model for a JSON text. Uses less memory than pydantic, which copies the input per missing key.

        Raises:
            ValidationError: If the text is not JSON or not valid for this model.
        """
        try:
            data = values_of(text)
        except ValueError:
            return cls.model_validate_json(text)  # raises a ValidationError for the syntax error
        return cls.model_validate(data)


class SourceSpan(Frozen):
    """A position in a file. Lines and columns are counted from 1, columns in characters."""

    line: int
    column: int


class Place(SourceSpan):
    """A position in a named file.

    Attributes:
        file: The file; for a workflow that was given inline, its name in the result.
    """

    file: str

    def __str__(self) -> str:
        """Return `file:line:column`."""
        return f"{self.file}:{self.line}:{self.column}"


@overload
def place_in(file: str, span: SourceSpan) -> Place: ...
@overload
def place_in(file: str, span: SourceSpan | None) -> Place | None: ...
def place_in(file: str, span: SourceSpan | None) -> Place | None:
    """Return a position with its file, which is `file` unless it names another one; None if there is no position."""
    if span is None or isinstance(span, Place):
        return span
    return Place(file=file, line=span.line, column=span.column)


_WRITTEN = frozenset({"path", "raw", "definitions", "resolved", "format", "spans", "marked", "turns"})
"""Fields that say how an element was written; not part of its content."""


class Element(Frozen):
    """An element with data of its own in a file: a workflow, a task or a gateway.

    `path` is the position of the element in the data of its file: keys and positions in lists. `raw` is the JSON value
    at this path, without the parts that belong to other elements; None if the file is not data. `definitions` are
    other parts of the file that belong to the element too, such as the template that a step calls; elements may share
    them. `marked` is the text with its marks (code, links) if name and description lack them. All of these say how the
    element was written, and are not part of its content: they are neither in the JSON form nor compared by `==`.
    """

    path: tuple[str | int, ...] | None = Field(default=None, exclude=True, repr=False)
    raw: Any = Field(default=None, exclude=True, repr=False)
    definitions: tuple["Element", ...] = Field(default=(), exclude=True, repr=False)
    marked: str = Field(default="", exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        """Return whether the content is equal."""
        if not isinstance(other, Element):
            return NotImplemented
        return type(self) is type(other) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _WRITTEN}


class Guard(Frozen):
    """The condition under which a link is taken.

    If sibling links have an `order`, the first guard that holds is selected (lowest order first). `default` marks the
    branch that is taken if no sibling branch is taken. `language` is the language of `expr`.
    """

    expr: str | None = None
    language: Language = "plain"
    order: int | None = None
    default: bool = False


class Loop(Frozen):
    """The repetition of one task: until or while a condition holds, or once for each element.

    `language` is the language of `condition`.
    """

    mode: Literal["until", "while", "foreach"]
    condition: str | None = None
    language: Language = "plain"
    over: str | None = None
    max: int | None = None


class DataItem(Frozen):
    """A named datum that tasks read and write."""

    id: str
    description: str = ""


LONGEST_TEXT = 40_000
"""Characters of a step's text that are aligned and scored; four times what the checks of names and descriptions
analyse (`unread-text` reports these)."""


class Task(Element):
    """One step.

    `id` is only a reference within the file: ids can change with every regeneration and are never compared. `workflow`
    is the name of the sub-workflow that a composite calls; `external` marks a sub-workflow in another file. `critical`
    marks a step that must not be missing: its loss always blocks. `optional` marks a step that may be missing, and
    `any_order` a step that may run before or after any other. Only the marks of the golden count.

    `join` specifies the incoming links that the step waits for. "all": every link must be taken, otherwise the step is
    skipped. "any": one link is enough. Any other text is an expression over the ids of the source steps, such as
    "build and (lint or scan)", in which `ID.OUTCOME` is the link with this outcome. None is the default of the
    semantics: with dag semantics all links on success, or any link on failure, timeout, skip or event; otherwise any
    link.

    `turns` are the ids of the steps after this one in the order in which they run, if the format runs branches one
    after the other; each with the number of the output that leads to it. Links do not say this order. It is derived
    from how the file is written, and is not part of the content.
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
    optional: bool = False
    any_order: bool = False
    tags: tuple[str, ...] = ()
    timeout: str | None = None
    loop: Loop | None = None
    join: str | None = None
    span: Place | SourceSpan | None = None
    turns: tuple[tuple[str, int], ...] = Field(default=(), exclude=True, repr=False)

    @property
    def statement(self) -> str:
        """The name and description of the step, as one line.

        Example:
            >>> Task(id="a", name="Roll out", description="One zone at a time", params={"zones": 3}).statement
            'Roll out. One zone at a time'
        """
        return self.name if self.description in {"", self.name} else f"{self.name.rstrip('.')}. {self.description}"

    @property
    def text(self) -> str:
        """The name, description and argument values of the step, as one line: what is aligned and scored.

        Of more than 40,000 characters, it is the first ones and a hash of all: equal texts stay equal and different
        ones different, but no tokenizer reads megabytes.

        Example:
            >>> Task(id="a", name="Roll out", description="One zone at a time", params={"zones": 3}).text
            'Roll out. One zone at a time. 3'
        """
        whole = self.whole_text()
        if len(whole) <= LONGEST_TEXT:
            return whole
        return f"{whole[:LONGEST_TEXT]} {hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def whole_text(self) -> str:
        """Return the whole text of the step, however long: for readers who must not see a part."""
        if not self.description and not self.params:
            return self.name.strip()
        parts = [self.name]
        if self.description and self.description != self.name:
            parts.append(self.description)
        parts += [_words(value) for value in self.params.values()]
        parts = [part.strip() for part in parts if part.strip()]
        return ". ".join([part.rstrip(".") for part in parts[:-1]] + parts[-1:])


class Gateway(Element):
    """An operator that splits or joins the flow.

    `implied` marks a gateway that is not in the file but represents START or END of an expanded composite. `join` is
    the join expression of this composite, see `Task`.
    """

    id: str
    op: Operator
    role: Literal["split", "join"] = "split"
    implied: bool = False
    join: str | None = None
    span: Place | SourceSpan | None = None


class Link(Frozen):
    """Control flow from one task or gateway to another; `START` and `END` are virtual nodes.

    `back` marks the back edge of a loop. A back edge repeats steps and does not order them.
    """

    source: str
    target: str
    guard: Guard | None = None
    outcome: Outcome = "success"
    back: bool = False
    span: Place | SourceSpan | None = None


class DataLink(Frozen):
    """The datum `data` flows from the task that writes it (source) to the task that reads it (target)."""

    source: str
    target: str
    data: str
    span: Place | SourceSpan | None = None


class Workflow(Element):
    """A workflow, and the named sub-workflows that its composites call.

    Only the main workflow has `subworkflows`, as a flat list. Composites refer to them by name. This allows recursion,
    and the comparison of steps that move into or out of a composite.

    `format` is the id of the format of the file; it is empty for a workflow that was not read. `spans` are the
    positions of the values of the file by path. `resolved` are the positions in the file of references and expressions
    that the reader translated without loss: to links, or by taking the data they refer to as data of the element. Only
    the main workflow has them. None of these is part of the content.
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
    format: str = Field(default="", exclude=True, repr=False)
    spans: dict[tuple[str | int, ...], Place | SourceSpan] = Field(default_factory=dict, exclude=True, repr=False)
    resolved: tuple[tuple[str | int, ...], ...] = Field(default=(), exclude=True, repr=False)

    def to_json(self) -> str:
        """Return the stable JSON form: fields in declared order, two-space indent, final newline."""
        return self.model_dump_json(indent=2, exclude_defaults=True) + "\n"

    def content_hash(self) -> str:
        """Return a hash of the exact value, including ids and listing order; it is used as a cache key.

        For a hash that ignores ids and listing order see `wfgate.model.canonical.fingerprint`.
        """
        return hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()

    def span_of(self, path: tuple[str | int, ...]) -> SourceSpan | None:
        """Return the position of the value at a path of the file, or of its nearest ancestor with a known position."""
        return next((self.spans[path[:end]] for end in range(len(path), -1, -1) if path[:end] in self.spans), None)

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements that have data of their own: this workflow, its tasks and gateways, and their definitions."""
        own = (self, *self.tasks, *self.gateways)
        return (*own, *(definition for element in own for definition in element.definitions))


def _words(value: JsonValue) -> str:
    """Return an argument value as text."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_words(inner) for inner in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
