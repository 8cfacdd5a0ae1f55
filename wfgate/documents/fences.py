"""Fenced blocks in prose, for example in a model's answer or a Markdown file."""

from collections.abc import Iterator
from dataclasses import dataclass

FENCES = ("```", "~~~")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        line: Line of the opening fence, from 1.
        language: The info string of the fence, in lower case ("yaml").
        text: The lines between the fences.
        end: Line of the closing fence; if there is none, the last line of the text.
    """

    line: int
    language: str
    text: str
    end: int


def fenced_blocks(text: str) -> Iterator[Block]:
    r"""Yield the fenced blocks of a text.

    A block begins with three or more backticks or tildes. It ends with at least as many of them, or at the end of the
    text.

    Example:
        >>> list(fenced_blocks("Here it is:\n```yaml\na: 1\n```\n"))
        [Block(line=2, language='yaml', text='a: 1', end=4)]
    """
    if not any(fence in text for fence in FENCES):
        return
    lines = text.split("\n")
    start, fence, language = 0, "", ""
    for number, line in enumerate(lines, start=1):
        bare = line.strip(" \t\r")
        mark = bare[: len(bare) - len(bare.lstrip(bare[0]))] if bare.startswith(FENCES) else ""
        if not fence and mark:
            start, fence, language = number, mark, bare[len(mark) :].strip().lower()
        elif fence and mark.startswith(fence) and bare == mark:
            yield Block(start, language, "\n".join(lines[start : number - 1]), number)
            fence = ""
    if fence:
        yield Block(start, language, "\n".join(lines[start:]), len(lines))
