"""What an answer is worth."""

import pytest

from wfgate.catalogue.facts.answers import NameList, NameSet, NameSets, OneTask, Text, YesNo
from wfgate.catalogue.facts.grading import grade
from wfgate.errors import ConfigError

ORDER = NameList(value=("a", "b", "c", "d"), before=(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")), unique=False)


@pytest.mark.parametrize(
    ("reference", "given", "value"),
    [
        (YesNo(value=True), True, 1),
        (YesNo(value=True), False, 0),
        (OneTask(value="a"), "a", 1),
        (OneTask(value="a"), "b", 0),
        (OneTask(value=None), None, 1),
        (NameSet(value=("a", "b")), ["b", "a"], 1),
        (NameSet(value=("a", "b")), ["b", "c"], 1 / 3),
        (NameSet(value=()), [], 1),
        (NameSet(value=()), ["a"], 0),
        (NameSets(value=(("a", "b", "c"),)), [["a", "b"], ["b", "c"], ["a", "c"]], 1),
        (NameSets(value=(("a", "b", "c"),)), [["a", "b"]], 1 / 3),
        (NameSets(value=()), [], 1),
        (ORDER, ["a", "c", "b", "d"], 1),
        (ORDER, ["c", "a", "b", "d"], 3 / 4),
        (ORDER, ["a", "b", "d"], 3 / 4),
        (ORDER, [], 0),
        (NameList(value=()), [], 1),
    ],
)
def test_grades(reference, given, value):
    found = grade(reference, given)
    assert found.value == pytest.approx(value)
    assert found.exact


def test_an_unknown_reference_gives_no_grade():
    assert "entangled" in grade(YesNo(value=None, because="too entangled"), given=True).undefined_because
    assert (
        grade(Text(value=("words",)), "words").undefined_because == "texts are graded by a reader or a language model"
    )


@pytest.mark.parametrize(
    ("reference", "given"),
    [(NameSet(value=("a",)), "a"), (NameSets(value=()), ["a"]), (NameSet(value=()), [["a"]]), (ORDER, None)],
)
def test_an_answer_of_another_type_is_refused(reference, given):
    with pytest.raises(ConfigError):
        grade(reference, given)


def test_bounds_where_the_work_limit_is_spent():
    found = grade(ORDER, ["d", "c", "b", "a"], budget=1)
    assert not found.exact
    assert found.value <= grade(ORDER, ["d", "c", "b", "a"]).value <= found.at_most
