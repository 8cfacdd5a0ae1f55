"""What became of each golden step (`Fate`), and what each candidate step is to the golden (`Addition`).

All definitions of missing, gone, changed, doubtful, merged, split and moved are properties of one class, side by side:
checks, evidence, verdicts, contracts and reports read them here and compute none of their own. Several definitions of
one word are in use, because they answer different questions: is a step aligned, is its work done, does a finding name
it, does a contract demand it. Each docstring says how its definition differs from its neighbours.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from wfgate.base import READ
from wfgate.compare.alignment import Merge, Split
from wfgate.compare.contract import allowed_steps, lost_values, stated_values
from wfgate.compare.labels import commands_run, run_the_same
from wfgate.compare.moves import moved_steps, order_changes
from wfgate.compare.supports import LEAST, TIE, AskedTexts, DoneAt, Support, holm
from wfgate.language import (
    WHOLLY,
    Contradiction,
    Stated,
    alternatives,
    folded,
    is_join,
    one_text,
    plain_words,
    says_clause,
)
from wfgate.model import Task

if TYPE_CHECKING:
    from wfgate.compare.comparison import Comparison

SIGNIFICANT = 0.05
"""Significance level of the Holm-adjusted p-value: 1 in 20 harmlessly reworded workflows has a reported step."""

_TOTAL = re.compile(r"100\s*(?:%|percent|per cent)", re.IGNORECASE)
_ALL = re.compile(rf"\b(?:{alternatives(WHOLLY)})\b", re.IGNORECASE)
"""Words that say the same as 100 %."""

SURELY = 0.3
"""P-value above which a reworded step is surely the same: seven in ten harmlessly rewritten steps."""

State = Literal["same", "reworded", "doubtful", "probably-changed", "changed", "missing", "left-out"]
"""What became of a golden step.

