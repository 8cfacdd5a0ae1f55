"""Action, workflows and recipes, by the tools that check such files; and the locked requirements."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from wfgate.setup import scaffold

from .runner import ROOT

ACTIONS = [ROOT / "action.yml", *(ROOT / ".ci" / name / "action.yml" for name in ("comment", "rerun"))]
FOLDERS = (ROOT / "examples" / "ci", ROOT / ".github" / "workflows")
GITLAB = ROOT / "examples" / "ci" / "gitlab-ci.yml"
WORKFLOWS = [file for folder in FOLDERS for file in sorted(folder.glob("*.yml")) if file != GITLAB]
LOCKED = ROOT / ".ci" / "action" / "requirements.txt"


def tool(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / name
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=ROOT)


def test_zizmor_has_nothing_to_say():
    done = tool("zizmor", "--offline", "--pedantic", "--no-progress", "--format=json", *ACTIONS, *WORKFLOWS)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "files"), [("github-actions", ACTIONS), ("github-workflows", WORKFLOWS), ("gitlab-ci", [GITLAB])]
)
def test_schemas_hold(schema: str, files: list[Path]):
    assert files
    done = tool("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_pipe_hides_no_failure(file: Path):
    for job in yaml.safe_load(file.read_text())["jobs"].values():
        for step in job["steps"]:
            script = step.get("run", "")
            if re.search(r"[^|]\|[^|]", script):  # the runner's default shell has no pipefail
                assert step.get("shell") == "bash" or script.startswith("set -o pipefail\n"), step["name"]


def test_the_comment_for_a_fork_is_written_where_no_result_was_left():
    gate, comment = (
        next(iter(yaml.safe_load((FOLDERS[0] / f"pull-request-fork-{name}.yml").read_text())["jobs"].values()))
        for name in ("gate", "comment")
    )
    kept, (fetch, last) = gate["steps"][-1], comment["steps"]
    assert kept["if"].startswith("always() &&")  # a block leaves a result, too
    assert kept["with"]["name"] == fetch["with"]["name"]
    assert fetch["continue-on-error"] is True
    assert "if" not in last
    assert last["with"]["report-json"] == f"{fetch['with']['path']}/result.json"


def test_what_init_writes_for_github_is_a_workflow(tmp_path: Path):
    made = scaffold("github", "approved", "generated")
    for name in [name for name in made if name.endswith(".yml")]:
        file = tmp_path / Path(name).name
        file.write_text(made[name])
        done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", file)
        assert done.returncode == 0, done.stdout
        found = json.loads(tool("zizmor", "--offline", "--pedantic", "--no-progress", "--format=json", file).stdout)
        assert found == []


def test_a_comment_starts_nothing_but_the_gate_itself():
    """No code of the pull request, no text of a comment in a command, and no right but to repeat a run."""
    example = (FOLDERS[0] / "pull-request-accept.yml").read_text()
    written = scaffold("github", "approved", "generated")[".github/workflows/wfgate-accept.yml"]
    for text in (example, written):
        workflow = yaml.safe_load(text)
        assert set(workflow[True]) == {"pull_request_review", "issue_comment"}
        assert workflow["permissions"] == {}
        (job,) = workflow["jobs"].values()
        assert job["permissions"] == {"actions": "write", "pull-requests": "read"}
        (step,) = job["steps"]
        assert re.fullmatch(r"wfgate/wfgate/\.ci/rerun@\S+", step["uses"])
        assert "${{" not in str(step)
        assert not re.search(r"body[^\n]*}}", text)  # only the condition, which is no shell, looks at a text
    action = yaml.safe_load(ACTIONS[2].read_text())
    assert not [step for step in action["runs"]["steps"] if "checkout" in step.get("uses", "")]
    assert "${{" not in "".join(step.get("run", "") for step in action["runs"]["steps"])


def test_a_pass_by_the_rules_of_another_branch_does_not_count():
    texts = [(FOLDERS[0] / name).read_text() for name in ("pull-request.yml", "pull-request-fork-gate.yml")]
    for text in (*texts, scaffold("github", "approved", "generated")[".github/workflows/wfgate.yml"]):
        workflow = yaml.safe_load(text)
        events = workflow[True]  # YAML 1.1 reads `on` as a boolean
        assert "edited" in events["pull_request"]["types"]  # the pull request got another base
        assert {"opened", "synchronize", "reopened"} < set(events["pull_request"]["types"])
        assert "merge_group" in events
        assert events["pull_request"]["branches"]  # else a stacked pull request passes by rules of its author
        for job in workflow["jobs"].values():
            assert "if" not in job  # a skipped job counts as passed


def locked() -> dict[str, list[Requirement]]:
    text = LOCKED.read_text().replace("\\\n", " ")
    found: dict[str, list[Requirement]] = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            said, *hashes = line.split("--hash=")
            assert hashes, line
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each.strip()) for each in hashes)
            requirement = Requirement(said.strip())
            assert re.fullmatch(r"==[^*]+", str(requirement.specifier)), line
            found.setdefault(requirement.name.lower(), []).append(requirement)
    return found


def test_all_that_is_installed_is_locked_and_allowed():
    found = locked()
    for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]:
        wanted = Requirement(text)
        for requirement in found[wanted.name.lower()]:
            (version,) = requirement.specifier
            assert wanted.specifier.contains(version.version), f"{requirement} is not {wanted}"


def test_no_index_is_named():
    assert not re.search(r"https?:|--(extra-)?index|--find-links", LOCKED.read_text())
