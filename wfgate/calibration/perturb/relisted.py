"""Perturbations that change only ids and listing order of a workflow, or nothing."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, DataLink, Link, Workflow, fingerprint

Item = TypeVar("Item")


class Unchanged(Perturbation):
    """The base of perturbations whose variant must have the same fingerprint as the golden."""

    label = "benign"
    severities = (1.0,)

    def _validate(self, golden: Golden, k: int, variant: Variant) -> None:
        super()._validate(golden, k, variant)
        if fingerprint(variant.workflow) != fingerprint(golden.workflow):
            raise PerturbationRejected("the variant is another workflow")


class Identity(Unchanged):
    """Control: nothing is changed, so every defined metric must be 1.0.

    The severity argument has no effect.
    """

    id = "identity"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k, rng
        return Variant(golden.workflow, ())


class Relisted(Unchanged):
    """Steps and links are listed in another order and get other ids: every defined metric must be 1.0.

    The severity argument has no effect.
    """

    id = "relisted"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        return Variant(relisted(golden.workflow, rng), ())


class RenamedIds(Unchanged):
    """Steps and gateways get other ids in the same listing order: every defined metric must be 1.0.

    The severity argument has no effect.
    """

    id = "renamed-ids"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        return Variant(with_other_ids(golden.workflow, rng), ())


def relisted(workflow: Workflow, rng: np.random.Generator) -> Workflow:
    """Return the workflow with other ids and with steps, gateways and links listed in another order.

    Raises:
        PerturbationRejected: If the ids cannot be changed: see `with_other_ids`.
    """
    workflow = with_other_ids(workflow, rng)
    listings = ("tasks", "gateways", "links", "data_links")
    return workflow.model_copy(update={name: _shuffled(getattr(workflow, name), rng) for name in listings})


def with_other_ids(workflow: Workflow, rng: np.random.Generator) -> Workflow:
    """Return the workflow with other ids of steps and gateways, in the same listing order, without the data of a file.

    Raises:
        PerturbationRejected: If two nodes share an id, or if a join expression contains ids. The text of a join
            expression is content, so with other ids the workflow would have another fingerprint.
    """
    ids = [task.id for task in workflow.tasks] + [gate.id for gate in workflow.gateways]
    joins = {task.join for task in workflow.tasks} | {gate.join for gate in workflow.gateways}
    if len({START, END, *ids}) < len(ids) + 2:
        raise PerturbationRejected("two nodes share an id: what a link means depends on the listing")
    if joins - {None, "all", "any"}:
        raise PerturbationRejected("a join names steps by their ids")
    mentioned = {end for link in workflow.links for end in (link.source, link.target)}
    mentioned |= {end for link in workflow.data_links for end in (link.source, link.target)}
    stem = "n"
    while any(name.startswith(stem) for name in mentioned - set(ids)):  # dangling links must stay dangling
        stem += "n"
    names = {old: f"{stem}{int(number)}" for old, number in zip(ids, rng.permutation(len(ids)), strict=True)}
    update = {
        "raw": None,  # the data of the file refer to the ids that it has
        "tasks": tuple(task.model_copy(update={"id": names[task.id]}) for task in workflow.tasks),
        "gateways": tuple(gate.model_copy(update={"id": names[gate.id]}) for gate in workflow.gateways),
        "links": tuple(link.model_copy(update=_renamed(link, names)) for link in workflow.links),
        "data_links": tuple(link.model_copy(update=_renamed(link, names)) for link in workflow.data_links),
    }
    return workflow.model_copy(update=update)


def _renamed(link: Link | DataLink, names: dict[str, str]) -> dict[str, str]:
    return {"source": names.get(link.source, link.source), "target": names.get(link.target, link.target)}


def _shuffled(items: Sequence[Item], rng: np.random.Generator) -> tuple[Item, ...]:
    return tuple(items[int(index)] for index in rng.permutation(len(items)))
