"""A hint is true for every document that its format recognises, so detection does not depend on hints."""

import random
from pathlib import Path

from wfgate.errors import FormatError
from wfgate.read import FORMATS, document_of
from wfgate.read.documents.document import Document
from wfgate.read.formats.table import FORMATS_TABLE

from .format_seeds import SEEDS
from .test_reading import SMALL

DATA = Path(__file__).parents[2]
ODD = (None, True, 1, "", "x", [], {}, [{}], {"x": {}}, {"script": "x"}, {"nodes": [], "connections": {}})


def documents():
    for text in (
        *SEEDS.values(),
        *SMALL.values(),
        *(text.upper() for text in SEEDS.values()),
        "",
        "{}",
        "[]",
        "- a: 1",
    ):
        yield document_of(text, "x")
        if document_of(text, "x").kind == "text":
            yield document_of(text, "AGENTS.md")
    for path in sorted(DATA.rglob("*")):
        if path.is_file() and path.suffix in {".yaml", ".yml", ".json", ".md", ".txt", ".bpmn", ".dot", ".mmd"}:
            try:
                yield document_of(path.read_text("utf-8"), path.name)
            except (FormatError, UnicodeDecodeError):
                continue


def changed(document, dice):
    """The document with a key less, another value, keys of another one, in a list, in an envelope, or as bare data."""
    data = dict(document.data)
    for key in dice.sample(sorted(data), min(len(data), dice.randint(0, 2))):
        data.pop(key)
    if data and dice.random() < 0.5:
        data[dice.choice(sorted(data))] = dice.choice(ODD)
    if dice.random() < 0.3:
        data["wfgate"] = dice.choice(ODD)
    return Document(
        "x", kind=dice.choice(("json", "text")), data=dice.choice((data, [data], {"data": data}, [data] * 2))
    )


def test_a_hint_never_hides_a_format():
    dice = random.Random(1)
    known = [document for document in documents() if len(document.text) < 20_000]
    trees = [document for document in known if isinstance(document.data, dict)]
    cut = [document_of(one.text[: dice.randrange(len(one.text))], "x") for one in known if one.text]
    made = [changed(document, dice) for document in trees for _ in range(2_000 // len(trees) + 1)]
    seen = dict.fromkeys(FORMATS, 0)
    for document in (*known, *cut, *made):
        for name, form in FORMATS.items():
            if form.recognises(document):
                assert FORMATS_TABLE[name].hint(document), (name, document.name, document.data)
                seen[name] += 1
    rare = {name: count for name, count in seen.items() if count < 3}
    assert not rare, "recognised too rarely to show anything: add files to tests/read/formats/data"
