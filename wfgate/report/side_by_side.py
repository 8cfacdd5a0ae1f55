"""Golden and candidate side by side, step by step, for the review of a candidate."""

from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO

from rich.table import Table
from rich.text import Text

from wfgate.gating import CaseResult
from wfgate.gating.result import AlignedStep
from wfgate.model import TaskGraph, Workflow, expand
from wfgate.report import wording
from wfgate.report.escape import guarded, visible
from wfgate.report.terminal import console

NARROWEST = 40
REASONS = 12
"""Number of listed reasons."""
_STYLES = {"-": "red", "+": "green", "~": "yellow", ">": "yellow", "<": "yellow", " ": ""}
_LEGEND = "- missing   + added   ~ other words   > merged   < split"


@dataclass(frozen=True)
class Row:
    """Golden and candidate steps of one row, and their mark (one of `_STYLES`)."""

    golden: tuple[AlignedStep, ...]
    candidate: tuple[AlignedStep, ...]
    mark: str


def side_by_side(
    case: CaseResult, golden: Workflow | None, candidate: Workflow | None, *, width: int = 80, color: bool = False
) -> str:
    """Return the headline, the reasons, and both workflows in two columns.

    Args:
        case: The result of the gate.
        golden: The compared reference; None if there is none.
        candidate: The candidate; None if it cannot be read.
        width: Columns of the terminal, at least 40.
        color: Whether to add ANSI colours.
    """
    width = max(width, NARROWEST)
    file = StringIO()
    page = console(file, width, color=color)
    new = golden is None and candidate is not None
    said = "its workflow has no reference yet" if new else visible(wording.headline(case), 700)
    verdict = "NEW" if new else wording.VERDICTS[case.verdict]
    page.print(Text(f"{verdict} {visible(case.id, 60)}: {said}", style="bold"))
    for reason in () if new else case.reasons[1 : REASONS + 1]:
        page.print(Text(f"  - {visible(wording.sentence(reason.message))}"))
    if len(case.reasons) > REASONS + 1:
        page.print(Text(f"  - and {len(case.reasons) - REASONS - 1} more"))
    if candidate is not None:
        page.print(_table(case, _rows(case, golden, candidate)))
        if golden is not None:
            page.print(Text(_LEGEND, style="dim"))
    return guarded(line.rstrip() for line in file.getvalue().splitlines())


def _table(case: CaseResult, rows: Iterable[Row]) -> Table:
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(Text(f"golden {visible(case.golden)}"), ratio=1, overflow="fold")
    table.add_column("", width=1)
    table.add_column(Text(f"candidate {visible(case.candidate)}"), ratio=1, overflow="fold")
    for row in rows:
        style = _STYLES[row.mark]
        table.add_row(Text(_names(row.golden), style), Text(row.mark, style), Text(_names(row.candidate), style))
    return table


def _names(steps: tuple[AlignedStep, ...]) -> str:
    return "\n".join(visible(step.name or step.id) for step in steps)


def _rows(case: CaseResult, golden: Workflow | None, candidate: Workflow) -> list[Row]:
    """Return the rows in the order of the golden; added steps follow their predecessor in the candidate."""
    theirs = _order(candidate)
    if golden is None:
        tasks = expand(candidate).tasks
        steps = sorted((AlignedStep(id=task.id, name=task.name) for task in tasks), key=lambda step: theirs[step.id])
        return [Row((), (step,), "+") for step in steps]
    ours, view = _order(golden), case.alignment
    rows = [
        *(Row((p.golden,), (p.candidate,), " " if p.golden.name == p.candidate.name else "~") for p in view.matched),
        *(Row((step,), (), "-") for step in view.missing),
        *(Row(merge.golden, (merge.candidate,), ">") for merge in view.merged),
        *(Row((split.golden,), split.candidate, "<") for split in view.split),
    ]
    last = len(ours)
    rows.sort(key=lambda row: min(ours.get(step.id, last) for step in row.golden))
    for step in sorted(view.extra, key=lambda step: theirs.get(step.id, len(theirs))):
        place = theirs.get(step.id, len(theirs))
        before = [
            (theirs.get(other.id, -1), number)
            for number, row in enumerate(rows)
            for other in row.candidate
            if theirs.get(other.id, -1) < place
        ]
        rows.insert(max(before)[1] + 1 if before else 0, Row((), (step,), "+"))
    return rows


def _order(workflow: Workflow) -> dict[str, int]:
    """Return the position of each step by id: in execution order, then in order of listing."""
    opened = expand(workflow)
    depth = TaskGraph.of(opened).depth
    places = sorted(range(len(opened.tasks)), key=lambda task: (depth[task], task))
    return {opened.tasks[task].id: place for place, task in enumerate(places)}
