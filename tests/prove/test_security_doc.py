"""Every test that the threat model names exists."""

import re

import pytest

from tests.cli.conftest import ROOT

NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8"))


def test_tests_are_named():
    assert len(NAMED) > 100


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED)))
def test_what_is_named_exists(file: str, name: str):
    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
