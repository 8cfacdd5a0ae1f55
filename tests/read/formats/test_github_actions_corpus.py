"""Real GitHub Actions workflows, where they are at hand: all are read, counted another way, written and read again."""

from pathlib import Path

import pytest
import yaml

from wfgate.errors import FormatError
from wfgate.model import END, START
from wfgate.read import read_file, read_text, write
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "github-actions"
FILES = sorted(file for file in CORPUS.rglob("*") if file.suffix in {".yml", ".yaml"})
NO_WORKFLOW = {
    # `{{ groupId }}` stands where a value belongs: a mapping as a key, which GitHub does not take either.
    "starter-workflows/code-scanning/nowsecure-mobile-sbom.yml": (55, 21),
    "starter-workflows/code-scanning/nowsecure.yml": (47, 21),
}
GOOD = [file for file in FILES if file.relative_to(CORPUS).as_posix() not in NO_WORKFLOW]

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of GitHub Actions workflows is not at hand")


def bare(workflow):
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


class Reused(yaml.SafeLoader):
    """PyYAML, for its own data: an anchor may stand twice, as the standard says."""

    def compose_node(self, parent, index):
        event = self.peek_event()
        if getattr(event, "anchor", None) and not isinstance(event, yaml.AliasEvent):
            self.anchors.pop(event.anchor, None)
        return super().compose_node(parent, index)


def data_of(file):
    return yaml.load(file.read_text("utf-8-sig"), Loader=Reused)  # noqa: S506 - a safe loader


def listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def test_every_file_is_read_or_refused_for_its_reason():
    assert len(FILES) == 254
    for file in FILES:
        place = NO_WORKFLOW.get(file.relative_to(CORPUS).as_posix())
        if place is None:
            reading = read_file(file)
            assert reading == read_file(file, "github-actions")
            assert not [note for note in reading.diagnostics if note.severity == "error"]
            continue
        with pytest.raises(FormatError, match="this is a template, not YAML") as caught:
            read_file(file)
        assert (caught.value.line, caught.value.column) == place


def test_jobs_steps_and_needs_are_those_of_an_independent_count():
    jobs = steps = needs = nameless = calls = 0
    for file in GOOD:
        workflow, data = read_file(file).workflow, data_of(file)
        assert [task.id for task in workflow.tasks] == [*data["jobs"]], file
        expected = {(need, job) for job, said in data["jobs"].items() for need in listed(said.get("needs"))}
        links = {(link.source, link.target) for link in workflow.links}
        assert {link for link in links if START not in link and END not in link} == expected, file
        with_steps = {job: said["steps"] for job, said in data["jobs"].items() if "steps" in said}
        assert [part.name for part in workflow.subworkflows] == [f"job {job}" for job in with_steps], file
        for part, listing in zip(workflow.subworkflows, with_steps.values(), strict=True):
            assert [task.params.get("run") for task in part.tasks] == [step.get("run") for step in listing], file
            used = [step["uses"].partition("@")[0] for step in listing if "uses" in step]
            assert [task.action for task in part.tasks if task.action != "run"] == used, file
            steps += len(part.tasks)
            nameless += sum("name" not in step for step in listing)
        calls += len(workflow.tasks) - len(with_steps)
        jobs, needs = jobs + len(workflow.tasks), needs + len(expected)
    assert (jobs, steps, needs, nameless, calls) == (316, 927, 30, 306, 13)


def test_links_of_steps_are_their_order():
    for file in GOOD:
        for part in read_file(file).workflow.subworkflows:
            places = {task.id: place for place, task in enumerate(part.tasks)}
            ends = {START: -1, END: len(places)}
            links = {
                (places.get(x.source, ends.get(x.source)), places.get(x.target, ends.get(x.target)))
                for x in part.links
            }
            assert {(place - 1, place) for place in range(len(places) + 1)} <= links, file
            assert all(source < target for source, target in links), file


@pytest.mark.slow
def test_conditions_are_those_of_the_file():
    """Each `if` is a guard as written, or says by status functions which outcomes are followed."""
    for file in GOOD:
        workflow, data = read_file(file).workflow, data_of(file)
        for job, said in data["jobs"].items():
            guards = {link.guard.expr for link in workflow.links if link.target == job and link.guard}
            assert not guards or "if" in said
            if "if" in said and not any(name in str(said["if"]) for name in ("always", "success", "failure")):
                assert guards == {str(said["if"])}


@pytest.mark.slow
def test_positions_and_the_way_back():
    for file in GOOD:
        workflow = read_file(file).workflow
        parts = (workflow, *workflow.subworkflows)
        assert all(task.span is not None for part in parts for task in part.tasks)
        assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


@pytest.mark.slow
def test_what_is_said_and_found_is_rare():
    """Each was looked at: a step that is named and not there, a failure that nothing can have."""
    said, found = {}, {}
    for file in GOOD:
        reading = read_file(file)
        for message in {note.message[:30] for note in reading.diagnostics if note.severity == "warning"}:
            said[message] = said.get(message, 0) + 1
        for check in {finding.id for finding in lint(reading.workflow) if finding.severity != "info"}:
            found[check] = found.get(check, 0) + 1
    assert said == {"this job has no step 'deploy',": 2, "this job never runs: it needs ": 1}
    assert found == {"WF401": 2, "WF104": 1, "WF302": 1}
