"""Runtime expressions (jq) as conditions: paths, comparisons and their combinations.

An expression that computes something (pipes, functions, alternatives) becomes «text», an opaque condition.
"""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?P<space>\s++)|(?P<open>\()|(?P<close>\))|(?P<negation>\|\s*+not\s*+(?=\)|\Z))"
    r'|(?P<step>\.(?P<key>[^\W\d]\w*+|"[^"\\`]++"))'
    r'|(?P<index>\[(?:[0-9]++(?:\.[0-9]++)?|"(?>(?:[^"\\]|\\[^(])*)")\])'
    r'|(?P<string>"(?>(?:[^"\\]|\\.)*)")'
    r"|(?P<name>\$?[^\W\d]\w*+)"
    r"|(?P<plain>[0-9]++(?:\.[0-9]++)?|[=!<>]=|/(?!/)|[<>+*-])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_VALUES = frozenset({"true", "false", "null"})
_MEANT_OTHERWISE = frozenset(
    {
        *("and", "or", "not", "is", "in", "if", "when", "unless", "like", "between", "contains", "includes"),
        *("matches", "equals", "starts", "ends", "does", "startswith", "endswith", "none", "nil", "undefined"),
        *("true", "false", "null", "otherwise", "else", "default"),
    }
)
"""Names that the plain language reads as something else."""
_LONGEST = 10_000
"""Characters of an expression that are looked into."""
_DEEPEST = 50
"""Parentheses inside parentheses that are looked into."""


@dataclass
class _Group:
    """The content of one pair of parentheses."""

    start: int
    parts: list[str] = field(default_factory=list)
    computed: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()


def expression(text: str) -> str:
    """Return a runtime expression in wfgate's plain condition language.

    Example:
        >>> expression("${ .customer.age < 18 and ($context.error == null | not) }")
        'customer.age < 18 and (not ($context.error == null))'
        >>> expression(".items | length > 3")
        '«.items | length > 3»'
        >>> expression(".vip")
        'vip != null and vip != false'
    """
    bare = unwrapped(text)
    translated = _translated(bare) if len(bare) <= _LONGEST else None
    if translated is None:
        return _opaque(bare)
    if re.fullmatch(r"[$\w.]++|`[^`]++`", translated) and not translated[0].isdigit() and translated not in _VALUES:
        return f"{translated} != null and {translated} != false"
    return translated


def unwrapped(text: str) -> str:
    """Return a runtime expression without `${ }`.

    Example:
        >>> unwrapped("${ .x }"), unwrapped(".x")
        ('.x', '.x')
    """
    stripped = text.strip()
    return stripped[2:-1].strip() if stripped.startswith("${") and stripped.endswith("}") else stripped


def _opaque(text: str) -> str:
    words = " ".join(text.split()).replace("«", "'").replace("»", "'")
    return f"«{words}»" if words else ""


def _translated(text: str) -> str | None:
    """Return the condition; None if the whole expression is a computation, or is nested too deep."""
    groups = [_Group(0)]
    last = ""  # the kind of the token right before, without space between
    for token in _TOKEN.finditer(text):
        kind, word = str(token.lastgroup), token[0]
        group, goes_on = groups[-1], last in {"name", "step", "index", "close"}
        last = kind
        if kind == "open":
            group.computed |= goes_on
            groups.append(_Group(token.start()))
        elif kind == "close":
            groups.pop()
            if not groups:
                return None
            whole = text[group.start : token.end()]
            groups[-1].parts.append(_opaque(whole) if group.computed else f"({group.text})")
        elif kind == "negation":
            group.parts = [f"not ({group.text})"]
        elif kind == "step":
            group.parts.append(_step(token["key"], goes_on=goes_on))
        else:
            plain = kind in {"space", "plain"} or (kind == "index" and goes_on)
            plain |= kind == "name" and (word[0] == "$" or word in _VALUES or word in {"and", "or"})
            group.computed |= not plain and (kind != "string" or "\\(" in word)
            group.parts.append(" " if kind == "space" else word)
        if len(groups) > _DEEPEST + 1:
            return None
    return groups[0].text or None if len(groups) == 1 and not groups[0].computed else None


def _step(key: str, *, goes_on: bool) -> str:
    """Return one step of a path, `.name` or `."name"`."""
    if key[0] == '"':
        return f"[{key}]" if goes_on else f"`{key[1:-1]}`"
    if goes_on:
        return f".{key}"
    return f"`{key}`" if key.casefold() in _MEANT_OTHERWISE else key
