"""Time and memory of large runs.

Suites of up to 100,000 pairs, a pair of 5,000 steps, and a calibration of the paper's size (44,757 variants) with an
estimate for enumerating all orders.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import networkx as nx
from accuracy import CORPORA, table
from speed import workflows, write_suite

from wfgate.calibration import Corpus, read_corpus
from wfgate.calibration.plan import planned_variants
from wfgate.errors import PerturbationRejected
from wfgate.model import TaskGraph, Workflow
from wfgate.read import write

VARIANTS = 44_757
ORDERS = 3_000
"""Number of orders that are enumerated to measure the time for one."""
SETS = 200_000
"""Sets of finished steps that are looked at to count the orders of one workflow; one with more is left out, which
flatters enumeration."""
NAMES = ("worfbench", "ops", "steps")
SUITES = {1_000: "", 20_000: "120 s", 100_000: "the same memory as 20,000"}
"""Numbers of pairs, with the target."""
PLANNED = 1_000_000
"""Number of pairs that is planned from the two largest measured suites."""
STEPS = 5_000
LONG = "15 s and 1,000 MB"
"""Target for a pair of `STEPS` steps."""


def scale() -> None:
    """Measure scoring and fitting: cold, resumed with a complete table, and compared with enumeration."""
    print(f"## {VARIANTS:,} variants\n")
    corpus = _sampled(read_corpus([CORPORA / name for name in NAMES]))
    folder = Path(tempfile.mkdtemp())
    command = [sys.executable, "-m", "wfgate", "calibrate", *(str(CORPORA / name) for name in NAMES)]
    command += ["--sample", str(len(corpus.goldens)), "--output", str(folder / "profile.json")]
    cold, peak, said = watched([*command, "--verbose"], errors=folder / "stages")
    again, _, resumed = watched(command)
    said, resumed = (re.findall(r"[\d,]+ scored in this run", " ".join(text.split()))[0] for text in (said, resumed))
    orders, estimated = _enumeration(corpus)
    rows = [
        (f"scored and fitted, cold, {os.cpu_count()} cores: {said}", f"{cold:.0f} s", "<= 600 s"),
        ("peak memory of all processes together", f"{peak:.0f} MB", "<= 1,000 MB"),
        (f"again: {resumed}", f"{again:.0f} s", "0 scored"),
        (f"chain F1 by enumerating {orders:.3g} pairs of topological orders, estimated", f"{estimated:.3g} s", "-"),
        ("ratio of that to the whole run", f"{estimated / cold:.3g}", "-"),
    ]
    table(("what", "measured", "target"), rows)
    print("\n### Processor time of the cold run by stage\n")
    stages = [line.split() for line in (folder / "stages").read_text().splitlines() if line.endswith("%")]
    table(("stage", "seconds", "share"), [(" ".join(name), spent, share) for *name, spent, _, share in stages])
    shutil.rmtree(folder)


def suites() -> None:
    """Measure suites written as JSON Lines, and a pair of many steps. Texts repeat from the 3,510th pair on."""
    print("## Large suites\n")
    folder = Path(tempfile.mkdtemp())
    gate = [sys.executable, "-m", "wfgate", "gate"]
    costs = {}
    for pairs in SUITES:
        write_suite(folder / "suite.jsonl", pairs)
        command = [*gate, "--pairs", str(folder / "suite.jsonl"), "--format", "jsonl", "--output", str(folder / "out")]
        costs[pairs] = Cost.of(command)
    rows = [(f"{pairs:,} pairs, {os.cpu_count()} cores", *cost.row(), SUITES[pairs]) for pairs, cost in costs.items()]
    *_, (fewer, less), (more, most) = costs.items()
    planned = less.extended(most, (PLANNED - fewer) / (more - fewer))
    rows.append((f"{PLANNED:,} pairs, planned from the line through the two rows above", *planned.row(), ""))
    for name, workflow in zip(("golden", "candidate"), workflows(STEPS), strict=True):
        (folder / f"{name}.yaml").write_text(write(workflow, "native"), encoding="utf-8")
    command = [*gate, str(folder / "candidate.yaml"), "--reference", str(folder / "golden.yaml")]
    rows.append((f"one pair of {STEPS:,} steps, a third reworded", *Cost.of(command).row(), LONG))
    table(("what", "run time", "processor time", "peak memory of all processes", "target"), rows)
    shutil.rmtree(folder)


class Cost(NamedTuple):
    """Run time and processor time in seconds, and peak memory of all processes in MB."""

    seconds: float
    processor: float
    memory: float

    @classmethod
    def of(cls, command: list[str]) -> "Cost":
        """Run a command that finds regressions."""
        before = os.times()
        seconds, peak, _ = watched(command, codes=(1,))
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return cls(seconds, cpu, peak)

    def extended(self, other: "Cost", times: float) -> "Cost":
        """Return the cost on the line from this one through another one, the given number of times as far."""
        return Cost(*(mine + times * (its - mine) for mine, its in zip(self, other, strict=True)))

    def row(self) -> tuple[str, str, str]:
        """Return the cells of a table."""
        return f"{self.seconds:.0f} s", f"{self.processor:.0f} s", f"{self.memory:.0f} MB"


def _sampled(corpus: Corpus) -> Corpus:
    """Return goldens for the paper's number of variants."""
    size = len(corpus.goldens)
    low, high = 1, size
    while low < high:
        middle = (low + high) // 2
        planned = sum(1 for golden in corpus.sample(middle).goldens for _ in planned_variants(golden))
        low, high = (low, middle) if planned >= VARIANTS else (middle + 1, high)
    return corpus.sample(low)


