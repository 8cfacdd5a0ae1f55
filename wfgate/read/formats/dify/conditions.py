"""Conditions of If/Else nodes and loops in wfgate's plain condition language, and the outputs of each node."""

import re
from collections.abc import Iterable, Sequence

from wfgate.logic import literal
from wfgate.model import Guard
from wfgate.read.formats.dify.graph import GIVEN, DifyGraph, is_selector, selectors
from wfgate.read.formats.dify.shapes import DifyCondition, DifyNode
from wfgate.read.formats.exits import Exit, Output, label, labelled
from wfgate.read.formats.typed import listed

_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_RESERVED = frozenset(
    """and or not is in contains includes like matches between equals if when unless true false null none nil
    undefined startswith endswith starts ends does otherwise else default""".split()  # noqa: SIM905
)
_COMPARED = {"is": "==", "is not": "!=", "=": "==", "≠": "!=", ">": ">", "<": "<", "≥": ">=", "≤": "<="}
_NUMERIC = frozenset("=≠><≥≤")
_OTHER = {"not contains": "does not contain", "start with": "starts with", "end with": "ends with"}
_BINARY = _COMPARED | _OTHER | {"contains": "contains"}
_UNARY = {name: f"is {name}" for name in ("empty", "not empty", "null", "not null")}
_UNARY |= {"exists": "is not null", "not exists": "is null"}
_USUAL = frozenset({"source", "", "success-branch", "true"})
"""Handles of the output of a node with one output, and one for failures."""


def term(graph: DifyGraph, selector: Sequence[str]) -> str:
    """Return a reference as it is written in conditions: titles instead of ids, quoted if they are not simple names.

    Example:
        >>> from wfgate.read import Document
        >>> term(DifyGraph(Document("example")), ["sys", "user query"])
        'sys.`user query`'
    """
    return graph.called(selector, _quoted)


def _quoted(part: str) -> str:
    if _NAME.fullmatch(part) and part.casefold() not in _RESERVED:
        return part
    return f"`{' '.join(part.split()).replace('`', '``')}`"


def written(graph: DifyGraph, conditions: Sequence[DifyCondition], operator: str) -> str:
    """Return the conditions as one text, joined by the operator; "" if there are no conditions."""
    return _joined([_condition(graph, each) for each in conditions], operator)


def _joined(parts: Sequence[str], operator: str) -> str:
    return (" or " if operator == "or" else " and ").join(parts)


def _condition(graph: DifyGraph, condition: DifyCondition) -> str:
    operator, value = condition.operator, condition.value
    left = term(graph, condition.selector) if is_selector(condition.selector) else ""
    if left and condition.inner is None:
        if operator in _UNARY:
            return f"{left} {_UNARY[operator]}"
        if operator in ("in", "not in"):
            values = value if isinstance(value, list) else [value]
            return f"{left} {operator} [{', '.join(_literal(graph, each) for each in values)}]"
        if operator in _BINARY and not isinstance(value, list | dict):
            numeric = operator in _NUMERIC or (operator in _COMPARED and condition.type in ("number", "integer"))
            return f"{left} {_BINARY[operator]} {_literal(graph, value, numeric=numeric)}"
    return label(_words(graph, condition) or "a condition")


def _literal(graph: DifyGraph, value: object, *, numeric: bool = False) -> str:
    said = str(value).strip()
    for selector, _, _ in selectors(value) if isinstance(value, str) else ():
        if (selector[0] in graph.by_id or selector[0] in GIVEN) and said == f"{{{{#{'.'.join(selector)}#}}}}":
            return term(graph, selector)
    if (numeric or isinstance(value, int | float)) and _NUMBER.fullmatch(said):
        return said
    return literal(value if isinstance(value, bool | None) else str(value))


def _words(graph: DifyGraph, condition: DifyCondition) -> str:
    """Return the words of a condition that cannot be translated; they become one opaque condition."""
    selector = condition.selector
    words = [graph.called(selector) if is_selector(selector) else " ".join(selector)]
    words += [condition.key, condition.operator, *map(str, listed(condition.value))]
    if condition.inner is not None:
        words.append(_joined([_words(graph, each) for each in condition.inner.conditions], condition.inner.operator))
    return " ".join(words).strip()


def exits_of(graph: DifyGraph, node: DifyNode, outputs: Iterable[Output]) -> dict[Output, Exit]:
    """Return the outputs of a node by the handle of its edges; some of the outputs are connected."""
    settings = node.settings
    if node.type == "if-else":
        return _cases(graph, node)
    exits: dict[Output, Exit] = {}
    if node.type in ("question-classifier", "human-input"):
        ways = labelled([each.name.strip() or each.id for each in settings.choices])
        exits |= {each.id: way for each, way in zip(settings.choices, ways, strict=True)}
    if not exits and node.type != "question-classifier":
        usual = Exit(outcome="always" if settings.error_strategy == "default-value" else "success")
        exits |= dict.fromkeys([each for each in outputs if each in _USUAL] or ["source"], usual)
    if node.type == "human-input":
        return exits | {"__timeout": Exit(outcome="timeout")}
    return exits | ({"fail-branch": Exit(outcome="failure")} if settings.error_strategy == "fail-branch" else {})


def _cases(graph: DifyGraph, node: DifyNode) -> dict[Output, Exit]:
    cases = node.settings.cases
    if not cases and "conditions" in node.data:  # the first version
        cases = (node.settings.model_copy(update={"id": "true"}),)
    exits: dict[Output, Exit] = {}
    for at, case in enumerate(cases):
        text = written(graph, case.conditions, case.operator)
        if not text:
            path = (*node.path, "data", "cases", at)
            graph.say(path, "warning", f"a case of {node.title[:80]!r} has no condition")
        text = text or label(f"case {at + 1} of {node.label}")
        exits[case.id] = Exit((Guard(expr=text, order=at + 1 if len(cases) > 1 else None),))
    return exits | {"false": Exit((Guard(default=True),))}
