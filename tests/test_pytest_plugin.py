"""The plugin in real test runs: in this process, or in another where imports and workers are the subject."""

import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from wfgate.approvals.signing import BUILD_SERVERS

ROOT = Path(__file__).parents[1]
GOLDEN = """\
wfgate: "1"
name: Ship a report
steps:
  - Collect the sales figures of the quarter
  - Remove duplicate rows from the table
  - Convert every amount to euros
  - Draw a chart of revenue by region
  - Ask the finance lead to approve the numbers
  - Publish the report on the intranet
"""
WORSE = GOLDEN.replace("  - Ask the finance lead to approve the numbers\n", "")
TESTS = f"""\
import wfgate
GOLDEN = {GOLDEN!r}
WORSE = {WORSE!r}

def test_same(workflow_gate):
    assert workflow_gate.check(GOLDEN, golden="report.yaml").verdict == "pass"

def test_worse(workflow_gate):
    workflow_gate.check(WORSE, golden="report.yaml")
"""


@dataclass
class Ran:
    code: int
    out: str
    counts: dict[str, int]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "approved").mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n')
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


ARGUMENTS = (
    *("-p", "wfgate.pytest_plugin", "-p", "no:cacheprovider", "--import-mode=importlib", "-rA"),
    *("-p", "no:unraisableexception"),  # it collects garbage five times, and this process is large
)


