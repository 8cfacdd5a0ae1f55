"""The view of one case: reasons and advice first, then the picture, the severity, and the differences as text."""

from collections.abc import Iterable, Sequence

from wfgate.decide import CaseResult, GateResult
from wfgate.rules import Finding
from wfgate.show import advice, brief, wording
from wfgate.show.escape import markup
from wfgate.show.html.overview import before_words, decision_buttons, rarity_scale, severity_scale
from wfgate.show.html.trajectory import trajectory
from wfgate.show.picture.changes import StepChange, link_changes, step_changes, touched_steps, value_findings
from wfgate.show.picture.focus import focused
from wfgate.show.picture.scene import NAMES, Picture, Pieces
from wfgate.show.picture.svg import legend, svg
from wfgate.show.picture.text import link_words, summary
from wfgate.show.picture.views import pair_views
from wfgate.show.steps import KEPT, STATES, step_rows, unnamed_steps
from wfgate.show.text import metric_words

CAP = 60
"""Findings and messages listed at a case."""
NAME = 4000
"""Characters shown of a name or a path: as long as one may be on a disk."""
WHOLE = 10_000
"""Characters shown of a text of a step."""
Rows = Sequence[Sequence[str]]
"""Rows of a table; the cells are HTML."""


def case_view(case: CaseResult, result: GateResult, place: int) -> str:
    """Return the view of a case as HTML.

    Args:
        case: The case.
        result: The result of the gate run.
        place: Number of the case on the page.
    """
    whole = case.verdict in {"pass", "inconclusive"}
    words = wording.headline(case) if whole else "; ".join(filter(None, [brief.title(case), wording.step_words(case)]))
    after = f' · <a href="#case-{place + 1}">Next case</a>' if place + 1 < len(result.cases) else ""
    head = (
        f'<p class="back"><a href="#overview">All cases</a>{after}</p>'
        f'<h2 tabindex="-1"><span class="verdict {case.verdict}">{wording.VERDICTS[case.verdict]}</span> '
        f"{markup(case.id + wording.accepted_words(case), NAME)}</h2>{decision_buttons(case, result, place)}"
        f"<p><strong>{markup(words, 700)}</strong></p>"
        f"<p>{markup(case.candidate, NAME)} against {markup(case.golden, NAME)}{_before(case, result)}</p>"
    )
    pair = case.pair
    touched = touched_steps(case.findings)
    pictures = pair_views(pair.golden, pair.candidate, pair.alignment, case.steps, touched) if pair else ()
    parts = [head, _why(case), _todo(case, result), _picture(pictures), _severity(case, result)]
    parts.append(_words(pictures[0], case) if pictures else _steps(case))
    parts += [_metrics(case, result), _diagnostics(case)]
    return "".join(
        f'<section id="case-{place}-{number}">{part}</section>' for number, part in enumerate(parts) if part
    )


def _before(case: CaseResult, result: GateResult) -> str:
    words = ", ".join(before_words(case, result))
    return f". Previous run: {words}" if words else ""


def _picture(pictures: Sequence[Picture]) -> str:
    """Return the changes alone, if that is less than the whole, and the pictures of the whole."""
    if not pictures:
        return ""
    changes = focused(pictures[0])
    if changes is None and all(picture.refused for picture in pictures):
        return f"<h3>Golden and candidate</h3><p>{markup(pictures[0].refused)}. The steps are listed below.</p>"
    named = {str(place): picture for place, picture in enumerate(pictures)}
    if changes is not None:
        named = {"changes": changes, **named}
    views = "".join(
        f'<div class="view" data-view="{name}"{" hidden" if place else ""}>{svg([picture], alone=False)}</div>'
        for place, (name, picture) in enumerate(named.items())
    )
    looks = [("changes", "Changes")] * (changes is not None)
    looks += [("0", "Whole picture")] * (len(named) > 1) + [("1", "Fold composites")] * (len(pictures) > 1)
    buttons = "".join(
        f'<button type="button" data-look="{name}" aria-pressed="{str(not place).lower()}">{words}</button>'
        for place, (name, words) in enumerate(looks)
    )
    if pictures[0].changed:
        buttons += (
            '<button type="button" data-do="previous" aria-label="Previous change">↑</button>'
            '<button type="button" data-do="next">Next change</button><output class="at"></output>'
        )
    buttons += (
        '<button type="button" data-do="out" aria-label="Smaller">−</button>'  # noqa: RUF001 - the sign, not a hyphen
        '<button type="button" data-do="in" aria-label="Larger">+</button>'
        '<button type="button" data-do="fit">Fit</button><button type="button" data-do="full">100 %</button>'
    )
    return (
        '<h3>Golden and candidate</h3><div class="tools" role="toolbar" aria-label="Picture">' + buttons + "</div>"
        '<div class="canvas" role="region" tabindex="0" aria-label="Picture of golden and candidate; arrow keys go '
        'from step to step and to the partner, n to the next change, plus and minus zoom">' + views + "</div>"
        f'<ul class="legend keys" aria-label="Legend">{legend(pictures)}</ul>'
        '<p class="legend">Point at a step to see its partner, and its whole text if it is cut'
        " (the table below has it too). Fit shows all of a large picture."
        + " Press a box of unchanged steps to see them in the whole picture." * (changes is not None)
        + " Press a folded composite, or Enter on it, to open it." * (len(pictures) > 1)
        + "</p>"
    )


