"""Guards that people wrote, as they were read when someone last looked at each of them.

`real_guards.json` names the projects and licences in `_sources`. Guards of n8n are not among them: the licence of the
templates that were looked at does not allow it, so `test_languages.py` has conditions of the same shapes.
"""

import json
from collections import Counter
from pathlib import Path

from wfgate.logic import parse, terms, words

FILE = Path(__file__).parents[1] / "real_guards.json"
REAL = json.loads(FILE.read_text("utf-8"))


def test_real_guards_are_read_as_recorded() -> None:
    found = {guard["text"]: words(parse(guard["text"], guard["language"])) for guard in REAL["guards"]}
    assert found == {guard["text"]: guard["words"] for guard in REAL["guards"]}
    assert {guard["source"] for guard in REAL["guards"]} <= REAL["_sources"].keys()


def test_most_real_guards_are_understood() -> None:
    read = Counter(
        any(term.opaque for term in terms(parse(guard["text"], guard["language"]))) for guard in REAL["guards"]
    )
    assert read[True] / sum(read.values()) < 0.1
