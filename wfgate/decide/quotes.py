"""The second stage: a language model must quote where the candidate does each golden step.

A verdict that rests on statistics alone is a doubt about texts. A language model can resolve this doubt, but its
answer is untrusted, because it has read the candidate. Therefore an answer is not believed but verified: each quote
must stand in the step that it names, and the exact checks must agree. If every golden step is verified, a block
becomes a review, and never a pass.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

from wfgate.compare import Comparison, SentPair, shown
from wfgate.decide.reason import Reason
from wfgate.decide.result import CaseResult
from wfgate.errors import LlmAnswerError
from wfgate.language import HEDGED, HEDGES, contradictions, is_content, parsed, tokens
from wfgate.llm import Claims, Client, QuotedClaim, quotes_hash, quotes_question
from wfgate.model import TaskGraph, Workflow, content_order

Rule = Literal[
    "not sent", "no answer", "form", "status", "quote", "own words", "contradiction", "number", "order", "foreign"
]
"""Why an answer does not count."""


class QuoteProblem(NamedTuple):
    """Why an answer does not count, in one sentence."""

    rule: Rule
    message: str


@dataclass(frozen=True)
class QuotedReading:
    """What the answer of the language model is worth.

    Attributes:
        steps: Number of golden steps.
        quotes: Number of quotes in the answer.
        problem: The first reason why the answer does not count; None if every golden step is verified.
    """

    steps: int
    quotes: int = 0
    problem: QuoteProblem | None = None


@dataclass(frozen=True)
class Numbered:
    """A workflow with its steps in the order in which they are shown to the model; position i has the number i + 1.

    Attributes:
        texts: Text of each step, as shown to the model.
        graph: Task graph of the steps in the same order.
        shown: The description for the model.
    """

    texts: tuple[str, ...]
    graph: TaskGraph
    shown: dict[str, Any]

    @classmethod
    def of(cls, workflow: Workflow, graph: TaskGraph) -> "Numbered":
        """Return the numbered steps of a workflow."""
        order = content_order(workflow, graph)
        texts = tuple(workflow.tasks[task].text for task in order)
        return cls(texts, graph.listed(order), shown(workflow, graph))


class SecondStage:
    """Asks a language model for quotes, with one prompt for each pair, and verifies them.

    Args:
        client: The client of the language model.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    @property
    def signature(self) -> str:
        """The model, its fingerprint, and the hash of the prompt."""
        return f"quotes:{self.client.name}:{self.client.fingerprint[:12]}:{quotes_hash()}"

    def read(self, comparison: Comparison) -> QuotedReading:
        """Return what the model's answer about a pair is worth.

        Raises:
            LlmServiceError: If the service cannot be reached or fails repeatedly.
        """
        golden = Numbered.of(comparison.golden, comparison.golden_graph)
        candidate = Numbered.of(comparison.candidate, comparison.candidate_graph)
        steps = len(golden.texts)
        sent = SentPair.of(golden.shown, candidate.shown)
        if sent.problem:
            return QuotedReading(steps, problem=QuoteProblem("not sent", sent.problem))
        try:
            claims = self.client.ask(quotes_question(sent.golden, sent.candidate), Claims).value
        except LlmAnswerError as error:
            return QuotedReading(steps, problem=QuoteProblem("no answer", error.message))
        count = sum(len(claim.quotes) for claim in claims.golden)
        return QuotedReading(steps, count, next(problems(golden, candidate, claims), None))


class _Place(NamedTuple):
    """Where a quote stands: the candidate step (from 0), and the place in its `_plain` text."""

    step: int
    start: int
    end: int


