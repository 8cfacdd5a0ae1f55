"""Finds the steps of a workflow that a rule names, and says how sure each match is."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from wfgate.base import LOOK_ALIKES
from wfgate.compare import LEAST, SURE, Fate, asked_of, demand_scores, nearest_place, ranks, text_similarity
from wfgate.language import Embedder, MeaningModel, contradictions, plain_words
from wfgate.model import Task, Workflow
from wfgate.rules.own.schema import NamedStep

How = Literal["words", "pattern", "id", "tool", "value", "meaning"]
_HOWS: tuple[How, ...] = ("pattern", "tool", "value")
NEAR = 8
"""Most steps that the meaning model reads for one step of a rule."""
ALPHAS = (0.01, 0.05)
"""Rates of a block and of a review where no profile states them (`wfgate lint`)."""


class MatchedStep(NamedTuple):
    """A step that a rule names.

    Attributes:
        step: Its position.
        how: How it is matched.
        p_value: Share of harmless rewordings that look at least this different, for a match by meaning.
    """

    step: int
    how: How
    p_value: float | None = None


@dataclass(frozen=True)
class Matches:
    """The steps of a workflow that fit a step of a rule.

    Attributes:
        exact: Steps that fit without doubt, in the order of the workflow.
        likely: Further steps that mean the same; they are looked for only if no step has the words of a text.
        p_value: The largest p-value of "the step is there": 1 with an exact match, 0 if nothing can fit by meaning.
        certain: Whether only exact matches count, so that it is certain when there is none.
    """

    exact: tuple[MatchedStep, ...]
    likely: tuple[MatchedStep, ...] = ()
    p_value: float = 0.0
    certain: bool = True

    @property
    def best(self) -> tuple[MatchedStep, ...]:
        """The exact matches; without one, those by meaning."""
        return self.exact or self.likely

    @property
    def steps(self) -> tuple[int, ...]:
        """The positions of the best matches."""
        return tuple(match.step for match in self.best)


@dataclass(frozen=True)
class TextModels:
    """The models that compare texts; they are loaded when a text has no step with the same words.

    Attributes:
        load_embedder: Returns the embedder.
        load_meaning_model: Returns the meaning model.
    """

    load_embedder: Callable[[], Embedder]
    load_meaning_model: Callable[[], MeaningModel | None]

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder."""
        return self.load_embedder()

    @cached_property
    def meaning_model(self) -> MeaningModel | None:
        """The meaning model; None compares no meanings."""
        return self.load_meaning_model()


