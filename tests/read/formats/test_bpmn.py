"""BPMN: every construct that is read, each in a small model; what is not expressed is said."""

import pytest

from wfgate.logic import TRUE, Behaviour
from wfgate.model import END, START, Gateway, Guard, Loop
from wfgate.read import read_text

NS = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
VENDORS = (
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" '
    'xmlns:drools="http://www.jboss.org/drools" xmlns:x="urn:somebody"'
)


def model(inside, around=""):
    return f'<definitions {NS} {VENDORS}>\n{around}<process id="p" name="P">\n{inside}\n</process></definitions>'


def flows(*pairs):
    """Sequence flows, each "a b" with more attributes behind."""
    made = []
    for pair in pairs:
        source, target, *more = pair.split(" ", 2)
        made.append(f'<sequenceFlow sourceRef="{source}" targetRef="{target}" {" ".join(more)}/>')
    return "\n".join(made)


def reading(inside, around=""):
    return read_text(model(inside, around), "x.bpmn")


def read(inside, around=""):
    return reading(inside, around).workflow


def links(workflow):
    return [(link.source, link.target) for link in workflow.links]


def said(reading, severity=None):
    return [item.message for item in reading.diagnostics if severity in {None, item.severity}]


def task(workflow, task_id):
    return next(task for task in workflow.tasks if task.id == task_id)


def part(workflow, name):
    return next(part for part in workflow.subworkflows if part.name == name)


SEQUENCE = '<startEvent id="s"/><task id="a" name="A"/><task id="b" name="B"/><endEvent id="e"/>'


def test_flow_comes_from_sequence_flows_alone():
    inside = SEQUENCE.replace('name="A"/>', 'name="A"><incoming>zzz</incoming><outgoing>b</outgoing></task>')
    found = reading(inside + flows("s a", "a b", "b e"))
    assert links(found.workflow) == [(START, "a"), ("a", "b"), ("b", END)]
    assert (found.workflow.name, found.workflow.semantics, found.diagnostics) == ("P", "token", ())


def test_events_with_a_name_or_a_trigger_are_steps():
    workflow = read(
        '<startEvent id="s" name="Order\nreceived"><messageEventDefinition messageRef="m"/></startEvent>'
        '<intermediateCatchEvent id="w"><timerEventDefinition><timeDuration>PT2H</timeDuration></timerEventDefinition>'
        '</intermediateCatchEvent><endEvent id="e"><errorEventDefinition errorRef="err"/></endEvent>'
        + flows("s w", "w e"),
        '<message id="m" name="Order"/><error id="err" name="Out of stock" errorCode="7"/>',
    )
    assert [(step.name, step.kind, step.action, step.params) for step in workflow.tasks] == [
        ("Order received", "event", "startEvent/message", {"message": "Order"}),
        ("Wait for timer PT2H", "event", "intermediateCatchEvent/timer", {"timeDuration": "PT2H"}),
        ("End with error Out of stock", "event", "endEvent/error", {"error": "Out of stock"}),
    ]
    assert links(workflow) == [("s", "w"), ("w", "e"), (START, "s"), ("e", END)]


def test_several_start_events_are_alternatives():
    workflow = read(
        '<startEvent id="s" name="By mail"/><startEvent id="t" name="By phone"/><task id="a" name="A"/>'
        + flows("s a", "t a")
    )
    assert [(gate.id, gate.op, gate.role) for gate in workflow.gateways] == [("start", "XOR", "split")]
    assert links(workflow)[2:] == [(START, "start"), ("start", "s"), ("start", "t"), ("a", END)]
    behaviour = Behaviour.of(workflow)
    assert behaviour.runs[2] == TRUE
    assert behaviour.exclusive(0, 1).value is True


def test_without_start_events_all_that_nothing_leads_to_starts():
    workflow = read('<task id="a" name="A"/><task id="b" name="B"/><task id="c" name="C"/>' + flows("a c"))
    assert links(workflow) == [("a", "c"), (START, "a"), (START, "b"), ("b", END), ("c", END)]


