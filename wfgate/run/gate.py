"""The gate: decides a case, and the cases of a run together."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import JsonValue

from wfgate.compare import Comparison, Contract
from wfgate.decide import (
    SCHEMA,
    Assessor,
    BaseInfo,
    Blob,
    CaseResult,
    ComparedPair,
    Decider,
    GateResult,
    Pair,
    Policy,
    Problem,
    Profile,
    ProfileInfo,
    PromiseInfo,
    Reason,
    Samples,
    Signature,
    StepState,
    ToolInfo,
    Verdict,
    Waivers,
    decisions,
    exit_code,
    new_warnings,
    unmeasured,
    worst,
)
from wfgate.errors import FormatError, OwnRuleError, printable
from wfgate.model import Workflow, expand
from wfgate.read import (
    DETECTED,
    Diagnostic,
    Formats,
    Reading,
    canonical_text,
    find,
    is_workflow,
    other_parts,
    rules_beside,
)
from wfgate.rules import Finding, unreadable
from wfgate.run.executors.base import Executor
from wfgate.run.results import results
from wfgate.run.source import OpenedSource, described, read_source

if TYPE_CHECKING:
    from wfgate.decide import SecondStage
    from wfgate.llm import Client
    from wfgate.run.revision import Revision

LEAST_SHARED = 1 / 2
"""Smallest share of the golden's required steps that a further reference has. Measured: of workflows written anew that
reviewers accepted, none has less than 0.9; of those that they refused, none less than 0.7."""


class _Shared(NamedTuple):
    """What the references of a case share.

    Attributes:
        key: The references as written.
        steps: Number of steps of the golden, composites expanded.
        marks: What the marks of the golden leave free.
        freed: What each further reference leaves free.
    """

    key: tuple[str, ...]
    steps: int
    marks: Contract
    freed: list[Contract]


class Gate:
    """The gate: compares, scores and decides. `wfgate.run.engine` makes a gate from a configuration.

    Args:
        assessor: The embedder, the meaning model, the metrics and the judge (a language model that grades).
        profile: A profile fitted with the same embedder, meaning model, metrics and judge.
        policy: Rules of the gate.
        waivers: Findings that are accepted until a date.
        source: Name of the profile, recorded in the result.
        keep_pairs: Whether results contain the compared workflows, for reports with pictures.
        formats: Format ids by pattern of file names; other files are read in the format that their content has.
        cases: Number of cases of the run, for rates per run.
        second_stage: A language model that is asked for quotes if only statistics speak against a candidate. Only used
            with `judge_may_clear` in the policy. The caller has to make sure that nobody who can write a candidate can
            write the policy.
        own_rules: Rules of the configuration; those of a workflow are beside its golden.
        base: The base revision, from which the files beside goldens are read.

    Raises:
        ConfigError: If the profile was fitted on too few goldens to reach the rates of the policy.
        ProfileMismatchError: If the profile was fitted with another embedder, meaning model, metric or judge.
    """

    def __init__(  # noqa: PLR0913 - the parts of a gate; most have a default
        self,
        assessor: Assessor,
        profile: Profile,
        policy: Policy,
        waivers: Waivers | None = None,
        *,
        source: str = "default",
        keep_pairs: bool = False,
        formats: Formats = DETECTED,
        cases: int = 1,
        second_stage: "SecondStage | None" = None,
        own_rules: Sequence[Mapping[str, JsonValue]] = (),
        base: "Revision | None" = None,
    ) -> None:
        profile.require(assessor.signature)
        self.assessor = assessor
        self.profile = profile
        self.policy = policy
        self.waivers = waivers or Waivers()
        self.source = source
        self.keep_pairs = keep_pairs
        self.formats = dict(formats)
        self.second_stage = second_stage if policy.judge_may_clear else None
        self.cases = cases
        self.own_rules = tuple(own_rules)
        self._base = base
        self._folders: dict[Path, set[Path]] = {}
        self._decider = Decider(profile, policy, self.waivers, cases)
        self._references: _Shared | None = None
        if assessor.judge is not None:
            profile.require_judge(assessor.judge.signature)
            self._decider.require_judge_power()

    def __reduce__(self) -> tuple[Callable[..., "Gate"], tuple[Assessor, Profile, Policy, Waivers]]:
        """Return how to rebuild the gate, as for a worker process: what it computed so far is left out."""
        make = partial(
            Gate,
            source=self.source,
            keep_pairs=self.keep_pairs,
            formats=self.formats,
            cases=self.cases,
            second_stage=self.second_stage,
            own_rules=self.own_rules,
        )
        return make, (self.assessor, self.profile, self.policy, self.waivers)

    def of_run(self, cases: int) -> "Gate":
        """Return the gate for a run of `cases` cases, whose rates may be per run.

        Raises:
            ConfigError: If the profile has too few goldens to reach the rates per run.
        """
        make, given = self.__reduce__()
        return make(*given, cases=cases, base=self._base)

    @property
    def signature(self) -> Signature:
        """The versions that determine scores and evidence."""
        return self.assessor.signature

    @property
    def client(self) -> "Client | None":
        """The client of the language model that grades or quotes; None if there is none."""
        if self.second_stage:
            return self.second_stage.client
        return self.assessor.judge.client if self.assessor.judge else None

    def decide(self, pair: Pair) -> CaseResult:
        """Return the result of one case; a file that cannot be read gives an inconclusive result."""
        pair = self._with_rules(pair)
        opened = [OpenedSource(golden) for golden in pair.goldens]
        candidate = None if pair.candidate is None else OpenedSource(pair.candidate)
        content, goldens = candidate and candidate.hash, [golden.hash for golden in opened]
        known = {
            "content": content,
            "golden_content": None if None in goldens else "+".join(filter(None, goldens)) or None,
            "copied": content is not None and content in goldens,
        }
        try:
            return self._compared(pair, opened, candidate).model_copy(update=known)
        except OwnRuleError as error:
            names = [described(source, pair.id) for source in pair.goldens]
            problem = Problem(message=printable(error.message), fix=error.fix and printable(error.fix))
            return _not_compared(pair.id, ", ".join(names), described(pair.candidate, pair.id), problem)

    def _compared(self, pair: Pair, opened: Sequence[OpenedSource], tested: OpenedSource | None) -> CaseResult:
        numbers = range(1, len(pair.goldens) + 1)
        labels = [f"{pair.id} (golden{f' {number}' * (len(numbers) > 1)})" for number in numbers]
        names = [described(source, label) for source, label in zip(pair.goldens, labels, strict=True)]
        goldens = ", ".join(names) or "none"
        candidate = described(pair.candidate, f"{pair.id} (candidate)")
        if pair.problem is not None or tested is None:
            fix = pair.fix
            new = pair.candidate if isinstance(pair.candidate, Path) and not pair.goldens else None
            if fix is None and tested is not None and new is not None and is_workflow(new, self.formats):
                fix = self._fix_of(tested, str(new))
            problem = Problem(message=pair.problem or "no candidate", fix=fix)
            return _not_compared(pair.id, goldens, candidate, problem)
        golden_side = True
        try:
            alone = not tested.in_checkout  # files that it calls are unknown, so the golden is read without its own
            ours = [
                (name, golden.read(name, self.formats, alone=alone))
                for golden, name in zip(opened, names, strict=True)
            ]
            golden_side = False
            theirs = tested.read(candidate, self.formats, like=ours[0][1])
        except FormatError as error:
            finding = unreadable(error, golden=golden_side)
            return _not_compared(pair.id, goldens, candidate, Problem.of(error), finding)
        if other := self._other_format(pair, theirs, ours[0][1]):
            return _not_compared(pair.id, goldens, candidate, other)
        if unfit := self._unfit(ours):
            return _not_compared(pair.id, goldens, candidate, unfit)
        (first, golden), *others = ours
        contract = self.contract(golden.workflow, [reading.workflow for _, reading in others]) if others else None
        contract, decider, broken_rules, notes_of = self._ruled(pair, golden.workflow, theirs, contract)
        assessment = self.assessor.assess(golden.workflow, theirs.workflow, contract, pair.brief)
        diagnostics = [one for _, reading in ours for one in reading.diagnostics]
        warnings = new_warnings(diagnostics, theirs.diagnostics)
        result = decider.decide(
            assessment,
            case=pair.id,
            golden=first,
            candidate=candidate,
            warnings=warnings,
            called=pair.called,
            own=broken_rules(assessment.comparison),
        )
        notes = notes_of(assessment.comparison)
        more: dict[str, object] = {"diagnostics": (*diagnostics, *theirs.diagnostics, *notes)}
        more["parts"] = other_parts(golden, theirs)
        if others:
            more["steps"] = tuple(self._with_references(result.steps, [name for name, _ in others]))
        if self.keep_pairs:
            comparison = assessment.comparison
            shown = comparison.candidate if comparison.permitted else theirs.workflow
            more["pair"] = ComparedPair(golden=golden.workflow, candidate=shown, alignment=comparison.alignment)
        result = result.model_copy(update=more)
        if self.second_stage:
            from wfgate.decide import is_statistical, with_reading  # noqa: PLC0415 - needs a language model

            if is_statistical(result, self._decider.alpha_review):
                return with_reading(result, self.second_stage.read(assessment.comparison))
        return result

    def _with_rules(self, pair: Pair) -> Pair:
        """Return a pair with the file of own rules beside its golden; nothing beside a candidate is read."""
        golden, path = next(iter(pair.goldens), None), _golden_file(pair)
        if pair.rules is not None or path is None:
            return pair
        file = rules_beside(path)
        content = None
        if isinstance(golden, Blob) and self._base is not None:
            name = self._base.name_of(file)
            if file.parent not in self._folders:
                self._folders[file.parent] = {
                    each for each in self._base.paths(file.parent) if each.suffix == file.suffix
                }
            if file in self._folders[file.parent] or os.path.lexists(file):
                content = self._base.read(file) if name is None else self._base.in_force(name)
        elif isinstance(golden, Path) and os.path.lexists(file):
            from wfgate.run.config import toml_bytes  # noqa: PLC0415 - only with own rules

            content = toml_bytes(file)
        return replace(pair, rules=() if content is None else (Blob(file, content),))

    def _ruled(
        self, pair: Pair, golden: Workflow, candidate: Reading, contract: Contract | None
    ) -> tuple[
        Contract | None,
        Decider,
        Callable[[Comparison], tuple[Finding, ...]],
        Callable[[Comparison], tuple[Diagnostic, ...]],
    ]:
        """Return what own rules make of a case: its contract, what decides it, what finds broken rules, its notes.

        Raises:
            OwnRuleError: If a rule is invalid, names no step of the golden, or the golden breaks it.
        """
        if not (pair.rules or self.own_rules):
            return contract, self._decider, lambda _: (), lambda _: ()
        from wfgate.run.own_rules import CaseRules, rules_of  # noqa: PLC0415 - only with own rules

        rules = rules_of(pair.sample_of or pair.id, _golden_file(pair), pair.rules or (), self.own_rules)
        own = CaseRules(rules, self.assessor, golden)
        waived = self.waivers.of(pair.id)
        return (
            own.contract(contract, candidate.workflow),
            own.decider(self._decider),
            lambda comparison: own.findings(comparison, self._decider, waived),
            lambda comparison: own.notes(comparison, described(pair.candidate, f"{pair.id} (candidate)")),
        )

    def _fix_of(self, candidate: OpenedSource, name: str) -> str | None:
        """Return the fix for a candidate without reference and workflow, because approving it would fail."""
        try:
            empty = not candidate.read(name, self.formats).workflow.tasks
        except FormatError as error:
            return f"no workflow can be read from it ({error.message}): generate it again, or delete it"
        return "it has no steps: generate it again, or delete it" if empty else None

    def _unfit(self, references: Sequence[tuple[str, Reading]]) -> Problem | None:
        """Return the problem that a reference has no steps, or that it is no alternative of the first one."""
        empty = next((name for name, reading in references if not reading.workflow.tasks), None)
        if empty is not None:
            return Problem(message="the golden has no steps", file=empty)
        golden, *others = (reading.workflow for _, reading in references)
        return self.strangers(golden, others, [name for name, _ in references]) if others else None

    def _other_format(self, pair: Pair, now: Reading, golden: Reading) -> Problem | None:
        """Return the problem that a candidate has another format than in the base revision: what runs it fails."""
        if pair.before is None:
            return None
        name = described(pair.before, "")
        try:
            was = read_source(pair.before, name, self.formats, like=golden)
        except FormatError:
            return None
        if was.format == now.format:
            return None
        reads, read = (find(reading.format).called for reading in (now, was))
        message = f"the candidate is read as {reads}, and that of the base revision as {read}"
        return Problem(message=message, file=name, fix="write it in the format that the program which runs it reads")

    def contract(self, golden: Workflow, others: Sequence[Workflow]) -> Contract:
        """Return what the first reference and the further ones leave free."""
        shared = self._shared(golden, others)
        return reduce(or_, shared.freed, shared.marks)

    def _shared(self, golden: Workflow, others: Sequence[Workflow]) -> "_Shared":
        """Return what references share; the last answer is kept, because the samples of a case have the same ones."""
        key = tuple(_as_written(workflow) for workflow in (golden, *others))
        if self._references is None or self._references.key != key:
            steps = expand(golden)
            freed = [self.freedoms(golden, other) for other in others]
            self._references = _Shared(key, len(steps.tasks), Contract.marked(steps), freed)
        return self._references

    def strangers(self, golden: Workflow, others: Sequence[Workflow], names: Sequence[str]) -> Problem | None:
        """Return the problem that a reference is no alternative of the first one, because it has too few of its steps.

        It would free most of the workflow, so that a candidate that lost most steps passes.

        Args:
            golden: The first reference.
            others: The further references.
            names: The names of all references, that of the golden first.
        """
        _, steps, marks, freed = self._shared(golden, others)
        asked = steps - len(marks.optional)
        for name, free in zip(names[1:], freed, strict=True):
            shared = asked - len((free.optional | free.lacking) - marks.optional)
            if shared < LEAST_SHARED * asked:
                message = f"it has {shared} of the {asked} required steps of {names[0]}"
                return Problem(
                    message=f"{message}, so they are not alternatives of one workflow",
                    file=name,
                    fix="give it a name of its own, as another workflow; or keep only one of the two",
                )
        return None

    def _with_references(self, steps: Sequence[StepState], names: Sequence[str]) -> Iterator[StepState]:
        """Yield the states of the golden steps; those that were left out with the references that lack them."""
        assert self._references is not None  # noqa: S101 - the case has further references
        freed = self._references.freed
        for position, step in enumerate(steps):
            lack = tuple(name for name, free in zip(names, freed, strict=True) if position in free.optional)
            yield step.model_copy(update={"lacking": lack}) if step.state == "left-out" else step

    def freedoms(self, golden: Workflow, other: Workflow) -> Contract:
        """Return what a further reference leaves free."""
        return self.assessor.freedoms(golden, other, self.policy.is_critical)

    def run(
        self,
        pairs: Iterable[Pair],
        *,
        tool: str,
        jobs: int = 1,
        progress: Callable[[int], None] | None = None,
        base: BaseInfo | None = None,
        on_case: Callable[[CaseResult], None] | None = None,
        executor: Executor | None = None,
    ) -> GateResult:
        """Decide all cases.

        Args:
            pairs: The cases.
            tool: Version of wfgate, recorded in the result.
            jobs: Number of processes. With fewer than 128 cases, there is only one process.
            progress: Called with the number of finished cases.
            base: The git revision that all files except the candidates were read from; recorded in the result.
            on_case: Called with each result, in the order of the cases.
            executor: Where the cases are decided; None for processes of this machine. Files are read here.
        """
        if self.policy.alpha_per == "run":
            pairs = tuple(pairs)
            if self.cases != max(len(pairs), 1):
                gate = self.of_run(max(len(pairs), 1))
                return gate.run(
                    pairs, tool=tool, jobs=jobs, progress=progress, base=base, on_case=on_case, executor=executor
                )
        samples = Samples()
        decided = []
        for case in results(
            self, Gate.decide, samples.recorded(map(self._with_rules, pairs)), jobs, progress, executor
        ):
            decided.append(case)
            if on_case:
                on_case(case)
        cases = tuple(decided)
        sampled = samples.combined(cases, self.policy)
        promise = self.profile.promise
        judge = self.assessor.judge.signature if self.assessor.judge else None
        exam = self.profile.judge.exam if judge and self.profile.judge else None
        null = self.profile.scorer.nulls.smaller
        return GateResult(
            schema=SCHEMA,
            tool=ToolInfo(
                version=tool,
                signature=self.assessor.signature,
                judge=judge,
                exam=exam,
                second_stage=self.second_stage.signature if self.second_stage else None,
            ),
            profile=ProfileInfo(
                source=self.source,
                goldens=null.goldens,
                least_p_value=round(null.least, 6),
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
                measured_false_block=promise.whole_block.value,
                interval=(promise.whole_block.low, promise.whole_block.high),
                measured_if_critical=promise.critical_block.value,
                interval_if_critical=(promise.critical_block.low, promise.critical_block.high),
            ),
            cases=cases,
            findings=self.waivers.findings((case.id, case.findings) for case in cases),
            base=base,
            samples=sampled,
        )

    def stream(
        self,
        pairs: Iterable[Pair],
        pieces: Sequence[Callable[[CaseResult], str]],
        write: Callable[[Sequence[str]], None],
        *,
        jobs: int = 1,
        progress: Callable[[int], None] | None = None,
        executor: Executor | None = None,
    ) -> "Streamed":
        """Decide all cases, and write the parts of reports that belong to each; no result is kept.

        Memory does not grow with the number of cases, except for their ids, and with `alpha_per = "run"`, which counts
        the cases first. The exit code is the one of `run`.

        Args:
            pairs: The cases.
            pieces: Make the parts of the reports from a result; module-level functions or methods of reporters, so
                that they can be pickled.
            write: Called with the parts of each case, in the order of the cases.
            jobs: Number of processes, as for `run`.
            progress: Called with the number of finished cases.
            executor: Where the cases are decided, as for `run`.
        """
        if self.policy.alpha_per == "run":
            pairs = tuple(pairs)
            if self.cases != max(len(pairs), 1):
                gate = self.of_run(max(len(pairs), 1))
                return gate.stream(pairs, pieces, write, jobs=jobs, progress=progress, executor=executor)
        samples = Samples()
        alone, kept, failed, cases = Counter[Verdict](), dict[str, _Outcome](), False, 0
        for outcome in results(
            self, partial(_outcome, pieces), samples.recorded(map(self._with_rules, pairs)), jobs, progress, executor
        ):
            cases += 1
            write(outcome.parts)
            if outcome.id in samples.ids:
                kept[outcome.id] = outcome._replace(parts=())
            else:
                alone[outcome.verdict] += 1
                failed = failed or outcome.failed
        sampled = samples.combined(kept.values(), self.policy)
        failed = failed or not cases or unmeasured((case for case, one in kept.items() if one.failed), sampled)
        every = alone + Counter(case.verdict for case in sampled)
        return Streamed(cases, exit_code(every, self.policy, failed=failed), every)


def _as_written(workflow: Workflow) -> str:
    """Return the content of a workflow and its data and texts as written, which the content hash leaves out."""
    parts = (workflow, *workflow.subworkflows)
    written = [[each.marked, each.raw] for part in parts for each in part.elements]
    return workflow.content_hash() + canonical_text(written)


class Streamed(NamedTuple):
    """A run whose results were not kept.

    Attributes:
        cases: Number of cases.
        exit_code: The exit code, as of `GateResult`.
        verdicts: Number of cases by verdict; the samples of a case count once.
    """

    cases: int
    exit_code: int
    verdicts: Mapping[Verdict, int]


class _Outcome(NamedTuple):
    """What is kept of a result that is not kept: verdicts, whether nothing was compared, and its parts of reports."""

    id: str
    verdict: Verdict
    proven: Verdict
    content: str | None
    failed: bool
    parts: tuple[str, ...]


def _outcome(pieces: Sequence[Callable[[CaseResult], str]], gate: Gate, pair: Pair) -> _Outcome:
    case = gate.decide(pair)
    parts = tuple(make(case) for make in pieces)
    return _Outcome(case.id, case.verdict, case.proven, case.content, case.error is not None, parts)


def _golden_file(pair: Pair) -> Path | None:
    """Return the path of the first golden; None if it was given inline."""
    golden = next(iter(pair.goldens), None)
    path = golden.path if isinstance(golden, Blob) else golden
    return path if isinstance(path, Path) else None


def _not_compared(case: str, golden: str, candidate: str, problem: Problem, *findings: Finding) -> CaseResult:
    reason = Reason.by_rule("not-compared", problem.text)
    if findings:
        reason = Reason.of(findings[0], golden, candidate, problem.text)
    return CaseResult(
        id=case,
        golden=golden,
        candidate=candidate,
        verdict="inconclusive",
        reasons=(reason,),
        error=str(problem),
        problem=problem,
        findings=findings,
    )
