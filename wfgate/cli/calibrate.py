"""`wfgate calibrate`."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.grouped_help import REPORTS, RULES, RUN, SCORING
from wfgate.cli.options import (
    Beta,
    ConfigFile,
    EmbedderName,
    Jobs,
    JudgeName,
    MeaningModelName,
    MetricNames,
    assessor_of,
    cores,
    note_costs,
    settings,
)
from wfgate.cli.output import emit, make_folder, note, note_refused, progress

if TYPE_CHECKING:
    from wfgate.calibration import Calibration, Corpus
    from wfgate.decide import Assessor, PassedExam, Profile
    from wfgate.run import Config


def calibrate(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS", help="JSON Lines files, or folders.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write the profile to.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FOLDER", help="File to write the calibration report to.", rich_help_panel=REPORTS
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option("--scores", metavar="FILE", help="Score table to resume from; by default next to the profile."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, help="Use at most this many goldens.")
    ] = None,
    min_steps: Annotated[
        int,
        typer.Option(
            "--min-steps",
            metavar="N",
            min=1,
            help="Leave out goldens with fewer steps; 5 in the WorkflowPerturb paper.",
        ),
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all random choices.")] = 0,
    alpha_block: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="False-block rate, on average over goldens; default 0.01; with --refresh, the rate of the profile.",
            rich_help_panel=RULES,
        ),
    ] = None,
    alpha_review: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="False-review rate; default 0.05; with --refresh, the rate of the profile.",
            rich_help_panel=RULES,
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="PROFILE",
            help="Profile to pool with if there are few goldens: a file, or `default` (if not given) or `reworded`.",
            rich_help_panel=RULES,
        ),
    ] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(
            metavar="YYYY-MM-DD",
            formats=["%Y-%m-%d"],
            help="Last day on which the profile may be used.",
            rich_help_panel=RULES,
        ),
    ] = None,
    refresh: Annotated[
        bool,
        typer.Option(
            "--refresh",
            help="Refit the profile at --output and write the new profile next to that file, as FILE.new.json.",
            rich_help_panel="Refresh",
        ),
    ] = False,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RESULT",
            help="Recorded JSON results to decide again with the refreshed profile; repeatable.",
            rich_help_panel="Refresh",
        ),
    ] = None,
    embedder: EmbedderName = None,
    beta: Beta = None,
    meaning_model: MeaningModelName = None,
    judge: JudgeName = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Certificate of the judge (from `wfgate exam --certificate`); the profile records the certificate.",
            rich_help_panel=SCORING,
        ),
    ] = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
    executor: Annotated[
        str,
        typer.Option(
            "--executor",
            metavar="WHERE",
            help="Machine that scores the variants: local (default) or dask://HOST:PORT.",
            rich_help_panel=RUN,
        ),
    ] = "local",
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Print the processor time of each stage to standard error.",
            rich_help_panel=REPORTS,
        ),
    ] = False,
) -> None:
    """Fit thresholds with stated error rates, and a severity scale, on perturbed variants of your goldens.

    If a run was interrupted, the next run continues where it stopped. If there are too few goldens for the false-block
    rate, they are pooled with the goldens of a base profile. At least five goldens are needed. The stated rates are
    averages over goldens like yours, not bounds for each golden.

    Example: wfgate calibrate approved/ --output profile.json
    """
    from wfgate import __version__
    from wfgate.base import STOPWATCH, stage
    from wfgate.calibration import Plan, calibrate_corpus, calibration_summary, read_corpus
    from wfgate.errors import CalibrationError
    from wfgate.run import DEFAULT_EXECUTOR, Config, load_configured_profile

    in_use = _in_use(output, refresh=refresh, replay=bool(replay))
    alphas = _alphas(in_use, alpha_block, alpha_review)
    loaded = settings(config, embedder, meaning_model, metrics, judge, beta=beta)
    assessor = assessor_of(loaded, remember=executor == DEFAULT_EXECUTOR)
    target = output.with_suffix(".new.json") if in_use and output else output
    scores = scores or (output.with_suffix(".scores.sqlite") if output else None)
    plan = Plan(
        seed=seed,
        alphas=alphas,
        scores=scores,
        jobs=1 if loaded.judge else cores(jobs),  # one account, one limit of requests at a time
        base=load_configured_profile(Config(profile=base)) if base else None,
        expires=expires.date() if expires else None,
        executor=executor,
        exam=_passed(certificate, assessor, loaded),
    )
    for file in filter(None, (target, scores, report / "calibration.md" if report else None)):
        make_folder(file)
    with stage("reading"):
        corpus = read_corpus(corpora, loaded.formats)
    listed = report / "calibration.md" if report else None
    note_refused(corpus.refused, listed, rest="; give --report FOLDER for the whole list")
    corpus = _long_enough(corpus, min_steps)
    if sample is not None:
        corpus = corpus.sample(sample)
    try:
        with progress("scoring variants") as shown:
            done = calibrate_corpus(corpus, assessor, plan, tool=__version__, progress=shown)
    except KeyboardInterrupt as stop:
        kept = (
            f"run the command again: it resumes from {scores}"
            if scores
            else "give --output or --scores, so that the scores are kept"
        )
        raise CalibrationError("interrupted", fix=kept) from stop
    note_costs(assessor.judge.client if assessor.judge else None, loaded)
    formats = [corpus.formats[golden.id] for golden in corpus.goldens]
    if target is not None:
        emit(done.profile.to_json(), target)
    if report is not None:
        with stage("report"):
            _write_report(done, report, formats)
    emit(
        calibration_summary(
            done.profile,
            scored=done.scored,
            corpora=corpora,
            formats=formats,
            profile_path=target,
            report=report,
        ),
        None,
    )
    if in_use is not None and output is not None:
        _write_refresh(done, in_use, replay or [], output.with_suffix(".refresh.json"))
    if verbose:
        _note_stages(STOPWATCH.take())


def _long_enough(corpus: "Corpus", min_steps: int) -> "Corpus":
    """Return the corpus without the goldens that have fewer steps; a note on standard error counts them."""
    from wfgate.errors import CalibrationError
    from wfgate.show import count

    kept = corpus.where(lambda golden: golden.n >= min_steps)
    left_out = len(corpus.goldens) - len(kept.goldens)
    if not kept.goldens:
        raise CalibrationError(f"no golden has {min_steps} steps", fix="give a lower --min-steps, or other goldens")
    if left_out:
        note(f"{count(left_out, 'golden')} with fewer than {min_steps} steps left out")
    return kept


def _note_stages(seconds: dict[str, float]) -> None:
    """Write the processor time of each stage, largest first, to standard error."""
    total = sum(seconds.values())
    note(f"processor time of all processes: {total:.1f} s")
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        note(f"  {name:<13} {spent:8.1f} s  {spent / total:4.0%}")


def _in_use(output: Path | None, *, refresh: bool, replay: bool) -> "Profile | None":
    """Return the profile to refresh; None if the option --refresh is not given."""
    from wfgate.decide import load_profile
    from wfgate.errors import ConfigError

    if replay and not refresh:
        raise ConfigError("--replay needs --refresh", fix="give both --replay and --refresh, or neither")
    if refresh and output is None:
        raise ConfigError("--refresh needs the profile in use", fix="give the path of the profile as --output")
    return load_profile(output) if refresh and output else None


def _passed(certificate: Path | None, assessor: "Assessor", loaded: "Config") -> "PassedExam | None":
    """Return the exam that the judge (a language model that grades) passed.

    If the gate would refuse this judge, an error is raised before the calibration starts.
    """
    from wfgate.decide import PassedExam
    from wfgate.errors import ConfigError

    client = assessor.judge.client if assessor.judge else None
    least = loaded.judge.require_exam if loaded.judge else None
    if client is None:
        if certificate is not None:
            raise ConfigError("--certificate needs a judge", fix="give --judge MODEL as well")
        return None
    if certificate is None:
        if least is not None:
            again = f"wfgate exam WORKFLOW... --model {client.name} --min-score {least:g} --certificate FILE"
            raise ConfigError(
                f"judge.require_exam is set, but there is no certificate for {client.name!r}",
                fix=f"{again}; then give --certificate FILE",
            )
        return None
    from wfgate.catalogue import Certificate

    shown = Certificate.read(certificate)
    shown.require(model=client.name, service=client.fingerprint, least=least)
    return PassedExam(
        model=shown.model,
        score=shown.score.mean,
        sd=shown.score.sd,
        least=shown.least,
        answers=shown.answers,
        date=shown.date,
        catalogue=shown.catalogue,
        settings=shown.settings.model_dump(mode="json"),
    )


def _alphas(in_use: "Profile | None", block: float | None, review: float | None) -> tuple[float, float]:
    """Return the false-block and false-review rates: from the options, else the profile in use, else defaults."""
    from wfgate.calibration import DEFAULT_ALPHAS
    from wfgate.errors import ConfigError

    promised = (in_use.promise.alpha_block, in_use.promise.alpha_review) if in_use else DEFAULT_ALPHAS
    alphas = (promised[0] if block is None else block, promised[1] if review is None else review)
    if not 0 < alphas[0] <= alphas[1] < 1:
        raise ConfigError(
            "0 < --alpha-block <= --alpha-review < 1 must hold", fix="correct --alpha-block or --alpha-review"
        )
    return alphas


def _write_refresh(done: "Calibration", in_use: "Profile", results: list[Path], target: Path) -> None:
    """Compare the refreshed profile with the profile in use: write the comparison and print a summary."""
    from wfgate.calibration import compare_profiles, refresh_json, refresh_text
    from wfgate.history import replay

    refreshed = compare_profiles(in_use, done.profile, done.held_out)
    replayed = replay(results, done.profile)
    emit(refresh_json(refreshed, replayed), target)
    emit(f"{refresh_text(refreshed, replayed)}\nChanges: {target}", None)


def _write_report(done: "Calibration", folder: Path, formats: list[str]) -> None:
    """Write the report as Markdown and HTML, with figures if the extra `report` is installed."""
    from wfgate.calibration import address, available, calibration_markdown, calibration_page, figures

    drawn = figures(done.profile) if available() else ()
    if not drawn:
        note("the report has no figures: install 'wfgate[report]' to draw them")
    text = calibration_markdown(done.profile, done.corpus.refused, done.misses, drawn, formats)
    for figure in drawn:
        emit(figure.svg, folder / address(figure))
    emit(text, folder / "calibration.md")
    emit(calibration_page(text, drawn), folder / "calibration.html")
