"""Writes the generated tables of the README, or checks that they are up to date.

usage: docs.py --write | --check
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wfgate.alignment.embedders import EMBEDDERS
from wfgate.alignment.meaning import MEANING_MODELS
from wfgate.checks import ABSOLUTE, RELATIVE
from wfgate.formats import FORMATS
from wfgate.gating import RUN_CHECKS
from wfgate.metrics import METRICS
from wfgate.perturb import PERTURBATIONS
from wfgate.registry import summary_of
from wfgate.report import REPORTERS

README = Path(__file__).parents[1] / "README.md"
TABLES: dict[str, Mapping[str, Any]] = {
    "metrics": METRICS,
    "checks": {**ABSOLUTE, **RELATIVE, **RUN_CHECKS},
    "perturbations": PERTURBATIONS,
    "formats": FORMATS,
    "embedders": EMBEDDERS,
    "meaning-models": MEANING_MODELS,
    "reporters": REPORTERS,
}


def table(entries: Mapping[str, Any]) -> str:
    """Return a Markdown table of ids and their one-sentence descriptions."""
    checks = all(hasattr(entry, "defect") for entry in entries.values())
    head = "| id | level | defect | what |\n| --- | --- | --- | --- |" if checks else "| id | what |\n| --- | --- |"
    rows = []
    for name, entry in entries.items():
        proven = ", proven" * getattr(entry, "proven", False)
        level = f" {entry.severity}{proven} | {entry.defect} |" if checks else ""
        rows.append(f"| `{name}` |{level} {summary_of(entry).replace('|', '&#124;')} |")
    return "\n".join([head, *rows])


def generated(text: str) -> str:
    """Return the README with all tables generated again."""
    for name, entries in TABLES.items():
        start, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
        before, found, rest = text.partition(start)
        if not found or end not in rest:
            raise SystemExit(f"{README.name}: no markers for the table {name!r}")
        text = f"{before}{start}\n{table(entries)}\n{end}{rest.split(end, 1)[1]}"
    return text


def main() -> None:
    """Write the tables, or check them."""
    text = README.read_text(encoding="utf-8")
    fresh = generated(text)
    if sys.argv[1:] == ["--write"]:
        README.write_text(fresh, encoding="utf-8")
    elif sys.argv[1:] != ["--check"]:
        raise SystemExit(__doc__)
    elif fresh != text:
        raise SystemExit("README.md is stale: run `make docs`")


if __name__ == "__main__":
    main()
