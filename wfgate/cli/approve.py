"""`wfgate approve` and `wfgate pending`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    OutputFormat,
    ProfileFile,
    ReferencePath,
    emit,
    gate_of,
    reference_of,
    settings,
)
from wfgate.cli.signing import refuse_in_ci, signer

if TYPE_CHECKING:
    from wfgate.baseline import Approved, Entry, Signer
    from wfgate.gating import Gate

Candidates = Annotated[list[Path], typer.Argument(metavar="CANDIDATE", help="Candidate files, or folders of them.")]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason",
        metavar="TEXT",
        help="Why; must be given where a candidate has error-level findings that nobody waived.",
    ),
]
SignedBy = Annotated[
    str | None, typer.Option("--by", metavar="WHO", help="Who approves; git's user.name and user.email by default.")
]


def approve(
    candidates: Candidates,
    reference: ReferencePath = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Name of the variant; a number by default.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of the reference that is nearest, instead of joining it.")
    ] = False,
    reason: Reason = None,
    by: SignedBy = None,
    profile: ProfileFile = None,
    config: ConfigFile = None,
) -> None:
    """Make candidates approved references, and record who did it beside them.

    The first of a name becomes the reference, further ones its variants (deploy@2.yaml): the best match decides. A
    candidate that passes already changes nothing, unless it is to take a reference's place. A file of the reference
    folder itself is approved as it stands. Exit codes: 0 done, 2 refused, 3 unreadable, 4 profile does not fit.
    """
    from wfgate.baseline import entries
    from wfgate.errors import ConfigError
    from wfgate.report.baseline import approved_text, nothing_to_approve

    refuse_in_ci("wfgate approve")
    if variant is not None and replace:
        raise ConfigError("--variant and --replace exclude each other", fix="give one of them")
    found = settings(config, None, None, None)
    place = reference_of(reference, found)
    todo = entries(candidates, place)
    if not todo:
        raise ConfigError("there was nothing to approve", fix="give candidates that exist")
    gate, _ = gate_of(found, profile)
    who = signer(by, place, reason)
    for entry in todo:
        done = approve_entry(entry, gate, who, variant=variant, replace=replace)
        emit(approved_text(done, entry.candidate) if done else nothing_to_approve(entry), None)


def approve_entry(
    entry: "Entry", gate: "Gate", who: "Signer", *, variant: str | None, replace: bool
) -> "Approved | None":
    """Approve one candidate; None where there is nothing to do: it passes, or is an approved reference."""
    from wfgate.baseline import approve as write_reference
    from wfgate.baseline import standing

    entry = entry.now()
    case = gate.decide(entry.pair()) if entry.references and not entry.adopted else None
    if case is not None and case.verdict == "pass" and not replace and variant is None:
        return None
    if entry.adopted is not None and standing(entry.adopted) == "approved":
        return None
    replaces = Path(case.golden) if replace and case is not None and case.error is None else None
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
) -> None:
    """List what waits for a decision: candidates that do not pass, references that nobody approved as they are.

    Exit codes: 0 nothing waits, 1 something does.
    """
    from wfgate.baseline import unapproved, waiting
    from wfgate.report.baseline import pending_record, pending_text

    found = settings(config, None, None, None)
    place = reference_of(reference, found)
    gate, _ = gate_of(found, profile)
    waits, changed = waiting(candidates, place, gate), unapproved(place)
    as_text = output_format is DataFormat.TEXT
    emit(pending_text(waits, changed) if as_text else json.dumps(pending_record(waits, changed), indent=2), None)
    if waits or changed:
        raise typer.Exit(1)
