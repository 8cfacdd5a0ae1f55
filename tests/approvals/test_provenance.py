"""An approval counts before a deployment if it is committed, and signed if there are allowed signers.

Each attack is made on a copy of one repository, in which Ada is the only signer and has signed the approval.
"""

import hashlib
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from wfgate.approvals import STRICT, Repository, approvals_file, approve, entries, predeploy
from wfgate.approvals.attestation import Input
from wfgate.approvals.provenance import SIGNERS
from wfgate.decide import Policy
from wfgate.errors import ConfigError
from wfgate.run import Gate, load_config

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
LIST = SIGNERS[0]
APPROVED = "approved/report.yaml"
UNSIGNED = "none of the allowed signers signed"
UNCOMMITTED = "not committed"
CHANGED = "without the signature of a signer of the list before"
IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ada@example.org" for role in ("AUTHOR", "COMMITTER")},
}


def git(folder, *arguments, **environ):
    environment = {**os.environ, **IDENTITY, **environ}
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


class World:
    """A repository, and what an attacker does in it."""

    def __init__(self, repo, keys):
        self.repo, self.keys = repo, keys

    def git(self, *arguments, **environ):
        return git(self.repo, *arguments, **environ)

    def commit(self, by=None, *options, **environ):
        """Commit everything, signed by somebody or by nobody."""
        self.git("add", "-A")
        signed = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={self.keys / by}") if by else ()
        self.git(*signed, "commit", "-q", "-m", "x", *(["-S"] if by else []), *options, **environ)

    def write(self, name, text):
        (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
        (self.repo / name).write_text(text)

    def list(self, *lines, name=LIST):
        """Write a list of signers: the options and the name of the key of each."""
        made = [f"{rest} {(self.keys / f'{who}.pub').read_text()}" for who, rest in lines]
        self.write(name, "".join(made))

    def forge(self):
        """Replace the approved reference and its record, as the CISO."""
        self.write(APPROVED, self.other)
        record = approvals_file(self.repo / APPROVED)
        record.write_text(record.read_text().replace(self.digests[0], self.digests[1]))

    def problem(self, signers=None):
        reference = self.repo / APPROVED
        return Repository(self.repo, signers).provenance(reference, reference.read_bytes()).problem or ""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    keys = tmp_path_factory.mktemp("keys")
    for name in ("ada", "eve"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(keys / name)]
        subprocess.run(command, check=True, capture_output=True)
    return keys, tmp_path_factory.mktemp("template") / "repo"


ADA = ("ada", "ada@example.org")


@pytest.fixture
def world(project, template, signer, texts, tmp_path_factory, monkeypatch):
    for key, value in IDENTITY.items():
        monkeypatch.setenv(key, value)
    keys, made = template
    world = World(project, keys)
    if not made.exists():
        world.git("init", "-q", "-b", "main")
        world.commit()
        world.list(ADA)
        world.commit()
        (entry,) = entries([project / APPROVED], project / "approved")
        approve(entry, replace(signer, by="CISO"), None, target=entry.adopted)
        world.commit("ada")
        shutil.copytree(project, made)
    else:
        shutil.rmtree(project)
        shutil.copytree(made, project)
    world.other = texts["worse"]
    world.digests = [hashlib.sha256(text.encode()).hexdigest() for text in (texts["golden"], texts["worse"])]
    return world


def test_a_committed_and_signed_approval_counts_and_is_attested(world, gate, signer, texts, tmp_path_factory):
    def check():
        (world.repo / "new" / "report.yaml").write_text(texts["golden"])
        profile = Input(name="profile", digest={"sha256": "ab" * 32}, annotations={"path": "default"})
        strict = Gate(gate.assessor, gate.profile, Policy(**STRICT))
        known = {"repository": Repository(world.repo), "tool": "1", "at": signer.when}
        return predeploy(world.repo / "new" / "report.yaml", world.repo / "approved", strict, profile, **known)

    ready = check()
    assert ready.problems == ()
    text = ready.statement.to_json()
    for known in (world.git("rev-parse", "HEAD"), "Ada <ada@example.org>", '"approved_signer": "ada@example.org"'):
        assert known in text
    world.commit(None, "--allow-empty")  # the commit of the record counts, not the last one
    assert world.problem() == ""
    world.forge()
    assert any(UNCOMMITTED in problem for problem in check().problems)


def broken_config(world):
    with (world.repo / ".git" / "config").open("a") as file:
        file.write("[[[")


def unknown_extension(world):
    world.git("config", "core.repositoryformatversion", "1")
    world.git("config", "extensions.foo", "true")


def other_work_tree(world):
    other = world.repo.with_name("elsewhere")
    shutil.copytree(world.repo, other)
    world.git("config", "core.worktree", str(other))


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (broken_config, "bad config line"),
        (lambda world: (world.repo / ".git" / "HEAD").unlink(), "not a git repository"),
        (unknown_extension, "unknown repository extension"),
        (lambda world: world.git("config", "core.bare", "true"), "must be run in a work tree"),
        (other_work_tree, "unset core.worktree"),
    ],
)
def test_a_repository_that_git_cannot_read_is_an_error_and_not_no_repository(world, attack, said):
    world.forge()
    attack(world)
    with pytest.raises(ConfigError) as error:
        world.problem()
    assert said in str(error.value)
    assert "no approval counts" in str(error.value)


