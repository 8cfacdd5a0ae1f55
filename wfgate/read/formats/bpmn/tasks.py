"""BPMN flow nodes that become tasks: activities and events, with arguments, loops, data and engine extensions."""

from collections.abc import Sequence
from typing import Any

from wfgate.model import Loop, Task
from wfgate.read.documents.xml_tree import XmlElement
from wfgate.read.formats.bpmn.data import access, assignments, data_name
from wfgate.read.formats.bpmn.model import EVENTS, SCOPES, VENDORS, Model, fallback_name, kind_of_event

_OPERATIONS = (
    *("topic", "class", "delegateExpression", "expression", "taskDefinition.type", "taskName"),
    *("decisionRef", "decisionId", "connectorId", "type"),
)
"""What names the machine operation, the most telling first."""
_TUNING = {"async", "asyncBefore", "asyncAfter", "exclusive", "jobPriority", "taskPriority", "historyTimeToLive"}
_TUNING |= {"modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon", "versionTag", "diagramRelationId"}
_SKIPPED = {"taskListener", "executionListener", "executionListeners", "taskListeners", "formData", "metaData"}
_SKIPPED |= {"failedJobRetryTimeCycle", "userTaskForm", "import", "global", "in"}
_OUTPUTS = {"output", "outputParameter", "out"}
PERFORMERS = ("performer", "humanPerformer", "potentialOwner", "resourceRole")
LOOPS = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")
_UNSAID = {"", "unspecified", "webservice", "other"}


class Extension:
    """The content of the extensions of one element: the attributes and extension elements of known engines.

    Attributes:
        params: Arguments by name.
        outputs: Names of data that the step writes.
    """

    def __init__(self, element: XmlElement, model: Model) -> None:
        self.params: dict[str, str] = {}
        self.outputs: list[str] = []
        for name, value in element.attributes.items():
            space, _, local = name.rpartition(" ")
            if space in VENDORS and local not in _TUNING:
                self.params[local] = " ".join(value.split())
        for holder in element.of("extensionElements"):
            for part in holder.children:
                _gather(part, self, model)

    def operation(self) -> str:
        """Remove the name of the machine operation from the arguments and return it; empty if there is none."""
        return self.params.pop(next((name for name in _OPERATIONS if self.params.get(name)), ""), "")


def _gather(part: XmlElement, extension: Extension, model: Model) -> None:
    name = part.get("name") or part.get("key") or part.get("target")
    if part.tag in _SKIPPED:
        model.leave(f"<{part.tag}> of {VENDORS.get(part.space, part.space)}", part)
    elif part.tag in _OUTPUTS:
        extension.outputs.append(part.get("name") or part.get("target"))
    elif name:
        inner = [child.text for child in part.children if child.tag in {"string", "expression", "script"}]
        values = [part.get(key) for key in ("value", "source", "stringValue", "expression") if key in part.attributes]
        extension.params[name] = values[0] if values else " ".join([part.text, *inner]).strip()
    else:
        for key, said in part.attributes.items():
            prefix = "taskDefinition." if part.tag == "taskDefinition" and key == "type" else ""
            local = key.rpartition(" ")[2]
            if local not in _TUNING:
                extension.params[prefix + local] = " ".join(said.split())
        if not part.attributes and not part.children and part.text:
            extension.params[part.tag] = part.text
        for child in part.children:
            _gather(child, extension, model)


