"""Checks that every value of the file is as in the golden: of steps, of composites, of the workflow."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from wfgate.compare import MISSING, Comparison, leaves_of, shown_path
from wfgate.model import Gateway, SourceSpan, Task, Workflow, listed, named
from wfgate.read import Class, Path, canonical_text
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, with_values
from wfgate.rules.relative.attachments import use_words
from wfgate.rules.relative.elements import composite_pairs, one_to_one, same_flow
from wfgate.rules.relative.handler_change import loop_changes
from wfgate.rules.relative.value_classes import Changed, Compared, Values
from wfgate.rules.relative.value_words import REMARK, code, in_prose, name_of, said_of, text_of, texts_of

_LEVELS: dict[Class, Severity] = {
    "effect": "error",
    "secret": "error",
    "argument": "warning",
    "identity": "warning",
    "unknown": "warning",
    "reference": "info",
    "structure": "info",
    "text": "info",
    "presentation": "info",
}
_NOTES: dict[Class, str] = {
    "unknown": " (wfgate does not know what this value is for)",
    "presentation": " (no effect on a run)",
}


class ValueChanged(RelativeCheck):
    """A value of a step differs from the golden.

    What it does:
        Compares all data of matched steps as written in the two files: every key, every list in its order, every
        script in every character except line feeds at the end. References to steps are compared by the step, not by
        its id. A table of the format says what a value is for, and which spellings of a value are the same (one item
        and its list, a short form and its mapping, a written default). A value that decides what runs, where, with
        which rights, or what happens on a failure is an error; a value of unknown purpose is a warning. Values that
        have no effect on a run are information; so are other comments and another layout of JavaScript and Python in
        the code nodes of n8n and Dify, if their tokens are certainly the same. Of a step that is missing or new, the
        values with an effect are reported; a script of a new step that only prints something (``cat VERSION``) is a
        warning, and so is a script with the lines of two steps merged into one. Texts are compared by WR106; links and
        conditions by other checks. If the two files have different formats, the actions, arguments and time limits are
        compared. In texts of any format, code in backticks, lines of code blocks and commands in quotes are compared,
        too, without the prompt of a shell. A command that is lost, new or has other words is an error if the rest of
        the text is the same. In a reworded text it is one if its words are exchanged one by one, or if it is lost and
        the candidate has most commands of the golden unchanged; then a new command is a warning. Other options or
        arguments in a reworded text, long options for short ones, another case, punctuation or white space are a
        warning. So is another target of the same link. The box of a cancelled item (``[-]``; if the golden is a plan
        of Kiro, it is progress) is an error; another new sign in a box is a warning, and so is a box that makes the
        item optional (``[ ]*``).

    Why it matters:
        A step can keep its name but run ``true``, use other rights, or ignore its failure.

    Golden:
        ``{name: Scan the image, params: {run: trivy image --exit-code 1 app}}``

    Candidate:
        ``{name: Scan the image, params: {run: trivy image app || true}}``

    How to fix:
        Restore the value, or review the new value and approve the candidate.
    """

    id: ClassVar[str] = "WR107"
    defect: ClassVar[str] = "value-changed"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "value"
    rank: ClassVar[int] = 60
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per changed value."""
        golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
        for position, other in comparison.pairs:
            yield from _observations(comparison, golden[position], candidate[other], (position,))
        values = comparison.derived(Values)
        for fate in comparison.fates_in_order:
            if fate.is_unaligned:
                yield from _observations(comparison, fate.task, values.twin(fate.task, 1), (fate.position,))
        for addition in comparison.additions:
            if addition.is_surplus or addition.is_unmatched:
                task = addition.task
                for observation in _observations(comparison, values.twin(task, 0), task, ()):
                    yield replace(observation, tasks=(addition.position,))


