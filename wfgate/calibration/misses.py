"""Damage that got through, as examples that a person can read."""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS
from wfgate.calibration.rates import hardest
from wfgate.calibration.sample import OPERATORS
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, Task, Workflow
from wfgate.model.workflow import Frozen
from wfgate.perturb import Golden

EXAMPLES = 2
"""Examples of each operator."""
SHOWN = 4
"""Changes that one example shows."""


class Miss(Frozen):
    """A damaged variant that would not have been blocked.

    Attributes:
        operator: Id of the perturbation.
        golden: Id of the golden.
        reworded: Whether on top of a full rewording.
        p_value: Its p-value, out of sample.
        changes: What the golden says and what became of it, at most `SHOWN`; empty where there is nothing.
    """

    operator: str
    golden: str
    reworded: bool
    p_value: float
    changes: tuple[tuple[str, str], ...]


def misses(held_out: HeldOut, goldens: Mapping[str, Golden], seed: int, alpha: float) -> tuple[Miss, ...]:
    """Return examples of the smallest damage that is not blocked at alpha, of each operator.

    Args:
        held_out: The sample, judged out of sample.
        goldens: The corpus by id: variants are made again.
        seed: The one that they were made with.
        alpha: Promised false-block rate.
    """
    return tuple(_misses(held_out, goldens, seed, alpha))


def _misses(held_out: HeldOut, goldens: Mapping[str, Golden], seed: int, alpha: float) -> Iterator[Miss]:
    sample = held_out.sample
    missed = hardest(sample, LEVELS[0]) & (held_out.p_values > alpha)
    for operator in OPERATORS:
        places = np.flatnonzero(missed & sample.made_by(operator)).tolist()
        for place in sorted(places, key=lambda place: _hash(sample.names[sample.golden[place]]))[:EXAMPLES]:
            golden = goldens[sample.names[sample.golden[place]]]
            try:
                variant = sample.planned(place).make(golden, seed)
            except PerturbationRejected:  # the table was filled by another version
                continue
            yield Miss(
                operator=operator,
                golden=golden.id,
                reworded=bool(sample.reworded[place]),
                p_value=round(float(held_out.p_values[place]), 6),
                changes=tuple(_changes(golden, variant.workflow, variant.affected))[:SHOWN],
            )


def _changes(golden: Golden, variant: Workflow, affected: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """Yield the affected steps before and after, then what was added, then links."""
    then = {task.id: task for task in golden.workflow.tasks}
    now = {task.id: task for task in variant.tasks}
    for position in affected:
        task = golden.workflow.tasks[position]
        after = now[task.id].text if task.id in now else ""
        if after != task.text:
            yield task.text, after
    for task_id in sorted(now.keys() - then.keys()):
        yield "", now[task_id].text
    links = [{(link.source, link.target) for link in side.links} for side in (golden.workflow, variant)]
    for gone in sorted(links[0] - links[1]):
        if set(gone) <= {*now, START, END}:
            yield _link(gone, then), ""
    for new in sorted(links[1] - links[0]):
        yield "", _link(new, then | now)


def _link(link: tuple[str, str], tasks: Mapping[str, Task]) -> str:
    return " → ".join(tasks[end].name if end in tasks else end for end in link)


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
