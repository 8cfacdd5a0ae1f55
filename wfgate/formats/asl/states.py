"""One state as a task."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wfgate.documents import Diagnostic
from wfgate.formats.asl.data import Offered, written
from wfgate.formats.fields import Fields, did_you_mean
from wfgate.model import Loop, SourceSpan, Task
from wfgate.model.workflow import TaskKind

StateType = Literal["Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"]
TYPES: tuple[StateType, ...] = ("Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map")

LONGEST_NAME = 80
"""Characters of a state's name that AWS accepts."""
ATTEMPTS = 3
"""How often a retrier that says nothing tries again."""

_ELSEWHERE = frozenset(
    {
        *("Type", "Comment", "Next", "End", "Choices", "Default", "Catch", "Resource", "QueryLanguage", "Assign"),
        *("Branches", "Iterator", "ItemProcessor", "TimeoutSeconds", "TimeoutSecondsPath", "Parameters", "Arguments"),
        *("Items", "ItemsPath"),
    }
)
"""Fields that are read as something else than a parameter."""
_PARAMETERS = frozenset(
    {
        *("InputPath", "OutputPath", "ResultPath", "ResultSelector", "Result", "Output", "Retry", "Credentials"),
        *("HeartbeatSeconds", "HeartbeatSecondsPath", "Seconds", "SecondsPath", "Timestamp", "TimestampPath"),
        *("Error", "ErrorPath", "Cause", "CausePath", "MaxConcurrency", "MaxConcurrencyPath", "ItemSelector"),
        *("ItemReader", "ItemBatcher", "ResultWriter", "Label", "ToleratedFailureCount", "ToleratedFailureCountPath"),
        *("ToleratedFailurePercentage", "ToleratedFailurePercentagePath"),
    }
)
_EITHER = (
    *(("Next", "End"), ("TimeoutSeconds", "TimeoutSecondsPath"), ("HeartbeatSeconds", "HeartbeatSecondsPath")),
    *(("Error", "ErrorPath"), ("Cause", "CausePath"), ("Items", "ItemsPath"), ("ItemProcessor", "Iterator")),
    *(("MaxConcurrency", "MaxConcurrencyPath"), ("ToleratedFailureCount", "ToleratedFailureCountPath")),
    ("ToleratedFailurePercentage", "ToleratedFailurePercentagePath"),
)
"""Fields of which a state may have one."""
_WHEN = ("Seconds", "SecondsPath", "Timestamp", "TimestampPath")
_ONLY_JSONPATH = frozenset({"InputPath", "OutputPath", "ResultPath", "ResultSelector", "Parameters", "ItemsPath"})
_ONLY_JSONATA = frozenset({"Arguments", "Output", "Items"})


