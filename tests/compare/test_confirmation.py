"""The reassignment of unconfirmed pairs, against one that scores every pair."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import align
from wfgate.language import same_words

from ..hypothesis_examples import examples

BETA = 0.1


class Model:
    """Scores by the words of both texts; counts what it is asked."""

    def __init__(self, logits):
        self.logits = logits
        self.asked = set()

    def compare(self, texts):
        self.asked |= {pair for pair in texts if not same_words(*pair)}
        logits = [np.inf if same_words(*pair) else self.logits[pair] for pair in texts]
        return [SimpleNamespace(logit=logit, probability=1 / (1 + np.exp(-logit))) for logit in logits]


class ScoresAll(align._Confirmation):
    def _scored(self, similarity, pairs, free):  # noqa: ARG002 - overrides
        confirmed = self._confirmed(pairs)
        return confirmed, [pair for pair in pairs if pair not in confirmed]


@st.composite
def problems(draw):
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    names = st.sampled_from(["a", "b", "c", "d"])
    texts = tuple([f"{draw(names)}" + f" {place}" * draw(st.booleans()) for place in range(size)] for size in (n, m))
    similarity = np.array([[draw(st.sampled_from([0.05, 0.3, 0.41, 0.7])) for _ in range(m)] for _ in range(n)])
    logits = {(g, c): draw(st.sampled_from([-2.0, 0.0, 1.0, 3.0])) for g in texts[0] for c in texts[1]}
    columns = draw(st.permutations(range(m)))
    size = draw(st.integers(min(n, m) - 1, min(n, m)))
    pairs = sorted(zip(draw(st.permutations(range(n)))[:size], columns, strict=False))
    new_pairs = draw(st.permutations(pairs)) if size else []
    assigned = [(g, c) for (g, _), (_, c) in zip(pairs, new_pairs, strict=True)]
    told = []

    def biased(bonus):
        told.append(bonus)
        return SimpleNamespace(assigned=lambda: assigned)

    return SimpleNamespace(similarity=similarity, biased=biased, told=told), texts, logits, pairs


@settings(max_examples=examples(2_000), deadline=None)
@given(problems())
def test_pairs_that_are_not_scored_change_nothing(drawn):
    problem, texts, logits, pairs = drawn
    kept, asked, bonuses = [], [], []
    for kind in (align._Confirmation, ScoresAll):
        model = Model(logits)
        found, confirmed = kind(texts, model, BETA).reassigned(problem, list(pairs))
        kept.append((found, [pair for pair in found if problem.similarity[pair] >= BETA or pair in confirmed]))
        asked.append(model.asked)
        bonuses.append([*problem.told])
        problem.told.clear()
    assert kept[0] == kept[1]
    assert bonuses[0] == bonuses[1]
    assert asked[0] <= asked[1]


def test_pairs_unlike_all_others_are_not_scored():
    texts = ["one", "two", "three"], ["uno", "due", "tre"]
    model = Model({})
    problem = SimpleNamespace(similarity=np.array([[0.5, 0.1, 0.2], [0.1, 0.5, 0.3], [0.3, 0.2, 0.5]]))
    pairs = [(0, 0), (1, 1), (2, 2)]
    assert align._Confirmation(texts, model, BETA).reassigned(problem, pairs) == (pairs, frozenset())
    assert not model.asked
