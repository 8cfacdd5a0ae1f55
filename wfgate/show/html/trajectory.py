"""Charts that compare the metrics of a case with the calibration: metric value by share of damaged steps."""

from collections.abc import Iterator, Sequence

from wfgate.decide import DEGRADATIONS, CaseResult, GateResult, Point, SeverityEstimate
from wfgate.show.escape import markup
from wfgate.show.wording import percent

_WIDE, _TALL = 150, 90
"""Of a chart without its rim, in its own units."""


def trajectory(case: CaseResult, result: GateResult) -> str:
    """Return one chart per metric, for the most probable kind of damage; empty if the result has no trajectories."""
    if case.severity is None or not case.degradation or case.verdict == "inconclusive":
        return ""
    kind = case.degradation[0].type
    known = result.profile.trajectories
    operator = next((one for one in DEGRADATIONS.get(kind, ()) if any(p.operator == one for p in known)), None)
    measured = [point for point in known if point.operator == operator]
    charts = [
        _chart(score.metric, score.value, [point for point in measured if point.metric == score.metric], case.severity)
        for score in case.metrics
        if score.value is not None
    ]
    if not any(charts):
        return ""
    return (
        f"<details><summary>On the trajectory of {markup(kind)}</summary>"
        f'<div class="charts">{"".join(charts)}</div><p class="legend">What calibration measured: each metric over '
        "the share of steps affected, in the golden's own words (solid) and on top of a full rewording (dashed). The "
        "dot is this pair at its estimate, the band the 90 % interval of that.</p></details>"
    )


def _chart(metric: str, value: float, points: Sequence[Point], severity: SeverityEstimate) -> str:
    lines = [
        (name, sorted((p for p in points if p.reworded is reworded and p.variants), key=lambda p: p.severity))
        for name, reworded in (("plain", False), ("reworded", True))
    ]
    if not any(measured for _, measured in lines):
        return ""
    low, high, at = severity.low, severity.high, severity.estimate
    drawn = "".join(
        f'<polyline class="{name}" points="{" ".join(_spot(p.severity, p.mean) for p in measured)}"/>'
        for name, measured in lines
        if measured
    )
    x, y = _spot(at, value).split()
    said = "; ".join([f"{metric}: {value:.2f} here at about {percent(at)}", *_said(lines)])
    return (
        f'<figure><svg class="chart" viewBox="-4 -4 {_WIDE + 8} {_TALL + 8}" role="img" '
        f'aria-label="{markup(said, 900)}">'
        f'<path class="range" d="M{low * _WIDE:.1f} 0V{_TALL}H{high * _WIDE:.1f}V0Z"/>'
        f'<path class="axis" d="M0 0V{_TALL}H{_WIDE}"/>{drawn}<circle cx="{x}" cy="{y}" r="3.6"/></svg>'
        f"<figcaption>{markup(metric, 60)} {value:.2f}</figcaption></figure>"
    )


def _spot(severity: float, score: float) -> str:
    return f"{severity * _WIDE:.1f} {(1 - min(max(score, 0.0), 1.0)) * _TALL:.1f}"


def _said(lines: Sequence[tuple[str, Sequence[Point]]]) -> Iterator[str]:
    for name, measured in lines:
        if measured:
            yield f"{name}: {', '.join(f'{p.mean:.2f} at {percent(p.severity)}' for p in measured)}"
