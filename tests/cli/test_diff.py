"""`wfgate diff`: two workflows side by side, without a verdict."""

from pathlib import Path
from xml.etree import ElementTree as ET

from .conftest import APPROVED, GENERATED, ROOT, inline, is_error, once, wfgate

CHANGED = f"{GENERATED}/missing-hardening.yaml"


def test_lines():
    run = once("diff", APPROVED, CHANGED)
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0] == "golden     Deploy the payments service: 12 steps"
    assert "- Require multi-factor authentication for every operator account  (missing)" in lines
    assert lines[-1] == "1 missing, 11 reworded; 3 values changed"
    assert max(map(len, lines)) < 80


def test_the_same_twice_has_nothing_to_say():
    run = inline("diff", ROOT / APPROVED, ROOT / APPROVED)
    assert run.code == 0
    assert run.out.splitlines()[-1] == "12 the same"


def test_a_picture(tmp_path: Path):
    target = tmp_path / "pair.svg"
    run = inline("diff", ROOT / APPROVED, ROOT / CHANGED, "--format", "svg", "--output", target)
    assert (run.code, run.out) == (0, "")
    text = target.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314 - our own
    assert root.get("aria-label") == (
        "Golden and candidate: Deploy the payments service: 12 steps; Payments service rollout: 11 steps"
    )
    assert wfgate("diff", APPROVED, CHANGED, "--format", "svg").out == text


def test_composites_fold():
    workflow = ROOT / "examples" / "seeds" / "automl.yaml"
    runs = [inline("diff", workflow, workflow, *fold) for fold in ((), ("--fold",))]
    open_, folded = (int(run.out.splitlines()[-1].split()[0]) for run in runs)
    assert folded < open_


def test_narrow_terminals():
    assert max(map(len, wfgate("diff", APPROVED, CHANGED, env={"COLUMNS": "50"}).out.splitlines())) <= 50


def test_what_cannot_be_shown(bad: Path):
    assert is_error(inline("diff", ROOT / APPROVED, bad / "prose.txt"), 3, "no format recognises the content")
    assert is_error(inline("diff", bad / "nowhere.yaml", ROOT / APPROVED), 3, "cannot be read")
    assert inline("diff", ROOT / APPROVED).code == 2
    assert inline("diff", ROOT / APPROVED, ROOT / APPROVED, "--format", "png").code == 2
