"""The output of `wfgate init` and `wfgate doctor`."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wfgate import __version__
from wfgate.setup.doctor import Complaint
from wfgate.setup.files import REGRESSED
from wfgate.show import count, visible

LINE = 1000
"""Maximum number of characters shown of a message."""

FILES = 5
"""Files, and fixes, that are listed of one problem."""


def written_text(path: Path, *, kept: bool, text: str, copy: Path | None = None, same: bool = False) -> str:
    """Return the text that says whether a file was written, replaced or kept.

    If a short file was kept, the text contains the lines that the user should add to the file.

    Args:
        path: The file.
        kept: Whether it was not written.
        text: The content that was to be written.
        copy: The copy of the file that was replaced.
        same: Whether the file had this content before.
    """
    if same:
        return f"kept {visible(str(path), LINE)}: it is up to date"
    if copy is not None:
        return f"replaced {visible(str(path), LINE)}; the old file is {visible(str(copy), LINE)}"
    action = f"{'kept' if kept else 'wrote'} {visible(str(path), LINE)}"
    lines = text.splitlines()
    if not kept or len(lines) > 3:
        return action
    return "\n".join([f"{action}; add these lines to it:", *(f"  {line}" for line in lines)])


def unfinished_text(placeholder: str) -> list[str]:
    """Return what to do with a file that names no release and no commit of wfgate yet."""
    return [
        f"  it does not run yet: replace {placeholder}",
        f"  by a release (v{__version__}) or a commit of wfgate, or run this again with --ref.",
    ]


def next_text(folder: Path, candidates: str, *, unapproved: str | None = None, example: bool = False) -> list[str]:
    """Return the commands to run next, in the order in which they work, each with what it does.

    Args:
        folder: The project.
        candidates: The folder of generated workflows.
        unapproved: The folder with files to approve first; None if all references are approved.
        example: Whether the project is the example.
    """
    into = [] if folder == Path() else [(f"cd {shlex.quote(str(folder))}", "")]
    commands = [
        (f"wfgate doctor {candidates}", "checks the set-up"),
        (f"wfgate gate {candidates}", "compares later workflows with them"),
    ]
    if unapproved is not None:
        what = "makes its files the first references" if unapproved == candidates else "records who approved them"
        commands.insert(0, (f"wfgate approve {unapproved}", what))
    if not example and not (folder / candidates).is_dir():
        into.append((f"mkdir {candidates}", "and put your generated workflows into it"))
    if example:
        commands = [
            (f"wfgate gate {candidates}", "PASS: the same work in other words"),
            (f"wfgate gate {REGRESSED}", "BLOCK, exit code 1: a lost step, a changed meaning"),
        ]
    wide = max(len(command) for command, _ in commands)
    lines = [f"{command:<{wide}}  # {what}" if what else command for command, what in (*into, *commands)]
    return ["next:", *(visible(f"  {line}", LINE) for line in lines)]


def github_text(reference: str) -> list[str]:
    """Return what else a repository on GitHub may need: who approves, and the gate of files edited in place."""
    lines = (
        f"name in .github/CODEOWNERS who may approve /{reference}/ and accept a case",
        'for workflows that are edited in place, write changed: "true" in .github/workflows/wfgate.yml',
    )
    return ["on GitHub:", *(visible(f"  {line}", LINE) for line in lines)]


def diagnosis_text(complaints: Sequence[Complaint]) -> str:
    """Return the problems with their fixes, errors first, then the number of problems."""
    lines = []
    grouped: dict[tuple[str, str], list[Complaint]] = {}
    for complaint in sorted(complaints, key=lambda one: one.level != "error"):
        grouped.setdefault((complaint.level, complaint.message), []).append(complaint)
    for (level, message), same in grouped.items():
        files = [one.about for one in same]
        names = ", ".join(files[:FILES]) + (f" and {len(files) - FILES} more" if len(files) > FILES else "")
        lines.append(f"{level}: {visible(names, LINE)}: {visible(message, LINE)}")
        fixes = list(dict.fromkeys(one.fix for one in same))
        lines += [f"  fix: {visible(fix, LINE)}" for fix in fixes[:FILES]]
        lines += [f"  and {len(fixes) - FILES} more"] * (len(fixes) > FILES)
    errors = sum(level == "error" for level, _ in grouped)
    if not complaints:
        return "no problems found"
    return "\n".join([*lines, f"{count(errors, 'error')}, {count(len(grouped) - errors, 'warning')}"])


def diagnosis_record(complaints: Sequence[Complaint]) -> dict[str, Any]:
    """Return the problems as a JSON document: `wfgate.doctor/1`."""
    return {"schema": "wfgate.doctor/1", "complaints": [asdict(complaint) for complaint in complaints]}
