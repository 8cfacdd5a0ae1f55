import pytest

from wfgate.compare.metrics.gleu import Gleu


def gleu(make, golden, candidate):
    pair = make.comparison(make.workflow(len(golden), [], golden), make.workflow(len(candidate), [], candidate))
    return Gleu().compute(pair)


@pytest.mark.parametrize(
    ("golden", "candidate", "value"),
    [
        ("a b c d", "a b c d", 1.0),
        ("a", "a", 1.0),
        ("a b c d", "a b c", 6 / 10),  # 10 n-grams in the golden, all 6 of the candidate among them
        ("a b c", "a b c d", 6 / 10),
        ("a b a", "a a a", 2 / 6),  # two of three unigrams: the golden has `a` twice
        ("a b", "c d", 0.0),
    ],
)
def test_by_hand(make, golden, candidate, value):
    assert gleu(make, [golden], [candidate]).value == value


def test_steps_are_one_document(make):
    assert gleu(make, ["a b", "c d"], ["a b c", "d"]).value == 1.0


def test_no_text(make):
    assert gleu(make, [""], ["a"]).undefined_because == "the golden has no text"
    assert gleu(make, ["a"], [" "]).undefined_because == "the candidate has no text"
