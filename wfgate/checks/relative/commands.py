"""Check of what a step calls or runs: actions, commands, scripts, images, addresses."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import JsonValue

from wfgate.alignment import Comparison
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed, quoted
from wfgate.checks.relative.meaning import changed_values, opposite_actions

_RUNS = frozenset(
    {
        "run",
        "command",
        "commands",
        "cmd",
        "args",
        "script",
        "scripts",
        "source",
        "code",
        "jscode",
        "pythoncode",
        "functioncode",
        "shell",
        "entrypoint",
        "image",
        "container",
        "sql",
        "query",
        "url",
        "uri",
        "endpoint",
        "env",
        "environment",
    }
)
"""Names of arguments whose values are executed, in lower case without dashes; nested values count too."""
_DEPTH = 8
"""Levels of nested arguments that are compared."""
_SHOWN = 60


class CommandChanged(RelativeCheck):
    """A step runs something else.

    What it does:
        Compares the executable arguments of matched steps: commands, scripts, code, images, addresses, queries and
        their variables. They must be equal in every character except white space; their position in the step does not
        count. Also compares the actions of the steps if both steps have one. Other texts, such as prompts, are not
        compared. Changes reported by WR106 are not repeated. The finding is an error if the step is critical in the
        golden.

    Why it matters:
        A step can keep its name but run ``true``, or code from another source.

    Golden:
        ``{name: Scan the image, params: {run: trivy image --exit-code 1 app}}``

    Candidate:
        ``{name: Scan the image, params: {run: trivy image app || true}}``

    How to fix:
        Restore the command, or review the new command and approve the candidate.
    """

    id: ClassVar[str] = "WR107"
    defect: ClassVar[str] = "command-changed"
    severity: ClassVar[Severity] = "warning"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield at most two observations per step: one for the action, one for the arguments."""
        for position, other in comparison.pairs:
            golden, candidate = comparison.golden.tasks[position], comparison.candidate.tasks[other]
            severity: Severity | None = "error" if golden.critical else None
            called = [" ".join((task.action or "").casefold().split()) for task in (golden, candidate)]
            if all(called) and called[0] != called[1] and not opposite_actions(golden, candidate):
                yield Observation(
                    f"{quoted(golden)} now calls {_quoted(candidate.action or '')} instead of "
                    f"{_quoted(golden.action or '')}",
                    golden=(position,),
                    key=("action", *called),
                    severity=severity,
                    golden_value=golden.action,
                    candidate_value=candidate.action,
                )
            was, now = _commands(golden.params), _commands(candidate.params)
            if sorted(was.values()) == sorted(now.values()):
                continue
            reported = {path for path, *_ in changed_values(golden.params, candidate.params, set())}  # by WR106
            gone = [text for path, text in was.items() if now.get(path) != text and path not in reported]
            new = [text for path, text in now.items() if was.get(path) != text and path not in reported]
            if gone or new:
                yield Observation(
                    f"{quoted(golden)} {_words(gone, new)}",
                    golden=(position,),
                    key=("command", *gone, "now", *new),
                    severity=severity,
                )


def _words(gone: list[str], new: list[str]) -> str:
    was, now = (listed([_quoted(text) for text in texts]) for texts in (gone, new))
    if not new:
        return f"no longer runs {was}"
    return f"now runs {now} instead of {was}" if gone else f"now also runs {now}"


def _quoted(text: str) -> str:
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}`"


def _commands(params: Mapping[str, JsonValue]) -> dict[tuple[str, ...], str]:
    """Return the executable values by argument path."""
    found: dict[tuple[str, ...], str] = {}
    pending: list[tuple[tuple[str, ...], JsonValue, bool]] = [((), dict(params), False)]
    while pending:
        path, value, executed = pending.pop()
        if isinstance(value, dict) and len(path) < _DEPTH:
            keys = sorted(value, reverse=True)
            pending += [((*path, key), value[key], executed or _plain(key) in _RUNS) for key in keys]
        elif isinstance(value, list) and len(path) < _DEPTH:
            items = list(enumerate(value, start=1))
            pending += [((*path, str(place)), item, executed) for place, item in reversed(items)]
        elif executed and value is not None:
            found[path] = " ".join(f"{path[-1]}={value}".split() if "env" in path[:-1] else str(value).split())
    return found


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
