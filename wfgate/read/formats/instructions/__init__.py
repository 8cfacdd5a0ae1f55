"""Instruction files of coding agents."""

from collections.abc import Collection
from typing import ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.base import ProseFormat, Reading
from wfgate.read.formats.hints import is_instructions

__all__ = ["InstructionsFormat"]


class InstructionsFormat(ProseFormat):
    r"""Instruction files of coding agents, such as `AGENTS.md`: each rule is a demand.

    The name of the file decides: `AGENTS.md`, `CLAUDE.md`, `GEMINI.md`, `SKILL.md`, `.cursorrules`, `.windsurfrules`,
    `.clinerules`, `copilot-instructions.md`, `*.instructions.md`, `*.mdc`; or `--from instructions`. A workflow in a
    block of such a file is an example and is not read.

    Each of these is one demand, a step without an order: an item of a list, also inside another item, and each text
    in a list of quoted texts; a row of a table; a bold line without anything below it that demands something; and a
    sentence of a paragraph that does ("must", "never", "always", "only", "do not", "should", "prefer", "ensure", or
    an order such as "Run ...", also behind "If ...,"). The items of a numbered list run in their order.

    What a heading, or a line that ends with a colon, says about the demands below it is part of each: "Never",
    "Forbidden" and "Don't" are written as `Never ...`, "Exemptions" as `Skip ...`, "Bad" as `Avoid ...`; "Always",
    "Required", "Recommended", "Only" and "Optional" stand before a colon. So do signs and words before an item (a red
    cross, "Don't:"). The lines of a code block belong to the demand above it. All other text (other headings, lines
    above a list, sentences that only describe, the front matter with its globs) is compared as remarks, as in
    `markdown`. "Above" and "below" as places in the text are the same, because sections may have any order.

    A demand with a strong word (never, must, always, only, do not, required, important and the like) is critical: if
    nothing says it any more, the case is blocked. "Required" in a heading ("Required labels") does not make the
    demands below it critical.

    A candidate is read like its golden, whatever its file is called.

    Measured on 32 real files that were not looked at for the last rules: all 96 unchanged, reordered or reformatted
    versions pass. Of 32 versions in other words, 17 pass, 10 are reviewed and 5 blocked. Of 64 single damages (a
    demand lost, weakened, reversed, or with another value) in the original, none passes, 8 are reviewed and 56
    blocked; of 64 in a version in other words, 10 pass, 28 are reviewed and 26 blocked. On 32 files that were looked
    at: 26, 5 and 1; 0, 11 and 53; 5, 28 and 31. The default profile was calibrated on workflows of 3 to 18 steps, not
    on such files.

    Example:
        >>> text = "# Rules\n- Run `make test` first.\n- Never push to main.\n"
        >>> tasks = InstructionsFormat().read(Document("AGENTS.md", text)).workflow.tasks
        >>> [(task.name, task.critical) for task in tasks]
        [('Run make test first.', False), ('Never push to main.', True)]
    """

    id: ClassVar[str] = "instructions"
    whole: ClassVar[bool] = True
    languages: ClassVar[frozenset[str]] = frozenset()
    suffixes: ClassVar[tuple[str, ...]] = (*ProseFormat.suffixes, ".mdc")
    signature: ClassVar[str] = "the name of a file with instructions for coding agents, such as `AGENTS.md`"

    def recognises(self, document: Document) -> bool:
        """Return whether the name of a text is one of an instruction file."""
        return is_instructions(document)

    def has_steps(self, document: Document) -> bool:
        """Return whether the text is not empty: it is asked only for if this format was requested."""
        return bool(document.text.strip())

    def conflicting_block(self, document: Document, lines: Collection[int]) -> None:
        """Return None: a block in the text is an example."""

    def read(self, document: Document) -> Reading:
        """Read the demands.

        Raises:
            FormatError: If the text demands nothing, or lists are nested too deep.
        """
        from wfgate.read.formats.instructions.reader import read_instructions

        return read_instructions(document)
