"""The first view of the HTML page: the number of cases by verdict, a table of the cases, and the decisions on them."""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence

from wfgate.decide import REASON, CaseResult, Flip, GateResult, Verdict, flips, record_of
from wfgate.show import comparison, wording
from wfgate.show.escape import markup, visible
from wfgate.show.runs import SHORT, flip_words, other_settings, run_link, since_words, way_words
from wfgate.show.view import RunCase, RunView
from wfgate.show.wording import count, percent, percent_range

_COLUMNS = (
    ("place", "Verdict"),
    ("name", "Case"),
    ("", "Why"),
    ("severity", "Severity"),
    ("rare", "p-value"),
    ("found", "Rules"),
    ("corpus", "Reference"),
    ("before", "Previous run"),
    ("decision", "Decision"),
)
"""Sort key and name of each column."""
FLIPS = 60
"""Cases listed whose verdict differs from the previous run."""
_LEAST = (0.1, 0.3, 0.5)
"""End of a command that needs a reason."""
_SCALE = 100
"""Width of a scale, in its own units."""


def worst_first(run: RunView) -> list[RunCase]:
    """Return the cases, the worst verdict first, then the highest severity, then the lowest p-value."""
    place = {verdict: number for number, verdict in enumerate(wording.VERDICTS)}
    return sorted(run.cases, key=lambda one: (place[one.case.verdict], -_share(one.case), _p_value(one.case)))


def _share(case: CaseResult) -> float:
    """Return the estimated share that degraded; 0 if the p-value is above alpha_review."""
    return case.severity.estimate if case.severity is not None and case.degradation else 0.0


def _p_value(case: CaseResult) -> float:
    return 1.0 if case.p_value is None else case.p_value


def overview(views: Sequence[RunCase], run: RunView) -> str:
    """Return the head of the page and the table.

    Args:
        views: The cases, in the order of the table.
        run: The run.
    """
    result = run.result
    head = (
        f'<header><h1>wfgate: <span class="verdict {result.verdict}">{run.verdict}</span></h1>'
        f"<p><strong>{markup(run.summary)}</strong></p>{_origin(result)}</header>\n"
    )
    about = f"{_since(views, result)}{_together(run)}"
    promise = f'<p class="legend">Promise: {markup(run.promise, 2000)}.</p>'
    columns = _columns(views, result)
    rows = "".join(_row(place, view, columns) for place, view in enumerate(views))
    heads = "".join(
        f'<th scope="col" class="{by}" aria-sort="none"><button type="button" data-by="{by}">{name}</button></th>'
        if by not in {"", "decision"}
        else f'<th scope="col" class="{by or "why"}">{name}</th>'
        for by, name in columns
    )
    if not views:
        return f'{head}<main id="overview">{about}<p>There are no cases.</p>{promise}</main>\n'
    return (
        f'{head}<main id="overview">{about}{_counts(result)}{_filters(views)}'
        f'<div class="wide" role="region" aria-label="Cases" tabindex="0"><table id="cases"><thead><tr>{heads}</tr>'
        f'</thead><tbody>{rows}</tbody></table></div><p><button type="button" id="more" hidden></button></p>'
        f"{_legend(result)}{promise}"
        "<noscript><p>Pictures and details need JavaScript; nothing is loaded from elsewhere.</p></noscript></main>\n"
    )


def _columns(views: Sequence[RunCase], result: GateResult) -> list[tuple[str, str]]:
    """Return the columns that say anything."""
    left = {"before"} if result.previous is None else set()
    left |= {"corpus"} if len({view.corpus for view in views}) < 2 else set()
    left |= {"decision"} if not any(view.accept for view in views) else set()
    return [(by, name) for by, name in _COLUMNS if by not in left]


