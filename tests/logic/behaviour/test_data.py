"""Producers and consumers, data links, and what composites write."""

from hypothesis import given
from hypothesis import strategies as st

from wfgate.logic import DataFlow, written_inside
from wfgate.model import END, START, DataItem, DataLink, Task, Workflow

NAMES = ("image", "report", "url")


def task(name, inputs=(), outputs=(), **more):
    return Task(id=name, name=name, inputs=tuple(inputs), outputs=tuple(outputs), **more)


def test_outputs_inputs_parameters_and_declared_data():
    flow = DataFlow.of(
        Workflow(
            tasks=(task("a", outputs=["image"]), task("b", ["image", "branch"], ["report"]), task("c", ["extra"])),
            params={"branch": "main"},
            data_items=(DataItem(id="extra"), DataItem(id="report")),
        )
    )
    assert flow.producers("image") == (0,)
    assert flow.consumers("image") == (1,)
    assert flow.producers("extra") == ()
    assert flow.given == {"branch", "extra"}
    assert flow.names == ("branch", "extra", "image", "report")


def test_a_data_link_says_whose_value_is_read():
    tasks = (task("a", outputs=["image"]), task("b", outputs=["image"]), task("c", ["image"]), task("d", ["image"]))
    flow = DataFlow.of(Workflow(tasks=tasks, data_links=(DataLink(source="a", target="c", data="image"),)))
    assert flow.sources(2, "image") == (0,)
    assert flow.sources(3, "image") == (0, 1)
    assert flow.stated_inputs == flow.inputs


def test_data_links_with_the_outside_and_with_nothing():
    links = (
        DataLink(source=START, target="a", data="request"),
        DataLink(source="a", target=END, data="answer"),
        DataLink(source="nowhere", target="a", data="lost"),
    )
    flow = DataFlow.of(Workflow(tasks=(task("a"),), data_links=links))
    assert flow.given == flow.from_start == {"request"}
    assert flow.to_end == {"answer"}
    assert flow.consumers("lost") == (0,)
    assert flow.sources(0, "lost") == ()
    assert flow.stated_inputs == (frozenset(),)


def test_a_composite_without_outputs_writes_what_its_sub_workflow_writes():
    inner = Workflow(name="checks", tasks=(task("scan", outputs=["report"]), task("deeper", workflow="signing")))
    deepest = Workflow(name="signing", tasks=(task("sign", outputs=["signature"]), task("again", workflow="checks")))
    closed = task("c", workflow="checks")
    main = Workflow(tasks=(closed, closed.model_copy(update={"id": "d", "outputs": ("url",)})))
    main = main.model_copy(update={"subworkflows": (inner, deepest)})
    flow = DataFlow.of(main)
    assert flow.stated_outputs == ({"report", "signature"}, {"url"})
    assert DataFlow.of(inner, main.subworkflows).producers("signature") == (1,)
    assert written_inside(main.subworkflows)["signing"] == {"report", "signature"}


@given(st.lists(st.tuples(st.sets(st.sampled_from(NAMES)), st.sets(st.sampled_from(NAMES))), max_size=5))
def test_producers_and_consumers_agree_with_the_tasks(uses):
    tasks = tuple(task(f"t{place}", sorted(reads), sorted(writes)) for place, (reads, writes) in enumerate(uses))
    flow = DataFlow.of(Workflow(tasks=tasks))
    for name in NAMES:
        assert flow.producers(name) == tuple(place for place, (_, writes) in enumerate(uses) if name in writes)
        assert flow.consumers(name) == tuple(place for place, (reads, _) in enumerate(uses) if name in reads)
        for place, (reads, _) in enumerate(uses):
            assert (name in flow.inputs[place]) == (name in reads)
