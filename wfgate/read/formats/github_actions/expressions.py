"""Expressions in `${{ }}`: the references in them, and values that may be shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wfgate.logic import templates
from wfgate.read.formats.typed import walk

Reference = tuple[str, ...]

_NAME = "[A-Za-z_][A-Za-z0-9_-]*"
_PATH = re.compile(rf"'[^']*'|[0-9][0-9A-Za-z.]*|({_NAME}(?:\s*\.\s*(?:{_NAME}|\*)|\s*\[\s*'[^']*'\s*\])*)")
"""A text, a number, or (the group) a reference."""
_KEY = re.compile(r"'([^']*)'|([A-Za-z0-9_*-]+)")
_HIDDEN = "***"


def references(expression: str) -> Iterator[Reference]:
    """Yield the references in an expression, such as `needs.build.outputs.image` or `steps['a'].outcome`.

    Cost: linear in the text.

    Example:
        >>> list(references("needs['build'].outputs.image && contains(steps.*.x, 'needs.a')"))
        [('needs', 'build', 'outputs', 'image'), ('contains',), ('steps', '*', 'x')]
    """
    for match in _PATH.finditer(expression):
        if match[1]:
            yield tuple(quoted or name for quoted, name in _KEY.findall(match[1]))


def references_in(value: Any) -> Iterator[Reference]:
    """Yield the references in all expressions of a value, also inside lists and mappings.

    Example:
        >>> list(references_in({"with": ["${{ inputs.a }} and inputs.b"]}))
        [('inputs', 'a')]
    """
    for _, text in walk(value):
        for start, end in templates(text) if isinstance(text, str) else ():
            yield from references(text[start:end])


def references_of(entry: Mapping[str, Any]) -> dict[Reference, None]:
    """Return the references in a job or step. Its `if` is read as an expression even without `${{ }}`.

    Example:
        >>> list(references_of({"if": "steps.a.outcome", "env": {"X": "${{ env.Y }}"}}))
        [('env', 'Y'), ('steps', 'a', 'outcome')]
    """
    read = dict.fromkeys(references_in(entry))
    condition = entry.get("if")
    if isinstance(condition, str) and not is_expression(condition):
        read |= dict.fromkeys(references(condition))
    return read


def output_of(path: Reference) -> str | None:
    """Return the name of the output in a reference: `tags` for `steps.meta.outputs.tags`; None if there is no output.

    Example:
        >>> output_of(("needs", "build", "outputs", "image")), output_of(("needs", "build", "result"))
        ('image', None)
    """
    return path[3] if len(path) > 3 and path[2] == "outputs" and path[3] != "*" and path[1] != "*" else None


def is_expression(value: Any) -> bool:
    """Return whether a value is a text that contains an expression.

    Example:
        >>> is_expression("v${{ matrix.version }}"), is_expression("v1")
        (True, False)
    """
    return isinstance(value, str) and next(templates(value), None) is not None


def masked(value: Any) -> Any:
    """Return a mapping of secrets or credentials in which every value is masked, except expressions.

    Example:
        >>> masked({"token": "${{ secrets.TOKEN }}", "password": "hunter2"})
        {'token': '${{ secrets.TOKEN }}', 'password': '***'}
    """
    if not isinstance(value, dict):
        return value
    return {key: inner if is_expression(inner) else _HIDDEN for key, inner in value.items()}


def without_passwords(container: Any) -> Any:
    """Return the settings of a container with masked credentials and masked values of the environment.

    Example:
        >>> without_passwords({"image": "postgres", "env": {"POSTGRES_PASSWORD": "hunter2"}})
        {'image': 'postgres', 'env': {'POSTGRES_PASSWORD': '***'}}
    """
    if not isinstance(container, dict):
        return container
    return {key: masked(inner) if key in {"credentials", "env"} else inner for key, inner in container.items()}
