"""Which outputs of other tasks a value reads: `{{steps.build.outputs.parameters.image}}`."""

import re
from collections.abc import Iterator
from typing import Any

_KEY = r"(?:\.\s*([\w-]+)|\[\s*['\"]([^'\"\]]+)['\"]\s*\])"
_OUTPUT = re.compile(
    rf"\b(?:steps|tasks){_KEY}\.(?:(ip)\b|outputs\.(?:(result|exitCode)\b|(?:parameters|artifacts)\b{_KEY}?))"
)
_EXPRESSIONS = {"expression", "fromExpression"}


def outputs_read(value: Any) -> list[tuple[str, str]]:
    """Return the outputs that a value reads anywhere in it, each once, as (task, output), in order.

    Cost: linear in the value.

    Example:
        >>> outputs_read({"value": "{{tasks.build.outputs.parameters.image}}:{{=tasks['tag'].outputs.result}}"})
        [('build', 'image'), ('tag', 'result')]
        >>> outputs_read("steps.build.outputs.result, in prose")
        []
    """
    return list(dict.fromkeys(found for text in _texts(value) for found in _in_text(text)))


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    for match in _OUTPUT.finditer(text):
        dotted, quoted, address, single, name, quoted_name = match.groups()
        yield dotted or quoted, address or single or name or quoted_name or "outputs"


def _texts(value: Any) -> Iterator[str]:
    """Yield what stands in double braces, and expressions that need none."""
    pending = [(value, False)]
    while pending:
        inner, bare = pending.pop()
        if isinstance(inner, dict):
            pending += [(part, key in _EXPRESSIONS) for key, part in reversed(inner.items())]
        elif isinstance(inner, list):
            pending += [(part, False) for part in reversed(inner)]
        elif isinstance(inner, str):
            yield from [inner] if bare else _braced(inner)


def _braced(text: str) -> Iterator[str]:
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start)
        if end < 0:
            return
        yield text[start + 2 : end]
        start = text.find("{{", end)
