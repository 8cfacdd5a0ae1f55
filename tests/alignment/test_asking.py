"""Many computations that ask a judge: each as alone, and the judge asked once a round."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.alignment import compare, compare_all
from wfgate.alignment.meaning import Equivalence, Judgement, answered, load_equivalence


class Counting(Equivalence):
    """Believes texts of equal length, and counts how often it is asked."""

    id = "counting"
    fingerprint = "0" * 64

    def __init__(self):
        self.calls = []

    def _judge(self, pairs):
        self.calls.append(len(pairs))
        return [Judgement(3.0 if len(a) == len(b) else -3.0) for a, b in pairs]


def asks(rounds, said=()):
    """Ask as often, and return the answers."""
    for number in range(rounds):
        said += tuple((yield [(f"{rounds} {number}", "x" * size) for size in range(number)]))
    return said


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 5), max_size=6))
def test_side_by_side_as_one_after_the_other(rounds):
    judge = Counting()
    together = answered([asks(count) for count in rounds], judge)
    assert together == [answered([asks(count)], Counting())[0] for count in rounds]
    assert len(judge.calls) <= max(rounds, default=0)


def test_without_a_judge_nothing_is_asked():
    assert answered([asks(0), asks(0)], None) == [(), ()]


def test_many_candidates_are_compared_as_one_by_one(tools, recorded):
    golden = next(golden for golden in recorded["ops"] if golden.n > 5)
    rewordings = [golden.reworded(texts).workflow for texts in golden.texts.rewordings]
    candidates = [*rewordings, golden.workflow, tools.relisted(golden.workflow, 1), tools.line("Something else")]
    judge = load_equivalence()
    together = compare_all(golden.workflow, candidates, tools.embedder, judge)
    for candidate, found in zip(candidates, together, strict=True):
        alone = compare(golden.workflow, candidate, tools.embedder, load_equivalence())
        assert (found.golden_file, found.candidate_file) == (golden.workflow, candidate)
        assert found.alignment == alone.alignment
        assert found.meanings == alone.meanings
        assert (found.similarity == alone.similarity).all()


def test_the_judge_is_asked_about_all_candidates_together(tools):
    judge = Counting()
    golden = tools.line("Fetch the data", "Clean the data", "Send the report")
    candidates = [tools.line("Get the data", f"Clean {what}", "Mail the report") for what in ("it", "all of it", "up")]
    compare_all(golden, candidates, tools.embedder, judge)
    several = len(judge.calls)
    judge.calls.clear()
    compare_all(golden, candidates[:1], tools.embedder, judge)
    assert several <= len(judge.calls) + 1


def test_meanings_are_known_where_many_were_compared(tools):
    judge = Counting()
    (found,) = compare_all(tools.line("Fetch the data"), [tools.line("Get the data")], tools.embedder, judge)
    calls = len(judge.calls)
    assert found.meanings
    assert len(judge.calls) == calls
