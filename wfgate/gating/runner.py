"""Running a suite of cases, on several processes where there are many."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from itertools import islice

from wfgate.checks import Finding, unreadable
from wfgate.errors import FormatError, printable
from wfgate.evidence import Assessor
from wfgate.gating.decision import Decider
from wfgate.gating.policy import ORDER, Policy, worst
from wfgate.gating.result import (
    SCHEMA,
    CaseResult,
    ComparedPair,
    GateResult,
    ProfileInfo,
    PromiseInfo,
    ToolInfo,
    decisions,
)
from wfgate.gating.revision import BaseInfo
from wfgate.gating.samples import Samples
from wfgate.gating.suite import Pair, described, read_source
from wfgate.gating.waivers import Waivers
from wfgate.profile import Profile
from wfgate.workers import worker_pool

CHUNK = 32
"""Cases a worker takes at a time."""
PARALLEL_FROM = 128
"""Below this many cases, starting workers costs more than it saves."""


class Gate:
    """Compares, scores and decides.

    Args:
        assessor: Embedder and metrics.
        profile: A calibration fitted with the same embedder and metrics.
        policy: What the team decided.
        waivers: The findings that it accepts.
        keep_pairs: Whether results hold the workflows that were compared, for reports that draw them.

    Raises:
        ProfileMismatchError: If the profile was fitted with other metrics, another embedder or another judge.
    """

    def __init__(
        self,
        assessor: Assessor,
        profile: Profile,
        policy: Policy,
        waivers: Waivers | None = None,
        *,
        keep_pairs: bool = False,
    ) -> None:
        profile.require(assessor.signature)
        self.assessor = assessor
        self.profile = profile
        self.policy = policy
        self.waivers = waivers or Waivers()
        self.keep_pairs = keep_pairs
        self._decider = Decider(profile, policy, self.waivers)
        if assessor.judge is not None:
            profile.require_judge(assessor.judge.signature)
            self._decider.require_heard()

    def decide(self, pair: Pair) -> CaseResult:
        """Return the result of one case; a file that cannot be read is a result too."""
        numbers = range(1, len(pair.goldens) + 1)
        labels = [f"{pair.id} (golden{f' {number}' * (len(numbers) > 1)})" for number in numbers]
        names = [described(source, label) for source, label in zip(pair.goldens, labels, strict=True)]
        goldens = ", ".join(names) or "none"
        candidate = described(pair.candidate, f"{pair.id} (candidate)")
        if pair.problem is not None or pair.candidate is None:
            problem = pair.problem or "no candidate"
            return _unjudged(pair.id, goldens, candidate, problem)
        golden_side = True
        try:
            ours = [(name, read_source(source, name)) for source, name in zip(pair.goldens, names, strict=True)]
            golden_side = False
            theirs = read_source(pair.candidate, candidate)
        except FormatError as error:
            finding = unreadable(error, golden=golden_side)
            return _unjudged(pair.id, goldens, candidate, printable(str(error)), finding)
        results = []
        for name, reading in ours:
            if not reading.workflow.tasks:
                return _unjudged(pair.id, goldens, candidate, f"{name}: the golden has no steps")
            assessment = self.assessor.assess(reading.workflow, theirs.workflow)
            result = self._decider.decide(assessment, case=pair.id, golden=name, candidate=candidate)
            more: dict[str, object] = {"diagnostics": (*reading.diagnostics, *theirs.diagnostics)}
            if self.keep_pairs:
                alignment = assessment.comparison.alignment
                more["pair"] = ComparedPair(golden=reading.workflow, candidate=theirs.workflow, alignment=alignment)
            results.append(result.model_copy(update=more))
        return min(results, key=lambda case: (ORDER.index(case.verdict), -(case.p_value or 0.0)))

    def run(
        self,
        pairs: Iterable[Pair],
        *,
        tool: str,
        source: str,
        jobs: int = 1,
        progress: Callable[[int], None] | None = None,
        base: BaseInfo | None = None,
        told: Callable[[CaseResult], None] | None = None,
    ) -> GateResult:
        """Judge all cases.

        Args:
            pairs: The cases.
            tool: Version of wfgate, recorded.
            source: Where the profile came from, recorded.
            jobs: Processes to use where there are many cases.
            progress: Told how many cases are done.
            base: The revision that everything but the candidates was read from, recorded.
            told: Told each case as soon as it and all before it are judged.
        """
        samples = Samples()
        judged = []
        for case in self._judged(samples.noted(pairs), jobs, progress):
            judged.append(case)
            if told:
                told(case)
        cases = tuple(judged)
        sampled = samples.decided({case.id: case.verdict for case in cases}, self.policy)
        promise = self.profile.promise
        judge = self.assessor.judge.signature if self.assessor.judge else None
        exam = self.profile.judge.exam if judge and self.profile.judge else None
        return GateResult(
            schema=SCHEMA,
            tool=ToolInfo(version=tool, signature=self.assessor.signature, judge=judge, exam=exam),
            profile=ProfileInfo(
                source=source,
                goldens=self.profile.null.goldens,
                least_p_value=round(self.profile.null.build().least, 6),
                variants=self.profile.corpus.variants,
                corpus=self.profile.corpus.fingerprint,
                tool=self.profile.tool,
                trajectories=self.profile.trajectories if self.keep_pairs else (),
            ),
            policy=self.policy,
            verdict=worst(decisions(cases, sampled)),
            promise=PromiseInfo(
                alpha_block=self._decider.alpha_block,
                alpha_review=self._decider.alpha_review,
                measured_false_block=promise.false_block.value,
                interval=(promise.false_block.low, promise.false_block.high),
            ),
            cases=cases,
            findings=self.waivers.findings((case.id, case.findings) for case in cases),
            base=base,
            samples=sampled,
        )

    def _judged(
        self, pairs: Iterable[Pair], jobs: int, progress: Callable[[int], None] | None
    ) -> Iterator[CaseResult]:
        done = 0
        waiting = iter(pairs)
        first = list(islice(waiting, PARALLEL_FROM))
        if jobs <= 1 or len(first) < PARALLEL_FROM:
            results: Iterable[list[CaseResult]] = ([self.decide(pair)] for pair in _chained(first, waiting))
            for chunk in results:
                done += len(chunk)
                if progress:
                    progress(done)
                yield from chunk
            return
        shared = (self.assessor, self.profile, self.policy, self.waivers, self.keep_pairs)
        with worker_pool(jobs, _start_worker, shared) as pool:
            for chunk in _ahead(pool, _chunks(_chained(first, waiting)), 2 * jobs):
                done += len(chunk)
                if progress:
                    progress(done)
                yield from chunk


def _unjudged(case: str, golden: str, candidate: str, problem: str, *findings: Finding) -> CaseResult:
    return CaseResult(
        id=case,
        golden=golden,
        candidate=candidate,
        verdict="inconclusive",
        reasons=(problem,),
        error=problem,
        findings=findings,
    )


def _chained(first: Iterable[Pair], rest: Iterable[Pair]) -> Iterator[Pair]:
    yield from first
    yield from rest


def _ahead(pool: Executor, chunks: Iterator[list[Pair]], most: int) -> Iterator[list[CaseResult]]:
    """Yield what comes of each chunk, in order; at most so many wait: suites may be longer than memory."""
    waiting = deque(pool.submit(_work, chunk) for chunk in islice(chunks, most))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(pool.submit(_work, chunk) for chunk in islice(chunks, 1))


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk


_worker: list[Gate] = []


def _start_worker(
    assessor: Assessor,
    profile: Profile,
    policy: Policy,
    waivers: Waivers,
    keep_pairs: bool,  # noqa: FBT001
) -> None:
    _worker[:] = [Gate(assessor, profile, policy, waivers, keep_pairs=keep_pairs)]


def _work(pairs: list[Pair]) -> list[CaseResult]:
    return [_worker[0].decide(pair) for pair in pairs]
