"""Grades exam answers, and averages the grades by question pattern, by category and overall.

The judge is a language model that grades answers in free text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from wfgate.catalogue.exam.administer import Given, Protocol, Response
from wfgate.catalogue.exam.instances import Exam, Instance, catalogue_version, spread
from wfgate.catalogue.facts import FACTS
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Group
from wfgate.catalogue.facts.grading import grade
from wfgate.compare import greedy
from wfgate.errors import ConfigError, LlmAnswerError, install_extra
from wfgate.language import Embedder
from wfgate.llm import Client, Opinion
from wfgate.llm import LlmQuestion as Prompt
from wfgate.llm import grading as judging
from wfgate.model import Frozen

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Grading = Literal[
    "correctness", "jaccard", "pair-jaccard", "damerau-levenshtein", "rouge-1-recall", "bertscore", "judge"
]
"""Metric of a grade; all grades are in [0, 1], 1 is best."""
_DIGITS = 6
_EDGES = re.compile(r"^[\s'\"`]+|[\s'\"`.]+$")


class Mean(Frozen):
    """A mean over repetitions.

    Attributes:
        mean: Mean over repetitions, in [0, 1].
        sd: Sample standard deviation over repetitions; None if there is only one repetition.
    """

    mean: float
    sd: float | None


class PatternScore(Frozen):
    """The score of a question pattern: one line of the result table.

    Attributes:
        pattern: Id of the pattern, which is the id of a fact.
        group: Category of the pattern.
        grading: Metric that the answers are graded with.
        counts: Whether this score is part of the exam's score. Scores of free-text answers are not part of it, because
            they only measure the similarity to one wording.
        questions: Number of questions of the pattern.
        unanswered: Number of invalid answers over all repetitions; each gets the grade 0.
        score: Mean over questions, then over repetitions.
    """

    pattern: str
    group: Group
    grading: Grading
    counts: bool
    questions: int
    unanswered: int
    score: Mean


class GroupScore(Frozen):
    """The score of a category: the mean over those of its patterns that count."""

    group: Group
    patterns: int
    questions: int
    score: Mean


class Reply(Frozen):
    """One response: the answer or the problem, and the grade by each metric."""

    given: Any
    problem: str | None
    grades: dict[Grading, float]


class Asked(Frozen):
    """One question with all its answers, stored so that the answers can be graded again."""

    id: str
    workflow: str
    scene: str
    notation: str
    question: str
    reference: Any
    replies: tuple[Reply, ...]


class Settings(Frozen):
    """Settings of an exam. Scores with different settings are not comparable."""

    notation: str
    protocol: Protocol
    repetitions: int
    questions: int
    temperature: float
    seed: int


class Result(Frozen):
    """A graded exam.

    Attributes:
        model: The model that was tested.
        service: Hash of the service's address and the model.
        catalogue: Version of the question patterns and of the computation of the right answers.
        settings: Settings of the exam.
        workflows: The workflows that the questions are about: content hash by name.
        score: Mean over the patterns that count.
        groups: Scores by category.
        patterns: Scores by pattern and metric.
        without: Patterns without a question in this notation.
        small: Names of workflows with too few tasks to be arranged; they may give no question for a pattern.
        scenes: Number of questions about unchanged workflows ("as given"), and about each arrangement of tasks.
        answers: Number of answers over all repetitions.
        known: Number of answers that came from the cache.
        refused: Number of questions that the model refused to answer.
        unreadable: Number of answers that were truncated or did not match the schema.
        grader: Name of the judge, the model that graded free-text answers; None if there was no judge.
        ungraded: Number of free-text answers without a valid grade of the judge; they are not in the judge's mean.
        asked: Every question with its answers.
    """

    model: str
    service: str
    catalogue: str = Field(default_factory=catalogue_version)
    settings: Settings
    workflows: dict[str, str]
    score: Mean
    groups: tuple[GroupScore, ...]
    patterns: tuple[PatternScore, ...]
    without: tuple[str, ...]
    small: tuple[str, ...] = ()
    scenes: dict[str, int]
    answers: int
    known: int
    refused: int
    unreadable: int
    grader: str | None
    ungraded: int
    asked: tuple[Asked, ...]

    def passes(self, least: float) -> bool:
        """Return whether the score is at least `least`, after rounding both to six digits."""
        return round(self.score.mean, _DIGITS) >= round(least, _DIGITS)


class Grader:
    """Grades answers.

    The package rouge-score is imported when the first free-text answer is graded.

    Args:
        embedder: Word embeddings for BERTScore.
        judge: Client of the judge; None if there is no judge.

    Raises:
        ConfigError: On the first free-text answer, if rouge-score is not installed.
    """

    def __init__(self, embedder: Embedder, judge: Client | None = None) -> None:
        self.embedder = embedder
        self.judge = judge
        self._rouge: RougeScorer | None = None
        self._judged: dict[Prompt, float | None] = {}

    def ask(self, answered: Iterable[tuple[Instance, Response]]) -> None:
        """Ask the judge for the grades of all free-text answers, with parallel requests; `grade` returns them.

        Raises:
            LlmServiceError: If the service cannot be reached or keeps failing.
        """
        prompts = [_to_judge(instance, response) for instance, response in answered]
        fresh = [prompt for prompt in dict.fromkeys(prompts) if prompt is not None and prompt not in self._judged]
        if self.judge is None or not fresh:
            return
        for prompt, opinion in zip(fresh, self.judge.ask_all(fresh, Opinion), strict=True):
            self._judged[prompt] = None if isinstance(opinion, LlmAnswerError) else opinion.value.score

    def grades(self, instance: Instance, response: Response) -> dict[Grading, float]:
        """Return the grades of an answer by metric; the grades are 0 if there is no answer.

        The judge's grade is left out if there is no judge, or if the judge gave no valid grade.

        Raises:
            LlmServiceError: If the judge's service cannot be reached or keeps failing.
        """
        metric = instance.fact.metric
        if metric == "judged":
            given = response.given if isinstance(response.given, str) else ""
            reference = sentence_of(instance.reference)
            grades: dict[Grading, float] = {
                "rouge-1-recall": self._rouge_1_recall(reference, given),
                "bertscore": self._bertscore(reference, given),
            }
            judged = self._opinion(instance, response)
            return grades if judged is None else {**grades, "judge": judged}
        if response.problem is not None:
            return {metric: 0.0}
        value = grade(instance.reference, as_called(instance, response.given)).value
        return {metric: 0.0 if value is None else value}

    def _opinion(self, instance: Instance, response: Response) -> float | None:
        if self.judge is None:
            return None
        prompt = _to_judge(instance, response)
        if prompt is None:
            return 1.0 if response.given == sentence_of(instance.reference) else 0.0
        self.ask([(instance, response)])
        return self._judged[prompt]

    def _rouge_1_recall(self, reference: str, given: str) -> float:
        """Return the share of the reference's words that the answer contains, as in the catalogue's own evaluation."""
        if reference == given:  # rouge-score drops letters that are not Latin
            return 1.0
        if self._rouge is None:
            self._rouge = _rouge()
        return float(self._rouge.score(reference, given)["rouge1"].recall)

    def _bertscore(self, reference: str, given: str) -> float:
        if reference == given:
            return 1.0
        ours, theirs = self.embedder.embed_tokens([reference, given])
        return greedy(ours, theirs)[2]


def _to_judge(instance: Instance, response: Response) -> Prompt | None:
    """Return the judge's prompt for a free-text answer.

    None if no judge is needed: there is no text, or the text equals the right answer.
    """
    reference, given = sentence_of(instance.reference), response.given
    if not _in_words(instance) or not isinstance(given, str) or not given.strip() or given == reference:
        return None
    return judging(instance.words, reference, given)


def as_called(instance: Instance, given: Given) -> Any:
    """Return an answer with task names as in the workflow.

    The model may also use ids, upper or lower case, and quotes.
    """
    if instance.fact.answers == "yes-no":
        return given == "yes"
    if given is None or isinstance(given, str):
        return None if given is None else _called(instance, given)
    names = [
        [_called(instance, name) for name in each] if isinstance(each, list) else _called(instance, each)
        for each in given
    ]
    return [*dict.fromkeys(names)] if instance.fact.answers == "set" else names


def _called(instance: Instance, name: str) -> str:
    value = instance.reference.value
    sets = value if isinstance(value, tuple) else (value,)
    known = {each for one in sets for each in (one if isinstance(one, tuple) else (one,)) if isinstance(each, str)}
    if name in known:
        return name
    bare = _EDGES.sub("", name)
    alike = [each for each in known if " ".join(each.split()).casefold() == " ".join(bare.split()).casefold()]
    if alike:
        return alike[0]
    try:
        task = instance.subject.find(bare)
    except ConfigError:  # several tasks have that name
        return name
    return name if task is None else instance.subject.labels[task]


def sentence_of(reference: Answer) -> str:
    """Return the right answer of a free-text question as one line."""
    return "; ".join(reference.value) if reference.type == "text" and reference.value else ""


def graded(
    exam: Exam,
    responses: Sequence[tuple[Response, ...]],
    grader: Grader,
    *,
    model: str,
    service: str,
    settings: Settings,
    workflows: Mapping[str, str],
) -> Result:
    """Grade an exam.

    Args:
        exam: The questions.
        responses: For each question the responses, one for each repetition.
        grader: Grades the answers.
        model: The model that answered.
        service: Hash of its service.
        settings: Settings of the exam.
        workflows: Content hash of each workflow by name.

    Raises:
        LlmServiceError: If the judge's service cannot be reached or keeps failing.
    """
    grader.ask((one, each) for one, said in zip(exam.instances, responses, strict=True) for each in said)
    asked = tuple(
        Asked(
            id=instance.id,
            workflow=instance.paper,
            scene=instance.scene,
            notation=instance.notation,
            question=instance.words,
            reference=instance.reference.value,
            replies=tuple(
                Reply(given=each.given, problem=each.problem, grades=grader.grades(instance, each)) for each in said
            ),
        )
        for instance, said in zip(exam.instances, responses, strict=True)
    )
    patterns, means = _by_pattern(exam.instances, asked)
    counted = [row for row in patterns if row.counts]
    everything = [response for said in responses for response in said]
    judged = [
        reply for one, each in zip(exam.instances, asked, strict=True) if _in_words(one) for reply in each.replies
    ]
    return Result(
        model=model,
        service=service,
        settings=settings,
        workflows=dict(workflows),
        score=_over([means[row.pattern, row.grading] for row in counted]),
        groups=tuple(_by_group(counted, means)),
        patterns=patterns,
        without=exam.without,
        small=exam.small,
        scenes=spread(exam.instances),
        answers=len(everything),
        known=sum(response.cached for response in everything),
        refused=sum(response.problem == "refused" for response in everything),
        unreadable=sum(response.problem in {"truncated", "unreadable"} for response in everything),
        grader=grader.judge.name if grader.judge else None,
        ungraded=sum("judge" not in reply.grades for reply in judged) if grader.judge else 0,
        asked=asked,
    )


_Means = dict[tuple[str, str], list[float]]
"""Mean over questions for each repetition, by pattern and grading."""


def _by_pattern(instances: Sequence[Instance], asked: Sequence[Asked]) -> tuple[tuple[PatternScore, ...], _Means]:
    rows, means = [], _Means()
    for fact in FACTS.values():
        mine = [each for instance, each in zip(instances, asked, strict=True) if instance.fact is fact]
        gradings: tuple[Grading, ...] = (
            ("rouge-1-recall", "bertscore", "judge") if fact.metric == "judged" else (fact.metric,)
        )
        for grading in gradings if mine else ():
            table = [[reply.grades.get(grading) for reply in each.replies] for each in mine]
            columns = [[grade for grade in column if grade is not None] for column in zip(*table, strict=True)]
            if not any(columns):  # no judge, or no valid grade
                continue
            means[fact.id, grading] = [fmean(column) for column in columns if column]
            rows.append(
                PatternScore(
                    pattern=fact.id,
                    group=fact.group,
                    grading=grading,
                    counts=fact.metric != "judged",
                    questions=len(mine),
                    unanswered=sum(reply.problem is not None for each in mine for reply in each.replies),
                    score=_over([means[fact.id, grading]]),
                )
            )
    return tuple(rows), means


def _in_words(instance: Instance) -> bool:
    return instance.fact.metric == "judged"


def _by_group(rows: Sequence[PatternScore], means: _Means) -> Iterable[GroupScore]:
    for group in dict.fromkeys(row.group for row in rows):
        mine = [row for row in rows if row.group == group]
        yield GroupScore(
            group=group,
            patterns=len(mine),
            questions=sum(row.questions for row in mine),
            score=_over([means[row.pattern, row.grading] for row in mine]),
        )


def _over(several: Sequence[Sequence[float]]) -> Mean:
    """Return mean and standard deviation over repetitions. The value of a repetition is its mean over patterns."""
    if not several:
        return Mean(mean=0.0, sd=None)
    each = [fmean(column) for column in zip(*several, strict=True)]
    return Mean(mean=round(fmean(each), _DIGITS), sd=round(stdev(each), _DIGITS) if len(each) > 1 else None)


def _rouge() -> "RougeScorer":
    missing = ""
    try:
        from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - an extra
    except ImportError as error:
        missing = str(error)
    if missing:
        raise ConfigError(f"rouge-score is not installed: {missing}", fix=install_extra("llm"))
    return RougeScorer(["rouge1"])
