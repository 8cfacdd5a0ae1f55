"""A link that is lost or new between steps that both n8n files have: never a pass."""

import copy
import json
from datetime import date
from itertools import pairwise, product
from pathlib import Path

import pytest

from wfgate.decide import Blob, Pair, Policy
from wfgate.run import Config, load_gate


def node(name, kind, place, **more):
    return {"name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": 1, "position": [200 * place, 0]} | more


def to(*names):
    return [{"node": name, "type": "main", "index": 0} for name in names]


FAILS = {"onError": "continueErrorOutput"}
IF = {"parameters": {"conditions": {"boolean": [{"value1": "={{ $json.related }}", "value2": True}]}}}
FEED = {
    "name": "Posts of the day",
    "nodes": [
        node("Every morning", "scheduleTrigger", 0, parameters={"rule": {"interval": [{}]}}),
        node("Hacker News", "hackerNews", 1, parameters={"resource": "all"}),
        node("Loop Over Items", "splitInBatches", 2, parameters={"options": {}}, typeVersion=3),
        node("Article Analysis", "httpRequest", 3, parameters={"url": "https://model.example.org/read"}, **FAILS),
        node("If Topic", "if", 4, **IF),
        node("Draw Image", "httpRequest", 5, parameters={"url": "https://model.example.org/draw"}, **FAILS),
        node("Upload Image", "httpRequest", 6, parameters={"url": "https://files.example.org/put"}),
        node("Publish", "linkedIn", 7, parameters={"text": "={{ $json.post }}"}),
    ],
    "connections": {
        "Every morning": {"main": [to("Hacker News")]},
        "Hacker News": {"main": [to("Loop Over Items")]},
        "Loop Over Items": {"main": [[], to("Article Analysis")]},
        "Article Analysis": {"main": [to("If Topic"), to("Loop Over Items")]},  # the second output: errors
        "If Topic": {"main": [to("Draw Image"), to("Loop Over Items")]},
        "Draw Image": {"main": [to("Upload Image"), to("Publish")]},
        "Upload Image": {"main": [to("Publish")]},
        "Publish": {"main": [to("Loop Over Items")]},
    },
}
LINKS = [
    (source, output, place)
    for source, kinds in FEED["connections"].items()
    for output, ends in enumerate(kinds["main"])
    for place in range(len(ends))
]


@pytest.fixture(scope="module")
def gate():
    return load_gate(Config(), date.min)


def decided(gate, folder, golden, candidate):
    for name, data in (("golden.json", golden), ("candidate.json", candidate)):
        (folder / name).write_text(json.dumps(data))
    return gate.decide(Pair("x", (folder / "golden.json",), folder / "candidate.json"))


def without(data, source, output, place):
    found = copy.deepcopy(data)
    del found["connections"][source]["main"][output][place]
    return found


@pytest.mark.parametrize(("source", "output", "place"), LINKS)
def test_a_lost_link_blocks(gate, tmp_path, source, output, place):
    case = decided(gate, tmp_path, FEED, without(FEED, source, output, place))
    assert case.verdict == "block", case.findings
    assert case.proven == "block"


def test_an_error_output_that_led_where_the_other_output_leads_is_no_longer_handled(gate, tmp_path):
    golden = copy.deepcopy(FEED)
    golden["connections"]["Draw Image"]["main"] = [to("Upload Image"), to("Upload Image")]
    case = decided(gate, tmp_path, golden, without(golden, "Draw Image", 1, 0))
    assert case.verdict == "block"
    assert [finding.id for finding in case.findings if finding.severity == "error"] == ["WR304"]


@pytest.mark.parametrize("target", [node["name"] for node in FEED["nodes"][1:]])
@pytest.mark.parametrize("source", ["Article Analysis", "Publish", "Upload Image"])
def test_a_new_link_never_passes(gate, tmp_path, source, target):
    candidate = copy.deepcopy(FEED)
    ends = candidate["connections"][source]["main"][0]
    if to(target)[0] in ends:
        return
    ends += to(target)
    case = decided(gate, tmp_path, FEED, candidate)
    assert case.verdict in {"review", "block"}, case.findings
    assert case.proven in {"review", "block"}


def test_a_link_to_another_step_does_not_excuse_the_lost_one(gate, tmp_path):
    candidate = copy.deepcopy(FEED)
    candidate["connections"]["Article Analysis"]["main"][1] = to("Publish")
    case = decided(gate, tmp_path, FEED, candidate)
    assert case.proven == "block"
    assert any("'Article Analysis' to 'Loop Over Items' is lost" in each.message for each in case.findings)


def test_the_same_links_in_another_order_of_nodes_are_no_finding(gate, tmp_path):
    candidate = copy.deepcopy(FEED)
    candidate["nodes"].reverse()
    candidate["connections"] = dict(reversed(candidate["connections"].items()))
    assert decided(gate, tmp_path, FEED, candidate).findings == ()


