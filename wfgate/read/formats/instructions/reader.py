"""Reads an instruction file: items, rows and sentences that demand something to tasks."""

import re
from bisect import bisect
from collections.abc import Collection
from dataclasses import dataclass, field

from wfgate.language import OBLIGING, ORDERS, alternatives
from wfgate.model import Link, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import check_size, with_ends
from wfgate.read.formats.markdown.reader import places
from wfgate.read.formats.markdown.scan import BOLD_LEVEL, Item, Section, scan
from wfgate.read.formats.markdown.steps import BESIDE, SETTING
from wfgate.read.formats.markdown.words import plain

_STRONG = re.compile(
    rf"\b(?:{alternatives(OBLIGING)}|do not|don't|dont|must not|mustn't|cannot|can't|may not|no exceptions?|important|"
    r"critical|forbidden|prohibited|not allowed|under no circumstances|ha(?:s|ve) to)\b",
    re.IGNORECASE,
)
"""Words that make a demand critical."""
_NAMED = "Required"
"""The lead of a heading that names its subject rather than demands something: "Required labels"."""
_LEADS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (lead, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE))
    for lead, words in (
        ("Skip", r"exempt\w*|(?<!no )exceptions?|exclusions?|excluded|excludes|out of scope|not in scope"),
        ("Optional", r"optional(?:ly)?|nice to have|not (?:required|needed|necessary|mandatory)"),
        ("Avoid", r"avoid|bad|wrong|incorrect|anti-?patterns?|discouraged"),
        (
            "Never",
            (
                r"never|(?<!if )(?:do|does|must|may|should|shall|are|is|when|what) not|not (?:to|allowed)|\w+n't|"
                r"donts?|don'ts|can ?not|forbidden|prohibited|disallowed|denied"
            ),
        ),
        ("Should", r"should|recommended|recommendations?|preferred|prefer|consider"),
        ("Optional", r"may"),
        ("Only", r"only"),
        ("Must", r"must|shall|always|critical|ha(?:s|ve) to|no exceptions?"),
        (_NAMED, r"required|mandatory|important"),
        ("", r"allowed|permitted|inclusions?|included|includes|in scope|good|correct|right|^do'?s?$"),
    )
)
"""What a heading or the line above a list says about what stands below it. The first that it says counts; the last
one is said of demands that hold as they are, also below another heading."""
_DENYING = ("Never", "Avoid", "Skip")
_SIGNED = re.compile(
    r"(?:(?P<denied>[\u274c\u2717\u2718\u26d4\U0001f6ab]|(?:don'?ts?|do not|never|avoid|bad|wrong|incorrect)[ \t]*:)|"
    r"[\u2705\u2713\u2714]|(?:dos?|good|correct|right)[ \t]*:)[\ufe0f \t]*(?=\S)",
    re.IGNORECASE,
)
"""The sign or word of an item that says whether it is wanted."""
_NEGATED = re.compile(
    r"\W*(?:please |you )?(?:(?:must|should|may|do|can) ?not|don't|never|not|no|avoid|can't)\b", re.IGNORECASE
)
_MARKS = re.compile(r"^(?:[ \t>*_#]|//)+(?=\w)")
"""Marks at the beginning of a line: a quote, emphasis, a comment."""
_POSITION = re.compile(
    r"\b((?:mentioned|described|listed|shown|explained|noted|given|see|the \w+(?: \w+)?) )(?:above|below)"
    r"(?=\W*(?:[.,;:)]|$))",
    re.IGNORECASE,
)
"""Where something else stands in the text, whose sections may have any order: "as mentioned above"."""
_STRINGS = re.compile(r"\[\s*(?:([\"'`])(?:(?!\1).)+\1\s*,\s*)+(?:([\"'`])(?:(?!\2).)+\2)?\s*\]")
"""A list of texts in code, as in a file of rules that is written as a script."""
_STRING = re.compile(r"([\"'`])((?:(?!\1).)+)\1")
_UNNEEDED = re.compile(r"\b(?:no|not|zero|nothing|without)\b(?:\W+\w+){0,3}\W*$", re.IGNORECASE)
_AHEAD = 60
"""Number of characters before a word in which that may stand."""
_DEMANDING = re.compile(
    rf"{_STRONG.pattern}|\b(?:should|shall|avoid|prefer|ensure|make sure|need to|needs to|use|follow|keep|write|"
    r"remember|be sure|default to|consider|refuse|treat|try to|leave|put|include|limit)\b",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(
    r"\W*(?:(?:if|when|whenever|once|before|after|for)\b[^,:]*[,:]\W*)?"
    r"(?:then |please |first |finally |also |next )?([a-z]+)\b",
    re.IGNORECASE,
)
_ORDERS = ORDERS | {
    *("adhere", "answer", "choose", "describe", "explain", "give", "inspect", "make", "paste", "pick", "print"),
    *("provide", "read", "reuse", "say", "take"),
}
_ASKING = re.compile(r"\W*(?:what|why|how|which|where|without|otherwise)\b", re.IGNORECASE)
"""The beginning of a sentence that explains: "What an agent needs to know", "Without it, it is never invoked"."""
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
    around = [f"{SETTING}{line}" for line in root.settings if line] + [_MARKS.sub("", line) for line in reader.around]
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
    name = _POSITION.sub(r"\1above", _led(demand.above, _words(demand.text)))
    return Task(
        id=own,
        name=name,
        description=" ".join(filter(None, map(_words, demand.more))),
        critical=_is_strong(name.removeprefix(f"{_NAMED}: ")),
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
        """Add the demands of a section; `above` is the lead of all its demands."""
        if section.title:
            if _is_demand(section):
                self.demands.append(_Demand(section.title, section.span, above=above))
            else:
                self.around.append(f"{BESIDE}{section.title}")
            lead = _lead(section.name)
            above = above if lead is None else lead
        first = len(self.demands)
        code = set(section.code)
        prose = [(section.span.line, line) for line in section.prose if line not in code]
        leads = bool(section.items and prose) and section.prose[-1] not in code
        led = self._lines(prose, above, leads={len(prose) - 1} if leads else (), alone=not section.items)
        self._code(section.code, section, first)
        code = set(section.rest_code)
        rest = [pair for pair in section.rest if pair[1] not in code]
        starts = [line for line, _ in rest]
        groups: dict[int, list[Item]] = {place: [] for place in range(-1, len(rest))}
        for item in section.items:
            groups[bisect(starts, item.line) - 1].append(item)
        self._items(groups[-1], above if led is None else led)
        between: list[tuple[int, str]] = []
        for place, pair in enumerate(rest):
            between.append(pair)
            if groups[place] or place == len(rest) - 1:
                led = self._lines(between, above, leads={len(between) - 1} if groups[place] else ())
                self._items(groups[place], above if led is None else led)
                between = []
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

    def _lines(
        self, lines: list[tuple[int, str]], above: str, *, leads: Collection[int] = (), alone: bool = False
    ) -> str | None:
        """Add the demands of paragraphs and tables; return what the last line says about the list below it.

        Args:
            lines: The lines, with their numbers.
            above: The lead of all of them.
            leads: The places of the lines above a list: with a colon at its end, such a line demands nothing.
            alone: Whether there is no list, so that the lead is about the sentences.
        """
        led, rows = None, 0
        for place, (at, line) in enumerate(lines):
            span = SourceSpan(line=at, column=1)
            if line.startswith("|"):
                rows += 1
                if rows > 1 and not _RULED.match(line):  # not the header
                    cells = [cell.strip() for cell in _CELL.split(line.strip("|")) if cell.strip()]
                    self.demands.append(_Demand(": ".join(cells), span, above=above))
                continue
            rows = 0
            led = _lead(line) if line.rstrip("*_ ").endswith(":") else None
            if strings := _STRINGS.search(line):
                self.demands += [_Demand(match[2], span, above=above) for match in _STRING.finditer(strings[0])]
                line = f"{line[: strings.start()]}{line[strings.end() :]}"  # noqa: PLW2901 - the rest is text
            for sentence in _SENTENCE.split(line):
                if (led or place in leads) and sentence.rstrip("*_ ").endswith(":"):
                    self.around.append(sentence)
                elif _demands(sentence):
                    self.demands.append(_Demand(sentence, span, above=above if alone else ""))
                else:
                    self.around.append(sentence)
        return led

    def _items(self, items: list[Item], above: str) -> None:
        before = None
        for item in items:
            if item.hidden or not (item.text or item.items):
                continue
            text = item.text.rstrip("*_ ")
            led = _lead(item.text) if text.endswith(":") and item.items else None
            if item.text and not led:
                ordered = item.kind == "number" and before is not None and before is self.demands[-1]
                code = set(item.code)
                more = [line for line in item.more if line not in code]
                demand = _Demand(item.text, item.span, list(item.code), more, above, ordered)
                self.demands.append(demand)
                before = demand if item.kind == "number" else None
            elif led:
                self.around.append(item.text)
            self._items(item.items, _inner(text, above, led))


def _inner(text: str, above: str, led: str | None) -> str:
    """Return the lead of the items inside of an item: a prohibition holds for them, a duty has them as details."""
    if led is None and above not in _DENYING and not text.endswith(":"):
        return ""
    return above if led is None else led


def _words(text: str) -> str:
    """Return a text without marks, and without the colon at its end."""
    return _EMPHASIS.sub(r"\2", plain(text)).rstrip(" :")


def _lead(text: str) -> str | None:
    """Return what a heading or the line above a list says about what stands below; None if it says nothing."""
    plain_words = _words(text).translate(_STRAIGHT)
    return next((lead for lead, words in _LEADS if words.search(plain_words)), None)


def _led(lead: str, text: str) -> str:
    """Return a demand with the lead above it or in it, if its own words do not say the same."""
    signed = _SIGNED.match(text.translate(_STRAIGHT))
    if signed:
        lead, text = "Never" if signed["denied"] else "", text[signed.end() :]
    if lead in _DENYING:
        own = text[:1].lower() + text[1:] if text[1:2].islower() else text
        return text if _NEGATED.match(text.translate(_STRAIGHT)) else f"{lead} {own}"
    return f"{lead}: {text}" if lead and not _is_strong(text) else text


def _is_strong(text: str) -> bool:
    straight = text.translate(_STRAIGHT)
    return any(
        not _UNNEEDED.search(straight, max(0, match.start() - _AHEAD), match.start())
        for match in _STRONG.finditer(straight)
    )


def _is_demand(section: Section) -> bool:
    """Return whether the title of a section is a line in bold that demands something itself."""
    below = section.prose or section.items or section.code or section.rest or section.sections
    alone = not below or section.name.endswith((".", "!"))
    return section.level == BOLD_LEVEL and alone and _demands(section.title)


def _demands(sentence: str) -> bool:
    straight = _words(sentence).translate(_STRAIGHT)
    first = _FIRST_WORD.match(straight)
    if _ASKING.match(straight):
        return False
    return _DEMANDING.search(straight) is not None or (first is not None and first[1].lower() in _ORDERS)
