"""Perturbations of other packages (entry point group `wfgate.perturbations`)."""

from typing import TYPE_CHECKING

from wfgate.base import blamed, check_class, checked, documentation_of
from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.model import Workflow

if TYPE_CHECKING:
    import numpy as np


class PluginPerturbation(Perturbation):
    """An operator of another package. Its errors become `ConfigError`s that name the package.

    Args:
        operator: The operator.
        package: The distribution of the operator, with its version.
    """

    calibrated = False

    def __init__(self, operator: Perturbation, package: str) -> None:
        self.operator = operator
        self.package = package
        vars(self).update({name: getattr(operator, name) for name in ("id", "version", "label", "severities")})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return documentation_of(type(self.operator), self.package)

    def _apply(self, golden: Golden, k: int, rng: "np.random.Generator") -> Variant:
        with blamed(f"the perturbation {self.id!r}", self.package):
            variant = checked(self.operator._apply(golden, k, rng), Variant, "_apply() returned")  # noqa: SLF001
            checked(variant.workflow, Workflow, "_apply() returned a variant whose workflow is")
            if not set(variant.affected) <= set(range(golden.n)):
                raise ValueError("_apply() returned a variant with a step that the golden does not have")
        return variant

    def expected_steps(self, n: int, k: int) -> int:
        """Return the required number of steps of the variant."""
        with blamed(f"the perturbation {self.id!r}", self.package):
            return checked(self.operator.expected_steps(n, k), int, "expected_steps() returned")


def added(name: str, kind: object, package: str) -> PluginPerturbation:
    """Return the operator of a package; whatever this raises is a fault of the package."""
    public = "wfgate.calibration.perturb.base.Perturbation"
    operator = check_class(name, kind, Perturbation, public)()  # type: ignore[type-abstract]
    if operator.label not in {"benign", "degraded"}:
        raise ValueError(f"the attribute `label` is {operator.label!r}, not 'benign' or 'degraded'")
    return PluginPerturbation(operator, package)
