"""WorFBench node-and-edge text: numbered nodes, then pairs of numbers (Qiao et al. 2024, arXiv:2410.07869)."""

from dataclasses import dataclass, field
from typing import ClassVar

from wfgate.documents import Diagnostic, Document
from wfgate.errors import FormatError
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.model import END, START, Link, SourceSpan, Task, Workflow

_DECORATION = " \t\r*-+#>`_•"
_BLANK = " \t\r"
_SEPARATORS = " \t\r,;"
_DIGITS = 9
"""Longest node number; longer ones are no numbers of nodes."""


class WorfbenchFormat(Format):
    r"""Numbered nodes under `Node:` and pairs of these numbers under `Edge:`, or a record that contains such a text.

    Task ids are the numbers. The text of a node may have several lines. Text around the two lists is ignored, with a
    warning. Pairs with unknown numbers and repeated numbers are kept, and checks report them.

    Example:
        >>> text = "Node:\n1: Build\n2: Test\nEdge: (START,1) (1,2) (2,END)"
        >>> reading = WorfbenchFormat().read(Document("example", text))
        >>> [task.name for task in reading.workflow.tasks]
        ['Build', 'Test']
    """

    id: ClassVar[str] = "worfbench"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = "a line `Node:` above numbered lines and a line `Edge:` with pairs like (START,1)"
    words: ClassVar[tuple[tuple[str, ...], ...]] = (("Node:", "Edge:"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the text, or a text in a record, has a `Node:` line and later an `Edge:` line."""
        text = _record_text(document)
        if text is not None:
            return _has_both(text)
        # Indented nodes are nested mappings to a YAML parser.
        headers = isinstance(document.data, dict) and all(_header(f"{key}:")[0] for key in document.data)
        return (document.kind == "text" or headers) and _has_both(document.text)

    def read(self, document: Document) -> Reading:
        """Read the text, or the text under the key `workflow` of a record.

        Raises:
            FormatError: If one of the lists is missing or empty, or an entry of `Edge:` is not a pair.
        """
        text = _record_text(document)
        description = ""
        if text is not None:
            record = document.mapping()
            description = record["task"] if isinstance(record.get("task"), str) else ""
        elif not document.text and document.data is not None:
            raise document.error(
                "the record has no node list", fix="add the key `workflow` with the text of the workflow"
            )
        parser = _Parser(document, inline=text is not None)
        parser.read(document.text if text is None else text)
        tasks = tuple(Task(id=node.number, name=node.text, span=node.span) for node in parser.nodes)
        check_size(document, len(tasks), len(parser.links))
        path = None if text is None else ()
        workflow = Workflow(description=description, tasks=tasks, links=tuple(parser.links), path=path)
        return Reading(workflow, self.id, tuple(parser.diagnostics))

    def write(self, workflow: Workflow) -> str:
        r"""Number the tasks in their order; line breaks in names become spaces.

        The format contains only names and control flow. Descriptions, actions, parameters, data and all other
        attributes of tasks are left out.

        Raises:
            FormatError: If there are gateways, sub-workflows, or links with a guard, an outcome or a loop.

        Example:
            >>> links = (Link(source=START, target="a"), Link(source="a", target=END))
            >>> WorfbenchFormat().write(Workflow(tasks=(Task(id="a", name="Build"),), links=links))
            'Node:\n1: Build\nEdge: (START,1) (1,END)\n'
        """
        refuse_beyond_plain_links(workflow, self.id)
        if not workflow.links and workflow.tasks:
            raise FormatError(
                "the format worfbench cannot express tasks without any link",
                path=_name(workflow),
                fix="use the native format",
            )
        number = {START: START, END: END}
        for place, task in enumerate(workflow.tasks, start=1):
            number.setdefault(task.id, str(place))
        lines = [f"{place}: {' '.join(task.name.split())}" for place, task in enumerate(workflow.tasks, start=1)]
        pairs: list[str] = []
        dangling = len(lines)
        for link in workflow.links:
            for end in (link.source, link.target):
                if end not in number:
                    dangling += 1
                    number[end] = str(dangling)
            pairs.append(f"({number[link.source]},{number[link.target]})")
        return "\n".join(["Node:", *lines, f"Edge: {' '.join(pairs)}".rstrip(), ""])


def refuse_beyond_plain_links(workflow: Workflow, format_id: str) -> None:
    """Raise an error if a workflow has content that formats of nodes and links cannot express.

    Raises:
        FormatError: If there is such content; the message names the first part that cannot be expressed.
    """
    held_not: list[str] = []
    if workflow.gateways:
        held_not.append(f"the gateway {workflow.gateways[0].id!r}")
    if workflow.subworkflows:
        held_not.append(f"the sub-workflow {workflow.subworkflows[0].name!r}")
    for link in workflow.links:
        where = f"on the link from {link.source!r} to {link.target!r}"
        if link.guard is not None:
            held_not.append(f"the guard {where}")
        if link.outcome != "success":
            held_not.append(f"the outcome {link.outcome!r} {where}")
        if link.back:
            held_not.append(f"the loop mark {where}")
    held_not += [f"the loop of task {task.id!r}" for task in workflow.tasks if task.loop]
    if held_not:
        raise FormatError(
            f"the format {format_id} cannot express {held_not[0]}", path=_name(workflow), fix="use the native format"
        )


def _name(workflow: Workflow) -> str:
    return workflow.name or "workflow"


def _record_text(document: Document) -> str | None:
    data = document.data
    text = data.get("workflow") if isinstance(data, dict) and "Edge" not in data else None
    return text if isinstance(text, str) else None


def _has_both(text: str) -> bool:
    """Whether a `Node:` line with a numbered line below it is followed by an `Edge:` line with a bracket."""
    section = ""
    for line in text.split("\n"):
        word, at = _header(line)
        if word == "node" and not section:
            section, line = "node", " " * at + line[at:]  # noqa: PLW2901 - the rest of the header line
        elif word == "edge" and section == "numbered":
            section, line = "edge", line[at:]  # noqa: PLW2901 - same
        content = line.strip(_DECORATION)
        if section == "node" and content:
            section = "numbered" if _numbered(line) else ""
        elif section == "edge" and content:
            return content.startswith("(")
    return False


def _header(line: str) -> tuple[str, int]:
    """Return `node`, `edge` or `graph` for the first line of a section, and the offset of its content."""
    bare = line.lstrip(_DECORATION)
    lowered = bare[:8].lower()
    for word in ("node", "edge", "graph"):
        if not lowered.startswith(word):
            continue
        at = len(line) - len(bare) + len(word)
        at += line[at : at + 1] in {"s", "S"}
        rest = line[at:].lstrip(_DECORATION)
        at = len(line) - len(rest)
        if rest.startswith(":"):
            at += 1
            return word, at + len(line[at:]) - len(line[at:].lstrip(_DECORATION))
        if word == "edge" and rest.startswith("(") and _pair(rest[1 : rest.find(")")]):
            return word, at
    return "", 0


def _numbered(line: str) -> tuple[str, str, int] | None:
    """Return number, text and column offset of a line like `1: text`, `1. text` or `1) text`."""
    bare = line.lstrip(_DECORATION)
    offset = len(line) - len(bare)
    if bare[:5].lower() == "node ":
        bare = bare[5:].lstrip(_BLANK)
    digits = len(bare) - len(bare.lstrip("0123456789"))
    if not 0 < digits <= _DIGITS:
        return None
    rest = bare[digits:].lstrip(_BLANK)
    if not rest or rest[0] not in ":.)" or (rest[0] != ":" and rest[1:2] not in {"", " ", "\t", "\r"}):
        return None
    return str(int(bare[:digits])), rest[1:].strip(_BLANK), offset


@dataclass
class _Node:
    number: str
    text: str
    span: SourceSpan | None
    more: list[str] = field(default_factory=list)
    closed: bool = False

    def settle(self, *, keep: bool) -> bool:
        """Append the lines in `more` to the text if `keep`, otherwise drop them; return whether any were dropped."""
        dropped = bool(self.more) and not keep
        if keep:
            self.text = " ".join([self.text, *self.more]).strip(_BLANK)
        self.more = []
        return dropped


class _Parser:
    """Reads the lines once: text before, nodes, text between, edges."""

    def __init__(self, document: Document, *, inline: bool) -> None:
        self.document = document
        self.inline = document.span("workflow") if inline else None
        self.positioned = not inline
        self.first_line = document.lines_above + 1
        self.nodes: list[_Node] = []
        self.links: list[Link] = []
        self.diagnostics: list[Diagnostic] = []
        self.section = "before"
        self.prose: dict[str, SourceSpan | None] = {}
        self.line = 0

    def read(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), start=self.first_line):
            self.line = number
            word, at = _header(line)
            if word == "node":
                if self.section == "edges":
                    raise self._error("a second node list begins here", 0, "keep one workflow per text")
                if self.section == "before":
                    self.section = "nodes"
                    self._node_line(" " * at + line[at:])
                continue
            if self.section == "before":
                self._prose(line)
            elif word == "edge":
                self._end_nodes(line_follows=True)
                self.section = "edges"
                self._edge_line(line, at)
            elif self.section == "nodes" and word == "graph":
                self._end_nodes(line_follows=True)
                self.section = "between"
                self._prose(line[at:])
            elif self.section == "nodes":
                self._node_line(line)
            elif self.section == "edges":
                self._edge_line(line, len(line) - len(line.lstrip(_DECORATION)))
            else:
                self._prose(line)
        self._finish()

    def _node_line(self, line: str) -> None:
        found = _numbered(line)
        last = self.nodes[-1] if self.nodes else None
        if found and last and last.closed and last.more and int(found[0]) <= int(last.number):
            self._end_nodes(line_follows=False)  # prose that goes through the nodes again
            self.section = "between"
            self._prose(line)
        elif found:
            if last:
                last.settle(keep=True)
            self.nodes.append(_Node(found[0], found[1], self._span(found[2])))
        elif not line.strip(_BLANK):
            if last:
                last.closed = True
        elif last is None:
            self._prose(line)
        elif last.closed:
            self._end_nodes(line_follows=False)
            self.section = "between"
            self._prose(line)
        elif line.strip(_DECORATION):
            last.more.append(line.strip(_BLANK))

    def _end_nodes(self, *, line_follows: bool) -> None:
        """End the nodes. Lines after the last node belong to it only if the edges follow without an empty line."""
        if self.nodes:
            last = self.nodes[-1]
            if last.settle(keep=line_follows and not last.closed):
                self.prose.setdefault("between", last.span)

    def _edge_line(self, line: str, at: int) -> None:
        start = at
        while at < len(line):
            while at < len(line) and line[at] in _SEPARATORS:
                at += 1
            if line[at : at + 1] != "(":
                break
            end = line.find(")", at)
            if end < 0:
                raise self._error(
                    "the pair of nodes has no closing bracket",
                    at,
                    "write each pair as (1,2); the text may be truncated",
                )
            pair = _pair(line[at + 1 : end])
            if pair is None:
                if at == start or any(_end(part) for part in line[at + 1 : end].split(",", 2)):
                    shown = line[at : min(end + 1, at + 40)]
                    raise self._error(
                        f"{shown} is not a pair of nodes", at, "write each pair as (START,1), (1,2) or (2,END)"
                    )
                break
            self.links.append(Link(source=pair[0], target=pair[1], span=self._span(at)))
            at = end + 1
        if line[at:].strip(_DECORATION):
            self._prose(line[at:])

    def _prose(self, line: str) -> None:
        if line.strip(_DECORATION):
            self.prose.setdefault(self.section, self._span(0))

    def _finish(self) -> None:
        if self.section == "before":
            self.line = self.first_line
            raise self._error("the text has no node list", None, "start with a line `Node:`")
        if self.section != "edges":
            raise self._error("the text has no edge list", None, "add a line `Edge:` with pairs like (START,1)")
        if not self.nodes and self.links:
            raise self._error("the node list is empty", None, "write nodes as numbered lines, `1: text`")
        if self.nodes and not self.links:
            raise self._error("the edge list is empty", None, "write pairs like (START,1) after `Edge:`")
        places = {
            "before": "the text before the nodes is not read",
            "between": "the text between nodes and edges is not read",
            "edges": "the text between or after the edges is not read",
        }
        self.diagnostics += [
            self.document.diagnostic_at(span, "warning", places.get(section, "text is not read"))
            for section, span in self.prose.items()
        ]

    def _span(self, offset: int) -> SourceSpan | None:
        return SourceSpan(line=self.line, column=offset + 1) if self.positioned else self.inline

    def _error(self, message: str, offset: int | None, fix: str) -> FormatError:
        span = self._span(offset or 0)
        return self.document.error_at(span, message, fix=fix)


def _pair(text: str) -> tuple[str, str] | None:
    """Return the source and target in the text between two brackets."""
    left, comma, right = text.partition(",")
    source, target = _end(left), _end(right)
    return (source, target) if comma and source and target else None


def _end(text: str) -> str | None:
    """Return START, END or the number in one half of a pair."""
    word = text.strip(_BLANK + "*`")
    if word[:5].lower() == "node ":
        word = word[5:].strip(_BLANK)
    if word.upper() in {START, END}:
        return word.upper()
    if word and len(word) <= _DIGITS and word.isascii() and word.isdigit():
        return str(int(word))
    return None
