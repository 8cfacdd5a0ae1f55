"""Dividing steps: nothing is added, nothing is lost, and links keep what they carry."""

import re
from itertools import pairwise

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.calibration.perturb.split import divisible
from wfgate.calibration.perturb.texts import Edit
from wfgate.calibration.plan import planned_variants
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Task, Workflow

SPLIT = PERTURBATIONS["split"]


def row(*names: str) -> Workflow:
    tasks = tuple(Task(id=f"t{number}", name=name) for number, name in enumerate(names))
    ids = [START, *(task.id for task in tasks), END]
    return Workflow(tasks=tasks, links=tuple(Link(source=a, target=b) for a, b in pairwise(ids)))


def parts(text: str, *others: str) -> tuple[str, str] | None:
    return divisible(Golden("g", row(text, *others))).get(0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Build the image; sign the image", ("Build the image", "Sign the image")),
        ("Build the image. Sign the image.", ("Build the image", "Sign the image.")),
        ("Stop the service and then delete the disk", ("Stop the service", "Delete the disk")),
        ("Stop the service, then delete the disk", ("Stop the service", "Delete the disk")),
        ("Stop the service and restart the disk", ("Stop the service", "Restart the disk")),  # a step begins with it
        ("Check names and email addresses", None),  # one thing with two objects
        ("Build and restart the service", None),  # a part of one word
        ("Wait for release 2.5 of the image", None),
        ("Build the image", None),
    ],
)
def test_where_a_text_says_two_things(text, found):
    assert parts(text, "Restart the server") == found


def test_recorded_splits_come_first_and_steps_that_do_more_are_left_alone():
    edit = Edit(kind="split", step=0, texts=("Do one thing", "Do the other thing"))
    assert divisible(Golden("g", row("Build the image; sign it now"), edits=(edit,))) == {0: edit.texts}
    whole = row("Build the image; sign it now")
    for update in ({"action": "x"}, {"params": {"a": 1}}, {"kind": "composite", "workflow": "w"}):
        tasks = (whole.tasks[0].model_copy(update=update),)
        assert divisible(Golden("g", whole.model_copy(update={"tasks": tasks}))) == {}


def test_links_keep_conditions_gateways_and_data():
    tasks = (
        Task(id="a", name="Build it; sign it now", outputs=("image",), critical=True),
        Task(id="b", name="Ship it"),
    )
    flow = Workflow(
        tasks=tasks,
        gateways=(Gateway(id="x", op="XOR"),),
        links=(
            Link(source=START, target="a"),
            Link(source="a", target="x"),
            Link(source="x", target="b", guard=Guard(expr="ok")),
            Link(source="x", target="a", guard=Guard(expr="not ok"), back=True),
        ),
        data_links=(DataLink(source="a", target="b", data="image"),),
    )
    found = SPLIT.perturb(Golden("g", flow), 0.5, np.random.default_rng(0)).workflow
    first, second, last = found.tasks
    assert (first.name, second.name, last) == ("Build it", "Sign it now", tasks[1])
    assert (first.outputs, second.outputs, first.critical, second.critical) == ((), ("image",), True, True)
    assert found.gateways == flow.gateways
    assert {(link.source, link.target, link.guard, link.back) for link in found.links} == {
        (START, "a", None, False),
        ("a", second.id, None, False),
        (second.id, "x", None, False),
        ("x", "b", Guard(expr="ok"), False),
        ("x", "a", Guard(expr="not ok"), True),
    }
    assert found.data_links == (DataLink(source=second.id, target="b", data="image"),)


def test_it_undoes_a_merge():
    names = [f"Do thing {word} now" for word in ("one", "two", "three", "four")]
    golden = Golden("g", row(*names))
    merged = PERTURBATIONS["compressed"].perturb(golden, 0.25, np.random.default_rng(1)).workflow
    again = SPLIT.perturb(Golden("g", merged), 0.3, np.random.default_rng(1)).workflow
    assert [task.name for task in again.tasks] == names


def test_too_few_steps_that_say_two_things():
    with pytest.raises(PerturbationRejected, match=re.escape("1 of 2 steps say two things")):
        SPLIT.perturb(Golden("g", row("Build it; sign it now", "Ship it")), 1.0, np.random.default_rng(0))


def test_calibration_does_not_draw_it():
    golden = Golden("g", row(*["Build it; sign it now"] * 6))
    assert "split" not in {planned.operator for planned in planned_variants(golden)}
    assert [name for name, operator in PERTURBATIONS.items() if not operator.calibrated] == ["split"]
    assert [*PERTURBATIONS][-1] == "split"  # a profile counts the operators before it
