"""Run time of each reader on hostile documents of 1 MB, and of recorded runs of 10,000 calls."""

import contextlib
import multiprocessing
import resource
import sys
import time
from pathlib import Path

from accuracy import table

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from read.formats.format_hostile import again_and_again, graphs, long_texts, much_of_anything
from read.formats.format_runs import SOURCES, as_lines

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


CALLS = 10_000
_REPEATING = {"otel messages", "otel events"}
"""Sources in which each prompt repeats all earlier messages: 10,000 calls would be gigabytes."""


def recorded_runs() -> None:
    """Read a run of 10,000 calls of every source, each in a process of its own."""
    print(f"## Recorded runs of {CALLS:,} calls, as JSON Lines\n")
    rows = []
    for source in SOURCES.keys() - _REPEATING:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            size, seconds, before, peak = pool.apply(_run, (source,))
        rows.append((source, f"{size / 1e6:.1f} MB", f"{seconds:.1f} s", f"{peak - before:.0f} MB"))
    table(("source", "file", "reading", "memory beside the file"), sorted(rows))


def _run(source: str) -> tuple[int, float, float, float]:
    """Return the size of a run, the seconds to read it, and the peak memory in MB before and after."""
    turns = [[(f"tool_{at % 7}", {"query": f"number {at}", "limit": at}, True, [])] for at in range(CALLS)]
    data = SOURCES[source](turns)
    if source == "otel":  # as the collector writes it: some spans in each line
        spans = data["resourceSpans"][0]["scopeSpans"][0]["spans"]
        parts = [spans[at : at + 100] for at in range(0, len(spans), 100)]
        data = [{"resourceSpans": [{"scopeSpans": [{"spans": part}]}]} for part in parts]
    text = as_lines(data)
    del data
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    workflow = read_text(text, "run.jsonl").workflow
    seconds = time.process_time() - start
    if len(workflow.tasks) != CALLS:
        raise AssertionError(source)
    return len(text), seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