- same: the candidate has it in the same words;
- reworded: in other words, or in several steps, with the same meaning;
- doubtful: at most one in ten harmlessly rewritten steps looks like this;
- probably-changed: its meaning changed, significantly at the review rate, and the case does not pass;
- changed: it changed significantly at the block rate in a case that is blocked, or words contradict it explicitly;
- missing: no step of the candidate does it;
- left-out: it is optional, and the candidate lacks it.
"""
LOST: tuple[State, ...] = ("missing", "left-out")
"""States of a step that the candidate does not have."""
IN_DOUBT: tuple[State, ...] = ("doubtful", "probably-changed", "changed")
"""States of a step that the candidate has, but maybe with another meaning."""


@dataclass(frozen=True)
class Levels:
    """Significance levels of the words about a step: they follow from the verdict, so that both say the same.

    Attributes:
        changed: Largest adjusted p-value of a step that "changed"; 0 unless the case is blocked.
        probably: Largest adjusted p-value of a step that "probably changed"; 0 for a case that passes.
    """

    changed: float = 0.01
    probably: float = SIGNIFICANT


def positions(steps: "Iterable[Fate | Addition]") -> frozenset[int]:
    """Return the positions of golden or candidate steps, as a set."""
    return frozenset(step.position for step in steps)


@dataclass(frozen=True, eq=False)
class Fate:
    """What became of a golden step.

    First come the measured properties, then those defined by them. Each is computed when it is first read, so that
    the alignment of a pair can be read without a meaning model.

    Attributes:
        comparison: The pair.
        position: Position of the step in the golden.
    """

    comparison: "Comparison" = field(repr=False)
    position: int

    # --- measured: the alignment ------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The step."""
        return self.comparison.golden.tasks[self.position]

    @property
    def partner(self) -> int | None:
        """The candidate step that is matched with it, one to one; None if there is none."""
        return self.comparison.candidate_of.get(self.position)

    @property
    def merge(self) -> Merge | None:
        """The golden steps with which it was merged (it is one of them), and into which candidate step."""
        return self.comparison.derived(_merges).get(self.position)

    @property
    def split(self) -> Split | None:
        """The candidate steps into which it was split, its partner among them."""
        return self.comparison.derived(_splits).get(self.position)

    @property
    def aligned(self) -> frozenset[int]:
        """The candidate steps that the alignment gives it: its partner, the merged step, the parts of a split."""
        return self.comparison.derived(_partners).get(self.position, frozenset())

    @property
    def place(self) -> DoneAt:
        """Where in the candidate its work is done, in any of its wordings: carriers, window, nearest step."""
        return self.comparison.places[self.position]

    @property
    def carriers(self) -> tuple[int, ...]:
        """The candidate steps that do its work as far as similarity and alignment say, in the candidate's order."""
        return self.place.parts

    @property
    def shown_carriers(self) -> tuple[int, ...]:
        """Its carriers; or its partner, if that has no words, because such a step carries nothing."""
        return self.carriers or (() if self.partner is None else (self.partner,))

    @property
    def done_by(self) -> tuple[int, ...]:
        """The candidate steps that do it, for people: each aligned candidate step does some golden step.

        These are the steps that it is aligned with, and those of its carriers that are aligned with no other step. If
        a carrier is more similar than all of them by `TIE`, these are the carriers about as similar as the best one.
        """
        return self.comparison.derived(_done_by)[self.position]

    @property
    def text(self) -> str:
        """The text of the carriers that are shown, as one."""
        tasks = self.comparison.candidate.tasks
        return one_text([tasks[part].statement for part in self.shown_carriers])

    # --- measured: the texts ----------------------------------------------------------------------------------------

    @property
    def asked(self) -> AskedTexts | None:
        """The texts that the meaning model reads; None if the candidate has its words, or another label for it."""
        return self.comparison.changed_texts.get(self.position)

    @property
    def support(self) -> Support | None:
        """Logit, p-value, doubt and adjusted p-value of "its demand is still met"; None if it is not compared."""
        return self.comparison.support_of.get(self.position)

    @property
    def best_similarity(self) -> float:
        """Its similarity, in any of its wordings, to its most similar candidate step, in [0, 1]."""
        return float(self.comparison.best_similarity[self.position])

    @property
    def is_verbatim(self) -> bool:
        """Whether its partner has its words, and no other step of either workflow; another label counts as equal."""
        return self.position in self.comparison.verbatim

    @property
    def is_relabelled(self) -> bool:
        """Whether it differs from its partner only in a name that is a label."""
        return self.position in self.comparison.relabelled

    @property
    def is_met(self) -> bool:
        """Whether the candidate has it in the words of another reference, and not in those of the golden."""
        return self.position in self.comparison.met

    @property
    def is_repeated(self) -> bool:
        """Whether another golden step has its words."""
        return self.comparison.derived(_golden_words)[plain_words(self.task.statement)] > 1

    @property
    def lost_values(self) -> tuple[str, ...]:
        """The numbers of its changed text that no candidate step has, as written; free ones are among them."""
        stated = self.comparison.derived(_stated)
        return tuple(one.text for one in lost_values(self.asked.demand, stated)) if self.asked else ()

    @property
    def edits(self) -> tuple[Contradiction, ...]:
        """The clauses that it lost and the actions that it gained, if its other words are the same."""
        return self.comparison.edits.get(self.position, ())

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """What the text of its carriers contradicts explicitly in all its wordings.

        If not all carriers together contradict it, those without the partners of other golden steps may: "production"
        in its own step is no less a contradiction because the step that tests says "staging".
        """
        changes = self.comparison.contract.contradictions(self.position, self.task.statement, self.text)
        if changes or self.partner is None or self.lacks_sole_step:
            return changes
        matched = self.comparison.golden_of
        own = [part for part in self.carriers if part == self.partner or part not in matched]
        if len(own) == len(self.shown_carriers):
            return changes
        text = one_text([self.comparison.candidate.tasks[part].statement for part in own])
        return self.comparison.contract.contradictions(self.position, self.task.statement, text)

    @cached_property
    def joined_into(self) -> int | None:
        """The candidate step that runs all its commands beside others, and did not in the golden; None if none does.

        It is not its partner. A command that the step of the golden runs, too, does not show that two were joined.
        """
        golden, candidate, running = self.comparison.derived(_commands)
        commands = golden[self.position]
        for position in min((running[command] for command in commands), key=len, default=()):
            run = candidate[position]
            twin = self.comparison.golden_of.get(position)
            new = twin is None or (twin != self.position and commands.isdisjoint(golden[twin]))
            if new and commands < run:
                return position
        return None

    @cached_property
    def said_in(self) -> int | None:
        """The candidate step that has its words as a clause among others, and did not in the golden; None if none has.

        For people. The step may be missing all the same: in the rest, the words may have lost their meaning.
        """
        golden, own = self.comparison.golden.tasks, self.task.statement
        for position, task in enumerate(self.comparison.candidate.tasks):
            if says_clause(task.statement, own):
                twin = self.comparison.golden_of.get(position)
                if twin is None or not says_clause(golden[twin].statement, own):
                    return position
        return None

    # --- measured: the contract -------------------------------------------------------------------------------------

    @property
    def is_optional(self) -> bool:
        """Whether it may be missing, by its mark or because another reference lacks it.

        If a step of that reference runs its commands instead, a step of the candidate has to run them, too.
        """
        contract = self.comparison.contract
        joined = self.position in contract.joined and self.joined_into is not None
        return self.position in contract.optional or joined

    @property
    def is_part_of_others(self) -> bool:
        """Whether it needs no candidate step of its own, because in another reference other steps do its work."""
        return self.position in self.comparison.contract.part_of_others

    @property
    def is_critical(self) -> bool:
        """Whether the file marks it as critical; a policy may name further critical steps."""
        return self.task.critical

    # --- does it have a candidate step? -----------------------------------------------------------------------------

    @property
    def is_unmatched(self) -> bool:
        """Whether it has no partner. It may be merged, and other steps may do its work."""
        return self.partner is None

    @property
    def is_merged(self) -> bool:
        """Whether it was merged with other golden steps. One of them is the partner of the merged step."""
        return self.merge is not None

    @cached_property
    def is_joined(self) -> bool:
        """Whether the step into which it was merged has the words of the merged steps, and no others: "A, then B"."""
        if self.merge is None:
            return False
        demands = [self.comparison.golden.tasks[step].statement for step in self.merge.golden]
        return is_join(demands, self.comparison.candidate.tasks[self.merge.candidate].statement)

    @property
    def is_split(self) -> bool:
        """Whether it was split into several candidate steps."""
        return self.split is not None

    @property
    def is_unaligned(self) -> bool:
        """Whether it is neither matched nor merged. Unlike a step that is absent, it may have carriers."""
        return self.is_unmatched and not self.is_merged

    @property
    def lacks_own_step(self) -> bool:
        """Whether it is unmatched, and the contract demands an own step. Unlike `is_unaligned`, merged ones count."""
        return self.is_unmatched and not self.is_optional and not self.is_part_of_others

    @property
    def lacks_sole_step(self) -> bool:
        """Whether it is merged or unaligned. Unlike `is_unmatched`, the partner of a merged step counts, too."""
        return self.is_merged or self.is_unaligned

    @property
    def is_reworded(self) -> bool:
        """Whether it has a candidate step of its own, in words that no reference has, whatever they mean."""
        return not self.lacks_sole_step and self.asked is not None and not self.is_met

    @property
    def shares_carriers(self) -> bool:
        """Whether it has no carrier, or another golden step has one of them, too; whatever the alignment says."""
        used = self.comparison.derived(_carried)
        return not self.carriers or any(used[part] > 1 for part in self.carriers)

    # --- is its work done? ------------------------------------------------------------------------------------------

    @property
    def is_uncarried(self) -> bool:
        """Whether no candidate step does its work, demanded or not. Its partner may be a step without words."""
        return not self.place.carriers

    @property
    def is_absent(self) -> bool:
        """Whether it is demanded and uncarried, or an unaligned repetition: its twin's step would carry it, too."""
        return not self.is_optional and (self.is_uncarried or (self.is_unaligned and self.is_repeated))

    @property
    def is_doubted(self) -> bool:
        """Whether its unadjusted p-value is at most 0.1; without a meaning model, whether it is unmatched."""
        if self.comparison.meaning_model is None:
            return self.is_unmatched
        return self.support is not None and self.support.doubted

    @property
    def is_significant(self) -> bool:
        """Whether its adjusted p-value is at most 0.05: a probable change that is reported. Stricter than doubt."""
        return self.support is not None and self.support.adjusted <= SIGNIFICANT

    @property
    def loss_p_value(self) -> float:
        """How often harmless changes seem to lose one of the golden's steps like this one; 0 if it is absent.

        It is Holm-adjusted for the number of golden steps, not of the changed ones, so that harmless changes lose one
        at alpha in at most this share of the workflows, whichever steps are critical. Without measured p-values, it is
        0 for a step that is doubted, and otherwise 1.
        """
        measured = self.support is not None and self.support.calibrated
        if self.is_uncarried or self.is_absent or (self.is_doubted and not measured):
            return 0.0
        return self.comparison.derived(_loss_p_values)[self.position]

    @property
    def is_left_out(self) -> bool:
        """Whether it is optional and the candidate lacks it: unaligned or doubted. Such a step is never missing."""
        return self.is_optional and (self.is_unaligned or self.is_doubted)

    @property
    def is_missing(self) -> bool:
        """Whether the candidate lacks it, and WR101 reports it: unaligned, and absent or doubted.

        Unlike an absent step, it may have carriers that are too unlike; unlike a gone step, it has no partner.
        """
        return self.is_unaligned and (self.is_absent or self.is_doubted) and not self.is_left_out

    @property
    def is_done_elsewhere(self) -> bool:
        """Whether it is unaligned, and carriers surely do its work: WR101 says so as information."""
        return self.is_unaligned and not self.is_left_out and not self.is_missing

    # --- does it still mean the same? -------------------------------------------------------------------------------

    @cached_property
    def has_lost_values(self) -> bool:
        """Whether every wording has a number that no candidate step has, and that is not free."""
        if self.asked is None or self.is_met or self.is_left_out:
            return False
        return self.comparison.contract.loses_values(
            self.position, self.asked.demand, self.comparison.derived(_stated)
        )

    @cached_property
    def is_contradicted(self) -> bool:
        """Whether it has edits, or the carriers of each wording contradict it. For the evidence.

        Unlike `exact_changes`, each wording is compared with its own carriers, and a missing step counts, too.
        """
        if self.asked is None or self.is_met or self.is_left_out:
            return False
        if self.edits:
            return True
        comparison, contract = self.comparison, self.comparison.contract
        others = [(one.text, one.place) for one in comparison.alternatives.get(self.position, ())]
        for text, place in ((self.asked.demand, comparison.golden_places[self.position]), *others):
            carriers = one_text([comparison.candidate.tasks[part].statement for part in place.parts])
            if not carriers or not contract.contradictions_of(self.position, text, carriers):
                return False
        return True

    @cached_property
    def lost_authority(self) -> Contradiction | None:
        """What decided or demanded in it, in each of its wordings, and does not in the text of its carriers.

        It only informs, unless a candidate step of which the golden has nothing may decide instead; or it is an
        example, an intention, or left to others.
        """
        if self.asked is None or self.is_met or self.is_left_out:
            return None
        from wfgate.language import lost_authority, lost_demand  # noqa: PLC0415 - only needed where texts differ

        others = self.comparison.derived(_undemanded)
        return self._against_all(
            lambda golden, text: lost_authority(golden, text, others) or lost_demand(golden, text)
        )

    @cached_property
    def word_changes(self) -> tuple[Contradiction, ...]:
        """What single words prove about the text of its carriers, compared with each of its wordings.

        The same words in exchanged roles, a part for a whole, somebody else who decides, a lost or opposed attribute,
        less force, a reversed preference, another path.
        """
        if self.asked is None or self.is_met or self.is_left_out:
            return ()
        from wfgate.language import (  # noqa: PLC0415 - only needed where texts differ
            changed_actor,
            exchanged_roles,
            lifted_prohibition,
            lost_attribute,
            narrowed_reach,
            opposed_attribute,
            replaced_name,
            reversed_preference,
            weakened_force,
        )

        stated, kept = self.comparison.derived(_attributes)
        wholes = self.comparison.derived(_wholes)
        finders = (
            exchanged_roles,
            narrowed_reach,
            changed_actor,
            opposed_attribute,
            weakened_force,
            reversed_preference,
            lifted_prohibition,
            lambda golden, text: lost_attribute(golden, text, stated, kept),
            lambda golden, text: replaced_name(golden, text, wholes),
        )
        return tuple(one for one in map(self._against_all, finders) if one is not None)

    def _against_all(self, find: Callable[[str, str], Contradiction | None]) -> Contradiction | None:
        """Return the change between it and its carriers; None if the carriers fit one of its other wordings."""
        wordings = [one.text for one in self.comparison.alternatives.get(self.position, ())]
        changes = [find(one[:READ], self.text[:READ]) for one in (self.task.statement, *wordings)]
        return changes[0] if all(changes) else None

    @cached_property
    def changed_text(self) -> str:
        """The text in which an exact change is shown: of the steps that do it, if they say it, else of all carriers.

        A carrier may be the step of another golden step, which has nothing to do with the change.
        """
        own = one_text([self.comparison.candidate.tasks[part].statement for part in self.done_by])
        changes = self.exact_changes
        said = set(self.comparison.contract.contradictions(self.position, self.task.statement, own))
        others = all(one.candidate_words.casefold() in own.casefold() for one in changes if one not in said)
        return own if own and others and said.issuperset(self.contradictions) else self.text

    @property
    def is_compared(self) -> bool:
        """Whether WR106 compares its meaning: not if it is relabelled, or if WR101 or WR104 reports it."""
        lost = self.is_unmatched and (self.is_uncarried or self.is_doubted)
        return not self.is_relabelled and not lost

    @cached_property
    def exact_changes(self) -> tuple[Contradiction, ...]:
        """The contradictions and edits that WR106 reports. Unlike estimates, they need no meaning model.

        A step that only informs counts if its other words are close: then nothing else became of it.
        """
        if not self.is_compared:
            return ()
        changes = self.contradictions
        lost = self.lost_authority
        if lost is not None:
            from wfgate.language import is_otherwise_close  # noqa: PLC0415 - only needed where texts differ

            if is_otherwise_close(self.task.statement, self.text):
                changes += (lost,)
        changes += self.word_changes
        known = {words for one in changes for words in (one.golden_words, one.candidate_words)}
        return changes + tuple(
            one
            for one in self.edits
            if not any(words in f"{one.golden_words}{one.candidate_words}" for words in known if words)
        )

    @property
    def is_refuted(self) -> bool:
        """Whether two witnesses speak against it: words of the one step that does it, and the meaning model.

        At most one harmless workflow in twenty has a step that the model doubts so much. In 3 of 2,380 harmless ones
        words seem to contradict that step, too.
        """
        return bool(self.exact_changes) and len(self.done_by) == 1 and self.loss_p_value <= SIGNIFICANT

    @property
    def is_reported_changed(self) -> bool:
        """Whether WR106 reports it: an exact change, or a significant one of a step that the candidate has.

        Of a step that was joined with others word for word nothing is lost: WR104 says the rest.
        """
        estimated = self.is_significant and not self.is_joined and not _runs_the_same(self)
        return self.is_compared and (bool(self.exact_changes) or estimated)

    @property
    def is_altered_by_words(self) -> bool:
        """Whether words show a change: a lost number, a contradiction or an edit; for evidence or for WR106."""
        return self.has_lost_values or self.is_contradicted or bool(self.exact_changes)

    # --- counts of demands: each step counts once -------------------------------------------------------------------

    @property
    def is_gone(self) -> bool:
        """Whether its demand is not met: absent, missing or significant. A missing step has no partner, this may."""
        return (self.is_absent or self.is_missing or self.is_significant) and not self.is_left_out

    @property
    def is_doubtful(self) -> bool:
        """Whether its p-value is at most 0.1 and it is not gone. Unlike `is_doubted`, this needs a meaning model."""
        doubted = self.support is not None and self.support.doubted
        return doubted and not self.is_gone and not self.is_left_out

    @property
    def is_altered(self) -> bool:
        """Whether it is contradicted or lost a number, and is neither gone nor doubtful."""
        return (self.has_lost_values or self.is_contradicted) and not self.is_gone and not self.is_doubtful

    @property
    def is_only_merged(self) -> bool:
        """Whether another step does its work, and it is neither gone nor doubtful nor altered."""
        return self.lacks_own_step and not self.is_gone and not self.is_doubtful and not self.is_altered

    # --- is it kept? ------------------------------------------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """Whether nothing speaks against the candidate doing it, maybe merged: not missing, doubted or altered."""
        return self.is_left_out or not (self.is_missing or self.is_doubted or self.is_altered_by_words)

    @property
    def is_kept(self) -> bool:
        """Whether one step of the candidate does it, alone, and nothing speaks against it; `is_done` may be merged.

        The words of another reference are approved, also those of a step that does several steps. A critical step that
        is not kept needs a review.
        """
        alone = self.is_done and not self.lacks_sole_step and not self.is_uncarried and self.lost_authority is None
        return self.is_left_out or self.is_met or alone

    @property
    def is_surely_kept(self) -> bool:
        """Whether it is kept in the same words, or in others with a p-value above `SURELY`: its order is a fact."""
        surely = self.support is None or self.support.p_value > SURELY
        return self.is_kept and (surely or self.is_left_out or self.is_met)

    # --- as a step of a contract: the candidate is another approved reference ---------------------------------------

    @property
    def is_dispensable(self) -> bool:
        """Whether a reference that is like this candidate makes it optional, unless it is critical.

        It is absent; or it is doubted, and unaligned or unlike every candidate step. Unlike `is_missing`, it may have
        a partner that is unlike it.
        """
        return self.is_absent or (self.is_doubted and (self.is_unaligned or self.best_similarity < LEAST))

    # --- does it have its place in the order? -----------------------------------------------------------------------

    @property
    def is_flipped(self) -> bool:
        """Whether it is one of the fewest steps (greedy) whose move explains all pairs in the opposite order."""
        return self.position in self.comparison.derived(order_changes).moved

    @property
    def is_reordered(self) -> bool:
        """Whether it is one of the fewest steps whose other place explains all changed pairs, also lost and gained."""
        return self.position in self.comparison.derived(order_changes).replaced

    @property
    def has_moved(self) -> bool:
        """Whether it moved, for people: like `is_reordered`, for the pairs that also differ between `done_by`.

        These are fewer pairs, so that another step may explain them.
        """
        placed = bool(self.done_by) and not self.is_left_out and not self.is_missing
        return placed and self.position in self.comparison.derived(moved_steps)

    # --- the one answer ---------------------------------------------------------------------------------------------

    def state(self, levels: Levels) -> State:
        """Return what became of it, in one word: the first of these definitions that holds.

        Args:
            levels: Significance levels of the words.
        """
        texts = [self.comparison.candidate.tasks[part].statement for part in self.done_by]
        adjusted = (
            1.0 if self.support is None or _runs_the_same(self) else (self.support.rate or self.support.adjusted)
        )
        settled = levels.probably == 0
        altered = self.is_altered_by_words and not _says_all(self)
        definitions: tuple[tuple[State, bool], ...] = (
            ("left-out", self.is_left_out),
            ("missing", self.is_missing),
            ("changed", (bool(self.exact_changes) and not settled) or adjusted <= levels.changed),
            ("probably-changed", (altered and not settled) or adjusted <= levels.probably),
            ("doubtful", self.is_doubted or altered),
            ("same", texts == [self.task.statement]),
        )
        return next((state for state, holds in definitions if holds), "reworded")


