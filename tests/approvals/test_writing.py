import json
from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import pytest

from wfgate.approvals import approvals_file, approve, approved_text, entries, last_approval, standing, unapproved
from wfgate.approvals.approvals import read_approvals
from wfgate.decide import Policy, Waiver, Waivers
from wfgate.errors import ConfigError, FormatError
from wfgate.read import read_file
from wfgate.rules import lint
from wfgate.run import Gate


def entry_of(project, name):
    (entry,) = entries([project / "new" / name], project / "approved")
    return entry


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_who_approved_what_when_and_what_the_gate_said_then(project, gate, signer):
    entry = entry_of(project, "report.yaml")
    case = gate.decide(entry.pair())
    assert case.verdict == "block"
    done = approve(entry, replace(signer, reason="meant by all"), case, target=entry.target())
    assert done.reference == project / "approved" / "report@2.yaml"
    assert done.reference.read_bytes() == entry.candidate.read_bytes()
    recorded = last_approval(done.reference)
    assert recorded == done.approval
    assert (recorded.by, recorded.when, recorded.commit) == (signer.by, signer.when, "c0ffee")
    assert (recorded.verdict, recorded.against) == ("block", "report.yaml")
    assert any("missing" in reason for reason in recorded.reasons)
    assert standing(done.reference) == "approved"
    assert gate.decide(entry_of(project, "report.yaml").pair()).verdict == "pass"


def test_one_byte_more_is_a_change_without_approval(project, signer):
    entry = entry_of(project, "fresh.yaml")
    done = approve(entry, signer, None, target=entry.target())
    assert unapproved(project / "approved") == [(project / "approved" / "report.yaml", "unrecorded")]
    done.reference.write_bytes(done.reference.read_bytes() + b"\n")
    assert standing(done.reference) == "changed"
    assert unapproved(done.reference) == [(done.reference, "changed")]
    again = entries([done.reference], project / "approved")[0]
    approve(again, signer, None, target=again.adopted)
    assert unapproved(done.reference) == []
    assert len(read_approvals(done.reference)) == 2


def test_replacing_goes_on_with_the_record_and_leaves_nothing_behind(project, signer, texts):
    approved = project / "approved"
    entry = entries([approved / "report.yaml"], approved)[0]
    approve(entry, replace(signer, reason="the first one"), None, target=entry.adopted)
    (project / "new" / "report.yaml").rename(project / "new" / "report.yml")
    entry = entry_of(project, "report.yml")
    old = approved / "report.yaml"
    done = approve(entry, replace(signer, reason="the second one"), None, target=entry.replacement(old), replaces=old)
    assert done.removed == old
    assert sorted(path.name for path in approved.iterdir()) == ["report.yml", "report.yml.approvals"]
    assert [one.reason for one in read_approvals(approved / "report.yml")] == ["the first one", "the second one"]
    assert (approved / "report.yml").read_text() == texts["worse"]


def test_a_lost_mark_of_a_critical_step_is_said(project, signer):
    reference = project / "approved" / "report.yaml"
    plain = reference.read_text()
    reference.write_text(plain.replace("{id: s4,", "{critical: true, id: s4,"))
    entry = entry_of(project, "report.yaml")
    done = approve(entry, replace(signer, reason="meant by all"), None, target=reference, replaces=reference)
    assert done.unmarked == ("Ask the finance lead to approve the numbers",)
    assert "no longer marked as critical: 'Ask the finance lead" in approved_text(done, entry, alone=False)


def test_a_workflow_that_is_broken_in_itself_needs_a_reason(project, signer, texts):
    (project / "new" / "fresh.yaml").write_text(texts["broken"])
    entry = entry_of(project, "fresh.yaml")
    before = snapshot(project / "approved")
    for nothing in (None, "", " \n "):
        with pytest.raises(ConfigError, match=r"an approval needs a reason: .*WF") as caught:
            approve(entry, replace(signer, reason=nothing), None, target=entry.target())
        assert "--reason" in str(caught.value.fix)
    assert snapshot(project / "approved") == before
    done = approve(entry, replace(signer, reason="the engine repeats it\nuntil it works"), None, target=entry.target())
    assert done.approval.reason == "the engine repeats it until it works"
    assert done.approval.accepted
    assert all(one.startswith("WF") for one in done.approval.accepted)


