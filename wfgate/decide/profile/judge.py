"""The calibration of a judge, as stored in a profile. A judge is a language model that grades candidates."""

import datetime as dt

from pydantic import Field

from wfgate.decide.profile.null import NullTail
from wfgate.model import Frozen

DECIMALS = 6


class PassedExam(Frozen):
    """The exam that a judge passed, read from its certificate (`wfgate exam --certificate`).

    The exam tests how well a language model reads workflows. The policy can require that a judge has passed it.

    Attributes:
        model: The model that passed the exam.
        score: Mean over the question patterns that count, in [0, 1]. A question pattern is a kind of fact about a
            workflow.
        sd: Sample standard deviation of the score over repetitions; None if there was only one repetition.
        least: The required score.
        answers: Number of the model's answers over all repetitions.
        date: Date of the exam.
        catalogue: Version of the question patterns and of the computation of the right answers.
        settings: Settings of the exam, for example notation, repetitions and temperature.
    """

    model: str
    score: float = Field(ge=0, le=1)
    sd: float | None
    least: float = Field(ge=0, le=1)
    answers: int
    date: dt.date
    catalogue: str
    settings: dict[str, str | int | float]


class JudgeBias(Frozen):
    """Bias measures of a judge. Grades are divided by 5, so they are in [0, 1].

    Attributes:
        pairs: Number of pairs.
        identity: Mean grade of a golden against itself; 1 for an unbiased judge.
        position: Mean grade with the golden first, minus the mean grade with the candidate first; 0 for an unbiased
            judge.
        swap: Mean absolute difference of these two grades, per prompt: the effect of the position on a single grade.
        spread: Mean standard deviation of the grades between prompts: the effect of the wording of the prompt.
        unanswered: Number of questions without a usable answer. They are excluded from the measures above.
    """

    pairs: int
    identity: float | None
    position: float | None
    swap: float | None
    spread: float | None
    unanswered: int


class JudgeCalibration(Frozen):
    """The calibration of a judge.

    Attributes:
        signature: Identity of model, service and prompts.
        null: Null distribution of the loss over harmless rewordings. The loss is 1 - grade, or 1 for a rewording
            without a grade.
        ungraded: Number of variants without a grade, both harmless and damaged.
        bias: The judge's grades of the workflows that test the judge for bias.
        exam: The exam that the judge passed; None if there was no certificate.
    """

    signature: str
    null: NullTail
    ungraded: int
    bias: JudgeBias
    exam: PassedExam | None = None

    def p_value(self, value: float) -> float:
        """Return the p-value of a grade in [0, 1]: how often harmless rewordings get the same or a lower grade."""
        return self.null.build().p_value(judge_loss(value))


def judge_loss(value: float) -> float:
    """Return the nonconformity score of a grade in [0, 1]: 1 - grade."""
    return round(1 - value, DECIMALS)
