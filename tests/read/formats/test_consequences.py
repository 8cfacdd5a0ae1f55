"""Tables of consequences: two spellings of one value are no change, and another value in another spelling is one."""

import json

import pytest

from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import read_text
from wfgate.rules import review

GITHUB = """
on: {push: {branches: [main]}, workflow_dispatch: {inputs: {level: {description: How much}}}}
concurrency: deploys
jobs:
  build:
    runs-on: [ubuntu-latest]
    environment: production
    container: node:20
    concurrency: {group: build}
    services: {db: {image: postgres:16}}
    strategy: {matrix: {version: [20, 22]}}
    steps:
      - {name: Install, run: "npm ci\\nnpm run build\\n"}
      - {name: Test, run: "echo 'a\\nb'\\n"}
"""
GITLAB = """
include: {local: ci/common.yml}
variables: {LEVEL: {value: "1", description: How much}}
default: {image: "golang:1.22", interruptible: true}
build:
  script: [make]
  image: {name: golang:1.23}
  services: [docker:27]
  retry: 2
  environment: {name: production}
  only: {refs: [main, tags]}
  cache: {key: a, paths: [x/]}
unit:
  script: [make unit]
  parallel: {matrix: [{OS: [linux]}]}
  rules: [{if: $A, when: never}, {changes: [src/**], when: on_success}, {if: $B}]
slow:
  script: [make slow]
  when: manual
"""
ASL = """
{"StartAt": "Charge", "States": {"Charge": {"Type": "Task", "Resource": "arn:aws:lambda:eu:1:function:charge",
 "Retry": [{"ErrorEquals": ["E.One"], "BackoffRate": 2.0}], "End": true}}}
"""
SERVERLESS = """
document: {dsl: 1.0.0, namespace: shop, name: pay, version: 1.0.0}
do:
  - pay: {call: http, with: {method: post, endpoint: "https://pay.example"}}
"""
SAME = {
    "github-actions": (
        GITHUB,
        [
            ("runs-on: [ubuntu-latest]", "runs-on: ubuntu-latest"),
            ("runs-on: [ubuntu-latest]", "runs-on: {labels: ubuntu-latest}"),
            ("environment: production", "environment: {name: production}"),
            ("container: node:20", "container: {image: node:20}"),
            ("concurrency: deploys", "concurrency: {group: deploys, cancel-in-progress: false}"),
            ("concurrency: {group: build}", "concurrency: build"),
            ("branches: [main]", "branches: main"),
            ("db: {image: postgres:16}", "db: postgres:16"),
            ("strategy: {", "strategy: {fail-fast: true, "),
            ("{description: How much}", "{description: How much, required: false, type: string}"),
            ("npm ci\\nnpm run build\\n", "npm ci  \\nnpm run build\\n"),
        ],
        [
            ("runs-on: [ubuntu-latest]", "runs-on: windows-latest"),
            ("runs-on: [ubuntu-latest]", "runs-on: {group: ubuntu-latest}"),
            ("runs-on: [ubuntu-latest]", "runs-on: [ubuntu-latest, self-hosted]"),
            ("environment: production", "environment: {name: staging}"),
            ("environment: production", "environment: {url: production}"),
            ("container: node:20", "container: {image: node:20, options: --privileged}"),
            ("concurrency: deploys", "concurrency: {group: deploys, cancel-in-progress: true}"),
            ("branches: [main]", "branches: dev"),
            ("branches: [main]", "tags: main"),
            ("strategy: {", "strategy: {fail-fast: false, "),
            ("npm ci\\nnpm run build\\n", "npm ci \\\\ \\nnpm run build\\n"),
            ("echo 'a\\nb'", "echo 'a \\nb'"),
        ],
    ),
    "gitlab-ci": (
        GITLAB,
        [
            ("include: {local: ci/common.yml}", "include: ci/common.yml"),
            ("include: {local: ci/common.yml}", "include: [ci/common.yml]"),
            ("image: {name: golang:1.23}", "image: golang:1.23"),
            ("services: [docker:27]", "services: [{name: docker:27}]"),
            ("retry: 2", "retry: {max: 2}"),
            ("only: {refs: [main, tags]}", "only: [main, tags]"),
            ('LEVEL: {value: "1", description: How much}', 'LEVEL: "1"'),
            ("environment: {name: production}", "environment: production"),
            ("OS: [linux]", "OS: linux"),
            ("cache: {key: a, paths: [x/]}", "cache: [{key: a, paths: [x/]}]"),
            ("{changes: [src/**], when: on_success}", "{changes: {paths: [src/**]}}"),
            ("{if: $B}", "{if: $B, when: on_success}"),
            ("script: [make]", "script: make\n  when: on_success\n  allow_failure: false"),
            ("when: manual", "when: manual\n  allow_failure: true"),
            ("{if: $B}]", "{if: $B}, {when: never}]"),
        ],
        [
            ("include: {local: ci/common.yml}", "include: {remote: ci/common.yml}"),
            ("include: {local: ci/common.yml}", "include: https://ci.example/common.yml"),
            ("image: {name: golang:1.23}", "image: golang:1.24"),
            ("services: [docker:27]", "services: [{name: docker:27, alias: docker}]"),
            ("retry: 2", "retry: {max: 1}"),
            ("only: {refs: [main, tags]}", "only: [main]"),
            ("only: {refs: [main, tags]}", "except: [main, tags]"),
            ("environment: {name: production}", "environment: staging"),
            ("environment: {name: production}", "environment: {name: production, action: stop}"),
            ("{if: $B}", "{if: $B, when: manual}"),
            ("script: [make slow]", "script: [make slow]\n  allow_failure: false"),
            ("when: manual", "when: on_success"),
            ("{if: $B}]", "{if: $B}]\n  when: manual"),
        ],
    ),
    "asl": (
        ASL,
        [
            ('"StartAt"', '"Version": "1.0", "QueryLanguage": "JSONPath", "StartAt"'),
            ('["E.One"], "BackoffRate": 2.0', '["E.One"], "MaxAttempts": 3, "IntervalSeconds": 1'),
            ('"Resource"', '"InputPath": "$", "ResultPath": "$", "Resource"'),
        ],
        [
            ('["E.One"], "BackoffRate": 2.0', '["E.One"], "MaxAttempts": 5, "BackoffRate": 2.0'),
            ('["E.One"], "BackoffRate": 2.0', '["E.One"], "MaxAttempts": true, "BackoffRate": 2.0'),
            ('"Resource"', '"ResultPath": null, "Resource"'),
        ],
    ),
    "serverless": (
        SERVERLESS,
        [
            ('endpoint: "https://pay.example"', 'endpoint: {uri: "https://pay.example"}'),
            ("{call: http", "{then: continue, call: http"),
        ],
        [
            ('endpoint: "https://pay.example"', 'endpoint: {uri: "https://evil.example"}'),
            ("{call: http", "{then: exit, call: http"),
        ],
    ),
}


