"""Every test that the threat model names exists."""

import re

from tests.cli.conftest import ROOT

NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8"))


def test_tests_are_named():
    assert len(NAMED) > 100


def test_what_is_named_exists():
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in {file for file, _ in NAMED}}
    assert [(file, name) for file, name in NAMED if not re.search(rf"^def {name}\(", texts[file], re.MULTILINE)] == []
