"""`wfgate exam`."""

import json
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import ConfigFile, Fresh, ModelName, OutputFile, account_of, chat_client, computed
from wfgate.cli.output import emit, make_folder, note, progress

if TYPE_CHECKING:
    from wfgate.catalogue import Paper

FAILED = 1


class TableFormat(StrEnum):
    """Output formats of the result table."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


class ProtocolName(StrEnum):
    """What the model writes first: the answer or its reasoning."""

    ANSWER_FIRST = "answer-first"
    CHAIN_OF_THOUGHT = "chain-of-thought"


def exam(
    workflows: Annotated[list[Path], typer.Argument(metavar="WORKFLOW", help="Workflow files to ask about.")],
    model: ModelName,
    repetitions: Annotated[
        int, typer.Option("--repetitions", metavar="N", min=1, help="How often each question is asked.")
    ] = 5,
    questions: Annotated[
        int, typer.Option("--questions", metavar="N", min=1, help="Questions per pattern and workflow.")
    ] = 1,
    notation: Annotated[
        str,
        typer.Option("--notation", metavar="ID", help="native, mermaid, worfbench, graph-json, dot or original."),
    ] = "native",
    protocol: Annotated[
        ProtocolName, typer.Option("--protocol", help="Whether the model first answers or first reasons.")
    ] = ProtocolName.ANSWER_FIRST,
    temperature: Annotated[
        float, typer.Option("--temperature", metavar="T", min=0.0, max=2.0, help="Sampling temperature.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed for drawing the questions.")] = 0,
    min_score: Annotated[
        float | None,
        typer.Option(
            "--min-score", metavar="SHARE", min=0.0, max=1.0, help="Minimum score; a lower score exits with code 1."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="File for the certificate if the model passes (model, date, score, settings). No cached answers.",
        ),
    ] = None,
    grader: Annotated[
        str | None,
        typer.Option(
            "--grader", metavar="M", help="Model that grades free-text answers from 0 to 5; not part of the score."
        ),
    ] = None,
    output_format: Annotated[TableFormat, typer.Option("--format", "-f", help="Output format.")] = TableFormat.TEXT,
    output: OutputFile = None,
    config: ConfigFile = None,
    fresh: Fresh = False,
) -> None:
    """Test how well a language model reads workflows: 45 question patterns with computed answers.

    Exit codes: 0 done or passed, 1 failed, 2 usage error or no service, 3 unreadable workflow.

    Example: wfgate exam approved/deploy.yaml --model MODEL
    """
    import numpy as np

    from wfgate import __version__
    from wfgate.catalogue import (
        Certificate,
        Grader,
        Protocol,
        Settings,
        administer,
        draw,
        exam_markdown,
        exam_record,
        exam_text,
        graded,
    )
    from wfgate.errors import ConfigError
    from wfgate.language import load_embedder
    from wfgate.run import load_config

    if certificate is not None and min_score is None:
        raise ConfigError("--certificate needs a minimum score", fix="give --min-score")
    project = load_config(config, Path())
    papers = _papers(workflows)
    held = draw(papers, notation=notation, number=questions, rng=np.random.default_rng(seed))
    for file in filter(None, (certificate, output)):
        make_folder(file)
    store = computed()
    uncached = fresh or certificate is not None  # a certificate is about the model of today: no cached answers
    client = chat_client(model, None if uncached else store)
    judge = chat_client(grader, None if fresh else store) if grader is not None else None
    way = Protocol(protocol.value)
    with progress("asking") as shown:
        responses = administer(
            held.instances,
            client,
            protocol=way,
            repetitions=repetitions,
            temperature=temperature,
            progress=shown,
        )
    result = graded(
        held,
        responses,
        Grader(load_embedder(), judge),
        model=model,
        service=client.fingerprint,
        settings=Settings(
            notation=notation,
            protocol=way,
            repetitions=repetitions,
            questions=questions,
            temperature=temperature,
            seed=seed,
        ),
        workflows={paper.name: paper.workflow.content_hash() for paper in papers},
    )
    note(account_of(client, project))
    if judge is not None:
        note(f"grader: {account_of(judge, project)}")
    if output_format is TableFormat.JSON:
        emit(json.dumps(exam_record(result, min_score, __version__), indent=2), output)
    else:
        table = exam_text if output_format is TableFormat.TEXT else exam_markdown
        emit(table(result, min_score), output)
    if min_score is None:
        return
    if not result.passes(min_score):
        if certificate is not None:
            older = f"; the existing file {certificate} is from an earlier exam" if certificate.exists() else ""
            note(f"no certificate written: {model} failed{older}")
        raise typer.Exit(FAILED)
    if certificate is not None:
        today = datetime.now(tz=UTC).date()
        emit(Certificate.of(result, least=min_score, tool=__version__, today=today).to_json(), certificate)


def _papers(workflows: list[Path]) -> "list[Paper]":
    from wfgate.catalogue import Paper
    from wfgate.errors import ConfigError
    from wfgate.read import decode, read_file

    papers = {}
    for path in workflows:
        reading = read_file(path)
        for diagnostic in reading.diagnostics:
            if diagnostic.severity != "info":
                note(str(diagnostic))
        if str(path) in papers:
            raise ConfigError(f"{path}: the workflow is given twice", fix="give each workflow once")
        text = decode(path.read_bytes(), str(path)).removeprefix("\ufeff")
        papers[str(path)] = Paper(str(path), text, reading.format, reading.workflow)
    return [*papers.values()]
