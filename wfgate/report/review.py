"""The text that `wfgate review` shows for a candidate."""

from rich.text import Text

from wfgate.gating import CaseResult
from wfgate.model import Workflow
from wfgate.report import wording
from wfgate.report.escape import visible
from wfgate.report.outline import outline
from wfgate.report.picture import changes_text, pair_picture
from wfgate.report.text import lines_of

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
    verdict = "NEW" if new else wording.VERDICTS[case.verdict]
    words = "its workflow has no reference yet" if new else visible(wording.headline(case), 700)
    lines = [(Text(f"{verdict} {visible(case.id, 60)}: {words}", style="bold"), 2)]
    further = () if new else case.reasons[1:]
    lines += [(Text(f"- {visible(wording.sentence(reason))}"), 2) for reason in further[:REASONS]]
    if len(further) > REASONS:
        lines.append((Text(f"- and {len(further) - REASONS} more"), 2))
    head = lines_of(lines, width=width, color=color)
    if new is not None:
        return f"{head}\n{outline(new, width)}"
    if case.pair is None:
        return head
    picture = pair_picture(case.pair.golden, case.pair.candidate, case.pair.alignment, case.steps)
    return f"{head}\n{changes_text(picture, case.findings, width=width, color=color)}"
