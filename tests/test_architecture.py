"""The rules of CONTRIBUTING.md that a machine can hold."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "calibration"))

import docs_doors

import wfgate
from wfgate.compare import Comparison

ROOT = Path(__file__).parents[1]
PACKAGE = Path(wfgate.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
"""The text of each module by its path in the package."""

FORBIDDEN = re.compile(
    r"random(\..+)?|secrets(\..+)?|os\.(environ|getenv|urandom)|time\.(time|monotonic|perf_counter)(_ns)?|uuid\.uuid[14]"
    r"|datetime\.(datetime\.)?(now|utcnow|today)|numpy\.random\.(seed|rand|randn|randint|random|choice|shuffle)"
)
"""The clock, the environment, and generators that are not handed in."""
EDGES = {
    "cli/": ".*",
    "pytest_plugin.py": ".*",
    "api.py": r"datetime\.datetime\.now",
    "approvals/forge/api.py": r"time\.time",  # a rate limit ends at a time of the clock
    "base/workers.py": r"os\.environ",  # sets the path of the processes that it starts
    "language/meaning/network.py": r"os\.environ",  # turns the telemetry of a library off
}
"""Modules that are called from outside or start processes, and what of it they may use."""


def _uses(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a module uses, aliases of imports resolved."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                known[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
                yield name.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for name in node.names:
                known[name.asname or name.name] = f"{node.module}.{name.name}"
                yield f"{node.module}.{name.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            parts = [node.attr]
            inner = node.value
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name) and inner.id in known:
                yield ".".join([known[inner.id], *reversed(parts)])


@pytest.fixture(scope="module")
def trees():
    return {name: ast.parse(text) for name, text in MODULES.items()}


def test_nothing_below_the_edges_reads_the_clock_the_environment_or_a_global_generator(trees):
    found = set()
    for name, tree in trees.items():
        allowed = next((names for edge, names in EDGES.items() if name.startswith(edge)), "")
        used = {use for use in _uses(tree) if FORBIDDEN.fullmatch(use)}
        found |= {(name, use) for use in used if not re.fullmatch(allowed, use)}
    assert found == set()


def test_the_rule_above_sees_what_it_should():
    code = "import os, time as t\nfrom datetime import datetime\nimport numpy as np\nfrom random import choice\n"
    code += "os.environ['X']; t.time(); datetime.now(); np.random.seed(1); np.random.default_rng(2)"
    found = {use for use in _uses(ast.parse(code)) if FORBIDDEN.fullmatch(use)}
    assert found == {"os.environ", "time.time", "datetime.datetime.now", "numpy.random.seed", "random.choice"}


MATCHED = {
    *("fates", "fates_in_order", "additions", "additions_in_order", "pairs", "candidate_of", "golden_of"),
    *(
        "golden_order",
        "candidate_order",
        "changed_orders",
        "files",
        "similarity",
        "derived",
        "golden_behaviour",
        "candidate_behaviour",
    ),
}
"""What modules outside `compare` may read of a comparison besides its fields: which steps are matched, and fates."""


def _measured(tree: ast.Module) -> Iterator[str]:
    """Yield the properties of comparisons that a module reads and that only fates may read."""
    kept = {
        name for name, value in vars(Comparison).items() if isinstance(value, (property, cached_property))
    } - MATCHED
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if owner in {"comparison", "own"} and node.attr in kept:
                yield node.attr


def test_only_fates_say_what_became_of_a_step(trees):
    found = {(name, use) for name, tree in trees.items() for use in _measured(tree) if not name.startswith("compare/")}
    assert found == set()


def test_the_rule_about_fates_sees_what_it_should():
    code = "comparison.supports; self.comparison.verbatim; comparison.pairs; comparison.fates; case.supports"
    assert set(_measured(ast.parse(code))) == {"supports", "verbatim"}
    words = {"missing", "extra", "gone", "doubted", "doubtful", "changed", "merged", "split", "moved", "left_out"}
    assert words.isdisjoint(dir(Comparison))


def test_every_folder_of_the_package_has_its_tests():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {folder for folder in folders if not any((ROOT / "tests" / folder).rglob("test_*.py"))} == set()


def _room(module):
    """Return the room of a module; empty for `wfgate`, `wfgate.api` and the like."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else ""


def _deep(name, tree):
    """Yield the modules of other rooms from which a module imports past their front doors."""
    own = name.split("/")[0]
    for node in ast.walk(tree):
        modules = [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module else []
        modules += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        yield from (one for one in modules if one.count(".") > 1 and _room(one) not in {"", own})


def test_other_rooms_are_entered_by_their_front_doors(trees):
    found = {(name, module) for name, tree in trees.items() for module in _deep(name, tree)}
    assert {one for one in found if one[1] != "wfgate.base.door"} == set()


PLUGINS = {
    "AbsoluteCheck",
    "Metric",
    "Observation",
    "Perturbation",
    "RelativeCheck",
    "Reporter",
    "Subject",
    "Variant",
    "with_ends",
}
"""What other packages need (docs/extensions.md, examples/format-plugin) and no other room imports."""


def test_a_front_door_hands_out_what_is_there_and_what_somebody_uses(trees):
    used = {
        (node.module, one.name)
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and name.split("/")[0] != _room(node.module)
        for one in node.names
    }
    texts = "".join(text for name, text in MODULES.items() if not name.endswith("__init__.py"))
    for file, names in docs_doors.doors(PACKAGE):
        room = f"wfgate.{file.parent.name}"
        assert all(getattr(import_module(room), name) is not None for name in names), room
        shown = re.findall(rf"from {room} import ([\w, ]+)", texts)  # in doctests, too
        by_name = {*re.findall(rf'"{room}:(\w+)', texts), *re.findall(r"\w+", " ".join(shown))}
        assert {name for name in names if (room, name) not in used} - by_name - PLUGINS == set(), room
        assert not {name for name in names if (file.parent / f"{name}.py").exists() or (file.parent / name).is_dir()}


def test_no_module_has_a_name_that_says_nothing():
    assert {Path(name).stem for name in MODULES} & {"utils", "util", "helpers", "helper", "common", "misc"} == set()


def test_every_module_says_what_it_is_for(trees):
    assert {name for name, tree in trees.items() if not ast.get_docstring(tree)} == set()


def test_layers_hold():
    assert (
        import_module("importlinter.cli").lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
        == 0
    )


@pytest.mark.slow
def test_no_path_of_somebody_s_machine_is_tracked():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    tracked = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    here = re.escape(f"{ROOT.resolve()}/".encode())
    mine = re.compile(rb"(?<![\w.:/])(" + here + rb"|/home/\w|/root/|/Users/\w|[A-Z]:\\\\Users)")
    third_party = "calibration/corpora/"  # says what it says
    own = Path(__file__).relative_to(ROOT).as_posix()
    found = [
        name
        for name in tracked.split("\0")
        if name
        and name != own
        and not name.startswith(third_party)
        and (ROOT / name).is_file()
        and mine.search((ROOT / name).read_bytes())
    ]
    assert found == []


def test_no_group_is_repeated_possessively():
    """Python before 3.11.5 matches `(?:...)*+` wrongly, and Debian 12 ships that; `(?>(?:...)*)` is the same."""
    possessive = re.compile(r"\)(?:[*+?]|\{[\d,]*\})\+")
    found = [f"{name}: {hit[0]}" for name, text in MODULES.items() for hit in possessive.finditer(text)]
    assert not found