def test_a_check_that_is_off_needs_no_reason(project, signer, texts, gate):
    (project / "new" / "fresh.yaml").write_text(texts["broken"])
    entry = entry_of(project, "fresh.yaml")
    with pytest.raises(ConfigError) as caught:
        approve(entry, signer, None, target=entry.target())
    named = {part.strip("[]") for part in str(caught.value).split() if part.startswith("[WF")}
    off = dict.fromkeys(["WF312", "WF310", "WF105", "WF106", *named], "off")
    lenient = Gate(gate.assessor, gate.profile, Policy(checks=off))
    assert approve(entry, signer, None, target=entry.target(), gate=lenient).approval.accepted == ()


def test_what_is_waived_needs_no_reason_while_the_waiver_lasts(project, signer, texts, gate):
    (project / "new" / "fresh.yaml").write_text(texts["broken"])
    entry = entry_of(project, "fresh.yaml")
    keys = [found.fingerprint for found in lint(read_file(entry.candidate).workflow) if found.severity == "error"]
    last = signer.when.date()

    def waiving(keys, today=last, case=None):
        waivers = [Waiver(fingerprint=key, reason="x", owner="ops", expires=last, case=case) for key in keys]
        return Gate(gate.assessor, gate.profile, gate.policy, Waivers(waivers, today))

    before = snapshot(project / "approved")
    for lacking in (waiving(keys[1:]), waiving(keys, last + timedelta(days=1)), waiving(keys, case="other")):
        with pytest.raises(ConfigError, match="an approval needs a reason") as caught:
            approve(entry, signer, None, target=entry.target(), gate=lacking)
        assert f"waive the fingerprint {keys[0]}" in caught.value.fix
    assert snapshot(project / "approved") == before
    recorded = approve(entry, signer, None, target=entry.target(), gate=waiving(keys, case="fresh")).approval
    assert (recorded.accepted, recorded.reason) == ((), None)
    assert [said.split(" ", 1)[1] for said in recorded.waived] == [f"{key} until {last} by ops" for key in keys]


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", FormatError), (b"\xff\xfe\x00", FormatError), (b'wfgate: "1"\nsteps: []\n', (ConfigError, FormatError))],
)
def test_what_is_no_workflow_is_never_approved(project, signer, content, error):
    (project / "new" / "fresh.yaml").write_bytes(content)
    entry = entry_of(project, "fresh.yaml")
    with pytest.raises(error):
        approve(entry, signer, None, target=entry.target())
    assert [path.name for path in (project / "approved").iterdir()] == ["report.yaml"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "wfgate.approvals/9"}', '{"approvals": [{"by": 1}]}'])
def test_a_record_that_cannot_be_read_is_never_taken_for_none(project, signer, content):
    reference = project / "approved" / "report.yaml"
    approvals_file(reference).write_text(content)
    for look in (last_approval, standing):
        with pytest.raises(ConfigError, match="not a record of approvals"):
            look(reference)
    approvals_file(reference).write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="cannot be read"):
        standing(reference)


def test_the_record_is_json_that_reads_well_in_a_diff(project, signer):
    entry = entry_of(project, "fresh.yaml")
    done = approve(entry, signer, None, target=entry.target())
    written = approvals_file(done.reference).read_text()
    assert written.endswith("}\n")
    data = json.loads(written)
    assert data["format"] == "wfgate.approvals/1"
    assert set(data["approvals"][0]) == {"by", "when", "commit", "sha256", "fingerprint"}


def test_killed_between_the_two_writes_it_is_a_change_without_approval(project, signer, monkeypatch):
    entry = entry_of(project, "fresh.yaml")
    approve(entry, signer, None, target=entry.target())
    entry = entry_of(project, "fresh.yaml")
    entry.candidate.write_text(entry.candidate.read_text() + "# again\n")

    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("wfgate.approvals.writing"), "record", killed)
    with pytest.raises(KeyboardInterrupt):
        approve(entry, signer, None, target=entry.references[0], replaces=entry.references[0])
    assert standing(project / "approved" / "fresh.yaml") == "changed"
