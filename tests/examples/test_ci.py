"""The recipes for CI, run as CI runs them: only the installation is left out."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.approvals.forge.gitlab_server import GitLab
from wfgate.setup import NO_COMMIT, scaffold

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository in which wfgate is set up, and a candidate passes."""
    for path, text in scaffold("gitlab", "approved", "generated").items():
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
    cache = str(tmp_path_factory.getbasetemp() / "cache")  # few pairs, many processes
    path = f"{folder}{os.pathsep}{kept['PATH']}"
    return {**kept, "PATH": path, "PRE_COMMIT_HOME": home, "CI": "true", "WFGATE_CACHE": cache}


def test_the_example_is_what_init_writes():
    made = scaffold("gitlab", "approved", "generated")
    assert (ROOT / "examples" / "ci" / "gitlab-ci.yml").read_text() == made[".gitlab/wfgate.yml"]


def gitlab(project: Path, environ: dict[str, str], **variables: str) -> tuple[int, str]:
    """Run the script of the job, and return its exit code and what it said."""
    job = yaml.safe_load((project / ".gitlab" / "wfgate.yml").read_text())["wfgate"]
    script = "\n".join(["set -eo pipefail", *job["script"]])
    command, env = ["bash", "-c", script], environ | variables
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def git(folder: Path, environ: dict[str, str], *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments]
    return subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "code", "verdict"),
    [("reworded", 0, "pass"), ("missing-hardening", 1, "block")],
)
def test_the_gitlab_job(project: Path, environ: dict[str, str], candidate: str, code: int, verdict: str):
    generate(project, candidate)
    job = yaml.safe_load((project / ".gitlab" / "wfgate.yml").read_text())["wfgate"]
    found, said = gitlab(project, environ)
    assert found == code, said
    for artifact in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (project / artifact).stat().st_size > 0
    assert ET.parse(project / "wfgate.xml").getroot().get("tests") == "1"  # noqa: S314 - our own
    assert json.loads((project / "wfgate.json").read_text())["verdict"] == verdict


def test_the_gitlab_job_has_what_the_base_revision_needs(project: Path):
    job = yaml.safe_load((project / ".gitlab" / "wfgate.yml").read_text())["wfgate"]
    git, wfgate = job["before_script"]
    assert "slim" in job["image"]  # which has no git
    assert re.search(r"apt-get install .* git$", git)
    assert wfgate == f'python -I -m pip install "wfgate @ git+https://github.com/wfgate/wfgate@{NO_COMMIT}"'
    assert job["variables"]["GIT_DEPTH"] == "0"  # all of the history, and not the runner's default


def test_the_gitlab_job_runs_no_python_of_the_checkout(project: Path, environ: dict[str, str]):
    """The installation is run, with modules of a merge request in the way of pip and of what pip imports."""
    job = yaml.safe_load((project / ".gitlab" / "wfgate.yml").read_text())["wfgate"]
    for name in ("pip.py", "sitecustomize.py", "logging.py"):
        (project / name).write_text("open('ran', 'w').close()\n")
    python = Path(environ["PATH"].partition(os.pathsep)[0]) / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    offline = environ | {"PIP_NO_INDEX": "1", "PYTHONPATH": "."}
    command = ["bash", "-c", re.sub('".*"', "package-that-does-not-exist", job["before_script"][-1])]
    done = subprocess.run(command, cwd=project, env=offline, capture_output=True, text=True, check=False)
    assert not (project / "ran").exists()
    assert re.search("package-that-does-not-exist|No module named pip", done.stderr), done.stdout


def loosen_policy(project: Path) -> None:
    file = project / "wfgate.toml"
    lax = file.read_text().replace("block_severity = 0.0", "block_severity = 1.0")
    file.write_text(lax.replace('fail_on = "review"', 'fail_on = "block"'))


