"""Plans as language models print them: each is read right, or the error names the one key."""

import json

import pytest

from wfgate.compare import compare
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder
from wfgate.model import END, START
from wfgate.read import FORMATS, document_of, read_text
from wfgate.rules import review

BUILD, TEST = "Build the image", "Test the image"
CHAIN = (("Build the image", "Test the image"), [(BUILD, TEST)])

STEPS = [{"id": "a", "name": BUILD}, {"id": "b", "name": TEST}]
AFTER = [STEPS[0], STEPS[1] | {"depends_on": ["a"]}]


def after(key, value, first=()):
    """Two steps, the second with a key that says that it follows the first."""
    return [STEPS[0] | dict(first), STEPS[1] | {key: value}]


SHAPES = {
    "a list of texts": [BUILD, TEST],
    "steps: texts": {"steps": [BUILD, TEST]},
    "plan: texts": {"plan": [BUILD, TEST]},
    "workflow: texts": {"workflow": [BUILD, TEST]},
    "steps: name and depends_on": {"steps": [{"name": BUILD}, {"name": TEST, "depends_on": [BUILD]}]},
    "tasks: id, description and depends_on": {
        "tasks": [{"id": 1, "description": BUILD}, {"id": 2, "description": TEST, "depends_on": [1]}]
    },
    "step numbers": {"plan": [{"step": 1, "description": BUILD}, {"step": 2, "description": TEST}]},
    "step_id and step_name": {"steps": [{"step_id": 1, "step_name": BUILD}, {"step_id": 2, "step_name": TEST}]},
    "task_name": {"tasks": [{"task_name": BUILD}, {"task_name": TEST, "dependencies": [BUILD]}]},
    "tools with arguments": {"plan": [{"tool": BUILD, "args": {"tag": 1}}, {"tool": TEST, "args": {}}]},
    "functions": [{"function": BUILD, "arguments": {}}, {"function": TEST, "arguments": {}}],
    "actions": {"actions": [{"name": BUILD}, {"name": TEST}]},
    "subtasks with a goal": {"goal": "Release", "subtasks": AFTER},
    "jobs as a list": {"jobs": [{"name": BUILD}, {"name": TEST, "needs": [BUILD]}]},
    "stages": {"name": "Release", "stages": [{"name": BUILD}, {"name": TEST}]},
    "phases with steps": {"phases": [{"name": "One", "steps": [BUILD]}, {"name": "Two", "steps": [{"name": TEST}]}]},
    "step1, step2": {"step1": BUILD, "step2": {"name": TEST}},
    "numbers as keys": {"1": BUILD, "2": TEST},
    "a mapping of steps": {"steps": {"a": {"description": BUILD}, "b": {"description": TEST, "depends_on": "a"}}},
    "workflow with nodes and edges": {"workflow": {"nodes": STEPS, "edges": [{"from": "a", "to": "b"}]}},
    "workflow beside other keys": {"name": "Release", "version": 1, "workflow": {"steps": AFTER}},
    "a workflow in a result": {"result": {"workflow": {"steps": AFTER}}},
    "upstream (Airflow)": [
        {"task_id": BUILD, "operator": "BashOperator", "upstream": []},
        {"task_id": TEST, "operator": "BashOperator", "upstream": [BUILD]},
    ],
    "upstream_task_ids": {"dag_id": "x", "tasks": after("upstream_task_ids", ["a"], {"upstream_task_ids": []})},
    "downstream": {"tasks": [STEPS[0] | {"downstream": ["b"]}, STEPS[1] | {"downstream": []}]},
    "requires": {"steps": after("requires", ["a"])},
    "predecessors": {"steps": after("predecessors", "a")},
    "dep (TaskBench)": [{"task": BUILD, "id": 0, "dep": [-1]}, {"task": TEST, "id": 1, "dep": [0]}],
    "depends_on as a text with a comma": {"steps": [*STEPS, {"id": "c", "name": "C", "depends_on": "a, b"}]},
    "depends_on None": {"steps": after("depends_on", ["a"], {"depends_on": "None"})},
    "depends_on as mappings": {"steps": after("depends_on", [{"id": "a"}])},
    "next": {"steps": [STEPS[0] | {"next": "b"}, STEPS[1] | {"next": None}]},
    "next_steps": {"steps": [STEPS[0] | {"next_steps": ["b"]}, STEPS[1] | {"next_steps": ["END"]}]},
    "connections": {"nodes": STEPS, "connections": [{"source": "a", "target": "b"}]},
    "transitions": {"states": STEPS, "transitions": [{"from": "a", "to": "b"}]},
    "dependencies as edges": {"tasks": STEPS, "dependencies": [{"from": "a", "to": "b"}]},
    "dependencies as a mapping": {"tasks": STEPS, "dependencies": {"b": ["a"]}},
    "edges with ids of other names": {"nodes": STEPS, "edges": [{"source_id": "a", "target_id": "b"}]},
    "edges with arrows": {"nodes": [BUILD, TEST], "edges": [f"{BUILD} -> {TEST}"]},
    "edges of texts under steps": {"steps": [BUILD, TEST], "edges": [[BUILD, TEST]]},
}

