"""WorFBench text: the ways in which models write it, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Loop, Task, Workflow
from wfgate.read import Document, read_data, read_text, write
from wfgate.read.formats.worfbench import WorfbenchFormat

NODES = "Node:\n1: Build\n2: Test\n"
EDGES = "Edge: (START,1) (1,2) (2,END)\n"
FLOW = [(START, "1"), ("1", "2"), ("2", END)]


def parts(text):
    reading = read_text(text, "x", "worfbench")
    workflow = reading.workflow
    return (
        [(task.id, task.name) for task in workflow.tasks],
        [(link.source, link.target) for link in workflow.links],
        [(note.severity, note.line) for note in reading.diagnostics],
    )


SAME = [
    NODES + EDGES,
    "Nodes:\n1. Build\n2. Test\nEdges: (START,1), (1,2), (2,END)",
    "Nodes:\r\n1) Build\r\n2) Test\r\nEdges:\r\n(START,1)\r\n(1,2)\r\n(2,END)\r\n",
    "**Node:**\n1: Build\n\n2: Test\n\n**Edge:** (START, 1) (1, 2) (2, END)",
    "node:\nNode 1: Build\nNode 2: Test\nedge:\n- (Start, 1)\n- (1, 2)\n- (2, End)\n",
    "Node:\n01: Build\n02: Test\nGraph:\nEdge: (START,01) (1,02); (2,END)",
    "Node: 1: Build\n2: Test\n- **Edge:** (START, 1)\n- **Edge:** (1, 2)\n- Edge (2, END)\n",
    "## Nodes:\n1: Build\n2: Test\n## Edges:\n(Node 1, Node 2) (START, Node 1) (Node 2, END)",
    "```\n" + NODES + EDGES + "```\n",
]


@pytest.mark.parametrize("text", SAME)
def test_the_same_workflow_in_many_hands(text):
    tasks, links, notes = parts(text)
    assert tasks == [("1", "Build"), ("2", "Test")]
    assert sorted(links) == sorted(FLOW)
    assert notes == []


def test_nodes_over_several_lines():
    tasks, _, notes = parts("Node:\n1: Build\n  the image\n2: Test\nit well\n2.5 times\nEdge: (START,1) (1,2) (2,END)")
    assert tasks == [("1", "Build the image"), ("2", "Test it well 2.5 times")]
    assert notes == []


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Sure, here it is.\n" + NODES + EDGES, [("warning", 1)]),
        (NODES + EDGES + "\nThis shows the order (see above).\n", [("warning", 6)]),
        (NODES + "For this task we get:\n\n" + EDGES, [("warning", 3)]),
        (NODES + "\nFor this task we get:\n" + EDGES, [("warning", 5)]),
        (NODES + "We go:\n\n1. **Build** first\n\n2. **Test** then\n\n" + EDGES, [("warning", 3)]),
        (NODES + "Graph: as follows\n" + EDGES, [("warning", 4)]),
        (NODES + "Edge:\n(START,1) begins\n(1,2) goes on\n(2,END) ends\n", [("warning", 5)]),
        (NODES + "Edge: (START,1) (1,2) (2,END) (all in a row)\n", [("warning", 4)]),
    ],
)
def test_text_around_the_lists_is_said_not_to_be_read(text, notes):
    tasks, links, found = parts(text)
    assert [name for _, name in tasks] == ["Build", "Test"]
    assert links == FLOW
    assert found == notes


def test_broken_graphs_are_read():
    tasks, links, _ = parts("Node:\n1: A\n1: B\n2: C\nEdge: (START,1) (1,1) (2,7) (2,7) (7,END)")
    assert tasks == [("1", "A"), ("1", "B"), ("2", "C")]
    assert links == [(START, "1"), ("1", "1"), ("2", "7"), ("2", "7"), ("7", END)]
    assert parts("Node:\nEdge:\n") == ([], [], [])


def test_positions():
    workflow = read_text("Node:\n 1: Build\nEdge: (START,1)  (1,END)", "x").workflow
    assert (workflow.tasks[0].span.line, workflow.tasks[0].span.column) == (2, 2)
    assert [(link.span.line, link.span.column) for link in workflow.links] == [(3, 7), (3, 18)]


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "fix"),
    [
        ("1: A\n2: B", 1, 1, "no node list", "`Node:`"),
        (NODES, 4, 1, "no edge list", "`Edge:`"),
        (NODES + "Edge:\n", 5, 1, "edge list is empty", "(START,1)"),
        (NODES + "Edge: none\n", 5, 1, "edge list is empty", "(START,1)"),
        ("Node:\nEdge: (START,1)", 2, 1, "node list is empty", "numbered lines"),
        (NODES + "Edge: (START,1) (1,2", 4, 17, "no closing bracket", "truncated"),
        (NODES + "Edge: (START,1) (1,2,END)", 4, 17, "(1,2,END) is not a pair of nodes", "(1,2)"),
        (NODES + "Edge: (START,1) (1,x)", 4, 17, "(1,x) is not a pair of nodes", "(1,2)"),
        (NODES + "Edge: (1->2)", 4, 7, "(1->2) is not a pair of nodes", "(1,2)"),
        (NODES + "Edge: (1,-2)", 4, 7, "(1,-2) is not a pair of nodes", "(1,2)"),
        (NODES + EDGES + NODES + EDGES, 5, 1, "second node list", "one workflow"),
    ],
)
def test_refused(text, line, column, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, "bad.txt", "worfbench")
    error = caught.value
    assert message in error.message
    assert (error.path, error.line, error.column) == ("bad.txt", line, column)
    assert fix in (error.fix or "")


def test_a_record_keeps_its_task_as_description():
    reading = read_data({"id": "7", "source": "s", "task": "Ship", "workflow": NODES + EDGES, "model": "m"}, "x")
    assert reading.format == "worfbench"
    assert reading.workflow.description == "Ship"
    assert reading.workflow.raw["model"] == "m"
    with pytest.raises(FormatError, match="no node list"):
        read_data({"id": "7"}, "x", "worfbench")


def benchmark_record(text=NODES + EDGES, **more):
    """Return a record as in the benchmark's own files."""
    turns = [
        {"role": "system", "content": "Keep your output in format:\nNode:\n1.{subtask_1}\nEdges:\n(START,1)"},
        {"role": "user", "content": "Heat an apple."},
        {"role": "assistant", "content": text},
    ]
    return {"source": "alfworld", "conversations": turns, "target": "graph", "id": "a_1", "category": "eval", **more}


