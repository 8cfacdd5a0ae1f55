"""`wfgate score` on two folders: means by scenario, size and number of links, chain beside graph."""

import json
from itertools import pairwise

import pytest

from .conftest import is_error, wfgate

STEPS = ["Collect the sales figures", "Draw a chart of revenue", "Ask the lead to approve", "Publish the report"]


def text(count: int, *, parallel: bool = False) -> str:
    """Return a WorFBench text of some steps, in a row, or all beside each other."""
    nodes = "".join(f"{number}: {STEPS[number - 1]}\n" for number in range(1, count + 1))
    row = ["START", *range(1, count + 1), "END"]
    pairs = list(pairwise(row))
    if parallel:
        pairs = [(one, other) for n in range(1, count + 1) for one, other in (("START", n), (n, "END"))]
    return f"Node:\n{nodes}Edge: {' '.join(f'({one},{other})' for one, other in pairs)}\n"


def record(source: str, answer: str) -> str:
    turns = [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": answer}]
    return json.dumps({"source": source, "conversations": turns})


@pytest.fixture
def folders(tmp_path):
    """Three goldens: two of one scenario, and one that the candidate keeps as a chain only."""
    approved, new = tmp_path / "approved", tmp_path / "new"
    files = {
        "a.json": (record("alfworld", text(4)), text(4)),
        "b.json": (record("alfworld", text(2)), text(2)),
        "c.json": (record("wikihow", text(4)), text(4, parallel=True)),
    }
    for folder in (approved, new):
        folder.mkdir()
    for name, (golden, candidate) in files.items():
        (approved / name).write_text(golden)
        (new / name.replace(".json", ".txt")).write_text(candidate)
    return approved, new


def test_means_by_scenario_size_and_links_chain_beside_graph(folders):
    run = wfgate("score", *folders, "--metric", "chain-f1,graph-f1", "--format", "json")
    assert run.code == 0, run.err
    assert (run.data["schema"], len(run.data["pairs"])) == ("wfgate.scores/1", 3)
    assert [(pair["id"], pair["scenario"], pair["steps"], pair["edges"]) for pair in run.data["pairs"]] == [
        ("a", "alfworld", 4, 3),
        ("b", "alfworld", 2, 1),
        ("c", "wikihow", 4, 3),
    ]
    found = {
        (group["by"], group["group"]): {row["metric"]: row["mean"] for row in group["means"]}
        for group in run.data["groups"]
    }
    values = {pair["id"]: {one["metric"]: one["value"] for one in pair["metrics"]} for pair in run.data["pairs"]}
    assert values["a"] == values["b"] == {"chain-f1": 1, "graph-f1": 1}
    assert values["c"]["chain-f1"] == 1 > values["c"]["graph-f1"]
    assert found["scenario", "alfworld"] == {"chain-f1": 1, "graph-f1": 1}
    assert found["scenario", "wikihow"] == found["edges", "0-3"] | {"graph-f1": values["c"]["graph-f1"]}
    assert found["steps", "0-3"] == values["b"]
    assert found["steps", "4-6"]["graph-f1"] == pytest.approx((1 + values["c"]["graph-f1"]) / 2)
    assert {group["by"]: 0 for group in run.data["groups"]}.keys() == {"scenario", "steps", "edges"}


def test_the_table_fits_a_terminal(folders):
    run = wfgate("score", *folders)
    assert run.code == 0, run.err
    assert max(map(len, run.out.splitlines())) <= 80
    assert "chain-f1 beside graph-f1" in run.out
    row = next(line.split() for line in run.out.splitlines() if line.startswith("scenario wikihow"))
    assert float(row[2]) - float(row[3]) == pytest.approx(float(row[4]), abs=0.002)
    assert float(row[4]) > 0


def test_what_is_not_scored_is_in_no_mean(folders):
    approved, new = folders
    (new / "a.txt").unlink()
    (new / "b.txt").write_text("Node:\n1: A\nEdge: (1,")
    run = wfgate("score", approved, new, "--metric", "chain-f1", "--format", "json")
    assert run.code == 3
    assert [pair["id"] for pair in run.data["pairs"] if pair["problem"]] == ["b", "a"]
    assert [(row["metric"], row["pairs"]) for row in run.data["means"]] == [("chain-f1", 1)]
    assert "not scored: b: " in wfgate("score", approved, new, "--metric", "chain-f1").out


def test_folders_below_are_scenarios(tmp_path):
    for side in ("approved", "new"):
        for scenario in ("ops", "sales"):
            (tmp_path / side / scenario).mkdir(parents=True)
            (tmp_path / side / scenario / f"{scenario}-x.txt").write_text(text(3))
    run = wfgate("score", tmp_path / "approved", tmp_path / "new", "--format", "json")
    assert [pair["scenario"] for pair in run.data["pairs"]] == ["ops", "sales"]


def test_a_folder_and_a_file(folders):
    assert is_error(wfgate("score", folders[0], folders[1] / "a.txt"), 2, "a folder cannot be compared with")
