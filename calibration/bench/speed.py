"""Run time and memory; timings are medians over processes and calls."""

import hashlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

from accuracy import CORPORA, table

from wfgate.compare import compare, score
from wfgate.decide import Pair
from wfgate.language import load_embedder
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.run import Config, load_gate

ROOT = Path(__file__).parents[2]
WFGATE = [sys.executable, "-m", "wfgate"]


def single_pairs() -> None:
    """Measure start-up, a cold gate, warm scoring and memory."""
    print("## Speed\n")
    folder = Path(tempfile.mkdtemp())
    golden, candidate = reworded_files(folder)
    equal = shutil.copy(golden, folder / "equal.json")
    gate = [*WFGATE, "gate", "--reference", str(golden)]
    rows = [
        ("`wfgate --help`", f"{process_seconds([*WFGATE, '--help']):.2f} s", "<= 0.15 s"),
        ("cold `wfgate gate`, ten equal steps", f"{process_seconds([*gate, str(equal)]):.2f} s", "<= 0.8 s"),
        ("the same, all ten reworded", f"{process_seconds([*gate, str(candidate)]):.2f} s", "<= 1.3 s"),
    ]
    shutil.rmtree(folder)
    for n, target in ((10, "<= 3 ms"), (400, "<= 50 ms")):
        rows.append((f"scoring a {n}-task pair, all default metrics", f"{_scoring(n) * 1000:.1f} ms", target))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append(("peak memory of the above", f"{peak:.0f} MB", "< 400 MB"))
    table(("what", "median", "target"), rows)


def fresh_verdict() -> float:
    """Return the median processor time, in seconds, of a verdict on ten reworded steps, on one core.

    The models are loaded, but no text was seen before. A separate process measures: it is bound to one core where the
    system allows this. On an idle core, the processor time is the run time.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_fresh_verdicts).result()


def _fresh_verdicts() -> float:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    gate, times = load_gate(Config(), date.min), []
    for number, (golden, candidate) in enumerate(itertools.islice(_reworded(), 21)):
        start = time.process_time()
        gate.decide(Pair(str(number), (golden,), candidate))
        times.append(time.process_time() - start)
    return statistics.median(times[1:])  # the first one loads the models


def _reworded() -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    """Yield goldens of ten steps, and the same with each step reworded."""
    for line in (CORPORA / "ops" / "further.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if len(record["steps"]) >= 10:
            golden, candidate = ({"wfgate": "1", "steps": record[key][:10]} for key in ("steps", "paraphrase_a"))
            yield golden, candidate


def reworded_files(folder: Path) -> tuple[Path, Path]:
    """Write a golden of ten steps and a candidate with each step reworded, and return their paths."""
    paths = folder / "golden.json", folder / "candidate.json"
    for path, workflow in zip(paths, next(_reworded()), strict=True):
        path.write_text(json.dumps(workflow), encoding="utf-8")
    return paths


def suite() -> None:
    """Measure a suite of 5,000 pairs."""
    print("## Suite\n")
    folder = Path(tempfile.mkdtemp())
    pairs = folder / "suite.jsonl"
    write_suite(pairs, 5000)
    command = [*WFGATE, "gate", "--pairs", str(pairs), "--format", "json", "--output", str(folder / "out.json")]
    start = time.perf_counter()
    code = subprocess.run(command, check=False, capture_output=True).returncode
    seconds = time.perf_counter() - start
    cases = len(json.loads((folder / "out.json").read_text())["cases"])
    table(
        ("what", "measured", "target"),
        [(f"{cases:,} pairs, {os.cpu_count()} cores (exit {code})", f"{seconds:.1f} s", "< 60 s")],
    )
    shutil.rmtree(folder)


def write_suite(path: Path, pairs: int) -> None:
    """Write a suite of goldens from the corpora."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(suite_lines(pairs))


