"""What `wfgate gate` compares: candidates with references, the cases of a suite, or files with their base revision."""

import os
import sys
from collections.abc import Sized
from contextlib import suppress
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from wfgate.cli.options import no_reference
from wfgate.cli.output import SHOWN, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from wfgate.decide import GateResult, Pair
    from wfgate.errors import ConfigError
    from wfgate.read import Formats
    from wfgate.run import Config, Edits, Revision


def revision_of(
    base: str | None, approved_by: list[str] | None, config: Path | None, reference: Path | None
) -> "Revision | None":
    """Return the base revision; None without one.

    Raises:
        ConfigError: If it does not exist, must not be used, or lacks the given configuration file.
    """
    if base is None and not approved_by:
        return None
    from wfgate.approvals import OwnedRevision
    from wfgate.errors import ConfigError
    from wfgate.run import Revision

    if base is None:
        raise ConfigError("--approved-by needs --base", fix="give the base revision of the pull request")
    revision = OwnedRevision(base, Path.cwd(), approved_by) if approved_by else Revision(base, Path.cwd())
    _require_other(revision)
    if config is not None and revision.read(config) is None and (first := _first(revision, config, reference)):
        raise first
    return revision


def _require_other(base: "Revision") -> None:
    """Refuse a base that is the checked-out commit on a build server, where there are no uncommitted changes to judge.

    A branch that is at this commit gives a note only: so it is in a scheduled run on the default branch.
    """
    from wfgate.approvals import build_server
    from wfgate.errors import ConfigError

    if build_server(os.environ) is None or not base.is_checked_out:
        return
    if not base.is_branch:
        raise ConfigError(
            f"{base.ref}: the base revision is the checked-out commit, which would be judged by its own files",
            fix="give the branch that the change is merged into (origin/main), or its commit",
        )
    note(f"the base revision {base.ref} is the checked-out commit ({base.commit[:12]}): only uncommitted files differ")


def _first(base: "Revision", config: Path | None, reference: Path | None) -> "ConfigError | None":
    """Return the error of a change that brings the first references; None if the base revision has references.

    Also None if the working tree has none: then another error names what is missing.
    """
    from wfgate.errors import ConfigError
    from wfgate.run import load_config

    try:
        here = reference or load_config(config, Path()).reference
        if here is None or not here.exists():
            return None
        inside = base.edits(here)
    except ConfigError:  # the reference is outside of the repository, or another error follows
        return None
    with suppress(ConfigError):
        if base.files(here):
            return None
    if not inside:
        return None
    return ConfigError(
        f"the references come with this change: {base.ref} has no file in {here} yet, so that nothing can be compared",
        fix="the first pull request cannot pass by itself: let a code owner review the references and wfgate.toml, "
        "and merge it without this check (docs/ci.md, The first pull request)",
    )


class Compared(NamedTuple):
    """What a run compares.

    Attributes:
        cases: The cases.
        references: Files or folders of the references.
        named: Whether the references are a file or folder that the user or the configuration names.
        unchanged: Whether there is no case because no workflow file differs from the base revision.
        unchecked: New workflow files, with nothing to compare with.
    """

    cases: "Iterable[Pair]"
    references: list[Path]
    named: bool = True
    unchanged: bool = False
    unchecked: tuple[str, ...] = ()


def with_references(
    candidates: list[Path],
    reference: Path | None,
    pairs: str | None,
    base: "Revision | None",
    loaded: "Config",
    config: Path | None,
) -> Compared:
    """Return the candidates with their references, or the cases of a suite.

    Raises:
        ConfigError: If there is nothing to compare, or the change brings the first references.
    """
    if base is not None:
        from wfgate.approvals import OwnedRevision

        if isinstance(base, OwnedRevision) and reference is not None:
            base.accept(reference, loaded.formats)
        if pairs is None and (first := _first(base, config, reference)):
            raise first
    references = [] if reference is None else [reference]
    return Compared(_cases(candidates, reference, pairs, base, loaded.formats), references, bool(references))


