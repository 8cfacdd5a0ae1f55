"""Shell completion: the protocols of bash, zsh and fish, and the shells themselves where they are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.cli import completion
from wfgate.decide import SHIPPED_PROFILES
from wfgate.read import FORMATS
from wfgate.rules import CHECKS
from wfgate.show import REPORTERS

from .conftest import Run, inline

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_WFGATE_COMPLETE"


def completed(monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> Run:
    """Return what the program answers when a shell asks for the completions of the last word of a line."""
    words = line.split(" ")
    asked = {"bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}}
    typed = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    for name, value in {VARIABLE: f"complete_{shell}", **asked.get(shell, typed)}.items():
        monkeypatch.setenv(name, value)
    return inline()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wfgate li", ["lint", "list"]),
        ("wfgate gate --format ", [*REPORTERS]),
        ("wfgate lint --format ", ["text", "json"]),
        ("wfgate show --format s", ["svg"]),
        ("wfgate init --ci ", ["github", "gitlab", "none"]),
        ("wfgate explain WR10", [key for key in CHECKS if key.startswith("WR10")]),
        ("wfgate explain graph", ["graph-json", "graph-f1"]),
        ("wfgate list m", ["meaning-models", "metrics"]),
        ("wfgate schema exam", ["exam", "exam-certificate"]),
        ("wfgate gate --profile ", [*SHIPPED_PROFILES]),
        ("wfgate gate --profile re", ["reworded"]),
        ("wfgate lint --from ", [*FORMATS]),
        ("wfgate convert a.yaml --to ", [key for key, form in FORMATS.items() if form.writes]),
        ("wfgate perturb a.yaml --operator ", [*PERTURBATIONS]),
        ("wfgate facts a.yaml --pattern flow-", ["flow-cycle", "flow-start", "flow-end"]),
        ("wfgate score --metric gr", ["graph-f1"]),
        ("wfgate score --embedder st", ["static-minilm"]),
        ("wfgate gate app", []),
        ("wfgate gate --reference app", []),
        ("wfgate gate --profile ./p", []),
    ],
)
def test_what_bash_is_offered_and_where_it_completes_files(
    monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]
):
    run = completed(monkeypatch, "bash", line)
    assert (run.code, run.err) == (0, "")
    assert run.out.split() == offered


def test_zsh_and_fish_show_what_each_value_is(monkeypatch: pytest.MonkeyPatch):
    fish = completed(monkeypatch, "fish", "wfgate explain WR101").out
    assert fish == "WR101\tA golden step is missing in the candidate.\n"
    zsh = completed(monkeypatch, "zsh", "wfgate explain WR101").out
    assert zsh == '_arguments \'*: :(("WR101":"A golden step is missing in the candidate."))\'\n'
    assert completed(monkeypatch, "zsh", "wfgate gate app").out == "_files\n"


def test_a_completion_that_fails_offers_nothing(monkeypatch: pytest.MonkeyPatch):
    assert [*completion.ids("wfgate.no_such_module:X")("")] == []
    monkeypatch.setattr(completion, "_fits", lambda *_: 1 / 0)
    run = completed(monkeypatch, "bash", "wfgate explain WR10")
    assert (run.code, run.out.strip(), run.err) == (0, "", "")


def test_every_shipped_profile_is_offered():
    assert tuple(completion.PROFILES) == SHIPPED_PROFILES


ASK = {
    "bash": "source {script}; COMP_WORDS=(wfgate list m); COMP_CWORD=2; _wfgate_completion wfgate; "
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "fish": 'source {script}; complete -C "wfgate list m"',
    # `compdef` and `_arguments` need a terminal; the spec that they get is printed instead
    "zsh": "compdef() {{ }}; _arguments() {{ print -r -- $1 }}; source {script}; words=(wfgate list m); CURRENT=3; "
    "_wfgate_completion",
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_in_the_shell_itself(shell: str, tmp_path: Path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "wfgate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wfgate "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}

    def out(*command: str, **extra: str) -> str:
        done = subprocess.run(
            command, env=environment | extra, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
        )
        assert done.stderr == ""
        return done.stdout

    script = tmp_path / "completion"
    script.write_text(out("wfgate", **{VARIABLE: f"source_{shell}"}))
    clean = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
    said = out(shell, clean, "-c", ASK[shell].format(script=script))
    offered = '*: :(("meaning-models" "metrics"))\n' if shell == "zsh" else "meaning-models\nmetrics\n"
    assert said == offered
