"""Which reader gets a text, and what is said when none or several could."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import wfgate.read.formats
from wfgate.errors import ConfigError, FormatError
from wfgate.model import Workflow
from wfgate.read import (
    FORMATS,
    MAX_BYTES,
    Document,
    Format,
    document_of,
    other_parts,
    read_data,
    read_file,
    read_text,
    write,
)
from wfgate.read.formats.nearest import nearest
from wfgate.read.formats.reading import read_document

NATIVE = 'wfgate: "1"\nsteps: [Build, Test]\n'
WORF = "Node:\n1: Build\n2: Test\nEdge: (START,1) (1,2) (2,END)\n"
GRAPH = '{"nodes": ["Build", "Test"],\n "edges": [["Build", "Test"]]}\n'


def fenced(language, text, indent=""):
    body = "".join(f"{indent}{line}\n" for line in text.splitlines())
    return f"{indent}```{language}\n{body}{indent}```\n"


@pytest.mark.parametrize(
    ("text", "format_id", "line"),
    [
        (NATIVE, "native", 2),
        ('{"wfgate": "1",\n "steps": ["Build", "Test"]}', "native", 2),
        (WORF, "worfbench", 2),
        (GRAPH, "graph-json", 1),
        ("nodes: [Build, Test]\nedges: [[Build, Test]]\n", "graph-json", 1),
        ("\ufeff" + NATIVE, "native", 2),
        ("Here you are:\n\n" + fenced("yaml", NATIVE) + "\nEnjoy.\n", "native", 5),
        ("Here:\n" + fenced("json", GRAPH), "graph-json", 3),
        ("Here:\n" + fenced("", GRAPH, "   "), "graph-json", 3),
        ("Here:\n~~~~\n" + NATIVE + "~~~~\n", "native", 4),
        ("Cut off:\n```yaml\n" + NATIVE, "native", 4),
        (fenced("sh", "make test") + fenced("yaml", NATIVE), "native", 6),
        (fenced("", WORF), "worfbench", 3),
        ("Node:\nis no list here\n" + fenced("", WORF), "worfbench", 5),
    ],
)
def test_recognised_by_content(text, format_id, line):
    reading = read_text(text, "x.md")
    assert reading.format == format_id
    assert [task.name for task in reading.workflow.tasks] == ["Build", "Test"]
    assert reading.workflow.tasks[0].span.line == line


def test_columns_inside_an_indented_block_are_those_of_the_file():
    reading = read_text("Here:\n" + fenced("json", GRAPH, "    "), "x")
    assert reading.workflow.tasks[0].span.column == 16


@pytest.mark.parametrize(
    ("text", "line", "message", "fix"),
    [
        ("services:\n  web: {}\nversion: 3\n", 1, "no format recognises", "as a list under `steps`; "),
        ('{"wfgate": "1",}', 1, "double quotes", "remove a comma"),
        ("[1, 2", 1, "the text ends before", "close every bracket"),
        ("", 1, "empty", "write a workflow"),
        ("Two:\n" + fenced("yaml", NATIVE) + fenced("json", GRAPH), 6, "several blocks", "keep only one"),
        ("Broken:\n" + fenced("yaml", 'wfgate: "1\n'), 3, "not valid YAML", "quotes"),
        ("Broken:\n" + fenced("json", '{"nodes": [}'), 3, "a value is expected", "comma"),
    ],
)
def test_not_recognised(text, line, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, "x.txt")
    assert message in caught.value.message
    assert caught.value.line == line
    assert fix in (caught.value.fix or "")


NEARLY = {
    "prose": "Just some prose.",
    "a letter with a number": "Dear all,\n\n1. please read this.\n\nBest,\nA.\n",
    "steps without names": "steps:\n- script: npm ci\n- script: npm test\n",
    "steps as a mapping": "name: x\nsteps: {build: {run: make}}\n",
    "a list of numbers": "[1, 2, 3]",
    "steps in steps": "- name: Play\n  tasks:\n  - name: Install\n",
    "no events": "jobs:\n  build:\n    steps: [{run: make}]\n",
    "no states": "StartAt: Build\n",
    "no connections": "nodes:\n- {name: Build, type: x}\nconnections: []\n",
    "another resource": "apiVersion: apps/v1\nkind: Deployment\nspec: {templates: []}\n",
    "arrows without a header": "Build --> Test\nTest --> Deploy\n",
    "edges without a list": "Edge: (START,1)\nsome text\nNode\n",
    "unknown keys": "services:\n  web: {}\nversion: 3\n",
}


@pytest.mark.parametrize("name", NEARLY)
def test_the_nearest_format_and_what_is_missing_are_named(name, snapshot):
    with pytest.raises(FormatError) as caught:
        read_text(NEARLY[name], "x")
    assert str(caught.value) == snapshot


@pytest.mark.parametrize("format_id", [name for name, form in FORMATS.items() if form.keys])
def test_a_small_workflow_without_one_of_its_keys_is_nearest_to_its_format(format_id):
    """The keys of a format are those that its files have."""
    document = document_of(SMALL[format_id], "x")
    keys = next(keys for keys in FORMATS[format_id].keys if all(holds(document.data, key) for key in keys))
    *outer, last = keys[0].split(".")
    inner = document.data
    for part in outer:
        inner = inner[part]
    del inner[last]
    assert not any(form.recognises(document) for form in FORMATS.values())
    assert nearest(document, FORMATS.values()).id == format_id


def holds(data, key):
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def test_the_syntax_error_of_a_data_file_is_shown():
    with pytest.raises(FormatError, match="not valid YAML"):
        read_text("a: 'b", "x.yaml")
    with pytest.raises(FormatError, match="no format recognises"):
        read_text("a: 'b", "x.txt")


SMALL = {
    "native": NATIVE,
    "worfbench": WORF,
    "graph-json": GRAPH,
    "markdown": "1. Build\n2. Test\n",
    "github-actions": (
        "on: push\njobs:\n  Build:\n    steps: [{run: make}]\n  Test:\n    needs: Build\n    steps: [{run: x}]\n"
    ),
    "mermaid": "flowchart TD\n  a[Build] --> b[Test]\n",
    "asl": (
        '{"StartAt": "Build", "States": {"Build": {"Type": "Pass", "Next": "Test"},\n'
        '"Test": {"Type": "Pass", "End": true}}}'
    ),
    "n8n": (
        '{"nodes": [{"name": "Build", "type": "n8n-nodes-base.set", "parameters": {}},\n'
        '{"name": "Test", "type": "n8n-nodes-base.set", "parameters": {}}],\n'
        '"connections": {"Build": {"main": [[{"node": "Test", "type": "main", "index": 0}]]}}}'
    ),
    "bpmn": (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p">\n'
        '<task id="a" name="Build"/>\n<task id="b" name="Test"/>\n'
        '<sequenceFlow id="f" sourceRef="a" targetRef="b"/></process></definitions>'
    ),
    "argo": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w}\nspec:\n  entrypoint: w\n  templates:\n"
        "  - name: w\n    dag:\n      tasks:\n      - {name: Build, template: x}\n"
        "      - {name: Test, template: x, dependencies: [Build]}\n  - {name: x, container: {image: x}}\n"
    ),
    "dify": (
        "kind: app\napp: {mode: workflow, name: w}\nworkflow:\n  graph:\n    nodes:\n"
        "    - {id: '1', data: {type: code, title: Build}}\n    - {id: '2', data: {type: code, title: Test}}\n"
        "    edges:\n    - {source: '1', target: '2', sourceHandle: source}\n"
    ),
    "serverless": (
        "document: {dsl: 1.0.0, namespace: a, name: w, version: 1.0.0}\n"
        "do:\n- Build: {set: {a: 1}}\n- Test: {set: {a: 2}}\n"
    ),
    "xxp": "workflow W {\n  define task Build;\n  define task Test;\n  START -> Build -> Test -> END;\n}\n",
    "gitlab-ci": "Build: {stage: build, script: [make]}\nTest: {stage: test, script: [make test]}\n",
    "dot": "digraph w {\n  Build -> Test;\n}\n",
    "recorded-run": (
        '[{"role": "assistant", "content": [\n{"type": "tool_use", "id": "1", "name": "Build", "input": {}}]},\n'
        '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": ""}]},\n'
        '{"role": "assistant", "content": [{"type": "tool_use", "id": "2", "name": "Test", "input": {}}]},\n'
        '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "2", "content": ""}]}]'
    ),
}


@pytest.mark.parametrize("format_id", sorted(set(FORMATS) - {"instructions"}))  # which the name of the file decides
def test_a_small_workflow_of_every_format(format_id):
    text = SMALL[format_id]
    alone = read_text(text, "x")
    assert alone.format == format_id
    assert [form.id for form in FORMATS.values() if form.recognises(document_of(text, "x"))] == [format_id]
    assert read_text(text, "x", format_id) == alone
    assert [task.name for task in alone.workflow.tasks] == ["Build", "Test"]
    language = {"markdown": "text", "mermaid": "mermaid", "bpmn": "xml", "dot": "dot"}.get(format_id, "")
    answer = (
        f"Here is what you asked for.\n\nIt has:\n\n- a build\n- a test\n\n{fenced(language, text)}\nAnything else?\n"
    )
    inside = read_text(answer, "x")
    assert inside.format == format_id
    assert [task.span.line for task in inside.workflow.tasks] == [task.span.line + 8 for task in alone.workflow.tasks]
    if format_id == "markdown":
        return  # a list in a block beside a workflow may explain it
    twice = answer + fenced("", WORF.replace("Build", "Make") if format_id == "worfbench" else WORF)
    with pytest.raises(
        FormatError,
        match=rf"several blocks contain a workflow: line 8 \({FORMATS[format_id].called}\), line \d+ \(worf",
    ):
        read_text(twice, "x")


def test_every_format_has_a_small_workflow():
    assert set(FORMATS) - {"instructions"} <= set(SMALL)


@pytest.mark.parametrize(
    ("language", "text", "line", "message"),
    [
        ("yaml", 'wfgate: "1"\nsteps: [Build, 5]\n', 5, "must be"),
        ("yaml", 'wfgate: "1"\nsteps: [Build, Test\n', 5, "not valid YAML"),
        ("json", '{"wfgate": "1",\n"steps": ["Build" "Test"]}', 5, "expected ','"),
        ("", "workflow W {\n  START -> ;\n}", 5, "the link has no name"),
        ("xml", SMALL["bpmn"].replace("</process>", ""), 7, "mismatched tag"),
    ],
)
def test_errors_inside_a_block_say_the_line_of_the_file(language, text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_text(f"Here:\n\n{fenced(language, text)}", "x.md")
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text",
    [
        "[![badge](https://x.org/a.svg)](https://x.org)\n\nA library for things.\n",
        "See [the docs](a.md).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "The flowchart is drawn by hand; a graph of it is in the appendix. The workflow W { is not closed.\n",
        "kind: of an app\non: and off\n",
        "Dear all,\n\n1. please read this.\n\nBest,\nA.\n",
    ],
)
def test_prose_is_no_workflow(text):
    with pytest.raises(FormatError, match=r"no format recognises the content; "):
        read_text(text, "x.md")


class Anything(Format):
    """Recognises everything."""

    id = "anything"
    signature = "whatever"

    def recognises(self, _document):
        return True

    def read(self, _document):
        raise AssertionError


def test_two_formats_that_recognise_the_same_are_never_guessed_between():
    formats = {**FORMATS, "anything": Anything()}
    with pytest.raises(FormatError, match="several formats recognise") as caught:
        read_document(Document("x", data={"wfgate": "1"}), formats)
    assert caught.value.fix == "choose the format with --from native or --from anything"
    with pytest.raises(FormatError, match="cannot write the format anything"):
        Anything().write(Workflow())


def test_asked_for():
    assert read_text(WORF, "x", "worfbench").format == "worfbench"
    assert read_text("Text\n" + fenced("yaml", NATIVE) + fenced("json", GRAPH), "x", "native").format == "native"
    with pytest.raises(FormatError, match="several blocks"):
        read_text(fenced("yaml", NATIVE) + fenced("yaml", NATIVE + "name: x\n"), "x", "native")
    assert read_text(fenced("yaml", NATIVE) * 2, "x", "native").workflow.tasks[0].span.line == 3
    with pytest.raises(FormatError, match='must be "1", not missing'):
        read_text(GRAPH, "x", "native")
    for read in (
        lambda: read_text("", "x", "bpnm"),
        lambda: read_data({}, "x", "bpnm"),
        lambda: read_file("x", "bpnm"),
    ):
        with pytest.raises(ConfigError, match="unknown format 'bpnm'"):
            read()
    with pytest.raises(ConfigError):
        write(Workflow(), "bpnm")


def test_files(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text(NATIVE, encoding="utf-8")
    assert read_file(path) == read_file(str(path), "native")
    path.write_bytes(b"\xff\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_file(path)
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(FormatError, match="16,777,216 bytes"):
        read_file(path)
    for missing in (tmp_path / "none.yaml", tmp_path, "a\0b"):
        with pytest.raises(FormatError, match="cannot be read") as caught:
            read_file(missing)
        assert caught.value.fix


@pytest.mark.parametrize("data", [None, 5, True])
def test_inline_data_must_be_text_or_data(data):
    with pytest.raises(FormatError, match="must be a text, a mapping or a list"):
        read_data(data, "x")


def test_every_format_is_registered():
    found = set()
    for module in pkgutil.iter_modules(wfgate.read.formats.__path__, "wfgate.read.formats."):
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        found |= {kind for _, kind in members if issubclass(kind, Format) and hasattr(kind, "id")}
    assert found == {type(form) for form in FORMATS.values()}
    order = "native worfbench graph-json markdown github-actions mermaid asl n8n bpmn argo dify serverless xxp dot"
    order += " gitlab-ci recorded-run instructions"
    assert list(FORMATS) == [name for name in order.split() if name in FORMATS]


@pytest.mark.slow
def test_many_blocks_end():
    with pytest.raises(FormatError, match="no format recognises"):
        read_text("```\nx\n```\n" * 100_000, "x")


HIDDEN = "jobs:\n  deploy:\n    runs-on: x\n    steps:\n      - run: |\n" + fenced("yaml", NATIVE, "          ")


@pytest.mark.parametrize("name", ["x", "x.yaml", "x.yml", "x.txt", "x.json"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"on: push\non: push\n{HIDDEN}", "appears twice"),
        (f"on: !env push\n{HIDDEN}", "YAML tag"),
        (f"on: push\n{HIDDEN}---\njobs: {{}}\n", "second YAML document"),
        (f"a: &a {{on: push}}\n<<: *a\n{HIDDEN}", "merge keys"),
        (f"on: push\x07\n{HIDDEN}", "control character"),
        (f"on: push\nname: a: b\n{HIDDEN}", "not valid YAML"),
        (f"name: '\n{fenced('yaml', NATIVE)}'\non: [push]\non: [push]\n", "appears twice"),
        ('{"on": "push", "x": "\n' + fenced("yaml", NATIVE) + '"}', "invalid control character|not valid YAML"),
    ],
)
def test_a_refused_data_file_is_never_replaced_by_a_block_inside_it(name, text, message):
    with pytest.raises(FormatError) as caught:
        read_text(text, name)
    assert re.search(message, caught.value.message) or name == "x.json"
    assert caught.value.line
    assert caught.value.fix
    with pytest.raises(FormatError):
        read_text(text, name, "native")


@pytest.mark.parametrize("name", ["x.yaml", "x.json", "x.bpmn"])
def test_a_suffix_of_data_leaves_no_room_for_prose(name):
    answer = "Here is the workflow:\n" + fenced("yaml", NATIVE)
    with pytest.raises(FormatError, match=r"not valid YAML|expected a value|JSON value|not well-formed"):
        read_text(answer, name)
    assert read_text(answer, "x.md").format == "native"


def test_prose_in_a_data_file_is_read_when_it_is_requested():
    answer = "Here it is:\n" + fenced("", "1. Build\n2. Test\n")
    assert [task.name for task in read_text(answer, "x.yaml", "markdown").workflow.tasks] == ["Build", "Test"]


def test_a_model_is_read_whatever_its_documentation_quotes():
    quoted = SMALL["bpmn"].replace("<task", f"<documentation>\n{fenced('yaml', NATIVE)}</documentation><task", 1)
    for name in ("x", "x.bpmn", "x.xml"):
        assert read_text(quoted, name).format == "bpmn"
        with pytest.raises(FormatError, match=r"not well-formed|DOCTYPE"):
            read_text(f"<!DOCTYPE a>{quoted}"[:-5], name)


RUNBOOK = (
    "# Disk full\n\n## Meaning\n\n"
    + "The disk of a broker is nearly full. " * 40
    + "\n\n## Mitigation\n\n1. Ask\n2. Extend\n"
)


@pytest.mark.parametrize(
    "text", [RUNBOOK, RUNBOOK.replace("1. Ask\n2. Extend", "### Step 1: Ask\n\n### Step 2: Extend")]
)
def test_the_name_of_a_file_makes_long_prose_with_few_steps_a_runbook(text):
    for name in ("disk.md", "runbooks/Disk.MARKDOWN"):
        reading = read_text(text, name)
        assert (reading.format, [task.name for task in reading.workflow.tasks]) == ("markdown", ["Ask", "Extend"])
    for name in ("disk.txt", "README.md", "an answer"):
        with pytest.raises(FormatError, match="no format recognises the content"):
            read_text(text, name)


TOOLS = {
    "Node-RED with subflows": '[{"id": "a", "type": "subflow:s", "name": "Start", "wires": [["b"]]}]',
    "Netflix Conductor": '{"tasks": [{"name": "Check", "taskReferenceName": "c"}, {"name": "Ship"}]}',
    "Google Cloud Build": "steps: [{id: a, name: docker, args: [build]}, {id: b, name: docker, waitFor: [a]}]",
    "DAG Factory for Airflow": "daily: {tasks: {load: {operator: bash}, test: {operator: bash, dependencies: [a]}}}",
    "Tekton": "apiVersion: tekton.dev/v1\nkind: Pipeline\nspec: {tasks: [{name: a}, {name: b, runAfter: [a]}]}",
    "Azure Data Factory": '{"properties": {"activities": [{"name": "a", "type": "Copy"}, {"name": "b"}]}}',
    "CircleCI": "version: 2.1\njobs: {build: {steps: [checkout]}}\nworkflows: {main: {jobs: [build]}}",
    "Databricks jobs": '{"tasks": [{"task_key": "a"}, {"task_key": "b", "depends_on": [{"task_key": "a"}]}]}',
    "Ansible": "- hosts: web\n  tasks: [{name: Install, apt: {name: nginx}}, {name: Start, service: {name: nginx}}]",
    "Buildkite": "steps: [{label: Build, command: make}, wait, {label: Deploy, command: make deploy}]",
}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_file_of_another_tool_is_refused_by_its_name(tool):
    with pytest.raises(FormatError, match=f"this is a file of {tool}, which wfgate does not read") as caught:
        read_text(TOOLS[tool], "x.json" if TOOLS[tool][0] in "[{" else "x.yaml")
    assert "write `" not in (caught.value.fix or "")


def test_steps_that_name_other_steps_under_an_unknown_key_are_no_list():
    steps = '[{"id": "a", "name": "Build", "feeds": [["b"], ["c"]]}, {"id": "b", "name": "Test"}, '
    steps += '{"id": "c", "name": "Scan"}]'
    with pytest.raises(FormatError, match="names other steps under `feeds`"):
        read_text(steps, "x.json")
    labelled = steps.replace('[["b"], ["c"]]', '["fast", "b"]')
    assert len(read_text(labelled, "x.json").workflow.tasks) == 3


@pytest.mark.parametrize(
    ("text", "name", "message", "fix"),
    [
        ("steps:\n- name: {{ .Values.name }}\n", "x.yaml", "this is a template", "render it first"),
        ("{%- for s in steps %}\n- name: x\n{% endfor %}\n", "x.yaml", "this is a template", "render it first"),
        ('{\n  // why\n  "steps": ["Build"]\n}', "x.json", "JSON has no comments", "remove the comments"),
        ('{"steps": ["Build" /* why */]}', "x.json", "JSON has no comments", "remove the comments"),
        ('{"steps": ["Load the "default" file"]}', "x.json", "expected ',' or ']'", "write a quote inside a text as"),
        ('{"steps": ["Build", "Te\n', "x.json", "the text ends before", "cut off"),
        ('```json\n{"steps": [\n  {"name": "Ask the ow\n```\n', "x.md", "has no end", "cut off"),
    ],
)
def test_what_is_wrong_is_said_with_its_remedy(text, name, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, name)
    assert message in caught.value.message
    assert fix in (caught.value.fix or "")


def test_comments_and_last_commas_of_jsonc_are_skipped_and_positions_stay():
    text = '// the plan\n["Build", // first\n /* then */ "Test",\n]'
    tasks = read_text(text, "x.jsonc").workflow.tasks
    assert [(task.name, task.span.line) for task in tasks] == [("Build", 2), ("Test", 3)]
    with pytest.raises(FormatError, match="has no end"):
        read_text('["Build", /* ', "x.jsonc")


def test_todos_of_a_coding_agent_are_steps_and_messages_of_a_chat_are_not():
    todos = '[{"id": "1", "content": "Build it", "status": "pending"}, {"content": "Test", "status": "done"}]'
    assert [task.name for task in read_text(f'{{"todos": {todos}}}', "x.json").workflow.tasks] == ["Build it", "Test"]
    with pytest.raises(FormatError):
        read_text('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]', "x.json")


CURSOR = """\
---
name: Login
overview: Add a login
todos:
  - {id: schema, content: Create the schema, status: completed}
  - {id: limit, content: Limit failed logins, status: pending}
