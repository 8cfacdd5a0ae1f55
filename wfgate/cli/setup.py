"""`wfgate init` and `wfgate doctor`."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate import __version__
from wfgate.cli.options import ConfigFile, DataFormat, OutputFormat, assessor_of
from wfgate.cli.output import emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wfgate.model import Workflow


class CiSystem(StrEnum):
    """CI systems that files can be written for."""

    GITHUB = "github"
    GITLAB = "gitlab"
    NONE = "none"


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Root of the project.")] = Path(),
    example: Annotated[
        bool,
        typer.Option(
            "--example", help="Write an approved workflow too, a candidate that passes and one that does not."
        ),
    ] = False,
    ci: Annotated[CiSystem, typer.Option("--ci", help="CI system to write files for.")] = CiSystem.NONE,
    reference: Annotated[
        str, typer.Option("--reference", "-r", metavar="FOLDER", help="Folder for approved workflows.")
    ] = "approved",
    candidates: Annotated[
        str, typer.Option("--candidates", metavar="FOLDER", help="Folder for generated workflows.")
    ] = "generated",
    ref: Annotated[
        str | None,
        typer.Option(
            "--ref", "--commit", metavar="REF", help=f"Release (v{__version__}) or commit of wfgate that CI runs."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace existing files; copies are kept in replaced-by-init/.")
    ] = False,
) -> None:
    """Write wfgate.toml with a strict policy, and the files that run the gate in CI.

    With --example, there is something to gate at once: one candidate passes, the other is blocked. Critical steps are
    proposed from the approved workflows, if there are some. Existing files are kept, unless --force is given; then a
    copy of each replaced file is kept.

    Example: wfgate init --example
    """
    from wfgate.errors import ConfigError
    from wfgate.read import read_text
    from wfgate.setup import NO_COMMIT, example_files, installed_ref, scaffold, unfinished_text, written_text

    shown = example_files(reference, candidates) if example else {}
    if not force and (taken := next((name for name in shown if (folder / name).exists()), None)):
        raise ConfigError(f"{folder / taken}: the file exists", fix="give a new folder: wfgate init --example FOLDER")
    goldens = {
        name: read_text(text, name).workflow for name, text in shown.items() if name.startswith(f"{reference}/")
    }
    goldens |= _goldens(folder, reference)
    texts = scaffold(ci.value, reference, candidates, ref or installed_ref(), goldens) | shown
    unfinished = scaffold(ci.value, reference, candidates, NO_COMMIT, goldens)
    copies = next(path for path in _copy_folders(folder) if not path.exists())
    lines = []
    for name, text in texts.items():
        path = folder / name
        before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        untouched = before == unfinished.get(name) and NO_COMMIT in (before or "")
        kept = path.exists() and ((not force and not untouched) or before == text)
        copy = copies / name if before is not None and not kept and not untouched else None
        if copy is not None:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        if not kept:
            emit(text, path)
        lines.append(written_text(path, kept=kept, text=text, copy=copy, same=before == text))
        if NO_COMMIT in (before or "" if kept else text):
            lines += unfinished_text(NO_COMMIT)
    emit("\n".join([*lines, *_next(folder, reference, candidates, ci.value, example=example)]), None)


def _next(folder: Path, reference: str, candidates: str, ci: str, *, example: bool) -> "list[str]":
    """Return the next steps: what has no approval yet comes first, because nothing else works before."""
    from wfgate.approvals import unapproved
    from wfgate.run import reference_files
    from wfgate.setup import github_text, next_text

    place = folder / reference
    first = (reference if unapproved(place) else None) if reference_files(place) else candidates
    lines = next_text(folder, candidates, unapproved=first, example=example)
    return lines if example or ci != "github" else [*lines, *github_text(reference)]


def _copy_folders(folder: Path) -> "Iterator[Path]":
    """Yield the folders that copies of replaced files may be written to."""
    yield folder / "replaced-by-init"
    yield from (folder / f"replaced-by-init-{number}" for number in count(2))


def _goldens(folder: Path, reference: str) -> "dict[str, Workflow]":
    """Return the approved workflows that can be read, by their path in the project."""
    from wfgate.errors import FormatError
    from wfgate.read import read_file
    from wfgate.run import reference_files

    workflows = {}
    for path in [path for files in reference_files(folder / reference).values() for path in files]:
        with suppress(FormatError):
            workflows[path.relative_to(folder).as_posix()] = read_file(path).workflow
    return workflows


def doctor(
    candidates: Annotated[
        list[Path] | None, typer.Argument(metavar="CANDIDATE", help="Candidates to pair with the references.")
    ] = None,
    output_format: OutputFormat = DataFormat.TEXT,
    config: ConfigFile = None,
) -> None:
    """Check the set-up of a project: missing extras, a profile that does not match, references without approval.

    Expired waivers and unreadable waiver files are listed too. If candidates are given, waivers that match no finding
    are listed too.

    Exit codes: 0 no errors, 2 an error because of which the gate fails.

    Example: wfgate doctor generated/
    """
    from wfgate.run import load_config
    from wfgate.setup import diagnose, diagnosis_record, diagnosis_text

    loaded = load_config(config, Path())
    complaints = diagnose(loaded, candidates or [], lambda: assessor_of(loaded), datetime.now(tz=UTC).date())
    as_text = output_format is DataFormat.TEXT
    emit(diagnosis_text(complaints) if as_text else json.dumps(diagnosis_record(complaints), indent=2), None)
    if any(complaint.level == "error" for complaint in complaints):
        raise typer.Exit(2)
