"""One-to-one assignment at maximum total weight."""

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def assign(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of a one-to-one assignment at maximum total weight, rows ascending.

    Args:
        weights: Finite weights, shape (n, m); min(n, m) pairs are assigned. They are negated in place meanwhile.

    Cost: O(n * n * m) for n <= m.

    Source:
        Crouse (2016), On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace and
        Electronic Systems 52, as implemented by `scipy.optimize.linear_sum_assignment`.

    Example:
        >>> rows, columns = assign(np.array([[1.0, 2.0], [4.0, 3.0]]))
        >>> rows.tolist(), columns.tolist()
        ([0, 1], [1, 0])
    """
    np.negative(weights, out=weights)  # to maximise, SciPy would copy them: 800 MB for 10,000 steps
    try:
        rows, columns = _solver()(weights)
    finally:
        np.negative(weights, out=weights)
    return rows, columns


@cache
def _solver() -> Callable[..., Any]:
    """Return SciPy's function. The import of the rest of `scipy.optimize` would take a third of a cold `wfgate gate`.

    The function is in an extension module of its own, which needs NumPy only. A SciPy without this module still has
    the public name.
    """
    scipy = find_spec("scipy")
    folders = [str(Path(folder, "optimize")) for folder in (scipy and scipy.submodule_search_locations) or ()]
    spec = PathFinder.find_spec("_lsap", folders)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "linear_sum_assignment"):
            solver: Callable[..., Any] = module.linear_sum_assignment
            return solver
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

    return linear_sum_assignment
