"""Real machines: all are read, with as many states and links as they have; what is invalid is refused or found."""

import json
from pathlib import Path

import pytest
import yaml

from wfgate.errors import FormatError
from wfgate.model import END, START
from wfgate.read import read_file, read_text, write
from wfgate.rules import lint

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "formats" / "asl"
FILES = sorted(path for kind in ("json", "yaml") for path in CORPUS.rglob(f"*.{kind}"))

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of state machines is not beside the project")

REFUSED = {
    "invalid-choice-state": "`Choices.0` of the state 'ChoiceState' has no 'Next'",
    "invalid-error-equals": "`Catch.0` of the state 'Testing' has no 'ErrorEquals'",
    "invalid-error-equals-type": "must be a text",
    "invalid-fail-dupe-cause": "both 'Cause' and 'CausePath'",
    "invalid-fail-dupe-error": "both 'Error' and 'ErrorPath'",
    "invalid-map-items": "both 'Items' and 'ItemsPath'",
    "invalid-map-missing-iterator": "no 'ItemProcessor'",
    "invalid-map-tolerated": "both 'ToleratedFailureCount' and 'ToleratedFailureCountPath'",
    "invalid-next-with-end": "both 'Next' and 'End'",
    "invalid-parallel-branch-type": "a branch must be a mapping, not a list",
    "invalid-parallel-missing-branches": "no 'Branches'",
    "invalid-task-heartbeat": "both 'HeartbeatSeconds' and 'HeartbeatSecondsPath'",
    "invalid-task-timout": "both 'TimeoutSeconds' and 'TimeoutSecondsPath'",
    "invalid-wait-duration": "both 'Seconds' and 'SecondsPath'",
}
SAID = {
    "invalid-exercise-ajv-additional-properties": "no key 'bugInputPath'",
    "invalid-jsonata-fields": "'Parameters' has no effect",
    "invalid-jsonata-path-fields": "'OutputPath' has no effect",
    "invalid-map-dupe-state": "two states 'Final State'",
    "invalid-state-name-too-long": "longer than 80 characters",
}
FOUND = {
    "invalid-inexistant-state": "WF003",
    "invalid-map-ob-link": "WF003",
    "invalid-parallel-ob-link": "WF003",
    "invalid-missing-terminal": "WF310",
    "invalid-missing-terminal-map": "WF103",
    "invalid-missing-terminal-parallel": "WF106",
    "invalid-unreachable-state": "WF105",
}
INSIDE_ARGUMENTS = {
    *("assign", "cfn-definition-substitutions", "choice-state-variable", "dupe-fields", "duplicate-fields"),
    *("duplicate-fields-nested", "exercise-ajv", "json-path", "json-surround-syntax-extra-spaces", "math-add"),
    *("jsonata-surround-syntax-no-close", "jsonata-surround-syntax-no-open", "jsonata-surround-syntax-no-spaces"),
    *("jsonata-syntax-arithmetic", "jsonata-syntax-jsonpath-in-jsonata-surround", "jsonata-syntax-mismatched-parens"),
    *("map-distributed", "map-item-batcher-dupe-subfields", "map-tolerated-value", "payload-template"),
    *("task-alias-function", "task-credentials-null", "task-credentials-object", "variable-result-path"),
}
"""Invalid for what an argument or a path says: nobody here looks into those."""


def stem(path):
    return path.name.partition(".")[0]


def read_all():
    return {path: read_file(path) for path in FILES if stem(path) not in REFUSED}


def machines(machine):
    """Yield each machine and those inside its states."""
    yield machine
    for state in machine["States"].values():
        inner = [*state.get("Branches", ()), *(state[key] for key in ("ItemProcessor", "Iterator") if key in state)]
        for each in inner:
            yield from machines(each)


def counted(machine):
    """Count states and links without the reader: what starts, follows, is chosen and is caught."""
    states = [state for each in machines(machine) for state in each["States"].values()]
    links = sum(1 for _ in machines(machine))
    for state in states:
        links += ("Next" in state or "End" in state or state["Type"] in {"Succeed", "Fail"}) + ("Default" in state)
        links += len(state.get("Choices", ())) + len(state.get("Catch", ()))
    ends = sum(map(plain_ends, machines(machine)))  # each is the end of the states before it, not a state
    return len(states) - ends, links - ends


def plain_ends(machine):
    """Count the Succeed states that do nothing and that are only reached by `Next`."""
    states = machine["States"].values()
    named = {rule["Next"] for state in states for key in ("Choices", "Catch") for rule in state.get(key, ())}
    named |= {machine["StartAt"], *(state.get("Default") for state in states)}
    following = {state.get("Next") for state in states} - named
    return sum(
        state in ({"Type": "Succeed"}, {"Type": "Succeed", "Comment": state.get("Comment")}) and name in following
        for name, state in machine["States"].items()
    )


def test_every_file_is_read():
    for path in FILES:
        if stem(path) in REFUSED:
            with pytest.raises(FormatError) as problem:
                read_file(path)
            assert REFUSED[stem(path)] in problem.value.message
            assert problem.value.line
        else:
            reading = read_file(path)
            assert reading.format == "asl"
            assert reading.workflow == read_file(path, "asl").workflow
            said = [note.message for note in reading.diagnostics]
            assert any(SAID[stem(path)] in message for message in said) if stem(path) in SAID else not said


def test_every_invalid_file_is_accounted_for():
    invalid = {stem(path) for path in FILES if path.name.startswith("invalid-")}
    assert invalid == {*REFUSED, *SAID, *FOUND, *(f"invalid-{name}" for name in INSIDE_ARGUMENTS)}
    for path, reading in read_all().items():
        found = {finding.id for finding in lint(reading.workflow)}
        assert FOUND.get(stem(path), "") in {*found, ""}


def test_states_and_links_are_those_of_the_file():
    for path, reading in read_all().items():
        text = path.read_text("utf-8")
        machine = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        parts = [reading.workflow, *reading.workflow.subworkflows]
        tasks = sum(len(part.tasks) for part in parts)
        links = 0
        for part in parts:
            gates = {gate.id for gate in part.gateways}
            first, last = {*gates, START}, {*gates, END}
            links += sum(not (link.source in first and link.target in last) for link in part.links)
        assert (tasks, links) == counted(machine), path.name


@pytest.mark.slow
def test_the_way_through_the_native_format():
    for reading in read_all().values():
        written = write(reading.workflow, "native")
        assert write(read_text(written, "x").workflow, "native") == written


def test_what_the_checks_find_in_valid_files():
    noise = {}
    for path, reading in read_all().items():
        if not path.name.startswith("invalid-"):
            errors = {finding.id for finding in lint(reading.workflow) if finding.severity == "error"}
            for each in errors - {"WF501"}:  # a machine of another file
                noise.setdefault(each, []).append(path.name)
    assert noise == {"WF305": ["fis.ecs.asl.json"]}  # it does ask for "failed" twice
