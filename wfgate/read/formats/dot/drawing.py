"""DOT graph to drawing."""

import html
import re

from wfgate.read.documents.document import Document
from wfgate.read.formats.dot.parser import Attributes, DotEdge, DotGraph, DotNode
from wfgate.read.formats.drawings.base import Arrow, Box, Drawing, Frame, Heads, Shape

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


def label_of(raw: str, names: dict[str, str]) -> str:
    r"""Return the text of a label.

    Args:
        raw: The label as written.
        names: Replacements for the escapes that stand for names: `N` is the node, `G` the graph.

    Example:
        >>> label_of(r"Build\n\N &amp; test", {"N": "all"})
        'Build all & test'
    """
    text = _ESCAPE.sub(lambda match: " " if match[1] in "nlr" else names.get(match[1], match[1]), raw)
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
    return _DotDrawing(DotGraph(document)).drawing()


class _DotDrawing:
    def __init__(self, graph: DotGraph) -> None:
        self.tokens = graph.tokens
        self.graph = graph
        self.names = {"G": graph.name}

    def drawing(self) -> Drawing:
        graph, span = self.graph, self.tokens.span
        drawing = Drawing(
            name=self._said(graph.attributes, "label") or graph.name,
            description=self._said(graph.attributes, "comment"),
        )
        entered = {edge.target for edge in graph.edges}
        left = {edge.source for edge in graph.edges}
        for name, node in graph.nodes.items():
            drawing.boxes[name] = self._box(name, node, entered=name in entered, left=name in left)
        ids: dict[str, str] = {}
        for cluster in graph.clusters:
            own = cluster.name
            while own in drawing.boxes:
                own += " cluster"
            ids[cluster.name] = own
            title = self._said(cluster.attributes, "label") or cluster.name.removeprefix("cluster").lstrip("_")
            drawing.frames.append(Frame(own, title or cluster.name, cluster.parent, span(cluster.at)))
        drawing.arrows = [self._arrow(edge, ids) for edge in graph.edges]
        drawing.dotted_is_choice = "__start__" in drawing.boxes and "__end__" in drawing.boxes
        if graph.rest is not None:
            message = "another graph begins here; only the first graph is read"
            fix = "put each graph into a file of its own"
            note = self.tokens.document.diagnostic_at(span(graph.rest), "warning", message, fix=fix)
            drawing.diagnostics.append(note)
        return drawing

    def _said(self, attributes: Attributes, *keys: str) -> str:
        return next(filter(None, (label_of(attributes.get(key, ""), self.names) for key in keys)), "")

    def _box(self, name: str, node: DotNode, *, entered: bool, left: bool) -> Box:
        """Return a node as a box. A node without a label is a point; at the edge of the graph it is START or END."""
        attributes = node.attributes
        drawn = attributes.get("shape", "ellipse").lower()
        raw, names = attributes.get("label", "\\N"), {**self.names, "N": name}
        label, details = record_of(raw, names) if drawn in {"record", "mrecord"} else (label_of(raw, names), "")
        label = label or self._said(attributes, "xlabel")
        styles = _styles(attributes)
        shape = _SHAPES.get(drawn, "box")
        if "rounded" in styles and shape == "box":
            shape = "rounded"
        if drawn == "point" or (not label and (drawn in _UNMARKED or "invis" in styles)):
            shape = "point"
            if entered != left:
                shape, label = "terminal", "End" if entered else "Start"
        elif shape == "note" and (entered or left):
            shape = "box"
        return Box(name, label or name, shape, self.tokens.span(node.at), node.cluster, details)

    def _arrow(self, edge: DotEdge, ids: dict[str, str]) -> Arrow:
        attributes, styles = edge.attributes, _styles(edge.attributes)
        heads: Heads = "none" if self.graph.arrow == "--" else "forward"
        return Arrow(
            ids.get(attributes.get("ltail", ""), edge.source),
            ids.get(attributes.get("lhead", ""), edge.target),
            self._said(attributes, "label", "xlabel", "taillabel", "headlabel"),
            "invisible" if "invis" in styles else "dotted" if styles & {"dotted", "dashed"} else "solid",
            _HEADS.get(attributes.get("dir", "").lower(), heads),
            self.tokens.span(edge.at),
        )


def _styles(attributes: Attributes) -> set[str]:
    return {style.strip() for style in attributes.get("style", "").split(",")}
