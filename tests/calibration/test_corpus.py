import json
import random

import pytest

from wfgate.calibration import read_corpus
from wfgate.calibration.corpus import content_key, texts_record
from wfgate.calibration.perturb import RECORDED
from wfgate.errors import CalibrationError


def chain(name, *texts):
    nodes = "\n".join(f"{place}: {text}" for place, text in enumerate(texts, start=1))
    links = " ".join(f"({place},{place + 1})" for place in range(1, len(texts)))
    return {"id": name, "workflow": f"Node:\n{nodes}\nEdge: (START,1) {links} ({len(texts)},END)"}


BUILD = chain("build", "compile the code", "run the tests", "upload the archive")
TEXTS = {
    "id": "build",
    "paraphrase_a": ["build the sources", "execute the tests", "push the archive"],
    "paraphrase_b": ["compilation", "testing", "upload"],
    "merges": [{"steps": [1, 2], "text": "compile and test"}],
    "drifts": [{"step": 3, "kind": "action", "text": "delete the archive"}],
    "extras": [{"after": "START", "text": "order pizza"}, {"after": 3, "text": "dance"}],
    "vague": {"step": 2, "text": "do something"},
}


def test_joins_goldens_and_texts_by_id_across_files(write_lines):
    texts, goldens = write_lines(TEXTS, name="a.jsonl"), write_lines(BUILD, name="b.jsonl")
    for paths in ([texts, goldens], [goldens, texts], [goldens.parent]):
        (golden,) = read_corpus(paths).goldens
        assert golden.workflow.tasks[0].name == "compile the code"
        assert golden.texts.rewordings == (tuple(TEXTS["paraphrase_a"]), tuple(TEXTS["paraphrase_b"]))


def test_records_of_wfgate_beside_workflows_are_no_unusable_files(write_lines):
    folder = write_lines(BUILD).parent
    (folder / "build.yaml.approvals").write_text('{"format": 1, "approvals": []}')
    assert read_corpus([folder]).refused == ()
    (folder / "strange.yaml.approvals").write_text("written by somebody else")
    assert len(read_corpus([folder]).refused) == 1


def test_step_numbers_count_from_1_in_files_and_from_0_inside(write_lines):
    texts = read_corpus([write_lines(BUILD, TEXTS)]).goldens[0].texts
    assert texts.merges[0].steps == (0, 1)
    assert texts.drifts[0].step == 2
    assert [extra.after for extra in texts.extras] == [-1, 2]
    assert texts.vague[0].step == 1


def test_lists_of_texts_grow_from_record_to_record(write_lines):
    more = {"id": "build", "merges": [{"steps": [2, 3], "text": "check and ship"}], "rewordings": [["a", "b", "c"]]}
    (golden,) = read_corpus([write_lines(BUILD, TEXTS, more, {"id": "build", "omissions": [[2], [1, 3]]})]).goldens
    assert [merge.text for merge in golden.texts.merges] == ["compile and test", "check and ship"]
    assert len(golden.texts.rewordings) == 3
    assert golden.texts.omissions == ((1,), (0, 2))


def test_texts_are_written_as_they_are_read(write_lines):
    texts = read_corpus([write_lines(BUILD, TEXTS, {"id": "build", "omissions": [[2]]})]).goldens[0].texts
    written = {"id": "build", **texts_record(texts)}
    assert read_corpus([write_lines(BUILD, written)]).goldens[0].texts == texts


EDITS = [
    {
        "kind": "split",
        "step": 2,
        "texts": ["run the unit tests", "run the other tests"],
        "labels": ["accept", "accept"],
    },
    {"kind": "merge", "steps": [1, 2], "text": "compile and test", "labels": ["accept", "minor"]},
    {"kind": "swap", "swap": [1, 3], "labels": ["reject", "reject"]},
    {"kind": "extra", "after": 0, "text": "order pizza", "labels": ["accept", "reject"]},
]


def test_edits_by_hand_are_sorted_by_their_labels_and_left_out_if_reviewers_disagree(write_lines):
    (golden,) = read_corpus([write_lines(BUILD, {"id": "build", "edits": EDITS})]).goldens
    (plain,) = read_corpus([write_lines(BUILD)]).goldens
    assert [
        [task.name for task in workflow.tasks]
        for workflow in (*RECORDED["edited"].workflows(golden), *RECORDED["misedited"].workflows(golden))
    ] == [
        ["compile the code", "run the unit tests", "run the other tests", "upload the archive"],
        ["compile and test", "upload the archive"],
        ["upload the archive", "run the tests", "compile the code"],
    ]
    assert content_key(golden) != content_key(plain)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ({"kind": "split", "step": 9, "text": "x", "labels": ["accept"]}, "1 edits do not fit the workflow"),
        ({"kind": "split", "step": 2, "labels": ["accept"]}, "1 edits do not fit the workflow"),
        ({"kind": "split", "step": "2", "text": "x", "labels": ["accept"]}, "edit 1 cannot be read"),
        ({"kind": "split", "step": 2, "text": "x", "labels": ["fine"]}, "edit 1 cannot be read"),
        ({"kind": "split", "step": 2, "text": "x"}, "edit 1 cannot be read"),
    ],
)
def test_an_edit_that_cannot_be_used_is_named(write_lines, edit, says):
    corpus = read_corpus([write_lines(BUILD, {"id": "build", "edits": [edit]})])
    assert corpus.goldens[0].edits == ()
    assert any(says in reason for reason in corpus.refused)


