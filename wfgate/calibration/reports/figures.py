"""Figures of a calibration as SVG.

The figures show trajectories (metric values by severity) and sensitivities, compared with the WorkflowPerturb paper,
and curves and the null distribution.

Drawn with matplotlib (extra `report`). The same profile gives the same bytes with the same version of matplotlib.
"""

import io
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.calibration.reports import paper
from wfgate.calibration.reports.calibration_text import is_measured
from wfgate.decide import Point, Profile, Rate
from wfgate.show import percent

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#b0a000")
"""Distinguishable for colour-blind readers (Okabe & Ito 2008)."""
MARKERS = "osD^vP*X"
SIZE = (6.4, 3.8)
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "wfgate",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}


class Figure(NamedTuple):
    """One figure.

    Attributes:
        name: File name without suffix.
        title: Caption.
        svg: The drawing.
    """

    name: str
    title: str
    svg: str


def available() -> bool:
    """Return whether matplotlib is installed. The figures need it."""
    from importlib.util import find_spec  # noqa: PLC0415 - only used here

    return find_spec("matplotlib") is not None


def figures(profile: Profile) -> tuple[Figure, ...]:
    """Draw the figures. A figure for which the profile has no numbers is left out."""
    return tuple(_drawn(profile))


def _drawn(profile: Profile) -> Iterable[Figure]:
    for operator, (title, _) in paper.TABLES.items():
        points = [p for p in profile.trajectories if p.operator == operator and p.variants]
        if points:
            yield draw(
                f"trajectory-{operator}",
                f"{title}: each metric by severity. Solid: measured here, with one standard deviation; dashed: an "
                "ideal metric; hollow: the paper.",
                partial(_trajectory, points=points, operator=operator),
            )
    if profile.sensitivities:
        yield draw(
            "sensitivity",
            "Loss per unit of severity (the paper's figure 6). Bars: measured here; diamonds: the paper.",
            lambda axes: _sensitivity(axes, profile),
        )
    residuals = [
        p for p in profile.trajectories if p.bias is not None and not p.reworded and p.operator in paper.TABLES
    ]
    if residuals:
        yield draw(
            "residuals",
            "Mean residual against the ideal metric (bias); whiskers: RMSE.",
            lambda axes: _residuals(axes, residuals),
        )
    if profile.operating_curves:
        yield draw(
            "operating-curve",
            "Share of damage blocked by false-block rate, on goldens that were not used for fitting; dotted: the "
            "promised rates.",
            lambda axes: _operating(axes, profile),
        )
    if any(is_measured(each.observed) for each in profile.reliability.bins):
        yield draw(
            "reliability",
            "Share of variants whose most probable kind of damage is the true one, by predicted probability.",
            lambda axes: _reliability(axes, profile),
        )
    pooled = profile.pooling
    source = f" ({percent(pooled.borrowed)} of its weight is borrowed from the base profile)" if pooled else ""
    yield draw(
        "null",
        f"Null distribution{source}: share of harmless rewordings at or above a nonconformity score, equal weight per "
        "golden.",
        lambda axes: _null(axes, profile),
    )
    if any(is_measured(catch.rate) for catch in profile.catches):
        yield draw(
            "caught",
            f"Share blocked at {percent(profile.promise.alpha_block)} by the score alone, damage of the lowest "
            "severity; hollow: all steps reworded too.",
            lambda axes: _caught(axes, profile),
            height=4.6,
        )


def draw(name: str, title: str, plot: Callable[[Any], None], height: float = SIZE[1]) -> Figure:
    """Draw one figure in the common style.

    Args:
        name: File name without suffix.
        title: Caption.
        plot: Draws on the matplotlib axes that it gets.
        height: Height in inches.
    """
    import matplotlib as mpl  # noqa: PLC0415 - an extra, slow to import
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415 - same

    mpl.use("svg")
    written = io.StringIO()
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(SIZE[0], height), layout="constrained")
        plot(canvas.subplots())
        canvas.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    svg = written.getvalue()
    return Figure(name, title, svg[svg.index("<svg") :])


