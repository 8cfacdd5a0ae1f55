"""`wfgate gate`."""

import os
import sys
from datetime import UTC, datetime
from io import StringIO, TextIOWrapper
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from wfgate.cli import completion
from wfgate.cli.options import (
    Beta,
    ConfigFile,
    EmbedderName,
    FormatName,
    Jobs,
    JudgeName,
    MeaningModelName,
    MetricNames,
    ProfileFile,
    ReferencePath,
    WaiverFile,
    columns,
    cores,
    emit,
    gate_of,
    no_reference,
    note,
    note_costs,
    progress,
    settings,
    use_color,
    writing,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wfgate.executors import Executor
    from wfgate.formats import Formats
    from wfgate.gating import Gate, GateResult, Pair, Policy, Revision
    from wfgate.gating.config import Config
    from wfgate.gating.revision import Kind
    from wfgate.gating.run_record import Origin, RunRecord


def gate(
    candidates: Annotated[
        list[Path] | None, typer.Argument(metavar="CANDIDATE", help="Candidate files, or folders of them.")
    ] = None,
    reference: ReferencePath = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help='Suite instead of candidates: JSON Lines of {"id", "golden", "candidate", "brief"}; - for stdin.',
        ),
    ] = None,
    profile: ProfileFile = None,
    waivers: WaiverFile = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="Read references, configuration, profile and waivers from this git revision, so that a pull request "
            "cannot change its own gate.",
        ),
    ] = None,
    approved_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOGIN",
            help="Somebody who approved this commit of the pull request, as the forge reports it. With --base: "
            "references that the pull request approves are used if the base's CODEOWNERS name the person; repeatable.",
        ),
    ] = None,
    format_id: FormatName = None,
    previous: Annotated[
        Path | None,
        typer.Option(
            "--against", metavar="RESULT", help="Compare pass rates with this JSON result of a previous release."
        ),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Add this run to a history (JSON Lines; see `wfgate history`). The HTML report compares it with the "
            "last run in it.",
        ),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(
            "--previous",
            metavar="FILE",
            help="Previous run for the HTML report: a JSON result, or a history, whose last run it is. No effect on "
            "the verdict.",
        ),
    ] = None,
    run_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where the report of this run will be (http, https or a relative path), for --history; by default "
            "the run on GitHub or the job on GitLab.",
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="ID",
            help="text (default), oneline, json, ... (see `wfgate list reporters`); repeatable.",
            autocompletion=completion.ids("wfgate.report:REPORTERS"),
        ),
    ] = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="File for the --format of the same position; repeatable."),
    ] = None,
    alpha_block: Annotated[
        float | None,
        typer.Option(metavar="RATE", help="False-block rate, on average, instead of the profile's."),
    ] = None,
    block_severity: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Severity threshold; a regression with a smaller severity leads to a review only."
        ),
    ] = None,
    critical: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Critical golden step: its loss always blocks; repeatable."),
    ] = None,
    embedder: EmbedderName = None,
    beta: Beta = None,
    meaning_model: MeaningModelName = None,
    judge: JudgeName = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
    executor: Annotated[
        str, typer.Option(metavar="WHERE", help="Machine that compares: local (default) or dask://HOST:PORT.")
    ] = "local",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only failed cases and the summary.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print everything: all reasons with both texts, evidence, metrics.")
    ] = False,
) -> None:
    """Compare candidates with approved references, and fail if they are worse.

    Exit codes: 0 pass, 1 regression, 2 usage or configuration, 3 nothing could be compared, 4 inconclusive.

    Example: wfgate gate generated/ --reference approved/
    """
    from wfgate import __version__
    from wfgate.baseline.owners import OwnedRevision
    from wfgate.errors import ConfigError
    from wfgate.gating import Revision
    from wfgate.gating.release import against
    from wfgate.report import REPORTERS
    from wfgate.report.console import render

    reports = _reports(formats, outputs)
    started = monotonic()
    past, origin = _previous_run(history, since), _origin(history, run_url)
    if approved_by and base is None:
        raise ConfigError("--approved-by needs --base", fix="give the base revision of the pull request")
    owned = OwnedRevision(base, Path.cwd(), approved_by) if base is not None and approved_by else None
    revision = owned or (Revision(base, Path.cwd()) if base is not None else None)
    if revision is not None:
        _require_other(revision)
    found = settings(
        config,
        embedder,
        meaning_model,
        metrics,
        judge,
        beta=beta,
        profile=profile,
        waivers=waivers,
        base=revision,
        format_id=format_id,
    )
    found = found.model_copy(update={"policy": _policy(found.policy, alpha_block, block_severity, critical)})
    draws = any(REPORTERS[name].draws for name, _ in reports)
    cluster = _cluster(executor, found)
    ready = gate_of(found, base=revision, keep_pairs=draws, remember=cluster is None)
    reference = reference or found.reference
    if owned is not None and reference is not None:
        owned.accept(reference, found.formats)
    live = next((REPORTERS[name] for name, output in reports if output is None and REPORTERS[name].streams), None)
    suite = Path(pairs) if pairs not in {None, "-"} else None
    protected = _protected(config, found.waivers, found.profile_file, reference, suite)
    base_info = None if revision is None else revision.info(protected)
    compared = _cases(candidates or [], reference, pairs, revision, found.formats)
    processes = 1 if found.judge else cores(jobs)  # all requests share one rate limit
    whole = (previous, history, cluster) != (None, None, None)  # they need the whole result at once
    if not whole and all(REPORTERS[name].streams for name, _ in reports):
        code = _streamed(ready, compared, reports, processes)
        _note_end(ready, found, revision)
        raise typer.Exit(code)
    with progress("gating") as shown:
        result = ready.run(
            compared,
            tool=__version__,
            jobs=processes,
            progress=lambda done: shown(done, None),
            base=base_info,
            on_case=(lambda case: emit(live.piece(case), None)) if live else None,
            executor=cluster,
        )
    _note_end(ready, found, revision)
    _require_cases(len(result.cases))
    if previous is not None:
        result = against(result, previous)
    result = result.model_copy(
        update={"previous": past, "reference": str(reference) if reference and not pairs else None}
    )
    for name, output in reports:
        to_terminal = output is None
        if to_terminal and live:
            continue  # written case by case above
        text = render(
            result,
            REPORTERS[name],
            width=columns() if to_terminal else 100,
            color=to_terminal and use_color(),
            quiet=quiet,
            verbose=verbose,
        )
        emit(text, output)
    _keep(result, history, origin, monotonic() - started)
    raise typer.Exit(result.exit_code)


