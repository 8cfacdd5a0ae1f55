"""The action, run as a runner would: a pass, a block, a fork, a crash."""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest

from wfgate.approvals import Signer, approve, entries

from .runner import ROOT, GitHub, run_action

pytestmark = pytest.mark.slow  # each runs several processes

ACTION = ROOT / "action.yml"
COMMENT = ROOT / ".ci" / "comment" / "action.yml"
DEPLOY = ROOT / "examples" / "deploy"
HEAD = "c0ffee00" * 5
EVENT = {"pull_request": {"number": 7, "base": {"sha": "", "ref": "main"}, "head": {"sha": HEAD}}}


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def github():
    server = GitHub()
    yield server
    server.close()


@pytest.fixture
def checkout(tmp_path):
    work = tmp_path / "work"
    (work / "approved").mkdir(parents=True)
    (work / "generated").mkdir()
    shutil.copy(DEPLOY / "approved" / "deploy.yaml", work / "approved")
    git(work, "init", "-q")
    git(work, "add", ".")
    git(work, "commit", "-q", "-m", "base")
    return work


@pytest.fixture
def run(tmp_path, tmp_path_factory, checkout, github):
    """Run the action on a candidate in a pull request."""
    times = iter(range(100))

    def run(candidate, event=None, action=ACTION, **inputs):
        if candidate:
            shutil.copy(DEPLOY / "generated" / f"{candidate}.yaml", checkout / "generated" / "deploy.yaml")
        if event is None:
            event = EVENT
            git(checkout, "update-ref", "refs/remotes/origin/main", "HEAD")
        given = {"candidates": "generated\n", "reference": "approved"} if action is ACTION else {}
        environ = {
            "GITHUB_API_URL": github.url,
            "GITHUB_REPOSITORY": "team/flows",
            "GITHUB_WORKFLOW": "Gate",
            "GITHUB_JOB": "gate",
            "WFGATE_CACHE": str(tmp_path_factory.getbasetemp() / "cache"),  # few pairs, many processes
        }
        names = {name.replace("_", "-"): value for name, value in inputs.items()}
        temp = tmp_path / f"temp{next(times)}"
        return run_action(action, given | names, event, checkout, temp, environ)

    return run


def test_a_pass(run, github):
    job = run("reworded", comment="true")
    assert job.code == 0
    assert job.outputs["verdict"] == "pass"
    assert (job.outputs["blocked"], job.outputs["exit-code"]) == ("0", "0")
    assert job.summary.startswith("## wfgate: PASS")
    assert "references, configuration, profile and waivers are read from" in job.log
    assert "::error" not in job.log
    assert json.loads(Path(job.outputs["report-json"]).read_text())["verdict"] == "pass"
    assert "wfgate: PASS" in Path(job.outputs["report-html"]).read_text()
    assert "Keep the HTML report" not in job.ran  # nobody asked for it
    assert github.comments == []  # nothing to say


def test_a_history_is_kept(run, checkout):
    assert run("reworded", history="kept/runs.jsonl").code == 0
    job = run("missing-hardening", history="kept/runs.jsonl")
    assert job.code == 1
    lines = (checkout / "kept" / "runs.jsonl").read_text().splitlines()
    assert [json.loads(line)["cases"] for line in lines] == [{"deploy": "pass"}, {"deploy": "block"}]
    assert "newly blocked" in Path(job.outputs["report-html"]).read_text()
    run("reworded", previous="kept/runs.jsonl")
    assert (checkout / "kept" / "runs.jsonl").read_text().splitlines() == lines


def test_in_audit_mode_the_summary_says_what_would_have_been_blocked(run):
    job = run("missing-hardening", fail_on="none")
    assert (job.code, job.outputs["verdict"], job.outputs["blocked"]) == (0, "block", "1")
    assert "1 would have been blocked" in job.summary
    assert "::error" not in job.log


def test_workflows_that_are_edited_in_place(run):
    """Without an edit below the given paths the step passes, with all of its reports."""
    job = run("missing-hardening", reference="", changed="true", candidates="approved\n")
    assert (job.code, job.outputs["verdict"]) == (0, "pass")
    assert "no workflow file differs from" in job.summary
    assert run("missing-hardening", reference="", candidates="approved\n").code == 2


