"""Short forms of a case for readers in a hurry: a title, and one short line per reason. Not escaped yet."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Literal

from wfgate.decide import CaseResult, Reason
from wfgate.language import CUT, READ, marked, windows
from wfgate.model import Said
from wfgate.rules import NAME, Finding, shortened
from wfgate.show.steps import ShownStep
from wfgate.show.wording import NO_TEXT, rule_words

Side = Literal["", "golden", "candidate"]
Pieces = tuple[tuple[str, Side], ...]
"""A line in pieces: unmarked, or changed text of the golden or the candidate."""

LIST = READ
"""Most characters of a list of names; of a longer one only the first name is shown."""
_PROSE = frozenset({".md", ".markdown", ".txt"})
_PROSE_TITLES = {"WR502": "text around the steps changed"}
"""Titles for a text, which has no settings."""
_NOTHING = "nothing was compared"


def title(case: CaseResult) -> str:
    """Return what broke in a few words; the reasons say it in full.

    Example:
        >>> lost = Reason(rule="WR101", message="'Scan' is missing", fingerprint="f1")
        >>> kept = {"id": "a", "golden": "a.yaml", "candidate": "b.yaml", "verdict": "block"}
        >>> title(CaseResult(**kept, reasons=(lost, lost)))
        'step missing (2)'
    """
    problem = case.why_not_compared
    if problem is not None:
        return f"{_NOTHING}: {problem.text}"
    named = [name if number == 1 else f"{name} ({number})" for name, number in titles(case).items()]
    return ", ".join(named) or "no reason is recorded"


def titles(case: CaseResult) -> Counter[str]:
    """Return what broke, in a few words each, with the number of reasons."""
    if case.error is not None:
        return Counter([_NOTHING])
    if case.verdict == "inconclusive":
        return Counter(["undecided"])
    prose = PurePath(case.golden).suffix.lower() in _PROSE
    words = _PROSE_TITLES if prose else {}
    return Counter(words.get(reason.rule) or rule_words(reason.rule) for reason in case.reasons)


def reason_line(
    case: CaseResult, reason: Reason, finding: Finding | None, texts: tuple[str, str] | None
) -> tuple[Pieces, bool]:
    """Return a reason in one short line, old before new, and whether it starts with the name of a step.

    Args:
        case: The case.
        reason: The reason.
        finding: The finding that it was made from.
        texts: The texts of golden and candidate that the finding is about.
    """
    said, critical = Said(reason.message, reason.mentions), ""
    if finding is not None and texts is not None and texts[0] != texts[1]:  # else the actions differ
        critical = "critical step " * reason.lost_critical
        if not finding.exact or _shows_all(*texts):
            changed = {step.id for step in case.steps if step.state == "changed"}
            sure = finding.exact or reason.lost_critical or not changed.isdisjoint(finding.golden_steps)
            return _changed_text(finding, texts, critical, sure=sure)
        said = Said(finding.message, finding.mentions)  # it names the words that contradict each other
    parts = value_parts(finding)
    if finding is None or parts is None:
        shown: tuple[tuple[str, Side], ...] = ((critical + _shorter(said), ""),)
    else:
        before, (was, now), after = parts
        said = Said(before, tuple(one for one in finding.mentions if one.end <= len(before)))
        shown = (_shorter(said), ""), *_exchange(was, now, exact=True), (after, "")
    starts_with_name = not critical and bool(said.mentions) and said.mentions[0].start == 0
    return tuple(piece for piece in shown if piece[0]), starts_with_name


def value_parts(finding: Finding | None) -> tuple[str, tuple[str, str], str] | None:
    """Return a message about two values or conditions in parts: before them, both of them, and after them.

    A value is whole, also if the message shortens it. None if the message does not show two values or conditions.
    """
    if finding is None or finding.values_at is None:
        return None
    start, end = finding.values_at
    values = finding.golden_value or "", finding.candidate_value or ""
    return finding.message[:start], values, finding.message[end:]


def _shows_all(golden: str, candidate: str) -> bool:
    """Return whether short forms of two texts show all differences."""
    sides = zip(marked(golden, candidate), windows(golden, candidate, READ), strict=True)
    return all(sum(changed for _, changed in whole) == sum(changed for _, changed in shown) for whole, shown in sides)


def step_pieces(step: ShownStep) -> Pieces:
    """Return a changed step in one short line, old before new, with the changed words marked."""
    if step.golden == step.candidate or not (step.golden and step.candidate):
        return ((f"{step.words}: '{shortened(step.golden or step.candidate, NAME)}'", ""),)
    return ((f"{step.words}: ", ""), *_exchange(step.golden, step.candidate))


def with_whole_names(said: Finding | Reason) -> str:
    """Return a message with the whole names of the steps that it shortens."""
    names = (one for one in said.mentions if one.kind == "name")
    return _replaced(said.message, [(one.start, one.end, f"'{one.name}'") for one in names])


def plain(pieces: Pieces) -> str:
    """Return a line without marks."""
    return "".join(text for text, _ in pieces)


def _changed_text(finding: Finding, texts: tuple[str, str], critical: str, *, sure: bool) -> tuple[Pieces, bool]:
    was, now = texts
    name = shortened(finding.tasks[0], NAME) if finding.tasks else ""
    named = f"'{name}' " * (not was.startswith(name.removesuffix(CUT)))
    how = f"{'' if sure else 'probably '}changed meaning: "
    return ((f"{critical}{named}{how}", ""), *_exchange(was, now)), bool(named and not critical)


def _exchange(was: str, now: str, *, exact: bool = False) -> Iterator[tuple[str, Side]]:
    golden, candidate = windows(was, now, READ, exact=exact)
    yield from ((text, "golden" if changed else "") for text, changed in golden if text.strip() or was.strip())
    yield f"{'' if was.strip() else NO_TEXT} -> {'' if now.strip() else NO_TEXT}", ""
    yield from ((text, "candidate" if changed else "") for text, changed in candidate if text.strip() or now.strip())


def _shorter(said: Said) -> str:
    """Return a message; of a long list of three names or more only the first, and their number.

    The other words for a step, in the bracket behind its name, are left out.
    """
    brackets = [one for one in said.mentions if one.kind == "rewording"]
    outside = [one for one in said.mentions if not any(each.start <= one.start < each.end for each in brackets)]
    names = [one for one in outside if one.kind == "name"]
    changes = [(one.start, one.end, "") for one in brackets]
    for group in outside:
        inside = sum(one.end - one.start for one in brackets if group.start < one.start and one.end <= group.end)
        first = next((one for one in names if one.start == group.start), None)
        if group.kind == "list" and first and group.steps > 2 and group.end - group.start - inside > LIST:
            changes = [one for one in changes if not first.end <= one[0] < group.end]
            changes.append((first.end, group.end, f" and {group.steps - 1} more"))
    return _replaced(said.text, changes)


def _replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with other words in some places, which do not overlap: start, end and the words of each."""
    at, pieces = 0, []
    for start, end, words in sorted(changes):
        pieces += [text[at:start], words]
        at = end
    return "".join([*pieces, text[at:]])
