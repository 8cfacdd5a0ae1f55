"""The same input, the same bytes: whatever the hash seed, the language, the time zone, the processes, the folder, the
interpreter. Real processes throughout.

`WFGATE_PYTHONS` names interpreters that have wfgate's dependencies (several are separated as in PATH); else those of
another minor version are looked for on PATH.
"""

import json
import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import wfgate

ROOT = Path(__file__).parents[2]
PACKAGE = Path(wfgate.__file__).parents[1]
FORMATS = ("json", "markdown", "sarif", "html", "junit", "text")
CASES = ("reworded", "missing-hardening", "squeezed-observability", "deploy-before-approval")
COMMANDS = {
    "gate": (
        *("gate", "generated", "--reference", "approved", "--jobs", "1"),
        *(word for kind in FORMATS for word in ("--format", kind, "--output", f"out/report.{kind}")),
    ),
    "show": ("show", "approved/reworded.yaml", "--format", "svg"),
    "facts": ("facts", "approved/reworded.yaml", "--format", "json"),
    "perturb": ("perturb", "approved/reworded.yaml", "--operator", "missing", "--severity", "0.3", "--seed", "7"),
}
CALIBRATE = ("calibrate", "corpus.jsonl", "--output", "out/profile.json", "--report", "out/report")
NOW = {"SOURCE_DATE_EPOCH": "1735689600"}  # a page says when it was made
PLAIN = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TZ": "UTC", **NOW}
GOLDENS = 5
PROGRESS = re.compile(rb"[a-z ]+: [\d,]+ of [\d,]+")  # every ten seconds, so on a slow machine only


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A project with references, candidates, and a corpus of its own."""
    folder = tmp_path_factory.mktemp("home")
    deploy = ROOT / "examples" / "deploy"
    for place in ("approved", "generated"):
        (folder / place).mkdir()
    for case in CASES:
        shutil.copyfile(deploy / "approved" / "deploy.yaml", folder / "approved" / f"{case}.yaml")
        shutil.copyfile(deploy / "generated" / f"{case}.yaml", folder / "generated" / f"{case}.yaml")
    corpus = (ROOT / "calibration" / "corpora" / "ops" / "ops.jsonl").read_text(encoding="utf-8").splitlines()
    corpus.sort(key=lambda line: len(json.loads(line)["steps"]))  # small ones are scored soon
    (folder / "corpus.jsonl").write_text("\n".join(corpus[:GOLDENS]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def elsewhere(home: Path, tmp_path: Path):
    """Copies of the project, each in another folder."""
    numbers = iter(range(100))

    def copy(name: str = "copy") -> Path:
        return Path(shutil.copytree(home, tmp_path / f"{name} {next(numbers)}" / "ä folder"))

    return copy


def run(folder: Path, *words: str, python: str = sys.executable, env: Mapping[str, str] = {}) -> dict[str, bytes]:
    """Run a command and return all that it says and leaves behind."""
    (folder / "out").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "NO_COLOR", "FORCE_COLOR"}}
    known = str(PACKAGE) if python == sys.executable else _path_of(python)
    done = subprocess.run(
        [python, "-m", "wfgate", *words],
        cwd=folder,
        env={**kept, "COLUMNS": "80", "PYTHONPATH": known, **PLAIN, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=500,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr.decode()
    err = b"".join(line for line in done.stderr.splitlines(keepends=True) if not PROGRESS.match(line))
    said = {"code": str(done.returncode).encode(), "stdout": done.stdout, "stderr": err}
    files = {path.name: path.read_bytes() for path in sorted((folder / "out").rglob("*")) if path.is_file()}
    return {**said, **{name: content for name, content in files.items() if not name.endswith(".sqlite")}}


def _path_of(python: str) -> str:
    """Return where another interpreter finds wfgate; one of the same minor version may use our packages."""
    same = _version(python)[:2] == sys.version_info[:2]
    return os.pathsep.join([str(PACKAGE), *(site.getsitepackages() if same else ())])


def _runs(python: str | None) -> bool:
    """Return whether there is an interpreter: what stands on the path may be a sign that leads nowhere."""
    return bool(python) and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def _version(python: str) -> tuple[int, ...]:
    said = [python, "-c", "import sys; print(*sys.version_info[:3])"]
    return tuple(map(int, subprocess.run(said, capture_output=True, check=True, text=True).stdout.split()))


_first: dict[str, dict[str, bytes]] = {}


def expected(home: Path, elsewhere, command: str) -> dict[str, bytes]:
    """Return what a command says in plain surroundings, run once per process of the tests."""
    if command not in _first:
        words = (*CALIBRATE, "--jobs", "1") if command == "calibrate" else COMMANDS[command]
        _first[command] = run(elsewhere("plain"), *words)
        assert len(_first[command]) > 3 or _first[command]["stdout"]
    return _first[command]


OTHER = {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "LANG": "C", "TZ": "Pacific/Chatham", "OMP_NUM_THREADS": "2"}
"""Everything that may differ does: which thing it was, somebody finds out who sees a difference."""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_other_surroundings(command, home, elsewhere):
    plain = expected(home, elsewhere, command)
    assert run(elsewhere("another"), *COMMANDS[command], env=OTHER) == plain
    if command == "gate":
        assert set(plain) == {"code", "stdout", "stderr", *(f"report.{kind}" for kind in FORMATS)}
        assert plain["code"] == b"1"


@pytest.fixture(scope="module", params=["de_DE", "tr_TR"])
def language(request, tmp_path_factory) -> dict[str, str]:
    """A language whose numbers have commas, and one whose small I has no dot: compiled, if it is not installed."""
    folder = tmp_path_factory.mktemp("locales")
    name = f"{request.param}.UTF-8"
    if shutil.which("localedef"):
        command = ["localedef", "--no-warnings=ascii", "-i", request.param, "-f", "UTF-8", str(folder / name)]
        subprocess.run(command, check=False, capture_output=True)
    made = {"LOCPATH": str(folder)} if (folder / name).exists() else {}
    env = {"LC_ALL": name, "LANG": name, **made}
    asked = "import locale; print(locale.setlocale(locale.LC_ALL, ''), locale.str(1.5))"
    said = subprocess.run(
        [sys.executable, "-c", asked], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    if said.returncode or said.stdout.split() != [name, "1,5"]:
        pytest.skip(f"the locale {name} is neither installed nor can it be compiled here")
    return env


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_languages(language, command, home, elsewhere):
    env = {**language, "PYTHONHASHSEED": "random", "TZ": "Asia/Kathmandu"}
    assert run(elsewhere(), *COMMANDS[command], env=env) == expected(home, elsewhere, command)


@pytest.mark.slow
def test_processes_of_a_gate(elsewhere):
    folder = elsewhere()
    golden = {"wfgate": "1", "steps": ["Fetch the records", "Clean the records", "Publish the report"]}
    others = ("Publish the report", "Print the report", "Publish a report", "Burn the report")
    cases = [
        {"id": f"case-{number}", "golden": golden, "candidate": {**golden, "steps": [*golden["steps"][:2], last]}}
        for number, last in enumerate(others * 40)
    ]
    (folder / "suite.jsonl").write_text("\n".join(map(json.dumps, cases)))
    reports = [word for kind in FORMATS for word in ("--format", kind, "--output", f"out/report.{kind}")]
    first, second = (
        run(folder, "gate", "--pairs", "suite.jsonl", "--jobs", jobs, *reports, env={"PYTHONHASHSEED": jobs})
        for jobs in ("1", "2")
    )
    assert first == second
    assert first["report.json"].count(b'"id": "case-') >= len(cases)


@pytest.mark.slow
def test_processes_of_a_calibration(home, elsewhere):
    other = {"PYTHONHASHSEED": "3", "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    found = run(elsewhere(), *CALIBRATE, "--jobs", "2", env=other)
    plain = expected(home, elsewhere, "calibrate")
    assert plain["profile.json"]
    said = {"stdout", "stderr"}  # how long it took
    assert {name: found[name] for name in found.keys() - said} == {name: plain[name] for name in plain.keys() - said}


def others() -> list[str]:
    """Return interpreters to compare with, those that can run wfgate."""
    named = os.environ.get("WFGATE_PYTHONS", "").split(os.pathsep)
    found = [shutil.which(f"python3.{minor}") for minor in range(11, 16) if minor != sys.version_info[1]]
    able = []
    for python in filter(None, named if any(named) else filter(_runs, found)):
        asked = [python, "-c", "import wfgate.cli, onnxruntime, pydantic, scipy, tokenizers, yaml"]
        env = {**os.environ, "PYTHONPATH": _path_of(python)}
        done = subprocess.run(asked, env=env, capture_output=True, check=False, cwd="/")
        assert done.returncode == 0 or not any(named), f"{python} of WFGATE_PYTHONS cannot run wfgate: {done.stderr!r}"
        able += [python] if done.returncode == 0 else []
    return able


@pytest.mark.slow
@pytest.mark.parametrize("command", [*COMMANDS, "calibrate"])
def test_another_python(command, home, elsewhere):
    pythons = others()
    if not pythons:
        pytest.skip("no second version of Python that can run wfgate: name one in WFGATE_PYTHONS")
    plain = expected(home, elsewhere, command)
    for python in pythons:
        words = (*CALIBRATE, "--jobs", "1") if command == "calibrate" else COMMANDS[command]
        found = run(elsewhere(), *words, python=python)
        said = {"stdout", "stderr"} if command == "calibrate" else set()
        assert {name: found[name] for name in found.keys() - said} == {
            name: plain[name] for name in plain.keys() - said
        }, f"Python {_version(python)}"
