"""One entry of a task list: its name, kind and fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from annotated_types import MinLen
from pydantic import BeforeValidator, ConfigDict, Field

from wfgate.model import Loop, SourceSpan, Task
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.serverless.jq import expression, unwrapped
from wfgate.read.formats.typed import Written, read_shape
from wfgate.read.formats.words import did_you_mean

Keyword = Literal[
    "try", "for", "call", "do", "emit", "fork", "listen", "raise", "run", "set", "switch", "wait"
]  # `for` and `try` first: they come with another keyword
KEYWORDS: tuple[Keyword, ...] = get_args(Keyword)
_BESIDE: dict[str, tuple[str, ...]] = {"for": ("do", "while"), "try": (), "listen": ("foreach",)}
_UNITS = {"days": "d", "hours": "h", "minutes": "m", "seconds": "s", "milliseconds": "ms"}


def _condition(value: Any) -> str | None:
    """Return a runtime expression as a condition in wfgate's plain condition language; None if there is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is not None and not (isinstance(value, str) and unwrapped(value)):
        raise ValueError("must be a runtime expression, such as ${ .field == 'value' }")
    return None if value is None else expression(value)


Condition = Annotated[str | None, BeforeValidator(_condition)]
Items = tuple[Any, ...]
"""A list of tasks."""


class ServerlessShape(Written):
    """A part of a workflow; numbers are not texts."""

    model_config = ConfigDict(coerce_numbers_to_str=False)


class SwitchCase(ServerlessShape):
    """A case of a `switch`."""

    when: Condition = None
    then: str = "continue"


class TryCatch(ServerlessShape):
    """The `catch` of a `try` task."""

    errors: Any = None
    when: Condition = None
    unless: Condition = Field(default=None, alias="exceptWhen")
    retry: Any = None
    do: Items = ()


class Fork(ServerlessShape):
    """The branches of a `fork`."""

    branches: Annotated[Items, MinLen(1)]
    compete: bool = False


class Each(ServerlessShape):
    """The items of a `for`."""

    items: Any = Field(default=None, alias="in")


class AnyTask(ServerlessShape):
    """What the reader reads of every task."""

    condition: Condition = Field(default=None, alias="if")
    then: str = "continue"
    do: Items = ()
    try_: Items = Field(default=(), alias="try")
    each: Each = Field(default=Each(), alias="for")
    while_: Condition = Field(default=None, alias="while")
    fork: Fork = Fork.model_construct(branches=())  # not used without the key
    switch: tuple[dict[str, SwitchCase], ...] = ()
    catch: TryCatch = TryCatch()
    aside: ClassVar[frozenset[str]] = frozenset(
        {*KEYWORDS, "input", "output", "export", "timeout", "metadata", "with", "foreach"}
    )


