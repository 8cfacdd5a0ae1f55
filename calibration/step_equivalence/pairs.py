"""Pairs of a golden step and a window of the candidate, labelled: is the demand of the step still met?

The window of a golden step is its most similar candidate steps, in the order of the candidate
(`wfgate/compare/supports.py`). Kinds are those of `data.py`; "equivalent" means that the demand is met. Sources:

- regenerations: labels of the reviewers for each golden step; the same windows without the steps that meet the demand;
  the altered texts of `alterations.jsonl`;
- the same with sides exchanged: is what a step of the candidate does demanded in the golden (an added step is not)?
- recorded texts of other goldens (rewordings, drifts, vague and merged steps), between rewordings of other steps;
- steps without a workflow, between other such steps: `pool.jsonl`, and `losses.jsonl`, in which one of several demands
  is lost, mostly inside a complete rewording.

usage: pairs.py FOLDER [--epochs N] [--seed N]

writes the pairs of each epoch, and the windows on which a network is measured, for `train.py`.

Goldens are split by id: half "test" of the regenerations is never read here; of all others, a third ("dev") measures
and calibrates, and the rest ("train") trains. The goldens of `corpora/dev` are all of the part "dev".
"""

import argparse
import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from data import CALIBRATING, Record, records
from rules import benign, spoiled

from wfgate.compare.similarity import text_similarity
from wfgate.compare.supports import nearest, window_text
from wfgate.language import StaticEmbedder

FOLDER = Path(__file__).parent
CORPUS = FOLDER.parent / "corpora" / "regenerations"
KINDS_OF_STATUS = {"kept": "equivalent", "weaker": "weakening", "changed": "action", "gone": "other"}
MEASURED = 0.9
"""Place (`share`) from which a step with lost demands measures networks."""
KINDS_OF_ALTERATION = {"order": "condition", "weaker": "weakening"}
"""Kinds of alterations that have another name here."""
GROUNDED = 0.25
"""Share of the candidate steps that are compared with the golden."""
REMOVED, HALVED, SPOILED = 0.35, 0.3, 0.15
"""Shares of kept steps whose support is removed, removed in part, or changed by a rule."""
STEPS, POOLED, LOST = 0.9, 0.5, 1.0
"""Shares of the recorded steps, of the steps without a workflow and of those with lost demands that an epoch draws."""


class Pair(NamedTuple):
    """A golden step, a window, and the kind of the difference.

    The partner is the most similar step of the window; only measured pairs have one.
    """

    golden: str
    window: str
    kind: str
    partner: str = ""


def part(golden: str) -> str:
    """Return "train", "dev" or "test" for the id of a golden."""
    known = goldens().get(golden)
    if known and known["half"] == "test":
        return "test"
    if golden in calibrating():
        return "dev"
    return "train" if hashlib.sha256(f"dev{golden}".encode()).digest()[0] % 3 else "dev"


@cache
def calibrating() -> frozenset[str]:
    """Return the ids of the goldens whose texts never train (`corpora/dev`)."""
    files = (FOLDER.parent / "corpora" / name for names in CALIBRATING.values() for name in names)
    return frozenset(record["id"] for file in files for record in lines(file))


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def goldens() -> dict[str, dict[str, Any]]:
    """Return the goldens of the regenerations by id."""
    return {golden["id"]: golden for golden in lines(CORPUS / "goldens.jsonl")}


@cache
def regenerations(which: str) -> list[dict[str, Any]]:
    """Return the workflows whose goldens are in a part."""
    return [one for one in lines(CORPUS / "candidates.jsonl") if part(one["golden"]) == which]


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder()


def window(golden: str, texts: Sequence[str]) -> str:
    """Return the window of a golden step among the steps of a candidate."""
    return _read(golden, texts)[0]


def measured(golden: str, texts: Sequence[str], kind: str) -> Pair:
    """Return the pair of a golden step and its window among the steps of a candidate, with the partner."""
    window, partner = _read(golden, texts)
    return Pair(golden, window, kind, partner)


def _read(golden: str, texts: Sequence[str]) -> tuple[str, str]:
    similarity = text_similarity([golden], texts, _embedder())[0]
    steps = nearest(similarity, np.arange(len(texts)))
    return window_text([texts[step] for step in sorted(steps)]), texts[steps[0]]


def of_regenerations(which: str, rng: random.Random) -> Iterator[tuple[str, Pair]]:
    """Yield the labelled windows of one part, and changed versions of them, with the id of the golden."""
    altered = {record["id"]: record for record in lines(FOLDER / "alterations.jsonl")}
    for one in regenerations(which):
        yield from ((one["golden"], pair) for pair in _of_regeneration(one, altered, rng))


def _of_regeneration(one: dict[str, Any], altered: dict[str, Any], rng: random.Random) -> Iterator[Pair]:
    names = [step["name"] for step in one["steps"]]
    steps = zip(goldens()[one["golden"]]["steps"], one["support"], strict=True)
    for number, (golden, support) in enumerate(steps, start=1):
        if str(number) in one["second_support"]:  # the reviewers disagree
            continue
        yield Pair(golden, window(golden, names), KINDS_OF_STATUS[support["status"]])
        if support["status"] == "kept":
            yield from _without_support(golden, names, {place - 1 for place in support["in"]}, rng)
        if record := altered.get(f"{one['id']}@{number}"):
            yield from _alterations(golden, names, record)
    yield from _grounded(one, names, rng)


