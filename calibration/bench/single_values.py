"""Changes single values of real workflow files, and counts what the gate makes of each change.

usage: single_values.py [--changes N] [--format FORMAT]... [--half even|odd] [--show OUTCOME] [FOLDER]

A change replaces one value, removes one value or list item, or exchanges two list items. The position is random (with
a seed) over all values of the file; each file gets the same number of changes, so long files do not dominate. Each
file is also written in another way that means the same: other key order, other layout. FOLDER defaults to the corpora
in `tests/read/formats/data`; files that no format reads are left out. `--half odd` takes every second file of each
folder.
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

from wfgate.compare import leaves_of
from wfgate.decide import CaseResult, Pair
from wfgate.errors import FormatError
from wfgate.model import Workflow, fingerprint
from wfgate.read import CLASSES, Class, canonical_text, consequences_of, document_of, read_data, read_text
from wfgate.run import Config, Gate, load_gate

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "read" / "formats" / "data"
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
        """Class of the value in the table of the format; of a subtree, the most serious class in it."""
        table = consequences_of(self.format)
        leaves = leaves_of(_at(self.golden, self.path), table.place(self.golden, self.path))
        effects = [leaf for leaf, value in leaves if self.kind != "drop" or not table.is_default(leaf, value)]
        return min(map(table.class_of, effects), key=CLASSES.index, default="presentation")


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
    table = consequences_of(format_id)
    places = list(_places(data, ()))
    for _ in range(count):
        path = rng.choice(places)
        candidate = copy.deepcopy(data)
        parent = _at(candidate, path[:-1])
        kinds = ["other", "drop"] if not isinstance(_at(data, path), dict | list) else ["drop"]
        ordered = isinstance(parent, list) and not table.is_unordered(path[:-1])
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


def rewritten(data: Any, rng: random.Random) -> str:
    """Return the data as JSON with the keys of all mappings in random order."""

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in rng.sample(list(value), len(value))}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    return json.dumps(shuffled(data), indent=rng.choice([None, 1, 4]), ensure_ascii=rng.random() < 0.5)


def harmless_outcome(gate: Gate, name: str, format_id: str, data: Any, rng: random.Random) -> str:
    """Return the verdict on a file that is written in another way, and "noted" for a pass with a new finding."""
    golden = read_data(data, name, format_id).workflow
    candidate = read_text(rewritten(data, rng), "candidate.json", format_id).workflow
    result = gate.decide(Pair(name, (golden,), candidate))
    noted = any(not finding.pre_existing for finding in result.findings)
    return "noted" if noted and result.verdict == "pass" else result.verdict


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
    if any(not finding.pre_existing for finding in result.findings):
        return "noted", result
    return "same" if fingerprint(golden) == fingerprint(candidate) and _data(golden) == _data(
        candidate
    ) else "silent", result


def _data(workflow: Workflow) -> list[str]:
    """Return the data of all elements, sorted: what runs, whatever the order of parallel steps in the file."""
    elements = [element for part in (workflow, *workflow.subworkflows) for element in part.elements]
    return sorted(canonical_text(element.raw) for element in elements)


def chosen_files(folder: Path, formats: Sequence[str] = (), half: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield (name, format, data) of the files of some formats; of each folder all files, or every second one."""
    seen: Counter[Path] = Counter()
    for name, format_id, data in data_files(folder):
        seen[Path(name).parent] += 1
        even = seen[Path(name).parent] % 2 == 1
        if (not formats or format_id in formats) and (not half or even == (half == "even")):
            yield name, format_id, data


OUTCOMES = ("silent", "same", "noted", "inconclusive", "review", "block", "unreadable")


def single_values(
    folder: Path = DATA, count: int = 10, formats: Sequence[str] = (), half: str = "", show: str = "", seed: int = 0
) -> None:
    """Print the outcomes per format, how many passed although the value has an effect, and the false alarms."""
    print("## Single values changed in real files\n")
    print(f"{count} changes per file of {folder.name}. Wanted: 0 silent, 0 passed effects, at most 10 % inconclusive;")
    print("of files that are only written in another way, 0 that do not pass.\n")
    gate = load_gate(Config(), date.min)
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, format_id, data in chosen_files(folder, formats, half):
        rng = random.Random(f"{seed} {name}")
        counts = found[format_id]
        counts["files"] += 1
        counts["false alarms"] += harmless_outcome(gate, name, format_id, data, rng) != "pass"
        for change in changes(name, format_id, data, count, rng):
            word, _ = outcome(gate, change)
            passed = word in {"silent", "noted"} and change.value_class not in QUIET
            counts[word] += 1
            counts["passed effect"] += passed
            if show and (word == show or (show == "passed" and passed)):
                value = str(_at(change.golden, change.path))[:60]
                where = ".".join(map(str, change.path))
                print(f"{name}: {change.kind} {where} ({change.value_class}): {value!r}", file=sys.stderr)
    print(f"| format | files | changes | {' | '.join(OUTCOMES)} | passed effect | false alarms |")
    print("| --- " * (len(OUTCOMES) + 5) + "|")
    for format_id, counts in sorted(found.items()):
        total = sum(counts[word] for word in OUTCOMES)
        shares = " | ".join(f"{100 * counts[word] / total:.1f} %" for word in OUTCOMES)
        rest = f"{counts['passed effect']} | {counts['false alarms']} of {counts['files']}"
        print(f"| {format_id} | {counts['files']} | {total} | {shares} | {rest} |")


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
    parser.add_argument("--half", default="", choices=["even", "odd"])
    parser.add_argument("--show", default="", metavar="OUTCOME", help='print these changes; "passed": passed effects')
    given = parser.parse_args()
    single_values(given.folder, given.changes, given.formats, given.half, given.show)


if __name__ == "__main__":
    main()
