"""The view of one case: reasons and advice first, then the picture, the severity, and the differences as text."""

from collections.abc import Iterable, Sequence

from wfgate.decide import CaseResult, GateResult
from wfgate.show import advice, wording
from wfgate.show.advice import Command
from wfgate.show.escape import markup
from wfgate.show.html.overview import before_words, decision_buttons, rarity_scale, severity_scale
from wfgate.show.html.trajectory import trajectory
from wfgate.show.picture.changes import DrawnStep, link_changes, step_changes, touched_steps, value_findings
from wfgate.show.picture.focus import focused
from wfgate.show.picture.scene import NAMES, Picture, Pieces
from wfgate.show.picture.svg import legend, svg
from wfgate.show.picture.text import link_words, summary
from wfgate.show.picture.views import pair_views
from wfgate.show.steps import KEPT, STATES
from wfgate.show.view import CaseView, ReasonView, RunCase

CAP = 60
"""Findings and messages listed at a case."""
NAME = 4000
"""Characters shown of a name or a path: as long as one may be on a disk."""
WHOLE = 10_000
"""Characters shown of a text of a step."""
Rows = Sequence[Sequence[str]]
"""Rows of a table; the cells are HTML."""


def case_view(view: RunCase, place: int) -> str:
    """Return the view of a case as HTML.

    Args:
        view: The case.
        place: Number of the case on the page.
    """
    case, result = view.case, view.result
    whole = case.verdict in {"pass", "inconclusive"}
    words = view.headline if whole else "; ".join(filter(None, [view.title, view.severity]))
    after = f' · <a href="#case-{place + 1}">Next case</a>' if place + 1 < len(result.cases) else ""
    head = (
        f'<p class="back"><a href="#overview">All cases</a>{after}</p>'
        f'<h2 tabindex="-1"><span class="verdict {case.verdict}">{view.verdict}</span> '
        f"{markup(case.id + view.accepted, NAME)}</h2>{decision_buttons(view, place)}"
        f"<p><strong>{markup(words, 700)}</strong></p>"
        f"<p>{markup(case.candidate, NAME)} against {markup(case.golden, NAME)}{_before(case, result)}</p>"
    )
    pair = case.pair
    touched = touched_steps(case.findings)
    pictures = pair_views(pair.golden, pair.candidate, pair.alignment, case.steps, touched) if pair else ()
    parts = [head, _why(view), _todo(view), _picture(pictures), _severity(view)]
    parts.append(_words(pictures[0], case) if pictures else _steps(view))
    parts += [_metrics(view), _diagnostics(view)]
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


def _why(view: CaseView) -> str:
    if view.case.error is not None:
        return ""
    items = [_item(markup(one.sentence, 900), one) for one in view.why]
    others = [
        _item(f"{one.severity}: {markup(one.reason.message, 900)}{'; the golden has it too' * one.is_old}", one)
        for one in view.others
    ]
    said = f"<h3>Why</h3>{_list(items)}" if items else ""
    steps = [markup(step.words) + _texts(wording.exchanged(step.golden, step.candidate)) for step in view.unnamed]
    said += f"<h4>Other changed steps</h4>{_list(steps)}" if steps else ""
    return said + (
        f"<details><summary>Other findings ({len(others):,})</summary>{_list(others)}</details>" if others else ""
    )


def _item(said: str, one: ReasonView) -> str:
    finding = one.finding
    if finding is None:
        return said
    facts = [f"<code>{finding.id}</code> {finding.defect}"]
    facts += [f"fingerprint <code>{markup(finding.fingerprint, 80)}</code>"]
    facts += [f"proof: {markup(' → '.join(finding.witness), 600)}"] * bool(finding.witness)
    summary = f"<summary>{markup(str(one.place)) if one.place else 'Details'}</summary>"
    return f'{said}{_texts(one.sides())}<details class="facts">{summary}{" · ".join(facts)}</details>'


def _texts(sides: wording.Sides) -> str:
    return "".join(
        f'<span class="text"><b>{side}</b> {_marked(pieces, "del" if side == "golden" else "ins")}</span>'
        for side, pieces in sides
    )


def _severity(view: RunCase) -> str:
    case, result = view.case, view.result
    rows = [
        ("Severity", view.estimate, severity_scale(view)),
        ("Kinds of damage", view.kinds, ""),
        ("p-value", view.evidence, "" if case.outside else rarity_scale(view)),
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


def _todo(view: RunCase) -> str:
    said: list[str] = []
    told: set[str | Command] = set()
    for sentence in view.todo:
        said.append(
            "".join(_command(part) if isinstance(part, Command) else markup(part, 900) for part in sentence.parts)
        )
        told |= set(sentence.parts)
    left = [(label, command) for label, command in view.commands if command not in told]
    further = _list([f"{markup(label)}: {_command(command)}" for label, command in left])
    if said and further:
        further = f"<details><summary>Further commands ({len(left)})</summary>{further}</details>"
    parts = [_list(said), further]
    if entries := advice.waiver_entries(view.case):
        shown = "\n".join(markup(line, 4000) for line in entries.splitlines())
        parts.append(
            "<details><summary>Accept it until a date: lines for wfgate-waivers.toml</summary><p>Complete these lines "
            'and add them to the file. <button type="button" data-do="copy">Copy</button> '
            f'<code class="entry">{shown}</code></p></details>'
        )
    return f'<h3>What to do</h3><div class="commands">{"".join(parts)}</div>' if any(parts) else ""


def _command(command: Command) -> str:
    line = markup(command.line, 4000)
    return f'<code class="command">{line}</code> <button type="button" data-do="copy">Copy</button>'


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


def _sides(step: DrawnStep) -> tuple[str, str]:
    return _marked(step.golden, "del"), " + ".join(_marked(text, "ins") for text in step.candidate)


def _steps(view: CaseView) -> str:
    """Return the steps as a table, the changed ones first, for results that do not contain the workflows."""
    kept = {STATES[state] for state in KEPT}
    rows = [tuple(markup(cell, WHOLE) for cell in row) for row in view.steps.rows]
    tables = _tables([row for row in rows if row[0] not in kept], [row for row in rows if row[0] in kept])
    return f"<h3>In words</h3>{tables}" if rows else ""


def _tables(changed: Rows, kept: Rows, between: str = "") -> str:
    """Return a table of changed steps, and one of the others, which is folded."""
    head = ("change", "golden", "candidate")
    shown = _table(head, changed) if changed else ""
    others = f"<summary>{wording.count(len(kept), 'step')} unchanged or reworded</summary>{_table(head, kept)}"
    return shown + between + (f"<details>{others}</details>" if kept else "")


def _metrics(view: RunCase) -> str:
    if not view.metrics:
        return ""
    rows = [(f"<code>{markup(metric)}</code>", markup(words)) for metric, words in view.metrics]
    result = view.result
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


def _diagnostics(view: CaseView) -> str:
    if not view.messages:
        return ""
    items = [markup(f"{places}: {one.severity}: {one.message}", 900) for places, one in view.messages]
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
