"""What each family of rules and each package costs, and what the rules alone change: the price list in CONTRIBUTING.

Lines and tests are counted. The time to load is that of the package's own modules (the self time of `-X importtime`,
the smallest of some runs). The verdicts are those of the last results of section `ablation`.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import ablation
from accuracy import table

import wfgate
from wfgate.rules import CHECKS

ROOT = Path(__file__).parents[2]
PACKAGE = Path(wfgate.__file__).parent
RESULTS = Path(__file__).parent / "results" / "ablation.md"
RUNS = 3
"""How often everything is loaded."""
_LOAD = """
import contextlib, pkgutil, wfgate
for found in pkgutil.walk_packages(wfgate.__path__, "wfgate."):
    if "__main__" not in found.name:
        with contextlib.suppress(ImportError):
            __import__(found.name)  # not by importlib, which is not timed
"""


def prices() -> None:
    """Print the price list."""
    loading, changed = _loading(), _changed()
    expected = (ROOT / "tests" / "pairs").glob("*/expected.json")
    fired = [_fired(path) for path in expected]
    families: defaultdict[str, list[str]] = defaultdict(list)
    for check in CHECKS.values():
        families[type(check).__module__].append(check.id)
    for rule in ablation.RULES:
        if not rule.family.startswith("families"):
            families[f"wfgate.{rule.targets[0].partition(':')[0]}"].append(rule.key)
    rows = []
    for module, rules in families.items():
        checks = [rule for rule in rules if rule in CHECKS]
        functions = len(rules) - len(checks)
        count = sum(changed[rule] for rule in rules)
        silent = [rule for rule in checks if not changed[rule]]
        notes = f" (none by {', '.join(silent)})" if count and silent else ""
        rows.append(
            (
                f"`{_path(module)}`",
                ", ".join([*checks, *([f"{functions} other{'s' * (functions > 1)}"] if functions else [])]),
                f"{_lines(_file(module)):,}",
                f"{loading[module]:.1f}",
                str(sum(not each.isdisjoint(checks) for each in fired)) if checks else "-",
                f"{count:,}{notes}",
            )
        )
    head = (
        "rules in",
        "which",
        "lines",
        "ms to load",
        "test pairs with a finding",
        "verdicts that a rule alone changes",
    )
    table(head, sorted(rows))
    print()
    rows = []
    for folder in sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()):
        name = f"wfgate.{folder.name}"
        time = sum(value for module, value in loading.items() if f"{module}.".startswith(f"{name}."))
        lines = sum(map(_lines, folder.rglob("*.py")))
        tests = sum(map(_tests, (ROOT / "tests" / folder.name).rglob("test_*.py")))
        rows.append((lines, (f"`{folder.name}`", f"{lines:,}", f"{time:.0f}", str(tests))))
    table(("package", "lines", "ms to load", "test functions"), [row for _, row in sorted(rows, reverse=True)])


def _fired(path: Path) -> set[str]:
    """Return the checks that fire on a pair."""
    return {finding[0] for finding in json.loads(path.read_text("utf-8"))["findings"]}


def _loading() -> defaultdict[str, float]:
    """Return the milliseconds that each module of the package takes to load, without what it imports."""
    least: dict[str, float] = {}
    for _ in range(RUNS):
        taken: defaultdict[str, float] = defaultdict(float)
        command = [sys.executable, "-X", "importtime", "-c", _LOAD]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        for own, module in re.findall(r"(?m)^import time:\s+(\d+) \|\s+\d+ \|\s+(wfgate[\w.]*)$", said):
            taken[module] += int(own) / 1000  # a module is named twice if a package imports it by name
        least = {module: min(time, least.get(module, time)) for module, time in taken.items()}
    return defaultdict(float, least)


def _changed() -> "Counter[str]":
    """Return how many verdicts each rule alone changes."""
    rows = re.findall(r"(?m)^\| ([^|]+) \| [\d,]+ \|(.*->.*)\|$", RESULTS.read_text("utf-8"))
    if gone := {name for name, _ in rows} - {*CHECKS, *(rule.key for rule in ablation.RULES)}:
        raise SystemExit(f"{RESULTS.name} has rules of other names: {', '.join(sorted(gone))}")
    return Counter({name: sum(map(int, re.findall(r"-> \w+ (\d+)", cells))) for name, cells in rows})


def _file(module: str) -> Path:
    return PACKAGE.parent / f"{module.replace('.', '/')}.py"


def _path(module: str) -> str:
    return _file(module).relative_to(PACKAGE).as_posix()


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _tests(path: Path) -> int:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in nodes)


if __name__ == "__main__":
    prices()
