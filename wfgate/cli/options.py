"""Options that several commands share, and what they stand for: settings, workflows, models, a gate."""

import os
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli import completion
from wfgate.cli.grouped_help import RULES, RUN, SCORING
from wfgate.cli.output import STDIN, note

if TYPE_CHECKING:
    from wfgate.base import Store
    from wfgate.decide import Assessor
    from wfgate.errors import ConfigError
    from wfgate.llm import Client, Limits
    from wfgate.read import Formats, Reading
    from wfgate.run import Config, Gate, Revision

STDIN_NAME = "<stdin>"
"""Its name in messages."""


class DataFormat(StrEnum):
    """Output format of commands other than `gate`."""

    TEXT = "text"
    JSON = "json"


ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Configuration file; by default the nearest wfgate.toml.",
        rich_help_panel=RULES,
    ),
]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="ID",
        help="Embedder of step texts: static-minilm (default), sentence-transformers:MODEL or openai:MODEL.",
        autocompletion=completion.ids("wfgate.language.embedders:EMBEDDERS"),
        rich_help_panel=SCORING,
    ),
]
Beta = Annotated[
    float | None,
    typer.Option(
        "--beta",
        metavar="SIMILARITY",
        min=0,
        max=1,
        help="Smallest similarity of matched steps; by default the embedder's (0.05). WorFBench has 0.6.",
    ),
]
MeaningModelName = Annotated[
    str | None,
    typer.Option(
        "--meaning-model",
        metavar="ID",
        help="Model that detects changed meanings: step-equivalence (default) or cross-encoder:MODEL.",
        autocompletion=completion.ids("wfgate.language.meaning:MEANING_MODELS"),
        rich_help_panel=SCORING,
    ),
]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "--metrics",
        metavar="ID",
        help="Metric; repeat the option, or separate ids by commas.",
        autocompletion=completion.ids("wfgate.compare:METRICS"),
        rich_help_panel=SCORING,
    ),
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Language-model judge (extra llm); a grade only makes verdicts stricter.",
        rich_help_panel=SCORING,
    ),
]
ReferencePath = Annotated[
    Path | None,
    typer.Option("--reference", "-r", metavar="PATH", help="Approved workflow, or a folder of them."),
]
ProfileFile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        metavar="FILE",
        help="Fitted profile, or reworded: the shipped one for candidates that keep the steps.",
        autocompletion=completion.words(completion.PROFILES),
        rich_help_panel=RULES,
    ),
]
WaiverFile = Annotated[
    Path | None,
    typer.Option(
        "--waivers",
        metavar="FILE",
        help="Accepted findings; by default the nearest wfgate-waivers.toml.",
        rich_help_panel=RULES,
    ),
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="ID",
        help="Format of the input; by default from [formats] in wfgate.toml, or detected.",
        autocompletion=completion.FORMATS,
    ),
]
OutputFormat = Annotated[DataFormat, typer.Option("--format", "-f", help="Output format.")]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write to a file instead of the terminal; - is standard output."
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model", "-m", metavar="M", help="Language model, or azure:DEPLOYMENT; OPENAI_API_KEY, OPENAI_BASE_URL."
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Do not read cached answers, and do not cache new answers.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, help="Number of processes; by default all cores.", rich_help_panel=RUN
    ),
]


def settings(
    config: Path | None,
    embedder: str | None = None,
    meaning_model: str | None = None,
    metrics: list[str] | None = None,
    judge: str | None = None,
    *,
    profile: Path | None = None,
    waivers: Path | None = None,
    base: "Revision | None" = None,
    format_id: str | None = None,
    beta: float | None = None,
) -> "Config":
    """Return the configuration with the command-line options applied.

    If `base` is given, the configuration is read from this git revision. `format_id` is the format of all files,
    instead of the table `formats`.
    """
    from wfgate.compare import DEFAULT_METRICS, JUDGE
    from wfgate.compare import find as find_metric
    from wfgate.errors import ConfigError
    from wfgate.run import JudgeSettings, load_config

    loaded = load_config(config, Path(), base)
    chosen = listed_ids(metrics)
    model = judge and (loaded.judge or JudgeSettings(model=judge)).model_copy(update={"model": judge})
    asked = model or loaded.judge
    for name in chosen or loaded.metrics:
        find_metric(name)
        if name == JUDGE and not (asked and asked.grades):
            raise ConfigError(f"the metric {name} needs a language model", fix="give --judge MODEL as well")
    computed = tuple(name for name in chosen or loaded.metrics if name != JUDGE)  # the judge grades besides them
    given: dict[str, object] = {
        "embedder": embedder,
        "meaning_model": meaning_model,
        "metrics": computed or DEFAULT_METRICS,
        "profile": profile,
        "waivers": waivers,
        "formats": requested(format_id),
        "judge": model,
    }
    known = {name: value for name, value in given.items() if value}
    return loaded.model_copy(update=known if beta is None else {**known, "beta": beta})


