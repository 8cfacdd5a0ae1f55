"""Shows on the commit of a pull request which cases fail and which somebody accepted: a commit status for each."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from wfgate.approvals import RefusedError, github_api
from wfgate.decide import CaseResult, GateResult
from wfgate.show import visible
from wfgate.show.wording import fails

MOST = 20
"""Cases with a status at most."""
LENGTH = 140
"""Characters of a description that GitHub takes at most."""


def main() -> None:
    """Write the statuses, or say as a notice why not."""
    try:
        sys.stdout.write(f"commit statuses: {publish(os.environ)}\n")
    except RefusedError as error:
        sys.stdout.write(
            f"::notice title=wfgate could not write a status::{error}; the report is in the job summary\n"
        )


def publish(environ: Mapping[str, str]) -> int:
    """Write the statuses; return how many.

    Raises:
        RefusedError: If GitHub refuses.
    """
    report = Path(environ.get("WFGATE_REPORT", ""))
    result = GateResult.from_json(report.read_bytes()) if report.is_file() else None
    if result is None or result.base is None or result.base.head is None:
        return 0
    api = github_api(environ)
    listed = list(statuses(result, environ.get("WFGATE_NAME", "gate")))[:MOST]
    for status in listed:
        api.call("POST", f"statuses/{result.base.head}", status)
    return len(listed)


def statuses(result: GateResult, gate: str) -> Iterator[dict[str, str]]:
    """Yield a status for each accepted case, then for each case that fails."""
    for case in sorted(result.cases, key=lambda case: case.accepted is None):
        if case.accepted is not None or fails(case, result):
            yield {"context": visible(f"wfgate/{gate}: {case.id}", 100), **_state(case)}


def _state(case: CaseResult) -> dict[str, str]:
    one = case.accepted
    if one is None:
        return {"state": "failure", "description": case.verdict}
    words = visible(f"{case.verdict}, accepted by {one.by} ({one.how})", LENGTH)
    url = {"target_url": one.url} if one.url.startswith(("https://", "http://")) else {}
    return {"state": "success", "description": words, **url}


if __name__ == "__main__":
    main()
