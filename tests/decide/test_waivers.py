from datetime import date

import pytest

from wfgate.decide import RUN_CHECKS, Pair, Waiver, Waivers
from wfgate.errors import ConfigError
from wfgate.model import SourceSpan
from wfgate.rules import SECTIONS, Finding
from wfgate.rules.checks import ABSOLUTE, RELATIVE
from wfgate.run import Gate
from wfgate.run.waiver_file import load_waivers

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

    from wfgate.decide import Policy  # noqa: PLC0415 - a default that tests may replace

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
    assert "every finding is waived (WR101)" in after.reasons[0].message
    assert [(reason.rule, reason.waiver.owner) for reason in after.reasons[1:]] == [("WR101", "ops")]
    kept = next(finding for finding in after.findings if finding.id == "WR101")
    assert (kept.severity, kept.waived.owner, kept.message) == ("error", "ops", lost.message)
    assert len(after.findings) == len(case.findings)
    assert result.findings == ()
    assert result.exit_code == 0


def lost_steps(case, check="WR101"):
    return [finding for finding in case.findings if finding.id == check]


def test_a_step_that_is_critical_by_policy_has_rule_and_place_of_its_finding(decided, make, steps):
    decided.policy = decided.policy.model_copy(update={"critical": ("sign*",)})
    golden = make()
    spans = [task.model_copy(update={"span": SourceSpan(line=n, column=1)}) for n, task in enumerate(golden.tasks, 1)]
    golden = golden.model_copy(update={"tasks": tuple(spans)})
    (case,) = decided(golden, make([step for step in steps if step != steps[4]])).cases
    (lost,) = lost_steps(case)
    (reason, *_) = case.reasons
    assert (reason.rule, reason.fingerprint, reason.waiver) == ("WR101", lost.fingerprint, None)
    assert str(reason.place) == "case (golden):5:1"
    assert case.finding_of(reason) == lost
    assert [each.fingerprint for each in case.reasons].count(lost.fingerprint) == 1
    decided.policy = decided.policy.model_copy(update={"checks": {"WR101": "off"}})
    (case,) = decided(golden, make([step for step in steps if step != steps[4]])).cases
    assert (case.verdict, case.reasons[0].rule) == ("block", "critical")


def test_critical_steps_that_are_merged_have_one_reason(decided, make, steps):
    decided.policy = decided.policy.model_copy(update={"critical": ("freeze*",)})
    merged = ["Look at the release branch and compile the service with Maven", steps[2]]
    golden = make(steps[:3])
    (case,) = decided(golden, make(merged)).cases
    (lost,) = lost_steps(case, "WR104")
    assert [each.rule for each in case.reasons if each.fingerprint == lost.fingerprint] == ["WR104"]
    assert case.reasons[0].message == (
        f"the critical step '{steps[0]}' was merged with '{steps[1]}' into '{merged[0]}'"
    )
    (after,) = decided(golden, make(merged), waiver(lost.fingerprint)).cases
    assert after.verdict == "review"


def test_a_waiver_does_not_cover_a_namesake(decided, make, steps):
    decided.policy = decided.policy.model_copy(update={"critical": ("approve*",), "block_severity": 1.0})
    golden = make([*steps[:3], "Approve the release", *steps[3:6], "Approve the release", *steps[6:]])
    (case,) = decided(golden, make(steps)).cases
    first, second = lost_steps(case)
    for waived, left in ((first, second), (second, first)):
        (after,) = decided(golden, make(steps), waiver(waived.fingerprint)).cases
        assert after.verdict == "block"
        assert after.reasons[0].fingerprint == left.fingerprint
    (after,) = decided(golden, make(steps), waiver(first.fingerprint), waiver(second.fingerprint)).cases
    assert after.verdict == "review"


@pytest.mark.parametrize("critical", [True, False])
def test_a_waiver_for_the_loss_of_one_namesake_does_not_cover_the_other_alone(decided, make, steps, critical):
    decided.policy = decided.policy.model_copy(update={"critical": ("approve*",) * critical})
    golden = make([*steps[:2], "Approve the release", *steps[2:6], "Approve the release", *steps[6:]])
    without = [make([*steps[:at], "Approve the release", *steps[at:]]) for at in (6, 2)]
    losses = [lost_steps(decided(golden, candidate).cases[0])[0] for candidate in without]
    assert [one.golden_steps for one in losses] == [("t2",), ("t7",)]
    for lost, other in zip(losses, reversed(without), strict=True):
        (before,) = decided(golden, other).cases
        assert decided(golden, other, waiver(lost.fingerprint)).cases == (before,)


def test_a_waiver_covers_its_own_finding_of_a_critical_step_only(decided, make, steps):
    decided.policy = decided.policy.model_copy(update={"block_severity": 1.0})
    golden, candidate = make(critical=[4]), make([*steps[:4], "Delete the archive with the company key", *steps[5:]])

    def with_retries(workflow, number):
        tasks = list(workflow.tasks)
        tasks[4] = tasks[4].model_copy(update={"params": {"retries": number}})
        return workflow.model_copy(update={"tasks": tuple(tasks)})

    golden, candidate = with_retries(golden, 3), with_retries(candidate, 4)
    (case,) = decided(golden, candidate).cases
    (text,) = (finding for finding in lost_steps(case, "WR106") if finding.wording)
    other = next(f for f in lost_steps(case, "WR107") if f.golden_steps == text.golden_steps)
    assert case.reasons[0].fingerprint == text.fingerprint
    assert case.reasons[0].message.startswith(f"the critical step '{steps[4]}' changed meaning: now 'Delete")
    assert (other.golden_value, other.candidate_value) == ("3", "4")
    (after,) = decided(golden, candidate, waiver(other.fingerprint)).cases
    assert (after.verdict, after.reasons[0].fingerprint) == ("block", text.fingerprint)


def test_a_second_loss_is_not_covered_by_the_waiver_of_the_first(decided, make, steps):
    golden = make()
    (case,) = decided(golden, make(steps[1:])).cases
    lost = next(finding for finding in case.findings if finding.id == "WR101")
    (after,) = decided(golden, make(steps[1:-2]), waiver(lost.fingerprint)).cases
    assert after.verdict == "block"
    assert not any(lost.fingerprint == reason.fingerprint for reason in after.reasons)


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
    assert waivers.of("a")("WR101", KEY)
    assert not waivers.of("b")("WR101", KEY)
    assert not waivers.findings([("b", [finding()])])  # the case did not run: nothing is known
    assert [said.id for said in waivers.findings([("a", [])])] == ["WP002"]


def test_what_cannot_be_read_cannot_be_waived():
    waivers = Waivers([waiver()], TODAY)
    assert not waivers.of("a")("WF001", KEY)


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
