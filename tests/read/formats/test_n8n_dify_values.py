"""n8n and Dify: every value has a class and an element, what has an effect is an error, harmless edits are none."""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.compare import compare, leaves_of
from wfgate.compare.values.classes import Classes
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, document_of, read_data
from wfgate.rules import review

SHARED = Path(__file__).parents[4] / "shared" / "corpora" / "formats"
OWN = Path(__file__).parent / "data"
CHECKS = {"WR107", "WR502"}


def files(format_id):
    found = [path for folder in (OWN, SHARED) for path in sorted((folder / format_id).rglob("*"))]
    read = [document_of(path.read_bytes().decode("utf-8-sig"), path.name) for path in found if path.suffix != ""]
    return [document.data for document in read if document.kind != "text" and isinstance(document.data, dict)]


def corpus(format_id):
    return [small(format_id), *(data for data in files(format_id) if "nodes" in data or "workflow" in data)]


def small(format_id):
    return copy.deepcopy(N8N if format_id == "n8n" else DIFY)


def keys(path):
    return tuple(key for key in path if isinstance(key, str))


def element_leaves(workflow):
    for part in (workflow, *workflow.subworkflows):
        for element in part.elements:
            if element.path is not None and element.raw != {}:
                yield from leaves_of(element.raw, element.path)


@pytest.mark.parametrize("format_id", ["n8n", "dify"])
def test_every_value_has_one_class_and_one_element(format_id):
    table = consequences_of(format_id)
    for data in corpus(format_id):
        leaves = list(leaves_of(data, ()))
        for place in {keys(table.place(data, path)) for path, _ in leaves}:
            assert len({table.classes[pattern] for pattern in table.matching(place)}) == 1, place
        workflow = read_data(data, "x", format_id).workflow
        owned = Counter((path, json.dumps(value)) for path, value in element_leaves(workflow))
        assert owned == Counter((path, json.dumps(value)) for path, value in leaves)  # each at its place


def differences(format_id, golden, candidate):
    read = [read_data(data, "x", format_id).workflow for data in (golden, candidate)]
    return [finding for finding in review(compare(*read, StaticEmbedder())) if finding.id in CHECKS]


def reversed_keys(value):
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


CALLS = (
    '"name": "',
    '"node": "',
    "$('",
    '$(\\"',
    "$(`",
    "$node['",
    '$node[\\"',
    "$items('",
    '$items(\\"',
    "_('",
    '_(\\"',
)


def other_names(data):
    """The n8n workflow with other names of its steps, in connections and expressions too."""
    text, after = json.dumps(data), data["connections"]
    ends = {end["node"] for kinds in after.values() for out in kinds.get("main", ()) for end in out or ()}
    # the name of a tool is read by the model
    names = {name for name in ends | after.keys() if after.get(name, {"main": []}).keys() <= {"main"}}
    for name in names:
        was, now = json.dumps(name)[1:-1], json.dumps(f"{name} anew")[1:-1]
        for call in CALLS:
            close = "\\" if call.endswith('\\"') else call[-1]
            text = text.replace(f"{call}{was}{close}", f"{call}{now}{close}")
            if close == "'" in name:
                escaped = (one.replace("'", "\\\\'") for one in (was, now))
                text = text.replace(*(f"{call}{one}{close}" for one in escaped))
    renamed = json.loads(text)
    for key in {"connections", "pinData"} & renamed.keys():
        renamed[key] = {f"{name} anew" if name in names else name: value for name, value in renamed[key].items()}
    return renamed


def other_ids(data):
    """The Dify app with other ids of its nodes, wherever they are."""
    text = json.dumps(data)
    for node in data["workflow"]["graph"]["nodes"]:
        if node["id"].isdigit():
            text = text.replace(node["id"], "9" + node["id"][1:])
    return json.loads(text)


@pytest.mark.parametrize("format_id", ["n8n", "dify"])
@pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_harmless_edits_are_no_difference(format_id, part):
    other = other_names if format_id == "n8n" else other_ids
    for data in corpus(format_id)[::part]:
        assert differences(format_id, data, reversed_keys(data)) == []
        assert [found.message for found in differences(format_id, data, other(data)) if found.severity != "info"] == []