def _attributes(comparison: "Comparison") -> tuple[frozenset[int], frozenset[int]]:
    """Return the attributes that any candidate step states, and those that steps without a golden step may keep."""
    from wfgate.language import kept_attributes, stated_attributes  # noqa: PLC0415 - see `Fate.word_changes`

    stated = (stated_attributes(task.statement[:READ]) for task in comparison.candidate.tasks)
    return frozenset[int]().union(*stated), kept_attributes(comparison.derived(_undemanded))


def _wholes(comparison: "Comparison") -> tuple[str, str]:
    """Return all texts of the steps of both sides, folded."""
    golden, candidate = (
        folded("\n".join(f"{task.statement}\n{task.marked or ''}" for task in side.tasks))
        for side in (comparison.golden, comparison.candidate)
    )
    return golden, candidate


def _runs_the_same(fate: Fate) -> bool:
    """Return whether one candidate step does it, with the same commands: then other words about them are no change.

    For people: such a step is at most doubtful ("Cordon the node", "Mark the node as unschedulable").
    """
    tasks = fate.comparison.candidate.tasks
    return len(fate.done_by) == 1 and run_the_same(fate.task, tasks[fate.done_by[0]])


def _says_all(fate: Fate) -> bool:
    """Return whether words only show that it lost "100 %", and the candidate says "all" instead. For people."""
    totals = fate.lost_values and all(_TOTAL.fullmatch(value) for value in fate.lost_values)
    said = bool(totals) and not fate.is_contradicted and not fate.exact_changes
    return said and _ALL.search(fate.text) is not None


