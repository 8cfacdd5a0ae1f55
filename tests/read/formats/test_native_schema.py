"""The published schema says what the reader does: nothing more, nothing less, but for what no schema can say."""

import copy
import json
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from wfgate.errors import FormatError
from wfgate.read import read_data, read_file, read_text, write
from wfgate.read.formats.native_shapes import native_schema

from ...hypothesis_examples import examples

ROOT = Path(__file__).parents[3]
SCHEMA = Draft202012Validator(native_schema())
BEYOND = (
    "there is no workflow ",
    "have the same name",
    "a sub-workflow must not have an empty name",
    "nested deeper than",
    "; the limit is",
)
"""What the reader refuses and no schema can."""

FULL = {
    "wfgate": "1",
    "main": "deploy",
    "workflows": {
        "deploy": {
            "name": "Deploy",
            "description": "Roll out, then look.",
            "semantics": "token",
            "params": {"replicas": 3, "zones": ["a", None]},
            "tasks": [
                {"id": "provision", "name": "Provision", "action": "terraform.apply", "outputs": ["cluster"]},
                {"id": "harden", "workflow": "access", "critical": True, "tags": ["infra"], "kind": "composite"},
                {"id": 7, "name": "", "loop": {"mode": "until", "condition": "ok", "max": 10, "language": "plain"}},
                {
                    "id": "wait",
                    "kind": "event",
                    "timeout": "2h",
                    "join": "any",
                    "inputs": ["cluster"],
                    "optional": True,
                },
                {"id": "tell", "any_order": True},
            ],
            "gateways": [{"id": "gate", "op": "XOR", "role": "split"}],
            "flow": [
                {"from": "START", "to": "provision"},
                {"from": "provision", "to": "gate", "outcome": "always"},
                {"from": "gate", "to": "harden", "guard": {"expr": "x == 1", "order": 1, "language": "github"}},
                {"from": "gate", "to": 7, "guard": {"default": True}},
                {"from": 7, "to": "gate", "back": True, "guard": "again"},
                {"from": "harden", "to": "END"},
            ],
            "flow_complete": True,
            "data": ["cluster", {"id": "log", "description": "The log"}],
            "dataflow": [{"from": "provision", "to": "wait", "data": "cluster"}],
        },
        "access": {"tasks": [{"id": "keys"}]},
    },
}
SHORT = {
    "wfgate": 1,
    "name": "Ship",
    "semantics": "dag",
    "steps": [
        "Build",
        {"name": "Test", "needs": "Build", "when": "x == 1"},
        {"id": "ship", "needs": ["Test", 7], "when": {"expr": "inputs.full", "language": "github", "default": False}},
        {"id": 7, "params": {}, "description": "More", "loop": {"mode": "foreach", "over": "zones"}},
    ],
}


def test_it_is_a_schema():
    Draft202012Validator.check_schema(native_schema())
    json.dumps(native_schema())


def test_every_property_is_described():
    def described(schema):
        return "description" in schema or "$ref" in schema

    for part in native_schema()["$defs"].values():
        for form in (part, *part.get("anyOf", ())):
            assert all(described(value) for value in form.get("properties", {}).values()), form


def test_examples_are_valid():
    for data in (FULL, SHORT):
        SCHEMA.validate(data)
        read_data(data, "x", "native")