N8N = {
    "name": "Orders",
    "active": True,
    "settings": {"executionOrder": "v1", "errorWorkflow": "e1", "timezone": "UTC", "callerPolicy": "any"},
    "pinData": {"Fetch": [{"json": {"id": 1}}]},
    "nodes": [
        {
            "id": "n1",
            "name": "Hook",
            "type": "n8n-nodes-base.webhook",
            "typeVersion": 2,
            "position": [0, 0],
            "webhookId": "w1",
            "parameters": {"path": "orders", "httpMethod": "POST"},
        },
        {
            "id": "n2",
            "name": "Fetch",
            "type": "n8n-nodes-base.httpRequest",
            "typeVersion": 4.2,
            "position": [200, 0],
            "onError": "stopWorkflow",
            "retryOnFail": True,
            "maxTries": 3,
            "waitBetweenTries": 1000,
            "parameters": {"url": "https://a.example/orders", "options": {"timeout": 10}},
            "credentials": {"httpBasicAuth": {"id": "c1", "name": "staging"}},
        },
        {
            "id": "n3",
            "name": "Large?",
            "type": "n8n-nodes-base.if",
            "typeVersion": 2,
            "position": [400, 0],
            "parameters": {
                "conditions": {
                    "combinator": "and",
                    "conditions": [
                        {
                            "id": "k1",
                            "leftValue": "={{ $('Fetch').item.json.total }}",
                            "rightValue": 100,
                            "operator": {"type": "number", "operation": "gt"},
                        }
                    ],
                }
            },
        },
        {
            "id": "n4",
            "name": "Compute",
            "type": "n8n-nodes-base.code",
            "typeVersion": 2,
            "position": [600, 0],
            "parameters": {"jsCode": '// take all\nreturn $items("Fetch");\n'},
        },
        {
            "id": "n5",
            "name": "Join",
            "type": "n8n-nodes-base.merge",
            "typeVersion": 3,
            "position": [800, 0],
            "parameters": {"mode": "chooseBranch", "useDataOfInput": 1},
        },
        {
            "id": "n6",
            "name": "Agent",
            "type": "@n8n/n8n-nodes-langchain.agent",
            "typeVersion": 1.7,
            "parameters": {"text": '={{ $node["Compute"].json.a }}'},
        },
        {
            "id": "n7",
            "name": "Model",
            "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi",
            "typeVersion": 1,
            "position": [0, 300],
            "parameters": {"model": "gpt-4o"},
        },
        {
            "id": "n8",
            "name": "Note",
            "type": "n8n-nodes-base.stickyNote",
            "typeVersion": 1,
            "parameters": {"content": "Hi", "color": 2},
        },
    ],
    "connections": {
        "Hook": {"main": [[{"node": "Fetch", "type": "main", "index": 0}]]},
        "Fetch": {"main": [[{"node": "Large?", "type": "main", "index": 0}]]},
        "Large?": {
            "main": [
                [{"node": "Compute", "type": "main", "index": 0}],
                [{"node": "Join", "type": "main", "index": 1}],
            ]
        },
        "Compute": {"main": [[{"node": "Join", "type": "main", "index": 0}]]},
        "Join": {"main": [[{"node": "Agent", "type": "main", "index": 0}]]},
        "Model": {"ai_languageModel": [[{"node": "Agent", "type": "ai_languageModel", "index": 0}]]},
    },
    "tags": [{"name": "shop"}],
    "versionId": "v1",
    "meta": {"instanceId": "i1"},
}


def node(number, kind, title, **data):
    return {
        "id": f"171111111111{number}",
        "type": "custom",
        "position": {"x": 300 * number, "y": 0},
        "width": 244,
        "data": {"type": kind, "title": title, "selected": False, **data},
    }


def edge(source, target):
    ends = {"source": f"171111111111{source}", "target": f"171111111111{target}"}
    return {"id": f"{source}-{target}", "sourceHandle": "source", "targetHandle": "target", **ends}


