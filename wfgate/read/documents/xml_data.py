"""XML as data: mappings, lists and texts, so that two XML files can be compared value by value."""

from collections.abc import Mapping
from typing import Any

from wfgate.read.documents.document import Path
from wfgate.read.documents.xml_tree import XmlElement

TEXT = "#text"
"""Key of the text of an element."""


def xml_data(root: XmlElement, prefixes: Mapping[str, str]) -> tuple[dict[str, Any], dict[tuple[int, int], Path]]:
    """Return the content of an element as data, and the path of each element in it by line and column.

    An element is a mapping: attributes have the key "@name", child elements with one tag are a list under this tag,
    and text that is not only white space has the key "#text". Children and attributes of another namespace than their
    element are in a mapping of their own; its key is the prefix of the namespace with a colon ("camunda:", "@xsi:").
    The prefixes of the file do not count. The order of children with different tags, and comments, are not kept.

    Args:
        root: The element.
        prefixes: A prefix for each known namespace; the key of any other namespace is "{namespace}:".

    Cost: linear in the elements.

    Example:
        >>> from wfgate.read import Document
        >>> from wfgate.read.documents.xml_tree import parse
        >>> text = '<a xmlns="urn:a" xmlns:q="urn:b" id="1"><b/><b q:x="2"> hi </b><q:c/></a>'
        >>> root = parse(Document("example", text), lambda parent, space: False)
        >>> xml_data(root, {"urn:b": "b"})[0]
        {'@id': '1', 'b': [{}, {'@b:': {'x': '2'}, '#text': ' hi '}], 'b:': {'c': [{}]}}
    """
    data: dict[str, Any] = {}
    paths: dict[tuple[int, int], Path] = {}
    pending: list[tuple[XmlElement, dict[str, Any], Path]] = [(root, data, ())]
    while pending:
        element, own, path = pending.pop()
        paths.setdefault((element.line, element.column), path)
        for name, value in element.attributes.items():
            space, _, local = name.rpartition(" ")
            if space:
                own.setdefault(f"@{_prefix(space, prefixes)}", {})[local] = value
            else:
                own[f"@{local}"] = value
        text = "".join(element.strings)
        if text.strip():
            own[TEXT] = text
        for child in element.children:
            at, where = own, path
            if child.space != element.space:
                key = _prefix(child.space, prefixes)
                at, where = own.setdefault(key, {}), (*path, key)
            same = at.setdefault(child.tag, [])
            pending.append((child, {}, (*where, child.tag, len(same))))
            same.append(pending[-1][1])
    return data, paths


def _prefix(space: str, prefixes: Mapping[str, str]) -> str:
    return f"{prefixes.get(space) or f'{{{space}}}'}:"
