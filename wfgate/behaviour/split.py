"""Which of the links that leave a node are taken once it has run."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from wfgate.behaviour.flow import Flow
from wfgate.behaviour.versions import versioned
from wfgate.conditions import ALWAYS, Atom, Formula, Term, every, negated, some
from wfgate.conditions.languages import GuardSyntaxError, parse
from wfgate.model import Guard, Link

MAX_ROTATED = 8
"""Overlapping guards of one exclusive split among which a free choice is followed."""

SplitKind = Literal["all", "one", "each"]


@dataclass(frozen=True)
class Selections:
    """For each link of a flow what must hold for it to be taken once its source has run.

    Attributes:
        flow: The flow.
        guards: The guard of each link as it is written; None where it has none.
        broken: Guards that cannot be read, by link; they count as conditions of which nothing is known.
        taken: What must hold for each link to be taken once its source has run, siblings and outcomes considered.
        normal: For each term that stands for how a step ended the value that stands for success.
    """

    flow: Flow
    guards: tuple[Formula | None, ...]
    broken: dict[int, GuardSyntaxError]
    taken: tuple[Formula, ...] = ()
    normal: dict[str, str | bool] = field(default_factory=dict)

    @classmethod
    def of(cls, flow: Flow) -> "Selections":
        """Read the guards and follow the splits. Cost: linear in links, cubic in those of one split, up to 8."""
        broken: dict[int, GuardSyntaxError] = {}
        guards: list[Formula | None] = []
        for place, (_, _, link) in enumerate(flow.links):
            try:
                guards.append(read_guard(link.guard))
            except GuardSyntaxError as problem:
                broken[place] = problem
                guards.append(unread(link.guard))
        read = cls(flow, versioned(flow, guards), broken)  # within the flow; to others guards are as written
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
        """Return whether all links that leave a node are taken whenever it has run: there is nothing to decide."""
        out = self.flow.outgoing[node]
        single = len(out) < 2 or self.kind(node) != "one"
        return single and all(
            self.flow.links[link][2].guard is None and self.flow.links[link][2].outcome == "success" for link in out
        )

    @property
    def written(self) -> list[Formula]:
        """Every guard that there is."""
        return [guard for guard in self.guards if guard is not None]

    def siblings(self, node: int) -> list[list[int]]:
        """Return the links that leave a node, those that compete with each other together: one group per outcome.

        The order in a group depends on where the links lead and what they say, not on how they are listed.
        """
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for link in self.flow.outgoing[node]:
            groups[self.flow.links[link][2].outcome].append(link)

        def content(link: int) -> tuple[str, ...]:
            _, target, said = self.flow.links[link]
            guard = said.guard
            return (self.flow.labels[target], guard.expr or "" if guard else "", str(said.back))

        return [sorted(links, key=content) for _, links in sorted(groups.items())]

    def kind(self, node: int) -> SplitKind:
        """Return how many of the links that leave a node are taken: all, exactly one, or each by its own guard."""
        gateway = self.flow.gateway(node)
        if gateway and gateway.role == "split":
            return {"AND": "all", "XOR": "one", "OR": "each"}[gateway.op]  # type: ignore[return-value]
        return "one" if self.flow.workflow.semantics == "state-machine" else "each"

    def is_exclusive(self, node: int, links: Sequence[int]) -> bool:
        """Return whether at most one of these siblings is taken whatever their guards say."""
        guards = [self.flow.links[link][2].guard for link in links]
        ordered = any(guard is not None and guard.order is not None for guard in guards)
        kind = self.kind(node)
        return kind == "one" or (kind == "each" and (ordered or self.named(node, links)))

    def named(self, node: int, links: Sequence[int]) -> bool:
        """Return whether the guards of these siblings are bare words that name the branches of a choice.

        So it is at an exclusive split, and behind a step where tokens flow if every link has a word of its own:
        "approved" and "rejected" are meant as the two ways on.
        """
        said = [self.flow.links[link][2].guard for link in links]
        guarded = [
            self.guards[link] for link, guard in zip(links, said, strict=True) if guard is None or not guard.default
        ]
        tokens = self.flow.workflow.semantics == "token" and self.flow.gateway(node) is None
        all_guarded = tokens and len(guarded) > 1 and None not in guarded
        if not (self.kind(node) == "one" or all_guarded) or any(link in self.broken for link in links):
            return False
        written = [guard for guard in guarded if guard is not None]
        return bool(written) and _labels(written) is not None

    def selected(self, node: int, links: Sequence[int], choice: "_Choice") -> list[Formula]:
        """Return what must hold for each of these siblings to be selected."""
        if self.kind(node) == "all":
            return [ALWAYS] * len(links)
        said = [self.flow.links[link][2].guard for link in links]
        formulas = [self.guards[link] for link in links]
        default = [guard is not None and guard.default for guard in said]
        guarded = [place for place, formula in enumerate(formulas) if formula is not None and not default[place]]
        none = negated(some(formulas[place] or ALWAYS for place in guarded))
        if not self.is_exclusive(node, links):
            return [
                none if default[place] else (formula if formula is not None else ALWAYS)
                for place, formula in enumerate(formulas)
            ]
        labels = _labels([formulas[place] for place in guarded]) if self.named(node, links) else None
        if labels and len(links) > 1:
            # Bare words at an exclusive split ("yes", "approved") are the names of its branches.
            names = dict(zip(guarded, labels, strict=True))
            for place, link in enumerate(links):
                names.setdefault(place, "otherwise" if default[place] else choice.target(link))
            return choice.among([names[place] for place in range(len(links))])
        always = [p for p in range(len(links)) if self.kind(node) == "each" and p not in guarded and not default[p]]
        left = [place for place in range(len(links)) if place not in {*guarded, *always}]
        found: dict[int, Formula] = dict.fromkeys(always, ALWAYS)
        found |= zip(left, (every([none, one]) for one in choice.free([links[place] for place in left])), strict=True)
        found |= zip(guarded, self._first(links, guarded, choice), strict=True)
        return [found[place] for place in range(len(links))]

    def _first(self, links: Sequence[int], guarded: Sequence[int], choice: "_Choice") -> list[Formula]:
        """First match where there is an order; where there is none and guards overlap, any of those that hold."""
        said = [self.flow.links[links[place]][2].guard for place in guarded]
        holds = [self.guards[links[place]] or ALWAYS for place in guarded]
        orders = [guard.order if guard else None for guard in said]
        if any(order is not None for order in orders):
            rank = [(order is None, order or 0) for order in orders]
            return [
                every([own, *(negated(other) for place, other in zip(rank, holds, strict=True) if place < rank[at])])
                for at, own in enumerate(holds)
            ]
        if not 1 < len(holds) <= MAX_ROTATED:
            return holds
        # The first that holds from the chosen one on, round and round: whichever holds can be the one, and one is.
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
    """The free choice at one split: which branch is taken is nobody's guess."""

    def __init__(self, flow: Flow, node: int, names: Counter[str]) -> None:
        self.flow = flow
        self.node = node
        self.names = names

    @cached_property
    def text(self) -> str:
        """What the choice is called; numbered where two splits stand behind the same step."""
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
    """Return what a guard says; None where it has no expression.

    Raises:
        GuardSyntaxError: If its expression cannot be read.
    """
    return None if guard is None or guard.expr is None else parse(guard.expr, guard.language)


