"""Which verdicts each rule changes alone: recorded pairs are decided again with one rule switched off.

usage: ablation.py [--jobs N] [--every N] [--limit N] [--only POPULATION]...

Populations:
- fit: the regenerations of half "fit" (`regenerations.py`), with one reference;
- mutations: real files of all formats with one change each (`mutations.py`);
- record: the other pairs of the record of verdicts (`verdicts.py`), of the perturbed ones every N-th (`--every`).

Rules are the checks, the rules that compare texts, their exceptions, and the rules of the decision. A check is
switched off by leaving out its findings: a pair is compared once. Any other rule is a function of the package, which
is replaced for the time of a run by one that finds nothing; for this the pair is compared again. During the first
comparison every such function is watched. Where its answer would have been the same without it, the rule cannot change
the verdict, so that nothing is computed again.

A rule that changes no verdict alone may share its work with another rule (rows of families show this), may be needed
against somebody who writes candidates to deceive the gate (`docs/threat-model.md`; no population has them), or may
only word a reason.
"""

import argparse
import hashlib
import pkgutil
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property, partial, wraps
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import mutations
import regenerations
import verdicts
from accuracy import table

import wfgate
from wfgate.base import worker_pool
from wfgate.calibration import PERTURBATIONS
from wfgate.decide import Blob, Decider, Pair
from wfgate.decide.evidence.assess import Assessment
from wfgate.errors import FormatError
from wfgate.language import contradiction, contradictions
from wfgate.language.meaning.network import Network
from wfgate.language.meaning.step_model import StepModel
from wfgate.rules import CHECKS, Finding
from wfgate.rules.weight import Grounds, weigh
from wfgate.run import Config, Gate, load_gate, read_source

EVERY = 58
"""Every which of the perturbed variants is compared."""
CHUNK = 16
"""Pairs per task of a worker."""
HARMLESS = frozenset({"remark added", "id renamed", "setting exchanged"})
"""Kinds of mutations that change nothing; of the others it is not known whether they do harm."""

KEPT = {
    "changed_commands": "threat model: another command under the same name",
    "Prose._turned_off": "threat model: a text that is switched off by its marks",
    "labels that switch a step off": "threat model: labels beside the words of a step",
    "lost prohibitions": "threat model: a prohibition taken out of a step",
    "gained actions": "threat model: an action added to a step",
    "weight: kept": "threat model: a change at a critical step that keeps its words",
    "weight: changes_step": "threat model: a critical step with another type",
    "weight: free": "several references and differences without effect: no population has them",
    "weight: replaced": "goldens of one or two steps",
    "weight: textual": "goldens of one or two steps",
    "weight: small": "goldens of one or two steps",
    "conditions that the text says": "conditions in other words: no population has them",
    "is_above": "conditions in other words: no population has them",
    "says": "conditions in other words: no population has them",
    "is_contradicted": "one finding instead of two about exchanged names",
    "Prose._remarks": "information about remarks, which is no reason",
    "reflowed": "other spellings of a value, which section `values` has",
    "equal_quantities": "other spellings of a value, which section `values` has",
    "end_alike": "other spellings of a value, which section `values` has",
    "Classes._is_same_code": "other spellings of a value, which section `values` has",
}
"""Why rules are kept that may change no verdict, by the name of the rule."""
NETWORKS = ("_first", "_second")
"""Attributes of the meaning model with its networks."""
SESSION = "_session"
"""Attribute of a network with its session."""
DECISION = "decision"
"""Family of the rules that only decide on what was compared and found."""


@dataclass(frozen=True)
class Sample:
    """A pair of a population, and whether the candidate is harmful (None: not known)."""

    population: str
    pair: Pair
    harmful: bool | None


@dataclass(frozen=True)
class Rule:
    """A rule that is a function of the package.

    Attributes:
        family: Heading in the table.
        name: What is switched off.
        targets: The functions, as "module:name" or "module:Class.name" (below `wfgate`).
        off: Returns what a function returns without the rule, from what it returns with it, and from its arguments.
    """

    family: str
    name: str
    targets: tuple[str, ...]
    off: Callable[..., Any]

    @property
    def kept(self) -> str:
        """Why the rule is kept although it changes no verdict; empty if nothing is known."""
        return KEPT.get(self.name, "")

    @property
    def key(self) -> str:
        """Family and name."""
        return f"{self.family}: {self.name}"


def _nothing(_found: Any, *_given: Any) -> tuple[()]:
    return ()


