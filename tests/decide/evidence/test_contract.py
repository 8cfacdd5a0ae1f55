"""Contracts of recorded goldens with regenerations that reviewers accepted: freedoms, never demands."""

import json
from dataclasses import replace
from functools import cache, reduce
from itertools import combinations, pairwise
from operator import or_
from pathlib import Path

import pytest

from wfgate.compare import Contract, compare
from wfgate.decide import EVIDENCE, Assessor
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.model import Link, Task, Workflow, members
from wfgate.read import read_data, read_text
from wfgate.rules import review

CORPUS = Path(__file__).parents[3] / "calibration" / "corpora" / "regenerations"
GOLDENS = ("dshort-01", "new_b_11", "opsx_d_03")
ABSOLUTE = [piece.id for piece in EVIDENCE if piece.absolute]
GAP = "weakest-gap"
"""Grows with the similarity of the other steps."""
STEPS = ("Freeze the branch", "Compile with Maven", "Wait for 30 minutes", "Sign the archive", "Tell the operators")


def is_critical(task):
    return task.critical


@pytest.fixture(scope="module")
def assessor():
    return Assessor(StaticEmbedder(), load_meaning_model(), metrics=())


@cache
def recorded(name):
    """Return a golden of the half for fitting, without critical marks, and at most three accepted regenerations."""
    goldens, candidates = (
        [json.loads(line) for line in (CORPUS / file).read_text(encoding="utf-8").splitlines()]
        for file in ("goldens.jsonl", "candidates.jsonl")
    )
    golden = next(line for line in goldens if line["id"] == name and line["half"] == "fit")
    steps = [
        {"id": f"s{number}", "name": text, "needs": [f"s{a}" for a, b in golden["edges"] if b == number]}
        for number, text in enumerate(golden["steps"], 1)
    ]
    accepted = [line["steps"] for line in candidates if line["golden"] == name and line["label"] == "accept"]
    return tuple(read_data({"wfgate": "1", "steps": each}, name).workflow for each in (steps, *accepted[:3]))


def contract_of(assessor, golden, *references):
    """Return the contract of some references."""
    found = [assessor.freedoms(golden, reference, is_critical) for reference in references]
    return reduce(or_, found, Contract.marked(golden))


def chain(*texts, prefix="t", order=None, **marks):
    """Return a chain of steps; `marks` are the numbers of the steps that have a mark."""
    order = order or range(len(texts))
    tasks = [
        Task(id=f"{prefix}{number}", name=texts[number], **{mark: number in which for mark, which in marks.items()})
        for number in order
    ]
    ids = ["START", *(task.id for task in tasks), "END"]
    return Workflow(tasks=tuple(tasks), links=tuple(Link(source=a, target=b) for a, b in pairwise(ids)))


def absolute(assessment):
    """Return the evidence that decides; a full stop more or less counts 0.003."""
    return {name: assessment.evidence[name] for name in ABSOLUTE if assessment.evidence[name] > 0.01}


def notable(assessment):
    return [finding.id for finding in review(assessment.comparison) if finding.severity != "info"]


@pytest.mark.parametrize("name", GOLDENS)
def test_a_contract_accepts_its_references(assessor, name):
    golden, *references = recorded(name)
    contract = contract_of(assessor, golden, *references)
    for reference in (golden, *references):
        found = assessor.assess(golden, reference, contract)
        assert (absolute(found), notable(found)) == ({}, [])
    alone = [assessor.assess(golden, reference) for reference in references]
    assert any(map(absolute, alone)), "without the contract something differs"


@pytest.mark.parametrize("name", GOLDENS)
def test_a_further_reference_never_adds_a_demand(assessor, name):
    golden, *references = recorded(name)
    candidate = references.pop()
    for size in (0, 1):
        for few in combinations(references, size):
            for other in (one for one in references if one not in few):
                fewer, more = (contract_of(assessor, golden, *some) for some in (few, (*few, other)))
                assert fewer | more == more
                before, after = (assessor.assess(golden, candidate, contract) for contract in (fewer, more))
                assert all(after.evidence[each] <= before.evidence[each] + 1e-9 for each in ABSOLUTE if each != GAP)


def test_without_references_and_marks_nothing_is_free(assessor):
    golden, candidate, *_ = recorded("new_b_11")
    comparison = compare(golden, candidate, assessor.embedder, assessor.meaning_model)
    assert comparison.contract == contract_of(assessor, golden) == Contract()
    assert comparison.places == comparison.golden_places
    assert not any(fate.is_met or fate.is_left_out for fate in comparison.fates)
    assert not any(step.is_allowed for step in comparison.additions)


