"""`wfgate approve` and `wfgate pending`."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    FormatName,
    OutputFormat,
    ProfileFile,
    ReferencePath,
    emit,
    gate_of,
    note,
    reference_of,
    settings,
)

if TYPE_CHECKING:
    from wfgate.baseline import Approved, Entry, Signer
    from wfgate.errors import WfgateError
    from wfgate.gating import Gate

EXIT_USAGE = 2
EXIT_UNREADABLE = 3

Candidates = Annotated[list[Path], typer.Argument(metavar="CANDIDATE", help="Candidate files, or folders of them.")]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason",
        metavar="TEXT",
        help="Reason for the approval; required if a candidate, alone or compared with "
        "its references, has error-level findings that are not waived.",
    ),
]
SignedBy = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="WHO", help="Name of the person who approves; by default user.name and user.email of git."
    ),
]


def approve(
    candidates: Candidates,
    reference: ReferencePath = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Name of the variant; by default a number.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the most similar reference instead of adding a variant.")
    ] = False,
    reason: Reason = None,
    by: SignedBy = None,
    profile: ProfileFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Copy candidates to the approved references and record who approved them.

    The first approved candidate of a workflow becomes its reference (deploy.yaml). Each further candidate becomes a
    variant (deploy@2.yaml). What a variant does differently from the first reference becomes free, and is listed
    (`wfgate contract` shows the whole contract). A candidate that passes already is not added, unless --replace or
    --variant is given. A candidate that is itself a file in the reference folder is approved without a copy. The
    record is a proposal: it counts for predeploy once it is committed, and for gate --base once it is merged or a code
    owner approved it (--approved-by). If a candidate is refused or unreadable, the others are approved all the same.
    Exit codes: 0 done, 2 at least one was refused, 3 at least one was unreadable, 4 the profile does not fit.

    Example: wfgate approve generated/deploy.yaml --reason "reviewed"
    """
    from wfgate.baseline import entries
    from wfgate.baseline.signing import refuse_in_ci, signer
    from wfgate.errors import ConfigError, FormatError
    from wfgate.report.baseline import approved_text, not_approved, nothing_to_approve

    refuse_in_ci("wfgate approve", os.environ)
    if variant is not None and replace:
        raise ConfigError("--variant and --replace cannot be used together", fix="give only one of the two options")
    found = settings(config, profile=profile, format_id=format_id)
    place = reference_of(reference, found)
    todo = entries(candidates, place, found.formats)
    if not todo:
        raise ConfigError("no candidates found", fix="give candidate files or folders that exist")
    gate = gate_of(found)
    alone = place.is_file()
    who = signer(by, place, datetime.now(tz=UTC), os.environ, reason)
    failed: list[tuple[Entry, WfgateError]] = []
    approved = 0
    for entry in todo:
        try:
            done = approve_entry(entry, gate, who, variant=variant, replace=replace)
        except (ConfigError, FormatError) as error:
            if len(todo) == 1:
                raise
            note(f"not approved: {error.text}", error.fix)
            failed.append((entry, error))
            continue
        approved += done is not None
        emit(approved_text(done, entry.candidate, alone=alone) if done else nothing_to_approve(entry), None)
    if approved:
        hint_at_person(who)
    if failed:
        emit(not_approved([entry for entry, _ in failed], approved, len(todo)), None)
        raise typer.Exit(EXIT_UNREADABLE if all(isinstance(error, FormatError) for _, error in failed) else EXIT_USAGE)


def hint_at_person(who: "Signer") -> None:
    """Say how to name the person who approves, if only the user account is known."""
    if not who.person:
        note(f"approved by the user account {who.by!r}: git has no user.name here; --by WHO names the person")


def approve_entry(
    entry: "Entry", gate: "Gate", who: "Signer", *, variant: str | None, replace: bool
) -> "Approved | None":
    """Approve one candidate.

    None if there is nothing to do: the candidate passes already, or is an approved reference.
    """
    from wfgate.baseline import approve as write_reference
    from wfgate.baseline import most_similar, standing

    entry = entry.now()
    case = gate.decide(entry.pair()) if entry.references and not entry.adopted else None
    if case is not None and case.verdict == "pass" and not replace and variant is None:
        return None
    if entry.adopted is not None and standing(entry.adopted) == "approved":
        return None
    replaces = most_similar(entry, gate) if replace and case is not None and case.error is None else None
    target = entry.replacement(replaces) if replaces is not None else entry.adopted or entry.target(variant)
    return write_reference(
        entry,
        who,
        case,
        target=target,
        replaces=replaces,
        gate=gate,
    )


def pending(
    candidates: Candidates,
    reference: ReferencePath = None,
    output_format: OutputFormat = DataFormat.TEXT,
    profile: ProfileFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """List the files that need an approval: candidates that do not pass, and references without a valid approval.

    Exit codes: 0 no file needs an approval, 1 at least one file does.

    Example: wfgate pending generated/ --reference approved/
    """
    from wfgate.baseline import pending_candidates, unapproved
    from wfgate.report.baseline import pending_record, pending_text

    found = settings(config, profile=profile, format_id=format_id)
    place = reference_of(reference, found)
    gate = gate_of(found)
    waits, changed = pending_candidates(candidates, place, gate), unapproved(place, found.formats)
    as_text = output_format is DataFormat.TEXT
    emit(pending_text(waits, changed) if as_text else json.dumps(pending_record(waits, changed), indent=2), None)
    if waits or changed:
        raise typer.Exit(1)
