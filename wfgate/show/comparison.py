"""A comparison with a previous release as a table, and several samples of a case folded into one line."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from wfgate.decide import (
    ORDER,
    CaseChange,
    CaseResult,
    GateResult,
    Lost,
    Release,
    SampledCase,
    Verdict,
    lost_steps,
    tests_of,
    worst,
)
from wfgate.show import brief
from wfgate.show.advice import Advice, Command
from wfgate.show.escape import shortened, visible
from wfgate.show.samples import passing_words, remarks, rule_words
from wfgate.show.wording import VERDICTS, count, percent

HEAD = ("case", "old", "new", "p", "verdict")
"""Columns of the table."""
ROWS = 40
"""Listed cases of the table."""
STEPS = 20
"""Listed lost steps."""
_UNTESTED = "not tested, because so few samples, or failures among them, cannot show a drop"
_LOST: dict[Lost, str] = {
    "missing": "is missing",
    "changed": "changed meaning",
    "probably-changed": "probably changed meaning",
}


@dataclass(frozen=True)
class ReleaseRow:
    """A case in the table of a comparison with a previous release.

    Attributes:
        case: Its name.
        old: How many of the measured samples of the previous release pass.
        new: The same in this release.
        p: The Holm-adjusted p-value; "-" if the case was not tested.
        verdict: The stricter of the verdicts on its samples and on the comparison.
        why: Why, in a few words.
    """

    case: str
    old: str
    new: str
    p: str
    verdict: Verdict
    why: str

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The cells of the columns in `HEAD`; the last one has the verdict with its reason."""
        return self.case, self.old, self.new, self.p, f"{VERDICTS[self.verdict]}: {self.why}"


def table(result: GateResult) -> list[ReleaseRow]:
    """Return a row for each case that changed, or does not pass, and one for all cases together.

    The greatest drops come first. Cases that only this release has are not compared.
    """
    release = result.release
    if release is None:
        return []
    verdicts = {case.id: case.verdict for case in result.cases} | {case.id: case.verdict for case in result.samples}
    known = {case.id: case for case in result.cases}
    rules = {group.id: rule_words(group, known) for group in result.samples}
    rows = [(case, _row(case, verdicts.get(case.id, "pass"), rules.get(case.id))) for case in release.cases]
    shown = [pair for pair in rows if changed(pair[0]) or pair[1].verdict != "pass"]
    shown.sort(key=lambda pair: (-ORDER.index(pair[0].verdict), pair[0].p_value, -ORDER.index(pair[1].verdict)))
    listed = [row for _, row in shown[:ROWS]]
    listed += [ReleaseRow(gone, "?", "none", "-", "inconclusive", "missing now") for gone in release.gone[:ROWS]]
    return listed + ([_together(release)] if len(release.cases) > 1 else [])


def lines(rows: Sequence[ReleaseRow], width: int) -> Iterator[tuple[str, int, Verdict | None]]:
    """Yield the lines of the table for a terminal: escaped text, the place of the verdict in it, and the verdict.

    A name for which the line has no room stands above its row.
    """
    shown: list[Sequence[str]] = [HEAD, *(tuple(visible(cell, 200) for cell in row.cells) for row in rows)]
    wide = [max(cell_len(cells[column]) for cells in shown) for column in range(len(HEAD))]
    name = max(len(HEAD[0]), min(wide[0], width - sum(wide[1:]) - 2 * len(wide[1:])))
    for row, (first, *cells, last) in zip((None, *rows), shown, strict=True):
        if cell_len(first) > name:
            yield first, 0, None
            first = ""  # noqa: PLW2901
        padded = [
            first + " " * (name - cell_len(first)),
            *(f"{one:<{n}}" for one, n in zip(cells, wide[1:], strict=False)),
        ]
        before = "  ".join([*padded, ""])
        yield before + last, len(before), None if row is None else row.verdict


def changed(case: CaseChange) -> bool:
    """Return whether the pass rate of a case changed."""
    return case.passed * case.measured_before != case.passed_before * case.measured


def _row(case: CaseChange, own: Verdict, rule: str | None) -> ReleaseRow:
    measured = case.measured_before and case.measured
    tested = case.tested and measured
    return ReleaseRow(
        case=case.id,
        old=_of(case.passed_before, case.measured_before),
        new=_of(case.passed, case.measured),
        p=_p(case.adjusted) if tested else "-",
        verdict=worst((own, case.verdict)),
        why=_why(case, own, rule),
    )


