"""Pairs for a judge, what it answers, and what is in the requests to it."""

import json
import re

from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.llm import TEMPLATES
from wfgate.model import END, START, Link, Task, Workflow

EMBEDDER = StaticEmbedder()
STEPS = ("Build the image", "Scan the image", "Sign the image", "Push the image", "Deploy the image")


def opinion(score, first=None, **fields):
    first = score if first is None else first
    said = {
        "ThoughtChain": "nodes, edges, matches",
        "initial_score": first,
        "self_check": {"consistent": "Yes" if first == score else "No", "final_score": score},
        "justification": f"it deserves {score}",
    }
    return json.dumps({**said, **fields})


def flow(*texts):
    links = [(START, "t0"), *((f"t{i}", f"t{i + 1}") for i in range(len(texts) - 1)), (f"t{len(texts) - 1}", END)]
    return Workflow(
        tasks=tuple(Task(id=f"t{i}", name=text) for i, text in enumerate(texts)),
        links=tuple(Link(source=a, target=b) for a, b in links),
    )


def pair(*candidate, golden=STEPS):
    return compare(flow(*golden), flow(*candidate), EMBEDDER)


def blocks(request):
    """Return the data between the tags of a request, in the order in which they are shown."""
    text = request["messages"][1]["content"]
    return [(name, json.loads(data)) for name, data in re.findall(r"<(golden|candidate)>\n(.*)\n</\1>", text)]


def template_of(request):
    return next(i for i, each in enumerate(TEMPLATES) if each.instructions in request["messages"][1]["content"])


def task(request):
    """Return the task in a request; None if there is none."""
    shown = re.search(r"<task>\n(.*)\n</task>", request["messages"][1]["content"])
    return shown and json.loads(shown[1])
