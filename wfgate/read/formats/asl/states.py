"""The states of a state machine, and the links that leave them."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import MinLen
from pydantic import ConfigDict
from pydantic.alias_generators import to_pascal

from wfgate.model import END, Guard, Language, Link, Loop, Outcome, SourceSpan, Task
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.asl.data import Offered, written
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import Written, read_shape
from wfgate.read.formats.words import quoted

LONGEST_NAME = 80
"""Characters of a state's name that AWS accepts."""
ATTEMPTS = 3
"""How often a retrier that says nothing tries again."""

_OR_PATH = (
    *("Cause", "Error", "HeartbeatSeconds", "MaxConcurrency", "Seconds", "Timestamp", "ToleratedFailureCount"),
    "ToleratedFailurePercentage",
)
"""Parameters of which the value may be a path, under a key of its own."""
_PARAMETERS = frozenset(
    {
        *("InputPath", "OutputPath", "ResultPath", "ResultSelector", "Result", "Output", "Retry", "Credentials"),
        *("ItemSelector", "ItemReader", "ItemBatcher", "ResultWriter", "Label"),
        *(f"{key}{path}" for key in _OR_PATH for path in ("", "Path")),
    }
)
_EITHER = (
    *(("Next", "End"), ("ItemProcessor", "Iterator"), ("Seconds", "SecondsPath", "Timestamp", "TimestampPath")),
    *((key, f"{key}Path") for key in (*_OR_PATH, "TimeoutSeconds", "Items")),
)
"""Fields of which a state may have one."""
_PARTS = {"Choice": "Choices", "Parallel": "Branches", "Map": "ItemProcessor"}
"""What a state of some types must have."""
_ONLY_JSONPATH = frozenset({"InputPath", "OutputPath", "ResultPath", "ResultSelector", "Parameters", "ItemsPath"})
_ONLY_JSONATA = frozenset({"Arguments", "Output", "Items"})
_LANGUAGE: Language = "asl"
_TIMEOUTS = ("States.Timeout", "States.HeartbeatTimeout")
_ANY = {"States.ALL", "States.TaskFailed"}
_NO_CONDITION = ("Next", "Comment", "Assign", "Output")

Name = Annotated[str, MinLen(1)]
"""The name of a state."""


class AslShape(Written):
    """A part of a state machine: keys in capitals, and no numbers as texts."""

    model_config = ConfigDict(alias_generator=to_pascal, coerce_numbers_to_str=False)


class ChoiceRule(AslShape):
    """One of `Choices`."""

    condition: Any = None
    next: Name


class Catcher(AslShape):
    """One of `Catch`."""

    error_equals: tuple[str, ...]
    next: Name


class AnyState(AslShape):
    """What the reader reads of every state."""

    type: Literal["Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"]
    next: Name = ""
    default: Name = ""
    end: Any = True
    catch: tuple[Catcher, ...] = ()
    choices: tuple[ChoiceRule, ...] = ()
    branches: tuple[Any, ...] = ()
    retry: tuple[Any, ...] = ()
    aside: ClassVar[frozenset[str]] = _PARAMETERS | {
        *("Comment", "Resource", "QueryLanguage", "Assign", "Iterator", "ItemProcessor", "TimeoutSeconds"),
        *("TimeoutSecondsPath", "Parameters", "Arguments", "Items", "ItemsPath"),
    }


