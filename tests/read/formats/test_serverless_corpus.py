"""The specification's examples, where they are at hand: all are read, counted another way, written and read again."""

from pathlib import Path

import pytest
import yaml

from wfgate.logic import Behaviour
from wfgate.model import END, START, expand
from wfgate.read import read_file, read_text, write
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "serverless"
FILES = sorted(CORPUS.rglob("*.yaml"))

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of serverless workflows is not at hand")


def inside(task):
    """Yield the lists of tasks inside a task, each with whether its tasks run side by side; no handlers."""
    foreach = task.get("foreach") or ((task.get("with") or {}).get("subscription") or {}).get("foreach") or {}
    for items in (task.get("do"), task.get("try"), foreach.get("do")):
        if items is not None:
            yield items, False
    if "fork" in task:
        yield task["fork"]["branches"], True


def handler(task):
    return (task.get("catch") or {}).get("do")


def steps_of(items, *, side_by_side=False):
    """Return names and transitions of a list, straight from the file: what follows what, errors and skips included."""
    names = [next(iter(item)) for item in items]
    handled = {name for item in items for name, task in item.items() if handler(task)}

    def first(at):
        """Return what can be next from a place on: a task with a condition may be skipped."""
        if at >= len(names) or side_by_side:
            return {END}
        task = items[at][names[at]]
        return {names[at]} | (first(at + 1) if "if" in task else set())

    def target(then, at):
        if then in {None, "continue"}:
            return first(at + 1)
        return {END} if then in {"end", "exit"} else first(names.index(then))

    pairs = {(START, name) for name in (names if side_by_side else first(0))}
    for at, item in enumerate(items):
        (name, task), *_ = item.items()
        after = target(task.get("then"), at)
        if "switch" in task:
            cases = [case for entry in task["switch"] for case in entry.values()]
            cases += [task] if all("when" in case for case in cases) else []
            pairs |= {(name, end) for case in cases for end in target(case.get("then"), at)}
        elif "raise" in task:
            pairs.add((name, END))
        else:
            pairs |= {(name, end) for end in after}
            catcher = f"catch of {name}"
            pairs |= {(name, catcher), *((catcher, end) for end in after)} if name in handled else set()
    return {*names, *(f"catch of {name}" for name in handled)}, pairs


def parts_of(items, *, side_by_side=False):
    """Yield names and transitions of a list and of all lists inside it."""
    yield steps_of(items, side_by_side=side_by_side)
    for item in items:
        for task in item.values():
            for inner, parallel in inside(task):
                yield from parts_of(inner, side_by_side=parallel)
            if handler(task):
                yield from parts_of(handler(task))


def read_back(part):
    """Return names and transitions of a workflow: gateways looked through, the schedule counted to START."""
    names = {task.id: task.name for task in part.tasks}
    schedule = {task.id for task in part.tasks if task.action == "schedule"}
    passed = {gateway.id for gateway in part.gateways} | schedule
    after = {}
    for link in part.links:
        after.setdefault(link.source, []).append(link.target)

    def ends(node):
        for target in after.get(node, ()):
            if target in passed:
                yield from ends(target)
            else:
                yield names.get(target, target)

    found = {(names.get(node, node), end) for node in after if node not in passed for end in ends(node)}
    return {name for own, name in names.items() if own not in schedule}, found


def test_every_file_is_read():
    assert len(FILES) == 66
    for path in FILES:
        read = read_file(path)
        assert read.format == "serverless"
        assert read.workflow == read_file(path, "serverless").workflow
        warned = [note.message for note in read.diagnostics if note.severity != "info"]
        extended = "mock-service-extension" in path.name
        assert (
            warned
            == ["extensions are not read, so the tasks that they run before and after other tasks are missing"]
            * extended
        )


def test_tasks_and_transitions_are_those_of_an_independent_count():
    tasks = transitions = 0
    for path in FILES:
        workflow = read_file(path).workflow
        data = yaml.safe_load(path.read_text("utf-8"))
        expected = list(parts_of(data["do"]))
        found = [read_back(part) for part in (workflow, *workflow.subworkflows)]
        assert sorted(map(str, map(_sorted, found))) == sorted(map(str, map(_sorted, expected))), path.name
        assert ("schedule" in data) == any(task.action == "schedule" for task in workflow.tasks)
        tasks += sum(len(names) for names, _ in expected)
        transitions += sum(len(pairs) for _, pairs in expected)
    assert (tasks, transitions) == (92, 175)


def _sorted(part):
    return sorted(part[0]), sorted(part[1])


def test_nothing_is_found_in_them_and_every_task_can_run():
    for path in FILES:
        workflow = read_file(path).workflow
        assert not [finding for finding in lint(workflow) if finding.severity != "info"], path.name
        opened = expand(workflow)
        behaviour = Behaviour.of(opened)
        assert all(behaviour.can_run(place).value is not False for place in range(len(opened.tasks))), path.name


def test_the_way_through_the_native_format():
    for path in FILES:
        written = write(read_file(path).workflow, "native")
        assert write(read_text(written, "x").workflow, "native") == written
