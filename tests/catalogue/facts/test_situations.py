"""What people type."""

import pytest

from wfgate.catalogue import read_names, read_situation
from wfgate.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        (" , ", {}),
        ("p=0", {"p": 0}),
        ("p = -1.5, q=1e3,r=+2,s=.5", {"p": -1.5, "q": 1000.0, "r": 2, "s": 0.5}),
        ("a=true,b=False,c=null,d=None", {"a": True, "b": False, "c": None, "d": None}),
        ("env=prod, region='eu, west', x=\"0\"", {"env": "prod", "region": "eu, west", "x": "0"}),
        ("p=inf,q=nan,r=1e999,s=1_000", {"p": "inf", "q": "nan", "r": "1e999", "s": "1_000"}),
        ("a=b=c", {"a": "b=c"}),
        ("outcome of 'A'=failure, p=1", {"outcome of 'A'": "failure", "p": 1}),
        ("empty=", {"empty": ""}),
    ],
)
def test_situations(text, values):
    found = read_situation(text)
    assert found == values
    assert [type(value) for value in found.values()] == [type(value) for value in values.values()]


@pytest.mark.parametrize("text", ["p", "=1", "p=1, p=2", "p=1, q"])
def test_situations_that_make_no_sense(text):
    with pytest.raises(ConfigError):
        read_situation(text)


def test_names():
    assert read_names("A, B,C ,") == ("A", "B", "C")
    assert read_names("'A, then B', Don't stop") == ("A, then B", "Don't stop")
