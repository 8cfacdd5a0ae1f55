"""Data objects, data stores and associations: the data that each step reads and writes, by name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.model import Model, walk
from wfgate.model import DataItem

_DATA = {
    "dataObject",
    "dataObjectReference",
    "dataStore",
    "dataStoreReference",
    "property",
    "dataInput",
    "dataOutput",
    "inputDataItem",
}
_SCOPES = {"process", "subProcess", "transaction", "adHocSubProcess"}
_STORES = {"dataStore", "dataStoreReference"}
_NAMELESS = {"", "__targetRef_placeholder"}


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
        name = target.get("name") if target is not None and target is not element else ""
    state = next((part.get("name") for part in element.of("dataState") if part.get("name")), "")
    return f"{name} [{state}]" if name and state and state not in name else name


@dataclass(frozen=True)
class Access:
    """The data that a step reads and writes: names, each once and sorted.

    Attributes:
        inputs: Data objects that the step reads.
        outputs: Data objects that the step writes.
        own: Other data of the step, which become arguments: inputs and outputs that are not bound to a data object,
            and data stores. A data store keeps many values, so that a step does not overwrite it.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    own: dict[str, list[str]]


def declared(model: Model, processes: Iterable[Element]) -> frozenset[str]:
    """Return the names of all data objects, properties, inputs and outputs that processes declare."""
    return frozenset(item.id for process in processes for scope in walk(process) for item in data_items(model, scope))


def access(model: Model, element: Element, known: frozenset[str]) -> Access:
    """Return the data that a step reads and writes.

    A datum of an association has the name of its source. An input without an association is the data of the process
    with the same name, if the process has such data.
    """
    ways = ("dataInputAssociation", "sourceRef", "targetRef"), ("dataOutputAssociation", "targetRef", "sourceRef")
    found: list[tuple[str, ...]] = []
    own: dict[str, set[str]] = {"reads": set(), "writes": set(), "dataInput": set(), "dataOutput": set()}
    for tag, store, (association, outer, inner) in zip(
        ("dataInput", "dataOutput"), ("reads", "writes"), ways, strict=True
    ):
        names: set[str] = set()
        bound: set[str] = set()
        for way in element.of(association):
            named = [(name, reference) for reference in way.texts(outer) if (name := data_name(model, reference))]
            for name, reference in named:
                (own[store] if is_store(model, reference) else names).add(name)
            if named or way.of("assignment"):
                bound.update(way.texts(inner))
        stated = [*element.of(tag), *(part for holder in element.of("ioSpecification") for part in holder.of(tag))]
        free = {part.get("name") for part in stated if part.attributes.get("id") not in bound} - _NAMELESS
        names.update(free & known)
        own[tag].update(free - known)
        found.append(tuple(sorted(names)))
    return Access(found[0], found[1], {key: sorted(names) for key, names in own.items() if names})


def is_store(model: Model, reference: str) -> bool:
    """Return whether a reference is to a data store."""
    element = model.find(reference)
    return element is not None and element.tag in _STORES


def assignments(model: Model, element: Element) -> Iterator[tuple[str, str]]:
    """Yield the constant arguments in associations: the name of the input and its value."""
    for association in element.of("dataInputAssociation"):
        target = next(iter(association.texts("targetRef")), "")
        for assignment in association.of("assignment"):
            value = " ".join(assignment.texts("from"))
            name = data_name(model, target)
            if name and value:
                yield name, value


def data_items(model: Model, scope: Element) -> tuple[DataItem, ...]:
    """Return the data that a process declares, each name once, sorted; empty if the element is not a process."""
    if scope.tag not in _SCOPES:
        return ()
    found: dict[str, str] = {}
    declared: Iterable[Element] = [
        *scope.of("dataObject", "dataObjectReference", "property"),
        *(part for holder in scope.of("ioSpecification") for part in holder.of("dataInput", "dataOutput")),
    ]
    for element in declared:
        name = data_name(model, element.attributes.get("id", "")) or element.get("name")
        if name:
            found[name] = max(found.get(name, ""), model.description(element))
    return tuple(DataItem(id=name, description=found[name]) for name in sorted(found))
