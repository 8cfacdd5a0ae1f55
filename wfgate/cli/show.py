"""`wfgate show`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import ConfigFile, FormatName, OutputFile, read_input
from wfgate.cli.output import columns, emit, note, use_color


class PictureFormat(StrEnum):
    """Output formats of `wfgate show`."""

    TEXT = "text"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


def show(
    workflow: Annotated[Path, typer.Argument(metavar="WORKFLOW", help="Workflow file, in any format; - for stdin.")],
    picture: Annotated[
        PictureFormat,
        typer.Option("--format", "-f", help="Text outline, Mermaid or Graphviz source, or an SVG picture."),
    ] = PictureFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
    config: ConfigFile = None,
) -> None:
    """Show what wfgate reads from a file: steps with their descriptions, branches, joins, loops, sub-workflows.

    Diagnostics of the reader go to standard error. Exit codes: 0 shown, 2 usage error, 3 unreadable file.

    Example: wfgate show approved/deploy.yaml --format mermaid
    """
    from wfgate.read import write
    from wfgate.show import outline, pictures_of, svg

    reading = read_input(workflow, format_id, config)
    for diagnostic in reading.diagnostics:
        note(str(diagnostic))
    if picture is PictureFormat.TEXT:
        to_terminal = output is None
        width = columns(terminal=to_terminal)
        emit(outline(reading.workflow, width, color=to_terminal and use_color()), output)
    elif picture is PictureFormat.SVG:
        shown = pictures_of(reading.workflow)
        for refused in dict.fromkeys(picture.refused for picture in shown if picture.refused):
            note(refused, "use --format text, mermaid or dot")
        emit(svg(shown), output)
    else:
        emit(write(reading.workflow, picture.value), output)
