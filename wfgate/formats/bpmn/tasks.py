"""Flow nodes that become tasks: activities and events, with their arguments, loops and data."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.data import access, assignments, data_name
from wfgate.formats.bpmn.extensions import Extension, read_extensions
from wfgate.formats.bpmn.model import Model
from wfgate.formats.bpmn.words import fallback_name, kind_of_event
from wfgate.model import Loop, Task
from wfgate.model.workflow import TaskKind

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
        model: The file.
        element: The flow node.
        task_id: Its address in the workflow.
        called: The sub-workflow that it stands for, if it does.
        external: Whether that is in another file.
        tags: Its lanes.
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
    """Return what few activities say: how many tokens they take, how an ad hoc sub-process goes on and ends."""
    said: dict[str, JsonValue] = {}
    for name in ("startQuantity", "completionQuantity"):
        if element.get(name) not in {"", "1"}:
            said[name] = element.get(name)
            model.say("warning", f"{name} {element.get(name)} is kept as an argument: one token is taken", element)
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
