"""The comparison of a golden and a candidate as text for a terminal."""

from rich.text import Text

from wfgate.report.escape import visible
from wfgate.report.picture.changes import ChangedLink, StepChange, link_changes, step_changes
from wfgate.report.picture.scene import Picture, Pieces, Status
from wfgate.report.text import lines_of
from wfgate.report.wording import count

SIGNS: dict[Status, str] = {
    "same": " ",
    "reworded": "~",
    "drifted": "!",
    "missing": "-",
    "extra": "+",
    "merged": ">",
    "split": "<",
    "changed": "!",
}
"""Mark before a step."""
NAMES: dict[Status, str] = {
    "same": "the same",
    "reworded": "reworded",
    "drifted": "changed meaning",
    "missing": "missing",
    "extra": "added",
    "merged": "merged",
    "split": "split",
    "changed": "changed inside",
}
"""Names of statuses."""
_STYLES: dict[Status, str] = {"missing": "red", "extra": "blue", "drifted": "yellow", "merged": "magenta"}
_STYLES |= {"split": "magenta", "changed": "yellow", "reworded": "", "same": ""}
_LINK_SIGNS = {"inverted": "!", "gone": "-", "new": "+", "in another case": "!"}


def changes_text(picture: Picture, *, width: int = 80, color: bool = False) -> str:
    """Return golden and candidate as text: each step with the step aligned with it, then the links that differ.

    Args:
        picture: The picture of the pair.
        width: Maximum width of a line.
        color: Whether to add ANSI colours.
    """
    steps, links = step_changes(picture), link_changes(picture)
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
        lines += [(_link(link), 2) for link in links]
    lines += [(Text(""), 0), (Text(summary(steps, links), style="bold"), 2)]
    return lines_of(lines, width=width, color=color)


def summary(steps: list[StepChange], links: list[ChangedLink]) -> str:
    """Return the number of steps by status."""
    counted = [
        f"{number:,} {name}"
        for status, name in NAMES.items()
        if (number := sum(1 for step in steps if step.status == status))
    ]
    counts = ", ".join(counted) or "no steps"
    return f"{counts}; {count(len(links), 'link')} changed" if links else counts


_Entry = tuple[Text, int]
"""A paragraph, and the indent of its continuation lines."""


def _step(step: StepChange) -> list[_Entry]:
    sign, style = SIGNS[step.status], _STYLES[step.status]
    if step.status in {"same", "missing", "extra", "changed"}:
        tail = {"missing": "  (missing)", "extra": "  (added)", "changed": "  (changed inside)"}.get(step.status, "")
        return [(Text(f"{sign} {plain(text)}{tail}", style=style), 2) for text in (step.golden or step.candidate)[:1]]
    if step.status in {"merged", "split"}:
        ours, theirs = (" + ".join(f"'{plain(text)}'" for text in side) for side in (step.golden, step.candidate))
        return [
            (Text(f"{sign} {ours}", style=style), 2),
            (Text(f"  became: {theirs} ({step.status})", style=style), 10),
        ]
    counts = Text(f"{sign} ", style=style).append_text(_marked(step.golden[0], "[-", "-]", "red"))
    now = Text("  now: ").append_text(_marked(step.candidate[0], "{+", "+}", "green"))
    if step.status == "drifted":
        now.append("  (changed meaning)", style=style)
    return [(counts, 2), (now, 7)]


def plain(pieces: Pieces) -> str:
    """Return a text, escaped for a terminal."""
    return visible("".join(piece for piece, _ in pieces))


def _marked(pieces: Pieces, opening: str, closing: str, style: str) -> Text:
    text = Text()
    for piece, changed in pieces:
        words = visible(piece)
        kept = words.rstrip()
        text.append(f"{opening}{kept}{closing}" if changed else kept, style=style if changed else "")
        text.append(" " * (len(words) > len(kept)))
    text.rstrip()
    return text


def _link(link: ChangedLink) -> Text:
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
        return f"{way}: was taken {was}, now {now}"
    return f"{way}{case}: {'no longer there' if link.change == 'gone' else 'new'}"
