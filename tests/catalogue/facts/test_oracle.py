"""Facts against enumeration on random small workflows."""

from itertools import permutations

import numpy as np
import pytest

from wfgate.catalogue import FactSubject, Question, answer
from wfgate.catalogue.facts.blocks import union
from wfgate.model import END, START, members

from .generator import DATA, VALUES, random_workflow
from .oracle import Oracle

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))]
EACH = 100
"""Workflows of each kind for each seed: 3,600 in all."""


def workflows(seed, **kind):
    rng = np.random.default_rng([seed, *map(ord, "".join(kind))])
    for _ in range(EACH):
        workflow = random_workflow(rng, **kind)
        yield rng, workflow, Oracle(workflow)


class Asked:
    """Asks facts by ids and answers in ids."""

    def __init__(self, workflow):
        self.subject = FactSubject.of(workflow)
        self.id_of = {task.name: task.id for task in workflow.tasks}
        self.name_of = {task.id: task.name for task in workflow.tasks}

    def __call__(self, fact, **given):
        for name in ("task", "first", "second"):
            if name in given:
                given[name] = self.name_of[given[name]]
        if "sequence" in given:
            given["sequence"] = tuple(self.name_of[task] for task in given["sequence"])
        return answer(self.subject, fact, Question(**given)).answer

    def ids(self, fact, **given):
        return [self.id_of[name] for name in self(fact, **given).value]


@pytest.mark.parametrize("seed", SEEDS)
def test_structure(seed):
    for _, workflow, oracle in workflows(seed, cyclic=True, connected=False):
        ask = Asked(workflow)
        edges = oracle.edges(back=True)
        closed = oracle.closure(edges)
        for task in oracle.ids:
            assert set(ask.ids("next-tasks", task=task)) == {b for a, b in edges if a == task}
            assert set(ask.ids("list-of-dependencies", task=task)) == {a for a, b in closed if b == task}
            for other in oracle.ids:
                assert ask("link-existence", first=task, second=other).value == ((task, other) in edges)
                assert ask("dependency-existence", task=task, first=other).value == ((other, task) in closed)
                assert ask("order-of-two", first=task, second=other).value == ((task, other) in oracle.order)
        cycle = ask("flow-cycle")
        assert cycle.value == any(a == b for a, b in closed)
        ring = [ask.id_of[name] for name in cycle.witness]
        assert all((a, b) in edges for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True))
        starts = oracle.near(START, oracle.pairs(back=True)) & {*oracle.ids}
        assert ask("flow-start").value == (ask.name_of[min(starts)] if len(starts) == 1 else None)
        ends = {task for task in oracle.ids if END in oracle.near(task, oracle.pairs(back=True))}
        ends |= {task for task in oracle.ids if not any(a == task for a, _ in edges)}
        assert set(ask.ids("flow-end")) == ends
        on = oracle.reached(START, forward=True) & oracle.reached(END, forward=False)
        assert ask("missing-link").value == ({*oracle.ids, *oracle.gates, END} <= on)
        order = ask.ids("task-order")
        assert sorted(order) == sorted(oracle.ids)
        assert all(order.index(a) < order.index(b) for a, b in oracle.order)


