"""Dify: what each node and edge becomes, what is said about it, and what runs when."""

import time
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import END, START, Guard, Loop, expand
from wfgate.read import read_data, read_file, read_text, write
from wfgate.rules import lint

from ...hypothesis_examples import examples

DATA = Path(__file__).parent / "data" / "dify"
FILES = sorted(DATA.glob("*.yml"))


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


def case(*conditions, id="true", operator="and"):  # noqa: A002
    """A case of an If/Else node; each condition is (selector, operator, value)."""
    listed = [
        {"variable_selector": selector.split("."), "comparison_operator": compared, "value": value}
        for selector, compared, value in conditions
    ]
    return {"case_id": id, "logical_operator": operator, "conditions": listed}


def if_(*cases):
    return {"type": "if-else", "cases": list(cases)}


def document(nodes, edges, start=(), **more):
    """Build an app: nodes by id, edges "a -> b" or "a:handle -> b"; a node that is a text is of that type."""
    listed = []
    given = {"go": {"type": "start", "variables": [{"variable": name, "type": "text-input"} for name in start]}}
    for name, said in (given | nodes).items():
        data = {"type": said} if isinstance(said, str) else dict(said)
        outside = {key: data.pop(key) for key in ("parentId",) if key in data}
        kind = {"type": "custom-note"} if data["type"] == "note" else {"type": "custom"}
        data["type"] = "" if data["type"] == "note" else data["type"]
        listed.append({"id": name, **kind, **outside, "data": {"title": name.title(), **data}})
    wires = []
    for edge in edges:
        source, target = edge.split(" -> ")
        name, _, handle = source.partition(":")
        wires.append({"source": name, "sourceHandle": handle or "source", "target": target})
    graph = {"nodes": listed, "edges": wires}
    app = {"mode": "workflow", "name": "Ask", "description": "Answers."}
    return {"kind": "app", "version": "0.1.5", "app": app, "workflow": {"graph": graph, **more}}


def reading(nodes, edges, start=(), **more):
    return read_data(document(nodes, edges, start, **more), "x")


def workflow(nodes, edges, start=(), **more):
    return reading(nodes, edges, start, **more).workflow


def ways(found):
    """Links as words: source, target, and what stands at the link."""
    words = []
    for link in found.links:
        said = [link.outcome] if link.outcome != "success" else []
        if link.guard is not None:
            said.append("default" if link.guard.default else link.guard.expr)
        words.append(f"{link.source} -> {link.target}" + (f" [{', '.join(said)}]" if said else ""))
    return words


def runs(found):
    """When each step runs as long as nothing fails, by name, loops opened."""
    opened = expand(found)
    behaviour = Behaviour.of(opened)
    return {task.name: behaviour.words(place) for place, task in enumerate(opened.tasks)}


def test_a_line_of_nodes():
    nodes = {
        "1715846546749": {
            "type": "llm",
            "title": "Ask the model",
            "desc": "Answers in French",
            "model": {"name": "m", "provider": "p"},
            "prompt_template": [{"id": "0b83f901-f97c-428f-8954-c4b772509bb2", "role": "user", "text": "{{#go.q#}}"}],
            "selected": False,
            "retry_config": {"retry_enabled": True, "max_retries": 3},
        },
        "out": {"type": "end", "outputs": [{"variable": "a", "value_selector": ["1715846546749", "text"]}]},
    }
    found = workflow(nodes, ["go -> 1715846546749", "1715846546749 -> out"], ["q"])
    assert (found.name, found.description, found.semantics) == ("Ask", "Answers.", "token")
    assert found.params == {"q": {"type": "text-input"}}
    assert ways(found) == ["START -> 1715846546749", "1715846546749 -> out", "out -> END"]
    first, last = found.tasks
    assert (first.name, first.kind, first.action, first.description) == (
        "Ask the model",
        "task",
        "llm",
        "Answers in French",
    )
    assert first.params == {
        "model": {"name": "m", "provider": "p"},
        "prompt_template": [{"role": "user", "text": "{{#q#}}"}],
    }
    assert first.loop == Loop(mode="until", condition="it succeeds", max=4)
    assert last.params == {"outputs": [{"variable": "a", "value_selector": ["Ask the model", "text"]}]}
    assert [(link.source, link.target, link.data) for link in found.data_links] == [
        (START, "1715846546749", "q"),
        ("1715846546749", "out", "Ask the model.text"),
    ]


