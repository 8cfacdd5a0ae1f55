"""The syntax tree of an expression."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from wfgate.errors import WfgateError
from wfgate.logic.conditions.formula import Scalar, literal

MAX_LENGTH = 20_000
"""Most characters that a guard may have."""
MAX_DEPTH = 100
"""Most levels that a guard may be nested."""

Kind = Literal[
    "literal",  # scalar
    "path",  # path: a.b[0]
    "word",  # text: a bare word that stands for itself
    "and",
    "or",
    "not",
    "compare",  # text: the operator
    "test",  # text: what is asked of the parts: "starts", "in", "present"
    "choice",  # condition ? one : other
    "sum",  # text: one + or - per part
    "product",  # text: one * or / per part
    "operator",  # text: an operator that is not evaluated
    "call",  # text: the name; a dot in front: the first part is what the method is called on
    "get",  # path: keys of what the part returns
    "index",  # an index that is computed
    "list",
    "range",  # text: its brackets
    "opaque",  # text: as written
]


class GuardSyntaxError(WfgateError):
    """A syntax error in a condition.

    Attributes:
        message: One sentence about the error.
        column: Position of the error, in characters counted from 1.

    Example:
        >>> print(GuardSyntaxError("expected a value, not the end", column=8))
        column 8: expected a value, not the end
    """

    def __init__(self, message: str, *, column: int) -> None:
        super().__init__(message)
        self.column = column

    def __str__(self) -> str:
        return f"column {self.column}: {self.message}"


@dataclass(frozen=True)
class Expression:
    """A node of the syntax tree.

    Attributes:
        kind: Type of the node; determines which other fields are used.
        at: Start position in the text, counted from 0.
        end: End position in the text.
        parts: The child nodes.
        text: Operator, name or text, depending on `kind`.
        scalar: The value of a literal.
        path: Keys and indices of a path.
        closed: Whether the expression is in parentheses.
    """

    kind: Kind
    at: int
    parts: tuple["Expression", ...] = ()
    text: str = ""
    scalar: Scalar = None
    path: tuple[str | int, ...] = ()
    closed: bool = False
    depth: int = field(init=False, compare=False, default=1)
    end: int = field(init=False, compare=False, default=0)

    def __post_init__(self) -> None:
        """Reject a tree that is too deep for recursive functions."""
        depth = 1 + max((part.depth for part in self.parts), default=0)
        if depth > MAX_DEPTH:
            raise GuardSyntaxError(f"the condition is nested deeper than {MAX_DEPTH} levels", column=self.at + 1)
        object.__setattr__(self, "depth", depth)


_SAID: Mapping[str, str] = {"starts": "starts with", "ends": "ends with", "or": "or", "and": "and"}
_SAID_BEHIND: Mapping[str, str] = {
    "present": "is present",
    "absent": "is absent",
    "empty": "is empty",
    "filled": "is not empty",
}
_COMPOUND = frozenset({"and", "or", "not", "compare", "test", "choice", "sum", "product", "operator"})


def spelled(path: tuple[str | int, ...]) -> str:
    """Return a path in the usual notation, with dots and brackets.

    Example:
        >>> spelled(("steps", "flip", "outputs", 0, "odd.key"))
        'steps.flip.outputs[0]["odd.key"]'
    """
    text = ""
    for at, key in enumerate(path):
        if isinstance(key, int):
            text += f"[{key}]"
        elif at and (not key or set(key) & set('.[]"')):
            text += '["' + key.replace("\\", "\\\\").replace('"', '\\"') + '"]'
        else:
            text += f".{key}" if at else key
    return text


def rendered(node: Expression) -> str:
    """Return the expression in one normal spelling: the same blanks and quotes, `==` for `===`."""
    parts = [rendered(part) for part in node.parts]
    if node.kind in _COMPOUND:
        return _compound(node, [_held(part, text) for part, text in zip(node.parts, parts, strict=True)])
    form = _FORMS.get(node.kind)
    return node.text if form is None else form(node, parts)


def _call(node: Expression, parts: list[str]) -> str:
    if node.text.startswith("."):
        return f"{_held(node.parts[0], parts[0])}{node.text}({', '.join(parts[1:])})"
    return f"{node.text}({', '.join(parts)})"


_FORMS: Mapping[Kind, Callable[[Expression, list[str]], str]] = {
    "literal": lambda node, _: literal(node.scalar),
    "path": lambda node, _: spelled(node.path),
    "call": _call,
    "get": lambda node, parts: _held(node.parts[0], parts[0]) + spelled(("", *node.path)),
    "index": lambda node, parts: f"{_held(node.parts[0], parts[0])}[{parts[1]}]",
    "list": lambda _, parts: f"[{', '.join(parts)}]",
    "range": lambda node, parts: f"{node.text[0]}{parts[0]}..{parts[1]}{node.text[1]}",
}


def _held(node: Expression, text: str) -> str:
    return f"({text})" if node.kind in _COMPOUND else text


def _compound(node: Expression, parts: list[str]) -> str:
    if node.kind in {"sum", "product"}:
        first = parts[0] if node.text[0] in "+*" else f"{node.text[0]}{parts[0]}"
        return first + "".join(f" {sign} {part}" for sign, part in zip(node.text[1:], parts[1:], strict=True))
    if node.kind in {"and", "or"}:
        return f" {node.kind} ".join(parts)
    if node.kind == "not":
        return f"not {parts[0]}"
    if node.kind == "choice":
        return f"{parts[0]} ? {parts[1]} : {parts[2]}"
    if len(parts) == 1:
        return f"{parts[0]} {_SAID_BEHIND[node.text]}" if node.text in _SAID_BEHIND else f"{node.text} {parts[0]}"
    return f" {_SAID.get(node.text, node.text)} ".join(parts)
