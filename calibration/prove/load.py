"""Time and memory for large inputs: suites of many pairs, workflows of many steps, references with many variants.

usage: load.py [small]

Commands run as processes; memory is the peak of all of them together. Cost is linear in the number of pairs of a
suite, and quadratic in the number of steps of a pair, because every step is compared with every other.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from accuracy import table
from scale import watched
from speed import WFGATE, workflows, write_suite

from wfgate.read import write

PAIRS = (1_250, 5_000, 20_000)
STEPS = (500, 1_500, 5_000)
REFERENCES, VARIANTS, SAMPLES = 100, 4, 3
SMALL = 25
"""Factor by which the short form is smaller."""
Row = tuple[str, ...]


def load(smaller: int = 1) -> Iterator[Row]:
    """Yield rows: what, seconds and memory, target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _suites(folder, smaller)
        yield from _steps(folder, smaller)
        yield _variants(folder, smaller)


def _suites(folder: Path, smaller: int) -> Iterator[Row]:
    first = None
    for pairs in (each // smaller for each in PAIRS):
        suite = folder / "suite.jsonl"
        write_suite(suite, pairs)
        command = [*WFGATE, "gate", "--pairs", str(suite), "--format", "json", "--output", str(folder / "out.json")]
        seconds, peak, _ = watched(command, codes=(1,))
        first = first or (seconds / pairs, peak)
        ratio = seconds / pairs / first[0]
        said = f"{seconds:.1f} s, {peak:,.0f} MB; {ratio:.2f} of the first's seconds per pair"
        yield f"a suite of {pairs:,} pairs, {os.cpu_count()} cores", said, "time and memory linear"


def _steps(folder: Path, smaller: int) -> Iterator[Row]:
    for steps in (each // smaller for each in STEPS):
        files = []
        for name, workflow in zip(("golden", "candidate"), workflows(steps), strict=True):
            file = folder / f"{name}.yaml"
            file.write_text(write(workflow, "native"))
            files.append(str(file))
        seconds, peak, _ = watched([*WFGATE, "gate", files[1], "--reference", files[0]], codes=(0, 1))
        yield f"a pair of {steps:,} steps, a third of them reworded", f"{seconds:.1f} s, {peak:,.0f} MB", "ends"


def _variants(folder: Path, smaller: int) -> Row:
    references, generated = folder / "approved", folder / "generated"
    references.mkdir()
    generated.mkdir()
    count = REFERENCES // smaller
    for number in range(count):
        golden, candidate = workflows(8 + number % 12)
        for place in range(VARIANTS):
            mark = f"@{place}" if place else ""
            (references / f"w{number}{mark}.yaml").write_text(write(golden, "native"))
        for place in range(SAMPLES):
            (generated / f"w{number}@{place + 1}.yaml").write_text(write(candidate, "native"))
    seconds, peak, _ = watched([*WFGATE, "gate", str(generated), "--reference", str(references)], codes=(0, 1))
    said = f"{count} references in {VARIANTS} variants, {SAMPLES} samples each"
    return said, f"{seconds:.1f} s, {peak:,.0f} MB", "< 60 s"


if __name__ == "__main__":
    table(("what", "measured", "target"), list(load(SMALL if "small" in sys.argv[1:] else 1)))
