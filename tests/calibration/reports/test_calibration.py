import itertools
import re
import xml.etree.ElementTree as ET
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from wfgate.calibration import calibration_markdown, calibration_page, calibration_summary
from wfgate.calibration.misses import Miss
from wfgate.calibration.reports import figures, paper
from wfgate.decide import (
    CELLS,
    BlockModels,
    CalibratedRange,
    Catch,
    CorpusRates,
    CorpusSummary,
    DegradationModel,
    HarmlessRates,
    JudgeBias,
    JudgeCalibration,
    NullTail,
    NullTails,
    OperatingCurve,
    OperatingPoint,
    PassedExam,
    Point,
    Pooling,
    Profile,
    Promise,
    Rate,
    Reliability,
    ReliabilityBin,
    Sensitivity,
    SeverityModel,
    SeverityThreshold,
    Validity,
)


def rate(value, spread=0.01):
    return Rate(value=value, low=max(0, value - spread), high=min(1, value + spread), goldens=480, variants=480)


def point(metric, operator, severity, mean, *, reworded=False):
    expected = 1.0 if operator == "description" else 1 - severity
    return Point(
        metric=metric,
        operator=operator,
        reworded=reworded,
        severity=severity,
        mean=mean,
        sd=0.05,
        expected=expected,
        bias=mean - expected,
        rmse=0.06,
        variants=480,
        undefined=2,
    )


def catch(operator, severity, value, *, reworded=False):
    return Catch(operator=operator, severity=severity, reworded=reworded, rate=rate(value))


CATCHES = (
    catch("identity", 1.0, 0.0),
    catch("description", 0.1, 0.03),
    catch("description", 1.0, 0.009),
    catch("missing", 0.1, 1.0),
    catch("missing", 0.1, 0.99, reworded=True),
    catch("substituted", 0.1, 0.97),
    catch("substituted", 0.1, 0.82, reworded=True),
    catch("drift", 0.1, 0.027),
    catch("drift", 0.1, 0.004, reworded=True),
    catch("vague", 0.1, 0.56),
    catch("vague", 0.1, 0.09, reworded=True),
)


@pytest.fixture(scope="module")
def profile():
    empty = NullTail(scores=(1.0,), tail=(1.0,), goldens=1, mass=1.0)
    return Profile.model_construct(
        format="wfgate.profile/1",
        tool="0.1.0",
        signature=Profile.model_fields["signature"].annotation(
            embedder="static/1", meaning_model="judge/1", metrics=("chain-f1/1",)
        ),
        seed=0,
        corpus=CorpusSummary(
            fingerprint="c0ffee" * 10,
            goldens=480,
            with_rewordings=470,
            variants=28019,
            rejected=(("drift", "5 recorded texts needed, 4 there", 10),),
            refused_records=3,
            range=CalibratedRange(steps=(3, 25), words=(2.0, 14.5), latin=0.98),
        ),
        promise=Promise(
            alpha_block=0.01,
            alpha_review=0.05,
            false_block=rate(0.009),
            false_review=rate(0.09),
            whole_block=rate(0.011),
            critical_block=rate(0.026),
        ),
        block=BlockModels.model_construct(),
        null=NullTails(cells=dict.fromkeys(CELLS, empty)),
        evidence_nulls={},
        severity=SeverityModel.model_construct(),
        degradation=DegradationModel.model_construct(),
        degradation_accuracy=rate(0.9),
        severity_coverage=rate(0.91),
        severity_close=rate(0.64),
        severity_close_shown=rate(0.79),
        thresholds=(
            SeverityThreshold(
                level=0.1, threshold=0.197, false_block=rate(0.03), over_call=rate(0.02), miss=rate(0.01)
            ),
        ),
        catches=CATCHES,
        validity=(Validity(alpha=0.005, rate=rate(0.004)), Validity(alpha=0.05, rate=rate(0.09))),
        operating_curves=(
            OperatingCurve(
                level=0.1,
                auc=0.987,
                points=(
                    OperatingPoint(alpha=0.01, false_block=0.009, caught=0.91),
                    OperatingPoint(alpha=0.05, false_block=0.05, caught=0.97),
                ),
            ),
        ),
        reliability=Reliability(
            bins=(
                ReliabilityBin(predicted=0.35, observed=rate(0.4)),
                ReliabilityBin(predicted=0.95, observed=rate(0.97)),
            ),
            error=0.03,
        ),
        harmless=(
            HarmlessRates(change="reworded, one step to all", blocked=rate(0.004), reviewed=rate(0.04)),
            HarmlessRates(change="written anew and accepted", blocked=rate(0.02), reviewed=rate(0.11)),
        ),
        by_corpus=(
            CorpusRates(
                corpus="ops",
                goldens=157,
                false_block=rate(0.01),
                caught=rate(0.93),
                unseen_false_block=rate(0.02),
                unseen_caught=rate(0.9),
            ),
            CorpusRates(corpus="worf|bench", goldens=323, false_block=rate(0.008), caught=rate(0.9)),
        ),
        trajectories=(
            *(point("chain-f1", "missing", p, 0.95 - p) for p in (0.1, 0.3, 0.5)),
            *(point("bertscore-static", "missing", p, 0.85 - p) for p in (0.1, 0.3)),
            point("chain-f1", "missing", 0.1, 0.11, reworded=True),
            point("chain-f1", "description", 0.1, 0.98),
        ),
        sensitivities=(
            Sensitivity(metric="chain-f1", operator="missing", reworded=False, value=0.69),
            Sensitivity(metric="chain-f1", operator="drift", reworded=True, value=-0.001),
        ),
    )


