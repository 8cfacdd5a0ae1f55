"""What an XXP file says, before one workflow inherits from another."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from wfgate.model import SourceSpan
from wfgate.model.workflow import Operator

Kind = Literal["workflow", "experiment", "task", "space", "interaction"]


@dataclass(frozen=True)
class Arrow:
    """One link as written: `->`, `?->` with a condition, `!->` with an exception."""

    source: str
    target: str
    sign: str
    said: str | None
    span: SourceSpan


@dataclass(frozen=True)
class Place:
    """One end of a data link: a task, a datum, or a port of a task."""

    name: str
    port: str | None
    span: SourceSpan


@dataclass(frozen=True)
class Gate:
    """An operator that splits or joins the flow."""

    op: Operator
    joins: bool
    span: SourceSpan


@dataclass
class Block:
    """A workflow, an experiment, a task with all that is said about it, or a `configure task`.

    Attributes:
        package: The package that it stands in.
        base: The workflow that it is derived from.
        action: The implementation, where it is a file or a service.
        calls: The workflow that a task runs.
        origin: The workflow that its inside is a copy of.
        repeats: The parameters that an experiment space runs over.
        inside: Tasks by name, in order.
        configs: What `configure task` says about tasks, theirs or inherited.
        mentioned: Nodes that links name.
    """

    kind: Kind
    name: str
    span: SourceSpan
    package: str = ""
    base: str | None = None
    description: str = ""
    action: str | None = None
    calls: str | None = None
    origin: str | None = None
    repeats: list[str] = field(default_factory=list)
    params: dict[str, JsonValue] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    inside: dict[str, "Block"] = field(default_factory=dict)
    twice: list["Block"] = field(default_factory=list)
    configs: list["Block"] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    flows: list[tuple[Place, ...]] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    mentioned: dict[str, None] = field(default_factory=dict)

    @property
    def composite(self) -> bool:
        """Whether the task has a flow of its own."""
        return bool(self.inside or self.arrows)
