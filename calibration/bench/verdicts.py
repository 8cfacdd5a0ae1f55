"""The verdicts of the gate on every pair of the repository, written to a file and compared with an earlier one.

usage: verdicts.py --write FILE [--every N] [--jobs N]
       verdicts.py --compare FILE [--every N] [--jobs N] [--only POPULATION]...

The record of today is `verdicts.jsonl.gz` beside this file.

A change of the code that is meant to keep the behaviour keeps this record. Compared are the verdict, the p-value, the
severity with its interval, and of every finding its check, level, steps and fingerprint; not the wording. Perturbed
pairs are a sample: every N-th planned variant (default 29, by the hash of its name). Exit code 1 if a pair differs.
"""

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from wfgate import __version__
from wfgate.calibration.corpus import read_corpus
from wfgate.calibration.plan import planned_variants
from wfgate.errors import PerturbationRejected
from wfgate.gating import CaseResult, Pair
from wfgate.gating.config import Config
from wfgate.gating.engine import load_gate
from wfgate.store import Store

ROOT = Path(__file__).parents[2]
CORPORA = ROOT / "calibration" / "corpora"
EVERY = 29
SHOWN = 20
"""Differences that are printed in full."""


def perturbed(every: int) -> Iterator[Pair]:
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
    for folder in sorted({file.parent for file in (ROOT / "tests" / "formats" / "data").rglob("*") if file.is_file()}):
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("LICENSE"))
        for number, file in enumerate(files):
            name = file.relative_to(ROOT / "tests" / "formats" / "data").as_posix()
            yield Pair(f"formats/{name}/itself", (file,), file)
            yield Pair(f"formats/{name}/next", (file,), files[(number + 1) % len(files)])


def summary(case: CaseResult) -> dict[str, Any]:
    """Return what must stay the same of a result."""
    severity = case.severity
    return {
        "id": case.id,
        "verdict": case.verdict,
        "p_value": case.p_value,
        "severity": None if severity is None else [severity.estimate, severity.low, severity.high],
        "findings": [
            [finding.id, finding.severity, finding.pre_existing, list(finding.tasks), finding.fingerprint]
            for finding in case.findings
        ],
        "error": case.error is not None,
    }


POPULATIONS = {
    "pairs": tested,
    "formats": formats,
    "regenerations": regenerations,
    "processtbench": processtbench,
    "perturbed": perturbed,
}


def results(
    populations: Iterable[str], every: int = EVERY, jobs: int = 1, store: Store | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the summary of every pair of some populations, in a fixed order.

    Args:
        populations: Names among `POPULATIONS`.
        every: Every which of the perturbed variants.
        jobs: Processes.
        store: Keeps what was computed.
    """
    gate = load_gate(Config(), date.min, store=store)
    for name in populations:
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


def _compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Print the pairs that differ, and return their names."""
    names = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    for name in sorted(names)[:SHOWN]:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            print(f"{name}: only in {'this run' if old is None else 'the record'}")
            continue
        for key in old:
            if old[key] != new[key]:
                print(f"{name}: {key}: {json.dumps(old[key])} -> {json.dumps(new[key])}")
    if len(names) > SHOWN:
        print(f"... and {len(names) - SHOWN} more")
    return names


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
    counts = Counter((name.split("/")[0], result["verdict"]) for name, result in found.items())
    for (population, verdict), count in sorted(counts.items()):
        print(f"{population}: {verdict} {count:,}")
    if given.write:
        lines = "".join(json.dumps(found[name], ensure_ascii=False) + "\n" for name in sorted(found))
        given.write.write_bytes(gzip.compress(lines.encode(), mtime=0))
        print(f"{len(found):,} pairs written to {given.write}")
        return 0
    differing = _compare(record(given.compare, chosen), found)
    print(f"{len(found):,} pairs, {len(differing):,} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
