"""Every value of a file is compared: steps, composites, the workflow; references by step, texts by meaning."""

import copy

import pytest

from tests.read.formats.format_values import put
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.model import Link, Task, Workflow
from wfgate.read import read_data, read_text
from wfgate.rules import review

CHECKS = {"WR107", "WR502", "WR504"}


def step(params=None, **more):
    return Task(id="a", name="Deploy", params=params or {}, **more)


def levels(compare_by_name, was, now):
    ends = Link(source="START", target="a"), Link(source="a", target="END")
    both = [Workflow(tasks=(task,), links=ends) for task in (was, now)]
    return [finding.severity for finding in review(compare_by_name(*both)) if finding.id in CHECKS]


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ({"replicas": 3}, {"replicas": 1}, ["error"]),
        ({"dry": True}, {"dry": False}, ["error"]),
        ({"env": "staging"}, {"env": "prod"}, ["error"]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["error"]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [2, 1]}}, ["warning"]),
        ({"note": "keep it for 7 days"}, {"note": "keep it for 9 days"}, ["error"]),
        ({"wait": "30m"}, {"wait": "3h"}, ["error"]),
        ({"run": "make  test"}, {"run": "make test"}, ["error"]),
        ({"replicas": 3}, {"replicas": 3.0}, []),
        ({"replicas": 3}, {"replicas": "3"}, ["warning"]),
        ({"dry": True}, {"dry": "True"}, ["warning"]),
        ({"zone": "Prod"}, {"zone": "prod"}, ["warning"]),
        ({"wait": "30m"}, {"wait": "1800s"}, ["info"]),
        ({"wait": "half an hour"}, {"wait": "30 minutes"}, ["info"]),
        ({"wait": "30 min"}, {"wait": "for half an hour"}, ["info"]),
        ({"gain": "-80 %"}, {"gain": "80 %"}, ["warning"]),
        ({"gain": "1"}, {"gain": "1 %"}, ["warning"]),
        ({"gain": "-80"}, {"gain": "80"}, ["error"]),
        ({"limit": ">= 5 min"}, {"limit": "> 5 min"}, ["warning"]),
        ({"limit": "at least 5 min"}, {"limit": "5 min"}, ["warning"]),
        ({"limit": "5 min, 3 times"}, {"limit": "5 min"}, ["warning"]),
        ({"note": "keep it for 5 min"}, {"note": "hide it for 5 minutes"}, ["warning"]),
        ({"state": "paid"}, {"state": "paid "}, ["warning"]),
        ({"note": "tell all\npeople"}, {"note": "tell all people"}, ["info"]),
        ({"replicas": 3}, {"copies": 1}, ["warning", "warning"]),
        ({"replicas": 3}, {}, ["warning"]),
        ({"files": ["a"]}, {"files": ["a", "b"]}, ["warning"]),
        ({"image": "${{ inputs.one }}"}, {"image": "${{ inputs.two }}"}, ["error"]),
        ({"note": "one text"}, {"note": "quite another text"}, ["warning"]),
        ({"note": "tell all the people of it"}, {"note": "all the people are told of it"}, ["warning"]),
    ],
)
def test_arguments(compare_by_name, was, now, expected):
    assert levels(compare_by_name, step(was), step(now)) == expected


def test_deep_arguments_are_compared(compare_by_name):
    was, now = 1, 2
    for _ in range(40):
        was, now = {"a": was}, {"a": now}
    assert levels(compare_by_name, step({"a": was}), step({"a": now})) == ["error"]


def test_actions_and_time_limits(compare_by_name):
    assert levels(compare_by_name, step(action="helm  upgrade"), step(action="helm upgrade")) == ["warning"]
    assert levels(compare_by_name, step(action="helm"), step(action="Helm")) == ["warning"]
    assert levels(compare_by_name, step(action="helm"), step(action="kubectl")) == ["error"]
    assert levels(compare_by_name, step(timeout="10m"), step(timeout="30m")) == ["error"]
    assert levels(compare_by_name, step(action="helm"), step(action=None)) == ["warning"]
    assert levels(compare_by_name, step(timeout="10m"), step()) == ["warning"]
    assert levels(compare_by_name, step(timeout="10m"), step(timeout="600s")) == ["info"]
    assert levels(compare_by_name, step(critical=True), step()) == ["info"]


def github(**changes):
    """A workflow file; a change is given by its path, with double underscores between keys."""
    data = {
        "on": {"push": {"branches": ["main"]}},
        "permissions": {"contents": "read"},
        "jobs": {
            "build": {
                "runs-on": "ubuntu-latest",
                "steps": [
                    {"uses": "actions/checkout@v4"},
                    {"id": "make", "name": "Build", "run": "make all\nmake check\n", "env": {"A": 1}},
                    {"name": "Publish", "run": "publish ${{ steps.make.outputs.file }}", "with": {"args": ["a", "b"]}},
                ],
            },
            "deploy": {
                "needs": ["build"],
                "environment": "staging",
                "runs-on": "ubuntu-latest",
                "secrets": {"token": "hunter2"},
                "steps": [{"name": "Deploy", "run": "deploy"}],
            },
        },
    }
    data = copy.deepcopy(data)
    for path, value in changes.items():
        put(data, [int(key) if key.isdigit() else key.replace("_", "-") for key in path.split("__")], value)
    return data


