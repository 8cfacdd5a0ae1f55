"""The flow of data between the nodes of a Dify graph, including data into and out of iterations and loops."""

from collections import defaultdict
from dataclasses import dataclass, field

from wfgate.documents import Path
from wfgate.formats.builder import check_size
from wfgate.formats.dify.document import CONTAINERS, GIVEN, STARTS, Graph, Node, selectors
from wfgate.formats.exits import node_id
from wfgate.model import END, START, DataLink

MAX_NESTED = 50
"""Loops inside loops out of which a reference is followed."""

_DECIDES = frozenset({"conditions", "break_conditions"})
_IN_GROUPS = 2
"""Numbers in the path of what an aggregator reads in groups: of the group, and in the group."""

_Links = dict[tuple[str, str, str], DataLink]


@dataclass
class DataReader:
    """Collects the data links.

    Attributes:
        graph: The nodes and edges.
        links: Data links by the iteration or loop that contains them; "" for the main workflow.
        inputs: The data that the conditions of each node read.
        outputs: The data of each node that other nodes read.
    """

    graph: Graph
    links: defaultdict[str, _Links] = field(default_factory=lambda: defaultdict(dict))
    inputs: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    outputs: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    count: int = 0

    def read(self) -> None:
        """Collect all data links.

        Raises:
            FormatError: If there are too many data links.
        """
        for node in self.graph.nodes:
            if node.type in STARTS:
                continue
            written = _written(node)
            for selector, path, sure in selectors(node.data, (*node.path, "data")):
                datum = self.graph.called(selector)
                if path in written:
                    if selector[0] == "conversation":
                        self.outputs[node.id][datum] = None
                elif selector[0] in GIVEN:
                    self._climb(node, "", START, datum, path)
                elif selector[0] in self.graph.by_id or sure:
                    self._reference(node, selector, self._one_of(node, path) or datum, path)
                else:
                    continue
                if _DECIDES.intersection(path):
                    self.inputs[node.id][datum] = None

    def _one_of(self, node: Node, path: Path) -> str:
        """Return the datum that an aggregator reads: one datum for each group, because one value is enough."""
        if node.type not in {"variable-aggregator", "variable-assigner"}:
            return ""
        groups = [place for place in path[len(node.path) :] if isinstance(place, int)]
        return f"{node.label} (one of)" if len(groups) < _IN_GROUPS else f"{node.label} (one of {groups[0] + 1})"

    def _reference(self, node: Node, selector: list[str], datum: str, path: Path) -> None:
        source = self.graph.by_id.get(selector[0])
        if source is None:
            self._link(node.parent, node_id(selector[0]), node_id(node.id), datum, path)
        elif source.type in STARTS:
            self._climb(node, source.parent, START, datum, path)
        elif source.parent == node.id and node.type in CONTAINERS:  # what a loop gives back
            self._link(node.id, node_id(source.id), END, datum, path)
        elif source.id != node.id:
            self._climb(node, source.parent, node_id(source.id), datum, path, of=source.id)

    def _climb(self, node: Node, home: str, source: str, datum: str, path: Path, of: str = "") -> None:
        """Link a reader with a source in one of the loops around the reader, or outside all loops."""
        reader, above = node, [node.parent]
        while above[-1] not in {home, of, ""} and len(above) <= MAX_NESTED:
            above.append(self.graph.by_id[above[-1]].parent)
        if above[-1] == of and of:  # what the loop hands out: an element, its number, a variable of it
            steps, source = above, START
        elif above[-1] == home:
            steps = above
        else:  # the source stands in a loop that the reader is not in
            self._link(node.parent, source, node_id(node.id), datum, path)
            return
        for at, level in enumerate(steps):
            last = at == len(steps) - 1
            self._link(level, source if last else START, node_id(reader.id), datum, path)
            if not last:
                reader = self.graph.by_id[level]

    def _link(self, level: str, source: str, target: str, datum: str, path: Path) -> None:
        key = (source, target, datum)
        if source == target or key in self.links[level]:
            return
        self.count += 1
        check_size(self.graph.document, 0, self.count)
        span = self.graph.document.span(*path)
        self.links[level][key] = DataLink(source=source, target=target, data=datum, span=span)


def _written(node: Node) -> set[Path]:
    """Return the paths at which the settings of a node name data that the node writes, not reads."""
    if node.type != "assigner":
        return set()
    at: Path = (*node.path, "data")
    items = node.data.get("items")
    count = len(items) if isinstance(items, list) else 0
    return {
        (*at, "assigned_variable_selector"),
        *((*at, "items", place, "variable_selector") for place in range(count)),
    }
