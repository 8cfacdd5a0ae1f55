"""What became of each step of small pairs: each definition holds for some steps, not for others, and they agree."""

from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import LOST, Contract, Fate, Levels, compare
from wfgate.compare.fate import Addition
from wfgate.compare.supports import vocabulary
from wfgate.language import MeaningModel, MeaningScore
from wfgate.model import Link, Task, Workflow
from wfgate.read import read_data

from ..hypothesis_examples import examples
from .conftest import STEPS, workflows


class Told(MeaningModel):
    """A calibrated model with given p-values of golden texts; all other texts mean the same."""

    id = "told"
    fingerprint = "0" * 64
    calibrated = True

    def __init__(self, p_values=()):
        self.p_values = dict(p_values)

    def _compare(self, pairs):
        return [MeaningScore(5.0 if (p := self.p_values.get(golden, 1.0)) == 1 else -1 / p) for golden, _ in pairs]

    def p_value(self, logit, words=10):  # noqa: ARG002 - the interface
        return 1.0 if logit > 0 else -1 / logit


def definitions(kind):
    """Return the names of the definitions of a class: its properties that are true or false."""
    getters = {
        name: value.func if isinstance(value, cached_property) else value.fget
        for name, value in vars(kind).items()
        if isinstance(value, (property, cached_property))
    }
    return {name for name, getter in getters.items() if getter.__annotations__["return"] is bool}


OF_GOLDEN, OF_CANDIDATE = definitions(Fate), definitions(Addition)
DONE = {"is_done", "is_kept"}
"""Definitions that follow from the state and from others of a row."""


def chain(*steps):
    """Return steps one after the other: texts or tasks."""
    tasks = tuple(
        (step if isinstance(step, Task) else Task(id="", name=step)).model_copy(update={"id": f"t{place}"})
        for place, step in enumerate(steps)
    )
    return Workflow(tasks=tasks, links=tuple(Link(source=one.id, target=two.id) for one, two in pairwise(tasks)))


def holding(step, names):
    """Return the definitions that hold for a step."""
    return {name for name in names if getattr(step, name)}


BUILD, TEST, SHIP, SIGN = (
    "Compile the service with Maven",
    "Run the integration tests",
    "Upload the archive to Nexus",
    "Sign the archive with the company key",
)
BOTH = f"{SIGN} and upload the archive to Nexus"
STAGING, PRODUCTION = "Deploy to staging", "Deploy to production"
WAIT, PIZZA, CARE = "Wait 30 minutes for it", "Order pizza for the team", "Check everything with care"
OPTIONAL, CRITICAL = Task(id="", name=TEST, optional=True), Task(id="", name=TEST, critical=True)
OTHERS = Contract(wordings={1: ((Task(id="x", name=CARE),),)}, part_of_others=frozenset({1}))

UNMATCHED = "is_unmatched is_unaligned lacks_own_step lacks_sole_step shares_carriers"
GONE = f"{UNMATCHED} is_absent is_missing is_gone is_dispensable"
NOWHERE = f"{GONE} is_uncarried"
SAME = "is_compared is_verbatim is_surely_kept"
OTHER = "is_compared is_reworded"
KEPT = f"{OTHER} is_surely_kept"
CHANGED = f"{OTHER} is_reported_changed"
WORDS = f"{CHANGED} is_altered_by_words is_contradicted"
DOUBTED = "is_doubted is_significant is_gone"
LEFT_OUT = "is_left_out is_surely_kept"
MERGED = "is_merged lacks_sole_step shares_carriers"