def _origin(result: GateResult) -> str:
    """Return HTML about the run: when, on which branch and commit, with which version and profile."""
    parts = []
    origin = result.origin
    if origin is not None and origin.when is not None:
        parts.append(f'<time datetime="{origin.when:%Y-%m-%dT%H:%MZ}">{origin.when:%Y-%m-%d %H:%M} UTC</time>')
    if origin is not None and origin.ref:
        parts.append(f"branch or tag <b>{markup(origin.ref, 300)}</b>")
    if origin is not None and origin.commit:
        parts.append(f'commit <code title="{markup(origin.commit, 80)}">{markup(origin.commit[:SHORT])}</code>')
    if origin is not None and origin.url:
        parts.append(f'<a href="{markup(origin.url, 4000)}" rel="noreferrer noopener">the run</a>')
    parts.append(f"wfgate {markup(result.tool.version, 80)}, profile {markup(result.profile.source, 300)}")
    return f'<p class="legend">{" · ".join(parts)}</p>'


def decision_buttons(view: RunCase, place: int) -> str:
    """Return two buttons that accept and refuse a case; empty if it cannot be accepted."""
    if view.accept is None:
        return ""
    buttons = "".join(
        f'<button type="button" data-decide="{word.lower()}" data-case="{place}" aria-pressed="false">{word}</button>'
        for word in ("Accept", "Refuse")
    )
    return f'<span class="decide" role="group" aria-label="Decision on {markup(view.case.id, 120)}">{buttons}</span>'


def decided() -> str:
    """Return the HTML of the list of commands for what was accepted and refused; the script fills it."""
    return (
        '<section id="decided" aria-label="Decisions" hidden><p><output id="decisions"></output> Nothing is done yet: '
        "run these commands in a checkout of this branch on your own machine. "
        '<button type="button" data-do="copy">Copy</button> '
        '<label>Reason (three words or more) <input id="reason" autocomplete="off" maxlength="500"></label></p>'
        '<code class="entry" tabindex="0"></code></section>\n'
    )


def _decision_data(view: RunCase) -> str:
    """Return attributes with the command for an accepted case, and that for a refused one, which only says so."""
    if view.accept is None:
        return ""
    case, command = view.case, view.accept.line
    # No comment: some shells run what follows a `#` that is typed in.
    said = f"refused: {visible(case.id, 300)} ({visible(case.candidate, 300)}): correct it or generate it again"
    needs = ' data-reason=""' * command.endswith(REASON)
    accept = markup(command.removesuffix(REASON), 10_000)
    return f' data-accept="{accept}"{needs} data-refuse="{markup(f"echo {shlex.quote(said)}", 10_000)}"'


def _since(views: Sequence[RunCase], result: GateResult) -> str:
    """Return HTML about the previous run: where it is, and which verdicts changed since; empty without one."""
    if result.previous is None:
        return ""
    now = record_of(result)
    place_of = {view.case.id: place for place, view in reversed(list(enumerate(views)))}
    changed = flips(result.previous.cases, now.cases)
    items = [f"<li>{_flip_name(flip, place_of)}: {way_words(flip)}</li>" for flip in changed[:FLIPS]]
    if len(changed) > FLIPS:
        items.append(f"<li>and {len(changed) - FLIPS:,} more: sort the table by “Previous run”</li>")
    listed = f"<ul>{''.join(items)}</ul>"
    if len(changed) > 5:
        listed = f"<details><summary>{count(len(changed), 'case')}</summary>{listed}</details>"
    said = "".join(f" {markup(words, 900)}." for words in other_settings(result.previous, now))
    return (
        f'<section id="since"><p>Since the {run_link(result.previous, "previous run")}: '
        f"{since_words(changed)}.{said}</p>{listed if changed else ''}</section>"
    )


def _flip_name(flip: Flip, place_of: Mapping[str, int]) -> str:
    name = markup(flip.case, 300)
    return f'<a href="#case-{place_of[flip.case]}">{name}</a>' if flip.case in place_of else name


def before_words(case: CaseResult, result: GateResult) -> Sequence[str]:
    """Return the verdict of a case in the previous run and what became of it, as HTML; empty without such a run.

    A history has one verdict for all samples of a case, so the words say that they are about all of them.
    """
    if result.previous is None:
        return ()
    group = result.group_of(case.id)
    own, now = (group.id, group.verdict) if group else (case.id, case.verdict)
    then = result.previous.cases.get(own)
    words = flip_words(Flip(case=own, before=then, after=now))
    return words if group is None else (f"all samples: {words[0]}", *(f"together {change}" for change in words[1:]))


