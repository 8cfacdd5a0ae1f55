"""BPMN: the reference models of the Model Interchange Working Group, against an independent count of their XML."""

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.logic import Soundness
from wfgate.model import END, START, fingerprint
from wfgate.read import read_file, read_text, write

SHARED = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "bpmn" / "bpmn-miwg-test-suite" / "Reference"
COPIED = Path(__file__).parent / "data" / "bpmn-miwg"
MODELS = {path.stem: path for folder in (COPIED, SHARED) for path in sorted(folder.glob("*.bpmn"))}
WHOLE = pytest.mark.skipif(not SHARED.is_dir(), reason="the corpus of reference models is not beside the repository")
NS = "http://www.omg.org/spec/BPMN/20100524/MODEL"
IN = f"{{{NS}}}"
KNOWN = re.compile(r"^[^{]|camunda\.org|activiti\.org|" + re.escape(IN))
KIND = re.compile(r".*([tT]ask|Activity|Process|transaction|Event|Gateway)$")


@pytest.fixture(params=sorted(MODELS))
def path(request):
    return MODELS[request.param]


def bare(workflow):
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


@WHOLE
def test_all_reference_models_are_there():
    assert len(MODELS) == 21


def parts(workflow):
    return (workflow, *workflow.subworkflows)


def test_flow_nodes_and_sequence_flows_are_those_of_the_xml(path):
    """Counted by a few lines that know nothing of the reader: names, sequence flows, nodes without a word."""
    root = ET.parse(path).getroot()  # noqa: S314 - the files are ours
    scopes = [e for e in root.iter() if e.tag in {IN + "process", IN + "subProcess"}]
    nodes = [n for scope in scopes for n in scope if n.tag.startswith(IN) and KIND.match(n.tag)]
    flows = list(root.iter(IN + "sequenceFlow"))
    said = {e.get(name) for e in root.iter(IN + "messageFlow") for name in ("sourceRef", "targetRef")}
    handled = {id(s) for s in scopes if any(e.get("triggeredByEvent") == "true" for e in s)}
    silent = [
        n
        for scope in scopes
        for n in scope
        if n.tag in {IN + "startEvent", IN + "endEvent"}
        and not n.get("name")
        and n.get("id") not in said
        and all(c.tag in {IN + "incoming", IN + "outgoing", IN + "extensionElements"} for c in n)
        and (n.tag == IN + "endEvent" or (id(scope) not in handled and len(scope.findall(IN + "startEvent")) == 1))
    ]
    gateways = [n for n in nodes if n.tag.endswith("Gateway")]
    workflow = read_file(path).workflow
    pools = [task for task in workflow.tasks if task.action == "process"]
    tasks = [task for part in parts(workflow) for task in part.tasks if task not in pools]
    assert len(tasks) == len(nodes) - len(gateways) - len(silent)
    spoken = Counter(" ".join(n.get("name").split()) for n in nodes if n.get("name") and n not in gateways)
    assert spoken <= Counter(task.name for task in tasks)
    added = [gate for part in parts(workflow) for gate in part.gateways if gate.id in {"start", "pools"}]
    assert sum(len(part.gateways) for part in parts(workflow)) == len(gateways) + len(added)
    hidden = {n.get("id"): START if n.tag == IN + "startEvent" else END for n in silent}
    expected = Counter(
        (hidden.get(f.get("sourceRef"), f.get("sourceRef")), hidden.get(f.get("targetRef"), f.get("targetRef")))
        for f in flows
    )
    found = Counter((link.source, link.target) for part in parts(workflow) for link in part.links)
    assert expected <= found
    boundary = [n for n in nodes if n.tag == IN + "boundaryEvent"]
    extra = found - expected
    for event in boundary:
        assert extra.pop((event.get("attachedToRef"), event.get("id"))) == 1
    undone = [
        a for a in root.iter(IN + "association") if a.get("sourceRef") in {event.get("id") for event in boundary}
    ]
    for association in undone:
        extra.pop((association.get("sourceRef"), association.get("targetRef")))
    caught = [e.get("id") for e in nodes if e.find(IN + "linkEventDefinition") is not None]
    inside = {gate.id for gate in added} | {n.get("id") for n in nodes if n.get("triggeredByEvent") == "true"}
    assert all(START in ends or END in ends or inside & set(ends) or set(ends) <= set(caught) for ends in extra)


