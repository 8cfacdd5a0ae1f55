"""Proposes which steps of the approved workflows are critical."""

import json
import re
from collections.abc import Iterable, Mapping

from wfgate.model import Workflow

_WORDS = ("approv", "backup", "back up", "mfa", "rollback", "roll back", "scan", "sign off", "sign-off")
"""What steps say that protect others."""
PROPOSED = tuple(f"*{word}*" for word in _WORDS)
"""The patterns that are proposed without approved workflows: for steps of workflows to come."""
_NEGATED = re.compile(r"\b(?:no|not|never|none|without|skip\w*|optional\w*|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_NONE = "# No approved step has the words " + ", ".join(_WORDS) + ": name your critical steps here."
_GLOB = re.compile(r"[*?\[]")


def critical_patterns(goldens: Mapping[str, Workflow]) -> str:
    """Return the setting `critical`: a pattern for each word that protects, with the steps that it matches.

    With approved workflows, a pattern is proposed only if it matches a step. If it also matches a step that says the
    opposite ("no approval needed"), the names of the other steps are the patterns.

    Args:
        goldens: The approved workflows, by file.

    Example:
        >>> from wfgate.model import Task
        >>> steps = Task(id="a", name="Approve the plan"), Task(id="b", name="Deploy")
        >>> print(critical_patterns({"approved/deploy.yaml": Workflow(tasks=steps)}))
        critical = [
          "*approv*",
          #   approved/deploy.yaml: Approve the plan
        ]
    """
    if not goldens:
        return f"critical = {json.dumps(PROPOSED)}"
    parts = [(file, part) for file, golden in goldens.items() for part in (golden, *golden.subworkflows)]
    named = [(file, " ".join(task.name.split())) for file, part in parts for task in part.tasks]
    lines: list[str] = []
    for word in _WORDS:
        steps = [(file, name) for file, name in named if word in name.casefold()]
        meant = [(file, name) for file, name in steps if not _NEGATED.search(name)]
        names = {name for _, name in meant} if len(meant) < len(steps) else {f"*{word}*"} if meant else set()
        patterns = [name if name.startswith("*") else _GLOB.sub(r"[\g<0>]", name) for name in sorted(names)]
        lines += [f"  {json.dumps(pattern, ensure_ascii=True)}," for pattern in patterns]
        lines += _comments(meant) if names else []
    return "\n".join(["critical = [", *lines, "]"]) if lines else f"{_NONE}\ncritical = []"


def _comments(steps: Iterable[tuple[str, str]]) -> list[str]:
    """Return the steps that a pattern matches as comments: printable characters only."""
    lines = dict.fromkeys(f"  #   {file}: {name}" for file, name in steps)
    return ["".join(char if char.isprintable() else "?" for char in line) for line in lines]
