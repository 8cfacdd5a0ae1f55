"""The fields of other nodes that the expressions and scripts of n8n read."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from wfgate.read.documents.document import Path

_CODE = frozenset({"jsCode", "functionCode", "code", "pythonCode"})
_CALL = re.compile(r"""\$(?:\(|items\(|node\[)\s{0,20}(["'`])((?:\\.|(?!\1)[^\\\n])*)\1|\$node\.(\w{1,100})""")
_ITEM = re.compile(
    r"""[)\]]?(?:\??\.(?:item|first\(\d{0,9}\)|last\(\d{0,9}\)|itemMatching\([\w.$]{0,80}\)|all\(\d{0,9}\)))?"""
    r"""(?:\[\w{1,20}\])?\??\.json(?:\??\.([A-Za-z_$][\w$]{0,100})|(?:\?\.)?\[["'`]([^"'`\n]{1,100})["'`]\])?"""
)
_NO_DATA = re.compile(r"""[)\]]?\??\.(?:isExecuted|params|context)\b""")
_OWN = re.compile(r"""\$json(?:\??\.([A-Za-z_$][\w$]{0,100})|\[["'`]([^"'`\n]{1,100})["'`]\])""")
_METHODS = frozenset({"hasOwnProperty", "isEmpty", "isNotEmpty", "keys", "values", "toJsonString"})


def texts(value: Any, path: Path = (), key: str = "") -> Iterator[tuple[str, Path]]:
    """Yield the texts that n8n evaluates: expressions, which start with `=`, and scripts, which have special keys."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts(inner, (*path, name), name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from texts(inner, (*path, place), key)
    elif isinstance(value, str) and (value.startswith("=") or key in _CODE):
        yield value, path


def named(text: str) -> Iterator[tuple[str, str]]:
    """Yield the nodes that a text reads by name, each with the field that is read; "" if no field is named.

    Example:
        >>> list(named("={{ $('Get order').item.json.id }} {{ $node['Cfg'].json['base url'] }} {{ $('A').all() }}"))
        [('Get order', 'id'), ('Cfg', 'base url'), ('A', '')]
    """
    for match in _CALL.finditer(text):
        name = match[3] or re.sub(r"\\(.)", r"\1", match[2])
        if name and not _NO_DATA.match(text, match.end()):
            said = _ITEM.match(text, match.end())
            yield name, (said and (said[1] or said[2])) or ""


def own(text: str) -> Iterator[str]:
    """Yield the fields of the node's own input (`$json`) that a text reads.

    Example:
        >>> list(own("={{ $json.total }} of {{ $json['order id'] }}"))
        ['total', 'order id']
    """
    for match in _OWN.finditer(text):
        name = match[1] or match[2]
        if name not in _METHODS:
            yield name


def with_sources(value: Any, fields: Collection[str], source: str) -> Any:
    """Return parameters in which some fields of the input are replaced by fields of their source node, by name.

    Example:
        >>> with_sources(["={{ $json.state == 'a' }}"], frozenset({"state"}), "Poll")
        ["={{ $('Poll').item.json.state == 'a' }}"]
    """
    if isinstance(value, dict):
        return {name: with_sources(inner, fields, source) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_sources(inner, fields, source) for inner in value]
    if not isinstance(value, str) or not value.startswith("="):
        return value
    quoted = source.replace("\\", "\\\\").replace("'", "\\'")

    def renamed(match: re.Match[str]) -> str:
        rest = match[0].removeprefix("$json")
        return f"$('{quoted}').item.json{rest}" if (match[1] or match[2]) in fields else match[0]

    return _OWN.sub(renamed, value)
