"""The acceptances of a pull request on GitHub."""

import re
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

from wfgate.approvals.forge.acceptances import EDITED, Acceptances, Comment, collected
from wfgate.approvals.forge.api import Api, NotFoundError, RefusedError
from wfgate.decide import COMMAND, Acceptance

_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([0-9]+)-[0-9a-f]{40,64}", re.DOTALL)
_DECIDED = {"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}
UNREAD = "the text of a review is not read: write it as a comment of the pull request, or approve"


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
    listed = list(api.pages(f"pulls/{number}/reviews"))
    reviews = [one for one in listed if one["user"] and one["state"] in _DECIDED]
    last = {str(one["user"]["login"]): one for one in reviews}

    def may_write(login: str) -> bool:
        try:
            permission = api.get(f"collaborators/{urllib.parse.quote(login, safe='')}/permission")
        except NotFoundError:  # an account that is gone
            return False
        return permission["permission"] in {"admin", "write"}

    return collected(
        head or pull["head"]["sha"],
        _authors(api, number, pull),
        may_write,
        [*_comments(api, number, last)],
        [
            Acceptance(
                by=login,
                how="review",
                commit=one["commit_id"],
                when=str(one.get("submitted_at") or ""),
                url=str(one.get("html_url") or ""),
            )
            for login, one in last.items()
            if one["state"] == "APPROVED" and one["user"].get("type") != "Bot" and one["commit_id"]
        ],
        [
            f"review of {one['user']['login']} ({one.get('html_url')}): {UNREAD}"
            for one in listed
            if one["user"] and one["state"] == "COMMENTED" and str(one.get("body") or "").startswith(COMMAND)
        ],
    )


def _authors(api: Api, number: int, pull: Mapping[str, Any]) -> list[str]:
    """Return the author of a pull request and those of its commits.

    Raises:
        RefusedError: If GitHub does not list all commits (it lists at most 250): an author would be missing.
    """
    commits = list(api.pages(f"pulls/{number}/commits"))
    if len(commits) < pull.get("commits", 0):
        raise RefusedError(
            f"GitHub lists {len(commits)} of {pull['commits']} commits of the pull request, so that not all authors "
            "are known",
            fix="squash the commits, and accept the cases again",
        )
    people = [pull["user"]]
    # the button "Update branch" makes a merge in the name of who presses it
    people += [commit["author"] for commit in commits if len(commit["parents"]) < 2]
    return [str(one["login"]) for one in people if one]


def _comments(api: Api, number: int, reviews: Mapping[str, Any]) -> Iterator[Comment]:
    """Yield the comments of persons, each with the reason for which it is void; the last review of each is given."""
    for one in api.pages(f"issues/{number}/comments"):
        user = one["user"] or {}
        if user.get("type") != "User":
            continue
        review = reviews.get(str(user["login"]), {})
        taken_back = review.get("state") == "CHANGES_REQUESTED" and str(review["submitted_at"]) > one["created_at"]
        void = (
            EDITED * (one["updated_at"] != one["created_at"])
            or "an app wrote it, not a person" * bool(one.get("performed_via_github_app"))
            or "a later review of the same person requests changes" * taken_back
        )
        yield Comment(str(user["login"]), str(one["body"] or ""), str(one["created_at"]), str(one["html_url"]), void)