def parts_of(workflow):
    names = [(task.id, task.name) for task in workflow.tasks]
    return names, [(link.source, link.target) for link in workflow.links], workflow.description, workflow.raw


def test_a_record_of_the_benchmark_is_its_last_answer():
    flat = read_data({"id": "a_1", "source": "alfworld", "task": "Heat an apple.", "workflow": NODES + EDGES}, "x")
    for data in (benchmark_record(), [benchmark_record()]):
        reading = read_text(json.dumps(data), "x.json")
        assert (reading.format, reading.diagnostics) == ("worfbench", ())
        assert parts_of(reading.workflow) == parts_of(flat.workflow)
    assert read_data(benchmark_record(model="m"), "x").workflow.raw["model"] == "m"


def test_a_record_of_the_benchmark_has_the_position_of_its_answer():
    text = json.dumps(benchmark_record(), indent=1)
    line = text[: text.index('"content": "Node:')].count("\n") + 1
    assert read_text(text, "x.json").workflow.tasks[0].span.line == line
    with pytest.raises(FormatError, match=r"\(1,x\) is not a pair of nodes") as caught:
        read_text(json.dumps(benchmark_record(NODES + "Edge: (START,1) (1,x)"), indent=1), "x.json")
    assert caught.value.line == line


def test_a_file_of_several_records_is_refused():
    with pytest.raises(FormatError, match="the file has 2 records") as caught:
        read_text(json.dumps([benchmark_record(), benchmark_record("no workflow")]), "x.json")
    assert "--pairs" in caught.value.fix
    assert caught.value.column > 1


