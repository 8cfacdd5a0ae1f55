"""WorFBench node-and-edge text: numbered nodes, then pairs of numbers (Qiao et al. 2024, arXiv:2410.07869)."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from wfgate.errors import FormatError
from wfgate.model import END, START, Link, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.builder import check_size

_DECORATION = " \t\r*-+#>`_•"
_BLANK = " \t\r"
_SEPARATORS = " \t\r,;"
_MARKS = r"[ \t\r*\-+#>`_•]*+"
_HALF = r"[ \t\r*`]*+(?:node [ \t\r]*+)?(?:START|END|[0-9]{1,9})[ \t\r*`]*+"
_END = re.compile(_HALF.replace("(?:START|END|[0-9]{1,9})", "(START|END|[0-9]{1,9})"), re.IGNORECASE)
_PAIR = re.compile(rf"\(({_HALF}),({_HALF})\)", re.IGNORECASE)
_HEADER = re.compile(
    rf"{_MARKS}(?:(node|edge|graph)s?{_MARKS}:{_MARKS}|(edge)s?{_MARKS}(?={_PAIR.pattern}))", re.IGNORECASE
)
_NODE = re.compile(rf"({_MARKS})(?:node [ \t\r]*+)?([0-9]{{1,9}}+)[ \t\r]*+(?::|[.)](?=[ \t\r]|$))(.*)", re.IGNORECASE)
_ROLES = {"user": "task", "assistant": "workflow"}
"""The role of a message of the benchmark's records, and the key of its text in the flat form."""
_LEFT_OUT = frozenset({"conversations", "target", "category"})
_PLACES = {
    "before": "before the nodes",
    "nodes": "among the nodes",
    "between": "between nodes and edges",
    "edges": "between or after the edges",
}