def _together(run: RunView) -> str:
    """Return HTML about the run: comparison with a previous release, lost steps, samples, notes."""
    against = [run.against] if run.against is not None else []
    notes = [*run.release_notes(verbose=True), *against, *map(str, run.to_do), *run.notes()]
    lost = [f"{step.case}: {step.words}" for step in run.lost]
    samples = [f"{wording.VERDICTS[verdict]} {words}" for verdict, words in run.samples]
    return "".join(
        [
            _comparison(run.table) if run.table else "",
            _listed(notes),
            f"<p>{run.lost_title}</p>{_listed(lost[: comparison.STEPS])}" if lost else "",
            _more(len(lost) - comparison.STEPS),
            f"<details{' open' * (len(samples) < 6)}><summary>Samples</summary>{_listed(samples)}</details>"
            if samples
            else "",
        ]
    )


def _comparison(rows: Sequence[comparison.ReleaseRow]) -> str:
    """Return the table of the comparison with a previous release."""
    heads = "".join(f'<th scope="col">{name}</th>' for name in comparison.HEAD)
    lines = "".join(
        f'<tr><th scope="row">{cut(row.case, 120)}</th><td>{row.old}</td><td>{row.new}</td><td>{markup(row.p)}</td>'
        f'<td><span class="verdict {row.verdict}">{wording.VERDICTS[row.verdict]}</span> {markup(row.why)}</td></tr>\n'
        for row in rows
    )
    return f'<div class="wide"><table id="release"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'


