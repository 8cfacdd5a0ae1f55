"""The perturbed benchmark as files: goldens, variants, their labels and scores, and a sample to inspect by hand.

This is WorkflowPerturb's construction (section 3.1) on a corpus of one's own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.calibration.perturb.base import Golden, Label, Perturbation, Variant
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.calibration.trajectories import expected_score
from wfgate.errors import PerturbationRejected
from wfgate.model import Frozen, Workflow

PAPER = (0.1, 0.3, 0.5)
"""The severities of the paper."""


class BenchmarkLabel(Frozen):
    """What is known about one variant.

    Attributes:
        id: Name of the variant, and of its file.
        golden: Id of the golden.
        operator: Id of the perturbation.
        label: Whether the variant is harmless or damaged.
        severity: The share p of affected steps that was asked for.
        affected: Positions of the affected steps in the golden, from 1.
        steps: Number of steps of the golden and of the variant.
        score: The value of an ideal metric: 1 - p for missing and compressed steps, 1 for harmless variants; None
            where the paper defines none.
    """

    id: str
    golden: str
    operator: str
    label: Label
    severity: float
    affected: tuple[int, ...]
    steps: tuple[int, int]
    score: float | None


@dataclass(frozen=True)
class BenchmarkVariant:
    """A variant with its label."""

    label: BenchmarkLabel
    golden: Workflow
    workflow: Workflow


class Rejection(Frozen):
    """A variant that the golden does not allow, with the reason."""

    golden: str
    operator: str
    severity: float
    reason: str


def with_random_steps(golden: Golden) -> Golden:
    """Return the golden without recorded omissions, so that removed steps are drawn at random, as in the paper.

    Recorded omissions are steps "that somebody in a hurry would forget", chosen by a language model.
    """
    return replace(golden, texts=golden.texts.model_copy(update={"omissions": ()}))


def benchmark(
    goldens: Sequence[Golden], *, seed: int, severities: Sequence[float] = PAPER
) -> Iterator[BenchmarkVariant | Rejection]:
    """Yield the variants of all goldens by all operators, in the order of goldens, operators and severities.

    Recorded workflows (written anew, edited by hand) are all taken, and operators without a severity are applied once.
    The random choices of a variant depend on the seed, its golden, operator and severity only: a further golden or
    operator changes no other variant.

    Args:
        goldens: The goldens.
        seed: Seed of all random choices.
        severities: Shares of steps to affect, each in (0, 1].
    """
    for golden in goldens:
        for operator in PERTURBATIONS.values():
            for number, severity in enumerate(_severities(operator, golden, severities)):
                part = number if isinstance(operator, Recorded) else round(severity * 100)
                name = f"{golden.id}--{operator.id}-{part}"
                try:
                    if isinstance(operator, Recorded):
                        variant = operator.take(golden, number)
                    else:
                        variant = operator.perturb(golden, severity, _rng(seed, golden, operator, severity))
                except PerturbationRejected as reason:
                    yield Rejection(golden=golden.id, operator=operator.id, severity=severity, reason=reason.message)
                    continue
                yield _labelled(name, golden, operator, severity, variant)


def inspection(variants: Sequence[BenchmarkVariant], size: int, rng: np.random.Generator) -> list[BenchmarkVariant]:
    """Return variants to inspect by hand: random ones of each operator in turn, in the order of the operators.

    Args:
        variants: All variants.
        size: Number of variants to return; all if there are fewer.
        rng: Random generator for the choice.
    """
    by_operator: dict[str, list[BenchmarkVariant]] = {}
    for index in rng.permutation(len(variants)):
        variant = variants[int(index)]
        by_operator.setdefault(variant.label.operator, []).append(variant)
    chosen: list[BenchmarkVariant] = []
    while len(chosen) < min(size, len(variants)):
        for pile in by_operator.values():
            if pile and len(chosen) < size:
                chosen.append(pile.pop())
    rank = {name: place for place, name in enumerate(PERTURBATIONS)}
    return sorted(chosen, key=lambda variant: (rank[variant.label.operator], variant.label.id))


def _severities(operator: Perturbation, golden: Golden, severities: Sequence[float]) -> Sequence[float]:
    if isinstance(operator, Recorded):
        return (operator.severities[0],) * len(operator.workflows(golden))
    return operator.severities if len(operator.severities) == 1 else severities


def _rng(seed: int, golden: Golden, operator: Perturbation, severity: float) -> np.random.Generator:
    digest = sha256("\0".join((str(seed), golden.id, operator.id, repr(severity))).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def _labelled(
    name: str, golden: Golden, operator: Perturbation, severity: float, variant: Variant
) -> BenchmarkVariant:
    label = BenchmarkLabel(
        id=name,
        golden=golden.id,
        operator=operator.id,
        label=operator.label,
        severity=severity,
        affected=tuple(step + 1 for step in variant.affected),
        steps=(golden.n, len(variant.workflow.tasks)),
        score=expected_score(operator.id, severity),
    )
    return BenchmarkVariant(label, golden.workflow, variant.workflow)
