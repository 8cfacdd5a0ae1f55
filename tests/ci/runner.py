"""Runs the `run` steps of a composite action as GitHub's runner does, and answers for GitHub's API."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_TERM = re.compile(r"([\w.-]+)\s*(==|!=)\s*'([^']*)'")


@dataclass
class Job:
    """What a job left behind."""

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)


def run_action(
    file: Path, inputs: Mapping[str, str], event: Any, work: Path, temp: Path, environ: Mapping[str, str]
) -> Job:
    """Run an action; steps that use other actions, and the one that installs, are only noted."""
    action = yaml.safe_load(file.read_text())
    given = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()} | dict(inputs)
    assert set(inputs) <= set(action["inputs"])
    temp.mkdir(parents=True, exist_ok=True)
    (temp / "event.json").write_text(json.dumps(event))
    for python, option in ((temp / "wfgate" / "bin" / "python", ""), (temp / "bare" / "python", " -S")):
        python.parent.mkdir(parents=True)  # what the install step makes, and a Python without packages
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}"{option} "$@"\n')
        python.chmod(0o755)
    job = Job()
    known = {f"inputs.{name}": value for name, value in given.items()} | {"github.token": "secret-token"}
    known = {name: _filled(value, known) for name, value in known.items()}
    for step in action["runs"]["steps"]:
        if "if" in step and not _holds(step["if"], known):
            continue
        job.ran.append(step["name"])
        if "uses" in step or step.get("id") == "install":
            job.uses.append(step.get("uses", ""))
            continue
        _run(step, file.parent, known, work, temp, environ, job)
        if job.code:
            break
    job.outputs = {name: _filled(spec["value"], known) for name, spec in action.get("outputs", {}).items()}
    return job


def _run(step, folder, known, work, temp, environ, job):
    assert "${{" not in step["run"]  # inputs come through the environment only
    files = {name: temp / f"{len(job.ran)}-{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    script = temp / f"{len(job.ran)}.sh"
    script.write_text(step["run"])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
        cwd=work / _filled(step.get("working-directory", "."), known),
        env={
            "PATH": f"{temp / 'bare'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(temp),
            "RUNNER_TEMP": str(temp),
            "GITHUB_WORKSPACE": str(work),
            "GITHUB_ACTION_PATH": str(folder),
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            "WFGATE_CACHE": "off",
            "OPENBLAS_NUM_THREADS": "1",
            **{name: str(file) for name, file in files.items()},
            **environ,
            **{name: _filled(value, known) for name, value in step.get("env", {}).items()},
        },
        capture_output=True,
        timeout=300,
        check=False,
    )
    job.code = done.returncode
    job.log += done.stdout.decode() + done.stderr.decode()
    job.summary += files["GITHUB_STEP_SUMMARY"].read_text()
    known |= {
        f"steps.{step.get('id')}.outputs.{name}": value
        for name, value in _outputs(files["GITHUB_OUTPUT"].read_text()).items()
    }


def _filled(text: str, known: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: known.get(found[1], ""), str(text))


def _holds(condition: str, known: Mapping[str, str]) -> bool:
    for term in condition.split("&&"):
        name, sign, value = _TERM.fullmatch(term.strip()).groups()
        if (known.get(name, "") == value) != (sign == "=="):
            return False
    return True


def _outputs(text: str) -> dict[str, str]:
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, _, delimiter = line.partition("<<")
        value = []
        for part in lines:
            if part == delimiter:
                break
            value.append(part)
        found[name] = "\n".join(value)
    return found


Answer = tuple[int, dict[str, str], Any]


class GitHub:
    """A server that speaks for GitHub: comments of one pull request, in pages, and whatever a test wants first.

    Attributes:
        comments: The comments.
        pull: The pull request 7.
        pushed: The commits of the pull request.
        writers: Logins of those who may write to the repository.
        runs: Runs of workflows; `repeated` has the ids of those that were started again.
        statuses: The commit statuses, each with its commit.
        requests: Method and path of each request.
        commits: The commits of the base branch "main".
        before: Answers, consulted before each request; None lets it through.
    """

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.pulls: list[dict[str, Any]] = []
        self.files: list[dict[str, Any]] = []
        self.reviews: list[dict[str, Any]] = []
        self.commits: list[str] = []
        self.pull: dict[str, Any] = {"user": {"login": "agent"}, "head": {"sha": "0" * 40}}
        self.pushed: list[dict[str, Any]] = []
        self.writers = {"ada", "agent", "bob"}
        self.runs: list[dict[str, Any]] = []
        self.repeated: list[int] = []
        self.statuses: list[tuple[str, dict[str, Any]]] = []
        self.requests: list[tuple[str, str]] = []
        self.before: Callable[[str, str], Answer | None] = lambda _method, _path: None
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def _answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                data = json.loads(self.rfile.read(length)) if length else None
                assert self.headers["Authorization"] == "Bearer secret-token"
                server.requests.append((self.command, self.path))
                request = self.command, self.path
                status, headers, body = (
                    server.before(*request)
                    or server.about_acceptances(*request, data)
                    or server.answer(*request, data)
                )
                content = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - the names that http.server calls

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, method: str, path: str, data: Any) -> Answer:
        where, _, query = path.removeprefix("/repos/team/flows/").partition("?")
        lists = {"pulls": self.pulls, "pulls/7/reviews": self.reviews, "pulls/7/files": self.files}
        lists |= {"pulls/7/commits": self.pushed, "pulls/7": self.pull}
        lists |= {"issues/7/comments": self.comments}
        if method == "GET" and where in lists:
            return self.page(where, query, lists[where])
        if method == "GET" and where.startswith("compare/"):
            commit, _, branch = where.removeprefix("compare/").partition("...")
            return 200, {}, {"status": "ahead" if branch == "main" and commit in self.commits else "diverged"}
        if method == "POST" and where == "issues/7/comments":
            self.comments.append(self.comment(data["body"]))
            return 201, {}, self.comments[-1]
        if method == "PATCH" and where.startswith("issues/comments/"):
            place = int(where.rpartition("/")[2])
            self.comments[place]["body"] = data["body"]
            return 200, {}, self.comments[place]
        return 404, {}, {"message": "Not Found"}

    def page(self, where: str, query: str, whole: Any) -> Answer:
        """Return a page of a list, with the address of the next one."""
        if not isinstance(whole, list):
            return 200, {}, whole
        page = int(found[1]) if (found := re.search(r"\bpage=(\d+)", query)) else 1
        link = {"Link": f'<{self.url}/repos/team/flows/{where}?per_page=100&page={page + 1}>; rel="next"'}
        return 200, link if page * 100 < len(whole) else {}, whole[(page - 1) * 100 : page * 100]

    def about_acceptances(self, method: str, path: str, data: Any) -> Answer | None:
        """Return the answer about rights, runs and statuses; None to other requests."""
        where, _, query = path.removeprefix("/repos/team/flows/").partition("?")
        if method == "GET" and (found := re.fullmatch(r"collaborators/([\w-]+)/permission", where)):
            return 200, {}, {"permission": "write" if found[1].casefold() in self.writers else "read"}
        if method == "GET" and where == "actions/runs":
            return 200, {}, {"workflow_runs": [run for run in self.runs if f"head_sha={run['head_sha']}" in query]}
        if method == "POST" and (found := re.fullmatch(r"actions/runs/(\d+)/rerun", where)):
            self.repeated.append(int(found[1]))
            return 201, {}, {}
        if method == "POST" and where.startswith("statuses/"):
            self.statuses.append((where.removeprefix("statuses/"), data))
            return 201, {}, data
        return None

    def comment(self, body: str, kind: str = "Bot") -> dict[str, Any]:
        return {"id": len(self.comments), "body": body, "user": {"type": kind}}

    def said(self, login: str, body: str, **changed: Any) -> dict[str, Any]:
        """Return the comment of a person."""
        written = "2026-11-28T10:00:00Z"
        return {
            "id": len(self.comments),
            "body": body,
            "user": {"login": login, "type": "User"},
            "created_at": written,
            "updated_at": written,
            "html_url": f"https://forge.example/7#{login}",
            "performed_via_github_app": None,
            **changed,
        }

    def reviewed(self, login: str, state: str, commit: str, **changed: Any) -> dict[str, Any]:
        """Return a review."""
        return {
            "user": {"login": login, "type": "User"},
            "state": state,
            "commit_id": commit,
            "submitted_at": "2026-11-28T11:00:00Z",
            "html_url": f"https://forge.example/7#review-{login}",
            **changed,
        }
