"""Fuzzes all readers and parsers of foreign input with malformed documents and reports errors, time and memory.

usage: fuzz.py [--inputs N] [--seed N] [--jobs N] [--target NAME]... [--large] [--seconds S] [--keep FOLDER]

For any document, only a documented error may occur, within 5 s; for a document of 5 MB, within 1 GB of memory.
Inputs are real documents with random mutations (`fuzz_mutate.py`). An input that gives a message not seen before is
kept and mutated further; code coverage is not measured. The same seed gives the same inputs. Each batch runs in its
own process; a killed process counts as an error. Prints Markdown to standard output and progress to standard
error.

`--large` reads a few hostile documents of 5 MB instead, each for at most `--seconds` of processor time. `--keep`
writes failing inputs to a folder, shortened as far as they still fail.
"""

import argparse
import hashlib
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("calibration/prove", "calibration/bench", "tests")]
from accuracy import table  # noqa: E402
from fuzz_large import LARGE, large_documents  # noqa: E402
from fuzz_mutate import mutated  # noqa: E402
from fuzz_targets import Target, documented, targets  # noqa: E402

LONGEST = 5.0
"""Limit for one input, in seconds of processor time."""
PATIENCE = 60.0
"""Limit for a document of 5 MB, in seconds of processor time."""
GIVEN_UP = 20
"""Factor on the limit in wall-clock time after which the process is killed: it hangs in an uninterruptible call."""
MOST_MEMORY = 1024
"""Memory limit of the process in MB, including libraries (about 150 MB)."""
BATCH = 10_000
POOL = 1_000
"""Maximum number of documents of a batch that are kept for further mutation; the last ones are kept."""
OF_REFUSED = 0.15
"""Share of inputs that are made from a refused one."""
SHOWN = 20
"""Maximum number of faults kept per target, one per line of code."""


class TooLongError(BaseException):
    """The time limit was exceeded. Not an `Exception`, so that the code under test does not catch it."""


@dataclass
class Row:
    """The results of the inputs of one target.

    Attributes:
        target: Name of the target.
        inputs: Number of inputs.
        errors: Number of inputs by name of the error; "accepted" without an error.
        faults: Undocumented errors: name, location and an input.
        slowest: Maximum processor time for one input, in seconds.
        peak: Peak memory of a process, in MB.
        about: Name of the slowest document, if it has one.
    """

    target: str
    inputs: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    slowest: float = 0.0
    peak: float = 0.0
    about: str = ""

    def add(self, other: "Row") -> None:
        """Add the results of another batch of the same target."""
        self.inputs += other.inputs
        self.errors.update(other.errors)
        for fault in other.faults:
            self.fault(*fault)
        if other.slowest > self.slowest:
            self.slowest, self.about = other.slowest, other.about
        self.peak = max(self.peak, other.peak)

    def fault(self, name: str, where: str, text: str) -> None:
        """Record a fault, once per line of wfgate."""
        known = {(kept, place.partition(": ")[0]) for kept, place, _ in self.faults}
        if len(self.faults) < SHOWN and (name, where.partition(": ")[0]) not in known:
            self.faults.append((name, where, text))


# --- one input, one batch -------------------------------------------------------------------------------------------
@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `Overdue` after this many seconds of processor time."""

    def ended(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, ended)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    signal.alarm(int(GIVEN_UP * seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.alarm(0)
        signal.signal(signal.SIGVTALRM, before)


def attempt(target: Target, text: str, seconds: float = LONGEST) -> tuple[str, str, object]:
    """Run a target on one input.

    Args:
        target: The target.
        text: The input.
        seconds: Limit of processor time.

    Returns:
        The name of the error ("accepted" for none), the location of an undocumented error, and the message.
    """
    try:
        with _limited(seconds):
            return "accepted", "", target.read(text)
    except TooLongError as error:
        return f"over {seconds:g} s", _place(error), "too long"
    except Exception as error:  # noqa: BLE001 - all of them are what is looked for
        name = type(error).__name__
        if documented(error):
            return name, "", (name, _said(error))
        return name, _place(error), name


def _said(error: Exception) -> str:
    from fuzz_targets import said  # noqa: PLC0415 - beside `documented`

    return said(getattr(error, "message", str(error)))


def _place(error: BaseException) -> str:
    """Return the innermost line of wfgate in the traceback, and the message."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "wfgate/" in frame.filename]
    where = f"{frames[-1].filename.rpartition('wfgate/')[2]}:{frames[-1].lineno}" if frames else "outside of wfgate"
    return f"{where}: {str(error)[:80]!r}"


