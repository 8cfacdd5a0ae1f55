"""The verdicts of the gate on every pair of the repository, written to a file and compared with an earlier one.

usage: verdicts.py --write FILE [--every N] [--jobs N]
       verdicts.py --compare FILE [--every N] [--jobs N] [--only POPULATION]...

The record of today is `verdicts.jsonl.gz` beside this file.

A change of the code that is meant to keep the behaviour keeps this record. Compared are the verdict, the p-value, the
severity with its interval, what became of every golden step, the reasons in their order with their places, and of
every finding its check, level, steps and fingerprint; not the wording. The population `lint` has no pairs: it records
the findings on single files. Perturbed pairs are a sample: every N-th planned variant (default 29, by the hash of its
name). `mutations.py` makes the pairs of real files with one change each.

`--compare` prints how many pairs differ by what differs, the verdicts before and after, and the first differences;
exit code 1 if a pair differs. `--write` prints which checks find something in which populations.
"""

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import mutations as single

from wfgate import __version__
from wfgate.base import Store
from wfgate.calibration import read_corpus
from wfgate.calibration.plan import planned_variants
from wfgate.decide import Blob, CaseResult, Pair
from wfgate.errors import FormatError, PerturbationRejected
from wfgate.model import Place
from wfgate.read import read_text
from wfgate.rules import CHECKS, Finding, lint
from wfgate.run import Config, load_gate

ROOT = Path(__file__).parents[2]
CORPORA = ROOT / "calibration" / "corpora"
EVERY = 29
SHOWN = 20
"""Differing pairs that are printed."""
SHOWN_ITEMS = 3
"""Items of a list that are printed, of those that only one side has."""


def perturbed(every: int = EVERY) -> Iterator[Pair]:
    """Yield every N-th perturbed variant of the goldens with recorded rewordings."""
    corpus = read_corpus([CORPORA / name for name in ("ops", "steps", "worfbench")])
    for golden in corpus.goldens:
        for variant in planned_variants(golden):
            name = f"{golden.id}/{variant.operator}/{variant.severity}/{variant.reworded}/{variant.repeat}"
            if int(hashlib.sha256(name.encode()).hexdigest(), 16) % every:
                continue
            try:
                candidate = variant.make(golden, seed=0).workflow
            except PerturbationRejected:
                continue
            yield Pair(f"perturbed/{name}", (golden.workflow,), candidate)


def regenerations() -> Iterator[Pair]:
    """Yield the regenerations of operations workflows, those written to be accepted and those to be refused."""
    for file in ("ops.jsonl", "further.jsonl"):
        for record in _records(CORPORA / "ops" / file):
            golden = {name: record[name] for name in ("steps", "edges")}
            for key in ("regeneration", "bad_regeneration"):
                yield Pair(f"regenerations/{record['id']}/{key}", (golden,), record[key])


def processtbench() -> Iterator[Pair]:
    """Yield the plans that a language model wrote for the requests of ProcessTBench."""
    folder = CORPORA / "processtbench"
    goldens = {record["id"]: record for record in _records(folder / "goldens.jsonl")}
    for number, plan in enumerate(_records(folder / "regenerations.jsonl")):
        yield Pair(f"processtbench/{plan['id']}/{number}", (goldens[plan["id"]],), plan)


def tested() -> Iterator[Pair]:
    """Yield the pairs that the tests of the checks use."""
    for folder in sorted((ROOT / "tests" / "pairs").iterdir()):
        files = {side: next(iter(sorted(folder.glob(f"{side}.*"))), None) for side in ("golden", "candidate")}
        if files["golden"] and files["candidate"]:
            yield Pair(f"pairs/{folder.name}", (files["golden"],), files["candidate"])


def formats() -> Iterator[Pair]:
    """Yield every file of the format corpora against itself and against the next one of its folder."""
    for folder in sorted(
        {file.parent for file in (ROOT / "tests" / "read" / "formats" / "data").rglob("*") if file.is_file()}
    ):
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("LICENSE"))
        for number, file in enumerate(files):
            name = file.relative_to(ROOT / "tests" / "read" / "formats" / "data").as_posix()
            yield Pair(f"formats/{name}/itself", (file,), file)
            yield Pair(f"formats/{name}/next", (file,), files[(number + 1) % len(files)])


def mutations() -> Iterator[Pair]:
    """Yield real files of all formats against themselves with one change."""
    for file, count in single.files():
        golden = Blob(Path(file.file), file.text.encode())
        for change in single.chosen(file, count):
            candidate = Blob(golden.path, change.text.encode())
            yield Pair(f"mutations/{file.name}/{change.kind}/{change.place}", (golden,), candidate)


def summary(case: CaseResult) -> dict[str, Any]:
    """Return what must stay the same of a result."""
    severity = case.severity
    return {
        "id": case.id,
        "verdict": case.verdict,
        "p_value": case.p_value,
        "severity": None if severity is None else [severity.estimate, severity.low, severity.high],
        "steps": [[step.id, step.state, list(step.candidate), step.moved] for step in case.steps],
        "reasons": [
            [reason.rule, reason.fingerprint, _position(reason.golden), _position(reason.candidate)]
            for reason in case.reasons
        ],
        "findings": [_identity(finding) for finding in case.findings],
        "error": case.error is not None,
    }


def linted() -> Iterator[dict[str, Any]]:
    """Yield the findings on every file that `mutations` changes, without a reference."""
    for file, _ in single.files():
        try:
            findings = lint(read_text(file.text, file.file).workflow)
        except FormatError:
            findings = None
        yield {
            "id": f"lint/{file.name}",
            "findings": [_identity(finding) for finding in findings or ()],
            "error": findings is None,
        }


