"""The acceptances of a merge request on GitLab.

Only comments count: GitLab does not record at which commit somebody approved a merge request.
"""

from functools import cache

from wfgate.forge.acceptances import COMMAND, Acceptance, Acceptances, command
from wfgate.forge.api import Api, RefusedError
from wfgate.forge.github import EDITED, NO_COMMIT, NO_WRITER

DEVELOPER = 30
"""Access level from which on a member may write."""


def gitlab_acceptances(api: Api, number: int, head: str | None = None) -> Acceptances:
    """Return who accepted what.

    Args:
        api: The API of the project.
        number: Number of the merge request in its project.
        head: The commit that the job is about; None for the last one.

    Raises:
        RefusedError: If GitLab does not answer completely.
    """
    request = api.get(f"merge_requests/{number}")

    @cache
    def may_write(user: int) -> bool:
        try:
            member = api.get(f"members/all/{user}")
        except RefusedError:  # no member: HTTP 404
            return False
        return bool(member["access_level"] >= DEVELOPER and member["state"] == "active")

    accepted, ignored = [], []
    for note in api.pages(f"merge_requests/{number}/notes?sort=asc&order_by=created_at"):
        body, author = str(note["body"] or ""), note["author"]
        if note["system"] or not body.startswith(COMMAND):
            continue
        login, url, found = str(author["username"]), f"{request['web_url']}#note_{int(note['id'])}", command(body)
        why = (
            EDITED * (note["updated_at"] != note["created_at"])
            or "a bot wrote it, not a person" * bool(author.get("bot"))
            or NO_COMMIT * (found is None)
            or NO_WRITER * (not may_write(int(author["id"])))
        )
        if why or found is None:
            ignored.append(f"comment of {login} ({url}): {why}")
            continue
        cases, commit = found
        accepted.append(
            Acceptance(by=login, how="comment", commit=commit, cases=cases, when=note["created_at"], url=url)
        )
    return Acceptances(
        head=head or request["sha"],
        authors=(str(request["author"]["username"]),),
        accepted=tuple(accepted),
        ignored=tuple(ignored),
    )