FATES = {
    "the same words": ([BUILD, TEST], [BUILD, TEST], {}, 1, "same", SAME),
    "other words": ([BUILD, TEST], [BUILD, "Execute integration tests"], {}, 1, "reworded", KEPT),
    "other words, not surely": ([BUILD, TEST], [BUILD, "Run some tests"], {TEST: 0.3}, 1, "reworded", OTHER),
    "no step has it": ([BUILD, CRITICAL, SHIP], [BUILD, SHIP], {}, 1, "missing", f"{NOWHERE} is_critical"),
    "optional, no step has it": (
        *([BUILD, OPTIONAL, SHIP], [BUILD, SHIP], {}, 1, "left-out"),
        f"is_unmatched is_unaligned lacks_sole_step shares_carriers is_uncarried is_optional {LEFT_OUT}",
    ),
    "optional, significant": (
        *([BUILD, OPTIONAL, SHIP], [BUILD, "Run some tests", SHIP], {TEST: 0.001}, 1, "left-out"),
        f"{CHANGED} is_doubted is_significant is_optional {LEFT_OUT}",
    ),
    "merged into the partner of another": (
        *([BUILD, SIGN, SHIP], [BUILD, BOTH], {}, 1, "reworded"),
        f"is_compared {MERGED} is_joined is_unmatched lacks_own_step is_only_merged",
    ),
    "merged, with the partner": (
        [BUILD, SIGN, SHIP],
        [BUILD, BOTH],
        {},
        2,
        "reworded",
        f"is_compared {MERGED} is_joined",
    ),
    "merged, doubtful": (
        *([BUILD, SIGN, SHIP], [BUILD, BOTH], {SHIP: 0.08}, 2, "doubtful"),
        f"{MERGED} is_joined is_unmatched lacks_own_step is_doubted is_doubtful",
    ),
    "similar to the partner of another step, without a common word": (
        *([BUILD, "Limit your sodium intake", "Limit your phosphorus intake"],),
        *([BUILD, "Get your phosphorus consumption down"], {}, 1, "missing", NOWHERE),
    ),
    "covered by the partner of another step, without a common word": (
        *(["Find cheap deals", "Collect all the essentials and get ready", BUILD],),
        *(["Find cheap deals and prepare for the trip", BUILD], {}, 1, "missing", NOWHERE),
    ),
    "done by the partner of another step": (
        *([BUILD, TEST, SHIP], ["Compile the service, run the tests and upload it", "Run the unit tests"], {}, 2),
        *("reworded", f"{UNMATCHED} is_done_elsewhere is_only_merged is_compared"),
    ),
    "split": ([BUILD, BOTH], [BUILD, SIGN, SHIP], {}, 1, "reworded", f"{KEPT} is_split"),
    "doubtful": (
        *([BUILD, TEST], [BUILD, "Run some tests"], {TEST: 0.08}, 1, "doubtful"),
        f"{OTHER} is_doubted is_doubtful",
    ),
    "significant": (
        *([BUILD, TEST], [BUILD, "Run some tests"], {TEST: 0.02}, 1, "probably-changed"),
        f"{CHANGED} {DOUBTED}",
    ),
    "replaced by another step": (
        *([BUILD, TEST, SHIP], [BUILD, PIZZA, SHIP], {TEST: 0.001}, 1, "changed"),
        f"{CHANGED} {DOUBTED} is_dispensable",
    ),
    "contradicted": ([BUILD, STAGING], [BUILD, PRODUCTION], {}, 1, "changed", f"{WORDS} is_altered"),
    "contradicted, significant": (
        *([BUILD, STAGING], [BUILD, PRODUCTION], {STAGING: 0.01}, 1, "changed"),
        f"{WORDS} {DOUBTED} is_refuted",
    ),
    "a number is lost": (
        *([BUILD, WAIT], [BUILD, "Wait for it"], {}, 1, "changed"),
        f"{WORDS} is_altered has_lost_values",
    ),
    "a clause is lost": (
        *(
            [BUILD, "Delete the subnet, and stop if one is still in use"],
            [BUILD, "Delete the subnet"],
            {},
            1,
            "changed",
        ),
        f"{WORDS} is_altered",
    ),
    "a repetition is lost": (
        *([BUILD, TEST, TEST, SHIP], [BUILD, TEST, SHIP], {}, 2, "missing"),
        f"{GONE} is_repeated is_compared",
    ),
    "moved": (
        *([BUILD, TEST, SHIP], [TEST, BUILD, SHIP], {}, 0, "same"),
        f"{SAME} is_flipped is_reordered has_moved",
    ),
    "in the words of another reference": (
        *([BUILD, TEST], [BUILD, CARE], {TEST: 0.01}, 1, "reworded"),
        *("is_compared is_met is_part_of_others is_surely_kept", OTHERS),
    ),
}
"""Golden, candidate, p-values, position, state, the definitions that hold; and what other references leave free."""

NEW = "is_unmatched is_unaligned is_surplus is_unasked is_reported_new"
ADDITIONS = {
    "the same words": ([BUILD, TEST], [BUILD, TEST], {}, 1, ""),
    "other words": ([BUILD, TEST], [BUILD, "Execute integration tests"], {}, 1, "is_in_new_words"),
    "a part of a split": (
        *([BUILD, BOTH], [BUILD, SIGN, SHIP], {}, 1),
        "is_in_new_words is_split_part is_unmatched",
    ),
    "no golden step has it": (
        *([BUILD, TEST], [BUILD, TEST, PIZZA], {}, 2),
        f"{NEW} is_extra is_added is_new is_in_new_words",
    ),
    "a repetition": (
        *([BUILD, TEST], [BUILD, TEST, PIZZA, TEST], {}, 1),
        f"{NEW} is_extra is_added is_new is_repeated",
    ),
    "another reference has it": (
        *([BUILD, TEST], [BUILD, TEST, PIZZA], {}, 2, f"{NEW} is_allowed"),
        Contract(additional=(Task(id="x", name=PIZZA),)),
    ),
    "instead of an optional step": (
        *([BUILD, OPTIONAL, SHIP], [BUILD, "Run some tests", SHIP], {TEST: 0.001}, 1),
        "is_surplus is_extra is_added is_new is_demanded is_reported_new is_in_new_words",
    ),
}


