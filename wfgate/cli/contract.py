"""`wfgate contract`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    EmbedderName,
    FormatName,
    MeaningModelName,
    OutputFile,
    OutputFormat,
    assessor_of,
    read_input,
    settings,
)
from wfgate.cli.output import emit, note

if TYPE_CHECKING:
    from wfgate.model import Workflow
    from wfgate.run import Config
    from wfgate.show import SharedContract


def contract(
    references: Annotated[
        list[Path],
        typer.Argument(metavar="REFERENCE", help="Approved workflows of one case; the first is the golden."),
    ],
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
    embedder: EmbedderName = None,
    meaning_model: MeaningModelName = None,
    config: ConfigFile = None,
    as_rules: Annotated[
        bool,
        typer.Option("--as-rules", help="Write what all references have in common as rules of your own (TOML)."),
    ] = False,
) -> None:
    """Show what several approved references agree on: what the gate demands, and what is free.

    A step is required if all references have it. The order of two steps is required if it is the same in all
    references. A number that differs among them may be that of any of them. With one REFERENCE, its variants
    (deploy@2.yaml) are read, too. Exit codes: 0 shown, 2 usage error, 3 unreadable file.

    Example: wfgate contract approved/deploy.yaml
    """
    from wfgate.approvals import variants_of
    from wfgate.show import contract_record, contract_text

    loaded = settings(config, embedder, meaning_model, format_id=format_id)
    paths = references
    if len(references) == 1:
        paths = [
            references[0],
            *(path for path in variants_of(references[0], loaded.formats) if path != references[0]),
        ]
    if as_rules:
        emit(_as_rules(paths, loaded, format_id, config), output)
        return
    shared = _shared(paths, loaded, format_id, config)
    as_text = output_format is DataFormat.TEXT
    emit(contract_text(shared) if as_text else json.dumps(contract_record(shared), indent=2), output)


def _shared(paths: list[Path], loaded: "Config", format_id: str | None, config: Path | None) -> "SharedContract":
    from wfgate.compare import Contract
    from wfgate.model import expand
    from wfgate.show import SharedContract

    first, *others = _workflows(paths, format_id, config)
    golden, assessor, policy = expand(first), assessor_of(loaded), loaded.policy
    return SharedContract(
        golden,
        tuple(path.name for path in paths),
        Contract.marked(golden),
        tuple(assessor.freedoms(first, other, policy.is_critical) for other in others),
        frozenset(step for step, task in enumerate(golden.tasks) if policy.is_critical(task)),
    )


def _as_rules(paths: list[Path], loaded: "Config", format_id: str | None, config: Path | None) -> str:
    from wfgate.rules import rules_toml, suggested
    from wfgate.run import subjects_of

    golden, *others = _workflows(paths, format_id, config)
    references, policy = subjects_of(golden, others, assessor_of(loaded)), loaded.policy
    critical = {step for step, task in enumerate(references[0].workflow.tasks) if policy.is_critical(task)}
    suggestion = suggested(references, critical)
    if suggestion.orders_left_out:
        note(f"{suggestion.orders_left_out} further orders of steps are left out")
    return rules_toml(suggestion, [path.name for path in paths])


def _workflows(paths: list[Path], format_id: str | None, config: Path | None) -> "list[Workflow]":
    from wfgate.errors import ConfigError

    workflows = []
    for path in paths:
        reading = read_input(path, format_id, config)
        for diagnostic in reading.diagnostics:
            note(str(diagnostic))
        if not reading.workflow.tasks:
            raise ConfigError(f"{path}: the workflow has no steps", fix="give workflows with steps")
        workflows.append(reading.workflow)
    return workflows
