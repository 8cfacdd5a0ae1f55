"""What every command has to get right as a process: help, pipes, signals, encodings."""

import ast
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfgate.read import FORMATS

from .conftest import APPROVED, GENERATED, GOLDEN, ROOT, command, environment, inline, is_error, once, process

HEADINGS = {
    "Gate": ("init", "gate", "lint", "predeploy", "doctor", "history", "mcp"),
    "Accept": ("approve", "review", "pending", "acceptances", "contract", "rules"),
    "Understand": ("explain", "diff", "show", "facts", "score", "convert", "list", "schema"),
    "Calibrate": ("calibrate", "write", "perturb", "plan"),
    "Models": ("generate", "exam"),
}
COMMANDS = tuple(name for names in HEADINGS.values() for name in names)


def test_help_lists_every_command_and_cuts_no_sentence():
    run = once("--help")
    assert (run.code, run.err) == (0, "")
    listed = run.out.partition("\nGate:\n")[2]
    assert re.findall(r"^  (\w+)  +\S", listed, re.MULTILINE) == list(COMMANDS)
    assert "..." not in listed.replace(", ...", "")
    assert max(map(len, run.out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_fits_80_columns(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    run = inline(name, "--help")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"Usage: wfgate {name} ")
    assert max(map(len, run.out.splitlines())) <= 80
    described = re.findall(r"^  (?:-\w, )?--[\w-]+(?:, --[\w-]+)?(?: \S+)?(  +\S|$)", run.out, re.MULTILINE)
    assert described
    assert re.search(r"\d+(\.\d+)? (s|ms|seconds)\b", run.out) is None


def test_without_arguments_the_help_is_shown():
    run = process()
    assert run.code == 2
    assert "Usage: wfgate" in run.out + run.err


def test_version():
    run = process("--version")
    assert (run.code, run.err) == (0, "")
    assert re.fullmatch(r"wfgate \d+\.\d+\.\d+\n", run.out)


def test_help_imports_nothing_heavy():
    heavy = (*("numpy", "pydantic", "networkx", "scipy", "rich"), *("wfgate.cli.gate", "mcp", "wfgate.mcp"))
    assert loaded(heavy, "--help") == []


def test_a_gate_of_equal_steps_loads_no_network_and_no_embeddings(tmp_path):
    files = [tmp_path / "golden.json", tmp_path / "candidate.json"]
    for file, other in zip(files, ("ops", "web"), strict=True):
        steps = ["Back up the database", "Apply the migration", "Restart the service"]
        file.write_text(json.dumps({"wfgate": "1", "name": other, "steps": steps}), encoding="utf-8")
    heavy = (
        "onnxruntime",
        "tokenizers",
        "networkx",
        "scipy",
        "yaml",
        "wfgate.language.authority",
        "mcp",
        "wfgate.mcp",
    )
    assert loaded(heavy, "gate", "--reference", *map(str, files)) == []


def loaded(modules, *arguments):
    """Which of these modules a command imports."""
    code = f"import sys; sys.argv = ['wfgate', *{arguments!r}]\nfrom wfgate.cli import run\n"
    code += "try: run()\nexcept SystemExit as stop: assert not stop.code\n"
    code += f"print([name for name in {modules!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return ast.literal_eval(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("list", "metrics"), 0),
        (("--help",), 0),
        pytest.param(("schema", "result"), 0, marks=pytest.mark.slow),
        pytest.param(("gate", f"{GENERATED}/missing-hardening.yaml", "-r", APPROVED), 1, marks=pytest.mark.slow),
    ],
)
def test_a_reader_that_goes_away_changes_no_exit_code(arguments: tuple[str, ...], code: int):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command(*arguments), cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, env=environment(), check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (code, b"")


def test_nothing_is_loaded_from_the_working_directory(tmp_path: Path):
    """Neither a plug-in that a checkout brings, nor a module with the name of one that wfgate needs."""
    mark = "open('loaded', 'w').close()\n"
    for module in ("stranger", "numpy", "pydantic", "typer", "yaml", "json", "usercustomize"):
        (tmp_path / f"{module}.py").write_text(mark)
    (tmp_path / "stranger-1.0.dist-info").mkdir()
    (tmp_path / "stranger-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n"
    )
    (tmp_path / "stranger-1.0.dist-info" / "entry_points.txt").write_text("[wfgate.formats]\nodd = stranger:Odd\n")
    (tmp_path / "a.yaml").write_text(GOLDEN)
    assert process("lint", "a.yaml", cwd=tmp_path).code == 0
    assert process("list", "formats", cwd=tmp_path).code == 0
    assert not (tmp_path / "loaded").exists()