def _trajectory(axes: Any, points: list[Point], operator: str) -> None:
    known = paper.TABLES[operator][1]
    metrics = sorted({point.metric for point in points})
    for place, metric in enumerate(metrics):
        mine = sorted((p for p in points if p.metric == metric and not p.reworded), key=lambda p: p.severity)
        style = {"color": COLORS[place % len(COLORS)], "marker": MARKERS[place % len(MARKERS)], "markersize": 4}
        x = [p.severity + (place - len(metrics) / 2) * 0.004 for p in mine]
        axes.errorbar(x, [p.mean for p in mine], yerr=[p.sd for p in mine], label=metric, capsize=2, lw=1.2, **style)
        theirs = next((known[name] for name in (metric, *_stood_for(metric)) if name in known), None)
        if theirs:
            hollow = {**style, "markerfacecolor": "none", "linestyle": "none"}
            axes.plot(paper.SEVERITIES, [cell.mean for cell in theirs], **hollow)
    expected = sorted({(p.severity, p.expected) for p in points if p.expected is not None})
    axes.plot([x for x, _ in expected], [y for _, y in expected], color="black", ls="--", lw=1, label="ideal")
    axes.set(xlabel="share of steps affected", ylabel="score", ylim=(-0.05, 1.08))
    axes.legend(ncols=3, fontsize=7.5, loc="lower left")


def _stood_for(metric: str) -> list[str]:
    return [name for name, ours in paper.STAND_INS.items() if ours == metric]


def _sensitivity(axes: Any, profile: Profile) -> None:
    ours = {(s.operator, s.metric): s.value for s in profile.sensitivities if not s.reworded}
    operators = [operator for operator in paper.SENSITIVITIES if any(key[0] == operator for key in ours)]
    metrics = sorted({metric for operator, metric in ours if operator in operators})
    width = 0.8 / max(len(metrics), 1)
    for place, metric in enumerate(metrics):
        x = [at + (place - (len(metrics) - 1) / 2) * width for at in range(len(operators))]
        heights = [ours.get((operator, metric), 0.0) for operator in operators]
        axes.bar(x, heights, width * 0.9, color=COLORS[place % len(COLORS)], label=metric)
        for at, operator in zip(x, operators, strict=True):
            known = paper.SENSITIVITIES[operator]
            theirs = next((known[name] for name in (metric, *_stood_for(metric)) if name in known), None)
            if theirs is not None:
                axes.plot([at], [theirs], marker="D", color="black", markerfacecolor="none", markersize=5)
    axes.set_xticks(range(len(operators)), operators)
    axes.set(ylabel="loss per unit of severity")
    axes.legend(ncols=3, fontsize=7.5)


def _residuals(axes: Any, points: list[Point]) -> None:
    metrics = sorted({point.metric for point in points})
    columns = sorted(
        {(p.operator, p.severity) for p in points}, key=lambda at: (list(paper.TABLES).index(at[0]), at[1])
    )
    for place, metric in enumerate(metrics):
        mine = {(p.operator, p.severity): p for p in points if p.metric == metric}
        dots = [(at, mine[column]) for at, column in enumerate(columns) if column in mine]
        x = [at + (place - (len(metrics) - 1) / 2) * min(0.1, 0.8 / len(metrics)) for at, _ in dots]
        bias, rmse = [p.bias or 0.0 for _, p in dots], [p.rmse or 0.0 for _, p in dots]
        color = COLORS[place % len(COLORS)]
        marker = MARKERS[place % len(MARKERS)]
        axes.errorbar(x, bias, yerr=rmse, fmt=marker, color=color, markersize=4, lw=0.8, capsize=1.5, label=metric)
    axes.axhline(0, color="black", lw=0.8)
    axes.set_xticks(range(len(columns)), [percent(p) for _, p in columns], fontsize=7)
    groups = [[at for at, (name, _) in enumerate(columns) if name == operator] for operator, _ in columns]
    names = {(group[0] + group[-1]) / 2: columns[group[0]][0] for group in groups}
    # Below the percentages, once per operator: beside them, the names of neighbours overlap.
    axes.secondary_xaxis(-0.08).set_xticks([*names], [*names.values()], fontsize=8)
    axes.child_axes[-1].tick_params(length=0)
    axes.child_axes[-1].spines["bottom"].set_visible(False)
    axes.set(ylabel="measured - ideal")
    axes.legend(ncols=3, fontsize=7.5)


