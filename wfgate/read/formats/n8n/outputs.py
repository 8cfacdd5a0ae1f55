"""The outputs of a node: the condition or outcome under which data leave through each output."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wfgate.model import Guard
from wfgate.read.formats.builder import is_generated
from wfgate.read.formats.exits import NEVER, Exit, Output, label, labelled
from wfgate.read.formats.n8n.canvas import Canvas
from wfgate.read.formats.n8n.shapes import N8nNode

MAX_OUTPUTS = 64
"""Most outputs of one node that are distinguished; n8n allows fewer."""

_NOWHERE = -1
"""Number of the cases without an output, in which the flow ends."""
_FIRST = ("conditions", "combineOperation", "value1", "dataType", "operation", "value2")
"""Parameters of conditions in the first versions."""
_ELSE = Exit((Guard(default=True),))
_EDITOR = frozenset({"__rl", "cachedResultUrl"})
_ONE_OUTPUT = frozenset({"set", "code", "function", "httpRequest", "noOp", "wait", "merge", "aggregate", "splitOut"})


def outputs_of(node: N8nNode, canvas: Canvas, wired: Sequence[Output]) -> dict[Output, Exit]:
    """Return the condition or outcome of each output of a node, by its number. `wired` are the connected outputs."""
    last = max((output for output in wired if isinstance(output, int)), default=-1)
    has_error = node.error == "continueErrorOutput"
    regular = min(last + 1, MAX_OUTPUTS) - has_error
    ways = _regular(node, canvas, max(1, regular)) if wired else {0: Exit()}
    exits: dict[Output, Exit] = {at: replace(way, outcome=node.outcome) for at, way in ways.items()}
    return exits | ({max(ways) + 1: Exit(outcome="failure")} if has_error else {})


def _regular(node: N8nNode, canvas: Canvas, wired: int) -> dict[int, Exit]:
    if node.kind in ("if", "filter"):
        return {0: Exit((_condition(node, canvas),)), 1 if node.kind == "if" else _NOWHERE: _ELSE}
    if node.kind == "switch" and node.flow.mode != "expression":
        return _switch(node, canvas, wired)
    if node.kind == "compareDatasets":
        return {at: Exit() for at in range(4)}
    names, nowhere = _names(node, wired)
    if not names and node.kind not in _ONE_OUTPUT and wired > 1:
        message = f"how {node.name[:80]!r} chooses one of its {wired} outputs is unknown"
        canvas.say(node.path, "info", message)
        names = [f"output {at + 1}" for at in range(wired)]
    ways = dict(enumerate(labelled(names))) or {0: Exit()}
    if node.kind == "textClassifier" and node.flow.options.several:
        ways = {at: Exit((Guard(expr=way.label),)) for at, way in ways.items()}
        return ways | ({_NOWHERE: _ELSE} if nowhere else {})
    return ways | ({_NOWHERE: Exit(label=label(nowhere))} if nowhere else {})


def _names(node: N8nNode, wired: int) -> tuple[list[str], str]:
    """Return the names of the outputs that only names tell apart, and of the case without an output, or ""."""
    options = node.flow.options
    match node.kind:
        case "switch":
            count = node.flow.outputs if 0 < node.flow.outputs <= MAX_OUTPUTS else 4
            named = [f"output {at}" for at in range(max(count, wired))], ""
        case "splitInBatches" if node.version < 2:
            named = ["loop"], "done"
        case "splitInBatches":
            named = ["done", "loop"] if node.version >= 3 else ["loop", "done"], ""
        case "textClassifier":
            names = [str(each.get("category", "")).removeprefix("=") for each in node.flow.categories[:MAX_OUTPUTS]]
            other = "none of the categories"
            named = ([*names, other], "") if options.fallback == "other" else (names, other)
        case "sentimentAnalysis":
            given = options.categories if options.categories.strip() else "Positive, Neutral, Negative"
            named = [name.strip() for name in given.split(",")[:MAX_OUTPUTS]], ""
        case "guardrails":
            named = ["pass", "fail"], ""
        case _:
            named = [], ""
    return named


def _condition(node: N8nNode, canvas: Canvas) -> Guard:
    """Return the condition of an If or Filter node, including the operator between its parts."""
    conditions = node.params.get("conditions")
    if isinstance(conditions, str):
        return Guard(expr=conditions, language="n8n")
    if not isinstance(conditions, dict) or not conditions:
        canvas.say(node.path, "warning", f"{node.name[:80]!r} has no condition", "add one")
        return Guard(expr=label(f"the condition of {node.name}"))
    return _guard(node.params)


def _guard(params: dict[str, Any], order: int | None = None) -> Guard:
    """Return the condition in the parameters of a node or in a rule; all of its parts, in the first versions."""
    conditions = params.get("conditions")
    new = isinstance(conditions, dict) and isinstance(conditions.get("conditions"), list)
    value = _evaluated(conditions) if new else _only(params, *_FIRST)
    return Guard(expr=json.dumps(value, ensure_ascii=False), language="n8n", order=order)


def parameters(value: Any) -> Any:
    """Return parameters without the entries that only the editor uses: ids, addresses of chosen resources, versions.

    Example:
        >>> parameters({"sheet": {"__rl": True, "mode": "list", "value": "gid=0", "cachedResultUrl": "https://..."}})
        {'sheet': {'mode': 'list', 'value': 'gid=0'}}
    """
    if isinstance(value, list):
        return [parameters(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("conditions"), list):
        value = _evaluated(value)
    kept = {key: inner for key, inner in value.items() if key not in _EDITOR and (key, inner) != ("options", {})}
    return {key: parameters(inner) for key, inner in kept.items() if key != "id" or not is_generated(inner)}


def _evaluated(conditions: Any) -> dict[str, Any]:
    """Return conditions without the entries that do not affect their value: ids, and names for the editor."""
    lean = [_only(each, "leftValue", "rightValue", "operator") for each in conditions["conditions"]]
    for each in lean:
        if isinstance(each, dict) and "operator" in each:
            each["operator"] = _only(each["operator"], "type", "operation")
    case = _only(conditions.get("options"), "caseSensitive") == {"caseSensitive": False}
    options = {"options": {"caseSensitive": False}} if case else {}
    return {"conditions": lean, **_only(conditions, "combinator"), **options}


def _only(value: Any, *keys: str) -> Any:
    return {key: value[key] for key in keys if key in value} if isinstance(value, dict) else value


def _switch(node: N8nNode, canvas: Canvas, wired: int) -> dict[int, Exit]:
    rules = node.flow.rules[:MAX_OUTPUTS]
    if not rules:
        canvas.say(node.path, "warning", f"{node.name[:80]!r} has no rules", "add a rule for each output")
        exits = dict(enumerate(labelled([f"output {at}" for at in range(wired)])))
        return exits | {_NOWHERE: Exit(label=label("another output"))}
    first = node.version < 2
    common = {"value1": "", "dataType": "number"} | _only(node.params, *_FIRST)
    guards: dict[int, list[Guard]] = {at: [] for at in range(4 if first else 0)}
    for at, rule in enumerate(rules):
        output = rule.get("output", at) if first else at
        if not isinstance(output, int) or not 0 <= output < MAX_OUTPUTS:
            output = at
        order = None if node.flow.options.all_matching else at + 1
        guards.setdefault(output, []).append(_guard(common | rule, order))
    fallback = node.flow.options.fallback
    fallback = node.flow.fallback if fallback is None else fallback
    if fallback == "extra":
        fallback = len(rules)
    lost = {_NOWHERE: _ELSE}
    if isinstance(fallback, int) and 0 <= fallback < MAX_OUTPUTS:
        guards.setdefault(fallback, []).append(Guard(default=True))
        lost = {}
    return {at: Exit(tuple(given) or (NEVER,)) for at, given in sorted(guards.items())} | lost
