"""The calibration of a language model as judge: what it says of harmless rewordings, and how biased it is."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from wfgate.alignment import Comparison, compare
from wfgate.calibration.null import benign_null
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.sample import Sample
from wfgate.errors import PerturbationRejected
from wfgate.evidence.assess import Assessor
from wfgate.metrics import LlmJudge, judge_bias
from wfgate.perturb import Golden
from wfgate.profile.judge import DECIMALS, JudgeCalibration, PassedExam
from wfgate.profile.null import NullTail

PROBED = 20
"""Goldens that bias is measured on."""


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
        null=NullTail.of(benign_null(losses, sample.clusters(sample.null))),
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
        yield compare(golden.workflow, variant.workflow, assessor.embedder, assessor.meaning_model)