def test_beside_a_start_event_nothing_else_starts():
    workflow = read('<startEvent id="s"/><task id="a" name="A"/><task id="b" name="B"/>' + flows("s a"))
    assert (START, "b") not in links(workflow)


def test_a_flow_back_to_the_start_event_is_a_loop():
    workflow = read(SEQUENCE + '<exclusiveGateway id="x"/>' + flows("s a", "a x", "x s", "x e"))
    assert workflow.tasks[0].name == "Start"
    assert {(START, "s"), ("x", "s"), ("x", END)} <= set(links(workflow))


def test_a_receive_task_can_begin_a_process():
    workflow = read('<receiveTask id="r" instantiate="true" name="R"/><task id="a" name="A"/>' + flows("r a"))
    assert (START, "r") in links(workflow)
    assert task(workflow, "r").kind == "event"


def test_ids_called_start_and_end():
    workflow = read('<task id="START" name="A"/><task id="END" name="B"/>' + flows("START END"))
    assert [step.id for step in workflow.tasks] == ["START (node)", "END (node)"]
    assert links(workflow) == [("START (node)", "END (node)"), (START, "START (node)"), ("END (node)", END)]


@pytest.mark.parametrize(
    ("tag", "op"),
    [
        ("exclusiveGateway", "XOR"),
        ("parallelGateway", "AND"),
        ("inclusiveGateway", "OR"),
        ("eventBasedGateway", "XOR"),
    ],
)
def test_gateways_split_or_join_by_their_flows(tag, op):
    workflow = read(
        f'{SEQUENCE}<{tag} id="x" gatewayDirection="Unspecified"/><{tag} id="y"/>'
        + flows("s x", "x a", "x b", "a y", "b y", "y e")
    )
    roles = {gate.id: (gate.op, gate.role) for gate in workflow.gateways}
    assert roles == {"x": (op, "split"), "y": (op, "join")}


def test_a_gateway_that_joins_and_splits():
    inside = SEQUENCE + '<{} id="x"/><task id="c" name="C"/><task id="d" name="D"/>'
    ways = flows("s a", "s b", "a x", "b x", "x c", "x d")
    workflow = read(inside.format("parallelGateway") + ways)
    assert [(gate.id, gate.role) for gate in workflow.gateways] == [("x", "join"), ("x split", "split")]
    assert {("a", "x"), ("x", "x split"), ("x split", "c")} <= set(links(workflow))
    workflow = read(inside.format("exclusiveGateway") + ways)
    assert [(gate.id, gate.role) for gate in workflow.gateways] == [("x", "split")]


def test_a_complex_gateway_is_said():
    found = reading(SEQUENCE + '<complexGateway id="x"/>' + flows("s x", "x a", "x b"))
    assert found.workflow.gateways[0].op == "OR"
    warning = found.diagnostics[0]
    assert (warning.severity, warning.line) == ("warning", 3)
    assert "complex gateway" in warning.message


def guards(workflow):
    return {link.target: link.guard for link in workflow.links if link.guard}


def conditional(source, target, expr, more=""):
    return (
        f'<sequenceFlow sourceRef="{source}" targetRef="{target}" {more}>'
        f"<conditionExpression><![CDATA[{expr}]]></conditionExpression></sequenceFlow>"
    )


def test_conditions_and_the_default():
    inside = SEQUENCE + '<exclusiveGateway id="x" name="Large?" default="f"/>'
    ways = flows("s x", 'x b id="f" name="no"') + conditional("x", "a", "${amount > 1000}", 'name="yes"')
    found = reading(inside + ways)
    assert guards(found.workflow) == {
        "a": Guard(expr="${amount > 1000}", language="bpmn"),
        "b": Guard(default=True),
    }
    assert said(found) == [
        "not read: names of gateways whose branches have conditions or no names (1)",
        "not read: names of sequence flows that are not names of branches (2)",
    ]
    behaviour = Behaviour.of(found.workflow)
    assert behaviour.exclusive(0, 1).value is True


