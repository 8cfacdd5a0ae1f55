"""Specs, the registry, the shipped embedder and the memory around it. The heavy ones have tests of their own."""

import hashlib
import importlib
import inspect
import json
import pickle
import pkgutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wfgate.language.embedders
from wfgate.base import summary_of
from wfgate.compare import compare
from wfgate.errors import ConfigError, EmbedderError
from wfgate.language import DEFAULT_EMBEDDER, Embedder, StaticEmbedder, load_embedder
from wfgate.language.embedders import EMBEDDERS, static
from wfgate.language.embedders.cache import CachedEmbedder
from wfgate.language.embedders.plugins import PluginEmbedder
from wfgate.language.embedders.sentence_transformer import SentenceTransformerEmbedder
from wfgate.model import Task, Workflow

from ...hypothesis_examples import examples

TEXTS = ["Send the report", "", "send the report to finance", "§", "Send the report", "unbelievably"]
CASES = settings(max_examples=examples(60))


def found_classes():
    package = wfgate.language.embedders
    modules = [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    classes = {c for module in modules for c in vars(module).values() if inspect.isclass(c)}
    return {c for c in classes if issubclass(c, Embedder) and not inspect.isabstract(c)}


def test_every_embedder_found_is_registered():
    assert found_classes() - {CachedEmbedder, PluginEmbedder} == set(EMBEDDERS.values())


def test_every_embedder_says_what_it_is():
    assert DEFAULT_EMBEDDER == next(iter(EMBEDDERS)) == "static-minilm"
    assert [kind.form() for kind in EMBEDDERS.values()] == [
        "static-minilm",
        "sentence-transformers:MODEL",
        "openai:MODEL",
    ]
    assert all(summary_of(kind) for kind in EMBEDDERS.values())
    assert all(isinstance(kind.contextual, bool) for kind in EMBEDDERS.values())


def test_specs():
    assert load_embedder().signature == StaticEmbedder().signature
    assert load_embedder(" static-minilm ").id == "static-minilm"
    heavy = load_embedder("sentence-transformers:C:/models/mini")
    assert isinstance(heavy, CachedEmbedder)
    assert (heavy.id, heavy.contextual) == ("sentence-transformers", True)
    assert heavy._inner.model == "C:/models/mini"


def test_beta_is_a_part_of_the_signature_and_the_vectors_stay():
    plain, strict = load_embedder(), load_embedder(beta=0.7)
    assert strict.parameters == replace(plain.parameters, beta=0.7)
    assert strict.signature == plain.signature.replace("beta=0.05", "beta=0.7")
    assert load_embedder(beta=0.0).parameters.beta == 0.0
    assert (plain.requested_beta, pickle.loads(pickle.dumps(strict)).requested_beta) == (None, 0.7)  # noqa: S301
    assert (plain.embed(["Build"]) == strict.embed(["Build"])).all()
    for beta in (-0.1, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="between 0 and 1"):
            load_embedder(beta=beta)


def test_a_pair_below_beta_is_not_matched():
    def flow(name):
        return Workflow(tasks=(Task(id="a", name=name), Task(id="b", name="Send the report")))

    golden, candidate = flow("Remove old log files"), flow("Delete outdated log archives")
    similarity = compare(golden, candidate, load_embedder()).similarity[0, 0]
    matched = [
        len(compare(golden, candidate, load_embedder(beta=beta)).alignment.matches)
        for beta in (None, similarity - 0.01, similarity + 0.01)
    ]
    assert matched == [2, 2, 1]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("word2vec", "unknown embedder 'word2vec'\n  fix: use one of: static-minilm, sentence-transformers:MODEL"),
        ("", "unknown embedder ''"),
        ("static-minilm:large", "takes no argument\n  fix: write static-minilm"),
        ("sentence-transformers", "needs a model\n  fix: write sentence-transformers:all-MiniLM-L6-v2"),
        ("sentence-transformers: ", "needs a model"),
    ],
)
def test_specs_that_make_no_sense(spec, said):
    with pytest.raises(ConfigError) as error:
        load_embedder(spec)
    assert said in str(error.value)


