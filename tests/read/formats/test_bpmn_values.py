"""BPMN: every value belongs to an element and has a class; what another tool writes differently is no change."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.read.formats.format_values import leaves
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, document_of, read_file, read_text
from wfgate.read.formats.bpmn.view import view_of
from wfgate.rules import review

SHARED = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "bpmn" / "bpmn-miwg-test-suite" / "Reference"
COPIED = Path(__file__).parent / "data" / "bpmn-miwg"
MODELS = {path.stem: path for folder in (COPIED, SHARED) for path in sorted(folder.glob("*.bpmn"))}
CHECKS = {"WR107", "WR502"}
MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"


@pytest.fixture(params=sorted(MODELS))
def path(request):
    return MODELS[request.param]


def view(text):
    return view_of(document_of(text, "x.bpmn"))[0]


def test_every_path_has_one_class(path):
    table = consequences_of("bpmn")
    for where in {where for where, _ in leaves(view(path.read_text(encoding="utf-8-sig")))}:
        assert len({table.classes[pattern] for pattern in table.matching(where)}) == 1, where


def test_no_value_is_lost(path):
    """The data of all elements, each at its place, are the data of the file; empty mappings say nothing."""
    whole = view(path.read_text(encoding="utf-8-sig"))
    workflow = read_file(path).workflow
    elements = [e for part in (workflow, *workflow.subworkflows) for e in part.elements if e.path is not None]
    found = [(*keys(e.path), *keys(where), repr(value)) for e in {e.path: e for e in elements}.values()
             for where, value in leaves(e.raw) if value != {}]  # fmt: skip
    expected = [(*where, repr(value)) for where, value in leaves(whole) if value != {}]
    assert sorted(found) == sorted(expected)


def keys(path):
    return [key for key in path if isinstance(key, str)]


def findings(golden, candidate):
    read = [read_text(text, f"{side}.bpmn").workflow for side, text in (("golden", golden), ("candidate", candidate))]
    return [finding for finding in review(compare(*read, StaticEmbedder())) if finding.id in CHECKS]


REFERENCE = re.compile(r".*Refs?|default|calledElement|incoming|outgoing|source|target|bpmnElement|labelStyle")


def rewritten(path):
    """Return the model as another tool writes it: other ids and prefix, indented, default values written out."""
    root = ET.parse(path).getroot()  # noqa: S314 - the files are ours
    of_model = [e for e in root.iter() if e.tag.startswith(f"{{{MODEL}}}") or "/DI}" in e.tag]
    kept = {e.get("id") for e in of_model if e.get("isExecutable") == "true"}
    ids = {e.get("id"): f"Object_{number}" for number, e in enumerate(of_model) if e.get("id")}
    ids = {old: new for old, new in ids.items() if old not in kept}
    for element in root.iter():
        ours = element in of_model
        for name, value in element.attrib.items():
            if ours and (name == "id" or REFERENCE.fullmatch(name)):
                element.set(name, ids.get(value, value))
        tag = element.tag.rpartition("}")[2]
        if ours and REFERENCE.fullmatch(tag) and element.text:
            element.text = ids.get(element.text.strip(), element.text)
        if ours and tag in {"userTask", "serviceTask", "task"}:
            element.attrib.setdefault("isForCompensation", "false")
            element.attrib.setdefault("completionQuantity", "1")
    ET.register_namespace("other", MODEL)
    ET.indent(root, "\t")
    return ET.tostring(root, "unicode")


def test_another_way_to_write_the_model_is_no_change(path):
    golden = ET.tostring(ET.parse(path).getroot(), "unicode")  # noqa: S314 - without unused prefixes, as the other
    candidate = rewritten(path)
    assert "<other:definitions" in candidate
    assert [finding.message for finding in findings(golden, candidate)] == []


VENDORS = 'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
SMALL = f"""<definitions xmlns="{MODEL}" xmlns:d="http://www.omg.org/spec/BPMN/20100524/DI" {VENDORS}
 xmlns:b="{MODEL}" xmlns:q="http://www.w3.org/2001/XMLSchema-instance" exporter="Tool" targetNamespace="urn:t">
