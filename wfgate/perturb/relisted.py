"""The same workflow, written down differently: nothing may notice."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, DataLink, Link
from wfgate.perturb.base import Golden, Perturbation, Variant

Item = TypeVar("Item")


class Identity(Perturbation):
    """Nothing changes: every metric must say 1.0.

    Severity has no meaning here.
    """

    id = "identity"
    label = "benign"
    severities = (1.0,)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k, rng
        return Variant(golden.workflow, ())


class Relisted(Perturbation):
    """Steps and links are listed in another order and get other ids: every metric must say 1.0.

    Severity has no meaning here.
    """

    id = "relisted"
    label = "benign"
    severities = (1.0,)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        workflow = golden.workflow
        ids = [task.id for task in workflow.tasks] + [gate.id for gate in workflow.gateways]
        if len({START, END, *ids}) < len(ids) + 2:
            raise PerturbationRejected("two nodes share an id: what a link means depends on the listing")
        mentioned = {end for link in workflow.links for end in (link.source, link.target)}
        mentioned |= {end for link in workflow.data_links for end in (link.source, link.target)}
        stem = "n"
        while any(name.startswith(stem) for name in mentioned - set(ids)):  # links to nowhere go on leading nowhere
            stem += "n"
        names = {old: f"{stem}{int(number)}" for old, number in zip(ids, rng.permutation(len(ids)), strict=True)}
        links = [link.model_copy(update=_renamed(link, names)) for link in workflow.links]
        data = [link.model_copy(update=_renamed(link, names)) for link in workflow.data_links]
        tasks = [task.model_copy(update={"id": names[task.id]}) for task in workflow.tasks]
        gates = [gate.model_copy(update={"id": names[gate.id]}) for gate in workflow.gateways]
        update = {
            "tasks": _shuffled(tasks, rng),
            "gateways": _shuffled(gates, rng),
            "links": _shuffled(links, rng),
            "data_links": _shuffled(data, rng),
        }
        return Variant(workflow.model_copy(update=update), ())


def _renamed(link: Link | DataLink, names: dict[str, str]) -> dict[str, str]:
    return {"source": names.get(link.source, link.source), "target": names.get(link.target, link.target)}


def _shuffled(items: Sequence[Item], rng: np.random.Generator) -> tuple[Item, ...]:
    return tuple(items[int(index)] for index in rng.permutation(len(items)))
