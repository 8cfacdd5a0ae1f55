"""A warning of the reader that only the candidate has leads at least to a review, in every format."""

from datetime import date
from pathlib import Path

import pytest

from wfgate.decide import Blob, Pair, new_warnings
from wfgate.read import Diagnostic
from wfgate.run import Config, load_gate

WORF = "Node:\n1: Collect the figures\n2: Draw a chart\n3: Mail it\nEdge: (START,1) (1,2) (2,3) (3,END)\n"
DOT = 'digraph a { "Collect the figures" -> "Draw a chart" -> "Mail it" }\n'
BPMN = """\
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
<startEvent id="s"/><task id="a" name="Collect the figures"/><task id="b" name="Draw a chart"/><endEvent id="e"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
<sequenceFlow id="f3" sourceRef="b" targetRef="e"/></process></definitions>
"""
ACTION = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - {id: tag, run: make tag}
      - run: echo ${{ steps.tag.outputs.v }}
"""
N8N = """\
{"nodes": [{"name": "Daily", "type": "n8n-nodes-base.scheduleTrigger"},
  {"name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent"},
  {"name": "Model", "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi", "parameters": {"model": "a"}}],
 "connections": {"Daily": {"main": [[{"node": "Agent"}]]}, "Model": {"ai_languageModel": [[{"node": "Agent"}]]}}}
"""
TODO = "- [x] Collect the figures\n- [ ] Draw a chart\n- [ ] Mail it\n"
CASES = {
    "the text around the record is not read": ("w.txt", WORF, f"{WORF}\nPublish the figures, too.\n"),
    "another graph is not read": ("w.dot", DOT, f"{DOT}digraph b {{ publish }}\n"),
    "a flow without a target": ("w.bpmn", BPMN, BPMN.replace("</process>", '<sequenceFlow sourceRef="b"/></process>')),
    "a reference to a missing step": (".github/workflows/w.yml", ACTION, ACTION.replace("steps.tag.", "steps.tags.")),
    "a connection of an unknown kind": ("w.json", N8N, N8N.replace('"ai_languageModel"', '"languageModel"')),
    "nothing is left to do": ("todo.md", TODO, TODO.replace("[ ]", "[x]")),
    "a model that is not there": ("w.json", N8N, N8N.replace('"name": "Model"', '"name": "Large model"')),
}


@pytest.fixture(scope="module")
def gate():
    return load_gate(Config(), date.min)


@pytest.mark.parametrize("case", CASES)
def test_what_only_the_candidate_leaves_out_does_not_pass(gate, case):
    name, golden, candidate = CASES[case]
    files = [Blob(Path(name), text.encode()) for text in (golden, candidate)]
    result = gate.decide(Pair("case", (files[0],), files[1]))
    assert result.verdict in {"review", "block"}
    assert "reader-warning" in {reason.rule for reason in result.reasons}
    assert "reader-warning" not in {reason.rule for reason in gate.decide(Pair("same", (files[1],), files[1])).reasons}


def said(*messages, severity="warning"):
    return [Diagnostic(severity=severity, message=message, path="x") for message in messages]


@pytest.mark.parametrize(
    ("golden", "candidate", "new"),
    [
        ([], said("'A' is used by no node"), [("'A' is used by no node", 1)]),
        ([], said("'A' is used by no node", severity="info"), []),
        (said("'A' is used by no node"), said("'B' is used by no node"), []),
        (said("'A' is lost", "'C' is lost"), said("'B' is lost", "'C' is lost"), []),
        (said("'C' is lost"), said("'A' is lost", "'C' is lost", "'B' is lost"), [("'A' is lost", 2)]),
        (said("line 3 is lost"), said("line 14 is lost"), []),
        (said("line 3 is lost"), said("the list is lost"), [("the list is lost", 1)]),
    ],
)
def test_the_same_warning_about_another_name_is_not_new(golden, candidate, new):
    assert [(one.message, number) for one, number in new_warnings(golden, candidate)] == new
