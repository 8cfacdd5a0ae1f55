"""The client against a service on this machine, with everything that a service does wrong."""

import json
import pickle
import threading
import traceback

import pytest
from pydantic import Field

from wfgate.base import Store
from wfgate.errors import (
    ConfigError,
    LlmError,
    LlmMalformedError,
    LlmRefusalError,
    LlmSchemaError,
    LlmServiceError,
    LlmTruncatedError,
)
from wfgate.llm import Client, Limits, LlmQuestion, Message, Prices
from wfgate.llm.recording import Recording
from wfgate.model import Frozen

KEY = "secret-of-the-test"
GOOD = '{"score": 4, "why": "one step is missing"}'
OTHER_SCHEMA = '{"score": 7, "why": "because"}'


class Opinion(Frozen):
    score: int = Field(ge=0, le=5)
    why: str


def question(text="Is it good?", **settings):
    return LlmQuestion((Message("user", text),), **settings)


def ask(client, text="Is it good?", **settings):
    return client.ask(question(text, **settings), Opinion)


def error_of(message, code=None, param=None):
    return {"error": {"message": message, "code": code, "param": param, "type": "invalid_request_error"}}


def test_an_answer_is_checked(chat):
    chat.reply = lambda _: GOOD
    client = Client("mini")
    answer = ask(client)
    assert answer.value == Opinion(score=4, why="one step is missing")
    assert (answer.text, answer.cached, answer.reasks) == (GOOD, False, 0)
    (request,) = chat.asked
    assert chat.paths == ["/v1/chat/completions"]
    assert chat.headers[0]["authorization"] == f"Bearer {KEY}"
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("mini", 0, 4096)
    assert request["messages"] == [{"role": "user", "content": "Is it good?"}]
    assert not request.get("stream")
    schema = request["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["additionalProperties"] is False
    assert set(schema["schema"]["required"]) == set(schema["schema"]["properties"]) == {"score", "why"}


def test_words(chat):
    chat.reply = lambda _: "  1. Build\n2. Test\n"
    assert Client("mini").write(question()).value == "  1. Build\n2. Test\n"
    assert "response_format" not in chat.asked[0]


@pytest.mark.parametrize(
    "text",
    [f"```json\n{GOOD}\n```", f"Here it is:\n{GOOD}\nThat is all.", f"\n{GOOD}\n"],
)
def test_words_around_the_one_object_do_no_harm(chat, text):
    chat.answers = [text]
    assert ask(Client("mini")).value.score == 4
    assert len(chat.asked) == 1


@pytest.mark.parametrize(
    "failure",
    [
        (429, error_of("slow down"), {"Retry-After-Ms": "1"}),
        (500, error_of("oops"), {"Retry-After-Ms": "1"}),
        (503, b"<html>busy</html>", {"Retry-After-Ms": "1", "Content-Type": "text/html"}),
    ],
)
def test_a_busy_service_is_asked_again(chat, failure):
    chat.answers = [failure, failure, GOOD]
    answer = ask(Client("mini"))
    assert (answer.value.score, answer.reasks) == (4, 0)
    assert len(chat.asked) == 3


def test_retry_after_is_obeyed(chat, monkeypatch):
    waited = []
    monkeypatch.setattr("openai._base_client.time.sleep", waited.append)
    chat.answers = [(429, error_of("slow down"), {"Retry-After": "7"}), GOOD]
    assert ask(Client("mini")).value.score == 4
    assert waited == [7.0]


@pytest.mark.parametrize(("status", "requests"), [(500, 3), (429, 3), (401, 1), (404, 1), (403, 1)])
def test_a_service_that_fails_for_good(chat, status, requests):
    chat.reply = lambda _: (status, error_of(f"no, not with {KEY}"), {"Retry-After-Ms": "1"})
    with pytest.raises(LlmServiceError, match=r"no, not with \*\*\*") as failed:
        ask(Client("mini", limits=Limits(retries=2)))
    assert len(chat.asked) == requests
    assert f"http://127.0.0.1:{chat.server_port}/v1" in failed.value.message
    assert failed.value.fix == "check OPENAI_API_KEY, OPENAI_BASE_URL and the name of the model"


def test_no_error_carries_the_key(chat):
    chat.reply = lambda _: (401, error_of(f"Incorrect API key provided: {KEY}."), {})
    with pytest.raises(LlmServiceError) as failed:
        ask(Client("mini"))
    said = "".join(traceback.format_exception(failed.value))
    assert KEY not in said
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    assert KEY not in repr(failed.value) + repr(vars(failed.value))


def test_a_password_in_the_address_is_not_shown(chat, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:hidden@127.0.0.1:{chat.server_port}/v1")
    chat.reply = lambda _: (403, error_of("not you, me:hidden"), {})
    with pytest.raises(LlmServiceError) as failed:
        ask(Client("mini"))
    assert "hidden" not in str(failed.value)


def test_a_timeout(chat):
    release = threading.Event()
    chat.reply = lambda _: release.wait(10) and GOOD
    with pytest.raises(LlmServiceError, match="timed out"):
        ask(Client("mini", limits=Limits(timeout=0.2, retries=0)))
    release.set()


def test_nobody_there(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(LlmServiceError, match=r"9/v1/ did not return an answer of 'mini': Connection error"):
        ask(Client("mini", limits=Limits(retries=0)))


@pytest.mark.parametrize(
    ("bad", "kind", "said"),
    [
        ("I would say four.", LlmMalformedError, "not exactly one JSON object"),
        ('{"score": 4, "why": "on', LlmMalformedError, "not exactly one JSON object"),
        (f"{OTHER_SCHEMA} {GOOD}", LlmMalformedError, "not exactly one JSON object"),
        ('{"score": 1, "score": 4, "why": "x"}', LlmMalformedError, "not exactly one JSON object"),
        ('{"score": NaN, "why": "x"}', LlmMalformedError, "not exactly one JSON object"),
        ("[4]", LlmMalformedError, "not exactly one JSON object"),
        ("", LlmMalformedError, "empty"),
        (OTHER_SCHEMA, LlmSchemaError, "score: Input should be less than or equal to 5"),
        ('{"score": "4", "why": "x"}', LlmSchemaError, "score: Input should be a valid integer"),
        ('{"score": 4.5, "why": "x"}', LlmSchemaError, "score: Input should be a valid integer"),
        ('{"score": true, "why": "x"}', LlmSchemaError, "score: Input should be a valid integer"),
        ('{"score": 4}', LlmSchemaError, "why: Field required"),
        ('{"score": 4, "why": "x", "verdict": "pass"}', LlmSchemaError, "verdict: Extra inputs are not permitted"),
    ],
)
def test_an_answer_of_no_use_is_asked_for_again_and_then_an_error(chat, bad, kind, said):
    chat.reply = lambda _: bad
    with pytest.raises(kind, match=f"'mini' gave no valid answer in 3 attempts: .*{said}"):
        ask(Client("mini"))
    assert len(chat.asked) == 3
    chat.answers = [bad, GOOD]
    client = Client("mini")
    answer = ask(client)
    assert (answer.value.score, answer.reasks, client.account.reasks) == (4, 1, 1)
    if bad:
        *_, before, wrong = chat.asked[-1]["messages"]
        assert before == {"role": "assistant", "content": bad}
        assert wrong["role"] == "user"
        assert said in wrong["content"]
        assert wrong["content"].endswith(". Answer again, with nothing but what was asked for.")


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b'{"choices": []}', b'"text"', b"{}", b'{"choices": [{}]}'])
def test_a_service_that_speaks_something_else(chat, body):
    chat.reply = lambda _: (200, body, {})
    with pytest.raises(LlmMalformedError):
        ask(Client("mini", limits=Limits(reasks=1)))
    assert len(chat.asked) == 2


def test_a_refusal(chat, said):
    chat.reply = lambda _: (200, said(None, refusal="I cannot help with that."), {})
    with pytest.raises(LlmRefusalError, match="'mini' gave no valid answer in 3 attempts: the model refused"):
        ask(Client("mini"))
    assert [len(request["messages"]) for request in chat.asked] == [1, 1, 1]


@pytest.mark.parametrize(
    "answer",
    [
        (400, error_of("The response was filtered", code="content_filter"), {}),
        (400, {"error": {"message": "x", "code": "x", "innererror": {"code": "content_filter"}}}, {}),
        (400, error_of("no", code="content_policy_violation"), {}),
    ],
)
def test_a_filter_is_a_refusal(chat, answer):
    chat.reply = lambda _: answer
    with pytest.raises(LlmRefusalError, match="filter"):
        ask(Client("mini"))


def test_a_filtered_answer_is_a_refusal(chat, said):
    chat.reply = lambda _: (200, said(GOOD, finish="content_filter"), {})
    with pytest.raises(LlmRefusalError):
        ask(Client("mini"))


def test_a_truncated_answer_gets_more_room(chat, said):
    chat.answers = [(200, said(GOOD, finish="length"), {}), GOOD]
    assert ask(Client("mini"), max_tokens=10).value.score == 4
    assert [request["max_tokens"] for request in chat.asked] == [10, 20]
    chat.reply = lambda _: (200, said('{"sco', finish="length"), {})
    with pytest.raises(LlmTruncatedError, match="after 40 tokens"):
        ask(Client("mini"), max_tokens=10)


@pytest.mark.parametrize(
    ("complaint", "gone", "instead"),
    [
        (error_of("'response_format' of type 'json_schema' is not supported"), "response_format", None),
        (error_of("Unsupported value: 'temperature' does not support 0", param="temperature"), "temperature", None),
        (
            error_of("Unsupported parameter: 'max_tokens', use 'max_completion_tokens'"),
            "max_tokens",
            "max_completion_tokens",
        ),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_what_a_service_does_not_know_is_left_out_from_then_on(chat, status, complaint, gone, instead):
    def reply(body):
        return (status, complaint, {}) if gone in body else GOOD

    chat.reply = reply
    client = Client("mini")
    assert ask(client).value.score == 4
    assert ask(client, "And this one?").value.score == 4
    assert [gone in request for request in chat.asked] == [True, False, False]
    assert all(instead is None or instead in request for request in chat.asked[1:])
    if gone == "response_format":
        assert "JSON Schema" in chat.asked[1]["messages"][-1]["content"]


def test_any_other_complaint_is_an_error(chat):
    chat.reply = lambda _: (400, error_of("no such thing"), {})
    with pytest.raises(LlmServiceError, match="no such thing"):
        ask(Client("mini"))
    assert len(chat.asked) == 1


def test_what_was_answered_is_not_asked_again(chat, tmp_path):
    chat.reply = lambda _: GOOD
    store = Store(tmp_path / "computed.sqlite")
    first = ask(Client("mini", store))
    client = Client("mini", store)
    again = ask(client)
    assert (again.value, again.text, again.cached) == (first.value, GOOD, True)
    assert (client.account.cached, client.account.requests) == (1, 0)
    assert len(chat.asked) == 1
    ask(Client("mini", store), sample=1)
    ask(Client("mini", store), temperature=0.7)
    ask(Client("mini", store), "Is it bad?")
    ask(Client("maxi", store))
    ask(Client("mini"))
    assert len(chat.asked) == 6
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in kept
    assert b"Is it good?" not in kept


def test_an_answer_of_no_use_is_not_kept(chat, tmp_path):
    store = Store(tmp_path / "computed.sqlite")
    chat.answers = [OTHER_SCHEMA]
    with pytest.raises(LlmSchemaError):
        ask(Client("mini", store, Limits(reasks=0)))
    chat.answers = [GOOD]
    assert ask(Client("mini", store)).cached is False


def test_a_kept_answer_is_checked_as_well(chat):
    class Tampered:
        def read(self, keys):
            return dict.fromkeys(keys, OTHER_SCHEMA.encode())

        def write(self, values):
            self.kept = values

    chat.reply = lambda _: GOOD
    assert ask(Client("mini", Tampered())).value.score == 4


def test_record_and_replay(chat, tmp_path, monkeypatch):
    path = tmp_path / "recorded" / "answers.jsonl"
    chat.reply = lambda _: GOOD
    recorded = Client("mini", Recording(path, "a model", "2026-11-22"))
    ask(recorded)
    chat.reply = lambda _: "In words: ü"
    recorded.write(question("In words?"))
    text = path.read_text("utf-8")
    assert KEY not in text
    assert "127.0.0.1" not in text
    assert "In words: ü" in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["prompt"] for line in lines] == sorted(line["prompt"] for line in lines)
    assert {(line["model"], line["date"]) for line in lines} == {("a model", "2026-11-22")}
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    replayed = Client("mini", Recording(path), offline=True)
    assert ask(replayed).value.score == 4
    assert replayed.write(question("In words?")).value == "In words: ü"
    assert replayed.fingerprint == recorded.fingerprint
    with pytest.raises(LlmServiceError, match="no recorded answer"):
        ask(replayed, "Something else?")
    half = '{"prompt": "00", "model": "", "date": "", "answer": "\\ud800"}'  # half a character could not be kept
    for broken in ("[]", "[" * 100_000, '{"prompt": "00"}', half):
        path.write_text(broken)
        with pytest.raises(ConfigError, match="not a recording"):
            ask(Client("mini", Recording(path), offline=True))


def test_many_at_a_time_and_in_order(chat):
    three = threading.Barrier(3, timeout=10)

    def reply(body):
        three.wait()
        number = int(body["messages"][0]["content"])
        return "no" if number == 4 else f'{{"score": {number % 6}, "why": "x"}}'

    chat.reply = reply
    client = Client("mini", limits=Limits(concurrency=3, reasks=0))
    answers = client.ask_all([question(str(number)) for number in range(12)], Opinion)
    assert chat.most == 3
    scores = [each if isinstance(each, LlmError) else each.value.score for each in answers]
    assert isinstance(scores.pop(4), LlmMalformedError)
    assert scores == [0, 1, 2, 3, 5, 0, 1, 2, 3, 4, 5]
    assert client.account.requests == 12


def test_a_service_that_fails_ends_the_work(chat):
    chat.reply = lambda _: (401, error_of("no"), {})
    with pytest.raises(LlmServiceError, match="no"):
        Client("mini", limits=Limits(concurrency=2)).write_all([question(str(number)) for number in range(50)])
    assert len(chat.asked) < 50


def test_the_account(chat, said):
    chat.reply = lambda _: GOOD
    client = Client("mini")
    ask(client)
    ask(client, "And this?")
    account = client.account
    assert (account.requests, account.input_tokens, account.output_tokens, account.unmetered) == (2, 200, 40, 0)
    assert account.cost(Prices(input=1, output=10)) == pytest.approx(0.0006)
    assert account.summary() == "2 requests, 200 + 40 tokens"
    chat.answers = [(200, {**said(GOOD), "usage": None}, {})]
    ask(client, "And that?")
    assert account.unmetered == 1
    assert account.summary(Prices(input=1, output=10)).endswith("reported no token counts), cost at least 0.0006")


def test_azure(chat, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(LlmServiceError, match="fix: set AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT"):
        ask(Client("azure:judge"))
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{chat.server_port}")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-01-01")
    chat.reply = lambda _: GOOD
    assert ask(Client("azure:judge")).value.score == 4
    assert chat.paths == ["/openai/deployments/judge/chat/completions?api-version=2026-01-01"]
    assert chat.headers[0]["api-key"] == KEY
    chat.reply = lambda _: (401, error_of(f"not with {KEY}"), {})
    with pytest.raises(LlmServiceError, match=r"not with \*\*\*\n  fix: check AZURE_OPENAI_API_KEY"):
        ask(Client("azure:judge"))


def test_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(LlmServiceError, match="fix: set OPENAI_API_KEY"):
        ask(Client("mini"))


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(LlmServiceError, match=r"pip install '\.\[llm\]'"):
        ask(Client("mini"))


def test_a_client_travels_without_its_connection(chat, tmp_path):
    chat.reply = lambda _: GOOD
    client = Client("mini", Store(tmp_path / "x.sqlite"), Limits(reasks=1))
    ask(client)
    sent = pickle.dumps(client)
    assert KEY.encode() not in sent
    other = pickle.loads(sent)  # noqa: S301 - our own bytes
    assert (other.limits, other.fingerprint) == (client.limits, client.fingerprint)
    assert ask(other).cached
