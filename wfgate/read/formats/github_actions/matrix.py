"""The loop of a matrix, and the number of its jobs."""

from itertools import product
from math import prod
from typing import Any

from wfgate.model import Loop
from wfgate.read.formats.github_actions.expressions import is_expression
from wfgate.read.formats.typed import walk

MAX_JOBS = 256
"""Most jobs that one matrix may make."""
MAX_CHECKED = 400_000
"""Most comparisons of a row with an entry that are made to count the rows, over all matrices of a file."""


def matrix_loop(matrix: Any, limit: int = MAX_CHECKED) -> Loop | None:
    """Return the loop of a matrix, which runs over the keys of the matrix; None if the value is not a matrix.

    Args:
        matrix: The matrix.
        limit: The largest number of comparisons to count the rows of the matrix.

    Example:
        >>> loop = matrix_loop({"os": ["a", "b"], "node": [1, 2], "exclude": [{"os": "a", "node": 1}]})
        >>> loop.over, loop.max
        ('node, os', 3)
        >>> matrix_loop("${{ fromJSON(needs.plan.outputs.matrix) }}").over
        '${{ fromJSON(needs.plan.outputs.matrix) }}'
    """
    if isinstance(matrix, str):
        return Loop(mode="foreach", over=matrix)
    if not isinstance(matrix, dict) or not matrix:
        return None
    keys, included = matrix.keys() - {"include", "exclude"}, matrix.get("include")
    if not keys and isinstance(included, list):
        keys = {key for entry in included if isinstance(entry, dict) for key in entry}
    return Loop(mode="foreach", over=", ".join(sorted(keys)) or str(included or ""), max=combinations(matrix, limit))


def combinations(matrix: dict[str, Any], limit: int = MAX_CHECKED) -> int | None:
    """Return the number of jobs that a matrix makes; None if the number is unknown or takes too long to count.

    Combinations in `exclude` are removed first. An entry in `include` is added to the combinations that it does not
    contradict. If it contradicts all combinations, the entry is a new combination.

    Example:
        >>> combinations(
        ...     {"fruit": ["apple", "pear"], "include": [{"fruit": "apple", "shape": "round"}, {"fruit": "fig"}]}
        ... )
        3
    """
    vectors = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    excluded, included = matrix.get("exclude") or [], matrix.get("include") or []
    if not all(isinstance(value, list) for value in (*vectors.values(), excluded, included)):
        return None
    if _unknown([*excluded, *included]):
        return None
    count = prod(len(values) for values in vectors.values())
    if not excluded and not included:
        return count
    if count * (1 + len(excluded) + len(included)) > limit or (excluded and _unknown(vectors)):
        return None
    rows = [dict(zip(vectors, row, strict=True)) for row in product(*vectors.values())] if vectors else []
    rows = [row for row in rows if not any(_fits(entry, row) for entry in excluded)]

    def extends(entry: dict[str, Any]) -> bool:
        return any(all(key not in vectors or row[key] == value for key, value in entry.items()) for row in rows)

    return len(rows) + sum(isinstance(entry, dict) and not extends(entry) for entry in included)


def _fits(entry: Any, row: Any) -> bool:
    """Return whether a row contains every key and value of an entry in `exclude`."""
    if isinstance(entry, dict) and isinstance(row, dict):
        return all(key in row and _fits(value, row[key]) for key, value in entry.items())
    if isinstance(entry, list) and isinstance(row, list):
        return len(entry) == len(row) and all(map(_fits, entry, row))
    return bool(entry == row)


def _unknown(value: Any) -> bool:
    return any(is_expression(inner) for _, inner in walk(value))
