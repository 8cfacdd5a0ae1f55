"""What a relative check reports in one direction is reported in the other one, too: golden and candidate exchanged."""

from collections.abc import Iterator

import pytest

from wfgate.rules import review
from wfgate.rules.checks import RELATIVE

MIRRORS = {
    "WR101": "WR102",  # missing, added
    "WR102": "WR101",
    "WR103": "WR103",
    "WR104": "WR105",  # merged, split
    "WR105": "WR104",
    "WR106": "WR106",
    "WR107": "WR107",
    "WR111": "WR111",
    "WR121": "WR121",
    "WR201": "WR202",  # no longer always, always
    "WR202": "WR201",
    "WR203": "WR203",
    "WR204": "WR205",  # in parallel, one after the other
    "WR205": "WR204",
    "WR208": "WR208",
    "WR301": "WR301",  # weaker, stricter
    "WR305": "WR305",
    "WR306": "WR306",
    "WR307": "WR307",
    "WR501": "WR501",
    "WR502": "WR502",
    "WR503": "WR503",  # new, gone
    "WR504": "WR504",
}
"""The check that reports the reverse of what a check reports."""
WAIVED = {
    "WR206": ({"WR201", "WR301", "WR304"}, "steps that newly exclude each other got another condition or link"),
    "WR207": ({"WR301"}, "steps that newly run together got the same condition, which is reported"),
    "WR302": ({"WR301"}, "a split that newly covers all cases, or of which only one branch is taken, is stricter"),
    "WR303": ({"WR301"}, "a new default branch takes what no branch took; the other conditions are reported"),
    "WR304": ({"WR205", "WR206", "WR304"}, "a failure that is newly handled runs other steps, which is reported"),
    "WR401": (set(), "the golden reads a datum that nothing writes; that it is now written mends the golden"),
    "WR402": (set(), "reading one datum more takes nothing from a step; its value is compared (WR107)"),
    "WR403": (set(), "a further flow of data takes nothing from a step; an order that it needs is reported"),
    "WR601": (set(), "a candidate that is sound mends the golden"),
}
"""Checks without a mirror: checks of which one reports the reverse (none: it may be silent), and the reason."""
_CYCLE = "that the golden has the cycle is no difference; a candidate that gets it has WF312 instead"
WAIVED_PAIRS = {
    ("WR106", "inconsistent-almost"): "a lost part of a text is reported, of new parts only actions",
    ("WR111", "cycle"): _CYCLE,
    ("WR111", "cycle-only"): _CYCLE,
    ("WR111", "self-loop"): _CYCLE,
    ("WR201", "switched-off"): "the golden never runs the steps; that its condition `false` is gone is WR301",
    ("WR301", "switched-off"): "a new condition `false` is WR201: the steps never run",
    ("WR301", "dead-join"): "that a step waits for less is WR301; that it waits for what never comes is WF204",
    ("WR504", "dead-join"): "the golden waits for what never comes together; what it now waits for is WR301",
}
"""Single pairs without the mirror, by the check that fires and the folder of the pair, with the reason."""


@pytest.fixture(scope="module")
def directions(load_pair, pair_names) -> list[tuple[str, set[str], set[str]]]:
    """Name, relative findings and relative findings of the exchanged pair, of each pair and its reverse."""
    found = []
    for pair in map(load_pair, pair_names):
        if pair.refused is None:
            there, back = ({one.id for one in review(each.comparison())} for each in (pair, pair.reversed()))
            found += [(pair.name, there, back), (pair.name, back, there)]
    return found


def _unmirrored(directions) -> Iterator[tuple[str, str]]:
    for name, there, back in directions:
        for check in sorted(there & RELATIVE.keys()):
            instead = WAIVED[check][0] if check in WAIVED else {MIRRORS[check]}
            if instead and not instead & back:
                yield check, name


def test_every_relative_check_has_a_mirror_or_a_reason():
    assert [*MIRRORS.keys() & WAIVED.keys()] == []
    assert {*MIRRORS, *WAIVED} == {*RELATIVE}
    assert {check: mirror for check, mirror in MIRRORS.items() if MIRRORS.get(mirror) != check} == {}


def test_a_reversed_pair_has_the_mirrors_of_its_findings(directions):
    assert set(_unmirrored(directions)) == WAIVED_PAIRS.keys()


def test_a_check_without_a_mirror_is_silent_on_some_reversed_pair(directions):
    needed = {check for _, there, back in directions for check in there - back if check in WAIVED}
    assert needed == WAIVED.keys()
