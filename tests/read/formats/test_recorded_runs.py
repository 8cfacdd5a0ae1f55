"""Recorded runs: all sources record one run as the same workflow, a cut run is no run, secrets reach no report."""

import json
from functools import partial

import pytest

from wfgate.compare import compare
from wfgate.decide import Assessor, Pair, Policy, default_profile
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.read import read_data, read_text, write
from wfgate.run import Gate
from wfgate.show import REPORTERS

from .format_runs import NESTED, NESTING, SOURCES, TURNS, as_lines, openai_chat

SECRET = "sk-proj-0123456789abcdefghij"  # noqa: S105 - what must not be shown


def bare(workflow):
    """The workflow as it is compared, without positions."""
    return [
        (
            [task.model_copy(update={"span": None}) for task in part.tasks],
            [task.raw for task in part.tasks],
            [(link.source, link.target) for link in part.links],
        )
        for part in (workflow, *workflow.subworkflows)
    ]


def run(turns, source="openai chat"):
    return read_data(SOURCES[source](turns), "x").workflow


def changed(at, **arguments):
    """The turns with other arguments of the first call of a turn."""
    tool, given, *more = TURNS[at][0]
    return [*TURNS[:at], [(tool, given | arguments, *more), *TURNS[at][1:]], *TURNS[at + 1 :]]


@pytest.fixture(scope="module")
def gate():
    return Gate(Assessor(StaticEmbedder(), load_meaning_model()), default_profile(), Policy())


def decided(gate, golden, candidate):
    return gate.decide(Pair("run", (golden,), candidate))


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_records_the_same_run_as_the_same_workflow(source):
    data = SOURCES[source](TURNS)
    workflow = run(TURNS)
    assert [task.name for task in workflow.tasks] == [
        *("find_customer", "get_order", "get_invoice", "refund", "send_email"),
    ]
    assert [task.loop is not None for task in workflow.tasks] == [False, False, False, True, False]
    ids = {task.id: task.name for task in workflow.tasks}
    assert {(ids.get(link.source), ids.get(link.target)) for link in workflow.links} == {
        *((None, "find_customer"), ("find_customer", "get_order"), ("find_customer", "get_invoice")),
        *(("get_order", "refund"), ("get_invoice", "refund"), ("refund", "send_email"), ("send_email", None)),
    }
    for reading in (read_data(data, "x"), read_text(json.dumps(data), "x.json"), read_text(as_lines(data), "x.jsonl")):
        assert (reading.format, reading.diagnostics) == ("recorded-run", ())
        assert bare(reading.workflow) == bare(workflow)


@pytest.mark.parametrize("source", NESTING)
def test_calls_of_an_agent_that_is_a_tool_are_inside_its_call(source):
    workflow = read_data(SOURCES[source](NESTED), "x").workflow
    assert [task.kind for task in workflow.tasks] == ["task", "composite", "task"]
    (inner,) = workflow.subworkflows
    assert [(task.name, task.params) for task in inner.tasks] == [
        *(("search", {"q": "policy"}), ("search", {"q": "law"}), ("read", {"n": 1})),
    ]
    assert len(inner.links) == 5  # two parallel searches, then the reading
    assert bare(workflow) == bare(run(NESTED, "otel"))
    again = read_text(write(workflow, "native"), "x", "native").workflow
    assert [task.name for task in again.subworkflows[0].tasks] == ["search", "search", "read"]


def test_overlapping_calls_are_parallel_if_no_model_is_recorded():
    def spans(*times):
        return [
            {"id": str(at), "trace_id": "0", "parent_run_id": "0" if at else None, "name": f"t{at}",
             "run_type": "tool" if at else "chain", "inputs": {}, "start_time": start, "end_time": end}
            for at, (start, end) in enumerate([(0, 99), *times])
        ]  # fmt: skip

    def links(*times):
        return len(read_data(spans(*times), "x").workflow.links)

    assert (links((1, 5), (2, 6)), links((1, 5), (5, 6))) == (4, 3)


