"""Every record of the corpora is read, with exactly the diagnostics that are known."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.model import TaskGraph
from wfgate.read import read_data, read_text, write

CORPORA = Path(__file__).parents[3] / "calibration" / "corpora"
EVERY = 5
"""Every which record is also written and read again: records of a corpus have the same shape."""


def records(name):
    with (CORPORA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bare(workflow):
    return workflow.model_dump(
        exclude={"tasks": {"__all__": {"span"}}, "links": {"__all__": {"span"}}, "data_links": {"__all__": {"span"}}}
    )


KNOWN = [
    (
        "worfbench/goldens.jsonl",
        "worfbench",
        1344,
        {
            "text between or after the edges": 24,
            "text between nodes and edges": 16,
        },
    ),
    (
        "processtbench/goldens.jsonl",
        "graph-json",
        359,
        {
            "passes data, but the two nodes have no task link": 110,
            "is listed twice": 12,
            "refers to a node that does not exist": 7,
        },
    ),
    (
        "processtbench/regenerations.jsonl",
        "graph-json",
        1809,
        {"is read as an input": 185, "refers to a tool that is not in the plan": 18},
    ),
    ("ops/ops.jsonl", "graph-json", 52, {}),
]


@pytest.mark.parametrize(("name", "format_id", "count", "notes"), KNOWN)
def test_every_record_is_read(name, format_id, count, notes):
    read = [read_data(record, record["id"]) for record in records(name)]
    assert Counter(reading.format for reading in read) == {format_id: count}
    said = [note.message for reading in read for note in reading.diagnostics]
    found = {part: sum(part in message for message in said) for part in notes}
    assert found == notes
    assert sum(found.values()) == len(said)
    assert all(reading.workflow.tasks and reading.workflow.links for reading in read)


@pytest.mark.parametrize("name", [name for name, *_ in KNOWN])
@pytest.mark.slow
def test_text_and_data_and_native_give_the_same_workflow(name):
    for record in records(name)[::EVERY]:
        workflow = read_data(record, "x").workflow
        assert bare(read_text(json.dumps(record), "x").workflow) == bare(workflow)
        assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


@pytest.mark.slow
def test_worfbench_round_trip():
    for record in records("worfbench/goldens.jsonl"):
        workflow = read_data(record, "x").workflow
        again = read_text(write(workflow, "worfbench"), "x").workflow
        tasks = [task.model_copy(update={"name": " ".join(task.name.split())}) for task in workflow.tasks]
        assert bare(again) == bare(workflow.model_copy(update={"description": "", "tasks": tuple(tasks)}))


def test_ops_critical_steps():
    for record in records("ops/ops.jsonl"):
        workflow = read_data(record, "x").workflow
        assert [int(task.id) for task in workflow.tasks if task.critical] == sorted(record["critical"])
        assert not TaskGraph.of(workflow).cycles
