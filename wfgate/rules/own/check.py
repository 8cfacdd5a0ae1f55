"""The check whose findings are broken own rules."""

from typing import ClassVar

from wfgate.rules.base import Check, Severity


class OwnRuleBroken(Check):
    """A rule of your own is broken.

    What it does:
        Reports a rule of `wfgate.toml` or of the file beside the golden (`deploy.rules.toml`) that a workflow breaks.
        The finding has the id of the rule as its defect. It is proven if all steps are matched by the same words, a
        pattern, a tool or a value, and order and conditions can be computed. With a match by meaning it is
        statistical: a missing step then blocks if at most alpha_block of harmless rewordings look like this, and
        leads to a review up to alpha_review; a forbidden or misplaced step leads to a review.

    Why it matters:
        Somebody decided that every version of the workflow has to keep this rule, whatever the golden says.

    Golden:
        ``Back up the database``, then ``Deploy``, with the rule ``before = ["Back up the database", "Deploy"]``

    Candidate:
        ``Deploy``, then ``Back up the database``

    How to fix:
        Change the workflow as the finding says; or change the rule, if it is no longer wanted. `wfgate rules` shows
        what each rule matches.
    """

    id: ClassVar[str] = "WO001"
    defect: ClassVar[str] = "own-rule"
    severity: ClassVar[Severity] = "error"
    rank: ClassVar[int] = 9
