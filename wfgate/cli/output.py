"""Output of all commands: text to the terminal or to a file, notes, errors and progress on standard error."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import IO, NoReturn, TextIO

STDIN = Path("-")
"""In place of a workflow file: standard input; in place of an output file: standard output."""
SILENCE = 10.0
"""Seconds between two lines about the progress where there is no terminal."""
SHOWN = 10
"""Number of skipped files and records that are shown."""


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
        label: Words for the work, for example "scoring variants".
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