def _listed(said: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{markup(words, 900)}</li>' for words in said)}</ul>" if said else ""


def _more(number: int) -> str:
    return f"<p>and {number:,} more: see the JSON report</p>" if number > 0 else ""


def _counts(result: GateResult) -> str:
    items = "".join(
        f'<button type="button" class="count {verdict}" data-only="{verdict}" aria-pressed="false">'
        f"<b>{result.count(verdict):,}</b> {wording.VERDICTS[verdict].lower()}</button>"
        for verdict in wording.VERDICTS
    )
    return f'<div class="counts" role="group" aria-label="Cases by verdict">{items}</div>'


def _filters(views: Sequence[RunCase]) -> str:
    verdicts: list[Verdict] = [name for name in wording.VERDICTS if any(view.case.verdict == name for view in views)]
    rules = sorted({rule for view in views for rule in _rules(view.case)})
    corpora = sorted({view.corpus for view in views})
    return (
        '<form id="filters" role="search" aria-label="Filter the cases">'
        '<label>Text <input type="search" id="by-text" autocomplete="off"></label>'
        + _choice("by-verdict", "Verdict", [(name, wording.VERDICTS[name]) for name in verdicts])
        + _choice("by-severity", "Severity", [(str(least), f"{percent(least)} or more") for least in _LEAST])
        + _choice("by-finding", "Rule", [(name, f"{wording.rule_words(name)} ({name})") for name in rules])
        + _choice("by-corpus", "Reference", [(name, name) for name in corpora])
        + f'<button type="reset">Show all</button><output id="shown">{count(len(views), "case")}</output></form>'
    )


def _rules(case: CaseResult) -> list[str]:
    """Return the rules of the reasons of a case, and of its findings that say more than that nothing is affected."""
    reasons = {reason.rule for reason in case.reasons if case.verdict != "pass"}
    return sorted(reasons | {one.id for one in case.findings if one.is_open})


def _choice(own: str, name: str, options: Iterable[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{markup(value, 10_000)}">{markup(said, 60)}</option>' for value, said in options)
    return f'<label>{name} <select id="{own}"><option value="">any</option>{listed}</select></label>'


def _row(place: int, view: RunCase, columns: Sequence[tuple[str, str]]) -> str:
    case, result = view.case, view.result
    estimate, rare, rules = _share(case), _p_value(case), _rules(case)
    named = dict.fromkeys(wording.rule_words(rule) for rule in rules)
    counts = markup(view.severity or "") if case.degradation else ""
    why = view.headline if case.verdict == "pass" else view.first_reason
    corpus = view.corpus
    before = before_words(case, result)
    cells = {
        "severity": f"{counts} {severity_scale(view)}",
        "rare": rarity_scale(view),
        "found": cut(", ".join(named), 90),
        "corpus": cut(corpus, 60),
        "before": ", ".join(before),
        "decision": decision_buttons(view, place),
        "": cut(why, 240),
    }
    listed = "".join(f'<td data-label="{name}">{cells[by]}</td>' for by, name in columns[2:])
    changed = "" if result.previous is None else f' data-before="{len(before) < 2:d}"'
    return (
        f'<tr data-place="{place}" data-verdict="{case.verdict}" data-severity="{estimate:g}" data-rare="{rare:g}" '
        f'data-found="{" ".join(rules)}" data-corpus="{markup(corpus, 10_000)}" '
        f'data-name="{markup(case.id)}"{changed}{_decision_data(view)}>'
        f'<td data-label="Verdict"><span class="verdict {case.verdict}">{view.verdict}</span></td>'
        f'<th scope="row"><a href="#case-{place}">{cut(case.id, 120)}</a></th>{listed}</tr>\n'
    )


def cut(text: str, limit: int) -> str:
    """Return a text as HTML; if it is longer than `limit`, its beginning, and the whole text where people point."""
    shown = markup(text, limit)
    return shown if len(text) <= limit else f'<span title="{markup(text, 4000)}">{shown}</span>'


def severity_scale(view: RunCase) -> str:
    """Return an HTML scale from 0 to 100 % with severity, 90 % interval, and the policy's severity threshold."""
    case = view.case
    if case.severity is None or not case.degradation or case.verdict == "inconclusive":
        return '<span class="none">-</span>'
    estimate, low, high = case.severity.estimate, case.severity.low, case.severity.high
    limit = view.result.policy.block_severity
    said = f"about {percent(estimate)}, {percent_range(low, high)}"
    mark = f'<path class="limit" d="M{limit * _SCALE:.1f} 1V15"/>' if limit else ""
    return (
        f'<svg class="scale" viewBox="-3 0 {_SCALE + 6} 16" role="img" aria-label="{markup(said)}">'
        f'<path class="axis" d="M0 8H{_SCALE}"/>'
        f'<path class="range" d="M{low * _SCALE:.1f} 8H{max(high * _SCALE, low * _SCALE + 0.1):.1f}"/>{mark}'
        f'<circle cx="{estimate * _SCALE:.1f}" cy="8" r="3.4"/></svg><span class="said">{markup(said)}</span>'
    )


def rarity_scale(view: RunCase) -> str:
    """Return a logarithmic HTML scale with the p-value, the review threshold and the block threshold."""
    case, result = view.case, view.result
    if case.p_value is None or case.outside:
        return f'<span class="none">{cut(view.outside or "-", 120)}</span>'
    least = max(min(result.profile.least_p_value, result.promise.alpha_block) / 2, 1e-6)

    def at(share: float) -> float:
        return _SCALE * math.log(max(share, least)) / math.log(least)

    marks = "".join(
        f'<path class="limit" d="M{at(alpha):.1f} 1V15"/>'
        for alpha in (result.promise.alpha_review, result.promise.alpha_block)
    )
    floor = "at most " if wording.is_smallest(case.p_value, result) else ""
    said = floor + percent(case.p_value, result.promise.alpha_block)
    return (
        f'<svg class="scale" viewBox="-3 0 {_SCALE + 6} 16" role="img" aria-label="{markup(said)} of rewordings">'
        f'<path class="axis" d="M0 8H{_SCALE}"/>{marks}<circle cx="{at(case.p_value):.1f}" cy="8" r="3.4"/></svg>'
        f'<span class="said">{markup(said)}</span>'
    )


def _legend(result: GateResult) -> str:
    limit = result.policy.block_severity
    floor = f"the mark: blocked from {percent(limit)} on; " if limit else ""
    block, review = percent(result.promise.alpha_block), percent(result.promise.alpha_review)
    return (
        '<p class="legend">Severity: the share of the workflow that degraded, with its 90 % interval, from 0 to '
        f"100 %; {floor}p-value: the share of harmless rewordings that differ at least as much "
        f"(logarithmic, smaller to the right); the marks: reviewed at {review}, blocked at {block}.</p>"
    )
