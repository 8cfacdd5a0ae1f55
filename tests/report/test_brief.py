"""The short forms of a case: title, counts, one line per reason."""

import pytest

from wfgate.checks import Finding
from wfgate.checks.base import Wording, instead, with_values
from wfgate.checks.relative.value_words import exchanged
from wfgate.gating import Reason
from wfgate.report import brief
from wfgate.texts.difference import marked

LONG = "Restore the payments database from the snapshot of the previous night in region {}"


def case_with(make_block, step, message, **finding):
    found = Finding(
        id="WR106", defect="meaning-changed", severity="error", message=message, fingerprint="f9", **finding
    )
    case = make_block(findings=(found,), reasons=())
    alignment = case.alignment.model_copy(update={"missing": tuple(map(step, finding.get("tasks", ())))})
    reason = Reason.of(found, case.golden, case.candidate)
    return case.model_copy(update={"alignment": alignment, "reasons": (reason,)})


def line(case):
    marks = {"": "{}", "golden": "[-{}-]", "candidate": "{{+{}+}}"}
    return "".join(marks[side].format(text) for text, side in brief.reason_pieces(case, case.reasons[0]))


@pytest.fixture
def step(make_block):
    one = make_block().alignment.missing[0]
    return lambda name: one.model_copy(update={"name": name})


def test_a_title_names_and_counts_what_broke(make_block, make_inconclusive, make_unreadable):
    assert brief.title(make_block()) == "task missing, meaning changed, order inverted"
    twice = make_block()
    twice = twice.model_copy(update={"reasons": (*twice.reasons[:2], twice.reasons[1])})
    assert brief.title(twice) == "task missing, meaning changed (2)"
    assert brief.title(make_inconclusive()) == "undecided"
    assert brief.title(make_unreadable()).startswith("nothing was compared: out/bad.yaml:3:1: ")


def test_a_changed_text_is_old_then_new_with_the_changes_marked(make_block, step):
    was, now = f"{LONG.format('eu-west-1')} and check it", f"{LONG.format('us-east-1')} and check it"
    golden, candidate = marked(was, now)
    wording = Wording(golden=golden, candidate=candidate, p_value=0.004)
    case = case_with(make_block, step, "anything", tasks=(was,), wording=wording, exact=True)
    assert line(case) == (
        "changed meaning: Restore the … in region [-eu-west-1-] and check it -> "
        "Restore the … in region {+us-east-1+} and check it"
    )


def test_a_changed_value_is_old_then_new(make_block, step):
    was, now = "trivy --exit-code 1", "trivy --exit-code 0"
    message, at = with_values("'Scan' has params.run: ", instead(was, now))
    case = case_with(make_block, step, message, golden_value=was, candidate_value=now, values_at=at)
    assert line(case) == "'Scan' has params.run: trivy --exit-code [-1-] -> trivy --exit-code {+0+}"


def test_a_changed_sentence_of_a_long_value_is_whole_and_its_line_breaks_are_marks(make_block, step):
    prompt = f"You are an assistant. {'Answer politely. ' * 20}\n{{}}Instructions:\n- Be `brief`"
    was, now = prompt.format("Do not make things up.\n"), prompt.format("")
    message, at = with_values("'Ask' has params.prompt: ", exchanged(was, now))
    case = case_with(make_block, step, message, golden_value=was, candidate_value=now, values_at=at)
    golden, candidate = line(case).split(" -> ")
    assert "[-Do not make things up.\n-]Instructions" in golden
    assert "Instructions" in candidate
    assert "{+" not in candidate


def test_lists_and_long_names_are_short_and_names_stay_different(make_block, step):
    names = ["Check the backup", "Stop the nightly import of orders", "Tell the finance department", "Pay"]
    listed = f"'{names[0]}' now runs after '{names[1]}', '{names[2]}' and '{names[3]}' instead of before"
    assert line(case_with(make_block, step, listed, tasks=tuple(names))) == (
        "'Check the backup' now runs after 'Stop the nightly import of orders' and 2 more instead of before"
    )
    two = [f"Copy the encrypted archive of all customer invoices to {place}" for place in ("the vault", "tape")]
    both = f"'{two[0]}' no longer runs before '{two[1]}' and 3 more: no path connects these steps any more"
    short = line(case_with(make_block, step, both, tasks=tuple(two)))
    assert short == (
        "'Copy the … all customer invoices to the vault' no longer runs before "
        "'Copy the … all customer invoices to tape' and 3 more: no path connects these steps any more"
    )


@pytest.mark.parametrize("words", ["now", "reworded as"])  # as recorded by 0.1
def test_the_other_wording_of_a_step_is_left_out(make_block, step, words):
    message = f"'Scan it' ({words} 'Look at it', 'Check it' and 2 more) now runs after 'Sign it' instead of before"
    case = case_with(make_block, step, message, tasks=("Scan it", "Look at it", "Check it", "Sign it"))
    assert line(case) == "'Scan it' now runs after 'Sign it' instead of before"


def test_no_name_is_taken_for_a_part_of_another(make_block, step):
    message = "'it's' is missing, 'a' and 'a' (reworded as 'x') are not names"
    assert line(case_with(make_block, step, message, tasks=("it's",))) == message
