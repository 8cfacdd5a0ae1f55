"""`wfgate gate --history` and `wfgate history`."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from .conftest import GOLDEN, is_error, once, wfgate

WORSE = GOLDEN.replace("  - {id: c, name: Convert every amount to euros, needs: [b]}\n", "").replace(
    "needs: [c]", "needs: [b]"
)
AT = {"SOURCE_DATE_EPOCH": "1763900000", "GITHUB_SHA": "abc123", "GITHUB_REF_NAME": "main"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder, text in (("approved", GOLDEN), ("old", GOLDEN), ("new", WORSE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "report.yaml").write_text(text)
    return tmp_path


def gate(project: Path, folder: str, *args: str):
    return wfgate("gate", folder, "-r", "approved", *args, cwd=project, env=AT)


def test_a_history_grows_and_the_page_says_what_changed(project: Path):
    first = gate(project, "old", "--history", "kept/runs.jsonl", "--run-url", "runs/1.html")
    assert (first.code, first.err) == (0, "")
    page = ("-f", "html", "-o", "report.html")
    assert gate(project, "new", "--history", "kept/runs.jsonl", *page).code == 1
    text = (project / "report.html").read_text()
    assert '<a href="runs/1.html" rel="noreferrer noopener">previous run</a> (2025-11-23 12:13 main abc123)' in text
    assert "1 case newly blocked" in text
    lines = [json.loads(line) for line in (project / "kept" / "runs.jsonl").read_text().splitlines()]
    assert [line["cases"] for line in lines] == [{"report": "pass"}, {"report": "block"}]
    assert lines[0]["when"] == "2025-11-23T12:13:20Z"
    for line in lines:
        Draft202012Validator(once("schema", "run").data).validate(line)
    shown = wfgate("history", "kept/runs.jsonl", cwd=project)
    assert (shown.code, shown.err) == (0, "")
    assert "report: PASS -> BLOCK" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    only = wfgate("history", "kept/runs.jsonl", "--last", "1", "-f", "json", cwd=project)
    assert [each["verdict"] for each in only.data["runs"]] == ["block"]


def test_the_same_run_is_the_same_line(project: Path):
    for name in "ab":
        gate(project, "new", "--history", name)
    assert (project / "a").read_bytes() == (project / "b").read_bytes()


def test_a_result_is_a_previous_run_and_changes_no_verdict(project: Path):
    gate(project, "old", "-f", "json", "-o", "last.json")
    alone = gate(project, "new", "-f", "json")
    found = gate(project, "new", "--previous", "last.json", "-f", "json")
    assert (found.code, found.data["verdict"]) == (alone.code, alone.data["verdict"]) == (1, "block")
    assert found.data["previous"]["cases"] == {"report": "pass"}
    Draft202012Validator(once("schema", "result").data).validate(found.data)
    assert found.data | {"previous": None} == alone.data
    shown = wfgate("history", "last.json", "last.json", "-f", "html", cwd=project)
    assert "no verdict changed" in shown.out


def test_what_is_no_history_is_refused_before_the_gate_runs(project: Path):
    (project / "runs.jsonl").write_text('{"schema": "wfgate.run/1"}\n')
    for args in (("--history", "runs.jsonl"), ("--previous", "runs.jsonl")):
        assert is_error(gate(project, "new", *args), 2, "runs.jsonl:1: not a run", "delete the line")
    assert is_error(wfgate("history", "runs.jsonl", cwd=project), 2, "runs.jsonl:1: not a run")
    assert is_error(gate(project, "new", "--previous", "none"), 2, "none: the history cannot be read")
    assert is_error(gate(project, "new", "--run-url", "x"), 2, "--run-url needs --history")
    assert is_error(
        gate(project, "new", "--history", "h", "--run-url", "javascript:x"), 2, "--run-url: not an address"
    )
    assert is_error(gate(project, "new", "--history", "approved"), 2, "approved: the history cannot be read")
    assert not (project / "h").exists()
    (project / "empty").touch()
    assert is_error(wfgate("history", "empty", cwd=project), 2, "there is no run in the history")


def test_the_command_has_an_example():
    assert "Example: wfgate history runs.jsonl" in once("history", "--help").out.replace("\n  ", " ")
