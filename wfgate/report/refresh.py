"""The changes by a refresh of a profile: as text, and as JSON for a pull request."""

import json
from collections.abc import Callable

from wfgate.calibration import Refresh
from wfgate.calibration.refresh import Side
from wfgate.gating import Replay
from wfgate.report.escape import visible
from wfgate.report.wording import count, percent, percent_range

SHOWN = 20
"""Listed changed verdicts; the JSON document has all."""


def refresh_json(refresh: Refresh, replayed: Replay) -> str:
    """Return the document (`wfgate.refresh/1`), pure ASCII."""
    record = refresh.model_dump(mode="json")
    record["replay"] = {**replayed.model_dump(mode="json"), "changed": len(replayed.changed)}
    return json.dumps(record, indent=1) + "\n"


def refresh_text(refresh: Refresh, replayed: Replay) -> str:
    """Return the summary for the review of the pull request."""
    after, before = refresh.after, refresh.before
    lines = ["LOOSER than the profile in use:" if refresh.looser else "Not looser than the profile in use."]
    lines += [f"  - {change}" for change in refresh.looser]
    rows = [("", "before", "after")]
    rows += [(name, cell(before) if before else "-", cell(after)) for name, cell in _CELLS.items()]
    for place, threshold in enumerate(after.thresholds):
        old = f"{before.thresholds[place].threshold:.3f}" if before else "-"
        rows.append((f"threshold of {percent(threshold.level)}", old, f"{threshold.threshold:.3f}"))
    for place, curve in enumerate(after.curves):
        old = f"{before.curves[place].auc:.4f}" if before and place < len(before.curves) else "-"
        rows.append((f"AUC at {percent(curve.level)}", old, f"{curve.auc:.4f}"))
    known = {each.operator: each.rate for each in before.caught} if before else {}
    for each in after.caught:
        was = percent(known[each.operator].value) if each.operator in known else "-"
        rows.append((f"caught: {each.operator}", was, percent(each.rate.value)))
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    lines += [f"  {name:<{widths[0]}}  {old:>{widths[1]}}  {new:>{widths[2]}}".rstrip() for name, old, new in rows]
    if replayed.cases or replayed.skipped:
        changed = len(replayed.changed)
        lines.append(f"Replayed {count(len(replayed.cases), 'recorded case')}; changed verdicts: {changed:,}.")
        for case in replayed.changed[:SHOWN]:
            change = f"{case.before} -> {case.after} (p-value {percent(case.p_value_before)} -> "
            lines.append(f"  {visible(case.case)}: {change}{percent(case.p_value_after)})")
        if len(replayed.changed) > SHOWN:
            lines.append(f"  and {len(replayed.changed) - SHOWN:,} more")
        if replayed.skipped:
            lines.append(f"  not replayed: {count(len(replayed.skipped), 'case')}, as {visible(replayed.skipped[0])}")
    return "\n".join(lines)


def _false_block(side: Side) -> str:
    rate = side.false_block
    return f"{percent(rate.value)} ({percent_range(rate.low, rate.high)})"


_CELLS: dict[str, Callable[[Side], str]] = {
    "goldens": lambda side: f"{side.goldens:,}",
    "promised false blocks": lambda side: percent(side.alpha_block),
    "measured false blocks": _false_block,
    "smallest damage missed": lambda side: percent(side.missed),
}
