"""Perturbation that removes data dependencies."""

from typing import NamedTuple

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, choose
from wfgate.errors import PerturbationRejected
from wfgate.logic import DataFlow
from wfgate.model import START, Workflow


class Dependency(NamedTuple):
    """An input of a step: from the source of a data link, or from any writer (None)."""

    reader: int
    datum: str
    writer: int | None


class DataUnlinked(Perturbation):
    """k data dependencies are removed: a step no longer gets a datum from the step that writes the datum.

    Severity p: k = ceil(p * n) dependencies, for n steps. A dependency is a data link between two steps, or an input
    that an earlier step writes without a data link. The data link is removed. The input is removed too if the datum
    would still reach the step. Outputs are kept, so that other readers are unaffected.
    """

    id = "data-unlinked"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        flow = DataFlow.of(golden.workflow)
        known = _dependencies(golden, flow)
        if len(known) < k:
            raise PerturbationRejected("too few data dependencies")
        workflow = golden.workflow
        gone = [known[which] for which in choose(rng, len(known), k)]
        for dependency in gone:
            workflow = _without(workflow, dependency)
        _require_exactly(gone, flow, DataFlow.of(workflow))
        return Variant(workflow, tuple(sorted({dependency.reader for dependency in gone})))


def _dependencies(golden: Golden, flow: DataFlow) -> list[Dependency]:
    """Return the data dependencies, sorted; data that also come from START are excluded."""
    ids = [task.id for task in golden.workflow.tasks]
    given = {(link.target, link.data) for link in golden.workflow.data_links if link.source == START}
    dependencies = [
        Dependency(reader, datum, writer)
        for (reader, datum), writers in flow.linked.items()
        for writer in sorted(writers - {reader})
    ]
    for reader, task in enumerate(golden.workflow.tasks):
        for datum in dict.fromkeys(task.inputs):
            earlier = any(
                golden.graph.precedes(writer, reader) for writer in flow.producers(datum) if writer != reader
            )
            if earlier and (reader, datum) not in flow.linked:
                dependencies.append(Dependency(reader, datum, None))
    return sorted(
        (each for each in dependencies if (ids[each.reader], each.datum) not in given),
        key=lambda each: (each.reader, each.datum, -1 if each.writer is None else each.writer),
    )


def _require_exactly(gone: list[Dependency], before: DataFlow, after: DataFlow) -> None:
    """Reject a variant if a removed dependency still exists, or if another step loses a dependency too.

    Another step loses a dependency if only the removed data link declares that a step writes the datum.
    """
    for reader, datum, writer in gone:
        writers = before.sources(reader, datum) if writer is None else (writer,)
        if datum in after.inputs[reader] and not set(writers).isdisjoint(after.sources(reader, datum)):
            raise PerturbationRejected("a lost datum still gets through")
    lost = {(reader, datum) for reader, datum, _ in gone}
    for reader, data in enumerate(before.inputs):
        for datum in data:
            if (reader, datum) not in lost and before.sources(reader, datum) != after.sources(reader, datum):
                raise PerturbationRejected("another step would lose the datum too")


def _without(workflow: Workflow, dependency: Dependency) -> Workflow:
    """Return the workflow without the data link, and without the input if the datum would still reach the step."""
    reader, datum, writer = dependency
    ids = [task.id for task in workflow.tasks]
    if writer is not None:
        gone = (ids[writer], ids[reader], datum)
        left = tuple(link for link in workflow.data_links if (link.source, link.target, link.data) != gone)
        workflow = workflow.model_copy(update={"data_links": left})
        flow = DataFlow.of(workflow)
        if (reader, datum) in flow.linked or writer not in flow.sources(reader, datum):
            return workflow
    tasks = list(workflow.tasks)
    inputs = tuple(name for name in tasks[reader].inputs if name != datum)
    tasks[reader] = tasks[reader].model_copy(update={"inputs": inputs})
    return workflow.model_copy(update={"tasks": tuple(tasks)})
