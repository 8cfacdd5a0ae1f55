"""Requests to the API of a forge. Only the standard library is imported, so that a job needs no installation."""

import email.utils
import http.client
import json
import math
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from email.message import Message
from typing import Any

from wfgate.errors import WfgateError

TRIES = 3
PATIENCE = 60
"""Seconds to wait for a rate limit at most; GitHub asks for as many where it names no time."""
PAGES = 50
SAID = 10_000
"""Bytes that are read of what a refusal says."""
_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="next"')


class RefusedError(WfgateError):
    """The forge does not answer, or refuses."""


class NotFoundError(RefusedError):
    """The forge has nothing at this address, or does not show it."""


class _OneServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects (a renamed repository) on one server only: the request that is repeated has the token."""

    def __init__(self, server: str) -> None:
        self._server = server

    def redirect_request(self, *given: Any) -> urllib.request.Request | None:
        if not str(given[-1]).startswith(f"{self._server}/"):
            raise RefusedError("the forge redirects to another server")
        return super().redirect_request(*given)


class Api:
    """The API of a forge, below one address.

    Args:
        server: Address of the API; the token is sent to no other server.
        below: What all paths start with, such as "/repos/team/flows".
        headers: Headers of each request, with the token.
        name: Name of the forge, for errors.
    """

    def __init__(self, server: str, below: str, headers: Mapping[str, str], name: str = "GitHub") -> None:
        self._server = server
        self._root = f"{server}{below}/"
        self._headers = {"Content-Type": "application/json", "User-Agent": "wfgate", **headers}
        self._name = name
        self._opener = urllib.request.build_opener(_OneServer(server))

    def pages(self, path: str) -> Iterator[Any]:
        """Yield what is listed on all pages.

        Raises:
            RefusedError: If the forge refuses, or has more than `PAGES` pages, so that the list is not complete.
        """
        url = f"{self._root}{path}{'&' if '?' in path else '?'}per_page=100"
        for _ in range(PAGES):
            page, headers = self._asked("GET", url, None)
            yield from page
            following = _NEXT.search(headers.get("Link", ""))
            if following is None:
                return
            url = following[1]
            if not url.startswith(f"{self._server}/"):
                raise RefusedError("the next page is on another server")
        raise RefusedError(f"{self._name} lists more than {PAGES} pages")

    def get(self, path: str) -> Any:
        """Return what is at a path."""
        return self._asked("GET", self._root + path, None)[0]

    def call(self, method: str, path: str, data: Any) -> None:
        """Send something."""
        self._asked(method, self._root + path, data)

    def _asked(self, method: str, url: str, data: Any) -> tuple[Any, Mapping[str, str]]:
        body = None if data is None else json.dumps(data).encode()
        for attempt in range(TRIES):
            request = urllib.request.Request(url, body, dict(self._headers), method=method)  # noqa: S310 - the API
            try:
                with self._opener.open(request, timeout=30) as answer:
                    content = answer.read()
                    return json.loads(content) if content else None, answer.headers
            except urllib.error.HTTPError as error:
                wait = waiting(error.code, error.headers, time.time(), error.read(SAID))
                if wait is None or wait > PATIENCE or attempt == TRIES - 1:
                    kind = NotFoundError if error.code == 404 else RefusedError
                    raise kind(self._reason(error.code, wait)) from None
                time.sleep(wait)
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise RefusedError(f"{self._name}'s API does not answer: {error}") from None
        raise RefusedError(f"{self._name}'s API does not answer")

    def _reason(self, status: int, wait: float | None) -> str:
        if wait is not None and status in {403, 429}:
            return f"{self._name}'s rate limit is used up"
        if status in {401, 403, 404}:
            return f"the token may not do this (HTTP {status}; the token of a fork may only read)"
        return f"{self._name}'s API said HTTP {status}"


def github_api(environ: Mapping[str, str]) -> Api:
    """Return GitHub's API for the repository of a job."""
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {environ.get('GITHUB_TOKEN', '')}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    return Api(environ["GITHUB_API_URL"], f"/repos/{environ['GITHUB_REPOSITORY']}", headers)


def gitlab_api(environ: Mapping[str, str]) -> Api:
    """Return GitLab's API for the project of a merge request."""
    headers = {"PRIVATE-TOKEN": environ.get("WFGATE_GITLAB_TOKEN", "")}
    project = int(environ["CI_MERGE_REQUEST_PROJECT_ID"])
    return Api(environ["CI_API_V4_URL"], f"/projects/{project}", headers, "GitLab")


def waiting(status: int, headers: Message, now: float, said: bytes = b"") -> float | None:
    """Return how long to wait before asking again; None where that is of no use."""
    if "Retry-After" in headers:
        told = headers["Retry-After"]
        return seconds(told) if told.strip().isdecimal() else until(told, now)
    if status in {403, 429} and headers.get("X-RateLimit-Remaining") == "0":
        return max(0.0, seconds(headers.get("X-RateLimit-Reset", "")) - now)
    if status == 429 or (status == 403 and b"rate limit" in said):  # GitHub's secondary limit names no time
        return float(PATIENCE)
    return 1.0 if status >= 500 else None


def seconds(told: str) -> float:
    """Return a number of seconds; endless where it is none."""
    return float(told) if told.strip().isdecimal() else math.inf


def until(date: str, now: float) -> float:
    """Return the seconds until a date of HTTP; endless where it is none."""
    try:
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, OverflowError):
        return math.inf
