"""The parser of DOT: text to nodes, edges and clusters, with their positions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from wfgate.documents import Document, Positions
from wfgate.errors import FormatError
from wfgate.formats.builder import MAX_LINKS
from wfgate.model import SourceSpan

HEAD = 10_000
"""Characters within which a text says that it is a graph."""
KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})

_BLANK = re.compile(r"(?>(?:[\s\ufeff]++|//[^\n]*+|^#[^\n]*+)*)", re.MULTILINE)
_WORD = r"[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*+|-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)"
_TOKEN = re.compile(rf"(?P<word>{_WORD})|(?P<sign>->|--|[{{}}\[\];,=:+])")
_QUOTED = re.compile(r'"((?>(?:[^"\\]++|\\.)*))"', re.DOTALL)
_ANGLE = re.compile(r"[<>]")
MAX_DEPTH = 50
"""Deepest nesting of subgraphs that is read."""
READ = frozenset({"label", "xlabel", "shape", "style", "dir", "lhead", "ltail", "comment"})
"""The attributes that say something about a workflow."""
Value = tuple[str, bool]
"""A text, and whether it is HTML."""
Attributes = Mapping[str, Value]
_NONE: Attributes = {}


class Token(NamedTuple):
    """One word or sign.

    Attributes:
        kind: `name`, `html` (a name in angle brackets) or `end` of the text; for keywords and signs, the keyword or
            sign.
        text: Text of the token, without quotes or brackets.
        at: Offset of the token.
    """

    kind: str
    text: str
    at: int

    @property
    def is_name(self) -> bool:
        """Whether the token can be a name."""
        return self.kind in {"name", "html"}


class Tokens:
    """The tokens of one document, read one after the other.

    Attributes:
        document: The document.
        next: The next token.

    Raises:
        FormatError: If the text contains something that is not a token.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self._text = document.text
        self._positions = Positions(document.text)
        self._at = 0
        self.next = self._read()

    def take(self) -> Token:
        """Return the next token and move to the one after it."""
        taken = self.next
        if taken.kind != "end":
            self.next = self._read()
        return taken

    def taken(self, *kinds: str) -> bool:
        """Take the next token if it is of one of these kinds; return whether it was taken."""
        found = self.next.kind in kinds
        if found:
            self.take()
        return found

    def name(self, what: str) -> Token:
        """Take a name; it may have several parts, as in `"in " + "parts"`."""
        if not self.next.is_name:
            raise self.expected(what, "write a word, or a text in quotes")
        found = self.take()
        parts = [found.text]
        while self.next.kind == "+":
            self.take()
            if not self.next.is_name:
                raise self.expected("the rest of the text", 'write "one " + "two"')
            parts.append(self.take().text)
        return found._replace(text="".join(parts)) if len(parts) > 1 else found

    def span(self, at: int) -> SourceSpan:
        """Return the position of an offset in the file."""
        found = self._positions.span(at)
        above = self.document.lines_above
        return SourceSpan(line=found.line + above, column=found.column) if above else found

    def error(self, message: str, at: int, fix: str) -> FormatError:
        """Return the error about the text at an offset."""
        return self.document.error_at(self.span(at), message, fix=fix)

    def expected(self, what: str, fix: str) -> FormatError:
        """Return the error that says what is expected instead of the next token."""
        found = self.next
        message = "the text ends" if found.kind == "end" else f"{found.text[:40]!r} stands"
        return self.error(f"expected {what}, but {message} here", found.at, fix)

    def _read(self) -> Token:
        text = self._text
        found = _TOKEN.match(text, self._at)
        while found is None:
            self._skip()
            if self._at >= len(text):
                return Token("end", "", self._at)
            if text[self._at] == '"':
                return self._quoted(self._at)
            if text[self._at] == "<":
                return self._html(self._at)
            found = _TOKEN.match(text, self._at)
        self._at = found.end()
        word, at = found[0], found.start()
        if found.lastgroup == "sign":
            return Token(word, word, at)
        lower = word.lower()
        return Token(lower if lower in KEYWORDS else "name", word, at)

    def _skip(self) -> None:
        """Skip blanks and comments before the next token."""
        text, begin = self._text, self._at
        blank = _BLANK.match(text, begin)
        self._at = blank.end() if blank else begin
        if text.startswith("/*", self._at):
            end = text.find("*/", self._at + 2)
            if end < 0:
                raise self.error("the comment is never closed", self._at, "close it with */")
            self._at = end + 2
        elif self._at == begin and text[begin : begin + 1] not in {"", '"', "<"}:
            raise self.error(
                f"{text[begin]!r} is not allowed here", begin, "put a text with special characters in quotes"
            )

    def _quoted(self, at: int) -> Token:
        found = _QUOTED.match(self._text, at)
        if found is None:
            raise self.error("a text in quotes is never closed", at, 'close it with "')
        self._at = found.end()
        said = found[1].replace("\\\r\n", "").replace("\\\n", "").replace('\\"', '"')
        return Token("name", said, at)

    def _html(self, at: int) -> Token:
        depth = 0
        for sign in _ANGLE.finditer(self._text, at):
            depth += 1 if sign[0] == "<" else -1
            if not depth:
                self._at = sign.end()
                return Token("html", self._text[at + 1 : sign.start()], at)
        raise self.error("a text in angle brackets is never closed", at, "close it with >")


