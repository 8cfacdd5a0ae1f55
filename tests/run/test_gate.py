"""Suites of cases: order, processes, files that cannot be read."""

import gc
import pickle
from hashlib import sha256

import pytest

from wfgate.decide import ORDER, CaseResult, Pair, Policy
from wfgate.read import read_text, write
from wfgate.run import Executor, Gate, read_pairs, source
from wfgate.run.results import CHUNK, PARALLEL_FROM
from wfgate.show import REPORTERS, CaseView


@pytest.fixture(scope="module")
def gate(assessor, profile):
    return Gate(assessor, profile, Policy())


def run(gate, pairs, **settings):
    return gate.run(pairs, tool="1", **settings)


@pytest.mark.slow
def test_two_processes_give_the_same_results_in_the_same_order(gate, make, steps, reworded):
    kinds = [make(), make(reworded), make(steps[:5]), make(steps[::-1])]
    pairs = [Pair(f"case {n}", (make(),), kinds[n % 4]) for n in range(PARALLEL_FROM + 7)]
    pairs[3] = Pair("case 3", (make(),), None, "nothing there")
    seen = []
    one = run(gate, iter(pairs), progress=seen.append)
    assert seen == list(range(1, len(pairs) + 1))
    two = run(gate, iter(pairs), jobs=2, progress=seen.append)
    assert [case.id for case in one.cases] == [pair.id for pair in pairs]
    assert two == one
    assert seen[-1] == len(pairs)
    assert one.verdict == "block"
    assert one.exit_code == 1


@pytest.mark.slow
def test_of_a_long_suite_only_a_part_is_read_ahead(gate, make):
    read, told = 0, []

    def pairs():
        nonlocal read
        for number in range(PARALLEL_FROM + 8 * CHUNK):
            read += 1
            yield Pair(str(number), (make(),), make())

    def note(case):
        told.append((case.id, read))

    result = run(gate, pairs(), jobs=2, on_case=note)
    assert [case for case, _ in told] == [case.id for case in result.cases]
    assert told[0][1] <= PARALLEL_FROM + CHUNK
    assert max(ahead - place for place, (_, ahead) in enumerate(told)) <= PARALLEL_FROM + 5 * CHUNK


def test_what_cannot_be_read_is_a_result(gate, make, tmp_path):
    (tmp_path / "broken.yaml").write_text("steps: [")
    good, broken, absent = make(), tmp_path / "broken.yaml", tmp_path / "absent.yaml"
    pairs = [
        Pair("candidate", (good,), broken),
        Pair("golden", (broken,), good),
        Pair("one of two goldens", (good, absent), good),
        Pair("absent", (good,), absent),
        Pair("text", (good,), "no workflow\nat all"),
        Pair("object", (good,), {"what": "ever"}),
        Pair("none", (good,), None, "no candidate named 'x'"),
        Pair("fine", (good,), good),
    ]
    result = run(gate, pairs)
    assert [case.verdict for case in result.cases] == ["inconclusive"] * 7 + ["pass"]
    for case in result.cases[:7]:
        assert case.error
        assert [reason.message for reason in case.reasons] == [case.error.partition("\n")[0]]
    assert "broken.yaml" in result.cases[0].error
    assert result.cases[6].error == "no candidate named 'x'"
    assert (result.verdict, result.exit_code, len(result.errors)) == ("inconclusive", 3, 7)


def test_no_cases_is_never_green(gate):
    result = run(gate, [])
    assert (result.cases, result.verdict, result.exit_code) == ((), "inconclusive", 3)


def test_strange_bytes_in_a_suite_do_not_stop_it(gate, tmp_path):
    lines = [
        '{"id": "\\ud800", "golden": "caf\udce9.yaml", "candidate": "b\\u0000.yaml"}',
        '{"id": "two", "golden": {"wfgate": "1", "steps": ["\\ud800"]}, "candidate": "x\\n\\ud800"}',
        '{"id": "\udce9", "golden": "' + "a" * 5000 + '", "candidate": "b"}',
        "\udce9",
    ]
    result = run(gate, read_pairs(iter(lines), "suite.jsonl", tmp_path))
    assert len(result.errors) == 4
    assert result.exit_code == 3
    assert result.to_dict()
    assert result.model_dump_json().encode()


def test_the_result_says_what_it_rests_on(gate, make, profile, assessor):
    result = run(gate, [Pair("a", (make(),), make())])
    assert result.tool.signature == assessor.signature
    assert result.profile.source == "default"
    assert result.profile.corpus == profile.corpus.fingerprint
    assert result.promise.alpha_block == profile.promise.alpha_block
    assert result.promise.interval[0] <= result.promise.measured_false_block <= result.promise.interval[1]


def test_policy_overrides_the_alphas_of_the_profile(assessor, profile, make):
    strict = Gate(assessor, profile, Policy(alpha_block=0.2, alpha_review=0.03))
    promise = run(strict, [Pair("a", (make(),), make())]).promise
    assert (promise.alpha_block, promise.alpha_review) == (0.2, 0.2)  # review is never stricter than block


MAJORITY = Policy(samples="majority", inconclusive_blocks=True)


