"""The record next to each reference: who approved it, when, at which commit, and the verdict of the gate."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from wfgate.baseline.references import sha256_of
from wfgate.errors import ConfigError, first_problem, os_words
from wfgate.gating import Verdict
from wfgate.gating.suite import reference_files
from wfgate.model.workflow import Frozen
from wfgate.store import write_atomically

SUFFIX = ".approvals"
"""`deploy.yaml.approvals` is the record of `deploy.yaml`; no workflow format has this suffix."""

Standing = Literal["approved", "changed", "unrecorded"]
"""Whether a reference is byte for byte what was approved, was changed since, or has no record."""


@dataclass(frozen=True)
class Signer:
    """Who approves, when, and at which commit of the repository.

    Attributes:
        by: A name, or a name and an address.
        when: The time, with its zone.
        commit: Hash of the checked-out commit; None outside a repository.
        reason: Why the approval is right.
    """

    by: str
    when: datetime
    commit: str | None = None
    reason: str | None = None


class Approval(Frozen):
    """One approval of one reference.

    Attributes:
        by: Who approved.
        when: The time, in UTC.
        commit: The checked-out commit.
        sha256: SHA-256 of the approved bytes.
        fingerprint: Fingerprint of the workflow, independent of ids, order and format.
        verdict: Verdict of the gate; None if there was no reference to compare with.
        reasons: Reasons for the verdict.
        against: File name of the compared reference.
        accepted: Error-level findings that the reason accepts, as "ID fingerprint".
        waived: Error-level findings that a waiver covers, as "ID fingerprint until DATE by OWNER".
        reason: Why it was approved.
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
    """All approvals of one reference file, the current one last."""

    format: Literal["wfgate.approvals/1"] = "wfgate.approvals/1"
    approvals: tuple[Approval, ...] = ()


def approvals_file(reference: Path) -> Path:
    """Return the file with the approvals of a reference.

    Example:
        >>> approvals_file(Path("approved/deploy@2.yaml")).name
        'deploy@2.yaml.approvals'
    """
    return reference.with_name(reference.name + SUFFIX)


def read_approvals(reference: Path) -> tuple[Approval, ...]:
    """Return the recorded approvals of a reference, oldest first; empty without a record.

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
    """Return the current approval, if there is one."""
    return next(reversed(read_approvals(reference)), None)


def record(reference: Path, approval: Approval, *, before: tuple[Approval, ...] = ()) -> None:
    """Add an approval to the record of a reference, atomically.

    Args:
        reference: The reference file.
        approval: The approval.
        before: Earlier approvals of a file that this one replaces.
    """
    known = read_approvals(reference) or before
    content = Approvals(approvals=(*known, approval)).model_dump(mode="json", exclude_defaults=True)
    whole = {"format": Approvals().format, **content}
    write_atomically(approvals_file(reference), json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def standing(reference: Path) -> Standing:
    """Return whether a reference is what was approved, byte for byte."""
    approval = last_approval(reference)
    if approval is None:
        return "unrecorded"
    return "approved" if approval.sha256 == sha256_of(reference) else "changed"


def unapproved(reference: Path) -> list[tuple[Path, Standing]]:
    """Return the references in a folder, or the one file, that are not approved as they are."""
    files = (
        [reference]
        if reference.is_file()
        else [path for paths in reference_files(reference).values() for path in paths]
    )
    return [(path, found) for path in files if (found := standing(path)) != "approved"]
