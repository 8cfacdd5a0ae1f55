"""`wfgate lint`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import ConfigFile, DataFormat, FormatName, OutputFile, OutputFormat, emit, requested


def lint(
    workflows: Annotated[list[Path], typer.Argument(metavar="WORKFLOW", help="Workflow files.")],
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
    config: ConfigFile = None,
) -> None:
    """Check workflows without a reference: cycles, unreachable steps, undefined references, ...

    Exit codes: 0 no error-level finding, 1 an error-level finding, 3 a file that cannot be read.
    """
    from wfgate.checks import lint as check
    from wfgate.checks import unreadable
    from wfgate.conditions.relations import load_solver
    from wfgate.errors import FormatError
    from wfgate.formats import format_of, read_file
    from wfgate.gating.config import load_config
    from wfgate.report.console import LintedFile, lint_record, lint_text

    found = load_config(config, Path())
    formats = requested(format_id) or found.formats
    relations = load_solver(found.policy.solver)
    files: list[LintedFile] = []
    for path in workflows:
        try:
            reading = read_file(path, format_of(path, formats))
        except FormatError as error:
            files.append(LintedFile(str(path), (unreadable(error),), error=str(error)))
        else:
            files.append(LintedFile(str(path), check(reading.workflow, found.checks, relations), reading.diagnostics))
    emit(lint_text(files) if output_format is DataFormat.TEXT else json.dumps(lint_record(files), indent=2), output)
    if any(finding.severity == "error" for file in files if file.error is None for finding in file.findings):
        raise typer.Exit(1)
    if any(file.error is not None for file in files):
        raise typer.Exit(3)
