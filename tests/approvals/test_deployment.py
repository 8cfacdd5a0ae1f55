import hashlib
import json
import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest

from wfgate.approvals import STRICT, Repository, approve, entries, predeploy, read_statement, verify
from wfgate.approvals.attestation import Input
from wfgate.decide import Policy, Waiver, Waivers
from wfgate.errors import ConfigError, FormatError
from wfgate.run import Gate

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROFILE = Input(name="profile", digest={"sha256": "ab" * 32}, annotations={"path": "default"})
AS_WRITTEN = {"tool": "1.2.3", "now": NOW}


def known(project):
    return {"repository": Repository(project), "tool": "1.2.3", "at": NOW}


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
        return predeploy(project / "new" / name, project / "approved", strict, PROFILE, **known(project))

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
    assert parts["profile"]["digest"] == {"sha256": "ab" * 32}
    rules = json.dumps(parts["policy"]["annotations"], sort_keys=True, separators=(",", ":"))
    assert parts["policy"]["digest"] == {"sha256": hashlib.sha256(rules.encode()).hexdigest()}
    told = parts["wfgate"]["annotations"]
    assert (told["version"], told["verdict"], told["at"]) == ("1.2.3", "pass", "2026-11-21T12:00:00Z")
    assert check(approved).statement == ready.statement


def test_what_is_worse_is_not_ready_and_the_attestation_says_so(approved, check):
    ready = check(approved)
    assert ready.exit_code == 1
    assert any("missing" in problem for problem in ready.problems)
    assert ready.statement.predicate.result == "FAILED"
    assert ready.statement.predicate.failed == ("report",)
    assert ready.statement.predicate.facts.verdict == "block"
    said = verify(ready.statement, approved / "new" / "report.yaml", ready.statement.digests, **AS_WRITTEN)
    assert said == ["the gated file did not pass (block)"]


def test_the_attestation_names_the_waivers_and_what_they_waived(approved, gate):
    candidate = approved / "new" / "report.yaml"
    keys = {found.fingerprint for found in gate.decide(entries([candidate], approved / "approved")[0].pair()).findings}
    waived = [Waiver(fingerprint=key, reason="elsewhere", owner="ops", expires=NOW.date()) for key in sorted(keys)]
    waiving = Gate(gate.assessor, gate.profile, Policy(**STRICT), Waivers(waived, NOW.date()))
    file = Input(name="waivers", digest={"sha256": "cd" * 32}, annotations={"path": "wfgate-waivers.toml"})
    ready = predeploy(candidate, approved / "approved", waiving, PROFILE, file, **known(approved))
    assert (ready.case.verdict, ready.exit_code) == (
        "review",
        1,
    )  # waived is not unseen: the statistics ask for a look
    (named,) = (part for part in ready.statement.predicate.configuration if part.name == "waivers")
    assert (named.annotations["path"], named.digest) == ("wfgate-waivers.toml", file.digest)
    assert {one["fingerprint"] for one in named.annotations["waived"]} == keys
    assert {(one["owner"], one["expires"]) for one in named.annotations["waived"]} == {("ops", "2026-11-21")}
    without = predeploy(candidate, approved / "approved", waiving, PROFILE, **known(approved))
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


@pytest.fixture
def passed(approved, check, texts):
    """The file of a statement that passed, and the candidate."""
    candidate = approved / "new" / "report.yaml"
    candidate.write_text(texts["golden"])
    return written(check(approved), approved), candidate


def test_verification_is_byte_for_byte(passed, approved):
    path, candidate = passed
    statement = read_statement(path)
    expected = statement.digests
    assert verify(statement, candidate, expected, **AS_WRITTEN) == []
    elsewhere = approved / "deployed.yaml"
    elsewhere.write_bytes(candidate.read_bytes())
    assert verify(statement, elsewhere, expected, **AS_WRITTEN) == []
    elsewhere.write_bytes(candidate.read_bytes() + b"\n")
    (said,) = verify(statement, elsewhere, expected, **AS_WRITTEN)
    assert "not the gated content" in said
    with pytest.raises(ConfigError, match="cannot be read"):
        verify(statement, approved / "nowhere.yaml", expected, **AS_WRITTEN)


