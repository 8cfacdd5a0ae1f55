"""Changes single values of real workflow files, and counts what the gate makes of each change.

usage: single_values.py [--changes N] [--format FORMAT]... [--show CLASS_OF_OUTCOME] [FOLDER]

A change replaces one value, removes one value or list item, or exchanges two list items. The position is random (with
a seed) over all values of the file, so long files do not dominate: each file gets the same number of changes. FOLDER
defaults to the corpora in `tests/formats/data`; files that no format reads are left out.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from wfgate.documents import document_of
from wfgate.errors import FormatError
from wfgate.formats import read_data
from wfgate.formats.consequences import Class, consequences_of
from wfgate.gating import CaseResult, Gate, Pair
from wfgate.gating.config import Config
from wfgate.gating.engine import load_gate

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "formats" / "data"
QUIET: tuple[Class, ...] = ("structure", "text", "presentation")
"""Classes of values whose change may pass: with a note, or because other checks find no change of the flow."""


@dataclass(frozen=True)
class Change:
    """One changed value: the data before and after, where, and how."""

    file: str
    format: str
    golden: Any
    candidate: Any
    path: tuple[str | int, ...]
    kind: str

    @property
    def value_class(self) -> Class:
        """Class of the value in the table of the format."""
        return consequences_of(self.format).class_of(self.path)


def data_files(folder: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield (name, format, data) of each file that is data and that a format reads."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".yaml", ".yml", ".json"} or not path.is_file():
            continue
        try:
            data = document_of(path.read_bytes().decode("utf-8-sig"), path.name).data
            if isinstance(data, dict | list):
                yield path.relative_to(folder).as_posix(), read_data(data, path.name).format, data
        except (FormatError, UnicodeDecodeError):
            continue


def changes(name: str, format_id: str, data: Any, count: int, rng: random.Random) -> Iterator[Change]:
    """Yield changes of one file at random positions, each of a random kind that fits the position."""
    places = list(_places(data, ()))
    for _ in range(count):
        path = rng.choice(places)
        candidate = copy.deepcopy(data)
        parent = _at(candidate, path[:-1])
        kinds = ["other", "drop"] if not isinstance(_at(data, path), dict | list) else ["drop"]
        ordered = isinstance(parent, list) and not consequences_of(format_id).is_unordered(path[:-1])
        if ordered and len({json.dumps(item) for item in parent}) > 1:
            kinds.append("exchange")
        kind = rng.choice(kinds)
        if kind == "other":
            parent[path[-1]] = _other(parent[path[-1]])
        elif kind == "drop":
            del parent[path[-1]]
        else:
            others = [at for at, item in enumerate(parent) if item != parent[path[-1]]]
            other = rng.choice(others)
            parent[path[-1]], parent[other] = parent[other], parent[path[-1]]
        yield Change(name, format_id, data, candidate, path[:-1] if kind == "exchange" else path, kind)


def outcome(gate: Gate, change: Change) -> tuple[str, CaseResult | None]:
    """Return what the gate makes of a change, in one word, and its result."""
    try:
        candidate = read_data(change.candidate, "candidate", change.format).workflow
    except FormatError:
        return "unreadable", None
    golden = read_data(change.golden, "golden", change.format).workflow
    result = gate.decide(Pair("change", (golden,), candidate))
    if result.verdict != "pass":
        return result.verdict, result
    return "noted" if any(not finding.pre_existing for finding in result.findings) else "silent", result


def measure(folder: Path, count: int, formats: Sequence[str] = (), seed: int = 0) -> Iterator[tuple[Change, str]]:
    """Yield every change of the files of a folder with its outcome."""
    gate = load_gate(Config(), date.min)
    for name, format_id, data in data_files(folder):
        if formats and format_id not in formats:
            continue
        rng = random.Random(f"{seed} {name}")
        for change in changes(name, format_id, data, count, rng):
            yield change, outcome(gate, change)[0]


OUTCOMES = ("silent", "noted", "inconclusive", "review", "block", "unreadable")


def single_values(folder: Path = DATA, count: int = 10, formats: Sequence[str] = (), show: str = "") -> None:
    """Print the outcomes per format, and how many passed although the value has an effect (wanted: none)."""
    print("## Single values changed in real files\n")
    print(f"{count} changes per file. Wanted: nothing silent, at most 10 % inconclusive, no passed effect.\n")
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for change, word in measure(folder, count, formats):
        found[change.format][word] += 1
        loud = change.value_class not in QUIET
        found[change.format]["passed effect"] += loud and word in {"silent", "noted"}
        if show and (word == show or (show == "passed" and loud and word in {"silent", "noted"})):
            value = _at(change.golden, change.path)
            where = ".".join(map(str, change.path))
            print(f"{change.file}: {change.kind} {where} ({change.value_class}): {str(value)[:60]!r}", file=sys.stderr)
    print(f"| format | n | {' | '.join(OUTCOMES)} | passed effect |")
    print("| --- " * (len(OUTCOMES) + 3) + "|")
    for format_id, counts in sorted(found.items()):
        total = sum(counts[word] for word in OUTCOMES)
        shares = " | ".join(f"{100 * counts[word] / total:.1f} %" for word in OUTCOMES)
        print(f"| {format_id} | {total} | {shares} | {counts['passed effect']} |")


def _places(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _places(inner, (*path, at))


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}-other" if isinstance(value, str) else "other"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=DATA, metavar="FOLDER")
    parser.add_argument("--changes", type=int, default=10, metavar="N")
    parser.add_argument("--format", action="append", default=[], dest="formats", metavar="FORMAT")
    parser.add_argument("--show", default="", metavar="OUTCOME", help='print these changes; "passed": passed effects')
    given = parser.parse_args()
    single_values(given.folder, given.changes, given.formats, given.show)


if __name__ == "__main__":
    main()
