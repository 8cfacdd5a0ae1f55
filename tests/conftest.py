"""What all tests share: nothing they compute is left in, or taken from, the folders of whoever runs them."""

import gc
import json
import os
import re
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import hypothesis
import pytest

from wfgate.base import Store
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.meaning.step_model import StepModel

from .hypothesis_examples import examples

os.environ["WFGATE_CACHE"] = "off"
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; processes under test inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "tests",
    max_examples=examples(100),
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # no test depends on how busy the machine is
)
hypothesis.settings.load_profile("tests")


STEP_MODEL = StepModel()
"""The shipped network without a memory, for tests whose subject it is; each one loaded takes 120 MB."""


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the run: thousands of tests and all modules."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _meaning_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Load the network once a process and judge a pair of texts once a test run, whoever asks for the default."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    model = CachedMeaningModel(STEP_MODEL, Store(shared / "judgements.sqlite"))
    load = StepModel.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StepModel, "load", lambda argument: load(argument) if argument else model)
        yield


KEY = "secret-of-the-test"
_default_context = cache(ssl.create_default_context)


class ChatService(ThreadingHTTPServer):
    """Speaks OpenAI's chat API on this machine; counts what it is asked.

    Attributes:
        answers: Given first: (status, body, headers), or a text that the model says.
        reply: What the model says to a request afterwards: a text, or (status, body, headers).
        most: The most requests it had at a time.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[Any] = []
        self.reply: Callable[[dict[str, Any]], Any] = lambda _body: "yes"
        self.lock = threading.Lock()
        self.now = self.most = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def env(self) -> dict[str, str]:
        """The variables by which a process finds it."""
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": KEY}

    def handle_error(self, *_: Any) -> None:
        """Stay quiet about those who hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets; the second would wait for an acknowledgement
    server: ChatService

    def do_POST(self) -> None:
        service = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with service.lock:
            service.asked.append(body)
            service.paths.append(self.path)
            service.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = service.answers.pop(0) if service.answers else None
            service.now += 1
            service.most = max(service.most, service.now)
        answer = service.reply(body) if answer is None else answer
        with service.lock:
            service.now -= 1
        status, said, headers = answer if isinstance(answer, tuple) else (200, completion(answer), {})
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


def completion(text: str | None, finish: str = "stop", refusal: str | None = None) -> dict[str, Any]:
    """Return what the API answers when the model says a text."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "judge-mini-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    """A service that the `openai` package finds by its variables."""
    server = ChatService()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    for name, value in server.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(ssl, "create_default_context", _default_context)  # 40 ms a client, for a service without TLS
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def said() -> Callable[..., dict[str, Any]]:
    """Makes completions."""
    return completion


KINDS = {
    "remove exactly": "missing",
    "merge consecutive": "compressed",
    "paraphrase the descriptions": "description",
    "write it again": "regeneration",
    "change the meaning": "drift",
    "steps vague": "vague",
    "please add exactly": "extra",
}


def written(body: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return what kind of variant a request asks for, and the steps of a good answer."""
    asked = body["messages"][1]["content"]
    task, _, rest = asked.partition("<golden>\n")
    kind = next(kind for words, kind in KINDS.items() if words in task)
    shown = json.loads(rest.partition("\n</golden>")[0])["steps"]
    steps: list[dict[str, Any]] = [{"of": [step["number"]], "text": step["text"]} for step in shown]
    k = next(
        (
            int(found)
            for found in re.findall(r": (\d+) of \d+|add exactly (\d+) steps", task)
            for found in found
            if found
        ),
        0,
    )
    if kind == "missing":
        steps = steps[: len(steps) - k]
    elif kind == "compressed":
        left = int(re.findall(r"(\d+) steps are left", task)[0])
        merged = steps[: len(steps) - left + 1]
        steps = [{"of": [step["of"][0] for step in merged], "text": "Do all of it"}, *steps[len(merged) :]]
    elif kind == "description":
        steps = [{**step, "text": f"In other words: {step['text']}"} for step in steps]
    elif kind == "regeneration":
        before = {step["number"]: [f"n{number}" for number in step["after"]] for step in shown}
        steps = [
            {"of": [n], "text": f"Anew: {shown[n - 1]['text']}", "id": f"n{n}", "after": before[n]}
            for n in sorted(before, reverse=True)
        ]
    elif kind == "drift":
        steps = [
            {
                **step,
                "text": f"Never {step['text']}" * (place < k) or step["text"],
                "change": "negation" if place < k else "none",
            }
            for place, step in enumerate(steps)
        ]
    elif kind == "vague":
        steps = [
            {**step, "text": f"Take care of matter {place}"} if place < k else step for place, step in enumerate(steps)
        ]
    else:
        steps[1:1] = [{"of": [], "text": f"Order pizza {place}"} for place in range(k)]
    return kind, steps


@pytest.fixture
def author() -> Callable[[dict[str, Any]], str]:
    """A model that writes every variant as it is asked to."""
    return lambda body: json.dumps({"steps": written(body)[1]})


@pytest.fixture
def answered() -> Callable[[dict[str, Any]], tuple[str, list[dict[str, Any]]]]:
    """Says what a request asks for, and the steps of a good answer, to be spoiled."""
    return written
