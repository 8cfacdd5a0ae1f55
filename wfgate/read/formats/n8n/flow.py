"""The links of an n8n workflow, from its triggers along its connections to END."""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from wfgate.read.formats.builder import check_size, grouped, reachable
from wfgate.read.formats.exits import Exits, Wire, node_id
from wfgate.read.formats.n8n.canvas import Canvas
from wfgate.read.formats.n8n.outputs import outputs_of
from wfgate.read.formats.n8n.shapes import N8nNode

MAX_STEPS = 2_000_000
"""Steps along wires that are made to find what the bodies of loops are."""

_OUTER = ("append", "combineBySql")
_KEEPS_ALL = ("keepEverything", "enrichInput1", "enrichInput2", "outer", "left")


def without_disabled(canvas: Canvas) -> list[Wire]:
    """Return the connections without disabled nodes.

    The input of a disabled node goes to the targets of its first output.

    Raises:
        FormatError: If there are too many connections.
    """
    off = {name for name, node in canvas.by_name.items() if node.disabled}
    behind = grouped((wire.source, wire) for wire in canvas.wires if wire.source in off and wire.output == 0)
    after = {name: [wire.target for wire in wires if wire.target in off] for name, wires in behind.items()}

    @cache
    def ends(name: str) -> list[Wire]:
        return [end for passed in reachable([name], after) for end in behind[passed] if end.target not in off]

    kept: list[Wire] = []
    for wire in canvas.wires:
        if wire.source not in off:
            targets = ends(wire.target) if wire.target in off else [wire]
            kept += [replace(wire, target=end.target, input=end.input) for end in targets]
            check_size(canvas.document, 0, len(kept))
    return kept


def flow_of(canvas: Canvas, nodes: Mapping[str, N8nNode], wires: list[Wire]) -> tuple[Exits, set[str]]:
    """Return the links and gateways, and the names of the steps that wait for all their inputs.

    `nodes` are the steps by name, and `wires` their connections, see `without_disabled`.

    Raises:
        FormatError: If there are too many links.
    """
    built = Exits(canvas, {name: (name, node.path) for name, node in nodes.items()})
    built.begin([name for name, node in nodes.items() if node.is_trigger])
    into = grouped((wire.target, wire) for wire in wires)
    back = _returning(canvas, nodes, wires, into)
    entry: dict[tuple[str, int], str] = {}
    joined = set()
    for name in [name for name in into if name in nodes]:
        sources = grouped((wire.input, wire.source) for wire in into[name])
        waits = _waits(nodes[name]) if len(sources) > 1 else ""
        if waits == "any":
            gateway = built.join(name, f"inputs of {name}", "OR")
            entry |= {(name, number): gateway for number in sources}
        elif waits == "all":
            joined.add(name)
            for number in sorted(number for number, before in sources.items() if len({*before}) > 1):
                entry[name, number] = built.join(name, f"input {number + 1} of {name}", "XOR")
    ends = [entry.get((wire.target, wire.input), node_id(wire.target)) for wire in wires]
    built.run(
        [replace(wire, target=end, back=wire in back) for wire, end in zip(wires, ends, strict=True)],
        lambda name, outputs: outputs_of(nodes[name], canvas, outputs),
    )
    return built, joined


def _returning(
    canvas: Canvas, nodes: Mapping[str, N8nNode], wires: list[Wire], into: Mapping[str, list[Wire]]
) -> set[Wire]:
    """Return the connections from the body of a loop back to the node of the loop."""
    out = grouped((wire.source, wire) for wire in wires)
    after: dict[str, Iterable[str]] = {name: [wire.target for wire in leaving] for name, leaving in out.items()}
    returning: set[Wire] = set()
    steps = 0
    for name, node in nodes.items():
        if node.kind == "splitInBatches":
            loop = 1 if node.version >= 3 else 0  # the output for the next items
            first = [wire.target for wire in out[name] if wire.output == loop]
            body = reachable(first, ChainMap({name: []}, after))
            returning.update(wire for wire in into.get(name, ()) if wire.source in body)
            steps += len(body)
        if steps > MAX_STEPS:
            message = "the workflow has too many loops, so some back edges are not marked"
            canvas.say(node.path, "warning", message)
            break
    return returning


def _waits(node: N8nNode) -> str:
    """Return whether a node waits for "all" its inputs or for "any" input; "" if the node does not wait.

    A Merge that combines items in pairs has no result unless every input has data. A Merge that appends, keeps or
    enriches items has a result if any input has data.
    """
    flow = node.flow
    if node.kind not in ("merge", "compareDatasets"):
        return ""
    outer = flow.combine_by in _OUTER or flow.join_mode in _KEEPS_ALL or (flow.mode or "append") in _OUTER
    return "any" if node.kind == "merge" and (outer or flow.options.unpaired) else "all"