---

# Files

- `src/a.ts`: sign
- `src/b.ts`: count
"""


def test_the_steps_of_a_plan_of_cursor_are_in_its_front_matter():
    reading = read_text(CURSOR, "login.plan.md")
    assert [task.name for task in reading.workflow.tasks] == ["Create the schema", "Limit failed logins"]
    assert (reading.workflow.name, reading.workflow.description) == ("Login", "Add a login")
    assert [task.span.line for task in reading.workflow.tasks] == [5, 6]
    assert "status" not in reading.workflow.tasks[0].raw
    cancelled = read_text(CURSOR.replace("pending", "cancelled"), "x.md").workflow.tasks
    assert [task.raw.get("status") for task in cancelled] == [None, "cancelled"]
    assert "Files" in reading.workflow.raw["body"]


def test_bullets_below_front_matter_are_not_advised_as_steps():
    with pytest.raises(FormatError, match="bullets among other text") as caught:
        read_text(CURSOR.replace("todos", "notes").replace("# Files", "# Why\n\nWe want it.\n\n# Files"), "login.md")
    assert "--from markdown" not in (caught.value.fix or "")


FLOW = """\
[{"id": "t", "type": "tab", "label": "Alarm"},
 {"id": "a", "type": "mqtt in", "z": "t", "name": "Door sensor", "x": 10, "y": 10, "wires": [["b"]]},
 {"id": "b", "type": "switch", "z": "t", "name": "Night only", "x": 90, "y": 10, "wires": [["c"], ["d"]]},
 {"id": "c", "type": "http request", "z": "t", "name": "Call the guard", "x": 200, "y": 10, "wires": [[]]},
 {"id": "d", "type": "debug", "z": "t", "name": "", "x": 200, "y": 90}]
