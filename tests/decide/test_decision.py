"""Verdicts and reasons on pairs whose answer is known."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from wfgate.calibration import read_corpus
from wfgate.calibration.plan import PlannedVariant
from wfgate.decide import Assessor, Decider, Pair, Policy
from wfgate.model import Guard, Link, Task, Workflow
from wfgate.run import Gate
from wfgate.show.advice import waiver_entries

from ..hypothesis_examples import examples


def without(texts, gone):
    return [text for place, text in enumerate(texts) if place != gone]


def messages(result):
    return [reason.message for reason in result.reasons]


def said(result, *words):
    return any(all(word.casefold() in reason.casefold() for word in words) for reason in messages(result))


def test_identical_passes_for_certain(judged, make):
    result = judged(make(), make())
    assert (result.verdict, result.p_value, result.reasons) == ("pass", 1.0, ())
    assert result.severity.estimate == result.severity.high == 0
    assert not result.degradation


def test_relisted_with_other_ids_passes_for_certain(judged, make):
    result = judged(make(), make(prefix="other", order=[5, 2, 7, 0, 1, 6, 4, 3]))
    assert (result.verdict, result.p_value) == ("pass", 1.0)


def test_a_new_condition_blocks_by_proof_though_every_word_is_the_same(judged, make):
    golden = make()
    links = list(golden.links)
    place = next(place for place, link in enumerate(links) if link.source == golden.tasks[0].id)
    links[place] = links[place].model_copy(update={"guard": Guard(expr="environment == 'production'")})
    result = judged(golden, golden.model_copy(update={"links": tuple(links)}))
    assert result.verdict == "block"
    assert result.p_value > 0.1
    assert said(result, "no longer runs in every situation", "environment != 'production'")
    milder = judged(golden, golden.model_copy(update={"links": tuple(links)}), checks={"WR201": "warning"})
    assert milder.verdict == "review"
    mildest = judged(golden, golden.model_copy(update={"links": tuple(links)}), checks={"WR201": "info"})
    assert mildest.verdict == "pass"


def test_other_name_of_the_workflow_is_no_regression(judged, make, steps):
    for texts in (steps, steps[:2]):  # two steps are too few for statistics, and the same two need none
        result = judged(make(texts), make(texts).model_copy(update={"name": "another", "description": "in words"}))
        assert (result.verdict, result.p_value, result.reasons) == ("pass", 1.0, ())


def test_a_step_without_its_own_step_is_reviewed_in_a_golden_too_small_for_statistics(judged, make):
    golden = make(("Read the opening hours", "Tell the caller a joke"))
    merged = make(("Tell the caller a joke; Read the opening hours",))
    result = judged(golden, merged)
    assert result.verdict in {"review", "block"}
    assert {reason.rule for reason in result.reasons} <= {"WR101", "WR104"}


def test_full_rewording_passes(judged, make, reworded):
    result = judged(make(), make(reworded))
    assert result.verdict == "pass"
    assert result.reasons == ()
    assert not [finding for finding in result.findings if finding.severity == "error"]


@pytest.mark.slow
def test_recorded_rewordings_mostly_pass(judged, corpora_goldens):
    """No step is critical: the promise does not cover critical steps."""
    verdicts = [
        judged(*map(_uncritical, (golden.workflow, FULLEST.make(golden, 5).workflow))).verdict
        for golden in corpora_goldens
    ]
    assert binomtest(verdicts.count("block"), len(verdicts), 0.05, alternative="greater").pvalue > 0.01
    assert verdicts.count("pass") >= 0.7 * len(verdicts)  # the promise is about all rewordings, these are the fullest


FULLEST = PlannedVariant("description", 1.0, reworded=False)


def _uncritical(workflow):
    tasks = tuple(task.model_copy(update={"critical": False}) for task in workflow.tasks)
    return workflow.model_copy(update={"tasks": tasks})


@pytest.fixture(scope="module")
def corpora_goldens():
    """Goldens that the profile of these tests was not fitted on."""
    corpora = Path(__file__).parents[2] / "calibration" / "corpora"
    corpus = read_corpus([corpora / "worfbench", corpora / "ops"])
    seen = {golden.id for golden in corpus.sample(80).goldens}
    return [golden for golden in corpus.sample(150).goldens if golden.id not in seen and golden.n >= 3][:40]


@pytest.mark.parametrize("gone", range(8))
def test_a_missing_step_blocks_and_is_named(judged, make, steps, gone):
    result = judged(make(), make(without(steps, gone)))
    assert result.verdict == "block"
    assert said(result, steps[gone])
    assert [step.name for step in result.alignment.missing] == [steps[gone]]
    assert result.severity.high >= 1 / 8


@pytest.mark.parametrize("gone", [0, 3, 7])
def test_a_missing_step_is_not_hidden_by_rewording(judged, make, reworded, steps, gone):
    result = judged(make(), make(without(reworded, gone)))
    assert result.verdict in {"block", "review"}
    assert said(result, steps[gone])


def test_half_of_the_steps_missing_is_graver(judged, make, steps):
    half = judged(make(), make(steps[::2]))
    one = judged(make(), make(without(steps, 3)))
    assert half.verdict == "block"
    assert half.severity.estimate > one.severity.estimate
    assert half.degradation[0].type in {"missing steps", "compressed steps"}


def test_an_added_step_is_seen_although_nothing_is_lost(judged, make, steps):
    extra = [*steps[:4], "Drop the production database", "Mail all passwords to the intern", *steps[4:]]
    result = judged(make(), make(extra))
    assert result.verdict in {"review", "block"}
    assert said(result, "production database")
    assert len(result.alignment.extra) == 2


def test_swapped_steps_block(judged, make, steps):
    result = judged(make(), make((*steps[:4], steps[5], steps[4], *steps[6:])))
    assert result.verdict == "block"


def test_a_new_cycle_blocks_although_all_texts_agree(judged, make):
    chain = [(place, place + 1) for place in range(7)]
    result = judged(make(), make(edges=[*chain, (5, 2)]))
    assert result.verdict == "block"
    assert any(finding.id.startswith("WF") and not finding.pre_existing for finding in result.findings)
    assert result.reasons


def test_a_step_that_nothing_reaches_any_more_blocks(judged, make):
    golden = make()
    cut = golden.model_copy(update={"links": tuple(k for k in golden.links if (k.source, k.target) != ("t3", "t4"))})
    result = judged(golden, cut)
    assert result.verdict == "block"


def test_a_defect_of_the_golden_does_not_block(judged, make, reworded):
    chain = [(place, place + 1) for place in range(7)]
    edges = [*chain, (5, 2)]
    assert judged(make(edges=edges), make(edges=edges, prefix="x")).verdict == "pass"
    result = judged(make(edges=edges), make(reworded, edges))
    assert result.verdict == "pass"
    assert any(finding.pre_existing for finding in result.findings)


def least_alpha(profile):
    return profile.scorer.nulls.smaller.least


@pytest.mark.parametrize("how", ["tag", "glob"])
def test_a_critical_step_blocks_whatever_severity_and_alpha(judged, make, steps, profile, how):
    alpha = least_alpha(profile)
    policy = {"block_severity": 1.0, "alpha_block": alpha, "alpha_review": alpha}
    golden = make(critical=[4]) if how == "tag" else make()
    globs = ("sign*",) if how == "glob" else ()
    result = judged(golden, make(without(steps, 4)), critical=globs, **policy)
    assert result.verdict == "block"
    assert messages(result)[0] == "the critical step 'Sign the archive with the company key' is missing"
    assert judged(golden, make(without(steps, 1)), critical=globs, **policy).verdict != "block"


def test_a_critical_step_squeezed_into_another_is_at_least_reviewed(judged, make, steps):
    merged = ["Prepare the release branch and compile the service with Maven", steps[2]]
    result = judged(make(steps[:3], critical=[0, 1]), make(merged), block_severity=1.0)
    assert result.verdict == "review"
    for step in steps[:2]:
        assert said(result, f"the critical step '{step}' shares a step with others")
    lost = ["Look at the release branch and compile the service with Maven", steps[2]]
    assert judged(make(steps[:3], critical=[0, 1]), make(lost), block_severity=1.0).verdict == "block"


def test_a_replaced_critical_step_blocks(judged, make, steps):
    replaced = [*steps[:4], "Order pizza for everybody", *steps[5:]]
    result = judged(make(critical=[4]), make(replaced), block_severity=1.0)
    assert result.verdict == "block"
    assert said(result, "critical step", "sign the archive")


def test_block_severity_turns_small_regressions_into_reviews(judged, make, steps):
    candidate = make(without(steps, 3))
    assert judged(make(), candidate).verdict == "block"
    result = judged(make(), candidate, block_severity=1.0)
    assert result.verdict == "review"
    assert said(result, steps[3])


def test_a_handful_of_steps_is_decided_by_the_findings_alone(judged, make, steps, reworded):
    assert judged(make(steps[:2]), make(reworded[:2])).verdict == "pass"
    assert judged(make(steps[:2]), make(steps[:2], prefix="x")).verdict == "pass"
    assert judged(make(), make(reworded), min_steps=99).verdict == "pass"
    lost = judged(make(steps[:2]), make(steps[:1]))
    assert (lost.verdict, lost.reasons[0].rule) == ("block", "WR101")
    new = judged(make(steps[:1]), make(steps[:2]))
    assert (new.verdict, new.reasons[0].rule) == ("review", "WR102")
    other = judged(make(steps[:1]), make([f"Never {steps[0]}"]))
    assert (other.verdict, other.reasons[0].rule) == ("block", "WR106")  # words and meaning model agree
    replaced = judged(make(steps[:1]), make(["Order a pizza for everybody"]))
    assert replaced.verdict == "review"
    exchanged = judged(make(steps[:2]), make([steps[1], steps[0]]))
    assert (exchanged.verdict, exchanged.reasons[0].rule) == ("block", "WR203")


LENIENT = {"alpha_review": 0.03, "alpha_block": 0.03, "block_severity": 1.0}
"""Rates at which statistics block nothing here."""


def test_an_exact_contradiction_is_reviewed_and_blocks_on_a_critical_step(judged, make, steps):
    texts = [*steps[:3], "If any smoke test fails, fail back to the old primary", *steps[3:]]
    golden, candidate = make(texts), make([*texts[:3], texts[3].replace("any", "most"), *texts[4:]])
    plain = judged(golden, candidate, **LENIENT)
    assert (plain.verdict, plain.proven, plain.reasons[0].rule) == ("review", "review", "WR106")
    critical = judged(make(texts, critical=[3]), candidate, **LENIENT)
    assert (critical.verdict, critical.proven) == ("block", "block")
    assert judged(golden, candidate, critical=(texts[3],), **LENIENT).verdict == "block"


def test_an_exact_contradiction_that_the_meaning_model_doubts_too_blocks(judged, make, steps):
    texts = [*steps[:3], "Wait at least 30 minutes", *steps[3:]]
    golden, candidate = make(texts), make([*texts[:3], "Wait at least 3 minutes", *texts[4:]])
    both = judged(golden, candidate, **LENIENT)
    assert (both.verdict, both.proven, both.reasons[0].rule) == ("block", "block", "WR106")
    assert judged(golden, candidate, checks={"WR106": "warning"}, **LENIENT).verdict == "review"


def test_a_change_of_a_value_of_a_critical_step_blocks_whatever_else_is_told_of_it(judged, make, steps):
    def with_run(workflow, script):
        tasks = list(workflow.tasks)
        tasks[2] = tasks[2].model_copy(update={"params": {"run": script, "note": "first"}})
        return workflow.model_copy(update={"tasks": tuple(tasks)})

    golden, candidate = with_run(make(critical=[2]), "backup"), with_run(make(), "true")
    result = judged(golden, candidate)
    assert (result.verdict, result.proven) == ("block", "block")
    assert [reason.rule for reason in result.reasons] == ["WR107"]


def test_a_missing_critical_step_of_a_tiny_workflow_still_blocks(judged, make, steps):
    assert judged(make(steps[:2], critical=[1]), make(steps[:1])).verdict == "block"


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_an_empty_candidate_never_passes(judged, make, steps, count):
    result = judged(make(steps[:count]), Workflow())
    assert result.verdict in {"block", "inconclusive"}
    assert result.verdict == "block" or count < 3
    assert result.reasons


def test_a_golden_without_steps_is_an_error(judged, make):
    for golden in (Workflow(), [make(), Workflow()]):
        result = judged(golden, make())
        assert result.verdict == "inconclusive"
        assert "the golden has no steps" in result.error
        assert result.p_value is None


class Doubtful(Assessor):
    """Assesses as usual, but could not finish the exact search of one metric."""

    low, high = 0.0, 1.0

    def assess(self, golden, candidate):
        found = super().assess(golden, candidate)
        bounds = {"value": self.low, "low": self.low, "high": self.high, "proven": False}
        scores = tuple(s.model_copy(update=bounds) if s.metric == "chain-f1" else s for s in found.scores)
        return type(found)(found.comparison, scores, found.evidence)


@pytest.mark.parametrize(("low", "doubt"), [(0.0, True), (0.999, False)])
def test_what_is_not_proven_decides_nothing(profile, assessor, make, reworded, monkeypatch, low, doubt):
    monkeypatch.setattr(Doubtful, "low", low)
    weights = [100.0 if piece == "chain-loss" else 0.0 for piece in profile.evidence_nulls]
    changed = {
        "block": {
            name: model.model_copy(update={"weights": tuple(weights), "intercept": 0.0})
            for name, model in profile.block.cells.items()
        },
        "null": {
            name: tail.model_copy(update={"scores": tuple(np.linspace(50, 1, len(tail.scores)).tolist())})
            for name, tail in profile.null.cells.items()
        },
    }
    changed = {name: getattr(profile, name).model_copy(update={"cells": cells}) for name, cells in changed.items()}
    judge = Decider(profile.model_copy(update=changed), Policy())
    assessment = Doubtful(assessor.embedder, assessor.meaning_model).assess(make(), make(reworded))
    result = judge.decide(assessment, case="c", golden="g", candidate="x")
    assert (result.verdict == "inconclusive") is doubt
    if doubt:
        assert messages(result)[0].startswith("chain-f1 could not be proven within the work limit")
        review = Decider(judge.profile, Policy(block_severity=1.0)).decide(
            assessment, case="c", golden="g", candidate="x"
        )
        assert review.verdict == "inconclusive"  # pass or review is a difference too


def test_of_several_references_the_first_is_the_golden_and_the_others_leave_free(judged, make, steps):
    references = [make(), make(without(steps, 2)), make(["Order pizza", *steps])]
    result = judged(references, make(["Order pizza", *without(steps, 2)], prefix="x"))
    assert (result.verdict, result.golden) == ("pass", "case (golden 1)")
    assert judged(references, make(without(steps, 5))).verdict == "block"
    assert judged([make(), make()], make(without(steps, 2))).verdict == "block"


def test_a_reference_without_a_critical_step_does_not_make_it_optional(judged, make, steps):
    short = make(without(steps, 2))
    assert judged([make(), short], short).verdict == "pass"
    result = judged([make(critical=[2]), short], short)
    assert result.verdict == "block"
    assert messages(result)[0] == f"the critical step '{steps[2]}' is missing"
    assert judged([make(), short], short, critical=(steps[2],)).verdict == "block"


def test_reasons_are_distinct_and_the_gravest_come_first(judged, make, steps):
    chain = [(place, place + 1) for place in range(5)]
    result = judged(make(critical=[6]), make([*steps[:4], "Order pizza", steps[5]], [*chain, (3, 1)]))
    assert result.verdict == "block"
    assert len(set(result.reasons)) == len(result.reasons)
    assert messages(result)[0].startswith("the critical step")
    broken = [f.message for f in result.findings if f.id.startswith("WF") and f.severity == "error"]
    assert broken
    assert set(broken) <= set(messages(result))
    estimated = [reason.rule == "WR106" for reason in result.reasons[1:]]
    assert estimated == sorted(estimated)


def with_params(workflow, position, **params):
    tasks = list(workflow.tasks)
    tasks[position] = tasks[position].model_copy(update={"params": params})
    return workflow.model_copy(update={"tasks": tuple(tasks)})


def test_a_missing_step_is_the_reason_and_its_values_are_other_findings(judged, make, steps):
    golden = with_params(make(), 3, run="backup --all", image="db:1")
    result = judged(golden, make(without(steps, 3)))
    assert (result.verdict, result.proven) == ("block", "block")
    assert [reason.rule for reason in result.reasons if reason.rule in {"WR101", "WR107"}] == ["WR101"]
    assert result.reasons[0].rule == "WR101"
    values = [finding for finding in result.findings if finding.about == "step" and finding.id == "WR107"]
    assert {finding.id for finding in values} == {"WR107"}
    assert {finding.severity for finding in values} == {"error"}
    entries = waiver_entries(result)
    assert all(finding.fingerprint in entries for finding in values)
    # Without the check of missing steps nothing else tells of the step.
    quiet = judged(golden, make(without(steps, 3)), checks={"WR101": "off"})
    assert (quiet.verdict, quiet.reasons[0].rule) == ("block", "WR107")


def test_a_new_step_with_values_comes_before_changed_values(judged, make, steps):
    longer = [*steps[:4], "Send a copy to the archive", *steps[4:]]
    golden, candidate = with_params(make(), 1, run="a"), with_params(make(longer), 1, run="b")
    result = judged(golden, with_params(candidate, 4, run="mail evil@example.net"))
    assert result.verdict == "block"
    assert [reason.rule for reason in result.reasons][:2] == ["WR102", "WR107"]
    assert sum(reason.rule == "WR107" for reason in result.reasons) == 1


def test_the_values_of_a_critical_missing_step_are_no_reasons(judged, make, steps):
    golden = with_params(make(critical=[3]), 3, run="backup --all")
    result = judged(golden, make(without(steps, 3)))
    assert messages(result)[0] == f"the critical step '{steps[3]}' is missing"
    assert all(reason.rule != "WR107" for reason in result.reasons)


def test_every_verdict_but_pass_has_a_reason(judged, make, steps):
    for candidate in (make(steps[::-1]), make(steps[:4]), make(steps * 2), Workflow()):
        result = judged(make(), candidate)
        assert result.verdict == "pass" or result.reasons


def test_listing_order_and_ids_do_not_touch_the_verdict(judged, make, steps):
    candidate = without(steps, 2)[::-1]
    plain = judged(make(critical=[1, 5]), make(candidate))
    rng = random.Random(0)
    for _ in range(3):
        orders = rng.sample(range(8), 8), rng.sample(range(7), 7)
        other = judged(
            make(critical=[1, 5], order=orders[0], prefix="a"), make(candidate, order=orders[1], prefix="b")
        )
        assert (other.verdict, other.p_value, other.severity) == (plain.verdict, plain.p_value, plain.severity)
        assert other.reasons == plain.reasons


WORDS = st.sampled_from(["Build", "Test it", "", "§", "Deploy to staging", "Deploy to staging", "Notify", "\x00"])
NODES = st.sampled_from(["START", "END", "t0", "t1", "t2", "t3", "nowhere"])


@st.composite
def anything(draw):
    """Draw workflows as broken as the model allows: cycles, links to nowhere, duplicate ids, empty names."""
    tasks = draw(st.lists(st.tuples(st.sampled_from(["t0", "t1", "t2", "t3"]), WORDS, st.booleans()), max_size=4))
    links = draw(st.lists(st.tuples(NODES, NODES, st.booleans()), max_size=8))
    return Workflow(
        tasks=tuple(Task(id=id_, name=name, critical=critical) for id_, name, critical in tasks),
        links=tuple(Link(source=a, target=b, back=back) for a, b, back in links),
    )


@settings(max_examples=examples(250))
@given(anything(), anything())
def test_the_gate_never_raises(assessor, profile, golden, candidate):
    result = Gate(assessor, profile, Policy()).decide(Pair("case", (golden,), candidate))
    assert result.verdict == "pass" or result.reasons
    assert (result.error is not None) == (not golden.tasks)
    if not candidate.tasks:
        assert result.verdict != "pass"
    assert type(result).model_validate_json(result.model_dump_json()) == result


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(3, 8))
def test_a_step_that_is_gone_never_passes(assessor, profile, make, steps, seed, n):
    """Of verbatim workflows of different steps. With rewording on top this is a rate, and the profile states it."""
    rng = np.random.default_rng(seed)
    texts = [steps[place] for place in rng.permutation(8)[:n]]
    edges = [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < 0.4]
    gone = int(rng.integers(n))
    place = {old: new for new, old in enumerate(old for old in range(n) if old != gone)}
    left = [(place[a], place[b]) for a, b in edges if gone not in (a, b)]
    result = Gate(assessor, profile, Policy()).decide(
        Pair("case", (make(texts, edges),), make(without(texts, gone), left))
    )
    assert result.verdict != "pass"
