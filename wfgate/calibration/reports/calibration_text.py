"""The summary of a calibration for the terminal: what was measured, what is borrowed, and what to do next."""

import shlex
import textwrap
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.decide import Catch, Pooling, Profile, Rate
from wfgate.show import count, percent, percent_range, visible

NOT_MEASURED = "not measured"
ALIKE = 0.995
"""From this share of equal decisions on, a pooled profile is said to decide like its base profile."""
LEAST = 3
"""Fewest goldens for which a rate is shown: the interval of two is 0-84 % or wider."""
_WIDTH = 78
_COLUMN = 40


def calibration_summary(
    profile: Profile,
    *,
    scored: int,
    corpora: Sequence[Path] = (),
    formats: Collection[str] = (),
    profile_path: Path | None = None,
    report: Path | None = None,
) -> str:
    """Return the summary of a calibration, in lines of at most 80 characters except for paths.

    Args:
        profile: The fitted profile.
        scored: Number of variants that were scored in this run.
        corpora: The files and folders of the corpus, for the commands that are advised.
        formats: Format of each golden.
        profile_path: File of the profile; None if it was not written.
        report: Folder of the report; None if it was not written.
    """
    corpus = profile.corpus
    lines = [
        *_wrapped(f"{count(corpus.goldens, 'golden')}{f': {formats_words(formats)}' if formats else ''}"),
        (
            f"{count(corpus.variants, 'variant')}, {scored:,} scored in this run; recorded rewordings of "
            f"{count(corpus.with_rewordings, 'golden') if corpus.with_rewordings else 'no golden'}"
        ),
        "",
        "Measured on these goldens, with 95 % interval:",
        *_harmless(profile),
        *_damage(profile),
        *_borrowed(profile),
        *judge_words(profile),
        *exam_words(profile),
        *_unrecorded(profile, corpora, profile_path),
    ]
    if profile_path is not None or report is not None:
        lines.append("")
    if profile_path is not None:
        lines.append(f"Profile: {profile_path}")
    if report is not None:
        lines.append(f"Report:  {report / 'calibration.html'}")
    return "\n".join(lines)


def formats_words(formats: Collection[str]) -> str:
    """Return how many goldens are in each format, the most frequent format first.

    Example:
        >>> formats_words(["native", "markdown", "markdown"])
        'markdown 2, native 1'
    """
    counts = sorted({name: sum(name == other for other in formats) for name in formats}.items())
    return ", ".join(f"{visible(name, 40)} {times:,}" for name, times in sorted(counts, key=lambda item: -item[1]))


def is_measured(rate: Rate | None) -> bool:
    """Return whether there are enough goldens to show a rate.

    Example:
        >>> is_measured(Rate(value=0.0, low=0.0, high=0.98, goldens=1, variants=9))
        False
    """
    return rate is not None and rate.goldens >= LEAST


def rate_words(rate: Rate | None, none: str = NOT_MEASURED) -> str:
    """Return a rate with its interval, or that it is not measured, or that there are too few goldens.

    Example:
        >>> rate_words(Rate(value=0.0, low=0.0, high=0.31, goldens=10, variants=20))
        '0 % (0-31 %)'
        >>> rate_words(Rate(value=0.0, low=0.0, high=0.98, goldens=1, variants=9))
        'too few (1 golden)'
    """
    if rate is None or not rate.goldens:
        return none
    if not is_measured(rate):
        return f"too few ({count(rate.goldens, 'golden')})"
    return f"{percent(rate.value)} ({percent_range(rate.low, rate.high)})"


def _harmless(profile: Profile) -> Iterator[str]:
    """Yield the rates of harmless changes; the classes that were not measured are left out."""
    promise = profile.promise
    yield _row(f"false blocks, promised {percent(promise.alpha_block)}", rate_words(promise.whole_block))
    if promise.whole_block.goldens:
        yield _row("  if every step is critical", rate_words(promise.critical_block))
    for one in profile.harmless:
        if one.blocked.goldens:
            of = f" of {count(one.blocked.goldens, 'golden')}" if is_measured(one.blocked) else ""
            yield _row(f"  {one.change}", f"{rate_words(one.blocked)}{of}")


