"""n8n: what each node and connection becomes, what is said about it, and what runs when."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import Guard, Loop
from wfgate.read import read_data, read_text, write

BASE = "n8n-nodes-base."
TRIGGER = {"type": BASE + "manualTrigger"}


def bare(workflow):
    """The workflow without positions."""
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


def if_(field="total", value=3, **more):
    """An If node of today's version: field > value."""
    condition = {
        "id": "0b83f901-f97c-428f-8954-c4b772509bb2",
        "leftValue": f"={{{{ $json.{field} }}}}",
        "rightValue": value,
        "operator": {"type": "number", "operation": "gt", "name": "filter.operator.gt"},
    }
    options = {"caseSensitive": True, "version": 2}
    conditions = {"options": options, "combinator": "and", "conditions": [condition]}
    return {"type": BASE + "if", "typeVersion": 2.2, "parameters": {"conditions": conditions}, **more}


def rule(value):
    """A rule of a Switch node of version 3."""
    condition = {
        "leftValue": "={{ $json.kind }}",
        "rightValue": value,
        "operator": {"type": "string", "operation": "equals"},
    }
    return {"conditions": {"combinator": "and", "conditions": [condition]}, "outputKey": value}


def document(nodes, wires, attached=(), **more):
    """Build a workflow: nodes by name, wires "A -> B", "A:1 -> B:2" with output and input, "A & B" for both ends."""
    connections = {}
    for wire in wires:
        source, target = wire.split(" -> ")
        name, _, output = source.partition(":")
        outputs = connections.setdefault(name, {}).setdefault("main", [])
        outputs += [[] for _ in range(int(output or 0) + 1 - len(outputs))]
        for end in target.split(" & "):
            node, _, place = end.partition(":")
            outputs[int(output or 0)].append({"node": node, "type": "main", "index": int(place or 0)})
    for used, kind, user in attached:
        connections.setdefault(used, {})[kind] = [[{"node": user, "type": kind, "index": 0}]]
    listed = [
        {
            "name": name,
            "type": BASE + "noOp",
            "position": [0, 0],
            **({"type": BASE + node} if isinstance(node, str) else node),
        }
        for name, node in nodes.items()
    ]
    return {"nodes": listed, "connections": connections, **more}


def read(nodes, wires, attached=(), **more):
    return read_data(document({"Go": TRIGGER, **nodes}, wires, attached, **more), "x", "n8n")


def ways(workflow):
    """Links as words: source, target, and what stands at the link."""
    found = []
    for link in workflow.links:
        said = []
        if link.outcome != "success":
            said.append(link.outcome)
        if link.guard is not None:
            said.append("default" if link.guard.default else link.guard.expr)
        if link.back:
            said.append("back")
        found.append(" ".join([f"{link.source} -> {link.target}", *([f"[{', '.join(said)}]"] if said else [])]))
    return found


def runs(workflow):
    """When each step runs as long as none fails, in words."""
    behaviour = Behaviour.of(workflow)
    return {task.name: behaviour.words(place) for place, task in enumerate(workflow.tasks)}


def said(reading):
    return [(diagnostic.severity, diagnostic.message) for diagnostic in reading.diagnostics]


def test_a_line_of_nodes():
    nodes = {
        "Fetch": {
            "type": BASE + "httpRequest",
            "typeVersion": 4.2,
            "id": "0b83f901-f97c-428f-8954-c4b772509bb2",
            "parameters": {"url": "https://a.example", "options": {}},
            "credentials": {"httpBasicAuth": {"id": "1", "name": "secret"}},
            "notes": "All orders of today",
            "retryOnFail": True,
            "maxTries": 4,
            "executeOnce": True,
        },
        "Rest": {"type": BASE + "wait", "parameters": {"amount": 5}},
        "Bill": {
            "type": BASE + "executeWorkflow",
            "parameters": {"workflowId": {"__rl": True, "value": "a1", "cachedResultName": "Billing"}, "mode": "each"},
        },
        "Note": {"type": BASE + "stickyNote", "parameters": {"content": "# Hello"}},
    }
    reading = read(
        nodes, ["Go -> Fetch", "Fetch -> Rest", "Rest -> Bill"], name="Orders", settings={"timezone": "UTC"}
    )
    workflow = reading.workflow
    assert (reading.format, reading.diagnostics) == ("n8n", ())
    assert (workflow.name, workflow.semantics, workflow.params) == ("Orders", "token", {"timezone": "UTC"})
    assert ways(workflow) == ["START -> Go", "Go -> Fetch", "Fetch -> Rest", "Rest -> Bill", "Bill -> END"]
    go, fetch, rest, bill = workflow.tasks
    assert (go.kind, fetch.kind, rest.kind, bill.kind) == ("event", "task", "event", "composite")
    assert (fetch.id, fetch.action, fetch.description) == ("Fetch", BASE + "httpRequest", "All orders of today")
    assert fetch.params == {"url": "https://a.example", "executeOnce": True}
    assert fetch.tags == ("typeVersion 4.2",)
    assert fetch.loop == Loop(mode="until", condition="it succeeds", max=4)
    assert (bill.workflow, bill.loop) == ("Billing", Loop(mode="foreach", over="items"))
    assert "secret" not in workflow.to_json()