@pytest.fixture(scope="module")
def drawn(profile):
    return figures.figures(profile)


MISSES = (
    Miss(
        operator="drift", golden="ops-7", reworded=True, p_value=0.04, changes=(("Keep 3 | replicas", "<b>Keep</b>"),)
    ),
    Miss(operator="rewired", golden="g", reworded=False, p_value=0.2, changes=(("a → b", ""), ("", "b → a"))),
    Miss(operator="extra", golden="g", reworded=False, p_value=0.2, changes=()),
)


def lines_of(report, start):
    return [line for line in report.splitlines() if line.startswith(start)]


def test_report(profile, snapshot):
    assert calibration_markdown(profile, ["a.json: no steps", "b | <b>@team</b>: not JSON"], MISSES) == snapshot


def test_blindness_is_computed(profile):
    report = calibration_markdown(profile)
    assert "**not detected**" in lines_of(report, "- drift")[0]
    assert "**partly missed" in lines_of(report, "- vague")[0]
    assert "**sometimes missed**" in lines_of(report, "- substituted")[0]
    assert not lines_of(report, "- missing:")
    assert "Not measured, because there are too few goldens or recorded texts: missing-bridged, compressed" in report
    seeing = profile.model_copy(update={"catches": (catch("drift", 0.1, 1.0),)})
    assert "- drift:" not in calibration_markdown(seeing)
    unknown = profile.model_copy(update={"catches": ()})
    assert "the block rates of damage are unknown" in calibration_markdown(unknown)


def test_promises_that_do_not_hold_are_said(profile):
    report = calibration_markdown(profile)
    assert "**Exceeded**: more changes are reviewed or blocked by the score than promised" in report
    assert "description of 10 % of the steps: 3 %" in report
    kept = profile.promise.model_copy(update={"false_review": rate(0.05)})
    assert "**Exceeded**" not in calibration_markdown(profile.model_copy(update={"promise": kept}))


def test_beside_the_paper(profile):
    report = calibration_markdown(profile)
    assert "| chain-f1 | 0.90 ± 0.07 | 0.85 ± 0.05 | 0.76 ± 0.06 | 0.65 ± 0.05 | 0.61 ± 0.06 | 0.45 ± 0.05 |" in report
    label = (
        "| bertscore (here: bertscore-static) | 0.81 ± 0.26 | 0.75 ± 0.05 | 0.68 ± 0.28 | 0.55 ± 0.05 | 0.72 ± 0.30 |"
    )
    assert f"{label} not measured here |" in report
    assert "| llm-judge | 0.64 ± 0.21 | not measured here |" in report


def test_paper_is_complete():
    for operator, (_, metrics) in paper.TABLES.items():
        assert metrics.keys() == paper.SENSITIVITIES[operator].keys()
        for metric, cells in metrics.items():
            low, middle, high = (cell.mean for cell in cells)
            slope = ((low - middle) / 0.2 + (middle - high) / 0.2) / 2
            if metric != "llm-judge":  # the paper's own table and appendix disagree about it by 0.2
                assert abs(slope - paper.SENSITIVITIES[operator][metric]) < 0.03, (operator, metric)


