from dataclasses import replace
from datetime import date, timedelta

import pytest

from wfgate.approvals import approve, entries
from wfgate.decide import Policy, Waivers, default_profile
from wfgate.errors import EmbedderError
from wfgate.read import read_file
from wfgate.rules import lint
from wfgate.run import Config, Gate
from wfgate.run.waiver_file import load_waivers
from wfgate.setup import diagnose

TODAY = date(2026, 11, 21)


@pytest.fixture
def examine(assessor):
    def run(config, *candidates, today=TODAY):
        found = diagnose(config, candidates, lambda: assessor, today)
        assert all(complaint.fix and complaint.message for complaint in found)
        return [(complaint.level, complaint.message) for complaint in found]

    return run


def with_profile(config, tmp_path, **changes):
    path = tmp_path / "profile.json"
    path.write_text(default_profile().model_copy(update=changes).to_json())
    return config.model_copy(update={"profile": path})


def test_a_good_set_up_has_no_complaint(config, examine, tmp_path):
    assert examine(config, tmp_path / "new") == []


def test_references(config, examine, tmp_path):
    assert examine(Config()) == [("error", "no references are configured")]
    gone = config.model_copy(update={"reference": tmp_path / "gone"})
    assert examine(gone, tmp_path / "new") == [("error", "the file or folder does not exist")]
    (tmp_path / "empty").mkdir()
    empty = config.model_copy(update={"reference": tmp_path / "empty"})
    assert examine(empty) == [("error", "the folder has no workflow")]


def test_approvals(config, examine, tmp_path):
    reference = tmp_path / "approved" / "report.yaml"
    reference.write_text(reference.read_text() + "# \n")
    assert examine(config) == [
        ("warning", "the reference was changed after its approval; `wfgate predeploy` does not accept it")
    ]
    record = tmp_path / "approved" / "report.yaml.approvals"
    record.write_text("{")
    ((level, message),) = examine(config)
    assert (level, "not a record of approvals" in message) == ("error", True)
    record.unlink()
    assert examine(config) == [
        ("warning", "the reference has no record of an approval; `wfgate predeploy` does not accept it")
    ]
    record.with_name("gone.yaml.approvals").write_text("{}")
    assert ("warning", "the file records approvals of a reference that does not exist") in examine(config)


def test_what_cannot_be_read_has_no_plain_twin_or_is_small(config, examine, tmp_path):
    (tmp_path / "approved" / "report.yaml").write_text("steps: {")
    ((level, _message),) = examine(config)
    assert level == "error"
    (tmp_path / "approved" / "report.yaml").write_text('wfgate: "1"\nsteps: [Build, Test]\n')
    assert ("warning", "the workflow has 2 steps; with fewer than 3 only the findings decide") in examine(config)
    (tmp_path / "approved" / "report.yaml").rename(tmp_path / "approved" / "report@2.yaml")
    assert ("warning", "the file is a variant, but there is no reference without a variant name") in examine(config)


def test_a_critical_pattern_that_matches_no_step(config, examine, tmp_path):
    def policed(*patterns):
        return config.model_copy(update={"policy": config.policy.model_copy(update={"critical": patterns})})

    assert examine(policed("*CHART*", "publish*", "*mfa*")) == []  # `wfgate init` proposes the last one
    lost = ("warning", "the pattern '*back-up*' of critical steps matches no step of a reference")
    assert examine(policed("*chart*", "*back-up*")) == [lost]
    marked = 'wfgate: "1"\nsteps: [{id: a, name: Build, critical: true}, Test, Ship]\n'
    (tmp_path / "approved" / "report.yaml").write_text(marked)
    assert lost in examine(policed("*back-up*"))


def test_a_defect_counts_until_somebody_accepted_it(config, examine, tmp_path, signer):
    reference = tmp_path / "approved" / "report.yaml"
    reference.write_text(
        'wfgate: "1"\nsteps:\n  - {id: a, name: Build, needs: [c]}\n  - {id: b, name: Test, needs: [a]}\n'
        "  - {id: c, name: Ship, needs: [b]}\n"
    )
    assert any("[WF" in message for _, message in examine(config))
    (entry,) = entries([reference], tmp_path / "approved")
    approve(entry, replace(signer, reason="it repeats on purpose"), None, target=reference)
    assert examine(config) == []


