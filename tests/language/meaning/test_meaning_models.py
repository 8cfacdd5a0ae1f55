"""Specs, the registry, the shipped judge and the memory around it. The heavy ones have tests of their own."""

import importlib
import inspect
import json
import math
import pickle
import pkgutil
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wfgate.language.meaning
from wfgate.base import Store, key_of, summary_of
from wfgate.errors import ConfigError, EmbedderError
from wfgate.language import (
    DEFAULT_MEANING_MODEL,
    SAME,
    MeaningModel,
    MeaningScore,
    load_meaning_model,
    same_words,
    unnumbered,
)
from wfgate.language.meaning import MEANING_MODELS, network
from wfgate.language.meaning.base import CHANGES
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.meaning.cross_encoder import CrossEncoder
from wfgate.language.meaning.plugins import PluginMeaningModel
from wfgate.language.meaning.step_model import SECOND, StepModel

from ...conftest import STEP_MODEL as JUDGE
from ...hypothesis_examples import examples

SHIPPED = Path(str(files("wfgate") / "data" / "step_equivalence"))
PAIRS = [
    ("Deploy the build to staging", "Roll the build out to staging"),
    ("Deploy the build to staging", "Deploy the build to production"),
    ("Wait at least 30 minutes", "Wait for half an hour or more"),
    ("Wait at least 30 minutes", "Wait at most 30 minutes"),
    ("Enable the firewall rule for the office network", "Disable the firewall rule for the office network"),
    ("The release manager must approve the rollout", "The release manager may look at the rollout if time permits"),
    ("Restore the backup of the orders database", "Do something with the database"),
]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the shipped folder; the networks are links, because they are large."""
    folder = tmp_path / "judge"
    folder.mkdir()
    for path in SHIPPED.iterdir():
        if ".onnx" in path.name:
            (folder / path.name).symlink_to(path)
        else:
            shutil.copy(path, folder)
    return folder


def found_classes():
    package = wfgate.language.meaning
    modules = [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    classes = {c for module in modules for c in vars(module).values() if inspect.isclass(c)}
    return {c for c in classes if issubclass(c, MeaningModel) and not inspect.isabstract(c)}


def test_every_judge_found_is_registered():
    assert found_classes() - {CachedMeaningModel, PluginMeaningModel} == set(MEANING_MODELS.values())
    assert DEFAULT_MEANING_MODEL == next(iter(MEANING_MODELS)) == "step-equivalence"
    assert [kind.form() for kind in MEANING_MODELS.values()] == ["step-equivalence", "cross-encoder:MODEL"]
    assert all(summary_of(kind) for kind in MEANING_MODELS.values())


def test_specs():
    assert load_meaning_model().signature == JUDGE.signature
    heavy = load_meaning_model(" cross-encoder:C:/models/nli ")
    assert (heavy.id, heavy._inner.model) == ("cross-encoder", "C:/models/nli")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("oracle", "unknown meaning model 'oracle'\n  fix: use one of: step-equivalence, cross-encoder:MODEL"),
        ("", "unknown meaning model ''"),
        ("step-equivalence:large", "takes no argument\n  fix: write step-equivalence"),
        ("cross-encoder", "needs a model\n  fix: write cross-encoder:MODEL"),
        ("cross-encoder: ", "needs a model"),
    ],
)
def test_specs_that_make_no_sense(spec, said):
    with pytest.raises(ConfigError) as error:
        load_meaning_model(spec)
    assert said in str(error.value)


@pytest.mark.slow
def test_nothing_heavy_is_loaded_before_texts_differ():
    code = (
        "import sys; from wfgate.language.meaning import load_meaning_model;"
        "judge = load_meaning_model(); load_meaning_model('cross-encoder:x'); judge.signature;"
        "judge.compare([('Deploy it', '1. deploy  it.')]);"
        "print({'torch', 'sentence_transformers', 'tokenizers', 'onnxruntime'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match=r"pip install '\.\[semantic\]'"):
        CrossEncoder("nli").compare([("a", "b")])


def test_rewordings_are_believed_and_changes_are_not():
    said = JUDGE.compare(PAIRS)
    believed = [judgement.logit > 0 for judgement in said]
    assert believed == [True, False, True, False, False, False, False]
    assert said[6].change == "vague"
    assert said[1].change == "target"
    for judgement in said:
        assert sum(judgement.changes) == pytest.approx(1, abs=0.01)
        assert len(judgement.changes) == len(CHANGES)


@pytest.mark.slow
def test_a_judgement_does_not_depend_on_its_company():
    pairs = PAIRS + [(f"{a} in zone {n}", b) for n in range(5) for a, b in PAIRS]
    among = JUDGE.compare(pairs)
    for pair, judgement in zip(pairs, among, strict=True):
        (alone,) = JUDGE.compare([pair])
        assert alone == judgement


def test_a_window_meets_a_demand_with_several_steps_or_with_a_part_of_one():
    golden = "Scan the image for vulnerabilities and sign it"
    split, merged, half = JUDGE.compare(
        [
            (golden, "Check the image for vulnerabilities | Put a signature on the image"),
            ("Sign the image", "Check the image for vulnerabilities and put a signature on it"),
            (golden, "Check the image for vulnerabilities"),
        ]
    )
    assert min(split.logit, merged.logit) > 0 > half.logit


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=4))
def test_any_text_is_judged(pairs):
    for (golden, candidate), judgement in zip(pairs, JUDGE.compare(pairs), strict=True):
        assert not math.isnan(judgement.logit)
        assert (judgement == SAME) == same_words(golden, candidate)
        assert 0 <= judgement.probability <= 1


def test_odd_texts():
    endless = "restart the service " * 2000
    said = JUDGE.compare([("half \ud83d", "whole"), ("", "Sign"), (endless, endless + "twice"), ("a", "a\x00b")])
    assert all(math.isfinite(judgement.logit) for judgement in said)
    assert JUDGE.compare([]) == []


@pytest.mark.parametrize(("first", "second"), [(100, 99), (99, 100), (100, 100), (100, 4), (1, 100)])
def test_long_texts_are_shortened_where_nobody_reads_on(first, second, monkeypatch):
    monkeypatch.setattr(network, "_LONG", 1000)
    pair = "Ünload §1 of the naïve " * first, "Unload all but the last " * second
    shortened = JUDGE._first._shortened(pair)
    assert max(map(len, shortened)) <= 1000
    read, all_of_it = JUDGE._first._tokenizer.encode(*shortened), JUDGE._first._tokenizer.encode(*pair)
    assert (read.ids, read.offsets, read.type_ids) == (all_of_it.ids, all_of_it.offsets, all_of_it.type_ids)


def test_p_values_fall_with_the_logit_and_never_reach_zero():
    logits = np.linspace(-30, 30, 400)
    values = [JUDGE.p_value(float(logit)) for logit in logits]
    assert values == sorted(values)
    goldens = json.loads((SHIPPED / "provenance.json").read_text())["null"]["long"]["goldens"]
    assert values[0] == pytest.approx(1 / (goldens + 1))
    assert values[-1] == pytest.approx(1.0, abs=1e-3)
    assert JUDGE.p_value(math.inf) == pytest.approx(1.0, abs=1e-3)


def test_p_values_by_hand(copied):
    path = copied / "provenance.json"
    null = {"goldens": 3, "logits": [-1.0, 2.0], "below": [0.5, 3.0]}
    short = {"goldens": 1, "logits": [0.0], "below": [1.0]}
    known = json.loads(path.read_text()) | {"null": {"short": short, "long": null}}
    path.write_text(json.dumps(known))
    judge = StepModel(copied)
    assert [judge.p_value(x) for x in (-5, -1.01, -1, 1.9, 2, 9)] == pytest.approx([0.25, 0.25, 0.375, 0.375, 1, 1])
    assert [judge.p_value(-5, words) for words in (1, 4, 5, 6, 7)] == pytest.approx([0.5, 0.5, 5 / 12, 1 / 3, 0.25])


def test_doubt_goes_on_where_p_values_end(copied):
    """The tail starts where a twentieth of the rewordings is left; its slope is their mean excess."""
    path = copied / "provenance.json"
    below = [float(count) for count in range(1, 100)]
    null = {"goldens": 99, "logits": [float(logit) for logit in range(99)], "below": below}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"null": {"short": null, "long": null}}))
    judge = StepModel(copied)
    for logit in (4.0, 10.5, 98.0):
        assert judge.doubt(logit) == pytest.approx(-math.log10(judge.p_value(logit)))
    # five of a hundred are at most 3: below 4 the tail falls by its mean excess (4 - 0 + 4 - 1 + 4 - 2 + 4 - 3) / 4
    assert judge.doubt(-1.0) == pytest.approx(-math.log10(0.05) + 5 / (2.5 * math.log(10)))
    doubts = [judge.doubt(float(logit)) for logit in np.linspace(-40, 98, 300)]
    assert doubts == sorted(doubts, reverse=True)
    assert CachedMeaningModel(judge).doubt(-30.0) == judge.doubt(-30.0) > 4


@pytest.mark.parametrize("name", ["ensemble", "null", "second", "sha256"])
def test_fingerprint_is_of_all_that_judgements_are_made_of(copied, name):
    path = copied / "provenance.json"
    assert StepModel(copied).fingerprint == JUDGE.fingerprint
    known = json.loads(path.read_text())
    known[name]["goldens"] = 1
    path.write_text(json.dumps(known))
    assert StepModel(copied).fingerprint != JUDGE.fingerprint
    assert JUDGE.signature.startswith("step-equivalence/1:")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.onnx", b"no network", r"model.onnx: the hash differs from the recorded one"),
        ("second.onnx.2", b"", r"second.onnx.2: the hash differs from the recorded one"),
        ("tokenizer.json", b"{}", r"tokenizer.json: the hash differs from the recorded one"),
        ("provenance.json", b"{", r"provenance.json"),
        ("provenance.json", b"[]", r"provenance.json"),
    ],
)
def test_damaged_files_say_so(copied, name, content, said):
    (copied / name).unlink()
    (copied / name).write_bytes(content)
    with pytest.raises(EmbedderError, match=f"damaged: {said}.*\n  fix: reinstall wfgate"):
        StepModel(copied).compare(PAIRS)


def test_the_second_network_reads_where_the_first_is_unsure(copied, monkeypatch):
    """A folder without a second network needs none; the scores of pairs that it does not read are the same."""
    read = []
    readings = network.Network.readings
    monkeypatch.setattr(
        network.Network, "readings", lambda self, pairs: (read.append((self, list(pairs))), readings(self, pairs))[1]
    )
    both = StepModel(copied)
    scores = both.compare(PAIRS)
    unsure = [pair for reader, pairs in read if reader is both._second for pair in pairs]
    assert 0 < len(unsure) < len(PAIRS)

    path = copied / "provenance.json"
    known = json.loads(path.read_text())
    known.pop("second")
    path.write_text(json.dumps(known))
    for name in SECOND:
        (copied / name).unlink()
    alone = StepModel(copied).compare(PAIRS)
    assert [pair for pair, one, two in zip(PAIRS, scores, alone, strict=True) if one.logit != two.logit] == unsure
    assert [one.telling for one in scores] == [one.telling for one in alone]


def test_what_is_shipped_is_what_was_recorded():
    known = json.loads((SHIPPED / "provenance.json").read_text())
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 140_000_000
    assert known["changes"] == list(CHANGES)
    assert {"source", "method", "data", "goldens"} <= known.keys()
    assert all(weight < 0 for weight in known["ensemble"]["differences"].values())


def test_pickled_judges_say_the_same():
    for model in (JUDGE, load_meaning_model()):  # one at a time: each takes 120 MB
        again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
        assert again.compare(PAIRS) == JUDGE.compare(PAIRS)


@pytest.mark.parametrize(
    ("golden", "candidate", "same"),
    [
        ("Roll  out.", "3. roll out", True),
        ("Step 2: Unpack", "unpack", True),
        ("2 replicas", "3 replicas", False),
        ("Wait 5. Then go", "Wait 6. Then go", False),
        ("", " . ", True),
    ],
)
def test_same_words(golden, candidate, same):
    assert same_words(golden, candidate) is same
    assert unnumbered(golden) == unnumbered(unnumbered(golden))


class Counting(MeaningModel):
    id = "counting"
    fingerprint = "f" * 64

    def __init__(self):
        self.asked = []

    def _compare(self, pairs):
        self.asked.append(list(pairs))
        return [MeaningScore(float(len(a) - len(b)), tuple([0.125] * 8) if a[0] == "x" else ()) for a, b in pairs]


def test_what_was_judged_is_remembered():
    inner = Counting()
    cached = CachedMeaningModel(inner, capacity=3)
    assert cached.signature == inner.signature
    assert cached.calibrated is inner.calibrated is False
    assert CachedMeaningModel(JUDGE).calibrated
    assert cached.p_value(-1.0) == inner.p_value(-1.0)
    cached.compare([("a", "b"), ("xx", "y"), ("a", "b"), ("same", "Same")])
    assert inner.asked == [[("a", "b"), ("xx", "y")]]
    assert cached.compare([("xx", "y"), ("ccc", "d")])[0] == MeaningScore(1.0, tuple([0.125] * 8))
    assert inner.asked[1:] == [[("ccc", "d")]]
    cached.compare([("e", "fgh")])  # one too many: all is forgotten, nothing is wrong
    assert cached.compare([("a", "b")]) == [MeaningScore(0.0)]
    assert inner.asked[2:] == [[("e", "fgh")], [("a", "b")]]


def test_what_was_judged_is_kept_in_the_file(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    pairs = [("a", "bb"), ("xx", "y"), ("half \ud83d", "z")]
    expected = Counting().compare(pairs)
    for _ in range(2):
        inner = Counting()
        assert CachedMeaningModel(inner, store).compare(pairs) == expected
    assert inner.asked == []
    other = Counting()
    other.fingerprint = "e" * 64
    CachedMeaningModel(other, store).compare(pairs)
    assert other.asked == [pairs]


def test_values_of_another_shape_are_judged_anew(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    inner = Counting()
    store.write({key_of("meaning", inner.signature, inner.fingerprint, "a", "bb"): b"123"})
    assert CachedMeaningModel(inner, store).compare([("a", "bb")]) == [MeaningScore(-1.0)]
