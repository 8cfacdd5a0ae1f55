"""Pairs the workflow files that differ from a base revision, or call files that do, with themselves at the base."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wfgate.decide import Blob, Change, Pair
from wfgate.errors import FormatError, printable
from wfgate.read import DETECTED, Formats, is_listed, is_workflow, load_text, may_call
from wfgate.run.called import CalledFiles
from wfgate.run.repository import require_inside
from wfgate.run.revision import Revision
from wfgate.run.source import content_hash, read_source


@dataclass(frozen=True)
class Edits:
    """The workflow files that a change edits in place.

    Attributes:
        files: Files that are workflows at the base, with what became of them ("changed" or "removed").
        called: Workflows that are the same, but call local files that differ.
        new: Files with the name of a workflow that the base does not have; they are compared with nothing.
        other: Changed files with the name of a workflow that are none at the base.
    """

    files: dict[Path, Change]
    called: tuple[Path, ...] = ()
    new: tuple[Path, ...] = ()
    other: tuple[Path, ...] = ()

    def pairs(self, base: Revision) -> list[Pair]:
        """Return a case for each file; none for a removed one whose removal the base revision accepts.

        Args:
            base: The base revision, which may have accepted the edited content of a file.
        """
        cases = []
        for path, change in self.files.items():
            case = printable(path.as_posix())
            golden = tuple(base.files(path))
            if change != "removed":
                cases.append(Pair(case, golden, path, before=golden[0]))
            elif not base.accepts(base.name_of(path) or ""):
                fix = "restore it; a removal passes once a code owner of the file approves the pull request"
                same = (new for new in self.new if content_hash(new) == content_hash(golden[0]))
                what = next((f"renamed to {printable(new.as_posix())}" for new in same), "removed")
                cases.append(Pair(case, golden, None, f"the workflow was {what}", fix=fix))
        cases += [Pair(printable(path.as_posix()), tuple(base.files(path)), path) for path in self.called]
        return cases


def edits(paths: Sequence[Path], base: Revision, formats: Formats = DETECTED, left_out: Sequence[Path] = ()) -> Edits:
    """Return the workflow files that differ from a base revision, and those that call local files that do.

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
    changes: dict[Path, Change] = {}
    for path in paths:
        changes |= base.edits(path)
    files, new, other = {}, [], []
    for path, change in sorted(changes.items()):
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
    called = CalledFiles(base, formats)
    same = (path for given in paths for path in _same(given, base, changes.keys(), formats))
    kept = [path for path in dict.fromkeys(same) if not any(path.is_relative_to(each) for each in left_out)]
    callers = [path for path in kept if called.of(path) and _has_steps(base.below(path)[0], formats)]
    return Edits(files, tuple(callers), tuple(new), tuple(other))


def _same(given: Path, base: Revision, edited: Collection[Path], formats: Formats) -> Iterator[Path]:
    """Yield the files of the base revision that are the same and may be workflows that call local files."""
    for path in base.paths(given):
        if is_workflow(path, formats) and path not in edited and path.is_file() and not path.is_symlink():
            with suppress(FormatError):
                if may_call(load_text(path)):
                    yield path


def _has_steps(blob: Blob, formats: Formats) -> bool:
    try:
        return bool(read_source(blob, str(blob.path), formats).workflow.tasks)
    except FormatError:
        return False
