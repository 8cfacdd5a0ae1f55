import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare.similarity import text_similarity

from ..hypothesis_examples import examples

CASES = settings(max_examples=examples(60))
TEXTS = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["Send the report", "§", "", " "])), max_size=6)


@CASES
@given(TEXTS, TEXTS)
def test_range_and_symmetry(embedder, golden, candidate):
    there = text_similarity(golden, candidate, embedder)
    back = text_similarity(candidate, golden, embedder)
    assert there.shape == (len(golden), len(candidate))
    assert ((there >= 0) & (there <= 1)).all()
    assert there == pytest.approx(back.T, abs=1e-12)


@CASES
@given(TEXTS)
def test_equal_texts_are_exactly_one(embedder, texts):
    similarity = text_similarity(texts, texts, embedder)
    assert (np.diag(similarity) == 1.0).all()


def test_case_and_white_space_do_not_count(embedder):
    assert (text_similarity(["Send  the\treport "], ["send the REPORT"], embedder) == 1.0).all()


def test_different_texts_stay_below_meaning(embedder):
    texts = ["Delete the customer's account", "Remove the account of the customer", "Paint the fence green"]
    similarity = text_similarity(texts, texts, embedder)
    assert similarity[0, 1] > 0.6
    assert similarity[0, 2] < 0.3


def test_half_a_surrogate_pair_is_no_obstacle(embedder):
    assert (text_similarity(["half \ud83d"], ["half \ud83d", "half \udc00"], embedder) > 0.5).all()
