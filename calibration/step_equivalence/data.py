"""Pairs of step texts with labels for the change of meaning, from the recorded corpora.

Kinds: "equivalent"; the recorded drifts "action", "condition", "weakening", "negation", "quantity", "target"; "vague"
(without substance); "other" (another step, or one that covers several). Rule-based negatives (another number, the
opposite word, staging for production) have the kind of the corresponding drift; benign rules (case, digits for words,
abbreviations) are equivalent. Rule-based pairs are few compared with recorded texts; they cover edge cases.
"""

import itertools
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rules import benign, spoiled

from wfgate.alignment.meaning.base import unnumbered
from wfgate.calibration.corpus import read_corpus

CORPORA = Path(__file__).parents[1] / "corpora"
SHARE = 0.5
"""Share of the additional texts that is drawn for each epoch."""
KINDS = ("equivalent", "action", "condition", "weakening", "negation", "quantity", "target", "vague", "other")
DRIFTS = KINDS[1:7]
SOURCES = {
    "worfbench": ("worfbench/variants.jsonl", "steps/variants.jsonl"),
    "operations": ("ops/ops.jsonl", "ops/further.jsonl"),
}


@dataclass(frozen=True)
class Record:
    """A golden and its recorded texts; steps count from 0.

    Attributes:
        corpus: "worfbench" or "operations".
        id: Its id.
        steps: Texts of the steps.
        rewordings: Complete rewordings, one text per step each.
        drifts: (step, kind, text).
        vague: (step, text).
        merges: (steps, text).
        further: Additional texts per step, for training only.
    """

    corpus: str
    id: str
    steps: tuple[str, ...]
    rewordings: tuple[tuple[str, ...], ...]
    drifts: tuple[tuple[int, str, str], ...]
    vague: tuple[tuple[int, str], ...]
    merges: tuple[tuple[tuple[int, ...], str], ...] = ()
    further: tuple["Further", ...] = ()


@dataclass(frozen=True)
class Further:
    """Additional texts of one step, for training only.

    Attributes:
        same: Texts with the same meaning, freely worded or lightly edited.
        changed: (kind, text) of texts with another meaning, freely worded or lightly edited.
    """

    same: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Pair:
    """Two texts of one step, or of two steps.

    Attributes:
        corpus: Name of the corpus.
        golden: Id of the golden.
        step: Step of the golden, from 0.
        first: Golden or reworded text.
        second: The text under test.
        kind: One of `KINDS`.
        basis: Origin of the first text: "golden" (verbatim), "reworded", "further" (for training only), or "rule".
    """

    corpus: str
    golden: str
    step: int
    first: str
    second: str
    kind: str
    basis: str = field(default="golden")


