"""The conditions on paths between shared steps, and their differences between golden and candidate."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wfgate.compare import Comparison, Enclosing, compare_conditions, renamed_ids
from wfgate.language import CONDITIONING, contradictions, parsed
from wfgate.logic import (
    ALWAYS,
    Behaviour,
    Formula,
    GuardSyntaxError,
    every,
    negated,
    parse,
    renamed,
    some,
    terms,
)
from wfgate.model import Guard, Outcome, Workflow
from wfgate.read import Consequences, consequences_of

_COMPARISON = re.compile(r"[=<>!]=|[<>]")
_LABEL = re.compile("\u00ab[^\u00ab\u00bb]*\u00bb")
"""A condition that is only a name, see `label` of the readers."""
_LINKED = frozenset({"native", "dot", "mermaid"})
"""Formats without data of their own that state every link."""
_LISTED = frozenset({"markdown"})
"""Formats of texts: the order of the sentences is nearly all that they say about links."""
SAID = 0.5
"""Smallest share of the words of a condition in a text that says it."""
MAX_WAYS = 200
"""Largest number of links followed through gateways from one step."""


class Way(NamedTuple):
    """A path from one step to the next, directly or through gateways.

    Attributes:
        source: Golden position of the first step; None for START.
        target: Golden position of the second step; None for END.
        outcome: The outcome of the first step that leads along this path.
    """

    source: int | None
    target: int | None
    outcome: Outcome = "success"

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """The first and the second step."""
        return self.source, self.target


Conditions = dict[Way, Formula]


def conditions_of(comparison: Comparison) -> tuple[Conditions, Conditions]:
    """Return the conditions between shared steps, in the golden and in the candidate.

    Those of the candidate have the golden's ids in their references to steps.
    """
    golden, candidate = comparison.golden_behaviour, comparison.candidate_behaviour
    same = {task: task for task in comparison.candidate_of}
    now = _conditions(candidate, comparison.golden_of)
    formats = {file.format for file in comparison.files}
    if len(formats) == 1 and (table := consequences_of(*formats)).references:
        ids = renamed_ids(comparison)
        now = {way: _with_ids(condition, ids, table) for way, condition in now.items()}
    return _conditions(golden, same), now


def _with_ids(condition: Formula, ids: Mapping[str, str], table: Consequences) -> Formula:
    """Return a condition of the candidate with the golden's ids in its references to steps."""
    new = {term: replace(term, text=table.with_ids(term.text, ids)) for term in terms(condition)}
    return renamed(condition, {old: term for old, term in new.items() if old != term})


def exchanges(comparison: Comparison, was: Conditions, is_now: Conditions) -> list[list[Way]]:
    """Return groups of branches after one step whose conditions were exchanged.

    In such a group the same conditions lead to other steps than in the golden. Single words such as "yes" and "no" are
    compared as well. No group is returned if the text of the deciding step contradicts the golden text, because then
    "yes" may mean what "no" meant. No group is returned for target steps with the same name, because their alignment
    is arbitrary.
    """
    rings: list[list[Way]] = []
    branches: dict[tuple[int | None, Outcome], list[Way]] = {}
    for way in was.keys() & is_now.keys():
        branches.setdefault((way.source, way.outcome), []).append(way)
    for (source, _), group in branches.items():
        place = {was[way]: way for way in group}
        alike = len(place) < len(group) or len({is_now[way] for way in group}) < len(group)
        if len(group) == 1 or alike or _is_contradicted(comparison, source):
            continue
        # Each branch points to the one that had its condition; the branches of a closed ring were exchanged.
        onward = {way: place[is_now[way]] for way in group if is_now[way] in place}
        left = set(onward)
        while left:
            ring = [left.pop()]
            while onward[ring[-1]] in left:
                ring.append(onward[ring[-1]])
                left.remove(ring[-1])
            if len(ring) > 1 and onward[ring[-1]] == ring[0] and _has_distinct_targets(comparison, ring):
                rings.append(ring)
    return rings


def _is_contradicted(comparison: Comparison, task: int | None) -> bool:
    if task is None:
        return False
    golden, candidate = comparison.golden.tasks[task], comparison.candidate.tasks[comparison.candidate_of[task]]
    return bool(contradictions(golden.name, candidate.name))


def _has_distinct_targets(comparison: Comparison, ring: list[Way]) -> bool:
    names = {"" if task is None else comparison.golden.tasks[task].name.casefold() for _, task, _ in ring}
    return len(names) == len(ring)


