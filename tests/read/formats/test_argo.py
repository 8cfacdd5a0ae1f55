"""Argo workflows: every construct with what it becomes, when each task runs, refusals with their positions."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour, GuardSyntaxError
from wfgate.model import END, START, Guard, Loop
from wfgate.read import read_data, read_text, write
from wfgate.read.formats.argo.calls import outputs_read
from wfgate.read.formats.argo.depends import parse_depends

from ...hypothesis_examples import examples

FILES = sorted((Path(__file__).parent / "data" / "argo").glob("*.yaml"))
HEAD = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: demo-}
spec:
  entrypoint: main
"""
TAIL = """\
    - {name: t, container: {image: alpine, command: [run]}}
"""


def bare(workflow):
    """The workflow without positions."""
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


def dag(*tasks, rest=""):
    listed = "".join(f"          - {{{task}}}\n" for task in tasks)
    return f"{HEAD}{rest}  templates:\n    - name: main\n      dag:\n        tasks:\n{listed}{TAIL}"


def steps(*groups, rest=""):
    listed = "".join("        - [" + ", ".join(f"{{{step}}}" for step in group) + "]\n" for group in groups)
    return f"{HEAD}{rest}  templates:\n    - name: main\n      steps:\n{listed}{TAIL}"


def read(text):
    reading = read_text(text, "x.yaml")
    assert reading.format == "argo"
    return reading


def links(workflow):
    return {(link.source, link.outcome, link.target) for link in workflow.links}


def task(workflow, own):
    return next(task for task in workflow.tasks if task.id == own)


def runs(text, **situation):
    """The tasks that run: `a="failure"` is how a task ends, `x=1` what a condition reads."""
    workflow = read(text).workflow
    behaviour = Behaviour.of(workflow)
    assert not behaviour.broken_joins
    names = {one.id for one in workflow.tasks}
    known = {f"outcome of '{key}'" if key in names else key: value for key, value in situation.items()}
    found = {one.id: behaviour.runs_in(place, known).value for place, one in enumerate(workflow.tasks)}
    assert None not in found.values(), found
    return {own for own, value in found.items() if value}


