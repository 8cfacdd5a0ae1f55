"""Pairs candidates with goldens by their names: single files, or folders."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from wfgate.decide import Blob, Pair, Source
from wfgate.errors import ConfigError, printable
from wfgate.read import (
    DETECTED,
    VARIANT_MARK,
    Formats,
    files_below,
    is_ignored,
    is_record,
    is_workflow,
    key_of,
    why_skipped,
    workflow_files,
    workflow_name,
)
from wfgate.run.repository import require_inside
from wfgate.run.revision import Revision, require_plain
from wfgate.run.source import content_hash

_RENAMED = (
    "rename the record of its approval, too (NAME.approvals), or write one (wfgate approve --replace); it counts "
    "once a code owner of both references approves the pull request (--approved-by), or once they are merged"
)
"""How a rename of candidate and reference passes with a base revision."""
NAMES = 20
"""Names of references that an error lists."""


def pair_files(
    candidates: Sequence[Path], reference: Path, base: Revision | None = None, formats: Formats = DETECTED
) -> list[Pair]:
    """Pair candidates with references by name.

    If `reference` is a folder, the candidate `x/deploy.yaml` is compared with the file `deploy.*` in this folder and
    its variants `deploy@*.*`. Two files of one name (see `namesakes`) are no variants of each other, so the case is
    inconclusive. All files in folders of candidates are cases. The candidates `deploy@1.yaml` and `deploy@2.yaml` are
    samples of one case; `deploy.yaml` is a case of its own, because it is the file that is deployed. A candidate
    without a reference is an inconclusive case; so is a reference without a candidate, and a file whose suffix belongs
    to no format (a template such as `deploy.yaml.j2`, or a file without a suffix), unless it is empty. With `base`, so
    is a candidate of the base revision that is gone: under another name (`deploy@1.yaml`, `deploy.txt`) the deployed
    file would no longer be compared; a removed reference is no case if `base` accepts its removal.

    Args:
        candidates: Files, or folders of them.
        reference: File or folder of approved workflows.
        base: Git revision to read references from; None reads from the disk.
        formats: Patterns of files that are workflows whatever their suffix.

    Raises:
        ConfigError: If a path does not exist or leads out of the checkout, several candidates are compared with a
            single reference, or a candidate is its reference; with `base`, if a path leads to another file than its
            name (see `require_plain`).
    """
    for path in candidates if base else (*candidates, reference):
        if not path.exists():
            raise ConfigError(f"{path}: the file or folder does not exist", fix="check the path")
        if not path.is_file() and not path.is_dir():  # reading a pipe or a device may never end
            raise ConfigError(f"{path}: neither a file nor a folder", fix="give a workflow file or a folder")
        if base:
            require_plain(path, Path())
        require_inside(path)
    alone, references = _approved(reference, base, formats)
    if alone is not None:
        candidate = only_file(candidates)
        if same := same_file(candidate, (alone,)):
            raise same
        before = _before([candidate], base).get(candidate)
        return [Pair(printable(candidate.stem), (alone,), candidate, before=before)]
    moved = _moved(references, reference, formats) if base else {}
    keyed = list(candidate_files(candidates, formats))
    sampled = {name for _, key in keyed if (name := workflow_name(key)) != key}
    times = Counter([*sampled, *(key for _, key in keyed)])
    pairs: list[Pair] = []
    known = _before(candidates, base)
    for candidate, key in keyed:
        name = workflow_name(key)
        goldens = tuple(references.get(name, ()))
        if same := same_file(candidate, goldens):
            raise same
        problem, fix = namesakes(goldens) if goldens else _no_reference(name, reference, base, moved)
        case = key if times[key] == 1 else candidate.as_posix()  # ids must be unique
        sample_of = printable(name) if name != key else None
        before = known.get(candidate)
        pairs.append(Pair(printable(case), goldens, candidate, problem, sample_of, fix, before=before))
    if any(path.is_dir() for path in candidates):
        alone_here = {
            key: paths for key, paths in references.items() if workflow_name(key) not in sampled | times.keys()
        }
        pairs += _without_candidate(alone_here, base, moved)
    names = {workflow_name(name) for name in times}
    gone = {path for path in known.keys() - {candidate for candidate, _ in keyed} if is_workflow(path, formats)}
    pairs += _renamed(gone, candidates, {name: references[name] for name in references.keys() & names})
    return [*pairs, *_unread(candidates, formats)]


def _no_reference(
    name: str, reference: Path, base: Revision | None, moved: Mapping[str, str]
) -> tuple[str, str | None]:
    """Return the problem that a candidate has no reference, and the fix if the change renames the workflow."""
    where = f" of the base revision {base.ref}" if base else ""
    problem = f"no reference named {printable(name)!r} in {printable(str(reference))}{where}"
    old = next((old for old, new in moved.items() if new == name), None)
    return (problem, None) if old is None else (f"{problem}, where its name is {printable(old)!r}", _RENAMED)


def _without_candidate(
    references: Mapping[str, Sequence[Source]], base: Revision | None, moved: Mapping[str, str]
) -> Iterator[Pair]:
    """Yield a case that fails for each workflow without a candidate, unless somebody approved that it is removed.

    Args:
        references: The references of these workflows, by name.
        base: The base revision.
        moved: The new names of workflows that the change renames.
    """
    for key, paths in sorted(references.items()):
        names = [base.name_of(each.path) for each in paths if base and isinstance(each, Blob)]
        here = not names or any(isinstance(each, Blob) and os.path.lexists(each.path) for each in paths)
        if base and not here and all(name is not None and base.accepts(name) for name in names):
            continue
        to = f"; its reference is renamed to {printable(moved[key])!r}" if key in moved else ""
        problem = f"no candidate named {printable(key)!r}{to}"
        yield Pair(printable(key), tuple(paths), None, problem, fix=_RENAMED if to else None)


def _moved(references: Mapping[str, Sequence[Source]], folder: Path, formats: Formats) -> dict[str, str]:
    """Return the new name of each workflow of the base revision that the change renames: it has the same reference."""
    here = reference_files(folder, formats) if folder.is_dir() else {}
    gone = {name: paths[0] for name, paths in references.items() if name not in here}
    new = {content_hash(paths[0]): name for name, paths in here.items() if name not in references} if gone else {}
    renamed = {name: new.get(content_hash(source)) for name, source in gone.items()}
    return {name: other for name, other in renamed.items() if other is not None}


def _renamed(
    gone: Iterable[Path], candidates: Sequence[Path], references: Mapping[str, Sequence[Source]]
) -> Iterator[Pair]:
    """Yield a case that fails for each candidate of the base revision that is gone, while other files have its name.

    Args:
        gone: The candidate files of the base revision that are not there.
        candidates: The given files and folders.
        references: The references of the candidates that are there, by name.
    """
    for path in sorted(gone):
        given = next(folder for folder in candidates if path.is_relative_to(folder))
        key = path.relative_to(given).with_suffix("").as_posix()
        if key in references:  # a sample (`deploy@2`) has the name of its workflow, not its own
            problem = f"the base revision has {printable(str(path))}, which is gone; other files have its name"
            fix = "restore the file; a file of another name is not the one that is deployed"
            case = printable(f"{path.as_posix()} (base revision)")
            yield Pair(case, tuple(references[key]), None, problem, fix=fix)


def _before(candidates: Sequence[Path], base: Revision | None) -> dict[Path, Blob]:
    """Return the candidate files of the base revision, by path; none without one."""
    return {} if base is None else {blob.path: blob for path in candidates for blob in base.below(path)}


def same_file(candidate: Source, goldens: Sequence[Source]) -> ConfigError | None:
    """Return the error if a candidate is one of its references: the pair would pass for ever.

    References of a base revision are no files of the disk, so the same path is allowed there.
    """
    place = _real_path(candidate)
    if place is None or place not in map(_real_path, goldens):
        return None
    return ConfigError(
        f"{printable(str(candidate))}: the candidate is the reference file itself, so nothing was compared",
        fix="give the generated files as candidates; --base REV compares approved files with those of a revision",
    )


def _real_path(source: Source) -> Path | None:
    """Return the path of a source without symbolic links; None if it is no file that exists."""
    try:
        return source.resolve(strict=True) if isinstance(source, Path) else None
    except (OSError, RuntimeError, ValueError):  # impossible in a file system, or links in a circle
        return None


def _unread(candidates: Sequence[Path], formats: Formats) -> Iterator[Pair]:
    """Yield a case that fails for each file in a folder of candidates that is not known to be a workflow."""
    for path in sorted({path for given in candidates if given.is_dir() for path in files_below(given)}):
        what = why_skipped(path, formats)
        if what is not None and not is_ignored(path, formats) and not is_record(path) and path.stat().st_size:
            problem = f'{what}: name its format in [formats] of wfgate.toml, or "ignored" if it is no workflow'
            yield Pair(printable(path.as_posix()), (), path, printable(problem))


def only_file(candidates: Sequence[Path]) -> Path:
    """Return the only candidate file, for a gate with a single reference file.

    Raises:
        ConfigError: If there are several candidates, or the candidate is a folder.
    """
    if len(candidates) > 1:
        raise ConfigError(
            "there are several candidates, but only one reference file",
            fix="give a folder as --reference, or give only one candidate",
        )
    if candidates[0].is_dir():
        if next(files_below(candidates[0]), None) is None:
            what, fix = "an empty folder", "generate the candidate first, and give its file"
        else:
            what, fix = "a folder", "give a folder as --reference, or a file as the candidate"
        raise ConfigError(f"{candidates[0]}: the candidate is {what}, and the reference is a file", fix=fix)
    return candidates[0]


def _approved(
    reference: Path, base: Revision | None, formats: Formats
) -> tuple[Source | None, Mapping[str, Sequence[Source]]]:
    """Return the references of each workflow, read from a single reference file or from a folder."""
    if base is None:
        return (reference, {}) if reference.is_file() else (None, reference_files(reference, formats))
    references: dict[str, list[Source]] = {}
    for blob in base.files(reference):
        if blob.path == reference:
            return blob, {}
        if is_workflow(blob.path, formats):
            key = blob.path.relative_to(reference).with_suffix("").as_posix()
            references.setdefault(workflow_name(key), []).append(blob)
    return None, references


def reference_files(reference: Path, formats: Formats = DETECTED) -> dict[str, list[Path]]:
    """Return the references of each workflow in a folder; the reference without a variant name comes first.

    Example:
        >>> reference_files(Path("nowhere"))
        {}
    """
    references: dict[str, list[Path]] = {}
    for path in workflow_files(reference, formats):
        require_inside(path)
        references.setdefault(workflow_name(key_of(path, reference)), []).append(path)
    return references


def references_named(name: str, reference: Path, formats: Formats = DETECTED, *, fix: str | None = None) -> list[Path]:
    """Return the references of one workflow; a single file is the reference of every workflow.

    Args:
        name: The name of the workflow.
        reference: File or folder of approved workflows.
        formats: Patterns of files that are workflows whatever their suffix.
        fix: What to do if the folder has no workflow of this name; None lists the names in it.

    Raises:
        ConfigError: If there is none, or two have one name (see `namesakes`).
    """
    if not reference.exists():
        raise ConfigError(f"{reference}: the file or folder does not exist", fix="check the path")
    if reference.is_file():
        return [reference]
    known = reference_files(reference, formats)
    files = known.get(name, [])
    if not files:
        names = [printable(each) for each in sorted(known)]
        more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        listed = (
            f"use one of: {', '.join(names[:NAMES])}{more}" if names else "approve a workflow first: wfgate approve"
        )
        raise ConfigError(f"no reference named {printable(name)!r} in {reference}", fix=fix or listed)
    problem, how = namesakes(files)
    if problem is not None:
        raise ConfigError(problem, fix=how)
    return files


def namesakes(references: Sequence[Source]) -> tuple[str, str] | tuple[None, None]:
    """Return the problem, and its fix, of references that differ only by the suffix; None twice without.

    They are alternatives of one workflow only if somebody says so, because what they do differently becomes free: a
    text for people, or the file of another tool, would free every step of the workflow beside it.

    Example:
        >>> namesakes([Path("approved/deploy.yaml"), Path("approved/deploy@2.md")])
        (None, None)
        >>> namesakes([Path("approved/deploy.md"), Path("approved/deploy.yaml")])[0]
        'approved/deploy.md and approved/deploy.yaml have one name, so it is unclear which is the reference'
    """
    first: dict[Path, Path] = {}
    for path in (each.path if isinstance(each, Blob) else each for each in references):
        if isinstance(path, Path) and (other := first.setdefault(path.with_suffix(""), path)) != path:
            names = [printable(each.as_posix()) for each in (other, path)]
            variant = printable(f"{path.stem.split(VARIANT_MARK)[0]}{VARIANT_MARK}NAME")
            problem = f"{names[0]} and {names[1]} have one name, so it is unclear which is the reference"
            return problem, (
                'rename the file that is no reference, or write "ITS PATH" = "ignored" in [formats] of wfgate.toml; '
                f"only if it is another way to do the same work, rename it to {variant} with its suffix"
            )
    return None, None


def candidate_files(candidates: Sequence[Path], formats: Formats = DETECTED) -> Iterator[tuple[Path, str]]:
    """Yield each candidate file with its path relative to the given folder, without the suffix."""
    for given in candidates:
        for path in workflow_files(given, formats) if given.is_dir() else [given]:
            require_inside(path)
            yield path, key_of(path, given)
