"""Content detection over real files: each is recognised as what it is, or refused, and never as anything else."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.errors import FormatError
from wfgate.model import Link, Task, Workflow
from wfgate.read import FORMATS, document_of, read_text, write

HERE = Path(__file__).parent
OWN = HERE.parents[2] / "calibration" / "corpora"
SHARED = HERE.parents[3] / "shared" / "corpora" / "formats"
FOLDERS = {
    "argo": "argo",
    "asl": "asl",
    "asl-examples": "asl",
    "asl-validator": "asl",
    "bpmn": "bpmn",
    "bpmn-miwg": "bpmn",
    "dify": "dify",
    "github-actions": "github-actions",
    "gitlab-ci": "gitlab-ci",
    "n8n": "n8n",
    "recorded-run": "recorded-run",
    "serverless": "serverless",
}
SUFFIXES = {".json", ".yaml", ".yml", ".bpmn"}
NO_WORKFLOW = {"simple-parameters-configmap.yaml", "testvolume.yaml", "workflow-count-resourcequota.yaml"}
"""Other Kubernetes resources among the examples of Argo."""
BROKEN = {
    "k8s-patch-json-workflow.yaml": "appears twice",
    "nowsecure-mobile-sbom.yml": "this is a template, not YAML",
    "nowsecure.yml": "this is a template, not YAML",
    "Recipe Recommendations with Qdrant and Mistral.json": "text after the end",
    "AI-Driven Lead Management and Inquiry Automation with ERPNext & n8n.json": "text after the end",
}
"""Files that are no YAML or JSON: what the error says."""


def files(root):
    for folder in sorted(path for path in root.glob("*") if path.is_dir()):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES:
                yield folder.name, path


def recognised(text, name="x"):
    document = document_of(text.removeprefix("\ufeff"), name)
    return {form.id for form in FORMATS.values() if form.recognises(document)}


def lines(name):
    return [json.loads(line) for line in (OWN / name).read_text(encoding="utf-8").splitlines()]


def test_files_that_are_copied():
    found = list(files(HERE / "data"))
    known = [(FOLDERS[folder], path) for folder, path in found if FOLDERS.get(folder) in FORMATS]
    assert known
    assert {path.name: recognised(path.read_text(encoding="utf-8")) for _, path in known} == {
        path.name: {format_id} for format_id, path in known
    }


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora of the formats are not beside the project")
def test_files_of_the_shared_corpora():
    wrong, unknown, known = [], set(), Counter()
    for folder, path in files(SHARED):
        format_id = FOLDERS[folder]
        if format_id not in FORMATS:
            continue
        text = path.read_text(encoding="utf-8")
        found = recognised(text)
        known[folder] += found == {format_id}
        if not found:
            unknown.add(path.name)
            with pytest.raises(FormatError, match=BROKEN.get(path.name, "no format recognises")):
                read_text(text, path.name)
        half = recognised(text[: len(text) // 2])  # cut off, as models leave answers
        bare = recognised(text.replace("  ", " "))  # broken indentation
        wrong += [(path.name, seen) for seen in (found, half, bare) if not seen <= {format_id}]
    assert wrong == []
    assert unknown == NO_WORKFLOW | set(BROKEN)
    assert sum(known.values()) >= 800


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora of the formats are not beside the project")
@pytest.mark.skipif("mermaid" not in FORMATS, reason="Mermaid is not registered")
def test_blocks_of_mermaid():
    blocks = (SHARED / "mermaid" / "blocks.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(block)["text"] for block in blocks]
    assert Counter(frozenset(recognised(text)) for text in texts) == {frozenset({"mermaid"}): len(texts)}
    for text in texts[::10]:
        answer = f"Here is the flow:\n\n1. It starts\n2. It ends\n\n```mermaid\n{text}\n```\n"
        assert read_text(answer, "x").format == "mermaid"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "format_id", "text_of"),
    [
        ("worfbench/goldens.jsonl", "worfbench", lambda record: record["workflow"]),
        ("processtbench/goldens.jsonl", "graph-json", json.dumps),
        ("processtbench/regenerations.jsonl", "graph-json", json.dumps),
        ("ops/ops.jsonl", "graph-json", lambda record: json.dumps(record, indent=2)),
    ],
)
def test_records_of_the_own_corpora(name, format_id, text_of):
    texts = [text_of(record) for record in lines(name)]
    assert Counter(frozenset(recognised(text)) for text in texts) == {frozenset({format_id}): len(texts)}
    for text in texts[::25]:
        assert recognised(text[: len(text) // 2]) <= {format_id}
        reading = read_text(f"Sure! Here is the plan:\n\n```\n{text}\n```\nLet me know.\n", "x")
        assert (reading.format, reading.workflow.tasks[0].name) == (
            format_id,
            read_text(text, "x").workflow.tasks[0].name,
        )


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora of the formats are not beside the project")
def test_a_real_file_in_an_answer_is_found_where_it_stands():
    checked = Counter()
    for folder, path in list(files(SHARED))[::7]:
        text = path.read_text(encoding="utf-8")
        if FOLDERS[folder] not in FORMATS or "```" in text:
            continue
        try:
            alone = read_text(text, "x")
        except FormatError as error:
            alone = error
        answer = f"I changed two things:\n\n- the name\n- the order\n\n~~~{path.suffix[1:]}\n{text}\n~~~\nThat's it.\n"
        try:
            inside = read_text(answer, "x")
        except FormatError as error:
            inside = error
        checked[folder] += 1
        assert type(inside) is type(alone), path.name
        if isinstance(alone, FormatError):
            assert (inside.line or 7) == (alone.line or 1) + 6 or "no format recognises" in alone.message
            continue
        assert inside.format == alone.format
        assert [task.span.line for task in inside.workflow.tasks if task.span] == [
            task.span.line + 6 for task in alone.workflow.tasks if task.span
        ]
    assert checked


def test_what_is_written_is_recognised():
    links = (Link(source="START", target="a"), Link(source="a", target="b"), Link(source="b", target="END"))
    workflow = Workflow(name="w", tasks=(Task(id="a", name="Build"), Task(id="b", name="Test")), links=links)
    writing = [form.id for form in FORMATS.values() if form.writes]
    assert "native" in writing
    assert {format_id: recognised(write(workflow, format_id)) for format_id in writing} == {
        format_id: {format_id} for format_id in writing
    }
