"""Loading the extra `solver`."""

import sys

import pytest

from wfgate.conditions.relations import load_solver
from wfgate.errors import ConfigError


def test_a_missing_solver_is_an_error_of_the_configuration(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(ConfigError, match="z3 is not installed"):
        load_solver("z3")
    assert load_solver("cells") is None
