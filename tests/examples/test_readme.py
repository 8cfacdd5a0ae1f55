"""What the README says to type, typed."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from wfgate.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def _block(language: str, holding: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(next(block for block in blocks if holding in block))


def _commands() -> list[str]:
    lines = [line.partition("#")[0] for line in _block("", "pip install .").splitlines()]
    parts = [part.strip() for line in lines for part in line.split(";")]
    return [part.replace("...", "") for part in parts if part.startswith("wfgate ")]


@pytest.mark.parametrize("line", _commands())
def test_the_commands_parse(line: str):
    _, name, *arguments = shlex.split(line)
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = group.commands[name].make_context(name, arguments)  # parses every flag, runs nothing
    assert context.params


def test_every_command_is_shown():
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    assert {line.split()[1] for line in _commands()} == {
        name for name, one in group.commands.items() if not one.hidden
    }


def test_the_exit_codes_are_those_of_the_program():
    from wfgate.cli import app as program  # noqa: PLC0415 - the module, not the application

    table = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    names = ("EXIT_USAGE", "EXIT_NOTHING_COMPARED", "EXIT_INCONCLUSIVE", "EXIT_INTERNAL", "EXIT_INTERRUPTED")
    assert table == {0, 1, *(getattr(program, name) for name in names)}


def test_the_python_snippet_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT / "examples" / "deploy")
    code = _block("python", "wfgate.gate").replace("generated/deploy.yaml", "generated/missing-hardening.yaml")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own README
    assert capsys.readouterr().out.startswith("block the critical step")
