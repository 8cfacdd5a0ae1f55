"""Keeps one comment per gate on a pull request up to date. Whatever GitHub says, the verdict does not depend on it.

The result is validated and rendered here: it may come from a run for a fork, whose words are not to be trusted.
"""

import hashlib
import json
import os
import sys
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.approvals import RefusedError, github_api
from wfgate.approvals.forge.api import Api
from wfgate.decide import GateResult
from wfgate.run import PIPELINES
from wfgate.show import REPORTERS

FILES = 3000
"""Changed files of a pull request that GitHub lists at most."""
UNFINISHED = "## wfgate: did not finish\n\nThere is no complete result, so nothing has passed.\n"
UNVERIFIED = "## wfgate: not verified\n\nThe result of the gate is not shown: {}. So nothing has passed.\n"


def main() -> None:
    """Comment, or say as a notice why not."""
    try:
        sys.stdout.write(f"{comment(os.environ)}\n")
    except RefusedError as error:
        tell("notice", str(error))
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        tell("warning", f"the event or GitHub's answer is not as expected: {error!r}")


def tell(level: str, words: str) -> None:
    """Say why there is no comment."""
    words = words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    sys.stdout.write(f"::{level} title=wfgate could not comment::{words}; the report is in the job summary\n")


def comment(environ: Mapping[str, str]) -> str:
    """Create or update the comment.

    Returns:
        What was done.

    Raises:
        RefusedError: If that is not possible.
    """
    event = json.loads(Path(environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    api = github_api(environ)
    pull = pull_request(event, api)
    if pull is None:
        return "no pull request, no comment"
    number, run = int(pull["number"]), event.get("workflow_run")
    key = "\0".join((gate_workflow(event, environ), environ.get("WFGATE_NAME", "gate")))
    marker = f"<!-- wfgate:{hashlib.sha256(key.encode()).hexdigest()[:16]} -->"
    report = environ.get("WFGATE_REPORT", "")
    if run is not None and run.get("conclusion") == "success" and not Path(report).is_file():
        raise RefusedError("the gate left a result, but it is not here")
    result = read(report)
    problem = None if result is None or run is None else unbound(result, run, pull, api)
    passed = result is not None and problem is None and result.exit_code == 0 and result.verdict == "pass"
    known = next((each for each in api.pages(f"issues/{number}/comments") if is_ours(each, marker)), None)
    if known is None and passed:
        return "passed, and there is no comment to update"
    body = UNVERIFIED.format(problem) if problem else REPORTERS["markdown"].render(result) if result else UNFINISHED
    heading = "### wfgate: resolved" if passed else ""
    text = {"body": f"{marker}\n{heading}\n\n{body}\nCommit: {pull['head']['sha']}\n"}
    if known is None:
        api.call("POST", f"issues/{number}/comments", text)
        return "commented"
    api.call("PATCH", f"issues/comments/{int(known['id'])}", text)
    return "updated the comment"


def read(path: str) -> GateResult | None:
    """Return the result; None if the gate did not finish and left none."""
    if not path or not Path(path).is_file():
        return None
    try:
        return GateResult.from_json(Path(path).read_bytes())
    except (OSError, ValidationError):
        raise RefusedError("the report is no result of this version of wfgate") from None


def unbound(result: GateResult, run: Any, pull: Any, api: Api) -> str | None:
    """Return why the result of another run proves nothing about a pull request; None if it does.

    Whoever can edit the workflow that ran can write any result. So the pull request must not edit it, and the result
    must agree with what GitHub says about the run and the pull request.
    """
    if result.exit_code == 0 and run.get("conclusion") != "success":
        return f"it says that the gate did not fail, but the conclusion of its run is {run.get('conclusion')}"
    if result.base is None or not contains(api, str(pull["base"]["ref"]), result.base.commit):
        return "it was not made with the present base branch of the pull request; run the gate again"
    files = list(api.pages(f"pulls/{int(pull['number'])}/files"))
    names = {str(each[key]) for each in files for key in ("filename", "previous_filename") if key in each}
    if len(files) >= FILES or any(name.startswith(PIPELINES) for name in names):
        return "the pull request edits files that define what CI runs, and may have edited the gate; review them"
    return None


def gate_workflow(event: Any, environ: Mapping[str, str]) -> str:
    """Return which workflow the gate ran in: the one that this run follows, or this one with its job."""
    if "workflow_run" in event:
        return str(event["workflow_run"]["path"])
    return f"{environ.get('GITHUB_WORKFLOW', '')}\0{environ.get('GITHUB_JOB', '')}"


def pull_request(event: Any, api: Api) -> Any:
    """Return the pull request; for a run that followed another, the one whose head that ran for; None without one."""
    if "pull_request" in event:
        return event["pull_request"]
    run = event.get("workflow_run")
    if run is None or run["event"] != "pull_request":
        return None
    if run["head_repository"] is None:
        raise RefusedError("the repository that the pull request came from is gone")
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    query = urllib.parse.urlencode({"state": "open", "head": head})
    found = (each for each in api.pages(f"pulls?{query}") if each["head"]["sha"] == run["head_sha"])
    return next(found, None)


def is_ours(found: Any, marker: str) -> bool:
    """Return whether a comment is this gate's: anyone can write a marker."""
    return str(found.get("body") or "").startswith(marker) and found.get("user", {}).get("type") == "Bot"


def contains(api: Api, branch: str, commit: str) -> bool:
    """Return whether a branch contains a commit."""
    ends = "...".join(urllib.parse.quote(end, safe="") for end in (commit, branch))
    try:
        found = api.get(f"compare/{ends}")
    except RefusedError:
        return False
    return isinstance(found, dict) and found.get("status") in {"identical", "ahead"}


if __name__ == "__main__":
    main()