def test_content_detection_reads_the_same_as_the_format_asked_for(path):
    detected, asked = read_file(path), read_file(path, "bpmn")
    assert detected == asked
    assert detected.format == "bpmn"
    assert not [item for item in detected.diagnostics if item.severity == "error" or not item.line]


def test_native_and_back(path):
    workflow = read_file(path).workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


def test_reference_models_are_sound(path):
    """B.2.0 is right to be unsound: an inclusive split and events that may occur feed a parallel join."""
    answers = {part.name: Soundness.of(part) for part in parts(read_file(path).workflow)}
    wrong = {name: answer for name, answer in answers.items() if answer.sound is not True}
    if path.stem != "B.2.0":
        assert not wrong
        return
    assert {name: answer.sound for name, answer in wrong.items()} == {"Participant": False, "Pool": None}
    assert wrong["Participant"].defect == "deadlock"
    assert "End Event 1 Message" in wrong["Participant"].because
    assert "Task 28" in wrong["Pool"].because


DEFAULTS = {
    "startEvent": {"isInterrupting": "true", "parallelMultiple": "false"},
    "boundaryEvent": {"cancelActivity": "true", "parallelMultiple": "false"},
    "subProcess": {"triggeredByEvent": "false"},
    "exclusiveGateway": {"gatewayDirection": "Unspecified"},
    "standardLoopCharacteristics": {"testBefore": "false"},
    "multiInstanceLoopCharacteristics": {"isSequential": "false", "behavior": "All"},
    "serviceTask": {"implementation": "##WebService"},
    "userTask": {"implementation": "##unspecified"},
}
ACTIVITY = {"isForCompensation": "false", "startQuantity": "1", "completionQuantity": "1"}


def as_another_tool_writes_it(path, seed):  # noqa: C901 - one pass over all elements
    """The same model with other ids and prefixes, another element order, no diagram, and defaults written out."""
    chance = random.Random(seed)
    root = ET.parse(path).getroot()  # noqa: S314 - the files are ours
    everything = list(root.iter())
    chance.shuffle(everything)
    ids = {e.get("id"): f"Object_{number}" for number, e in enumerate(everything) if e.get("id") and IN in e.tag}

    def renamed(text):
        bare_text = text.strip()
        prefix, _, local = bare_text.rpartition(":")
        return ids.get(bare_text) or (ids[local] if prefix and local in ids else text)

    for element in everything:
        for name, value in element.attrib.items():
            if element.tag.startswith(IN) and name not in {"name", "targetNamespace", "errorCode"}:
                element.set(name, renamed(value))
        if element.text and element.tag.startswith(IN) and element.tag != IN + "documentation":
            element.text = renamed(element.text)
        tag = element.tag.removeprefix(IN)
        extra = DEFAULTS.get(tag, {}) | (ACTIVITY if re.match(r".*([tT]ask|subProcess|callActivity)$", tag) else {})
        for name, value in extra.items():
            element.attrib.setdefault(name, value)
        for child in list(element):
            foreign = not KNOWN.search(child.tag)
            if foreign or child.tag in {IN + "incoming", IN + "outgoing", IN + "relationship", IN + "group"}:
                element.remove(child)
        for name in [name for name in element.attrib if not KNOWN.search(name)]:
            del element.attrib[name]
        children = list(element)
        if tag in {"process", "subProcess", "definitions", "collaboration"}:
            chance.shuffle(children)
            element[:] = children
    ET.register_namespace("other", NS)
    ET.indent(root, "\t")
    return ET.tostring(root, "unicode", xml_declaration=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_model_from_another_tool_is_the_same_workflow(path, seed):
    text = as_another_tool_writes_it(path, seed)
    golden, candidate = read_file(path).workflow, read_text(text, "other").workflow
    assert "other:" in text
    assert {task.id for task in golden.tasks}.isdisjoint(task.id for task in candidate.tasks)
    assert fingerprint(candidate) == fingerprint(golden)
    comparison = compare(golden, candidate, StaticEmbedder())
    matches = comparison.alignment.matches
    assert len(matches) == len(comparison.golden.tasks) == len(comparison.candidate.tasks)
    for match in matches:
        assert comparison.golden.tasks[match.golden].text == comparison.candidate.tasks[match.candidate].text
