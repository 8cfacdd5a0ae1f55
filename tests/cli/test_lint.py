"""`wfgate lint` of folders: every workflow is read, nothing passes because it was overlooked."""

from pathlib import Path

import pytest

from .conftest import GOLDEN, ROOT, inline, is_error


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans" / "team").mkdir(parents=True)
    (tmp_path / "plans" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "plans" / "team" / "runbook.md").write_text("# Restart\n\n1. Drain the node\n2. Restart it\n")
    (tmp_path / "plans" / "README.md").write_text("# Plans\n\nThe plans of the team. See the wiki.\n")
    (tmp_path / "plans" / "settings.yaml").write_text("colour: blue\nsize: 3\n")
    (tmp_path / "plans" / "run.sh").write_text("echo\n")
    (tmp_path / "plans" / "report.yaml.approvals").write_text('{"format": "x", "approvals": []}')
    return tmp_path / "plans"


def test_every_workflow_below_is_read_and_the_rest_is_named(folder: Path):
    quiet = inline("lint", "plans")
    assert (quiet.code, quiet.err) == (0, "")
    assert "4 other files not read (--verbose names them)\n2 files: 0 errors" in quiet.out
    named = inline("lint", "plans", "--verbose").out
    assert "plans/README.md: not read: no workflow in it\n" in named
    assert "plans/run.sh: not read: the suffix '.sh' belongs to no format\n" in named
    assert "plans/report.yaml.approvals: not read: a record that wfgate wrote\n" in named
    data = inline("lint", "plans", "--format", "json").data
    assert [file["path"] for file in data["files"]] == ["plans/report.yaml", "plans/team/runbook.md"]
    assert [one["path"] for one in data["left_out"]] == sorted(one["path"] for one in data["left_out"])
    assert len(data["left_out"]) == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cut.yaml", 'wfgate: "1"\nsteps: [Build\n'),
        ("typo.yaml", 'wfgate: "1"\nstep: [Build]\n'),
        ("empty.json", ""),
        ("cut.xml", "<definitions>"),
        ("answer.md", 'Here is the plan:\n\n```json\n{"wfgate": "1", "steps": [\n```\n'),
        ("broken.mmd", "flowchart TD\n  a -- \n"),
    ],
)
def test_a_broken_workflow_is_an_error_and_not_left_out(folder: Path, name: str, text: str):
    (folder / name).write_text(text)
    run = inline("lint", "plans")
    assert run.code == 3
    assert f"plans/{name}" in run.out
    assert run.out.endswith("3 files: 1 error, 0 other findings, 1 not readable\n")


def test_a_file_given_by_name_is_never_left_out(folder: Path):
    for name in ("README.md", "settings.yaml", "run.sh"):
        assert inline("lint", f"plans/{name}").code == 3
        assert inline("lint", "plans", f"plans/{name}").code == 3


def test_a_folder_without_a_workflow_is_an_error(folder: Path):
    for name in ("report.yaml", "team/runbook.md"):
        (folder / name).unlink()
    run = inline("lint", "plans")
    assert run.code == 3
    assert "plans: error WF001 no workflow in this folder, 4 other files\n  fix: " in run.out
    (folder / "empty").mkdir()
    assert inline("lint", "plans/empty", ROOT / "examples/deploy/approved/deploy.yaml").code == 3


def test_formats_decide_what_is_read(folder: Path):
    (folder / "report.yaml").write_text("oops: [")
    (folder / "drain.plan").write_text("1. Drain the node\n2. Restart it\n")
    (folder.parent / "wfgate.toml").write_text(
        '[formats]\n"plans/*.plan" = "markdown"\n"plans/report.yaml" = "ignored"'
    )
    data = inline("lint", "plans", "--format", "json").data
    assert [file["path"] for file in data["files"]] == ["plans/drain.plan", "plans/team/runbook.md"]
    assert {"path": "plans/report.yaml", "reason": "ignored in [formats] of wfgate.toml"} in data["left_out"]


def test_a_link_to_a_folder_is_refused(folder: Path):
    (folder / "loop").symlink_to(folder)
    assert is_error(inline("lint", "plans"), 2, "plans/loop: a link to a folder or to nothing")
