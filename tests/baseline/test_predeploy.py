import hashlib
import json
from datetime import UTC, datetime

import pytest

from wfgate.baseline import STRICT, approve, entries, predeploy, read_statement, verify
from wfgate.baseline.attestation import Resource
from wfgate.errors import ConfigError, FormatError
from wfgate.gating import Gate, Policy, Waiver, Waivers

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROFILE = Resource(name="profile", uri="default", digest={"sha256": "ab" * 32})


@pytest.fixture(scope="session")
def strict(gate):
    return Gate(gate.assessor, gate.profile, Policy(**STRICT))


@pytest.fixture
def approved(project, signer):
    """The project, its reference approved."""
    (entry,) = entries([project / "approved" / "report.yaml"], project / "approved")
    approve(entry, signer, None, target=entry.adopted)
    return project


@pytest.fixture
def check(strict):
    def run(project, name="report.yaml"):
        return predeploy(project / "new" / name, project / "approved", strict, PROFILE, tool="1.2.3", at=NOW)

    return run


def written(ready, folder):
    path = folder / "attestation"
    path.write_text(ready.statement.to_json())
    return path


def test_a_clean_pass_against_an_approved_reference_is_ready(approved, check, texts):
    candidate = approved / "new" / "report.yaml"
    candidate.write_text(texts["golden"] + "# regenerated\n")
    ready = check(approved)
    assert (ready.problems, ready.exit_code) == ((), 0)
    data = json.loads(ready.statement.to_json())
    assert data["_type"] == "https://in-toto.io/Statement/v1"
    assert data["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert data["subject"] == [
        {"name": str(candidate), "digest": {"sha256": hashlib.sha256(candidate.read_bytes()).hexdigest()}}
    ]
    assert data["predicate"]["result"] == "PASSED"
    assert data["predicate"]["passedTests"] == ["report"]
    parts = {part["name"]: part for part in data["predicate"]["configuration"]}
    reference = approved / "approved" / "report.yaml"
    assert parts["reference"]["digest"] == {"sha256": hashlib.sha256(reference.read_bytes()).hexdigest()}
    assert parts["reference"]["annotations"]["approved_by"] == "Ada <ada@example.org>"
    assert parts["profile"]["digest"] == PROFILE.digest
    rules = json.dumps(parts["policy"]["annotations"], sort_keys=True, separators=(",", ":"))
    assert parts["policy"]["digest"] == {"sha256": hashlib.sha256(rules.encode()).hexdigest()}
    told = parts["wfgate"]["annotations"]
    assert (told["version"], told["verdict"], told["at"]) == ("1.2.3", "pass", NOW.isoformat())
    assert check(approved).statement == ready.statement


def test_what_is_worse_is_not_ready_and_the_attestation_says_so(approved, check):
    ready = check(approved)
    assert ready.exit_code == 1
    assert any("missing" in problem for problem in ready.problems)
    assert ready.statement.predicate.result == "FAILED"
    assert ready.statement.predicate.failed == ("report",)
    assert ready.statement.facts("wfgate")["verdict"] == "block"
    assert verify(ready.statement, approved / "new" / "report.yaml") == ["the gated file did not pass (block)"]


def test_the_attestation_names_the_waivers_and_what_they_waived(approved, gate):
    candidate = approved / "new" / "report.yaml"
    keys = {found.fingerprint for found in gate.decide(entries([candidate], approved / "approved")[0].pair()).findings}
    waived = [Waiver(fingerprint=key, reason="elsewhere", owner="ops", expires=NOW.date()) for key in sorted(keys)]
    waiving = Gate(gate.assessor, gate.profile, Policy(**STRICT), Waivers(waived, NOW.date()))
    file = Resource(name="waivers", uri="wfgate-waivers.toml", digest={"sha256": "cd" * 32})
    ready = predeploy(candidate, approved / "approved", waiving, PROFILE, file, tool="1.2.3", at=NOW)
    assert (ready.case.verdict, ready.exit_code) == (
        "review",
        1,
    )  # waived is not unseen: the statistics ask for a look
    (named,) = (part for part in ready.statement.predicate.configuration if part.name == "waivers")
    assert (named.uri, named.digest) == (file.uri, file.digest)
    assert {one["fingerprint"] for one in named.annotations["waived"]} == keys
    assert {(one["owner"], one["expires"]) for one in named.annotations["waived"]} == {("ops", "2026-11-21")}
    without = predeploy(candidate, approved / "approved", waiving, PROFILE, tool="1.2.3", at=NOW)
    assert all(part.name != "waivers" for part in without.statement.predicate.configuration)


def test_without_a_reference_nothing_is_ready(approved, check):
    ready = check(approved, "fresh.yaml")
    assert ready.exit_code == 3
    assert ready.problems == (f"no reference named 'fresh' in {approved / 'approved'}",)


def test_a_reference_that_nobody_approved_is_none(project, check, texts):
    (project / "new" / "report.yaml").write_text(texts["golden"])
    ready = check(project)
    assert (ready.case.verdict, ready.exit_code) == ("pass", 3)
    assert ready.problems == (f"the reference {project / 'approved' / 'report.yaml'} has no record of an approval",)


