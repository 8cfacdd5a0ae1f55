"""BPMN flow nodes that become tasks: activities and events, with arguments, loops, data and engine extensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.data import access, assignments, data_name
from wfgate.formats.bpmn.model import VENDORS, Model, fallback_name, kind_of_event
from wfgate.model import Loop, Task
from wfgate.model.workflow import TaskKind

_OPERATIONS = (
    "topic",
    "class",
    "delegateExpression",
    "expression",
    "taskDefinition.type",
    "taskName",
    "decisionRef",
    "decisionId",
    "connectorId",
    "type",
)
"""What names the machine operation, the most telling first."""
_TUNING = {"async", "asyncBefore", "asyncAfter", "exclusive", "jobPriority", "taskPriority", "historyTimeToLive"}
_TUNING |= {"modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon", "versionTag", "diagramRelationId"}
_SKIPPED = {"taskListener", "executionListener", "executionListeners", "taskListeners", "formData", "metaData"}
_SKIPPED |= {"failedJobRetryTimeCycle", "userTaskForm", "import", "global", "in"}
_OUTPUTS = {"output", "outputParameter", "out"}
WORK = (
    "task",
    "userTask",
    "serviceTask",
    "scriptTask",
    "sendTask",
    "receiveTask",
    "manualTask",
    "businessRuleTask",
)
SCOPES = ("subProcess", "transaction", "adHocSubProcess")
ACTIVITIES = (*WORK, *SCOPES, "callActivity")
EVENTS = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent")
_PERFORMERS = ("performer", "humanPerformer", "potentialOwner", "resourceRole")
_UNSAID = {"", "unspecified", "webservice", "other"}
_LOOPS = ("standardLoopCharacteristics", "multiInstanceLoopCharacteristics")


@dataclass
class Extension:
    """The content of the extensions of one element.

    Attributes:
        params: Arguments by name.
        outputs: Names of data that the step writes.
    """

    params: dict[str, JsonValue] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)

    def operation(self) -> str:
        """Remove the name of the machine operation from the arguments and return it; empty if there is none."""
        for name in _OPERATIONS:
            value = self.params.get(name)
            if isinstance(value, str) and value:
                del self.params[name]
                return value
        return ""


def read_extensions(element: Element, model: Model) -> Extension:
    """Collect the attributes and extension elements of known engines."""
    found = Extension()
    _attributes(element, found)
    for holder in element.of("extensionElements"):
        for part in holder.children:
            _gather(part, found, model)
    return found


def _attributes(element: Element, found: Extension) -> None:
    for name, value in element.attributes.items():
        space, _, local = name.rpartition(" ")
        if space in VENDORS and local not in _TUNING:
            found.params[local] = " ".join(value.split())


def _gather(part: Element, found: Extension, model: Model) -> None:
    if part.tag in _SKIPPED:
        model.leave(f"<{part.tag}> of {VENDORS.get(part.space, part.space)}", part)
        return
    attributes = part.attributes
    if part.tag in _OUTPUTS:
        found.outputs.append(part.get("name") or part.get("target"))
        return
    name = part.get("name") or part.get("key") or part.get("target")
    inner = [child.text for child in part.children if child.tag in {"string", "expression", "script"}]
    value = next(
        (part.get(key) for key in ("value", "source", "stringValue", "expression") if key in attributes),
        " ".join([part.text, *inner]).strip(),
    )
    if name:
        found.params[name] = value
        return
    for key, said in attributes.items():
        prefix = "taskDefinition." if part.tag == "taskDefinition" and key == "type" else ""
        if key.rpartition(" ")[2] not in _TUNING:
            found.params[prefix + key.rpartition(" ")[2]] = " ".join(said.split())
    if not attributes and not part.children and part.text:
        found.params[part.tag] = part.text
    for child in part.children:
        _gather(child, found, model)


def read_task(
    model: Model,
    element: Element,
    task_id: str,
    called: str | None = None,
    tags: Sequence[str] = (),
    *,
    external: bool = False,
) -> Task:
    """Read an activity or an event.

    Args:
        model: The elements of the file.
        element: The flow node.
        task_id: Id of the task in the workflow.
        called: The sub-workflow of the activity; None if it has none.
        external: Whether the sub-workflow is in another file.
        tags: Tags from the lanes of the element.
    """
    extension = read_extensions(element, model)
    data = access(model, element, model.data)
    params: dict[str, JsonValue] = _listed(data.own)
    operation = extension.operation()
    action = element.tag
    if element.tag in EVENTS:
        kind, said = _event(model, element)
        action += "" if kind == "none" else f"/{kind}"
        params.update(said)
        fallback = fallback_name(element.tag, kind, str(next(iter(said.values()), "")))
    else:
        params.update(_arguments(model, element))
        fallback = called or fallback_name(element.tag)
    action += f"/{operation}" if operation else ""
    params.update(assignments(model, element))
    params.update(extension.params)
    params.update(_listed(model.messages.get(element.attributes.get("id", ""), {})))
    if element.tag == "callActivity" and params.get("processId") == called:
        params.pop("processId", None)
    loop = _loop(model, element, params)
    return Task(
        id=task_id,
        name=element.get("name") or fallback,
        description=model.description(element),
        kind=_kind(element, called),
        action=action,
        workflow=called,
        external=external,
        inputs=data.inputs,
        outputs=tuple(sorted({*data.outputs, *extension.outputs} - {""})),
        params=dict(sorted(params.items())),
        tags=tuple(tags),
        loop=loop,
        span=element.span,
        path=model.path(element),
    )


def _listed(texts: Mapping[str, list[str]]) -> dict[str, JsonValue]:
    return {key: [*values] for key, values in texts.items()}


def _kind(element: Element, called: str | None) -> TaskKind:
    if element.tag in EVENTS or element.tag == "receiveTask":
        return "event"
    composite = element.tag in SCOPES or (element.tag == "callActivity" and called is not None)
    return "composite" if composite else "task"


def _event(model: Model, element: Element) -> tuple[str, dict[str, JsonValue]]:
    definitions = model.definitions(element)
    said: dict[str, JsonValue] = {}
    for definition in definitions:
        said.update(model.about(definition))
        extension = read_extensions(definition, model)
        operation = extension.operation()
        said |= {**extension.params, **({"operation": operation} if operation else {})}
    if element.attributes.get("parallelMultiple") == "true":
        said["parallelMultiple"] = True
    if element.tag == "startEvent" and element.attributes.get("isInterrupting") == "false":
        said["isInterrupting"] = False
    return kind_of_event(definitions), said


def _arguments(model: Model, element: Element) -> Mapping[str, JsonValue]:
    said: dict[str, JsonValue] = {}
    if element.get("implementation").removeprefix("##").casefold() not in _UNSAID:
        said["implementation"] = element.get("implementation")
    for name in ("operationRef", "messageRef"):
        if element.get(name) and (called := model.name_of(element.get(name))):
            said[name.removesuffix("Ref")] = called
    if element.get("scriptFormat"):
        said["scriptFormat"] = element.get("scriptFormat")
    for script in element.texts("script"):
        said["script"] = script
    performers = [name for part in element.of(*_PERFORMERS) for name in _performers(model, part)]
    if performers:
        said["performer"] = [*sorted(performers)]
    said.update(_rare(model, element))
    return said


def _rare(model: Model, element: Element) -> Mapping[str, JsonValue]:
    """Return settings that few activities have: number of tokens, order and completion of an ad hoc sub-process."""
    said: dict[str, JsonValue] = {}
    for name in ("startQuantity", "completionQuantity"):
        if element.get(name) not in {"", "1"}:
            said[name] = element.get(name)
            model.say(
                "warning", f"{name} {element.get(name)} is kept as an argument; the model uses one token", element
            )
    if element.tag == "adHocSubProcess" and element.get("ordering") == "Sequential":
        said["ordering"] = "Sequential"
    for condition in element.texts("completionCondition"):
        said["completionCondition"] = condition
    return said


def _performers(model: Model, part: Element) -> list[str]:
    found = [model.name_of(reference) for reference in part.texts("resourceRef")]
    found += [
        text
        for inner in part.of("resourceAssignmentExpression")
        for text in inner.texts("formalExpression", "expression")
    ]
    return [name for name in found if name] or [part.get("name")] * bool(part.get("name"))


def _loop(model: Model, element: Element, params: dict[str, JsonValue]) -> Loop | None:
    loops = element.of(*_LOOPS)
    if not loops:
        return None
    found = loops[0]
    if found.tag == "standardLoopCharacteristics":
        condition = next(iter(found.texts("loopCondition")), None)
        first = found.get("testBefore") == "true"
        if first:
            params["testBefore"] = True
        maximum = found.get("loopMaximum")
        return Loop(
            mode="while" if first or condition else "until",
            condition=condition,
            language="bpmn" if condition else "plain",
            max=_number(maximum),
        )
    params["sequential"] = found.get("isSequential") == "true"
    for condition in found.texts("completionCondition"):
        params["completionCondition"] = condition
    cardinality = next(iter(found.texts("loopCardinality")), "")
    extension = read_extensions(found, model)
    over = [name for reference in found.texts("loopDataInputRef") if (name := data_name(model, reference))]
    over += [name for key in ("inputCollection", "collection") if (name := _taken(extension, key))]
    if cardinality and _number(cardinality) is None:
        over.append(cardinality)
    params.update(extension.params)
    return Loop(mode="foreach", over=over[0] if over else None, max=_number(cardinality))


def _taken(extension: Extension, key: str) -> str:
    value = extension.params.pop(key, "")
    return value if isinstance(value, str) else ""


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
