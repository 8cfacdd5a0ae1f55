"""Workflows of XXP in other files: finds the file with a base that a derived workflow names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from wfgate.errors import FormatError, printable
from wfgate.model import place_in
from wfgate.read.documents.beside import Beside
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.documents.kind import document_of
from wfgate.read.formats.xxp.parser import Parser, XxpBlock

MAX_FILES = 100
"""Largest number of files that are opened for one file."""
_SUFFIX = ".xxp"


@dataclass(frozen=True)
class XxpSource:
    """A file of XXP: where it is, and the files that it imports, as written. Without `beside` it has no neighbours."""

    beside: Beside | None
    imports: tuple[str, ...] = ()


@dataclass
class Others:
    """The other files of a workflow.

    The full name of a workflow is its package and its name. The base `a.b.Name` is looked for in the imported files,
    then in the folder `a/b`, then among the files beside. These folders are relative to the folder of the file, and to
    the folder above the file's own package: `package a;` in `x/a/file.xxp` has its packages in `x`. In a folder, the
    file `Name.xxp` comes first, then the others by name.

    Attributes:
        read: The files that a base was found in, without links.
        diagnostics: Where each base is.
    """

    document: Document
    read: set[Path] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _opened: int = 0
    _texts: dict[Path, str | None] = field(default_factory=dict)

    def with_base(self, block: XxpBlock, source: XxpSource) -> tuple[list[XxpBlock], XxpSource]:
        """Return the workflows of the file with the base of a workflow; no workflows if no file has it.

        Cost: linear in the size of the files, at most `MAX_FILES`.

        Raises:
            FormatError: If the file with the base has a syntax error.
        """
        if source.beside is None or block.base is None:
            return [], source
        *package, name = block.base.replace("/", ".").split(".")
        wanted = ".".join(package) or block.package
        head = re.compile(rf"\b(?:workflow|experiment)\s+{re.escape(name)}\b")
        seen: set[Path] = set()
        for path, imported in _paths(source.beside, source.imports, block.package, wanted, name):
            file = source.beside.file(path)
            if file is None or file.place in seen | {source.beside.place}:
                continue
            seen.add(file.place)
            text = self._text(file)
            if text is None or not head.search(text):
                continue
            document = document_of(text, printable(str(file.path)))
            parser = Parser(document)
            blocks = parser.file()
            loose = imported and not package
            if not any(each.name == name and (loose or each.package == wanted) for each in blocks):
                continue
            if file.place not in self.read:
                self.diagnostics += parser.diagnostics
            self.read.add(file.place)
            message = f"{block.base[:80]}, the base of {block.name[:80]}, is read from {path[:200]}"
            self.diagnostics.append(self.document.diagnostic_at(block.span, "info", message))
            for each in blocks:
                _place(each, document.name)
            return blocks, XxpSource(file, tuple(parser.imports))
        return [], source

    def has_read(self, source: XxpSource, imported: str) -> bool:
        """Return whether a base was found in an imported file."""
        file = source.beside.file(imported) if source.beside else None
        return file is not None and file.place in self.read

    def _text(self, file: Beside) -> str | None:
        """Return the text of a file; None if it cannot be read, or too many files are open already."""
        if file.place not in self._texts:
            if self._opened >= MAX_FILES:
                return None
            self._opened += 1
            try:
                self._texts[file.place] = file.text()
            except FormatError:
                self._texts[file.place] = None
        return self._texts[file.place]


def _paths(beside: Beside, imports: Sequence[str], own: str, wanted: str, name: str) -> Iterator[tuple[str, bool]]:
    """Yield paths relative to the folder of a file, and whether the file imports them.

    Args:
        beside: The files around the file.
        imports: The imported files.
        own: Package of the file.
        wanted: Package of the base.
        name: Name of the base.
    """
    yield from ((path, True) for path in imports)
    parts = own.split(".") if own else []
    above = "../" * len(parts) if beside.folders[-len(parts) :] == tuple(parts) else ""
    inner = "".join(f"{part}/" for part in wanted.split(".") if part)
    for folder in dict.fromkeys((f"{above}{inner}", inner, above, "")):
        first = f"{name}{_SUFFIX}"
        names = beside.names(folder or ".", _SUFFIX)
        yield from ((f"{folder}{each}", False) for each in sorted(names, key=lambda each: (each != first, each)))


def _place(block: XxpBlock, file: str) -> None:
    """Give a block and everything in it positions in its own file."""
    placed = partial(place_in, file)
    pending = [block]
    while pending:
        each = pending.pop()
        each.span = placed(each.span)
        each.arrows = [replace(arrow, span=placed(arrow.span)) for arrow in each.arrows]
        each.flows = [tuple(replace(port, span=placed(port.span)) for port in chain) for chain in each.flows]
        each.gates = {name: replace(gate, span=placed(gate.span)) for name, gate in each.gates.items()}
        pending += [*each.inside.values(), *each.twice, *each.configs]
