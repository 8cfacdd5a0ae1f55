"""The comparison of a refreshed profile with the profile in use, as text and as JSON."""

import json
from collections.abc import Callable

from wfgate.calibration.refresh import ProfileRates, Refresh
from wfgate.history import Replay
from wfgate.show import count, percent, percent_range, visible

SHOWN = 20
"""Maximum number of changed verdicts in the text; the JSON document has all of them."""


def refresh_json(refresh: Refresh, replayed: Replay) -> str:
    """Return the comparison as JSON (`wfgate.refresh/1`), ASCII only."""
    record = refresh.model_dump(mode="json")
    record["replay"] = {**replayed.model_dump(mode="json"), "changed": len(replayed.changed)}
    return json.dumps(record, indent=1) + "\n"


def refresh_text(refresh: Refresh, replayed: Replay) -> str:
    """Return the summary: whether the refreshed profile is less strict, both profiles' rates, changed verdicts."""
    after, before = refresh.after, refresh.before
    lines = ["LOOSER than the profile in use:" if refresh.looser else "Not looser than the profile in use."]
    lines += [f"  - {reason}" for reason in refresh.looser]
    rows = [("", "before", "after")]
    rows += [(name, cell(before) if before else "-", cell(after)) for name, cell in _CELLS.items()]
    for index, threshold in enumerate(after.thresholds):
        old = f"{before.thresholds[index].threshold:.3f}" if before else "-"
        rows.append((f"threshold of {percent(threshold.level)}", old, f"{threshold.threshold:.3f}"))
    for index, curve in enumerate(after.curves):
        old = f"{before.curves[index].auc:.4f}" if before and index < len(before.curves) else "-"
        rows.append((f"AUC at {percent(curve.level)}", old, f"{curve.auc:.4f}"))
    earlier = {each.operator: each.rate for each in before.caught} if before else {}
    for each in after.caught:
        old = percent(earlier[each.operator].value) if each.operator in earlier else "-"
        rows.append((f"blocked: {each.operator}", old, percent(each.rate.value)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines += [f"  {name:<{widths[0]}}  {old:>{widths[1]}}  {new:>{widths[2]}}".rstrip() for name, old, new in rows]
    if replayed.cases or replayed.skipped:
        changed = len(replayed.changed)
        lines.append(f"Replayed {count(len(replayed.cases), 'recorded case')}; changed verdicts: {changed:,}.")
        for case in replayed.changed[:SHOWN]:
            p_values = f"p-value {percent(case.p_value_before)} -> {percent(case.p_value_after)}"
            lines.append(f"  {visible(case.case)}: {case.before} -> {case.after} ({p_values})")
        if len(replayed.changed) > SHOWN:
            lines.append(f"  and {len(replayed.changed) - SHOWN:,} more")
        if replayed.skipped:
            skipped = count(len(replayed.skipped), "case")
            lines.append(f"  not replayed: {skipped}, for example {visible(replayed.skipped[0])}")
    return "\n".join(lines)


def _false_block(side: ProfileRates) -> str:
    rate = side.false_block
    return f"{percent(rate.value)} ({percent_range(rate.low, rate.high)})"


_CELLS: dict[str, Callable[[ProfileRates], str]] = {
    "goldens": lambda side: f"{side.goldens:,}",
    "promised false-block rate": lambda side: percent(side.alpha_block),
    "measured false-block rate": _false_block,
    "missed, smallest damage": lambda side: percent(side.missed),
}
