"""Gateways as operators, and the conditions on what leaves a node."""

from collections.abc import Sequence

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.model import Model
from wfgate.formats.bpmn.tasks import ACTIVITIES
from wfgate.formats.bpmn.words import branch_guard
from wfgate.model import Guard
from wfgate.model.workflow import Operator

_OPERATORS: dict[str, Operator] = {
    "exclusiveGateway": "XOR",
    "parallelGateway": "AND",
    "inclusiveGateway": "OR",
    "eventBasedGateway": "XOR",
    "complexGateway": "OR",
}
GATEWAYS = tuple(_OPERATORS)
_DECIDING = {"exclusiveGateway", "inclusiveGateway", "complexGateway"}


def operator(model: Model, element: Element) -> Operator:
    """Return what a gateway does; of a complex one, which has a rule of its own, say that it is read as an OR."""
    if element.tag == "complexGateway":
        model.say(
            "warning",
            "the rule of a complex gateway is not expressed: it is read as an inclusive one",
            element,
            "write it with inclusive and parallel gateways",
        )
    if element.tag == "eventBasedGateway" and element.get("eventGatewayType") == "Parallel":
        return "AND"
    return _OPERATORS[element.tag]


def guards(model: Model, source: Element | None, flows: Sequence[Element]) -> list[Guard | None]:
    """Return the condition of each of the sequence flows that leave one node.

    A condition is kept as it is written; for one that is empty the name of the flow stands. Behind a gateway that
    decides and none of whose flows has a condition, the name of a flow is the name of the branch, with the question
    that the gateway's name asks.
    """
    conditions = [_condition(model, flow) for flow in flows]
    default = source.attributes.get("default", "") if source is not None else ""
    tag = source.tag if source is not None else ""
    decides = tag in _DECIDING or tag in ACTIVITIES
    named = tag in _DECIDING and len(flows) > 1 and not any(conditions)
    question = source.get("name") if source is not None and tag in GATEWAYS else ""
    used = False
    found: list[Guard | None] = []
    for flow, condition in zip(flows, conditions, strict=True):
        is_default = bool(default) and flow.attributes.get("id") == default and decides
        name = flow.get("name")
        if is_default and len(flows) > 1:
            found.append(Guard(default=True))
            if condition:
                model.say("warning", "the condition of a default flow is never asked", flow, "remove the condition")
        elif condition:
            found.append(Guard(expr=condition, language="bpmn"))
            if not decides and source is not None:
                model.say("warning", f"a condition behind a {tag} is not asked", flow, "use an exclusive gateway")
        elif name and not is_default and (named or (flow.of("conditionExpression") and decides)):
            found.append(Guard(expr=branch_guard(question, name)))
            used = True
            continue
        else:
            found.append(None)
        if name:
            model.leave("names of sequence flows that name no branch", flow)
    if question and source is not None and not used:
        model.leave("names of gateways whose branches have conditions or no names", source)
    if default and source is not None and all(flow.attributes.get("id") != default for flow in flows):
        model.say(
            "warning", f"the default flow {default[:80]!r} does not leave this {tag}", source, "correct `default`"
        )
    return found


def _condition(model: Model, flow: Element) -> str:
    for condition in flow.of("conditionExpression"):
        text = condition.text
        if text:
            return text
        instead = "the name of the flow stands for it" if flow.get("name") else "it is left out"
        model.say("info", f"the condition is empty: {instead}", condition)
    return ""
