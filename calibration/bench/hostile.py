"""Processor time of each command on hostile pairs: no command should need more than half a minute.

A pair is allowed by the limits of the readers (`read/documents/limits.py`, `MAX_TASKS`, `MAX_LINKS`), and made to be
expensive to compare: complete graphs, thousands of steps with nearly the same name, conditions of hundreds of terms,
deep nesting, texts of 10 MB.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from accuracy import table

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from read.formats import format_graphs as graphs

TARGET = 30
"""Seconds of processor time for one command."""
LIMIT = 60
"""Seconds of processor time after which a command is stopped."""
VERBS = "Check Build Copy Send Review Deploy Archive Measure Import Delete Sign Convert Label Count Restart"
THINGS = "invoice image table letter draft service record pressure ledger snapshot contract video ticket parcel node"
OTHERS = "shipment poster lecture recipe garden engine bridge ballad passport turbine meadow lantern harbour quilt"

Pair = tuple[str, str]
Make = Callable[[], Pair]
Links = list[tuple[int, int]]


def names(count: int, things: str = THINGS) -> list[str]:
    """Return names of steps that differ."""
    verbs, nouns = VERBS.split(), things.split()
    width = len(verbs) * len(nouns)
    return [
        f"{verbs[k % len(verbs)]} the {nouns[k // len(verbs) % len(nouns)]}" + f" of area {k // width}" * (k >= width)
        for k in range(count)
    ]


def dense(count: int, links: int) -> Links:
    """Return the first links of a complete graph without cycles, by the length of the link."""
    found = [(source, source + far) for far in range(1, count) for source in range(count - far)]
    return found[:links]


def chain(count: int) -> Links:
    """Return a chain."""
    return [(k, k + 1) for k in range(count - 1)]


def shuffled(links: Links, share: float) -> Links:
    """Return links of which a share leads between other steps."""
    rng = random.Random(1)
    count = 1 + max(target for _, target in links)
    changed = set(rng.sample(range(len(links)), int(share * len(links))))
    kept = {link for place, link in enumerate(links) if place not in changed}
    while len(kept) < len(links):
        kept.add(tuple(sorted(rng.sample(range(count), 2))))  # type: ignore[arg-type]
    return sorted(kept)


def same(text: str) -> Pair:
    """Return a pair of equal files."""
    return text, text


def drawn(write: Callable[[Sequence[str], Links], str], count: int, links: int, change: str) -> Make:
    """Return a maker of a dense graph, and the same with some links changed."""

    def make() -> Pair:
        steps, golden = names(count), dense(count, links)
        candidate = {
            "equal": golden,
            "one link": [*golden[:-1], (0, count - 1)] if (0, count - 1) not in golden else golden[:-1],
            "half": shuffled(golden, 0.5),
        }[change]
        return write(steps, golden), write(steps, candidate)

    return make


def guarded(count: int, condition: Callable[[int], str], other: Callable[[int], str], links: Links) -> Make:
    """Return a maker of native files with a condition on each link."""

    def make() -> Pair:
        steps = names(count)
        texts = []
        for text in (condition, other):
            flow = [{"from": f"n{a}", "to": f"n{b}", "guard": text(k)} for k, (a, b) in enumerate(links)]
            tasks = [{"id": f"n{number}", "name": name} for number, name in enumerate(steps)]
            texts.append(json.dumps({"wfgate": "1", "workflows": {"w": {"tasks": tasks, "flow": flow}}}))
        return texts[0], texts[1]

    return make


def parity(width: int, joint: str) -> str:
    """Return a condition of many terms whose diagram grows with the order of the terms."""
    half = width // 2
    return joint.join(f"(v{k} == 1 and w{half - k} > {k})" for k in range(half))


def nested(depth: int) -> str:
    """Return a state machine of ASL with parallel states in each other."""
    inner: dict[str, object] = {"StartAt": "s", "States": {"s": {"Type": "Pass", "End": True}}}
    for level in range(depth):
        twin = {"StartAt": f"t{level}", "States": {f"t{level}": {"Type": "Task", "Resource": "r", "End": True}}}
        state = {"Type": "Parallel", "Branches": [inner, twin], "End": True}
        inner = {"StartAt": f"p{level}", "States": {f"p{level}": state}}
    return json.dumps(inner)


def groups(depth: int) -> Pair:
    """Return native files with groups in each other."""
    texts = []
    for last in ("Send the letter", "Burn the letter"):
        flows: dict[str, object] = {
            f"w{k}": {
                "tasks": [
                    {"id": "a", "name": f"Prepare level {k}"},
                    {"id": "b", "name": f"Group {k}", "kind": "composite", "workflow": f"w{k + 1}"},
                ],
                "flow": [{"from": "a", "to": "b"}],
            }
            for k in range(depth)
        }
        flows[f"w{depth}"] = {"tasks": [{"id": "a", "name": last}]}
        texts.append(json.dumps({"wfgate": "1", "main": "w0", "workflows": flows}))
    return texts[0], texts[1]


def tree(depth: int) -> Pair:
    """Return native files in which each group calls the next one twice."""
    texts = []
    for last in ("Send the letter", "Burn the letter"):
        flows: dict[str, object] = {
            f"w{k}": {
                "tasks": [
                    {"id": side, "name": f"Group {side} {k}", "kind": "composite", "workflow": f"w{k + 1}"}
                    for side in "ab"
                ]
            }
            for k in range(depth)
        }
        flows[f"w{depth}"] = {"tasks": [{"id": "a", "name": last}]}
        texts.append(json.dumps({"wfgate": "1", "main": "w0", "workflows": flows}))
    return texts[0], texts[1]


def listed(steps: Sequence[str]) -> str:
    """Return a runbook with numbered steps."""
    return "# Runbook\n\n" + "".join(f"{k}. {step}\n" for k, step in enumerate(steps, start=1))


def steps_of(steps: Sequence[str]) -> str:
    """Return a list of steps in the native format."""
    return json.dumps({"wfgate": "1", "steps": list(steps)})


def plan(steps: Sequence[str]) -> str:
    """Return a list of steps as a model answers it."""
    return json.dumps([{"step": k, "action": step} for k, step in enumerate(steps, start=1)])


def jobs(count: int, condition: str) -> str:
    """Return a GitHub Actions file in which every job has a condition and waits for all jobs before it."""
    found = {
        f"n{k}": {
            "runs-on": "x",
            "if": condition.replace("K", str(k)),
            "needs": [f"n{other}" for other in range(k)],
            "steps": [{"run": f"make part{k}"}],
        }
        for k in range(count)
    }
    return json.dumps({"on": "push", "jobs": found})


def gateways(count: int, relation: str) -> str:
    """Return a BPMN process of decisions, each with a condition of its own."""
    space = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    parts, flows = ['<startEvent id="s"/>'], ['<sequenceFlow id="f" sourceRef="s" targetRef="g0"/>']
    for k in range(count):
        parts.append(
            f'<exclusiveGateway id="g{k}"/><task id="a{k}" name="Do part {k}"/><task id="b{k}" name="Skip {k}"/>'
        )
        for way, expr in (("a", f"v{k} {relation} {k}"), ("b", f"v{k} &lt;= {k}")):
            cond = f'<conditionExpression xsi:type="tFormalExpression">${{{expr}}}</conditionExpression>'
            flows.append(f'<sequenceFlow id="{way}f{k}" sourceRef="g{k}" targetRef="{way}{k}">{cond}</sequenceFlow>')
            then = f"g{k + 1}" if k + 1 < count else "e"
            flows.append(f'<sequenceFlow id="{way}t{k}" sourceRef="{way}{k}" targetRef="{then}"/>')
    parts.append('<endEvent id="e"/>')
    return f'<definitions {space}><process id="p" isExecutable="true">{"".join(parts + flows)}</process></definitions>'


def layers(count: int, width: int) -> Links:
    """Return complete links from each layer to the next one."""
    return [
        (a, b)
        for low in range(0, count - width, width)
        for a in range(low, low + width)
        for b in range(low + width, min(low + 2 * width, count))
    ]


LONG = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
"""About 100 characters."""


def long_name(size: int, suffix: str) -> str:
    """Return a name of that many characters."""
    return "Send " + (LONG * (size // len(LONG) + 1))[:size] + suffix


def rotated(steps: list[str]) -> list[str]:
    """Return the steps in another order."""
    return steps[len(steps) // 2 :] + steps[: len(steps) // 2]


def alike(count: int) -> list[str]:
    """Return names that differ in a number only."""
    return [f"Restart the payment service number {k}" for k in range(count)]


def _conditions(k: int) -> str:
    return f"v{k % 300} > {k}"


def _other_conditions(k: int) -> str:
    return f"v{k % 300} > {k + (k == 7)}"


CASES: dict[str, tuple[str, Make]] = {
    "400 steps, 50,000 links, equal": ("json", drawn(graphs.native, 400, 50_000, "equal")),
    "400 steps, 50,000 links, one changed": ("json", drawn(graphs.native, 400, 50_000, "one link")),
    "400 steps, 50,000 links, half changed": ("json", drawn(graphs.native, 400, 50_000, "half")),
    "400 steps, 10,000 links, half changed": ("json", drawn(graphs.native, 400, 10_000, "half")),
    "630 steps, 198,000 links, one changed (Mermaid)": ("mmd", drawn(graphs.mermaid, 630, 198_000, "one link")),
    "200 jobs, 19,900 links, half changed (GitHub)": ("yml", drawn(graphs.github_actions, 200, 15_000, "half")),
    "200 tasks, 15,000 links, half changed (Argo)": ("yaml", drawn(graphs.argo, 200, 15_000, "half")),
    "300 tasks, 20,000 links, half changed (BPMN)": ("bpmn", drawn(graphs.bpmn, 300, 20_000, "half")),
    "3,000 steps, 9,000 links, half changed": ("json", drawn(graphs.native, 3000, 9000, "half")),
    "12 layers of 80 steps, equal": ("json", lambda: same(graphs.native(names(960), layers(960, 80)))),
    "5,000 steps in a chain, equal": ("json", lambda: same(graphs.native(names(5000), chain(5000)))),
    "5,000 steps in a chain, other order": (
        "json",
        lambda: (steps_of(names(5000)), steps_of(rotated(names(5000)))),
    ),
    "2,000 steps, all renamed": ("json", lambda: (steps_of(names(2000)), steps_of(names(2000, OTHERS)))),
    "5,000 steps, all renamed (Markdown)": ("md", lambda: (listed(names(5000)), listed(names(5000, OTHERS)))),
    "20,000 steps, all renamed": ("json", lambda: (steps_of(names(20_000)), steps_of(names(20_000, OTHERS)))),
    "20,000 steps (plan), equal": ("json", lambda: same(plan(names(20_000)))),
    "100,000 list items (Markdown)": ("md", lambda: same(listed(names(100_000)))),
    "3,000 steps with the same name": ("json", lambda: (steps_of(["Do it"] * 3000), steps_of(["Do it"] * 2999))),
    "20,000 steps with the same name": (
        "json",
        lambda: (steps_of(["Do it"] * 20_000), steps_of(["Do it"] * 19_999)),
    ),
    "3,000 steps with nearly the same name": ("json", lambda: (steps_of(alike(3000)), steps_of(alike(3100)[100:]))),
    "one name of 10 MB, changed": (
        "json",
        lambda: (steps_of([long_name(10_000_000, "a"), "b"]), steps_of([long_name(10_000_000, "b"), "b"])),
    ),
    "one name of 10 MB, changed (Markdown)": (
        "md",
        lambda: (listed([long_name(10_000_000, "a"), "b"]), listed([long_name(10_000_000, "b"), "b"])),
    ),
    "1,000 names of 10 kB, changed": (
        "json",
        lambda: (
            steps_of([f"{k} {long_name(10_000, 'a')}" for k in range(1000)]),
            steps_of([f"{k} {long_name(10_000, 'b')}" for k in range(1000)]),
        ),
    ),
    "300 conditions, one changed": ("json", guarded(301, _conditions, _other_conditions, chain(301))),
    "5,000 steps, each with a condition, one changed": (
        "json",
        guarded(5000, _conditions, _other_conditions, chain(5000)),
    ),
    "complete graph of 150 steps, a condition on each link": (
        "json",
        guarded(150, _conditions, _other_conditions, dense(150, 99_999)),
    ),
    "conditions of 200 terms, all changed": (
        "json",
        guarded(40, lambda _k: parity(200, " or "), lambda _k: parity(200, " and "), chain(40)),
    ),
    "100 jobs, each with an if and all needs (GitHub)": (
        "yml",
        lambda: (
            jobs(100, "always() && (github.ref == 'refs/heads/K' || needs.n0.result == 'failure')"),
            jobs(100, "success() && (github.ref == 'refs/heads/K' || needs.n0.result == 'success')"),
        ),
    ),
    "500 decisions in a row (BPMN)": ("bpmn", lambda: (gateways(500, "&gt;"), gateways(500, "&gt;="))),
    "choice of 400 branches (ASL)": (
        "json",
        lambda: (graphs.asl(names(400), _fan(400)), graphs.asl(names(399), _fan(399))),
    ),
    "parallel states 45 deep (ASL)": ("json", lambda: (nested(24), nested(23))),
    "groups 49 deep": ("json", lambda: groups(49)),
    "groups 200 deep": ("json", lambda: groups(200)),
    "groups that call the next one twice, 13 deep": ("json", lambda: tree(13)),
}


def _fan(count: int) -> Links:
    return [(0, k) for k in range(1, count)]


COMMANDS: dict[str, Callable[[Path, Path], list[str]]] = {
    "gate": lambda golden, candidate: ["gate", str(candidate), "-r", str(golden)],
    "gate, html": lambda golden, candidate: ["gate", str(candidate), "-r", str(golden), "--format", "html"],
    "score": lambda golden, candidate: ["score", str(golden), str(candidate), "--metric", "graph-f1,chain-f1"],
    "diff": lambda golden, candidate: ["diff", str(golden), str(candidate)],
    "show": lambda _golden, candidate: ["show", str(candidate)],
    "show, svg": lambda _golden, candidate: ["show", str(candidate), "--format", "svg"],
    "facts": lambda _golden, candidate: ["facts", str(candidate)],
    "lint": lambda _golden, candidate: ["lint", str(candidate)],
}


def hostile() -> None:
    """Run each command on each pair; print seconds of processor time, or that it was stopped."""
    print(f"## Hostile inputs: seconds of processor time (target: at most {TARGET})\n")
    rows = []
    for name, (suffix, make) in CASES.items():
        folder = Path(tempfile.mkdtemp())
        paths = folder / f"golden.{suffix}", folder / f"candidate.{suffix}"
        for path, text in zip(paths, make(), strict=True):
            path.write_text(text, encoding="utf-8")
        cells = [_seconds(command(*paths)) for command in COMMANDS.values()]
        print(name, *cells, sep="; ", file=sys.stderr, flush=True)
        rows.append((name, *cells))
        shutil.rmtree(folder)
    table(("input", *COMMANDS), rows)


def _seconds(arguments: list[str]) -> str:
    """Return the processor time of a command; `(CODE)` behind it is an exit code that is no verdict."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))

    environment = {**os.environ, "WFGATE_CACHE": "off", "OPENBLAS_NUM_THREADS": "1"}
    before = os.times()
    process = subprocess.run(
        [sys.executable, "-m", "wfgate", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
        check=False,
    )
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    if process.returncode < 0:
        return f"> {LIMIT}"
    return f"{spent:.1f}" + (f" ({process.returncode})" if process.returncode not in {0, 1, 4} else "")
