"""Says how a workflow breaks an own rule, and how sure that is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from wfgate.logic import Behaviour, BudgetSpentError, Formula, GuardSyntaxError, Node, parse
from wfgate.model import TaskGraph, Workflow, listed, named, reach
from wfgate.rules.base import quoted
from wfgate.rules.own.schema import MARKS, NamedStep, OwnRule
from wfgate.rules.own.steps import ALPHAS, Matches, StepFinder


class Breach(NamedTuple):
    """How a workflow breaks a rule.

    Attributes:
        message: What is wrong, with the names of the steps, marked.
        fix: How to correct the workflow.
        steps: The steps that it is about, the first one first.
        proven: Whether nothing about it is an estimate.
        doubtful: Whether an estimate is too weak to block.
        lacks: The step that is not there, if it is about one.
    """

    message: str
    fix: str
    steps: tuple[int, ...] = ()
    proven: bool = True
    doubtful: bool = False
    lacks: NamedStep | None = None


class _Relation(NamedTuple):
    """Whether one condition implies another, and whether that is certain."""

    holds: bool
    certain: bool = True


@dataclass(frozen=True)
class Subjected:
    """A workflow to which rules apply.

    Attributes:
        finder: Finds its steps.
        known_behaviour: The conditions under which its steps run; None computes them.
        alphas: The rates of a block and of a review.
    """

    finder: StepFinder
    known_behaviour: Behaviour | None = None
    alphas: tuple[float, float] = ALPHAS

    @property
    def workflow(self) -> Workflow:
        """The workflow, composites expanded."""
        return self.finder.workflow

    @cached_property
    def behaviour(self) -> Behaviour:
        """The conditions under which its steps run."""
        return self.known_behaviour or Behaviour.of(self.workflow)

    @cached_property
    def graph(self) -> TaskGraph:
        """The order of its steps."""
        return TaskGraph.of(self.workflow)

    def breaches(self, rule: OwnRule) -> Iterator[Breach]:
        """Yield how the workflow breaks a rule; nothing for a mark."""
        if rule.kind not in MARKS:
            yield from _KINDS[rule.kind](self, rule)

    def missing(self, step: NamedStep) -> tuple[Matches, bool, bool]:
        """Return the matches of a step, whether it is missing, and whether that is doubtful."""
        matches = self.finder.find(step)
        block, review = self.alphas
        return matches, not matches.exact and matches.p_value <= review, matches.p_value > block

    def name(self, step: int) -> str:
        """Return the name of a step in quotes, marked."""
        return quoted(self.workflow.tasks[step])

    def runs_only_with(self, step: int, others: Sequence[int], *, failing: bool) -> _Relation:
        """Return whether one of the others runs whenever a step runs; with `failing`, also if steps fail."""
        behaviour = self.behaviour
        conditions = [behaviour.runs[other] for other in others]
        first = behaviour.runs[step]
        if first is None or None in conditions:
            return _Relation(holds=False, certain=False)
        try:
            second = behaviour.space.some(one for one in conditions if one is not None)
            return _implied(behaviour, first, second, failing=failing)
        except BudgetSpentError:
            return _Relation(holds=False, certain=False)


def _implied(behaviour: Behaviour, first: Node, second: Node, *, failing: bool) -> _Relation:
    space, normal = behaviour.space, behaviour.selections.normal
    if not failing and normal:
        first, second = space.given(first, normal), space.given(second, normal)
    answer = space.always(space.either(space.contrary(first), second))
    if answer.value is None:  # opaque conditions: they cannot exclude a situation of a step that has none of them
        return _Relation(holds=False, certain=not any(variable.opaque for variable in space.support(first)))
    return _Relation(answer.value)


def _contains(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    for step in rule.steps:
        matches, missing, doubtful = subject.missing(step)
        if missing:
            yield _absence(subject, step, matches, doubtful=doubtful)


def _absence(subject: Subjected, step: NamedStep, matches: Matches, *, doubtful: bool) -> Breach:
    near = [subject.name(one) for one in matches.steps]
    which = named(_called(step), _called(step)) if step.text else f"with {step}"
    what = f"may lack the step {which}" if doubtful and not matches.certain else f"lacks a step {which}"
    now = f" (now {listed(near)})" if near and not matches.certain else ""
    unsure = doubtful and not matches.certain
    return Breach(f"it {what}{now}", "add the step", matches.steps, matches.certain, unsure, lacks=step)


def _called(step: NamedStep) -> str:
    return " ".join((step.text or "").split())


def _never(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    for step in rule.steps:
        for match in subject.finder.every(step):
            sure = match.how != "meaning"
            what = "has" if sure else "may have"
            yield Breach(
                f"it {what} the forbidden step {subject.name(match.step)}",
                "remove the step",
                (match.step,),
                sure,
                not sure,
            )


def _before(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    for first, second in zip(rule.steps, rule.steps[1:], strict=False):
        yield from _ordered(subject, first, second, backward=True)


def _after(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    later, earlier = rule.steps
    yield from _ordered(subject, later, earlier, backward=False)


def _ordered(subject: Subjected, demanded: NamedStep, anchor: NamedStep, *, backward: bool) -> Iterator[Breach]:
    """Yield each step of the anchor that can run without a demanded one before it (`backward`), or after it."""
    anchors = subject.finder.find(anchor)
    if not anchors.best:
        return
    others, missing, doubtful = subject.missing(demanded)
    if missing or not others.best:  # it may be there, but no step surely means it
        yield _absence(subject, demanded, others, doubtful=doubtful or not missing)
        return
    graph, behaviour = subject.graph, subject.behaviour
    where = "before" if backward else "after"
    for step in anchors.steps:
        on_side = [
            other
            for other in others.steps
            if other != step and graph.precedes(*((other, step) if backward else (step, other)))
        ]
        in_order = [one for one in on_side if not graph.precedes(*((step, one) if backward else (one, step)))]
        related = subject.runs_only_with(step, in_order, failing=backward)
        if related.holds and in_order:
            continue
        if len(in_order) < len(on_side) and _on_every_path(graph, step, on_side, backward=backward):
            continue  # in a loop: what is on every path to it has run
        if step in others.steps and len(others.steps) == 1:
            message = f"{subject.name(step)} does both steps, so none of them runs {where} the other"
        else:
            names = listed([subject.name(one) for one in others.steps if one != step])
            way = "can run without" if on_side else "runs without"
            message = f"{subject.name(step)} {way} {names} {where} it"
            if on_side and behaviour.conditional:
                message += f" (it runs {behaviour.words(step)}; {names} {behaviour.words(on_side[0])})"
        certain = (related.certain or not in_order) and bool(anchors.exact) and bool(others.exact)
        fix = f"let {'every path to the step' if backward else 'every path from the step'} lead through the other one"
        yield Breach(message, fix, (step, *others.steps[:1]), certain, not certain)


def _on_every_path(graph: TaskGraph, step: int, through: Sequence[int], *, backward: bool) -> bool:
    """Return whether each path from the start to a step (from it to the end) leads through one of some steps."""
    without = {*through}
    near = graph.successors if backward else graph.predecessors
    ends = graph.starts if backward else graph.ends
    reached = reach(
        [one for one in ends if one not in without], lambda one: [n for n in near[one] if n not in without]
    )
    return step not in reached


def _only_if(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    condition = rule.only_if or ""
    matches = subject.finder.find(rule.steps[0])
    guards = {
        link.guard.expr: link.guard.language for link in subject.workflow.links if link.guard and link.guard.expr
    }
    formulas = [one for language in sorted({"plain", *guards.values()}) if (one := _parsed(condition, language))]
    if not formulas:  # the golden breaks such a rule, too, which is an error
        yield Breach(
            f"the condition `{_shown(condition)}` cannot be read", "correct the rule", proven=False, doubtful=True
        )
        return
    behaviour = Behaviour.of(subject.workflow, also=formulas)
    for step in matches.best:
        related = _guarded(behaviour, step.step, formulas)
        if related.holds:
            continue
        other_words = [
            one for text in subject.finder.means(condition, sorted(guards)) if (one := _parsed(text, guards[text]))
        ]
        if other_words and _guarded(behaviour, step.step, other_words).holds:
            continue
        certain = related.certain and step.how != "meaning"
        runs = behaviour.words(step.step)
        message = f"{subject.name(step.step)} must run only if `{_shown(condition)}`, and it runs {_if(runs)}"
        yield Breach(message, "give the step this condition", (step.step,), certain, not certain)


def _if(runs: str) -> str:
    return runs if runs in {"always", "never", "unknown"} or runs.startswith("unless ") else f"if {runs}"


def _shown(text: str) -> str:
    return " ".join(text.split())[:120]


def _parsed(text: str, language: str) -> Formula | None:
    try:
        return parse(text, language)  # type: ignore[arg-type]
    except GuardSyntaxError:
        return None


def _guarded(behaviour: Behaviour, step: int, formulas: Iterable[Formula]) -> _Relation:
    """Return whether a step runs only if one of some spellings of a condition holds."""
    runs = behaviour.runs[step]
    if runs is None:
        return _Relation(holds=False, certain=False)
    results = []
    for formula in formulas:
        try:
            results.append(_implied(behaviour, runs, behaviour.space.node(formula), failing=False))
        except BudgetSpentError:
            results.append(_Relation(holds=False, certain=False))
    return _Relation(any(one.holds for one in results), all(one.certain for one in results))


def _at_least(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    (step,), wanted = rule.steps, rule.at_least or 1
    matches = subject.finder.every(step)
    if len(matches) < wanted:
        names = f": {listed([subject.name(match.step) for match in matches], 5)}" if matches else ""
        message = f"it has {len(matches)} of at least {wanted} steps with {step}{names}"
        certain = subject.finder.find(step).certain and not (step.text and not step.same_words)
        yield Breach(message, "add the steps", tuple(match.step for match in matches), certain, not certain)


def _exactly_one_of(subject: Subjected, rule: OwnRule) -> Iterator[Breach]:
    each = [subject.finder.find(step) for step in rule.steps]
    there = [matches for matches in each if matches.best]
    if not there:
        sure = all(matches.certain for matches in each)
        options = listed([str(step) for step in rule.steps], 5)
        yield Breach(f"it has none of the steps {options}", "add one of the steps", (), sure, not sure)
    for place, one in enumerate(there):
        for other in there[place + 1 :]:
            for first in one.steps:
                for second in other.steps:
                    answer = subject.behaviour.exclusive(first, second)
                    if first != second and answer.value is not True:
                        certain = answer.value is False and bool(one.exact) and bool(other.exact)
                        names = f"{subject.name(first)} and {subject.name(second)}"
                        fix = "remove one of them, or give them conditions that exclude each other"
                        yield Breach(f"{names} can run together", fix, (first, second), certain, not certain)


_KINDS: Mapping[str, Callable[[Subjected, OwnRule], Iterator[Breach]]] = {
    "contains": _contains,
    "never": _never,
    "before": _before,
    "after": _after,
    "only_if": _only_if,
    "at_least": _at_least,
    "exactly_one_of": _exactly_one_of,
}
