"""Pairs the workflow files that differ from a base revision with themselves at the base."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wfgate.errors import FormatError, printable
from wfgate.formats import Formats
from wfgate.formats.choice import DETECTED, is_listed
from wfgate.formats.folders import is_workflow
from wfgate.gating.git import require_inside
from wfgate.gating.revision import Blob, Change, Revision
from wfgate.gating.suite import Pair, read_source


@dataclass(frozen=True)
class Edits:
    """The workflow files that a change edits in place.

    Attributes:
        files: Files that are workflows at the base, with what became of them ("changed" or "removed").
        new: Files with the name of a workflow that the base does not have; they are compared with nothing.
        other: Changed files with the name of a workflow that are none at the base.
    """

    files: dict[Path, Change]
    new: tuple[Path, ...] = ()
    other: tuple[Path, ...] = ()

    def pairs(self, base: Revision) -> list[Pair]:
        """Return a case for each file; none for a removed one whose removal the base revision accepts.

        Args:
            base: The base revision, which may have accepted the edited content of a file.
        """
        found = []
        for path, change in self.files.items():
            case = printable(path.as_posix())
            golden = tuple(base.files(path))
            if change != "removed":
                found.append(Pair(case, golden, path, before=golden[0]))
            elif not base.accepts_removal(path):
                fix = "restore it; a removal passes once a code owner of the file approves the pull request"
                found.append(Pair(case, golden, None, "the workflow was removed", fix=fix))
        return found


def edits(paths: Sequence[Path], base: Revision, formats: Formats = DETECTED, left_out: Sequence[Path] = ()) -> Edits:
    """Return the workflow files that differ from a base revision.

    A file that only the base branch changed since the fork is left out. A file counts if a workflow with steps can be
    read from it at the base, or if `formats` names its format. Untracked files count, ignored ones do not.

    Args:
        paths: Files, or folders of them.
        base: The base revision.
        formats: Patterns of files that are workflows whatever their suffix.
        left_out: Files and folders that are not looked at, such as approved references.

    Raises:
        ConfigError: If a path is outside the repository, or a file is a link that leaves the checkout.
    """
    found: dict[Path, Change] = {}
    for path in paths:
        found |= base.edits(path)
    files, new, other = {}, [], []
    for path, change in sorted(found.items()):
        if not is_workflow(path, formats) or any(path.is_relative_to(each) for each in left_out):
            continue
        require_inside(path)
        before = base.below(path)
        if not before:
            new.append(path)
        elif is_listed(path, formats) or _has_steps(before[0], formats):
            files[path] = change
        else:
            other.append(path)
    return Edits(files, tuple(new), tuple(other))


def _has_steps(blob: Blob, formats: Formats) -> bool:
    try:
        return bool(read_source(blob, str(blob.path), formats).workflow.tasks)
    except FormatError:
        return False
