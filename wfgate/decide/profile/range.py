"""The range of a calibration: sizes and texts of its goldens. Rates are known for workflows like these only."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import floor

import numpy as np

from wfgate.decide.evidence.gather import median_words
from wfgate.model import LONGEST_TEXT, Frozen, Workflow

SHORT_NAME = 5
"""A golden has short names if the median name of its steps has at most this number of words."""
TAILS = (1, 99)
"""Percentiles of the goldens at which a range of texts ends."""


LATIN = 0.9
"""Texts with at least this share of Latin letters are within every range: names and units may have others."""


class CalibratedRange(Frozen):
    """The smallest and the largest value of the goldens of a calibration.

    Attributes:
        steps: Number of steps.
        words: Number of words in the median step name of a golden, 1st to 99th percentile.
        latin: Share of letters that are Latin, 1st percentile, in [0, 1].
    """

    steps: tuple[int, int]
    words: tuple[float, float]
    latin: float

    @classmethod
    def of(cls, goldens: Sequence[Workflow]) -> "CalibratedRange":
        """Return the range of goldens, at least one."""
        steps = [len(golden.tasks) for golden in goldens]
        low, high = np.percentile([median_words(golden) for golden in goldens], TAILS)
        latin = float(np.percentile([latin_share(golden) for golden in goldens], TAILS[0]))
        return cls(
            steps=(min(steps), max(steps)),
            words=(round(float(low), 1), round(float(high), 1)),
            latin=min(LATIN, floor(100 * latin) / 100),
        )

    @property
    def description(self) -> str:
        """The range in words."""
        return (
            f"{self.steps[0]} to {self.steps[1]} steps, {self.words[0]:g} to {self.words[1]:g} words in a typical "
            f"step name, at least {_percent(self.latin)} Latin letters"
        )

    def joined(self, other: "CalibratedRange") -> "CalibratedRange":
        """Return the range of both calibrations together."""
        return CalibratedRange(
            steps=(min(self.steps[0], other.steps[0]), max(self.steps[1], other.steps[1])),
            words=(min(self.words[0], other.words[0]), max(self.words[1], other.words[1])),
            latin=min(self.latin, other.latin),
        )

    def outside(self, golden: Workflow, candidate: Workflow) -> tuple[str, ...]:
        """Return what of a pair is outside of the range, as phrases; empty if the rates of the profile apply.

        Only the golden's number of steps counts: the candidate may have lost or added some.
        """
        outside = []
        if not self.steps[0] <= (n := len(golden.tasks)) <= self.steps[1]:
            outside.append(f"{n} steps, calibrated on {self.steps[0]} to {self.steps[1]}")
        sides: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for side, workflow in (("golden", golden), ("candidate", candidate)):
            words, latin = median_words(workflow), latin_share(workflow)
            if workflow.tasks and not self.words[0] <= words <= self.words[1]:
                span = f"{self.words[0]:g} to {self.words[1]:g}"
                unit = "word" if words == 1 else "words"
                sides[f"{words:g} {unit} in a typical step name of", f"calibrated on {span}"].append(side)
            if latin < self.latin:
                least = _percent(self.latin)
                sides[f"{_percent(latin)} Latin letters in", f"calibrated on {least} or more"].append(side)
        outside += [f"{what} the {' and the '.join(which)}, {span}" for (what, span), which in sides.items()]
        return tuple(outside)


def latin_share(workflow: Workflow) -> float:
    """Return the share of the letters in step names that are Latin, in [0, 1]; 1 without letters."""
    letters = [letter for task in workflow.tasks for letter in task.name[:LONGEST_TEXT] if letter.isalpha()]
    return sum(map(_is_latin, letters)) / len(letters) if letters else 1.0


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@lru_cache(maxsize=10_000)
def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")
