"""What a team decides: how strict the gate is, and which steps must never go."""

from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from wfgate.checks import Level, levels_of
from wfgate.conditions.relations import SolverName
from wfgate.model import Task
from wfgate.model.workflow import Frozen
from wfgate.profile import Promise

Levels = Annotated[dict[str, Level], AfterValidator(levels_of)]
"""What a team made of checks, by id or defect; all that are not named keep their own severity."""


SamplePolicy = Literal["all", "majority", "best"]
"""How several samples of one case decide together."""


class Policy(Frozen):
    """The rules of the gate; every field can be set in `wfgate.toml` under `[policy]`, `checks` under `[checks]`.

    Attributes:
        alpha_block: A candidate whose p-value is at most this is an established regression; None takes the
            profile's. It can be stricter than what the profile promises, in (0, 1).
        alpha_review: Likewise for "have a look".
        block_severity: Established regressions below this estimated severity are only reviewed, in [0, 1].
        critical: Globs over names and ids of golden steps (case-insensitive) that must never be missing, merged
            or replaced; steps tagged `critical` in the golden are always among them.
        review_blocks: Whether "review" fails the build too.
        judge_blocks: Whether a language model that was asked to judge may block where it is sure at the false-block
            rate; it asks for review at most where not. The share of harmless rewordings that are blocked may then be
            twice what was promised. It never makes a verdict milder.
        inconclusive_blocks: Whether a case that could not be judged fails the build.
        min_steps: Goldens with fewer steps are not judged by statistics, at least 1.
        checks: The severity that all findings of a check get, by its id or defect; "off" switches it off. A new
            defect of the graph itself (WF) and a proven change of behaviour (of the WR checks those that
            `wfgate explain` calls proven) block if they are errors, and only then.
        solver: Who decides about conditions: "cells" knows one term at a time, "z3" (the extra `solver`) also what
            relates terms to each other.
        samples: How several samples of one case decide together: all must pass, more than half, or the best one.
        release_alpha: At most this share of comparisons with a previous release call any case worse by mistake.

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
        """Return the false-block and false-review rates: the team's own, or those that were promised."""
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
"""Verdicts, best first: a run is as good as its worst case."""


def worst(verdicts: tuple[Verdict, ...]) -> Verdict:
    """Return the worst of some verdicts; nothing compared is inconclusive, never a pass.

    Example:
        >>> worst(("pass", "review")), worst(())
        ('review', 'inconclusive')
    """
    return max(verdicts, key=ORDER.index, default="inconclusive")