def test_names_of_flows_name_the_branches_of_a_choice():
    inside = SEQUENCE + '<exclusiveGateway id="x" name="Approved?"/>'
    workflow = read(inside + flows("s x", 'x a name="yes"', 'x b name="not &gt; 3 (yet)"'))
    assert guards(workflow) == {"a": Guard(expr="«Approved? yes»"), "b": Guard(expr="«Approved? not > 3 (yet)»")}
    behaviour = Behaviour.of(workflow)
    assert behaviour.exclusive(0, 1).value is True
    assert behaviour.sometimes(behaviour.runs[0]).value is True


def test_names_of_flows_behind_a_task_are_no_conditions():
    found = reading(SEQUENCE + flows("s a", 'a b name="yes"', 'a e name="no"'))
    assert guards(found.workflow) == {}
    assert said(found) == ["not read: names of sequence flows that are not names of branches (2)"]


def test_the_name_stands_for_an_empty_condition():
    found = reading(SEQUENCE + flows("s a") + conditional("a", "b", " ", 'name="late"') + conditional("a", "e", ""))
    assert guards(found.workflow) == {"b": Guard(expr="«late»")}
    assert said(found, "info")[:2] == [
        "the condition is empty; the name of the flow is used instead",
        "the condition is empty; the flow has no condition",
    ]


def test_conditions_that_nothing_asks_and_defaults_that_lead_nowhere():
    inside = SEQUENCE + '<parallelGateway id="x" default="zz"/><exclusiveGateway id="y" default="f"/>'
    found = reading(
        inside + flows("s x", "x y", "y b") + conditional("x", "a", "k") + conditional("y", "a", "m", 'id="f"')
    )
    assert said(found, "warning") == [
        "this condition is never evaluated, because the flow leaves a parallelGateway",
        "the default flow 'zz' does not start at this parallelGateway",
        "the condition of a default flow is never evaluated",
    ]


def test_a_task_splits_in_parallel_and_joins_none():
    workflow = read(SEQUENCE + '<task id="c" name="C"/>' + flows("s a", "s b", "a c", "b c", "c e"))
    assert all(step.join is None for step in workflow.tasks)
    assert Behaviour.of(workflow).always_with(0, 1).value is True


BOUNDARY = '<boundaryEvent id="{}" attachedToRef="a" {}>{}</boundaryEvent>'
HOST = '<startEvent id="s"/><task id="a" name="A"/><task id="h" name="Handle"/><endEvent id="e"/>'


@pytest.mark.parametrize(
    ("attributes", "inside", "outcome"),
    [
        ("", "<errorEventDefinition/>", "failure"),
        ("", "<timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition>", "timeout"),
        ('cancelActivity="false"', "<timerEventDefinition/>", "event"),
        ('cancelActivity="false"', "<messageEventDefinition/>", "event"),
        ('cancelActivity="true"', "<messageEventDefinition/>", "failure"),
        ("", "<escalationEventDefinition/>", "failure"),
        ("", "<cancelEventDefinition/>", "failure"),
    ],
)
def test_boundary_events_by_outcome(attributes, inside, outcome):
    found = reading(HOST + BOUNDARY.format("n", attributes, inside) + flows("s a", "a e", "n h", "h e"))
    workflow = found.workflow
    assert [(link.source, link.target) for link in workflow.links if link.outcome == outcome] == [("a", "n")]
    assert ("n", "h") in links(workflow)
    assert task(workflow, "a").timeout == ("PT5M" if outcome == "timeout" else None)
    inferred = outcome == "failure" and ("message" in inside or "escalation" in inside)
    assert any("interrupts the activity" in text for text in said(found)) == inferred


def test_an_activity_that_only_its_boundary_event_leaves_ends_normally():
    workflow = read(HOST + BOUNDARY.format("n", "", "<errorEventDefinition/>") + flows("s a", "n h"))
    assert {("a", END), ("h", END)} <= set(links(workflow))