def test_a_step_in_the_middle_of_a_link_is_no_lost_link(gate, tmp_path):
    candidate = copy.deepcopy(FEED)
    candidate["nodes"].append(node("Note the error", "set", 3.5))
    candidate["connections"]["Article Analysis"]["main"][0] = to("Note the error")
    candidate["connections"]["Note the error"] = {"main": [to("If Topic")]}
    case = decided(gate, tmp_path, FEED, candidate)
    assert not {"WR111", "WR304"} & {finding.id for finding in case.findings}


DRAWING = """flowchart TD
a([Start]) --> b[Draft the letter to the customer] --> c[Review the letter with a colleague]
c --> d[Print the letter on headed paper] --> e[Send the letter by post]
e --> f[File a copy in the archive] --> g([End])
"""


@pytest.mark.parametrize(
    ("critical", "verdict"), [((), "pass"), (("Review*",), "block"), (("Print*",), "pass")], ids=["none", "it", "no"]
)
def test_every_finding_about_a_critical_step_blocks_in_a_drawing_too(tmp_path, critical, verdict):
    for name, text in (("golden.mmd", DRAWING), ("candidate.mmd", DRAWING + "c --> g\n")):
        (tmp_path / name).write_text(text)
    gate = load_gate(Config(policy=Policy(critical=critical)), date.min)
    case = gate.decide(Pair("x", (tmp_path / "golden.mmd",), tmp_path / "candidate.mmd"))
    assert [finding.id for finding in case.findings if finding.id.startswith("WR")] == ["WR121"]
    assert case.verdict == verdict, case.findings


PLAN = ["Read the text", "Draw a picture", "Describe the picture", "Send the answer"]


def test_a_lost_link_of_a_cycle_is_reviewed_where_each_step_runs_once(gate, tmp_path):
    tasks = [{"id": name, "name": name} for name in PLAN]
    ends = ["START", *PLAN, "END"]
    flow = [{"from": one, "to": two} for one, two in pairwise(ends)]
    back = {"from": "Describe the picture", "to": "Draw a picture"}

    def native(links):
        return {"wfgate": "1", "main": "plan", "workflows": {"plan": {"tasks": tasks, "flow": links}}}

    case = decided(gate, tmp_path, native([*flow, back]), native(flow))
    (lost,) = [finding for finding in case.findings if finding.id == "WR111"]
    assert (lost.severity, lost.proven) == ("warning", True)
    assert case.proven == "review"
    assert case.verdict != "pass"
    assert decided(gate, tmp_path, native([*flow, back | {"back": True}]), native(flow)).verdict == "block"


CHANGE = [
    "Check the module",
    "Plan the change",
    "Snapshot the volumes of the database",
    "Apply the plan",
    "Verify it all",
]
REWORDED = ["Validate the module", "Make a plan of the change", "Take a snapshot of the database volumes"]
REWORDED += ["Run apply with the plan", "Verify that all of it works"]
NEEDED = [(0, 1), (1, 2), (1, 3), (2, 3), (3, 4)]


def written(form, texts, links):
    """A plan in a format, with its links."""
    if form == "mermaid":
        drawn = [f"  s{at}[{text}]" for at, text in enumerate(texts)] + [f"  s{one} --> s{two}" for one, two in links]
        return "\n".join(["flowchart TD", *drawn]) + "\n"
    if form == "dot":
        drawn = [f's{at} [label="{text}"]' for at, text in enumerate(texts)] + [
            f"s{one} -> s{two}" for one, two in links
        ]
        return f"digraph a {{ {'; '.join(drawn)} }}\n"
    needs = {at: [f"s{one}" for one, two in links if two == at] for at in range(len(texts))}
    steps = [{"id": f"s{at}", "name": text, "needs": needs[at]} for at, text in enumerate(texts)]
    return json.dumps({"wfgate": "1", "steps": steps} if form == "native" else {"steps": steps})


@pytest.mark.parametrize(
    ("golden", "candidate"), [*product(("native", "json"), repeat=2), *product(("mermaid", "dot"), repeat=2)]
)
def test_a_step_that_no_longer_waits_is_reviewed_in_other_words_and_in_every_format(gate, golden, candidate):
    names = {"native": "x.json", "mermaid": "x.mmd", "dot": "x.dot", "json": "x.json"}

    def verdict(links):
        texts = written(golden, CHANGE, NEEDED), written(candidate, REWORDED, links)
        files = [Blob(Path(names[form]), text.encode()) for form, text in zip((golden, candidate), texts, strict=True)]
        return gate.decide(Pair("x", (files[0],), files[1])).verdict

    assert verdict([link for link in NEEDED if link != (2, 3)]) in {"review", "block"}
    assert verdict(NEEDED) == "pass"
