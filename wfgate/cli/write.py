"""`wfgate write`."""

import json
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import ConfigFile, account_of, chat_client, computed
from wfgate.cli.output import emit, make_folder, note, note_refused, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wfgate.llm import Client, Kind
    from wfgate.run import Config


def write(
    corpora: Annotated[
        list[Path], typer.Argument(metavar="GOLDEN", help="Workflow files, JSON Lines files, or folders of them.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="JSON Lines file to append to; variants in it are kept.",
        ),
    ],
    model: Annotated[str, typer.Option("--model", metavar="MODEL", help="Language model (extra llm).")],
    stronger: Annotated[
        str | None,
        typer.Option(
            "--stronger", metavar="MODEL", help="Model that writes the variants for which the first model failed."
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="ID",
            help="description, regeneration, missing, compressed, drift, vague, extra; by default all; repeatable.",
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=1, max=256, help="Number of parallel requests.")
    ] = 8,
    config: ConfigFile = None,
) -> None:
    """Generate variants of goldens with a language model and record them for `wfgate calibrate`.

    Each answer is validated. An invalid answer is sent back to the model with a description of the error, up to three
    times. Then the stronger model is used. If its answers are invalid too, the variant is rejected. Rejected variants
    are counted by reason. The goldens are sent to the service.

    Example: wfgate write approved/ --model MODEL --output variants.jsonl
    """
    from wfgate.calibration import Writer, read_corpus, read_written, tally, writing_text
    from wfgate.errors import CalibrationError, ConfigError, LlmServiceError
    from wfgate.llm import Limits
    from wfgate.run import load_config
    from wfgate.show import visible

    chosen = _kinds(kinds)
    if model == stronger:
        raise ConfigError("--stronger is the same model as --model", fix="give another model, or remove --stronger")
    make_folder(output)
    project = load_config(config, Path())
    store, limits = computed(), Limits(concurrency=concurrency)
    clients = tuple(chat_client(name, store, limits) for name in (model, stronger) if name)
    corpus = read_corpus(corpora, project.formats)
    recorded = read_written(output)
    note_refused(corpus.refused)
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    text += "" if text.endswith("\n") or not text else "\n"
    writer = Writer(clients, datetime.now(UTC).date().isoformat())
    try:
        with progress("writing variants") as shown:
            for number, done in enumerate(writer.write_all(corpus.goldens, recorded, chosen), start=1):
                text += json.dumps(done.record(), ensure_ascii=False) + "\n"
                emit(text, output)  # the whole file at once, so that no partial record is ever visible
                recorded.setdefault(done.id, []).append(done.provenance)
                shown(number, len(corpus.goldens))
    except KeyboardInterrupt as stop:
        raise CalibrationError("interrupted", fix=f"run the command again: it resumes from {output}") from stop
    except LlmServiceError as error:
        error.fix = f"{error.fix or 'correct the cause'}; then run the command again: it resumes from {output}"
        raise
    finally:
        _note_costs(clients, project)
    written = tally(recorded)
    if not written.usable:
        first = f" ({written.rejected[0][1].message})" if written.rejected else ""
        raise CalibrationError(
            f"no usable variant was written{first}", fix="give another --model, or a better model as --stronger"
        )
    named = " ".join(shlex.quote(str(path)) for path in [*corpora, output])
    emit(f"{writing_text(written)}\nCalibrate with: wfgate calibrate {visible(named)} --output profile.json", None)


def _kinds(given: "Sequence[str] | None") -> "tuple[Kind, ...]":
    from wfgate.calibration import KINDS
    from wfgate.errors import ConfigError

    names = [name.strip() for one in given or KINDS for name in one.split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            raise ConfigError(f"unknown kind {name!r}", fix=f"use one of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


def _note_costs(clients: "Sequence[Client]", project: "Config") -> None:
    for client in clients:
        if client.account.requests or client.account.cached:
            note(f"{client.name}: {account_of(client, project)}")
