"""Texts in Mermaid: entities, Markdown and HTML in, what a person reads out."""

import re

from wfgate.formats.drawings.words import cleaned

_ENTITY = re.compile(r"#(\d{1,7}|[a-zA-Z]\w{1,30});")
_STRONG = re.compile(r"\*\*([^*\n]++)\*\*|(?<!\w)__([^_\n]++)__(?!\w)")
_EMPHASIS = re.compile(r"(?<![*\w])\*([^*\s][^*\n]*+)\*(?![*\w])|(?<![_\w])_([^_\s][^_\n]*+)_(?![_\w])")


def label_of(raw: str) -> tuple[str, str]:
    r"""Return what a text says, and what it says below a rule.

    Example:
        >>> label_of("`The **cat**\n  in the _hat_`"), label_of("5 #lt; 6<br>really")
        (('The cat in the hat', ''), ('5 < 6 really', ''))
    """
    text = raw.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = _EMPHASIS.sub(_inner, _STRONG.sub(_inner, text[1:-1]))
    return cleaned(_ENTITY.sub(lambda found: f"&{'#' if found[1].isdigit() else ''}{found[1]};", text))


def _inner(found: re.Match[str]) -> str:
    return found[1] or found[2]
