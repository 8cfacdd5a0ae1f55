"""The calibration of a language model as judge: what it says of harmless rewordings, and how biased it is."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from pydantic import Field

from wfgate.calibration.assess import Assessor
from wfgate.calibration.null import BenignNull, NullTail
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.sample import Sample
from wfgate.errors import PerturbationRejected
from wfgate.matching import Comparison, compare
from wfgate.metrics import JudgeBias, LlmJudge, judge_bias
from wfgate.model.workflow import Frozen
from wfgate.perturb import Golden

PROBED = 20
"""Goldens that bias is measured on."""
DECIMALS = 6


class PassedExam(Frozen):
    """The exam that a judge passed, as its certificate says (`wfgate exam --certificate`).

    Attributes:
        model: Who passed.
        score: Mean over all patterns that count, in [0, 1].
        sd: Its sample standard deviation over repetitions; None for one repetition.
        least: The score that was asked for.
        answers: All answers, of all repetitions.
        date: When it was passed.
        catalogue: Version of the questions and answers.
        settings: How the exam was held.
    """

    model: str
    score: float = Field(ge=0, le=1)
    sd: float | None
    least: float = Field(ge=0, le=1)
    answers: int
    date: dt.date
    catalogue: str
    settings: dict[str, str | int | float]


class JudgeCalibration(Frozen):
    """What a gate needs to know of a judge.

    Attributes:
        signature: Which model, at which service, asked with which prompts.
        null: What harmless rewordings lose by its grades, 1 - value; one that it did not grade lost everything.
        ungraded: Variants, harmless or not, that it did not grade.
        bias: Its answers to probes.
        exam: The exam that it passed; None where nobody showed a certificate.
    """

    signature: str
    null: NullTail
    ungraded: int
    bias: JudgeBias
    exam: PassedExam | None = None

    def p_value(self, value: float) -> float:
        """Return how often harmless rewordings are graded as low."""
        return self.null.build().p_value(judge_loss(value))


def judge_loss(value: float) -> float:
    """Return the nonconformity of a grade in [0, 1]."""
    return round(1 - value, DECIMALS)


def calibrated_judge(
    judge: LlmJudge,
    sample: Sample,
    goldens: Sequence[Golden],
    assessor: Assessor,
    seed: int,
    exam: PassedExam | None = None,
) -> JudgeCalibration | None:
    """Return the calibration of the judge whose grades are in a sample; None where it has no rewordings.

    Args:
        judge: The judge, which is asked the probes.
        sample: Scored variants, its grades among the metrics.
        goldens: The corpus; a few of them are probed.
        assessor: Compares.
        seed: Decides every random choice.
        exam: The exam that it passed.

    Raises:
        LlmServiceError: If the service cannot be reached or fails again and again.
    """
    if judge.client is None or not sample.null.any():
        return None
    grades = np.round(1 - sample.metrics[judge.id], DECIMALS)
    losses = np.where(np.isnan(grades), 1.0, grades)[sample.null]
    return JudgeCalibration(
        signature=judge.signature,
        null=NullTail.of(BenignNull.of(losses, sample.clusters(sample.null))),
        ungraded=int(np.isnan(grades).sum()),
        bias=judge_bias(judge.client, list(islice(_probes(goldens, assessor, seed), PROBED))),
        exam=exam,
    )


def _probes(goldens: Sequence[Golden], assessor: Assessor, seed: int) -> Iterator[Comparison]:
    """Yield goldens that lost about a third of their steps: a grade in the middle has room on both sides."""
    for golden in goldens:
        try:
            variant = PlannedVariant("missing", 0.3, reworded=False).make(golden, seed)
        except PerturbationRejected:
            continue
        yield compare(golden.workflow, variant.workflow, assessor.embedder, assessor.equivalence)
