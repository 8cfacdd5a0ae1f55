"""Condition texts to formulas: one file per language, one tokenizer and one parser for all.

No condition is evaluated, and no other error than `GuardSyntaxError` is raised, whatever the text.
"""

from collections.abc import Callable, Mapping

from wfgate.conditions.formula import Formula
from wfgate.conditions.languages import argo, asl, bpmn, github, n8n, plain
from wfgate.conditions.languages.node import MAX_DEPTH, MAX_LENGTH, GuardSyntaxError
from wfgate.model.workflow import Language

_PARSERS: Mapping[Language, Callable[[str], Formula]] = {
    "plain": plain.parse,
    "github": github.parse,
    "asl": asl.parse,
    "bpmn": bpmn.parse,
    "n8n": n8n.parse,
    "argo": argo.parse,
}


def parse(text: str, language: Language = "plain") -> Formula:
    """Return the formula of a condition.

    Comparisons of terms with literals and with each other, tests of strings and of presence, and their boolean
    combinations are analysed; everything else becomes an opaque term, identified by its text.

    Args:
        text: The guard as written.
        language: What it is written in.

    Raises:
        GuardSyntaxError: If it cannot be read; message and column.

    Cost: linear in the text, except for the rendering of nested parts that are not analysed.

    Example:
        >>> from wfgate.conditions.formula import words
        >>> words(parse("${{ github.event_name != 'push' && !cancelled() }}", "github"))
        "github.event_name != 'push' and status != 'cancelled'"
        >>> words(parse("the customer agrees"))
        '«the customer agrees»'
    """
    return _PARSERS[language](text)


__all__ = ["MAX_DEPTH", "MAX_LENGTH", "GuardSyntaxError", "parse"]
