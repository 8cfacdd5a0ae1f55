"""The output of `wfgate rules`: what each own rule matches today."""

import inspect
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from wfgate.decide import GateResult
from wfgate.model import place_in, read
from wfgate.rules import NamedStep, PlacedRule, StepFinder, Subjected
from wfgate.show.escape import visible

WIDTH = 80
OWN_RULE = "WO001"
_HOW = {"words": "same words", "meaning": "meaning"}


def rules_record(file: str, rules: Sequence[PlacedRule], sides: dict[str, Subjected]) -> dict[str, Any]:
    """Return what the rules of a golden match, as data.

    Args:
        file: The golden.
        rules: Its rules.
        sides: The workflows to show by side ("golden", "candidate").
    """
    return {"golden": file, "rules": [_rule(one, sides) for one in rules]}


def _rule(one: PlacedRule, sides: dict[str, Subjected]) -> dict[str, Any]:
    return {
        "id": one.rule.id,
        "place": one.place,
        "kind": one.rule.kind,
        "steps": [
            {
                "named": str(step),
                **{side: _matches(each.finder, step) for side, each in sides.items()},
            }
            for step in one.rule.steps
        ],
        "broken": {
            side: [read(breach.message).text for breach in each.breaches(one.rule)] for side, each in sides.items()
        },
    }


def _matches(finder: StepFinder, named: NamedStep) -> list[dict[str, Any]]:
    matches = []
    for match in finder.every(named):
        task = finder.workflow.tasks[match.step]
        place = {"file": getattr(task.span, "file", None), "line": task.span.line if task.span else None}
        matches.append({"name": task.name, **place, "how": match.how, "p_value": match.p_value})
    return matches


def rules_text(records: Sequence[dict[str, Any]]) -> str:
    """Return the records as text, at most 80 columns wide."""
    return "\n".join(line for record in records for line in _lines(record))


def _lines(record: dict[str, Any]) -> Iterator[str]:
    count = len(record["rules"])
    yield from _wrapped(0, f"{record['golden']}: {count or 'no'} {'rule' if count == 1 else 'rules'}")
    for rule in record["rules"]:
        yield from _wrapped(2, f"{rule['id']}: {rule['kind'].replace('_', ' ')} ({rule['place']})")
        for step in rule["steps"]:
            yield from _wrapped(4, step["named"])
            for side, matches in ((side, each) for side, each in step.items() if side != "named"):
                for match in matches:
                    chance = "" if match["p_value"] is None else f", p = {match['p_value']:.2g}"
                    line = "" if match["line"] is None else f"line {match['line']}, "
                    line = f"{match['file']}, {line}" if match["file"] else line
                    how = _HOW.get(match["how"], match["how"])
                    yield from _wrapped(6, f"{side}: '{match['name']}' ({line}{how}{chance})")
                if not matches:
                    yield from _wrapped(6, f"{side}: no step")
        for side, messages in rule["broken"].items():
            for message in messages:
                yield from _wrapped(4, f"broken by the {side}: {message}")


def _wrapped(indent: int, text: str) -> list[str]:
    return wrap(
        visible(" ".join(text.split()), 1000),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    )


def rule_page(one: PlacedRule) -> str:
    """Return what a rule demands, as `wfgate explain` shows it."""
    rule, kind = one.rule, one.rule.kind
    title = f"{rule.id} own rule, {rule.verdict} ({one.place})"
    meanings = re.search(rf"(?ms)^    {kind}: (.*?)(?=^    \w+: |\Z)", inspect.getdoc(type(rule)) or "")
    value = "" if kind not in {"only_if", "at_least"} else f" {getattr(rule, kind)}"
    lines = [*_wrapped(0, title), "=" * min(len(title), WIDTH)]
    lines += _wrapped(0, f"{kind}{value}: {meanings[1] if meanings else ''}")
    lines += [line for step in rule.steps for line in _wrapped(4, str(step))]
    lines += _wrapped(0, f"Because: {rule.because}") if rule.because else []
    lines += _wrapped(0, f"Cases: {rule.cases}") if rule.cases != "*" else []
    return "\n".join([*lines, *_wrapped(0, "`wfgate rules GOLDEN` shows which steps it matches.")]) + "\n"


def rule_text(rule: str, result: GateResult) -> str:
    """Return what a result says about an own rule; empty if it is not broken in it."""
    lines = []
    for case in result.cases:
        for finding in case.findings:
            if finding.id == OWN_RULE and finding.defect == rule:
                lines += _wrapped(0, f"{case.id}: {finding.message}")
                for file, span in ((case.candidate, finding.location), (case.golden, finding.golden_location)):
                    if span is not None:
                        lines += _wrapped(2, f"at {place_in(file, span)}")
                titles = ("rule", "certainty", "how to fix")
                for title, said in zip(titles, finding.witness, strict=False):
                    lines += _wrapped(2, f"{title}: {said}")
    return "\n".join(lines)