def test_what_no_reference_lacks_stays_demanded(assessor):
    golden = chain(*STEPS)
    contract = contract_of(assessor, golden, chain(*STEPS[:4]), chain(*STEPS[1:], "Archive the report"))
    assert contract.optional == {0, 4}
    assert [task.name for task in contract.additional] == ["Archive the report"]
    both = assessor.assess(golden, chain("Compile with Maven", *STEPS[2:4], "Archive the report"), contract)
    assert (absolute(both), notable(both)) == ({}, [])
    lost = assessor.assess(golden, chain(*STEPS[:3]), contract)
    assert (lost.evidence["missing-steps"], notable(lost)) == (1.0, ["WR101"])
    for texts in (STEPS, STEPS[1:]):  # in place of an optional step, too
        added = assessor.assess(golden, chain(*texts, "Delete the production database"), contract)
        assert (added.evidence["added-steps"], notable(added)) == (1.0, ["WR102"])


def test_a_step_joined_with_another_one_is_not_optional(assessor):
    def steps(**run):
        return read_data(
            [{"name": name.replace("_", " "), "command": each} for name, each in run.items()], "p"
        ).workflow

    rest = {"Check_it": "nginx -t", "Tell_the_operators": "post note"}
    node = "Take_the_node_out_of_the_balancer"
    apart = {node: "kubectl drain n1", "Pick_up_new_settings": "systemctl reload nginx"}
    joined = {node: "kubectl drain n1 && systemctl reload nginx"}
    golden = steps(**apart, **rest)
    contract = contract_of(assessor, golden, steps(**joined, **rest))
    assert (contract.optional, contract.joined) == (set(), {1})
    for kept in (joined, apart):
        assert notable(assessor.assess(golden, steps(**kept, **rest), contract)) == []
    lost = assessor.assess(golden, steps(**{node: "kubectl drain n1"}, **rest), contract)
    assert "WR101" in notable(lost)
    (said, *_) = review(assessor.assess(golden, steps(**joined, **rest)).comparison)
    assert "was merged into 'Take the node out of the balancer'" in said.message


def test_an_order_that_differs_is_free_and_another_is_not(assessor):
    golden = chain(*STEPS)
    contract = contract_of(assessor, golden, chain(*STEPS, order=(0, 2, 1, 3, 4)))
    assert contract.free_orders == {(1, 2)}
    turned = assessor.assess(golden, chain(*STEPS, order=(0, 2, 1, 4, 3)), contract)
    assert (turned.evidence["flipped-orders"], turned.evidence["order-changes"]) == (1.0, 1.0)
    assert notable(turned) == ["WR203"]


def test_an_order_that_follows_from_a_free_one_is_still_demanded(assessor):
    golden = chain(*STEPS[:4])  # freeze, compile, wait, sign
    side = [("START", "t0"), ("t0", "t1"), ("t0", "t2"), ("t1", "t3"), ("t2", "t3"), ("t3", "END")]

    def linked(pairs):
        return golden.model_copy(update={"links": tuple(Link(source=a, target=b) for a, b in pairs)})

    contract = contract_of(assessor, golden, linked(side))
    assert contract.free_orders == {(1, 2)}
    assert notable(assessor.assess(golden, linked(side), contract)) == []
    early = linked([("START", "t0"), ("t0", "t1"), ("START", "t2"), ("t1", "t3"), ("t2", "t3"), ("t3", "END")])
    found = [each for each in review(assessor.assess(golden, early, contract).comparison) if each.id == "WR204"]
    assert [(each.severity, each.tasks) for each in found if each.severity != "info"] == [
        ("error", (STEPS[0], STEPS[2]))
    ]


def test_a_number_that_differs_is_free_and_another_is_not(assessor):
    golden = chain(*STEPS, "Keep 5 backups")
    contract = contract_of(assessor, golden, chain(*STEPS[:2], "Wait for 45 minutes", *STEPS[3:], "Keep 5 backups"))
    assert contract.free_values == {2: {"30 minutes"}}
    for minutes, backups, lost in ((30, 5, 0), (45, 5, 0), (60, 5, 0), (60, 3, 1)):
        texts = (*STEPS[:2], f"Wait for {minutes} minutes", *STEPS[3:], f"Keep {backups} backups")
        found = assessor.assess(golden, chain(*texts), contract)
        assert (found.evidence["lost-values"], found.evidence["contradicted-steps"]) == (lost, lost)


def test_a_critical_step_stays_demanded_whatever_the_references_lack(assessor):
    golden = chain(*STEPS, critical=(3,))
    reference = chain(*STEPS[:3], STEPS[4])
    contract = contract_of(assessor, golden, reference)
    assert (contract.optional, contract.lacking) == (frozenset(), {3})
    found = assessor.assess(golden, reference, contract)
    assert (found.evidence["missing-steps"], notable(found)) == (1.0, ["WR101"])
    marked = chain(*STEPS, critical=(3,), optional=(3,))
    found = assessor.assess(marked, reference, contract_of(assessor, marked, reference))
    assert (absolute(found), notable(found)) == ({}, [])
    assert {found.evidence[share] for share in ("gone-share", "doubtful-share", "affected-share")} == {0.0}


