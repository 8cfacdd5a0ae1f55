"""Three-valued answers, and the situation that proves them."""

from dataclasses import dataclass

from wfgate.conditions.formula import Scalar


@dataclass(frozen=True)
class Situation:
    """A condition under which an answer holds, and one example of it.

    Attributes:
        conditions: One sentence part per term, "environment == 'staging'".
        values: One value for each term by its text: a concrete case. A relation between terms has no value here.
        opaque: How many of the conditions are about opaque terms.
    """

    conditions: tuple[str, ...] = ()
    values: tuple[tuple[str, Scalar], ...] = ()
    opaque: int = 0

    def __str__(self) -> str:
        """Return the conditions, joined by "and"; "always" where there are none."""
        return " and ".join(self.conditions) or "always"


@dataclass(frozen=True)
class Answer:
    """Yes, no, or unknown for a reason.

    Attributes:
        value: True, False, or None for unknown.
        situation: What proves a yes that something can happen, or a no that it always does. Of an unknown: under
            which conditions, about terms that are not analysed, the answer would turn.
        because: Why it is unknown.
    """

    value: bool | None
    situation: Situation | None = None
    because: str = ""


YES = Answer(value=True)
NO = Answer(value=False)
