"""The client for language models: requests, validated answers, cache, retries, accounting."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from wfgate.base import key_of
from wfgate.errors import (
    LlmAnswerError,
    LlmError,
    LlmMalformedError,
    LlmRefusalError,
    LlmSchemaError,
    LlmServiceError,
    LlmTruncatedError,
)
from wfgate.llm.account import Account
from wfgate.llm.recording import Recording
from wfgate.llm.service import RETRIES, TIMEOUT, Service
from wfgate.llm.structured import in_words, parsed, response_format

T = TypeVar("T")
Wanted = TypeVar("Wanted")
Done = TypeVar("Done")
Checked = TypeVar("Checked", bound=BaseModel)

_CACHE_VERSION = "llm/1"
_FILTERS = ("content_filter", "content_policy_violation")
"""Error codes for a request that the content filter of the service refused."""
_OTHER_NAME = {"max_tokens": "max_completion_tokens"}
"""Parameters that newer models accept under another name."""


class AnswerMemory(Protocol):
    """The interface of a place that stores answers: `Store` is a cache, `Recording` is for tests."""

    def read(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """Return the stored values of these keys; missing keys are left out."""

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Store values."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class LlmQuestion:
    """One request to a model.

    Attributes:
        messages: All messages of the conversation.
        temperature: Sampling temperature.
        max_tokens: Maximum length of the answer. A truncated answer is requested again with twice as many.
        sample: Number of the repetition. Each repetition has its own entry in the cache.
    """

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 4096
    sample: int = 0


@dataclass(frozen=True)
class LlmAnswer(Generic[T]):
    """An answer of a model.

    Attributes:
        value: The validated answer.
        text: The text of the answer, unchanged.
        cached: Whether the answer came from the cache.
        reasks: How often the request was repeated because an answer was invalid.
    """

    value: T
    text: str
    cached: bool = False
    reasks: int = 0


@dataclass(frozen=True)
class Limits:
    """Timeouts, retries and concurrency of a client.

    Attributes:
        timeout: Seconds for one request.
        retries: Retries if the service is busy or fails (429, 5xx, timeouts); the client waits as long as
            `Retry-After` says.
        reasks: Maximum number of repeated requests after invalid answers.
        concurrency: Number of parallel requests.
    """

    timeout: float = TIMEOUT
    retries: int = RETRIES
    reasks: int = 2
    concurrency: int = 8


@dataclass
class Client:
    """Sends requests to one model. Thread-safe; can be pickled, without the connection.

    Valid answers are stored in the memory under a hash of service, model and question. API keys, addresses and
    questions are not stored. If the service rejects the parameter `response_format` or `temperature`, the client
    leaves out this parameter in all later requests.

    Args:
        name: The model, or `azure:DEPLOYMENT` (see `Service`).
        memory: Stores answers; None for no cache.
        limits: Timeouts, retries and concurrency.
        offline: Whether to send no requests and use only answers from the memory.
    """

    name: str
    memory: AnswerMemory | None = None
    limits: Limits = Limits()
    offline: bool = False
    account: Account = field(default_factory=Account)

    def __post_init__(self) -> None:
        self._service: Service | None = None
        self._refused: frozenset[str] = frozenset()
        self._lock = Lock()
        self._free = BoundedSemaphore(self.limits.concurrency)

    def __reduce__(self) -> tuple[type["Client"], tuple[Any, ...]]:
        return Client, (self.name, self.memory, self.limits, self.offline)

    @property
    def service(self) -> Service:
        """The service; the connection is made on first use.

        Raises:
            LlmServiceError: If the extra `llm` is not installed, or there is no API key.
        """
        with self._lock:
            if self._service is None:
                self._service = Service(self.name, timeout=self.limits.timeout, retries=self.limits.retries)
            return self._service

    @property
    def fingerprint(self) -> str:
        """Hash of the service's address and the model's name; with a `Recording` as memory, of the name only."""
        return key_of(self.name).hex() if isinstance(self.memory, Recording) else self.service.fingerprint

    def ask(self, question: LlmQuestion, answer: type[Checked]) -> LlmAnswer[Checked]:
        """Return an answer that matches a schema.

        Args:
            question: The request.
            answer: A pydantic model without extra fields and without defaults (services require that).

        Raises:
            LlmServiceError: If the service cannot be reached or keeps failing.
            LlmAnswerError: If no answer was valid: each was refused, truncated, not JSON, or JSON of another schema.
        """
        return self._answered(question, lambda text: parsed(text, answer), answer)

    def write(self, question: LlmQuestion) -> LlmAnswer[str]:
        """Return a free-text answer, unchanged.

        Raises:
            LlmServiceError: If the service cannot be reached or keeps failing.
            LlmAnswerError: If there is no answer: each was refused, truncated or empty.
        """
        return self._answered(question, str, None)

    def ask_all(
        self, questions: Sequence[LlmQuestion], answer: type[Checked]
    ) -> list[LlmAnswer[Checked] | LlmAnswerError]:
        """Return the answers to the questions, in the same order, with parallel requests.

        If there is no valid answer to a question, the result contains an error instead of an answer.

        Raises:
            LlmServiceError: If the service cannot be reached or keeps failing.
        """
        return self._each(questions, lambda question: self.ask(question, answer))

    def write_all(self, questions: Sequence[LlmQuestion]) -> list[LlmAnswer[str] | LlmAnswerError]:
        """Return the free-text answers to the questions, in the same way as `ask_all`.

        Raises:
            LlmServiceError: If the service cannot be reached or keeps failing.
        """
        return self._each(questions, self.write)

    def _each(
        self, questions: Sequence[LlmQuestion], one: Callable[[LlmQuestion], LlmAnswer[T]]
    ) -> list[LlmAnswer[T] | LlmAnswerError]:
        def answered(question: LlmQuestion) -> LlmAnswer[T] | LlmAnswerError:
            try:
                return one(question)
            except LlmAnswerError as error:
                return error

        return at_once(answered, questions, self.limits.concurrency)

    def _answered(
        self, question: LlmQuestion, read: Callable[[str], T], schema: type[BaseModel] | None
    ) -> LlmAnswer[T]:
        key = self.key(question, schema)
        cached = self._cached(key, read)
        if cached is not None:
            with self._lock:
                self.account.cached += 1
            return cached
        if self.offline:
            raise LlmServiceError(
                f"no recorded answer of {self.name!r} to this question", fix="record the answer with the service"
            )
        current = question
        for reasks in range(self.limits.reasks + 1):
            text = ""
            try:
                text = self._answer_text(current, schema)
                value = read(text)
            except LlmAnswerError as error:
                problem = error
            else:
                self._keep(key, text)
                return LlmAnswer(value, text, reasks=reasks)
            if reasks < self.limits.reasks:
                with self._lock:
                    self.account.reasks += 1
                current = _again(question, current, text, problem)
        times = self.limits.reasks + 1
        raise type(problem)(
            f"{self.name!r} gave no valid answer in {times} attempt{'s' * (times != 1)}: {problem.message}"
        )

    def _answer_text(self, question: LlmQuestion, schema: type[BaseModel] | None) -> str:
        """Return the text of one answer and count its tokens."""
        completion = self._completion(question, schema)
        usage = getattr(completion, "usage", None)
        sent, received = (getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens"))
        with self._lock:
            self.account.requests += 1
            if isinstance(sent, int) and isinstance(received, int):
                self.account.input_tokens += sent
                self.account.output_tokens += received
            else:
                self.account.unmetered += 1
        choices = getattr(completion, "choices", None)
        if not choices:
            raise LlmMalformedError("the response of the service is not a completion")
        message, reason = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
        if getattr(message, "refusal", None) or reason == "content_filter":
            raise LlmRefusalError("the model refused to answer")
        if reason == "length":
            raise LlmTruncatedError(f"the answer is truncated after {question.max_tokens} tokens")
        text = getattr(message, "content", None)
        if not isinstance(text, str) or not text.strip():
            raise LlmMalformedError("the answer is empty")
        return text

    def _completion(self, question: LlmQuestion, schema: type[BaseModel] | None) -> Any:
        """Return the response of the service.

        If the service rejects a parameter as unknown, the request is repeated without this parameter.
        """
        service = self.service
        errors = service.openai
        while True:
            request = _request(question, schema, self._refused)
            try:
                with self._free:
                    return service.client.chat.completions.create(model=service.model, **request)
            except (errors.BadRequestError, errors.UnprocessableEntityError) as error:
                unknown = _unknown(error, request)
                failure: LlmError = service.failure(f"an answer of {service.model!r}", error)
                if error.code in _FILTERS or "content_filter" in str(error.body):
                    unknown, failure = (
                        None,
                        LlmRefusalError(
                            "the content filter of the service rejected the request, so there is no answer"
                        ),
                    )
            except errors.OpenAIError as error:
                unknown, failure = None, service.failure(f"an answer of {service.model!r}", error)
            except ValueError:
                unknown, failure = None, LlmMalformedError("the response of the service is not JSON")
            if unknown is None:
                raise failure  # outside of the handlers: a chained exception would carry the request with the key
            self._refused |= {unknown}

    def key(self, question: LlmQuestion, schema: type[BaseModel] | None) -> bytes:
        """Return the key of an answer in the memory: a hash of service, model, question and schema of the answer."""
        messages = [[message.role, message.content] for message in question.messages]
        parameters = json.dumps([messages, question.temperature, question.max_tokens, question.sample])
        return key_of(_CACHE_VERSION, self.fingerprint, parameters, json.dumps(schema and schema.model_json_schema()))

    def _cached(self, key: bytes, read: Callable[[str], T]) -> LlmAnswer[T] | None:
        value = self.memory.read([key]).get(key) if self.memory is not None else None
        if value is None:
            return None
        try:
            text = value.decode()
            return LlmAnswer(read(text), text, cached=True)
        except (LlmAnswerError, ValueError):  # a damaged or changed entry
            return None

    def _keep(self, key: bytes, text: str) -> None:
        if self.memory is not None:
            with self._lock:  # a recording rewrites its whole file
                self.memory.write({key: text.encode("utf-8", "replace")})


def at_once(work: Callable[[Wanted], Done], wanted: Iterable[Wanted], concurrency: int) -> list[Done]:
    """Apply `work` to each item in up to `concurrency` threads.

    The results are in the order of the items. The first error is raised.
    """
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        waiting = [pool.submit(work, one) for one in wanted]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _request(question: LlmQuestion, schema: type[BaseModel] | None, refused: frozenset[str]) -> dict[str, Any]:
    """Return the parameters of a request, without those that the service rejected as unknown."""
    messages = [{"role": message.role, "content": message.content} for message in question.messages]
    request: dict[str, Any] = {"temperature": question.temperature, "max_tokens": question.max_tokens}
    if schema is not None:
        request["response_format"] = response_format(schema)
        if "response_format" in refused:
            messages.append({"role": "system", "content": in_words(schema)})
    for name in refused:
        if name in request and name in _OTHER_NAME:
            request[_OTHER_NAME[name]] = request[name]
        request.pop(name, None)
    return {"messages": messages, **request}


def _unknown(error: Any, request: Mapping[str, Any]) -> str | None:
    """Return the request parameter that the error message calls unknown; None if there is none."""
    message = f"{getattr(error, 'param', None)} {error}"
    names = {"response_format": ("response_format", "json_schema"), "temperature": ("temperature",)}
    names["max_tokens"] = ("max_tokens",)
    return next((name for name, signs in names.items() if name in request and any(s in message for s in signs)), None)


def _again(question: LlmQuestion, current: LlmQuestion, text: str, problem: LlmAnswerError) -> LlmQuestion:
    """Return the question to send after an invalid answer."""
    if isinstance(problem, LlmTruncatedError):
        return replace(current, max_tokens=2 * current.max_tokens)
    if not isinstance(problem, LlmMalformedError | LlmSchemaError) or not text:
        return current
    wrong = f"That answer is not valid: {problem.message}. Answer again, with nothing but what was asked for."
    messages = (*question.messages, Message("assistant", text), Message("user", wrong))
    return replace(current, messages=messages)
