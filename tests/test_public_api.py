import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import wfgate
from wfgate.decide import default_profile
from wfgate.errors import CalibrationError
from wfgate.rules import Finding

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "examples" / "deploy"
APPROVED = DEPLOY / "approved" / "deploy.yaml"
MISSING = DEPLOY / "generated" / "missing-hardening.yaml"
STEPS = ["Build the image", "Scan the image", "Push the image", "Deploy the image", "Watch the error rate"]

PUBLIC = [
    *("CalibrationError", "CaseResult", "ConfigError", "EmbedderError", "Finding", "FormatError", "Link", "LlmError"),
    *(
        "MetricScore",
        "Plan",
        "Policy",
        "Profile",
        "ProfileMismatchError",
        "Reason",
        "Task",
        "WfgateError",
        "Workflow",
        "WorkflowText",
    ),
    *("calibrate", "gate", "load", "report", "score"),
]


def short(*steps: str) -> dict[str, object]:
    return {"wfgate": "1", "steps": list(steps)}


def test_what_is_public():
    assert wfgate.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(wfgate))
    for name in PUBLIC:
        assert getattr(wfgate, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wfgate.nothing


def test_every_error_is_a_wfgate_error():
    for name in PUBLIC:
        if name.endswith("Error"):
            assert issubclass(getattr(wfgate, name), wfgate.WfgateError)


def test_importing_costs_nothing():
    heavy = ("numpy", "pydantic", "networkx", "typer", "yaml")
    code = f"import sys, wfgate; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_workflows_paths_and_dicts_are_the_same_to_every_verb():
    golden, candidate = wfgate.load(APPROVED), wfgate.load(str(MISSING), "native")
    assert isinstance(golden, wfgate.Workflow)
    scores = wfgate.score(golden, candidate)
    assert scores == wfgate.score(APPROVED, str(MISSING))
    assert all(isinstance(score, wfgate.MetricScore) for score in scores)
    cases = [wfgate.gate(golden, candidate), wfgate.gate(APPROVED, str(MISSING))]
    assert [str(reason) for reason in cases[0].reasons] == [str(reason) for reason in cases[1].reasons]
    assert cases[0].metrics == cases[1].metrics
    assert {*cases[0].metrics} == {*scores}
    built = wfgate.Workflow(
        name="w",
        tasks=(wfgate.Task(id="a", name="Build"),),
        links=(wfgate.Link(source="START", target="a"), wfgate.Link(source="a", target="END")),
    )
    assert {score.value for score in wfgate.score(built, short("Build"), metrics=["chain-f1"])} == {1.0}


def test_a_case_is_typed():
    case = wfgate.gate(short(*STEPS), short(*STEPS[:2], *STEPS[3:]))
    assert isinstance(case, wfgate.CaseResult)
    assert case.verdict == "block"
    assert case.severity is not None
    assert 0 <= case.severity.low <= case.severity.estimate <= case.severity.high <= 1
    assert case.p_value is not None
    assert all(isinstance(finding, Finding) for finding in case.findings)
    assert "Push the image" in case.reasons[0].message


def test_a_text_is_no_path():
    text = MISSING.read_text()
    by_path, by_text = (
        wfgate.gate(APPROVED, MISSING),
        wfgate.gate(wfgate.WorkflowText(APPROVED.read_text()), wfgate.WorkflowText(text)),
    )
    assert by_text.candidate == "output"
    assert [str(one) for one in by_text.reasons] == [str(one) for one in by_path.reasons]
    answer = wfgate.gate(APPROVED, wfgate.WorkflowText(f"Here you are:\n\n```yaml\n{text}```\n", "answer"))
    assert (answer.verdict, answer.candidate) == ("block", "answer")
    for nothing in ("", "I cannot help with that.", str(MISSING), "\ud800"):
        assert wfgate.gate(APPROVED, wfgate.WorkflowText(nothing)).verdict == "inconclusive", nothing


def test_a_report_is_short_and_escaped():
    steps = [*STEPS[:2], "Push \x1b[31mthe image to\u202e nowhere", *STEPS[3:]]
    report = wfgate.report(wfgate.gate(short(*STEPS), short(*steps)), width=60)
    assert report.startswith("BLOCK candidate: ")
    assert r"\x1b[31m" in report
    assert {character for character in report if not character.isprintable()} == {"\n"}
    assert max(map(len, report.splitlines())) <= 60
    assert wfgate.report(wfgate.gate(APPROVED, APPROVED)).startswith("PASS candidate: ")
    assert wfgate.report(wfgate.gate(APPROVED, "nowhere.yaml")).startswith("INCONCLUSIVE candidate: ")


def test_what_several_goldens_do_differently_is_free():
    goldens = [short(*STEPS), short(*STEPS[:2], *STEPS[3:])]
    candidate = short(*STEPS[:2], *STEPS[3:])
    assert wfgate.gate(goldens[0], candidate).verdict == "block"
    assert wfgate.gate(goldens, candidate).verdict == "pass"
    assert wfgate.gate(tuple(reversed(goldens)), candidate).verdict == "pass"


def test_policy_and_profile(tmp_path: Path):
    policy = wfgate.Policy(block_severity=1.0)
    assert wfgate.gate(short(*STEPS), short(*STEPS[:2], *STEPS[3:]), policy=policy).verdict == "review"
    for nothing in (tmp_path / "nowhere.json", str(tmp_path / "nowhere.json")):
        with pytest.raises(CalibrationError, match="cannot be read"):
            wfgate.gate(short(*STEPS), short(*STEPS), profile=nothing)
    with pytest.raises(wfgate.ProfileMismatchError):
        wfgate.gate(short(*STEPS), short(*STEPS), metrics=["bleu"])


def test_what_cannot_be_read_is_never_a_pass(tmp_path: Path):
    case = wfgate.gate(APPROVED, tmp_path / "nowhere.yaml")
    assert case.verdict == "inconclusive"
    assert case.error is not None
    assert wfgate.gate(short(), short()).verdict == "inconclusive"
    with pytest.raises(wfgate.FormatError, match="nowhere"):
        wfgate.score(APPROVED, tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("value", [None, 3, b"steps"])
def test_what_is_no_workflow(value: object):
    with pytest.raises(wfgate.ConfigError, match="is not a workflow"):
        wfgate.gate(APPROVED, value)  # type: ignore[arg-type]
    with pytest.raises(wfgate.ConfigError, match="is not a workflow"):
        wfgate.score(value, APPROVED)  # type: ignore[arg-type]


def test_no_golden_at_all():
    with pytest.raises(wfgate.ConfigError, match="no golden"):
        wfgate.gate([], APPROVED)


def test_unknown_names():
    with pytest.raises(wfgate.ConfigError, match="unknown metric"):
        wfgate.score(APPROVED, APPROVED, metrics=["nothing"])
    with pytest.raises(wfgate.WfgateError, match="nothing"):
        wfgate.score(APPROVED, APPROVED, embedder="nothing")
    with pytest.raises(wfgate.CalibrationError, match="does not exist"):
        wfgate.calibrate("nowhere")


@pytest.mark.slow
def test_calibrate(tmp_path: Path):
    corpus = ROOT / "calibration" / "corpora" / "worfbench"
    plan = wfgate.Plan(sample=25, alphas=(0.2, 0.3))
    profile = wfgate.calibrate(str(corpus), output=tmp_path / "new" / "profile.json", plan=plan)
    assert isinstance(profile, wfgate.Profile)
    assert json.loads((tmp_path / "new" / "profile.json").read_text())["corpus"]["goldens"] == 25
    again = wfgate.gate(APPROVED, MISSING, profile=tmp_path / "new" / "profile.json")
    assert again == wfgate.gate(APPROVED, MISSING, profile=profile)
    assert again.verdict == "block"


def test_an_expired_profile_decides_nothing():
    profile = default_profile().model_copy(update={"expires": date(2026, 11, 21)})
    same = short(*STEPS)
    assert wfgate.gate(same, same, profile=profile, today=date(2026, 11, 21)).verdict == "pass"
    with pytest.raises(wfgate.ProfileMismatchError, match="expired on 2026-11-21"):
        wfgate.gate(same, same, profile=profile, today=date(2026, 11, 22))
