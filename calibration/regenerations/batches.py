"""Batches for the authors and reviewers of the regenerations corpus, checks of what they write, and the corpus itself.

usage: batches.py FOLDER generate TAG [--size N]     briefs -> batches for six generators, briefs rotated
       batches.py FOLDER review GROUP BATCH... [--size N]    workflows -> pairs for two reviewers, shuffled twice
       batches.py FOLDER third                         pairs on which the two disagree -> a third reviewer
       batches.py FOLDER check ROLE INPUT OUTPUT       is the form right (golden, brief, generate, review, alter)?
       batches.py FOLDER assemble OUT                  everything -> goldens.jsonl, briefs.jsonl, candidates.jsonl
       batches.py FOLDER alter CORPUS [--size N]       kept steps of the half "fit" of a corpus -> steps to alter

FOLDER holds `goldens/*.jsonl`, `briefs/*.jsonl` and what this script writes: `gen/`, `review/`. A role gets its batch
and its page in `roles/`, and sees nothing else. Identifiers in batches are random: neither the kind of the brief nor
the author shows. Choices are drawn from the tag, so the same folder gives the same batches.
"""

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx

Record = dict[str, Any]

STYLES = (
    "compact imperative: one short imperative sentence a step, nothing more than needed",
    "full runbook sentences: each step says who, what, where and when it counts as done, as far as the brief says so",
    "free: as you would plan it yourself",
    "one action a step: cut the work as finely as sensible",
    "terse: few words, joined steps where they belong together (never losing a demand)",
    "checklist of an experienced operator: condition or actor first, then the action; numbers in words or other units",
)
"""One style for each generator."""
KINDS = ("full1", "full2", "full3", "full4", "dropped", "changed")
"""The versions of a brief that the generators get, one each."""
STATUS = {"k": "kept", "w": "weaker", "c": "changed", "g": "gone"}
ALTERED = 4
"""Steps of each workflow whose support an author changes."""
ALTERATIONS = ("action", "target", "quantity", "condition", "order", "weaker", "negation")
LABELS = ("accept", "minor", "reject")
_SUPPORT = re.compile(r"(-|\d+(?:\+\d+)*):([kwcg])")


def lines(path: Path) -> list[Record]:
    """Return the records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, records: Iterable[Record]) -> None:
    """Write a JSON Lines file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")


def known(folder: Path, pattern: str) -> dict[str, Record]:
    """Return the records of all files that match, by id."""
    return {record["id"]: record for path in sorted(folder.glob(pattern)) for record in lines(path)}


def generate(folder: Path, tag: str, size: int) -> None:
    """Write the batches of the six generators: each golden's six briefs go to six authors, rotated at random."""
    rng = random.Random(tag)
    goldens = known(folder, "goldens/*.jsonl")
    key: Record = {}
    batches: defaultdict[int, list[Record]] = defaultdict(list)
    for number, brief in enumerate(lines(folder / "briefs" / f"{tag}.jsonl")):
        shift = rng.randrange(len(STYLES)) + number
        for place, kind in enumerate(KINDS):
            author = (place + shift) % len(STYLES)
            name = f"t{rng.randrange(16**7):07x}"
            key[name] = {"golden": brief["id"], "brief": kind, "author": author}
            text = brief["brief"] if kind.startswith("full") else brief[kind]
            names = "short" if goldens[brief["id"]]["short"] else "style"
            batches[author].append({"id": name, "names": names, "brief": text})
    (folder / "gen").mkdir(exist_ok=True)
    (folder / "gen" / f"key_{tag}.json").write_text(json.dumps(key), encoding="utf-8")
    for author, items in sorted(batches.items()):
        rng.shuffle(items)
        for start in range(0, len(items), size):
            name = f"{tag}_{author}_{start // size}"
            write(folder / "gen" / f"in_{name}.jsonl", items[start : start + size])
            print(f"{name}: {len(items[start : start + size])} briefs; {STYLES[author]}")


