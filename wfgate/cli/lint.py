"""`wfgate lint`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import FormatName, emit


def lint(
    workflows: Annotated[list[Path], typer.Argument(help="Workflow files.")],
    output_format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
    format_id: FormatName = None,
) -> None:
    """Check workflows by themselves: cycles, unreachable steps, undefined references, ...

    Exit code 1 when there is an error-level finding, 3 when a file cannot be read.
    """
    from wfgate.checks import lint as check
    from wfgate.errors import ConfigError, FormatError
    from wfgate.formats import read_file
    from wfgate.report.console import LintedFile, lint_text

    if output_format not in {"text", "json"}:
        raise ConfigError(f"unknown format {output_format!r}", fix="use text or json")
    files: list[LintedFile] = []
    for path in workflows:
        try:
            reading = read_file(path, format_id)
        except FormatError as error:
            files.append((str(path), (), (), str(error)))
            continue
        files.append((str(path), check(reading.workflow), reading.diagnostics, None))
    if output_format == "json":
        record = {
            "schema": "wfgate.lint/1",
            "files": [
                {
                    "path": path,
                    "error": error,
                    "findings": [finding.model_dump(mode="json") for finding in findings],
                    "diagnostics": [diagnostic.model_dump(mode="json") for diagnostic in diagnostics],
                }
                for path, findings, diagnostics, error in files
            ],
        }
        emit(json.dumps(record, indent=2, ensure_ascii=False), output)
    else:
        emit(lint_text(files), output)
    if any(finding.severity == "error" for _, findings, _, _ in files for finding in findings):
        raise typer.Exit(1)
    if any(error is not None for _, _, _, error in files):
        raise typer.Exit(3)