def _false(_found: Any, *_given: Any) -> bool:
    return False


def _none(_found: Any, *_given: Any) -> None:
    return None


def _rules(family: str, off: Callable[..., Any], module: str, names: str) -> list[Rule]:
    """Return one rule per function of a module."""
    return [Rule(family, name.strip("_"), (f"{module}:{name}",), off) for name in names.split()]


def _without_kind(kind: str) -> Callable[..., Any]:
    return lambda found, *_given: tuple(one for one in found if one.kind != kind)


def _without_ground(name: str) -> Callable[..., Any]:
    return lambda _found, grounds: weigh(replace(grounds, **{name: False}))


GROUNDS = tuple(one.name for one in fields(Grounds) if one.type is bool and one.name not in {"new", "relative"})
"""Grounds of the weight of a finding that may be absent."""
_TEXTS = "language.contradiction"
_POLARITY = tuple(f"language.polarity:{name}" for name in ("turned", "left"))
RULES: tuple[Rule, ...] = (
    Rule("families of text rules", "all contradictions", (f"{_TEXTS}:contradictions",), _nothing),
    *(
        Rule("families of text rules", f"contradictions: {kind}", (f"{_TEXTS}:contradictions",), _without_kind(kind))
        for kind in get_args(contradiction.Kind)
        if kind not in {"removed", "added", "exchanged"}
    ),
    Rule("families of text rules", "polarity", _POLARITY, _nothing),
    Rule(
        "families of text rules",
        "edits (clauses, actions, prohibitions)",
        ("language.parts:removed_parts", "language.parts:added_actions", "compare.edits:lost_prohibitions"),
        lambda found, *_given: type(found)(),
    ),
    *_rules("contradictions", _nothing, _TEXTS, "_numbers _opposed _acted _bounded _denied _excepted"),
    *_rules("contradictions", _nothing, _TEXTS, "_weakened _lifted _plainly_weakened _hurried _renamed"),
    *(Rule("contradictions", target.replace(":", "."), (target,), _nothing) for target in _POLARITY),
    Rule("contradictions", "labels that switch a step off", ("language.labels:added_label",), lambda *_given: ""),
    *_rules("exceptions of contradictions", _false, _TEXTS, "_is_converse _is_temporal _next_to _bounds_both"),
    *_rules("exceptions of contradictions", _false, _TEXTS, "_is_only_before _denies_nothing"),
    *_rules("exceptions of contradictions", _false, "language.phrases", "is_short_for"),
    Rule("edits", "lost clauses", ("language.parts:removed_parts",), _nothing),
    Rule("edits", "gained actions", ("language.parts:added_actions",), _nothing),
    Rule("edits", "lost prohibitions", ("compare.edits:lost_prohibitions",), lambda *_given: {}),
    *_rules("words of steps", _none, "language.force", "weakened_force reversed_preference lifted_prohibition"),
    *_rules("words of steps", _none, "language.names", "replaced_name"),
    *_rules("words of steps", _none, "language.attributes", "_opposed_convention"),
    Rule("steps", "names that are only labels", ("compare.labels:relabelled",), lambda *_given: {}),
    Rule("steps", "twins by their data", ("compare.twins:twins_by_data",), lambda _found, alignment, *_: alignment),
    Rule(
        "steps",
        "lost numbers",
        ("compare.contract:lost_values", "compare.fate:Fate.has_lost_values"),
        lambda found, *_given: type(found)(),
    ),
    Rule(
        "steps",
        "carriers besides the aligned steps",
        ("compare.supports:nearest_place",),
        lambda found, _row, _rank, _free, aligned=(): replace(found, carriers=frozenset(aligned)),
    ),
    Rule(
        "steps",
        "the mean of partner and window",
        ("compare.supports:joint",),
        lambda _found, partner, _window: partner,
    ),
    Rule("conditions", "conditions that the text says", ("rules.conditions:SaidConditions.contains",), _false),
    *_rules("conditions", _false, "rules.conditions", "_is_above _says _is_contradicted"),
    *_rules("conditions", _false, "rules.relative.guard_change", "_is_reworded _is_prose"),
    *_rules("values", _nothing, "compare.values.commands", "changed_commands"),
    *_rules("values", _false, "compare.values.classes", "_reflowed _equal_quantities _end_alike"),
    *_rules("values", _nothing, "compare.values.prose", "Prose._turned_off Prose._remarks"),
    *_rules("values", _false, "compare.values.prose", "Prose.excludes"),
    *_rules("values", _false, "compare.values.classes", "Classes._is_resolved Classes._is_same_code"),
    *_rules("values", _false, "compare.values.classes", "Classes._is_now_literal"),
    *(Rule(DECISION, f"weight: {ground}", ("rules.weight:weigh",), _without_ground(ground)) for ground in GROUNDS),
    *_rules(DECISION, _nothing, "decide.decision", "Decider._critical_losses"),
    Rule(DECISION, "statistics", ("decide.decision:Decider._verdict",), lambda *_given: "pass"),
)


