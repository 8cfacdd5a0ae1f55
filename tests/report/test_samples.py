import json

import pytest

from wfgate.gating import Policy
from wfgate.gating.policy import worst
from wfgate.gating.release import compare_releases
from wfgate.gating.result import GateResult, decisions
from wfgate.gating.samples import sampled_case
from wfgate.report import REPORTERS, TextReporter


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
    assert "BLOCK deploy: 2 of 3 samples pass (95 % interval 9-99 %); all must pass; only 2 differ" in report
    assert "PASS 1 case compared with old.json" not in report
    assert "INCONCLUSIVE gone: the previous release has it, this one has not" in report
    assert "1 case (3 candidates): 1 blocked" in report


def test_every_report_tells_of_samples(sampled):
    for name in ("text", "json", "markdown", "html", "sarif", "junit", "github"):
        assert "gone" in REPORTERS[name].render(sampled())
    assert GateResult.model_validate(json.loads(REPORTERS["json"].render(sampled()))) == sampled()


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