COMMA = ((BUILD, TEST, "C"), [(BUILD, "C"), (TEST, "C")])


def graph(text, name):
    """Return the names of the steps, and the links between steps by their names."""
    workflow = read_text(text, name).workflow
    own = {task.id: task.name for task in workflow.tasks}
    links = [
        (own[link.source], own[link.target]) for link in workflow.links if link.source != START and link.target != END
    ]
    return tuple(task.name for task in workflow.tasks), links


@pytest.mark.parametrize("shape", SHAPES)
def test_json_is_read_alone_in_a_fence_and_in_prose(shape):
    text = json.dumps(SHAPES[shape], indent=1)
    expected = COMMA if "comma" in shape else CHAIN
    assert graph(text, "x.json") == expected
    assert graph(f"Here it is:\n\n```json\n{text}\n```\n\nTell me more.\n", "x.md") == expected
    assert graph(f"Here it is:\n\n{text}\n\nTell me more.\n", "x.txt") == expected


@pytest.mark.parametrize(
    "text",
    [
        f"- {BUILD}\n- {TEST}\n",
        f"* {BUILD}\n* {TEST}\n",
        f"1. {BUILD}\n2. {TEST}\n",
        f"1) {BUILD}\n2) {TEST}\n",
        f"Step 1: {BUILD}\nStep 2: {TEST}\n",
        f"**Step 1: {BUILD}**\n\n**Step 2: {TEST}**\n",
        f"## Step 1: {BUILD}\n\n## Step 2: {TEST}\n",
        f"- [ ] {BUILD}\n- [ ] {TEST}\n",
        f"Sure! Here is the plan:\n\n1. {BUILD}\n2. {TEST}\n\nLet me know.\n",
        f"```yaml\nsteps:\n  - name: {BUILD}\n  - name: {TEST}\n    depends_on: {BUILD}\n```\n",
        f"```mermaid\nflowchart TD\n  a[{BUILD}] --> b[{TEST}]\n```\n",
    ],
)
def test_texts_are_read(text):
    assert graph(text, "x.md") == CHAIN


def test_a_place_in_a_rewritten_plan_is_its_place_in_the_file():
    text = json.dumps({"result": {"workflow": {"b": 0, "actions": [{"tool": BUILD}, {"tool": TEST}]}}}, indent=1)
    workflow = read_text(text, "x.json").workflow
    assert [task.span.line for task in workflow.tasks] == [6, 9]
    text = json.dumps({"workflow": [STEPS[0] | {"next": "b"}, STEPS[1]]}, indent=1)
    (link,) = [link for link in read_text(text, "x.json").workflow.links if link.source == "a"]
    assert text.splitlines()[link.span.line - 1].strip() == '"next": "b"'


def test_conditions_of_successors_are_guards():
    data = {
        "steps": [{"id": "a", "name": "Check", "next": {"yes": "b", "no": "c"}}, *[{"id": x, "name": x} for x in "bc"]]
    }
    workflow = read_text(json.dumps(data), "x.json").workflow
    assert [(link.target, link.guard.expr) for link in workflow.links if link.source == "a"] == [
        ("b", "yes"),
        ("c", "no"),
    ]


def test_a_key_is_a_dependency_only_if_its_values_are_steps():
    data = {"steps": [{"name": BUILD, "requires": ["python"]}, {"name": TEST, "requires": ["pytest"], "next": "May"}]}
    assert graph(json.dumps(data), "x.json") == CHAIN
    workflow = read_text(json.dumps(data), "x.json").workflow
    assert workflow.tasks[1].raw == {"name": TEST, "requires": ["pytest"], "next": "May"}


