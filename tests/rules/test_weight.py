"""The weight of a finding, over all combinations of what determines it."""

from dataclasses import fields, replace
from datetime import date
from itertools import pairwise, product

import pytest

from wfgate.model import Link, Task, Workflow
from wfgate.rules import SEVERITIES, Finding, Waived, review
from wfgate.rules.checks import RELATIVE
from wfgate.rules.weight import Grounds, weigh

WAIVED = Waived(reason="known", owner="ops", expires=date(2030, 1, 1))

WEIGHTS = ("note", "estimate", "contradiction", "proof")
ANY = ("info", "warning", "error", None)
FLAGS = tuple(field.name for field in fields(Grounds) if field.name not in {"severity", "policy"})

# The first row whose flags ("-" in front: not) and levels all hold gives the weight.
TABLE = (
    ("waived", ANY, "note"),
    ("-new", ANY, "note"),
    ("free", ANY, "note"),
    ("", ("info",), "note"),
    ("-relative", ("error",), "proof"),
    ("-relative critical", ("warning",), "contradiction"),
    ("-relative", ("warning",), "note"),
    ("proven", ("error",), "proof"),
    ("exact critical", ("error",), "proof"),
    ("exact confirmed", ("error",), "proof"),
    ("small -textual -replaced", ("error",), "proof"),
    ("critical -textual kept", ANY, "proof"),
    ("critical -textual changes_step", ANY, "proof"),
    ("proven", ("warning",), "contradiction"),
    ("exact", ANY, "contradiction"),
    ("", ANY, "estimate"),
)


def every():
    """Yield all grounds, each with and without a waiver."""
    for severity, policy in product(SEVERITIES, (*SEVERITIES, None)):
        for flags in product((False, True), repeat=len(FLAGS)):
            grounds = Grounds(severity, policy, *flags)
            yield grounds, False
            yield grounds, True


def expected(grounds, waived):
    level = grounds.policy or grounds.severity
    for words, levels, weight in TABLE:
        holds = ((waived if name == "waived" else getattr(grounds, name)) for name in words.replace("-", "").split())
        wanted = (not word.startswith("-") for word in words.split())
        if level in levels and list(holds) == list(wanted):
            return weight
    raise AssertionError


def test_all_combinations_weigh_what_the_table_says():
    used = set()
    for grounds, waived in every():
        weight = weigh(grounds, waived=waived)
        assert weight == expected(grounds, waived), (grounds, waived)
        used.add(weight)
    assert used == set(WEIGHTS)


@pytest.mark.parametrize("flag", ["new", "critical", "small", "proven", "exact", "confirmed", "kept", "changes_step"])
def test_more_against_a_candidate_never_weighs_less(flag):
    for grounds, waived in every():
        if not getattr(grounds, flag):
            more = weigh(replace(grounds, **{flag: True}), waived=waived)
            assert WEIGHTS.index(more) >= WEIGHTS.index(weigh(grounds, waived=waived)), grounds


def chain(*names):
    tasks = tuple(Task(id=name, name=name) for name in names)
    return Workflow(tasks=tasks, links=tuple(Link(source=a, target=b) for a, b in pairwise(("START", *names, "END"))))


def test_what_a_policy_says_reaches_the_weight(compare_by_name):
    golden, candidate = chain("Build", "Test", "Deploy"), chain("Build", "Deploy")
    comparison = compare_by_name(golden, candidate)

    def lost(levels=None, **terms):
        (finding,) = (one for one in review(comparison, levels, **terms) if one.id == "WR101")
        return finding.severity, finding.weight, finding.lost_critical

    def waived(check, fingerprint):
        del fingerprint
        return WAIVED if check == "WR101" else None

    assert lost() == ("error", "contradiction", False)  # at least a review, whatever its p-value
    assert lost(small=True) == ("error", "proof", False)
    assert lost(critical={golden.tasks[1].id}) == ("error", "proof", True)  # a missing critical step blocks
    assert lost(small=True, waived=waived) == ("error", "note", False)
    assert lost({"WR101": "info"}, small=True) == ("info", "note", False)
    (finding,) = (one for one in review(comparison, small=True, waived=waived) if one.id == "WR101")
    assert finding.waived.weight == "proof"


def test_relative_checks_have_distinct_ranks():
    ranks = [check.rank for check in RELATIVE.values()]
    assert len(set(ranks)) == len(ranks)
    assert all(check.about != "defect" for check in RELATIVE.values())


def test_findings_of_version_0_1_are_read():
    old = {"id": "WR107", "defect": "value-changed", "severity": "error", "message": "m", "fingerprint": "0" * 16}
    read = Finding.model_validate({**old, "golden_steps": ["a"], "consequence": True})
    assert [claim[:3] for claim in read.claims] == [("step", "golden", ("a",))]
    assert Finding.model_validate({**old, "consequence": False}).claims != read.claims