def review(folder: Path, group: str, names: list[str], size: int) -> None:
    """Write the pairs of some generators' batches for two reviewers, in two random orders."""
    rng = random.Random(f"review{group}")
    goldens = known(folder, "goldens/*.jsonl")
    key: Record = {}
    for name in names:
        made = json.loads((folder / "gen" / f"key_{name.split('_')[0]}.json").read_text(encoding="utf-8"))
        for workflow in lines(folder / "gen" / f"out_{name}.jsonl"):
            key[f"p{rng.randrange(16**7):07x}"] = {**made[workflow["id"]], "steps": workflow["steps"]}
    (folder / "review").mkdir(exist_ok=True)
    (folder / "review" / f"key_{group}.json").write_text(json.dumps(key, ensure_ascii=False), encoding="utf-8")
    for side in "xy":
        order = list(key)
        random.Random(group + side).shuffle(order)
        for start in range(0, len(order), size):
            pairs = order[start : start + size]
            name = f"{group}{side}_{start // size}"
            write(folder / "review" / f"in_{name}.jsonl", (_shown(pair, key[pair], goldens) for pair in pairs))
            print(f"{name}: {len(pairs)} pairs")


def third(folder: Path) -> None:
    """Write the pairs on whose verdict (accepted or rejected) two reviewers disagree for a third one."""
    goldens = known(folder, "goldens/*.jsonl")
    pairs, labels = _reviewed(folder)
    torn = [pair for pair, found in labels.items() if len({one["label"] == "reject" for one in found}) > 1]
    random.Random("third").shuffle(torn)
    write(folder / "review" / "in_third.jsonl", (_shown(pair, pairs[pair], goldens) for pair in torn))
    print(f"{len(torn)} of {len(labels)} pairs")


def assemble(folder: Path, out: Path) -> None:
    """Write the corpus, and print how often the reviewers agree."""
    goldens, briefs = known(folder, "goldens/*.jsonl"), known(folder, "briefs/*.jsonl")
    pairs, labels = _reviewed(folder)
    third_labels = known(folder, "review/out_third*.jsonl")
    candidates = [
        _candidate(pairs[pair], labels[pair], third_labels.get(pair), goldens[pairs[pair]["golden"]])
        for pair in pairs
        if len(labels[pair]) == 2
    ]
    used = sorted({one["golden"] for one in candidates})
    write(out / "goldens.jsonl", ({**goldens[name], "half": half(name)} for name in used))
    write(out / "briefs.jsonl", (briefs[name] for name in used if name in briefs))
    write(out / "candidates.jsonl", sorted(candidates, key=lambda one: one["id"]))
    _report(candidates)


def alter(folder: Path, corpus: Path, size: int) -> None:
    """Write kept golden steps of accepted workflows, `ALTERED` per workflow, for authors who change their supports."""
    rng = random.Random("alter")
    goldens = known(corpus, "goldens.jsonl")
    items = []
    for one in lines(corpus / "candidates.jsonl"):
        golden = goldens[one["golden"]]
        if golden["half"] == "fit" and one["label"] != "reject":
            sure = [
                number
                for number, support in enumerate(one["support"], start=1)
                if support["status"] == "kept" and len(support["in"]) <= 2 and str(number) not in one["second_support"]
            ]
            rng.shuffle(sure)
            items += [_to_alter(golden, one, number) for number in sorted(sure[:ALTERED])]
    rng.shuffle(items)
    for start in range(0, len(items), size):
        write(folder / "alter" / f"in_{start // size:02d}.jsonl", items[start : start + size])
    print(f"{len(items)} steps")


def _to_alter(golden: Record, candidate: Record, number: int) -> Record:
    """Return a golden step as an author sees it: with its neighbours, its support, and what that does besides."""
    steps, support = golden["steps"], candidate["support"][number - 1]["in"]
    others = [place for place, other in enumerate(candidate["support"]) if {*other["in"]} & {*support}]
    return {
        "id": f"{candidate['id']}@{number}",
        "demand": steps[number - 1],
        "neighbours": [steps[place] for place in (number - 2, number) if 0 <= place < len(steps)],
        "done in": {str(place): candidate["steps"][place - 1]["name"] for place in support},
        "these steps also do": sorted({steps[place] for place in others if place != number - 1}),
        "short": golden["short"],
    }