class StepFinder:
    """Finds the steps of one workflow.

    Args:
        workflow: The workflow, composites expanded.
        models: The models.
        golden: Finds the steps of the golden, if the workflow is a candidate.
        fates: What became of each golden step in this candidate.
    """

    def __init__(
        self,
        workflow: Workflow,
        models: TextModels,
        golden: "StepFinder | None" = None,
        fates: tuple[Fate, ...] = (),
    ) -> None:
        self.workflow = workflow
        self.models = models
        self.golden = golden
        self.fates = fates
        self._known: dict[NamedStep, Matches] = {}

    def find(self, named: NamedStep) -> Matches:
        """Return the steps that fit."""
        if named not in self._known:
            self._known[named] = self._found(named)
        return self._known[named]

    def every(self, named: NamedStep) -> tuple[MatchedStep, ...]:
        """Return the steps that fit, and those that mean the same although another step has the same words."""
        matches = self.find(named)
        likely = matches.likely
        if matches.exact and named.text and not (named.same_words or named.id):
            exact = {match.step for match in matches.exact}
            _, likely = self._near(named.text, [step for step in self._fitting(named) if step not in exact])
        return (*matches.exact, *likely)

    def _found(self, named: NamedStep) -> Matches:
        if named.id:
            return self._by_id(named)
        if not named.text:
            how = next(key for key in _HOWS if getattr(named, key))
            return Matches(tuple(MatchedStep(step, how) for step in self._fitting(named)))
        same = self._by_words.get(plain_words(named.text), ())
        exact = tuple(MatchedStep(step, "words") for step in same if self._fits(named, step))
        if exact or named.same_words:
            return Matches(exact)
        if self.golden is not None and self.golden.find(named).best:
            return self._of_golden(named)
        near, likely = self._near(named.text, self._fitting(named))
        chance = max((match.p_value or 0.0 for match in near), default=0.0)
        return Matches((), likely, chance, certain=False)

    def _by_id(self, named: NamedStep) -> Matches:
        """Return the steps that do the golden's step of this id; without a golden, those that have the id."""
        if self.golden is not None:
            return self._of_golden(named)
        steps = [step for step in self._fitting(named) if self.workflow.tasks[step].id == named.id]
        return Matches(tuple(MatchedStep(step, "id") for step in steps))

    def _of_golden(self, named: NamedStep) -> Matches:
        """Return the candidate steps that do the golden's steps: the whole workflow and the profile's rate count."""
        assert self.golden is not None  # noqa: S101 - the caller asks only with a golden
        fates = [self.fates[match.step] for match in self.golden.find(named).best]
        by_step: dict[int, MatchedStep] = {}
        for fate in fates:
            sure = fate.is_verbatim and named.id
            for step in fate.done_by:
                if self._fits(named, step):
                    by_step.setdefault(
                        step, MatchedStep(step, "id" if sure else "meaning", None if sure else _kept(fate))
                    )
        exact = tuple(match for match in by_step.values() if match.how == "id")
        likely = tuple(match for match in by_step.values() if match.how != "id")
        chance = max((_kept(fate) for fate in fates if fate.done_by), default=0.0)
        return Matches(exact, likely, 1.0 if exact else chance, certain=False)

    def _fitting(self, named: NamedStep) -> list[int]:
        return [step for step in range(len(self.workflow.tasks)) if self._fits(named, step)]

    def _fits(self, named: NamedStep, step: int) -> bool:
        """Return whether a step fits all keys but `text` and `id`."""
        if named.pattern:
            pattern = _line(named.pattern)
            if not any(fnmatchcase(text, pattern) for text in self._lines[step]):
                return False
        if named.tool and not fnmatchcase(_line(self.workflow.tasks[step].action or ""), _line(named.tool)):
            return False
        glob = _seen(named.value or "")
        return not glob or any(
            fnmatchcase(text, glob) or fnmatchcase(f"{key}={text}", glob) for key, text in self._values[step]
        )

    @cached_property
    def _texts(self) -> list[tuple[str, ...]]:
        return [
            tuple(text for text in (task.name, task.statement, task.description, task.marked) if text)
            for task in self.workflow.tasks
        ]

    @cached_property
    def _lines(self) -> list[list[str]]:
        return [[*map(_line, texts)] for texts in self._texts]

    @cached_property
    def _values(self) -> list[list[tuple[str, str]]]:
        return [[(key, _seen(text)) for key, text in values(task)] for task in self.workflow.tasks]

    @cached_property
    def _by_words(self) -> dict[str, list[int]]:
        steps: dict[str, list[int]] = {}
        for step, texts in enumerate(self._texts):
            for words in dict.fromkeys(map(plain_words, texts)):
                steps.setdefault(words, []).append(step)
        return steps

    def _near(self, text: str, others: list[int]) -> tuple[tuple[MatchedStep, ...], tuple[MatchedStep, ...]]:
        """Return the similar steps that do not contradict a text, and those of them that surely mean the same."""
        tasks = self.workflow.tasks
        model = self.models.meaning_model
        if not others or model is None:
            return (), ()
        row = text_similarity([text], [tasks[step].text for step in others], self.models.embedder)[0]
        near = [others[place] for place in np.argsort(-row, kind="stable")[:NEAR] if row[place] >= LEAST]
        near = [step for step in near if not contradictions(text, tasks[step].statement)]
        one = np.ones(1, dtype=np.bool_)
        place = nearest_place(np.ones(1), ranks([0]), one)
        asked = [asked_of(text, place, [tasks[step]]) for step in near]
        scores = demand_scores(asked, model)
        chances = [round(model.p_value(one.logit, texts.words), 6) for one, texts in zip(scores, asked, strict=True)]
        matches = [MatchedStep(step, "meaning", chance) for step, chance in zip(near, chances, strict=True)]
        sure = [match for match, score in zip(matches, scores, strict=True) if score.logit >= SURE]
        return tuple(sorted(matches)), tuple(sorted(sure))

    def means(self, text: str, others: list[str]) -> list[str]:
        """Return the texts that mean the same as a text, by the meaning model alone: for conditions."""
        model = self.models.meaning_model
        kept = [other for other in others if not contradictions(text, other)]
        if not kept or model is None:
            return []
        scores = model.compare([(text, other) for other in kept])
        return [other for other, score in zip(kept, scores, strict=True) if score.logit >= SURE]


def _kept(fate: Fate) -> float:
    return 0.0 if fate.is_missing else fate.loss_p_value


def _line(text: str) -> str:
    return " ".join(_seen(text).casefold().split())


def _seen(text: str) -> str:
    """Return a text as a person sees it: no other spelling of its characters gets around a pattern."""
    if text.isascii():
        return text
    shown = unicodedata.normalize("NFKC", text)
    return "".join(one for one in shown if unicodedata.category(one) != "Cf").translate(LOOK_ALIKES)


def values(task: Task) -> Iterator[tuple[str, str]]:
    """Yield the values of a step, as texts, each with the last key of its path."""
    for element in (task.params, task.raw, *(part.raw for part in task.definitions)):
        yield from _leaves("", element)


def _leaves(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from _leaves(str(inner), each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(key, each)
    elif isinstance(value, bool):
        yield key, "true" if value else "false"
    elif value is not None:
        yield key, str(value)
