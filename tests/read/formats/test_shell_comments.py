"""Lines of scripts that only contain a comment: left out where that is certain, in every shell; else they count."""

import pytest

from wfgate.read.formats.code import tokens_of

SCRIPT = (
    'set -eu\nterraform plan -out=tf.plan\necho "n=$(wc -l < tf.plan) ${#x}" >> "$OUT"\necho "$(jq \'a | (b)\' x)"\n'
)


@pytest.mark.parametrize("comment", ["# write the plan", '  # it\'s a "plan", see the wiki', "#"])
def test_a_line_with_a_comment_has_no_effect(comment):
    commented = SCRIPT.replace("terraform", f"{comment}\nterraform", 1)
    for shell in ("shell", "bash", "sh", "pwsh"):
        assert tokens_of(commented, shell) == tokens_of(SCRIPT, shell) is not None


@pytest.mark.parametrize(
    "script",
    [
        'echo "$(echo "\n# text\n")"',
        "cat <<E\n# text\nE",
        "echo 'a\n# text\nb'",
        'x="""it"s\n# text\n"""',
        "echo $'a\\'\n# text\n'",
        'a=${x:-"\n# text\n"}',
        "echo a \\\n# text\nb",
        "#!/bin/bash\nmake",
        "#SBATCH -n 4\nmake",
        "# shellcheck disable=SC2086\nmake",
        "# syntax=docker/dockerfile:1\nmake",
        "# see ${{ github.event.issue.title }}\nmake",
        "<#\n# text\n#>\nmake",
        '@"\nsay "hi\n# text\n"@',
        'echo "C:\\" + "x\n# text\n"',
        "grep '^#' \"$0\"\n# text",
    ],
)
def test_what_may_be_more_than_a_comment_counts(script):
    without = "\n".join(line for line in script.split("\n") if not line.startswith("#"))
    was, now = tokens_of(script, "bash"), tokens_of(without, "bash")
    assert was is None or was != now


def test_a_command_that_becomes_a_comment_is_another_script():
    assert tokens_of("make scan\nmake", "bash") != tokens_of("# make scan\nmake", "bash")
