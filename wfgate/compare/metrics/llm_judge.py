"""LLM-as-judge: a language model grades the candidate by a rubric."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import JUDGE, Metric, MetricScore
from wfgate.errors import LlmAnswerError
from wfgate.llm import TEMPLATES, Client, LlmAnswer, LlmQuestion, Opinion, spelled, suspected_injections
from wfgate.model import TaskGraph, Workflow, content_order

LONGEST = 120_000
"""Largest length in characters of both workflows and the task; longer ones are not graded, nothing is cut off."""
_DIGITS = 6


class LlmJudge(Metric):
    """A language model's grade of the candidate, 0 to 5, averaged over several prompts and divided by 5.

    Definition:
        A prompt contains golden and candidate as lists of nodes and edges, the rubric of the paper (WorkflowPerturb),
        anchors (what each grade means), and instructions for the model. The answer must be one JSON object: reasoning,
        initial score, self-check, final score. The value is the mean of the final scores of all prompts, divided by 5;
        the temperature is 0. `variance` is the variance of the final scores between the prompts, after the division by
        5. Node numbers depend only on the content; ids and listing order are not sent. The prompt contains the task:
        name and description of the golden, and the brief of a suite; it has no such part if there is none of them. If
        both lists are identical, the value is 1 without a request.
    Range and direction:
        [0, 1], higher is better. Values depend on the language model. They change when its provider changes the model.
    Undefined when:
        No model is configured (checked first). Golden or candidate has no steps. Golden, candidate and task together
        are longer than 120,000 characters. The candidate contains a suspected prompt injection that the golden does
        not contain; then the workflows are not sent. A prompt gets no usable answer after retries (refused, truncated,
        malformed, or an answer that does not match the schema).
    Cost:
        One request per prompt. Both workflows and the task are sent to the service.

    Args:
        client: The client of the language model; None if no model is configured.

    Example:
        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> LlmJudge().compute(compare(golden, golden, StaticEmbedder())).undefined_because
        'no model is configured'
    """

    id = JUDGE
    default = False
    version = 3
    references: ClassVar = (
        "WorkflowPerturb (Kanda et al.), section 4.5: task in the prompt; appendix B.6: the rest; prompts averaged.",
        "Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, arXiv:2306.05685: its biases.",
    )

    def __init__(self, client: Client | None = None) -> None:
        self.client = client

    @property
    def signature(self) -> str:
        """Id, version, model, fingerprint of the model, and hash of the prompts.

        Raises:
            LlmServiceError: If the extra `llm` is not installed, or there is no API key.
        """
        plain = super().signature
        if self.client is None:
            return plain
        return f"{plain}:{self.client.name}:{self.client.fingerprint[:12]}:{prompts_hash()}"

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair.

        Raises:
            LlmServiceError: If the service cannot be reached or fails repeatedly.
        """
        return self.compute_all([comparison])[0]

    def compute_all(self, comparisons: Sequence[Comparison]) -> list[MetricScore]:
        """Return the scores of many pairs; requests are sent in parallel.

        Raises:
            LlmServiceError: If the service cannot be reached or fails repeatedly.
        """
        client = self.client
        if client is None:
            return [self.undefined("no model is configured") for _ in comparisons]
        cases = [
            SentPair.of(
                shown(pair.golden, pair.golden_graph),
                shown(pair.candidate, pair.candidate_graph),
                task_of(pair.golden, pair.brief),
            )
            for pair in comparisons
        ]
        asked = [case for case in cases if case.problem is None and not case.same]
        prompts = [question for case in asked for question in questions(case)]
        answers = iter(client.ask_all(prompts, Opinion))
        given = {id(case): [next(answers) for _ in TEMPLATES] for case in asked}
        return [self._score(case, given.get(id(case), [])) for case in cases]

    def _score(self, case: "SentPair", answers: Sequence[LlmAnswer[Opinion] | LlmAnswerError]) -> MetricScore:
        if case.problem is not None:
            return self.undefined(case.problem)
        if case.same:
            return self.defined(1.0, variance=0.0)
        opinions = []
        for answer in answers:
            if isinstance(answer, LlmAnswerError):
                return self.undefined(answer.message)
            opinions.append(answer.value)
        value, variance = mean_and_variance([opinion.score for opinion in opinions])
        worst = min(opinions, key=lambda opinion: opinion.score)
        score = self.defined(value, variance=variance)
        return score.model_copy(update={"comment": worst.justification})


