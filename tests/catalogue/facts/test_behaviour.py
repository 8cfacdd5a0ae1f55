"""What enumeration does not reach: failures, loops of single steps, limits, and what answers rest on."""

from functools import partial
from itertools import pairwise

import pytest

from wfgate.catalogue import FactSubject, Question, all_answers, answer
from wfgate.catalogue.facts.answers import UNKNOWN
from wfgate.logic import Behaviour
from wfgate.model import Gateway, Guard, Link, Loop, Task, Workflow

WAYS = {">": "success", "!": "failure", "=": "always", "~": "event"}


def subject(*links, semantics="token", loops=None, gateways=(), join=None):
    """Links as "A>B if p < 0"; "A!B" after a failure, "A=B" in any case, "A~B" on an event, "A<B" back to B."""
    found = []
    for text in links:
        ends, _, guard = text.partition(" if ")
        mark = next(char for char in ends if char in "><!=~")
        source, target = ends.split(mark)
        said = {"outcome": WAYS[mark]} if mark != "<" else {"back": True}
        found.append(Link(source=source, target=target, guard=Guard(expr=guard) if guard else None, **said))
    ids = {link.source for link in found} | {link.target for link in found}
    names = sorted(ids - {"START", "END"} - {gate.id for gate in gateways})
    tasks = tuple(Task(id=n, name=n, loop=(loops or {}).get(n), join=(join or {}).get(n)) for n in names)
    workflow = Workflow(tasks=tasks, links=tuple(found), semantics=semantics, gateways=tuple(gateways))
    return FactSubject.of(workflow)


def ask(asked, fact, **question):
    return answer(asked, fact, Question(**question)).answer


DEPLOY = subject("START>A", "A>B", "A!C", "B>END", "C>END", semantics="dag")


def test_failures_happen_only_where_somebody_says_so():
    assert ask(DEPLOY, "runs-in-every-situation", task="B").value is True
    handler = ask(DEPLOY, "runs-in-every-situation", task="C")
    assert handler.value is False
    assert ask(DEPLOY, "task-order-conditional").value == ("A", "B")
    failed = {"outcome of 'A'": "failure"}
    assert ask(DEPLOY, "task-order-conditional", situation=failed).value == ("A", "C")
    assert ask(DEPLOY, "next-task-conditional", task="A", situation=failed).value == "C"
    assert ask(DEPLOY, "trace", sequence=("A", "C")).value is True
    assert ask(DEPLOY, "trace", sequence=("A", "B", "C")).value is False
    assert ask(DEPLOY, "parallel-to-task", task="B").value == ()
    assert ask(DEPLOY, "links-with-property", task="A", property="exceptional").value == ("C",)
    assert "XOR" in ask(DEPLOY, "operator-existence").witness[0]


def test_a_retry_after_a_failure_is_another_outcome_in_each_pass():
    retried = subject("START>A", "A!A", "A>B", "B>END", semantics="state-machine")
    assert ask(retried, "trace", sequence=("A", "A", "B")).value is True
    assert ask(retried, "trace", sequence=("A", "B", "B")).value is False


def test_a_trace_whose_conditions_turn_between_passes_is_unknown():
    polled = subject("START>A", "A>A if state == 'busy'", "A>B if state == 'done'", "B>END", semantics="state-machine")
    assert ask(polled, "trace", sequence=("A", "B")).value is True
    found = ask(polled, "trace", sequence=("A", "A", "B"))
    assert found.value is None
    assert "unless values change" in found.because


@pytest.mark.parametrize(
    ("loop", "infinite", "ends"),
    [
        (Loop(mode="until", condition="x > 3"), None, "when x > 3"),
        (Loop(mode="while", condition="x > 3"), None, "when x <= 3"),
        (Loop(mode="until", condition="x > 3 and x < 2"), True, "when never"),
        (Loop(mode="while", condition="true"), True, "when never"),
        (Loop(mode="while", condition="true", max=5), False, "after 5 times at most"),
        (Loop(mode="while", condition="false"), False, "when always"),
        (Loop(mode="foreach", over="files"), False, "after the last element of files"),
        (Loop(mode="until"), None, "when «its end»"),
        (Loop(mode="until", condition="the service is healthy"), None, "when «the service is healthy»"),
    ],
)
def test_loops_of_one_step(loop, infinite, ends):
    asked = subject("START>A", "A>END", loops={"A": loop})
    assert ask(asked, "infinite-loop").value is infinite
    assert ends in ask(asked, "loop-end-condition", task="A").value
    assert ask(asked, "tasks-with-property", property="loop").value == ("A",)


