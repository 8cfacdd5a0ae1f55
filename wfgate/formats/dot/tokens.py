"""The words of a DOT text, one after the other, in one linear scan."""

import re
from typing import NamedTuple

from wfgate.documents import Document, Positions
from wfgate.errors import FormatError
from wfgate.model import SourceSpan

HEAD = 10_000
"""Characters within which a text says that it is a graph."""
KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})

_BLANK = re.compile(r"(?>(?:[\s\ufeff]++|//[^\n]*+|^#[^\n]*+)*)", re.MULTILINE)
_WORD = r"[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*+|-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)"
_TOKEN = re.compile(rf"(?P<word>{_WORD})|(?P<sign>->|--|[{{}}\[\];,=:+])")
_QUOTED = re.compile(r'"((?>(?:[^"\\]++|\\.)*))"', re.DOTALL)
_ANGLE = re.compile(r"[<>]")


class Token(NamedTuple):
    """One word or sign.

    Attributes:
        kind: `name`, `html` (a name in angle brackets), `end` of the text; keywords and signs stand for themselves.
        text: What it says, without quotes or brackets.
        at: Where it begins.
    """

    kind: str
    text: str
    at: int

    @property
    def is_name(self) -> bool:
        """Whether it may be the name of something."""
        return self.kind in {"name", "html"}


class Tokens:
    """The tokens of one document, to be taken one by one.

    Attributes:
        document: Where they stand.
        next: The one to come.

    Raises:
        FormatError: Where something is no token.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self._text = document.text
        self._positions = Positions(document.text)
        self._at = 0
        self.next = self._read()

    def take(self) -> Token:
        """Return the next token and go on."""
        taken = self.next
        if taken.kind != "end":
            self.next = self._read()
        return taken

    def taken(self, *kinds: str) -> bool:
        """Go on if the next token is of one of these kinds; return whether it was."""
        found = self.next.kind in kinds
        if found:
            self.take()
        return found

    def name(self, what: str) -> Token:
        """Take a name, of pieces where it is written `"in " + "pieces"`."""
        if not self.next.is_name:
            raise self.expected(what, "write a word, or a text in quotes")
        found = self.take()
        pieces = [found.text]
        while self.next.kind == "+":
            self.take()
            if not self.next.is_name:
                raise self.expected("the rest of the text", 'write "one " + "two"')
            pieces.append(self.take().text)
        return found._replace(text="".join(pieces)) if len(pieces) > 1 else found

    def span(self, at: int) -> SourceSpan:
        """Return where an offset stands in the file."""
        found = self._positions.span(at)
        above = self.document.lines_above
        return SourceSpan(line=found.line + above, column=found.column) if above else found

    def error(self, message: str, at: int, fix: str) -> FormatError:
        """Build the error about what stands at an offset."""
        return self.document.error_at(self.span(at), message, fix=fix)

    def expected(self, what: str, fix: str) -> FormatError:
        """Build the error that says that something else should come next."""
        found = self.next
        said = "the text ends" if found.kind == "end" else f"{found.text[:40]!r} stands"
        return self.error(f"expected {what}, but {said} here", found.at, fix)

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
        """Go on to where the next token begins, behind blanks and comments."""
        text, begin = self._text, self._at
        blank = _BLANK.match(text, begin)
        self._at = blank.end() if blank else begin
        if text.startswith("/*", self._at):
            end = text.find("*/", self._at + 2)
            if end < 0:
                raise self.error("the comment is never closed", self._at, "close it with */")
            self._at = end + 2
        elif self._at == begin and text[begin : begin + 1] not in {"", '"', "<"}:
            raise self.error(f"{text[begin]!r} cannot stand here", begin, "put texts with signs into quotes")

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
    r"""Return whether a text begins like a graph: `digraph NAME {`.

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
