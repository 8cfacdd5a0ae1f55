"""The command of a comment, and the file that the gate reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.approvals import read_acceptances
from wfgate.approvals.forge.acceptances import command
from wfgate.decide import command_line
from wfgate.errors import ConfigError

COMMIT = "c0ffee00" * 5
NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_what_a_report_prints_is_what_is_read(names):
    assert command(command_line(names, COMMIT)) == (tuple(names), COMMIT)


def test_the_line_may_be_wrapped_and_a_reason_may_follow():
    expected = (("deploy", "roll back"), COMMIT)
    assert command(f"/wfgate approve deploy 'roll back'\r\n  at\n{COMMIT}  \n\n$(id) because") == expected


def test_several_printed_lines_are_one_acceptance_if_they_are_about_one_commit():
    lines = [command_line(["deploy"], COMMIT), command_line(["roll back", "at"], COMMIT)]
    assert command("\n".join(lines)) == (("deploy", "roll back", "at"), COMMIT)
    assert command("\n".join([lines[0], command_line(["other"], "b" * 40)])) is None
    assert command("\n".join([lines[0], "/wfgate approve other"])) is None


@pytest.mark.parametrize(
    "body",
    [
        "/wfgate approve deploy",
        f"/wfgate approve at {COMMIT}",
        f"/wfgate approve deploy at {COMMIT[:12]}",
        f"/wfgate approve deploy at {COMMIT.upper()}",
        f"/wfgate approve deploy at {COMMIT} and more",
        f"/wfgate approve 'deploy at {COMMIT}",
        f"/wfgate approved deploy at {COMMIT}",
        f"> /wfgate approve deploy at {COMMIT}",
        f"Please do not write\n\n/wfgate approve deploy at {COMMIT}",
        f"```\n/wfgate approve deploy at {COMMIT}\n```",
    ],
)
def test_anything_else_accepts_nothing(body):
    assert command(body) is None


def test_a_file_of_another_form_is_an_error(tmp_path):
    file = tmp_path / "acceptances.json"
    with pytest.raises(ConfigError, match="cannot be read"):
        read_acceptances(file)
    for text in ("{", '{"schema": "wfgate.acceptances/1", "head": "main"}', f'{{"head": "{COMMIT}", "by": "ada"}}'):
        file.write_text(text)
        with pytest.raises(ConfigError, match=r"acceptances\.json"):
            read_acceptances(file)