def suite_lines(pairs: int, name: Callable[[int], str] = str) -> Iterator[str]:
    """Yield the lines of a suite of goldens, half compared with themselves, half with another golden."""
    records = [json.loads(line) for line in (CORPORA / "worfbench" / "goldens.jsonl").read_text().splitlines()]
    for number in range(pairs):
        golden, other = records[number % len(records)], records[(number * 7 + 1) % len(records)]
        candidate = golden if number % 2 else other
        yield json.dumps({"id": name(number), "golden": golden["workflow"], "candidate": candidate["workflow"]}) + "\n"


def calibration() -> None:
    """Calibrate on 10,000 variants, without interruption and killed at random moments."""
    print("## Calibration\n")
    folder = Path(tempfile.mkdtemp())
    command = [*WFGATE, "calibrate", str(CORPORA / "worfbench"), str(CORPORA / "ops"), "--sample", "160"]
    whole = folder / "whole" / "profile.json"
    start = time.perf_counter()
    subprocess.run([*command, "--output", str(whole)], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    planned = json.loads(whole.read_text())["corpus"]
    variants = planned["variants"] + sum(count for *_, count in planned["rejected"])
    killed = folder / "killed" / "profile.json"
    moments = random.Random(7)
    kills = 0
    while not killed.exists():
        process = subprocess.Popen(
            [*command, "--output", str(killed)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=moments.uniform(2, 6) if kills < 4 else None)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    same = _digest(whole) == _digest(killed)
    table(
        ("what", "measured", "target"),
        [
            (f"{variants:,} variants, {os.cpu_count()} cores", f"{seconds:.0f} s", "10,000 in <= 120 s"),
            (f"killed {kills} times and restarted", "the same bytes" if same else "OTHER BYTES", "the same bytes"),
        ],
    )
    shutil.rmtree(folder)


def process_seconds(command: Sequence[str], cache: str = "off", repeats: int = 7) -> float:
    """Return the median seconds of a process that ends with exit code 0.

    Args:
        command: The command.
        cache: Folder of the cache; "off" for none.
        repeats: Number of processes.
    """
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, env={**os.environ, "WFGATE_CACHE": cache})
        times.append(time.perf_counter() - start)
        if done.returncode:
            raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr.decode()}")
    return statistics.median(times)


def _scoring(n: int, repeats: int = 15) -> float:
    """Return the median seconds for comparing and scoring with cached embeddings."""
    golden, candidate = workflows(n)
    embedder = load_embedder()
    score(compare(golden, candidate, embedder))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        score(compare(golden, candidate, embedder))
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def workflows(n: int) -> tuple[Workflow, Workflow]:
    """Return a golden of recorded steps and a candidate with a third of them reworded and a few reordered."""
    steps = []
    for line in (CORPORA / "steps" / "variants.jsonl").read_text().splitlines():
        record = json.loads(line)
        steps += list(zip(record["steps"], record["paraphrase_a"], strict=True))
    times = range(-(-n // len(steps)))  # if n exceeds the number of steps, repeated steps get a number
    chosen = [
        (f"{text} in region {time}", f"{reworded} in region {time}") if time else (text, reworded)
        for time in times
        for text, reworded in steps
    ][:n]
    texts = [reworded if number % 3 == 0 else text for number, (text, reworded) in enumerate(chosen)]
    for place in range(5, n - 1, 40):
        texts[place], texts[place + 1] = texts[place + 1], texts[place]
    return _branching([text for text, _ in chosen]), _branching(texts)


def _branching(texts: list[str]) -> Workflow:
    """Return a workflow in which every third step forks into two steps that join again."""
    ids = [f"t{number}" for number in range(len(texts))]
    links = [Link(source=START, target=ids[0]), Link(source=ids[-1], target=END)]
    for number in range(len(ids) - 1):
        links.append(Link(source=ids[number], target=ids[number + 1]))
        if number % 3 == 0 and number + 2 < len(ids):
            links.append(Link(source=ids[number], target=ids[number + 2]))
    tasks = tuple(Task(id=task, name=text) for task, text in zip(ids, texts, strict=True))
    return Workflow(name="bench", tasks=tasks, links=tuple(links))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
