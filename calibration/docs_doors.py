"""The stubs `__init__.pyi` of the rooms: what type checkers read of a front door (`wfgate/base/door.py`)."""

import ast
from collections.abc import Iterator
from pathlib import Path


def doors(package: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield each `__init__.py` that is a front door, with the module of each name, relative to the room."""
    for file in sorted(package.glob("*/__init__.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "door":
                table: dict[str, str] = ast.literal_eval(node.args[1])
                yield file, {name: module for module, names in table.items() for name in names.split()}


def stubs(package: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of the stub of each room."""
    for file, names in doors(package):
        room = f"{package.name}.{file.parent.name}"
        lines = [f"from {room}.{module} import {name} as {name}" for name, module in names.items()]
        said = "# Written by `make docs` from `__init__.py`."
        yield file.with_suffix(".pyi"), "\n".join([said, "", *lines, ""])
