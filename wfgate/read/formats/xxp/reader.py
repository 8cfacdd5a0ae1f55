"""Reads all workflows of an XXP file."""

from collections.abc import Iterator

from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.base import Reading
from wfgate.read.formats.xxp.build import Builder
from wfgate.read.formats.xxp.derive import Library
from wfgate.read.formats.xxp.others import XxpSource
from wfgate.read.formats.xxp.parser import Parser, XxpBlock


def read_file(document: Document) -> Reading:
    """Return the main workflow of a file, with all others as sub-workflows.

    Raises:
        FormatError: If there is no workflow, a block or text is not closed, a link is not valid, or the base of the
            main workflow is neither in the file nor in one around it.
    """
    parser = Parser(document)
    read = parser.file()
    if not read:
        raise document.error_at(
            document.top, "the file has no workflow", fix="write `workflow NAME {` at the beginning"
        )
    blocks: dict[str, XxpBlock] = {}
    for block in read:
        if block.name in blocks and block.package != blocks[block.name].package:
            block.name = f"{block.package}.{block.name}"
        if blocks.setdefault(block.name, block) is not block:
            message = f"another workflow has the name {block.name[:80]}; this workflow is not read"
            parser.diagnostics.append(
                document.diagnostic_at(block.span, "warning", message, fix="rename one of the two workflows")
            )
    library = Library(document, blocks, XxpSource(document.beside, tuple(parser.imports)))
    builder = Builder(document, library)
    main, others = _main(library)
    builder.wanted += others
    workflow = builder.build(main)
    for name in others:
        message = f"{main[:80]} is read as the main workflow; {name[:80]} is read as a sub-workflow"
        parser.diagnostics.append(document.diagnostic_at(blocks[name].span, "info", message))
    notes = (*_unread(parser, library), *parser.diagnostics, *library.diagnostics, *builder.diagnostics)
    return Reading(workflow, "xxp", notes)


def _unread(parser: Parser, library: Library) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each import that no base was found in."""
    for path, span in parser.imports.items():
        if not library.others.has_read(library.source, path):
            message = f"the imported file is not read: {path[:80]}"
            fix = "copy the content of the imported file into this file"
            yield parser.document.diagnostic_at(span, "info", message, fix=fix)


def _main(library: Library) -> tuple[str, list[str]]:
    """Return the main workflow, and the other workflows that no workflow runs or is derived from."""
    used: set[str] = set()
    own = list(library.blocks)  # looking for a base adds the workflows of other files
    pending = [library.blocks[name] for name in own]
    while pending:
        block = pending.pop()
        used |= {name for said in (block.calls, block.action) if (name := library.find(said, block.package))}
        if base := library.base(block):
            used.add(base.name)
        pending += [*block.inside.values(), *block.configs]
    free = [name for name in own if name not in used] or own[:1]
    experiments = [name for name in free if library.blocks[name].kind == "experiment"]
    main = (experiments or free)[0]
    return main, [name for name in free if name != main]
