"""The workflow language XXP of the ExtremeXP project."""

import re
from collections.abc import Iterator
from typing import ClassVar

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.called import Call, call

__all__ = ["XxpFormat"]

_IMPLEMENTATION = re.compile(r'\bimplementation\s+"([^"\n]+)"')
_HEAD = re.compile(r"\b(?:workflow|experiment)[ \t]++[^\W\d]\w*+(?:[ \t]++from[ \t]++[\w.]++)?\s*+\{")
_MARKS = re.compile(
    r"\bSTART[ \t]*+->|->[ \t]*+END\b|\b(?:define|configure)[ \t]++(?:(?:input|output)[ \t]++)?(?:task|data)\b"
    r"|\bworkflow[ \t]++[^\W\d]\w*+[ \t]++from[ \t]|\bspace[ \t]++[^\W\d]\w*+[ \t]++of[ \t]"
)
_FIRST = re.compile(r"(?>(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*)(?:package|import|workflow|assembled|experiment)\b")


class XxpFormat(Format):
    """Workflows and experiments in the ExtremeXP DSL.

    The language has two published grammars (the project's Xtext grammar and the grammar of its experimentation engine)
    and published examples that neither grammar covers. The reader accepts the union of all three. In this summary, `?`
    after a part means optional, and `*` means any number:

        file       = (package NAME.NAME; | import "..."; | workflow | experiment)*
        workflow   = assembled? workflow NAME (from NAME.NAME)? { statement* }
        experiment = experiment NAME { statement* }     statements stand in control { ... } too
        statement  = define? task NAME; | define? task NAME { statement* } | define task NAME, NAME;
                   | configure task NAME { statement* } | configure data NAME { path "..."; | schema "..."; }
                   | define? (input | output)? data NAME (= NAME)?; | define data NAME { schema "..."; }
                   | define metric NAME (as TYPE)?; | generates NAME; | input NAME, NAME; | output NAME, NAME;
                   | description "..."; | implementation "..."; | implementation NAME; | subworkflow NAME;
                   | define? param NAME (= value)?; | param NAME { type T; default V; range [V, V]; }
                   | dependency "..."; and venv, python_version, type, metadata, path, schema, intent, strategy
                   | action NAME(value, value); | ... | group NAME { NAME; } | define operator NAME; | link | flow
                   | space NAME of NAME { statement* } | interaction NAME { statement* }
        link       = stage (-> stage)*; | node ?-> node { condition "..."; }
                   | node !-> node { (exception | event) "..."; }
                   | node -> node { condition "..."; } | node ?-> "condition" ? node : node (-> node)*;
        stage      = node | (node || node)
        node       = START | END | NAME | PARALLEL_1 | PARALLEL_END_1 | EXCLUSIVE_1 | INCLUSIVE_1 | COMPLEX_1 | JOIN_1
        flow       = place (--> place)*;                place = NAME | NAME.PORT
        value      = number | "text" | NAME | [values] | {"key": value} | enum(values) | range(values)

    `PARALLEL-1` is also allowed. `//` and `/* */` are comments; a comment after a datum is its description.

    A task that contains tasks, or that has `subworkflow`, is a composite. A derived workflow is a copy of its base
    with its own configurations applied. A base that is not in the file is read from another one: `a.b.NAME` from an
    imported file, else from `a/b/NAME.xxp` or another file with this package, beside the file or beside the folders of
    its own package. Files outside of the checkout (without git: outside of the folder) are not read. A file of
    `--base` is read at the same revision. For a text without a place, such as a file of `predeploy` or a case on a
    cluster, no other file is read; such a workflow must be in one file. The main workflow is the experiment; without
    an experiment, it is the workflow that no other workflow runs or is derived from. `otherwise` is the default
    branch. `!->` is a link on failure. The name of a data flow between ports is the port of its source. If a task has
    several incoming links, any one of them starts the task; PARALLEL_END waits for all of them.

    Example:
        >>> text = "workflow W { define task A; define task B; START -> A -> B -> END; }"
        >>> workflow = XxpFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'A'), ('A', 'B'), ('B', 'END')]
    """

    id: ClassVar[str] = "xxp"
    signature: ClassVar[str] = "a text that begins with `workflow NAME {` and has `START -> ...` or `define task`"
    words: ClassVar[tuple[tuple[str, ...], ...]] = (("define task",),)
    suffixes: ClassVar[tuple[str, ...]] = (".xxp",)

    def recognises(self, document: Document) -> bool:
        """Return whether the first word is a keyword of XXP, and the text contains a statement of XXP."""
        text = document.text
        patterns = (_FIRST.match, _HEAD.search, _MARKS.search)
        return document.kind == "text" and all(pattern(text) for pattern in patterns)

    def read(self, document: Document) -> Reading:
        """Read all workflows of the file.

        Raises:
            FormatError: If there is no workflow, a block or text is not closed, a link is not valid, or the base of
                the main workflow is neither in the file nor in one around it.
        """
        from wfgate.read.formats.xxp.reader import read_file

        return read_file(document)

    def calls(self, document: Document, folder: str) -> Iterator[Call]:
        """Yield the calls of the files that implement tasks, beside the file or from the top of the repository."""
        for number, line in enumerate(document.text.split("\n"), start=1):
            span = SourceSpan(line=document.lines_above + number, column=1)
            for name in _IMPLEMENTATION.findall(line):
                yield from call(name.removeprefix("file://"), folder, "", span=span)
