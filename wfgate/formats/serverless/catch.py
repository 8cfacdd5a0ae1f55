"""What a `try` catches, under which condition, and how often it tries again."""

from dataclasses import dataclass, replace
from typing import Any

from wfgate.formats.fields import Fields
from wfgate.formats.serverless.tasks import condition
from wfgate.model import Guard, Loop, SourceSpan


@dataclass(frozen=True)
class Catch:
    """A catch: its condition, the task that handles the error, and its policy for trying again."""

    guard: Guard | None
    span: SourceSpan | None
    retry: Any = None
    handler: str | None = None

    @classmethod
    def of(cls, fields: Fields, task: str) -> "Catch":
        """Read the condition of a catch.

        The error is a value of its own task: two tasks that both can fail need not fail for the same reason.

        Raises:
            FormatError: If a condition is none.
        """
        errors = fields.value.get("errors")
        wanted = errors.get("with") if isinstance(errors, dict) else None
        subject = f"`error of {task.replace('`', ' ')}`"
        parts = [
            f"{subject}.{key} == {_literal(value)}"
            for key, value in (wanted.items() if isinstance(wanted, dict) else ())
            if isinstance(value, str | int | float | bool) and key.isidentifier()
        ]
        when, unless = condition(fields, "when"), condition(fields, "exceptWhen")
        parts += [when if not parts and unless is None else f"({when})"] if when else []
        parts += [f"not ({unless})"] if unless else []
        guard = Guard(expr=" and ".join(parts)) if parts else None
        return cls(guard, fields.document.span(*fields.path), fields.value.get("retry"))

    def to(self, handler: str) -> "Catch":
        """Return the catch with the task that handles the error."""
        return replace(self, handler=handler)

    def loop(self, policies: dict[str, Any]) -> Loop | None:
        """Return how often it is tried: once, and again as often as the policy allows."""
        if self.retry is None:
            return None
        policy = policies.get(self.retry) if isinstance(self.retry, str) else self.retry
        count: Any = policy
        for key in ("limit", "attempt", "count"):
            count = count.get(key) if isinstance(count, dict) else None
        limited = isinstance(count, int) and not isinstance(count, bool) and count >= 0
        return Loop(mode="until", condition="it succeeds", max=count + 1 if limited else None)


def _literal(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return str(value)