def with_themselves(
    paths: list[Path], reference: Path | None, pairs: str | None, base: "Revision | None", loaded: "Config"
) -> Compared:
    """Return the workflow files that differ from the base revision, each with itself at the base.

    Raises:
        ConfigError: Without a base revision, or with references or a suite.
    """
    from wfgate.approvals import OwnedRevision
    from wfgate.errors import ConfigError, printable
    from wfgate.run import edits

    if base is None:
        raise ConfigError("--changed needs --base", fix="give the base revision, such as --base origin/main")
    if reference is not None or pairs is not None:
        raise ConfigError(
            "--changed compares files with themselves at the base revision",
            fix="leave --reference and --pairs out, or leave --changed out",
        )
    left_out = [loaded.reference] if loaded.reference is not None else []
    changes = edits(paths or [Path()], base, loaded.formats, left_out)
    if isinstance(base, OwnedRevision):
        for path in changes.files:
            base.accept(path, loaded.formats)
    _note_left_out(changes)
    cases = changes.pairs(base)
    new = tuple(printable(path.as_posix()) for path in changes.new)
    return Compared(cases, list(changes.files), named=False, unchanged=not cases, unchecked=new)


def with_called(work: Compared, base: "Revision | None", loaded: "Config", *, at_once: bool) -> Compared:
    """Return the cases with the changed local files that their candidates call; a list stays a list, with its length.

    Args:
        work: The cases.
        base: The base revision; without one, nothing is known about called files.
        loaded: The settings.
        at_once: Whether the cases are read more than once.
    """
    from wfgate.run import CalledFiles

    if base is None:
        return work
    called = CalledFiles(base, loaded.formats).in_pairs(work.cases)
    return work._replace(cases=tuple(called) if at_once or isinstance(work.cases, Sized) else called)


def completed(result: "GateResult", work: Compared) -> "GateResult":
    """Add to a result which new files `--changed` did not check, and that it passes if no file differs.

    Raises:
        ConfigError: If there is no case, although files differ.
    """
    result = result.model_copy(update={"unchecked": work.unchecked})
    if work.unchanged:
        return result.model_copy(update={"unchanged": True, "verdict": "pass"})
    require_cases(len(result.cases))
    return result


def _note_left_out(edits: "Edits") -> None:
    for path in edits.new[:SHOWN]:
        note(f"{path}: new, so there is nothing to compare it with")
    if len(edits.new) > SHOWN:
        note(f"{len(edits.new) - SHOWN:,} more new files")
    if edits.other:
        note(f"changed files that are no workflow at the base revision: {len(edits.other):,}")


def _cases(
    candidates: list[Path], reference: Path | None, pairs: str | None, base: "Revision | None", formats: "Formats"
) -> "Iterable[Pair]":
    from wfgate.errors import ConfigError
    from wfgate.run import pair_files, read_pairs, with_missing

    if pairs is not None:
        if candidates:
            raise ConfigError(
                "candidates and --pairs cannot be used together", fix="give either candidates or --pairs"
            )
        if pairs == "-":
            return read_pairs(_stdin(), "stdin", Path.cwd(), base)
        path = Path(pairs)
        if not path.is_file():
            raise ConfigError(f"{path}: the file does not exist", fix="check the path of the suite")
        suite = read_pairs(_lines(path), pairs, path.parent, base)
        before = base.read(path) if base else None
        if before is None:
            return suite
        lines = StringIO(before.decode("utf-8-sig", "surrogateescape"), newline=None)  # the line ends of a file
        return with_missing(suite, read_pairs(lines, f"{pairs} of the base revision", path.parent, base))
    if not candidates:
        known = "" if reference else " --reference GOLDEN"
        raise ConfigError("no candidate was given", fix=f"wfgate gate CANDIDATE{known}")
    if reference is None:
        raise no_reference()
    return pair_files(candidates, reference, base, formats)


def _stdin() -> TextIO:
    stream = sys.stdin
    if isinstance(stream, TextIOWrapper):  # invalid UTF-8 affects one line only
        stream.reconfigure(encoding="utf-8-sig", errors="surrogateescape")
    return stream


def _lines(path: Path) -> "Iterator[str]":
    from wfgate.errors import ConfigError, os_words

    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            yield from lines
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the file") from error


def counted(
    shown: "Callable[[int, int | None], None]", compared: "Iterable[Pair]", suite: str | None
) -> "Callable[[int], None]":
    """Return the function to call with the number of finished cases: it shows them with the total.

    The total of a suite from standard input is not known, because it is read as it comes. With --base, comparisons
    that are gone from the suite are cases, too, and only known at its end.
    """
    from wfgate.run import count_cases

    if isinstance(compared, Sized):
        total = len(compared)
    elif suite is None or suite == "-":
        return lambda done: shown(done, None)
    else:
        total = count_cases(_lines(Path(suite)))
    return lambda done: shown(done, max(total, done))


def require_cases(count: int) -> None:
    """Raise an error if nothing was compared: a run without cases is never a pass."""
    from wfgate.errors import ConfigError

    if not count:
        raise ConfigError("there are no cases to compare", fix="give existing candidates, or a suite with cases")
