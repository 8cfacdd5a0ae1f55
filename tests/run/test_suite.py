import json

import pytest

from wfgate.approvals.approvals import Approvals
from wfgate.approvals.attestation import Statement
from wfgate.errors import ConfigError, printable
from wfgate.generation import Generation, generation_lines
from wfgate.generation.answers import GeneratedSample
from wfgate.read import IGNORED
from wfgate.run import pair_files, read_pairs, suite
from wfgate.run.source import described

FLOW = {"wfgate": "1", "steps": ["Build", "Test", "Ship"]}
TEXT = "Node:\n1: build\n2: test\nEdge: (START,1) (1,2) (2,END)"


def read(tmp_path, *lines):
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return list(read_pairs(iter(text), "suite.jsonl", tmp_path))


def files(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(FLOW))
    return folder


def test_paths_are_relative_to_the_suite(tmp_path):
    (pair,) = read(tmp_path, {"id": "one", "golden": "g/a.yaml", "candidate": "../b.yaml"})
    assert (pair.id, pair.goldens, pair.candidate) == ("one", (tmp_path / "g/a.yaml",), tmp_path / "../b.yaml")
    (pair,) = read(tmp_path, {"golden": "/abs/a.yaml", "candidate": "b"})
    assert str(pair.goldens[0]) == "/abs/a.yaml"
    assert pair.id == "suite.jsonl:1"


def test_inline_text_and_objects(tmp_path):
    (pair,) = read(tmp_path, {"id": 7, "golden": [FLOW, TEXT, json.dumps(FLOW), "a.yaml"], "candidate": TEXT})
    assert pair.id == "7"
    assert pair.goldens == (FLOW, TEXT, json.dumps(FLOW), tmp_path / "a.yaml")
    assert pair.candidate == TEXT


def test_the_brief_is_that_of_each_sample(tmp_path):
    line = {"id": "one", "golden": FLOW, "candidate": [TEXT, TEXT], "brief": "Ship it."}
    pairs = read(tmp_path, line, {"golden": FLOW, "candidate": TEXT})
    assert [pair.brief for pair in pairs] == ["Ship it.", "Ship it.", ""]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "`golden` or `candidate` is missing"),
        ("null", "`golden` or `candidate` is missing"),
        ({"golden": "a"}, "`golden` or `candidate` is missing"),
        ({"golden": "a", "candidate": "b", "goldn": 1}, "unknown key 'goldn'"),
        ({"golden": "a", "candidate": "b", "brief": ["Ship"]}, "`brief` is not a text"),
        ({"golden": [], "candidate": "b"}, "empty list"),
        ({"golden": "", "candidate": "b"}, "the value is neither a path nor a workflow"),
        ({"golden": ["a", None], "candidate": "b"}, "the value is neither a path nor a workflow"),
        ({"golden": "a", "candidate": ["b", 3]}, "the value is neither a path nor a workflow"),
        ({"golden": "a", "candidate": []}, "empty list"),
        ({"golden": "a", "candidate": 3}, "the value is neither a path nor a workflow"),
        ('{"\\ud800": 1, "golden": "a", "candidate": "b"}', "unknown key"),
    ],
)
def test_a_bad_line_is_a_case_that_says_so(tmp_path, line, says):
    good = {"id": "good", "golden": "a", "candidate": "b"}
    pairs = read(tmp_path, good, "", line, {**good, "id": "after"})
    assert [pair.id for pair in pairs] == ["good", "suite.jsonl:3", "after"]
    assert says in pairs[1].problem
    assert pairs[1].problem.startswith("suite.jsonl:3")
    assert pairs[1].candidate is None
    assert pairs[0].problem is pairs[2].problem is None


def test_a_line_beyond_the_limit_is_not_even_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "MAX_LINE_BYTES", 20)
    (pair,) = read(tmp_path, "{" * 21)
    assert "too long" in pair.problem


def test_a_second_case_with_one_id_is_not_judged(tmp_path):
    line = {"id": "same", "golden": "a", "candidate": "b"}
    pairs = read(tmp_path, line, line, line)
    assert [pair.id for pair in pairs] == ["same", "suite.jsonl:2", "suite.jsonl:3"]
    assert all("a second case with the id 'same'" in pair.problem for pair in pairs[1:])


def test_an_empty_suite_has_no_cases(tmp_path):
    assert read(tmp_path, "", "  ") == []


def test_a_file_with_a_file(tmp_path):
    files(tmp_path, "new.json", "approved.json")
    (pair,) = pair_files([tmp_path / "new.json"], tmp_path / "approved.json")
    assert (pair.id, pair.goldens, pair.candidate) == ("new", (tmp_path / "approved.json",), tmp_path / "new.json")


def test_files_and_folders_are_paired_by_name(tmp_path):
    new = files(tmp_path / "new", "a.json", "deep/b.yaml", "c.txt", "ignored.py")
    approved = files(tmp_path / "approved", "a.yaml", "a@two.json", "deep/b.json", "c.json")
    pairs = pair_files([new], approved)
    assert [(pair.id, len(pair.goldens), pair.problem) for pair in pairs if pair.goldens] == [
        ("a", 2, None),
        ("c", 1, None),
        ("deep/b", 1, None),
    ]
    (pair,) = pair_files([new / "a.json"], approved)
    assert [path.name for path in pair.goldens] == ["a.yaml", "a@two.json"]


