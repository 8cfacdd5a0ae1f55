"""XML to a tree of elements with positions. A DOCTYPE is rejected; size and depth are limited."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.documents.limits import MAX_DEPTH, MAX_ELEMENTS

_FIRST_CHUNK = 1 << 16
_SPACE = " "


@dataclass(slots=True, eq=False)
class XmlElement:
    """One element. An attribute of another namespace has the name "namespace name".

    `declared` are the namespaces that the element declares, by prefix; None if it declares none.
    """

    space: str
    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list["XmlElement"] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    declared: dict[str, str] | None = None

    @property
    def span(self) -> SourceSpan:
        """Position of the element in the file."""
        return SourceSpan(line=self.line, column=self.column)

    @property
    def text(self) -> str:
        """The text directly in the element; includes the text of left-out child elements if `parse` keeps it."""
        return "".join(self.strings).strip()

    @property
    def id(self) -> str:
        """The attribute `id`; empty if it is missing."""
        return self.attributes.get("id", "")

    def get(self, name: str) -> str:
        """Return an attribute, with single spaces; empty if the attribute is missing."""
        return " ".join(self.attributes.get(name, "").split())

    def of(self, *tags: str) -> list["XmlElement"]:
        """Return the child elements with one of these tags and the namespace of this element."""
        return [child for child in self.children if child.tag in tags and child.space == self.space]

    def texts(self, *tags: str) -> list[str]:
        """Return the texts of the child elements with one of these tags, without empty texts."""
        return [child.text for child in self.of(*tags) if child.text]

    def first(self, *tags: str) -> str:
        """Return the first of `texts`; empty if there are none."""
        return next(iter(self.texts(*tags)), "")


def walk(element: XmlElement) -> Iterator[XmlElement]:
    """Yield an element and all elements inside it, in document order."""
    pending = [element]
    while pending:
        current = pending.pop()
        yield current
        pending += reversed(current.children)


LeaveOut = Callable[[XmlElement, str], bool]
"""Whether to leave out a child of an element, given its namespace, with all that is in it."""


def root_of(text: str) -> tuple[str, str] | None:
    """Return namespace and tag of the root element; None if there is no root element. The rest is not read.

    A text with a DOCTYPE has no root element here.

    Example:
        >>> root_of('<?xml version="1.0"?><!-- x --><b:definitions xmlns:b="urn:b"><broken')
        ('urn:b', 'definitions')
    """
    if text.lstrip()[:1] != "<":
        return None
    names: list[str] = []
    parser = expat.ParserCreate("utf-8", _SPACE)

    def root(name: str, _attributes: dict[str, str]) -> None:
        names.append(name)
        raise _Stopped

    def doctype(*_: object) -> None:
        raise _Stopped

    parser.StartElementHandler = root
    parser.StartDoctypeDeclHandler = doctype
    start, size = 0, _FIRST_CHUNK
    try:
        while start < len(text):
            parser.Parse(text[start : start + size].encode("utf-8", "surrogatepass"), False)  # noqa: FBT003
            start, size = start + size, size * 2  # growing, so that one long token is not parsed again and again
    except (expat.ExpatError, _Stopped):
        pass
    return _split(names[0]) if names else None


def parse(document: Document, leave_out: LeaveOut, text_of: Collection[str] = ()) -> XmlElement:
    """Return the root element of a document.

    Args:
        document: The document.
        leave_out: Decides which elements are left out.
        text_of: Tags of elements whose text includes the text of left-out elements inside them.

    Raises:
        FormatError: If the text is not well-formed XML, has a DOCTYPE, or is too large or nested too deep.

    Cost: linear in the text.
    """
    return _XmlBuilder(document, leave_out, text_of).run()


def check_well_formed(document: Document) -> None:
    """Check that a document is well-formed XML.

    Raises:
        FormatError: In the same cases as `parse`.
    """
    parse(document, lambda _parent, _space: True)


class _Stopped(Exception):  # noqa: N818 - not an error: the root has been seen
    pass


def _split(name: str) -> tuple[str, str]:
    space, _, tag = name.rpartition(_SPACE)
    return space, tag


class _XmlBuilder:
    def __init__(self, document: Document, leave_out: LeaveOut, text_of: Collection[str]) -> None:
        self.document = document
        self.leave_out = leave_out
        self.text_of = text_of
        self.open: list[XmlElement] = []
        self.root: XmlElement | None = None
        self.skipped = 0
        self.kept = 0
        self.declared: dict[str, str] = {}
        self.parser: Any = expat.ParserCreate("utf-8", _SPACE)
        self.parser.buffer_text = True
        self.parser.StartNamespaceDeclHandler = self._declare
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def run(self) -> XmlElement:
        text = self.document.text
        blank = len(text) - len(text.lstrip())
        # An XML declaration must be at the very start; a block in prose may begin with blank lines.
        self.above = self.document.lines_above + text[:blank].count("\n")
        try:
            self.parser.Parse(text[blank:].encode("utf-8", "surrogatepass"), True)  # noqa: FBT003
        except expat.ExpatError as problem:
            raise self._broken(problem) from None
        if self.root is None:
            raise self._error("the file has no XML element", "write a model into the file")
        return self.root

    def _declare(self, prefix: str | None, space: str | None) -> None:
        self.declared[prefix or ""] = space or ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, tag = _split(name)
        declared, self.declared = self.declared or None, {}
        if len(self.open) + self.skipped >= MAX_DEPTH:
            raise self._error(f"the elements are nested deeper than {MAX_DEPTH} levels", "use fewer levels of nesting")
        if self.skipped or (self.open and self.leave_out(self.open[-1], space)):
            self.skipped += 1
            return
        self.kept += 1
        if self.kept > MAX_ELEMENTS:
            raise self._error(
                f"the file has more than {MAX_ELEMENTS:,} elements", "split the model into several files"
            )
        element = XmlElement(space, tag, attributes, *self._here(), declared=declared)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        if self.skipped:
            self.skipped -= 1
        else:
            self.open.pop()

    def _text(self, data: str) -> None:
        if self.open and (not self.skipped or self.open[-1].tag in self.text_of):
            self.open[-1].strings.append(data)

    def _doctype(self, *_: object) -> None:
        raise self._error(
            "a DOCTYPE is not allowed: its entities can grow without limit or read other files",
            "remove the DOCTYPE and replace each entity by its text",
        )

    def _broken(self, problem: expat.ExpatError) -> FormatError:
        message = expat.ErrorString(problem.code)
        cut = message in {expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN}
        fix = "the file seems to be truncated: get the complete file" if cut else "check the tags and quotes here"
        span = SourceSpan(line=problem.lineno + self.above, column=problem.offset + 1)
        return self.document.error_at(span, f"the file is not well-formed XML: {message}", fix=fix)

    def _here(self) -> tuple[int, int]:
        return max(self.parser.CurrentLineNumber, 1) + self.above, self.parser.CurrentColumnNumber + 1

    def _error(self, message: str, fix: str) -> FormatError:
        line, column = self._here()
        return self.document.error_at(SourceSpan(line=line, column=column), message, fix=fix)
