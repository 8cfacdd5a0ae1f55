"""The texts that `wfgate review` shows for a candidate."""

from difflib import unified_diff
from pathlib import Path

from rich.text import Text

from wfgate.approvals.references import Entry, content_of
from wfgate.decide import CaseResult
from wfgate.model import Workflow
from wfgate.show import CaseView, changes_text, lines_of, outline, pair_picture, visible

LINE = 2000
"""Characters shown of a line of a file."""
REASONS = 12
"""Number of listed reasons."""


def review_text(case: CaseResult, new: Workflow | None = None, *, width: int = 80, color: bool = False) -> str:
    """Return the headline, the reasons, and the differences between golden and candidate.

    Args:
        case: The result of the case. It must contain the compared workflows (`Gate.keep_pairs`).
        new: The candidate, if its workflow has no reference yet: then the outline of the candidate is shown.
        width: Maximum width of a line.
        color: Whether to add ANSI colours.
    """
    view = CaseView(case)
    verdict = "NEW" if new else view.verdict
    words = "its workflow has no reference yet" if new else visible(view.headline, 700)
    lines = [(Text(f"{verdict} {visible(case.id, 60)}: {words}", style="bold"), 2)]
    further = () if new else view.reasons[1:]
    lines += [(Text(f"- {visible(one.sentence)}"), 2) for one in further[:REASONS]]
    if len(further) > REASONS:
        lines.append((Text(f"- and {len(further) - REASONS} more"), 2))
    head = lines_of(lines, width=width, color=color)
    if new is not None:
        return f"{head}\n{outline(new, width)}"
    if case.pair is None:
        return head
    picture = pair_picture(case.pair.golden, case.pair.candidate, case.pair.alignment, case.steps)
    return f"{head}\n{changes_text(picture, case.findings, width=width, color=color)}"


def keys_text(entry: Entry, width: int = 80) -> str:
    """Return what each key does with a candidate, one per line."""
    first = _path(entry.references[0] if entry.references else entry.target())
    new = not entry.references
    lines = [("a", f"accept: it becomes the first reference, {first}" if new else f"accept: it replaces {first}")]
    if not new:
        beside = _path(entry.target(entry.free_variant))
        lines.append(("v", f"variant: it becomes {beside}; what the references do differently becomes free"))
    lines += [
        ("r", "reject: nothing is written, and the summary counts it as rejected"),
        ("s", "skip: decide later; nothing is written"),
        *([] if new else [("d", "whole difference: every reason with both texts, and the lines that differ")]),
        ("q", "quit: skip this candidate and all others"),
        ("?", "this help"),
    ]
    return lines_of([(Text(f"  {key}  {words}"), 5) for key, words in lines], width=width, color=False)


def difference_text(entry: Entry, case: CaseResult, *, width: int = 80, color: bool = False) -> str:
    """Return all reasons with both texts, then the lines of the files that differ.

    Args:
        entry: The candidate and its references; the first one is compared.
        case: The result of the case.
        width: Maximum width of the reasons; lines of the files are not folded.
        color: Whether to add ANSI colours.

    Raises:
        ConfigError: If a file cannot be read.
    """
    lines = []
    for one in CaseView(case).why:
        lines.append((Text(f"- {visible(one.sentence)}"), 2))
        for side, pieces in one.sides(LINE):
            lines.append((Text(f"  {side}: {visible(''.join(piece for piece, _ in pieces), LINE)}"), 4))
    ours, theirs = (
        content.decode("utf-8", "replace").splitlines() for content in (content_of(entry.references[0]), entry.content)
    )
    names = (_path(entry.references[0]), _path(entry.candidate))
    differing = [visible(line.expandtabs(4), LINE) for line in unified_diff(ours, theirs, *names, lineterm="")]
    styles = {"+": "green", "-": "red"}
    shown = [
        (Text(line, style=styles.get(line[:1], "")), 0) for line in differing or ["the files have the same lines"]
    ]
    longest = max(width, *(len(line.plain) for line, _ in shown))
    return lines_of(lines, width=width, color=color) + lines_of(shown, width=longest, color=color)


def _path(path: Path) -> str:
    return visible(str(path), LINE)
