"""What a metric is and what it returns."""

from abc import ABC, abstractmethod
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.model.workflow import Frozen


class MetricScore(Frozen):
    """The value of one metric for one pair of workflows.

    Attributes:
        metric: Id of the metric.
        value: The score, or None where it is undefined; never NaN, never a stand-in number.
        undefined_because: Why there is no value.
        precision: Matched part of the candidate in [0, 1], for metrics that are an F1.
        recall: Matched part of the golden in [0, 1], for metrics that are an F1.
        low: Proven lower bound of the value where the work limit ended an exact search.
        high: Proven upper bound in that case.
        proven: Whether `value` is exact by the metric's definition; where not, `value` is `low`.
        variance: Variance of the values that `value` is the mean of, where it is one of several judgements.
        comment: What a language model had to say about it: untrusted text.
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
    """A number that says how much of the golden the candidate kept."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    """Rises whenever any number can change: scores of different versions are never compared."""
    higher_is_better: ClassVar[bool] = True
    symmetric: ClassVar[bool] = False
    """Whether exchanging golden and candidate leaves the value as it is."""
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    default: ClassVar[bool] = True
    """Whether `wfgate score` and calibration compute it unless told otherwise."""
    order_free: ClassVar[bool] = True
    """Whether the listing order of tasks has no influence; false only where a public evaluator is reproduced."""
    perfect_on_identity: ClassVar[bool] = True
    """Whether a workflow scored against itself always gets exactly the best value."""
    references: ClassVar[tuple[str, ...]] = ()

    @property
    def signature(self) -> str:
        """Id and version: what made the number."""
        return f"{self.id}/{self.version}"

    @abstractmethod
    def compute(self, comparison: Comparison) -> MetricScore:
        """Score one pair."""

    def defined(self, value: float, **details: float | bool | None) -> MetricScore:
        """Return a score that has a value."""
        return MetricScore.model_validate({"metric": self.id, "value": value, **details})

    def undefined(self, because: str) -> MetricScore:
        """Return the absence of a score, with its reason."""
        return MetricScore(metric=self.id, value=None, undefined_because=because)

    def f1(self, common: int, *, golden: int, candidate: int, upper: int | None = None) -> MetricScore:
        """Return F1 = 2PR/(P+R) with P = common / candidate and R = common / golden, in steps.

        Undefined when either workflow has no step.

        Args:
            common: Steps that both have in common, as far as found.
            golden: Steps of the golden.
            candidate: Steps of the candidate.
            upper: Proven upper bound of `common`; where it is greater, the score carries bounds and is not proven.
        """
        if not golden or not candidate:
            return self.undefined(f"the {'golden' if not golden else 'candidate'} has no steps")
        value = 2 * common / (golden + candidate)
        precision, recall = common / candidate, common / golden
        if upper is None or upper <= common:
            return self.defined(value, precision=precision, recall=recall)
        high = 2 * upper / (golden + candidate)
        return self.defined(value, precision=precision, recall=recall, low=value, high=high, proven=False)
