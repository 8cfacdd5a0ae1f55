"""Compares tables, sensitivities and residuals of the WorkflowPerturb paper with those of a profile, in Markdown."""

from collections.abc import Iterator

from wfgate.calibration.reports import paper
from wfgate.decide import Point, Profile
from wfgate.show import percent, table

NOT_MEASURED = "not measured here"


def tables(profile: Profile) -> Iterator[str]:
    """Yield the tables of the paper with the values of the profile.

    Reworded variants are left out, because the paper has none.
    """
    points = {(p.operator, p.metric, p.severity): p for p in profile.trajectories if not p.reworded}
    yield (
        "Mean ± standard deviation over variants. The paper used another corpus, another embedder and another "
        "language model for the texts: compare trends, not digits. The paper's bertscore is contextual. Its bleu and "
        "gleu are means over step texts; here they are those of the whole text. Its metrics of the alignment "
        "(graph-f1, chain-f1, kendall-tau) lose merged and reworded steps below a similarity threshold, beta; here "
        "beta is lower and a meaning model keeps such steps, so that Tables 2 and 3 differ. Both are measured in "
        "docs/measured.md, Scores."
    )
    columns = tuple(f"{side} {percent(severity)}" for severity in paper.SEVERITIES for side in ("paper", "here"))
    for operator, (title, metrics) in paper.TABLES.items():
        if not any(at == operator and point.variants for (at, _, _), point in points.items()):
            yield f"### {title}\n\nNot measured here: no variant of this kind could be made (see the end)."
            continue
        rows = []
        for metric, cells in metrics.items():
            ours = _measured_as(metric, {key[1] for key in points if key[0] == operator})
            values = []
            for severity, cell in zip(paper.SEVERITIES, cells, strict=True):
                values += [_spread(cell.mean, cell.sd), _point(points.get((operator, ours or "", severity)))]
            rows.append((_labelled(metric, ours), *values))
        yield f"### {title}\n\n" + table(("metric", *columns), rows)


def sensitivities(profile: Profile) -> str:
    """Return the loss per unit of severity of the paper and of the profile."""
    ours = {(s.operator, s.metric): s.value for s in profile.sensitivities if not s.reworded}
    reworded = {(s.operator, s.metric): s.value for s in profile.sensitivities if s.reworded}
    rows = []
    for operator in dict.fromkeys((*paper.SENSITIVITIES, *(s.operator for s in profile.sensitivities))):
        known = paper.SENSITIVITIES.get(operator, {})
        measured = {metric for at, metric in (*ours, *reworded) if at == operator}
        if not measured:
            continue
        twins = {metric: _measured_as(metric, measured) for metric in known}
        names = [*twins.items(), *((metric, metric) for metric in sorted(measured - set(twins.values())))]
        rows += [
            (
                operator,
                _labelled(metric, twin) if metric in known else metric,
                f"{known[metric]:.2f}" if metric in known else "",
                _number(ours.get((operator, twin or ""))),
                *((_number(reworded.get((operator, twin or ""))),) if reworded else ()),
            )
            for metric, twin in names
        ]
    return (
        "Loss per unit of severity, the mean of the slopes from 10 to 30 and from 30 to 50 % (appendix C.1).\n\n"
        + table(("change", "metric", "paper", "here", *(("here, reworded",) if reworded else ())), rows)
    )


def residuals(profile: Profile) -> str:
    """Return a table of residuals: metric values minus the values of an ideal metric."""
    rows = [
        (
            point.operator,
            point.metric,
            percent(point.severity),
            f"{point.expected:.2f}",
            f"{point.mean:.2f}",
            f"{point.bias:+.3f}",
            f"{point.rmse:.3f}",
            f"{point.undefined:,} of {point.variants + point.undefined:,}",
        )
        for point in profile.trajectories
        if not point.reworded
        and point.operator in paper.TABLES
        and point.expected is not None
        and point.bias is not None
        and point.rmse is not None
    ]
    return (
        "Residuals against the score of an ideal metric: 1 - p for missing and compressed steps, 1 for rewording. "
        "The number of affected steps is rounded up and at least one, so short workflows lose more than p: this is "
        "part of the bias.\n\n"
        + table(("change", "metric", "p", "expected", "mean", "bias", "RMSE", "undefined"), rows)
    )


def _measured_as(metric: str, measured: set[str]) -> str | None:
    """Return the measured metric to compare with a metric of the paper; None if there is none."""
    return next((name for name in (metric, paper.STAND_INS.get(metric)) if name in measured), None)


def _labelled(metric: str, ours: str | None) -> str:
    return metric if ours in (metric, None) else f"{metric} (here: {ours})"


def _point(point: Point | None) -> str:
    return NOT_MEASURED if point is None or not point.variants else _spread(point.mean, point.sd)


def _spread(mean: float, sd: float) -> str:
    return f"{mean:.2f} ± {sd:.2f}"


def _number(value: float | None) -> str:
    return NOT_MEASURED if value is None else f"{round(value, 2) + 0.0:.2f}"
