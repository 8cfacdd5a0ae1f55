"""`wfgate score`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import ConfigFile, EmbedderName, MetricNames, emit, settings


def score(
    golden: Annotated[Path, typer.Argument(help="Approved workflow.")],
    candidate: Annotated[Path, typer.Argument(help="Workflow to score.")],
    metrics: MetricNames = None,
    output_format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
    embedder: EmbedderName = None,
    config: ConfigFile = None,
) -> None:
    """Score a candidate against a golden: numbers only, no verdict."""
    from wfgate import __version__
    from wfgate.calibration import Assessor
    from wfgate.errors import ConfigError
    from wfgate.formats import read_file
    from wfgate.matching import compare
    from wfgate.matching.embedders import load_embedder
    from wfgate.metrics import METRICS
    from wfgate.metrics import score as score_comparison
    from wfgate.report.console import score_table

    if output_format not in {"text", "json"}:
        raise ConfigError(f"unknown format {output_format!r}", fix="use text or json")
    found = settings(config, embedder, metrics)
    for name in found.metrics:
        METRICS.find(name)
    embedding = load_embedder(found.embedder)
    comparison = compare(read_file(golden).workflow, read_file(candidate).workflow, embedding)
    scores = score_comparison(comparison, found.metrics)
    if output_format == "text":
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
    emit(json.dumps(record, indent=2, ensure_ascii=False), output)
