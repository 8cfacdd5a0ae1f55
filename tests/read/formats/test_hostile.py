"""Whatever comes in: a reading or a FormatError, nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.read import FORMATS, Reading, decode, read_data, read_text

from ...hypothesis_examples import examples

WORDS = st.sampled_from(
    [
        *(
            "wfgate: '1'\n",
            "steps:\n",
            "- ",
            "id: a\n",
            "needs: [a]\n",
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            "  ",
            "\t",
        ),
        *(
            "Node:\n",
            "1: A\n",
            "Edge:",
            "(START,1)",
            "(1,2)",
            "(",
            "```yaml\n",
            "```\n",
            '"nodes"',
            '"edges"',
            "&a",
            "*a",
        ),
        *(
            "'",
            '"',
            "|",
            ">",
            "!!int ",
            "---\n",
            "# ",
            "é",
            "\x00",
            "\x85",
            "\u2028",
            "\ufeff",
            "\ud800",
            "1e999",
            "0x",
        ),
        *(
            "1. Build\n",
            "- [ ] T001 [P] ",
            "## Phase 1: x\n",
            "(depends on 1)",
            "If x, ",
            "a. ",
            "**",
            "\u2014",
            "<!--",
        ),
        *(
            "flowchart TD\n",
            "graph LR\n",
            "A",
            "-->",
            "-.->",
            "|yes|",
            "A{x}",
            "([",
            "])",
            "subgraph s\n",
            "end\n",
            "&",
            "%%",
        ),
        *("digraph {", "strict ", "->", "--", "[label=", "subgraph cluster_a {", ";", "<b>", "//", "/*", "*/"),
        *(
            "workflow W {",
            "experiment E {",
            "define task A;",
            "START",
            "END",
            "?->",
            "!->",
            "||",
            "from W",
            "PARALLEL_1",
        ),
        *(
            "<bpmn:definitions xmlns:bpmn='http://www.omg.org/spec/BPMN/20100524/MODEL'>",
            "<",
            "/>",
            "<!DOCTYPE x [",
            "&x;",
        ),
        *("on: push\n", "jobs:\n", "apiVersion: argoproj.io/v1alpha1\n", "kind: Workflow\n", "document:\n", "do:\n"),
        *("StartAt: a\n", "States:\n", "kind: app\n", "${{ ", "}}", "{{=", "{% ", "$.x"),
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=3), max_size=25).map("".join)
KEYS = st.sampled_from(
    [
        *(
            "wfgate",
            "main",
            "workflows",
            "steps",
            "tasks",
            "flow",
            "nodes",
            "edges",
            "links",
            "task_nodes",
            "task_links",
        ),
        *("plans", "id", "name", "from", "to", "source", "target", "needs", "dependencies", "arguments", "workflow"),
        *("on", "jobs", "runs-on", "uses", "run", "if", "strategy", "matrix", "with", "outputs", "env"),
        *(
            "apiVersion",
            "spec",
            "metadata",
            "templates",
            "entrypoint",
            "dag",
            "template",
            "depends",
            "when",
            "withItems",
        ),
        *(
            "StartAt",
            "States",
            "Type",
            "Next",
            "End",
            "Choices",
            "Default",
            "Catch",
            "Branches",
            "Iterator",
            "Parameters",
        ),
        *(
            "connections",
            "parameters",
            "type",
            "typeVersion",
            "main",
            "index",
            "app",
            "graph",
            "sourceHandle",
            "cases",
        ),
        *(
            "document",
            "do",
            "then",
            "for",
            "in",
            "fork",
            "try",
            "catch",
            "switch",
            "call",
            "listen",
            "dsl",
            "raise",
            "set",
        ),
        *("guard", "loop", "params", "critical", "task", "kind", "mode", "data", "gateways", "dataflow", "op", "w"),
    ]
)
LEAVES = (
    st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | TEXTS | KEYS | st.sampled_from(["1", "AND", "<a>"])
)
DATA = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
SKELETONS = st.sampled_from(
    [
        lambda inner: {"on": "push", "jobs": {"a": inner, "b": {"runs-on": "x", "steps": [inner, {"run": "y"}]}}},
        lambda inner: {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "spec": inner},
        lambda inner: {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "spec": {"entrypoint": "a", "templates": [{"name": "a", "dag": {"tasks": [inner]}}, inner]},
        },
        lambda inner: {"StartAt": "a", "States": {"a": inner, "b": {"Type": "Choice", "Choices": [inner]}}},
        lambda inner: {"nodes": [{"name": "a", "type": "b", "parameters": inner}, inner], "connections": {"a": inner}},
        lambda inner: {
            "kind": "app",
            "app": {"mode": "workflow"},
            "workflow": {"graph": {"nodes": [inner], "edges": [inner]}},
        },
        lambda inner: {"document": {"dsl": "1.0.0", "name": "a"}, "do": [{"a": inner}, inner]},
    ]
)
FORMAT_IDS = st.sampled_from([None, *FORMATS])


def ends_well(read, *arguments):
    try:
        outcome = read(*arguments)
    except FormatError as error:
        outcome = error
    assert isinstance(outcome, Reading) or (outcome.fix and str(outcome))


@given(TEXTS, FORMAT_IDS)
def test_texts(text, format_id):
    ends_well(read_text, text, "x", format_id)


@given(st.dictionaries(KEYS, DATA, max_size=5), FORMAT_IDS)
def test_data(data, format_id):
    ends_well(read_data, data, "x", format_id)


@given(st.dictionaries(KEYS, DATA, max_size=5))
def test_native_data(data):
    ends_well(read_data, {"wfgate": "1"} | data, "x", "native")


@given(
    st.lists(st.dictionaries(KEYS, DATA), max_size=3), st.lists(DATA, max_size=3), st.sampled_from(["nodes", "steps"])
)
def test_graph_data(nodes, edges, key):
    ends_well(read_data, {key: nodes, "edges": edges}, "x")


@given(SKELETONS, st.dictionaries(KEYS, DATA, max_size=4) | DATA)
def test_data_that_looks_like_a_format(skeleton, inner):
    ends_well(read_data, skeleton(inner), "x")


@given(st.binary(max_size=60))
def test_bytes(content):
    def read(content):
        return read_text(decode(content, "x"), "x")

    ends_well(read, content)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(TEXTS, st.dictionaries(KEYS, DATA, max_size=5), FORMAT_IDS)
def test_much_of_everything(text, data, format_id):
    ends_well(read_text, text, "x", format_id)
    ends_well(read_data, data, "x", format_id)
    ends_well(read_text, json.dumps(data), "x", format_id)


@pytest.mark.slow
@settings(max_examples=examples(500))
@given(SKELETONS, st.dictionaries(KEYS, DATA, max_size=5) | DATA)
def test_much_that_looks_like_a_format(skeleton, inner):
    ends_well(read_data, skeleton(inner), "x")
