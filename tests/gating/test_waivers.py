from datetime import date

import pytest

from wfgate.checks import ABSOLUTE, RELATIVE, Finding
from wfgate.checks.base import SECTIONS
from wfgate.errors import ConfigError
from wfgate.gating import RUN_CHECKS, Gate, Pair, Waiver, Waivers, load_waivers

TODAY = date(2026, 5, 1)
KEY = "0123456789abcdef"


def waiver(fingerprint=KEY, expires=date(2026, 6, 1), **more):
    return Waiver(fingerprint=fingerprint, reason="known", owner="ops", expires=expires, **more)


def finding(fingerprint=KEY, check="WR101"):
    return Finding(id=check, defect="x", severity="error", message="x", fingerprint=fingerprint)


@pytest.fixture
def decided(assessor, profile):
    def decide(golden, candidate, *waivers):
        gate = Gate(assessor, profile, policy=decide.policy, waivers=Waivers(waivers, TODAY))
        return gate.run([Pair("case", (golden,), candidate)], tool="0")

    from wfgate.gating import Policy  # noqa: PLC0415 - a default that tests may replace

    decide.policy = Policy()
    return decide


def test_a_waived_critical_step_no_longer_blocks_but_is_reported(decided, make, steps):
    decided.policy = decided.policy.model_copy(update={"critical": (f"*{steps[3].split()[1]}*",)})
    golden, candidate = make(), make([step for step in steps if step != steps[3]])
    (case,) = decided(golden, candidate).cases
    assert case.verdict == "block"
    lost = next(finding for finding in case.findings if finding.id == "WR101")
    result = decided(golden, candidate, waiver(lost.fingerprint))
    (after,) = result.cases
    assert after.verdict == "review"  # statistics still see a regression, and nothing that is named explains it
    assert "waived (WR101)" in after.reasons[0]
    kept = next(finding for finding in after.findings if finding.id == "WR101")
    assert (kept.severity, kept.waived.owner, kept.message) == ("error", "ops", lost.message)
    assert len(after.findings) == len(case.findings)
    assert result.findings == ()
    assert result.exit_code == 0


def test_a_second_loss_is_not_covered_by_the_waiver_of_the_first(decided, make, steps):
    golden = make()
    (case,) = decided(golden, make(steps[1:])).cases
    lost = next(finding for finding in case.findings if finding.id == "WR101")
    (after,) = decided(golden, make(steps[1:-2]), waiver(lost.fingerprint)).cases
    assert after.verdict == "block"
    assert not any(lost.message == reason for reason in after.reasons)


def test_an_expired_waiver_waives_nothing_and_is_a_finding(decided, make, steps):
    golden, candidate = make(), make(steps[1:])
    (case,) = decided(golden, candidate).cases
    lost = next(finding for finding in case.findings if finding.id == "WR101")
    result = decided(golden, candidate, waiver(lost.fingerprint, expires=date(2026, 4, 30)))
    assert result.cases == (case,)
    (said,) = result.findings
    assert (said.id, said.defect, said.severity) == ("WP001", "waiver-expired", "warning")
    assert "expired on 2026-04-30" in said.message
    last_day = decided(golden, candidate, waiver(lost.fingerprint, expires=TODAY))
    assert last_day.findings == ()


def test_an_unused_waiver_is_a_finding(decided, make):
    result = decided(make(), make(), waiver())
    assert [said.id for said in result.findings] == ["WP002"]
    assert result.exit_code == 0


@pytest.mark.parametrize("check", RUN_CHECKS.values(), ids=lambda check: check.id)
def test_checks_of_a_run_are_documented_and_their_names_are_no_other_s(check):
    lines = check.documentation.splitlines()
    assert lines[0].endswith(".")
    assert [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")] == list(SECTIONS)
    assert check.id.startswith("WP")
    assert check.defect not in {other.defect for other in (*ABSOLUTE.values(), *RELATIVE.values())}


def test_a_waiver_may_be_for_one_case():
    waivers = Waivers([waiver(case="a")], TODAY)
    assert waivers.applied("a", [finding()])[0].waived
    assert not waivers.applied("b", [finding()])[0].waived
    assert not waivers.findings([("b", [finding()])])  # the case did not run: nothing is known
    assert [said.id for said in waivers.findings([("a", [])])] == ["WP002"]


def test_what_cannot_be_read_cannot_be_waived():
    waivers = Waivers([waiver()], TODAY)
    assert not waivers.applied("a", [finding(check="WF001")])[0].waived


GOOD = f'[[waiver]]\nfingerprint = "{KEY}"\nreason = "known"\nowner = "ops"\nexpires = 2026-06-01\n'


def test_files_are_read(tmp_path):
    path = tmp_path / "wfgate-waivers.toml"
    path.write_text(GOOD)
    assert load_waivers(path) == (waiver(),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace('reason = "known"\n', ""), "waiver 1 reason"),
        (GOOD.replace('"known"', '"  "'), "waiver 1 reason"),
        (GOOD.replace('owner = "ops"\n', ""), "waiver 1 owner"),
        (GOOD.replace("expires = 2026-06-01\n", ""), "waiver 1 expires"),
        (GOOD.replace("2026-06-01", '"soon"'), "waiver 1 expires"),
        (GOOD.replace(KEY, "WR101"), "waiver 1 fingerprint"),
        (GOOD + 'until = "x"\n', "unknown key"),
        (GOOD + GOOD, "waived twice"),
        ("[[waiver]\n", "not TOML"),
    ],
)
def test_what_lacks_something_is_an_error(tmp_path, text, said):
    path = tmp_path / "wfgate-waivers.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        load_waivers(path)
    assert str(path) in caught.value.message
