"""The policy: how strict the gate is, and which steps must not be lost."""

from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from wfgate.decide.profile.rates import Promise
from wfgate.model import Frozen, Task
from wfgate.rules import Level, levels_of

Levels = Annotated[dict[str, Level], AfterValidator(levels_of)]
"""Severity of checks by id or defect; checks that are not named keep their own."""

FailOn = Literal["block", "review", "none"]
"""The mildest verdict that fails the build; "none" for audit mode."""

SamplePolicy = Literal["all", "majority", "best"]
"""How several samples of one case are combined into one verdict."""


class Policy(Frozen):
    """The policy.

    In `wfgate.toml`, `checks` is the table `[checks]`; all other fields are in `[policy]`.

    Attributes:
        alpha_block: False-block rate: a candidate is blocked if its p-value is at most this, in (0, 1). None uses the
            profile's rate.
        alpha_review: False-review rate: a candidate is reviewed if its p-value is at most this, in (0, 1). None uses
            the profile's rate.
        alpha_per: What alpha_block and alpha_review are about: each "case", or the whole "run". In a run of n cases,
            rates per run are divided by n for each case, so harmless changes block at most this share of the runs.
        block_severity: Severity, in [0, 1]. A regression with a smaller estimated severity leads to a review, not to a
            block.
        critical: Patterns (globs, case-insensitive) of names and ids of golden steps that must not be missing, merged
            or changed in meaning. Every finding about such a step blocks, except for information and statistical
            findings (those about texts, or about reworded steps). A step that may not be kept leads to a review.
            Steps with `critical: true` in the golden are critical too. `wfgate doctor` names patterns that match no
            step.
        fail_on: Which verdicts fail the build: "block", also a "review", or "none" (audit mode: the report says what
            would have failed). `review_blocks = true` is an earlier spelling of "review".
        judge_blocks: Whether the judge (a language model that grades) blocks if its p-value is at most alpha_block. If
            false, the judge can only ask for a review. If true, up to twice the promised share of harmless rewordings
            is blocked.
        judge_may_clear: Whether the judge can turn a block into a review, if only statistics speak against the
            candidate and the judge quotes, for each golden step, where the candidate does it (see
            `wfgate.decide.quotes`). Only in effect with a base revision.
        inconclusive_blocks: Whether the verdict "inconclusive" fails the build; no effect in audit mode.
        min_steps: Minimum number of golden steps for a statistical verdict, at least 1. A smaller golden is decided by
            the findings alone: every change that is more than information leads at least to a review.
        checks: Severity of all findings of a check, by the id or the defect name of the check; "off" disables the
            check. A finding of severity "error" blocks alone, without statistics, in two cases: a structural defect
            (WF) that the golden does not have; or a change of behaviour (WR) found by a check that `wfgate explain`
            calls proven.
        samples: Which samples of a case must pass: "all", the "majority" (more than half), or only the "best". A
            proven change or a lost critical step in any sample always blocks.
        release_alpha: Family-wise error rate of a comparison with a previous release, in (0, 1).
        authors_accept: Whether the author of a pull request, or of one of its commits, may accept its cases.

    Raises:
        ConfigError: If `checks` names a check that does not exist.
    """

    alpha_block: float | None = Field(default=None, gt=0, lt=1)
    alpha_review: float | None = Field(default=None, gt=0, lt=1)
    alpha_per: Literal["case", "run"] = "case"
    block_severity: float = Field(default=0.0, ge=0, le=1)
    critical: tuple[str, ...] = ()
    fail_on: FailOn = "block"
    judge_blocks: bool = False
    judge_may_clear: bool = False
    inconclusive_blocks: bool = True
    min_steps: int = Field(default=3, ge=1)
    checks: Levels = Field(default_factory=dict)
    samples: SamplePolicy = "all"
    release_alpha: float = Field(default=0.05, gt=0, lt=1)
    authors_accept: bool = False

    @model_validator(mode="before")
    @classmethod
    def _earlier_spelling(cls, data: Any) -> Any:
        """Accept `review_blocks`, which policies and results of earlier versions have."""
        if not isinstance(data, dict) or "review_blocks" not in data:
            return data
        named = dict(data)
        blocks = named.pop("review_blocks")
        if not isinstance(blocks, bool):
            raise ValueError(  # noqa: TRY004 - pydantic reports a ValueError
                f"review_blocks: {blocks!r} is neither true nor false"
            )
        if "fail_on" in named:
            raise ValueError("fail_on and review_blocks say the same: delete review_blocks")
        return {**named, "fail_on": "review" if blocks else "block"}

    @property
    def reviews_fail(self) -> bool:
        """Whether the verdict "review" fails the build, so that such a sample does not count as passed."""
        return self.fail_on == "review"

    @property
    def is_audit(self) -> bool:
        """Whether no verdict fails the build."""
        return self.fail_on == "none"

    def fails(self, verdict: "Verdict") -> bool:
        """Return whether a verdict fails the build."""
        if self.is_audit:
            return False
        return (
            verdict == "block"
            or (verdict == "review" and self.reviews_fail)
            or (verdict == "inconclusive" and self.inconclusive_blocks)
        )

    def alphas(self, promise: Promise, cases: int = 1) -> tuple[float, float]:
        """Return the false-block and false-review rates of a case; those the policy does not set are the profile's.

        Args:
            promise: The rates of the profile.
            cases: Number of cases of the run, at least 1.
        """
        among = cases if self.alpha_per == "run" else 1
        block = self.alpha_block or promise.alpha_block
        return block / among, max(self.alpha_review or promise.alpha_review, block) / among

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