def half(golden: str) -> str:
    """Return which half of the corpus a golden is in, by the hash of its id: nothing is fitted on "test"."""
    return "test" if hashlib.sha256(golden.encode()).digest()[0] % 2 else "fit"


def problems(role: str, given: list[Record], written: list[Record]) -> Iterator[str]:
    """Yield what is wrong with the form of an author's or reviewer's records."""
    names = Counter(record["id"] for record in written)
    wanted = {record["id"]: record for record in given}
    yield from (f"{name}: written {count} times" for name, count in names.items() if count > 1)
    if given:
        yield from (f"{name}: unknown" for name in names if name not in wanted)
        yield from (f"{name}: missing" for name in wanted if name not in names)
    for record in written:
        for said in _FORMS[role](record, wanted.get(record["id"])):
            yield f"{record['id']}: {said}"


def _golden_form(record: Record, _given: Record | None) -> Iterator[str]:
    steps = range(1, len(record["steps"]) + 1)
    graph = nx.DiGraph(tuple(edge) for edge in record["edges"])
    if not set(graph) <= set(steps) or not nx.is_directed_acyclic_graph(graph):
        yield "the edges do not fit the steps, or form a cycle"
    if set(graph) != set(steps):
        yield "a step is not connected"


def _brief_form(record: Record, given: Record | None) -> Iterator[str]:
    for key in ("dropped_step", "changed_step"):
        if given is not None and record.get(key) not in range(1, len(given["steps"]) + 1):
            yield f"{key} is no step"
    if record["brief"] in {record["dropped"], record["changed"]}:
        yield "an edited brief is the brief"


def _workflow_form(record: Record, _given: Record | None) -> Iterator[str]:
    names = [step["id"] for step in record["steps"]]
    graph = nx.DiGraph((need, step["id"]) for step in record["steps"] for need in step["needs"])
    if len(set(names)) < len(names) or not set(graph) <= set(names) or not nx.is_directed_acyclic_graph(graph):
        yield "ids are not unique, or needs are unknown or form a cycle"


def _review_form(record: Record, given: Record | None) -> Iterator[str]:
    if record["label"] not in LABELS:
        yield f"unknown label {record['label']}"
    if given is None:
        return
    if len(record["support"]) != len(given["golden"]["steps"]):
        yield f"{len(record['support'])} entries for {len(given['golden']['steps'])} golden steps"
    for entry in record["support"]:
        found = _SUPPORT.fullmatch(entry)
        steps = [] if not found or found[1] == "-" else [int(step) for step in found[1].split("+")]
        if not found or (found[1] == "-") != (found[2] == "g") or not set(steps) <= _numbers(given["candidate"]):
            yield f"support {entry!r}"


def _alteration_form(record: Record, given: Record | None) -> Iterator[str]:
    kinds = [one["kind"] for one in record["altered"]]
    if len(set(kinds)) != 2 or not set(kinds) <= set(ALTERATIONS):
        yield f"kinds {kinds}"
    support = given["done in"] if given else {}
    if given is not None and str(record["step"]) not in support:
        yield f"step {record['step']} is not in the support"
    texts = [*(one["text"] for one in record["altered"]), record["same"], support.get(str(record["step"]))]
    if len(set(texts)) < len(texts):
        yield "two texts are equal"


_FORMS = {
    "golden": _golden_form,
    "brief": _brief_form,
    "generate": _workflow_form,
    "review": _review_form,
    "alter": _alteration_form,
}


def _numbers(listed: list[str]) -> set[int]:
    return set(range(1, len(listed) + 1))