def records() -> list[Record]:
    """Read every golden with recorded texts, without three whose texts have another number of steps."""
    worfbench = {
        golden.id: tuple(unnumbered(task.text) for task in golden.workflow.tasks)
        for golden in read_corpus([CORPORA / "worfbench"]).goldens
    }
    more = {}
    for record in _lines(Path(__file__).parent / "further.jsonl"):
        more[record["id"]] = tuple(
            Further(tuple(step["same"]), tuple((drift["kind"], drift["text"]) for drift in step["changed"]))
            for step in record["steps"]
        )
    found = []
    for corpus, names in SOURCES.items():
        for record in (record for name in names for record in _lines(CORPORA / name)):
            steps = tuple(record.get("steps") or worfbench[record["id"]])
            vague = record.get("vague") or []
            if len(record["paraphrase_a"]) != len(steps):
                continue
            found.append(
                Record(
                    corpus,
                    record["id"],
                    steps,
                    tuple(tuple(record[key]) for key in ("paraphrase_a", "paraphrase_b")),
                    tuple((drift["step"] - 1, drift["kind"], drift["text"]) for drift in record["drifts"]),
                    tuple(
                        (item["step"] - 1, item["text"]) for item in (vague if isinstance(vague, list) else [vague])
                    ),
                    tuple(
                        (tuple(step - 1 for step in merge["steps"]), merge["text"])
                        for merge in record.get("merges", ())
                    ),
                    more[record["id"]],
                )
            )
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, with list numbers removed from texts as in the meaning model."""
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line, object_hook=lambda record: {key: _unnumbered(value) for key, value in record.items()})


def _unnumbered(value: Any) -> Any:
    if isinstance(value, list):
        return [_unnumbered(item) for item in value]
    return unnumbered(value) if isinstance(value, str) else value


def folds(found: Sequence[Record], count: int) -> list[list[Record]]:
    """Split goldens into folds. Goldens that share a step text are in the same fold, to avoid leakage.

    Both corpora are distributed evenly; the split depends only on the texts.
    """
    leader: dict[int, int] = {}

    def lead(place: int) -> int:
        while leader.setdefault(place, place) != place:
            place = leader[place]
        return place

    first: dict[str, int] = {}
    for place, record in enumerate(found):
        for step in record.steps:
            words = " ".join(re.findall(r"\w+", step.lower()))
            leader[lead(place)] = lead(first.setdefault(words, place))
    groups: defaultdict[int, list[Record]] = defaultdict(list)
    for place, record in enumerate(found):
        groups[lead(place)].append(record)
    ranked = sorted(groups.values(), key=lambda group: (-len(group), min(record.id for record in group)))
    split: list[list[Record]] = [[] for _ in range(count)]
    size = [dict.fromkeys(SOURCES, 0) for _ in range(count)]
    random.Random(0).shuffle(ranked)
    for group in sorted(ranked, key=len, reverse=True):
        corpus = group[0].corpus
        smallest = min(range(count), key=lambda fold: size[fold][corpus])
        split[smallest] += group
        size[smallest][corpus] += sum(len(record.steps) for record in group)
    return split


def recorded(record: Record) -> Iterator[Pair]:
    """Yield pairs of recorded texts: rewordings, drifts and vague steps against the golden and against rewordings."""

    def pair(step: int, first: str, second: str, kind: str, basis: str) -> Pair:
        return Pair(record.corpus, record.id, step, first, second, kind, basis)

    for step, golden in enumerate(record.steps):
        texts = [reworded[step] for reworded in record.rewordings]
        yield from (pair(step, golden, text, "equivalent", "golden") for text in texts if text != golden)
        if len(set(texts)) > 1:
            yield pair(step, texts[0], texts[1], "equivalent", "reworded")
    changed = [*record.drifts, *((step, "vague", text) for step, text in record.vague)]
    for step, kind, text in changed:
        yield pair(step, record.steps[step], text, kind, "golden")
        for reworded in record.rewordings:
            if reworded[step] != record.steps[step]:
                yield pair(step, reworded[step], text, kind, "reworded")


def sampled(record: Record, rng: random.Random) -> Iterator[Pair]:
    """Yield pairs for one epoch: recorded texts, each drift against one rewording, some of the additional texts."""
    texts = [[golden, *(reworded[step] for reworded in record.rewordings)] for step, golden in enumerate(record.steps)]
    against = defaultdict(list)
    for pair in recorded(record):
        if pair.basis == "golden" or pair.kind == "equivalent":
            yield pair
        else:
            against[pair.step, pair.second].append(pair)
    yield from (rng.choice(pairs) for pairs in against.values())
    for step, further in enumerate(record.further):
        known = [*texts[step], *further.same]
        for text in further.same:
            if rng.random() < SHARE:
                others = [other for other in (texts[step][0], *known) if other != text]
                yield _further(record, step, rng.choice(others), text, "equivalent")
        for kind, text in further.changed:
            if rng.random() < SHARE:
                yield _further(record, step, rng.choice([texts[step][0], texts[step][0], *known]), text, kind)


def pooled(rng: random.Random) -> Iterator[Pair]:
    """Yield pairs for one epoch of the steps without a workflow, for training only, in every fold."""
    for number, record in enumerate(_lines(Path(__file__).parent / "pool.jsonl")):
        known = [record["step"], *record["same"]]
        changed = [(drift["kind"], drift["text"]) for drift in record["changed"]]
        pairs = [(*pair, "equivalent") for pair in itertools.combinations(known, 2)]
        pairs += [(rng.choice(known), text, kind) for kind, text in (*changed, ("vague", record["vague"]))]
        for first, second, kind in pairs:
            if rng.random() < SHARE:
                yield Pair("pool", str(number), 0, first, second, kind, "further")


def _further(record: Record, step: int, first: str, second: str, kind: str) -> Pair:
    return Pair(record.corpus, record.id, step, first, second, kind, "further")


def composed(record: Record, rng: random.Random) -> Iterator[Pair]:
    """Yield negatives and positives made without new texts: other steps, merged steps, rules."""
    n = len(record.steps)
    texts = [[golden, *(reworded[step] for reworded in record.rewordings)] for step, golden in enumerate(record.steps)]
    for step in range(n):
        others = [other for other in range(n) if not {*texts[step]} & {*texts[other]}]
        if others and rng.random() < 0.6:
            other = rng.choice(others)
            pair = rng.choice(texts[step]), rng.choice(texts[other])
            yield Pair(record.corpus, record.id, step, *pair, "other", "rule")
        first, second = rng.choice(texts[step]), rng.choice(texts[step])
        found = spoiled(second, rng)
        if found is not None:
            yield Pair(record.corpus, record.id, step, first, found[1], found[0], "rule")
        same = benign(second, rng)
        if same != first and rng.random() < 0.5:
            yield Pair(record.corpus, record.id, step, first, same, "equivalent", "rule")
    for steps, text in record.merges:
        yield Pair(record.corpus, record.id, steps[0], rng.choice(texts[rng.choice(steps)]), text, "other", "rule")
