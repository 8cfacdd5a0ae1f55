from datetime import date

from wfgate.approvals.forge.acceptances import command
from wfgate.decide import Acceptance, BaseInfo, ProtectedChange
from wfgate.rules import Waived
from wfgate.show import REPORTERS, advice
from wfgate.show.html.case import case_view
from wfgate.show.view import RunCase

OWNER = "it counts once a code owner approves the pull request (`--approved-by`), or once it is merged"


def based(result, *changed, content=None):
    changes = tuple(
        ProtectedChange(path=path, kind=kind, change=change, content=content) for path, kind, change in changed
    )
    return result.model_copy(update={"base": BaseInfo(ref="main", commit="c0ffee" * 6, changed=changes)})


def todo(case, result):
    return " / ".join(map(str, advice.todo_words(case, result)))


def test_where_references_are_the_bases_an_approval_counts_with_a_code_owner(make_result, make_block):
    case = make_block()
    plain = make_result(case)
    assert OWNER not in todo(case, plain)
    result = based(plain)
    approve = "wfgate approve out/deploy.yaml --replace golden/deploy.yaml"
    commit = "commit the reference and the record that it writes; the approval counts once a code owner"
    assert f"To accept this change: {approve} --reason '<why>' / {commit}" in todo(case, result)
    assert f"{approve} --from-rev BRANCH --reason '<why>'" in todo(case, result)
    assert "but references are read from" not in todo(case, result)
    assert dict(advice.commands(case, result))["Accept the change"].line == f"{approve} --reason '<why>'"
    for name in ("text", "markdown"):
        assert "once a code owner approves the pull request" in " ".join(REPORTERS[name].render(result).split())


HEAD = "c0ffee00" * 5


def asked(result):
    """The result of a pull request whose acceptances are read."""
    return result.model_copy(update={"base": result.base.model_copy(update={"head": HEAD})})


def test_in_a_pull_request_that_can_be_accepted_the_comment_is_printed_whole(make_result, make_block):
    case = make_block(content="c0ffee")
    result = asked(based(make_result(case)))
    line = f"/wfgate approve {case.id} at {HEAD}"
    first, second, keep = map(str, advice.next_words(case, result))
    assert (first, second) == (
        "To accept this change: a code owner writes this comment (an approving review accepts every case):",
        line,
    )
    assert keep.endswith("wfgate approve out/deploy.yaml --replace golden/deploy.yaml --reason '<why>'")
    assert f"<code>{line}</code>" in REPORTERS["markdown"].render(result)  # else GitHub shows a short hash
    (printed,) = [one for one in REPORTERS["text"].render(result).splitlines() if one.strip().startswith("/wfgate")]
    assert command(printed.strip()) == ((case.id,), HEAD)


def test_no_comment_is_printed_where_it_would_accept_nothing(make_result, make_block):
    deceptive = make_block(content="c0ffee", id="de\u202eploy")
    for case in (deceptive, make_block(), make_block(content="c0ffee", verdict="review")):
        result = asked(based(make_result(case)))
        assert "/wfgate" not in todo(case, result)
        assert "/wfgate" not in " ".join(map(str, advice.next_words(case, result)))
    spaced = make_block(content="c0ffee", id="a' at b")
    assert command(str(advice.next_words(spaced, asked(based(make_result(spaced))))[1])) == (("a' at b",), HEAD)


def test_an_accepted_case_says_so_in_every_report(make_result, make_block):
    one = Acceptance(by="a|da<b>", how="comment", commit=HEAD, cases=("x",), url="https://forge/7#1")
    case = make_block(content="c0ffee")
    result = asked(based(make_result(case)))
    case = case.model_copy(update={"accepted": one})
    result = result.model_copy(update={"cases": (case,)})
    assert str(advice.next_words(case, result)[0]) == (
        "accepted by a|da<b> (comment), so this pull request needs no more: https://forge/7#1"
    )
    assert "/wfgate" not in todo(case, result)
    assert result.exit_code == 0
    texts = {name: REPORTERS[name].render(result) for name in ("text", "markdown", "github", "junit", "sarif")}
    texts["html"] = case_view(RunCase(case, result), 0)
    for name, said in texts.items():
        assert "accepted by a" in said, name
        assert name in {"text", "github", "sarif"} or "da<b>" not in said, name
    assert "(accepted)" in REPORTERS["oneline"].render(result)
    assert 'failures="0"' in REPORTERS["junit"].render(result)
    assert "::error" not in REPORTERS["github"].render(result)


def test_an_approval_that_is_there_already_is_not_asked_for_again(make_result, make_block):
    case = make_block(content="c0ffee")
    record = ("golden/deploy.yaml.approvals", "reference", "added")
    changed = ("golden/deploy.yaml", "reference", "changed")
    approved = based(make_result(case), changed, record, content="c0ffee")
    said = advice.next_words(case, approved)
    assert [*map(str, said)] == [f"To accept this change: golden/deploy.yaml has these bytes; {OWNER}"]
    assert "Accept the change" not in dict(advice.commands(case, approved))
    for other in (based(make_result(case), changed, content="c0ffee"), based(make_result(case), changed, record)):
        assert "wfgate approve" in str(advice.next_words(case, other)[0])  # without a record, or with other bytes