@pytest.mark.parametrize(
    "kind",
    ["webhook", "cron", "scheduleTrigger", "formTrigger", "emailReadImap", "errorTrigger", "start", "gmailTrigger"],
)
def test_several_triggers_are_alternatives(kind):
    reading = read({"Other": kind, "Work": "noOp"}, ["Go -> Work", "Other -> Work"])
    assert ways(reading.workflow)[:3] == ["START -> any trigger", "any trigger -> Go", "any trigger -> Other"]
    assert reading.workflow.gateways[0].op == "XOR"
    found = runs(reading.workflow)
    assert (found["Go"], found["Work"]) == ("the branch taken after START is 'Go'", "always")


def test_an_answer_of_a_person_is_an_event():
    nodes = {"Ask": {"type": BASE + "slack", "parameters": {"operation": "sendAndWait"}}}
    assert read(nodes, ["Go -> Ask"]).workflow.tasks[1].kind == "event"


def test_no_trigger_is_said_and_nothing_follows_start():
    reading = read_data(document({"A": "noOp", "B": "noOp"}, ["A -> B"]), "x")
    assert said(reading) == [("warning", "the workflow has no trigger node")]
    assert ways(reading.workflow) == ["A -> B", "B -> END"]


def test_if_of_today():
    reading = read({"Big?": if_(), "Yes": "noOp", "No": "noOp"}, ["Go -> Big?", "Big?:0 -> Yes", "Big?:1 -> No"])
    guard = reading.workflow.links[2].guard
    assert guard.language == "n8n"
    assert json.loads(guard.expr) == {
        "conditions": [
            {
                "leftValue": "={{ $json.total }}",
                "rightValue": 3,
                "operator": {"type": "number", "operation": "gt"},
            }
        ],
        "combinator": "and",
    }
    assert reading.workflow.links[3].guard == Guard(default=True)
    assert runs(reading.workflow) == {"Go": "always", "Big?": "always", "Yes": "total > 3", "No": "total <= 3"}


def test_if_of_old():
    conditions = {"number": [{"value1": "={{$json.a}}", "operation": "larger", "value2": 1}], "boolean": []}
    old = {"type": BASE + "if", "parameters": {"conditions": conditions, "combineOperation": "any"}}
    reading = read({"Q": old, "Yes": "noOp"}, ["Go -> Q", "Q -> Yes"])
    assert runs(reading.workflow)["Yes"] == "a > 1"
    assert ways(reading.workflow)[-2:] == ["Q -> END [default]", "Yes -> END"]


def test_an_if_without_a_condition_is_said():
    reading = read({"Q": "if", "Yes": "noOp"}, ["Go -> Q", "Q -> Yes"])
    assert said(reading) == [("warning", "'Q' has no condition")]
    assert runs(reading.workflow)["Yes"] == "«the condition of Q»"


@pytest.mark.parametrize(
    "params",
    [
        {"numberOutputs": "={{ $json.n }}", "outputsAmount": "={{ $json.n }}"},
        {"options": "={{ $json.o }}", "rules": "={{ $json.r }}", "categories": {"categories": ["a"]}},
        {"options": {"fallbackOutput": ["a"], "multiClass": "={{ $json.m }}"}, "workflowId": {"value": [1]}},
    ],
)
def test_parameters_that_are_expressions_are_no_errors(params):
    for kind in ("switch", "textClassifier", "executeWorkflow", "merge", "if"):
        workflow = read({"A": {"type": BASE + kind, "parameters": params}}, ["Go -> A"]).workflow
        assert workflow.tasks[1].params.keys() == params.keys()


def test_a_filter_lets_some_through():
    keep = {**if_(), "type": BASE + "filter"}
    reading = read({"Keep": keep, "Work": "noOp"}, ["Go -> Keep", "Keep -> Work"])
    assert runs(reading.workflow)["Work"] == "total > 3"
    assert "Keep -> END [default]" in ways(reading.workflow)