@dataclass(frozen=True)
class ServerlessTask:
    """One task: its place, its fields as written and as a shape, and the keyword of its kind."""

    document: Document
    path: Path
    value: dict[str, Any]
    shape: AnyTask
    keyword: Keyword

    @classmethod
    def of(cls, document: Document, path: Path, item: Any) -> "ServerlessTask":
        """Read an item of a list.

        Raises:
            FormatError: If the item is not a mapping of one name to one task.
        """
        if not isinstance(item, dict) or len(item) != 1:
            message = f"has {len(item) or 'no'} names" if isinstance(item, dict) else "is not a task"
            fix = "write `- name:` for each task, and the fields of the task under it"
            raise document.error(f"an item of the list {message}", *path, fix=fix)
        ((name, value),) = item.items()
        path, what = (*path, name), f"the task {name[:80]!r}"
        if not name:
            raise document.error("a task has no name", *path, fix="give the task a name")
        shape = read_shape(AnyTask, value, document, path, what)
        keywords = [keyword for keyword in KEYWORDS if keyword in value]
        if not keywords:
            fix = did_you_mean(next(iter(value), ""), KEYWORDS)
            raise document.error(f"{what} has no known kind of work", *path, fix=fix)
        if len(keywords) > 1 and not set(keywords[1:]) <= {*_BESIDE.get(keywords[0], ())}:
            both = " and ".join(repr(each) for each in keywords[:2])
            raise document.error(f"{what} has both {both}", *path, keywords[1], fix="delete one of the two keys")
        return cls(document, path, value, shape, keywords[0])

    @property
    def name(self) -> str:
        """The name of the task."""
        return str(self.path[-1])

    def span(self, *path: str | int) -> SourceSpan | None:
        """Return the position of the task, or of a value in it."""
        return self.document.span(*self.path, *path)

    def task(self, own: str, *, workflow: str | None, timeouts: Mapping[str, Any], loop: Loop | None = None) -> Task:
        """Return the task.

        Args:
            own: Id of the task.
            workflow: The sub-workflow of the task, or the workflow in another file that it runs.
            timeouts: The named timeouts of the file.
            loop: The loop of the task.
        """
        said, limit = mapping(self.value.get("metadata")).get("description"), self.value.get("timeout")
        known = timeouts.get(limit) if isinstance(limit, str) else limit
        is_event = self.keyword in {"listen", "wait"}
        return Task(
            id=own,
            name=self.name,
            description=said if isinstance(said, str) else "",
            kind="composite" if workflow is not None else "event" if is_event else "task",
            action=self._action(),
            workflow=workflow,
            external=workflow is not None and self.keyword == "run",
            params=self._params(),
            timeout=limit if known is None and isinstance(limit, str) else duration(known),
            loop=loop,
            span=self.span(),
            path=self.path,
        )

    def _action(self) -> str:
        value = self.value[self.keyword]
        if self.keyword == "call" and isinstance(value, str):
            return f"call {value}"
        kinds = {"container", "script", "shell", "workflow"} if self.keyword == "run" else {}
        return " ".join([self.keyword, *(key for key in mapping(value) if key in kinds)])

    def _params(self) -> dict[str, Any]:
        """Return the arguments, then the transformations of input and output."""
        params = self._arguments()
        if self.keyword == "listen" and isinstance(self.value.get("foreach"), dict):
            params["foreach"] = {key: inner for key, inner in self.value["foreach"].items() if key != "do"}
        for key in ("input", "output", "export"):
            if key in self.value:
                params[key if key not in params else f"{key} of the task"] = self.value[key]
        return params

    def _arguments(self) -> dict[str, Any]:
        key: str = self.keyword
        value = self.value[key]
        match key:
            case "call":
                key, value = "with", self.value.get("with", {})
            case "run":
                parts = [_as_mapping(inner, kind).items() for kind, inner in mapping(value).items()]
                value = {name: inner for part in parts for name, inner in part}
            case "emit":
                key, value = "event", mapping(value).get("event")
                value = mapping(value).get("with", value)
            case "fork" | "for":
                value = {name: inner for name, inner in mapping(value).items() if name not in {"branches", "in"}}
            case "try":
                caught = mapping(self.value.get("catch"))
                value = {name: caught[name] for name in ("as", "retry") if name in caught}
            case "do" | "switch":
                value = {}
        return _as_mapping(value, key)


def duration(value: object) -> str | None:
    """Return a duration as text.

    Example:
        >>> duration({"after": {"minutes": 1, "seconds": 30}}), duration({"after": "PT30S"})
        ('1m 30s', 'PT30S')
    """
    after = mapping(value).get("after")
    if isinstance(after, dict):
        parts = [f"{after[unit]}{short}" for unit, short in _UNITS.items() if isinstance(after.get(unit), int | float)]
        return " ".join(parts) or None
    return after if isinstance(after, str) else None


def mapping(value: object) -> dict[str, Any]:
    """Return a mapping; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def _as_mapping(value: object, key: str) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {key: value}