def inputs_of(target: Target, count: int, seed: str, heard: Callable[[str], tuple[str, object]]) -> Iterator[str]:
    """Yield inputs: first the seeds, then mutated ones.

    Args:
        target: The target.
        count: Number of inputs.
        seed: Seed; the inputs depend on it and on the results of earlier inputs.
        heard: Runs the target on an input; returns "accepted" or the name of an error, and the message.
    """
    rng = random.Random(seed)
    seeds = list(target.seeds())
    read, refused, known = list(seeds), [], set()
    for number in range(count):
        pool = refused if refused and rng.random() < OF_REFUSED else read
        text = seeds[number] if number < len(seeds) else mutated(rng, pool, target.notation)
        name, said = heard(text)
        if said not in known and number >= len(seeds):
            kept = read if name == "accepted" else refused
            kept[: max(0, len(kept) - POOL)] = []
            kept.append(text)
        known.add(said)
        yield text


def hammer(target: Target, count: int, seed: str, note: Callable[[str], object] = str) -> Row:
    """Run a target on many inputs in this process.

    Args:
        target: The target.
        count: Number of inputs.
        seed: Seed of the inputs.
        note: Called with each input before it is tried.
    """
    row = Row(target.id)

    def heard(text: str) -> tuple[str, object]:
        note(text)
        start = time.process_time()
        name, where, said = attempt(target, text)
        seconds = time.process_time() - start
        row.inputs += 1
        row.errors[name] += 1
        row.slowest = max(row.slowest, seconds)
        if where:
            row.fault(name, where, text)
        return name, said

    for _ in inputs_of(target, count, seed, heard):
        pass
    row.peak = _peak()
    return row


def hammer_large(target: Target, seconds: float = PATIENCE, note: Callable[[str], object] = str) -> Row:
    """Run a target on a few hostile documents of 5 MB in this process, each with a time limit."""
    row = Row(target.id)
    for name, text in large_documents(target):
        note(name)
        start = time.process_time()
        error, where, _ = attempt(target, text, seconds)
        spent = time.process_time() - start
        row.inputs += 1
        row.errors[error] += 1
        if where:
            row.faults.append((error, where, name))
        if spent > row.slowest:
            row.slowest, row.about = spent, name
        before, row.peak = row.peak, _peak()
        if row.peak > MOST_MEMORY >= before:
            row.faults.append(("over 1 GB", f"{row.peak:.0f} MB", name))
    return row


def _peak() -> float:
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (2**20 if sys.platform == "darwin" else 2**10)