def switch(version=3, **params):
    return {"type": BASE + "switch", "typeVersion": version, "parameters": params}


SWITCHED = {"A": "noOp", "B": "noOp", "C": "noOp"}


@pytest.mark.parametrize(
    ("options", "wires", "runs_when"),
    [
        ({"fallbackOutput": "extra"}, ["S:2 -> C"], "kind != 'a' and kind != 'b'"),
        ({"fallbackOutput": 1}, ["B -> C"], "kind != 'a'"),
        ({}, ["B -> C"], "kind == 'b'"),
    ],
)
def test_switch_with_and_without_a_fallback(options, wires, runs_when):
    node = switch(rules={"values": [rule("a"), rule("b")]}, options=options)
    workflow = read({"S": node, **SWITCHED}, ["Go -> S", "S:0 -> A", "S:1 -> B", *wires]).workflow
    found = runs(workflow)
    assert (found["A"], found["C"]) == ("kind == 'a'", runs_when)
    assert [link.guard.order for link in workflow.links if link.guard and not link.guard.default] == [1, 2]


def test_the_first_rule_that_matches_wins_unless_all_are_asked_for():
    rules = {"values": [rule("a"), rule("a")]}
    first = read({"S": switch(rules=rules), **SWITCHED}, ["Go -> S", "S:0 -> A", "S:1 -> B"]).workflow
    assert (runs(first)["A"], runs(first)["B"]) == ("kind == 'a'", "never")
    every = switch(rules=rules, options={"allMatchingOutputs": True})
    both = read({"S": every, **SWITCHED}, ["Go -> S", "S:0 -> A", "S:1 -> B"]).workflow
    assert (runs(both)["A"], runs(both)["B"]) == ("kind == 'a'", "kind == 'a'")


@pytest.mark.parametrize("version", [1, 2])
def test_switch_of_old(version):
    rules = [{"value2": "a"}, {"value2": "b", "operation": "contains"}]
    if version == 1:
        rules = [{**each, "output": at + 1} for at, each in enumerate(rules)]
    node = switch(
        version,
        value1="={{$json.kind}}",
        dataType="string",
        rules={"rules": rules},
        fallbackOutput=3 if version == 1 else -1,
    )
    at = [1, 2] if version == 1 else [0, 1]
    wires = ["Go -> S", f"S:{at[0]} -> A", f"S:{at[1]} -> B"]
    found = runs(read({"S": node, **SWITCHED}, wires).workflow)
    assert found["A"] == "kind == 'a'"
    assert "contains 'b'" in found["B"]


def test_switch_by_expression():
    node = switch(mode="expression", numberOutputs=2, output="={{ $json.x }}")
    found = runs(read({"S": node, **SWITCHED}, ["Go -> S", "S:0 -> A", "S:1 -> B"]).workflow)
    assert found["A"] == "the branch taken after 'S' is 'output 0'"


@pytest.mark.parametrize(
    ("params", "sources", "runs_when"),
    [
        ({}, {"OR"}, "always"),
        ({"mode": "append", "numberInputs": 2}, {"OR"}, "always"),
        ({"mode": "combine", "combineBy": "combineByPosition"}, set(), "never"),
        (
            {"mode": "combine", "combineBy": "combineByPosition", "options": {"includeUnpaired": True}},
            {"OR"},
            "always",
        ),
        ({"mode": "combine", "joinMode": "keepEverything"}, {"OR"}, "always"),
        ({"mode": "chooseBranch"}, set(), "never"),
    ],
)
def test_merge_behind_an_if(params, sources, runs_when):
    merge = {"type": BASE + "merge", "typeVersion": 3, "parameters": params}
    nodes = {"Q": if_(), "A": "noOp", "B": "noOp", "M": merge}
    workflow = read(nodes, ["Go -> Q", "Q:0 -> A", "Q:1 -> B", "A -> M:0", "B -> M:1"]).workflow
    assert {gateway.op for gateway in workflow.gateways} == sources
    assert runs(workflow)["M"] == runs_when
    assert workflow.tasks[-1].join == (None if sources else "all")


