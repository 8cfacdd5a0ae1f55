"""One run of the gate as a history keeps it, and what changed from one run to the next."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from wfgate.decide.policy import ORDER, Verdict, worst
from wfgate.model import Frozen

_ADDRESS = re.compile(r"https?://[^\s\\]+|(?![/\\])[^\s\\:]+")
LONGEST = 2000
"""Characters of an address at most."""


def address(text: str) -> str:
    """Return an address that a page may link: http(s), or a relative path.

    Raises:
        ValueError: If it is anything else, for example `javascript:` or `//host`.

    Example:
        >>> address("https://ci.example/runs/7"), address("runs/7.html")
        ('https://ci.example/runs/7', 'runs/7.html')
    """
    if len(text) > LONGEST or not text.isprintable() or not _ADDRESS.fullmatch(text):
        raise ValueError("not an address that starts with http:// or https://, and not a relative path")
    return text


class RunRecord(Frozen):
    """One run: a line of a history (`wfgate.run/1`).

    A verdict or count that does not follow from the verdicts of the cases is a validation error.

    Attributes:
        when: Time of the run; None if unknown.
        commit: The commit that the gate ran on; None if unknown.
        ref: Branch or tag of the commit; None if unknown.
        url: Where the report of the run is: http(s) or a relative path; None if unknown.
        version: Version of wfgate.
        profile: The profile: its file, or "default".
        corpus: Fingerprint of the corpus that the profile was fitted on.
        seconds: How long the run took; None if unknown.
        verdict: Verdict of the run.
        counts: Number of cases by verdict; several samples of one case count as one case.
        cases: The verdict on each case, by id.
        source: The file that the record was read from; not part of the JSON form.
    """

    schema_: Literal["wfgate.run/1"] = Field(default="wfgate.run/1", alias="schema")
    when: AwareDatetime | None = None
    commit: str | None = None
    ref: str | None = None
    url: Annotated[str, AfterValidator(address)] | None = None
    version: str
    profile: str
    corpus: str
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    verdict: Verdict
    counts: dict[Verdict, int]
    cases: dict[str, Verdict]
    source: str = Field(default="", exclude=True, repr=False)

    @model_validator(mode="after")
    def _counts_follow(self) -> Self:
        """Refuse a record that contradicts itself."""
        if self.counts != counted(self.cases):
            raise ValueError("the counts do not follow from the verdicts of the cases")
        if worst((self.verdict, *self.cases.values())) != self.verdict:
            raise ValueError(f"the verdict {self.verdict!r} does not follow from those of the cases")
        return self


class Flip(Frozen):
    """A case whose verdict differs between two runs.

    Attributes:
        case: Id of the case.
        before: The earlier verdict; None if the earlier run does not have the case.
        after: The later verdict; None if the later run does not have the case.
    """

    case: str
    before: Verdict | None
    after: Verdict | None


class Origin(Frozen):
    """Where and when a run took place; see `RunRecord`."""

    when: datetime | None = None
    commit: str | None = None
    ref: str | None = None
    url: str | None = None


def counted(cases: Mapping[str, Verdict]) -> dict[Verdict, int]:
    """Return the number of cases by verdict, the most severe verdict first.

    Example:
        >>> counted({"a": "pass", "b": "block", "c": "pass"})
        {'block': 1, 'inconclusive': 0, 'review': 0, 'pass': 2}
    """
    verdicts = list(cases.values())
    return {verdict: verdicts.count(verdict) for verdict in reversed(ORDER)}


def flips(before: Mapping[str, Verdict], after: Mapping[str, Verdict]) -> tuple[Flip, ...]:
    """Return the cases whose verdict differs: the most severe later verdict first, cases that are gone last.

    Example:
        >>> [flip.case for flip in flips({"a": "pass", "b": "pass"}, {"a": "block", "b": "pass"})]
        ['a']
    """
    changed = [Flip(case=case, before=before.get(case), after=now) for case, now in after.items()]
    changed = [flip for flip in changed if flip.before != flip.after]
    changed.sort(key=lambda flip: -ORDER.index(flip.after or "pass"))
    return (
        *changed,
        *(Flip(case=case, before=then, after=None) for case, then in before.items() if case not in after),
    )