def test_a_workflow_may_be_the_text_of_a_markdown_file(write_lines):
    runbook = {"id": "build", "markdown": "# Release\n\n1. compile the code\n2. run the tests\n"}
    anew = {"id": "1", "golden": "build", "label": "accept", "markdown": "- [ ] build it\n- [ ] test it\n"}
    (golden,) = read_corpus([write_lines(runbook, anew)]).goldens
    steps = [[task.name for task in workflow.tasks] for workflow in (golden.workflow, *golden.accepted)]
    assert steps == [["compile the code", "run the tests"], ["build it", "test it"]]


def test_omissions_alone_change_the_key_of_a_golden(write_lines):
    (plain,) = read_corpus([write_lines(BUILD)]).goldens
    (more,) = read_corpus([write_lines(BUILD, {"id": "build", "omissions": [[2]]})]).goldens
    assert content_key(plain) != content_key(more)


def test_texts_may_stand_in_the_golden_itself(write_lines):
    record = {**BUILD, **TEXTS}
    together, apart = read_corpus([write_lines(record)]), read_corpus([write_lines(BUILD, TEXTS, name="two.jsonl")])
    assert (together.goldens, together.refused) == (apart.goldens, apart.refused)
    assert (together.names, apart.names) == ({"build": "corpus"}, {"build": "two"})


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"id": "odd", "workflow": 3}, "odd"),
        (chain("odd", "a", "b") | {"drifts": [{"step": 1}]}, "recorded texts cannot be read"),
        (chain("odd", "a", "b") | {"rewordings": [["\ud800", "b"]]}, "unpaired surrogate"),
        (chain("odd", "a", "b") | {"drifts": [{"step": 0, "text": "x"}]}, "do not fit 2 steps"),
        (chain("odd", "a", "b") | {"paraphrase_a": ["only one"]}, "do not fit 2 steps"),
        (chain("odd", "a", "b") | {"paraphrase_a": "ab"}, "recorded texts cannot be read"),
        (chain("odd", "a", "b") | {"rewordings": None}, "recorded texts cannot be read"),
        (chain("odd", "a", "b") | {"merges": {"steps": 1}}, "recorded texts cannot be read"),
        ({**TEXTS, "id": "odd"}, "not in the corpus"),
        (chain("build", "x", "y", "z"), "another workflow with this id"),
    ],
)
def test_what_cannot_be_used_is_named(write_lines, record, says):
    corpus = read_corpus([write_lines(BUILD, record)])
    (refused,) = corpus.refused
    assert refused.startswith(f"{record['id']}: ")
    assert says in refused
    first = next(golden for golden in corpus.goldens if golden.id == "build")
    assert first.workflow.tasks[0].name == "compile the code"  # of two with one id the first is kept


def test_a_plan_is_a_workflow_unless_there_are_texts_beside_it(write_lines):
    plan = {"id": "plan", "plan": ["Build", "Ship"]}
    texts = {"id": "build", "steps": ["compile the code"], "rewordings": []}
    corpus = read_corpus([write_lines(BUILD, plan, texts, {**texts, "id": "other"})])
    assert [golden.id for golden in corpus.goldens] == ["build", "plan"]
    assert corpus.refused == ("other: recorded texts for a workflow that is not in the corpus",)


def test_records_without_workflow_or_texts_are_ignored(write_lines):
    corpus = read_corpus([write_lines(BUILD, {"id": "comment", "licence": "MIT"})])
    assert [golden.id for golden in corpus.goldens] == ["build"]


@pytest.mark.parametrize(
    "line", ["{", "[1]", "3", '"text"', '{"id": }', "[" * 100_000, "nul\0l"], ids=lambda line: line[:8]
)
def test_a_line_that_is_no_object_is_an_error_with_its_place(write_lines, line):
    path = write_lines(BUILD, "", line)
    with pytest.raises(CalibrationError, match=f"{path.name}:3: not ") as error:
        read_corpus([path])
    assert error.value.fix


def test_bytes_that_are_no_text_are_an_error_with_their_place(tmp_path):
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(BUILD).encode() + b'\n{"id": "caf\xe9"}\n')
    with pytest.raises(CalibrationError, match=r"latin\.jsonl:2: not JSON"):
        read_corpus([path])