DIFY = {
    "kind": "app",
    "version": "0.1.5",
    "app": {"mode": "workflow", "name": "Ask", "description": "", "icon": "A"},
    "dependencies": [{"type": "marketplace", "value": {"marketplace_plugin_unique_identifier": "openai:1"}}],
    "workflow": {
        "environment_variables": [{"id": "e", "name": "KEY", "value": "hunter2", "value_type": "secret"}],
        "conversation_variables": [],
        "features": {"opening_statement": "Hello", "sensitive_word_avoidance": {"enabled": True}},
        "graph": {
            "viewport": {"x": 0, "y": 0, "zoom": 1},
            "edges": [edge(at, at + 1) for at in range(4)],
            "nodes": [
                node(0, "start", "Start", variables=[{"variable": "query", "type": "paragraph", "required": True}]),
                node(
                    1,
                    "knowledge-retrieval",
                    "Search",
                    dataset_ids=["d1"],
                    retrieval_mode="multiple",
                    query_variable_selector=["1711111111110", "query"],
                    multiple_retrieval_config={"top_k": 4, "reranking_enable": True},
                ),
                node(
                    2,
                    "llm",
                    "Answer",
                    model={"provider": "openai", "name": "gpt-4o", "completion_params": {"temperature": 0.2}},
                    prompt_template=[{"id": "p1", "role": "system", "text": "Hide prices. {{#1711111111110.query#}}"}],
                    context={"enabled": True, "variable_selector": ["1711111111111", "result"]},
                    error_strategy="fail-branch",
                    retry_config={"retry_enabled": True, "max_retries": 3, "retry_interval": 1000},
                ),
                node(
                    3,
                    "code",
                    "Shape",
                    code="def main(a):\n    return a\n",
                    code_language="python3",
                    variables=[{"variable": "a", "value_selector": ["1711111111112", "text"]}],
                ),
                node(
                    4,
                    "http-request",
                    "Send",
                    url="https://a.example/{{#1711111111113.result#}}",
                    authorization={"type": "api-key", "config": {"api_key": "hunter2"}},
                ),
                node(9, "", "", text="Hi", theme="blue") | {"type": "custom-note"},
            ],
        },
    },
}


def changed(format_id, path, value):
    """The small file with one other value; a path has dots between keys, None removes the value."""
    data = small(format_id)
    at = data
    *inner, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in inner:
        at = at[key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return data


GRAPH = "workflow.graph.nodes.{}.data."


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nodes.1.onError", "continueRegularOutput"),
        ("nodes.2.continueOnFail", True),
        ("nodes.1.retryOnFail", False),
        ("nodes.1.maxTries", 1),
        ("nodes.1.waitBetweenTries", 1),
        ("nodes.6.disabled", True),
        ("nodes.1.executeOnce", True),
        ("nodes.1.alwaysOutputData", True),
        ("nodes.1.credentials.httpBasicAuth.id", "c2"),
        ("nodes.1.credentials.httpBasicAuth.name", "production"),
        ("nodes.1.credentials", None),
        ("nodes.4.type", "n8n-nodes-base.compareDatasets"),
        ("nodes.1.typeVersion", 4.1),
        ("nodes.1.parameters.url", "https://b.example/orders"),
        ("nodes.1.parameters.options.allowUnauthorizedCerts", True),
        ("nodes.2.parameters.conditions.conditions.0.rightValue", 1000),
        ("nodes.2.parameters.conditions.conditions.0.leftValue", "={{ $('Hook').item.json.total }}"),
        ("nodes.3.parameters.jsCode", '// take all return $items("Fetch");\n'),
        ("nodes.4.parameters.useDataOfInput", 2),
        ("nodes.6.parameters.model", "gpt-4o-mini"),
        ("nodes.0.webhookId", "w2"),
        ("settings.executionOrder", "v0"),
        ("settings.errorWorkflow", None),
        ("settings.timezone", "Asia/Tokyo"),
        ("settings.callerPolicy", "none"),
        ("active", False),
        ("connections.Compute.main.0.0.index", 1),
        ("connections.Model.ai_languageModel.0.0.node", "Fetch"),
        ("connections.Model.ai_languageModel.0.0.type", "main"),
    ],
)
def test_n8n_effects(path, value):
    assert "error" in {finding.severity for finding in differences("n8n", small("n8n"), changed("n8n", path, value))}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("nodes.7.parameters.content", "Ho"),
        ("nodes.3.parameters.jsCode", '/* all */\n\n  return  $items( "Fetch" ); // of them'),
        ("nodes.7", None),
        ("nodes.1.notes", "a note"),
        ("nodes.1.disabled", False),
        ("nodes.1.onError", None),
        ("nodes.2.parameters.conditions.conditions.0.id", "k2"),
        ("connections.Hook.main.0.0.index", None),
        ("tags.0.name", "store"),
        ("versionId", "v2"),
        ("meta.instanceId", "i2"),
        ("pinData.Fetch.0.json.id", 2),
    ],
)
def test_n8n_looks_are_named_and_no_more(path, value):
    assert [found.severity for found in differences("n8n", small("n8n"), changed("n8n", path, value))] == ["info"]


