"""Steps put in a sequence, and steps that no longer wait."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.calibration.perturb.base import affected_count
from wfgate.errors import PerturbationRejected
from wfgate.logic import Behaviour
from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Task, TaskGraph, Workflow

from ...hypothesis_examples import examples

CASES = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
SEVERITY = st.sampled_from([0.1, 0.3, 0.5])
SEED = st.integers(0, 99)
BOTH = pytest.mark.parametrize("name", ["serialised", "parallelised"])


def pairs(graph):
    return {(a, b) for a in range(graph.n) for b in range(graph.n) if graph.precedes(a, b)}


def flow(*ways, **fields):
    """Return a golden from links written "a>b"; the first and last steps are linked with START and END."""
    ends = [way.split(">") for way in ways]
    ids = sorted({end for way in ends for end in way})
    links = [Link(source=a, target=b) for a, b in ends]
    links += [Link(source=START, target=i) for i in ids if i not in {b for _, b in ends}]
    links += [Link(source=i, target=END) for i in ids if i not in {a for a, _ in ends}]
    tasks = tuple(Task(id=i, name=f"do {i}") for i in ids)
    return Golden("flow", Workflow(**{"tasks": tasks, "links": tuple(links), **fields}))


def links(variant):
    return {f"{link.source}>{link.target}" for link in variant.workflow.links}


@BOTH
def test_only_links_change(name, tools):
    @CASES
    @given(tools.dags(least=2), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS[name], golden, severity, seed)
        if variant is None:
            return
        assert len(variant.affected) == affected_count(severity, golden.n)
        assert variant.workflow.model_copy(update={"links": golden.workflow.links}) == golden.workflow
        assert tools.reach(variant.workflow) == tools.reach(golden.workflow)
        assert not TaskGraph.of(variant.workflow).cycles

    holds()


def test_serialised_steps_wait_for_one_that_they_ran_beside(tools):
    @CASES
    @given(tools.dags(least=2), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["serialised"], golden, severity, seed)
        if variant is None:
            return
        old, new = golden.graph, TaskGraph.of(variant.workflow)
        assert pairs(old) < pairs(new)
        added = pairs(new) - pairs(old)
        assert all((b, a) not in pairs(old) for a, b in added)
        for step in variant.affected:
            assert any(b == step for a, b in added)

    holds()


def test_every_step_beside_another_one_can_wait_for_it(tools):
    @CASES
    @given(tools.dags(least=2), SEED)
    def holds(golden, seed):
        beside = any(not {(a, b), (b, a)} & pairs(golden.graph) for a in range(golden.n) for b in range(a))
        assert (tools.attempt(PERTURBATIONS["serialised"], golden, 0.01, seed) is not None) == beside

    holds()


def test_a_sequence_has_no_superfluous_links(tools):
    golden = flow("a>b", "a>c", "b>d", "c>d")
    found = {frozenset(links(PERTURBATIONS["serialised"].perturb(golden, 0.25, tools.rng(s)))) for s in range(9)}
    ends = {"START>a", "d>END"}
    assert found == {frozenset({"a>b", "b>c", "c>d"} | ends), frozenset({"a>c", "c>b", "b>d"} | ends)}


def test_steps_without_any_order_are_lined_up(tools):
    tasks = (Task(id="a", name="do a"), Task(id="b", name="do b"))
    ends = [Link(source=START, target=i) for i in "ab"] + [Link(source=i, target=END) for i in "ab"]
    golden = Golden("two", Workflow(tasks=tasks, links=tuple(ends)))
    found = {frozenset(links(PERTURBATIONS["serialised"].perturb(golden, 0.5, tools.rng(s)))) for s in range(9)}
    assert found == {frozenset({"START>a", "a>b", "b>END"}), frozenset({"START>b", "b>a", "a>END"})}


def test_parallelised_steps_lose_exactly_one_predecessor_each(tools):
    @CASES
    @given(tools.dags(least=2), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["parallelised"], golden, severity, seed)
        if variant is None:
            return
        lost = pairs(golden.graph) - pairs(TaskGraph.of(variant.workflow))
        assert pairs(TaskGraph.of(variant.workflow)) < pairs(golden.graph)
        assert sorted(b for _, b in lost) == list(variant.affected)
        assert tools.attempt(PERTURBATIONS["parallelised"], golden, severity, seed) == variant

    holds()


def test_any_ordered_step_can_run_beside_one_before_it(tools):
    @CASES
    @given(tools.dags(least=2), SEED)
    def holds(golden, seed):
        found = tools.attempt(PERTURBATIONS["parallelised"], golden, 0.01, seed)
        assert (found is not None) == bool(golden.graph.edges)

    holds()


def test_a_parallelised_step_takes_over_what_stood_around(tools):
    golden = flow("a>b", "b>c", "c>d")
    found = {frozenset(links(PERTURBATIONS["parallelised"].perturb(golden, 0.25, tools.rng(s)))) for s in range(20)}
    assert found == {
        frozenset({"START>a", "START>b", "a>c", "b>c", "c>d", "d>END"}),
        frozenset({"START>a", "a>b", "a>c", "b>d", "c>d", "d>END"}),
        frozenset({"START>a", "a>b", "b>c", "b>d", "c>END", "d>END"}),
    }


@BOTH
def test_nothing_to_do_is_refused(name, tools):
    golden = flow("a>b", "b>c") if name == "serialised" else Golden("one", Workflow(tasks=(Task(id="a", name="a"),)))
    with pytest.raises(PerturbationRejected, match="too few steps that"):
        PERTURBATIONS[name].perturb(golden, 0.3, tools.rng(0))


@BOTH
@pytest.mark.parametrize(
    "fields", [{"semantics": "token"}, {"semantics": "state-machine"}, {"gateways": (Gateway(id="g", op="XOR"),)}]
)
def test_where_tokens_flow_links_are_no_order(name, fields, tools):
    with pytest.raises(PerturbationRejected, match="links say more"):
        PERTURBATIONS[name].perturb(flow("a>b", "a>c", **fields), 0.3, tools.rng(0))


@BOTH
def test_when_steps_run_stays_as_it_is(name, tools):
    @CASES
    @given(tools.dags(least=3), st.data())
    def holds(golden, data):
        some = data.draw(st.sets(st.integers(0, len(golden.workflow.links) - 1), min_size=1, max_size=2))
        asked = [
            link.model_copy(update={"guard": Guard(expr=f"x{place} > 1")}) if place in some else link
            for place, link in enumerate(golden.workflow.links)
        ]
        tasks = list(golden.workflow.tasks)
        tasks[0] = tasks[0].model_copy(update={"join": data.draw(st.sampled_from([None, "any"]))})
        workflow = golden.workflow.model_copy(update={"links": tuple(asked), "tasks": tuple(tasks)})
        variant = tools.attempt(PERTURBATIONS[name], Golden("asked", workflow), 0.1, data.draw(SEED))
        if variant is None:
            return
        was, now = Behaviour.of(workflow), Behaviour.of(variant.workflow)
        for task in range(golden.n):
            one, other = (behaviour.space.words(behaviour.runs[task], 99) for behaviour in (was, now))
            assert one == other
        assert {link for link in asked if link.guard and END not in link.target} <= set(variant.workflow.links)

    holds()


@BOTH
def test_loops_and_data_stay(name, tools):
    golden = flow("a>b", "b>c", "c>d", "a>e", "e>d")
    loop, data = Link(source="c", target="b", back=True), DataLink(source="a", target="e", data="rows")
    update = {"links": (*golden.workflow.links, loop), "data_links": (data,)}
    golden = Golden("loop", golden.workflow.model_copy(update=update))
    for seed in range(10):
        variant = PERTURBATIONS[name].perturb(golden, 0.1, tools.rng(seed))
        assert loop in variant.workflow.links
        assert variant.workflow.data_links == (data,)
