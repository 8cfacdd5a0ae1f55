"""Reads the nodes and connections of one n8n workflow."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from typing import Any

from wfgate.model import DataLink, Loop, Task, Workflow
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import check_size, grouped, reachable
from wfgate.read.formats.exits import node_id
from wfgate.read.formats.n8n.canvas import Canvas, canvas_of
from wfgate.read.formats.n8n.flow import MAX_STEPS, flow_of, without_disabled
from wfgate.read.formats.n8n.outputs import parameters
from wfgate.read.formats.n8n.references import named, own, texts, with_sources
from wfgate.read.formats.n8n.shapes import Export, N8nNode, Parameters
from wfgate.read.formats.typed import read_shape

_SETTINGS = ("alwaysOutputData", "executeOnce", "waitBetweenTries")
_PASS = frozenset({"if", "switch", "filter", "noOp", "wait", "limit", "sort", "splitInBatches"})
"""Nodes that hand on the items that they get as they are."""
_WAITS = frozenset({"wait", "form"})
_CHOICES = frozenset({"if", "switch", "filter"})
_DEPTH = 50
"""Tools of tools, and nodes in a row that hand on what they get, that are followed."""
_MAX_TOOLS = 1_000_000
"""Most characters of the parameters of attached tools; several nodes may share a tool."""


def read_workflow(document: Document, path: Path, data: dict[str, Any]) -> Reading:
    """Return the workflow that is at `path` in the document.

    Raises:
        FormatError: If a node or connection does not have the form that n8n writes.
    """
    export = read_shape(Export, data, document, path, "the workflow")
    canvas = canvas_of(document, path, export)
    check_size(document, len(canvas.nodes), len(canvas.wires) + len(canvas.attached))
    return Reading(_N8nReader(canvas, export).workflow(), "n8n", tuple(canvas.diagnostics), document)


@dataclass
class _N8nReader:
    canvas: Canvas
    export: Export
    left: int = _MAX_TOOLS

    def workflow(self) -> Workflow:
        canvas, export = self.canvas, self.export
        wires = without_disabled(canvas)
        self.using: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        self.users = self._users({end for wire in canvas.wires for end in (wire.source, wire.target)})
        steps = [node for node in canvas.nodes if not node.disabled and node.name not in self.users]
        before = grouped((wire.target, wire.source) for wire in wires)
        self.before = {name: {*sources} for name, sources in before.items()}
        self.here = {node.name for node in steps}
        after, order = grouped((wire.source, wire) for wire in wires), str(export.settings.get("executionOrder", ""))
        self.turns = {name: canvas.turns(leaving, order) for name, leaving in after.items()}
        built, joined = flow_of(canvas, self._told_apart(steps), wires)
        if steps and not any(node.is_trigger for node in steps):
            canvas.say((*canvas.path, "nodes"), "warning", "the workflow has no trigger node", "add a trigger node")
        for node in canvas.nodes:
            if node.disabled:
                message = "is disabled, so it is not read; its incoming links go to the nodes after it"
                canvas.say(node.path, "info", f"{node.name[:80]!r} {message}")
        tasks = [self._task(node, "all" if node.name in joined else None) for node in steps]
        data_links = self._data_links()
        check_size(canvas.document, len(tasks), len(built.links) + len(data_links))
        return Workflow(
            name=export.name,
            description=export.description or "",
            semantics="token",
            params=export.settings,
            tasks=tuple(tasks),
            gateways=tuple(built.gateways),
            links=tuple(built.links),
            data_links=tuple(data_links),
        )

    def _users(self, wired: set[str]) -> dict[str, set[str]]:
        """Return the steps that use each attached node (a model, a tool), directly or through other attached nodes.

        A node without such a step becomes a step itself, so that it is not lost, unless its type says that it can only
        be a part of another node. A node with data connections is not included.
        """
        after: defaultdict[str, list[str]] = defaultdict(list)
        nodes = self.canvas.by_name
        for user, kind, used in self.canvas.attached:
            if used in nodes and not nodes[used].disabled:
                self.using[user].append((kind, used))
            if missing := [name for name in (used, user) if name not in nodes]:
                message = f"{user[:80]!r} uses {used[:80]!r}, but the node {missing[0][:80]!r} does not exist"
                self.canvas.say((*self.canvas.path, "connections", used), "warning", message)
            else:
                after[used].append(user)
        names = {name: users for name, users in after.items() if name not in wired and not nodes[name].is_trigger}
        direct, steps = {}, 0
        for name, users in names.items():
            above = reachable([name], names) if steps < MAX_STEPS else {*users}
            steps += len(above)
            direct[name] = above - names.keys()
        parts = [name for name, node in nodes.items() if node.is_part and not node.disabled and name not in wired]
        unused = {name: set[str]() for name in parts if not direct.get(name)}
        for name in unused:
            message = f"{name[:80]!r} is used by no node, so it has no effect"
            self.canvas.say(nodes[name].path, "warning", message, "connect it to the node that uses it, or delete it")
        return {name: users for name, users in direct.items() if users} | unused

    def _tools(self, user: str, above: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """Return the attached nodes of a node, by kind and name, each with its own attached nodes."""
        tools: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for kind, name in self.using[user]:
            node = self.canvas.by_name[name]
            said: dict[str, Any] = {"type": node.type}
            self.left -= len(json.dumps(node.params)) if self.left > 0 else 0
            if self.left > 0:
                said |= parameters(node.params)
                if name in self.users and name not in above and len(above) < _DEPTH:
                    said |= self._tools(name, (*above, name))
            tools[kind][name] = said
        return dict(tools)

    def _task(self, node: N8nNode, join: str | None) -> Task:
        extra = node.model_extra or {}
        settings = {key: extra[key] for key in _SETTINGS if extra.get(key)}
        loop = Loop(mode="until", condition="it succeeds", max=node.tries) if node.retry else None
        event = node.is_trigger or node.kind in _WAITS or node.flow.operation == "sendAndWait"
        calls = None
        if node.kind == "executeWorkflow":
            own_workflow = "the workflow in its parameters" if "workflowJson" in node.params else None
            calls = node.flow.calls.removeprefix("=").strip() or own_workflow
            loop = Loop(mode="foreach", over="items") if node.flow.mode == "each" else loop
        return Task(
            id=node_id(node.name),
            name=node.name,
            description=node.notes,
            kind="event" if event else ("composite" if calls else "task"),
            action=node.type,
            workflow=calls,
            external=calls is not None,
            params=parameters(node.params) | settings | self._tools(node.name, (node.name,)),
            tags=(f"typeVersion {node.version:g}",),
            loop=loop,
            join=join,
            turns=self.turns.get(node.name, ()),
            span=self.canvas.document.span(*node.path),
            path=node.path,
        )

    def _told_apart(self, steps: list[N8nNode]) -> dict[str, N8nNode]:
        """Return the steps by name. If conditions read equal field names of different nodes, these are renamed.

        `$json` is always the input of the current node. So a field `status` in two conditions may be two different
        fields.
        """
        nodes = {node.name: node for node in steps}
        asks = [node for node in nodes.values() if node.kind in _CHOICES]
        sources = {node.name: self._producer(node.name) or node.name for node in asks}
        fields = {node.name: {datum for text, _ in texts(node.params) for datum in own(text)} for node in asks}
        count = Counter(datum for _, datum in {(sources[name], datum) for name in fields for datum in fields[name]})
        for name, source in sources.items():
            if several := {datum for datum in fields[name] if count[datum] > 1}:
                params = with_sources(nodes[name].params, several, source)
                update = {"params": params, "flow": Parameters.model_validate(params)}
                nodes[name] = nodes[name].model_copy(update=update)
        return nodes

    def _data_links(self) -> list[DataLink]:
        """Return the data links between steps. What an attached node reads counts as read by the step that uses it."""
        paths: dict[tuple[str, str, str], Path] = {}
        for node in self.canvas.nodes:
            readers = sorted(self.users.get(node.name, {node.name}) & self.here)
            producer = self._producer(node.name)
            fields = producer in self.here and node.name in self.here
            for text, path in texts(node.params, (*node.path, "parameters")) if readers else ():
                reads = [(name, f"{name}.{field}".strip(".")) for name, field in named(text)]
                reads = [each for each in reads if self._can_be_read(each[0], node)]
                reads += [(producer, field) for field in own(text)] if fields else []
                for (name, datum), reader in product(reads, readers):
                    if name != reader:
                        paths.setdefault((node_id(name), node_id(reader), datum), path)
                check_size(self.canvas.document, 0, len(paths))
        span = self.canvas.document.span
        return [
            DataLink(source=source, target=target, data=datum, span=span(*path))
            for (source, target, datum), path in paths.items()
        ]

    def _can_be_read(self, name: str, reader: N8nNode) -> bool:
        """Whether a name is a step or unknown; a check reports unknown names. Other nodes are reported here."""
        node = self.canvas.by_name.get(name)
        if node is None or not (node.disabled or name in self.users):
            return True
        why = "is disabled" if node.disabled else "is not a step"
        self.canvas.say(reader.path, "warning", f"{reader.name[:80]!r} reads {name[:80]!r}, which {why}")
        return False

    def _producer(self, name: str) -> str:
        """Return the only node whose items a node receives, skipping nodes that pass items on; otherwise ""."""
        for _ in range(_DEPTH):
            sources = self.before.get(name, set())
            if len(sources) != 1:
                return ""
            (name,) = sources
            node = self.canvas.by_name.get(name)
            if node is None or node.kind not in _PASS:
                return name
        return ""
