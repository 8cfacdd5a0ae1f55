"""XXP blocks to workflows."""

from dataclasses import dataclass, field
from itertools import pairwise

from wfgate.documents import Diagnostic, Document
from wfgate.formats.builder import check_size, missing_ends
from wfgate.formats.xxp.derive import Library
from wfgate.formats.xxp.parser import Arrow, Block, Port
from wfgate.model import END, DataItem, DataLink, Gateway, Guard, Link, Loop, Names, Task, Workflow
from wfgate.model.workflow import Outcome, TaskKind

_OTHERWISE = {"otherwise", "else", "default"}
_ANY_EXCEPTION = {"", "*", "any", "exception"}


@dataclass
class Builder:
    """Builds the main workflow and every workflow that it runs.

    Raises:
        FormatError: If the base of the main workflow is not in the file.
    """

    document: Document
    library: Library
    diagnostics: list[Diagnostic] = field(default_factory=list)
    done: dict[str, Workflow] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    tasks: int = 0
    links: int = 0

    def build(self, main: str) -> Workflow:
        """Return the main workflow with all sub-workflows."""
        self.names = Names(self.library.blocks)
        top = self._workflow(self.library.full(main), main)
        built = {main}
        while self.wanted:
            name = self.wanted.pop(0)
            if name in built:
                continue
            built.add(name)
            if self._complete(name):
                self.done[name] = self._workflow(self.library.full(name), name)
        return top.model_copy(update={"subworkflows": tuple(self.done.values())})

    def _complete(self, name: str) -> bool:
        """Return whether all bases of a workflow are in the file; if not, add a diagnostic."""
        block: Block | None = self.library.blocks[name]
        seen: set[str] = set()
        while block is not None and block.base is not None and block.name not in seen:
            seen.add(block.name)
            below = self.library.base(block)
            if below is None or below.name in seen:
                message = f"the workflow {name[:80]} is not read: its base {str(block.base)[:80]} is not in this file"
                self._say("warning", block, message)
                return False
            block = below
        return True

    def _workflow(self, block: Block, name: str) -> Workflow:
        tasks = [self._task(block, task, name) for task in (*block.inside.values(), *block.twice)]
        inputs: dict[str, dict[str, None]] = {task.id: dict.fromkeys(task.inputs) for task in tasks}
        outputs: dict[str, dict[str, None]] = {task.id: dict.fromkeys(task.outputs) for task in tasks}
        flows = self._flows(block, inputs, outputs)
        links = self._links(block)
        self.tasks += len(tasks)
        self.links += len(links) + len(flows)
        check_size(self.document, self.tasks, self.links)
        with_data = [
            task.model_copy(update={"inputs": tuple(inputs[task.id]), "outputs": tuple(outputs[task.id])})
            for task in tasks
        ]
        return Workflow(
            name=name,
            description=block.description,
            semantics="token",
            params=block.params,
            tasks=tuple(with_data),
            gateways=tuple(
                Gateway(id=own, op=gate.op, role="join" if gate.joins else "split", span=gate.span)
                for own, gate in block.gates.items()
            ),
            links=tuple(links),
            data_items=tuple(DataItem(id=own, description=text) for own, text in _data(block).items()),
            data_links=tuple(flows),
        )

    def _task(self, block: Block, task: Block, owner: str) -> Task:
        called: str | None = None
        if task.composite:
            copied = task.origin and task.origin != task.name
            called = self._unused(f"{task.origin} in {task.name}" if copied else task.name, owner)
            self.done[called] = self._workflow(task, called)
        elif task.calls is not None:
            called = self.library.find(task.calls, task.package) or task.calls
            if called in self.library.blocks:
                self.wanted.append(called)
        elif (found := self.library.find(task.action, task.package)) is not None:
            called = found
            self.wanted.append(called)
        kind: TaskKind = "composite" if called is not None else "event" if task.kind == "interaction" else "task"
        loop = Loop(mode="foreach", over="; ".join(task.repeats)) if task.repeats else None
        return Task(
            id=task.name,
            name=task.name,
            description=task.description,
            kind=kind,
            action=task.action if called is None else None,
            workflow=called,
            inputs=tuple(dict.fromkeys(task.inputs)),
            outputs=tuple(dict.fromkeys(task.outputs)),
            params=task.params,
            tags=tuple(group for group, members in block.groups.items() if task.name in members),
            loop=loop,
            span=task.span,
        )

    def _unused(self, name: str, owner: str) -> str:
        return self.names.free(f"{owner}.{name}" if name in self.names else name)

    def _links(self, block: Block) -> list[Link]:
        links = [_link(arrow) for arrow in block.arrows]
        nodes = [*block.inside, *block.gates]
        if block.kind == "experiment":
            nodes = [name for name in nodes if name in block.mentioned]
        if not nodes or (not links and len(nodes) > 1 and block.kind != "experiment"):
            if nodes:
                self._say(
                    "warning", block, f"the tasks of {block.name[:80]} are not linked, because the file gives no flow"
                )
            return links
        before, after = missing_ends(nodes, links)
        for added, which in ((before, "first nodes are linked from START"), (after, "last nodes are linked to END")):
            if added:
                self._say("info", block, f"the flow of {block.name[:80]} is incomplete: {len(added)} {which}")
        return [*before, *links, *after]

    def _flows(
        self, block: Block, inputs: dict[str, dict[str, None]], outputs: dict[str, dict[str, None]]
    ) -> list[DataLink]:
        """Sort data flows into inputs, outputs and links between ports."""
        found: list[DataLink] = []
        for chain in block.flows:
            for before, after in pairwise(chain):
                writes, reads = _works(block, before), _works(block, after)
                if writes and reads:
                    data = before.port or after.port or before.name
                    found.append(DataLink(source=before.name, target=after.name, data=data, span=before.span))
                elif writes and after.name == END:
                    data = before.port or before.name
                    found.append(DataLink(source=before.name, target=END, data=data, span=before.span))
                elif writes and before.name in outputs:
                    outputs[before.name][after.name] = None
                elif reads and after.name in inputs:
                    inputs[after.name][before.name] = None
                else:
                    message = f"this flow of data has no task at either end: {before.name[:60]} --> {after.name[:60]}"
                    self.diagnostics.append(self.document.diagnostic_at(before.span, "warning", message))
        return found

    def _say(self, severity: str, block: Block, message: str) -> None:
        level = "warning" if severity == "warning" else "info"
        self.diagnostics.append(
            self.document.diagnostic_at(block.span, level, message)  # type: ignore[arg-type]
        )


def _works(block: Block, place: Port) -> bool:
    """Return whether the source or target of a data flow is a task: it has the name of a task, or a port."""
    return place.name in block.inside or (place.port is not None and place.name not in block.data)


def _data(block: Block) -> dict[str, str]:
    """Return the data of a workflow by name; an experiment also has the results of the workflows it has run."""
    if block.kind == "experiment" and any("results" in (arrow.said or "") for arrow in block.arrows):
        return {"results": "what has run so far has yielded"} | block.data
    return block.data


def _link(arrow: Arrow) -> Link:
    guard = None
    said = (arrow.said or "").strip()
    if arrow.sign == "!->":
        guard = Guard(expr=said) if said.casefold() not in _ANY_EXCEPTION else None
    elif said:
        guard = Guard(default=True) if said.casefold() in _OTHERWISE else Guard(expr=said)
    outcome: Outcome = "failure" if arrow.sign == "!->" else "success"
    return Link(source=arrow.source, target=arrow.target, guard=guard, outcome=outcome, span=arrow.span)
