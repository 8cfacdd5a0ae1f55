"""Results and profiles made by hand: reports are tested apart from the statistics that feed them."""

from datetime import date

import pytest

from wfgate.compare import MetricScore
from wfgate.decide import (
    AlignedStep,
    AlignmentView,
    BaseInfo,
    CaseResult,
    GateResult,
    Policy,
    Problem,
    ProfileInfo,
    PromiseInfo,
    ProtectedChange,
    Reason,
    SeverityEstimate,
    Signature,
    ToolInfo,
    decisions,
    worst,
)
from wfgate.decide.alignment_view import AlignedPair, MergedSteps
from wfgate.decide.evidence.demands import Demands
from wfgate.decide.profile.degradation import Degradation
from wfgate.decide.result import EvidenceValue
from wfgate.model import Said, SourceSpan, named, read
from wfgate.read import Diagnostic
from wfgate.rules import Finding, Waived
from wfgate.rules.base import Wording

MEANING = "'Deploy' changed meaning: 'staging' became 'production' (p <= 0.0042)"
STEPS = ("Check out", "Build", "Run the unit tests", "Require MFA", "Deploy", "Notify")


def said(message, *names):
    """Finish a message with step names for its braces."""
    return read(message.format(*(named(name, name) for name in names)))


def found(message: Said, **given):
    return Finding(message=message.text, mentions=message.mentions, **given)


def step(name):
    return AlignedStep(id=name.casefold().replace(" ", "-"), name=name)


def pairs(*names, similarity=1.0):
    return tuple(AlignedPair(golden=step(n), candidate=step(n), similarity=similarity) for n in names)


def metrics(chain=0.91):
    return (
        MetricScore(metric="chain-f1", value=chain, precision=1.0, recall=0.83),
        MetricScore(metric="graph-f1", value=0.62, low=0.62, high=0.8, proven=False),
        MetricScore(metric="kendall-tau", value=None, undefined_because="fewer than 2 steps are matched"),
    )


def block_case(**changes):
    given = {
        "id": "deploy",
        "golden": "golden/deploy.yaml",
        "candidate": "out/deploy.yaml",
        "verdict": "block",
        "reasons": (
            "'Require MFA' is missing",
            MEANING,
            "'Deploy' now runs after 'Notify' instead of before",
        ),
        "p_value": 0.002079,
        "demands": Demands(total=6, gone=1, doubtful=1),
        "severity": SeverityEstimate(estimate=0.3, low=0.18, high=0.41),
        "degradation": (
            Degradation(type="missing steps", probability=0.81),
            Degradation(type="reordered steps", probability=0.15),
            Degradation(type="added steps", probability=0.04),
        ),
        "evidence": (EvidenceValue(id="missing-steps", value=1.0, p_value=0.0021),),
        "metrics": metrics(),
        "findings": (
            found(
                id="WR101",
                defect="step-missing",
                severity="error",
                message=said("{} is missing", "Require MFA"),
                tasks=("Require MFA",),
                golden_steps=("require-mfa",),
                golden_location=SourceSpan(line=12, column=3),
                fingerprint="f1",
            ),
            found(
                id="WR106",
                defect="meaning-changed",
                severity="error",
                message=said(MEANING.replace("'Deploy'", "{}"), "Deploy"),
                tasks=("Deploy",),
                golden_steps=("deploy",),
                location=SourceSpan(line=9, column=5),
                fingerprint="f6",
                wording=Wording(
                    golden=(("Deploy to ", False), ("staging ", True), ("and watch the errors", False)),
                    candidate=(("Deploy to ", False), ("production ", True), ("and watch the errors", False)),
                    p_value=0.0042,
                ),
            ),
            found(
                id="WR203",
                defect="order-inverted",
                severity="error",
                message=said("{} now runs after {} instead of before", "Deploy", "Notify"),
                tasks=("Deploy", "Notify"),
                location=SourceSpan(line=9, column=5),
                fingerprint="f2",
            ),
            found(
                id="WR105",
                defect="step-split",
                severity="warning",
                message=said("{} was split into 2 steps: {} and {}", "Build", "Build", "Package"),
                tasks=("Build",),
                location=SourceSpan(line=4, column=3),
                fingerprint="f3",
            ),
            found(
                id="WF106",
                defect="dead-end",
                severity="warning",
                message=said("{} leads nowhere", "Notify"),
                fingerprint="f4",
                pre_existing=True,
            ),
        ),
        "alignment": AlignmentView(matched=pairs(*STEPS[:3], *STEPS[4:]), missing=(step("Require MFA"),)),
        "diagnostics": (
            Diagnostic(
                severity="warning",
                message="unknown key 'retires'",
                path="out/deploy.yaml",
                line=7,
                column=5,
                fix="did you mean 'retries'?",
            ),
        ),
    }
    return case_of(**(given | changes))


