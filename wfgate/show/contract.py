"""The output of `wfgate contract`, and what `wfgate approve` says about the contract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from textwrap import wrap
from typing import Any

from wfgate.compare import Contract, Wording, greedy_cover
from wfgate.language import READ, Marked, one_text, windows
from wfgate.model import Task, Workflow, listed, members, plain
from wfgate.rules import quoted
from wfgate.show.escape import visible

WIDTH = 80
SHOWN = 8
"""Number of listed steps, or pairs of steps, in a line."""


@dataclass(frozen=True)
class SharedContract:
    """A contract with the names of the references that it comes from.

    Attributes:
        golden: The first reference, composites expanded.
        names: The names of the references, that of the golden first.
        marks: What the marks of the golden leave free.
        freedoms: What each further reference leaves free.
        critical: The critical steps of the golden.
    """

    golden: Workflow
    names: tuple[str, ...]
    marks: Contract
    freedoms: tuple[Contract, ...]
    critical: frozenset[int]

    @cached_property
    def contract(self) -> Contract:
        """What all references together leave free."""
        return reduce(or_, self.freedoms, self.marks)

    @cached_property
    def unordered(self) -> list[list[int]]:
        """The steps with which each step may run in any order."""
        return [members(steps) for steps in self.contract.unordered(len(self.golden.tasks))]

    def lacking(self, step: int) -> list[str]:
        """Return the names of the references that lack a step."""
        return [name for name, free in self._named if step in free.optional | free.lacking]

    def differing(self, step: int) -> list[str]:
        """Return the names of the references that have other numbers in a step."""
        return [name for name, free in self._named if free.free_values.get(step)]

    def wordings(self, step: int) -> list[tuple[str, Wording, bool]]:
        """Return the other wordings of a step: the reference, the wording, and whether it may demand less."""
        return [
            (name, each, step in free.weaker) for name, free in self._named for each in free.wordings.get(step, ())
        ]

    @property
    def additional(self) -> list[tuple[str, str]]:
        """The additional steps of the references, each with the name of the reference."""
        return [(name, _name(task)) for name, free in self._named for task in free.additional]

    @property
    def differences(self) -> list[tuple[str, str]]:
        """The further differences that are free, each with the name of the reference."""
        return [(name, text) for name, free in self._named for text in free.approved.values() if text]

    @property
    def _named(self) -> Iterator[tuple[str, Contract]]:
        return zip(self.names[1:], self.freedoms, strict=True)


def contract_text(shared: SharedContract) -> str:
    """Return the contract in words, at most 80 columns wide: first what the references leave free, then the rest.

    Of another wording only the differences are shown, and only if it may demand less.
    """
    golden = shared.golden.tasks
    others = f", and of {listed(shared.names[1:], SHOWN)}" if shared.names[1:] else ""
    lines = [f"Contract of {shared.names[0]} (the golden){others}"]
    free = [step for step in range(len(golden)) if _leaves_free(shared, step)]
    decided = [line for step in free for line in _step_lines(shared, step)]
    decided += [f"Allowed in addition: {text} ({name})" for name, text in shared.additional]
    decided += [f"Allowed difference: {text} ({name})" for name, text in shared.differences]
    kept = [line for step in range(len(golden)) if step not in free for line in _step_lines(shared, step)]
    if decided and kept:
        decided, kept = ["Now free, as the references differ (check this):", *decided], ["Still required:", *kept]
    indent = " " * (len(str(len(golden))) + 2)
    return "\n".join(
        part
        for line in (*lines, *decided, *kept)
        for part in wrap(visible(line, 2000), WIDTH, subsequent_indent=_hang(line, indent))
    )


def _hang(line: str, indent: str) -> str:
    """Return the indent of the continuation lines."""
    return indent + "  " * line.startswith(" " * len(indent))


def _leaves_free(shared: SharedContract, step: int) -> bool:
    """Return whether a further reference lacks a step, joins it, may demand less of it, or has another number."""
    weaker = any(less for _, _, less in shared.wordings(step))
    contract = shared.contract
    return bool(weaker or shared.lacking(step) or contract.free_values.get(step) or step in contract.joined)


def _step_lines(shared: SharedContract, step: int) -> Iterator[str]:
    golden, contract = shared.golden.tasks, shared.contract
    digits = len(str(len(golden)))
    clauses = [f"{_name(golden[step])}: {_demand(shared, step)}"]
    if step in contract.joined:
        clauses.append("another step may run its commands")
    if numbers := sorted(contract.free_values.get(step, ())):
        clauses.append(f"{listed(numbers, SHOWN)} may be as in {listed(shared.differing(step), SHOWN)}")
    if same := sum(not less for _, _, less in shared.wordings(step)):
        clauses.append(f"{same} other {'wording' if same == 1 else 'wordings'}")
    if partners := shared.unordered[step]:
        every = len(partners) == len(golden) - 1
        clauses.append(f"in any order with {'all others' if every else listed(_numbers(partners), SHOWN)}")
    yield f"{step + 1:>{digits}}. {'; '.join(clauses)}"
    for name, each, less in shared.wordings(step):
        if less:
            text = one_text([part.statement for part in each])
            was, now = windows(golden[step].statement, text, READ)
            marked = f"{_marked(was, '[-', '-]')} -> {_marked(now, '{+', '+}')}"
            yield f"{' ' * (digits + 2)}{name} may demand less: {marked}"


def _marked(pieces: Marked, opening: str, closing: str) -> str:
    return "".join(f"{opening}{text}{closing}" if changed else text for text, changed in pieces)


def contract_record(shared: SharedContract) -> dict[str, Any]:
    """Return the JSON form: `wfgate.contract/1`."""
    contract = shared.contract
    ids = [task.id for task in shared.golden.tasks]
    return {
        "schema": "wfgate.contract/1",
        "references": list(shared.names),
        "steps": [
            {
                "id": task.id,
                "name": task.name,
                "required": step not in contract.optional,
                "critical": step in shared.critical,
                "missing_in": shared.lacking(step),
                "wordings": [
                    {"reference": name, "steps": [part.statement for part in each], "may_demand_less": weaker}
                    for name, each, weaker in shared.wordings(step)
                ],
                "free_values": sorted(contract.free_values.get(step, ())),
                "any_order_with": [ids[other] for other in shared.unordered[step]],
            }
            for step, task in enumerate(shared.golden.tasks)
        ],
        "additional": [{"reference": name, "step": text[1:-1]} for name, text in shared.additional],
        "differences": [{"reference": name, "message": text} for name, text in shared.differences],
    }


def freed_lines(golden: Workflow, free: Contract) -> list[str]:
    """Return what an approval makes free, and what stays required; warnings about critical steps come last.

    Args:
        golden: The first reference, composites expanded.
        free: What the approval makes free.
    """
    named = [_name(task) for task in golden.tasks]
    lines = [f"step {named[step]} becomes optional" for step in sorted(free.optional)]
    lines += [f"another step may run the commands of step {named[step]}" for step in sorted(free.joined)]
    steps = range(len(named))
    for step, others in greedy_cover(dict(enumerate(free.unordered(len(named)))), steps):
        names = listed([named[other] for other in members(others)])
        lines.append(f"the order of {named[step]} and {names} becomes free")
    for step, numbers in sorted(free.free_values.items()):
        lines += [
            f"'{number}' in step {named[step]} may be as it is here, no other value" for number in sorted(numbers)
        ]
    for step in sorted(free.weaker & free.wordings.keys()):
        texts = [listed([_name(part) for part in each]) for each in free.wordings[step]]
        lines.append(f"step {named[step]} may become {' or '.join(texts)}, which may demand less")
    lines += [f"step {_name(task)} may be added" for task in free.additional]
    lines += [f"this may differ, too: {text}" for text in free.approved.values() if text]
    if lines or free.lacking:
        required = [named[step] for step in steps if step not in free.optional]
        lines = [*(["now free:"] if lines else []), *(f"- {line}" for line in lines)]
        lines.append(f"still required: {listed(required, SHOWN) if required else 'no step'}")
    for step in sorted(free.lacking):
        lines.append(f"warning: the critical step {named[step]} is lost here, but stays required")
    if free.lacking:
        lines.append("  fix: keep the step, or mark it `optional: true` in the first reference")
    return [visible(line, 700) for line in lines]


def _demand(shared: SharedContract, step: int) -> str:
    optional = step in shared.contract.optional
    reasons = ["marked"] if step in shared.marks.optional else []
    if lacking := shared.lacking(step):
        reasons.append(f"missing in {listed(lacking, SHOWN)}")
    words = "optional" if optional else "required, critical" if step in shared.critical else "required"
    return f"{words} ({'; '.join(reasons)})" if reasons else words


def _numbers(steps: Sequence[int]) -> list[str]:
    return [str(step + 1) for step in steps]


def _name(task: Task) -> str:
    """Return a step's name in quotes, without marks."""
    return plain(quoted(task))
