"""The recipes for CI, run as CI runs them: only the installation is left out."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from wfgate import __version__
from wfgate.setup import scaffold

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository in which wfgate is set up, and a candidate passes."""
    for path, text in scaffold("gitlab", "approved", "generated", __version__).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "approved").mkdir()
    (tmp_path / "generated").mkdir()
    shutil.copy(DEPLOY / "approved" / "deploy.yaml", tmp_path / "approved")
    generate(tmp_path, "reworded")
    return tmp_path


def generate(project: Path, name: str) -> None:
    shutil.copy(DEPLOY / "generated" / f"{name}.yaml", project / "generated" / "deploy.yaml")


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which this wfgate is installed."""
    folder = tmp_path_factory.mktemp("bin")
    script = f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m wfgate "$@"\n'
    (folder / "wfgate").write_text(script)
    (folder / "wfgate").chmod(0o755)
    home = str(tmp_path_factory.mktemp("home"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return {**kept, "PATH": f"{folder}{os.pathsep}{kept['PATH']}", "PRE_COMMIT_HOME": home, "CI": "true"}


def test_the_example_is_what_init_writes():
    made = scaffold("gitlab", "approved", "generated", __version__)
    assert (ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text() == made[".gitlab/wfgate.yml"]


@pytest.mark.parametrize(
    ("candidate", "code", "verdict"), [("reworded", 0, "pass"), ("missing-hardening", 1, "block")]
)
def test_the_gitlab_job(project: Path, environ: dict[str, str], candidate: str, code: int, verdict: str):
    generate(project, candidate)
    job = yaml.safe_load((project / ".gitlab" / "wfgate.yml").read_text())["wfgate"]
    assert job["before_script"] == [f'python -m pip install "wfgate=={__version__}"']
    script = "\n".join(["set -eo pipefail", *job["script"]])
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    for artifact in job["artifacts"]["paths"]:
        assert (project / artifact).stat().st_size > 0
    assert json.loads((project / "wfgate.json").read_text())["verdict"] == verdict


@pytest.mark.slow
@pytest.mark.parametrize("hook", HOOKS)
def test_the_pre_commit_hooks(project: Path, environ: dict[str, str], hook: str):
    installed = {**HOOKS[hook], "language": "system", "files": "^generated/"}
    (project / ".pre-commit-config.yaml").write_text(
        yaml.safe_dump({"repos": [{"repo": "local", "hooks": [installed]}]})
    )
    subprocess.run(["git", "init", "-q"], cwd=project, check=True, env=environ)

    def commit() -> tuple[int, str]:
        subprocess.run(["git", "add", "."], cwd=project, check=True, env=environ)
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
        done = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    code, said = commit()
    assert code == 0, said
    assert "Passed" in said
    if hook == "wfgate":
        generate(project, "missing-hardening")
    else:
        (project / "generated" / "deploy.yaml").write_text('wfgate: "1"\nsteps: [{id: a, needs: [a]}]\n')
    code, said = commit()
    assert code == 1
    assert ("BLOCK deploy" if hook == "wfgate" else "WF") in said


@pytest.mark.slow
def test_the_recipe_before_a_deployment(
    project: Path, environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory
):
    temp = tmp_path_factory.mktemp("runner")
    recipe = yaml.safe_load((ROOT / "examples" / "ci" / "predeploy.yml").read_text())
    steps = {step["name"]: step for job in recipe["jobs"].values() for step in job["steps"]}
    kept, fetched = steps["Keep the attestation"]["with"], steps["Fetch the attestation"]["with"]
    assert kept["name"] == fetched["name"]
    attestation, arrived = (Path(each["path"].replace("${{ runner.temp }}", str(temp))) for each in (kept, fetched))
    python = temp / "wfgate" / "bin" / "python"  # what the install step makes
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    (project / ".wfgate").symlink_to(ROOT)

    def run(step: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", steps[step]["run"]],
            cwd=project,
            env={**environ, **recipe["env"], "RUNNER_TEMP": str(temp)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def keep() -> None:
        arrived.mkdir(exist_ok=True)
        shutil.copy(attestation, arrived)

    unapproved = run("Gate strictly")
    assert (unapproved[0], "has no record of an approval" in unapproved[1]) == (3, True)
    here = {name: value for name, value in environ.items() if name != "CI"}
    approved = ["wfgate", "approve", "approved", "--by", "Ada"]
    subprocess.run(approved, cwd=project, env=here, check=True, capture_output=True)
    assert run("Gate strictly")[0] == 0
    keep()
    assert run("Verify")[0] == 0
    generate(project, "missing-hardening")  # another file than was gated
    code, said = run("Verify")
    assert (code, "not byte for byte" in said) == (1, True)
    assert run("Gate strictly")[0] == 1
    keep()
    code, said = run("Verify")
    assert (code, "did not pass" in said) == (1, True)
