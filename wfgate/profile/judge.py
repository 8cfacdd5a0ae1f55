"""The calibration of a language model as judge, as stored in a profile."""

import datetime as dt

from pydantic import Field

from wfgate.metrics import JudgeBias
from wfgate.model.workflow import Frozen
from wfgate.profile.null import NullTail

DECIMALS = 6


class PassedExam(Frozen):
    """The exam that a judge passed, from its certificate (`wfgate exam --certificate`).

    Attributes:
        model: The model that passed.
        score: Mean over the scored patterns, in [0, 1].
        sd: Sample standard deviation of the score over repetitions; None for one repetition.
        least: The required score.
        answers: Number of answers over all repetitions.
        date: Date of the exam.
        catalogue: Version of the questions and answers.
        settings: Settings of the exam.
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
    """The calibration of a judge.

    Attributes:
        signature: Identity of model, service and prompts.
        null: Null distribution of the loss, 1 - grade, over harmless rewordings; 1 for a rewording without a grade.
        ungraded: Number of variants, harmless or not, without a grade.
        bias: Its grades of the probes for bias.
        exam: The exam that it passed; None without a certificate.
    """

    signature: str
    null: NullTail
    ungraded: int
    bias: JudgeBias
    exam: PassedExam | None = None

    def p_value(self, value: float) -> float:
        """Return the p-value of a grade: how often harmless rewordings get the same or a lower grade."""
        return self.null.build().p_value(judge_loss(value))


def judge_loss(value: float) -> float:
    """Return the nonconformity score of a grade in [0, 1]: 1 - grade."""
    return round(1 - value, DECIMALS)
