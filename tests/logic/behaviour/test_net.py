"""What a workflow becomes as a net, and what is left of it when it is reduced."""

import pytest

from wfgate.logic import Soundness
from wfgate.logic.behaviour.net import Net, Opaque
from wfgate.logic.behaviour.reduction import Kernel, transitions_of
from wfgate.logic.behaviour.token_flow import TokenFlow
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow


def workflow(links, *, gateways=(), joins=None, semantics="token"):
    """Links as "a b", "a? b" with a guard, "a?default b" by default, "a!event b" with an outcome."""
    built = []
    for text in links:
        source, target = text.split()
        source, _, outcome = source.partition("!")
        source, asks, default = source.partition("?")
        guard = Guard(expr=f"to {target}", default=bool(default)) if asks else None
        built.append(Link(source=source, target=target, guard=guard, outcome=outcome or "success"))
    made = tuple(Gateway(id=gate[0], op=gate[1], role=gate[2]) for gate in map(str.split, gateways))
    known = {START, END, *(gateway.id for gateway in made)}
    ids = sorted({end for link in built for end in (link.source, link.target)} - known)
    tasks = tuple(Task(id=name, name=name, join=(joins or {}).get(name)) for name in ids)
    return Workflow(semantics=semantics, tasks=tasks, gateways=made, links=tuple(built))


def net(*links, **more):
    return Net.of(TokenFlow.of(workflow(links, **more)))


def shape(net):
    """How many tokens each transition takes and puts."""
    return sorted((len(transition.pre), len(transition.post)) for transition in net.transitions)


def test_links_without_guards_are_all_taken_and_guarded_ones_are_alternatives():
    assert shape(net("START a", "a b", "a c", "b END", "c END")) == [(1, 1), (1, 1), (1, 1), (1, 2)]
    assert shape(net("START a", "a? b", "a? c", "b END", "c END")) == [(1, 1)] * 5
    assert shape(net("START a", "a b", "a? c", "b END", "c END")) == [(1, 1)] * 4 + [(1, 2)]
    assert shape(net("START a", "a b", "a?default c", "b END", "c END")) == [(1, 1)] * 3 + [(1, 2)]


def test_a_returning_link_is_taken_instead_of_the_others():
    loop = workflow(["START a", "a b", "b a", "b END"])
    assert Soundness.of(loop).defect == "no-option-to-complete"
    marked = tuple(link.model_copy(update={"back": (link.source, link.target) == ("b", "a")}) for link in loop.links)
    assert Soundness.of(loop.model_copy(update={"links": marked})).sound


def test_outcomes_exclude_each_other_and_events_come_on_top():
    assert shape(net("START a", "a END", "a!failure b", "b END")) == [(1, 1)] * 4
    assert shape(net("START a", "a END", "a!event b", "b END")) == [(1, 1)] * 3 + [(1, 2)]
    assert shape(net("START a", "a!failure b", "b END")) == [(1, 1)] * 4


def test_an_event_of_a_repeated_step_occurs_once_in_a_run():
    answer = Soundness.of(workflow(["START a", "a!event b", "b END", "a? a", "a? END"]))
    assert answer.sound


def test_an_end_event_takes_tokens_one_by_one_and_a_last_step_does_not():
    last = workflow(["START a", "a b", "a c", "b d", "c d", "d END"])
    assert Soundness.of(last).defect == "lack-of-synchronisation"
    tasks = tuple(task.model_copy(update={"kind": "event"}) if task.id == "d" else task for task in last.tasks)
    assert Soundness.of(last.model_copy(update={"tasks": tasks})).sound


def test_a_state_machine_has_one_token():
    links = ("START a", "a b", "a c", "b d", "c d", "d END", "d a")
    assert shape(net(*links, semantics="state-machine")) == [(1, 1)] * 7
    assert Soundness.of(workflow(links, semantics="state-machine")).sound


@pytest.mark.parametrize(("op", "options"), [("AND", 1), ("XOR", 2), ("OR", 3)])
def test_a_split_has_a_transition_for_each_way_in_which_it_can_be_left(op, options):
    built = net("START s", "s a", "s b", "a END", "b END", gateways=[f"s {op} split"])
    assert len(built.transitions) == options + 3


def test_an_or_join_waits_for_what_was_chosen_if_it_closes_a_block():
    links = ["START s", "s a", "s b", "s c", "a j", "b j", "c j", "j END"]
    for op in ("AND", "XOR", "OR"):
        answer = Soundness.of(workflow(links, gateways=[f"s {op} split", "j OR join"]))
        assert answer.sound, op


def test_an_or_join_that_closes_no_block_makes_no_net():
    links = ["START s", "s a", "s b", "a t", "t j", "t END", "b j", "j END"]
    gateways = ["s AND split", "t XOR split", "j OR join"]
    built = net(*links, gateways=gateways)
    assert isinstance(built, Opaque)
    assert "has no matching split" in built.why
    answer = Soundness.of(workflow(links, gateways=gateways))
    assert (answer.sound, answer.because, answer.unmatched) == (None, built.why, ((),))


def test_an_or_split_that_is_too_wide_to_be_spelt_out_makes_no_net():
    ways = [f"s t{number}" for number in range(9)] + [f"t{number} END" for number in range(9)]
    built = net("START s", *ways, gateways=["s OR split"])
    assert isinstance(built, Opaque)
    assert "more than" in built.why


def test_what_nobody_plays_is_unknown_with_the_reason():
    links = ["START a", "a b", "a c", "b d", "c d", "d END"]
    assert Soundness.of(workflow(links, semantics="dag")).because == "soundness is not defined for dag semantics"
    assert "a join expression" in Soundness.of(workflow(links, joins={"d": "b or c"})).because
    skipped = workflow(["START a", "a b", "a!skipped b", "b END"])
    assert "is skipped" in Soundness.of(skipped).because


def test_numbers_depend_neither_on_ids_nor_on_listing():
    one = workflow(["START a", "a b", "a c", "b d", "c d", "d END"], joins={"d": "all"})
    ids = {"a": "z", "b": "y", "c": "x", "d": "w"}
    tasks = tuple(task.model_copy(update={"id": ids[task.id]}) for task in one.tasks[::-1])
    links = tuple(
        Link(source=ids.get(link.source, link.source), target=ids.get(link.target, link.target))
        for link in one.links[::-1]
    )
    first, second = TokenFlow.of(one), TokenFlow.of(one.model_copy(update={"tasks": tasks, "links": links}))
    assert [first.called(node) for node in range(6)] == [second.called(node) for node in range(6)]
    assert Net.of(first) == Net.of(second)


def test_a_sound_net_is_reduced_to_nothing_that_could_go_wrong():
    built = net("START a", "a b", "a c", "b d", "c d", "d? a", "d? END", joins={"d": "all"})
    kernel = Kernel.of(built)
    assert kernel.is_trivial
    assert not Kernel.of(net("START a", "a b", "a c", "b d", "c d", "d END")).is_trivial


def test_what_fires_in_a_reduced_net_is_a_story_of_the_net():
    built = net("START a", "a b", "a c", "b d", "c d", "d END")
    kernel = Kernel.of(built)
    for _, _, story in kernel.transitions:
        assert all(0 <= transition < len(built.transitions) for transition in transitions_of(story))