@dataclass(frozen=True, eq=False)
class Addition:
    """What a candidate step is to the golden: a step of it, or an addition.

    Attributes:
        comparison: The pair.
        position: Position of the step in the candidate.
    """

    comparison: "Comparison" = field(repr=False)
    position: int

    # --- measured ---------------------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The step."""
        return self.comparison.candidate.tasks[self.position]

    @property
    def partner(self) -> int | None:
        """The golden step that is matched with it; None if there is none."""
        return self.comparison.golden_of.get(self.position)

    @property
    def merge(self) -> Merge | None:
        """The golden steps that were merged into it, its partner among them."""
        return self.comparison.derived(_merged_into).get(self.position)

    @property
    def sources(self) -> frozenset[int]:
        """The golden steps that demand its work as far as similarity and alignment say."""
        return self.comparison.sources[self.position].carriers

    @property
    def support(self) -> Support | None:
        """Logit and p-values of "the golden demands its work"; None if it is no addition, or has no sources."""
        return self.comparison.added_support_of.get(self.position)

    @property
    def is_repeated(self) -> bool:
        """Whether another candidate step has its words."""
        return self.comparison.derived(_candidate_words)[plain_words(self.task.statement)] > 1

    @property
    def is_in_new_words(self) -> bool:
        """Whether no step of any reference has its words."""
        return self.position in self.comparison.in_new_words

    @property
    def is_split_part(self) -> bool:
        """Whether it is a part of a golden step that was split."""
        return self.position in self.comparison.derived(_split_parts)

    # --- is it an addition? -----------------------------------------------------------------------------------------

    @property
    def is_unmatched(self) -> bool:
        """Whether it has no partner. It may be a part of a split."""
        return self.partner is None

    @property
    def is_unaligned(self) -> bool:
        """Whether it is neither matched nor a part of a split. A step into which others were merged is matched."""
        return self.is_unmatched and not self.is_split_part

    @property
    def is_surplus(self) -> bool:
        """Whether it is unaligned, or the partner of a golden step that is left out."""
        return self.is_unaligned or (self.partner is not None and self.comparison.fates[self.partner].is_left_out)

    @property
    def is_allowed(self) -> bool:
        """Whether it is surplus, and another approved reference has it in addition to the golden, too."""
        return self.position in self.comparison.derived(_allowed)

    @property
    def is_extra(self) -> bool:
        """Whether it is surplus and not allowed."""
        return self.is_surplus and not self.is_allowed

    @property
    def is_demanded(self) -> bool:
        """Whether the meaning model finds its work in the golden: compared, and not doubted."""
        return self.support is not None and not self.support.doubted

    @property
    def is_unasked(self) -> bool:
        """Whether it is unaligned, and the golden may not demand its work. Unlike `is_extra`, it may be allowed."""
        return self.is_unaligned and not self.is_demanded

    @property
    def is_reported_new(self) -> bool:
        """Whether WR102 reports it as new (as information, if it is allowed); other surplus steps do known work."""
        return self.is_surplus and (self.is_allowed or self.is_unasked or not self.is_unaligned)

    @property
    def is_added(self) -> bool:
        """Whether it is extra and no golden step that is not left out demands its work, or it repeats a step.

        Unlike `is_unasked`, this needs no meaning model: it has no sources at all.
        """
        return self.is_extra and (
            self.is_repeated or all(self.comparison.fates[step].is_left_out for step in self.sources)
        )

    @property
    def is_new(self) -> bool:
        """Whether it is added, or significantly not demanded. Unlike `is_unasked`, doubt alone does not count."""
        significant = self.support is not None and self.support.adjusted <= SIGNIFICANT
        return (self.is_added or significant) and not self.is_allowed