def case_of(**given):
    """Make a case; reasons are given as sentences with marked names, those of its findings are the findings' own."""
    findings = {finding.message: finding for finding in given.get("findings", ())}
    sides = given["golden"], given["candidate"]
    given["reasons"] = tuple(
        Reason.of(findings[said], *sides) if said in findings else Reason.by_rule("statistics", said)
        for said in given["reasons"]
    )
    return CaseResult.model_validate(given)


def review_case(**changes):
    given = {
        "id": "review-me",
        "verdict": "review",
        "p_value": 0.031,
        "reasons": ("steps 'Check out' and 'Build' were merged into one step: 'Prepare'",),
        "demands": Demands(total=6, doubtful=1),
        "severity": SeverityEstimate(estimate=0.12, low=0.0, high=0.29),
        "degradation": (Degradation(type="compressed steps", probability=0.7),),
        "findings": (
            found(
                id="WR104",
                defect="steps-merged",
                severity="error",
                message=said("steps {} and {} were merged into one step: {}", "Check out", "Build", "Prepare"),
                location=SourceSpan(line=2, column=3),
                fingerprint="f5",
            ),
        ),
        "alignment": AlignmentView(
            matched=pairs(*STEPS[2:]),
            merged=(MergedSteps(golden=(step("Check out"), step("Build")), candidate=step("Prepare")),),
        ),
        "diagnostics": (),
    }
    return block_case(**(given | changes))


def inconclusive_case(**changes):
    given = {
        "id": "tiny",
        "verdict": "inconclusive",
        "p_value": 0.4,
        "reasons": ("the golden has 2 steps; statistics need 3",),
        "degradation": (),
        "findings": (),
        "alignment": AlignmentView(matched=pairs("Build", "Deploy")),
        "diagnostics": (),
    }
    return block_case(**(given | changes))


def unreadable_case():
    what = "the mapping is never closed"
    problem = Problem(message=what, file="out/bad.yaml", line=3, column=1, fix="close the bracket")
    return case_of(
        id="bad",
        golden="golden/bad.yaml",
        candidate="out/bad.yaml",
        verdict="inconclusive",
        reasons=(problem.text,),
        error=str(problem),
        problem=problem,
    )


def pass_case(name="fine"):
    reworded = AlignedPair(golden=step("Notify"), candidate=step("Tell the team"), similarity=0.7)
    return CaseResult(
        id=name,
        golden=f"golden/{name}.yaml",
        candidate=f"out/{name}.yaml",
        verdict="pass",
        p_value=0.63,
        severity=SeverityEstimate(estimate=0.01, low=0.0, high=0.05),
        evidence=(EvidenceValue(id="weakest-match", value=0.3, p_value=0.7),),
        metrics=metrics(1.0),
        alignment=AlignmentView(matched=(*pairs(*STEPS[:5]), reworded)),
    )


def result_of(*cases, **policy):
    return GateResult(
        schema="wfgate.result/2",
        tool=ToolInfo(
            version="0.1.0",
            signature=Signature(
                embedder="static/1", meaning_model="judge/1", metrics=("chain-f1/1", "graph-f1/1"), evidence="1:0"
            ),
        ),
        profile=ProfileInfo(
            source="default profile",
            goldens=480,
            variants=28019,
            least_p_value=0.002079,
            corpus="c0ffee",
            tool="0.1.0",
        ),
        policy=Policy(**policy),
        verdict=worst(decisions(cases)),
        promise=PromiseInfo(
            alpha_block=0.01, alpha_review=0.05, measured_false_block=0.009375, interval=(0.0028, 0.0227)
        ),
        cases=cases,
    )


