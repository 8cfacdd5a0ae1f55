"""`wfgate gate --changed`, the first pull request, and `--fail-on`, in a real repository."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import GOLDEN, inline, is_error, on_no_build_server

WORSE = GOLDEN.replace("  - {id: g, name: Email the link to all managers, needs: [f]}\n", "")


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, env=environ)


def commit(**files: str) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)
    git("add", "-A")
    git("commit", "-qm", "x", "--allow-empty")


def branch(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> Path:
    """Make a repository with a branch `request` at `main`, which has these files, and go there."""
    monkeypatch.chdir(folder)
    on_no_build_server(monkeypatch)
    monkeypatch.setenv("COLUMNS", "1000")
    git("init", "-q", "-b", "main")
    commit(**files)
    git("switch", "-qc", "request")
    return folder


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A branch `request` at `main`, which has three runbooks, a file that is no workflow, and code owners."""
    books = {f"runbooks/{name}.yaml": GOLDEN for name in "abc"}
    others = {"settings.yaml": "colour: red\n", "CODEOWNERS": "/runbooks/ @ada\n"}
    return branch(tmp_path, monkeypatch, **books, **others)


def gated(*arguments: str, code: int) -> dict[str, str]:
    """Return the verdict on each case of `gate --changed`."""
    run = inline("gate", "--changed", "--base", "main", "-f", "json", *arguments)
    assert run.code == code, run
    return {case["id"]: case["verdict"] for case in run.data["cases"]}


def test_what_a_change_edits_is_compared_and_nothing_else(repo: Path):
    commit(**{"runbooks/a.yaml": WORSE, "settings.yaml": "colour: blue\n", "runbooks/new.yaml": WORSE})
    git("switch", "-q", "main")
    commit(**{"runbooks/b.yaml": WORSE})  # what only the base changed is no edit of the request
    git("switch", "-q", "request")
    Path("runbooks/c.yaml").write_text(WORSE)  # not committed
    assert gated(code=1) == {"runbooks/a.yaml": "block", "runbooks/c.yaml": "block"}
    assert gated("runbooks/c.yaml", code=1) == {"runbooks/c.yaml": "block"}
    said = inline("gate", "--changed", "--base", "main").err
    assert "runbooks/new.yaml: new, so there is nothing to compare it with" in said
    assert "changed files that are no workflow at the base revision: 1" in said


def test_without_an_edit_every_report_passes(repo: Path):
    reports = ("text", "json", "markdown", "html", "sarif", "junit", "github", "oneline", "jsonl")
    written = [word for name in reports for word in ("-f", name, "-o", f"../{name}")]
    assert inline("gate", "--changed", "--base", "main", *written).code == 0
    assert "0 cases: no workflow file differs from main" in Path("../text").read_text()
    result = json.loads(Path("../json").read_text())
    assert (result["verdict"], result["cases"], result["unchanged"]) == ("pass", [], True)
    assert 'errors="0"' in Path("../junit").read_text()
    assert "::error" not in Path("../github").read_text()
    assert json.loads(Path("../sarif").read_text())["runs"][0]["invocations"][0]["executionSuccessful"]


def test_a_new_workflow_is_named_as_not_checked(repo: Path):
    commit(**{"runbooks/new.yaml": WORSE})
    run = inline("gate", "--changed", "--base", "main")
    assert run.code == 0
    assert "0 cases compared; 1 new workflow file not checked: runbooks/new.yaml" in " ".join(run.out.split())


def test_a_removed_workflow_needs_a_code_owner(repo: Path):
    git("mv", "runbooks/a.yaml", "runbooks/z.yaml")
    commit(**{"runbooks/z.yaml": WORSE})
    assert gated(code=3) == {"runbooks/a.yaml": "inconclusive"}
    assert gated("--approved-by", "mallory", code=3) == {"runbooks/a.yaml": "inconclusive"}
    assert gated("--approved-by", "ada", code=0) == {}
    commit(**{"runbooks/z.yaml": GOLDEN})
    assert "the workflow was renamed to runbooks/z.yaml" in inline("gate", "--changed", "--base", "main").out


def test_an_owner_who_approves_without_a_record_of_the_bytes_accepts_no_edit(repo: Path):
    commit(**{"runbooks/a.yaml": WORSE})
    assert gated("--approved-by", "ada", code=1) == {"runbooks/a.yaml": "block"}
    accept = ("approve", "runbooks/a.yaml", "--reference", "runbooks/a.yaml", "--by", "Bob")
    assert inline(*accept).code == 0
    commit()
    assert gated("--approved-by", "ada", code=0) == {"runbooks/a.yaml": "pass"}
    commit(**{"runbooks/a.yaml": WORSE.replace("Publish the report", "Delete the report")})
    assert gated("--approved-by", "ada", code=1) == {"runbooks/a.yaml": "block"}


def test_usage_of_changed(repo: Path):
    assert is_error(inline("gate", "--changed"), 2, "--changed needs --base")
    more = inline("gate", "--changed", "--base", "main", "--reference", "runbooks")
    assert is_error(more, 2, "leave --reference and --pairs out")


def test_the_first_pull_request_is_recognised(repo: Path):
    files = {"wfgate.toml": 'reference = "approved"\n', "approved/a.yaml": GOLDEN, "generated/a.yaml": GOLDEN}
    commit(**files)
    said = ("the references come with this change: main has no file in approved yet", "The first pull request")
    for more in ((), ("--config", "wfgate.toml"), ("--reference", "approved")):
        assert is_error(inline("gate", "generated", "--base", "main", *more), 2, *said)
    git("switch", "-q", "main")
    git("merge", "-q", "request")
    git("switch", "-qc", "second")
    assert inline("gate", "generated", "--base", "main").code == 0


def test_the_first_references_pass_with_a_code_owner_where_the_base_has_the_rules(repo: Path):
    git("switch", "-q", "main")
    commit(**{"wfgate.toml": 'reference = "approved"\n', "CODEOWNERS": "/approved/ @ada\n"})
    git("switch", "-qc", "first")
    commit(**{"generated/a.yaml": GOLDEN})
    assert inline("approve", "generated/a.yaml", "--by", "Bob").code == 0
    commit()
    gate = ("gate", "generated", "--base", "main")
    assert is_error(inline(*gate), 2, "the references come with this change")
    assert inline(*gate, "--approved-by", "ada").code == 0


@pytest.mark.parametrize(("given", "code"), [("block", 1), ("review", 1), ("none", 0)])
def test_fail_on(repo: Path, given: str, code: int):
    commit(**{"runbooks/a.yaml": WORSE})
    gate = ("gate", "runbooks/a.yaml", "--reference", "runbooks/b.yaml")
    for option in (True, False):
        if not option:
            Path("wfgate.toml").write_text(f'[policy]\nfail_on = "{given}"\n')
        run = inline(*gate, *(("--fail-on", given) if option else ()))
        assert (run.code, run.err) == (code, "")
        assert run.out.startswith("BLOCK a: ")
        assert ("1 would have been blocked; audit mode" in run.out) == (given == "none")
    levels = inline(*gate, "-f", "github").out
    assert levels.startswith("::warning" if given == "none" else "::error")


def test_a_review_that_fails_has_an_exit_code_of_its_own(repo: Path):
    commit(**{"runbooks/a.yaml": WORSE})
    gate = ("gate", "runbooks/a.yaml", "--reference", "runbooks/b.yaml", "--block-severity", "1")
    assert [inline(*gate, "--fail-on", value).code for value in ("block", "review", "none")] == [0, 5, 0]
