"""Checks of references: duplicate ids, undefined ids, duplicate links."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import ClassVar

from wfgate.model import END, START, Workflow, listed
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted


class DuplicateId(AbsoluteCheck):
    """Two steps have the same id.

    What it does:
        Reports ids that two steps or gateways share, steps and gateways with the reserved ids START and END, and
        sub-workflows with the same name.

    Why it matters:
        Links refer to steps by id. If two steps have the same id, every link leads to the first step, and the second
        step has no links.

    Golden:
        ``{id: build, name: Build}``, ``{id: test, name: Test}``

    Candidate:
        ``{id: build, name: Build}``, ``{id: build, name: Test}``

    How to fix:
        Give the second step a unique id, and change the links that should lead to the second step.
    """

    id: ClassVar[str] = "WF002"
    defect: ClassVar[str] = "duplicate-id"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per id that is used twice."""
        sharing: defaultdict[str, list[int]] = defaultdict(list)
        for position, task in enumerate(subject.tasks):
            sharing[task.id].append(position)
        gateways = Counter(gateway.id for gateway in subject.workflow.gateways)
        for name in sorted({*sharing, *gateways}):
            tasks = sharing.get(name, [])
            if name in {START, END}:
                message = f"{listed(subject.named(tasks)) or 'a gateway'} has the reserved id {name}"
                yield Observation(message, tuple(tasks), key=(name,))
            elif len(tasks) + gateways[name] > 1:
                who = listed([*subject.named(tasks), *["a gateway"] * gateways[name]])
                location = subject.tasks[tasks[1]].span if len(tasks) > 1 else None
                yield Observation(f"{who} have the same id '{name}'", tuple(tasks), location=location)
        for name, times in sorted(Counter(part.name for part in subject.workflow.subworkflows).items()):
            if times > 1:
                yield Observation(f"{times} sub-workflows have the same name '{name}'", key=("sub-workflow", name))


class UndefinedReference(AbsoluteCheck):
    """A link refers to a step that does not exist.

    What it does:
        Reports links and data links whose source or target is not a step, a gateway, START or END. Also reports links
        with the target START or the source END. Composites whose sub-workflow is not in the file are reported by
        WF501.

    Why it matters:
        The flow stops at this link, or the engine rejects the file.

    Golden:
        ``test`` needs ``build``, and there is a step ``build``.

    Candidate:
        ``test`` needs ``biuld``, and there is no step of that name.

    How to fix:
        Correct the name, or add the missing step.
    """

    id: ClassVar[str] = "WF003"
    defect: ClassVar[str] = "undefined-reference"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per undefined reference."""
        workflow = subject.workflow
        known = subject.known
        flow = dict.fromkeys((link.source, link.target, "link", link.span) for link in workflow.links)
        data = dict.fromkeys((link.source, link.target, "data link", link.span) for link in workflow.data_links)
        reported = set()
        for source, target, kind, span in (*flow, *data):
            if (source, target, kind) in reported:
                continue
            reported.add((source, target, kind))
            wrong = kind == "link" and (source == END or target == START)
            if source in known and target in known and not wrong:
                continue
            tasks = tuple(subject.number[end] for end in (source, target) if end in subject.number)
            ends = tuple(_kind(end, subject, workflow) for end in (source, target))
            message = f"a {kind} leads from {_end(source, subject)} to {_end(target, subject)}"
            if kind == "data link" and target in known:
                message = f"{_end(target, subject)} reads data of {_end(source, subject)}"
            if wrong:
                message += ": no link may lead into START or out of END"
            else:
                missing = [f"'{end}'" for end in (source, target) if end not in known]
                message += f", but there is no step {' and no step '.join(missing)}"
            yield Observation(message, tasks, key=(kind, *ends), location=span)


class DuplicateLink(AbsoluteCheck):
    """A link is duplicated.

    What it does:
        Reports links with the same source, target, condition and outcome.

    Why it matters:
        With token semantics the target step runs twice. With other semantics the copy is easily overlooked at the next
        change.

    Golden:
        ``build -> test``

    Candidate:
        ``build -> test``, ``build -> test``

    How to fix:
        Delete the copy, or correct its source or target.
    """

    id: ClassVar[str] = "WF004"
    defect: ClassVar[str] = "duplicate-link"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per pair of steps with a duplicate link."""
        seen = set()
        reported = set()
        for link in subject.workflow.links:
            content = (link.source, link.target, link.guard, link.outcome, link.back)
            ends = (link.source, link.target)
            if content in seen and ends not in reported:
                reported.add(ends)
                kinds = tuple(_kind(end, subject, subject.workflow) for end in ends)
                if "?" in kinds:
                    continue
                tasks = tuple(subject.number[end] for end in ends if end in subject.number)
                message = f"the link from {_end(ends[0], subject)} to {_end(ends[1], subject)} is duplicated"
                yield Observation(message, tasks, key=kinds, location=link.span)
            seen.add(content)


def _kind(end: str, subject: Subject, workflow: Workflow) -> str:
    if end in {START, END}:
        return end
    if end in subject.number:
        return "task"
    return "gateway" if any(gateway.id == end for gateway in workflow.gateways) else "?"


def _end(end: str, subject: Subject) -> str:
    if end in {START, END}:
        return end
    return quoted(subject.tasks[subject.number[end]]) if end in subject.number else f"'{end}'"