def test_pooling_is_said(profile):
    assert "**Pooled.**" not in calibration_markdown(profile)
    pooling = Pooling(
        goldens=5, base_goldens=480, base_weight=0.196, base_corpus="ab" * 32, base_false_block=rate(0.1)
    )
    report = calibration_markdown(profile.model_copy(update={"pooling": pooling}))
    assert "5 goldens of this corpus have recorded rewordings" in report
    assert "golden of the base has weight 0.196" in report
    assert "would block 10 %" in report
    unmeasured = pooling.model_copy(
        update={"goldens": 0, "base_false_block": rate(0.0).model_copy(update={"goldens": 0})}
    )
    report = calibration_markdown(profile.model_copy(update={"pooling": unmeasured}))
    assert "**Not measured here**" in report


def test_it_is_said_what_a_small_calibration_decides(profile):
    def said(**changes: object) -> str:
        pooling = Pooling(
            goldens=5, base_goldens=480, base_weight=0.2, base_corpus="ab" * 32, base_false_block=rate(0.1)
        )
        pooled = profile.model_copy(update={"pooling": pooling.model_copy(update=changes)})
        return " ".join(calibration_summary(pooled, scored=0).split())

    alike = "This profile decides like the base profile of 480 goldens; it adds the measurements above."
    assert alike in said(goldens=0, base_agreement=0.996)
    assert "480 goldens on 91 % of the variants of these goldens: it has the same models" in said(base_agreement=0.91)
    assert "with those of 5 goldens here" in said(base_agreement=0.91)
    assert "here" not in said(goldens=0, base_agreement=0.91)
    assert "decides like the base profile of 480 goldens: it has" in said()


@pytest.fixture(scope="module")
def tags():
    class Tags(HTMLParser):
        def __init__(self, text):
            super().__init__()
            self.found = []
            self.feed(text)

        def handle_starttag(self, tag, attrs):
            self.found.append((tag, dict(attrs)))

    return lambda text: Tags(text).found


def test_the_page_is_one_file_and_runs_nothing(profile, drawn, tags):
    page = calibration_page(calibration_markdown(profile, ["<script>alert(1)</script>"], MISSES, drawn), drawn)
    found = tags(page)
    names = [tag for tag, _ in found]
    assert "script" not in names
    assert "img" not in names
    assert names.count("figure") == names.count("svg") == len(drawn)
    for _, attributes in found:
        assert not {name for name in attributes if name.startswith("on")}
        assert not any("//" in (attributes.get(name) or "") for name in ("src", "href", "xlink:href"))
    assert "default-src 'none'" in page
    assert "&lt;b&gt;Keep&lt;/b&gt;" in page
    assert page.count("<table>") == page.count("</table>") > 8


def test_a_page_without_figures_has_no_gaps(profile):
    page = calibration_page(calibration_markdown(profile))
    assert "<figure" not in page
    assert "figures/" not in page


def test_figures_are_svg_and_the_same_every_time(profile, drawn):
    names = [figure.name for figure in drawn]
    assert names == [
        "trajectory-missing",
        "trajectory-description",
        "sensitivity",
        "residuals",
        "operating-curve",
        "reliability",
        "null",
        "caught",
    ]
    assert [figure.svg for figure in figures.figures(profile)] == [figure.svg for figure in drawn]
    for figure in drawn:
        assert ET.fromstring(figure.svg).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own
        assert not re.search(r"\d{4}-\d{2}-\d{2}T", figure.svg)
    by_name = {figure.name: figure.svg for figure in drawn}
    assert "chain-f1" in by_name["trajectory-missing"]
    assert "substituted" in by_name["caught"]


def test_labels_of_the_residuals_do_not_overlap():
    """All operators and severities of the paper, and more metrics than a profile has by default."""
    columns = [(operator, p) for operator in paper.TABLES for p in (0.1, 0.3, 0.5, 1.0)]
    points = [
        point(metric, operator, p, 0.9).model_copy(update={"bias": -0.1, "rmse": 0.2})
        for metric in sorted(paper.SENSITIVITIES["missing"])
        for operator, p in columns
    ]
    with rc_context(figures.STYLE):
        canvas = Canvas(figsize=figures.SIZE, layout="constrained")
        FigureCanvasAgg(canvas)
        axes = canvas.subplots()
        figures._residuals(axes, points)
        canvas.canvas.draw()
        labels = [*axes.get_xticklabels(), *axes.child_axes[0].get_xticklabels()]
        boxes = [(label.get_text(), label.get_window_extent()) for label in labels]
    assert [text for text, _ in boxes[-3:]] == [*paper.TABLES]
    assert len(boxes) == len(columns) + 3
    for (one, box), (other, another) in itertools.combinations(boxes, 2):
        assert not box.overlaps(another), (one, other)