def behind(workflow, task, wanted):
    """Tasks to which a way through gateways leads that has a wanted link."""
    gates = {gate.id for gate in workflow.gateways}
    pending = [(task, False)]
    for node, has in pending:
        for link in workflow.links:
            step = (link.target, has or wanted(link))
            if link.source == node and link.target in gates and step not in pending:
                pending.append(step)
    return {
        link.target
        for node, has in pending
        for link in workflow.links
        if link.source == node and (has or wanted(link)) and link.target not in {*gates, END}
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_links_with_a_property(seed):
    kinds = {
        "conditional": lambda link: link.guard is not None,
        "default": lambda link: link.guard is not None and link.guard.default,
        "loop": lambda link: link.back,
    }
    for _, workflow, oracle in workflows(seed, cyclic=True):
        ask = Asked(workflow)
        for task in oracle.ids:
            for name, wanted in kinds.items():
                near = behind(workflow, task, wanted)
                assert set(ask.ids("links-with-property", task=task, property=name)) == near
                for other in oracle.ids:
                    asked = ask("link-with-property", first=task, second=other, property=name)
                    assert asked.value == (other in near)


@pytest.mark.parametrize("seed", SEEDS)
def test_data(seed):
    for _, workflow, oracle in workflows(seed, data=True):
        ask = Asked(workflow)
        before = oracle.closure(oracle.edges(back=True))
        reads = {(t.id, d) for t in workflow.tasks for d in t.inputs} | {
            (x.target, x.data) for x in workflow.data_links
        }
        writes = {(t.id, d) for t in workflow.tasks for d in t.outputs} | {
            (x.source, x.data) for x in workflow.data_links
        }
        flows = set()
        for task, data in reads:
            linked = {link.source for link in workflow.data_links if (link.target, link.data) == (task, data)}
            writers = {other for other, name in writes if name == data} - {task}
            earlier = {other for other in writers if (other, task) in before}
            flows |= {(other, task) for other in linked or earlier or writers}
        closed = oracle.closure(flows)
        for task in oracle.ids:
            assert set(ask.ids("next-tasks", task=task, flow="data")) == {b for a, b in flows if a == task}
            for direct in (True, False):
                near = {task} if direct else {task, *(a for a, b in closed if b == task)}
                needed = ask("list-of-dependencies", task=task, flow="data", direct=direct).value
                assert set(needed) == {data for reader, data in reads if reader in near}
                for data in {data for _, data in reads | writes}:
                    asked = ask("dependency-existence", task=task, data=data, direct=direct)
                    assert asked.value == (data in needed)
        assert ask("flow-cycle", flow="data").value == any(a == b for a, b in closed)
        for data in {data for _, data in reads | writes} & {*DATA}:
            producers = {task for task, name in writes if name == data}
            found = ask("data-production", data=data).value
            assert found == (ask.name_of[min(producers)] if len(producers) == 1 else None)


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks(seed):
    for _, workflow, oracle in workflows(seed):
        subject = FactSubject.of(workflow)
        flow = subject.behaviour.flow
        listed = subject.workflow
        ids = [*(node.id for node in (*listed.tasks, *listed.gateways)), START, END]
        links = oracle.pairs(back=False)

        def paths(node, links=links):
            ways = [target for source, target in links if source == node]
            return [[node, *rest] for target in ways for rest in paths(target)] if ways else [[node]]

        for node in subject.blocks.splits:
            all_paths = paths(ids[node])
            common = [n for n in all_paths[0][1:] if all(n in path for path in all_paths)]
            inside = {n for path in all_paths for n in path[1 : path.index(common[0]) if common else None]}
            branches = subject.blocks.inside(node)
            found = {ids[task] for task in members(union(branches))}
            assert found == inside & {*oracle.ids}, (workflow, flow.labels[node])


@pytest.mark.parametrize("seed", SEEDS)
def test_behaviour(seed):
    for rng, workflow, oracle in workflows(seed):
        ask = Asked(workflow)
        runs = oracle.runs
        orders = {order for run in runs for order in run.orders()}
        for task in oracle.ids:
            always = ask("runs-in-every-situation", task=task)
            assert always.value == all(task in run.tasks for run in runs), workflow
            beside = {
                other
                for other in oracle.ids
                if other != task
                and not {(task, other), (other, task)} & oracle.order
                and any({task, other} <= run.tasks for run in runs)
            }
            assert set(ask.ids("parallel-to-task", task=task)) == beside, workflow
            for other in oracle.ids:
                both = [run for run in runs if {task, other} <= run.tasks]
                before = bool(both) and all((task, other) in run.waits for run in both)
                asked = ask("order-of-two-conditional", first=task, second=other)
                assert asked.value == before, (workflow, task, other)
        sets = ask("parallel-tasks").value
        shared = {frozenset((a, b)) for each in sets for a in each for b in each if a != b}
        pairs = {frozenset((ask.name_of[a], b)) for a in oracle.ids for b in ask("parallel-to-task", task=a).value}
        assert shared == pairs
        assert all(any({*each} <= {*map(ask.name_of.get, run.tasks)} for run in runs) for each in sets)
        for size in range(len(oracle.ids) + 1):
            for sequence in list(permutations(oracle.ids, size))[:: max(1, rng.integers(1, 6))]:
                assert not sequence or ask("trace", sequence=sequence).value == (sequence in orders), workflow
                if size in {2, 3}:
                    allowed = any([t for t in order if t in sequence] == [*sequence] for order in orders)
                    assert ask("order-of-all-conditional", sequence=sequence).value == allowed, (workflow, sequence)


@pytest.mark.parametrize("seed", SEEDS)
def test_behaviour_in_a_situation(seed):
    for rng, workflow, oracle in workflows(seed, cyclic=False):
        ask = Asked(workflow)
        written = " ".join(link.guard.expr for link in workflow.links if link.guard and link.guard.expr)
        read = {name for name in VALUES if f"{name} " in written}
        if not read:
            continue
        situation = {name: VALUES[name][rng.integers(len(VALUES[name]))] for name in read}
        runs = [run for run in oracle.runs if situation.items() <= dict(run.situation).items()]
        found = ask("task-order-conditional", situation=situation)
        if len({run.tasks for run in runs}) > 1:
            assert found.value is None, workflow
        elif found.exact:
            order = tuple(ask.id_of[name] for name in found.value)
            assert any(order in run.orders() for run in runs), workflow
        for task in oracle.ids:
            options = {
                frozenset(n for n in oracle.near(task, links) if n in oracle.ids or n == END)
                for values in {run.situation for run in runs}
                for links in _choices(oracle, dict(values))
            }
            next_task = ask("next-task-conditional", task=task, situation=situation)
            if len(options) == 1:
                near = {END if name == END else ask.name_of[name] for name in min(options)}
                assert next_task.value == (min(near) if len(near) == 1 else None), (workflow, task)
                assert set(next_task.witness) == (near if len(near) > 1 else set())
            else:
                assert next_task.value is None or all(ask.id_of.get(next_task.value, END) in each for each in options)
        for sequence in permutations(oracle.ids, min(2, len(oracle.ids))):
            both = [run for run in runs if {*sequence} <= run.tasks]
            before = bool(both) and len(sequence) == 2 and all(sequence in run.waits for run in both)
            if len(sequence) == 2:
                asked = ask("order-of-two-conditional", first=sequence[0], second=sequence[1], situation=situation)
                assert asked.value == before, (workflow, sequence)


def _choices(oracle, situation):
    """Every combination of what all nodes choose, as links."""
    chosen = [[]]
    for node in (*oracle.ids, *oracle.gates):
        options = oracle.options(node, situation)
        chosen = [[*links, *option] for links in chosen for option in options]
    ends = [(link.source, link.target) for link in oracle.workflow.links]
    return [[ends[place] for place in links] for links in chosen[:4096]]


@pytest.mark.parametrize("seed", SEEDS)
def test_exclusive_conditions(seed):
    for _, workflow, oracle in workflows(seed, cyclic=True, connected=True):
        ask = Asked(workflow)
        situations = [{"p": p, "env": env} for p in VALUES["p"] for env in VALUES["env"]]
        for task in oracle.ids:
            out = [link for link in workflow.links if link.source == task]
            if any(link.target in oracle.gates for link in out):
                continue
            conditional = [link for link in out if link.guard is not None]
            found = ask("mutually-exclusive", task=task)
            if len(conditional) < 2:
                assert found.value is None
                continue

            def holds(link, situation, out=out):
                if not link.guard.default:
                    return Oracle.holds(link, situation)
                others = [x for x in out if x is not link and x.guard and x.guard.expr]
                return not any(Oracle.holds(x, situation) for x in others)

            exclusive = all(sum(holds(link, s) for link in conditional) < 2 for s in situations)
            assert found.value == exclusive, (workflow, task)


@pytest.mark.parametrize("seed", SEEDS)
def test_traces_of_a_single_token(seed):
    decided = 0
    for rng, workflow, oracle in workflows(seed, cyclic=True, data=False):
        if workflow.semantics != "state-machine":
            continue
        ask = Asked(workflow)
        if not ask.subject.course.single:
            continue
        walks = oracle.walks(4)
        others = [tuple(str(rng.choice(oracle.ids)) for _ in range(rng.integers(1, 5))) for _ in range(20)]
        for trace in {*walks, *others} - {()}:
            found = ask("trace", sequence=trace).value
            assert found is None or found == (trace in walks), (workflow, trace)
            if len({*trace}) == len(trace):
                assert found is not None
            decided += found is not None
    assert decided


@pytest.mark.parametrize("seed", SEEDS)
def test_infinite_loops(seed):
    for _, workflow, oracle in workflows(seed, cyclic=True, connected=False):
        if workflow.semantics == "dag":
            continue
        rings = oracle.endless()
        found = Asked(workflow)("infinite-loop")
        assert found.value is (True if any(rings) else None if rings else False), workflow
