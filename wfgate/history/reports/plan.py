"""What `wfgate plan` says: the samples that a drop of the pass rate needs, and the drops that samples can show."""

from collections.abc import Sequence
from typing import Any

from wfgate.history.power import MAX_SAMPLES, Detectable, Needed
from wfgate.show import count, percent


def plan_text(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> str:
    """Return the number of samples that each drop needs, one line each."""
    lines = [
        f"Samples per case and release that detect a drop from {percent(before)} with power {percent(power)}",
        f"(one-sided exact test; family-wise error rate {percent(alpha)} over {count(cases, 'case')})",
    ]
    for each in needed:
        to = f"to {percent(before - each.drop)}"
        samples = f"{each.samples:>6,}" if each.samples is not None else f"more than {MAX_SAMPLES:,}"
        lines.append(f"  {to:<9} {samples}")
    return "\n".join(lines)


def plan_record(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> dict[str, Any]:
    """Return the JSON form: `wfgate.plan/1`."""
    return {
        **_head(before=before, alpha=alpha, cases=cases, power=power),
        "drops": [each.model_dump(mode="json") for each in needed],
    }


def found_text(detected: Detectable, *, before: float, alpha: float, cases: int, power: float) -> str:
    """Return what drop can be found with a number of samples, and what drop cannot."""
    several = cases > 1
    samples = count(detected.samples, "sample")
    lines = [
        f"Chance that {samples} per case and release show a drop from {percent(before)}",
        f"({count(cases, 'case')}; family-wise error rate {percent(alpha)}; {detected.runs} simulated comparisons)",
        f"  {'drop':<9} {'of one case':>11} {'of all cases' * several:>13}".rstrip(),
    ]
    for each in detected.chances:
        of_all = f"{each.all_cases:.0%}".replace("%", " %") * several
        of_one = f"{each.one_case:.0%}".replace("%", " %")
        lines.append(f"  {f'to {percent(max(0.0, before - each.drop))}':<9} {of_one:>11} {of_all:>13}".rstrip())
    if not detected.decides:
        lines.append("Nothing can be found: even if no sample passes, the comparison is inconclusive.")
        return "\n".join([*lines, "Take more samples."])
    lines.append(f"Found with power {percent(power)}:")
    smallest = ("one case", detected.found_one_case), ("all cases", detected.found_all_cases)
    for which, least in smallest[: 1 + several]:
        to = None if least is None else percent(max(0.0, before - least))
        lines.append(f"  a drop of {which} to {to} or less" if to else f"  no drop of {which}: take more samples")
    others = ", if the others do not change" * several
    whole = f"{detected.samples} of {detected.samples}"
    if detected.blocks_from is None:
        lines.append(f"Not found: one case with {whole} before and 0 of {detected.samples} now{others}.")
    else:
        lines.append(f"After {whole}, one case blocks from {detected.blocks_from} of {detected.samples} down{others}.")
    lines.append("A smaller drop mostly passes: a pass does not prove that nothing got worse.")
    return "\n".join(lines)


def found_record(detected: Detectable, *, before: float, alpha: float, cases: int, power: float) -> dict[str, Any]:
    """Return the JSON form: `wfgate.plan/1`, with `chances` instead of `drops`."""
    return {**_head(before=before, alpha=alpha, cases=cases, power=power), **detected.model_dump(mode="json")}


def _head(*, before: float, alpha: float, cases: int, power: float) -> dict[str, Any]:
    return {"schema": "wfgate.plan/1", "pass_rate": before, "alpha": alpha, "cases": cases, "power": power}
