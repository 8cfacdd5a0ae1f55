import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from .conftest import GOLDEN, inline, is_error, once, wfgate

REWORDED = GOLDEN.replace("Email the link to all managers", "Send all managers the link by email")
WORSE = GOLDEN.replace("  - {id: c, name: Convert every amount to euros, needs: [b]}\n", "").replace(
    "needs: [c]", "needs: [b]"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "approved").mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    return tmp_path


def samples(project: Path, *texts: str, folder: str = "new") -> str:
    (project / folder).mkdir()
    for number, text in enumerate(texts, start=1):
        (project / folder / f"report@{number}.yaml").write_text(f"{text}# {number}\n")
    return folder


def test_samples_are_decided_together_and_the_report_says_how(project: Path):
    new = samples(project, GOLDEN, REWORDED, WORSE)
    run = wfgate("gate", new, "-r", "approved", cwd=project)
    assert (run.code, run.err) == (1, "")
    assert "BLOCK report: 2 of 3 samples pass (95 % interval 9-99 %); all must pass" in run.out
    assert "1 case (3 candidates): 1 blocked" in run.out
    assert "'Convert every amount to euros' is missing in 1 of 3 samples" in run.out
    assert max(len(line) for line in run.out.splitlines() if "wfgate approve" not in line) <= 80  # stands on one line
    (project / "wfgate.toml").write_text("[policy]\nsamples = 'majority'\n")
    lenient = inline("gate", new, "-r", "approved", "-f", "json")
    assert (lenient.code, lenient.data["verdict"]) == (0, "review")  # no majority outvotes a missing step
    assert lenient.data["samples"][0]["passed"] == 2
    Draft202012Validator(once("schema", "result").data).validate(lenient.data)
    assert [case["verdict"] for case in lenient.data["cases"]] == ["pass", "pass", "block"]


def test_a_release_is_compared_with_the_one_before(project: Path):
    (project / "wfgate.toml").write_text("[policy]\nsamples = 'best'\n")
    old = samples(project, *[GOLDEN] * 5, folder="old")
    assert inline("gate", old, "-r", "approved", "-f", "json", "-o", "old.json").code == 0
    new = samples(project, GOLDEN, *[WORSE] * 4)
    run = inline("gate", new, "-r", "approved", "--against", "old.json")
    assert run.code == 1
    head, row, *_ = run.out.splitlines()
    assert head.split() == ["case", "old", "new", "p", "verdict"]
    assert row == "report  5 of 5  1 of 5  0.024  BLOCK: worse than before"
    assert max(len(line) for line in run.out.splitlines() if "wfgate approve" not in line) <= 80  # stands on one line
    said = " ".join(run.out.split())
    assert "'Convert every amount to euros' is missing in 4 of 5 new samples, 0 of 5 old ones" in said
    assert "1 of 5 samples passes: step missing in 4" in said
    assert ("For example report@2: " in said, "report@3" in said) == (True, False)
    full = inline("gate", new, "-r", "approved", "--against", "old.json", "-v").out
    assert "BLOCK report@2: " in full
    assert "Fisher's exact test, one-sided, of 5 old and 5 new samples" in " ".join(full.split())
    few = samples(project, GOLDEN, folder="few")
    unsure = inline("gate", few, "-r", "approved", "--against", "old.json", "-f", "json")
    assert (unsure.code, unsure.data["release"]["verdict"]) == (4, "inconclusive")
    Draft202012Validator(once("schema", "result").data).validate(unsure.data)
    (project / "old.json").write_text(json.dumps({"schema": "other"}))
    assert is_error(inline("gate", few, "-r", "approved", "--against", "old.json"), 2, "not a result of wfgate gate")


def test_a_release_that_is_not_there(project: Path):
    run = inline("gate", samples(project, GOLDEN), "-r", "approved", "--against", "nowhere.json")
    assert is_error(run, 2, "nowhere.json: the result cannot be read: no such file or directory")


def test_a_plan_for_what_hardly_ever_passes():
    run = inline("plan", "--pass-rate", "0.04")
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[-1].startswith("  to 0 %")


def test_plan_says_how_many_samples_notice_what():
    run = inline("plan", "--pass-rate", "1", "--drop", "0.5", "--drop", "0.2", "--cases", "10")
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[:2] for line in lines[2:]] == [["to", "50"], ["to", "80"]]
    data = inline("plan", "--pass-rate", "1", "--drop", "0.5", "--format", "json").data
    assert data["schema"] == "wfgate.plan/1"
    assert data["drops"][0]["samples"] == 10
    assert data["drops"][0]["power"] >= 0.8


def test_plan_says_what_so_many_samples_can_show():
    run = inline("plan", "--samples", "5", "--cases", "3")
    assert (run.code, run.err) == (0, "")
    assert max(len(line) for line in run.out.splitlines() if "wfgate approve" not in line) <= 80  # stands on one line
    assert "After 5 of 5, one case blocks from 1 of 5 down, if the others do not change." in run.out
    data = inline("plan", "--samples", "3", "--cases", "8", "--drop", "0.4", "--format", "json").data
    assert data["schema"] == "wfgate.plan/1"
    assert (data["found_one_case"], data["blocks_from"], data["decides"]) == (None, None, True)
    assert data["chances"][0]["all_cases"] > 0.8 > data["chances"][0]["one_case"]
    assert "Nothing can be found" in inline("plan", "--samples", "3").out


@pytest.mark.parametrize(
    "flags", [("--drop", "0"), ("--drop", "2"), ("--alpha", "0"), ("--power", "1"), ("--pass-rate", "0")]
)
def test_a_plan_of_nonsense(flags: tuple[str, str]):
    assert is_error(inline("plan", *flags), 2)
