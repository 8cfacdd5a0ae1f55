"""Options that several commands share, and where output goes."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wfgate.gating.config import Config

ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Configuration file; wfgate.toml is looked for by default.")
]
EmbedderName = Annotated[
    str | None,
    typer.Option("--embedder", help="What embeds step texts: static-minilm, or sentence-transformers:MODEL."),
]
MetricNames = Annotated[
    list[str] | None, typer.Option("--metric", "--metrics", help="Metric id (repeat, or separate by commas).")
]
FormatName = Annotated[str | None, typer.Option("--from", help="Format of the input; by content if not given.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Processes to use; all cores by default.")]


def settings(config: Path | None, embedder: str | None, metrics: list[str] | None) -> "Config":
    """Return the configuration with the flags laid over it."""
    from wfgate.gating.config import load_config

    found = load_config(config, Path.cwd())
    chosen = [name.strip() for given in metrics or [] for name in given.split(",") if name.strip()]
    return found.model_copy(update={"embedder": embedder or found.embedder, "metrics": tuple(chosen) or found.metrics})


def cores(jobs: int | None) -> int:
    """Return how many processes to use."""
    if jobs is not None:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_color() -> bool:
    """Return whether standard output is a terminal that wants colour (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Return the width of the terminal; 80 where there is none."""
    import shutil

    return max(40, shutil.get_terminal_size((80, 24)).columns)


def emit(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file atomically."""
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from wfgate.calibration import write_atomically
    from wfgate.errors import ConfigError

    try:
        write_atomically(output, text)
    except OSError as error:
        raise ConfigError(f"{output}: cannot be written: {error.strerror}", fix="check the path") from error


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*bars, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
