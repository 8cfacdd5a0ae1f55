"""The comment for a pull request of a fork: its result is written by a run that the fork may control."""

import importlib.util
import json
import sys

import pytest

from tests.decide.test_result import result
from wfgate.decide import BaseInfo

from .runner import ROOT, GitHub

BASE = "b" * 40
HEAD = "c" * 40
PULL = {"number": 7, "head": {"sha": HEAD}, "base": {"ref": "main"}}
RUN = {
    "event": "pull_request",
    "path": ".github/workflows/gate.yml",
    "head_branch": "request",
    "head_sha": HEAD,
    "head_repository": {"owner": {"login": "stranger"}},
}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("wfgate_comment", ROOT / ".ci" / "action" / "comment.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def github():
    server = GitHub()
    server.pulls = [PULL]
    server.commits = [BASE]
    yield server
    server.close()


@pytest.fixture
def follow(script, github, tmp_path):
    """Comment the result of a run, and return the body of the comment."""

    def follow(kind, conclusion, base=BASE, **forged):
        (tmp_path / "event.json").write_text(json.dumps({"workflow_run": RUN | {"conclusion": conclusion}}))
        data = result(kind).model_copy(update={"base": BaseInfo(ref="main", commit=base)}).to_dict()
        (tmp_path / "result.json").write_text(json.dumps(data | forged))
        environ = {
            "GITHUB_API_URL": github.url,
            "GITHUB_REPOSITORY": "team/flows",
            "GITHUB_TOKEN": "secret-token",
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "WFGATE_REPORT": str(tmp_path / "result.json"),
        }
        script.comment(environ)
        (comment,) = github.comments
        return comment["body"]

    return follow


def test_a_pass_of_an_unchanged_workflow_resolves(follow, github):
    assert "## wfgate: BLOCK" in follow("block", "failure")
    github.files = [{"filename": "generated/deploy.yaml"}]
    body = follow("pass", "success")
    assert "### wfgate: resolved" in body
    assert f"Commit: {HEAD}" in body


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out", None])
def test_a_pass_of_a_run_that_did_not_succeed_resolves_nothing(follow, conclusion):
    follow("block", "failure")
    body = follow("pass", conclusion)
    assert "not verified" in body
    assert "resolved" not in body
    assert "PASS" not in body


@pytest.mark.parametrize(
    "files",
    [
        [{"filename": ".github/workflows/gate.yml"}],
        [{"filename": "old.yml", "previous_filename": ".github/workflows/gate.yml"}],
        [{"filename": "a"}, {"filename": ".github/actions/gate/action.yml"}],
        [{"filename": f"{number}"} for number in range(3000)],  # GitHub lists no more
    ],
)
def test_a_pass_of_a_workflow_that_the_pull_request_edits_resolves_nothing(follow, github, files):
    follow("block", "failure")
    github.files = files
    body = follow("pass", "success")
    assert "not verified" in body
    assert "resolved" not in body
    assert "PASS" not in body


def test_a_pass_against_another_base_resolves_nothing(follow):
    """The run may have been started while the pull request had another, laxer base branch."""
    follow("block", "failure")
    body = follow("pass", "success", base="d" * 40)
    assert "not verified" in body
    assert "resolved" not in body


def test_a_result_that_contradicts_itself_is_not_commented(follow, script):
    before = follow("block", "failure")
    with pytest.raises(script.RefusedError, match="no result"):
        follow("block", "success", verdict="pass")
    assert before == follow("block", "failure")
