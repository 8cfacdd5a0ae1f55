"""Parsing of tokens to a syntax tree: one precedence parser for all languages."""

from dataclasses import replace

from wfgate.logic.conditions.formula import Scalar
from wfgate.logic.conditions.languages.grammar import AND, CHOICE, NOT, OPEN, POWER, TIGHT, Grammar
from wfgate.logic.conditions.languages.node import MAX_DEPTH, Expression, GuardSyntaxError, Kind
from wfgate.logic.conditions.languages.tokens import ConditionToken, tokens, unquoted

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_CHAINS: dict[str, Kind] = {"and": "and", "or": "or", "+": "sum", "-": "sum", "*": "product", "/": "product"}
_BEHIND = frozenset({"present", "absent", "empty", "filled"})
_REACH = {"not": NOT, "!": TIGHT, "empty": TIGHT, "opaque": TIGHT, "-": POWER, "+": POWER}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_WORDLIKE = frozenset({"name", "number", "string", "template", "regex", "quoted"})
_LONGEST = 4  # words in an operator: "does not start with"
_HUGE = 150  # decimal places before or behind the point; more is no number that a guard compares with


def tree(text: str, grammar: Grammar, start: int = 0, end: int | None = None) -> Expression:
    """Return the syntax tree of the text between two positions.

    Raises:
        GuardSyntaxError: If the text is not an expression, is too long or too deeply nested.

    Cost: linear in the length of the text.
    """
    return _ExpressionParser(tokens(text, grammar, start, len(text) if end is None else end), grammar).whole()


