"""Short forms of a case for readers in a hurry: a title, and one short line per reason. Not escaped yet."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from wfgate.checks import CHECKS, Finding
from wfgate.checks.base import NAME, shortened
from wfgate.evidence import IN_DOUBT
from wfgate.gating import CaseResult, Reason
from wfgate.report.steps import STATES, Step, steps_of, texts_of
from wfgate.report.wording import sentence, share_words, step_words
from wfgate.texts.difference import CUT, marked, short_names, windows

Side = Literal["", "golden", "candidate"]
Pieces = tuple[tuple[str, Side], ...]
"""A line in pieces: unmarked, or changed text of the golden or the candidate."""

FEW = 3
"""Most changed steps of a passed case that are shown."""
TEXT = 60
"""Most characters of each text of a changed step."""
VALUE = 60
"""Most characters of each of two changed values."""
NAMES = 96
"""Most characters of all names of a line together."""
LIST = 60
"""Most characters of a list of names; of a longer one only the first name is shown."""
SHORTEST = 28
"""A name is not made shorter than this."""
_TITLES = {
    "critical": "critical step lost",
    "critical-unsure": "critical step in doubt",
    "statistics": "unlike a rewording",
    "judge": "poor grade from the judge",
    "quotes": "read by the language model",
}
"""Titles of the rules that are no checks."""


def title(case: CaseResult) -> str:
    """Return what broke in a few words; the reasons say it in full.

    Example:
        >>> lost = Reason(rule="WR101", message="'Scan' is missing", fingerprint="f1")
        >>> kept = {"id": "a", "golden": "a.yaml", "candidate": "b.yaml", "verdict": "block"}
        >>> title(CaseResult(**kept, reasons=(lost, lost)))
        'task missing (2)'
    """
    problem = case.why_not_compared
    if problem is not None:
        return f"nothing was compared: {problem.text}"
    if case.verdict == "inconclusive":
        return "undecided"
    counted = Counter(_title(reason.rule) for reason in case.reasons)
    named = [name if number == 1 else f"{name} ({number})" for name, number in counted.items()]
    return ", ".join(named) or "no reason is recorded"


def one_line(case: CaseResult) -> str:
    """Return the first reason of a case that did not pass, the number of the others, and the counts."""
    if case.error is not None or not case.reasons:
        return title(case)
    return "; ".join(filter(None, [first_reason(case), how_bad(case)]))


def first_reason(case: CaseResult) -> str:
    """Return the first reason in short, and the number of the others; the title if there is none."""
    if case.error is not None or not case.reasons:
        return title(case)
    first = sentence(plain(reason_pieces(case, case.reasons[0])))
    return first + (f" (and {len(case.reasons) - 1} more)" if len(case.reasons) > 1 else "")


def _title(rule: str) -> str:
    check = CHECKS.get(rule)
    return _TITLES.get(rule, rule) if check is None else check.defect.replace("-", " ")


def how_bad(case: CaseResult) -> str | None:
    """Return the counts, and the estimated share with its interval; None if there is no estimate."""
    if case.verdict == "inconclusive":
        return None
    share = share_words(case)
    return share and "; ".join(filter(None, [step_words(case), share]))


def reason_pieces(case: CaseResult, reason: Reason) -> Pieces:
    """Return a reason in one short line with the changed words marked, old before new."""
    finding = case.finding_of(reason)
    texts = texts_of(case, finding)
    message, critical = reason.message, reason.lost_critical
    if finding is not None and texts is not None and texts[0] != texts[1]:  # else the actions differ
        if not finding.exact or _shows_all(*texts):
            changed = {step.id for step in case.steps if step.state == "changed"}
            sure = finding.exact or critical or not changed.isdisjoint(finding.golden_steps)
            return _changed_text(finding, texts, sure=sure, critical=critical)
        message = f"{'critical step ' * critical}{finding.message}"  # it names the words that contradict each other
    names = [*_names(case), *(finding.tasks if finding else ())]
    parts = value_parts(finding)
    if parts is None:
        return ((_shorter(message, names), ""),)
    before, (was, now), after = parts
    shown = (_shorter(before, names), ""), *_exchange(was, now, VALUE, exact=True), (after, "")
    return tuple(piece for piece in shown if piece[0])


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
    sides = zip(marked(golden, candidate), windows(golden, candidate, TEXT), strict=True)
    return all(sum(changed for _, changed in whole) == sum(changed for _, changed in shown) for whole, shown in sides)


def changed_steps(case: CaseResult) -> list[Pieces]:
    """Return the changed steps of a passed case, old before new, with the changed words marked.

    If more than `FEW` steps changed, only those in doubt: a rewritten workflow is compared with `wfgate diff`.
    """
    changed = [step for step in steps_of(case) if step.candidate and step.words != STATES["same"]]
    if len(changed) > FEW:
        changed = [step for step in changed if step.state in IN_DOUBT]
    return [step_pieces(step) for step in changed]


def step_pieces(step: Step) -> Pieces:
    """Return a changed step in one short line, old before new, with the changed words marked."""
    if step.golden == step.candidate:
        return ((f"{step.words}: '{shortened(step.golden, TEXT)}'", ""),)
    return ((f"{step.words}: ", ""), *_exchange(step.golden, step.candidate, TEXT))


def with_whole_names(case: CaseResult, message: str) -> str:
    """Return a message with the whole names of the steps that it shortens."""
    for name in sorted(set(_names(case)), key=len, reverse=True):
        short = shortened(name, NAME)
        if short != name:
            message = message.replace(f"'{short}'", f"'{' '.join(name.split())}'")
    return message


def plain(pieces: Pieces) -> str:
    """Return a line without marks."""
    return "".join(text for text, _ in pieces)


def _changed_text(finding: Finding, texts: tuple[str, str], *, sure: bool, critical: bool) -> Pieces:
    was, now = texts
    name = shortened(finding.tasks[0], SHORTEST) if finding.tasks else ""
    named = f"'{name}' " * (not was.startswith(name.removesuffix(CUT)))
    how = f"{'' if sure else 'probably '}changed meaning: "
    return ((f"{'critical step ' * critical}{named}{how}", ""), *_exchange(was, now, TEXT))


def _exchange(was: str, now: str, limit: int, *, exact: bool = False) -> Iterator[tuple[str, Side]]:
    golden, candidate = windows(was, now, limit, exact=exact)
    yield from ((text, "golden" if changed else "") for text, changed in golden)
    yield " -> ", ""
    yield from ((text, "candidate" if changed else "") for text, changed in candidate)


def _names(case: CaseResult) -> Iterator[str]:
    """Yield the names of all steps of both workflows."""
    found = case.alignment
    steps = [step for pair in found.matched for step in (pair.golden, pair.candidate)]
    steps += [*found.missing, *found.extra]
    steps += [step for merge in found.merged for step in (*merge.golden, merge.candidate)]
    steps += [step for split in found.split for step in (split.golden, *split.candidate)]
    yield from (step.name for step in steps)


def _shorter(message: str, names: Iterable[str]) -> str:
    """Return a message with short names; of a list of three names or more only the first, and their number."""
    called = {f"'{shortened(name, NAME)}'" for name in names if name.strip()}
    present = sorted((name for name in called if name in message), key=lambda name: (-len(name), name))
    if not present:
        return message
    one = f"(?:{'|'.join(map(re.escape, present))})"
    # recorded results of 0.1 have "reworded as"
    message = re.sub(rf" \((?:now|reworded as) {one}(?:(?:, | and ){one})*(?: and \d+ more)?\)", "", message)
    message = re.sub(rf"({one})((?:, {one})+)(?: and ({one}|\d+ more))?", lambda found: _first(found, one), message)
    left = [name for name in present if name in message]
    limit = max(SHORTEST, NAMES // max(len(left), 1))
    short = short_names([name[1:-1] for name in left], limit)
    return re.sub(one, lambda found: f"'{short.get(found.group()[1:-1], found.group()[1:-1])}'", message)


def _first(listed: re.Match[str], one: str) -> str:
    first, others, last = listed.groups()
    if len(listed.group()) <= LIST:
        return listed.group()
    more = len(re.findall(one, others))
    if last is not None:
        more += int(last.split()[0]) if last.endswith(" more") and not last.startswith("'") else 1
    return f"{first} and {more} more" if more > 1 else listed.group()
