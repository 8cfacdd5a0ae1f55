"""How often harmless workflows contain an exact contradiction, which leads to a review.

Populations: full and partial rewordings of the goldens with recorded rewordings (one variant in seven), and workflows
that were written anew from the same brief and accepted by blind reviewers (the half of the corpus for fitting).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accuracy import table

from wfgate.calibration import read_corpus
from wfgate.calibration.plan import planned_variants
from wfgate.compare import Comparison, compare
from wfgate.errors import PerturbationRejected
from wfgate.language import StaticEmbedder, contradictions
from wfgate.read import read_data

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"
EVERY = 7


def harmless_contradictions() -> None:
    """Print the share of harmless workflows, and of changed steps in them, with an exact contradiction."""
    print("## Exact contradictions in harmless workflows\n")
    embedder, counts = StaticEmbedder(), Counter[tuple[str, str]]()
    for golden in read_corpus([CORPORA / name for name in ("ops", "steps", "worfbench")]).goldens:
        for variant in planned_variants(golden):
            name = f"{golden.id}/{variant.operator}/{variant.severity}/{variant.repeat}"
            chosen = variant.benign and variant.operator in {"description", "regenerated"}
            if not chosen or int(hashlib.sha256(name.encode()).hexdigest(), 16) % EVERY:
                continue
            try:
                candidate = variant.make(golden, seed=0).workflow
            except PerturbationRejected:
                continue
            _count(counts, f"reworded ({variant.operator})", compare(golden.workflow, candidate, embedder))
    for golden_data, candidate_data in _accepted():
        sides = [read_data(data, "workflow").workflow for data in (golden_data, candidate_data)]
        _count(counts, "written anew, accepted", compare(*sides, embedder))
    rows = []
    for population in sorted({name for name, _ in counts}):
        workflows, found, steps, step_found = (counts[population, key] for key in ("n", "found", "steps", "step"))
        share = f"{100 * found / workflows:.1f} %", f"{100 * step_found / max(1, steps):.2f} %"
        rows.append((population, str(workflows), share[0], str(steps), share[1]))
    table(("population", "workflows", "with a contradiction", "changed steps", "with a contradiction"), rows)


def _count(counts: "Counter[tuple[str, str]]", population: str, comparison: Comparison) -> None:
    found = 0
    for golden, candidate in comparison.pairs:
        texts = comparison.golden.tasks[golden].statement, comparison.candidate.tasks[candidate].statement
        if texts[0] != texts[1]:
            counts[population, "steps"] += 1
            found += bool(contradictions(*texts))
    counts[population, "n"] += 1
    counts[population, "step"] += found
    counts[population, "found"] += found > 0


def _accepted() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield golden and candidate of the accepted regenerations, half "fit"."""
    goldens = {golden["id"]: golden for golden in _records("goldens.jsonl")}
    for candidate in _records("candidates.jsonl"):
        golden = goldens[candidate["golden"]]
        if golden["half"] == "fit" and candidate["label"] == "accept":
            yield {key: golden[key] for key in ("steps", "edges")}, {"wfgate": "1", "steps": candidate["steps"]}


def _records(name: str) -> Iterator[dict[str, Any]]:
    with (CORPORA / "regenerations" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