def test_ids_say_nothing():
    nodes = {"a": {"type": "code", "title": "A"}, "b": {"type": "llm", "title": "B", "x": "{{#a.y#}}"}}
    first = workflow(nodes, ["go -> a", "a -> b"])
    renamed = {"7": nodes["a"], "9": nodes["b"] | {"x": "{{#7.y#}}"}}
    second = workflow(renamed, ["go -> 7", "7 -> 9"])
    without = {"id": ""}
    assert [task.model_copy(update=without) for task in first.tasks] == [
        task.model_copy(update=without) for task in second.tasks
    ]
    assert [link.data for link in first.data_links] == [link.data for link in second.data_links]


def test_equal_titles_are_numbered_where_they_are_read():
    nodes = {
        "a": {"type": "llm", "title": "LLM"},
        "b": {"type": "llm", "title": "LLM"},
        "c": {"type": "answer", "answer": "{{#a.text#}} {{#b.text#}}"},
    }
    found = workflow(nodes, ["go -> a", "a -> b", "b -> c"])
    assert [task.name for task in found.tasks] == ["LLM", "LLM", "C"]
    assert found.tasks[2].params == {"answer": "{{#LLM.text#}} {{#LLM (2).text#}}"}
    assert [link.data for link in found.data_links] == ["LLM.text", "LLM (2).text"]


def test_if_and_else():
    nodes = {"i": if_(case(("go.n", ">", "3"))), "a": "llm", "b": "llm", "z": "end"}
    found = workflow(nodes, ["go -> i", "i:true -> a", "i:false -> b", "a -> z", "b -> z"], ["n"])
    assert [link.guard for link in found.links if link.source == "i"] == [Guard(expr="n > 3"), Guard(default=True)]
    assert not found.gateways
    assert runs(found) == {"I": "always", "A": "n > 3", "B": "n <= 3", "Z": "always"}
    assert not lint(found)


def test_cases_are_asked_in_their_order():
    cases = [case(("go.n", ">", "3"), id="one"), case(("go.n", ">", "1"), id="two")]
    nodes = {"i": if_(*cases), "a": "llm", "b": "llm", "c": "llm"}
    found = workflow(nodes, ["go -> i", "i:one -> a", "i:two -> b", "i:false -> c"], ["n"])
    assert [link.guard.order for link in found.links if link.source == "i"] == [1, 2, None]
    behaviour = Behaviour.of(found)
    for place, number, happens in [(1, 4, True), (2, 4, False), (2, 2, True), (3, 2, False), (3, 0, True)]:
        assert behaviour.runs_in(place, {"n": number}).value is happens
    assert all(behaviour.exclusive(*pair).value for pair in [(1, 2), (1, 3), (2, 3)])


def test_a_branch_that_leads_nowhere_is_the_end():
    found = workflow({"i": if_(case(("go.n", "=", "3"))), "a": "llm"}, ["go -> i", "i:true -> a"], ["n"])
    assert ways(found) == ["START -> i", "i -> a [n == 3]", "i -> END [default]", "a -> END"]
    assert runs(found) == {"I": "always", "A": "n == 3"}


def test_an_if_of_the_first_version():
    old = {"type": "if-else", **case(("go.n", "not empty", ""))}
    del old["case_id"]
    found = workflow({"i": old, "a": "llm", "b": "llm"}, ["go -> i", "i:true -> a", "i:false -> b"], ["n"])
    assert [link.guard for link in found.links[1:3]] == [Guard(expr="n is not empty"), Guard(default=True)]


