"""The parser of ExtremeXP text: tokens, statements and links to blocks."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, cast

from pydantic import JsonValue

from wfgate.documents import MAX_DEPTH, Diagnostic, Document, Positions
from wfgate.errors import FormatError
from wfgate.model import END, START, SourceSpan
from wfgate.model.workflow import Operator

Kind = Literal["workflow", "experiment", "task", "space", "interaction"]
_TOKEN = re.compile(
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
_WORDS = frozenset({"word", "symbol"})
_AHEAD = 8
"""Largest lookahead, in tokens."""
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
class Arrow:
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
class Gate:
    """An operator that splits or joins the flow."""

    op: Operator
    joins: bool
    span: SourceSpan


@dataclass
class Block:
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
    tags: list[str] = field(default_factory=list)
    inside: dict[str, "Block"] = field(default_factory=dict)
    twice: list["Block"] = field(default_factory=list)
    configs: list["Block"] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    flows: list[tuple[Port, ...]] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    mentioned: dict[str, None] = field(default_factory=dict)

    @property
    def composite(self) -> bool:
        """Whether the task contains a flow."""
        return bool(self.inside or self.arrows)


class Token(NamedTuple):
    """One token.

    Attributes:
        kind: word, operator, number, text, symbol, other, or end (after the last token).
        value: Text of the token; for a text, without the quotes.
        at: Offset of the token.
        end: Offset after the token.
    """

    kind: str
    value: str
    at: int
    end: int


class Tokens:
    """All tokens of a document, and the index of the next token to read.

    Raises:
        FormatError: If a text or a comment is not closed.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.next = 0
        self.remarks: dict[int, str] = {}
        self._positions = Positions(document.text)
        self._found: list[Token] = []
        for match in _TOKEN.finditer(document.text):
            kind, value = str(match.lastgroup), match.group()
            if kind == "open":
                what = "the text" if value == '"' else "the comment"
                message = f"close it with {value if value == chr(34) else '*/'}"
                raise document.error_at(self.span(match.start()), f"{what} is not closed", fix=message)
            if kind == "comment":
                line = self._positions.span(match.start()).line
                self.remarks.setdefault(line, value.strip("/* \t\r\n"))
            elif kind != "blank":
                shown = _unquoted(value) if kind == "text" else value
                self._found.append(Token(kind, shown, match.start(), match.end()))
        size = len(document.text)
        self._found += [Token("end", "the end of the file", size, size)] * _AHEAD

    def peek(self, ahead: int = 0) -> Token:
        """Return a token without reading it: the next token, or a later one."""
        return self._found[self.next + ahead]

    def take(self) -> Token:
        """Return the next token and move to the one after it."""
        token = self.peek()
        self.next += token.kind != "end"
        return token

    def sees(self, *values: str) -> bool:
        """Return whether the next tokens are these symbols or words."""
        for token, value in zip(self._found[self.next : self.next + len(values)], values, strict=True):
            if token.value != value or token.kind not in _WORDS:
                return False
        return True

    def skip(self, *values: str) -> bool:
        """Skip these symbols or words if they are next."""
        found = self.sees(*values)
        self.next += len(values) if found else 0
        return found

    def span(self, at: int) -> SourceSpan:
        """Return the position of an offset in the file."""
        span = self._positions.span(at)
        return SourceSpan(line=span.line + self.document.lines_above, column=span.column)

    def remark(self, token: Token) -> str:
        """Return the comment on the same line as a token."""
        return self.remarks.get(self._positions.span(token.at).line, "")


def first_word(text: str) -> str:
    r"""Return the first word of a text; comments are skipped.

    Example:
        >>> first_word("// A\npackage b;")
        'package'
    """
    at = 0
    while match := _TOKEN.match(text, at):
        if match.lastgroup not in {"blank", "comment"}:
            return match.group() if match.lastgroup == "word" else ""
        at = match.end()
    return ""


def _unquoted(value: str) -> str:
    inner = value[1:-1]
    if value[0] == "'" or "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)


def chain(parser: "Parser", block: Block) -> None:
    """Read one statement of links and add the links to the block."""
    tokens = parser.tokens
    start = tokens.peek()
    if tokens.peek(1).value in {"-->", "."}:
        _data(parser, block)
        return
    stages = [_stage(parser, block)]
    signs: list[Token] = []
    while tokens.peek().value in _SIGNS and tokens.peek().kind == "symbol":
        signs.append(tokens.take())
        if tokens.peek().kind == "text":
            _choice(parser, block, stages, signs, start)
            return
        stages.append(_stage(parser, block))
    said = _said(parser) if tokens.sees("{") else None
    for place, ((before, after), sign) in enumerate(zip(pairwise(stages), signs, strict=True)):
        text = said if place == len(signs) - 1 else None
        if sign.value != "->" and text is None:
            what = "condition" if sign.value == "?->" else "exception"
            parser.say("warning", sign, f"the link has no {what}", f'write {{ {what} "..."; }} behind it')
        _join(parser, block, before, after, sign, text)
    if not tokens.skip(";") and said is None and not tokens.sees("}"):
        raise parser.error(
            tokens.peek(), f"expected -> or ;, not {tokens.peek().value[:40]}", "write ; after the links"
        )


