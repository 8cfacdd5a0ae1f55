"""Parsing of conditions to formulas: one file per language, and one tokenizer and parser for all languages.

Conditions are never evaluated. For any text, the only error is `GuardSyntaxError`.
"""

from importlib import import_module

from wfgate.logic.conditions.formula import Formula
from wfgate.logic.conditions.languages.node import MAX_DEPTH, MAX_LENGTH, GuardSyntaxError
from wfgate.model import Language


def parse(text: str, language: Language = "plain") -> Formula:
    """Return the formula of a condition.

    Analysed are: comparisons of a term with a literal or with another term, tests of strings, tests of presence, and
    boolean combinations. Everything else becomes an opaque term (a term that is not analysed), identified by its text.

    Args:
        text: The condition as written.
        language: The language of the condition.

    Raises:
        GuardSyntaxError: If the condition has a syntax error.

    Cost: linear in the length of the text, except for nested parts that are not analysed.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("${{ github.event_name != 'push' && !cancelled() }}", "github"))
        "github.event_name != 'push' and status != 'cancelled'"
        >>> words(parse("the customer agrees"))
        '«the customer agrees»'
    """
    formula: Formula = import_module(f"{__name__}.{language}").parse(text)  # only the languages of the files at hand
    return formula


__all__ = ["MAX_DEPTH", "MAX_LENGTH", "GuardSyntaxError", "parse"]
