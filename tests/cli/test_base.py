"""`wfgate gate --base`, and waivers, in a real repository."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import APPROVED, GENERATED, ROOT, is_error, wfgate

FINGERPRINT = "58f420240909b1bc"
"""Of the missing step in `missing-hardening.yaml`."""


def git(folder: Path, *arguments: str) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environ)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A pull request that drops a step, and makes the result the reference."""
    for name in ("approved", "generated"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / APPROVED, tmp_path / "approved" / "deploy.yaml")
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n')
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base")
    git(tmp_path, "checkout", "-q", "-b", "request")
    for folder in ("approved", "generated"):
        shutil.copy(ROOT / GENERATED / "missing-hardening.yaml", tmp_path / folder / "deploy.yaml")
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n[policy]\nblock_severity = 1.0\n')
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "loosen everything")
    return tmp_path


def waiver(repo: Path, expires: str) -> None:
    (repo / "wfgate-waivers.toml").write_text(
        f'[[waiver]]\nfingerprint = "{FINGERPRINT}"\nreason = "moved elsewhere"\nowner = "ops"\nexpires = {expires}\n'
    )


def test_a_pull_request_does_not_loosen_its_own_gate(repo: Path):
    waiver(repo, "9999-01-01")
    assert wfgate("gate", "generated", cwd=repo).code == 0
    run = wfgate("gate", "generated", "--base", "main", cwd=repo)
    assert run.code == 1
    assert "critical step 'Require multi-factor" in run.out
    assert "references, configuration, profile and waivers are read from main" in run.out
    for line in (
        "wfgate-waivers.toml (waivers) is added here, but the state of main is used",
        "approved/deploy.yaml (reference) is changed here, but the state of main is used",
        "wfgate.toml (configuration) is changed here, but the state of main is used",
    ):
        assert line in " ".join(run.out.split())
    told = wfgate("gate", "generated", "--base", "main", "-f", "json", cwd=repo).data["base"]
    assert (told["ref"], len(told["commit"]), len(told["changed"])) == ("main", 40, 3)


def test_what_is_above_the_repository_is_not_used(tmp_path_factory: pytest.TempPathFactory, repo: Path):
    """The report would say that it is read from the base."""
    outer = tmp_path_factory.mktemp("outer")
    inner = outer / "repo"
    shutil.copytree(repo, inner, symlinks=True)
    git(inner, "rm", "-q", "wfgate.toml")
    git(inner, "commit", "-q", "-m", "no configuration")
    (outer / "wfgate.toml").write_text("[policy]\nblock_severity = 1.0\n")
    waiver(outer, "9999-01-01")
    (inner / "approved" / "deploy.yaml").write_bytes((ROOT / APPROVED).read_bytes())
    git(inner, "commit", "-q", "-am", "reference")
    for more in ((), ("--base", "HEAD")):
        assert wfgate("gate", "generated", "-r", "approved", *more, cwd=inner).code == 1


@pytest.mark.parametrize("kind", ["tag", "branch", "checked-out branch", "replace"])
def test_a_pull_request_does_not_choose_its_base(repo: Path, tmp_path_factory: pytest.TempPathFactory, kind: str):
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "-b", "request", str(repo), ".")
    attack = {
        "tag": ("tag", "origin/main"),
        "branch": ("branch", "--no-track", "origin/main"),
        "checked-out branch": ("switch", "-q", "-c", "origin/main"),
        "replace": ("replace", "refs/remotes/origin/main", "HEAD"),
    }
    git(clone, *attack[kind])
    run = wfgate("gate", "generated", "--base", "origin/main", cwd=clone, env={"COLUMNS": "200"})
    assert run.code == 1, run.err
    commit = subprocess.run(["git", "rev-parse", "main"], cwd=repo, check=True, capture_output=True, text=True).stdout
    assert f"are read from origin/main ({commit[:12]})" in run.out


