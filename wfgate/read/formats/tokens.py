"""Texts that are neither YAML, JSON nor XML: positions, errors and tokens, for the parsers of languages."""

import re
from collections import deque
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.documents.positions import Positions


class CodeText:
    """A text with the positions of its characters in the file.

    Args:
        document: The document.
        text: The text to parse, if it is not the text of the document; as long as that text, with the same lines.
    """

    def __init__(self, document: Document, text: str | None = None) -> None:
        self.document = document
        self.text = document.text if text is None else text
        self._positions = Positions(self.text)

    def span(self, at: int) -> SourceSpan:
        """Return the position of an offset in the file."""
        span = self._positions.span(at)
        above = self.document.lines_above
        return SourceSpan(line=span.line + above, column=span.column) if above else span

    def error(self, message: str, at: int, fix: str) -> FormatError:
        """Return the error about the text at an offset."""
        return self.document.error_at(self.span(min(at, len(self.text))), message, fix=fix)


class CodeToken(NamedTuple):
    """One word or sign of a text.

    Attributes:
        kind: Name of the group of the pattern that matched; `end` after the last token.
        value: CodeText of the group.
        at: Offset of the token.
        end: Offset after the token.
    """

    kind: str
    value: str
    at: int
    end: int


class Tokens(CodeText):
    """The tokens of a text, read one after the other. A subclass gives the pattern of its language.

    Attributes:
        last: The token that was read last; the first token if none was read.
        pattern: Matches any token, and never the empty text. The name of its last group is the kind of the token;
            `blank` and `comment` are skipped, `open` is the beginning of a text or comment that is not closed, and
            `other` is any other character.
        unclosed: For each such beginning, what it begins, and the fix.
        plain: The kinds of tokens that `sees` and `skip` compare; a text in quotes is never a keyword or a sign.

    Raises:
        FormatError: When a token is read that begins a text or comment without end.
    """

    pattern: ClassVar[re.Pattern[str]]
    unclosed: ClassVar[dict[str, tuple[str, str]]]
    plain: ClassVar[frozenset[str]]

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._coming = self._read()
        self._next = deque([next(self._coming)])
        self.last = self._next[0]

    def made(self, token: CodeToken) -> CodeToken:
        """Return a token as the parser is to see it."""
        return token

    def _read(self) -> Iterator[CodeToken]:
        for match in self.pattern.finditer(self.text):
            kind = match.lastgroup or ""
            if kind == "open":
                what, fix = self.unclosed[match[0]]
                raise self.error(f"{what} is not closed", match.start(), fix)
            if kind not in {"blank", "comment"}:
                yield self.made(CodeToken(kind, match[kind], *match.span()))
        while True:
            yield CodeToken("end", "", len(self.text), len(self.text))

    def peek(self, ahead: int = 0) -> CodeToken:
        """Return a token without reading it: the next token, or a later one."""
        while ahead and len(self._next) <= ahead:
            self._next.append(next(self._coming))
        return self._next[ahead]

    def take(self) -> CodeToken:
        """Return the next token and move to the one after it."""
        self.last = self._next.popleft()
        if not self._next:
            self._next.append(next(self._coming))
        return self.last

    def sees(self, *values: str) -> bool:
        """Return whether the next token is one of these words or signs."""
        token = self.peek()
        return token.value in values and token.kind in self.plain

    def skip(self, *values: str) -> bool:
        """Skip the next token if it is one of these words or signs; return whether it was skipped."""
        seen = self.sees(*values)
        if seen:
            self.take()
        return seen

    def expected(self, what: str, fix: str) -> FormatError:
        """Return the error that says what is expected instead of the next token."""
        token = self.peek()
        message = "the text ends" if token.kind == "end" else f"{token.value[:40]!r} stands"
        return self.error(f"expected {what}, but {message} here", token.at, fix)
