"""The parser of ExtremeXP text: tokens, statements and links to blocks."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, cast

from pydantic import JsonValue

from wfgate.errors import FormatError
from wfgate.model import END, START, Operator, SourceSpan
from wfgate.read.documents.document import Diagnostic, Document, Severity
from wfgate.read.documents.limits import MAX_DEPTH
from wfgate.read.formats.tokens import CodeToken, Tokens

Kind = Literal["workflow", "experiment", "task", "space", "interaction"]
_ESCAPES = {"n": "\n", "t": "\t"}
_OPERATORS: dict[str, Operator] = {
    "PARALLEL": "AND",
    "EXCLUSIVE": "XOR",
    "INCLUSIVE": "OR",
    "COMPLEX": "OR",
    "JOIN": "AND",
}
_SIGNS = ("->", "?->", "!->")
_SAID = ("dependency", "venv", "python_version", "type", "metadata", "path", "schema", "intent", "strategy", "runs")
"""Statements of one word and one value: arguments."""
_DIGITS = 300
"""Longest number; a longer one is kept as text."""
_LITERALS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class XxpArrow:
    """One link as it is written: `->`, `?->` with a condition, `!->` with an exception."""

    source: str
    target: str
    sign: str
    said: str | None
    span: SourceSpan


@dataclass(frozen=True)
class Port:
    """The source or target of a data link: a task, a datum, or a port of a task."""

    name: str
    port: str | None
    span: SourceSpan


@dataclass(frozen=True)
class XxpGate:
    """An operator that splits or joins the flow."""

    op: Operator
    joins: bool
    span: SourceSpan


@dataclass
class XxpBlock:
    """A workflow, an experiment, a task with its fields, or a `configure task`.

    Attributes:
        package: Package of the block.
        base: The workflow from which the block is derived.
        action: The implementation of a task, if it is a file or a service.
        calls: The workflow that the task runs.
        origin: The workflow from which the content of the block is copied.
        repeats: The parameters over which an experiment space runs.
        inside: The tasks in the block by name, in order.
        configs: The `configure task` blocks, including inherited ones.
        mentioned: The nodes in links.
    """

    kind: Kind
    name: str
    span: SourceSpan
    package: str = ""
    base: str | None = None
    description: str = ""
    action: str | None = None
    calls: str | None = None
    origin: str | None = None
    repeats: list[str] = field(default_factory=list)
    params: dict[str, JsonValue] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    inside: dict[str, "XxpBlock"] = field(default_factory=dict)
    twice: list["XxpBlock"] = field(default_factory=list)
    configs: list["XxpBlock"] = field(default_factory=list)
    arrows: list[XxpArrow] = field(default_factory=list)
    flows: list[tuple[Port, ...]] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    gates: dict[str, XxpGate] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    mentioned: dict[str, None] = field(default_factory=dict)

    @property
    def composite(self) -> bool:
        """Whether the task contains a flow."""
        return bool(self.inside or self.arrows)


class XxpTokens(Tokens):
    """The tokens of an XXP text. A token of the kind `operator` is a word such as `PARALLEL-1`."""

    pattern: ClassVar[re.Pattern[str]] = re.compile(
        r"""(?P<blank>\s++)
        |(?P<comment>//[^\n]*+|/\*.*?\*/)
        |(?P<text>"(?>(?:[^"\\]|\\.)*)"|'[^'\n]*+')
        |(?P<operator>(?:PARALLEL|EXCLUSIVE|INCLUSIVE|COMPLEX|JOIN)-(?:END-)?\d++)
        |(?P<word>[^\W\d]\w*+)
        |(?P<number>-?\d++(?:\.\d++)?)
        |(?P<symbol>-->|\?->|!->|->|\|\||\.\.\.|[{}()\[\];,.=:?])
        |(?P<open>"|/\*)
        |(?P<other>.)""",
        re.DOTALL | re.VERBOSE,
    )
    unclosed: ClassVar[dict[str, tuple[str, str]]] = {
        '"': ("the text", 'close it with "'),
        "/*": ("the comment", "close it with */"),
    }
    plain: ClassVar[frozenset[str]] = frozenset({"word", "symbol"})

    def made(self, token: CodeToken) -> CodeToken:
        """Return a text without its quotes."""
        return token._replace(value=_unquoted(token.value)) if token.kind == "text" else token

    def remark(self, token: CodeToken) -> str:
        """Return the first comment on the line of a token."""
        return self._remarks.get(self.span(token.at).line, "")

    @cached_property
    def _remarks(self) -> dict[int, str]:
        remarks: dict[int, str] = {}
        for match in self.pattern.finditer(self.text):
            if match.lastgroup == "comment":
                remarks.setdefault(self.span(match.start()).line, match[0].strip("/* \t\r\n"))
        return remarks


def _unquoted(value: str) -> str:
    inner = value[1:-1]
    if value[0] == "'" or "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)


class Parser:
    """Reads the file from its first token to its last.

    Attributes:
        diagnostics: Diagnostics about what is not read.
        imports: The imported files, as written, with the position of the import.

    Raises:
        FormatError: If a text, comment or block is not closed, a block has no name, or a link is not valid.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.tokens = XxpTokens(document)
        self.diagnostics: list[Diagnostic] = []
        self.imports: dict[str, SourceSpan] = {}
        self.depth = 0
        self.package = ""
        rules: dict[str, Callable[[XxpBlock, CodeToken, str], None]] = {
            **dict.fromkeys(("task", "space", "interaction"), self._task),
            **dict.fromkeys(("input", "output", "data", "metric"), self._data),
            **dict.fromkeys(("param", "param_values"), self._param),
            **dict.fromkeys(("implementation", "subworkflow"), self._implementation),
            **dict.fromkeys(_SAID, self._argument),
            "configure": self._configure,
            "operator": self._operator,
            "description": self._description,
            "control": lambda block, start, _: self._body(block, start),
            "generates": lambda block, *_: self._names(block.outputs),
            "group": self._group,
            "action": self._action,
        }
        self.rules = rules

    def file(self) -> list[XxpBlock]:
        """Return the workflows and experiments of the file."""
        blocks: list[XxpBlock] = []
        tokens = self.tokens
        while (start := tokens.peek()).kind != "end":
            if tokens.skip("package"):
                self.package = str(self.value())
                self._close(start)
            elif tokens.skip("import"):
                self.imports.setdefault(str(self.value()), tokens.span(start.at))
                self._close(start)
            else:
                tokens.skip("assembled")
                if tokens.skip("workflow", "experiment"):
                    blocks.append(self._named(cast("Kind", tokens.last.value), start))
                elif not tokens.skip(";"):
                    self._unknown(start)
                    while tokens.skip("}", ";"):
                        pass
        return blocks

    def _inside(self, closing: str, opened: CodeToken | None = None) -> Iterator[CodeToken]:
        """Take an opening bracket, yield before each thing behind it, and take the closing bracket.

        Args:
            closing: The closing bracket.
            opened: The token at which errors are reported; the opening bracket if it is None.
        """
        bracket = self.tokens.take()
        opened = opened or bracket
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"the blocks are nested deeper than {MAX_DEPTH} levels"
            raise self.error(opened, message, "use fewer levels of nesting")
        while not self.tokens.skip(closing):
            if self.tokens.peek().kind == "end":
                what = "block" if closing == "}" else "bracket"
                raise self.error(opened, f"this {what} is not closed", f"close it with {closing}")
            yield self.tokens.peek()
        self.depth -= 1

    def _named(self, kind: Kind, start: CodeToken) -> XxpBlock:
        """Read a block after its keyword: name, base, and the content of the braces."""
        tokens = self.tokens
        block = XxpBlock(kind, self.name(f"the {kind}"), tokens.span(start.at), self.package)
        if tokens.skip("from"):
            block.base = self.qualified()
        if kind == "space" and tokens.skip("of"):
            block.calls = self.qualified()
        if tokens.sees("{"):
            self._body(block, start)
        elif tokens.sees(";", ",") and kind in {"task", "space", "interaction"}:
            block.description = tokens.remark(tokens.peek())
        else:
            message = f"the {kind} {block.name[:80]} has no body"
            raise self.error(tokens.peek(), message, "write { ... } after the name")
        return block

    def _body(self, block: XxpBlock, start: CodeToken) -> None:
        """Read `{ statement* }`."""
        if not self.tokens.sees("{"):
            return
        for first in self._inside("}", start):
            if not self.tokens.skip(";"):
                self._statement(block, first)

    def _statement(self, block: XxpBlock, start: CodeToken) -> None:
        tokens = self.tokens
        behind = tokens.peek(1).value if tokens.peek(1).kind == "symbol" else ""
        if tokens.sees("(") or behind in _SIGNS:
            self._links(block)
        elif behind in {"-->", "."}:
            self._flow(block)
        elif block.kind == "experiment" and start.kind in {"word", "operator"} and behind == ";":
            block.mentioned[tokens.take().value] = None
        elif tokens.skip("..."):
            self.say("info", start, f"{block.name[:80]} is incomplete: the file has ... instead of statements")
        else:
            tokens.skip("define")
            rule = self.rules.get(tokens.peek().value) if tokens.peek().kind == "word" else None
            if rule is None:
                self._unknown(start)
                return
            rule(block, start, tokens.take().value)
            self._close(start)

    def _close(self, start: CodeToken) -> None:
        """Skip the semicolon of a statement; report other text before the semicolon."""
        if not self.tokens.skip(";") and not self.tokens.sees("}") and self.tokens.last.value != "}":
            self._unknown(start)

    def _unknown(self, start: CodeToken) -> None:
        """Skip an unknown statement up to its semicolon or its closing brace, and report it."""
        tokens = self.tokens
        deep = 0
        while (token := tokens.peek()).kind != "end":
            sign = token.value if token.kind == "symbol" else ""
            if sign == "}" and not deep:
                break
            tokens.take()
            deep += (sign == "{") - (sign == "}")
            if sign in {";", "}"} and not deep:
                break
        if not self.depth:
            tokens.skip("}")
        shown = " ".join(tokens.text[start.at : min(start.at + 60, tokens.last.end)].split())[:50]
        self.say("warning", start, f"this text is not understood and not read: {shown}")

    def _links(self, block: XxpBlock) -> None:
        """Read `A -> B;`, `A ?-> B { condition "..."; }` or `A ?-> "condition" ? B : C;`."""
        tokens = self.tokens
        before = [self._stage(block)]
        arrows: list[tuple[list[str], list[str], CodeToken, str | None]] = []
        while tokens.skip(*_SIGNS):
            sign = tokens.last
            after = []
            if tokens.peek().kind == "text":
                condition = tokens.take()
                for mark, said in (("?", condition.value), (":", "otherwise")):
                    if not tokens.skip(mark):
                        what = f"{mark} and a step after the condition"
                        raise tokens.expected(what, 'write A ?-> "condition" ? B : C -> D;')
                    after.append(self._stage(block))
                    arrows += [(one, after[-1], condition, said) for one in before]
            else:
                after.append(self._stage(block))
                arrows += [(one, after[0], sign, None) for one in before]
            before = after
        if arrows and tokens.sees("{"):
            arrows[-1] = (*arrows[-1][:3], self._said())
        elif not tokens.skip(";") and not tokens.sees("}"):
            raise tokens.expected("-> or ;", "write ; after the links")
        for first, second, sign, text in arrows:
            if sign.value in {"?->", "!->"} and text is None:
                what = "condition" if sign.value == "?->" else "exception"
                self.say("warning", sign, f"the link has no {what}", f'write {{ {what} "..."; }} behind it')
            self._join(block, first, second, sign, text)

    def _stage(self, block: XxpBlock) -> list[str]:
        """Read a node, or several nodes in brackets with || between them."""
        if not self.tokens.skip("("):
            return [self._node(block)]
        nodes = [self._node(block)]
        while self.tokens.skip("||"):
            nodes.append(self._node(block))
        if not self.tokens.skip(")"):
            raise self.error(self.tokens.peek(), "the bracket is not closed", "close it with )")
        return nodes

    def _node(self, block: XxpBlock) -> str:
        token = self.tokens.peek()
        name = self.name("the link")
        kind, _, rest = name.replace("-", "_").partition("_")
        if kind in _OPERATORS and rest.removeprefix("END_").isdigit() and name not in block.inside:
            name = f"{kind}_{rest}"
            if kind == "COMPLEX" and name not in block.gates:
                message = f"{name[:80]} has its own rule, which is not read; the gateway is read as inclusive"
                self.say("warning", token, message)
            joins = kind == "JOIN" or rest.startswith("END_")
            block.gates.setdefault(name, XxpGate(_OPERATORS[kind], joins, self.tokens.span(token.at)))
        block.mentioned[name] = None
        return name

    def _join(self, block: XxpBlock, before: list[str], after: list[str], sign: CodeToken, said: str | None) -> None:
        """Link two stages. A stage of several nodes gets an operator before and after it."""
        span = self.tokens.span(sign.at)
        ends = []
        for stage, joins in ((before, True), (after, False)):
            end = stage[0]
            if len(stage) > 1:
                end = f"PARALLEL_{'END_' * joins}{'_'.join(stage)}"
                if end not in block.gates:
                    block.gates[end] = XxpGate("AND", joins=joins, span=span)
                    pairs = [(name, end) if joins else (end, name) for name in stage]
                    block.arrows += [XxpArrow(*pair, "->", None, span) for pair in pairs]
            ends.append(end)
        block.arrows.append(XxpArrow(ends[0], ends[1], sign.value, said, span))

    def _said(self) -> str | None:
        """Read the block with a condition or an exception."""
        tokens = self.tokens
        said: str | None = None
        unknown: CodeToken | None = None
        for token in self._inside("}"):
            tokens.take()
            if token.value in {"condition", "exception", "event"} and tokens.peek().kind == "text":
                said = tokens.take().value
            elif token.value != ";":
                unknown = unknown or token
        if unknown is not None:  # once for all of them: there may be a million
            self.say("warning", unknown, f"this text is not understood and not read: {unknown.value[:40]}")
        return said

    def _flow(self, block: XxpBlock) -> None:
        """Read `A.port --> B.port;`."""
        tokens = self.tokens
        ports: list[Port] = []
        while not ports or tokens.skip("-->"):
            span = tokens.span(tokens.peek().at)
            name = self.name("the flow of data")
            ports.append(Port(name, self.name("the port") if tokens.skip(".") else None, span))
        if not tokens.skip(";") and not tokens.sees("}"):
            raise tokens.expected("--> or ;", "write ; after the flow of data")
        block.flows.append(tuple(ports))

    def _task(self, block: XxpBlock, start: CodeToken, word: str) -> None:
        self._add(block, self._named(cast("Kind", word), start))
        while self.tokens.skip(","):
            self._add(block, self._named("task", self.tokens.peek()))

    def _add(self, block: XxpBlock, task: XxpBlock, *, configures: bool = False) -> None:
        if task.name in {START, END}:
            raise self.document.error_at(task.span, f"{task.name} cannot be the name of a task", fix="rename the task")
        if configures or block.base is not None or block.kind == "space":
            block.configs.append(task)
        elif task.name in block.inside:
            block.twice.append(task)
        else:
            block.inside[task.name] = task

    def _operator(self, block: XxpBlock, start: CodeToken, _: str) -> None:
        name = self.name("the operator")
        message = f"the type of the operator {name[:80]} is unknown; the operator is read as a step"
        fix = "name it PARALLEL_1, EXCLUSIVE_1 or INCLUSIVE_1; name the join PARALLEL_END_1 and so on"
        self.say("warning", start, message, fix)
        self._add(block, XxpBlock("task", name, self.tokens.span(start.at), action="operator"))

    def _configure(self, block: XxpBlock, start: CodeToken, _: str) -> None:
        if self.tokens.skip("task", "tasks"):
            self._add(block, self._named("task", self.tokens.last), configures=True)
        elif self.tokens.skip("data"):
            name, said = self._settings(start)
            block.data[name] = block.data.get(name) or said

    def _data(self, block: XxpBlock, start: CodeToken, word: str) -> None:
        """Read a datum of a block, or the names of the data that a task reads or writes."""
        tokens = self.tokens
        into = {"input": block.inputs, "output": block.outputs}.get(word)
        if into is not None and not tokens.skip("data"):
            self._names(into)
            return
        remark = tokens.remark(tokens.peek())
        name, said = self._settings(start)
        if into is not None and block.kind == "task" and not block.composite:
            into.append(name)
        else:
            block.data[name] = remark or said

    def _settings(self, start: CodeToken) -> tuple[str, str]:
        """Read the name of a datum and what is said about it; return both."""
        tokens = self.tokens
        settings = XxpBlock("task", self.name("the data"), tokens.span(start.at))
        if tokens.skip("="):
            settings.params["of"] = f"is {self.name('the data')}"
        if tokens.skip("as"):
            settings.params["type"] = tokens.take().value
        self._body(settings, start)
        return settings.name, ", ".join(map(str, settings.params.values()))

    def _description(self, block: XxpBlock, *_: object) -> None:
        block.description = str(self.value())

    def _implementation(self, block: XxpBlock, _: CodeToken, word: str) -> None:
        is_text = self.tokens.peek().kind == "text"
        name = self.tokens.take().value if is_text else self.qualified()
        if is_text and word == "implementation":
            block.action = name
        else:
            block.calls = name

    def _action(self, block: XxpBlock, *_: object) -> None:
        """Read the action of an interaction: `ask("now", p);`."""
        cast("list[JsonValue]", block.params.setdefault("actions", [])).append(self.value())

    def _argument(self, block: XxpBlock, _: CodeToken, word: str) -> None:
        self.tokens.skip("=")
        block.params[word] = self.value()

    def _group(self, block: XxpBlock, *_: object) -> None:
        members = block.groups.setdefault(self.name("the group"), [])
        for token in self._inside("}") if self.tokens.sees("{") else ():
            if token.kind == "word":
                members.append(token.value)
            self.tokens.take()

    def _param(self, block: XxpBlock, *_: object) -> None:
        tokens = self.tokens
        name = self.name("the parameter")
        value: JsonValue = None
        if tokens.sees("{"):
            value = {}
            for _ in self._inside("}"):
                if not tokens.skip(";"):
                    value[self.name("the setting")] = self.value()
        elif tokens.skip("="):
            swept = tokens.sees("enum", "range") and tokens.peek(1).value == "("
            value = self.value()
            if block.kind == "space" and swept:
                block.repeats.append(f"{name} in {value}")
        block.params[name] = value

    def _names(self, into: list[str]) -> None:
        into.append(self.name("the data"))
        while self.tokens.skip(","):
            into.append(self.name("the data"))

    def value(self) -> JsonValue:
        """Read a literal, a list, a mapping, a name or a call."""
        tokens = self.tokens
        token = tokens.peek()
        if tokens.sees("[", "("):
            return self._list("]" if token.value == "[" else ")")
        if tokens.sees("{"):
            mapping: dict[str, JsonValue] = {}
            for _ in self._inside("}"):
                key = str(self.value())
                mapping[key] = self.value() if tokens.skip(":") else None
                tokens.skip(",")
            return mapping
        if token.kind == "text":
            return tokens.take().value
        if token.kind == "number":
            number = tokens.take().value
            return number if len(number) > _DIGITS else float(number) if "." in number else int(number)
        if token.kind != "word":
            raise tokens.expected("a value", "write a number or a text in quotes")
        name = self.qualified()
        if tokens.sees("("):
            return f"{name}({', '.join(map(str, self._list(')')))})"
        return _LITERALS.get(name, name)

    def _list(self, closing: str) -> list[JsonValue]:
        values: list[JsonValue] = []
        for _ in self._inside(closing):
            values.append(self.value())
            self.tokens.skip(",")
        return values

    def name(self, what: str) -> str:
        """Read a name."""
        if self.tokens.peek().kind not in {"word", "operator"}:
            raise self.error(self.tokens.peek(), f"{what} has no name", "write a name of letters, digits and _")
        return self.tokens.take().value

    def qualified(self) -> str:
        """Read a name with the packages before it."""
        name = self.name("the workflow")
        while self.tokens.skip("."):
            name += f".{self.name('the workflow')}"
        return name

    def say(self, severity: Severity, token: CodeToken, message: str, fix: str | None = None) -> None:
        """Add a diagnostic about a token."""
        self.diagnostics.append(self.document.diagnostic_at(self.tokens.span(token.at), severity, message, fix=fix))

    def error(self, token: CodeToken, message: str, fix: str) -> FormatError:
        """Return the error about a token."""
        return self.tokens.error(message, token.at, fix)
