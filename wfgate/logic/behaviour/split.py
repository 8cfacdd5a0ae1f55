"""The conditions under which the outgoing links of a node are taken."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from wfgate.logic.behaviour.flow import Flow
from wfgate.logic.behaviour.versions import versioned
from wfgate.logic.conditions.formula import ALWAYS, Atom, Formula, Term, every, negated, some
from wfgate.logic.conditions.languages import parse
from wfgate.logic.conditions.languages.node import GuardSyntaxError
from wfgate.model import Guard, Link

MAX_ROTATED = 8
"""Largest number of overlapping guards of an exclusive split for which a free choice is modelled."""

SplitKind = Literal["all", "one", "each"]


@dataclass(frozen=True)
class Selections:
    """The guards (conditions) of a flow, and the condition under which each link is taken.

    Attributes:
        flow: The flow.
        guards: The guard of each link as written; None for links without one.
        broken: The syntax errors of guards, by link. A guard with a syntax error counts as an unknown condition.
        taken: The condition under which each link is taken after its source has run. It includes the outcome of the
            source and the guards of the other outgoing links.
        normal: The value "success" for each term that represents the outcome of a step.
    """

    flow: Flow
    guards: tuple[Formula | None, ...]
    broken: dict[int, GuardSyntaxError]
    taken: tuple[Formula, ...] = ()
    normal: dict[str, str | bool] = field(default_factory=dict)

    @classmethod
    def of(cls, flow: Flow) -> "Selections":
        """Return the selections of a flow. Cost: linear in links; per split cubic, for up to `MAX_ROTATED` links."""
        broken: dict[int, GuardSyntaxError] = {}
        guards: list[Formula | None] = []
        for place, (_, _, link) in enumerate(flow.links):
            try:
                guards.append(read_guard(link.guard))
            except GuardSyntaxError as problem:
                broken[place] = problem
                guards.append(unread(link.guard))
        read = cls(
            flow, versioned(flow, guards), broken
        )  # versions are internal; `guards` of the result are as written
        taken: list[Formula] = [ALWAYS] * len(flow.links)
        normal: dict[str, str | bool] = {}
        names: Counter[str] = Counter()
        for node in range(flow.n):
            if read.is_plain(node):
                continue
            for links in read.siblings(node):
                choice = _Choice(flow, node, names)
                for place, formula in zip(links, read.selected(node, links, choice), strict=True):
                    outcome, usual = _outcome(flow, node, flow.links[place][2])
                    normal |= usual
                    taken[place] = every([outcome, formula])
        return cls(flow, tuple(guards), broken, tuple(taken), normal)

    def is_plain(self, node: int) -> bool:
        """Return whether all outgoing links of a node are always taken after it has run."""
        out = self.flow.outgoing[node]
        single = len(out) < 2 or self.kind(node) != "one"
        return single and all(
            self.flow.links[link][2].guard is None and self.flow.links[link][2].outcome == "success" for link in out
        )

    @property
    def written(self) -> list[Formula]:
        """All guards of the flow."""
        return [guard for guard in self.guards if guard is not None]

    def siblings(self, node: int) -> list[list[int]]:
        """Return the outgoing links of a node in groups of alternatives, one per outcome.

        The order in a group depends on the targets and guards of the links, not on the listing order.
        """
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for link in self.flow.outgoing[node]:
            groups[self.flow.links[link][2].outcome].append(link)

        def content(link: int) -> tuple[str, ...]:
            _, target, written = self.flow.links[link]
            guard = written.guard
            return (self.flow.labels[target], guard.expr or "" if guard else "", str(written.back))

        return [sorted(links, key=content) for _, links in sorted(groups.items())]

    def kind(self, node: int) -> SplitKind:
        """Return how many outgoing links of a node are taken: "all", "one", or "each" by its own guard."""
        gateway = self.flow.gateway(node)
        if gateway and gateway.role == "split":
            return {"AND": "all", "XOR": "one", "OR": "each"}[gateway.op]  # type: ignore[return-value]
        return "one" if self.flow.workflow.semantics == "state-machine" else "each"

    def is_exclusive(self, node: int, links: Sequence[int]) -> bool:
        """Return whether at most one of these sibling links is taken, whatever their guards."""
        guards = [self.flow.links[link][2].guard for link in links]
        ordered = any(guard is not None and guard.order is not None for guard in guards)
        kind = self.kind(node)
        return kind == "one" or (kind == "each" and (ordered or self.named(node, links)))

    def named(self, node: int, links: Sequence[int]) -> bool:
        """Return whether the guards of these siblings are single words, used as names of the branches of a choice.

        This is possible for exclusive splits. With token semantics it is also possible for steps if every link has
        another word, such as "approved" and "rejected".
        """
        written_guards = [self.flow.links[link][2].guard for link in links]
        guarded = [
            self.guards[link]
            for link, guard in zip(links, written_guards, strict=True)
            if guard is None or not guard.default
        ]
        tokens = self.flow.workflow.semantics == "token" and self.flow.gateway(node) is None
        all_guarded = tokens and len(guarded) > 1 and None not in guarded
        if not (self.kind(node) == "one" or all_guarded) or any(link in self.broken for link in links):
            return False
        written = [guard for guard in guarded if guard is not None]
        return bool(written) and _labels(written) is not None

    def selected(self, node: int, links: Sequence[int], choice: "_Choice") -> list[Formula]:
        """Return for each of these sibling links the condition under which it is selected."""
        if self.kind(node) == "all":
            return [ALWAYS] * len(links)
        written = [self.flow.links[link][2].guard for link in links]
        formulas = [self.guards[link] for link in links]
        default = [guard is not None and guard.default for guard in written]
        guarded = [place for place, formula in enumerate(formulas) if formula is not None and not default[place]]
        none = negated(some(formulas[place] or ALWAYS for place in guarded))
        if not self.is_exclusive(node, links):
            return [
                none if default[place] else (formula if formula is not None else ALWAYS)
                for place, formula in enumerate(formulas)
            ]
        labels = _labels([formulas[place] for place in guarded]) if self.named(node, links) else None
        if labels and len(links) > 1:
            # Bare words at an exclusive split ("yes", "approved") name its branches.
            names = dict(zip(guarded, labels, strict=True))
            for place, link in enumerate(links):
                names.setdefault(place, "otherwise" if default[place] else choice.target(link))
            return choice.among([names[place] for place in range(len(links))])
        always = [p for p in range(len(links)) if self.kind(node) == "each" and p not in guarded and not default[p]]
        left = [place for place in range(len(links)) if place not in {*guarded, *always}]
        conditions: dict[int, Formula] = dict.fromkeys(always, ALWAYS)
        conditions |= zip(
            left, (every([none, one]) for one in choice.free([links[place] for place in left])), strict=True
        )
        conditions |= zip(guarded, self._first(links, guarded, choice), strict=True)
        return [conditions[place] for place in range(len(links))]

    def _first(self, links: Sequence[int], guarded: Sequence[int], choice: "_Choice") -> list[Formula]:
        """Return the conditions of links: by first match if guards have an order; otherwise any true guard can win."""
        written = [self.flow.links[links[place]][2].guard for place in guarded]
        holds = [self.guards[links[place]] or ALWAYS for place in guarded]
        orders = [guard.order if guard else None for guard in written]
        if any(order is not None for order in orders):
            rank = [(order is None, order or 0) for order in orders]
            return [
                every([own, *(negated(other) for place, other in zip(rank, holds, strict=True) if place < rank[at])])
                for at, own in enumerate(holds)
            ]
        if not 1 < len(holds) <= MAX_ROTATED:
            return holds
        # Starting from a freely chosen guard, the first that holds in cyclic order is selected: any of them can be,
        # and one is.
        first = choice.free([links[place] for place in guarded])
        count = len(holds)
        return [
            some(
                every([own, first[begin], *(negated(holds[(begin + k) % count]) for k in range((at - begin) % count))])
                for begin in range(count)
            )
            for at, own in enumerate(holds)
        ]


class _Choice:
    """A free choice at one split: a term whose value is the name of the branch taken."""

    def __init__(self, flow: Flow, node: int, names: Counter[str]) -> None:
        self.flow = flow
        self.node = node
        self.names = names

    @cached_property
    def text(self) -> str:
        """The name of the choice. It has a number if several splits follow the same step."""
        label = self.flow.labels[self.node]
        where = label.partition("split ")[2] if self.flow.gateway(self.node) else f"after {label}"
        text = f"the branch taken {where}"
        self.names[text] += 1
        return text if self.names[text] == 1 else f"{text} ({self.names[text]})"

    def target(self, link: int) -> str:
        behind = self.flow.tasks_behind(self.flow.links[link][1])
        return " and ".join(self.flow.labels[task].strip("'") for task in behind) or "END"

    def free(self, links: Sequence[int]) -> list[Formula]:
        return self.among([self.target(link) for link in links])

    def among(self, names: Sequence[str]) -> list[Formula]:
        if len(names) < 2:
            return [ALWAYS] * len(names)
        times: Counter[str] = Counter()
        values = []
        for name in names:
            times[name] += 1
            values.append(name if times[name] == 1 else f"{name} ({times[name]})")
        term = Term(self.text, tuple(values))
        return [Atom(term, "==", value) for value in values]


def read_guard(guard: Guard | None) -> Formula | None:
    """Return the formula of a guard; None if the guard has no expression.

    Raises:
        GuardSyntaxError: If the expression has a syntax error.
    """
    return None if guard is None or guard.expr is None else parse(guard.expr, guard.language)


def unread(guard: Guard | None) -> Formula:
    """Return the formula of a guard with a syntax error: an opaque term, which is not analysed."""
    return Atom(Term(" ".join((guard.expr or "" if guard else "").split()), opaque=True), "truthy")


def outcome_term(flow: Flow, node: int) -> Term:
    """Return the term that represents the outcome of a step."""
    return Term(f"outcome of {flow.labels[node]}", ("success", "failure", "timeout"))


def _outcome(flow: Flow, node: int, link: Link) -> tuple[Formula, dict[str, str | bool]]:
    """Return the condition on the outcome of a link's source, and the value of the outcome's term for success."""
    if link.outcome == "event":
        event = Term(f"the event at {flow.labels[node]}", (True, False))
        return Atom(event, "truthy"), {event.text: False}
    outcomes = {flow.links[other][2].outcome for other in flow.outgoing[node]}
    if link.outcome in {"always", "skipped"} or not outcomes & {"failure", "timeout"}:
        return ALWAYS, {}
    term = outcome_term(flow, node)
    return Atom(term, "==", link.outcome), {term.text: "success"}


def _labels(formulas: Sequence[Formula | None]) -> list[str] | None:
    """Return the single words of these guards; None if a guard is not a single word or two words are equal."""
    labels = [
        formula.term.text
        for formula in formulas
        if isinstance(formula, Atom) and formula.relation == "truthy" and not formula.term.values
    ]
    return labels if len(labels) == len(formulas) == len(set(labels)) else None
