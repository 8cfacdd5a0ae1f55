"""Calibrates a judge: the grades that it gives to harmless rewordings, and its bias.

A judge is a language model that grades candidates. A probe is a pair of workflows that tests the judge for bias.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from wfgate.calibration.judge_bias import judge_bias
from wfgate.calibration.null import benign_null
from wfgate.calibration.perturb.base import Golden
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.sample import ScoredVariants
from wfgate.compare import Comparison, LlmJudge, compare
from wfgate.decide import DECIMALS, Assessor, JudgeCalibration, NullTail, PassedExam
from wfgate.errors import PerturbationRejected

PROBED = 20
"""Number of goldens for measuring bias."""


def calibrated_judge(
    judge: LlmJudge,
    sample: ScoredVariants,
    goldens: Sequence[Golden],
    assessor: Assessor,
    seed: int,
    exam: PassedExam | None = None,
) -> JudgeCalibration | None:
    """Return the calibration of a judge; None if the sample has no rewordings, or if the judge has no client.

    Args:
        judge: The judge, which also grades the probes.
        sample: Scored variants with the judge's grades among the metrics.
        goldens: The goldens of the corpus; the probes are made from some of these goldens.
        assessor: Compares workflows.
        seed: Seed of all random choices.
        exam: The exam that the judge passed; None if there is no certificate.

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
    """Yield probes: goldens compared with variants in which 30 % of the steps are missing.

    The grades of such variants are medium, so that a bias can move the grades up and down.
    """
    for golden in goldens:
        try:
            variant = PlannedVariant("missing", 0.3, reworded=False).make(golden, seed)
        except PerturbationRejected:
            continue
        yield compare(golden.workflow, variant.workflow, assessor.embedder, assessor.meaning_model)
