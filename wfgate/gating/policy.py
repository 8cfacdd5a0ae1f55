"""The rules of the gate: how strict it is, and which steps must not be lost."""

from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from wfgate.checks import Level, levels_of
from wfgate.conditions.relations import SolverName
from wfgate.model import Task
from wfgate.model.workflow import Frozen
from wfgate.profile import Promise

Levels = Annotated[dict[str, Level], AfterValidator(levels_of)]
"""Severity of checks by id or defect; checks that are not named keep their own."""

SamplePolicy = Literal["all", "majority", "best"]
"""How several samples of one case are combined into one verdict."""


class Policy(Frozen):
    """The rules of the gate; every field can be set in `wfgate.toml` under `[policy]`, `checks` under `[checks]`.

    Attributes:
        alpha_block: Largest p-value that blocks, in (0, 1); None uses the profile's false-block rate.
        alpha_review: Largest p-value that leads to a review, in (0, 1); None uses the profile's rate.
        block_severity: Regressions with a smaller estimated severity are reviewed instead of blocked, in [0, 1].
        critical: Patterns (globs, case-insensitive) of names and ids of golden steps that must not be missing, merged
            or changed in meaning. Steps tagged `critical` in the golden are always included.
        review_blocks: Whether "review" fails the build.
        judge_blocks: Whether the language-model judge may block if its p-value is at most alpha_block. Otherwise it
            leads to a review at most. With it, up to twice the promised share of harmless rewordings is blocked.
        inconclusive_blocks: Whether "inconclusive" fails the build.
        min_steps: Minimum number of golden steps for a statistical verdict, at least 1.
        checks: Severity of all findings of a check, by its id or defect; "off" disables the check. An error of a new
            structural defect (WF) or of a proven change of behaviour (WR checks that `wfgate explain` calls proven)
            blocks by itself.
        solver: Solver for conditions: "cells" handles each term alone, "z3" (extra `solver`) also relations between
            terms.
        samples: How several samples of one case are combined: all must pass, more than half, or the best one.
        release_alpha: Family-wise error rate of a comparison with a previous release, in (0, 1).

    Raises:
        ConfigError: If `checks` names a check that does not exist.
    """

    alpha_block: float | None = Field(default=None, gt=0, lt=1)
    alpha_review: float | None = Field(default=None, gt=0, lt=1)
    block_severity: float = Field(default=0.0, ge=0, le=1)
    critical: tuple[str, ...] = ()
    review_blocks: bool = False
    judge_blocks: bool = False
    inconclusive_blocks: bool = True
    min_steps: int = Field(default=3, ge=1)
    checks: Levels = Field(default_factory=dict)
    solver: SolverName = "cells"
    samples: SamplePolicy = "all"
    release_alpha: float = Field(default=0.05, gt=0, lt=1)

    def alphas(self, promise: Promise) -> tuple[float, float]:
        """Return the false-block and false-review rates: of this policy, or else of the profile."""
        block = self.alpha_block or promise.alpha_block
        return block, max(self.alpha_review or promise.alpha_review, block)

    def is_critical(self, task: Task) -> bool:
        """Return whether the loss of this golden step always blocks."""
        if task.critical:
            return True
        names = (task.id.casefold(), task.name.casefold())
        return any(fnmatchcase(name, glob.casefold()) for glob in self.critical for name in names)


Verdict = Literal["pass", "review", "block", "inconclusive"]

ORDER: tuple[Verdict, ...] = ("pass", "review", "inconclusive", "block")
"""Verdicts, best first; the verdict on a run is that of its worst case."""


def worst(verdicts: tuple[Verdict, ...]) -> Verdict:
    """Return the worst verdict; "inconclusive" if there is none.

    Example:
        >>> worst(("pass", "review")), worst(())
        ('review', 'inconclusive')
    """
    return max(verdicts, key=ORDER.index, default="inconclusive")
