"""Data no longer get where they are needed."""

from typing import NamedTuple

import numpy as np

from wfgate.behaviour import DataFlow
from wfgate.errors import PerturbationRejected
from wfgate.model import START, Workflow
from wfgate.perturb.base import Golden, Perturbation, Variant, choose


class Dependency(NamedTuple):
    """A step reads a datum: from the step that a data link names, else from whichever writes it (None)."""

    reader: int
    datum: str
    writer: int | None


class DataUnlinked(Perturbation):
    """k data dependencies between steps are lost: a step no longer gets a datum from the step that writes it.

    Severity: k = ceil(p * n) dependencies of a workflow with n steps. A dependency is a data link between two steps,
    or an input of a step that an earlier step writes and no data link brings. Its data link is gone, and so is the
    input that would still let the datum through; what a step writes stays, so other readers lose nothing.
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
    """Return the data dependencies, by reader, datum and writer; none of a datum that comes from START as well."""
    ids = [task.id for task in golden.workflow.tasks]
    given = {(link.target, link.data) for link in golden.workflow.data_links if link.source == START}
    found = [
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
                found.append(Dependency(reader, datum, None))
    return sorted(
        (each for each in found if (ids[each.reader], each.datum) not in given),
        key=lambda each: (each.reader, each.datum, -1 if each.writer is None else each.writer),
    )


def _require_exactly(gone: list[Dependency], before: DataFlow, after: DataFlow) -> None:
    """Refuse a variant in which a lost datum still gets through, or another step loses one too.

    The latter is so where only the lost data link said that a step writes the datum.
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
    """Return the workflow without the data link, and without the input if the datum would still get through."""
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
