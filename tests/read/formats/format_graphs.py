"""Any graph as a document of any format: nodes are numbers, links are pairs of them."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence

Links = Sequence[tuple[int, int]]
"""Pairs of numbers; a number from the count of nodes upwards is a node that does not exist."""


def _lists(links: Links, side: int) -> dict[int, list[int]]:
    lists: dict[int, list[int]] = defaultdict(list)
    for link in links:
        lists[link[side]].append(link[1 - side])
    return lists


def _gone(names: Sequence[str]) -> list[str]:
    """Names of the nodes that do not exist."""
    return [f"gone {number}" for number in range(len(names), 2 * len(names) + 9)]


def native(names: Sequence[str], links: Links) -> str:
    tasks = [{"id": f"n{number}", "name": name} for number, name in enumerate(names)]
    flow = [{"from": f"n{source}", "to": f"n{target}"} for source, target in links]
    return json.dumps({"wfgate": "1", "workflows": {"w": {"tasks": tasks, "flow": flow}}})


def native_steps(names: Sequence[str], links: Links) -> str:
    needs = _lists(links, 1)
    steps = [
        {"id": f"n{number}", "name": name, "needs": [f"n{need}" for need in needs[number]]}
        for number, name in enumerate(names)
    ]
    return json.dumps({"wfgate": "1", "steps": steps})


def worfbench(names: Sequence[str], links: Links) -> str:
    nodes = "".join(f"{number}: {name}\n" for number, name in enumerate(names, start=1))
    return f"Node:\n{nodes}Edge: (START,1) {' '.join(f'({a + 1},{b + 1})' for a, b in links)}\n"


def graph_json(names: Sequence[str], links: Links) -> str:
    nodes = [{"id": f"n{number}", "name": name} for number, name in enumerate(names)]
    return json.dumps({"nodes": nodes, "edges": [{"source": f"n{a}", "target": f"n{b}"} for a, b in links]})


def task_bench(names: Sequence[str], links: Links) -> str:
    nodes = [{"task": f"{name} {number}", "arguments": [f"<node-{number}>"]} for number, name in enumerate(names)]
    known = [
        *(node["task"] for node in nodes),
        *(f"gone {number}" for number in range(len(names), 2 * len(names) + 9)),
    ]
    flow = [{"source": known[a], "target": known[b]} for a, b in links]
    return json.dumps({"task_nodes": nodes, "task_links": flow})


def markdown(names: Sequence[str], links: Links) -> str:
    needs = _lists(links, 1)
    lines = ["# Tasks", ""]
    for number, name in enumerate(names):
        after = ", ".join(f"T{need:05}" for need in needs[number])
        lines.append(f"- [ ] T{number:05} Do {name}" + (f" (depends on {after})" if after else ""))
    return "\n".join(lines) + "\n"


def numbered(names: Sequence[str], links: Links) -> str:
    targets = _lists(links, 0)
    return "".join(
        f"{number + 1}. Do {name}" + "".join(f"; then go to step {target + 1}" for target in targets[number]) + "\n"
        for number, name in enumerate(names)
    )


def github_actions(names: Sequence[str], links: Links) -> str:
    needs = _lists(links, 1)
    jobs = {
        f"n{number}": {"needs": [f"n{need}" for need in needs[number]], "runs-on": "x", "steps": [{"run": name}]}
        for number, name in enumerate(names)
    }
    return json.dumps({"on": "push", "jobs": jobs})


def github_steps(names: Sequence[str], links: Links) -> str:
    reads = _lists(links, 1)
    steps = [
        {"id": f"n{n}", "run": f"echo {name} " + " ".join(f"${{{{ steps.n{k}.outputs.x }}}}" for k in reads[n])}
        for n, name in enumerate(names)
    ]
    return json.dumps({"on": "push", "jobs": {"j": {"runs-on": "x", "steps": steps}}})


def gitlab_ci(names: Sequence[str], links: Links) -> str:
    needs = _lists(links, 1)
    return json.dumps(
        {f"n{n}": {"needs": [f"n{need}" for need in needs[n]], "script": [name]} for n, name in enumerate(names)}
    )


def gitlab_stages(names: Sequence[str], links: Links) -> str:
    """Three stages; the links are those of `dependencies`."""
    reads = _lists(links, 1)
    stages = ("build", "test", "deploy")
    whens = ("on_success", "always", "on_failure", "manual")
    return json.dumps(
        {
            f"n{n}": {
                "stage": stages[n % 3],
                "when": whens[n % 4],
                "script": [name],
                "artifacts": {"paths": [f"a{n}"]},
                "dependencies": [f"n{source}" for source in reads[n]],
            }
            for n, name in enumerate(names)
        }
    )


def mermaid(names: Sequence[str], links: Links) -> str:
    nodes = "".join(f"  n{number}[{name}]\n" for number, name in enumerate(names))
    return f"flowchart TD\n{nodes}" + "".join(f"  n{a} --> n{b}\n" for a, b in links)


def asl(names: Sequence[str], links: Links) -> str:
    targets = _lists(links, 0)
    states: dict[str, object] = {}
    for number, name in enumerate(names):
        after = [f"n{target}" for target in targets[number]]
        ways = [{"Variable": "$.a", "IsNull": True, "Next": target} for target in after]
        if len(after) > 1:
            states[f"n{number}"] = {"Type": "Choice", "Comment": name, "Choices": ways}
        else:
            then = {"Next": after[0]} if after else {"End": True}
            states[f"n{number}"] = {"Type": "Task", "Comment": name, "Resource": "r", **then}
    return json.dumps({"StartAt": "n0", "States": states})


def n8n(names: Sequence[str], links: Links) -> str:
    nodes = [
        {"name": f"n{n} {name}", "type": "n8n-nodes-base.set", "typeVersion": 1, "parameters": {}}
        for n, name in enumerate(names)
    ]
    known = [
        *(node["name"] for node in nodes),
        *(f"gone {number}" for number in range(len(names), 2 * len(names) + 9)),
    ]
    ways = {
        known[source]: {"main": [[{"node": known[target], "type": "main", "index": 0} for target in targets]]}
        for source, targets in _lists(links, 0).items()
    }
    return json.dumps({"nodes": nodes, "connections": ways})


def bpmn(names: Sequence[str], links: Links) -> str:
    tasks = "".join(f'<task id="n{number}" name="{name}"/>\n' for number, name in enumerate(names))
    flows = "".join(f'<sequenceFlow id="f{k}" sourceRef="n{a}" targetRef="n{b}"/>' for k, (a, b) in enumerate(links))
    space = "http://www.omg.org/spec/BPMN/20100524/MODEL"
    return f'<definitions xmlns="{space}"><process id="p">{tasks}{flows}</process></definitions>'


_ARGO = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": "w"}}


def argo(names: Sequence[str], links: Links) -> str:
    needs = _lists(links, 1)
    tasks = [
        {
            "name": f"n{n}",
            "template": "t",
            "dependencies": [f"n{need}" for need in needs[n]],
            "arguments": {"parameters": [{"name": "a", "value": name}]},
        }
        for n, name in enumerate(names)
    ]
    templates = [{"name": "main", "dag": {"tasks": tasks}}, {"name": "t", "container": {"image": "x"}}]
    spec = {"entrypoint": "main", "templates": templates}
    return json.dumps(
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": "w"}, "spec": spec}
    )


def argo_templates(names: Sequence[str], links: Links) -> str:
    """One template per node, which calls those that its links lead to."""
    calls = _lists(links, 0)
    templates: list[dict[str, object]] = []
    for number in range(len(names)):
        steps = [[{"name": f"c{place}", "template": f"n{call}"}] for place, call in enumerate(calls[number])]
        templates.append({"name": f"n{number}"} | ({"steps": steps} if steps else {"container": {"image": "x"}}))
    spec = {"entrypoint": "n0", "templates": templates}
    return json.dumps(
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": "w"}, "spec": spec}
    )


def dify(names: Sequence[str], links: Links) -> str:
    nodes: list[dict[str, object]] = [{"id": "s", "data": {"type": "start", "title": "Start"}}]
    nodes += [{"id": f"n{n}", "data": {"type": "code", "title": name}} for n, name in enumerate(names)]
    edges = [{"source": f"n{a}", "target": f"n{b}", "sourceHandle": "source"} for a, b in links]
    graph = {"graph": {"nodes": nodes, "edges": [{"source": "s", "target": "n0"}, *edges]}}
    return json.dumps({"kind": "app", "app": {"mode": "workflow", "name": "w"}, "workflow": graph})


def serverless(names: Sequence[str], links: Links) -> str:
    targets = _lists(links, 0)
    do: list[dict[str, object]] = []
    for number, name in enumerate(names):
        after = [f"n{target}" for target in targets[number]]
        if len(after) > 1:
            cases = [{f"c{place}": {"when": f".a == {place}", "then": target}} for place, target in enumerate(after)]
            do.append({f"n{number}": {"switch": cases}})
        else:
            do.append({f"n{number}": {"call": name, **({"then": after[0]} if after else {})}})
    document = {"dsl": "1.0.0", "namespace": "n", "name": "w", "version": "1.0.0"}
    return json.dumps({"document": document, "do": do})


def xxp(names: Sequence[str], links: Links) -> str:
    tasks = "".join(f'define task n{number} {{ description "{name}"; }}\n' for number, name in enumerate(names))
    return f"workflow W {{\nSTART -> n0;\n{tasks}" + "".join(f"n{a} -> n{b};\n" for a, b in links) + "}\n"


def dot(names: Sequence[str], links: Links) -> str:
    nodes = "".join(f'  n{number} [label="{name}"];\n' for number, name in enumerate(names))
    return f"digraph g {{\n{nodes}" + "".join(f"  n{a} -> n{b};\n" for a, b in links) + "}\n"


def recorded_run(names: Sequence[str], links: Links) -> str:
    """Steps run in turns: one that the step before does not lead to is in its turn."""
    direct = set(links)
    messages: list[dict[str, object]] = []
    for number, name in enumerate(names):
        own = f"n{number}"
        call = {"id": own, "type": "function", "function": {"name": name, "arguments": "{}"}}
        message = {"role": "assistant", "id": own if (number - 1, number) in direct else "m", "tool_calls": [call]}
        messages += [message, {"role": "tool", "tool_call_id": own, "content": ""}]
    return json.dumps(messages)


GRAPHS: dict[str, tuple[Callable[[Sequence[str], Links], str], ...]] = {
    "native": (native, native_steps),
    "worfbench": (worfbench,),
    "graph-json": (graph_json, task_bench),
    "markdown": (markdown, numbered),
    "instructions": (numbered,),
    "github-actions": (github_actions, github_steps),
    "gitlab-ci": (gitlab_ci, gitlab_stages),
    "mermaid": (mermaid,),
    "asl": (asl,),
    "n8n": (n8n,),
    "bpmn": (bpmn,),
    "argo": (argo, argo_templates),
    "dify": (dify,),
    "serverless": (serverless,),
    "xxp": (xxp,),
    "dot": (dot,),
    "recorded-run": (recorded_run,),
}
"""How each format is written."""