def begins_graph(text: str) -> bool:
    r"""Return whether a text begins with a graph: `digraph NAME {`.

    Example:
        >>> begins_graph('// mine\nstrict digraph "x y" {'), begins_graph("graph TD\n a --> b")
        (True, False)
    """
    try:
        tokens = Tokens(Document("", text[:HEAD]))
        tokens.taken("strict")
        if not tokens.taken("graph", "digraph"):
            return False
        if tokens.next.is_name:
            tokens.name("a name")
    except FormatError:
        return False
    return tokens.next.kind == "{"


@dataclass
class Node:
    """A node: its attributes, the position where it is first mentioned, and the cluster around it."""

    attributes: dict[str, Value]
    at: int
    cluster: int | None


@dataclass(frozen=True)
class Edge:
    """An edge from one node to another."""

    source: str
    target: str
    attributes: Attributes
    at: int


@dataclass
class Cluster:
    """A subgraph that is drawn with a border."""

    name: str
    parent: int | None
    at: int
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass
class Graph:
    """The content of one graph.

    Attributes:
        name: Name of the graph.
        directed: Whether its edges are arrows.
        attributes: Attributes of the graph itself.
        nodes: The nodes by name, in the order of their first mention.
        edges: The edges.
        clusters: The clusters; an outer cluster stands before the clusters inside it.
        rest: Position of another graph in the same text.
    """

    name: str = ""
    directed: bool = True
    attributes: dict[str, Value] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    rest: int | None = None


@dataclass
class _Scope:
    """The default attributes and the cluster inside one pair of braces."""

    cluster: int | None
    attributes: dict[str, Value]
    node: Attributes = field(default_factory=dict)
    edge: Attributes = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)


def graph_of(tokens: Tokens, check_size: "Sizes") -> Graph:
    """Return the first graph of a text.

    Raises:
        FormatError: If Graphviz could not draw the graph.
    """
    return _Parser(tokens, check_size).graph()


class Sizes:
    """Checks the number of nodes and edges against the limits.

    Args:
        document: The document.
        nodes: The largest allowed number of nodes.
    """

    def __init__(self, document: Document, nodes: int) -> None:
        self.document = document
        self.nodes = nodes
        self.mentions = 0

    def check(self, graph: Graph, more: int) -> None:
        """Check that a graph is not too large.

        Raises:
            FormatError: If the graph has too many nodes, or would have too many edges after `more` edges are added.
        """
        self.mentions += more
        for count, limit, what in (
            (len(graph.nodes), self.nodes, "nodes"),
            (len(graph.edges) + more, MAX_LINKS, "edges"),
            (self.mentions, 10 * MAX_LINKS, "mentions of nodes"),
        ):
            if count > limit:
                raise FormatError(
                    f"the graph has {count:,} {what}; the limit is {limit:,}",
                    path=self.document.name,
                    fix="split the graph into smaller graphs",
                )


