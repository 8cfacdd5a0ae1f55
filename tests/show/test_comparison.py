import pytest

from wfgate.decide import Policy, StepChange, decisions, worst
from wfgate.decide.samples import sampled_case
from wfgate.history.release import compare_releases
from wfgate.show import REPORTERS, TextReporter
from wfgate.show.comparison import lines, lost, notes, table


@pytest.fixture
def compared(make_result, make_block, make_pass):
    """Return a result from {case: (passed before, measured before, passed, measured)}, with samples of each case."""

    def make(counts, **policy):
        cases, groups = [], []
        for name, (*_, passed, of) in counts.items():
            ours = [make_pass(f"{name}@{n}") if n < passed else make_block(id=f"{name}@{n}") for n in range(of)]
            verdicts = [case.verdict for case in ours]
            proven = worst(tuple(case.proven for case in ours))
            ids = [case.id for case in ours]
            groups.append(sampled_case(name, ids, verdicts, of, Policy(**policy), proven=proven))
            cases += ours
        release = compare_releases(
            {name: (then, of) for name, (then, of, *_) in counts.items()},
            {name: (now, of) for name, (*_, now, of) in counts.items()},
            alpha=0.05,
            source="old.json",
        )
        verdict = worst((*decisions(cases, groups), release.verdict))
        update = {"samples": tuple(groups), "release": release, "verdict": verdict, "policy": Policy(**policy)}
        return make_result(*cases).model_copy(update=update)

    return make


def test_the_table_says_why_and_what_was_tested(compared):
    result = compared(
        {"a": (5, 5, 1, 5), "b": (4, 5, 3, 5), "c": (5, 5, 3, 3), "d": (3, 5, 5, 5), "e": (0, 0, 2, 2)},
    )
    assert [row.cells for row in table(result)] == [
        ("a", "5 of 5", "1 of 5", "0.048", "BLOCK: worse than before"),
        ("e", "none", "2 of 2", "-", "INCONCLUSIVE: no old sample measured"),
        ("b", "4 of 5", "3 of 5", "-", "BLOCK: all must pass"),
        ("d", "3 of 5", "5 of 5", "-", "PASS: better"),
        ("all cases", "17 of 20", "12 of 18", "0.22", "PASS: no significant drop"),
    ]
    said = " ".join(notes(result, table(result), verbose=True))
    assert "1 more case with the same pass rate as before" in said
    assert "of 0 to 5 old and 2 to 5 new samples" in said
    assert "of 20 old and 16 new samples" not in said


def test_of_many_cases_only_those_that_changed_are_listed(compared):
    result = compared({f"case{n:03}": (5, 5, 0 if n == 7 else 5, 5) for n in range(300)})
    report = TextReporter(width=80).render(result)
    shown = report.splitlines()
    assert [line.split()[0] for line in shown[:3]] == ["case", "case007", "all"]
    assert shown[3] == "299 more cases with the same pass rate as before"
    assert len(shown) < 22
    assert max(map(len, shown)) <= 80
    markdown = REPORTERS["markdown"].render(result)
    assert "| case007 | 5 of 5 | 0 of 5 | 0.008 | BLOCK: worse than before |" in markdown
    assert "case008" not in markdown


def test_long_and_hostile_names_keep_the_columns(compared, hostile):
    result = compared({"a/very/long/folder/" * 4 + "deploy": (5, 5, 0, 5), hostile: (5, 5, 4, 5), "b": (5, 5, 5, 5)})
    shown = [line for line, _, _ in lines(table(result), 60)]
    assert [len(line) - len(line.lstrip()) for line in shown[1:3]] == [0, shown[0].index("old")]
    report = TextReporter(width=60).render(result)
    assert "\x1b" not in report
    assert "##[" not in report
    for name in ("markdown", "html"):
        assert "<script>alert" not in REPORTERS[name].render(result)


def test_lost_steps_come_by_their_rise_and_those_lost_as_often_as_before_last(compared):
    result = compared({"a": (5, 5, 2, 5)})
    steps = (
        StepChange(name="Ship", state="missing", before=2, now=2),
        StepChange(name="Test", state="changed", before=0, now=1),
        StepChange(name="Take a snapshot", state="missing", before=0, now=2),
        StepChange(name="New", state="missing", before=None, now=1),
    )
    case = result.release.cases[0].model_copy(update={"steps": steps})
    result = result.model_copy(update={"release": result.release.model_copy(update={"cases": (case,)})})
    assert [step.words for step in lost(result)] == [
        "'Take a snapshot' is missing in 2 of 5 new samples, 0 of 5 old ones",
        "'Test' changed meaning in 1 of 5 new samples, 0 of 5 old ones",
        "'New' is missing in 1 of 5 new samples, not a step of the old golden",
        "'Ship' is missing in 2 of 5 new samples, 2 of 5 old ones",
    ]
