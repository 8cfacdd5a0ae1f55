"""References of a pull request that a code owner approved."""

import json
import subprocess
from dataclasses import replace

import pytest

from wfgate.approvals import OwnedRevision, approve, entries
from wfgate.approvals.owners import FILES, code_owner_rules, owners_of
from wfgate.errors import ConfigError
from wfgate.run import Revision

RULES = """
*              @everybody
*.js           @js @Org/JS    # an inline comment
/build/logs/   @doctor
docs/*         docs@example.org
apps/          @octocat
**/logs        @logger
/scripts/**/x? @script
/empty         @octocat
/empty/github
/a\\ b/         @space
!/docs/        @nobody
"""


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("README", "everybody"),
        ("deep/a.js", "js org/js"),
        ("build/logs/a/b", "logger"),
        ("other/build/logs", "logger"),
        ("build/logger/a", "everybody"),
        ("docs/a.md", "docs@example.org"),
        ("docs/deep/a.md", "everybody"),
        ("deep/docs/a.md", "everybody"),
        ("deep/apps/a/b", "octocat"),
        ("scripts/a/b/xy", "script"),
        ("scripts/xy", "script"),
        ("scripts/x", "everybody"),
        ("empty/a", "octocat"),
        ("empty/github", ""),
        ("empty/github/a", ""),
        ("a b/c", "space"),
    ],
)
def test_owners_as_githubs_documentation_has_them(path, owner):
    assert owners_of(path, list(code_owner_rules(RULES))) == set(owner.split())


@pytest.mark.parametrize(
    ("line", "problem"),
    [("[Docs] @a", "sections"), ("^[Docs][2] @a", "sections"), ("  [Docs]", "sections"), ("* everybody @a", "owner")],
)
def test_what_github_does_not_read_is_refused(line, problem):
    with pytest.raises(ConfigError, match=problem):
        list(code_owner_rules(f"* @b\n{line}\n"))


def test_only_a_line_feed_ends_a_line():
    for end in "\r\v\f\x85\u2028":
        assert owners_of("a", list(code_owner_rules(f"* @b # x{end}* @c"))) == {"b"}


def test_a_file_that_github_does_not_load_names_nobody(repo):
    (repo / "CODEOWNERS").write_text("#" * (3 * 1024 * 1024) + "\n* @ada\n")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, "commit", "-qam", "large"], cwd=repo, check=True)
    with pytest.raises(ConfigError, match="larger than 3 MB"):
        OwnedRevision("HEAD", repo, ["ada"]).accept(repo / "approved")


@pytest.fixture
def repo(project, monkeypatch, gate, signer, texts):
    """A pull request with a candidate that is worse, and its approval."""
    monkeypatch.chdir(project)

    def git(*arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (project / "CODEOWNERS").write_text("* @Everybody\n/approved/ @Ada @team/owners\n")
    git("add", ".")
    git("commit", "-q", "-m", "base")
    git("switch", "-q", "-c", "request")
    (entry,) = entries([project / "new" / "report.yaml"], project / "approved")
    reference = project / "approved" / "report.yaml"
    approve(
        entry, replace(signer, reason="meant by all"), gate.decide(entry.pair()), target=reference, replaces=reference
    )
    (project / "CODEOWNERS").write_text("* @mallory\n")
    return project


def accepted(repo, *approvers):
    base = OwnedRevision("main", repo, approvers)
    base.accept(repo / "approved")
    used = [blob.content for blob in base.files(repo / "approved")]
    assert base.read(repo / "approved" / "report.yaml") == used[0]
    return used


def test_a_reference_counts_if_a_code_owner_of_the_base_approved_it(repo, texts):
    assert accepted(repo, "mallory", "everybody", "team", "owners") == [texts["golden"].encode()]
    assert accepted(repo, "mallory", "ADA") == [texts["worse"].encode()]
    base = OwnedRevision("main", repo, ["ada"])
    base.accept(repo / "approved")
    changed = {one.path: one.approved_by for one in base.info([("reference", repo)]).changed}
    assert changed == {"approved/report.yaml": "ada", "approved/report.yaml.approvals": "ada", "CODEOWNERS": None}


@pytest.mark.parametrize("name", ["report@2.yaml", "report.yml"])
def test_a_further_reference_of_a_workflow_needs_an_owner_of_those_it_has(repo, signer, texts, name):
    """Best verdict counts, so that a further reference lets a worse workflow pass like a changed one."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    (repo / "CODEOWNERS").write_text("* @dev\n/approved/report.yaml @ada\n/approved/report.yaml.approvals @ada\n")
    subprocess.run([*git, "commit", "-qm", "owners", "CODEOWNERS"], cwd=repo, check=True)
    subprocess.run([*git, "branch", "-qf", "main"], cwd=repo, check=True)
    further = repo / "approved" / name
    (repo / "approved" / "report.yaml").rename(further)
    (repo / "approved" / "report.yaml.approvals").rename(further.with_name(f"{name}.approvals"))
    subprocess.run([*git, "checkout", "-q", "main", "--", "approved"], cwd=repo, check=True)
    assert accepted(repo, "dev") == [texts["golden"].encode()]
    (repo / "CODEOWNERS").write_text("* @dev\n/approved/ @dev @ada\n")
    subprocess.run([*git, "commit", "-qam", "shared"], cwd=repo, check=True)
    subprocess.run([*git, "branch", "-qf", "main"], cwd=repo, check=True)
    assert texts["worse"].encode() in accepted(repo, "dev")


def test_a_team_approves_nothing(repo):
    with pytest.raises(ConfigError, match="team/owners is a team"):
        OwnedRevision("main", repo, ["team/owners"])


@pytest.mark.parametrize("spoil", ["bytes", "record", "link", "folder", "no record"])
def test_a_reference_counts_only_with_a_record_of_its_bytes(repo, texts, spoil):
    reference = repo / "approved" / "report.yaml"
    record = repo / "approved" / "report.yaml.approvals"
    if spoil == "bytes":
        reference.write_bytes(reference.read_bytes() + b"\n")
    elif spoil == "record":
        data = json.loads(record.read_text())
        data["approvals"][0]["sha256"] = "0" * 64
        record.write_text(json.dumps(data))
    elif spoil == "link":
        reference.rename(repo / "elsewhere.yaml")
        reference.symlink_to(repo / "elsewhere.yaml")
    elif spoil == "folder":
        (repo / "approved").rename(repo / "elsewhere")
        (repo / "approved").symlink_to("elsewhere")
    else:
        record.unlink()
    assert accepted(repo, "ada") == [texts["golden"].encode()]


def test_a_first_reference_can_be_approved_too(repo, signer, texts):
    (entry,) = entries([repo / "new" / "fresh.yaml"], repo / "first")
    approve(entry, signer, None, target=entry.target())
    for name in FILES:
        (repo / name).parent.mkdir(exist_ok=True)
    base = OwnedRevision("main", repo, ["everybody"])
    with pytest.raises(ConfigError, match="not in the base revision"):
        base.files(repo / "first")
    base.accept(repo / "first")
    assert [blob.content for blob in base.files(repo / "first")] == [texts["golden"].encode()]
    assert Revision("main", repo).read(repo / "first" / "fresh.yaml") is None
