"""`wfgate calibrate`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import ConfigFile, EmbedderName, Jobs, MetricNames, cores, emit, progress, settings


def calibrate(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS...", help="JSON Lines files or folders.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the profile.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Folder for the calibration report.")] = None,
    scores: Annotated[
        Path | None, typer.Option("--scores", help="Score table to continue; beside the profile by default.")
    ] = None,
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="Use at most this many goldens.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides every random choice.")] = 0,
    alpha_block: Annotated[float, typer.Option(help="False-block rate to promise.")] = 0.01,
    alpha_review: Annotated[float, typer.Option(help="False-review rate to promise.")] = 0.05,
    embedder: EmbedderName = None,
    metrics: MetricNames = None,
    config: ConfigFile = None,
    jobs: Jobs = None,
) -> None:
    """Perturb goldens in known ways and fit severity-aware thresholds with stated error rates.

    A run that was interrupted goes on where it stopped.
    """
    from wfgate import __version__
    from wfgate.calibration import Assessor, Plan
    from wfgate.calibration import calibrate as run_calibration
    from wfgate.errors import ConfigError
    from wfgate.matching.embedders import load_embedder
    from wfgate.report.calibration import calibration_markdown
    from wfgate.report.console import calibration_summary

    if not 0 < alpha_block <= alpha_review < 1:
        raise ConfigError("0 < --alpha-block <= --alpha-review < 1 must hold", fix="check both rates")
    found = settings(config, embedder, metrics)
    if scores is None and output is not None:
        scores = output.with_suffix(".scores.sqlite")
    if scores is not None:
        scores.parent.mkdir(parents=True, exist_ok=True)
    plan = Plan(seed=seed, alphas=(alpha_block, alpha_review), sample=sample, scores=scores, jobs=cores(jobs))
    assessor = Assessor(load_embedder(found.embedder), found.metrics)
    with progress("scoring variants") as shown:
        done = run_calibration(corpora, assessor, plan, tool=__version__, progress=shown)
    if output is not None:
        emit(done.profile.to_json(), output)
    if report is not None:
        emit(calibration_markdown(done.profile, done.corpus.refused), report / "calibration.md")
    for note in done.corpus.refused[:5]:
        sys.stderr.write(f"not used: {note}\n")
    if len(done.corpus.refused) > 5:
        where = f"; all in {report / 'calibration.md'}" if report else ""
        sys.stderr.write(f"not used: {len(done.corpus.refused) - 5} more records{where}\n")
    emit(calibration_summary(done.profile, scored=done.scored, profile_path=output, report=report), None)