def two_agents(first, second, used=None):
    """Two agents, each with a model; both models have the same parameters. `used`: names in the connections."""
    kind = "@n8n/n8n-nodes-langchain."
    nodes = [{"name": "Hook", "type": "n8n-nodes-base.webhook"}]
    nodes += [{"name": name, "type": f"{kind}agent", "parameters": {"text": name}} for name in ("Answer", "Translate")]
    nodes += [{"id": name[-1], "name": name, "type": f"{kind}lmChatOpenAi"} for name in (first, second)]
    flow = {name: {"main": [[{"node": to}]]} for name, to in (("Hook", "Answer"), ("Answer", "Translate"))}
    uses = zip(used or (first, second), ("Answer", "Translate"), strict=True)
    return {"nodes": nodes, "connections": flow | {one: {"ai_languageModel": [[{"node": to}]]} for one, to in uses}}


@pytest.mark.parametrize(
    ("candidate", "severe"),
    [
        (two_agents("Small 1", "Model 2"), False),
        (two_agents("Small 1", "Small 2"), False),
        (two_agents("Model 2", "Small 1", ("Small 1", "Model 2")), False),
        (two_agents("Small 1", "Model 2", ("Model 1", "Model 2")), True),
        (two_agents("Small 1", "Small 2", ("Small 1", "Model 2")), True),
    ],
)
def test_of_equal_models_each_agent_keeps_its_own(candidate, severe):
    found = differences("n8n", two_agents("Model 1", "Model 2"), candidate)
    assert ("error" in {finding.severity for finding in found}) is severe


def test_an_unknown_value_of_a_node_needs_a_review():
    found = differences("n8n", small("n8n"), changed("n8n", "nodes.1.speed", "fast"))
    assert [finding.severity for finding in found] == ["warning"]


def worst(golden, candidate):
    levels = ["info", "warning", "error"]
    both = (golden, candidate), (candidate, golden)
    return {
        max((found.severity for found in differences("n8n", *pair)), key=levels.index, default="") for pair in both
    }


BARE = {key: N8N[key] for key in ("name", "nodes", "connections")}


@pytest.mark.parametrize(
    ("added", "level"),
    [
        ({"settings": {}}, ""),
        ({"settings": None, "pinData": None, "meta": {}}, ""),
        ({"pinData": {}, "staticData": None}, ""),
        ({"settings": {"executionOrder": "v0", "timezone": "DEFAULT", "executionTimeout": -1}}, "info"),
        ({"settings": {"callerPolicy": "workflowsFromSameOwner", "errorWorkflow": None}}, "info"),
        ({"active": False, "isArchived": False, "tags": [], "versionId": "v1", "id": "w1"}, "info"),
        ({"createdAt": "2026-01-01", "updatedAt": "2026-01-01", "triggerCount": 1, "parentFolder": None}, "info"),
        ({"shared": [{"role": "workflow:owner"}], "meta": {"instanceId": "i"}, "scopes": ["workflow:read"]}, "info"),
        ({"active": True}, "error"),
        ({"settings": {"executionOrder": "v1"}}, "error"),
        ({"settings": {"errorWorkflow": "e1"}}, "error"),
        ({"settings": {"timezone": "UTC"}}, "error"),
        ({"settings": {"executionTimeout": 60}}, "error"),
        ({"settings": {"saveDataErrorExecution": "none"}}, "error"),
        ({"settings": {"callerPolicy": "any"}}, "error"),
        ({"pinData": {"Fetch": [{"json": {}}]}}, "info"),
    ],
)
def test_what_an_export_adds_is_no_difference_and_what_has_an_effect_is_one(added, level):
    assert worst(BARE, BARE | added) == {level}


