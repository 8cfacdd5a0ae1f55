"""Which findings are reasons, and in which order."""

import copy
from itertools import pairwise, permutations

import pytest

import wfgate
from wfgate.decide import claimants
from wfgate.decide.claims import unclaimed
from wfgate.rules import Finding
from wfgate.rules.base import Wording


def finding(check, steps=(), **more):
    given = {"severity": "error", "about": "value", "weight": "estimate"} | more
    name = f"{check} {' '.join(steps)} {more}"
    return Finding(id=check, defect="x", message=name, golden_steps=steps, fingerprint=name, **given)


def estimate(p_value):
    return Wording(golden=(), candidate=(), p_value=p_value)


GONE = finding("WR101", ("a",), about="step", severity="warning")
ITS_VALUE = finding("WR107", ("a",), about="step", weight="proof")
OTHER_VALUE = finding("WR107", ("b",), about="step", weight="proof")
CHANGED_VALUE = finding("WR107", ("a",))
MERGED = finding("WR104", ("a", "b"), about="merge", severity="warning")
SURE = finding("WR106", ("c",), about="text", wording=estimate(0.001))
UNSURE = finding("WR106", ("d",), about="text", wording=estimate(0.04))
CONTRADICTION = finding("WR106", ("e",), about="text", wording=estimate(0.9), exact=True)


def test_a_missing_step_claims_its_values_and_no_others():
    findings = [OTHER_VALUE, ITS_VALUE, CHANGED_VALUE, MERGED, GONE]
    assert claimants(findings) == {ITS_VALUE.fingerprint: GONE}
    assert ITS_VALUE not in unclaimed(findings)


def test_a_value_without_its_step_among_the_findings_is_a_reason():
    assert unclaimed([ITS_VALUE]) == [ITS_VALUE]
    assert unclaimed([ITS_VALUE], listed_before=[GONE]) == []


def test_reasons_are_grave_ones_first_then_facts_then_causes():
    grave = [GONE, CONTRADICTION, OTHER_VALUE, SURE, UNSURE]  # the missing step is as grave as its value
    lesser = [MERGED]
    for order in permutations([*lesser, ITS_VALUE, *grave]):
        assert unclaimed(order) == [*grave, *lesser]


def guard(weight="proof", steps=("choice", "pay"), was="total > 5000", now="total < 5000"):
    return finding("WR301", steps, about="guard", weight=weight, golden_value=was, candidate_value=now)


def value(was, now, check="WR107", **more):
    return finding(check, **({"steps": ("choice",), "weight": "proof"} | more), golden_value=was, candidate_value=now)


def rewording(was, now, **more):
    both = Wording(golden=(("Run ", False), (was, True)), candidate=(("Run ", False), (now, True)), p_value=0.02)
    return finding("WR106", ("choice",), about="text", wording=both, **more)


RAW = value("NumericGreaterThan", None, about="guard")
USES = value("actions/checkout@v4", "actions/checkout@main")


def about(check, kind, steps, weight="proof", **more):
    return finding(check, steps, about=kind, weight=weight, **more)


RETRIES = value("3", "9", about="loop")
ON_ERROR = value(None, "continueRegularOutput", about="outcome")
DEFAULT = value("pay", "refund", about="guard")
READS = about("WR402", "data", ("choice",), "estimate", golden_value="total")


def remark(was, now):
    return value(was, now, "WR502", about="text", steps=(), weight="contradiction")


