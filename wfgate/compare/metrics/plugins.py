"""Metrics of other packages (entry point group `wfgate.metrics`)."""

import math

from wfgate.base import Extensions, Registry, blamed, check_class, checked, documentation_of
from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.errors import ConfigError

GROUP = "wfgate.metrics"
"""The entry point group."""


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


class MetricPlugins(Extensions[PluginMetric]):
    """The metrics that installed packages add.

    Args:
        own: wfgate's own metrics, whose ids no package may use.
    """

    def __init__(self, own: Registry[Metric]) -> None:
        super().__init__("metric", GROUP, own, _made)
        self._own = own

    def metric(self, metric_id: str) -> Metric:
        """Return the metric with this id, from wfgate or from an installed package.

        Raises:
            ConfigError: If there is no such metric, or its package cannot be loaded.
        """
        if metric_id in self._own:
            return self._own[metric_id]
        try:
            return self.find(metric_id)
        except KeyError:
            known = ", ".join([*self._own, *self.ids])
            raise ConfigError(f"unknown metric {metric_id!r}", fix=f"use one of: {known}") from None


def _made(name: str, kind: object, package: str) -> PluginMetric:
    metric = check_class(name, kind, Metric, "wfgate.compare.metrics.base.Metric")  # type: ignore[type-abstract]
    return PluginMetric(metric(), package)
