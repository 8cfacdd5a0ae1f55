"""`wfgate history`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import OutputFile
from wfgate.cli.output import columns, emit, use_color


class Form(StrEnum):
    """Output formats of `wfgate history`."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def history(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Histories of `wfgate gate --history`, or JSON results; oldest first."),
    ],
    last: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the last N runs.")] = None,
    form: Annotated[
        Form, typer.Option("--format", "-f", help="A table, JSON, or an HTML page with a picture.")
    ] = Form.TEXT,
    output: OutputFile = None,
) -> None:
    """Show the runs in a history: verdicts over time, and the cases whose verdict changed since the run before.

    Exit codes: 0 shown, 2 a file cannot be read, or there is no run.

    Example: wfgate history runs.jsonl --last 20
    """
    from wfgate.errors import ConfigError
    from wfgate.history import history_page, history_record, history_text, read_runs

    runs = [run for file in files for run in read_runs(file)]
    if not runs:
        raise ConfigError("there is no run in the history", fix="add one: wfgate gate ... --history FILE")
    shown = runs[-last:] if last is not None else runs
    if form is Form.JSON:
        emit(history_record(shown), output)
    elif form is Form.HTML:
        emit(history_page(shown), output)
    else:
        to_terminal = output is None
        emit(history_text(shown, width=columns(terminal=to_terminal), color=to_terminal and use_color()), output)
