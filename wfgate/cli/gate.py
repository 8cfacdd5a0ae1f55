"""`wfgate gate`."""

import os
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.compared import (
    completed,
    counted,
    require_cases,
    revision_of,
    with_called,
    with_references,
    with_themselves,
)
from wfgate.cli.grouped_help import REPORTS, RULES, RUN
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
    cores,
    gate_of,
    note_costs,
    settings,
)
from wfgate.cli.output import STDIN, columns, emit, note, progress, use_color, writing, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wfgate.approvals import Acceptances
    from wfgate.decide import GateResult, Kind, Origin, Pair, Policy, RunRecord, Verdict
    from wfgate.run import Config, Executor, Gate, Revision


class FailOn(StrEnum):
    """Values of `fail_on` of the policy."""

    BLOCK = "block"
    REVIEW = "review"
    NONE = "none"


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
            rich_help_panel=RULES,
        ),
    ] = None,
    approved_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOGIN",
            help="Somebody who approved this commit of the pull request, as the forge reports it. With --base: "
            "references that the pull request approves are used if the base's CODEOWNERS name the person; repeatable.",
            rich_help_panel=RULES,
        ),
    ] = None,
    acceptances: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What code owners accepted in the pull request, as `wfgate acceptances` writes it. With --base: an "
            "accepted case keeps its verdict and does not fail the build.",
            rich_help_panel=RULES,
        ),
    ] = None,
    format_id: FormatName = None,
    previous: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="RESULT",
            help="Compare pass rates with this JSON result of a previous release.",
            rich_help_panel=REPORTS,
        ),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Add this run to a history (JSON Lines; see `wfgate history`). The HTML report compares it with the "
            "last run in it.",
            rich_help_panel=REPORTS,
        ),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(
            "--previous",
            metavar="FILE",
            help="Previous run for the HTML report: a JSON result, or a history, whose last run it is. No effect on "
            "the verdict.",
            rich_help_panel=REPORTS,
        ),
    ] = None,
    run_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where the report of this run will be (http, https or a relative path), for --history; by default "
            "the run on GitHub or the job on GitLab.",
            rich_help_panel=REPORTS,
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="ID",
            help="text (default), oneline, json, ... (see `wfgate list reporters`); repeatable.",
            autocompletion=completion.ids("wfgate.show:REPORTERS"),
            rich_help_panel=REPORTS,
        ),
    ] = None,
    outputs: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the --format of the same position; - is standard output; repeatable. Text in a file is "
            "80 columns wide, or as wide as the environment variable COLUMNS says.",
            rich_help_panel=REPORTS,
        ),
    ] = None,
    alpha_block: Annotated[
        float | None,
        typer.Option(
            metavar="RATE", help="False-block rate, on average, instead of the profile's.", rich_help_panel=RULES
        ),
    ] = None,
    block_severity: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Severity threshold; a regression with a smaller severity leads to a review only.",
            rich_help_panel=RULES,
        ),
    ] = None,
    changed: Annotated[
        bool,
        typer.Option(
            "--changed",
            help="With --base: compare the workflow files that differ from it (all, or those below the given paths) "
            "with themselves at the base, instead of with references.",
            rich_help_panel=RUN,
        ),
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            help="Mildest verdict that fails the build; none is audit mode: the summary says what would have been "
            "blocked.",
            rich_help_panel=RULES,
        ),
    ] = None,
    critical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="Critical golden step: its loss always blocks; repeatable.", rich_help_panel=RULES
        ),
    ] = None,
    embedder: EmbedderName = None,
    beta: Beta = None,
    meaning_model: MeaningModelName = None,
    judge: JudgeName = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
    executor: Annotated[
        str,
        typer.Option(
            metavar="WHERE", help="Machine that compares: local (default) or dask://HOST:PORT.", rich_help_panel=RUN
        ),
    ] = "local",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only failed cases and the summary.", rich_help_panel=REPORTS)
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Print everything: all reasons with both texts, evidence, metrics.",
            rich_help_panel=REPORTS,
        ),
    ] = False,
) -> None:
    """Compare candidates with approved references, and fail if they are worse.

    With --changed, workflow files that were edited in place are compared with themselves at --base.

    Exit codes: 0 pass, 1 regression, 2 usage or configuration, 3 nothing could be compared, 4 inconclusive,
    5 a review that fails (--fail-on review).

    Example: wfgate gate generated/ --reference approved/
    """
    from wfgate import __version__
    from wfgate.show import REPORTERS, render, summary

    reports = _reports(formats, outputs)
    started = monotonic()
    draws = any(REPORTERS[name].draws for name, _ in reports)
    past, origin = _previous_run(history, since), _origin(history, run_url, draws=draws)
    given, suite = _given(acceptances, base), Path(pairs) if pairs not in {None, "-"} else None
    revision = revision_of(base, [*(approved_by or ()), *(given.approvers if given else ())], config, reference)
    loaded = settings(
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
    loaded = loaded.model_copy(
        update={"policy": _policy(loaded.policy, alpha_block, block_severity, critical, fail_on)}
    )
    cluster = _cluster(executor, loaded)
    ready = gate_of(loaded, base=revision, keep_pairs=draws, remember=cluster is None)
    if changed:
        work = with_themselves(candidates or [], reference, pairs, revision, loaded)
    else:
        work = with_references(candidates or [], reference or loaded.reference, pairs, revision, loaded, config)
    work = with_called(work, revision, loaded, at_once=given is not None)
    live = next((REPORTERS[name] for name, output in reports if output is None and REPORTERS[name].streams), None)
    base_info = None
    if revision is not None:
        base_info = revision.info(_protected(config, loaded.waivers, loaded.profile_file, work.references, suite))
    processes = 1 if loaded.judge else cores(jobs)  # all requests share one rate limit
    whole = (previous, history, cluster, given) != (None, None, None, None)  # they need the whole result at once
    if not whole and not work.unchanged and all(REPORTERS[name].streams for name, _ in reports):
        code = _streamed(ready, work.cases, reports, processes, pairs)
        _note_end(ready, loaded, revision)
        raise typer.Exit(code)
    with progress("gating") as shown:
        result = ready.run(
            work.cases,
            tool=__version__,
            jobs=processes,
            progress=counted(shown, work.cases, pairs),
            base=base_info,
            on_case=(lambda case: emit(live.piece(case), None)) if live else None,
            executor=cluster,
        )
    _note_end(ready, loaded, revision)
    result = completed(result, work)
    if given is not None and revision is not None:
        result = _accepted(result, given, revision, tuple(work.cases), work.references)
    if previous is not None:
        from wfgate.history import against

        result = against(result, previous)
    result = result.model_copy(
        update={
            "previous": past,
            "origin": origin,
            "reference": str(work.references[0]) if work.named and not pairs else None,
        }
    )
    for name, output in reports:
        to_terminal = output is None
        if to_terminal and live:
            continue  # written case by case above
        text = render(
            result,
            REPORTERS[name],
            width=columns(terminal=to_terminal),
            color=to_terminal and use_color(),
            quiet=quiet,
            verbose=verbose,
        )
        emit(text, output)
    _say_verdict(result.verdict, summary(result), reports)
    _keep(result, history, origin, monotonic() - started)
    raise typer.Exit(result.exit_code)


def _given(file: Path | None, base: str | None) -> "Acceptances | None":
    """Return the acceptances of the pull request; None without a file.

    Raises:
        ConfigError: If the file cannot be read, or there is no base revision, whose code owners count.
    """
    if file is None:
        return None
    from wfgate.approvals import read_acceptances
    from wfgate.errors import ConfigError

    if base is None:
        raise ConfigError("--acceptances needs --base", fix="give the base revision of the pull request")
    return read_acceptances(file)


def _accepted(
    result: "GateResult",
    given: "Acceptances",
    revision: "Revision",
    pairs: "Sequence[Pair]",
    references: "Sequence[Path]",
) -> "GateResult":
    """Return the result with the accepted cases marked."""
    from wfgate.approvals import with_acceptances

    home = references[0] if len(references) == 1 and references[0].is_dir() else None
    return with_acceptances(result, given, revision, pairs, home)


def _streamed(
    ready: "Gate",
    pairs: "Iterable[Pair]",
    reports: "Sequence[tuple[str, Path | None]]",
    jobs: int,
    suite: str | None,
) -> int:
    """Write reports of one piece per case as the cases are decided; return the exit code."""
    from wfgate.decide import worst
    from wfgate.show import REPORTERS, counted_words

    pieces = [REPORTERS[name].piece for name, _ in reports]
    with progress("gating") as shown, written([output for _, output in reports]) as write:
        done = ready.stream(pairs, pieces, write, jobs=jobs, progress=counted(shown, pairs, suite))
        require_cases(done.cases)
    verdict = worst(tuple(done.verdicts))
    _say_verdict(verdict, counted_words(done.verdicts, ready.policy), reports)
    return done.exit_code


def _say_verdict(verdict: "Verdict", words: str, reports: "Sequence[tuple[str, Path | None]]") -> None:
    """Write the verdict in one line, unless it is read in the report on standard output.

    If a report for programs is on standard output, it goes to a terminal on standard error.
    """
    from wfgate.show import REPORTERS, verdict_line

    shown = next((name for name, output in reports if output is None), None)
    line = verdict_line(verdict, words, [str(output) for _, output in reports if output is not None])
    if shown is None:
        emit(line, None)
    elif not REPORTERS[shown].says_verdict and sys.stderr.isatty():
        note(line)


def _origin(history: Path | None, run_url: str | None, *, draws: bool) -> "Origin | None":
    """Return where and when this run takes place; None without a history, if there is no page that says it."""
    from wfgate.errors import ConfigError

    if run_url is not None and history is None:
        raise ConfigError("--run-url needs --history", fix="give the history that the run is added to")
    if history is None and not draws:
        return None
    from wfgate.history import origin_of

    return origin_of(os.environ, Path.cwd(), datetime.now(tz=UTC), run_url)


def _keep(result: "GateResult", history: Path | None, origin: "Origin | None", seconds: float) -> None:
    """Add the run to the history, if there is one; with `SOURCE_DATE_EPOCH`, equal runs have equal records."""
    if history is None:
        return
    from wfgate.decide import record_of
    from wfgate.history import EPOCH, append

    with writing(history):
        taken = None if os.environ.get(EPOCH) else round(seconds, 1)
        append(history, record_of(result, origin, seconds=taken))


def _previous_run(history: Path | None, since: Path | None) -> "RunRecord | None":
    """Return the last run in the file `since`, else in the history, if it exists; None if there is none."""
    file = since or (history if history is not None and history.exists() else None)
    if file is None:
        return None
    from wfgate.history import read_runs

    return next(reversed(read_runs(file)), None)


def _cluster(where: str, loaded: "Config") -> "Executor | None":
    """Return the executor of another machine; None for this machine."""
    from wfgate.errors import ConfigError
    from wfgate.run import DEFAULT_EXECUTOR, load_executor

    executor = load_executor(where)
    if where == DEFAULT_EXECUTOR:
        return None
    if loaded.judge:  # one account, one limit of requests at a time
        raise ConfigError("--executor and a judge cannot be used together", fix="run the gate on this machine")
    return executor


def _note_end(ready: "Gate", loaded: "Config", base: "Revision | None") -> None:
    note_costs(ready.client, loaded)
    if loaded.policy.judge_may_clear and base is None:
        note("judge_may_clear has no effect without --base")


def _protected(
    config: Path | None, waivers: Path | None, profile: Path | None, references: "Sequence[Path]", suite: Path | None
) -> "list[tuple[Kind, Path]]":
    """Return the paths of files that affect the verdict. Paths at which such a file would be found are included."""
    from wfgate.approvals import approvals_file
    from wfgate.decide import WAIVERS_FILE
    from wfgate.read import rules_beside
    from wfgate.run import FILE_NAMES, PIPELINES

    places = (Path(), *Path.cwd().parents)
    named: list[tuple[Kind, Path | None]] = [
        *(("pipeline", place / name) for place in places for name in PIPELINES),
        *(("configuration", path) for path in (config, *(place / name for place in places for name in FILE_NAMES))),
        *(("waivers", path) for path in (waivers, *(place / WAIVERS_FILE for place in places))),
        ("profile", profile),
        ("suite", suite),
        *(("reference", path) for path in references),
        *(("reference", approvals_file(path)) for path in references if not path.is_dir()),
        *(("reference", rules_beside(path)) for path in references if not path.is_dir()),
    ]
    return [(kind, path) for kind, path in named if path is not None]


def _policy(
    policy: "Policy",
    alpha_block: float | None,
    block_severity: float | None,
    critical: list[str] | None,
    fail_on: FailOn | None,
) -> "Policy":
    from pydantic import ValidationError

    from wfgate.errors import ConfigError

    flags = {
        "alpha_block": alpha_block,
        "block_severity": block_severity,
        "critical": (*policy.critical, *critical) if critical else None,
        "fail_on": fail_on.value if fail_on else None,
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
    from wfgate.show import REPORTERS

    names = formats or ["text"]
    files = outputs or []
    for name in names:
        REPORTERS.find(name)
    if len(files) > len(names):
        raise ConfigError(
            "there are more --output files than --format reports", fix="give one --format for each --output"
        )
    terminal = len(names) - len(files) + sum(file == STDIN for file in files)
    if terminal > 1:
        raise ConfigError(
            "several reports cannot be written to one terminal", fix="give an --output for every --format except one"
        )
    paired = [(name, None if file == STDIN else file) for name, file in zip(names, files, strict=False)]
    return paired + [(name, None) for name in names[len(files) :]]
