"""Soundness against a token game of its own: links, nodes, and every situation looked at."""

import random
from collections import Counter
from itertools import combinations

import pytest

from wfgate.logic import Soundness
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow

STATES = 30_000


class Oracle:
    """Plays tokens on links; knows nothing of nets and of reduction."""

    def __init__(self, workflow):
        self.tasks = {task.id: task for task in workflow.tasks}
        self.gateways = {gateway.id: gateway for gateway in workflow.gateways}
        self.links = list(dict.fromkeys(workflow.links))
        nodes = [START, *self.tasks, *(g for g in self.gateways if any(g in (k.source, k.target) for k in self.links))]
        self.nodes = nodes
        self.into = {node: [n for n, link in enumerate(self.links) if link.target == node] for node in nodes}
        self.out = {node: [n for n, link in enumerate(self.links) if link.source == node] for node in nodes}
        self.events = {
            n
            for n, link in enumerate(self.links)
            if link.outcome == "event" and link.source in self.reach(link.source)
        }

    def reach(self, node, without=None):
        seen = set()
        pending = [node]
        while pending:
            for n in self.out.get(pending.pop(), ()):
                target = self.links[n].target
                if target not in seen and target != without:
                    seen.add(target)
                    pending.append(target)
        return seen

    def op(self, node, role):
        gateway = self.gateways.get(node)
        return gateway.op if gateway and gateway.role == role else None

    def takes(self, node, state):
        """Each set of link tokens that lets the node run."""
        into = self.into[node]
        there = [n for n in into if n in state]
        if node == START:
            return [{"first"}] if "first" in state else []
        waits = self.op(node, "join") == "AND" or (node in self.tasks and self.tasks[node].join == "all")
        if waits:
            return [set(into)] if len(there) == len(into) else []
        if self.op(node, "join") == "OR" and len(into) > 1:
            # BPMN 2.0, 13.4.3: it waits for tokens that can come on an empty link, unless on one that has a token too
            lacks, has = ({self.links[n].source for n in into if (n in state) is full} for full in (False, True))
            others = [self.links[n].target for n in state if isinstance(n, int) and n not in into]
            ways = [{target} | self.reach(target, without=node) for target in others if target not in {node, END}]
            coming = any(way & lacks and not way & has for way in ways)
            return [set(there)] if there and not coming else []
        return [{n} for n in there]

    def puts(self, node):
        out = self.out[node]
        if self.op(node, "split") == "AND":
            return [set(out)]
        if self.op(node, "split") == "XOR":
            return [{n} for n in out]
        if self.op(node, "split") == "OR":
            return [set(some) for k in range(1, len(out) + 1) for some in combinations(out, k)]
        said = {n: self.links[n] for n in out}
        ways = []
        for outcome in ("success", "failure"):
            if outcome == "failure" and not any(link.outcome == "failure" for link in said.values()):
                continue
            back = [{n} for n, link in said.items() if link.outcome == outcome and link.back]
            plain = {n for n, link in said.items() if link.outcome == outcome and not link.guard and not link.back}
            guarded = [n for n, link in said.items() if link.outcome == outcome and link.guard and not link.back]
            default = any(said[n].guard.default for n in guarded)
            ways += [plain | {n} for n in guarded]
            ways += [plain] if (plain and not default) or not (guarded or back) else []
            ways += back
        events = [n for n, link in said.items() if link.outcome == "event"]
        return [way | set(some) for way in ways for k in range(len(events) + 1) for some in combinations(events, k)]

    def steps(self, state):
        """Each node that can run, with the tokens that there are afterwards."""
        for node in self.nodes:
            for taken in self.takes(node, state):
                for put in self.puts(node):
                    used = {("event", n) for n in put & self.events}
                    if used <= state:
                        counts = Counter(state - taken - used)
                        counts.update(put)
                        yield node, counts

    def sound(self):
        """True, False, or None if there is too much to look at."""
        first = frozenset({"first", *(("event", n) for n in self.events)})
        sinks = {n for n, link in enumerate(self.links) if link.target == END}
        leads = {first: set()}
        pending = [first]
        ran = set()
        for state in pending:
            if len(leads) > STATES:
                return None
            for node, counts in self.steps(state):
                if max(counts.values(), default=0) > 1:
                    return False
                ran.add(node)
                near = frozenset(counts)
                if near not in leads:
                    leads[near] = set()
                    pending.append(near)
                leads[near].add(state)
        done = [state for state in leads if all(n in sinks or isinstance(n, tuple) for n in state)]
        good = set(done)
        for state in done:
            for near in leads[state] - good:
                good.add(near)
                done.append(near)
        return len(good) == len(leads) and ran == set(self.nodes)


