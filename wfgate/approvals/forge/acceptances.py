"""Who accepted which cases of a pull request, at which commit (`wfgate.acceptances/1`)."""

import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from wfgate.decide import COMMAND, COMMIT, Acceptance
from wfgate.errors import ConfigError, os_words, printable
from wfgate.model import Frozen

NOCOMMIT = "it does not say at which commit: copy the whole line from the report"
EDITED = "it was edited, and others than its author can edit it: write a new one"
NO_WRITER = "its author may not write to the repository"
_LINE = re.compile(rf"{COMMAND}[ \t]+(?P<cases>\S.*?)[ \t]+at[ \t]+(?P<commit>{COMMIT})[ \t]*")


class Acceptances(Frozen):
    """The acceptances of a pull request.

    Attributes:
        head: Hash of the last commit of the pull request.
        authors: Logins of the author of the pull request, and of the authors of its commits where known.
        accepted: The acceptances of persons who may write to the repository.
        ignored: Comments and reviews that do not count, each with the reason.
    """

    schema_: Literal["wfgate.acceptances/1"] = Field(default="wfgate.acceptances/1", alias="schema")
    head: Annotated[str, Field(pattern=f"^{COMMIT}$")]
    authors: tuple[str, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def approvers(self) -> tuple[str, ...]:
        """Those who approved the last commit by a review."""
        return tuple(one.by for one in self.accepted if one.how == "review" and one.commit == self.head)


@dataclass(frozen=True)
class Comment:
    """A comment of a pull request, as the forges have it.

    Attributes:
        by: Login of its author.
        body: Its text.
        when: Time when it was written.
        url: Its page.
        void: Why it does not count by the rules of the forge; empty if nothing is known against it.
    """

    by: str
    body: str
    when: str
    url: str
    void: str = ""


def collected(
    head: str,
    authors: Iterable[str],
    may_write: Callable[[str], bool],
    comments: Iterable[Comment],
    reviews: Iterable[Acceptance] = (),
    ignored: Iterable[str] = (),
) -> Acceptances:
    """Return what counts of the reviews and comments of a pull request, and why the others do not.

    Args:
        head: Hash of the last commit.
        authors: Logins of the authors.
        may_write: Returns whether a person may write to the repository. Cost: a request for each person.
        comments: Comments; those that do not start with the command are left out.
        reviews: Approving reviews.
        ignored: What does not count for reasons that only the forge knows.
    """
    known = cache(may_write)
    accepted = [one for one in reviews if known(one.by)]
    refused = [*ignored, *(f"review of {one.by}: {NO_WRITER}" for one in reviews if not known(one.by))]
    for one in comments:
        if not one.body.startswith(COMMAND):
            continue
        accepting = command(one.body)
        why = one.void or NOCOMMIT * (accepting is None) or NO_WRITER * (not known(one.by))
        if why or accepting is None:
            refused.append(f"{comment_of(one)}: {why}")
            continue
        cases, commit = accepting
        accepted.append(Acceptance(by=one.by, how="comment", commit=commit, cases=cases, when=one.when, url=one.url))
    authors = tuple(dict.fromkeys(authors))
    return Acceptances(head=head, authors=authors, accepted=tuple(accepted), ignored=tuple(refused))


def comment_of(one: "Acceptance | Comment") -> str:
    """Return the words for a comment: its author, and its page if it is known."""
    return f"comment of {one.by}{f' ({one.url})' * bool(one.url)}"


def command(body: str) -> tuple[tuple[str, ...], str] | None:
    """Return the cases and the commit of a comment that accepts cases; None if the commit or the cases are missing.

    Only the first paragraph is read. A line may be wrapped, and there may be several, which name the same commit. The
    commit is needed in full: whoever can push can make two commits whose hashes start alike.

    Example:
        >>> cases, commit = command(f"/wfgate approve deploy 'roll back' at {'c0ffee12' * 5}")
        >>> cases, commit[:8]
        (('deploy', 'roll back'), 'c0ffee12')
        >>> command("/wfgate approve deploy") is None
        True
    """
    paragraph = re.split(r"\n[ \t]*\n", body.replace("\r\n", "\n").rstrip())[0]
    lines = re.split(rf"\n(?={COMMAND}[ \t])", paragraph)
    commands = [_LINE.fullmatch(re.sub(r"[ \t]*\n[ \t]*", " ", line)) for line in lines]
    try:
        cases = tuple(case for line in commands if line for case in shlex.split(line["cases"]))
    except ValueError:  # a quotation mark without its partner
        return None
    commits = {line and line["commit"] for line in commands}
    commit = commits.pop()
    return (cases, commit) if cases and commit and not commits else None


def read_acceptances(path: Path) -> Acceptances:
    """Read acceptances from a file.

    Raises:
        ConfigError: If the file cannot be read, or is not of this form.
    """
    fix = "write it with `wfgate acceptances --output FILE`"
    try:
        return Acceptances.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{printable(str(path))}: cannot be read: {os_words(error)}", fix=fix) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{printable(str(path))}: {where}: {first['msg']}", fix=fix) from None