def test_a_gate_that_asks_the_model_leaves_nothing_in_the_home(tmp_path: Path):
    """The library that runs the network keeps a device id and reports to its vendor, unless it is told not to."""
    known = {name: "" for name in os.environ if name == "CI" or name.startswith(("GITHUB_", "XDG_"))}
    deploy = ROOT / "examples" / "deploy"
    pair = (deploy / "generated" / "reworded.yaml", "--reference", deploy / "approved" / "deploy.yaml")
    run = process("gate", *pair, env={**known, "HOME": str(tmp_path), "WFGATE_CACHE": "off"}, cwd=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_output_is_utf8_whatever_the_locale(tmp_path: Path):
    (tmp_path / "w.yaml").write_text('wfgate: "1"\nsteps: [Préparer le café ☕]\n', "utf-8")
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    run = process("convert", tmp_path / "w.yaml", "--to", "worfbench", env=plain)
    assert (run.code, run.err) == (0, "")
    assert "1: Préparer le café ☕\n" in run.out


def test_an_internal_error_is_70_and_never_a_verdict(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a\x1b[31mb")

    monkeypatch.setattr(type(FORMATS["native"]), "read", broken)
    monkeypatch.delenv("WFGATE_DEBUG", raising=False)
    run = inline("lint", APPROVED)
    assert is_error(run, 70, "internal error: ZeroDivisionError: a\\x1b[31mb", "WFGATE_DEBUG=1")
    monkeypatch.setenv("WFGATE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        inline("lint", APPROVED)


def test_a_cut_file_of_compiled_code_is_an_internal_error_too(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr(type(FORMATS["native"]), "read", broken)
    run = inline("lint", APPROVED)  # typer's own answer is "Aborted!" and exit code 1, that of a regression
    assert (run.code, run.out) == (70, "")
    assert "error: internal error: EOFError: marshal data too short" in run.err


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_stops_a_calibration_that_can_go_on_later(tmp_path: Path, jobs: str):
    goldens = (ROOT / "calibration/corpora/worfbench/goldens.jsonl").read_text().splitlines()[:10]
    (tmp_path / "goldens.jsonl").write_text("\n".join(goldens))
    scores = tmp_path / "scores.sqlite"
    arguments = ("calibrate", tmp_path / "goldens.jsonl", "--jobs", jobs, "--scores", scores)
    started = subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    while started.poll() is None and not _rows(scores):
        time.sleep(0.05)  # until it works: there is nothing else to wait for
    os.killpg(started.pid, signal.SIGINT)  # what a terminal does: every process of the group gets it
    out, err = started.communicate()
    assert (started.returncode, out) == (130, "")
    said = [line for line in err.splitlines() if not line.startswith("scoring variants: ")]  # on a slow machine
    assert said == ["error: interrupted", f"  fix: run the command again: it resumes from {scores}"]
    kept = _rows(scores)
    assert kept > 0
    again = process(*arguments)
    assert _rows(scores) > kept
    assert again.code in {0, 2}  # ten goldens without rewordings are too few for the promise: it says so
    assert "score table" not in again.err


def _rows(scores: Path) -> int:
    if not scores.exists():
        return 0
    with sqlite3.connect(f"file:{scores}?mode=ro", uri=True) as connection:
        try:
            return int(connection.execute("SELECT COUNT(*) FROM scores").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_json_output_of_every_command_is_json():
    for arguments in (
        ("lint", ROOT / APPROVED, "--format", "json"),
        ("score", ROOT / APPROVED, ROOT / APPROVED, "--format", "json"),
        ("list", "checks", "--format", "json"),
    ):
        run = inline(*arguments)
        assert (run.code, run.err) == (0, "")
        assert run.data
        assert run.out.isascii()


@pytest.mark.parametrize("name", ["lint", "score", "list"])
def test_an_unknown_format_is_a_usage_error(name: str):
    given = {"lint": [APPROVED], "score": [APPROVED, APPROVED], "list": ["checks"]}[name]
    run = inline(name, *given, "--format", "xml")
    assert (run.code, run.out) == (2, "")
    assert "'xml' is not one of" in run.err


def test_json_lines_come_as_they_are_judged():
    """Whoever sends a long suite through a pipe reads the first answers before the last question is asked."""
    step = {"wfgate": "1", "steps": ["Fetch the rows", "Check the rows", "Send the rows"]}
    lines = [json.dumps({"id": str(number), "golden": step, "candidate": step}) + "\n" for number in range(140)]
    arguments = ("gate", "--pairs", "-", "--format", "jsonl", "--jobs", "1")
    with subprocess.Popen(
        command(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.writelines(lines[:135])
        process.stdin.flush()
        first = [json.loads(process.stdout.readline())["id"] for _ in range(130)]
        process.stdin.writelines(lines[135:])
        process.stdin.close()
        rest = [json.loads(line)["id"] for line in process.stdout]
    assert [*first, *rest] == [str(number) for number in range(140)]
    assert process.returncode == 0


def test_the_help_has_groups(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert re.findall(r"^(\w+):$", inline("--help").out, re.MULTILINE) == ["Options", *HEADINGS]
    few, many = (re.findall(r"^(\w+):$", inline(name, "--help").out, re.MULTILINE) for name in ("show", "gate"))
    assert few == ["Arguments", "Options"]
    assert many == ["Arguments", "Options", "Rules", "Reports", "Run", "Scoring"]


COMPUTING = """
import sys
import wfgate.cli.app as application

def compute():
    print("computing", flush=True)
    {body}

application.app.registered_commands.clear()
application.app.command("compute")(compute)
application.app.command("other")(lambda: None)
sys.argv = ["wfgate", "compute"]
application.run()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="calls the C library")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("while True: sum(range(1000))", id="python"),
        # Locked twice: native code that never returns and that no signal interrupts, as a solver that computes.
        pytest.param(
            "import ctypes; lock = ctypes.CDLL(None).pthread_mutex_lock; own = (ctypes.c_char * 64)()\n"
            "    lock(own), lock(own)",
            id="native",
        ),
    ],
)
def test_an_interrupt_ends_any_computation(body: str, sign: signal.Signals):
    with subprocess.Popen(
        [sys.executable, "-c", COMPUTING.replace("{body}", body)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "computing\n"
        time.sleep(0.2)  # until the computation has begun
        started.send_signal(sign)
        _, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (130, "error: interrupted\n")
