"""Pairs of step texts with what became of the meaning, from the recorded corpora.

Kinds: "equivalent"; the recorded drifts "action", "condition", "weakening", "negation", "quantity", "target"; "vague"
(the substance is gone); "other" (another step, or one that covers several). Negatives that a rule makes (another
number, the opposite word, staging for production) carry the kind of drift that they are; benign rules (case, digits
for words, abbreviations) are equivalent. Rules are few beside the recorded texts: they teach edges, not style.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rules import benign, spoiled

from wfgate.calibration.corpus import read_corpus

CORPORA = Path(__file__).parents[1] / "corpora"
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
    """

    corpus: str
    id: str
    steps: tuple[str, ...]
    rewordings: tuple[tuple[str, ...], ...]
    drifts: tuple[tuple[int, str, str], ...]
    vague: tuple[tuple[int, str], ...]
    merges: tuple[tuple[tuple[int, ...], str], ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two texts of one step, or of two.

    Attributes:
        corpus: Where from.
        golden: Id of the golden.
        step: Step of the golden, from 0.
        first: Golden or reworded text.
        second: The text under test.
        kind: One of `KINDS`.
        basis: What was compared: "golden" (verbatim), "reworded", or "rule".
    """

    corpus: str
    golden: str
    step: int
    first: str
    second: str
    kind: str
    basis: str = field(default="golden")


def records() -> list[Record]:
    """Read every golden that has recorded texts; three whose texts count other steps than the golden are left out."""
    worfbench = {
        golden.id: tuple(task.text for task in golden.workflow.tasks)
        for golden in read_corpus([CORPORA / "worfbench"]).goldens
    }
    found = []
    for corpus, names in SOURCES.items():
        for name in names:
            for line in (CORPORA / name).read_text("utf-8").splitlines():
                record = json.loads(line)
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
                            (item["step"] - 1, item["text"])
                            for item in (vague if isinstance(vague, list) else [vague])
                        ),
                        tuple(
                            (tuple(step - 1 for step in merge["steps"]), merge["text"])
                            for merge in record.get("merges", ())
                        ),
                    )
                )
    return found


def folds(found: Sequence[Record], count: int) -> list[list[Record]]:
    """Split goldens into folds; goldens that share the text of a step stay together, or the test would be seen.

    Both corpora are spread evenly; the split depends on the texts alone.
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
    """Yield what was composed: rewordings, drifts, vague steps, each against the golden and against rewordings."""

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


def composed(record: Record, rng: random.Random) -> Iterator[Pair]:
    """Yield negatives and positives that need no new text: other steps, merged steps, rules."""
    n = len(record.steps)
    texts = [[golden, *(reworded[step] for reworded in record.rewordings)] for step, golden in enumerate(record.steps)]
    for step in range(n):
        others = [other for other in range(n) if not {*texts[step]} & {*texts[other]}]
        if others:
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