def problems(golden: Numbered, candidate: Numbered, claims: Claims) -> Iterator[QuoteProblem]:
    """Yield the reasons why an answer does not count.

    An answer counts if all of these hold. Together they make sure that nothing depends on what the model says, but
    only on words that stand in the candidate:

    - Each golden step has exactly one claim, with status "kept" and at least one quote.
    - Each quote stands in the step that it names, as whole words (Unicode NFKC; case and white space are ignored).
    - Each golden step has a content word or number that no other golden step quotes. So the same words cannot be
      used twice, nor a quote within another one, while steps that were merged may share their object.
    - The quotes of a step do not contradict the golden step, the sentences around them do not deny or weaken it ("if
      possible"), and no negation stands right before a quote.
    - All numbers of the golden step stand in the quoted steps.
    - If a golden step comes before another, no quoted step of the second comes before one of the first, and if a link
      joins them, one of the second comes after, or is, one of the first.
    - Each candidate step is quoted or listed as an addition, and no addition is called foreign.

    Cost: quadratic in the number of steps, linear in their texts.

    Example:
        >>> from wfgate.llm.prompts.quotes import Quote
        >>> from wfgate.model import Task
        >>> golden, candidate = (Workflow(tasks=(Task(id="a", name=name),)) for name in ("Send it", "Do not mail it"))
        >>> pair = [Numbered.of(workflow, TaskGraph.of(workflow)) for workflow in (golden, candidate)]
        >>> for text in ("Send it", "mail it", "Do not mail it"):
        ...     claim = QuotedClaim(n=1, status="kept", quotes=(Quote(n=1, quote=text),))
        ...     print(next((one.message for one in problems(*pair, Claims(golden=(claim,), added=()))), None))
        golden step 1: candidate step 1 does not contain 'Send it'
        golden step 1: a quote leaves out the negation before it
        None
    """
    numbers = range(1, len(candidate.texts) + 1)
    named = [quote.n for claim in claims.golden for quote in claim.quotes]
    added = [addition.n for addition in claims.added]
    if sorted(claim.n for claim in claims.golden) != list(range(1, len(golden.texts) + 1)):
        yield QuoteProblem("form", "not exactly one claim for each golden step")
        return
    if not {*named, *added} <= {*numbers} or len({*added}) < len(added):
        yield QuoteProblem("form", "a candidate step does not exist or is listed twice")
        return
    for step in sorted({*numbers} - {*named, *added}):
        yield QuoteProblem("form", f"candidate step {step} is neither quoted nor listed")
    for addition in claims.added:
        if addition.foreign:
            yield QuoteProblem("foreign", f"candidate step {addition.n} adds something: {addition.adds}")
    plain = [_plain(text) for text in candidate.texts]
    supports: list[list[_Place]] = []
    for claim in sorted(claims.golden, key=lambda claim: claim.n):
        places, problem = _places(claim, plain)
        supports.append(places)
        problem = problem or _refuted(_plain(golden.texts[claim.n - 1]), places, plain)
        if problem:
            yield QuoteProblem(problem.rule, f"golden step {claim.n}: {problem.message}")
    for step in _without_own_words(supports, plain):
        yield QuoteProblem("own words", f"golden step {step + 1}: all quoted words are quoted for other steps too")
    for first, second in _disordered(golden.graph, candidate.graph, supports):
        yield QuoteProblem("order", f"golden step {first + 1} comes before {second + 1}, but not in the quoted steps")


def _places(claim: QuotedClaim, plain: Sequence[str]) -> tuple[list[_Place], QuoteProblem | None]:
    """Return the places of the quotes of a claim, and the problem of the claim if there is one."""
    places = []
    for quote in claim.quotes:
        text = _plain(quote.quote)
        at = _find(text, plain[quote.n - 1])
        if at is None:
            return [], QuoteProblem("quote", f"candidate step {quote.n} does not contain {quote.quote!r}")
        places.append(_Place(quote.n - 1, at, at + len(text)))
    if claim.status != "kept":
        return places, QuoteProblem("status", f"the model calls it {claim.status}")
    return sorted(places), None if places else QuoteProblem("quote", "nothing is quoted")


_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014", "''\"\"----")