def test_half_a_character_in_an_id_is_refused_under_a_name_that_can_be_printed(write_lines):
    record = json.dumps({**BUILD, "id": "?"}).replace('"?"', '"\\ud800"')
    (refused,) = read_corpus([write_lines(BUILD, record)]).refused
    assert refused.startswith("?: ")


def test_paths_that_give_nothing_are_errors(tmp_path, write_lines):
    with pytest.raises(CalibrationError, match="does not exist"):
        read_corpus([tmp_path / "absent"])
    with pytest.raises(CalibrationError, match="no golden workflow"):
        read_corpus([tmp_path])
    with pytest.raises(CalibrationError, match="no golden workflow"):
        read_corpus([write_lines(TEXTS)])


def test_a_folder_of_workflow_files(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(f"wfgate: '1'\nsteps: [Start {name}, Stop {name}]\n")
    (tmp_path / "broken.yaml").write_text("steps: [")
    (tmp_path / "notes.txt").write_text("not a workflow")
    (tmp_path / "log.jsonl").write_text("no JSON\n")
    corpus = read_corpus([tmp_path])
    assert [golden.id for golden in corpus.goldens] == ["one", "two"]
    broken, notes, log = corpus.refused
    assert broken.startswith(f"{tmp_path}/broken.yaml:1:")
    assert notes.startswith(f"{tmp_path}/notes.txt:1:1: ")
    assert log.startswith(f"{tmp_path}/log.jsonl:1: not JSON")


def test_a_folder_of_several_formats_with_further_references_and_copies(tmp_path):
    files = {
        "a/deploy.md": "1. Build the image\n2. Push the image\n",
        "a/deploy@2.md": "1. Build the image\n2. Sign the image\n3. Push the image\n",
        "b/deploy.mmd": "flowchart TD\n  a[Stop the writers] --> b[Copy the data]\n",
        "b/rollback.json": '{"steps": ["Stop the writers", "Restore the data"]}',
        "c/copied.md": "1. Build the image\n2. Push the image\n",
        "texts.jsonl": '{"id": "a/deploy", "rewordings": [["Make the image", "Upload the image"]]}\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    corpus = read_corpus([tmp_path])
    assert dict(corpus.formats) == {"a/deploy": "markdown", "b/deploy": "mermaid", "rollback": "graph-json"}
    assert [len(golden.texts.rewordings) for golden in corpus.goldens] == [1, 0, 0]
    assert corpus.refused == (
        f"{tmp_path}/a/deploy@2.md: a further reference of deploy.md; only that file is a golden",
        f"{tmp_path}/c/copied.md: the same workflow as 'a/deploy'",
    )


def test_sample_is_deterministic_prefers_recorded_texts_and_ignores_file_order(write_lines):
    records = [chain(f"g{place}", f"do {place}", f"check {place}") for place in range(20)]
    texts = [{"id": f"g{place}", "rewordings": [["x", "y"]]} for place in (3, 11)]
    corpus = read_corpus([write_lines(*records, *texts)])
    shuffled = [*records, *texts]
    random.Random(0).shuffle(shuffled)
    other = read_corpus([write_lines(*shuffled, name="other.jsonl")])
    assert corpus.goldens == other.goldens
    assert corpus.fingerprint == other.fingerprint
    chosen = corpus.sample(5)
    assert chosen.goldens == other.sample(5).goldens
    assert len(chosen.goldens) == 5
    assert {"g3", "g11"} <= {golden.id for golden in chosen.goldens}
    assert {golden.id for golden in corpus.sample(4).goldens} <= {golden.id for golden in chosen.goldens}
    assert corpus.sample(99) == corpus
    assert chosen.fingerprint != corpus.fingerprint


def test_foreign_steps_come_from_other_goldens(write_lines):
    corpus = read_corpus([write_lines(*(chain(f"g{n}", f"do {n}", f"check {n}") for n in range(30)))])
    for golden in corpus.goldens:
        assert len(golden.foreign) == 12
        assert golden.workflow.tasks[-1].text not in golden.foreign
    (alone,) = read_corpus([write_lines(BUILD, name="alone.jsonl")]).goldens
    assert alone.foreign == ()


@pytest.mark.parametrize(
    "changed",
    [
        {**BUILD, **TEXTS, "drifts": []},
        {**chain("build", "compile the code", "run the tests", "upload it"), **TEXTS},
        {**BUILD, **TEXTS, "id": "other"},
    ],
)
def test_content_key_tells_goldens_apart(write_lines, changed):
    keys = [content_key(read_corpus([write_lines(r)]).goldens[0]) for r in ({**BUILD, **TEXTS}, changed)]
    assert keys[0] != keys[1]


def test_recorded_corpora_lose_no_golden(corpus):
    assert len(corpus.goldens) > 1000
    assert sum(1 for golden in corpus.goldens if golden.texts.rewordings) > 200
    assert all(golden.n for golden in corpus.goldens)
