"""The texts of a drawing: names without markup, and labels as conditions."""

import html
import re

from wfgate.model import Guard, Outcome

LONGEST = 2000
"""Characters of a label that are kept as a condition."""

_RULE = re.compile(r"<hr\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*+>|<!--[^<>]*+-->")
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_ICON = re.compile(r"(?<!\w)fa[a-z]?:fa-([\w-]++)")

_STARTS = frozenset({"start", "begin", "begins", "starts", "__start__", "entry"})
_ENDS = frozenset({"end", "stop", "finish", "finished", "done", "exit", "ends", "complete", "__end__"})
_DEFAULTS = frozenset({"else", "otherwise", "default"})
_OUTCOMES: dict[str, Outcome] = {
    **dict.fromkeys(("failure", "on failure", "if failed", "failed", "fail", "fails", "on fail"), "failure"),
    **dict.fromkeys(("error", "on error", "errors", "exception", "on exception", "catch"), "failure"),
    **dict.fromkeys(("timeout", "on timeout", "timed out", "time out", "times out"), "timeout"),
    **dict.fromkeys(("always", "finally", "in any case"), "always"),
    **dict.fromkeys(("if skipped", "on skip"), "skipped"),
    **dict.fromkeys(("on event",), "event"),
}
OUTCOME_WORDS: dict[Outcome, str] = {
    "failure": "on failure",
    "timeout": "on timeout",
    "always": "always",
    "skipped": "if skipped",
    "event": "on event",
}
"""What is written on a link with an outcome; read back as the same outcome."""
_SUCCESS = frozenset({"success", "on success", "succeeded", "succeeds", "passed", "ok"})

_OPERAND = r"(?:[^\W\d][\w.-]*+|-?\d++(?>(?:\.\d++)?)%?|'[^'\"]*+')"
_COMPARED = rf"{_OPERAND}\s*+(?:[<>]=?|[!=]=|=)\s*+{_OPERAND}"
_COMPARISON = re.compile(rf"(?:if\s++)?{_COMPARED}(?>(?:\s++(?:and|or|&&|\|\|)\s++{_COMPARED})*)", re.IGNORECASE)
_PLAIN = re.compile(r"(?:[^\W\d][\w'-]*+[,;]?)(?>(?:\s++[^\W\d][\w'-]*+[,;]?)*)\??")
_JOINING = re.compile(
    r"\b(?:and|or|not|is|in|if|when|unless|are|between|like|contains|includes|matches|equals|than|with|"
    r"exists|defined|present|missing|empty)\b",
    re.IGNORECASE,
)
_CONSTANTS = frozenset({"true", "false", "null", "none", "nil", "undefined"})
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!="})


def cleaned(text: str) -> tuple[str, str]:
    r"""Return the text of a label without markup, and the text below the horizontal rule in the label.

    Example:
        >>> cleaned("fa:fa-truck Ship<br/>the <b>order</b>&nbsp;")
        ('Ship the order', '')
        >>> cleaned("agent<hr/><small>version = 1</small>")
        ('agent', 'version = 1')
    """
    above, _, below = _RULE.sub("\0", text, count=1).partition("\0")
    return _bare(above), _bare(below)


def _bare(text: str) -> str:
    text = html.unescape(_TAG.sub(" ", text)).replace("\\n", " ")
    without = " ".join(_ICON.sub(" ", text).split())
    return without or " ".join(_ICON.sub(lambda icon: icon[1].replace("-", " "), text).split())


def one_line(text: str) -> str:
    r"""Return a text on one line, without control characters and invisible characters.

    Example:
        >>> one_line("a\x1b[31m\nb\u202e")
        'a [31m b'
    """
    return " ".join(_HIDDEN.sub(" ", text).split())


def is_start(label: str) -> bool:
    """Return whether a label names the start of the flow.

    Example:
        >>> is_start("Start"), is_start("Start the engine")
        (True, False)
    """
    return label.casefold().strip(" .!*_") in _STARTS or label == "__start__"


def is_end(label: str) -> bool:
    """Return whether a label names the end of the flow."""
    return label.casefold().strip(" .!*_") in _ENDS or label == "__end__"


def is_default(label: str) -> bool:
    """Return whether a label marks the default branch ("otherwise", "else")."""
    return label.casefold().strip(" .:,") in _DEFAULTS


def outcome_of(label: str) -> Outcome | None:
    """Return the outcome of the source step after which an arrow is taken; None if the label is not only an outcome.

    Example:
        >>> outcome_of("On failure"), outcome_of("success"), outcome_of("three failures") is None
        ('failure', 'success', True)
    """
    word = label.casefold().strip(" .:!")
    return "success" if word in _SUCCESS else _OUTCOMES.get(word)


def guard_of(label: str) -> Guard:
    """Return a label as a condition.

    A comparison or plain words are used without change. Any other label becomes one opaque condition in «», which is
    either true or false.

    Example:
        >>> [guard_of(label).expr for label in ("Yes", "score ≥ 80", "No (retry)", "True")]
        ['Yes', 'score >= 80', '«No (retry)»', '«True»']
    """
    text = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    compared = text.translate(_SIGNS)
    if _COMPARISON.fullmatch(compared):
        return Guard(expr=compared)
    if _PLAIN.fullmatch(text) and text.casefold() not in _CONSTANTS and "'" not in text.replace("n't", ""):
        return Guard(expr=text)
    return Guard(expr=f"«{' '.join(text.replace('«', ' ').replace('»', ' ').split()) or '?'}»")


def is_name(guard: Guard) -> bool:
    """Return whether a condition is only the name of a branch: a bare word or a sentence."""
    text = guard.expr or ""
    return text.startswith("«") or (_PLAIN.fullmatch(text) is not None and _JOINING.search(text) is None)