def test_merge_of_parallel_branches_and_of_several_wires_into_one_input():
    merge = {"type": BASE + "merge", "typeVersion": 3, "parameters": {"mode": "chooseBranch"}}
    nodes = {"Q": if_(), "A": "noOp", "B": "noOp", "C": "noOp", "M": merge}
    wires = ["Go -> Q & C", "Q:0 -> A", "Q:1 -> B", "A -> M:0", "B -> M:0", "C -> M:1"]
    workflow = read(nodes, wires).workflow
    assert runs(workflow)["M"] == "always"
    assert [(gateway.id, gateway.op, gateway.role) for gateway in workflow.gateways] == [
        ("input 1 of M", "XOR", "join"),
        ("Go: all", "AND", "split"),
    ]


def test_one_output_on_several_nodes_runs_them_all():
    workflow = read({"Q": if_(), "A": "noOp", "B": "noOp"}, ["Go -> Q", "Q:1 -> A & B"]).workflow
    assert ways(workflow)[2:5] == ["Q -> Q: all [default]", "Q: all -> A", "Q: all -> B"]
    assert runs(workflow)["A"] == runs(workflow)["B"] == "total <= 3"


@pytest.mark.parametrize(("version", "loop"), [(1, 0), (2, 0), (3, 1)])
def test_loops_of_each_version(version, loop):
    node = {"type": BASE + "splitInBatches", "typeVersion": version, "parameters": {"batchSize": 1}}
    wires = ["Go -> Each", f"Each:{loop} -> Body", "Body -> Each"]
    if version > 1:
        wires.append(f"Each:{1 - loop} -> After")
    workflow = read({"Each": node, "Body": "noOp", "After": "noOp"}, wires).workflow
    assert "Body -> Each [back]" in ways(workflow)
    assert "Each -> Body [«loop»]" in ways(workflow)
    done = "Each -> After [«done»]" if version > 1 else "Each -> END [«done»]"
    assert done in ways(workflow)
    if version > 1:
        assert runs(workflow)["After"] == "always"


def test_a_loop_inside_a_loop_marks_only_its_own_way_back():
    loop = {"type": BASE + "splitInBatches", "typeVersion": 3}
    wires = ["Go -> Out", "Out:1 -> In", "In:1 -> Body", "Body -> In", "In:0 -> Next", "Next -> Out"]
    workflow = read({"Out": loop, "In": loop, "Body": "noOp", "Next": "noOp"}, wires).workflow
    assert [link.source for link in workflow.links if link.back] == ["Body", "Next"]


def test_errors_go_their_own_way():
    nodes = {"Try": {"type": BASE + "httpRequest", "onError": "continueErrorOutput"}, "Good": "noOp", "Bad": "noOp"}
    workflow = read(nodes, ["Go -> Try", "Try:0 -> Good", "Try:1 -> Bad"]).workflow
    assert "Try -> Bad [failure]" in ways(workflow)
    assert runs(workflow)["Bad"] == "never"
    behaviour = Behaviour.of(workflow)
    assert behaviour.exclusive(2, 3).value is True
    assert behaviour.runs_in(3, {"outcome of 'Try'": "failure"}).value is True
    swallowed = read(nodes, ["Go -> Try", "Try:0 -> Good"]).workflow
    assert "Try -> END [failure]" in ways(swallowed)


@pytest.mark.parametrize("how", [{"onError": "continueRegularOutput"}, {"continueOnFail": True}])
def test_failures_that_count_as_success(how):
    workflow = read({"Try": {"type": BASE + "httpRequest", **how}, "Go on": "noOp"}, ["Go -> Try", "Try -> Go on"])
    assert "Try -> Go on [always]" in ways(workflow.workflow)


def test_an_if_with_an_error_output():
    nodes = {"Q": if_(onError="continueErrorOutput"), "A": "noOp", "B": "noOp", "E": "noOp"}
    workflow = read(nodes, ["Go -> Q", "Q:0 -> A", "Q:1 -> B", "Q:2 -> E"]).workflow
    assert ways(workflow)[4] == "Q -> E [failure]"


def test_an_output_that_is_not_there():
    reading = read(
        {"Work": "set", "More": "noOp", "Q": if_()}, ["Go -> Work", "Work:1 -> More", "Work -> Q", "Q:2 -> More"]
    )
    assert [message for _, message in said(reading)] == [
        "'Work' has no output 2, so this link is never taken",
        "'Q' has no output 3, so this link is never taken",
    ]
    fix = "connect an output that the node has"
    meant_for_errors = 'or set "onError": "continueErrorOutput" if this output is meant for errors'
    assert reading.diagnostics[0].fix == f"{fix}, {meant_for_errors}"
    assert runs(reading.workflow)["More"] == "never"


