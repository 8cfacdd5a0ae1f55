"""The calibration of a language model as judge."""

import datetime as dt

from pydantic import Field

from wfgate.metrics import JudgeBias
from wfgate.model.workflow import Frozen
from wfgate.profile.null import NullTail

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
