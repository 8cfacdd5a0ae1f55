"""Damage to goldens in nested sizes: what is damaged at one size is damaged at every larger size, too."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from wfgate.calibration import PERTURBATIONS, Golden, StepTexts, read_corpus
from wfgate.calibration.perturb.base import edges_by_id, rebuilt, restated, without
from wfgate.calibration.perturb.extra import additions, inserted
from wfgate.calibration.perturb.texts import ExtraText
from wfgate.errors import PerturbationRejected
from wfgate.model import Workflow

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"
FILES = ("ops", "short", "worfbench")
"""Files of the goldens whose texts trained nothing."""
EACH = 4
"""Goldens of each file."""
SEED = 7


@cache
def goldens() -> tuple[Golden, ...]:
    """Return a dozen goldens that trained nothing: runbooks, plans with short step names, WorFBench."""
    corpus = {golden.id: golden for golden in read_corpus([CORPORA / name for name in ("dev", "worfbench")]).goldens}
    found: list[Golden] = []
    for name in FILES:
        lines = (CORPORA / "dev" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        known = [corpus[identity] for line in lines if (identity := json.loads(line)["id"]) in corpus]
        usable = [
            golden
            for golden in known
            if golden.n >= 6
            and golden.texts.rewordings
            and len({task.name for task in golden.workflow.tasks}) == golden.n
            and golden.texts.drifts
        ]
        found += usable[:: max(1, len(usable) // EACH)][:EACH]
    return tuple(plain(golden) for golden in found)


def plain(golden: Golden) -> Golden:
    """Return the golden without critical steps, which block alone."""
    tasks = tuple(task.model_copy(update={"critical": False}) for task in golden.workflow.tasks)
    return replace(golden, workflow=golden.workflow.model_copy(update={"tasks": tasks}))


def styled(golden: Golden, *, reworded: bool) -> Golden:
    """Return the golden, or the golden with all steps in other words."""
    return golden.reworded(golden.texts.rewordings[0]) if reworded else golden


def missing(golden: Golden, k: int) -> Workflow:
    edges, gone = edges_by_id(golden), _order(golden)[:k]
    for step in gone:
        edges = without(edges, golden.workflow.tasks[step].id, bridge=True)
    return rebuilt(golden, [task for step, task in enumerate(golden.workflow.tasks) if step not in gone], edges)


def compressed(golden: Golden, k: int) -> Workflow:
    """Merge neighbours by their own words: without recorded merges, the same seed merges the same pairs first."""
    own = replace(golden, texts=StepTexts())
    return PERTURBATIONS["compressed"].perturb(own, k / golden.n, np.random.default_rng(SEED)).workflow


def substituted(golden: Golden, k: int) -> Workflow:
    tasks = list(golden.workflow.tasks)
    for step, extra in zip(_order(golden)[:k], _foreign(golden), strict=False):
        tasks[step] = restated(tasks[step], extra.text)
    return golden.workflow.model_copy(update={"tasks": tuple(tasks)})


def extra(golden: Golden, k: int) -> Workflow:
    for one in _foreign(golden)[:k]:
        golden = inserted(golden, one)
    return golden.workflow


def drift(golden: Golden, k: int) -> Workflow:
    return PERTURBATIONS["drift"].perturb(golden, k / golden.n, np.random.default_rng(SEED)).workflow


def reordered(golden: Golden, k: int) -> Workflow:
    """Run the first k steps, two at least, in the opposite order: the links keep their shape, the contents move.

    Exchanged pairs are not nested: a further exchange can put other steps back into their order.
    """
    order = golden.graph.topological_order()[: max(2, k)]
    tasks = list(golden.workflow.tasks)
    for place, content in zip(order, reversed(order), strict=True):
        tasks[place] = golden.workflow.tasks[content].model_copy(update={"id": golden.workflow.tasks[place].id})
    return golden.workflow.model_copy(update={"tasks": tuple(tasks)})


DAMAGE: dict[str, Callable[[Golden, int], Workflow]] = {
    damage.__name__: damage for damage in (missing, compressed, substituted, drift, extra, reordered)
}


def damaged(golden: Golden, operator: str, size: float, *, reworded: bool) -> Workflow | None:
    """Return the golden with a share of its steps damaged; None if its recorded texts do not suffice.

    Drift: one recorded text for 10 %, two for 30 % and so on, because a golden has at most three.
    """
    k = SIZES.index(size) + 1 if operator == "drift" else int(np.ceil(round(size * golden.n, 9)))
    try:
        return DAMAGE[operator](styled(golden, reworded=reworded), k)
    except PerturbationRejected:
        return None


SIZES = (0.1, 0.3, 0.5, 0.7)


def _order(golden: Golden) -> list[int]:
    return [int(step) for step in np.random.default_rng(SEED).permutation(golden.n)]


def _foreign(golden: Golden) -> list[ExtraText]:
    return additions(golden, golden.n, np.random.default_rng(SEED))