def _stage(parser: "Parser", block: Block) -> list[str]:
    """Read a node, or several nodes in brackets with || between them."""
    if not parser.tokens.skip("("):
        return [_node(parser, block)]
    found = [_node(parser, block)]
    while parser.tokens.skip("||"):
        found.append(_node(parser, block))
    if not parser.tokens.skip(")"):
        raise parser.error(parser.tokens.peek(), "the bracket is not closed", "close it with )")
    return found


def _node(parser: "Parser", block: Block) -> str:
    token = parser.tokens.peek()
    name = parser.name("the link")
    kind, _, rest = name.replace("-", "_").partition("_")
    number = rest.removeprefix("END_")
    if kind in _OPERATORS and number.isdigit() and name not in block.inside:
        name = f"{kind}_{rest}"
        if kind == "COMPLEX" and name not in block.gates:
            parser.say(
                "warning",
                token,
                f"{name[:80]} has its own rule, which is not read; the gateway is read as inclusive",
                None,
            )
        joins = kind == "JOIN" or rest.startswith("END_")
        block.gates.setdefault(name, Gate(_OPERATORS[kind], joins, parser.tokens.span(token.at)))
    block.mentioned[name] = None
    return name


def _join(parser: "Parser", block: Block, before: list[str], after: list[str], sign: Token, said: str | None) -> None:
    """Link two stages. A stage of several nodes gets an operator before and after it."""
    span = parser.tokens.span(sign.at)
    source, target = before[0], after[0]
    if len(before) > 1:
        source = f"PARALLEL_END_{'_'.join(before)}"
        if source not in block.gates:
            block.gates[source] = Gate("AND", joins=True, span=span)
            block.arrows += [Arrow(name, source, "->", None, span) for name in before]
    if len(after) > 1:
        target = f"PARALLEL_{'_'.join(after)}"
        if target not in block.gates:
            block.gates[target] = Gate("AND", joins=False, span=span)
            block.arrows += [Arrow(target, name, "->", None, span) for name in after]
    block.arrows.append(Arrow(source, target, sign.value, said, span))


def _said(parser: "Parser") -> str | None:
    """Read the block with a condition or an exception."""
    opened = parser.tokens.take()
    said: str | None = None
    unknown: Token | None = None
    while not parser.tokens.skip("}"):
        token = parser.tokens.take()
        if token.kind == "end":
            raise parser.error(opened, "this block is not closed", "close it with }")
        if token.value in {"condition", "exception", "event"} and parser.tokens.peek().kind == "text":
            said = parser.tokens.take().value
            parser.tokens.skip(";")
        elif token.value != ";":
            unknown = unknown or token
    if unknown is not None:  # once for all of them: there may be a million
        parser.say("warning", unknown, f"this text is not understood and not read: {unknown.value[:40]}", None)
    return said


def _choice(parser: "Parser", block: Block, stages: list[list[str]], signs: list[Token], start: Token) -> None:
    """Read the rest of `A ?-> "condition" ? B : C -> D;`, starting at the condition."""
    tokens = parser.tokens
    condition = tokens.take()
    if not tokens.skip("?"):
        raise parser.error(tokens.peek(), "expected ? after the condition", 'write A -> "condition" ? B : C -> D;')
    yes = _stage(parser, block)
    if not tokens.skip(":"):
        raise parser.error(tokens.peek(), "expected : and the step for the other case", 'write A -> "c" ? B : C -> D;')
    no = _stage(parser, block)
    for (before, after), sign in zip(pairwise(stages), signs, strict=False):
        _join(parser, block, before, after, sign, None)
    _join(parser, block, stages[-1], yes, condition, condition.value)
    _join(parser, block, stages[-1], no, condition, "otherwise")
    previous = [yes, no]
    while tokens.sees("->"):
        sign = tokens.take()
        stage = _stage(parser, block)
        for before in previous:
            _join(parser, block, before, stage, sign, None)
        previous = [stage]
    if not tokens.skip(";") and not tokens.sees("}"):
        raise parser.error(start, "the links do not end with ;", "write ; after the links")