@pytest.mark.parametrize("name", ["reference", "profile", "policy", "waivers"])
def test_a_check_against_other_inputs_is_none(passed, name):
    statement = read_statement(passed[0])
    digests = statement.digests
    for others in ([], ["ef" * 32], [*digests.get(name, []), "ef" * 32]):
        said = verify(statement, passed[1], digests | {name: others}, **AS_WRITTEN)
        assert said == [f"the {name} of the check is not the expected one"] * (others != digests.get(name, []))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"now": NOW + timedelta(days=7)}, None),
        ({"now": NOW - timedelta(minutes=4)}, None),  # another clock
        ({"now": NOW + timedelta(days=7, seconds=1)}, "more than 7 days"),
        ({"now": NOW + timedelta(hours=2), "max_age": timedelta(hours=1)}, "more than 1:00:00"),
        ({"now": NOW - timedelta(minutes=6)}, "in the future"),
        ({"now": NOW.replace(year=2099)}, "more than"),
        ({"tool": "1.2.4"}, "made by wfgate 1.2.3"),
    ],
)
def test_an_old_check_or_one_of_another_version_is_none(passed, changed, said):
    statement = read_statement(passed[0])
    found = verify(statement, passed[1], statement.digests, **AS_WRITTEN | changed)
    assert (len(found) == 1 and said in found[0]) if said else found == []


CONFIGURATION = ("predicate", "configuration")
FACTS = (*CONFIGURATION, -1, "annotations")
SECOND = {"name": "wfgate", "uri": "pkg:pypi/wfgate@1", "annotations": {"verdict": "block"}}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("_type",), "https://in-toto.io/Statement/v0.1"),
        (("predicateType",), "https://slsa.dev/provenance/v1"),
        (("_type",), None),
        (("subject",), []),
        (("subject",), [{"name": "a"}, {"name": "b"}]),
        (("subject", 0, "digest"), {"sha1": "ab" * 20}),
        (("subject", 0, "digest"), {"sha256": "ab" * 32, "sha512": "ab" * 64}),
        (("subject", 0, "digest", "sha256"), "AB" * 32),
        (("more",), 1),
        (("predicate", "result"), "FINE"),
        (("predicate", "result"), "WARNED"),
        (("predicate", "result"), "FAILED"),
        (("predicate", "warnedTests"), ["report"]),
        (("predicate", "failedTests"), ["report"]),
        (("predicate", "passedTests"), []),
        (("predicate", "passedTests"), ["report", "other"]),
        (CONFIGURATION, []),
        ((*FACTS, "problems"), ["the reference has no record of an approval"]),
        ((*FACTS, "verdict"), "block"),
        ((*FACTS, "verdict"), None),
        ((*FACTS, "at"), "2026-11-21T12:00:00+00:00"),  # two spellings of one time are two statements
        ((*FACTS, "at"), "2026-11-21T12:00:00"),
        ((*CONFIGURATION, -1), SECOND),
        ((*CONFIGURATION, 1, "name"), "policy"),
        ((*CONFIGURATION, 1, "digest"), None),
        ((*CONFIGURATION, 1, "uri"), "default"),
    ],
)
def test_another_statement_or_a_contradictory_one_is_no_attestation(passed, place, value):
    path, _ = passed
    data = json.loads(path.read_text())
    part = data
    for step in place[:-1]:
        part = part[step]
    if value is None:
        del part[place[-1]]
    else:
        part[place[-1]] = value
    path.write_text(json.dumps(data, indent=1) + "\n")
    with pytest.raises(FormatError, match="not an attestation"):
        read_statement(path)


