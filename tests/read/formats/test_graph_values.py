"""Graph records and WorFBench records: every value belongs to an element, has a class, and is compared."""

import json
from pathlib import Path

import pytest

from tests.read.formats.format_values import leaves
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, read_data
from wfgate.rules import review

CORPORA = Path(__file__).parents[3] / "calibration" / "corpora"
CHECKS = {"WR107", "WR502"}
RECORDS = (
    "ops/ops.jsonl",
    "processtbench/goldens.jsonl",
    "processtbench/regenerations.jsonl",
    "worfbench/goldens.jsonl",
)
ANNOTATIONS = {
    "bad_regeneration",
    "domain",
    "drifts",
    "extras",
    "merges",
    "paraphrase_a",
    "paraphrase_b",
    "regeneration",
    "vague",
}
"""Keys of the project's own corpora, which are no part of any format."""


def records(name):
    return [json.loads(line) for line in (CORPORA / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", RECORDS)
def test_no_value_is_lost_and_every_path_has_one_class(name):
    for record in records(name)[::7]:
        workflow = read_data(record, "x").workflow
        table = consequences_of(workflow.format)
        elements = [element for element in workflow.elements if element.path is not None]
        found = []
        for element in elements:
            start = tuple(key for key in element.path if isinstance(key, str))
            found += [((*start, *where), repr(value)) for where, value in leaves(element.raw) if value not in ({}, [])]
        expected = [(where, repr(value)) for where, value in leaves(record) if value not in ({}, [])]
        assert sorted(found) == sorted(expected)
        for where in {where for where, _ in expected if where[0] not in ANNOTATIONS}:
            assert len({table.classes[pattern] for pattern in table.matching(where)}) == 1, where


def levels(golden, candidate):
    read = [read_data(data, "x").workflow for data in (golden, candidate)]
    return [finding.severity for finding in review(compare(*read, StaticEmbedder())) if finding.id in CHECKS]


GRAPH = {
    "name": "Release",
    "nodes": [
        {"id": 1, "name": "Build the package", "params": {"target": "all"}, "retries": 3, "position": {"x": 1}},
        {"id": 2, "name": "Run the tests", "type": "agent", "data": {"prompt": "Be careful"}},
        {"id": 3, "name": "Deploy the release", "details": "to staging"},
    ],
    "edges": [{"source": 1, "target": 2}, {"source": 2, "target": 3, "weight": 1}],
}
BENCH = {
    "id": "1",
    "task_nodes": [
        {"task": "Video-to-Audio", "arguments": ["example.mp4"]},
        {"task": "Audio Splicer", "arguments": ["<node-0>", "example.wav"]},
        {"task": "Audio Effects", "arguments": ["<node-1>", "add reverb"]},
    ],
    "task_links": [
        {"source": "Video-to-Audio", "target": "Audio Splicer"},
        {"source": "Audio Splicer", "target": "Audio Effects"},
    ],
}
PLAN = {
    "plans": [
        {
            "Video-to-Audio": {"arguments": ["example.mp4"]},
            "Audio Splicer": {"arguments": ["<Video-to-Audio>", "example.wav"]},
            "Audio Effects": {"arguments": ["<Audio Splicer>", "add reverb"]},
        }
    ]
}


LIST = [
    {"id": 1, "type": "llm_call", "name": "Draft the refund decision"},
    {"id": 2, "type": "human_approval", "name": "Approve the refund", "sample": "all", "task_steps": "two people"},
    {"id": 3, "type": "api_call", "name": "Send the refund"},
]
TEXTS = ["Draft the refund decision", "Restart the staging server", "Send the refund"]


def edited(data, was, now):
    text = json.dumps(data)
    assert text.count(was) == 1
    return json.loads(text.replace(was, now))


@pytest.mark.parametrize(
    ("data", "was", "now", "expected"),
    [
        (GRAPH, '"target": "all"', '"target": "docs"', ["error"]),
        (GRAPH, '"target": "all"', '"target": "All"', ["warning"]),
        (GRAPH, '"to staging"', '"to production"', ["error"]),
        (GRAPH, '"retries": 3', '"retries": 0', ["error"]),
        (GRAPH, '"retries": 3', '"retries": 3.0', []),
        (GRAPH, '"Be careful"', '"Be quick"', ["warning"]),
        (GRAPH, '"type": "agent"', '"type": "human"', ["error"]),
        (GRAPH, '"weight": 1', '"weight": 2', ["warning"]),
        (GRAPH, '"x": 1', '"x": 2', ["info"]),
        (GRAPH, '"name": "Release"', '"owner": "me", "name": "Release"', ["warning"]),
        (GRAPH, '"name": "Run the tests"', '"name": "Execute the tests"', []),
        (BENCH, '"example.wav"', '"other.wav"', ["warning"]),
        (BENCH, '"add reverb"', '"remove reverb"', ["error"]),
        (BENCH, '["example.mp4"]', "[]", ["warning"]),
        (BENCH, '"id": "1"', '"id": "2"', ["info"]),
        (PLAN, '"example.wav"', '"other.wav"', ["warning"]),
        (PLAN, '"add reverb"', '"Add  reverb"', ["warning"]),
        (BENCH | {"type": "chain"}, '"chain"', '"dag"', ["info"]),
        (GRAPH | {"type": "sequential"}, '"sequential"', '"parallel"', ["warning"]),
        (GRAPH | {"sample": "all"}, '"sample": "all"', '"sample": "none"', ["warning"]),
        (LIST, '"human_approval"', '"llm_call"', ["error"]),
        (LIST, '"sample": "all"', '"sample": "none"', ["error"]),
        (LIST, '"two people"', '"one person"', ["warning"]),
        (LIST, '"id": 2', '"id": 7', []),
        (LIST, '"Send the refund"', '"Transfer the refund"', []),
        (TEXTS, "Draft the refund decision", "Write a draft of the decision", []),
    ],
)
def test_a_changed_value(data, was, now, expected):
    assert levels(data, edited(data, was, now)) == expected


TODOS = {
    "tasks": [
        {"id": 1, "title": "Draft the schema", "status": "done", "priority": "high"},
        {"id": 2, "title": "Write the migration", "status": "pending", "subtasks": [{"id": 1, "status": "to-do"}]},
        {"id": 3, "title": "Review the security", "status": "pending", "depends_on": [2]},
    ]
}


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ('"done"', '"In Progress"', []),
        ('"to-do"', '"done"', []),
        ('"to-do"', '"cancelled"', ["error"]),
        ('"done"', '"cancelled"', ["error"]),
        ('"done"', '"deferred"', ["error"]),
        ('"high"', '"low"', ["warning"]),
    ],
)
def test_progress_is_no_change_and_an_end_of_the_work_is_one(was, now, expected):
    assert levels(TODOS, edited(TODOS, was, now)) == expected


