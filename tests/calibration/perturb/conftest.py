"""Real goldens with their recorded texts, random ones, broken ones, and how to look at what an operator did."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden, StepTexts, read_corpus
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.calibration.perturb.texts import DriftText, ExtraText, MergeText, VagueText
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Task, TaskGraph, Workflow

CORPORA = Path(__file__).parents[3] / "calibration" / "corpora"
WORDS = ("fetch", "clean", "train", "send", "delete", "report")


def rng(seed):
    return np.random.default_rng(seed)


def attempt(operator, golden, severity, seed):
    """Return the variant, or None where the operator refused."""
    try:
        return operator.perturb(golden, severity, rng(seed))
    except PerturbationRejected:
        return None


def reach(graph):
    """Return the tasks that START reaches, and those that reach END."""
    forward, backward = set(graph.starts), set(graph.ends)
    for task in range(graph.n):
        if any(graph.precedes(start, task) for start in graph.starts):
            forward.add(task)
        if any(graph.precedes(task, end) for end in graph.ends):
            backward.add(task)
    return forward, backward


def reach_by_id(workflow):
    forward, backward = reach(TaskGraph.of(workflow))
    return {workflow.tasks[task].id for task in forward}, {workflow.tasks[task].id for task in backward}


def shape(workflow):
    """Return the task view by id: edges, returning edges, starts, ends."""
    graph, ids = TaskGraph.of(workflow), [task.id for task in workflow.tasks]
    return (
        {(ids[a], ids[b]) for a, b in graph.edges},
        {(ids[a], ids[b]) for a, b in graph.back_edges},
        {ids[task] for task in graph.starts},
        {ids[task] for task in graph.ends},
    )


def texts(workflow):
    return Counter(task.text for task in workflow.tasks)


def recorded(draw, n):
    """Draw recorded texts that fit n steps."""
    step = st.integers(0, n - 1)
    said = st.integers(0, 9).map(lambda number: f"recorded {number}")
    return StepTexts(
        rewordings=tuple(tuple(f"reworded {i}" for i in range(n)) for _ in range(draw(st.integers(0, 2)))),
        merges=tuple(
            MergeText(steps=tuple(steps), text=draw(said))
            for steps in draw(st.lists(st.lists(step, min_size=1, max_size=3), max_size=3))
        ),
        drifts=tuple(DriftText(step=i, kind="target", text=f"drift {i}") for i in draw(st.lists(step, max_size=n))),
        extras=tuple(
            ExtraText(after=i, text=f"extra {i}") for i in draw(st.lists(st.integers(-1, n - 1), max_size=3))
        ),
        vague=tuple(VagueText(step=i, text=f"vague {i}") for i in draw(st.lists(step, max_size=n))),
    )


@st.composite
def dag_goldens(draw, least=1, most=8):
    """Strategy: acyclic goldens, linked from START and to END, with any recorded texts."""
    n = draw(st.integers(least, most))
    order = draw(st.permutations(range(n)))
    some = [(order[a], order[b]) for a in range(n) for b in range(a + 1, n)]
    edges = draw(st.lists(st.sampled_from(some), unique=True, max_size=2 * n)) if some else []
    names = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    links = [Link(source=f"t{a}", target=f"t{b}") for a, b in edges]
    first = set(range(n)) - {b for _, b in edges} | draw(st.sets(st.integers(0, n - 1), max_size=1))
    last = set(range(n)) - {a for a, _ in edges}
    links += [Link(source=START, target=f"t{i}") for i in sorted(first)]
    links += [Link(source=f"t{i}", target=END) for i in sorted(last)]
    tasks = tuple(Task(id=f"t{i}", name=names[i], params={"i": i}) for i in range(n))
    workflow = Workflow(tasks=tasks, links=tuple(draw(st.permutations(links))))
    foreign = tuple(f"foreign {i}" for i in range(draw(st.integers(0, 8))))
    return Golden("random", workflow, recorded(draw, n), foreign)


@st.composite
def broken_goldens(draw):
    """Strategy: anything the model can hold: shared ids, cycles, gateways, links to nowhere, loops, no tasks."""
    n = draw(st.integers(0, 6))
    ids = draw(st.lists(st.sampled_from(["a", "b", "c", "n1", "extra1", "START"]), min_size=n, max_size=n))
    node = st.sampled_from(["a", "b", "c", "n0", "n1", "extra1", "gate", START, END, "nowhere"])
    links = draw(st.lists(st.builds(Link, source=node, target=node, back=st.booleans()), max_size=10))
    data = draw(st.lists(st.builds(DataLink, source=node, target=node, data=st.just("rows")), max_size=3))
    workflow = Workflow(
        tasks=tuple(Task(id=name, name=draw(st.sampled_from(WORDS))) for name in ids),
        gateways=(Gateway(id="gate", op="AND"),) if draw(st.booleans()) else (),
        links=tuple(links),
        data_links=tuple(data),
    )
    return Golden("broken", workflow, recorded(draw, n) if n else StepTexts(), ("foreign 1", "foreign 2"))


CONDITIONS = (
    Guard(expr="amount > 1000"),
    Guard(expr="${{ github.event_name != 'push' && !cancelled() }}", language="github"),
    Guard(expr='{"Variable": "$.order.total", "NumericLessThan": 100}', language="asl"),
    Guard(expr="the customer agrees"),
    Guard(expr="${approved}", language="bpmn"),
    Guard(expr="{{steps.flip.outputs.result}} == heads", language="argo"),
    Guard(expr="={{ $json.region === 'eu' }}", language="n8n"),
)


def furnished(golden):
    """Return the golden with a condition and a datum on each link between steps."""
    ids = {task.id for task in golden.workflow.tasks}
    links = [
        link.model_copy(update={"guard": CONDITIONS[place % len(CONDITIONS)]})
        if {link.source, link.target} <= ids
        else link
        for place, link in enumerate(golden.workflow.links)
    ]
    data = [
        DataLink(source=link.source, target=link.target, data=f"rows of {link.source}")
        for link in links
        if {link.source, link.target} <= ids
    ]
    update = {"links": tuple(links), "data_links": (*golden.workflow.data_links, *data)}
    return replace(golden, workflow=golden.workflow.model_copy(update=update))


def some_goldens(tmp, corpus, most):
    """Read the first goldens of a corpus that have recorded texts."""
    for name in ("goldens.jsonl", "variants.jsonl", "ops.jsonl"):
        source = CORPORA / corpus / name
        if source.exists():
            (tmp / name).write_bytes(source.read_bytes())
    if (tmp / "variants.jsonl").exists():
        with (tmp / "variants.jsonl").open() as lines:
            wanted = [line.split('"')[3] for line in islice(lines, most)]
        with (tmp / "goldens.jsonl").open() as lines:
            kept = [line for line in lines if line.split('"')[3] in wanted]
        (tmp / "goldens.jsonl").write_text("".join(kept))
    return read_corpus([tmp]).goldens


@pytest.fixture(scope="session")
def goldens(tmp_path_factory):
    """Some goldens of WorFBench and of operations."""
    found = some_goldens(tmp_path_factory.mktemp("worfbench"), "worfbench", 25)
    return found + some_goldens(tmp_path_factory.mktemp("ops"), "ops", 0)[::9]


@pytest.fixture(scope="session")
def every_golden():
    """All goldens of WorFBench and of operations."""
    return read_corpus([CORPORA / "worfbench"]).goldens + read_corpus([CORPORA / "ops"]).goldens


COMPUTED = {name: each for name, each in PERTURBATIONS.items() if not isinstance(each, Recorded)}
"""Workflows that were written anew have tests of their own."""


@pytest.fixture(params=COMPUTED.values(), ids=COMPUTED)
def operator(request):
    return request.param


def merged(golden):
    """Return the golden with a third of its steps merged into others, their texts joined."""
    plain = Golden(golden.id, golden.workflow)
    return Golden(golden.id, PERTURBATIONS["compressed"].perturb(plain, 0.3, np.random.default_rng(0)).workflow)


@pytest.fixture
def suited(operator, goldens):
    """The goldens, with what the operator works on where few have it: conditions, data, two things in a step."""
    if operator.id == "split":
        return [merged(golden) for golden in goldens if golden.n > 2]
    return [furnished(golden) for golden in goldens] if operator.id in {"guard-changed", "data-unlinked"} else goldens


class Tools:
    """What the tests need of this file, which cannot be imported."""

    attempt = staticmethod(attempt)
    broken = staticmethod(broken_goldens)
    dags = staticmethod(dag_goldens)
    furnished = staticmethod(furnished)
    reach = staticmethod(reach_by_id)
    rng = staticmethod(rng)
    shape = staticmethod(shape)
    texts = staticmethod(texts)


@pytest.fixture(scope="session")
def tools():
    return Tools
