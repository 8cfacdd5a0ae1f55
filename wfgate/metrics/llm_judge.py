"""LLM-as-judge: what a language model thinks of the candidate, by a rubric."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from wfgate.alignment import Comparison
from wfgate.errors import LlmAnswerError
from wfgate.llm import Answer, Client, Question
from wfgate.llm.prompts.judge import TEMPLATES, Opinion, Template
from wfgate.llm.untrusted import spelled, suspected_injections
from wfgate.metrics.base import Metric, MetricScore
from wfgate.model import TaskGraph, Workflow

LONGEST = 120_000
"""Characters of both workflows that a judge is shown; nothing is cut off, longer ones are not judged."""
_DIGITS = 6


class LlmJudge(Metric):
    """A language model's grade by the paper's rubric of 0 to 5, averaged over several prompts, divided by 5.

    Definition:
        The model gets both workflows as lists of nodes and edges, the rubric, anchors, and steps to follow, and must
        answer with one JSON object: reasoning, initial score, self-check, final score. The value is the mean of the
        final scores over all prompts, over 5, at temperature 0; `variance` is their variance between prompts. Nodes
        are numbered by content: neither ids nor listing order are shown. Two workflows that read the same get 1
        unasked.
    Range and direction:
        [0, 1], higher is better. Numbers are those of one model, and drift where its owner changes it.
    Undefined when:
        No model was named; golden or candidate has no steps; both are longer than 120,000 characters; the candidate
        speaks to its judge where the golden does not (the judge is not asked then); or the model gives one of the
        prompts no answer of use: refused, truncated, malformed, or of another schema, again and again.
    Cost:
        One request per prompt. Both workflows are sent to the service.

    Args:
        client: Asks the model; None where there is none.

    Example:
        >>> from wfgate.alignment import StaticEmbedder, compare
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> LlmJudge().compute(compare(golden, golden, StaticEmbedder())).undefined_because
        'no model was named'
    """

    id = "llm-judge"
    default = False
    references: ClassVar = (
        "WorkflowPerturb (Kanda et al.), appendix B.6: rubric, anchors, steps, fields; several prompts averaged.",
        "Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, arXiv:2306.05685: its biases.",
    )

    def __init__(self, client: Client | None = None) -> None:
        self.client = client

    @property
    def signature(self) -> str:
        """Id, version, and what answers to which prompts.

        Raises:
            LlmServiceError: If the extra is not installed, or there is no key.
        """
        plain = super().signature
        if self.client is None:
            return plain
        return f"{plain}:{self.client.name}:{self.client.fingerprint[:12]}:{PROMPTS}"

    def compute(self, comparison: Comparison) -> MetricScore:
        """Score one pair.

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
        """
        return self.compute_all([comparison])[0]

    def compute_all(self, comparisons: Sequence[Comparison]) -> list[MetricScore]:
        """Score many pairs, several requests at a time.

        Raises:
            LlmServiceError: If the service cannot be reached or fails again and again.
        """
        client = self.client
        if client is None:
            return [self.undefined("no model was named") for _ in comparisons]
        cases = [_Case.of(comparison) for comparison in comparisons]
        asked = [case for case in cases if case.problem is None and not case.same]
        questions = [question for case in asked for question in case.questions()]
        answers = iter(client.ask_all(questions, Opinion))
        given = {id(case): [next(answers) for _ in TEMPLATES] for case in asked}
        return [self._score(case, given.get(id(case), [])) for case in cases]

    def _score(self, case: "_Case", answers: Sequence[Answer[Opinion] | LlmAnswerError]) -> MetricScore:
        if case.problem is not None:
            return self.undefined(case.problem)
        if case.same:
            return self.defined(1.0, variance=0.0)
        opinions = []
        for answer in answers:
            if isinstance(answer, LlmAnswerError):
                return self.undefined(f"the judge gave no valid answer: {answer.message}")
            opinions.append(answer.value)
        value, variance = mean_and_variance([opinion.score for opinion in opinions])
        worst = min(opinions, key=lambda opinion: opinion.score)
        score = self.defined(value, variance=variance)
        return score.model_copy(update={"comment": worst.justification})


@dataclass(frozen=True)
class _Case:
    """Two workflows as a judge is shown them, or why it is not."""

    golden: str
    candidate: str
    problem: str | None = None

    @classmethod
    def of(cls, comparison: Comparison) -> "_Case":
        golden, candidate = comparison.golden, comparison.candidate
        if not golden.tasks or not candidate.tasks:
            return cls("", "", f"the {'candidate' if golden.tasks else 'golden'} has no steps")
        ours = shown(golden, comparison.golden_graph, comparison.golden_order)
        theirs = shown(candidate, comparison.candidate_graph, comparison.candidate_order)
        case = cls(spelled(ours), spelled(theirs))
        if len(case.golden) + len(case.candidate) > LONGEST:
            return cls("", "", f"the workflows are longer than {LONGEST:,} characters")
        approved = suspected_injections(_texts(ours))
        for kind, text in suspected_injections(_texts(theirs)).items():
            if kind not in approved:
                return cls("", "", f"suspected prompt injection in the candidate: {text[:80]!r} {kind}")
        return case

    @property
    def same(self) -> bool:
        """Whether both read the same, character by character."""
        return self.golden == self.candidate

    def questions(self) -> list[Question]:
        return [template.question(self.golden, self.candidate) for template in TEMPLATES]


def shown(workflow: Workflow, graph: TaskGraph, order: Sequence[int]) -> dict[str, Any]:
    """Return what a judge sees of a workflow: texts, order and conditions, steps numbered from 1 in this order."""
    number = {task: place for place, task in enumerate(order, start=1)}
    steps = []
    for task in order:
        step = workflow.tasks[task]
        loop = step.loop.model_dump(exclude={"language"}, exclude_none=True) if step.loop else None
        said = {"n": number[task], "text": step.text, "does": step.action, "repeated": loop}
        steps.append({name: value for name, value in said.items() if value})
    edges = sorted([number[a], number[b]] for a, b in graph.edges)
    return {"steps": steps, "edges": edges, "conditions": _conditions(workflow, number)}


def _conditions(workflow: Workflow, number: dict[int, int]) -> list[dict[str, Any]]:
    """Return under which condition or outcome what follows some steps is done."""
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

    found = []
    for link in workflow.links:
        guard = link.guard
        said = {
            "if": guard.expr if guard else None,
            "otherwise": bool(guard and guard.default),
            "on": None if link.outcome == "success" else link.outcome,
            "again": link.back,
        }
        kept = {name: value for name, value in said.items() if value}
        if kept:
            found.append({"after": steps(link.source, before), **kept, "then": steps(link.target, after)})
    unique = {json.dumps(each, sort_keys=True): each for each in found}
    return [unique[key] for key in sorted(unique)]


def _texts(data: Any) -> list[str]:
    """Return every text in what a judge is shown."""
    if isinstance(data, dict):
        return [text for value in data.values() for text in _texts(value)]
    if isinstance(data, list):
        return [text for value in data for text in _texts(value)]
    return [data] if isinstance(data, str) else []


def mean_and_variance(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the population variance, rounded to 6 digits: grades are fifths, their means are exact."""
    mean = math.fsum(scores) / len(scores)
    variance = math.fsum((score - mean) ** 2 for score in scores) / len(scores)
    return round(mean, _DIGITS), round(variance, _DIGITS)


def _hash(templates: Sequence[Template]) -> str:
    asked = [[message.content for message in each.question("", "").messages] for each in templates]
    return hashlib.sha256(json.dumps([asked, Opinion.model_json_schema()]).encode()).hexdigest()[:12]


PROMPTS = _hash(TEMPLATES)
"""Hash of everything that is asked: other prompts give other numbers."""