class _Parser:
    def __init__(self, tokens: Tokens, sizes: Sizes) -> None:
        self.tokens = tokens
        self.sizes = sizes
        self.found = Graph()
        self.subgraphs: dict[str, dict[str, None]] = {}
        self.cluster_of: dict[str, int] = {}
        self.chains: list[frozenset[int]] = []
        self.pairs: set[tuple[str, str]] | None = None

    def graph(self) -> Graph:
        tokens = self.tokens
        if tokens.taken("strict"):
            self.pairs = set()
        kind = tokens.next.kind
        if not tokens.taken("graph", "digraph"):
            raise tokens.expected("a graph", "begin with `digraph NAME {`")
        self.found.directed = kind == "digraph"
        if tokens.next.is_name:
            self.found.name = tokens.name("a name").text
        scope = _Scope(None, self.found.attributes)
        self._body(scope, 0)
        if tokens.next.kind != "end":
            if tokens.next.kind not in {"strict", "graph", "digraph"}:
                raise tokens.expected("the end of the text", "remove the text after the last }")
            self.found.rest = tokens.next.at
        return self.found

    def _body(self, scope: _Scope, depth: int) -> None:
        """Read `{ ... }`."""
        tokens = self.tokens
        at = tokens.next.at
        if not tokens.taken("{"):
            raise tokens.expected("'{'", "begin with `digraph NAME {`")
        if depth > MAX_DEPTH:
            raise tokens.error(
                f"subgraphs are nested deeper than {MAX_DEPTH} levels", at, "use fewer levels of subgraphs"
            )
        while not tokens.taken("}"):
            if tokens.next.kind == "end":
                raise tokens.error("'{' is never closed", at, "close it with }")
            if not tokens.taken(";"):
                self._statement(scope, depth)

    def _statement(self, scope: _Scope, depth: int) -> None:
        tokens = self.tokens
        first = tokens.next
        if first.kind in {"graph", "node", "edge"}:
            tokens.take()
            if tokens.next.kind != "[":
                raise tokens.expected(f"'[' behind {first.text!r}", 'write node [shape=box], or "node" for a name')
            self._defaults(scope, first.kind)
            return
        left = self._end(scope, depth)
        if left is None:
            return
        at = first.at
        ends = [left]
        while tokens.next.kind in {"->", "--"}:
            sign = tokens.take()
            if (sign.kind == "->") is not self.found.directed:
                kind, other = ("digraph", "->") if self.found.directed else ("graph", "--")
                raise tokens.error(f"{sign.kind!r} is not allowed in a {kind}", sign.at, f"write {other}")
            right = self._end(scope, depth, behind=sign)
            ends.append(right or {})
        given = self._attributes() if tokens.next.kind == "[" else {}
        if len(ends) > 1:
            attributes = {**scope.edge, **given}
            for sources, targets in pairwise(ends):
                self._connect(sources, targets, attributes, at)
        elif first.is_name:
            for name in left:
                self.found.nodes[name].attributes.update(given)

    def _defaults(self, scope: _Scope, kind: str) -> None:
        given = self._attributes()
        if kind == "node":
            scope.node = {**scope.node, **given}
        elif kind == "edge":
            scope.edge = {**scope.edge, **given}
        else:
            scope.attributes.update(given)

    def _end(self, scope: _Scope, depth: int, behind: Token | None = None) -> dict[str, None] | None:
        """Read the source or target of an edge and return its nodes; None if it is an attribute of the graph."""
        tokens = self.tokens
        first = tokens.next
        if first.kind in {"subgraph", "{"}:
            return self._subgraph(scope, depth)
        if behind is not None and first.kind in {"}", ";", "end"}:
            raise tokens.error("the edge has no target node", behind.at, "write the target node after the edge")
        name = tokens.name("a node")
        if behind is None and tokens.taken("="):
            value = tokens.name("a value")
            if name.text.lower() in READ:
                scope.attributes[name.text.lower()] = (value.text, value.kind == "html")
            return None
        for _ in range(2):  # a port and a point of the compass
            if tokens.taken(":"):
                tokens.name("a port")
        self._mention(name, scope)
        return {name.text: None}

    def _mention(self, name: Token, scope: _Scope) -> None:
        node = self.found.nodes.get(name.text)
        if node is None:
            self.found.nodes[name.text] = Node(dict(scope.node), name.at, scope.cluster)
            self.sizes.check(self.found, 0)
        elif scope.cluster is not None and (node.cluster is None or node.cluster in self.chains[scope.cluster]):
            node.cluster = scope.cluster
        scope.named[name.text] = None

    def _subgraph(self, scope: _Scope, depth: int) -> dict[str, None]:
        tokens = self.tokens
        at = tokens.next.at
        name = ""
        if tokens.taken("subgraph") and tokens.next.is_name:
            name = tokens.name("a name").text
        named = self.subgraphs.setdefault(name, {}) if name else {}
        if tokens.next.kind == "{" or not name:
            inner = _Scope(scope.cluster, {}, scope.node, scope.edge, named)
            if name.startswith("cluster"):
                inner.cluster = self._cluster(name, scope.cluster, at)
                inner.attributes = self.found.clusters[inner.cluster].attributes
            self._body(inner, depth + 1)
        self.sizes.mentions += len(named)
        self.sizes.check(self.found, 0)
        scope.named.update(named)
        return named

    def _cluster(self, name: str, parent: int | None, at: int) -> int:
        if name not in self.cluster_of:
            place = self.cluster_of[name] = len(self.found.clusters)
            self.found.clusters.append(Cluster(name, parent, at))
            self.chains.append(frozenset({place}) | (self.chains[parent] if parent is not None else frozenset()))
        return self.cluster_of[name]

    def _attributes(self) -> dict[str, Value]:
        """Read `[key=value, key=value]`; several such lists may follow each other."""
        tokens = self.tokens
        found: dict[str, Value] = {}
        while tokens.next.kind == "[":
            at = tokens.take().at
            while not tokens.taken("]"):
                if tokens.next.kind == "end":
                    raise tokens.error("'[' is never closed", at, "close it with ]")
                key = tokens.name("the name of an attribute")
                value = Token("name", "true", key.at)
                if tokens.taken("="):
                    value = tokens.name("a value")
                tokens.taken(",", ";")
                if key.text.lower() in READ:
                    found[key.text.lower()] = (value.text, value.kind == "html")
        return found

    def _connect(self, sources: dict[str, None], targets: dict[str, None], attributes: Attributes, at: int) -> None:
        self.sizes.check(self.found, len(sources) * len(targets))
        for source in sources:
            for target in targets:
                if self.pairs is not None:
                    if (source, target) in self.pairs:
                        continue
                    self.pairs.add((source, target))
                self.found.edges.append(Edge(source, target, attributes, at))