def test_partners(config, examine, tmp_path):
    (tmp_path / "new" / "report.yaml").rename(tmp_path / "new" / "other.yaml")
    found = examine(config, tmp_path / "new")
    assert [level for level, _ in found] == ["error", "error"]
    assert found[0][1].startswith("unpaired: no reference named 'other'")
    assert found[1][1] == "unpaired: no candidate named 'report'"


def test_profile(config, examine, tmp_path):
    over = with_profile(config, tmp_path, expires=TODAY - timedelta(days=1))
    assert examine(over) == [("error", "the profile expired on 2026-11-20")]
    soon = with_profile(config, tmp_path, expires=TODAY + timedelta(days=30))
    assert examine(soon) == [("warning", "the profile expires on 2026-12-21")]
    assert examine(with_profile(config, tmp_path, expires=TODAY + timedelta(days=31))) == []
    other = default_profile().signature.model_copy(update={"embedder": "word2vec"})
    ((level, message),) = examine(with_profile(config, tmp_path, signature=other))
    assert (level, "has another signature" in message) == ("error", True)
    ((level, message),) = examine(config.model_copy(update={"profile": tmp_path / "nowhere.json"}))
    assert (level, "cannot be read" in message) == ("error", True)
    never = config.model_copy(update={"policy": Policy(alpha_block=1e-6)})
    ((level, message),) = examine(never)
    assert (level, "would never block" in message) == ("error", True)


def test_an_extra_that_is_missing(config):
    def missing():
        raise EmbedderError("sentence-transformers is not installed", fix="pip install 'wfgate[semantic]'")

    (found,) = diagnose(config, (), missing, TODAY)
    assert (found.level, found.fix) == ("error", "pip install 'wfgate[semantic]'")


WAIVER = '[[waiver]]\nfingerprint = "{}"\nreason = "x"\nowner = "ops"\nexpires = {}\n'


def waiving(config, tmp_path, *waivers):
    path = tmp_path / "wfgate-waivers.toml"
    path.write_text("".join(WAIVER.format(*waiver) for waiver in waivers))
    return config.model_copy(update={"waivers": path})


def test_waivers(config, examine, tmp_path):
    both = waiving(config, tmp_path, ("0" * 16, "2026-11-20"), ("1" * 16, "2026-11-21"))
    over = ("warning", f"the waiver {'0' * 16} (ops) expired on 2026-11-20 [WP001]")
    assert examine(both) == [over]  # whether one waives anything is known where there are candidates
    idle = ("warning", f"the waiver {'1' * 16} (ops) matches no finding [WP002]")
    assert examine(both, tmp_path / "new") == [over, idle]
    (tmp_path / "new" / "report.yaml").write_text("steps: {")
    assert examine(both, tmp_path / "new") == [over]  # what could not be judged may need it
    both.waivers.write_text("[[waiver]]\n")
    ((level, message),) = examine(both)
    assert (level, message.startswith("waiver 1 fingerprint")) == ("error", True)
    both.waivers.unlink()
    ((level, message),) = examine(both)
    assert (level, "cannot be read" in message) == ("error", True)


def test_a_defect_of_a_reference_may_be_waived_for_a_while(config, examine, tmp_path, signer, assessor):
    reference = tmp_path / "approved" / "report.yaml"
    reference.write_text(
        'wfgate: "1"\nsteps:\n  - {id: a, name: Build, needs: [c]}\n  - {id: b, name: Test, needs: [a]}\n'
        "  - {id: c, name: Ship, needs: [b]}\n"
    )
    keys = {found.fingerprint for found in lint(read_file(reference).workflow) if found.severity == "error"}
    waived = waiving(config, tmp_path, *((key, "2026-11-21") for key in keys))
    (entry,) = entries([reference], tmp_path / "approved")
    gate = Gate(assessor, default_profile(), Policy(), Waivers(load_waivers(waived.waivers), TODAY))
    approve(entry, signer, None, target=reference, gate=gate)
    assert examine(waived) == []
    after = examine(waived, today=TODAY + timedelta(days=1))
    assert sum("[WP001]" in message for _, message in after) == len(keys)
    assert any("[WF" in message for _, message in after)


def test_audit_mode_is_said(config, examine):
    for value, named in (("none", True), ("block", False)):
        policy = config.policy.model_copy(update={"fail_on": value})
        found = examine(config.model_copy(update={"policy": policy}))
        assert any(level == "warning" and "audit mode" in message for level, message in found) == named
