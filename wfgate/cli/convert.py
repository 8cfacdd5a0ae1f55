"""`wfgate convert`."""

from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.options import FormatName, OutputFile, read_input
from wfgate.cli.output import emit, note


def convert(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Workflow file; - for stdin.")],
    target: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="ID",
            help="native, worfbench, graph-json, mermaid, dot.",
            autocompletion=completion.WRITTEN_FORMATS,
        ),
    ],
    format_id: FormatName = None,
    output: OutputFile = None,
) -> None:
    """Convert a workflow to another format. Diagnostics of the reader go to standard error.

    Example: wfgate convert approved/deploy.yaml --to mermaid
    """
    from wfgate.read import write

    reading = read_input(source, format_id)
    for diagnostic in reading.diagnostics:
        note(str(diagnostic))
    emit(write(reading.workflow, target), output)