WHEN = 'when: "{{workflow.parameters.x}} == 1"'
X = "workflow.parameters.x"
CASES = [
    # A skipped task does not stop those behind it, whether one waits for it in a dag or in the next list of steps.
    (dag("name: a, template: t", f"name: b, template: t, depends: a, {WHEN}", "name: c, template: t, depends: b"),
     {X: 2}, {"a", "c"}),
    (dag("name: a, template: t", f"name: b, template: t, dependencies: [a], {WHEN}",
         "name: c, template: t, dependencies: [a, b]"), {X: 2}, {"a", "c"}),
    (steps(["name: a, template: t"], [f"name: b, template: t, {WHEN}"], ["name: c, template: t"]),
     {X: 2}, {"a", "c"}),
    (steps([f"name: a, template: t, {WHEN}"], ["name: c, template: t"]), {X: 2}, {"c"}),
    (steps([f"name: a, template: t, {WHEN}", "name: b, template: t"], ["name: c, template: t"]), {X: 1},
     {"a", "b", "c"}),
    # ... unless they ask for its success, or for its being skipped.
    (dag(f"name: b, template: t, {WHEN}", "name: c, template: t, depends: b.Succeeded"), {X: 2}, set()),
    (dag(f"name: b, template: t, {WHEN}", "name: c, template: t, depends: b.Skipped"), {X: 2}, {"c"}),
    (dag(f"name: b, template: t, {WHEN}", "name: c, template: t, depends: b.Skipped"), {X: 1}, {"b"}),
    # Failure: who asks for it runs, who waits plainly is omitted, and so is who waits for the omitted.
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed", "name: b, template: t, depends: a",
         "name: c, template: t, depends: b"), {"a": "failure"}, {"a", "h"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Errored", "name: b, template: t, depends: a"),
     {"a": "success"}, {"a", "b"}),
    # Omitted is not skipped: what waits for a conditional task is omitted with it.
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed",
         f"name: b, template: t, depends: a, {WHEN}", "name: c, template: t, depends: b"),
     {"a": "failure", X: 2}, {"a", "h"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed",
         f"name: b, template: t, depends: a, {WHEN}", "name: c, template: t, depends: b"),
     {"a": "success", X: 2}, {"a", "c"}),
    (dag("name: a, template: t", "name: b, template: t, depends: a", "name: o, template: t, depends: b.Omitted"),
     {"a": "failure"}, {"a", "o"}),
    (dag("name: a, template: t", "name: b, template: t, depends: a", "name: o, template: t, depends: b.Omitted"),
     {"a": "success"}, {"a", "b"}),
    # Boolean expressions.
    (dag("name: a, template: t", "name: b, template: t",
         "name: c, template: t, depends: a && (b.Failed || b.Skipped)"),
     {"a": "success", "b": "failure"}, {"a", "b", "c"}),
    (dag("name: a, template: t", "name: b, template: t",
         "name: c, template: t, depends: a && (b.Failed || b.Skipped)"),
     {"a": "success", "b": "success"}, {"a", "b"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed",
         "name: c, template: t, depends: '!a.Failed'"),
     {"a": "success"}, {"a", "c"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed",
         "name: c, template: t, depends: '!a.Failed'"),
     {"a": "failure"}, {"a", "h"}),
    (dag("name: a, template: t", "name: b, template: t",
         "name: c, template: t, depends: (a.Failed && b.Succeeded) || (a.Succeeded && b.Failed)"),
     {"a": "failure", "b": "success"}, {"a", "b", "c"}),
    (dag("name: a, template: t", "name: b, template: t",
         "name: c, template: t, depends: (a.Failed && b.Succeeded) || (a.Succeeded && b.Failed)"),
     {"a": "failure", "b": "failure"}, {"a", "b"}),
    (dag("name: a, template: t", f"name: b, template: t, depends: a.Failed, {WHEN}",
         "name: c, template: t, depends: a.Succeeded || a.Failed || a.Skipped || a.Omitted"),
     {"a": "failure", X: 2}, {"a", "c"}),
    # A task that may fail lets the next ones run.
    (steps(["name: a, template: t, continueOn: {failed: true}"], ["name: b, template: t"]), {"a": "failure"},
     {"a", "b"}),
    (steps(["name: a, template: t, continueOn: {error: true}"], [f"name: b, template: t, {WHEN}"],
           ["name: c, template: t"]), {"a": "failure", X: 2}, {"a", "c"}),
    (dag("name: a, template: t, continueOn: {failed: true}", "name: b, template: t, dependencies: [a]"),
     {"a": "failure"}, {"a", "b"}),
    # Hooks: what runs at the end of a task runs only if the task did.
    (dag(f"name: a, template: t, {WHEN}, onExit: t"), {X: 2}, set()),
    (dag(f"name: a, template: t, {WHEN}, hooks: {{exit: {{template: t}}}}"), {X: 1}, {"a", "a-exit"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed",
         "name: b, template: t, depends: a, onExit: t"), {"a": "failure"}, {"a", "h"}),
    (dag("name: a, template: t", "name: h, template: t, depends: a.Failed", rest="  onExit: t\n"), {"a": "failure"},
     {"a", "h", "exit"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "situation", "expected"), CASES)
def test_when_tasks_run(text, situation, expected):
    assert runs(text, **situation) == expected


@pytest.mark.parametrize("outcome", ["success", "failure"])
@pytest.mark.parametrize("x", [1, 2])
def test_the_end_is_reached_though_the_last_task_is_skipped(x, outcome):
    workflow = read(dag("name: a, template: t", f"name: b, template: t, depends: a, {WHEN}")).workflow
    behaviour = Behaviour.of(workflow)
    assert behaviour.space.always(behaviour.runs[behaviour.flow.end]).value is True
    assert links(workflow) == {
        (START, "success", "a"), ("a", "success", "b"), ("b", "success", END), ("b", "skipped", END)
    }  # fmt: skip


def test_joins_are_said_in_the_shortest_way():
    def join(depends, when=""):
        text = dag(
            "name: a, template: t" + when, "name: b, template: t" + when, f"name: c, template: t, depends: {depends}"
        )
        return task(read(text).workflow, "c").join

    assert join("a && b") is None
    assert join("a || b") == "any"
    assert join("a && b.Failed") == "all"
    assert join("a && b", f", {WHEN}") == "all"
    assert join("a && (a.Failed || b)") == "a.success and (a.failure or b)"
    assert join("(a && b) || b.Failed") == "(a and b.success) or b.failure"


def test_names_that_an_expression_could_not_hold_get_other_ids():
    text = dag("name: and, template: t", "name: A, template: t", "name: a, template: t",
               "name: c, template: t, depends: (and && a) || A.Failed")  # fmt: skip
    workflow = read(text).workflow
    assert [(one.id, one.name) for one in workflow.tasks] == [("and-2", "and"), ("A", "A"), ("a-2", "a"), ("c", "c")]
    assert task(workflow, "c").join == "(and-2 and a-2) or A"
    assert not Behaviour.of(workflow).broken_joins