@dataclass(frozen=True)
class State:
    """One state: its place, its data as written and as a shape, its query language.

    `part` is the key of the rules, branches or machine inside it, otherwise "Type".
    """

    document: Document
    path: Path
    value: dict[str, Any]
    shape: AnyState
    jsonata: bool
    part: str

    @classmethod
    def of(cls, document: Document, path: Path, value: Any, *, jsonata: bool) -> "State":
        """Read a state.

        Raises:
            FormatError: If the value is not a state, or two fields exclude each other.
        """
        what = f"the state {str(path[-1])[:80]!r}"
        if not path[-1]:
            raise document.error("a state has no name", *path, fix="give the state a name")
        shape = read_shape(AnyState, value, document, path, what)
        old = shape.type == "Map" and "Iterator" in value
        part = "Iterator" if old else _PARTS.get(shape.type, "Type")
        if part not in value or value[part] == []:
            raise document.error(
                f"the {shape.type} {str(path[-1])[:80]!r} has no {part!r}", *path, fix=f"add {part!r}"
            )
        for keys in _EITHER:
            one, other, *_ = *(key for key in keys if key in value), "", ""
            if other and value[one] is not None:
                raise document.error(
                    f"{what} has both {one!r} and {other!r}", *path, other, fix="delete one of the two keys"
                )
        if shape.end is not True:
            raise document.error("'End' must be true", *path, "End", fix="write true, or leave 'End' out")
        own = value.get("QueryLanguage")
        return cls(document, path, value, shape, own == "JSONata" if isinstance(own, str) else jsonata, part)

    @property
    def name(self) -> str:
        """The name of the state."""
        return str(self.path[-1])

    def span(self, *path: str | int) -> SourceSpan | None:
        """Return the position of the state, or of a value in it."""
        return self.document.span(*self.path, *path)

    def say(self, notes: Notes) -> None:
        """Add the diagnostics about the fields of the state."""
        if len(self.name) > LONGEST_NAME:
            message = f"the name of the state is longer than {LONGEST_NAME} characters, so AWS rejects it"
            notes.say("warning", message, *self.path)
        notes.unknown(self.shape, "a state", *self.path)
        language = "JSONata" if self.jsonata else "JSONPath"
        for key in self.value:
            if key in (_ONLY_JSONPATH if self.jsonata else _ONLY_JSONATA):
                notes.say("warning", f"{key!r} has no effect in the query language {language}", *self.path, key)

    def task(self, own: str, offered: Offered, *, workflow: str | None = None, inner: bool = False) -> Task:
        """Return the task of the state.

        Args:
            own: Id of the task.
            offered: The data that the states on the same level write.
            workflow: Name of the sub-workflow, or of the other state machine that the task starts.
            inner: Whether `workflow` is a sub-workflow in the file. Then its states have the inputs and outputs, not
                this task.
        """
        value, kind = self.value, self.shape.type
        action = kind if kind != "Task" or value.get("Resource") is None else text_of(value["Resource"])
        waits = kind == "Wait" or (kind == "Task" and (".waitForTaskToken" in action or ":activity:" in action))
        limit = value.get("TimeoutSeconds", value.get("TimeoutSecondsPath"))
        timed = limit is not None and not isinstance(limit, bool | dict | list)
        return Task(
            id=own,
            name=self.name,
            description=comment_of(value),
            kind="composite" if workflow is not None else "event" if waits else "task",
            action=action,
            workflow=workflow,
            external=workflow is not None and not inner,
            inputs=() if inner else offered.read_by(value),
            outputs=() if inner else written(value),
            params=self._params(inner=inner),
            timeout=f"{limit}{'s' * isinstance(limit, int | float)}" if timed else None,
            loop=self._loop(),
            span=self.span(),
            path=self.path,
        )

    def _params(self, *, inner: bool) -> dict[str, Any]:
        """Return the arguments, then the other fields as they are written."""
        value = self.value
        key = "Arguments" if self.jsonata and "Arguments" in value else "Parameters"
        arguments = value.get(key, {})
        params: dict[str, Any] = dict(arguments) if isinstance(arguments, dict) else {key: arguments}
        stated = {"ResultPath"} if written({"ResultPath": value.get("ResultPath")}) and not inner else set()
        for field in value:
            if field in _PARAMETERS - stated:
                params[field if field not in params else f"{field} of the state"] = value[field]
        if inner and "Assign" in value:
            params["Assign"] = value["Assign"]
        processor = value[self.part] if self.shape.type == "Map" else None
        config = processor.get("ProcessorConfig") if isinstance(processor, dict) else None
        return params | ({"ProcessorConfig": config} if config else {})

    def _loop(self) -> Loop | None:
        """Return the loop over the items of a Map state (a path, an expression, a list or a reader), or of retries."""
        if self.shape.type == "Map":
            items = self.value.get("Items", self.value.get("ItemsPath"))
            reader = self.value.get("ItemReader")
            if items is None and isinstance(reader, dict) and isinstance(reader.get("Resource"), str):
                items = f"items of {reader['Resource']}"
            if items is None:
                items = "$states.input" if self.jsonata else str(self.value.get("InputPath") or "$")
            return Loop(mode="foreach", over=text_of(items))
        said = [each.get("MaxAttempts") if isinstance(each, dict) else None for each in self.shape.retry]
        counts = [each if type(each) is int and each >= 0 else ATTEMPTS for each in said]
        return Loop(mode="until", condition="it succeeds", max=sum(counts) + 1) if sum(counts) else None


