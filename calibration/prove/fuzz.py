"""Gives wfgate broken documents, everywhere where it reads what somebody else wrote, and says what came of it.

usage: fuzz.py [--inputs N] [--seed N] [--jobs N] [--target NAME]... [--large] [--seconds S] [--keep FOLDER]

Whatever the document, nothing but a documented error may come of it, within 5 s, and within 1 GB for one of 5 MB.
Inputs are real documents broken at random (`fuzz_mutate.py`). An input of which something is said that was not said
before is kept and broken further; that is the only guidance: no coverage is measured. Same seed, same inputs. Each
batch runs in a process of its own; what kills that counts as an error, too. Prints Markdown; progress goes to standard
error.

`--large` reads a few hostile documents of 5 MB instead, each for `--seconds` of processor time at most. `--keep`
writes inputs that broke something to a folder, shortened as far as they still do.
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
"""Seconds of processor time for one input."""
PATIENCE = 60.0
"""The same for a document of 5 MB."""
GIVEN_UP = 20
"""Times as long by the clock, and the process is ended: it is in a call that cannot be interrupted."""
MOST_MEMORY = 1024
"""MB of the whole process, its libraries (about 150 MB) among them."""
BATCH = 10_000
POOL = 1_000
"""Documents that are kept to be broken further, the last ones of a batch."""
OF_REFUSED = 0.15
"""Share of inputs that are made from one that was refused."""
SHOWN = 20
"""Faults that are kept of a target, each of another line."""


class TooLongError(BaseException):
    """An input takes too long; no handler of the code under test takes it for an error of its own."""


@dataclass
class Row:
    """What came of the inputs of one target.

    Attributes:
        target: Its name.
        inputs: How many it was given.
        errors: How often what was raised, by name; "accepted" for nothing.
        faults: What should not have happened: its name, where, and an input.
        slowest: Most processor seconds for one input.
        peak: Most memory of a process, in MB.
        about: Which document was the slowest, where it has a name.
    """

    target: str
    inputs: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    slowest: float = 0.0
    peak: float = 0.0
    about: str = ""

    def add(self, other: "Row") -> None:
        """Count another batch of the same target, too."""
        self.inputs += other.inputs
        self.errors.update(other.errors)
        for fault in other.faults:
            self.fault(*fault)
        if other.slowest > self.slowest:
            self.slowest, self.about = other.slowest, other.about
        self.peak = max(self.peak, other.peak)

    def fault(self, name: str, where: str, text: str) -> None:
        """Keep what should not have happened, once for each line of wfgate."""
        known = {(kept, place.partition(": ")[0]) for kept, place, _ in self.faults}
        if len(self.faults) < SHOWN and (name, where.partition(": ")[0]) not in known:
            self.faults.append((name, where, text))


# --- one input, one batch -------------------------------------------------------------------------------------------
@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End what takes longer than that many seconds of processor time."""

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
    """Give a target one input.

    Args:
        target: What is attacked.
        text: The input.
        seconds: Processor time that it may take.

    Returns:
        The name of the error ("accepted" for none), where it was raised if it should not have been, and what was said.
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
    """Return the last line of wfgate that an error came through, and what it said."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "wfgate/" in frame.filename]
    where = f"{frames[-1].filename.rpartition('wfgate/')[2]}:{frames[-1].lineno}" if frames else "outside of wfgate"
    return f"{where}: {str(error)[:80]!r}"


def inputs_of(target: Target, count: int, seed: str, heard: Callable[[str], tuple[str, object]]) -> Iterator[str]:
    """Yield inputs: the seeds as they are, then broken ones.

    Args:
        target: For what.
        count: How many.
        seed: Decides all of them, together with what is said of them.
        heard: Gives an input to the target, and returns "accepted" or the name of an error, and what was said of it.
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
    """Give a target many inputs, in this process.

    Args:
        target: What is attacked.
        count: Inputs.
        seed: Decides them.
        note: Told each input before it is tried.
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
    """Give a target a few hostile documents of 5 MB, in this process, each for as many seconds at most."""
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
    """Return an input that breaks the same, with as much left out as can be."""
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
    """Give all targets that many inputs in all, print a table, and return its rows.

    Args:
        inputs: How many; each target gets its share of them.
        seed: Decides all of them.
        jobs: Processes at a time.
        only: The targets; all by default.
    """
    chosen = {name: target for name, target in targets().items() if not only or name in only}
    whole = sum(target.share for target in chosen.values())
    batches = [
        (number, name, str(min(BATCH, left - number)))
        for name, target in chosen.items()
        for left in [max(1, round(inputs * target.share / whole))]
        for number in range(0, left, BATCH)
    ]
    batches.sort(key=lambda batch: batch[0])  # all targets in turn: a run that is ended early has seen each
    rows = _all(chosen, [[name, count, f"{seed}/{name}/{number}"] for number, name, count in batches], jobs)
    print("## Broken documents\n")
    _show(rows)
    return rows


def large(jobs: int = 1, only: Sequence[str] = (), seconds: float = PATIENCE) -> list[Row]:
    """Give all targets a few hostile documents of 5 MB, print a table, and return its rows.

    Args:
        jobs: Processes at a time.
        only: The targets; all by default.
        seconds: Processor time that a document may take.
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
    """Run a batch in a process of its own; what kills it is an error of its last input."""
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
    """Run one batch, and print its row."""
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
    """Write the inputs that broke something, shortened."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        for name, where, text in row.faults:
            short = shortened(targets()[row.target], text, name, where) if where != "the process" else text
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            path = folder / f"{row.target} {name} {digest}".replace(" ", "-").replace("'", "")
            path.write_bytes(short.encode("utf-8", "surrogatepass"))
            print(f"{row.target}: {name} at {where}\n  {path}: {short[:300]!r}", file=sys.stderr)


def main() -> int:
    """Run what was asked for; 1 if there was a fault."""
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
