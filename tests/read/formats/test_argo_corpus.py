"""Argo's own examples: all are read but those that are no workflows, and every step and task is there."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from wfgate.errors import FormatError
from wfgate.read import decode, read_file, read_text, write
from wfgate.rules import lint

EXAMPLES = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "argo" / "argo-workflows" / "examples"
if not EXAMPLES.is_dir():
    pytest.skip("the corpus of Argo examples is not there", allow_module_level=True)

FILES = sorted(EXAMPLES.rglob("*.yaml"))
REFUSED = {
    "configmaps/simple-parameters-configmap.yaml": "a ConfigMap of v1",
    "k8s-patch-json-workflow.yaml": "the key 'annotations' appears twice",
    "testvolume.yaml": "a PersistentVolumeClaim of v1",
    "workflow-count-resourcequota.yaml": "a ResourceQuota of v1",
    "workflow-event-binding/event-consumer-workfloweventbinding.yaml": "a WorkflowEventBinding",
    "workflow-event-binding/github-path-filter-workfloweventbinding.yaml": "a WorkflowEventBinding",
}


def name(file):
    return file.relative_to(EXAMPLES).as_posix()


def templates(file):
    """All templates of steps or of a dag, those that stand inside tasks among them."""
    pending = [part for part in yaml.safe_load_all(decode(file.read_bytes(), "x")) if part]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            if isinstance(value.get("steps"), list) or isinstance(value.get("dag"), dict):
                yield value
            pending += value.values()


def calls(template):
    """The steps or tasks of a template."""
    if "dag" in template:
        return template["dag"]["tasks"]
    return [step for group in template["steps"] for step in (group if isinstance(group, list) else [group])]


@pytest.mark.parametrize("file", [file for file in FILES if name(file) in REFUSED], ids=name)
def test_what_is_no_workflow_is_refused_for_its_reason(file):
    with pytest.raises(FormatError, match=REFUSED[name(file)]):
        read_file(file, "argo")
    with pytest.raises(FormatError):
        read_file(file)


def test_every_step_of_every_template_is_there_once():
    for file in FILES:
        if name(file) not in REFUSED:
            check_steps(file)


def check_steps(file):
    reading = read_file(file)
    assert reading == read_file(file, "argo")
    assert not [note for note in reading.diagnostics if note.severity == "error"]
    workflows = [reading.workflow, *reading.workflow.subworkflows]
    unread = " ".join(note.message for note in reading.diagnostics if "nothing calls them" in note.message)
    read = [one for one in templates(file) if one.get("name") is None or one["name"] not in unread.split()]
    asked = Counter(call["name"] for template in read for call in calls(template))
    found = Counter(
        task.name for part in workflows for task in part.tasks if asked[task.name] or " on " not in task.name
    )
    # Beside them stand templates that do the work themselves, and whole workflows.
    beside = {task.name for task in reading.workflow.tasks}
    beside |= {
        task.name for part in reading.workflow.subworkflows for task in part.tasks if task.workflow == task.name
    }
    beside |= {task.name for part in reading.workflow.subworkflows for task in part.tasks if len(part.tasks) == 1}
    assert {key: count for key, count in found.items() if key in asked or key not in beside} == asked


def workflow_of(read, names):
    """The workflow with exactly these tasks."""
    return next((one for one in (read, *read.subworkflows) if {task.id for task in one.tasks} == names), None)


@pytest.mark.slow
def test_links_of_steps_are_those_between_one_list_and_the_next():
    checked = 0
    for file in FILES:
        if name(file) in REFUSED:
            continue
        read = read_file(file).workflow
        for template in templates(file):
            groups = [[step["name"] for step in group] for group in template.get("steps", [])]
            names = {step for group in groups for step in group}
            part = workflow_of(read, names)
            if "dag" in template or part is None:
                continue
            expected = {(a, b) for before, after in pairwise(groups) for a in before for b in after}
            assert {(x.source, x.target) for x in part.links if {x.source, x.target} <= names} == expected, file
            checked += 1
    assert checked > 30


@pytest.mark.slow
def test_links_of_dags_are_their_dependencies():
    checked = 0
    for file in FILES:
        if name(file) in REFUSED:
            continue
        read = read_file(file).workflow
        for template in templates(file):
            if "dag" not in template:
                continue
            tasks = {task["name"]: task for task in template["dag"]["tasks"]}
            part = next(
                (one for one in (read, *read.subworkflows) if {task.id for task in one.tasks} == {*tasks}), None
            )
            if part is None:
                continue
            expected = set()
            for own, task in tasks.items():
                text = str(task.get("depends", " ".join(task.get("dependencies", [])))).replace(".", " ")
                for sign in "&|!()":
                    text = text.replace(sign, " ")
                expected |= {(word, own) for word in text.split() if word in tasks}
            assert {(x.source, x.target) for x in part.links if {x.source, x.target} <= {*tasks}} == expected, file
            checked += 1
    assert checked > 25


def bare(workflow):
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


@pytest.mark.slow
def test_the_way_back():
    for file in FILES:
        if name(file) not in REFUSED:
            workflow = read_file(file).workflow
            assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow), file


@pytest.mark.slow
def test_what_is_found_is_rare():
    """Each was looked at: examples of recursion, of steps that never run, and of what `depends` can ask for."""
    found = Counter()
    for file in FILES:
        if name(file) not in REFUSED:
            found.update({finding.id for finding in lint(read_file(file).workflow) if finding.severity != "info"})
    for check in ("WF404", "WF406"):  # what two calls of one template write inside is taken for one datum
        found.pop(check, None)
    assert found == {"WF104": 1, "WF206": 1, "WF302": 3, "WF407": 1, "WF502": 4}
