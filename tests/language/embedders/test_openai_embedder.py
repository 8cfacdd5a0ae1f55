"""Embeddings of a service, spoken to over HTTP: a server on this machine that speaks OpenAI's API."""

import hashlib
import json
import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from wfgate.base import Store
from wfgate.compare import compare
from wfgate.errors import ConfigError, EmbedderError
from wfgate.language import load_embedder
from wfgate.language.embedders.openai import OpenAIEmbedder

WIDTH = 12


def vector(text):
    """The mean of word vectors that are made of hashes: texts that share words are alike."""
    words = [np.frombuffer(hashlib.sha256(word.encode()).digest()[:WIDTH], np.uint8) for word in text.lower().split()]
    return (np.mean(words, axis=0) / 255 - 0.5).tolist()


class Service(ThreadingHTTPServer):
    """Counts what it is asked; `answers` are given first, then vectors."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.answers = []
        self.headers = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        status, answer = self.server.answers.pop(0) if self.server.answers else (200, vectors(body))
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Stay quiet."""


def vectors(body, order=-1):
    data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data[::order], "model": body["model"], "usage": usage}


@pytest.fixture
def service(monkeypatch):
    server = Service()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-test")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_rows_come_in_the_order_of_the_texts(service):
    texts = ["Send the report", "", "Send the bill", "half \ud83d", "Send the report"]
    rows = OpenAIEmbedder("mini").embed(texts)
    assert (rows.shape, rows.dtype) == ((5, WIDTH), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 1, 1], abs=1e-6)
    assert np.array_equal(rows[0], rows[4])
    expected = np.array(vector(texts[2]))
    assert rows[2] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    ((path, body),) = service.asked
    assert path == "/v1/embeddings"
    assert body["model"] == "mini"
    assert body["input"] == ["Send the report", "Send the bill", "half \ufffd"]
    assert service.headers[0]["authorization"] == "Bearer secret-of-the-test"


def test_many_texts_are_sent_in_parts(service):
    rows = OpenAIEmbedder("mini").embed([f"step {number}" for number in range(600)])
    assert rows.shape == (600, WIDTH)
    assert [len(body["input"]) for _, body in service.asked] == [256, 256, 88]
    assert OpenAIEmbedder("mini").embed([]).shape == (0, WIDTH)


def test_tokens_are_words(service):
    embedder = OpenAIEmbedder("mini")
    first, nothing, last = embedder.embed_tokens(["Send the report", "§", "the report"])
    assert [len(first), len(nothing), len(last)] == [3, 0, 2]
    assert np.array_equal(first[1:], last)
    assert first.shape[1] == nothing.shape[1] == WIDTH


def test_what_was_embedded_is_not_asked_again(service, tmp_path):
    store = Store(tmp_path / "store.sqlite")
    texts = ["Send the report", "Fetch the data"]
    first = load_embedder("openai:mini", store)
    rows, tokens = first.embed(texts), first.embed_tokens(texts)
    asked = len(service.asked)
    again = load_embedder("openai:mini", store)
    assert np.array_equal(again.embed(texts), rows)
    assert all(np.array_equal(one, other) for one, other in zip(again.embed_tokens(texts), tokens, strict=True))
    assert len(service.asked) == asked
    load_embedder("openai:other", store).embed(texts)
    assert len(service.asked) == asked + 1


def test_comparing(service, tools):
    golden = tools.line("Log in to the server", "Stop the old service", "Copy the new build")
    reworded = tools.line("Log in to that server", "Stop that old service", "Copy that new build")
    result = compare(golden, reworded, load_embedder("openai:mini"))
    assert result.candidate_of == {step: step for step in range(3)}


def test_a_busy_service_is_asked_again(service):
    service.answers = [(429, {"error": {"message": "slow down"}}), (500, {"error": {"message": "oops"}})]
    assert OpenAIEmbedder("mini").embed(["a"]).shape == (1, WIDTH)
    assert len(service.asked) == 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {"error": {"message": "no such key"}}), "no such key"),
        ((404, {"error": {"message": "no such model"}}), "no such model"),
        ((200, b"no JSON"), "did not return"),
        ((200, {"object": "list", "data": []}), "of shape"),
        (
            (200, {"object": "list", "data": [{"index": 0, "embedding": [1.0]}]}),
            r"vectors of shape \(1, 1\) for 2 texts",
        ),
        ((200, {"object": "list", "data": [{"index": i, "embedding": [[1.0]]} for i in (0, 1)]}), "of shape"),
        ((200, {"object": "list", "data": [{"index": i, "embedding": ["x"]} for i in (0, 1)]}), "did not return"),
    ],
)
def test_what_is_no_answer(service, answer, said):
    service.answers = [answer]
    with pytest.raises(EmbedderError, match=rf"{said}[\s\S]*\n  fix: ") as error:
        OpenAIEmbedder("mini").embed(["a", "b"])
    assert "secret-of-the-test" not in str(error.value)


def test_a_service_that_is_not_there(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setattr("wfgate.language.embedders.openai._RETRIES", 0)
    with pytest.raises(
        EmbedderError, match=r"http://127.0.0.1:9/v1/ did not return the embeddings of 'mini': Connection error"
    ):
        OpenAIEmbedder("mini").embed(["a"])


def test_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderError, match="fix: set OPENAI_API_KEY"):
        OpenAIEmbedder("mini").embed(["a"])


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(EmbedderError, match=r"pip install '\.\[llm\]'"):
        OpenAIEmbedder("mini").embed(["a"])


def test_spec_fingerprint_and_pickle(monkeypatch):
    with pytest.raises(ConfigError, match="fix: write openai:text-embedding-3-small"):
        load_embedder("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    one = OpenAIEmbedder("mini")
    assert pickle.loads(pickle.dumps(one)).fingerprint == one.fingerprint  # noqa: S301 - our own bytes
    assert OpenAIEmbedder("maxi").fingerprint != one.fingerprint
    known = one.fingerprint
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert OpenAIEmbedder("mini").fingerprint != known
