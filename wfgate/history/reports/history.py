"""The runs of a history: a table for a terminal, JSON, and a page with a picture."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from wfgate.decide import ORDER, RunRecord, flips
from wfgate.show import (
    SHORT,
    STYLES,
    VERDICTS,
    changed_names,
    count,
    document,
    flip_words,
    lines_of,
    markup,
    other_settings,
    picture_style,
    published_schema,
    run_link,
    run_name,
    since_words,
    took_words,
    visible,
    way_words,
)

NAME = 32
"""Width of the name of a run in the table."""
FLIPS = 40
"""Changed cases listed in the text."""
EARLIER = 10
"""Earlier runs whose changed cases are named in the text."""
_WIDE, _TALL, _MARGIN = 900, 220, 40
"""Of the picture, in its own units: width and height of the bars, and the margin for the scale and the labels."""


def history_text(runs: Sequence[RunRecord], *, width: int = 80, color: bool = False) -> str:
    """Return a table with one line per run, and what changed between the last two runs.

    Args:
        runs: The runs, the first one first; at least one.
        width: Maximum width of a line, at least 80 for one line per run.
        color: Whether to add ANSI colours; the text is the same.
    """
    heads = {verdict: max(len(verdict), 5) + 1 for verdict in ORDER}
    took = max((len(took_words(run.seconds)) + 1 for run in runs if run.seconds is not None), default=0)
    took = took and max(took, len(" took"))
    head = f"{'run':<{NAME}}" + "".join(f"{verdict:>{wide}}" for verdict, wide in heads.items())
    head += f"{'took':>{took}}" if took else ""
    lines = [Text(head, style="bold")]
    for run in runs:
        line = Text(_fitted(visible(run_name(run)), NAME))
        for verdict, wide in heads.items():
            number = run.counts[verdict]
            line.append(f"{number:>{wide},}", style=STYLES[verdict] if number else "")
        line.append(f"{took_words(run.seconds):>{took}}")
        lines.append(line)
    shown = [(line, 0) for line in lines]
    shown += [(Text(""), 0), (Text(count(len(runs), "run")), 0)]
    shown += [(Text(words), 2) for words in _since_lines(runs)]
    return lines_of(shown, width=width, color=color)


def _since_lines(runs: Sequence[RunRecord]) -> Iterator[str]:
    if len(runs) < 2:
        return
    before, after = runs[-2:]
    changed = flips(before.cases, after.cases)
    yield f"Since the run before the last one: {since_words(changed)}"
    for flip in changed[:FLIPS]:
        yield f"  {visible(flip.case)}: {way_words(flip)}"
    if len(changed) > FLIPS:
        yield f"  and {len(changed) - FLIPS:,} more: see --format json"
    for words in other_settings(before, after):
        yield f"note: {visible(words, 1000)}"
    earlier = [(run, flips(then.cases, run.cases)) for then, run in pairwise(runs[:-1])]
    earlier = [(run, flipped) for run, flipped in earlier if flipped][-EARLIER:]
    if earlier:
        yield "Earlier changes:"
    for run, flipped in reversed(earlier):
        yield f"  {visible(run_name(run))}: {visible(changed_names(flipped), 1000)}"


def _fitted(name: str, width: int) -> str:
    """Return a name with exactly this width; of a longer one, the end, where names of files differ."""
    cut = name
    while cell_len(cut) > width:
        cut = f"…{cut[2:]}"
    return cut + " " * (width - cell_len(cut))


def history_record(runs: Sequence[RunRecord]) -> str:
    """Return the JSON form: `wfgate.history/1`, with the cases whose verdict changed between the last two runs."""
    changed = flips(runs[-2].cases, runs[-1].cases) if len(runs) > 1 else ()
    whole = {
        "schema": "wfgate.history/1",
        "runs": [{**run.model_dump(mode="json", by_alias=True), "source": run.source} for run in runs],
        "changed": [flip.model_dump(mode="json") for flip in changed],
    }
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


def run_schema() -> dict[str, Any]:
    """Return the published JSON Schema of a line of a history: `wfgate.run/1`."""
    return published_schema(RunRecord, "urn:wfgate:run:1")


def history_page(runs: Sequence[RunRecord]) -> str:
    """Return an HTML page: a picture of the verdicts over the runs, what changed at the end, and a table."""
    style = picture_style() + (files("wfgate.show.html") / "page.css").read_text(encoding="utf-8")
    key = "".join(
        f'<li><svg class="runs key" width="16" height="16" aria-hidden="true"><rect class="{verdict}" width="16" '
        f'height="16"/></svg>{verdict}</li>'
        for verdict in ORDER
    )
    body = (
        f"<header><h1>wfgate: history</h1><p><strong>{count(len(runs), 'run')}</strong></p></header>\n<main>"
        f'<div class="wide" role="region" aria-label="Verdicts over the runs" tabindex="0">{_picture(runs)}</div>'
        f'<ul class="legend keys" aria-label="Legend, from the bottom of a bar to its top">{key}</ul>'
        f"{_since(runs)}{_table(runs)}</main>\n"
    )
    return document(body, title="wfgate: history", style=style)


def _picture(runs: Sequence[RunRecord]) -> str:
    """Return an SVG with one bar per run: the number of cases by verdict."""
    most = max(1, *(sum(run.counts.values()) for run in runs))
    step = max(4.0, min(60.0, _WIDE / len(runs)))
    wide = round(_MARGIN + step * len(runs) + _MARGIN)
    every = -(-len(runs) // max(1, int(step * len(runs) // 110)))
    bars = []
    for place, run in enumerate(runs):
        x, y = _MARGIN + place * step, float(_TALL + 10)
        said = f"{run_name(run)}: " + ", ".join(f"{run.counts[verdict]:,} {verdict}" for verdict in ORDER)
        shapes = [f"<title>{markup(said)}</title>"]
        for verdict in ORDER:
            tall = run.counts[verdict] * _TALL / most
            y -= tall
            if tall:
                shapes.append(
                    f'<rect class="{verdict}" x="{x:.1f}" y="{y:.1f}" width="{step * 0.8:.1f}" height="{tall:.1f}"/>'
                )
        if place % every == 0:
            label = f"{run.when:%Y-%m-%d}" if run.when else run_name(run)
            shapes.append(f'<text x="{x:.1f}" y="{_TALL + 28}">{markup(label, 14)}</text>')
        bars.append(f"<g>{''.join(shapes)}</g>")
    scale = f'<text x="{_MARGIN - 6}" y="16" class="axis">{most:,}</text>'
    scale += f'<text x="{_MARGIN - 6}" y="{_TALL + 10}" class="axis">0</text>'
    scale += f'<path d="M{_MARGIN} {_TALL + 10}H{wide - _MARGIN}"/>'
    return (
        f'<svg class="runs" width="{wide}" height="{_TALL + 36}" viewBox="0 0 {wide} {_TALL + 36}" role="img" '
        f'aria-label="Number of cases by verdict, one bar per run; the table below has the numbers">'
        f"{scale}{''.join(bars)}</svg>"
    )


def _since(runs: Sequence[RunRecord]) -> str:
    if len(runs) < 2:
        return ""
    before, after = runs[-2:]
    changed = flips(before.cases, after.cases)
    items = "".join(
        f'<li>{markup(flip.case, 4000)}: {way_words(flip)} <span class="verdict {flip.after or ""}">'
        f"{flip_words(flip)[-1]}</span></li>"
        for flip in changed
    )
    notes = "".join(f"<p>{markup(words, 1000)}.</p>" for words in other_settings(before, after))
    listed = f"<ul>{items}</ul>" if items else ""
    return f"<h2>Since the run before the last one</h2><p>{since_words(changed)}.</p>{listed}{notes}"


def _table(runs: Sequence[RunRecord]) -> str:
    head = ("Run", "Verdict", *ORDER, "Changed cases", "Took", "wfgate", "Profile")
    rows = []
    for before, run in reversed(list(zip([None, *runs], runs, strict=False))):
        changed = flips(before.cases, run.cases) if before else ()
        cells = [
            run_link(run, "report" if run.url else "run"),
            f'<span class="verdict {run.verdict}">{VERDICTS[run.verdict]}</span>',
            *(f"{run.counts[verdict]:,}" for verdict in ORDER),
            markup(changed_names(changed), 1000),
            took_words(run.seconds),
            markup(run.version, 60),
            f'{markup(run.profile, 1000)} <code title="{markup(run.corpus, 80)}">{markup(run.corpus[:SHORT])}</code>',
        ]
        rows.append(
            "<tr>"
            + "".join(f'<td data-label="{name}">{cell}</td>' for name, cell in zip(head, cells, strict=True))
            + "</tr>"
        )
    heads = "".join(f'<th scope="col">{name}</th>' for name in head)
    return (
        f'<h2>Runs</h2><div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        "</div>"
    )
