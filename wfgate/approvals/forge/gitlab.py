"""The acceptances of a merge request on GitLab.

Only comments count: GitLab does not record at which commit somebody approved a merge request.
"""

import re

from wfgate.approvals.forge.acceptances import EDITED, Acceptances, Comment, collected
from wfgate.approvals.forge.api import Api, NotFoundError

DEVELOPER = 30
"""Access level from which on a member may write."""
_BOT = re.compile(r"(project|group)_[0-9]+_bot.*|service_account_.*", re.DOTALL)
"""Names that GitLab gives to the users of access tokens and to service accounts; comments do not say it otherwise."""


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
    listed = api.pages(f"merge_requests/{number}/notes?sort=asc&order_by=created_at")
    notes = [note for note in listed if not note["system"]]
    ids = {str(note["author"]["username"]): int(note["author"]["id"]) for note in notes}

    def may_write(login: str) -> bool:
        try:
            member = api.get(f"members/all/{ids[login]}")
        except NotFoundError:
            return False
        return bool(member["access_level"] >= DEVELOPER and member["state"] == "active")

    comments = [
        Comment(
            str(note["author"]["username"]),
            str(note["body"] or ""),
            str(note["created_at"]),
            f"{request['web_url']}#note_{int(note['id'])}",
            EDITED * (note["updated_at"] != note["created_at"])
            or "a bot wrote it, not a person" * bool(_BOT.fullmatch(str(note["author"]["username"]))),
        )
        for note in notes
    ]
    return collected(head or request["sha"], [str(request["author"]["username"])], may_write, comments)
