import numpy as np
import pytest

from wfgate.compare.metrics.bertscore import BertScore
from wfgate.compare.metrics.bertscore_static import BertScoreStatic
from wfgate.language import Embedder


class LetterEmbedder(Embedder):
    """One dimension per letter; `q` lies between `a` and `b`, and unknown signs have no vector."""

    id = "letters"
    contextual = True
    fingerprint = "letters"
    parameters = None

    def embed(self, texts):
        raise NotImplementedError

    def embed_tokens(self, texts):
        rows = dict(zip("abcd", np.eye(4, dtype=np.float32), strict=True))
        rows["q"] = np.array([0.6, 0.8, 0, 0], dtype=np.float32)
        rows["z"] = -rows["a"]
        return [np.array([rows[t] for t in text if t in rows], dtype=np.float32).reshape(-1, 4) for text in texts]


def bertscore(make, golden, candidate, pairs=None):
    pair = make.comparison(
        make.workflow(len(golden), [], golden),
        make.workflow(len(candidate), [], candidate),
        pairs,
        LetterEmbedder(),
    )
    return BertScore().compute(pair)


def test_by_hand(make):
    result = bertscore(make, ["a b"], ["q"])
    assert result.precision == pytest.approx(0.8)
    assert result.recall == pytest.approx(0.7)
    assert result.value == pytest.approx(2 * 0.8 * 0.7 / 1.5, abs=1e-6)


def test_opposite_tokens_count_nothing(make):
    result = bertscore(make, ["a"], ["z"])
    assert (result.value, result.precision, result.recall) == (0, 0, 0)


def test_unaligned_golden_steps_count_nothing(make):
    assert bertscore(make, ["a", "b", "c", "d"], ["a", "b"]).value == 0.5
    assert bertscore(make, ["a"], ["a", "b", "c"]).value == 1.0  # extra steps are not this metric's business
    assert bertscore(make, ["a"], ["a"], []).value == 0


def test_texts_without_known_tokens(make):
    assert bertscore(make, ["§"], ["§"]).value == 1.0
    assert bertscore(make, ["§"], ["$"]).value == 0
    assert bertscore(make, ["§"], ["a"]).value == 0
    assert bertscore(make, ["a"], ["§"]).value == 0


def test_same_tokens_in_another_order_are_exactly_one(make):
    text, turned = "send the quarterly report to finance", "to finance the quarterly report send"
    pair = make.comparison(make.workflow(1, [], [text]), make.workflow(1, [], [turned]))
    assert BertScoreStatic().compute(pair).value == 1.0


def test_each_names_its_kind_of_embedder(make):
    workflow = make.workflow(1, [])
    static, contextual = (
        make.comparison(workflow, workflow),
        make.comparison(workflow, workflow, None, LetterEmbedder()),
    )
    assert BertScore().compute(static).undefined_because == "the embedder static-minilm is not contextual"
    assert BertScoreStatic().compute(contextual).undefined_because == "the embedder letters is contextual"
