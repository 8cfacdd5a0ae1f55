"""Links of XXP: chains, conditions, exceptions, choices, parallel groups, flows of data."""

from itertools import pairwise
from typing import TYPE_CHECKING

from wfgate.formats.xxp.tokens import Token
from wfgate.formats.xxp.tree import Arrow, Block, Gate, Place
from wfgate.model.workflow import Operator

if TYPE_CHECKING:
    from wfgate.formats.xxp.parser import Parser

_OPERATORS: dict[str, Operator] = {
    "PARALLEL": "AND",
    "EXCLUSIVE": "XOR",
    "INCLUSIVE": "OR",
    "COMPLEX": "OR",
    "JOIN": "AND",
}
_SIGNS = ("->", "?->", "!->")


def chain(parser: "Parser", block: Block) -> None:
    """Read one statement of links and add what it says to the block."""
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
        raise parser.error(tokens.peek(), f"expected -> or ;, not {tokens.peek().value[:40]}", "end the links with ;")


def _stage(parser: "Parser", block: Block) -> list[str]:
    """Read a node, or several in brackets with || between them."""
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
                "warning", token, f"{name[:80]} has a rule of its own that is not read: taken for inclusive", None
            )
        joins = kind == "JOIN" or rest.startswith("END_")
        block.gates.setdefault(name, Gate(_OPERATORS[kind], joins, parser.tokens.span(token.at)))
    block.mentioned[name] = None
    return name


def _join(parser: "Parser", block: Block, before: list[str], after: list[str], sign: Token, said: str | None) -> None:
    """Link two stages; a stage of several has an operator before and behind it."""
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
    """Read the block of a condition or an exception."""
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
        parser.say("warning", unknown, f"not understood and left out: {unknown.value[:40]}", None)
    return said


def _choice(parser: "Parser", block: Block, stages: list[list[str]], signs: list[Token], start: Token) -> None:
    """Read `A ?-> "condition" ? B : C -> D;` from the condition on."""
    tokens = parser.tokens
    condition = tokens.take()
    if not tokens.skip("?"):
        raise parser.error(tokens.peek(), "expected ? behind the condition", 'write A -> "condition" ? B : C -> D;')
    yes = _stage(parser, block)
    if not tokens.skip(":"):
        raise parser.error(tokens.peek(), "expected : and what is done otherwise", 'write A -> "c" ? B : C -> D;')
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
        raise parser.error(start, "the links have no end", "end them with ;")


def _data(parser: "Parser", block: Block) -> None:
    tokens = parser.tokens
    found: list[Place] = []
    while True:
        token = tokens.peek()
        name = parser.name("the flow of data")
        port = parser.name("the port") if tokens.skip(".") else None
        found.append(Place(name, port, tokens.span(token.at)))
        if not tokens.skip("-->"):
            break
    if not tokens.skip(";") and not tokens.sees("}"):
        raise parser.error(tokens.peek(), f"expected --> or ;, not {tokens.peek().value[:40]}", "end it with ;")
    block.flows.append(tuple(found))