def _streamed(ready: "Gate", pairs: "Iterable[Pair]", reports: "Sequence[tuple[str, Path | None]]", jobs: int) -> int:
    """Write reports of one piece per case as the cases are decided; return the exit code."""
    from wfgate.report import REPORTERS

    pieces = [REPORTERS[name].piece for name, _ in reports]
    with progress("gating") as shown, written([output for _, output in reports]) as write:
        done = ready.stream(pairs, pieces, write, jobs=jobs, progress=lambda done: shown(done, None))
        _require_cases(done.cases)
    return done.exit_code


def _origin(history: Path | None, run_url: str | None) -> "Origin | None":
    """Return where and when this run takes place; None without a history."""
    from wfgate.errors import ConfigError
    from wfgate.gating.history import origin_of

    if history is not None:
        return origin_of(os.environ, Path.cwd(), datetime.now(tz=UTC), run_url)
    if run_url is not None:
        raise ConfigError("--run-url needs --history", fix="give the history that the run is added to")
    return None


def _keep(result: "GateResult", history: Path | None, origin: "Origin | None", seconds: float) -> None:
    """Add the run to the history, if there is one; with `SOURCE_DATE_EPOCH`, equal runs have equal records."""
    from wfgate.gating.history import EPOCH, append, record_of

    if history is not None:
        with writing(history):
            taken = None if os.environ.get(EPOCH) else round(seconds, 1)
            append(history, record_of(result, origin, seconds=taken))


def _previous_run(history: Path | None, since: Path | None) -> "RunRecord | None":
    """Return the last run in the file `since`, else in the history, if it exists; None if there is none."""
    from wfgate.gating.history import read_runs

    file = since or (history if history is not None and history.exists() else None)
    return next(reversed(read_runs(file)), None) if file is not None else None


def _cluster(where: str, found: "Config") -> "Executor | None":
    """Return the executor of another machine; None for this machine."""
    from wfgate.errors import ConfigError
    from wfgate.executors import DEFAULT_EXECUTOR, load_executor

    executor = load_executor(where)
    if where == DEFAULT_EXECUTOR:
        return None
    if found.judge:  # one account, one limit of requests at a time
        raise ConfigError("--executor and a judge cannot be used together", fix="run the gate on this machine")
    return executor