def _conditions(behaviour: Behaviour, golden_of: Mapping[int, int]) -> Conditions:
    """Return the conditions on the paths between shared steps. Steps are given by golden positions."""
    flow = behaviour.flow
    conditions: Conditions = {}
    for source in (*range(len(flow.workflow.tasks)), flow.start):
        if source != flow.start and source not in golden_of:
            continue
        for target, outcome, condition in _ways(behaviour, source):
            if target == flow.end or target in golden_of:
                way = Way(golden_of.get(source), golden_of.get(target), outcome)
                conditions[way] = some([conditions[way], condition]) if way in conditions else condition
    return conditions


def _ways(behaviour: Behaviour, source: int) -> Iterator[tuple[int, Outcome, Formula]]:
    """Yield the steps that follow a step directly or through gateways, with outcome and condition of the path."""
    flow = behaviour.flow
    pending: list[tuple[int, Outcome, Formula, frozenset[int]]] = [(source, "success", ALWAYS, frozenset())]
    left = MAX_WAYS
    while pending and left:
        node, outcome, so_far, passed = pending.pop()
        left -= 1
        for link in flow.outgoing[node]:
            _, target, said = flow.links[link]
            written = _written(behaviour, node, link)
            if target in passed:
                continue
            ended = said.outcome if node == source else outcome
            condition = so_far if written is None else every([so_far, written])
            if flow.gateway(target) is None:
                yield target, ended, condition
            else:
                pending.append((target, ended, condition, passed | {target}))


def _written(behaviour: Behaviour, node: int, link: int) -> Formula | None:
    """Return the condition of a link. For a default branch: that the conditions of all sibling links are false."""
    selections = behaviour.selections
    guard = behaviour.flow.links[link][2].guard
    if guard is None or selections.kind(node) == "all":
        return None
    if not guard.default:
        return selections.guards[link]
    others = [selections.guards[other] for links in selections.siblings(node) if link in links for other in links]
    return negated(some(other for other in others if other is not None))


def are_formal(comparison: Comparison) -> bool:
    """Return whether both files are data, and the golden's conditions are no prose.

    In wfgate's own language, a condition with a comparison of names is none (`approved == true`).
    """
    guards = [link.guard for link in comparison.golden.links if link.guard and link.guard.expr]
    return bool(guards) and all(map(_is_formal, guards)) and are_data(comparison)


def are_data(comparison: Comparison) -> bool:
    """Return whether both files are data and no prose; wfgate's own format is data too."""
    files = comparison.golden_file, comparison.candidate_file
    return all(file is not None and (file.raw is not None or file.format == "native") for file in files)


def have_links(comparison: Comparison) -> bool:
    """Return whether both files state the links between steps: data and drawings, not the order of a list of texts."""
    files = comparison.golden_file, comparison.candidate_file
    return all(file is not None and (file.raw is not None or file.format in _LINKED) for file in files)


def have_lists(comparison: Comparison) -> bool:
    """Return whether one of the files is a list of texts, in which conditions and order are a matter of words."""
    files = comparison.golden_file, comparison.candidate_file
    return any(file is not None and file.format in _LISTED for file in files)


def _is_formal(guard: Guard) -> bool:
    if guard.language != "plain":
        return True
    try:
        parts = terms(parse(guard.expr or "", guard.language))
    except GuardSyntaxError:
        return False
    named = not any(term.opaque or len(term.text.split()) > 1 for term in parts)
    return named and _COMPARISON.search(guard.expr or "") is not None


def is_lost(comparison: Comparison, old: Formula, new: Formula) -> bool:
    """Return whether the candidate has only names of branches in the place of a condition of the golden.

    Readers of data take the name of a branch (`«yes»`) where the file has no condition; no engine evaluates it.
    """
    if not are_data(comparison):
        return False
    was, is_now = map(_labels, (comparison.golden, comparison.candidate))
    named = [term.opaque and term.text in is_now for term in terms(new)]
    return bool(named) and all(named) and any(not term.opaque or term.text not in was for term in terms(old))


def _labels(workflow: Workflow) -> frozenset[str]:
    """Return the names of branches that are read as conditions, without their marks."""
    written = (link.guard.expr or "" for link in workflow.links if link.guard and link.guard.language == "plain")
    return frozenset(expr[1:-1] for expr in written if _LABEL.fullmatch(expr))