CUT = {
    "call without a result": (lambda: openai_chat(TURNS)[:-2], 1, "the call of 'send_email' has no result"),
    "result without a call": (lambda: openai_chat(TURNS)[3:], 1, "the call of this result is missing"),
    "limit": (
        lambda: [*openai_chat(TURNS), {"role": "assistant", "content": "", "finish_reason": "length"}],
        15,
        "reached its limit",
    ),
    "span without its parent": (lambda: SOURCES["langsmith"](TURNS)[1:], 1, "the parent of this part is missing"),
    "span without an end": (
        lambda: [*SOURCES["langsmith"](TURNS)[:-1], SOURCES["langsmith"](TURNS)[-1] | {"end_time": None}],
        12,
        "has no end",
    ),
}


@pytest.mark.parametrize("case", CUT)
def test_a_run_that_is_cut_off_is_inconclusive(case, gate, tmp_path):
    make, line, message = CUT[case]
    golden, candidate = tmp_path / "golden.json", tmp_path / "candidate.jsonl"
    golden.write_text(json.dumps(openai_chat(TURNS)))
    candidate.write_text(as_lines(make()))
    with pytest.raises(FormatError, match=message) as problem:
        read_text(candidate.read_text(), str(candidate))
    if case != "call without a result":
        assert problem.value.line == line
    assert "again" in problem.value.fix
    for pair in ((golden, candidate), (candidate, golden)):
        assert decided(gate, *pair).verdict == "inconclusive"


