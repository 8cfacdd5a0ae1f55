"""`[checks]` in wfgate.toml, through the real command line: in lint, in the gate, in the schema."""

import json
from pathlib import Path

import pytest

from wfgate.rules.checks import ABSOLUTE, RELATIVE

from .conftest import GOLDEN, inline, is_error, wfgate

LOOSE = GOLDEN.replace(", needs: [f]}", "}")
"""The last step waits for nothing: WF102 and WF104 by itself, WR204 against the golden."""
CYCLIC = GOLDEN.replace("of the quarter}", "of the quarter, needs: [g]}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "approved").mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "report.yaml").write_text(LOOSE)
    return tmp_path


def linted(project: Path, *settings: str, file: str = "report.yaml"):
    (project / "wfgate.toml").write_text("\n".join(["[checks]", *settings, ""]))
    run = wfgate("lint", file, "-f", "json", cwd=project)
    return run.code, {found["id"]: found["severity"] for found in run.data["files"][0]["findings"]}


def test_lint_takes_severities_by_id_and_by_name(project: Path):
    assert linted(project) == (0, {"WF104": "warning", "WF102": "info"})
    assert linted(project, 'WF102 = "error"') == (1, {"WF102": "error", "WF104": "warning"})
    assert linted(project, 'several-starts = "off"', 'wf104 = "info"') == (0, {"WF104": "info"})


def test_lint_takes_another_configuration(project: Path):
    (project / "strict.toml").write_text('checks = {WF104 = "error"}\n')
    assert wfgate("lint", "report.yaml", cwd=project).code == 0
    assert wfgate("lint", "report.yaml", "--config", "strict.toml", cwd=project).code == 1


def gated(project: Path, settings: str, file: str = "report.yaml"):
    (project / "wfgate.toml").write_text(f'reference = "approved"\n[checks]\n{settings}\n')
    run = wfgate("gate", file, "-f", "json", cwd=project)
    case = run.data["cases"][0]
    return run, case, {found["id"]: found["severity"] for found in case["findings"]}


def test_the_gate_takes_them_and_says_so(project: Path):
    _, case, severities = gated(project, "")
    assert severities["WR204"] in {"error", "info"}
    run, case, severities = gated(project, 'WR204 = "off"\nWF104 = "error"')
    assert run.data["policy"]["checks"] == {"WR204": "off", "WF104": "error"}
    assert severities["WF104"] == "error"
    assert "WR204" not in severities
    assert not any("no longer runs" in reason["message"] for reason in case["reasons"])
    assert (run.code, case["verdict"]) == (1, "block")  # a new defect of the graph that the team calls an error


def test_a_defect_that_the_team_calls_harmless_does_not_block_by_itself(project: Path):
    (project / "report.yaml").write_text(CYCLIC)
    _, blocked, severities = gated(project, "")
    assert (blocked["verdict"], severities["WF312"]) == ("block", "error")
    assert any("cycle" in reason["message"] for reason in blocked["reasons"])
    _, case, severities = gated(project, 'WF312 = "warning"\nWF101 = "off"\nWF103 = "off"')
    assert severities["WF312"] == "warning"
    assert not any("wait for each other" in reason["message"] for reason in case["reasons"])


def test_an_explicit_severity_outlasts_a_pass(project: Path):
    (project / "report.yaml").write_text(GOLDEN.replace("needs: [a]", "needs: [a], kind: event"))
    _, case, severities = gated(project, 'WR103 = "error"')
    assert (case["verdict"], severities["WR103"]) == ("pass", "error")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[checks]\nWF1022 = "off"\n', ("checks: unknown check 'WF1022'", "did you mean WF102?")),
        ('[checks]\nseveral-start = "off"\n', ("unknown check 'several-start'", "did you mean several-starts?")),
        ('[checks]\nzzz = "off"\n', ("unknown check 'zzz'", "wfgate list checks")),
        ('[checks]\nWF102 = "fatal"\n', ("checks.WF102", "'error', 'warning', 'info' or 'off'")),
        ('[checks]\nWF102 = "off"\nseveral-starts = "error"\n', ("WF102 is configured twice",)),
        ("checks = 3\n", ("checks: ",)),
        ('[policy.checks]\nWF102 = "off"\n', ("policy.checks: unknown key", "[checks]")),
    ],
)
def test_what_makes_no_sense_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: tuple[str]):
    (project / "wfgate.toml").write_text(text)
    monkeypatch.chdir(project)
    assert is_error(inline("lint", "report.yaml"), 2, *said)
    assert is_error(inline("gate", "report.yaml", "-r", "approved"), 2, *said)


def test_the_schema_knows_them():
    schema = json.loads(inline("schema", "config").out)
    assert schema["properties"]["checks"]["additionalProperties"]["enum"] == ["error", "warning", "info", "off"]


def test_an_unreadable_file_is_a_finding_with_its_place(project: Path):
    (project / "report.yaml").write_text('wfgate: "1"\nsteps: [Build, Test\n')
    run = wfgate("lint", "report.yaml", "approved/report.yaml", cwd=project)
    assert run.code == 3
    first, fix, summary = run.out.splitlines()
    assert first.startswith("report.yaml:3:1: error WF001 not valid YAML")
    assert fix.startswith("  fix: ")
    assert summary == "2 files: 1 error, 0 other findings, 1 not readable"
    (file,) = wfgate("lint", "report.yaml", "-f", "json", cwd=project).data["files"]
    assert (file["findings"][0]["id"], file["findings"][0]["location"]["line"]) == ("WF001", 3)
    run, case, severities = gated(project, "")
    assert (run.code, case["verdict"], severities) == (3, "inconclusive", {"WF001": "error"})


def test_every_check_can_be_explained_and_is_listed():
    listing = inline("list", "checks").out
    for check in (*ABSOLUTE, *RELATIVE):
        assert f"{check}  " in listing
    assert inline("explain", "WF001").out.startswith("WF001 unreadable, error")


def test_a_level_does_not_raise_differences_without_effect(project: Path):
    node = {"name": "Fetch", "type": "n8n-nodes-base.httpRequest", "parameters": {"url": "https://a.example"}}
    flow = {"nodes": [{"name": "Hook", "type": "n8n-nodes-base.webhook", "id": "1", "parameters": {}}, node]}
    flow["connections"] = {"Hook": {"main": [[{"node": "Fetch", "type": "main", "index": 0}]]}}
    (project / "approved" / "flow.json").write_text(json.dumps(flow))
    flow["nodes"][0]["id"] = "2"
    (project / "flow.json").write_text(json.dumps(flow))
    run, _, severities = gated(project, 'WR107 = "warning"', "flow.json")
    assert (run.code, severities) == (0, {"WR107": "info"})
    node["parameters"]["url"] = "https://b.example"
    (project / "flow.json").write_text(json.dumps(flow))
    run, case, _ = gated(project, 'WR107 = "warning"', "flow.json")
    assert case["verdict"] == "review"
