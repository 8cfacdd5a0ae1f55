"""What a result says of the base revision: which protected files differ from it, and whose acceptances count."""

from typing import Literal

from wfgate.decide.pair import Change
from wfgate.model import Frozen

Kind = Literal["reference", "configuration", "profile", "waivers", "suite", "pipeline"]
IN_FORCE: frozenset[Kind] = frozenset({"suite", "pipeline"})
"""Kinds that are read from the working tree: the list of candidates, and what starts the gate."""


class ProtectedChange(Frozen):
    """A file that affects the verdict and differs from the base revision.

    The gate used the file of the base revision. Files of the kinds in `IN_FORCE` are an exception: the changed file
    has an effect, so a person must review the change.
    """

    path: str
    kind: Kind
    change: Change
    approved_by: str | None = None
    """The code owner who approved a changed reference of the pull request, so that it was used."""
    content: str | None = None
    """SHA-256 of the bytes of a reference in the working tree; None for other files and removed ones."""


class BaseInfo(Frozen):
    """The revision from which references, configuration, profile and waivers were read.

    Attributes:
        ref: Name of the revision, as given.
        commit: Hash of its commit.
        changed: Protected files of the working tree that differ from the revision, by path.
        head: Last commit of the pull request; None if its acceptances were not read.
        refused: Acceptances that do not count, each with the reason.
    """

    ref: str
    commit: str
    changed: tuple[ProtectedChange, ...] = ()
    head: str | None = None
    refused: tuple[str, ...] = ()