def _why(case: CaseChange, own: Verdict, rule: str | None) -> str:
    """Return the most important reason for the verdict on a case; `rule` decided its samples, if there are several."""
    if case.verdict == "block":
        return "worse than before"
    if case.verdict == "inconclusive":
        return f"no {'new' if case.measured_before else 'old'} sample measured"
    if own == "inconclusive" and case.unmeasured:
        return f"{case.unmeasured} not measured"
    if own != "pass":
        return rule or "see below"
    if not changed(case):
        return "as before"
    rose = case.passed * case.measured_before > case.passed_before * case.measured
    return "better" if rose else "no significant drop" if case.tested else "too few to test"


def _together(release: Release) -> ReleaseRow:
    pooled = release.pooled
    measured = pooled.measured and pooled.measured_before
    fell = pooled.passed * pooled.measured_before < pooled.passed_before * pooled.measured
    why = {
        "block": "worse than before",
        "inconclusive": "see wfgate plan",
    }.get(pooled.verdict, "no significant drop" if fell else "no drop")
    return ReleaseRow(
        case="all cases",
        old=_of(pooled.passed_before, pooled.measured_before),
        new=_of(pooled.passed, pooled.measured),
        p=_p(pooled.adjusted) if measured else "-",
        verdict=pooled.verdict,
        why=why,
    )


def _of(passed: int, measured: int) -> str:
    return f"{passed:,} of {measured:,}" if measured else "none"


def _p(value: float) -> str:
    """Return a p-value, never rounded to 0.

    Example:
        >>> _p(0.04762), _p(1.0), _p(0.000031), _p(0.5)
        ('0.048', '1', '<0.001', '0.50')
    """
    if value < 0.001:
        return "<0.001"
    return "1" if value > 0.995 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def notes(result: GateResult, rows: Sequence[ReleaseRow], *, verbose: bool = False) -> Iterator[str]:
    """Yield what the table with these rows leaves out, and what its p-values are."""
    release = result.release
    if release is None:
        return
    listed = {row.case for row in rows}
    rest = [case for case in release.cases if case.id not in listed]
    same = sum(not changed(case) for case in rest)
    left = len(release.gone) - min(len(release.gone), ROWS)
    if same:
        yield f"{count(same, 'more case')} with the same pass rate as before"
    if more := len(rest) - same + left:
        yield f"{count(more, 'more case')}: see --format json"
    before, now = (sum(getattr(case, name) for case in release.cases) for name in ("unmeasured_before", "unmeasured"))
    unread = [f"{number} {which}" for number, which in ((before, "old"), (now, "new")) if number]
    if unread:
        yield f"not counted: {' and '.join(unread)} {'sample' if before + now == 1 else 'samples'} without a verdict"
    made = sum(case.tested for case in release.cases)
    tests = made + (len(release.cases) > 1)
    if tests:
        yield (
            f"p: chance of such a drop if old and new are equally good, adjusted for {count(tests, 'test')}; "
            f"{release.alpha:g} or less blocks" + f"; -: {_UNTESTED}" * any(row.p == "-" for row in rows)
        )
    elif release.cases:
        yield f"p: {_UNTESTED}"
    if (samples := _least(release)) and release.verdict != "block":
        yield f"which drops so many samples can show: {plan_command(samples, len(release.cases))}"
    if verbose and release.cases:
        yield _test_words(release, tests)


def _test_words(release: Release, tests: int) -> str:
    """Return the tests, and the numbers of samples that they compare."""
    old, new = (_range([getattr(case, name) for case in release.cases]) for name in ("measured_before", "measured"))
    words = f"test of a case: Fisher's exact test, one-sided, of {old} old and {new} new samples"
    if len(release.cases) > 1:
        pooled = release.pooled
        words += (
            "; of all cases: exact Mantel-Haenszel test, one-sided, a stratum is a case, of "
            f"{pooled.measured_before:,} old and {pooled.measured:,} new samples"
        )
    left = tests_of(len(release.cases)) - tests
    words += f"; {count(left, 'test')} not made, because too few samples failed (Tarone)" * bool(left)
    return (
        f"{words}; p-values Holm-adjusted for {count(tests, 'test')}, family-wise error rate {percent(release.alpha)}"
    )


def _least(release: Release) -> int:
    """Return the smallest number of measured samples of a case in one of the releases."""
    return min((min(case.measured_before, case.measured) for case in release.cases), default=0)


def plan_command(samples: int, cases: int) -> str:
    """Return the command that says which drops of the pass rate so many samples per case can show."""
    return f"wfgate plan --samples {samples} --cases {cases}"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