def _plain(text: str) -> str:
    """Return a text in Unicode NFKC, with straight quotes and hyphens and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_STRAIGHT).split())


def _find(quote: str, text: str) -> int | None:
    """Return where a quote starts in a text; None if it is empty, does not occur, or only within words."""
    if not quote:
        return None
    before, after = (r"(?<!\w)" * bool(re.match(r"\w", quote[0])), r"(?!\w)" * bool(re.match(r"\w", quote[-1])))
    match = re.search(before + re.escape(quote) + after, text, re.IGNORECASE)
    return match.start() if match else None


def _refuted(golden: str, places: Sequence[_Place], plain: Sequence[str]) -> QuoteProblem | None:
    """Return why quotes cannot support a golden step: an exact contradiction, or a number that is not there."""
    for place in places:
        before = parsed(plain[place.step][: place.start])
        if parsed(plain[place.step]).is_negated(len(before.tokens)):
            return QuoteProblem("contradiction", "a quote leaves out the negation before it")
    quoted = ". ".join(plain[place.step][place.start : place.end] for place in places)
    around = ". ".join(dict.fromkeys(text for place in places for text in _sentences(place, plain[place.step])))
    ours, theirs = parsed(golden), parsed(around)
    hedges = theirs.hits(HEDGES)
    if hedges and not ours.hits(HEDGES) and not ours.hits(HEDGED):
        return QuoteProblem("contradiction", f"the quoted sentence weakens it: {theirs.words(hedges[0])!r}")
    hidden = [item for item in contradictions(golden, around) if item.kind in _LEFT_OUT]
    for item in (*contradictions(golden, quoted), *hidden):
        words = " against ".join(repr(words) for words in (item.golden_words, item.candidate_words) if words)
        return QuoteProblem("contradiction", f"the quotes contradict it ({item.kind}: {words})")
    steps = {place.step for place in places}
    numbers = [number for step in steps for number in parsed(plain[step]).quantities]
    for number in ours.quantities:
        if places and not number.weak and not any(number.agrees(other) for other in numbers):
            return QuoteProblem("number", f"{number.text!r} is not in the quoted steps")
    return None


_LEFT_OUT = frozenset({"negation", "lifted"})
"""Contradictions by words that a quote can leave out; the other words of a sentence may be another step."""
_END = re.compile(r"[.;!?](?=\s)")


def _sentences(place: _Place, text: str) -> Iterator[str]:
    """Yield the sentences that a quote stands in."""
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        if start < place.end and place.start < end:
            yield text[start:end].strip()
        start = end


def _without_own_words(supports: Sequence[Sequence[_Place]], plain: Sequence[str]) -> Iterator[int]:
    """Yield the quoted golden steps (from 0) that quote no content word or number that only they quote."""
    words = [[token for token in tokens(text) if is_content(token) or token.kind == "number"] for text in plain]
    quoted = [
        {
            (place.step, token.start)
            for place in places
            for token in words[place.step]
            if place.start <= token.start and token.end <= place.end
        }
        for places in supports
    ]
    uses = Counter(word for words_of in quoted for word in words_of)
    for step, own in enumerate(quoted):
        if supports[step] and not any(uses[word] == 1 for word in own):
            yield step


def _disordered(
    golden: TaskGraph, candidate: TaskGraph, supports: Sequence[Sequence[_Place]]
) -> Iterator[tuple[int, int]]:
    """Yield the golden steps (from 0), first and second, whose quoted steps do not keep their order.

    Steps of a cycle have no order.
    """
    steps = [{place.step for place in places} for places in supports]
    for first, second in combinations(range(golden.n), 2):  # numbers are a topological order
        if not golden.precedes(first, second) or golden.precedes(second, first):
            continue
        turned = any(
            candidate.precedes(late, early) and not candidate.precedes(early, late)
            for early in steps[first]
            for late in steps[second]
        )
        linked = (first, second) in golden.edges and steps[first] and steps[second]
        kept = any(
            early == late or candidate.precedes(early, late) for early in steps[first] for late in steps[second]
        )
        if turned or (linked and not kept):
            yield first, second


def is_statistical(case: CaseResult, alpha_review: float) -> bool:
    """Return whether only statistics speak against a candidate: no proof, no exact contradiction and no judge.

    Waived findings are looked at as well.
    """
    return (
        case.verdict in {"block", "review"}
        and case.proven == "pass"
        and case.p_value is not None
        and case.p_value <= alpha_review
        and not any(reason.rule == "judge" for reason in case.reasons)
        and not any((one.waived or one).weight in {"proof", "contradiction"} for one in case.findings)
    )


def with_reading(case: CaseResult, reading: QuotedReading) -> CaseResult:
    """Return a statistical case with the reading as its first reason; a verified reading makes a block a review."""
    if reading.problem:
        message = f"the language model does not clear it: {reading.problem.message}"
        return case.model_copy(update={"reasons": (*case.reasons, Reason.by_rule("quotes", message))})
    message = f"the language model found all {reading.steps} steps, with {reading.quotes} verified quotes"
    reason = Reason.by_rule("quotes", message)
    return case.model_copy(update={"verdict": "review", "reasons": (reason, *case.reasons)})