def test_marks_of_the_golden_leave_free_without_any_reference(assessor):
    golden = chain(*STEPS, optional=(1,), any_order=(4,))
    found = assessor.assess(golden, chain(*STEPS, order=(0, 4, 2, 3)))
    assert (absolute(found), notable(found)) == ({}, [])
    found = assessor.assess(golden, chain(*STEPS, order=(0, 4, 3, 2)))
    turned = {"flipped-orders": 1.0, "order-changes": 1.0, "link-changes": 4.0}
    assert (absolute(found), notable(found)) == (turned, ["WR203"])
    candidate = chain(*STEPS, order=(0, 4, 3, 2), optional=(2, 3), any_order=(2,))
    assert absolute(assessor.assess(golden, candidate)) == turned, "marks of a candidate do not count"


def test_a_level_of_the_policy_does_not_raise_what_is_free(assessor):
    golden = chain(*STEPS, optional=(1,))
    comparison = compare(golden, chain(*STEPS[:1], *STEPS[2:]), assessor.embedder, assessor.meaning_model)
    assert {finding.severity for finding in review(comparison, {"WR101": "error"})} == {"info"}
    demanding = replace(comparison, contract=Contract())
    assert {finding.severity for finding in review(demanding, {"WR101": "warning"})} == {"warning"}


PLAN = "{}\n\n1. Compile with Maven\n2. Run all tests\n3. Deploy to production\n\n{}\n"
FIRST = PLAN.format(
    "Never delete files by hand.", "Wait at least 30 minutes between the steps. You need the key of the vault."
)
SECOND = PLAN.format(
    "Manual removal of any data is not allowed for anybody. Never delete files by hand.",
    "Between the steps, wait at least 20 minutes. Step 2 is optional.",
)


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (
            "Never delete files by hand.",
            "You need the key of the vault. Wait at least 30 minutes between the steps.",
            0,
        ),
        ("Never delete files by hand.", "Wait at least 30 minutes between the steps.", 0),
        ("Never delete files by hand.", "Between all steps, wait at least 20 minutes.", 0),
        ("Never delete files by hand.", "Wait at least 30 minutes between the steps. You may skip step 2.", 0),
        ("Be quick.", "Wait at least 30 minutes between the steps.", 1),
        ("Never delete files by hand.", "Good luck.", 1),
        ("Never delete files by hand.", "Wait at least 5 minutes between the steps.", 1),
        ("Never delete files by hand.", "Wait at least 30 minutes between the steps. You may skip step 1.", 1),
    ],
)
def test_of_the_sentences_around_the_steps_those_of_all_references_are_demanded(assessor, before, after, reported):
    golden, reference, candidate = (
        read_text(text, "plan.md").workflow for text in (FIRST, SECOND, PLAN.format(before, after))
    )
    for contract in (contract_of(assessor, golden, reference), contract_of(assessor, golden, reference, candidate)):
        found = notable(assessor.assess(golden, candidate, contract))
        assert found == ["WR502"] * (reported if contract.surroundings[1:] == () else 0)


def test_a_description_may_contradict_the_first_reference_and_agree_with_another(assessor):
    texts = ("Deploy to staging.", "Deploy to production.", "Deploy it to production, please.")
    golden, reference, candidate = (chain("Build", "Test").model_copy(update={"description": text}) for text in texts)
    assert notable(assessor.assess(golden, candidate)) == ["WR502"]
    assert notable(assessor.assess(golden, candidate, contract_of(assessor, golden, reference))) == []


def test_steps_in_any_order_are_those_of_their_pairs():
    n, marked, pairs = 6, frozenset({1, 4}), frozenset({(0, 2), (2, 5)})
    contract = Contract(any_order=marked) | Contract(free_orders=pairs)
    every = {
        (a, b) for a in range(n) for b in range(n) if a != b and ({a, b} & marked or (min(a, b), max(a, b)) in pairs)
    }
    assert {(a, b) for a in range(n) for b in range(n) if contract.leaves_order(a, b)} == every
    assert {(a, b) for a, free in enumerate(contract.unordered(n)) for b in members(free)} == every
    assert (Contract(free_orders=frozenset({(0, 1), (0, 3)})) - contract).free_orders == {(0, 3)}


def test_marks_of_any_order_list_no_pairs():
    tasks = tuple(Task(id=str(number), name=f"Step {number}", any_order=True) for number in range(2000))
    assert not Contract.marked(Workflow(name="long", tasks=tasks)).free_orders  # two million
