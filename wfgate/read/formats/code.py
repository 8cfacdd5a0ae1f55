"""Code of steps without its comments and its layout."""

import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from io import StringIO

Tokens = tuple[tuple[object, ...], ...]

_LONGEST_LINE = 2000
"""`tokenize` needs time that is quadratic in the length of a line."""
_LONGEST = 200_000
_INDENTED = re.compile(r"^([ \t]+)(?=[^\s#])", re.MULTILINE)
_STRING_PARTS = {getattr(tokenize, f"{kind}STRING_START", None) for kind in "FT"} - {None}
_STRING_ENDS = {getattr(tokenize, f"{kind}STRING_END", None) for kind in "FT"} - {None}

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\v\f\u00a0\ufeff]++)
    | (?P<line>[\n\r\u2028\u2029]++ | //[^\n\r\u2028\u2029]*+)
    | (?P<block>/\*)
    | (?P<text>"(?>(?:[^"\\\n\r]|\\(?:\r\n|.))*)" | '(?>(?:[^'\\\n\r]|\\(?:\r\n|.))*)')
    | (?P<number>(?:0[xXbBoO][\da-fA-F_]++|(?:\d[\d_]*+\.?[\d_]*+|\.\d[\d_]*+)(?>(?:[eE][+-]?\d[\d_]*+)?))n?+(?![\w$]))
    | (?P<name>\#?(?!\d)[\w$]++)
    | (?P<template>`)
    | (?P<slash>/=?)
    | (?P<mark>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|
        =>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()\[\];,<>+*%&|^!~?:=.@-])
    """,
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(
    r"/(?>(?:[^/\\\[\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029]|"
    r"\[(?>(?:[^\]\\\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029])*)\])+)/[\w$]*+"
)
_CHUNK = re.compile(r"(?>(?:[^`\\$]|\\.|\$(?!\{))*)(`|\$\{)", re.DOTALL)
_BEFORE_PATTERN = frozenset(
    ("return", "typeof", "case", "in", "delete", "void", "throw", "new", "instanceof", "do", "else")
)
_NEVER_SURE = frozenset(("of", "yield", "await", "async", "let", "get", "set", "static"))
"""Names that are keywords only at some places: a slash after them divides, or starts a regular expression."""
_HEADS = frozenset(("if", "while", "for", "await", "with"))
_BOTH = frozenset("?.:;,=<>&|^%") | {"?.", "&&", "||", "??", "==", "!=", "===", "!==", "<=", ">="}
_ASSIGNING = frozenset(f"{mark}=" for mark in ("+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"))
_CONTINUED = _BOTH | _ASSIGNING | frozenset("{([+-*/!~") | {"...", "=>", "&&=", "||=", "??=", "<<", ">>", ">>>", "**"}
"""A line break after these never ends a statement."""
_CONTINUING = _BOTH | frozenset(")]}")
"""A line break before these never ends a statement in another way than the mark itself."""


def tokens_of(code: str, language: str) -> Tokens | None:
    r"""Return the tokens of code without comments and layout: the same tokens do the same.

    Returns None if the language is unknown or the tokens are not certain. The line breaks that may end a statement of
    JavaScript, and the blocks of Python, count. Of a shell, a token is a line without blanks at its end; lines that
    only contain a comment are left out. Code of n8n that starts with `=` is a template, which is not read.

    Cost: linear in the code.

    Example:
        >>> tokens_of("a = 1 // one", "javascript") == tokens_of("/* set */ a  =\n 1", "javascript")
        True
        >>> tokens_of("return '//'", "javascript") == tokens_of("return ''", "javascript")
        False
        >>> tokens_of("make  \nmake test", "shell") == tokens_of("make\nmake test", "shell")
        True
        >>> tokens_of("# build it\nmake", "shell") == tokens_of("make", "shell")
        True
        >>> tokens_of("if a: # yes\n  b()", "python") == tokens_of("if a:\n\n    b( )", "python3")
        True
    """
    read = _LANGUAGES.get(language.casefold())
    if read is None or len(code) > _LONGEST or code.startswith("="):
        return None
    try:
        return tuple(read(code))
    except _UnsureError:
        return None


def _shell(code: str) -> Iterator[tuple[object, ...]]:
    if "<<" in code:  # blanks in a here-document are data
        raise _UnsureError
    lines = code.split("\n")
    comments = _comments(lines)
    quote = ""
    for at, line in enumerate(lines):
        if at in comments:
            continue
        kept = line.rstrip(" \t")
        quote = open_quote(line, quote)
        if kept != line and (quote or kept.endswith(_JOINING)):
            raise _UnsureError
        yield (kept,)


def _comments(lines: Sequence[str]) -> set[int]:
    """Return the positions of the lines of a script that are certainly comments, in Bash, PowerShell and Python alike.

    There are none unless the quotes of every other line end in it: `#` in a text of several lines is no comment.
    """
    comments = {at for at, line in enumerate(lines) if _SHELL_COMMENT.fullmatch(line)}
    rest = [line for at, line in enumerate(lines) if at not in comments]
    if not all(_CLOSED_LINE.fullmatch(line) and not _READS_ITSELF.search(line) for line in rest):
        return set()
    return {at for at in comments if at == 0 or not lines[at - 1].endswith(_JOINING)}


def open_quote(line: str, quote: str) -> str:
    """Return the quote that is open at the end of a line of a shell, given the one that is open at its start."""
    escaped, before = False, " "
    for char in line:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char == "#" and before in " \t;":
            break
        elif char in "'\"":
            quote = char
        before = char
    return quote


_SHELL_COMMENT = re.compile(
    r"[ \t]*#(?:[ \t]+(?!shellcheck\b|requires\b|[\w.-]+[ \t]*[:=])[\w\"'(][^$`{}<>\\^]*)?", re.ASCII | re.IGNORECASE
)
"""A line with a comment in words: no directive (`#!`, `#SBATCH`, `# shellcheck`, `# syntax=`), nothing that a service
replaces before the run (`${{ }}`), no end of a block comment (`#>`)."""
_CLOSED_LINE = re.compile(
    r"""
    (?!.*(?:\"{3}|'{3}|[$@]['"]|\(\((?!.*\)\))))
    (?>(?:
        [^'"`\\]
      | \\[^'"`]
      | '[^'`\\]*+'
      | "(?>(?:[^"`\\$] | \\[^"'`] | \$\((?>(?:[^()"'`\\]|'[^'"`\\]*+')*)\) | \$\{[^{}"'`\\]*+\} | \$(?![({]))*)"
    )*) \\?
    """,
    re.VERBOSE,
)
"""A line of which the quotes are closed in every one of these languages."""
_READS_ITSELF = re.compile(r"\$\{?0|BASH_SOURCE|LINENO|__file__|MyInvocation|PSCommandPath|<\#|\#>")
"""What reads the script, or starts a block comment."""


class _UnsureError(Exception):
    """The tokens of code are not certain."""


def _python(code: str) -> Iterator[tuple[object, ...]]:
    indents = "".join(_INDENTED.findall(code))
    if max(map(len, code.splitlines()), default=0) > _LONGEST_LINE or len(set(indents)) > 1 or "\0" in code:
        raise _UnsureError
    depth, last = 0, (0, 0)
    try:
        for token in tokenize.generate_tokens(StringIO(code).readline):
            depth += token.type in _STRING_PARTS
            if depth:  # spaces between the braces of f"{a =}" are printed
                row, column = token.start
                yield token.type, token.string, row - last[0], column - last[1] if row == last[0] else column
            elif token.type in {tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE, tokenize.ENDMARKER}:
                yield (token.type,)
            elif token.type == tokenize.ERRORTOKEN:
                raise _UnsureError
            elif token.type not in {tokenize.COMMENT, tokenize.NL}:
                yield token.type, token.string
            depth -= token.type in _STRING_ENDS
            last = token.end
    except (tokenize.TokenError, SyntaxError) as error:
        raise _UnsureError from error


def _javascript(code: str) -> Iterator[tuple[object, ...]]:
    return _JavaScript(code).tokens()


class _JavaScript:
    """Splits JavaScript into tokens.

    A slash after `}`, `++` or the head of `if (...)` may divide or start a regular expression: only a parser knows.
    """

    def __init__(self, code: str) -> None:
        self._code = code
        self._at = 0
        self._last = self._before = ""
        self._kind = ""
        self._open: list[tuple[str, str]] = []
        """The open brackets, each with the name before it."""
        self._closed_head = False

    def tokens(self) -> Iterator[tuple[object, ...]]:
        """Yield the tokens: the text, and whether a line break before it may end a statement."""
        if self._code.startswith("#!") or "<!--" in self._code or "-->" in self._code:
            raise _UnsureError  # other comments
        broken = False
        while self._at < len(self._code):
            start = self._at
            kind = self._next()
            text = self._code[start : self._at]
            if kind == "space":
                broken = broken or any(char in text for char in "\n\r\u2028\u2029")
                continue
            yield text, broken and self._last not in _CONTINUED and text not in _CONTINUING
            broken = False
            self._before, self._last, self._kind = self._last, text, kind
        if self._open:
            raise _UnsureError

    def _next(self) -> str:
        """Move to the end of the next token, and return its kind."""
        start, token = self._at, _TOKEN.match(self._code, self._at)
        if token is None:
            raise _UnsureError
        self._at, kind = token.end(), token.lastgroup or ""
        if kind == "block":
            self._at = self._after("*/")
        if kind in {"line", "block"}:
            return "space"
        if kind == "slash":
            if not self._starts_pattern():
                return "mark"
            self._at = self._end_of(_PATTERN, start)
            return "pattern"
        if kind == "template" or self._brackets(token[0], kind):  # a brace may go on with a template
            self._at = self._end_of(_CHUNK, self._at)
            if self._code[self._at - 1] == "`":
                return "template"
            self._open.append(("${", ""))
            return "mark"
        return kind

    def _brackets(self, text: str, kind: str) -> bool:
        """Follow the brackets; return whether a brace closes an expression in a template."""
        if kind != "mark" or text not in {"(", "[", "{", ")", "]", "}"}:
            return False
        if text in "([{":
            self._open.append((text, self._last))
            return False
        opening, name = self._open.pop() if self._open else ("", "")
        if opening + text not in {"()", "[]", "{}", "${}"}:
            raise _UnsureError
        self._closed_head = name in _HEADS
        return opening == "${"

    def _starts_pattern(self) -> bool:
        last = self._last
        if last in {"}", "++", "--"} or last in _NEVER_SURE or (last == ")" and self._closed_head):
            raise _UnsureError
        if last in _BEFORE_PATTERN:
            if self._before in {".", "?."}:
                raise _UnsureError
            return True
        return self._kind in {"", "mark"} and last not in {")", "]"}

    def _after(self, end: str) -> int:
        place = self._code.find(end, self._at)
        if place < 0:
            raise _UnsureError
        return place + len(end)

    def _end_of(self, pattern: re.Pattern[str], start: int) -> int:
        match = pattern.match(self._code, start)
        if match is None:
            raise _UnsureError
        return match.end()


_JOINING = ("\\", "`", "^")
"""The last character of a line that goes on in the next one, in some shell: a blank after it ends the line."""
_LANGUAGES: dict[str, Callable[[str], Iterator[tuple[object, ...]]]] = {
    "javascript": _javascript,
    "python": _python,
    "python3": _python,
    "shell": _shell,
    "bash": _shell,
    "sh": _shell,
    "pwsh": _shell,
    "powershell": _shell,
}