def _note_end(ready: "Gate", found: "Config", base: "Revision | None") -> None:
    note_costs(ready.client, found)
    if found.policy.judge_may_clear and base is None:
        note("judge_may_clear has no effect without --base")


def _require_cases(count: int) -> None:
    from wfgate.errors import ConfigError

    if not count:
        raise ConfigError("there are no cases to compare", fix="give existing candidates, or a suite with cases")


def _require_other(base: "Revision") -> None:
    """Refuse a base that is the checked-out commit on a build server, where there are no uncommitted changes to judge.

    A branch that is at this commit gives a note only: so it is in a scheduled run on the default branch.
    """
    from wfgate.baseline.signing import build_server
    from wfgate.errors import ConfigError

    if build_server(os.environ) is None or not base.is_checked_out:
        return
    if not base.is_branch:
        raise ConfigError(
            f"{base.ref}: the base revision is the checked-out commit, which would be judged by its own files",
            fix="give the branch that the change is merged into (origin/main), or its commit",
        )
    note(f"the base revision {base.ref} is the checked-out commit ({base.commit[:12]}): only uncommitted files differ")


def _protected(
    config: Path | None, waivers: Path | None, profile: Path | None, reference: Path | None, suite: Path | None
) -> "list[tuple[Kind, Path]]":
    """Return the paths of files that affect the verdict. Paths at which such a file would be found are included."""
    from wfgate.gating.config import FILE_NAMES, WAIVERS_FILE
    from wfgate.gating.revision import PIPELINES

    places = (Path(), *Path.cwd().parents)
    named: list[tuple[Kind, Path | None]] = [
        *(("pipeline", place / name) for place in places for name in PIPELINES),
        *(("configuration", path) for path in (config, *(place / name for place in places for name in FILE_NAMES))),
        *(("waivers", path) for path in (waivers, *(place / WAIVERS_FILE for place in places))),
        ("profile", profile),
        ("suite", suite),
        ("reference", reference),
    ]
    return [(kind, path) for kind, path in named if path is not None]


def _cases(
    candidates: list[Path], reference: Path | None, pairs: str | None, base: "Revision | None", formats: "Formats"
) -> "Iterable[Pair]":
    from wfgate.errors import ConfigError
    from wfgate.gating import pair_files, read_pairs
    from wfgate.gating.suite import with_missing

    if pairs is not None:
        if candidates:
            raise ConfigError(
                "candidates and --pairs cannot be used together", fix="give either candidates or --pairs"
            )
        if pairs == "-":
            return read_pairs(_stdin(), "stdin", Path.cwd(), base)
        path = Path(pairs)
        if not path.is_file():
            raise ConfigError(f"{path}: the file does not exist", fix="check the path of the suite")
        suite = read_pairs(_lines(path), pairs, path.parent, base)
        before = base.read(path) if base else None
        if before is None:
            return suite
        lines = StringIO(before.decode("utf-8-sig", "surrogateescape"), newline=None)  # the line ends of a file
        return with_missing(suite, read_pairs(lines, f"{pairs} of the base revision", path.parent, base))
    if not candidates:
        known = "" if reference else " --reference GOLDEN"
        raise ConfigError("no candidate was given", fix=f"wfgate gate CANDIDATE{known}")
    if reference is None:
        raise no_reference()
    return pair_files(candidates, reference, base, formats)


def _stdin() -> TextIO:
    stream = sys.stdin
    if isinstance(stream, TextIOWrapper):  # invalid UTF-8 affects one line only
        stream.reconfigure(encoding="utf-8-sig", errors="surrogateescape")
    return stream


def _lines(path: Path) -> "Iterator[str]":
    from wfgate.errors import ConfigError, os_words

    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            yield from lines
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the file") from error


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
    """Return each report with its output file.

    The reports get the files in order. One further report may go to the terminal.
    """
    from wfgate.errors import ConfigError
    from wfgate.report import REPORTERS

    names = formats or ["text"]
    files = outputs or []
    for name in names:
        REPORTERS.find(name)
    if len(files) > len(names):
        raise ConfigError(
            "there are more --output files than --format reports", fix="give one --format for each --output"
        )
    if len(names) - len(files) > 1:
        raise ConfigError(
            "several reports cannot be written to one terminal", fix="give an --output for every --format except one"
        )
    paired: list[tuple[str, Path | None]] = [(name, file) for name, file in zip(names, files, strict=False)]
    return paired + [(name, None) for name in names[len(files) :]]
