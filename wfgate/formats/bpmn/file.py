"""All processes of a file: the main process, the calls between processes, and the messages between pools."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from wfgate.documents import Document
from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.data import declared
from wfgate.formats.bpmn.model import VENDORS, Model, Tree, fallback_name, walk
from wfgate.formats.bpmn.scope import NODES, Scope
from wfgate.formats.bpmn.tasks import SCOPES, read_extensions
from wfgate.formats.builder import check_size
from wfgate.model import END, START, Gateway, Link, Names, Task, Workflow

_GLOBAL = {"globalTask", "globalUserTask", "globalManualTask", "globalScriptTask", "globalBusinessRuleTask"}
_ELSEWHERE = {"import", "itemDefinition", "message", "error", "escalation", "signal", "resource", "interface"}
_ELSEWHERE |= {"dataStore", "documentation", "extensionElements", "process", "collaboration", "BPMNDiagram"}
_ELSEWHERE |= {"category", "correlationProperty", *_GLOBAL}


def read_model(model: Model, tree: Tree) -> Workflow:
    """Read every process. If no process calls several of them, these become composites of one main workflow.

    Raises:
        FormatError: If there is no process, or the model is too large.
    """
    return _File(model, tree).read()


@dataclass
class _File:
    model: Model
    tree: Tree
    names: dict[int, str] = field(default_factory=dict)
    taken: Names = field(default_factory=lambda: Names(variant="{} {}"))
    parts: list[Workflow] = field(default_factory=list)

    def read(self) -> Workflow:
        processes = self.tree.root.of("process")
        if not processes:
            raise self.model.document.error_at(
                self.tree.root.span,
                "the model has no process",
                fix="export the process with its elements and sequence flows, not only the diagram",
            )
        self._check(self.model.document, processes)
        self.pools = self._pools()
        self.model.data = declared(self.model, processes)
        self._message_flows()
        full = [process for process in processes if process.of(*NODES)] or processes[:1]
        called = self._called_processes(full)
        roots = [process for process in full if id(process) not in called] or full[:1]
        self._name(full)
        main = self._read(roots[0]) if len(roots) == 1 else self._together(roots)
        others = [process for process in full if process not in roots or len(roots) > 1]
        subworkflows = self.parts[:]
        for process in others:
            self.parts = []
            subworkflows += [self._read(process), *self.parts]
        for process in processes:
            if process not in full:
                self.model.leave("processes without steps", process)
        for collaboration in self.tree.root.of("collaboration"):
            for pool in collaboration.of("participant"):
                if not pool.get("processRef"):
                    self.model.leave("pools that show no steps", pool)
        for child in self.tree.root.children:
            if child.tag not in _ELSEWHERE and child.space not in VENDORS:
                self.model.leave(f"<{child.tag}>", child)
        self._say_the_rest(subworkflows, main)
        # The main workflow has the data of the whole file, not only those of its process.
        return main.model_copy(update={"subworkflows": tuple(subworkflows), "path": None})

    def _read(self, scope: Element) -> Workflow:
        """Read a process or sub-process, then the sub-processes inside it."""
        workflow = Scope(self.model, scope, self._called).read(self.names[id(scope)])
        for inner in scope.of(*SCOPES):
            if inner.of(*NODES):
                self.parts.append(self._read(inner))
        return workflow

    def _together(self, roots: Iterable[Element]) -> Workflow:
        """Return the main workflow of several pools. Each pool is a composite; no link connects the composites."""
        tasks: list[Task] = []
        split = "pools"
        links = [Link(source=START, target=split)]
        for process in roots:
            own = process.attributes.get("id", "") or f"process at {process.line}:{process.column}"
            own += "'" * (own in {START, END, split})
            pool = self.pools.get(process.attributes.get("id", ""), "")
            name = self.names[id(process)]
            tasks.append(
                Task(
                    id=own,
                    name=pool or name,
                    description=self.model.description(process),
                    kind="composite",
                    action="process",
                    workflow=name,
                    span=process.span,
                )
            )
            links += [Link(source=split, target=own), Link(source=own, target=END)]
        collaboration = [part.get("name") for part in self.tree.root.of("collaboration") if part.get("name")]
        name = next(iter(collaboration), "") or self.tree.root.get("name") or "All processes"
        self.model.say(
            "info",
            f"{len(tasks)} processes have no caller; they are read as composites that run in parallel",
            self.tree.root,
        )
        return Workflow(
            name=self.taken.free(name),
            semantics="token",
            tasks=tuple(tasks),
            gateways=(Gateway(id=split, op="AND", span=self.tree.root.span),),
            links=tuple(links),
        )

    def _called(self, element: Element) -> tuple[str | None, bool]:
        """Return the sub-workflow of an activity (None if it has none), and whether it is in another file."""
        if element.tag in SCOPES:
            return self.names.get(id(element)), False
        if element.tag != "callActivity":
            return None, False
        reference = self._reference(element)
        target = self.model.find(reference)
        if target is not None and id(target) in self.names:
            return self.names[id(target)], False
        if target is not None and target.tag in _GLOBAL:
            return None, False
        name = reference.rpartition(":")[2]
        return name or None, bool(name)

    def _reference(self, element: Element) -> str:
        reference = element.get("calledElement")
        if not reference and element.of("extensionElements"):
            said = read_extensions(element, self.model).params.get("processId", "")
            reference = said if isinstance(said, str) else ""
        return reference

    def _called_processes(self, processes: Iterable[Element]) -> set[int]:
        """Return the processes that another process calls."""
        found: set[int] = set()
        for process in processes:
            for element in walk(process):
                target = self.model.find(self._reference(element)) if element.tag == "callActivity" else None
                if target is not None and target is not process:
                    found.add(id(target))
        return found

    def _pools(self) -> dict[str, str]:
        return {
            part.get("processRef").rpartition(":")[2]: part.get("name")
            for collaboration in self.tree.root.of("collaboration")
            for part in collaboration.of("participant")
            if part.get("name")
        }

    def _message_flows(self) -> None:
        """Add the partner of each message flow to its source step and its target step."""
        owner = {
            node.attributes["id"]: process
            for process in self.tree.root.of("process")
            for node in walk(process)
            if "id" in node.attributes
        }
        flows = [flow for part in self.tree.root.of("collaboration") for flow in part.of("messageFlow")]
        for flow in flows:
            ends = [flow.attributes.get(name, "") for name in ("sourceRef", "targetRef")]
            message = flow.get("name") or self.model.name_of(flow.get("messageRef"))
            for here, there, how in ((*ends, "sends"), (*ends[::-1], "receives")):
                other = owner.get(there)
                pool = self.pools.get(other.attributes.get("id", ""), "") if other is not None else ""
                partner = pool or self.model.name_of(there)
                direction = "to" if how == "sends" else "from"
                said = " ".join(part for part in (message, direction, partner) if part)
                self.model.messages.setdefault(here, {}).setdefault(how, []).append(said)
        for noted in self.model.messages.values():
            for texts in noted.values():
                texts.sort()
        if flows:
            self.model.say(
                "info", f"{len(flows)} message flows are read as arguments of the steps, not as control flow", flows[0]
            )

    def _name(self, processes: Iterable[Element]) -> None:
        """Give every process and sub-process a unique name that does not depend on ids or on their order.

        A process without a name is named after its start. If several have the same name, their position is added.
        """
        titles: list[tuple[Element, str, str]] = []
        pending = [(process, self.pools.get(process.attributes.get("id", ""), ""), "") for process in processes]
        for scope, pool, parent in pending:
            title = scope.get("name") or pool or _after_its_start(scope)
            titles.append((scope, title, parent))
            pending += [(inner, "", title) for inner in scope.of(*SCOPES) if inner.of(*NODES)]
        count = Counter(title for _, title, _ in titles)
        for scope, title, parent in titles:
            self.names[id(scope)] = self.taken.free(f"{title} ({parent})" if count[title] > 1 and parent else title)

    def _check(self, document: Document, processes: Iterable[Element]) -> None:
        tasks = links = 0
        for process in processes:
            for element in walk(process):
                tasks += element.tag in NODES
                links += element.tag in {"sequenceFlow", "association"}
        check_size(document, tasks, links)

    def _say_the_rest(self, subworkflows: Iterable[Workflow], main: Workflow) -> None:
        for space, count in sorted(self.tree.foreign.items()):
            message = f"extension elements of {space or 'no namespace'} are not read ({count})"
            self.model.say("info", message, self.tree.root)
        self.model.say_what_was_left()
        known = {main.name, *(part.name for part in subworkflows)}
        for workflow in (main, *subworkflows):
            for task in workflow.tasks:
                if task.workflow and task.workflow not in known:
                    message = f"a step calls the process {task.workflow[:80]!r}, which is not in the file"
                    self.model.diagnostics.append(self.model.document.diagnostic_at(task.span, "info", message))


def _after_its_start(scope: Element) -> str:
    """Return a name for a process without a name: from its start event, otherwise from one of its steps."""
    starts = [node.get("name") for node in scope.of("startEvent") if node.get("name")]
    others = [node.get("name") for node in scope.of(*NODES) if node.get("name")]
    kind = "Process" if scope.tag == "process" else fallback_name(scope.tag)
    return f"{kind} with '{min(starts or others)}'" if starts or others else kind