def serious(golden, candidate, format_id):
    """The messages of the findings that are errors or warnings, both ways round."""
    read = [read_text(text, "x", format_id).workflow for text in (golden, candidate)]
    both = [*review(compare(*read, StaticEmbedder())), *review(compare(*reversed(read), StaticEmbedder()))]
    return [found.message for found in both if found.severity in {"error", "warning"}]


@pytest.mark.parametrize("format_id", SAME)
def test_another_spelling_is_no_change(format_id):
    golden, same, _ = SAME[format_id]
    assert all(old in golden for old, _ in same)
    assert {pair: found for pair in same if (found := serious(golden, golden.replace(*pair), format_id))} == {}


@pytest.mark.parametrize("format_id", SAME)
def test_another_value_is_a_change_in_any_spelling(format_id):
    golden, _, other = SAME[format_id]
    assert [pair for pair in other if not serious(golden, golden.replace(*pair), format_id)] == []


def test_a_written_default_counts_where_something_else_overrides_it():
    jobs = "default: {interruptible: true}\nbuild: {script: [make]}\n"
    assert serious(jobs, jobs.replace("[make]", "[make], interruptible: false"), "gitlab-ci") != []
    alone = jobs.partition("\n")[2]
    assert serious(alone, alone.replace("[make]", "[make], interruptible: false"), "gitlab-ci") == []
    included = f"include: a.yml\n{alone}"
    assert serious(included, included.replace("[make]", "[make], interruptible: false"), "gitlab-ci") != []


def test_conditions_of_the_first_version_of_dify_are_one_case():
    condition = {"variable_selector": ["1", "total"], "comparison_operator": ">", "value": "10"}
    first = {"type": "if-else", "title": "Large?", "logical_operator": "and", "conditions": [condition]}
    later = {"type": "if-else", "title": "Large?"}
    cases = [{"case_id": "true", "id": "true", "conditions": [condition | {"varType": "number", "id": "c1"}]}]
    changed = [{**cases[0], "conditions": [condition | {"value": "99"}]}]

    def app(data):
        nodes = [
            {"id": "1", "data": {"type": "start", "title": "Start"}},
            {"id": "2", "data": data},
            {"id": "3", "data": {"type": "code", "title": "Ship it", "code": "main()"}},
        ]
        edges = [{"source": "1", "target": "2"}, {"source": "2", "sourceHandle": "true", "target": "3"}]
        graph = {"graph": {"nodes": nodes, "edges": edges}}
        return json.dumps({"kind": "app", "app": {"mode": "workflow", "name": "Ask"}, "workflow": graph})

    assert serious(app(first), app(later | {"cases": cases}), "dify") == []
    assert serious(app(first), app(later | {"cases": changed}), "dify") != []
