"""Run time of each reader on hostile documents of 1 MB."""

import contextlib
import sys
import time
from pathlib import Path

from accuracy import table

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from read.formats.format_hostile import again_and_again, graphs, long_texts, much_of_anything

from wfgate.errors import FormatError
from wfgate.read import FORMATS, read_text

LARGE = 1_000_000
ENOUGH = 0.05
"""Seconds for a sixteenth of the size. Faster readers are skipped: even in quadratic time they are near the limit."""


def readers() -> None:
    """Read documents of every kind with every reader; print the slowest for each reader."""
    print("## Readers: hostile documents of 1 MB\n")
    rows = []
    for format_id in FORMATS:
        count, slowest = 0, (0.0, "none of them")
        for kind in (graphs, long_texts, much_of_anything, again_and_again):
            for name, make in kind(format_id):
                count += 1
                if _seconds(make(LARGE // 16), format_id) > ENOUGH:
                    slowest = max(slowest, (_seconds(make(LARGE), format_id), f"{kind.__name__}: {name}"))
        rows.append((format_id, str(count), f"{slowest[0]:.1f} s", "<= 5 s", slowest[1].replace("|", "\\|")))
        print(f"{format_id}: {slowest[0]:.1f} s", file=sys.stderr, flush=True)
    table(("reader", "documents", "slowest", "target", "which"), rows)


def _seconds(text: str, format_id: str) -> float:
    start = time.process_time()
    with contextlib.suppress(FormatError):
        read_text(text, "x", format_id)
    return time.process_time() - start
