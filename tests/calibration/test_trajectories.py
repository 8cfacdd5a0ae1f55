import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.score_table import ScoreRow
from wfgate.calibration.trajectories import expected_score, sensitivities, trajectories
from wfgate.decide import EVIDENCE, Point


def row(value, *, operator="missing", severity=0.1, reworded=False, metric="chain-f1"):
    return ScoreRow(
        key="k",
        golden="g",
        operator=operator,
        severity=severity,
        reworded=reworded,
        repeat=0,
        steps=10,
        metrics={metric: value},
        evidence={piece.id: 0.0 for piece in EVIDENCE},
    )


def points_of(rows):
    return trajectories(ScoredVariants.of(rows))


def point(severity, mean, **changes):
    settings = {"sd": 0.0, "expected": None, "bias": None, "rmse": None, "variants": 1, "undefined": 0, **changes}
    return Point(metric="bleu", operator="missing", reworded=False, severity=severity, mean=mean, **settings)


def test_mean_sd_and_residuals_by_hand():
    (found,) = points_of([row(0.7), row(0.9), row(0.8), row(None)])
    assert found.mean == 0.8
    assert found.sd == pytest.approx((0.02 / 3) ** 0.5, abs=1e-6)
    assert found.expected == 0.9
    assert found.bias == pytest.approx(-0.1)
    assert found.rmse == pytest.approx(((0.04 + 0 + 0.01) / 3) ** 0.5, abs=1e-6)
    assert (found.variants, found.undefined) == (3, 1)


def test_nothing_is_expected_of_what_the_paper_does_not_score():
    (found,) = points_of([row(0.5, operator="rewired")])
    assert (found.expected, found.bias, found.rmse) == (None, None, None)


def test_expectations():
    assert [expected_score("compressed", p) for p in (0.1, 0.3, 0.5)] == [0.9, 0.7, 0.5]
    assert [expected_score("description", p) for p in (0.1, 0.5, 1.0)] == [1.0] * 3
    assert expected_score("extra", 0.3) is None


def test_points_follow_the_registry_plain_before_reworded():
    rows = [row(0.5, operator=o, reworded=r, severity=s) for o in reversed(list(PERTURBATIONS)) for r in (True, False)
            for s in (0.5, 0.1)]  # fmt: skip
    found = [(p.operator, p.reworded, p.severity) for p in points_of(rows)]
    order = list(PERTURBATIONS)
    assert found == sorted(found, key=lambda key: (order.index(key[0]), key[1], key[2]))


def test_sensitivity_is_equation_1_of_appendix_c1():
    """Delta = 1/2 [(s(10) - s(30)) / 0.2 + (s(30) - s(50)) / 0.2]."""
    (found,) = sensitivities([point(0.1, 0.9), point(0.3, 0.6), point(0.5, 0.5)])
    assert found.value == pytest.approx(0.5 * ((0.9 - 0.6) / 0.2 + (0.6 - 0.5) / 0.2))
    assert found.value == pytest.approx(1.0)


def test_sensitivity_of_the_ideal_metric_is_one():
    (found,) = sensitivities([point(p, 1 - p) for p in (0.1, 0.3, 0.5)])
    assert found.value == 1.0


def test_no_sensitivity_without_all_three_severities():
    assert sensitivities([point(0.1, 0.9), point(0.5, 0.5)]) == ()


def test_no_sensitivity_from_a_severity_where_the_metric_is_undefined():
    points = [point(0.1, 0.9), point(0.3, 0.6), point(0.5, 0.0, variants=0, undefined=4)]
    assert sensitivities(points) == ()


def test_a_point_without_any_score_says_so():
    (found,) = points_of([row(None), row(None)])
    assert (found.variants, found.undefined, found.rmse, found.bias) == (0, 2, None, None)


def test_refused_variants_are_no_points():
    refused = ScoreRow(
        key="k", golden="g", operator="missing", severity=0.1, reworded=False, repeat=0, steps=1, rejected="too few"
    )
    assert points_of([refused]) == ()