class SaidConditions:
    """The conditions on the links to the steps of one side, and whether the texts of the other side say them.

    A reader of prose makes a condition of "If the lag is high, stop the writers", but not of "With a high lag, stop
    the writers". Both say the same. Where the text says the condition, the texts are compared, not the links. In data
    files only the links of the candidate count, whatever its names say.

    Cost: linear in steps and links, and for each composite with conditional links into it once in these links.
    """

    def __init__(self, comparison: Comparison, side: int) -> None:
        """Look at the golden (side 0) or the candidate (side 1) of an aligned pair."""
        sides = (comparison.golden, comparison.golden_file), (comparison.candidate, comparison.candidate_file)
        (self._workflow, file), (self._others, other_file) = sides if side == 0 else sides[::-1]
        self._around, self._above = Enclosing.of(file, self._workflow), Enclosing.of(other_file, self._others)
        self._guarded = [(link, link.guard) for link in self._workflow.links if link.guard is not None]
        self._to = defaultdict[str, list[Guard]](list)
        for link, guard in self._guarded:
            self._to[link.target].append(guard)
        self._into: dict[str, list[Guard]] = {}
        self._only_links = side == 0 and are_data(comparison)

    def of(self, step: int) -> list[Guard]:
        """Return the conditions on the links to a step; if there are none, on the links into a composite around it."""
        own = self._to.get(self._workflow.tasks[step].id, [])
        if own or not self._guarded:
            return own
        return next(filter(None, map(self._conditions_into, self._around.around(step))), [])

    def contains(self, step: int, other: int) -> bool:
        """Return whether the other side says the condition of a step in words.

        The text is that of the step matched with it, and the names of the composites around that one ("When the node
        is down:").
        """
        guards = [] if self._only_links else self.of(step)
        text, own = self._others.tasks[other].statement, self._workflow.tasks[step].statement
        names = [self._above.composites[one].statement for one in self._above.around(other)] if guards else []
        return bool(guards) and all(
            not guard.expr
            or (not _is_formal(guard) and (_says(text, guard.expr, own) or _is_above(names, guard.expr)))
            for guard in guards
        )

    def _conditions_into(self, path: str) -> list[Guard]:
        """Return the conditions on the links from outside into a composite."""
        if path not in self._into:
            inside = (
                (link.target.startswith(path) > link.source.startswith(path), guard) for link, guard in self._guarded
            )
            self._into[path] = [guard for enters, guard in inside if enters]
        return self._into[path]


def _is_above(names: Sequence[str], condition: str) -> bool:
    """Return whether a name above a step is conditional and has half of the words of a condition."""
    words = _words(condition)
    return any(
        len(words & _words(name)) >= max(1, SAID * len(words)) and parsed(name).hits(CONDITIONING) for name in names
    )


def _says(text: str, condition: str, own: str) -> bool:
    """Return whether a text has half of the words of a condition, or a condition of its own.

    Its own are words such as "when" that the step does not have besides the condition, with a word of the condition if
    the step has such words. Words that the step has besides the condition do not count.
    """
    said, rest = parsed(text), own.replace(condition, " ")
    words = _words(condition) - _words(rest)
    common = len(words & _words(text))
    conditional = bool(said.hits(CONDITIONING))
    return common >= max(1, SAID * len(words)) or (conditional and (common > 0 or not parsed(rest).hits(CONDITIONING)))


def _words(text: str) -> frozenset[str]:
    """Return the stems of the content words, and the numbers."""
    return parsed(text).content | {token.lower for token in parsed(text).tokens if token.kind == "number"}


def is_same_step(comparison: Comparison, task: int) -> bool:
    """Return whether a golden step has the same name in the candidate, or another one that is only a label."""
    if comparison.fates[task].is_relabelled:
        return True
    twin = comparison.candidate_of[task]
    return comparison.golden.tasks[task].name == comparison.candidate.tasks[twin].name


def runs_more(comparison: Comparison, old: Formula, new: Formula) -> bool:
    """Return whether it is proven that the new condition holds in a situation in which the old one does not.

    A "different" condition about another value proves nothing: a step may have another id now (`steps.ID.outputs`).
    """
    kind, situation = compare_conditions(comparison, old, new)
    known = kind == "weaker" or (kind == "different" and set(terms(new)) <= set(terms(old)))
    return known and bool(situation)
