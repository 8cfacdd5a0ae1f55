"""Dify graph to workflow. Each iteration and loop becomes a sub-workflow."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wfgate.model import START, DataItem, Loop, Task, Workflow
from wfgate.read.formats.builder import grouped, reachable
from wfgate.read.formats.dify.conditions import exits_of, term, written
from wfgate.read.formats.dify.data import asked, data_links, kept
from wfgate.read.formats.dify.graph import CONTAINERS, STARTS, DifyGraph, is_selector
from wfgate.read.formats.dify.shapes import App, DifyNode
from wfgate.read.formats.exits import Exit, Exits, Wire, node_id
from wfgate.read.formats.typed import listed

MAX_STEPS = 1_000_000
"""Steps along edges that are made to find which joins wait."""

_UNSAID = frozenset(
    """type title desc selected width height isInIteration isInLoop iteration_id loop_id isIterationStart isLoopStart
    start_node_id startNodeType error_strategy retry_config cases conditions logical_operator break_conditions
    loop_count iterator_selector authorization _targetBranches""".split()  # noqa: SIM905
)
"""What is written about a node that is no argument: looks, what the flow says, credentials."""
_BODY = {"iteration": "each", "loop": "body"}
_EVENTS = frozenset({"human-input", "datasource"})
_LIMITS = ("type", "required", "default", "options")
"""The keys of an input of the app: its type and its limits."""


@dataclass
class GraphReader:
    """Builds the workflow of one graph.

    Attributes:
        graph: The nodes and edges.
        app: The app.
    """

    graph: DifyGraph
    app: App
    steps: int = 0

    def workflow(self) -> Workflow:
        """Return the main workflow with its sub-workflows.

        Raises:
            FormatError: If there are too many links.
        """
        graph, app, parents = self.graph, self.app, self.graph.parents
        self.inside = grouped((parents[node.id], node) for node in graph.nodes)
        self.wires = grouped((parents.get(wire.source, parents.get(wire.target, "")), wire) for wire in graph.wires)
        loops = [node for node in graph.nodes if node.type in CONTAINERS]
        self.bodies = {node.id: f"{node.label} ({_BODY[node.type]})" for node in loops}
        self.data_links = data_links(graph)
        variables = [each for each in app.variables or () if each.name]
        items = [DataItem(id=f"conversation.{each.name}", description=each.description) for each in variables]
        update = {
            "description": app.about.description,
            "params": dict(_params(self.inside[""])),
            "data_items": tuple(items),
            "subworkflows": tuple(self._part(body, loop) for loop, body in self.bodies.items()),
        }
        return self._part(app.about.name, "").model_copy(update=update)

    def _part(self, name: str, parent: str) -> Workflow:
        graph, nodes = self.graph, self.inside[parent]
        begins = {node.id for node in nodes if node.type in STARTS}
        steps = [node for node in nodes if node.id not in begins]
        known = {node.id: node for node in steps}
        built = Exits(graph, {name: (node.title, node.path) for name, node in known.items()})
        built.begin([node.id for node in steps if node.type.startswith("trigger-") or node.type == "datasource"])
        if parent and not begins:  # in older files, the first node is marked
            first = [node.id for node in nodes if node.settings.is_first]
            built.begin(first or [name for name in known if name == graph.by_id[parent].settings.first])
        entry = self._entries(built, known, self.wires[parent])
        wires = [replace(each, target=entry.get(each.target, node_id(each.target))) for each in self.wires[parent]]
        if begins:
            built.follow(START, START, Exit(), [wire for wire in wires if wire.source in begins])
        wires = [wire for wire in wires if wire.source not in begins]
        built.run(wires, lambda name, outputs: exits_of(graph, known[name], outputs))
        return Workflow(
            name=name,
            semantics="token",
            tasks=tuple(self._task(node) for node in steps),
            gateways=tuple(built.gateways),
            links=tuple(built.links),
            data_links=tuple(self.data_links[parent]),
        )

    def _entries(self, built: Exits, nodes: Mapping[str, DifyNode], wires: list[Wire]) -> dict[str, str]:
        """Return the OR join before each node at which parallel branches may meet, by the id of the node."""
        before = grouped((wire.target, wire.source) for wire in wires)
        branches = grouped(((wire.source, wire.output), wire.target) for wire in wires)
        parallel = grouped((source, {*targets}) for (source, _), targets in branches.items() if len({*targets}) > 1)
        joins = {}
        for name, node in nodes.items():
            if len({*before[name]}) > 1 and parallel and self._meet(name, before, parallel):
                joins[name] = built.join(name, f"branches before {node.title}", "OR")
        return joins

    def _meet(self, name: str, before: Mapping[str, Iterable[str]], parallel: Mapping[str, list[set[str]]]) -> bool:
        """Return whether two parallel branches can reach the same node; true if this takes too many steps to find."""
        if self.steps > MAX_STEPS:
            return True
        seen = reachable([name], before)
        branches = [targets for source in seen for targets in parallel.get(source, ())]
        self.steps += len(seen) + sum(map(len, branches))
        return any(len(targets & seen) > 1 for targets in branches)

    def _task(self, node: DifyNode) -> Task:
        settings = node.settings
        calls = self.bodies.get(node.id) if node.type in CONTAINERS else None
        elsewhere = node.type == "tool" and settings.provider_type == "workflow"
        event = node.type in _EVENTS or node.type.startswith("trigger-")
        tool = [settings.provider, settings.tool] if node.type == "tool" else []
        return Task(
            id=node_id(node.id),
            name=node.title or node.id,
            description=settings.description,
            kind="event" if event else ("composite" if calls or elsewhere else "task"),
            action="/".join(filter(None, tool)) or node.type,
            workflow=calls,
            inputs=asked(self.graph, node),
            outputs=kept(self.graph, node),
            params={
                key: self.graph.titled(value)
                for key, value in node.data.items()
                if key not in _UNSAID and value not in (None, "", [], {})
            },
            loop=self._loop(node),
            span=self.graph.document.span(*node.path),
            path=node.path,
        )

    def _loop(self, node: DifyNode) -> Loop | None:
        settings = node.settings
        if node.type == "iteration":
            return Loop(mode="foreach", over=term(self.graph, settings.over) if is_selector(settings.over) else None)
        if node.type == "loop":
            text = written(self.graph, settings.until, settings.operator)
            return Loop(mode="until", condition=text or None, max=settings.count)
        tries = None if settings.retries is None else settings.retries + 1
        return Loop(mode="until", condition="it succeeds", max=tries) if settings.retry else None


def _params(nodes: Iterable[DifyNode]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the input variables of the app, each with its type and its limits."""
    for node in nodes:
        for each in listed(node.data.get("variables")) if node.type == "start" else ():
            if isinstance(each, dict) and each.get("variable"):
                yield str(each["variable"]), {key: each[key] for key in _LIMITS if each.get(key)}
