"""Dify graph to workflow. Each iteration and loop becomes a sub-workflow."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from wfgate.formats.dify.conditions import exits_of, term, unknown, written
from wfgate.formats.dify.data import DataReader
from wfgate.formats.dify.document import CONTAINERS, STARTS, Edge, Graph, Node, is_selector
from wfgate.formats.exits import Exit, Exits, Way, node_id
from wfgate.model import END, START, DataItem, Loop, Names, Task, Workflow

MAX_STEPS = 1_000_000
"""Steps along edges that are made to find which joins wait."""

_UNSAID = frozenset(
    """type title desc selected width height isInIteration isInLoop iteration_id loop_id isIterationStart isLoopStart
    start_node_id startNodeType error_strategy retry_config cases conditions logical_operator break_conditions
    loop_count iterator_selector authorization _targetBranches""".split()  # noqa: SIM905
)
"""What is written about a node that is no argument: looks, what the flow says, credentials."""
_EVENTS = frozenset({"human-input", "datasource"})


@dataclass
class GraphReader:
    """Builds the workflow of one graph.

    Attributes:
        graph: The nodes and edges.
        about: The fields of the workflow outside its graph.
    """

    graph: Graph
    about: dict[str, Any]
    steps: int = field(default=0)

    def workflow(self, name: str, description: str) -> Workflow:
        """Return the main workflow with its sub-workflows.

        Raises:
            FormatError: If there are too many links.
        """
        graph = self.graph
        inside: defaultdict[str, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            inside[node.parent].append(node)
        edges: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in graph.edges:
            ends = [graph.by_id[end] for end in (edge.source, edge.target) if end in graph.by_id]
            edges[ends[0].parent if ends else ""].append(edge)
        containers = [node for node in graph.nodes if node.type in CONTAINERS]
        self.bodies = {
            node.id: f"{node.label} (each)" if node.type == "iteration" else f"{node.label} (body)"
            for node in containers
        }
        self.data = DataReader(graph)
        self.data.read()
        parts = tuple(
            self._part(self.bodies[node.id], "", inside[node.id], edges[node.id], node.id)
            for node in {node.id: node for node in reversed(containers)}.values()
        )
        main = self._part(name, description, inside[""], edges[""], "")
        items = tuple(self._kept())
        return main.model_copy(
            update={"params": self._params(inside[""]), "data_items": items, "subworkflows": parts[::-1]}
        )

    def _part(self, name: str, description: str, nodes: list[Node], edges: list[Edge], parent: str) -> Workflow:
        graph = self.graph
        begins = {node.id for node in nodes if node.type in STARTS}
        steps = [node for node in nodes if node.id not in begins]
        built = Exits(graph.document, Names((START, END, *(node_id(node.id) for node in steps))))
        self._begin(built, nodes, parent, begins)
        known = {node.id: node for node in steps}
        entry = self._entries(built, known, edges)
        out: defaultdict[str, list[Edge]] = defaultdict(list)
        into = set()
        first: list[Way] = []
        for edge in edges:
            out[edge.source].append(edge)
            into.add(edge.target)
            if edge.source in begins:
                first.append(Way(entry.get(edge.target, node_id(edge.target)), span=edge.span))
            elif edge.source not in known:  # an edge from nowhere
                built.link(node_id(edge.source), node_id(edge.target), span=edge.span)
        built.leave(START, START, [(Exit(), first)] if first else [], [], None)
        entered = into | {link.target for link in built.links}
        for node in known.values():
            self._leave(built, node, out[node.id], entry, reached=node.id in entered)
        return Workflow(
            name=name,
            description=description,
            semantics="token",
            tasks=tuple(self._task(node) for node in steps),
            gateways=tuple(built.gateways),
            links=tuple(built.links),
            data_links=tuple(self.data.links[parent].values()),
        )

    def _begin(self, built: Exits, nodes: list[Node], parent: str, begins: set[str]) -> None:
        """Link START with the first nodes if there is no start node: triggers, or the marked node in older files."""
        span = self.graph.document.span
        triggers = [node for node in nodes if node.type.startswith("trigger-") or node.type == "datasource"]
        built.begin({node_id(node.id): span(*node.path) for node in triggers})
        if not parent or begins:
            return
        asked = self.graph.by_id[parent].data.get("start_node_id")
        for node in nodes:
            if node.id == asked or node.data.get("isIterationStart") is True:
                built.link(START, node_id(node.id), span=span(*node.path))

    def _leave(self, built: Exits, node: Node, edges: list[Edge], entry: dict[str, str], *, reached: bool) -> None:
        exits = exits_of(self.graph, node)
        span = self.graph.document.span(*node.path)
        if not edges:
            if reached:
                built.link(
                    node_id(node.id), END, None, exits["source"].outcome if "source" in exits else "success", span
                )
            return
        at: defaultdict[str, list[Way]] = defaultdict(list)
        for edge in edges:
            at[self._handle(edge, exits)].append(Way(entry.get(edge.target, node_id(edge.target)), span=edge.span))
        ways = [(exits[way] if way in exits else unknown(self.graph, node, way), ends) for way, ends in at.items()]
        unused = [way for handle, way in exits.items() if handle not in at]
        built.leave(node_id(node.id), node.title, ways, unused, span)

    def _handle(self, edge: Edge, exits: dict[str, Any]) -> str:
        plain = "source" in exits and edge.handle in {"", "success-branch", "true"}
        return "source" if plain else edge.handle

    def _entries(self, built: Exits, nodes: dict[str, Node], edges: list[Edge]) -> dict[str, str]:
        """Return the OR join before each node at which parallel branches may meet, by the id of the node."""
        before: defaultdict[str, dict[str, None]] = defaultdict(dict)
        branches: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for edge in edges:
            before[edge.target][edge.source] = None
            branches[edge.source, edge.handle][edge.target] = None
        parallel: defaultdict[str, list[dict[str, None]]] = defaultdict(list)
        for (source, _), targets in branches.items():
            if len(targets) > 1:
                parallel[source].append(targets)
        found = {}
        for name, node in nodes.items():
            if len(before[name]) > 1 and parallel and self._meet(name, before, parallel):
                span = self.graph.document.span(*node.path)
                found[name] = built.gateway(f"branches before {node.title}", "OR", "join", span)
                built.link(found[name], node_id(name), span=span)
        return found

    def _meet(self, name: str, before: dict[str, dict[str, None]], parallel: dict[str, list[dict[str, None]]]) -> bool:
        """Return whether two parallel branches can reach the same node."""
        seen, pending = {name}, [name]
        while pending and self.steps <= MAX_STEPS:
            for source in before.get(pending.pop(), ()):
                self.steps += 1
                if source not in seen:
                    seen.add(source)
                    pending.append(source)
        if self.steps > MAX_STEPS:
            return True
        for source in seen:
            for targets in parallel.get(source, ()):
                self.steps += len(targets)
                if sum(target in seen for target in targets) > 1:
                    return True
        return False

    def _task(self, node: Node) -> Task:
        data = node.data
        calls = self.bodies.get(node.id) if node.type in CONTAINERS else None
        elsewhere = node.type == "tool" and data.get("provider_type") == "workflow"
        event = node.type in _EVENTS or node.type.startswith("trigger-")
        said = {key: value for key, value in data.items() if key not in _UNSAID and _is_said(value)}
        return Task(
            id=node_id(node.id),
            name=node.title or node.id,
            description=_first(data, "desc"),
            kind="event" if event else ("composite" if calls or elsewhere else "task"),
            action=_action(node),
            workflow=calls,
            inputs=tuple(self.data.inputs[node.id]),
            outputs=tuple(self.data.outputs[node.id]),
            params={key: self.graph.titled(value) for key, value in said.items()},
            loop=self._loop(node),
            span=self.graph.document.span(*node.path),
            path=node.path,
        )

    def _loop(self, node: Node) -> Loop | None:
        data = node.data
        if node.type == "iteration":
            over = data.get("iterator_selector")
            return Loop(
                mode="foreach", over=term(self.graph, over) if isinstance(over, list) and is_selector(over) else None
            )
        if node.type == "loop":
            text = written(self.graph, data.get("break_conditions"), data.get("logical_operator"))
            count = data.get("loop_count")
            return Loop(mode="until", condition=text or None, max=count if type(count) is int else None)
        retry = data.get("retry_config")
        if isinstance(retry, dict) and retry.get("retry_enabled") is True:
            tries = retry.get("max_retries")
            return Loop(mode="until", condition="it succeeds", max=tries + 1 if type(tries) is int else None)
        return None

    def _params(self, nodes: Iterable[Node]) -> dict[str, Any]:
        """Return the input variables of the app, each with its type and its limits."""
        found = {}
        for node in nodes:
            variables = node.data.get("variables") if node.type == "start" else None
            for each in variables if isinstance(variables, list) else ():
                if isinstance(each, dict) and isinstance(each.get("variable"), str):
                    kept = {key: each[key] for key in ("type", "required", "default", "options") if each.get(key)}
                    found[each["variable"]] = kept
        return found

    def _kept(self) -> Iterable[DataItem]:
        """Yield the variables that the app keeps between the messages of a conversation."""
        said = self.about.get("conversation_variables")
        for each in said if isinstance(said, list) else ():
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield DataItem(id=f"conversation.{each['name']}", description=_first(each, "description"))


def _action(node: Node) -> str:
    if node.type == "tool":
        parts = [_first(node.data, "provider_name", "provider_id"), _first(node.data, "tool_name")]
        return "/".join(part for part in parts if part) or node.type
    return node.type or "unknown"


def _first(data: dict[str, Any], *keys: str) -> str:
    return next((data[key] for key in keys if isinstance(data.get(key), str) and data[key]), "")


def _is_said(value: object) -> bool:
    return value is not None and value not in ("", [], {})
