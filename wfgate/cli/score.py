"""`wfgate score`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    EmbedderName,
    EquivalenceName,
    MetricNames,
    OutputFile,
    OutputFormat,
    assessor_of,
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
    equivalence: EquivalenceName = None,
    config: ConfigFile = None,
) -> None:
    """Compare a candidate with a golden: numbers only, no verdict."""
    from wfgate import __version__
    from wfgate.formats import read_file
    from wfgate.matching import compare
    from wfgate.metrics import score as score_comparison
    from wfgate.report.console import score_table

    found = settings(config, embedder, equivalence, metrics)
    assessor = assessor_of(found)
    read = read_file(golden).workflow, read_file(candidate).workflow
    scores = score_comparison(compare(*read, assessor.embedder, assessor.equivalence), found.metrics)
    if output_format is DataFormat.TEXT:
        emit(score_table(scores), output)
        return
    record = {
        "schema": "wfgate.score/1",
        "tool": {"name": "wfgate", "version": __version__},
        "signature": assessor.signature.model_dump(mode="json"),
        "golden": str(golden),
        "candidate": str(candidate),
        "metrics": [{"id": each.metric, **each.model_dump(mode="json", exclude={"metric"})} for each in scores],
    }
    emit(json.dumps(record, indent=2), output)
