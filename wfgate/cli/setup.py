"""`wfgate init` and `wfgate doctor`."""

import json
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wfgate.cli.options import ConfigFile, DataFormat, OutputFormat, assessor_of, emit


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
    commit: Annotated[str | None, typer.Option(metavar="HASH", help="Commit of wfgate that the CI files run.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write wfgate.toml with a strict policy, and the files that run the gate in CI.

    With --example, there is something to gate at once: one candidate passes, the other is blocked. Existing files are
    kept, unless --force is given.

    Example: wfgate init --example
    """
    from wfgate.errors import ConfigError
    from wfgate.report.setup import next_text, written_text
    from wfgate.setup import NO_COMMIT, example_files, scaffold

    texts = scaffold(ci.value, reference, candidates, commit or NO_COMMIT)
    unfinished = scaffold(ci.value, reference, candidates)
    shown = example_files(reference, candidates) if example else {}
    if not force and (taken := next((name for name in shown if (folder / name).exists()), None)):
        raise ConfigError(f"{folder / taken}: the file exists", fix="give a new folder: wfgate init --example FOLDER")
    texts |= shown
    lines = []
    for name, text in texts.items():
        path = folder / name
        before = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        untouched = before == unfinished.get(name) and NO_COMMIT in (before or "")
        kept = path.exists() and not force and not untouched
        if not kept:
            emit(text, path)
        lines.append(written_text(path, kept=kept, text=text))
        if NO_COMMIT in (before or "" if kept else text):
            lines.append(f"  it does not run yet: replace {NO_COMMIT}")
            lines.append("  by the commit of wfgate that you tried, or give it with --commit")
    emit("\n".join([*lines, *next_text(folder, candidates, example=example)]), None)


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
    from wfgate.gating.config import load_config
    from wfgate.report.setup import diagnosis_record, diagnosis_text
    from wfgate.setup import diagnose

    found = load_config(config, Path())
    complaints = diagnose(found, candidates or [], lambda: assessor_of(found), datetime.now(tz=UTC).date())
    as_text = output_format is DataFormat.TEXT
    emit(diagnosis_text(complaints) if as_text else json.dumps(diagnosis_record(complaints), indent=2), None)
    if any(complaint.level == "error" for complaint in complaints):
        raise typer.Exit(2)
