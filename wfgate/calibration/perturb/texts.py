"""Recorded texts: variants of a golden's step texts, written by a language model, stored with the corpus."""

from pydantic import Field

from wfgate.model import Frozen


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


class Edit(Frozen):
    """One edit. Steps are positions from 0.

    Exactly one change is given:

    - `step` and `text`: the step gets another text;
    - `step` and `texts`: it is split into these steps, one after the other;
    - `steps` and `text`: two steps become one, in the place of the first;
    - `swap`: two steps exchange their places;
    - `after` and `text`: a new step is inserted after a step, at the beginning if `after` is -1.

    Attributes:
        kind: Kind of the edit ("split", "detail", "approval"), for reports.
    """

    kind: str
    step: int | None = None
    text: str = ""
    texts: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None
    swap: tuple[int, int] | None = None
    after: int | None = None

    def fits(self, n: int) -> bool:
        """Return whether it is one change of steps that a workflow with n steps has."""
        changes = (self.step, self.steps, self.swap, self.after)
        single = [self.step] if self.step is not None else []
        steps = [*single, *(self.steps or ()), *(self.swap or ())]
        return (
            sum(change is not None for change in changes) == 1
            and bool(self.text or self.texts or self.swap)
            and len(set(steps)) == len(steps)
            and all(0 <= step < n for step in steps)
            and -1 <= (0 if self.after is None else self.after) < n
        )


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
