"""The connection to a service with OpenAI's API, and the translation of its errors."""

import hashlib
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wfgate.errors import LlmServiceError, first_line, install_extra

if TYPE_CHECKING:
    import openai

AZURE = "azure:"
"""Prefix of a deployment name at Azure OpenAI's classic addresses; the newer ones (`.../openai/v1`) need no prefix."""
TIMEOUT = 60.0
"""Seconds for one request."""
RETRIES = 4
"""Retries if the service is busy or fails; the `openai` client waits for `Retry-After`, else with exponential
backoff."""
_LONGEST = 300
"""Maximum number of characters of a service's error message that are shown."""
_LARGEST = 64_000_000
"""Maximum size of a response in bytes; embeddings of two thousand texts take a quarter of it."""


class Service:
    """A model at a service. API key and address come from the environment variables of the `openai` package.

    These are `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or for `azure:DEPLOYMENT` `AZURE_OPENAI_API_KEY`,
    `AZURE_OPENAI_ENDPOINT` and `OPENAI_API_VERSION`. Error messages contain no API key. This object stores no API key.

    Args:
        name: The model, or `azure:DEPLOYMENT`.
        timeout: Seconds for one request.
        retries: Retries if the service is busy or fails.

    Raises:
        LlmServiceError: If the extra `llm` is not installed, or there is no API key.
    """

    def __init__(self, name: str, *, timeout: float = TIMEOUT, retries: int = RETRIES) -> None:
        self.openai = _openai()
        azure = name.startswith(AZURE)
        self.model = name.removeprefix(AZURE)
        kind: Any = self.openai.AzureOpenAI if azure else self.openai.OpenAI
        failed = ""
        try:
            connections = _connections(self.openai, timeout)
            self.client: openai.OpenAI = kind(timeout=timeout, max_retries=retries, http_client=connections)
        except (self.openai.OpenAIError, ValueError) as error:
            failed = first_line(error)
        if failed:
            variables = (
                "AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION" if azure else "OPENAI_API_KEY"
            )
            raise LlmServiceError(failed, fix=f"set {variables}")
        weakref.finalize(self, self.client.close)

    @property
    def address(self) -> str:
        """The address of the service, without user name, password and query."""
        parts = urlsplit(str(self.client.base_url))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def fingerprint(self) -> str:
        """Hash of the address and the model's name.

        A service can change the model under the same name; the hash then stays the same.
        """
        return hashlib.sha256(json.dumps([self.address, self.model]).encode()).hexdigest()

    def message_of(self, error: Exception) -> str:
        """Return the message of an error in one line, without API keys."""
        text = first_line(error)
        keys = (self.client.api_key, *urlsplit(str(self.client.base_url)).netloc.rpartition("@")[0].split(":"))
        for secret in filter(None, keys):
            text = text.replace(secret, "***")
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."

    def failure(self, what: str, error: Exception) -> LlmServiceError:
        """Return the error to raise after the last retry. The error contains no part of the request."""
        variables = "OPENAI_API_KEY, OPENAI_BASE_URL"
        if isinstance(self.client, self.openai.AzureOpenAI):
            variables = "AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT, OPENAI_API_VERSION"
        return LlmServiceError(
            f"{self.address} did not return {what}: {self.message_of(error)}",
            fix=f"check {variables} and the name of the model",
        )


def _connections(library: Any, timeout: float) -> Any:
    """Return an HTTP client that follows no redirects and limits the time and size of a whole response.

    A redirect would send the question, and with Azure the API key, to another server. The timeout of the library
    applies to each read only. Without the limit here, a service that sends one byte from time to time would never time
    out.
    """
    connections = library.DefaultHttpxClient(timeout=timeout, follow_redirects=False)
    http = import_module(type(connections).__mro__[1].__module__.partition(".")[0])  # httpx, or httpx2
    send = connections.send

    def send_in_time(request: Any, *, stream: bool = False, **given: Any) -> Any:
        expired = threading.Event()

        def answered() -> Any:
            response = send(request, stream=True, **given)
            if not stream:
                _read(response, expired, http.ReadError("the response is too large", request=request))
            return response

        answer = _started(answered)
        try:
            return answer.result(timeout)
        except TimeoutError:
            if answer.done():
                raise
        finally:
            expired.set()
        raise http.ReadTimeout(f"the response is incomplete after {timeout:g} s", request=request)

    connections.send = send_in_time
    return connections


def _started(work: Callable[[], Any]) -> "Future[Any]":
    """Run a function in a daemon thread, which does not delay the end of the process."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by `Future.result`
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _read(response: Any, expired: threading.Event, too_large: Exception) -> None:
    """Read the body of a response; stop with an error after the timeout or above the maximum size."""
    chunks = response.iter_bytes

    def bounded() -> Iterator[bytes]:
        size = 0
        for chunk in chunks():
            size += len(chunk)
            if expired.is_set() or size > _LARGEST:
                raise too_large
            yield chunk

    response.iter_bytes = bounded
    try:
        response.read()
    finally:
        response.close()


def _openai() -> Any:
    missing = ""
    try:
        import openai  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        missing = str(error)
    if missing:
        raise LlmServiceError(f"openai is not installed: {missing}", fix=install_extra("llm"))
    return openai
