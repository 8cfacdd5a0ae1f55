"""Data objects, data stores and associations: the data that each step reads and writes, by name."""

from collections.abc import Iterator

from wfgate.model import DataItem
from wfgate.read.documents.xml_tree import XmlElement
from wfgate.read.formats.bpmn.model import SCOPES, Model

_STORES = {"dataStore", "dataStoreReference"}
_DATA = {*_STORES, "dataObject", "dataObjectReference", "property", "dataInput", "dataOutput", "inputDataItem"}
_NAMELESS = {"", "__targetRef_placeholder"}
_ACCESS = (
    ("dataInput", "reads", "dataInputAssociation", "sourceRef", "targetRef"),
    ("dataOutput", "writes", "dataOutputAssociation", "targetRef", "sourceRef"),
)
"""For each tag of data in a step: the access to a store, the tag of its associations, and the tags of their references
to other data and to this data."""


def data_name(model: Model, reference: str) -> str:
    """Return the name of the data of a reference; empty if the reference is not to data, or the data have no name.

    A data object in a state has the state in its name: "Order [paid]".
    """
    element = model.find(reference)
    if element is None or element.tag not in _DATA:
        return ""
    name = element.get("name")
    if not name:
        target = model.find(element.get("dataObjectRef") or element.get("dataStoreRef"))
        name = target.get("name") if target is not None else ""
    state = next((part.get("name") for part in element.of("dataState") if part.get("name")), "")
    return f"{name} [{state}]" if name and state and state not in name else name


def access(model: Model, element: XmlElement) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Return the data that a step reads and writes: names, each once and sorted.

    A datum of an association has the name of its source. An input without an association is the data of the process
    with the same name, if the process has such data.

    Returns:
        The data objects that the step reads, those that it writes, and its other data, which become arguments: inputs
        and outputs that are not bound to a data object, and data stores. A data store keeps many values, so that a
        step does not overwrite it.
    """
    sides: list[list[str]] = []
    own: dict[str, set[str]] = {}
    for tag, store, association, outer, inner in _ACCESS:
        names: set[str] = set()
        stores = own[store] = set()
        bound: set[str] = set()
        for way in element.of(association):
            named = [(name, reference) for reference in way.texts(outer) if (name := data_name(model, reference))]
            for name, reference in named:
                target = model.find(reference)
                (stores if target is not None and target.tag in _STORES else names).add(name)
            if named or way.of("assignment"):
                bound.update(way.texts(inner))
        stated = [*element.of(tag), *(part for holder in element.of("ioSpecification") for part in holder.of(tag))]
        free = {part.get("name") for part in stated if part.id not in bound} - _NAMELESS
        own[tag] = free - model.data
        sides.append(sorted(names | (free & model.data)))
    return sides[0], sides[1], {key: sorted(names) for key, names in own.items() if names}


def assignments(model: Model, element: XmlElement) -> Iterator[tuple[str, str]]:
    """Yield the constant arguments in associations: the name of the input and its value."""
    for association in element.of("dataInputAssociation"):
        name = data_name(model, association.first("targetRef"))
        for assignment in association.of("assignment"):
            value = " ".join(assignment.texts("from"))
            if name and value:
                yield name, value


def data_items(model: Model, scope: XmlElement) -> tuple[DataItem, ...]:
    """Return the data that a process declares, each name once, sorted; empty if the element is not a process."""
    if scope.tag not in {"process", *SCOPES}:
        return ()
    descriptions: dict[str, str] = {}
    declared = scope.of("dataObject", "dataObjectReference", "property")
    declared += [part for holder in scope.of("ioSpecification") for part in holder.of("dataInput", "dataOutput")]
    for element in declared:
        name = data_name(model, element.id) or element.get("name")
        if name:
            descriptions[name] = max(descriptions.get(name, ""), model.description(element))
    return tuple(DataItem(id=name, description=descriptions[name]) for name in sorted(descriptions))