def listed_ids(given: list[str] | None) -> tuple[str, ...]:
    """Return the ids of an option that may be repeated and may have several ids, separated by commas."""
    return tuple(name.strip() for text in given or [] for name in text.split(",") if name.strip())


def requested(format_id: str | None) -> dict[str, str]:
    """Return the requested format as the table `formats` of the configuration; empty without a request.

    Raises:
        ConfigError: If there is no such format.
    """
    from wfgate.read import EVERY, find

    return {} if format_id is None else {EVERY: find(format_id).id}


def read_input(
    path: Path, format_id: str | None = None, config: Path | None = None, like: "Reading | None" = None
) -> "Reading":
    """Return the workflow in a file, read in the requested format or in the one that the configuration names.

    Args:
        path: The file; `-` for standard input.
        format_id: The requested format; None uses the table `formats` of the configuration.
        config: The configuration file; None uses the nearest one.
        like: The golden of a candidate.
    """
    from wfgate.run import load_config

    return read_given(path, requested(format_id) or load_config(config, Path()).formats, like)


def read_given(path: Path, formats: "Formats", like: "Reading | None" = None) -> "Reading":
    """Return the workflow in a file, or in standard input if the path is `-`.

    Args:
        path: The file.
        formats: Format ids by pattern of file names.
        like: The golden of a candidate.

    Raises:
        FormatError: If no workflow can be read; standard input is named `<stdin>`.
    """
    from wfgate.read import MAX_BYTES, decode, format_of, read_file, read_text

    if path == STDIN:
        text = decode(sys.stdin.buffer.read(MAX_BYTES + 1), STDIN_NAME)
        return read_text(text, STDIN_NAME, format_of(None, formats), like=like)
    return read_file(path, format_of(path, formats), like=like)


def assessor_of(config: "Config", *, remember: bool = True) -> "Assessor":
    """Return the assessor (compares and scores) for a configuration.

    Args:
        config: The configuration.
        remember: Whether to keep embeddings and model outputs in the user's cache.
    """
    from wfgate.run import load_assessor

    return load_assessor(config, computed() if remember else None)


def note_costs(client: "Client | None", loaded: "Config") -> None:
    """Write the number of requests to the judge, and their costs, to standard error."""
    if client:
        note(f"judge: {account_of(client, loaded)}")


def account_of(client: "Client", loaded: "Config") -> str:
    """Return the number of requests to a model, and their costs if the configuration contains prices for the model."""
    return client.account.summary(loaded.prices.get(client.name))


def reference_of(given: Path | None, loaded: "Config") -> Path:
    """Return the file or folder of approved workflows.

    Raises:
        ConfigError: If neither the option nor the configuration names a file or folder.
    """
    reference = given or loaded.reference
    if reference is None:
        raise no_reference()
    return reference


def no_reference() -> "ConfigError":
    """Return the error that no reference is named, with what was found of a configuration."""
    from wfgate.errors import ConfigError
    from wfgate.run import found_config

    if (file := found_config(Path())) is not None:
        return ConfigError(f"no reference was given, and {file} sets none", fix="give --reference, or set `reference`")
    return ConfigError(
        "no reference was given, and no wfgate.toml was found in this folder or above it in the repository",
        fix="run the command in the project, give --reference, or write the file: wfgate init",
    )


def gate_of(
    config: "Config",
    *,
    base: "Revision | None" = None,
    authenticated: bool = False,
    keep_pairs: bool = False,
    remember: bool = True,
) -> "Gate":
    """Return the gate for a configuration, with today's date; see `wfgate.run.engine.load_gate`.

    With `authenticated`, or with a base revision, the cache is used only if a secret authenticates it. Without
    `remember` it is not used.
    """
    from wfgate.run import load_gate

    store = computed(authenticated=authenticated or base is not None) if remember else None
    return load_gate(config, datetime.now(tz=UTC).date(), base=base, store=store, keep_pairs=keep_pairs)


def computed(*, authenticated: bool = False) -> "Store | None":
    """Return the cache of this user; see `wfgate.base.user_store`."""
    from wfgate.base import user_store

    return user_store(os.environ, authenticated=authenticated)


def chat_client(model: str, store: "Store | None", limits: "Limits | None" = None) -> "Client":
    """Return a connected client of a language model.

    Args:
        model: Name of the model.
        store: Cache of answers; None for no cache.
        limits: Timeout and concurrency; None uses the defaults.

    Raises:
        LlmServiceError: If the extra `llm` is not installed, or there is no API key.
    """
    from wfgate.llm import Client, Limits

    client = Client(model, store, limits or Limits())
    client.service  # noqa: B018 - connects
    return client


def cores(jobs: int | None) -> int:
    """Return the number of processes."""
    from wfgate.base import processors

    return processors() if jobs is None else jobs
