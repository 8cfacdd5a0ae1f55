"""The configuration with the local files that it includes, merged as GitLab merges them."""

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.called import items
from wfgate.read.formats.gitlab_ci.effective import merged, written
from wfgate.read.formats.local_files import LocalFiles, check_chain, roots_of


def with_included(document: Document) -> tuple[Document, LocalFiles, bool]:
    """Return the document with its local files, how they were opened, and whether nothing else is included.

    Later files win over earlier ones, and the including file wins over all. Other entries (a project, a template, a
    component, an address, a path with variables) stay in `include`, those of included files too.

    Raises:
        FormatError: If a file cannot be read, or files include each other in a circle or over too many levels.
    """
    files = LocalFiles(document, roots_of(document, usual=".gitlab-ci.yml"))
    own = document.beside.name if document.beside is not None else None
    whole, others = _whole(document, files, [own or ""])
    if not files.opened:
        return document, files, False
    if "include" in document.data:
        whole.data["include"] = document.data["include"]
        nested = [entry for entry in others if entry not in items(document.data["include"])]
        if nested:
            whole.data["include"] = [*items(document.data["include"]), *nested]
    return whole, files, not others


def _whole(document: Document, files: LocalFiles, chain: list[str]) -> tuple[Document, list[Any]]:
    """Return a file merged with those that it includes, without `include`, and the entries that are not read."""
    data: dict[str, Any] = {}
    spans: dict[Path, SourceSpan] = {}
    others: list[Any] = []
    for at, entry in enumerate(items(document.data.get("include"))):
        names = list(_local(entry))
        if not names:
            others.append(entry)
        for name in names:
            place = ("include", at) if isinstance(document.data["include"], list) else ("include",)
            matching = list(_matching(name, files)) or [name]
            for each in matching:
                file = files.find(name, [each], document, *place)
                if file is None or file.name is None:
                    others.append(entry)
                    continue
                check_chain(chain, file.name, document, *place)
                opened = written(files.open(file, document, *place))
                opened.mapping()
                inner, further = _whole(opened, files, [*chain, file.name])
                others += further
                data = merged(data, {key: value for key, value in inner.data.items() if key != "spec"})
                spans |= inner.placed()
    data = merged(data, {key: value for key, value in document.data.items() if key != "include"})
    return replace(document, data=data, spans={**spans, **document.spans}), others


def _local(entry: Any) -> Iterator[str]:
    """Yield the names of the local files of an entry of `include`; none if it includes something else."""
    given = entry if isinstance(entry, str) else entry.get("local") if isinstance(entry, dict) else None
    if isinstance(given, str) and "://" not in given and "$" not in given:
        yield given


def _matching(name: str, files: LocalFiles) -> Iterator[str]:
    """Yield the files that a name with `*` means, in the first root with some; `**` is not read."""
    folder, pattern = posixpath.split(name.lstrip("/"))
    around = files.document.beside
    if "*" not in pattern or "*" in folder or around is None:
        return
    for root in files.roots.folders:
        listed = [
            each for each in around.listed(posixpath.join(root, folder).rstrip("/")) if fnmatchcase(each, pattern)
        ]
        yield from (posixpath.join(folder, each) for each in listed)
        if listed:
            return