NATIVE_FILES = [
    path
    for path in sorted((ROOT / "examples").rglob("*.yaml"))
    if path.read_text("utf-8").lstrip().startswith("wfgate:") or "\nwfgate:" in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", NATIVE_FILES, ids=lambda path: path.name)
def test_every_native_file_of_the_examples_is_valid(path: Path):
    SCHEMA.validate(yaml.safe_load(path.read_text("utf-8")))


def test_the_native_blocks_of_the_docs_are_valid():
    pages = [page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md")]
    blocks = [block for page in pages for block in page.split("```yaml\n")[1:]]
    native = [yaml.safe_load(block.partition("```")[0]) for block in blocks if block.startswith("wfgate:")]
    assert native
    for data in native:
        SCHEMA.validate(data)


DATA = sorted(
    path
    for path in (ROOT / "tests/read/formats/data").rglob("*")
    if path.suffix in {".yaml", ".yml", ".json", ".bpmn", ".md", ".mmd", ".xxp", ".txt"} and path.stem != "LICENSE"
)


def test_whatever_is_converted_is_valid():
    read = {}
    for path in DATA:
        with suppress(FormatError):  # meant to be refused
            read[path.name] = write(read_file(path).workflow, "native")
    assert len(read) > len(DATA) / 2
    assert [name for name, text in read.items() if not SCHEMA.is_valid(yaml.safe_load(text))] == []


@pytest.mark.slow
def test_a_whole_corpus_converted_is_valid():
    lines = (ROOT / "calibration/corpora/worfbench/goldens.jsonl").read_text("utf-8").splitlines()[::20]
    assert len(lines) > 20
    for line in lines:
        text = write(read_data(json.loads(line)["workflow"], "x").workflow, "native")
        SCHEMA.validate(yaml.safe_load(text))


def places(data, path=()):
    """Every path into the data."""
    found = [path]
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        found += places(value, (*path, key))
    return found


SCALARS = [None, True, False, 0, 7, -1, 1.5, "", " ", "x", "START", "END", "1", "dag", "any", "XOR", "event", "until"]
PARTS = [
    *([], {}, [""], ["x"], [7], [None], [[]], [{"id": "START"}], {"id": "x"}, {"name": " "}, {"name": "x"}),
    *(
        {"expr": "x"},
        {"order": "1"},
        {"mode": "while"},
        {"from": "a", "to": "b"},
        {"from": "a", "to": "b", "data": ""},
    ),
]
VALUES = st.sampled_from([*SCALARS, *PARTS]).map(copy.deepcopy)
KEYS = st.sampled_from(
    [
        *("wfgate", "main", "workflows", "steps", "name", "tasks", "flow", "gateways", "data", "dataflow", "id"),
        *("needs", "when", "guard", "loop", "join", "kind", "params", "outcome", "back", "workflow", "role", "x"),
    ]
)


@st.composite
def mutated(draw):
    """A valid document with a few values dropped, replaced, added or moved."""
    data = copy.deepcopy(draw(st.sampled_from([FULL, SHORT])))
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(places(data)[1:] or [("wfgate",)]))
        holder = data
        for key in above:
            holder = holder[key]
        done = draw(st.sampled_from(["drop", "replace", "add", "rename"]))
        if done == "drop":
            holder.pop(last, None) if isinstance(holder, dict) else holder.pop(last)
        elif done == "replace" or isinstance(holder, list):
            holder[last] = draw(VALUES)
        elif done == "add":
            holder[draw(KEYS)] = draw(VALUES)
        else:
            holder[draw(KEYS)] = holder.pop(last, None)
    return data


def refusal(data):
    try:
        read_data(data, "x", "native")
    except FormatError as error:
        return error.message
    return None


@settings(max_examples=examples(600))
@given(mutated())
@example({"wfgate": "1", "steps": [], "workflows": {"w": {}}})
@example({"wfgate": "1"})
@example({"wfgate": "1", "workflows": {"a": {}, "b": {}}})
@example({"wfgate": "1", "workflows": {"a": {"data": [""]}}})
@example({"wfgate": True, "steps": []})
@example({"wfgate": "1", "steps": [{"id": 1, "name": ""}, {"name": ""}]})
def test_the_schema_and_the_reader_agree(data):
    refused = refusal(data)
    if refused is None:
        SCHEMA.validate(data)
    elif not any(said in refused for said in BEYOND):
        assert not SCHEMA.is_valid(data), refused


@given(mutated())
def test_what_is_read_is_written_so_that_the_schema_accepts_it(data):
    try:
        text = write(read_text(json.dumps(data), "x", "native").workflow, "native")
    except FormatError:
        return
    SCHEMA.validate(yaml.safe_load(text))