def test_an_approval_in_the_same_pull_request_is_named(make_result, make_block):
    case = make_block(id="ops/deploy@3")
    result = based(
        make_result(case),
        ("", "reference", "added"),
        ("x/golden/other.yaml", "reference", "added"),
        ("x/golden/ops/redeploy.yaml", "reference", "added"),
        ("x/golden/ops/deploy.yaml.approvals", "reference", "added"),
        ("x/golden/ops/deploy@2.yaml", "reference", "added"),
    )
    said = "x/golden/ops/deploy@2.yaml is added here, but references are read from main"
    assert [*map(str, advice.todo_words(case, result))].count(said) == 1
    assert "but references are read from" not in todo(case.model_copy(update={"id": "unheard"}), result)
    for name in ("text", "markdown"):
        assert REPORTERS[name].render(result).count("but references are read from") == 1


def test_what_has_no_partner_is_told_what_to_do(make_result, make_block):
    new = make_block(golden="none", verdict="inconclusive", error="no reference named 'deploy'", findings=())
    gone = new.model_copy(update={"golden": "golden/deploy.yaml, golden/deploy@2.yaml", "candidate": "none"})
    broken = gone.model_copy(update={"golden": "none"})
    result = make_result(new, gone)
    assert "if the workflow is new, approve its first reference: wfgate approve out/deploy.yaml" in todo(new, result)
    assert "if the workflow was removed, delete its reference golden/deploy.yaml, golden/deploy@2.yaml" in todo(
        gone, result
    )
    assert "fix the file or the path named above" in todo(broken, result)
    removed = based(result, ("golden/deploy.yaml", "reference", "removed"))
    assert "first reference: wfgate approve out/deploy.yaml" in todo(new, removed)
    assert OWNER in todo(new, removed)
    assert "that counts once a code owner approves the pull request" in todo(gone, removed)
    assert "golden/deploy.yaml is removed here, but references are read from main" in todo(gone, removed)


def test_no_crowd_of_new_files_hides_what_is_in_force(make_result, make_block):
    crowd = [(f".github/workflows/{number:02}.yml", "pipeline", "added") for number in range(26)]
    goldens = [(f"golden/{number:02}.yaml", "reference", "changed") for number in range(26)]
    result = based(
        make_result(make_block()),
        *crowd,
        (".github/workflows/zz-gate.yml", "pipeline", "changed"),
        *goldens,
        ("wfgate.toml", "configuration", "changed"),
        ("zz/suite.jsonl", "suite", "changed"),
        ("zz/wfgate-waivers.toml", "waivers", "added"),
    )
    told = REPORTERS["markdown"].render(result).partition("About this run:")[2]
    lines = [line for line in told.splitlines() if " here" in line]
    assert lines[0] == "- zz/suite.jsonl (suite) is changed here and used"
    assert ["(waivers)" in lines[1], "(configuration)" in lines[2]] == [True, True]
    assert "- .github/workflows/zz-gate.yml (pipeline) is changed here; the gate cannot protect CI files" in lines
    assert lines[-1] == "- 21 more (pipeline) changed here; the gate cannot protect CI files: see the JSON report"
    everything = " ".join(REPORTERS["text"].render(result).split())
    for path, _, _ in (*crowd, *goldens):
        assert path in everything


def test_a_reason_is_asked_for_where_approve_asks_for_one(make_result, make_block):
    case = make_block()
    warnings = tuple(one.model_copy(update={"severity": "warning"}) for one in case.findings)
    waiver = Waived(reason="moved", owner="ops", expires=date(9999, 1, 1))
    waived = tuple(one.model_copy(update={"waived": waiver}) for one in case.findings)
    for findings, asked in ((case.findings, True), (warnings, False), (waived, False)):
        changed = case.model_copy(update={"findings": findings})
        for words in (
            advice.todo_words(changed, make_result(changed)),
            advice.next_words(changed, make_result(changed)),
        ):
            assert str(words[0]).endswith(" --reason '<why>'") == asked
            assert str(words[0]).startswith("To accept this change: ")


def test_what_to_do_first_is_short_and_passes_need_nothing(make_result, make_block, make_inconclusive, make_pass):
    case = make_block()
    assert [*map(str, advice.next_words(case, make_result(case)))] == [
        "To accept this change: wfgate approve out/deploy.yaml --replace golden/deploy.yaml --reason '<why>'"
    ]
    undecided = make_inconclusive()
    assert len(advice.next_words(undecided, make_result(undecided))) == 1
    assert advice.next_words(make_pass(), make_result()) == []


def test_a_block_about_an_order_says_how_to_make_it_free(make_result, make_block):
    case = make_block()
    assert len(advice.rules_named(case)) > 1
    assert "any_order" not in todo(case, make_result(case))
    moved = case.model_copy(update={"reasons": tuple(reason for reason in case.reasons if reason.rule == "WR203")})
    assert "`any_order: true` at a step of a native golden" in todo(moved, make_result(moved))


def test_a_variant_is_offered_where_it_lets_the_candidate_pass(make_result, make_block):
    case = make_block(candidate="out/deploy.yaml", golden="golden/deploy.yaml")
    kept = tuple(reason.model_copy(update={"lost_critical": False}) for reason in case.reasons)
    beside = case.model_copy(update={"reasons": kept})
    lost = case.model_copy(update={"reasons": (*kept, kept[0].model_copy(update={"lost_critical": True}))})
    result = make_result(case)
    assert "wfgate approve out/deploy.yaml --reference golden --variant --reason '<why>'" in todo(beside, result)
    other_name = beside.model_copy(update={"candidate": "out/other.yaml"})
    for case in (lost, other_name, beside.model_copy(update={"copied": True})):
        assert "--variant" not in todo(case, result)
