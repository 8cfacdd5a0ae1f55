"""Reads all workflows of an XXP file."""

from wfgate.documents import Document
from wfgate.formats.base import Reading
from wfgate.formats.xxp.build import Builder
from wfgate.formats.xxp.derive import Library
from wfgate.formats.xxp.parser import Block, Parser


def read_file(document: Document) -> Reading:
    """Return the main workflow of a file, with all others as sub-workflows.

    Raises:
        FormatError: If there is no workflow, a block or text is not closed, a link is not valid, or the base of the
            main workflow is not in the file.
    """
    parser = Parser(document)
    found = parser.file()
    if not found:
        raise document.error_at(
            document.top, "the file has no workflow", fix="write `workflow NAME {` at the beginning"
        )
    blocks: dict[str, Block] = {}
    for block in found:
        if block.name in blocks and block.package != blocks[block.name].package:
            block.name = f"{block.package}.{block.name}"
        if blocks.setdefault(block.name, block) is not block:
            message = f"another workflow has the name {block.name[:80]}; this workflow is not read"
            parser.diagnostics.append(
                document.diagnostic_at(block.span, "warning", message, fix="rename one of the two workflows")
            )
    library = Library(document, blocks)
    builder = Builder(document, library)
    main, others = _main(library)
    builder.wanted += others
    workflow = builder.build(main)
    for name in others:
        message = f"{main[:80]} is read as the main workflow; {name[:80]} is read as a sub-workflow"
        parser.diagnostics.append(document.diagnostic_at(blocks[name].span, "info", message))
    notes = (*parser.diagnostics, *library.diagnostics, *builder.diagnostics)
    return Reading(workflow, "xxp", notes)


def _main(library: Library) -> tuple[str, list[str]]:
    """Return the main workflow, and the other workflows that no workflow runs or is derived from."""
    used: set[str] = set()
    pending = list(library.blocks.values())
    while pending:
        block = pending.pop()
        used |= {
            name for said in (block.base, block.calls, block.action) if (name := library.find(said, block.package))
        }
        pending += [*block.inside.values(), *block.configs]
    free = [name for name in library.blocks if name not in used] or list(library.blocks)[:1]
    experiments = [name for name in free if library.blocks[name].kind == "experiment"]
    main = (experiments or free)[0]
    return main, [name for name in free if name != main]