def _grounded(one: dict[str, Any], names: list[str], rng: random.Random) -> Iterator[Pair]:
    """Yield candidate steps against the golden, with and without the golden steps that they support."""
    steps = goldens()[one["golden"]]["steps"]
    for place, name in enumerate(names, start=1):
        supported = [number for number, support in enumerate(one["support"]) if place in support["in"]]
        if not supported or rng.random() > GROUNDED:
            continue
        if all(one["support"][number]["status"] == "kept" for number in supported):
            yield Pair(name, window(name, steps), "equivalent")
        if rest := [step for number, step in enumerate(steps) if number not in supported]:
            yield Pair(name, window(name, rest), "other")


def _without_support(golden: str, names: list[str], support: set[int], rng: random.Random) -> Iterator[Pair]:
    rest = [text for place, text in enumerate(names) if place not in support]
    if rest and rng.random() < REMOVED:
        yield Pair(golden, window(golden, rest), "other")
    chosen = rng.choice(sorted(support))
    if len(support) == 2 and rng.random() < HALVED:
        yield Pair(golden, window(golden, [text for place, text in enumerate(names) if place != chosen]), "weakening")
    if rng.random() < SPOILED and (found := spoiled(names[chosen], rng)):
        yield Pair(golden, window(golden, _replaced(names, chosen, found[1])), found[0])


def _alterations(golden: str, names: list[str], record: dict[str, Any]) -> Iterator[Pair]:
    place = record["step"] - 1
    for found in record["altered"]:
        kind = KINDS_OF_ALTERATION.get(found["kind"], found["kind"])
        yield measured(golden, _replaced(names, place, found["text"]), kind)
    yield measured(golden, _replaced(names, place, record["same"]), "equivalent")


def held_out() -> Iterator[tuple[str, Pair]]:
    """Yield the labelled windows of the part "dev", with the id of the golden.

    The ensemble and the null distribution are fitted on them. A changed step stands between rewordings of the other
    steps; a missing step is read with what is nearest to it.
    """
    for record in (*records(), *records(CALIBRATING)):
        if part(record.id) == "dev":
            for reworded in record.rewordings:
                yield from ((record.id, measured(step, reworded, "equivalent")) for step in record.steps)
            yield from ((record.id, pair) for pair in _missing(record))
            for step, kind, text in [*record.drifts, *((step, "vague", text) for step, text in record.vague)]:
                golden = record.steps[step]
                yield record.id, measured(golden, _replaced(record.rewordings[0], step, text), kind)
    altered = {record["id"]: record for record in lines(FOLDER / "alterations.jsonl")}
    for one in regenerations("dev"):
        names = [step["name"] for step in one["steps"]]
        for number, (golden, support) in enumerate(
            zip(goldens()[one["golden"]]["steps"], one["support"], strict=True), start=1
        ):
            if str(number) not in one["second_support"]:
                yield one["golden"], measured(golden, names, KINDS_OF_STATUS[support["status"]])
                if record := altered.get(f"{one['id']}@{number}"):
                    yield from ((one["golden"], pair) for pair in _alterations(golden, names, record))


