"""GitHub Actions: every construct with what it becomes, what is said of it, and what is refused."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import END, START, Guard, Loop
from wfgate.read import read_data, read_text, write
from wfgate.read.documents.yaml_text import parse_yaml
from wfgate.rules import lint

from ...hypothesis_examples import examples

FILES = sorted((Path(__file__).parent / "data" / "github-actions").rglob("*.y*ml"))
STEPS = "    runs-on: x\n    steps: [{run: make}]\n"


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


def read(text, *said):
    """The workflow in a text, of which these things are said, as (severity, line, a part of the message)."""
    reading = read_text(text, "x.yml")
    assert reading.format == "github-actions"
    notes = [(note.severity, note.line, note.message) for note in reading.diagnostics]
    assert len(notes) == len(said), notes
    for note, (severity, line, part) in zip(notes, said, strict=True):
        assert note[:2] == (severity, line), notes
        assert part in note[2]
    return reading.workflow


def jobs(*lines):
    return "on: push\njobs:\n" + "".join(f"  {line}\n" for line in lines)


def job(*lines):
    """One job with some lines, and a step."""
    return "on: push\njobs:\n  a:\n" + "".join(f"    {line}\n" for line in lines) + STEPS


def steps(*lines):
    return "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n" + "".join(f"      {line}\n" for line in lines)


def pairs(workflow):
    return [(link.source, link.target) for link in workflow.links]


def notes_of(text):
    return [(note.line, note.column, note.message, note.fix) for note in read_text(text, "x.yml").diagnostics]


# Jobs and what they need


def test_needs_is_one_job_or_several():
    workflow = read(f"on: push\njobs:\n  a:\n{STEPS}  b:\n    needs: a\n{STEPS}  c:\n    needs: [a, b, a]\n{STEPS}")
    assert pairs(workflow) == [(START, "a"), ("a", "b"), ("a", "c"), ("b", "c"), ("c", END)]
    assert workflow.semantics == "dag"
    assert [task.join for task in workflow.tasks] == [None] * 3
    assert [(task.kind, task.workflow) for task in workflow.tasks] == [
        ("composite", "job a"),
        ("composite", "job b"),
        ("composite", "job c"),
    ]
    span = workflow.links[3].span
    assert (span.line, span.column) == (11, 16)


def test_ids_of_jobs_are_compared_without_case():
    workflow = read(f"on: push\njobs:\n  Build:\n{STEPS}  test:\n    needs: build\n{STEPS}")
    assert ("Build", "test") in pairs(workflow)


def test_a_job_that_is_not_there_is_left_to_the_checks():
    workflow = read(f"on: push\njobs:\n  a:\n    needs: biuld\n{STEPS}")
    assert pairs(workflow) == [("biuld", "a"), ("a", END)]
    assert "WF003" in {finding.id for finding in lint(workflow)}


def test_a_circle_of_jobs_is_read():
    workflow = read(f"on: push\njobs:\n  a:\n    needs: b\n    if: always()\n{STEPS}  b:\n    needs: a\n{STEPS}")
    assert {("b", "a"), ("a", "b")} <= set(pairs(workflow))
    assert any(finding.severity == "error" for finding in lint(workflow))


def test_names_that_mean_something_else_get_other_ids():
    workflow = read(f"on: push\njobs:\n  start:\n{STEPS}  and:\n    needs: start\n{STEPS}")
    assert [(task.id, task.name) for task in workflow.tasks] == [("start-2", "start"), ("and-2", "and")]
    assert ("start-2", "and-2") in pairs(workflow)


def test_settings_of_a_job_are_its_parameters():
    workflow = read(
        job(
            "name: Build it",
            "timeout-minutes: 30",
            "continue-on-error: true",
            "concurrency: {group: g, cancel-in-progress: true}",
            "permissions: read-all",
            "env: {A: 1}",
        )
    )
    task = workflow.tasks[0]
    assert (task.id, task.name, task.timeout) == ("a", "Build it", "30m")
    assert task.params == {
        "continue-on-error": True,
        "concurrency": {"group": "g", "cancel-in-progress": True},
        "permissions": "read-all",
        "env": {"A": 1},
        "runs-on": "x",
    }
    assert (task.span.line, task.span.column) == (3, 3)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [("5", "5m"), ("2.5", "2.5m"), ("'7'", "7m"), ("${{ inputs.limit }}", "${{ inputs.limit }}"), ("", None)],
)
def test_timeouts(written, read_as):
    assert read(job(f"timeout-minutes: {written}")).tasks[0].timeout == read_as


def test_an_environment_may_ask_for_approval():
    said = "may require an approval"
    for written, name in (("production", "'production'"), ("{name: staging, url: 'https://x'}", "'staging'")):
        workflow = read(
            job(f"environment: {written}"), ("info", 4, f"{said} or a wait that the file does not show: {name}")
        )
        assert "environment" in workflow.tasks[0].params
    read(job("environment: ${{ inputs.environment }}"))


def test_containers_hide_what_may_be_secret():
    text = job(
        "container: {image: node, env: {KEY: hush}, credentials: {username: me, password: hush}}",
        "services:",
        "  db: {image: pg, env: {P: hush, Q: '${{ secrets.Q }}'}, credentials: {password: '${{ secrets.P }}'}}",
    )
    workflow = read(text)
    assert workflow.tasks[0].params["container"]["image"] == "node"
    assert workflow.tasks[0].params["services"]["db"] == {
        "image": "pg",
        "env": {"P": "***", "Q": "${{ secrets.Q }}"},
        "credentials": {"password": "${{ secrets.P }}"},
    }
    assert "hush" not in write(workflow, "native")


# Conditions; when they let a job or step run is in test_github_actions_running.py


def test_an_if_is_the_guard_of_every_link_into_a_job():
    text = f"on: push\njobs:\n  a:\n{STEPS}  b:\n{STEPS}  c:\n    needs: [a, b]\n"
    text += f"    if: ${{{{ github.ref == 'x' }}}}\n{STEPS}"
    workflow = read(text)
    guard = Guard(expr="${{ github.ref == 'x' }}", language="github")
    assert [(link.source, link.guard, link.outcome) for link in workflow.links if link.target == "c"] == [
        ("a", guard, "success"),
        ("b", guard, "success"),
    ]


def test_status_functions_are_outcomes():
    text = f"on: push\njobs:\n  a:\n{STEPS}  b:\n    needs: a\n    if: failure() && github.ref == 'x'\n{STEPS}"
    workflow = read(text, ("info", 8, "status functions are read as outcomes of links"))
    link = next(link for link in workflow.links if link.target == "b")
    assert (link.outcome, link.guard) == ("failure", Guard(expr="github.ref == 'x'", language="github"))


@pytest.mark.parametrize("condition", ["${{ false }} ", "${{ a }} && b", "x${{ a }}", "${{ a }}${{ b }}", "!${{ a }}"])
def test_text_beside_an_expression_is_said_to_be_always_true(condition):
    """GitHub puts the value into the text, and a text that is not empty is true."""
    text = job(f"if: {json.dumps(condition)}")
    workflow = read(text, ("warning", 4, "always true"))
    assert workflow.links[0].guard == Guard(expr=condition, language="github")
    assert notes_of(text)[0][3] == "put the whole condition inside one ${{ }}"
    assert Behaviour.of(workflow).runs_in(0, {"a": False}).value is True


@pytest.mark.parametrize("condition", ["true", "'${{ true }}'", "github.ref == 'a ${{ b'", "always()"])
def test_a_whole_expression_is_not_said_to_be_text(condition):
    read(job(f"if: {json.dumps(condition)}" if "'$" not in condition else f"if: {condition}"))


def test_conditions_that_hold_never_or_always():
    assert read(job("if: false")).links[0].guard.expr == "false"
    assert read(job("if: ''")).links[0].guard is None
    assert read(job("if:")).links[0].guard is None


def test_a_failure_that_nothing_can_have():
    workflow = read(job("if: failure()"), ("warning", 4, "no earlier"))
    assert workflow.links[0].guard.expr == "false"
    read(steps("- run: a", "  if: failure()"), ("warning", 7, "no earlier"))


def test_status_functions_inside_other_functions():
    read(job("if: contains(success(), 'x')"), ("warning", 4, "is an argument of another function"))


# Matrices


@pytest.mark.parametrize(
    ("matrix", "over", "times"),
    [
        ("{os: [a, b], node: [1, 2, 3]}", "node, os", 6),
        ("{os: [a, b], node: [1, 2], exclude: [{os: a, node: 1}]}", "node, os", 3),
        ("{os: [a, b], node: [1, 2], exclude: [{os: a}]}", "node, os", 2),
        ("{os: [a, b], include: [{os: c}, {os: a, extra: 1}, {color: red}]}", "os", 3),
        ("{include: [{os: a, node: 1}, {os: b}]}", "node, os", 2),
        ("{os: '${{ fromJSON(inputs.os) }}', node: [1]}", "node, os", None),
        ("{os: [a, b], include: '${{ fromJSON(inputs.more) }}'}", "os", None),
        ("'${{ fromJSON(needs.plan.outputs.matrix) }}'", "${{ fromJSON(needs.plan.outputs.matrix) }}", None),
    ],
)
def test_matrices_are_loops(matrix, over, times):
    task = read_text(job(f"strategy: {{matrix: {matrix}}}"), "x.yml").workflow.tasks[0]
    assert task.loop == Loop(mode="foreach", over=over, max=times)
    assert task.params["strategy"]["matrix"]


def test_the_rows_of_the_manual():
    """The example of the manual for `include`: four rows, two of them extended, two more."""
    matrix = "{fruit: [apple, pear], animal: [cat, dog], include: [{color: green}, {color: pink, animal: cat}, "
    matrix += "{fruit: apple, shape: circle}, {fruit: banana}, {fruit: banana, animal: cat}]}"
    assert read(job(f"strategy: {{matrix: {matrix}}}")).tasks[0].loop.max == 6


def test_a_matrix_that_makes_too_many_jobs():
    text = job(f"strategy: {{matrix: {{a: {list(range(20))}, b: {list(range(20))}}}}}")
    read(text, ("warning", 4, "400 jobs, but GitHub runs at most 256"))


def test_a_strategy_without_a_matrix_repeats_nothing():
    assert read(job("strategy: {fail-fast: false}")).tasks[0].loop is None


# Reusable workflows and actions


def test_a_job_that_calls_a_workflow_is_a_composite_without_steps():
    text = jobs("a:", "  uses: org/repo/.github/workflows/x.yml@v1", "  with: {region: eu}", "  secrets: inherit",
                "b:", "  needs: a", "  uses: ./.github/workflows/y.yml",
                "  secrets: {t: plain, u: '${{ secrets.U }}'}",
                "  with: {image: '${{ needs.a.outputs.image }}'}")  # fmt: skip
    workflow = read(text)
    first, second = workflow.tasks
    assert (first.kind, first.workflow) == ("composite", "org/repo/.github/workflows/x.yml@v1")
    assert first.params == {"region": "eu", "secrets": "inherit"}
    assert second.params["secrets"] == {"t": "***", "u": "${{ secrets.U }}"}
    assert workflow.subworkflows == ()
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [("a", "b", "image")]


def test_what_a_reusable_workflow_hands_to_its_caller():
    text = "on:\n  workflow_call:\n    outputs: {o: {value: '${{ jobs.a.outputs.image }}'}}\njobs:\n  a:\n"
    text += "    outputs: {image: '${{ steps.s.outputs.digest }}'}\n    runs-on: x\n    steps: [{id: s, run: make}]\n"
    workflow = read(text)
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [("a", END, "image")]
    assert workflow.tasks[0].outputs == ("image",)
    assert workflow.subworkflows[0].tasks[0].outputs == ("image",)


def test_local_actions_are_composites_and_others_are_not():
    workflow = read(steps("- uses: ./.github/actions/setup", "  with: {version: 1}", "- uses: docker://alpine:3",
                          "- uses: org/repo/path@v1"))  # fmt: skip
    local, image, other = workflow.subworkflows[0].tasks
    assert (local.kind, local.workflow, local.params) == ("composite", "./.github/actions/setup", {"version": 1})
    assert (image.kind, image.action, image.name) == ("task", "docker://alpine:3", "Run alpine:3")
    assert (other.kind, other.action, other.params) == ("task", "org/repo/path", {"action ref": "v1"})


ACTION = """\
name: Set up
description: Everything that a build needs
inputs: {version: {default: 1}}
outputs: {path: {value: "${{ steps.find.outputs.path }}"}}
runs:
  using: composite
  steps:
    - {id: find, run: echo path=x, shell: bash}
    - {uses: actions/cache@v4, with: {path: "${{ steps.find.outputs.path }}"}, if: "inputs.version > 1"}