class SettingsChanged(RelativeCheck):
    """A setting of the workflow, or of a composite around a step, differs from the golden.

    What it does:
        Compares all data of the workflow, and of the composites (steps that call a sub-workflow) around each matched
        step, as WR107 compares the data of steps: triggers, permissions, environment, defaults, arguments, time limits
        and loops. Names and descriptions may be reworded; a contradiction ("staging", "production") is a warning. In
        Markdown these are headings, and items that contain steps; of the text around the steps, contradictions,
        sentences that switch off steps ("skip step 3", or "you may leave out the backup" beside a step that
        takes a backup) and other keys of the front matter (except for
        titles, authors and dates) are a warning. A name or
        heading above the steps that says that they are not done ("Out of scope") is an error. A sentence of this text
        that demands something (a prohibition, obligation, condition, quantity with a unit, command, order, or any
        sentence below a heading such as "Rollback", "Verification" or "Rules") and is gone is
        a warning; it is not gone if a new sentence has a third of its words. If it has, but means something else (the
        meaning model finds at most 5 % of harmless rewordings as different, Holm-adjusted for the number of such
        sentences), that is a warning, too. With several references, what all of them
        say is demanded, in the words of any of them. All other sentences that differ are one finding of the level
        info.

    Why it matters:
        The same steps may run on another event, in another environment, with more permissions or without a time limit.

    Golden:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: staging}}``

    Candidate:
        ``{name: deploy, kind: composite, workflow: rollout, params: {environment: production}}``

    How to fix:
        Restore the setting, or approve the candidate.
    """

    id: ClassVar[str] = "WR502"
    defect: ClassVar[str] = "settings-changed"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "value"
    rank: ClassVar[int] = 61
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per changed setting."""
        seen: set[tuple[object, ...]] = set()
        for golden, candidate, steps in _settings(comparison):
            for observation in _observations(comparison, golden, candidate, steps):
                value = (steps, *observation.key[2:])
                if not steps or value not in seen:  # a composite and its sub-workflow have the same name
                    yield observation
                seen.add(value)
            if isinstance(golden, Task) and isinstance(candidate, Task):
                yield from loop_changes(comparison, golden, candidate, steps, ("composite", golden.name, "loop"))
        for was, now in comparison.derived(Values).gateways():
            yield from _observations(comparison, was, now, ())


class FlowRewritten(RelativeCheck):
    """The flow is written in another way, and no other check reports a difference.

    What it does:
        Reports that values which define links, conditions or ids differ, although all steps are matched and no other
        check explains it. Not reported if the flows are provably the same: equal links, logically equivalent
        conditions.

    Why it matters:
        The difference may be harmless, but it is not proven that it is.

    Golden:
        ``depends: scan.Succeeded && test.Succeeded``

    Candidate:
        ``depends: scan.Succeeded || test.Succeeded``

    How to fix:
        Compare the two flows, and approve the candidate if they are the same.
    """

    id: ClassVar[str] = "WR504"
    defect: ClassVar[str] = "flow-rewritten"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "flow"
    rank: ClassVar[int] = 90
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield at most one observation."""
        if not one_to_one(comparison):
            return
        values = comparison.derived(Values)
        pairs: list[tuple[Compared, Compared]] = [(golden, other) for golden, other, _ in _settings(comparison)]
        pairs += [(comparison.golden.tasks[one], comparison.candidate.tasks[two]) for one, two in comparison.pairs]
        changes = [found for pair in pairs for found in values.changes(*pair) if found.kind == "structure"]
        paths = dict.fromkeys(shown_path((*(found.paths[0] or ()), *found.change.path)) for found in changes)
        if paths and not same_flow(comparison, values.translated):
            message = f"the flow is written in another way ({listed(list(paths))}), but no check finds a change"
            yield Observation(message, key=("structure", *paths))


def _settings(comparison: Comparison) -> Iterator[tuple[Compared, Compared, tuple[int, ...]]]:
    """Yield the files, and the composites around matched steps with their sub-workflows, each with its step."""
    yield (*comparison.files, ())
    for pair in composite_pairs(comparison):
        yield pair.golden, pair.candidate, (pair.step,)
        yield (*pair.parts, (pair.step,))


