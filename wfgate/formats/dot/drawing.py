"""DOT graph to drawing."""

import html
import re

from wfgate.documents import Document
from wfgate.formats.builder import MAX_TASKS
from wfgate.formats.dot.parser import Attributes, Edge, Graph, Node, Sizes, Tokens, graph_of
from wfgate.formats.drawings import Arrow, Box, Drawing, Frame, Heads, Shape, Stroke
from wfgate.formats.drawings.words import cleaned
from wfgate.model import SourceSpan

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PORT = re.compile(r"<[^<>]*+>")
_FIELDS = re.compile(r"(?>(?:[^\\{}|]++|\\.)+)", re.DOTALL)
_SHAPES: dict[str, Shape] = {
    **dict.fromkeys(("ellipse", "oval", "circle", "doublecircle", "egg"), "rounded"),
    **dict.fromkeys(("mdiamond", "msquare", "mcircle"), "terminal"),
    "cds": "event",
    "diamond": "decision",
    "hexagon": "preparation",
    "point": "point",
    **dict.fromkeys(("note", "plaintext", "plain", "none"), "note"),
}
_UNMARKED = frozenset({"circle", "point", "none", "plaintext", "plain", "doublecircle", "ellipse", "oval"})
"""Shapes that are a point where nothing is written into them."""
_HEADS: dict[str, Heads] = {"both": "both", "back": "back", "none": "none"}


def label_of(raw: str, names: dict[str, str], *, markup: bool = False) -> str:
    r"""Return the text of a label.

    Args:
        raw: The label as written.
        names: Replacements for the escapes that stand for names: `N` is the node, `G` the graph.
        markup: Whether the label is HTML.

    Example:
        >>> label_of(r"Build\n\N &amp; test", {"N": "all"}), label_of("<b>Ship</b><br/>it", {}, markup=True)
        ('Build all & test', 'Ship it')
    """
    if markup:
        return " ".join(cleaned(raw))[: len(raw)].strip()
    text = _ESCAPE.sub(lambda found: " " if found[1] in "nlr" else names.get(found[1], found[1]), raw)
    return " ".join(html.unescape(text).split())


def record_of(raw: str, names: dict[str, str]) -> tuple[str, str]:
    r"""Return the text of the first field of a record, and the texts of the other fields.

    Example:
        >>> record_of(r"{<in> Build|{make|all}|\N}", {"N": "b1"})
        ('Build', 'make, all, b1')
    """
    fields = [label_of(field, names) for field in _FIELDS.findall(_PORT.sub(" ", raw))]
    said = [field for field in fields if field]
    return (said[0] if said else ""), ", ".join(said[1:])


def drawing_of(document: Document) -> Drawing:
    """Return the boxes, arrows and frames of the first graph in a text.

    Raises:
        FormatError: If Graphviz could not draw the graph.
    """
    tokens = Tokens(document)
    graph = graph_of(tokens, Sizes(document, MAX_TASKS))
    return _Drawn(document, tokens, graph).drawing()


class _Drawn:
    def __init__(self, document: Document, tokens: Tokens, graph: Graph) -> None:
        self.document = document
        self.tokens = tokens
        self.graph = graph
        self.names = {"G": graph.name}

    def drawing(self) -> Drawing:
        graph = self.graph
        found = Drawing(
            name=self._said(graph.attributes, "label") or graph.name,
            description=self._said(graph.attributes, "comment"),
        )
        entered = {edge.target for edge in graph.edges}
        left = {edge.source for edge in graph.edges}
        for name, node in graph.nodes.items():
            found.boxes[name] = self._box(name, node, entered=name in entered, left=name in left)
        ids = self._frames(found)
        for edge in graph.edges:
            found.arrows.append(self._arrow(edge, ids))
        found.dotted_is_choice = "__start__" in found.boxes and "__end__" in found.boxes
        if graph.rest is not None:
            message = "another graph begins here; only the first graph is read"
            fix = "put each graph into a file of its own"
            found.diagnostics.append(self.document.diagnostic_at(self._span(graph.rest), "warning", message, fix=fix))
        return found

    def _span(self, at: int) -> SourceSpan:
        return self.tokens.span(at)

    def _said(self, attributes: Attributes, key: str) -> str:
        text, markup = attributes.get(key, ("", False))
        return label_of(text, self.names, markup=markup)

    def _box(self, name: str, node: Node, *, entered: bool, left: bool) -> Box:
        """Return a node as a box. A node without a label is a point; at the edge of the graph it is START or END."""
        attributes = node.attributes
        drawn = attributes.get("shape", ("ellipse", False))[0].lower()
        styles = {style.strip() for style in attributes.get("style", ("", False))[0].split(",")}
        raw, markup = attributes.get("label", ("\\N", False))
        names = {**self.names, "N": name}
        details = ""
        if drawn in {"record", "mrecord"} and not markup:
            label, details = record_of(raw, names)
        else:
            label = label_of(raw, names, markup=markup)
        label = label or self._said(attributes, "xlabel")
        shape = _SHAPES.get(drawn, "box")
        if "rounded" in styles and shape == "box":
            shape = "rounded"
        if drawn == "point" or (drawn in _UNMARKED and not label) or ("invis" in styles and not label):
            shape = "point"
            if entered != left:
                shape, label = "terminal", "End" if entered else "Start"
        elif shape == "note" and (entered or left):
            shape = "box"
        return Box(name, label or name, shape, self._span(node.at), node.cluster, details)

    def _frames(self, found: Drawing) -> dict[str, str]:
        """Add the clusters; return the ids that arrows use for them."""
        ids: dict[str, str] = {}
        for cluster in self.graph.clusters:
            own = cluster.name
            while own in found.boxes:
                own += " cluster"
            ids[cluster.name] = own
            title = self._said(cluster.attributes, "label")
            title = title or cluster.name.removeprefix("cluster").lstrip("_") or cluster.name
            found.frames.append(Frame(own, title, cluster.parent, self._span(cluster.at)))
        return ids

    def _arrow(self, edge: Edge, ids: dict[str, str]) -> Arrow:
        attributes = edge.attributes
        if not attributes and self.graph.directed:
            return Arrow(edge.source, edge.target, span=self._span(edge.at))
        styles = {style.strip() for style in attributes.get("style", ("", False))[0].split(",")}
        stroke: Stroke = "solid"
        if styles & {"dotted", "dashed"}:
            stroke = "dotted"
        if "invis" in styles:
            stroke = "invisible"
        heads: Heads = "forward" if self.graph.directed else "none"
        heads = _HEADS.get(attributes.get("dir", ("", False))[0].lower(), heads)
        return Arrow(
            ids.get(attributes.get("ltail", ("", False))[0], edge.source),
            ids.get(attributes.get("lhead", ("", False))[0], edge.target),
            self._said(attributes, "label") or self._said(attributes, "xlabel"),
            stroke,
            heads,
            self._span(edge.at),
        )