def _missing(record: Record) -> Iterator[Pair]:
    """Yield a step of each recorded wording without that step: another one each time, none of a golden below three."""
    count = len(record.steps)
    for number, names in enumerate(record.rewordings if count > 2 else ()):
        step = (sum(map(ord, record.id)) + number * (count // 2 + 1)) % count
        yield measured(record.steps[step], [*names[:step], *names[step + 1 :]], "other")


def _replaced(names: Sequence[str], place: int, text: str) -> list[str]:
    return [*names[:place], text, *names[place + 1 :]]


@cache
def recorded() -> list[Record]:
    """Return the goldens with recorded texts that train."""
    return [record for record in records() if part(record.id) == "train"]


def of_records(rng: random.Random) -> Iterator[tuple[str, Pair]]:
    """Yield windows composed of recorded texts, with the id of the golden."""
    for record in recorded():
        yield from ((record.id, pair) for pair in _of_record(record, rng))


def _of_record(record: Record, rng: random.Random) -> Iterator[Pair]:
    texts = [
        [golden, *(reworded[step] for reworded in record.rewordings), *record.further[step].same]
        for step, golden in enumerate(record.steps)
    ]
    changed: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for step, kind, text in record.drifts:
        changed[step].append((text, kind))
    for step, text in record.vague:
        changed[step].append((text, "vague"))
    for step, further in enumerate(record.further):
        changed[step] += [(text, kind) for kind, text in further.changed]
    candidate = [rng.choice(same) for same in texts]
    for step in range(len(texts)):
        if rng.random() < STEPS:
            yield from _composed(step, texts[step], changed[step], candidate, rng)
    for steps, text in record.merges:
        if rng.random() < 0.5:
            golden = texts[rng.choice(steps)][0]
            others = [other for place, other in enumerate(candidate) if place not in steps]
            yield Pair(golden, window(golden, [*others, text]), "other")


def _composed(
    step: int, texts: list[str], changed: list[tuple[str, str]], candidate: list[str], rng: random.Random
) -> Iterator[Pair]:
    golden = rng.choice([texts[0], texts[0], rng.choice(texts)])
    others = [text for text in texts if text != golden]
    options = [(rng.choice(others), "equivalent")] if others else []
    options += [rng.choice(changed)] if changed else []
    if rng.random() < 0.4 and (found := spoiled(rng.choice(texts), rng)):
        options.append((found[1], found[0]))
    if rng.random() < 0.15:
        options.append((benign(rng.choice(texts), rng), "equivalent"))
    for text, kind in options:
        steps = _replaced(candidate, step, text)
        if step + 1 < len(steps) and rng.random() < 0.2:  # written as one with the next step
            following = steps.pop(step + 1)
            steps[step] = (
                f"{text.rstrip('. ')}{rng.choice([', then ', '; ', ' and '])}{following[:1].lower()}{following[1:]}"
            )
        yield Pair(golden, window(golden, steps) if rng.random() < 0.75 else steps[step], kind)
    if rng.random() < 0.35 and len(candidate) > 1:
        yield Pair(golden, window(golden, candidate[:step] + candidate[step + 1 :]), "other")


def of_pool(rng: random.Random) -> Iterator[tuple[str, Pair]]:
    """Yield windows composed of steps without a workflow, with the text of the step."""
    for name, drawn, most in (("pool.jsonl", POOLED, 2), ("losses.jsonl", LOST, 4)):
        pool = [record for record in lines(FOLDER / name) if name != "losses.jsonl" or not is_measured(record)]
        for record in pool:
            if rng.random() < drawn:
                yield from ((record["step"], pair) for pair in _of_step(record, pool, most, rng))


def _of_step(record: dict[str, Any], pool: list[dict[str, Any]], most: int, rng: random.Random) -> Iterator[Pair]:
    """Yield up to half of `most` rewordings and `most` changed texts of a step, between other steps of the pool."""
    known = [record["step"], *record["same"]]
    golden = rng.choice(known)
    same = [text for text in known if text != golden] or known
    changed = [(drift["text"], drift["kind"]) for drift in record["changed"]] + [(record["vague"], "vague")]
    kept = [(text, "equivalent") for text in rng.sample(same, min(most // 2, len(same)))]
    for text, kind in [*kept, *rng.sample(changed, min(most, len(changed)))]:
        steps = [text, *(rng.choice(pool)["step"] for _ in range(rng.choice([0, 0, 1, 2])))]
        rng.shuffle(steps)
        yield Pair(golden, window_text(steps), kind)


def is_measured(record: dict[str, Any]) -> bool:
    """Return whether a step with lost demands measures networks and trains none: every tenth, by its hash."""
    return share(record["step"]) >= MEASURED


def lost_demands() -> list[Pair]:
    """Return the step and each of its texts, for the steps with lost demands that measure networks."""
    return [
        Pair(record["step"], text, kind)
        for record in lines(FOLDER / "losses.jsonl")
        if is_measured(record)
        for text, kind in [
            *((text, "equivalent") for text in record["same"]),
            *((drift["text"], drift["kind"]) for drift in record["changed"]),
        ]
    ]


def epoch(number: int, seed: int) -> list[tuple[str, Pair]]:
    """Return the pairs of one epoch, each with its golden or step; equal arguments give equal pairs."""
    rng = random.Random(f"{seed}-{number}")
    found = [*of_regenerations("train", rng), *of_records(rng), *of_pool(rng)]
    rng.shuffle(found)
    return found


def share(owner: str) -> float:
    """Return the place of a golden among all in [0, 1): those below a share are this share of the goldens."""
    return int(hashlib.sha256(f"share{owner}".encode()).hexdigest()[:8], 16) / 16**8


def write(folder: Path, epochs: int, seed: int) -> None:
    """Write the pairs of epochs, and the windows of the workflows of the part "dev"."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(epochs):
        rows = [[round(share(owner), 6), *pair[:3]] for owner, pair in epoch(number, seed)]
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"epoch-{number:03}.jsonl.gz").write_bytes(gzip.compress(content.encode("utf-8"), mtime=0))
        print(f"epoch {number}: {len(rows):,} pairs", flush=True)
    dev = []
    for one in regenerations("dev"):
        names = [step["name"] for step in one["steps"]]
        windows = [(golden, window(golden, names)) for golden in goldens()[one["golden"]]["steps"]]
        dev.append({"label": one["label"], "brief": one["brief"], "pairs": windows})
    (folder / "dev.json").write_text(json.dumps(dev, ensure_ascii=False), encoding="utf-8")
    lost = [pair[:3] for pair in lost_demands()]
    (folder / "lost.json").write_text(json.dumps(lost, ensure_ascii=False), encoding="utf-8")


def main() -> None:
    """Write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write(given.folder, given.epochs, given.seed)


if __name__ == "__main__":
    main()
