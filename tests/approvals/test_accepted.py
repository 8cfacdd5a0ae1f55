"""Which acceptances count: of whom, and for which bytes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from wfgate.approvals import Acceptances, OwnedRevision, with_acceptances
from wfgate.decide import Acceptance, Pair, Policy
from wfgate.run import Revision, pair_files

NEVER = "f" * 40


def git(*arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def head(project, monkeypatch):
    """The commit of a pull request with a worse candidate; Ada owns its reference."""
    monkeypatch.chdir(project)
    (project / "new" / "fresh.yaml").unlink()
    git("init", "-q", "-b", "main")
    (project / "CODEOWNERS").write_text("* @dev\n/approved/ @Ada @team/owners\n")
    worse = (project / "new" / "report.yaml").read_bytes()
    (project / "new" / "report.yaml").write_bytes((project / "approved" / "report.yaml").read_bytes())
    git("add", ".")
    git("commit", "-qm", "base")
    git("switch", "-qc", "request")
    (project / "new" / "report.yaml").write_bytes(worse)
    (project / "CODEOWNERS").write_text("* @mallory\n")
    git("commit", "-qam", "worse")
    return git("rev-parse", "HEAD")


@pytest.fixture
def run(gate, head):
    """Gate the pull request with acceptances; return the exit code and the result."""

    def run(*accepted, authors=("agent",), policy=None, pairs=None, base=None):
        base = base or Revision("main", Path())
        pairs = pairs or pair_files([Path("new")], Path("approved"), base)
        result = gate.run(pairs, tool="1", base=base.info([]))
        if policy:
            result = result.model_copy(update={"policy": policy})
        given = Acceptances(head=head, authors=authors, accepted=accepted)
        found = with_acceptances(result, given, base, pairs, Path("approved"))
        return found.exit_code, type(found).model_validate(found.to_dict())

    return run


@pytest.fixture
def by(head):
    def by(login, how="comment", commit=head, cases=("report",)):
        return Acceptance(
            by=login, how=how, commit=commit, cases=() if how == "review" else cases, url=f"https://forge/{login}"
        )

    return by


def test_a_case_keeps_its_verdict_and_does_not_fail(run, by):
    assert run()[0] == 1
    for one in (by("ada"), by("ADA", "review"), by("ada", cases=("other", "report")), by("ada", cases=("all",))):
        code, result = run(one)
        assert (code, result.verdict, result.cases[0].verdict, result.accepted) == (0, "block", "block", ("report",))
        assert result.cases[0].accepted == one


def test_only_code_owners_of_the_base_accept(run, by):
    for login in ("mallory", "dev", "owners", "team/owners", "", "@"):
        for how in ("comment", "review"):
            assert run(by(login, how))[0] == 1
    refused = run(by("mallory"))[1].base.refused
    assert refused[0].startswith(
        "report: comment of mallory (https://forge/mallory): not a code owner of its references"
    )


def test_a_candidate_that_cannot_be_read_is_not_accepted(run, by, project):
    (project / "new" / "report.yaml").write_text("steps: [\n")
    git("commit", "-qam", "unreadable")
    there = git("rev-parse", "HEAD")
    for how in ("comment", "review"):
        code, result = run(by("ada", how, commit=there))
        assert (code, result.cases[0].verdict, result.accepted) == (3, "inconclusive", ())
    assert "nothing was compared" in run(by("ada", commit=there))[1].base.refused[0]


def test_another_case_is_not_accepted(run, by):
    assert run(by("ada", cases=("other",)))[0] == 1
    code, result = run(by("ada", cases=("Report", "report.yaml", "rep*")))
    assert code == 1
    assert "repotr: comment of ada (https://forge/ada): no case has this name: did you mean report?" in (
        run(by("ada", cases=("repotr", "report")))[1].base.refused
    )
    assert len(result.base.refused) == 3


def test_the_author_does_not_accept_unless_the_policy_allows_it(run, by):
    for how in ("comment", "review"):
        assert run(by("ada", how), authors=("agent", "Ada"))[0] == 1
        assert run(by("ada", how), authors=("Ada",), policy=Policy(authors_accept=True))[0] == 0


def test_a_later_push_of_the_candidate_voids_an_acceptance_and_another_push_does_not(run, by, project, head):
    (project / "readme.md").write_text("more\n")
    git("add", ".")
    git("commit", "-qm", "another file")
    for how in ("comment", "review"):
        assert run(by("ada", how))[0] == 0
    (project / "new" / "report.yaml").write_text((project / "new" / "report.yaml").read_text() + "# worse\n")
    git("commit", "-qam", "the candidate")
    for how in ("comment", "review"):
        assert run(by("ada", how))[0] == 1
    assert f"the candidate is not as in {head}" in run(by("ada"))[1].base.refused[0]
    git("revert", "-n", "HEAD")
    assert run(by("ada"))[0] == 0  # the same bytes again


def test_a_commit_that_git_does_not_have_accepts_nothing(run, by):
    for commit in (NEVER, git("rev-parse", "HEAD^{tree}")):
        code, result = run(by("ada", commit=commit))
        assert code == 1
        assert "after a force push, accept it again" in result.base.refused[0]


def test_a_candidate_that_no_commit_has_is_not_accepted(run, by, project, tmp_path_factory, gate):
    """A generated file, one outside of the repository, and a link may have other bytes in the next run."""
    worse = project / "new" / "report.yaml"
    outside = tmp_path_factory.mktemp("outside") / "report.yaml"
    shutil.copy(worse, outside)
    base = Revision("main", Path())
    golden = tuple(base.files(Path("approved")))
    assert run(by("ada"), pairs=[Pair("report", golden, outside)])[0] == 1
    (project / "made.yaml").write_bytes(worse.read_bytes())
    assert run(by("ada"), pairs=[Pair("report", golden, Path("made.yaml"))])[0] == 1
    (project / "link.yaml").symlink_to("new/report.yaml")
    git("add", "link.yaml")
    git("commit", "-qm", "link")
    linked = by("ada", commit=git("rev-parse", "HEAD"))
    assert run(linked, pairs=[Pair("report", golden, Path("link.yaml"))])[0] == 1


def test_a_workflow_called_all_is_not_accepted_with_the_others(run, by, project):
    base = Revision("main", Path())
    golden = tuple(base.files(Path("approved")))
    pairs = [Pair(name, golden, Path("new/report.yaml")) for name in ("all", "report")]
    code, result = run(by("ada", cases=("all",)), pairs=pairs)
    assert (code, result.accepted) == (1, ("all",))


def test_samples_are_accepted_together(run, by, project, head):
    worse, golden = project / "new" / "report.yaml", project / "approved" / "report.yaml"
    shutil.copy(worse, project / "new" / "report@1.yaml")
    shutil.copy(worse, project / "new" / "report@2.yaml")
    worse.write_bytes(golden.read_bytes())
    git("add", ".")
    git("commit", "-qm", "samples")
    commit = git("rev-parse", "HEAD")
    code, result = run(by("ada", commit=commit, cases=("report@1",)))
    assert (code, result.accepted) == (1, ())
    groups = {group.id for group in result.samples}
    assert run(by("ada", commit=commit, cases=tuple(groups)))[0] == 0
    assert run(by("ada", commit=commit, cases=("report@1", "report@2")))[0] == 0


def test_without_code_owners_a_comment_of_a_writer_counts_and_a_review_does_not(run, by, project):
    git("switch", "-q", "main")
    git("rm", "-q", "CODEOWNERS")
    git("commit", "-qm", "no owners")
    git("switch", "-q", "request")
    assert run(by("bob"))[0] == 0
    assert run(by("bob", "review"))[0] == 1
    assert run(by("agent"))[0] == 1


def test_a_new_workflow_needs_an_owner_of_the_folder_of_references(run, by, project):
    (project / "new" / "fresh.yaml").write_bytes((project / "approved" / "report.yaml").read_bytes())
    (project / "new" / "report.yaml").write_bytes((project / "approved" / "report.yaml").read_bytes())
    git("add", ".")
    git("commit", "-qm", "fresh")
    commit = git("rev-parse", "HEAD")
    assert run(by("dev", commit=commit, cases=("fresh",)))[0] == 3
    assert run(by("ada", commit=commit, cases=("fresh",)))[0] == 0


def test_references_that_the_pull_request_approves_change_no_owner(run, by):
    assert run(by("mallory"), base=OwnedRevision("main", Path(), ["mallory"]))[0] == 1


def test_approvals_of_nobody_who_owns_the_reference_stay_named(gate, head, by):
    base, pairs = Revision("main", Path()), pair_files([Path("new")], Path("approved"))
    info = base.info([]).model_copy(update={"refused": ("mallory is no code owner",)})
    result = gate.run(pairs, tool="1", base=info)
    given = Acceptances(head=head, authors=("agent",), accepted=(by("eve"),))
    refused = with_acceptances(result, given, base, pairs, Path("approved")).base.refused
    assert refused[0] == "mallory is no code owner"
    assert len(refused) == 2


def test_a_result_that_claims_an_acceptance_without_content_is_refused(run, by):
    data = run(by("ada"))[1].to_dict()
    for change in ({"content": None}, {"accepted": {"by": "ada", "how": "comment", "commit": "main"}}):
        forged = {**data, "cases": [{**data["cases"][0], **change}]}
        with pytest.raises(ValueError, match="accepted"):
            type(run()[1]).model_validate(forged)
