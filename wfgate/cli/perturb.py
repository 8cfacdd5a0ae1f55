"""`wfgate perturb`."""

from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.options import FormatName, OutputFile, emit, read_input


def perturb(
    source: Annotated[Path, typer.Argument(metavar="GOLDEN", help="Workflow file.")],
    operator: Annotated[
        str,
        typer.Option(
            "--operator",
            metavar="ID",
            help="Id of the perturbation; see `wfgate list perturbations`.",
            autocompletion=completion.ids("wfgate.perturb:PERTURBATIONS"),
        ),
    ],
    severity: Annotated[
        float, typer.Option("--severity", metavar="SHARE", min=0.0, max=1.0, help="Share of steps to affect.")
    ] = 0.1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all random choices.")] = 0,
    reworded: Annotated[bool, typer.Option("--reworded", help="Reword every step first; needs --texts.")] = False,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", metavar="FILE", help="JSON file with recorded texts: rewordings, merges, drifts, ..."),
    ] = None,
    target: Annotated[
        str, typer.Option("--to", metavar="ID", help="Format to write.", autocompletion=completion.WRITTEN_FORMATS)
    ] = "native",
    format_id: FormatName = None,
    output: OutputFile = None,
) -> None:
    """Make a variant of a golden: steps are removed, merged, reordered, rewired, added or reworded.

    Example: wfgate perturb deploy.yaml --operator missing --severity 0.3
    """
    import numpy as np

    from wfgate.calibration.corpus import read_texts
    from wfgate.errors import ConfigError, PerturbationRejected
    from wfgate.formats import write
    from wfgate.model import expand
    from wfgate.perturb import PERTURBATIONS, Golden, StepTexts, perturb_reworded

    perturbation = PERTURBATIONS.find(operator)
    workflow = expand(read_input(source, format_id).workflow)
    recorded = read_texts(texts, len(workflow.tasks)) if texts else StepTexts()
    golden = Golden(source.stem, workflow, recorded)
    rng = np.random.default_rng(seed)
    try:
        if reworded:
            variant = perturb_reworded(perturbation, golden, severity, rng)
        else:
            variant = perturbation.perturb(golden, severity, rng)
    except PerturbationRejected as reason:
        fix = "give --texts with recorded texts for this perturbation, another --severity or another --seed"
        raise ConfigError(f"{source}: {operator} is not possible: {reason.message}", fix=fix) from None
    emit(write(variant.workflow, target), output)
