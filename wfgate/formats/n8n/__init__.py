"""n8n: nodes, and connections between nodes by name."""

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.exits import node_id
from wfgate.formats.n8n.document import Canvas, Node, canvas_of, only_workflow, workflows_in
from wfgate.formats.n8n.flow import MAX_STEPS, FlowReader, reachable, without_disabled
from wfgate.formats.n8n.outputs import parameters
from wfgate.formats.n8n.references import named, own, texts, with_sources
from wfgate.model import DataLink, Loop, Task, Workflow

_SETTINGS = ("alwaysOutputData", "executeOnce", "waitBetweenTries")
_PASS = frozenset({"if", "switch", "filter", "noOp", "wait", "limit", "sort", "splitInBatches"})
"""Nodes that hand on the items that they get as they are."""
_CHOICES = frozenset({"if", "switch", "filter"})
_TRIES = 3
"""How often n8n tries a node with retries by default."""


class N8nFormat(Format):
    """A workflow that n8n exports: a mapping with `nodes` and `connections`, or a list with one such workflow.

    The name of a node is the id of its step, because connections and expressions use the name. Triggers follow START;
    if there are several, exactly one of them starts the workflow. The outputs of If, Filter, Switch and classifier
    nodes have guards (the conditions of the links). An output without a target leads to END. A Merge node waits for
    its inputs. Models, memories and tools of an AI node are parameters of the AI node. Disabled nodes are left out,
    and their predecessors are linked with their successors.

    Example:
        >>> data = {
        ...     "nodes": [
        ...         {"name": "Daily", "type": "n8n-nodes-base.scheduleTrigger", "parameters": {}},
        ...         {
        ...             "name": "Fetch",
        ...             "type": "n8n-nodes-base.httpRequest",
        ...             "parameters": {"url": "https://a.example"},
        ...         },
        ...     ],
        ...     "connections": {"Daily": {"main": [[{"node": "Fetch", "type": "main", "index": 0}]]}},
        ... }
        >>> workflow = N8nFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'Daily'), ('Daily', 'Fetch'), ('Fetch', 'END')]
    """

    id: ClassVar[str] = "n8n"
    signature: ClassVar[str] = "a mapping with a list `nodes` and a mapping `connections`"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("nodes", "connections"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document contains the nodes and connections of n8n."""
        return next(workflows_in(document), None) is not None

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there is no workflow or several, or a node or connection does not have the form that n8n
                writes.
        """
        path, data = only_workflow(document)
        canvas = canvas_of(document, path, data)
        check_size(document, len(canvas.nodes), len(canvas.wires) + len(canvas.attached))
        return Reading(_Reader(canvas, data).workflow(), self.id, tuple(canvas.diagnostics))


@dataclass
class _Reader:
    canvas: Canvas
    data: dict[str, Any]

    def workflow(self) -> Workflow:
        canvas, data = self.canvas, self.data
        wires = without_disabled(canvas)
        wired = {end for wire in canvas.wires for end in (wire.source, wire.target)}
        self.users = self._users(wired)
        steps = [node for node in canvas.nodes if not node.disabled and node.name not in self.users]
        self.before: defaultdict[str, set[str]] = defaultdict(set)
        for wire in wires:
            self.before[wire.target].add(wire.source)
        self.here = {node.name for node in steps}
        flow = FlowReader(canvas, self._told_apart(steps), wires)
        built = flow.read()
        if steps and not any(node.is_trigger for node in steps):
            at = (*canvas.path, "nodes")
            message = "the workflow has no trigger node"
            canvas.diagnostics.append(canvas.document.diagnostic("warning", message, *at, fix="add a trigger node"))
        for node in canvas.nodes:
            if node.disabled:
                canvas.say(
                    node,
                    "info",
                    f"{node.name[:80]!r} is disabled, so it is not read; its incoming links go to the nodes after it",
                )
        tools = self._tools()
        tasks = [self._task(node, flow.joins, tools.get(node.name, {})) for node in steps]
        data_links = self._data_links()
        check_size(canvas.document, len(tasks), len(built.links) + len(data_links))
        settings = data.get("settings")
        meta = data.get("meta")
        described = data.get("description") or (meta.get("description") if isinstance(meta, dict) else None)
        return Workflow(
            name=data["name"] if isinstance(data.get("name"), str) else "",
            description=described if isinstance(described, str) else "",
            semantics="token",
            params=settings if isinstance(settings, dict) else {},
            tasks=tuple(tasks),
            gateways=tuple(built.gateways),
            links=tuple(built.links),
            data_links=tuple(data_links),
        )

    def _users(self, wired: set[str]) -> dict[str, set[str]]:
        """Return the steps that use each attached node (a model, a tool), directly or through other attached nodes.

        A node without such a step becomes a step itself, so that it is not lost. A node with data connections is not
        included.
        """
        after: defaultdict[str, list[str]] = defaultdict(list)
        for user, _, used in self.canvas.attached:
            missing = next((name for name in (used, user) if name not in self.canvas.by_name), None)
            if missing is None:
                after[used].append(user)
            else:
                at = (*self.canvas.path, "connections", used)
                message = f"{user[:80]!r} uses {used[:80]!r}, but the node {missing[:80]!r} does not exist"
                self.canvas.diagnostics.append(self.canvas.document.diagnostic("warning", message, *at))
        names = {name: after[name] for name in after if name not in wired and not self.canvas.by_name[name].is_trigger}
        found, steps = {}, 0
        for name in names:
            above = reachable([name], names) if steps < MAX_STEPS else {*after[name]}
            steps += len(above)
            found[name] = above - names.keys()
        return {name: users for name, users in found.items() if users}

    def _tools(self) -> dict[str, dict[str, Any]]:
        """Return the attached nodes of each node, by kind and name, each with its own attached nodes."""
        using: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for user, kind, used in self.canvas.attached:
            node = self.canvas.by_name.get(used)
            if node is not None and not node.disabled:
                using[user].append((kind, used))
        self.left = _MAX_TOOLS
        return {user: self._used(user, using, frozenset({user})) for user in using if user not in self.users}

    def _used(
        self, user: str, using: dict[str, list[tuple[str, str]]], above: frozenset[str]
    ) -> dict[str, dict[str, Any]]:
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for kind, name in using.get(user, ()):
            node = self.canvas.by_name[name]
            self.left -= len(json.dumps(node.params)) if self.left > 0 else 0
            said: dict[str, Any] = {"type": node.type}
            if self.left > 0:
                said |= parameters(node.params)
                if name in self.users and name not in above and len(above) < _DEPTH:
                    said |= self._used(name, using, above | {name})
            found[kind][name] = said
        return dict(found)

    def _task(self, node: Node, joins: dict[str, str], tools: dict[str, Any]) -> Task:
        entry = node.entry
        params = {**parameters(node.params), **{key: entry[key] for key in _SETTINGS if entry.get(key)}, **tools}
        loop = None
        if entry.get("retryOnFail") is True:
            tries = entry.get("maxTries", _TRIES)
            loop = Loop(mode="until", condition="it succeeds", max=tries if type(tries) is int else _TRIES)
        calls = _called(node) if node.kind == "executeWorkflow" else None
        if node.kind == "executeWorkflow" and node.params.get("mode") == "each":
            loop = Loop(mode="foreach", over="items")
        notes = entry.get("notes")
        return Task(
            id=node_id(node.name),
            name=node.name,
            description=notes if isinstance(notes, str) else "",
            kind="event" if node.is_event else ("composite" if calls else "task"),
            action=node.type,
            workflow=calls,
            external=calls is not None,
            params=params,
            tags=(f"typeVersion {node.version:g}",),
            loop=loop,
            join=joins.get(node.name),
            span=self.canvas.document.span(*node.path),
            path=node.path,
        )

    def _told_apart(self, steps: list[Node]) -> dict[str, Node]:
        """Return the steps by name. If conditions read equal field names of different nodes, these are renamed.

        `$json` is always the input of the current node. So a field `status` in two conditions may be two different
        fields.
        """
        found = {node.name: node for node in steps}
        asked: dict[str, tuple[str, set[str]]] = {}
        sources: defaultdict[str, set[str]] = defaultdict(set)
        for name, node in found.items():
            if node.kind in _CHOICES:
                fields = {datum for text, _ in texts(node.params, ()) for datum in own(text)}
                asked[name] = (self._producer(name) or name, fields)
                for datum in fields:
                    sources[datum].add(asked[name][0])
        for name, (source, fields) in asked.items():
            several = frozenset(datum for datum in fields if len(sources[datum]) > 1)
            if several:
                found[name] = replace(found[name], params=with_sources(found[name].params, several, source))
        return found

    def _data_links(self) -> list[DataLink]:
        """Return the data links between steps. What an attached node reads counts as read by the step that uses it."""
        here = self.here
        found: dict[tuple[str, str, str], DataLink] = {}
        for node in self.canvas.nodes:
            readers = sorted(self.users.get(node.name, {node.name} if node.name in here else set()) & here)
            comes_from = self._producer(node.name)
            for text, path in texts(node.params, (*node.path, "parameters")) if readers else ():
                reads = [
                    (name, f"{name}.{field}".strip("."))
                    for name, field in named(text)
                    if self._can_be_read(name, node)
                ]
                if comes_from in here and node.name in here:
                    reads += [(comes_from, field) for field in own(text)]
                for name, datum in reads:
                    for reader in readers:
                        key = (node_id(name), node_id(reader), datum)
                        if key not in found and name != reader:
                            span = self.canvas.document.span(*path)
                            found[key] = DataLink(source=key[0], target=key[1], data=datum, span=span)
                    check_size(self.canvas.document, 0, len(found))
        return list(found.values())

    def _can_be_read(self, name: str, reader: Node) -> bool:
        """Whether a name is a step or unknown; a check reports unknown names. Other nodes are reported here."""
        node = self.canvas.by_name.get(name)
        if node is None or not (node.disabled or name in self.users):
            return True
        why = "is disabled" if node.disabled else "is not a step"
        self.canvas.say(reader, "warning", f"{reader.name[:80]!r} reads {name[:80]!r}, which {why}")
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


_DEPTH = 50
"""Tools of tools, and nodes in a row that hand on what they get, that are followed."""
_MAX_TOOLS = 1_000_000
"""Most characters of the parameters of attached tools; several nodes may share a tool."""


def _called(node: Node) -> str | None:
    """Return the workflow that a node calls: its name, or its id if there is no name; None if the node calls none."""
    asked = node.params.get("workflowId", node.params.get("workflowPath", node.params.get("workflowUrl")))
    if isinstance(asked, dict):
        asked = asked.get("cachedResultName") or asked.get("value")
    if isinstance(asked, str) and asked.strip():
        return asked.removeprefix("=").strip()
    return "the workflow in its parameters" if "workflowJson" in node.params else None