def text_of(value: Any) -> str:
    """Return a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def comment_of(value: Mapping[str, Any]) -> str:
    """Return the comment of a state or machine; empty if it has none."""
    comment = value.get("Comment")
    return comment.strip() if isinstance(comment, str) else ""


def links_of(state: State, own: str, target: Callable[[str], str], *, inner: bool = False) -> Iterator[Link]:
    """Yield the links that leave a state.

    A Fail state inside a Map or Parallel state ends that state with a failure. The next state is not reached.

    Args:
        state: The state.
        own: Id of the task.
        target: Returns the id of the state with a name.
        inner: Whether the state is inside a Map or Parallel state.
    """
    shape, value = state.shape, state.value

    def link(name: str, *path: str | int, **more: Any) -> Link:
        return Link(source=own, target=target(name) if name else END, span=state.span(*path), **more)

    if shape.type == "Choice":
        for at, (rule, raw) in enumerate(zip(shape.choices, value["Choices"], strict=True)):
            tests = {key: inner for key, inner in raw.items() if key not in _NO_CONDITION}
            condition = rule.condition if isinstance(rule.condition, str) else text_of(tests)
            yield link(rule.next, "Choices", at, guard=Guard(expr=condition, language=_LANGUAGE, order=at + 1))
        if shape.default:
            yield link(shape.default, "Default", guard=Guard(default=True, language=_LANGUAGE))
    elif shape.type in {"Succeed", "Fail"}:
        yield link("", outcome="failure" if inner and shape.type == "Fail" else "success")
    elif "Next" in value or "End" in value:
        yield link(shape.next, "Next" if "Next" in value else "End")
    # A named timeout error is caught on timeout, any other error on failure; the order of the catchers counts.
    outcomes: tuple[Outcome, ...] = ("failure", "timeout")
    for outcome in outcomes:
        wanted = [
            [name for name in each.error_equals if (name in _TIMEOUTS) == (outcome == "timeout")]
            for each in shape.catch
        ]
        caught = [(at, names) for at, names in enumerate(wanted) if names]
        for place, (at, names) in enumerate(caught):
            guard = _guard(state.name, names, place, len(caught))
            yield link(shape.catch[at].next, "Catch", at, guard=guard, outcome=outcome)


def _guard(state: str, errors: list[str], place: int, count: int) -> Guard | None:
    """Return the condition of one of several catchers.

    The error is a value of its own state, because two states can fail for different reasons.
    """
    everything = not _ANY.isdisjoint(errors) or errors[0] in _TIMEOUTS
    if everything and count == 1:
        return None
    if everything and place == count - 1:
        return Guard(default=True, language=_LANGUAGE)
    subject = f"`error of {state.replace('`', ' ')}`"
    caught = ", ".join(map(quoted, errors))
    said = f"{subject} = {caught}" if len(errors) == 1 else f"{subject} in [{caught}]"
    said = f"{subject} != 'States.Timeout'" if everything else said
    return Guard(expr=f"{{% {said} %}}", language=_LANGUAGE, order=place + 1 if count > 1 else None)
