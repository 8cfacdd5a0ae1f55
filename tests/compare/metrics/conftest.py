"""Workflows and comparisons made by hand, so that exact algorithms are tested without the aligner."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from wfgate.compare import Alignment, Comparison
from wfgate.compare.alignment import Match
from wfgate.language import Embedder, StaticEmbedder
from wfgate.model import END, START, Link, Task, TaskGraph, Workflow

WORDS = ("fetch", "clean", "train", "send", "delete", "report", "model", "server", "invoice", "order")


@dataclass(frozen=True)
class Maker:
    embedder: Embedder

    def workflow(self, n, edges, texts=None, *, ends=False):
        """Return n tasks with the given edges; with links from START and to END where asked for."""
        texts = texts or [f"{WORDS[i % 10]} the {WORDS[i // 10 % 10]} number {i}" for i in range(n)]
        links = [Link(source=f"t{a}", target=f"t{b}") for a, b in edges]
        if ends:
            links += [Link(source=START, target=f"t{i}") for i in range(n) if i not in {b for _, b in edges}]
            links += [Link(source=f"t{i}", target=END) for i in range(n) if i not in {a for a, _ in edges}]
        return Workflow(tasks=tuple(Task(id=f"t{i}", name=texts[i]) for i in range(n)), links=tuple(links))

    def comparison(self, golden, candidate, pairs=None, embedder=None):
        """Align by hand; by position if no pairs are given."""
        if pairs is None:
            pairs = [(i, i) for i in range(min(len(golden.tasks), len(candidate.tasks)))]
        similarity = np.zeros((len(golden.tasks), len(candidate.tasks)))
        for g, c in pairs:
            similarity[g, c] = 1.0
        matches = tuple(Match(golden=g, candidate=c, similarity=1.0) for g, c in pairs)
        return Comparison(
            golden,
            candidate,
            TaskGraph.of(golden),
            TaskGraph.of(candidate),
            lambda: similarity,
            Alignment(matches=matches),
            embedder or self.embedder,
        )

    def graphs(self, n_golden, golden_edges, n_candidate, candidate_edges, pairs=None):
        """Compare two graphs given by their edges."""
        return self.comparison(
            self.workflow(n_golden, golden_edges), self.workflow(n_candidate, candidate_edges), pairs
        )

    def dag(self, rng, n, density):
        """Return edges of a random acyclic graph whose order is not the listing order."""
        place = rng.permutation(n)
        return [(int(place[a]), int(place[b])) for a in range(n) for b in range(a + 1, n) if rng.random() < density]

    def random_dags(self, rng, most, density):
        """Compare two random acyclic graphs under a random partial alignment."""
        n, m = (int(rng.integers(1, most + 1)) for _ in range(2))
        k = int(rng.integers(min(n, m) // 2, min(n, m) + 1))
        pairs = list(zip(rng.permutation(n)[:k].tolist(), rng.permutation(m)[:k].tolist(), strict=True))
        return self.graphs(n, self.dag(rng, n, density), m, self.dag(rng, m, density), pairs)

    def workflows(self, *, cyclic=True, most=6, twins=True):
        """Strategy: small workflows with repeated, empty and parallel steps, and cycles where allowed."""

        @st.composite
        def drawn(draw):
            n = draw(st.integers(1, most))
            text = st.sampled_from([*WORDS, "send the report", "", "§"])
            texts = draw(st.lists(text, min_size=n, max_size=n, unique=not twins))
            some = [(a, b) for a in range(n) for b in range(n) if cyclic or a < b]
            edges = draw(st.lists(st.sampled_from(some), max_size=2 * n, unique=True)) if some else []
            return self.workflow(n, edges, texts, ends=draw(st.booleans()))

        return drawn()

    def comparisons(self, **options):
        """Strategy: two workflows under any one-to-one alignment."""

        @st.composite
        def drawn(draw):
            golden, candidate = draw(self.workflows(**options)), draw(self.workflows(**options))
            n, m = len(golden.tasks), len(candidate.tasks)
            k = draw(st.integers(0, min(n, m)))
            left, right = draw(st.permutations(range(n)))[:k], draw(st.permutations(range(m)))[:k]
            return self.comparison(golden, candidate, list(zip(left, right, strict=True)))

        return drawn()


@pytest.fixture(scope="session")
def make():
    return Maker(StaticEmbedder())
