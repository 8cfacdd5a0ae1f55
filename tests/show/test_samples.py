import json
from xml.etree import ElementTree as ET

import pytest

from wfgate.decide import BaseInfo, GateResult, Policy, RunRecord, decisions, worst
from wfgate.decide.run_record import counted
from wfgate.decide.samples import sampled_case
from wfgate.history.release import compare_releases
from wfgate.rules import Finding
from wfgate.show import REPORTERS, TextReporter, wording
from wfgate.show.html.overview import before_words
from wfgate.show.samples import against_words, release_words


@pytest.fixture
def sampled(make_result, make_block, make_pass):
    """A case of three samples, two of them equal, compared with a release that had five and another case."""

    def make(name="deploy"):
        cases = (make_pass(f"{name}@1"), make_pass(f"{name}@2"), make_block(id=f"{name}@3"))
        group = sampled_case(name, [case.id for case in cases], [case.verdict for case in cases], 2, Policy())
        release = compare_releases({name: (5, 5), "gone": (5, 5)}, {name: (2, 3)}, alpha=0.05, source="old.json")
        fields = {"samples": (group,), "release": release, "verdict": worst(decisions(cases, (group,)))}
        return make_result(*cases).model_copy(update=fields)

    return make


def test_text_says_what_the_samples_say_together(sampled):
    report = " ".join(TextReporter(width=100).render(sampled()).split())
    assert "deploy 5 of 5 2 of 3 - BLOCK: all must pass" in report
    assert "gone ? none - INCONCLUSIVE: missing now" in report
    assert "BLOCK deploy: 2 of 3 samples pass: step missing in 1" in report
    assert "only 2 distinct: check for a cache" in report
    assert "PASS 1 case compared with old.json" not in report
    assert "1 case (3 candidates): 1 blocked" in report


def test_every_report_tells_of_samples(sampled):
    for name in ("text", "json", "markdown", "html", "sarif", "junit", "github"):
        assert "gone" in REPORTERS[name].render(sampled())
    assert GateResult.model_validate(json.loads(REPORTERS["json"].render(sampled()))) == sampled()


def test_every_report_says_which_samples_need_review(make_result, make_pass, make_block):
    cases = (make_pass("deploy@1"), *(make_block(id=f"deploy@{n}", verdict="review", proven="pass") for n in (2, 3)))
    for fail_on, rate in (("block", "(pass or review: 95 %"), ("review", "(95 %")):
        policy = Policy(fail_on=fail_on)
        group = sampled_case("deploy", [case.id for case in cases], [case.verdict for case in cases], 3, policy)
        result = make_result(*cases).model_copy(update={"samples": (group,), "verdict": "review", "policy": policy})
        for name in ("text", "markdown", "html", "sarif", "junit", "github", "oneline"):
            report = " ".join(REPORTERS[name].render(result).split())
            said = f"1 of 3 samples passes, 2 need review {rate}"
            if fail_on == "review" or name != "github":  # annotations name only what fails
                assert said in report, name
        assert json.loads(REPORTERS["json"].render(result))["samples"][0]["reviews"] == 2


def test_a_release_is_described_by_what_changed_and_by_all_cases(make_result, make_pass):
    before = {"same": (3, 3), "worse": (3, 3), "never": (0, 3)}
    after = {"same": (3, 3), "worse": (2, 3), "never": (0, 3)}
    release = compare_releases(before, after, alpha=0.05, source="old.json", same={"same": 3})
    result = make_result(make_pass("a")).model_copy(update={"release": release})
    assert list(release_words(result)) == [
        ("pass", "worse: not tested alone, with so few samples: 2 of 3 samples pass, 3 of 3 before"),
        ("pass", "never: 0 of 3 samples pass, 0 of 3 before"),
        (
            "pass",
            (
                "all cases together: pass rate 56 % (5 of 9 samples) now, 67 % (6 of 9 samples) before; "
                "no significant drop (p-value 50 %)"
            ),
        ),
        (
            "pass",
            (
                "3 cases compared with old.json; no drop shown, which does not prove that there is none; "
                "3 of 9 samples are byte for byte samples of it; family-wise error rate 5 %; a review counts as a pass"
            ),
        ),
    ]
    equal = compare_releases({"a": (1, 1)}, {"a": (1, 1)}, alpha=0.05, source="old.json", same={"a": 1})
    assert "no difference: both have the same samples" in against_words(equal, Policy())


def test_a_proven_change_and_what_to_do_are_said(make_result, make_pass, make_block):
    policy = Policy(samples="majority")
    cases = (make_pass("d@1"), make_pass("d@2"), make_block(id="d@3"))
    ids, verdicts = [case.id for case in cases], [case.verdict for case in cases]
    group = sampled_case("d", ids, verdicts, 3, policy, proven="block")
    proven = (*cases[:2], cases[2].model_copy(update={"proven": "block"}))
    result = make_result(*proven).model_copy(update={"samples": (group,), "policy": policy})
    for name in ("text", "markdown", "html", "junit"):
        said = " ".join(REPORTERS[name].render(result).split())
        assert "a proven change in 1 sample decides" in said, name
        if name != "junit":
            assert "do not adopt the new model" in said
            assert "wfgate plan --samples 3 --cases 1" in said
    assert "For example d@3: " in TextReporter().render(result)
    assert "To accept this change:" in TextReporter().render(result)