def test_outputs_of_an_unknown_node_are_alternatives():
    nodes = {"X": {"type": "custom.router"}, "A": "noOp", "B": "noOp", "C": "noOp"}
    reading = read(nodes, ["Go -> X", "X:0 -> A", "X:1 -> B & C"])
    assert said(reading) == [("info", "how 'X' chooses one of its 2 outputs is unknown")]
    assert runs(reading.workflow)["A"] == "the branch taken after 'X' is 'output 1'"
    assert runs(reading.workflow)["B"] == runs(reading.workflow)["C"]


def test_classifiers():
    categories = {"categories": [{"category": "bug"}, {"category": "wish"}]}
    node = {"type": "@n8n/n8n-nodes-langchain.textClassifier", "parameters": {"categories": categories}}
    workflow = read({"K": node, "A": "noOp", "B": "noOp"}, ["Go -> K", "K:0 -> A", "K:1 -> B"]).workflow
    assert ways(workflow)[2:5] == ["K -> A [«bug»]", "K -> B [«wish»]", "K -> END [«none of the categories»]"]
    assert Behaviour.of(workflow).exclusive(2, 3).value is True
    mood = {"type": "@n8n/n8n-nodes-langchain.sentimentAnalysis"}
    workflow = read({"K": mood, "A": "noOp"}, ["Go -> K", "K:2 -> A"]).workflow
    assert ways(workflow)[2:4] == ["K -> A [«Negative»]", "K -> END [«any other way»]"]


def test_disabled_nodes_are_left_out_and_passed():
    off = {"type": BASE + "noOp", "disabled": True}
    nodes = {"A": "noOp", "B": off, "C": off, "D": "noOp", "E": "noOp"}
    reading = read(nodes, ["Go -> A", "A -> B", "B -> C & E", "C:0 -> D"])
    assert ways(reading.workflow) == [
        "START -> Go",
        "Go -> A",
        "A -> A: all",
        "A: all -> E",
        "A: all -> D",
        "D -> END",
        "E -> END",
    ]
    assert [message for _, message in said(reading)] == [
        "'B' is disabled, so it is not read; its incoming links go to the nodes after it",
        "'C' is disabled, so it is not read; its incoming links go to the nodes after it",
    ]
    trigger = {**TRIGGER, "disabled": True}
    off_line = read({"Late": trigger, "X": "noOp"}, ["Late -> X", "Go -> X"]).workflow
    assert ways(off_line) == ["START -> Go", "Go -> X", "X -> END"]


def test_what_ai_nodes_use_is_no_flow():
    chain = "@n8n/n8n-nodes-langchain."
    nodes = {
        "Agent": {"type": chain + "agent"},
        "Model": {"type": chain + "lmChatOpenAi", "parameters": {"model": "gpt-4o"}},
        "Store": {"type": chain + "toolVectorStore"},
        "Embed": {"type": chain + "embeddingsOpenAi", "parameters": {"text": "={{ $('Go').item.json.q }}"}},
        "Spare": {"type": chain + "lmOllama"},
    }
    attached = [
        ("Model", "ai_languageModel", "Agent"),
        ("Store", "ai_tool", "Agent"),
        ("Embed", "ai_embedding", "Store"),
        ("Ghost", "ai_memory", "Agent"),
        ("Spare", "ai_languageModel", "Gone"),
    ]
    reading = read(nodes, ["Go -> Agent"], attached)
    workflow = reading.workflow
    assert [task.name for task in workflow.tasks] == ["Go", "Agent"]
    assert workflow.tasks[1].params == {
        "ai_languageModel": {"Model": {"type": chain + "lmChatOpenAi", "model": "gpt-4o"}},
        "ai_tool": {
            "Store": {
                "type": chain + "toolVectorStore",
                "ai_embedding": {"Embed": {"type": chain + "embeddingsOpenAi", "text": "={{ $('Go').item.json.q }}"}},
            }
        },
    }
    assert ways(workflow) == ["START -> Go", "Go -> Agent", "Agent -> END"]
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [("Go", "Agent", "Go.q")]
    assert said(reading) == [
        ("warning", "'Agent' uses 'Ghost', but the node 'Ghost' does not exist"),
        ("warning", "'Gone' uses 'Spare', but the node 'Gone' does not exist"),
        ("warning", "'Spare' is used by no node, so it has no effect"),
    ]


def test_tools_that_use_each_other_end_and_are_not_lost():
    attached = [("A", "ai_tool", "B"), ("B", "ai_tool", "A")]
    reading = read({"A": "x", "B": "x"}, [], attached)
    assert [task.name for task in reading.workflow.tasks] == ["Go", "A", "B"]


