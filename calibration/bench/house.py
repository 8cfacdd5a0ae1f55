"""The size and the shape of the package: lines, files, functions, imports between packages, cycles."""

import ast
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import networkx as nx

PACKAGE = Path(__file__).parents[2] / "wfgate"


def house() -> None:
    """Print lines and files by package, the length of functions, and the imports between packages."""
    print("## The package\n")
    print("| package | files | lines | functions | median lines of a function |\n" + "| --- " * 5 + "|")
    files: defaultdict[str, list[Path]] = defaultdict(list)
    for file in sorted(PACKAGE.rglob("*.py")):
        files[_package(file)].append(file)
    lengths = {name: [length for file in group for length in _functions(file)] for name, group in files.items()}
    for name, group in files.items():
        print(_row(name, group, lengths[name]))
    print(
        _row(
            "all",
            [file for group in files.values() for file in group],
            [n for group in lengths.values() for n in group],
        )
    )
    imports = Counter(
        (_package(file), target) for group in files.values() for file in group for target in _imported(file)
    )
    graph = nx.DiGraph((source, target) for source, target in imports if source != target)
    cycles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    modules = nx.DiGraph(
        (_module(file), target) for group in files.values() for file in group for target in _modules(file)
    )
    circles = [sorted(part) for part in nx.strongly_connected_components(modules) if len(part) > 1]
    print(f"\nImports between packages: {graph.number_of_edges()} pairs, {sum(imports.values()):,} statements.")
    print(f"Cycles between packages: {cycles or 'none'}. Cycles between modules: {circles or 'none'}.")


def _row(name: str, files: list[Path], lengths: list[int]) -> str:
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    median = f"{statistics.median(lengths):.0f}" if lengths else "-"
    return f"| {name} | {len(files)} | {lines:,} | {len(lengths):,} | {median} |"


def _package(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "(top level)"


def _module(file: Path) -> str:
    return ".".join(["wfgate", *file.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


def _functions(file: Path) -> list[int]:
    """Return the lines of each function, docstring and decorators not counted."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            text = (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            )
            documented = (first.end_lineno or 0) - first.lineno + 1 if text else 0
            found.append((node.end_lineno or 0) - node.lineno + 1 - documented)
    return found


def _statements(file: Path) -> list[ast.ImportFrom]:
    """Return the imports of the package by itself, those for type checkers alone left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    typing = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node not in typing)
    return [node for node in found if (node.module or "").split(".")[0] == "wfgate"]


def _imported(file: Path) -> list[str]:
    targets = [(node.module or "").split(".") for node in _statements(file)]
    return [parts[1] for parts in targets if len(parts) > 1 and (PACKAGE / parts[1]).is_dir()]


def _modules(file: Path) -> set[str]:
    """Return the modules that a module imports, a name of a package that is a module itself among them."""
    found = set()
    for node in _statements(file):
        module = node.module or ""
        for name in node.names:
            inner = PACKAGE.joinpath(*module.split(".")[1:], name.name)
            found.add(f"{module}.{name.name}" if inner.with_suffix(".py").exists() else module)
    return found - {_module(file)}
