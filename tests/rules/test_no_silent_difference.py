"""Any single changed value of any real file is named, and passes only without an effect; other layouts stay quiet."""

import random
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from wfgate.read import CLASSES, consequences_of
from wfgate.run import Config, load_gate

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration" / "bench"))
from single_values import QUIET, changes, data_files, harmless_outcome, outcome

DATA = Path(__file__).parents[1] / "read" / "formats" / "data"
FILES = {name: (format_id, data) for name, format_id, data in data_files(DATA) if consequences_of(format_id).classes}


@pytest.fixture(scope="module")
def gate():
    return load_gate(Config(), date.min)


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_every_changed_value_is_named_and_passes_only_without_effect(gate, count):
    words: Counter[str] = Counter()
    wrong = []
    for name, (format_id, data) in FILES.items():
        rng = random.Random(f"{count} {name}")
        for change in changes(name, format_id, data, count, rng):
            word, _ = outcome(gate, change)
            words[word] += 1
            passed = word in {"silent", "noted"} and change.value_class not in QUIET
            if passed or (word == "silent" and change.value_class not in {"structure", "text"}):
                wrong.append((name, change.kind, change.path, change.value_class, word))
    assert not wrong
    assert words["inconclusive"] <= 0.1 * sum(words.values())
    assert words["block"] > words["noted"]


@pytest.mark.slow
def test_another_layout_is_no_change(gate):
    rng = random.Random(0)
    words = {name: harmless_outcome(gate, name, *file, rng) for name, file in FILES.items()}
    assert {name: word for name, word in words.items() if word != "pass"} == {}


def test_tables_name_known_classes():
    for format_id in {format_id for format_id, _ in FILES.values()}:
        assert set(consequences_of(format_id).classes.values()) <= set(CLASSES)
