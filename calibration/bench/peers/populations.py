"""The pairs on which wfgate and its peers are compared, from the corpora of this repository.

Every pair is a golden, a candidate, and whether the candidate is harmful. Populations:

- perturbed: variants of goldens that trained no network, by the operators of `wfgate/calibration/perturb`; harmless
  are rewordings. wfgate gets a profile that was fitted on other goldens.
- graded: the pairs of the paper's tables for which grades of a language model are recorded, without the goldens that
  trained the meaning model; harmless are rewordings.
- regenerations: workflows written anew from a brief; harmless are those that reviewers accepted.
- short: goldens with short step names, renamed; harmful are those with one step of a changed brief.
- processtbench: plans of a language model; harmful are those with another tool or another dependency. Left out are
  goldens that contradict themselves and plans that only lost or gained an argument.
- identical, relisted: goldens against themselves, and against themselves in another listing order with other ids.

Which pairs are taken depends on the seed and the ids only.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import yaml

sys.path.extend(str(Path(__file__).parents[2] / name) for name in ("bench", "regenerations", "step_equivalence"))

import processtbench
import regenerations
import second_stage
from accuracy import CORPORA, records
from fit_profile import CORPORA as FITTED
from fit_profile import calibration_goldens
from pairs import part
from tool_graphs import Difference, ToolGraph

from wfgate.calibration import PERTURBATIONS, Corpus, Golden, read_corpus
from wfgate.calibration.plan import PlannedVariant, planned_variants
from wfgate.errors import PerturbationRejected
from wfgate.model import TaskGraph, Workflow
from wfgate.read import read_data
from wfgate.read.formats.native_writer import write_native

Half = Literal["fit", "test"]
HARMLESS_SHARE = 2 / 3
"""Share of harmless pairs in a sample: rates of false blocks of 1 % need many of them."""
HELD_OUT = 36
"""Goldens of the population "perturbed". A profile for false-block rates of 1 % needs 124 others."""
UNCHANGED = ("identity", "relisted", "renamed-ids")
PROVEN_EQUAL = {"equal", "argument reworded or translated"}
UNCLEAR = {"argument lost or added"}


@dataclass(frozen=True)
class Pair:
    """A golden and a candidate.

    Attributes:
        id: Name of the pair, unique in its population.
        population: Name of the population.
        golden_id: Name of the golden.
        harmful: Whether the candidate should be blocked.
        golden: The golden, in any form that wfgate reads.
        candidate: The candidate, in the same form.
        grade: The recorded grade of a language model, higher is better; None if there is none.
    """

    id: str
    population: str
    golden_id: str
    harmful: bool
    golden: Any
    candidate: Any
    grade: float | None = None

    def sent(self) -> dict[str, Any]:
        """Return the pair as a worker reads it."""
        return {"id": self.id, "golden": _sent(self.golden), "candidate": _sent(self.candidate)}


def _sent(source: Any) -> dict[str, Any]:
    """Return a workflow as a document for wfgate, and as steps and links for all others.

    Links are pairs of positions, counted from 0.
    """
    document = yaml.safe_load(write_native(source)) if isinstance(source, Workflow) else source
    workflow = source if isinstance(source, Workflow) else read_data(source, "workflow").workflow
    graph = TaskGraph.of(workflow)
    return {
        "document": document,
        "steps": [{"name": task.name, "text": task.text} for task in workflow.tasks],
        "links": sorted(graph.edges),
        "starts": sorted(graph.starts),
        "ends": sorted(graph.ends),
    }


def sampled(pairs: Iterable[Pair], size: int, seed: int) -> list[Pair]:
    """Return at most `size` pairs, two harmless for each harmful one where there are enough; a hash selects them.

    Smaller samples with the same seed are beginnings of larger ones, in each of the two classes.
    """
    ranked = sorted(pairs, key=lambda pair: _digest(seed, pair.id))
    harmless = [pair for pair in ranked if not pair.harmful][: round(size * HARMLESS_SHARE)]
    harmful = [pair for pair in ranked if pair.harmful][: size - round(size * HARMLESS_SHARE)]
    return sorted((*harmless, *harmful), key=lambda pair: _digest(seed, pair.id))


def populations(half: Half, size: int, seed: int) -> dict[str, list[Pair]]:
    """Return the sampled pairs of each population.

    Args:
        half: Half of the regenerations corpus.
        size: Largest number of pairs of a population.
        seed: Seed of all choices.
    """
    makers: dict[str, Callable[[], Iterator[Pair]]] = {
        "perturbed": lambda: perturbed(seed),
        "graded": graded,
        "regenerations": lambda: regenerated(half),
        "short": lambda: short(half),
        "processtbench": plans,
    }
    found = {name: sampled(make(), size, seed) for name, make in makers.items()}
    for operator in ("identity", "relisted"):
        found[operator] = list(unchanged(operator, size // 4, seed))
    return found


@cache
def held_out(seed: int) -> tuple[Golden, ...]:
    """Return some of the goldens with recorded rewordings that did not train the meaning model."""
    known = [golden for golden in calibration_goldens(FITTED).goldens if golden.texts.rewordings]
    return tuple(sorted(known, key=lambda golden: _digest(seed, golden.id))[:HELD_OUT])


def others(seed: int) -> Corpus:
    """Return the corpus for the profile that decides about perturbed goldens: no golden of theirs is in it."""
    used = {golden.id for golden in held_out(seed)} | {pair.golden_id for pair in graded()}
    return calibration_goldens(FITTED).where(lambda golden: golden.id not in used)


def perturbed(seed: int) -> Iterator[Pair]:
    """Yield the variants of the held-out goldens that a calibration would make."""
    for golden in held_out(seed):
        plain = replace(golden, accepted=(), refused=())
        for plan in planned_variants(plain):
            if plan.operator not in UNCHANGED:
                yield from _variant(plain, plan, "perturbed", seed)


def graded() -> Iterator[Pair]:
    """Yield the pairs with recorded grades of a language model whose goldens did not train the meaning model."""
    answering = second_stage.recorded()
    key = itemgetter("golden", "operator", "severity")
    grades = {
        key(pair.labels): second_stage.grade(answering, pair, "tables-without-task")
        for pair in second_stage.perturbed()
        if part(pair.labels["golden"]) != "train"
    }
    goldens = {golden.id: golden for golden in read_corpus(second_stage.PERTURBED).goldens}
    for (golden, operator, severity), grade in grades.items():
        plan = PlannedVariant(operator, severity, reworded=False)
        for pair in _variant(goldens[golden], plan, "graded", second_stage.Plan.seed):
            yield replace(pair, grade=grade)


def _variant(golden: Golden, plan: PlannedVariant, population: str, seed: int) -> Iterator[Pair]:
    """Yield the pair of a golden and a variant; nothing if the operator cannot make the variant."""
    try:
        variant = plan.make(golden, seed).workflow
    except PerturbationRejected:
        return
    name = f"{golden.id}|{plan.operator}|{plan.severity}|{plan.reworded}|{plan.repeat}"
    harmful = PERTURBATIONS[plan.operator].label == "degraded"
    yield Pair(name, population, golden.id, harmful, golden.workflow, variant)


def regenerated(half: Half) -> Iterator[Pair]:
    """Yield the workflows written anew, each with what the recorded answers are worth."""
    reasons = second_stage.unverified()
    for case in regenerations.cases(half):
        if case.population == "one reference":
            found = reasons.get(case.regeneration["id"])
            yield replace(_case(case, "regenerations"), grade=None if found is None else -float(found))


def short(half: Half) -> Iterator[Pair]:
    """Yield goldens with short step names and the names of a regeneration; harmful if one lost its demand."""
    for case in regenerations.cases(half):
        if case.population in {"renamed", "same", "changed", "altered"}:
            pair = _case(case, "short")
            yield replace(pair, id=f"{case.population}|{pair.id}", harmful=case.population in {"changed", "altered"})


def _case(case: regenerations.Case, population: str) -> Pair:
    (reference,) = case.references
    return Pair(case.regeneration["id"], population, case.golden["id"], not case.accepted, reference, case.candidate)


def plans() -> Iterator[Pair]:
    """Yield the plans of ProcessTBench whose difference to their golden is clear."""
    goldens = {record["id"]: record for record in records(processtbench.FOLDER / "goldens.jsonl")}
    known = {node["task"] for golden in goldens.values() for node in golden["task_nodes"]}
    for number, plan in enumerate(records(processtbench.FOLDER / "regenerations.jsonl")):
        golden = goldens[plan["id"]]
        difference = Difference(ToolGraph.of(golden, known), ToolGraph.of(plan, known))
        if not difference.golden.contradicts_itself and difference.kind not in UNCLEAR:
            harmful = difference.kind not in PROVEN_EQUAL
            yield Pair(f"{number}|{plan['id']}", "processtbench", plan["id"], harmful, golden, plan)


def unchanged(operator: str, size: int, seed: int) -> Iterator[Pair]:
    """Yield goldens of three corpora against themselves or their relisted form: the first by hash, and `size` at most.

    Goldens that cannot be relisted, because steps share an id, are left out.
    """
    paths = [CORPORA / "worfbench", CORPORA / "ops", CORPORA / "processtbench" / "goldens.jsonl"]
    ranked: Sequence[Golden] = sorted(read_corpus(paths).goldens, key=lambda golden: _digest(seed, golden.id))
    made = 0
    for golden in ranked:
        for pair in _variant(golden, PlannedVariant(operator, 1.0, reworded=False), operator, seed):
            made += 1
            yield pair
        if made == size:
            return


def _digest(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}|{text}".encode()).hexdigest()