class Maker:
    """Random workflows: blocks in blocks, then a few changes; or links at random."""

    def __init__(self, seed, size=7):
        self.random = random.Random(seed)
        self.size = size
        self.tasks = []
        self.gateways = []
        self.links = []

    def task(self):
        self.tasks.append(Task(id=f"t{len(self.tasks)}", name=f"step {len(self.tasks)}"))
        return self.tasks[-1].id

    def gateway(self, op, role):
        self.gateways.append(Gateway(id=f"g{len(self.gateways)}", op=op, role=role))
        return self.gateways[-1].id

    def link(self, source, target, **more):
        self.links.append(Link(source=source, target=target, **more))

    def block(self, size):
        """Return the ends of a block of about `size` steps."""
        kind = self.random.choice(["chain", "chain", "XOR", "AND", "OR", "loop", "implicit"])
        if size <= 1:
            one = self.task()
            return one, one
        if kind == "chain":
            half = self.random.randint(1, size - 1)
            first, second = self.block(half), self.block(size - half)
            self.link(first[1], second[0])
            return first[0], second[1]
        if kind == "loop":
            body = self.block(size - 1)
            head, tail = self.gateway("XOR", "join"), self.gateway("XOR", "split")
            self.link(head, body[0])
            self.link(body[1], tail)
            if self.random.random() < 0.5:
                back = self.block(1)
                self.link(tail, back[0])
                self.link(back[1], head)
            else:
                self.link(tail, head, back=True)
            return head, tail
        branches = [self.block(max(1, size // 3)) for _ in range(self.random.randint(2, 3))]
        if kind == "implicit":
            split, join = self.task(), self.task()
            if self.random.random() < 0.5:
                self.tasks[-1] = self.tasks[-1].model_copy(update={"join": "all"})
                guards = [None] * len(branches)
            else:
                guards = [Guard(expr=f"c{n}", default=n == 1) for n in range(len(branches))]
        else:
            split, join = self.gateway(kind, "split"), self.gateway(kind, "join")
            guards = [None] * len(branches)
        for guard, branch in zip(guards, branches, strict=True):
            self.link(split, branch[0], guard=guard)
            self.link(branch[1], join)
        return split, join

    def structured(self, changes):
        first, last = self.block(self.random.randint(2, self.size))
        self.link(START, first)
        self.link(last, END)
        for _ in range(changes):
            self.change()
        return self.workflow()

    def change(self):
        kind = self.random.choice(["op", "op", "add", "add", "remove", "redirect", "event", "failure", "end", "join"])
        ids = [node.id for node in (*self.tasks, *self.gateways)]
        at = self.random.randrange(len(self.links))
        if kind == "op" and self.gateways:
            which = self.random.randrange(len(self.gateways))
            other = self.random.choice(["AND", "XOR"] * 4 + ["OR"])
            self.gateways[which] = self.gateways[which].model_copy(update={"op": other})
        elif kind == "join":
            which = self.random.randrange(len(self.tasks))
            self.tasks[which] = self.tasks[which].model_copy(update={"join": "all"})
        elif kind == "remove" and len(self.links) > 2:
            del self.links[at]
        elif kind == "redirect":
            self.links[at] = self.links[at].model_copy(update={"target": self.random.choice([*ids, END])})
        elif kind == "end":
            self.link(self.random.choice(ids), END)
        else:
            outcome = kind if kind in {"event", "failure"} else "success"
            source = self.random.choice([task.id for task in self.tasks] if outcome != "success" else ids)
            back = outcome == "success" and self.random.random() < 0.2
            self.link(source, self.random.choice([*ids, END]), outcome=outcome, back=back)

    def unstructured(self):
        for _ in range(self.random.randint(2, 5)):
            self.task()
        for _ in range(self.random.randint(1, 4)):
            self.gateway(self.random.choice(["AND", "XOR"]), self.random.choice(["split", "join"]))
        ids = [node.id for node in (*self.tasks, *self.gateways)]
        self.random.shuffle(ids)
        self.link(START, ids[0])
        self.link(ids[-1], END)
        for place, node in enumerate(ids[1:], 1):
            self.link(ids[self.random.randrange(max(0, place - 3), place)], node)
        for place, node in enumerate(ids[:-1]):
            if not any(link.source == node for link in self.links):
                self.link(node, ids[self.random.randrange(place + 1, len(ids))])
        for _ in range(self.random.randint(0, 2)):
            self.link(self.random.choice(ids), self.random.choice([*ids, END]))
        return self.workflow()

    def workflow(self):
        return Workflow(
            semantics="token",
            tasks=tuple(self.tasks),
            gateways=tuple(self.gateways),
            links=tuple({(k.source, k.target, k.outcome): k for k in self.links}.values()),
        )


def flows(count):
    for seed in range(count):
        kind = seed % 5
        yield seed, Maker(seed).unstructured() if kind == 4 else Maker(seed).structured(changes=kind)


def compared(count):
    told = Counter()
    for seed, workflow in flows(count):
        answer = Soundness.of(workflow)
        truth = Oracle(workflow).sound() if answer.connected else False
        told[answer.connected, answer.sound, answer.defect, answer.because if answer.sound is None else ""] += 1
        if answer.sound is not None and truth is not None:
            assert answer.sound == truth, (seed, answer, workflow)
    return told


def test_agrees_with_a_token_game():
    told = compared(200)
    assert told
    assert sum(count for (_, sound, _, _), count in told.items() if sound is None) <= 20


def test_what_the_budget_does_not_cover_is_unknown_and_never_a_guess():
    unknown = 0
    for _, workflow in flows(200):
        answer, hasty = Soundness.of(workflow), Soundness.of(workflow, states=1)
        if hasty.sound is None and answer.sound is not None:
            unknown += 1
            assert "more than 1 states" in hasty.because
        else:
            assert (hasty.sound, hasty.defect) == (answer.sound, answer.defect)
    assert unknown


@pytest.mark.parametrize("copies", range(3))
def test_depends_neither_on_ids_nor_on_listing(copies):
    chance = random.Random(copies)
    for _, workflow in flows(100):
        ids = [node.id for node in (*workflow.tasks, *workflow.gateways)]
        renamed = dict(zip(ids, chance.sample([f"n{n}" for n in range(len(ids))], len(ids)), strict=True))
        tasks = [task.model_copy(update={"id": renamed[task.id]}) for task in workflow.tasks]
        gateways = [gateway.model_copy(update={"id": renamed[gateway.id]}) for gateway in workflow.gateways]
        ends = [(renamed.get(link.source, START), renamed.get(link.target, END)) for link in workflow.links]
        links = [
            link.model_copy(update={"source": source, "target": target})
            for link, (source, target) in zip(workflow.links, ends, strict=True)
        ]
        for part in (tasks, gateways, links):
            chance.shuffle(part)
        update = {"tasks": tuple(tasks), "gateways": tuple(gateways), "links": tuple(links)}
        one, other = Soundness.of(workflow), Soundness.of(workflow.model_copy(update=update))
        assert (one.defect, one.because, one.witness) == (other.defect, other.because, other.witness)
        assert {workflow.tasks[t].name for t in one.tasks} == {tasks[t].name for t in other.tasks}


@pytest.mark.slow
def test_agrees_with_a_token_game_at_length():
    told = compared(2500)
    assert sum(count for (_, sound, _, _), count in told.items() if sound is None) <= 250
