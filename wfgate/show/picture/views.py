"""The pictures of a golden and a candidate. Composites (calls of sub-workflows) are open or folded into one box."""

from collections.abc import Collection, Sequence

from wfgate.compare import Alignment
from wfgate.decide import StepState
from wfgate.model import Task, Workflow, expand
from wfgate.show.picture.flow import PictureFlow, flow_of, folded, outermost
from wfgate.show.picture.pair import PairLayout
from wfgate.show.picture.scene import Picture, title_of

MAX_VIEWS = 16
"""Composites that can be opened one by one; each needs a picture."""


def pair_picture(
    golden: Workflow,
    candidate: Workflow,
    alignment: Alignment,
    steps: Sequence[StepState] = (),
    *,
    fold: bool = False,
) -> Picture:
    """Return the picture of a golden and a candidate.

    Args:
        golden: The approved workflow. Each composite is one step.
        candidate: The workflow under test. Each composite is one step.
        alignment: The alignment of the expanded workflows (each composite replaced by its sub-workflow), by positions
            of steps.
        steps: What became of each golden step (`step_states`); without it, what the alignment says.
        fold: Whether each composite is drawn as one box.

    Cost: 0.1 s for 200 steps on each side.
    """
    flows, tasks = _opened(golden, candidate)
    drawn = [folded(flow) for flow in flows] if fold else flows
    return PairLayout(drawn, tasks, alignment, steps).picture(title_of(golden), title_of(candidate))


def pair_views(
    golden: Workflow,
    candidate: Workflow,
    alignment: Alignment,
    steps: Sequence[StepState] = (),
    touched: Collection[str] = (),
) -> tuple[Picture, ...]:
    """Return all pictures of a golden and a candidate.

    The first picture shows all composites open. If there are composites, the second picture shows all of them folded,
    and each further picture shows one composite open.

    A composite of the golden and the composite of the candidate that belongs to it are open in the same picture. If
    there is only one composite, no further picture is needed, because the first picture shows it open. If there are
    more than 16 composites, only 16 have a picture of their own.

    Args:
        golden: The approved workflow.
        candidate: The workflow under test.
        alignment: The alignment of the expanded workflows.
        steps: What became of each golden step.
        touched: Ids of the golden steps that have another value: they are changed inside.
    """
    flows, tasks = _opened(golden, candidate)
    titles = title_of(golden), title_of(candidate)
    pair = PairLayout(flows, tasks, alignment, steps, touched)
    shut = PairLayout([folded(flow) for flow in flows], tasks, alignment, steps, touched)
    paths = [{path for node in flow.nodes.values() if (path := outermost(node))} for flow in flows]
    numbers = list(dict.fromkeys(shut.numbers[side][path] for side in (0, 1) for path in sorted(paths[side])))[
        :MAX_VIEWS
    ]
    if not numbers:
        return (pair.picture(*titles),)
    first = 2 if len(numbers) > 1 else 0
    place_of = {number: first + place for place, number in enumerate(numbers)}
    views = [
        {path: place_of[number] for path in paths[side] if (number := shut.numbers[side][path]) in place_of}
        for side in (0, 1)
    ]
    pictures = [pair.picture(*titles, views=views), shut.picture(*titles, views=views)]
    for place in place_of.values() if first else ():
        ajar = [
            folded(flow, {path for path, view in views[side].items() if view == place})
            for side, flow in enumerate(flows)
        ]
        pictures.append(PairLayout(ajar, tasks, alignment, steps, touched).picture(*titles, views=views))
    return tuple(pictures)


def _opened(golden: Workflow, candidate: Workflow) -> tuple[list[PictureFlow], tuple[Sequence[Task], Sequence[Task]]]:
    """Return for each side the flow with all composites open, and the steps of the flow."""
    ours, theirs = expand(golden), expand(candidate)
    return [flow_of(ours, golden), flow_of(theirs, candidate)], (ours.tasks, theirs.tasks)
