"""What holds for every operator, on real goldens, random ones and broken ones."""

import importlib
import inspect
import pkgutil
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wfgate.calibration.perturb
from wfgate.calibration import PERTURBATIONS, Golden, perturb_reworded
from wfgate.calibration.perturb.base import Perturbation, affected_count
from wfgate.errors import PerturbationRejected
from wfgate.model import START, TaskGraph, Workflow, fingerprint

from ...hypothesis_examples import examples

CASES = settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
SEVERITY = st.sampled_from([0.1, 0.3, 0.5, 1.0])
SAME = {"identity", "relisted", "renamed-ids"}
REWORDED = {"description", "regenerated"}
OTHER_IDS = {"relisted", "renamed-ids", "regenerated"}
WHOLE = {"identity", "description", "missing-bridged", "rewired", "reordered", "extra", "substituted"}
WHOLE |= {"compressed", "drift", "vague", "serialised", "parallelised", "guard-changed", "data-unlinked", "split"}


def check(operator, golden, severity, variant, tools):
    """Assert what every variant must have."""
    n, k = golden.n, affected_count(severity, golden.n)
    assert len(variant.workflow.tasks) == operator.expected_steps(n, k)
    assert len({task.id for task in variant.workflow.tasks}) == len(variant.workflow.tasks)
    assert list(variant.affected) == sorted(set(variant.affected))
    assert all(0 <= step < n for step in variant.affected)
    same = fingerprint(variant.workflow) == fingerprint(golden.workflow)
    assert same if operator.id in SAME else not same or operator.id in REWORDED
    graph = TaskGraph.of(variant.workflow)
    assert len(graph.cycles) <= len(golden.graph.cycles)
    if operator.id in WHOLE:
        stays_whole(golden, variant, tools)
        if all(len(found) == n for found in tools.reach(golden.workflow)):
            assert all(len(found) == len(variant.workflow.tasks) for found in tools.reach(variant.workflow))


def stays_whole(golden, variant, tools):
    """Assert that what START reached, and what led to END, still does."""
    left = {task.id for task in variant.workflow.tasks}
    for before, after in zip(tools.reach(golden.workflow), tools.reach(variant.workflow), strict=True):
        assert before & left <= after


def found_classes():
    modules = [
        importlib.import_module(f"wfgate.calibration.perturb.{m.name}")
        for m in pkgutil.iter_modules(wfgate.calibration.perturb.__path__)
    ]
    classes = {c for module in modules for c in vars(module).values() if inspect.isclass(c)}
    return {c for c in classes if issubclass(c, Perturbation) and hasattr(c, "id") and not inspect.isabstract(c)}


def test_every_operator_found_is_registered():
    assert found_classes() == {type(operator) for operator in PERTURBATIONS.values()}


def test_documented(operator):
    assert "severity" in (inspect.getdoc(type(operator)) or "").casefold()
    assert operator.label in {"benign", "degraded"}
    assert operator.severities == tuple(sorted(operator.severities))


def test_affected_count_is_the_ceiling_without_float_noise():
    assert [affected_count(p, 10) for p in (0.1, 0.3, 0.5, 1.0)] == [1, 3, 5, 10]
    assert affected_count(0.07, 100) == 7  # 0.07 * 100 == 7.000000000000001
    assert affected_count(0.1, 0) == 0


def test_on_real_goldens(operator, suited, tools):
    applied = 0
    for seed, golden in enumerate(suited):
        for severity in operator.severities:
            variant = tools.attempt(operator, golden, severity, seed)
            if variant is not None:
                check(operator, golden, severity, variant, tools)
                applied += 1
    assert applied > len(suited) / 3  # an operator that always refuses would pass everything else


@pytest.mark.slow
def test_on_every_golden(operator, every_golden, tools):
    """Each operator on another third of the goldens: together on all of them."""
    first = list(PERTURBATIONS).index(operator.id) % 3
    for seed, golden in list(enumerate(every_golden))[first::3]:
        for severity in operator.severities:
            variant = tools.attempt(operator, golden, severity, seed)
            if variant is not None:
                check(operator, golden, severity, variant, tools)


def test_on_random_dags(operator, tools):
    @CASES
    @given(st.one_of(tools.dags(), tools.dags().map(tools.furnished)), SEVERITY, st.integers(0, 99))
    def holds(golden, severity, seed):
        variant = tools.attempt(operator, golden, severity, seed)
        if variant is not None:
            check(operator, golden, severity, variant, tools)

    holds()


def test_broken_goldens_are_refused_or_perturbed(operator, tools):
    @CASES
    @given(tools.broken(), SEVERITY, st.integers(0, 99))
    def holds(golden, severity, seed):
        variant = tools.attempt(operator, golden, severity, seed)
        if variant is None:
            return
        k = affected_count(severity, golden.n)
        ids = {START, *(task.id for task in golden.workflow.tasks)}
        if len(ids) == golden.n + 1 and operator.id in WHOLE:
            stays_whole(golden, variant, tools)
        assert len(variant.workflow.tasks) == operator.expected_steps(golden.n, k)
        if operator.id in SAME:
            assert fingerprint(variant.workflow) == fingerprint(golden.workflow)
        assert len(TaskGraph.of(variant.workflow).cycles) <= len(golden.graph.cycles) or golden.graph.cycles

    holds()


def test_same_seed_same_bytes_and_another_seed_elsewhere(operator, suited, tools):
    different = 0
    for golden, severity in product(suited[:20], (0.1, 0.5)):
        results = [tools.attempt(operator, golden, severity, seed) for seed in (1, 1, 2)]
        first, again, other = (result and (result.workflow.to_json(), result) for result in results)
        assert first == again
        different += first != other
    assert different or operator.id in {"identity", "vague"}  # one vague text is recorded a golden: no choice


def test_the_golden_stays_as_it_is(operator, suited, tools):
    for golden in suited[:20]:
        before = golden.workflow.to_json()
        tools.attempt(operator, golden, 0.5, 1)
        assert golden.workflow.to_json() == before


def test_no_steps_is_refused(operator, tools):
    with pytest.raises(PerturbationRejected, match="no steps"):
        operator.perturb(Golden("empty", Workflow()), 0.5, tools.rng(0))


def test_on_top_of_a_rewording(operator, suited, tools):
    if not operator.calibrated:
        pytest.skip("only calibration rewords first")
    golden = next(
        golden
        for golden in suited
        if 6 <= golden.n <= 10 and golden.texts.vague and golden.texts.rewordings
        if tools.attempt(operator, golden, 0.1, 1)
    )
    variant = perturb_reworded(operator, golden, 0.1, tools.rng(1))
    own = tools.texts(golden.workflow)
    kept = sum(count for text, count in tools.texts(variant.workflow).items() if text in own)
    assert kept <= 1  # a recorded rewording may leave a step as it is
    with pytest.raises(PerturbationRejected, match="no rewording"):
        perturb_reworded(operator, Golden("bare", golden.workflow), 0.3, tools.rng(1))