def test_several_events_that_interrupt_exclude_each_other():
    workflow = read(
        HOST
        + BOUNDARY.format("m", 'name="Fraud"', "<errorEventDefinition/>")
        + BOUNDARY.format("n", 'name="Cancelled"', "<messageEventDefinition/>")
        + flows("s a", "a e", "m h", "n h")
    )
    assert guards(workflow) == {"m": Guard(expr="«Fraud»"), "n": Guard(expr="«Cancelled»")}
    places = {step.id: place for place, step in enumerate(workflow.tasks)}
    assert Behaviour.of(workflow).exclusive(places["m"], places["n"]).value is True


def test_a_boundary_event_attached_to_nothing():
    found = reading(HOST + '<boundaryEvent id="n"><errorEventDefinition/></boundaryEvent>' + flows("s a", "n h"))
    assert said(found, "warning") == ["a boundary event is not attached to an activity"]
    workflow = read(HOST + BOUNDARY.replace('"a"', '"gone"').format("n", "", "<errorEventDefinition/>") + flows("s a"))
    assert ("gone", "n") in links(workflow)


def test_compensation_follows_what_it_undoes():
    found = reading(
        HOST.replace('id="h"', 'id="h" isForCompensation="true"')
        + BOUNDARY.format("n", "", "<compensateEventDefinition/>")
        + '<association sourceRef="n" targetRef="h" associationDirection="One"/>'
        + flows("s a", "a e")
    )
    assert [(link.source, link.target, link.outcome) for link in found.workflow.links[2:]] == [
        ("a", "n", "event"),
        ("n", "h", "success"),
        ("h", END, "success"),
    ]
    assert any("compensation" in text for text in said(found, "info"))


def test_sub_processes_are_composites():
    workflow = read(
        '<startEvent id="s"/><subProcess id="sub" name="Ship"><startEvent id="i"/><task id="t" name="Pack"/>'
        '<sequenceFlow sourceRef="i" targetRef="t"/></subProcess><transaction id="tx"><task id="u" name="Pay"/>'
        '</transaction><subProcess id="empty" name="Later"/>' + flows("s sub", "sub tx", "tx empty")
    )
    assert [(step.name, step.kind, step.action, step.workflow) for step in workflow.tasks] == [
        ("Ship", "composite", "subProcess", "Ship"),
        ("Transaction with 'Pay'", "composite", "transaction", "Transaction with 'Pay'"),
        ("Later", "composite", "subProcess", None),
    ]
    assert links(part(workflow, "Ship")) == [(START, "t"), ("t", END)]


def test_sub_processes_with_one_name_say_where_they_are():
    check = '<subProcess id="{0}" name="Check"><task id="t{0}" name="T{0}"/></subProcess>'
    workflow = read(f'<subProcess id="o" name="Outer">{check.format("b")}</subProcess>{check.format("z")}')
    assert {found.name for found in workflow.subworkflows} == {"Outer", "Check (Outer)", "Check (P)"}
    assert part(workflow, "Check (P)").tasks[0].name == "Tz"
    twins = read(check.format("b") + check.format("z"))
    assert [found.name for found in twins.subworkflows] == ["Check (P)", "Check (P) 2"]


def test_an_ad_hoc_sub_process_has_no_order():
    workflow = read(
        '<adHocSubProcess id="x" name="X" ordering="Sequential"><task id="a" name="A"/><task id="b" name="B"/>'
        "<completionCondition>done</completionCondition></adHocSubProcess>"
    )
    assert workflow.tasks[0].params == {"ordering": "Sequential", "completionCondition": "done"}
    inner = part(workflow, "X")
    assert [gate.op for gate in inner.gateways] == ["AND"]
    assert links(inner) == [(START, "start"), ("start", "a"), ("start", "b"), ("a", END), ("b", END)]


EVENT_SUB_PROCESS = (
    '<subProcess id="h" name="On cancel" triggeredByEvent="true"><startEvent id="i" isInterrupting="{}">'
    '<messageEventDefinition/></startEvent><task id="t" name="Undo"/><sequenceFlow sourceRef="i" targetRef="t"/>'
    "</subProcess>"
)