def _observations(
    comparison: Comparison, golden: Compared, candidate: Compared, steps: tuple[int, ...]
) -> Iterator[Observation]:
    """Yield the changed values of two elements; of an element without a counterpart, the values with an effect."""
    values, element = comparison.derived(Values), golden or candidate
    if element is None:
        return
    for changed in values.changes(golden, candidate):
        kind, both = changed.kind, (changed.change.golden, changed.change.candidate)
        empty = all(value is MISSING or not value for value in both)
        alone = (golden is None or candidate is None) and (_LEVELS[kind] == "info" or empty)
        renamed = bool(steps) and comparison.fates[steps[0]].is_relabelled  # no other check names it
        compared = (
            not renamed and kind == "text" and values.is_in_statements((golden, candidate), changed.change)
        )  # by the alignment
        if kind != "structure" and not alone and not compared:
            lone = isinstance(element, Task) and (golden is None or candidate is None)
            observation = _observation(values, element, changed, steps)
            yield replace(observation, about="step") if lone else observation


def _observation(
    values: Values, element: Workflow | Task | Gateway, changed: Changed, steps: tuple[int, ...]
) -> Observation:
    change, kind = changed.change, changed.kind
    place = values.place(changed)
    name = place or "its data"
    hidden = kind == "secret"
    path = next(path for path in changed.paths if path is not None)
    was, now = (None, None) if hidden else texts_of(change)
    spans = [
        None if path is None else file.span_of((*path, *change.path)) if values.written else _remark_span(file, value)
        for file, path, value in zip(values.files, changed.paths, (change.golden, change.candidate), strict=True)
    ]
    full = (*path, *change.path)
    purpose = values.table.purpose_of(full)
    note = f" ({purpose})" if purpose else _NOTES.get(kind, "")
    if changed.p_value is not None:
        note = f" ({100 * changed.p_value:.2g} % of harmless rewordings differ as much)"
    part, inner = values.part(changed)
    words, shown = (inner if part else name, change) if values.written else in_prose(name, change)
    said, both = said_of(words, shown, hidden=hidden)
    subject = named(part, part) if part else name_of(element)
    if change.path == (REMARK,) and change.candidate is MISSING:  # its words are compared, not its meaning
        said, both, note = f"is gone or reworded: {code(text_of(change.golden))}", "", ""
        subject = f"a {values.describes(change.golden)}"
    message, values_at = with_values(f"{subject} {said}", both, note)
    used = use_words(change, full, values.table)
    return Observation(
        used or message,
        golden=steps,
        key=(
            "value",
            "gateway" if isinstance(element, Gateway) else f"{type(element).__name__.lower()} {element.name}",
            name if steps else place if path == () else shown_path(full),
            *(_dump(value) for value in (change.golden, change.candidate)),
        ),
        severity=_LEVELS[kind],
        golden_location=spans[0],
        location=spans[1],
        golden_value=was,
        candidate_value=now,
        values_at=None if used else values_at,
        about=_about(values, changed, path),
    )


def _about(values: Values, changed: Changed, path: Path) -> Kind | None:
    """Return what a change is about, if not a value: a sentence around the steps, or what links and loops state."""
    change = changed.change
    if change.path == (REMARK,):
        return "text"
    at = (*path, *change.path)
    leaves = [leaf for value in (change.golden, change.candidate) for leaf, _ in leaves_of(value, at)]
    parts = {values.table.stated(leaf) for leaf in leaves}
    if parts - {None} and len(parts) == 1:
        return parts.pop()
    whole = values.table.stated(at)
    return None if whole == "guard" else whole  # a part of a choice that does more than to choose


def _remark_span(file: Workflow, value: Any) -> SourceSpan | None:
    """Return the position of the line with a sentence around the steps; None if it is not known."""
    sentence = value if isinstance(value, str) else ""
    lines = ((path[0], span) for path, span in file.spans.items() if len(path) == 1 and isinstance(path[0], str))
    return next((span for line, span in lines if sentence and sentence in str(line)), None)


def _dump(value: Any) -> str:
    return "" if value is MISSING else canonical_text(value)
