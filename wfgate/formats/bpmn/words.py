"""What a model says in words: documentation, labels of events, names of branches."""

import html
from collections.abc import Sequence

from wfgate.documents.xml_tree import Element

DEFINITIONS = {
    "messageEventDefinition": "message",
    "timerEventDefinition": "timer",
    "errorEventDefinition": "error",
    "escalationEventDefinition": "escalation",
    "cancelEventDefinition": "cancel",
    "compensateEventDefinition": "compensation",
    "conditionalEventDefinition": "condition",
    "linkEventDefinition": "link",
    "signalEventDefinition": "signal",
    "terminateEventDefinition": "terminate",
}
"""Kinds of event definitions, by tag."""

_POSITIONS = {
    "startEvent": ("Start", "Start on"),
    "endEvent": ("End", "End with"),
    "intermediateCatchEvent": ("Wait", "Wait for"),
    "intermediateThrowEvent": ("Reached", "Throw"),
    "boundaryEvent": ("Interrupt", "On"),
}
_TASKS = {
    "adHocSubProcess": "Ad hoc sub-process",
    "businessRuleTask": "Business rule task",
    "callActivity": "Call activity",
    "manualTask": "Manual task",
    "receiveTask": "Receive task",
    "scriptTask": "Script task",
    "sendTask": "Send task",
    "serviceTask": "Service task",
    "subProcess": "Sub-process",
    "userTask": "User task",
}


def kind_of_event(definitions: Sequence[Element]) -> str:
    """Return what an event waits for or does: "none", "multiple", or the kind of its only definition."""
    if len(definitions) > 1:
        return "multiple"
    return DEFINITIONS[definitions[0].tag] if definitions else "none"


def fallback_name(tag: str, kind: str = "none", about: str = "") -> str:
    """Return the name of a node that has none.

    Example:
        >>> fallback_name("intermediateCatchEvent", "timer", "PT2H")
        'Wait for timer PT2H'
    """
    if tag in _POSITIONS:
        alone, lead = _POSITIONS[tag]
        return alone if kind == "none" else f"{lead} {kind} {about}".strip()
    return _TASKS.get(tag, tag[:1].upper() + tag[1:])


def branch_guard(question: str, name: str) -> str:
    """Return the sentence that stands for a branch that has a name and no condition.

    Example:
        >>> branch_guard("Approved?", "yes"), branch_guard("Risk", "high"), branch_guard("", "in time")
        ('«Approved? yes»', '«Risk: high»', '«in time»')
    """
    lead = "" if not question else question + (" " if question.endswith(("?", ":")) else ": ")
    return f"«{lead}{name}»".replace("«", "").replace("»", "").join("«»")


def plain_text(element: Element) -> str:
    """Return the text of documentation, without the tags where it is written as HTML."""
    text = element.text
    if "html" in element.attributes.get("textFormat", ""):
        pieces = text.split("<")
        text = html.unescape(" ".join([pieces[0], *(piece.partition(">")[2] for piece in pieces[1:])]))
    return " ".join(text.split())
