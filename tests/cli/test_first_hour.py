"""The first hour in a fresh repository, with three formats: the commands that `init` prints work in their order."""

import shlex
from pathlib import Path

import pytest

from .conftest import GOLDEN, inline, on_no_build_server
from .test_next import commands, git, run_printed, together

RUNBOOK = """# Restore the database

1. Stop all writers of the orders service.
2. Restore the newest snapshot into a new instance.
3. Compare the row counts with the last report.
4. Point the orders service at the new instance.
5. Tell the support team that orders work again.
"""
CI = """on: {push: {branches: [main]}}
jobs:
  test: {runs-on: ubuntu-24.04, steps: [{name: Run all tests, run: make test}]}
  build: {needs: test, runs-on: ubuntu-24.04, steps: [{name: Build the image, run: make image}]}
  scan: {needs: build, runs-on: ubuntu-24.04, steps: [{name: Scan the image, run: make scan}]}
  deploy: {needs: scan, runs-on: ubuntu-24.04, steps: [{name: Deploy the image, run: make deploy}]}
"""


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    monkeypatch.setenv("COLUMNS", "1000")
    git("init", "-q", "-b", "main")
    folder = tmp_path / "generated"
    folder.mkdir()
    for name, text in (("report.yaml", GOLDEN), ("restore.md", RUNBOOK), ("release.yml", CI)):
        (folder / name).write_text(text)
    return folder


def steps(text: str) -> list[list[str]]:
    """Return the commands that `init` prints, as arguments of wfgate."""
    lines = text.partition("next:\n")[2].splitlines()
    assert all(len(line) <= 80 for line in lines)
    return [shlex.split(line.partition("  #")[0])[1:] for line in lines]


def test_from_init_to_an_accepted_change(generated: Path):
    first = steps(inline("init").out)
    assert [command[0] for command in first] == ["approve", "doctor", "gate"]
    for command in first:
        assert inline(*command).code == 0
    (generated / "restore.md").write_text(RUNBOOK.replace("3. Compare the row counts with the last report.\n", ""))
    (generated / "release.yml").write_text(CI.replace("needs: scan", "needs: build"))
    blocked = inline("gate", "generated")
    assert blocked.code == 1
    singly = commands(blocked.out)
    assert (len(singly), together(blocked.out)) == (2, [])  # blocked cases are accepted one by one
    for command in singly:
        run_printed(command)
    for command in steps(inline("init").out):
        assert inline(*command).code == 0


def test_references_without_an_approval_come_first(generated: Path):
    generated.rename("approved")
    place, first, *_ = steps(inline("init").out)
    assert (place, first) == (["generated"], ["approve", "approved"])  # mkdir generated
    assert inline(*first).code == 0
    assert inline("doctor").out == "no problems found\n"