def test_a_task_is_what_its_template_does():
    text = dag(
        "name: build, template: make, arguments: {parameters: [{name: tag, value: 1}, {name: sh, valueFrom: {}}]}"
    ) + (
        "    - name: make\n"
        "      inputs: {parameters: [{name: tag}]}\n"
        "      outputs: {parameters: [{name: digest, valueFrom: {path: /d}}], artifacts: [{name: log, path: /l}]}\n"
        "      timeout: 2h\n"
        "      daemon: true\n"
        "      retryStrategy: {limit: 3}\n"
        "      script: {image: go, source: make all, env: [{name: TOKEN, value: hush}], resources: {}}\n"
        "      sidecars: [{name: db, image: postgres, env: [{name: PASSWORD, value: hush}]}]\n"
    )
    reading = read(text)
    build = reading.workflow.tasks[0]
    assert (build.name, build.kind, build.action, build.timeout) == ("build", "task", "make", "2h")
    assert build.params == {
        "tag": 1,
        "sh": {"valueFrom": {}},
        "script": {"image": "go", "source": "make all"},
        "sidecars": [{"name": "db", "image": "postgres"}],
        "daemon": True,
        "retryStrategy": {"limit": 3},
    }
    assert build.outputs == ("build.digest", "build.log")
    assert "hush" not in write(reading.workflow, "native")
    assert (build.span.line, build.span.column) == (10, 13)


def test_kinds_of_templates():
    kinds = {
        "suspend: {duration: 20s}": ("event", "suspend", {"suspend": {"duration": "20s"}}),
        "suspend: {}": ("event", "suspend", {}),
        "resource: {action: create, manifest: m}": ("task", "w", {"resource": {"action": "create", "manifest": "m"}}),
        "http: {url: u, headers: [{name: Authorization, value: s}]}": ("task", "w", {"http": {"url": "u"}}),
        "plugin: {hello: {}}": ("task", "w", {"plugin": {"hello": {}}}),
        "containerSet: {containers: [{name: a, image: i, env: []}]}": (
            "task", "w", {"containerSet": {"containers": [{"name": "a", "image": "i"}]}},
        ),
    }  # fmt: skip
    for body, expected in kinds.items():
        workflow = read(dag("name: a, template: w") + f"    - {{name: w, {body}}}\n").workflow
        found = workflow.tasks[0]
        assert (found.kind, found.action, found.params) == expected


def test_templates_of_templates_are_composites():
    text = steps(
        ["name: a, template: inner"], ["name: b, template: inner, arguments: {parameters: [{name: n, value: 1}]}"]
    ) + (
        "    - name: inner\n"
        "      inputs: {parameters: [{name: n, default: 0}]}\n"
        "      steps: [[{name: x, template: t}], [{name: again, template: main}], [{name: y, inline: {dag: {tasks: []}}}]]\n"  # noqa: E501 - one case
    )
    workflow = read(text).workflow
    assert [(one.kind, one.workflow, one.params) for one in workflow.tasks] == [
        ("composite", "inner", {}),
        ("composite", "inner", {"n": 1}),
    ]
    inner, inline = workflow.subworkflows
    assert (inner.name, inner.params, inline.name) == ("inner", {"n": 0}, "inner/y")
    assert [one.workflow for one in inner.tasks] == [None, workflow.name, "inner/y"]


def test_loops():
    text = dag(
        "name: a, template: t, withItems: [1, {x: 2}]",
        'name: b, template: t, withParam: "{{tasks.a.outputs.result}}"',
        "name: c, template: t, withSequence: {count: 5}",
        'name: d, template: t, withItems: [1], when: "{{item}} == 1"',
        f"name: e, template: t, withItems: [1], {WHEN}",
    )
    workflow = read(text).workflow
    assert [one.loop for one in workflow.tasks] == [
        Loop(mode="foreach", over='[1, {"x": 2}]'),
        Loop(mode="foreach", over="{{tasks.a.outputs.result}}"),
        Loop(mode="foreach", over='{"count": 5}'),
        Loop(mode="foreach", over="[1]", condition="{{item}} == 1", language="argo"),
        Loop(mode="foreach", over="[1]"),
    ]
    guards = {link.target: link.guard for link in workflow.links if link.source == START}
    assert guards["d"] is None
    assert guards["e"] == Guard(expr="{{workflow.parameters.x}} == 1", language="argo")