def test_a_repository_of_another_user_and_a_machine_without_git_are_errors(world, monkeypatch):
    world.forge()
    with monkeypatch.context() as environment:
        environment.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        with pytest.raises(ConfigError, match="dubious ownership") as error:
            world.problem()
        assert "safe.directory" in str(error.value)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match="git is not installed"):
        world.problem()


def nested(world, *options):
    inner = world.repo / "approved"
    git(inner, "init", "-q", *options)
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "x")


def submodule(world):
    world.git("rm", "-q", "-r", "--cached", "approved")
    nested(world)
    world.commit()


def link_out(world):
    outside = world.repo.with_name("outside")
    (world.repo / "approved").rename(outside)
    (world.repo / "approved").symlink_to(outside)
    world.commit()


def link_to_another_approval(world):
    (world.repo / "approved").rename(world.repo / "lax")
    (world.repo / "approved").symlink_to("lax")
    world.commit("eve")


@pytest.mark.parametrize(
    "attack",
    [
        lambda _: None,
        nested,
        lambda world: nested(world, "--separate-git-dir", str(world.repo.with_name("apart"))),
        submodule,
        link_out,
        link_to_another_approval,
    ],
)
def test_only_what_the_repository_of_the_working_directory_has_committed_counts(world, attack):
    world.forge()
    attack(world)
    assert UNCOMMITTED in world.problem()


def test_working_directory_and_references_are_in_one_repository(world, tmp_path_factory):
    reference, elsewhere = world.repo / APPROVED, tmp_path_factory.mktemp("elsewhere")
    with pytest.raises(ConfigError, match="run the command from the repository"):
        Repository(elsewhere).provenance(reference, reference.read_bytes())
    (elsewhere / "link").symlink_to(world.repo / "approved")
    with pytest.raises(ConfigError, match="run the command from the repository"):
        Repository(elsewhere).provenance(elsewhere / "link" / "report.yaml", reference.read_bytes())
    shutil.copytree(world.repo / "approved", elsewhere / "approved")
    assert Repository(elsewhere).provenance(elsewhere / APPROVED, b"").problem is None
    with pytest.raises(ConfigError, match="the git repository of the working directory"):
        Repository(world.repo).provenance(elsewhere / APPROVED, reference.read_bytes())
    submodule(world)
    with pytest.raises(ConfigError, match="a submodule of"):
        Repository(world.repo / "approved")


def brings_its_key(world):
    world.list(ADA, ("eve", "ada@example.org"))
    world.forge()
    world.commit("eve")


def brings_its_key_before(world):
    world.list(ADA, ("eve", "ada@example.org"))
    world.commit()
    world.forge()
    world.commit("eve")


def deletes_the_list(world):
    (world.repo / LIST).unlink()
    world.forge()
    world.commit()


def moves_the_list(world):
    (world.repo / LIST).unlink()
    world.list(ADA, ("eve", "ada@example.org"), name=SIGNERS[1])
    world.commit("eve")


def makes_the_list_a_link(world):
    (world.repo / LIST).unlink()
    (world.repo / LIST).symlink_to("none")
    world.commit()
    world.forge()
    world.commit()


def merges_a_list_from_before_the_list(world):
    world.git("checkout", "-q", "-b", "old", "HEAD~2")
    world.list(("eve", "ada@example.org"))
    world.commit()
    world.git("checkout", "-q", "main")
    world.git("merge", "-q", "-s", "ours", "--no-commit", "old")
    world.list(("eve", "ada@example.org"))
    world.forge()
    world.commit("eve")


