"""What the extensions of engines say about how a step is carried out."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.elements import VENDORS
from wfgate.formats.bpmn.model import Model

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


@dataclass
class Extension:
    """What was found.

    Attributes:
        params: Arguments, by name.
        outputs: Names of data that the step writes.
    """

    params: dict[str, JsonValue] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)

    def operation(self) -> str:
        """Take the name of the machine operation out of the arguments; empty if there is none."""
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
