"""`wfgate diff`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    EmbedderName,
    FormatName,
    MeaningModelName,
    OutputFile,
    assessor_of,
    read_input,
    settings,
)
from wfgate.cli.output import columns, emit, note, use_color


class Comparing(StrEnum):
    """Output formats of `wfgate diff`."""

    TEXT = "text"
    SVG = "svg"


def diff(
    golden: Annotated[Path, typer.Argument(metavar="GOLDEN", help="Approved workflow.")],
    candidate: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="Workflow to compare with it.")],
    picture: Annotated[Comparing, typer.Option("--format", "-f", help="Text or a picture.")] = Comparing.TEXT,
    fold: Annotated[bool, typer.Option("--fold", help="Show each composite as one step.")] = False,
    output: OutputFile = None,
    format_id: FormatName = None,
    embedder: EmbedderName = None,
    meaning_model: MeaningModelName = None,
    config: ConfigFile = None,
) -> None:
    """Show two workflows side by side: aligned, missing, added and changed steps. No verdict.

    Exit codes: 0 shown, 2 usage error, 3 unreadable file.

    Example: wfgate diff approved/deploy.yaml generated/deploy.yaml
    """
    from wfgate.show import changes_text, side_by_side, svg

    approved = read_input(golden, format_id)
    tested = read_input(candidate, format_id, like=approved)
    shown = side_by_side(approved, tested, assessor_of(settings(config, embedder, meaning_model, None)), fold=fold)
    for words in shown.notes:
        note(words)
    if picture is Comparing.SVG:
        if shown.picture.refused:
            note(shown.picture.refused, "use --format text")
        emit(svg([shown.picture]), output)
        return
    to_terminal = output is None
    width, color = columns(terminal=to_terminal), to_terminal and use_color()
    emit(changes_text(shown.picture, shown.findings, width=width, color=color), output)