class WorfbenchFormat(Format):
    r"""Numbered nodes under `Node:` and pairs of these numbers under `Edge:`, or a record that contains such a text.

    A record has the text under `workflow`, or it is a record of the benchmark's files: then the workflow is the last
    message of the assistant in `conversations`, and the task is the last message of the user. The system prompt,
    earlier messages, `target` and `category` have no effect. A file with several records is refused.

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
        text = _record_text(_flat(document))
        if text is not None:
            return _has_both(text)
        if (first := _first_of_several(document)) is not None:
            return self.recognises(first)
        # Indented nodes are nested mappings to a YAML parser.
        headers = isinstance(document.data, dict) and all(_HEADER.match(f"{key}:") for key in document.data)
        return (document.kind == "text" or headers) and _has_both(document.text)

    def read(self, document: Document) -> Reading:
        """Read the text, or the text in a record.

        Raises:
            FormatError: If one of the lists is missing or empty, an entry of `Edge:` is not a pair, or there are
                several records.
        """
        if _first_of_several(document) is not None:
            raise document.error(
                f"the file has {len(document.data):,} records, and each is a workflow of its own",
                1,
                fix="write each record to a file, or to a line of a suite: `wfgate gate --pairs SUITE`",
            )
        document = _flat(document)
        text = _record_text(document)
        description = ""
        if text is not None:
            record = document.mapping()
            description = record["task"] if isinstance(record.get("task"), str) else ""
        elif not document.text and document.data is not None:
            raise document.error(
                "the record has no node list", fix="add the key `workflow` with the text of the workflow"
            )
        parser = _WorfbenchParser(document, inline=text is not None)
        parser.read(document.text if text is None else text)
        tasks = [
            Task(id=node.number, name=" ".join([node.text, *node.more]).strip(_BLANK), span=node.span)
            for node in parser.nodes
        ]
        check_size(document, len(tasks), len(parser.links))
        path = None if text is None else ()
        workflow = Workflow(description=description, tasks=tuple(tasks), links=tuple(parser.links), path=path)
        notes = [
            document.diagnostic_at(span, "warning", f"the text {_PLACES[section]} is not read")
            for section, span in parser.prose.items()
        ]
        return Reading(workflow, self.id, tuple(notes), effective=document)

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


def _flat(document: Document) -> Document:
    """Return a record of the benchmark's files in its flat form: with `workflow` and `task` instead of messages.

    Any other document is returned as it is.
    """
    record = document.only_item()
    data = record.data
    turns = data.get("conversations") if isinstance(data, dict) and "workflow" not in data else None
    if not isinstance(data, dict) or not isinstance(turns, list):
        return document
    places: dict[str, int] = {}
    for place, turn in enumerate(turns):
        role = turn.get("role") if isinstance(turn, dict) else None
        if isinstance(role, str) and role in _ROLES and isinstance(turn.get("content"), str):
            places[_ROLES[role]] = place  # the last message of each role
    if "workflow" not in places:
        return document
    flat: dict[str, Any] = {key: value for key, value in data.items() if key not in _LEFT_OUT}
    spans = {path: span for path, span in record.spans.items() if path[:1] not in {(key,) for key in _LEFT_OUT}}
    for key, place in places.items():
        flat[key] = turns[place]["content"]
        span = record.span("conversations", place, "content")
        spans.update({(key,): span} if span else {})
    return replace(record, data=flat, spans=spans)


def _first_of_several(document: Document) -> Document | None:
    """Return the first of several records of the benchmark; None if the document is not a list of several records."""
    data = document.data
    several = isinstance(data, list) and len(data) > 1 and all(isinstance(item, dict) for item in data)
    return document.inside(0) if several and "conversations" in data[0] else None


def _has_both(text: str) -> bool:
    """Whether a `Node:` line with a numbered line below it is followed by an `Edge:` line with a bracket."""
    section = ""
    for line in text.split("\n"):
        word, at = _header(line)
        if (word, section) in {("node", ""), ("edge", "numbered")}:
            section, line = word, line[at:]  # noqa: PLW2901 - the rest of the header line
        content = line.strip(_DECORATION)
        if section == "node" and content:
            section = "numbered" if _NODE.match(content) else ""
        elif section == "edge" and content:
            return content.startswith("(")
    return False


def _header(line: str) -> tuple[str, int]:
    """Return `node`, `edge` or `graph` for the first line of a section, and the offset of its content."""
    match = _HEADER.match(line)
    return ((match[1] or match[2]).lower(), match.end()) if match else ("", 0)


@dataclass
class _WorfbenchNode:
    """A node: `more` are the lines that continue its text, `closed` says whether an empty line follows."""

    number: str
    text: str
    span: SourceSpan | None
    more: list[str] = field(default_factory=list)
    closed: bool = False


class _WorfbenchParser:
    """Reads the lines once: text before, nodes, text between, edges."""

    def __init__(self, document: Document, *, inline: bool) -> None:
        self.document = document
        self.inline = document.span("workflow") if inline else None
        self.positioned = not inline
        self.nodes: list[_WorfbenchNode] = []
        self.links: list[Link] = []
        self.section = "before"
        self.prose: dict[str, SourceSpan | None] = {}
        self.line = document.lines_above + 1

    def read(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), start=self.line):
            self.line = number
            word, at = _header(line)
            if word == "node":
                if self.section == "edges":
                    raise self._error("a second node list begins here", 0, "keep one workflow per text")
                if self.section == "before":
                    self.section = "nodes"
                    self._node_line(" " * at + line[at:])
            elif self.section == "before":
                self._prose(line)
            elif word == "edge":
                self._end_nodes("edges")
                self._edge_line(line, at)
            elif self.section == "edges":
                self._edge_line(line, len(line) - len(line.lstrip(_DECORATION)))
            elif self.section == "nodes" and word != "graph":
                self._node_line(line)
            else:
                self._end_nodes("between")
                self._prose(line[at:])
        self._check()

    def _node_line(self, line: str) -> None:
        match = _NODE.match(line)
        last = self.nodes[-1] if self.nodes else None
        if last and last.closed and not match and line.strip(_BLANK):
            self._end_nodes("between")
            self._prose(line)
        elif match and last and last.closed and last.more and int(match[2]) <= int(last.number):
            self._end_nodes("between")  # prose that goes through the nodes again
            self._prose(line)
        elif match:
            self.nodes.append(_WorfbenchNode(str(int(match[2])), match[3].strip(_BLANK), self._span(match.end(1))))
        elif last is None:
            self._prose(line)
        elif not line.strip(_BLANK):
            last.closed = True
        elif line.strip(_DECORATION):
            last.more.append(line.strip(_BLANK))

    def _end_nodes(self, section: str) -> None:
        """End the nodes. Lines after the last node belong to it only if the edges follow without an empty line."""
        self.section = section
        if self.nodes and self.nodes[-1].closed and self.nodes[-1].more:
            self.prose.setdefault("between", self.nodes[-1].span)
            self.nodes[-1].more = []

    def _edge_line(self, line: str, at: int) -> None:
        start = at
        while True:
            at = len(line) - len(line[at:].lstrip(_SEPARATORS))
            pair = _PAIR.match(line, at)
            if pair is None:
                break
            source, target = _end(pair[1]), _end(pair[2])
            self.links.append(Link(source=source, target=target, span=self._span(at)))
            at = pair.end()
        end = line.find(")", at)
        if line[at : at + 1] == "(" and end < 0:
            fix = "write each pair as (1,2); the text may be truncated"
            raise self._error("the pair of nodes has no closing bracket", at, fix)
        if line[at : at + 1] == "(" and (
            at == start or any(_END.fullmatch(part) for part in line[at + 1 : end].split(",", 2))
        ):
            shown = line[at : min(end + 1, at + 40)]
            fix = "write each pair as (START,1), (1,2) or (2,END)"
            raise self._error(f"{shown} is not a pair of nodes", at, fix)
        self._prose(line[at:])

    def _prose(self, line: str) -> None:
        if line.strip(_DECORATION):
            self.prose.setdefault(self.section, self._span(0))

    def _check(self) -> None:
        """Raise an error if one of the lists is missing or empty."""
        if self.section == "before":
            self.line = self.document.lines_above + 1
            raise self._error("the text has no node list", 0, "start with a line `Node:`")
        if self.section != "edges":
            raise self._error("the text has no edge list", 0, "add a line `Edge:` with pairs like (START,1)")
        if not self.nodes and self.links:
            raise self._error("the node list is empty", 0, "write nodes as numbered lines, `1: text`")
        if self.nodes and not self.links:
            raise self._error("the edge list is empty", 0, "write pairs like (START,1) after `Edge:`")

    def _span(self, offset: int) -> SourceSpan | None:
        return SourceSpan(line=self.line, column=offset + 1) if self.positioned else self.inline

    def _error(self, message: str, offset: int, fix: str) -> FormatError:
        return self.document.error_at(self._span(offset), message, fix=fix)


def _end(text: str) -> str:
    """Return START, END or the number in one half of a pair."""
    match = _END.fullmatch(text)
    word = match[1].upper() if match else ""
    return str(int(word)) if word.isdigit() else word
