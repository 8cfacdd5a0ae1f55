"""`wfgate score`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    EmbedderName,
    MetricNames,
    OutputFile,
    OutputFormat,
    emit,
    settings,
)


def score(
    golden: Annotated[Path, typer.Argument(metavar="GOLDEN", help="Approved workflow.")],
    candidate: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="Workflow to score.")],
    metrics: MetricNames = None,
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    embedder: EmbedderName = None,
    config: ConfigFile = None,
) -> None:
    """Compare a candidate with a golden: numbers only, no verdict."""
    from wfgate import __version__
    from wfgate.calibration import Assessor
    from wfgate.formats import read_file
    from wfgate.matching import compare
    from wfgate.matching.embedders import load_embedder
    from wfgate.metrics import score as score_comparison
    from wfgate.report.console import score_table

    found = settings(config, embedder, metrics)
    embedding = load_embedder(found.embedder)
    comparison = compare(read_file(golden).workflow, read_file(candidate).workflow, embedding)
    scores = score_comparison(comparison, found.metrics)
    if output_format is DataFormat.TEXT:
        emit(score_table(scores), output)
        return
    record = {
        "schema": "wfgate.score/1",
        "tool": {"name": "wfgate", "version": __version__},
        "signature": Assessor(embedding, found.metrics).signature.model_dump(mode="json"),
        "golden": str(golden),
        "candidate": str(candidate),
        "metrics": [{"id": each.metric, **each.model_dump(mode="json", exclude={"metric"})} for each in scores],
    }
    emit(json.dumps(record, indent=2), output)
