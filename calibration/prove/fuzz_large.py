"""Hostile documents of 5 MB: deep nesting, one long line, millions of parts, aliases, long texts in text fields."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from fuzz_targets import Target
from read.formats.format_graphs import GRAPHS
from read.formats.format_hostile import aliases, graph

LARGE = 5_000_000
"""Size in characters; smaller documents state their size in their name."""
_DATA = (
    ("lists in lists", "[", "[", ""),
    ("objects in objects", "", '{"a":', ""),
    ("a list of nothing", "[", "[],", "[]]"),
    ("a list of numbers", "[", "1,", "1]"),
    ("a list of objects", "[", '{"id":"a"},', "{}]"),
    ("YAML lines", "", "- a\n", ""),
    ("YAML in YAML", "", "- ", ""),
    ("YAML aliases", "a: &a [x]\nb: [", "*a, ", "x]"),
)
_TOML = (
    ("dots", "", "a.", "b = 1"),
    ("lists in lists", "a = ", "[", ""),
    ("a list of numbers", "a = [", "1,", "1]"),
    ("tables", "", "[[waiver]]\n", ""),
    ("a text", 'reference = "', "a ", '"'),
    ("a number", "a = ", "9", ""),
)
_LINES = (
    ("lines of objects", "", '{"id":"a"}\n', ""),
    ("lines of pairs", "", '{"golden":"a","candidate":"b"}\n', ""),
    ("lists in lists", "", "[", ""),
    ("lines that are none", "", "x\n", ""),
)
_TEXT = (
    *(("a word", "", "a", ""), ("words", "", "a ", ""), ("lines", "", "a\n", ""), ("a list", "", "- a\n", "")),
    *(("brackets", "", "(", ""), ("braces", "", "{{", ""), ("quotes", "", '"', ""), ("elements", "", "<a>", "")),
    *(("negations", "", "not ", ""), ("fences", "", "```\n", ""), ("wide blanks", "", "\u3000", "")),
)
_DOCUMENTS = {"data": _DATA, "toml": _TOML, "lines": _LINES, "text": _TEXT}
_LISTS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("a list many times", lambda found: found * (LARGE // len(json.dumps(found)))),
    ("numbers for what a list holds", lambda _: [1] * (LARGE // 3)),
    ("empty objects for what a list holds", lambda _: [{}] * (LARGE // 4)),
)


def large_documents(target: Target) -> Iterator[tuple[str, str]]:
    """Yield documents with their names."""
    for name, head, part, tail in _DOCUMENTS[target.notation]:
        yield name, _filled(head, part, tail)
    seed = next(iter(target.seeds()))
    yield "a document again and again", _filled("", seed, "")
    if target.notation == "toml":
        yield "keys", "".join(f"k{number} = 1\n" for number in range(LARGE // 14))
    elif target.notation == "data":
        yield "keys", "{" + ",".join(f'"k{number}":{number}' for number in range(LARGE // 16)) + "}"
        yield "YAML keys", "".join(f"k{number}: 1\n" for number in range(LARGE // 12))
        for name, make in aliases(None):
            yield f"{name} (small)", make(0)
    yield from _in_data(seed, target.notation)
    made = GRAPHS.get(target.id.removeprefix("format "), ()) if target.id.startswith("format ") else ()
    for make in made:
        for shape in ("chain", "into one", "two layers"):
            yield f"{make.__name__}: {shape}", graph(make, shape, LARGE)


def _filled(head: str, part: str, tail: str) -> str:
    return head + part * ((LARGE - len(head) - len(tail)) // len(part)) + tail


def _in_data(seed: str, notation: str) -> Iterator[tuple[str, str]]:
    """Yield the document with one text replaced by a long one, and with the items of a list repeated."""
    try:
        data = json.loads(seed.strip().split("\n")[0] if notation == "lines" else seed)
    except ValueError:
        return
    for part in ("a ", "{{a}} "):
        text = part * (LARGE // len(part))
        yield f"a long text of {part!r}", json.dumps(_replaced(data, str, lambda _, text=text: text)[0])
    for name, put in _LISTS:
        many, found = _replaced(data, list, put)
        if found:
            yield name, json.dumps(many)


def _replaced(value: Any, kind: type, put: Callable[[Any], Any]) -> tuple[Any, bool]:
    """Return the value with its first non-empty part of a type replaced, and whether there was one."""
    if isinstance(value, kind) and value:
        return put(value), True
    if isinstance(value, dict | list):
        copied = value.copy()
        for key in copied if isinstance(copied, dict) else range(len(copied)):
            copied[key], done = _replaced(value[key], kind, put)
            if done:
                return copied, True
    return value, False