def _operating(axes: Any, profile: Profile) -> None:
    for place, curve in enumerate(profile.operating_curves):
        x = [max(point.false_block, 1e-4) for point in curve.points]
        label = f"{percent(curve.level)} of the steps (AUC {curve.auc:.3f})"
        style = {"color": COLORS[place], "marker": MARKERS[place], "markersize": 4, "lw": 1.2}
        axes.plot(x, [point.caught for point in curve.points], label=label, **style)
    for alpha in (profile.promise.alpha_block, profile.promise.alpha_review):
        axes.axvline(alpha, color="black", ls=":", lw=0.8)
    axes.set_xscale("log")
    axes.set(xlabel="rewordings blocked", ylabel="damage blocked", ylim=(0, 1.03))
    axes.legend(title="damaged", fontsize=8)


def _reliability(axes: Any, profile: Profile) -> None:
    bins = [each for each in profile.reliability.bins if is_measured(each.observed)]
    x, y = [b.predicted for b in bins], [b.observed.value for b in bins]
    axes.plot([0, 1], [0, 1], color="black", ls="--", lw=0.8)
    axes.errorbar(x, y, yerr=_whiskers([b.observed for b in bins]), fmt="o-", color=COLORS[0], markersize=4, capsize=2)
    axes.set(xlabel="predicted probability", ylabel="share correct", xlim=(0, 1), ylim=(0, 1.03))


def _null(axes: Any, profile: Profile) -> None:
    for number, (name, null) in enumerate(profile.scorer.nulls.used.items()):
        shares = [max(tail, 1e-9) / null.mass for tail in null.tail]
        color = COLORS[number % len(COLORS)]
        axes.step(null.scores, shares, where="post", color=color, lw=1.2, label=name)
    for alpha in (profile.promise.alpha_block, profile.promise.alpha_review):
        axes.axhline(alpha, color="black", ls=":", lw=0.8)
    axes.set_yscale("log")
    axes.set(xlabel="nonconformity score (log-odds of a regression)", ylabel="share at or above")
    axes.legend(fontsize=7.5)


def _caught(axes: Any, profile: Profile) -> None:
    smallest: dict[str, dict[bool, Rate]] = {}
    measured = [catch for catch in profile.catches if is_measured(catch.rate)]
    for catch in sorted(measured, key=lambda catch: catch.severity):
        smallest.setdefault(catch.operator, {}).setdefault(catch.reworded, catch.rate)
    names = [operator for operator in PERTURBATIONS if operator in smallest][::-1]
    for reworded, face, shift in ((False, COLORS[0], 0.12), (True, "none", -0.12)):
        dots = [(at + shift, smallest[name][reworded]) for at, name in enumerate(names) if reworded in smallest[name]]
        x, y = [rate.value for _, rate in dots], [at for at, _ in dots]
        axes.errorbar(
            x,
            y,
            xerr=_whiskers([rate for _, rate in dots]),
            fmt="o",
            color=COLORS[0],
            markerfacecolor=face,
            markersize=4,
            capsize=1.5,
            lw=0.8,
        )
    axes.axvline(profile.promise.alpha_block, color="black", ls=":", lw=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="share blocked", xlim=(-0.02, 1.02))


def _whiskers(rates: list[Rate]) -> list[list[float]]:
    return [[max(0.0, r.value - r.low) for r in rates], [max(0.0, r.high - r.value) for r in rates]]
