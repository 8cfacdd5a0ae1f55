"""What an answer of a model must be, and what is said to a model whose answer is not."""

import json
from typing import get_args

import pytest

from wfgate.calibration import KINDS, PERTURBATIONS, Golden, StepTexts, read_corpus
from wfgate.calibration.perturb.written import SEVERITIES, Assignment, assignments, shown, texts_of
from wfgate.errors import WritingRejected
from wfgate.llm import Kind, schema_of, spelled, variant_question
from wfgate.model import START, Link, Task, Workflow

from .conftest import CORPORA, rng

WORDS = ("Fetch the rows", "Drop duplicates", "Convert to euros", "Check if x <= 3", "Draw a chart", "Send it")


def golden(edges=((0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)), words=WORDS):
    tasks = tuple(Task(id=f"t{place}", name=text) for place, text in enumerate(words))
    links = tuple(Link(source=f"t{a}", target=f"t{b}") for a, b in edges)
    return Golden("report", Workflow(tasks=tasks, links=(Link(source=START, target="t0"), *links)))


def read(one, kind, severity, steps):
    answer = schema_of(kind).model_validate_json(json.dumps({"steps": steps}))
    return texts_of(one, Assignment(kind, severity), answer)


def good(answered, one, kind, severity):
    k = Assignment(kind, severity).k(one)
    asked = variant_question(kind, severity, k, one.n, spelled(shown(one)))
    found, steps = answered({"messages": [{"content": message.content} for message in asked.messages]})
    assert found == kind
    return steps


def test_all_kinds_have_severities():
    assert set(get_args(Kind)) == set(KINDS) == set(SEVERITIES)


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_answer_becomes_texts_that_an_operator_can_use(answered, kind):
    one = golden()
    operator = {"extra": "extra", "regeneration": "regenerated"}.get(kind, kind)
    for severity in SEVERITIES[kind]:
        texts = read(one, kind, severity, good(answered, one, kind, severity))
        assert texts != StepTexts()
        assert texts.fits(one.n)
        k = Assignment(kind, severity).k(one)
        variant = PERTURBATIONS[operator].perturb(Golden("report", one.workflow, texts), severity, rng(1))
        if kind == "missing":
            assert variant.affected == texts.omissions[0] == tuple(range(one.n - k, one.n))
        elif kind == "compressed":
            assert "Do all of it" in [task.name for task in variant.workflow.tasks]
        else:
            assert len({task.name for task in variant.workflow.tasks} - set(WORDS)) == k


def spoiled(kind, severity, change, reason, said):
    return pytest.param(kind, severity, change, reason, said, id=f"{kind}: {said[:30]}")


def put(place, **values):
    return lambda steps: [*steps[:place], {**steps[place], **values}, *steps[place + 1 :]]


ALL = tuple({"of": [place], "text": text} for place, text in enumerate(WORDS, start=1))


