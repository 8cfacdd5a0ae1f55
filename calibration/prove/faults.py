"""Kills a calibration at random moments and compares the final profiles.

usage: faults.py [--times N] [--seed N]
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "calibration" / "corpora" / "worfbench"
TIMES = 200
"""Number of kills in the long form."""
GOLDENS = 5
"""Minimum number for a calibration, so that a run takes seconds and many can be killed."""
LONGEST = 600.0
"""Timeout in seconds for a run that is not killed."""
MOMENTS = ("before the first score", "between scores", "after the last score")


@dataclass
class Kills:
    """The results of killed calibrations.

    Attributes:
        seed: Seed of the moments.
        rows: Number of scores of a complete calibration.
        killed: Number of killed processes by the progress at that moment.
        ended: SHA-256 of each profile that was finished in between, and of the last one.
        expected: SHA-256 of the profile of an uninterrupted calibration.
        damaged: Times at which the score table was damaged or a profile was incomplete.
    """

    seed: int
    rows: int
    expected: str
    killed: Counter[str] = field(default_factory=Counter)
    ended: list[str] = field(default_factory=list)
    damaged: int = 0

    @property
    def times(self) -> int:
        """Number of killed processes."""
        return self.killed.total()

    @property
    def holds(self) -> bool:
        """Whether every calibration ended with the same bytes, and no file was ever partly written."""
        return bool(self.ended) and set(self.ended) == {self.expected} and not self.damaged

    def row(self) -> str:
        """Return the row of the table: what, number of kills, result."""
        same = sum(digest == self.expected for digest in self.ended)
        moments = ", ".join(f"{self.killed[moment]} {moment}" for moment in MOMENTS)
        return (
            f"| calibration killed at random moments (seed {self.seed}) | {self.times} kills: {moments} | "
            f"{same} of {len(self.ended)} profiles have the same bytes; {self.damaged} files damaged |"
        )


def kills(times: int = TIMES, seed: int = 0, progress: Callable[[Kills], None] | None = None) -> Kills:
    """Kill a calibration at random moments, resume it each time, and compare the profiles.

    The moments are uniform over the time of an uninterrupted run, which includes loading, scoring, fitting and
    writing. If a run ends before its moment, its profile is compared and the next run starts from scratch.

    Args:
        times: Number of processes to kill.
        seed: Seed of the moments; the progress at each moment depends on the machine.
        progress: Called with the current results after each kill.

    Raises:
        RuntimeError: If a calibration that is not killed fails or does not end.
    """
    rng = random.Random(seed)
    with TemporaryDirectory(prefix="wfgate-") as name:
        folder = Path(name)
        corpus = _smallest(folder / "corpus.jsonl")
        undisturbed = folder / "undisturbed"
        lasted = _ended(corpus, undisturbed)
        expected = _profile(undisturbed)
        found = Kills(seed, _rows(undisturbed), hashlib.sha256(expected).hexdigest())
        while found.times < times:
            place = folder / f"{len(found.ended)}"
            while found.times < times and _calibrate(corpus, place, rng.uniform(0, lasted)) is None:
                found.killed[_moment(place, found.rows)] += 1
                found.damaged += _damaged(place, expected)
                if progress:
                    progress(found)
            if found.times == times:
                _ended(corpus, place)
            found.ended.append(hashlib.sha256(_profile(place)).hexdigest())
        return found


def _smallest(path: Path) -> Path:
    """Write a corpus of the goldens with the fewest steps, with their recorded texts."""
    from wfgate.calibration import read_corpus  # noqa: PLC0415 - slow to import, for those who only read the table

    recorded = [golden for golden in read_corpus([CORPUS]).goldens if golden.texts.rewordings]
    chosen = {golden.id for golden in sorted(recorded, key=lambda golden: (golden.n, golden.id))[:GOLDENS]}
    lines = [line for file in sorted(CORPUS.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    path.write_text("".join(f"{line}\n" for line in lines if json.loads(line)["id"] in chosen), "utf-8")
    return path


def _ended(corpus: Path, folder: Path) -> float:
    """Return the run time in seconds of a calibration that is not killed."""
    lasted = _calibrate(corpus, folder, LONGEST)
    if lasted is None:
        raise RuntimeError(f"the calibration did not end within {LONGEST:.0f} s")
    return lasted


def _calibrate(corpus: Path, folder: Path, moment: float) -> float | None:
    """Return the run time in seconds of a calibration; None if it was killed before its end."""
    command = [sys.executable, "-m", "wfgate", "calibrate", str(corpus), "--output", str(folder / "profile.json")]
    places = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environ = {**os.environ, "PYTHONPATH": places, "WFGATE_CACHE": "off", "OPENBLAS_NUM_THREADS": "1"}
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--jobs", "1"], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, said = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    if process.returncode:
        raise RuntimeError(f"the calibration ended with {process.returncode}: {said.decode(errors='replace')}")
    return time.perf_counter() - started


def _profile(folder: Path) -> bytes:
    return (folder / "profile.json").read_bytes()


def _moment(folder: Path, rows: int) -> str:
    stored = _rows(folder)
    return MOMENTS[0] if stored == 0 else MOMENTS[1] if stored < rows else MOMENTS[2]


def _rows(folder: Path) -> int:
    return sum(int(str(count)) for (count,) in _asked(folder, "SELECT count(*) FROM scores"))


def _damaged(folder: Path, expected: bytes) -> bool:
    """Return whether a killed process left a damaged table, incomplete scores of a golden, or a partial profile."""
    whole = set(_asked(folder, "PRAGMA integrity_check")) <= {("ok",)}
    sizes = set(_asked(folder, "SELECT count(*) FROM scores GROUP BY golden"))  # all have as many variants, or none
    written = folder / "profile.json"
    return not whole or len(sizes) > 1 or (written.exists() and written.read_bytes() != expected)


def _asked(folder: Path, query: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a query on the score table; none if it does not exist yet.

    Reads a copy: opening a table repairs it, which is left to the resumed calibration.
    """
    with TemporaryDirectory(prefix="wfgate-") as name:
        for file in folder.glob("profile.scores.sqlite*"):
            shutil.copy(file, name)
        path = Path(name) / "profile.scores.sqlite"
        if path.exists():
            yield from _answered(path, query)


def _answered(path: Path, query: str) -> Iterator[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'scores'").fetchone()
        if made:
            yield from connection.execute(query)


def main() -> None:
    """Run the kills and print the row."""
    parser = argparse.ArgumentParser(description="Kills a calibration at random moments; prints a row of a table.")
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = kills(asked.times, asked.seed, lambda done: print(f"{done.times} killed", file=sys.stderr, flush=True))
    print(found.row())
    sys.exit(not found.holds)


if __name__ == "__main__":
    main()