@pytest.fixture(scope="module")
def compared(embedder):
    def of(golden, candidate, p_values=(), contract=None):
        found = compare(chain(*golden), chain(*candidate), embedder, Told(p_values))
        return replace(found, contract=found.contract | contract) if contract else found

    return of


@pytest.mark.parametrize("name", FATES)
def test_what_became_of_a_golden_step(compared, name):
    golden, candidate, p_values, position, state, names, *contract = FATES[name]
    fate = compared(golden, candidate, p_values, *contract).fates[position]
    found, expected = holding(fate, OF_GOLDEN), set(names.split())
    assert (fate.state(Levels()), found - DONE) == (state, expected)
    assert fate.is_done is (state in {"same", "reworded", "left-out"})
    alone = fate.is_done and expected.isdisjoint({"lacks_sole_step", "is_uncarried"})
    assert fate.is_kept is (alone or not expected.isdisjoint({"is_left_out", "is_met"}))


@pytest.mark.parametrize("name", ADDITIONS)
def test_what_a_candidate_step_is_to_the_golden(compared, name):
    golden, candidate, p_values, position, names, *contract = ADDITIONS[name]
    addition = compared(golden, candidate, p_values, *contract).additions[position]
    assert holding(addition, OF_CANDIDATE) == set(names.split())


def test_every_definition_holds_for_some_step_of_the_tables_and_not_for_all():
    """A step with another label needs a format with labels: see below."""
    for rows, column, names in ((FATES, 5, OF_GOLDEN - {"is_relabelled"} - DONE), (ADDITIONS, 4, OF_CANDIDATE)):
        found = [set(row[column].split()) for row in rows.values()]
        assert set().union(*found) == names
        assert set.intersection(*found) == set()


def test_a_step_with_another_label_is_the_same(embedder):
    node = {
        "name": "Ask",
        "type": "n8n-nodes-base.httpRequest",
        "typeVersion": 1,
        "parameters": {"url": "https://a.b"},
    }
    golden, candidate = (
        read_data({"name": "It", "nodes": [{**node, "name": name}], "connections": {}}, "it").workflow
        for name in ("Ask", "AI agent")
    )
    (fate,) = compare(golden, candidate, embedder, Told({"Ask": 0.001})).fates
    assert holding(fate, OF_GOLDEN) == {"is_relabelled", "is_verbatim", "is_surely_kept"} | DONE


def test_without_a_meaning_model_doubt_means_that_no_step_is_matched(tools):
    comparison = tools.compare(chain(BUILD, TEST, SIGN), chain(BUILD, SHIP, PIZZA, SHIP))
    assert {fate.is_doubted == fate.is_unmatched for fate in comparison.fates} == {True}
    assert not any(fate.is_significant or fate.is_doubtful for fate in comparison.fates)
    assert all(addition.is_unasked == addition.is_unaligned for addition in comparison.additions)


def test_losses_are_adjusted_for_the_steps_of_the_golden_and_changes_for_the_changed_steps(compared):
    comparison = compared([BUILD, TEST, SHIP, SIGN], [BUILD, "Run some tests", SHIP], {TEST: 0.01})
    assert [fate.loss_p_value for fate in comparison.fates] == pytest.approx([1.0, 0.04, 1.0, 0.0])
    assert comparison.fates[1].support.adjusted == pytest.approx(0.02)  # two steps changed: one is gone


def test_a_fate_holds_what_its_definitions_are_made_of(compared):
    comparison = compared([BUILD, SIGN, SHIP, WAIT], [BUILD, BOTH, "Wait for it"], {WAIT: 0.08})
    _, sign, ship, wait = comparison.fates
    assert (sign.merge.golden, sign.merge.candidate) == ((1, 2), 1)
    assert (sign.aligned, ship.partner, ship.done_by) == ({1}, 1, (1,))
    assert (wait.lost_values, wait.support.p_value) == (("30 minutes",), pytest.approx(0.08))
    assert [found.golden_words for found in wait.exact_changes] == ["30 minutes"]
    assert wait.text == "Wait for it"


