"""The one client through which everything talks to a language model."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

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
from wfgate.store import key_of

T = TypeVar("T")
Wanted = TypeVar("Wanted")
Done = TypeVar("Done")
Checked = TypeVar("Checked", bound=BaseModel)

_CACHE_VERSION = "llm/1"
_FILTERS = ("content_filter", "content_policy_violation")
"""Codes by which a service says that a filter before the model refused."""
_OTHER_NAME = {"max_tokens": "max_completion_tokens"}
"""Parameters that newer models know by another name."""


class Memory(Protocol):
    """Where answers are kept: `Store` for a cache, `Recording` for tests."""

    def read(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """Return what is known of these keys."""

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Question:
    """What a model is asked.

    Attributes:
        messages: The conversation so far.
        temperature: 0 for the likeliest answer.
        max_tokens: The longest answer; a truncated one is asked for again with twice as many.
        sample: Tells repetitions of a question apart: each has an answer of its own in the cache.
    """

    messages: tuple[Message, ...]
    temperature: float = 0.0
    max_tokens: int = 4096
    sample: int = 0


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a model answered.

    Attributes:
        value: The answer, checked.
        text: Its words as they came.
        known: Whether it had been kept from an earlier request.
        reasks: How often the model had to be asked again.
    """

    value: T
    text: str
    known: bool = False
    reasks: int = 0


@dataclass(frozen=True)
class Limits:
    """How long and how often a service is bothered.

    Attributes:
        timeout: Seconds for one request.
        retries: How often a busy or failing service is asked again (429, 5xx, timeouts; `Retry-After` is obeyed).
        reasks: How often a model is asked again whose answer is of no use.
        concurrency: Requests at a time.
    """

    timeout: float = TIMEOUT
    retries: int = RETRIES
    reasks: int = 2
    concurrency: int = 8


