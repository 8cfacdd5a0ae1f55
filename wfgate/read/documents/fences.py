"""Blocks in prose, for example in a model's answer or a Markdown file: fenced ones, and JSON without fences."""

import json
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


def json_blocks(text: str) -> Iterator[Block]:
    r"""Yield the JSON mappings and lists of a text that stand on lines of their own, without fences.

    `line` is the line before the block, as if there were a fence.

    Example:
        >>> list(json_blocks('Here it is:\n{"a": 1}\nBye.\n'))
        [Block(line=1, language='json', text='{"a": 1}', end=3)]
    """
    decoder = json.JSONDecoder()
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    at = 0
    while at < len(lines):
        begin = starts[at]
        if not lines[at].startswith(("{", "[")):
            at += 1
            continue
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            at += 1
            continue
        after = text.find("\n", end)
        rest = text[end : after if after >= 0 else len(text)]
        last = at + text.count("\n", begin, end)
        if not rest.strip():
            yield Block(at, "json", text[begin:end], last + 2)
        at = last + 1
