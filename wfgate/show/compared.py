"""Golden and candidate side by side, without a verdict: what `wfgate diff` shows."""

from typing import NamedTuple

from wfgate.compare import compare
from wfgate.decide import Assessor, step_states
from wfgate.read import Reading, other_parts
from wfgate.rules import Finding, review
from wfgate.show.picture.scene import Picture
from wfgate.show.picture.views import pair_picture
from wfgate.show.wording import parts_words


class SideBySide(NamedTuple):
    """A golden and a candidate side by side.

    Attributes:
        picture: Their steps, aligned.
        findings: The differences.
        notes: What the readers say, and which lists were read as the steps, if these are two kinds of list.
    """

    picture: Picture
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def side_by_side(golden: Reading, candidate: Reading, assessor: Assessor, *, fold: bool = False) -> SideBySide:
    """Return a golden and a candidate side by side.

    Args:
        golden: The approved workflow.
        candidate: The workflow to compare with it, read like it.
        assessor: Has the models.
        fold: Whether each composite is one step.
    """
    ours, theirs = golden.workflow, candidate.workflow
    comparison = compare(ours, theirs, assessor.embedder, assessor.meaning_model)
    picture = pair_picture(ours, theirs, comparison.alignment, step_states(comparison), fold=fold)
    said = [str(diagnostic) for reading in (golden, candidate) for diagnostic in reading.diagnostics]
    parts = parts_words(other_parts(golden, candidate))
    return SideBySide(picture, review(comparison), (*said, *([parts] if parts else [])))
