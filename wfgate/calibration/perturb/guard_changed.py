"""Perturbation that changes conditions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.errors import PerturbationRejected
from wfgate.logic import (
    Atom,
    BudgetSpentError,
    Flow,
    Formula,
    GuardSyntaxError,
    Selections,
    Space,
    atoms,
    is_prose,
    parse,
    terms,
)
from wfgate.model import Guard, Language, Workflow, task_numbers

KINDS = ("turned", "negated", "number", "literal", "exchanged", "dropped")
Condition = tuple[int, ...]
"""Positions of the links with the same condition."""
Guards = dict[int, Guard | None]
"""New guards by index of the condition."""


class ConditionChanged(Perturbation):
    """k conditions are changed: reversed operator, negation, another value, exchange or removal.

    Severity p: k = ceil(p * n) conditions, for n steps. If several links to one step have the condition of this step,
    they count once. A new condition has the same terms as the old one and is proven not to be equivalent. Each changed
    link is proven to be taken in other situations than before, with its sibling links taken into account. Two branches
    of one step can exchange their conditions. A condition is removed only if another branch of the step keeps its
    condition.
    """

    id = "guard-changed"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        workflow = golden.workflow
        conditions = _conditions(workflow)
        if len(conditions) < k:
            raise PerturbationRejected("too few conditions")
        now: Guards = {at: workflow.links[places[0]].guard for at, places in enumerate(conditions)}
        was = Selections.of(Flow.of(workflow))
        kinds: dict[int, str] = {}
        for at in map(int, rng.permutation(len(conditions))):
            for kind in (KINDS[int(which)] for which in rng.permutation(len(KINDS))):
                if at in kinds or len(kinds) == k:
                    break
                options = list(self._options(workflow, conditions, now, at, kind))
                for option in (options[int(which)] for which in rng.permutation(len(options))):
                    fits = not kinds.keys() & option.keys() and len(kinds) + len(option) <= k
                    if fits and _selects_otherwise(was, _guarded(workflow, conditions, now | option)):
                        now |= option
                        kinds |= dict.fromkeys(option, kind)
        if len(kinds) < k:
            raise PerturbationRejected("too few conditions that can change")
        affected = _steps(workflow, (place for at in kinds for place in conditions[at]))
        details = {"kinds": " ".join(kinds[at] for at in sorted(kinds))}
        return Variant(_guarded(workflow, conditions, now), affected, details)

    @staticmethod
    def _options(
        workflow: Workflow, conditions: Sequence[Condition], now: Guards, at: int, kind: str
    ) -> Iterator[Guards]:
        """Yield the possible changes of one condition, or of two conditions that are exchanged."""
        guard = now[at]
        if guard is None:
            return
        rivals = [other for other in now if _compete(workflow, conditions[at], conditions[other])]
        if kind == "exchanged":
            yield from ({at: now[other], other: guard} for other in rivals if now[other] != guard)
        elif kind == "dropped":
            if any(now[other] is not None for other in rivals):
                yield {at: None}
        else:
            literals = _literals(link.guard for link in workflow.links)
            for text in dict.fromkeys(_edited(guard.expr or "", kind, literals)):
                if _says_otherwise(guard.expr or "", text, guard.language):
                    yield {at: guard.model_copy(update={"expr": text})}


def _conditions(workflow: Workflow) -> list[Condition]:
    """Return the conditions as groups of links.

    With dag semantics each incoming link of a step has the condition of the step. These links must be changed
    together.
    """
    shared = workflow.semantics == "dag"
    places_of: dict[tuple[object, ...], list[int]] = {}
    for place, link in enumerate(workflow.links):
        if link.guard is not None and link.guard.expr and not link.guard.default:
            key = (link.target, link.outcome, link.guard, "" if shared else link.source)
            places_of.setdefault(key, []).append(place)
    return [tuple(places) for places in places_of.values()]


def _guarded(workflow: Workflow, conditions: Sequence[Condition], guards: Guards) -> Workflow:
    """Return the workflow with new guards on the links of these conditions."""
    links = list(workflow.links)
    for at, guard in guards.items():
        for place in conditions[at]:
            links[place] = links[place].model_copy(update={"guard": guard})
    return workflow.model_copy(update={"links": tuple(links)})


def _compete(workflow: Workflow, one: Condition, other: Condition) -> bool:
    """Return whether two conditions are on branches of one step with different targets."""
    ways = {(workflow.links[place].source, workflow.links[place].outcome) for place in one}
    apart = workflow.links[one[0]].target != workflow.links[other[0]].target
    return apart and any((workflow.links[place].source, workflow.links[place].outcome) in ways for place in other)


def _steps(workflow: Workflow, places: Iterable[int]) -> tuple[int, ...]:
    """Return the target steps of links, or the source step if the target is not a step."""
    number = task_numbers(workflow)
    links = [workflow.links[place] for place in places]
    steps = {number.get(link.target, number.get(link.source)) for link in links}
    return tuple(sorted(step for step in steps if step is not None))


def _selects_otherwise(was: Selections, variant: Workflow) -> bool:
    """Return whether every changed link is taken in other situations than before, given its sibling links."""
    now = Selections.of(Flow.of(variant))
    changed = [
        place
        for place, ((_, _, old), (_, _, new)) in enumerate(zip(was.flow.links, now.flow.links, strict=True))
        if old != new
    ]
    return bool(changed) and all(_differ(was.taken[place], now.taken[place]) for place in changed)


def _says_otherwise(old: str, new: str, language: Language) -> bool:
    """Return whether two conditions are valid, have the same terms and are not equivalent."""
    try:
        one, other = parse(old, language), parse(new, language)
    except GuardSyntaxError:
        return False
    return set(terms(one)) == set(terms(other)) and _differ(one, other)


def _differ(one: Formula, other: Formula) -> bool:
    space = Space([one, other])
    try:
        return space.node(one) != space.node(other)
    except BudgetSpentError:
        return False


def _literals(guards: Iterable[Guard | None]) -> list[str]:
    """Return the string literals of conditions."""
    literals = set()
    for guard in guards:
        try:
            formula = parse(guard.expr, guard.language) if guard is not None and guard.expr else None
        except GuardSyntaxError:
            continue
        for atom in atoms(formula) if formula is not None else ():
            if isinstance(atom, Atom) and atom.relation == "==" and isinstance(atom.value, str):
                literals.add(atom.value)
    return sorted(literals)


_TOKEN = re.compile(
    r"""(?P<string>'(?>(?:[^'\\]|\\.)*)'|"(?>(?:[^"\\]|\\.)*)")"""
    r"|(?P<number>(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.]))"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign>[!=<>~]+)"
)
_PAIRS = ("== !=", "=== !==", "> <", "eq ne", "gt lt", "larger smaller", "equal notEqual", "equals notEquals")
_ONE_WAY = ("= !=", "<> =", ">= <", "<= >", "ge lt", "le gt", "gte lt", "lte gt", "largerEqual smaller")
_JSON = ("GreaterThan LessThan", "LessThan GreaterThan", "GreaterThanEquals LessThan", "LessThanEquals GreaterThan")
_TURNED = dict(pair.split() for pair in (*_PAIRS, *_ONE_WAY, *_JSON, "smallerEqual larger"))
_TURNED |= {there: here for here, there in (pair.split() for pair in _PAIRS)}
"""The reversed operator of each comparison, in the spellings of all languages."""
_KEY = re.compile(r"((?:String|Numeric|Timestamp)?)([A-Za-z]+?)((?:Path)?)")
"""A comparison in JSON: type, operator, and whether it compares with another field."""
_MARKED = re.compile(r"(\s*(?:\$\{\{|\$\{|#\{|=?\s*\{\{=?|\{%|=(?!=))\s*)([^{}]+?)(\s*(?:\}\}|\}|%\}|)\s*)")
"""An expression within the delimiters of its language."""
_CONTRARY = {"!": "", "not": "", "unless": "if", "if": "unless", "when": "unless"}
_NOT = ("!({})", "not ({})", "$not({})", '{{"Not": {}}}')
_NOT_A_NAME = ("not {}", "!{}")


