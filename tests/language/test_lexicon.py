"""The words that the rules know have one home."""

import ast
from collections import Counter
from pathlib import Path

from wfgate import language
from wfgate.language.lexicon import PhraseList, alternatives, demands, foreign, grammar, numbers, opposites

_ROOM = Path(language.__file__).parent
_SEVERAL = 4
"""Fewest words of a list; fewer are part of a rule ("to", "and", "or" between two numbers)."""


def _word_lists(file: Path) -> list[list[str]]:
    """Return the words of each set that a module writes."""
    sets = (node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Set))
    written = ([one.value for one in node.elts if isinstance(one, ast.Constant)] for node in sets)
    return [words for words in written if len([one for one in words if str(one).isalpha()]) >= _SEVERAL]


def test_no_rule_has_words_of_its_own() -> None:
    rules = [file for file in _ROOM.glob("*.py") if file.name != "__init__.py"]
    assert {file.name: words for file in rules if (words := _word_lists(file))} == {"amounts.py": [_GLUED]}
    assert [file.name for file in rules if "word_set(" in file.read_text(encoding="utf-8")] == []


_GLUED = ["am", "pm", "a", "p", "x", "bit"]
"""What may follow digits directly, beside units."""


def test_no_phrase_is_listed_twice() -> None:
    modules = (demands, foreign, grammar, numbers, opposites)
    lists = {name: one for module in modules for name, one in vars(module).items() if isinstance(one, PhraseList)}
    sides = {(name, *side) for name, one in lists.items() for group in one.groups for side in group}
    repeated = {(name, word) for name, *side in sides for word, count in Counter(side).items() if count > 1}
    assert repeated == set()


def test_longer_alternatives_come_before_their_beginnings() -> None:
    assert alternatives("no none", ["at once", "at"]).split("|") == ["none", "no", "at once", "at"]