def test_another_id_is_a_difference_and_its_purpose_is_said():
    (found,) = differences("n8n", BARE | {"id": "w1"}, BARE | {"id": "w2"})
    assert found.severity == "warning"
    assert found.message.endswith(
        "has another id: `w2` instead of `w1` "
        "(an import replaces the workflow with this id, and other workflows call it)"
    )


def test_removed_test_data_is_named_and_no_more():
    golden = small("n8n")
    (found,) = differences("n8n", golden, {key: value for key, value in golden.items() if key != "pinData"})
    assert found.severity == "info"
    assert found.message.endswith("(test data for runs from the editor; other runs do not use it)")


def test_a_list_of_one_workflow_equals_the_workflow():
    assert worst(small("n8n"), [small("n8n")]) == {""}


def test_a_lost_use_is_told_from_the_step_that_loses_it():
    golden, candidate = small("n8n"), small("n8n")
    del candidate["connections"]["Model"]
    (lost,) = differences("n8n", golden, candidate)
    (new,) = differences("n8n", candidate, golden)
    assert (lost.message, new.message) == (
        "'Agent' no longer uses the model 'Model'",
        "'Agent' now uses the model 'Model'",
    )


def test_the_order_of_nodes_has_no_meaning():
    golden, candidate = small("n8n"), small("n8n")
    candidate["nodes"].reverse()
    assert differences("n8n", golden, candidate) == []


PARSER = "@n8n/n8n-nodes-langchain.outputParserStructured"
AGENT = {"node": "Agent", "index": 0}


def with_parts():
    """Return a file with several nodes that are no steps, next to each other on the canvas."""
    data = small("n8n")
    model = next(node for node in data["nodes"] if node["name"] == "Model")
    data["nodes"] += [
        model | {"id": "n9", "name": "Fallback", "position": [0, 301], "parameters": {"model": "gpt-4o-mini"}},
        model | {"id": "n10", "name": "Parser", "type": PARSER, "position": [0, 302], "parameters": {"schema": "{}"}},
        model | {"id": "n11", "name": "Old model", "position": [0, 303], "disabled": True},
    ]
    data["connections"] |= {
        "Fallback": {"ai_languageModel": [[AGENT | {"type": "ai_languageModel", "index": 1}]]},
        "Parser": {"ai_outputParser": [[AGENT | {"type": "ai_outputParser"}]]},
    }
    return data


def moved_down(data, by=1):
    for node in data["nodes"]:
        if "position" in node:
            node["position"] = [node["position"][0], node["position"][1] + by]
    return data


@pytest.mark.parametrize("by", [1, 2, -1, 300])
@pytest.mark.parametrize("other_id", [False, True])  # an import gives new ids
def test_nodes_in_another_order_and_at_another_place_are_the_same_nodes(by, other_id):
    candidate = moved_down(with_parts(), by)
    candidate["nodes"].reverse()
    for node in candidate["nodes"] if other_id else ():
        node["id"] = f"{node['id']}-copy"
    found = differences("n8n", with_parts(), candidate)
    assert {each.severity for each in found} <= {"info"}
    assert all("id: " in each.message for each in found)


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        (
            {"Fallback": {"parameters": {"model": "gpt-3"}}},
            ["'Fallback' has another parameters.model: `gpt-3` instead of `gpt-4o-mini`"],
        ),
        (
            {"Fallback": {"name": "Spare", "parameters": {"model": "gpt-3"}}},  # the same id
            [
                "'Agent' no longer uses the model 'Fallback'",
                "'Agent' now uses the model 'Spare'",
                "'Spare' has another name: `Spare` instead of `Fallback`",
                "'Spare' has another parameters.model: `gpt-3` instead of `gpt-4o-mini`",
            ],
        ),
        (
            {"Fallback": {"name": "Spare", "id": "x"}},
            [
                "'Spare' has another id: `x` instead of `n9` (no effect on a run)",
                "'Spare' has another name: `Spare` instead of `Fallback`",
            ],
        ),
    ],
)
def test_a_part_is_compared_with_the_part_of_its_name_or_id(changes, messages):
    candidate = moved_down(with_parts())
    candidate["nodes"].reverse()
    for node in candidate["nodes"]:
        node.update(changes.get(node["name"], {}))
    for name, change in changes.items():
        candidate["connections"][change.get("name", name)] = candidate["connections"].pop(name)
    found = differences("n8n", with_parts(), candidate)
    assert sorted(each.message for each in found) == messages


