"""Workflows made by hand and at random, the recorded corpora, and embedders that are loaded once."""

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden, read_corpus
from wfgate.compare import compare, score
from wfgate.language import load_embedder
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.read import read_data

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"
STEPS = (
    "open the drawer",
    "close the drawer",
    "go to the fridge",
    "take the cup",
    "open the drawer carefully",
    "§",
    "",
)


def workflow(texts, edges=(), **fields):
    """Return a workflow of the texts, linked by position; -1 stands for START and END."""
    ids = {position: f"t{position}" for position in range(len(texts))}
    links = tuple(Link(source=ids.get(a, START), target=ids.get(b, END)) for a, b in edges)
    return Workflow(tasks=tuple(Task(id=ids[i], name=text) for i, text in enumerate(texts)), links=links, **fields)


def line(*texts, **fields):
    """Return the steps one after the other."""
    return workflow(texts, [(i - 1, i) for i in range(1, len(texts))], **fields)


def relisted(flow, seed):
    """Return the workflow listed in another order under other ids."""
    return PERTURBATIONS["relisted"].perturb(Golden("it", flow), 1.0, np.random.default_rng(seed)).workflow


@st.composite
def workflows(draw, *, most=7, cyclic=False):
    """Strategy: small workflows with many repeated steps."""
    n = draw(st.integers(1, most))
    texts = draw(st.lists(st.sampled_from(STEPS), min_size=n, max_size=n))
    order = draw(st.permutations(range(n)))
    some = [(order[a], order[b]) for a in range(n) for b in range(n) if cyclic or a < b]
    edges = draw(st.lists(st.sampled_from(some), unique=True, max_size=2 * n)) if some else []
    return workflow(texts, edges)


def said(comparison):
    """Return what an alignment says, in texts: nothing that depends on ids or listing."""
    golden = [task.text for task in comparison.golden.tasks]
    candidate = [task.text for task in comparison.candidate.tasks]
    return (
        Counter((golden[g], candidate[c]) for g, c in comparison.pairs),
        Counter(golden[fate.position] for fate in comparison.fates if fate.is_unaligned),
        Counter(candidate[step.position] for step in comparison.additions if step.is_unaligned),
        Counter(len(merge.golden) for merge in comparison.alignment.merges),
        Counter(len(split.candidate) for split in comparison.alignment.splits),
        {each.metric: each.value for each in score(comparison)},
    )


def records(name, most=None):
    """Return the records of a corpus file."""
    with (CORPORA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, most)]


def unaligned(comparison):
    """Return the positions of the golden steps without any candidate step, and the other way round."""
    sides = comparison.fates, comparison.additions
    return tuple(tuple(step.position for step in side if step.is_unaligned) for side in sides)


class Tools:
    """What the tests need of this file, which cannot be imported."""

    corpora = CORPORA
    line = staticmethod(line)
    records = staticmethod(records)
    relisted = staticmethod(relisted)
    said = staticmethod(said)
    unaligned = staticmethod(unaligned)
    workflow = staticmethod(workflow)
    workflows = staticmethod(workflows)

    def __init__(self, embedder):
        self.embedder = embedder

    def compare(self, golden, candidate):
        """Align with the default embedder."""
        return compare(golden, candidate, self.embedder)

    def scores(self, golden, candidate):
        """Return the default metrics."""
        return {each.metric: each.value for each in score(self.compare(golden, candidate))}

    def read(self, record):
        """Read the workflow of a corpus record."""
        return read_data({key: record[key] for key in ("workflow", "steps", "edges") if key in record}, "it").workflow


@pytest.fixture(scope="session")
def embedder():
    return load_embedder()


@pytest.fixture(scope="session")
def tools(embedder):
    return Tools(embedder)


@pytest.fixture(scope="session")
def recorded():
    """All goldens with recorded texts, by corpus."""
    found = {name: read_corpus([CORPORA / name]).goldens for name in ("worfbench", "ops")}
    return {name: [golden for golden in goldens if golden.texts.rewordings] for name, goldens in found.items()}
