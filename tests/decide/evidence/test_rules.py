"""The rules that block alone: their p-values say at which rate the gate blocks."""

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, read_corpus
from wfgate.decide import Assessor, Pair, Policy, load_profile, rule_p_values
from wfgate.errors import PerturbationRejected
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.run import Gate

from ...calibration.conftest import CORPORA
from ..conftest import PROFILE

ALPHA = 0.05
OPERATORS = ("identity", "description", "missing", "drift", "compressed", "rewired")


@pytest.fixture(scope="module")
def pairs():
    """Two goldens with a variant by each operator."""
    found = []
    for number, golden in enumerate(read_corpus([CORPORA / "ops"]).sample(2).goldens):
        for operator in OPERATORS:
            try:
                made = PERTURBATIONS[operator].perturb(golden, 0.3, np.random.default_rng(number))
            except PerturbationRejected:
                continue
            tasks = tuple(task.model_copy(update={"critical": False}) for task in golden.workflow.tasks)
            found.append((golden.workflow.model_copy(update={"tasks": tasks}), made.workflow))
    return found


@pytest.mark.parametrize("critical", [(), ("*",)], ids=["no critical step", "all critical"])
def test_the_gate_blocks_by_a_rule_exactly_at_its_p_value(pairs, critical):
    assessor = Assessor(StaticEmbedder(), load_meaning_model())
    gate = Gate(assessor, load_profile(PROFILE), Policy(critical=critical, alpha_block=ALPHA))
    blocked = []
    for golden, candidate in pairs:
        p_value = rule_p_values(assessor.assess(golden, candidate).comparison)[bool(critical)]
        blocked.append(p_value <= ALPHA)
        assert (gate.decide(Pair("case", (golden,), candidate)).proven == "block") == blocked[-1]
    assert any(blocked)
    assert not all(blocked)
