"""The outputs of a node: the condition or outcome under which data leave through each output."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wfgate.formats.builder import is_generated
from wfgate.formats.exits import NEVER, Exit, label, labelled
from wfgate.formats.n8n.document import Canvas, Node
from wfgate.model import Guard
from wfgate.model.workflow import Outcome

MAX_OUTPUTS = 64
"""Most outputs of one node that are distinguished; n8n allows fewer."""


@dataclass
class Outputs:
    """The outputs of a node.

    Attributes:
        numbered: The outputs by number, from 0.
        nowhere: Cases without an output, in which the flow ends.
    """

    numbered: dict[int, Exit] = field(default_factory=dict)
    nowhere: list[Exit] = field(default_factory=list)


def outputs_of(node: Node, canvas: Canvas, wired: int) -> Outputs:
    """Return the condition or outcome of each output of a node.

    Args:
        node: The node.
        canvas: The workflow, which also collects the diagnostics.
        wired: The number of outputs up to the last output with a connection.
    """
    usual: Outcome = "always" if node.on_error == "continueRegularOutput" else "success"
    exits = _DECISIONS.get(node.kind, _plain)(node, canvas, wired)
    if usual != "success":
        exits.numbered = {at: Exit(way.guards, usual, way.label) for at, way in exits.numbered.items()}
        exits.nowhere = [Exit(way.guards, usual, way.label) for way in exits.nowhere]
    if node.on_error == "continueErrorOutput":
        exits.numbered[max(exits.numbered, default=-1) + 1] = Exit(outcome="failure")
    for output in range(min(wired, MAX_OUTPUTS)):
        if output not in exits.numbered:
            message = f"{node.name[:80]!r} has no output {output + 1}, so this link is never taken"
            fix = "connect an output that the node has"
            if output == max(exits.numbered, default=0) + 1 and node.kind not in _DECISIONS:
                fix = 'set "onError": "continueErrorOutput" on the node if this output is meant for errors'
            canvas.say(node, "warning", message, fix=fix)
            exits.numbered[output] = Exit((NEVER,), usual)
    return exits


def _labelled(names: list[str], nowhere: str = "") -> Outputs:
    return Outputs(dict(enumerate(labelled(names))), [Exit(label=label(nowhere))] if nowhere else [])


def _plain(node: Node, canvas: Canvas, wired: int) -> Outputs:
    """Return one output. If the node has more connected outputs, the condition of each is unknown."""
    error = node.on_error == "continueErrorOutput"
    regular = max(1, wired - error) if not _is_known(node) else 1
    if regular > 1:
        message = f"how {node.name[:80]!r} chooses one of its {regular} outputs is unknown"
        canvas.say(node, "info", message)
        return _labelled([f"output {at + 1}" for at in range(min(regular, MAX_OUTPUTS))])
    return Outputs({0: Exit()})


def _is_known(node: Node) -> bool:
    """Whether the type of a node is a common type with one output."""
    return node.kind in _ONE_OUTPUT


def _if(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    return Outputs({0: Exit((_condition(node, canvas),)), 1: Exit((Guard(default=True),))})


def _filter(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    return Outputs({0: Exit((_condition(node, canvas),))}, [Exit((Guard(default=True),))])


def _condition(node: Node, canvas: Canvas) -> Guard:
    """Return the condition of an If or Filter node, including the operator between its parts."""
    conditions = node.params.get("conditions")
    if isinstance(conditions, str):
        return Guard(expr=conditions, language="n8n")
    if isinstance(conditions, dict) and isinstance(conditions.get("conditions"), list):
        return Guard(expr=_rule(conditions), language="n8n")
    if not isinstance(conditions, dict) or not conditions:
        canvas.say(node, "warning", f"{node.name[:80]!r} has no condition", fix="add one")
        return Guard(expr=label(f"the condition of {node.name}"))
    kept = {"conditions": conditions}
    if "combineOperation" in node.params:
        kept["combineOperation"] = node.params["combineOperation"]
    return Guard(expr=_json(kept), language="n8n")


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


def _rule(conditions: dict[str, Any]) -> str:
    return _json(_evaluated(conditions))


def _evaluated(conditions: dict[str, Any]) -> dict[str, Any]:
    """Return conditions without the entries that do not affect their value: ids, and names for the editor."""
    kept: dict[str, Any] = {"conditions": [_lean(each) for each in conditions["conditions"]]}
    if "combinator" in conditions:
        kept["combinator"] = conditions["combinator"]
    options = conditions.get("options")
    if isinstance(options, dict) and options.get("caseSensitive") is False:
        kept["options"] = {"caseSensitive": False}
    return kept


def _lean(condition: object) -> object:
    if not isinstance(condition, dict):
        return condition
    operator = condition.get("operator")
    if isinstance(operator, dict):
        operator = {key: operator[key] for key in ("type", "operation") if key in operator}
    kept = {key: condition[key] for key in ("leftValue", "rightValue") if key in condition}
    return kept | ({"operator": operator} if "operator" in condition else {})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _switch(node: Node, canvas: Canvas, wired: int) -> Outputs:
    if node.params.get("mode") == "expression":
        key = "numberOutputs" if "numberOutputs" in node.params else "outputsAmount"
        asked = node.params.get(key, 4)
        count = asked if isinstance(asked, int) and 0 < asked <= MAX_OUTPUTS else 4
        return _labelled([f"output {at}" for at in range(max(count, min(wired, MAX_OUTPUTS)))])
    rules = node.params.get("rules")
    listed = (rules.get("values") or rules.get("rules")) if isinstance(rules, dict) else None
    every = _options(node).get("allMatchingOutputs") is True
    guards: dict[int, list[Guard]] = {}
    given = [rule for rule in listed or [] if isinstance(rule, dict)] if isinstance(listed, list) else []
    for at, rule in enumerate(given[:MAX_OUTPUTS]):
        output = rule.get("output", at) if node.version < 2 else at
        if not isinstance(output, int) or not 0 <= output < MAX_OUTPUTS:
            output = at
        guards.setdefault(output, []).append(
            Guard(expr=_rule_text(node, rule), language="n8n", order=None if every else at + 1)
        )
    if not given:
        canvas.say(node, "warning", f"{node.name[:80]!r} has no rules", fix="add a rule for each output")
        return _labelled([f"output {at}" for at in range(max(1, min(wired, MAX_OUTPUTS)))], "another output")
    fallback = _options(node).get("fallbackOutput", node.params.get("fallbackOutput", "none"))
    default = Guard(default=True)
    exits = Outputs()
    if fallback == "extra":
        guards[len(given)] = [default]
    elif isinstance(fallback, int) and not isinstance(fallback, bool) and 0 <= fallback < MAX_OUTPUTS:
        guards.setdefault(fallback, []).append(default)
    else:
        exits.nowhere.append(Exit((default,)))
    outputs = range(4) if node.version < 2 else ()
    exits.numbered = {at: Exit(tuple(found)) for at, found in sorted(guards.items())}
    for at in outputs:
        exits.numbered.setdefault(at, Exit((NEVER,)))
    return exits


def _rule_text(node: Node, rule: dict[str, Any]) -> str:
    conditions = rule.get("conditions")
    if isinstance(conditions, dict) and isinstance(conditions.get("conditions"), list):
        return _rule(conditions)
    kept: dict[str, Any] = {"value1": node.params.get("value1", ""), "dataType": node.params.get("dataType", "number")}
    return _json(kept | {key: rule[key] for key in ("operation", "value2") if key in rule})


def _loop(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    if node.version < 2:
        return _labelled(["loop"], "done")
    return _labelled(["loop", "done"] if node.version < 3 else ["done", "loop"])


def loop_output(node: Node) -> int | None:
    """Return the output through which a node returns the next items of its loop; None if the node is not a loop."""
    if node.kind != "splitInBatches":
        return None
    return 1 if node.version >= 3 else 0


def _classifier(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    categories = node.params.get("categories")
    listed = categories.get("categories") if isinstance(categories, dict) else None
    names = [
        str(each.get("category", "")).removeprefix("=")
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ][:MAX_OUTPUTS]
    if _options(node).get("fallback") == "other":
        return _classes(node, [*names, "none of the categories"])
    return _classes(node, names, "none of the categories")


def _classes(node: Node, names: list[str], nowhere: str = "") -> Outputs:
    if _options(node).get("multiClass") is not True:
        return _labelled(names, nowhere)
    ways = {at: Exit((Guard(expr=way.label),)) for at, way in enumerate(labelled(names))}
    return Outputs(ways, [Exit((Guard(default=True),))] if nowhere else [])


def _sentiment(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    said = _options(node).get("categories")
    names = [name.strip() for name in said.split(",")] if isinstance(said, str) and said.strip() else []
    return _labelled((names or ["Positive", "Neutral", "Negative"])[:MAX_OUTPUTS])


def _compare(node: Node, canvas: Canvas, wired: int) -> Outputs:  # noqa: ARG001
    return Outputs({at: Exit() for at in range(4)})


def _named(*names: str) -> Callable[[Node, Canvas, int], Outputs]:
    return lambda node, canvas, wired: _labelled(list(names))  # noqa: ARG005


def _options(node: Node) -> Mapping[str, Any]:
    options = node.params.get("options")
    return options if isinstance(options, dict) else {}


_EDITOR = frozenset({"__rl", "cachedResultUrl"})
_ONE_OUTPUT = frozenset({"set", "code", "function", "httpRequest", "noOp", "wait", "merge", "aggregate", "splitOut"})
_DECISIONS: Mapping[str, Callable[[Node, Canvas, int], Outputs]] = {
    "if": _if,
    "filter": _filter,
    "switch": _switch,
    "splitInBatches": _loop,
    "textClassifier": _classifier,
    "sentimentAnalysis": _sentiment,
    "compareDatasets": _compare,
    "guardrails": _named("pass", "fail"),
}
