"""Readable examples of damage that is not blocked."""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS
from wfgate.calibration.perturb.base import Golden
from wfgate.calibration.rates import hardest
from wfgate.calibration.sample import OPERATORS
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, Frozen, Task, Workflow

EXAMPLES = 2
"""Maximum number of examples per operator."""
SHOWN = 4
"""Maximum number of changes in an example."""


class Miss(Frozen):
    """A damaged variant that is not blocked.

    Attributes:
        operator: Id of the perturbation.
        golden: Id of the golden.
        reworded: Whether all steps are reworded too.
        p_value: Out-of-sample p-value.
        changes: Pairs of texts (before, after), at most `SHOWN`. An empty text before means that the step or link was
            added; an empty text after means that it was removed.
    """

    operator: str
    golden: str
    reworded: bool
    p_value: float
    changes: tuple[tuple[str, str], ...]


def misses(held_out: HeldOut, goldens: Mapping[str, Golden], seed: int, alpha: float) -> tuple[Miss, ...]:
    """Return examples of damaged variants that are not blocked at alpha, for each operator; lowest severity only.

    Args:
        held_out: The sample with out-of-sample predictions.
        goldens: The goldens of the corpus by id; the variants are made from these goldens again.
        seed: Seed that the scored variants were made with.
        alpha: Promised false-block rate.
    """
    return tuple(_misses(held_out, goldens, seed, alpha))


def _misses(held_out: HeldOut, goldens: Mapping[str, Golden], seed: int, alpha: float) -> Iterator[Miss]:
    sample = held_out.sample
    missed = hardest(sample, LEVELS[0]) & (held_out.p_values > alpha)
    for operator in OPERATORS:
        rows = np.flatnonzero(missed & sample.made_by(operator)).tolist()
        for row in sorted(rows, key=lambda row: _hash(sample.names[sample.golden[row]]))[:EXAMPLES]:
            golden = goldens[sample.names[sample.golden[row]]]
            try:
                variant = sample.planned(row).make(golden, seed)
            except PerturbationRejected:  # the table was filled by another version
                continue
            yield Miss(
                operator=operator,
                golden=golden.id,
                reworded=bool(sample.reworded[row]),
                p_value=round(float(held_out.p_values[row]), 6),
                changes=tuple(_changes(golden, variant.workflow, variant.affected))[:SHOWN],
            )


def _changes(golden: Golden, variant: Workflow, affected: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """Yield the affected steps before and after, then added steps, then removed and added links with their data."""
    before = {task.id: task for task in golden.workflow.tasks}
    after = {task.id: task for task in variant.tasks}
    for position in affected:
        task = golden.workflow.tasks[position]
        text = after[task.id].text if task.id in after else ""
        if text != task.text:
            yield task.text, text
    for task_id in sorted(after.keys() - before.keys()):
        yield "", after[task_id].text
    links = [set(_links(side)) for side in (golden.workflow, variant)]
    for removed in sorted(links[0] - links[1]):
        if set(removed[:2]) <= {*after, START, END}:
            yield _link(removed, before), ""
    for added in sorted(links[1] - links[0]):
        yield "", _link(added, before | after)


def _links(workflow: Workflow) -> Iterator[tuple[str, str, str]]:
    """Yield source, target and label of each link, then of each data link."""
    for link in workflow.links:
        yield link.source, link.target, f"if {link.guard.expr}" if link.guard and link.guard.expr else ""
    for data in workflow.data_links:
        yield data.source, data.target, f"data {data.data}"


def _link(link: tuple[str, str, str], tasks: Mapping[str, Task]) -> str:
    ends = " → ".join(tasks[end].name if end in tasks else end for end in link[:2])
    return f"{ends} ({link[2]})" if link[2] else ends


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
