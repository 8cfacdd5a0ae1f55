"""`wfgate generate`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import ConfigFile, DataFormat, ModelName, OutputFormat, account_of, chat_client, gate_of
from wfgate.cli.output import emit, make_folder, note

if TYPE_CHECKING:
    from wfgate.read import Formats

NOT_PASSED = 1
UNREADABLE = 3


def generate(
    model: ModelName,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write the answers to, as NAME@1.md, ..."),
    ],
    task: Annotated[str | None, typer.Option("--task", metavar="TEXT", help="What the workflow should do.")] = None,
    task_file: Annotated[
        Path | None, typer.Option("--task-file", metavar="FILE", help="Read the task from a file.")
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the reference to compare with: NAME.yaml.")
    ] = "workflow",
    samples: Annotated[
        int, typer.Option("--samples", "-n", metavar="N", min=1, help="How many workflows to generate.")
    ] = 1,
    notation: Annotated[
        str, typer.Option("--notation", metavar="ID", help="native, worfbench, graph-json, mermaid or dot.")
    ] = "native",
    prompt: Annotated[
        Path | None, typer.Option("--prompt", metavar="FILE", help="System prompt that replaces the built-in one.")
    ] = None,
    temperature: Annotated[
        float, typer.Option("--temperature", metavar="T", min=0.0, max=2.0, help="Sampling temperature.")
    ] = 1.0,
    until_pass: Annotated[
        int | None,
        typer.Option(
            "--until-pass",
            metavar="N",
            min=1,
            help="Compare each answer with --reference; while the gate does not pass, give the findings back as "
            "instructions, up to N times.",
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference", "-r", metavar="PATH", help="Approved workflow, or folder with NAME.*, for --until-pass."
        ),
    ] = None,
    output_format: OutputFormat = DataFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Generate workflows with a language model (a prompt with two examples) and save every answer unchanged.

    `wfgate gate FOLDER --reference APPROVED` then compares each with APPROVED/NAME.*. Unreadable answers stay in the
    folder and fail the gate. With --until-pass, answers before the last one are kept in the record
    (NAME.generation.jsonl). Exit codes: 0 all are readable (with --until-pass: all pass), 1 some do not pass, 2 usage
    error or no service, 3 some are unreadable.

    Example: wfgate generate --task "Ship it" -m MODEL --name ship -o new/
    """
    from wfgate import __version__
    from wfgate.base import write_atomically
    from wfgate.errors import ConfigError, printable
    from wfgate.generation import (
        RULES,
        GatedSample,
        Generation,
        file_name,
        generate,
        generate_until_pass,
        generation_lines,
        generation_record,
        generation_text,
        prompt_for,
        prompt_hash,
    )
    from wfgate.run import load_config

    if (task is None) == (task_file is None):
        raise ConfigError("exactly one task is needed", fix="give --task TEXT or --task-file FILE")
    project = load_config(config, Path())
    task_text = _text(task_file) if task_file else task or ""
    messages = prompt_for(task_text, notation, _text(prompt) if prompt else RULES)
    record = output / f"{name}.generation.jsonl"
    for file in (output / file_name(name, 1), record):
        make_folder(file)
    left = sorted(path.name for path in output.glob("*@*.md") if path.name.startswith(f"{name}@"))
    if left:
        raise ConfigError(
            f"{output}: the folder already contains answers: {left[0]}",
            fix="delete these answers or give another --output",
        )
    compared = _references(until_pass, reference or (project.reference if until_pass else None), name, project.formats)
    gate = gate_of(project) if compared else None  # before the first request: a wrong profile costs nothing
    client = chat_client(model, None)  # no cached answers: samples must be drawn now
    if gate is None:
        drawn = generate(client, messages, name=name, samples=samples, temperature=temperature)
    else:
        drawn = generate_until_pass(
            client,
            messages,
            gate,
            compared,
            name=name,
            samples=samples,
            temperature=temperature,
            rounds=until_pass or 0,
        )
    asked = Generation(
        tool=__version__,
        model=model,
        service=client.fingerprint,
        date=datetime.now(tz=UTC).date().isoformat(),
        task=task_text.strip(),
        notation=notation,
        prompt=prompt_hash(messages),
        temperature=temperature,
        samples=samples,
        until_pass=until_pass or 0,
        reference=", ".join(map(str, compared)) or None,
    )
    results = [each.sample for each in drawn]
    for each in drawn:
        write_atomically(output / each.sample.file, printable(each.text))  # unchanged, line ends included
    emit(generation_lines(asked, results), record)
    note(account_of(client, project))
    if output_format is DataFormat.JSON:
        emit(json.dumps(generation_record(asked, results), indent=2), None)
    else:
        emit(generation_text(results, str(output)), None)
    if any(sample.problem is not None for sample in results):
        raise typer.Exit(UNREADABLE)
    failed = any(isinstance(sample, GatedSample) and sample.verdict != "pass" for sample in results)
    raise typer.Exit(NOT_PASSED if failed else 0)


def _references(until_pass: int | None, reference: Path | None, name: str, formats: "Formats") -> list[Path]:
    """Return the approved files of the workflow; empty without --until-pass."""
    from wfgate.errors import ConfigError
    from wfgate.run import references_named

    if until_pass is None:
        if reference is not None:
            raise ConfigError("--reference is only used with --until-pass", fix="give --until-pass N")
        return []
    if reference is None:
        raise ConfigError("--until-pass needs an approved workflow", fix="give --reference FILE or FOLDER")
    return references_named(name, reference, formats, fix="give its name with --name")


def _text(path: Path) -> str:
    from wfgate.errors import ConfigError, os_words

    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = os_words(error)
    except UnicodeDecodeError:
        problem = "the file is not UTF-8"
    raise ConfigError(f"{path}: cannot be read: {problem}", fix="check the path")
