"""Random workflows, and the same ones under other ids and in another listing order."""

import pytest
from hypothesis import strategies as st

from wfgate.model import END, START, Link, Task, Workflow


def build(labels, edges, *, order=None, backs=(), **more):
    """Tasks by position; `order` lists them differently, under other ids. -1 stands for START and END."""
    order = list(range(len(labels))) if order is None else list(order)
    ids = {task: f"{place}-{task}" for place, task in enumerate(order)}

    def links(pairs, *, back):
        return tuple(
            Link(source=ids.get(a, START), target=ids.get(b, END), back=back) for a, b in sorted(pairs, key=str)
        )

    return Workflow(
        tasks=tuple(Task(id=ids[task], name=labels[task]) for task in order),
        links=links(edges, back=False) + links(backs, back=True),
        **more,
    )


@st.composite
def labelled_graphs(draw, most=7, names="AB"):
    n = draw(st.integers(0, most))
    labels = draw(st.lists(st.sampled_from(names), min_size=n, max_size=n))
    node = st.integers(0, max(n - 1, 0))
    edges = draw(st.sets(st.tuples(node, node), max_size=2 * n)) if n else set()
    return labels, edges


@pytest.fixture(scope="session")
def make():
    return build


@pytest.fixture(scope="session")
def graphs():
    return labelled_graphs
