"""Conditions of If/Else nodes and loops in wfgate's plain condition language, and the outputs of each node."""

import re
from collections.abc import Sequence
from typing import Any

from wfgate.formats.dify.document import GIVEN, Graph, Node, is_selector, only_selector
from wfgate.formats.exits import NEVER, Exit, label, labelled
from wfgate.model import Guard
from wfgate.model.workflow import Outcome

_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_RESERVED = frozenset(
    """and or not is in contains includes like matches between equals if when unless true false null none nil
    undefined startswith endswith starts ends does otherwise else default""".split()  # noqa: SIM905
)
_COMPARED = {"is": "==", "is not": "!=", "=": "==", "≠": "!=", ">": ">", "<": "<", "≥": ">=", "≤": "<="}
_NUMERIC = frozenset({"=", "≠", ">", "<", "≥", "≤"})
_TESTED = {
    "contains": "contains",
    "not contains": "does not contain",
    "start with": "starts with",
    "end with": "ends with",
}
_ASKED = {
    "empty": "is empty",
    "not empty": "is not empty",
    "null": "is null",
    "not null": "is not null",
    "exists": "is not null",
    "not exists": "is null",
}
_LISTED = {"in": "in", "not in": "not in"}


def term(graph: Graph, selector: Sequence[str]) -> str:
    """Return a reference as it is written in conditions: titles instead of ids, quoted if they are not simple names.

    Example:
        >>> from wfgate.documents import Document
        >>> term(Graph(Document("example")), ["sys", "user query"])
        'sys.`user query`'
    """
    node = graph.by_id.get(selector[0])
    first = [] if node is not None and node.type == "start" else [selector[0] if node is None else node.label]
    return ".".join(_quoted(part) for part in (*first, *selector[1:]))


def _quoted(part: str) -> str:
    if _NAME.fullmatch(part) and part.casefold() not in _RESERVED:
        return part
    return f"`{' '.join(part.split()).replace('`', '``')}`"


def written(graph: Graph, conditions: object, operator: object) -> str:
    """Return the conditions as one text, joined by the operator; "" if there are no conditions."""
    listed = [each for each in conditions if isinstance(each, dict)] if isinstance(conditions, list) else []
    parts = [_condition(graph, each) for each in listed]
    return f" {'or' if operator == 'or' else 'and'} ".join(parts)


def _condition(graph: Graph, condition: dict[str, Any]) -> str:
    selector, operator = condition.get("variable_selector"), condition.get("comparison_operator")
    value = condition.get("value")
    if not is_selector(selector) or not isinstance(operator, str) or condition.get("sub_variable_condition"):
        return _as_is(graph, condition)
    left = term(graph, selector)  # type: ignore[arg-type]
    if operator in _ASKED:
        return f"{left} {_ASKED[operator]}"
    if operator in _LISTED:
        values = value if isinstance(value, list) else [value]
        return f"{left} {_LISTED[operator]} [{', '.join(_literal(graph, each, numeric=False) for each in values)}]"
    meaning = _COMPARED.get(operator) or _TESTED.get(operator)
    if meaning is None or isinstance(value, list | dict):
        return _as_is(graph, condition)
    numeric = operator in _NUMERIC or (operator in _COMPARED and condition.get("varType") in ("number", "integer"))
    return f"{left} {meaning} {_literal(graph, value, numeric=numeric)}"


def _literal(graph: Graph, value: object, *, numeric: bool) -> str:
    selector = only_selector(value)
    if selector is not None and (selector[0] in graph.by_id or selector[0] in GIVEN):
        return term(graph, selector)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    said = str(value)
    if (numeric or isinstance(value, int | float)) and _NUMBER.fullmatch(said.strip()):
        return said.strip()
    escaped = said.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _as_is(graph: Graph, condition: dict[str, Any]) -> str:
    """Return a condition that cannot be translated as one opaque condition, with its words in order."""
    words: list[str] = []

    def collect(value: object, key: str = "") -> None:
        if isinstance(value, dict):
            for inner in ("variable_selector", "key", "comparison_operator", "value", "sub_variable_condition"):
                collect(value.get(inner), inner)
            listed = value.get("conditions")
            for at, each in enumerate(listed if isinstance(listed, list) else ()):
                words.extend(["or" if value.get("logical_operator") == "or" else "and"] if at else [])
                collect(each)
        elif key == "variable_selector" and is_selector(value):
            words.append(graph.called(value))  # type: ignore[arg-type]
        elif isinstance(value, list):
            for inner in value:
                collect(inner, key)
        elif value not in (None, ""):
            words.append(str(value))

    collect(condition)
    return label(" ".join(words) or "a condition")


def exits_of(graph: Graph, node: Node) -> dict[str, Exit]:
    """Return the outputs of a node by the handle of its edges."""
    if node.type == "if-else":
        return _cases(graph, node)
    if node.type == "question-classifier":
        classes = [each for each in _list(node, "classes") if isinstance(each, dict)]
        return dict(zip(_ids(classes, "id"), labelled([_name(each, "name", "id") for each in classes]), strict=True))
    if node.type == "human-input":
        actions = [each for each in _list(node, "user_actions") if isinstance(each, dict)]
        ways = labelled([_name(each, "title", "id") for each in actions])
        found = dict(zip(_ids(actions, "id"), ways, strict=True)) or {"source": Exit()}
        return found | {"__timeout": Exit(outcome="timeout")}
    strategy = node.data.get("error_strategy")
    usual: Outcome = "always" if strategy == "default-value" else "success"
    found = {"source": Exit(outcome=usual)}
    return found | ({"fail-branch": Exit(outcome="failure")} if strategy == "fail-branch" else {})


def _cases(graph: Graph, node: Node) -> dict[str, Exit]:
    cases = [each for each in _list(node, "cases") if isinstance(each, dict)]
    if not cases and "conditions" in node.data:
        cases = [{"case_id": "true", **node.data}]
    found = {}
    for at, case in enumerate(cases):
        text = written(graph, case.get("conditions"), case.get("logical_operator"))
        if not text:
            graph.say(node, "warning", f"a case of {node.title[:80]!r} has no condition", "cases", at)
        text = text or label(f"case {at + 1} of {node.label}")
        order = at + 1 if len(cases) > 1 else None
        found[_ids([case], "case_id", "id")[0]] = Exit((Guard(expr=text, order=order),))
    return found | {"false": Exit((Guard(default=True),))}


def unknown(graph: Graph, node: Node, handle: str) -> Exit:
    """Return an output that is never taken, for a handle that the node does not have."""
    message = f"{node.title[:80]!r} has no output {handle[:80]!r}, so this link is never taken"
    graph.say(node, "warning", message, fix="connect an output that the node has")
    return Exit((NEVER,))


def _list(node: Node, key: str) -> list[Any]:
    value = node.data.get(key)
    return value if isinstance(value, list) else []


def _ids(entries: list[dict[str, Any]], *keys: str) -> list[str]:
    return [next((str(each[key]) for key in keys if each.get(key) is not None), "") for each in entries]


def _name(entry: dict[str, Any], *keys: str) -> str:
    return next((entry[key] for key in keys if isinstance(entry.get(key), str) and entry[key].strip()), "unnamed")