def at(left, top):
    return {"type": BASE + "noOp", "position": [left, top]}


@pytest.mark.parametrize(
    ("order", "nodes", "turns"),
    [
        ("v1", {"A": at(0, 300), "B": at(0, 200), "C": at(-9, 300)}, ["B", "C", "A"]),
        ("v1", {"A": at(0, 300), "B": at(0, 300), "C": at(0, 0)}, []),  # one on top of the other
        ("v1", {"A": at(0, 300), "B": at(0, 0), "C": {"position": None, "type": "x"}}, []),
        ("v0", {"A": at(0, 300), "B": at(0, 200), "C": at(0, 0)}, ["A", "B", "C"]),
    ],
)
def test_branches_of_a_node_run_in_turns(order, nodes, turns):
    workflow = read(nodes, ["Go -> A & B & C"], settings={"executionOrder": order}).workflow
    assert workflow.tasks[0].turns == tuple((name, 0) for name in turns)
    assert not any(task.turns for task in workflow.tasks[1:])


def test_a_list_with_one_workflow_is_this_workflow():
    """As `n8n export:workflow --all` writes it; positions are those in the file."""
    text = json.dumps(document({"Go": TRIGGER, "A": "noOp"}, ["Go -> A"], name="Orders"))
    one, listed = read_text(text, "x").workflow, read_text(f"[\n{text}\n]", "x").workflow
    assert (listed.raw, listed.path, listed.tasks[1].path) == (one.raw, one.path, one.tasks[1].path)
    assert bare(listed) == bare(one)
    assert (one.tasks[1].span.line, listed.tasks[1].span.line) == (1, 2)


def test_data_that_is_read():
    nodes = {
        "Get": "httpRequest",
        "Q": if_("total"),
        "Send": {
            "type": BASE + "slack",
            "parameters": {
                "text": '={{ $(\'Get\').item.json.id }} {{ $node["Get"].json["a b"] }}',
                "more": ["={{ $json.total }} {{ $('Gone').first().json.x }}"],
                "plain": "{{ $('Get').item.json.no }}",
                "jsCode": "const a = $('Get').all(); if ($('Q').isExecuted) {}",
            },
        },
    }
    workflow = read(nodes, ["Go -> Get", "Get -> Q", "Q -> Send"]).workflow
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [
        ("Get", "Q", "total"),
        ("Get", "Send", "Get.id"),
        ("Get", "Send", "Get.a b"),
        ("Gone", "Send", "Gone.x"),
        ("Get", "Send", "total"),
        ("Get", "Send", "Get"),
    ]


def test_data_of_what_is_no_step_is_said():
    off = {"type": BASE + "set", "disabled": True}
    nodes = {"Old": off, "New": {"type": BASE + "set", "parameters": {"v": "={{ $('Old').item.json.x }}"}}}
    reading = read(nodes, ["Go -> Old", "Old -> New"])
    assert ("warning", "'New' reads 'Old', which is disabled") in said(reading)
    assert not reading.workflow.data_links


def test_equal_fields_of_different_nodes_are_told_apart():
    nodes = {"A": "httpRequest", "Q1": if_("n"), "B": "httpRequest", "Q2": if_("n", 9), "C": "noOp"}
    workflow = read(nodes, ["Go -> A", "A -> Q1", "Q1:1 -> B", "B -> Q2", "Q2 -> C"]).workflow
    assert runs(workflow)["C"] == "A.n <= 3 and B.n > 9"
    one = read({"A": "httpRequest", "Q1": if_("n"), "Q2": if_("n", 2)}, ["Go -> A", "A -> Q1", "Q1:1 -> Q2"]).workflow
    assert runs(one)["Q2"] == "n <= 3"


def test_broken_graphs_are_read():
    reading = read({"A": "noOp", "B": "noOp"}, ["Go -> A", "A -> Gone", "Nobody -> B", "B -> B"])
    assert {"A -> Gone", "Nobody -> B", "B -> B"} <= set(ways(reading.workflow))
    data = document({"Go": TRIGGER, "A": "noOp"}, ["Go -> A"])
    data["nodes"].append({"name": "A", "type": BASE + "set"})
    twins = read_data(data, "x").workflow
    assert [(task.id, task.action) for task in twins.tasks[1:]] == [("A", BASE + "noOp"), ("A", BASE + "set")]
    odd = read({"END": "noOp", "START": "noOp"}, ["Go -> START", "START -> END"]).workflow
    assert ways(odd) == ["START -> Go", "Go -> START (node)", "END (node) -> END", "START (node) -> END (node)"]