@pytest.mark.parametrize(
    ("kind", "severity", "change", "reason", "said"),
    [
        spoiled("missing", 0.3, lambda _: [*ALL], "step count", "had 6 steps instead of 4, 2 fewer than 6."),
        spoiled("missing", 0.3, put(0, text="Fetch all rows"), "other steps changed", "Step 1 must be copied"),
        spoiled("missing", 0.3, lambda steps: steps[::-1], "order", "in another order"),
        spoiled("missing", 0.3, put(0, of=[2]), "step numbers", "Step 2 is there more than once"),
        spoiled("missing", 0.3, put(0, of=[7]), "step numbers", "no step 7: it has 6 steps"),
        spoiled("missing", 0.3, put(0, of=[1, 6]), "step numbers", "Step 1 has 2 numbers"),
        spoiled("missing", 0.3, put(0, text=" "), "empty step", "Step 1 of your output says nothing"),
        spoiled("compressed", 0.3, put(0, of=[1, 2]), "step numbers", "Step 3 of the workflow is not"),
        spoiled("compressed", 0.3, put(1, of=[]), "step numbers", "steps were added"),
        spoiled("compressed", 0.3, put(1, text="Test"), "other steps changed", "Step 4 must be copied"),
        spoiled("compressed", 0.3, put(0, text="drop duplicates."), "merged step", "steps 1, 2, 3 says only what one"),
        spoiled(
            "compressed",
            0.1,
            lambda _: [{"of": [1, 6], "text": "Fetch and send"}, *ALL[1:5]],
            "not consecutive",
            "Steps 1, 6 are not consecutive",
        ),
        spoiled(
            "compressed",
            0.3,
            lambda _: [ALL[0], {"of": [2, 3, 5], "text": "Clean and draw"}, ALL[3], ALL[5]],
            "cycle",
            "come before itself",
        ),
        spoiled("description", 1.0, put(2, text="convert to Euros!"), "changed steps", "changed 5 steps instead of 6"),
        spoiled("description", 1.0, lambda steps: steps[1:], "step count", "had 5 steps instead of 6, as many as"),
        spoiled("drift", 0.5, put(0, text=WORDS[0]), "changed steps", "changed 2 steps instead of 3"),
        spoiled("drift", 0.5, put(0, change="none"), "kind of change", '"change" of step 1 does not say'),
        spoiled("drift", 0.5, put(5, change="action"), "kind of change", '"change" of step 6 does not say'),
        spoiled("drift", 0.5, put(5, text="send it!"), "other steps changed", "Step 6 must be copied"),
        spoiled("vague", 0.5, lambda steps: steps[1:] + steps[:1], "order", "in another order"),
        spoiled("extra", 0.5, lambda steps: steps[1:], "step count", "had 8 steps instead of 9, 3 more than 6"),
        spoiled("extra", 0.5, put(2, text="Send it"), "changed steps", "says what another step says"),
        spoiled("extra", 0.5, put(0, of=[]), "step numbers", "Step 1 of the workflow is not"),
        spoiled("regeneration", 1.0, put(0, text="Send it."), "changed steps", "Step 6 is not in other words"),
        spoiled("regeneration", 1.0, put(0, id="n1"), "ids", "an id of its own"),
        spoiled("regeneration", 1.0, put(0, id="END"), "ids", "other than START and END"),
        spoiled("regeneration", 1.0, put(0, after=["n9"]), "ids", "ids that no step has"),
        spoiled("regeneration", 1.0, put(5, after=["n6"]), "cycle", "a step comes before itself"),
        spoiled("regeneration", 1.0, put(2, after=[]), "order", "Step 4 no longer comes after"),
    ],
)
def test_what_is_not_what_was_asked_for_is_rejected(answered, kind, severity, change, reason, said):
    one = golden()
    steps = change(good(answered, one, kind, severity))
    with pytest.raises(WritingRejected) as error:
        read(one, kind, severity, steps)
    assert (error.value.reason, said in error.value.message) == (reason, True), error.value.message


def test_a_sign_is_a_change_and_punctuation_is_none(answered):
    one = golden()
    steps = [{**step, "change": "none"} for step in ALL]
    for place, text in ((3, "Check if x >= 3"), (0, "Fetch no rows"), (5, "Never send it")):
        steps[place] = {**steps[place], "text": text, "change": "condition"}
    assert [item.step for item in read(one, "drift", 0.5, steps).drifts] == [0, 3, 5]


def test_steps_side_by_side_may_be_merged():
    steps = [*ALL[:2], {"of": [4, 3], "text": "Convert\nand check"}, *ALL[4:]]
    (merge,) = read(golden(), "compressed", 0.1, steps).merges
    assert (merge.steps, merge.text) == ((2, 3), "Convert and check")


def test_what_is_asked_for_depends_on_the_golden():
    small = golden(((0, 1),), WORDS[:2])
    assert [(one.kind, one.severity) for one in assignments(small, ("missing", "compressed", "drift"))] == [
        ("missing", 0.1),
        ("compressed", 0.1),
        ("drift", 0.5),
    ]
    assert assignments(golden((), ())) == ()
    assert [one.kind for one in assignments(golden((), WORDS[:1]), ("missing", "vague"))] == ["vague"]
    circle = golden(((0, 1), (1, 0)), WORDS[:2])
    assert "regeneration" not in {one.kind for one in assignments(circle)}
    assert "description" in {one.kind for one in assignments(circle)}


def test_the_merges_of_the_recorded_corpora_are_answers_too():
    """Real goldens, texts by another author: what is checked is no matter of taste."""
    tried = wrong = 0
    for one in read_corpus([CORPORA / "ops"]).goldens[:60]:
        for merge in one.texts.merges:
            tasks = one.workflow.tasks
            first = {"of": [step + 1 for step in merge.steps], "text": merge.text}
            rest = [{"of": [n + 1], "text": tasks[n].text} for n in range(one.n) if n not in merge.steps]
            severity = (len(merge.steps) - 1) / one.n
            tried += 1
            try:
                assert read(one, "compressed", severity, [first, *rest]).merges[0].text == merge.text
            except WritingRejected:
                wrong += 1
    assert tried > 100
    assert wrong <= 0.1 * tried