@pytest.mark.parametrize(
    "turns",
    [
        [],
        "text",
        [{"role": "user", "content": NODES + EDGES}],
        [{"role": "assistant", "content": NODES + EDGES}, {"role": "assistant", "content": "Sorry."}],
        [{"role": "assistant"}, 7, {"role": ["assistant"], "content": NODES}],
    ],
)
def test_a_conversation_without_a_workflow_is_no_record(turns):
    with pytest.raises(FormatError):
        read_data({"source": "s", "conversations": turns}, "x")


def test_a_record_in_a_file_has_the_position_of_its_text():
    reading = read_text('{"id": "7",\n "workflow": "Node:\\n1: A\\nEdge: (START,1)"}', "x.json")
    assert reading.workflow.tasks[0].span.line == 2


@given(st.lists(st.text("ab :.(),1\nEN", min_size=1).filter(str.strip), min_size=1, max_size=6), st.data())
def test_round_trip(names, data):
    ids = [str(number) for number in range(1, len(names) + 1)]
    ends = st.sampled_from([*ids, str(len(ids) + 1)])
    pairs = data.draw(st.lists(st.tuples(ends | st.just(START), ends | st.just(END)), min_size=1, max_size=8))
    workflow = Workflow(
        tasks=tuple(Task(id=own, name=" ".join(name.split())) for own, name in zip(ids, names, strict=True)),
        links=tuple(Link(source=source, target=target) for source, target in pairs),
    )
    text = write(workflow, "worfbench")
    reading = read_text(text, "x", "worfbench")
    again = reading.workflow
    assert [(task.id, task.name) for task in again.tasks] == [(task.id, task.name) for task in workflow.tasks]
    assert [(link.source, link.target) for link in again.links] == pairs
    assert not reading.diagnostics


TASK = Task(id="a", name="A")
LINK = Link(source=START, target="a")


@pytest.mark.parametrize("format_id", ["worfbench", "graph-json"])
@pytest.mark.parametrize(
    ("workflow", "named"),
    [
        (Workflow(tasks=(TASK,), links=(LINK,), gateways=(Gateway(id="g", op="AND"),)), "the gateway 'g'"),
        (Workflow(tasks=(TASK,), links=(LINK,), subworkflows=(Workflow(name="s"),)), "the sub-workflow 's'"),
        (Workflow(tasks=(TASK,), links=(LINK.model_copy(update={"guard": Guard(expr="x")}),)), "the guard"),
        (Workflow(tasks=(TASK,), links=(LINK.model_copy(update={"outcome": "failure"}),)), "the outcome 'failure'"),
        (Workflow(tasks=(TASK,), links=(LINK.model_copy(update={"back": True}),)), "the loop mark"),
        (Workflow(tasks=(TASK.model_copy(update={"loop": Loop(mode="while")}),), links=(LINK,)), "the loop of task"),
    ],
)
def test_what_bare_graphs_cannot_hold_is_named(workflow, named, format_id):
    with pytest.raises(FormatError, match="cannot express") as caught:
        write(workflow, format_id)
    assert named in caught.value.message
    assert caught.value.fix == "use the native format"


def test_attributes_and_data_are_left_out_as_documented():
    task = TASK.model_copy(update={"description": "d", "params": {"p": 1}})
    flow = DataLink(source="a", target="a", data="x")
    assert write(Workflow(tasks=(task,), links=(LINK,), data_links=(flow,)), "worfbench") == (
        "Node:\n1: A\nEdge: (START,1)\n"
    )


def test_recognised_by_both_lists():
    form = WorfbenchFormat()
    assert form.recognises(Document("x", NODES + EDGES))
    assert not form.recognises(Document("x", NODES))
    assert not form.recognises(Document("x", EDGES + NODES))
    assert not form.recognises(Document("x", "A node: here\nEdges matter."))
