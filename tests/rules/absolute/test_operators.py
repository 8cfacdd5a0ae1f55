"""Operators that are implied, mixed, of no use or misnamed; and the ways in and out of a workflow."""

import pytest

from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow
from wfgate.rules import lint, review

A, B, C = (Task(id=name, name=name.upper()) for name in "abc")


def made(links, gateways=(), semantics="token", tasks=(A, B, C)):
    return Workflow(
        semantics=semantics,
        tasks=tasks,
        gateways=tuple(gateways),
        links=tuple(link if isinstance(link, Link) else Link(source=link[0], target=link[1]) for link in links),
    )


def unclear(workflow):
    return [finding for finding in lint(workflow) if finding.id == "WF107"]


FORK = [(START, "a"), ("a", "b"), ("a", "c"), ("b", END), ("c", END)]


@pytest.mark.parametrize(
    ("semantics", "said"),
    [("token", "all of these links are taken"), ("state-machine", "one of these links is taken")],
)
def test_a_split_without_a_gateway(semantics, said):
    (finding,) = unclear(made(FORK, semantics=semantics))
    assert finding.message == f"2 links without a condition leave 'A', with no gateway between: {said}"
    assert finding.tasks == ("A",)


def test_what_is_no_implied_split():
    assert unclear(made(FORK, semantics="dag")) == []
    guarded = [FORK[0], *(Link(source="a", target=t, guard=Guard(expr=t)) for t in "bc"), *FORK[3:]]
    assert unclear(made(guarded)) == []
    outcomes = [FORK[0], ("a", "b"), Link(source="a", target="c", outcome="failure"), *FORK[3:]]
    assert unclear(made(outcomes)) == []
    loop = [(START, "a"), ("a", "b"), ("b", "c"), Link(source="b", target="a", back=True), ("c", END)]
    assert unclear(made(loop)) == []
    assert unclear(made([(START, "a"), (START, "b"), ("a", "c"), ("b", "c"), ("c", END)])) == []  # WF102


@pytest.mark.parametrize(
    ("links", "gateway", "said"),
    [
        (
            [(START, "a"), (START, "b"), ("a", "g"), ("b", "g"), ("g", "c"), ("g", END)],
            "split",
            "both joins and splits",
        ),
        ([(START, "a"), ("a", "g"), ("g", "b"), ("b", "c")], "split", "has only one incoming and one outgoing link"),
        (
            [(START, "a"), (START, "b"), ("a", "g"), ("b", "g"), ("g", "c")],
            "split",
            "declared as a split, but only joins",
        ),
        ([(START, "a"), ("a", "g"), ("g", "b"), ("g", "c")], "join", "declared as a join, but only splits"),
    ],
)
def test_a_gateway_that_misleads(links, gateway, said):
    (finding,) = unclear(made([*links, ("c", END)], [Gateway(id="g", op="AND", role=gateway)]))
    assert said in finding.message
    assert "'g'" not in finding.message


def test_a_gateway_as_it_should_be():
    split = [(START, "a"), ("a", "g"), ("g", "b"), ("g", "c"), ("b", END), ("c", END)]
    assert unclear(made(split, [Gateway(id="g", op="AND")])) == []
    join = [(START, "a"), (START, "b"), ("a", "g"), ("b", "g"), ("g", "c"), ("c", END)]
    assert unclear(made(join, [Gateway(id="g", op="AND", role="join")])) == []
    kept = [(START, "a"), Link(source="a", target="g", outcome="failure"), ("g", "b"), ("b", "c"), ("c", END)]
    assert unclear(made(kept, [Gateway(id="g", op="XOR")])) == []


def test_guards_behind_an_and_split():
    links = [(START, "a"), ("a", "g"), Link(source="g", target="b", guard=Guard(expr="x")), ("g", "c"), *FORK[3:]]
    (finding,) = unclear(made(links, [Gateway(id="g", op="AND")]))
    assert "takes all links" in finding.message
    assert unclear(made(links, [Gateway(id="g", op="OR")])) == []


def ends(compare_by_name, golden, candidate):
    findings = review(compare_by_name(golden, candidate))
    return [finding.message for finding in findings if finding.id == "WR121"]


CHAIN = [(START, "a"), ("a", "b"), ("b", "c"), ("c", END)]


def test_a_second_way_in_and_out(compare_by_name):
    chain = made(CHAIN)
    assert ends(compare_by_name, chain, made([*CHAIN, (START, "c")])) == [
        "'C' is now a first step of the workflow, which can now start with it"
    ]
    assert ends(compare_by_name, made([*CHAIN, ("a", END)]), chain) == [
        "'A' is no longer a last step of the workflow, which can not end after it"
    ]


def test_ways_in_that_something_else_explains(compare_by_name):
    chain = made(CHAIN)
    missing = made([(START, "b"), ("b", "c"), ("c", END)], tasks=(B, C))
    assert ends(compare_by_name, chain, missing) == ends(compare_by_name, missing, chain) == []
    turned = made([(START, "b"), ("b", "a"), ("a", "c"), ("c", END)])
    assert ends(compare_by_name, chain, turned) == []
    loose = made([(START, "a"), ("a", "b"), ("b", END), (START, "c"), ("c", END)])
    assert ends(compare_by_name, chain, loose) == []
    cut = made([(START, "a"), ("a", "b"), ("b", END), ("c", END)])  # WF105
    assert ends(compare_by_name, loose, cut) == []
    assert ends(compare_by_name, chain, made(CHAIN[1:])) == []  # WF101
    extra = made([*CHAIN, (START, "d"), ("d", "c")], tasks=(A, B, C, Task(id="d", name="D")))  # WR102
    assert ends(compare_by_name, chain, extra) == ends(compare_by_name, extra, chain) == []
