"""An Inspect scorer: does the workflow in the model's output regress from the approved one?

The target of a sample is the approved file, a path from this folder; several targets are approved variants.

A review is INCORRECT, because nobody looks at samples that are correct. So is an inconclusive case, for example an
output that contains no workflow: `Score.unscored()` would take it out of the accuracy. Other errors, such as an
expired profile, are raised: Inspect reports an error of the sample.
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

import wfgate

HERE = Path(__file__).parent
PASSES = {"pass"}
"""Verdicts that are CORRECT. Add "review" to see reviews in the explanation only."""


@scorer(metrics=[accuracy(), stderr()])
def no_regression() -> Scorer:
    """Score CORRECT if the gate passes the output."""

    async def score(state: TaskState, target: Target) -> Score:
        output = state.output.completion
        case = wfgate.gate([HERE / golden for golden in target], wfgate.WorkflowText(output))
        return Score(
            value=CORRECT if case.verdict in PASSES else INCORRECT,
            answer=output,
            explanation=wfgate.report(case),
            metadata={"verdict": case.verdict},
        )

    return score


@task
def deploy() -> Task:
    """Write the example again: `inspect eval wfgate_scorer.py --model MODEL`."""
    order = "Write the deployment of the payments service as a workflow: a YAML list of steps, each with a name."
    return Task(dataset=[Sample(order, target="../../deploy/approved/deploy.yaml")], scorer=no_regression())