def change_reference(project: Path) -> None:
    shutil.copy(project / "generated" / "deploy.yaml", project / "approved" / "deploy.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loosen", "named"), [(loosen_policy, "wfgate.toml (configuration)"), (change_reference, "approved/deploy.yaml")]
)
def test_a_merge_request_cannot_loosen_its_own_gate(
    project: Path, environ: dict[str, str], loosen: Callable[[Path], None], named: str
):
    request = merge_request(project, environ)
    base = git(project, environ, "rev-parse", "HEAD")
    generate(project, "squeezed-observability")
    loosen(project)
    git(project, environ, "commit", "-q", "-a", "-m", "worse, and the gate is loosened")
    code, said = gitlab(project, environ, **request)
    assert code == 1, said
    assert "BLOCK deploy" in said
    assert named in said.replace("\n", " ")
    assert json.loads((project / "wfgate.json").read_text())["base"]["commit"] == base
    assert gitlab(project, environ)[0] == 0  # what the base revision holds off; so it would be merged
    for name in ("nowhere", ""):
        code, said = gitlab(project, environ, **request | {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": name})
        assert code not in {0, 1}, said  # never without a base


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["old commit", "lax target", "fork"])
def test_a_merge_request_does_not_choose_its_rules(project: Path, environ: dict[str, str], attack: str):
    strict = (project / "wfgate.toml").read_text()
    loosen_policy(project)
    request = merge_request(project, environ)
    lax = git(project, environ, "rev-parse", "HEAD")
    git(project, environ, "switch", "-q", "main")
    (project / "wfgate.toml").write_text(strict)
    git(project, environ, "commit", "-q", "-a", "-m", "stricter")
    git(project, environ, "push", "-q", "origin", "main", f"{lax}:refs/heads/lax")
    git(project, environ, "switch", "-q", "request" if attack == "old commit" else "main")
    generate(project, "squeezed-observability")
    git(project, environ, "commit", "-q", "-a", "-m", "worse")
    request["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = lax
    if attack == "lax target":
        request |= {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "lax", "CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED": "false"}
    if attack == "fork":  # whose branches belong to its owner
        request["CI_PROJECT_ID"] = "2"
    code, said = gitlab(project, environ, **request)
    assert (code, "BLOCK deploy" in said) == ((2, False) if attack == "fork" else (1, True)), said


@pytest.mark.slow
def test_a_code_owner_accepts_a_case_in_its_merge_request(project: Path, environ: dict[str, str]):
    (project / "CODEOWNERS").write_text("/approved/ @ada\n")
    request = merge_request(project, environ)
    generate(project, "missing-hardening")
    git(project, environ, "commit", "-q", "-a", "-m", "shorter")
    request["CI_COMMIT_SHA"] = git(project, environ, "rev-parse", "HEAD")
    server = GitLab()
    try:
        request |= server.variables
        code, said = gitlab(project, environ, **request)
        (line,) = re.findall("/wfgate approve deploy at [0-9a-f]{40}", said)
        assert code == 1
        server.say(3, line)  # the author of the merge request
        server.say(2, line)
        assert gitlab(project, environ, **request)[0] == 1
        server.say(1, line)
        assert gitlab(project, environ, **request)[0] == 0
        assert json.loads((project / "wfgate.json").read_text())["cases"][0]["accepted"]["by"] == "ada"
        code, said = gitlab(project, environ, **request | {"CI_API_V4_URL": "http://127.0.0.1:9"})
        assert (code, "GitLab's API does not answer" in said) == (1, True)
        generate(project, "squeezed-observability")
        git(project, environ, "commit", "-q", "-a", "-m", "worse")
        assert gitlab(project, environ, **request)[0] == 1
    finally:
        server.close()


def merge_request(project: Path, environ: dict[str, str]) -> dict[str, str]:
    """Commit the project as the protected branch of a remote, check out a branch of it, and return its variables."""
    remote = project.parent / f"{project.name}.git"
    git(project, environ, "init", "-q", "-b", "main")
    git(project, environ, "add", ".")
    git(project, environ, "commit", "-q", "-m", "approved")
    git(project, environ, "clone", "-q", "--bare", ".", str(remote))
    git(project, environ, "remote", "add", "origin", str(remote))
    git(project, environ, "switch", "-q", "-c", "request")
    return {
        "CI_MERGE_REQUEST_IID": "7",
        "CI_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_PROJECT_ID": "1",
        "CI_DEFAULT_BRANCH": "main",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED": "true",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(project, environ, "rev-parse", "HEAD"),
    }


def shell_of(step: dict[str, str]) -> list[str]:
    """The shell that GitHub's runner starts for a step: only one that is asked for by name has pipefail."""
    if "shell" not in step:
        return ["bash", "-e"]
    assert step["shell"] == "bash"
    return ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


CALIBRATE = """#!/bin/sh
# What `wfgate calibrate` does, without its work.
case "$*" in "-P -m wfgate calibrate approved --output profile.json"*) ;; *) exit 64 ;; esac
echo "$SAID"
[ -z "$CRASH" ] || exit 70
case "$*" in
  *--refresh) [ -e profile.json ] || exit 2; echo "$FITTED" > profile.new.json; echo {} > profile.refresh.json ;;
  *) echo "$FITTED" > profile.json ;;
esac
"""
GH = """#!/bin/sh
echo "$*" >> "$RUNNER_TEMP/gh.txt"
for last; do :; done
[ "$1" = auth ] || cp "$last" "$RUNNER_TEMP/said.md"
"""


@dataclass
class Refreshed:
    """What the recipe for calibration left: its exit code, its log, pushed branches, pull request."""

    code: int
    log: str
    branches: dict[str, str]
    title: str
    body: str


@pytest.fixture
def refresh(tmp_path: Path, environ: dict[str, str]) -> Callable[..., Refreshed]:
    """Run the recipe on a repository with a remote, whose profile (if any) says "old"."""

    def refresh(fitted: str, said: str = "", *, profile: bool = True, crash: bool = False) -> Refreshed:
        temp, remote, work = (tmp_path / name for name in ("runner", "remote", "work"))
        for name, script in (("wfgate/bin/python", CALIBRATE), ("bin/gh", GH)):
            (temp / name).parent.mkdir(parents=True)
            (temp / name).write_text(script)
            (temp / name).chmod(0o755)
        work.mkdir()
        git(tmp_path, environ, "init", "-q", "--bare", str(remote))
        git(work, environ, "init", "-q", "-b", "main")
        git(work, environ, "remote", "add", "origin", str(remote))
        (work / "profile.json" if profile else work / "README.md").write_text("old\n")
        git(work, environ, "add", ".")
        git(work, environ, "commit", "-q", "-m", "before")
        steps = yaml.safe_load((ROOT / "examples" / "ci" / "calibration-refresh.yml").read_text())["jobs"]["refresh"]
        given = {"RUNNER_TEMP": str(temp), "BRANCH": "anew", "FITTED": fitted, "SAID": said}
        given |= {"CRASH": "1" if crash else "", "PATH": f"{temp / 'bin'}{os.pathsep}{environ['PATH']}"}
        code, log = 0, ""
        for step in steps["steps"]:
            if step["name"] in {"Calibrate", "Open a pull request"} and not code:
                done = subprocess.run(
                    [*shell_of(step), "-c", step["run"]],
                    cwd=work,
                    env=environ | given,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                code, log = done.returncode, log + done.stdout + done.stderr
        names = git(remote, environ, "for-each-ref", "--format=%(refname:short)").splitlines()
        asked = temp / "gh.txt"
        lines = asked.read_text().splitlines() if asked.exists() else []
        titles = [re.search("--title (.*) --body-file", line)[1] for line in lines if line.startswith("pr create")]
        return Refreshed(
            code=code,
            log=log,
            branches={name: git(remote, environ, "show", f"{name}:profile.json") for name in names},
            title="".join(titles),
            body=(temp / "said.md").read_text() if titles else "",
        )

    return refresh


def test_a_new_profile_is_proposed(refresh: Callable[..., Refreshed]):
    done = refresh("new", "Not looser than the profile in use.")
    assert (done.code, done.branches) == (0, {"anew": "new"}), done.log
    assert done.title == "Recalibrate"
    assert "Not looser" in done.body


def test_a_looser_profile_is_proposed_by_that_name(refresh: Callable[..., Refreshed]):
    done = refresh("new", "LOOSER than the profile in use:\n  - it promises less")
    assert (done.code, done.branches) == (0, {"anew": "new"}), done.log
    assert done.title == "Recalibrate: LOOSER than the profile in use"
    assert "it promises less" in done.body


def test_the_first_profile_is_proposed(refresh: Callable[..., Refreshed]):
    done = refresh("new", profile=False)
    assert (done.code, done.branches, done.title) == (0, {"anew": "new"}, "Recalibrate"), done.log


def test_a_profile_that_is_as_it_was_is_not_proposed(refresh: Callable[..., Refreshed]):
    done = refresh("old")
    assert (done.code, done.branches, done.title) == (0, {}, ""), done.log
    assert "the profile has not changed" in done.log


@pytest.mark.parametrize("profile", [{}, {"profile": False}])
def test_a_calibration_that_crashes_is_not_green(refresh: Callable[..., Refreshed], profile: dict[str, bool]):
    done = refresh("new", **profile, crash=True)
    assert (done.code, done.branches, done.title) == (70, {}, "")


def test_the_profile_has_one_name():
    written = (ROOT / "examples" / "ci" / "calibration-refresh.yml").read_text()
    config = scaffold("none", "approved", "generated")["wfgate.toml"]
    names = {
        *re.findall(r"--output (\S+\.json)", written + config),
        *re.findall(r'profile = "(.*?)"', written + config),
    }
    assert names == {"profile.json"}


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
            [*shell_of(steps[step]), "-c", steps[step]["run"]],
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
    assert (code, "is not the gated content" in said) == (1, True)
    assert run("Gate strictly")[0] == 1
    keep()
    code, said = run("Verify")
    assert (code, "did not pass" in said) == (1, True)
