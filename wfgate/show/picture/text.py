"""The comparison of a golden and a candidate as text for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.text import Text

from wfgate.language import short_names, windows
from wfgate.rules import Finding
from wfgate.show.brief import value_parts
from wfgate.show.escape import visible
from wfgate.show.picture.changes import (
    ChangedLink,
    DrawnStep,
    link_changes,
    step_changes,
    touched_steps,
    value_findings,
)
from wfgate.show.picture.scene import NAMES, Picture, Pieces, Status
from wfgate.show.text import WHOLE, lines_of
from wfgate.show.wording import count, opening, sentence, waiver_words

SIGNS: dict[Status, str] = {
    "same": " ",
    "reworded": "~",
    "doubtful": "?",
    "probably-changed": "!",
    "changed": "!",
    "inside": "!",
    "missing": "-",
    "left-out": "-",
    "extra": "+",
}
"""Mark before a step."""
_STYLES: dict[Status, str] = {"missing": "red", "extra": "blue", "changed": "yellow", "probably-changed": "yellow"}
_STYLES |= {"doubtful": "yellow", "inside": "yellow"}
NAME = 48
"""Characters of a step's text at a link."""
SHORT = 60
"""Values with more characters get a line each."""
WIDE = 480
"""Most characters of each of two values."""
_LINK_SIGNS = {"inverted": "!", "gone": "-", "new": "+", "in another case": "!"}


def changes_text(picture: Picture, findings: Sequence[Finding] = (), *, width: int = 80, color: bool = False) -> str:
    """Return golden and candidate as text: each step with the step aligned with it, then links and values that differ.

    Args:
        picture: The picture of the pair.
        findings: The findings of the pair; those about values, which a picture does not show, are listed.
        width: Maximum width of a line.
        color: Whether to add ANSI colours.
    """
    links, values, touched = link_changes(picture), value_findings(findings), touched_steps(findings)
    steps = [
        replace(step, status="inside") if step.status == "same" and step.id in touched else step
        for step in step_changes(picture)
    ]
    golden, candidate = picture.sides
    lines: list[_Entry] = [
        (Text(f"golden     {visible(golden.title)}"), 11),
        (Text(f"candidate  {visible(candidate.title)}"), 11),
        (Text(""), 0),
    ]
    for step in steps:
        lines += _step(step)
    if links:
        lines += [(Text(""), 0), (Text("Links:"), 2)]
        short = short_names([end for link in links for end in (link.source, link.target)], NAME)
        lines += [(_link(link, short), 2) for link in links]
    if values:
        lines += [(Text(""), 0), (Text("Values:"), 2)]
        lines += [entry for finding in values for entry in _value(finding)]
    lines += [(Text(""), 0), (Text(summary(steps, links, values), style="bold"), 2)]
    return lines_of(lines, width=width, color=color)


def summary(steps: list[DrawnStep], links: list[ChangedLink], values: Sequence[Finding] = ()) -> str:
    """Return the number of steps by status, and the numbers of links and values that differ."""
    named = [(NAMES[status], sum(step.status == status for step in steps)) for status in NAMES]
    named.append(("moved", sum("moved" in step.notes for step in steps)))
    counted = [f"{number:,} {name}" for name, number in named if number]
    counts = ", ".join(counted) or "no steps"
    changed = [(len(links), "link"), (len(values), "value")]
    others = [f"{count(number, noun)} changed" for number, noun in changed if number]
    return "; ".join([counts, *others])


_Entry = tuple[Text, int]
"""A paragraph, and the indent of its continuation lines."""


def _step(step: DrawnStep) -> list[_Entry]:
    sign, style = SIGNS[step.status], _STYLES.get(step.status, "")
    named = [] if step.status in {"same", "reworded"} else [NAMES[step.status]]
    tail = Text(f"  ({', '.join([*named, *step.notes])})" if named or step.notes else "", style=style)
    golden, candidate = ("".join(text for text, _ in part) for part in (step.golden, sum(step.candidate, ())))
    if step.status in {"same", "missing", "left-out", "extra", "inside"} or golden == candidate:
        words = visible(golden or candidate, WHOLE)
        return [(Text(f"{sign} {words}", style=style).append_text(tail), 2)]
    was = Text(f"{sign} ", style=style).append_text(_marked(step.golden, "[-", "-]", "red"))
    now = Text("  now: ")
    for place, text in enumerate(step.candidate):
        now.append(" + " * bool(place)).append_text(_marked(text, "{+", "+}", "green"))
    return [(was, 2), (now.append_text(tail), 7)]


def _value(finding: Finding) -> Iterator[_Entry]:
    """Yield the message of a finding with the differing words of both values marked.

    Values that the message shortens get a line each.
    """
    sign, style = ("~", "") if finding.severity == "info" else ("!", "yellow")
    waiver = waiver_words(finding.waived)
    tail = Text(f"; {visible(waiver)}" if waiver else "")
    parts = value_parts(finding)
    if parts is None:
        yield Text(f"{sign} {visible(sentence(finding))}", style=style).append_text(tail), 2
        return
    before, values, after = opening(finding) + parts[0], *parts[1:]
    ours, theirs = windows(*values, WIDE, exact=True)
    if max(map(len, values)) > SHORT:
        yield Text(f"{sign} {visible(before.rstrip(': '))}:", style=style).append(visible(after)).append_text(tail), 2
        yield Text("  golden:    ").append_text(_marked(ours, "[-", "-]", "red")), 13
        yield Text("  candidate: ").append_text(_marked(theirs, "{+", "+}", "green")), 13
        return
    text = Text(f"{sign} {visible(before)}`", style=style)
    text.append_text(_marked(theirs, "{+", "+}", "green")).append("` instead of `")
    yield text.append_text(_marked(ours, "[-", "-]", "red")).append(f"`{visible(after)}").append_text(tail), 2


def _marked(pieces: Pieces, opening: str, closing: str, style: str) -> Text:
    text = Text()
    for piece, changed in pieces:
        words = visible(piece, WHOLE)
        kept = words.rstrip()
        text.append(f"{opening}{kept}{closing}" if changed else kept, style=style if changed else "")
        text.append(" " * (len(words) > len(kept)))
    text.rstrip()
    return text


def _link(link: ChangedLink, short: Mapping[str, str]) -> Text:
    link = replace(link, source=short[link.source], target=short[link.target])  # the steps are above in full
    sign = _LINK_SIGNS[link.change]
    style = {"inverted": "red", "gone": "red", "new": "blue"}.get(link.change, "yellow")
    return Text(f"{sign} {link_words(link)}", style=style)


def link_words(link: ChangedLink) -> str:
    """Return the words for a link that differs.

    Example:
        >>> link_words(ChangedLink("inverted", "Build", "Test", "", None))
        "'Build' -> 'Test': inverted now"
    """
    way = f"'{visible(link.source)}' -> '{visible(link.target)}'"
    when = link.golden if link.golden is not None else link.candidate
    case = f" ({visible(when)})" if when and link.change != "in another case" else ""
    if link.change == "inverted":
        return f"{way}{case}: inverted {'now' if link.golden is not None else 'before'}"
    if link.change == "in another case":
        was, now = (visible(words or "") or "always" for words in (link.golden, link.candidate))
        return f"{way}: was taken {was}, now {now}" if was != now else f"{way}: on another way"
    return f"{way}{case}: {'no longer there' if link.change == 'gone' else 'new'}"
