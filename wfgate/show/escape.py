"""Escapes untrusted text for terminals, GitHub-flavoured Markdown, HTML and SVG."""

import html
import re
import unicodedata
from collections.abc import Iterable

from wfgate.language import LINE_BREAK

LIMIT = 400
"""Characters shown of one untrusted text."""
MARKS = 4
"""Consecutive combining marks that are kept; more would cover other lines."""

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LOG_COMMAND = re.compile(r"##(?=\w*\[)")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&|~$@#]|:(?=//)|(?<=www)\.|(?<=\bGH)-(?=\d)", re.IGNORECASE)
_REFERRING = frozenset("@#:.-")
_LEADING = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")


def shortened(text: str, limit: int = LIMIT) -> str:
    """Return the text. If it is longer than `limit`, return its beginning and the number of omitted characters.

    Example:
        >>> shortened("x" * 1010, limit=10)
        'xxxxxxxxxx… (1,000 more characters)'
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def visible(text: str, limit: int = LIMIT) -> str:
    r"""Return one line that is safe to print to a terminal or a log.

    Control characters, escape sequences, direction overrides, zero-width characters and surrogates are spelled out;
    line breaks become marks; unusual spaces become plain ones; commands of build servers (`##[error]`) are broken up.

    Example:
        >>> print(visible("a\x1b[31mb\u202ec\nd"))
        a\x1b[31mb\u202ec↵ d
    """
    shown: list[str] = []
    marks = 0
    for character in shortened(text, limit):
        if " " <= character <= "~":
            marks = 0
            shown.append(character)
            continue
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if category == "Zs":
            shown.append(" ")
        elif category in _INVISIBLE or marks > MARKS:
            shown.append(_spelled(character))
        else:
            shown.append(character)
    return _LOG_COMMAND.sub(r"#\\x23", "".join(shown))


def guard(line: str) -> str:
    r"""Return the prefix that prevents that a line of escaped text is a workflow command like `::error::`.

    Example:
        >>> guard("  ::add-mask::x"), guard("a ::b")
        ('\\', '')
    """
    return "\\" if line.lstrip().startswith("::") else ""  # the runner trims blanks


def guarded(lines: Iterable[str]) -> str:
    """Return lines of escaped text. No line is a workflow command."""
    parts = ((line[: len(line) - len(line.lstrip())], line.lstrip()) for line in lines)
    return "\n".join(f"{margin}{guard(words)}{words}" for margin, words in parts)


def markdown_text(text: str, limit: int = LIMIT) -> str:
    r"""Return the text for use inside a Markdown paragraph, list item, heading, table cell or HTML element.

    The result contains no markup, HTML, links, mentions or references to issues: special characters become entities.
    GitHub looks for mentions, references and bare links in the rendered text, so an empty comment follows the
    characters that start them (github/cmark-gfm#181).

    Example:
        >>> print(markdown_text("a|b <i> @team #1"))
        a&#124;b &#60;i&#62; &#64;<!-- -->team &#35;<!-- -->1
    """
    escaped = _SPECIAL.sub(_entity, visible(text, limit).strip())
    return _LEADING.sub(lambda match: f"{match[1]}&#{ord(match[2])};", escaped)


def _entity(match: re.Match[str]) -> str:
    character = match.group()
    entity = f"&#{ord(character)};"
    return f"{entity}<!-- -->" if character in _REFERRING else entity


def _spelled(character: str) -> str:
    short = {"\n": LINE_BREAK, "\r": r"\r", "\t": r"\t"}
    if character in short:
        return short[character]
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def markup(text: str, limit: int = LIMIT) -> str:
    r"""Return the text for use in HTML or SVG: inside an element, or inside the quotes of an attribute.

    The result contains no markup. Control characters are spelled out (see `visible`), so the result is well-formed
    XML.

    Example:
        >>> print(markup("<b onclick='x'> & \x00 \u202e"))
        &lt;b onclick=&#x27;x&#x27;&gt; &amp; \x00 \u202e
    """
    return html.escape(visible(text, limit), quote=True)
