"""One entry of a task list: its name, kind and fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from wfgate.formats.fields import Fields, did_you_mean
from wfgate.formats.serverless.jq import expression, unwrapped
from wfgate.model import Loop, SourceSpan, Task
from wfgate.model.workflow import TaskKind

Keyword = Literal[
    "try", "for", "call", "do", "emit", "fork", "listen", "raise", "run", "set", "switch", "wait"
]  # `for` and `try` first: they come with another keyword
KEYWORDS: tuple[Keyword, ...] = get_args(Keyword)
_EVENTS = frozenset({"listen", "wait"})
_KNOWN = frozenset({*KEYWORDS, "if", "input", "output", "export", "timeout", "then", "metadata", "with", "catch"})
_BESIDE: dict[str, tuple[str, ...]] = {"for": ("do", "while"), "try": (), "listen": ("foreach",)}
_UNITS = {"days": "d", "hours": "h", "minutes": "m", "seconds": "s", "milliseconds": "ms"}


@dataclass(frozen=True)
class Entry:
    """One task: its name, its fields and the keyword of its kind."""

    name: str
    fields: Fields
    keyword: Keyword

    @classmethod
    def of(cls, item: Fields) -> "Entry":
        """Read an item of a list.

        Raises:
            FormatError: If the item is not a mapping of one name to one task.
        """
        if len(item.value) != 1:
            message = "has no name" if not item.value else f"has {len(item.value)} names"
            raise item.error(
                f"an item of the list {message}",
                fix="write `- name:` for each task, and the fields of the task under it",
            )
        name = next(iter(item.value))
        if not name:
            raise item.error("a task has no name", name, fix="give the task a name")
        fields = Fields(item.document, (*item.path, name), item.value[name], what=f"the task {name[:80]!r}")
        found = [keyword for keyword in KEYWORDS if keyword in fields]
        if not found:
            close = did_you_mean(next(iter(fields.value), ""), KEYWORDS)
            raise fields.error(f"the task {name[:80]!r} has no known kind of work", fix=close)
        keyword = found[0]
        if len(found) > 1 and not set(found[1:]) <= {*_BESIDE.get(keyword, ())}:
            both = " and ".join(repr(each) for each in found[:2])
            raise fields.error(f"the task {name[:80]!r} has both {both}", found[1], fix="delete one of the two keys")
        return cls(name, fields, keyword)

    @property
    def span(self) -> SourceSpan | None:
        """Position of the task in the file."""
        return self.fields.document.span(*self.fields.path)

    @property
    def condition(self) -> str | None:
        """The `if` of the task as a condition; None if there is no `if`."""
        return condition(self.fields, "if")

    def unknown(self) -> list[str]:
        """Return the keys that a task cannot have."""
        known = _KNOWN | {*_BESIDE.get(self.keyword, ())}
        return [key for key in self.fields.value if key not in known]

    def task(self, own: str, *, workflow: str | None, timeouts: Mapping[str, Any], loop: Loop | None = None) -> Task:
        """Return the task.

        Args:
            own: Id of the task.
            workflow: The sub-workflow of the task, or the workflow in another file that it runs.
            timeouts: The named timeouts of the file.
            loop: The loop of the task.
        """
        kind: TaskKind = "event" if self.keyword in _EVENTS else "task"
        metadata = self.fields.value.get("metadata")
        said = metadata.get("description") if isinstance(metadata, dict) else None
        return Task(
            id=own,
            name=self.name,
            description=said if isinstance(said, str) else "",
            kind="composite" if workflow is not None else kind,
            action=self._action(),
            workflow=workflow,
            external=workflow is not None and self.keyword == "run",
            params=self._params(),
            timeout=self._timeout(timeouts),
            loop=loop,
            span=self.span,
            path=self.fields.path,
        )

    def _action(self) -> str:
        value = self.fields.value[self.keyword]
        if self.keyword == "call" and isinstance(value, str):
            return f"call {value}"
        if self.keyword == "run" and isinstance(value, dict):
            return " ".join(["run", *[key for key in value if key in {"container", "script", "shell", "workflow"}]])
        return self.keyword

    def _params(self) -> dict[str, Any]:
        """Return the arguments, then the transformations of input and output."""
        value = self.fields.value
        found = self._arguments()
        caught = value.get("catch")
        if self.keyword == "try" and isinstance(caught, dict):
            found = {key: caught[key] for key in ("as", "retry") if key in caught}
        if self.keyword == "listen" and isinstance(value.get("foreach"), dict):
            found["foreach"] = {key: inner for key, inner in value["foreach"].items() if key != "do"}
        for key in ("input", "output", "export"):
            if key in value:
                found[key if key not in found else f"{key} of the task"] = value[key]
        return found

    def _arguments(self) -> dict[str, Any]:
        said = self.fields.value[self.keyword]
        parts: dict[str, Any] = said if isinstance(said, dict) else {}
        match self.keyword:
            case "call":
                return _arguments("with", self.fields.value.get("with", {}))
            case "run":
                return {name: value for key, inner in parts.items() for name, value in _arguments(key, inner).items()}
            case "emit":
                event = parts.get("event")
                return _arguments("event", event.get("with", event) if isinstance(event, dict) else event)
            case "fork" | "for":
                return {key: inner for key, inner in parts.items() if key not in {"branches", "in"}}
            case "do" | "switch" | "try":
                return {}
            case _:
                return _arguments(self.keyword, said)

    def _timeout(self, named: Mapping[str, Any]) -> str | None:
        value = self.fields.value.get("timeout")
        known = named.get(value) if isinstance(value, str) else value
        return value if known is None and isinstance(value, str) else duration(known)


def condition(fields: Fields, key: str) -> str | None:
    """Return the condition under a key in wfgate's plain condition language; None if the key is missing.

    Raises:
        FormatError: If the condition is not a text.
    """
    value = fields.value.get(key)
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str) or not unwrapped(value):
        raise fields.error(
            f"{key!r} must be a runtime expression", key, fix="write the expression as ${ .field == 'value' }"
        )
    return expression(value)


def duration(value: object) -> str | None:
    """Return a duration as text.

    Example:
        >>> duration({"after": {"minutes": 1, "seconds": 30}}), duration({"after": "PT30S"})
        ('1m 30s', 'PT30S')
    """
    after = value.get("after") if isinstance(value, dict) else None
    if isinstance(after, dict):
        parts = [f"{after[unit]}{short}" for unit, short in _UNITS.items() if isinstance(after.get(unit), int | float)]
        return " ".join(parts) or None
    return after if isinstance(after, str) else None


def _arguments(key: str, value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {key: value}
