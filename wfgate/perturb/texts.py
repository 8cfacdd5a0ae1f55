"""Recorded texts: variants of a golden's step texts, written by a language model, stored with the corpus."""

from pydantic import Field

from wfgate.model.workflow import Frozen


class MergeText(Frozen):
    """One sentence for several consecutive steps (positions from 0)."""

    steps: tuple[int, ...]
    text: str


class DriftText(Frozen):
    """A text with another meaning for a step (position from 0), with the kind of change: negation, quantity, ..."""

    step: int
    kind: str
    text: str


class ExtraText(Frozen):
    """The text of an unrelated step, to insert after a step (position from 0; -1 for START)."""

    after: int
    text: str


class VagueText(Frozen):
    """A text for a step (position from 0) that no longer says what to do."""

    step: int
    text: str


class StepTexts(Frozen):
    """All recorded texts of one golden.

    `rewordings` is a list of complete sets of texts. Each set has one text per step, in the golden's listing order,
    with the meaning of the step. `omissions` is a list of sets of steps (positions from 0) that are omitted together.
    """

    rewordings: tuple[tuple[str, ...], ...] = Field(default=())
    merges: tuple[MergeText, ...] = ()
    drifts: tuple[DriftText, ...] = ()
    extras: tuple[ExtraText, ...] = ()
    vague: tuple[VagueText, ...] = ()
    omissions: tuple[tuple[int, ...], ...] = ()

    def joined(self, other: "StepTexts") -> "StepTexts":
        """Return these texts combined with other texts of the same golden."""
        both = {name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields}
        return StepTexts(**both)

    def fits(self, n: int) -> bool:
        """Return whether every rewording has n texts, and every position is the position of one of n steps."""
        positions = [step for merge in self.merges for step in merge.steps]
        positions += [step for steps in self.omissions for step in steps]
        positions += [drift.step for drift in self.drifts] + [vague.step for vague in self.vague]
        return (
            all(len(texts) == n for texts in self.rewordings)
            and all(0 <= step < n for step in positions)
            and all(-1 <= extra.after < n for extra in self.extras)
        )
