"""Recorded runs: all sources record one run as the same workflow, a cut run is no run, secrets reach no report."""

import json
from functools import partial
from pathlib import Path

import pytest

from wfgate.compare import compare
from wfgate.decide import Assessor, Blob, Pair, Policy, default_profile
from wfgate.errors import FormatError
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.read import read_data, read_text, write
from wfgate.run import Gate, pair_files
from wfgate.show import REPORTERS

from .format_runs import NESTED, NESTING, SOURCES, TURNS, as_lines, openai_chat, openai_functions

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


ODD = [*TURNS[:4], [("report", {"calls": 3, "tool": "a", "arguments": {"calls": {"tool": "a"}}}, True, [])]]
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


MORE = '[[rules]]\nid = "more"\nadditional = {pattern = "%s"}\n'
NEVER = '[[rules]]\nid = "no-deletion"\nnever = {pattern = "delete_*"}\n'
ONCE = [*TURNS[:2], *TURNS[3:]]
LOG, DELETE = [("log", {"text": "refunded"}, True, [])], [("delete_customer", {"id": 17}, True, [])]
AT_LEAST = {
    "strict": ([*ONCE[:3], LOG, ONCE[3]], "", {"block", "review"}),
    "one more": ([*ONCE[:3], LOG, ONCE[3]], MORE % "*", {"pass"}),
    "many more": ([LOG, *ONCE[:1], LOG, *ONCE[1:2], [*ONCE[2], *LOG], ONCE[3], LOG], MORE % "*", {"pass"}),
    "a tool that no rule names": ([*ONCE[:3], LOG, ONCE[3]], MORE % "search", {"block", "review"}),
    "a forbidden tool": ([*ONCE, DELETE], MORE % "*" + NEVER, {"block"}),
    "a call less": ([*ONCE[:2], LOG, ONCE[3]], MORE % "*", {"block"}),
    "another order": ([ONCE[0], ONCE[2], LOG, ONCE[1], ONCE[3]], MORE % "*", {"block", "review"}),
    "another argument": ([*changed(3, amount=99.0)[:2], *changed(3, amount=99.0)[3:], LOG], MORE % "*", {"block"}),
}


@pytest.mark.parametrize("change", AT_LEAST)
def test_additional_calls_are_permitted_by_a_rule_only(change, gate):
    turns, rules, verdicts = AT_LEAST[change]
    blobs = (Blob(Path("run.rules.toml"), rules.encode()),) if rules else ()
    golden, candidate = json.dumps(openai_chat(ONCE)), as_lines(SOURCES["langsmith"](turns))
    case = gate.decide(Pair("run", (golden,), candidate, rules=blobs))
    assert case.verdict in verdicts, (case.reasons, case.findings)
    if case.verdict == "pass":
        assert (case.findings, case.p_value, case.severity.estimate) == ((), 1, 0)
        assert "'log'" in case.diagnostics[-1].message


def test_a_rule_for_additional_calls_adds_to_what_several_runs_leave_free(gate):
    runs = tuple(json.dumps(openai_chat(turns)) for turns in (ONCE, [*ONCE[:3], LOG, ONCE[3]]))
    search = [("search", {"q": "refund"}, True, [])]
    candidate = json.dumps(openai_chat([search, *ONCE[:3], LOG, ONCE[3]]))
    rule = (Blob(Path("run.rules.toml"), (MORE % "search").encode()),)
    assert gate.decide(Pair("run", runs, candidate)).verdict != "pass"
    assert gate.decide(Pair("run", runs, candidate, rules=rule)).verdict == "pass"


def test_early_chat_completions_are_read():
    turns = [[call] for turn in TURNS for call in turn]
    assert bare(read_data(openai_functions(turns), "x").workflow) == bare(run(turns))
    messages = openai_functions(turns)
    for cut, message in ((messages[:-2], "has no result"), (messages[2:], "the call of this result is missing")):
        with pytest.raises(FormatError, match=message):
            read_data(cut, "x")
    with pytest.raises(FormatError, match="the call of this result is missing"):
        read_data([messages[1], messages[2] | {"name": "another"}], "x")


def test_a_response_with_choices_is_read_as_a_whole():
    request, response = SOURCES["openai requests"](TURNS)
    (choice,) = response["choices"]
    for other, message in (
        ([choice, choice], "has 2 choices"),
        ([choice | {"finish_reason": "length"}], "reached its limit"),
        ([{"index": 0, "delta": {"content": "Do"}}], "has no 'message'"),
    ):
        with pytest.raises(FormatError, match=message) as problem:
            read_data([request, response | {"choices": other}], "x")
        assert problem.value.fix


def test_lines_in_folders_are_runs_and_records_of_wfgate_are_not(gate, tmp_path):
    folders = [tmp_path / "approved", tmp_path / "runs"]
    for folder in folders:
        folder.mkdir()
        (folder / "refund.jsonl").write_text(as_lines(openai_chat(TURNS)))
    (folders[1] / "refund.generation.jsonl").write_text('{"schema": "wfgate.generation/1", "model": "x"}\n')
    (pair,) = pair_files([folders[1]], folders[0])
    assert (pair.id, pair.problem, gate.decide(pair).verdict) == ("refund", None, "pass")
    (folders[1] / "other.generation.jsonl").write_text(as_lines(openai_chat(TURNS)))
    assert "its name is that of a record" in pair_files([folders[1]], folders[0])[1].problem


