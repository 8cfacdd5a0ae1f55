"""State machine to workflow. The machines inside Map and Parallel states become sub-workflows."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.asl.data import Offered, asks_for_presence, assigned, written
from wfgate.formats.asl.states import State, ways
from wfgate.formats.builder import check_size, side_by_side
from wfgate.formats.fields import Fields
from wfgate.model import END, START, DataItem, DataLink, Gateway, Link, Names, Task, Workflow

_TOP = ("Comment", "StartAt", "States", "QueryLanguage", "Version", "ProcessorConfig")
_STARTS = ("states:startExecution", "aws-sdk:sfn:startExecution", "aws-sdk:sfn:startSyncExecution")


@dataclass
class _Level:
    """The states of one state machine."""

    names: dict[str, str]
    variables: set[str] = field(default_factory=set)
    tasks: list[Task] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    data_links: list[DataLink] = field(default_factory=list)

    def workflow(self, name: str, **more: Any) -> Workflow:
        """Return the workflow. A value that a step reads may also be an input of the workflow."""
        paths = dict.fromkeys(path for task in self.tasks for path in task.outputs if path not in self.variables)
        return Workflow(
            name=name,
            semantics="state-machine",
            tasks=tuple(self.tasks),
            gateways=tuple(self.gateways),
            links=tuple(self.links),
            data_items=tuple(DataItem(id=path) for path in paths),
            data_links=tuple(self.data_links),
            **more,
        )


class MachineReader:
    """Reads one state machine.

    Args:
        document: The document that contains the machine.
        diagnostics: The diagnostics; the reader adds to them.
    """

    def __init__(self, document: Document, diagnostics: list[Diagnostic]) -> None:
        self.document = document
        self.diagnostics = diagnostics
        self.subworkflows: list[Workflow] = []
        self.names = Names()
        self.states: dict[str, Path] = {}
        self.tasks = 0
        self.links = 0

    def read(self, path: Path, name: str = "") -> Workflow:
        """Read the state machine at `path`.

        Raises:
            FormatError: If there is no state machine at `path`, or a state is not valid.
        """
        value: Any = self.document.mapping()
        for key in path:
            value = value[key]
        entry = Fields(self.document, path, value, what="the machine")
        self.names = Names([name, *_called_machines(value)])
        level = self._level(entry, jsonata=False)
        for key in entry.value:
            if key not in _TOP:
                self.diagnostics.append(
                    self.document.diagnostic("info", f"the key {key[:80]!r} is not read", *path, key)
                )
        comment = entry.value.get("Comment")
        return level.workflow(
            name,
            description=comment.strip() if isinstance(comment, str) else "",
            subworkflows=tuple(self.subworkflows),
        )

    def _level(self, entry: Fields, *, jsonata: bool, inner: bool = False, branch: bool = False) -> _Level:
        """Read the states of one machine.

        Args:
            entry: The mapping of the machine.
            jsonata: Whether the outer machine uses JSONata.
            inner: Whether the machine is inside a state.
            branch: Whether the machine is one of several branches, whose states become neighbours.
        """
        start = entry.text("StartAt") if "StartAt" in entry else None
        if not start:
            raise entry.error(f"{entry.what} has no 'StartAt'", fix="add 'StartAt': the name of the first state")
        if "States" not in entry:
            raise entry.error(f"{entry.what} has no 'States'", fix="add 'States': the states by name")
        language = entry.value.get("QueryLanguage")
        jsonata = language == "JSONata" if isinstance(language, str) else jsonata
        states = [
            State.of(
                Fields(self.document, (*entry.path, "States", name), value, what="a state"), name, jsonata=jsonata
            )
            for name, value in entry.mapping("States").items()
        ]
        self.tasks += len(states)
        check_size(self.document, self.tasks)
        level = _Level(_ids(states), {name for state in states for name in assigned(state.fields.value)})
        offered = Offered(
            name for state in states if state.type not in {"Map", "Parallel"} for name in written(state.fields.value)
        )
        for state in states:
            self._name(state)
            self.diagnostics += state.said()
            own = level.names[state.name]
            task = self._task(state, own, offered)
            level.tasks.append(task)
            if asks_for_presence(state.fields.value):
                given = [name for name in task.inputs if name not in level.variables]
                level.data_links += [
                    DataLink(source=START, target=task.id, data=name, span=task.span) for name in given
                ]
        span = self.document.span(*entry.path, "StartAt")
        level.links.append(Link(source=START, target=self._target(level, start, branch=branch), span=span))
        for state in states:
            for target, link in ways(state, level.names[state.name], inner=inner):
                found = END if target is None else self._target(level, target, branch=branch)
                level.links.append(link.model_copy(update={"target": found}))
        self.links += len(level.links)
        check_size(self.document, 0, self.links)
        return level

    def _name(self, state: State) -> None:
        first = self.states.setdefault(state.name, state.fields.path)
        if first != state.fields.path:
            span = self.document.span(*first)
            line = f" (line {span.line})" if span else ""
            message = f"there are two states {state.name[:80]!r}{line}; each state of a machine needs a different name"
            self.diagnostics.append(state.note("warning", message))

    def _target(self, level: _Level, name: str, *, branch: bool) -> str:
        """Return the id of a state on this level; a state of another branch cannot be a target."""
        if name in level.names:
            return level.names[name]
        return f"{name} (not in this branch)" if branch or name in {START, END} else name

    def _task(self, state: State, own: str, offered: Offered) -> Task:
        if state.type in {"Parallel", "Map"}:
            return self._composite(state, own, offered)
        machine = called_machine(state.fields.value) if state.type == "Task" else None
        return state.task(own, offered, workflow=machine)

    def _composite(self, state: State, own: str, offered: Offered) -> Task:
        name = self.names.free(state.name)
        self.subworkflows.append(Workflow(name=name))  # keeps its place before what is inside
        place = len(self.subworkflows) - 1
        key, level = ("Branches", self._branches(state)) if state.type == "Parallel" else self._items(state)
        self.subworkflows[place] = level.workflow(name, path=(*state.fields.path, key))
        return state.task(own, offered, workflow=name, inner=True)

    def _items(self, state: State) -> tuple[str, _Level]:
        """Read the machine that runs for each item; return its key and its states."""
        fields = state.fields
        key = "ItemProcessor" if "ItemProcessor" in fields else "Iterator"
        if key not in fields:
            raise fields.error(
                f"the Map {state.name[:80]!r} has no 'ItemProcessor'",
                fix="add 'ItemProcessor': the machine that runs for each item",
            )
        entry = Fields(self.document, (*fields.path, key), fields.value[key], what="an item processor")
        return key, self._level(entry, jsonata=state.jsonata, inner=True)

    def _branches(self, state: State) -> _Level:
        """Read all branches in parallel: an AND split starts all branches, and an AND join waits for all branches."""
        fields = state.fields
        values = fields.entries("Branches")
        if not values:
            raise fields.error(
                f"the Parallel {state.name[:80]!r} has no 'Branches'", fix="add 'Branches': a list of machines"
            )
        levels = []
        for number, value in enumerate(values):
            entry = Fields(self.document, (*fields.path, "Branches", number), value, what="a branch")
            levels.append(self._level(entry, jsonata=state.jsonata, inner=True, branch=len(values) > 1))
        return levels[0] if len(levels) == 1 else _side_by_side(levels, state)


def called_machine(state: dict[str, Any]) -> str | None:
    """Return the name of the state machine that a task starts; None if the task starts no machine.

    Example:
        >>> arn = "arn:aws:states:eu-west-1:1:stateMachine:ship-order"
        >>> called_machine(
        ...     {"Resource": "arn:aws:states:::states:startExecution.sync:2", "Parameters": {"StateMachineArn": arn}}
        ... )
        'ship-order'
    """
    resource = state.get("Resource")
    if not isinstance(resource, str) or not any(each in resource for each in _STARTS):
        return None
    for key in ("Parameters", "Arguments"):
        arguments = state.get(key)
        for name in ("StateMachineArn", "StateMachineArn.$"):
            machine = arguments.get(name) if isinstance(arguments, dict) else None
            if isinstance(machine, str) and machine:
                return _short(machine)
            if machine:
                return json.dumps(machine, ensure_ascii=False)
    return "a state machine"


def _short(arn: str) -> str:
    if arn.startswith("arn:") and ":stateMachine:" in arn:
        return arn.partition(":stateMachine:")[2].partition(":")[0] or arn
    if arn.startswith("${") and arn.endswith("}") and arn.count("{") == 1:
        return arn[2:-1] or arn
    return arn


def _called_machines(value: object) -> Iterator[str]:
    """Yield the names of all state machines that are started anywhere in a machine."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            name = called_machine(each)
            if name is not None:
                yield name
            pending += each.values()
        elif isinstance(each, list):
            pending += each


def _ids(states: list[State]) -> dict[str, str]:
    """Return the id of each state: its name, changed if the name is START or END."""
    names = Names([START, END, *(state.name for state in states)])
    return {state.name: names.free(state.name) if state.name in {START, END} else state.name for state in states}


def _side_by_side(levels: list[_Level], state: State) -> _Level:
    whole = _Level({own: own for level in levels for own in level.names.values()})
    for level in levels:
        whole.tasks += level.tasks
        whole.gateways += level.gateways
        whole.data_links += level.data_links
        whole.variables |= level.variables
    gateways, whole.links = side_by_side([level.links for level in levels], whole.names, state.span)
    whole.gateways += gateways
    return whole
