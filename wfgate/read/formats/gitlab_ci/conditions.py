"""When a job runs: `rules`, `only`, `except` and `when`, as one condition for each way to start the job."""

import json
from collections.abc import Iterable
from typing import Any, Literal

from wfgate.model import Guard
from wfgate.read.formats.gitlab_ci.shapes import GitlabJob, JobRule, Refs

After = Literal["success", "failure", "always"]
"""The outcome of the earlier jobs after which a job runs."""
Value = bool | str
"""A condition: a constant, or an expression in the plain language."""
_AFTER: dict[str, After] = {"on_failure": "failure", "always": "always"}
_HAND = "a person starts the job"


def ways_of(job: GitlabJob) -> dict[After, Value]:
    """Return the condition of the job for each outcome of earlier jobs after which it can run.

    Of `rules`, the first one that holds decides. A job that a person starts, and for which the pipeline does not wait,
    has this as a part of its condition.

    Example:
        >>> rules = [{"if": "$A", "when": "never"}, {"if": "$B == '1'"}, {"when": "on_failure"}]
        >>> ways_of(GitlabJob.model_validate({"rules": rules}))
        {'success': "not ($A) and $B == '1'", 'failure': "not ($A) and not ($B == '1')"}
    """
    rules = job.rules
    if rules is None:
        rules = (JobRule(when=job.when),)
        listed = _both(_given(job.only, empty=True), _not(_given(job.except_, empty=False)))
    else:
        listed = True
    whens = [rule.when or job.when for rule in rules]
    ways: dict[After, Value] = {}
    for after in ("success", "failure", "always"):
        condition: Value = False
        for rule, when in zip(reversed(rules), reversed(whens), strict=True):
            holds = _holds(rule)
            if when == "never" or _AFTER.get(when, "success") != after:
                condition = _both(_not(holds), condition)
            elif when == "manual" and is_optional(rule, job):
                condition = _either(_both(holds, f"«{_HAND}»"), _both(_not(holds), condition))
            else:
                condition = _either(holds, condition)
        condition = _both(listed, condition)
        if condition is not False:
            ways[after] = condition
    return ways


def is_optional(rule: JobRule, job: GitlabJob) -> bool:
    """Return whether the pipeline does not wait for a manual job: the default only without `rules`."""
    allowed = job.allow_failure if rule.allow_failure is None else rule.allow_failure
    return bool(allowed) if allowed is not None else job.rules is None


def guard_of(value: Value) -> Guard | None:
    """Return the guard of a link for a condition; None if it is always true."""
    return None if value is True else Guard(expr=value if isinstance(value, str) else "false")


def _holds(rule: JobRule) -> Value:
    parts: list[Value] = [] if rule.if_ is None else [rule.if_.strip() or False]
    parts += [] if rule.changes is None else [_opaque("files changed", rule.changes)]
    parts += [] if rule.exists is None else [_opaque("files exist", rule.exists)]
    return _all(parts)


def _given(refs: Refs | None, *, empty: bool) -> Value:
    """Return the condition of `only` (all parts hold) or `except` (one part holds)."""
    if refs is None:
        return empty
    parts: list[Value] = [any_of(refs.variables)] if refs.variables else []
    named = {"ref is one of": list(refs.refs), "files changed": refs.changes, "kubernetes is": refs.kubernetes}
    parts += [_opaque(name, value) for name, value in named.items() if value]
    if not parts:
        return empty
    return _all(parts) if empty else any_of(parts)


def _opaque(name: str, value: Any) -> str:
    """Return a condition that is not analysed."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, dict | list) else str(value)
    return f"«{name} {text.replace('«', ' ').replace('»', ' ')}»"


def _all(parts: Iterable[Value]) -> Value:
    condition: Value = True
    for part in parts:
        condition = _both(condition, part)
    return condition


def any_of(parts: Iterable[Value]) -> Value:
    """Return the condition that one of the parts holds."""
    condition: Value = False
    for part in parts:
        condition = _either(condition, part)
    return condition


def _not(value: Value) -> Value:
    return not value if isinstance(value, bool) else f"not ({value})"


def _both(one: Value, other: Value) -> Value:
    if isinstance(one, bool):
        return other if one else False
    if isinstance(other, bool):
        return one if other else False
    return f"{_closed(one)} and {_closed(other)}"


def _either(one: Value, other: Value) -> Value:
    if isinstance(one, bool):
        return True if one else other
    if isinstance(other, bool):
        return True if other else one
    return f"{one} or {other}"


def _closed(text: str) -> str:
    """Return an expression in parentheses if it contains an `or`, which binds less than `and`."""
    return f"({text})" if "||" in text or " or " in text else text