@pytest.mark.parametrize(
    ("conditions", "operator", "text"),
    [
        ([("go.a", "is", "x"), ("go.b", "is not", "y")], "or", "a == 'x' or b != 'y'"),
        ([("go.a", "≥", "2"), ("go.a", "≤", "4.5")], "and", "a >= 2 and a <= 4.5"),
        ([("go.a", "≠", "2")], "and", "a != 2"),
        ([("go.a", "is", "2")], "and", "a == '2'"),
        ([("go.a", "contains", "it's")], "and", r"a contains 'it\'s'"),
        (
            [("go.a", "not contains", "x"), ("go.a", "start with", "y")],
            "and",
            "a does not contain 'x' and a starts with 'y'",
        ),
        ([("go.a", "end with", "z")], "and", "a ends with 'z'"),
        ([("go.a", "empty", ""), ("go.b", "not null", "")], "and", "a is empty and b is not null"),
        ([("go.a", "in", ["x", "y"])], "and", "a in ['x', 'y']"),
        ([("m.text", "is", "x")], "and", "`Big model`.text == 'x'"),
        ([("go.a", "is", "{{#m.text#}}")], "and", "a == `Big model`.text"),
        ([("sys.query", "is", "x")], "and", "sys.query == 'x'"),
        ([("go.a", "all of", ["x", "y"])], "and", "«a all of x y»"),
        ([("go.not", "is", "x")], "and", "`not` == 'x'"),
    ],
)
def test_conditions(conditions, operator, text):
    nodes = {"m": {"type": "llm", "title": "Big model"}, "i": if_(case(*conditions, operator=operator)), "z": "end"}
    found = workflow(nodes, ["go -> m", "m -> i", "i:true -> z"], ["a", "b", "not"])
    assert [link.guard.expr for link in found.links if link.target == "z"] == [text]
    assert not [finding for finding in lint(found) if finding.id in {"WF901", "WF902"} and "«" not in text]


def test_what_is_compared_inside_of_files_is_one_thing():
    asked = [{"key": "type", "comparison_operator": "in", "value": [kind]} for kind in ("image", "video")]
    inner = {"conditions": asked, "logical_operator": "or"}
    condition = {"variable_selector": ["sys", "files"], "comparison_operator": "contains", "value": ""}
    nodes = {"i": if_({"case_id": "true", "conditions": [condition | {"sub_variable_condition": inner}]}), "a": "llm"}
    found = workflow(nodes, ["go -> i", "i:true -> a"])
    assert found.links[1].guard == Guard(expr="«sys.files contains type in image or type in video»")


def test_a_case_without_conditions_is_said():
    read = reading({"i": if_({"case_id": "true", "conditions": []}), "a": "llm"}, ["go -> i", "i:true -> a"])
    assert [note.message for note in read.diagnostics] == ["a case of 'I' has no condition"]
    assert read.workflow.links[1].guard == Guard(expr="«case 1 of I»")


def test_an_output_that_is_not_there():
    read = reading({"a": "llm", "b": "end"}, ["go -> a", "a:fail-branch -> b"])
    assert [note.message for note in read.diagnostics] == [
        "'A' has no output 'fail-branch', so this link is never taken"
    ]
    assert runs(read.workflow) == {"A": "always", "B": "never"}


def test_a_question_classifier_chooses_one_class():
    classes = [{"id": "1", "name": "Install"}, {"id": "2", "name": "Other"}, {"id": "3", "name": "other"}]
    nodes = {"q": {"type": "question-classifier", "classes": classes}, "a": "llm", "b": "llm", "c": "llm", "z": "end"}
    edges = ["go -> q", "q:1 -> a", "q:2 -> b", "q:3 -> c", "a -> z", "b -> z", "c -> z"]
    found = workflow(nodes, edges)
    assert ways(found)[1:4] == ["q -> a [«Install»]", "q -> b [«Other»]", "q -> c [«other (2)»]"]
    behaviour = Behaviour.of(found)
    assert all(behaviour.exclusive(*pair).value for pair in [(1, 2), (1, 3), (2, 3)])
    assert behaviour.words(4) == "always"
    assert not lint(found)


def test_failures_with_a_branch_of_their_own():
    nodes = {"a": {"type": "http-request", "error_strategy": "fail-branch"}, "b": "llm", "c": "llm"}
    found = workflow(nodes, ["go -> a", "a:success-branch -> b", "a:fail-branch -> c"])
    assert ways(found)[1:3] == ["a -> b", "a -> c [failure]"]
    assert runs(found) == {"A": "always", "B": "always", "C": "never"}
    behaviour = Behaviour.of(found)
    failed = {"outcome of 'A'": "failure"}
    assert (behaviour.runs_in(1, failed).value, behaviour.runs_in(2, failed).value) == (False, True)


def test_a_default_value_instead_of_a_failure():
    nodes = {"a": {"type": "code", "error_strategy": "default-value", "default_value": [{"key": "x"}]}, "b": "llm"}
    found = workflow(nodes, ["go -> a", "a -> b"])
    assert ways(found)[1] == "a -> b [always]"
    assert found.tasks[0].params == {"default_value": [{"key": "x"}]}