def unread(guard: Guard | None) -> Formula:
    """Return the formula of a guard that cannot be read: one term of which nothing is known."""
    return Atom(Term(" ".join((guard.expr or "" if guard else "").split()), opaque=True), "truthy")


def outcome_term(flow: Flow, node: int) -> Term:
    """Return the term that stands for how a step ended."""
    return Term(f"outcome of {flow.labels[node]}", ("success", "failure", "timeout"))


def _outcome(flow: Flow, node: int, link: Link) -> tuple[Formula, dict[str, str | bool]]:
    """Return what a link asks of how its source ended, and how that is when all goes well."""
    if link.outcome == "event":
        event = Term(f"the event at {flow.labels[node]}", (True, False))
        return Atom(event, "truthy"), {event.text: False}
    outcomes = {flow.links[other][2].outcome for other in flow.outgoing[node]}
    if link.outcome in {"always", "skipped"} or not outcomes & {"failure", "timeout"}:
        return ALWAYS, {}
    term = outcome_term(flow, node)
    return Atom(term, "==", link.outcome), {term.text: "success"}


def _labels(formulas: Sequence[Formula | None]) -> list[str] | None:
    """Return the bare words that all of these guards are; None if one of them says more, or two the same."""
    found = [
        formula.term.text
        for formula in formulas
        if isinstance(formula, Atom) and formula.relation == "truthy" and not formula.term.values
    ]
    return found if len(found) == len(formulas) == len(set(found)) else None
