"""Soundness as findings: what is said, where it is silent, and what it does not depend on."""

import pytest

from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow
from wfgate.rules import lint, review
from wfgate.rules.base import Subject

OURS = {"WF201", "WF202", "WF203", "WF205", "WR601"}


def workflow(*links, gateways=(), semantics="token", **joins):
    ends = [text.split() for text in links]
    made = tuple(Gateway(id=gate[0], op=gate[1], role=gate[2]) for gate in map(str.split, gateways))
    known = {START, END, *(gateway.id for gateway in made)}
    ids = sorted({end.rstrip("?") for pair in ends for end in pair} - known)
    return Workflow(
        semantics=semantics,
        tasks=tuple(Task(id=name, name=name.capitalize(), join=joins.get(name)) for name in ids),
        gateways=made,
        links=tuple(
            Link(source=a.rstrip("?"), target=b, guard=Guard(expr=b) if a.endswith("?") else None) for a, b in ends
        ),
    )


def ours(findings):
    return [finding for finding in findings if finding.id in OURS]


CHOICE = ("START order", "order? pick", "order? invoice", "pick ship", "invoice ship", "ship END")


def test_a_deadlock_names_who_waits_for_whom_and_how_it_comes_about():
    (finding,) = ours(lint(workflow(*CHOICE, ship="all")))
    assert (finding.id, finding.tasks) == ("WF201", ("Ship", "Invoice", "Pick"))
    assert finding.message == "'Ship' waits for 'Invoice' and 'Pick', of which only one is chosen"
    assert finding.witness in {("Order", "Invoice"), ("Order", "Pick")}


def test_a_join_in_a_cycle_waits_for_itself():
    (finding,) = ours(lint(workflow("START a", "a b", "b? a", "b? END", a="all")))
    assert finding.id == "WF201"
    assert "'B', which comes after it" in finding.message


def test_a_merge_without_waiting_names_the_ways_that_meet():
    parallel = workflow(*(link.replace("?", "") for link in CHOICE))
    (finding,) = ours(lint(parallel))
    assert finding.id == "WF202"
    assert (
        finding.message == "'Ship' can run twice: 'Invoice' and 'Pick' run in parallel and are merged without waiting"
    )
    assert finding.witness[-2:].count("Ship") + finding.witness.count("Ship") >= 2
    assert ours(lint(parallel.model_copy(update={"semantics": "dag"}))) == []
    assert ours(lint(parallel.model_copy(update={"semantics": "state-machine"}))) == []


def test_a_way_back_beside_the_way_out_never_ends():
    (finding,) = ours(lint(workflow("START draft", "draft review", "review draft", "review END")))
    assert (finding.id, finding.tasks) == ("WF203", ("Review",))


@pytest.mark.parametrize(
    "links",
    [
        ("START a", "a b", "a c", "b END", "c d"),  # a dead end: WF106
        ("START a", "a b", "b END", "c b"),  # unreachable: WF105
        ("START a", "a b", "a c", "b END", "c d", "d c"),  # a cycle without exit: WF310
        ("a b", "b END"),  # no start: WF101
        ("START a", "a b"),  # no end: WF103
    ],
)
def test_what_the_connections_explain_is_not_said_twice(links):
    ids = {finding.id for finding in lint(workflow(*links, b="all"))}
    assert ids
    assert not ids & OURS


def test_an_or_join_without_its_split_is_named_by_what_follows():
    links = ("START s", "s a", "s b", "a? j", "a? END", "b j", "j close", "close END")
    gateways = ("s AND split", "j OR join")
    (finding,) = ours(lint(workflow(*links, gateways=gateways)))
    assert (finding.id, finding.severity, finding.tasks) == ("WF205", "warning", ("Close",))
    assert Subject.of(workflow(*links, gateways=gateways)).soundness.sound is None


def test_lost_soundness_is_an_error_once(compare_by_name):
    golden, candidate = workflow(*CHOICE), workflow(*CHOICE, ship="all")
    found = ours(review(compare_by_name(golden, candidate)))
    assert [(finding.id, finding.severity) for finding in found] == [("WF201", "error"), ("WR601", "info")]
    assert "see WF201" in found[1].message
    assert [finding.pre_existing for finding in ours(review(compare_by_name(candidate, candidate)))] == [True]
    assert ours(review(compare_by_name(candidate, golden))) == []