def test_a_wire_twice_is_for_a_check_and_one_on_two_inputs_is_one_way():
    assert ways(read({"A": "noOp"}, ["Go -> A & A"]).workflow)[1:3] == ["Go -> A", "Go -> A"]
    merge = {"type": BASE + "merge", "typeVersion": 3, "parameters": {"mode": "combine"}}
    assert ways(read({"M": merge}, ["Go -> M:0 & M:1"]).workflow)[1:] == ["Go -> M", "M -> END"]


TEXT = """\
{"nodes": [
  {"name": "Go", "type": "n8n-nodes-base.manualTrigger"},
  {"name": "Q", "type": "n8n-nodes-base.if"},
  {"name": "A", "type": "n8n-nodes-base.set", "parameters": {"x": "={{ $('Gone').item.json.y }}"}}
 ],
 "connections": {
  "Go": {"main": [[{"node": "Q", "type": "main", "index": 0}]]},
  "Q": {"main": [[{"node": "A", "type": "main", "index": 0}]], "error": [[{"node": "A"}]]}
 }
}
"""


def test_positions():
    reading = read_text(TEXT, "x.json")
    assert [(task.name, task.span.line, task.span.column) for task in reading.workflow.tasks] == [
        ("Go", 2, 3),
        ("Q", 3, 3),
        ("A", 4, 3),
    ]
    assert [link.span.line for link in reading.workflow.links] == [2, 7, 8, 3, 4]
    assert reading.workflow.data_links[0].span.line == 4
    assert [(each.line, each.column, each.message) for each in reading.diagnostics] == [
        (8, 64, "connections of kind 'error' are not read; n8n has the types main and ai_..."),
        (3, 3, "'Q' has no condition"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": [1]}, "`nodes.0` of the workflow must be a mapping, not a number"),
        ({"nodes": [{"type": "x"}]}, "`nodes.0` of the workflow has no 'name'"),
        ({"nodes": [{"name": "a"}]}, "`nodes.0` of the workflow has no 'type'"),
        ({"nodes": [{"name": "", "type": "x"}]}, "`nodes.0.name` of the workflow must not be empty"),
        (
            {"nodes": [{"name": "a", "type": "x", "typeVersion": "2"}]},
            "`nodes.0.typeVersion` .* must be a valid number",
        ),
        ({"nodes": [{"name": "a", "type": "x", "typeVersion": 10**400}]}, "`nodes.0.typeVersion` .* valid number"),
        ({"nodes": [{"name": "a", "type": "x", "parameters": 1}]}, "`nodes.0.parameters` .* must be a mapping"),
        ({"connections": {"a": []}}, "`connections.a` of the workflow must be a mapping, not a list"),
        ({"connections": {"a": {"main": {}}}}, "`connections.a.main` of the workflow must be a list, not a mapping"),
        ({"connections": {"a": {"main": [{}]}}}, "`connections.a.main.0` of the workflow must be a list"),
        ({"connections": {"a": {"main": [[{}]]}}}, "`connections.a.main.0.0` of the workflow has no 'node'"),
        ({"connections": {"a": {"main": [[{"node": "a", "index": "0"}]]}}}, "must be a whole number, not .0."),
    ],
)
def test_what_is_no_workflow_of_n8n(change, message):
    with pytest.raises(FormatError, match=message):
        read_data({"nodes": [], "connections": {}, **change}, "x", "n8n")


def test_exports_of_one_workflow_and_of_all():
    one = document({"Go": TRIGGER}, [])
    assert read_text(json.dumps([one]), "x").workflow.tasks[0].name == "Go"
    assert read_data({"id": 1, "workflow": one}, "x").format == "n8n"
    for answer in ({"data": one}, {"data": [one], "nextCursor": None}):  # of the API
        reading = read_text(json.dumps(answer, indent=1), "x")
        assert (reading.format, [task.name for task in reading.workflow.tasks]) == ("n8n", ["Go"])
        assert reading.workflow.raw == read_text(json.dumps(one), "x").workflow.raw
        assert reading.workflow.tasks[0].span.line > 3
    with pytest.raises(FormatError, match="the file contains 2 workflows"):
        read_text(json.dumps({"data": [one, one]}), "x")
    with pytest.raises(FormatError, match="no format recognises"):  # not the only answer
        read_text(json.dumps({"data": [one], "nextCursor": "MTIz"}), "x")
    with pytest.raises(FormatError, match="the file contains 2 workflows"):
        read_text(json.dumps([one, one]), "x")
    with pytest.raises(FormatError, match="the file has no workflow with `nodes` and `connections`"):
        read_text("{}", "x", "n8n")
    nothing = read_data({"nodes": [], "connections": {"a": None, "b": {"main": None}}}, "x").workflow
    assert not nothing.tasks


