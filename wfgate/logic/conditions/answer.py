"""Three-valued answers (yes, no, unknown), with a situation as evidence."""

from dataclasses import dataclass

from wfgate.logic.conditions.formula import Scalar


@dataclass(frozen=True)
class Situation:
    """A condition, and one example that satisfies the condition.

    Attributes:
        conditions: One clause per term: "environment == 'staging'".
        values: A concrete example: one value per term, by the text of the term. Relations between terms are left out.
        opaque: Number of conditions about opaque terms (terms that are not analysed).
    """

    conditions: tuple[str, ...] = ()
    values: tuple[tuple[str, Scalar], ...] = ()
    opaque: int = 0

    def __str__(self) -> str:
        """Return the conditions, joined by "and"; "always" if there are no conditions."""
        return " and ".join(self.conditions) or "always"


@dataclass(frozen=True)
class Answer:
    """An answer: yes, no, or unknown with a reason.

    Attributes:
        value: True, False, or None for unknown.
        situation: For the answer yes to "can it happen?": a situation in which it happens. For the answer no to "does
            it always happen?": a situation in which it does not happen. For an unknown answer: the conditions about
            opaque terms on which the answer depends.
        because: The reason for an unknown answer.
    """

    value: bool | None
    situation: Situation | None = None
    because: str = ""


YES = Answer(value=True)
NO = Answer(value=False)