@dataclass(frozen=True)
class SentPair:
    """Two workflows as sent to a language model, escaped, or the reason why they are not sent.

    Attributes:
        golden: The golden, as one line of JSON.
        candidate: The candidate, in the same way.
        task: What the workflows are for, in the same way; empty if it is unknown.
        problem: Why they are not sent; None if they are.
    """

    golden: str
    candidate: str
    task: str = ""
    problem: str | None = None

    @classmethod
    def of(cls, ours: dict[str, Any], theirs: dict[str, Any], task: Mapping[str, str] | None = None) -> "SentPair":
        """Return the pair for two descriptions of workflows (see `shown`) and their task (see `task_of`).

        They are not sent if one has no steps, if they are too long, or if the candidate contains a suspected prompt
        injection that the golden does not contain.
        """
        if not ours["steps"] or not theirs["steps"]:
            return cls("", "", problem=f"the {'candidate' if ours['steps'] else 'golden'} has no steps")
        case = cls(spelled(ours), spelled(theirs), spelled(task) if task else "")
        if len(case.golden) + len(case.candidate) + len(case.task) > LONGEST:
            return cls("", "", problem=f"the workflows are longer than {LONGEST:,} characters")
        approved = suspected_injections(_texts(ours))
        for kind, text in suspected_injections(_texts(theirs)).items():
            if kind not in approved:
                return cls("", "", problem=f"suspected prompt injection in the candidate: {text[:80]!r} {kind}")
        return case

    @property
    def same(self) -> bool:
        """Whether both descriptions are identical."""
        return self.golden == self.candidate


def questions(pair: SentPair) -> list[LlmQuestion]:
    """Return the prompts for one pair, one for each wording."""
    return [template.question(pair.golden, pair.candidate, task=pair.task) for template in TEMPLATES]


def task_of(golden: Workflow, brief: str = "") -> dict[str, str]:
    """Return what a workflow is for, for a language model; empty if it is unknown.

    Name and description are those of the golden, which is approved. The candidate's own are never taken: they could
    say that what is missing is not needed.

    Args:
        golden: The golden.
        brief: The text from which workflows of this case are generated, as a suite states it.

    Example:
        >>> task_of(Workflow(name="release", description=" "), "Publish the release.")
        {'name': 'release', 'brief': 'Publish the release.'}
    """
    known = {"name": golden.name, "description": golden.description, "brief": brief}
    return {kind: text.strip() for kind, text in known.items() if text.strip()}


def shown(workflow: Workflow, graph: TaskGraph) -> dict[str, Any]:
    """Return the description of a workflow for a language model: texts, order and conditions.

    Steps are numbered from 1 by content (see `content_order`). So a prompt depends on the two workflows only, and
    neither on their alignment nor on their listing.
    """
    order = content_order(workflow, graph)
    number = {task: place for place, task in enumerate(order, start=1)}
    steps = []
    for task in order:
        step = workflow.tasks[task]
        loop = step.loop.model_dump(exclude={"language"}, exclude_none=True) if step.loop else None
        fields = {"n": number[task], "text": step.whole_text(), "does": step.action, "repeated": loop}
        steps.append({name: value for name, value in fields.items() if value})
    edges = sorted([number[a], number[b]] for a, b in graph.edges)
    return {"steps": steps, "edges": edges, "conditions": _conditions(workflow, number)}


def _conditions(workflow: Workflow, number: dict[int, int]) -> list[dict[str, Any]]:
    """Return the conditions and outcomes of links, with the steps before and after them."""
    place = {task.id: number[at] for at, task in reversed(list(enumerate(workflow.tasks)))}
    gateways = {gateway.id for gateway in workflow.gateways} - place.keys()
    after: dict[str, list[str]] = {}
    before: dict[str, list[str]] = {}
    for link in workflow.links:
        after.setdefault(link.source, []).append(link.target)
        before.setdefault(link.target, []).append(link.source)

    def steps(node: str, neighbours: dict[str, list[str]]) -> list[int]:
        seen, pending = {node}, [node]
        while pending:
            at = pending.pop()
            if at in gateways:
                fresh = [near for near in neighbours.get(at, ()) if near not in seen]
                seen.update(fresh)
                pending += fresh
        return sorted(place[near] for near in seen if near in place)

    conditions = []
    for link in workflow.links:
        guard = link.guard
        fields = {
            "if": guard.expr if guard else None,
            "otherwise": bool(guard and guard.default),
            "on": None if link.outcome == "success" else link.outcome,
            "again": link.back,
        }
        kept = {name: value for name, value in fields.items() if value}
        if kept:
            conditions.append({"after": steps(link.source, before), **kept, "then": steps(link.target, after)})
    unique = {json.dumps(each, sort_keys=True): each for each in conditions}
    return [unique[key] for key in sorted(unique)]


def _texts(data: Any) -> list[str]:
    """Return all texts of the description of a workflow."""
    if isinstance(data, dict):
        return [text for value in data.values() for text in _texts(value)]
    if isinstance(data, list):
        return [text for value in data for text in _texts(value)]
    return [data] if isinstance(data, str) else []


def mean_and_variance(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the population variance, rounded to 6 digits."""
    mean = math.fsum(scores) / len(scores)
    variance = math.fsum((score - mean) ** 2 for score in scores) / len(scores)
    return round(mean, _DIGITS), round(variance, _DIGITS)


@cache
def prompts_hash() -> str:
    """Return a hash of the prompts and the answer schema; part of the signature."""
    asked = [[message.content for message in each.question("", "", task="-").messages] for each in TEMPLATES]
    return hashlib.sha256(json.dumps([asked, Opinion.model_json_schema()]).encode()).hexdigest()[:12]