def merges_the_deletion_of_the_list(world):
    """The merge has the files of one side, on which the list does not exist yet."""
    world.git("checkout", "-q", "-b", "old", "HEAD~2")
    world.commit(None, "--allow-empty")
    world.git("merge", "-q", "-s", "ours", "main", "-m", "x")
    world.git("checkout", "-q", "main", "--", "approved")
    world.forge()
    world.commit()


@pytest.mark.parametrize(
    "attack",
    [
        brings_its_key,
        brings_its_key_before,
        deletes_the_list,
        moves_the_list,
        makes_the_list_a_link,
        merges_a_list_from_before_the_list,
        merges_the_deletion_of_the_list,
    ],
)
def test_only_a_signer_of_the_list_before_changes_the_list(world, attack):
    attack(world)
    assert CHANGED in world.problem()


def test_who_was_a_signer_is_none(world):
    """The list that is checked out counts, so that a removed key cannot approve in a branch from before."""
    world.list(ADA, ("eve", "ada@example.org"))
    world.commit("ada")
    world.git("branch", "before")
    world.list(ADA)
    world.commit("ada")
    assert world.problem() == ""
    world.git("checkout", "-q", "before")
    world.forge()
    world.commit("eve")
    world.git("checkout", "-q", "main")
    world.git("merge", "-q", "before", "-m", "x")
    assert UNSIGNED in world.problem()


def test_a_merge_cannot_bring_back_an_older_approval(world):
    world.git("branch", "old")
    world.forge()
    world.commit("ada")
    assert world.problem() == ""
    world.git("checkout", "-q", "old")
    world.commit(None, "--allow-empty")
    world.git("merge", "-q", "-s", "ours", "main", "-m", "x")
    assert UNSIGNED in world.problem()


@pytest.mark.parametrize(
    ("line", "dates"),
    [
        ("!ada@example.org,*@example.org", {}),
        ("eve@example.org", {}),
        ('ada@example.org namespaces="file"', {}),
        ('ada@example.org valid-after="20990101"', {}),
        ('ada@example.org valid-before="20200101"', {}),
        ('ada@example.org valid-before="20200101"', {"GIT_COMMITTER_DATE": "2019-01-01T00:00:00Z"}),
    ],
)
def test_a_key_counts_for_its_committer_and_only_now(world, line, dates):
    world.list(("ada", line), ("eve", "ada@example.org"))
    world.commit("ada")
    world.forge()
    world.commit("ada", **dates)
    assert UNSIGNED in world.problem()


def test_the_signers_add_and_remove_signers_and_merge_branches(world):
    world.git("checkout", "-q", "-b", "feature")
    world.list(ADA, ("eve", "eve@example.org"))
    world.commit("ada")
    eve = {"GIT_COMMITTER_NAME": "Eve", "GIT_COMMITTER_EMAIL": "eve@example.org"}
    world.forge()
    world.commit("eve", **eve)
    world.git("checkout", "-q", "main")
    world.commit(None, "--allow-empty")
    world.git("merge", "-q", "--no-ff", "feature", "-m", "x")
    found = Repository(world.repo).provenance(world.repo / APPROVED, world.other.encode())
    assert (found.problem, found.signer, found.author) == (None, "eve@example.org", "Ada <ada@example.org>")
    clone = world.repo / "clone"
    world.git("clone", "-q", "--depth", "1", f"file://{world.repo}", str(clone))
    assert "shallow" in World(clone, world.keys).problem()
    (world.repo / LIST).unlink()
    world.commit("eve", **eve)
    assert world.problem() == ""


def test_a_list_from_outside_replaces_the_list(world, tmp_path_factory):
    outside = tmp_path_factory.mktemp("trusted") / "signers"
    outside.write_text(f"ada@example.org {(world.keys / 'ada.pub').read_text()}")
    assert world.problem(outside) == ""
    deletes_the_list(world)
    assert UNSIGNED in world.problem(outside)
    world.commit("ada", "--amend")
    assert CHANGED not in world.problem(outside)
    assert world.problem(outside) == ""
    (world.repo / "link").symlink_to(outside)
    outside.with_name("in").symlink_to(world.repo / "new" / "report.yaml")
    for inside in (world.repo / "new" / "report.yaml", world.repo / "link", outside.with_name("in")):
        with pytest.raises(ConfigError, match="is in the work tree"):
            world.problem(inside)
    with pytest.raises(ConfigError, match="not in a git repository"):
        Repository(outside.parent, outside)


