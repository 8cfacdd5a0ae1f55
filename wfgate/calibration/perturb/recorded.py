"""Recorded candidates with the verdict of reviewers: workflows written anew, and edits by hand."""

from abc import abstractmethod

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.calibration.perturb.edits import edited
from wfgate.errors import PerturbationRejected
from wfgate.model import Workflow


class Recorded(Perturbation):
    """A recorded workflow instead of a computed one. The severity argument has no effect."""

    @abstractmethod
    def workflows(self, golden: Golden) -> tuple[Workflow, ...]:
        """Return the recorded workflows of a golden."""

    def take(self, golden: Golden, number: int) -> Variant:
        """Return one of the recorded workflows.

        Raises:
            PerturbationRejected: If it is not recorded.
        """
        recorded = self.workflows(golden)
        if number >= len(recorded):
            raise PerturbationRejected("no such workflow is recorded")
        return Variant(recorded[number], tuple(range(golden.n)))

    def perturb(self, golden: Golden, severity: float, rng: np.random.Generator) -> Variant:
        """Return a random one of the recorded workflows."""
        del severity
        return self.take(golden, int(rng.integers(max(len(self.workflows(golden)), 1))))

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        return self.perturb(golden, k / max(golden.n, 1), rng)


class Rewritten(Recorded):
    """A workflow that was written anew and that reviewers accepted in place of the golden."""

    id = "rewritten"
    label = "benign"
    severities = (1.0,)

    def workflows(self, golden: Golden) -> tuple[Workflow, ...]:
        """Return the accepted workflows."""
        return golden.accepted


class Edited(Recorded):
    """The golden with one edit by hand that reviewers accepted: a step reworded or split, two merged."""

    id = "edited"
    label = "benign"
    severities = (0.1,)

    def workflows(self, golden: Golden) -> tuple[Workflow, ...]:
        """Return the accepted edits."""
        return tuple(edited(golden.workflow, edit) for edit in golden.edits)


class Refused(Recorded):
    """A workflow that was written anew and that reviewers refused: usually one demand is gone or changed."""

    id = "refused"
    severities = (0.1,)

    def workflows(self, golden: Golden) -> tuple[Workflow, ...]:
        """Return the refused workflows."""
        return golden.refused


class Misedited(Recorded):
    """The golden with one edit by hand that reviewers refused: a condition weakened, an approval or list item lost."""

    id = "misedited"
    severities = (0.1,)

    def workflows(self, golden: Golden) -> tuple[Workflow, ...]:
        """Return the refused edits."""
        return tuple(edited(golden.workflow, edit) for edit in golden.misedits)
