"""The example that README and demo show, judged with the shipped profile."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import wfgate
from wfgate.read import read_file
from wfgate.rules import lint

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
APPROVED = EXAMPLES / "deploy" / "approved" / "deploy.yaml"


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, object]]:
    run = wfgate("gate", "--pairs", EXAMPLES / "deploy" / "suite.jsonl", "--format", "json")
    assert run.code == 1, run.err
    return {case["id"]: case for case in run.data["cases"]}


@pytest.fixture(scope="module")
def strict() -> dict[str, dict[str, object]]:
    """The same with the profile of rewordings only."""
    run = wfgate(
        *("gate", "--pairs", EXAMPLES / "deploy" / "suite.jsonl", "--profile", "reworded", "--format", "json")
    )
    assert run.code == 1, run.err
    return {case["id"]: case for case in run.data["cases"]}


def _reasons(case: dict[str, object]) -> str:
    reasons = case["reasons"]
    assert isinstance(reasons, list)
    return "\n".join(reason["message"] for reason in reasons)


def test_verdicts(cases: dict[str, dict[str, object]]):
    assert {name: case["verdict"] for name, case in cases.items()} == {
        "reworded": "pass",
        "missing-hardening": "block",
        "squeezed-observability": "block",
        "deploy-before-approval": "block",
        "scan-in-production-only": "block",
        "scan-if-there-is-time": "block",
    }


def test_verdicts_where_only_words_may_differ(strict: dict[str, dict[str, object]]):
    assert {name: case["verdict"] for name, case in strict.items()} == {
        "reworded": "pass",
        "missing-hardening": "block",
        "squeezed-observability": "block",
        "deploy-before-approval": "block",
        "scan-in-production-only": "block",
        "scan-if-there-is-time": "block",
    }


def test_a_new_condition_is_explained_by_the_situation_in_which_a_step_is_skipped(cases: dict[str, dict[str, object]]):
    reasons = _reasons(cases["scan-in-production-only"])
    assert "no longer runs in every situation: it is skipped when environment != 'production'" in reasons


def test_the_missing_second_factor_is_named(cases: dict[str, dict[str, object]]):
    said = _reasons(cases["missing-hardening"])
    assert said.startswith(
        "the critical step 'Require multi-factor authentication for every operator account' is missing"
    )


def test_the_squeezed_steps_are_named(cases: dict[str, dict[str, object]]):
    said = _reasons(cases["squeezed-observability"])
    assert "'Watch the error rate of the canary for thirty minutes'" in said
    assert "'Enable paging alerts on latency and error budget'" in said
    assert "'Ship the service logs to the central archive with a one-year retention'" in said
    assert "were merged into one step" in said


def test_the_step_that_says_something_else_is_shown_with_its_words(strict: dict[str, dict[str, object]]):
    case = strict["scan-if-there-is-time"]
    assert "'Scan the signed image for known vulnerabilities and fail on any critical finding'" in _reasons(case)
    findings = [finding for finding in case["findings"] if finding["id"] == "WR106"]
    assert len(findings) == 1
    assert findings[0]["wording"]["p_value"] <= 0.05


def test_the_late_approval_is_named(cases: dict[str, dict[str, object]]):
    said = _reasons(cases["deploy-before-approval"])
    assert "'Obtain written approval from the change manager'" in said
    assert "now runs after 'Deploy the release to five percent of the production traffic'" in said


def test_gate_and_diff_agree_that_the_approval_is_late(cases: dict[str, dict[str, object]]):
    approval, canary = (
        "Obtain written approval from the change manager",
        "Deploy the release to five percent of the production traffic",
    )
    (moved,) = [step["id"] for step in cases["deploy-before-approval"]["steps"] if step["moved"]]
    assert moved == "approve"
    said = wfgate("diff", APPROVED, EXAMPLES / "deploy" / "generated" / "deploy-before-approval.yaml").out
    lines = " ".join(said.split())
    assert f"'{approval}' -> '{canary[:40]}" in lines
    assert "inverted now" in lines
    assert "1 moved" in lines


@pytest.mark.parametrize(("critical", "verdict"), [("true", "block"), ("false", "review")])
def test_an_inverted_dependency_is_at_least_reviewed_and_blocks_on_a_critical_step(
    tmp_path: Path, critical: str, verdict: str
):
    """All steps of the example are reworded: the order alone decides."""
    golden = tmp_path / "deploy.yaml"
    text = APPROVED.read_text(encoding="utf-8")
    golden.write_text(text.replace("critical: true", f"critical: {critical}"), encoding="utf-8")
    pairs = tmp_path / "suite.jsonl"
    candidate = EXAMPLES / "deploy" / "generated" / "deploy-before-approval.yaml"
    pairs.write_text(json.dumps({"id": "x", "golden": str(golden), "candidate": str(candidate)}), encoding="utf-8")
    (case,) = wfgate("gate", "--pairs", pairs, "--format", "json").data["cases"]
    assert (case["verdict"], case["proven"]) == (verdict, verdict)
    (order,) = [finding for finding in case["findings"] if finding["id"] == "WR203"]
    assert order["exact"]


def test_every_example_is_sound():
    workflows = sorted((EXAMPLES / "deploy").rglob("*.yaml"))
    assert len(workflows) >= 5
    for path in workflows:
        reading = read_file(path)
        assert not reading.diagnostics, path
        assert [finding for finding in lint(reading.workflow) if finding.severity == "error"] == [], path


def test_every_line_of_the_suite_names_files_that_exist():
    for line in (EXAMPLES / "deploy" / "suite.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        assert (EXAMPLES / "deploy" / case["golden"]).is_file()
        assert (EXAMPLES / "deploy" / case["candidate"]).is_file()