# --- computed for all steps of a pair together; `Comparison.derived` keeps the results -------------------------------


def _merges(comparison: "Comparison") -> dict[int, Merge]:
    return {step: merge for merge in comparison.alignment.merges for step in merge.golden}


def _merged_into(comparison: "Comparison") -> dict[int, Merge]:
    return {merge.candidate: merge for merge in comparison.alignment.merges}


def _splits(comparison: "Comparison") -> dict[int, Split]:
    return {split.golden: split for split in comparison.alignment.splits}


def _partners(comparison: "Comparison") -> dict[int, frozenset[int]]:
    return comparison.alignment.partners()


def _split_parts(comparison: "Comparison") -> frozenset[int]:
    return frozenset(part for split in comparison.alignment.splits for part in split.candidate)


def _stated(comparison: "Comparison") -> Stated:
    return stated_values(comparison.candidate)


def _golden_words(comparison: "Comparison") -> Counter[str]:
    return Counter(plain_words(task.statement) for task in comparison.golden.tasks)


def _candidate_words(comparison: "Comparison") -> Counter[str]:
    return Counter(plain_words(task.statement) for task in comparison.candidate.tasks)


def _commands(
    comparison: "Comparison",
) -> tuple[list[frozenset[str]], list[frozenset[str]], defaultdict[str, list[int]]]:
    """Return the commands of each golden step, those of each candidate step, and which candidate steps run each."""
    golden, candidate = (
        [commands_run(task) for task in side.tasks] for side in (comparison.golden, comparison.candidate)
    )
    running = defaultdict[str, list[int]](list)
    for position, commands in enumerate(candidate):
        for command in commands:
            running[command].append(position)
    return golden, candidate, running