def _why(case: CaseResult) -> str:
    if case.error is not None:
        return ""
    items = [_item(markup(wording.sentence(reason), 900), case, case.finding_of(reason)) for reason in case.reasons]
    left = wording.findings_left(case)
    others = [
        _item(
            f"{finding.severity}: {markup(finding.message, 900)}"
            + ("; the golden has it too" if finding.pre_existing else ""),
            case,
            finding,
        )
        for finding in left
    ]
    said = f"<h3>Why</h3>{_list(items)}" if items else ""
    steps = [
        markup(step.words) + _texts(wording.exchanged(step.golden, step.candidate)) for step in unnamed_steps(case)
    ]
    said += f"<h4>Other changed steps</h4>{_list(steps)}" if steps else ""
    return said + (
        f"<details><summary>Other findings ({len(left):,})</summary>{_list(others)}</details>" if left else ""
    )


def _item(said: str, case: CaseResult, finding: Finding | None) -> str:
    if finding is None:
        return said
    place = wording.place_of(case, finding)
    facts = [f"<code>{finding.id}</code> {finding.defect}"]
    facts += [f"fingerprint <code>{markup(finding.fingerprint, 80)}</code>"]
    facts += [f"proof: {markup(' → '.join(finding.witness), 600)}"] * bool(finding.witness)
    texts = _texts(wording.side_by_side(case, finding))
    summary = f"<summary>{markup(str(place)) if place else 'Details'}</summary>"
    return f'{said}{texts}<details class="facts">{summary}{" · ".join(facts)}</details>'


def _texts(sides: wording.Sides) -> str:
    return "".join(
        f'<span class="text"><b>{side}</b> {_marked(pieces, "del" if side == "golden" else "ins")}</span>'
        for side, pieces in sides
    )


def _severity(case: CaseResult, result: GateResult) -> str:
    rows = [
        ("Severity", wording.severity_words(case), severity_scale(case, result)),
        ("Kinds of damage", wording.kinds_words(case), ""),
        ("p-value", wording.evidence_words(case, result), "" if case.outside else rarity_scale(case, result)),
    ]
    listed = "".join(
        f"<dt>{name}</dt><dd>{markup(words, 700)} {scale}</dd>" for name, words, scale in rows if words is not None
    )
    if not listed and not case.evidence:
        return ""
    pieces = [
        (
            f"<code>{markup(piece.id)}</code>",
            f"{piece.value:.3f}",
            f"{'at most ' * wording.is_smallest(piece.p_value, result)}{wording.percent(piece.p_value)}",
        )
        for piece in sorted(case.evidence, key=lambda piece: piece.p_value)
        if piece.value
    ]
    table = _table(("evidence", "value", "p-value"), pieces) if pieces else ""
    return f"<h3>Severity</h3><dl>{listed}</dl>" + (
        (f"<details><summary>Evidence</summary>{table}</details>" if table else "") + trajectory(case, result)
    )


def _todo(case: CaseResult, result: GateResult) -> str:
    left = dict.fromkeys(advice.commands(case, result))
    said = []
    for sentence in advice.todo_words(case, result):
        command = next((command for command in left if command[1] in sentence), None)
        if command is None:
            said.append(markup(sentence, 900))
            continue
        del left[command]
        before, line, after = sentence.partition(command[1])
        said.append(f"{markup(before, 900)}{_command(line)}{markup(after, 900)}")
    further = _list([f"{markup(label)}: {_command(line)}" for label, line in left])
    if said and further:
        further = f"<details><summary>Further commands ({len(left)})</summary>{further}</details>"
    parts = [_list(said), further]
    if entries := advice.waiver_entries(case):
        shown = "\n".join(markup(line, 4000) for line in entries.splitlines())
        parts.append(
            "<details><summary>Accept it until a date: lines for wfgate-waivers.toml</summary><p>Complete these lines "
            'and add them to the file. <button type="button" data-do="copy">Copy</button> '
            f'<code class="entry">{shown}</code></p></details>'
        )
    return f'<h3>What to do</h3><div class="commands">{"".join(parts)}</div>' if any(parts) else ""


