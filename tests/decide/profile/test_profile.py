import json
import stat
from datetime import date

import pytest

from wfgate.base import write_atomically
from wfgate.decide import (
    JudgeBias,
    JudgeCalibration,
    NullTail,
    PassedExam,
    Profile,
    Signature,
    default_profile,
    load_profile,
)
from wfgate.errors import CalibrationError, ProfileMismatchError


@pytest.fixture(scope="module")
def profile():
    signature = Signature(embedder="none", meaning_model="none", metrics=("chain-f1/1",))
    return default_profile().model_copy(update={"signature": signature})


def test_round_trip(profile, tmp_path):
    path = tmp_path / "new" / "profile.json"
    profile.save(path)
    assert load_profile(path) == profile
    assert load_profile(path).to_json() == path.read_text(encoding="utf-8") == profile.to_json()


def test_the_file_has_no_clock_and_no_paths(profile):
    assert set(json.loads(profile.to_json())) == set(Profile.model_fields)
    assert "/tmp" not in profile.to_json()  # noqa: S108 - looks for it


def test_saving_leaves_nothing_else_and_replaces_what_was_there(profile, tmp_path):
    path = tmp_path / "profile.json"
    path.write_text("old")
    profile.save(path)
    assert [found.name for found in tmp_path.iterdir()] == ["profile.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "profile.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half \ud800")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["profile.json"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"embedder": "other/1"}, "embedder: profile none, running other/1"),
        ({"metrics": ("bleu/2",)}, "metrics: profile ('chain-f1/1',), running ('bleu/2',)"),
        ({"evidence": "0"}, "evidence: profile"),
    ],
)
def test_numbers_of_another_origin_are_refused(profile, change, says):
    profile.require(profile.signature)
    with pytest.raises(ProfileMismatchError) as error:
        profile.require(profile.signature.model_copy(update=change))
    assert says in error.value.message
    assert error.value.message.count(", running ") == 1  # what agrees is not listed
    assert "wfgate calibrate" in error.value.fix


def test_all_differences_are_named(profile):
    with pytest.raises(ProfileMismatchError, match=r"embedder: .*; metrics: "):
        profile.require(profile.signature.model_copy(update={"embedder": "x", "metrics": ()}))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "no JSON", '{"format": "wfgate.profile/0"}', "[" * 5000],
    ids=["empty", "no fields", "list", "null", "text", "other version", "deep"],
)
def test_garbage_is_an_error_with_a_fix(tmp_path, text):
    path = tmp_path / "profile.json"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=r"profile\.json: not a wfgate profile of this version") as error:
        load_profile(path)
    assert "wfgate calibrate" in error.value.fix


def test_an_unknown_key_is_not_ignored(profile, tmp_path):
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({**json.loads(profile.to_json()), "surprise": 1}))
    with pytest.raises(CalibrationError, match="surprise"):
        load_profile(path)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("block", {"weights": [1.0]}),
        ("block", {"intercept": float("nan")}),
        ("null", {"tail": [0.0]}),
        ("null", {"scores": [0.0, 1.0], "tail": [0.5, 1.0]}),
        ("null", {"mass": -1.0}),
        ("null", {"mass": float("inf")}),
        ("evidence_nulls", {}),
        ("severity", {"margins": [0.1]}),
        ("degradation", {"weights": [[1.0]] * 9}),
    ],
)
def test_numbers_that_the_gate_could_not_use_are_refused(profile, tmp_path, part, change):
    """Found by breaking profiles at random: they were read, and judging by them crashed, or passed everything."""
    whole = json.loads(profile.to_json())
    whole[part] = change and whole[part] | change
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(whole))
    with pytest.raises(CalibrationError, match=rf"not a wfgate profile of this version: ({part}|file)"):
        load_profile(path)


def test_of_very_many_unknown_keys_none_is_named(profile, tmp_path):
    """5 MB of them once took more than 1 GB."""
    path = tmp_path / "profile.json"
    path.write_text(json.dumps({**json.loads(profile.to_json()), **dict.fromkeys(map(str, range(1001)))}))
    with pytest.raises(CalibrationError, match="file: 1,001 errors"):
        load_profile(path)


def test_half_a_file_is_an_error(profile, tmp_path):
    path = tmp_path / "profile.json"
    path.write_text(profile.to_json()[:2000])
    with pytest.raises(CalibrationError, match="not a wfgate profile"):
        load_profile(path)


def test_a_file_without_end_is_not_read(tmp_path):
    with (tmp_path / "profile.json").open("wb") as file:
        file.truncate(1 << 36)  # takes no space on the disk
    with pytest.raises(CalibrationError, match="larger than"):
        load_profile(tmp_path / "profile.json")


def test_what_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    for name in ("absent.json", "binary.json", "."):
        with pytest.raises(CalibrationError, match=r"cannot be read|not a regular file"):
            load_profile(tmp_path / name)


def test_a_judge_must_have_passed_the_exam_where_that_is_asked_for():
    bias = JudgeBias(pairs=0, identity=None, position=None, swap=None, spread=None, unanswered=0)
    null = NullTail(scores=(0.2, 0.0), tail=(2.0, 40.0), goldens=40, mass=40.0)
    exam = PassedExam(
        model="mini", score=0.93, sd=None, least=0.9, answers=65, date=date(2026, 11, 21), catalogue="c", settings={}
    )
    known = JudgeCalibration(signature="s", null=null, ungraded=0, bias=bias, exam=exam)
    shipped = default_profile()
    fitted = type(shipped).model_validate_json(shipped.model_copy(update={"judge": known}).to_json())
    assert fitted.judge == known
    fitted.require_exam(0.93)
    with pytest.raises(
        ProfileMismatchError, match=r"'mini' scored 0\.93 in the exam of 2026-11-21; 0\.94 is required"
    ):
        fitted.require_exam(0.94)
    unexamined = shipped.model_copy(update={"judge": known.model_copy(update={"exam": None})})
    for one in (unexamined, shipped):
        with pytest.raises(ProfileMismatchError, match=r"records no exam[\s\S]*fix: wfgate exam .*--certificate FILE"):
            one.require_exam(0.0)
