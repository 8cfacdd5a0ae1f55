"""The example in the help of each command: one line, which runs in the project that `init --example` writes."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from wfgate.cli.app import app

from .conftest import inline, on_no_build_server

GROUP = typer.main.get_command(app)
assert isinstance(GROUP, TyperGroup)
PARSED_ONLY = {
    "acceptances": "asks a forge about a pull request",
    "calibrate": "needs five goldens and minutes",
    "exam": "asks a language model",
    "generate": "asks a language model",
    "mcp": "answers its client until that goes away",
    "predeploy": "needs a repository with committed approvals",
    "write": "asks a language model",
}
ENDS = {"pending": 1}
"""Commands whose example ends with an exit code other than 0: nobody has approved the golden of the example."""


def example_of(name: str) -> str:
    found = re.findall(r"^  Example: (wfgate .*)$", inline(name, "--help").out, re.MULTILINE)
    assert len(found) == 1, f"one line with an example in the docstring of {name}"
    return found[0]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    on_no_build_server(monkeypatch)
    return tmp_path


@pytest.mark.parametrize("name", GROUP.commands)
def test_the_example_of_each_command_runs(project: Path, name: str):
    _, command, *arguments = shlex.split(example_of(name))
    assert command == name
    assert GROUP.commands[name].make_context(name, list(arguments)).params  # parses every option
    if name in PARSED_ONLY:
        return
    assert inline("init", "--example").code == 0
    shutil.copy("approved/deploy.yaml", "deploy.yaml")
    assert (
        inline("gate", "generated", "--format", "json", "--output", "result.json", "--history", "runs.jsonl").code == 0
    )
    if name == "init":
        (project / "empty").mkdir()
        arguments.append("empty")
    run = inline(name, *arguments, terminal=name == "review")
    assert (run.code, run.err) == (ENDS.get(name, 0), ""), run
    assert run.out


def test_the_first_steps_are_in_the_help():
    assert "\n  First steps: wfgate init --example\n" in inline("--help").out