def _edited(text: str, kind: str, literals: Sequence[str]) -> Iterator[str]:
    """Yield texts with one change of a kind. They can be invalid or equivalent."""
    if kind == "negated":
        yield from _negated(text)
    for token in _TOKEN.finditer(text):
        for replacement in _replaced(token, kind, literals):
            rest = text[token.end() :]
            yield text[: token.start()] + replacement + (rest if replacement else rest.lstrip())


def _replaced(token: re.Match[str], kind: str, literals: Sequence[str]) -> Iterator[str]:
    """Yield the replacements of a token."""
    text, what = token[0], token.lastgroup
    key = _KEY.fullmatch(text[1:-1]) if what == "string" else None
    if kind == "turned" and key and key[2] in _TURNED:
        yield f"{text[0]}{key[1]}{_TURNED[key[2]]}{key[3]}{text[0]}"
    elif kind == "turned" and text in _TURNED:
        yield _TURNED[text]
    elif kind == "negated" and text in _CONTRARY:
        yield _CONTRARY[text]
    elif kind == "number" and what == "number":
        yield from (str(Decimal(text) * factor or factor) for factor in (2, 10))
    elif kind == "literal" and what == "string":
        yield from (f"{text[0]}{other}{text[0]}" for other in literals if not set(other) & set("'\"\\"))
    elif kind == "literal" and text in {"true", "false"}:
        yield "false" if text == "true" else "true"


def _negated(text: str) -> Iterator[str]:
    """Yield the negated text, in the spellings of all languages."""
    marked = _MARKED.fullmatch(text)
    before, inner, after = marked.groups() if marked else ("", text, "")
    if not inner.startswith(("!", "not ")):
        for pattern in _NOT_A_NAME if is_prose(inner) else _NOT:
            yield before + pattern.format(inner) + after