@dataclass
class Client:
    """Asks one model; safe to use from several threads, and cheap to send to another process.

    Answers of use are kept in the memory by the hash of service, model and question; keys, addresses and questions
    are not. A service that knows no `response_format` (or no temperature) is asked without it from then on.

    Args:
        name: The model, or `azure:DEPLOYMENT` (see `Service`).
        memory: Keeps answers; None to ask every time.
        limits: How long and how often.
        offline: Answer from the memory alone.
    """

    name: str
    memory: Memory | None = None
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
        """The service, connected when it is first needed.

        Raises:
            LlmServiceError: If the extra is not installed, or there is no key.
        """
        with self._lock:
            if self._service is None:
                self._service = Service(self.name, timeout=self.limits.timeout, retries=self.limits.retries)
            return self._service

    @property
    def fingerprint(self) -> str:
        """Hash of what answers: the service's address and the model's name; the name alone where it is recorded."""
        return key_of(self.name).hex() if isinstance(self.memory, Recording) else self.service.fingerprint

    def ask(self, question: Question, answer: type[Checked]) -> Answer[Checked]:
        """Return an answer that follows a schema.

        Args:
            question: What to ask.
            answer: A pydantic model that allows no further fields and has no defaults (services demand that).

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
            LlmAnswerError: If no answer was of use: refused, truncated, no JSON, another schema.
        """
        return self._answered(question, lambda text: parsed(text, answer), answer)

    def write(self, question: Question) -> Answer[str]:
        """Return an answer in words, as it came.

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
            LlmAnswerError: If there is none: refused, truncated, empty.
        """
        return self._answered(question, str, None)

    def ask_all(self, questions: Sequence[Question], answer: type[Checked]) -> list[Answer[Checked] | LlmAnswerError]:
        """Return an answer to each question in their order, several at a time; an error where none is of use.

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
        """
        return self._each(questions, lambda question: self.ask(question, answer))

    def write_all(self, questions: Sequence[Question]) -> list[Answer[str] | LlmAnswerError]:
        """Likewise, in words.

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
        """
        return self._each(questions, self.write)

    def _each(
        self, questions: Sequence[Question], one: Callable[[Question], Answer[T]]
    ) -> list[Answer[T] | LlmAnswerError]:
        def answered(question: Question) -> Answer[T] | LlmAnswerError:
            try:
                return one(question)
            except LlmAnswerError as error:
                return error

        return at_once(answered, questions, self.limits.concurrency)

    def _answered(self, question: Question, read: Callable[[str], T], schema: type[BaseModel] | None) -> Answer[T]:
        key = self._key(question, schema)
        known = self._known(key, read)
        if known is not None:
            with self._lock:
                self.account.known += 1
            return known
        if self.offline:
            raise LlmServiceError(
                f"the answer of {self.name!r} to this question was not recorded", fix="record it against the service"
            )
        asked = question
        for reasks in range(self.limits.reasks + 1):
            text = ""
            try:
                text = self._asked(asked, schema)
                value = read(text)
            except LlmAnswerError as error:
                problem = error
            else:
                self._keep(key, text)
                return Answer(value, text, reasks=reasks)
            if reasks < self.limits.reasks:
                with self._lock:
                    self.account.reasks += 1
                asked = _again(question, asked, text, problem)
        times = self.limits.reasks + 1
        raise type(problem)(f"{self.name!r} was asked {times} time{'s' * (times != 1)}: {problem.message}")

    def _asked(self, question: Question, schema: type[BaseModel] | None) -> str:
        """Return the text of one answer."""
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
            raise LlmMalformedError("the service answered with something else than a completion")
        message, reason = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
        if getattr(message, "refusal", None) or reason == "content_filter":
            raise LlmRefusalError("the model refused to answer")
        if reason == "length":
            raise LlmTruncatedError(f"the answer ends in the middle, after {question.max_tokens} tokens")
        text = getattr(message, "content", None)
        if not isinstance(text, str) or not text.strip():
            raise LlmMalformedError("the answer is empty")
        return text

    def _completion(self, question: Question, schema: type[BaseModel] | None) -> Any:
        """Return what the service answers, leaving out what it says it does not know."""
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
                    unknown, failure = None, LlmRefusalError("a filter of the service refused the question")
            except errors.OpenAIError as error:
                unknown, failure = None, service.failure(f"an answer of {service.model!r}", error)
            except ValueError:
                unknown, failure = None, LlmMalformedError("the service answered with something else than JSON")
            if unknown is None:
                raise failure  # outside of the handlers: what failed carries the request, and that the key
            self._refused |= {unknown}

    def _key(self, question: Question, schema: type[BaseModel] | None) -> bytes:
        said = [[message.role, message.content] for message in question.messages]
        asked = json.dumps([said, question.temperature, question.max_tokens, question.sample])
        return key_of(_CACHE_VERSION, self.fingerprint, asked, json.dumps(schema and schema.model_json_schema()))

    def _known(self, key: bytes, read: Callable[[str], T]) -> Answer[T] | None:
        kept = self.memory.read([key]).get(key) if self.memory is not None else None
        if kept is None:
            return None
        try:
            text = kept.decode()
            return Answer(read(text), text, known=True)
        except (LlmAnswerError, ValueError):  # a memory that was tampered with
            return None

    def _keep(self, key: bytes, text: str) -> None:
        if self.memory is not None:
            with self._lock:  # a recording is read and written as a whole
                self.memory.write({key: text.encode("utf-8", "replace")})


def at_once(work: Callable[[Wanted], Done], wanted: Iterable[Wanted], concurrency: int) -> list[Done]:
    """Return what comes of each piece of work, in their order, several at a time; the first failure ends all."""
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        waiting = [pool.submit(work, one) for one in wanted]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _request(question: Question, schema: type[BaseModel] | None, refused: frozenset[str]) -> dict[str, Any]:
    """Return the parameters of a request, without those that the service does not know."""
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
    """Return the parameter that a service does not know, if that is what it complains about."""
    said = f"{getattr(error, 'param', None)} {error}"
    names = {"response_format": ("response_format", "json_schema"), "temperature": ("temperature",)}
    names["max_tokens"] = ("max_tokens",)
    return next((name for name, signs in names.items() if name in request and any(s in said for s in signs)), None)


def _again(question: Question, asked: Question, text: str, problem: LlmAnswerError) -> Question:
    """Return the question to ask after an answer of no use."""
    if isinstance(problem, LlmTruncatedError):
        return replace(asked, max_tokens=2 * asked.max_tokens)
    if not isinstance(problem, LlmMalformedError | LlmSchemaError) or not text:
        return asked
    wrong = f"That is of no use: {problem.message}. Answer again, with nothing but what was asked for."
    messages = (*question.messages, Message("assistant", text), Message("user", wrong))
    return replace(asked, messages=messages)
