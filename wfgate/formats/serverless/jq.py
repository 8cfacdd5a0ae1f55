"""Runtime expressions (jq) as conditions: paths, comparisons and their combinations.

An expression that computes something (pipes, functions, alternatives) becomes «text», an opaque condition.
"""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?P<space>\s++)"
    r'|(?P<string>"(?>(?:[^"\\]|\\.)*)")'
    r"|(?P<number>[0-9]++(?:\.[0-9]++)?)"
    r"|(?P<name>\$?[^\W\d]\w*+)"
    r"|(?P<operator>==|!=|<=|>=|//|\.\.|[<>+*/-])"
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
    found = _translated(bare) if len(bare) <= _LONGEST else None
    if found is None:
        return _opaque(bare)
    if re.fullmatch(r"[$\w.]++|`[^`]++`", found) and not found[0].isdigit() and found not in _VALUES:
        return f"{found} != null and {found} != false"
    return found


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
    at, last = 0, ""  # `last` is the kind of the token right before, without space between
    tokens = [(match.lastgroup or "", match[0], match.start()) for match in _TOKEN.finditer(text)]
    while at < len(tokens):
        kind, word, start = tokens[at]
        group = groups[-1]
        used = 1
        if kind == "space":
            group.parts.append(" ")
        elif word == "(":
            group.computed |= last in {"name", "index", "close"}
            if len(groups) > _DEEPEST:
                return None
            groups.append(_Group(start))
        elif word == ")":
            if len(groups) < 2:
                return None
            groups.pop()
            inner = text[group.start : start + 1]
            groups[-1].parts.append(_opaque(inner) if group.computed else f"({''.join(group.parts).strip()})")
            kind = "close"
        elif word in {".", "["}:
            part, used = _step(tokens, at, last)
            group.computed |= not part
            group.parts.append(part)
            kind = "index" if part.endswith("]") else "name"
        elif word == "|" and _negates(tokens, at):
            group.parts = [f"not ({''.join(group.parts).strip()})"]
            used = _negates(tokens, at)
        else:
            group.computed |= not _is_plain(kind, word)
            group.parts.append(word)
        last = kind
        at += used
    if len(groups) > 1 or groups[0].computed:
        return None
    return "".join(groups[0].parts).strip() or None


def _is_plain(kind: str, word: str) -> bool:
    if kind == "name":
        return word.startswith("$") or word in _VALUES or word in {"and", "or"}
    if kind == "string":
        return "\\(" not in word
    return kind == "number" or (kind == "operator" and word not in {"//", ".."})


def _step(tokens: list[tuple[str, str, int]], at: int, last: str) -> tuple[str, int]:
    """Return one step of a path (`.name`, `."name"` or `[0]`) and its number of tokens; empty if there is no step."""
    kinds = [kind for kind, _, _ in tokens[at : at + 3]] + [""] * 3
    words = [word for _, word, _ in tokens[at : at + 3]] + [""] * 3
    goes_on = last in {"name", "index", "close"}
    if words[0] == "[":
        fits = goes_on and kinds[1] in {"number", "string"} and words[2] == "]" and "\\(" not in words[1]
        return ("".join(words[:3]), 3) if fits else ("", 1)
    if kinds[1] == "name" and not words[1].startswith("$"):
        name = f"`{words[1]}`" if words[1].casefold() in _MEANT_OTHERWISE else words[1]
        return f".{words[1]}" if goes_on else name, 2
    if kinds[1] == "string" and "\\" not in words[1] and "`" not in words[1] and len(words[1]) > 2:
        return f"[{words[1]}]" if goes_on else f"`{words[1][1:-1]}`", 2
    return "", 1


def _negates(tokens: list[tuple[str, str, int]], at: int) -> int:
    """Return the number of tokens of `| not` at the end of a group; 0 if there is no `| not`."""
    words = [(place, word) for place, (kind, word, _) in enumerate(tokens[at : at + 5]) if kind != "space"]
    if len(words) > 1 and words[1][1] == "not" and (len(words) == 2 or words[2][1] == ")"):
        return words[1][0] + 1
    return 0