@dataclass(frozen=True)
class State:
    """One state: its fields, its type, and how it queries."""

    name: str
    fields: Fields
    type: StateType
    jsonata: bool

    @classmethod
    def of(cls, fields: Fields, name: str, *, jsonata: bool) -> "State":
        """Read what kind of state it is.

        Raises:
            FormatError: If it is none, or has two fields that exclude each other.
        """
        if not name:
            raise fields.error("a state has no name", fix="name the state")
        if "Type" not in fields:
            raise fields.error(f"the state {name[:80]!r} has no 'Type'", fix=f"add 'Type': one of {', '.join(TYPES)}")
        kind = fields.choice("Type", TYPES)
        for one, other in (*_EITHER, *((a, b) for a in _WHEN for b in _WHEN if a < b)):
            if one in fields and other in fields and fields.value[one] is not None:
                raise fields.error(
                    f"the state {name[:80]!r} has both {one!r} and {other!r}", other, fix="keep one of the two"
                )
        if fields.value.get("End", True) is not True:
            raise fields.error("'End' must be true", "End", fix="write true, or leave 'End' out")
        own = fields.value.get("QueryLanguage")
        return cls(name, fields, kind, own == "JSONata" if isinstance(own, str) else jsonata)

    def said(self) -> list[Diagnostic]:
        """Return what is odd about the state."""
        fields = self.fields
        found = []
        if len(self.name) > LONGEST_NAME:
            found.append(self.note("warning", f"the name is longer than {LONGEST_NAME} characters: AWS refuses it"))
        for key in fields.value:
            language = "JSONata" if self.jsonata else "JSONPath"
            if key not in _ELSEWHERE and key not in _PARAMETERS:
                fix = did_you_mean(key, sorted(_ELSEWHERE | _PARAMETERS))
                found.append(self.note("warning", f"not read: a state has no key {key[:80]!r}", key, fix=fix))
            elif key in (_ONLY_JSONPATH if self.jsonata else _ONLY_JSONATA):
                found.append(
                    self.note("warning", f"{key!r} means nothing where the query language is {language}", key)
                )
        return found

    def note(
        self, severity: Literal["warning", "info"], message: str, *keys: str | int, fix: str | None = None
    ) -> Diagnostic:
        """Return a remark about a field."""
        return self.fields.document.diagnostic(severity, message, *self.fields.path, *keys, fix=fix)

    @property
    def span(self) -> SourceSpan | None:
        """Where the state stands."""
        return self.fields.document.span(*self.fields.path)

    def task(self, own: str, offered: Offered, *, workflow: str | None = None, inner: bool = False) -> Task:
        """Return the task.

        Args:
            own: Its id.
            offered: What the states around it write.
            workflow: The sub-workflow or the other machine that it runs.
            inner: Whether that is in the file. Its states say what they write; what they give back is no datum of
                theirs.
        """
        value = self.fields.value
        return Task(
            id=own,
            name=self.name,
            description=self._described(),
            kind=self._kind(workflow),
            action=self._action(),
            workflow=workflow,
            external=workflow is not None and not inner,
            inputs=() if inner else offered.read_by(value),
            outputs=() if inner else written(value),
            params=self._params(kept=inner),
            timeout=self._timeout(),
            loop=self._loop(),
            span=self.span,
        )

    def _kind(self, workflow: str | None) -> TaskKind:
        if workflow is not None:
            return "composite"
        action = self._action()
        waits = self.type == "Task" and (".waitForTaskToken" in action or ":activity:" in action)
        return "event" if waits or self.type == "Wait" else "task"

    def _action(self) -> str:
        resource = self.fields.value.get("Resource")
        if self.type != "Task" or resource is None:
            return self.type
        return resource if isinstance(resource, str) else json.dumps(resource, ensure_ascii=False)

    def _described(self) -> str:
        comment = self.fields.value.get("Comment")
        return comment.strip() if isinstance(comment, str) else ""

    def _params(self, *, kept: bool) -> dict[str, Any]:
        """Return the arguments, then the other fields as they are written."""
        value = self.fields.value
        key = "Arguments" if self.jsonata and "Arguments" in value else "Parameters"
        arguments = value.get(key, {})
        found: dict[str, Any] = dict(arguments) if isinstance(arguments, dict) else {key: arguments}
        stated = {"ResultPath"} if written({"ResultPath": value.get("ResultPath")}) and not kept else set()
        for field in value:
            if field in _PARAMETERS and field not in stated:
                found[field if field not in found else f"{field} of the state"] = value[field]
        if kept and "Assign" in value:
            found["Assign"] = value["Assign"]
        config = self._processor().get("ProcessorConfig")
        return found | ({"ProcessorConfig": config} if config else {})

    def _processor(self) -> Mapping[str, Any]:
        value = self.fields.value
        inner = value.get("ItemProcessor", value.get("Iterator")) if self.type == "Map" else None
        return inner if isinstance(inner, dict) else {}

    def _timeout(self) -> str | None:
        value = self.fields.value
        limit = value.get("TimeoutSeconds", value.get("TimeoutSecondsPath"))
        if limit is None or isinstance(limit, bool | dict | list):
            return None
        return f"{limit}s" if isinstance(limit, int | float) else str(limit)

    def _loop(self) -> Loop | None:
        value = self.fields.value
        if self.type == "Map":
            return Loop(mode="foreach", over=self._over())
        retries = sum(self._attempts(retrier) for retrier in self.fields.entries("Retry"))
        return Loop(mode="until", condition="it succeeds", max=retries + 1) if retries and "Retry" in value else None

    def _attempts(self, retrier: object) -> int:
        said = retrier.get("MaxAttempts", ATTEMPTS) if isinstance(retrier, dict) else ATTEMPTS
        return said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else ATTEMPTS

    def _over(self) -> str:
        """Return what a Map runs over: a path, an expression, a list, or what reads the items."""
        value = self.fields.value
        items = value.get("Items", value.get("ItemsPath"))
        reader = value.get("ItemReader")
        if items is not None:
            return items if isinstance(items, str) else json.dumps(items, ensure_ascii=False)
        if isinstance(reader, dict) and isinstance(reader.get("Resource"), str):
            return f"items of {reader['Resource']}"
        return "$states.input" if self.jsonata else str(value.get("InputPath") or "$")
