"""The workflows in a folder, and why its other files are no workflows: one rule for all commands."""

import json
from pathlib import Path
from typing import NamedTuple

from wfgate.errors import FormatError, printable
from wfgate.read.documents.folders import entries_below, files_below
from wfgate.read.formats import read_file, suffixes
from wfgate.read.formats.base import Reading
from wfgate.read.formats.choice import DETECTED, Formats, format_of, is_ignored, is_listed

VARIANT_MARK = "@"
"""`deploy@2.yaml` is a second variant of `deploy.yaml` among references, and a second sample among candidates."""
OWN_RULES = ".rules.toml"
"""`deploy.rules.toml` has the own rules of `deploy.yaml`; no workflow format has this suffix."""
APPROVALS = ".approvals"
"""`deploy.yaml.approvals` is the record of `deploy.yaml`; no workflow format has this suffix."""
RECORDS = {
    APPROVALS: {"format", "approvals"},
    ".attestation": {"_type", "subject", "predicateType", "predicate"},
    ".generation.jsonl": {
        *("schema", "tool", "model", "service", "date", "task", "notation", "prompt", "temperature", "samples"),
        *("file", "format", "tasks", "problem"),
        *("until_pass", "reference", "verdict", "attempts", "attempt", "answer", "instructions"),
    },
}
"""wfgate's own files beside workflows, which a pattern such as `approved/*` matches too: the end of the name, and the
keys of the JSON objects in the file."""
MAX_RECORD_BYTES = 16 * 1024 * 1024
"""Largest file that is read to find out whether it is such a record."""
OTHER_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders that other programs fill; `readable_below` does not enter them, the gate does."""


class Skipped(NamedTuple):
    """A file of a folder that is not read, and why: in one line, `file:line:column: reason`."""

    path: Path
    reason: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f":{self.line}:{self.column or 1}"
        return printable(f"{self.path}{place}: {self.reason}")


def readable_below(folder: Path, formats: Formats = DETECTED) -> tuple[dict[Path, Reading], list[Skipped]]:
    """Return the workflows below a folder, and each other file with the reason why it is none.

    A file is read if its suffix belongs to a format or a pattern names its format, and it is no record of wfgate. Each
    file is in one of the two results, in the order of the paths, except the files in `OTHER_FOLDERS`.

    Args:
        folder: The folder.
        formats: Format ids by pattern of file names (see `wfgate.read.formats.choice`).

    Raises:
        OSError: If a folder below cannot be listed.
        ConfigError: If a pattern names a format that does not exist.

    Example:
        >>> readable_below(Path("nowhere"))
        ({}, [])
    """
    readings: dict[Path, Reading] = {}
    skipped: list[Skipped] = []
    for path, problem in sorted(entries_below(folder, OTHER_FOLDERS)):
        reason = problem or why_skipped(path, formats)
        reading = read_or_skip(path, formats) if reason is None else Skipped(path, reason)
        if isinstance(reading, Skipped):
            skipped.append(reading)
        else:
            readings[path] = reading
    return readings, skipped


def read_or_skip(path: Path, formats: Formats = DETECTED) -> Reading | Skipped:
    """Return the workflow in a file, or why the file contains no workflow with steps."""
    try:
        reading = read_file(path, format_of(path, formats))
    except FormatError as error:
        return Skipped(path, " ".join(error.message.split()), error.line, error.column)
    return reading if reading.workflow.tasks else Skipped(path, "the workflow has no steps")


def workflow_files(folder: Path, formats: Formats = DETECTED) -> list[Path]:
    """Return the files below a folder that must be workflows, by their names alone, in the order of the paths.

    Example:
        >>> workflow_files(Path("nowhere"))
        []
    """
    return sorted(path for path in files_below(folder) if is_workflow(path, formats))


def is_workflow(path: Path, formats: Formats = DETECTED) -> bool:
    """Return whether a file must be a workflow: by its suffix, or because a pattern names its format.

    Example:
        >>> [is_workflow(Path(name)) for name in ("deploy.yaml", "deploy.yaml.approvals", "logo.png")]
        [True, False, False]
    """
    if is_ignored(path, formats) or path.name.endswith((*RECORDS, OWN_RULES)):
        return False
    return path.suffix.lower() in suffixes() or is_listed(path, formats)


def why_skipped(path: Path, formats: Formats = DETECTED) -> str | None:
    """Return why a file of a folder is not read as a workflow; None if it must be a workflow."""
    if is_ignored(path, formats):
        return "ignored in [formats] of wfgate.toml"
    if is_workflow(path, formats):
        return None
    if is_record(path):
        return "own rules of a workflow" if path.name.endswith(OWN_RULES) else "a record that wfgate wrote"
    if path.suffix.lower() in suffixes():
        return "its name is that of a record of wfgate, and its content is not"
    return f"the suffix {path.suffix!r} belongs to no format" if path.suffix else "a file without a suffix"


def key_of(path: Path, root: Path) -> str:
    """Return the path of a file relative to a folder, without the suffix."""
    relative = path.relative_to(root) if root.is_dir() else Path(path.name)
    return relative.with_suffix("").as_posix()


def workflow_name(key: str) -> str:
    """Return the name of a workflow from the name of a variant or a sample.

    Example:
        >>> workflow_name("team@home/deploy@two"), workflow_name("deploy")
        ('team@home/deploy', 'deploy')
    """
    folder, slash, name = key.rpartition("/")
    return folder + slash + name.split(VARIANT_MARK)[0]


def rules_beside(golden: Path) -> Path:
    """Return where the own rules of a golden are.

    Example:
        >>> rules_beside(Path("approved/deploy@2.yaml")).as_posix()
        'approved/deploy.rules.toml'
    """
    return golden.with_name(workflow_name(golden.stem) + OWN_RULES)


def is_record(path: Path) -> bool:
    """Return whether a file is one of wfgate's own: by its name, and because it has no keys of a workflow."""
    if path.name.endswith(OWN_RULES):
        return _has_rules(path)
    keys = next((keys for end, keys in RECORDS.items() if path.name.endswith(end)), None)
    if keys is None or not path.is_file() or path.stat().st_size > MAX_RECORD_BYTES:
        return False
    lines = path.suffix == ".jsonl"
    try:
        text = path.read_text(encoding="utf-8")
        objects = [json.loads(part) for part in (text.splitlines() if lines else [text])]
    except (ValueError, RecursionError):
        return False
    if not all(isinstance(record, dict) and record.keys() <= keys for record in objects):
        return False
    values = [value for record in objects for value in record.values()]
    return not (lines and any(isinstance(value, dict | list) for value in values))  # `tasks` is a number, not a list


def _has_rules(path: Path) -> bool:
    import tomllib  # noqa: PLC0415 - only for files of own rules

    if not path.is_file() or path.stat().st_size > MAX_RECORD_BYTES:
        return False
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig")).keys() == {"rules"}
    except (ValueError, RecursionError):
        return False
