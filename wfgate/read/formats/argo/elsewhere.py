"""Workflow templates of Argo in other files of the folder, and of the folders in it."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.argo import is_resource
from wfgate.read.formats.local_files import LocalFiles

MAX_LISTED = 1_000
"""Most files that are looked at."""
_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass
class Elsewhere:
    """Finds resources by their kind and name.

    Attributes:
        document: The file of the workflow.
        files: How the other files were opened.
    """

    document: Document
    files: LocalFiles = field(init=False)
    _texts: dict[str, str] | None = None

    def __post_init__(self) -> None:
        """Begin without an open file."""
        self.files = LocalFiles(self.document)

    def find(self, kind: str, name: str, path: Path) -> tuple[dict[str, Any], Document] | None:
        """Return a resource, its document and its path there; None without one. Two different ones are a warning.

        A template that no file has may be in the cluster, so it is no warning.

        Args:
            kind: The kind of the resource.
            name: Its name.
            path: Where it is referred to.

        Raises:
            FormatError: If too many files may contain it.
        """
        around, key = self.document.beside, f"{kind}/{name}"
        if around is None or around.name is None or key in around.unread:
            self.files.unread.add(key)
            return None
        if self._texts is None:
            self._texts = dict(self._listed(posixpath.dirname(around.name)))
        hits = [hit for file, text in self._texts.items() if name in text for hit in self._in(file, kind, name, path)]
        if any(hit[0] != hits[0][0] for hit in hits):
            named = ", ".join(dict.fromkeys(hit[1].name for hit in hits))[:200]
            message = f"several files have the {kind} {name[:80]!r}, so none is read: {named}"
            self.files.notes.append(self.document.diagnostic("warning", message, *path, fix="keep one of them"))
        elif hits:
            return hits[0]
        self.files.unread.add(key)
        return None

    def _in(self, file: str, kind: str, name: str, path: Path) -> Iterator[tuple[dict[str, Any], Document]]:
        beside = self.document.beside.at(file) if self.document.beside else None
        if beside is None:
            return
        document = self.files.open(beside, self.document, *path)
        for part in document.parts or (document,):
            data, metadata = part.data, part.data.get("metadata") if isinstance(part.data, dict) else None
            named = isinstance(metadata, dict) and metadata.get("name") == name
            if named and is_resource(data) and data.get("kind") == kind:
                yield data, part

    def _listed(self, top: str) -> Iterator[tuple[str, str]]:
        """Yield the names and texts of the files that may contain a workflow template."""
        around = self.document.beside
        folders, count = [top], 0
        while folders and around is not None:
            folder = folders.pop(0)
            for each in around.listed(folder):
                name = posixpath.join(folder, each)
                if not each.endswith(_SUFFIXES) or name == around.name:
                    continue
                count += 1
                if count > MAX_LISTED:
                    message = (
                        f"more than {MAX_LISTED:,} files are around this one, so not all are searched for templates"
                    )
                    self.files.notes.append(self.document.diagnostic_at(self.document.top, "warning", message))
                    return
                file = around.at(name)
                try:
                    text = file.text() if file is not None else ""
                except FormatError:  # too large, or no text
                    continue
                if "WorkflowTemplate" in text:
                    yield name, text
            folders += [posixpath.join(folder, each) for each in around.folders_in(folder)]
