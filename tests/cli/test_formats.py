"""`--from`, and the table `[formats]`: every command that reads a workflow reads it in the same format."""

import json
from pathlib import Path

import pytest

from wfgate.calibration import read_corpus
from wfgate.errors import ConfigError
from wfgate.run import load_config

from .conftest import inline, is_error, wfgate

STEPS = [
    "Collect the sales figures of the quarter",
    "Remove duplicate rows from the table",
    "Convert every amount to euros",
    "Draw a chart of revenue by region",
    "Ask the finance lead to approve the numbers",
    "Publish the report on the intranet",
]
RUNBOOK = "How we do it, since it was asked for so often this year.\n\n{}\n\nThe finance team answers all questions.\n"
"""Bullets in prose: Markdown only on request."""


def runbook(steps: list[str]) -> str:
    return RUNBOOK.format("\n".join(f"- {step}" for step in steps))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("approved", "runbooks/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "approved" / "report.plan").write_text(runbook(STEPS))
    (tmp_path / "runbooks" / "report.plan").write_text(runbook(STEPS))
    (tmp_path / "runbooks" / "deep" / "worse.plan").write_text(runbook(STEPS[:-2]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(project: Path, table: str) -> None:
    (project / "wfgate.toml").write_text(f'reference = "approved"\n[formats]\n{table}\n')


def test_gate_from(project: Path):
    files = ("runbooks/report.plan", "-r", "approved/report.plan")
    plain = inline("gate", *files)
    assert (plain.code, "--from markdown" in plain.out) == (3, True), plain.out
    assert inline("gate", *files, "--from", "markdown").code == 0
    worse = inline("gate", "runbooks/deep/worse.plan", *files[1:], "--from", "markdown", "-f", "json")
    assert (worse.code, worse.data["verdict"]) == (1, "block")
    assert is_error(inline("gate", *files, "--from", "markdwon"), 2, "unknown format 'markdwon'")
    wrong = inline("gate", *files, "--from", "bpmn")  # the request decides, not the content
    assert (wrong.code, "XML" in wrong.out) == (3, True), wrong.out


def test_from_is_for_inline_texts_too(project: Path):
    suite = json.dumps({"id": "a", "golden": runbook(STEPS), "candidate": runbook(STEPS)}).encode()
    assert wfgate("gate", "--pairs", "-", stdin=suite, cwd=project).code == 3
    assert wfgate("gate", "--pairs", "-", "--from", "markdown", stdin=suite, cwd=project).code == 0


def test_the_table_is_for_every_command(project: Path):
    configure(project, '"runbooks/*.plan" = "markdown"\n"approved/*" = "markdown"')
    assert inline("gate", "runbooks/report.plan").code == 0
    found = inline("gate", "runbooks", "-f", "json")  # files of a folder, whatever their suffix
    assert {case["id"] for case in found.data["cases"]} == {"report", "deep/worse"}
    assert inline("lint", "runbooks/report.plan").code == 0
    assert STEPS[-1] in inline("show", "runbooks/deep/../report.plan").out
    assert inline("diff", "approved/report.plan", "runbooks/deep/worse.plan").code == 0
    assert (
        wfgate("approve", "runbooks/report.plan", "--by", "me", "--replace", "approved/report.plan", cwd=project).code
        == 0
    )
    assert inline("predeploy", "runbooks/report.plan").code == 0
    assert wfgate("approve", "runbooks/deep/worse.plan", "--by", "me", cwd=project).code == 0
    assert (project / "approved" / "worse.plan").is_file()
    assert not wfgate("pending", "runbooks/report.plan", "runbooks/deep/worse.plan", cwd=project).code
    assert inline("show", "approved/report.plan", "--from", "bpmn").code == 3  # --from comes first


def test_the_table_is_for_calibrate(project: Path):
    (project / "notes.plan").write_text("nothing")
    configure(project, '"runbooks/*.plan" = "markdown"')
    formats = load_config(None, Path()).formats
    assert sorted(golden.id for golden in read_corpus([Path("runbooks")], formats).goldens) == ["report", "worse"]
    assert is_error(inline("calibrate", "approved"), 2, "no golden workflow found")
    few = inline("calibrate", "runbooks")
    assert "no golden workflow found" not in few.err
    assert "2" in few.err


def test_patterns_start_at_the_configuration_and_the_first_one_decides(project: Path):
    configure(project, '"runbooks/deep/*" = "mermaid"\n"runbooks/*" = "markdown"')
    assert inline("show", project / "runbooks" / "report.plan").code == 0
    assert is_error(inline("show", "runbooks/deep/worse.plan"), 3, "flowchart")
    assert wfgate("show", "report.plan", cwd=project / "runbooks").code == 0
    assert wfgate("show", "../../runbooks/report.plan", cwd=project / "runbooks" / "deep").code == 0
    other = project / "other"
    other.mkdir()
    (other / "runbooks").mkdir()
    (other / "runbooks" / "x.plan").write_text(runbook(STEPS))
    assert wfgate("show", "runbooks/x.plan", cwd=other).code == 3
    (project / "[odd]*").mkdir()
    (project / "[odd]*" / "a.plan").write_text(runbook(STEPS))
    (project / "[odd]*" / "wfgate.toml").write_text('[formats]\n"*.plan" = "markdown"\n')
    assert wfgate("show", "a.plan", cwd=project / "[odd]*").code == 0


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('"*.txt" = "markdwon"', ("formats.*.txt: unknown format 'markdwon'", "use one of: native, ")),
        ('"*.txt" = 3', ("formats.*.txt: ", "valid string")),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(project: Path, table: str, said: tuple[str, ...]):
    configure(project, table)
    with pytest.raises(ConfigError) as caught:
        load_config(None, project)
    for words in said:
        assert words in str(caught.value)


def test_no_file_that_a_gate_of_recorded_runs_writes_has_a_secret(tmp_path: Path):
    """Reports, the history, and the file of computed values."""
    for folder, secret in (("approved", "Zq7Hunter2Zq7"), ("generated", "Zq7Hunter3Zq7")):
        given = {"command": f"psql postgres://ada:{secret}@db/orders", "note": f"the token is {secret}", "pin": secret}
        calls = [{"id": "1", "function": {"name": "run", "arguments": json.dumps(given)}}]
        messages = [{"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": "1", "content": ""}]
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in messages))
    forms = ("text", "json", "jsonl", "markdown", "html", "sarif", "junit", "github", "oneline")
    reports = [part for form in forms for part in ("--format", form, "--output", f"out/{form}")]
    given = ("gate", "generated", "-r", "approved", *reports, "--history", "out/runs.jsonl", "--verbose")
    run = wfgate(*given, cwd=tmp_path, env={"WFGATE_CACHE": str(tmp_path / "out" / "cache")})
    assert run.code in (1, 5), run.err
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(written) > len(forms)
    assert b"Hunter" not in b"".join(path.read_bytes() for path in written) + (run.out + run.err).encode()
    assert "***" in (tmp_path / "out" / "text").read_text()


def test_the_message_says_what_is_missing_and_how_to_choose(tmp_path: Path, snapshot):
    path = tmp_path / "ci.yaml"
    path.write_text("steps:\n- script: npm ci\n- script: npm test\n")
    reference = tmp_path / "approved.yaml"
    reference.write_text(path.read_text())
    run = inline("gate", path, "-r", reference)
    assert run.code == 3
    shown = inline("show", path)
    assert shown.err.replace(str(tmp_path), "") == snapshot
    assert is_error(shown, 3)