def test_parts_that_share_no_name_id_or_type_are_gone_and_new():
    candidate = with_parts()
    gone = next(node for node in candidate["nodes"] if node["name"] == "Parser")
    gone |= {"name": "Memory", "id": "n12", "type": "@n8n/n8n-nodes-langchain.memoryBufferWindow", "parameters": {}}
    messages = [each.message for each in differences("n8n", with_parts(), candidate)]
    assert not any("instead of" in message for message in messages)
    assert any("no longer has nodes.Parser" in message for message in messages), messages


def test_a_reference_to_a_new_node_with_the_old_name_of_another_is_a_change():
    golden, candidate = small("n8n"), other_names(small("n8n"))
    candidate["nodes"].append({"name": "Fetch", "type": "n8n-nodes-base.set", "typeVersion": 1, "parameters": {}})
    assert not [
        found
        for found in differences("n8n", golden, candidate)
        if found.id == "WR107" and found.severity != "info" and found.tasks != ("Fetch",)
    ]
    candidate["nodes"][3]["parameters"]["jsCode"] = golden["nodes"][3]["parameters"]["jsCode"]
    assert "error" in {found.severity for found in differences("n8n", golden, candidate) if found.id == "WR107"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("app.mode", "advanced-chat"),
        ("dependencies.0.value.marketplace_plugin_unique_identifier", "evil:1"),
        ("workflow.environment_variables.0.value", "other"),
        ("workflow.features.opening_statement", "Hi"),
        ("workflow.graph.edges.0.sourceHandle", "other"),
        ("workflow.features.sensitive_word_avoidance.enabled", False),
        (GRAPH.format(0) + "variables.0.required", False),
        (GRAPH.format(1) + "dataset_ids", ["d2"]),
        (GRAPH.format(1) + "multiple_retrieval_config.top_k", 8),
        (GRAPH.format(1) + "multiple_retrieval_config.reranking_enable", None),
        (GRAPH.format(2) + "model.provider", "azure"),
        (GRAPH.format(2) + "model.name", "gpt-4o-mini"),
        (GRAPH.format(2) + "model.completion_params.temperature", 1.5),
        (GRAPH.format(2) + "prompt_template.0.text", "Show prices. {{#1711111111110.query#}}"),
        (GRAPH.format(2) + "prompt_template.0.text", "Hide prices. {{#1711111111111.query#}}"),
        (GRAPH.format(2) + "context.variable_selector.0", "1711111111110"),
        (GRAPH.format(2) + "error_strategy", "default-value"),
        (GRAPH.format(2) + "retry_config.max_retries", 9),
        (GRAPH.format(3) + "code", "def main(a):\n    return '# a'\n"),
        (GRAPH.format(3) + "code_language", "javascript"),
        (GRAPH.format(3) + "variables.0.value_selector", ["1711111111111", "text"]),
        (GRAPH.format(4) + "url", "https://b.example/{{#1711111111113.result#}}"),
        (GRAPH.format(4) + "authorization.config.api_key", "other"),
        (GRAPH.format(4) + "isInIteration", True),
    ],
)
def test_dify_effects(path, value):
    found = differences("dify", small("dify"), changed("dify", path, value))
    assert "error" in {finding.severity for finding in found}
    assert not any("hunter2" in finding.model_dump_json() for finding in found)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("app.icon", "B"),
        (GRAPH.format(3) + "code", "# the shape\ndef main( a ):\n\n  return a  # as it is\n"),
        ("workflow.graph.viewport.zoom", 2),
        ("workflow.graph.nodes.1.position.x", 900),
        ("workflow.graph.nodes.0.position.x", 900),
        ("workflow.graph.nodes.1.width", 300),
        (GRAPH.format(2) + "selected", True),
        (GRAPH.format(2) + "prompt_template.0.id", "p2"),
        (GRAPH.format(2) + "isInIteration", False),
        (GRAPH.format(5) + "text", "Ho"),
        ("workflow.graph.edges.0.id", "e9"),
        ("workflow.graph.edges.0.sourceHandle", None),
        ("workflow.graph.edges.0.targetHandle", None),
    ],
)
def test_dify_looks_are_named_and_no_more(path, value):
    assert [found.severity for found in differences("dify", small("dify"), changed("dify", path, value))] == ["info"]


