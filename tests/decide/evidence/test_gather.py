"""Evidence of differences is 0 where nothing differs, and each piece answers to its own damage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import CHANGES, Alignment, Comparison, compare, score
from wfgate.compare.alignment import Match, Merge, Split
from wfgate.decide import EVIDENCE, Assessor
from wfgate.decide.evidence.gather import gather, order_differences
from wfgate.language import StaticEmbedder, load_meaning_model, plain_words
from wfgate.model import Link, Task, TaskGraph, Workflow

from ...hypothesis_examples import examples

STEPS = (
    "Freeze the release branch",
    "Compile the service with Maven",
    "Run the integration tests",
    "Sign the archive with the company key",
    "Upload the archive to Nexus",
    "Notify the operations channel",
)
CHAIN = tuple(zip(range(5), range(1, 6), strict=False))
REWORDED = (
    "Put the release branch under a freeze",
    "Use Maven to build the service",
    "Execute integration tests",
    "Apply the company's key to sign the archive",
    "Push the archive into Nexus",
    "Tell the operations channel",
)


def workflow(texts=STEPS, edges=CHAIN, prefix="t", order=None):
    order = order or range(len(texts))
    return Workflow(
        tasks=tuple(Task(id=f"{prefix}{place}", name=texts[place]) for place in order),
        links=tuple(Link(source=f"{prefix}{a}", target=f"{prefix}{b}") for a, b in edges),
    )


@pytest.fixture(scope="module")
def evidence():
    assessor = Assessor(StaticEmbedder(), load_meaning_model())

    def of(golden, candidate):
        return assessor.assess(golden, candidate).evidence

    return of


ABOUT_THE_GOLDEN = {"short-names"}
"""Evidence that says with which goldens a pair is compared, not what differs."""


def changed(found):
    return {name for name, value in found.items() if value > 1e-9} - ABOUT_THE_GOLDEN


def test_identical_workflows_show_nothing(evidence):
    found = evidence(workflow(), workflow(prefix="other", order=[3, 1, 5, 0, 2, 4]))
    assert list(found) == [piece.id for piece in EVIDENCE]
    assert changed(found) == set()


METRICS = {"chain-loss", "graph-loss", "order-loss"}
UNMET = {
    "missing-steps",
    "missing-share",
    "unmatched-steps",
    "gone-share",
    "affected-share",
    "weakest-match",
    "unlike-share",
}
STRUCTURE = {
    "flipped-orders",
    "lost-orders",
    "gained-orders",
    "order-changes",
    "link-changes",
    "moved-share",
    "order-share",
}


def test_missing_step(evidence):
    found = evidence(workflow(), workflow(STEPS[:-1], CHAIN[:-1]))
    assert (found["missing-steps"], found["unmatched-steps"]) == (1, 1)
    assert found["missing-share"] == found["affected-share"] == pytest.approx(1 / 6)
    assert {"missing-steps", "missing-share"} <= changed(found)
    assert not changed(found) & STRUCTURE


def test_added_step(evidence):
    found = evidence(workflow(), workflow((*STEPS, "Order pizza for the whole team"), (*CHAIN, (5, 6))))
    assert (found["added-steps"], found["extra-steps"], found["added-share"]) == (1, 1, pytest.approx(1 / 7))
    assert changed(found) <= {
        "added-steps",
        "extra-steps",
        "added-share",
        "new-share",
        "added-doubt",
        "affected-share",
        *METRICS,
    }


def test_reversed_pair(evidence):
    found = evidence(workflow(), workflow(edges=((0, 1), (1, 2), (2, 4), (4, 3), (3, 5))))
    assert (found["flipped-orders"], found["order-changes"], found["link-changes"]) == (1, 1, 6)
    assert found["moved-share"] == pytest.approx(1 / 6)
    assert changed(found) <= {*STRUCTURE, "affected-share", *METRICS}


def test_link_that_changes_no_order(evidence):
    found = evidence(workflow(), workflow(edges=(*CHAIN, (0, 5))))
    assert changed(found) <= {"link-changes", "graph-loss", "chain-loss"}
    assert found["link-changes"] == 1


def test_steps_that_no_longer_wait_for_each_other(evidence):
    found = evidence(workflow(), workflow(edges=((0, 1), (1, 2), (2, 3), (3, 5), (2, 4), (4, 5))))
    assert (found["lost-orders"], found["flipped-orders"], found["gained-orders"]) == (1, 0, 0)
    back = evidence(workflow(edges=((0, 1), (1, 2), (2, 3), (3, 5), (2, 4), (4, 5))), workflow())
    assert (back["lost-orders"], back["flipped-orders"], back["gained-orders"]) == (0, 0, 1)


TEXTS_ONLY = {
    *("weakest-match", "weakest-gap", "unlike-share", "meaning-doubt", "doubted-steps", "doubted-share"),
    *("doubtful-share", "gone-share", "affected-share", "reworded-share"),
}


def test_rewording_shows_in_texts_alone(evidence):
    found = evidence(workflow(), workflow(REWORDED))
    assert 0 < found["weakest-match"] < 1
    assert changed(found) <= TEXTS_ONLY


def test_one_other_step_among_rewordings_is_an_outlier(evidence):
    texts = (*REWORDED[:3], "Archive the signing key of the company", *REWORDED[4:])
    replaced = evidence(workflow(), workflow(texts))
    harmless = evidence(workflow(), workflow(REWORDED))
    assert replaced["weakest-match"] >= harmless["weakest-match"]


def test_more_of_the_same_damage_is_more_evidence(evidence):
    counts = [evidence(workflow(), workflow(STEPS[:n], CHAIN[: n - 1])) for n in (5, 4, 3, 2)]
    for name in ("missing-steps", "missing-share", "chain-loss", "order-loss"):
        values = [found[name] for found in counts]
        assert values == sorted(values)
        assert values[0] < values[-1]


def test_merges_and_splits_are_counted_once():
    golden, candidate = workflow(), workflow(("Compile and test", "Sign", "Upload"), ((0, 1), (1, 2)))
    alignment = Alignment(
        matches=(Match(golden=1, candidate=0, similarity=0.8), Match(golden=3, candidate=1, similarity=0.8)),
        merges=(Merge(golden=(1, 2), candidate=0),),
        splits=(Split(golden=3, candidate=(1, 2)),),
    )
    graphs = TaskGraph.of(golden), TaskGraph.of(candidate)
    comparison = Comparison(golden, candidate, *graphs, lambda: np.zeros((6, 3)), alignment, StaticEmbedder())
    found = gather(comparison, [])
    assert found["unmatched-steps"] == 4  # no partner of their own, the merged one among them
    assert found["missing-steps"] == 3  # nothing carries them
    assert found["extra-steps"] == found["added-steps"] == 0  # the other half of the split
    assert found["flipped-orders"] == found["lost-orders"] == 0  # steps in one step have no order


def test_metrics_that_are_absent_count_as_lost():
    found = gather(compare(workflow(), workflow(), StaticEmbedder()), [])
    assert (found["chain-loss"], found["graph-loss"], found["order-loss"]) == (1, 1, 1)


def test_nothing_in_common_is_everything_lost(evidence):
    found = evidence(workflow(), Workflow())
    assert found["missing-share"] == 1
    assert found["weakest-match"] == found["chain-loss"] == found["affected-share"] == 1
    assert found["order-changes"] == found["link-changes"] == 0


TEXTS = st.sampled_from([*STEPS, "", "§", "Send", "send"])


@st.composite
def workflows(draw, least=0):
    texts = draw(st.lists(TEXTS, min_size=least, max_size=6))
    places = st.integers(0, max(0, len(texts) - 1))
    edges = draw(st.lists(st.tuples(places, places), max_size=10)) if texts else []
    return texts, tuple(edges)


@settings(max_examples=examples(120))
@given(workflows(), workflows())
def test_values_are_finite_and_in_range(evidence, one, two):
    found = evidence(workflow(*one), workflow(*two))
    for piece in EVIDENCE:
        assert np.isfinite(found[piece.id])
        assert found[piece.id] >= -1e-12
        assert piece.count or piece.id.endswith(("-doubt", "new-share")) or found[piece.id] <= 1 + 1e-9
        assert not piece.count or found[piece.id] == int(found[piece.id])


@settings(max_examples=examples(120))
@given(workflows(least=1), workflows(least=1), st.randoms(use_true_random=False))
def test_ids_and_listing_order_are_irrelevant(evidence, one, two, random):
    def relisted(texts, edges):
        return workflow(texts, edges, prefix="renamed", order=random.sample(range(len(texts)), len(texts)))

    plain = evidence(workflow(*one), workflow(*two))
    other = evidence(relisted(*one), relisted(*two))
    assert other == pytest.approx(plain, abs=1e-6)


@settings(max_examples=examples(120))
@given(workflows())
def test_a_workflow_shows_nothing_against_itself(evidence, one):
    """Of equal steps, each may be the other one: only a step with words of its own is surely in the same words."""
    if len(one[0]) > 1:  # of a single step no order is defined, and what is undefined counts as lost
        repeats = len({plain_words(text) for text in one[0]}) < len(one[0])
        assert changed(evidence(workflow(*one), workflow(*one))) - ({"reworded-share"} if repeats else set()) == set()


def reached(graph):
    return {(a, b) for a in range(graph.n) for b in range(graph.n) if graph.descendants[a] >> b & 1}


@settings(max_examples=examples(80))
@given(st.integers(0, 10**6))
def test_changes_of_order_are_those_of_plain_counting(seed):
    rng = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        place = rng.permutation(8)
        edges = [(int(place[a]), int(place[b])) for a in range(8) for b in range(a + 1, 8) if rng.random() < 0.2]
        sides.append(workflow([f"Step {n}" for n in range(8)], edges))
    matches = tuple(Match(golden=n, candidate=n, similarity=1.0) for n in range(8))
    graphs = [TaskGraph.of(side) for side in sides]
    comparison = Comparison(*sides, *graphs, lambda: np.eye(8), Alignment(matches=matches), StaticEmbedder())
    before, after = map(reached, graphs)
    pairs = [(a, b) for a in range(8) for b in range(8)]
    assert {pair: change for change in CHANGES for pair in comparison.changed_orders.pairs(change)} == {
        **{(a, b): "flipped" for a, b in pairs if (a, b) in before and (b, a) in after},
        **{(a, b): "lost" for a, b in pairs if (a, b) in before and not {(a, b), (b, a)} & after},
        **{(a, b): "gained" for a, b in pairs if a < b and not {(a, b), (b, a)} & before and {(a, b), (b, a)} & after},
    }
    differing = {(a, b) for a, b in pairs if a < b and {(a, b), (b, a)} & before != {(a, b), (b, a)} & after}
    found = np.argwhere(order_differences(comparison)).tolist()
    assert {tuple(sorted(comparison.pairs[place][0] for place in pair)) for pair in found} == differing
    assert len(found) == len(differing)


def test_undefined_metrics_count_as_lost():
    comparison = compare(workflow(), Workflow(), StaticEmbedder())
    scores = score(comparison, ("chain-f1", "graph-f1", "kendall-tau"))
    assert [s.value for s in scores] == [None] * 3 or all(s.value is not None for s in scores)
    assert gather(comparison, scores)["chain-loss"] == 1


@pytest.mark.parametrize("replaced", range(5))
def test_replaced_steps_do_not_make_an_edited_workflow_a_rewritten_one(evidence, replaced):
    others = ("Water the plants", "Feed the cat", "Paint the fence", "Bake a cake", "Tune the piano")
    texts = (*others[:replaced], *STEPS[replaced:])
    assert evidence(workflow(), workflow(texts))["reworded-share"] == 0
    assert evidence(workflow(), workflow(REWORDED))["reworded-share"] == 1
