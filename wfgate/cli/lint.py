"""`wfgate lint`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wfgate.cli.options import (
    STDIN_NAME,
    ConfigFile,
    DataFormat,
    FormatName,
    OutputFile,
    OutputFormat,
    assessor_of,
    read_given,
    requested,
)
from wfgate.cli.output import STDIN, emit

if TYPE_CHECKING:
    from wfgate.read import Formats, Skipped


def lint(
    workflows: Annotated[
        list[Path], typer.Argument(metavar="WORKFLOW", help="Workflow files, or folders of them; - for stdin.")
    ],
    output_format: OutputFormat = DataFormat.TEXT,
    output: OutputFile = None,
    format_id: FormatName = None,
    config: ConfigFile = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Name the files of folders that are not workflows.")
    ] = False,
) -> None:
    """Check workflows without a reference: cycles, unreachable steps, undefined references, ...

    Of a folder, every file whose suffix belongs to a format (or that [formats] names) is read. Files without anything
    of a workflow are left out and counted; a workflow that cannot be read is an error, and so is a folder without a
    workflow. Exit codes: 0 no error-level finding, 1 an error-level finding, 3 a file that cannot be read.

    Example: wfgate lint generated/
    """
    from wfgate.errors import FormatError
    from wfgate.read import Skipped, format_of, is_no_workflow, key_of, workflow_name
    from wfgate.rules import unreadable
    from wfgate.run import lint_workflow, load_config
    from wfgate.show import LintedFile, lint_record, lint_text

    loaded = load_config(config, Path())
    formats = requested(format_id) or loaded.formats
    files: dict[Path, LintedFile] = {}
    skipped: dict[Path, Skipped] = {}
    for given in workflows:
        paths, left = _files(given, formats)
        for path in paths:
            name = STDIN_NAME if path == STDIN else str(path)
            try:
                reading = read_given(path, formats)
            except FormatError as error:
                if path != given and format_of(path, formats) is None and is_no_workflow(path):
                    left.append(Skipped(path, "no workflow in it"))
                else:
                    files[path] = LintedFile(name, (unreadable(error),), error=error)
            else:
                case = workflow_name(key_of(path, given))
                findings = lint_workflow(path, case, reading.workflow, loaded, lambda: assessor_of(loaded))
                files[path] = LintedFile(name, findings, reading.diagnostics)
        skipped |= {one.path: one for one in left}
        if given.is_dir() and not any(path in files for path in paths):
            fix = "check the path, or name the formats of the files in [formats] of wfgate.toml"
            empty = FormatError(f"no workflow in this folder, {len(left)} other files", path=str(given), fix=fix)
            files[given] = LintedFile(str(given), (unreadable(empty),), error=empty)
    shown = [*files.values()]
    left_out = [one for path, one in sorted(skipped.items()) if path not in files]
    if output_format is DataFormat.TEXT:
        emit(lint_text(shown, left_out, verbose=verbose), output)
    else:
        emit(json.dumps(lint_record(shown, left_out), indent=2), output)
    if any(finding.severity == "error" for file in shown if file.error is None for finding in file.findings):
        raise typer.Exit(1)
    if any(file.error is not None for file in shown):
        raise typer.Exit(3)


def _files(given: Path, formats: "Formats") -> "tuple[list[Path], list[Skipped]]":
    """Return the files to read, and those of a folder that are not workflows by their names.

    Raises:
        ConfigError: If there is something below that is neither a file nor a folder: it could lead to workflows.
    """
    from wfgate.errors import ConfigError
    from wfgate.read import OTHER_FOLDERS, Skipped, entries_below, why_skipped

    if not given.is_dir():
        return [given], []
    paths: list[Path] = []
    left: list[Skipped] = []
    for path, problem in sorted(entries_below(given, OTHER_FOLDERS)):
        if problem is not None:
            raise ConfigError(f"{path}: {problem}", fix="remove it, or replace it by the files")
        reason = why_skipped(path, formats)
        if reason is None:
            paths.append(path)
        else:
            left.append(Skipped(path, reason))
    return paths, left
