"""The parser of DOT: text to nodes, edges and clusters, with their positions."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, NamedTuple

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.drawings.words import cleaned
from wfgate.read.formats.tokens import CodeToken, Tokens

HEAD = 10_000
"""Characters within which a text says that it is a graph."""
MAX_DEPTH = 50
"""Deepest nesting of subgraphs that is read."""
READ = frozenset({"label", "xlabel", "taillabel", "headlabel", "shape", "style", "dir", "lhead", "ltail", "comment"})
"""The attributes that say something about a workflow."""

_KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})
_NAMES = frozenset({"word", "quoted", "html"})
_HTML = "[^<>]*+"
for _ in range(8):  # angle brackets inside angle brackets
    _HTML = rf"(?>(?:[^<>]++|<{_HTML}>)*)"

Attributes = Mapping[str, str]
"""Attributes by name in lower case, with the escapes of labels (`\\n`, `\\N`, `&amp;`); an HTML text is written so."""


class DotTokens(Tokens):
    """The tokens of a DOT text. The kind of a keyword is `keyword`, and its value is in lower case."""

    pattern: ClassVar[re.Pattern[str]] = re.compile(
        rf"""(?P<blank>(?>(?a:\s)+)|//[^\n]*+|^\#[^\n]*+|/\*.*?\*/)
        |(?P<word>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*+|-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?))
        |(?P<sign>->|--|[{{}}\[\];,=:+])
        |"(?P<quoted>(?>(?:[^"\\]++|\\.)*))"
        |<(?P<html>{_HTML})>
        |(?P<open>"|<|/\*)
        |(?P<other>.)""",
        re.DOTALL | re.MULTILINE | re.VERBOSE,
    )
    unclosed: ClassVar[dict[str, tuple[str, str]]] = {
        '"': ("a text in quotes", 'close it with "'),
        "<": ("a text in angle brackets", "close it with >"),
        "/*": ("the comment", "close it with */"),
    }
    plain: ClassVar[frozenset[str]] = frozenset({"keyword", "sign"})

    def made(self, token: CodeToken) -> CodeToken:
        """Return a keyword as such, and a text in quotes without its escapes.

        Raises:
            FormatError: If the character is not allowed in DOT.
        """
        if token.kind == "word" and token.value.lower() in _KEYWORDS:
            return token._replace(kind="keyword", value=token.value.lower())
        if token.kind == "quoted" and "\\" in token.value:
            said = token.value.replace("\\\r\n", "").replace("\\\n", "").replace('\\"', '"')
            return token._replace(value=said)
        if token.kind == "other":
            fix = "put a text with special characters in quotes"
            raise self.error(f"{token.value!r} is not allowed here", token.at, fix)
        return token

    def sees_name(self) -> bool:
        """Return whether the next token is a name: a word, or a text in quotes or angle brackets."""
        return self.peek().kind in _NAMES

    def name(self, what: str) -> CodeToken:
        """Take a name; it may have several parts, as in `"in " + "parts"`."""
        if not self.sees_name():
            raise self.expected(what, "write a word, or a text in quotes")
        token = self.take()
        while self.skip("+"):
            if not self.sees_name():
                raise self.expected("the rest of the text", 'write "one " + "two"')
            token = token._replace(value=token.value + self.take().value)
        return token


def begins_graph(text: str) -> bool:
    r"""Return whether a text begins with a graph: `digraph NAME {`.

    Example:
        >>> begins_graph('// mine\nstrict digraph "x y" {'), begins_graph("graph TD\n a --> b")
        (True, False)
    """
    try:
        tokens = DotTokens(Document("", text[:HEAD]))
        tokens.skip("strict")
        if not tokens.skip("graph", "digraph"):
            return False
        if tokens.sees_name():
            tokens.name("a name")
        return tokens.sees("{")
    except FormatError:
        return False


@dataclass
class DotNode:
    """A node: its attributes, the offset where it is first mentioned, and the index of the cluster around it."""

    attributes: dict[str, str]
    at: int
    cluster: int | None


class DotEdge(NamedTuple):
    """An edge from one node to another."""

    source: str
    target: str
    attributes: Attributes
    at: int


@dataclass
class Cluster:
    """A subgraph that is drawn with a border, and the index of the cluster around it."""

    name: str
    parent: int | None
    at: int
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class _DotScope:
    """One pair of braces: the cluster, the attributes it sets, the default attributes, and the nodes in it."""

    cluster: int | None
    graph: dict[str, str]
    node: Attributes = field(default_factory=dict)
    edge: Attributes = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)


class DotGraph:
    """The first graph of a text.

    Attributes:
        tokens: The tokens of the text.
        name: Name of the graph.
        arrow: What its edges are written with: `->`, or `--` if they have no direction.
        attributes: Attributes of the graph itself.
        nodes: The nodes by name, in the order of their first mention.
        edges: The edges.
        clusters: The clusters; an outer cluster stands before the clusters inside it.
        rest: Offset of another graph in the same text.

    Raises:
        FormatError: If Graphviz could not draw the graph, or the graph is too large.
    """

    def __init__(self, document: Document) -> None:
        self.tokens = tokens = DotTokens(document)
        self.nodes: dict[str, DotNode] = {}
        self.edges: list[DotEdge] = []
        self.clusters: list[Cluster] = []
        self.attributes: dict[str, str] = {}
        self._subgraphs: dict[str, dict[str, None]] = {}
        self._cluster_of: dict[str, int] = {}
        self._chains: list[frozenset[int]] = []
        self._mentions = 0
        self._pairs: set[tuple[str, str]] | None = set() if tokens.skip("strict") else None
        self.arrow = "--" if tokens.sees("graph") else "->"
        if not tokens.skip("graph", "digraph"):
            raise tokens.expected("a graph", "begin with `digraph NAME {`")
        self.name = tokens.name("a name").value if tokens.sees_name() else ""
        self._body(_DotScope(None, self.attributes), 0)
        self.rest = tokens.peek().at if tokens.sees("strict", "graph", "digraph") else None
        if self.rest is None and tokens.peek().kind != "end":
            raise tokens.expected("the end of the text", "remove the text after the last }")

    def _check_size(self, edges: int = 0, mentions: int = 0) -> None:
        """Check the size before edges are added, and that subgraphs are not mentioned again and again."""
        self._mentions += mentions
        links = max(len(self.edges) + edges, self._mentions // 10)
        check_size(self.tokens.document, len(self.nodes), links)

    def _body(self, scope: _DotScope, depth: int) -> None:
        """Read `{ ... }`."""
        tokens = self.tokens
        at = tokens.peek().at
        if not tokens.skip("{"):
            raise tokens.expected("'{'", "begin with `digraph NAME {`")
        if depth > MAX_DEPTH:
            message = f"subgraphs are nested deeper than {MAX_DEPTH} levels"
            raise tokens.error(message, at, "use fewer levels of subgraphs")
        while not tokens.skip("}"):
            if tokens.peek().kind == "end":
                raise tokens.error("'{' is not closed", at, "close it with }")
            if not tokens.skip(";"):
                self._statement(scope, depth)

    def _statement(self, scope: _DotScope, depth: int) -> None:
        tokens = self.tokens
        first = tokens.peek()
        if tokens.skip("graph", "node", "edge"):
            if not tokens.sees("["):
                raise tokens.expected(f"'[' behind {first.value!r}", 'write node [shape=box], or "node" for a name')
            given = self._attributes()
            if first.value == "graph":
                scope.graph.update(given)
            else:  # a new mapping: scopes share them
                setattr(scope, first.value, {**getattr(scope, first.value), **given})
            return
        name = tokens.name("a node") if tokens.sees_name() else None
        if name is not None and tokens.skip("="):
            self._set(scope.graph, name)
            return
        ends = self._chain(self._node(name, scope) if name is not None else self._end(scope, depth), scope, depth)
        given = self._attributes()
        if len(ends) > 1:
            attributes = {**scope.edge, **given}
            for sources, targets in pairwise(ends):
                self._connect(sources, targets, attributes, first.at)
        elif name is not None:
            self.nodes[name.value].attributes.update(given)

    def _chain(self, first: dict[str, None], scope: _DotScope, depth: int) -> list[dict[str, None]]:
        """Read `-> b -> c` behind the first nodes, and return the nodes at each end of an edge."""
        tokens = self.tokens
        ends = [first]
        while tokens.sees("->", "--"):
            arrow = tokens.take()
            if arrow.value != self.arrow:
                kind = "graph" if self.arrow == "--" else "digraph"
                message = f"{arrow.value!r} is not allowed in a {kind}"
                raise tokens.error(message, arrow.at, f"write {self.arrow}")
            if tokens.sees("}", ";") or tokens.peek().kind == "end":
                message = "the edge has no target node"
                raise tokens.error(message, arrow.at, "write the target node after the edge")
            ends.append(self._end(scope, depth))
        return ends

    def _end(self, scope: _DotScope, depth: int) -> dict[str, None]:
        """Read the source or target of an edge and return its nodes."""
        if self.tokens.sees("subgraph", "{"):
            return self._subgraph(scope, depth)
        return self._node(self.tokens.name("a node"), scope)

    def _node(self, name: CodeToken, scope: _DotScope) -> dict[str, None]:
        """Mention a node in a scope, and read what follows its name: a port and a point of the compass."""
        for _ in range(2):
            if self.tokens.skip(":"):
                self.tokens.name("a port")
        node = self.nodes.get(name.value)
        if node is None:
            self.nodes[name.value] = DotNode(dict(scope.node), name.at, scope.cluster)
            self._check_size()
        elif scope.cluster is not None and (node.cluster is None or node.cluster in self._chains[scope.cluster]):
            node.cluster = scope.cluster
        scope.named[name.value] = None
        return {name.value: None}

    def _subgraph(self, scope: _DotScope, depth: int) -> dict[str, None]:
        tokens = self.tokens
        at = tokens.peek().at
        name = ""
        if tokens.skip("subgraph") and tokens.sees_name():
            name = tokens.name("a name").value
        named = self._subgraphs.setdefault(name, {}) if name else {}
        if tokens.sees("{") or not name:
            inner = _DotScope(scope.cluster, {}, scope.node, scope.edge, named)
            if name.startswith("cluster"):
                inner.cluster = self._cluster(name, scope.cluster, at)
                inner.graph = self.clusters[inner.cluster].attributes
            self._body(inner, depth + 1)
        self._check_size(mentions=len(named))
        scope.named.update(named)
        return named

    def _cluster(self, name: str, parent: int | None, at: int) -> int:
        if name not in self._cluster_of:
            place = self._cluster_of[name] = len(self.clusters)
            self.clusters.append(Cluster(name, parent, at))
            self._chains.append(frozenset({place}) | (self._chains[parent] if parent is not None else frozenset()))
        return self._cluster_of[name]

    def _attributes(self) -> dict[str, str]:
        """Read `[key=value, key=value]`; there may be several such lists, or none."""
        tokens = self.tokens
        attributes: dict[str, str] = {}
        while tokens.sees("["):
            at = tokens.take().at
            while not tokens.skip("]"):
                if tokens.peek().kind == "end":
                    raise tokens.error("'[' is not closed", at, "close it with ]")
                key = tokens.name("the name of an attribute")
                if tokens.skip("="):
                    self._set(attributes, key)
                elif key.value.lower() in READ:
                    attributes[key.value.lower()] = "true"
                tokens.skip(",", ";")
        return attributes

    def _set(self, attributes: dict[str, str], key: CodeToken) -> None:
        """Read the value of an attribute."""
        value = self.tokens.name("a value")
        if key.value.lower() in READ:
            attributes[key.value.lower()] = _as_label(value.value) if value.kind == "html" else value.value

    def _connect(self, sources: dict[str, None], targets: dict[str, None], attributes: Attributes, at: int) -> None:
        self._check_size(len(sources) * len(targets))
        pairs = [(source, target) for source in sources for target in targets]
        if self._pairs is not None:
            pairs = [pair for pair in pairs if pair not in self._pairs]
            self._pairs.update(pairs)
        self.edges += [DotEdge(source, target, attributes, at) for source, target in pairs]


def _as_label(markup: str) -> str:
    """Return a label in quotes that says what an HTML label says."""
    return re.sub(r"[\\{}|]", r"\\\g<0>", html.escape(" ".join(cleaned(markup)).strip()))