"""


def test_a_composite_action_is_its_steps():
    workflow = read(ACTION)
    assert (workflow.name, workflow.description) == ("Set up", "Everything that a build needs")
    assert [(task.id, task.name) for task in workflow.tasks] == [
        ("find", "Run echo path=x"),
        ("step-2", "Run actions/cache@v4"),
    ]
    assert pairs(workflow) == [(START, "find"), ("find", "step-2"), ("step-2", END), ("step-2", END)]
    assert {(link.source, link.target, link.data) for link in workflow.data_links} == {
        ("find", "step-2", "path"),
        ("find", END, "path"),
    }
    assert workflow.params["inputs"] == {"version": {"default": 1}}


@pytest.mark.parametrize("using", ["node20", "docker", "node16"])
def test_an_action_that_is_a_program_has_no_steps(using):
    with pytest.raises(FormatError, match=f"uses '{using}' is a program and has no steps") as caught:
        read_text(f"name: x\nruns:\n  using: {using}\n  main: index.js\n", "action.yml")
    assert (caught.value.line, caught.value.column) == (3, 3)


# Steps


def test_steps_without_names_are_called_as_github_shows_them():
    workflow = read(steps("- uses: actions/checkout@v4", "- run: |", "    make all", "    make test",
                          "- {id: own, run: make, name: Build}", "- {run: '', name: ''}"))  # fmt: skip
    assert [(task.id, task.name, task.action) for task in workflow.subworkflows[0].tasks] == [
        ("step-1", "Run actions/checkout@v4", "actions/checkout"),
        ("step-2", "Run make all", "run"),
        ("own", "Build", "run"),
        ("step-4", "Run", "run"),
    ]


def test_an_id_that_looks_like_one_of_ours_stays():
    workflow = read(steps("- run: a", "- {id: step-1, run: b}"))
    assert [task.id for task in workflow.subworkflows[0].tasks] == ["step-1-2", "step-1"]


def test_settings_of_a_step_are_its_parameters():
    workflow = read(steps("- uses: a/b@v1", "  with: {env: 1, x: 2}", "  env: {TOKEN: '${{ secrets.T }}'}",
                          "  continue-on-error: true", "  timeout-minutes: 3"))  # fmt: skip
    task = workflow.subworkflows[0].tasks[0]
    assert task.params == {
        "action ref": "v1",
        "env": 1,
        "x": 2,
        "step env": {"TOKEN": "${{ secrets.T }}"},
        "continue-on-error": True,
    }
    assert (task.timeout, task.span.line, task.span.column) == ("3m", 6, 9)


def test_ids_that_are_there_twice_are_left_to_the_checks():
    workflow = read(steps("- {id: a, run: x}", "- {id: a, run: y}", "- {id: b, run: z}"))
    assert [task.id for task in workflow.subworkflows[0].tasks] == ["a", "a", "b"]
    assert "WF002" in {finding.id for finding in lint(workflow)}


# Data


def test_outputs_of_steps_and_jobs():
    text = """\