def test_arguments_are_compared_whatever_their_names(gate):
    """Names that the data form of runs uses, too."""
    golden = json.dumps(openai_chat(ODD))
    for old, new in (
        ('"calls\\": 3', '"calls\\": 4'),
        ('"tool\\": \\"a\\", ', '"tool\\": \\"b\\", '),
        (': \\"a\\"}', ': \\"b\\"}'),
    ):
        assert golden.count(old) == 1
        assert decided(gate, golden, golden.replace(old, new)).verdict != "pass"


def test_a_call_that_another_run_has_may_come_after_other_calls(gate):
    """A finding about it does not depend on its place among all calls."""
    runs = (ONCE, [[("look", {"at": 1}, True, [])], *ONCE, LOG])
    golden, other, candidate = (json.dumps(openai_chat(turns)) for turns in (*runs, [*ONCE, LOG]))
    assert gate.decide(Pair("run", (golden, other), candidate)).verdict == "pass"


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


PEM = "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,1f\n\nMII{}-part\n-----END RSA PRIVATE KEY-----"
HIDDEN = {
    "a password in JSON in a text": {"body": '{"user": {"name": "ada", "password": "{}", "id": 7}}'},
    "a token in JSON in JSON in a text": {"body": r'{"body": "{\"token\": \"{}\"}"}'},
    "a key in JSON in a command": {"run": 'curl -d \'{"api_key": "{} x"}\' https://example.org'},
    "an escaped key in a command": {"run": r'sh -c "curl -d {\"secret\": \"{} x\"}"'},
    "a bearer token": {"run": "curl -H 'Authorization: Bearer {}' https://example.org"},
    "a header of another scheme": {"run": "curl -H 'Authorization: Token {}' https://example.org"},
    "a cookie": {"run": "curl -H 'Cookie: theme=dark; sid={}' https://example.org"},
    "an AWS secret": {"run": "AWS_SECRET_ACCESS_KEY={} aws s3 ls"},
    "a password in a URL": {"url": "postgres://ada:{}@db.example.org/orders"},
    "a password with a sign in a URL": {"url": "postgres://ada:p@{}@db.example.org/orders"},
    "a token as the user of a URL": {"url": "https://{}@example.org/ada.git"},
    "a signature in a URL": {"url": "https://example.org/file?page=2&sig={}&v=1"},
    "a user with a password": {"run": "curl -u ada:{} https://example.org"},
    "a quoted password with spaces": {"run": "login --password 'correct {} horse'"},
    "an option in a list": {"argv": ["login", "--password", "{}"]},
    "a header as a pair": {"headers": [["X-Api-Key", "{}"]]},
    "a header as a mapping": {"headers": [{"name": "Authorization", "value": "{}"}]},
    "a field of a page": {"element": "Password field", "ref": "e5", "text": "{}"},
    "a private key": {"file": PEM},
    "a private key that is cut off": {"file": PEM[:70]},
    "everything below a key": {"credentials": {"user": "ada", "parts": ["{}"]}},
    "a key of a mapping": {"seen": {"Authorization: Bearer {}": True}},
}


def with_secret(value, secret):
    if isinstance(value, dict):
        return {with_secret(key, secret): with_secret(inner, secret) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_secret(inner, secret) for inner in value]
    return value.replace("{}", secret) if isinstance(value, str) else value


@pytest.mark.parametrize("kind", HIDDEN)
def test_a_secret_is_hidden_wherever_it_is_and_another_one_is_a_difference(kind, gate):
    golden, candidate = (
        json.dumps(openai_chat(changed(4, **with_secret(HIDDEN[kind], secret))))
        for secret in ("Zq7Hunter2Zq7Hunter2", "Zq7Hunter3Zq7Hunter3")
    )
    result = gate.run([Pair("run", (golden,), candidate)], tool="x")
    assert result.cases[0].verdict != "pass"
    pages = [reporter.render(result) for reporter in REPORTERS.values()]
    assert not [page for page in (*pages, result.model_dump_json()) if "Hunter" in page]
    assert "***" in result.model_dump_json()
    assert gate.decide(Pair("run", (golden,), golden)).verdict == "pass"


HARMLESS = (
    *("task_management_service_2026", "desk-reservation-2026-tokyo", "Basic information about cats, author: Ada"),
    *("--max-tokens 4096 --token-limit 5", "https://example.org:8080/a@b?page=2", "the password is correct"),
)


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_texts_keep_their_words(text):
    given = {"text": text, "max_tokens": 4096, "key": "name", "value": text, "body": json.dumps({"text": text})}
    assert run(changed(4, **given)).tasks[-1].params | given == run(changed(4, **given)).tasks[-1].params


def test_what_cannot_be_read_is_said():
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