def test_an_answer_of_a_person():
    actions = [{"id": "yes", "title": "Approve"}, {"id": "no", "title": "Refuse"}]
    nodes = {"h": {"type": "human-input", "user_actions": actions}, "a": "llm", "b": "llm", "c": "llm"}
    found = workflow(nodes, ["go -> h", "h:yes -> a", "h:no -> b", "h:__timeout -> c"])
    assert found.tasks[0].kind == "event"
    assert ways(found)[1:4] == ["h -> a [«Approve»]", "h -> b [«Refuse»]", "h -> c [timeout]"]
    assert Behaviour.of(found).exclusive(1, 2).value is True


def test_branches_that_run_at_once_are_waited_for():
    found = workflow({"a": "llm", "b": "llm", "z": "end"}, ["go -> a", "go -> b", "a -> z", "b -> z"])
    assert [(gate.op, gate.role) for gate in found.gateways] == [("OR", "join"), ("AND", "split")]
    assert runs(found) == {"A": "always", "B": "always", "Z": "always"}
    assert not lint(found)


def test_a_branch_that_is_not_taken_is_not_waited_for():
    nodes = {"a": "llm", "i": if_(case(("go.n", ">", "3"))), "b": "llm", "z": "end"}
    found = workflow(nodes, ["go -> a", "go -> i", "i:true -> b", "a -> z", "b -> z"], ["n"])
    assert runs(found) == {"A": "always", "I": "always", "B": "n > 3", "Z": "always"}


def test_one_output_on_several_nodes_starts_them_all():
    nodes = {"i": if_(case(("go.n", ">", "3"))), "a": "llm", "b": "llm", "c": "llm"}
    found = workflow(nodes, ["go -> i", "i:true -> a", "i:true -> b", "i:false -> c"], ["n"])
    assert [(gate.id, gate.op) for gate in found.gateways] == [("I: all", "AND")]
    assert runs(found) == {"I": "always", "A": "n > 3", "B": "n > 3", "C": "n <= 3"}


@pytest.mark.parametrize("how", ["parentId", "iteration_id"])
def test_an_iteration_is_a_composite(how):
    nodes = {
        "it": {"type": "iteration", "iterator_selector": ["go", "rows"], "output_selector": ["b", "out"]},
        "s": {"type": "iteration-start", how: "it"},
        "a": {"type": "llm", how: "it", "x": "{{#it.item#}}"},
        "b": {"type": "code", how: "it", "variables": [{"value_selector": ["a", "text"]}]},
        "z": {"type": "end", "outputs": [{"value_selector": ["it", "output"]}]},
    }
    found = workflow(nodes, ["go -> it", "it -> z", "s -> a", "a -> b"], ["rows"])
    step = found.tasks[0]
    assert (step.kind, step.action, step.workflow) == ("composite", "iteration", "It (each)")
    assert step.loop == Loop(mode="foreach", over="rows")
    (inner,) = found.subworkflows
    assert inner.name == "It (each)"
    assert ways(inner) == ["START -> a", "a -> b", "b -> END"]
    assert {(link.source, link.target, link.data) for link in inner.data_links} == {
        (START, "a", "It.item"),
        ("a", "b", "A.text"),
        ("b", END, "B.out"),
    }
    assert {(link.source, link.target, link.data) for link in found.data_links} == {
        (START, "it", "rows"),
        ("it", "z", "It.output"),
    }
    assert set(runs(found).values()) == {"always"}
    assert not lint(found)


def test_an_iteration_of_the_first_version_names_its_first_node():
    nodes = {"it": {"type": "iteration", "start_node_id": "a"}, "a": {"type": "llm", "parentId": "it"}}
    found = workflow(nodes, ["go -> it"])
    assert ways(found.subworkflows[0]) == ["START -> a", "a -> END"]


def test_a_loop_runs_until_its_condition_holds():
    nodes = {
        "l": {"type": "loop", "loop_count": 5, **case(("a.n", ">", "3"))},
        "s": {"type": "loop-start", "parentId": "l"},
        "a": {"type": "code", "parentId": "l"},
    }
    nodes["l"]["break_conditions"] = nodes["l"].pop("conditions")
    del nodes["l"]["case_id"]
    found = workflow(nodes, ["go -> l", "s -> a"])
    assert found.tasks[0].loop == Loop(mode="until", condition="A.n > 3", max=5)
    assert [part.name for part in found.subworkflows] == ["L (body)"]


