"""Real Dify apps, where they are at hand: all are read, counted another way, and written and read again."""

from pathlib import Path

import pytest
import yaml

from wfgate.logic import Behaviour
from wfgate.model import END, START, expand
from wfgate.read import read_file, read_text, write
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "dify"
FILES = sorted(CORPUS.rglob("*.yml"))

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of Dify apps is not at hand")


def counted(path):
    """Steps, pairs of steps that edges join, and the guarded ones of these, straight from the file."""
    graph = yaml.safe_load(path.read_text(encoding="utf-8"))["workflow"]["graph"]
    kinds = {node["id"]: node["data"].get("type") for node in graph["nodes"]}
    steps = {name for name, kind in kinds.items() if kind and "start" not in kind}
    pairs = {(edge["source"], edge["target"]) for edge in graph["edges"]}
    inner = {(source, target) for source, target in pairs if {source, target} <= steps}
    first = {target for source, target in pairs if source not in steps and target in steps}
    first |= {node["data"].get("start_node_id") for node in graph["nodes"]} & steps  # iterations of old
    decides = {"if-else", "question-classifier"}
    return steps, inner, first, {pair for pair in inner if kinds[pair[0]] in decides}


def read_back(workflow):
    """The same of a workflow: gateways looked through."""
    steps, inner, first, guarded = set(), set(), set(), set()
    for part in (workflow, *workflow.subworkflows):
        names = {task.id for task in part.tasks}
        gateways = {gateway.id for gateway in part.gateways}
        after = {}
        for link in part.links:
            after.setdefault(link.source, []).append((link.target, link.guard is not None))

        def ends(node, after=after, gateways=gateways):
            for target, guard in after.get(node, ()):
                if target in gateways:
                    yield from ((end, guard or later) for end, later in ends(target))
                else:
                    yield target, guard

        steps |= names
        for name in names:
            found = [(end, guard) for end, guard in ends(name) if end != END]
            inner |= {(name, end) for end, _ in found}
            guarded |= {(name, end) for end, guard in found if guard}
        first |= {end for end, _ in ends(START) if end != END}
    return steps, inner, first, guarded


def test_every_file_is_read():
    assert len(FILES) == 46
    for path in FILES:
        read = read_file(path)
        assert read.format == "dify"
        assert not read.diagnostics
        assert read.workflow == read_file(path, "dify").workflow
        assert all(
            task.span is not None for part in (read.workflow, *read.workflow.subworkflows) for task in part.tasks
        )


@pytest.mark.slow
def test_steps_and_links_are_those_of_an_independent_count():
    steps = links = 0
    for path in FILES:
        workflow = read_file(path).workflow
        expected = counted(path)
        assert read_back(workflow) == expected, path.name
        assert sum(len(part.tasks) for part in (workflow, *workflow.subworkflows)) == len(expected[0]), path.name
        steps, links = steps + len(expected[0]), links + len(expected[1])
    assert (steps, links) == (461, 437)


@pytest.mark.slow
def test_cases_have_their_conditions():
    """Each case of an If/Else node that leads somewhere is a condition of its own, the other way out the default."""
    for path in FILES:
        graph = yaml.safe_load(path.read_text(encoding="utf-8"))["workflow"]["graph"]
        workflow = read_file(path).workflow
        links = [link for part in (workflow, *workflow.subworkflows) for link in part.links]
        for node in graph["nodes"]:
            if node["data"].get("type") != "if-else":
                continue
            wired = {edge["sourceHandle"] for edge in graph["edges"] if edge["source"] == node["id"]}
            guards = {link.guard for link in links if link.source == node["id"] and link.target != END}
            assert len(guards) == len(wired), (path.name, node["id"])
            assert any(guard.default for guard in guards) == ("false" in wired)


@pytest.mark.slow
def test_the_way_through_the_native_format():
    for path in FILES:
        written = write(read_file(path).workflow, "native")
        assert write(read_text(written, "x").workflow, "native") == written


def test_every_step_can_run():
    for path in FILES:
        workflow = expand(read_file(path).workflow)
        behaviour = Behaviour.of(workflow)
        never = [task.name for place, task in enumerate(workflow.tasks) if behaviour.can_run(place).value is False]
        assert not never, path.name


@pytest.mark.slow
def test_findings_are_rare():
    """Each was looked at: one author reads branches that need not have run, in two versions of one game."""
    found = {}
    for path in FILES:
        for check in {finding.id for finding in lint(read_file(path).workflow) if finding.severity == "error"}:
            found[check] = found.get(check, 0) + 1
    assert found == {"WF407": 2, "WF602": 1}  # a zero-width space in a prompt
