"""Metrics of other packages (entry point group `wfgate.metrics`)."""

import math

from wfgate.base import blamed, check_class, checked, documentation_of
from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore


class PluginMetric(Metric):
    """A metric of another package. Its errors become `ConfigError`s that name the package. It is never a default.

    Args:
        metric: The metric.
        package: The distribution of the metric, with its version.
    """

    default = False

    def __init__(self, metric: Metric, package: str) -> None:
        self.metric = metric
        self.package = package
        attributes = ("id", "version", "higher_is_better", "symmetric", "range", "order_free", "references")
        vars(self).update({name: getattr(metric, name) for name in (*attributes, "perfect_on_identity")})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.metric), self.package)

    @property
    def signature(self) -> str:
        """The signature of the metric: by default id and version."""
        with blamed(f"the metric {self.id!r}", self.package):
            return checked(self.metric.signature, str, "the signature is")

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair.

        Raises:
            ConfigError: If the package fails, or its score is not one of this metric or outside of its range.
        """
        with blamed(f"the metric {self.id!r}", self.package):
            score = checked(self.metric.compute(comparison), MetricScore, "compute() returned")
            if score.metric != self.id:
                raise ValueError(f"compute() returned a score of the metric {score.metric!r}")
            low, high = self.range
            if score.value is not None and not (math.isfinite(score.value) and low <= score.value <= high):
                raise ValueError(f"compute() returned {score.value:g}, outside of the range {low:g} to {high:g}")
            if score.value is None and not score.undefined_because:
                raise ValueError("compute() returned neither a value nor a reason")
        return score


def added(name: str, kind: object, package: str) -> PluginMetric:
    """Return the metric of a package; whatever this raises is a fault of the package."""
    metric = check_class(name, kind, Metric, "wfgate.compare.metrics.base.Metric")  # type: ignore[type-abstract]
    return PluginMetric(metric(), package)