def _damage(profile: Profile) -> Iterator[str]:
    """Yield the block rates of the smallest damage: of reworded variants, or of the others if there are none."""
    harmful = [catch for catch in profile.catches if PERTURBATIONS[catch.operator].label != "benign"]
    reworded = any(catch.reworded and catch.rate.goldens for catch in harmful)
    smallest: dict[str, Catch] = {}
    for catch in harmful:
        if catch.reworded == reworded:
            smallest.setdefault(catch.operator, catch)
    measured = [catch for catch in smallest.values() if is_measured(catch.rate)]
    if not measured:
        yield _row("damage", NOT_MEASURED)
        return
    yield f"  smallest damage blocked by the score alone, {'all' if reworded else 'no'} steps reworded:"
    for catch in measured:
        yield _row(f"  {catch.operator}", rate_words(catch.rate))
    missing = [name for name in _harmful() if name not in {catch.operator for catch in measured}]
    if missing:
        yield from _wrapped(f"too few goldens or recorded texts: {', '.join(missing)}", "    ")


def _harmful() -> Iterator[str]:
    return (name for name, perturbation in PERTURBATIONS.items() if perturbation.label != "benign")


def _borrowed(profile: Profile) -> Iterator[str]:
    pooling = profile.pooling
    if pooling is None:
        return
    yield ""
    yield from _wrapped(_decides(pooling))
    if pooling.base_false_block.goldens:
        yield from _wrapped(
            f"the base alone would block {rate_words(pooling.base_false_block)} of the rewordings of these goldens",
            "  ",
        )


def _decides(pooling: Pooling) -> str:
    """Return how often a pooled profile decides like its base profile, and what the small corpus adds."""
    base = f"the base profile of {count(pooling.base_goldens, 'golden')}"
    agreement = pooling.base_agreement
    if agreement is not None and agreement >= ALIKE:
        return f"This profile decides like {base}; it adds the measurements above."
    share = "" if agreement is None else f" on {percent(agreement)} of the variants of these goldens"
    own = f", and its harmless changes with those of {count(pooling.goldens, 'golden')} here" * bool(pooling.goldens)
    return f"This profile decides like {base}{share}: it has the same models and thresholds{own}."


def _unrecorded(profile: Profile, corpora: Sequence[Path], target: Path | None) -> Iterator[str]:
    """Yield what to do if there are no recorded rewordings."""
    if profile.corpus.with_rewordings:
        return
    yield ""
    yield from _wrapped(
        "No rewordings are recorded for these goldens, so their false-block rate is unknown: the promise rests on the "
        "rewordings of the base profile. To measure it, record rewordings and calibrate again:"
    )
    given = visible(shlex.join(map(str, corpora)) if corpora else "CORPUS", 500)
    output = f" --output {visible(shlex.quote(str(target)), 500)}" if target else ""
    yield f"  wfgate write {given} --model MODEL --output variants.jsonl"
    yield f"  wfgate calibrate {given} variants.jsonl{output}"


def _row(name: str, value: str) -> str:
    return f"  {name:<{_COLUMN}}  {value}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def judge_words(profile: Profile) -> list[str]:
    """Return lines about the calibration of the judge (a language model that grades); empty if there is no judge."""
    judge = profile.judge
    if judge is None:
        return []
    bias, smallest = judge.bias, judge.null.build().least
    probes = {
        "grade of a golden against itself": bias.identity,
        "added by showing the golden first": bias.position,
        "difference by the order alone": bias.swap,
        "difference by the wording of the prompt": bias.spread,
    }
    return [
        f"Judge: {judge.signature}",
        (
            f"Calibrated on {count(judge.null.goldens, 'golden')} with rewordings; smallest p-value {smallest:.2g}; "
            f"{count(judge.ungraded, 'variant')} not graded."
        ),
        f"Its bias in grades of 0 to 5, on {count(bias.pairs, 'pair')}:",
        *(f"  {words} {5 * value:.2f}" for words, value in probes.items() if value is not None),
    ]


def exam_words(profile: Profile) -> list[str]:
    """Return lines about the exam that the judge passed; empty if there is no exam."""
    if profile.judge is None:
        return []
    exam = profile.judge.exam
    if exam is None:
        return ["The profile does not record the exam of the judge."]
    spread = "" if exam.sd is None else f" (sd {exam.sd:.2f})"
    held = ", ".join(f"{name} {value}" for name, value in exam.settings.items())
    message = (
        f"{visible(exam.model, 100)} passed the exam on {exam.date} with {exam.score:.2f}{spread}, {exam.least:.2f} "
        f"needed; {count(exam.answers, 'answer')}; {visible(held, 300)}."
    )
    return textwrap.wrap(message, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
