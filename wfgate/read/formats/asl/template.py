"""Finds the state machine: the document itself, or the only state machine of a CloudFormation template."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document, Path
from wfgate.read.documents.kind import document_of, parse
from wfgate.read.formats.notes import Notes

if TYPE_CHECKING:
    import yaml

_TYPES = ("AWS::Serverless::StateMachine", "AWS::StepFunctions::StateMachine")
_KEYS = ("Definition", "DefinitionString")
_TAG = re.compile(r"(?<![^\s\[{,])![A-Z][A-Za-z:]*+(?=[\s,\]}]|$)")


@dataclass(frozen=True)
class LocatedMachine:
    """A state machine in a document.

    Attributes:
        notes: The document that contains the machine, with tags as text, and the diagnostics about the template.
        resolved: The same document with tags as functions (`Fn::Sub`), and with the machine as data.
        path: Path of the machine in the document.
        name: Name of the machine; empty if it has no name.
    """

    notes: Notes
    resolved: Document
    path: Path = ()
    name: str = ""


def has_machine(document: Document) -> bool:
    """Return whether a document is a state machine, or a template that defines at least one."""
    data = _untagged(document)[0].data
    return is_machine(data) or any(_definitions(data))


def is_machine(data: object) -> bool:
    """Return whether the data have the keys of a state machine.

    Example:
        >>> is_machine({"StartAt": "A", "States": {}}), is_machine({"StartAt": "A"})
        (True, False)
    """
    return (
        isinstance(data, dict) and "StartAt" in data and isinstance(data.get("States"), dict) and "wfgate" not in data
    )


def machine_of(document: Document) -> LocatedMachine:
    """Return the state machine of a document.

    Raises:
        FormatError: If the document is a template with no state machine or several, or its definition is not a state
            machine.
    """
    plain, tagged = _untagged(document)
    data = plain.mapping()
    notes = Notes(plain)
    if plain is not document:
        notes.say("info", "of a CloudFormation tag (!Sub, !GetAtt) only the text after the tag is read")
    if "States" in data or "StartAt" in data or not isinstance(data.get("Resources"), dict):
        return LocatedMachine(notes, tagged)
    machines = dict(_definitions(data))
    if not machines:
        raise plain.error(
            "no state machine in the template has its definition in this file",
            "Resources",
            fix="give the file that contains the definition",
        )
    if len(machines) > 1:
        names = [str(name) for _, name, *_ in machines]
        raise plain.error(
            f"the template has {len(names)} state machines: {', '.join(name[:80] for name in names[:10])}",
            "Resources",
            names[1],
            fix="write one of the definitions to its own file and give that file",
        )
    path, value = machines.popitem()
    name = str(path[1])
    value = value if is_machine(value) else _substituted(value)
    if isinstance(value, str):
        notes.document, path = _embedded(plain, tagged, value, path)
        tagged = notes.document
    return LocatedMachine(notes, tagged, path, name)


def _definitions(data: object) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the definition of each state machine that a template itself defines."""
    resources = data.get("Resources") if isinstance(data, dict) else None
    for name, resource in resources.items() if isinstance(resources, dict) else ():
        match resource:
            case {"Type": str() as kind, "Properties": {**properties}} if kind in _TYPES:
                keys = [key for key in _KEYS if isinstance(properties.get(key), dict | str)]
                yield from ((("Resources", name, "Properties", key), properties[key]) for key in keys[:1])


def _substituted(value: Any) -> Any:
    """Return the text of `Fn::Sub` and `Fn::Join`; any other value is returned unchanged."""
    match value:
        case {"Fn::Sub": [text, *_]} | {"Fn::Sub": str() as text}:
            return text
        case {"Fn::Join": [str() as delimiter, [*parts]]}:
            return delimiter.join(part if isinstance(part, str) else "${...}" for part in parts)
    return value


def _embedded(document: Document, tagged: Document, text: str, path: Path) -> tuple[Document, Path]:
    """Read the state machine in a text of a template; every position in it is the position of the text.

    Returns:
        The document with the machine in the place of the text, and the path of the machine.
    """
    try:
        machine, _ = parse(text, document.name)
    except FormatError as problem:
        raise document.error(f"the definition cannot be read: {problem.message}", *path, fix=problem.fix) from None
    holders = [tagged.data]
    for key in path:
        holders.append(holders[-1][key])
    value, inner = _with_machine(holders.pop(), machine)
    for key in reversed(path):
        value = {**holders.pop(), key: value}
    spans = {at: span for at, span in document.spans.items() if at == path or at[: len(path)] != path}
    return replace(document, data=value, spans=spans), (*path, *inner)


def _with_machine(value: Any, machine: Any) -> tuple[Any, Path]:
    """Return a text, or a function around texts, with the machine instead of texts, and the path of the machine."""
    match value:
        case str():
            return machine, ()
        case {"Fn::Sub": [_, *variables]}:
            return {**value, "Fn::Sub": [machine, *variables]}, ("Fn::Sub", 0)
        case {"Fn::Join": [delimiter, [*parts]]}:
            others = [part for part in parts if not isinstance(part, str)]
            return {**value, "Fn::Join": [delimiter, [machine, *others]]}, ("Fn::Join", 1, 0)
    key = next((key for key, inner in value.items() if isinstance(inner, str)), "machine")
    return {**value, key: machine}, (key,)


def _untagged(document: Document) -> tuple[Document, Document]:
    """Return the document without short CloudFormation tags, and with functions instead of these tags.

    Both are the document itself if these tags are not the reason that it has no data.
    """
    if document.problem is None or "YAML tag" not in document.problem.message:
        return document, document
    text = document.text
    if not any(word in text for word in _TYPES) and not ("StartAt" in text and "States" in text):
        return document, document
    import yaml  # noqa: PLC0415 - only needed for a template with tags

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, Loader=loader)
        tags = [
            event.start_mark.index
            for event in yaml.parse(text, Loader=loader)
            if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None) and event.start_mark
        ]
    except (yaml.YAMLError, RecursionError):
        return document, document
    parts: list[str] = []
    done = 0
    for at in tags:
        match = _TAG.match(text, at)
        if match and at >= done:
            parts += [text[done:at], " " * len(match[0])]
            done = match.end()
    again = document_of("".join([*parts, text[done:]]), document.name, lines_above=document.lines_above)
    if again.data is None:
        return document, document
    return again, replace(again, data=_with_functions(again.data, root))


def _with_functions(value: Any, node: "yaml.Node | None") -> Any:
    """Return data with `{"Fn::Sub": value}` for a value with the tag `!Sub` in the syntax tree, and so on.

    A mapping stays where it is and gets the function as a key, because there may be elements inside.
    """
    import yaml  # noqa: PLC0415 - as above

    if isinstance(value, dict) and isinstance(node, yaml.MappingNode):
        inner = {key.value: each for key, each in node.value}
        value = {key: _with_functions(each, inner.get(key)) for key, each in value.items()}
    elif isinstance(value, list) and isinstance(node, yaml.SequenceNode) and len(value) == len(node.value):
        value = [_with_functions(each, inner) for each, inner in zip(value, node.value, strict=True)]
    if node is None or not node.tag.startswith("!"):
        return value
    name = node.tag[1:] if node.tag in {"!Ref", "!Condition"} else f"Fn::{node.tag[1:]}"
    return {**value, name: True} if isinstance(value, dict) else {name: value}