"""


def test_the_wires_of_node_red_are_links():
    workflow = read_text(FLOW.replace('"y": 90}', '"y": 90, "wires": []}'), "flows.json").workflow
    assert [task.name for task in workflow.tasks] == ["Door sensor", "Night only", "Call the guard", "debug"]
    assert {(link.source, link.target) for link in workflow.links} == {
        *(("START", "a"), ("a", "b"), ("b", "c"), ("b", "d"), ("c", "END"), ("d", "END")),
    }
    assert [task.span.line for task in workflow.tasks] == [2, 3, 4, 5]
    assert workflow.raw["edges"][2] == {"from": "b", "to": "d", "condition": "output 2"}
    assert workflow.raw["others"] == [{"id": "t", "type": "tab", "label": "Alarm"}]


def test_the_tasks_of_crewai_are_steps():
    text = "".join(
        f"{name}:\n  description: >\n    {what}\n  expected_output: A text\n  agent: a\n{more}"
        for name, what, more in (
            ("look", "Look it up", ""),
            ("screen", "Screen it", "  context: [look]\n"),
            ("report", "Report it", "  context: [look, screen]\n"),
        )
    )
    links = {(link.source, link.target) for link in read_text(text, "tasks.yaml").workflow.links}
    assert {("look", "screen"), ("look", "report"), ("screen", "report")} < links


def test_the_context_of_a_task_is_what_it_waits_for_beside_the_agents_of_crewai():
    agents = "agents: {a: {role: Planner, goal: Plan}}\n"
    tasks = (
        "tasks:\n  plan: {description: Plan it, agent: a}\n  book: {description: Book it, agent: a, context: [plan]}\n"
    )
    links = {(link.source, link.target) for link in read_text(agents + tasks, "crew.yaml").workflow.links}
    assert ("plan", "book") in links
    with pytest.raises(FormatError, match="names other steps under `context`"):
        read_text(tasks, "tasks.yaml")


BULLETS = "# Release\n\n- Build\n- Test\n- Deploy\n"
MIXED = "# Release\n\n## Steps\n- Build\n- Test\n- Deploy\n\n## Contacts\n1. Ada\n2. Bob\n"
LISTS = '{"tasks": [{"name": "Ask", "needs": []}], "steps": ["Build", "Test", "Deploy"]}'


@pytest.mark.parametrize(
    ("golden", "candidate", "own", "unread"),
    [
        (BULLETS, MIXED, ["Ada", "Bob"], "its numbered list is not read"),
        ('{"steps": ["Build", "Test", "Deploy"]}', LISTS, ["Ask"], "its list `tasks` is not read"),
    ],
)
def test_a_candidate_is_read_from_the_kind_of_list_that_its_golden_is_read_from(golden, candidate, own, unread):
    approved = read_text(golden, "golden")
    assert [task.name for task in read_text(candidate, "candidate").workflow.tasks] == own
    reading = read_text(candidate, "candidate", like=approved)
    assert [task.name for task in reading.workflow.tasks] == ["Build", "Test", "Deploy"]
    assert any(note.severity == "warning" and unread in note.message for note in reading.diagnostics)


def test_without_a_list_of_the_golden_s_kind_both_kinds_are_named():
    approved = read_text("1. Build\n2. Test\n", "golden")
    reading = read_text(BULLETS, "candidate", like=approved)
    assert other_parts(approved, reading) == ("numbered list (line 1)", "list of bullets (line 3)")
    assert other_parts(read_text('["Build"]', "golden.json"), reading) is None


def test_a_native_file_loads_no_other_reader():
    code = (
        "import sys; from wfgate.read import read_data;"
        "read_data('wfgate: 1\\nsteps: [Build, Test]', 'x.yaml');"
        "rest = ('markdown.plans', 'mermaid.source', 'dot.parser', 'bpmn.model', 'n8n.reader', 'github_actions.jobs');"
        "print({name for name in rest if 'wfgate.read.formats.' + name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
