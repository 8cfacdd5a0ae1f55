"""Recorded texts: variants of a golden's step texts, written by a language model and stored with the corpus."""

from pydantic import Field

from wfgate.model.workflow import Frozen


class MergeText(Frozen):
    """One sentence for several consecutive steps (0-based positions)."""

    steps: tuple[int, ...]
    text: str


class DriftText(Frozen):
    """A text with another meaning for a step (0-based), and the kind of change: negation, quantity, target, ..."""

    step: int
    kind: str
    text: str


class ExtraText(Frozen):
    """An unrelated step to insert after a step (0-based; -1 for the start)."""

    after: int
    text: str


class VagueText(Frozen):
    """A text for a step (0-based) that no longer specifies what to do."""

    step: int
    text: str


class StepTexts(Frozen):
    """All recorded texts of one golden.

    `rewordings` holds complete sets: each has one text per step, in the golden's listing order, with the same meaning
    as the step. `omissions` holds sets of steps (0-based) that are omitted together.
    """

    rewordings: tuple[tuple[str, ...], ...] = Field(default=())
    merges: tuple[MergeText, ...] = ()
    drifts: tuple[DriftText, ...] = ()
    extras: tuple[ExtraText, ...] = ()
    vague: tuple[VagueText, ...] = ()
    omissions: tuple[tuple[int, ...], ...] = ()

    def joined(self, other: "StepTexts") -> "StepTexts":
        """Return these texts combined with others of the same golden."""
        both = {name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields}
        return StepTexts(**both)

    def fits(self, n: int) -> bool:
        """Return whether every rewording has n texts and every position is one of n steps."""
        positions = [step for merge in self.merges for step in merge.steps]
        positions += [step for steps in self.omissions for step in steps]
        positions += [drift.step for drift in self.drifts] + [vague.step for vague in self.vague]
        return (
            all(len(texts) == n for texts in self.rewordings)
            and all(0 <= step < n for step in positions)
            and all(-1 <= extra.after < n for extra in self.extras)
        )
