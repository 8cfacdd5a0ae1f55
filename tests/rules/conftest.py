"""Reads the pairs under `tests/pairs`: two workflows, which step is which, and the findings expected."""

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wfgate.compare import Alignment, Comparison
from wfgate.compare.alignment import Match, Merge, Split
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder
from wfgate.model import TaskGraph, Workflow, expand
from wfgate.read import read_file
from wfgate.rules import Finding, review, unreadable

PAIRS = Path(__file__).parents[1] / "pairs"


@dataclass(frozen=True)
class Pair:
    """One case. The alignment is written down, so that no change of the matching can move these tests."""

    name: str
    golden: Workflow
    candidate: Workflow
    expected: dict[str, Any]
    refused: FormatError | None = None

    @classmethod
    def load(cls, name: str) -> "Pair":
        """Read a pair; where `expected.json` says that the candidate is unreadable, the golden stands for it."""
        folder = PAIRS / name
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        golden = read_file(folder / "golden.yaml").workflow
        if not expected.get("unreadable"):
            return cls(name, golden, read_file(folder / "candidate.yaml").workflow, expected)
        with pytest.raises(FormatError) as refused:
            read_file(folder / "candidate.yaml")
        return cls(name, golden, golden, expected, refused.value)

    def reversed(self) -> "Pair":
        """Return the pair with golden and candidate exchanged."""
        expected = {"merges": self.expected.get("splits", {}), "splits": self.expected.get("merges", {})}
        if (same := self.expected.get("same")) is not None:
            expected["same"] = {now: was for was, now in same.items()}
        return Pair(self.name, self.candidate, self.golden, expected)

    def findings(self) -> tuple[Finding, ...]:
        return review(self.comparison()) if self.refused is None else (unreadable(self.refused),)

    def comparison(self) -> Comparison:
        golden, candidate = expand(self.golden), expand(self.candidate)
        opened = compared(
            golden,
            candidate,
            self.expected.get("same"),
            self.expected.get("merges", {}),
            self.expected.get("splits", {}),
        )
        return replace(opened, golden_file=self.golden, candidate_file=self.candidate)


def compared(golden, candidate, same=None, merges=None, splits=None) -> Comparison:
    """Align by name; `same` maps golden names to candidate names where they differ."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for position, task in enumerate(candidate.tasks):
        places[task.name].append(position)
    where = {name: tuple(found) for name, found in places.items()}
    matches = []
    for position, task in enumerate(golden.tasks):
        name = task.name if same is None else same.get(task.name)
        if places.get(name):
            matches.append(Match(golden=position, candidate=places[name].pop(0), similarity=1.0))
    first = {task.name: position for position, task in reversed(list(enumerate(golden.tasks)))}
    alignment = Alignment(
        matches=tuple(matches),
        merges=tuple(
            Merge(golden=tuple(first[name] for name in names), candidate=where[one][0])
            for one, names in (merges or {}).items()
        ),
        splits=tuple(
            Split(golden=first[one], candidate=tuple(where[name][0] for name in names))
            for one, names in (splits or {}).items()
        ),
    )
    similarity = np.zeros((len(golden.tasks), len(candidate.tasks)))
    for match in alignment.matches:
        similarity[match.golden, match.candidate] = 1
    for merge in alignment.merges:
        similarity[list(merge.golden), merge.candidate] = 1
    for split in alignment.splits:
        similarity[split.golden, list(split.candidate)] = 1
    return Comparison(
        golden,
        candidate,
        TaskGraph.of(golden),
        TaskGraph.of(candidate),
        lambda: similarity,
        alignment,
        StaticEmbedder(),
    )


@pytest.fixture(scope="session")
def load_pair():
    return Pair.load


@pytest.fixture(scope="session")
def pair_names():
    return sorted(folder.name for folder in PAIRS.iterdir() if folder.is_dir())


@pytest.fixture(scope="session")
def compare_by_name():
    return compared
