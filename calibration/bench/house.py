"""The size and the shape of the package, now and before the third house.

usage: house.py [REVISION]

A room is a folder at the top of the package. An arrow is a pair of rooms of which one imports from the other; a single
module at the top (`api`, `errors`) counts as a room here. Past a front door goes an import from a module inside
another room, instead of from the room (`base.door`, which makes the doors, left out). Imports for type checkers alone
do not count.
"""

import ast
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from accuracy import table

from wfgate.model import strongly_connected

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
BEFORE = "4f4c20d0"
"""The last revision before the third house."""
RUNS = 5
"""How often a command is started."""
COMMANDS = {
    "`wfgate --help`": ("--help",),
    "a cold `wfgate gate`": (
        "gate",
        str(DEPLOY / "generated" / "reworded.yaml"),
        "--reference",
        str(DEPLOY / "approved" / "deploy.yaml"),
    ),
}
_COUNTED = """
import atexit, sys
loaded = lambda: [name for name in sys.modules if name.split(".")[0] == "wfgate"]
atexit.register(lambda: print(len(loaded()), len(sys.modules), file=sys.stderr))
from wfgate.cli import run
run()
"""
"""Runs the command line and says at the end how many modules are loaded: those of the package, and all."""


def house(revision: str = BEFORE) -> None:
    """Print what the package was at a revision and is now, and its rooms."""
    now = House(ROOT)
    before = dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        # without the history (a source distribution) only the present is measured
        packed = subprocess.run(["git", "archive", revision, "wfgate"], cwd=ROOT, capture_output=True, check=False)  # noqa: S607
        if packed.returncode == 0:
            with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
                archive.extractall(folder, filter="data")
            before = dict(House(Path(folder)).figures())
    print("## The package\n")
    table(("what", f"at {revision}", "now"), [(what, before.get(what, "-"), value) for what, value in now.figures()])
    print()
    table(
        ("room", "files", "lines", "functions", "median lines of a function"),
        [now.row(name, modules) for name, modules in sorted(now.rooms.items())],
    )


@dataclass(frozen=True)
class Module:
    """A file of the package.

    Attributes:
        name: Its dotted name.
        place: Its room, or its own name at the top of the package.
        lines: Number of lines.
        tree: Its syntax.
    """

    name: str
    place: str
    lines: int
    tree: ast.Module

    @cached_property
    def imports(self) -> list[ast.ImportFrom]:
        """The imports of the package by itself, those for type checkers alone left out."""
        typing = {
            node
            for block in ast.walk(self.tree)
            if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
            for node in ast.walk(block)
        }
        statements = (node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom) and node not in typing)
        return [node for node in statements if (node.module or "").startswith("wfgate.")]

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Its functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


class House:
    """The package in a folder.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._package = root / "wfgate"
        self.modules = [*self._read()]
        self.rooms: defaultdict[str, list[Module]] = defaultdict(list)
        for module in self.modules:
            if (self._package / module.place).is_dir():
                self.rooms[module.place].append(module)

    def _read(self) -> Iterator[Module]:
        for file in sorted(self._package.rglob("*.py")):
            parts = file.relative_to(self._root).with_suffix("").parts
            text = file.read_text(encoding="utf-8")
            name = ".".join(parts).removesuffix(".__init__")
            yield Module(name, parts[1], len(text.splitlines()), ast.parse(text))

    def figures(self) -> Iterator[tuple[str, str]]:
        """Yield what is counted and measured, in words."""
        functions = [function for module in self.modules for function in module.functions]
        entered = [(module.place, node.module or "") for module in self.modules for node in module.imports]
        arrows = [(here, there.split(".")[1]) for here, there in entered if there.split(".")[1] != here]
        past = [
            there
            for here, there in entered
            if there.count(".") > 1 and there.split(".")[1] != here and there != "wfgate.base.door"
        ]
        names = Counter(
            node.name for module in self.modules for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)
        )
        yield "files", f"{len(self.modules):,}"
        yield "lines", f"{sum(module.lines for module in self.modules):,}"
        yield "functions; median of their lines", f"{len(functions):,}; {_median(functions)}"
        yield "rooms", f"{len(self.rooms)}"
        yield "arrows between rooms (pairs)", f"{len(set(arrows))}"
        yield "import statements between rooms", f"{len(arrows):,}"
        yield "of these past a front door", f"{len(past):,}"
        yield "cycles between rooms; between modules", f"{_cycles(arrows)}; {_cycles(self._between_modules())}"
        yield "class names used twice", f"{sum(count > 1 for count in names.values())}"
        yield "functions with a variable `found`", f"{sum(map(_has_found, functions))}"
        for what, arguments in COMMANDS.items():
            yield f"{what}: modules loaded (of the package; all); ms of processor time", self._loaded(arguments)

    def row(self, name: str, modules: list[Module]) -> tuple[str, ...]:
        """Return the sizes of a room."""
        functions = [function for module in modules for function in module.functions]
        lines = sum(module.lines for module in modules)
        return (f"`{name}`", f"{len(modules)}", f"{lines:,}", f"{len(functions):,}", _median(functions))

    def _between_modules(self) -> Iterator[tuple[str, str]]:
        """Yield who imports whom; a name of a package that is a module itself is that module."""
        for module in self.modules:
            for node in module.imports:
                for name in node.names:
                    inner = f"{node.module}.{name.name}"
                    there = (
                        inner if (self._root / inner.replace(".", "/")).with_suffix(".py").exists() else node.module
                    )
                    if there and there != module.name:
                        yield module.name, there

    def _loaded(self, arguments: tuple[str, ...]) -> str:
        """Return how many modules a command loads, and the least processor time that it took."""
        environment = {**os.environ, "PYTHONPATH": str(self._root), "WFGATE_CACHE": "off", "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        least = float("inf")
        for _ in range(RUNS + 1):  # the first one compiles
            start = _children_seconds()
            command = [sys.executable, "-P", "-c", _COUNTED, *arguments]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            least = min(least, _children_seconds() - start)
        own, loaded = done.stderr.split()[-2:]
        return f"{own}; {loaded}; {least * 1000:.0f}"


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cycles(arrows: Iterable[tuple[str, str]]) -> str:
    return f"{sum(len(part) > 1 for part in strongly_connected((), arrows))}"


def _median(functions: Iterable[ast.FunctionDef | ast.AsyncFunctionDef]) -> str:
    lengths = [*map(_length, functions)]
    return f"{statistics.median(lengths):.0f}" if lengths else "-"


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function, docstring and decorators not counted."""
    first = function.body[0]
    documented = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - documented


def _has_found(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == "found" and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


if __name__ == "__main__":
    house(*sys.argv[1:])