def environment(**env: str) -> dict[str, str]:
    dropped = (*BUILD_SERVERS, "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **plugins, **env}


def ran(code: int, out: str, err: str) -> Ran:
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", out)}
    return Ran(code, out + err, counts)


def run(folder: Path, *args: str, **env: str) -> Ran:
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        wanted = environment(**env)
        for name in os.environ.keys() - wanted.keys():
            patch.delenv(name)
        for name, value in wanted.items():
            patch.setenv(name, value)
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.chdir(folder)
        modules = set(sys.modules)
        code = pytest.main([*ARGUMENTS, *args])
        for name in set(sys.modules) - modules:
            if name.startswith("test_"):
                del sys.modules[name]
    return ran(code, out.getvalue(), err.getvalue())


def process(folder: Path, *args: str, **env: str) -> Ran:
    command = [sys.executable, "-m", "pytest", *ARGUMENTS, *args]
    done = subprocess.run(command, cwd=folder, env=environment(**env), capture_output=True, text=True, check=False)
    return ran(done.returncode, done.stdout, done.stderr)


def test_a_failure_says_what_broke_and_shows_no_traceback_of_ours(project: Path):
    done = run(project)
    assert (done.code, done.counts) == (1, {"passed": 1, "failed": 1})
    assert "'Ask the finance lead to approve the numbers' is missing" in " ".join(done.out.split())
    assert "pytest --wfgate-update replaces approved/report.yaml" in " ".join(done.out.split())
    assert str(project / "approved") not in done.out
    assert "pytest_plugin.py" not in done.out
    assert sorted(path.name for path in (project / "approved").iterdir()) == ["report.yaml"]


def test_a_test_may_change_the_working_directory(project: Path):
    (project / "test_it.py").write_text(
        f"GOLDEN = {GOLDEN!r}\n"
        "def test_elsewhere(workflow_gate, monkeypatch, tmp_path):\n"
        "    assert workflow_gate.check(GOLDEN, golden='report.yaml').golden == 'approved/report.yaml'\n"
        "    monkeypatch.chdir(tmp_path)\n"
        "    assert workflow_gate.check(GOLDEN, golden='report.yaml').verdict == 'pass'\n"
    )
    done = run(project)
    assert done.code == 0, done.out


def test_update_approves_what_does_not_pass_and_then_it_passes(project: Path):
    refused = run(project, "--wfgate-update", "-k", "worse")
    assert (refused.code, "--wfgate-reason '<why>'" in " ".join(refused.out.split())) == (1, True)
    assert (project / "approved" / "report.yaml").read_text() == GOLDEN
    first = run(project, "--wfgate-update", "--wfgate-reason", "meant by all", "-k", "worse")
    assert (first.code, first.counts) == (0, {"passed": 1})
    assert (project / "approved" / "report.yaml").read_text() == WORSE
    (recorded,) = json.loads((project / "approved" / "report.yaml.approvals").read_text())["approvals"]
    assert (recorded["verdict"], recorded["against"]) == ("block", "report.yaml")
    assert run(project, "-k", "worse").code == 0


def test_update_is_refused_on_a_build_server(project: Path):
    done = run(project, "--wfgate-update", CI="true")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "CI is set" in done.out
    assert (project / "approved" / "report.yaml").read_text() == GOLDEN
    assert run(project, "-k", "same", CI="true").code == 0


def test_every_kind_of_candidate_the_first_golden_and_variants(project: Path):
    (project / "worse.yaml").write_text(WORSE)
    (project / "approved" / "report@2.yaml").write_text(WORSE)
    (project / "test_it.py").write_text(
        f"import wfgate\nfrom pathlib import Path\nWORSE = {WORSE!r}\n"
        "STEPS = {'wfgate': '1', 'steps': ['Build', 'Test', 'Scan', 'Deploy']}\n"
        "def test_kinds(workflow_gate):\n"
        "    for one in (WORSE, 'worse.yaml', Path('worse.yaml'), wfgate.load('worse.yaml')):\n"
        "        assert workflow_gate.check(one, golden='report.yaml').verdict == 'pass'\n"
        "def test_new(workflow_gate):\n    workflow_gate.check(STEPS, golden='new/build.yaml')\n"
        "def test_new_workflow(workflow_gate):\n"
        "    workflow_gate.check(wfgate.load('worse.yaml'), golden='new/report.yaml')\n"
        "def test_nothing(workflow_gate):\n    workflow_gate.check(3, golden='report.yaml')\n"
        "def test_empty(workflow_gate):\n    workflow_gate.check({'wfgate': '1', 'steps': []}, golden='empty.yaml')\n"
    )
    done = run(project)
    assert done.counts == {"passed": 1, "failed": 4}
    assert "there is no golden" in done.out
    assert "int is not a workflow" in done.out
    updated = run(project, "--wfgate-update")
    assert updated.counts == {"passed": 3, "failed": 2}, updated.out
    assert not (project / "approved" / "empty.yaml").exists()
    assert {path.name for path in (project / "approved" / "new").iterdir()} == {
        *("build.yaml", "build.yaml.approvals", "report.yaml", "report.yaml.approvals")
    }
    assert run(project, "-k", "new").code == 0


def test_without_a_folder_of_references_the_test_s_own_folder_counts(project: Path):
    (project / "wfgate.toml").unlink()
    (project / "approved" / "report.yaml").rename(project / "report.yaml")
    assert run(project, "-k", "same").code == 0


def test_a_broken_golden_is_not_approved_by_the_way(project: Path):
    broken = {"wfgate": "1", "steps": [{"id": "a", "name": "Build", "needs": ["b"]}, {"id": "b", "needs": ["a"]}]}
    (project / "test_it.py").write_text(
        f"def test_it(workflow_gate):\n    workflow_gate.check({broken!r}, golden='broken.yaml')\n"
    )
    done = run(project, "--wfgate-update")
    assert done.code == 1
    assert "an approval needs a reason" in done.out
    assert not (project / "approved" / "broken.yaml").exists()


def test_a_profile_that_does_not_fit_fails_the_test_with_one_sentence(project: Path):
    (project / "wfgate.toml").write_text('reference = "approved"\nmetrics = ["bleu"]\n')
    done = run(project, "-k", "same")
    assert done.code == 1
    assert "has another signature" in done.out
    assert "Traceback" not in done.out


@pytest.mark.slow
def test_processes_of_xdist_approve_side_by_side(project: Path):
    cases = "".join(
        f"def test_{n}(workflow_gate):\n    workflow_gate.check(GOLDEN, golden='many/{n}.yaml')\n" for n in range(8)
    )
    (project / "test_it.py").write_text(f"GOLDEN = {GOLDEN!r}\n{cases}")
    done = process(project, "-p", "xdist.plugin", "-n", "2", "--wfgate-update")
    assert (done.code, done.counts) == (0, {"passed": 8}), done.out
    assert len(list((project / "approved" / "many").iterdir())) == 16
    assert process(project, "-p", "xdist.plugin", "-n", "2").code == 0


def test_it_costs_nothing_where_it_is_not_used(project: Path):
    (project / "test_it.py").write_text(
        "import sys\ndef test_it():\n"
        "    assert not {'numpy', 'pydantic', 'networkx', 'typer', 'yaml', 'scipy'} & set(sys.modules)\n"
    )
    done = process(project)
    assert (done.code, done.counts) == (0, {"passed": 1}), done.out
    assert "--wfgate-update" in process(project, "--help").out


def test_it_is_installed_as_a_plugin():
    said = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nwfgate = "wfgate.pytest_plugin"\n' in said
