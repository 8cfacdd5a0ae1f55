"""The approval record of a reference, a file next to it: approver, time, commit, verdict of the gate.

A reference is a file with an approved workflow (a golden).
"""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from wfgate.approvals.references import sha256_of
from wfgate.base import write_atomically
from wfgate.decide import Verdict
from wfgate.errors import ConfigError, first_problem, os_words
from wfgate.model import Frozen
from wfgate.read import APPROVALS, DETECTED, Formats
from wfgate.run import reference_files

Standing = Literal["approved", "changed", "unrecorded"]
"""Whether a reference is byte for byte what was approved, was changed since, or has no record."""


@dataclass(frozen=True)
class Signer:
    """The approver, the time, and the commit of the repository.

    Attributes:
        by: The approver: a name, or a name and an e-mail address.
        when: The time, with its time zone.
        commit: Hash of the checked-out commit; None outside a repository.
        reason: Why the approval is right.
        person: Whether `by` names a person, and is not only the name of a user account.
    """

    by: str
    when: datetime
    commit: str | None = None
    reason: str | None = None
    person: bool = True


class Approval(Frozen):
    """One approval of one reference.

    Attributes:
        by: The approver.
        when: The time, in UTC.
        commit: The checked-out commit.
        sha256: SHA-256 of the bytes of the reference file.
        fingerprint: Fingerprint of the workflow, independent of ids, order and format.
        verdict: Verdict of the gate; None if the workflow had no reference yet.
        reasons: Reasons for the verdict.
        against: File name of the reference that the candidate was compared with.
        accepted: Error-level findings that the reason accepts, as "ID fingerprint".
        waived: Error-level findings that a waiver covers, as "ID fingerprint until DATE by OWNER".
        reason: Why the workflow was approved.
    """

    by: str
    when: datetime
    commit: str | None = None
    sha256: str
    fingerprint: str
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    against: str | None = None
    accepted: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    reason: str | None = None


class Approvals(Frozen):
    """All approvals of one reference file, oldest first; the last one is the current approval."""

    format: Literal["wfgate.approvals/1"] = "wfgate.approvals/1"
    approvals: tuple[Approval, ...] = ()


def approvals_file(reference: Path) -> Path:
    """Return the file with the approvals of a reference.

    Example:
        >>> approvals_file(Path("approved/deploy@2.yaml")).name
        'deploy@2.yaml.approvals'
    """
    return reference.with_name(reference.name + APPROVALS)


def read_approvals(reference: Path) -> tuple[Approval, ...]:
    """Return the recorded approvals of a reference, oldest first; empty if there is no record.

    Raises:
        ConfigError: If the record cannot be read.
    """
    path = approvals_file(reference)
    fix = "restore the file from version control, or delete the file and approve again"
    try:
        return Approvals.from_json(path.read_text(encoding="utf-8")).approvals
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix=fix) from error
    except ValidationError as error:
        raise ConfigError(f"{path}: not a record of approvals: {first_problem(error)}", fix=fix) from None


def last_approval(reference: Path) -> Approval | None:
    """Return the current approval of a reference; None if it was never approved."""
    return next(reversed(read_approvals(reference)), None)


def record(reference: Path, approval: Approval, *, before: tuple[Approval, ...] = ()) -> None:
    """Add an approval to the record of a reference, atomically.

    Args:
        reference: The reference file.
        approval: The approval.
        before: Approvals of the file that this reference replaces; they are kept in the record.
    """
    known = read_approvals(reference) or before
    content = Approvals(approvals=(*known, approval)).model_dump(mode="json", exclude_defaults=True)
    whole = {"format": Approvals().format, **content}
    write_atomically(approvals_file(reference), json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def standing(reference: Path, sha256: str | None = None) -> Standing:
    """Return whether the bytes of a reference are approved, changed since the approval, or were never approved.

    Args:
        reference: The file.
        sha256: The digest of its bytes, if they were read before; None reads the file.
    """
    approval = last_approval(reference)
    if approval is None:
        return "unrecorded"
    return "approved" if approval.sha256 == (sha256 or sha256_of(reference)) else "changed"


def unapproved(reference: Path, formats: Formats = DETECTED) -> list[tuple[Path, Standing]]:
    """Return the references whose bytes are not approved.

    `reference` is a folder of references, or one reference file. Files that `formats` names are references whatever
    their suffix.
    """
    files = (
        [reference]
        if reference.is_file()
        else [path for paths in reference_files(reference, formats).values() for path in paths]
    )
    return [(path, state) for path in files if (state := standing(path)) != "approved"]