def test_markdown_names_every_figure(profile, drawn):
    report = calibration_markdown(profile, drawn=drawn)
    assert re.findall(r"\]\((figures/[^)]+)\)", report) != []
    assert {f"figures/{figure.name}.svg" for figure in drawn} == set(re.findall(r"\]\((figures/[^)]+)\)", report))


def test_the_exam_of_the_judge_is_told(profile):
    exam = PassedExam(
        model="mini\x1b[31m",
        score=0.93,
        sd=0.01,
        least=0.9,
        answers=325,
        date=date(2026, 11, 20),
        catalogue="c",
        settings={"notation": "worfbench", "protocol": "chain-of-thought", "repetitions": 5, "temperature": 0.0},
    )
    null = NullTail(scores=(0.2, 0.0), tail=(2.0, 40.0), goldens=40, mass=40.0)
    bias = JudgeBias(pairs=1, identity=1.0, position=0.0, swap=0.0, spread=0.1, unanswered=0)
    judge = JudgeCalibration(signature="llm-judge/1:mini", null=null, ungraded=0, bias=bias, exam=exam)
    said = "passed the exam on 2026-11-20 with 0.93 (sd 0.01), 0.90 needed; 325 answers; notation worfbench, "
    for known, words in (
        (judge, said),
        (judge.model_copy(update={"exam": None}), "The profile does not record the exam of the judge."),
        (None, ""),
    ):
        judged = profile.model_copy(update={"judge": known})
        summary = calibration_summary(judged, scored=0)
        assert words in " ".join(summary.split())
        told = [line for line in summary.splitlines() if "exam" in line or "protocol" in line]
        assert all(len(line) <= 80 for line in told)
        assert "\x1b" not in summary
        page = calibration_markdown(judged)
        assert words in page.replace("\\", "")
        assert ("the exam" in page) == (known is not None)


def test_what_is_not_measured_is_never_a_number(profile):
    nothing, one = (
        Rate(value=0.0, low=0.0, high=1.0, goldens=0, variants=0),
        Rate(value=1.0, low=0.02, high=1.0, goldens=1, variants=3),
    )
    promise = profile.promise.model_copy(
        update=dict.fromkeys(("false_block", "false_review", "whole_block", "critical_block"), nothing)
    )
    unrecorded = profile.model_copy(
        update={
            "corpus": profile.corpus.model_copy(update={"goldens": 10, "with_rewordings": 0}),
            "promise": promise,
            "pooling": Pooling(
                goldens=0, base_goldens=172, base_weight=0.872, base_corpus="ba5e" * 8, base_false_block=nothing
            ),
            "harmless": (
                HarmlessRates(change="reworded, one step to all", blocked=nothing, reviewed=nothing),
                HarmlessRates(change="relisted, or with other ids", blocked=rate(0.0), reviewed=rate(0.0)),
                HarmlessRates(change="written anew", blocked=one, reviewed=one),
            ),
            "catches": (
                catch("missing", 0.1, 1.0),
                Catch(operator="rewired", severity=0.1, reworded=False, rate=one),
                Catch(operator="drift", severity=0.1, reworded=True, rate=nothing),
            ),
            "validity": (Validity(alpha=0.01, rate=nothing),),
            "sensitivities": (),
        }
    )
    corpora = [Path("gold ens"), Path("more.jsonl")]
    summary = calibration_summary(unrecorded, scored=0, corpora=corpora, formats=["native", "markdown", "native"])
    page = calibration_markdown(unrecorded)
    assert re.search(r"written anew +too few \(1 golden\)$", summary, re.MULTILINE)
    for text in (summary, page):
        assert "0-100 %" not in text
        assert "2-100 %" not in text
        assert not re.search(":\n(\n|$)", text.replace(":\n\n|", "").replace(":\n\n-", ""))
    assert "10 goldens: native 2, markdown 1" in summary
    assert re.search("false blocks, promised 1 % +not measured", summary)
    assert "too few goldens or recorded texts: missing-bridged" in " ".join(summary.split())
    assert "  wfgate write 'gold ens' more.jsonl --model MODEL --output variants.jsonl\n" in summary
    assert all(len(line) <= 80 for line in summary.splitlines())
    assert "| blocked by the score | 1 % | not measured here | 0 | 0 |" in page
    assert "Not measured here: reworded, one step to all." in page
    assert "blocked, reworded" not in page
