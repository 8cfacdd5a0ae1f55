"""The acceptances of a pull request on GitHub."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from wfgate.forge.acceptances import COMMAND, Acceptance, Acceptances, command
from wfgate.forge.api import Api

_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([0-9]+)-[0-9a-f]{40,64}", re.DOTALL)
_DECIDED = {"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}
NO_COMMIT = "it does not say at which commit: copy the whole line from the report"
EDITED = "it was edited, and others than its author can edit it: write a new one"
NO_WRITER = "its author may not write to the repository"


def pull_number(event: Mapping[str, Any]) -> int | None:
    """Return the number of the pull request of an event, or of the entry of a merge queue; None for other events."""
    if "pull_request" in event:
        return int(event["pull_request"]["number"])
    queued = _QUEUED.fullmatch(str(event.get("merge_group", {}).get("head_ref", "")))
    return int(queued[1]) if queued else None


def github_acceptances(api: Api, number: int, head: str | None = None) -> Acceptances:
    """Return who accepted what.

    A review counts by its state and the commit that GitHub recorded, never by its text, which others can edit. Of a
    person the last review counts; if it requests changes, it also takes back the earlier comments of the person.

    Args:
        api: The API of the repository.
        number: Number of the pull request.
        head: The commit that the job is about; None for the last one.

    Raises:
        RefusedError: If GitHub does not answer completely.
    """
    pull = api.get(f"pulls/{number}")
    authors = [pull["user"]["login"]] if pull["user"] else []
    for commit in api.pages(f"pulls/{number}/commits"):
        alone = len(commit["parents"]) < 2  # the button "Update branch" makes a merge in the name of who presses it
        authors += [commit["author"]["login"]] if alone and commit["author"] else []

    @cache
    def may_write(login: str) -> bool:
        return api.get(f"collaborators/{login}/permission")["permission"] in {"admin", "write"}

    reviews = [one for one in api.pages(f"pulls/{number}/reviews") if one["user"] and one["state"] in _DECIDED]
    last = {str(one["user"]["login"]): one for one in reviews}
    accepted, ignored = [], []
    for login, one in last.items():
        if one["state"] == "APPROVED" and one["user"].get("type") != "Bot" and one["commit_id"]:
            review = Acceptance(
                by=login,
                how="review",
                commit=one["commit_id"],
                when=str(one.get("submitted_at") or ""),
                url=str(one.get("html_url") or ""),
            )
            if may_write(login):
                accepted.append(review)
            else:
                ignored.append(f"review of {login}: {NO_WRITER}")
    for one in api.pages(f"issues/{number}/comments"):
        body, user = str(one["body"] or ""), one["user"] or {}
        if not body.startswith(COMMAND) or user.get("type") != "User":
            continue
        login, found = str(user["login"]), command(body)
        review = last.get(login, {})
        taken_back = review.get("state") == "CHANGES_REQUESTED" and str(review["submitted_at"]) > one["created_at"]
        why = (
            EDITED * (one["updated_at"] != one["created_at"])
            or "an app wrote it, not a person" * bool(one.get("performed_via_github_app"))
            or NO_COMMIT * (found is None)
            or "a later review of the same person requests changes" * taken_back
            or NO_WRITER * (not may_write(login))
        )
        if why or found is None:
            ignored.append(f"comment of {login} ({one['html_url']}): {why}")
            continue
        cases, commit_id = found
        accepted.append(
            Acceptance(
                by=login, how="comment", commit=commit_id, cases=cases, when=one["created_at"], url=one["html_url"]
            )
        )
    return Acceptances(
        head=head or pull["head"]["sha"],
        authors=tuple(dict.fromkeys(map(str, authors))),
        accepted=tuple(accepted),
        ignored=tuple(ignored),
    )