P_VALUES = st.dictionaries(st.sampled_from(STEPS), st.sampled_from((0.001, 0.01, 0.04, 0.08, 1.0)))


@settings(max_examples=examples(200), deadline=None)
@given(workflows(), workflows(), P_VALUES, st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6)))
def test_the_definitions_agree(embedder, golden, candidate, p_values, optional, parts):
    contract = Contract(optional=frozenset(optional), part_of_others=frozenset(parts))
    comparison = replace(compare(golden, candidate, embedder, Told(p_values)), contract=contract)
    for fate in comparison.fates:
        holds = holding(fate, OF_GOLDEN)
        for name, others in IMPLIED.items():
            assert name not in holds or holds.issuperset(others.split()), name
        for group in EXCLUSIVE:
            assert len(holds.intersection(group.split())) <= 1, group
        assert fate.is_unmatched == (fate.partner is None)
        assert (fate.state(Levels()) in LOST) == (fate.is_missing or fate.is_left_out)
        assert fate.state(Levels()) in LOST or fate.done_by
        assert fate.state(Levels()) not in {"same", "reworded"} or not (fate.is_doubted or fate.is_altered_by_words)
        assert fate.state(Levels(changed=0.0, probably=0.0)) not in {"changed", "probably-changed"}
        assert not fate.has_moved or fate.done_by
        assert fate.place.carriers == set(fate.carriers)
        assert set(fate.aligned) >= ({fate.partner} - {None})
        for part in fate.place.window if fate.is_unmatched else ():
            step = comparison.additions[part]
            words = vocabulary(fate.task.statement) & vocabulary(step.task.statement)
            assert step.is_unmatched or fate.is_met or words
        assert 0 <= fate.loss_p_value <= 1
    flipped, moved, reordered = (any(getattr(fate, name) for fate in comparison.fates) for name in ORDERS)
    assert reordered or not (flipped or moved)
    for step in comparison.additions:
        holds = holding(step, OF_CANDIDATE)
        for name, others in IMPLIED_OF_CANDIDATE.items():
            assert name not in holds or holds.issuperset(others.split()), name
        assert step.partner is None or comparison.fates[step.partner].partner == step.position
    aligned = {part for fate in comparison.fates for part in fate.aligned}
    assert {step.position for step in comparison.additions if not step.is_unaligned} == aligned
    assert aligned <= {part for fate in comparison.fates for part in fate.done_by}


IMPLIED = {
    "is_unaligned": "is_unmatched lacks_sole_step",
    "is_merged": "lacks_sole_step",
    "is_surely_kept": "is_kept",
    "lacks_own_step": "is_unmatched",
    "is_missing": "is_unmatched is_unaligned is_gone",
    "is_done_elsewhere": "is_unaligned",
    "is_only_merged": "lacks_own_step",
    "is_uncarried": "shares_carriers",
    "is_absent": "is_gone is_dispensable",
    "is_significant": "is_doubted",
    "is_left_out": "is_optional",
    "is_doubtful": "is_doubted",
    "is_altered": "is_altered_by_words",
    "has_lost_values": "is_altered_by_words",
    "is_reported_changed": "is_compared",
}
"""Definitions that are stricter than others."""
EXCLUSIVE = (
    "is_gone is_doubtful is_altered is_only_merged is_left_out",
    "is_gone is_doubtful is_altered is_only_merged is_surely_kept",
    "is_reworded is_verbatim is_met",
    "is_reworded is_unaligned is_merged",
    "is_missing is_left_out",
    "is_missing is_done_elsewhere is_left_out is_merged",
    "is_verbatim is_doubted",
    "is_verbatim is_unmatched",
)
"""Definitions of which at most one holds for a step."""
ORDERS = "is_flipped", "has_moved", "is_reordered"
"""Each is a cover of pairs of its own, so that one step may have moved and another one be reordered."""
IMPLIED_OF_CANDIDATE = {
    "is_unaligned": "is_unmatched is_surplus",
    "is_extra": "is_surplus",
    "is_allowed": "is_surplus is_reported_new",
    "is_unasked": "is_unaligned is_reported_new",
    "is_added": "is_extra",
}


def test_a_step_whose_words_are_a_clause_of_another_one_is_said_in_it(embedder):
    golden = chain(BUILD, TEST, SHIP)
    for joined, where in ((f"{TEST}, then {SHIP.lower()}", 1), (f"{TEST}, but do not {SHIP.lower()}", None)):
        fate = compare(golden, chain(BUILD, joined), embedder).fates[2]
        assert fate.said_in == where
    assert compare(golden, golden, embedder).fates[2].said_in is None