def test_data_flow():
    text = dag(
        "name: a, template: t",
        'name: b, template: t, depends: a, arguments: {parameters: [{name: p, value: "{{tasks.a.outputs.parameters.v}}"}],'  # noqa: E501 - one case
        ' artifacts: [{name: q, from: "{{tasks.nothing.outputs.artifacts.w}}"}]}',
    ).replace(
        "      dag:",
        '      outputs: {parameters: [{name: o, valueFrom: {expression: "tasks.b.outputs.result"}}]}\n      dag:',
    )
    workflow = read(text).workflow
    assert {(link.source, link.target, link.data) for link in workflow.data_links} == {
        ("a", "b", "a.v"), ("nothing", "b", "nothing.w"), ("b", END, "b.result"),
    }  # fmt: skip
    assert set(task(workflow, "b").inputs) == {"a.v", "nothing.w"}


def test_references():
    assert outputs_read(["{{steps.a.outputs.result}} {{steps.a.outputs.result}}", {"x": "{{tasks.b.ip}}"}]) == [
        ("a", "result"), ("b", "ip"),
    ]  # fmt: skip
    assert outputs_read("{{=steps['x y'].outputs.parameters['k']}} {{steps.c.status}} {{steps.d.outputs.result") == [
        ("x y", "k")
    ]
    assert outputs_read({"fromExpression": "a ? tasks.b.outputs.artifacts.c : nil"}) == [("b", "c")]


def test_workflow_hooks_and_parameters():
    rest = (
        "  activeDeadlineSeconds: 60\n"
        "  arguments: {parameters: [{name: p, value: 1}, {name: q}], artifacts: [{name: in, raw: {data: x}}]}\n"
        '  hooks: {exit: {template: t}, slow: {template: t, expression: workflow.status == "Running"}}\n'
    )
    workflow = read(dag("name: a, template: t", rest=rest)).workflow
    assert workflow.params == {"activeDeadlineSeconds": 60, "p": 1, "q": None}
    assert [item.id for item in workflow.data_items] == ["in"]
    assert [one.name for one in workflow.tasks] == ["a", "t on exit", "t on slow"]
    assert links(workflow) == {
        (START, "success", "a"), ("a", "always", "exit"), ("exit", "success", END), (START, "event", "slow"),
        ("slow", "success", END),
    }  # fmt: skip


def test_entrypoint_that_does_the_work_itself():
    workflow = read(HEAD.replace("main", "t") + "  templates:\n" + TAIL).workflow
    assert [(one.id, one.action) for one in workflow.tasks] == [("t", "t")]
    assert workflow.name == "demo"


def test_scheduled_and_borrowed_workflows():
    cron = (
        "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {name: daily}\n"
        "spec:\n  schedules: ['0 1 * * *']\n  suspend: true\n  workflowSpec:\n    workflowTemplateRef: {name: job}\n"
    )
    reading = read(cron)
    assert reading.workflow.params == {"schedules": ["0 1 * * *"]}
    assert [(one.kind, one.workflow) for one in reading.workflow.tasks] == [("composite", "job")]
    assert ["which is not in this file" in note.message for note in reading.diagnostics] == [False, True]
    job = "---\napiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: {name: job}\n"
    job += "spec:\n  entrypoint: t\n  templates:\n    - {name: t, container: {image: i}}\n"
    both = read(cron + job)
    assert [(one.kind, one.action) for one in both.workflow.tasks] == [("task", "t")]
    assert (both.workflow.tasks[0].span.line, both.workflow.name) == (16, "daily")


def test_references_to_other_resources():
    text = dag("name: a, templateRef: {name: lib, template: go}", "name: b, templateRef: {name: far, template: go}")
    lib = "---\napiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: {name: lib}\n"
    lib += "spec:\n  templates:\n    - {name: go, dag: {tasks: [{name: x, template: main}]}}\n"
    lib += "    - {name: main, container: {image: i}}\n---\nkind: ConfigMap\napiVersion: v1\n---\n"
    reading = read(text + lib)
    assert [(one.kind, one.workflow) for one in reading.workflow.tasks] == [
        ("composite", "go"),
        ("composite", "far/go"),
    ]
    assert reading.workflow.subworkflows[0].tasks[0].action == "main"
    assert [(note.severity, note.line) for note in reading.diagnostics if "ConfigMap" in note.message] == [
        ("info", 22)
    ]
    alone = read(lib.removeprefix("---\n")).workflow
    assert [one.id for one in alone.tasks] == ["x"]