def test_a_loop_that_is_not_there():
    read = reading({"a": {"type": "llm", "parentId": "gone"}}, ["go -> a"])
    assert [note.message for note in read.diagnostics] == [
        "'A' has the parent 'gone', which is neither an iteration nor a loop"
    ]
    assert ways(read.workflow) == ["START -> a", "a -> END"]


def test_loops_that_stand_in_each_other():
    loops = {"a": {"type": "loop", "parentId": "b"}, "b": {"type": "loop", "parentId": "a"}, "c": "llm"}
    read = reading(loops, ["go -> a", "go -> c"])
    assert [note.message.partition(" ")[2] for note in read.diagnostics] == ["is nested in itself"]
    parts = [read.workflow, *read.workflow.subworkflows]
    assert sorted(task.id for part in parts for task in part.tasks) == ["a", "b", "c"]


def test_notes_are_no_steps():
    read = reading({"a": "llm", "n": "note"}, ["go -> a"])
    assert [task.id for task in read.workflow.tasks] == ["a"]
    assert not read.diagnostics
    linked = reading({"a": "llm", "n": "note"}, ["go -> a", "n -> a"])
    assert [note.message for note in linked.diagnostics] == [
        "an edge of a note is not read, because a note is not a step"
    ]


def test_what_is_kept_between_messages():
    items = [{"variable_selector": ["conversation", "memory"], "value": ["a", "text"], "operation": "over-write"}]
    nodes = {
        "i": if_(case(("conversation.memory", "empty", ""))),
        "a": "llm",
        "w": {"type": "assigner", "items": items},
    }
    kept = [{"name": "memory", "description": "What was said"}]
    found = workflow(nodes, ["go -> i", "i:true -> a", "a -> w"], conversation_variables=kept)
    assert [(item.id, item.description) for item in found.data_items] == [("conversation.memory", "What was said")]
    assert found.tasks[0].inputs == ("conversation.memory",)
    assert found.tasks[2].outputs == ("conversation.memory",)


def test_an_aggregator_reads_one_of_several():
    nodes = {
        "i": if_(case(("go.n", ">", "3"))),
        "a": "llm",
        "b": "llm",
        "v": {"type": "variable-aggregator", "variables": [["a", "text"], ["b", "text"]]},
    }
    found = workflow(nodes, ["go -> i", "i:true -> a", "i:false -> b", "a -> v", "b -> v"], ["n"])
    assert {(link.source, link.target, link.data) for link in found.data_links if link.target == "v"} == {
        ("a", "v", "V (one of)"),
        ("b", "v", "V (one of)"),
    }
    assert not lint(found)


def test_tools_and_triggers():
    nodes = {
        "t": {"type": "tool", "provider_name": "jina", "tool_name": "read", "tool_parameters": {"u": "x"}},
        "w": {"type": "tool", "provider_type": "workflow", "provider_name": "sub", "tool_name": "sub"},
        "p": {"type": "trigger-schedule"},
    }
    found = workflow(nodes, ["p -> t", "t -> w"])
    assert [(task.kind, task.action) for task in found.tasks] == [
        ("task", "jina/read"),
        ("composite", "sub/sub"),
        ("event", "trigger-schedule"),
    ]
    assert (START, "p") in {(link.source, link.target) for link in found.links}


def test_broken_graphs_are_read():
    found = workflow({"a": "llm", "b": "llm"}, ["go -> a", "a -> gone", "lost -> b", "b -> b"])
    assert {"START -> a", "a -> gone", "b -> b", "lost -> b"} <= {*ways(found)}
    assert "WF003" in {finding.id for finding in lint(found)}
    doubled = document({"a": "llm"}, ["go -> a"])
    doubled["workflow"]["graph"]["nodes"].append(doubled["workflow"]["graph"]["nodes"][-1])
    assert [task.id for task in read_data(doubled, "x").workflow.tasks] == ["a", "a"]
    turning = workflow({"a": "llm", "b": "llm"}, ["go -> a", "a -> b", "b -> a"])
    assert {"a -> b", "b -> a"} <= {*ways(turning)}