def _carried(comparison: "Comparison") -> Counter[int]:
    """Return of how many golden steps each candidate step is a carrier."""
    return Counter(part for place in comparison.places for part in place.parts)


def _allowed(comparison: "Comparison") -> frozenset[int]:
    surplus = [step.position for step in comparison.additions_in_order if step.is_surplus]
    contract, model = comparison.contract, comparison.meaning_model
    return allowed_steps(contract, comparison.candidate, surplus, comparison.embedder, model)


def _undemanded(comparison: "Comparison") -> str:
    """Return the texts of the candidate steps of which the golden has nothing."""
    new = (step.task.statement for step in comparison.additions if step.is_surplus or step.is_unmatched)
    return "\n".join(text[:READ] for text in new)


def _loss_p_values(comparison: "Comparison") -> dict[int, float]:
    """Return the measured p-values, Holm-adjusted for the number of golden steps.

    They do not depend on the critical steps: otherwise a further critical step would raise the p-values of the others,
    and a block could become a pass.
    """
    steps = comparison.golden_order
    doubts = {step: support.doubt for step, support in comparison.support_of.items() if support.calibrated}
    return dict(zip(steps, holm([10 ** -doubts.get(step, 0.0) for step in steps]), strict=True))


def _done_by(comparison: "Comparison") -> list[tuple[int, ...]]:
    rank = {task: place for place, task in enumerate(comparison.candidate_order)}
    free = positions(step for step in comparison.additions if step.is_unaligned)
    own: list[frozenset[int]] = []
    others: list[frozenset[int]] = []
    for fate in comparison.fates:
        carriers = fate.carriers or fate.place.window[:1]
        if fate.aligned.issuperset(carriers):  # the same result, without the similarity, which equal workflows lack
            own.append(fate.aligned)
            others.append(frozenset())
            continue
        similar = comparison.similarity[fate.position]
        best = max((similar[part] for part in carriers), default=0.0)
        near = frozenset(part for part in carriers if similar[part] >= best - TIE)
        is_own = not near or any(similar[part] >= best - TIE for part in fate.aligned)
        own.append(fate.aligned | (near & free) if is_own else near)
        others.append(frozenset() if is_own else fate.aligned)
    claimed = frozenset[int]().union(*own)
    return [  # each aligned candidate step has its place
        tuple(sorted(parts | (other - claimed), key=rank.__getitem__))
        for parts, other in zip(own, others, strict=True)
    ]