def test_a_folder_holds_files_of_any_format(tmp_path):
    new = files(tmp_path / "new", "a.bpmn", "b.MMD", "c.gv", "d.xxp", "e.csv")
    pairs = pair_files([new], files(tmp_path / "approved", "a.yaml", "b.yaml", "c.dot", "d.json"))
    assert [(pair.id, pair.problem) for pair in pairs[:4]] == [(name, None) for name in "abcd"]
    assert "the suffix '.csv' belongs to no format" in pairs[4].problem


def test_a_file_that_differs_only_by_the_suffix_is_no_variant(tmp_path):
    """A runbook for people beside the pipeline would make each step of the pipeline optional."""
    approved = files(tmp_path / "approved", "a.md", "a.yaml", "b.json", "b@two.json", "b@two.yaml", "c.md", "c@2.yaml")
    pairs = {pair.id: pair for pair in pair_files([files(tmp_path / "new", "a.yaml", "b.json", "c.md")], approved)}
    assert f"{approved}/a.md and {approved}/a.yaml have one name" in pairs["a"].problem
    assert "rename it to a@NAME" in pairs["a"].fix
    assert "b@two.yaml have one name" in pairs["b"].problem
    assert pairs["c"].problem is None
    ignored = pair_files([tmp_path / "new" / "a.yaml"], approved, formats={f"{approved}/a.md": "ignored"})
    assert [(len(pair.goldens), pair.problem) for pair in ignored] == [(1, None)]
    (alone,) = pair_files([tmp_path / "new" / "a.yaml"], approved / "a.yaml")
    assert alone.problem is None


def test_a_marked_folder_is_no_variant(tmp_path):
    new = files(tmp_path / "new", "team@work/deploy.json")
    approved = files(tmp_path / "approved", "team@work/deploy.json", "team@work/deploy@two.json")
    (pair,) = pair_files([new], approved)
    assert (pair.id, len(pair.goldens), pair.problem) == ("team@work/deploy", 2, None)


def test_what_has_no_partner_is_a_case_of_its_own(tmp_path):
    new = files(tmp_path / "new", "only-new.json", "both.json")
    approved = files(tmp_path / "approved", "only-old.json", "only-old@two.json", "both.json")
    pairs = {pair.id: pair for pair in pair_files([new], approved)}
    assert set(pairs) == {"only-new", "only-old", "both"}
    assert "no reference named 'only-new'" in pairs["only-new"].problem
    assert pairs["only-old"].problem == "no candidate named 'only-old'"
    assert pairs["only-old"].candidate is None
    assert pairs["both"].problem is None
    assert [pair.id for pair in pair_files([new / "both.json"], approved)] == ["both"]  # one file asks for no more


def test_several_candidates_for_one_reference(tmp_path):
    approved = files(tmp_path / "approved", "a.yaml", "a@two.json", "b.json")
    new = files(tmp_path / "new", "a@1.md", "a@2.md")
    pairs = pair_files([new], approved)
    assert [(pair.id, [path.name for path in pair.goldens]) for pair in pairs] == [
        ("a@1", ["a.yaml", "a@two.json"]),
        ("a@2", ["a.yaml", "a@two.json"]),
        ("b", ["b.json"]),
    ]
    assert pairs[-1].candidate is None


def test_two_candidates_of_one_name_are_told_apart(tmp_path):
    one, two = files(tmp_path / "one", "a.json", "a.yaml"), files(tmp_path / "two", "a.json")
    pairs = pair_files([one, two], files(tmp_path / "approved", "a.json"))
    assert len({pair.id for pair in pairs}) == len(pairs) == 3
    assert all(pair.goldens and pair.problem is None for pair in pairs)


@pytest.mark.parametrize("name", ["deploy.yaml.j2", "deploy.j2", "deploy", "new.yaml~", ".hidden", "deep/x.tpl"])
def test_a_file_of_no_known_format_is_a_case_that_fails(tmp_path, name):
    approved, new = files(tmp_path / "approved", "deploy.yaml"), files(tmp_path / "new", "deploy.yaml", name)
    (new / ".gitkeep").touch()
    good, bad = pair_files([new], approved)
    assert good.problem is None
    assert (bad.id, bad.goldens) == ((new / name).as_posix(), ())
    assert "[formats]" in bad.problem
    (good,) = pair_files([new], approved, formats={f"{new}/{name}": IGNORED})
    assert good.problem is None
    listed = pair_files([new], approved, formats={f"{new}/{name}": "markdown"})
    assert [pair.candidate for pair in listed if "[formats]" not in (pair.problem or "")] == sorted(
        [new / "deploy.yaml", new / name]
    )


