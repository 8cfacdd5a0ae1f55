"""Steps that own rules permit: without them a candidate is what was approved, in graph and alignment."""

from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.compare import Contract, compare
from wfgate.compare.permitted import _without
from wfgate.language import StaticEmbedder
from wfgate.model import END, START, Guard, Link, Task, TaskGraph, Workflow

GROUPS = st.lists(st.integers(1, 3), min_size=1, max_size=4)


def in_turns(turns):
    """The workflow in which each step of a turn follows all steps of the turn before."""
    tasks = tuple(Task(id=name, name=name) for turn in turns for name in turn)
    sides = [[START], *turns, [END]]
    links = tuple(Link(source=a, target=b) for one, two in pairwise(sides) for a in one for b in two)
    return Workflow(tasks=tasks, links=links)


def permitting(golden, candidate, permitted):
    positions = frozenset(place for place, task in enumerate(candidate.tasks) if task.id in permitted)
    return compare(golden, candidate, StaticEmbedder(), contract=Contract(permitted=positions))


@given(GROUPS, st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=4))
def test_without_additional_steps_a_candidate_is_the_golden(sizes, additions):
    names = (f"build part {number}" for number in count(1))
    turns = [[next(names) for _ in range(size)] for size in sizes]
    golden, more = in_turns(turns), [[*turn] for turn in turns]
    extra = [f"write log {number}" for number in range(len(additions))]
    for name, (place, is_parallel) in zip(extra, additions, strict=True):
        if is_parallel and place < len(more):
            more[place].append(name)
        else:
            more.insert(place, [name])
    comparison = permitting(golden, in_turns(more), extra)
    assert {task.id for task in comparison.permitted} == {*extra}
    assert [task.id for task in comparison.candidate.tasks] == [task.id for task in golden.tasks]
    graph, expected = comparison.candidate_graph, TaskGraph.of(golden)
    assert (graph.edges, graph.starts, graph.ends) == (expected.edges, expected.starts, expected.ends)
    assert comparison.similarity.shape == (len(golden.tasks), len(golden.tasks))
    assert all(golden.tasks[one].id == comparison.candidate.tasks[other].id for one, other in comparison.pairs)


@pytest.mark.parametrize("change", [{"guard": Guard(expr="late")}, {"outcome": "failure"}, {"back": True}])
def test_a_step_on_which_others_depend_is_still_compared(change):
    golden, candidate = in_turns([["build"], ["deploy"]]), in_turns([["build"], ["ask"], ["deploy"]])
    links = [link.model_copy(update=change if link.source == "ask" else {}) for link in candidate.links]
    comparison = permitting(golden, candidate.model_copy(update={"links": tuple(links)}), ["ask"])
    assert comparison.permitted == ()
    assert len(comparison.candidate.tasks) == 3


def test_only_what_is_permitted_and_new_is_left_out():
    golden, candidate = in_turns([["build"], ["deploy"]]), in_turns([["build"], ["log"], ["delete"], ["deploy"]])
    assert [task.id for task in permitting(golden, candidate, ["log", "build"]).permitted] == ["log"]


def test_a_crowd_of_additional_steps_costs_no_search_for_each_pair_around_it():
    layers = [[f"{name} {number}" for number in range(100)] for name in ("build", "log", "trace", "ship")]
    reduced = _without(in_turns(layers), {*layers[1], *layers[2]})
    golden = in_turns([layers[0], layers[3]])
    assert reduced.tasks == golden.tasks
    assert {(one.source, one.target) for one in reduced.links} == {(one.source, one.target) for one in golden.links}
