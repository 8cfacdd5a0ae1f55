"""`wfgate calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    EmbedderName,
    EquivalenceName,
    Jobs,
    MetricNames,
    assessor_of,
    cores,
    emit,
    make_folder,
    note,
    progress,
    settings,
)

SHOWN = 5
"""Refused records that are shown; the report has them all."""


def calibrate(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS", help="JSON Lines files, or folders.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write the profile.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FOLDER", help="Where to write the calibration report.")
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option("--scores", metavar="FILE", help="Score table to go on with; beside the profile by default."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, help="Use at most this many goldens.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Decides every random choice.")] = 0,
    alpha_block: Annotated[float, typer.Option(metavar="RATE", help="False-block rate to promise.")] = 0.01,
    alpha_review: Annotated[float, typer.Option(metavar="RATE", help="False-review rate to promise.")] = 0.05,
    embedder: EmbedderName = None,
    equivalence: EquivalenceName = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
) -> None:
    """Perturb goldens in known ways and fit severity-aware thresholds with stated error rates.

    A run that was interrupted goes on where it stopped.
    """
    from wfgate import __version__
    from wfgate.calibration import Plan
    from wfgate.calibration import calibrate as run_calibration
    from wfgate.errors import CalibrationError, ConfigError
    from wfgate.report.calibration import calibration_markdown
    from wfgate.report.console import calibration_summary

    if not 0 < alpha_block <= alpha_review < 1:
        raise ConfigError("0 < --alpha-block <= --alpha-review < 1 must hold", fix="check both rates")
    found = settings(config, embedder, equivalence, metrics)
    if scores is None and output is not None:
        scores = output.with_suffix(".scores.sqlite")
    written = report / "calibration.md" if report else None
    for file in (output, scores, written):
        if file is not None:
            make_folder(file)
    plan = Plan(seed=seed, alphas=(alpha_block, alpha_review), sample=sample, scores=scores, jobs=cores(jobs))
    assessor = assessor_of(found)
    try:
        with progress("scoring variants") as shown:
            done = run_calibration(corpora, assessor, plan, tool=__version__, progress=shown)
    except KeyboardInterrupt as stop:
        kept = f"run it again: it goes on with {scores}" if scores else "give --output or --scores to keep scores"
        raise CalibrationError("interrupted", fix=kept) from stop
    if output is not None:
        emit(done.profile.to_json(), output)
    if written is not None:
        emit(calibration_markdown(done.profile, done.corpus.refused), written)
    for refused in done.corpus.refused[:SHOWN]:
        note(f"not used: {refused}")
    if len(done.corpus.refused) > SHOWN:
        note(f"not used: {len(done.corpus.refused) - SHOWN} more records{f'; all in {written}' if written else ''}")
    emit(calibration_summary(done.profile, scored=done.scored, profile_path=output, report=report), None)
