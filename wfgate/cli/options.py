"""Options shared by several commands, and output."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Annotated, NoReturn, TextIO

import typer

from wfgate.cli import completion
from wfgate.cli.grouped_help import RULES, RUN, SCORING

if TYPE_CHECKING:
    from wfgate.base import Store
    from wfgate.decide import Assessor
    from wfgate.errors import ConfigError
    from wfgate.llm import Client, Limits
    from wfgate.read import Formats, Reading
    from wfgate.run import Config, Gate, Revision

STDIN = Path("-")
"""In place of a workflow file: standard input; in place of an output file: standard output."""
STDIN_NAME = "<stdin>"
"""Its name in messages."""
SILENCE = 10.0
"""Seconds between two lines about the progress where there is no terminal."""
SHOWN = 10
"""Number of skipped files and records that are shown."""


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
    from wfgate.compare import DEFAULT_METRICS, LlmJudge
    from wfgate.compare import find as find_metric
    from wfgate.errors import ConfigError
    from wfgate.run import JudgeSettings, load_config

    loaded = load_config(config, Path(), base)
    chosen = listed_ids(metrics)
    model = judge and (loaded.judge or JudgeSettings(model=judge)).model_copy(update={"model": judge})
    asked = model or loaded.judge
    for name in chosen or loaded.metrics:
        find_metric(name)
        if name == LlmJudge.id and not (asked and asked.grades):
            raise ConfigError(f"the metric {name} needs a language model", fix="give --judge MODEL as well")
    computed = tuple(name for name in chosen or loaded.metrics if name != LlmJudge.id)  # the judge grades besides them
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


def note_costs(client: "Client | None", found: "Config") -> None:
    """Write the number of requests to the judge, and their costs, to standard error."""
    if client:
        note(f"judge: {account_of(client, found)}")


def account_of(client: "Client", found: "Config") -> str:
    """Return the number of requests to a model, and their costs if the configuration contains prices for the model."""
    return client.account.summary(found.prices.get(client.name))


def reference_of(given: Path | None, found: "Config") -> Path:
    """Return the file or folder of approved workflows.

    Raises:
        ConfigError: If neither the option nor the configuration names a file or folder.
    """
    reference = given or found.reference
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


def note_refused(refused: Sequence[str], listed: Path | None = None, rest: str = "") -> None:
    """Write a note about the files and records of a corpus that are not used to standard error.

    Args:
        refused: The files and records, each with the reason.
        listed: The report that lists all of them, so that their number is enough here; None writes the first ones.
        rest: How to see those that are not shown.
    """
    if listed is not None:
        if refused:
            note(f"{len(refused):,} of the files and records cannot be used: see {listed}")
        return
    for reason in refused[:SHOWN]:
        note(f"skipped {reason}")
    if len(refused) > SHOWN:
        note(f"skipped {len(refused) - SHOWN:,} more{rest}")


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


def use_color() -> bool:
    """Return whether to print colours: to a terminal that has them, or where `FORCE_COLOR` asks for them.

    `NO_COLOR` wins over both (https://no-color.org, https://force-color.org).
    """
    if os.environ.get("FORCE_COLOR"):
        return not os.environ.get("NO_COLOR")
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns(*, terminal: bool = True) -> int:
    """Return the width that COLUMNS says, else that of the terminal, else 80; for a file no terminal counts."""
    import shutil

    if terminal:
        return max(40, shutil.get_terminal_size((80, 24)).columns)
    given = os.environ.get("COLUMNS", "")
    return max(40, int(given)) if given.isdecimal() and 0 < int(given) < 10_000 else 80


def emit(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file atomically.

    A closed pipe (`| head -1`) is not an error: the command continues and keeps its exit code.

    Raises:
        ConfigError: If the file cannot be written.
    """
    from wfgate.errors import ConfigError, os_words

    text = text if text.endswith("\n") else text + "\n"
    if output is not None and output != STDIN:
        _write(text, output)
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _let_go(sys.stdout)
    except OSError as error:
        _let_go(sys.stdout)
        fix = "free some disk space, or write to a file with --output"
        raise ConfigError(f"standard output cannot be written: {os_words(error)}", fix=fix) from error


@contextmanager
def written(outputs: Sequence[Path | None]) -> Iterator[Callable[[Sequence[str]], None]]:
    """Provide a function that writes texts, one to each output, for a `with` block.

    Files get their name after the block, and only if it did not fail. None is standard output.

    Raises:
        ConfigError: If a file cannot be written.
    """
    with ExitStack() as opened:
        files = [None if output is None else opened.enter_context(_growing(output)) for output in outputs]

        def write(texts: Sequence[str]) -> None:
            for text, output, file in zip(texts, outputs, files, strict=True):
                if output is None or file is None:
                    emit(text, None)
                    continue
                with writing(output):
                    file.write(text.encode())

        yield write


@contextmanager
def _growing(output: Path) -> Iterator[IO[bytes]]:
    from wfgate.base import written_atomically

    make_folder(output)
    special = output.exists() and not output.is_file()  # /dev/stderr, a named pipe
    with output.open("wb") if special else written_atomically(output.resolve()) as file:
        yield file


def note(text: str, fix: str | None = None) -> None:
    """Write a message and its fix to standard error. If this fails, the error is ignored."""
    from wfgate.show import plain

    try:
        sys.stderr.write(f"{plain(text, fix)}\n")
        sys.stderr.flush()
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    """Redirect a closed stream to the null device, so that Python can flush it at exit without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def fail(message: str, code: int, fix: str | None = None) -> NoReturn:
    """Write an error message and its fix, and end the process."""
    note(f"error: {message}", fix)
    sys.exit(code)


def make_folder(file: Path) -> None:
    """Make the folder of an output file, before the work starts whose result goes to the file.

    Raises:
        ConfigError: If the folder cannot be made, or the file is a folder.
    """
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir():
            raise IsADirectoryError(None, "it is a folder")


def _write(text: str, output: Path) -> None:
    from wfgate.base import write_atomically

    with writing(output):
        if output.exists() and not output.is_file() and not output.is_dir():  # /dev/stderr, a named pipe
            output.write_text(text, encoding="utf-8")
        else:
            write_atomically(output.resolve(), text)


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Turn an error of the operating system into one that names the file that cannot be written."""
    from wfgate.errors import ConfigError, os_words

    try:
        yield
    except (OSError, RuntimeError) as error:  # a loop of symbolic links is a RuntimeError before Python 3.13
        raise ConfigError(
            f"{file}: the file cannot be written: {os_words(error)}",
            fix="give another path, or make this path writable",
        ) from error


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show on standard error how many are done, of how many, and the time left.

    In a terminal it is a bar, which disappears at the end. Elsewhere (the log of a build server) it is a line every
    `SILENCE` seconds, so that short runs print nothing.
    """
    if not sys.stderr.isatty():
        yield _progress_lines(label, monotonic)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*bars, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _progress_lines(label: str, clock: Callable[[], float]) -> Callable[[int, int | None], None]:
    """Return a function that writes a line about the progress if the last one is `SILENCE` seconds old.

    Args:
        label: What is done.
        clock: Returns seconds that never go back.
    """
    started = last = clock()

    def show(done: int, total: int | None) -> None:
        nonlocal last
        now = clock()
        if now - last < SILENCE or done == total:
            return
        last = now
        if total is None:
            note(f"{label}: {done:,}")
            return
        left = (now - started) * (total - done) / done if done else None
        note(f"{label}: {done:,} of {total:,}" + ("" if left is None else f", about {_duration(left)} left"))

    return show


def _duration(seconds: float) -> str:
    """Return a duration in the unit that fits: seconds up to two minutes, minutes up to two hours, else hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
