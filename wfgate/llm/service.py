"""The connection to a service that speaks OpenAI's API, and what its failures mean."""

import hashlib
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wfgate.errors import LlmServiceError, first_line

if TYPE_CHECKING:
    import openai

AZURE = "azure:"
"""Before the name of a deployment at Azure OpenAI's classic addresses; its newer ones (`.../openai/v1`) need none."""
TIMEOUT = 60.0
"""Seconds for one request."""
RETRIES = 4
"""How often a busy or failing service is asked again; the client of `openai` waits as `Retry-After` says, else ever
longer."""
_LONGEST = 300
"""Characters shown of what a service said."""
_LARGEST = 64_000_000
"""Bytes of an answer; embeddings of two thousand texts are a quarter of it."""


class Service:
    """A model at a service. Keys and addresses come from the variables that the `openai` package knows.

    `OPENAI_API_KEY` and `OPENAI_BASE_URL`; for `azure:DEPLOYMENT` `AZURE_OPENAI_API_KEY`, `AZURE_OPENAI_ENDPOINT` and
    `OPENAI_API_VERSION`. No message of an error contains a key, and none is kept here.

    Args:
        name: The model, or `azure:DEPLOYMENT`.
        timeout: Seconds for one request.
        retries: How often a busy or failing service is asked again.

    Raises:
        LlmServiceError: If the extra is not installed, or there is no key.
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
        """Where the service is, without what may be secret in an address."""
        parts = urlsplit(str(self.client.base_url))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def fingerprint(self) -> str:
        """Hash of address and model: all that can be known of a model that cannot be seen."""
        return hashlib.sha256(json.dumps([self.address, self.model]).encode()).hexdigest()

    def said(self, error: Exception) -> str:
        """Return what an error says, in one line and without keys."""
        text = first_line(error)
        keys = (self.client.api_key, *urlsplit(str(self.client.base_url)).netloc.rpartition("@")[0].split(":"))
        for secret in filter(None, keys):
            text = text.replace(secret, "***")
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."

    def failure(self, what: str, error: Exception) -> LlmServiceError:
        """Return the error to raise where a request failed for good, without a trace of the request."""
        variables = "OPENAI_API_KEY, OPENAI_BASE_URL"
        if isinstance(self.client, self.openai.AzureOpenAI):
            variables = "AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT, OPENAI_API_VERSION"
        return LlmServiceError(
            f"{what} cannot be had from {self.address}: {self.said(error)}",
            fix=f"check {variables} and the name of the model",
        )


def _connections(library: Any, timeout: float) -> Any:
    """Return the client of HTTP that asks this one address, waits no longer than it may, and reads no more.

    A redirect would take the question, and with Azure the key, to somebody else. The timeout of the library is that of
    one read: a service that sends a byte now and then, of an answer or of what stands before it, would be waited for
    for ever.
    """
    connections = library.DefaultHttpxClient(timeout=timeout, follow_redirects=False)
    http = import_module(type(connections).__mro__[1].__module__.partition(".")[0])  # httpx, or httpx2
    send = connections.send

    def send_in_time(request: Any, *, stream: bool = False, **given: Any) -> Any:
        late = threading.Event()

        def answered() -> Any:
            response = send(request, stream=True, **given)
            if not stream:
                _read(response, late, http.ReadError("the answer is too long", request=request))
            return response

        answer = _begun(answered)
        try:
            return answer.result(timeout)
        except TimeoutError:
            if answer.done():
                raise
        finally:
            late.set()
        raise http.ReadTimeout("the answer does not end", request=request)

    connections.send = send_in_time
    return connections


def _begun(work: Callable[[], Any]) -> "Future[Any]":
    """Do something in a thread that nobody has to wait for, not even the end of the process."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _read(response: Any, late: threading.Event, too_long: Exception) -> None:
    """Read the body of a response to its end; no further once nobody waits for it, or it is too long."""
    arriving = response.iter_bytes

    def bounded() -> Iterator[bytes]:
        size = 0
        for part in arriving():
            size += len(part)
            if late.is_set() or size > _LARGEST:
                raise too_long
            yield part

    response.iter_bytes = bounded
    try:
        response.read()
    finally:
        response.close()


def _openai() -> Any:
    missing = ""
    try:
        import openai  # noqa: PLC0415 - takes a second; an extra
    except ImportError as error:
        missing = str(error)
    if missing:
        raise LlmServiceError(f"openai is not installed: {missing}", fix="pip install 'wfgate[llm]'")
    return openai
