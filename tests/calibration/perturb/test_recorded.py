"""Workflows written anew and edits by hand: they are taken as recorded."""

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.calibration.perturb.texts import Edit
from wfgate.errors import PerturbationRejected
from wfgate.model import Task, Workflow

GOLDEN = Workflow(tasks=(Task(id="a", name="Send the report"),))
ANEW = tuple(Workflow(tasks=(Task(id="a", name=name),)) for name in ("Mail the report", "Report by mail"))
EDITS = tuple(Edit(kind="reword", step=0, text=workflow.tasks[0].name) for workflow in ANEW)
FIELDS = {
    "rewritten": {"accepted": ANEW},
    "refused": {"refused": ANEW},
    "edited": {"edits": EDITS},
    "misedited": {"misedits": EDITS},
}
KINDS = {"rewritten": "benign", "refused": "degraded", "edited": "benign", "misedited": "degraded"}


@pytest.mark.parametrize(("operator", "label"), KINDS.items())
def test_what_is_recorded_is_returned(operator, label):
    perturbation = PERTURBATIONS[operator]
    golden = Golden("it", GOLDEN, **FIELDS[operator])
    assert isinstance(perturbation, Recorded)
    assert perturbation.label == label
    assert [perturbation.take(golden, number).workflow for number in (0, 1)] == list(ANEW)
    drawn = [perturbation.perturb(golden, 1.0, np.random.default_rng(seed)).workflow for seed in range(20)]
    assert all(workflow in ANEW for workflow in drawn)
    assert all(workflow in drawn for workflow in ANEW)


@pytest.mark.parametrize("operator", KINDS)
def test_what_is_not_recorded_is_refused(operator):
    with pytest.raises(PerturbationRejected, match="no such workflow is recorded"):
        PERTURBATIONS[operator].perturb(Golden("it", GOLDEN), 1.0, np.random.default_rng(0))
