from dataclasses import replace

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.calibration.corpus import content_key
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.calibration.plan import FULL_REWORDINGS, PlannedVariant, keyed_variants, planned_keys, planned_variants
from wfgate.errors import PerturbationRejected
from wfgate.model import Workflow


@pytest.fixture(scope="module")
def golden(corpus):
    return corpus.sample(1).goldens[0]


def made(golden, seed):
    for planned in planned_variants(golden):
        try:
            yield planned.make(golden, seed).workflow
        except PerturbationRejected:
            yield None


def test_same_seed_same_variants(golden):
    assert list(made(golden, 7)) == list(made(golden, 7))


def test_other_seed_other_variants(golden):
    assert list(made(golden, 7)) != list(made(golden, 8))


def test_variants_do_not_depend_on_the_global_generator(golden):
    planned = PlannedVariant("missing", 0.3, reworded=True)
    first = planned.make(golden, 0)
    np.random.seed(5)  # noqa: NPY002 - exactly what must not matter
    assert planned.make(golden, 0) == first


def test_every_operator_at_every_severity_plain_and_reworded(golden):
    planned = list(planned_variants(golden))
    assert len(planned) == len(set(planned))
    for perturbation in PERTURBATIONS.values():
        if isinstance(perturbation, Recorded) or not perturbation.calibrated:
            continue
        for severity in perturbation.severities:
            found = [p for p in planned if (p.operator, p.severity) == (perturbation.id, severity)]
            if perturbation.id == "description":
                assert len(found) == (FULL_REWORDINGS if severity == 1.0 else 1)
            else:
                assert [p.reworded for p in found] == [False, True][: 1 + (perturbation.label == "degraded")]


def test_no_rewording_is_planned_where_none_is_recorded(golden):
    planned = list(planned_variants(Golden(golden.id, golden.workflow)))
    assert planned
    assert not any(p.reworded or p.operator in {"description", "regenerated"} for p in planned)


def test_full_rewordings_differ(golden):
    texts = {
        tuple(task.text for task in PlannedVariant("description", 1.0, reworded=False, repeat=n).make(golden, 0)
              .workflow.tasks)
        for n in range(FULL_REWORDINGS)
    }  # fmt: skip
    assert len(texts) > 1


def test_keys_differ_when_anything_relevant_does(golden, monkeypatch):
    planned = PlannedVariant("missing", 0.3, reworded=False)
    other_text = golden.workflow.tasks[0].model_copy(update={"name": "something else"})
    other_flow = golden.workflow.model_copy(update={"tasks": (other_text, *golden.workflow.tasks[1:])})
    content = content_key(golden)
    keys = [
        planned.key(content, 0, "s"),
        planned.key(content, 1, "s"),
        planned.key(content, 0, "another signature"),
        PlannedVariant("missing", 0.1, reworded=False).key(content, 0, "s"),
        PlannedVariant("missing", 0.3, reworded=True).key(content, 0, "s"),
        PlannedVariant("missing", 0.3, reworded=False, repeat=1).key(content, 0, "s"),
        PlannedVariant("extra", 0.3, reworded=False).key(content, 0, "s"),
    ]
    others = [
        Golden("other", golden.workflow, golden.texts, golden.foreign),
        Golden(golden.id, other_flow, golden.texts, golden.foreign),
        Golden(golden.id, golden.workflow, foreign=golden.foreign),
        Golden(golden.id, golden.workflow, golden.texts, ("foreign",)),
    ]
    keys += [planned.key(content_key(other), 0, "s") for other in others]
    monkeypatch.setattr(type(PERTURBATIONS["missing"]), "version", 99)
    keys.append(planned.key(content, 0, "s"))
    assert len(set(keys)) == len(keys)


def test_keys_of_one_golden_are_distinct_and_in_the_order_of_the_plan(golden):
    keyed = keyed_variants(golden, 0, "s")
    assert list(keyed.values()) == list(planned_variants(golden))
    assert list(planned_keys([golden], 0, "s")) == list(keyed)


def test_each_workflow_written_anew_is_planned_once(golden):
    other = replace(golden, accepted=(golden.workflow,) * 3, refused=(Workflow(),))
    planned = [each for each in planned_variants(other) if each.operator in {"rewritten", "refused"}]
    assert [(each.operator, each.repeat) for each in planned] == [
        *(("rewritten", number) for number in range(3)),
        ("refused", 0),
    ]
    assert [each.make(other, 0).workflow for each in planned] == [*other.accepted, *other.refused]
    assert not any(isinstance(each.perturbation, Recorded) for each in planned_variants(golden))