def test_naming_an_embedder_imports_nothing_heavy():
    code = (
        "import sys; from wfgate.language.embedders import load_embedder;"
        "load_embedder('sentence-transformers:x'); load_embedder();"
        "print({'torch', 'sentence_transformers', 'tokenizers', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match=r"pip install '\.\[semantic\]'"):
        SentenceTransformerEmbedder("mini").embed(["a"])


@pytest.mark.parametrize("embedder", [StaticEmbedder(), CachedEmbedder(StaticEmbedder())], ids=["static", "cached"])
def test_shapes_and_lengths(embedder):
    rows, tokens = embedder.embed(TEXTS), embedder.embed_tokens(TEXTS)
    assert rows.shape == (6, 256)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 1, 1, 1], abs=1e-6)
    assert [len(each) for each in tokens][:2] == [3, 0]
    for each in tokens:
        assert each.dtype == np.float32
        assert np.linalg.norm(each, axis=1) == pytest.approx(np.ones(len(each)), abs=1e-6)
    assert embedder.embed([]).shape == (0, 256)
    assert embedder.embed_tokens([]) == []


@CASES
@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(TEXTS)), min_size=1, max_size=300))
def test_a_texts_vectors_do_not_depend_on_its_company(texts):
    rows, tokens = LOADED.embed(texts), LOADED.embed_tokens(texts)
    for place in {0, len(texts) // 2, len(texts) - 1}:
        assert np.array_equal(LOADED.embed([texts[place]])[0], rows[place])
        assert np.array_equal(LOADED.embed_tokens([texts[place]])[0], tokens[place])


LOADED = StaticEmbedder()


def test_vectors_by_hand():
    """Sum of int8 rows times their scales, one text at a time."""
    vectors, scales = static._SHIPPED.matrix
    encoded = static._SHIPPED.tokenizer.encode("Send the report", add_special_tokens=False)
    rows = [vectors[token].astype(np.float32) * scales[token] for token in encoded.ids]
    total = np.sum(rows, axis=0)
    assert LOADED.embed(["Send the report"])[0] == pytest.approx(total / np.linalg.norm(total), abs=1e-6)
    for row, found in zip(rows, LOADED.embed_tokens(["Send the report"])[0], strict=True):
        assert found == pytest.approx(row / np.linalg.norm(row), abs=1e-6)


def test_more_texts_than_are_summed_at_once():
    texts = [f"step {number}" for number in range(600)]
    assert np.array_equal(
        LOADED.embed(texts)[[0, 255, 256, 599]], LOADED.embed([texts[i] for i in (0, 255, 256, 599)])
    )


def test_the_shipped_files_are_those_of_the_recipe():
    recorded = json.loads((static._SHIPPED.folder / "provenance.json").read_text())
    for name, digest in recorded["sha256"].items():
        assert hashlib.sha256((static._SHIPPED.folder / name).read_bytes()).hexdigest() == digest
    assert StaticEmbedder().fingerprint == recorded["sha256"]["embeddings.npz"]


def copied(tmp_path, monkeypatch):
    for name in ("provenance.json", "tokenizer.json", "embeddings.npz"):
        (tmp_path / name).write_bytes((static._SHIPPED.folder / name).read_bytes())
    monkeypatch.setattr(static, "_SHIPPED", static._Shipped(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["tokenizer.json", "embeddings.npz"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "noise", "one bit"])
def test_damaged_data(name, damage, tmp_path, monkeypatch):
    path = copied(tmp_path, monkeypatch) / name
    content = path.read_bytes()
    flipped = content[:-1] + bytes([content[-1] ^ 1])
    damaged = {"empty": b"", "cut": content[: len(content) // 2], "one bit": flipped}
    path.write_bytes(damaged.get(damage, b"\x00\xffnoise" * 99))
    if damage == "missing":
        path.unlink()
    with pytest.raises(EmbedderError, match=rf"shipped embeddings cannot be read: {name}(.|\n)*fix: reinstall wfgate"):
        StaticEmbedder().embed(["a"])


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"sha256": 3}', b"\xff"])
def test_damaged_provenance(content, tmp_path, monkeypatch):
    (copied(tmp_path, monkeypatch) / "provenance.json").write_bytes(content)
    with pytest.raises(EmbedderError, match=r"provenance\.json"):
        _ = StaticEmbedder().fingerprint


@pytest.mark.parametrize("arrays", [{"vectors": 3}, {"vectors": 3, "scales": 2}, {"vectors": 3, "scales": 3}])
def test_data_that_does_not_fit_the_vocabulary(arrays, tmp_path, monkeypatch):
    folder = copied(tmp_path, monkeypatch)
    np.savez(
        folder / "embeddings.npz",
        **{name: np.zeros((size, 2)[: 2 - (name == "scales")]) for name, size in arrays.items()},
    )
    said = json.loads((folder / "provenance.json").read_text())
    said["sha256"]["embeddings.npz"] = hashlib.sha256((folder / "embeddings.npz").read_bytes()).hexdigest()
    (folder / "provenance.json").write_text(json.dumps(said))
    with pytest.raises(EmbedderError, match=r"embeddings\.npz"):
        StaticEmbedder().embed(["a"])


def test_pickles_are_small_and_work():
    embedder = CachedEmbedder(StaticEmbedder(), capacity=70_000)
    expected, tokens = embedder.embed(TEXTS), embedder.embed_tokens(TEXTS)
    pickled = pickle.dumps(embedder)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)  # noqa: S301 - our own bytes
    assert again._texts.kept == again._tokens.kept == {}
    assert (again._texts.capacity, again.signature) == (70_000, embedder.signature)
    assert np.array_equal(again.embed(TEXTS), expected)
    assert all(np.array_equal(one, two) for one, two in zip(again.embed_tokens(TEXTS), tokens, strict=True))
    assert embedder._texts.kept  # the original keeps its memory
    heavy = pickle.loads(pickle.dumps(load_embedder("sentence-transformers:mini")))  # noqa: S301
    assert heavy._inner.__dict__ == {"model": "mini"}


STEPS = [f"step {number}" for number in range(9)]


class CountingEmbedder(StaticEmbedder):
    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        return LOADED.embed(texts)

    def embed_tokens(self, texts):
        self.asked.append(list(texts))
        return LOADED.embed_tokens(texts)


@CASES
@given(
    st.lists(st.lists(st.sampled_from([f"step {i}" for i in range(9)]), max_size=8), max_size=8),
    st.integers(0, 12_000),
)
def test_memory_is_bounded_and_changes_nothing(calls, capacity):
    cached = CachedEmbedder(CountingEmbedder(), capacity)
    for texts in calls:
        assert np.array_equal(cached.embed(texts), LOADED.embed(texts))
        pairs = zip(cached.embed_tokens(texts), LOADED.embed_tokens(texts), strict=True)
        assert all(np.array_equal(one, two) for one, two in pairs)
        for memory in (cached._texts, cached._tokens):
            held = sum(rows.nbytes + sys.getsizeof(text) for text, rows in memory.kept.items())
            assert memory.size == held <= capacity


def test_nothing_is_computed_twice():
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, 3 * 1100)  # a row of 1024 bytes and its text
    cached.embed(["a", "b", "a"])
    cached.embed(["b", "c"])
    assert inner.asked == [["a", "b"], ["c"]]
    cached.embed(["d", "a"])  # full: emptied, and what is asked for now is kept
    cached.embed(["d"])
    cached.embed(["a"])
    assert inner.asked[2:] == [["d"], ["a"]]


def test_the_wrapper_speaks_for_what_it_wraps():
    inner = StaticEmbedder()
    cached = CachedEmbedder(inner)
    for name in ("id", "version", "contextual", "fingerprint", "signature", "parameters"):
        assert getattr(cached, name) == getattr(inner, name)
