"""XML to a tree of elements with positions: no DOCTYPE, hence no entities; counted elements and depth."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from wfgate.errors import FormatError
from wfgate.formats.base import MAX_DEPTH, Document
from wfgate.model import SourceSpan

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
"""The namespace of BPMN 2.0."""
MAX_ELEMENTS = 400_000
"""Most elements that are kept; those of the diagram are not."""

VENDORS = {
    "http://camunda.org/schema/1.0/bpmn": "camunda",
    "http://camunda.org/schema/zeebe/1.0": "zeebe",
    "http://activiti.org/bpmn": "activiti",
    "http://flowable.org/bpmn": "flowable",
    "http://operaton.org/schema/1.0/bpmn": "operaton",
    "http://www.jboss.org/drools": "drools",
}
"""Extensions that say how a step is carried out, by namespace; all others are counted and left out."""

_DIAGRAM = "/20100524/DI"
_PROSE = {"documentation", "text", "conditionExpression", "script"}
_FIRST_CHUNK = 1 << 16
_SPACE = " "


@dataclass(slots=True, eq=False)
class Element:
    """One element; attributes of other namespaces are known by "namespace name"."""

    space: str
    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list["Element"] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def span(self) -> SourceSpan:
        """Where the element begins."""
        return SourceSpan(line=self.line, column=self.column)

    @property
    def text(self) -> str:
        """The text directly in it; of documentation also the text inside foreign elements."""
        return "".join(self.pieces).strip()

    def get(self, name: str) -> str:
        """Return an attribute as words with single spaces; empty if it is missing."""
        return " ".join(self.attributes.get(name, "").split())

    def of(self, *tags: str) -> list["Element"]:
        """Return the children of BPMN's own namespace with one of these tags."""
        return [child for child in self.children if child.tag in tags and child.space == MODEL]

    def texts(self, *tags: str) -> list[str]:
        """Return the texts of such children, those that have one."""
        return [child.text for child in self.of(*tags) if child.text]


@dataclass(frozen=True)
class Tree:
    """A file: its root, and how many extension elements of which namespace were left out."""

    root: Element
    foreign: Counter[str]


def root_of(text: str) -> tuple[str, str] | None:
    """Return namespace and tag of the root element, without reading on; None if there is none to be seen.

    A DOCTYPE is not followed: for a text with one there is none to be seen.

    Example:
        >>> root_of('<?xml version="1.0"?><!-- x --><b:definitions xmlns:b="urn:b"><broken')
        ('urn:b', 'definitions')
    """
    if text.lstrip()[:1] != "<":
        return None
    found: list[str] = []
    parser = expat.ParserCreate("utf-8", _SPACE)
    parser.StartElementHandler = lambda name, _: _seen(found, name)
    parser.StartDoctypeDeclHandler = lambda *_: _stop()
    start, size = 0, _FIRST_CHUNK
    try:
        while start < len(text):
            parser.Parse(text[start : start + size].encode("utf-8", "surrogatepass"), False)  # noqa: FBT003
            start, size = start + size, size * 2  # growing, so that one long token is not looked at again and again
    except (expat.ExpatError, _Stopped):
        pass
    return _split(found[0]) if found else None


def parse(document: Document) -> Tree:
    """Parse the text of a document.

    Raises:
        FormatError: If it is no well-formed XML, has a DOCTYPE, or is too large or too deep; with the position.

    Cost: linear in the text.
    """
    return _Builder(document).run()


class _Stopped(Exception):  # noqa: N818 - no error: enough has been seen
    pass


def _stop() -> NoReturn:
    raise _Stopped


def _seen(found: list[str], name: str) -> NoReturn:
    found.append(name)
    _stop()


def _split(name: str) -> tuple[str, str]:
    space, _, tag = name.rpartition(_SPACE)
    return space, tag


class _Builder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.open: list[Element] = []
        self.root: Element | None = None
        self.foreign: Counter[str] = Counter()
        self.skipped = 0
        self.kept = 0
        self.parser: Any = expat.ParserCreate("utf-8", _SPACE)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def run(self) -> Tree:
        text = self.document.text
        blank = len(text) - len(text.lstrip())
        # A declaration must stand first; a block in prose may have blank lines above it.
        above = text[:blank].count("\n")
        self.above = self.document.lines_above + above
        try:
            self.parser.Parse(text[blank:].encode("utf-8", "surrogatepass"), True)  # noqa: FBT003
        except expat.ExpatError as problem:
            raise self._broken(problem) from None
        if self.root is None:
            raise self._error("there is no element in it", "write a BPMN model into it")
        return Tree(self.root, self.foreign)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, tag = _split(name)
        if len(self.open) + self.skipped >= MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH} levels", "flatten the model")
        if self.skipped or self._is_left_out(space):
            self.skipped += 1
            return
        self.kept += 1
        if self.kept > MAX_ELEMENTS:
            raise self._error(f"there are more than {MAX_ELEMENTS:,} elements", "split the model")
        element = Element(
            space,
            tag,
            attributes,
            self.parser.CurrentLineNumber + self.above,
            self.parser.CurrentColumnNumber + 1,
        )
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _is_left_out(self, space: str) -> bool:
        """Tell whether an element is none of the model: the diagram, and extensions that nobody here knows."""
        if not self.open or space == MODEL or space in VENDORS:
            return False
        inside = self.open[-1].space
        if inside in VENDORS and not space:
            return False
        if not space.endswith(_DIAGRAM) and self.open[-1].tag == "extensionElements":
            self.foreign[space] += 1
        return True

    def _end(self, _: str) -> None:
        if self.skipped:
            self.skipped -= 1
        else:
            self.open.pop()

    def _text(self, data: str) -> None:
        if self.open and (not self.skipped or self.open[-1].tag in _PROSE):
            self.open[-1].pieces.append(data)

    def _doctype(self, *_: object) -> None:
        raise self._error(
            "a DOCTYPE is not read: a BPMN model has none, and entities can blow up or read other files",
            "remove the DOCTYPE and write its entities out",
        )

    def _broken(self, problem: expat.ExpatError) -> FormatError:
        said = expat.ErrorString(problem.code)
        cut = said in {expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN}
        fix = "the file seems to be cut off: get the whole of it" if cut else "check the tags and quotes here"
        span = SourceSpan(line=problem.lineno + self.above, column=problem.offset + 1)
        return self.document.error_at(span, f"not well-formed XML: {said}", fix=fix)

    def _error(self, message: str, fix: str) -> FormatError:
        span = SourceSpan(
            line=max(self.parser.CurrentLineNumber, 1) + self.above, column=self.parser.CurrentColumnNumber + 1
        )
        return self.document.error_at(span, message, fix=fix)
