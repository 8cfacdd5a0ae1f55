"""Graph records: every dialect, its traps, and the way back."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.compare import compare
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder
from wfgate.model import END, START, Guard, Link, Task, Workflow
from wfgate.read import read_data, read_text, write
from wfgate.rules import review


def read(data):
    reading = read_data(data, "x")
    assert reading.format == "graph-json"
    return reading


def links(workflow):
    return [(link.source, link.target) for link in workflow.links]


def names(workflow):
    return [task.name for task in workflow.tasks]


BENCH = {
    "user_request": "Find and read",
    "task_steps": ["Step 2", "Step 1"],
    "task_nodes": [
        {"task": "Read", "arguments": ["<node-1>", "aloud"]},
        {"task": "Find", "arguments": [{"name": "what", "value": "news"}]},
    ],
    "task_links": [{"source": "Find", "target": "Read"}],
    "type": "chain",
}


def test_task_bench():
    reading = read(BENCH)
    workflow = reading.workflow
    assert workflow.description == "Find and read"
    assert names(workflow) == ["Read", "Find"]
    assert [task.params for task in workflow.tasks] == [
        {"arguments": ["aloud"]},
        {"arguments": [{"name": "what", "value": "news"}]},
    ]
    assert links(workflow) == [(START, "node-1"), ("node-1", "node-0"), ("node-0", END)]
    assert [(data.source, data.target, data.data) for data in workflow.data_links] == [("node-1", "node-0", "Find")]
    assert not reading.diagnostics


def test_a_reference_without_a_task_link_is_data_only():
    reading = read(BENCH | {"task_links": []})
    assert links(reading.workflow) == [(START, "node-0"), (START, "node-1"), ("node-0", END), ("node-1", END)]
    assert len(reading.workflow.data_links) == 1
    assert [(note.severity, note.message) for note in reading.diagnostics] == [
        ("info", "<node-1> passes data, but the two nodes have no task link")
    ]


def test_task_bench_traps():
    reading = read(
        {
            "task_nodes": [
                {"task": "A", "arguments": ["<node-9>", "<node-1-output-2>", "<output of A>", ["<node-1>"]]},
                {"task": "A"},
                {"task": "B", "arguments": {"x": 1}},
            ],
            "task_links": [{"source": "A", "target": "B"}, {"source": "Gone", "target": "B"}],
        }
    )
    workflow = reading.workflow
    assert (START, "node-1") in links(workflow)
    assert ("node-0", "node-2") in links(workflow)
    assert ("Gone", "node-2") in links(workflow)
    assert [(data.source, data.target) for data in workflow.data_links] == [
        ("node-9", "node-0"),
        ("node-1", "node-0"),
        ("node-1", "node-0"),
    ]
    assert workflow.tasks[0].params == {"arguments": ["<output of A>"]}
    assert workflow.tasks[2].params == {"arguments": [{"name": "x", "value": 1}]}
    said = [note.message for note in reading.diagnostics if note.severity == "warning"]
    assert said == [
        "the tool 'A' is listed twice; a link is matched by its arguments, or means the first",
        "<node-9> refers to a node that does not exist",
    ]


def test_arguments_tell_apart_nodes_of_one_tool():
    nodes = [("A", []), ("A", []), ("B", ["<node-0>", "<node-1>"]), ("C", ["<node-2>"]), ("C", [])]
    between = [("A", "B"), ("A", "B"), ("B", "C"), ("C", "D")]
    reading = read(
        {
            "task_nodes": [{"task": task, "arguments": arguments} for task, arguments in nodes],
            "task_links": [{"source": source, "target": target} for source, target in between],
        }
    )
    inner = [link for link in links(reading.workflow) if START not in link and END not in link]
    assert inner == [("node-0", "node-2"), ("node-1", "node-2"), ("node-2", "node-3"), ("node-3", "D")]


PLAN = {"Find News": {"arguments": ["<url>"]}, "Read Aloud": {"arguments": ["<Find News>", "<Draw Map>", "slow"]}}


@pytest.mark.parametrize("plan", [PLAN, [{key: value} for key, value in PLAN.items()]])
def test_plans(plan):
    reading = read({"id": "1", "sample": 0, "plans": [plan]})
    workflow = reading.workflow
    assert names(workflow) == ["Find News", "Read Aloud"]
    assert links(workflow) == [
        (START, "node-0"),
        ("node-0", "node-1"),
        ("Draw Map", "node-1"),
        ("node-1", END),
    ]
    assert [data.data for data in workflow.data_links] == ["Find News", "Draw Map"]
    assert workflow.tasks[0].params == {"arguments": ["<url>"]}
    assert workflow.tasks[1].params == {"arguments": ["slow"]}
    assert [(note.severity, note.message) for note in reading.diagnostics] == [
        ("info", "<url> is read as an input, because no tool has a similar name"),
        ("warning", "<Draw Map> refers to a tool that is not in the plan"),
    ]


def test_an_outcome_that_is_used_twice_is_waited_for_once():
    workflow = read({"plans": [{"A": {"arguments": ["x"]}, "B": {"arguments": ["<A>", "<A>"]}}]}).workflow
    assert links(workflow) == [(START, "node-0"), ("node-0", "node-1"), ("node-1", END)]


def test_a_repeated_tool_in_a_plan():
    reading = read({"plans": [[{"A": []}, {"A": []}, {"B": ["<A>"]}]]})
    assert ("node-0", "node-2") in links(reading.workflow)
    assert ("node-1", END) in links(reading.workflow)
    assert "listed twice" in reading.diagnostics[0].message


GRAPHS = [
    {"nodes": ["a", "b"], "edges": [["a", "b"]]},
    {"nodes": [{"id": "a"}, {"name": "b"}], "edges": [{"from": "a", "to": "b"}]},
    {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]},
    {"nodes": ["START", "a", "b", "END"], "edges": [["START", "a"], ["a", "b"], ["b", "END"]]},
    {
        "nodes": [{"id": "__start__"}, {"id": "a", "type": "runnable", "data": {"name": "a"}}, "b", "__end__"],
        "edges": [["__start__", "a"], ["a", "b"], ["b", "__end__"]],
    },
    {"nodes": [{"id": 0, "name": "START"}, "a", "b"], "edges": [[0, "a"], ["a", "b"]]},
    {"tasks": [{"id": "a"}, {"id": "b", "dependencies": ["a"]}]},
    {"tasks": [{"id": "a"}, {"id": "b", "needs": "a"}]},
    {"tasks": [{"id": "a", "name": "a", "dependencies": None}, {"id": "b", "dependencies": ["a"]}]},
    {"master": {"tasks": [{"id": "a"}, {"id": "b", "dependencies": ["a"]}], "metadata": {}}},
    {"nodes": [{"id": "a", "depends_on": []}, {"id": "b", "depends_on": ["a"]}], "edges": [["a", "b"]]},
]


@pytest.mark.parametrize("data", GRAPHS)
def test_the_same_graph_in_many_dialects(data):
    workflow = read(data).workflow
    assert [task.id for task in workflow.tasks] == ["a", "b"]
    assert sorted(links(workflow)) == sorted([(START, "a"), ("a", "b"), ("b", END)])


def test_links_may_name_a_node_by_its_label():
    data = {"nodes": [{"id": 1, "label": "Build"}, {"id": 2, "data": {"label": "Test"}}], "edges": [["Build", "Test"]]}
    assert ("1", "2") in links(read(data).workflow)


def test_conditions():
    data = {
        "nodes": ["a", "b", "c"],
        "edges": [
            {"source": "a", "target": "b", "conditional": True, "data": "ok"},
            {"source": "a", "target": "c", "condition": "x > 1"},
            {"source": "b", "target": "c", "conditional": False, "data": "no guard"},
        ],
    }
    reading = read(data)
    guards = [link.guard for link in reading.workflow.links if link.source != START and link.target != END]
    assert guards == [Guard(expr="ok"), Guard(expr="x > 1"), None]
    assert "join" in reading.diagnostics[0].message


def guards(data):
    """Target and condition of each link from the first step."""
    found = [link for link in read(data).workflow.links if link.source == "a"]
    return [(link.target, link.guard and link.guard.expr) for link in found]


def asked(answers, nodes="abc"):
    """A graph in which two links leave one step, each with one of two values beside its ends."""
    edges = [{"source": "a", "target": target} | answer for target, answer in zip("bc", answers, strict=True)]
    return {"nodes": [*nodes], "edges": edges}


@pytest.mark.parametrize(
    "key",
    [
        *("condition", "conditional", "when", "if", "guard", "on", "case", "expression", "outcome"),
        "only_if",
        "run_if",
        "label",
    ],
)
def test_a_link_may_say_its_condition_under_many_keys(key):
    assert guards(asked([{key: "yes"}, {key: "no"}])) == [("b", "yes"), ("c", "no")]
    assert guards(asked([{"data": {key: "yes"}}, {"data": {key: "no"}}])) == [("b", "yes"), ("c", "no")]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([{"label": "true"}, {"label": "false"}], ["«true»", "«false»"]),  # answers, no constants
        ([{"when": True}, {"when": False}], ["«true»", "«false»"]),
        ([{"when": "true"}, {"when": "x"}], ["true", "x"]),
        ([{"condition": True, "label": "x"}, {"condition": True}], ["x", None]),
        ([{"condition": "x", "label": "go"}, {"case": 2}], ["x", "2"]),
        ([{"if": "x", "when": "y"}, {"if": "x", "when": "x"}], ["«y; x»", "x"]),
        ([{"on": ["x", "y"]}, {"on": {"x": 1}}], ['«["x", "y"]»', '«{"x": 1}»']),
        ([{"label": " "}, {"label": []}], [None, None]),
    ],
)
def test_the_condition_of_a_link(answers, expected):
    assert [condition for _, condition in guards(asked(answers))] == expected


def test_links_under_two_keys_are_all_read():
    data = {"nodes": ["a", "b", "c"], "edges": [["a", "b"]], "links": [["b", "c"]]}
    assert {("a", "b"), ("b", "c")} <= set(links(read(data).workflow))


BESIDE = {"nodes": [{"id": name, "name": f"Step {name}"} for name in "abc"], "edges": [["c", "b"]]}


@pytest.mark.parametrize(
    "choices",
    [
        [{"source": "a", "path": "ok", "path_map": {"true": "b", "false": "c"}}],
        [{"from": "a", "condition": "ok", "mapping": {"true": "b", "false": "c"}}],
        [{"from": "a", "condition": "ok", "then": "b", "else": "c"}],
        [{"from": "a", "to": "b", "condition": "ok"}, {"from": "a", "to": "c", "condition": "not ok"}],
        [{"node": "a", "branches": [{"condition": "ok", "target": "b"}, {"condition": "not ok", "target": "c"}]}],
        [{"source": "a", "router": "ok", "cases": [{"value": True, "to": "b"}, {"value": False, "to": "c"}]}],
        [["a", "ok", {"true": "b", "false": "c"}]],
        {"a": {"condition": "ok", "mapping": {"true": "b", "false": "c"}}},
        {"a": {"ok": "b", "not ok": "c"}},
    ],
)
def test_conditional_edges(choices):
    reading = read(BESIDE | {"conditional_edges": choices})
    assert guards(BESIDE | {"conditional_edges": choices}) == [("b", "ok"), ("c", "not ok")]
    assert {note.severity for note in reading.diagnostics} == {"info"}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"path": "kind", "path_map": {"new": "b", "old": "END"}}, [("b", "kind == 'new'"), (END, "kind == 'old'")]),
        ({"on": "kind", "cases": {"1": "b"}, "default": "c"}, [("b", "kind == 1"), ("c", "otherwise")]),
        ({"condition": "Is it new?", "paths": {"yes": "b", "no": "c"}}, None),
        ({"path": "route", "targets": ["b", "c"]}, [("b", None), ("c", None)]),
        ({"targets": ["b"]}, [("b", None)]),
    ],
)
def test_conditions_of_conditional_edges(choice, expected):
    expected = expected or [("b", "«Is it new?: yes»"), ("c", "«Is it new?: no»")]
    assert guards(BESIDE | {"conditional_edges": [{"source": "a"} | choice]}) == expected


@pytest.mark.parametrize(
    "choices",
    [
        [{"source": "a", "path_map": {"x": {"y": "b"}}}],
        [{"source": "a", "path_map": {"x": "b"}}, {"source": "?", "path_map": {"x": "c"}}],
        [{"source": "a", "cases": [{"when": "x", "to": "b"}, {"when": "y", "to": "c", "unless": "z"}]}],
        ["a", "b"],
    ],
)
def test_what_names_steps_and_is_not_read_is_a_warning(choices):
    found = [note for note in read(BESIDE | {"conditional_edges": choices}).diagnostics if note.severity == "warning"]
    assert [note.message for note in found] == [
        "`conditional_edges` names steps, but wfgate does not read it, so it is no link"
    ]
    assert not [note for note in read(BESIDE | {"layout": {"color": "red"}}).diagnostics if note.severity == "warning"]


def test_the_first_and_the_last_step_beside_the_links():
    data = BESIDE | {"entry_point": "c", "finish_point": ["b"]}
    assert set(links(read(data).workflow)) == {(START, "c"), ("c", "b"), ("b", END)}
    again = data | {"edges": [["__start__", "c"], ["c", "b"]]}
    assert links(read(again).workflow).count((START, "c")) == 1


def test_steps_and_pairs_of_numbers():
    data = {"task": "T", "steps": ["A", "B"], "edges": [["START", 1], [1, 2], [2, "END"], [2, 9]], "critical": [2]}
    workflow = read(data).workflow
    assert workflow.description == "T"
    assert [(task.id, task.name, task.critical) for task in workflow.tasks] == [("1", "A", False), ("2", "B", True)]
    assert links(workflow) == [(START, "1"), ("1", "2"), ("2", END), ("2", "9")]


def test_a_cycle_without_an_entry_gets_none():
    assert links(read({"nodes": ["a", "b"], "edges": [["a", "b"], ["b", "a"]]}).workflow) == [("a", "b"), ("b", "a")]


def test_subtasks_are_steps_inside_a_step():
    subtasks = [
        {"id": 1, "title": "Model", "dependencies": []},
        {"id": 2, "title": "Send", "dependencies": [1]},
        {"id": 3, "title": "Verify", "dependencies": ["5.1", "4.1"]},
        {"id": 4, "title": "Release", "dependencies": [9]},
    ]
    tasks = [
        {"id": 4, "title": "Set up", "dependencies": [], "subtasks": [{"id": "4.1", "title": "Lint"}]},
        {"id": 5, "title": "Login", "dependencies": [], "subtasks": subtasks},
        {"id": 6, "title": "Ship", "dependencies": ["5.2"], "subtasks": []},
    ]
    reading = read({"master": {"tasks": tasks}})
    workflow = reading.workflow
    assert [(task.kind, task.workflow) for task in workflow.tasks] == [
        ("composite", "Set up"),
        ("composite", "Login"),
        ("task", None),
    ]
    assert links(workflow) == [(START, "4"), ("4", "5"), ("5", "6"), ("6", END)]
    assert [names(part) for part in workflow.subworkflows] == [["Lint"], ["Model", "Send", "Verify", "Release"]]
    ends = [("2", END), ("3", END), ("4", END)]
    assert links(workflow.subworkflows[1]) == [(START, "1"), ("1", "2"), ("1", "3"), ("9", "4"), *ends]
    lifted = [note.message for note in reading.diagnostics if note.severity == "warning"]
    assert [("on 4.1, a step" in lifted[0]), ("on 5.2, a step" in lifted[1])] == [True, True]


def test_the_steps_inside_steps_may_have_no_dependencies():
    workflow = read(
        {"tasks": [{"name": "a", "subtasks": [{"name": "b"}, {"name": "c", "subtasks": [{"name": "d"}]}]}]}
    ).workflow
    assert [names(part) for part in (workflow, *workflow.subworkflows)] == [["a"], ["b", "c"], ["d"]]
    assert links(workflow.subworkflows[0]) == [(START, "b"), ("b", "c"), ("c", END)]


@pytest.mark.parametrize(
    "inner", [{"subtasks": [2]}, {"subtasks": ["2"]}, {"subtasks": ["Test"]}, {"steps": ["Test"]}]
)
def test_other_lists_in_steps_are_not_read_and_said(inner):
    data = {"tasks": [{"id": 1, "dependencies": []} | inner, {"id": 2, "name": "Test"}]}
    reading = read(data)
    assert [note.severity for note in reading.diagnostics] == ["warning"]
    assert not reading.workflow.subworkflows


BAD = [
    ('{"nodes": [\n {"name": ""}], "edges": []}', 2, 2, "neither a name nor an id", "add `name`"),
    ('{"nodes": [\n {"id": true}], "edges": []}', 2, 3, "'id' must be a text or a whole number", "write the id"),
    ('{"nodes": [\n {"id": 1, "label": 5}], "edges": []}', 2, 12, "'label' must be a text, not a number", "quotes"),
    ('{"nodes": [\n [1]], "edges": []}', 2, 2, "a node must be a mapping, not a list", "key: value"),
    ('{"nodes": ["a"], "edges": [\n 5]}', 2, 2, "an edge must be a pair or a mapping", "[from, to]"),
    ('{"nodes": ["a"], "edges": [\n ["a"]]}', 2, 2, "two nodes, not 1", "[from, to]"),
    ('{"nodes": ["a"], "edges": [\n {"from": "a"}]}', 2, 2, "an edge has no 'target'", "add 'target'"),
    ('{"nodes": ["a"], "edges": [\n [null, "a"]]}', 2, 2, "`from` of an edge must be a text", "write the id"),
    ('{"steps": ["a",\n 5], "edges": []}', 2, 2, "`steps.1` of the record must be a text, not a number", "in quotes"),
    ('{"steps": ["a"], "edges": [],\n "critical": [0]}', 2, 2, "the step 0, which does not exist", "from 1 to 1"),
    ('{"task_nodes": [\n {"tool": "x"}]}', 2, 2, "`task_nodes.0` of the record has no 'task'", "add 'task'"),
    (
        '{"task_nodes": [\n {"task": "x", "arguments": 5}]}',
        2,
        16,
        "arguments` of the record must be a list",
        "write a list",
    ),
    ('{"task_nodes": [],\n "task_links": {}}', 2, 2, "`task_links` of the record must be a list", "write a list"),
    ('{\n"plans": []}', 2, 1, "0 plans; exactly one", "its own record"),
    ('{\n"plans": [{}, {}]}', 2, 1, "2 plans; exactly one", "its own record"),
    ('{"plans": [[\n 5]]}', 2, 2, "a plan must be a mapping, not a number", "key: value"),
    ('{"plans": [[\n []]]}', 2, 2, "a plan must be a mapping, not a list", "key: value"),
    ('{"plans": [{\n "A": 5}]}', 2, 2, "`A` of a plan must be a mapping, not a number", "key: value"),
    (
        '{"tasks": [{"id": 1, "dependencies": []},\n {"id": 2, "needs": [{}]}]}',
        2,
        22,
        "`needs.0` of a node must be",
        "write the id",
    ),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), BAD)
def test_refused(text, line, column, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, "bad.json")
    error = caught.value
    assert message in error.message
    assert (error.path, error.line, error.column) == ("bad.json", line, column)
    assert fix in (error.fix or "")


def test_asked_for_by_name_but_not_there():
    with pytest.raises(FormatError, match="the file has no list of steps"):
        read_data({"a": 1}, "x", "graph-json")


ORDERS = [("A", []), ("B", ["A"]), ("C", ["A"]), ("D", ["B", "C"])]


STEPS_KEYS = ("steps", "tasks", "plan", "nodes")
ID_KEYS = ("id", "task_id", "step_id", "number", "step_number", "step", None)
NAME_KEYS = ("name", "label", "title", "task", "action", "step", "description", "instruction", "text")
NEEDS_KEYS = ("depends_on", "dependsOn", "needs", "after", "dependencies", "prerequisites")


@pytest.mark.parametrize("steps_key", STEPS_KEYS)
def test_every_spelling_of_the_keys_gives_the_same_graph(steps_key):
    number = {name: place for place, (name, _) in enumerate(ORDERS, start=1)}
    for id_key, name_key, needs_key in product(ID_KEYS, NAME_KEYS, NEEDS_KEYS):
        if id_key == name_key:
            continue
        steps = [
            {name_key: name, needs_key: [number[need] for need in needs], **({id_key: number[name]} if id_key else {})}
            for name, needs in ORDERS
        ]
        for data in ({steps_key: steps}, {"workflow": {steps_key: steps}}):
            workflow = read(data).workflow
            own = {task.id: task.name for task in workflow.tasks}
            assert names(workflow) == ["A", "B", "C", "D"], (id_key, name_key, needs_key)
            assert {(own.get(link.source), own.get(link.target)) for link in workflow.links} == {
                (None, "A"),
                *((need, name) for name, needs in ORDERS for need in needs),
                ("D", None),
            }, (id_key, name_key, needs_key)
            assert not any(task.description or task.action for task in workflow.tasks)


BUILD, TEST, DEPLOY = "Build the image", "Test the image", "Deploy it to staging"


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        (json.dumps([BUILD, TEST, DEPLOY]), ""),
        (json.dumps([BUILD, TEST, DEPLOY]), ".json"),
        (f"- {BUILD}\n- {TEST}\n- {DEPLOY}\n", ".yaml"),
        (json.dumps({"plan": [BUILD, TEST, DEPLOY]}), ""),
        (f"steps:\n- {BUILD}\n- name: {TEST}\n- {{id: 3, description: {DEPLOY}}}\n", ".yaml"),
        (
            json.dumps(
                {
                    "goal": "g",
                    "tasks": [
                        {"step": place, "action": name} for place, name in enumerate([BUILD, TEST, DEPLOY], start=1)
                    ],
                }
            ),
            "",
        ),
        (json.dumps([{"step": name} for name in (BUILD, TEST, DEPLOY)]), ""),
    ],
)
def test_a_list_without_dependencies_runs_in_its_order(text, suffix):
    reading = read_text(text, f"x{suffix}")
    ids = [task.id for task in reading.workflow.tasks]
    assert (reading.format, names(reading.workflow)) == ("graph-json", [BUILD, TEST, DEPLOY])
    assert links(reading.workflow) == [(START, ids[0]), (ids[0], ids[1]), (ids[1], ids[2]), (ids[2], END)]
    assert [note.message for note in reading.diagnostics] == [
        "no step has dependencies, so the steps run in the order of the list"
    ]


def test_one_step_with_dependencies_makes_all_others_independent():
    assert links(read({"steps": ["A", "B", {"name": "C", "needs": "A"}]}).workflow) == [
        (START, "A"),
        (START, "B"),
        ("A", "C"),
        ("B", END),
        ("C", END),
    ]


def test_of_several_lists_the_one_with_dependencies_is_read():
    data = {"nodes": ["x"], "tasks": [{"id": "a"}, {"id": "b", "needs": ["a"]}]}
    assert names(read(data).workflow) == ["a", "b"]
    assert names(read(data | {"edges": []}).workflow) == ["x"]


def test_bullets_with_a_colon_are_names_with_descriptions():
    workflow = read_text(f"- {BUILD}: one per region\n- {TEST}\n", "x.yaml").workflow
    assert [(task.name, task.description) for task in workflow.tasks] == [(BUILD, "one per region"), (TEST, "")]


def test_an_id_is_no_text_where_there_is_a_description():
    """Renamed ids with their references change nothing that is compared."""
    own = ["one", "two", "three"]
    texts = [BUILD, TEST, DEPLOY]

    def plan(ids):
        return read(
            {
                "tasks": [
                    {"id": id_, "description": text, "depends_on": [ids[place - 1]] if place else []}
                    for place, (id_, text) in enumerate(zip(ids, texts, strict=True))
                ]
            }
        ).workflow

    golden = plan(own)
    assert names(golden) == texts
    assert review(compare(golden, plan(["x9", "x8", "x7"]), StaticEmbedder())) == ()
    assert review(compare(golden, golden.model_copy(update={"tasks": golden.tasks[:2]}), StaticEmbedder()))


def test_what_is_not_the_name_is_the_description():
    (task,) = read([{"title": "Build", "instruction": "One image per region", "action": "make image"}]).workflow.tasks
    assert (task.name, task.description, task.action) == ("Build", "One image per region", "make image")
    (task,) = read([{"action": "search", "description": "Find flights", "id": "a"}]).workflow.tasks
    assert (task.id, task.name, task.description, task.action) == ("a", "search", "Find flights", None)


def test_numbers_mean_positions_only_if_no_step_has_an_id():
    steps = [{"name": "A"}, {"name": "B", "needs": [1]}, {"name": "B", "needs": "2"}]
    assert ("A", "B") in links(read({"steps": steps}).workflow)
    steps[0]["id"] = "first"
    assert ("1", "B") in links(read({"steps": steps}).workflow)  # a check reports that there is no step 1


def test_equal_names_in_a_list_are_different_steps():
    workflow = read(["Wait", "Deploy", "Wait"]).workflow
    assert len({task.id for task in workflow.tasks}) == 3
    assert names(workflow) == ["Wait", "Deploy", "Wait"]


@pytest.mark.parametrize(
    "data",
    [
        {"steps": [{"script": "make"}]},
        {"steps": ["Build", ""]},
        {"steps": []},
        {"nodes": ["a", "b"]},
        {"tasks": [{"id": 1}, {"id": 2}]},
        {"plan": [{"step": 1}]},
        {"plan": [{"name": "a", "steps": ["b"]}]},
        {"steps": {"a": {}}},
        {"services": ["a"]},
        [{"hosts": "all", "name": "a", "tasks": [{"name": "b"}]}],
        [[1, 2]],
        [],
    ],
)
def test_other_lists_are_not_guessed_to_be_steps(data):
    with pytest.raises(FormatError, match=r"no format recognises the content|a file of Ansible"):
        read_data(data, "x")


def test_too_many_tasks():
    with pytest.raises(FormatError, match="20,001 tasks"):
        read_data({"nodes": list(range(20_001)), "edges": []}, "x")


IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4).filter(
    lambda own: own not in {START, END, "__start__", "__end__"}
)


@given(st.data())
def test_round_trip(data):
    ids = data.draw(st.lists(IDS, min_size=1, max_size=5, unique=True))
    tasks = tuple(
        Task(
            id=own,
            name=data.draw(IDS),
            description=data.draw(st.text("ab", max_size=2)),
            critical=data.draw(st.booleans()),
            action=data.draw(st.none() | st.just("run")),
            params=data.draw(st.dictionaries(st.text("pq", min_size=1), st.integers() | st.lists(st.text("x")))),
        )
        for own in ids
    )
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=6))
    pairs = [(START, ids[0]), *pairs, (ids[-1], END)]
    workflow = Workflow(
        name=data.draw(st.text("n")), tasks=tasks, links=tuple(Link(source=a, target=b) for a, b in pairs)
    )
    text = write(workflow, "graph-json")
    assert read_data(json.loads(text), "x").workflow == workflow


def test_the_outputs_of_a_switch_of_node_red_are_branches():
    nodes = [
        {"id": "a", "type": "switch", "name": "Hot?", "wires": [["b"], ["c"]]},
        {"id": "b", "type": "http request", "name": "Close the valve", "wires": [[]]},
        {"id": "c", "type": "function", "name": "Log", "wires": [["b"], ["d"]]},
        {"id": "d", "type": "debug", "name": "Show", "wires": []},
    ]
    guards = {(link.source, link.target): link.guard for link in read_data(nodes, "flow").workflow.links}
    said = {ends: guard and guard.expr for ends, guard in guards.items() if "START" not in ends and "END" not in ends}
    assert said == {("a", "b"): "output 1", ("a", "c"): "output 2", ("c", "b"): None, ("c", "d"): None}


def test_the_name_of_a_node_of_langflow_is_its_display_name():
    nodes = [
        {"id": f"{kind}-x1", "data": {"type": kind, "node": {"display_name": name}}}
        for kind, name in (("ChatInput", "Chat Input"), ("Prompt", "Refund prompt"))
    ]
    flow = {"name": "Bot", "data": {"nodes": nodes, "edges": [{"source": "ChatInput-x1", "target": "Prompt-x1"}]}}
    assert [task.name for task in read_data(flow, "flow").workflow.tasks] == ["Chat Input", "Refund prompt"]


def test_a_graph_inside_a_node_is_compared_as_its_values():
    def flow(source, target):
        group = {"nodes": [{"id": "x", "name": "Back up"}, {"id": "y", "name": "Wipe"}]}
        group["edges"] = [{"source": source, "target": target}]
        nodes = [{"id": "a", "name": "Build"}, {"id": "b", "name": "Run the group", "group": group}]
        return read_data({"nodes": nodes, "edges": [["a", "b"]]}, "flow").workflow

    found = review(compare(flow("x", "y"), flow("y", "x"), StaticEmbedder()))
    assert [finding.id for finding in found if finding.severity == "error"] == ["WR107", "WR107"]
