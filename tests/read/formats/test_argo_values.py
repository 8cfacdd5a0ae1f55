"""Every value of an Argo file belongs to an element, and its change is named."""

import copy
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
import yaml

from tests.read.formats.format_values import put
from wfgate.compare import compare
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, document_of, read_data, read_text
from wfgate.rules import review

SHARED = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "argo"
FILES = sorted(chain((Path(__file__).parent / "data" / "argo").glob("*.yaml"), SHARED.rglob("*.yaml")))
TABLE = consequences_of("argo")
CHECKS = {"WR107", "WR502"}


def leaves(value, path=()):
    if not isinstance(value, dict | list) or not value:
        yield path, value
    else:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))


def values(owned):
    """The scalars with the names of their keys."""
    found = (((*path, *inner), value) for path, raw in owned.items() for inner, value in leaves(raw))
    return Counter(
        (next((key for key in reversed(path) if isinstance(key, str)), ""), str(value))
        for path, value in found
        if value not in ({}, [])
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_value_of_a_file_is_lost_and_each_has_one_class(file):
    text = file.read_text(encoding="utf-8")
    try:
        workflow = read_text(text, file.name, "argo").workflow
    except FormatError:
        return  # test_argo_corpus.py lists these files
    document = document_of(text, "x")
    data = [part.data for part in document.parts] or [document.data]
    for path in {tuple(key for key in path if isinstance(key, str)) for part in data for path, _ in leaves(part)}:
        assert len({TABLE.classes[pattern] for pattern in TABLE.matching(path)}) == 1, path
    elements = [element for part in (workflow, *workflow.subworkflows) for element in part.elements]
    owned = {element.path: element.raw for element in elements if element.path is not None}
    assert values(owned) == values({(): data})


WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: ship-, namespace: staging}
spec:
  entrypoint: main
  serviceAccountName: builder
  onExit: report
  volumes: [{name: work, emptyDir: {}}]
  templateDefaults: {timeout: 10m}
  arguments: {parameters: [{name: tag, value: "1", description: the version}]}
  templates:
    - name: main
      steps:
        - - {name: build, template: make, arguments: {parameters: [{name: what, value: all}]}}
        - - name: check
            template: all
            arguments: {parameters: [{name: image, value: "{{steps.build.outputs.result}}"}]}
        - - {name: deploy, template: release, when: "{{steps.check.outputs.result}} == ok"}
    - name: make
      inputs: {parameters: [{name: what}]}
      script:
        image: make:4
        command: [sh, -c]
        env: [{name: TOKEN, value: hunter2}]
        source: |
          make all
          make check
    - name: all
      dag:
        failFast: true
        tasks:
          - {name: lint, template: scan}
          - {name: unit, template: scan, depends: lint.Succeeded, continueOn: {failed: true}}
          - {name: slow, template: scan, depends: unit.Failed, withItems: [1, 2]}
    - name: scan
      container: {image: "scan:1", command: [scan], args: [--from, a, --to, b]}
    - name: release
      retryStrategy: {limit: 2}
      resource: {action: apply, manifest: "kind: Deployment"}
    - name: report
      container: {image: "mail:1"}
