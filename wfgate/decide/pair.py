"""A case to decide: a candidate and its approved references, wherever they are read from."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wfgate.model import SourceSpan, Workflow
from wfgate.read import Beside

Change = Literal["added", "changed", "removed"]


@dataclass(frozen=True)
class Blob:
    """A file of a git revision: path, content, and the files around it at that revision, if they are known."""

    path: Path
    content: bytes
    beside: Beside | None = field(default=None, compare=False, repr=False)


Source = Path | Blob | str | dict[str, Any] | Workflow
"""A file, a file of the base revision, the text of a workflow, its JSON form, or a workflow."""


class Called(NamedTuple):
    """A local file that a candidate calls and that differs from the base revision.

    Attributes:
        file: Its name, relative to the top of the repository.
        change: What became of it; None if it is the first of too many files to follow.
        by: The called file that calls it; empty if the candidate does.
        span: Where the candidate calls it, or the first of the files between.
    """

    file: str
    change: Change | None
    by: str = ""
    span: SourceSpan | None = None


@dataclass(frozen=True)
class Pair:
    """One case of a suite.

    Attributes:
        id: Name of the case.
        goldens: The approved references. The first one is the golden; what the others do differently is free (see
            `wfgate.compare.contract`). Empty if there is no reference.
        candidate: The candidate; None if there is no candidate for the reference.
        problem: Why the case cannot be compared; None if it can.
        fix: How to correct the problem.
        sample_of: Name of the case that the candidate is a sample of; None if the case has only one candidate.
        before: The candidate file of the base revision; None without one.
        brief: The text from which the candidate is generated, for the judge; empty if unknown.
        called: The local files that the candidate calls and that differ from the base revision.
        rules: The file of own rules beside the golden; empty without one, None if nobody has looked.
    """

    id: str
    goldens: tuple[Source, ...]
    candidate: Source | None
    problem: str | None = None
    sample_of: str | None = None
    fix: str | None = None
    before: Blob | None = None
    brief: str = ""
    called: tuple[Called, ...] = ()
    rules: tuple[Blob, ...] | None = None
