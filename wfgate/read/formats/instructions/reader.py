"""Reads an instruction file: items, rows and sentences that demand something to tasks."""

import re
from dataclasses import dataclass, field

from wfgate.language import OBLIGING, ORDERS, alternatives
from wfgate.model import Link, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import check_size, with_ends
from wfgate.read.formats.markdown.reader import places
from wfgate.read.formats.markdown.scan import Item, Section, scan
from wfgate.read.formats.markdown.steps import BESIDE, SETTING
from wfgate.read.formats.markdown.words import plain

_STRONG = re.compile(
    rf"\b(?:{alternatives(OBLIGING)}|do not|don't|dont|must not|mustn't|cannot|can't|may not|no exceptions?|important|"
    r"critical|forbidden|prohibited|not allowed|under no circumstances|ha(?:s|ve) to)\b",
    re.IGNORECASE,
)
"""Words that make a demand critical, and with which a heading turns the meaning of the demands below it."""
_TURNING = re.compile(
    rf"{_STRONG.pattern}|\b(?:avoid|don'?ts?|bad|wrong|anti-?patterns?|instead of|not to)\b",
    re.IGNORECASE,
)
_DEMANDING = re.compile(
    rf"{_STRONG.pattern}|\b(?:should|shall|avoid|prefer|ensure|make sure|need to|needs to|use|follow|keep|write|"
    r"remember|be sure|default to|consider|refuse|treat|try to|leave|put|include|limit)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"\W*(?:then |please |first |finally |also |next )?([a-z]+)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])[ \t]+(?=[A-Z`*\"'])")
_EMPHASIS = re.compile(r"(?<![\w`*_])([*_])(?=\S)([^*_`\n]{1,100}?)(?<=\S)\1(?![\w`*_])")
"""A word between single marks, as in "do _not_"; the words of the rules are looked for without them."""
_STRAIGHT = str.maketrans("\u2019", "'")
_RULED = re.compile(r"\|?[ \t:|-]+\|?$")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass
class _Demand:
    text: str
    span: SourceSpan
    code: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    above: str = ""
    ordered: bool = False
    """Whether it is done after the demand before it."""


def read_instructions(document: Document) -> Reading:
    """Return the demands of a text as tasks, and all other text as remarks.

    Raises:
        FormatError: If the text demands nothing, or lists are nested too deep.
    """
    root, _ = scan(document)
    reader = _Demands(document)
    reader.section(root, "")
    demands = reader.demands
    if not demands:
        fix = "write each rule as an item of a list (`- Never push to main`)"
        raise document.error_at(document.top, "the text demands nothing", fix=fix)
    check_size(document, len(demands))
    ids = [str(number) for number in range(1, len(demands) + 1)]
    links = [
        Link(source=before, target=own)
        for before, own, demand in zip(ids, ids[1:], demands[1:], strict=False)
        if demand.ordered
    ]
    around = [f"{SETTING}{line}" for line in root.settings if line] + reader.around
    title = next((section.name for section in root.sections if section.level == 1), "")
    workflow = Workflow(
        name=title,
        tasks=tuple(_task(own, demand) for own, demand in zip(ids, demands, strict=True)),
        links=with_ends(ids, links),
        marked="\n".join(around),
        spans=places(document, around),
    )
    return Reading(workflow, "instructions")


def _task(own: str, demand: _Demand) -> Task:
    text = _words(demand.text)
    name = f"{demand.above}: {text}" if demand.above else text
    return Task(
        id=own,
        name=name,
        description=" ".join(filter(None, map(_words, demand.more))),
        critical=_STRONG.search(name.translate(_STRAIGHT)) is not None,
        span=demand.span,
        marked="\n".join([demand.text, *demand.more, *(f"`{line}`" for line in demand.code)]),
    )


class _Demands:
    """Collects the demands of sections, and the texts around them."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.demands: list[_Demand] = []
        self.around: list[str] = []

    def section(self, section: Section, above: str) -> None:
        """Add the demands of a section; `above` is what turns the meaning of all its demands."""
        if section.title:
            self.around.append(f"{BESIDE}{section.title}")
            above = _turning(section.name) or above
        first = len(self.demands)
        code = set(section.code)
        led = self._lines([(section.span.line, line) for line in section.prose if line not in code], above)
        self._code(section.code, section, first)
        self._items(section.items, led or above)
        code = set(section.rest_code)
        self._lines([pair for pair in section.rest if pair[1] not in code], above)
        self._code(section.rest_code, section, first)
        for inner in section.sections:
            self.section(inner, above)

    def _code(self, lines: list[str], section: Section, first: int) -> None:
        """Give code to the last demand of its section; without one, the heading is the demand."""
        lines = [line for line in lines if line.strip()]
        if lines and len(self.demands) == first:
            self.demands.append(_Demand(section.title or "Commands", section.span))
        if lines:
            self.demands[-1].code += lines

    def _lines(self, lines: list[tuple[int, str]], above: str) -> str:
        """Add the demands of paragraphs and tables; return what the last line says about the list below it."""
        led, rows = "", 0
        for at, line in lines:
            span = SourceSpan(line=at, column=1)
            if line.startswith("|"):
                rows += 1
                if rows > 1 and not _RULED.match(line):  # not the header
                    cells = [cell.strip() for cell in _CELL.split(line.strip("|")) if cell.strip()]
                    self.demands.append(_Demand(": ".join(cells), span, above=above))
                continue
            rows = 0
            led = (_turning(line) or "") if line.rstrip("*_ ").endswith(":") else ""
            for sentence in _SENTENCE.split(line):
                if led and sentence.rstrip("*_ ").endswith(":"):
                    self.around.append(sentence)
                elif _demands(sentence):
                    self.demands.append(_Demand(sentence, span, above=above))
                else:
                    self.around.append(sentence)
        return led

    def _items(self, items: list[Item], above: str) -> None:
        before = None
        for item in items:
            if item.hidden or not (item.text or item.items):
                continue
            text = item.text.rstrip("*_ ")
            led = (_turning(item.text) or "") if text.endswith(":") and item.items else ""
            if item.text and not led:
                ordered = item.kind == "number" and before is not None and before is self.demands[-1]
                code = set(item.code)
                more = [line for line in item.more if line not in code]
                demand = _Demand(item.text, item.span, list(item.code), more, above, ordered)
                self.demands.append(demand)
                before = demand if item.kind == "number" else None
            elif led:
                self.around.append(item.text)
            self._items(item.items, led or above)


def _words(text: str) -> str:
    """Return a text without marks, and without the colon at its end."""
    return _EMPHASIS.sub(r"\2", plain(text)).rstrip(" :")


def _turning(text: str) -> str:
    """Return a heading or the line above a list, if it turns the meaning of what stands below it; else empty."""
    text = _words(text)
    return text if _TURNING.search(text.translate(_STRAIGHT)) else ""


def _demands(sentence: str) -> bool:
    straight = _words(sentence).translate(_STRAIGHT)
    first = _FIRST_WORD.match(straight)
    return _DEMANDING.search(straight) is not None or (first is not None and first[1].lower() in ORDERS)