@pytest.mark.parametrize(
    ("claimant", "claimed"),
    [
        (guard(), RAW),
        (guard(), value("true", "false", "WR502", about="guard", steps=())),
        (
            value("a == 'b'", "a != 'b'", about="guard"),
            guard("contradiction", ("x", "choice"), 'a == "b"', 'a != "b"'),
        ),
        (USES, rewording("actions/checkout@v4", "actions/checkout@main")),
        (USES, value("actions/checkout@v4", "actions/checkout@main", "WR501", weight="estimate")),
        (remark("Step 2 is due.", "Step 2 is optional."), remark(None, "Step 2 is optional.")),
        (value("drop a", "drop b", "WR502"), remark("`drop a`", "`drop b`")),
        (RETRIES, about("WR305", "loop", ("choice",), "contradiction")),
        (about("WR305", "loop", ("choice",)), RETRIES),  # as an error by policy
        (value("[1]", "[2]", "WR502", about="loop"), about("WR502", "loop", ("choice",))),  # of a composite
        (about("WR307", "outcome", ("pay", "choice")), ON_ERROR),
        (about("WR304", "outcome", ("choice",)), ON_ERROR),
        (about("WR202", "course", ("choice",)), value("on_failure", None, about="outcome")),
        (about("WR201", "course", ("p",), tasks=("pay",)), DEFAULT),  # the target of the choice, by its name
        (about("WR303", "guard", ("choice",)), DEFAULT),
        (about("WR403", "data", ("start", "choice"), "estimate", golden_value="total"), READS),
    ],
)
def test_the_graver_of_two_findings_that_say_one_change_claims_the_other(claimant, claimed):
    for order in permutations([claimant, claimed, OTHER_VALUE]):
        assert claimants(order) == {claimed.fingerprint: claimant}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (guard(steps=("other", "pay")), RAW),  # another step
        (guard(weight="contradiction"), RAW),  # a graver value is the reason, unless the values are the same
        (guard(weight="note"), RAW),  # a waived finding does not speak for another one
        (guard(), value("5000", "6000")),  # a value that is no condition
        (value("a:1", "a:2"), value("a:1", "a:2", witness=("another key",))),
        (value("run 3", "run 5", "WR502"), value("3", "5")),  # a number that a command has, too
        (USES, rewording("the code", "no code")),
        (RETRIES, about("WR307", "outcome", ("pay", "choice"))),
        (RETRIES, value("1", "2", about="loop", witness=("another key",))),
        (ON_ERROR, about("WR305", "loop", ("choice",), "contradiction")),
        (about("WR201", "course", ("s",), tasks=("ship",)), DEFAULT),  # of neither target
        (about("WR403", "data", ("start", "choice"), "estimate", golden_value="items"), READS),
    ],
)
def test_findings_that_say_other_changes_are_both_reasons(one, other):
    assert claimants([one, other]) == claimants([other, one]) == {}


def task(name, then, **more):
    return {"Type": "Task", "Resource": f"arn:aws:lambda:eu-west-1:123456789012:function:{name}", **then, **more}


RETRY = {"Retry": [{"ErrorEquals": ["States.ALL"], "MaxAttempts": 3}]}
ASL = {
    "StartAt": "Fetch the order",
    "States": {
        "Fetch the order": task("fetch", {"Next": "Check the total"}, **RETRY),
        "Check the total": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.total", "NumericGreaterThan": 5000, "Next": "Ask for approval"}],
            "Default": "Ship the order",
        },
        "Ask for approval": task("ask", {"Next": "Ship the order"}),
        "Ship the order": task("ship", {"Next": "Send the invoice"}),
        "Send the invoice": task("invoice", {"End": True}),
    },
}
NODES = ("Start", "Fetch the order", "Ship the order", "Send the invoice")
KINDS = ("manualTrigger", *["httpRequest"] * 3)
N8N = {
    "name": "orders",
    "nodes": [
        {
            "name": name,
            "type": f"n8n-nodes-base.{kind}",
            "typeVersion": 1,
            "position": [200 * at, 0],
            "parameters": {"url": f"https://orders.example.org/{at}"} if at else {},
        }
        for at, (name, kind) in enumerate(zip(NODES, KINDS, strict=True))
    ],
    "connections": {one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in pairwise(NODES)},
}


@pytest.mark.parametrize(
    ("golden", "path", "value", "ids"),
    [
        (ASL, ("States", "Fetch the order", "Retry", 0, "MaxAttempts"), 9, {"WR107", "WR305"}),
        (ASL, ("States", "Check the total", "Default"), "Send the invoice", {"WR107", "WR201", "WR202"}),
        (N8N, ("nodes", 2, "onError"), "continueRegularOutput", {"WR107", "WR307"}),
        (N8N, ("nodes", 2, "retryOnFail"), True, {"WR107", "WR305"}),
    ],
)
def test_one_changed_value_is_one_reason_both_ways(golden, path, value, ids):
    candidate = copy.deepcopy(golden)
    *around, key = path
    element = candidate
    for part in around:
        element = element[part]
    element[key] = value
    for pair in ((golden, candidate), (candidate, golden)):
        case = wfgate.gate(*pair)
        assert case.verdict == "block"
        assert len({one.id for one in case.findings if one.weight != "note"} & ids) == 2
        assert len(case.reasons) == 1
