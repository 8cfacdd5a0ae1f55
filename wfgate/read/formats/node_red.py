"""Flows of Node-RED: a list of nodes, each with the nodes after it under `wires`, as nodes and edges."""

from dataclasses import replace
from typing import Any

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document, Path

_DRAWN = frozenset({"tab", "group", "comment", "junction"})
"""Types that do nothing."""


def flow_as_graph(document: Document) -> Document:
    """Return a flow of Node-RED as nodes and edges; the document itself if it is none, or has subflows.

    Tabs, groups, comments and configuration nodes (without `wires`) are compared as values of the record. The outputs
    of a switch are branches; another node may send to several of its outputs in one run.

    Example:
        >>> nodes = [{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "debug", "wires": []}]
        >>> flow_as_graph(Document("x", kind="json", data=nodes)).data["edges"]
        [{'from': 'a', 'to': 'b'}]
    """
    items = document.data
    if document.kind == "text" or not isinstance(items, list) or not all(_is_node(item) for item in items):
        return document
    nodes = [at for at, item in enumerate(items) if "wires" in item and item["type"] not in _DRAWN]
    if not nodes or any(item["type"].startswith("subflow") for item in items):
        return document
    others = [at for at in range(len(items)) if at not in set(nodes)]
    edges: list[dict[str, Any]] = []
    moved: dict[Path, Path] = {(at,): ("others", place) for place, at in enumerate(others)}
    for place, at in enumerate(nodes):
        moved[at,] = ("nodes", place)
        for output, targets in enumerate(items[at]["wires"]):
            for target in targets:
                edge: dict[str, Any] = {"from": items[at]["id"], "to": target}
                if items[at]["type"] == "switch" and len(items[at]["wires"]) > 1:
                    edge["condition"] = f"output {output + 1}"
                elif output:
                    edge["output"] = output + 1
                edges.append(edge)
    record = {"nodes": [_node(items[at]) for at in nodes], "edges": edges}
    spans: dict[Path, SourceSpan] = {
        (*moved.get(path[:1], path[:1]), *path[1:]): span for path, span in document.spans.items()
    }
    return replace(document, data=record | ({"others": [items[at] for at in others]} if others else {}), spans=spans)


def _is_node(item: Any) -> bool:
    """Return whether an item is a node; its wires are lists of ids, one for each output."""
    if not isinstance(item, dict) or not all(isinstance(item.get(key), str) and item[key] for key in ("id", "type")):
        return False
    wires = item.get("wires", [])
    return isinstance(wires, list) and all(
        isinstance(targets, list) and all(isinstance(target, str) for target in targets) for targets in wires
    )


def _node(item: dict[str, Any]) -> dict[str, Any]:
    """Return a node with a name: its own, or its type."""
    own = item.get("name") if isinstance(item.get("name"), str) else ""
    kept = {key: value for key, value in item.items() if key not in {"wires", "name"}}
    return kept | {"name": own or item["type"]}
