"""Combines the verdicts on several samples of one case into one verdict.

A sample is one of several candidates that a generator made for the same case. With a random generator, one sample may
pass by chance.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from wfgate.decide.pair import Pair
from wfgate.decide.policy import ORDER, Policy, SamplePolicy, Verdict, worst
from wfgate.model import Frozen

CONFIDENCE = 0.95


class Sample(Protocol):
    """What is known of a sample; see `CaseResult`."""

    @property
    def id(self) -> str:
        """Id of the sample."""

    @property
    def verdict(self) -> Verdict:
        """The verdict."""

    @property
    def proven(self) -> Verdict:
        """The verdict without statistics."""

    @property
    def content(self) -> str | None:
        """Hash of the bytes."""


class PassRate(Frozen):
    """The share of samples that pass.

    Attributes:
        value: The share, in [0, 1].
        low: Lower bound of the exact 95 % confidence interval (Clopper-Pearson).
        high: Upper bound of the interval.
    """

    value: float
    low: float
    high: float


class SampledCase(Frozen):
    """The combined verdict on the samples of one case.

    Attributes:
        id: Name of the case.
        verdict: The combined verdict.
        policy: Which samples must pass: "all", "majority" or "best".
        samples: Ids of the samples; each sample is a case of the run.
        passed: Number of samples that pass. A sample with the verdict "review" passes unless a review fails
            the build.
        reviews: Number of samples with the verdict "review".
        failed: Number of samples that fail.
        unmeasured: Number of inconclusive samples.
        distinct: Number of different samples. If samples are equal, the generator may have returned cached answers.
        rate: Share of the measured samples that pass; None if none was measured.
    """

    id: str
    verdict: Verdict
    policy: SamplePolicy
    samples: tuple[str, ...]
    passed: int
    reviews: int
    failed: int
    unmeasured: int
    distinct: int
    rate: PassRate | None

    @property
    def measured(self) -> int:
        """Samples that passed or failed."""
        return self.passed + self.failed


class Samples:
    """Records which cases of a run are samples of the same case."""

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self.ids: set[str] = set()
        """Ids of the cases that are samples."""

    def recorded(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the pairs unchanged, and record the samples among them."""
        for pair in pairs:
            if pair.sample_of is not None:
                self.ids.add(pair.id)
                self._ids.setdefault(pair.sample_of, []).append(pair.id)
            yield pair

    def combined(self, samples: Iterable[Sample], policy: Policy) -> tuple[SampledCase, ...]:
        """Return the combined verdict on each case that has samples, in the order of the first samples.

        Args:
            samples: All samples of the run; other cases among them are ignored.
            policy: Rules of the gate.
        """
        known = {sample.id: sample for sample in samples}
        groups = {case: [known[one] for one in ids] for case, ids in self._ids.items()}
        return tuple(
            sampled_case(
                case,
                self._ids[case],
                [one.verdict for one in ours],
                len({one.content or one.id for one in ours}),
                policy,
                proven=worst(tuple(one.proven for one in ours)),
            )
            for case, ours in groups.items()
        )


def sampled_case(
    case: str,
    ids: Sequence[str],
    verdicts: Sequence[Verdict],
    distinct: int,
    policy: Policy,
    *,
    proven: Verdict = "pass",
) -> SampledCase:
    """Return the combined verdict on the samples of one case, at least as strict as `proven`."""
    counted = Counter(
        "unmeasured" if v == "inconclusive" else "passed" if good(v, policy) else "failed" for v in verdicts
    )
    return SampledCase(
        id=case,
        verdict=worst((proven, together(verdicts, policy.samples))),
        policy=policy.samples,
        samples=tuple(ids),
        passed=counted["passed"],
        reviews=verdicts.count("review"),
        failed=counted["failed"],
        unmeasured=counted["unmeasured"],
        distinct=distinct,
        rate=pass_rate(counted["passed"], counted["passed"] + counted["failed"]),
    )


def good(verdict: Verdict, policy: Policy) -> bool:
    """Return whether a sample with this verdict counts as passed."""
    return verdict == "pass" or (verdict == "review" and not policy.reviews_fail)


def together(verdicts: Sequence[Verdict], policy: SamplePolicy) -> Verdict:
    """Return the combined verdict on the samples of a case.

    "all" gives the verdict of the worst sample, "best" that of the best sample. "majority" gives the best verdict that
    more than half of the samples reach.

    Example:
        >>> together(("pass", "pass", "block"), "majority"), together(("pass", "block"), "majority")
        ('pass', 'block')
        >>> together(("pass", "inconclusive", "block"), "majority"), together(("review", "block"), "best")
        ('inconclusive', 'review')
    """
    if policy == "all" or not verdicts:
        return worst(tuple(verdicts))
    in_order = sorted(verdicts, key=ORDER.index)
    return in_order[0] if policy == "best" else in_order[len(in_order) // 2]


def pass_rate(passed: int, measured: int) -> PassRate | None:
    """Return the share of passed samples with its exact confidence interval; None if there are no measured samples.

    Example:
        >>> rate = pass_rate(9, 10)
        >>> round(rate.low, 3), round(rate.high, 3)
        (0.555, 0.997)

    Source:
        Clopper & Pearson (1934), Biometrika 26.
    """
    if measured == 0:
        return None
    from scipy.stats import binomtest  # noqa: PLC0415 - slow to import

    interval = binomtest(passed, measured).proportion_ci(CONFIDENCE, method="exact")
    low, high = (round(float(end), 6) for end in (interval.low, interval.high))
    return PassRate(value=round(passed / measured, 6), low=low, high=high)