def differences(golden, candidate):
    read = [read_data(data, "x", "github-actions").workflow for data in (golden, candidate)]
    comparison = compare(*read, StaticEmbedder())
    return [finding for finding in review(comparison) if finding.id in CHECKS]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("on", "pull_request_target", 'the workflow has another on: `pull_request_target` instead of `{"push": '),
        ("permissions", "write-all", "the workflow has another permissions: `write-all` instead of"),
        ("defaults__run__shell", "true {0}", 'the workflow now has defaults: `{"run": {"shell": "true {0}"}}`'),
        ("env__BASH_ENV", "lib.sh", "the workflow now has env: "),
        ("jobs__build__steps__1__continue-on-error", True, "'Build' now has continue-on-error: `true`"),
        ("jobs__deploy__continue-on-error", True, "'deploy' now has continue-on-error: `true`"),
        (
            "jobs__build__steps__1__run",
            "make all make check",
            "'Build' has another run: `make all make check` instead of `make all↵ make check↵ `",
        ),
        ("jobs__build__steps__0__uses", "actions/checkout@main", "'Run actions/checkout@v4' has another uses: "),
        ("jobs__build__steps__2__with__args", ["b", "a"], "'Publish' has with.args in another order"),
        (
            "jobs__deploy__environment",
            "production",
            "'deploy' has another environment: `production` instead of `staging`",
        ),
        ("jobs__deploy__secrets__token", "other", "'deploy' has another secrets.token (the value is not shown)"),
    ],
)
def test_what_has_an_effect_is_an_error(path, value, message):
    (finding,) = differences(github(), github(**{path: value}))
    assert finding.message.startswith(message)
    assert finding.severity == "error"
    assert "hunter2" not in finding.model_dump_json()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("run-name", "a title", ["info"]),
        ("jobs__deploy__speed", "fast", ["warning"]),
        ("jobs__build__steps__1__env__A", "1", []),
        ("jobs__build__steps__1__run", "make all\nmake check", []),
    ],
)
def test_what_has_none_and_what_is_unknown(path, value, expected):
    assert [finding.severity for finding in differences(github(), github(**{path: value}))] == expected


def test_a_renamed_step_with_its_references_is_no_change_and_another_reference_is_one():
    references = {
        "jobs__build__steps__1__id": "all",
        "jobs__build__steps__2__run": "publish ${{ steps.all.outputs.file }}",
    }
    assert differences(github(), github(**references)) == []
    other = {"jobs__build__steps__2__run": "publish ${{ steps.all.outputs.file }}"}
    assert [finding.severity for finding in differences(github(), github(**other))] == ["error"]


@pytest.mark.parametrize("key", ["zone", "code"])
@pytest.mark.parametrize(("value", "alike"), [("010", False), ("yes", False), ("10.1.2", True), ("v1", True)])
def test_an_unquoted_text_that_parsers_read_as_another_value_is_a_change(compare_by_name, key, value, alike):
    shape = "wfgate: '1'\nsteps: [{{name: Deploy, params: {{{}: {}}}}}]"
    texts = [shape.format(key, written) for written in (f'"{value}"', value)]
    findings = review(compare_by_name(*(read_text(text, "x.yaml").workflow for text in texts)))
    assert [finding.id for finding in findings if finding.id in CHECKS] == ([] if alike else ["WR107"])


def test_a_number_that_programs_round_is_another_value_than_its_text():
    for number, expected in ((2**53, []), (12345678901234567890, ["error"])):
        pair = github(env={"LIMIT": str(number)}), github(env={"LIMIT": number})
        assert [finding.severity for finding in differences(*pair)] == expected


@pytest.mark.parametrize(
    ("was", "now", "alike"),
    [
        (["push"], {"push": {}}, True),
        ("push", {"push": None}, True),
        (["push", "pull_request"], {"pull_request": None, "push": {}}, True),
        (["push"], {"push": {"branches": ["main"]}}, False),
        (["push"], ["push", "pull_request"], False),
        ({"push": {}, "pull_request": {"types": ["opened"]}}, {"push": None, "pull_request": None}, False),
    ],
)
def test_names_without_options_are_the_same_in_every_form(was, now, alike):
    assert (differences(github(on=was), github(on=now)) == []) is alike


@pytest.mark.parametrize("own", ["all", "build"])  # "build" is also the id of the job
def test_a_reference_to_an_id_that_no_step_has_any_more_is_a_change(own):
    (finding,) = differences(github(), github(jobs__build__steps__1__id=own))
    assert finding.severity == "error"
    assert "steps.make" in finding.message


def test_a_script_that_uses_the_new_id_of_a_step_is_a_change():
    golden = github(jobs__build__steps__1__run="make make")
    candidate = github(
        jobs__build__steps__1__run="make all",
        jobs__build__steps__1__id="all",
        jobs__build__steps__2__run="publish ${{ steps.all.outputs.file }}",
    )
    assert [finding.severity for finding in differences(golden, candidate)] == ["error"]


def test_a_step_in_another_job_runs_under_the_settings_of_that_job():
    golden, candidate = github(), github()
    candidate["jobs"]["deploy"]["steps"].insert(0, candidate["jobs"]["build"]["steps"].pop())
    messages = [finding.message for finding in differences(golden, candidate) if finding.severity == "error"]
    assert any("environment" in message for message in messages)


def test_a_renamed_heading_is_one_change():
    text = "# Deploy\n\n## {}\n\n1. Build the image\n2. Test the image\n\n## Ship it\n\n1. Copy it\n2. Switch over\n"
    golden, candidate = (read_text(text.format(f"Prepare {where}"), "x.md").workflow for where in ("staging", "prod"))
    found = [one for one in review(compare(golden, candidate, StaticEmbedder())) if one.id == "WR502"]
    assert [one.message for one in found] == [
        "'Prepare staging' has another name: `Prepare prod` instead of `Prepare staging`"
    ]
