import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from wfgate.alignment import assignment
from wfgate.alignment.assignment import assign


@given(st.integers(0, 6), st.integers(0, 6), st.randoms(use_true_random=False))
def test_equally_good_assignments_are_chosen_as_by_the_public_function_of_scipy(n, m, random):
    weights = np.array([[random.randint(0, 3) for _ in range(m)] for _ in range(n)], dtype=np.float64).reshape(n, m)
    expected = linear_sum_assignment(weights, maximize=True)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(assign(weights), expected, strict=True))


def test_a_scipy_without_the_extension_module_works_too(monkeypatch):
    monkeypatch.setattr(assignment.PathFinder, "find_spec", lambda *_: None)
    assert assignment._solver.__wrapped__() is linear_sum_assignment