<message id="m" name="Order"/><message id="m2" name="Refund"/><error id="e1" name="Broken" errorCode="7"/>
<signal id="s1" name="Stop"/><resource id="r" name="Sales"/><resource id="r2" name="Board"/>
<collaboration id="c"><participant id="pa" name="Shop" processRef="p"/><participant id="pb" name="Bank"/>
<messageFlow id="mf" sourceRef="pay" targetRef="pb"/></collaboration>
<process id="p" name="Order handling" isExecutable="true">
<laneSet id="ls"><lane id="l1" name="Clerk"><flowNodeRef>check</flowNodeRef></lane>
<lane id="l2" name="Manager"/></laneSet>
<dataObject id="d1" name="Invoice"/><dataObject id="d2" name="Receipt"/>
<startEvent id="st" name="Order received"><messageEventDefinition messageRef="m"/></startEvent>
<userTask id="check" name="Check the order" camunda:assignee="ada">
 <potentialOwner><resourceRef>r</resourceRef></potentialOwner></userTask>
<serviceTask id="pay" name="Pay the bill" implementation="http" camunda:topic="pay">
 <extensionElements><camunda:inputOutput><camunda:inputParameter name="sum">9</camunda:inputParameter>
 </camunda:inputOutput></extensionElements>
 <ioSpecification><dataInput id="in1" name="bill"/></ioSpecification>
 <dataInputAssociation><sourceRef>d1</sourceRef><targetRef>in1</targetRef></dataInputAssociation>
 <multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>3</loopCardinality>
 </multiInstanceLoopCharacteristics></serviceTask>
<scriptTask id="log" name="Write the log" scriptFormat="js"><script>go(1)
 ; stop()</script></scriptTask>
<boundaryEvent id="late" name="Too late" attachedToRef="check"><timerEventDefinition>
 <timeDuration>P7D</timeDuration></timerEventDefinition></boundaryEvent>