def shortened(target: Target, text: str, name: str, where: str, tries: int = 400) -> str:
    """Return a shortened input that causes the same fault."""
    place, size = where.partition(": ")[0], max(1, len(text) // 2)
    while size and tries:
        start = 0
        while start < len(text) and tries:
            tries -= 1
            shorter = text[:start] + text[start + size :]
            found, there, _ = attempt(target, shorter)
            if (found, there.partition(": ")[0]) == (name, place):
                text = shorter
            else:
                start += size
        size //= 2
    return text


# --- all ----------------------------------------------------------------------------------------------------------
def fuzz(inputs: int, seed: int = 0, jobs: int = 1, only: Sequence[str] = ()) -> list[Row]:
    """Run all targets on a total number of inputs, print a table, and return its rows.

    Args:
        inputs: Total number of inputs, divided among the targets.
        seed: Seed of the inputs.
        jobs: Number of parallel processes.
        only: The targets; by default all.
    """
    chosen = {name: target for name, target in targets().items() if not only or name in only}
    whole = sum(target.share for target in chosen.values())
    batches = [
        (number, name, str(min(BATCH, left - number)))
        for name, target in chosen.items()
        for left in [max(1, round(inputs * target.share / whole))]
        for number in range(0, left, BATCH)
    ]
    batches.sort(key=lambda batch: batch[0])  # targets take turns, so that an interrupted run has covered each
    rows = _all(chosen, [[name, count, f"{seed}/{name}/{number}"] for number, name, count in batches], jobs)
    print("## Malformed documents\n")
    _show(rows)
    return rows


def large(jobs: int = 1, only: Sequence[str] = (), seconds: float = PATIENCE) -> list[Row]:
    """Run all targets on a few hostile documents of 5 MB, print a table, and return its rows.

    Args:
        jobs: Number of parallel processes.
        only: The targets; by default all.
        seconds: Limit of processor time per document.
    """
    chosen = {name: target for name, target in targets().items() if not only or name in only}
    rows = _all(chosen, [[name, "large", str(seconds)] for name in chosen], jobs)
    print(f"## Hostile documents of {LARGE / 1e6:.0f} MB\n")
    _show(rows)
    return rows


def _all(chosen: dict[str, Target], batches: Sequence[list[str]], jobs: int) -> list[Row]:
    rows = {name: Row(name) for name in chosen}
    with ThreadPoolExecutor(jobs) as pool:
        for number, row in enumerate(pool.map(_in_a_process, batches), start=1):
            rows[row.target].add(row)
            done = f"{number} of {len(batches)} batches, {sum(each.inputs for each in rows.values()):,} inputs"
            print(f"{done}: {row.target}: {dict(row.errors)}, {row.slowest:.2f} s", file=sys.stderr)
            for name, where, text in row.faults:
                print(f"  {name} at {where}: {text[:300]!r}", file=sys.stderr)
            sys.stderr.flush()
    return list(rows.values())


def _in_a_process(batch: list[str]) -> Row:
    """Run a batch in its own process; if that dies, it is an error of the last input."""
    with tempfile.TemporaryDirectory() as folder:
        last = Path(folder) / "last"
        command = [sys.executable, __file__, "--batch", *batch, str(last)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode == 0:
            found = json.loads(done.stdout)
            return Row(
                **found | {"errors": Counter(found["errors"]), "faults": [tuple(each) for each in found["faults"]]}
            )
        number, _, text = last.read_text("utf-8", "surrogatepass").partition("\n") if last.exists() else ("0", "", "")
        died = (
            f"ended by {signal.Signals(-done.returncode).name}" if done.returncode < 0 else f"exit {done.returncode}"
        )
        return Row(batch[0], int(number), Counter({died: 1}), [(died, "the process", text)])


def _batch(name: str, count: str, seed: str, last: str) -> None:
    """Run one batch and print its row."""
    target, number = targets()[name], 0

    with Path(last).open("w+", encoding="utf-8", errors="surrogatepass", newline="") as noted:

        def note(text: str) -> None:
            nonlocal number
            number += 1
            noted.seek(0)
            noted.truncate()
            noted.write(f"{number}\n{text}")
            noted.flush()

        row = hammer_large(target, float(seed), note) if count == "large" else hammer(target, int(count), seed, note)
    print(json.dumps(vars(row)))


def _show(rows: Sequence[Row]) -> None:
    table(
        ("target", "inputs", "what came of them", "not documented", "slowest", "peak memory"),
        [
            (
                row.target,
                f"{row.inputs:,}",
                ", ".join(f"{name} {count:,}" for name, count in row.errors.most_common()),
                ", ".join(sorted({fault[0] for fault in row.faults})) or "none",
                f"{row.slowest:.2f} s{f' ({row.about})' if row.about else ''}".replace("|", "\\|"),
                f"{row.peak:.0f} MB",
            )
            for row in rows
        ],
    )
    total, faults = sum(row.inputs for row in rows), sum(len(row.faults) for row in rows)
    print(f"\n{total:,} inputs, {faults} distinct faults.\n", flush=True)


def _keep(rows: Sequence[Row], folder: Path) -> None:
    """Write the failing inputs, shortened."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        for name, where, text in row.faults:
            short = shortened(targets()[row.target], text, name, where) if where != "the process" else text
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            path = folder / f"{row.target} {name} {digest}".replace(" ", "-").replace("'", "")
            path.write_bytes(short.encode("utf-8", "surrogatepass"))
            print(f"{row.target}: {name} at {where}\n  {path}: {short[:300]!r}", file=sys.stderr)


def main() -> int:
    """Run the fuzzer; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--target", action="append", default=[], choices=list(targets()))
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--seconds", type=float, default=PATIENCE)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--batch", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.batch:
        _batch(*given.batch)
        return 0
    only = given.target
    rows = large(given.jobs, only, given.seconds) if given.large else fuzz(given.inputs, given.seed, given.jobs, only)
    if given.keep:
        _keep(rows, given.keep)
    return int(any(row.faults for row in rows))


if __name__ == "__main__":
    sys.exit(main())
