"""Data that no longer get where they are needed."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden, read_corpus
from wfgate.calibration.perturb.base import affected_count
from wfgate.errors import PerturbationRejected
from wfgate.logic import DataFlow
from wfgate.model import START, DataLink, Link, Task, Workflow, fingerprint

from ...hypothesis_examples import examples

UNLINKED = PERTURBATIONS["data-unlinked"]
PROCESSTBENCH = Path(__file__).parents[3] / "calibration" / "corpora" / "processtbench"
CASES = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
SEVERITY = st.sampled_from([0.1, 0.3, 0.5])
SEED = st.integers(0, 99)
DATA = ("rows", "model", "report")


def flows(workflow):
    """Return which step gets which datum from which earlier one."""
    data = DataFlow.of(workflow)
    return {
        (writer, reader, datum)
        for reader, names in enumerate(data.inputs)
        for datum in names
        for writer in data.sources(reader, datum)
        if writer != reader
    }


def line(*data, **fields):
    """Return a golden of steps in a row, given what each reads and writes: "rows>model"."""
    tasks = []
    for place, said in enumerate(data):
        reads, writes = (tuple(side.split()) for side in said.split(">"))
        tasks.append(Task(id=f"t{place}", name=f"do {place}", inputs=reads, outputs=writes))
    links = tuple(Link(source=f"t{place}", target=f"t{place + 1}") for place in range(len(data) - 1))
    return Golden("line", Workflow(tasks=tuple(tasks), links=links, **fields))


@st.composite
def with_data(draw, dags):
    """Strategy: goldens whose steps read and write data, some of it over data links."""
    golden = draw(dags)
    some = st.lists(st.sampled_from(DATA), unique=True, max_size=2).map(tuple)
    tasks = [task.model_copy(update={"inputs": draw(some), "outputs": draw(some)}) for task in golden.workflow.tasks]
    node = st.sampled_from([START, *(task.id for task in tasks)])
    data = draw(st.lists(st.builds(DataLink, source=node, target=node, data=st.sampled_from(DATA)), max_size=5))
    update = {"tasks": tuple(tasks), "data_links": tuple(data)}
    return Golden("data", golden.workflow.model_copy(update=update))


def test_the_data_of_k_dependencies_are_lost_and_none_is_new(tools):
    @CASES
    @given(with_data(tools.dags(least=2)), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(UNLINKED, golden, severity, seed)
        if variant is None:
            return
        lost = flows(golden.workflow) - flows(variant.workflow)
        assert flows(variant.workflow) <= flows(golden.workflow)
        assert len(lost) >= affected_count(severity, golden.n)
        assert {reader for _, reader, _ in lost} == set(variant.affected)
        assert fingerprint(variant.workflow) != fingerprint(golden.workflow)

    holds()


def test_only_inputs_and_data_links_change(tools):
    @CASES
    @given(with_data(tools.dags(least=2)), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(UNLINKED, golden, severity, seed)
        if variant is None:
            return
        old, new = golden.workflow, variant.workflow
        assert new.model_copy(update={"tasks": old.tasks, "data_links": old.data_links}) == old
        assert set(new.data_links) <= set(old.data_links)
        for one, two in zip(old.tasks, new.tasks, strict=True):
            assert two.model_copy(update={"inputs": one.inputs}) == one
            assert set(two.inputs) <= set(one.inputs)

    holds()


def test_a_data_link_is_lost(tools):
    data = (DataLink(source="t0", target="t1", data="rows"), DataLink(source="t0", target="t2", data="rows"))
    golden = line(">", ">", ">", data_links=data)
    for seed in range(10):
        variant = UNLINKED.perturb(golden, 0.3, tools.rng(seed))
        assert len(variant.workflow.data_links) == 1
        assert variant.workflow.data_links[0].target != f"t{variant.affected[0]}"
    assert UNLINKED.perturb(golden, 0.6, tools.rng(0)).workflow.data_links == ()


def test_a_data_link_goes_with_the_input_that_says_the_same(tools):
    golden = line(">rows", "rows>", data_links=(DataLink(source="t0", target="t1", data="rows"),))
    variant = UNLINKED.perturb(golden, 0.5, tools.rng(0))
    assert variant.workflow.data_links == ()
    assert variant.workflow.tasks[1].inputs == ()
    assert variant.workflow.tasks[0].outputs == ("rows",)


def test_an_input_is_lost_and_other_readers_keep_theirs(tools):
    golden = line(">rows model", "rows model>", "rows>")
    found = {
        (variant.affected, tuple(task.inputs for task in variant.workflow.tasks))
        for variant in (UNLINKED.perturb(golden, 0.3, tools.rng(seed)) for seed in range(30))
    }
    assert found == {
        ((1,), ((), ("model",), ("rows",))),
        ((1,), ((), ("rows",), ("rows",))),
        ((2,), ((), ("rows", "model"), ())),
    }


@pytest.mark.parametrize(
    "golden",
    [
        line(">", ">"),
        line("rows>", "rows>"),  # nobody writes it
        line("rows>", ">rows"),  # written only afterwards
        line("rows>rows", ">"),  # its own
        line(">", ">", data_links=(DataLink(source=START, target="t1", data="rows"),)),
        line(">rows", "rows>", data_links=(DataLink(source=START, target="t1", data="rows"),)),  # it still gets some
    ],
)
def test_no_dependency_between_steps_is_refused(golden, tools):
    with pytest.raises(PerturbationRejected, match="too few data dependencies"):
        UNLINKED.perturb(golden, 0.3, tools.rng(0))


def test_what_a_data_link_alone_says_of_its_writer_is_not_lost_for_others(tools):
    golden = line(">", "rows>", "rows>", data_links=(DataLink(source="t0", target="t1", data="rows"),))
    seen = {seed: tools.attempt(UNLINKED, golden, 0.3, seed) for seed in range(20)}
    assert {variant and variant.affected for variant in seen.values()} == {None, (2,)}
    refused = next(seed for seed, variant in seen.items() if variant is None)
    with pytest.raises(PerturbationRejected, match="another step would lose"):
        UNLINKED.perturb(golden, 0.3, tools.rng(refused))


def test_real_data_links(tools):
    goldens = read_corpus([PROCESSTBENCH]).goldens[:60]
    done = 0
    for seed, golden in enumerate(goldens):
        variant = tools.attempt(UNLINKED, golden, 0.3, seed)
        if variant is not None:
            done += 1
            assert len(flows(golden.workflow) - flows(variant.workflow)) >= affected_count(0.3, golden.n)
    assert done > len(goldens) / 2


def test_broken_goldens_are_refused_or_changed(tools):
    @CASES
    @given(st.one_of(tools.broken(), tools.broken().map(tools.furnished)), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(UNLINKED, golden, severity, seed)
        if variant is not None:
            assert fingerprint(variant.workflow) != fingerprint(golden.workflow)
            assert tools.shape(variant.workflow) == tools.shape(golden.workflow)

    holds()