def test_a_case_that_vanishes_from_the_suite_does_not_pass(repo: Path):
    git(repo, "checkout", "-q", "main")
    (repo / "more.yaml").write_bytes((ROOT / APPROVED).read_bytes())
    lines = [
        {"id": str(n), "golden": "approved/deploy.yaml", "candidate": name}
        for n, name in enumerate(("generated/deploy.yaml", "more.yaml"))
    ]
    (repo / "suite.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "suite")
    git(repo, "checkout", "-q", "-b", "second")
    (repo / "suite.jsonl").write_text(json.dumps(lines[1]))
    run = wfgate("gate", "--pairs", "suite.jsonl", "--base", "main", cwd=repo, env={"COLUMNS": "200"})
    assert run.code == 3
    assert "has a comparison of generated/deploy.yaml that this suite does not have" in run.out


def test_configured_paths_are_short_and_lead_to_the_same_files_of_the_base(repo: Path):
    for folder, candidates in ((repo, "generated"), (repo / "approved", "../generated"), (repo / "generated", ".")):
        run = wfgate("gate", candidates, "--base", "main", "-f", "json", cwd=folder)
        assert run.code == 1
        (case,) = run.data["cases"]
        assert (folder / case["golden"]).resolve() == repo / "approved" / "deploy.yaml"
        assert Path(case["golden"]).is_absolute() == (folder == repo / "generated")
        changed = {(change["path"], change["kind"]) for change in run.data["base"]["changed"]}
        assert changed == {("approved/deploy.yaml", "reference"), ("wfgate.toml", "configuration")}


def test_a_base_that_is_not_there_is_a_usage_error(repo: Path):
    run = wfgate("gate", "generated", "--base", "origin/main", cwd=repo)
    assert (run.code, run.out) == (2, "")
    assert "origin/main: no such base revision" in run.err
    assert "fetch-depth: 0" in run.err


def test_what_is_waived_passes_the_build_and_is_reported(repo: Path):
    git(repo, "checkout", "-q", "main")
    waiver(repo, "9999-01-01")
    (repo / "generated").mkdir(exist_ok=True)
    shutil.copy(ROOT / GENERATED / "missing-hardening.yaml", repo / "generated" / "deploy.yaml")
    files = [repo / name for name in ("r.json", "r.sarif", "r.md")]
    run = wfgate(
        *("gate", "generated", "-f", "json", "-o", files[0], "-f", "sarif", "-o", files[1]),
        *("-f", "markdown", "-o", files[2], "-f", "text"),
        cwd=repo,
    )
    assert run.code == 0
    assert run.out.startswith(
        "REVIEW deploy: differs too much overall, step missing\n  every finding is waived (WR101)"
    )
    assert "waived until 9999-01-01 by ops: moved elsewhere" in " ".join(run.out.split())
    assert "waived until 9999-01-01 by ops: moved elsewhere" in files[2].read_text()
    (case,) = json.loads(files[0].read_text())["cases"]
    assert [finding["id"] for finding in case["findings"] if finding["waived"]] == ["WR101"]
    results = json.loads(files[1].read_text())["runs"][0]["results"]
    assert [item["ruleId"] for item in results if "suppressions" in item] == ["WR101"]


def test_an_expired_waiver_blocks_and_says_so(repo: Path):
    waiver(repo, "2020-01-01")
    git(repo, "checkout", "-q", "main", "--", "approved", "wfgate.toml")
    run = wfgate("gate", "generated", cwd=repo)
    assert run.code == 1
    assert "(ops) expired on 2020-01-01 [WP001]" in " ".join(run.out.split())


def test_one_pull_request_carries_a_change_and_its_approval_by_a_code_owner(repo: Path):
    def run(*options: str) -> tuple[int, str]:
        done = wfgate("gate", "generated", "--base", "main", *options, cwd=repo)
        return done.code, done.out + done.err

    git(repo, "checkout", "-q", "main")
    (repo / "CODEOWNERS").write_text("/approved/ @ada\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "owners")
    git(repo, "checkout", "-q", "request")
    git(repo, "rebase", "-q", "main")
    assert run("--approved-by", "ada")[0] == 1  # no record of an approval
    assert wfgate("approve", "approved", cwd=repo).code == 0
    for options in ((), ("--approved-by", "ciso"), ("--approved-by", "")):
        assert run(*options)[0] == 1
    code, said = run("--approved-by", "bob", "--approved-by", "ada")
    assert code == 0
    assert "approved/deploy.yaml (reference) is changed here and used, approved by ada" in " ".join(said.split())
    assert wfgate("gate", "generated", "--approved-by", "ada", cwd=repo).code == 2


def test_on_a_build_server_the_base_is_not_the_checked_out_commit(repo: Path):
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repo, check=True, capture_output=True, text=True)
    git(repo, "update-ref", "refs/remotes/origin/request", "HEAD")
    for base in ("HEAD", head.stdout.strip(), head.stdout[:9], "HEAD~0"):
        assert wfgate("gate", "generated", "--base", base, cwd=repo).code == 0  # what is not committed yet is judged
        run = wfgate("gate", "generated", "--base", base, cwd=repo, env={"CI": "true"})
        assert is_error(run, 2, "the base revision is the checked-out commit", "origin/main")
    assert wfgate("gate", "generated", "--base", "HEAD^", cwd=repo, env={"CI": "true"}).code == 1
    run = wfgate("gate", "generated", "--base", "origin/request", cwd=repo, env={"CI": "true"})
    assert (run.code, "origin/request is the checked-out commit" in run.err) == (0, True)
    assert "checked-out" not in wfgate("gate", "generated", "--base", "origin/request", cwd=repo).err


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_both_suites_are_read_with_the_same_line_ends(repo: Path, end: str):
    git(repo, "checkout", "-q", "main")
    lines = [json.dumps({"golden": "approved/deploy.yaml", "candidate": f"generated/{name}.yaml"}) for name in "ab"]
    (repo / "suite.jsonl").write_bytes("".join(line + end for line in lines).encode())
    git(repo, "add", "suite.jsonl")
    git(repo, "commit", "-q", "-m", "suite")
    for name in "ab":
        (repo / "generated").mkdir(exist_ok=True)
        shutil.copy(repo / "approved" / "deploy.yaml", repo / "generated" / f"{name}.yaml")
    assert wfgate("gate", "--pairs", "suite.jsonl", "--base", "HEAD", cwd=repo).code == 0
    (repo / "suite.jsonl").write_text(lines[0] + "\n")
    run = wfgate("gate", "--pairs", "suite.jsonl", "--base", "HEAD", cwd=repo)
    assert (run.code, "generated/b.yaml" in run.out) == (3, True)


def test_formats_are_those_of_the_base(repo: Path):
    (repo / "wfgate.toml").write_text('reference = "approved"\n[formats]\n"generated/*" = "ignored"\n')
    assert wfgate("gate", "generated", "--base", "main", cwd=repo).code == 1
    (repo / "wfgate.toml").write_text('reference = "approved"\n[formats]\n"generated/*" = "markdown"\n')
    assert wfgate("gate", "generated", "--base", "main", cwd=repo).code == 1


@pytest.mark.parametrize("name", ["deploy@1.yaml", "deploy.txt", "deploy.md", "deploy.json"])
def test_a_candidate_of_the_base_does_not_hide_under_another_name(repo: Path, name: str):
    """The file that is deployed would no longer be compared, or is gone."""
    git(repo, "checkout", "-q", "main")
    good = (repo / "approved" / "deploy.yaml").read_text()
    (repo / "generated").mkdir(exist_ok=True)
    (repo / "generated" / "deploy.yaml").write_text(good)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "generated")
    git(repo, "checkout", "-q", "-b", "renamed")
    assert wfgate("gate", "generated", "--base", "main", cwd=repo).code == 0
    git(repo, "mv", "generated/deploy.yaml", f"generated/{name}")
    run = wfgate("gate", "generated", "--base", "main", cwd=repo)
    assert run.code in {3, 4}
    assert "deploy.yaml, which is gone" in " ".join(run.out.split())