def test_a_block_comments_once_and_is_resolved(run, github):
    github.comments += [github.comment(f"comment {number}") for number in range(230)]  # ours is on the third page
    job = run("missing-hardening", comment="true", upload_sarif="true", upload_report="true")
    assert job.code == 1
    assert (job.outputs["verdict"], job.outputs["blocked"], job.outputs["review"]) == ("block", "1", "0")
    assert re.search(r"^::error title=BLOCK deploy,file=generated/deploy\.yaml", job.log, re.MULTILINE)
    assert "```mermaid" in job.summary
    assert any(use.startswith("github/codeql-action/upload-sarif@") for use in job.uses)
    assert any(use.startswith("actions/upload-artifact@") for use in job.uses)
    assert "wfgate: BLOCK" in Path(job.outputs["report-html"]).read_text()
    assert len(github.comments) == 231
    body = github.comments[-1]["body"]
    assert re.match(r"<!-- wfgate:[0-9a-f]{16} -->\n", body)
    assert "BLOCK deploy" in body
    assert run("missing-hardening", comment="true").code == 1
    assert len(github.comments) == 231
    assert run("reworded", comment="true").code == 0
    assert len(github.comments) == 231
    assert "### wfgate: resolved" in github.comments[-1]["body"]
    assert "PASS deploy" in github.comments[-1]["body"]


def test_gates_of_one_job_have_comments_of_their_own(run, github):
    run("missing-hardening", comment="true")
    run("missing-hardening", comment="true", name="second")
    assert len({comment["body"].partition("\n")[0] for comment in github.comments}) == 2


def test_a_marker_that_somebody_wrote_is_not_taken(run, github):
    run("missing-hardening", comment="true")
    github.comments[0]["user"]["type"] = "User"
    run("missing-hardening", comment="true")
    assert len(github.comments) == 2


def test_a_fork_may_not_comment_and_the_verdict_stays(run, github):
    github.before = lambda method, _: (403, {}, {"message": "no"}) if method == "POST" else None
    job = run("missing-hardening", comment="true")
    assert job.code == 1
    assert "::notice title=wfgate could not comment::the token may not do this" in job.log
    github.before = lambda *_: (403, {}, {"message": "no"})
    assert run("reworded", comment="true").code == 0


def test_a_rate_limit_is_waited_for_and_then_given_up(run, github):
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}
    refusals = iter([(429, {"Retry-After": "0"}, {}), (403, spent, {})])
    github.before = lambda *_: next(refusals, None)
    assert run("missing-hardening", comment="true").code == 1
    assert len(github.comments) == 1
    github.before = lambda *_: (429, {"Retry-After": "3600"}, {})
    asked = len(github.requests)
    job = run("missing-hardening", comment="true")
    assert job.code == 1
    assert len(github.requests) == asked + 1
    assert "rate limit is used up" in job.log


def test_the_token_goes_to_no_other_server(run, github):
    elsewhere = {"Link": '<http://127.0.0.1:9/repos/x>; rel="next"'}
    github.before = lambda method, _: (200, elsewhere, []) if method == "GET" else None
    assert "the next page is on another server" in run("missing-hardening", comment="true").log


