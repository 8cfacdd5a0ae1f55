"""XXP text to tokens with positions."""

import re
from typing import NamedTuple

from wfgate.documents import Document, Positions
from wfgate.model import SourceSpan

_TOKEN = re.compile(
    r"""(?P<blank>\s++)
    |(?P<comment>//[^\n]*+|/\*.*?\*/)
    |(?P<text>"(?>(?:[^"\\]|\\.)*)"|'[^'\n]*+')
    |(?P<operator>(?:PARALLEL|EXCLUSIVE|INCLUSIVE|COMPLEX|JOIN)-(?:END-)?\d++)
    |(?P<word>[^\W\d]\w*+)
    |(?P<number>-?\d++(?:\.\d++)?)
    |(?P<symbol>-->|\?->|!->|->|\|\||\.\.\.|[{}()\[\];,.=:?])
    |(?P<open>"|/\*)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_WORDS = frozenset({"word", "symbol"})
_AHEAD = 8
"""How many tokens may be asked for behind the next one."""
_ESCAPES = {"n": "\n", "t": "\t"}


class Token(NamedTuple):
    """One token.

    Attributes:
        kind: word, operator, number, text, symbol, other, or end behind the last one.
        value: What it says; of a text what stands between the quotes.
        at: Its offset.
        end: The offset behind it.
    """

    kind: str
    value: str
    at: int
    end: int


class Tokens:
    """All tokens of a document, and where the next one to be read stands.

    Raises:
        FormatError: If a text or a comment is not closed.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.next = 0
        self.remarks: dict[int, str] = {}
        self._positions = Positions(document.text)
        self._found: list[Token] = []
        for match in _TOKEN.finditer(document.text):
            kind, value = str(match.lastgroup), match.group()
            if kind == "open":
                what = "the text" if value == '"' else "the comment"
                said = f"close it with {value if value == chr(34) else '*/'}"
                raise document.error_at(self.span(match.start()), f"{what} has no end", fix=said)
            if kind == "comment":
                line = self._positions.span(match.start()).line
                self.remarks.setdefault(line, value.strip("/* \t\r\n"))
            elif kind != "blank":
                shown = _unquoted(value) if kind == "text" else value
                self._found.append(Token(kind, shown, match.start(), match.end()))
        size = len(document.text)
        self._found += [Token("end", "the end of the file", size, size)] * _AHEAD

    def peek(self, ahead: int = 0) -> Token:
        """Return a token that is yet to be read."""
        return self._found[self.next + ahead]

    def take(self) -> Token:
        """Return the next token and step over it."""
        token = self.peek()
        self.next += token.kind != "end"
        return token

    def sees(self, *values: str) -> bool:
        """Return whether the next tokens are these symbols or words."""
        for token, value in zip(self._found[self.next : self.next + len(values)], values, strict=True):
            if token.value != value or token.kind not in _WORDS:
                return False
        return True

    def skip(self, *values: str) -> bool:
        """Step over these symbols or words, if they are next."""
        found = self.sees(*values)
        self.next += len(values) if found else 0
        return found

    def span(self, at: int) -> SourceSpan:
        """Return where an offset stands in the file."""
        span = self._positions.span(at)
        return SourceSpan(line=span.line + self.document.lines_above, column=span.column)

    def remark(self, token: Token) -> str:
        """Return the comment on the line of a token."""
        return self.remarks.get(self._positions.span(token.at).line, "")


def first_word(text: str) -> str:
    r"""Return the first word of a text that is neither blank nor in a comment.

    Example:
        >>> first_word("// A\npackage b;")
        'package'
    """
    at = 0
    while match := _TOKEN.match(text, at):
        if match.lastgroup not in {"blank", "comment"}:
            return match.group() if match.lastgroup == "word" else ""
        at = match.end()
    return ""


def _unquoted(value: str) -> str:
    inner = value[1:-1]
    if value[0] == "'" or "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)
