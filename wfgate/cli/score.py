"""`wfgate score`."""

import json
from pathlib import Path
from typing import Annotated

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
    emit,
    listed_ids,
    note_costs,
    read_input,
    settings,
)


def score(
    golden: Annotated[Path, typer.Argument(metavar="GOLDEN", help="Approved workflow; - for stdin.")],
    candidate: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="Workflow to score; - for stdin.")],
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

    Example: wfgate score approved/deploy.yaml generated/deploy.yaml
    """
    from wfgate import __version__
    from wfgate.alignment import compare
    from wfgate.metrics import LlmJudge
    from wfgate.metrics import score as score_comparison
    from wfgate.report.console import score_table

    found = settings(config, embedder, meaning_model, metrics, judge, beta=beta)
    assessor = assessor_of(found)
    read = read_input(golden, config=config).workflow, read_input(candidate, config=config).workflow
    comparison = compare(*read, assessor.embedder, assessor.meaning_model)
    only_judge = {*listed_ids(metrics)} == {LlmJudge.id}
    scores = () if only_judge else score_comparison(comparison, found.metrics)
    if assessor.judge:
        scores = (*scores, assessor.judge.compute(comparison))
        note_costs(assessor.judge.client, found)
    if output_format is DataFormat.TEXT:
        emit(score_table(scores), output)
        return
    record = {
        "schema": "wfgate.score/1",
        "tool": {"name": "wfgate", "version": __version__},
        "signature": assessor.signature.model_dump(mode="json"),
        "judge": assessor.judge.signature if assessor.judge else None,
        "golden": str(golden),
        "candidate": str(candidate),
        "metrics": [{"id": each.metric, **each.model_dump(mode="json", exclude={"metric"})} for each in scores],
    }
    emit(json.dumps(record, indent=2), output)
