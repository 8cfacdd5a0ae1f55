"""The record beside each reference: who approved it, when, at which commit, and what the gate said then."""

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
"""`deploy.yaml.approvals` is the record of `deploy.yaml`; no workflow format has this ending."""

Standing = Literal["approved", "changed", "unrecorded"]
"""Whether a reference is byte for byte what somebody approved, was changed since, or has no record."""


@dataclass(frozen=True)
class Signer:
    """Who approves, when, and at which commit of the repository.

    Attributes:
        by: A name, or a name and an address.
        when: A point in time, with its zone.
        commit: Hash of the commit that is checked out; None outside of a repository.
        reason: Why, in words.
    """

    by: str
    when: datetime
    commit: str | None = None
    reason: str | None = None


class Approval(Frozen):
    """One approval of one reference.

    Attributes:
        by: Who approved.
        when: When, in UTC.
        commit: The commit that was checked out then.
        sha256: Of the bytes that were approved.
        fingerprint: Of the workflow in them: whatever its ids, order and format.
        verdict: What the gate said about it then; None where there was nothing to compare it with.
        reasons: Why it said that.
        against: File name of the reference that it was compared with.
        accepted: Error-level findings that it has, as "ID fingerprint", accepted with the reason.
        waived: Those that needed no reason, as a waiver covered them: "ID fingerprint until DATE by OWNER".
        reason: Why it was approved, in words.
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
    """All approvals of one reference file, the one in force last."""

    format: Literal["wfgate.approvals/1"] = "wfgate.approvals/1"
    approvals: tuple[Approval, ...] = ()


def approvals_file(reference: Path) -> Path:
    """Return where the approvals of a reference are recorded.

    Example:
        >>> approvals_file(Path("approved/deploy@2.yaml")).name
        'deploy@2.yaml.approvals'
    """
    return reference.with_name(reference.name + SUFFIX)


def read_approvals(reference: Path) -> tuple[Approval, ...]:
    """Return the recorded approvals of a reference, oldest first; none where there is no record.

    Raises:
        ConfigError: If there is a record that cannot be read: it is never taken for none.
    """
    path = approvals_file(reference)
    fix = "restore it from version control, or delete it and approve again"
    try:
        return Approvals.from_json(path.read_text(encoding="utf-8")).approvals
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix=fix) from error
    except ValidationError as error:
        raise ConfigError(f"{path}: no record of approvals: {first_problem(error)}", fix=fix) from None


def last_approval(reference: Path) -> Approval | None:
    """Return the approval in force, if there is one."""
    return next(reversed(read_approvals(reference)), None)


def record(reference: Path, approval: Approval, *, before: tuple[Approval, ...] = ()) -> None:
    """Add an approval to a reference's record, atomically.

    Args:
        reference: The reference file.
        approval: The approval.
        before: Earlier approvals of a file that this one takes the place of.
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
    """Return the references in a folder, or the one file, that are not what somebody approved."""
    files = (
        [reference]
        if reference.is_file()
        else [path for paths in reference_files(reference).values() for path in paths]
    )
    return [(path, found) for path in files if (found := standing(path)) != "approved"]