LAX = '[checks]\nWR107 = "off"\n'
NOT_AS_COMMITTED = "is not as in the checked-out commit"


def rules(config=None, *given, signers=None):
    """Read the rules in the working directory as `predeploy` does; return problems and what was read."""
    repository = Repository(Path.cwd(), signers)
    found = load_config(config, Path(), repository.rules)
    for path in filter(None, (*given, found.waivers, found.profile_file)):
        repository.rules.read(path)
    return repository.problems_of_rules((config, *given)), found


def unsigned_change(world, name, text):
    world.write(name, text)
    world.commit()


def changed_on_disk(world, name, text):
    world.write(name, text)


def deleted_on_disk(world, name, _):
    (world.repo / name).unlink()


def unsigned_deletion(world, name, _):
    (world.repo / name).unlink()
    world.commit()


def other_key(world, name, text):
    world.write(name, text)
    world.commit("eve")


def link_to_other_rules(world, name, text):
    world.write("lax", text)
    world.commit("ada")
    (world.repo / name).unlink()
    (world.repo / name).symlink_to("lax")
    world.commit("ada")


def pipe(world, name, _):
    (world.repo / name).unlink()
    world.commit("ada")
    os.mkfifo(world.repo / name)


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (unsigned_change, UNSIGNED),
        (other_key, UNSIGNED),
        (unsigned_deletion, UNSIGNED),
        (changed_on_disk, NOT_AS_COMMITTED),
        (deleted_on_disk, NOT_AS_COMMITTED),
        (link_to_other_rules, NOT_AS_COMMITTED),
        (pipe, NOT_AS_COMMITTED),
    ],
)
@pytest.mark.parametrize(
    ("name", "strict", "lax"),
    [
        ("wfgate.toml", 'profile = "fitted.json"\n', LAX),
        ("pyproject.toml", '[tool.wfgate]\nprofile = "fitted.json"\n', ""),
        ("wfgate-waivers.toml", "", "# all"),
        ("fitted.json", "{}", '{"lax": 1}'),
    ],
)
def test_rules_count_if_they_are_committed_and_signed(world, monkeypatch, attack, said, name, strict, lax):
    monkeypatch.chdir(world.repo)
    world.write("fitted.json", "{}")
    if name != "pyproject.toml":
        world.write("wfgate.toml", 'profile = "fitted.json"\n')
    world.write(name, strict)
    world.commit("ada")
    problems, found = rules()
    assert (problems, str(found.profile)) == ([], "fitted.json")
    attack(world, name, lax)
    (problem,) = rules()[0]
    assert problem.startswith(f"the rule file {name} ")
    assert said in problem
    if said == NOT_AS_COMMITTED and attack not in {link_to_other_rules, pipe}:
        assert rules()[1] == found  # what is on the disk has no effect


def test_rules_from_outside_are_those_of_the_command_line(world, monkeypatch, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "fitted.json").write_text("{}")
    for name in ("mine.toml", "wfgate.toml"):
        (outside / name).write_text(f'profile = "fitted.json"\n{LAX}')
    (outside / "waivers.toml").touch()
    monkeypatch.chdir(world.repo)
    changed_on_disk(world, "wfgate.toml", LAX)
    problems, found = rules(outside / "mine.toml", outside / "waivers.toml")
    assert (problems, dict(found.checks)) == ([], {"WR107": "off"})
    (world.repo / "wfgate.toml").write_text(f'profile = "{outside / "fitted.json"}"\n')
    world.commit("ada")
    (problem,) = rules()[0]
    assert "fitted.json is outside of the repository" in problem
    assert rules(None, outside / "fitted.json")[0] == []
    (outside / "link.toml").symlink_to(world.repo / "wfgate.toml")  # a file of the repository
    changed_on_disk(world, "wfgate.toml", LAX)
    assert any(NOT_AS_COMMITTED in problem for problem in rules(outside / "link.toml")[0])


def test_a_signed_wfgate_toml_ends_the_search_before_an_unsigned_pyproject(world, monkeypatch):
    monkeypatch.chdir(world.repo)
    unsigned_change(world, "pyproject.toml", "[project]\n")
    (problem,) = rules()[0]
    assert "wfgate.toml beside it" in problem
    (world.repo / "wfgate.toml").touch()
    world.commit("ada")
    assert rules()[0] == []