def based_result(text="approved/deploy.yaml"):
    """A run in a pull request that changed its own reference, with a waived finding and an expired waiver."""
    accepted = Waived(reason=text, owner=text, expires=date(2027, 1, 31))
    lost = block_case().findings[0].model_copy(update={"waived": accepted})
    expired = Finding(id="WP001", defect="waiver-expired", severity="warning", message=text, fingerprint="f9")
    change = ProtectedChange(path=text, kind="reference", change="changed")
    return result_of(pass_case().model_copy(update={"findings": (lost,)})).model_copy(
        update={"findings": (expired,), "base": BaseInfo(ref=text, commit="c0ffee" * 6, changed=(change,))}
    )


RESULTS = {
    "based": based_result,
    "block": lambda: result_of(block_case()),
    "review": lambda: result_of(review_case()),
    "inconclusive": lambda: result_of(inconclusive_case()),
    "pass": lambda: result_of(pass_case()),
    "unreadable": lambda: result_of(unreadable_case()),
    "many": lambda: result_of(
        *(pass_case(f"fine-{number:02}") for number in range(23)),
        review_case(),
        unreadable_case(),
        block_case(reasons=tuple(f"reason {number}" for number in range(15))),
    ),
    "empty": result_of,
}


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]()


@pytest.fixture
def make_result():
    return result_of


@pytest.fixture
def make_block():
    return block_case


@pytest.fixture
def make_review():
    return review_case


@pytest.fixture
def make_inconclusive():
    return inconclusive_case


@pytest.fixture
def make_unreadable():
    return unreadable_case


@pytest.fixture
def make_pass():
    return pass_case


HOSTILE = (
    "\x1b[31mred\x1b[0m \x9b1m",
    "[red]markup[/red] [link=https://evil.example]x[/link]",
    "a | b | c\n| --- | --- |\n| x | y |",
    "<script>alert(1)</script></details><img src=x onerror=y>",
    "@team please #12 GH-7 https://evil.example www.evil.example me@evil.example",
    "# heading\n\n- item\n```\ncode\n```\n---",
    "\u202egnp.exe\u2066 zero\u200bwidth \u2028line \ud800",
    "![image](https://evil.example/x.png) **bold** _it_ ~~gone~~ $x$ `code`",
    "::error file=x::boom\n::add-mask::x ##[error]boom ##vso[task.x]",
    "1. one",
    "- - -",
    "x" * 10_000,
    "漢字" * 300,
    "e" + "\u0301" * 60,
    "&lt;b&gt; &#64;team \\",
)


@pytest.fixture(params=range(len(HOSTILE)))
def hostile(request):
    return HOSTILE[request.param]


@pytest.fixture
def make_hostile(make_block, make_result):
    """A result in which every text that a stranger can choose is the given one."""

    def make(text):
        # Without marks: a marked name is shortened, and then the list of whole reasons, another element, is added.
        missing = Said(f"'{text}' is missing")
        case = make_block(
            id=text,
            golden=text,
            candidate=text,
            reasons=(missing.text, text),
            findings=tuple(
                finding.model_copy(
                    update={
                        "message": message.text,
                        "mentions": message.mentions,
                        "location": SourceSpan(line=1, column=1),
                        "wording": finding.wording and Wording(golden=((text, True),), candidate=((text, False),)),
                    }
                )
                for finding, message in zip(make_block().findings, (missing, *[Said(text)] * 4), strict=True)
            ),
            alignment=AlignmentView(
                matched=(AlignedPair(golden=step(text), candidate=step("another"), similarity=0.5),),
                missing=(step(text),),
            ),
            diagnostics=(Diagnostic(severity="warning", message=text, path=text, line=1, fix=text),),
        )
        bad = unreadable_case().model_copy(
            update={"id": text, "error": text, "reasons": (Reason(rule="not-compared", message=text),)}
        )
        based = based_result(text)
        (waived,) = based.cases
        given = make_result(case, bad, pass_case(text), waived.model_copy(update={"id": f"{text}2"}))
        return given.model_copy(update={"findings": based.findings, "base": based.base})

    return make
