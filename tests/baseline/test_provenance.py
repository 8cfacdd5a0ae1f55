"""An approval counts before a deployment if it is committed, and signed where the repository names signers."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from wfgate.baseline import STRICT, approve, entries, predeploy
from wfgate.baseline.attestation import Input
from wfgate.baseline.provenance import SIGNERS, provenance
from wfgate.gating import Gate, Policy


@pytest.fixture
def repo(project, monkeypatch, tmp_path_factory, signer):
    """A repository whose reference somebody approved on a build server, as the CISO."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path_factory.mktemp("home") / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "base")
    (entry,) = entries([project / "approved" / "report.yaml"], project / "approved")
    approve(entry, replace(signer, by="CISO"), None, target=entry.adopted)
    return project


def git(folder, *arguments):
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def key(folder, name):
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / name, (folder / f"{name}.pub").read_text()


def test_an_approval_that_is_only_on_the_disk_is_none(repo, gate, signer, texts):
    def check():
        (repo / "new" / "report.yaml").write_text(texts["golden"])
        profile = Input(name="profile", digest={"sha256": "ab" * 32}, annotations={"path": "default"})
        strict = Gate(gate.assessor, gate.profile, Policy(**STRICT))
        return predeploy(repo / "new" / "report.yaml", repo / "approved", strict, profile, tool="1", at=signer.when)

    ready = check()
    assert ready.exit_code == 3
    assert ready.problems[0].endswith("report.yaml has an approval that is not committed")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "approve")
    ready = check()
    assert ready.problems == ()
    text = ready.statement.to_json()
    assert git(repo, "rev-parse", "HEAD") in text
    assert "Ada <ada@example.org>" in text


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_where_the_repository_names_signers_one_of_them_must_have_signed(repo, tmp_path_factory):
    reference = repo / "approved" / "report.yaml"
    keys = tmp_path_factory.mktemp("keys")
    (ada, public), (mallory, _) = key(keys, "ada"), key(keys, "mallory")
    (repo / ".github").mkdir()
    (repo / SIGNERS[0]).write_text(f"ada@example.org {public}")
    git(repo, "add", ".github")
    git(repo, "commit", "-q", "-m", "signers")
    git(repo, "add", ".")
    signed = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={ada}", "commit", "-q", "-S", "-m", "approve")
    git(repo, "commit", "-q", "-m", "approve")
    assert "none of the allowed signers" in provenance(reference).problem
    git(repo, *signed, "--amend")
    found = provenance(reference)
    assert (found.problem, found.signer, found.author) == (None, "ada@example.org", "Ada <ada@example.org>")
    git(repo, "commit", "-q", "--allow-empty", "-m", "later")  # the commit of the record counts
    assert provenance(reference).commit == git(repo, "rev-parse", "HEAD~")
    clone = repo / "clone"
    git(repo, "clone", "-q", "--depth", "1", f"file://{repo}", str(clone))
    assert "shallow" in provenance(clone / "approved" / "report.yaml").problem
    git(repo, "reset", "-q", "--soft", "HEAD~2")
    git(repo, *(each.replace(str(ada), str(mallory)) for each in signed))
    assert "none of the allowed signers" in provenance(reference).problem
