"""`wfgate perturb`."""

from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import FormatName, emit


def perturb(
    source: Annotated[Path, typer.Argument(metavar="GOLDEN", help="Workflow file.")],
    operator: Annotated[str, typer.Option("--operator", help="Perturbation id; see `wfgate list perturbations`.")],
    severity: Annotated[float, typer.Option("--severity", min=0.0, max=1.0, help="Share of steps to affect.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Decides which steps.")] = 0,
    reworded: Annotated[bool, typer.Option("--reworded", help="On top of a full rewording.")] = False,
    texts: Annotated[
        Path | None, typer.Option("--texts", help="JSON file with recorded texts (rewordings, merges, drifts, ...).")
    ] = None,
    target: Annotated[str, typer.Option("--to", help="Format to write.")] = "native",
    format_id: FormatName = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> None:
    """Make a variant of a golden: remove, squeeze, reorder, rewire, add, reword its steps."""
    import numpy as np

    from wfgate.calibration.corpus import read_texts
    from wfgate.formats import read_file, write
    from wfgate.model import expand
    from wfgate.perturb import PERTURBATIONS, Golden, StepTexts, perturb_reworded

    perturbation = PERTURBATIONS.find(operator)
    workflow = expand(read_file(source, format_id).workflow)
    recorded = read_texts(texts, len(workflow.tasks)) if texts else StepTexts()
    golden = Golden(source.stem, workflow, recorded)
    rng = np.random.default_rng(seed)
    variant = (
        perturb_reworded(perturbation, golden, severity, rng)
        if reworded
        else perturbation.perturb(golden, severity, rng)
    )
    emit(write(variant.workflow, target), output)
