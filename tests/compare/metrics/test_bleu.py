import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from wfgate.compare.metrics.bleu import Bleu
from wfgate.compare.metrics.ngrams import _document

from ...hypothesis_examples import examples

TEXT = st.lists(st.sampled_from([*"ab 1.,-&;<>\n'\"[~", "&quot;", "&amp;lt;", "<skipped>"]), max_size=12).map("".join)


def pair_of(make, golden, candidate):
    return make.comparison(make.workflow(len(golden), [], golden), make.workflow(len(candidate), [], candidate))


@settings(max_examples=examples(100))
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_tokens_are_those_of_the_joined_text(make, texts):
    workflow = make.workflow(len(texts), [], texts)
    joined = " ".join(task.text for task in workflow.tasks)
    assert list(_document(tuple(task.text for task in workflow.tasks))) == Tokenizer13a()(joined).split()


@settings(max_examples=examples(100))
@given(
    golden=st.lists(st.sampled_from("abcde"), min_size=1, max_size=12),
    candidate=st.lists(st.sampled_from("abcdexyz"), min_size=1, max_size=12),
)
def test_against_sacrebleu(make, golden, candidate):
    one, two = " ".join(golden), " ".join(candidate)
    expected = BLEU(effective_order=True).sentence_score(two, [one]).score / 100
    assert Bleu().compute(pair_of(make, [one], [two])).value == min(1, round(expected, 12))


@pytest.mark.parametrize("text", ["go", "go home", "go home now", "go home right now", "3.5", "don't"])
def test_identical_texts_score_one_however_short(make, text):
    assert Bleu().compute(pair_of(make, [text], [text])).value == 1.0


def test_missing_steps_meet_the_brevity_penalty(make):
    steps = [f"do thing number {i} well" for i in range(4)]
    half = Bleu().compute(pair_of(make, steps, steps[:2])).value
    assert half == pytest.approx(0.36788, abs=1e-5)  # exp(1 - 20/10), all n-grams precise


def test_no_text(make):
    result = Bleu().compute(pair_of(make, ["  "], ["go"]))
    assert result.undefined_because == "the golden has no text"
    assert Bleu().compute(pair_of(make, ["go"], [""])).undefined_because == "the candidate has no text"


def test_nothing_shared(make):
    assert Bleu().compute(pair_of(make, ["go home"], ["stay here"])).value == 0
