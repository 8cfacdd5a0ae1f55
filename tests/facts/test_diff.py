"""What is no longer so, in words."""

import numpy as np
import pytest

from wfgate.facts.diff import differences
from wfgate.model import Guard, Link, Loop, Task, Workflow

from .generator import random_workflow
from .test_registry import relisted


def workflow(*links, tasks="ABCD", semantics="dag", **more):
    """Tasks called by letters, linked as "A>B" or "A>B if p < 0"; what has no link before or behind starts or ends."""
    found = []
    for text in links:
        ends, _, guard = text.partition(" if ")
        source, target = ends.split(">")
        found.append(Link(source=source, target=target, guard=Guard(expr=guard) if guard else None))
    into, out = {link.target for link in found}, {link.source for link in found}
    found += [Link(source="START", target=task) for task in tasks if task not in into]
    found += [Link(source=task, target="END") for task in tasks if task not in out]
    made = tuple(Task(id=task, name=task, **more.get(task, {})) for task in tasks)
    return Workflow(tasks=made, links=tuple(found), semantics=semantics)


ROW = workflow("A>B", "B>C", "C>D")


@pytest.mark.parametrize(
    ("golden", "candidate", "said"),
    [
        (ROW, workflow("A>B", "A>C", "B>D", "C>D"), ["'B' may now run in parallel with 'C'"]),
        (workflow("A>B", "A>C", "B>D", "C>D"), ROW, ["'B' can no longer run in parallel with 'C'"]),
        (ROW, workflow("A>C", "C>B", "B>D"), ["'B' changed places with 'C'"]),
        (
            ROW,
            workflow("A>B if p < 0", "A>C", "B>D", "C>D", semantics="token"),
            ["'B' no longer runs in every situation: not if p >= 0", "'B' may now run in parallel with 'C'"],
        ),
        (
            workflow("A>B if p < 0", "A>C if p >= 0", "B>D", "C>D", semantics="token"),
            workflow("A>B if p <= 0", "A>C if p >= 0", "B>D", "C>D", semantics="token"),
            [
                "'B' and 'C' can now both run; in the golden, they excluded each other",
                "the conditional links from 'A' no longer exclude each other (p == 0)",
            ],
        ),
        (
            ROW,
            workflow("A>B", "B>C", tasks="ABC"),
            ["the task 'D' is missing", "'C' now ends the flow"],
        ),
        (
            workflow("A>B", tasks="AB"),
            workflow("A>B", "B>E", tasks="ABE"),
            ["the task 'E' is new", "'B' no longer ends"],
        ),
        (
            workflow("A>B", tasks="AB", A={"outputs": ("image",)}, B={"inputs": ("image",)}),
            workflow("A>B", tasks="AB", B={"inputs": ("image",)}),
            ["nothing produces 'image' any more"],
        ),
        (
            workflow("A>B", tasks="AB", A={"outputs": ("image",)}, B={"inputs": ("image",)}),
            workflow("A>B", tasks="AB", A={"outputs": ("picture",)}, B={"inputs": ("picture",)}),
            [],
        ),
        (
            workflow(tasks="A", A={"loop": Loop(mode="until", condition="ok", max=3)}),
            workflow(tasks="A", A={"loop": Loop(mode="until", condition="ok", max=5)}),
            ["the loop of 'A' ended when ok or after 3 times at most, now it ends when ok or after 5 times at most"],
        ),
        (
            workflow(tasks="A", A={"loop": Loop(mode="while", condition="p > 0")}),
            workflow(tasks="A"),
            ["'A' is no longer repeated"],
        ),
        (
            workflow("A>B", tasks="AB", semantics="token"),
            workflow("A>B", "B>A", tasks="AB", semantics="token"),
            ["has a cycle: 'A' and 'B'", "a loop is now infinite", "no longer connected"],
        ),
    ],
)
def test_differences_in_words(golden, candidate, said):
    same = {
        place: other
        for place, task in enumerate(golden.tasks)
        for other, theirs in enumerate(candidate.tasks)
        if task.name == theirs.name
    }
    found = [each.message for each in differences(golden, candidate, same)]
    for words in said:
        assert any(words in message for message in found), found
    if len(said) < 2:
        assert len(found) == len(said), found


def test_a_reworded_task_is_named_in_both_words():
    golden = ROW.model_copy(update={"tasks": (*ROW.tasks[:1], ROW.tasks[1].model_copy(update={"name": "Build"}))})
    tasks = tuple(t.model_copy(update={"name": {"B": "Compile"}.get(t.name, t.name)}) for t in ROW.tasks)
    turned = workflow("A>C", "C>B", "B>D").model_copy(update={"tasks": tasks})
    whole = golden.model_copy(update={"tasks": (*golden.tasks, *ROW.tasks[2:])})
    found = differences(whole, turned, {n: n for n in range(4)})
    assert [each.message for each in found] == ["'Build' (now 'Compile') changed places with 'C'"]


@pytest.mark.parametrize("seed", range(2))
def test_nothing_differs_where_only_ids_and_listing_do(seed):
    rng = np.random.default_rng([seed, 5])
    for _ in range(60):
        golden = random_workflow(rng, cyclic=bool(rng.integers(2)), data=True)
        candidate = relisted(golden, rng)
        place = {task.name: position for position, task in enumerate(candidate.tasks)}
        same = {position: place[task.name] for position, task in enumerate(golden.tasks)}
        assert differences(golden, candidate, same) == ()