TASKS = {
    "tasks": [
        {"id": 1, "title": "Set up", "dependencies": [], "status": "done", "subtasks": []},
        {
            "id": 2,
            "title": "Implement the login",
            "dependencies": [1],
            "status": "pending",
            "subtasks": [
                {
                    "id": 1,
                    "title": "Create the token model",
                    "dependencies": [],
                    "details": "hash",
                    "status": "pending",
                },
                {"id": 2, "title": "Send the e-mail", "dependencies": [1], "details": "retry", "status": "pending"},
                {"id": 3, "title": "Verify the token", "dependencies": [1], "details": "", "status": "pending"},
            ],
        },
    ]
}


@pytest.mark.parametrize(
    ("subtask", "changed", "expected"),
    [
        (0, {"status": "done"}, set()),
        (0, {"status": "cancelled"}, {"WR107"}),
        (1, {"details": "never retry"}, {"WR107"}),
        (1, {"dependencies": ["2.1"]}, set()),
        (2, {"id": 9}, set()),
        (2, {"dependencies": []}, {"WR204"}),
        (2, None, {"WR101"}),
    ],
)
def test_steps_inside_a_step_are_compared(subtask, changed, expected):
    candidate = json.loads(json.dumps(TASKS))
    inner = candidate["tasks"][1]["subtasks"]
    inner[subtask : subtask + 1] = [] if changed is None else [inner[subtask] | changed]
    read = [read_data(data, "x").workflow for data in (TASKS, candidate)]
    findings = review(compare(*read, StaticEmbedder()))
    assert {finding.id for finding in findings if finding.severity in {"error", "warning"}} == expected


def test_the_status_of_one_step_is_no_progress():
    ticket = {
        "steps": [{"name": "Draft the schema"}, {"name": "Build it"}, {"name": "Set the ticket", "status": "done"}]
    }
    assert levels(ticket, edited(ticket, '"done"', '"pending"')) == ["error"]


def test_other_ids_and_another_order_are_no_change():
    other = json.loads(json.dumps(GRAPH).replace('"id": ', '"id": 10').replace('"source": ', '"source": 10'))
    for edge in other["edges"]:
        edge["target"] += 100
    assert levels(GRAPH, other) == []
    assert levels(GRAPH, GRAPH | {"nodes": GRAPH["nodes"][::-1], "edges": GRAPH["edges"][::-1]}) == []
    turned = [2, 0, 1]
    nodes = [BENCH["task_nodes"][at] for at in turned]
    text = json.dumps(nodes).replace("<node-0>", "<node-a>").replace("<node-1>", "<node-2>").replace("-a>", "-1>")
    again = BENCH | {"task_nodes": json.loads(text), "task_links": BENCH["task_links"][::-1]}
    assert levels(BENCH, again) == []


def test_two_dialects_are_compared_in_the_terms_of_the_model():
    assert levels(BENCH, PLAN) == []
    assert levels(BENCH, edited(PLAN, '"example.wav"', '"other.wav"')) == ["warning"]


def test_keys_of_a_record_with_a_text_are_compared():
    record = {"task": "T", "workflow": "Node:\n1: Build\n2: Test\nEdge: (START,1) (1,2) (2,END)", "model": "m"}
    assert levels(record, record | {"model": "n"}) == ["warning"]
    assert levels(record, record | {"workflow": record["workflow"].replace("1: Build", "1:  Build")}) == []