@pytest.mark.parametrize(("interrupting", "more"), [("true", "; that it interrupts them is not read"), ("false", "")])
def test_an_event_sub_process_may_run_once_the_process_has_started(interrupting, more):
    found = reading(SEQUENCE + EVENT_SUB_PROCESS.format(interrupting) + flows("s a", "a b", "b e"))
    assert [(link.source, link.target) for link in found.workflow.links if link.outcome == "event"] == [("s", "h")]
    assert ("h", END) in links(found.workflow)
    assert said(found) == [
        f"an event sub-process is read as a step that can run in parallel with the other steps{more}"
    ]
    bare = read('<task id="a" name="A"/>' + EVENT_SUB_PROCESS.format("true"))
    assert [(link.source, link.target) for link in bare.links if link.outcome == "event"] == [(START, "h")]


def test_call_activities():
    found = read_text(
        f'<definitions {NS} {VENDORS} xmlns:me="urn:me"><process id="p" name="Main">'
        '<callActivity id="a" name="A" calledElement="me:q"/><callActivity id="b" name="B" calledElement="other"/>'
        '<callActivity id="c" name="C" calledElement="g"/><callActivity id="d" name="D"/>'
        '<callActivity id="e" name="E"><extensionElements><zeebe:calledElement processId="q"/></extensionElements>'
        '</callActivity></process><process id="q" name="Called"><task id="t" name="T"/></process>'
        '<globalUserTask id="g" name="Ask"/></definitions>',
        "x",
    )
    workflow = found.workflow
    assert workflow.name == "Main"
    assert [(step.kind, step.workflow) for step in workflow.tasks] == [
        ("composite", "Called"),
        ("composite", "other"),
        ("task", None),
        ("task", None),
        ("composite", "Called"),
    ]
    assert [part.name for part in workflow.subworkflows] == ["Called"]
    assert said(found) == ["a step calls the process 'other', which is not in the file"]


POOLS = (
    f"<definitions {NS}>"
    '<collaboration id="c" name="Ordering"><participant id="p1" name="Shop" processRef="a"/>'
    '<participant id="p2" name="Customer" processRef="b"/><participant id="p3" name="Bank"/>'
    '<messageFlow sourceRef="order" targetRef="take" name="Order"/><messageFlow sourceRef="take" targetRef="p3"/>'
    '</collaboration><process id="a"><task id="take" name="Take"/></process>'
    '<process id="b" name="Buy"><task id="order" name="Place"/></process><process id="none"/></definitions>'
)


def test_pools_become_composites_beside_each_other():
    found = read_text(POOLS, "x")
    workflow = found.workflow
    assert workflow.name == "Ordering"
    assert [(step.name, step.workflow) for step in workflow.tasks] == [("Shop", "Shop"), ("Customer", "Buy")]
    assert workflow.gateways[0].op == "AND"
    assert links(workflow) == [(START, "pools"), ("pools", "a"), ("a", END), ("pools", "b"), ("b", END)]
    assert part(workflow, "Shop").tasks[0].params == {"receives": ["Order from Customer"], "sends": ["to Bank"]}
    assert part(workflow, "Buy").tasks[0].params == {"sends": ["Order to Shop"]}
    assert said(found, "info") == [
        "2 message flows are read as arguments of the steps, not as control flow",
        "2 processes have no caller; they are read as composites that run in parallel",
        "not read: pools that show no steps (1)",
        "not read: processes without steps (1)",
    ]


def test_one_pool_is_the_workflow_itself():
    workflow = read(
        '<task id="a" name="A"/>', '<collaboration><participant name="Shop" processRef="p"/></collaboration>'
    )
    assert (workflow.name, [step.name for step in workflow.tasks]) == ("P", ["A"])


