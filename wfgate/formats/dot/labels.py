"""What DOT's labels say: escapes, records and HTML in, what a person reads out."""

import html
import re

from wfgate.formats.drawings.words import cleaned

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PORT = re.compile(r"<[^<>]*+>")
_FIELDS = re.compile(r"(?>(?:[^\\{}|]++|\\.)+)", re.DOTALL)


def label_of(raw: str, names: dict[str, str], *, markup: bool = False) -> str:
    r"""Return what a label says.

    Args:
        raw: The label as written.
        names: What the escapes for names stand for: `N` is the node, `G` the graph.
        markup: Whether it is HTML.

    Example:
        >>> label_of(r"Build\n\N &amp; test", {"N": "all"}), label_of("<b>Ship</b><br/>it", {}, markup=True)
        ('Build all & test', 'Ship it')
    """
    if markup:
        return " ".join(cleaned(raw))[: len(raw)].strip()
    text = _ESCAPE.sub(lambda found: " " if found[1] in "nlr" else names.get(found[1], found[1]), raw)
    return " ".join(html.unescape(text).split())


def record_of(raw: str, names: dict[str, str]) -> tuple[str, str]:
    r"""Return what the first field of a record says, and what the others say.

    Example:
        >>> record_of(r"{<in> Build|{make|all}|\N}", {"N": "b1"})
        ('Build', 'make, all, b1')
    """
    fields = [label_of(field, names) for field in _FIELDS.findall(_PORT.sub(" ", raw))]
    said = [field for field in fields if field]
    return (said[0] if said else ""), ", ".join(said[1:])