def _command(line: str) -> str:
    return f'<code class="command">{markup(line, 4000)}</code> <button type="button" data-do="copy">Copy</button>'


def _words(picture: Picture, case: CaseResult) -> str:
    """Return the content of the picture as text: a table of steps, the changed ones first, and a list of links."""
    steps, links = step_changes(picture), link_changes(picture)
    said = summary(steps, links, [finding for finding in value_findings(case.findings) if finding.is_open])
    listed = f"<h4>Links that differ</h4>{_list([markup(link_words(link), 700) for link in links])}" if links else ""
    changed: list[Sequence[str]] = []
    kept: list[Sequence[str]] = []
    for step in steps:
        into = kept if step.status in KEPT and not step.notes else changed
        into.append((", ".join([NAMES[step.status], *step.notes]), *_sides(step)))
    return f"<h3>In words</h3><p>{markup(said)}</p>{_tables(changed, kept, listed)}"


def _sides(step: StepChange) -> tuple[str, str]:
    return _marked(step.golden, "del"), " + ".join(_marked(text, "ins") for text in step.candidate)


def _steps(case: CaseResult) -> str:
    """Return the steps as a table, the changed ones first, for results that do not contain the workflows."""
    kept = {STATES[state] for state in KEPT}
    rows = [tuple(markup(cell, WHOLE) for cell in row) for row in step_rows(case)]
    tables = _tables([row for row in rows if row[0] not in kept], [row for row in rows if row[0] in kept])
    return f"<h3>In words</h3>{tables}" if rows else ""


def _tables(changed: Rows, kept: Rows, between: str = "") -> str:
    """Return a table of changed steps, and one of the others, which is folded."""
    head = ("change", "golden", "candidate")
    shown = _table(head, changed) if changed else ""
    others = f"<summary>{wording.count(len(kept), 'step')} unchanged or reworded</summary>{_table(head, kept)}"
    return shown + between + (f"<details>{others}</details>" if kept else "")


def _metrics(case: CaseResult, result: GateResult) -> str:
    if not case.metrics:
        return ""
    rows = [(f"<code>{markup(score.metric)}</code>", markup(metric_words(score))) for score in case.metrics]
    signature = result.tool.signature
    origin = (
        f"wfgate {result.tool.version}; embedder {signature.embedder}; meaning model {signature.meaning_model}; "
        f"alignment {signature.alignment}; evidence {signature.evidence}; metrics {', '.join(signature.metrics)}; "
        f"profile {result.profile.source}, corpus {result.profile.corpus}, made by wfgate {result.profile.tool}"
    )
    return (
        f"<details><summary>Metrics and versions</summary>{_table(('metric', 'value'), rows)}"
        f'<p class="legend">{markup(origin, 2000)}</p></details>'
    )


def _diagnostics(case: CaseResult) -> str:
    if not case.diagnostics:
        return ""
    merged = wording.merged_diagnostics(case.diagnostics)
    items = [markup(f"{places}: {one.severity}: {one.message}", 900) for places, one in merged]
    return f"<details><summary>Messages of the readers ({len(items):,})</summary>{_list(items)}</details>"


def _marked(pieces: Pieces, tag: str) -> str:
    return "".join(
        f"<{tag}>{markup(piece.rstrip(), WHOLE)}</{tag}>{' ' * piece[-1:].isspace()}"
        if changed
        else markup(piece, WHOLE)
        for piece, changed in pieces
    )


def _list(items: Sequence[str]) -> str:
    if not items:
        return ""
    more = [f"and {len(items) - CAP:,} more; see the JSON report"] if len(items) > CAP else []
    return f"<ul>{''.join(f'<li>{item}</li>' for item in [*items[:CAP], *more])}</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are HTML. On a narrow screen each row is a card with the column names as labels."""
    heads = "".join(f'<th scope="col">{name}</th>' for name in head)
    lines = "".join(
        "<tr>"
        + "".join(f'<td data-label="{name}">{cell}</td>' for name, cell in zip(head, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
