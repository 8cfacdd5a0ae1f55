"""Comments of a merge request, asked from a server that speaks for GitLab."""

import pytest

from wfgate.approvals import RefusedError, gitlab_acceptances, gitlab_api

from .gitlab_server import GitLab

LINE = f"/wfgate approve deploy at {'a' * 40}"


@pytest.fixture
def gitlab():
    server = GitLab()
    yield server
    server.close()


def test_only_unedited_comments_of_members_who_may_write_count(gitlab):
    gitlab.say(1, "thanks")
    gitlab.say(2, LINE)
    gitlab.say(4, LINE)
    gitlab.say(1, LINE, updated_at="2026-11-28T10:00:01.000Z")
    gitlab.say(1, LINE, system=True)
    gitlab.say(1, "/wfgate approve deploy")
    gitlab.say(1, LINE, author={"id": 5, "username": "project_1_bot_0a1b"})
    gitlab.say(3, LINE)
    gitlab.say(1, LINE)
    found = gitlab_acceptances(gitlab_api(gitlab.variables), 7)
    assert [(one.by, one.cases, one.url) for one in found.accepted] == [
        ("agent", ("deploy",), "https://forge.example/7#note_7"),
        ("ada", ("deploy",), "https://forge.example/7#note_8"),
    ]
    assert (found.head, found.authors, found.approvers) == ("0" * 40, ("agent",), ())
    assert [why.rpartition("): ")[2].split(":")[0] for why in found.ignored] == [
        "its author may not write to the repository",
        "its author may not write to the repository",
        "it was edited, and others than its author can edit it",
        "it does not say at which commit",
        "a bot wrote it, not a person",
    ]


def test_a_member_who_cannot_be_asked_about_is_an_error_and_no_stranger(gitlab):
    gitlab.say(1, LINE)
    gitlab.before = lambda path: (403, "", {}) if path.startswith("members/") else None
    with pytest.raises(RefusedError, match="the token may not do this"):
        gitlab_acceptances(gitlab_api(gitlab.variables), 7)


def test_one_comment_accepts_several_cases(gitlab):
    gitlab.say(1, f"/wfgate approve deploy 'roll back' at {'a' * 40}")
    (one,) = gitlab_acceptances(gitlab_api(gitlab.variables), 7).accepted
    assert one.cases == ("deploy", "roll back")