on: push
jobs:
  build:
    runs-on: x
    outputs: {image: "${{ steps.push.outputs.digest }}", kind: docker}
    steps:
      - {id: meta, run: a}
      - {id: push, run: "b ${{ steps.meta.outputs.tags }}"}
  deploy:
    needs: build
    runs-on: x
    environment: {name: "${{ inputs.e }}", url: "${{ steps.roll.outputs.url }}"}
    steps:
      - {id: roll, run: "c ${{ needs.build.outputs.image }} ${{ needs.build.outputs.kind }}"}
"""
    workflow = read(text)
    build, deploy = workflow.tasks
    assert (build.outputs, deploy.inputs) == (("image",), ("image", "kind"))
    assert build.params["outputs"] == {"kind": "docker"}
    inner = {(link.source, link.target, link.data) for link in workflow.subworkflows[0].data_links}
    assert inner == {("meta", "push", "tags"), ("push", END, "image")}
    inner = {(link.source, link.target, link.data) for link in workflow.subworkflows[1].data_links}
    assert inner == {(START, "roll", "image"), (START, "roll", "kind"), ("roll", END, "url")}
    assert not [finding for finding in lint(workflow) if finding.severity != "info"]


def test_data_inside_jobs_are_apart():
    """Two jobs that tag an image do not write the same tags."""
    of_job = "    runs-on: x\n    steps:\n      - {id: meta, uses: m/m@v1}\n"
    of_job += "      - {id: push, uses: p/p@v1, with: {tags: '${{ steps.meta.outputs.tags }}'}}\n"
    workflow = read(f"on: push\njobs:\n  api:\n{of_job}  web:\n{of_job}")
    assert [part.tasks[1].inputs for part in workflow.subworkflows] == [("api/tags",), ("web/tags",)]
    assert [part.tasks[0].outputs for part in workflow.subworkflows] == [("api/tags",), ("web/tags",)]
    assert {finding.id for finding in lint(workflow)} == {"WF102"}
    alone = read(f"on: push\njobs:\n  api:\n{of_job}")
    assert alone.subworkflows[0].tasks[1].inputs == ("tags",)


def test_data_of_a_step_are_apart_from_what_the_job_hands_out_under_that_name():
    text = "on: push\njobs:\n  a:\n    outputs: {tags: '${{ steps.two.outputs.x }}'}\n    runs-on: x\n    steps:\n"
    text += "      - {id: one, run: a}\n      - {id: two, run: 'b ${{ steps.one.outputs.tags }}'}\n"
    part = read(text).subworkflows[0]
    assert [(task.inputs, task.outputs) for task in part.tasks] == [((), ("a/tags",)), (("a/tags",), ("tags",))]


# The file


def test_words_of_yaml_1_1_stay_text():
    workflow = read(f"on: [push]\nenv: {{A: yes, B: off, C: 010, D: 1.10}}\njobs:\n  on:\n    env: {{X: no}}\n{STEPS}")
    assert workflow.params["env"] == {"A": "yes", "B": "off", "C": "010", "D": 1.1}
    assert (workflow.tasks[0].id, workflow.tasks[0].params["env"]) == ("on", {"X": "no"})


def test_anchors_are_followed():
    text = "on: push\njobs:\n  a: &job\n    runs-on: x\n"
    text += "    steps: [&one {run: make, if: &c 'github.ref'}, *one]\n  b: *job\n"
    workflow = read(text)
    assert [len(part.tasks) for part in workflow.subworkflows] == [2, 2]
    assert all(task.span is not None for part in workflow.subworkflows for task in part.tasks)


def test_what_triggers_a_workflow_is_a_parameter():
    workflow = read(f"name: N\nrun-name: R\non: {{push: {{branches: [main]}}}}\njobs:\n  a:\n{STEPS}")
    assert (workflow.name, workflow.params) == ("N", {"run-name": "R", "on": {"push": {"branches": ["main"]}}})


def test_a_workflow_may_be_called_like_the_steps_of_a_job():
    workflow = read(f"name: job a\non: push\njobs:\n  a:\n{STEPS}")
    assert workflow.subworkflows[0].name == workflow.tasks[0].workflow == "steps of job a"


def test_data_without_a_text_are_read_too():
    data = {"on": "push", "jobs": {"a": {"steps": [{"run": "make"}]}}}
    assert read_data(data, "x").workflow.tasks[0].id == "a"


NOTED = [
    (job("need: b"), 4, 5, "a job has no key 'need'", "did you mean 'needs'?"),
    (steps("- run: a", "  wiht: {}"), 7, 9, "a step has no key 'wiht'", "did you mean 'with'?"),
    (job().replace("jobs", "job: 1\njobs"), 2, 1, "the workflow has no key 'job'", "did you mean 'jobs'?"),
    (ACTION.replace("description", "descripton"), 2, 1, "the action has no key 'descripton'", "did you mean"),
    (steps("- uses: actions/checkout"), 6, 9, "the action has no version: 'actions/checkout'", "add @"),
    (jobs("a b:", "  runs-on: x", "  steps: [{run: m}]"), 3, 3, "'a b' is not a valid id", "use only letters"),
    (steps("- run: '${{ steps.no.outputs.x }}'"), 6, 9, "this job has no step 'no'", "correct the id of the step"),
    (steps("- run: '${{ needs.no.outputs.x }}'"), 3, 3, "outputs of 'no' without `needs`", "add 'no' to `needs`"),
    (f"on: push\njobs:\n  a:\n{STEPS}  b:\n    needs: a\n    name: ${{{{ needs.a.outputs.y }}}}\n{STEPS}", 6, 3,
     "the job 'a' has no output 'y'", "add this output to"),
    (job("continue-on-error: ${{ matrix.x }}"), 4, 5, "is an expression", None),
    (f"on: push\njobs:\n  a:\n{STEPS}  b:\n    needs: a\n    if: always()\n{STEPS}  c:\n    needs: b\n{STEPS}", 11, 3,
     "also waits for a", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), NOTED)
def test_what_is_said(text, line, column, message, fix):
    found = [note for note in notes_of(text) if message in note[2]]
    assert [note[:2] for note in found] == [(line, column)], notes_of(text)
    assert fix is None or fix in found[0][3]


REFUSED = [
    ("on: push\njobs: {}\n", "the workflow has no jobs", 2, 1),
    ("on: push\njobs:\n", "`jobs` of the workflow must be a mapping, not empty", 2, 1),
    ("on: push\njobs: [a]\n", "`jobs` of the workflow must be a mapping, not a list", 2, 1),
    ("jobs:\n  a:\n" + STEPS, "the workflow has no `on`", 1, 1),
    ("true: push\njobs:\n  a:\n" + STEPS, "the key `on` became `true`", 1, 1),
    ("on:\njobs:\n  a:\n" + STEPS, "`on` is empty", 1, 1),
    ("on: push\njobs:\n  a: 1\n", "the job 'a' must be a mapping, not a number", 3, 3),
    ("on: push\njobs:\n  a: {runs-on: x}\n", "neither `steps` nor `uses`", 3, 3),
    ("on: push\njobs:\n  a: {steps: []}\n", "neither `steps` nor `uses`", 3, 7),
    ("on: push\njobs:\n  a: {uses: x, steps: [{run: a}]}\n", "both `uses` and `steps`", 3, 16),
    ("on: push\njobs:\n  a: {steps: [make]}\n", "`steps.0` of the job 'a' must be a mapping, not 'make'", 3, 15),
    (steps("- {run: a, uses: b@v1}"), "both `uses` and `run`", 6, 9),
    (steps("- name: a"), "neither `uses` nor `run`", 6, 9),
    (steps("- run: [a]"), "`steps.0.run` of the job 'a' must be a text", 6, 9),
    (steps("- {run: a, with: b}"), "`steps.0.with` of the job 'a' must be a mapping", 6, 18),
    (job("if: [a]"), "`if` of the job 'a' must be a text, not a list", 4, 5),
    (job("continue-on-error: maybe"), "`continue-on-error` of the job 'a' must be true, false or an expression", 4, 5),
    (job("timeout-minutes: soon"), "`timeout-minutes` of the job 'a' must be a number or an expression", 4, 5),
    (job("name: {a: b}"), "`name` of the job 'a' must be a text", 4, 5),
    (job("needs: [[a]]"), "`needs.0` of the job 'a' must be a text", 4, 13),
    (job("outputs: x"), "`outputs` of the job 'a' must be a mapping", 4, 5),
    (job("needs: a", "needs: b"), "the key 'needs' appears twice", 5, 5),
    (f"on: push\njobs:\n  a:\n{STEPS}  a:\n{STEPS}", "the key 'a' appears twice", 6, 3),
    ("name: x\nruns: {using: composite, steps: []}\n", "the action has no steps", 2, 1),
    ("on: push\njobs:\n  a:\n    steps:\n      - run: a\n     - run: b\n", "not valid YAML", 6, 6),
    (job("env: {X: {{ value }}}"), "this is a template, not YAML", 4, 14),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "line", "column"), REFUSED)
def test_refusals(text, message, line, column):
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        read_text(text, "x.yml", "github-actions")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.fix


def test_other_documents_are_not_recognised():
    for text in ("on: push\n", "jobs: {}\n", "a: 1\n", "runs: {steps: []}\n", "wfgate: '1'\non: push\njobs: {}\n"):
        with pytest.raises(FormatError) as caught:
            read_text(text, "x.yml")
        assert "github-actions" not in (caught.value.fix or "") or "no format recognises" in caught.value.message


# The way back, damage, size


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_native_keeps_everything(file):
    workflow = read_text(file.read_text("utf-8"), file.name).workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


@pytest.mark.slow
def test_more_data_than_can_be_judged_are_refused_before_they_are_there():
    outputs = ", ".join(f"o{number}: x" for number in range(500))
    text = f"on: push\njobs:\n  a:\n    outputs: {{{outputs}}}\n{STEPS}"
    asked = "${{ toJSON(needs.a.outputs) }}"
    wide = "".join(f"  b{number}:\n    needs: a\n    env: {{X: '{asked}'}}\n{STEPS}" for number in range(500))
    deep = "  b:\n    needs: a\n    steps:\n" + f"      - run: '{asked}'\n" * 500
    for more in (wide, deep):
        with pytest.raises(FormatError, match="links; the limit is"):
            read_text(text + more, "x.yml")


@pytest.mark.slow  # 170 MB
def test_links_to_handlers_are_refused_before_they_are_there():
    text = steps(*["- {run: a, if: b}"] * 1000, *["- {run: a, if: failure()}"] * 1000)
    with pytest.raises(FormatError, match="200,001 links; the limit is"):
        read_text(text, "x.yml")


def test_a_matrix_that_takes_long_to_count_is_not_counted():
    keys = ", ".join(f"k{number}: [1, 2]" for number in range(20))
    assert (
        read_text(job(f"strategy: {{matrix: {{{keys}, exclude: [{{k1: 1}}]}}}}"), "x").workflow.tasks[0].loop.max
        is None
    )
    counted = read_text(job(f"strategy: {{matrix: {{{keys}}}}}"), "x.yml").workflow.tasks[0].loop
    assert counted.max == 2**20


def test_there_are_files():
    assert len(FILES) > 5


def _values(data, path=()):
    yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from _values(value, (*path, key))


def _at(data, path):
    for key in path:
        data = data[key]
    return data


def _put(data, path, value):
    """A copy of the data with another value at the path; None takes it out."""
    if not path:
        return value
    copied = dict(data) if isinstance(data, dict) else list(data)
    if len(path) == 1 and value is None:
        del copied[path[0]]
    else:
        copied[path[0]] = _put(copied[path[0]], path[1:], value)
    return copied


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5),
    st.sampled_from([[], {}, [{}], {"": ""}, ["a"], "${{", "${{ }}", "${{ steps.a.outputs.b }}", "always() || (", "!",
                     "success() && !(failure() || a['b'])", "needs.*.result", "composite", "START", "END"]),
)  # fmt: skip


@settings(max_examples=examples(150))
@given(st.data())
def test_damaged_documents_are_read_or_refused(data):
    text = data.draw(st.sampled_from([ACTION, *(file.read_text("utf-8") for file in FILES)]))
    document = parse_yaml(text, "x")[0]
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(list(_values(document))))
        try:
            odd = data.draw(ODD | st.sampled_from(list(_values(document))).map(lambda at, of=document: _at(of, at)))
            document = _put(document, path, odd)
        except (KeyError, IndexError, TypeError):
            continue
        if not isinstance(document, dict):
            return
    try:
        workflow = read_data(document, "x", "github-actions").workflow
        assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
        assert not Behaviour.of(workflow).broken_joins
    except FormatError as error:
        assert error.fix  # noqa: PT017 - both ways are fine
    cut = data.draw(st.integers(0, len(text)))
    try:
        read_text(
            text[:cut] + data.draw(st.sampled_from(["", "}", "${{", "\n- a", "\n  a: *b"])), "x", "github-actions"
        )
    except FormatError as error:
        assert error.fix  # noqa: PT017 - same