@pytest.mark.parametrize("source", SOURCES)
def test_no_beginning_of_a_file_passes(source):
    text = as_lines(SOURCES[source](TURNS)).strip()
    whole = bare(run(TURNS))
    for end in range(len(text) // 50, len(text) * 49 // 50, len(text) // 50):
        try:
            workflow = read_text(text[:end], "x.jsonl").workflow
        except FormatError:
            continue
        assert bare(workflow) != whole  # cut between two lines: the calls that are missing are seen


def test_lines_are_named_and_wrong_values_have_a_fix():
    lines = as_lines(openai_chat(TURNS)).splitlines()
    assert read_text("\n".join(lines), "x.jsonl").workflow.tasks[-1].span.line == 12
    with pytest.raises(FormatError, match="JSON") as problem:
        read_text("\n".join([*lines[:3], "{nothing}", *lines[3:]]), "x.jsonl")
    assert (problem.value.line, problem.value.column) == (4, 2)
    broken = lines[2].replace('"name": "find_customer", ', "")
    with pytest.raises(FormatError, match="has no 'name'") as problem:
        read_text("\n".join([*lines[:2], broken, *lines[3:]]), "x.jsonl")
    assert (problem.value.line, problem.value.fix) == (3, "add 'name'")
    two = SOURCES["langsmith"](TURNS)
    with pytest.raises(FormatError, match="2 runs"):
        read_data([*two, two[0] | {"id": "other", "trace_id": "other"}], "x")


CHANGES = {
    "another argument": (changed(3, amount=1250.0), {"block", "review"}),
    "a call less": ([*TURNS[:2], *TURNS[4:]], {"block", "review"}),
    "two calls exchanged": ([TURNS[0], TURNS[3], TURNS[1], TURNS[4]], {"block", "review"}),
    "another tool": ([*TURNS[:4], [("delete_customer", {"to": "ada@example.org"}, True, [])]], {"block", "review"}),
    "parallel calls exchanged": ([TURNS[0], TURNS[1][::-1], *TURNS[2:]], {"pass"}),
    "one more attempt": ([*TURNS[:3], *TURNS[2:]], {"pass"}),
    "the same": (TURNS, {"pass"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_run_of_another_source_is_seen(change, gate):
    turns, verdicts = CHANGES[change]
    case = decided(gate, json.dumps(openai_chat(TURNS)), as_lines(SOURCES["langsmith"](turns)))
    assert case.verdict in verdicts, case.findings


def test_a_run_is_compared_with_a_plan_and_with_several_runs(gate):
    after = {}
    steps = []
    for turn in (TURNS[0], TURNS[1], TURNS[3], TURNS[4]):
        steps += [{"id": tool, "name": tool, "params": given, "needs": [*after]} for tool, given, *_ in turn]
        after = {tool: None for tool, *_ in turn}
    plan = json.dumps({"wfgate": "1", "steps": steps})
    once = [*TURNS[:2], *TURNS[3:]]
    assert decided(gate, plan, json.dumps(openai_chat(once))).verdict == "pass"
    assert decided(gate, plan, json.dumps(openai_chat([once[0], *once[2:]]))).verdict == "block"
    more = [*once[:3], [("log", {"text": "refunded"}, True, [])], once[3]]
    runs = [json.dumps(openai_chat(turns)) for turns in (once, more)]
    assert gate.decide(Pair("runs", (runs[0],), runs[1])).verdict != "pass"
    assert gate.decide(Pair("runs", tuple(runs), runs[1])).verdict == "pass"
    assert gate.decide(Pair("runs", tuple(runs[::-1]), runs[0])).verdict == "pass"


@pytest.mark.parametrize("source", SOURCES)
def test_secrets_reach_no_report(source, gate):
    given = {
        "api_key": SECRET,
        "headers": [{"name": "Authorization", "value": "hunter2-hunter2"}, {"name": "Accept", "value": "text"}],
        "command": f"curl -H 'Authorization: Bearer {SECRET}' https://ada:pass-word@example.org --password hunter2",
        "auth": {"user": "hunter2-user"},
    }
    golden, candidate = (
        SOURCES[source](changed(4, **each))
        for each in (given, given | {"api_key": SECRET + "x", "command": given["command"] + "x"})
    )
    shown = "".join(task.model_dump_json() for task in read_data(golden, "x").workflow.tasks)
    assert "Accept" in shown
    assert "curl" in shown
    result = gate.run([Pair("run", (json.dumps(golden),), json.dumps(candidate))], tool="x")
    (case,) = result.cases
    assert case.verdict != "pass"
    pages = [shown, *(reporter.render(result) for reporter in REPORTERS.values()), result.model_dump_json()]
    for secret in ("hunter2", SECRET[:16], "pass-word"):
        assert not [page for page in pages if secret in page]


def test_what_cannot_be_read_is_said():
    call = {"role": "assistant", "function_call": {"name": "a", "arguments": "{}"}, "content": None}
    with pytest.raises(FormatError, match="function_call"):
        read_data([call], "x")
    reading = read_data(openai_chat(TURNS)[:3] + openai_chat(TURNS)[3:4], "x")
    assert not reading.diagnostics
    broken = json.loads(json.dumps(openai_chat(TURNS)).replace('{\\"id\\": 17}', '{\\"id\\": 17'))
    assert [note.severity for note in read_data(broken, "x").diagnostics] == ["warning"]
    deep = partial(run, source="otel")
    turns = TURNS[:1]
    for _ in range(40):
        turns = [[("agent", {}, True, turns)]]
    with pytest.raises(FormatError, match="nested deeper"):
        deep(turns)


@pytest.mark.parametrize("odd", [[], {}, None, 0, "", True])
@pytest.mark.parametrize("source", SOURCES)
def test_odd_values_are_read_or_refused_with_a_fix(source, odd):
    """Each key of a record in turn; an empty id was its own parent, and a list in place of a word an error."""

    def inside(value):
        yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from inside(inner)

    data = SOURCES[source](TURNS[:2])
    for held in [each for each in inside(data) if isinstance(each, dict)]:
        for key, was in [*held.items()]:
            held[key] = odd
            try:
                assert read_text(json.dumps(data), "x.json").workflow.tasks
            except FormatError as problem:
                assert problem.fix  # noqa: PT017 - most are refused, each for another reason
            held[key] = was


def test_steps_are_aligned_by_tool_and_arguments():
    many = [[("search", {"q": word}, True, [])] for word in ("cats", "dogs", "birds", "fish")]
    comparison = compare(run(many), run([*many[:2], *many[3:]]), StaticEmbedder())
    assert [fate.task.params["q"] for fate in comparison.fates if fate.is_unaligned] == ["birds"]
