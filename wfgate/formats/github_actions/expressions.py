"""Expressions inside `${{ }}`: where they stand, and which contexts they name."""

import re
from collections.abc import Iterator
from typing import Any

from wfgate.conditions.languages.github import templates

_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][A-Za-z0-9_-]*|[0-9][0-9A-Za-z.]*|&&|\|\||!=|==|\S")
"""Texts, names, numbers, and signs; a doubled quote in a text makes two texts side by side."""

Reference = tuple[str, ...]


def tokens(text: str) -> list[tuple[str, int]]:
    """Return the tokens of an expression, each with its offset. Cost: linear.

    Example:
        >>> [token for token, _ in tokens("a.b-c == 'it''s'")]
        ['a', '.', 'b-c', '==', "'it'", "'s'"]
    """
    return [(found.group(), found.start()) for found in _TOKEN.finditer(text)]


def references(expression: str) -> Iterator[Reference]:
    """Yield the paths that an expression names: `needs.build.outputs.image`, `steps['a'].outcome`.

    Example:
        >>> list(references("needs['build'].outputs.image && contains(steps.*.x, 'needs.a')"))
        [('needs', 'build', 'outputs', 'image'), ('contains',), ('steps', '*', 'x')]
    """
    found = [token for token, _ in tokens(expression)]
    at = 0
    while at < len(found):
        if not _is_name(found[at]):
            at += 1
            continue
        path = [found[at]]
        at += 1
        while at + 1 < len(found):
            if found[at] == "." and (_is_name(found[at + 1]) or found[at + 1] == "*"):
                path.append(found[at + 1])
                at += 2
            elif found[at] == "[" and found[at + 1].startswith("'") and found[at + 2 : at + 3] == ["]"]:
                path.append(found[at + 1].strip("'"))
                at += 3
            else:
                break
        yield tuple(path)


def references_in(value: Any) -> Iterator[Reference]:
    """Yield the paths that all expressions in a value name, texts in lists and mappings included.

    Example:
        >>> list(references_in({"with": ["${{ inputs.a }} and inputs.b"]}))
        [('inputs', 'a')]
    """
    pending = [value]
    while pending:
        inner = pending.pop()
        if isinstance(inner, str):
            for start, end in templates(inner):
                yield from references(inner[start:end])
        elif isinstance(inner, dict):
            pending += [*inner.values()][::-1]
        elif isinstance(inner, list):
            pending += inner[::-1]


def is_expression(value: Any) -> bool:
    """Return whether a value is a text with an expression in it.

    Example:
        >>> is_expression("v${{ matrix.version }}"), is_expression("v1")
        (True, False)
    """
    return isinstance(value, str) and next(templates(value), None) is not None


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"