def test_several_workflows_stand_side_by_side():
    reading = read(dag("name: a, template: t") + "---\n" + dag("name: b, template: t"))
    assert [one.workflow for one in reading.workflow.tasks] == ["demo", "demo 2"]
    assert [part.tasks[0].id for part in reading.workflow.subworkflows] == ["a", "b"]
    assert "no order between them" in reading.diagnostics[0].message


WARNED = [
    (dag("name: a, template: tt"), "error", "no template 'tt'", "did you mean 't'?", 10),
    (dag("name: a, template: t, depend: b"), "warning", "no key 'depend'", "did you mean 'depends'?", 10),
    (dag("name: a, template: t", "name: b, template: t, depends: a, dependencies: [a]"), "warning", "both", "delete", 11),  # noqa: E501 - one case
    (dag("name: a, template: t", "name: b, template: t, depends: a.Failed && a.Succeeded"), "warning", "never", None, 11),  # noqa: E501 - one case
    (dag("name: a, template: t").replace("dag:\n", "dag:\n        target: a\n"), "warning", "`target`", None, 9),
    (dag("name: a, template: t") + "    - {name: u, container: {image: i}}\n", "info", "nothing calls them: u", None, 12),  # noqa: E501 - one case
    (dag("name: a, template: t", rest="  podGC: {}\n  volumes: []\n"), "info", "'podGC', 'volumes'", None, 6),
    (dag("name: a, template: u") + "    - {name: u}\n", "warning", "has no work to do", "container", 12),
    (dag("name: a, template: t") + "    - {name: t, container: {image: i}}\n", "warning", "two templates", "rename", 12),  # noqa: E501 - one case
    (dag("name: a, template: '{{inputs.parameters.t}}'"), "info", "known only at run time", None, 10),
]  # fmt: skip


@pytest.mark.parametrize(("text", "severity", "message", "fix", "line"), WARNED)
def test_what_is_said(text, severity, message, fix, line):
    found = [note for note in read(text).diagnostics if message in note.message]
    assert [(note.severity, note.line) for note in found] == [(severity, line)]
    assert fix is None or fix in found[0].fix


REFUSED = [
    (dag("name: a, template: t").replace("entrypoint: main", "entrypoint: mian"), "no template has the name", 5),
    (dag("name: a, template: t").replace("  entrypoint: main\n", ""), "no 'entrypoint'", 4),
    (dag("name: a, template: t, depends: 'b &&'"), "expected a value, not the end", 10),
    (dag("name: a, template: t, depends: b.Succeded"), "no result 'Succeded'", 10),
    (dag("template: t"), "has no 'name'", 10),
    (dag("name: a"), "has no 'template'", 10),
    (HEAD + "  templates: {}\n", "must be a list", 6),
    (HEAD + "  templates: [{name: main, steps: [1]}]\n", "must be a list", 6),
    (dag("name: a, template: t") + "    - {name: unused, container: 5}\n", "`templates.2.container` of the spec", 12),
    (HEAD + "  templates:\n    - name: main\n      steps:\n        - name: a\n", "must be a list", 9),
    ("apiVersion: argoproj.io/v1alpha1\nkind: WorkflowEventBinding\nspec: {}\n", "WorkflowEventBinding", 2),
    ("apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n", "no 'spec'", 2),
    (dag("name: a, template: t") + "---\na: [\n", "not valid YAML", 14),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "line"), REFUSED)
def test_refusals(text, message, line):
    with pytest.raises(FormatError, match=message.replace("(", r"\(")) as caught:
        read_text(text, "x.yaml", "argo")
    assert caught.value.line == line
    assert caught.value.fix


def test_other_kinds_are_refused_with_the_reason():
    with pytest.raises(FormatError, match="a ConfigMap of v1 does not contain a workflow"):
        read_text("apiVersion: v1\nkind: ConfigMap\n", "x.yaml", "argo")


def test_values_of_several_documents_have_positions():
    first, second = dag("name: a, template: t"), dag("name: b, template: t")
    workflow = read(f"{first}---\n{second}").workflow
    lines = first.count("\n") + 1
    for path, line in (((0, "spec", "entrypoint"), 5), ((1, "spec", "entrypoint"), lines + 5)):
        assert workflow.span_of(path).line == line
    assert [part.tasks[0].span.line for part in workflow.subworkflows] == [10, lines + 10]


