"""Registries: the tables say what the classes say, and nothing is loaded before it is asked for."""

import subprocess
import sys

import pytest

from wfgate.base import summary_of
from wfgate.base.registry import Registry, table
from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.perturb import RECORDED
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.catalogue import FACTS
from wfgate.compare import DEFAULT_METRICS, METRICS
from wfgate.decide import RUN_CHECKS
from wfgate.errors import ConfigError
from wfgate.language.embedders import DEFAULT_EMBEDDER, EMBEDDERS
from wfgate.language.meaning import DEFAULT_MEANING_MODEL, MEANING_MODELS
from wfgate.read import FORMATS
from wfgate.read.formats.table import FORMATS_TABLE
from wfgate.rules import CHECKS
from wfgate.rules.checks import ABSOLUTE, OWN, RELATIVE
from wfgate.show import REPORTERS

ALL = (FORMATS, METRICS, CHECKS, RUN_CHECKS, REPORTERS, PERTURBATIONS, FACTS, EMBEDDERS, MEANING_MODELS)


@pytest.mark.parametrize("registry", ALL, ids=lambda registry: registry.kind)
def test_a_table_says_what_the_classes_say(registry):
    assert [entry.id for entry in registry.values()] == [*registry]
    assert registry.summaries == {name: summary_of(entry) for name, entry in registry.items()}
    assert not any(name in registry for name in ("", "unheard-of"))


def test_what_is_written_beside_a_table_agrees_with_the_classes():
    assert {name: line.suffixes for name, line in FORMATS_TABLE.items()} == {
        name: form.suffixes for name, form in FORMATS.items()
    }
    assert list(DEFAULT_METRICS) == [name for name, metric in METRICS.items() if metric.default]
    assert list(RECORDED) == [name for name, kind in PERTURBATIONS.items() if isinstance(kind, Recorded)]
    assert (next(iter(EMBEDDERS)), next(iter(MEANING_MODELS))) == (DEFAULT_EMBEDDER, DEFAULT_MEANING_MODEL)
    assert list(CHECKS) == [*ABSOLUTE, *RELATIVE, *OWN]
    assert all(CHECKS[name] is check for name, check in (*ABSOLUTE.items(), *RELATIVE.items(), *OWN.items()))


def test_an_unknown_id_lists_the_known_ones():
    registry = Registry("text", table("no.such", {"one": ("module:One", "It is not there.")}))
    assert (list(registry), registry.summaries, "one" in registry) == (["one"], {"one": "It is not there."}, True)
    with pytest.raises(ConfigError, match="unknown text 'two'") as caught:
        registry.find("two")
    assert caught.value.fix == "use one of: one"


LOADED = """\
import sys
from wfgate.cli import run
sys.argv = ["wfgate", *sys.argv[1:]]
try:
    run()
except SystemExit:
    pass
print("LOADED", *sorted(name for name in sys.modules if name.startswith("wfgate.")))
"""


def loaded(*words):
    ran = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True)
    assert "PASS" in ran.stdout or words[0] != "gate", ran.stdout + ran.stderr
    return set(ran.stdout.rpartition("LOADED ")[2].split())


def test_a_gate_loads_one_reader_and_one_report(tmp_path):
    steps = "".join(f"  - Check part {number}\n" for number in range(10))
    for name in ("golden", "candidate"):
        (tmp_path / f"{name}.yaml").write_text(f'wfgate: "1"\nname: {name}\nsteps:\n{steps}')
    modules = loaded("gate", str(tmp_path / "candidate.yaml"), "--reference", str(tmp_path / "golden.yaml"))
    readers = {f"wfgate.read.formats.{line.where.partition(':')[0].split('.')[-1]}" for line in FORMATS_TABLE.values()}
    assert modules & readers == {"wfgate.read.formats.native"}
    for name in ("html", "sarif", "junit", "github", "json", "jsonl", "markdown", "picture", "plugins"):
        assert f"wfgate.show.{name}" not in modules
    assert "wfgate.language.embedders.openai" not in modules


@pytest.mark.parametrize(("kind", "registry"), [("formats", FORMATS), ("reporters", REPORTERS), ("facts", FACTS)])
def test_a_list_loads_no_entry(kind, registry):
    homes = {line.where.partition(":")[0] for line in registry._lines.values()}
    assert loaded("list", kind) & homes == set()
