"""`wfgate acceptances`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.output import emit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wfgate.approvals import Acceptances


def acceptances(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write; by default standard output.")
    ] = None,
) -> None:
    """Write who accepted what in the pull request of this job, for `wfgate gate --acceptances FILE`.

    Asks GitHub (variables of GitHub Actions, token in GITHUB_TOKEN) or GitLab (variables of GitLab CI, token in
    WFGATE_GITLAB_TOKEN) for approving reviews, and for comments that start with `/wfgate approve CASE... at COMMIT`.
    Texts of other people are only read as data. Who may accept which case is decided by the gate.

    Example: wfgate acceptances --output acceptances.json
    """
    from wfgate.approvals import RefusedError
    from wfgate.errors import ConfigError

    try:
        given = _found(os.environ)
    except RefusedError:
        raise
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        raise ConfigError(
            f"the event or the answer of the forge is not as expected: {type(error).__name__}",
            fix="run it in the job of a pull request, with its variables",
        ) from error
    emit(given.model_dump_json(by_alias=True, indent=1), output)


def _found(environ: "Mapping[str, str]") -> "Acceptances":
    from wfgate.approvals import github_acceptances, github_api, gitlab_acceptances, gitlab_api, pull_number
    from wfgate.errors import ConfigError

    # the job is about the commit that it was started for: a report of an older commit must not name a newer one
    if environ.get("CI_MERGE_REQUEST_IID"):
        head = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA")
        return gitlab_acceptances(gitlab_api(environ), int(environ["CI_MERGE_REQUEST_IID"]), head)
    event = json.loads(Path(environ.get("GITHUB_EVENT_PATH", os.devnull)).read_text(encoding="utf-8") or "{}")
    number = pull_number(event)
    if number is None:
        raise ConfigError("this is not the job of a pull request", fix="run it for a pull request only")
    head = event["pull_request"]["head"]["sha"] if "pull_request" in event else None
    return github_acceptances(github_api(environ), number, head)
