"""Data that a candidate lost, beyond what the pairs show."""

import itertools

from wfgate.model import END, START, DataLink, Link, Task, Workflow
from wfgate.rules import review


def chain(*uses, **more):
    """Steps one after the other, by name, what they read and what they write."""
    tasks = [
        Task(id=f"t{place}", name=name, inputs=tuple(reads.split()), outputs=tuple(writes.split()))
        for place, (name, reads, writes) in enumerate(uses)
    ]
    nodes = [START, *(task.id for task in tasks), END]
    links = [Link(source=a, target=b) for a, b in itertools.pairwise(nodes)]
    return Workflow(tasks=tuple(tasks), links=tuple(links), **more)


def changes(comparison):
    return [(f.id, *f.tasks) for f in review(comparison) if f.id.startswith("WR4")]


GOLDEN = (("Build", "", "image log"), ("Scan", "image", "findings"), ("Deploy", "image findings", ""))


def test_one_of_two_names_changes_places_with_a_new_one(compare_by_name):
    golden = chain(*GOLDEN)
    renamed = chain(
        ("Build", "", "container log"), ("Scan", "container", "findings"), ("Deploy", "container findings", "")
    )
    assert changes(compare_by_name(golden, renamed)) == []
    half = chain(("Build", "", "container image log"), ("Scan", "container", "findings"), GOLDEN[2])
    assert changes(compare_by_name(golden, half)) == []


def test_a_producer_that_renames_alone_leaves_its_readers_without(compare_by_name):
    alone = chain(("Build", "", "container log"), *GOLDEN[1:])
    findings = review(compare_by_name(chain(*GOLDEN), alone))
    assert [(f.id, *f.tasks) for f in findings if f.severity == "error"] == [
        ("WF401", "Scan", "Deploy"),
        ("WR401", "Build"),
    ]


def test_names_that_are_exchanged_are_no_renames(compare_by_name):
    swapped = chain(("Build", "", "findings log"), ("Scan", "image", "image"), GOLDEN[2])
    assert changes(compare_by_name(chain(*GOLDEN), swapped)) != []


def test_a_step_that_was_split_still_gets_and_gives_its_data(compare_by_name):
    parts = chain(("Build", "", "image log"), ("Fetch", "image", "layers"), ("Scan", "layers", "findings"), GOLDEN[2])
    splits = {"Scan": ["Fetch", "Scan"]}
    assert changes(compare_by_name(chain(*GOLDEN), parts, None, None, splits)) == []
    assert changes(compare_by_name(chain(*GOLDEN), parts)) == [("WR402", "Scan")]


def test_a_parameter_that_is_no_longer_read_is_a_lost_consumer(compare_by_name):
    golden = chain(("Build", "branch", "image"), ("Deploy", "image", ""), params={"branch": "main"})
    fixed = chain(("Build", "", "image"), ("Deploy", "image", ""), params={"branch": "main"})
    assert changes(compare_by_name(golden, fixed)) == [("WR402", "Build")]


def test_lost_order_is_not_said_again_as_lost_data(compare_by_name):
    links = (DataLink(source="t0", target="t1", data="image"),)
    golden = chain(("Build", "", ""), ("Deploy", "", ""), data_links=links)
    same_order = golden.model_copy(update={"data_links": ()})
    assert changes(compare_by_name(golden, same_order)) == [("WR403", "Build", "Deploy")]
    apart = same_order.model_copy(
        update={"links": tuple(Link(source=a, target=b) for t in ("t0", "t1") for a, b in ((START, t), (t, END)))}
    )
    assert changes(compare_by_name(golden, apart)) == []


def test_a_missing_step_takes_its_data_with_it(compare_by_name):
    fewer = chain(GOLDEN[0], ("Deploy", "image", ""))
    assert changes(compare_by_name(chain(*GOLDEN), fewer)) == []