<exclusiveGateway id="x" name="Enough?" default="f4"/>
<task id="ship" name="Ship the goods"/><callActivity id="call" name="Tell the customer" calledElement="tell"/>
<endEvent id="end" name="Goods shipped"/><endEvent id="bad" name="Broken">
<errorEventDefinition errorRef="e1"/></endEvent>
<sequenceFlow id="f1" sourceRef="st" targetRef="check"/><sequenceFlow id="f2" sourceRef="check" targetRef="pay"/>
<sequenceFlow id="f3" sourceRef="pay" targetRef="x"/><sequenceFlow id="f4" name="yes" sourceRef="x" targetRef="log"/>
<sequenceFlow id="f5" name="no" sourceRef="x" targetRef="bad">
<conditionExpression q:type="b:tFormalExpression">a &lt; 1</conditionExpression>
</sequenceFlow>
<sequenceFlow id="f6" sourceRef="log" targetRef="ship"/><sequenceFlow id="f7" sourceRef="ship" targetRef="call"/>
<sequenceFlow id="f8" sourceRef="call" targetRef="end"/><sequenceFlow id="f9" sourceRef="late" targetRef="bad"/>
</process><d:BPMNDiagram><d:BPMNShape bpmnElement="check" x="1"/></d:BPMNDiagram></definitions>"""


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ('implementation="http"', 'implementation="mail"', "error"),
        ('camunda:topic="pay"', 'camunda:topic="refund"', "error"),
        (">9</camunda", ">99</camunda", "error"),
        ('camunda:assignee="ada"', 'camunda:assignee="bob"', "error"),
        ("<resourceRef>r<", "<resourceRef>r2<", "error"),
        ("go(1)\n ; stop()", "go(1) ; stop()", "error"),
        ('scriptFormat="js"', 'scriptFormat="py"', "error"),
        ("P7D", "P70D", "error"),
        ("P7D", "P1W", None),
        ("P7D", "PT168H", "error"),  # a day is not 24 hours when the clock changes
        ('attachedToRef="check"', 'attachedToRef="check" cancelActivity="false"', "error"),
        ('attachedToRef="check"', 'attachedToRef="check" cancelActivity="true"', None),
        ('isSequential="true"', 'isSequential="false"', "error"),
        ("loopCardinality>3", "loopCardinality>4", "error"),
        ('<task id="ship"', '<task id="ship" isForCompensation="true"', "error"),
        ('<task id="ship"', '<task id="ship" isForCompensation="false"', None),
        ('<task id="ship"', '<task id="ship" completionQuantity="2"', "error"),
        ('messageEventDefinition messageRef="m"', 'messageEventDefinition messageRef="m2"', "error"),
        ('message id="m" name="Order"', 'message id="m" name="Refunds"', "error"),
        ('errorCode="7"', 'errorCode="8"', "error"),
        ('calledElement="tell"', 'calledElement="wipe"', "error"),
        ("<sourceRef>d1<", "<sourceRef>d2<", "error"),
        ('targetRef="pb"/></coll', 'targetRef="pa"/></coll', "error"),
        ('sourceRef="pay" targetRef="pb"', 'sourceRef="check" targetRef="pb"', "error"),
        ('name="Clerk"><flowNodeRef>check</flowNodeRef>', 'name="Clerk">', "warning"),
        ("<startEvent ", '<startEvent isInterrupting="false" ', "error"),
        ('isExecutable="true"', 'isExecutable="false"', "error"),
        ('<process id="p"', '<process camunda:historyTimeToLive="P1D" id="p"', "error"),
        ('<task id="ship"', '<task xmlns:o="urn:o" o:speed="9" id="ship"', "warning"),
        ('x="1"', 'x="2"', "info"),
        ('exporter="Tool"', 'exporter="Other"', "info"),
        ('bpmnElement="check"', 'id="shape" bpmnElement="check"', None),
        ("<process id", "<!-- a comment --><process id", None),
        ('"b:tFormalExpression"', '"tFormalExpression"', None),
    ],
)
def test_a_changed_value(was, now, expected):
    assert SMALL.count(was) == 1
    found = [finding.severity for finding in findings(SMALL, SMALL.replace(was, now))]
    assert max(found, key=["info", "warning", "error"].index, default=None) == expected


@pytest.mark.parametrize(
    ("was", "now", "alike"),
    [
        ("${a &lt; 1}", "a &lt; 1", False),
        ("a &lt; 1", "= a &lt; 1", False),
        ("${a &lt; 1}", "#{1 &gt; a}", True),
        ("a &lt; 1", "1 &gt; a", True),
    ],
)
def test_a_condition_that_is_no_longer_evaluated_is_a_change(was, now, alike):
    golden, candidate = (SMALL.replace(">a &lt; 1<", f">{condition}<") for condition in (was, now))
    assert [finding.severity for finding in findings(golden, candidate)] == ([] if alike else ["error"])


@pytest.mark.parametrize(("condition", "expected"), [("a &gt; 0", ["WR302"]), ("a &lt;= 9", [])])
def test_the_order_of_flows_matters_if_their_conditions_overlap(condition, expected):
    """An engine such as Camunda takes the first flow in the file whose condition holds."""
    ship = '<sequenceFlow id="f5b" sourceRef="x" targetRef="ship"><conditionExpression>a &gt; 9</conditionExpression>'
    pay = ship.replace("f5b", "f5c").replace('"ship"', '"call"').replace("a &gt; 9", condition)
    both = [f"{ship}</sequenceFlow>", f"{pay}</sequenceFlow>"]
    end = '<sequenceFlow id="f6"'
    files = [SMALL.replace(end, "".join([*flows, end])) for flows in (both, both[::-1])]
    read = [read_text(text, "x.bpmn").workflow for text in files]
    found = review(compare(*read, StaticEmbedder()))
    assert [finding.id for finding in found if not finding.pre_existing and finding.severity == "error"] == expected


def test_the_kind_of_a_task_without_an_id_is_compared():
    golden = f'<definitions xmlns="{MODEL}"><process id="p"><userTask name="Check the order"/></process></definitions>'
    found = findings(golden, golden.replace("userTask", "manualTask"))
    assert "error" in [finding.severity for finding in found]


def test_the_order_of_elements_and_renamed_ids_are_no_change():
    first, second = '<message id="m" name="Order"/>', '<message id="m2" name="Refund"/>'
    other = SMALL.replace(first + second, second + first)
    for old in ("check", "pay", "m", "d1", "in1", "r", "x", "f4", "pb", "e1"):
        other = re.sub(rf'(?<=[">]){old}(?=["<])', f"_{old}_", other)
    other = other.replace('camunda:topic="_pay_"', 'camunda:topic="pay"')
    assert other.count("_check_") == 6
    assert findings(SMALL, other) == []


def test_a_topic_is_no_reference_although_a_step_has_this_id():
    """A consistently renamed step must not hide that its worker has another name."""
    other = re.sub(r'(?<=[">])pay(?=["<])', "refund", SMALL)
    assert [finding.severity for finding in findings(SMALL, other)] == ["error"]
