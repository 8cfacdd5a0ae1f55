"""State machine to workflow. The machines inside Map and Parallel states become sub-workflows."""

from typing import Any, ClassVar

from wfgate.model import END, START, DataItem, DataLink, Link, Names, Task, Workflow
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.asl.data import Offered, asks_for_presence, assigned, written
from wfgate.read.formats.asl.states import AslShape, Name, State, comment_of, links_of, text_of
from wfgate.read.formats.builder import check_size, in_parallel
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import read_shape, walk

_STARTS = ("states:startExecution", "aws-sdk:sfn:startExecution", "aws-sdk:sfn:startSyncExecution")


class Machine(AslShape):
    """A state machine, or the machine inside a state."""

    start_at: Name
    states: dict[str, Any]
    query_language: Any = None
    aside: ClassVar[frozenset[str]] = frozenset({"Comment", "Version", "ProcessorConfig"})


class MachineReader:
    """Reads one state machine.

    Args:
        notes: The document that contains the machine and its diagnostics; the reader adds to them.
    """

    def __init__(self, notes: Notes) -> None:
        self.document: Document = notes.document
        self.notes = notes
        self.subworkflows: list[Workflow] = []
        self.names = Names()
        self.states: dict[str, Path] = {}
        self.links = 0

    def read(self, path: Path, name: str = "") -> Workflow:
        """Read the state machine at `path`.

        Raises:
            FormatError: If there is no state machine at `path`, or a state is not valid.
        """
        value: Any = self.document.mapping()
        for key in path:
            value = value[key]
        called = (called_machine(each) for _, each in walk(value) if isinstance(each, dict))
        self.names = Names([name, *filter(None, called)])
        level = self._level(value, path, "the machine", jsonata=False)
        for key in read_shape(Machine, value, self.document, path, "the machine").unknown_keys():
            self.notes.say("info", f"the key {key[:80]!r} is not read", *path, key)
        update = {"name": name, "description": comment_of(value), "subworkflows": tuple(self.subworkflows)}
        return level.model_copy(update=update)

    def _level(self, value: Any, path: Path, what: str, *, jsonata: bool, branch: bool = False) -> Workflow:
        """Return the states of one machine as a workflow without a name.

        A value that a step reads may also be an input of the workflow.

        Args:
            value: The machine.
            path: Path of the machine in the document.
            what: Name of the machine in messages.
            jsonata: Whether the outer machine uses JSONata.
            branch: Whether the machine is one of several branches, whose states become neighbours.
        """
        machine = read_shape(Machine, value, self.document, path, what)
        language = machine.query_language
        jsonata = language == "JSONata" if isinstance(language, str) else jsonata
        states = [
            State.of(self.document, (*path, "States", name), each, jsonata=jsonata)
            for name, each in machine.states.items()
        ]
        names = Names([START, END, *machine.states])
        ids = {name: names.free(name) if name in {START, END} else name for name in machine.states}
        variables = {name for state in states for name in assigned(state.value)}
        offered = Offered(
            name for state in states if state.shape.type not in {"Map", "Parallel"} for name in written(state.value)
        )

        def target(name: str) -> str:
            """Return the id of a state on this level; a state of another branch cannot be a target."""
            missing = f"{name} (not in this branch)" if branch or name in {START, END} else name
            return ids.get(name, missing)

        tasks, data_links = [], []
        for state in states:
            self._name(state)
            state.say(self.notes)
            task = self._task(state, ids[state.name], offered)
            tasks.append(task)
            given = [name for name in task.inputs if name not in variables] if asks_for_presence(state.value) else ()
            data_links += [DataLink(source=START, target=task.id, data=name, span=task.span) for name in given]
        links = [Link(source=START, target=target(machine.start_at), span=self.document.span(*path, "StartAt"))]
        for state in states:
            links += links_of(state, ids[state.name], target, inner=what != "the machine")
        self.links += len(links)
        check_size(self.document, len(self.states), self.links)
        outputs = dict.fromkeys(path for task in tasks for path in task.outputs if path not in variables)
        return Workflow(
            semantics="state-machine",
            tasks=tuple(tasks),
            links=tuple(links),
            data_items=tuple(DataItem(id=path) for path in outputs),
            data_links=tuple(data_links),
        )

    def _name(self, state: State) -> None:
        first = self.states.setdefault(state.name, state.path)
        if first != state.path:
            span = self.document.span(*first)
            line = f" (line {span.line})" if span else ""
            message = f"there are two states {state.name[:80]!r}{line}; each state of a machine needs a different name"
            self.notes.say("warning", message, *state.path)

    def _task(self, state: State, own: str, offered: Offered) -> Task:
        if state.shape.type not in {"Parallel", "Map"}:
            machine = called_machine(state.value) if state.shape.type == "Task" else None
            return state.task(own, offered, workflow=machine)
        name = self.names.free(state.name)
        self.subworkflows.append(Workflow(name=name))  # keeps its place before what is inside
        place = len(self.subworkflows) - 1
        path = (*state.path, state.part)
        if state.shape.type == "Map":
            level = self._level(state.value[state.part], path, "an item processor", jsonata=state.jsonata)
        else:
            alone = len(state.shape.branches) == 1
            machines = [
                self._level(value, (*path, at), "a branch", jsonata=state.jsonata, branch=not alone)
                for at, value in enumerate(state.shape.branches)
            ]
            level = in_parallel(machines, state.span())
        self.subworkflows[place] = level.model_copy(update={"name": name, "path": path})
        return state.task(own, offered, workflow=name, inner=True)


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
    holders = [state[key] for key in ("Parameters", "Arguments") if isinstance(state.get(key), dict)]
    machines = [each.get(name) for each in holders for name in ("StateMachineArn", "StateMachineArn.$")]
    arn = next((text_of(machine) for machine in machines if machine), "a state machine")
    if arn.startswith("arn:") and ":stateMachine:" in arn:
        return arn.partition(":stateMachine:")[2].partition(":")[0] or arn
    if arn.startswith("${") and arn.endswith("}") and arn.count("{") == 1:
        return arn[2:-1] or arn
    return arn