def test_a_rename_of_candidate_and_reference_needs_a_code_owner(repo: Path):
    git(repo, "checkout", "-q", "main")
    (repo / "generated").mkdir(exist_ok=True)
    shutil.copy(repo / "approved" / "deploy.yaml", repo / "generated" / "deploy.yaml")
    (repo / "CODEOWNERS").write_text("/approved/ @ada\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "generated")
    git(repo, "checkout", "-q", "-b", "renamed")
    for folder in ("generated", "approved"):
        git(repo, "mv", f"{folder}/deploy.yaml", f"{folder}/ship.yaml")
    run = wfgate("gate", "generated", "--base", "main", cwd=repo, env={"COLUMNS": "300"})
    assert run.code in {3, 4}
    assert "no reference named 'ship' in approved of the base revision main, where its name is 'deploy'" in run.out
    assert "no candidate named 'deploy'; its reference is renamed to 'ship'" in run.out
    assert "once a code owner of both references approves the pull request" in run.out
    replaced = ("--replace", "approved/ship.yaml", "--by", "ada")
    assert wfgate("approve", "generated/ship.yaml", *replaced, cwd=repo).code == 0
    assert wfgate("gate", "generated", "--base", "main", "--approved-by", "bob", cwd=repo).code in {3, 4}
    run = wfgate("gate", "generated", "--base", "main", "--approved-by", "ada", "-f", "json", cwd=repo)
    assert [(case["id"], case["verdict"]) for case in run.data["cases"]] == [("ship", "pass")]


def test_a_candidate_of_the_base_keeps_its_format(repo: Path):
    git(repo, "checkout", "-q", "main")
    approved = repo / "approved" / "plan.yml"
    (repo / "generated").mkdir(exist_ok=True)
    steps = "on: push\njobs:\n  all:\n    runs-on: x\n    steps:\n"
    steps += "".join(f"      - {{name: {name}, run: make}}\n" for name in ("Build it", "Test it", "Ship it"))
    for path in (approved, repo / "generated" / "plan.yml"):
        path.write_text(steps)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "plan")
    git(repo, "checkout", "-q", "-b", "rewritten")
    (repo / "generated" / "plan.yml").write_text("steps: [Build it, Test it, Ship it]\n")
    run = wfgate("gate", "generated/plan.yml", "--base", "main", cwd=repo)
    assert run.code in {3, 4}
    assert "read as a graph" in " ".join(run.out.split())


@pytest.mark.parametrize("place", ["generated/deploy.yaml", "approved/deploy.yaml", "generated"])
def test_a_link_that_leaves_the_checkout_is_refused(repo: Path, tmp_path_factory: pytest.TempPathFactory, place: str):
    outside = tmp_path_factory.mktemp("outside") / "deploy"
    path = repo / place
    shutil.move(path, outside)
    path.symlink_to(outside)
    run = wfgate("gate", "generated", "--reference", "approved", cwd=repo)
    assert run.code == 2
    assert "a link that leaves the checkout" in " ".join(run.err.split())
    path.unlink()
    shutil.move(outside, repo / "kept")
    path.symlink_to(repo / "kept")
    assert wfgate("gate", "generated", "--reference", "approved", cwd=repo).code in {0, 1}
