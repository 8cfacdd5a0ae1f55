"""All processes of a file: the main process, the calls between processes, and the messages between pools."""

from collections import Counter
from collections.abc import Iterable, Sequence

from wfgate.model import END, START, Gateway, Link, Names, Task, Workflow
from wfgate.read.documents.xml_tree import XmlElement, walk
from wfgate.read.formats.bpmn.data import data_items
from wfgate.read.formats.bpmn.model import NODES, SCOPES, VENDORS, Model, fallback_name
from wfgate.read.formats.bpmn.scope import Scope
from wfgate.read.formats.bpmn.tasks import Extension
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.exits import node_id

_GLOBAL = {"globalTask", "globalUserTask", "globalManualTask", "globalScriptTask", "globalBusinessRuleTask"}
_ELSEWHERE = {"import", "itemDefinition", "message", "error", "escalation", "signal", "resource", "interface"}
_ELSEWHERE |= {"dataStore", "documentation", "extensionElements", "process", "collaboration"}
_ELSEWHERE |= {"category", "correlationProperty", *_GLOBAL}
"""Children of the root that are read, or that say nothing about the steps."""


class FileReader:
    """Reads the processes of a file.

    Args:
        model: The elements of the file.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names: dict[XmlElement, str] = {}
        self.missing: dict[XmlElement, str] = {}
        self.taken = Names(variant="{} {}")
        self.collaborations = model.root.of("collaboration")
        self.participants = [pool for each in self.collaborations for pool in each.of("participant")]
        named = [pool for pool in self.participants if pool.get("name")]
        self.pools = {node_id(pool.get("processRef").rpartition(":")[2]): pool.get("name") for pool in named}

    def read(self) -> Workflow:
        """Read every process. If no process calls several of them, these become composites of one main workflow.

        Raises:
            FormatError: If there is no process, or the model is too large.
        """
        model, processes = self.model, self.model.root.of("process")
        if not processes:
            raise model.document.error_at(
                model.root.span,
                "the model has no process",
                fix="export the process with its elements and sequence flows, not only the diagram",
            )
        count = Counter(element.tag for element in model.elements)
        check_size(model.document, sum(count[tag] for tag in NODES), count["sequenceFlow"] + count["association"])
        model.data = frozenset(item.id for scope in model.elements for item in data_items(model, scope))
        self._message_flows(processes)
        full = [process for process in processes if process.of(*NODES)] or processes[:1]
        called = self._called_processes(full)
        roots = [process for process in full if process not in called] or full[:1]
        self._name(full)
        whole = self._read(roots[0]) if len(roots) == 1 else [self._together(roots)]
        others = [process for process in full if process not in roots or len(roots) > 1]
        main, *subworkflows = [*whole, *(part for process in others for part in self._read(process))]
        for process in processes:
            if process not in full:
                model.leave("processes without steps", process)
        for pool in self.participants:
            if not pool.get("processRef"):
                model.leave("pools that show no steps", pool)
        for child in model.root.children:
            if child.tag not in _ELSEWHERE and child.space not in VENDORS:
                model.leave(f"<{child.tag}>", child)
        model.say_what_was_left()
        for element, message in self.missing.items():
            model.say("info", message, element)
        # The main workflow has the data of the whole file, not only those of its process.
        return main.model_copy(update={"subworkflows": tuple(subworkflows), "path": None})

    def _read(self, scope: XmlElement) -> list[Workflow]:
        """Return a process or sub-process, and after it the sub-processes inside it, the inner ones first."""
        own = Scope(self.model, scope, self._called).read(self.names[scope])
        inner = [self._read(part) for part in scope.of(*SCOPES) if part.of(*NODES)]
        return [own, *(part for outer, *parts in inner for part in (*parts, outer))]

    def _together(self, roots: Sequence[XmlElement]) -> Workflow:
        """Return the main workflow of several pools. Each pool is a composite; no link connects the composites."""
        split = Names(process.id for process in roots).free("pools")
        tasks = [
            Task(
                id=process.id,
                name=self.pools.get(process.id) or self.names[process],
                description=self.model.description(process),
                kind="composite",
                action="process",
                workflow=self.names[process],
                span=process.span,
            )
            for process in roots
        ]
        named = [part.get("name") for part in (*self.collaborations, self.model.root) if part.get("name")]
        message = f"{len(tasks)} processes have no caller; they are read as composites that run in parallel"
        self.model.say("info", message, self.model.root)
        ways = [(START, split), *(way for task in tasks for way in ((split, task.id), (task.id, END)))]
        return Workflow(
            name=self.taken.free([*named, "All processes"][0]),
            semantics="token",
            tasks=tuple(tasks),
            gateways=(Gateway(id=split, op="AND", span=self.model.root.span),),
            links=tuple(Link(source=source, target=target) for source, target in ways),
        )

    def _called(self, element: XmlElement) -> tuple[str | None, bool]:
        """Return the sub-workflow of an activity (None if it has none), and whether it is in another file."""
        if element.tag != "callActivity":
            return self.names.get(element), False
        reference = self._reference(element)
        target = self.model.find(reference)
        if target is not None and (target in self.names or target.tag in _GLOBAL):
            return self.names.get(target), False
        name = reference.rpartition(":")[2]
        if name:
            self.missing[element] = f"a step calls the process {name[:80]!r}, which is not in the file"
        return name or None, bool(name)

    def _reference(self, element: XmlElement) -> str:
        return element.get("calledElement") or Extension(element, self.model).params.get("processId", "")

    def _called_processes(self, processes: Iterable[XmlElement]) -> set[XmlElement | None]:
        """Return the processes that another process calls."""
        calls = [(process, call) for process in processes for call in walk(process) if call.tag == "callActivity"]
        targets = [(process, self.model.find(self._reference(call))) for process, call in calls]
        return {target for process, target in targets if target is not process}

    def _message_flows(self, processes: Iterable[XmlElement]) -> None:
        """Add the partner of each message flow to its source step and its target step."""
        owner = {node.id: process for process in processes for node in walk(process)}
        flows = [flow for part in self.collaborations for flow in part.of("messageFlow")]
        for flow in flows:
            source, target = (flow.attributes.get(name, "") for name in ("sourceRef", "targetRef"))
            message = flow.get("name") or self.model.name_of(flow.get("messageRef"))
            for here, there, how, direction in ((source, target, "sends", "to"), (target, source, "receives", "from")):
                pool = self.pools.get(owner[there].id) if there in owner else None
                words = (message, direction, pool or self.model.name_of(there))
                texts = self.model.messages[here].setdefault(how, [])
                texts.append(" ".join(filter(None, words)))
                texts.sort()
        if flows:
            message = f"{len(flows)} message flows are read as arguments of the steps, not as control flow"
            self.model.say("info", message, flows[0])

    def _name(self, processes: Iterable[XmlElement]) -> None:
        """Give every process and sub-process a unique name that does not depend on ids or on their order.

        A process without a name is named after its start. If several have the same name, their position is added.
        """
        titles: list[tuple[XmlElement, str, str]] = []
        pending = [(process, self.pools.get(process.id, ""), "") for process in processes]
        for scope, pool, parent in pending:
            title = scope.get("name") or pool or _after_its_start(scope)
            titles.append((scope, title, parent))
            pending += [(inner, "", title) for inner in scope.of(*SCOPES) if inner.of(*NODES)]
        count = Counter(title for _, title, _ in titles)
        for scope, title, parent in titles:
            self.names[scope] = self.taken.free(f"{title} ({parent})" if count[title] > 1 and parent else title)


def _after_its_start(scope: XmlElement) -> str:
    """Return a name for a process without a name: from its start event, otherwise from one of its steps."""
    starts = [node.get("name") for node in scope.of("startEvent") if node.get("name")]
    others = [node.get("name") for node in scope.of(*NODES) if node.get("name")]
    kind = "Process" if scope.tag == "process" else fallback_name(scope.tag)
    return f"{kind} with '{min(starts or others)}'" if starts or others else kind