def test_nodes_called_like_the_virtual_ones():
    found = workflow({"START": "llm", "END": "llm"}, ["go -> START", "START -> END"])
    assert ways(found) == ["START -> START (node)", "START (node) -> END (node)", "END (node) -> END"]


@pytest.mark.parametrize(
    ("mode", "what"), [("chat", "a chatbot"), ("agent-chat", "an agent"), ("completion", "a text generator")]
)
def test_an_app_without_a_workflow_says_what_it_is(mode, what):
    text = f"app:\n  name: Chat\n  mode: {mode}\nkind: app\nmodel_config:\n  model: {{name: m}}\nversion: 0.1.5\n"
    with pytest.raises(FormatError) as problem:
        read_text(text, "x.yml")
    assert f"the app has no workflow: it is {what}" in problem.value.message
    assert problem.value.line == 3
    assert "workflow or advanced-chat" in problem.value.fix


BAD = [
    (lambda graph: graph.update(nodes={}), "`workflow.graph.nodes` of the app must be a list, not a mapping"),
    (lambda graph: graph.update(edges=5), "`workflow.graph.edges` of the app must be a list, not a number"),
    (lambda graph: graph["nodes"].append(5), "`workflow.graph.nodes.2` of the app must be a mapping, not a number"),
    (lambda graph: graph["nodes"][0].pop("id"), "`workflow.graph.nodes.0` of the app has no 'id'"),
    (lambda graph: graph["nodes"][0].update(id=None), "`workflow.graph.nodes.0` of the app has no 'id'"),
    (
        lambda graph: graph["nodes"][0].update(id=[]),
        "`workflow.graph.nodes.0.id` of the app must be a text, not a list",
    ),
    (lambda graph: graph["nodes"][0].update(data=[]), "`workflow.graph.nodes.0.data` of the app must be a mapping"),
    (lambda graph: graph["edges"][0].pop("target"), "`workflow.graph.edges.0` of the app has no 'target'"),
    (lambda graph: graph["edges"].append("a"), "`workflow.graph.edges.1` of the app must be a mapping, not 'a'"),
]


@pytest.mark.parametrize(("change", "said"), BAD)
def test_refused(change, said):
    data = document({"a": "llm"}, ["go -> a"])
    change(data["workflow"]["graph"])
    with pytest.raises(FormatError) as problem:
        read_text(yaml.safe_dump(data, sort_keys=False), "x.yml")
    assert said in problem.value.message
    assert problem.value.line > 5
    assert problem.value.fix


def test_no_graph():
    for workflow in (None, {}, {"graph": None}, {"graph": []}):
        with pytest.raises(FormatError, match="the app has no workflow"):
            read_data({"kind": "app", "app": {"mode": "workflow"}, "workflow": workflow}, "x", "dify")


def test_positions():
    text = yaml.safe_dump(document({"a": "llm"}, ["go -> a", "a:no -> a"]), sort_keys=False)
    read = read_text(text, "x.yml")
    lines = text.splitlines()
    assert lines[read.workflow.tasks[0].span.line - 1].strip() == "- id: a"
    assert lines[read.workflow.links[0].span.line - 1].strip() == "- source: go"
    assert lines[read.diagnostics[0].line - 1].strip() == "- id: a"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_way_through_the_native_format(path):
    read = read_file(path)
    assert read.format == "dify"
    assert not read.diagnostics
    assert bare(read_text(write(read.workflow, "native"), "x").workflow) == bare(read.workflow)


def test_real_files_run_as_they_are_meant():
    found = read_file(DATA / "translation_workflow.yml").workflow
    assert runs(found) == {
        "TRANSLATION": "always",
        "COUNTRY IS NULL": "always",
        "EXPERT_SUGGESTIONS": "(country == '' or country == null)",
        "EXPERT_SUGGESTIONS_WITH_COUNTRY": "country != '' and country != null",
        "SUGGESTIONS": "always",
        "IMPORVE_TRANSLATE": "always",
        "结束": "always",
    }
    found = read_file(DATA / "LanguageConsistencyChecker.yml").workflow
    assert set(runs(found).values()) == {"always"}


