"""Where an approval comes from: its commit in the history, the author, and the verified signature."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wfgate.baseline.approvals import approvals_file
from wfgate.baseline.references import content_of
from wfgate.baseline.signing import git_output
from wfgate.gating.revision import Revision

SIGNERS = (".github/allowed_signers", "allowed_signers", ".gitlab/allowed_signers")
"""Whose signatures count, in the format of `ssh-keygen` (ALLOWED SIGNERS); the first file counts."""


@dataclass(frozen=True)
class Provenance:
    """Where the approval of a reference comes from.

    Attributes:
        problem: Why the approval does not count; None if it counts, or outside a git repository.
        commit: The commit that recorded the approval; None outside a git repository, and in a shallow clone.
        author: The author of this commit.
        signer: Whose signature of this commit was verified; None if the repository names no signers.
    """

    problem: str | None = None
    commit: str | None = None
    author: str | None = None
    signer: str | None = None

    @property
    def facts(self) -> dict[str, str]:
        """Commit, author and signer for an attestation, without those that are not known."""
        known = {"approved_commit": self.commit, "approved_author": self.author, "approved_signer": self.signer}
        return {name: value for name, value in known.items() if value}


def provenance(reference: Path) -> Provenance:
    """Return where the approval of a reference comes from.

    An approval on the disk is what anybody can write. It counts if reference and record are committed, because the
    forge decides who may change the branch; and, if the repository names signers, if one of them signed the commit.

    Args:
        reference: The file of a reference that has a record.

    Raises:
        ConfigError: If a file cannot be read.
    """
    folder = reference.parent
    if git_output(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return Provenance()
    if git_output(folder, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return Provenance("has an approval that is not committed")
    head = Revision("HEAD", folder)
    record = approvals_file(reference)
    if any(content_of(path) != head.read(path.absolute()) for path in (reference, record)):
        return Provenance("has an approval that is not committed")
    top = Path(git_output(folder, "rev-parse", "--show-toplevel") or folder)
    signers = next((text for name in SIGNERS if (text := head.read(top / name)) is not None), None)
    if git_output(folder, "rev-parse", "--is-shallow-repository") != "false":
        return Provenance(None if signers is None else "has a signature that a shallow clone cannot verify")
    with TemporaryDirectory() as temp:
        allowed = Path(temp, "allowed_signers")
        allowed.write_bytes(signers or b"")
        shown = git_output(
            folder,
            "--no-replace-objects",
            *("-c", f"gpg.ssh.allowedSignersFile={allowed}", "-c", "gpg.ssh.program=ssh-keygen"),
            *("-c", "gpg.ssh.revocationFile=", "-c", "log.showSignature=false"),
            *("-c", "gpg.program=false", "-c", "gpg.openpgp.program=false", "-c", "gpg.x509.program=false"),
            *("log", "-1", f"--format=%H%n%an <%ae>{'%n%G?%n%GS' if signers is not None else ''}"),
            *(head.commit, "--", str(record.absolute())),
        )
    commit, author, *signature = (shown or "").split("\n") if shown else (None, None)
    if signers is None:
        return Provenance(None, commit, author)
    good, signer = signature if len(signature) == 2 else ("", None)
    problem = None if good == "G" else f"has an approval that none of the allowed signers signed (commit {commit})"
    return Provenance(problem, commit, author, signer if good == "G" else None)
