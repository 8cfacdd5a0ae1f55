"""Calibrates a language model as judge: its grades of harmless rewordings, and its bias."""

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
"""Number of goldens for measuring bias."""


def calibrated_judge(
    judge: LlmJudge,
    sample: Sample,
    goldens: Sequence[Golden],
    assessor: Assessor,
    seed: int,
    exam: PassedExam | None = None,
) -> JudgeCalibration | None:
    """Return the calibration of a judge; None without rewordings in the sample or without a client.

    Args:
        judge: The judge; it grades the probes for bias.
        sample: Scored variants with the judge's grades among the metrics.
        goldens: The corpus; the probes are made from some of its goldens.
        assessor: Compares workflows.
        seed: Seed of all random choices.
        exam: The exam that the judge passed.

    Raises:
        LlmServiceError: If the service cannot be reached or keeps failing.
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
    """Yield goldens without about a third of their steps: their medium grades can move in both directions."""
    for golden in goldens:
        try:
            variant = PlannedVariant("missing", 0.3, reworded=False).make(golden, seed)
        except PerturbationRejected:
            continue
        yield compare(golden.workflow, variant.workflow, assessor.embedder, assessor.meaning_model)