@pytest.mark.slow
def test_large_files_end():
    started = time.perf_counter()
    count = 3000
    ids = [f"n{at}" for at in range(count)]
    nodes = {name: {"type": "llm", "x": "{{#n0.text#}} {{#"} for name in ids}
    found = workflow(nodes, [f"{a} -> {b}" for a, b in zip(["go", *ids], ids, strict=False)])
    assert len(found.tasks) == count
    fan = [f"{ids[at % 50]} -> {ids[50 + at % (count - 50)]}" for at in range(20_000)]
    assert workflow(nodes, fan).links
    nested = {name: {"type": "loop", **({"parentId": ids[at - 1]} if at else {})} for at, name in enumerate(ids)}
    nested |= {"last": {"type": "llm", "parentId": ids[-1], "x": "{{#go.q#}}"}}
    assert len(workflow(nested, [], ["q"]).subworkflows) == count
    ladder = [f"{a} -> {b}" for step in (1, 2) for a, b in zip(ids, ids[step:], strict=False)]
    alike = {name: {"type": "llm", "title": "t"} for name in ids}
    assert len(workflow(alike, ladder).gateways) > count
    hostile = "{{#" * 100_000 + "#}}" * 100_000
    assert workflow({"a": {"type": "llm", "x": hostile}}, ["go -> a"]).tasks
    assert time.perf_counter() - started < 30


SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["a", "go", "", "true", "START", "x.y"])
KEYS = st.sampled_from(
    [
        *("type", "title", "cases", "conditions", "classes", "id", "case_id", "variable_selector", "value", "name"),
        *("parentId", "iteration_id", "iterator_selector", "error_strategy", "variables", "variable", "items"),
        *("break_conditions", "loop_count", "retry_config", "user_actions", "comparison_operator", "data"),
    ]
)
TYPES = st.sampled_from(
    [
        *("start", "end", "llm", "if-else", "question-classifier", "iteration", "iteration-start", "loop"),
        *("loop-start", "human-input", "assigner", "variable-aggregator", "tool", "trigger-webhook", "", "code"),
    ]
)
VALUES = st.recursive(
    SCALARS | st.sampled_from([["a", "x"], ["", "x"], "{{#a.x#}}", "{{#go.q#}}", "{{#.x#}}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
IDS = st.sampled_from(["a", "b", "c", "go", "START", "END"])
NODES = st.fixed_dictionaries(
    {
        "id": IDS,
        "data": st.builds(lambda kind, more: {**more, "type": kind}, TYPES, st.dictionaries(KEYS, VALUES, max_size=4)),
    },
    optional={"parentId": IDS, "type": st.sampled_from(["custom", "custom-note"])},
)
EDGES = st.fixed_dictionaries(
    {"source": IDS, "target": IDS},
    optional={"sourceHandle": st.sampled_from(["source", "true", "false", "fail-branch", "1", ""]) | SCALARS},
)


@settings(max_examples=examples(300))
@given(st.lists(NODES, max_size=5), st.lists(EDGES, max_size=6), st.dictionaries(KEYS, VALUES, max_size=2))
def test_whatever_comes_in(nodes, edges, more):
    data = {"kind": "app", "app": {"name": "w"}, "workflow": {"graph": {"nodes": nodes, "edges": edges}, **more}}
    try:
        found = read_data(data, "x", "dify").workflow
    except FormatError:
        return
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)


REAL = yaml.safe_load((DATA / "translation_workflow.yml").read_text("utf-8"))


def places(value, path=()):
    yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, key))


PLACES = [path for path in places(REAL["workflow"]["graph"]) if path]


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["drop", "double", "set"]), VALUES), max_size=4))
def test_a_real_file_with_something_else_in_it(changes):
    data = deepcopy(REAL)
    for path, how, value in changes:
        holder = data["workflow"]["graph"]
        try:
            for key in path[:-1]:
                holder = holder[key]
            if how == "set":
                holder[path[-1]] = value
            elif how == "drop":
                del holder[path[-1]]
            elif isinstance(holder, list):
                holder.append(holder[path[-1]])
        except (KeyError, IndexError, TypeError):
            continue
    try:
        found = read_data(data, "x", "dify").workflow
    except FormatError:
        return
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)


TEXT = (DATA / "json_translate.yml").read_text("utf-8")


@settings(max_examples=examples(100))
@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=5))
def test_a_real_text_with_something_else_in_it(at, length, text):
    try:
        read_text(TEXT[:at] + text + TEXT[at + length :], "x.yml", "dify")
    except FormatError:
        return