def test_several_documents_stay_an_error_elsewhere():
    with pytest.raises(FormatError, match="second YAML document"):
        read_text('wfgate: "1"\nsteps: [a]\n---\nwfgate: "1"\nsteps: [b]\n', "x.yaml")


@pytest.mark.parametrize("text", ["", "a b", "a &", "(a", "a)", "&& a", "a.b.c", "a.Failed.x", "()", "!" * 200 + "a"])
def test_dependencies_that_cannot_be_read(text):
    with pytest.raises(GuardSyntaxError):
        parse_depends(text)


def test_deep_and_wide_dependencies():
    assert parse_depends("(" * 90 + "a" + ")" * 90) == parse_depends("a")
    many = " && ".join(f"t{number}" for number in range(2000))
    tasks = [f"name: t{number}, template: t, when: x" for number in range(2000)]
    workflow = read(dag(*tasks, f"name: z, template: t, depends: {many}")).workflow
    assert task(workflow, "z").join == "all"


def test_a_long_chain_of_conditions_behind_a_failure_stays_small():
    tasks = ["name: t0, template: t", "name: h, template: t, depends: t0.Failed"]
    tasks += [f"name: t{n}, template: t, depends: t{n - 1}, {WHEN}" for n in range(1, 400)]
    reading = read(dag(*tasks))
    assert len(reading.workflow.links) < 20_000
    assert any("too many dependencies" in note.message for note in reading.diagnostics)


def test_too_many_links_are_refused_before_they_are_made():
    group = "        - [" + ", ".join(f"{{name: s%d-{n}, template: t}}" for n in range(600)) + "]\n"
    text = f"{HEAD}  templates:\n    - name: main\n      steps:\n{group % ((1,) * 600)}{group % ((2,) * 600)}{TAIL}"
    with pytest.raises(FormatError, match="the limit is"):
        read(text)


def test_calls_that_stand_for_too_much_are_refused_before_they_are_made():
    keys = ", ".join(f"k{number}: 1" for number in range(2000))
    big = f"    - {{name: big, plugin: {{{keys}}}}}\n"
    with pytest.raises(FormatError, match="more than 1,000,000 values"):
        read(dag(*(f"name: a{number}, template: big" for number in range(600))) + big)


def test_many_names_that_give_one_id():
    signs = ["".join(pair) for pair in product("!?/+~^$=;:.<>()*", repeat=2)]
    workflow = read(dag(*(f'name: "{name}", template: t' for name in signs))).workflow
    assert [task.id for task in workflow.tasks][:3] == ["--", "---2", "---3"]
    assert len({task.id for task in workflow.tasks}) == len(signs)


def test_many_templates_that_are_not_there():
    text = dag(*(f"name: a{number}, template: no{number}" for number in range(300)))
    text += "".join(f"    - {{name: u{number}, container: {{}}}}\n" for number in range(300))
    notes = [note for note in read(text).diagnostics if note.severity == "error"]
    assert len(notes) == 300
    assert {note.fix for note in notes} == {"add this template to the file"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_native_keeps_everything(file):
    workflow = read_text(file.read_text("utf-8"), file.name).workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


def _values(data, path=()):
    yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from _values(value, (*path, key))


def _put(data, path, value):
    """A copy of the data with another value at the path."""
    if not path:
        return value
    copied = dict(data) if isinstance(data, dict) else list(data)
    copied[path[0]] = _put(copied[path[0]], path[1:], value)
    return copied


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just([]), st.just({}), st.just("{{tasks.a.ip}}"),
    st.just("a && !(b || a.Omitted)"), st.lists(st.just({}), max_size=2), st.just({"name": "a"}),
)  # fmt: skip


@settings(max_examples=examples(300))
@given(st.data())
def test_damaged_documents_are_read_or_refused(data):
    import yaml  # noqa: PLC0415 - used here only

    text = data.draw(st.sampled_from(FILES)).read_text("utf-8")
    document = next(iter(yaml.load_all(text, Loader=yaml.BaseLoader)))
    places = list(_values(document))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places))
        try:
            document = _put(document, path, data.draw(ODD))
        except (KeyError, IndexError, TypeError, ValueError):
            continue
    if not isinstance(document, dict):
        return
    try:
        workflow = read_data(document, "x", "argo").workflow
        write(workflow, "native")
        Behaviour.of(workflow)
    except FormatError as error:
        assert error.fix  # noqa: PT017 - both ways are fine
    cut = data.draw(st.integers(0, len(text)))
    try:
        read_text(text[:cut], "x", "argo")
    except FormatError as error:
        assert error.fix  # noqa: PT017 - same
