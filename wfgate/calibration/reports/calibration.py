"""The calibration report in Markdown: promised and measured rates, block rates of damage, thresholds, residuals."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from wfgate.calibration.misses import Miss
from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.calibration.reports import beside_paper, paper
from wfgate.calibration.reports.beside_paper import NOT_MEASURED
from wfgate.calibration.reports.calibration_text import exam_words, formats_words, is_measured, judge_words, rate_words
from wfgate.calibration.reports.figures import Figure
from wfgate.decide import Catch, Pooling, Profile, Rate
from wfgate.show import count, html_page, markdown_text, percent, table

REFUSED = 30
"""Maximum number of refused records that are listed."""
SEEN = 0.95
"""Damage that is blocked at least this often counts as detected, below `HALF` as mostly missed."""
HALF = 0.5
_TEXTS = re.compile("[0-9]+ recorded texts needed, [0-9]+ there")

FIGURES = "figures"
"""Folder of the figures, next to the report."""


def calibration_markdown(
    profile: Profile,
    refused: Sequence[str] = (),
    missed: Sequence[Miss] = (),
    drawn: Sequence[Figure] = (),
    formats: Collection[str] = (),
) -> str:
    """Return the report of a calibration.

    Args:
        profile: The fitted profile; every rate in it is out of sample by golden.
        refused: Files and records of the corpus that are not used, each with the reason.
        missed: Examples of damage that is not blocked.
        drawn: Figures; the report links to them in the folder `FIGURES`.
        formats: Format of each golden.
    """
    shown = {figure.name: f"![{markdown_text(figure.title)}]({address(figure)})" for figure in drawn}

    def section(title: str, text: Iterable[str], *figures: str) -> str:
        return "\n\n".join([f"## {title}", *text, *(shown[name] for name in figures if name in shown)])

    trajectories = [f"trajectory-{operator}" for operator in paper.TABLES]
    sections = [
        "# Calibration",
        *_origin(profile, formats),
        section("False-block and false-review rates", _promise(profile), "null"),
        section("Damage that is often missed", ["\n".join(_blind(profile))]),
        section("Block rate by kind of change", _catches(profile), "caught", "operating-curve"),
        section("Examples of missed damage", _misses(missed)),
        section("Severity thresholds", [_thresholds(profile)]),
        section("Accuracy of the estimates", _estimates(profile), "reliability"),
        section("Rates by corpus", _corpora(profile)),
        *([section("The judge", _judge(profile))] if profile.judge else ()),
        section("Comparison with the paper", beside_paper.tables(profile), *trajectories),
        section("Sensitivity", [beside_paper.sensitivities(profile)], "sensitivity"),
        section("Residuals", [beside_paper.residuals(profile)], "residuals"),
        section("Skipped files, records and variants", _refused(profile, refused)),
    ]
    return "\n\n".join(sections) + "\n"


def calibration_page(markdown: str, drawn: Sequence[Figure] = ()) -> str:
    """Return the report as one HTML page with embedded figures."""
    return html_page(markdown, title="wfgate calibration", drawings={address(each): each.svg for each in drawn})


def address(figure: Figure) -> str:
    """Return the path of a figure, relative to the report."""
    return f"{FIGURES}/{figure.name}.svg"


def _origin(profile: Profile, formats: Collection[str]) -> Iterator[str]:
    corpus, signature = profile.corpus, profile.signature
    read = f" Formats of the goldens: {markdown_text(formats_words(formats))}." if formats else ""
    yield (
        f"Fitted by wfgate {markdown_text(profile.tool)} with seed {profile.seed} on "
        f"{count(corpus.goldens, 'golden')} ({corpus.with_rewordings:,} with recorded rewordings) and "
        f"{count(corpus.variants, 'variant')}. All rates are out of sample by golden: no model was fitted on the "
        "golden it is measured on. Intervals are 95 % Clopper-Pearson intervals with one count per golden, unless "
        f"stated otherwise.{read}"
    )
    yield (
        f"Corpus {corpus.fingerprint[:16]}; embedder {markdown_text(signature.embedder)}; "
        f"meaning model {markdown_text(signature.meaning_model)}; evidence {signature.evidence}; "
        f"metrics {markdown_text(', '.join(signature.metrics))}."
    )
    if profile.pooling is not None:
        yield from _pooling(profile.pooling)


def _pooling(pooling: Pooling) -> Iterator[str]:
    own = count(pooling.goldens, "golden")
    few = (
        f"Only {own} of this corpus {'has' if pooling.goldens == 1 else 'have'} recorded rewordings or accepted "
        "regenerations, too few for the promised rates."
        if pooling.goldens
        else "No golden of this corpus has recorded rewordings or accepted regenerations."
    )
    weights = (
        " in which each golden of this corpus has weight 1 and each golden of the base has weight "
        f"{pooling.base_weight:.3f}"
    )
    yield (
        f"**Pooled.** {few} *Borrowed* from a base profile ({count(pooling.base_goldens, 'golden')}, corpus "
        f"{pooling.base_corpus[:16]}): the models, the thresholds, and {percent(pooling.borrowed)} of the weight of "
        f"the null distribution{f',{weights}' * bool(pooling.goldens)}. *Measured* on this corpus: the rates below, "
        "with each golden left out of the null distribution in turn. A candidate is not blocked if all harmless "
        "changes of one golden of this corpus have the same or a higher nonconformity score. The promised rates hold "
        "as far as the base resembles this corpus."
    )
    if pooling.base_agreement is not None:
        yield f"The base alone decides the same on {percent(pooling.base_agreement)} of the variants of this corpus."
    if pooling.base_false_block.goldens:
        yield f"The base alone would block {_cell(pooling.base_false_block)} of this corpus' harmless changes."
    else:
        yield (
            "**Not measured here**: the false-block rate of this corpus, because it has neither recorded rewordings "
            "nor accepted regenerations. `wfgate write CORPUS --model MODEL --output variants.jsonl` writes "
            "rewordings; calibrate again with the corpus and that file."
        )


def _judge(profile: Profile) -> Iterator[str]:
    name, calibrated, bias, *probes = judge_words(profile)
    yield markdown_text(f"{name}. {calibrated} {bias} {'; '.join(probe.strip() for probe in probes)}.", 2000)
    yield markdown_text(" ".join(line.strip() for line in exam_words(profile)), 1000)
    yield (
        "A grade can only make a verdict stricter: a grade below the calibrated review threshold leads to a "
        "review, and a missing answer makes the case inconclusive. Its grades by kind of damage are listed with the "
        "other metrics below."
    )


def _promise(profile: Profile) -> Iterator[str]:
    promise = profile.promise
    rows = (
        ("blocked by the score", promise.alpha_block, promise.false_block),
        ("reviewed or blocked by the score", promise.alpha_review, promise.false_review),
        ("blocked, whole verdict, no critical step", promise.alpha_block, promise.whole_block),
    )
    measured = [row for row in rows if row[2].goldens]
    goldens = f"these {promise.false_block.goldens:,}" if measured else "those of the base profile"
    yield (
        f"The promise is an average over goldens like {goldens}: the share of their "
        "harmless changes (rewordings, and workflows written anew that reviewers accepted) that is blocked, or "
        "reviewed or blocked. Some goldens have a higher rate. The *whole verdict* also blocks without the score: for "
        "new structural defects, proven changes of behaviour and lost critical steps."
    )
    yield table(
        ("verdict", "promised at most", "measured (95 % interval)", "goldens", "variants"),
        [(name, percent(alpha), _cell(rate), f"{rate.goldens:,}", f"{rate.variants:,}") for name, alpha, rate in rows],
    )
    for name, alpha, rate in measured:
        if rate.low > alpha:
            yield f"**Exceeded**: more changes are {name} than promised; the interval excludes the promised rate."
    if promise.critical_block.goldens:
        yield (
            f"If every step is critical, {_cell(promise.critical_block)} of the harmless changes are blocked by the "
            "whole verdict; the promise does not cover critical steps."
        )
    harmless = [one for one in profile.harmless if one.blocked.goldens]
    if harmless:
        yield "Each class of harmless changes, by the whole verdict without critical steps:"
        yield table(
            ("change", "blocked", "reviewed or blocked", "goldens", "variants"),
            [
                (one.change, _cell(one.blocked), _cell(one.reviewed), f"{rate.goldens:,}", f"{rate.variants:,}")
                for one in harmless
                for rate in (one.blocked,)
            ],
        )
    unknown = [one.change for one in profile.harmless if not one.blocked.goldens]
    if unknown:
        yield f"Not measured here: {'; '.join(unknown)}."
    if profile.corpus.range is not None:
        yield f"Calibrated range: {profile.corpus.range.description}. No rate is known for workflows outside of it."
    validity = [each for each in profile.validity if each.rate.goldens]
    if validity:
        yield "The same at other rates:"
        yield table(
            ("promised at most", "measured (95 % interval)", "goldens", "kept"),
            [
                (percent(each.alpha), _cell(each.rate), f"{each.rate.goldens:,}", "yes" if each.kept else "no")
                for each in validity
            ],
        )
    over = [
        catch
        for catch in profile.catches
        if _benign(catch) and catch.rate.goldens and catch.rate.low > promise.alpha_block
    ]
    if over:
        named = "; ".join(f"{_named(catch)}: {_cell(catch.rate)}" for catch in over)
        yield (
            f"**Above the promised rate**: these harmless changes are blocked more often than "
            f"{percent(promise.alpha_block)}, and the interval excludes that rate: {named}."
        )


def _blind(profile: Profile) -> Iterator[str]:
    """Yield sentences about the kinds of damage that are often not blocked, by measured block rate."""
    harmful: dict[str, list[Catch]] = {}
    for catch in profile.catches:
        if not _benign(catch) and is_measured(catch.rate):
            harmful.setdefault(catch.operator, []).append(catch)
    if not harmful:
        yield "No damage was measured, so the block rates of damage are unknown."
        return
    weak = [line for operator, catches in harmful.items() if (line := _weakness(profile, operator, catches))]
    yield "\n".join(weak) if weak else f"- Every measured kind of damage has a block rate of at least {percent(SEEN)}."
    unmeasured = [
        name for name, perturbation in PERTURBATIONS.items() if perturbation.label != "benign" and name not in harmful
    ]
    if unmeasured:
        yield f"- Not measured, because there are too few goldens or recorded texts: {', '.join(unmeasured)}."
    yield "- Damage that no perturbation operator produces is not measured; its block rate is unknown."


def _weakness(profile: Profile, operator: str, catches: Sequence[Catch]) -> str | None:
    worst = min(catches, key=lambda catch: catch.rate.value)
    best = max(catches, key=lambda catch: catch.rate.value)
    if worst.rate.value >= SEEN:
        return None
    span = (
        percent(worst.rate.value)
        if worst.rate.value == best.rate.value
        else f"{percent(worst.rate.value)} to {percent(best.rate.value)}"
    )
    harmless = max(
        (catch.rate.high for catch in profile.catches if _benign(catch) and is_measured(catch.rate)), default=0.0
    )
    if best.rate.value <= harmless:
        how = "**not detected**: blocked about as rarely as harmless changes"
    elif best.rate.value < HALF:
        how = "**mostly missed**"
    elif worst.rate.value < HALF:
        how = "**partly missed, mostly if the texts are reworded too**" if worst.reworded else "**partly missed**"
    else:
        how = "**sometimes missed**"
    return f"- {operator}: {how} ({span} blocked; lowest for {_named(worst)})."


def _catches(profile: Profile) -> Iterator[str]:
    by_key = {(catch.operator, catch.severity, catch.reworded): catch.rate for catch in profile.catches}
    keys = dict.fromkeys((catch.operator, catch.severity) for catch in profile.catches)
    reworded = any(catch.reworded and catch.rate.goldens for catch in profile.catches)
    rows = [
        (
            operator,
            "harmless" if PERTURBATIONS[operator].label == "benign" else "damage",
            percent(severity),
            _cell(by_key.get((operator, severity, False))),
            *((_cell(by_key.get((operator, severity, True))),) if reworded else ()),
        )
        for operator, severity in keys
    ]
    yield (
        f"Share blocked at {percent(profile.promise.alpha_block)} by the score alone, with 95 % interval"
        + ("; *reworded*: in addition, all steps are reworded, as in real regenerations." if reworded else ".")
    )
    yield table(("change", "kind", "steps affected", "blocked", *(("blocked, reworded",) if reworded else ())), rows)
    if profile.operating_curves:
        yield (
            "Share of damage blocked at other false-block rates, and AUC of damage against rewordings; damaged "
            "variants are reworded too if there are recorded rewordings:"
        )
        alphas = [point.alpha for point in profile.operating_curves[0].points]
        yield table(
            ("steps affected", "AUC", *(f"at {percent(alpha)}" for alpha in alphas)),
            [
                (percent(curve.level), f"{curve.auc:.3f}", *(percent(point.caught) for point in curve.points))
                for curve in profile.operating_curves
            ],
        )


def _misses(missed: Sequence[Miss]) -> Iterator[str]:
    if not missed:
        yield "No examples: all of the smallest damage was blocked, or no examples were collected."
        return
    yield "Examples of damage of the lowest severity that was not blocked, selected by a hash of the golden's id."
    for miss in missed:
        how = ", every step reworded" if miss.reworded else ""
        changes = [f"  - {_change(before, after)}" for before, after in miss.changes]
        head = f"- **{miss.operator}** in {markdown_text(miss.golden, 80)}{how} (p-value {percent(miss.p_value)}):"
        yield "\n".join([head, *changes] if changes else [f"{head} no change of a step's text or of a link"])


def _change(before: str, after: str) -> str:
    if not after:
        return f"removed: {markdown_text(before, 300)}"
    if not before:
        return f"added: {markdown_text(after, 300)}"
    return f"{markdown_text(before, 300)} → {markdown_text(after, 300)}"


def _corpora(profile: Profile) -> Iterator[str]:
    if not profile.by_corpus:
        yield "There is only one corpus."
        return
    yield (
        f"At {percent(profile.promise.alpha_block)}. *Unseen*: model and null distribution are fitted on the other "
        "corpora only; the promised rate does not cover this case."
    )
    head = ("corpus", "goldens", "false blocks", "caught", "false blocks, unseen", "caught, unseen")
    yield table(
        head,
        [
            (
                row.corpus,
                f"{row.goldens:,}",
                _cell(row.false_block),
                _cell(row.caught),
                _cell(row.unseen_false_block),
                _cell(row.unseen_caught),
            )
            for row in profile.by_corpus
        ],
    )


def _thresholds(profile: Profile) -> str:
    rows = [
        (
            percent(row.level),
            f"{row.threshold:.3f}",
            _cell(row.false_block),
            _cell(row.over_call),
            _cell(row.miss),
        )
        for row in profile.thresholds
    ]
    return (
        "A candidate counts as degraded to at least a level if its estimated severity reaches the threshold. *False "
        "block*: share of full rewordings at or above the threshold; *over-call*: share of less degraded variants at "
        "or above it; *miss*: share of variants degraded to at least the level below it.\n\n"
        + table(("degraded at least", "threshold", "false block", "over-call", "miss"), rows)
    )


def _estimates(profile: Profile) -> Iterator[str]:
    yield (
        "The severity is a count: the share of the golden's steps that are affected. A demand (step) that is gone or "
        "altered counts one, a doubtful one half; if more steps moved or were added, their number counts instead. "
        "Only the width of the interval is fitted. The rates are shares of damaged variants."
    )
    rows = (
        ("the 90 % interval of the severity contains the true severity", _cell(profile.severity_coverage), "90 %"),
        ("the severity is within 10 points of the true severity", _cell(profile.severity_close), "none"),
        (
            "the same, of variants that are reviewed or blocked (others show no severity)",
            _cell(profile.severity_close_shown),
            "none",
        ),
        ("the most probable kind of damage is the true one", _cell(profile.degradation_accuracy), "none"),
    )
    yield table(("share of variants for which", "measured", "promised"), rows)
    if profile.reliability.bins:
        yield (
            "Reliability of the probability of the most probable kind of damage (expected calibration error: "
            f"{percent(profile.reliability.error)}):"
        )
        yield table(
            ("mean probability", "share correct", "variants"),
            [
                (percent(each.predicted), _cell(each.observed), f"{each.observed.variants:,}")
                for each in profile.reliability.bins
            ],
        )


def _refused(profile: Profile, refused: Sequence[str]) -> Iterator[str]:
    total = max(len(refused), profile.corpus.refused_records)
    if total:
        items = [f"- {markdown_text(reason)}" for reason in refused[:REFUSED]]
        if total > len(items):
            items.append(f"- {total - len(items):,}{' more' * bool(items)}, not listed")
        yield f"{count(total, 'file or record', 'files or records')} skipped or used only partly:\n\n" + "\n".join(
            items
        )
    else:
        yield "No file and no record of the corpus was skipped."
    rejected: Counter[tuple[str, str]] = Counter()
    for operator, reason, number in profile.corpus.rejected:
        rejected[operator, _TEXTS.sub("too few recorded texts", reason)] += number
    if rejected:
        yield "Variants that could not be made or failed the validation of their operator; they are not used."
        yield table(
            ("change", "reason", "variants"),
            [(operator, reason, f"{number:,}") for (operator, reason), number in rejected.items()],
        )
    else:
        yield "Every variant could be made."


def _benign(catch: Catch) -> bool:
    return PERTURBATIONS[catch.operator].label == "benign"


def _named(catch: Catch) -> str:
    return f"{catch.operator} of {percent(catch.severity)} of the steps{', reworded' * catch.reworded}"


def _cell(rate: Rate | None) -> str:
    return rate_words(rate, NOT_MEASURED)