def watched(
    command: list[str], codes: Collection[int] = (0,), errors: Path = Path(os.devnull)
) -> tuple[float, float, str]:
    """Run a command; return seconds, peak memory in MB, and its output.

    Args:
        command: The command.
        codes: Allowed exit codes.
        errors: File for what the command writes to standard error.
    """
    start = time.perf_counter()
    environment = {**os.environ, "WFGATE_CACHE": "off", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as out, errors.open("w") as noted:  # a full pipe would block the process
        process = subprocess.Popen(command, stdout=out, stderr=noted, env=environment)
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, _memory(process.pid))
            time.sleep(0.2)
        seconds = time.perf_counter() - start
        out.seek(0)
        said = out.read()
    if process.returncode not in codes:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return seconds, peak, said


def _memory(root: int) -> float:
    """Return the memory of a process tree in MB, counting shared pages once; 0 if the system does not report it."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = {root}
    while new := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= new
    total = 0
    for pid in family:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1000


def _enumeration(corpus: Corpus) -> tuple[float, float]:
    """Return the number of pairs of orders of all variants, and the estimated seconds for enumerating them."""
    pairs = 0.0
    each = _seconds_per_pair(corpus)
    for golden in corpus.goldens:
        mine = _orders(golden.workflow)
        for planned in planned_variants(golden):
            try:
                variant = planned.make(golden, seed=0)
            except PerturbationRejected:
                continue
            pairs += mine * _orders(variant.workflow)
    return pairs, pairs * each


def _orders(workflow: Workflow) -> float:
    """Return the number of topological orders, counted over sets of finished steps; 0 if there are too many sets."""
    graph = TaskGraph.of(workflow)
    before = [sum(1 << p for p in graph.predecessors[task]) for task in range(graph.n)]
    counts = {0: 1.0}
    for _ in range(graph.n):
        grown: dict[int, float] = {}
        for done, count in counts.items():
            for task in range(graph.n):
                if not done >> task & 1 and before[task] & ~done == 0:
                    grown[done | 1 << task] = grown.get(done | 1 << task, 0.0) + count
        counts = grown
        if len(counts) > SETS:
            return 0.0
    return sum(counts.values())


def _seconds_per_pair(corpus: Corpus) -> float:
    """Return the seconds for one pair of orders: the longest increasing subsequence, as computed by WorFEval."""
    golden = max(corpus.goldens, key=lambda golden: (_orders(golden.workflow), golden.id))
    graph = nx.DiGraph(sorted(golden.graph.edges))
    graph.add_nodes_from(range(golden.n))
    start = time.perf_counter()
    found = 0
    first = {task: place for place, task in enumerate(next(nx.all_topological_sorts(graph)))}
    for order in itertools.islice(nx.all_topological_sorts(graph), ORDERS):
        ends: list[int] = []
        for task in order:
            place = bisect_left(ends, first[task])
            ends[place : place + 1] = [first[task]]
        found += 1
    return (time.perf_counter() - start) / found
