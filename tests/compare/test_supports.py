"""Where golden steps are done in the candidate, what the meaning model reads, and p-values among others."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import compare, holm
from wfgate.compare.supports import SPREAD, WINDOW, nearest
from wfgate.language import MeaningModel, MeaningScore
from wfgate.model import Task, Workflow

from ..conftest import STEP_MODEL
from ..hypothesis_examples import examples

WORDS = [first + last for first in ("alpha ", "beta ", "gamma ", "delta ") for last in "bcdfghklmnpqrst"]
P_VALUES = st.lists(st.floats(0, 1, exclude_min=True), max_size=7)


def holm_by_closure(p_values):
    """Adjusted p-values by the closure principle: the largest Bonferroni p-value of all subsets that have it."""
    places = range(len(p_values))
    subsets = [s for size in range(1, len(p_values) + 1) for s in itertools.combinations(places, size)]
    return [
        max(min(1.0, min(p_values[i] for i in subset) * len(subset)) for subset in subsets if place in subset)
        for place in places
    ]


@settings(max_examples=examples(200))
@given(P_VALUES)
def test_holm_is_the_closure_of_bonferroni(p_values):
    assert holm(p_values) == pytest.approx(holm_by_closure(p_values))


@settings(max_examples=examples(100))
@given(P_VALUES, st.randoms(use_true_random=False))
def test_holm_does_not_depend_on_the_order(p_values, rng):
    order = list(range(len(p_values)))
    rng.shuffle(order)
    shuffled = holm([p_values[place] for place in order])
    assert [shuffled[order.index(place)] for place in range(len(p_values))] == pytest.approx(holm(p_values))


class Listening(MeaningModel):
    """Believes texts of equal length, and remembers what it was asked."""

    id = "listening"
    fingerprint = "0" * 64

    def __init__(self):
        self.asked = []

    def _compare(self, pairs):
        self.asked += pairs
        return [MeaningScore(3.0 if len(a) == len(b) else -3.0) for a, b in pairs]


def test_a_verbatim_step_is_no_test(tools):
    model = Listening()
    golden = tools.line("Fetch the data", "Clean the data", "Send the report")
    candidate = tools.line("fetch the data.", "2. Clean the  data", "Send the bill")
    (step,) = compare(golden, candidate, tools.embedder, model).supports
    assert (step.golden, step.candidate) == (2, (2,))
    assert set(model.asked) == {("Send the report", "Send the bill")}  # verbatim steps do nothing else
    assert step.p_value == model.p_value(-3.0) == pytest.approx(step.adjusted)
    assert step.rate is None  # this model was never measured


def test_merged_steps_have_one_place_and_parts_of_a_split_step_are_read_together(tools):
    model = Listening()
    golden = tools.line("Fetch the data.", "Clean the data", "Write the report and mail the report")
    candidate = tools.line("2. Mail the report", "1. Write the report", "Fetch and clean the data")
    comparison = compare(golden, candidate, tools.embedder, model)
    assert all(2 in place.carriers for place in comparison.places[:2])
    assert comparison.places[2].carriers == {0, 1}
    windows = {asked.demand: asked.window for asked in comparison.changed_texts.values()}
    assert windows["Fetch the data."] == "Fetch and clean the data"
    assert windows["Write the report and mail the report"] == "Mail the report | Write the report"
    assert not [place for place in comparison.places if not place.carriers]


def test_a_missing_step_has_no_place_in_steps_that_the_golden_has_word_for_word(tools):
    golden = tools.line("Back up the orders database", "Migrate the orders database", "Restart the shop")
    comparison = tools.compare(golden, tools.line("Migrate the orders database", "Restart the shop"))
    assert [sorted(place.carriers) for place in comparison.places] == [[], [0], [1]]
    merged = tools.line("Do a backup and migration of the orders database", "Restart the shop")
    assert all(place.carriers for place in tools.compare(golden, merged).places)


@settings(max_examples=examples(200))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_the_nearest_steps(row, rng):
    rank = list(range(len(row)))
    rng.shuffle(rank)
    found = nearest(np.array(row), np.array(rank))
    close = [step for step in range(len(row)) if row[step] >= max(row) - SPREAD]
    assert len(found) == min(WINDOW, len(close))
    assert sorted(found, key=lambda step: (-row[step], rank[step])) == found
    assert set(found) <= set(close)


def test_a_sure_change_is_established_among_any_number_of_rewordings(tools):
    """P-values end where the goldens end that they were measured on; their continued tail does not."""

    class Measured(Listening):
        calibrated = True

        def _compare(self, pairs):
            return [MeaningScore(-9.0 if "Disable" in candidate else 3.0) for _, candidate in pairs]

        def p_value(self, logit, words=10):  # noqa: ARG002 - the interface
            return 0.002 if logit < 0 else 0.5

        def doubt(self, logit, words=10):
            return 5.0 if logit < 0 else super().doubt(logit, words)

    golden = tools.line(*(f"Write page {word}" for word in WORDS), "Enable the second factor for everybody")
    candidate = tools.line(*(f"Page {word}: write it" for word in WORDS), "Disable the second factor for everybody")
    last = compare(golden, candidate, tools.embedder, Measured()).supports[-1]
    assert (last.golden, last.p_value) == (len(WORDS), 0.002)
    assert last.adjusted == pytest.approx(1e-5 * (len(WORDS) + 1))
    assert last.rate == 0.002  # no surer than what was measured


def test_arguments_are_no_words(tools):
    golden = tools.line("Deploy", "Wait")
    changed = golden.model_copy(
        update={"tasks": (golden.tasks[0].model_copy(update={"params": {"zone": "b"}}), golden.tasks[1])}
    )
    assert compare(golden, changed, tools.embedder, Listening()).supports == ()


def test_without_a_meaning_model_there_are_no_supports(tools):
    assert tools.compare(tools.line("Fetch"), tools.line("Send")).supports == ()


def test_a_doubted_step_goes_to_the_step_that_says_the_same(tools):
    """Texts that resemble each other but mean something else are exchanged back by the judge."""

    class Knowing(Listening):
        def _compare(self, pairs):
            return [MeaningScore(4.0 if (a[:7], b[:5]) in same else -4.0) for a, b in pairs]

    same = {("Disable", "Turn "), ("Enable ", "Let c")}
    golden = tools.line("Disable the cache of the shop", "Enable the cache of the bank")
    candidate = tools.line("Turn the cache of the bank off", "Let customers have the cache of the shop")
    plain = compare(golden, candidate, tools.embedder)
    judged = compare(golden, candidate, tools.embedder, Knowing())
    assert plain.candidate_of == {0: 1, 1: 0}
    assert judged.candidate_of == {0: 0, 1: 1}
    assert tools.unaligned(plain)[0] == tools.unaligned(judged)[0] == ()


def test_a_step_in_doubt_goes_to_the_one_of_its_name_whatever_their_arguments(tools):
    """The argument of the lost step is in the other one now: that is no reason to call the other one lost."""

    class Doubting(Listening):
        def _compare(self, pairs):
            return [MeaningScore(-4.0) for _ in pairs]

    said = "Add a reverb effect with a 2-second decay, then an equalization boosting the bass frequencies by 3dB."
    now = "Ajouter un effet de réverbération, suivi d'une égalisation augmentant les fréquences basses de 3dB"
    effects = Task(id="a", name="Audio Effects")
    golden = Workflow(tasks=(effects, Task(id="b", name="Text Simplifier", params={"x": [said]})))
    candidate = Workflow(tasks=(effects.model_copy(update={"params": {"x": [now]}}),))
    assert compare(golden, candidate, tools.embedder).candidate_of == {1: 0}
    assert compare(golden, candidate, tools.embedder, Doubting()).candidate_of == {0: 0}


def test_a_pair_that_the_judge_believes_is_kept_however_unlike(tools):
    class Believing(Listening):
        def _compare(self, pairs):
            return [MeaningScore(5.0) for _ in pairs]

    golden, candidate = tools.line("xylophone", "zebra"), tools.line("§", "%")
    assert not compare(golden, candidate, tools.embedder).pairs
    assert len(compare(golden, candidate, tools.embedder, Believing()).pairs) == 2


def test_listing_does_not_matter(tools):
    golden = tools.line("Stop the old service and copy the new build", "Tell the customers")
    candidate = tools.line("Stop the old service", "Copy the new build", "Tell the customers")
    relisted = candidate.model_copy(update={"tasks": candidate.tasks[::-1]})
    there, here = (compare(golden, side, tools.embedder, STEP_MODEL) for side in (candidate, relisted))
    assert [step.score for step in there.supports] == [step.score for step in here.supports]
    assert len(there.alignment.splits) == len(there.supports) == 1
