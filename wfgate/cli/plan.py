"""`wfgate plan`."""

import json
from typing import Annotated

import typer

from wfgate.cli.options import DataFormat, OutputFormat
from wfgate.cli.output import emit

DROPS = (0.5, 0.3, 0.2, 0.1, 0.05)
"""Drops of the pass rate that are planned for."""
FOUND = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
"""Drops of the pass rate whose chances are shown with --samples."""


def plan(
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=200, help="Samples per case and release: say what drop can be found with so many."
        ),
    ] = None,
    drops: Annotated[
        list[float] | None,
        typer.Option("--drop", metavar="SHARE", help="Drop of the pass rate to detect, e.g. 0.2; repeatable."),
    ] = None,
    pass_rate: Annotated[float, typer.Option(metavar="SHARE", help="Pass rate of the previous release.")] = 0.95,
    cases: Annotated[int, typer.Option(metavar="N", min=1, help="Number of cases in the suite.")] = 1,
    alpha: Annotated[
        float,
        typer.Option(metavar="RATE", help="False-alarm rate over all cases (`release_alpha` of the policy)."),
    ] = 0.05,
    power: Annotated[float, typer.Option(metavar="RATE", help="Probability that the drop is detected.")] = 0.8,
    output_format: OutputFormat = DataFormat.TEXT,
) -> None:
    """Compute how many samples per case are needed to detect a drop of the pass rate against a previous release.

    With --samples: what drop can be found with so many samples, and what drop cannot.

    Example: wfgate plan --samples 5 --cases 3
    """
    from wfgate.errors import ConfigError
    from wfgate.history import detectable, found_record, found_text, plan_record, plan_text, samples_needed

    if not 0 < pass_rate <= 1 or not 0 < alpha < 1 or not 0 < power < 1:
        raise ConfigError("rates must be between 0 and 1", fix="write 0.05 for 5 %")
    usual = DROPS if samples is None else FOUND
    wanted = drops or [drop for drop in usual if drop <= pass_rate] or [pass_rate]
    if any(not 0 < drop <= pass_rate for drop in wanted):
        raise ConfigError(
            "a drop must be more than 0 and at most the pass rate", fix="write 0.2 for a drop from 95 to 75 %"
        )
    if samples is not None:
        detected = detectable(samples, pass_rate, tuple(wanted), alpha=alpha, cases=cases, power=power)
        text = found_text(detected, before=pass_rate, alpha=alpha, cases=cases, power=power)
        record = found_record(detected, before=pass_rate, alpha=alpha, cases=cases, power=power)
    else:
        needed = [samples_needed(pass_rate, drop, alpha=alpha, cases=cases, power=power) for drop in wanted]
        text = plan_text(needed, before=pass_rate, alpha=alpha, cases=cases, power=power)
        record = plan_record(needed, before=pass_rate, alpha=alpha, cases=cases, power=power)
    emit(text if output_format is DataFormat.TEXT else json.dumps(record, indent=2), None)
