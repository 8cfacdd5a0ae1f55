import pytest

from wfgate.approvals import entries, variants_of
from wfgate.errors import ConfigError


def entry_of(candidate, reference):
    (entry,) = entries([candidate], reference)
    return entry


def test_a_candidate_finds_all_variants_of_its_workflow_and_the_next_free_number(project):
    approved = project / "approved"
    (approved / "report@3.yaml").write_bytes(b"x")
    (approved / "report@2.json").write_bytes(b"x")
    (approved / "reporter.yaml").write_bytes(b"x")
    entry = entry_of(project / "new" / "report.yaml", approved)
    assert [path.name for path in entry.references] == ["report.yaml", "report@2.json", "report@3.yaml"]
    assert entry.target() == approved / "report@4.yaml"
    assert entry.target("night-run") == approved / "report@night-run.yaml"
    assert entry.adopted is None
    assert entry.pair().goldens == entry.references


def test_a_candidate_that_is_a_variant_itself_belongs_to_its_workflow(project):
    (project / "new" / "report@7.yaml").write_bytes(b"x")
    entry = entry_of(project / "new" / "report@7.yaml", project / "approved")
    assert (entry.name, entry.target().name) == ("report", "report@2.yaml")


def test_the_first_of_a_name_is_the_plain_reference_in_the_folder_that_it_has(project):
    (project / "new" / "team").mkdir()
    (project / "new" / "team" / "report.json").write_bytes(b"x")
    found = {entry.candidate.name: entry for entry in entries([project / "new"], project / "approved")}
    assert found["fresh.yaml"].target() == project / "approved" / "fresh.yaml"
    assert found["report.json"].target() == project / "approved" / "team" / "report.json"
    assert found["report.json"].references == ()
    assert found["fresh.yaml"].pair().problem is not None


def test_a_reference_that_is_a_file_says_which_workflow_it_is(project):
    entry = entry_of(project / "new" / "fresh.yaml", project / "approved" / "report.yaml")
    assert entry.target() == project / "approved" / "report@2.yaml"
    assert entry.replacement(entry.references[0]) == project / "approved" / "report.yaml"


def test_what_is_in_the_reference_folder_is_a_reference_however_it_is_named(project):
    deep = project / "approved" / "team"
    deep.mkdir()
    (deep / "report.yaml").write_bytes(b"x")
    entry = entry_of(deep / ".." / "team" / "report.yaml", project / "approved")
    assert entry.adopted == deep / "report.yaml"
    assert entry.references == (deep / "report.yaml",)


def test_a_folder_of_references_need_not_exist_yet(project):
    entry = entry_of(project / "new" / "fresh.yaml", project / "later")
    assert entry.target() == project / "later" / "fresh.yaml"
    assert variants_of(project / "later" / "fresh.yaml") == ()


@pytest.mark.parametrize("name", ["", " ", "a/b", "a\\b", "a@b", "a\nb", ".." + "/x"])
def test_what_names_no_variant(project, name):
    with pytest.raises(ConfigError, match="is not a valid name"):
        entry_of(project / "new" / "report.yaml", project / "approved").target(name)


def test_nothing_is_overwritten_by_accident(project):
    (project / "approved" / "report@b.json").write_bytes(b"x")
    (project / "approved" / "report.json").write_bytes(b"x")
    (project / "new" / "other.json").write_bytes(b"x")
    entry = entry_of(project / "new" / "other.json", project / "approved" / "report.yaml")
    with pytest.raises(ConfigError, match="a variant with this name exists already"):
        entry.target("b")
    with pytest.raises(ConfigError, match="the file exists already"):
        entry.replacement(project / "approved" / "report.yaml")
    with pytest.raises(ConfigError, match="the file or folder does not exist"):
        entries([project / "nowhere"], project / "approved")


def test_candidates_of_one_name_do_not_overwrite_each_other(project):
    approved = project / "approved"
    (project / "new" / "fresh.json").write_bytes(b"x")
    first, second = (entry for entry in entries([project / "new"], approved) if entry.name == "fresh")
    assert first.target().stem == second.target().stem == "fresh"
    first.target().write_bytes(b"x")
    assert second.now().target() == approved / f"fresh@2{second.candidate.suffix}"


def test_a_file_of_the_same_name_is_never_taken_as_a_variant(project):
    approved = project / "approved"
    (approved / "report.md").write_bytes(b"x")
    entry = entry_of(project / "new" / "report.yaml", approved)
    assert "have one name" in entry.pair().problem
    with pytest.raises(ConfigError, match="have one name"):
        entry.now()
    with pytest.raises(ConfigError, match="have one name"):
        variants_of(approved / "report.json")
    named = entry_of(project / "new" / "report.yaml", approved / "report.yaml")
    assert named.now().references == named.references == (approved / "report.yaml",)