def _identity(finding: Finding) -> list[Any]:
    return [finding.id, finding.severity, finding.pre_existing, list(finding.tasks), finding.fingerprint]


def _position(place: Place | None) -> list[int] | None:
    return None if place is None else [place.line, place.column]


POPULATIONS: dict[str, Callable[[], Iterator[Any]]] = {
    "pairs": tested,
    "formats": formats,
    "mutations": mutations,
    "lint": linted,
    "regenerations": regenerations,
    "processtbench": processtbench,
    "perturbed": perturbed,
}
"""Pairs of workflows by the name of their population; of `lint`, finished records."""


def results(
    populations: Iterable[str], every: int = EVERY, jobs: int = 1, store: Store | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the record of every pair, or linted file, of some populations, in a fixed order.

    Args:
        populations: Names among `POPULATIONS`.
        every: Every which of the perturbed variants.
        jobs: Processes.
        store: Keeps what was computed.
    """
    gate = load_gate(Config(), date.min, store=store)
    for name in populations:
        if name == "lint":
            yield from POPULATIONS[name]()
            continue
        pairs = perturbed(every) if name == "perturbed" else POPULATIONS[name]()
        run = gate.run(pairs, tool=__version__, jobs=jobs)
        yield from map(summary, run.cases)


def record(path: Path, populations: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the recorded summaries of some populations by the name of their pair."""
    lines = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    return {line["id"]: line for line in lines if line["id"].split("/")[0] in populations}


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


Records = Mapping[str, dict[str, Any]]


def _compare(before: Records, after: Records) -> list[str]:
    """Print how the pairs differ, and return the names of those that do."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    keys: Counter[str] = Counter()
    for at, name in enumerate(names):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            lines = {"only on one side": f"only in {'this run' if old is None else 'the record'}"}
        else:
            differing = [key for key in new if old.get(key) != new[key]]
            lines = {key: f"{key}: {_difference(old.get(key), new[key])}" for key in differing}
        keys.update(lines.keys())
        if at < SHOWN:
            print(*(f"{name}: {line}" for line in lines.values()), sep="\n")
    if len(names) > SHOWN:
        print(f"... and {len(names) - SHOWN:,} more")
    if not names:
        return names
    print("\n| what differs | pairs |\n| --- | --- |")
    print(*(f"| {key} | {count:,} |" for key, count in keys.most_common()), sep="\n")
    changed = Counter(
        (name.split("/")[0], before[name].get("verdict"), after[name].get("verdict"))
        for name in names
        if name in before and name in after
    )
    print("\n| population | verdict before | after | pairs that differ |\n| --- | --- | --- | --- |")
    for (population, old, new), count in sorted(changed.items(), key=str):
        print(f"| {population} | {old or '-'} | {'the same' if old == new else new} | {count:,} |")
    return names


def _difference(old: Any, new: Any) -> str:
    """Return two values in short: of lists, what only one of them has, or that the order differs."""
    if not isinstance(old, list) or not isinstance(new, list) or not all(isinstance(one, list) for one in old + new):
        return f"{json.dumps(old)} -> {json.dumps(new)}"
    gone, added = [one for one in old if one not in new], [one for one in new if one not in old]
    if not gone and not added:
        return "another order" if len(old) == len(new) else f"{len(old)} items -> {len(new)}, some repeated"
    return "; ".join(
        f"{word} {', '.join(json.dumps(one, ensure_ascii=False) for one in items[:SHOWN_ITEMS])}"
        + (f" and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else "")
        for word, items in (("without", gone), ("with", added))
        if items
    )


def _print_checks(found: Records) -> None:
    """Print which of the registered checks have a finding in which populations."""
    fired: dict[str, set[str]] = {check: set() for check in CHECKS}
    for name, result in found.items():
        for check, *_ in result["findings"]:
            if check in fired:
                fired[check].add(name.split("/")[0])
    print("\n| population | checks with findings |\n| --- | --- |")
    for population in POPULATIONS:
        print(f"| {population} | {sum(population in where for where in fired.values())} of {len(fired)} |")
    alone = [check for check, where in fired.items() if where == {"pairs"}]
    nowhere = [check for check, where in fired.items() if not where]
    print(f"\nonly in pairs ({len(alone)}): {', '.join(alone) or '-'}")
    print(f"nowhere ({len(nowhere)}): {', '.join(nowhere) or '-'}\n")


def main() -> int:
    """Write the record or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FILE")
    what.add_argument("--compare", type=Path, metavar="FILE")
    names = ", ".join(POPULATIONS)
    parser.add_argument("--only", action="append", choices=POPULATIONS, metavar="POPULATION", help=names)
    parser.add_argument("--every", type=int, default=EVERY, metavar="N")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("a record is written of all populations")
    chosen = given.only or list(POPULATIONS)
    store = Store(ROOT / ".bench" / "verdicts.sqlite")
    found = {result["id"]: result for result in results(chosen, given.every, given.jobs, store)}
    counts = Counter((name.split("/")[0], result.get("verdict", "linted")) for name, result in found.items())
    for (population, verdict), count in sorted(counts.items()):
        print(f"{population}: {verdict} {count:,}")
    if given.write:
        _print_checks(found)
        compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
        lines = "".join(compact.encode(found[name]) + "\n" for name in sorted(found))
        given.write.write_bytes(gzip.compress(lines.encode(), mtime=0))
        print(f"{len(found):,} records written to {given.write}")
        return 0
    differing = _compare(record(given.compare, chosen), found)
    print(f"{len(found):,} records, {len(differing):,} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
