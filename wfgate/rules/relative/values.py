"""Checks that every value of the file is as in the golden: of steps, of composites, of the workflow."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.compare import Comparison, Differences, shown_path
from wfgate.model import Task, listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity
from wfgate.rules.relative.handler_change import loop_changes
from wfgate.rules.relative.value_words import observations


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
        for pair in comparison.derived(Differences).steps:
            yield from observations(comparison, pair)


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
        differences = comparison.derived(Differences)
        seen: set[tuple[object, ...]] = set()
        for pair in differences.settings:
            for observation in observations(comparison, pair):
                value = (pair.steps, *observation.key[2:])
                if not pair.steps or value not in seen:  # a composite and its sub-workflow have the same name
                    yield observation
                seen.add(value)
            golden, candidate = pair.golden, pair.candidate
            if isinstance(golden, Task) and isinstance(candidate, Task):
                key = ("composite", golden.name, "loop")
                yield from loop_changes(comparison, golden, candidate, pair.steps, key)
        for pair in differences.gateways:
            yield from observations(comparison, pair)


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
        structure = comparison.derived(Differences).structure
        paths = dict.fromkeys(shown_path((*(each.paths[0] or ()), *each.change.path)) for each in structure)
        if paths:
            message = f"the flow is written in another way ({listed(list(paths))}), but no check finds a change"
            yield Observation(message, key=("structure", *paths))
