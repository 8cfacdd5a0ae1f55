"""The summary that `wfgate write` prints."""

from wfgate.calibration.writer import Tally
from wfgate.show import count, visible

SHOWN = 3
"""Maximum number of rejected variants shown for each reason."""
_LONGEST = 160


def writing_text(written: Tally) -> str:
    """Return the number of usable variants by model, and the number of rejected variants by reason."""
    total = written.usable + len(written.rejected)
    of = f"{count(total, 'variant')} of {count(written.goldens, 'golden')}"
    lines = [f"{written.usable} of {of} usable, {written.repaired} after corrections"]
    lines += [f"  {visible(model)}: {number}" for model, number in written.by_model.items()]
    if written.rejected:
        lines.append(f"Rejected: {len(written.rejected)}")
    for reason, rejections in written.by_reason:
        lines.append(f"  {reason}: {len(rejections)}")
        for name, item in rejections[:SHOWN]:
            line = f"{name}, {item.kind} {item.severity:.0%}: {item.message}"
            lines.append(f"    {visible(line, _LONGEST)}")
        if len(rejections) > SHOWN:
            lines.append(f"    and {len(rejections) - SHOWN} more")
    return "\n".join(lines)
