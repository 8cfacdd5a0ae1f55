"""Run time of the soundness check, and how often its answer is unknown."""

import random
import statistics
import time
from collections import Counter

from accuracy import table

from wfgate.logic import Soundness
from wfgate.model import END, START, Gateway, Link, Task, Workflow

WIDTH = 10
REPEATS = 20


def soundness() -> None:
    """Check workflows of 200 steps with ten nested branches, unchanged and with one random change."""
    print("## Soundness\n")
    rows = []
    for steps in (50, 200, 400):
        for changes, kind in ((0, "as made"), (1, "one change"), (3, "three changes")):
            times, told = [], Counter[str]()
            for seed in range(REPEATS):
                workflow = _nested(steps, changes, seed)
                begin = time.perf_counter()
                answer = Soundness.of(workflow)
                times.append(time.perf_counter() - begin)
                told[{True: "sound", False: "unsound", None: "unknown"}[answer.sound]] += 1
            said = ", ".join(f"{count} {name}" for name, count in sorted(told.items()))
            target = "<= 1 s" if steps == 200 else ""
            middle, slowest = (f"{value * 1000:.0f} ms" for value in (statistics.median(times), max(times)))
            rows.append((str(steps), kind, said, middle, slowest, target))
    table(("steps", "kind", "answers", "median", "slowest", "target"), rows)


def _nested(steps: int, changes: int, seed: int) -> Workflow:
    """Generates nested blocks of ten parallel branches with choices, loops and links between branches."""
    maker = _Maker(seed)
    ends = maker.block(steps)
    maker.link(START, ends[0])
    maker.link(ends[1], END)
    for _ in range(changes):
        maker.change()
    return Workflow(
        semantics="token", tasks=tuple(maker.tasks), gateways=tuple(maker.gateways), links=tuple(maker.links)
    )


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tasks: list[Task] = []
        self.gateways: list[Gateway] = []
        self.links: list[Link] = []

    def link(self, source: str, target: str) -> None:
        self.links.append(Link(source=source, target=target))

    def block(self, steps: int) -> tuple[str, str]:
        if steps <= 1:
            task = Task(id=f"t{len(self.tasks)}", name=f"step {len(self.tasks)}")
            self.tasks.append(task)
            return task.id, task.id
        if steps < 4:
            first, second = self.block(1), self.block(steps - 1)
            self.link(first[1], second[0])
            return first[0], second[1]
        kind = self.random.choices(["AND", "XOR", "loop"], [3, 2, 1])[0]
        split = Gateway(id=f"g{len(self.gateways)}", op="XOR" if kind != "AND" else "AND", role="split")
        join = Gateway(id=f"g{len(self.gateways) + 1}", op=split.op, role="join")
        self.gateways += [split, join]
        if kind == "loop":
            body = self.block(steps - 1)
            back = self.block(1)
            for source, target in ((join.id, body[0]), (body[1], split.id), (split.id, back[0]), (back[1], join.id)):
                self.link(source, target)
            return join.id, split.id
        width = min(WIDTH, max(2, steps // 2))
        shares = [steps // width + (place < steps % width) for place in range(width)]
        branches = [self.block(share) for share in shares if share]
        for first, last in branches:
            self.link(split.id, first)
            self.link(last, join.id)
        if kind == "AND":
            self.across(branches)
        return split.id, join.id

    def across(self, branches: list[tuple[str, str]]) -> None:
        """Make the last step of one branch depend on the first of another, so that blocks are no longer nested."""
        one, other = self.random.sample(branches, 2)
        tasks = {task.id: place for place, task in enumerate(self.tasks)}
        if one[0] in tasks and other[1] in tasks and other[0] != other[1]:
            place = tasks[other[1]]
            self.tasks[place] = self.tasks[place].model_copy(update={"join": "all"})
            self.link(one[0], other[1])

    def change(self) -> None:
        """Exchange an operator, or change the target of a link."""
        if self.random.random() < 0.5:
            place = self.random.randrange(len(self.gateways))
            gateway = self.gateways[place]
            self.gateways[place] = gateway.model_copy(update={"op": "XOR" if gateway.op == "AND" else "AND"})
        else:
            place = self.random.randrange(len(self.links))
            target = self.random.choice(self.tasks).id
            self.links[place] = self.links[place].model_copy(update={"target": target})
