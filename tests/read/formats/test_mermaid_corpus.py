"""Real Mermaid blocks, where they are at hand, held against the boxes and arrows that Mermaid's own parser sees."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.errors import FormatError
from wfgate.read import document_of, read_text, write
from wfgate.read.formats.mermaid.parser import drawing_of
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "mermaid" / "blocks.jsonl"
ASKED = 0.98
"""Share of the blocks on which boxes and arrows must agree."""

pytestmark = pytest.mark.skipif(not CORPUS.is_file(), reason="the corpus of Mermaid blocks is not at hand")


def blocks(*, accepted):
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [block for block in map(json.loads, lines) if (block["official_parser"] is not None) is accepted]


def bare(found):
    strip = {"span": None}
    return found.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(found, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in found.subworkflows)}
    )


def shown(found):
    """Steps by name and links between names, whatever the ids are."""
    names = {task.id: task.name for task in found.tasks} | {gateway.id: gateway.op for gateway in found.gateways}
    return (
        sorted((task.name, task.kind, task.workflow or "") for task in found.tasks),
        sorted(
            (names.get(link.source, ""), names.get(link.target, ""), link.outcome, str(link.guard))
            for link in found.links
        ),
        [shown(part) for part in found.subworkflows],
    )


def test_boxes_and_arrows_are_those_of_the_official_parser():
    agreed, differing = 0, []
    everything = blocks(accepted=True)
    for block in everything:
        seen = block["official_parser"]
        drawing = drawing_of(document_of(block["text"], "x"))
        arrows = Counter((arrow.source, arrow.target) for arrow in drawing.arrows)
        if set(drawing.boxes) == set(seen["n"]) and arrows == Counter((edge[0], edge[1]) for edge in seen["e"]):
            agreed += 1
        else:
            differing.append(block["source"])
    print(f"boxes and arrows agree on {agreed} of {len(everything)} blocks")  # noqa: T201 - the measured share
    assert len(everything) == 367
    assert agreed / len(everything) >= ASKED, differing


def test_labels_are_those_of_the_official_parser():
    """Mermaid keeps markup and blanks that are read as text here."""
    agreed = count = 0
    for block in blocks(accepted=True):
        drawing = drawing_of(document_of(block["text"], "x"))
        expected = Counter(" ".join(edge[2].split()) for edge in block["official_parser"]["e"])
        agreed += sum((expected & Counter(arrow.label for arrow in drawing.arrows)).values())
        count += sum(expected.values())
    print(f"labels of arrows agree on {agreed} of {count}")  # noqa: T201 - the measured share
    assert agreed / count >= ASKED


def test_what_the_official_parser_refuses():
    """Three blocks name a shape that is newer than the release that refused them."""
    newer, refused = [], []
    for block in blocks(accepted=False):
        try:
            read_text(block["text"], "x", "mermaid")
        except FormatError as error:
            refused.append(error.message)
        else:
            newer.append("shape: datastore" in block["text"])
    assert newer == [True] * 3
    assert sorted(refused) == [
        "expected an arrow, a line break or ';'",
        "the arrow has no target step",
        "the arrow has no target step",
    ]


@pytest.mark.slow
def test_content_says_what_they_are_and_nothing_is_lost_on_the_way_back():
    for block in blocks(accepted=True):
        reading = read_text(block["text"], "x")
        assert reading.format == "mermaid"
        found = reading.workflow
        assert all(task.span is not None for part in (found, *found.subworkflows) for task in part.tasks)
        assert bare(read_text(write(found, "native"), "y").workflow) == bare(found)
        assert shown(read_text(write(found, "mermaid"), "y").workflow) == shown(found)


def test_findings_are_those_of_the_drawings():
    """The errors: blocks with no box at all but a remark or a bar, and circles that nothing leaves."""
    found = Counter(
        check
        for block in blocks(accepted=True)
        for check in {each.id for each in lint(read_text(block["text"], "x").workflow) if each.severity == "error"}
    )
    assert found == {"WF101": 21, "WF310": 4}
