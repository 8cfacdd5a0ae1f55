"""Both numbers against a plain second implementation written from the evaluator's description."""

from itertools import islice, pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from wfgate.compare.metrics.worfeval import matching
from wfgate.compare.metrics.worfeval_chain_f1 import WorfevalChainF1
from wfgate.compare.metrics.worfeval_graph_f1 import WorfevalGraphF1
from wfgate.language import Embedder

from ...hypothesis_examples import examples


class WordEmbedder(Embedder):
    """Texts as bags of words, each word a dimension of its own: cosines can be told by eye."""

    id = "words"
    contextual = False
    fingerprint = "words"
    parameters = None

    def __init__(self, beta=None):
        self.words = {}
        self.requested_beta = beta

    def embed(self, texts):
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[self.words.setdefault(word, len(self.words))] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths, lengths, 1)

    def embed_tokens(self, texts):
        raise NotImplementedError


def best_matching(similarity, embedder):
    """Maximum-weight matching by networkx instead of an assignment."""
    beta = 0.6 if embedder.requested_beta is None else embedder.requested_beta
    graph = nx.Graph()
    for i, row in enumerate(similarity):
        for j, value in enumerate(row):
            if value > beta:
                graph.add_edge(("c", i), ("g", j), weight=float(value))
    return {min(edge)[1]: max(edge)[1] for edge in nx.max_weight_matching(graph)}


def nodes_and_edges(workflow):
    names = ["START", *(task.text for task in workflow.tasks), "END"]
    number = {"START": 0, "END": len(names) - 1} | {task.id: i + 1 for i, task in enumerate(workflow.tasks)}
    return names, list(dict.fromkeys((number[link.source], number[link.target]) for link in workflow.links))


def plain_f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def plain_chain(pair):
    golden, edges = nodes_and_edges(pair.golden)
    predicted = [name for name in nodes_and_edges(pair.candidate)[0] if name not in {"START", "END"}]
    if len(golden) >= 10:
        orders = [golden]
    else:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(golden)))
        graph.add_edges_from(edges)
        sorts = islice(nx.all_topological_sorts(graph), 20)
        orders = [[golden[i] for i in order if golden[i] not in {"START", "END"}] for order in sorts]
    best = 0.0
    for order in orders:
        similarity = pair.embedder.embed(predicted) @ pair.embedder.embed(order).T
        partner = best_matching(similarity, pair.embedder)
        ends = [1] * len(predicted)
        for i in range(len(predicted)):
            for j in range(i):
                if i in partner and j in partner and partner[j] < partner[i]:
                    ends[i] = max(ends[i], ends[j] + 1)
        best = max(best, plain_f1(max(ends) / len(predicted), max(ends) / len(order)))
    return best


def plain_graph(pair):
    (golden, golden_edges), (candidate, candidate_edges) = map(nodes_and_edges, (pair.golden, pair.candidate))
    partner = best_matching(pair.embedder.embed(candidate) @ pair.embedder.embed(golden).T, pair.embedder)
    inside_golden = [e for e in golden_edges if set(e) <= set(partner.values())]
    shared = [e for e in candidate_edges if set(e) <= set(partner) and e in inside_golden]

    def largest(nodes):
        groups = [{node} for node in nodes]
        for a, b in shared:
            touching = [group for group in groups if group & {a, b}]
            groups = [group for group in groups if group not in touching] + [set().union({a, b}, *touching)]
        return max(map(len, groups), default=0)

    return plain_f1(largest(partner) / len(candidate), largest(partner.values()) / len(golden))


@pytest.mark.parametrize("beta", [None, 0.3, 0.9])
@pytest.mark.parametrize(("metric", "plain"), [(WorfevalChainF1(), plain_chain), (WorfevalGraphF1(), plain_graph)])
def test_against_a_plain_implementation(make, metric, plain, beta):
    @settings(max_examples=examples(80))
    @given(make.comparisons(cyclic=False, most=9, twins=False))  # twins: any maximum matching is as good
    def check(pair):
        pair = make.comparison(pair.golden, pair.candidate, pair.pairs, WordEmbedder(beta))
        assert metric.compute(pair).value == pytest.approx(plain(pair))

    check()


def chain(make, *texts):
    return make.workflow(len(texts), list(pairwise(range(len(texts)))), list(texts), ends=True)


def chain_f1(make, golden, candidate):
    return WorfevalChainF1().compute(make.comparison(golden, candidate, [], WordEmbedder()))


def graph_f1(make, golden, candidate):
    return WorfevalGraphF1().compute(make.comparison(golden, candidate, [], WordEmbedder()))


def test_habit_from_ten_nodes_on_start_and_end_stay_in(make):
    seven, eight = chain(make, *"abcdefg"), chain(make, *"abcdefgh")
    assert chain_f1(make, seven, seven).value == 1.0
    assert chain_f1(make, eight, eight).value == pytest.approx(2 * 8 / (8 + 10))


def test_habit_from_ten_nodes_on_listing_is_the_order(make):
    golden = make.workflow(8, [(1, 0)], list("abcdefgh"), ends=True)
    assert chain_f1(make, golden, make.workflow(8, [], list("bacdefgh"), ends=True)).precision == 7 / 8


def test_habit_nothing_matched_still_counts_one(make):
    result = chain_f1(make, chain(make, "a", "b"), chain(make, "x", "y"))
    assert (result.precision, result.recall) == (0.5, 0.5)


def test_habit_candidate_listing_order_counts_whatever_its_links_say(make):
    relisted = make.workflow(3, [(2, 1), (1, 0)], ["c", "b", "a"], ends=True)
    assert chain_f1(make, chain(make, "a", "b", "c"), relisted).precision == pytest.approx(1 / 3)


def test_habit_only_twenty_orders(make):
    golden = make.workflow(5, [], list("abcde"), ends=True)
    values = {chain_f1(make, golden, chain(make, *order)).value for order in permutations("abcde")}
    assert values != {1.0}  # all 120 orders are allowed by the golden, 20 are looked at


def test_habit_edges_by_raw_position(make):
    golden = chain(make, "a", "b", "c")
    shifted = chain(make, "x", "a", "b", "c")  # all old edges are there, each one place further
    assert graph_f1(make, golden, golden).value == 1.0
    # Raw edges (2, 3), (3, 4) are shared; candidate nodes 0, 2, 3, 4, 5 and golden nodes 0..4 are matched.
    result = graph_f1(make, golden, shifted)
    assert (result.precision, result.recall) == (3 / 6, 3 / 5)


def test_threshold_is_strict():
    assert matching(np.array([[0.6, 0.7], [0.6, 0.61]])) == {0: 1}
    assert matching(np.array([[0.9, 0.8], [0.8, 0.0]])) == {0: 1, 1: 0}


@pytest.mark.parametrize("metric", [WorfevalChainF1(), WorfevalGraphF1()])
def test_cyclic_golden(make, metric):
    golden = make.workflow(2, [(0, 1), (1, 0)])
    assert "cycle" in metric.compute(make.comparison(golden, golden)).undefined_because


def test_steps_called_start(make):
    only = chain(make, "START")
    assert chain_f1(make, chain(make, "a"), only).undefined_because == "the candidate has no steps"
    assert chain_f1(make, only, chain(make, "a")).undefined_because == "the golden has no steps"
