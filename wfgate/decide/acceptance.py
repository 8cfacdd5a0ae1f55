"""How a change is accepted: what a forge says of it, and the words of the commands that reports print for it."""

import shlex
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from wfgate.model import Frozen

COMMAND = "/wfgate approve"
"""What a comment that accepts cases starts with."""
ALL = "all"
COMMIT = r"(?:[0-9a-f]{40}|[0-9a-f]{64})"
"""Pattern of the full hash of a commit."""
WHY = "<why>"
"""Stands for the reason in the commands that are printed."""
REASON = f" --reason '{WHY}'"
"""The option of a printed command; in quotes, because a shell reads `<` otherwise."""


class Acceptance(Frozen):
    """An acceptance as the forge reports it. What it covers is decided by `wfgate.approvals.accepted`.

    Attributes:
        by: Login of the person.
        how: An approving review, or a comment with the command.
        commit: Full hash of the commit that the person saw.
        cases: Names of the accepted cases; empty for a review, which is about all files of the commit.
        when: Time of the review or comment.
        url: Page of the review or comment.
    """

    by: str
    how: Literal["review", "comment"]
    commit: Annotated[str, Field(pattern=f"^{COMMIT}$")]
    cases: tuple[str, ...] = ()
    when: str = ""
    url: str = ""


def command_line(cases: Sequence[str], commit: str) -> str:
    """Return the command that accepts cases at a commit; `wfgate.approvals.forge.acceptances.command` reads it."""
    return f"{COMMAND} {shlex.join(cases)} at {commit}"
