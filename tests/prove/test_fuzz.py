"""The short form of the fuzzing: a few thousand broken documents, and a few of 5 MB; the long form is `make prove`."""

import subprocess
import sys
from pathlib import Path

import pytest

from wfgate.errors import ConfigError, FormatError

from ..hypothesis_examples import examples

ROOT = Path(__file__).parents[2]
PROVE = ROOT / "calibration" / "prove"
sys.path.insert(0, str(PROVE))
import fuzz  # noqa: E402 - a script, not a package
from fuzz_targets import Target, targets  # noqa: E402

TARGETS = targets()
INPUTS = examples(160)
SLOW = {"gate"}
"""Of these fewer."""
ENOUGH = 3
"""Seconds to wait for an endless loop in these tests, of processor time."""


def told(text):
    """Fail in each way in which something can."""
    if "hang" in text:
        while True:
            pass
    if "crash" in text:
        raise RecursionError(text)
    if "vague" in text:
        raise FormatError("what to do about it is missing", path="x")
    if "no" in text:
        raise ConfigError(text)
    return text


TELLING = Target("telling", lambda: ["yes", "no"], told, "text")


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_documented_errors(name):
    row = fuzz.hammer(TARGETS[name], INPUTS // (10 if name in SLOW else 1), "short")
    assert row.faults == []


def test_seeds_are_accepted():
    """What is refused at once is no good start."""
    for name, target in TARGETS.items():
        found = [fuzz.attempt(target, text)[0] for text in target.seeds()[:8]]
        assert found.count("accepted") > len(found) / 2, name


@pytest.mark.parametrize(
    ("text", "name"),
    [("yes", "accepted"), ("no", "ConfigError"), ("crash", "RecursionError"), ("vague", "FormatError")],
)
def test_an_attempt_says_what_came_of_it(text, name):
    found, where, _ = fuzz.attempt(TELLING, text)
    assert found == name
    assert bool(where) == (text in {"crash", "vague"})  # an error without a way out is no documented one


@pytest.mark.slow
def test_an_endless_loop_is_ended():
    assert fuzz.attempt(TELLING, "hang", ENOUGH)[0] == f"over {ENOUGH} s"


def test_faults_are_found_kept_once_and_shortened():
    texts = ["a word before", "a crash of the whole", "yes"]
    row = fuzz.hammer(Target("telling", lambda: texts, told, "text"), 100, "0")
    ((name, where, text),) = row.faults
    assert name == "RecursionError"
    assert row.inputs == sum(row.errors.values()) == 100
    assert row.errors[name] > 1
    assert fuzz.shortened(TELLING, text, name, where) == "crash"


def test_the_same_seed_gives_the_same_inputs():
    def drawn(seed):
        def heard(text):
            name, _, said = fuzz.attempt(TARGETS["any format"], text)
            return name, said

        return list(fuzz.inputs_of(TARGETS["any format"], 80, seed, heard))

    assert drawn("a") == drawn("a")
    assert drawn("a") != drawn("b")


@pytest.mark.slow
def test_what_kills_the_process_is_an_error_of_its_input(tmp_path):
    (tmp_path / "killing.py").write_text(
        f"import os, sys\nsys.path[:0] = [{str(PROVE)!r}, {str(ROOT / 'tests')!r}]\nimport fuzz_targets\n"
        "kill = lambda text: os.abort() if len(text) > 20 else text\n"
        "fuzz_targets.targets = lambda: {'x': fuzz_targets.Target('x', lambda: ['a b', 'c d'], kill, 'text')}\n"
        "import fuzz\nfuzz.targets, fuzz.__file__ = fuzz_targets.targets, __file__\nsys.exit(fuzz.main())\n"
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "killing.py"), "--inputs", "500"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "| ended by SIGABRT |" in done.stdout
    assert "1 distinct faults" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["any format", "profile", "recorded result", "judge's answer"])  # all: `make prove`
def test_documents_of_5_mb_take_no_more_than_1_gb(name):
    enough = "240"  # seconds, also for a slow machine
    command = [sys.executable, str(PROVE / "fuzz.py"), "--large", "--target", name, "--seconds", enough]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
