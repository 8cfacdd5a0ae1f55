"""Parsing and checking of situations from users, and conversion of answers about the behaviour."""

import re
from collections.abc import Iterable, Mapping
from math import isfinite

from wfgate.catalogue.facts.answers import YesNo
from wfgate.catalogue.facts.subject import FactSubject, suggestion
from wfgate.errors import ConfigError
from wfgate.logic import Answer, Scalar, Term, terms
from wfgate.logic import Situation as Case

_WORDS: Mapping[str, Scalar] = {"true": True, "false": False, "null": None, "none": None}
_QUOTES = "'\""
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?", re.ASCII)


def read_situation(text: str) -> dict[str, Scalar]:
    """Return the values in "p=0, env=prod", by the texts of the terms.

    A value is a number, true, false, null, or a text with or without quotes. A quoted text may contain a comma.

    Raises:
        ConfigError: If a part has no "=", or a term has two values.

    Example:
        >>> read_situation("p=0, env=prod, dry = true, region='eu, west'")
        {'p': 0, 'env': 'prod', 'dry': True, 'region': 'eu, west'}
    """
    situation: dict[str, Scalar] = {}
    for part in filter(str.strip, _parts(text)):
        name, mark, value = part.partition("=")
        name = name.strip()
        if not mark or not name:
            raise ConfigError(f"{part.strip()!r} has no value", fix='write it like "p=0, env=prod"')
        if name in situation:
            raise ConfigError(f"{name!r} has two values", fix="give it once")
        situation[name] = _value(value.removeprefix("=").strip())
    return situation


def read_names(text: str) -> tuple[str, ...]:
    """Return the names of "A, B, C"; a name with a comma must be quoted.

    Example:
        >>> read_names("Build, 'Test, then lint', Deploy")
        ('Build', 'Test, then lint', 'Deploy')
    """
    return tuple(_unquoted(part.strip()) for part in _parts(text) if part.strip())


def checked(subject: FactSubject, situation: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    """Return the situation if it is valid.

    A situation may contain parameters of the workflow that no condition reads.

    Raises:
        ConfigError: If no condition reads a term and the term is not a parameter, or if a value is impossible.
    """
    known = _terms(subject)
    valid: dict[str, Scalar] = {}
    for name, value in situation.items():
        term = known.get(name)
        if term is None and name not in subject.workflow.params:
            names = [*known, *subject.workflow.params]
            fix = suggestion(name, names) or f"conditions read: {', '.join(sorted(names)[:12]) or 'nothing'}"
            raise ConfigError(f"no condition reads {name!r}", fix=fix)
        if term is not None and term.values and value not in term.values:
            values = ", ".join(str(each) for each in term.values)
            raise ConfigError(f"{name!r} cannot be {value!r}", fix=f"it is one of: {values}")
        valid[name] = value
    return valid


def as_yes_no(answer: Answer) -> YesNo:
    """Convert an answer about the behaviour to an answer of a fact."""
    case = answer.situation
    return YesNo(
        value=answer.value,
        exact=answer.value is not None,
        because=answer.because or ("for example" if _conditions(case) else None),
        witness=_conditions(case),
    )


def _conditions(case: Case | None) -> tuple[str, ...]:
    return case.conditions if case is not None else ()


def _terms(subject: FactSubject) -> dict[str, Term]:
    """Return the terms of all conditions by the texts of the terms."""
    by_text: dict[str, Term] = {}
    selections = subject.behaviour.selections
    for formula in (*selections.taken, *(guard for guard in selections.guards if guard is not None)):
        by_text.update((term.text, term) for term in terms(formula))
    return by_text


def _parts(text: str) -> Iterable[str]:
    """Split a text at commas outside quotes. A quote opens at the start of a part or of a value."""
    part, quote = "", ""
    for char in text:
        if char == "," and not quote:
            yield part
            part = ""
            continue
        if char == quote:
            quote = ""
        elif not quote and char in _QUOTES and part.rstrip()[-1:] in {"", "="}:
            quote = char
        part += char
    yield part


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0] else text


def _value(text: str) -> Scalar:
    if _unquoted(text) != text:
        return _unquoted(text)
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if _NUMBER.fullmatch(text):
        number = float(text)
        return int(text) if text.lstrip("+-").isdigit() else (number if isfinite(number) else text)
    return text
