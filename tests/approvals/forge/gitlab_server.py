"""A server that speaks for GitLab: one merge request, its comments, and the members of the project."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class GitLab:
    """Answers for the merge request 7 of the project 1; a page has two comments, and `before` answers first."""

    def __init__(self) -> None:
        self.request = {"sha": "0" * 40, "author": {"username": "agent"}, "web_url": "https://forge.example/7"}
        self.notes: list[dict[str, Any]] = []
        self.members = {1: ("ada", 30), 2: ("eve", 20), 3: ("agent", 40)}
        self.before: Callable[[str], tuple[int, str, Any] | None] = lambda _path: None
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                assert self.headers["PRIVATE-TOKEN"] == "secret-token"
                path = self.path.removeprefix("/projects/1/")
                status, link, body = server.before(path) or server.answer(path)
                content = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), "Link": link}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def variables(self) -> dict[str, str]:
        """The variables of a job of the merge request."""
        return {
            "CI_API_V4_URL": self.url,
            "CI_MERGE_REQUEST_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "7",
            "WFGATE_GITLAB_TOKEN": "secret-token",
        }

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def say(self, user: int, body: str, **changed: Any) -> None:
        """Add a comment of a member."""
        written = "2026-11-28T10:00:00.000Z"
        author = {"id": user, "username": self.members.get(user, ("nobody", 0))[0]}
        note = {"id": len(self.notes), "body": body, "author": author, "system": False}
        self.notes.append({**note, "created_at": written, "updated_at": written, **changed})

    def answer(self, path: str) -> tuple[int, str, Any]:
        where, _, query = path.partition("?")
        if where == "merge_requests/7":
            return 200, "", self.request
        if where == "merge_requests/7/notes":
            page = int(query.rpartition("&page=")[2]) if "&page=" in query else 1
            more = f'<{self.url}/projects/1/{where}?sort=asc&per_page=100&page={page + 1}>; rel="next"'
            return 200, more if 2 * page < len(self.notes) else "", self.notes[2 * page - 2 : 2 * page]
        member = self.members.get(int(where.rpartition("/")[2])) if where.startswith("members/all/") else None
        if member is None:
            return 404, "", {"message": "404 Not found"}
        return 200, "", {"username": member[0], "access_level": member[1], "state": "active"}