def test_edges_in_another_order_with_other_ids_are_the_same_edges():
    golden, candidate = small("dify"), small("dify")
    golden["workflow"]["graph"]["edges"][1]["sourceHandle"] = "fail-branch"
    edges = candidate["workflow"]["graph"]["edges"] = [
        {**edge, "id": f"e{at}"} for at, edge in enumerate(reversed(golden["workflow"]["graph"]["edges"]))
    ]
    assert {found.severity for found in differences("dify", golden, candidate)} == {"info"}
    edges[2]["sourceHandle"], edges[3]["sourceHandle"] = edges[3]["sourceHandle"], edges[2]["sourceHandle"]
    assert "error" in {found.severity for found in differences("dify", golden, candidate)}


def test_another_start_node_is_no_counterpart():
    """A reference to a start node is a change if the start node has another input too."""
    golden, candidate = small("dify"), other_ids(small("dify"))
    candidate["workflow"]["graph"]["nodes"][0]["data"]["variables"][0]["required"] = False
    assert "error" in {found.severity for found in differences("dify", golden, candidate)}


def test_a_disabled_node_is_named_with_what_changed():
    """Its data are compared with those of the step that it was, wherever it stands in the file."""
    golden = small("n8n")
    steps = [task.name for task in read_data(golden, "x", "n8n").workflow.tasks]
    parts = [node["name"] for node in golden["nodes"] if node["name"] not in steps and "sticky" not in node["type"]]
    assert steps
    assert parts  # a model or a tool of another node
    for name in (*steps, *parts):
        candidate = small("n8n")
        next(node for node in candidate["nodes"] if node["name"] == name)["disabled"] = True
        for nodes in (candidate["nodes"], candidate["nodes"][::-1]):
            found = differences("n8n", golden, candidate | {"nodes": nodes})
            values = [one for one in found if one.id in CHECKS and one.severity == "error"]
            assert [one.message.endswith("disabled: `true`") for one in values] == [True], name
            assert name in values[0].message


@pytest.mark.parametrize("by", [0, 1, 300])
def test_a_renamed_node_on_a_moved_canvas_is_the_same_flow(by):
    candidate = moved_down(other_names(small("n8n")), by)
    comparison = compare(
        *(read_data(data, "x", "n8n").workflow for data in (small("n8n"), candidate)), StaticEmbedder()
    )
    assert comparison.derived(Classes).flows_alike


@pytest.mark.parametrize(
    ("key", "was", "now"),
    [
        ("jsCode", "return $('Fetch').all()", "return $('Fetch the API\\'s orders').all()"),
        ("pythonCode", "return _('Fetch').all()", "return _('Fetch the API\\'s orders').all()"),
        ("pythonCode", 'return _("Fetch").all()', 'return _("Fetch the API\'s orders").all()'),
    ],
)
def test_a_reference_follows_a_renamed_node_whatever_its_name_and_language(key, was, now):
    def workflow(name, code):
        nodes = [
            {"name": "Hook", "type": "n8n-nodes-base.webhook", "parameters": {"path": "orders"}},
            {"name": name, "type": "n8n-nodes-base.httpRequest", "parameters": {"url": "https://a.example"}},
            {"name": "Sum", "type": "n8n-nodes-base.code", "parameters": {key: code}},
        ]
        wires = {
            one: {"main": [[{"node": two, "type": "main", "index": 0}]]}
            for one, two in (("Hook", name), (name, "Sum"))
        }
        return {"name": "Orders", "nodes": nodes, "connections": wires}

    golden, name = workflow("Fetch", was), "Fetch the API's orders"
    found = differences("n8n", golden, workflow(name, now))
    assert [each.message for each in found if each.severity != "info"] == []
    back = differences("n8n", workflow(name, now), golden)
    assert [each.message for each in back if each.severity != "info"] == []
    wrong = differences("n8n", golden, workflow(name, now.replace("orders", "order")))
    assert [each.message for each in wrong if each.severity != "info"]
