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
    gate_of,
    reference_of,
    settings,
)
from wfgate.cli.output import emit, note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wfgate.approvals import Approved, Entry, Signer
    from wfgate.errors import WfgateError
    from wfgate.run import Gate

EXIT_USAGE = 2
EXIT_UNREADABLE = 3

Candidates = Annotated[list[Path], typer.Argument(metavar="CANDIDATE", help="Candidate files, or folders of them.")]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason",
        metavar="TEXT",
        help="Reason for the approval, of at least three words; required if a candidate, alone or compared with "
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
    replace: Annotated[
        Path | None,
        typer.Option(
            "--replace",
            metavar="FILE",
            help="The reference to replace, also with a candidate that passes; by default the one that has no variant "
            "name.",
        ),
    ] = None,
    variant: Annotated[
        bool, typer.Option("--variant", help="Add a further reference instead of replacing one.")
    ] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the variant; by default a number.")
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(
            "--from-rev",
            metavar="REV",
            help="Read the candidates from this git revision, such as the branch of a pull request.",
        ),
    ] = None,
    reason: Reason = None,
    by: SignedBy = None,
    profile: ProfileFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Copy candidates to the approved references and record who approved them.

    A candidate becomes the reference of its workflow (deploy.yaml), or replaces it. With --variant it becomes a
    further reference beside it (deploy@2.yaml): what the references do differently becomes free, and is listed
    (`wfgate contract` shows the whole contract). A candidate that passes already is left out, unless --replace or
    --variant is given. A candidate that is itself a file in the reference folder, or the reference file, is approved
    without a copy. The record is a proposal: it counts for predeploy once it is committed, and for gate --base once it
    is merged or a code owner approved it (--approved-by). If a candidate is refused or unreadable, the others are
    approved all the same. Exit codes: 0 done, 2 at least one was refused, 3 at least one was unreadable, 4 the profile
    does not fit.

    Example: wfgate approve generated/deploy.yaml --reason "the scan moved"
    """
    from wfgate.approvals import approved_text, entries, not_approved, nothing_to_approve, refuse_in_ci, signer
    from wfgate.errors import ConfigError, FormatError
    from wfgate.run import Revision

    refuse_in_ci("wfgate approve", os.environ)
    _require_one_way(replace, variant=variant, name=name)
    loaded = settings(config, profile=profile, format_id=format_id)
    place = reference_of(replace or reference, loaded)
    at = Revision(revision, Path.cwd(), base=False) if revision is not None else None
    todo = entries(candidates, place, loaded.formats, at)
    if not todo:
        raise ConfigError("no candidates found", fix="give candidate files or folders that exist")
    gate = gate_of(loaded)
    alone = place.is_file()
    who = signer(by, place, datetime.now(tz=UTC), os.environ, reason)
    failed: list[tuple[Entry, WfgateError]] = []
    approved: list[Entry] = []
    for entry in todo:
        try:
            wanted = _variant_name(entry, name) if variant else None
            before = [one.candidate for one in approved if (one.home, one.name) == (entry.home, entry.name)]
            done = approve_entry(entry, gate, who, variant=wanted, replace=replace, approved=before)
        except (ConfigError, FormatError) as error:
            if len(todo) == 1:
                raise
            note(f"not approved: {error.text}", error.fix)
            failed.append((entry, error))
            continue
        approved += [entry] * (done is not None)
        emit(approved_text(done, entry, alone=alone) if done else nothing_to_approve(entry), None)
    if approved:
        hint_at_person(who)
    if failed:
        emit(not_approved([entry for entry, _ in failed], len(approved), len(todo)), None)
        raise typer.Exit(EXIT_UNREADABLE if all(isinstance(error, FormatError) for _, error in failed) else EXIT_USAGE)


def _require_one_way(replace: Path | None, *, variant: bool, name: str | None) -> None:
    """Check that the options say one thing.

    Raises:
        ConfigError: If a variant is to replace a reference, a name is given without a variant, or the reference to
            replace does not exist.
    """
    from wfgate.errors import ConfigError

    if variant and replace is not None:
        raise ConfigError("--variant and --replace cannot be used together", fix="give only one of the two options")
    if name is not None and not variant:
        raise ConfigError("--name needs --variant", fix="give both, or leave the name out to replace the reference")
    if replace is not None and not replace.is_file():
        fix = "check the path; without --replace, the candidate becomes the first reference of its workflow"
        raise ConfigError(f"--replace: {replace}: the file does not exist", fix=fix)


def _variant_name(entry: "Entry", name: str | None) -> str:
    """Return the name of a variant: the given one, else the smallest unused number."""
    return entry.now().free_variant if name is None else name


def hint_at_person(who: "Signer") -> None:
    """Say how to name the person who approves, if only the user account is known."""
    if not who.person:
        note(f"approved by the user account {who.by!r}: git has no user.name here; --by WHO names the person")


def approve_entry(
    entry: "Entry",
    gate: "Gate",
    who: "Signer",
    *,
    variant: str | None = None,
    replace: Path | None = None,
    approved: "Sequence[Path]" = (),
) -> "Approved | None":
    """Approve one candidate.

    Args:
        entry: The candidate and its references.
        gate: The gate.
        who: The approver.
        variant: Name of the variant that the candidate becomes; None makes it the reference, or replaces one.
        replace: The reference to replace; None replaces the first one.
        approved: Candidates of the same workflow that were approved in this run.

    Returns:
        The approval; None if there is nothing to do, because the candidate passes, or its bytes are approved already.

    Raises:
        ConfigError: If the candidate would replace one of `approved`, or as for `wfgate.approvals.writing`.
        FormatError: If no workflow can be read from the candidate.
    """
    from wfgate.approvals import approve as write_reference
    from wfgate.approvals import approved_as, standing
    from wfgate.errors import ConfigError

    entry = entry.now()
    if variant is None and replace is None and (entry.adopted is not None or not entry.references):
        if entry.adopted is not None and standing(entry.adopted) == "approved":
            return None
        return write_reference(entry, who, None, target=entry.adopted or entry.target(), gate=gate)
    case = gate.decide(entry.pair()) if entry.references and not entry.adopted else None
    if variant is not None:
        return write_reference(entry, who, case, target=entry.target(variant), gate=gate)
    replaced = entry.references[0] if replace is None else entry.reference_named(replace)
    passes = replace is None and case is not None and case.verdict == "pass"
    if passes or approved_as(entry) == replaced:
        return None
    if approved:
        raise ConfigError(
            f"{entry.candidate}: it would replace {approved[-1]}, which was approved in this run as {replaced}",
            fix="approve one of them; the others pass, or are added beside it with --variant",
        )
    return write_reference(entry, who, case, target=entry.replacement(replaced), replaces=replaced, gate=gate)


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
    from wfgate.approvals import pending_candidates, pending_record, pending_text, unapproved

    loaded = settings(config, profile=profile, format_id=format_id)
    place = reference_of(reference, loaded)
    gate = gate_of(loaded)
    waits, changed = pending_candidates(candidates, place, gate), unapproved(place, loaded.formats)
    as_text = output_format is DataFormat.TEXT
    emit(pending_text(waits, changed) if as_text else json.dumps(pending_record(waits, changed), indent=2), None)
    if waits or changed:
        raise typer.Exit(1)
