"""Names of nodes for messages."""

from wfgate.logic import Flow
from wfgate.model import END, Gateway, Link, Task, Workflow, named, plain


def test_the_steps_around_a_gateway_are_sorted_by_their_text_marked_or_not():
    ways = (("fork", "END"), ("fork", "b"), ("fork", "c"), ("b", "END"), ("c", "END"))
    workflow = Workflow(
        tasks=(Task(id="b", name="Build"), Task(id="c", name="Check")),
        gateways=(Gateway(id="fork", op="XOR"),),
        links=tuple(Link(source=source, target=target) for source, target in ways),
    )
    flow = Flow.of(workflow)
    task, other, fork = range(3)
    assert flow.labels[fork] == "the XOR split before 'Build' and 'Check' and END"
    names = {task: named("Build", "Build"), other: named("Check", "Check"), flow.end: END}
    assert plain(flow.gateway_label(fork, names.__getitem__)) == flow.labels[fork]
