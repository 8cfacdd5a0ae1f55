"""The `if` of jobs and steps. Status functions become outcomes of links; the rest becomes the guard of the links."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wfgate.logic import Expression, GuardSyntaxError, expression_in, parse_tree, templates

Value = bool | str
"""A condition for a known outcome of the steps before: a constant or an expression."""
ALWAYS: Value = True
NEVER: Value = False

_STATUS = frozenset({"success", "failure", "always", "cancelled"})
_STATUS_CALL = re.compile(rf"(?<![\w.-])(?:{'|'.join(sorted(_STATUS))})\s*\(", re.IGNORECASE)
_CONNECTIVES = frozenset({"and", "or", "not"})
_SUCCESS = {"always": True, "success": True, "failure": False}
_FAILURE = {"always": True, "success": False, "failure": True}
_NEITHER = {"always": True, "success": False, "failure": False}


@dataclass(frozen=True)
class GithubCondition:
    """The conditions that an `if` means after each outcome of the earlier jobs or steps.

    Attributes:
        text: The `if` as it is written; empty if there is no `if`.
        success: The condition if all earlier jobs or steps succeeded.
        failure: The condition if an earlier job or step failed.
        neither: The condition if no earlier job failed and an earlier job was skipped.
        negates: Whether a status function is negated.
        loose: Whether there is text outside `${{ }}`. GitHub treats such a text as always true.
        unread: Whether a status function is inside another function. Then the outcomes cannot be separated.
    """

    text: str = ""
    success: Value = True
    failure: Value = False
    neither: Value = False
    negates: bool = False
    loose: bool = False
    unread: bool = False

    @property
    def strict(self) -> bool:
        """Whether the `if` is true only if all earlier jobs or steps succeeded, as without a status function."""
        return self.failure is False and self.neither is False

    @property
    def indifferent(self) -> bool:
        """Whether the `if` does not depend on the outcome of earlier jobs or steps."""
        return self.success == self.failure == self.neither

    @property
    def plain(self) -> bool:
        """Whether the `if` is true exactly if no earlier step failed."""
        return self.failure is False and self.success is True

    @property
    def regardless(self) -> bool:
        """Whether the `if` is the same after a success and after a failure of earlier steps."""
        return self.success == self.failure

    @property
    def handles(self) -> bool:
        """Whether the `if` may be true after a failure, and not only because failures make no difference."""
        return self.failure is not False and not self.regardless

    @property
    def guarded(self) -> bool:
        """Whether the `if` contains a condition besides the outcome of earlier jobs or steps."""
        return any(isinstance(value, str) for value in (self.success, self.failure, self.neither))

    @property
    def reduced(self) -> bool:
        """Whether the guard of the links contains only a part of the written `if`."""
        return self.guarded and not self.indifferent and self.success != self.text


def read_condition(text: str) -> GithubCondition:
    """Read an `if`. An `if` without a status function means `success() && (if)`.

    Example:
        >>> read_condition("github.ref == 'main'").success
        "github.ref == 'main'"
        >>> read_condition("failure() && github.ref == 'main'").failure
        "github.ref == 'main'"
        >>> read_condition("${{ always() }}").indifferent
        True
    """
    if not text.strip():
        return GithubCondition()
    span = expression_in(text)
    if span is None:
        asks = any(_STATUS_CALL.search(text, *template) for template in templates(text))
        otherwise: Value = text if asks else False
        return GithubCondition(text, text, otherwise, otherwise, loose=True)
    return _with_status(text, span) if _STATUS_CALL.search(text, *span) else GithubCondition(text, text)


def _with_status(text: str, span: tuple[int, int]) -> GithubCondition:
    try:
        parts = _Parts(text, parse_tree(text, *span))
    except GuardSyntaxError:
        return GithubCondition(text, text, text, text, unread=True)
    called, asked = parts.statuses(parts.root, inside=True), parts.statuses(parts.root)
    if not called:  # the name of a status function in a string
        return GithubCondition(text, text)
    if len(called) > len(asked):
        return GithubCondition(text, text, text, text, unread=True)
    success, failure, neither = (parts.given(parts.root, ended) for ended in (_SUCCESS, _FAILURE, _NEITHER))
    if success == failure == neither:
        kept: Value = success if isinstance(success, bool) else text
        return GithubCondition(text, kept, kept, kept)
    return GithubCondition(text, success, failure, neither, negates=parts.negates(parts.root))


@dataclass(frozen=True)
class _Parts:
    """The syntax tree of an expression: `||`, `&&` and `!` over status functions and other texts."""

    text: str
    root: Expression

    def statuses(self, node: Expression, *, inside: bool = False) -> list[str]:
        """Return the status functions under `||`, `&&` and `!`; with `inside`, also those inside other functions."""
        if _is_status(node):
            return [node.text.casefold()]
        parts = node.parts if inside or node.kind in _CONNECTIVES else ()
        return [name for part in parts for name in self.statuses(part, inside=inside)]

    def asks(self, node: Expression) -> bool:
        """Return whether the condition depends on the outcome of earlier steps; `cancelled()` does not count."""
        return any(name != "cancelled" for name in self.statuses(node))

    def negates(self, node: Expression) -> bool:
        """Return whether the node negates a status function."""
        return node.kind in _CONNECTIVES and any(
            (node.kind == "not" and self.asks(part)) or self.negates(part) for part in node.parts
        )

    def given(self, node: Expression, ended: Mapping[str, bool]) -> Value:
        """Return the node with these values for the status functions; as written if it has no status function."""
        if _is_status(node):
            name = node.text.casefold()
            return ended.get(name, f"{name}()")
        if not self.asks(node):
            return self.written(node)
        values = [self.given(part, ended) for part in node.parts]
        if node.kind == "not":
            return f"!({values[0]})" if isinstance(values[0], str) else not values[0]
        final = node.kind == "or"
        if final in [value for value in values if isinstance(value, bool)]:
            return final
        left = [
            f"({value})" if part.kind == "or" and node.kind == "and" and self.asks(part) else value
            for part, value in zip(node.parts, values, strict=True)
            if isinstance(value, str)
        ]
        return (" || " if final else " && ").join(left) if left else not final

    def written(self, node: Expression) -> str:
        """Return the text of the node, with single blanks around `||` and `&&`."""
        if node.kind in {"and", "or"} and not node.closed:
            return (" || " if node.kind == "or" else " && ").join(self.written(part) for part in node.parts)
        return self.text[node.at : node.end]


def _is_status(node: Expression) -> bool:
    return node.kind == "call" and not node.parts and node.text.casefold() in _STATUS