class _ExpressionParser:
    def __init__(self, tokens: list[ConditionToken], grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.next = 0
        self.level = 0

    @property
    def token(self) -> ConditionToken:
        return self.tokens[self.next]

    def whole(self) -> Expression:
        if self.token.kind == "end":
            raise GuardSyntaxError("the condition is empty", column=self.token.at + 1)
        node = self.expression(OPEN)
        if self.token.kind != "end":
            raise self.unexpected("an operator")
        return node

    def expression(self, power: int) -> Expression:
        if self.level >= MAX_DEPTH:
            raise GuardSyntaxError(f"the condition is nested deeper than {MAX_DEPTH} levels", column=self.token.at + 1)
        self.level += 1
        node: Expression | None = self.prefix()
        while node is not None:
            left = node
            object.__setattr__(left, "end", self.tokens[self.next - 1].end)
            node = self.postfix(left) or self.infix(left, power)
        self.level -= 1
        return left

    # What an operand starts with.

    def prefix(self) -> Expression:
        token = self.token
        if token.kind == "end":
            raise self.unexpected("a value")
        meaning = self.grammar.prefix.get(self.grammar.word(token.text)) if token.kind in {"name", "symbol"} else None
        if meaning is not None and not (token.kind == "name" and self.names_a_value(meaning)):
            self.next += 1
            return self.operator(token, meaning)
        if token.kind == "symbol":
            return self.bracket(token)
        self.next += 1
        if token.kind == "name":
            return self.name(token)
        return self.string(token) if token.kind == "string" else self.plain(token)

    def plain(self, token: ConditionToken) -> Expression:
        """Parse a token that is a complete operand."""
        if token.kind == "number":
            return Expression("literal", token.at, scalar=_number(token))
        if token.kind == "template" and self.grammar.embedded is not None:
            return self.grammar.embedded(token.text, token.at)
        if token.kind == "quoted":
            return Expression("path", token.at, path=(unquoted(token.text, doubled=True),))
        inner = token.text[1:-1] if token.kind == "opaque" else token.text
        return Expression("opaque", token.at, text=" ".join(inner.split()))

    def names_a_value(self, meaning: str) -> bool:
        """Return whether a word that can be an operator is a name here, because no operand follows."""
        after = self.tokens[self.next + 1]
        if meaning == "not":
            return False
        word = self.grammar.word(after.text)
        if after.kind in {"name", "symbol"} and word in self.grammar.infix:
            return word not in self.grammar.prefix
        return after.kind == "end" or (after.kind == "symbol" and after.text in {")", "]", ",", "."})

    def operator(self, token: ConditionToken, meaning: str) -> Expression:
        if meaning == "braces":
            self.next -= 1
        if meaning in {"braces", "swallow"}:
            return self.swallow(token, through=meaning == "braces")
        operand = self.expression(_REACH[meaning])
        if meaning in {"not", "!"}:
            return Expression("not", token.at, (operand,))
        if meaning in {"-", "+"}:
            return _signed(token, operand) if meaning == "-" else operand
        if meaning == "empty":
            return Expression("test", token.at, (operand,), text="empty")
        return Expression("operator", token.at, (operand,), text=token.text)

    def string(self, token: ConditionToken) -> Expression:
        value = unquoted(token.text, doubled=self.grammar.doubled)
        if self.grammar.embedded is not None and value.startswith("{{") and value.find("}}") == len(value) - 2:
            return self.grammar.embedded(value, token.at + 1)
        return Expression("literal", token.at, scalar=value)

    def name(self, token: ConditionToken) -> Expression:
        word = self.grammar.word(token.text)
        if word in {"and", "or"} and word in self.grammar.infix:
            self.next -= 1
            raise self.unexpected("a value")
        if word in self.grammar.literals:
            return Expression("literal", token.at, scalar=self.grammar.literals[word])
        text = token.text
        if self.grammar.spaced:
            while self.token.kind == "name" and not self.is_operator(self.token):
                text += f" {self.token.text}"
                self.next += 1
        if self.grammar.bare and not (self.token.kind == "symbol" and self.token.text in {"(", ".", "["}):
            return Expression("word", token.at, text=text)
        return Expression("path", token.at, path=(text,))

    def is_operator(self, token: ConditionToken) -> bool:
        word = self.grammar.word(token.text)
        return word in self.grammar.infix or word in self.grammar.prefix or word in {"then", "else", "satisfies"}

    def bracket(self, token: ConditionToken) -> Expression:
        closer = self.grammar.groups.get(token.text)
        if closer is None and token.text not in {"(", "["}:
            raise self.unexpected("a value")
        self.next += 1
        if closer is not None:
            node = self.expression(OPEN)
            self.expect(closer)
            return replace(node, at=token.at, closed=True)
        if token.text == "(":
            return self.group(token)
        return self.items(token, "]")

    def group(self, token: ConditionToken) -> Expression:
        if self.at(")") and self.tokens[self.next + 1].text == "=>":
            self.next += 2
            return self.swallow(token)
        inner = self.items(token, ")")
        if inner.kind == "list" and len(inner.parts) == 1:
            return replace(inner.parts[0], at=token.at, closed=True)
        return inner

    def items(self, token: ConditionToken, closer: str) -> Expression:
        """Parse the content of brackets: a list or a range."""
        parts: list[Expression] = []
        while not self.at(closer):
            parts.append(self.expression(OPEN))
            if self.at("..") and len(parts) == 1:
                self.next += 1
                parts.append(self.expression(OPEN))
                shape = token.text + self.token.text
                if not (self.at(")") or self.at("]")):
                    raise self.unexpected("the end of the range")
                self.next += 1
                return Expression("range", token.at, tuple(parts), text=shape)
            if self.at(";"):  # a block of statements: only its last one has a value
                return self.rest_of(token, closer)
            if not self.at(","):
                break
            self.next += 1
        self.expect(closer)
        return Expression("list", token.at, tuple(parts))

    def rest_of(self, token: ConditionToken, closer: str) -> Expression:
        node = self.swallow(token)
        self.expect(closer)
        return replace(node, text=node.text + closer)

    # What stands behind an operand.

    def postfix(self, left: Expression) -> Expression | None:
        token = self.token
        if token.kind != "symbol" or (left.kind == "literal" and not isinstance(left.scalar, str)):
            return None
        if token.text in {".", "?."}:
            return self.member(left)
        if token.text == "[" and left.kind != "literal":
            self.next += 1
            return self.indexed(left, token)
        if token.text == "(" and left.kind in {"path", "call", "get", "index", "opaque"}:
            self.next += 1
            return self.call(left, token)
        return None

    def member(self, left: Expression) -> Expression:
        self.next += 1
        key = self.token
        if key.kind in {"name", "quoted"} or (key.kind == "symbol" and key.text == "*"):
            self.next += 1
            return _at_key(left, unquoted(key.text, doubled=True) if key.kind == "quoted" else key.text)
        if key.kind == "symbol" and key.text == "[":
            return left
        raise self.unexpected("a name")

    def indexed(self, left: Expression, token: ConditionToken) -> Expression:
        if self.at("]"):
            self.next += 1
            return Expression("operator", left.at, (left,), text="all of")
        if self.at("*"):
            self.next += 1
            self.expect("]")
            return _at_key(left, "*")
        key = self.items(token, "]")
        inner = key.parts[0] if key.kind == "list" and len(key.parts) == 1 else key
        value = inner.scalar
        if inner.kind == "literal" and (isinstance(value, str) or (type(value) is int and value >= 0)):
            return _at_key(left, value)
        return Expression("index", left.at, (left, inner))

    def call(self, left: Expression, token: ConditionToken) -> Expression:
        arguments = self.items(token, ")").parts
        if left.kind == "path" and len(left.path) == 1:
            node = Expression("call", left.at, arguments, text=str(left.path[0]))
        elif left.kind in {"path", "get"} and isinstance(left.path[-1], str):
            short = left.path[:-1]
            on = left.parts[0] if left.kind == "get" and not short else replace(left, path=short)
            node = Expression("call", left.at, (on, *arguments), text=f".{left.path[-1]}")
        else:
            node = Expression("operator", left.at, (left, *arguments), text="applied to")
        return self.grammar.rewrite(node)

    def infix(self, left: Expression, power: int) -> Expression | None:
        size, (binds, meaning) = self.spelling()
        if not size or binds <= power:
            return None
        token = self.token
        self.next += size
        if meaning in _CHAINS:
            return self.chain(left, binds, meaning)
        if meaning == "choice":
            return self.choice(left)
        if meaning == "swallow":
            return self.swallow(token, left)
        if meaning in _BEHIND:
            return Expression("test", left.at, (left,), text=meaning)
        return self.binary(left, token, binds, meaning)

    def binary(self, left: Expression, token: ConditionToken, binds: int, meaning: str) -> Expression:
        if meaning == "between":
            return self.between(left, binds)
        right = self.expression(binds)
        if meaning in _COMPARISONS:
            return self.comparison(left, meaning, right)
        if meaning in {"operator", "%"}:
            return Expression("operator", left.at, (left, right), text=token.text)
        contrary = meaning.startswith("not ")
        node = Expression("test", left.at, (left, right), text=meaning.removeprefix("not "))
        return Expression("not", left.at, (node,)) if contrary else node

    def choice(self, left: Expression) -> Expression:
        one = self.expression(OPEN)
        self.expect(":")
        return Expression("choice", left.at, (left, one, self.expression(CHOICE - 1)))

    def spelling(self) -> tuple[int, tuple[int, str]]:
        """Return how many tokens the operator at this position has (0: no operator), and its entry in the grammar."""
        if self.token.kind == "symbol":
            entry = self.grammar.infix.get(self.token.text)
            return (0, (0, "")) if entry is None else (1, entry)
        words: list[str] = []
        for token in self.tokens[self.next : self.next + _LONGEST]:
            if token.kind != "name":
                break
            words.append(self.grammar.word(token.text))
        for size in range(len(words), 0, -1):
            entry = self.grammar.infix.get(" ".join(words[:size]))
            if entry is not None:
                return size, entry
        return 0, (0, "")

    def chain(self, left: Expression, binds: int, meaning: str) -> Expression:
        """Parse a chain of `and`, or of `+` and `-`, into one node, so that a long chain is not a deep tree."""
        kind = _CHAINS[meaning]
        signs = "+" if kind == "sum" else "*"
        parts = [left]
        while True:
            signs += meaning
            parts.append(self.expression(binds))
            size, (following, meaning) = self.spelling()
            if not size or following != binds or _CHAINS.get(meaning) != kind:
                return Expression(kind, left.at, tuple(parts), text=signs if kind in {"sum", "product"} else "")
            self.next += size

    def between(self, left: Expression, binds: int) -> Expression:
        low = self.expression(AND)
        if self.grammar.word(self.token.text) != "and":
            raise self.unexpected("and")
        self.next += 1
        high = self.expression(binds)
        return Expression("test", left.at, (left, Expression("range", low.at, (low, high), text="[]")), text="in")

    def comparison(self, left: Expression, meaning: str, right: Expression) -> Expression:
        if self.grammar.chained and not left.closed:
            last = left.parts[-1] if left.kind == "and" else left
            # What stands in the middle stands in both halves, so it must be small.
            if last.kind == "compare" and last.text in {"<", "<=", ">", ">="} and not last.parts[1].parts:
                further = Expression("compare", left.at, (last.parts[1], right), meaning)
                return Expression("and", left.at, (*(left.parts if left.kind == "and" else (left,)), further))
        return Expression("compare", left.at, (left, right), meaning)

    def swallow(self, token: ConditionToken, left: Expression | None = None, *, through: bool = False) -> Expression:
        """Skip tokens up to the closing bracket or comma of the enclosing part, or (`through`) a pair of brackets."""
        start = next(at for at in range(self.next, -1, -1) if self.tokens[at].at <= (left or token).at)
        open_: list[str] = []
        while self.token.kind != "end":
            text = self.token.text if self.token.kind == "symbol" else ""
            if text in _CLOSERS:
                open_.append(_CLOSERS[text])
            elif open_ and text == open_[-1]:
                open_.pop()
                if through and not open_:
                    self.next += 1
                    break
            elif text in {")", "]", "}", "}}"} or (text == "," and not open_):
                break
            self.next += 1
        if open_ and self.token.kind != "symbol":
            raise self.unexpected(f"'{open_[-1]}'")
        return Expression("opaque", token.at, text=_joined(self.tokens[start : self.next]))

    # Small things.

    def at(self, symbol: str) -> bool:
        return self.token.kind == "symbol" and self.token.text == symbol

    def expect(self, symbol: str) -> None:
        if not self.at(symbol):
            raise self.unexpected(f"'{symbol}'")
        self.next += 1

    def unexpected(self, wanted: str) -> GuardSyntaxError:
        actual = "the end" if self.token.kind == "end" else self.token.text[:40]
        return GuardSyntaxError(f"expected {wanted}, not {actual}", column=self.token.at + 1)


def _signed(token: ConditionToken, operand: Expression) -> Expression:
    value = operand.scalar
    if operand.kind == "literal" and isinstance(value, int | float) and not isinstance(value, bool):
        return replace(operand, at=token.at, scalar=-value)
    return Expression("sum", token.at, (operand,), text="-")


def _at_key(left: Expression, key: Scalar) -> Expression:
    assert isinstance(key, str | int)  # noqa: S101 - narrows the type
    if len(left.path) >= MAX_DEPTH:
        raise GuardSyntaxError(f"the condition is nested deeper than {MAX_DEPTH} levels", column=left.at + 1)
    if left.kind in {"path", "get"}:
        return replace(left, path=(*left.path, key))
    if left.kind == "word":
        return Expression("path", left.at, path=(left.text, key))
    return Expression("get", left.at, (left,), path=(key,))


def _joined(tokens: list[ConditionToken]) -> str:
    text = ""
    for at, token in enumerate(tokens):
        if at and token.kind in _WORDLIKE and tokens[at - 1].kind in _WORDLIKE:
            text += " "
        text += token.text
    return text


def _number(token: ConditionToken) -> int | float:
    text = token.text.lower()
    if text.startswith("0x"):
        value: int | float = int(text, 16) if len(text) <= _HUGE else 10.0**_HUGE
    elif "." in text or "e" in text:
        value = float(text)
        digits = text.partition("e")[0].strip("0.")
        if digits and abs(value) < 10.0**-_HUGE:
            value = 10.0**_HUGE
    else:
        value = int(text) if len(text) <= _HUGE else 10.0**_HUGE
    if value >= 10.0**_HUGE:
        raise GuardSyntaxError("the number is too large or too small", column=token.at + 1)
    return int(value) if value == int(value) else value