@pytest.mark.parametrize("name", ["deploy.yaml.approvals", "deploy.attestation", "deploy.generation.jsonl"])
@pytest.mark.parametrize("content", [FLOW, {"tasks": [{"name": "Build"}]}, {"format": "x", "jobs": {}}, [], "jobs:"])
def test_a_workflow_with_the_name_of_a_record_is_a_case_that_fails(tmp_path, name, content):
    approved, new = files(tmp_path / "approved", "deploy.yaml"), files(tmp_path / "new", "deploy.yaml", name)
    (new / name).write_text(content if isinstance(content, str) else json.dumps(content))
    good, bad = pair_files([new], approved)
    assert good.problem is None
    assert bad.candidate == new / name
    assert "belongs to no format" in bad.problem or "its name is that of a record" in bad.problem


def test_records_are_no_cases(tmp_path):
    approved, new = files(tmp_path / "approved", "deploy.yaml"), files(tmp_path / "new", "deploy.yaml")
    asked = Generation(
        tool="1", model="m", service="s", date="d", task="t", notation="n", prompt="p", temperature=1, samples=1
    )
    lines = generation_lines(asked, [GeneratedSample(file="deploy@1.md", format=None, tasks=0, problem="no answer")])
    (new / "deploy.generation.jsonl").write_text(lines)
    (new / "deploy.yaml.approvals").write_text(Approvals().model_dump_json())
    (new / "deploy.attestation").write_text(
        json.dumps({field.alias or name: 0 for name, field in Statement.model_fields.items()})
    )
    (pair,) = pair_files([new], approved)
    assert pair.problem is None


@pytest.mark.parametrize("target", ["nowhere.yaml", "link.yaml", "../elsewhere", "/dev/null"])
@pytest.mark.parametrize("side", ["new", "approved"])
def test_a_link_that_can_lead_to_other_files_later_is_an_error(tmp_path, target, side):
    for folder in ("new", "approved"):
        files(tmp_path / folder, "deploy.yaml")
    files(tmp_path / "elsewhere", "evil.yaml")
    (tmp_path / side / "link.yaml").symlink_to(target)
    with pytest.raises(ConfigError, match=r"link\.yaml: a link to a folder or to nothing"):
        pair_files([tmp_path / "new"], tmp_path / "approved")
    (tmp_path / side / "link.yaml").unlink()
    (tmp_path / side / "same.yaml").symlink_to("deploy.yaml")  # a link to a file is that file
    assert len(pair_files([tmp_path / "new"], tmp_path / "approved")) == 2


def test_a_folder_without_workflows(tmp_path):
    (tmp_path / "empty").mkdir()
    assert pair_files([tmp_path / "empty"], tmp_path / "empty") == []
    (pair,) = pair_files([tmp_path / "empty"], files(tmp_path / "approved", "a.json"))
    assert pair.problem


def test_paths_that_make_no_sense(tmp_path):
    files(tmp_path, "a.json", "b.json")
    for candidates, reference in (
        ([tmp_path / "absent"], tmp_path / "a.json"),
        ([tmp_path / "a.json"], tmp_path / "absent"),
        ([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "a.json"),
        ([tmp_path], tmp_path / "a.json"),
    ):
        with pytest.raises(ConfigError) as error:
            pair_files(candidates, reference)
        assert error.value.fix


def test_a_folder_for_one_reference_is_not_several_candidates(tmp_path):
    reference = files(tmp_path, "a.json") / "a.json"
    empty, full = tmp_path / "empty", files(tmp_path / "full", "a.json")
    (empty / "inner").mkdir(parents=True)
    with pytest.raises(ConfigError, match="empty: the candidate is an empty folder, and the reference is a file"):
        pair_files([empty], reference)
    with pytest.raises(ConfigError, match="full: the candidate is a folder, and the reference is a file"):
        pair_files([full], reference)
    with pytest.raises(ConfigError, match="several candidates"):
        pair_files([full / "a.json", empty], reference)


def test_a_candidate_that_is_its_own_reference_is_an_error(tmp_path):
    approved = files(tmp_path / "approved", "a.json", "b.json")
    (tmp_path / "linked").symlink_to(approved)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "b.json").symlink_to(approved / "b.json")
    for candidates, reference in (
        ([approved], approved),
        ([approved / "b.json"], approved),
        ([approved / "b.json"], approved / "b.json"),
        ([tmp_path / "linked"], approved),
        ([tmp_path / "new"], approved),
    ):
        with pytest.raises(ConfigError, match="the candidate is the reference file itself") as error:
            pair_files(candidates, reference)
        assert "--base REV" in error.value.fix
    candidates = ["new/a.json", "approved/../approved/a.json"]
    fine, bad = read(tmp_path, {"id": "one", "golden": "approved/a.json", "candidate": candidates})
    assert (fine.id, fine.problem) == ("one@1", None)
    assert (bad.id, bad.sample_of) == ("one@2", "one")
    assert "the candidate is the reference file itself" in bad.problem


def test_names_are_text_whatever_the_file_system_says(tmp_path):
    assert described(tmp_path / "caf\udce9.yaml", "x").endswith("caf?.yaml")
    assert printable("plain ü 😀") == "plain ü 😀"