def test_lanes_are_tags_and_documentation_and_notes_describe():
    workflow = read(
        '<laneSet><lane name="Sales"><flowNodeRef> a </flowNodeRef><childLaneSet><lane name="North">'
        "<flowNodeRef>a</flowNodeRef></lane></childLaneSet></lane></laneSet>"
        '<task id="a" name="A"><documentation textFormat="text/html">&lt;p&gt;Ask &amp;amp;\n note&lt;/p&gt;'
        '</documentation></task><textAnnotation id="n"><text>Within a day</text></textAnnotation>'
        '<association sourceRef="a" targetRef="n"/>'
    )
    assert workflow.tasks[0].tags == ("lane:Sales", "lane:North")
    assert workflow.tasks[0].description == "Ask & note Within a day"


def test_data():
    workflow = read(
        '<dataObject id="o"/><dataObjectReference id="r" dataObjectRef="o" name="Order"/>'
        '<dataObjectReference id="r2" dataObjectRef="o" name="Order"><dataState name="paid"/></dataObjectReference>'
        '<dataStoreReference id="d" name="Archive"/>'
        '<userTask id="a" name="A"><ioSpecification><dataInput id="i"/><dataInput id="j" name="Level"/>'
        '<dataInput id="k" name="Own"/><dataOutput id="w" name="out"/></ioSpecification>'
        "<dataInputAssociation><sourceRef>r</sourceRef><targetRef>i</targetRef></dataInputAssociation>"
        "<dataInputAssociation><targetRef>j</targetRef><assignment><from>high</from><to>j</to></assignment>"
        "</dataInputAssociation>"
        "<dataOutputAssociation><sourceRef>w</sourceRef><targetRef>r2</targetRef></dataOutputAssociation>"
        "<dataOutputAssociation><targetRef>d</targetRef></dataOutputAssociation></userTask>"
    )
    step = workflow.tasks[0]
    assert (step.inputs, step.outputs) == (("Order",), ("Order [paid]",))
    assert step.params == {"Level": "high", "dataInput": ["Own"], "writes": ["Archive"]}
    assert [item.id for item in workflow.data_items] == ["Order", "Order [paid]"]


def looped(inside):
    return read(f'<dataObject id="o" name="Items"/><task id="a" name="A">{inside}</task>').tasks[0]


def test_loops():
    assert looped("<standardLoopCharacteristics/>").loop == Loop(mode="until")
    condition = "<loopCondition>${open}</loopCondition>"
    found = looped(
        f'<standardLoopCharacteristics testBefore="true" loopMaximum="3">{condition}</standardLoopCharacteristics>'
    )
    assert found.loop == Loop(mode="while", condition="${open}", language="bpmn", max=3)
    assert found.params == {"testBefore": True}
    found = looped(
        '<multiInstanceLoopCharacteristics isSequential="true"><loopDataInputRef>o</loopDataInputRef>'
        "<completionCondition>enough</completionCondition></multiInstanceLoopCharacteristics>"
    )
    assert found.loop == Loop(mode="foreach", over="Items")
    assert found.params == {"sequential": True, "completionCondition": "enough"}
    many = "<multiInstanceLoopCharacteristics><loopCardinality>{}</loopCardinality></multiInstanceLoopCharacteristics>"
    assert looped(many.format("5")).loop == Loop(mode="foreach", max=5)
    assert looped(many.format("${n}")).loop == Loop(mode="foreach", over="${n}")
    found = looped(
        '<multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="= items" '
        'inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics>'
    )
    assert (found.loop, found.params) == (
        Loop(mode="foreach", over="= items"),
        {"inputElement": "item", "sequential": False},
    )


