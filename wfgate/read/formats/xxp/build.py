"""XXP blocks to workflows."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from wfgate.errors import FormatError
from wfgate.model import (
    END,
    DataItem,
    DataLink,
    Gateway,
    Guard,
    Link,
    Loop,
    Names,
    Outcome,
    SourceSpan,
    Task,
    TaskKind,
    Workflow,
)
from wfgate.read.documents.document import Diagnostic, Document, Severity
from wfgate.read.formats.builder import check_size, missing_ends
from wfgate.read.formats.xxp.derive import Library
from wfgate.read.formats.xxp.parser import Port, XxpArrow, XxpBlock

_OTHERWISE = {"otherwise", "else", "default"}
_ANY_EXCEPTION = {"", "*", "any", "exception"}


@dataclass
class Builder:
    """Builds the main workflow and every workflow that it runs.

    Raises:
        FormatError: If the base of the main workflow is neither in the file nor in one around it.
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
        whole = self.library.full(main)
        self.names = Names(self.library.blocks)
        top = self._workflow(whole, main)
        built = {main}
        for name in self.wanted:  # grows
            if name in built:
                continue
            built.add(name)
            try:
                self.library.lineage(name)
            except FormatError as problem:
                message = f"the workflow {name[:80]} is not read: {problem.message}"
                self._say("warning", self.library.blocks[name].span, message)
            else:
                self.done[name] = self._workflow(self.library.full(name), name)
        return top.model_copy(update={"subworkflows": tuple(self.done.values())})

    def _workflow(self, block: XxpBlock, name: str) -> Workflow:
        read: defaultdict[str, list[str]] = defaultdict(list)
        written: defaultdict[str, list[str]] = defaultdict(list)
        flows = self._flows(block, read, written)
        tasks = [
            self._task(block, task, name, [*task.inputs, *read[task.name]], [*task.outputs, *written[task.name]])
            for task in (*block.inside.values(), *block.twice)
        ]
        links = self._links(block)
        self.tasks += len(tasks)
        self.links += len(links) + len(flows)
        check_size(self.document, self.tasks, self.links)
        return Workflow(
            name=name,
            description=block.description,
            semantics="token",
            params=block.params,
            tasks=tuple(tasks),
            gateways=tuple(
                Gateway(id=own, op=gate.op, role="join" if gate.joins else "split", span=gate.span)
                for own, gate in block.gates.items()
            ),
            links=tuple(links),
            data_items=tuple(DataItem(id=own, description=text) for own, text in _data(block).items()),
            data_links=tuple(flows),
        )

    def _task(self, block: XxpBlock, task: XxpBlock, owner: str, inputs: list[str], outputs: list[str]) -> Task:
        called = self.library.find(task.calls or task.action, task.package) or task.calls
        if task.composite:
            copied = task.origin and task.origin != task.name
            inner = f"{task.origin} in {task.name}" if copied else task.name
            called = self.names.free(f"{owner}.{inner}" if inner in self.names else inner)
            self.done[called] = self._workflow(task, called)
        elif called in self.library.blocks:
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
            inputs=tuple(dict.fromkeys(inputs)),
            outputs=tuple(dict.fromkeys(outputs)),
            params=task.params,
            tags=tuple(group for group, members in block.groups.items() if task.name in members),
            loop=loop,
            span=task.span,
        )

    def _links(self, block: XxpBlock) -> list[Link]:
        links = [_link(arrow) for arrow in block.arrows]
        nodes = [*block.inside, *block.gates]
        if block.kind == "experiment":
            nodes = [name for name in nodes if name in block.mentioned]
        if len(nodes) > 1 and not links and block.kind != "experiment":
            message = f"the tasks of {block.name[:80]} are not linked, because the file gives no flow"
            self._say("warning", block.span, message)
            return links
        before, after = missing_ends(nodes, links)
        for added, missing, which in ((before, "START", "first"), (after, "END", "last")):
            if added:
                steps = "node is read as the" if len(added) == 1 else "nodes are read as the"
                message = f"the flow of {block.name[:80]} names no {missing}: {len(added)} {steps} {which}"
                self._say("info", block.span, message)
        return [*before, *links, *after]

    def _flows(
        self, block: XxpBlock, read: defaultdict[str, list[str]], written: defaultdict[str, list[str]]
    ) -> list[DataLink]:
        """Sort data flows into inputs, outputs and links between ports."""
        links: list[DataLink] = []
        for before, after in (pair for chain in block.flows for pair in pairwise(chain)):
            writes, reads = _works(block, before), _works(block, after)
            if writes and (reads or after.name == END):
                data = before.port or (after.port if reads else None) or before.name
                links.append(DataLink(source=before.name, target=after.name, data=data, span=before.span))
            elif writes and before.name in block.inside:
                written[before.name].append(after.name)
            elif reads and after.name in block.inside:
                read[after.name].append(before.name)
            else:
                message = f"this flow of data has no task at either end: {before.name[:60]} --> {after.name[:60]}"
                self._say("warning", before.span, message)
        return links

    def _say(self, severity: Severity, span: SourceSpan, message: str) -> None:
        self.diagnostics.append(self.document.diagnostic_at(span, severity, message))


def _works(block: XxpBlock, place: Port) -> bool:
    """Return whether the source or target of a data flow is a task: it has the name of a task, or a port."""
    return place.name in block.inside or (place.port is not None and place.name not in block.data)


def _data(block: XxpBlock) -> dict[str, str]:
    """Return the data of a workflow by name; an experiment also has the results of the workflows it has run."""
    if block.kind == "experiment" and any("results" in (arrow.said or "") for arrow in block.arrows):
        return {"results": "what has run so far has yielded"} | block.data
    return block.data


def _link(arrow: XxpArrow) -> Link:
    guard = None
    said = (arrow.said or "").strip()
    if arrow.sign == "!->":
        guard = Guard(expr=said) if said.casefold() not in _ANY_EXCEPTION else None
    elif said:
        guard = Guard(default=True) if said.casefold() in _OTHERWISE else Guard(expr=said)
    outcome: Outcome = "failure" if arrow.sign == "!->" else "success"
    return Link(source=arrow.source, target=arrow.target, guard=guard, outcome=outcome, span=arrow.span)
