"""`wfgate generate`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import (
    ConfigFile,
    DataFormat,
    ModelName,
    OutputFormat,
    account_of,
    chat_client,
    emit,
    make_folder,
    note,
)

UNREADABLE = 3


def generate(
    model: ModelName,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where every answer is kept, as NAME@1.md, ...")
    ],
    task: Annotated[str | None, typer.Option("--task", metavar="TEXT", help="What the workflow is to do.")] = None,
    task_file: Annotated[
        Path | None, typer.Option("--task-file", metavar="FILE", help="The same, from a file.")
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the reference to gate with: NAME.yaml.")
    ] = "workflow",
    samples: Annotated[int, typer.Option("--samples", "-n", metavar="N", min=1, help="How many to write.")] = 1,
    notation: Annotated[
        str, typer.Option("--notation", metavar="ID", help="native, worfbench, graph-json, mermaid or dot.")
    ] = "native",
    prompt: Annotated[
        Path | None, typer.Option("--prompt", metavar="FILE", help="What to tell the model first, instead of ours.")
    ] = None,
    temperature: Annotated[
        float, typer.Option("--temperature", metavar="T", min=0.0, max=2.0, help="0: the likeliest answer.")
    ] = 1.0,
    output_format: OutputFormat = DataFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Ask a language model for workflows, by a prompt with two examples, and keep every answer as it came.

    `wfgate gate FOLDER --reference APPROVED` then compares each with APPROVED/NAME.*; an answer that cannot be read
    stays in the folder and fails the gate. Exit codes: 0 all can be read, 2 usage or no service, 3 some cannot.
    """
    from wfgate import __version__
    from wfgate.errors import ConfigError, printable
    from wfgate.gating.config import load_config
    from wfgate.generation import RULES, Generation, file_name, generate, prompt_for, prompt_hash
    from wfgate.report.generation import generation_lines, generation_record, generation_text
    from wfgate.store import write_atomically

    if (task is None) == (task_file is None):
        raise ConfigError("there must be one task", fix="give --task TEXT or --task-file FILE")
    project = load_config(config, Path())
    said = _text(task_file) if task_file else task or ""
    messages = prompt_for(said, notation, _text(prompt) if prompt else RULES)
    record = output / f"{name}.generation.jsonl"
    for file in (output / file_name(name, 1), record):
        make_folder(file)
    left = sorted(path.name for path in output.glob("*@*.md") if path.name.startswith(f"{name}@"))
    if left:
        raise ConfigError(f"{output}: has answers already: {left[0]}", fix="delete them, or give another --output")
    client = chat_client(model, None)  # what it wrote yesterday says nothing about today
    drawn = generate(client, messages, name=name, samples=samples, temperature=temperature)
    asked = Generation(
        tool=__version__,
        model=model,
        service=client.fingerprint,
        date=datetime.now(tz=UTC).date().isoformat(),
        task=said.strip(),
        notation=notation,
        prompt=prompt_hash(messages),
        temperature=temperature,
        samples=samples,
    )
    found = [each.sample for each in drawn]
    for each in drawn:
        write_atomically(output / each.sample.file, printable(each.text))  # as it came: no other end of line
    emit(generation_lines(asked, found), record)
    note(account_of(client, project))
    if output_format is DataFormat.JSON:
        emit(json.dumps(generation_record(asked, found), indent=2), None)
    else:
        emit(generation_text(found, str(output)), None)
    raise typer.Exit(UNREADABLE if any(sample.problem is not None for sample in found) else 0)


def _text(path: Path) -> str:
    from wfgate.errors import ConfigError, os_words

    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = os_words(error)
    except UnicodeDecodeError:
        problem = "it is not UTF-8"
    raise ConfigError(f"{path}: cannot be read: {problem}", fix="check the path")