# --- switches -------------------------------------------------------------------------------------------------------


def _modules() -> Iterator[Any]:
    """Import all modules of the package, because a later one would lack the switches, and yield them."""
    yield wfgate
    for found in pkgutil.walk_packages(wfgate.__path__, "wfgate."):
        if "__main__" not in found.name:
            with suppress(ImportError):  # a module for an extra that is not installed
                yield import_module(found.name)


class Switches:
    """Switches in front of the functions of all rules, in this process and for its whole life.

    Attributes:
        off: The rule that is switched off; None for none.
        mattered: The rules that changed an answer since it was emptied; None to watch nothing.
        findings: What the checks find, instead of what they would find; None to let them look.
        found: What the checks found when they last looked.
    """

    def __init__(self) -> None:
        self.off: Rule | None = None
        self.mattered: set[Rule] | None = None
        self.findings: tuple[Finding, ...] | None = None
        self.found: tuple[Finding, ...] = ()
        self._modules = list(_modules())
        self._clear = contradictions.cache_clear
        for rule in RULES:
            for target in rule.targets:
                self._replace(target, partial(self._switch, rule))
        self._replace("rules.checks:review", self._review)

    @contextmanager
    def without(self, rule: Rule) -> Iterator[None]:
        """Switch a rule off."""
        self._clear()
        self.off = rule
        try:
            yield
        finally:
            self.off = None
            self._clear()

    @contextmanager
    def watching(self) -> Iterator[set[Rule]]:
        """Note which rules change an answer."""
        self._clear()
        self.mattered = set[Rule]()
        try:
            yield self.mattered
        finally:
            self.mattered = None

    @contextmanager
    def finding(self, findings: Iterable[Finding]) -> Iterator[None]:
        """Let the checks find this."""
        self.findings = tuple(findings)
        try:
            yield
        finally:
            self.findings = None

    def _switch(self, rule: Rule, old: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(old)
        def switched(*given: Any, **named: Any) -> Any:
            found = old(*given, **named)
            if self.off is not rule and self.mattered is None:
                return found
            found = list(found) if isinstance(found, Iterator) else found
            without = rule.off(found, *given)
            if self.mattered is not None and (list(without) if isinstance(found, list) else without) != found:
                self.mattered.add(rule)
            return without if self.off is rule else found

        return switched

    def _review(self, old: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(old)
        def review(*given: Any, **named: Any) -> tuple[Finding, ...]:
            if self.findings is not None:
                return self.findings
            self.found = old(*given, **named)
            return self.found

        return review

    def _replace(self, target: str, make: Callable[[Callable[..., Any]], Any]) -> None:
        """Replace a function in all modules that have it, also in tuples; a method or property in its class."""
        module, _, path = target.partition(":")
        kind, _, name = path.rpartition(".")
        home = import_module(f"wfgate.{module}")
        if kind:
            owner = getattr(home, kind)
            old = vars(owner)[name]
            known = old.fget if isinstance(old, property) else old.func if isinstance(old, cached_property) else None
            setattr(owner, name, make(old) if known is None else property(make(known)))
            return
        old = getattr(home, name)
        new = make(old)
        for each in self._modules:
            for key, value in list(vars(each).items()):
                if value is old:
                    setattr(each, key, new)
                elif isinstance(value, tuple) and any(one is old for one in value):
                    setattr(each, key, tuple(new if one is old else one for one in value))


# --- verdicts -------------------------------------------------------------------------------------------------------


class _Remembered:
    """A network of a meaning model with a memory of its outputs: rules change scores, not these."""

    def __init__(self, network: Network) -> None:
        self._session = getattr(network, SESSION)
        setattr(network, SESSION, self)
        self._outputs: dict[tuple[bytes, ...], Any] = {}

    def get_inputs(self) -> Any:
        """Return the inputs that the network has."""
        return self._session.get_inputs()

    def run(self, names: Sequence[str], fed: dict[str, Any]) -> Any:
        """Return the outputs for an input."""
        key = tuple(value.tobytes() for value in fed.values())
        if key not in self._outputs:
            self._outputs[key] = self._session.run(names, fed)
        return self._outputs[key]

    def forget(self) -> None:
        """Empty the memory."""
        self._outputs.clear()


@dataclass(frozen=True)
class Ablated:
    """The verdict on a pair, and what changes it.

    Attributes:
        population: The population.
        harmful: Whether the candidate is harmful; None if it is not known.
        verdict: The verdict with all rules; None for a pair that cannot be compared.
        mattered: Names of the rules that find something, or change the answer of a function.
        others: Other verdicts, by the name of the rule without which they are given.
    """

    population: str
    harmful: bool | None
    verdict: str | None
    mattered: frozenset[str] = frozenset()
    others: tuple[tuple[str, str], ...] = ()


class Laboratory:
    """A gate whose rules can be switched off."""

    def __init__(self) -> None:
        gate = load_gate(Config(), date.min)
        model = StepModel()  # without the cache of scores, which would hide what a rule does to a score
        self._networks = [_Remembered(getattr(model, name)) for name in NETWORKS]
        self._gate = Gate(replace(gate.assessor, meaning_model=model), gate.profile, gate.policy)
        self._decider = Decider(gate.profile, gate.policy)
        self._switches = Switches()

    def ablated(self, sample: Sample) -> Ablated:
        """Return the verdicts on a pair with all rules and without each of them."""
        for network in self._networks:
            network.forget()
        sources = (*sample.pair.goldens, sample.pair.candidate)
        try:
            *goldens, candidate = (
                read_source(source, "workflow").workflow for source in sources if source is not None
            )
        except FormatError:
            return Ablated(sample.population, sample.harmful, None)
        if not goldens[0].tasks:
            return Ablated(sample.population, sample.harmful, None)
        contract = self._gate.contract(goldens[0], goldens[1:])
        with self._switches.watching() as mattered:
            assessment = self._gate.assessor.assess(goldens[0], candidate, contract)
            verdict = self._decide(assessment)
        findings = self._switches.found
        others: dict[str, str] = {}
        for check in sorted({one.id for one in findings}):
            with self._switches.finding(one for one in findings if one.id != check):
                others[check] = self._decide(assessment)
        for rule in sorted(mattered, key=RULES.index):
            with self._switches.without(rule):
                again = rule.family != DECISION
                others[rule.key] = self._decide(
                    self._gate.assessor.assess(goldens[0], candidate, contract) if again else assessment
                )
        changed = tuple((name, other) for name, other in others.items() if other != verdict)
        return Ablated(sample.population, sample.harmful, verdict, frozenset(others), changed)

    def _decide(self, assessment: Assessment) -> str:
        return self._decider.decide(assessment, case="pair", golden="golden", candidate="candidate").verdict


# --- populations ----------------------------------------------------------------------------------------------------


def fit() -> Iterator[Sample]:
    """Yield the regenerations of half "fit" with one reference."""
    for case in regenerations.cases("fit"):
        if len(case.references) == 1:
            known = {"changed": True, "altered": True, "renamed": False, "same": False}
            pair = Pair(case.regeneration["id"], case.references, case.candidate)
            yield Sample("fit", pair, known.get(case.population, not case.accepted))


def mutated() -> Iterator[Sample]:
    """Yield the mutated real files."""
    for file, count in mutations.files():
        golden = Blob(Path(file.file), file.text.encode())
        for change in mutations.chosen(file, count):
            pair = Pair(change.kind, (golden,), Blob(golden.path, change.text.encode()))
            yield Sample("mutations", pair, False if change.kind in HARMLESS else None)


def recorded(every: int = EVERY) -> Iterator[Sample]:
    """Yield the other pairs of the record."""
    for pair in verdicts.tested():
        yield Sample("record", pair, None)
    for pair in verdicts.formats():
        yield Sample("record", pair, False if pair.id.endswith("/itself") else None)
    for pair in verdicts.regenerations():
        yield Sample("record", pair, pair.id.endswith("bad_regeneration"))
    for pair in verdicts.processtbench():
        yield Sample("record", pair, None)
    for pair in verdicts.perturbed(every):
        operator = next(part for part in pair.id.split("/") if part in PERTURBATIONS)
        yield Sample("record", pair, PERTURBATIONS[operator].label == "degraded")


def samples(only: Collection[str], every: int = EVERY, limit: int | None = None) -> Iterator[Sample]:
    """Yield the pairs of some populations; with a limit, so many of each, by the hash of their place."""
    for name, pairs in (("fit", fit()), ("mutations", mutated()), ("record", recorded(every))):
        if name in only:
            found = list(pairs)
            order = sorted(range(len(found)), key=lambda place: hashlib.sha256(f"{name}/{place}".encode()).digest())
            yield from (found[place] for place in order[:limit])


# --- processes ------------------------------------------------------------------------------------------------------

_laboratory: list[Laboratory] = []


def _start() -> None:
    _laboratory.append(Laboratory())


def _work(chunk: Sequence[Sample]) -> list[Ablated]:
    return [_laboratory[0].ablated(sample) for sample in chunk]


def results(pairs: Iterable[Sample], jobs: int) -> Iterator[Ablated]:
    """Yield the result of each pair, in some order of chunks.

    Args:
        pairs: The pairs.
        jobs: Processes.
    """
    waiting = iter(pairs)
    chunks = list(iter(lambda: list(islice(waiting, CHUNK)), []))
    with worker_pool(jobs, _start, ()) as pool:
        for found in pool.map(_work, chunks):
            yield from found


# --- report ---------------------------------------------------------------------------------------------------------

POPULATIONS = ("fit", "mutations", "record")


def ablation(only: Sequence[str] = POPULATIONS, jobs: int = 2, every: int = EVERY, limit: int | None = None) -> None:
    """Print which verdicts each rule changes alone."""
    found = list(results(samples(only, every, limit), jobs))
    print("## Verdicts that each rule changes alone\n")
    print("Default profile and policy, no model called. `block -> review`: verdict with all rules, and without one.\n")
    counts = Counter((one.population, one.verdict) for one in found)
    shown = ("pass", "review", "block", "inconclusive", None)
    rows = [(name, *(f"{counts[name, verdict]:,}" for verdict in shown)) for name in only]
    table(("pairs", "pass", "review", "block", "inconclusive", "not compared"), rows)
    mattered = Counter(name for one in found for name in one.mattered)
    changes: defaultdict[str, Counter[tuple[str, str, str, bool | None]]] = defaultdict(Counter)
    for one in found:
        for name, other in one.others:
            changes[name][one.population, str(one.verdict), other, one.harmful] += 1
    print()
    names = [*(rule.key for rule in RULES), *CHECKS]
    rows = [
        (name, f"{mattered[name]:,}", *(_cell(changes[name], population) for population in only))
        for name in names
        if changes[name]
    ]
    table(("switched off", "pairs in which it finds something", *only), rows)
    silent = [name for name in names if not changes[name]]
    kept = {rule.key: rule.kept for rule in RULES}
    print(f"\nThese rules change no verdict ({len(kept.keys() & set(silent))}):\n")
    rows = [(name, f"{mattered[name]:,}", kept[name] or "-") for name in silent if name in kept]
    table(("rule", "pairs in which it finds something", "why it is kept"), rows)
    quiet = [f"{name} ({mattered[name]:,})" for name in silent if name not in kept]
    print(f"\nThese checks change no verdict (pairs in which they find something): {', '.join(quiet) or '-'}.")
    print("They are kept for `wfgate lint` and for reasons: most of them report warnings and information.")


def _cell(changed: "Counter[tuple[str, str, str, bool | None]]", population: str) -> str:
    """Return the changed verdicts of a population: how many, of these harmful and harmless candidates."""
    parts = []
    for was, now in sorted({(was, now) for name, was, now, _ in changed if name == population}):
        by_harm = {harm: changed[population, was, now, harm] for harm in (True, False, None)}
        known = [f"{by_harm[harm]} {word}" for harm, word in ((True, "harmful"), (False, "harmless")) if by_harm[harm]]
        parts.append(f"{was} -> {now} {sum(by_harm.values())}" + (f" ({', '.join(known)})" if known else ""))
    return "; ".join(parts) or "-"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--every", type=int, default=EVERY, metavar="N")
    parser.add_argument("--limit", type=int, metavar="N")
    parser.add_argument("--only", action="append", choices=POPULATIONS, metavar="POPULATION")
    given = parser.parse_args()
    ablation(given.only or POPULATIONS, given.jobs, given.every, given.limit)


if __name__ == "__main__":
    main()