def test_a_crash_is_never_green(run, checkout, github):
    (checkout / "wfgate.toml").write_text("[policy\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "broken")
    job = run("reworded", comment="true", upload_report="true")
    assert job.code == 2
    assert (job.outputs["verdict"], job.outputs["exit-code"]) == ("error", "2")
    assert (job.outputs["report-json"], job.outputs["report-html"]) == ("", "")
    assert "Keep the HTML report" not in job.ran
    assert "::error title=wfgate did not finish::exit code 2" in job.log
    assert "There is no complete result, so nothing has passed" in job.summary
    assert "did not finish" in github.comments[0]["body"]


@pytest.mark.parametrize(("path", "root"), [("flows, 100%/a", "flows, 100%/a/"), (".", "")])
def test_places_are_those_of_the_repository(run, checkout, path, root):
    folder = checkout / path
    folder.mkdir(parents=True, exist_ok=True)
    if root:
        git(checkout, "mv", "approved", str(folder))
        git(checkout, "commit", "-q", "-m", "deeper")
        (checkout / "generated").rename(folder / "generated")
    shutil.copy(DEPLOY / "generated" / "missing-hardening.yaml", folder / "generated" / "deploy.yaml")
    job = run(None, candidates="generated", reference="approved", working_directory=path)
    assert job.code == 1
    escaped = root.replace("%", "%25").replace(",", "%2C")
    assert f"::error title=BLOCK deploy,file={escaped}generated/deploy.yaml" in job.log
    log = json.loads(Path(job.outputs["sarif-file"]).read_text())
    results = log["runs"][0]["results"]
    places = [place for each in results for place in each["locations"] + each.get("relatedLocations", [])]
    found = {unquote(place["physicalLocation"]["artifactLocation"]["uri"]) for place in places}
    assert found == {f"{root}generated/deploy.yaml", f"{root}approved/deploy.yaml"}
    assert all((checkout / name).is_file() for name in found)


def test_a_checkout_with_a_path_of_its_own_is_a_root(run, checkout, tmp_path):
    (tmp_path / "work" / "sub").mkdir()
    for name in (".git", "approved", "generated"):
        (checkout / name).rename(checkout / "sub" / name)
    shutil.copy(DEPLOY / "generated" / "missing-hardening.yaml", checkout / "sub" / "generated" / "deploy.yaml")
    job = run(None, event={}, candidates="generated", reference="approved", working_directory="sub")
    assert "::error title=BLOCK deploy,file=generated/deploy.yaml" in job.log


@pytest.fixture
def altered(tmp_path):
    """Return the action with something of its wfgate changed, by code that each of its processes runs first."""

    def altered(code):
        folder = tmp_path / "altered"
        folder.mkdir()
        for name in ("action.yml", ".ci", "wfgate"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "sitecustomize.py").write_text(code)
        return folder / "action.yml"

    return altered


BROKEN = """
from wfgate.show.{module} import {reporter}
def render(self, result):
    raise RuntimeError("this renderer is broken")
{reporter}.render = render
"""


@pytest.mark.parametrize(("module", "reporter"), [("html", "HtmlReporter"), ("github", "GithubReporter")])
def test_a_crash_after_the_result_was_written_is_no_pass(run, altered, github, module, reporter):
    github.comments.append(github.comment("unrelated"))
    assert run("missing-hardening", comment="true").code == 1
    action = altered(BROKEN.format(module=module, reporter=reporter))
    inputs = {"candidates": "generated\n", "reference": "approved", "comment": "true", "upload_sarif": "true"}
    job = run("reworded", action=action, **inputs)
    assert (job.code, job.outputs["verdict"], job.outputs["exit-code"]) == (70, "error", "70")
    assert (job.outputs["report-json"], job.outputs["report-html"], job.outputs["sarif-file"]) == ("", "", "")
    assert job.summary.startswith("## wfgate: did not finish")
    assert "this renderer is broken" in job.log
    assert "::error title=wfgate did not finish::exit code 70" in job.log
    assert "Upload the findings to code scanning" not in job.ran
    assert len(github.comments) == 2
    assert "did not finish" in github.comments[-1]["body"]
    assert "resolved" not in github.comments[-1]["body"]


def test_what_wfgate_notes_is_in_the_log_and_is_no_command(run, altered):
    code = "import sys; from wfgate.cli import gate\n"
    code += "gate.note_costs = lambda *_: sys.stderr.write('::error::judge: 7 requests\\n')\n"
    job = run("reworded", action=altered(code), candidates="generated", reference="approved")
    assert job.code == 0
    noted = r"^::stop-commands::([0-9a-f]{32})\n(?:the base revision .*\n)?::error::judge: 7 requests\n::\1::$"
    token = re.search(noted, job.log, re.MULTILINE)
    assert token is not None


@pytest.mark.parametrize("name", ["--profile=x", "-h", "$(touch pwned)", "a`b`;c"])
def test_what_a_user_gives_is_never_an_option_or_a_command(run, checkout, name):
    job = run("reworded", candidates=name)
    assert job.code == 2
    assert f"{name}: the file or folder does not exist" in job.log
    assert not (checkout / "pwned").exists()


def test_a_pull_request_does_not_bring_its_own_reference(run, checkout):
    shutil.copy(DEPLOY / "generated" / "missing-hardening.yaml", checkout / "approved" / "deploy.yaml")
    assert run("missing-hardening").code == 1
    assert run("missing-hardening", base="none").code == 0
    assert run("missing-hardening", event={"ref": "refs/heads/main"}).code == 0  # a push has no base


def review(login, state="APPROVED", commit=HEAD):
    return {"user": {"login": login}, "state": state, "commit_id": commit, "submitted_at": "2026-11-28T11:00:00Z"}


@pytest.fixture
def owned(run, checkout):
    """A pull request that drops a step and carries the approval of it; the code owner is Ada."""
    (checkout / "CODEOWNERS").write_text("* @team/all\n/approved/ @ada\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "owners")
    reference = checkout / "approved" / "deploy.yaml"
    shutil.copy(DEPLOY / "generated" / "missing-hardening.yaml", reference)
    (entry,) = entries([reference], checkout / "approved")
    approve(entry, Signer(by="CISO", when=datetime(2026, 11, 21, tzinfo=UTC)), None, target=reference)
    return lambda **inputs: run("missing-hardening", **{"approvals": "true", **inputs})


def test_a_code_owner_approves_a_change_in_the_same_pull_request(owned, github):
    github.reviews = [review("ada", "CHANGES_REQUESTED"), review("ada"), review("ada", "COMMENTED")]
    job = owned()
    assert job.code == 0, job.log
    assert "approved/deploy.yaml (reference) is changed here and used, approved by ada" in job.log
    assert owned(approvals="false").code == 1  # not asked for


@pytest.mark.parametrize(
    "reviews",
    [
        [],
        [review("mallory"), {**review("ada"), "user": None}],
        [review("ada", commit="b4" * 20)],
        [review("ada"), review("ada", "CHANGES_REQUESTED")],
        [review("ada"), review("ada", "DISMISSED")],
    ],
)
def test_without_an_approval_of_this_commit_by_a_code_owner_nothing_is_used(owned, github, reviews):
    github.reviews = reviews
    assert owned().code == 1


def test_approvals_that_cannot_be_read_are_none(owned, github):
    github.before = lambda *_: (403, {}, {})
    job = owned()
    assert job.code == 1
    assert "::notice title=wfgate could not read what was accepted::" in job.log


@pytest.fixture
def asked(run, checkout, github):
    """A pull request that drops a step; run the gate on it with what is said there; the code owner is Ada."""
    (checkout / "CODEOWNERS").write_text("/approved/ @ada\n")
    shutil.copy(DEPLOY / "approved" / "deploy.yaml", checkout / "generated")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "base")
    git(checkout, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(checkout, "switch", "-q", "-c", "request")

    def push(candidate):
        shutil.copy(DEPLOY / "generated" / f"{candidate}.yaml", checkout / "generated" / "deploy.yaml")
        git(checkout, "commit", "-q", "-a", "--allow-empty", "-m", "more")
        github.pull["head"]["sha"] = git(checkout, "rev-parse", "HEAD")
        return github.pull["head"]["sha"]

    def asked(**inputs):
        event = {"pull_request": {**EVENT["pull_request"], "head": {"sha": github.pull["head"]["sha"]}}}
        return run(None, event=event, **{"approvals": "true", **inputs})

    push("missing-hardening")
    return asked, push


def test_the_comment_that_the_report_prints_accepts_the_case_until_it_changes(asked, github):
    gate, push = asked
    job = gate(comment="true")
    head = github.pull["head"]["sha"]
    assert (job.code, job.outputs["accepted"]) == (1, "0")
    (line,) = re.findall(r"^ *(/wfgate approve .*)$", job.log, re.MULTILINE)
    assert f"<code>{line}</code>" in job.summary
    assert f"<code>{line}</code>" in github.comments[-1]["body"]
    assert github.statuses[-1] == (
        head,
        {"context": "wfgate/gate: deploy", "state": "failure", "description": "block"},
    )
    github.comments.append(github.said("ada", f"{line}\n\nThe platform does this now; $(touch pwned)"))
    job = gate(comment="true")
    assert (job.code, job.outputs["verdict"], job.outputs["blocked"], job.outputs["accepted"]) == (
        0,
        "block",
        "1",
        "1",
    )
    assert "::warning title=BLOCK deploy%2C accepted by ada" in job.log
    assert "::error" not in job.log
    assert job.summary.startswith("## wfgate: BLOCK, accepted")
    assert "resolved" not in github.comments[0]["body"]
    assert github.statuses[-1] == (
        head,
        {
            "context": "wfgate/gate: deploy",
            "state": "success",
            "description": "block, accepted by ada (comment)",
            "target_url": "https://forge.example/7#ada",
        },
    )
    push("missing-hardening")  # another commit with the same candidate
    assert gate().code == 0
    push("squeezed-observability")
    job = gate()
    assert (job.code, job.outputs["accepted"]) == (1, "0")
    assert "not accepted: deploy: comment of ada" in job.log


def test_an_approving_review_of_a_code_owner_accepts_until_it_is_dismissed(asked, github):
    gate, _ = asked
    head = github.pull["head"]["sha"]
    github.reviews = [github.reviewed("ada", "APPROVED", head)]
    assert gate().code == 0
    assert "accepted by ada (review)" in github.statuses[-1][1]["description"]
    github.reviews.append(github.reviewed("ada", "DISMISSED", head))
    assert gate().code == 1
    assert github.statuses[-1][1]["state"] == "failure"
    github.reviews = [github.reviewed("bob", "APPROVED", head)]
    assert gate().code == 1  # may write, and owns nothing


def test_nobody_else_accepts_and_no_text_runs(asked, github, checkout):
    gate, _ = asked
    head = github.pull["head"]["sha"]
    evil = "deploy;touch${IFS}pwned $(touch pwned) `touch pwned` ::error::x --approved-by=ada"
    line = f"/wfgate approve all deploy at {head}"
    github.pushed = [{"author": {"login": "bob"}, "parents": [{}]}]
    github.comments = [
        github.said("agent", line),
        github.said("bob", line),
        github.said("eve", line),
        github.said("ada", f"/wfgate approve {evil}"),
        github.said("ada", f"/wfgate approve '{evil}' at {head}"),
        github.said("ada", line, updated_at="2026-11-28T12:00:00Z"),
        github.said("ada", f"> {line}"),
        github.comment(f"{line}"),
    ]
    job = gate()
    assert (job.code, job.outputs["accepted"]) == (1, "0")
    assert not list(checkout.glob("**/pwned"))
    assert "::error::x" not in job.log
    github.comments = [github.said("ada", line)]
    assert gate(approvals="false").code == 1
    assert gate().code == 0


def test_a_merge_queue_knows_what_was_accepted(asked, github, run, checkout):
    """The queue tests a commit of its own, after the pull request was accepted."""
    head, base = github.pull["head"]["sha"], git(checkout, "rev-parse", "origin/main")
    github.comments = [github.said("ada", f"/wfgate approve deploy at {head}")]
    queued = {"merge_group": {"base_sha": base, "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{base}"}}
    assert run(None, event=queued, approvals="true").code == 0
    github.comments = []
    assert run(None, event=queued, approvals="true").code == 1


def test_a_fork_gets_no_status_and_the_verdict_stays(asked, github):
    gate, _ = asked
    github.before = lambda method, _: (403, {}, {}) if method == "POST" else None
    job = gate()
    assert job.code == 1
    assert "::notice title=wfgate could not write a status::the token may not do this" in job.log


RERUN = ROOT / ".ci" / "rerun" / "action.yml"


def test_a_comment_or_a_review_repeats_the_last_run_of_the_gate(run, github):
    newest = {"path": ".github/workflows/wfgate.yml", "head_sha": HEAD, "status": "completed"}
    github.pull["head"]["sha"] = HEAD
    github.runs = [
        {**newest, "id": 2},
        {**newest, "id": 3},
        {**newest, "id": 4, "path": ".github/workflows/other.yml"},
        {**newest, "id": 5, "head_sha": "b4" * 20},
    ]
    comment = {"issue": {"number": 7, "pull_request": {}}, "comment": {"body": "$(touch pwned)"}}
    for event in (comment, {"pull_request": {"number": 7, "head": {"sha": "old"}}, "review": {}}):
        job = run(None, event={**event, "sender": {"login": "ada"}}, action=RERUN)
        assert (job.code, "run 3 of the gate starts again" in job.log) == (0, True), job.log
    assert github.repeated == [3, 3]
    assert "only those who may write" in run(None, event={**comment, "sender": {"login": "eve"}}, action=RERUN).log
    assert (
        "has not run" in run(None, event={**comment, "sender": {"login": "ada"}}, action=RERUN, workflow="x.yml").log
    )
    github.before = lambda method, _: (403, {}, {}) if method == "POST" else None
    job = run(None, event={**comment, "sender": {"login": "ada"}}, action=RERUN)
    assert (job.code, "::notice title=wfgate could not run again::" in job.log) == (0, True)
    assert github.repeated == [3, 3]


def test_a_pull_request_is_gated_by_the_tip_of_its_base(run, checkout):
    """Also if a run is repeated whose event names an older commit, and if the pull request got another base."""
    (checkout / "wfgate.toml").write_text("[policy]\nblock_severity = 1.0\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "lax")
    lax = git(checkout, "rev-parse", "HEAD")
    git(checkout, "update-ref", "refs/remotes/origin/lax", "HEAD")
    (checkout / "wfgate.toml").unlink()
    git(checkout, "commit", "-q", "-a", "-m", "strict")
    git(checkout, "update-ref", "refs/remotes/origin/main", "HEAD")
    strict = git(checkout, "rev-parse", "HEAD")

    def event(name):
        return {"pull_request": {"number": 7, "base": {"sha": lax, "ref": name}}}

    assert run("squeezed-observability", event=event("main")).code == 1
    assert run("squeezed-observability", event=event("lax")).code == 0  # so the examples name the protected branches
    assert run("squeezed-observability", event=event("gone")).code == 2
    git(checkout, "commit", "-q", "--allow-empty", "-m", "merged")  # a merge queue checks out what would be merged
    assert run("squeezed-observability", event={"merge_group": {"base_sha": strict}}).code == 1
    job = run("squeezed-observability", event={"merge_group": {"base_sha": strict}}, comment="true")
    assert "no pull request, no comment" in job.log


FORK = {
    "workflow_run": {
        "event": "pull_request",
        "path": ".github/workflows/gate.yml",
        "conclusion": "failure",
        "head_branch": "request",
        "head_sha": "c0ffee",
        "head_repository": {"owner": {"login": "stranger"}},
    }
}


@pytest.fixture
def pull(checkout, github):
    """The pull request of the fork, as GitHub lists it."""
    github.commits = [git(checkout, "rev-parse", "HEAD")]
    return {"number": 7, "head": {"sha": "c0ffee"}, "base": {"ref": "main"}}


def test_the_second_workflow_comments_for_a_fork(run, github, pull):
    report = run("missing-hardening").outputs["report-json"]
    github.pulls = [{"number": 8, "head": {"sha": "other"}}, pull]
    job = run(None, event=FORK, action=COMMENT, report_json=report)
    assert job.code == 0
    assert ("GET", "/repos/team/flows/pulls?state=open&head=stranger%3Arequest&per_page=100") in github.requests
    assert "BLOCK deploy" in github.comments[0]["body"]


@pytest.mark.parametrize("content", ["{}", "not json", '{"schema": "wfgate.result/1", "cases": "@team"}'])
def test_an_artifact_that_is_no_result_is_not_commented(run, github, pull, tmp_path, content):
    report = tmp_path / "result.json"
    report.write_text(content)
    github.pulls = [pull]
    job = run(None, event=FORK, action=COMMENT, report_json=str(report))
    assert job.code == 0
    assert "no result of this version" in job.log
    assert github.comments == []


def test_a_commit_without_a_pull_request_gets_no_comment(run, github, tmp_path):
    github.pulls = [{"number": 7, "head": {"sha": "later"}}]
    job = run(None, event=FORK, action=COMMENT, report_json=str(tmp_path / "none"))
    assert "no pull request, no comment" in job.log


def followed(**changed):
    """The event of a second workflow, after a run of the first with something changed."""
    return {"workflow_run": FORK["workflow_run"] | changed}


def test_a_fork_whose_gate_did_not_finish_is_told_so(run, github, pull, tmp_path):
    report = run("missing-hardening").outputs["report-json"]
    github.pulls = [pull]
    run(None, event=FORK, action=COMMENT, report_json=report)
    passed = run("reworded").outputs["report-json"]
    run(None, event=followed(conclusion="success"), action=COMMENT, report_json=passed)
    assert "resolved" in github.comments[0]["body"]
    missing = str(tmp_path / "result.json")  # no artifact, nothing fetched
    job = run(None, event=followed(conclusion="failure"), action=COMMENT, report_json=missing)
    assert job.code == 0
    (comment,) = github.comments
    assert "did not finish" in comment["body"]
    assert "resolved" not in comment["body"]
    job = run(None, event=followed(conclusion="success"), action=COMMENT, report_json=missing)
    assert "::notice title=wfgate could not comment::the gate left a result, but it is not here" in job.log


def test_what_could_not_be_judged_is_not_resolved(run, github, pull, tmp_path):
    github.pulls = [pull]
    report = Path(run("reworded").outputs["report-json"])
    result = json.loads(report.read_text())
    result["policy"]["inconclusive_blocks"] = False
    result["verdict"] = result["cases"][0]["verdict"] = "inconclusive"
    open_case = tmp_path / "result.json"
    open_case.write_text(json.dumps(result))
    run(None, event=followed(conclusion="success"), action=COMMENT, report_json=str(open_case))
    (comment,) = github.comments  # green, and yet there is something to say
    assert "## wfgate: INCONCLUSIVE" in comment["body"]
    assert "resolved" not in comment["body"]
    run(None, event=followed(conclusion="success"), action=COMMENT, report_json=str(report))
    assert "resolved" in comment["body"]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (followed(head_repository=None), "::notice title=wfgate could not comment::the repository .* is gone"),
        ({"workflow_run": {}}, "::warning title=wfgate could not comment::.*KeyError"),
        ({"pull_request": None}, "no pull request, no comment"),
        ([], "::warning title=wfgate could not comment::"),
    ],
)
def test_an_odd_event_turns_nothing_red(run, event, words, tmp_path):
    job = run(None, event=event, action=COMMENT, report_json=str(tmp_path / "none"))
    assert job.code == 0
    assert re.search(words, job.log)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((429, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}, {}), "::notice .*rate limit is used up"),
        ((429, {"Retry-After": "later"}, {}), "::notice .*rate limit is used up"),
        ((403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"}, {}), "::notice .*rate limit is used up"),
        ((200, {"Content-Length": "99999"}, []), "::notice .*GitHub's API does not answer: IncompleteRead"),
        ((200, {}, {"message": "odd"}), "::warning .*not as expected"),
        ((200, {}, None), "::warning .*not as expected"),
    ],
)
def test_an_odd_answer_turns_nothing_red(run, github, answer, words, tmp_path):
    github.before = lambda *_: answer
    job = run(None, event=EVENT, action=COMMENT, report_json=str(tmp_path / "none"))
    assert job.code == 0
    assert re.search(words, job.log), job.log
    assert len(github.requests) == 1


def test_a_date_to_ask_again_at_is_waited_for(run, github, tmp_path):
    refusals = iter([(503, {"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT"}, {})])
    github.before = lambda *_: next(refusals, None)
    assert "commented" in run(None, event=EVENT, action=COMMENT, report_json=str(tmp_path / "none")).log
    assert len(github.comments) == 1
