"""`wfgate predeploy`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    FormatName,
    ProfileFile,
    ReferencePath,
    WaiverFile,
    emit,
    gate_of,
    make_folder,
    reference_of,
    settings,
)


def predeploy(
    candidate: Annotated[Path, typer.Argument(metavar="FILE", help="The file that is about to be deployed.")],
    reference: ReferencePath = None,
    attestation: Annotated[
        Path | None,
        typer.Option(
            "--attestation",
            "-o",
            metavar="FILE",
            help="File to write the attestation to; by default FILE.attestation.",
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            "--verify",
            metavar="ATTESTATION",
            help="Attestation to verify: check that FILE has the same bytes as the file that passed.",
        ),
    ] = None,
    profile: ProfileFile = None,
    waivers: WaiverFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Check a file before it is deployed, and write an attestation of the verdict (an in-toto statement).

    The file is ready if it passes. The bytes of its references must be approved. The profile must match the
    configuration and must not have expired. The attestation is not signed: if others can write to it, sign it (cosign,
    gh attestation) and check the signature before --verify. Exit codes: 0 ready, 1 worse than its reference (--verify:
    not the file that passed), 2 usage error, 3 no approved reference or an unreadable file, 4 inconclusive, or the
    profile does not match.
    """
    from wfgate.errors import ConfigError

    if verify is None:
        target = attestation or candidate.with_name(candidate.name + ".attestation")
        _check(candidate, reference, target, profile, waivers, config, format_id)
    elif reference or attestation or profile or waivers or format_id:
        raise ConfigError("--verify takes only the attestation and the file", fix="remove the other options")
    else:
        _verify(verify, candidate)


def _check(
    candidate: Path,
    reference: Path | None,
    attestation: Path,
    profile: Path | None,
    waivers: Path | None,
    config: Path | None,
    format_id: str | None,
) -> None:
    from wfgate import __version__
    from wfgate.baseline import STRICT, predeploy
    from wfgate.baseline.attestation import Resource
    from wfgate.baseline.references import digest, sha256_of
    from wfgate.profile import shipped_profile
    from wfgate.report.baseline import ready_text

    make_folder(attestation)
    _clear(attestation)
    found = settings(config, profile=profile, waivers=waivers, format_id=format_id)
    found = found.model_copy(update={"policy": found.policy.model_copy(update=STRICT)})
    place, accepted = reference_of(reference, found), found.waivers
    gate = gate_of(found, authenticated=True)
    used = sha256_of(found.profile) if found.profile else digest(shipped_profile())
    ready = predeploy(
        candidate,
        place,
        gate,
        Resource(name="profile", uri=gate.source, digest={"sha256": used}),
        Resource(name="waivers", uri=str(accepted), digest={"sha256": sha256_of(accepted)}) if accepted else None,
        tool=__version__,
        at=datetime.now(tz=UTC).replace(microsecond=0),
    )
    emit(ready.statement.to_json(), attestation)
    emit(ready_text(ready, candidate, attestation), None)
    raise typer.Exit(ready.exit_code)


def _clear(attestation: Path) -> None:
    """Remove an older attestation, so that no old verdict remains if this run fails.

    Raise an error if the file is not an attestation.
    """
    from wfgate.baseline import read_statement
    from wfgate.errors import ConfigError, WfgateError

    if not attestation.is_symlink() and not attestation.exists():
        return
    try:
        if not attestation.is_file() or attestation.stat().st_size:  # an empty file was made for it
            read_statement(attestation)
    except WfgateError as error:
        raise ConfigError(
            f"{attestation}: the file exists and is not an attestation", fix="give another path as --attestation"
        ) from error
    attestation.unlink()


def _verify(attestation: Path, file: Path) -> None:
    from wfgate.baseline import read_statement, verify
    from wfgate.report.baseline import verified_text

    statement = read_statement(attestation)
    problems = verify(statement, file)
    emit(verified_text(statement, file, problems), None)
    raise typer.Exit(1 if problems else 0)
