from wfgate.approvals import pending_candidates


def test_what_does_not_pass_waits(project, gate):
    (project / "new" / "same").mkdir()
    found = pending_candidates([project / "new"], project / "approved", gate)
    assert [(each.entry.candidate.name, each.new, each.case.verdict) for each in found] == [
        ("fresh.yaml", True, "inconclusive"),
        ("report.yaml", False, "block"),
    ]


def test_a_pass_and_a_reference_wait_for_nothing(project, gate, texts):
    (project / "new" / "report.yaml").write_text(texts["golden"])
    (project / "new" / "fresh.yaml").unlink()
    assert pending_candidates([project / "new", project / "approved"], project / "approved", gate) == []


def test_what_cannot_be_read_waits_and_says_why(project, gate):
    (project / "new" / "report.yaml").write_text("steps: {")
    (found,) = pending_candidates([project / "new" / "report.yaml"], project / "approved", gate)
    assert found.case.error is not None
    assert not found.new
