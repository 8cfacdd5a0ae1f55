"""Words and pictures about runs and about what changed between two of them, for the page and for `wfgate history`."""

from collections import Counter
from collections.abc import Iterator, Sequence

from wfgate.decide import Flip, RunRecord
from wfgate.show.escape import markup
from wfgate.show.wording import VERDICTS, count

SHORT = 8
"""Characters shown of a commit, and of the fingerprint of a profile's corpus."""
NAMED = 5
"""Changed cases that are named for each run."""
_SINCE = {
    "block": "newly blocked",
    "inconclusive": "newly inconclusive",
    "review": "newly for review",
    "pass": "newly passing",
}


def kind_of(flip: Flip) -> str | None:
    """Return what became of a case: "newly blocked", "newly passing", "new", "gone", ...; None if nothing."""
    if flip.before == flip.after:
        return None
    if flip.before is None:
        return "new"
    return "gone" if flip.after is None else _SINCE[flip.after]


def flip_words(flip: Flip) -> Sequence[str]:
    """Return the verdict of a case before, if it had one, and what became of it, if anything did.

    Example:
        >>> flip_words(Flip(case="a", before="pass", after="block"))
        ['PASS', 'newly blocked']
    """
    kind = kind_of(flip)
    return [VERDICTS[flip.before] if flip.before else "none", *([kind] if kind else [])]


def way_words(flip: Flip) -> str:
    """Return the verdicts before and after.

    Example:
        >>> way_words(Flip(case="a", before="pass", after="block"))
        'PASS -> BLOCK'
    """
    before, after = (VERDICTS[verdict] if verdict else "none" for verdict in (flip.before, flip.after))
    return f"{before} -> {after}"


def since_words(changed: Sequence[Flip]) -> str:
    """Return how many cases changed, by kind.

    Example:
        >>> since_words([Flip(case="a", before="pass", after="block"), Flip(case="b", before=None, after="pass")])
        '1 case newly blocked, 1 case new'
    """
    kinds = Counter(kind for flip in changed if (kind := kind_of(flip)))
    parts = [f"{count(kinds[kind], 'case')} {kind}" for kind in (*_SINCE.values(), "new", "gone") if kinds[kind]]
    return ", ".join(parts) or "no verdict changed"


def other_settings(before: RunRecord, after: RunRecord) -> Iterator[str]:
    """Yield what else differs between two runs and can change verdicts: the version, the profile."""
    if before.version != after.version:
        yield f"wfgate was {before.version}, now {after.version}"
    if (before.profile, before.corpus) != (after.profile, after.corpus):
        yield f"the profile was {profile_name(before)}, now {profile_name(after)}"


def profile_name(run: RunRecord) -> str:
    """Return the name of the profile of a run, and the first digits of the fingerprint of its corpus."""
    return f"{run.profile} ({run.corpus[:SHORT]})"


def took_words(seconds: float | None) -> str:
    """Return how long a run took; empty if it is unknown.

    Example:
        >>> took_words(3.25), took_words(754.0), took_words(9000), took_words(None)
        ('3.2 s', '13 min', '2.5 h', '')
    """
    if seconds is None:
        return ""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def changed_names(changed: Sequence[Flip]) -> str:
    """Return the names of the cases that changed, as far as `NAMED`.

    Example:
        >>> changed_names([Flip(case="a", before="pass", after="block")])
        'a (PASS -> BLOCK)'
    """
    named = [f"{flip.case} ({way_words(flip)})" for flip in changed[:NAMED]]
    return ", ".join([*named, *([f"and {len(changed) - NAMED:,} more"] if len(changed) > NAMED else [])])


def run_name(run: RunRecord) -> str:
    """Return the name of a run: its time, its branch or tag, its commit; the file if nothing of this is known."""
    when = f"{run.when:%Y-%m-%d %H:%M}" if run.when else ""
    return " ".join(filter(None, [when, run.ref or "", (run.commit or "")[:SHORT]])) or run.source


def run_link(run: RunRecord, words: str) -> str:
    """Return words about a run as HTML, linked to its report if its address is known, and its name."""
    linked = f'<a href="{markup(run.url, 4000)}" rel="noreferrer noopener">{words}</a>' if run.url else words
    name = run_name(run)
    return f"{linked} ({markup(name, 300)})" if name else linked
