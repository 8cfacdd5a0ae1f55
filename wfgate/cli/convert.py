"""`wfgate convert`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import FormatName, emit


def convert(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Workflow file.")],
    target: Annotated[str, typer.Option("--to", help="Format to write: native, worfbench, graph-json.")],
    format_id: FormatName = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> None:
    """Convert a workflow to another format; what the reader noticed goes to standard error."""
    from wfgate.formats import read_file, write
    from wfgate.report.console import plain

    reading = read_file(source, format_id)
    for diagnostic in reading.diagnostics:
        sys.stderr.write(plain(str(diagnostic)) + "\n")
    emit(write(reading.workflow, target), output)
