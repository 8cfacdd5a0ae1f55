"""Workflows whose texts are not English: neither the meaning model nor the rules for texts read them."""

from collections.abc import Iterator

from wfgate.compare import Comparison
from wfgate.decide.reason import Reason
from wfgate.language import DEFAULT_MEANING_MODEL, foreign_language
from wfgate.model import Workflow, listed
from wfgate.rules import quoted


def languages(comparison: Comparison) -> tuple[str, ...]:
    """Return the languages of a pair that are not English, as phrases of what is outside of the calibrated range.

    None with another meaning model than the default one: its language is not known.
    """
    if comparison.meaning_model is not None and comparison.meaning_model.id != DEFAULT_MEANING_MODEL:
        return ()
    found: dict[str, list[str]] = {}
    for side, workflow in zip(("golden", "candidate"), comparison.files, strict=True):
        if language := foreign_language(_texts(workflow)):
            found.setdefault(language, []).append(side)
    return tuple(
        f"{language} texts in the {' and the '.join(sides)}, calibrated on English"
        for language, sides in found.items()
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
