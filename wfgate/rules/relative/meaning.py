"""Checks of matched steps: kind, meaning of the text, values of arguments."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from wfgate.compare import Comparison, Support
from wfgate.language import READ, Contradiction, MeaningScore, exchange, is_content, marked, tokens, whole_tokens
from wfgate.model import Task, listed, rewording
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, Wording, quoted, reworded


class TaskTypeChanged(RelativeCheck):
    """A step is of another kind.

    What it does:
        Reports steps whose kind (task, event, composite) changed. A changed action is reported by WR107.

    Why it matters:
        A step that waited for a person may now run by itself.

    Golden:
        ``{name: Approve the release, kind: event}``

    Candidate:
        ``{name: Approve the release, kind: task}``

    How to fix:
        Restore the kind of the step.
    """

    id: ClassVar[str] = "WR103"
    defect: ClassVar[str] = "step-type-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "value"
    rank: ClassVar[int] = 15
    changes_step: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step."""
        for position, other in comparison.pairs:
            golden, candidate = comparison.golden.tasks[position], comparison.candidate.tasks[other]
            step = _step(golden, candidate)
            if golden.kind != candidate.kind:
                message = f"{step} was {_KINDS[golden.kind]} and is now {_KINDS[candidate.kind]}"
                yield Observation(
                    message,
                    golden=(position,),
                    key=("kind", golden.kind, candidate.kind),
                    golden_value=golden.kind,
                    candidate_value=candidate.kind,
                )


class MeaningChanged(RelativeCheck):
    """The meaning of a step changed.

    What it does:
        The meaning model (a network that scores whether two texts mean the same) gives each changed step a p-value:
        the probability that a harmless rewording has such a low score. Steps with a p-value of at most 0.05 are
        reported (Holm-adjusted for the number of changed steps): as "changed meaning" if the case is blocked and the
        p-value is significant at the block rate, else as "probably changed meaning". In a case that passes, they are
        not reported. Also reports texts that contradict each other explicitly: opposites (enable, disable), exclusive
        kinds (staging, production), other numbers, units or bounds, an added or removed negation, a weakened
        requirement ("if possible"), a removed condition, another proper name or identifier. Also reports a step that
        keeps its words but lost a clause ("and stop if one is in use") or gained an action ("and drop the old
        tables"). A lost clause counts if half of the golden's steps keep their words: workflows written anew leave out
        what other steps say. A lost prohibition ("never use ...", "stop if ...", a sentence of a step with others)
        counts in any words, if nothing in the candidate says it. So does a step that decided (approve, confirm, stop)
        and now only informs, and one that became an example, an intention ("plan to ...") or a task of somebody else,
        and one with the same words in exchanged roles ("from A to B", "from B to A"), a part for a whole ("every
        table", "the largest tables"), another role that decides, a lost protection ("read-only"), a weaker word of
        force ("must", "should"; "only", "mostly"), a reversed preference ("use A rather than B"), a prohibition that
        is now ordered ("avoid"), an opposite convention ("singular", "plural"), another path of the same kind. Equal
        values in other words ("half an hour", "30 minutes") are not reported. Such a contradiction is at least a
        review, and blocks if the meaning model doubts the step, too. Arguments are compared by WR107.

    Why it matters:
        The step has its place and almost its text, but it does not do what was approved.

    Golden:
        Deploy to staging, wait at least 30 minutes

    Candidate:
        Deploy to production, wait at least 3 minutes

    How to fix:
        Restore the text or value of the golden, or approve the candidate.
    """

    id: ClassVar[str] = "WR106"
    defect: ClassVar[str] = "meaning-changed"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "text"
    rank: ClassVar[int] = 14
    changes_step: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield at most one observation per step."""
        for fate in comparison.fates_in_order:
            if fate.is_reported_changed:
                parts = [comparison.candidate.tasks[part] for part in fate.done_by or fate.shown_carriers]
                meaning = fate.support if fate.is_significant else None
                texts = fate.task.statement, fate.changed_text if fate.exact_changes else fate.text
                changed = _changed_meaning(fate.position, _step(fate.task, *parts), texts, fate.exact_changes, meaning)
                yield replace(changed, confirmed=fate.is_refuted)


_CHANGES = {
    "action": "another action",
    "condition": "another condition or order",
    "weakening": "a weaker requirement",
    "negation": "the opposite statement",
    "quantity": "another quantity",
    "target": "another object or place",
    "vague": "most of the content of its text is missing",
    "other": "another step",
}
"""Kinds of change that the meaning model distinguishes, for messages."""


def _changed_meaning(
    position: int,
    step: str,
    texts: tuple[str, str],
    changes: tuple[Contradiction, ...],
    meaning: Support | None,
) -> Observation:
    key = [f"{item.kind} {item.golden_words} {item.candidate_words}".casefold() for item in changes]
    key = key or [" ".join(texts[1].casefold().split())]
    rate = meaning.rate if meaning else None
    if changes:
        clauses = dict.fromkeys(_clause(item, texts) for item in changes)  # two words of one identifier are one change
        how = f": {listed(list(clauses))}"
    else:
        how = f": {_kind_of_change(meaning.score, texts)}" if meaning and meaning.score.change else ""
    how += f" (p <= {rate:.2g})" if rate else ""
    surely, probably = (f"{step} {words}{how}" for words in ("changed meaning", "probably changed meaning"))
    golden, candidate = marked(*texts)
    wording = Wording(golden=golden, candidate=candidate, p_value=rate)
    return Observation(
        surely if changes else probably,
        golden=(position,),
        key=("text", *key),
        wording=wording,
        established=surely,
        exact=bool(changes),
    )


def _kind_of_change(score: MeaningScore, texts: tuple[str, str]) -> str:
    """Return the most likely kind of change, with the words that indicate the change most."""
    kind = _CHANGES[score.change or "other"]
    golden, candidate = score.telling
    telling = all(any(map(is_content, tokens(words))) for words in (golden, candidate))  # not "and" or "the"
    if score.change in {"vague", "other"} or not telling or golden.casefold() == candidate.casefold():
        return kind
    was, now = _exchange(golden, candidate, texts)
    return f"{kind}, '{now}' instead of '{was}'"


_KINDS = {"task": "a task", "event": "an event", "composite": "a sub-workflow"}


def _step(golden: Task, *candidate: Task) -> str:
    if len(candidate) == 1:
        return reworded(golden, candidate[0])
    return quoted(golden) + rewording(listed([quoted(part) for part in candidate]))


def _clause(change: Contradiction, texts: tuple[str, str]) -> str:
    was, now = _exchange(change.golden_words, change.candidate_words, texts)
    if not was:
        return f"'{now}' was added"
    if not now:
        return f"'{was}' was removed"
    return f"'{was}' became '{now}'"


def _exchange(was: str, now: str, texts: tuple[str, str]) -> tuple[str, str]:
    """Return contradicting words as they stand in the texts: 'eu-west-1', not 'west'."""
    was, now = (" ".join(words.split()) for words in (whole_tokens(was, *texts), whole_tokens(now, *texts[::-1])))
    return exchange(was, now, READ)
