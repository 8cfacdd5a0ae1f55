"""`wfgate score`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wfgate.cli.options import (
    Beta,
    ConfigFile,
    DataFormat,
    EmbedderName,
    JudgeName,
    MeaningModelName,
    MetricNames,
    OutputFile,
    OutputFormat,
    assessor_of,
    listed_ids,
    note_costs,
    read_input,
    settings,
)
from wfgate.cli.output import emit, progress

if TYPE_CHECKING:
    from wfgate.decide import Assessor
    from wfgate.run import Config

UNREADABLE = 3


def score(
    golden: Annotated[
        Path, typer.Argument(metavar="GOLDEN", help="Approved workflow, or folder of them; - for stdin.")
    ],
    candidate: Annotated[
        Path, typer.Argument(metavar="CANDIDATE", help="Workflow to score, or folder of them; - for stdin.")
    ],
    metrics: MetricNames = None,
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    embedder: EmbedderName = None,
    beta: Beta = None,
    meaning_model: MeaningModelName = None,
    judge: JudgeName = None,
    config: ConfigFile = None,
) -> None:
    """Compare a candidate with a golden and print the metrics, without a verdict.

    Of two folders, files with the same name are compared; printed are the means, by scenario (folder, or `source` of a
    WorFBench record), by number of steps and by number of links. Exit code 3 if a pair cannot be read.

    Example: wfgate score approved/deploy.yaml generated/deploy.yaml
    """
    from wfgate.compare import JUDGE, compare
    from wfgate.compare import score as score_comparison
    from wfgate.show import score_table

    loaded = settings(config, embedder, meaning_model, metrics, judge, beta=beta)
    if golden.is_dir() or candidate.is_dir():
        _folders(golden, candidate, loaded, output_format, output)
        return
    assessor = assessor_of(loaded)
    approved = read_input(golden, config=config)
    tested = read_input(candidate, config=config, like=approved)
    comparison = compare(approved.workflow, tested.workflow, assessor.embedder, assessor.meaning_model)
    only_judge = {*listed_ids(metrics)} == {JUDGE}
    scores = () if only_judge else score_comparison(comparison, loaded.metrics)
    if assessor.judge:
        scores = (*scores, assessor.judge.compute(comparison))
        note_costs(assessor.judge.client, loaded)
    if output_format is DataFormat.TEXT:
        emit(score_table(scores), output)
        return
    shown = [{"id": each.metric, **each.model_dump(mode="json", exclude={"metric"})} for each in scores]
    record = _record("wfgate.score/1", assessor, golden, candidate) | {"metrics": shown}
    emit(json.dumps(record, indent=2), output)


def _record(schema: str, assessor: "Assessor", golden: Path, candidate: Path) -> dict[str, Any]:
    """Return what the JSON forms of scores begin with: what was compared, and with what."""
    from wfgate import __version__

    return {
        "schema": schema,
        "tool": {"name": "wfgate", "version": __version__},
        "signature": assessor.signature.model_dump(mode="json"),
        "judge": assessor.judge.signature if assessor.judge else None,
        "golden": str(golden),
        "candidate": str(candidate),
    }


def _folders(golden: Path, candidate: Path, loaded: "Config", output_format: DataFormat, output: Path | None) -> None:
    """Print the scores of all pairs of two folders and their means."""
    from wfgate.errors import ConfigError
    from wfgate.run import pair_files, score_pairs
    from wfgate.show import suite_text

    if not (golden.is_dir() and candidate.is_dir()):
        raise ConfigError("a folder cannot be compared with a single file", fix="give two files or two folders")
    pairs = pair_files([candidate], golden, None, loaded.formats)
    if not pairs:
        raise ConfigError(f"{candidate}: there are no workflows in the folder", fix="give a folder of workflow files")
    assessor = assessor_of(loaded)
    with progress("scoring") as shown:
        scores = score_pairs(
            pairs,
            assessor,
            loaded.metrics,
            root=str(golden),
            formats=loaded.formats,
            progress=lambda done: shown(done, len(pairs)),
        )
    if assessor.judge:
        note_costs(assessor.judge.client, loaded)
    if output_format is DataFormat.TEXT:
        emit(suite_text(scores), output)
    else:
        record = _record("wfgate.scores/1", assessor, golden, candidate) | scores.model_dump(mode="json")
        emit(json.dumps(record, indent=2), output)
    if any(pair.problem is not None for pair in scores.pairs):
        raise typer.Exit(UNREADABLE)