def read_task(
    model: Model,
    element: XmlElement,
    called: str | None = None,
    tags: Sequence[str] = (),
    *,
    external: bool = False,
    timeout: str | None = None,
) -> Task:
    """Read an activity or an event.

    Args:
        model: The elements of the file.
        element: The flow node.
        called: The sub-workflow of the activity; None if it has none.
        tags: Tags from the lanes of the element.
        external: Whether the sub-workflow is in another file.
        timeout: The time after which a boundary event interrupts the activity.
    """
    is_event = element.tag in EVENTS
    extension = Extension(element, model)
    operation = extension.operation()
    inputs, outputs, own = access(model, element)
    definitions = model.definitions(element) if is_event else []
    kind = kind_of_event(definitions)
    said = _event(model, element, definitions) if is_event else _arguments(model, element)
    about = str(next(iter(said.values()), ""))
    params: dict[str, Any] = {**own, **said, **dict(assignments(model, element)), **extension.params}
    params |= model.messages.get(element.id, {})
    if element.tag == "callActivity" and params.get("processId") == called:
        params.pop("processId", None)
    loop = _loop(model, element, params)
    composite = element.tag in SCOPES or (element.tag == "callActivity" and called is not None)
    return Task(
        id=element.id,
        name=element.get("name") or called or fallback_name(element.tag, kind, about),
        description=model.description(element),
        kind="event" if is_event or element.tag == "receiveTask" else "composite" if composite else "task",
        action="/".join([element.tag, *([kind] * (kind != "none")), *filter(None, [operation])]),
        workflow=called,
        external=external,
        inputs=tuple(inputs),
        outputs=tuple(sorted({*outputs, *extension.outputs} - {""})),
        params=dict(sorted(params.items())),
        tags=tuple(tags),
        timeout=timeout,
        loop=loop,
        span=element.span,
        path=model.path(element),
    )


def _event(model: Model, element: XmlElement, definitions: Sequence[XmlElement]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for definition in definitions:
        extension = Extension(definition, model)
        operation = extension.operation()
        said |= {**model.about(definition), **extension.params, **({"operation": operation} if operation else {})}
    if element.get("parallelMultiple") == "true":
        said["parallelMultiple"] = True
    if element.tag == "startEvent" and element.get("isInterrupting") == "false":
        said["isInterrupting"] = False
    return said


def _arguments(model: Model, element: XmlElement) -> dict[str, Any]:
    """Return the arguments of an activity."""
    said: dict[str, Any] = {}
    if element.get("implementation").removeprefix("##").casefold() not in _UNSAID:
        said["implementation"] = element.get("implementation")
    for name in ("operationRef", "messageRef"):
        if element.get(name) and (called := model.name_of(element.get(name))):
            said[name.removesuffix("Ref")] = called
    if element.get("scriptFormat"):
        said["scriptFormat"] = element.get("scriptFormat")
    performers = [name for part in element.of(*PERFORMERS) for name in _performers(model, part)]
    if performers:
        said["performer"] = [*sorted(performers)]
    for name in ("startQuantity", "completionQuantity"):
        if element.get(name) not in {"", "1"}:
            said[name] = element.get(name)
            message = f"{name} {element.get(name)} is kept as an argument; the model uses one token"
            model.say("warning", message, element)
    if element.tag == "adHocSubProcess" and element.get("ordering") == "Sequential":
        said["ordering"] = "Sequential"
    return said | {part.tag: part.text for part in element.of("script", "completionCondition") if part.text}


def _performers(model: Model, part: XmlElement) -> list[str]:
    performers = [model.name_of(reference) for reference in part.texts("resourceRef")]
    for inner in part.of("resourceAssignmentExpression"):
        performers += inner.texts("formalExpression", "expression")
    return [*filter(None, performers)] or [*filter(None, [part.get("name")])]


def _loop(model: Model, element: XmlElement, params: dict[str, Any]) -> Loop | None:
    """Return the loop of an activity; what the model of loops does not express is added to the arguments."""
    loop = next(iter(element.of(*LOOPS)), None)
    if loop is None:
        return None
    if loop.tag == "standardLoopCharacteristics":
        condition = loop.first("loopCondition") or None
        first = loop.get("testBefore") == "true"
        params |= {"testBefore": True} if first else {}
        return Loop(
            mode="while" if first or condition else "until",
            condition=condition,
            language="bpmn" if condition else "plain",
            max=_number(loop.get("loopMaximum")),
        )
    cardinality = loop.first("loopCardinality")
    extension = Extension(loop, model)
    over = [data_name(model, reference) for reference in loop.texts("loopDataInputRef")]
    over += [extension.params.pop(key, "") for key in ("inputCollection", "collection")]
    over += [cardinality] if _number(cardinality) is None else []
    params["sequential"] = loop.get("isSequential") == "true"
    params |= {part.tag: part.text for part in loop.of("completionCondition") if part.text}
    params |= extension.params
    return Loop(mode="foreach", over=next(filter(None, over), None), max=_number(cardinality))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
