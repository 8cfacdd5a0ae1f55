"""Recorded texts of goldens, with labels for the change of meaning.

Kinds: "equivalent"; the recorded drifts "action", "condition", "weakening", "negation", "quantity", "target"; "vague"
(without substance); "other" (another step, or one that covers several). Rule-based negatives (another number, the
opposite word, staging for production) have the kind of the corresponding drift; benign rules (case, digits for words,
abbreviations) are equivalent. Rule-based pairs are few compared with recorded texts; they cover edge cases.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinds import KINDS

from wfgate.calibration import read_corpus
from wfgate.language import unnumbered

CORPORA = Path(__file__).parents[1] / "corpora"
DRIFTS = KINDS[1:7]
SOURCES = {
    "worfbench": ("worfbench/variants.jsonl", "steps/variants.jsonl"),
    "operations": ("ops/ops.jsonl", "ops/further.jsonl"),
}
CALIBRATING = {
    "worfbench": ("dev/worfbench.jsonl",),
    "operations": ("dev/ops.jsonl", "dev/short.jsonl", "dev/conditions.jsonl", "dev/runbooks.jsonl"),
}
"""Texts that never train: they calibrate and measure."""


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


def records(sources: dict[str, tuple[str, ...]] = SOURCES) -> list[Record]:
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
    for corpus, names in sources.items():
        for record in (record for name in names for record in _lines(CORPORA / name)):
            steps = tuple(record.get("steps") or worfbench[record["id"]])
            vague = record.get("vague") or []
            if not {"rewordings", "paraphrase_a"} & record.keys():  # a workflow whose texts are another record
                continue
            rewordings = record.get("rewordings") or [record["paraphrase_a"], record["paraphrase_b"]]
            if any(len(texts) != len(steps) for texts in rewordings):
                continue
            found.append(
                Record(
                    corpus,
                    record["id"],
                    steps,
                    tuple(map(tuple, rewordings)),
                    tuple((drift["step"] - 1, drift["kind"], drift["text"]) for drift in record["drifts"]),
                    tuple(
                        (item["step"] - 1, item["text"]) for item in (vague if isinstance(vague, list) else [vague])
                    ),
                    tuple(
                        (tuple(step - 1 for step in merge["steps"]), merge["text"])
                        for merge in record.get("merges", ())
                    ),
                    more.get(record["id"], ()),
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


def recorded(record: Record) -> Iterator[tuple[str, str, str]]:
    """Yield the text of a golden step, a recorded text of it, and the kind of the difference."""
    for step, golden in enumerate(record.steps):
        texts = [reworded[step] for reworded in record.rewordings]
        yield from ((golden, text, "equivalent") for text in texts if text != golden)
    yield from ((record.steps[step], text, kind) for step, kind, text in record.drifts)
    yield from ((record.steps[step], text, "vague") for step, text in record.vague)
