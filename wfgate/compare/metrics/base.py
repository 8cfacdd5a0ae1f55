"""The interface of metrics and their scores."""

from abc import ABC, abstractmethod
from typing import ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.model import Frozen

JUDGE = "llm-judge"
"""Id of the metric that a language model grades."""


class MetricScore(Frozen):
    """The value of one metric for one pair of workflows.

    Attributes:
        metric: Id of the metric.
        value: The score; None if undefined. Never NaN or a substitute number.
        undefined_because: The reason why the value is undefined.
        precision: For F1 metrics: the matched share of the candidate, in [0, 1].
        recall: For F1 metrics: the matched share of the golden, in [0, 1].
        low: Proven lower bound of the exact value, if the work limit ended an exact search.
        high: Proven upper bound of the exact value, if the work limit ended an exact search.
        proven: Whether `value` is exact; otherwise `value` is `low`.
        variance: For metrics that average several grades: the variance of these grades.
        comment: The justification of a grade, written by a language model: untrusted text.
    """

    metric: str
    value: float | None
    undefined_because: str | None = None
    precision: float | None = None
    recall: float | None = None
    low: float | None = None
    high: float | None = None
    proven: bool = True
    variance: float | None = None
    comment: str | None = None


class Metric(ABC):
    """A measure of the similarity of golden and candidate."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    """Increases whenever any value can change; scores of different versions are not compared."""
    higher_is_better: ClassVar[bool] = True
    symmetric: ClassVar[bool] = False
    """Whether exchanging golden and candidate leaves the value unchanged."""
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    default: ClassVar[bool] = True
    """Whether `wfgate score` and calibration compute it by default."""
    order_free: ClassVar[bool] = True
    """Whether the listing order of tasks has no influence; false only for reproductions of a public evaluator."""
    perfect_on_identity: ClassVar[bool] = True
    """Whether a workflow scored against itself always gets exactly the best value."""
    references: ClassVar[tuple[str, ...]] = ()

    @property
    def signature(self) -> str:
        """Id and version."""
        return f"{self.id}/{self.version}"

    @abstractmethod
    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""

    def defined(self, value: float, **details: float | bool | None) -> MetricScore:
        """Return a score that has a value."""
        return MetricScore.model_validate({"metric": self.id, "value": value, **details})

    def undefined(self, because: str) -> MetricScore:
        """Return a score without a value, with the reason."""
        return MetricScore(metric=self.id, value=None, undefined_because=because)

    def f1(self, common: int, *, golden: int, candidate: int, upper: int | None = None) -> MetricScore:
        """Return F1 = 2PR/(P+R) with P = common / candidate and R = common / golden, in steps.

        Undefined when either workflow has no step.

        Args:
            common: Number of common steps, the largest found.
            golden: Number of steps of the golden.
            candidate: Number of steps of the candidate.
            upper: Proven upper bound of `common`. If `upper` is greater than `common`, the score has bounds and is not
                proven.
        """
        if not golden or not candidate:
            return self.undefined(f"the {'golden' if not golden else 'candidate'} has no steps")
        value = 2 * common / (golden + candidate)
        precision, recall = common / candidate, common / golden
        if upper is None or upper <= common:
            return self.defined(value, precision=precision, recall=recall)
        high = 2 * upper / (golden + candidate)
        return self.defined(value, precision=precision, recall=recall, low=value, high=high, proven=False)