def test_other_references_are_said():
    release = compare_releases({"a": (5, 5), "b": (5, 5)}, {"a": (5, 5), "b": (5, 5)}, alpha=0.05, source="old.json")
    other = release.cases[0].model_copy(update={"other_references": True})
    words = against_words(release.model_copy(update={"cases": (other, release.cases[1])}), Policy())
    assert "other references than then in a, so a difference may be theirs" in words
    assert "references" not in against_words(release, Policy())


def test_hostile_names_are_harmless(sampled, hostile):
    text = TextReporter(width=80, color=False).render(sampled(hostile))
    assert "\x1b" not in text
    assert "##[" not in text
    markdown = REPORTERS["markdown"].render(sampled(hostile))
    assert "<script" not in markdown
    assert "@team" not in markdown


def test_of_very_many_samples_only_some_are_listed(make_result, make_pass):
    cases = tuple(make_pass(f"c{n}@1") for n in range(100))
    groups = tuple(sampled_case(f"c{n}", [f"c{n}@1"], ["pass"], 1, Policy()) for n in range(100))
    result = make_result(*cases).model_copy(update={"samples": groups})
    assert "60 more" in TextReporter().render(result)
    assert "and 60 more" in REPORTERS["markdown"].render(result)


def junit(result):
    return ET.fromstring(REPORTERS["junit"].render(result))  # noqa: S314 - our own


def test_tests_are_named_by_cases_never_by_results(sampled, make_result, make_block):
    names = [(test.get("classname"), test.get("name")) for test in junit(sampled()).iter("testcase")]
    assert names[-3:] == [("samples", "deploy"), ("previous release", "deploy"), ("previous release", "gone")]
    before = sampled()
    group = sampled_case("deploy", [case.id for case in before.cases], ["block"] * 3, 3, Policy())
    worse = compare_releases({"deploy": (5, 5), "gone": (5, 5)}, {"deploy": (0, 3)}, alpha=0.05, source="new.json")
    after = before.model_copy(update={"samples": (group,), "release": worse})
    assert names == [(test.get("classname"), test.get("name")) for test in junit(after).iter("testcase")]
    messages = {test.get("classname"): test[0].get("message") for test in list(junit(after).iter("testcase"))[-3:-1]}
    assert messages["samples"].startswith("0 of 3 samples pass")
    assert "passes less often than before: 0 of 3" in messages["previous release"]


def test_a_case_of_junit_tells_of_itself_alone(sampled):
    given = sampled()
    finding = Finding(id="WP001", defect="waiver-expired", severity="warning", message="old waiver", fingerprint="f")
    base = BaseInfo(ref="main", commit="c0ffee" * 6)
    given = given.model_copy(update={"findings": (finding,), "base": base})
    (blocked,) = (test for test in junit(given).iter("testcase") if test.get("name") == "deploy@3")
    words = blocked[0].text
    assert words.startswith("\nBLOCK deploy@3: ")
    assert "the approval counts once a code owner" in " ".join(words.split())  # what to do depends on the base
    for other in ("Samples:", "previous release", "passed", "old waiver", "are read from main"):
        assert other not in words


def test_a_summary_says_why_it_is_red(make_result, make_pass):
    fine = make_result(make_pass("a@1"), make_pass("b"))
    release = compare_releases(
        {"a": (20, 20), "b": (9, 9)}, {"a": (9, 20), "b": (9, 9)}, alpha=0.05, source="old.json"
    )
    red = fine.model_copy(update={"release": release, "verdict": "block"})
    assert red.exit_code == 1
    said = "2 cases: 2 passed; blocked: 1 case passes less often than in the previous release"
    for name in ("text", "markdown", "html", "github"):
        assert said in " ".join(REPORTERS[name].render(red).split())
    thin = compare_releases({"gone": (5, 5)}, {}, alpha=0.05, source="old.json")
    open_ = fine.model_copy(update={"release": thin, "verdict": "inconclusive"})
    assert open_.exit_code == 4
    assert "2 passed; inconclusive against the previous release" in TextReporter().render(open_)
    assert wording.summary(fine) == "2 cases: 2 passed"
    lenient = open_.model_copy(update={"policy": Policy(inconclusive_blocks=False)})
    said = "2 cases: 2 passed; inconclusive against the previous release"
    assert (lenient.exit_code, wording.summary(lenient)) == (0, said)
    same = compare_releases({"a": (5, 5)}, {"a": (5, 5)}, alpha=0.05, source="old.json")
    summary = wording.summary(fine.model_copy(update={"release": same}))
    assert summary == "2 cases: 2 passed; no drop shown, which is no proof, against the previous release"


def test_the_previous_verdict_on_all_samples_is_not_that_of_one(sampled):
    result = sampled()
    counts = counted({"deploy": "pass"})
    before = RunRecord(version="0", profile="", corpus="", verdict="pass", counts=counts, cases={"deploy": "pass"})
    known = result.model_copy(update={"previous": before})
    words = {tuple(before_words(case, known)) for case in result.cases}
    assert words == {("all samples: PASS", "together newly blocked")}