"""
CRON = yaml.safe_load(WORKFLOW) | {"kind": "CronWorkflow"}
CRON["spec"] = {"schedule": "0 3 * * *", "suspend": True, "workflowSpec": CRON["spec"]}
STEP, TASK = "spec.templates.0.steps", "spec.templates.2.dag.tasks"


def changed(path, value, data=None):
    """A copy with another value at a path; None removes the value."""
    data = copy.deepcopy(yaml.safe_load(WORKFLOW) if data is None else data)
    put(data, [int(key) if key.isdigit() else key for key in path.split(".")], value)
    return data


def findings_of(golden, candidate):
    read = [read_data(data, "x", "argo").workflow for data in (golden, candidate)]
    return review(compare(*read, StaticEmbedder()))


def found(golden, candidate):
    return [finding for finding in findings_of(golden, candidate) if finding.id in CHECKS]


def whole():
    return yaml.safe_load(WORKFLOW)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("spec.templates.3.container.securityContext.privileged", True, "container.securityContext"),
        ("spec.securityContext", {"runAsUser": 0}, "spec.securityContext"),
        ("spec.templates.4.securityContext.runAsUser", 0, "securityContext"),
        ("spec.serviceAccountName", "admin", "spec.serviceAccountName: `admin` instead of `builder`"),
        ("spec.templates.4.serviceAccountName", "admin", "'deploy' now has serviceAccountName: `admin`"),
        ("spec.podSpecPatch", "hostPID: true", "spec.podSpecPatch"),
        ("spec.templates.4.podSpecPatch", "hostPID: true", "'deploy' now has podSpecPatch"),
        ("spec.volumes.0", {"name": "work", "hostPath": {"path": "/"}}, "spec.volumes[0]"),
        ("spec.templates.1.volumes", [{"name": "x", "emptyDir": {}}], "'build' now has volumes"),
        ("spec.activeDeadlineSeconds", 60, "spec.activeDeadlineSeconds"),
        ("spec.templates.4.activeDeadlineSeconds", 60, "'deploy' now has activeDeadlineSeconds"),
        ("spec.templates.0.activeDeadlineSeconds", 60, "the workflow 'ship' now has activeDeadlineSeconds"),
        ("spec.templates.4.timeout", "1m", "'deploy' now has timeout"),
        ("spec.templateDefaults.timeout", "1m", "spec.templateDefaults.timeout"),
        ("spec.templates.4.retryStrategy.limit", 9, "'deploy' has another retryStrategy.limit: `9` instead of `2`"),
        (f"{STEP}.2.0.continueOn", {"failed": True}, "'deploy' now has continueOn"),
        (f"{TASK}.1.continueOn.error", True, "'unit' now has continueOn.error"),
        ("spec.templates.2.dag.failFast", False, "dag.failFast: `false` instead of `true`"),
        ("spec.templates.2.synchronization", {"mutexes": [{"name": "x"}]}, "synchronization"),
        ("spec.synchronization", {"mutexes": [{"name": "x"}]}, "spec.synchronization"),
        (
            "spec.templates.1.script.image",
            "make:5",
            "'build' has another script.image: `make:5` instead of `make:4`",
        ),
        ("spec.templates.1.script.command", ["-c", "sh"], "'build' has script.command in another order"),
        ("spec.templates.1.script.source", "make all make check\n", "make all make check"),
        ("spec.templates.1.script.source", "make all\r\nmake check\n", "\\r"),
        ("spec.templates.1.script.source", "make\u00a0all\nmake check\n", "script.source"),
        ("spec.templates.1.script.source", "make all\u0085make check\n", "script.source"),
        ("spec.templates.1.script.env.0.value", "other", "script.env[0].value (the value is not shown)"),
        ("spec.templates.1.inputs.parameters.0.default", "x", "'build' now has inputs.parameters[0].default"),
        ("spec.templates.4.resource.manifest", "kind: Secret", "'deploy' has another resource.manifest"),
        ("spec.templates.5.container.image", "mail:2", "has another container.image: `mail:2`"),
        ("spec.arguments.parameters.0.value", "2", "spec.arguments.parameters[0].value"),
        (f"{STEP}.0.0.arguments.parameters.0.value", "none", "'build' has another arguments.parameters[0].value"),
        (f"{STEP}.1.0.arguments.parameters.0.value", "{{steps.make.outputs.result}}", "instead of"),
        (f"{TASK}.2.withItems", [1, 3], "'slow' has another withItems[1]: `3` instead of `2`"),
        (f"{TASK}.2.depends", "unit.Errored", "'slow' has another depends: `unit.Errored` instead of `unit.Failed`"),
        ("metadata.namespace", "prod", "metadata.namespace: `prod` instead of `staging`"),
        ("spec.shutdown", "Terminate", "spec.shutdown"),
    ],
)
def test_what_has_an_effect_is_an_error(path, value, message):
    findings = found(whole(), changed(path, value))
    assert findings
    assert {finding.severity for finding in findings} == {"error"}
    assert all(message in finding.message for finding in findings)
    assert "hunter2" not in "".join(finding.model_dump_json() for finding in findings)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.schedule", "* * * * *"),
        ("spec.suspend", False),
        ("spec.concurrencyPolicy", "Replace"),
        ("spec.workflowSpec.serviceAccountName", "admin"),
        ("spec.workflowSpec.templates.3.container.image", "scan:2"),
        ("spec.workflowSpec.templates.2.dag.tasks.1.continueOn.failed", False),
    ],
)
def test_schedules(path, value):
    assert {finding.severity for finding in found(CRON, changed(path, value, CRON))} == {"error"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.onExit", "scan"),
        ("spec.onExit", "elsewhere"),
        ("spec.onExit", None),
        ("spec.hooks", {"running": {"template": "report", "expression": "true"}}),
        (f"{STEP}.0.0.hooks", {"exit": {"template": "report"}}),
        (f"{STEP}.2.0.when", "{{steps.check.outputs.result}} != ok"),
        (f"{TASK}.2.depends", "unit"),
        (f"{TASK}.2.depends", None),
        ("spec.entrypoint", "all"),
        (f"{STEP}.1", None),
    ],
)
def test_the_structure_is_compared_by_other_checks(path, value):
    assert {"error", "warning"} & {finding.severity for finding in findings_of(whole(), changed(path, value))}


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate"])
def test_templates_and_files_with_several_documents(kind):
    library = whole() | {"kind": kind, "metadata": {"name": "library"}}
    assert found(library, changed("spec.templates.3.container.image", "scan:2", library))
    caller = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "run-"}}
    caller["spec"] = {"workflowTemplateRef": {"name": "library", "clusterScope": kind.startswith("Cluster")}}

    def both(inner):
        return read_text(yaml.safe_dump_all([caller, inner]), "x", "argo").workflow

    assert len(both(library).tasks) == 4
    changes = {
        "spec.templates.3.container.image": "WR107",
        f"{STEP}.2.0.continueOn": "WR107",
        "spec.serviceAccountName": "WR502",
    }
    for path, check in changes.items():
        comparison = compare(both(library), both(changed(path, "x", library)), StaticEmbedder())
        assert check in {finding.id for finding in review(comparison) if finding.severity == "error"}


@pytest.mark.parametrize(
    ("path", "value", "severities"),
    [
        ("spec.arguments.parameters.0.description", "the tag", {"info"}),
        ("metadata.generateName", "send-", {"info"}),
        ("status", {"phase": "Running"}, {"info"}),
        ("spec.templates.4.retryStrategy.limit", "2", set()),
        ("spec.templates.1.script.source", "make all\nmake check", set()),
        (f"{STEP}.0.0.arguments.parameters.0.value", "all", set()),
    ],
)
def test_near_misses(path, value, severities):
    assert {finding.severity for finding in found(whole(), changed(path, value))} == severities


@pytest.mark.parametrize(
    "renames",
    [
        {"name: build": "name: compile", "steps.build": "steps.compile"},
        {"name: unit": "name: units", "unit.Failed": "units.Failed"},
        {"template: make": "template: compile", "name: make": "name: compile"},
        {"entrypoint: main": "entrypoint: begin", "name: main": "name: begin"},
        {"template: all": "template: checks", "name: all\n": "name: checks\n"},
    ],
)
def test_names_may_change_with_their_references(renames):
    text = WORKFLOW
    for was, now in renames.items():
        assert was in text
        text = text.replace(was, now)
    assert {finding.severity for finding in found(whole(), yaml.safe_load(text))} <= {"info"}


def test_the_order_of_keys_templates_and_tasks_has_no_meaning():
    data = {key: whole()[key] for key in reversed(whole())}
    data["spec"]["templates"].reverse()
    data["spec"]["templates"][3]["dag"]["tasks"].reverse()
    assert found(whole(), data) == []


def test_a_call_of_another_template_is_compared_by_what_that_template_does():
    messages = [finding.message for finding in found(whole(), changed(f"{STEP}.0.0.template", "scan"))]
    assert any("'build' no longer has script" in message for message in messages)
    inline = changed(f"{STEP}.2.0.template", None)
    template = inline["spec"]["templates"].pop(4)
    inline["spec"]["templates"][0]["steps"][2][0]["inline"] = {key: template[key] for key in template if key != "name"}
    assert found(whole(), inline) == []


def test_a_reference_to_another_file_is_an_effect():
    step = {"name": "deploy", "templateRef": {"name": "library", "template": "deploy"}}
    golden = changed(f"{STEP}.2.0", step)
    (finding,) = found(golden, changed(f"{STEP}.2.0.templateRef.template", "destroy", golden))
    assert "templateRef.template: `destroy` instead of `deploy`" in finding.message
    assert finding.severity == "error"


def test_a_template_that_calls_itself_twice_is_compared_in_time():
    data = whole()
    data["spec"]["templates"][2]["dag"]["tasks"] += [
        {"name": f"again-{number}", "template": "all", "when": "{{inputs.parameters.deep}}"} for number in range(2)
    ]
    assert found(data, changed("spec.templates.3.container.image", "scan:2", data))