def test_other_ids_and_keys_change_nothing_that_is_compared():
    golden = read_text(json.dumps({"tasks": AFTER}), "x.json").workflow
    renamed = [{"id": "x", "name": BUILD}, {"id": "y", "name": TEST, "upstream": "x"}]
    for data in ({"workflow": renamed}, {"steps": [renamed[0] | {"next": ["y"]}, {"id": "y", "name": TEST}]}):
        candidate = read_text(json.dumps(data), "x.json").workflow
        assert review(compare(golden, candidate, StaticEmbedder())) == ()
    swapped = {"workflow": [renamed[0] | {"upstream": "y"}, {"id": "y", "name": TEST}]}
    assert review(compare(golden, read_text(json.dumps(swapped), "x.json").workflow, StaticEmbedder()))


LACKING = [
    ({"items": [BUILD, TEST]}, 2, 2, "the key of its list, `items`, is not known", "write `steps` instead of `items`"),
    ({"nodes": STEPS}, 2, 2, "there are `nodes`, but no `edges`", "add `edges: [[from, to]]`"),
    ({"tasks": [{"id": 1}, {"id": 2}]}, 3, 3, "the step has no name", "add `name`"),
    ({"steps": [{"run": "make"}]}, 3, 3, "the step has neither a name nor an id", "add `name`"),
    ({"steps": {"a": {"run": "make"}}}, 2, 2, "`steps` must be a list of steps, not a mapping", "write a list under"),
    ({"plan": [{"name": "a", "steps": ["b"]}]}, 5, 4, "the step has a list `steps`, which is not read", "`phases: [{"),
]


@pytest.mark.parametrize(("data", "line", "column", "message", "fix"), LACKING)
def test_the_error_names_the_one_key(data, line, column, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(json.dumps(data, indent=1), "x.json")
    assert f"it is most like a graph, but {message}" in caught.value.message
    assert fix in caught.value.fix
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    "data",
    [
        {
            "on": "push",
            "jobs": {"a": {"name": "A", "steps": [{"run": "x"}]}, "b": {"needs": "a", "steps": [{"run": "x"}]}},
        },
        {"stages": ["build"], "a": {"stage": "build", "script": ["make"]}},
        {
            "nodes": [{"name": "A", "type": "x"}, {"name": "B", "type": "x"}],
            "connections": {"A": {"main": [[{"node": "B"}]]}},
        },
        {"apiVersion": "v1", "kind": "List", "items": [{"name": "a"}, {"name": "b"}]},
        {"language": "python", "stages": ["build", "test"], "script": ["make"]},
        {"id": "x", "states": [{"name": "a", "type": "inject", "transition": "b"}, {"name": "b", "type": "inject"}]},
    ],
)
def test_files_of_other_tools_are_no_plans(data):
    assert not FORMATS["graph-json"].recognises(document_of(json.dumps(data), "x.json"))


def serious(was, now):
    """The messages of the findings that are errors or warnings."""
    both = [read_text(json.dumps(plan), "plan.json").workflow for plan in (was, now)]
    return [
        found.message for found in review(compare(*both, StaticEmbedder())) if found.severity in {"error", "warning"}
    ]


def test_metadata_of_a_plan_has_no_effect():
    plan = {
        "plan_id": "p-1",
        "created_at": "2025-06-01",
        "model": "a",
        "confidence": 0.9,
        "tokens_used": 8,
        "steps": AFTER,
    }
    other = plan | {"plan_id": "p-2", "created_at": "2025-07-01", "model": "b", "confidence": 0.7, "tokens_used": 9}
    assert serious(plan, other) == serious({"steps": AFTER}, other) == []
    steps = [step | {"model": "a"} for step in AFTER]
    assert serious({"steps": steps}, {"steps": [step | {"model": "b"} for step in steps]}) != []
    assert serious({"budget": 8, **plan}, {"budget": 9, **plan}) != []


def test_the_name_of_a_plan_may_be_under_an_outer_key():
    plans = [
        {"name": "Release", "steps": AFTER},
        {"workflow": {"name": "Release", "steps": AFTER}},
        {"workflow": {"name": "Release"}, "steps": AFTER},
        {"workflow": "Release", "steps": AFTER},
    ]
    assert [serious(plans[0], plan) for plan in plans] == [[]] * len(plans)
