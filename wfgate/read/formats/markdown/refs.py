"""Dependencies in text: "depends on 2, 3", "after step 2", "needs: T004"."""

import re
from dataclasses import dataclass

_LEAD = re.compile(
    r"\b(depends? (?:up)?on|dependent on|dependenc(?:y|ies)|deps|needs?|requires?|blocked by|after|once|following|"
    r"prerequisites?|in parallel (?:with|to)|at the same time as|simultaneously with|concurrently with)\b"
    r"[ \t]*(:)?[ \t]*(?:on[ \t]+)?(?:completion of[ \t]+|completing[ \t]+)?",
    re.IGNORECASE,
)
_STRONG = ("depend", "deps", "blocked", "prereq", "in parallel", "at the same", "simultan", "concurr")
_BESIDE = ("in parallel", "at the same", "simultan", "concurr")
_REF = re.compile(
    r"(?:(steps?|tasks?|items?|phases?|stages?|nos?\.|#)[ \t]*)?"
    r"(?:([A-Z]{1,4}-?\d{1,5})|#?(\d{1,4}(?>(?:\.\d{1,4})*)))(?![\w%])",
    re.IGNORECASE,
)
_AND = re.compile(r"[ \t]*(?:,[ \t]*and\b|,|;|&|\+|/|\band\b)[ \t]*", re.IGNORECASE)
_TO = re.compile(r"[ \t]*(?:[\u2013\u2014-]|\.\.|\bto\b|\bthrough\b)[ \t]*", re.IGNORECASE)
_STOP = re.compile(
    r"[ \t]*(?:[.):,;!|\]\u2013\u2014-]|$|"
    r"(?:is|are|has|have|completes?|completed|finish|succe|pass|being|to|being|must|\()\w*)",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:no dependenc(?:y|ies)|"
    r"(?:depends on|dependenc(?:y|ies)|deps|prerequisites?)[ \t]*:?[ \t]*(?:none|nothing|n/a)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"[ \t]*(?:->|→|=>|(?:(?:must|should|has to|have to)[ \t]+)?(?:be[ \t]+)?(?:complete[sd]?|finish(?:ed)?|done|run)?"
    r"[ \t]*\bbefore\b|\b(?:blocks?|gates?|precedes?|unblocks?)\b)[ \t]*",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[ \t]*(?:(?:must|should|can|may)[ \t]+)?(?:be[ \t]+)?(?:only[ \t]+)?"
    r"(?:run|start|begin|starts|runs|begins|done)?[ \t]*"
    r"\b(?:depends? on|requires?|needs?|after|is blocked by|are blocked by|blocked by)\b[ \t]*:?[ \t]*",
    re.IGNORECASE,
)
_LONGEST = 1000
"""Most items that a range like T001-T099 stands for."""


@dataclass(frozen=True)
class Ref:
    """A reference to another item.

    Attributes:
        label: Id or number of the other item, as it is written: `T004`, `2`, `1.2`.
        phase: Whether the reference is to a phase or stage.
        sure: Whether the text certainly means an item, even if no item has this id.
    """

    label: str
    phase: bool
    sure: bool


@dataclass(frozen=True)
class Dependencies:
    """The dependencies in one text."""

    after: tuple[Ref, ...] = ()
    beside: tuple[Ref, ...] = ()
    none: bool = False


def dependencies_in(text: str) -> Dependencies:
    """Return the dependencies in a text.

    Example:
        >>> [ref.label for ref in dependencies_in("Deploy (depends on 2, 3)").after]
        ['2', '3']
        >>> [ref.label for ref in dependencies_in("Needs 2 GB of memory, runs after steps 1 and 2").after]
        ['1', '2']
    """
    after: list[Ref] = []
    beside: list[Ref] = []
    at = 0
    while match := _LEAD.search(text, at):
        at = match.end()
        lead = match[1].lower()
        refs, end = _refs(text, at, strong=lead.startswith(_STRONG) or match[2] is not None)
        (beside if lead.startswith(_BESIDE) else after).extend(refs)
        at = max(at, end)
    return Dependencies(tuple(dict.fromkeys(after)), tuple(dict.fromkeys(beside)), _NONE.search(text) is not None)


def between(text: str) -> tuple[tuple[Ref, ...], tuple[Ref, ...]] | None:
    """Return the earlier and the later items of a sentence about dependencies; None if the sentence is not clear.

    Example:
        >>> earlier, later = between("T020 gates T021 (auth)")
        >>> earlier[0].label, later[0].label
        ('T020', 'T021')
        >>> between("Models before services") is None
        True
    """
    first, end = _refs(text, 0, strong=True, free=True)
    if not first:
        return None
    for connector, turned in ((_BEFORE, False), (_AFTER, True)):
        match = connector.match(text, end)
        if match is None:
            continue
        second, _ = _refs(text, match.end(), strong=True)
        if second:
            return (tuple(second), tuple(first)) if turned else (tuple(first), tuple(second))
    return None


def _refs(text: str, at: int, *, strong: bool, free: bool = False) -> tuple[list[Ref], int]:
    """Read references up to the first other text; a bare number counts only if it must be the number of an item."""
    refs: list[Ref] = []
    named = phase = False
    while match := _REF.match(text, at):
        if match[1] is not None:
            named, phase = True, match[1].lower().startswith(("phase", "stage"))
        label = (match[2] or match[3]).upper()
        refs.append(Ref(label, phase, sure=named or (strong and match[2] is None)))
        at = match.end()
        until = _TO.match(text, at)
        last = _REF.match(text, until.end()) if until else None
        if last is not None and (last[2] if free else named or last[1] is None):
            refs += _between(label, (last[2] or last[3]).upper(), refs[-1])
            at = last.end()
        joint = _AND.match(text, at)
        if joint is None or _REF.match(text, joint.end()) is None:
            break
        at = joint.end()
    if not named and not (strong and _STOP.match(text, at)):
        refs = [ref for ref in refs if not ref.label[0].isdigit()]
    return refs, at


def _between(first: str, last: str, like: Ref) -> list[Ref]:
    """Return the items of a range, without the first item."""
    prefix, digits = first.rstrip("0123456789"), last.removeprefix(last.rstrip("0123456789"))
    start = first.removeprefix(prefix)
    if not digits or not start or last.rstrip("0123456789") not in {prefix, ""}:
        return []
    low, high = int(start), int(digits)
    if not low < high <= low + _LONGEST:
        return []
    width = len(start) if start.startswith("0") else 0
    return [Ref(f"{prefix}{number:0{width}d}", like.phase, sure=False) for number in range(low + 1, high + 1)]
