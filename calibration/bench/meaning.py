"""Detection of changed meanings per step, and its cost; measured on held-out goldens."""

import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from accuracy import table
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu
from speed import WFGATE, process_seconds, reworded_files

sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))

from data import DRIFTS, recorded, records
from fit_profile import CORPORA as CALIBRATED
from fit_profile import calibration_goldens
from pairs import part

from wfgate.calibration import Golden
from wfgate.calibration.plan import planned_variants
from wfgate.decide import Assessor
from wfgate.language import TextPair, load_embedder
from wfgate.language.meaning.network import Network, NetworkOutput
from wfgate.language.meaning.step_model import StepModel
from wfgate.model import Workflow

ROOT = Path(__file__).parents[2]
STEP_TARGETS = {"worfbench": (0.98, 0.90, 0.76), "operations": (0.955, 0.80, 0.63)}
LEAST_OF_A_KIND = 0.65
EACH = 16
"""Each golden of so many shows what the networks read."""
POPULATIONS = (
    ("all steps reworded", "description", 1.0),
    ("written anew and accepted", "rewritten", 1.0),
    ("edited by hand and accepted", "edited", 0.1),
)


def meaning() -> None:
    """Print all tables."""
    per_step()
    reading()
    cost()


def per_step() -> None:
    """Print AUC, and the share of changed steps detected at 5 % and 1 % false alarms per step, by corpus and kind."""
    print("## Meaning, one step\n")
    logits: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    pairs = [(record.corpus, *pair) for record in records() if part(record.id) == "dev" for pair in recorded(record)]
    scores = StepModel().compare([(golden, candidate) for _, golden, candidate, _ in pairs])
    for (corpus, _, _, kind), score in zip(pairs, scores, strict=True):
        if np.isfinite(score.logit):
            logits[corpus, kind].append(score.logit)
    rows = []
    for corpus, (area, five, one) in STEP_TARGETS.items():
        benign = np.array(logits[corpus, "equivalent"])
        kinds = {"all drifts": [x for kind in DRIFTS for x in logits[corpus, kind]]}
        kinds |= {kind: logits[corpus, kind] for kind in (*DRIFTS, "vague")}
        for kind, values in kinds.items():
            changed = np.array(values)
            target = (
                f"AUC >= {area}, {five:.0%}, {one:.0%}" if kind == "all drifts" else f"{LEAST_OF_A_KIND:.0%} at 5 %"
            )
            found = (f"{auc(benign, changed):.3f}", *(f"{caught(benign, changed, rate):.1%}" for rate in (0.05, 0.01)))
            rows.append((corpus, kind, f"{len(benign):,} / {len(changed):,}", *found, target))
    table(("corpus", "kind", "rewordings / changes", "AUC", "detected at 5 %", "at 1 %", "target"), rows)


def auc(benign: NDArray[np.float64], changed: NDArray[np.float64]) -> float:
    """Return the probability that a changed step has a lower logit than a rewording."""
    return float(mannwhitneyu(benign, changed).statistic / (len(benign) * len(changed)))


def caught(benign: NDArray[np.float64], changed: NDArray[np.float64], rate: float) -> float:
    """Return the share of changed steps below the `rate` quantile of rewordings."""
    return float((changed < np.quantile(benign, rate)).mean()) if len(changed) else float("nan")


def reading() -> None:
    """Print what each network reads of a candidate, and the time that it takes."""
    print("\n## Meaning, what the networks read\n")
    goldens = calibration_goldens(CALIBRATED).goldens[::EACH]
    rows = []
    for title, operator, severity in POPULATIONS:
        read: dict[Network, list[float]] = {}
        candidates = list(_candidates(goldens, operator, severity))
        assessor = Assessor(load_embedder(), StepModel())
        with patch.object(Network, "readings", _counted(Network.readings, read)):
            for golden, candidate in candidates:
                assessor.assess(golden, candidate)
        rows.append((title, str(len(candidates)), *(_per_candidate(each, len(candidates)) for each in read.values())))
    table(("candidates", "number", "first network: pairs, ms for each candidate", "second network"), rows)


def _counted(readings: Callable[..., Iterator[NetworkOutput]], read: dict[Network, list[float]]) -> Callable[..., Any]:
    """Return a method that adds the seconds of each pair to those of its network; the first network reads first."""

    def counted(network: Network, pairs: Sequence[TextPair]) -> Iterator[NetworkOutput]:
        start = time.perf_counter()
        for reading in readings(network, pairs):
            read.setdefault(network, []).append(time.perf_counter() - start)
            yield reading
            start = time.perf_counter()

    return counted


def _candidates(goldens: Sequence[Golden], operator: str, severity: float) -> Iterator[tuple[Workflow, Workflow]]:
    for golden in goldens:
        for planned in planned_variants(golden):
            if planned.operator == operator and planned.severity == severity:
                yield golden.workflow, planned.make(golden, seed=0).workflow


def _per_candidate(seconds: Sequence[float], candidates: int) -> str:
    return f"{len(seconds) / candidates:.1f}, {1000 * sum(seconds) / candidates:.0f} ms"


def cost() -> None:
    """Print the time for gating a fully reworded pair, cold and warm, and the size of the wheel."""
    print("\n## Meaning, cost\n")
    folder = Path(tempfile.mkdtemp())
    golden, candidate = reworded_files(folder)
    command = [*WFGATE, "gate", str(candidate), "--reference", str(golden)]
    cold = process_seconds(command)
    process_seconds(command, str(folder / "cache"), 1)
    again = process_seconds(command, str(folder / "cache"))
    code = (
        "import sys, time, wfgate; pair = [f'{sys.argv[1]}/golden.json', f'{sys.argv[1]}/candidate.json']\n"
        "wfgate.gate(*pair); start = time.perf_counter()\n"
        "for _ in range(9): wfgate.gate(*pair)\n"
        "print((time.perf_counter() - start) / 9)"
    )
    warm = float(subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, check=True).stdout)
    rows = [
        ("cold process, 10 tasks, all reworded", f"{cold:.2f} s", "<= 2.5 s"),
        ("another process, model outputs in the cache", f"{again:.2f} s", "-"),
        ("warm: the same process again", f"{warm * 1000:.0f} ms", "<= 60 ms; in one process without a memory <= 1 s"),
        ("wheel", f"{_wheel(folder):.1f} MB", "<= 100 MB"),
    ]
    table(("what", "measured", "target"), rows)


def _wheel(folder: Path) -> float:
    """Return the size of the package in MB, compressed like a wheel."""
    path = folder / "wheel.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (ROOT / "wfgate").rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file)
    return path.stat().st_size / 1e6
