import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from wfgate.compare import align, assignment
from wfgate.compare.assignment import assign
from wfgate.model import TaskGraph


@given(st.integers(0, 6), st.integers(0, 6), st.randoms(use_true_random=False))
def test_equally_good_assignments_are_chosen_as_by_the_public_function_of_scipy(n, m, random):
    weights = np.array([[random.randint(0, 3) for _ in range(m)] for _ in range(n)], dtype=np.float64).reshape(n, m)
    expected = linear_sum_assignment(weights, maximize=True)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(assign(weights), expected, strict=True))


def test_a_scipy_without_the_extension_module_works_too(monkeypatch):
    monkeypatch.setattr(assignment.PathFinder, "find_spec", lambda *_: None)
    assert assignment._solver.__wrapped__() is linear_sum_assignment


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_neighbours_are_counted_like_products_of_adjacency_matrices(n, m, data):
    def drawn(size):
        node = st.integers(0, size - 1)
        return TaskGraph(size, data.draw(st.frozensets(st.tuples(node, node), max_size=12)), frozenset(), (), ())

    problem = align._Assignment(np.zeros((n, m)), drawn(n), drawn(m))
    size = min(n, m)
    rows, columns = (data.draw(st.permutations(range(side)))[:size] for side in (n, m))
    pairs = list(zip(sorted(rows), columns, strict=True))
    counted = []
    for dense in (1, 10**9):  # never multiplied, always multiplied
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(align, "DENSE", dense)
            where, numbers = problem._agreeing(pairs)
        matrix = np.zeros((n, m))
        matrix[where] = numbers
        counted.append(matrix)
    assert np.array_equal(*counted)