def test_extensions_of_engines():
    workflow = read(
        '<serviceTask id="a" name="A" camunda:type="external" camunda:topic="charge" camunda:asyncBefore="true">'
        '<extensionElements><camunda:inputOutput><camunda:inputParameter name="amount">${sum}</camunda:inputParameter>'
        '<camunda:outputParameter name="receipt">${r}</camunda:outputParameter></camunda:inputOutput>'
        '<camunda:executionListener class="L"/></extensionElements></serviceTask>'
        '<serviceTask id="b" name="B"><extensionElements><zeebe:taskDefinition type="ship" retries="5"/>'
        '<zeebe:taskHeaders><zeebe:header key="speed" value="fast"/></zeebe:taskHeaders></extensionElements>'
        "</serviceTask>"
        '<userTask id="c" name="C" camunda:assignee="ada" camunda:formKey="f"><potentialOwner>'
        "<resourceRef>r</resourceRef>"
        '</potentialOwner></userTask><task id="d" name="D" drools:taskName="Rest" x:y="z"><extensionElements>'
        "<x:layout><x:deep/></x:layout></extensionElements></task>"
        '<scriptTask id="e" name="E" scriptFormat="js"><script>go()</script></scriptTask>',
        '<resource id="r" name="Sales"/>',
    )
    assert [(step.action, step.params) for step in workflow.tasks] == [
        ("serviceTask/charge", {"amount": "${sum}", "type": "external"}),
        ("serviceTask/ship", {"retries": "5", "speed": "fast"}),
        ("userTask", {"assignee": "ada", "formKey": "f", "performer": ["Sales"]}),
        ("task/Rest", {}),
        ("scriptTask", {"script": "go()", "scriptFormat": "js"}),
    ]
    assert workflow.tasks[0].outputs == ("receipt",)


def test_what_is_not_expressed_is_said_with_its_place():
    found = reading(
        '<task id="a" name="A" startQuantity="2"><extensionElements><x:layout/></extensionElements><rendering/></task>'
        '\n<group/><endEvent id="e"><terminateEventDefinition/></endEvent>\n<sequenceFlow sourceRef="a"/>'
        + flows("a e")
    )
    assert [(item.severity, item.line, item.message) for item in found.diagnostics] == [
        ("warning", 5, "a sequence flow has no targetRef and is not read"),
        ("info", 4, "a terminate event is read as the end of its own branch only; the other branches continue"),
        ("warning", 3, "startQuantity 2 is kept as an argument; the model uses one token"),
        ("info", 1, "extension elements of urn:somebody are not read (1)"),
        ("info", 4, "not read: <group> (1)"),
        ("info", 3, "not read: <rendering> (1)"),
    ]


def test_link_events_are_a_link():
    event = '<intermediate{0}Event id="{1}" name="L"><linkEventDefinition name="L"/></intermediate{0}Event>'
    workflow = read(
        SEQUENCE + event.format("Throw", "t") + event.format("Catch", "c") + flows("s a", "a t", "c b", "b e")
    )
    assert ("t", "c") in links(workflow)
    assert {(START, "c"), ("t", END)}.isdisjoint(links(workflow))
    found = reading(SEQUENCE + event.format("Throw", "t") + flows("s a", "a t"))
    assert said(found, "warning") == ["no link events catch 'L'"]


def test_broken_graphs_are_read():
    workflow = read(
        '<task id="a" name="A"/><task id="a" name="Twin"/><task name="no id"/>' + flows("a gone", "a a", "nobody a")
    )
    assert [step.id for step in workflow.tasks] == ["a", "a", "task at 3:50"]
    assert {("a", "gone"), ("a", "a"), ("nobody", "a")} <= set(links(workflow))
    assert workflow.gateways == ()


def test_positions():
    found = reading('<task id="a" name="Ä"/> <exclusiveGateway id="x"/>\n' + flows("a x"))
    workflow = found.workflow
    assert [(step.span.line, step.span.column) for step in workflow.tasks] == [(3, 1)]
    assert workflow.gateways == (Gateway(id="x", op="XOR", span=workflow.gateways[0].span),)
    assert (workflow.gateways[0].span.line, workflow.gateways[0].span.column) == (3, 25)
    assert (workflow.links[0].span.line, workflow.links[0].span.column) == (4, 1)
    block = "Here it is:\n\n```xml\n" + model('<task id="a" name="A"/>') + "\n```\n"
    assert read_text(block, "x.md").workflow.tasks[0].span.line == 6
