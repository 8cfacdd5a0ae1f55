"""Random small workflows: all semantics, operators, guards over two variables, a flow that may be broken."""

import numpy as np

from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Task, Workflow

GUARDS = ("p < 0", "p >= 0", "p > 5", "p <= 5", "env == 'prod'", "env != 'prod'", "p < 0 or env == 'prod'", "p == 3")
VALUES = {"p": (-1, 0, 3, 5, 6), "env": ("prod", "else")}
"""One value for each cell of the guards' variables, and a few more."""
DATA = ("image", "report", "score")


def random_workflow(
    rng: np.random.Generator, *, cyclic: bool = False, data: bool = False, connected: bool = True
) -> Workflow:
    """Up to six tasks and two gateways in a hidden order; links go forward unless `cyclic`."""
    tasks = [f"t{number}" for number in range(rng.integers(1, 6))]
    gateways = [f"g{number}" for number in range(rng.integers(0, 3))]
    nodes = [str(node) for node in rng.permutation([*tasks, *gateways])]
    semantics = ("dag", "token", "state-machine")[rng.integers(3)]
    density = rng.uniform(0.15, 0.6)
    links = []
    for place, source in enumerate(nodes):
        for other, target in enumerate(nodes):
            forward = place < other
            if rng.random() < (density if forward else 0.12 * cyclic):
                links.append(_link(rng, source, target, back=bool(not forward and rng.random() < 0.4)))
    into, out = {link.target for link in links}, {link.source for link in links}
    first = [node for node in nodes if node not in into or rng.random() < 0.1]
    last = [node for node in nodes if node not in out or rng.random() < 0.15]
    links += [_link(rng, START, node) for node in first if connected or rng.random() < 0.8]
    links += [_link(rng, node, END) for node in last if connected or rng.random() < 0.8]
    listed = [links[place] for place in rng.permutation(len(links))]
    return Workflow(
        name="random",
        semantics=semantics,
        tasks=tuple(_task(rng, task, data=data) for task in rng.permutation(tasks)),
        gateways=tuple(
            Gateway(id=gate, op=("AND", "OR", "XOR")[rng.integers(3)], role=("split", "join")[rng.integers(2)])
            for gate in gateways
        ),
        links=tuple(listed),
        data_links=tuple(
            DataLink(source=str(rng.choice(tasks)), target=str(rng.choice(tasks)), data=str(rng.choice(DATA)))
            for _ in range(rng.integers(0, 3) * data)
        ),
    )


def _task(rng: np.random.Generator, task: str, *, data: bool) -> Task:
    reads = tuple(name for name in DATA if data and rng.random() < 0.3)
    writes = tuple(name for name in DATA if data and rng.random() < 0.3)
    join = (None, None, None, "all", "any")[rng.integers(5)]
    return Task(id=str(task), name=f"Step {task[1:]}", inputs=reads, outputs=writes, join=join)


def _link(rng: np.random.Generator, source: str, target: str, *, back: bool = False) -> Link:
    guard = None
    if rng.random() < 0.45:
        kind = rng.random()
        text = GUARDS[rng.integers(len(GUARDS))]
        if kind < 0.15:
            guard = Guard(default=True)
        elif kind < 0.3:
            guard = Guard(expr=text, order=int(rng.integers(3)))
        else:
            guard = Guard(expr=text)
    return Link(source=source, target=target, guard=guard, back=back)
