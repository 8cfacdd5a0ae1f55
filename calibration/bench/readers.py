"""Run time of each reader on hostile documents of 1 MB, and of recorded runs of 10,000 calls, read and gated."""

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

from wfgate.decide import Assessor, Pair, Policy, default_profile
from wfgate.errors import FormatError
from wfgate.language import load_embedder, load_meaning_model
from wfgate.read import FORMATS, read_text
from wfgate.run import Gate

LARGE = 1_000_000
SMALL = "1. Build the image\n2. Test the image\n3. Deploy the image\n"
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


READ_WITHIN, GATED_WITHIN = 3, 60
"""Targets in seconds."""


def recorded_runs() -> None:
    """Read a run of 10,000 calls of every source, and gate two runs, each in a process of its own."""
    print(f"## Recorded runs of {CALLS:,} calls, as JSON Lines\n")
    rows = []
    for source in SOURCES.keys() - _REPEATING:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            size, seconds, before, peak = pool.apply(_run, (source,))
        row = source, f"{size / 1e6:.1f} MB", f"{seconds:.1f} s", f"<= {READ_WITHIN} s", f"{peak - before:.0f} MB"
        rows.append(row)
    table(("source", "file", "reading", "target", "memory beside the file"), sorted(rows))
    print("\nThe gate of two runs: one argument changed, one call lost, one call new.\n")
    rows = []
    for calls in (CALLS // 10, CALLS):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, peak = pool.apply(_gated, (calls,))
        rows.append((f"{calls:,}", f"{seconds:.1f} s", f"<= {GATED_WITHIN} s", f"{peak:,.0f} MB"))
    table(("calls", "gate", "target", "memory"), rows)


def _turns(calls: int) -> list[list[tuple[str, dict[str, object], bool, list[object]]]]:
    return [[(f"tool_{at % 7}", {"query": f"number {at}", "limit": at}, True, [])] for at in range(calls)]


def _gated(calls: int) -> tuple[float, float]:
    """Return the seconds to gate two runs, and the peak memory in MB."""
    golden, candidate = _turns(calls), _turns(calls)
    candidate[5][0][1]["limit"] = -1
    del candidate[calls // 2]
    candidate.insert(calls // 3, [("log", {"text": "a third"}, True, [])])
    texts = [as_lines(SOURCES["openai chat"](turns)) for turns in (golden, candidate)]
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy())
    gate.decide(Pair("small", (SMALL,), SMALL))  # loads the models
    start = time.process_time()
    verdict = gate.decide(Pair("run", (texts[0],), texts[1])).verdict
    seconds = time.process_time() - start
    if verdict != "block":
        raise AssertionError(verdict)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(source: str) -> tuple[int, float, float, float]:
    """Return the size of a run, the seconds to read it, and the peak memory in MB before and after."""
    data = SOURCES[source](_turns(CALLS))
    for whole, inner, key in (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords")):
        if whole in data:  # as the collector writes them: some in each line
            items = data[whole][0][inner][0][key]
            parts = [items[at : at + 100] for at in range(0, len(items), 100)]
            data = [{whole: [{inner: [{key: part}]}]} for part in parts]
    text = as_lines(data)
    del data
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    workflow = read_text(text, "run.jsonl").workflow
    seconds = time.process_time() - start
    if len(workflow.tasks) != CALLS:
        raise AssertionError(source)
    return len(text), seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
