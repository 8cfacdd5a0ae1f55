"""The states of a state machine, and the links that leave them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wfgate.documents import Diagnostic
from wfgate.formats.asl.data import Offered, written
from wfgate.formats.fields import Fields, did_you_mean
from wfgate.model import END, Guard, Link, Loop, SourceSpan, Task
from wfgate.model.workflow import Language, Outcome, TaskKind

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
_LANGUAGE: Language = "asl"
_TIMEOUTS = ("States.Timeout", "States.HeartbeatTimeout")
_ANY, _ANY_FAILURE = "States.ALL", "States.TaskFailed"
_NO_CONDITION = ("Next", "Comment", "Assign", "Output")
Way = tuple[str | None, Link]
"""A link whose target is still to be found: the name of the next state, None for END."""


@dataclass(frozen=True)
class State:
    """One state: its fields, its type and its query language."""

    name: str
    fields: Fields
    type: StateType
    jsonata: bool

    @classmethod
    def of(cls, fields: Fields, name: str, *, jsonata: bool) -> "State":
        """Read the type and the query language of a state.

        Raises:
            FormatError: If the fields are not a state, or two fields exclude each other.
        """
        if not name:
            raise fields.error("a state has no name", fix="give the state a name")
        if "Type" not in fields:
            raise fields.error(f"the state {name[:80]!r} has no 'Type'", fix=f"add 'Type': one of {', '.join(TYPES)}")
        kind = fields.choice("Type", TYPES)
        for one, other in (*_EITHER, *((a, b) for a in _WHEN for b in _WHEN if a < b)):
            if one in fields and other in fields and fields.value[one] is not None:
                raise fields.error(
                    f"the state {name[:80]!r} has both {one!r} and {other!r}", other, fix="delete one of the two keys"
                )
        if fields.value.get("End", True) is not True:
            raise fields.error("'End' must be true", "End", fix="write true, or leave 'End' out")
        own = fields.value.get("QueryLanguage")
        return cls(name, fields, kind, own == "JSONata" if isinstance(own, str) else jsonata)

    def said(self) -> list[Diagnostic]:
        """Return the diagnostics about the fields of the state."""
        fields = self.fields
        found = []
        if len(self.name) > LONGEST_NAME:
            found.append(
                self.note(
                    "warning", f"the name of the state is longer than {LONGEST_NAME} characters, so AWS rejects it"
                )
            )
        for key in fields.value:
            language = "JSONata" if self.jsonata else "JSONPath"
            if key not in _ELSEWHERE and key not in _PARAMETERS:
                fix = did_you_mean(key, sorted(_ELSEWHERE | _PARAMETERS))
                found.append(
                    self.note("warning", f"a state has no key {key[:80]!r}; the key is not read", key, fix=fix)
                )
            elif key in (_ONLY_JSONPATH if self.jsonata else _ONLY_JSONATA):
                found.append(self.note("warning", f"{key!r} has no effect in the query language {language}", key))
        return found

    def note(
        self, severity: Literal["warning", "info"], message: str, *keys: str | int, fix: str | None = None
    ) -> Diagnostic:
        """Return a diagnostic about a field."""
        return self.fields.document.diagnostic(severity, message, *self.fields.path, *keys, fix=fix)

    @property
    def span(self) -> SourceSpan | None:
        """Position of the state in the file."""
        return self.fields.document.span(*self.fields.path)

    def task(self, own: str, offered: Offered, *, workflow: str | None = None, inner: bool = False) -> Task:
        """Return the task of the state.

        Args:
            own: Id of the task.
            offered: The data that the states on the same level write.
            workflow: Name of the sub-workflow, or of the other state machine that the task starts.
            inner: Whether `workflow` is a sub-workflow in the file. Then its states have the inputs and outputs, not
                this task.
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
            path=self.fields.path,
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
        """Return the items of a Map state: a path, an expression, a list, or the reader of the items."""
        value = self.fields.value
        items = value.get("Items", value.get("ItemsPath"))
        reader = value.get("ItemReader")
        if items is not None:
            return items if isinstance(items, str) else json.dumps(items, ensure_ascii=False)
        if isinstance(reader, dict) and isinstance(reader.get("Resource"), str):
            return f"items of {reader['Resource']}"
        return "$states.input" if self.jsonata else str(value.get("InputPath") or "$")


