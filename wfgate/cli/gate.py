"""`wfgate gate`."""

import sys
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from wfgate.cli.options import (
    ConfigFile,
    EmbedderName,
    EquivalenceName,
    Jobs,
    JudgeName,
    MetricNames,
    assessor_of,
    columns,
    cores,
    emit,
    note_costs,
    progress,
    settings,
    use_color,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wfgate.gating import Pair, Policy


def gate(
    candidates: Annotated[
        list[Path] | None, typer.Argument(metavar="CANDIDATE", help="Candidate files, or folders of them.")
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", "-r", metavar="PATH", help="Approved workflow, or a folder of them."),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs", metavar="FILE", help='JSON Lines of {"id", "golden", "candidate"} instead; - for stdin.'
        ),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="FILE", help="Fitted calibration; the shipped one by default.")
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", "-f", metavar="ID", help="text (default), json, ... (`wfgate list reporters`); repeatable."
        ),
    ] = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="File for the --format of the same position; repeatable."),
    ] = None,
    alpha_block: Annotated[
        float | None, typer.Option(metavar="RATE", help="Block at this false-block rate instead of the profile's.")
    ] = None,
    block_severity: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Only review regressions of less than this severity.")
    ] = None,
    critical: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Golden steps that must never go; repeatable.")
    ] = None,
    embedder: EmbedderName = None,
    equivalence: EquivalenceName = None,
    judge: JudgeName = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what failed, and the summary.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Details of passing cases too.")] = False,
) -> None:
    """Compare candidates with approved references and fail if they got worse.

    Exit codes: 0 pass, 1 regression, 2 usage or configuration, 3 something could not be compared, 4 inconclusive.
    """
    from wfgate import __version__
    from wfgate.calibration import default_profile, load_profile
    from wfgate.errors import ConfigError
    from wfgate.gating import Gate
    from wfgate.report import REPORTERS
    from wfgate.report.console import render

    reports = _reports(formats, outputs)
    found = settings(config, embedder, equivalence, metrics, judge)
    profile = profile or found.profile
    policy = _policy(found.policy, alpha_block, block_severity, critical)
    fitted = load_profile(profile) if profile else default_profile()
    fitted.require_current(datetime.now(tz=UTC).date())
    assessor = assessor_of(found)
    gated = Gate(assessor, fitted, policy, keep_pairs=any(REPORTERS[name].draws for name, _ in reports))
    with progress("gating") as shown:
        result = gated.run(
            _cases(candidates or [], reference or found.reference, pairs),
            tool=__version__,
            source=str(profile) if profile else "default",
            jobs=1 if assessor.judge else cores(jobs),  # one account, one limit of requests at a time
            progress=lambda done: shown(done, None),
        )
    note_costs(assessor, found)
    if not result.cases:
        raise ConfigError("there was nothing to compare", fix="give candidates that exist, or a suite with cases")
    for name, output in reports:
        to_terminal = output is None
        text = render(
            result,
            REPORTERS[name],
            width=columns() if to_terminal else 100,
            color=to_terminal and use_color(),
            quiet=quiet,
            verbose=verbose,
        )
        emit(text, output)
    raise typer.Exit(result.exit_code)


def _cases(candidates: list[Path], reference: Path | None, pairs: str | None) -> "Iterable[Pair]":
    from wfgate.errors import ConfigError
    from wfgate.gating import pair_files, read_pairs

    if pairs is not None:
        if candidates:
            raise ConfigError("candidates and --pairs exclude each other", fix="give one of them")
        if pairs == "-":
            return read_pairs(_stdin(), "stdin", Path.cwd())
        path = Path(pairs)
        if not path.is_file():
            raise ConfigError(f"{path}: there is no such file", fix="check the path of the suite")
        return read_pairs(_lines(path), pairs, path.parent)
    if not candidates:
        raise ConfigError("no candidate was given", fix="wfgate gate CANDIDATE --reference GOLDEN")
    if reference is None:
        raise ConfigError("no reference was given", fix="give --reference, or set `reference` in wfgate.toml")
    return pair_files(candidates, reference)


def _stdin() -> TextIO:
    stream = sys.stdin
    if isinstance(stream, TextIOWrapper):  # what is no UTF-8 spoils its own line only
        stream.reconfigure(encoding="utf-8-sig", errors="surrogateescape")
    return stream


def _lines(path: Path) -> "Iterator[str]":
    from wfgate.errors import ConfigError

    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            yield from lines
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {str(error.strerror).lower()}", fix="check the file") from error


def _policy(
    policy: "Policy", alpha_block: float | None, block_severity: float | None, critical: list[str] | None
) -> "Policy":
    from pydantic import ValidationError

    from wfgate.errors import ConfigError

    flags = {
        "alpha_block": alpha_block,
        "block_severity": block_severity,
        "critical": (*policy.critical, *critical) if critical else None,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return type(policy).model_validate({**policy.model_dump(), **given})
    except ValidationError as error:
        first = error.errors()[0]
        flag = "--" + str(first["loc"][0]).replace("_", "-")
        raise ConfigError(f"{flag}: {first['msg']}", fix=f"see `wfgate gate --help` for {flag}") from None


def _reports(formats: list[str] | None, outputs: list[Path] | None) -> list[tuple[str, Path | None]]:
    """Return each report with its file: the first reports go to the files given, one more may go to the terminal."""
    from wfgate.errors import ConfigError
    from wfgate.report import REPORTERS

    names = formats or ["text"]
    files = outputs or []
    for name in names:
        REPORTERS.find(name)
    if len(files) > len(names):
        raise ConfigError("more --output files than --format reports", fix="give one --format for each --output")
    if len(names) - len(files) > 1:
        raise ConfigError("several reports for one terminal", fix="give an --output for each --format but one")
    paired: list[tuple[str, Path | None]] = [(name, file) for name, file in zip(names, files, strict=False)]
    return paired + [(name, None) for name in names[len(files) :]]