def test_there_and_back():
    nodes = {"Q": if_(), "S": switch(rules={"values": [rule("a")]}), "A": "noOp", "B": "noOp"}
    workflow = read(nodes, ["Go -> Q", "Q:0 -> S & A", "Q:1 -> B", "S:0 -> B"], name="w").workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


@pytest.mark.slow
def test_large_files_end():
    loop = {"type": BASE + "splitInBatches", "typeVersion": 3}
    nodes = {f"L{n}": loop for n in range(4000)}
    wires = [f"L{n}:1 -> L{n + 1}" for n in range(3999)] + ["L3999:1 -> L0", "Go -> L0"]
    reading = read(nodes, wires)
    assert any("too many loops" in message for _, message in said(reading))
    off = {"type": BASE + "noOp", "disabled": True}
    wide = {"Off": off, **{f"N{n}": "noOp" for n in range(1000)}}
    with pytest.raises(FormatError, match="links; the limit is"):
        read(wide, [f"N{n} -> Off" for n in range(1000)] + [f"Off -> N{n}" for n in range(1000)])
    tools = {f"T{n}": {"type": "x", "parameters": {"a": "y" * 100}} for n in range(300)}
    attached = {
        f"T{n}": {"ai_tool": [[{"node": f"T{m}"} for m in range(max(0, n - 3), n)] or [{"node": "Go"}]]}
        for n in range(300)
    }
    data = document({"Go": TRIGGER, **tools}, [])
    data["connections"] = attached
    read_data(data, "x", "n8n")
    quotes = "={{ " + "$('" * 100_000
    read({"A": {"type": "x", "parameters": {"a": quotes, "b": "={{" + "$node." * 100_000}}}, ["Go -> A"])


PIECES = st.sampled_from(
    [
        None,
        True,
        -1,
        99,
        2.5,
        "",
        "Q",
        "Go",
        "={{ $json.x }}",
        "={{ $('",
        [],
        [[]],
        {},
        {"conditions": []},
        "switch",
        [None],
    ]
)


def places(value, path=()):
    """Yield the path of every value in there."""
    yield path
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


SAMPLE = document(
    {
        "Go": TRIGGER,
        "Q": if_(),
        "S": switch(rules={"values": [rule("a"), rule("b")]}, options={"fallbackOutput": "extra"}),
        "L": {"type": BASE + "splitInBatches", "typeVersion": 3},
        "M": {"type": BASE + "merge", "parameters": {"mode": "combine"}},
        "E": {
            "type": BASE + "executeWorkflow",
            "parameters": {"workflowId": {"value": "a"}},
            "onError": "continueErrorOutput",
        },
        "K": {"type": "x.textClassifier", "parameters": {"categories": {"categories": [{"category": "a"}]}}},
        "T": {"type": "x.tool", "parameters": {"v": "={{ $('Q').item.json.x }}"}},
    },
    ["Go -> Q", "Q:0 -> S", "Q:1 -> L", "L:1 -> K", "K -> L", "L:0 -> M", "S:1 -> M:1", "S:2 -> E", "E:1 -> M"],
    [("T", "ai_tool", "E")],
)


@given(data=st.data())
def test_whatever_is_changed_only_format_errors_come_out(data):
    copy = json.loads(json.dumps(SAMPLE))
    for _ in range(data.draw(st.integers(1, 3))):
        paths = [path for path in places(copy) if path]
        if not paths:
            break
        path = data.draw(st.sampled_from(paths))
        inner = copy
        for key in path[:-1]:
            inner = inner[key]
        how = data.draw(st.sampled_from(["drop", "set", "double"]))
        if how == "set":
            inner[path[-1]] = json.loads(json.dumps(data.draw(PIECES)))
        elif how == "drop":
            del inner[path[-1]]
        elif isinstance(inner, list):
            inner.append(json.loads(json.dumps(inner[path[-1]])))
        else:
            inner[data.draw(st.sampled_from(["Q", "main", "ai_tool", "conditions", "x"]))] = json.loads(
                json.dumps(inner[path[-1]])
            )
    try:
        workflow = read_data(copy, "x", "n8n").workflow
    except FormatError:
        return
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
