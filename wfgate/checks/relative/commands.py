"""What a step calls or runs: actions, commands, scripts, images, addresses."""

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
"""Names of arguments that a machine obeys, in small letters without dashes; what stands below them counts, too."""
_DEPTH = 8
"""Levels of nested arguments that are compared."""
_SHOWN = 60


class CommandChanged(RelativeCheck):
    """A step runs something else.

    What it does:
        Compares what machines obey in the arguments of matched steps: commands, scripts, code, images, addresses,
        queries and the variables that they are given, letter by letter but for white space. Where they stand does not
        count, nor what no machine obeys (texts, prompts). And the action that they call, where both name one. What
        WR106 says of a value or an action is not repeated. An error if the golden says that the step is critical.

    Why it matters:
        A step can be called what the golden calls it, word for word, and run ``true``, or something from elsewhere.

    Golden:
        ``{name: Scan the image, params: {run: trivy image --exit-code 1 app}}``

    Candidate:
        ``{name: Scan the image, params: {run: trivy image app || true}}``

    How to fix:
        Restore the command, or look at it and approve the candidate.
    """

    id: ClassVar[str] = "WR107"
    defect: ClassVar[str] = "command-changed"
    severity: ClassVar[Severity] = "warning"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step for its action and one for its arguments."""
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
            told = {path for path, *_ in changed_values(golden.params, candidate.params, set())}
            gone = [text for path, text in was.items() if now.get(path) != text and path not in told]
            new = [text for path, text in now.items() if was.get(path) != text and path not in told]
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
    return f"now runs {now} instead of {was}" if gone else f"now runs {now}, too"


def _quoted(text: str) -> str:
    return f"`{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}`"


def _commands(params: Mapping[str, JsonValue]) -> dict[tuple[str, ...], str]:
    """Return what is obeyed, by the path of the argument."""
    found: dict[tuple[str, ...], str] = {}
    pending: list[tuple[tuple[str, ...], JsonValue, bool]] = [((), dict(params), False)]
    while pending:
        path, value, obeyed = pending.pop()
        if isinstance(value, dict) and len(path) < _DEPTH:
            keys = sorted(value, reverse=True)
            pending += [((*path, key), value[key], obeyed or _plain(key) in _RUNS) for key in keys]
        elif isinstance(value, list) and len(path) < _DEPTH:
            items = list(enumerate(value, start=1))
            pending += [((*path, str(place)), item, obeyed) for place, item in reversed(items)]
        elif obeyed and value is not None:
            found[path] = " ".join(f"{path[-1]}={value}".split() if "env" in path[:-1] else str(value).split())
    return found


def _plain(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "")