@dataclass(frozen=True)
class LostStep:
    """A golden step that samples of a case lost.

    Attributes:
        case: Name of the case.
        name: Name of the step.
        state: What became of it.
        now: Number of these samples.
        measured: Number of measured samples.
        before: Number of these samples of the previous release; None if unknown.
        measured_before: Number of measured samples of the previous release.
    """

    case: str
    name: str
    state: Lost
    now: int
    measured: int
    before: int | None = None
    measured_before: int = 0

    @property
    def words(self) -> str:
        """How often it is lost, and how often it was.

        Example:
            >>> LostStep("db", "Take a snapshot", "missing", 2, 5, 0, 5).words
            "'Take a snapshot' is missing in 2 of 5 new samples, 0 of 5 old ones"
        """
        words = f"'{shortened(self.name, 160)}' {_LOST[self.state]} in {self.now} of "
        if not self.measured_before:
            return words + count(self.measured, "sample")
        old = "not a step of the old golden" if self.before is None else f"{self.before} of {self.measured_before} old"
        return f"{words}{count(self.measured, 'new sample')}, {old}" + " ones" * (self.before is not None)

    @property
    def rise(self) -> float:
        """By how much more often it is lost than before."""
        return self.now / self.measured - (self.before or 0) / max(1, self.measured_before)


def lost_title(result: GateResult) -> str:
    """Return the title of the list of `lost` steps."""
    return f"Lost and changed steps, {'most often' if result.release is None else 'the greatest rise'} first:"


def lost(result: GateResult) -> list[LostStep]:
    """Return the golden steps that samples lose: of a comparison with a previous release the greatest rise first."""
    changes = {} if result.release is None else {case.id: case for case in result.release.cases}
    cases = {case.id: case for case in result.cases}
    steps: list[LostStep] = []
    for group in result.samples:
        change = changes.get(group.id)
        if change is not None and change.measured and change.measured_before:
            of = {"measured": change.measured, "measured_before": change.measured_before}
            steps += [
                LostStep(group.id, step.name, step.state, step.now, before=step.before, **of) for step in change.steps
            ]
        elif group.measured > 1:
            counted = lost_steps(cases[one] for one in group.samples)
            steps += [
                LostStep(group.id, name, state, now, group.measured) for (_, name, state), now in counted.items()
            ]
    return sorted((step for step in steps if step.now), key=lambda step: (-step.rise, -step.now))


def folded(result: GateResult) -> dict[str, SampledCase]:
    """Return the combined case of each sample that reports show in one line with the others, by id of the sample."""
    return {one: group for group in result.samples if len(group.samples) > 1 for one in group.samples}


def folded_words(group: SampledCase, cases: Mapping[str, CaseResult], result: GateResult) -> str:
    """Return the samples of a case in one line: how many pass, and what is wrong in how many.

    Args:
        group: The combined case.
        cases: The cases of the run, by id.
        result: The run.
    """
    ours = [cases[one] for one in group.samples]
    wrong = Counter(title for case in ours if case.verdict != "pass" for title in brief.titles(case))
    words = [f"{title} in {number}" for title, number in wrong.most_common()]
    problems = [case.why_not_compared for case in ours]
    first = next((f" ({shortened(problem.text, 200)})" for problem in problems if problem is not None), "")
    said = f"{passing_words(group, result.policy)}{': ' * bool(words)}{', '.join(words)}{first}"
    rule = [rule_words(group, cases)] if group.verdict != "pass" else []
    return "; ".join([said, *rule, *remarks(group, cases)])


def example_of(group: SampledCase, cases: Mapping[str, CaseResult]) -> CaseResult | None:
    """Return the first sample with the verdict of its case, else the worst one; None if the case passes."""
    if group.verdict == "pass":
        return None
    ours = sorted((cases[one] for one in group.samples), key=lambda one: -ORDER.index(one.verdict))
    return next((one for one in ours if one.verdict == group.verdict), ours[0])


def to_do(result: GateResult) -> list[Advice]:
    """Return what can be done about a generator whose samples do not pass, besides accepting a change."""
    groups = {group.id: group for group in folded(result).values()}.values()
    if all(group.verdict == "pass" for group in groups):
        return []
    keep = "To keep the steps: do not adopt the new model, prompt or library, or correct it and generate again"
    measured = min(group.measured for group in groups)
    if result.release is None and measured:
        plan = Command(plan_command(measured, len(groups)))
        return [Advice.of(keep), Advice.of("Which drops so many samples can show: ", plan)]
    return [Advice.of(keep)]


def folded_lines(result: GateResult) -> list[tuple[SampledCase, str]]:
    """Return (case, words) of each folded case in which something is to be said, the worst first."""
    cases = {case.id: case for case in result.cases}
    groups = {group.id: group for group in folded(result).values()}.values()
    said = [
        (group, folded_words(group, cases, result))
        for group in groups
        if any(cases[one].verdict != "pass" for one in group.samples) or remarks(group, cases)
    ]
    return sorted(said, key=lambda one: -ORDER.index(one[0].verdict))
