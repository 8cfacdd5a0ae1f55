"""Runs the gate of a pull request again, after somebody reviewed it or wrote `/wfgate approve ...`.

It only reads who did that, and asks GitHub to repeat the run: no text of a comment and no code of the pull request is
used here. The repeated run has the rights that it had, and finds the acceptances itself.
"""

import json
import os
import sys
import time
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wfgate.approvals import RefusedError, github_api

TRIES, PAUSE = 40, 15
"""How often, and in seconds how far apart, to look whether the run of the gate has ended."""


def main() -> None:
    """Run the gate again, or say as a notice why not."""
    try:
        sys.stdout.write(f"{rerun(os.environ)}\n")
    except RefusedError as error:
        sys.stdout.write(f'::notice title=wfgate could not run again::{error}; use "Re-run jobs" of the gate\n')


def rerun(environ: Mapping[str, str], pause: float = PAUSE) -> str:
    """Run the gate again for the last commit of the pull request of an event.

    Returns:
        What was done.

    Raises:
        RefusedError: If GitHub refuses.
    """
    event = json.loads(Path(environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    api = github_api(environ)
    sender = urllib.parse.quote(str(event["sender"]["login"]), safe="")
    if api.get(f"collaborators/{sender}/permission")["permission"] not in {"admin", "write"}:
        return "only those who may write to the repository start a run"
    subject = event.get("pull_request") or event["issue"]
    head = str(api.get(f"pulls/{int(subject['number'])}")["head"]["sha"])
    path = f".github/workflows/{environ.get('WFGATE_WORKFLOW') or 'wfgate.yml'}"
    for _ in range(TRIES):
        run = last_run(api.get(f"actions/runs?event=pull_request&head_sha={head}&per_page=100"), path)
        if run is None:
            return f"{path} has not run for {head}"
        if run["status"] == "completed":
            api.call("POST", f"actions/runs/{int(run['id'])}/rerun", {})
            return f"run {int(run['id'])} of the gate starts again"
        time.sleep(pause)  # it may have read the acceptances already
    return f"the run of {path} for {head} does not end"


def last_run(listed: Any, path: str) -> Any:
    """Return the newest of the listed runs of a workflow; None if there is none."""
    ours = [run for run in listed["workflow_runs"] if str(run["path"]).partition("@")[0] == path]
    return max(ours, key=lambda run: int(run["id"]), default=None)


if __name__ == "__main__":
    main()
