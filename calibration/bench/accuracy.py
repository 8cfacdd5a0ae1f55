"""Accuracy benchmarks: the paper's tables, identity, block rates of damage, regenerations."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from wfgate.calibration import read_corpus
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.reports.paper import TABLES
from wfgate.compare import MetricScore, compare, score
from wfgate.decide import Assessor, Pair, Policy, default_profile
from wfgate.errors import PerturbationRejected
from wfgate.language import load_embedder, load_meaning_model
from wfgate.model import Workflow
from wfgate.run import Gate

sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))

from fit_profile import calibration_goldens

CORPORA = Path(__file__).parents[1] / "corpora"
SEVERITIES = (0.1, 0.3, 0.5)
PAPER_BETA = 0.7
"""Matching threshold with which the metrics of the alignment come closest to Tables 2 and 3 of the paper."""
Scored = Callable[[Workflow, Workflow], Sequence[MetricScore]]
METRICS = ("graph-f1", "chain-f1", "bleu", "gleu", "kendall-tau", "bertscore-static")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(head) + " |\n| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def paper_tables() -> None:
    """Print tables 1-3 of WorkflowPerturb on WorFBench goldens with five or more steps, one variant each.

    Each value is measured as the gate does, and with `PAPER_BETA` and without a meaning model, which would keep pairs
    below this threshold; the paper has no such model.
    """
    print("## The paper's tables\n")
    goldens = [g for g in read_corpus([CORPORA / "worfbench"]).goldens if g.n >= 5]
    assessor, strict = Assessor(load_embedder(), load_meaning_model()), load_embedder(beta=PAPER_BETA)

    def as_the_gate(golden: Workflow, variant: Workflow) -> Sequence[MetricScore]:
        return assessor.assess(golden, variant).scores

    def by_beta(golden: Workflow, variant: Workflow) -> Sequence[MetricScore]:
        return score(compare(golden, variant, strict), METRICS)

    titles = {"missing": "1, Missing", "compressed": "2, Compressed", "description": "3, Description"}
    for operator, title in titles.items():
        means, count = _means(goldens, operator, as_the_gate)
        others, _ = _means(goldens, operator, by_beta)
        print(f"\n### Table {title} ({count} goldens; ours / ours with beta {PAPER_BETA:g} / paper)\n")
        rows = []
        for metric in METRICS:
            name = "bertscore" if metric == "bertscore-static" else metric
            paper = [cell.mean for cell in TABLES[operator][1][name]]
            ours, again = ([found[metric, severity] for severity in SEVERITIES] for found in (means, others))
            worst = [max(abs(a - b) for a, b in zip(found, paper, strict=True)) for found in (ours, again)]
            cells = tuple(f"{a:.3f} / {b:.3f} / {c:.2f}" for a, b, c in zip(ours, again, paper, strict=True))
            target = "<= 0.03" if operator == "missing" and metric != "bertscore-static" else "-"
            rows.append((metric, *cells, " / ".join(f"{each:.3f}" for each in worst), target))
        table(("metric", "10 %", "30 %", "50 %", "largest difference", "target"), rows)


def _means(goldens: list, operator: str, scored: Scored) -> tuple[dict[tuple[str, float], float], int]:
    values: dict[tuple[str, float], list[float]] = {}
    used = set()
    for golden in goldens:
        for severity in SEVERITIES:
            try:
                variant = PlannedVariant(operator, severity, reworded=False).make(golden, seed=0)
            except PerturbationRejected:
                continue
            used.add(golden.id)
            for each in scored(golden.workflow, variant.workflow):
                if each.value is not None:
                    values.setdefault((each.metric, severity), []).append(each.value)
    return {key: float(np.mean(found)) for key, found in values.items()}, len(used)


def identity() -> None:
    """Count the scores of identical and relisted workflows that are not exactly 1.0."""
    print("## Identity\n")
    corpus = read_corpus([CORPORA / "worfbench", CORPORA / "ops", CORPORA / "processtbench" / "goldens.jsonl"])
    assessor = Assessor(load_embedder(), load_meaning_model())
    rows = []
    for operator in ("identity", "relisted"):
        wrong: Counter[str] = Counter()
        done = rejected = 0
        for golden in corpus.goldens:
            try:
                variant = PlannedVariant(operator, 1.0, reworded=False).make(golden, seed=0)
            except PerturbationRejected:
                rejected += 1
                continue
            done += 1
            for each in assessor.assess(golden.workflow, variant.workflow).scores:
                if each.value is not None and each.value != 1.0:
                    wrong[each.metric] += 1
        rows.append((operator, f"{done:,}", f"{rejected}", str(sum(wrong.values())), "0"))
    table(("variant", "goldens", "cannot be relisted (ids shared)", "scores that are not exactly 1.0", "target"), rows)


def regenerations() -> None:
    """Gate acceptable and bad regenerations of operations workflows."""
    print("## Regenerations, default profile\n")
    gate = Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy())
    rows = []
    held_out = {golden.id for golden in calibration_goldens([CORPORA / "ops"]).goldens}
    known = [record for record in records(CORPORA / "ops" / "ops.jsonl") if record["id"] in held_out]
    for kind, key in (("acceptable", "regeneration"), ("bad", "bad_regeneration")):
        verdicts: Counter[str] = Counter()
        for record in known:
            plain = {name: record[name] for name in ("steps", "edges")}
            verdicts[gate.decide(Pair(record["id"], (plain,), record[key])).verdict] += 1
        rows.append((f"operations, {kind}", *verdict_cells(verdicts), "pass" if kind == "acceptable" else "block"))
    table(("regenerations", "pass", "review", "block", "inconclusive", "target"), rows)


def verdict_cells(verdicts: Counter[str]) -> tuple[str, ...]:
    """Return the number of cases by verdict, as table cells."""
    return tuple(str(verdicts[name]) for name in ("pass", "review", "block", "inconclusive"))


def records(path: Path) -> Iterator[dict]:
    """Yield the records of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
