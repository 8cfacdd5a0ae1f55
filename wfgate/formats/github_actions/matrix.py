"""`strategy.matrix`: what a job is repeated for, and how often where that can be told from the file."""

from itertools import product
from math import prod
from typing import Any

from wfgate.formats.github_actions.expressions import is_expression
from wfgate.model import Loop

MAX_JOBS = 256
"""Most jobs that one matrix may make."""
MAX_CHECKED = 400_000
"""Most comparisons of a row with an entry that are made to count the rows, over all matrices of a file."""


def matrix_loop(matrix: Any, most: int = MAX_CHECKED) -> Loop | None:
    """Return the loop that a matrix is, over its keys; None if it is none.

    Args:
        matrix: The matrix.
        most: How many comparisons may be made to count its rows.

    Example:
        >>> loop = matrix_loop({"os": ["a", "b"], "node": [1, 2], "exclude": [{"os": "a", "node": 1}]})
        >>> loop.over, loop.max
        ('os, node', 3)
        >>> matrix_loop("${{ fromJSON(needs.plan.outputs.matrix) }}").over
        '${{ fromJSON(needs.plan.outputs.matrix) }}'
    """
    if isinstance(matrix, str):
        return Loop(mode="foreach", over=matrix)
    if not isinstance(matrix, dict) or not matrix:
        return None
    vectors = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    included = matrix.get("include")
    keys = dict.fromkeys(vectors)
    if not keys and isinstance(included, list):
        keys = dict.fromkeys(key for entry in included if isinstance(entry, dict) for key in entry)
    return Loop(mode="foreach", over=", ".join(keys) or str(included or ""), max=combinations(matrix, most))


def combinations(matrix: dict[str, Any], most: int = MAX_CHECKED) -> int | None:
    """Return how many jobs a matrix makes; None if the file does not tell, or it takes too long to count them.

    What is excluded is taken away first. An included entry extends the combinations that it does not contradict;
    where there is none, it is one more.

    Example:
        >>> combinations(
        ...     {"fruit": ["apple", "pear"], "include": [{"fruit": "apple", "shape": "round"}, {"fruit": "fig"}]}
        ... )
        3
    """
    vectors = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    excluded, included = matrix.get("exclude") or [], matrix.get("include") or []
    plain = all(isinstance(value, list) for value in (*vectors.values(), excluded, included))
    if not plain or _unknown([*excluded, *included]):
        return None
    count = prod(len(values) for values in vectors.values())
    if not excluded and not included:
        return count
    if count * (1 + len(excluded) + len(included)) > most:
        return None
    if excluded and _unknown(vectors):
        return None
    rows = [dict(zip(vectors, row, strict=True)) for row in product(*vectors.values())] if vectors else []
    rows = [row for row in rows if not any(_fits(entry, row) for entry in excluded)]
    extended = [entry for entry in included if isinstance(entry, dict)]
    more = sum(
        1
        for entry in extended
        if not any(all(key not in vectors or row[key] == value for key, value in entry.items()) for row in rows)
    )
    return len(rows) + more


def _fits(entry: Any, row: Any) -> bool:
    """Return whether a row has everything that an entry under `exclude` says."""
    if isinstance(entry, dict) and isinstance(row, dict):
        return all(key in row and _fits(value, row[key]) for key, value in entry.items())
    if isinstance(entry, list) and isinstance(row, list):
        return len(entry) == len(row) and all(map(_fits, entry, row))
    return bool(entry == row)


def _unknown(value: Any) -> bool:
    pending = [value]
    while pending:
        inner = pending.pop()
        if is_expression(inner):
            return True
        if isinstance(inner, dict):
            pending += inner.values()
        elif isinstance(inner, list):
            pending += inner
    return False
