"""`wfgate facts`."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.options import DataFormat, FormatName, OutputFile, OutputFormat, read_input
from wfgate.cli.output import emit


class FlowKind(StrEnum):
    """Control flow or data flow."""

    CONTROL = "control"
    DATA = "data"


def facts(
    workflow: Annotated[Path, typer.Argument(metavar="WORKFLOW", help="Workflow file, - for stdin.")],
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            "-p",
            metavar="ID",
            help="Fact to compute (`wfgate list facts`); repeatable.",
            autocompletion=completion.ids("wfgate.catalogue:FACTS"),
        ),
    ] = None,
    task: Annotated[str | None, typer.Option("--task", metavar="NAME", help="Parameter: a task.")] = None,
    first: Annotated[str | None, typer.Option("--first", metavar="NAME", help="Parameter: first task.")] = None,
    second: Annotated[str | None, typer.Option("--second", metavar="NAME", help="Parameter: second task.")] = None,
    data: Annotated[str | None, typer.Option("--data", metavar="NAME", help="Parameter: name of a datum.")] = None,
    having: Annotated[
        str | None, typer.Option("--property", metavar="P", help="Parameter: a property: conditional, tagged:X, ...")
    ] = None,
    situation: Annotated[
        str | None, typer.Option("--situation", metavar="VALUES", help='Parameter: values: "p=0, env=prod".')
    ] = None,
    sequence: Annotated[
        str | None, typer.Option("--sequence", metavar="NAMES", help='Parameter: an order of tasks: "A, B, C".')
    ] = None,
    flow: Annotated[FlowKind, typer.Option("--flow", help="Parameter: kind of flow.")] = FlowKind.CONTROL,
    direct: Annotated[bool, typer.Option("--direct", help="Parameter: only direct links.")] = False,
    after: Annotated[
        bool, typer.Option("--after", help="Parameter: tasks that run after the task, not before it.")
    ] = False,
    part: Annotated[
        str | None, typer.Option("--workflow", metavar="NAME", help="Use this sub-workflow of the file.")
    ] = None,
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
) -> None:
    """List facts about a workflow: order, parallel steps, conditions, loops, data.

    Without --pattern: all facts that need no parameters. Exit codes: 0 answered, 2 usage error, 3 unreadable file.

    Example: wfgate facts approved/deploy.yaml --pattern task-order
    """
    from wfgate import __version__
    from wfgate.catalogue import (
        FactSubject,
        Question,
        all_answers,
        answer,
        facts_record,
        facts_text,
        read_names,
        read_situation,
    )
    from wfgate.errors import ConfigError

    asked = Question(
        task=task,
        first=first,
        second=second,
        data=data,
        property=having,
        situation=read_situation(situation or ""),
        sequence=read_names(sequence or ""),
        flow=flow.value,
        direct=direct,
        after=after,
    )
    subject = FactSubject.of(read_input(workflow, format_id).workflow, part)
    chosen = [name.strip() for given in patterns or [] for name in given.split(",") if name.strip()]
    if asked.given() and not chosen:
        raise ConfigError("parameters need a pattern", fix="give --pattern ID (see `wfgate list facts`)")
    if asked.given():
        answers = tuple(answer(subject, name, asked) for name in chosen)
    else:
        answers = all_answers(subject, chosen or None)
    if output_format is DataFormat.TEXT:
        emit(facts_text(subject, answers, overview=not chosen), output)
    else:
        emit(json.dumps(facts_record(subject, answers, __version__), indent=2), output)
