"""Which steps are judged, and what their p-values are among others."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.alignment import Alignment, Match, Merge, Split, compare
from wfgate.alignment.changed_steps import changed_texts, holm, step_meanings
from wfgate.alignment.meaning import MeaningModel, MeaningScore
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
    judge = Listening()
    golden = tools.line("Fetch the data", "Clean the data", "Send the report")
    candidate = tools.line("fetch the data.", "2. Clean the  data", "Send the bill")
    (step,) = compare(golden, candidate, tools.embedder, judge).meanings
    assert (step.golden, step.candidate) == ((2,), (2,))
    assert set(judge.asked) == {("Send the report", "Send the bill")}
    assert step.p_value == judge.p_value(-3.0) == pytest.approx(step.adjusted)
    assert step.rate is None  # this judge was never measured


def test_merged_and_split_steps_are_judged_together(tools):
    judge = Listening()
    golden = tools.line("Fetch the data.", "Clean the data", "Send the report")
    candidate = tools.line("Fetch and clean the data", "Write the report", "Mail the report")
    alignment = Alignment(
        matches=(Match(golden=0, candidate=0, similarity=0.5), Match(golden=2, candidate=1, similarity=0.5)),
        merges=(Merge(golden=(0, 1), candidate=0),),
        splits=(Split(golden=2, candidate=(1, 2)),),
    )
    found = step_meanings(changed_texts(golden, candidate, alignment, ((0, 1, 2), (0, 1, 2))), judge)
    merged, split = found
    assert ((merged.golden, merged.candidate), (split.golden, split.candidate)) == (((0, 1), (0,)), ((2,), (1, 2)))
    assert judge.asked == [
        ("Fetch the data. Clean the data", "Fetch and clean the data"),
        ("Send the report", "Write the report. Mail the report"),
    ]
    assert merged.adjusted == split.adjusted == pytest.approx(2 * merged.p_value)


def test_parts_are_read_in_the_order_of_the_content_and_without_their_numbers(tools):
    judge = Listening()
    golden = tools.line("Stop the service and copy the build")
    candidate = tools.line("2. Copy the build", "1. Stop the service")
    alignment = Alignment(
        matches=(Match(golden=0, candidate=0, similarity=0.5),), splits=(Split(golden=0, candidate=(0, 1)),)
    )
    (step,) = step_meanings(changed_texts(golden, candidate, alignment, ((0,), (1, 0))), judge)
    assert step.candidate == (1, 0)
    assert judge.asked == [("Stop the service and copy the build", "Stop the service. Copy the build")]


def test_a_sure_change_is_established_among_any_number_of_rewordings(tools):
    """P-values end where the goldens end that they were measured on; their continued tail does not."""

    class Measured(Listening):
        calibrated = True

        def _compare(self, pairs):
            return [MeaningScore(-9.0 if "Disable" in candidate else 3.0) for _, candidate in pairs]

        def p_value(self, logit):
            return 0.002 if logit < 0 else 0.5

        def doubt(self, logit):
            return 5.0 if logit < 0 else super().doubt(logit)

    golden = tools.line(*(f"Write page {word}" for word in WORDS), "Enable the second factor for everybody")
    candidate = tools.line(*(f"Page {word}: write it" for word in WORDS), "Disable the second factor for everybody")
    last = compare(golden, candidate, tools.embedder, Measured()).meanings[-1]
    assert (last.golden, last.p_value) == ((len(WORDS),), 0.002)
    assert last.adjusted == pytest.approx(1e-5 * (len(WORDS) + 1))
    assert last.rate == 0.002  # no surer than what was measured


def test_arguments_are_no_words(tools):
    golden = tools.line("Deploy", "Wait")
    changed = golden.model_copy(
        update={"tasks": (golden.tasks[0].model_copy(update={"params": {"zone": "b"}}), golden.tasks[1])}
    )
    assert compare(golden, changed, tools.embedder, Listening()).meanings == ()


def test_without_a_judge_there_are_no_meanings(tools):
    assert tools.compare(tools.line("Fetch"), tools.line("Send")).meanings == ()


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
    assert plain.missing == judged.missing == ()


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
    assert [step.score for step in there.meanings] == [step.score for step in here.meanings]
    assert len(there.alignment.splits) == len(there.meanings) == 1