def ways(state: State, own: str, *, inner: bool = False) -> Iterator[Way]:
    """Yield the links that leave a state, each with the name of the next state; the name is None for END.

    A Fail state inside a Map or Parallel state ends that state with a failure. The next state is not reached.

    Args:
        state: The state.
        own: Id of the task.
        inner: Whether the state is inside a Map or Parallel state.

    Raises:
        FormatError: If a choice rule or a catcher is not valid or has no next state.
    """
    fields = state.fields
    if state.type == "Choice":
        yield from _rules(state, own)
    elif state.type in {"Succeed", "Fail"}:
        outcome: Outcome = "failure" if inner and state.type == "Fail" else "success"
        yield None, Link(source=own, target=END, outcome=outcome, span=state.span)
    elif "Next" in fields:
        yield _next(fields, "Next"), Link(source=own, target=END, span=fields.document.span(*fields.path, "Next"))
    elif "End" in fields:
        yield None, Link(source=own, target=END, span=fields.document.span(*fields.path, "End"))
    if "Catch" in fields:
        yield from _catchers(state, own)


def _rules(state: State, own: str) -> Iterator[Way]:
    fields = state.fields
    rules = fields.entries("Choices")
    if not rules:
        raise fields.error(f"the Choice {state.name[:80]!r} has no 'Choices'", fix="add a list of rules to 'Choices'")
    for place, value in enumerate(rules):
        rule = Fields(fields.document, (*fields.path, "Choices", place), value, what="a choice rule")
        condition = rule.value.get("Condition")
        guard = Guard(expr=_text(rule.value, condition), language=_LANGUAGE, order=place + 1)
        span = rule.document.span(*rule.path)
        yield _next(rule, "Next"), Link(source=own, target=END, guard=guard, span=span)
    if "Default" in fields:
        span = fields.document.span(*fields.path, "Default")
        guard = Guard(default=True, language=_LANGUAGE)
        yield _next(fields, "Default"), Link(source=own, target=END, guard=guard, span=span)


def _text(rule: dict[str, Any], condition: object) -> str:
    if isinstance(condition, str):
        return condition
    return json.dumps({key: value for key, value in rule.items() if key not in _NO_CONDITION}, ensure_ascii=False)


def _next(fields: Fields, key: str) -> str:
    if key not in fields:
        raise fields.error(f"{fields.what} has no {key!r}", fix=f"add {key!r}: the name of the next state")
    name = fields.text(key)
    if not name:
        raise fields.error(f"{key!r} must not be empty", key, fix="write the name of the next state")
    return name


def _catchers(state: State, own: str) -> Iterator[Way]:
    """Yield links on failure and on timeout; catchers of single errors become conditions in their order."""
    fields = state.fields
    catchers = []
    for place, value in enumerate(fields.entries("Catch")):
        catcher = Fields(fields.document, (*fields.path, "Catch", place), value, what="a catcher")
        if "ErrorEquals" not in catcher:
            raise catcher.error("a catcher has no 'ErrorEquals'", fix="add 'ErrorEquals': a list of errors")
        catchers.append((catcher, catcher.texts("ErrorEquals")))
    outcomes: tuple[Outcome, ...] = ("failure", "timeout")
    for outcome in outcomes:
        caught = [(catcher, names) for catcher, said in catchers if (names := _of(outcome, said))]
        for place, (catcher, names) in enumerate(caught):
            guard = _guard(state.name, names, place, len(caught))
            link = Link(source=own, target=END, guard=guard, outcome=outcome, span=fields.document.span(*catcher.path))
            yield _next(catcher, "Next"), link


def _of(outcome: Outcome, errors: Sequence[str]) -> list[str]:
    """Return the errors of a catcher that belong to this outcome; a named timeout error belongs to `timeout`."""
    return [name for name in errors if (name in _TIMEOUTS) == (outcome == "timeout")]


def _guard(state: str, errors: Sequence[str], place: int, count: int) -> Guard | None:
    """Return the condition of one of several catchers.

    The error is a value of its own state, because two states can fail for different reasons.
    """
    everything = _ANY in errors or _ANY_FAILURE in errors or errors[0] in _TIMEOUTS
    if everything and count == 1:
        return None
    if everything and place == count - 1:
        return Guard(default=True, language=_LANGUAGE)
    subject = f"`error of {state.replace('`', ' ')}`"
    caught = ", ".join(_quoted(name) for name in errors)
    said = f"{subject} != 'States.Timeout'" if everything else f"{subject} in [{caught}]"
    said = f"{subject} = {caught}" if len(errors) == 1 and not everything else said
    return Guard(expr=f"{{% {said} %}}", language=_LANGUAGE, order=place + 1 if count > 1 else None)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