def test_a_loop_bounded_beside_one_that_is_not():
    loops = {"A": Loop(mode="while", condition="true"), "B": Loop(mode="foreach")}
    asked = subject("START>A", "A>B", "B>END", loops=loops)
    assert ask(asked, "infinite-loop").value is True
    assert ask(asked, "infinite-loop", task="B").value is False


def test_a_returning_link_without_a_word_is_no_infinite_loop_in_a_dag():
    asked = subject("START>A", "A>B", "B<A", "B>END", semantics="dag")
    assert ask(asked, "infinite-loop").value is None
    assert ask(asked, "loop-end-condition", task="A").value == ("after 'B', without a condition",)
    assert ask(asked, "infinite-loop", task="B").because == "the number of repetitions is not specified"
    token = subject("START>A", "A>B", "B<A", "B>END", semantics="token")
    assert ask(token, "infinite-loop").value is True


def test_unknown_conditions_make_no_certain_answers():
    asked = subject("START>A", "START>B if approved by the board", "START>C if not signed off yet", semantics="token")
    assert ask(asked, "runs-in-every-situation", task="B").value in {None, False}
    both = ask(asked, "parallel-to-task", task="B")
    assert "A" in both.value


def test_what_has_to_wait_depends_on_the_links_that_are_taken():
    asked = subject("START>A", "START>C", "A>B if p < 0", "C>B", "B>END", join={"B": "any"})
    assert ask(asked, "order-of-two", first="A", second="B").value is True
    found = ask(asked, "order-of-two-conditional", first="A", second="B")
    assert (found.value, found.witness) == (False, ("p >= 0",))
    assert ask(asked, "order-of-two-conditional", first="A", second="B", situation={"p": -1}).value is True
    assert ask(asked, "order-of-all-conditional", sequence=("B", "A")).value is True
    assert ask(asked, "order-of-all", sequence=("B", "A")).value is False


def test_branches_called_by_a_word_exclude_each_other():
    gate = Gateway(id="g", op="XOR")
    asked = subject("START>A", "A>g", "g>B if yes", "g>C if no", "B>END", "C>END", gateways=[gate])
    assert ask(asked, "mutually-exclusive", task="A").value is True
    assert ask(asked, "parallel-block-existence").value is False
    assert ask(asked, "operator-block", task="A").witness == ("B", "C")


def test_too_many_conditions_are_unknown_and_no_error(monkeypatch):
    monkeypatch.setattr("wfgate.catalogue.facts.subject.Behaviour.of", partial(Behaviour.of, budget=3))
    links = [f"A>{name} if p{name} > {name}" for name in "123456"] + [f"{name}>Z" for name in "123456"]
    asked = subject("START>A", *links, "Z>END")
    for fact in all_answers(asked):
        assert fact.answer.value is not None or fact.answer.because
    found = ask(asked, "order-of-all-conditional", sequence=("1", "2"))
    assert isinstance(found, UNKNOWN["yes-no"])
    assert found.value is None
    assert not found.exact
    assert ask(asked, "task-order-conditional", situation={"p1": 0}).value is None


@pytest.mark.parametrize("shape", ["row", "block", "ring"])
def test_large_workflows_are_answered_within_counted_limits(shape):
    names = [f"t{place}" for place in range(1_500)]
    links = {
        "row": [f"{a}>{b}" for a, b in pairwise(names)],
        "block": [f"t0>{name}" for name in names[1:]],
        "ring": [f"{a}>{b}" for a, b in pairwise([*names, "t0"])],
    }[shape]
    asked = subject("START>t0", *links, f"{names[-1]}>END", semantics="dag")
    said = {each.id: each.answer for each in all_answers(asked)}
    assert len(said["task-order"].value) == 1_500
    assert said["flow-cycle"].value == (shape == "ring")
    wide = said["parallel-tasks"]
    assert wide.value is None if shape == "block" else wide.value == ()
    assert shape != "block" or "more than 500,000 pairs" in wide.because
