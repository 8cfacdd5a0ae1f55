"""Run time of all checks on large pairs, and how often each check fires on the goldens of the corpora."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable

from accuracy import CORPORA, table

from wfgate.calibration import read_corpus
from wfgate.compare import compare
from wfgate.language import load_embedder
from wfgate.model import END, START, Guard, Link, Semantics, Task, Workflow
from wfgate.rules import lint, review

STEPS = 400
REPEATS = 3
_VERBS = ("build", "test", "deploy", "scan", "sign", "verify", "notify", "approve", "archive", "restore", "rotate")


def checks() -> None:
    """Review pairs of 400 steps with an increasing share of conditions; lint every golden."""
    print("## Checks\n")
    embedder = load_embedder("static-minilm")
    rows = []
    kinds: tuple[Semantics, ...] = ("dag", "token", "state-machine")
    for semantics in kinds:
        for share in (0.0, 0.1, 0.3):
            times, found = [], []
            for seed in range(REPEATS):
                golden = _made(STEPS, semantics, seed, share)
                pair = compare(golden, _changed(golden, seed), embedder)
                begin = time.perf_counter()
                found.append(len(review(pair)))
                times.append(time.perf_counter() - begin)
            findings = str(round(statistics.median(found)))
            slowest = f"{max(times):.2f} s"
            rows.append((semantics, f"{share:.0%}", findings, f"{statistics.median(times):.2f} s", slowest, "<= 1 s"))
    table(("400 steps", "links with a condition", "findings", "median", "slowest", "target"), rows)
    fired: Counter[tuple[str, str]] = Counter()
    goldens = [
        golden.workflow
        for golden in read_corpus([CORPORA / name for name in ("worfbench", "ops", "processtbench")]).goldens
    ]
    for golden in goldens:
        fired.update({(finding.id, finding.severity) for finding in lint(golden)})
    print(f"\nGoldens of the corpora with at least one finding, of {len(goldens)}:\n")
    table(("check", "level", "goldens"), [(*key, f"{count:,}") for key, count in sorted(fired.items())])


def _made(steps: int, semantics: Semantics, seed: int, share: float) -> Workflow:
    """Return a workflow whose steps depend on up to three of the eight before them, with data and failure links."""
    rng = random.Random(seed)
    tasks = tuple(
        Task(
            id=f"t{place}",
            name=f"{rng.choice(_VERBS)} the {rng.choice(_VERBS)} of service {place}",
            outputs=(f"d{place}",) if place % 2 == 0 else (),
            inputs=(f"d{max(0, place - rng.randint(1, 9)) // 2 * 2}",) if place > 2 else (),
            join="any" if rng.random() < 0.2 else None,
        )
        for place in range(steps)
    )
    conditions: tuple[Callable[[], str], ...] = (
        lambda: f"p{rng.randint(0, 30)} < {rng.randint(0, 9)}",
        lambda: f"env{rng.randint(0, 20)} == '{rng.choice('abc')}'",
        lambda: f"startsWith(ref{rng.randint(0, 9)}, '{rng.choice('abc')}')",
    )
    links = [Link(source=START, target="t0")]
    for place in range(1, steps):
        for source in rng.sample(range(max(0, place - 8), place), min(place, rng.choice([1, 1, 2, 3]))):
            guard = Guard(expr=rng.choice(conditions)()) if rng.random() < share else None
            outcome = "failure" if rng.random() < 0.03 else "success"
            links.append(Link(source=f"t{source}", target=f"t{place}", guard=guard, outcome=outcome))
    leading = {link.source for link in links}
    links += [Link(source=task.id, target=END) for task in tasks if task.id not in leading]
    return Workflow(semantics=semantics, tasks=tasks, links=tuple(links))


def _changed(golden: Workflow, seed: int) -> Workflow:
    """Return the golden without one link in fifty and one step in fifty."""
    rng = random.Random(seed + 1_000)
    return golden.model_copy(
        update={
            "tasks": tuple(task for place, task in enumerate(golden.tasks) if place % 50 != 7),
            "links": tuple(link for link in golden.links if rng.random() > 0.02),
        }
    )
