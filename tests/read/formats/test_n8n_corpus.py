"""Real n8n workflows, where they are at hand: all are read, counted another way, and written and read again."""

import json
import re
from pathlib import Path

import pytest

from wfgate.errors import FormatError
from wfgate.model import END, START
from wfgate.read import read_file, read_text, write
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "n8n"
FILES = sorted(CORPUS.rglob("*.json"))
NO_JSON = re.compile("Recipe Recommendations with Qdrant|AI-Driven Lead Management and Inquiry")
"""Files with text behind the JSON."""

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of n8n templates is not at hand")


def good():
    return [path for path in FILES if not NO_JSON.search(path.name)]


def bare(workflow):
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
    )


def test_every_file_is_read_or_refused_for_its_reason():
    assert len(FILES) == 97
    for path in FILES:
        if path in good():
            assert read_file(path).format == "n8n"
        else:
            with pytest.raises(FormatError, match="there is text after the end of the JSON value"):
                read_file(path)


def connections(data):
    """All connections as (source, kind, output, target)."""
    return [
        (source, kind, number, end["node"])
        for source, kinds in data["connections"].items()
        for kind, outputs in kinds.items()
        for number, output in enumerate(outputs or [])
        for end in output or []
    ]


def counted(path):
    """Steps and pairs of steps that are wired, straight from the file; disabled nodes are taken out."""
    data = json.loads(path.read_text(encoding="utf-8"))
    nodes = {node["name"]: node for node in data["nodes"] if not node["type"].endswith("stickyNote")}
    main = [(source, number, target) for source, kind, number, target in connections(data) if kind == "main"]
    used = {source for source, kind, _, _ in connections(data) if kind != "main"}
    wired = {end for source, _, target in main for end in (source, target)}
    off = {name for name, node in nodes.items() if node.get("disabled")}
    steps = {name for name in nodes if name not in off and (name in wired or name not in used)}

    def ends(name, passed=()):
        if name not in off:
            return {name}
        behind = [target for source, number, target in main if (source, number) == (name, 0) and target not in passed]
        return {end for target in behind for end in ends(target, (*passed, name))}

    return steps, {(source, end) for source, _, target in main if source not in off for end in ends(target)}


def pairs_of(workflow):
    """Pairs of steps that links join, gateways looked through."""
    gateways = {gateway.id for gateway in workflow.gateways}
    after = {}
    for link in workflow.links:
        after.setdefault(link.source, set()).add(link.target)

    def ends(node):
        return {end for target in after.get(node, ()) for end in (ends(target) if target in gateways else {target})}

    return {
        (source, end) for source in after if source not in {START, *gateways} for end in ends(source) if end != END
    }


def test_steps_and_links_are_those_of_an_independent_count():
    steps = links = 0
    for path in good():
        workflow = read_file(path).workflow
        expected = counted(path)
        assert {task.id for task in workflow.tasks} == expected[0], path.name
        assert pairs_of(workflow) == expected[1], path.name
        steps, links = steps + len(workflow.tasks), links + len(expected[1])
    assert (steps, links) == (895, 837)


@pytest.mark.slow
def test_positions_and_the_way_back():
    for path in good():
        workflow = read_file(path).workflow
        assert all(task.span is not None for task in workflow.tasks)
        assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
        assert bare(read_file(path, "n8n").workflow) == bare(workflow)


@pytest.mark.slow
def test_findings_are_rare():
    """Each of the errors was looked at: what is left is in the templates, but for a loop over no items (WF201)."""
    found = {}
    for path in good():
        for check in {finding.id for finding in lint(read_file(path).workflow) if finding.severity == "error"}:
            found[check] = found.get(check, 0) + 1
    assert found == {"WF003": 2, "WF105": 6, "WF201": 1, "WF202": 1}
