"""`wfgate predeploy`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    FormatName,
    ProfileFile,
    ReferencePath,
    WaiverFile,
    gate_of,
    reference_of,
    settings,
)
from wfgate.cli.output import emit, make_folder


def predeploy(
    candidate: Annotated[Path, typer.Argument(metavar="FILE", help="The file that is about to be deployed.")],
    reference: ReferencePath = None,
    attestation: Annotated[
        Path | None,
        typer.Option(
            "--attestation",
            "-o",
            metavar="FILE",
            help="File to write the attestation to, also of a failure; by default FILE.attestation, if FILE is ready.",
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            "--verify",
            metavar="ATTESTATION",
            help="Attestation to verify: check that FILE has the same bytes as the file that passed, and that "
            "references, profile, policy and waivers were those given here.",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INPUT=SHA256",
            help="With --verify: digest of an input of the check (reference, profile, policy, waivers), instead of "
            "the files here; repeatable, every input needs one.",
        ),
    ] = None,
    max_age: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS", min=0, max=36500, help="With --verify: largest age of the attestation; 7 by default."
        ),
    ] = None,
    allowed_signers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Whose signatures of approvals count, in the format of ssh-keygen: a file outside of the repository, "
            "instead of its own list.",
        ),
    ] = None,
    profile: ProfileFile = None,
    waivers: WaiverFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Check a file before it is deployed, and write an attestation if it is ready (an in-toto statement).

    The file is ready if it passes. The bytes of its references must be approved; in a git repository approvals,
    configuration, waivers and profile must be committed, and signed if there are allowed signers. The profile must
    match the configuration and must not have expired. The attestation is not signed: if others can write to it, sign
    it (cosign, gh attestation) and check the signature before --verify. Exit codes: 0 ready, 1 worse than its
    reference (--verify: not the file that passed, or not as expected), 2 usage error or a repository that git cannot
    read, 3 references or rules that do not count, or an unreadable file, 4 inconclusive, or the profile does not
    match.

    Example: wfgate predeploy generated/deploy.yaml -r approved/
    """
    from wfgate.errors import ConfigError

    if verify is None:
        if expect or max_age is not None:
            raise ConfigError("--expect and --max-age need --verify", fix="give --verify ATTESTATION")
        target = attestation or candidate.with_name(candidate.name + ".attestation")
        _check(
            candidate, reference, target, attestation is not None, allowed_signers, profile, waivers, config, format_id
        )
    elif attestation or allowed_signers or (expect and (reference or profile or waivers or config or format_id)):
        raise ConfigError("--verify cannot be used with these options", fix="see `wfgate predeploy --help`")
    else:
        _verify(verify, candidate, reference, profile, waivers, config, format_id, expect or [], max_age)


def _check(
    candidate: Path,
    reference: Path | None,
    attestation: Path,
    asked: bool,
    allowed_signers: Path | None,
    profile: Path | None,
    waivers: Path | None,
    config: Path | None,
    format_id: str | None,
) -> None:
    from wfgate import __version__
    from wfgate.approvals import STRICT, Repository, inputs_of, predeploy, ready_text

    make_folder(attestation)
    _clear(attestation)
    repository = Repository(Path.cwd(), allowed_signers)
    rules = repository.rules  # the commit, not the disk: a change during the run has no effect
    loaded = settings(config, profile=profile, waivers=waivers, base=rules, format_id=format_id)
    loaded = loaded.model_copy(update={"policy": loaded.policy.model_copy(update=STRICT)})
    place = reference_of(reference, loaded)
    gate = gate_of(loaded, base=rules, authenticated=True)
    ready = predeploy(
        candidate,
        place,
        gate,
        *inputs_of(loaded, rules),
        repository=repository,
        given=(config, waivers, profile),
        tool=__version__,
        at=datetime.now(tz=UTC).replace(microsecond=0),
    )
    written = asked or not ready.problems  # a failure writes a file only where `--attestation` names it
    if written:
        emit(ready.statement.to_json(), attestation)
    emit(ready_text(ready, candidate, attestation if written else None), None)
    raise typer.Exit(ready.exit_code)


def _clear(attestation: Path) -> None:
    """Remove an older attestation, so that no old verdict remains if this run fails.

    Raise an error if the file is not an attestation.
    """
    from wfgate.approvals import is_statement
    from wfgate.errors import ConfigError

    if not attestation.is_symlink() and not attestation.exists():
        return
    empty = attestation.is_file() and not attestation.stat().st_size  # it was made for the attestation
    if not empty and not is_statement(attestation):
        raise ConfigError(
            f"{attestation}: the file exists and is not an attestation", fix="give another path as --attestation"
        )
    attestation.unlink()


def _verify(
    attestation: Path,
    file: Path,
    reference: Path | None,
    profile: Path | None,
    waivers: Path | None,
    config: Path | None,
    format_id: str | None,
    expect: list[str],
    max_age: float | None,
) -> None:
    from wfgate import __version__
    from wfgate.approvals import MAX_AGE, expected_digests, read_statement, verified_text, verify

    statement = read_statement(attestation)
    if expect:
        expected = _expected(expect)
    else:
        loaded = settings(config, profile=profile, waivers=waivers, format_id=format_id)
        expected = expected_digests(file, reference_of(reference, loaded), loaded)
    limit = MAX_AGE if max_age is None else timedelta(days=max_age)
    problems = verify(statement, file, expected, tool=__version__, now=datetime.now(tz=UTC), max_age=limit)
    emit(verified_text(statement, file, problems), None)
    raise typer.Exit(1 if problems else 0)


def _expected(given: list[str]) -> dict[str, list[str]]:
    from wfgate.errors import ConfigError

    digests: dict[str, list[str]] = {}
    for text in given:
        name, _, digest = text.partition("=")
        digests.setdefault(name, []).append(digest.lower())
    if not digests.keys() >= {"reference", "profile", "policy"}:
        raise ConfigError(
            "--expect must name reference, profile and policy", fix="give --expect NAME=SHA256 for each of them"
        )
    return digests
