"""Combines the verdicts on several samples of one case into one verdict.

A sample is one of several candidates that a generator made for the same case. With a random generator, one sample may
pass by chance.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from json import dumps
from pathlib import Path

from wfgate.gating.policy import ORDER, Policy, SamplePolicy, Verdict, worst
from wfgate.gating.suite import Pair, Source
from wfgate.model import Workflow, fingerprint
from wfgate.model.workflow import Frozen

CONFIDENCE = 0.95


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
        passed: Number of samples that pass. A sample with the verdict "review" passes unless the policy sets
            review_blocks.
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
        self._contents: dict[str, set[str]] = {}
        self.ids: set[str] = set()
        """Ids of the cases that are samples."""

    def recorded(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the pairs unchanged, and record the samples among them."""
        for pair in pairs:
            if pair.sample_of is not None:
                self.ids.add(pair.id)
                self._ids.setdefault(pair.sample_of, []).append(pair.id)
                self._contents.setdefault(pair.sample_of, set()).add(_content(pair.candidate))
            yield pair

    def combined(
        self, verdicts: Mapping[str, Verdict], proven: Mapping[str, Verdict], policy: Policy
    ) -> tuple[SampledCase, ...]:
        """Return the combined verdict on each case that has samples, in the order of the first samples.

        Args:
            verdicts: Verdicts by id of the case.
            proven: Verdicts that proven changes and lost critical steps give alone, by id of the case.
            policy: Rules of the gate.
        """
        return tuple(
            sampled_case(
                case,
                ids,
                [verdicts[one] for one in ids],
                len(self._contents[case]),
                policy,
                proven=worst(tuple(proven[one] for one in ids)),
            )
            for case, ids in self._ids.items()
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
        failed=counted["failed"],
        unmeasured=counted["unmeasured"],
        distinct=distinct,
        rate=pass_rate(counted["passed"], counted["passed"] + counted["failed"]),
    )


def good(verdict: Verdict, policy: Policy) -> bool:
    """Return whether a sample with this verdict counts as passed."""
    return verdict == "pass" or (verdict == "review" and not policy.review_blocks)


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


def _content(source: Source | None) -> str:
    """Return a hash of the content of a sample."""
    if isinstance(source, Workflow):
        return fingerprint(source)
    if isinstance(source, Path):
        try:
            content = source.read_bytes() if source.is_file() else bytes(source)
        except OSError:  # the gate reports that it cannot be read
            content = bytes(source)
    else:
        content = dumps(source, sort_keys=True).encode()
    return sha256(content).hexdigest()
