"""What no comparison of steps sees, so that a person has to look at it.

These are warnings of the readers that only the candidate has (what was not read cannot be compared), changed files
that the candidate calls, and texts that are not English (neither the meaning model nor the rules for texts read them).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from wfgate.compare import Comparison
from wfgate.decide.pair import Called
from wfgate.decide.reason import Reason
from wfgate.errors import printable
from wfgate.language import DEFAULT_MEANING_MODEL, foreign_language
from wfgate.model import Place, Workflow, listed, place_in
from wfgate.read import Diagnostic
from wfgate.rules import quoted

SHOWN_CALLS = 10
"""Most called files that are named."""
_NAMES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<[^<>]*>|\d+")
"""Names and numbers in a message. A renamed step changes them, but not what the warning says."""


def new_warnings(golden: Iterable[Diagnostic], candidate: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, int]]:
    """Yield the warnings of the candidate that the golden does not have: the first of each kind, and their number.

    A warning of the golden stands for one of the same kind in the candidate, first for one with the same message.

    Args:
        golden: The diagnostics of the references.
        candidate: The diagnostics of the candidate.
    """
    known, given = defaultdict[str, list[str]](list), defaultdict[str, list[Diagnostic]](list)
    for one in golden:
        if one.severity != "info":
            known[_kind(one)].append(one.message)
    for one in candidate:
        if one.severity != "info":
            given[_kind(one)].append(one)
    for kind, warnings in given.items():
        left = known[kind]
        others = [one for one in warnings if not _taken(left, one.message)]
        if new := others[len(left) :]:
            yield new[0], len(new)


def _kind(warning: Diagnostic) -> str:
    return _NAMES.sub("", warning.message)


def _taken(messages: list[str], message: str) -> bool:
    """Take a message out of a list; return whether it was there."""
    if message in messages:
        messages.remove(message)
        return True
    return False


def warned(warnings: Iterable[tuple[Diagnostic, int]]) -> Iterator[Reason]:
    """Yield the reasons that the reader gives warnings of kinds that the golden does not have."""
    for warning, number in warnings:
        more = f" (and {number - 1} more like it)" if number > 1 else ""
        reason = Reason.by_rule("reader-warning", f"only the candidate has this warning: {warning.message}{more}")
        if warning.line is not None and warning.column is not None:
            place = Place(file=printable(warning.path), line=warning.line, column=warning.column)
            reason = reason.model_copy(update={"candidate": place})
        yield reason


def changed_calls(called: Sequence[Called], candidate: str) -> Iterator[Reason]:
    """Yield the reasons that local files, which the candidate calls, differ from the base revision."""
    for at, one in enumerate(called[:SHOWN_CALLS]):
        by = printable(one.by) or "this workflow"
        message = f"{printable(one.file)}, which {by} calls, was {one.change} since the base revision"
        if one.change is None:
            message = f"{by} calls {printable(one.file)} and other files, too many to follow"
        if at == SHOWN_CALLS - 1 and len(called) > SHOWN_CALLS:
            message += f" (and {len(called) - SHOWN_CALLS} more called files)"
        yield Reason.by_rule("called-file", message).model_copy(update={"candidate": place_in(candidate, one.span)})


def languages(comparison: Comparison) -> tuple[str, ...]:
    """Return the languages of a pair that are not English, as phrases of what is outside of the calibrated range.

    None with another meaning model than the default one: its language is not known.
    """
    if comparison.meaning_model is not None and comparison.meaning_model.id != DEFAULT_MEANING_MODEL:
        return ()
    spoken: dict[str, list[str]] = {}
    for side, workflow in zip(("golden", "candidate"), comparison.files, strict=True):
        if language := foreign_language(_texts(workflow)):
            spoken.setdefault(language, []).append(side)
    return tuple(
        f"{language} texts in the {' and the '.join(sides)}, calibrated on English"
        for language, sides in spoken.items()
    )


def unread(comparison: Comparison, outside: tuple[str, ...]) -> Iterator[Reason]:
    """Yield the reason that a pair is not English (`languages`), and the candidate lacks the words of some steps."""
    steps = [quoted(fate.task) for fate in comparison.fates if fate.asked is not None] if outside else []
    if steps:
        message = f"the text of {listed(steps, 5)} changed, and only English texts are compared by their meaning"
        yield Reason.by_rule("language", message)


def _texts(workflow: Workflow) -> Iterator[str]:
    for part in (workflow, *workflow.subworkflows):
        yield from (part.name, part.description)
        for task in part.tasks:
            yield from (task.name, task.description)