def test_a_second_entry_or_a_key_that_is_there_twice_is_no_attestation(passed, approved):
    path, _ = passed
    whole = path.read_text()
    data = json.loads(whole)
    assert json.dumps(data, indent=1) + "\n" == whole  # so that the changes below are the only ones
    data["predicate"]["configuration"].insert(0, data["predicate"]["configuration"][-1])
    spoilt = [
        json.dumps(data, indent=1) + "\n",
        whole.replace('"verdict": "pass"', '"verdict": "block",\n     "verdict": "pass"'),
        whole.replace('"_type"', '"predicate": {},\n "_type"'),
        whole.replace(' "predicate": {', ' "predicate": {}, "predicate": {'),
        whole.replace('"sha256": "ab', '"sha256": "cd", "sha256": "ab'),
        whole + whole,
        whole + "\n",
        "\ufeff" + whole,
        "{",
        "",
    ]
    for text in spoilt:
        path.write_text(text)
        with pytest.raises(FormatError, match="not an attestation"):
            read_statement(path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_statement(approved / "nowhere")


URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(//)?([A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-F]{2})+")
"""What RFC 3986 allows in a URI: a scheme, then reserved, unreserved and escaped characters."""


@pytest.mark.parametrize("version", ["1.2.3", "1.2.3+local build [1]"])
def test_an_independent_implementation_reads_the_statement(passed, approved, strict, version):
    """The one of the in-toto project, from its own definition of the format."""
    v1 = pytest.importorskip("in_toto_attestation.v1.statement", reason="install the extra `dev`")
    from google.protobuf import json_format  # noqa: PLC0415 - only where the implementation is installed
    from in_toto_attestation.v1 import resource_descriptor_pb2, statement_pb2  # noqa: PLC0415
    from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor  # noqa: PLC0415

    candidate = approved / "new" / "report.yaml"
    ready = predeploy(candidate, approved / "approved", strict, PROFILE, **known(approved) | {"tool": version})
    message = json_format.Parse(ready.statement.to_json(), statement_pb2.Statement())  # refuses unknown fields
    statement = v1.Statement.copy_from_pb(message)
    statement.validate()
    predicate = json_format.MessageToDict(statement.pb.predicate)
    assert (predicate["result"], statement.pb.predicate_type) == (
        "PASSED",
        "https://in-toto.io/attestation/test-result/v0.1",
    )
    assert statement.pb.subject[0].digest["sha256"] == hashlib.sha256(candidate.read_bytes()).hexdigest()
    for part in predicate["configuration"]:
        described = json_format.ParseDict(part, resource_descriptor_pb2.ResourceDescriptor())
        ResourceDescriptor.copy_from_pb(described).validate()
        assert not part.get("uri") or URI.fullmatch(part["uri"])
    assert [part["uri"] for part in predicate["configuration"] if "uri" in part] == [
        f"pkg:pypi/wfgate@{quote(version, safe='')}"
    ]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="signs with openssl")
def test_a_signed_attestation_stays_as_it_is(passed, approved):
    """A signature as in a bundle of `cosign sign-blob`: ECDSA, P-256, SHA-256 over the bytes of the file."""
    path, candidate = passed
    key, public, signature = (approved / name for name in ("cosign.key", "cosign.pub", "signature"))

    def openssl(*arguments):
        return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)

    def bundle():
        assert openssl("dgst", "-sha256", "-sign", key, "-out", signature, path).returncode == 0
        value = {"algorithm": "SHA2_256", "digest": b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}
        return {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {"publicKey": {"hint": "key"}},
            "messageSignature": {"messageDigest": value, "signature": b64encode(signature.read_bytes()).decode()},
        }

    def signed(bundle):
        signature.write_bytes(b64decode(bundle["messageSignature"]["signature"]))
        return openssl("dgst", "-sha256", "-verify", public, "-signature", signature, path).returncode == 0

    assert openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key).returncode == 0
    assert openssl("ec", "-in", key, "-pubout", "-out", public).returncode == 0
    kept = bundle()
    assert signed(kept)
    statement = read_statement(path)
    assert verify(statement, candidate, statement.digests, **AS_WRITTEN) == []
    path.write_text(statement.to_json())  # nobody who reads and writes it breaks the signature
    assert signed(kept)
    path.write_text(path.read_text().replace('"at": "2026-11-21', '"at": "2026-11-22'))
    assert read_statement(path) != statement
    assert not signed(kept)