def _shown(name: str, pair: Record, goldens: dict[str, Record]) -> Record:
    """Return a pair as a reviewer sees it: both sides numbered, with what each step waits for."""
    golden, steps = goldens[pair["golden"]], pair["steps"]
    place = {step["id"]: number for number, step in enumerate(steps, start=1)}
    before: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in golden["edges"]:
        before[target].append(source)
    critical = ["  (critical)" if number in golden["critical"] else "" for number in range(len(golden["steps"]) + 1)]
    ours = [
        _line(number, text, before[number]) + critical[number] for number, text in enumerate(golden["steps"], start=1)
    ]
    theirs = [_line(place[step["id"]], step["name"], [place[need] for need in step["needs"]]) for step in steps]
    return {"id": name, "golden": {"task": golden["task"], "steps": ours}, "candidate": theirs}


def _line(number: int, text: str, before: list[int]) -> str:
    return f"{number}. {text}" + (f"  [after {', '.join(map(str, sorted(before)))}]" if before else "")


def _reviewed(folder: Path) -> tuple[dict[str, Record], dict[str, list[Record]]]:
    """Return all pairs by id, and what the first two reviewers wrote about each."""
    pairs: dict[str, Record] = {}
    for path in sorted((folder / "review").glob("key_*.json")):
        pairs |= json.loads(path.read_text(encoding="utf-8"))
    labels: dict[str, list[Record]] = {pair: [] for pair in pairs}
    for path in sorted((folder / "review").glob("out_*.jsonl")):
        if not path.stem.startswith("out_third"):
            for record in lines(path):
                labels[record["id"]].append(record)
    return pairs, labels


def _candidate(pair: Record, labels: list[Record], decided: Record | None, golden: Record) -> Record:
    """Return one workflow of the corpus; a third reviewer decides where two disagree."""
    first = decided or labels[0]
    why = next((one["why"] for one in (first, *labels) if one["why"] and one["label"] == first["label"]), "")
    supports = [[_support(entry) for entry in one["support"]] for one in ([decided] if decided else []) + labels]
    return {
        "id": f"{golden['id']}#{pair['author']}",
        "golden": golden["id"],
        "brief": pair["brief"],
        "label": first["label"],
        "labels": [one["label"] for one in (*labels, *([decided] if decided else []))],
        "why": why,
        "support": supports[0],
        "second_support": {
            str(number): theirs
            for number, (ours, theirs) in enumerate(zip(supports[0], supports[1], strict=True), start=1)
            if ours != theirs
        },
        "steps": pair["steps"],
    }


def _support(entry: str) -> Record:
    steps, status = entry.split(":")
    return {"in": [] if steps == "-" else [int(step) for step in steps.split("+")], "status": STATUS[status]}


def _report(candidates: list[Record]) -> None:
    full = [one for one in candidates if one["brief"].startswith("full")]
    edited = [one for one in candidates if one["brief"] in {"dropped", "changed"}]
    agree = sum(len({label == "reject" for label in one["labels"][:2]}) == 1 for one in candidates)
    steps = [
        (support["status"], one["second_support"].get(str(number), support)["status"])
        for one in candidates
        for number, support in enumerate(one["support"], start=1)
    ]
    same = sum(first == second for first, second in steps)
    print(f"{len(candidates)} workflows of {len({one['golden'] for one in candidates})} goldens")
    print(f"reviewers agree on {agree} verdicts; on {same} of {len(steps)} golden steps")
    print(f"full briefs: {Counter(one['label'] for one in full)}; edited: {Counter(one['label'] for one in edited)}")


def main() -> int:
    """Run one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("step", choices=("generate", "review", "third", "check", "assemble", "alter"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=73)
    given = parser.parse_args()
    match given.step, given.names:
        case "generate", [tag]:
            generate(given.folder, tag, given.size)
        case "review", [group, *names]:
            review(given.folder, group, names, given.size)
        case "third", []:
            third(given.folder)
        case "check", [role, before, after]:
            found = list(problems(role, lines(Path(before)), lines(Path(after))))
            print(*found, sep="\n")
            return int(bool(found))
        case "alter", [corpus]:
            alter(given.folder, Path(corpus), given.size)
        case "assemble", [out]:
            assemble(given.folder, Path(out))
        case _:
            parser.error("these arguments do not fit the step")
    return 0


if __name__ == "__main__":
    sys.exit(main())