def _data(parser: "Parser", block: Block) -> None:
    tokens = parser.tokens
    found: list[Port] = []
    while True:
        token = tokens.peek()
        name = parser.name("the flow of data")
        port = parser.name("the port") if tokens.skip(".") else None
        found.append(Port(name, port, tokens.span(token.at)))
        if not tokens.skip("-->"):
            break
    if not tokens.skip(";") and not tokens.sees("}"):
        raise parser.error(
            tokens.peek(), f"expected --> or ;, not {tokens.peek().value[:40]}", "write ; after the flow of data"
        )
    block.flows.append(tuple(found))


class Parser:
    """Reads the file from its first token to its last.

    Raises:
        FormatError: If a text, comment or block is not closed, or a block has no name.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.tokens = Tokens(document)
        self.diagnostics: list[Diagnostic] = []
        self.depth = 0
        self.package = ""

    def file(self) -> list[Block]:
        """Return the workflows and experiments of the file."""
        found: list[Block] = []
        tokens = self.tokens
        while tokens.peek().kind != "end":
            start = tokens.peek()
            if tokens.skip("package"):
                self.package = self._until_semicolon()
                continue
            if tokens.skip("import"):
                self.say(
                    "info",
                    start,
                    f"the imported file is not read: {tokens.peek().value[:80]}",
                    "copy the content of the imported file into this file",
                )
                self._until_semicolon()
                continue
            tokens.skip("assembled")
            if tokens.sees("workflow") or tokens.sees("experiment"):
                found.append(self._named(cast("Kind", tokens.take().value), start))
            else:
                self._unknown(start)
                while tokens.sees("}") or tokens.sees(";"):
                    tokens.take()
        return found

    def _named(self, kind: Kind, start: Token) -> Block:
        """Read a block after its keyword: name, base, and the content of the braces."""
        tokens = self.tokens
        block = Block(kind, self.name(f"the {kind}"), tokens.span(start.at), self.package)
        if tokens.skip("from"):
            block.base = self.qualified()
        if kind == "space" and tokens.skip("of"):
            block.calls = self.qualified()
        if tokens.peek().value in {";", ","} and kind in {"task", "space", "interaction"}:
            block.description = tokens.remark(tokens.peek())
            tokens.skip(";")
            return block
        if not tokens.skip("{"):
            raise self.error(
                tokens.peek(), f"the {kind} {block.name[:80]} has no body", "write { ... } after the name"
            )
        self.body(block, start)
        tokens.skip(";")
        return block

    def body(self, block: Block, opened: Token) -> None:
        """Read statements up to the closing brace."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(
                opened, f"the blocks are nested deeper than {MAX_DEPTH} levels", "use fewer levels of nesting"
            )
        while not self.tokens.skip("}"):
            if self.tokens.peek().kind == "end":
                raise self.error(opened, "this block is not closed", "close it with }")
            if not self.tokens.skip(";"):
                self._statement(block)
        self.depth -= 1

    def _statement(self, block: Block) -> None:
        tokens = self.tokens
        start = tokens.peek()
        word = start.value if start.kind == "word" else ""
        rules: dict[str, Callable[[Block], None]] = {
            "configure": self._configure,
            "description": self._description,
            "implementation": self._implementation,
            "subworkflow": self._implementation,
            "control": lambda inner: self._inner(inner, start),
            "generates": lambda inner: self._names(inner.outputs),
            "group": self._group,
            "action": self._action,
            "param_values": self._param,
            "param": self._param,
        }
        named = {"task", "space", "interaction"}
        if tokens.peek(1).value in {"->", "?->", "!->", "-->", "."} or start.value == "(":
            chain(self, block)
        elif word == "define" or word in named or self._is_data():
            tokens.skip("define")
            self._define(block, start)
        elif word in rules:
            tokens.take()
            rules[word](block)
        elif word in _SAID:
            tokens.take()
            tokens.skip("=")
            block.params[word] = self.value()
            self._close(start)
        elif start.kind in {"word", "operator"} and tokens.peek(1).value == ";" and block.kind == "experiment":
            block.mentioned[tokens.take().value] = None
        elif tokens.skip("..."):
            self.say("info", start, f"{block.name[:80]} is incomplete: the file has ... instead of statements", None)
        else:
            self._unknown(start)

    def _is_data(self) -> bool:
        word, second = self.tokens.peek().value, self.tokens.peek(1)
        return word in {"data", "input", "output"} and second.kind == "word"

    def _define(self, block: Block, start: Token) -> None:
        tokens = self.tokens
        word = tokens.peek().value
        if word in {"task", "space", "interaction"}:
            tokens.take()
            self._add(block, self._named(cast("Kind", word), start))
            while tokens.skip(","):
                self._add(block, self._named("task", tokens.peek()))
        elif word in {"input", "output"} and tokens.peek(1).value != "data":
            tokens.take()
            self._names(block.inputs if word == "input" else block.outputs)
        elif word in {"input", "output", "data", "metric"}:
            side = tokens.take().value
            tokens.skip("data")
            self._data(block, side)
        elif tokens.skip("param"):
            self._param(block)
        elif tokens.skip("operator"):
            name = self.name("the operator")
            message = f"the type of the operator {name[:80]} is unknown; the operator is read as a step"
            self.say(
                "warning",
                start,
                message,
                "name it PARALLEL_1, EXCLUSIVE_1 or INCLUSIVE_1; name the join PARALLEL_END_1 and so on",
            )
            self._add(block, Block("task", name, tokens.span(start.at), action="operator"))
            self._close(start)
        else:
            self._unknown(start)

    def _add(self, block: Block, task: Block) -> None:
        if task.name in {START, END}:
            raise self.document.error_at(task.span, f"{task.name} cannot be the name of a task", fix="rename the task")
        if block.base is not None or block.kind == "space":
            block.configs.append(task)
        elif task.name in block.inside:
            block.twice.append(task)
        else:
            block.inside[task.name] = task

    def _configure(self, block: Block) -> None:
        tokens = self.tokens
        start = tokens.peek()
        if tokens.skip("task") or tokens.skip("tasks"):
            task = self._named("task", start)
            if task.name in {START, END}:
                raise self.error(start, f"{task.name} cannot be the name of a task", "rename the task")
            block.configs.append(task)
        elif tokens.skip("data"):
            name = self.name("the data")
            settings = Block("task", name, tokens.span(start.at))
            if tokens.skip("{"):
                self.body(settings, start)
            text = ", ".join(str(value) for value in settings.params.values())
            if name not in block.data or not block.data[name]:
                block.data[name] = text
        else:
            self._unknown(start)

    def _data(self, block: Block, side: str) -> None:
        tokens = self.tokens
        start = tokens.peek()
        name = self.name("the data")
        settings = Block("task", name, tokens.span(start.at))
        if tokens.skip("="):
            settings.params["of"] = f"is {self.name('the data')}"
        if tokens.skip("as"):
            settings.params["type"] = tokens.take().value
        remark = tokens.remark(start)
        if tokens.skip("{"):
            self.body(settings, start)
            tokens.skip(";")
        else:
            self._close(start)
        text = ", ".join(str(value) for value in settings.params.values())
        if block.kind == "task" and side in {"input", "output"} and not block.composite:
            (block.inputs if side == "input" else block.outputs).append(name)
        else:
            block.data[name] = remark or text

    def _description(self, block: Block) -> None:
        start = self.tokens.peek()
        block.description = str(self.value())
        self._close(start)

    def _implementation(self, block: Block) -> None:
        tokens = self.tokens
        start = tokens.peek()
        called = tokens.peek(-1).value == "subworkflow"
        name = tokens.take().value if start.kind == "text" else self.qualified()
        if called or start.kind != "text":
            block.calls = name
        else:
            block.action = name
        self._close(start)

    def _inner(self, block: Block, opened: Token) -> None:
        if self.tokens.skip("{"):
            self.body(block, opened)
        else:
            self._unknown(opened)

    def _action(self, block: Block) -> None:
        """Read the action of an interaction: `ask("now", p);`."""
        start = self.tokens.peek()
        done = cast("list[JsonValue]", block.params.setdefault("actions", []))
        done.append(self.value())
        self._close(start)

    def _group(self, block: Block) -> None:
        start = self.tokens.peek()
        name = self.name("the group")
        members = block.groups.setdefault(name, [])
        if not self.tokens.skip("{"):
            self._unknown(start)
            return
        while self.tokens.peek().kind == "word" or self.tokens.peek().value in {";", ","}:
            token = self.tokens.take()
            if token.kind == "word":
                members.append(token.value)
        if not self.tokens.skip("}"):
            self._unknown(start)

    def _param(self, block: Block) -> None:
        tokens = self.tokens
        start = tokens.peek()
        name = self.name("the parameter")
        if tokens.skip("{"):
            settings = Block("task", name, tokens.span(start.at))
            details: dict[str, JsonValue] = {}
            while tokens.peek().kind == "word":
                key = tokens.take().value
                details[key] = self.value()
                tokens.skip(";")
            if not tokens.skip("}"):
                self.body(settings, start)
            block.params[name] = details
            return
        value: JsonValue = None
        if tokens.skip("="):
            swept = tokens.peek().value in {"enum", "range"} and tokens.peek(1).value == "("
            value = self.value()
            if block.kind == "space" and swept:
                block.repeats.append(f"{name} in {value}")
        block.params[name] = value
        self._close(start)

    def _names(self, into: list[str]) -> None:
        start = self.tokens.peek()
        into.append(self.name("the data"))
        while self.tokens.skip(","):
            into.append(self.name("the data"))
        self._close(start)

    def value(self) -> JsonValue:
        """Read a literal, a list, a mapping, a name or a call."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(
                self.tokens.peek(),
                f"the blocks are nested deeper than {MAX_DEPTH} levels",
                "use fewer levels of nesting",
            )
        tokens = self.tokens
        token = tokens.peek()
        found: JsonValue
        if token.value in {"[", "("} and token.kind == "symbol":
            found = self._list("]" if token.value == "[" else ")")
        elif token.value == "{" and token.kind == "symbol":
            found = self._mapping()
        elif token.kind == "number":
            tokens.take()
            long = len(token.value) > _DIGITS
            found = token.value if long else float(token.value) if "." in token.value else int(token.value)
        elif token.kind == "text":
            found = tokens.take().value
        elif token.kind == "word":
            name = self.qualified()
            found = _LITERALS.get(name, name)
            if tokens.sees("("):
                found = f"{name}({', '.join(str(part) for part in self._list(')'))})"
        else:
            raise self.error(token, f"expected a value, not {token.value[:40]}", "write a number or a text in quotes")
        self.depth -= 1
        return found

    def _list(self, closing: str) -> list[JsonValue]:
        opened = self.tokens.take()
        found: list[JsonValue] = []
        while not self.tokens.skip(closing):
            if self.tokens.peek().kind == "end":
                raise self.error(opened, f"this {opened.value} is not closed", f"close it with {closing}")
            found.append(self.value())
            self.tokens.skip(",")
        return found

    def _mapping(self) -> dict[str, JsonValue]:
        opened = self.tokens.take()
        found: dict[str, JsonValue] = {}
        while not self.tokens.skip("}"):
            if self.tokens.peek().kind == "end":
                raise self.error(opened, "this { is not closed", "close it with }")
            key = str(self.value())
            found[key] = self.value() if self.tokens.skip(":") else None
            self.tokens.skip(",")
        return found

    def name(self, what: str) -> str:
        """Read a name."""
        token = self.tokens.peek()
        if token.kind not in {"word", "operator"}:
            raise self.error(token, f"{what} has no name", "write a name of letters, digits and _")
        return self.tokens.take().value

    def qualified(self) -> str:
        """Read a name with the packages before it."""
        parts = [self.name("the workflow")]
        while self.tokens.skip("."):
            parts.append(self.name("the workflow"))
        return ".".join(parts)

    def _close(self, start: Token) -> None:
        """Skip the semicolon of a statement; report other text before the semicolon."""
        if not self.tokens.skip(";") and not self.tokens.sees("}"):
            self._unknown(start)

    def _unknown(self, start: Token) -> None:
        """Skip an unknown statement up to its semicolon or its closing brace, and report it."""
        deep = 0
        while (token := self.tokens.peek()).kind != "end":
            if token.value == "}" and token.kind == "symbol":
                if not deep:
                    break
                deep -= 1
                if not deep:
                    self.tokens.take()
                    break
            deep += token.value == "{" and token.kind == "symbol"
            self.tokens.take()
            if token.value == ";" and token.kind == "symbol" and not deep:
                break
        if not self.depth and self.tokens.sees("}"):
            self.tokens.take()
        shown = " ".join(self.document.text[start.at : min(start.at + 60, self.tokens.peek(-1).end)].split())[:50]
        self.say("warning", start, f"this text is not understood and not read: {shown}", None)

    def _until_semicolon(self) -> str:
        start = self.tokens.peek()
        name = start.value
        if start.kind == "word":
            name = self.qualified()
        elif start.kind == "text":
            self.tokens.take()
        self._close(start)
        return name

    def say(self, severity: str, token: Token, message: str, fix: str | None) -> None:
        """Add a diagnostic about a token."""
        level = "warning" if severity == "warning" else "info"
        span = self.tokens.span(token.at)
        self.diagnostics.append(self.document.diagnostic_at(span, level, message, fix=fix))  # type: ignore[arg-type]

    def error(self, token: Token, message: str, fix: str) -> FormatError:
        """Return the error about a token."""
        return self.document.error_at(self.tokens.span(token.at), message, fix=fix)