def test_one_byte_in_one_variant_is_a_change_without_approval(approved, check, signer, texts):
    (approved / "new" / "report.yaml").write_text(texts["golden"])
    (entry,) = entries([approved / "new" / "report.yaml"], approved / "approved")
    variant = approve(entry, signer, None, target=entry.target("b")).reference
    assert check(approved).exit_code == 0
    variant.write_bytes(variant.read_bytes() + b" ")
    ready = check(approved)
    assert ready.exit_code == 3
    assert ready.problems == (f"the reference {variant} was changed since it was approved",)


def test_what_needs_a_review_is_not_ready(approved, check, signer):
    for folder, more in (("approved", ""), ("new", ", Tell the team")):
        text = f'wfgate: "1"\nsteps: [Build the image, Deploy the image{more}]\n'
        (approved / folder / "tiny.yaml").write_text(text)
    (entry,) = entries([approved / "approved" / "tiny.yaml"], approved / "approved")
    approve(entry, signer, None, target=entry.adopted)
    ready = check(approved, "tiny.yaml")
    assert (ready.case.verdict, ready.exit_code) == ("review", 1)
    assert ready.statement.predicate.result == "FAILED"


def test_unreadable_is_not_ready(approved, check):
    (approved / "new" / "report.yaml").write_text("steps: {")
    ready = check(approved)
    assert ready.exit_code == 3
    assert "report.yaml" in ready.problems[0]
    with pytest.raises(ConfigError, match="the file does not exist"):
        check(approved, "nowhere.yaml")
    with pytest.raises(ConfigError, match="the file does not exist"):
        check(approved, ".")


@pytest.mark.parametrize("changed", ["new", "approved"])
def test_what_is_attested_is_what_was_parsed(approved, check, strict, texts, monkeypatch, changed):
    """Another content that is there only while the gate decides changes neither the verdict nor the digests."""
    candidate, other = approved / "new" / "report.yaml", approved / changed / "report.yaml"
    candidate.write_text(texts["worse"])
    wanted = check(approved)
    assert wanted.problems
    decide = strict.decide

    def meddle(pair):
        before = other.read_text()
        other.write_text(texts["golden" if changed == "new" else "worse"])
        try:
            return decide(pair)
        finally:
            other.write_text(before)

    monkeypatch.setattr(strict, "decide", meddle)
    assert check(approved) == wanted


def test_verification_is_byte_for_byte(approved, check, texts):
    candidate = approved / "new" / "report.yaml"
    candidate.write_text(texts["golden"])
    statement = read_statement(written(check(approved), approved))
    assert verify(statement, candidate) == []
    elsewhere = approved / "deployed.yaml"
    elsewhere.write_bytes(candidate.read_bytes())
    assert verify(statement, elsewhere) == []
    elsewhere.write_bytes(candidate.read_bytes() + b"\n")
    (said,) = verify(statement, elsewhere)
    assert "not the gated content" in said
    with pytest.raises(ConfigError, match="cannot be read"):
        verify(statement, approved / "nowhere.yaml")


@pytest.mark.parametrize(
    "change",
    [
        {"_type": "https://in-toto.io/Statement/v0.1"},
        {"predicateType": "https://slsa.dev/provenance/v1"},
        {"_type": None},
        {"predicateType": None},
        {"subject": []},
        {"subject": [{"name": "a"}, {"name": "b"}]},
        {"predicate": {"result": "FINE", "configuration": []}},
        {"predicate": {"configuration": []}},
    ],
)
def test_what_is_no_attestation_verifies_nothing(approved, check, change):
    path = written(check(approved), approved)
    data = json.loads(path.read_text()) | change
    path.write_text(json.dumps({name: value for name, value in data.items() if value is not None}))
    with pytest.raises(FormatError, match="not an attestation"):
        read_statement(path)
    path.write_text("{")
    with pytest.raises(FormatError, match="not an attestation"):
        read_statement(path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_statement(approved / "nowhere")


def test_a_statement_that_contradicts_itself_is_no_pass(approved, check, texts):
    candidate = approved / "new" / "report.yaml"
    candidate.write_text(texts["golden"])
    path = written(check(approved), approved)
    whole = path.read_text()
    assert verify(read_statement(path), candidate) == []
    for said, other in (
        ('"verdict": "pass"', '"verdict": "block"'),
        ('"verdict": "pass"', '"other": "pass"'),
        ('"failedTests": []', '"failedTests": ["report"]'),
        ('"PASSED"', '"WARNED"'),
    ):
        assert said in whole
        path.write_text(whole.replace(said, other))
        (problem,) = verify(read_statement(path), candidate)
        assert "did not pass" in problem


def test_a_reader_ignores_what_it_does_not_know(approved, check):
    path = written(check(approved), approved)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"https://example.org/more": 1}))
    assert read_statement(path) == check(approved).statement