@pytest.mark.parametrize(
    ("policy", "unread", "jobs"),
    [
        *((policy, unread, 1) for policy in (Policy(), MAJORITY) for unread in ((), (1,), (1, 5), (2,))),
        pytest.param(MAJORITY, (1, 5), 2, marks=pytest.mark.slow),
    ],
)
def test_streamed_cases_have_the_lines_and_the_exit_code_of_a_run_and_are_not_kept(
    assessor, profile, make, steps, unread, policy, jobs
):
    gate, line = Gate(assessor, profile, policy), REPORTERS["jsonl"].piece
    names = [None, "deploy", "deploy", "deploy", None, "test"]
    kinds = [make(), make(), make(), make(steps[:5]), make(), make()]
    pairs = [
        Pair(str(place), (make(),), kind, "unreadable" if place in unread else None, name)
        for place, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
    if jobs == 2:
        pairs += [Pair(str(place), (make(),), make(steps[::-1])) for place in range(len(pairs), PARALLEL_FROM + 40)]
    result = run(gate, pairs)
    expected = [line(case) for case in result.cases]
    code, count = result.exit_code, len(result.cases)
    verdicts = {verdict: number for verdict in ORDER if (number := result.count(verdict))}
    del result
    lines, alive = [], []

    def write(parts):
        lines.extend(parts)
        alive.append(sum(isinstance(each, CaseResult) for each in gc.get_objects()))

    assert gate.stream(pairs, [line], write, jobs=jobs) == (count, code, verdicts)
    assert lines == expected
    assert max(alive) - min(alive) <= 1


class LastFirst(Executor):
    """Runs all chunks, as if on a machine without the files, and returns the last one first."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, work, chunks, equipment):
        chunks = list(chunks)
        self.folder.rename(self.folder.with_name("elsewhere"))
        yield from [work(chunk, pickle.loads(pickle.dumps(equipment))) for chunk in reversed(chunks)]  # noqa: S301 - own data
        self.folder.with_name("elsewhere").rename(self.folder)


def test_an_executor_needs_no_files_and_no_order(gate, make, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.yaml").write_text(write(make(), "native"))
    (folder / "broken.yaml").write_text("steps: [")
    there = [folder / name for name in ("good.yaml", "broken.yaml", "absent.json")]
    pairs = [Pair(str(number), (there[0],), there[number % 3]) for number in range(2 * CHUNK + 5)]
    pairs += [Pair("lost", (there[2],), there[0]), Pair("none", (), None, "no reference")]
    expected = run(gate, pairs)
    assert run(gate, pairs, executor=LastFirst(folder)) == expected
    lines = []
    gate.stream(pairs, [REPORTERS["jsonl"].piece], lines.extend, executor=LastFirst(folder))
    assert "".join(lines) == REPORTERS["jsonl"].render(expected)


def test_a_stream_without_cases_compared_nothing(gate):
    assert gate.stream([], [], list) == (0, 3, {})


def test_references_with_other_texts_around_the_same_steps_have_another_contract(gate):
    text = "1. Build the image\n2. Deploy the image\n\n{}\n"
    golden, lacking, keeping = (
        read_text(text.format(after), "plan.md").workflow
        for after in ("Never deploy on a Friday.", "Good luck.", "Never deploy on a Friday. Good luck.")
    )
    assert lacking.content_hash() == keeping.content_hash()
    assert gate.contract(golden, [lacking]).approved.keys() != gate.contract(golden, [keeping]).approved.keys()


def test_a_reference_with_few_of_the_steps_is_no_alternative(gate, make, steps):
    """Else an unrelated reference makes most steps optional, and a candidate without them passes."""
    stranger = make(["Open the dashboard", "Press the green button", "Watch the lights"])
    for other, problem in ((stranger, True), (make(steps[:2]), True), (make(steps[:-1]), False)):
        result = gate.decide(Pair("x", (make(), other), make(steps[:2])))
        assert (result.verdict == "inconclusive") is problem
        assert ("not alternatives of one workflow" in (result.error or "")) is problem


def test_what_was_left_out_names_the_reference_that_lacks_it(gate, make, steps):
    others = [make(steps[:-1]), make(steps)]
    result = gate.decide(Pair("x", (make(), *others), make(steps[:-1])))
    lost = [step for step in result.steps if step.state == "left-out"]
    assert (result.verdict, [step.lacking for step in lost]) == ("pass", [("x (golden 2)",)])
    assert (1, "left out (optional: not in x (golden 2))") in CaseView(result).steps.counts()


def test_a_file_is_read_once_and_its_hash_is_of_the_bytes_that_were_compared(gate, make, steps, tmp_path, monkeypatch):
    golden, candidate = tmp_path / "golden.yaml", tmp_path / "candidate.yaml"
    golden.write_text(write(make(), "native"))
    candidate.write_text(write(make(steps[:5]), "native"))
    bytes_of, read = source.load_bytes, []

    def swapped(path):
        content = bytes_of(path)
        read.append(path)
        candidate.write_bytes(golden.read_bytes())  # somebody writes another candidate after the first look at it
        return content

    monkeypatch.setattr(source, "load_bytes", swapped)
    expected = sha256(candidate.read_bytes()).hexdigest()
    case = gate.decide(Pair("a", (make(),), candidate))
    assert (case.error, case.verdict, case.content, read) == (None, "block", expected, [candidate])
