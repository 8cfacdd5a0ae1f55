"""XXP tokens to blocks; `wfgate.formats.xxp` says which grammar is accepted."""

from collections.abc import Callable
from typing import cast

from pydantic import JsonValue

from wfgate.documents import MAX_DEPTH, Diagnostic, Document
from wfgate.errors import FormatError
from wfgate.formats.xxp.arrows import chain
from wfgate.formats.xxp.tokens import Token, Tokens
from wfgate.formats.xxp.tree import Block, Kind
from wfgate.model import END, START

_SAID = ("dependency", "venv", "python_version", "type", "metadata", "path", "schema", "intent", "strategy", "runs")
"""Statements of one word and one value: arguments."""
_DIGITS = 300
"""Longest number; a longer one is kept as text."""
_LITERALS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}


class Parser:
    """Reads the file from its first token to its last.

    Raises:
        FormatError: If the text is not closed somewhere, or a block has no name.
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
                    "info", start, f"another file is not read: {tokens.peek().value[:80]}", "put it into this file"
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
        """Read a block from behind its keyword on: name, origin, and what stands between the braces."""
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
            raise self.error(tokens.peek(), f"the {kind} {block.name[:80]} has no body", "write { ... } behind it")
        self.body(block, start)
        tokens.skip(";")
        return block

    def body(self, block: Block, opened: Token) -> None:
        """Read statements up to the closing brace."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(opened, f"nested deeper than {MAX_DEPTH} levels", "flatten it")
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
            self.say("info", start, f"{block.name[:80]} is not written out: ...", None)
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
            said = f"the operator {name[:80]} does not say what it does: read as a step"
            self.say("warning", start, said, "use PARALLEL_1, EXCLUSIVE_1 or INCLUSIVE_1 and PARALLEL_END_1 ...")
            self._add(block, Block("task", name, tokens.span(start.at), action="operator"))
            self._close(start)
        else:
            self._unknown(start)

    def _add(self, block: Block, task: Block) -> None:
        if task.name in {START, END}:
            raise self.document.error_at(task.span, f"{task.name} is no name for a task", fix="rename the task")
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
                raise self.error(start, f"{task.name} is no name for a task", "rename the task")
            block.configs.append(task)
        elif tokens.skip("data"):
            name = self.name("the data")
            settings = Block("task", name, tokens.span(start.at))
            if tokens.skip("{"):
                self.body(settings, start)
            told = ", ".join(str(value) for value in settings.params.values())
            if name not in block.data or not block.data[name]:
                block.data[name] = told
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
        told = ", ".join(str(value) for value in settings.params.values())
        if block.kind == "task" and side in {"input", "output"} and not block.composite:
            (block.inputs if side == "input" else block.outputs).append(name)
        else:
            block.data[name] = remark or told

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
        """Read what an interaction does: `ask("now", p);`."""
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
            raise self.error(self.tokens.peek(), f"nested deeper than {MAX_DEPTH} levels", "flatten it")
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
        """Step over the semicolon of a statement; what stands before it is not understood."""
        if not self.tokens.skip(";") and not self.tokens.sees("}"):
            self._unknown(start)

    def _unknown(self, start: Token) -> None:
        """Leave out a statement up to its semicolon or its closing brace, and say so."""
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
        self.say("warning", start, f"not understood and left out: {shown}", None)

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
        """Add a diagnostic about what stands at a token."""
        level = "warning" if severity == "warning" else "info"
        span = self.tokens.span(token.at)
        self.diagnostics.append(self.document.diagnostic_at(span, level, message, fix=fix))  # type: ignore[arg-type]

    def error(self, token: Token, message: str, fix: str) -> FormatError:
        """Build the error about what stands at a token."""
        return self.document.error_at(self.tokens.span(token.at), message, fix=fix)
